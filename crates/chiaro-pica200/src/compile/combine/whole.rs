//! Outputs that are written whole: numbers beside what an instruction computes.
//!
//! See [`numbers`](super::numbers) for how an instruction comes by them. A product takes a number other than 0 as
//! the sum with it.

use super::copies::copies;
use super::numbers::Carrier;
use super::order::order;
use super::sum::one_node;
use super::users::needs;
use crate::compile::graph::{Base, Block, Component, Graph, Id, Index, Item, LANES, components_of, operands};
use crate::isa::Op;

/// Nodes below a product that may carry a number for it.
const BELOW: usize = 12;

/// Has instructions that write outputs write their numbers, and uniforms beside them, as well; sums are turned round
/// for that where they are free.
pub(super) fn whole(graph: &mut Graph, is_free: bool) {
    for block in 0..graph.blocks.len() as Block {
        for at in 0..graph.items(block).len() {
            let Item::Output(register, parts) = graph.items(block)[at] else { continue };
            let found = [is_given as fn(&Component) -> bool, is_number]
                .into_iter()
                .filter(|is_wanted| parts.iter().flatten().any(is_wanted))
                .find_map(|is_wanted| written(graph, block, &parts, is_wanted, is_free));
            if let Some(parts) = found {
                graph.items_mut(block)[at] = Item::Output(register, parts);
                order(graph, block);
            }
        }
    }
}

fn is_number(part: &Component) -> bool {
    part.value().is_some()
}

/// A number, or a uniform that is not indexed.
fn is_given(part: &Component) -> bool {
    is_number(part) || matches!(part.base, Base::Uniform(_, Index::None))
}

/// The parts of an output, those that are wanted out of one of the nodes that write it.
fn written(
    graph: &mut Graph,
    block: Block,
    parts: &[Option<Component>; 4],
    is_wanted: fn(&Component) -> bool,
    is_free: bool,
) -> Option<[Option<Component>; 4]> {
    let mut writers: Vec<Id> = Vec::new();
    for id in parts.iter().flatten().filter(|part| !part.neg).filter_map(|part| part.node()) {
        if !writers.contains(&id) {
            writers.push(id);
        }
    }
    let wanted = parts.iter().flatten().copied().filter(is_wanted).collect::<Vec<Component>>();
    writers.retain(|&id| graph.stands_in(block, id) && graph.node(id).is_each());
    if writers.is_empty() || !graph.decisions.take() {
        return None;
    }
    let mut carrier = Carrier::new(graph);
    let one = |s: &mut Carrier<'_>, id: Id, part: Component| match part.value() {
        Some(value) => number(s, id, value),
        None => given(s, id, part, is_free),
    };
    let all = |s: &mut Carrier<'_>, id: Id| wanted.iter().map(|c| one(s, id, *c)).collect::<Option<Vec<_>>>();
    let found = writers.into_iter().filter(|id| carrier.readers(*id) == 1).collect::<Vec<_>>();
    let found = found.into_iter().find_map(|id| carrier.attempt(|s| all(s, id)))?;
    let mut found = found.into_iter();
    Some(parts.map(|part| match part {
        Some(part) if is_wanted(&part) => found.next(),
        other => other,
    }))
}

/// The component of a node that holds a number.
fn number(carrier: &mut Carrier<'_>, id: Id, number: f32) -> Option<Component> {
    if matches!(carrier.graph.node(id).op, Some(Op::Add | Op::Mad)) {
        let widened = carrier.attempt(|s| s.widen(id, number, 3));
        return widened.or_else(|| added(carrier, id, number));
    }
    if number == 0.0 || carrier.graph.node(id).op != Some(Op::Mul) {
        return carrier.widen(id, number, 3);
    }
    let beside = |s: &mut Carrier<'_>| sum(s, id).and_then(|()| s.widen(id, number, 3));
    if let Some(found) = carrier.attempt(beside) {
        return Some(found);
    }
    below(carrier.graph, id).into_iter().find_map(|from| carrier.attempt(|s| sum_of(s, (id, from), number)))
}

/// The number beside a sum of uniforms and products, by what carries numbers below it.
fn added(carrier: &mut Carrier<'_>, id: Id, number: f32) -> Option<Component> {
    if !is_of_uniforms(carrier.graph, id) {
        return None;
    }
    let beside = |s: &mut Carrier<'_>, from: Id| Numbers::of(s, from, number)?.beside(s, id);
    below(carrier.graph, id).into_iter().find_map(|from| carrier.attempt(|s| beside(s, from)))
}

/// Whether a node is a sum of uniforms and of products with uniforms.
fn is_of_uniforms(graph: &Graph, id: Id) -> bool {
    let node = graph.node(id);
    let n = usize::from(node.width);
    let is_uniform = |k: &usize| node.args[*k][..n].iter().all(|c| matches!(c.base, Base::Uniform(..)));
    let is_rest = |k: usize| one_node(&node.args[k][..n]).is_some_and(|(of, _)| is_of_uniforms(graph, of));
    match (node.op, (0..2).find(is_uniform)) {
        (Some(Op::Mul), Some(_)) => true,
        (Some(Op::Mad), Some(_)) => is_rest(2),
        (Some(Op::Add), Some(k)) => is_rest(1 - k),
        _ => false,
    }
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

/// A component more of a node that is one of a uniform which the node names: times 1, with 0 added.
fn given(carrier: &mut Carrier<'_>, id: Id, part: Component, is_free: bool) -> Option<Component> {
    let node = carrier.graph.node(id);
    let n = usize::from(node.width);
    let is_own = |k: &usize| node.args[*k][..n].iter().all(|c| (c.base, c.neg) == (part.base, part.neg));
    let mut lane = [Component::UNDEF; 3];
    match (node.op?, (0..operands(node.op?)).find(is_own)) {
        (Op::Mul, Some(k)) => {
            let own = carrier.attempt(|s| s.operand(id, 1 - k, 1.0, 3));
            lane[1 - k] = own.or_else(|| one_beside(carrier, id, k))?;
        }
        (Op::Add, Some(k)) => lane[1 - k] = carrier.operand(id, 1 - k, 0.0, 3)?,
        (Op::Mad, Some(2)) => lane = carrier.product(id, 0.0, 3)?,
        (Op::Mad, Some(k)) => {
            lane[1 - k] = carrier.operand(id, 1 - k, 1.0, 3)?;
            let from = lane[1 - k].node()?;
            lane[2] = carrier.attempt(|s| s.operand(id, 2, 0.0, 3)).or_else(|| {
                let addend = carrier.graph.node(id).args[2][0].node()?;
                Numbers::of(carrier, from, 0.0)?.beside(carrier, addend)
            })?;
        }
        (Op::Mad | Op::Add, None) if is_free => {
            turn_round(carrier, id, part)?;
            return given(carrier, id, part, false);
        }
        _ => return None,
    }
    let node = carrier.graph.node_mut(id);
    let k = (0..3).find(|k| node.args[*k][..n].iter().all(|c| c.base == part.base))?;
    lane[k] = part;
    let at = node.append(lane)?;
    Some(Component::new(Base::Node(id), at))
}

/// Makes the product with a register, which the addend of a sum has, the last one of the sum.
fn turn_round(carrier: &mut Carrier<'_>, id: Id, part: Component) -> Option<()> {
    let outer = carrier.graph.node(id);
    let (n, is_mad) = (usize::from(outer.width), outer.op == Some(Op::Mad));
    let sides = if is_mad { 2..3 } else { 0..2 };
    let (k, of) = sides.into_iter().find_map(|k| {
        let (of, neg) = one_node(&outer.args[k][..n])?;
        let is_own = (0..n).all(|i| usize::from(outer.args[k][i].part) == i);
        let inner = carrier.graph.node(of);
        let names = |k: usize| inner.args[k][..n].iter().all(|c| (c.base, c.neg) == (part.base, part.neg));
        let is_sum = inner.op == Some(Op::Mad) && !inner.exact && usize::from(inner.width) == n;
        (is_own && !neg && is_sum && (names(0) || names(1)) && carrier.readers(of) == 1).then_some((k, of))
    })?;
    if outer.exact {
        return None;
    }
    let (outer, [a, b, rest]) = (outer.clone(), carrier.graph.node(of).args);
    let inner = carrier.graph.node_mut(of);
    (inner.op, inner.args) = match is_mad {
        true => (Some(Op::Mad), [outer.args[0], outer.args[1], rest]),
        false => (Some(Op::Add), [outer.args[1 - k], rest, [Component::UNDEF; LANES]]),
    };
    let node = carrier.graph.node_mut(id);
    (node.op, node.args) = (Some(Op::Mad), [a, b, components_of(Base::Node(of))]);
    Some(())
}

/// The 1 that stands in the register of a factor, or will: by what carries it below.
fn one_beside(carrier: &mut Carrier<'_>, id: Id, k: usize) -> Option<Component> {
    let node = carrier.graph.node(id);
    let (factor, neg) = one_node(&node.args[1 - k][..usize::from(node.width)])?;
    below(carrier.graph, id)
        .into_iter()
        .filter(|_| !neg)
        .find_map(|from| carrier.attempt(|s| s.carry(from, 1.0).filter(|_| is_near(s, factor, from))))
}

/// Whether a value and a node will stand in one register: they fit beside each other, or the value takes the place of
/// what the node has given for it.
fn is_near(carrier: &Carrier<'_>, value: Id, from: Id) -> bool {
    let width = carrier.graph.node(value).width + carrier.graph.node(from).width;
    value == from || usize::from(width) <= LANES || needs(carrier.graph, value, from)
}

/// Numbers that a node carries.
struct Numbers {
    from: Id,
    one: Component,
    zero: Component,
    /// The one that is wanted.
    wanted: Component,
}

impl Numbers {
    fn of(carrier: &mut Carrier<'_>, from: Id, number: f32) -> Option<Numbers> {
        let [zero, one, wanted] = [0.0, 1.0, number].map(|number| carrier.carry(from, number));
        let (zero, one, wanted) = (zero?, one?, wanted?);
        let is_one = [zero, one].iter().all(|c| (c.base, c.neg) == (wanted.base, wanted.neg));
        is_one.then_some(Numbers { from, one, zero, wanted })
    }

    /// A component more of a sum of uniforms and products with uniforms that is the number: each product is one with 0,
    /// and a uniform is added times 1, or times 0 beside that.
    fn beside(&self, carrier: &mut Carrier<'_>, id: Id) -> Option<Component> {
        let node = carrier.graph.node(id);
        let n = usize::from(node.width);
        let is_uniform = |k: &usize| node.args[*k][..n].iter().all(|c| matches!(c.base, Base::Uniform(..)));
        let (args, is_zero) = (node.args, self.wanted == self.zero);
        let (op, k) = (node.op?, (0..2).find(is_uniform)?);
        if carrier.readers(id) > 1 || op != Op::Add && !self.is_by(carrier, &args[1 - k][..n]) {
            return None;
        }
        let mut lane = [Component::UNDEF; 3];
        (lane[k], lane[1 - k]) = (args[k][0], self.zero);
        match op {
            Op::Mul if is_zero => {}
            Op::Mul => {
                let node = carrier.graph.node_mut(id);
                (node.op, node.args[2], lane[2]) = (Some(Op::Mad), [self.zero; LANES], self.wanted);
            }
            Op::Mad => lane[2] = self.of_rest(carrier, &args[2][..n])?,
            Op::Add => {
                let rest = self.of_rest(carrier, &args[1 - k][..n])?;
                let node = carrier.graph.node_mut(id);
                (node.op, node.args) = (Some(Op::Mad), [[self.one; LANES], args[k], args[1 - k]]);
                lane = [self.zero, args[k][0], rest];
            }
            _ => return None,
        }
        let at = carrier.graph.node_mut(id).append(lane)?;
        Some(Component::new(Base::Node(id), at))
    }

    /// The number beside what is added.
    fn of_rest(&self, carrier: &mut Carrier<'_>, rest: &[Component]) -> Option<Component> {
        let (of, _) = one_node(rest).filter(|(_, neg)| !neg)?;
        self.beside(carrier, of)
    }

    /// Whether a factor can name a zero.
    fn is_by(&self, carrier: &Carrier<'_>, factor: &[Component]) -> bool {
        one_node(factor).is_some_and(|(of, neg)| {
            neg == self.zero.neg && carrier.graph.node(of).op.is_some() && is_near(carrier, of, self.from)
        })
    }
}
