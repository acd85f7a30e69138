//! Flattens sums of several terms to lists, so that their order no longer matters.

use crate::compile::graph::{Graph, Node, Op, Operand};

/// Which nodes are sums, and what uses them.
pub(super) struct Sums<'a> {
    pub(super) graph: &'a Graph,
    uses: Vec<u32>,
    /// Whether the node is a term of another sum.
    is_term: Vec<bool>,
    needed: Vec<bool>,
}

impl<'a> Sums<'a> {
    pub(super) fn new(graph: &'a Graph) -> Sums<'a> {
        let needed = graph.needed(None);
        let mut sums =
            Sums { graph, uses: vec![0; needed.len()], is_term: vec![false; needed.len()], needed };
        for (i, data) in graph.nodes().iter().enumerate() {
            if !sums.needed[i] {
                continue;
            }
            let is_sum = sums.is_free(Node(i as u32), Op::Add);
            for arg in data.args() {
                sums.uses[arg.node.0 as usize] += 1;
                sums.is_term[arg.node.0 as usize] |= is_sum;
            }
        }
        sums
    }

    /// Whether a node is such an operation (products of either sign are alike) and may be
    /// grouped otherwise.
    fn is_free(&self, node: Node, op: Op) -> bool {
        let own = match self.graph.get(node).op {
            Op::Mul(_) => Op::Mul(false),
            own => own,
        };
        own == op && !self.graph.is_exact(node)
    }

    /// Whether nothing but one operand needs it.
    fn is_used_once(&self, node: Node) -> bool {
        self.uses[node.0 as usize] == 1
    }

    /// Whether a node is a whole sum, not a part of a larger one.
    pub(super) fn is_root(&self, node: Node) -> bool {
        let is_part = self.is_term[node.0 as usize] && self.is_used_once(node);
        self.needed[node.0 as usize] && self.is_free(node, Op::Add) && !is_part
    }

    /// The terms of a sum.
    pub(super) fn terms(&self, root: Node) -> Vec<Operand> {
        let mut terms = Vec::new();
        let mut open: Vec<Operand> = self.graph.get(root).args().iter().rev().copied().collect();
        while let Some(term) = open.pop() {
            if !self.is_free(term.node, Op::Add) || !self.is_used_once(term.node) {
                terms.push(term);
                continue;
            }
            let parts = self.graph.get(term.node).args().iter().rev();
            open.extend(parts.map(|part| Operand { neg: part.neg != term.neg, ..*part }));
        }
        terms
    }

    /// The factors of a product that nothing else needs, and whether it is turned.
    pub(super) fn product(&self, term: Operand) -> Option<([Node; 2], bool)> {
        let data = self.graph.get(term.node);
        match (data.op, data.args()) {
            (Op::Mul(neg), [a, b])
                if self.is_free(term.node, Op::Mul(false)) && self.is_used_once(term.node) =>
            {
                Some(([a.node, b.node], neg != term.neg))
            }
            _ => None,
        }
    }

    /// The terms of a sum that nothing else needs.
    pub(super) fn own_terms(&self, node: Node) -> Option<Vec<Operand>> {
        (self.is_free(node, Op::Add) && self.is_used_once(node)).then(|| self.terms(node))
    }
}
