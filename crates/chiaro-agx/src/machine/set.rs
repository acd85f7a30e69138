//! Registers set by name between two instructions, for who looks at a SIMD-group step by step.

use chiaro_sim::{Changes, Given};

use super::pending::each;
use super::simdgroup::{SimdGroup, general};
use super::trace::Named;
use crate::regs::{GPR_HALVES, LANES, UNIFORM_HALVES, file, size};

/// What [`can_set`] holds for, for messages.
pub const SETTABLE: &str =
    "a register or half of one (`r1`, `r1l`, `r1h`), or a uniform (`u0`, `u0l`, `u0h`)";

/// Whether a name is that of a register that can be set.
#[must_use]
pub fn can_set(name: &str) -> bool {
    halves(name).is_some()
}

/// The file, the first half and the number of halves of a register.
fn halves(name: &str) -> Option<(u8, u16, u16)> {
    let (in_file, most) = match name.as_bytes().first()? {
        b'r' => (file::GPR, GPR_HALVES),
        b'u' => (file::UNIFORM, UNIFORM_HALVES),
        _ => return None,
    };
    let rest = &name[1..];
    let (number, part, count) = match rest.strip_suffix('l') {
        Some(number) => (number, 0, 1),
        None => rest.strip_suffix('h').map_or((rest, 0, 2), |number| (number, 1, 1)),
    };
    let first = number.parse::<u16>().ok()?.checked_mul(2)? + part;
    (first < most).then_some((in_file, first, count))
}

impl SimdGroup {
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
            let Some((in_file, first, count)) = halves(&change.register) else { continue };
            let bits = of_form(change.value, count);
            for (n, bits) in (0..count).zip([bits as u16, (bits >> 16) as u16]) {
                match in_file {
                    file::UNIFORM => self.set_uniform(first + n, bits),
                    _ => self.set_half(first + n, change.lane % LANES as usize, bits),
                }
            }
            let held = match in_file {
                file::UNIFORM => vec![bits],
                _ => (0..LANES as usize).map(|lane| self.word_of(first, count, lane)).collect(),
            };
            set.push((change.register, held));
        }
        set
    }

    /// A register of one half or two in a lane.
    fn word_of(&self, first: u16, count: u16, lane: usize) -> u32 {
        let word = self.word(first / 2).0[lane];
        if count == 2 { word } else { word >> (16 * (first & 1)) & 0xffff }
    }

    /// Sets a half in a lane; what is on its way to it is the same from now on.
    fn set_half(&mut self, half: u16, lane: usize, bits: u16) {
        self.counted |= half == 0;
        if let Some(defined) = &mut self.defined {
            defined.write(half, 1 << lane);
        }
        let slot = self.compiled.uops.slot(general(half / 2));
        put(&mut self.state.lanes_mut(slot).0[lane], half & 1, bits);
        for pending in &mut self.pending {
            for (r, value) in each(pending.run).zip(&mut pending.values) {
                let part = half.checked_sub(r.index).filter(|part| *part < u16::from(r.size.min(size::WORD)));
                if let Some(part) = part.filter(|_| r.file == file::GPR) {
                    put(&mut value.0[lane], part, bits);
                }
            }
        }
    }
}

/// The bits of a value for a register of one half or two.
fn of_form(value: Given, halves: u16) -> u32 {
    if halves == 1 { value.half() } else { value.float() }
}

/// Puts half a word into a word.
fn put(word: &mut u32, half: u16, bits: u16) {
    let shift = 16 * u32::from(half & 1);
    *word = *word & !(0xffff << shift) | u32::from(bits) << shift;
}
