//! Where runs end: at lines and instructions, under conditions, at registers that are written or read.

use std::collections::{BTreeMap, HashMap};

use chiaro_target::Step;

use crate::expression;
use crate::recording::{Lane, Recording};
use crate::registers::{apart, writes};

/// Where a breakpoint is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A line of the source, from 1.
    Line(u32),
    /// An instruction.
    Instruction(usize),
}

/// A breakpoint in the code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breakpoint {
    /// Its number for the client.
    pub id: u32,
    /// Where it is.
    pub place: Place,
    /// What has to hold.
    pub condition: Option<String>,
    /// How often it is passed before it counts.
    pub hits: Option<u32>,
}

/// What is watched of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Both.
    Both,
}

/// A register that is watched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watch {
    /// Its number for the client.
    pub id: u32,
    /// `r0`, or a component of it: `r0.x`.
    pub register: String,
    /// What is watched.
    pub access: Access,
    /// What has to hold.
    pub condition: Option<String>,
}

/// All breakpoints of a session.
#[derive(Clone, Debug, Default)]
pub struct Breakpoints {
    /// At lines.
    pub lines: Vec<Breakpoint>,
    /// At instructions.
    pub instructions: Vec<Breakpoint>,
    /// At registers.
    pub watches: Vec<Watch>,
    /// Passed how often, by number.
    passed: HashMap<u32, u32>,
    judged: Judged,
}

/// Conditions by their text: why they could not be evaluated so far; nothing once they could, or it was told.
type Judged = BTreeMap<String, Option<String>>;

impl Breakpoints {
    /// The breakpoint that a wave meets at a place, coming from another: its number, and the first lane that it
    /// holds for.
    pub fn met(
        &mut self,
        recording: &Recording,
        wave: usize,
        place: usize,
        from: usize,
    ) -> Option<(u32, usize)> {
        let instruction = recording.at(wave, place).filter(|_| place < recording.steps(wave).len())?;
        let line = recording.line(instruction);
        // A line that one jumps back in begins anew: a loop may be all of it.
        let jumps = recording.at(wave, from).is_some_and(|before| instruction <= before);
        let enters = recording.line_at(wave, from) != line || from == place || jumps;
        let here = |one: &&Breakpoint| match one.place {
            Place::Instruction(at) => at == instruction,
            // Within a line one is there already.
            Place::Line(wanted) => line == Some(wanted) && enters,
        };
        let all: Vec<Breakpoint> =
            self.lines.iter().chain(&self.instructions).filter(here).cloned().collect();
        all.into_iter().find_map(|one| Some((one.id, self.counts(&one, recording, wave, place)?)))
    }

    fn counts(
        &mut self,
        one: &Breakpoint,
        recording: &Recording,
        wave: usize,
        place: usize,
    ) -> Option<usize> {
        let lane = holds(one.condition.as_deref(), recording, (wave, place), &mut self.judged)?;
        let passed = self.passed.entry(one.id).or_default();
        *passed += 1;
        one.hits.is_none_or(|hits| *passed >= hits).then_some(lane)
    }

    /// The watch that a step of a wave sets off: its number, and the lane.
    #[must_use]
    pub fn watched(&mut self, recording: &Recording, wave: usize, step: usize) -> Option<(u32, usize)> {
        let taken = recording.steps(wave).get(step)?;
        let judged = &mut self.judged;
        let mut sets_off = |watch: &Watch| {
            let (reads, writes) = touched(recording, taken, &watch.register);
            let (reads, written) =
                (reads && watch.access != Access::Write, writes && watch.access != Access::Read);
            let condition = watch.condition.as_deref();
            (reads || written).then(|| holds(condition, recording, (wave, step + 1), judged)).flatten()
        };
        self.watches.iter().find_map(|watch| Some((watch.id, sets_off(watch)?)))
    }

    /// What is to be said of conditions that were met and could never be evaluated, each once: who has mistyped a
    /// name would wait for ever otherwise.
    pub fn complaints(&mut self) -> Vec<String> {
        let say = |(text, why): (&String, &mut Option<String>)| {
            Some(format!("the condition `{text}` could not be evaluated: {}", why.take()?))
        };
        self.judged.iter_mut().filter_map(say).collect()
    }

    /// Counts of passing begin again.
    pub fn forget(&mut self) {
        self.passed.clear();
        self.judged.clear();
    }
}

/// Whether a step reads, and whether it writes a register or a component of it; what units hand on is written.
#[must_use]
pub fn touched(recording: &Recording, step: &Step, register: &str) -> (bool, bool) {
    let parts = &recording.made.parts;
    let part_of =
        |a: &str, b: &str| parts.get(a).is_some_and(|made_of| made_of.iter().any(|(part, _)| part == b));
    let touches = |name: &str| {
        let ((register, components), (wanted, of_it)) = (apart(name), apart(register));
        let is_same = register == wanted || part_of(register, wanted) || part_of(wanted, register);
        is_same && components.iter().any(|component| of_it.contains(component))
    };
    let handed_on = || step.results.iter().any(|(unit, _)| *unit == register);
    (
        step.reads.iter().any(|(name, _)| touches(name)),
        writes(step).any(|(name, _)| touches(name)) || handed_on(),
    )
}

/// The first lane that a condition holds for at a wave's place; one that cannot be evaluated holds for none.
fn holds(
    condition: Option<&str>,
    recording: &Recording,
    (wave, place): (usize, usize),
    judged: &mut Judged,
) -> Option<usize> {
    let lanes = (0..recording.lanes()).map(|number| Lane { wave, number });
    let mut on = lanes.filter(|lane| recording.is_on(*lane, place)).map(|lane| lane.number);
    let Some(condition) = condition.filter(|text| !text.trim().is_empty()) else {
        return Some(on.next().unwrap_or(0));
    };
    let mut names = expression::names(recording, Lane { wave, number: 0 }, place);
    on.find(|number| {
        names.turn_to(*number);
        let held = expression::holds(condition, &names);
        match &held {
            Ok(_) => drop(judged.insert(condition.to_owned(), None)),
            Err(why) => drop(judged.entry(condition.to_owned()).or_insert_with(|| Some(why.clone()))),
        }
        held == Ok(true)
    })
}
