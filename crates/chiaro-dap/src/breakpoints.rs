//! Where runs end: at lines and instructions, under conditions, at registers that are written or read.

use crate::expression;
use crate::recording::Recording;
use crate::registers::{apart, writes};
use crate::value::Value;

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
    passed: std::collections::HashMap<u32, u32>,
}

impl Breakpoints {
    /// The breakpoint that a thread meets at a place, coming from another: its number.
    pub fn met(&mut self, recording: &Recording, thread: usize, place: usize, from: usize) -> Option<u32> {
        let instruction = recording.at(thread, place).filter(|_| place < recording.steps(thread).len())?;
        let line = recording.line(instruction);
        let enters = recording.line_at(thread, from) != line || from == place;
        let here = |one: &&Breakpoint| match one.place {
            Place::Instruction(at) => at == instruction,
            // Within a line one is there already.
            Place::Line(wanted) => line == Some(wanted) && enters,
        };
        let all: Vec<Breakpoint> =
            self.lines.iter().chain(&self.instructions).filter(here).cloned().collect();
        all.into_iter().find(|one| self.counts(one, recording, thread, place)).map(|one| one.id)
    }

    fn counts(&mut self, one: &Breakpoint, recording: &Recording, thread: usize, place: usize) -> bool {
        if !holds(one.condition.as_deref(), recording, thread, place) {
            return false;
        }
        let passed = self.passed.entry(one.id).or_default();
        *passed += 1;
        one.hits.is_none_or(|hits| *passed >= hits)
    }

    /// The watch that a step of a thread sets off.
    #[must_use]
    pub fn watched(&self, recording: &Recording, thread: usize, step: usize) -> Option<u32> {
        let taken = recording.steps(thread).get(step)?;
        let touches = |name: &str, watch: &Watch| {
            let ((register, components), (wanted, parts)) = (apart(name), apart(&watch.register));
            register == wanted && components.iter().any(|component| parts.contains(component))
        };
        let sets_off = |watch: &&Watch| {
            let reads =
                watch.access != Access::Write && taken.reads.iter().any(|(name, _)| touches(name, watch));
            let written = watch.access != Access::Read && writes(taken).any(|(name, _)| touches(name, watch));
            (reads || written) && holds(watch.condition.as_deref(), recording, thread, step + 1)
        };
        self.watches.iter().find(sets_off).map(|watch| watch.id)
    }

    /// Counts of passing begin again.
    pub fn forget(&mut self) {
        self.passed.clear();
    }
}

/// Whether a condition holds; one that cannot be evaluated does not.
fn holds(condition: Option<&str>, recording: &Recording, thread: usize, place: usize) -> bool {
    let Some(condition) = condition.filter(|text| !text.trim().is_empty()) else { return true };
    expression::evaluate(condition, &expression::names(recording, thread, place)).is_ok_and(Value::holds)
}
