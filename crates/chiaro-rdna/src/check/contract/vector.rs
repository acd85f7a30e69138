//! Vector registers: who wrote which lanes.

use super::code::{Source, access, bits, got, is_partial, is_plain, is_short, put, sources};
use super::state::State;
use super::value::{KINDS, Put, RUNNING, Reach, SLEEPING, Scalar, Tag, Vector, WAITING};
use super::{Checker, Sink, Step, refute, unproved};
use crate::check::step::name;
use crate::regs::file;

impl Checker<'_> {
    /// Vector registers that an instruction writes, but for what scratch brings.
    pub(super) fn vectors(&self, step: &Step, reach: [Reach; KINDS], state: &mut State, sink: &mut Sink<'_>) {
        if step.name.starts_with("v_movreld") || step.name.starts_with("v_movrelsd") {
            return unproved(sink, step, format!("{} writes a register that m0 chooses", step.name));
        }
        if let Some((register, lane, source)) = put(step) {
            let value = self.value(source, state, step.word);
            let mut held = state.vector(register);
            held.put(lane, value);
            return state.set_vector(register, held);
        }
        if let Some((half, entry, source)) = self.kept_return(step, state) {
            let value = self.value(source, state, step.word);
            return self.keep_return(step, (half, entry, value), state, sink);
        }
        if step.name == "v_writelane_b32" {
            return unproved(sink, step, "v_writelane_b32 writes a lane that a register chooses".to_owned());
        }
        if access(step).is_some_and(|access| self.is_scratch(&access)) {
            return;
        }
        if let Some(copies) = copied(step) {
            let values = copies.map(|(to, from)| (to, handed_on(&state.vector(from), step.word)));
            for (to, value) in values {
                let mut held = state.vector(to);
                held.write(&value, reach, step.word);
                state.set_vector(to, held);
            }
            return;
        }
        let reach = written_in(step, reach);
        let value = self.moved(step, state).unwrap_or(Tag::Written(step.word));
        let value = Vector::of([value; KINDS]);
        for (_, register) in step.writes.iter().filter(|(in_file, _)| *in_file == file::VGPR) {
            let mut held = state.vector(*register);
            held.write(&value, reach, step.word);
            state.set_vector(*register, held);
        }
    }

    /// What a register holds in the lanes that run now.
    pub(super) fn in_lanes(&self, register: u16, state: &State) -> Tag {
        let lanes = state.lanes(register);
        // Only where a function goes over what lanes want there are others than those that it is for.
        match self.dispatch().map(|_| state.masks.reach(&self.cells)[WAITING]) {
            None | Some(Reach::None) => lanes[RUNNING],
            Some(_) => lanes[RUNNING].join(lanes[WAITING], u32::MAX),
        }
    }

    /// The value that all lanes get alike, where it is known: a pointer into the stack, mostly.
    fn moved(&self, step: &Step, state: &State) -> Option<Tag> {
        let word = step.word;
        let of = |raw: u32| match raw {
            256.. => match self.in_lanes(raw as u16 - 256, state) {
                Tag::Same(scalar) => scalar,
                _ => Scalar::Written(word),
            },
            raw => self.value(Source::of(raw, bits(step, 32, 32)), state, word),
        };
        let in_lanes = |raw: u32| match raw {
            256.. => self.in_lanes(raw as u16 - 256, state),
            raw => Tag::Same(of(raw)),
        };
        if let Some(address) = self.chosen_address(step, in_lanes) {
            return Some(address);
        }
        let [a, b] = sources(step).map(of);
        let value = match step.name {
            "v_mov_b32" if is_short(step) && is_plain(step) => a,
            "v_add_nc_u32" => match (a, b) {
                (value, Scalar::Number(n)) | (Scalar::Number(n), value) => value.plus(n, word),
                _ => return None,
            },
            "v_lshrrev_b32" => match a {
                Scalar::Number(n) => self.shifted(b, n)?,
                _ => return None,
            },
            _ => return None,
        };
        Some(Tag::Same(value))
    }

    /// Reads of what a call has left behind, and of what a caller's loads may still bring.
    pub(super) fn reads(&self, step: &Step, state: &State, sink: &mut Sink<'_>) {
        self.too_early(step, state, sink);
        if self.only_moves(step) {
            return;
        }
        // A lane that something was put into holds that, whatever a call has left in the others.
        if let Some(put) = got(step).and_then(|(_, register, lane)| state.vector(register).held(lane)) {
            return self.read_lane(step, put, sink);
        }
        let runs = state.masks.reach(&self.cells)[RUNNING] != Reach::None;
        for (in_file, register) in &step.reads {
            let clobbered = match *in_file {
                file::SGPR if Self::is_ordinary(*register) => match state.scalar(*register) {
                    Scalar::Clobbered(word) => Some(word),
                    _ => None,
                },
                file::VGPR if runs => match self.in_lanes(*register, state) {
                    Tag::Clobbered(word) => Some(word),
                    _ => None,
                },
                _ => None,
            };
            let is_scalar = *in_file == file::SGPR && Self::is_ordinary(*register);
            if clobbered.is_none() && is_scalar && state.is_unsure(*register) {
                let (reader, register) = (step.name, name((*in_file, *register)));
                let message = format!("{reader} reads {register}, in which a call may leave anything");
                unproved(sink, step, message);
            }
            if let Some(word) = clobbered {
                let (reader, register) = (step.name, name((*in_file, *register)));
                let message =
                    format!("{reader} reads {register}, in which the call at word {word} leaves anything");
                refute(sink, step, message);
            }
        }
    }

    /// A read of a single lane that something was put into.
    fn read_lane(&self, step: &Step, put: Put, sink: &mut Sink<'_>) {
        if let Some(word) = put.lost {
            let message =
                format!("{} reads a lane in which the call at word {word} may leave anything", step.name);
            unproved(sink, step, message);
        }
    }

    /// Registers that are touched before the caller's loads are waited for.
    fn too_early(&self, step: &Step, state: &State, sink: &mut Sink<'_>) {
        let [vm, _, lgkm, _] = state.of_caller;
        if !(vm || lgkm) {
            return;
        }
        let mut touched = step.reads.iter().chain(&step.writes);
        let early = touched.find(|(in_file, _)| match *in_file {
            file::VGPR => true,
            file::SGPR => lgkm,
            _ => false,
        });
        if let Some(register) = early {
            let register = name(*register);
            // Whether there are any is the caller's doing.
            let message =
                format!("{} touches {register} while loads of the caller may be on their way", step.name);
            unproved(sink, step, message);
        }
    }

    /// Lanes of a vector register that are not what they were at entry: in words.
    pub(super) fn lost(&self, register: u16, state: &State, is_kept: bool) -> Option<(Tag, &'static str)> {
        let held = state.vector(register);
        let kinds = [(SLEEPING, "lanes that sleep"), (RUNNING, "lanes that run")];
        for (kind, lanes) in kinds.into_iter().take(if is_kept { 2 } else { 1 }) {
            if held.lanes[kind] != Tag::Entry(register) {
                return Some((held.lanes[kind], lanes));
            }
            if let Some(value) = held.put.values().next().filter(|_| held.stands[kind]) {
                return Some((Tag::Same(value.value), "single lanes"));
            }
        }
        None
    }
}

/// Lanes of each kind in which an instruction leaves nothing of what its results held before: where some of that stays, in some
/// lanes or parts, it may be in any.
pub(super) fn written_in(step: &Step, reach: [Reach; KINDS]) -> [Reach; KINDS] {
    let some = |reach: Reach| if reach == Reach::All { Reach::Some } else { reach };
    if is_partial(step) { reach.map(some) } else { reach }
}

/// Vector registers that an instruction copies: each that is written, and where its value comes from.
fn copied(step: &Step) -> Option<[(u16, u16); 2]> {
    let [to, from] = [bits(step, 17, 8) as u16, (bits(step, 0, 9) as u16).checked_sub(256)?];
    match step.name {
        "v_mov_b32" if is_short(step) => Some([(to, from); 2]),
        "v_swap_b32" => Some([(to, from), (from, to)]),
        _ => None,
    }
}

/// What a copy holds: the same, as far as it is known whose value that is.
fn handed_on(held: &Vector, word: u32) -> Vector {
    let stands = |kind: usize| held.stands[kind] && !held.put.is_empty();
    let tag = |kind: usize| match held.lanes[kind] {
        known @ (Tag::Entry(_) | Tag::Slot(_) | Tag::Same(_) | Tag::Address(..)) if !stands(kind) => known,
        _ => Tag::Written(word),
    };
    Vector::of(std::array::from_fn(tag))
}
