//! Registers set by name between two instructions, for who looks at a vertex step by step.

use chiaro_sim::Given;
use chiaro_sim::change::apart;

use super::registers::Register;
use super::run::Machine;

/// What [`Machine::set_register`] takes, for messages.
pub const SETTABLE: &str = "a component of v, r, o or c (`r0.x`), `a0.x`, `a0.y`, `cmp.x` or `cmp.y`";

impl Machine {
    /// Sets a component of lane 0, as steps spell it: `r0.x`, `c4.w`; a float uniform in all lanes. What it
    /// holds then, `None` if nothing is called so. A row that was fetched by an index stays fetched until an
    /// address register changes.
    pub fn set_register(&mut self, name: &str, value: Given) -> Option<u32> {
        match name {
            "a0.x" => Some(self.set_address(0, value.int())),
            "a0.y" => Some(self.set_address(1, value.int())),
            "cmp.x" => Some(self.set_flag(0, value.truth())),
            "cmp.y" => Some(self.set_flag(1, value.truth())),
            _ => self.set_component(name, value.float()),
        }
    }

    fn set_component(&mut self, name: &str, bits: u32) -> Option<u32> {
        let (bank, number, component) = apart(name)?;
        let (n, component) = (u8::try_from(number).ok()?, usize::from(component?));
        let bits = self.program.number(f32::from_bits(bits));
        let register = match bank {
            "v" => Register::Input(n),
            "r" => Register::Temporary(n),
            "o" => Register::Output(n),
            "c" if n < 96 => {
                let mut row = *self.state.tables[0].row(n.into());
                row[component] = bits;
                self.set_row(n, row);
                return Some(bits);
            }
            _ => return None,
        };
        let slot = (n < 16).then(|| self.program.regs.quad(register)[component])?;
        self.state.lanes_mut(slot).0[0] = bits;
        Some(bits)
    }

    /// An address register and what indexing by it adds: 0 outside of -128..=127 (section 10).
    fn set_address(&mut self, number: usize, bits: u32) -> u32 {
        let regs = &self.program.regs;
        let (value, added) = (regs.a[number], regs.offset[number]);
        let is_near = (-128..128).contains(&(bits as i32));
        self.state.lanes_mut(value).0[0] = bits;
        self.state.lanes_mut(added).0[0] = if is_near { bits } else { 0 };
        bits
    }

    fn set_flag(&mut self, number: usize, truth: bool) -> u32 {
        let slot = self.program.regs.cmp[number];
        self.state.lanes_mut(slot).0[0] = u32::from(truth).wrapping_neg();
        truth.into()
    }
}
