//! Steps of a wave recorded as it takes them.

use super::program::Step;
use super::registers::Registers;
use super::run::register_name;
use super::trace::{Executed, Named, Trace};
use super::wave::Wave;
use crate::regs::file;

impl Wave {
    /// Keeps the steps of the next run, so many at most.
    pub fn keep_trace(&mut self, most: usize) {
        self.trace = Some(Trace { steps: Vec::new(), most });
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
        let (reads, exec) = (self.named(&step.reads), self.exec());
        let waits = run(self);
        let made = Executed {
            offset: step.offset,
            text: self.text(step),
            cycle: self.timed.as_ref().map(|timed| timed.now()),
            exec,
            reads,
            writes: self.named(&step.writes),
            on_way: self.on_way.iter().map(register_name).collect(),
            next: self.pc,
        };
        if let Some(trace) = &mut self.trace {
            trace.steps.push(made);
        }
        waits
    }

    fn named(&self, registers: &Registers) -> Vec<Named> {
        let bits = |(in_file, n): (u8, u16)| match in_file {
            file::VGPR => (0..usize::from(self.lanes())).map(|lane| self.vector(n, lane)).collect(),
            _ => vec![self.scalar(n)],
        };
        registers.iter().map(|register| (register_name(register), bits(register))).collect()
    }
}
