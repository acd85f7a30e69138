//! Copies a block node by node into a new one, simpler where operands became constants.

use crate::compile::graph::{Graph, Node, Op, Operand};

/// A block that is made from another, node by node; what nothing needs any more is left behind.
pub(super) struct Rebuild<'a> {
    pub(super) old: &'a Graph,
    pub(super) new: Graph,
    pub(super) made: Vec<Operand>,
}

impl<'a> Rebuild<'a> {
    pub(super) fn new(old: &'a Graph) -> Rebuild<'a> {
        Rebuild { old, new: Graph::default(), made: Vec::with_capacity(old.nodes().len()) }
    }

    /// What an operand of the old block is in the new one.
    pub(super) fn operand(&self, old: Operand) -> Operand {
        let made = self.made[old.node.0 as usize];
        Operand { neg: made.neg != old.neg, ..made }
    }

    /// Makes the next node as it was.
    pub(super) fn copy(&mut self) {
        let node = Node(self.made.len() as u32);
        let data = *self.old.get(node);
        self.new.follow(self.old, node);
        let args: Vec<Operand> = data.args().iter().map(|&arg| self.operand(arg)).collect();
        let made = match (data.op, &args[..]) {
            (Op::Mul(neg), &[a, b]) => {
                let product = self.new.mul(a, b);
                Operand { neg: product.neg != neg, ..product }
            }
            (Op::Neg, &[x]) => x.negated(),
            (Op::Add, &[a, b]) => self.new.add(a, b),
            (op, args) if op.adder().is_some() => self.new.make(op, args),
            (Op::Select, &[condition, yes, no]) => self.new.select(condition, yes, no),
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
