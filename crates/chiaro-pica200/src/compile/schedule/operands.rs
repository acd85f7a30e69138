//! Operand legalisation: what an instruction cannot encode is copied, with the fewest copies.
//!
//! One operand can be a uniform, because only one field is wide enough, and all operands
//! together can name one input register (spec section 13). What is too much is copied to a
//! temporary; one copy serves all instructions of the block, so that register is chosen which
//! the most instructions have too much of.

use crate::compile::graph::{Base, Component, Graph, Id, Index, Item, operands};
use crate::compile::schedule::homes::{Homes, Ordered};
use crate::isa::Op;
use std::collections::HashMap;

/// A register that can be copied. Numbers are all one: they are copied where there is room for them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Register {
    Input(u8),
    Uniform(u8, Index),
    Numbers,
}

impl Register {
    /// What a component names, if it is neither a temporary nor nothing.
    pub(super) fn of(component: Component) -> Option<Register> {
        match component.base {
            Base::Input(v) => Some(Register::Input(v)),
            Base::Uniform(c, index) => Some(Register::Uniform(c, index)),
            Base::Const(_) => Some(Register::Numbers),
            Base::Undef | Base::Node(_) => None,
        }
    }
}

struct Legal<'g> {
    graph: &'g mut Graph,
    homes: &'g mut Homes,
    /// The copies that the block has.
    copies: HashMap<Register, Vec<Id>>,
    /// How many instructions of the block have too much of a register.
    demand: HashMap<Register, u32>,
    fresh: Ordered,
}

/// Copies what instructions cannot name.
pub(crate) fn legalize_operands(graph: &mut Graph, homes: &mut Homes, blocks: &mut [Ordered]) {
    let (copies, demand) = (HashMap::new(), HashMap::new());
    let mut legal = Legal { graph, homes, copies, demand, fresh: Vec::new() };
    for block in blocks {
        legal.block(block);
    }
}

impl Legal<'_> {
    fn block(&mut self, items: &mut Ordered) {
        self.copies.clear();
        self.demand.clear();
        for (_, item) in items.iter() {
            let Some(id) = item.instruction() else { continue };
            for register in self.excess(id).into_iter().flatten() {
                *self.demand.entry(register).or_default() += 1;
            }
        }
        if self.demand.is_empty() {
            return;
        }
        for (at, item) in items.iter() {
            let Some(id) = item.instruction() else { continue };
            for _ in 0..4 {
                let Some(candidates) = self.excess(id) else { break };
                self.copy_one(*at, id, &candidates);
            }
        }
        items.append(&mut self.fresh);
        items.sort_by_key(|(at, _)| *at);
    }

    /// The registers of which one has to be copied.
    fn excess(&self, id: Id) -> Option<Vec<Register>> {
        let node = self.graph.node(id);
        let op = node.op.filter(|op| operands(*op) > 1)?;
        let registers: Vec<Option<Register>> =
            (0..operands(op)).map(|k| register(&node.args[k][..node.reads(k)])).collect();
        let uniforms: Vec<Register> =
            registers.iter().flatten().filter(|r| !matches!(r, Register::Input(_))).copied().collect();
        if uniforms.len() > 1 {
            return Some(uniforms);
        }
        let mut inputs: Vec<Register> =
            registers.iter().flatten().filter(|r| matches!(r, Register::Input(_))).copied().collect();
        inputs.dedup();
        inputs.windows(2).any(|pair| pair[0] != pair[1]).then_some(inputs)
    }

    /// Copies the candidate that is in demand, or was copied already.
    fn copy_one(&mut self, at: u32, id: Id, candidates: &[Register]) {
        let wanted =
            |r: &&Register| (self.copies.contains_key(*r), self.demand.get(*r).copied().unwrap_or(0));
        let best = candidates.iter().rev().max_by_key(wanted).copied();
        let other = || candidates.iter().copied().find(|r| Some(*r) != best);
        let is_apart = other().is_some();
        let chosen = if is_apart && !self.graph.decisions.take() { other() } else { best };
        let Some(chosen) = chosen else { return };
        let op = self.graph.node(id).op;
        let count = op.map_or(0, operands);
        // Of two operands that are the same uniform, one stays.
        let mut left = candidates.iter().filter(|r| **r == chosen).count();
        let both = !matches!(chosen, Register::Input(_)) && candidates.iter().all(|r| *r == chosen);
        for k in 0..count {
            let n = self.graph.node(id).reads(k);
            if register(&self.graph.node(id).args[k][..n]) != Some(chosen) {
                continue;
            }
            left = left.saturating_sub(1);
            if both && left == 0 {
                break;
            }
            let copy = self.copy_for(at, chosen, id, k);
            for i in 0..n {
                let component = self.graph.node(id).args[k][i];
                if component.base != Base::Undef {
                    let copied = self.copied(copy, component);
                    self.graph.node_mut(id).args[k][i] = copied;
                }
            }
            // CMP reads y whether or not it is asked for; it had better have been written.
            let arg = &mut self.graph.node_mut(id).args[k];
            if op == Some(Op::Cmp) && arg[1].base == Base::Undef {
                arg[1] = arg[0];
            }
        }
    }

    /// The node that copies what an operand names: one that has it or has room for it, else a new one.
    fn copy_for(&mut self, at: u32, register: Register, id: Id, k: usize) -> Id {
        let node = self.graph.node(id);
        let mut wanted: Vec<Component> = Vec::with_capacity(4);
        for component in node.args[k][..node.reads(k)].iter().filter(|l| l.base != Base::Undef) {
            let (source, _) = source(*component);
            if !wanted.contains(&source) {
                wanted.push(source);
            }
        }
        let has_room = |copy: &Id| {
            let copy = self.graph.node(*copy);
            let held = &copy.args[0][..usize::from(copy.width)];
            held.len() + wanted.iter().filter(|l| !held.contains(l)).count() <= 4
        };
        if let Some(&known) = self.copies.get(&register).and_then(|list| list.iter().find(|c| has_room(c))) {
            return known;
        }
        let span = self.graph.node(id).span;
        let copy = self.graph.add(Op::Mov, 0, &[[Component::UNDEF; 4]], span);
        self.homes.grow(self.graph);
        self.fresh.push((at - 1, Item::Node(copy)));
        self.copies.entry(register).or_default().push(copy);
        copy
    }

    /// The copy of a component by a node, which gets it if it does not have it yet.
    fn copied(&mut self, copy: Id, component: Component) -> Component {
        let (source, neg) = source(component);
        let width = usize::from(self.graph.node(copy).width);
        let held = self.graph.node(copy).args[0][..width].iter().position(|l| *l == source);
        let part = held.unwrap_or_else(|| {
            let node = self.graph.node_mut(copy);
            node.args[0][width] = source;
            node.width += 1;
            width
        });
        let width = self.graph.node(copy).width;
        self.homes.widen(copy, width);
        Component { neg, ..Component::new(Base::Node(copy), part as u8) }
    }
}

/// What is copied of a component, and whether its copy is to be negated: numbers are copied with their signs,
/// registers without.
fn source(component: Component) -> (Component, bool) {
    match component.base {
        Base::Const(_) => (component, false),
        _ => (component.plain(), component.neg),
    }
}

/// What an operand names, if it is neither a temporary nor nothing.
fn register(components: &[Component]) -> Option<Register> {
    components.iter().find(|l| l.base != Base::Undef).and_then(|first| Register::of(*first))
}
