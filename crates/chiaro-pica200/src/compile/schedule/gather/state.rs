//! What gathering knows while it goes through the blocks.

use crate::compile::graph::{Base, Block, Component, Components, Graph, Id, Index, Item};
use crate::compile::schedule::homes::{Homes, Ordered};
use crate::compile::tactic::Tactic;
use crate::isa::Op;
use std::collections::HashMap;

/// What can be named by one operand together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Key {
    /// Numbers, whatever their signs.
    Const,
    Input(u8, bool),
    Uniform(u8, Index, bool),
    Web(u32, bool),
}

pub(super) struct Gather<'g> {
    pub(super) graph: &'g mut Graph,
    pub(super) homes: Homes,
    pub(super) counts: Vec<u32>,
    /// The block that each node is in.
    pub(super) block_of: Vec<Block>,
    /// The block around each block.
    pub(super) parents: Vec<Option<Block>>,
    /// Nodes that were packed into others: where their components are.
    pub(super) packed: Vec<Option<(Id, u8)>>,
    /// Bundles that were moved together in the block at hand.
    pub(super) moved: HashMap<Vec<Component>, Components>,
    /// New instructions of the block at hand.
    pub(super) fresh: Ordered,
    pub(super) block: Block,
    /// When the EMITs of the block at hand stand.
    pub(super) emits: Vec<u32>,
    /// When each instruction of the block at hand stood.
    pub(super) times: HashMap<Id, u32>,
    /// When the block at hand first sets each variable.
    pub(super) first_set: HashMap<Id, u32>,
    pub(super) tactic: Tactic,
}

impl Gather<'_> {
    pub(super) fn add(&mut self, at: u32, op: Op, width: u8, args: &[Components], like: Option<Id>) -> Id {
        let span = like.and_then(|id| self.graph.node(id).span);
        let id = self.graph.add(op, width, args, span);
        self.homes.grow(self.graph);
        self.counts.push(1);
        self.packed.push(None);
        self.block_of.push(self.block);
        self.fresh.push((at, Item::Node(id)));
        self.times.insert(id, at);
        id
    }

    pub(super) fn resolve(&self, mut component: Component) -> Component {
        follow(&self.packed, &mut component);
        component
    }

    /// What has to be there before a component can be read: the index of what is indexed, else itself.
    pub(super) fn needed(&self, component: Component) -> Component {
        match component.base {
            Base::Uniform(_, Index::Address(k)) => {
                self.graph.addresses.get(usize::from(k)).map_or(component, |address| self.resolve(*address))
            }
            _ => self.resolve(component),
        }
    }

    pub(super) fn key(&self, component: Component) -> Option<Key> {
        match component.base {
            Base::Undef => None,
            Base::Const(_) => Some(Key::Const),
            Base::Input(v) => Some(Key::Input(v, component.neg)),
            Base::Uniform(c, index) => Some(Key::Uniform(c, index, component.neg)),
            Base::Node(id) => Some(Key::Web(self.homes.web(id), component.neg)),
        }
    }

    pub(super) fn keys(&self, components: &[Component]) -> Vec<Key> {
        let mut keys = Vec::with_capacity(4);
        for key in components.iter().filter_map(|l| self.key(*l)) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    /// The EMIT that takes what is written at a time.
    pub(super) fn emit_behind(&self, at: u32) -> u32 {
        self.emits.iter().copied().find(|emit| *emit > at).unwrap_or(u32::MAX)
    }

    /// Whether a node needs another one of its block, in as far as a bounded search can tell: a
    /// variable that something inside this block sets counts as needing everything.
    pub(super) fn depends(&self, id: Id, on: Id) -> bool {
        self.waits(id, on, |variable, _| self.is_set_inside(variable))
    }

    /// Whether two nodes cannot be one instruction, since one needs the other. A variable that this block has set
    /// counts as well: what reads it waits for what sets it, which may need the other node.
    pub(super) fn are_ordered(&self, a: Id, b: Id) -> bool {
        let is_set = |variable, reader| self.is_set_inside(variable) || self.is_set_before(variable, reader);
        self.waits(a, b, is_set) || self.waits(b, a, is_set)
    }

    /// Whether a node needs another one of its block, or a variable that, where it is read, counts as needing all.
    fn waits(&self, id: Id, on: Id, is_set: impl Fn(Id, Id) -> bool) -> bool {
        if self.homes.out(on).is_some() {
            return false; // Outputs are not read.
        }
        let mut open = vec![(id, id)];
        let mut seen = Vec::new();
        while let Some((id, reader)) = open.pop() {
            if id == on || seen.len() > 96 {
                return true;
            }
            let node = self.graph.node(id);
            if node.op.is_none() && is_set(id, reader) {
                return true;
            }
            if seen.contains(&id) {
                continue;
            }
            seen.push(id);
            let here =
                |id: &Id| self.graph.node(*id).op.is_none() || self.block_of[*id as usize] == self.block;
            let used = node.uses().filter_map(|l| self.needed(l).node()).filter(here);
            open.extend(used.map(|used| (used, id)));
        }
        false
    }

    /// Whether a variable that a node reads was set in the block at hand before: the node waits for that.
    fn is_set_before(&self, variable: Id, reader: Id) -> bool {
        let read = self.times.get(&reader).copied().unwrap_or(u32::MAX);
        self.first_set.get(&variable).is_some_and(|set| *set < read)
    }

    /// Whether a construct in the block at hand sets a variable.
    pub(super) fn is_set_inside(&self, variable: Id) -> bool {
        self.homes.setters(variable).iter().any(|block| self.is_inside(*block))
    }

    /// Whether a block is within the one at hand, and is not that one.
    pub(super) fn is_inside(&self, block: Block) -> bool {
        let mut at = self.parents.get(block as usize).copied().flatten();
        while let Some(block) = at {
            if block == self.block {
                return true;
            }
            at = self.parents[block as usize];
        }
        false
    }

    /// Whether the block at hand is within another one.
    pub(super) fn is_around(&self, block: Block) -> bool {
        let mut at = self.parents.get(self.block as usize).copied().flatten();
        while let Some(around) = at {
            if around == block {
                return true;
            }
            at = self.parents[around as usize];
        }
        false
    }

    /// Whether each operand of a node names one place, as the machine wants it.
    pub(super) fn is_gathered(&self, id: Id) -> bool {
        let node = self.graph.node(id);
        let one = |k: usize| {
            let components: Vec<Component> =
                node.args[k][..node.reads(k)].iter().map(|l| self.resolve(*l)).collect();
            self.keys(&components).len() <= 1
        };
        self.packed[id as usize].is_some() || (0..3).all(one)
    }
}

pub(super) fn follow(packed: &[Option<(Id, u8)>], component: &mut Component) {
    while let Base::Node(id) = component.base
        && let Some(Some((to, off))) = packed.get(id as usize)
    {
        (component.base, component.part) = (Base::Node(*to), component.part + off);
    }
}

pub(super) fn distinct_components(components: &[Component], which: impl Fn(Component) -> bool) -> usize {
    let mut seen: Vec<Component> = Vec::with_capacity(4);
    for component in components.iter().filter(|l| l.base != Base::Undef && which(**l)) {
        if !seen.contains(component) {
            seen.push(*component);
        }
    }
    seen.len()
}
