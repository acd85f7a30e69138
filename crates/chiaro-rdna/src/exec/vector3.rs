//! Vector operations that have only the long form (spec sections 6.4 and 6.6).

use chiaro_sim::{Op as U, Slot};

use super::Doer;
use super::division;
use super::pieces::{bit_mask, carried, clamp_signed, half_order, join, legacy_fma, normalised, stopped_sum};
use super::uops::Uops;
use crate::isa::vop3::Vop3;

pub(super) fn vop3(op: Vop3, u: &mut Uops) -> Doer {
    use Vop3 as V;
    match op {
        V::MadI32I24 => mad24(u, U::FieldS),
        V::MadU32U24 => mad24(u, U::FieldU),
        V::BfeU32 => three(u, |u, [a, b, c]| u.t(U::FieldU, &[a, b, c])),
        V::BfeI32 => three(u, |u, [a, b, c]| {
            // A field that reaches beyond the word has the word's sign above.
            let (zero, part) = (u.imm(0), u.t(U::Sar, &[a, b]));
            u.t(U::FieldS, &[part, zero, c])
        }),
        V::BfiB32 => three(u, |u, [a, b, c]| u.t(U::Blend, &[a, b, c])),
        V::LerpU8 => three(u, lerp),
        V::AlignbitB32 => three(u, |u, [a, b, c]| align(u, a, b, c)),
        V::AlignbyteB32 => three(u, |u, [a, b, c]| {
            let bytes = u.field(U::FieldU, c, 0, 2);
            let bits = u.ti(U::Shl, bytes, 3);
            align(u, a, b, bits)
        }),
        V::Min3I32 => both(u, U::MinS),
        V::Min3U32 => both(u, U::MinU),
        V::Max3I32 => both(u, U::MaxS),
        V::Max3U32 => both(u, U::MaxU),
        V::Med3I32 => three(u, |u, s| median(u, U::MinS, U::MaxS, s)),
        V::Med3U32 => three(u, |u, s| median(u, U::MinU, U::MaxU, s)),
        V::SadU8 => three(u, |u, [a, b, c]| {
            let sum = u.t(U::SumDistances, &[a, b]);
            plus(u, sum, c)
        }),
        V::SadHiU8 => three(u, |u, [a, b, c]| {
            let sum = u.t(U::SumDistances, &[a, b]);
            let sum = u.ti(U::Shl, sum, 16);
            plus(u, sum, c)
        }),
        V::SadU16 => three(u, sad_shorts),
        V::SadU32 => three(u, |u, [a, b, c]| {
            let distance = apart(u, a, b);
            plus(u, distance, c)
        }),
        V::MsadU8 => three(u, |u, [a, b, c]| {
            let sum = masked_sad(u, a, b);
            plus(u, sum, c)
        }),
        V::CvtPkU8F32 => pack_byte(u),
        V::MulLoU32 => two(u, |u, a, b| u.t(U::Mul, &[a, b])),
        V::MulHiU32 => two(u, |u, a, b| u.t(U::MulHighU, &[a, b])),
        V::MulHiI32 => two(u, |u, a, b| u.t(U::MulHighS, &[a, b])),
        V::Xor3B32 => three(u, |u, [a, b, c]| then(u, U::Xor, U::Xor, a, b, c)),
        V::XadU32 => three(u, |u, [a, b, c]| then(u, U::Xor, U::Add, a, b, c)),
        V::LshlAddU32 => three(u, |u, [a, b, c]| then(u, U::Shl, U::Add, a, b, c)),
        V::AddLshlU32 => three(u, |u, [a, b, c]| then(u, U::Add, U::Shl, a, b, c)),
        V::Add3U32 => three(u, |u, [a, b, c]| then(u, U::Add, U::Add, a, b, c)),
        V::LshlOrB32 => three(u, |u, [a, b, c]| then(u, U::Shl, U::Or, a, b, c)),
        V::AndOrB32 => three(u, |u, [a, b, c]| then(u, U::And, U::Or, a, b, c)),
        V::Or3B32 => three(u, |u, [a, b, c]| then(u, U::Or, U::Or, a, b, c)),
        V::PermB32 => three(u, permuted),
        V::BfmB32 => two(u, bit_mask),
        V::BcntU32B32 => two(u, |u, a, b| {
            let count = u.t(U::Count, &[a]);
            plus(u, count, b)
        }),
        V::MbcntLoU32B32 => below(u, false),
        V::MbcntHiU32B32 => below(u, true),
        V::CvtPkU16U32 => two(u, |u, a, b| {
            let [a, b] = [a, b].map(|s| u.ti(U::MinU, s, 0xffff));
            join(u, a, b)
        }),
        V::CvtPkI16I32 => two(u, |u, a, b| {
            let [a, b] = [a, b].map(|s| clamp_signed(u, s, -0x8000, 0x7fff));
            join(u, a, b)
        }),
        V::SubNcI32 => two(u, |u, a, b| u.t(if u.i.clamp { U::SubSatS } else { U::Sub }, &[a, b])),
        V::AddNcI32 => two(u, |u, a, b| u.t(if u.i.clamp { U::AddSatS } else { U::Add }, &[a, b])),
        V::AddCoU32 => carried(u, U::AddCarry, false, false),
        V::SubCoU32 => carried(u, U::SubBorrow, false, false),
        V::SubrevCoU32 => carried(u, U::SubBorrow, true, false),
        other => return long(other, u),
    }
    Doer::Vector
}

/// Pairs and doubles.
fn long(op: Vop3, u: &mut Uops) -> Doer {
    use Vop3 as V;
    match op {
        V::LshlrevB64 => shift(u, U::Shl64),
        V::LshrrevB64 => shift(u, U::Shr64),
        V::AshrrevI64 => shift(u, U::Sar64),
        V::MadU64U32 => mad64(u, false),
        V::MadI64I32 => mad64(u, true),
        V::QsadPkU16U8 => four_sads(u, false),
        V::MqsadPkU16U8 => four_sads(u, true),
        V::MqsadU32U8 => four_wide_sads(u),
        V::FmaF64 => {
            let (a, b, c) = (u.double(0), u.double(1), u.double(2));
            let r = u.t(U::Dfma, &[a, b, c]);
            u.put_double(r);
        }
        V::DivFmasF64 => {
            let sources = [0, 1, 2].map(|k| u.double(k));
            let scales = u.t(U::MaskToLane, &[Slot(crate::regs::code::VCC_LO)]);
            let r = division::scaled_back(u, sources, scales);
            u.put_double(r);
        }
        V::AddF64 => doubles(u, U::Dadd),
        V::MulF64 => doubles(u, U::Dmul),
        V::MinF64 => doubles(u, U::DminSigned),
        V::MaxF64 => doubles(u, U::DmaxSigned),
        V::LdexpF64 => {
            let (a, b) = (u.double(0), u.word(1));
            let r = u.t(U::Dldexp, &[a, b]);
            u.put_double(r);
        }
        V::DivFixupF64 => {
            let sources = [0, 1, 2].map(|k| u.double(k));
            let r = division::fixup(u, division::DOUBLE, sources);
            u.put_double(r);
        }
        V::DivScaleF64 => {
            let sources = [0, 1, 2].map(|k| u.double(k));
            let [r, scales] = division::scaled(u, &division::DOUBLES, sources);
            u.put_mask(scales);
            u.put_double(r);
        }
        V::TrigPreopF64 => return Doer::Unknown,
        other => return shorts(other, u),
    }
    Doer::Vector
}

fn shorts(op: Vop3, u: &mut Uops) -> Doer {
    use Vop3 as V;
    match op {
        V::AddNcU16 => short(u, U::FieldU, |u, [a, b, _]| {
            let r = u.t(U::Add, &[a, b]);
            if u.i.clamp { u.ti(U::MinU, r, 0xffff) } else { r }
        }),
        V::SubNcU16 => {
            short(u, U::FieldU, |u, [a, b, _]| u.t(if u.i.clamp { U::SubSatU } else { U::Sub }, &[a, b]));
        }
        V::AddNcI16 => short(u, U::FieldS, |u, [a, b, _]| {
            let r = u.t(U::Add, &[a, b]);
            within_short(u, r)
        }),
        V::SubNcI16 => short(u, U::FieldS, |u, [a, b, _]| {
            let r = u.t(U::Sub, &[a, b]);
            within_short(u, r)
        }),
        V::MulLoU16 => short(u, U::FieldU, |u, [a, b, _]| u.t(U::Mul, &[a, b])),
        V::LshrrevB16 => short(u, U::FieldU, |u, [a, b, _]| by_short(u, U::Shr, a, b)),
        V::AshrrevI16 => short(u, U::FieldS, |u, [a, b, _]| by_short(u, U::Sar, a, b)),
        V::LshlrevB16 => short(u, U::FieldU, |u, [a, b, _]| by_short(u, U::Shl, a, b)),
        V::MaxU16 => short(u, U::FieldU, |u, [a, b, _]| u.t(U::MaxU, &[a, b])),
        V::MinU16 => short(u, U::FieldU, |u, [a, b, _]| u.t(U::MinU, &[a, b])),
        V::MaxI16 => short(u, U::FieldS, |u, [a, b, _]| u.t(U::MaxS, &[a, b])),
        V::MinI16 => short(u, U::FieldS, |u, [a, b, _]| u.t(U::MinS, &[a, b])),
        V::MadU16 => short(u, U::FieldU, |u, [a, b, c]| {
            let r = then(u, U::Mul, U::Add, a, b, c);
            if u.i.clamp { u.ti(U::MinU, r, 0xffff) } else { r }
        }),
        V::MadI16 => short(u, U::FieldS, |u, [a, b, c]| {
            let r = then(u, U::Mul, U::Add, a, b, c);
            within_short(u, r)
        }),
        V::Min3I16 => short(u, U::FieldS, |u, [a, b, c]| then(u, U::MinS, U::MinS, a, b, c)),
        V::Max3I16 => short(u, U::FieldS, |u, [a, b, c]| then(u, U::MaxS, U::MaxS, a, b, c)),
        V::Med3I16 => short(u, U::FieldS, |u, s| median(u, U::MinS, U::MaxS, s)),
        V::Min3U16 => short(u, U::FieldU, |u, [a, b, c]| then(u, U::MinU, U::MinU, a, b, c)),
        V::Max3U16 => short(u, U::FieldU, |u, [a, b, c]| then(u, U::MaxU, U::MaxU, a, b, c)),
        V::Med3U16 => short(u, U::FieldU, |u, s| median(u, U::MinU, U::MaxU, s)),
        V::MadU32U16 => mad_wide(u, U::FieldU),
        V::MadI32I16 => mad_wide(u, U::FieldS),
        V::PackB32F16 => {
            u.f16();
            let (a, b) = (u.read_half(0), u.read_half(1));
            let r = join(u, a, b);
            u.put(r);
        }
        V::CvtPknormI16F16 => pack_halves(u, true),
        V::CvtPknormU16F16 => pack_halves(u, false),
        V::CvtPknormI16F32 => pack_floats(u, true),
        V::CvtPknormU16F32 => pack_floats(u, false),
        V::FmaF16 => halves(u, |u, [a, b, c]| u.t(U::Ffma, &[a, b, c])),
        V::DivFixupF16 => halves(u, |u, s| division::fixup(u, division::HALF, s)),
        V::Min3F16 => halves(u, |u, s| extreme_halves(u, U::FminSigned, s)),
        V::Max3F16 => halves(u, |u, s| extreme_halves(u, U::FmaxSigned, s)),
        V::Med3F16 => halves(u, median_floats),
        other => return floats(other, u),
    }
    Doer::Vector
}

fn floats(op: Vop3, u: &mut Uops) -> Doer {
    use Vop3 as V;
    match op {
        V::FmaF32 => float(u, |u, [a, b, c]| u.t(U::Ffma, &[a, b, c])),
        V::FmaLegacyF32 => float(u, |u, [a, b, c]| legacy_fma(u, a, b, c)),
        V::DivFmasF32 => {
            u.f32();
            let [a, b, c] = [0, 1, 2].map(|k| u.float(k));
            let r = u.t(U::Ffma, &[a, b, c]);
            let by = u.imm(u.choices.fmas_by);
            let scaled = u.t(U::Fldexp, &[r, by]);
            let which = u.t(U::MaskToLane, &[Slot(crate::regs::code::VCC_LO)]);
            let r = u.t(U::Select, &[which, scaled, r]);
            u.put_float(r);
        }
        V::DivScaleF32 => {
            u.f32();
            let sources = [0, 1, 2].map(|k| u.float(k));
            let [r, scales] = division::scaled(u, &division::FLOATS, sources);
            u.put_mask(scales);
            u.put_float(r);
        }
        V::DivFixupF32 => float(u, |u, s| division::fixup(u, division::FLOAT, s)),
        V::Min3F32 => float(u, |u, s| extreme(u, U::FminSigned, s)),
        V::Max3F32 => float(u, |u, s| extreme(u, U::FmaxSigned, s)),
        V::Med3F32 => float(u, median_floats),
        V::CubeidF32 => float(u, |u, s| cube(u, s).face),
        V::CubescF32 => float(u, |u, s| cube(u, s).s),
        V::CubetcF32 => float(u, |u, s| cube(u, s).t),
        V::CubemaF32 => float(u, |u, s| cube(u, s).major),
        V::MullitF32 => float(u, lit_product),
        V::LdexpF32 => {
            u.f32();
            let (a, b) = (u.float(0), u.word(1));
            let r = u.t(U::Fldexp, &[a, b]);
            u.put_float(r);
        }
        V::ReadlaneB32 | V::WritelaneB32 | V::Permlane16B32 | V::Permlanex16B32 => return Doer::Cross,
        // Interpolation is graphics; of the rest nobody has published bits that agree.
        _ => return Doer::Unknown,
    }
    Doer::Vector
}

fn two(u: &mut Uops, f: impl FnOnce(&mut Uops, Slot, Slot) -> Slot) {
    let (a, b) = (u.word(0), u.word(1));
    let r = f(u, a, b);
    u.put(r);
}

fn three(u: &mut Uops, f: impl FnOnce(&mut Uops, [Slot; 3]) -> Slot) {
    let sources = [0, 1, 2].map(|k| u.word(k));
    let r = f(u, sources);
    u.put(r);
}

fn float(u: &mut Uops, f: impl FnOnce(&mut Uops, [Slot; 3]) -> Slot) {
    u.f32();
    let sources = [0, 1, 2].map(|k| u.float(k));
    let r = f(u, sources);
    u.put_float(r);
}

fn halves(u: &mut Uops, f: impl FnOnce(&mut Uops, [Slot; 3]) -> Slot) {
    u.f16();
    let sources = [0, 1, 2].map(|k| u.half(k));
    let r = f(u, sources);
    u.put_half(r);
}

fn short(u: &mut Uops, field: U, f: impl FnOnce(&mut Uops, [Slot; 3]) -> Slot) {
    let sources = [0, 1, 2].map(|k| u.short(k, field));
    let r = f(u, sources);
    let low = u.field(U::FieldU, r, 0, 16);
    u.put_short(low);
}

fn doubles(u: &mut Uops, op: U) {
    let (a, b) = (u.double(0), u.double(1));
    let r = u.t(op, &[a, b]);
    u.put_double(r);
}

fn shift(u: &mut Uops, op: U) {
    let (by, a) = (u.word(0), u.long(1));
    let r = u.t(op, &[a, by]);
    u.put_long(r);
}

/// One operation on the first two, the next on its result and the third.
fn then(u: &mut Uops, first: U, second: U, a: Slot, b: Slot, c: Slot) -> Slot {
    let r = u.t(first, &[a, b]);
    u.t(second, &[r, c])
}

fn plus(u: &mut Uops, a: Slot, b: Slot) -> Slot {
    u.t(U::Add, &[a, b])
}

fn both(u: &mut Uops, op: U) {
    three(u, |u, [a, b, c]| then(u, op, op, a, b, c));
}

fn median(u: &mut Uops, min: U, max: U, [a, b, c]: [Slot; 3]) -> Slot {
    let (low, high) = (u.t(min, &[a, b]), u.t(max, &[a, b]));
    let inner = u.t(min, &[high, c]);
    u.t(max, &[low, inner])
}

fn extreme(u: &mut Uops, op: U, sources: [Slot; 3]) -> Slot {
    let [a, b, c] = if u.mode.flushes_f32() { sources.map(|s| u.t(U::Fcanon, &[s])) } else { sources };
    then(u, op, op, a, b, c)
}

fn extreme_halves(u: &mut Uops, op: U, [a, b, c]: [Slot; 3]) -> Slot {
    let first = half_order(u, op, a, b);
    half_order(u, op, first, c)
}

/// The middle one; the smallest where one of them is no number.
fn median_floats(u: &mut Uops, sources: [Slot; 3]) -> Slot {
    let [a, b, c] = sources.map(|s| u.t(U::Fcanon, &[s]));
    let middle = median(u, U::FminSigned, U::FmaxSigned, [a, b, c]);
    let least = then(u, U::FminSigned, U::FminSigned, a, b, c);
    let [x, y, z] = [a, b, c].map(|s| u.t(U::Feq, &[s, s]));
    let numbers = then(u, U::And, U::And, x, y, z);
    u.t(U::Select, &[numbers, middle, least])
}

fn mad24(u: &mut Uops, field: U) {
    three(u, |u, [a, b, c]| {
        let (a, b) = (u.field(field, a, 0, 24), u.field(field, b, 0, 24));
        if !u.i.clamp {
            return then(u, U::Mul, U::Add, a, b, c);
        }
        saturated_sum(u, field == U::FieldS, a, b, c)
    });
}

/// A product plus a word, stopping at the limits of words.
fn saturated_sum(u: &mut Uops, signed: bool, a: Slot, b: Slot, c: Slot) -> Slot {
    let wide = u.t(if signed { U::MulWideS } else { U::MulWideU }, &[a, b]);
    stopped_sum(u, wide, c, signed)
}

fn mad_wide(u: &mut Uops, field: U) {
    let (a, b, c) = (u.short(0, field), u.short(1, field), u.word(2));
    let r = if u.i.clamp {
        saturated_sum(u, field == U::FieldS, a, b, c)
    } else {
        then(u, U::Mul, U::Add, a, b, c)
    };
    u.put(r);
}

fn within_short(u: &mut Uops, r: Slot) -> Slot {
    if u.i.clamp { clamp_signed(u, r, -0x8000, 0x7fff) } else { r }
}

/// `b` shifted by four bits of `a`.
fn by_short(u: &mut Uops, op: U, a: Slot, b: Slot) -> Slot {
    let by = u.field(U::FieldU, a, 0, 4);
    u.t(op, &[b, by])
}

fn lerp(u: &mut Uops, [a, b, c]: [Slot; 3]) -> Slot {
    // Per byte: the bits both have, half of those that one has, and the carry of the last bit.
    let (same, other) = (u.t(U::And, &[a, b]), u.t(U::Xor, &[a, b]));
    let half = u.ti(U::Shr, other, 1);
    let half = u.ti(U::And, half, 0x7f7f_7f7f);
    let sum = u.t(U::Add, &[same, half]);
    let odd = u.t(U::And, &[other, c]);
    let odd = u.ti(U::And, odd, 0x0101_0101);
    u.t(U::Add, &[sum, odd])
}

fn align(u: &mut Uops, high: Slot, low: Slot, by: Slot) -> Slot {
    let both = u.spare(2);
    u.op(U::Mov, both, &[low]);
    u.op(U::Mov, both.at(1), &[high]);
    u.t(U::Funnel, &[both, by])
}

fn apart(u: &mut Uops, a: Slot, b: Slot) -> Slot {
    let (low, high) = (u.t(U::MinU, &[a, b]), u.t(U::MaxU, &[a, b]));
    u.t(U::Sub, &[high, low])
}

fn sad_shorts(u: &mut Uops, [a, b, c]: [Slot; 3]) -> Slot {
    let distances = [0, 16].map(|from| {
        let (x, y) = (u.field(U::FieldU, a, from, 16), u.field(U::FieldU, b, from, 16));
        apart(u, x, y)
    });
    let sum = u.t(U::Add, &distances);
    plus(u, sum, c)
}

/// Distances of bytes, but those whose reference byte (of `b`) is 0.
fn masked_sad(u: &mut Uops, a: Slot, b: Slot) -> Slot {
    // All ones in the bytes of the reference that are not zero.
    let low = u.ti(U::And, b, 0x7f7f_7f7f);
    let carried = u.ti(U::Add, low, 0x7f7f_7f7f);
    let any = u.t(U::Or, &[carried, b]);
    let top = u.ti(U::And, any, 0x8080_8080);
    let ones = u.ti(U::Shr, top, 7);
    let mask = u.ti(U::Mul, ones, 255);
    let a = u.t(U::And, &[a, mask]);
    u.t(U::SumDistances, &[a, b])
}

/// Sums of four windows of eight bytes against a reference.
fn windows(u: &mut Uops, masked: bool) -> [Slot; 4] {
    let (a, b) = (u.long(0), u.word(1));
    [0, 8, 16, 24].map(|from| {
        let by = u.imm(from);
        let window = u.t(U::Funnel, &[a, by]);
        if masked { masked_sad(u, window, b) } else { u.t(U::SumDistances, &[window, b]) }
    })
}

fn four_sads(u: &mut Uops, masked: bool) {
    let (sums, c) = (windows(u, masked), u.long(2));
    let words = [0, 1].map(|n: u16| {
        let halves = [0, 1].map(|half: u16| {
            let old = u.field(U::FieldU, c.at(n), u32::from(half) * 16, 16);
            let sum = plus(u, sums[usize::from(n * 2 + half)], old);
            if u.i.clamp { u.ti(U::MinU, sum, 0xffff) } else { sum }
        });
        join(u, halves[0], halves[1])
    });
    let d = u.vdst();
    u.op(U::Mov, d, &[words[0]]);
    u.op(U::Mov, d.at(1), &[words[1]]);
}

fn four_wide_sads(u: &mut Uops) {
    let (sums, c, d) = (windows(u, true), u.long(2), u.vdst());
    let op = if u.i.clamp { U::AddSatU } else { U::Add };
    let sums = [0, 1, 2, 3].map(|n: u16| u.t(op, &[sums[usize::from(n)], c.at(n)]));
    for (n, sum) in (0..).zip(sums) {
        u.op(U::Mov, d.at(n), &[sum]);
    }
}

fn pack_byte(u: &mut Uops) {
    u.f32();
    let (a, b, c) = (u.float(0), u.word(1), u.word(2));
    let whole = u.t(U::FtoU, &[a]);
    let byte = u.ti(U::MinU, whole, 255);
    let place = u.field(U::FieldU, b, 0, 2);
    let (place, ones) = (u.ti(U::Shl, place, 3), u.imm(255));
    let (byte, mask) = (u.t(U::Shl, &[byte, place]), u.t(U::Shl, &[ones, place]));
    let r = u.t(U::Blend, &[mask, byte, c]);
    u.put(r);
}

/// Bytes of two words by four selectors; those from 8 on are signs and constants.
fn permuted(u: &mut Uops, [a, b, c]: [Slot; 3]) -> Slot {
    let both = u.spare(2);
    u.op(U::Mov, both, &[b]);
    u.op(U::Mov, both.at(1), &[a]);
    let mut r = u.t(U::Bytes, &[both, c]);
    // Once for all four bytes: spare slots are few.
    let signs = [(b, 15), (b, 31), (a, 15), (a, 31)].map(|(word, bit)| {
        let sign = u.field(U::FieldS, word, bit, 1);
        u.ti(U::And, sign, 255)
    });
    for n in 0..4 {
        let selector = u.field(U::FieldU, c, n * 8, 8);
        let special = permuted_special(u, signs, selector);
        let (seven, moved) = (u.imm(7), u.ti(U::Shl, special, n * 8));
        let is_special = u.t(U::LtU, &[seven, selector]);
        let mask = u.ti(U::And, is_special, 255 << (n * 8));
        r = u.t(U::Blend, &[mask, moved, r]);
    }
    r
}

/// Selectors 8 to 11: the sign of byte 1, 3, 5, 7; 12: zero; above: ones.
fn permuted_special(u: &mut Uops, signs: [Slot; 4], selector: Slot) -> Slot {
    let mut special = u.imm(255);
    for (value, sign) in (8..).zip(signs) {
        let here = u.ti(U::Eq, selector, value);
        special = u.t(U::Select, &[here, sign, special]);
    }
    let (twelve, zero) = (u.ti(U::Eq, selector, 12), u.imm(0));
    u.t(U::Select, &[twelve, zero, special])
}

/// Ones of a mask in the lanes below, of the lower or upper half of the wave.
fn below(u: &mut Uops, upper: bool) {
    let (a, b) = (u.word(0), u.word(1));
    let (lane, one) = (u.t(U::LaneId, &[]), u.imm(1));
    let bit = u.t(U::Shl, &[one, lane]);
    let lower_lanes = u.t(U::Sub, &[bit, one]);
    let in_upper = u.ti(U::Shr, lane, 5);
    let (all, none) = (u.imm(u32::MAX), u.imm(0));
    let mask = if upper {
        u.t(U::Select, &[in_upper, lower_lanes, none])
    } else {
        u.t(U::Select, &[in_upper, all, lower_lanes])
    };
    let ones = u.t(U::And, &[a, mask]);
    let count = u.t(U::Count, &[ones]);
    let r = plus(u, count, b);
    u.put(r);
}

/// A long product plus a long addend; the mask gets the carry, or that it overflows.
fn mad64(u: &mut Uops, signed: bool) {
    let (a, b, c) = (u.word(0), u.word(1), u.long(2));
    let product = u.t(if signed { U::MulWideS } else { U::MulWideU }, &[a, b]);
    let sum = u.t(U::Add64, &[product, c]);
    let over = if signed {
        let (x, y) = (u.t(U::Xor, &[product.at(1), sum.at(1)]), u.t(U::Xor, &[c.at(1), sum.at(1)]));
        let both = u.t(U::And, &[x, y]);
        u.ti(U::Shr, both, 31)
    } else {
        u.t(U::LtU64, &[sum, c])
    };
    u.put_mask(over);
    u.put_long(sum);
}

fn pack_floats(u: &mut Uops, signed: bool) {
    u.f32();
    let sources = [u.float(0), u.float(1)];
    let [low, high] = sources.map(|s| normalised(u, s, signed));
    let r = join(u, low, high);
    u.put(r);
}

fn pack_halves(u: &mut Uops, signed: bool) {
    u.f16();
    let sources = [u.half(0), u.half(1)];
    let wide = sources.map(|s| u.t(U::Funpack, &[s]));
    let [low, high] = wide.map(|s| normalised(u, s, signed));
    let r = join(u, low, high);
    u.put(r);
}

/// Where a direction meets a cube.
struct Cube {
    face: Slot,
    s: Slot,
    t: Slot,
    major: Slot,
}

fn cube(u: &mut Uops, [x, y, z]: [Slot; 3]) -> Cube {
    let [ax, ay, az] = [x, y, z].map(|s| u.ti(U::And, s, 0x7fff_ffff));
    let (zx, zy, yx) = (u.t(U::Fle, &[ax, az]), u.t(U::Fle, &[ay, az]), u.t(U::Fle, &[ax, ay]));
    let is_z = u.t(U::And, &[zx, zy]);
    let pick = |u: &mut Uops, of_x: Slot, of_y: Slot, of_z: Slot| {
        let rest = u.t(U::Select, &[yx, of_y, of_x]);
        u.t(U::Select, &[is_z, of_z, rest])
    };
    let zero = u.imm(0);
    let [nx, ny, nz] = [x, y, z].map(|s| u.t(U::Flt, &[s, zero]));
    let [mx, my, mz] = [x, y, z].map(|s| u.t(U::Fneg, &[s]));
    let faces = [(nx, 0.0_f32), (ny, 2.0), (nz, 4.0)].map(|(negative, face)| {
        let (odd, even) = (u.imm((face + 1.0).to_bits()), u.imm(face.to_bits()));
        u.t(U::Select, &[negative, odd, even])
    });
    let face = pick(u, faces[0], faces[1], faces[2]);
    let s_x = u.t(U::Select, &[nx, z, mz]);
    let s_z = u.t(U::Select, &[nz, mx, x]);
    let s = pick(u, s_x, x, s_z);
    let t_y = u.t(U::Select, &[ny, mz, z]);
    let t = pick(u, my, t_y, my);
    let axis = pick(u, x, y, z);
    let major = u.t(U::Fadd, &[axis, axis]);
    Cube { face, s, t, major }
}

fn lit_product(u: &mut Uops, [a, b, c]: [Slot; 3]) -> Slot {
    let (most, zero, product) = (u.imm(0xff7f_ffff), u.imm(0), u.t(U::Fmul, &[a, b]));
    let (over, positive) = (u.t(U::Flt, &[most, b]), u.t(U::Flt, &[zero, c]));
    let fine = u.t(U::And, &[over, positive]);
    u.t(U::Select, &[fine, product, most])
}
