//! Loads and stores of temporaries, and address registers. spec section 9.

use super::attempt::Scheduler;
use super::memory::Store;
use super::slot::Input;
use crate::compile::graph::{Data, Node, Operand, Place, Source};
use crate::isa::Complex;
use crate::isa::selector::{Select, Unit};
use crate::regs::NO_OFFSET;

impl Scheduler<'_> {
    /// The selector of a component of memory that this instruction can load.
    pub(super) fn loaded_from_memory(&mut self, at: u32, source: Source) -> Option<u32> {
        let (address, known, component, register) = match source {
            Source::Temporary(address, component) => (address, Some(address.into()), component, None),
            Source::Indexed(address, component, register) => (address, None, component, Some(register)),
            _ => return None,
        };
        let waits = |s: &Store| s.touches(known, component) && !self.nodes[s.node.0 as usize].placed;
        if self.memory.stores.iter().any(waits) {
            return None;
        }
        let slot = &mut self.slots[at as usize];
        if !slot.port2_behind(address, register.map_or(NO_OFFSET, u32::from)) {
            return None;
        }
        if let Some(register) = register {
            let from = &mut self.set_from[usize::from(register & 3)];
            *from = (*from).max(at + Complex::set_address(register).window().0);
        }
        Some(Select::Load(component).first())
    }

    /// Sets an address register, once all loads through it are done.
    pub(super) fn address(&mut self, data: &Data, register: u8) -> Option<()> {
        let number = usize::from(register & 3);
        let is_open = |node: &Node| {
            let state = &self.nodes[node.0 as usize];
            state.waiting > 0 || self.kept.contains(node) || self.pending.iter().any(|p| p.node == *node)
        };
        if self.now < self.set_from[number] || self.memory.loads[number].iter().any(is_open) {
            return None;
        }
        let slot = self.slot();
        if slot.has(Unit::Complex) {
            return None;
        }
        slot.take(Unit::Complex);
        slot.set(Complex::FIELD, Complex::set_address(register).opcode());
        self.operand(self.now, Input::COMPLEX_A, data.args()[0].node)
    }

    /// Whether a node stores a temporary, and what is stored to the same place later in the program is
    /// not placed: it stays later.
    pub(super) fn waits_for_store(&self, node: Node) -> bool {
        let stores = &self.memory.stores;
        let Ok(at) = stores.binary_search_by_key(&node, |store| store.node) else { return false };
        let Store { known, component, .. } = stores[at];
        let is_later = |s: &Store| !self.nodes[s.node.0 as usize].placed && s.touches(known, component);
        stores[at + 1..].iter().any(is_later)
    }

    /// Whether this instruction can store at the address of a temporary.
    pub(super) fn has_address(&self, node: Node) -> bool {
        let [_, address] = self.graph.get(node).args() else { return false };
        self.slots[self.now as usize].can_address(address.node)
    }

    /// Stores a temporary.
    pub(super) fn store_temporary(&mut self, data: &Data, component: u8) -> Option<()> {
        let &[_, Operand { node: address, .. }] = data.args() else { return None };
        if self.slot().address(address)? {
            self.operand(self.now, Input::COMPLEX_A, address)?;
        }
        self.store(data, Place::Temporary(component))
    }
}
