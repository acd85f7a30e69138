//! One of two nodes that differ in their sign alone, where the users of one of them take either.
//!
//! ```text
//! before  %2 = add %0 %1    %3 = mul %2 %0    %4 = add -%0 -%1    store v1.x %4
//! after   %4 = add -%0 -%1  %3 = nmul %4 %0   store v1.x %4
//! ```

use super::rebuild::Rebuild;
use crate::compile::graph::{Graph, Node, Op, Operand};

/// The block without such nodes.
#[must_use]
pub fn signs(graph: &Graph) -> Option<Graph> {
    let needed = graph.needed(None);
    let twins = graph.twins(&needed);
    let is_twin = |(i, twin): (usize, &Node)| (twin.0 as usize != i).then_some((twin.0 as usize, i));
    let pairs: Vec<(usize, usize)> = twins.iter().enumerate().filter_map(is_twin).collect();
    if pairs.is_empty() {
        return None;
    }
    let fixed = fixed(graph, &needed);
    let is_exact = |node: usize| graph.is_exact(Node(node as u32));
    let is_spared = |&(a, b): &(usize, usize)| !(fixed[a] && fixed[b] || is_exact(a) || is_exact(b));
    let spared = pairs.into_iter().filter(is_spared);
    // By node: the one that is made in its place.
    let mut instead: Vec<Option<Node>> = vec![None; twins.len()];
    for (first, second) in spared {
        let kept = Node(if fixed[second] { second } else { first } as u32);
        (instead[first], instead[second]) = (Some(kept), Some(kept));
    }
    instead.iter().any(Option::is_some).then(|| rebuild(graph, &instead))
}

/// Whether something needs a node with the sign that it has.
pub(super) fn fixed(graph: &Graph, needed: &[bool]) -> Vec<bool> {
    let mut fixed = vec![false; needed.len()];
    for (data, _) in graph.nodes().iter().zip(needed).filter(|(_, needed)| **needed) {
        if !matches!(data.op, Op::Mul(_) | Op::Neg) && data.op.adder().is_none() {
            data.args().iter().for_each(|arg| fixed[arg.node.0 as usize] = true);
        }
    }
    fixed
}

fn rebuild(graph: &Graph, instead: &[Option<Node>]) -> Graph {
    let mut rebuild = Rebuild::new(graph);
    for (i, kept) in instead.iter().enumerate() {
        let Some(kept) = *kept else {
            rebuild.copy();
            continue;
        };
        // The two have the same operands, so that either can stand here.
        let data = *graph.get(kept);
        rebuild.new.follow(graph, Node(i as u32));
        let args: Vec<Operand> = data.args().iter().map(|&arg| rebuild.operand(arg)).collect();
        let made = match data.op {
            Op::Mul(_) => {
                let plain: Vec<Operand> = args.iter().map(|&arg| Operand { neg: false, ..arg }).collect();
                let neg = args.iter().filter(|arg| arg.neg).count() % 2 == 1;
                let made = rebuild.new.make(data.op, &plain);
                Operand { neg, ..made }
            }
            op => rebuild.new.make(op, &args),
        };
        rebuild.made.push(Operand { neg: made.neg != (kept.0 as usize != i), ..made });
    }
    rebuild.new
}
