//! binary16 of a whole slot at once, by the processor's own conversions to binary32 and back.
//!
//! Sums and products of [`FloatEnv::HALF`](crate::FloatEnv::HALF) are mostly conversions. The compiler does not
//! find the instructions for them by itself, so they are spelled out. (Measured: with them, sums, products and both
//! together take half of the time that [`Half`](crate::f16::Half) takes in a loop.)

use std::marker::PhantomData;

use crate::arith::f;
use crate::body::{Body, Bound, Kept, compiled, lanes_mut, operands, repetitions};
use crate::engine::Engine;
use crate::env::FloatEnv;
use crate::f16::{NAN, odd_sum};
use crate::op::Op;
use crate::state::{LANES, Lanes, State};
use crate::uop::Uop;

/// The kernel for an operation in binary16, if there is one of this kind.
pub(crate) fn kernel(op: Op, engine: Engine) -> Option<Bound> {
    match engine {
        #[cfg(target_arch = "x86_64")]
        Engine::Avx2 => bind::<Avx2>(op, engine),
        #[cfg(target_arch = "x86_64")]
        Engine::Avx512 => bind::<Avx512>(op, engine),
        _ => None,
    }
}

#[cfg(target_arch = "x86_64")]
fn bind<C: Convert>(op: Op, engine: Engine) -> Option<Bound> {
    Some(match op {
        Op::Fadd => compiled::<Halves<C, Sum>>(engine),
        Op::Fmul => compiled::<Halves<C, Product>>(engine),
        Op::Ffma => compiled::<Halves<C, Fused>>(engine),
        _ => return None,
    })
}

/// An operation on binary32 whose result, rounded to binary16, is that of binary16.
trait Wide {
    /// How many operands it has.
    const OPERANDS: usize;

    /// # Safety
    /// The processor has the instructions of `C`.
    unsafe fn eval<C: Convert>(operands: [&Lanes; 3]) -> Lanes;
}

/// A result for each lane of two operands.
#[inline(always)]
fn each([a, b, _]: [&Lanes; 3], eval: impl Fn(f32, f32) -> f32) -> Lanes {
    let mut result = Lanes::ZERO;
    for lane in 0..LANES {
        result.0[lane] = eval(f(a.0[lane]), f(b.0[lane])).to_bits();
    }
    result
}

struct Sum;

impl Wide for Sum {
    const OPERANDS: usize = 2;

    #[inline(always)]
    unsafe fn eval<C: Convert>(operands: [&Lanes; 3]) -> Lanes {
        each(operands, |a, b| a + b)
    }
}

struct Product;

impl Wide for Product {
    const OPERANDS: usize = 2;

    #[inline(always)]
    unsafe fn eval<C: Convert>(operands: [&Lanes; 3]) -> Lanes {
        each(operands, |a, b| a * b)
    }
}

struct Fused;

impl Wide for Fused {
    const OPERANDS: usize = 3;

    #[inline(always)]
    unsafe fn eval<C: Convert>([a, b, c]: [&Lanes; 3]) -> Lanes {
        // The product of two is exact in binary32.
        let product = each([a, b, c], |a, b| a * b);
        // SAFETY: as this function's.
        unsafe { C::odd_sum(&product, c) }
    }
}

/// An operation on the lanes of a slot, between two conversions.
struct Halves<C, W>(PhantomData<(C, W)>);

impl<C: Convert, W: Wide> Body for Halves<C, W> {
    const MASKED: bool = true;

    #[inline(always)]
    unsafe fn run<const MASKED: bool>(state: &mut State, uop: &Uop, _: &FloatEnv) {
        for i in 0..repetitions(uop) {
            // SAFETY: as this function's; who compiles a kernel for a processor runs it on that.
            unsafe {
                let lists = operands::<(u32, u32, u32)>(state, uop, i);
                let wide = |k: usize| if k < W::OPERANDS { C::wide(lists[k][0]) } else { Lanes::ZERO };
                let result = W::eval::<C>([&wide(0), &wide(1), &wide(2)]);
                let mut narrow = C::narrow(&result);
                let kept = Kept::of(state, uop.d[i], 1);
                for lane in 0..LANES {
                    let rounded = if f(result.0[lane]).is_nan() { NAN } else { narrow.0[lane] };
                    narrow.0[lane] = kept.unless::<MASKED>(lane, rounded);
                }
                *lanes_mut(state, uop.d[i]) = narrow;
            }
        }
    }
}

/// Conversions between binary16 in the low half of a lane and binary32.
trait Convert {
    /// binary32 of what the low halves hold; exact.
    ///
    /// # Safety
    /// The processor has the instructions.
    unsafe fn wide(lanes: &Lanes) -> Lanes;

    /// The nearest binary16, ties to even. Which NaN stands for one is left open.
    ///
    /// # Safety
    /// The processor has the instructions.
    unsafe fn narrow(lanes: &Lanes) -> Lanes;

    /// Sums of binary32, rounded to odd.
    ///
    /// # Safety
    /// The processor has the instructions.
    #[inline(always)]
    unsafe fn odd_sum(a: &Lanes, b: &Lanes) -> Lanes {
        each([a, b, b], odd_sum)
    }
}

/// Eight lanes at a time.
#[cfg(target_arch = "x86_64")]
struct Avx2;

#[cfg(target_arch = "x86_64")]
impl Convert for Avx2 {
    #[inline(always)]
    unsafe fn wide(lanes: &Lanes) -> Lanes {
        // SAFETY: as this function's.
        unsafe { avx2::wide(lanes) }
    }

    #[inline(always)]
    unsafe fn narrow(lanes: &Lanes) -> Lanes {
        // SAFETY: as this function's.
        unsafe { avx2::narrow(lanes) }
    }
}

/// Sixteen lanes at a time.
#[cfg(target_arch = "x86_64")]
struct Avx512;

#[cfg(target_arch = "x86_64")]
impl Convert for Avx512 {
    #[inline(always)]
    unsafe fn wide(lanes: &Lanes) -> Lanes {
        // SAFETY: as this function's.
        unsafe { avx512::wide(lanes) }
    }

    #[inline(always)]
    unsafe fn narrow(lanes: &Lanes) -> Lanes {
        // SAFETY: as this function's.
        unsafe { avx512::narrow(lanes) }
    }

    #[inline(always)]
    unsafe fn odd_sum(a: &Lanes, b: &Lanes) -> Lanes {
        // SAFETY: as this function's.
        unsafe { avx512::odd_sum(a, b) }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        _MM_FROUND_TO_NEAREST_INT, _mm256_and_si256, _mm256_castsi256_si128, _mm256_cvtepu16_epi32,
        _mm256_cvtph_ps, _mm256_cvtps_ph, _mm256_load_ps, _mm256_load_si256, _mm256_packus_epi32,
        _mm256_permute4x64_epi64, _mm256_set1_epi32, _mm256_store_ps, _mm256_store_si256,
    };

    use super::{LANES, Lanes};

    /// Lanes that a register holds.
    const WIDTH: usize = 8;

    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    pub(super) fn wide(lanes: &Lanes) -> Lanes {
        let mut wide = Lanes::ZERO;
        for first in (0..LANES).step_by(WIDTH) {
            // SAFETY: `first` leaves eight lanes of 32; lanes are aligned to 64 bytes.
            unsafe {
                let words = _mm256_load_si256(lanes.0.as_ptr().add(first).cast());
                let low = _mm256_and_si256(words, _mm256_set1_epi32(0xffff));
                // Packing works on halves of the register: the second quarter is in the third place.
                let packed = _mm256_permute4x64_epi64::<0b1000>(_mm256_packus_epi32(low, low));
                let numbers = _mm256_cvtph_ps(_mm256_castsi256_si128(packed));
                _mm256_store_ps(wide.0.as_mut_ptr().add(first).cast(), numbers);
            }
        }
        wide
    }

    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    pub(super) fn narrow(lanes: &Lanes) -> Lanes {
        let mut narrow = Lanes::ZERO;
        for first in (0..LANES).step_by(WIDTH) {
            // SAFETY: as above.
            unsafe {
                let numbers = _mm256_load_ps(lanes.0.as_ptr().add(first).cast());
                let halves = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(numbers);
                _mm256_store_si256(narrow.0.as_mut_ptr().add(first).cast(), _mm256_cvtepu16_epi32(halves));
            }
        }
        narrow
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::{
        _CMP_NEQ_UQ, _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEAREST_INT, _MM_FROUND_TO_NEG_INF,
        _MM_FROUND_TO_POS_INF, _MM_FROUND_TO_ZERO, _mm512_add_round_ps, _mm512_castps_si512,
        _mm512_cmp_ps_mask, _mm512_cvtepi32_epi16, _mm512_cvtepu16_epi32, _mm512_cvtph_ps, _mm512_cvtps_ph,
        _mm512_load_ps, _mm512_load_si512, _mm512_mask_or_epi32, _mm512_set1_epi32, _mm512_store_ps,
        _mm512_store_si512,
    };

    use super::{LANES, Lanes};

    /// Lanes that a register holds.
    const WIDTH: usize = 16;

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn wide(lanes: &Lanes) -> Lanes {
        let mut wide = Lanes::ZERO;
        for first in (0..LANES).step_by(WIDTH) {
            // SAFETY: `first` is 0 or 16 of 32; lanes are aligned to 64 bytes.
            unsafe {
                let words = _mm512_load_si512(lanes.0.as_ptr().add(first).cast());
                let numbers = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(words));
                _mm512_store_ps(wide.0.as_mut_ptr().add(first).cast(), numbers);
            }
        }
        wide
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn narrow(lanes: &Lanes) -> Lanes {
        let mut narrow = Lanes::ZERO;
        for first in (0..LANES).step_by(WIDTH) {
            // SAFETY: as above.
            unsafe {
                let numbers = _mm512_load_ps(lanes.0.as_ptr().add(first).cast());
                let halves = _mm512_cvtps_ph::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(numbers);
                _mm512_store_si512(narrow.0.as_mut_ptr().add(first).cast(), _mm512_cvtepu16_epi32(halves));
            }
        }
        narrow
    }

    /// A sum that is not exact is another one rounded down than rounded up; nearer to zero with a last bit of one, it is
    /// rounded to odd.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn odd_sum(a: &Lanes, b: &Lanes) -> Lanes {
        let mut odd = Lanes::ZERO;
        for first in (0..LANES).step_by(WIDTH) {
            // SAFETY: as above.
            unsafe {
                let [a, b] = [a, b].map(|lanes| _mm512_load_ps(lanes.0.as_ptr().add(first).cast()));
                let down = _mm512_add_round_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(a, b);
                let up = _mm512_add_round_ps::<{ _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC }>(a, b);
                let bits = _mm512_castps_si512(_mm512_add_round_ps::<
                    { _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC },
                >(a, b));
                let inexact = _mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(down, up);
                let bits = _mm512_mask_or_epi32(bits, inexact, bits, _mm512_set1_epi32(1));
                _mm512_store_si512(odd.0.as_mut_ptr().add(first).cast(), bits);
            }
        }
        odd
    }
}
