//! What a loop computes of each component of a vector that it turns round is computed of all before it.
//!
//! ```text
//! n0 <- {v1.x v1.y v1.z v1.w}             n9.xyzw = max {0 0 0 0}, v1.xyzw
//! loop 0 b1                               n0 <- {n9.x n9.y n9.z n9.w}
//! b1:                                     loop 0 b1
//!   n2.x = max 0, n0.x                    b1:
//!   ... n2.x ...                            ... n0.x ...
//!   n0 <- {n0.y n0.z n0.w n0.x}             n0 <- {n0.y n0.z n0.w n0.x}
//! ```
//!
//! One instruction does it for all components, so that it takes no more words, and it takes the place of the copy
//! that the vector came by. True before: the loop sets the variable by turning it, and by nothing else.

use crate::compile::graph::{Base, Block, Component, Components, Graph, Id, Index, Item};
use crate::isa::Op;

/// Computes in front of loops what they compute of vectors that they turn.
pub(super) fn carried(graph: &mut Graph) {
    for block in 0..graph.blocks.len() as Block {
        let mut at = 0;
        while at < graph.items(block).len() {
            let found = match graph.items(block)[at] {
                Item::Loop(_, body) => Turned::of(graph, (block, at), body),
                _ => None,
            };
            match found.filter(|_| graph.decisions.take()) {
                // The loop stands one further now.
                Some(found) => found.put(graph),
                None => at += 1,
            }
        }
    }
}

/// A variable that a loop turns, and what it computes of its components.
struct Turned {
    variable: Id,
    node: Id,
    body: Block,
    /// Where it is set in front of the loop, and to what.
    set: (Block, usize),
    parts: [Option<Component>; 4],
}

impl Turned {
    fn of(graph: &Graph, (block, at): (Block, usize), body: Block) -> Option<Turned> {
        let turns = graph.items(body).iter().enumerate();
        turns.into_iter().find_map(|(turn, item)| {
            let &Item::Assign(variable, parts) = item else { return None };
            let copy = copy(graph, &parts);
            let of = |c: Component| copy.map_or(c, |id| graph.node(id).args[0][usize::from(c.part)]);
            let is_own = |(i, part): (usize, &Option<Component>)| {
                let is_there = i < usize::from(graph.node(variable).width);
                let is_turned = |c: Component| c.node() == Some(variable) && !c.neg;
                part.is_some() == is_there && part.is_none_or(|c| !c.neg && is_turned(of(c)))
            };
            if !parts.iter().enumerate().all(is_own) {
                return None;
            }
            let set = setting(graph, (block, at), variable)?;
            let &Item::Assign(_, parts) = &graph.items(block)[set] else { return None };
            let node = only_reader(graph, (body, turn), variable, copy)?;
            Some(Turned { variable, node, body, set: (block, set), parts })
        })
    }

    fn put(self, graph: &mut Graph) {
        let (variable, node, parts) = (self.variable, graph.node(self.node).clone(), self.parts);
        let (Some(op), width) = (node.op, graph.node(variable).width) else { return };
        let all: [Components; 3] = node.args.map(|arg| {
            let of = arg[0];
            std::array::from_fn(|i| match parts[i].filter(|_| of.node() == Some(variable)) {
                Some(part) => Component { neg: part.neg ^ of.neg, ..part },
                None => of,
            })
        });
        let made = graph.add(op, width, &all, node.span);
        graph.node_mut(made).exact = node.exact;
        let (block, set) = self.set;
        let made_part = |i: usize| parts[i].map(|_| Component::new(Base::Node(made), i as u8));
        graph.items_mut(block)[set] = Item::Assign(variable, std::array::from_fn(made_part));
        graph.items_mut(block).insert(set, Item::Node(made));
        graph.items_mut(self.body).retain(|item| item.node() != Some(self.node));
        let read = node.uses().find(|c| c.node() == Some(variable)).map_or(0, |c| c.part);
        graph.each_component(|component| {
            if component.base == Base::Node(self.node) {
                (component.base, component.part) = (Base::Node(variable), read);
            }
        });
    }
}

/// Where a variable is set in front of a loop that turns it, and nowhere else.
fn setting(graph: &Graph, (block, at): (Block, usize), variable: Id) -> Option<usize> {
    let is_set = |item: &Item| matches!(item, Item::Assign(id, _) if *id == variable);
    let count = graph.blocks.iter().flatten().filter(|item| is_set(item)).count();
    graph.items(block)[..at].iter().rposition(is_set).filter(|_| count == 2)
}

/// The copy that a variable is set to.
fn copy(graph: &Graph, parts: &[Option<Component>; 4]) -> Option<Id> {
    let id = parts.iter().flatten().next()?.node()?;
    let is_one = parts.iter().flatten().all(|c| c.node() == Some(id));
    (is_one && graph.node(id).op == Some(Op::Mov)).then_some(id)
}

/// The instruction of one component that is all that reads a variable, but for the copy that turns it, in front of where
/// it is turned, if numbers and what a program only reads are its other operands.
fn only_reader(graph: &Graph, (body, turn): (Block, usize), variable: Id, copy: Option<Id>) -> Option<Id> {
    let reads = |id: Id| Some(id) != copy && graph.node(id).uses().any(|c| c.node() == Some(variable));
    let in_items = |item: &Item, of: Id| match item {
        Item::Output(_, parts) | Item::Assign(_, parts) => {
            parts.iter().flatten().any(|c| c.node() == Some(of))
        }
        _ => false,
    };
    let mut readers = graph.blocks.iter().flatten().filter_map(Item::instruction).filter(|id| reads(*id));
    let (node, None) = (readers.next()?, readers.next()) else { return None };
    let is_turn = |item: &Item| matches!(item, Item::Assign(id, _) if *id == variable);
    let mut others = graph.blocks.iter().flatten().filter(|item| !is_turn(item));
    let is_told = graph.addresses.iter().any(|c| c.node() == Some(variable));
    let (before, behind) = graph.items(body).split_at(turn);
    let stands = before.iter().any(|item| item.node() == Some(node));
    let of = graph.node(node);
    let is_given = |c: Component| {
        let is_fixed = matches!(c.base, Base::Const(_) | Base::Input(_) | Base::Uniform(_, Index::None));
        c.node() == Some(variable) || is_fixed
    };
    let is_plain = of.is_each() && of.width == 1 && of.uses().all(is_given);
    let is_over = behind.iter().all(|item| matches!(item, Item::Assign(..)) && !in_items(item, node));
    let is_free = !is_told && stands && is_plain && is_over && !others.any(|item| in_items(item, variable));
    is_free.then_some(node)
}
