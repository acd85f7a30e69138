//! Steps of a wave recorded as it takes them.

use chiaro_sim::mapped::number;
use chiaro_sim::{Changes, Touched};

use super::program::Step;
use super::registers::Registers;
use super::run::register_name;
use super::trace::{Executed, Named, Trace};
use super::vector::Place;
use super::wave::Wave;
use crate::regs::file;

impl Wave {
    /// Keeps the steps of the next run, so many at most.
    pub fn keep_trace(&mut self, most: usize) {
        self.trace =
            Some(Trace { steps: Vec::new(), most, changes: Changes::default(), touched: Vec::new() });
    }

    /// Keeps no steps any more.
    pub fn drop_trace(&mut self) {
        self.trace = None;
    }

    /// Whether steps are kept.
    #[must_use]
    pub fn is_traced(&self) -> bool {
        self.trace.is_some()
    }

    /// The steps of the last run.
    #[must_use]
    pub fn trace(&self) -> &[Executed] {
        self.trace.as_ref().map_or(&[], |trace| &trace.steps)
    }

    /// Does a step and keeps what it did.
    pub(super) fn traced(&mut self, step: &Step, run: impl FnOnce(&mut Wave) -> bool) -> bool {
        if self.trace.as_ref().is_some_and(|trace| trace.steps.len() >= trace.most) {
            return run(self);
        }
        let set = self.change();
        let (reads, exec, on_way) = (self.named(&step.reads), self.exec(), self.on_way);
        let waits = run(self);
        let made = Executed {
            offset: step.offset,
            text: self.text(step),
            set,
            cycle: self.timed.as_ref().map(|timed| timed.now()),
            exec,
            reads,
            writes: self.named(&step.writes.with(&on_way.without(&self.on_way))),
            on_way: self.on_way.iter().map(register_name).collect(),
            memory: self.trace.as_mut().map(|trace| std::mem::take(&mut trace.touched)).unwrap_or_default(),
            next: self.pc,
        };
        if let Some(trace) = &mut self.trace {
            trace.steps.push(made);
        }
        waits
    }

    /// Notes memory that a lane has touched, as long as steps are kept.
    pub(super) fn touch(&mut self, at: Place, lane: usize, (size, bits): (usize, u64), is_write: bool) {
        let Some(trace) = self.trace.as_mut().filter(|trace| trace.steps.len() < trace.most) else { return };
        let (space, address) = match at {
            Place::Outside | Place::Misaligned(_) => return,
            Place::Lds(at) => ("lds", at),
            Place::Scratch(at) => ("scratch", at),
            Place::Memory(at) => ("memory", at),
        };
        // Lanes' words of scratch stand side by side in one memory.
        let (lane, is_own, size) = (lane as u32, false, size as u8);
        trace.touched.push(Touched { lane, space, is_own, address, size, bits, is_write });
    }

    /// The same with several words.
    pub(super) fn touch_all(&mut self, at: u64, lane: usize, bytes: &[u8], is_write: bool) {
        for (at, word) in (at..).step_by(4).zip(bytes.chunks(4)) {
            self.touch(Place::Memory(at), lane, (word.len(), number(word)), is_write);
        }
    }

    fn named(&self, registers: &Registers) -> Vec<Named> {
        registers.iter().map(|register| (register_name(register), self.bits(register))).collect()
    }

    /// What a register holds: one word, or one for each lane.
    pub(super) fn bits(&self, (in_file, n): (u8, u16)) -> Vec<u32> {
        match in_file {
            file::VGPR => (0..usize::from(self.lanes())).map(|lane| self.vector(n, lane)).collect(),
            _ => vec![self.scalar(n)],
        }
    }
}
