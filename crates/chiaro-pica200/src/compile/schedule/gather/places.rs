//! Outputs and variables are written by what computes them, or by copies.

use super::state::Gather;
use crate::compile::graph::{Base, Component, Components, Id, Index};
use crate::compile::schedule::homes::Out;
use crate::isa::Op;

impl Gather<'_> {
    /// Whether a node can write the components where the only thing that reads it wants them.
    pub(super) fn is_direct(&self, id: Id) -> bool {
        let node = self.graph.node(id);
        node.op.is_some_and(|op| op != Op::Cmp)
            && self.counts[id as usize] == 1
            && self.block_of[id as usize] == self.block
            && self.homes.out(id).is_none()
            && self.homes.is_alone(id)
    }

    /// Whether an instruction may write an output at a time: it may have to wait for an EMIT,
    /// which what reads variables cannot.
    pub(super) fn may_wait(&self, id: Id, at: u32) -> bool {
        let is_variable = |component: Component| match component.base {
            Base::Node(id) => self.graph.node(id).op.is_none(),
            Base::Uniform(_, Index::Address(k)) => {
                let address = self.graph.addresses.get(usize::from(k));
                address
                    .and_then(|component| component.node())
                    .is_some_and(|id| self.graph.node(id).op.is_none())
            }
            _ => false,
        };
        let stood = self.times.get(&id).copied().unwrap_or(at);
        self.emit_behind(stood) == self.emit_behind(at) || !self.graph.node(id).uses().any(is_variable)
    }

    /// An output is written by what computes it, or by copies, one for each place that its
    /// components come from.
    pub(super) fn output(&mut self, at: u32, register: u8, parts: [Option<Component>; 4]) {
        let emit = self.emit_behind(at);
        for (base, neg, components) in groups(&parts) {
            let direct = match base {
                Base::Node(id)
                    if !neg && self.is_direct(id) && !twice(&parts, id) && self.may_wait(id, at) =>
                {
                    Some(id)
                }
                _ => None,
            };
            match direct {
                Some(id) => {
                    self.homes
                        .set_out(id, Out { register, emit, from: components.map(|l| l.map(|l| l.part)) });
                }
                None => {
                    let (width, args, from) = packed_components(&components);
                    let like = parts.iter().flatten().find_map(|l| l.node());
                    let id = self.add(at, Op::Mov, width, &[args], like);
                    self.homes.set_out(id, Out { register, emit, from });
                }
            }
        }
    }

    /// The same for a variable.
    pub(super) fn assign(&mut self, at: u32, variable: Id, parts: [Option<Component>; 4]) {
        for (base, neg, components) in groups(&parts) {
            let direct = match base {
                Base::Node(id)
                    if !neg && self.is_direct(id) && self.once(id, &components) && !twice(&parts, id) =>
                {
                    Some(id)
                }
                _ => None,
            };
            if let Some(id) = direct
                && self.may_write(id, variable, &components)
            {
                self.homes.set_variable(id, variable, components.map(|l| l.map(|l| l.part)), at);
                continue;
            }
            let (width, args, from) = packed_components(&components);
            let id = self.add(at, Op::Mov, width, &[args], None);
            self.homes.set_variable(id, variable, from, at);
        }
    }

    /// Whether each component of a node is named exactly once.
    pub(super) fn once(&self, id: Id, components: &[Option<Component>; 4]) -> bool {
        let width = self.graph.node(id).width;
        (0..width).all(|k| components.iter().flatten().filter(|l| l.part == k).count() == 1)
    }

    /// Whether nothing that reads what a variable held before needs the node that sets it.
    pub(super) fn may_write(&self, id: Id, variable: Id, components: &[Option<Component>; 4]) -> bool {
        let written = |component: &Component| {
            component.node() == Some(variable) && components[usize::from(component.part)].is_some()
        };
        let reads = |other: Id| self.graph.node(other).uses().any(|l| written(&self.needed(l)));
        // Another node that sets a variable in this block must not wait for this one and the
        // other way round: one of them reading the other's variable is enough to keep apart.
        // What only turns its own variable waits for nothing.
        let is_turn = |other: Id, v: Id| {
            let is_own = |of: Id| of == v;
            self.graph.node(other).uses().all(|l| self.needed(l).node().is_none_or(is_own))
        };
        let crossed = |other: Id| {
            self.homes.variable(other).is_some_and(|(v, _)| {
                let reads_it = || self.graph.node(id).uses().any(|l| self.needed(l).node() == Some(v));
                v != variable && reads_it() && !is_turn(other, v)
            })
        };
        let here = |other: Id| self.block_of[other as usize] == self.block;
        let inside = |other: Id| self.is_inside(self.block_of[other as usize]);
        (0..self.graph.nodes.len() as Id).filter(|o| *o != id).all(|other| {
            let reads = reads(other);
            !(reads && inside(other))
                && !(reads
                    && here(other)
                    && (self.depends(other, id) || self.homes.variable(other).is_some()))
                && !(here(other) && crossed(other))
        })
    }
}

/// Parts by where they come from: one base and one sign each; numbers stay together.
pub(super) fn groups(parts: &[Option<Component>; 4]) -> Vec<(Base, bool, [Option<Component>; 4])> {
    let mut groups: Vec<(Base, bool, [Option<Component>; 4])> = Vec::new();
    for (i, component) in parts.iter().enumerate() {
        let Some(component) = component else { continue };
        let is_number = |b: Base| matches!(b, Base::Const(_) | Base::Undef);
        let same = |g: &&mut (Base, bool, _)| {
            is_number(g.0) && is_number(component.base) || g.0 == component.base && g.1 == component.neg
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.2[i] = Some(*component),
            None => {
                let mut components = [None; 4];
                components[i] = Some(*component);
                groups.push((component.base, component.neg, components));
            }
        }
    }
    groups
}

/// Whether a node is named with both signs.
pub(super) fn twice(parts: &[Option<Component>; 4], id: Id) -> bool {
    let named = |neg: bool| parts.iter().flatten().any(|l| l.node() == Some(id) && l.neg == neg);
    named(false) && named(true)
}

/// Components one behind the other, and which of them each place takes.
pub(super) fn packed_components(components: &[Option<Component>; 4]) -> (u8, Components, [Option<u8>; 4]) {
    let (mut args, mut from, mut n) = ([Component::UNDEF; 4], [None; 4], 0u8);
    for (i, component) in components.iter().enumerate() {
        if let Some(component) = component {
            args[usize::from(n)] = *component;
            from[i] = Some(n);
            n += 1;
        }
    }
    (n, args, from)
}
