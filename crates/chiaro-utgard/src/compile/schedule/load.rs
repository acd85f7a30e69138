//! Operands: loaded by a port of the same instruction, or demanded of earlier ones.

use super::attempt::{Pending, Scheduler};
use super::slot::Input;
use crate::compile::graph::{Node, Source};
use crate::isa::selector::Select;
use crate::regs::{IDENT, UNIFORMS};

impl Scheduler<'_> {
    /// An operand: loaded in the same instruction, or demanded of earlier ones.
    pub(super) fn operand(&mut self, at: u32, field: Input, node: Node) -> Option<()> {
        let selector = match self.source(node) {
            Some(source) => self.loaded(at, field, source).or_else(|| self.kept_at_home(at, field, node)),
            None => self.kept_at_home(at, field, node),
        };
        match selector {
            Some(selector) => self.slots[at as usize].read(field, selector),
            None if self.patient && self.source(node).is_some() => return None,
            None => self.demand(Pending { node, at, field }),
        }
        Some(())
    }

    /// The selector of a value that this instruction can load.
    pub(super) fn loaded(&mut self, at: u32, field: Input, source: Source) -> Option<u32> {
        let slot = &mut self.slots[at as usize];
        match source {
            Source::Constant(bits) => {
                if field.ident() == Some(bits) {
                    return Some(IDENT);
                }
                self.constant(at, bits)
            }
            Source::Uniform(address, component) => {
                slot.port2(address).then_some(Select::Load(component).first())
            }
            Source::Temporary(..) | Source::Indexed(..) => self.loaded_from_memory(at, source),
            Source::Attribute(index, component) => {
                if slot.port0(true, index) {
                    return Some(Select::Port0 { component, back: 0 }.first());
                }
                let before = self.slots.get_mut(at as usize + 1).filter(|_| at < self.now + 4)?;
                before.port0(true, index).then_some(Select::Port0 { component, back: 1 }.first())
            }
            Source::Register(index, component) => {
                let name = (index, component);
                let left = self.stores_left.iter().find(|(other, _)| *other == name).map_or(0, |&(_, n)| n);
                if left > u32::from(self.storing == Some((index, component))) {
                    return None;
                }
                slot.register(index, component)
            }
        }
    }

    /// The selector of a value that is kept in a register.
    fn kept_at_home(&mut self, at: u32, field: Input, node: Node) -> Option<u32> {
        let state = self.nodes[node.0 as usize];
        let (index, component) = state.home.filter(|_| state.is_at_home)?;
        let selector = self.slots[at as usize].register(index, component)?;
        self.home_journal.push((node, state.uses));
        let instruction = at as u16;
        self.nodes[node.0 as usize].uses = (state.uses.0.min(instruction), state.uses.1.max(instruction));
        self.at_home.push(Pending { node, at, field });
        Some(selector)
    }

    /// A constant from uniform memory; which vec4 it stands in is ours to choose.
    fn constant(&mut self, at: u32, bits: u32) -> Option<u32> {
        let from = self.around.constants_from;
        let vector = match self.slots[at as usize].memory() {
            Some(address) => usize::from(address.checked_sub(from)?),
            None => self.vector_for(|row| row.contains(&Some(bits)), |row| row.contains(&None)),
        };
        if usize::from(from) + vector >= UNIFORMS {
            return None;
        }
        if vector == self.constants.len() {
            self.constants.push([None; 4]);
        }
        let row = self.constants.get_mut(vector)?;
        let component = match row.iter().position(|&known| known == Some(bits)) {
            Some(component) => component,
            None => {
                let component = row.iter().position(Option::is_none)?;
                row[component] = Some(bits);
                self.journal.push((vector, component));
                component
            }
        };
        self.slots[at as usize].port2(from + vector as u16).then_some(Select::Load(component as u8).first())
    }

    /// The first row that is right, else the first that can be made right, else a new one.
    fn vector_for(
        &self,
        is_right: impl Fn(&[Option<u32>; 4]) -> bool,
        has_room: impl Fn(&[Option<u32>; 4]) -> bool,
    ) -> usize {
        let rows = &self.constants;
        let right = rows.iter().position(is_right);
        right.or_else(|| rows.iter().position(has_room)).unwrap_or(rows.len())
    }

    /// The limits of a clamp stand in x and y of this instruction's vec4.
    pub(super) fn limits(&mut self, low: u32, high: u32) -> Option<()> {
        let from = self.around.constants_from;
        let wanted = [low, high];
        let fits = |row: &[Option<u32>; 4]| (0..2).all(|i| row[i].is_none_or(|known| known == wanted[i]));
        let is_right = |row: &[Option<u32>; 4]| (0..2).all(|i| row[i] == Some(wanted[i]));
        let vector = match self.slots[self.now as usize].memory() {
            Some(address) => usize::from(address.checked_sub(from)?),
            None => self.vector_for(is_right, fits),
        };
        if vector == self.constants.len() {
            self.constants.push([None; 4]);
        }
        let row = self.constants.get_mut(vector).filter(|row| fits(row))?;
        for i in 0..2 {
            if row[i].is_none() {
                row[i] = Some(wanted[i]);
                self.journal.push((vector, i));
            }
        }
        self.slots[self.now as usize].port2(from + vector as u16).then_some(())
    }
}
