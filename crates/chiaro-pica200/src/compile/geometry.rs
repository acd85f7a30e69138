//! Geometry programs: what a geometry shader becomes on the fourth vertex unit (spec section 16).
//!
//! The compiler is that of vertex programs; what is particular stands here:
//!
//! | file | does |
//! |---|---|
//! | [`plan`] | reads primitives and modes of the shader, chooses the operation mode |
//! | [`feed`] | which output of the vertex program an input is: slots |
//! | [`rewire`] | inputs become the registers that the hardware fills, outputs values |
//! | [`indices`] | numbers of registers go along with counters of loops |
//! | [`strip`] | which slot and flags each `EmitVertex` sets |
//! | [`join`] | one file with both programs |
//!
//! # How vertices come in
//!
//! Each vertex is `stride` registers: the outputs of the vertex program in the order of their
//! registers. A shader with N input vertices (`points` 1, `lines` 2, `triangles` 3,
//! `lines_adjacency` 4, `triangles_adjacency` 6) is compiled for
//!
//! | mode | when | where vertex i has its register k |
//! |---|---|---|
//! | point | N · stride is at most 16 and every vertex is named by a constant | v(i · stride + k) |
//! | fixed | else | c(i · stride + k) |
//! | variable | there is a uniform integer [`COUNT`], which the hardware sets to the number of vertices of the primitive | c0 holds the count, c(1 + i · stride + k) |
//!
//! [`Wish`] asks for another one. Fixed and variable mode need indexed drawing.

pub(crate) mod feed;
mod indices;
mod join;
pub(crate) mod plan;
mod rewire;
pub(crate) mod strip;

pub use feed::{Feed, Slot};
#[cfg(feature = "sim")]
pub(crate) use feed::{element, slot_of};
pub(crate) use indices::indices;
pub use join::join;
pub use plan::{COUNT, Mode, Plan, Wish};
pub(crate) use rewire::rewire;
pub(crate) use strip::Emits;

use chiaro_diag::Diagnostic;
use chiaro_ir::Module;
use chiaro_opt::Cx;

use crate::abi::Interface;
use crate::compile::{Compiled, Options, Unit, compile_unit};

/// Words that a geometry program may have: what the fields of targets reach. \[azahar] The
/// hardware's size is \[unknown].
pub const WORDS: usize = 4096;

/// Outputs that a geometry program has: o0 to o6. \[3dbrew] \[picasso]
pub const OUTPUTS: usize = 7;

/// Costs up to which loops are unrolled, in the order in which they are tried: a strip that goes
/// on from turn to turn of a loop has a vertex number in each copy of its body.
const UNROLLING: [u32; 3] = [0, 256, 2048];

/// What a geometry shader is compiled for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// What the vertex program hands on; without it, what the shader itself declares.
    pub feed: Option<Feed>,
    /// The operation mode, if not the one that follows from the shader.
    pub wish: Option<Wish>,
}

/// Compiles a geometry shader: of the ways to unroll its loops the one with the fewest words.
///
/// # Errors
/// As [`compile`](crate::compile::compile); also primitives that the unit does not have, more
/// vertices than registers, and strips whose vertices cannot be numbered.
pub fn compile(
    module: &Module,
    interface: &Interface,
    entry: &str,
    options: &Options,
    request: &Request,
    cx: &mut Cx<'_>,
) -> Result<Compiled, Box<Diagnostic>> {
    let mut best: Result<Compiled, Box<Diagnostic>> =
        Err(Diagnostic::error(None, "no way to unroll the loops of the shader was tried").into());
    for cost in UNROLLING {
        cx.options.limits.unroll_cost = cost;
        let made = compile_unit(module, interface, entry, options, Unit::Geometry(request), cx);
        best = match (best, made) {
            (Ok(a), Ok(b)) => Ok(if b.statistics.words < a.statistics.words { b } else { a }),
            (Ok(a), Err(_)) => Ok(a),
            (Err(_), made) => made,
        };
        if cx.stop_after.is_some() {
            break;
        }
    }
    best
}
