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
        };
        new & (u64::MAX >> unused)
    }
}
