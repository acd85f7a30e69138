//! Functions that go over what lanes want (spec section 18.6).
//!
//! Lanes that come to such a function are of two kinds: those that want it, which its first comparison finds, and those that
//! want another one or have been served. So what is proven of a function whose lanes all want it is proven here of those
//! that do, and of the others that everything stays as it came: what they want, and their arguments or results. At its
//! end the function asks all lanes whether they want anything more:
//!
//! ```text
//! v_cmp_ne_u64 vcc, 0, v[0:1]          all lanes that came run
//! s_cbranch_vccz L                     to the return: nobody does
//! s_ff1_i32_b32 vcc_lo, vcc_lo
//! v_readlane_b32 s2, v0, vcc_lo        what the lowest of them wants
//! v_readlane_b32 s3, v1, vcc_lo
//! s_setpc_b64 s[2:3]
//! ```
//!
//! Who has been served must have written what it wants next ([`lost`](super::lost)), or it would come back for ever.

use std::collections::BTreeMap;

use super::border::{instead, instead_in_lanes, is_wrong};
use super::code::{self, Source, bits, is_short, lane_of, sources};
use super::state::{Asked, State};
use super::value::{RUNNING, Scalar, Tag, Vector, WAITING};
use super::waiting::Given;
use super::{Checker, Passed, Role, Sink, Step, refute, unproved};
use crate::abi::convention::SystemParameter;
use crate::abi::partition::File;
use crate::abi::place::Placement;
use crate::abi::signature::Signature;
use crate::regs::{self, file};

/// The first registers of what lanes want and of who runs, if a signature has both.
pub(super) fn registers(signature: &Signature, placement: &Placement) -> Option<[u16; 2]> {
    let place = |system: SystemParameter| {
        let is_taken = signature.parameters.iter().any(|parameter| parameter.name == system.name());
        placement.system(system).filter(|_| is_taken)
    };
    Some([place(SystemParameter::DivergentPc)?, place(SystemParameter::UniformPc)?])
}

impl Checker<'_> {
    /// The registers, of a function that goes over what lanes want.
    pub(super) fn dispatch(&self) -> Option<[u16; 2]> {
        self.contract.dispatch.filter(|_| self.role == Role::Function)
    }

    /// Comparisons of what lanes want with who runs, both as they were at entry, and whether they find those that are served
    /// or the others.
    pub(super) fn served(&self, before: &BTreeMap<usize, State>) -> BTreeMap<u32, bool> {
        let Some([wanted, runs]) = self.dispatch() else { return BTreeMap::new() };
        let finds = |step: &Step, state: &State| {
            matches!(step.name, "v_cmp_eq_u64" | "v_cmp_ne_u64")
                && code::pairs(step).is_some_and(|(scalar, vector)| {
                    (0..2).all(|half| {
                        let lanes = state.vector(vector + half).lanes;
                        state.scalar(scalar + half) == Scalar::Entry(runs + half, 0)
                            && [RUNNING, WAITING].map(|kind| lanes[kind]) == [Tag::Entry(wanted + half); 2]
                    })
                })
        };
        let steps = before.iter().map(|(n, state)| (&self.steps[*n], state));
        let found = steps.filter(|(step, state)| finds(step, state));
        found.map(|(step, _)| (step.word, step.name == "v_cmp_eq_u64")).collect()
    }

    /// Takes note of a question whether lanes want more, and of what makes its answer one of the past.
    pub(super) fn ask(&self, step: &Step, state: &mut State) {
        let Some([wanted, _]) = self.dispatch() else { return };
        let vcc = [regs::code::VCC_LO, regs::code::VCC_HI].map(|half| (file::SGPR, half));
        if let Some(asked) = &mut state.asked {
            asked.in_vcc &= !step.writes.iter().any(|written| vcc.contains(written));
            let is_old = (wanted..wanted + 2).any(|half| step.writes.contains(&(file::VGPR, half)));
            state.asked = state.asked.filter(|_| !is_old);
        }
        let asks =
            step.name == "v_cmp_ne_u64" && is_short(step) && sources(step) == [ZERO, 256 + u32::from(wanted)];
        if asks && state.masks.is_entry(&self.cells) {
            state.asked = Some(Asked { word: step.word, in_vcc: true, any: None });
        }
    }

    /// What is known of a question on the way from a branch.
    pub(super) fn answer(&self, n: usize, to: usize, state: &mut State) {
        let step = &self.steps[n];
        let Some(asked) = state.asked.as_mut().filter(|asked| asked.in_vcc) else { return };
        let Some(jumps) = self.jumps(n, to) else { return };
        match step.name {
            "s_cbranch_vccz" => asked.any = Some(!jumps),
            "s_cbranch_vccnz" => asked.any = Some(jumps),
            _ => {}
        }
    }

    /// The lowest lane that wants more, where an instruction finds it.
    pub(super) fn lowest(&self, step: &Step, state: &State) -> Option<Scalar> {
        let is_whole = (self.wave == 64) == step.name.ends_with("64");
        let asked = state.asked.filter(|asked| asked.in_vcc && is_whole)?;
        (Source::of(bits(step, 0, 8), 0) == Source::Register(regs::code::VCC_LO))
            .then_some(Scalar::Lowest(asked.word))
    }

    /// A half of what that lane wants, and where it goes.
    pub(super) fn next(&self, step: &Step, state: &State) -> Option<(u16, Scalar)> {
        let ([wanted, _], asked) = (self.dispatch()?, state.asked?);
        let Source::Register(lane) = lane_of(step)? else { return None };
        let half = (bits(step, 32, 8) as u16).checked_sub(wanted).filter(|half| *half < 2)?;
        let is_it = step.name == "v_readlane_b32" && state.scalar(lane) == Scalar::Lowest(asked.word);
        is_it.then_some((bits(step, 0, 8) as u16, Scalar::Next(asked.word, half as u8)))
    }

    /// An end: back only where no lane wants more, else to what the lowest one wants; lanes that wait keep what they have.
    pub(super) fn lanes_go_on(
        &self,
        step: &Step,
        to: u16,
        goes_on: bool,
        state: &State,
        sink: &mut Sink<'_>,
    ) {
        let Some([wanted, runs]) = self.dispatch() else { return };
        let asked = state.asked.filter(|asked| asked.any == Some(goes_on));
        match asked {
            None if goes_on => {
                let message = format!("{} goes on where maybe no lane wants another function", step.name);
                unproved(sink, step, message);
            }
            None => {
                let message = format!(
                    "{} goes back, and nothing says that no lane wants another function by v[{wanted}:{}]",
                    step.name,
                    wanted + 1
                );
                refute(sink, step, message);
            }
            Some(asked) if goes_on => self.goes_to_lowest(step, (to, runs, asked.word), state, sink),
            Some(_) => {}
        }
        self.waiting(step, state, sink);
    }

    /// What runs next is what the lowest lane wants, and stands where that compares it.
    fn goes_to_lowest(
        &self,
        step: &Step,
        (to, runs, word): (u16, u16, u32),
        state: &State,
        sink: &mut Sink<'_>,
    ) {
        for half in 0..2u16 {
            for register in [to + half, runs + half] {
                let value = state.scalar(register);
                if value != Scalar::Next(word, half as u8) {
                    let message = format!(
                        "{}: s{register} is not what the lowest lane wants: {}",
                        step.name,
                        instead(value)
                    );
                    return refute(sink, step, message);
                }
            }
        }
    }

    /// Lanes that wait, or have been served, find what they want, and their arguments and results, in registers and on the
    /// stack; masks are looked at bit by bit ([`waiting`](super::waiting)).
    fn waiting(&self, step: &Step, state: &State, sink: &mut Sink<'_>) {
        let Some(passed) = &self.contract.passed else { return };
        for register in (0..regs::code::VCC_LO).filter(|n| self.is_for_all(*n, passed)) {
            let value = state.scalar(register);
            if value != Scalar::Entry(register, 0) {
                let what = instead(value);
                let message =
                    format!("lanes that wait do not find in s{register} what they came with: {what}");
                unproved(sink, step, message);
            }
        }
        let [given, gives] = [&passed.given, &passed.gives].map(|all| all.of(File::Vgpr));
        for register in (0..regs::VGPRS).filter(|n| given[usize::from(*n)] || gives[usize::from(*n)]) {
            let place = || format!("in v{register}");
            keeps(step, (&state.vector(register), Tag::Entry(register)), place, sink);
        }
        for &at in &passed.lanes {
            let place = || format!("{at} bytes from the stack pointer");
            keeps(step, (&state.slot(at), Tag::Slot(at)), place, sink);
        }
    }

    /// Whether a scalar is given that says the same to all lanes: it is no mask, nor who runs.
    fn is_for_all(&self, register: u16, passed: &Passed) -> bool {
        let size = u16::from(self.wave / 32);
        let mut masks = passed.masks.iter().filter_map(|mask| match mask {
            Given::Scalar(first) => Some(*first),
            Given::Slot(_) => None,
        });
        let is_mask = masks.any(|first| (first..first + size).contains(&register));
        let says_who = self.dispatch().is_some_and(|[_, runs]| (runs..runs + 2).contains(&register));
        passed.given.sgpr[usize::from(register)] && !is_mask && !says_who
    }
}

/// That lanes that wait find what they came with in a place.
fn keeps(step: &Step, (held, came): (&Vector, Tag), place: impl Fn() -> String, sink: &mut Sink<'_>) {
    let tag = held.lanes[WAITING];
    if tag == came && (!held.stands[WAITING] || held.put.is_empty()) {
        return;
    }
    let what = instead_in_lanes(tag);
    let message = format!("lanes that wait do not find {} what they came with: {what}", place());
    match is_wrong(tag) {
        true => refute(sink, step, message),
        false => unproved(sink, step, message),
    }
}

/// The code of the number 0 as a source (spec section 3.1).
const ZERO: u32 = 128;
