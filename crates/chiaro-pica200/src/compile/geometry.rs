//! Geometry programs: a geometry shader on the fourth vertex unit (spec section 16).
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
//! | [`kept`] | which vertices the slots have already |
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
mod kept;
pub(crate) mod plan;
mod rewire;
pub(crate) mod strip;

pub use feed::{Feed, Slot};
#[cfg(feature = "sim")]
pub(crate) use feed::{element, slot_of};
pub(crate) use indices::indices;
pub use join::{join, together};
pub(crate) use kept::keep_vertices;
pub use plan::{COUNT, Mode, Plan, Request, Wish};
pub(crate) use rewire::rewire;
