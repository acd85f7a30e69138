//! Vector operations that have short forms: VOP1 and VOP2 (spec sections 6.2 and 6.3).

use chiaro_num::Rounding;
use chiaro_sim::{Op as U, Slot};

use super::Doer;
use super::pieces::{
    carried, clamp_signed, estimated, found, half_order, legacy_fma, normalised, signed_zero,
    signed_zero_double,
};
use super::uops::Uops;
use crate::isa::{vop1::Vop1, vop2::Vop2};
use crate::operand::constant::Number;

pub(super) fn vop1(op: Vop1, u: &mut Uops) -> Doer {
    use Vop1 as V;
    match op {
        V::Nop | V::Pipeflush | V::Clrexcp => return Doer::Nothing,
        V::ReadfirstlaneB32
        | V::MovreldB32
        | V::MovrelsB32
        | V::MovrelsdB32
        | V::Movrelsd2B32
        | V::SwaprelB32 => return Doer::Cross,
        V::MovB32 => word(u, |_, a| a),
        V::NotB32 => word(u, |u, a| u.t(U::Not, &[a])),
        V::BfrevB32 => word(u, |u, a| u.t(U::Reverse, &[a])),
        V::FfbhU32 => word(u, |u, a| found(u, U::LeadingZeros, a)),
        V::FfblB32 => word(u, |u, a| found(u, U::TrailingZeros, a)),
        V::FfbhI32 => word(u, |u, a| {
            let sign = u.ti(U::Sar, a, 31);
            let other = u.t(U::Xor, &[a, sign]);
            found(u, U::LeadingZeros, other)
        }),
        V::SatPkU8I16 => word(u, saturated_bytes),
        V::SwapB32 => {
            let (a, d) = (u.word(0), u.vdst());
            let saved = u.t(U::Mov, &[d]);
            u.op(U::Mov, d, &[a]);
            u.op(U::Mov, a, &[saved]);
        }
        V::CvtF32I32 => from_word(u, U::StoF),
        V::CvtF32U32 => from_word(u, U::UtoF),
        V::CvtF32Ubyte0 => from_byte(u, 0),
        V::CvtF32Ubyte1 => from_byte(u, 8),
        V::CvtF32Ubyte2 => from_byte(u, 16),
        V::CvtF32Ubyte3 => from_byte(u, 24),
        V::CvtOffF32I4 => {
            u.f32();
            let a = u.word(0);
            let nibble = u.field(U::FieldS, a, 0, 4);
            let (whole, by) = (u.t(U::StoF, &[nibble]), u.imm(0.0625_f32.to_bits()));
            let r = u.t(U::Fmul, &[whole, by]);
            u.put_float(r);
        }
        V::CvtU32F32 => to_word(u, |u, a| u.t(U::FtoU, &[a])),
        V::CvtI32F32 => to_word(u, |u, a| u.t(U::FtoS, &[a])),
        V::CvtFlrI32F32 => to_word(u, |u, a| {
            let whole = u.t(U::Ffloor, &[a]);
            u.t(U::FtoS, &[whole])
        }),
        V::CvtRpiI32F32 => to_word(u, |u, a| {
            let half = u.imm(0.5_f32.to_bits());
            let sum = u.t(U::Fadd, &[a, half]);
            let whole = u.t(U::Ffloor, &[sum]);
            u.t(U::FtoS, &[whole])
        }),
        V::FrexpExpI32F32 => to_word(u, |u, a| u.t(U::FfrexpExp, &[a])),
        V::CvtF16F32 => {
            u.f32();
            let a = u.read_float(0);
            u.f16();
            let r = u.t(U::Fpack, &[a]);
            u.put_half(r);
        }
        V::CvtF32F16 => {
            u.f16();
            let a = u.read_half(0);
            let r = u.t(U::Funpack, &[a]);
            u.f32();
            u.put_float(r);
        }
        V::FractF32 => float(u, |u, a| fraction(u, a, 0x3f7f_ffff)),
        V::TruncF32 => float(u, |u, a| u.t(U::Ftrunc, &[a])),
        V::CeilF32 => float(u, ceil),
        V::RndneF32 => float(u, |u, a| {
            let whole = u.t(U::Frint, &[a]);
            signed_zero(u, whole, 1 << 31)
        }),
        V::FloorF32 => float(u, |u, a| u.t(U::Ffloor, &[a])),
        V::FrexpMantF32 => float(u, |u, a| u.t(U::FfrexpMant, &[a])),
        V::ExpF32 => slow(u, U::Fexp2),
        V::LogF32 => slow(u, U::Flog2),
        V::RcpF32 | V::RcpIflagF32 => slow(u, U::Frcp),
        V::RsqF32 => slow(u, U::Frsq),
        V::SqrtF32 => slow(u, U::Fsqrt),
        V::SinF32 => slow(u, U::Fsin),
        V::CosF32 => slow(u, U::Fcos),
        other => return halves(other, u),
    }
    Doer::Vector
}

/// Half floats, then doubles.
fn halves(op: Vop1, u: &mut Uops) -> Doer {
    use Vop1 as V;
    match op {
        V::CvtF16U16 => from_short(u, U::FieldU, U::UtoF),
        V::CvtF16I16 => from_short(u, U::FieldS, U::StoF),
        V::CvtU16F16 => to_short(u, |u, a| {
            let whole = u.t(U::FtoU, &[a]);
            u.ti(U::MinU, whole, 0xffff)
        }),
        V::CvtI16F16 => to_short(u, |u, a| {
            let whole = u.t(U::FtoS, &[a]);
            clamp_signed(u, whole, -0x8000, 0x7fff)
        }),
        V::FrexpExpI16F16 => to_short(u, |u, a| u.t(U::FfrexpExp, &[a])),
        V::CvtNormI16F16 => to_short(u, |u, a| {
            let wide = u.t(U::Funpack, &[a]);
            normalised(u, wide, true)
        }),
        V::CvtNormU16F16 => to_short(u, |u, a| {
            let wide = u.t(U::Funpack, &[a]);
            normalised(u, wide, false)
        }),
        V::RcpF16 => slow_half(u, U::Frcp),
        V::SqrtF16 => slow_half(u, U::Fsqrt),
        V::RsqF16 => slow_half(u, U::Frsq),
        V::LogF16 => slow_half(u, U::Flog2),
        V::ExpF16 => slow_half(u, U::Fexp2),
        V::SinF16 => slow_half(u, U::Fsin),
        V::CosF16 => slow_half(u, U::Fcos),
        V::FrexpMantF16 => half(u, |u, a| u.t(U::FfrexpMant, &[a])),
        V::FloorF16 => half(u, |u, a| u.t(U::Ffloor, &[a])),
        V::CeilF16 => half(u, ceil),
        V::TruncF16 => half(u, |u, a| u.t(U::Ftrunc, &[a])),
        V::RndneF16 => half(u, |u, a| {
            let whole = u.t(U::Frint, &[a]);
            signed_zero(u, whole, 1 << 15)
        }),
        V::FractF16 => half(u, |u, a| fraction(u, a, 0x3bff)),
        other => return doubles(other, u),
    }
    Doer::Vector
}

fn doubles(op: Vop1, u: &mut Uops) -> Doer {
    use Vop1 as V;
    match op {
        V::CvtI32F64 => from_double(u, U::DtoS),
        V::CvtU32F64 => from_double(u, U::DtoU),
        V::FrexpExpI32F64 => from_double(u, U::DfrexpExp),
        V::CvtF32F64 => {
            let a = u.double(0);
            let r = u.t(U::DtoF, &[a]);
            u.f32();
            let r = u.t(U::Fcanon, &[r]);
            u.put_float(r);
        }
        V::CvtF64F32 => {
            u.f32();
            let a = u.read_float(0);
            let r = u.t(U::FtoD, &[a]);
            u.put_double(r);
        }
        V::CvtF64I32 => to_double(u, U::StoD),
        V::CvtF64U32 => to_double(u, U::UtoD),
        V::TruncF64 => double(u, |u, a| u.t(U::Dtrunc, &[a])),
        V::RndneF64 => double(u, |u, a| {
            let whole = u.t(U::Drint, &[a]);
            signed_zero_double(u, whole)
        }),
        V::FloorF64 => double(u, |u, a| u.t(U::Dfloor, &[a])),
        V::CeilF64 => double(u, |u, a| {
            let minus = u.imm64(1 << 63);
            let other = negated(u, a, minus);
            let whole = u.t(U::Dfloor, &[other]);
            negated(u, whole, minus)
        }),
        V::FractF64 => double(u, |u, a| {
            let (whole, minus, most) =
                (u.t(U::Dfloor, &[a]), u.imm64(1 << 63), u.imm64(0x3fef_ffff_ffff_ffff));
            let other = negated(u, whole, minus);
            let rest = u.t(U::Dadd, &[a, other]);
            u.t(U::DminSigned, &[rest, most])
        }),
        V::FrexpMantF64 => double(u, |u, a| u.t(U::DfrexpMant, &[a])),
        V::RcpF64 => double(u, |u, a| {
            let one = u.imm64(1.0_f64.to_bits());
            let exact = u.t(U::Ddiv, &[one, a]);
            coarse(u, exact)
        }),
        V::RsqF64 => double(u, |u, a| {
            let (one, root) = (u.imm64(1.0_f64.to_bits()), u.t(U::Dsqrt, &[a]));
            let exact = u.t(U::Ddiv, &[one, root]);
            coarse(u, exact)
        }),
        V::SqrtF64 => double(u, |u, a| {
            let exact = u.t(U::Dsqrt, &[a]);
            coarse(u, exact)
        }),
        _ => return Doer::Unknown,
    }
    Doer::Vector
}

/// What hardware gives of reciprocals and roots is good to 2^-28: programs that do not refine it are seen. [which bits
/// is unknown; the first ones, assumed]
fn coarse(u: &mut Uops, exact: Slot) -> Slot {
    if u.choices.exact_doubles {
        return exact;
    }
    let both = u.spare(2);
    let first = u.ti(U::And, exact, 0xff00_0000);
    u.op(U::Mov, both, &[first]);
    u.op(U::Mov, both.at(1), &[exact.at(1)]);
    both
}

fn negated(u: &mut Uops, a: Slot, minus: Slot) -> Slot {
    let both = u.spare(2);
    u.op(U::Mov, both, &[a]);
    u.op(U::Xor, both.at(1), &[a.at(1), minus.at(1)]);
    both
}

fn word(u: &mut Uops, f: impl FnOnce(&mut Uops, Slot) -> Slot) {
    let a = u.word(0);
    let r = f(u, a);
    u.put(r);
}

fn float(u: &mut Uops, f: impl FnOnce(&mut Uops, Slot) -> Slot) {
    u.f32();
    let a = u.float(0);
    let r = f(u, a);
    u.put_float(r);
}

fn slow(u: &mut Uops, op: U) {
    u.transcendental();
    let a = u.float(0);
    let r = u.t(op, &[a]);
    let r = estimated(u, r, 23);
    u.f32();
    u.put_float(r);
}

/// The same of half floats.
fn slow_half(u: &mut Uops, op: U) {
    half(u, |u, a| {
        let r = u.t(op, &[a]);
        estimated(u, r, 10)
    });
}

fn half(u: &mut Uops, f: impl FnOnce(&mut Uops, Slot) -> Slot) {
    u.f16();
    let a = u.half(0);
    let r = f(u, a);
    u.put_half(r);
}

fn double(u: &mut Uops, f: impl FnOnce(&mut Uops, Slot) -> Slot) {
    let a = u.double(0);
    let r = f(u, a);
    u.put_double(r);
}

fn from_word(u: &mut Uops, op: U) {
    u.f32();
    let a = u.word(0);
    let r = u.t(op, &[a]);
    u.put_float(r);
}

fn from_byte(u: &mut Uops, low: u32) {
    u.f32();
    let a = u.word(0);
    let byte = u.field(U::FieldU, a, low, 8);
    let r = u.t(U::UtoF, &[byte]);
    u.put_float(r);
}

fn to_word(u: &mut Uops, f: impl FnOnce(&mut Uops, Slot) -> Slot) {
    u.f32();
    let a = u.read_float(0);
    let r = f(u, a);
    u.put(r);
}

fn from_short(u: &mut Uops, field: U, op: U) {
    u.f16();
    let a = u.short(0, field);
    let r = u.t(op, &[a]);
    u.put_half(r);
}

fn to_short(u: &mut Uops, f: impl FnOnce(&mut Uops, Slot) -> Slot) {
    u.f16();
    let a = u.half(0);
    let r = f(u, a);
    u.put_short(r);
}

fn from_double(u: &mut Uops, op: U) {
    let a = u.double(0);
    let r = u.t(op, &[a]);
    u.put(r);
}

fn to_double(u: &mut Uops, op: U) {
    let a = u.word(0);
    let r = u.t(op, &[a]);
    u.put_double(r);
}

fn ceil(u: &mut Uops, a: Slot) -> Slot {
    let other = u.t(U::Fneg, &[a]);
    let whole = u.t(U::Ffloor, &[other]);
    u.t(U::Fneg, &[whole])
}

/// What lies above the largest integer not above, below 1.
fn fraction(u: &mut Uops, a: Slot, most: u32) -> Slot {
    let whole = u.t(U::Ffloor, &[a]);
    let other = u.t(U::Fneg, &[whole]);
    let (rest, most) = (u.t(U::Fadd, &[a, other]), u.imm(most));
    let less = u.t(U::Fle, &[most, rest]);
    u.t(U::Select, &[less, most, rest])
}

fn saturated_bytes(u: &mut Uops, a: Slot) -> Slot {
    let [low, high] = [0, 16].map(|from| {
        let short = u.field(U::FieldS, a, from, 16);
        clamp_signed(u, short, 0, 255)
    });
    let high = u.ti(U::Shl, high, 8);
    u.t(U::Or, &[low, high])
}

pub(super) fn vop2(op: Vop2, u: &mut Uops) -> Doer {
    use Vop2 as V;
    match op {
        V::CndmaskB32 => {
            let (a, b, which) = (u.float(0), u.float(1), u.mask(2));
            let r = u.t(U::Select, &[which, b, a]);
            u.put(r);
        }
        V::AddF32 => floats(u, |u, a, b| u.t(U::Fadd, &[a, b])),
        V::SubF32 => floats(u, difference),
        V::SubrevF32 => floats(u, |u, a, b| difference(u, b, a)),
        V::MulF32 => floats(u, |u, a, b| u.t(U::Fmul, &[a, b])),
        V::MulLegacyF32 => floats(u, |u, a, b| {
            let product = u.t(U::Fmul, &[a, b]);
            without_zero(u, [a, b], product)
        }),
        V::FmacLegacyF32 => floats(u, |u, a, b| {
            let d = u.vdst();
            legacy_fma(u, a, b, d)
        }),
        V::FmacF32 => floats(u, |u, a, b| {
            let d = u.vdst();
            u.t(U::Ffma, &[a, b, d])
        }),
        V::FmamkF32 => floats(u, |u, a, b| {
            let k = u.imm(u.i.k);
            u.t(U::Ffma, &[a, k, b])
        }),
        V::FmaakF32 => floats(u, |u, a, b| {
            let k = u.imm(u.i.k);
            u.t(U::Ffma, &[a, b, k])
        }),
        V::MinF32 => order(u, U::FminSigned),
        V::MaxF32 => order(u, U::FmaxSigned),
        V::CvtPkrtzF16F32 => {
            u.f32();
            let (a, b) = (u.read_float(0), u.read_float(1));
            let mut env = u.choices.env(u.mode.f16());
            env.encoding.rounding = Rounding::TowardZero;
            u.code.set_env(env);
            let (low, high) = (u.t(U::Fpack, &[a]), u.t(U::Fpack, &[b]));
            let high = u.ti(U::Shl, high, 16);
            let r = u.t(U::Or, &[low, high]);
            u.put(r);
        }
        V::AddF16 => half_floats(u, |u, a, b| u.t(U::Fadd, &[a, b])),
        V::SubF16 => half_floats(u, difference),
        V::SubrevF16 => half_floats(u, |u, a, b| difference(u, b, a)),
        V::MulF16 => half_floats(u, |u, a, b| u.t(U::Fmul, &[a, b])),
        V::FmacF16 => half_floats(u, |u, a, b| {
            let d = u.vdst();
            let d = u.field(U::FieldU, d, if u.i.select >> 3 & 1 == 1 { 16 } else { 0 }, 16);
            u.t(U::Ffma, &[a, b, d])
        }),
        V::FmamkF16 => half_floats(u, |u, a, b| {
            let k = u.imm(u.i.k & 0xffff);
            u.t(U::Ffma, &[a, k, b])
        }),
        V::FmaakF16 => half_floats(u, |u, a, b| {
            let k = u.imm(u.i.k & 0xffff);
            u.t(U::Ffma, &[a, b, k])
        }),
        V::MaxF16 => half_floats(u, |u, a, b| half_order(u, U::FmaxSigned, a, b)),
        V::MinF16 => half_floats(u, |u, a, b| half_order(u, U::FminSigned, a, b)),
        V::LdexpF16 => {
            u.f16();
            let (a, b) = (u.half(0), u.short(1, U::FieldS));
            let r = u.t(U::Fldexp, &[a, b]);
            u.put_half(r);
        }
        V::PkFmacF16 => return super::packed::fmac(u),
        V::Dot2cF32F16 => {
            let d = u.vdst();
            return super::packed::dot_halves(u, [Number::Halves; 2], d);
        }
        V::Dot4cI32I8 => {
            let d = u.vdst();
            return super::packed::dot_words(u, d, 8, true);
        }
        other => integers(other, u),
    }
    Doer::Vector
}

fn integers(op: Vop2, u: &mut Uops) {
    use Vop2 as V;
    match op {
        V::MulI32I24 => mul24(u, U::FieldS, U::Mul),
        V::MulU32U24 => mul24(u, U::FieldU, U::Mul),
        V::MulHiI32I24 => mul24(u, U::FieldS, U::MulHighS),
        V::MulHiU32U24 => mul24(u, U::FieldU, U::MulHighU),
        V::MinI32 => words(u, U::MinS, false),
        V::MaxI32 => words(u, U::MaxS, false),
        V::MinU32 => words(u, U::MinU, false),
        V::MaxU32 => words(u, U::MaxU, false),
        V::LshrrevB32 => words(u, U::Shr, true),
        V::AshrrevI32 => words(u, U::Sar, true),
        V::LshlrevB32 => words(u, U::Shl, true),
        V::AndB32 => words(u, U::And, false),
        V::OrB32 => words(u, U::Or, false),
        V::XorB32 => words(u, U::Xor, false),
        V::XnorB32 => {
            let (a, b) = (u.word(0), u.word(1));
            let r = u.t(U::Xor, &[a, b]);
            let r = u.t(U::Not, &[r]);
            u.put(r);
        }
        V::AddNcU32 => words(u, if u.i.clamp { U::AddSatU } else { U::Add }, false),
        V::SubNcU32 => words(u, if u.i.clamp { U::SubSatU } else { U::Sub }, false),
        V::SubrevNcU32 => words(u, if u.i.clamp { U::SubSatU } else { U::Sub }, true),
        V::AddCoCiU32 => carried(u, U::AddCarry, false, true),
        V::SubCoCiU32 => carried(u, U::SubBorrow, false, true),
        V::SubrevCoCiU32 => carried(u, U::SubBorrow, true, true),
        // The match of `vop2` has the others.
        _ => {}
    }
}

fn floats(u: &mut Uops, f: impl FnOnce(&mut Uops, Slot, Slot) -> Slot) {
    u.f32();
    let (a, b) = (u.float(0), u.float(1));
    let r = f(u, a, b);
    u.put_float(r);
}

fn half_floats(u: &mut Uops, f: impl FnOnce(&mut Uops, Slot, Slot) -> Slot) {
    u.f16();
    let (a, b) = (u.half(0), u.half(1));
    let r = f(u, a, b);
    u.put_half(r);
}

/// Minimum or maximum: signalling NaN count as quiet ones whatever MODE says. [assumed]
fn order(u: &mut Uops, op: U) {
    u.f32();
    let (a, b) = (u.read_float(0), u.read_float(1));
    let r = u.t(op, &[a, b]);
    u.put_float(r);
}

pub(super) fn difference(u: &mut Uops, a: Slot, b: Slot) -> Slot {
    let other = u.t(U::Fneg, &[b]);
    u.t(U::Fadd, &[a, other])
}

/// A product that is +0 where a factor is zero, even against infinity and NaN.
fn without_zero(u: &mut Uops, factors: [Slot; 2], product: Slot) -> Slot {
    let zero = u.imm(0);
    let zeros = factors.map(|factor| {
        let factor = u.t(U::Fcanon, &[factor]);
        u.t(U::Feq, &[factor, zero])
    });
    let either = u.t(U::Or, &zeros);
    u.t(U::Select, &[either, zero, product])
}

fn words(u: &mut Uops, op: U, swapped: bool) {
    let (a, b) = (u.word(0), u.word(1));
    let r = u.t(op, &if swapped { [b, a] } else { [a, b] });
    u.put(r);
}

/// A product of 24 bits each, of which the multiplication takes the low or high word.
fn mul24(u: &mut Uops, field: U, op: U) {
    let (a, b) = (u.word(0), u.word(1));
    let (a, b) = (u.field(field, a, 0, 24), u.field(field, b, 0, 24));
    let r = u.t(op, &[a, b]);
    u.put(r);
}
