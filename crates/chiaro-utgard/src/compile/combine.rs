//! Algebraic combining: fewer operations for what a block computes, before it is scheduled.
//!
//! | file | does |
//! |---|---|
//! | [`derive`] | what uniforms alone decide, for the host |
//! | [`rebuild`] | a block made from another |
//! | [`sums`] | sums of several terms as lists |
//! | [`group`] | sums grouped by a common factor |
//! | [`regroup`] | (A B) v as A (B v) |
//! | [`factor`] | a x + b x as (a + b) x |
//! | [`extremes`] | min and max as one opcode where signs are free |
//! | [`signs`] | one of two nodes that differ in their sign alone |
//!
//! Nothing here touches an operation that the source wants exactly as it stands (`precise`).

pub mod derive;
pub mod extremes;
mod factor;
mod group;
mod rebuild;
mod regroup;
pub mod signs;
mod sums;

use crate::compile::graph::Graph;

/// Rounds of rewriting: a product of n matrices takes n - 1.
const ROUNDS: u32 = 4;

/// The same with fewer operations, or `None` if nothing was found.
#[must_use]
pub fn combine(graph: &Graph) -> Option<Graph> {
    let mut best = None;
    for _ in 0..ROUNDS {
        let from = best.as_ref().unwrap_or(graph);
        match regroup::regroup(from).or_else(|| factor::factor(from)) {
            Some(better) => best = Some(better),
            None => break,
        }
    }
    best
}
