//! Borders between functions: what a caller owes its callee, and a callee its caller.

use std::rc::Rc;

use super::code::{Cell, LANES, Source, bits};
use super::masks::Masks;
use super::state::{Part, State, counters};
use super::value::{KINDS, RUNNING, Reach, SLEEPING, Scalar, Tag, Vector, WAITING};
use super::{Checker, Contract, Role, Sink, Steer, Step, refute, unproved};
use crate::abi::convention::{Counter, Unit};
use crate::abi::partition::{File, Files};
use crate::regs::{self, code};

/// Vector registers of a wave.
const VECTORS: u16 = regs::VGPRS;
/// Whether a value that is not the right one is surely wrong.
pub(super) fn is_wrong(tag: Tag) -> bool {
    !matches!(tag, Tag::Unknown(_))
}

fn is_wrong_scalar(value: Scalar) -> bool {
    !matches!(value, Scalar::Unknown(_))
}

/// What stands in a scalar instead, in words.
pub(super) fn instead(value: Scalar) -> String {
    match value {
        Scalar::Number(n) => format!("it is {n:#x}"),
        Scalar::Entry(register, 0) => format!("it is what s{register} was at entry"),
        Scalar::Entry(register, add) => format!("it is what s{register} was at entry plus {}", add as i32),
        Scalar::Frame(at) => format!("it is an address in the frame, {at} bytes from its begin"),
        Scalar::First(register, _) => format!("it is what v{register} holds in the lowest lane"),
        Scalar::Wanted(word, _) => format!("it is what word {word} compares lanes with"),
        Scalar::Lowest(word) => format!("it is the lowest lane that word {word} has found"),
        Scalar::Next(word, _) => format!("it is what the lowest lane wants that word {word} has found"),
        Scalar::Here(word, _) => format!("it is the place of word {word}"),
        Scalar::Address(..) => "it is the address of a function".to_owned(),
        Scalar::Clobbered(word) => format!("the call at word {word} leaves anything there"),
        Scalar::Written(word) => format!("word {word} writes it, and nothing restores it"),
        Scalar::Unknown(word) => format!("since word {word} nobody knows what it is"),
    }
}

pub(super) fn instead_in_lanes(tag: Tag) -> String {
    match tag {
        Tag::Entry(register) => format!("they hold what v{register} did at entry"),
        Tag::Slot(at) => format!("they hold what stood {at} bytes from the stack pointer at entry"),
        Tag::Same(scalar) => instead(scalar),
        Tag::Address(..) => "they hold addresses of functions".to_owned(),
        Tag::Nothing => "they were loaded from where nothing was stored".to_owned(),
        Tag::Clobbered(word) | Tag::Partly(word) => format!("the call at word {word} leaves anything there"),
        Tag::Written(word) => format!("word {word} writes them, and nothing restores them"),
        Tag::Unknown(word) => format!("since word {word} nobody knows what they hold"),
    }
}

impl Checker<'_> {
    /// A call: what it needs, and what is left behind it.
    pub(super) fn call(&self, n: usize, state: &mut State, sink: &mut Sink<'_>) {
        let step = &self.steps[n];
        let callee = self.callee(step);
        self.common(step, state, &callee.convention.in_flight.call, sink);
        let to = bits(step, 16, 7) as u16;
        if to != callee.return_address {
            let wanted = callee.return_address;
            let message = format!(
                "{} leaves the return address in s[{to}:{}], where s[{wanted}:{}] is agreed on",
                step.name,
                to + 1,
                wanted + 1
            );
            refute(sink, step, message);
        }
        self.unknown_callee(step, sink);
        if step.name != "s_call_b64" {
            self.pointer(step, callee, state, sink);
        }
        if self.among.whole {
            self.leads(step, callee, state, sink);
            self.hands_over_wanted(step, callee, state, sink);
        }
        self.awake(step, state, sink);
        self.stack(step, callee, state, sink);
        self.return_stack(step, callee, state, sink);
        self.kept_by_all(step, state, sink);
        self.arguments(step, callee, state, sink);
        self.clobber(n, callee, state);
    }

    /// Where a call through a pointer goes, as far as that is no function for sure. A number may be one: an address
    /// that the source gives, or what a linker is still to fill in.
    fn pointer(&self, step: &Step, callee: &Contract, state: &State, sink: &mut Sink<'_>) {
        let Source::Register(from) = Source::of(bits(step, 0, 8), 0) else { return };
        let back = self.contract.return_address;
        for value in [from, from + 1].map(|register| state.scalar(register)) {
            let is_back = matches!(value, Scalar::Entry(register, _) if (back..back + 2).contains(&register));
            if is_back && self.role == Role::Function {
                return refute(sink, step, format!("{} goes back to the caller", step.name));
            }
            let is_none = match value {
                Scalar::Clobbered(_) | Scalar::Frame(_) => true,
                Scalar::Entry(register, _) => Some(register) == self.contract.stack_pointer,
                _ => false,
            };
            if is_none {
                let message = format!(
                    "{} goes to what is in s[{from}:{}], and that is no function: {}",
                    step.name,
                    from + 1,
                    instead(value)
                );
                return refute(sink, step, message);
            }
        }
        // Lanes that hold other pointers may not run, unless who is called goes over them.
        if callee.dispatch.is_some() {
            return;
        }
        let of_lanes = [0, 1].map(|half| match state.scalar(from + half) {
            // What others compile may know that all lanes have the same.
            Scalar::First(register, _) if self.among.whole => Some(format!("v{register}")),
            Scalar::Wanted(word, _) => Some(format!("what word {word} compares with")),
            _ => None,
        });
        if let Some(held) =
            of_lanes.iter().flatten().next().filter(|_| !state.masks.all_want(&self.cells, step))
        {
            let message = format!(
                "{} goes to what the lowest lane has of {held}, and lanes may run that have something else there",
                step.name
            );
            unproved(sink, step, message);
        }
    }

    /// The comparison that has found the pointer which a call goes to, and the lanes that hold it.
    pub(super) fn comparison(&self, step: &Step, state: &State) -> Option<u32> {
        let calls = step.steer == Steer::Call && step.name != "s_call_b64";
        let Source::Register(from) = Source::of(bits(step, 0, 8), 0) else { return None };
        match [state.scalar(from), state.scalar(from + 1)] {
            [Scalar::Wanted(a, 0), Scalar::Wanted(b, 1)] if a == b && calls => Some(a),
            _ => None,
        }
    }

    /// What all keep that a pointer at a step may lead to, where that is known.
    fn site(&self, step: &Step) -> Option<&Contract> {
        self.among.sites.iter().find(|(word, _)| *word == step.word).map(|(_, all)| all)
    }

    /// What the function keeps that a call goes to: its own contract, that of all which the call may come to, or else
    /// the one that all have.
    pub(super) fn callee(&self, step: &Step) -> &Contract {
        self.known_callee(step).unwrap_or(self.contract)
    }

    /// The same where it is known who may be called.
    pub(super) fn known_callee(&self, step: &Step) -> Option<&Contract> {
        if let Some(all) = self.site(step) {
            return Some(all);
        }
        let distance = (step.name == "s_call_b64").then(|| i64::from(bits(step, 0, 16) as u16 as i16));
        let word = distance.map(|distance| i64::from(step.word) + 1 + distance);
        let known = self.among.functions.iter().find(|(first, _)| word == Some(i64::from(*first)));
        known.map(|(_, contract)| contract)
    }

    /// The function that a step goes to, to come back or not: by a call, or by a jump in the place of an end.
    pub(super) fn entered(&self, step: &Step) -> Option<&Contract> {
        match step.steer {
            Steer::Call => return Some(self.callee(step)),
            Steer::Leave => return self.site(step),
            _ => {}
        }
        let Steer::Branch(distance) = step.steer else { return None };
        let word = i64::from(step.word) + 1 + i64::from(distance);
        let mut others = self.among.functions.iter().filter(|(first, _)| *first != self.entry);
        others.find(|(first, _)| i64::from(*first) == word).map(|(_, contract)| contract)
    }

    /// Everything stands where a callee looks for it that it is given in scalars and on the stack.
    pub(super) fn arguments(&self, step: &Step, callee: &Contract, state: &State, sink: &mut Sink<'_>) {
        let Some(passed) = &callee.passed else { return };
        self.scalars_written(step, (&passed.given.sgpr, "hands over"), state, sink);
        if state.masks.reach(&self.cells)[RUNNING] == Reach::None {
            return;
        }
        for at in self.argument_slots(callee, state) {
            let held = state.slot(at).lanes[RUNNING];
            if matches!(held, Tag::Nothing | Tag::Clobbered(_)) {
                let why = instead_in_lanes(held);
                let message = format!("{} hands over byte {at} of the frame, of which {why}", step.name);
                unproved(sink, step, message);
            }
        }
    }

    /// Dwords of the frame that a callee is given as parameters, by their bytes from the stack pointer at entry.
    pub(super) fn argument_slots(&self, callee: &Contract, state: &State) -> Vec<i32> {
        let bottom = callee.stack_pointer.and_then(|register| self.of_pointer(state.scalar(register)));
        let slots = callee.passed.iter().flat_map(|passed| &passed.slots);
        bottom.map_or_else(Vec::new, |bottom| slots.map(|at| bottom + at).collect())
    }

    /// Scalars that are handed over have been written, on every way.
    fn scalars_written(
        &self,
        step: &Step,
        (given, what): (&[bool], &str),
        state: &State,
        sink: &mut Sink<'_>,
    ) {
        for register in (0..code::VCC_LO).filter(|n| given[usize::from(*n)]) {
            if state.unsure.blank >> register & 1 == 1 {
                unproved(
                    sink,
                    step,
                    format!("{} {what} s{register}, which nobody may have written", step.name),
                );
            }
        }
    }

    /// The end of the function: a return, or a jump to a function that returns in its place.
    pub(super) fn leave(&self, step: &Step, state: &State, sink: &mut Sink<'_>) {
        if self.role == Role::Kernel {
            return unproved(sink, step, format!("{} leaves a kernel", step.name));
        }
        let back = self.contract.return_address;
        let Source::Register(to) = Source::of(bits(step, 0, 8), 0) else {
            return unproved(sink, step, format!("{} goes nobody knows where", step.name));
        };
        let entry = |first: u16, at: u16| {
            (0..2).all(|half| state.scalar(at + half) == Scalar::Entry(first + half, 0))
        };
        // A return, or else the callee in its place has to find where to return.
        if !entry(back, to) && (to == back || !entry(back, back)) {
            let wrong = (0..2)
                .map(|half| state.scalar(back + half))
                .find(|value| !matches!(value, Scalar::Entry(r, 0) if *r == back || *r == back + 1));
            let value = wrong.unwrap_or(state.scalar(to));
            let message = format!(
                "{} does not go back to the caller: of s[{back}:{}], {}",
                step.name,
                back + 1,
                instead(value)
            );
            match is_wrong_scalar(value) {
                true => refute(sink, step, message),
                false => unproved(sink, step, message),
            }
        }
        let site = self.site(step).filter(|_| !entry(back, to));
        if let Some(callee) = site {
            self.pointer(step, callee, state, sink);
            self.leads(step, callee, state, sink);
            self.in_place(step, callee, state, sink);
        } else if !entry(back, to) && self.among.whole {
            let message = format!(
                "{} goes to what is in s[{to}:{}], and nobody says which functions that may be",
                step.name,
                to + 1
            );
            unproved(sink, step, message);
        }
        self.lanes_go_on(step, to, !entry(back, to), state, sink);
        let borders = &self.contract.convention.in_flight;
        let allowed = if entry(back, to) { &borders.returns } else { &borders.call };
        self.common(step, state, allowed, sink);
        self.lanes(step, state, sink);
        self.restored(step, state, sink);
        if let Some(passed) = self.contract.passed.as_ref().filter(|_| site.is_none()) {
            self.scalars_written(step, (&passed.gives.sgpr, "gives back"), state, sink);
        }
    }

    /// A function that returns in the place of this one: it is called the same way, keeps as much and gives as much.
    fn in_place(&self, step: &Step, callee: &Contract, state: &State, sink: &mut Sink<'_>) {
        self.arguments(step, callee, state, sink);
        let own = self.contract;
        let all = |mine: &[bool], other: &[bool]| mine.iter().zip(other).all(|(mine, other)| !mine || *other);
        let both = |mine: &Files<Vec<bool>>, other: &Files<Vec<bool>>| {
            File::BOTH.into_iter().all(|file| all(mine.of(file), other.of(file)))
        };
        let gives_all = match (&own.passed, &callee.passed) {
            (Some(mine), Some(other)) => both(&mine.gives, &other.gives),
            (mine, _) => mine.is_none(),
        };
        let is_same = own.return_address == callee.return_address
            && own.convention.return_addresses == callee.convention.return_addresses
            && own.stack_pointer == callee.stack_pointer
            && own.dispatch == callee.dispatch
            && own.convention.in_flight == callee.convention.in_flight;
        if !(is_same && gives_all && both(&own.kept, &callee.kept)) {
            let message = format!("{} goes to a function that keeps or gives less than this one", step.name);
            unproved(sink, step, message);
        }
    }

    /// Counters and mode, which are the same at every border.
    fn common(&self, step: &Step, state: &State, allowed: &[Counter], sink: &mut Sink<'_>) {
        let allowed = counters(allowed);
        for (n, counter) in Counter::ALL.into_iter().enumerate() {
            if state.on_way[n] && !allowed[n] {
                let message =
                    format!("{} may be above 0 at {}: wait for it before", counter.name(), step.name);
                // Whether the caller has anything on its way is the caller's doing.
                match state.of_caller[n] {
                    true => unproved(sink, step, message),
                    false => refute(sink, step, message),
                }
            }
        }
        let agreed = self.contract.convention.mode.map(u32::from);
        let parts = [("rounding", 0, 0xf), ("denormals", 4, 0xf), ("other bits of MODE", 8, 0)];
        for (part, (what, low, mask)) in state.mode.into_iter().zip(parts) {
            let is_agreed = |n: u32| mask != 0 && agreed.is_some_and(|mode| mode >> low & mask == n);
            match part {
                Part::Entry => {}
                Part::Number(n) if is_agreed(n) => {}
                Part::Number(n) => {
                    refute(sink, step, format!("{what} are {n:#x} at {}, not as at entry", step.name));
                }
                Part::Unknown => unproved(sink, step, format!("nobody knows {what} at {}", step.name)),
            }
        }
    }

    /// Nobody is called by lanes that slept at entry, or wait: a callee would work for them, too.
    fn awake(&self, step: &Step, state: &State, sink: &mut Sink<'_>) {
        let reach = state.masks.reach(&self.cells);
        self.without_others(step, reach, ["is made by", "may be made by"], sink);
    }

    /// That lanes which slept at entry, or wait, have no part in what a step does.
    pub(super) fn without_others(
        &self,
        step: &Step,
        reach: [Reach; KINDS],
        [does, may]: [&str; 2],
        sink: &mut Sink<'_>,
    ) {
        let (called, waits) = (self.role == Role::Function, self.dispatch().is_some());
        for (kind, who) in [(SLEEPING, "slept at entry"), (WAITING, "wait")] {
            match reach[kind] {
                _ if kind == SLEEPING && !called || kind == WAITING && !waits => {}
                Reach::None => {}
                Reach::All => refute(sink, step, format!("{} {does} lanes that {who}", step.name)),
                Reach::Some => unproved(sink, step, format!("{} {may} lanes that {who}", step.name)),
            }
        }
    }

    /// The callee's part of the stack begins within or behind the caller's.
    fn stack(&self, step: &Step, callee: &Contract, state: &State, sink: &mut Sink<'_>) {
        let Some(register) = callee.stack_pointer else { return };
        let value = state.scalar(register);
        match self.of_pointer(value) {
            None => unproved(
                sink,
                step,
                format!("the stack pointer s{register} is not known: {}", instead(value)),
            ),
            Some(at) if at < 0 => {
                let below = at.unsigned_abs();
                refute(sink, step, format!("the stack pointer is {below} bytes below its place at entry"));
            }
            Some(at) if self.contract.room.is_some_and(|room| at > room) => {
                let room = self.contract.room.unwrap_or(0);
                refute(sink, step, format!("the stack pointer is at byte {at} of a frame of {room}"));
            }
            Some(at) if at % i32::from(callee.convention.stack.alignment.max(1)) != 0 => {
                let alignment = callee.convention.stack.alignment;
                refute(
                    sink,
                    step,
                    format!("the stack pointer has moved by {at} bytes, no multiple of {alignment}"),
                );
            }
            Some(_) => {}
        }
    }

    /// The descriptor of the stack, which every callee uses.
    fn kept_by_all(&self, step: &Step, state: &State, sink: &mut Sink<'_>) {
        let Unit::Wave { descriptor } = self.contract.convention.stack.unit else { return };
        if self.role == Role::Kernel {
            return;
        }
        for register in descriptor..descriptor + 4 {
            let value = state.scalar(register);
            if value != Scalar::Entry(register, 0) {
                let message = format!(
                    "s{register} of the stack's descriptor does not come to the callee: {}",
                    instead(value)
                );
                refute(sink, step, message);
            }
        }
    }

    /// What a callee may leave anything in, it does.
    fn clobber(&self, n: usize, callee: &Contract, state: &mut State) {
        let word = self.steps[n].word;
        let bottom = self.bottom(callee, state);
        let (kept, results) = (&callee.kept, &callee.results);
        for register in (0..code::M0).filter(|register| !kept.sgpr[usize::from(*register)]) {
            let value = if results.sgpr[usize::from(register)] {
                Scalar::Written(word)
            } else {
                Scalar::Clobbered(word)
            };
            state.set_scalar(register, value);
            match value {
                Scalar::Clobbered(_) => state.unsure.lose(register),
                _ => state.unsure.write(register),
            }
        }
        // Vector registers of lanes may be others behind it.
        let is_first = |value| matches!(value, Scalar::First(..));
        state.change_scalars(|value| is_first(value).then_some(Scalar::Written(word)));
        // The call itself wrote the return address; the callee hands it back.
        for half in 0..2 {
            state.set_scalar(callee.return_address + half, Scalar::Written(word));
            state.unsure.write(callee.return_address + half);
        }
        // Callees have what is above the counter.
        let first =
            callee.convention.return_stack().and_then(|stack| self.entry_of(state.scalar(stack.counter)));
        state.returns.retain(|(entry, _), _| first.is_some_and(|first| *entry < first));
        let reach = state.masks.reach(&self.cells);
        for register in (0..VECTORS).filter(|register| !kept.vgpr[usize::from(*register)]) {
            let tag =
                if results.vgpr[usize::from(register)] { Tag::Written(word) } else { Tag::Clobbered(word) };
            self.overwrite(state, register, tag, reach, word);
        }
        state.bounds.clear();
        (state.asked, state.asks_none, state.carried) = (None, None, None);
        let slots = Rc::make_mut(&mut state.slots);
        for (at, slot) in slots.range_mut(bottom.saturating_sub(callee.stack_bytes)..) {
            // Results are left where parameters stood.
            let tag = if *at < bottom { Tag::Written(word) } else { Tag::Clobbered(word) };
            *slot = Vector::of([tag; KINDS]);
        }
        self.pass_call(n, (callee, bottom), &mut state.masks);
        state.on_way = counters(&callee.convention.in_flight.returns);
        state.of_caller = [false; 4];
        state.mode = [Part::Entry; 3];
    }

    /// What a call does to masks; the callee's part of the stack begins at a place of the frame.
    pub(super) fn pass_call(&self, n: usize, (callee, bottom): (&Contract, i32), masks: &mut Masks) {
        masks.step(&self.cells, n);
        masks.forget(&self.cells, &|cell| self.is_kept(cell, callee, bottom), n);
    }

    /// Whether a mask stays that is in a cell while a function runs whose part of the stack begins at a byte.
    pub(super) fn is_kept(&self, cell: Cell, callee: &Contract, bottom: i32) -> bool {
        let Files { sgpr, vgpr } = &callee.kept;
        match cell {
            _ if self.cells.is_found(cell) => true,
            _ if self.cells.slot_of(cell).is_some_and(|slot| slot < bottom) => true,
            0..=127 => sgpr[usize::from(cell)],
            LANES.. => vgpr.get(usize::from((cell - LANES) / 64)).copied().unwrap_or(false),
            _ => true,
        }
    }

    /// Where a callee's part of the stack begins; one that has none touches none.
    pub(super) fn bottom(&self, callee: &Contract, state: &State) -> i32 {
        let Some(register) = callee.stack_pointer else { return i32::MAX };
        self.of_pointer(state.scalar(register)).unwrap_or(0)
    }

    fn overwrite(&self, state: &mut State, register: u16, tag: Tag, reach: [Reach; KINDS], word: u32) {
        let mut held = state.vector(register);
        held.write(&Vector::of([tag; KINDS]), reach, word);
        state.set_vector(register, held);
    }

    /// The lanes that run are those that came.
    fn lanes(&self, step: &Step, state: &State, sink: &mut Sink<'_>) {
        if state.masks.is_entry(&self.cells) {
            return;
        }
        let reach = state.masks.reach(&self.cells);
        let what = match (reach[SLEEPING], reach[RUNNING]) {
            (Reach::All, _) => "lanes that slept run",
            (_, Reach::None) => "no lane of those that came runs",
            _ => {
                return unproved(
                    sink,
                    step,
                    format!("nobody knows whether EXEC is as at entry at {}", step.name),
                );
            }
        };
        refute(sink, step, format!("EXEC is not as at entry at {}: {what}", step.name));
    }

    /// Everything that the caller finds again.
    fn restored(&self, step: &Step, state: &State, sink: &mut Sink<'_>) {
        for (register, kept) in (0..code::VCC_LO).zip(&self.contract.kept.of(File::Sgpr)[..]) {
            let value = state.scalar(register);
            if *kept && value != Scalar::Entry(register, 0) {
                let message = format!("s{register} is not what it was at entry: {}", instead(value));
                // What is added to a stack pointer may be taken off again by a number that is computed.
                let computed =
                    matches!(value, Scalar::Written(_)) && Some(register) == self.contract.stack_pointer;
                match is_wrong_scalar(value) && !computed {
                    true => refute(sink, step, message),
                    false => unproved(sink, step, message),
                }
            }
        }
        for (register, kept) in (0..VECTORS).zip(&self.contract.kept.of(File::Vgpr)[..]) {
            if let Some((tag, lanes)) = self.lost(register, state, *kept) {
                let message = format!(
                    "{lanes} of v{register} are not what they were at entry: {}",
                    instead_in_lanes(tag)
                );
                match is_wrong(tag) {
                    true => refute(sink, step, message),
                    false => unproved(sink, step, message),
                }
            }
        }
    }
}
