//! Packing: instructions that do the same to single components become one.

use super::state::{Gather, Key};
use crate::compile::graph::{Base, Component, Components, Id, Item, commutes, operands};
use crate::compile::schedule::homes::Ordered;
use crate::isa::Op;

/// Instructions behind one that are tried with it.
const NEAR: usize = 24;

impl Gather<'_> {
    /// Packs what writes the same output register.
    pub(super) fn pack_outputs(&mut self, order: &Ordered) {
        for register in 0..16 {
            let writers: Vec<Id> = order
                .iter()
                .filter_map(|(_, item)| match item {
                    Item::Node(id) if self.homes.out(*id).is_some_and(|o| o.register == register) => {
                        Some(*id)
                    }
                    _ => None,
                })
                .collect();
            self.pack_all(&writers);
        }
    }

    /// Packs indices of the block two by two: one MOVA loads both if they stand in one register.
    pub(super) fn pack_addresses(&mut self) {
        let addresses: Vec<Component> = self.graph.addresses.iter().map(|a| self.resolve(*a)).collect();
        let here = |component: &Component| {
            let id = component.node().filter(|id| self.block_of[*id as usize] == self.block);
            id.filter(|id| self.graph.node(*id).op.is_some())
        };
        let nodes: Vec<Id> = addresses.iter().filter_map(here).collect();
        for pair in nodes.chunks(2) {
            if let &[a, b] = pair
                && a != b
                && !self.pack_all(&[a, b])
                && !self.are_ordered(a, b)
            {
                self.unite(&[Key::Web(self.homes.web(a), false), Key::Web(self.homes.web(b), false)]);
            }
        }
    }

    /// Packs instructions that do the same and that nothing reads together, once operands are settled.
    pub(super) fn pack_alike(&mut self, order: &Ordered) -> bool {
        let ids = order.iter().filter_map(|(_, item)| item.node());
        let is_free = |id: &Id| {
            self.packed[*id as usize].is_none()
                && self.homes.out(*id).is_none()
                && self.homes.variable(*id).is_none()
                && self.graph.node(*id).is_each()
                && self.graph.node(*id).op != Some(Op::Mov)
        };
        let free: Vec<Id> = ids.filter(is_free).collect();
        let mut any = false;
        for (i, a) in free.iter().enumerate() {
            any |= self.pack_all_with(*a, &free[i + 1..(i + 1 + NEAR).min(free.len())]);
        }
        any
    }

    fn pack_all_with(&mut self, a: Id, others: &[Id]) -> bool {
        let mut any = false;
        for &b in others {
            if a != b && self.packed[a as usize].is_none() && self.packed[b as usize].is_none() {
                any |= self.pack(a, b);
            }
        }
        any
    }

    /// Packs what can be packed of some nodes.
    pub(super) fn pack_all(&mut self, nodes: &[Id]) -> bool {
        let mut any = false;
        for (i, &a) in nodes.iter().enumerate() {
            any |= self.pack_all_with(a, &nodes[i + 1..]);
        }
        any
    }

    /// Makes one instruction of two that do the same, if that saves a word.
    pub(super) fn pack(&mut self, a: Id, b: Id) -> bool {
        let (x, y) = (self.graph.node(a), self.graph.node(b));
        let (Some(op), width) = (x.op, x.width + y.width) else { return false };
        let here = |id: Id| self.block_of[id as usize] == self.block;
        if y.op != Some(op) || !x.is_each() || width > 4 || !here(a) || !here(b) {
            return false;
        }
        if !self.homes.could_join(a, b) || self.are_ordered(a, b) {
            return false;
        }
        let (x, y) = (self.resolved(a), self.resolved(b));
        let crossed = [y[1], y[0], y[2]];
        let apart = self.cost(op, &x, self.graph.node(a).width) + self.cost(op, &y, self.graph.node(b).width);
        let (m, n) = (self.graph.node(a).width, self.graph.node(b).width);
        let joined = |y: &[Components; 3]| {
            let mut all = x;
            for (to, from) in all.iter_mut().zip(y) {
                for i in 0..usize::from(n) {
                    to[usize::from(m) + i] = from[i];
                }
            }
            all
        };
        let straight = joined(&y);
        let mut best = (self.cost(op, &straight, width), straight);
        if commutes(op) {
            let other = joined(&crossed);
            let cost = self.cost(op, &other, width);
            if cost < best.0 {
                best = (cost, other);
            }
        }
        if best.0 > apart || !self.graph.decisions.take() {
            return false;
        }
        let node = self.graph.node_mut(a);
        (node.args, node.width) = (best.1, width);
        self.packed[b as usize] = Some((a, m));
        self.counts[a as usize] += self.counts[b as usize];
        self.homes.join(a, b, m, n);
        true
    }

    pub(super) fn resolved(&self, id: Id) -> [Components; 3] {
        self.graph.node(id).args.map(|arg| arg.map(|component| self.resolve(component)))
    }

    /// Words that the operands of an instruction cost: moves to gather components, and copies where
    /// it reads too many uniforms or inputs.
    pub(super) fn cost(&self, op: Op, args: &[Components; 3], width: u8) -> usize {
        let (mut moves, mut uniforms) = (0, 0);
        let mut inputs: Vec<u8> = Vec::new();
        for arg in &args[..operands(op)] {
            let components = &arg[..usize::from(width)];
            let keys = self.keys(components);
            moves += self.gathering(&keys);
            match keys[..] {
                [Key::Uniform(..) | Key::Const] => uniforms += 1,
                [Key::Input(v, _)] if !inputs.contains(&v) => inputs.push(v),
                _ => {}
            }
        }
        moves + usize::saturating_sub(uniforms, 1) + inputs.len().saturating_sub(1)
    }

    /// Moves that bring keys into one register.
    pub(super) fn gathering(&self, keys: &[Key]) -> usize {
        if keys.len() <= 1 {
            return 0;
        }
        let best = [false, true].map(|sign| {
            let webs: Vec<u32> = keys
                .iter()
                .filter_map(|k| match k {
                    Key::Web(web, neg) if *neg == sign => Some(*web),
                    _ => None,
                })
                .collect();
            if self.homes.fit(&webs) { webs.len() } else { usize::from(!webs.is_empty()) }
        });
        let joined = best[0].max(best[1]);
        let numbers = keys.contains(&Key::Const) && keys.len() > 1;
        let webs = keys.iter().filter_map(|k| match k {
            Key::Web(web, false) => Some(*web),
            _ => None,
        });
        let free =
            numbers && joined > 0 && webs.into_iter().any(|web| self.number_copy(web, 1, u32::MAX).is_some());
        keys.len() - joined - usize::from(free)
    }

    /// An instruction that puts numbers into a web, and can put `more` numbers there for what stands
    /// at a time.
    pub(super) fn number_copy(&self, web: u32, more: usize, at: u32) -> Option<Id> {
        let is_number = |component: &Component| matches!(component.base, Base::Const(_));
        self.homes.members(web).iter().copied().find(|&id| {
            let node = self.graph.node(id);
            let n = usize::from(node.width);
            node.op == Some(Op::Mov)
                && self.packed[id as usize].is_none()
                // What sets a variable does so at its own time.
                && self.homes.variable(id).is_none_or(|(_, when)| when < at && self.block_of[id as usize] == self.block)
                && node.args[0][..n].iter().all(is_number)
                && n + more <= 4
                && self.homes.room(web) >= more
                && (self.block_of[id as usize] == self.block || self.is_around(self.block_of[id as usize]))
        })
    }
}
