//! Two halves at once, sums of products, mixed precision (spec section 6.7).

use chiaro_sim::{Op as U, Slot};

use super::Doer;
use super::choices::Dots;
use super::pieces::{clamp_signed, half_order, join, stopped_sum};
use super::uops::Uops;
use crate::isa::vop3p::Vop3p;
use crate::operand::constant::Number;

pub(super) fn vop3p(op: Vop3p, u: &mut Uops) -> Doer {
    use Vop3p as V;
    match op {
        V::PkMadI16 => shorts(u, U::FieldS, |u, [a, b, c]| {
            let product = u.t(U::Mul, &[a, b]);
            let r = u.t(U::Add, &[product, c]);
            limited(u, r)
        }),
        V::PkMadU16 => shorts(u, U::FieldU, |u, [a, b, c]| {
            let product = u.t(U::Mul, &[a, b]);
            let r = u.t(U::Add, &[product, c]);
            if u.i.clamp { u.ti(U::MinU, r, 0xffff) } else { r }
        }),
        V::PkMulLoU16 => shorts(u, U::FieldU, |u, [a, b, _]| u.t(U::Mul, &[a, b])),
        V::PkAddI16 => shorts(u, U::FieldS, |u, [a, b, _]| {
            let r = u.t(U::Add, &[a, b]);
            limited(u, r)
        }),
        V::PkSubI16 => shorts(u, U::FieldS, |u, [a, b, _]| {
            let r = u.t(U::Sub, &[a, b]);
            limited(u, r)
        }),
        V::PkAddU16 => shorts(u, U::FieldU, |u, [a, b, _]| {
            let r = u.t(U::Add, &[a, b]);
            if u.i.clamp { u.ti(U::MinU, r, 0xffff) } else { r }
        }),
        V::PkSubU16 => {
            shorts(u, U::FieldU, |u, [a, b, _]| u.t(if u.i.clamp { U::SubSatU } else { U::Sub }, &[a, b]));
        }
        V::PkLshlrevB16 => shorts(u, U::FieldU, |u, [a, b, _]| shifted(u, U::Shl, a, b)),
        V::PkLshrrevB16 => shorts(u, U::FieldU, |u, [a, b, _]| shifted(u, U::Shr, a, b)),
        V::PkAshrrevI16 => shorts(u, U::FieldS, |u, [a, b, _]| shifted(u, U::Sar, a, b)),
        V::PkMaxI16 => shorts(u, U::FieldS, |u, [a, b, _]| u.t(U::MaxS, &[a, b])),
        V::PkMinI16 => shorts(u, U::FieldS, |u, [a, b, _]| u.t(U::MinS, &[a, b])),
        V::PkMaxU16 => shorts(u, U::FieldU, |u, [a, b, _]| u.t(U::MaxU, &[a, b])),
        V::PkMinU16 => shorts(u, U::FieldU, |u, [a, b, _]| u.t(U::MinU, &[a, b])),
        V::PkFmaF16 => halves(u, |u, [a, b, c]| u.t(U::Ffma, &[a, b, c])),
        V::PkAddF16 => halves(u, |u, [a, b, _]| u.t(U::Fadd, &[a, b])),
        V::PkMulF16 => halves(u, |u, [a, b, _]| u.t(U::Fmul, &[a, b])),
        V::PkMinF16 => halves(u, |u, [a, b, _]| half_order(u, U::FminSigned, a, b)),
        V::PkMaxF16 => halves(u, |u, [a, b, _]| half_order(u, U::FmaxSigned, a, b)),
        V::Dot2F32F16 => {
            let c = u.float(2);
            return dot_halves(u, [Number::Halves; 2], c);
        }
        V::Dot2I32I16 => dot_shorts(u, true),
        V::Dot2U32U16 => dot_shorts(u, false),
        V::Dot4I32I8 => return dot_third(u, 8, true),
        V::Dot4U32U8 => return dot_third(u, 8, false),
        V::Dot8I32I4 => return dot_third(u, 4, true),
        V::Dot8U32U4 => return dot_third(u, 4, false),
        V::FmaMixF32 => {
            let r = mixed(u);
            u.put_float(r);
        }
        V::FmaMixloF16 => mixed_half(u, false),
        V::FmaMixhiF16 => mixed_half(u, true),
    }
    Doer::Vector
}

/// Both results from the halves that op_sel and op_sel_hi choose.
fn shorts(u: &mut Uops, field: U, f: impl Fn(&mut Uops, [Slot; 3]) -> Slot) {
    let [low, high] = [u.i.select, u.i.select_high].map(|select| {
        let sources = [0, 1, 2].map(|k| u.packed(k, select >> k & 1 == 1, field, Number::Shorts));
        f(u, sources)
    });
    let r = join(u, low, high);
    u.put(r);
}

fn halves(u: &mut Uops, f: impl Fn(&mut Uops, [Slot; 3]) -> Slot) {
    u.f16();
    let ways = [(u.i.select, u.i.neg_low), (u.i.select_high, u.i.neg_high)];
    let [low, high] = ways.map(|(select, neg)| {
        let sources = [0, 1, 2].map(|k| {
            let half = u.packed(k, select >> k & 1 == 1, U::FieldU, Number::Halves);
            if neg >> k & 1 == 1 { u.ti(U::Xor, half, 0x8000) } else { half }
        });
        let r = f(u, sources);
        u.finished_half(r)
    });
    let r = join(u, low, high);
    u.put(r);
}

/// v_pk_fmac_f16: both halves of the destination are added to.
pub(super) fn fmac(u: &mut Uops) -> Doer {
    u.f16();
    let d = u.vdst();
    let [low, high] = [false, true].map(|high| {
        let (a, b) =
            (u.packed(0, high, U::FieldU, Number::Halves), u.packed(1, high, U::FieldU, Number::Halves));
        let c = u.field(U::FieldU, d, if high { 16 } else { 0 }, 16);
        u.t(U::Ffma, &[a, b, c])
    });
    let r = join(u, low, high);
    u.put(r);
    Doer::Vector
}

fn limited(u: &mut Uops, r: Slot) -> Slot {
    if u.i.clamp { clamp_signed(u, r, -0x8000, 0x7fff) } else { r }
}

fn shifted(u: &mut Uops, op: U, a: Slot, b: Slot) -> Slot {
    let by = u.field(U::FieldU, a, 0, 4);
    u.t(op, &[b, by])
}

/// c + a0 b0 + a1 b1 of half floats in words, each sum rounded, the second product first:
/// nobody has published how often hardware rounds. [assumed]
pub(super) fn dot_halves(u: &mut Uops, numbers: [Number; 2], c: Slot) -> Doer {
    u.f16();
    let mut factors = [[Slot::default(); 2]; 2];
    for (half, pair) in factors.iter_mut().enumerate() {
        for (k, factor) in pair.iter_mut().enumerate() {
            let select = if half == 0 { u.i.select } else { u.i.select_high };
            // The short form has no selection: its halves meet as they stand.
            let high = if u.i.select_high == 0 { half == 1 } else { select >> k & 1 == 1 };
            let bits = u.packed(k, high, U::FieldU, numbers[k]);
            let neg = if half == 0 { u.i.neg_low } else { u.i.neg_high };
            let bits = if neg >> k & 1 == 1 { u.ti(U::Xor, bits, 0x8000) } else { bits };
            *factor = u.t(U::Funpack, &[bits]);
        }
    }
    u.f32();
    let [first, second] = match u.choices.dots {
        Dots::First => [0, 1],
        Dots::Second | Dots::Once => [1, 0],
    };
    let r = if u.choices.dots == Dots::Once {
        let [one, other] = factors.map(|pair| pair.map(|factor| u.t(U::FtoD, &[factor])));
        let c = u.t(U::FtoD, &[c]);
        let sum = u.t(U::Dfma, &[other[0], other[1], c]);
        let sum = u.t(U::Dfma, &[one[0], one[1], sum]);
        let word = u.t(U::DtoF, &[sum]);
        u.t(U::Fcanon, &[word])
    } else {
        let sum = u.t(U::Ffma, &[factors[first][0], factors[first][1], c]);
        u.t(U::Ffma, &[factors[second][0], factors[second][1], sum])
    };
    u.put_float(r);
    Doer::Vector
}

fn dot_shorts(u: &mut Uops, signed: bool) {
    let field = if signed { U::FieldS } else { U::FieldU };
    let selects = [u.i.select, u.i.select_high];
    let products = selects.map(|select| {
        let [a, b] = [0, 1].map(|k| u.packed(k, select >> k & 1 == 1, field, Number::Shorts));
        u.t(if signed { U::MulWideS } else { U::MulWideU }, &[a, b])
    });
    let c = u.word(2);
    let sum = u.t(U::Add64, &products);
    let r = sum_with(u, sum, c, signed);
    u.put(r);
}

fn dot_third(u: &mut Uops, width: u32, signed: bool) -> Doer {
    let c = u.word(2);
    dot_words(u, c, width, signed)
}

/// A word plus the products of four bytes or eight nibbles.
pub(super) fn dot_words(u: &mut Uops, c: Slot, width: u32, signed: bool) -> Doer {
    let field = if signed { U::FieldS } else { U::FieldU };
    let (a, b) = (u.word(0), u.word(1));
    let mut sum = u.imm(0);
    for n in 0..32 / width {
        let (x, y) = (u.field(field, a, n * width, width), u.field(field, b, n * width, width));
        let product = u.t(U::Mul, &[x, y]);
        sum = u.t(U::Add, &[sum, product]);
    }
    let wide = u.spare(2);
    u.op(U::Mov, wide, &[sum]);
    let above = if signed { u.ti(U::Sar, sum, 31) } else { u.imm(0) };
    u.op(U::Mov, wide.at(1), &[above]);
    let r = sum_with(u, wide, c, signed);
    u.put(r);
    Doer::Vector
}

/// A long sum plus a word, as a word; with clamp stopping at its limits.
fn sum_with(u: &mut Uops, sum: Slot, c: Slot, signed: bool) -> Slot {
    if u.i.clamp { stopped_sum(u, sum, c, signed) } else { u.t(U::Add, &[sum, c]) }
}

/// Product plus sum of sources that are words, or halves widened exactly.
fn mixed(u: &mut Uops) -> Slot {
    let sources = [0, 1, 2].map(|k| {
        if u.i.select_high >> k & 1 == 0 {
            return u.mixed_word(k);
        }
        u.f16();
        let half = u.mixed_half(k);
        u.t(U::Funpack, &[half])
    });
    u.f32();
    u.t(U::Ffma, &sources)
}

fn mixed_half(u: &mut Uops, high: bool) {
    let r = mixed(u);
    u.f16();
    let r = u.t(U::Fpack, &[r]);
    let r = u.finished_half(r);
    u.i.select = if high { 8 } else { 0 };
    u.put_short(r);
}
