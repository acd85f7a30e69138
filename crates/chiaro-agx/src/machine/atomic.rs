//! Atomics (spec 8.4): lanes at one place follow one another in ascending order.

use chiaro_isa::Reg;
use chiaro_sim::Lanes;

use super::access::Access;
use super::fault::FaultKind;
use super::group::Shared;
use super::simdgroup::SimdGroup;
use crate::regs::size;

/// What is stored where `old` was; `None` for codes that nobody knows. Of an exchange that compares, `a` is
/// the new value and `b` the expected one.
fn stored(code: i64, old: u32, a: u32, b: u32) -> Option<u32> {
    let signed = |x: u32| x as i32;
    Some(match code {
        0 => old.wrapping_add(a),
        1 => old.wrapping_sub(a),
        2 => a,
        3 if old == b => a,
        3 => old,
        4 => old.min(a),
        5 => signed(old).min(signed(a)) as u32,
        6 => old.max(a),
        7 => signed(old).max(signed(a)) as u32,
        8 => old & a,
        9 => old | a,
        10 => old ^ a,
        _ => return None,
    })
}

impl SimdGroup {
    pub(super) fn atomic(&mut self, access: &Access, code: i64, shared: &mut Shared<'_>) {
        let Some(operand) = access.operand else { return };
        if stored(code, 0, 0, 0).is_none() {
            return self.stop(FaultKind::Unknown(format!("atomic {code}")));
        }
        let (first, second) =
            (Reg { more: 0, ..operand }, Reg { more: 0, index: operand.index + 2, ..operand });
        let mut before = Lanes::ZERO;
        for lane in self.running() {
            let at = self.place(access, lane);
            let (a, b) = (self.read(first, lane) as u32, self.read(second, lane) as u32);
            let old = self.read_bytes(access.space, at, 4, lane, shared) as u32;
            before.0[lane] = old;
            let new = stored(code, old, a, b).unwrap_or(old);
            self.write_bytes(access.space, at, 4, new.into(), lane, shared);
        }
        let Some(result) = access.data else { return };
        match access.slot {
            Some(slot) => self.bring(slot, Reg { size: size::WORD, ..result }, vec![before]),
            None => self.write_run(Reg { more: 0, ..result }, &[before]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::stored;

    /// Old and operand are -1 and 1, or, without a sign, the greatest number and 1 (spec 8.4).
    #[test]
    fn numbers_have_a_sign_or_none() {
        let minus = u32::MAX;
        let rows = [(4, 1), (5, minus), (6, minus), (7, 1), (0, 0), (1, minus - 1), (2, 1)];
        for (code, expected) in rows {
            assert_eq!(stored(code, minus, 1, 0), Some(expected), "{code}");
        }
        assert_eq!([stored(3, 5, 9, 5), stored(3, 5, 9, 4)], [Some(9), Some(5)]);
        assert_eq!([8, 9, 10, 11].map(|code| stored(code, 12, 10, 0)), [Some(8), Some(14), Some(6), None]);
    }
}
