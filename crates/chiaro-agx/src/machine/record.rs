//! Steps of a SIMD-group recorded as it takes them.

use chiaro_isa::Reg;
use chiaro_sim::{Changes, Touched};

use super::access::Space;
use super::program::{Program, Step};
use super::simdgroup::SimdGroup;
use super::trace::{Executed, Named, Trace};
use crate::regs::halves::{Halves, name};
use crate::regs::{LANES, file, size};

impl SimdGroup {
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
    pub(super) fn traced(
        &mut self,
        program: &Program,
        step: &Step,
        run: impl FnOnce(&mut SimdGroup) -> bool,
    ) -> bool {
        if self.trace.as_ref().is_some_and(|trace| trace.steps.len() >= trace.most) {
            return run(self);
        }
        let set = self.change();
        let (reads, active) = (self.named(&step.reads), self.active());
        let counters = self.word(0).0.iter().map(|bits| bits & 0xffff).collect();
        let over = run(self);
        let made = Executed {
            offset: step.offset,
            text: program.text(step),
            set,
            active,
            counters,
            reads,
            writes: self.named(&step.writes),
            on_way: self.on_way.iter().map(name).collect(),
            memory: self.trace.as_mut().map(|trace| std::mem::take(&mut trace.touched)).unwrap_or_default(),
            next: self.pc,
        };
        if let Some(trace) = &mut self.trace {
            trace.steps.push(made);
        }
        over
    }

    /// Notes memory that a lane has touched, as long as steps are kept.
    pub(super) fn touch(
        &mut self,
        space: Space,
        lane: usize,
        address: u64,
        (size, bits): (usize, u64),
        is_write: bool,
    ) {
        let Some(trace) = self.trace.as_mut().filter(|trace| trace.steps.len() < trace.most) else { return };
        let (name, is_own) = match space {
            Space::Device => ("device", false),
            Space::Threadgroup => ("threadgroup", false),
            Space::Stack => ("stack", true),
            Space::Uniform => return,
        };
        let (lane, size) = (lane as u32, size as u8);
        trace.touched.push(Touched { lane, space: name, is_own, address, size, bits, is_write });
    }

    /// Halves with their values; both halves of a register are one.
    fn named(&self, halves: &Halves) -> Vec<Named> {
        let mut all = Vec::new();
        for half in halves.iter() {
            let both = halves.has(half ^ 1);
            if both && half & 1 == 1 {
                continue;
            }
            let (size, label) =
                if both { (size::WORD, format!("r{}", half / 2)) } else { (size::HALF, name(half)) };
            let r = Reg { file: file::GPR, size, index: half, ..Reg::default() };
            all.push((label, (0..LANES as usize).map(|lane| self.read(r, lane) as u32).collect()));
        }
        all
    }
}
