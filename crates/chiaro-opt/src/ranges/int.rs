//! Transfer functions for integers.

use super::Ranges;
use chiaro_ir::{Constants, Def, Function, Inst, Op, Types, Value};

/// What an integer can be, read as a signed number of its width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntRange {
    /// At least this.
    pub low: i64,
    /// At most this.
    pub high: i64,
}

impl IntRange {
    /// Every number of a width in bits.
    pub fn of_width(width: u8) -> IntRange {
        let high = i64::MAX >> (64 - u32::from(width.clamp(1, 64)));
        IntRange { low: -high - 1, high }
    }

    /// Never negative: signed and unsigned readings agree.
    pub fn is_natural(self) -> bool {
        self.low >= 0
    }

    pub(super) fn number(bits: u64, width: u8) -> IntRange {
        let unused = 64 - u32::from(width.clamp(1, 64));
        let x = (bits << unused) as i64 >> unused;
        IntRange { low: x, high: x }
    }

    pub(super) fn join(self, other: IntRange) -> IntRange {
        IntRange { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The range if it lies within a width, else all of the width: it may have wrapped.
    fn fit(low: Option<i64>, high: Option<i64>, width: u8) -> IntRange {
        let all = IntRange::of_width(width);
        match (low, high) {
            (Some(low), Some(high)) if low >= all.low && high <= all.high => IntRange { low, high },
            _ => all,
        }
    }

    /// All ones up to the highest bit of the larger bound, for what is natural.
    fn ones(self, other: IntRange) -> i64 {
        let most = self.high.max(other.high) as u64;
        (u64::MAX.checked_shr(most.leading_zeros()).unwrap_or(0)) as i64
    }
}

/// What the result of an instruction can be: each family of operations says it of its own, and
/// what none of them knows is any number of the width.
pub(super) fn result(
    ranges: &Ranges,
    types: &Types,
    constants: &Constants,
    f: &Function,
    inst: Inst,
    op: Op,
) -> IntRange {
    let args = f.args(inst);
    let bits = |v: Value| types.bits(f.ty(v)).unwrap_or(64);
    let width = f.result_of(inst).map_or(64, bits);
    let at = |i: usize| args.get(i).map_or(IntRange::of_width(width), |&v| ranges.int(v, bits(v)));
    let known = match op {
        Op::LShr | Op::AShr | Op::Shl => amount(constants, f, args, width)
            .map_or_else(|| unknown_shift(op, at(0)), |n| shift(op, at(0), n, width)),
        Op::SExt | Op::ZExt => extension(op, at(0), bits(args[0]), width),
        Op::FToS => Some(converted(ranges, args, width)),
        Op::Select => Some(at(1).join(at(2))),
        Op::Construct | Op::Insert(_) if args.iter().all(|&v| types.is_int(f.ty(v))) => {
            Some((1..args.len()).fold(at(0), |all, i| all.join(at(i))))
        }
        Op::Extract(_) if types.is_int(f.ty(args[0])) => Some(at(0)),
        Op::Shuffle(parts) if !parts.contains(&255) => Some(at(0).join(at(1))),
        _ => arithmetic(op, at(0), at(1), width)
            .or_else(|| bound(op, at(0), at(1)))
            .or_else(|| remainder(op, at(0), at(1)))
            .or_else(|| bitwise(op, at(0), at(1), width)),
    };
    known.unwrap_or(IntRange::of_width(width))
}

/// Sums, differences, products: they wrap, so bounds that do not fit say nothing.
fn arithmetic(op: Op, a: IntRange, b: IntRange, width: u8) -> Option<IntRange> {
    let (low, high) = match op {
        Op::IAdd => (a.low.checked_add(b.low), a.high.checked_add(b.high)),
        Op::ISub => (a.low.checked_sub(b.high), a.high.checked_sub(b.low)),
        Op::IMul if a.is_natural() && b.is_natural() => {
            (a.low.checked_mul(b.low), a.high.checked_mul(b.high))
        }
        _ => return None,
    };
    Some(IntRange::fit(low, high, width))
}

/// The smaller and the larger of two. Unsigned ones agree with signed ones for natural numbers.
fn bound(op: Op, a: IntRange, b: IntRange) -> Option<IntRange> {
    let natural = a.is_natural() && b.is_natural();
    Some(match op {
        Op::SMin => IntRange { low: a.low.min(b.low), high: a.high.min(b.high) },
        Op::SMax => IntRange { low: a.low.max(b.low), high: a.high.max(b.high) },
        Op::UMin if natural => IntRange { low: a.low.min(b.low), high: a.high.min(b.high) },
        // The natural one is the smaller of the two, or the other is smaller still.
        Op::UMin if a.is_natural() => IntRange { low: 0, high: a.high },
        Op::UMin if b.is_natural() => IntRange { low: 0, high: b.high },
        Op::UMax if natural => IntRange { low: a.low.max(b.low), high: a.high.max(b.high) },
        _ => return None,
    })
}

/// Quotients and remainders by what is positive.
fn remainder(op: Op, a: IntRange, b: IntRange) -> Option<IntRange> {
    if b.low <= 0 {
        return None;
    }
    Some(match op {
        Op::UDiv if a.is_natural() => IntRange { low: a.low / b.high, high: a.high / b.low },
        Op::URem | Op::SMod => IntRange { low: 0, high: b.high - 1 },
        Op::SRem if a.is_natural() => IntRange { low: 0, high: b.high - 1 },
        Op::SRem => IntRange { low: 1 - b.high, high: b.high - 1 },
        _ => return None,
    })
}

/// Bits by themselves, carries, and the numbers of bits.
fn bitwise(op: Op, a: IntRange, b: IntRange, width: u8) -> Option<IntRange> {
    Some(match op {
        Op::And if a.is_natural() || b.is_natural() => {
            let high = |r: IntRange| if r.is_natural() { r.high } else { i64::MAX };
            IntRange { low: 0, high: high(a).min(high(b)) }
        }
        Op::Or | Op::Xor if a.is_natural() && b.is_natural() => IntRange { low: 0, high: a.ones(b) },
        Op::ISign => IntRange { low: -1, high: 1 },
        Op::UAddCarry | Op::USubBorrow => IntRange { low: 0, high: 1 },
        Op::BitCount => IntRange { low: 0, high: i64::from(width) },
        Op::FindLsb | Op::FindUMsb | Op::FindSMsb => IntRange { low: -1, high: i64::from(width) - 1 },
        _ => return None,
    })
}

/// Shifts by a known number of bits.
fn shift(op: Op, a: IntRange, n: u32, width: u8) -> Option<IntRange> {
    Some(match op {
        Op::LShr if n == 0 => return None,
        Op::LShr if a.is_natural() => IntRange { low: a.low >> n, high: a.high >> n },
        Op::LShr => IntRange { low: 0, high: ((1u64 << (u32::from(width) - n)) - 1) as i64 },
        Op::AShr => IntRange { low: a.low >> n, high: a.high >> n },
        _ if n < 63 => IntRange::fit(a.low.checked_mul(1 << n), a.high.checked_mul(1 << n), width),
        _ => return None,
    })
}

/// An arithmetic shift goes towards zero, however far.
fn unknown_shift(op: Op, a: IntRange) -> Option<IntRange> {
    (op == Op::AShr).then(|| IntRange { low: a.low.min(0), high: a.high.max(0) })
}

/// Extensions from a number of bits to a width.
fn extension(op: Op, a: IntRange, from: u8, width: u8) -> Option<IntRange> {
    match op {
        Op::SExt if from <= width => Some(a),
        Op::ZExt if a.is_natural() && from <= width => Some(a),
        Op::ZExt if from < width => Some(IntRange { low: 0, high: ((1u64 << from) - 1) as i64 }),
        _ => None,
    }
}

/// The number of bits that a constant shifts by.
fn amount(constants: &Constants, f: &Function, args: &[Value], width: u8) -> Option<u32> {
    let Def::Constant(c) = f.def(*args.get(1)?) else { return None };
    Some((constants.bits(c)? % u64::from(width.max(1))) as u32)
}

/// Towards zero, saturated; NaN gives 0.
fn converted(ranges: &Ranges, args: &[Value], width: u8) -> IntRange {
    let (all, x) = (IntRange::of_width(width), ranges.float(args[0]));
    let (low, high) = ((x.low as i64).max(all.low), (x.high as i64).min(all.high));
    if x.nan { IntRange { low: low.min(0), high: high.max(0) } } else { IntRange { low, high } }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: u8 = 4;

    /// What an operation makes of two numbers of four bits, before it wraps; nothing where it is undefined.
    fn exact(op: Op, a: i64, b: i64) -> Option<i64> {
        let [ua, ub] = [a, b].map(|x| x & 15);
        Some(match op {
            Op::IAdd => a + b,
            Op::ISub => a - b,
            Op::IMul => a * b,
            Op::SMin => a.min(b),
            Op::SMax => a.max(b),
            Op::UMin => ua.min(ub),
            Op::UMax => ua.max(ub),
            Op::UDiv => ua.checked_div(ub)?,
            Op::URem => ua.checked_rem(ub)?,
            Op::SRem => a.checked_rem(b)?,
            // It has the sign of the divisor. [SPIR-V, OpSMod]
            Op::SMod => (a.checked_rem(b)? + b) % b,
            Op::And => a & b,
            Op::Or => a | b,
            Op::Xor => a ^ b,
            Op::ISign => a.signum(),
            Op::BitCount => ua.count_ones().into(),
            Op::FindLsb if a == 0 => -1,
            Op::FindLsb => a.trailing_zeros().into(),
            _ => return None,
        })
    }

    fn range(op: Op, a: IntRange, b: IntRange) -> Option<IntRange> {
        let others = || bound(op, a, b).or_else(|| remainder(op, a, b)).or_else(|| bitwise(op, a, b, WIDTH));
        arithmetic(op, a, b, WIDTH).or_else(others)
    }

    const OPS: [Op; 17] = [
        Op::IAdd,
        Op::ISub,
        Op::IMul,
        Op::SMin,
        Op::SMax,
        Op::UMin,
        Op::UMax,
        Op::UDiv,
        Op::URem,
        Op::SRem,
        Op::SMod,
        Op::And,
        Op::Or,
        Op::Xor,
        Op::ISign,
        Op::BitCount,
        Op::FindLsb,
    ];

    /// All ranges between some numbers of four bits.
    fn ranges() -> impl Iterator<Item = IntRange> + Clone {
        const ENDS: [i64; 8] = [-8, -7, -2, -1, 0, 1, 3, 7];
        let from = |low| move |high| IntRange { low, high };
        ENDS.into_iter().flat_map(move |low| ENDS.into_iter().filter(move |high| low <= *high).map(from(low)))
    }

    #[test]
    fn ranges_hold_what_comes_of_all_their_numbers() {
        for (op, a) in OPS.into_iter().flat_map(|op| ranges().map(move |a| (op, a))) {
            for (b, result) in ranges().filter_map(|b| Some((b, range(op, a, b)?))) {
                let pairs = (a.low..=a.high).flat_map(|x| (b.low..=b.high).map(move |y| (x, y)));
                for (x, y) in pairs {
                    let Some(number) = exact(op, x, y) else { continue };
                    let number = IntRange::number(number as u64, WIDTH).low;
                    let holds = result.low <= number && number <= result.high;
                    assert!(holds, "{op:?} of {x} in {a:?} and {y} in {b:?}: {number}, {result:?}");
                }
            }
        }
    }

    /// Where nothing wraps, a range is not larger than it has to be.
    #[test]
    fn ranges_say_what_can_be_known() {
        for (op, a, b, wanted) in [
            (Op::IAdd, (-8, 3), (0, 4), (-8, 7)),
            (Op::ISub, (0, 3), (1, 3), (-3, 2)),
            (Op::IMul, (1, 2), (2, 3), (2, 6)),
            (Op::IMul, (0, 7), (0, 1), (0, 7)),
            (Op::SMin, (-3, 5), (-1, 2), (-3, 2)),
            (Op::SMax, (-3, 1), (-1, 2), (-1, 2)),
            (Op::UMin, (2, 5), (1, 3), (1, 3)),
            (Op::UMin, (2, 5), (-1, 3), (0, 5)),
            (Op::UMin, (-1, 3), (2, 5), (0, 5)),
            (Op::UMax, (2, 5), (1, 3), (2, 5)),
            (Op::UDiv, (4, 7), (1, 2), (2, 7)),
            (Op::URem, (-8, 7), (1, 5), (0, 4)),
            (Op::SMod, (-8, 7), (1, 5), (0, 4)),
            (Op::SRem, (0, 7), (1, 5), (0, 4)),
            (Op::SRem, (-1, 7), (1, 5), (-4, 4)),
            (Op::And, (0, 3), (-8, 7), (0, 3)),
            (Op::And, (-8, 7), (0, 3), (0, 3)),
            (Op::Or, (0, 2), (0, 1), (0, 3)),
            (Op::Xor, (0, 4), (0, 1), (0, 7)),
        ] {
            let [a, b, wanted] = [a, b, wanted].map(|(low, high)| IntRange { low, high });
            assert_eq!(range(op, a, b), Some(wanted), "{op:?} of {a:?} and {b:?}");
        }
    }
}
