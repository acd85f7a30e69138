//! Values that take the place of what they are computed of, where nothing else reads that.
//!
//! ```text
//! n1.xyz = mul {-1 1 0}, v0.yyy           -> w.xyz
//! n2.xy  = mad n1.xy, c4.yx, n0.xy        -> w.xy, where n1.xy stood
//! n3.x   = dph {n2.x n2.y n1.z}, c0.xyzw
//! ```
//!
//! Five components do not fit one register, but of these three are alive at a time. True before: a component that is
//! overwritten was read by nothing but the instruction that writes there, of the same block.

use super::state::{Gather, Key};
use crate::compile::graph::{Component, Cond, Id, Item};
use crate::isa::Op;

/// How far back values are followed that each take the place of the one before.
const DEPTH: u32 = 6;

impl Gather<'_> {
    /// Puts a web of one instruction into another one that it does not fit beside, over what it reads there.
    pub(super) fn overwrite(&mut self, keys: &[Key]) -> bool {
        let webs = || {
            keys.iter().filter_map(|key| if let Key::Web(web, neg) = key { Some((*web, *neg)) } else { None })
        };
        for (a, x) in webs() {
            for (b, _) in webs().filter(|(b, y)| *b != a && *y == x) {
                let &[id] = self.homes.members(b) else { continue };
                if self.homes.fit(&[a, b]) {
                    continue;
                }
                if let Some(slots) = self.slots_over(id, a, DEPTH)
                    && self.graph.decisions.take()
                {
                    slots.into_iter().for_each(|(id, slots)| self.homes.put_over(id, a, slots));
                    return true;
                }
            }
        }
        false
    }

    /// The slots of a web that an instruction, and what it is computed of, can take over.
    fn slots_over(&self, id: Id, web: u32, depth: u32) -> Option<Vec<(Id, [u8; 4])>> {
        let node = self.graph.node(id);
        let is_own = self.homes.is_alone(id)
            && self.homes.out(id).is_none()
            && self.block_of[id as usize] == self.block;
        if depth == 0
            || !is_own
            || matches!(node.op, None | Some(Op::Mov | Op::Cmp))
            || self.packed[id as usize].is_some()
        {
            return None;
        }
        let mut read: Vec<Component> = Vec::new();
        for component in node.uses().map(|c| self.resolve(c).plain()) {
            if component.node().is_some() && !read.contains(&component) {
                read.push(component);
            }
        }
        read.retain(|component| self.only_reader(*component) == Some(id));
        let direct = |component: &Component| {
            component.node().is_some_and(|of| self.homes.web(of) == web && self.may_go(of))
        };
        let mut free = read.iter().filter(|c| direct(c));
        let mut slots = [0; 4];
        let mut is_full = true;
        for slot in &mut slots[..usize::from(node.width)] {
            match free.next() {
                Some(c) => *slot = self.homes.slot(c.node()?, c.part),
                None => is_full = false,
            }
        }
        if is_full {
            return Some(vec![(id, slots)]);
        }
        // A chain of values of the same width, the first of which stands there.
        let is_whole = |of: &Id| {
            let own = read.iter().filter(|c| c.node() == Some(*of)).count();
            self.graph.node(*of).width == node.width && own == usize::from(node.width)
        };
        read.iter().filter_map(|c| c.node()).filter(is_whole).find_map(|of| {
            let mut chain = self.slots_over(of, web, depth - 1)?;
            let (_, slots) = *chain.last()?;
            chain.push((id, slots));
            Some(chain)
        })
    }

    /// Whether a value is gone once it has been read: copies may be read again by what is still to be gathered.
    fn may_go(&self, id: Id) -> bool {
        let is_value = !matches!(self.graph.node(id).op, None | Some(Op::Mov));
        is_value && self.homes.variable(id).is_none() && self.block_of[id as usize] == self.block
    }

    /// The only instruction that reads a component; nothing where something else does.
    fn only_reader(&self, component: Component) -> Option<Id> {
        let is_it = |c: Component| self.resolve(c).plain() == component;
        if self.graph.addresses.iter().any(|c| is_it(*c)) {
            return None;
        }
        let mut found = None;
        for id in (0..self.graph.nodes.len() as Id).filter(|id| self.packed[*id as usize].is_none()) {
            let is_placed = self.block_of[id as usize] != crate::compile::graph::Block::MAX;
            if is_placed && self.graph.node(id).uses().any(is_it) && found.replace(id).is_some() {
                return None;
            }
        }
        let elsewhere = self.graph.blocks.iter().flatten().any(|item| match item {
            Item::Output(_, parts) | Item::Assign(_, parts) => parts.iter().flatten().any(|c| is_it(*c)),
            Item::If(Cond::Flags(..), ..) | Item::Break(Cond::Flags(..)) | Item::Node(_) => false,
            _ => false,
        });
        found.filter(|_| !elsewhere)
    }
}
