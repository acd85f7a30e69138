//! The walk over the control flow: every instruction is judged in the worst state that can
//! reach it.

use super::effect::{Effect, Place};
use super::rules::{self, finding};
use super::state::{Pending, State};
use super::uniform;
use crate::isa::Op;
use crate::listing::{decode, mesa};
use chiaro_isa::finding::{Finding, Rule};

/// A program with what is known at each instruction.
pub(super) struct Walk {
    effects: Vec<Option<Effect>>,
    successors: Vec<Vec<usize>>,
    states: Vec<Option<State>>,
}

impl Walk {
    /// Walks until nothing changes.
    pub(super) fn new(code: &[u64], generation: u8) -> Walk {
        let effect = |w: &u64| decode(*w, generation).map(|inst| Effect::of(&inst, generation));
        let effects: Vec<Option<Effect>> = code.iter().map(effect).collect();
        let next = |(i, e): (usize, &Option<Effect>)| after(code, i, e.as_ref(), generation);
        let successors = effects.iter().enumerate().map(next).collect();
        let mut walk = Walk { effects, successors, states: vec![None; code.len()] };
        walk.settle();
        walk
    }

    fn settle(&mut self) {
        let mut open = Vec::new();
        if let Some(first) = self.states.first_mut() {
            *first = Some(State::start());
            open.push(0);
        }
        while let Some(index) = open.pop() {
            let Some(mut state) = self.states[index].clone() else { continue };
            if let Some(effect) = &self.effects[index] {
                let _ = step(&mut state, effect, None);
            }
            for at in 0..self.successors[index].len() {
                let next = self.successors[index][at];
                if next < self.states.len() && self.arrive(next, &state) {
                    open.push(next);
                }
            }
        }
    }

    /// Brings a state to an instruction; answers whether that is news there.
    fn arrive(&mut self, at: usize, state: &State) -> bool {
        match &mut self.states[at] {
            Some(there) => there.merge(state),
            there => {
                *there = Some(state.clone());
                true
            }
        }
    }

    /// Reports what breaks a rule in the worst state that reaches it.
    pub(super) fn report(&self, outputs: Option<&[u16]>, findings: &mut Vec<Finding>) {
        for (index, (state, effect)) in self.states.iter().zip(&self.effects).enumerate() {
            if let (Some(state), Some(effect)) = (state, effect) {
                let told = step(&mut state.clone(), effect, outputs);
                findings.extend(told.into_iter().map(|(rule, message)| finding(rule, index, message)));
                fall(index, self.states.len(), &self.successors[index], findings);
            }
        }
    }

    /// For each instruction whether lanes may part at it.
    pub(super) fn parting(&self) -> Vec<bool> {
        uniform::parting(&self.effects, &self.successors)
    }
}

fn fall(index: usize, length: usize, next: &[usize], findings: &mut Vec<Finding>) {
    if next.contains(&length) {
        let message = "control runs past the last instruction".to_owned();
        findings.push(finding(&rules::END, index, message));
    }
}

/// Where control may go; the length of the program is its outside.
fn after(code: &[u64], index: usize, effect: Option<&Effect>, generation: u8) -> Vec<usize> {
    let target = mesa::target(code[index], index, generation).map(|t| t.min(code.len()));
    match effect.map(|e| e.op) {
        Some(Op::End | Op::Ret) => Vec::new(),
        Some(Op::Jump) => target.into_iter().collect(),
        _ => target.into_iter().chain([index + 1]).collect(),
    }
}

type Told = Vec<(&'static Rule, String)>;

/// One instruction: judged in the state before it, which becomes the one after.
fn step(state: &mut State, effect: &Effect, outputs: Option<&[u16]>) -> Told {
    let mut told = Told::new();
    state.flags(effect);
    for (turn, (reads, writes)) in effect.steps.iter().enumerate() {
        // What runs beside the ALU still takes its own repetitions one by one.
        let passed = if effect.slots == 0 { turn as u16 } else { 0 };
        for read in reads {
            judge_read(state, read.place, read.slots.saturating_sub(passed), &mut told);
        }
        for place in writes {
            judge_write(state, *place, &mut told);
        }
        if effect.late {
            reads.iter().for_each(|read| state.read_late(read.place, effect.arrival));
        }
        // Each repetition of a counted instruction is a slot of its own.
        let counted = effect.slots > 0;
        state.pass(u16::from(counted));
        writes.iter().for_each(|place| state.write(*place, effect.arrival));
    }
    state.pass(effect.slots.saturating_sub(1));
    address(state, effect, &mut told);
    if effect.op == Op::End {
        judge_end(state, outputs.unwrap_or(&[]), &mut told);
    }
    told
}

fn judge_read(state: &State, place: Place, slots: u16, told: &mut Told) {
    let p = state.at(place);
    if p.age < slots {
        let message =
            format!("{} was written {} slots before, {slots} must lie between", place.name(), p.age);
        told.push((&rules::DELAY, message));
    }
    judge_arrival(p, place, "reads", told);
}

fn judge_write(state: &State, place: Place, told: &mut Told) {
    let p = state.at(place);
    judge_arrival(p, place, "overwrites", told);
    if p.read || p.read_sy {
        let flag = if p.read { "(ss)" } else { "(ss) or (sy)" };
        let message = format!("{} may still be read; {flag} must come first", place.name());
        told.push((&rules::WRITE_AFTER_READ, message));
    }
}

fn judge_arrival(p: Pending, place: Place, how: &str, told: &mut Told) {
    if p.ss {
        told.push((&rules::SS, format!("this {how} {}, which arrives after (ss)", place.name())));
    }
    if p.sy {
        told.push((&rules::SY, format!("this {how} {}, which arrives after (sy)", place.name())));
    }
}

/// An output that is still under way at the end is lost.
fn judge_end(state: &State, outputs: &[u16], told: &mut Told) {
    for place in outputs.iter().map(|n| Place::Full(*n)) {
        let p = state.at(place);
        if p.ss || p.sy {
            let (rule, flag) = if p.ss { (&rules::SS, "(ss)") } else { (&rules::SY, "(sy)") };
            told.push((rule, format!("{} is still on its way; end carries {flag}", place.name())));
        }
    }
}

/// a0.x is loaded, used, and released by its last reader before it is loaded again.
fn address(state: &mut State, effect: &Effect, told: &mut Told) {
    let uses = effect.steps.iter().any(|(reads, _)| reads.iter().any(|r| r.place == Place::Address));
    if uses && state.address.empty {
        told.push((&rules::ADDRESS, "a0.x has no value here".to_owned()));
    }
    if effect.ul {
        state.address.held = false;
        state.address.empty = true;
    }
    if effect.op == Op::Mova {
        if state.address.held {
            told.push((&rules::ADDRESS, "the last reader of a0.x lacks (ul)".to_owned()));
        }
        state.address.empty = false;
        state.address.held = true;
    }
}
