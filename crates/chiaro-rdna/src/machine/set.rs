//! Registers set by name between two instructions, for who looks at a wave step by step.

use chiaro_isa::Cursor;
use chiaro_sim::{Changes, Given};

use super::trace::Named;
use super::wave::Wave;
use crate::regs::{code, file, parse};

/// What [`can_set`] holds for, for messages.
pub const SETTABLE: &str = "a vector register (`v0`) or a scalar one (`s0`, `vcc_lo`, `exec_lo`, `m0`)";

/// Whether a name is that of one register that can be set.
#[must_use]
pub fn can_set(name: &str) -> bool {
    register(name).is_some()
}

/// The file and the number of a register that can be set.
fn register(name: &str) -> Option<(u8, u16)> {
    let mut cursor = Cursor::new(name);
    let r = parse(&mut cursor)?;
    let is_one = r.more == 0 && cursor.at() == name.len() && (r.file, r.index) != (file::SGPR, code::NULL);
    is_one.then_some((r.file, r.index))
}

impl Wave {
    /// Sets registers on the way of the next run, whose steps have to be kept.
    pub fn plan(&mut self, changes: Changes) {
        if let Some(trace) = &mut self.trace {
            trace.changes = changes;
        }
    }

    /// Sets what is to be set before the next step, and tells what those registers hold then.
    pub(super) fn change(&mut self) -> Vec<Named> {
        let due = self.trace.as_mut().map(|trace| trace.changes.step()).unwrap_or_default();
        let mut set = Vec::new();
        for change in due {
            let Some(register) = register(&change.register) else { continue };
            self.set_register(register, change.lane, change.value);
            set.push((change.register, self.bits(register)));
        }
        set
    }

    /// Sets a register; a vector register in a lane. What a load still brings is the same from now on.
    fn set_register(&mut self, (in_file, n): (u8, u16), lane: usize, value: Given) {
        let lane = lane % usize::from(self.lanes());
        if in_file == file::VGPR {
            let slot = self.current.uops.vectors.at(n & 255);
            self.halves[lane / 32].lanes_mut(slot).0[lane % 32] = value.float();
        } else {
            self.set_scalar(n, value.int());
        }
        for load in &mut self.pending {
            for (_, values) in load.vectors.iter_mut().filter(|(v, _)| in_file == file::VGPR && *v == n) {
                values[lane / 32].0[lane % 32] = value.float();
            }
            for (_, bits) in load.scalars.iter_mut().filter(|(s, _)| in_file != file::VGPR && *s == n) {
                *bits = value.int();
            }
        }
    }
}
