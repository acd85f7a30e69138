//! Signs and zeros beside components of an input: one product with 1, -1 and 0.
//!
//! ```text
//! n0.x = dph {v0.x v0.y 0}, c0.xyzw       n9.xyz = mul {1 1 0}, v0.xyy
//! n1.x = dph {v0.x v0.y 0}, c1.xyzw       n0.x = dph n9.xyz, c0.xyzw
//!                                         n1.x = dph n9.xyz, c1.xyzw
//! ```
//!
//! An operand names one register with one sign, so that each sign and the numbers take a move of their own. Nothing
//! rounds: the factors are 1, -1 and 0. As in [`numbers`](super::numbers), a zero must not hang on what may be
//! NaN; inputs are numbers.

use crate::compile::graph::{Base, Block, Component, Components, Graph, Id, Item, LANES};
use crate::isa::Op;

/// Makes products of what operands and outputs name of one input with several signs or with zeros.
pub(super) fn masks(graph: &mut Graph) {
    for block in 0..graph.blocks.len() as Block {
        let mut made: Vec<(Vec<Component>, Components)> = Vec::new();
        let mut at = 0;
        while at < graph.items(block).len() {
            at += match graph.items(block)[at].clone() {
                Item::Output(register, parts) => output(graph, (block, at), register, parts),
                item => item.instruction().map_or(0, |id| operands(graph, (block, at), id, &mut made)),
            };
            at += 1;
        }
    }
}

/// Gives a product to the operands of an instruction; how many are new before it.
fn operands(
    graph: &mut Graph,
    (block, at): (Block, usize),
    id: Id,
    made: &mut Vec<(Vec<Component>, Components)>,
) -> usize {
    let from = graph.nodes.len();
    for k in 0..3 {
        let bundle = graph.node(id).args[k][..graph.node(id).reads(k)].to_vec();
        let known = made.iter().find(|(known, _)| *known == bundle).map(|(_, by)| *by);
        let Some(by) = known.or_else(|| product(graph, &bundle)) else { continue };
        if known.is_none() {
            made.push((bundle.clone(), by));
        }
        graph.node_mut(id).args[k][..bundle.len()].copy_from_slice(&by[..bundle.len()]);
    }
    place(graph, (block, at), from)
}

fn output(
    graph: &mut Graph,
    (block, at): (Block, usize),
    register: u8,
    parts: [Option<Component>; LANES],
) -> usize {
    let from = graph.nodes.len();
    let bundle: Vec<Component> = parts.iter().copied().flatten().collect();
    let Some(by) = product(graph, &bundle) else { return 0 };
    let mut by = by.into_iter();
    graph.items_mut(block)[at] = Item::Output(register, parts.map(|part| part.and_then(|_| by.next())));
    place(graph, (block, at), from)
}

/// Puts the nodes from a number on in front of an item; how many they are.
fn place(graph: &mut Graph, (block, at): (Block, usize), from: usize) -> usize {
    let new: Vec<Item> = (from..graph.nodes.len()).map(|id| Item::Node(id as Id)).collect();
    let count = new.len();
    graph.items_mut(block).splice(at..at, new);
    count
}

/// The product that components of one input are, if they would take several moves.
fn product(graph: &mut Graph, bundle: &[Component]) -> Option<Components> {
    let mut inputs = bundle.iter().copied().filter(|c| matches!(c.base, Base::Input(_)));
    let first = inputs.next()?;
    let is_zero = |c: &Component| c.value() == Some(0.0);
    let is_one = |c: &Component| c.base == first.base || is_zero(c) || c.base == Base::Undef;
    let is_mixed = inputs.any(|c| c.neg != first.neg) || bundle.iter().any(is_zero);
    if !is_mixed || !bundle.iter().all(is_one) || !graph.decisions.take() {
        return None;
    }
    let (mut signs, mut parts) = ([Component::UNDEF; LANES], [Component::UNDEF; LANES]);
    for (i, c) in bundle.iter().enumerate().filter(|(_, c)| c.base != Base::Undef) {
        let is_input = c.base == first.base;
        signs[i] = Component::constant(if !is_input {
            0.0
        } else if c.neg {
            -1.0
        } else {
            1.0
        });
        parts[i] = if is_input { *c } else { first }.plain();
    }
    let id = graph.add(Op::Mul, bundle.len() as u8, &[signs, parts], None);
    Some(std::array::from_fn(|i| Component::new(Base::Node(id), i as u8)))
}
