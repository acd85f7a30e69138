//! Kernels: what the batch engine calls for a micro-op.
//!
//! Every row of the vocabulary becomes a kernel, a function that does the row's
//! expression in a loop over the lanes of whole slots. Kernels are compiled
//! twice, portably and with AVX2. The compiler vectorises the loops: that is why
//! rows are branch-free.

use std::marker::PhantomData;

use chiaro_num::Rounding;

use crate::arith::{Any, Arith, Flushing, Ieee, ZeroRule};
use crate::engine::Engine;
use crate::env::FloatEnv;
use crate::f16::Half;
use crate::f24::F24;
use crate::for_each_op;
use crate::op::{Args, Op, Row, Word, rows};
use crate::scalar;
use crate::state::{LANES, Lanes, State, Table};
use crate::transpose;
use crate::uop::{Scope, Sum, Uop};

/// Does one micro-op on all lanes.
///
/// # Safety
/// The kernel may be compiled for AVX2 and FMA: call it only where the
/// processor has them, if it came from [`Engine::Avx2`].
pub(crate) type Kernel = unsafe fn(&mut State, &Uop, &FloatEnv);

/// The kernel for a micro-op, and whether it minds the mask itself.
pub(crate) fn kernel(uop: &Uop, env: Option<FloatEnv>, engine: Engine) -> (Kernel, bool) {
    let found = match Hot::of(env) {
        _ if uop.scope == Scope::Wave => None,
        Hot::Ieee => bind::<Ieee>(uop, engine),
        Hot::ZeroRule => bind::<ZeroRule>(uop, engine),
        Hot::Flushing => bind::<Flushing>(uop, engine),
        Hot::Half => bind::<Half>(uop, engine),
        Hot::F24Nearest => bind::<F24<true>>(uop, engine),
        Hot::F24Truncate => bind::<F24<false>>(uop, engine),
        Hot::Other => bind::<Any>(uop, engine),
    };
    // What has no kernel is rare and goes the reference's way.
    found.map_or((scalar::single as Kernel, true), |kernel| (kernel, false))
}

fn bind<E: Arith>(uop: &Uop, engine: Engine) -> Option<Kernel> {
    let pairs = uop.imm == Sum::Pairs as u32;
    match uop.op {
        Op::Fmul if E::QUICK => {
            return Some(compiled::<Lazy<rows::Fmul<E::Quick>, rows::Fmul<E>>>(engine));
        }
        Op::Fmad if E::QUICK => {
            return Some(compiled::<Lazy<rows::Fmad<E::Quick>, rows::Fmad<E>>>(engine));
        }
        _ => {}
    }
    exact(uop.op, engine).or_else(|| float::<E>(uop.op, engine)).or(match (uop.op, uop.count) {
        (Op::Imm, _) => Some(compiled::<Constant>(engine)),
        (Op::Broadcast, _) => Some(compiled::<Broadcast>(engine)),
        (Op::MaskToLane, _) => Some(compiled::<MaskToLane>(engine)),
        (Op::Row, _) => row_kernel(uop, engine),
        (Op::Dot, 3) if !pairs => Some(compiled::<Dot<E, 3>>(engine)),
        (Op::Dot, 4) if !pairs => Some(compiled::<Dot<E, 4>>(engine)),
        _ => None,
    })
}

/// A kernel by its type, so that it can be compiled for several processors.
trait Body {
    fn run(state: &mut State, uop: &Uop, env: &FloatEnv);
}

fn portable<B: Body>(state: &mut State, uop: &Uop, env: &FloatEnv) {
    B::run(state, uop, env);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2<B: Body>(state: &mut State, uop: &Uop, env: &FloatEnv) {
    B::run(state, uop, env);
}

/// The compilation of a kernel for `engine`.
fn compiled<B: Body>(engine: Engine) -> Kernel {
    #[cfg(target_arch = "x86_64")]
    if engine == Engine::Avx2 {
        return avx2::<B>;
    }
    let _ = engine;
    portable::<B>
}

/// The environments that have kernels of their own, and how to find them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hot {
    Ieee,
    ZeroRule,
    Flushing,
    Half,
    F24Nearest,
    F24Truncate,
    Other,
}

impl Hot {
    fn of(env: Option<FloatEnv>) -> Self {
        let Some(env) = env else { return Self::Other };
        [
            (FloatEnv::IEEE, Self::Ieee),
            (FloatEnv::PICA_EMU32, Self::ZeroRule),
            (FloatEnv::FLUSHING, Self::Flushing),
            (FloatEnv::HALF, Self::Half),
            (FloatEnv::pica_hw24(Rounding::NearestEven), Self::F24Nearest),
            (FloatEnv::pica_hw24(Rounding::TowardZero), Self::F24Truncate),
        ]
        .into_iter()
        .find(|(known, _)| *known == env)
        .map_or(Self::Other, |(_, hot)| hot)
    }
}

macro_rules! kernels {
    (
        exact { $( $(#[$xd:meta])* $X:ident $xt:literal ($($xa:ident: $xw:ident),*) -> $xr:ident = $xe:expr; )* }
        float { $( $(#[$fd:meta])* $F:ident $ft:literal ($e:ident; $($fa:ident: $fw:ident),*) -> $fr:ident = $fe:expr; )* }
        special { $($special:tt)* }
    ) => {
        /// The kernel for exact operations.
        fn exact(op: Op, engine: Engine) -> Option<Kernel> {
            Some(match op {
                $( Op::$X => compiled::<Each<rows::$X>>(engine), )*
                _ => return None,
            })
        }

        /// The kernel for float operations in the arithmetic `E`.
        fn float<E: Arith>(op: Op, engine: Engine) -> Option<Kernel> {
            Some(match op {
                $( Op::$F => compiled::<Each<rows::$F<E>>>(engine), )*
                _ => return None,
            })
        }
    };
}
for_each_op!(kernels);

/// A row of the vocabulary, lane by lane.
struct Each<R>(PhantomData<R>);

impl<R: Row> Body for Each<R> {
    #[inline(always)]
    fn run(state: &mut State, uop: &Uop, env: &FloatEnv) {
        for i in 0..usize::from(uop.count & 7) {
            let result = all_lanes::<R>(state, uop, env, i);
            for (half, lanes) in result.iter().enumerate().take(R::Out::WIDTH) {
                *state.lanes_mut(uop.d[i].at(half as u16)) = *lanes;
            }
        }
    }
}

/// A row in arithmetic without the rule for zero and infinity, and only if that
/// gives a NaN, in the right one.
struct Lazy<Q, R>(PhantomData<(Q, R)>);

impl<Q: Row<Out = u32>, R: Row<Out = u32>> Body for Lazy<Q, R> {
    #[inline(always)]
    fn run(state: &mut State, uop: &Uop, env: &FloatEnv) {
        for i in 0..usize::from(uop.count & 7) {
            let mut result = all_lanes::<Q>(state, uop, env, i)[0];
            if any_nan(&result) {
                result = all_lanes::<R>(state, uop, env, i)[0];
            }
            *state.lanes_mut(uop.d[i]) = result;
        }
    }
}

/// Repetition `i` of a row on all lanes: low and high halves.
#[inline(always)]
fn all_lanes<R: Row>(state: &State, uop: &Uop, env: &FloatEnv, i: usize) -> [Lanes; 2] {
    let lists = operands::<R::In>(state, uop, i);
    let mut result = [Lanes::ZERO; 2];
    for lane in 0..LANES {
        let operands = R::In::collect(|k, half| lists[k][half].0[lane]);
        let [low, high] = R::eval(env, operands).split();
        result[0].0[lane] = low;
        result[1].0[lane] = high;
    }
    result
}

/// The slots of repetition `i`, by operand and half.
#[inline(always)]
fn operands<'s, A: Args>(state: &'s State, uop: &Uop, i: usize) -> [[&'s Lanes; 2]; 3] {
    std::array::from_fn(|k| {
        std::array::from_fn(|half| {
            if half < A::WIDTHS[k] { state.lanes(uop.operand(k)[i].at(half as u16)) } else { &Lanes::ZERO }
        })
    })
}

/// [`Op::Imm`].
struct Constant;

impl Body for Constant {
    #[inline(always)]
    fn run(state: &mut State, uop: &Uop, _: &FloatEnv) {
        for d in &uop.d[..usize::from(uop.count)] {
            *state.lanes_mut(*d) = Lanes::splat(uop.imm);
        }
    }
}

/// The value of a wave slot; 0 for one that the state lacks.
#[inline(always)]
fn wave(state: &State, slot: usize) -> u32 {
    state.waves.get(slot).copied().unwrap_or(0)
}

/// [`Op::Broadcast`].
struct Broadcast;

impl Body for Broadcast {
    #[inline(always)]
    fn run(state: &mut State, uop: &Uop, _: &FloatEnv) {
        for i in 0..usize::from(uop.count & 7) {
            *state.lanes_mut(uop.d[i]) = Lanes::splat(wave(state, usize::from(uop.a[i].0)));
        }
    }
}

/// [`Op::MaskToLane`].
struct MaskToLane;

impl Body for MaskToLane {
    #[inline(always)]
    fn run(state: &mut State, uop: &Uop, _: &FloatEnv) {
        for i in 0..usize::from(uop.count & 7) {
            let word = wave(state, usize::from(uop.a[i].0) + usize::from(state.half));
            let lanes = state.lanes_mut(uop.d[i]);
            for lane in 0..LANES {
                lanes.0[lane] = (word >> lane & 1).wrapping_neg();
            }
        }
    }
}

/// [`Op::Dot`] of `N` products, from the left.
struct Dot<E, const N: usize>(PhantomData<E>);

impl<E: Arith, const N: usize> Body for Dot<E, N> {
    #[inline(always)]
    fn run(state: &mut State, uop: &Uop, env: &FloatEnv) {
        let (e, quick) = (E::new(env), E::Quick::new(env));
        let a: [&Lanes; N] = std::array::from_fn(|i| state.lanes(uop.a[i]));
        let b: [&Lanes; N] = std::array::from_fn(|i| state.lanes(uop.b[i]));
        let mut result = Lanes::ZERO;
        if E::QUICK {
            for lane in 0..LANES {
                let product = |i: usize| quick.mul(a[i].0[lane], b[i].0[lane]);
                result.0[lane] = (0..N).fold(0, |sum, i| quick.add(sum, product(i)));
            }
        }
        // A product that the quick way gets wrong is a NaN and makes the sum one.
        if !E::QUICK || any_nan(&result) {
            result = Lanes::ZERO;
            // Longer arithmetic vectorises only product by product.
            for i in 0..N {
                for lane in 0..LANES {
                    result.0[lane] = e.add(result.0[lane], e.mul(a[i].0[lane], b[i].0[lane]));
                }
            }
        }
        *state.lanes_mut(uop.d[0]) = result;
    }
}

/// True if a lane holds a binary32 NaN.
#[inline(always)]
fn any_nan(lanes: &Lanes) -> bool {
    let mut any = 0;
    for value in lanes.0 {
        any |= u32::from(f32::from_bits(value).is_nan());
    }
    any != 0
}

/// [`Op::Row`], when all results are next to each other as they mostly are.
#[inline(always)]
fn rows_of(state: &mut State, uop: &Uop, look_up: impl FnOnce(&Table, &Lanes, u32, &mut [Lanes; 4])) {
    let State { tables, lanes, .. } = state;
    let (table, base) = (&tables[uop.imm as usize & 0xFF], uop.imm >> 8);
    let index = lanes[usize::from(uop.a[0].0)];
    let first = usize::from(uop.d[0].0);
    let columns: &mut [Lanes; 4] = (&mut lanes[first..first + 4]).try_into().expect("four slots");
    let different = index.0.iter().fold(0, |bits, i| bits | (i ^ index.0[0]));
    if different == 0 {
        let row = *table.row(index.0[0].wrapping_add(base));
        for (column, value) in columns.iter_mut().zip(row) {
            *column = Lanes::splat(value);
        }
    } else {
        look_up(table, &index, base, columns);
    }
}

fn row_portable(state: &mut State, uop: &Uop, _: &FloatEnv) {
    rows_of(state, uop, transpose::look_up);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn row_avx2(state: &mut State, uop: &Uop, _: &FloatEnv) {
    rows_of(state, uop, |table, index, base, columns| transpose::avx2::look_up(table, index, base, columns));
}

/// The kernel of [`Op::Row`]; `None` if the results are scattered.
fn row_kernel(uop: &Uop, engine: Engine) -> Option<Kernel> {
    if uop.d != uop.d[0].quad() {
        return None;
    }
    #[cfg(target_arch = "x86_64")]
    if engine == Engine::Avx2 {
        return Some(row_avx2);
    }
    let _ = engine;
    Some(row_portable)
}
