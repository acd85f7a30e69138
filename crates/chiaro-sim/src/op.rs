//! The micro-ops: every operation, declared once.
//!
//! A row of `for_each_op!` gives an operation's documentation, its name in
//! listings, its operands with their widths, and what it computes. The opcode
//! enum, the scalar evaluator, the batch kernels, the printer and the law test
//! are all made from these rows.
//!
//! Conventions: operands are `u32`, or `u64` held in two consecutive slots, low
//! half first. Truth is all ones, falsehood zero; any non-zero value is taken
//! as true. Shift distances count modulo the width. Integer arithmetic wraps.
//! Operations of the last group need more than their own lane; their meaning is
//! in `special.rs`.

use crate::arith::{Any, Arith};
use crate::env::FloatEnv;

/// Hands the rows of the vocabulary to the macro `$consumer`.
#[macro_export]
#[doc(hidden)]
macro_rules! for_each_op {
    ($consumer:ident) => {
        $consumer! {
            exact {
                /// The operand itself.
                Mov "mov" (a: u32) -> u32 = a;
                /// Complement.
                Not "not" (a: u32) -> u32 = !a;
                /// Bits set in both.
                And "and" (a: u32, b: u32) -> u32 = a & b;
                /// Bits set in either.
                Or "or" (a: u32, b: u32) -> u32 = a | b;
                /// Bits set in just one.
                Xor "xor" (a: u32, b: u32) -> u32 = a ^ b;
                /// Shift to the left.
                Shl "shl" (a: u32, b: u32) -> u32 = a.wrapping_shl(b);
                /// Shift to the right, zeros enter.
                Shr "shr" (a: u32, b: u32) -> u32 = a.wrapping_shr(b);
                /// Shift to the right, the sign enters.
                Sar "sar" (a: u32, b: u32) -> u32 = (a as i32).wrapping_shr(b) as u32;
                /// The low half of a pair shifted to the right (funnel shift).
                Funnel "funnel" (a: u64, b: u32) -> u32 = a.wrapping_shr(b & 31) as u32;
                /// Sum.
                Add "add" (a: u32, b: u32) -> u32 = a.wrapping_add(b);
                /// Difference.
                Sub "sub" (a: u32, b: u32) -> u32 = a.wrapping_sub(b);
                /// Low half of the product.
                Mul "mul" (a: u32, b: u32) -> u32 = a.wrapping_mul(b);
                /// High half of the product of unsigned numbers.
                MulHighU "mulhi_u" (a: u32, b: u32) -> u32 = ((u64::from(a) * u64::from(b)) >> 32) as u32;
                /// High half of the product of signed numbers.
                MulHighS "mulhi_s" (a: u32, b: u32) -> u32 =
                    ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32;
                /// Whole product of unsigned numbers.
                MulWideU "mulwide_u" (a: u32, b: u32) -> u64 = u64::from(a) * u64::from(b);
                /// Whole product of signed numbers.
                MulWideS "mulwide_s" (a: u32, b: u32) -> u64 =
                    (i64::from(a as i32) * i64::from(b as i32)) as u64;
                /// Quotient of unsigned numbers; all ones for a divisor of zero.
                DivU "div_u" (a: u32, b: u32) -> u32 = a.checked_div(b).unwrap_or(u32::MAX);
                /// Remainder of unsigned numbers; the dividend for a divisor of zero.
                RemU "rem_u" (a: u32, b: u32) -> u32 = a.checked_rem(b).unwrap_or(a);
                /// Sum of three with the carry in the high half.
                AddCarry "addc" (a: u32, b: u32, c: u32) -> u64 = u64::from(a) + u64::from(b) + u64::from(c);
                /// Difference minus a borrow of 0 or 1; the new borrow in the high half.
                SubBorrow "subb" (a: u32, b: u32, c: u32) -> u64 = {
                    let all = u64::from(a).wrapping_sub(u64::from(b)).wrapping_sub(u64::from(c & 1));
                    all & 0x1_FFFF_FFFF
                };
                /// Smaller of unsigned numbers.
                MinU "min_u" (a: u32, b: u32) -> u32 = a.min(b);
                /// Larger of unsigned numbers.
                MaxU "max_u" (a: u32, b: u32) -> u32 = a.max(b);
                /// Smaller of signed numbers.
                MinS "min_s" (a: u32, b: u32) -> u32 = (a as i32).min(b as i32) as u32;
                /// Larger of signed numbers.
                MaxS "max_s" (a: u32, b: u32) -> u32 = (a as i32).max(b as i32) as u32;
                /// Equal.
                Eq "eq" (a: u32, b: u32) -> u32 = mask(a == b);
                /// Less, unsigned.
                LtU "lt_u" (a: u32, b: u32) -> u32 = mask(a < b);
                /// Less, signed.
                LtS "lt_s" (a: u32, b: u32) -> u32 = mask((a as i32) < b as i32);
                /// The second operand where the first is true, else the third.
                Select "select" (a: u32, b: u32, c: u32) -> u32 = if a != 0 { b } else { c };
                /// Bits of the second operand where the first has ones, else of the third.
                Blend "blend" (a: u32, b: u32, c: u32) -> u32 = a & b | !a & c;
                /// `c & 31` bits from bit `b & 31` on, zeros above.
                FieldU "field_u" (a: u32, b: u32, c: u32) -> u32 =
                    (a >> (b & 31)) & ((1_u32 << (c & 31)).wrapping_sub(1));
                /// `c & 31` bits from bit `b & 31` on, their sign above; zero if there are none.
                FieldS "field_s" (a: u32, b: u32, c: u32) -> u32 = {
                    let unused = 32 - (c & 31);
                    let top = u64::from(a >> (b & 31)) << unused;
                    ((top as u32 as i32) >> (unused & 31)) as u32 & if c & 31 == 0 { 0 } else { u32::MAX }
                };
                /// Bits in reverse order.
                Reverse "reverse" (a: u32) -> u32 = a.reverse_bits();
                /// Number of ones.
                Count "count" (a: u32) -> u32 = a.count_ones();
                /// Zeros above the highest one; 32 for zero.
                LeadingZeros "clz" (a: u32) -> u32 = a.leading_zeros();
                /// Zeros below the lowest one; 32 for zero.
                TrailingZeros "ctz" (a: u32) -> u32 = a.trailing_zeros();
                /// Four bytes chosen from a pair by the nibbles 0, 2, 4, 6 of the last operand.
                Bytes "bytes" (a: u64, b: u32) -> u32 = {
                    let pick = |i: u32| ((a >> (((b >> (8 * i)) & 7) * 8)) as u32 & 0xFF) << (8 * i);
                    pick(0) | pick(1) | pick(2) | pick(3)
                };

                /// Sum, stopping at the largest unsigned number.
                AddSatU "addsat_u" (a: u32, b: u32) -> u32 = a.saturating_add(b);
                /// Difference, stopping at zero.
                SubSatU "subsat_u" (a: u32, b: u32) -> u32 = a.saturating_sub(b);
                /// Sum, stopping at the limits of signed numbers.
                AddSatS "addsat_s" (a: u32, b: u32) -> u32 = (a as i32).saturating_add(b as i32) as u32;
                /// Difference, stopping at the limits of signed numbers.
                SubSatS "subsat_s" (a: u32, b: u32) -> u32 = (a as i32).saturating_sub(b as i32) as u32;
                /// Sum of the distances of four unsigned bytes.
                SumDistances "sad8" (a: u32, b: u32) -> u32 = {
                    let byte = |x: u32, i: u32| x >> (8 * i) & 0xFF;
                    let distance = |i: u32| byte(a, i).abs_diff(byte(b, i));
                    distance(0) + distance(1) + distance(2) + distance(3)
                };
                /// Class of a binary16 number by the bits of `b`, see [`class`].
                Class16 "class16" (a: u32, b: u32) -> u32 =
                    class(a >> 15 & 1, a >> 10 & 31, 31, u64::from(a & 0x3FF), 9, b);
                /// Class of a binary32 number.
                Class32 "class32" (a: u32, b: u32) -> u32 =
                    class(a >> 31, a >> 23 & 255, 255, u64::from(a & 0x7F_FFFF), 22, b);
                /// Class of a binary64 number.
                Class64 "class64" (a: u64, b: u32) -> u32 =
                    class((a >> 63) as u32, (a >> 52) as u32 & 2047, 2047, a & ((1 << 52) - 1), 51, b);

                /// Sum of pairs.
                Add64 "add64" (a: u64, b: u64) -> u64 = a.wrapping_add(b);
                /// Difference of pairs.
                Sub64 "sub64" (a: u64, b: u64) -> u64 = a.wrapping_sub(b);
                /// Product of pairs.
                Mul64 "mul64" (a: u64, b: u64) -> u64 = a.wrapping_mul(b);
                /// Pair shifted to the left.
                Shl64 "shl64" (a: u64, b: u32) -> u64 = a.wrapping_shl(b);
                /// Pair shifted to the right, zeros enter.
                Shr64 "shr64" (a: u64, b: u32) -> u64 = a.wrapping_shr(b);
                /// Pair shifted to the right, the sign enters.
                Sar64 "sar64" (a: u64, b: u32) -> u64 = (a as i64).wrapping_shr(b) as u64;
                /// Pairs are equal.
                Eq64 "eq64" (a: u64, b: u64) -> u32 = mask(a == b);
                /// Less, unsigned pairs.
                LtU64 "lt_u64" (a: u64, b: u64) -> u32 = mask(a < b);
                /// Less, signed pairs.
                LtS64 "lt_s64" (a: u64, b: u64) -> u32 = mask((a as i64) < b as i64);

                /// binary64 sum, to nearest.
                Dadd "dadd" (a: u64, b: u64) -> u64 = (d(a) + d(b)).to_bits();
                /// binary64 product, to nearest.
                Dmul "dmul" (a: u64, b: u64) -> u64 = (d(a) * d(b)).to_bits();
                /// binary64 product plus sum, rounded once.
                Dfma "dfma" (a: u64, b: u64, c: u64) -> u64 = d(a).mul_add(d(b), d(c)).to_bits();
                /// binary64 quotient.
                Ddiv "ddiv" (a: u64, b: u64) -> u64 = (d(a) / d(b)).to_bits();
                /// binary64 square root.
                Dsqrt "dsqrt" (a: u64) -> u64 = d(a).sqrt().to_bits();
                /// binary64 largest integer not above.
                Dfloor "dfloor" (a: u64) -> u64 = d(a).floor().to_bits();
                /// The first binary64 operand if it is less, else the second.
                Dmin "dmin" (a: u64, b: u64) -> u64 = if d(a) < d(b) { a } else { b };
                /// The first binary64 operand if it is greater, else the second.
                Dmax "dmax" (a: u64, b: u64) -> u64 = if d(a) > d(b) { a } else { b };
                /// binary64 integer next to the operand toward zero.
                Dtrunc "dtrunc" (a: u64) -> u64 = d(a).trunc().to_bits();
                /// binary64 nearest integer, ties to even.
                Drint "drint" (a: u64) -> u64 = d(a).round_ties_even().to_bits();
                /// The smaller binary64 number, -0 below +0; a NaN loses against a number.
                DminSigned "dminsigned" (a: u64, b: u64) -> u64 =
                    if d(b).is_nan() || before(a, b) { a } else { b };
                /// The larger binary64 number, -0 below +0; a NaN loses against a number.
                DmaxSigned "dmaxsigned" (a: u64, b: u64) -> u64 =
                    if d(b).is_nan() || before(b, a) { a } else { b };
                /// binary64 times two to a signed power.
                Dldexp "dldexp" (a: u64, b: u32) -> u64 = ldexp(d(a), b as i32).to_bits();
                /// Mantissa of a binary64 number, 0.5 up to 1; zero, infinity and NaN as they are.
                DfrexpMant "dfrexp_mant" (a: u64) -> u64 = frexp(d(a)).0.to_bits();
                /// Exponent that goes with it; 0 for zero, infinity and NaN.
                DfrexpExp "dfrexp_exp" (a: u64) -> u32 = frexp(d(a)).1 as u32;
                /// binary64 equal.
                Deq "deq" (a: u64, b: u64) -> u32 = mask(d(a) == d(b));
                /// binary64 less.
                Dlt "dlt" (a: u64, b: u64) -> u32 = mask(d(a) < d(b));
                /// binary64 less or equal.
                Dle "dle" (a: u64, b: u64) -> u32 = mask(d(a) <= d(b));
                /// binary64 to binary32, to nearest.
                DtoF "d_to_f" (a: u64) -> u32 = (d(a) as f32).to_bits();
                /// binary32 to binary64.
                FtoD "f_to_d" (a: u32) -> u64 = f64::from(f32::from_bits(a)).to_bits();
                /// Signed integer to binary64.
                StoD "s_to_d" (a: u32) -> u64 = f64::from(a as i32).to_bits();
                /// Unsigned integer to binary64.
                UtoD "u_to_d" (a: u32) -> u64 = f64::from(a).to_bits();
                /// binary64 to signed integer, toward zero, stopping at the limits, NaN to 0.
                DtoS "d_to_s" (a: u64) -> u32 = (d(a) as i32) as u32;
                /// binary64 to unsigned integer, toward zero, stopping at the limits, NaN to 0.
                DtoU "d_to_u" (a: u64) -> u32 = d(a) as u32;
            }
            float {
                /// Sum.
                Fadd "fadd" (e; a: u32, b: u32) -> u32 = e.add(a, b);
                /// Product.
                Fmul "fmul" (e; a: u32, b: u32) -> u32 = e.mul(a, b);
                /// Product, rounded, plus sum, rounded.
                Fmad "fmad" (e; a: u32, b: u32, c: u32) -> u32 = e.add(e.mul(a, b), c);
                /// Product plus sum, rounded once.
                Ffma "ffma" (e; a: u32, b: u32, c: u32) -> u32 = e.fma(a, b, c);
                /// Quotient.
                Fdiv "fdiv" (e; a: u32, b: u32) -> u32 = e.div(a, b);
                /// 1 / a.
                Frcp "frcp" (e; a: u32) -> u32 = e.rcp(a);
                /// Square root.
                Fsqrt "fsqrt" (e; a: u32) -> u32 = e.sqrt(a);
                /// 1 / square root.
                Frsq "frsq" (e; a: u32) -> u32 = e.rsq(a);
                /// 2 to the power of a.
                Fexp2 "fexp2" (e; a: u32) -> u32 = e.exp2(a);
                /// Logarithm to base 2.
                Flog2 "flog2" (e; a: u32) -> u32 = e.log2(a);
                /// Sine of a full turns.
                Fsin "fsin" (e; a: u32) -> u32 = e.sin(a);
                /// Cosine of a full turns.
                Fcos "fcos" (e; a: u32) -> u32 = e.cos(a);
                /// Sine of a radians; best between -pi and pi.
                FsinRadians "fsin_radians" (e; a: u32) -> u32 = e.sin_radians(a);
                /// Cosine of a radians; best between -pi and pi.
                FcosRadians "fcos_radians" (e; a: u32) -> u32 = e.cos_radians(a);
                /// Largest integer not above a.
                Ffloor "ffloor" (e; a: u32) -> u32 = e.floor(a);
                /// Integer next to a toward zero.
                Ftrunc "ftrunc" (e; a: u32) -> u32 = e.trunc(a);
                /// Nearest integer, ties to even.
                Frint "frint" (e; a: u32) -> u32 = e.rint(a);
                /// a with the other sign; no arithmetic, nothing is flushed.
                Fneg "fneg" (e; a: u32) -> u32 = e.neg(a);
                /// The first operand if it is greater, else the second (also for NaN).
                Fmax "fmax" (e; a: u32, b: u32) -> u32 = if e.less(b, a) { a } else { b };
                /// The first operand if it is less, else the second (also for NaN).
                Fmin "fmin" (e; a: u32, b: u32) -> u32 = if e.less(a, b) { a } else { b };
                /// The larger number; a NaN loses against a number.
                FmaxNumber "fmaxnum" (e; a: u32, b: u32) -> u32 =
                    if e.less(b, a) || !e.equal(b, b) { a } else { b };
                /// The smaller number; a NaN loses against a number.
                FminNumber "fminnum" (e; a: u32, b: u32) -> u32 =
                    if e.less(a, b) || !e.equal(b, b) { a } else { b };
                /// The smaller number, -0 below +0; a NaN loses against a number.
                FminSigned "fminsigned" (e; a: u32, b: u32) -> u32 =
                    if e.number(b).is_nan() || before(e.number(a).to_bits(), e.number(b).to_bits()) { a } else { b };
                /// The larger number, -0 below +0; a NaN loses against a number.
                FmaxSigned "fmaxsigned" (e; a: u32, b: u32) -> u32 =
                    if e.number(b).is_nan() || before(e.number(b).to_bits(), e.number(a).to_bits()) { a } else { b };
                /// The operand as arithmetic reads and writes it: flushed, NaN quiet.
                Fcanon "fcanon" (e; a: u32) -> u32 = e.round(e.operand(a));
                /// Times two to a signed power, rounded once.
                Fldexp "fldexp" (e; a: u32, b: u32) -> u32 = e.round(ldexp(e.operand(a), b as i32));
                /// Mantissa, 0.5 up to 1; zero, infinity and NaN as they are.
                FfrexpMant "ffrexp_mant" (e; a: u32) -> u32 = e.round(frexp(e.operand(a)).0);
                /// Exponent that goes with it, an integer; 0 for zero, infinity and NaN.
                FfrexpExp "ffrexp_exp" (e; a: u32) -> u32 = frexp(e.operand(a)).1 as u32;
                /// Equal; false for NaN.
                Feq "feq" (e; a: u32, b: u32) -> u32 = mask(e.equal(a, b));
                /// Less; false for NaN.
                Flt "flt" (e; a: u32, b: u32) -> u32 = mask(e.less(a, b));
                /// Less or equal; false for NaN.
                Fle "fle" (e; a: u32, b: u32) -> u32 = mask(e.less_equal(a, b));
                /// To signed integer, toward zero, stopping at the limits, NaN to 0.
                FtoS "f_to_s" (e; a: u32) -> u32 = (e.number(a) as i32) as u32;
                /// To unsigned integer, toward zero, stopping at the limits, NaN to 0.
                FtoU "f_to_u" (e; a: u32) -> u32 = e.number(a) as u32;
                /// To signed integer, toward zero; 0x8000_0000 for all that does not fit (as x86).
                FtoX86 "f_to_x86" (e; a: u32) -> u32 = {
                    let x = e.number(a);
                    if x < 2_147_483_648.0 && x > -2_147_483_649.0 { truncated(x) } else { 0x8000_0000 }
                };
                /// Signed integer to float.
                StoF "s_to_f" (e; a: u32) -> u32 = e.round(f64::from(a as i32));
                /// Unsigned integer to float.
                UtoF "u_to_f" (e; a: u32) -> u32 = e.round(f64::from(a));
                /// binary32 to the environment's format, rounded once.
                Fpack "fpack" (e; a: u32) -> u32 = e.round(f64::from(f32::from_bits(a)));
                /// The environment's format to binary32.
                Funpack "funpack" (e; a: u32) -> u32 = (e.number(a) as f32).to_bits();
            }
            special {
                /// `imm` in every lane.
                Imm "imm" (0) -> 1;
                /// The number of the lane, counted through the whole wave.
                LaneId "lane_id" (0) -> 1;
                /// Sum of `count` products `a[i] * b[i]`; `imm` says how, see [`Sum`](crate::uop::Sum).
                Dot "dot" (2) -> 1;
                /// Row number a + (`imm` >> 8) of table `imm` & 0xFF, into four slots.
                Row "row" (1) -> 4;
                /// A wave slot's value in every lane.
                Broadcast "broadcast" (1) -> 1;
                /// Wave slot: bit k says that lane k is active and its operand true.
                Ballot "ballot" (1) -> 1;
                /// True in the lanes whose bit is set in a wave slot.
                MaskToLane "mask_to_lane" (1) -> 1;
                /// Wave slot: the value in the lowest active lane; lane 0 if none is.
                ReadFirst "read_first" (1) -> 1;
                /// The value of lane `b & 31` of this half, whether active or not.
                Shuffle "shuffle" (2) -> 1;
                /// Byte at address `a[0]`, `a[1]` in space `imm`.
                Load8 "load8" (1) -> 1;
                /// Two bytes, low first.
                Load16 "load16" (1) -> 1;
                /// Four bytes, low first.
                Load32 "load32" (1) -> 1;
                /// Stores the low byte of `b[0]` at address `a[0]`, `a[1]` in space `imm`.
                Store8 "store8" (2) -> 0;
                /// Stores the two low bytes.
                Store16 "store16" (2) -> 0;
                /// Stores four bytes.
                Store32 "store32" (2) -> 0;
                /// Adds `b[0]` to four bytes in memory; gives what was there.
                AtomicAdd "atomic_add" (2) -> 1;
                /// And.
                AtomicAnd "atomic_and" (2) -> 1;
                /// Or.
                AtomicOr "atomic_or" (2) -> 1;
                /// Exclusive or.
                AtomicXor "atomic_xor" (2) -> 1;
                /// Smaller, unsigned.
                AtomicMinU "atomic_min_u" (2) -> 1;
                /// Larger, unsigned.
                AtomicMaxU "atomic_max_u" (2) -> 1;
                /// Smaller, signed.
                AtomicMinS "atomic_min_s" (2) -> 1;
                /// Larger, signed.
                AtomicMaxS "atomic_max_s" (2) -> 1;
                /// Exchange.
                AtomicSwap "atomic_swap" (2) -> 1;
                /// Stores `c[0]` if `b[0]` is there; gives what was there.
                AtomicCompareSwap "atomic_cmpswap" (3) -> 1;
            }
        }
    };
}

/// What an operation takes and gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Slots per operand, 1 or 2; for special operations, as many ones as it has operands.
    pub operands: &'static [u8],
    /// Slots of the result; 0 if it has none.
    pub result: u8,
    /// Which group of the vocabulary.
    pub group: Group,
}

/// The groups of the vocabulary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// A function of bits.
    Exact,
    /// A function in a float environment.
    Float,
    /// Needs other lanes, tables or memory.
    Special,
}

/// What one row computes on one lane.
pub(crate) trait Row {
    /// The operands: a tuple of `u32` and `u64`.
    type In: Args;
    /// The result.
    type Out: Word;
    /// The row's expression.
    fn eval(env: &FloatEnv, operands: Self::In) -> Self::Out;
}

macro_rules! define {
    (
        exact { $( $(#[$xd:meta])* $X:ident $xt:literal ($($xa:ident: $xw:ident),*) -> $xr:ident = $xe:expr; )* }
        float { $( $(#[$fd:meta])* $F:ident $ft:literal ($e:ident; $($fa:ident: $fw:ident),*) -> $fr:ident = $fe:expr; )* }
        special { $( $(#[$sd:meta])* $S:ident $st:literal ($sn:literal) -> $sr:literal; )* }
    ) => {
        /// The operations.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum Op {
            $( $(#[$xd])* $X, )*
            $( $(#[$fd])* $F, )*
            $( $(#[$sd])* $S, )*
        }

        impl Op {
            /// All of them, in the order of the declaration.
            pub const ALL: &[Op] = &[$(Op::$X,)* $(Op::$F,)* $(Op::$S,)*];

            /// The name in listings.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Op::$X => $xt,)* $(Op::$F => $ft,)* $(Op::$S => $st,)* }
            }

            /// What it takes and gives.
            #[must_use]
            pub const fn shape(self) -> Shape {
                match self {
                    $(Op::$X => Shape {
                        operands: &[$(<$xw as Word>::WIDTH as u8),*],
                        result: <$xr as Word>::WIDTH as u8,
                        group: Group::Exact,
                    },)*
                    $(Op::$F => Shape {
                        operands: &[$(<$fw as Word>::WIDTH as u8),*],
                        result: <$fr as Word>::WIDTH as u8,
                        group: Group::Float,
                    },)*
                    $(Op::$S => Shape {
                        operands: [1_u8; 3].split_at($sn).0,
                        result: $sr,
                        group: Group::Special,
                    },)*
                }
            }
        }

        /// One type per row, so that engines can be generic over rows.
        pub(crate) mod rows {
            use super::*;
            use std::marker::PhantomData;
            $(
                pub(crate) struct $X;
                impl Row for $X {
                    type In = ($($xw,)*);
                    type Out = $xr;
                    #[inline(always)]
                    fn eval(_: &FloatEnv, ($($xa,)*): Self::In) -> $xr { $xe }
                }
            )*
            $(
                pub(crate) struct $F<E = Any>(PhantomData<E>);
                impl<E: Arith> Row for $F<E> {
                    type In = ($($fw,)*);
                    type Out = $fr;
                    #[inline(always)]
                    fn eval(env: &FloatEnv, ($($fa,)*): Self::In) -> $fr {
                        let $e = E::new(env);
                        $fe
                    }
                }
            )*
        }
    };
}
for_each_op!(define);

/// Truth as a lane holds it.
#[inline(always)]
fn mask(truth: bool) -> u32 {
    u32::from(truth).wrapping_neg()
}

/// Whether the class of a number is among those of a set, as a truth: signalling and quiet NaN,
/// -infinity, -normal, -subnormal, -0, +0, +subnormal, +normal, +infinity, from bit 0 on.
#[inline(always)]
fn class(sign: u32, exponent: u32, top: u32, mantissa: u64, quiet: u32, set: u32) -> u32 {
    let number = match exponent {
        0 if mantissa == 0 => 5,
        0 => 4,
        _ if exponent < top => 3,
        _ => 2,
    };
    let bit = match mantissa >> quiet & 1 {
        _ if exponent < top || mantissa == 0 => {
            if sign == 0 {
                11 - number
            } else {
                number
            }
        }
        nan => nan as u32,
    };
    mask(set >> bit & 1 != 0)
}

/// Whether a binary64 number is less, or -0 against +0; false for NaN.
#[inline(always)]
fn before(a: u64, b: u64) -> bool {
    d(a) < d(b) || (d(a) == d(b) && a >> 63 > b >> 63)
}

/// The integer of a number that is one of 32 bits without its fraction. (Measured: conversions that stop at the limits
/// are done lane by lane, these sums are not.)
#[inline(always)]
fn truncated(x: f64) -> u32 {
    // Numbers of this size have no fraction, and their lowest bits are the integer.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    let nearest = (x + WHOLE) - WHOLE;
    let whole = if nearest.abs() > x.abs() { nearest - 1f64.copysign(x) } else { nearest };
    (whole + WHOLE).to_bits() as u32
}

/// A number times two to a power, rounded once.
#[inline(always)]
fn ldexp(x: f64, power: i32) -> f64 {
    // Twice the whole range of exponents is as good as any power beyond it.
    let power = power.clamp(-2200, 2200);
    let two = |n: i32| f64::from_bits(((n + 1023) as u64) << 52);
    // Going down, only the last product may reach the subnormal numbers: it alone rounds.
    let (_, exponent) = frexp(x);
    let (mantissa, _) = frexp(x);
    let total = exponent.saturating_add(power).clamp(-1200, 1100);
    if x == 0.0 || !x.is_finite() {
        x
    } else if total < -1000 {
        mantissa * two(-500) * two(total.max(-1200) + 500 + 200) * two(-200)
    } else {
        mantissa * two(total / 2) * two(total - total / 2)
    }
}

/// Mantissa from 0.5 up to 1, and the power of two that goes with it.
#[inline(always)]
fn frexp(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let tiny = x.abs() < f64::MIN_POSITIVE;
    let (bits, added) =
        if tiny { ((x * f64::from_bits(0x43F0 << 48)).to_bits(), 64) } else { (x.to_bits(), 0) };
    let exponent = (bits >> 52 & 0x7FF) as i32 - 1022 - added;
    (f64::from_bits(bits & !(0x7FF << 52) | 0x3FE << 52), exponent)
}

/// A pair as binary64.
#[inline(always)]
fn d(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// An operand or result: one slot or two.
pub trait Word: Copy {
    /// Number of slots.
    const WIDTH: usize;
    /// From its slots' values; the second counts only for a pair.
    fn join(low: u32, high: u32) -> Self;
    /// To its slots' values.
    fn split(self) -> [u32; 2];
}

impl Word for u32 {
    const WIDTH: usize = 1;
    #[inline(always)]
    fn join(low: u32, _: u32) -> Self {
        low
    }
    #[inline(always)]
    fn split(self) -> [u32; 2] {
        [self, 0]
    }
}

impl Word for u64 {
    const WIDTH: usize = 2;
    #[inline(always)]
    fn join(low: u32, high: u32) -> Self {
        u64::from(low) | u64::from(high) << 32
    }
    #[inline(always)]
    fn split(self) -> [u32; 2] {
        [self as u32, (self >> 32) as u32]
    }
}

/// The operands of a row. `operand(k, half)` gives a slot's value.
pub trait Args: Copy {
    /// Slots per operand; 0 for those that a row lacks.
    const WIDTHS: [usize; 3];
    /// Collects the operands.
    fn collect(operand: impl Fn(usize, usize) -> u32) -> Self;
}

#[inline(always)]
fn word<W: Word>(operand: &impl Fn(usize, usize) -> u32, k: usize) -> W {
    W::join(operand(k, 0), if W::WIDTH == 2 { operand(k, 1) } else { 0 })
}

impl<A: Word> Args for (A,) {
    const WIDTHS: [usize; 3] = [A::WIDTH, 0, 0];
    #[inline(always)]
    fn collect(operand: impl Fn(usize, usize) -> u32) -> Self {
        (word(&operand, 0),)
    }
}

impl<A: Word, B: Word> Args for (A, B) {
    const WIDTHS: [usize; 3] = [A::WIDTH, B::WIDTH, 0];
    #[inline(always)]
    fn collect(operand: impl Fn(usize, usize) -> u32) -> Self {
        (word(&operand, 0), word(&operand, 1))
    }
}

impl<A: Word, B: Word, C: Word> Args for (A, B, C) {
    const WIDTHS: [usize; 3] = [A::WIDTH, B::WIDTH, C::WIDTH];
    #[inline(always)]
    fn collect(operand: impl Fn(usize, usize) -> u32) -> Self {
        (word(&operand, 0), word(&operand, 1), word(&operand, 2))
    }
}
