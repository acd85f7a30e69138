//! What atomic operations leave in memory (spec sections 8.1 and 8.3).

/// An atomic operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Atomic {
    Swap,
    /// Stores the first operand where the second one is there.
    CompareSwap,
    CompareSwapFloat,
    Add,
    Sub,
    /// The operand minus what is there.
    SubReverse,
    /// Stops at zero.
    SubStop,
    MinS,
    MinU,
    MaxS,
    MaxU,
    And,
    Or,
    Xor,
    /// Up to the operand, then zero.
    Inc,
    /// Down from the operand.
    Dec,
    /// Clears the bits of the first operand, sets those of the second one.
    MaskOr,
    MinFloat,
    MaxFloat,
    AddFloat,
    /// Minus the first operand if that is not above it, else plus the second one.
    Wrap,
    /// Words of which the highest bit is set, without it; the others stay.
    Conditional,
}

/// Operations of buffers, images and flat addresses, from their first number on.
const BY_NUMBER: [Atomic; 17] = [
    Atomic::Swap,
    Atomic::CompareSwap,
    Atomic::Add,
    Atomic::Sub,
    Atomic::SubStop,
    Atomic::MinS,
    Atomic::MinU,
    Atomic::MaxS,
    Atomic::MaxU,
    Atomic::And,
    Atomic::Or,
    Atomic::Xor,
    Atomic::Inc,
    Atomic::Dec,
    Atomic::CompareSwapFloat,
    Atomic::MinFloat,
    Atomic::MaxFloat,
];

impl Atomic {
    /// The operation of a number from 0x30 (words) or 0x50 (pairs) on, with its bytes.
    pub(super) fn by_number(op: u32) -> Option<(Atomic, usize)> {
        let at = op.checked_sub(0x30)?;
        let atomic = BY_NUMBER.get((at & 31) as usize)?;
        (at < 64).then_some((*atomic, if at < 32 { 4 } else { 8 }))
    }

    /// Whether it has two operands.
    pub(super) fn compares(self) -> bool {
        matches!(self, Atomic::CompareSwap | Atomic::CompareSwapFloat | Atomic::MaskOr | Atomic::Wrap)
    }

    /// What is stored where `old` was, of so many bytes.
    pub(super) fn stored(self, size: usize, old: u64, a: u64, b: u64) -> u64 {
        let unused = 64 - 8 * size as u32;
        let signed = |x: u64| (x << unused) as i64 >> unused;
        let float = |x: u64| if size == 4 { f64::from(f32::from_bits(x as u32)) } else { f64::from_bits(x) };
        // The operand where something holds, else what was there.
        let taken = |holds: bool| if holds { a } else { old };
        let new = match self {
            Atomic::Swap => a,
            Atomic::CompareSwap => taken(old == b),
            Atomic::CompareSwapFloat => taken(float(old) == float(b)),
            Atomic::Add => old.wrapping_add(a),
            Atomic::Sub => old.wrapping_sub(a),
            Atomic::SubReverse => a.wrapping_sub(old),
            Atomic::SubStop => old.saturating_sub(a),
            Atomic::MinS => taken(signed(a) < signed(old)),
            Atomic::MaxS => taken(signed(a) > signed(old)),
            Atomic::MinU => a.min(old),
            Atomic::MaxU => a.max(old),
            Atomic::And => old & a,
            Atomic::Or => old | a,
            Atomic::Xor => old ^ a,
            Atomic::Inc if old >= a => 0,
            Atomic::Inc => old + 1,
            Atomic::Dec if old == 0 || old > a => a,
            Atomic::Dec => old - 1,
            Atomic::MaskOr => old & !a | b,
            Atomic::MinFloat => taken(float(a) < float(old)),
            Atomic::MaxFloat => taken(float(a) > float(old)),
            Atomic::AddFloat if size == 4 => {
                (f32::from_bits(old as u32) + f32::from_bits(a as u32)).to_bits().into()
            }
            Atomic::AddFloat => (f64::from_bits(old) + f64::from_bits(a)).to_bits(),
            Atomic::Wrap if old >= a => old - a,
            Atomic::Wrap => old.wrapping_add(b),
            Atomic::Conditional => {
                let word = |n: u32| match (a >> n) as u32 {
                    set if set >> 31 == 1 => u64::from(set & 0x7fff_ffff) << n,
                    _ => old & (0xffff_ffff << n),
                };
                word(0) | word(32)
            }
        };
        new & (u64::MAX >> unused)
    }
}

#[cfg(test)]
mod tests {
    use super::Atomic as A;

    const MINUS: u64 = 0xffff_ffff;

    /// Spec section 8.1, at the borders of each operation: what is there, both operands, what is stored.
    #[test]
    fn words_are_stored_as_the_table_says() {
        let float = |x: f32| u64::from(x.to_bits());
        let rows = [
            (A::Swap, 1, 2, 0, 2),
            (A::CompareSwap, 1, 2, 1, 2),
            (A::CompareSwap, 1, 2, 3, 1),
            (A::CompareSwapFloat, float(0.0), 2, float(-0.0), 2),
            (A::CompareSwapFloat, float(f32::NAN), 2, float(f32::NAN), float(f32::NAN)),
            (A::Add, MINUS, 3, 0, 2),
            (A::Sub, 1, 3, 0, MINUS - 1),
            (A::SubReverse, 1, 3, 0, 2),
            (A::SubStop, 1, 3, 0, 0),
            (A::SubStop, 3, 1, 0, 2),
            (A::MinS, 1, MINUS, 0, MINUS),
            (A::MaxS, 1, MINUS, 0, 1),
            (A::MinU, 1, MINUS, 0, 1),
            (A::MaxU, 1, MINUS, 0, MINUS),
            (A::And, 12, 10, 0, 8),
            (A::Or, 12, 10, 0, 14),
            (A::Xor, 12, 10, 0, 6),
            (A::Inc, 4, 5, 0, 5),
            (A::Inc, 5, 5, 0, 0),
            (A::Inc, MINUS, MINUS, 0, 0),
            (A::Dec, 5, 5, 0, 4),
            (A::Dec, 6, 5, 0, 5),
            (A::Dec, 0, 5, 0, 5),
            (A::MaskOr, 15, 6, 16, 25),
            (A::MinFloat, float(1.0), float(-2.0), 0, float(-2.0)),
            (A::MinFloat, float(1.0), float(f32::NAN), 0, float(1.0)),
            (A::MaxFloat, float(1.0), float(-2.0), 0, float(1.0)),
            (A::AddFloat, float(1.5), float(2.0), 0, float(3.5)),
            (A::Wrap, 5, 5, 7, 0),
            (A::Wrap, 4, 5, 7, 11),
        ];
        for (operation, old, a, b, stored) in rows {
            assert_eq!(operation.stored(4, old, a, b), stored, "{operation:?} {old:x} {a:x} {b:x}");
        }
    }

    #[test]
    fn pairs_are_as_wide_as_they_are() {
        assert_eq!(A::Add.stored(8, MINUS, 3, 0), MINUS + 3);
        assert_eq!(A::MinS.stored(8, 1, MINUS, 0), 1);
        assert_eq!(A::MinS.stored(8, 1, u64::MAX, 0), u64::MAX);
        assert_eq!(A::AddFloat.stored(8, 1.5f64.to_bits(), 2.0f64.to_bits(), 0), 3.5f64.to_bits());
    }
}
