//! Moves in a recording: steps by line or instruction, runs to breakpoints, forward and backward.

use crate::breakpoints::Breakpoints;
use crate::recording::Recording;

/// A step that is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// To the next, calls as one.
    Over,
    /// To the next, into calls.
    In,
    /// Behind the call that one is in.
    Out,
    /// To the one before.
    Back,
}

/// Why a run has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// A step was done.
    Step,
    /// At a breakpoint, by its number.
    Breakpoint(u32),
    /// A watched register, by the number of the watch.
    Watch(u32),
    /// Nothing is left in this direction.
    End,
}

/// Takes a step of a thread, by instruction or by line.
pub fn step(recording: &mut Recording, thread: usize, step: Step, by_instruction: bool) -> Stop {
    let Some(&start) = recording.places.get(thread) else { return Stop::End };
    let (depth, line) = (recording.depth(thread, start), recording.line_at(thread, start));
    let last = recording.steps(thread).len();
    let is_there = |recording: &Recording, place: usize| {
        let (now, there) = (recording.depth(thread, place), recording.line_at(thread, place));
        let leaves = by_instruction || now != depth || there != line && there.is_some();
        match step {
            Step::Over => now < depth || now == depth && leaves,
            Step::In | Step::Back => leaves,
            Step::Out => now < depth,
        }
    };
    let place = match step {
        Step::Back => (0..start)
            .rev()
            .find(|&place| is_there(recording, place))
            .map(|place| first_of(recording, thread, place, by_instruction)),
        _ => (start + 1..last).find(|&place| is_there(recording, place)),
    };
    let end = if step == Step::Back { 0 } else { last };
    recording.places[thread] = place.unwrap_or(end);
    if place.is_some() { Stop::Step } else { Stop::End }
}

/// The first step of a line that a place is on, so that a line is stepped back to its beginning.
fn first_of(recording: &Recording, thread: usize, place: usize, by_instruction: bool) -> usize {
    if by_instruction {
        return place;
    }
    let (depth, line) = (recording.depth(thread, place), recording.line_at(thread, place));
    let same = |at: &usize| recording.depth(thread, *at) == depth && recording.line_at(thread, *at) == line;
    (0..=place).rev().take_while(same).last().unwrap_or(place)
}

/// Runs a thread on to a breakpoint or its end.
pub fn run(recording: &mut Recording, thread: usize, breakpoints: &mut Breakpoints) -> Stop {
    let Some(&start) = recording.places.get(thread) else { return Stop::End };
    let last = recording.steps(thread).len();
    for place in start + 1..=last {
        if let Some(id) = breakpoints.watched(recording, thread, place - 1) {
            recording.places[thread] = place;
            return Stop::Watch(id);
        }
        if let Some(id) = breakpoints.met(recording, thread, place, place - 1) {
            recording.places[thread] = place;
            return Stop::Breakpoint(id);
        }
    }
    recording.places[thread] = last;
    Stop::End
}

/// Runs a thread back to a breakpoint or its beginning.
pub fn run_back(recording: &mut Recording, thread: usize, breakpoints: &mut Breakpoints) -> Stop {
    let Some(&start) = recording.places.get(thread) else { return Stop::End };
    for place in (0..start).rev() {
        if let Some(id) = breakpoints.watched(recording, thread, place) {
            recording.places[thread] = place;
            return Stop::Watch(id);
        }
        let before = place.checked_sub(1).unwrap_or(place);
        if let Some(id) = breakpoints.met(recording, thread, place, before) {
            recording.places[thread] = place;
            return Stop::Breakpoint(id);
        }
    }
    recording.places[thread] = 0;
    Stop::End
}
