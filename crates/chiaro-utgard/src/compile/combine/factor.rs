//! Factors sums: a x + b x becomes (a + b) x.
//!
//! A factor that several terms of a sum have is multiplied once. Where the others are
//! constants, their sum is one.

use super::group::{Plan, other_factor, rebuild};
use super::sums::Sums;
use crate::compile::graph::{Graph, Node};

/// The block with common factors taken out of its sums.
pub(super) fn factor(graph: &Graph) -> Option<Graph> {
    let sums = Sums::new(graph);
    let roots = (0..graph.nodes().len() as u32).map(Node).filter(|&node| sums.is_root(node));
    let plans: Vec<Plan> = roots.filter_map(|root| plan(&sums, root)).collect();
    (!plans.is_empty()).then(|| rebuild(graph, &plans))
}

/// Takes the factor that most terms have, then the next.
fn plan(sums: &Sums<'_>, root: Node) -> Option<Plan> {
    let mut plan = Plan { root, groups: Vec::new(), rest: sums.terms(root) };
    while let Some(factor) = most_common(sums, &plan) {
        let mut inner = Vec::new();
        plan.rest.retain(|&term| match other_factor(sums, term, factor) {
            Some((other, neg)) => {
                inner.push((other, None, neg));
                false
            }
            None => true,
        });
        plan.groups.push((factor, inner));
    }
    (!plan.groups.is_empty()).then_some(plan)
}

/// A factor of two terms or more.
fn most_common(sums: &Sums<'_>, plan: &Plan) -> Option<Node> {
    let mut counts: Vec<(Node, u32)> = Vec::new();
    for ([a, b], _) in plan.rest.iter().filter_map(|&term| sums.product(term)) {
        for factor in [a, b].into_iter().take(if a == b { 1 } else { 2 }) {
            match counts.iter_mut().find(|(node, _)| *node == factor) {
                Some((_, count)) => *count += 1,
                None => counts.push((factor, 1)),
            }
        }
    }
    let most = counts.into_iter().rev().max_by_key(|&(_, count)| count);
    most.filter(|&(_, count)| count > 1).map(|(node, _)| node)
}
