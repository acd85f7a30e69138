//! What uniforms and coefficient registers are held for.

use crate::abi::link::Binding;

/// Where the address of a buffer is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Buffer {
    pub(super) first: u16,
    /// How many, if it is an array of them.
    pub(super) count: Option<u16>,
}

/// Where coefficients are.
#[derive(Clone, Debug, Default)]
pub(super) struct Coefficients {
    pub(super) bindings: Vec<Binding>,
    next: u16,
}

impl Coefficients {
    /// Coefficient registers for some components of a slot.
    pub(super) fn hold(&mut self, binding: Binding) -> u16 {
        let same = |b: &&Binding| (b.slot, b.offset) == (binding.slot, binding.offset);
        if let Some(known) = self.bindings.iter().find(same) {
            return known.base;
        }
        let base = self.next;
        self.next += u16::from(binding.count);
        self.bindings.push(Binding { base, ..binding });
        base
    }
}
