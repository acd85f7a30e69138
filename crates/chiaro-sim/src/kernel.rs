//! Kernels: what the batch engine calls for a micro-op.
//!
//! Every row of the vocabulary becomes a kernel, a function that does the row's
//! expression in a loop over the lanes of whole slots. Kernels are compiled
//! three times: portably, with AVX2 and with AVX-512. The compiler vectorises the
//! loops: that is why rows are branch-free.

use std::marker::PhantomData;

use chiaro_num::Rounding;

use crate::arith::{Any, Arith, Flushing, Ieee, ZeroRule};
use crate::body::{
    Body, Bound, Kept, Kernel, Lists, compiled, lanes, lanes_mut, neighbours, operands, repetitions,
};
use crate::early::Early;
use crate::engine::Engine;
use crate::env::FloatEnv;
use crate::f16::Half;
use crate::f24::F24;
use crate::for_each_op;
use crate::halves;
use crate::op::{Args, Group, Op, Row, Word, rows};
use crate::scalar;
use crate::state::{LANES, Lanes, State, Table};
use crate::transpose;
use crate::uop::{Scope, Sum, Uop};

/// The kernels for a micro-op.
pub(crate) fn kernel(uop: &Uop, env: Option<FloatEnv>, engine: Engine) -> Bound {
    if uop.scope == Scope::Wave {
        return Bound::minding(on_wave(uop.op).unwrap_or(scalar::single));
    }
    if uop.op == Op::Ballot {
        return Bound::minding(compiled::<Ballot>(engine).whole);
    }
    let found = match Hot::of(env) {
        Hot::Ieee => bind::<Ieee>(uop, engine),
        Hot::ZeroRule => bind::<ZeroRule>(uop, engine),
        Hot::Flushing => bind::<Flushing>(uop, engine),
        Hot::Early => bind::<Early>(uop, engine),
        Hot::Half => halves::kernel(uop.op, engine).or_else(|| bind::<Half>(uop, engine)),
        Hot::F24Nearest => bind::<F24<true>>(uop, engine),
        Hot::F24Truncate => bind::<F24<false>>(uop, engine),
        Hot::Other => bind::<Any>(uop, engine),
    };
    // What has no kernel is rare and goes the reference's way.
    found.unwrap_or(Bound::minding(scalar::single))
}

fn bind<E: Arith>(uop: &Uop, engine: Engine) -> Option<Bound> {
    let pairs = uop.imm == Sum::Pairs as u32;
    match uop.op {
        Op::Fmul if E::QUICK => {
            return Some(compiled::<Lazy<rows::Fmul<E::Quick>, rows::Fmul<E>>>(engine));
        }
        Op::Fmad if E::QUICK => {
            return Some(compiled::<Lazy<rows::Fmad<E::Quick>, rows::Fmad<E>>>(engine));
        }
        Op::Ffma if E::QUICK => {
            return Some(compiled::<Lazy<rows::Ffma<E::Quick>, rows::Ffma<E>>>(engine));
        }
        _ => {}
    }
    exact(uop.op, engine).or_else(|| float::<E>(uop.op, engine)).or(match (uop.op, uop.count) {
        (Op::Imm, _) => Some(compiled::<Constant>(engine)),
        (Op::Broadcast, _) => Some(compiled::<Broadcast>(engine)),
        (Op::MaskToLane, _) => Some(compiled::<MaskToLane>(engine)),
        (Op::LaneId, _) => Some(compiled::<LaneId>(engine)),
        (Op::Shuffle, _) => Some(compiled::<Shuffle>(engine)),
        (Op::Row, _) if uop.d == uop.d[0].quad() => {
            Some(Bound { whole: rows::<false>(engine), masked: None })
        }
        (Op::Dot, 3) if !pairs => Some(compiled::<Dot<E, 3>>(engine)),
        (Op::Dot, 4) if !pairs => Some(compiled::<Dot<E, 4>>(engine)),
        _ => None,
    })
}

/// The kernel for the products of a [`Matrix`](crate::fuse::Matrix), where it is faster than one for each.
pub(crate) fn matrix(uop: &Uop, env: Option<FloatEnv>, engine: Engine) -> Option<Kernel> {
    match (Hot::of(env), uop.count) {
        (Hot::ZeroRule, 3) => Some(compiled::<Rows<ZeroRule, 3>>(engine).whole),
        (Hot::ZeroRule, 4) => Some(compiled::<Rows<ZeroRule, 4>>(engine).whole),
        _ => None,
    }
}

/// Whether the slots of a micro-op are among the first `slots`, where its kernel does not look:
/// for simplicity, also those that it names without a meaning.
pub(crate) fn exist(uop: &Uop, slots: usize) -> bool {
    let shape = uop.op.shape();
    if shape.group == Group::Special && !matches!(uop.op, Op::Imm | Op::Dot | Op::Row) {
        return true;
    }
    let pairs = shape.result == 2 || shape.operands.contains(&2);
    let named = [uop.d, uop.a, uop.b, uop.c].into_iter().flatten();
    named.map(|slot| usize::from(slot.0) + usize::from(pairs)).all(|last| last < slots)
}

/// The environments that have kernels of their own, and how to find them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hot {
    Ieee,
    ZeroRule,
    Flushing,
    Early,
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
            (FloatEnv::FLUSHING_BEFORE, Self::Early),
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
        fn exact(op: Op, engine: Engine) -> Option<Bound> {
            Some(match op {
                $( Op::$X => compiled::<Each<rows::$X>>(engine), )*
                _ => return None,
            })
        }

        /// The kernel for exact operations on wave slots.
        fn on_wave(op: Op) -> Option<Kernel> {
            Some(match op {
                $( Op::$X => once::<rows::$X>, )*
                _ => return None,
            })
        }

        /// The kernel for float operations in the arithmetic `E`.
        fn float<E: Arith>(op: Op, engine: Engine) -> Option<Bound> {
            Some(match op {
                $( Op::$F => compiled::<Each<rows::$F<E>>>(engine), )*
                _ => return None,
            })
        }
    };
}
for_each_op!(kernels);

/// A row on wave slots, however often the micro-op says.
fn once<R: Row>(state: &mut State, uop: &Uop, env: &FloatEnv) {
    for i in 0..repetitions(uop) {
        scalar::once::<R>(state, uop, env, i);
    }
}

/// A row of the vocabulary, lane by lane.
struct Each<R>(PhantomData<R>);

impl<R: Row> Body for Each<R> {
    const MASKED: bool = true;

    #[inline(always)]
    unsafe fn run<const MASKED: bool>(state: &mut State, uop: &Uop, env: &FloatEnv) {
        for i in 0..repetitions(uop) {
            // SAFETY: as this function's.
            unsafe {
                let kept = Kept::of(state, uop.d[i], R::Out::WIDTH);
                let [low, high] = all_lanes::<R, MASKED>(&operands::<R::In>(state, uop, i), kept, env);
                *lanes_mut(state, uop.d[i]) = low;
                if R::Out::WIDTH == 2 {
                    *lanes_mut(state, uop.d[i].at(1)) = high;
                }
            }
        }
    }
}

/// A row in arithmetic without the rule for zero and infinity, and only if that
/// gives a NaN, in the right one.
struct Lazy<Q, R>(PhantomData<(Q, R)>);

impl<Q: Row<Out = u32>, R: Row<Out = u32, In = Q::In>> Body for Lazy<Q, R> {
    const MASKED: bool = true;

    #[inline(always)]
    unsafe fn run<const MASKED: bool>(state: &mut State, uop: &Uop, env: &FloatEnv) {
        for i in 0..repetitions(uop) {
            // SAFETY: as this function's.
            unsafe {
                let lists = operands::<Q::In>(state, uop, i);
                let kept = Kept::of(state, uop.d[i], 1);
                let mut result = all_lanes::<Q, MASKED>(&lists, kept, env)[0];
                if any_nan(&result) {
                    result = all_lanes::<R, MASKED>(&lists, kept, env)[0];
                }
                *lanes_mut(state, uop.d[i]) = result;
            }
        }
    }
}

/// A row on all lanes: low and high halves. (Measured: chosen within this loop, lanes that do not run cost a tenth; in
/// one behind it, three times what the row costs.)
#[inline(always)]
fn all_lanes<R: Row, const MASKED: bool>(lists: &Lists<'_>, kept: Kept<'_>, env: &FloatEnv) -> [Lanes; 2] {
    let mut result = [Lanes::ZERO; 2];
    for lane in 0..LANES {
        let operands = R::In::collect(|k, half| lists[k][half].0[lane]);
        let [low, high] = R::eval(env, operands).split();
        let stays = MASKED && kept.active >> lane & 1 == 0;
        result[0].0[lane] = if stays { kept.old[0].0[lane] } else { low };
        result[1].0[lane] = if stays { kept.old[1].0[lane] } else { high };
    }
    result
}

/// [`Op::Imm`].
struct Constant;

impl Body for Constant {
    #[inline(always)]
    unsafe fn run<const MASKED: bool>(state: &mut State, uop: &Uop, _: &FloatEnv) {
        for d in &uop.d[..repetitions(uop)] {
            // SAFETY: as this function's.
            unsafe { *lanes_mut(state, *d) = Lanes::splat(uop.imm) };
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
    unsafe fn run<const MASKED: bool>(state: &mut State, uop: &Uop, _: &FloatEnv) {
        for i in 0..repetitions(uop) {
            *state.lanes_mut(uop.d[i]) = Lanes::splat(wave(state, usize::from(uop.a[i].0)));
        }
    }
}

/// [`Op::MaskToLane`].
struct MaskToLane;

impl Body for MaskToLane {
    #[inline(always)]
    unsafe fn run<const MASKED: bool>(state: &mut State, uop: &Uop, _: &FloatEnv) {
        for i in 0..repetitions(uop) {
            let word = wave(state, usize::from(uop.a[i].0) + usize::from(state.half));
            let lanes = state.lanes_mut(uop.d[i]);
            for lane in 0..LANES {
                lanes.0[lane] = (word >> lane & 1).wrapping_neg();
            }
        }
    }
}

/// [`Op::LaneId`].
struct LaneId;

impl Body for LaneId {
    #[inline(always)]
    unsafe fn run<const MASKED: bool>(state: &mut State, uop: &Uop, _: &FloatEnv) {
        let first = u32::from(state.half) * LANES as u32;
        for i in 0..repetitions(uop) {
            *state.lanes_mut(uop.d[i]) = Lanes(std::array::from_fn(|lane| first + lane as u32));
        }
    }
}

/// [`Op::Shuffle`].
struct Shuffle;

impl Body for Shuffle {
    #[inline(always)]
    unsafe fn run<const MASKED: bool>(state: &mut State, uop: &Uop, _: &FloatEnv) {
        for i in 0..repetitions(uop) {
            let (from, index) = (*state.lanes(uop.a[i]), *state.lanes(uop.b[i]));
            let value = |lane: usize| from.0[index.0[lane] as usize % LANES];
            *state.lanes_mut(uop.d[i]) = Lanes(std::array::from_fn(value));
        }
    }
}

/// [`Op::Ballot`], which minds the mask.
struct Ballot;

impl Body for Ballot {
    #[inline(always)]
    unsafe fn run<const MASKED: bool>(state: &mut State, uop: &Uop, _: &FloatEnv) {
        let mut mask = 0;
        for (lane, value) in state.lanes(uop.a[0]).0.into_iter().enumerate() {
            mask |= u32::from(value != 0) << lane;
        }
        let (mask, at) = (mask & state.active, usize::from(uop.d[0].0) + usize::from(state.half));
        if let Some(word) = state.waves.get_mut(at) {
            *word = mask;
        }
    }
}

/// Copies the active lanes of a slot to another: for kernels that do not mind the mask.
struct KeepActive;

impl Body for KeepActive {
    #[inline(always)]
    unsafe fn run<const MASKED: bool>(state: &mut State, uop: &Uop, _: &FloatEnv) {
        let (active, from) = (state.active, *state.lanes(uop.a[0]));
        let to = state.lanes_mut(uop.d[0]);
        for (lane, (to, from)) in to.0.iter_mut().zip(from.0).enumerate() {
            let mask = (active >> lane & 1).wrapping_neg();
            *to = from & mask | *to & !mask;
        }
    }
}

/// The kernel that copies active lanes.
pub(crate) fn keep_active(engine: Engine) -> Kernel {
    compiled::<KeepActive>(engine).whole
}

/// [`Op::Dot`] of `N` products, from the left.
struct Dot<E, const N: usize>(PhantomData<E>);

impl<E: Arith, const N: usize> Body for Dot<E, N> {
    #[inline(always)]
    unsafe fn run<const MASKED: bool>(state: &mut State, uop: &Uop, env: &FloatEnv) {
        let (mut a, mut b) = ([&Lanes::ZERO; N], [&Lanes::ZERO; N]);
        for i in 0..N {
            // SAFETY: as this function's.
            (a[i], b[i]) = unsafe { (lanes(state, uop.a[i]), lanes(state, uop.b[i])) };
        }
        let mut result = if E::QUICK { quick_dot(E::Quick::new(env), &a, &b) } else { Lanes::ZERO };
        // A product that the quick way gets wrong is a NaN and makes the sum one.
        if !E::QUICK || any_nan(&result) {
            result = exact_dot(E::new(env), &a, &b);
        }
        // SAFETY: as this function's.
        unsafe { *lanes_mut(state, uop.d[0]) = result };
    }
}

#[inline(always)]
fn quick_dot<E: Arith, const N: usize>(e: E, a: &[&Lanes; N], b: &[&Lanes; N]) -> Lanes {
    let mut result = Lanes::ZERO;
    for lane in 0..LANES {
        let product = |i: usize| e.mul(a[i].0[lane], b[i].0[lane]);
        result.0[lane] = (0..N).fold(0, |sum, i| e.add(sum, product(i)));
    }
    result
}

/// The products of a [`Matrix`](crate::fuse::Matrix), from the left.
struct Rows<E, const N: usize>(PhantomData<E>);

impl<E: Arith, const N: usize> Body for Rows<E, N> {
    #[inline(always)]
    unsafe fn run<const MASKED: bool>(state: &mut State, uop: &Uop, env: &FloatEnv) {
        // SAFETY: as this function's.
        let [low, high] =
            unsafe { [quick_rows::<E, N>(state, uop, env, 0), quick_rows::<E, N>(state, uop, env, PART)] };
        if !low && !high {
            return;
        }
        for k in 0..(uop.imm as usize).min(4) {
            // SAFETY: as this function's; no result is an operand.
            unsafe {
                let vector = std::array::from_fn(|i| lanes(state, uop.b[i]));
                let result = exact_dot::<E, N>(E::new(env), &neighbours(state, uop.a[k]).each_ref(), &vector);
                *lanes_mut(state, uop.d[k]) = result;
            }
        }
    }
}

/// Lanes that go into a register.
const PART: usize = LANES / 2;

/// The products in the lanes from `first` on, the quick way; true if one is NaN. (Measured: written like this, the
/// vector stays in registers; over all lanes at once it does not.)
///
/// # Safety
/// The state has the slots of the micro-op and those that follow the rows' first.
#[inline(always)]
unsafe fn quick_rows<E: Arith, const N: usize>(
    state: &mut State,
    uop: &Uop,
    env: &FloatEnv,
    first: usize,
) -> bool {
    let (e, mut any) = (E::Quick::new(env), 0);
    // SAFETY: as this function's.
    let vector: [[u32; PART]; N] = std::array::from_fn(|i| part(unsafe { lanes(state, uop.b[i]) }, first));
    for k in 0..(uop.imm as usize).min(4) {
        // SAFETY: as this function's.
        let row: &[Lanes; N] = unsafe { neighbours(state, uop.a[k]) };
        let mut sums = [0; PART];
        for (lane, sum) in sums.iter_mut().enumerate() {
            let product = |i: usize| e.mul(row[i].0[first + lane], vector[i][lane]);
            *sum = (0..N).fold(0, |sum, i| e.add(sum, product(i)));
        }
        for sum in sums {
            any |= u32::from(f32::from_bits(sum).is_nan());
        }
        // SAFETY: as this function's.
        unsafe { lanes_mut(state, uop.d[k]) }.0[first..first + PART].copy_from_slice(&sums);
    }
    any != 0
}

#[inline(always)]
fn part(lanes: &Lanes, first: usize) -> [u32; PART] {
    let mut part = [0; PART];
    part.copy_from_slice(&lanes.0[first..first + PART]);
    part
}

/// Longer arithmetic, which vectorises only product by product.
#[inline(always)]
fn exact_dot<E: Arith, const N: usize>(e: E, a: &[&Lanes; N], b: &[&Lanes; N]) -> Lanes {
    let mut result = Lanes::ZERO;
    for i in 0..N {
        for lane in 0..LANES {
            result.0[lane] = e.add(result.0[lane], e.mul(a[i].0[lane], b[i].0[lane]));
        }
    }
    result
}

/// True if a lane holds a binary32 NaN.
#[inline(always)]
fn any_nan(lanes: &Lanes) -> bool {
    // One comparison of two registers says it of both.
    let (low, high) = lanes.0.split_at(LANES / 2);
    let mut any = 0;
    for (a, b) in low.iter().zip(high) {
        any |= u32::from(f32::from_bits(*a).is_nan() | f32::from_bits(*b).is_nan());
    }
    any != 0
}

/// [`Op::Row`], when all results are next to each other as they mostly are; `SEVERAL` rows with one index, if there
/// are (`fuse.rs`).
#[inline(always)]
fn rows_of<const SEVERAL: bool>(
    state: &mut State,
    uop: &Uop,
    are_same: impl Fn(&Lanes) -> bool,
    look_up: impl Fn(&Table, &Lanes, u32, &mut [Lanes; 4]),
) {
    let State { tables, lanes, .. } = state;
    let (table, at) = (&tables[uop.imm as usize & 0xFF], usize::from(uop.a[0].0));
    let (index, one, same) = (lanes[at], lanes[at].0[0], are_same(&lanes[at]));
    for k in 0..if SEVERAL { repetitions(uop) } else { 1 } {
        let base = if SEVERAL { u32::from(uop.b[k].0) } else { uop.imm >> 8 };
        let first = usize::from(uop.d[k].0);
        let columns: &mut [Lanes; 4] = (&mut lanes[first..first + 4]).try_into().expect("four slots");
        if same {
            let row = *table.row(one.wrapping_add(base));
            for (column, value) in columns.iter_mut().zip(row) {
                *column = Lanes::splat(value);
            }
        } else {
            look_up(table, &index, base, columns);
        }
    }
}

fn row_portable<const SEVERAL: bool>(state: &mut State, uop: &Uop, _: &FloatEnv) {
    rows_of::<SEVERAL>(state, uop, transpose::are_same, transpose::look_up);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
fn row_avx2<const SEVERAL: bool>(state: &mut State, uop: &Uop, _: &FloatEnv) {
    rows_of::<SEVERAL>(state, uop, transpose::are_same, |table, index, base, columns| {
        let place = transpose::places(table, index, base);
        // SAFETY: places are rows of the table, of 16 bytes.
        unsafe { transpose::avx2::gather(|lane| place(lane).cast(), columns) }
    });
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,f16c")]
fn row_avx512<const SEVERAL: bool>(state: &mut State, uop: &Uop, _: &FloatEnv) {
    rows_of::<SEVERAL>(
        state,
        uop,
        |index| transpose::avx512::are_same(index),
        |table, index, base, columns| {
            let place = transpose::places(table, index, base);
            // SAFETY: places are rows of the table, of 16 bytes.
            unsafe { transpose::avx512::gather(|lane| place(lane).cast(), columns) }
        },
    );
}

/// The kernel for rows with one index, which must go to slots next to each other.
fn rows<const SEVERAL: bool>(engine: Engine) -> Kernel {
    match engine {
        #[cfg(target_arch = "x86_64")]
        Engine::Avx2 => row_avx2::<SEVERAL>,
        #[cfg(target_arch = "x86_64")]
        Engine::Avx512 => row_avx512::<SEVERAL>,
        _ => row_portable::<SEVERAL>,
    }
}

/// The kernel for several rows with one index.
pub(crate) fn look_up(engine: Engine) -> Bound {
    Bound { whole: rows::<true>(engine), masked: None }
}

/// The kernel for a number that counts only within a range.
pub(crate) fn within(engine: Engine) -> Bound {
    compiled::<Within>(engine)
}

/// A number, if it is in a range, else 0; and whether it is (`fuse.rs`).
struct Within;

impl Body for Within {
    #[inline(always)]
    unsafe fn run<const MASKED: bool>(state: &mut State, uop: &Uop, _: &FloatEnv) {
        for i in 0..repetitions(uop).min(2) {
            let (mut result, mut truth) = (Lanes::ZERO, Lanes::ZERO);
            // SAFETY: as this function's.
            let [x, low, size] =
                unsafe { [lanes(state, uop.a[i]), lanes(state, uop.b[i]), lanes(state, uop.c[i])] };
            for lane in 0..LANES {
                let is_in = x.0[lane].wrapping_add(low.0[lane]) < size.0[lane];
                truth.0[lane] = u32::from(is_in).wrapping_neg();
                result.0[lane] = if is_in { x.0[lane] } else { 0 };
            }
            // SAFETY: as this function's.
            unsafe {
                *lanes_mut(state, uop.d[2 + i]) = truth;
                *lanes_mut(state, uop.d[i]) = result;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Op, Uop, exist};
    use crate::uop::Slot;

    /// Slots are there up to the last; what names one beyond must be refused, its kernel does not look.
    #[test]
    fn no_operand_is_beyond_the_last_slot() {
        let first = Uop::new(Op::Fadd);
        let named = |at: u16| {
            let slots = [Slot(0), Slot(0), Slot(0), Slot(at)];
            [
                Uop { d: slots, ..first },
                Uop { a: slots, ..first },
                Uop { b: slots, ..first },
                Uop { c: slots, ..first },
            ]
        };
        assert!(named(7).iter().all(|uop| exist(uop, 8)));
        assert!(named(8).iter().all(|uop| !exist(uop, 8)));
    }

    /// A wide value has its second half in the slot behind.
    #[test]
    fn pairs_need_both_slots() {
        let wide = |at: u16| Uop { d: [Slot(at); 4], ..Uop::new(Op::MulWideU) };
        assert!(exist(&wide(6), 8));
        assert!(!exist(&wide(7), 8));
    }
}
