//! Operands: webs of their components are united where one register holds them, else moves are made.

use super::state::{Gather, Key, distinct_components, follow};
use crate::compile::graph::{Base, Component, Id};
use crate::isa::Op;

impl Gather<'_> {
    /// Gathers the components of each operand of a node.
    pub(super) fn operands(&mut self, at: u32, id: Id) {
        if self.packed[id as usize].is_some() {
            return;
        }
        for k in 0..3 {
            let n = self.graph.node(id).reads(k);
            if n == 0 {
                continue;
            }
            let mut components = self.graph.node(id).args[k].map(|component| self.resolve(component));
            self.bundle(at, id, &mut components[..n]);
            self.graph.node_mut(id).args[k] = components;
        }
    }

    pub(super) fn bundle(&mut self, at: u32, id: Id, components: &mut [Component]) {
        for _ in 0..8 {
            let keys = self.keys(components);
            if keys.len() <= 1 {
                return;
            }
            let nodes = distinct(components);
            if self.pack_all(&nodes) || self.unite(&keys) || self.overwrite(&keys) {
                components.iter_mut().for_each(|component| follow(&self.packed, component));
                continue;
            }
            break;
        }
        if self.keys(components).len() > 1 {
            self.move_together(at, id, components);
        }
    }

    /// Gives two webs of the same sign a common register.
    pub(super) fn unite(&mut self, keys: &[Key]) -> bool {
        for (i, a) in keys.iter().enumerate() {
            for b in &keys[i + 1..] {
                if let (Key::Web(a, x), Key::Web(b, y)) = (a, b)
                    && x == y
                    && a != b
                    && self.homes.fit(&[*a, *b])
                    && self.graph.decisions.take()
                    && self.homes.unite(*a, *b)
                {
                    return true;
                }
            }
        }
        false
    }

    /// Copies components to where the most of them are, or to a register of their own.
    pub(super) fn move_together(&mut self, at: u32, id: Id, components: &mut [Component]) {
        if let Some(known) = self.moved.get(components) {
            components.copy_from_slice(&known[..components.len()]);
            return;
        }
        let before = components.to_vec();
        let keys = self.keys(components);
        let count = |key: &Key| components.iter().filter(|l| self.key(**l) == Some(*key)).count();
        let room = |key: &&Key| match key {
            Key::Web(web, false) => {
                let others = distinct_components(components, |l| self.key(l) != Some(**key));
                self.homes.room(*web) >= others
            }
            _ => false,
        };
        let target = keys.iter().filter(room).max_by_key(|k| count(k)).copied();
        let mut web = target.map(|k| match k {
            Key::Web(web, _) => web,
            _ => 0,
        });
        for key in keys.iter().filter(|k| Some(**k) != target) {
            let mut from: Vec<Component> = Vec::new();
            for component in components.iter().filter(|l| self.key(**l) == Some(*key)) {
                if !from.contains(component) {
                    from.push(*component);
                }
            }
            if *key == Key::Const
                && let Some(known) = web.and_then(|web| self.number_copy(web, from.len(), at))
            {
                self.more_numbers(known, &from, components);
                continue;
            }
            let mut args = [Component::UNDEF; 4];
            args[..from.len()].copy_from_slice(&from);
            let copy = self.add(at - 1, Op::Mov, from.len() as u8, &[args], Some(id));
            for component in components.iter_mut() {
                if let Some(part) = from.iter().position(|f| f == component) {
                    *component = Component::new(Base::Node(copy), part as u8);
                }
            }
            match web {
                Some(known) => {
                    self.homes.unite(known, self.homes.web(copy));
                    web = Some(self.homes.web(copy));
                }
                None => web = Some(self.homes.web(copy)),
            }
        }
        let mut all = [Component::UNDEF; 4];
        all[..components.len()].copy_from_slice(components);
        self.moved.insert(before, all);
    }

    /// Has an instruction that puts numbers into a register put some more there.
    pub(super) fn more_numbers(&mut self, id: Id, numbers: &[Component], components: &mut [Component]) {
        for number in numbers {
            let node = self.graph.node_mut(id);
            let part = node.width;
            node.args[0][usize::from(part)] = *number;
            node.width += 1;
            self.homes.add_component(id, part);
            for component in components.iter_mut().filter(|component| **component == *number) {
                *component = Component::new(Base::Node(id), part);
            }
        }
    }
}

/// The nodes of some components, each once.
fn distinct(components: &[Component]) -> Vec<Id> {
    let mut nodes = Vec::with_capacity(4);
    for id in components.iter().filter_map(|l| l.node()) {
        if !nodes.contains(&id) {
            nodes.push(id);
        }
    }
    nodes
}
