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
    /// At a breakpoint: its number, and the lane that it holds for.
    Breakpoint(u32, usize),
    /// A watched register: the number of the watch, and the lane.
    Watch(u32, usize),
    /// Nothing is left in this direction.
    End,
}

/// Takes a step of a wave, by instruction or by line.
pub fn step(recording: &mut Recording, wave: usize, step: Step, by_instruction: bool) -> Stop {
    let Some(&start) = recording.places.get(wave) else { return Stop::End };
    let last = recording.steps(wave).len();
    // Behind the last step one is on no line: back goes to the one that was last.
    let (depth, line) =
        (recording.depth(wave, start), recording.line_at(wave, start).filter(|_| start < last));
    let is_there = |recording: &Recording, place: usize| {
        let (now, there) = (recording.depth(wave, place), recording.line_at(wave, place));
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
            .map(|place| first_of(recording, wave, place, by_instruction)),
        _ => (start + 1..last).find(|&place| is_there(recording, place)),
    };
    let end = if step == Step::Back { 0 } else { last };
    recording.places[wave] = place.unwrap_or(end);
    if place.is_some() { Stop::Step } else { Stop::End }
}

/// The first step of a line that a place is on, so that a line is stepped back to its beginning. Instructions that were
/// made for no line are part of those around them, as they are on the way forward.
fn first_of(recording: &Recording, wave: usize, place: usize, by_instruction: bool) -> usize {
    if by_instruction {
        return place;
    }
    let (depth, line) = (recording.depth(wave, place), recording.line_at(wave, place));
    let before = (0..=place).rev().take_while(|at| recording.depth(wave, *at) == depth);
    let lines = before.map(|at| (at, recording.line_at(wave, at)));
    let same = lines.take_while(|(_, here)| here.is_none() || *here == line);
    same.filter(|(_, here)| *here == line).last().map_or(place, |(at, _)| at)
}

/// Runs a wave on to a breakpoint or its end.
pub fn run(recording: &mut Recording, wave: usize, breakpoints: &mut Breakpoints) -> Stop {
    let Some(&start) = recording.places.get(wave) else { return Stop::End };
    let last = recording.steps(wave).len();
    for place in start + 1..=last {
        if let Some((id, lane)) = breakpoints.watched(recording, wave, place - 1) {
            recording.places[wave] = place;
            return Stop::Watch(id, lane);
        }
        if let Some((id, lane)) = breakpoints.met(recording, wave, place, place - 1) {
            recording.places[wave] = place;
            return Stop::Breakpoint(id, lane);
        }
    }
    recording.places[wave] = last;
    Stop::End
}

/// Runs a wave back to a breakpoint or its beginning.
pub fn run_back(recording: &mut Recording, wave: usize, breakpoints: &mut Breakpoints) -> Stop {
    let Some(&start) = recording.places.get(wave) else { return Stop::End };
    for place in (0..start).rev() {
        if let Some((id, lane)) = breakpoints.watched(recording, wave, place) {
            recording.places[wave] = place;
            return Stop::Watch(id, lane);
        }
        let before = place.checked_sub(1).unwrap_or(place);
        if let Some((id, lane)) = breakpoints.met(recording, wave, place, before) {
            recording.places[wave] = place;
            return Stop::Breakpoint(id, lane);
        }
    }
    recording.places[wave] = 0;
    Stop::End
}
