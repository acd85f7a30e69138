//! Outputs that are written whole: numbers beside what an instruction computes.
//!
//! See [`numbers`](super::numbers) for how an instruction comes by them. A product takes a number other than 0 as
//! the sum with it.

use super::copies::copies;
use super::numbers::Carrier;
use super::sum::one_node;
use crate::compile::graph::{Base, Block, Component, Graph, Id, Item, LANES};
use crate::isa::Op;

/// Nodes below a product that may carry a number for it.
const BELOW: usize = 12;

/// Has instructions that write outputs write their numbers as well.
pub(super) fn whole(graph: &mut Graph) {
    for block in 0..graph.blocks.len() {
        for at in 0..graph.blocks[block].len() {
            let Item::Output(register, parts) = graph.blocks[block][at] else { continue };
            if parts.iter().flatten().all(|part| part.value().is_none()) {
                continue;
            }
            if let Some(parts) = written(graph, block as Block, &parts) {
                graph.blocks[block][at] = Item::Output(register, parts);
            }
        }
    }
}

/// The parts of an output, its numbers out of one of the nodes that write it.
fn written(
    graph: &mut Graph,
    block: Block,
    parts: &[Option<Component>; 4],
) -> Option<[Option<Component>; 4]> {
    let mut writers: Vec<Id> = Vec::new();
    for id in parts.iter().flatten().filter(|part| !part.neg).filter_map(|part| part.node()) {
        if !writers.contains(&id) {
            writers.push(id);
        }
    }
    let numbers = parts.iter().flatten().filter_map(|part| part.value()).collect::<Vec<f32>>();
    writers.retain(|&id| graph.stands_in(block, id) && graph.node(id).is_each());
    if writers.is_empty() || !graph.decisions.take() {
        return None;
    }
    let mut carrier = Carrier::new(graph);
    let all =
        |s: &mut Carrier<'_>, id: Id| numbers.iter().map(|n| number(s, id, *n)).collect::<Option<Vec<_>>>();
    let found = writers.into_iter().filter(|id| carrier.readers(*id) == 1).collect::<Vec<_>>();
    let found = found.into_iter().find_map(|id| carrier.attempt(|s| all(s, id)))?;
    let mut found = found.into_iter();
    Some(parts.map(|part| match part {
        Some(part) if part.value().is_some() => found.next(),
        other => other,
    }))
}

/// The component of a node that holds a number.
fn number(carrier: &mut Carrier<'_>, id: Id, number: f32) -> Option<Component> {
    if number == 0.0 || carrier.graph.node(id).op != Some(Op::Mul) {
        return carrier.widen(id, number, 3);
    }
    let beside = |s: &mut Carrier<'_>| sum(s, id).and_then(|()| s.widen(id, number, 3));
    if let Some(found) = carrier.attempt(beside) {
        return Some(found);
    }
    below(carrier.graph, id).into_iter().find_map(|from| carrier.attempt(|s| sum_of(s, (id, from), number)))
}

/// Nodes that a node is computed of, the nearest first.
fn below(graph: &Graph, id: Id) -> Vec<Id> {
    let (mut found, mut at) = (vec![id], 0);
    while at < found.len() && found.len() < BELOW {
        let node = graph.node(found[at]);
        let inner: Vec<Id> = node.uses().filter_map(Component::node).collect();
        for id in inner {
            if !found.contains(&id) {
                found.push(id);
            }
        }
        at += 1;
    }
    found.split_off(1)
}

/// Makes a product a sum with zeros and a number that another node carries: an addend may stand in any register.
fn sum_of(carrier: &mut Carrier<'_>, (id, from): (Id, Id), number: f32) -> Option<Component> {
    let zero = carrier.carry(from, 0.0)?;
    let carried = carrier.carry(from, number)?;
    if (zero.node(), zero.neg) != (carried.node(), carried.neg) {
        return None;
    }
    let [a, b, _] = carrier.product(id, 0.0, 3)?;
    let node = carrier.graph.node_mut(id);
    (node.op, node.args[2]) = (Some(Op::Mad), [zero; LANES]);
    let at = node.append([a, b, carried])?;
    Some(Component::new(Base::Node(id), at))
}

/// Makes a product a sum with zeros, which stand where a factor stands, or are numbers where no factor is one.
fn sum(carrier: &mut Carrier<'_>, id: Id) -> Option<()> {
    let node = carrier.graph.node(id);
    let n = usize::from(node.width);
    let mut with_numbers = node.args;
    with_numbers[2] = [Component::constant(0.0); LANES];
    if copies(&with_numbers, n) > copies(&node.args[..2], n) {
        let factors = [0, 1].map(|k| one_node(&node.args[k][..n]));
        let zero = factors.into_iter().flatten().find_map(|(of, _)| carrier.carry(of, 0.0))?;
        with_numbers[2] = [zero; LANES];
    }
    // What carries zeros may have changed signs of operands.
    let node = carrier.graph.node_mut(id);
    (node.op, node.args[2]) = (Some(Op::Mad), with_numbers[2]);
    Some(())
}
