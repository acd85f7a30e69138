//! What a block computes, computed with less: rewriting of its operations before they are
//! scheduled.
//!
//! | file | does |
//! |---|---|
//! | [`derive`] | what uniforms alone decide, for the host |
//! | [`sums`] | sums of several terms as lists |
//! | [`group`] | sums grouped by a common factor |
//! | [`regroup`] | (A B) v as A (B v) |
//! | [`factor`] | a x + b x as (a + b) x |
//!
//! Nothing here touches an operation that the source wants exactly as it stands (`precise`).

pub(super) mod derive;
mod factor;
mod group;
mod regroup;
mod sums;

use crate::compile::graph::{Graph, Op, Operand};

/// Rounds of rewriting: a product of n matrices takes n - 1.
const ROUNDS: u32 = 4;

/// The same with fewer operations, or `None` if nothing was found.
#[must_use]
pub(crate) fn combine(graph: &Graph) -> Option<Graph> {
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

/// A block that is made from another, node by node; what nothing needs any more is left behind.
struct Rebuild<'a> {
    old: &'a Graph,
    new: Graph,
    made: Vec<Operand>,
}

impl<'a> Rebuild<'a> {
    fn new(old: &'a Graph) -> Rebuild<'a> {
        Rebuild { old, new: Graph::default(), made: Vec::with_capacity(old.nodes().len()) }
    }

    /// What an operand of the old block is in the new one.
    fn operand(&self, old: Operand) -> Operand {
        let made = self.made[old.node.0 as usize];
        Operand { neg: made.neg != old.neg, ..made }
    }

    /// Makes the next node as it was.
    fn copy(&mut self) {
        let node = crate::compile::graph::Node(self.made.len() as u32);
        let data = *self.old.get(node);
        self.new.follow(self.old, node);
        let args: Vec<Operand> = data.args().iter().map(|&arg| self.operand(arg)).collect();
        let made = match (data.op, &args[..]) {
            (Op::Mul(neg), &[a, b]) => {
                let product = self.new.mul(a, b);
                Operand { neg: product.neg != neg, ..product }
            }
            (Op::Add, &[a, b]) => self.new.add(a, b),
            (op, args) if op.adder().is_some() => self.new.make(op, args),
            // An argument may be a constant now.
            (op, &[x]) if op.function().is_some() => self.new.function(op, x),
            (op, args) => {
                let plain: Vec<Operand> = args.iter().map(|&arg| self.new.plain(arg)).collect();
                self.new.make(op, &plain)
            }
        };
        self.made.push(made);
    }
}
