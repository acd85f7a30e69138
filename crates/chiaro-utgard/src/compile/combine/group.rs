//! Groups the terms of a sum by a common factor.

use super::rebuild::Rebuild;
use super::sums::Sums;
use crate::compile::graph::{Graph, Node, Operand};

/// What a factor is multiplied with: products, or a single node.
pub(super) type Inner = Vec<(Node, Option<Node>, bool)>;

/// A sum, grouped by factors.
pub(super) struct Plan {
    pub(super) root: Node,
    pub(super) groups: Vec<(Node, Inner)>,
    /// Terms that have none of the factors.
    pub(super) rest: Vec<Operand>,
}

/// The other factor of a product.
pub(super) fn other_factor(sums: &Sums<'_>, term: Operand, factor: Node) -> Option<(Node, bool)> {
    match sums.product(term)? {
        ([a, b], neg) if a == factor => Some((b, neg)),
        ([a, b], neg) if b == factor => Some((a, neg)),
        _ => None,
    }
}

/// The block with some sums made as planned.
pub(super) fn rebuild(graph: &Graph, plans: &[Plan]) -> Graph {
    let mut rebuild = Rebuild::new(graph);
    for i in 0..graph.nodes().len() as u32 {
        match plans.iter().find(|plan| plan.root.0 == i) {
            Some(plan) => rebuild.grouped(plan),
            None => rebuild.copy(),
        }
    }
    rebuild.new
}

impl Rebuild<'_> {
    fn grouped(&mut self, plan: &Plan) {
        let mut terms: Vec<Operand> = plan.rest.iter().map(|&term| self.operand(term)).collect();
        for (factor, inner) in &plan.groups {
            let products: Vec<Operand> = inner
                .iter()
                .map(|&(other, by, neg)| {
                    let other = self.operand(Operand { node: other, neg });
                    by.map_or(other, |by| {
                        let by = self.operand(Operand { node: by, neg: false });
                        self.new.mul(other, by)
                    })
                })
                .collect();
            let sum = self.sum(&products);
            let factor = self.operand(Operand { node: *factor, neg: false });
            terms.push(self.new.mul(factor, sum));
        }
        let sum = self.sum(&terms);
        self.made.push(sum);
    }

    fn sum(&mut self, terms: &[Operand]) -> Operand {
        self.new.set_exact(false);
        let mut sum = None;
        for &term in terms {
            sum = Some(sum.map_or(term, |sum| self.new.add(sum, term)));
        }
        sum.unwrap_or_else(|| self.new.number(0.0))
    }
}
