//! What kernels are made of: the slots of a micro-op, and compilations for several processors.

use crate::engine::Engine;
use crate::env::FloatEnv;
use crate::op::Args;
use crate::state::{Lanes, State};
use crate::uop::{Slot, Uop};

/// Does one micro-op on all lanes.
///
/// # Safety
/// The processor has what the kernel's [`Engine`] is compiled for, and the state every
/// slot that the micro-op names (`exist` in `kernel.rs`).
pub(crate) type Kernel = unsafe fn(&mut State, &Uop, &FloatEnv);

/// What does a micro-op.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    /// Where all lanes run.
    pub(crate) whole: Kernel,
    /// Where some do: the others keep what they have. `None` if `whole` writes them all the same.
    pub(crate) masked: Option<Kernel>,
}

impl Bound {
    /// A kernel that minds the mask itself.
    pub(crate) fn minding(kernel: Kernel) -> Bound {
        Bound { whole: kernel, masked: Some(kernel) }
    }
}

/// A kernel by its type, so that it can be compiled for several processors.
pub(crate) trait Body {
    /// Whether it is compiled for masks as well; what is rare is not.
    const MASKED: bool = false;

    /// Does the micro-op; with `MASKED` in the lanes that run, if there is such a form of it.
    ///
    /// # Safety
    /// The state has the slots of the micro-op.
    unsafe fn run<const MASKED: bool>(state: &mut State, uop: &Uop, env: &FloatEnv);
}

unsafe fn portable<B: Body, const MASKED: bool>(state: &mut State, uop: &Uop, env: &FloatEnv) {
    // SAFETY: as this function's.
    unsafe { B::run::<MASKED>(state, uop, env) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn avx2<B: Body, const MASKED: bool>(state: &mut State, uop: &Uop, env: &FloatEnv) {
    // SAFETY: as this function's.
    unsafe { B::run::<MASKED>(state, uop, env) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,f16c")]
unsafe fn avx512<B: Body, const MASKED: bool>(state: &mut State, uop: &Uop, env: &FloatEnv) {
    // SAFETY: as this function's.
    unsafe { B::run::<MASKED>(state, uop, env) }
}

/// The compilations of a kernel for `engine`. Portable ones have no form for masks: a page would have to load it.
pub(crate) fn compiled<B: Body>(engine: Engine) -> Bound {
    let (whole, masked): (Kernel, Option<Kernel>) = match engine {
        #[cfg(target_arch = "x86_64")]
        Engine::Avx2 => (avx2::<B, false>, Some(avx2::<B, true>)),
        #[cfg(target_arch = "x86_64")]
        Engine::Avx512 => (avx512::<B, false>, Some(avx512::<B, true>)),
        _ => (portable::<B, false>, None),
    };
    Bound { whole, masked: masked.filter(|_| B::MASKED) }
}

/// The lanes of a slot. (Measured: with checks of bounds a third of the time of PICA200
/// programs went into finding operands.)
///
/// # Safety
/// The slot exists.
#[inline(always)]
pub(crate) unsafe fn lanes(state: &State, slot: Slot) -> &Lanes {
    debug_assert!(usize::from(slot.0) < state.lanes.len());
    // SAFETY: as this function's.
    unsafe { state.lanes.get_unchecked(usize::from(slot.0)) }
}

/// The lanes of a slot, to write.
///
/// # Safety
/// The slot exists.
#[inline(always)]
pub(crate) unsafe fn lanes_mut(state: &mut State, slot: Slot) -> &mut Lanes {
    debug_assert!(usize::from(slot.0) < state.lanes.len());
    // SAFETY: as this function's.
    unsafe { state.lanes.get_unchecked_mut(usize::from(slot.0)) }
}

/// The lanes of `N` slots from one on.
///
/// # Safety
/// All of them exist.
#[inline(always)]
pub(crate) unsafe fn neighbours<const N: usize>(state: &State, first: Slot) -> &[Lanes; N] {
    debug_assert!(usize::from(first.0) + N <= state.lanes.len());
    // SAFETY: as this function's.
    unsafe { &*state.lanes.as_ptr().add(usize::from(first.0)).cast() }
}

/// How often a micro-op is done: four times at most.
#[inline(always)]
pub(crate) fn repetitions(uop: &Uop) -> usize {
    usize::from(uop.count).min(4)
}

/// The slots of a repetition, by operand and half.
pub(crate) type Lists<'s> = [[&'s Lanes; 2]; 3];

/// What lanes that do not run keep.
#[derive(Clone, Copy)]
pub(crate) struct Kept<'s> {
    pub(crate) active: u32,
    /// Low and high half.
    pub(crate) old: [&'s Lanes; 2],
}

impl<'s> Kept<'s> {
    /// # Safety
    /// The slots of the result exist.
    #[inline(always)]
    pub(crate) unsafe fn of(state: &'s State, slot: Slot, width: usize) -> Kept<'s> {
        // SAFETY: as this function's.
        Kept { active: state.active, old: unsafe { halves(state, slot, width) } }
    }
}

impl Kept<'_> {
    /// What a lane has in the low half from now on.
    #[inline(always)]
    pub(crate) fn unless<const MASKED: bool>(self, lane: usize, new: u32) -> u32 {
        let stays = MASKED && self.active >> lane & 1 == 0;
        if stays { self.old[0].0[lane] } else { new }
    }
}

/// The slots of repetition `i`.
///
/// # Safety
/// They exist.
#[inline(always)]
pub(crate) unsafe fn operands<'s, A: Args>(state: &'s State, uop: &Uop, i: usize) -> Lists<'s> {
    // SAFETY: as this function's.
    unsafe {
        let [a, b, c] = A::WIDTHS;
        [halves(state, uop.a[i], a), halves(state, uop.b[i], b), halves(state, uop.c[i], c)]
    }
}

/// The slots of an operand of `width` slots.
///
/// # Safety
/// They exist.
#[inline(always)]
unsafe fn halves(state: &State, slot: Slot, width: usize) -> [&Lanes; 2] {
    // SAFETY: as this function's.
    let half = |n: usize| if n < width { unsafe { lanes(state, slot.at(n as u16)) } } else { &Lanes::ZERO };
    [half(0), half(1)]
}
