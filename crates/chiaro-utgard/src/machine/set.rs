//! Registers set by name between two instructions, for who looks at a vertex step by step.

use chiaro_sim::change::apart;
use chiaro_sim::{Given, Slot};

use super::program::Layout;
use super::run::Machine;
use crate::regs::{BANK, UNIFORMS};

/// What [`Machine::can_set`] holds for, for messages.
pub const SETTABLE: &str = "a component of a register (`$0.x`), attribute (`a0.x`), output (`v0.x`) or uniform (`t[0].x`), or `addr1` to `addr3`";

/// A place that can be set.
enum Place {
    Slot(Slot),
    Uniform(usize, u16),
}

impl Machine {
    /// Whether a name is that of a register that can be set. Results of units are on wires, and no registers.
    #[must_use]
    pub fn can_set(&self, name: &str) -> bool {
        self.place(name).is_some()
    }

    /// Sets a register in lane 0 and tells what it holds then, with its slot: a store of it that has not taken
    /// effect has to be given up.
    pub(super) fn set_register(&mut self, name: &str, value: Given) -> Option<(u32, Option<Slot>)> {
        match self.place(name)? {
            Place::Slot(slot) => {
                let bits = if name.starts_with("addr") { value.int() } else { value.float() };
                self.state.lanes_mut(slot).0[0] = bits;
                Some((bits, Some(slot)))
            }
            Place::Uniform(row, component) => {
                let bits = value.float();
                self.store_temporary(0, row as i32, component as u8, bits);
                if let Some(slot) = self.uniform_slot(row) {
                    self.state.lanes_mut(slot.at(component)).0[0] = bits;
                }
                Some((bits, None))
            }
        }
    }

    fn place(&self, name: &str) -> Option<Place> {
        let (bank, number, component) = apart(name)?;
        let layout = self.layout();
        let first = match (bank, component) {
            ("addr", None) => {
                return (1..4).contains(&number).then(|| Place::Slot(layout.addresses.at(number)));
            }
            ("t", Some(component)) => {
                let row = usize::from(number);
                return (row < UNIFORMS).then_some(Place::Uniform(row, component));
            }
            ("$", _) => layout.registers,
            ("a", _) => layout.attributes,
            ("v", _) => layout.outputs,
            _ => return None,
        };
        let slot = Layout::part(first, number.into(), component?.into());
        (usize::from(number) < BANK).then_some(Place::Slot(slot))
    }
}
