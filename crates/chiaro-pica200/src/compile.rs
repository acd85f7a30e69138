//! The compiler: IR to an SHBIN file. Read `compile_unit` here and `generate` in `generate.rs` from
//! top to bottom; the order is the design.

pub(crate) mod allocate;
mod combine;
mod compiled;
mod finish;
mod generate;
pub mod geometry;
mod graph;
mod legal;
pub mod legalize;
mod limits;
mod options;
mod schedule;
mod select;
#[cfg(test)]
mod steps;
mod tactic;
mod unit;

use self::generate::{Choice, Miss, generate};
use self::geometry::{Plan, Request};
use self::legal::legal_ir;
use self::legalize::loops;
use self::select::Loops;
use self::tactic::search::search;
use self::unit::Unit;
use crate::abi::Interface;
use chiaro_diag::{Budget, Diagnostic};
use chiaro_ir::Module;
use chiaro_opt::Cx;

use self::compiled::Made;
pub use self::compiled::{Compiled, Statistics};
pub use self::options::{Defaults, Options};
pub use crate::abi::LoopCount;
pub use crate::regs::VERTEX_WORDS as WORDS;

/// Costs up to which the loops of a shader are unrolled, in the order in which they are tried. LOOP
/// costs one word, so that most loops are shorter as they are; but an index that is a number then needs no
/// masks, and a strip that goes on from turn to turn of a loop has a vertex number in each copy of
/// its body.
const UNROLLING: [u32; 3] = [0, 256, 2048];

/// Compiles a vertex shader: of the ways to unroll its loops the one with the fewest words.
///
/// # Errors
/// What the shader asks for and the machine does not have, with the source line where there is
/// one; limits say what is used, what is allowed, and what would help.
pub fn compile(
    module: &Module,
    interface: &Interface,
    entry: &str,
    options: &Options,
    cx: &mut Cx<'_>,
) -> Result<Compiled, Box<Diagnostic>> {
    let unit = if options.wishes.feeds_geometry { Unit::Feeder } else { Unit::Vertex };
    shortest(module, options.effort, cx, |cx| compile_unit(module, interface, entry, options, unit, cx))
}

/// Compiles a geometry shader: of the ways to unroll its loops the one with the fewest words.
///
/// # Errors
/// As [`compile`]; also primitives that the unit does not have, more vertices than registers, and
/// strips whose vertices cannot be numbered.
pub fn compile_geometry(
    module: &Module,
    interface: &Interface,
    entry: &str,
    options: &Options,
    request: &Request,
    cx: &mut Cx<'_>,
) -> Result<Compiled, Box<Diagnostic>> {
    // A strip may have no other form than the unrolled one, whatever the effort.
    let effort = options.effort.max(1);
    shortest(module, effort, cx, |cx| {
        compile_unit(module, interface, entry, options, Unit::Geometry(request), cx)
    })
}

/// The program with the fewest words of those that ways to unroll loops give; of several the one that is
/// unrolled the most, which takes the fewest cycles. Without a loop there is one way.
fn shortest(module: &Module, effort: u32, cx: &mut Cx<'_>, make: impl Fn(&mut Cx<'_>) -> Made) -> Made {
    let [first, others @ ..] = UNROLLING;
    cx.options.limits.unroll_cost = first;
    let mut best = make(cx);
    let is_enough = effort == 0 && best.is_ok();
    if is_enough || !has_loop(module) || cx.stop_after.is_some() {
        return best;
    }
    for cost in others {
        cx.options.limits.unroll_cost = cost;
        best = shorter(make(cx), best);
    }
    best
}

/// The program with fewer words, the first of equals, or the only one.
fn shorter(a: Made, b: Made) -> Made {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok(if b.statistics.words < a.statistics.words { b } else { a }),
        (Ok(a), Err(_)) => Ok(a),
        (Err(_), b) => b,
    }
}

fn has_loop(module: &Module) -> bool {
    module.functions.iter().any(|f| !loops(f).is_empty())
}

/// Compiles a shader for one of the units.
fn compile_unit(
    module: &Module,
    interface: &Interface,
    entry: &str,
    options: &Options,
    unit: Unit<'_>,
    cx: &mut Cx<'_>,
) -> Result<Compiled, Box<Diagnostic>> {
    let (module, plan) = legal_ir(module, entry, options, unit, cx)?;
    let first = match unit {
        Unit::Vertex | Unit::Feeder => {
            Choice { subroutine_saves: options.subroutine_saves, ..Choice::default() }
        }
        // What counts vertices is a c register, which LOOP does not read; there is room for words.
        Unit::Geometry(_) => {
            Choice { loops: Loops::Known, subroutine_saves: usize::MAX, ..Choice::default() }
        }
    };
    let input = (unit, plan.as_ref(), options);
    // Each attempt has what is left: how many there are is counted elsewhere.
    let fit =
        |tactic| fitting(&module, interface, entry, input, Choice { tactic, ..first }, &cx.budget.fork());
    let compiled = search(options.effort, fit)?;
    Ok(Compiled { module, plan, ..compiled })
}

/// The program with what has to be given up for it to fit.
fn fitting(
    module: &Module,
    interface: &Interface,
    entry: &str,
    input: (Unit<'_>, Option<&Plan>, &Options),
    mut choice: Choice,
    budget: &Budget,
) -> Made {
    let wanted = choice.tactic;
    loop {
        match generate(module, interface, entry, input, choice, budget) {
            Ok(mut compiled) => {
                compiled.statistics.left_out = choice.tactic.left_out_beside(wanted);
                return Ok(compiled);
            }
            Err(Miss { next: Some(next), .. }) => choice = next,
            // What all of the program is too much for stands at its head.
            Err(Miss { mut error, .. }) => {
                let head = module.entry(entry).and_then(|entry| module.function(entry.function).span);
                error.span = error.span.or(head);
                return Err(error);
            }
        }
    }
}
