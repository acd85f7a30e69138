//! The steps of a wave.

use std::sync::Arc;

use chiaro_sim::scalar;

use super::config::Schedule;
use super::fault::FaultKind;
use super::group::Shared;
use super::pending::Kind;
use super::program::{Compiled, Step};
use super::wave::{Status, Wave};
use crate::exec::Doer;
use crate::isa::Op;
use crate::regs::{code, file};

impl Wave {
    /// Runs until the wave ends or its turn is over: at a barrier, or at a wait for something
    /// that is on its way.
    pub(super) fn turn(&mut self, shared: &mut Shared<'_>) {
        let program = Arc::clone(&self.program);
        while self.status == Status::Running {
            let Some(n) = program.step_at(self.pc) else {
                return self.stop(FaultKind::Target(self.pc.into()));
            };
            let step = &program.steps[n];
            if self.issued >= self.config.fuel {
                return self.stop(FaultKind::Endless);
            }
            self.issued += 1;
            if !self.pending.is_empty() && self.on_way.meets(&step.touches) {
                self.check_arrival(step);
            }
            if let Some(timed) = &mut self.timed {
                timed.issue(step.offset);
            }
            let waits = match self.trace {
                None => self.step(n, step, shared),
                Some(_) => self.traced(step, |wave| wave.step(n, step, shared)),
            };
            if (waits || self.config.schedule == Schedule::Steps) && shared.waves > 1 {
                return;
            }
        }
    }

    /// Instruction number `n`. True if the turn is over.
    fn step(&mut self, n: usize, step: &Step, shared: &mut Shared<'_>) -> bool {
        match step.doer {
            Doer::Scalar => compute(&self.current, n, &mut self.halves[0]),
            Doer::Vector => self.vector_step(n, step.lanes_only),
            Doer::Flow => return self.flow(step),
            Doer::Cross => self.cross(step),
            Doer::Memory => self.access(step, shared),
            Doer::Nothing => {}
            Doer::Unknown => {
                self.refuse(step);
                return false;
            }
        }
        self.pc += step.length;
        false
    }

    /// The micro-ops of an instruction on each half, which has the scalar registers meanwhile.
    fn vector_step(&mut self, n: usize, lanes_only: bool) {
        let exec = self.exec();
        let runs = |half: usize| exec[half] != 0 || !lanes_only;
        if runs(0) {
            self.halves[0].active = exec[0];
            compute(&self.current, n, &mut self.halves[0]);
        }
        if let [first, second] = &mut self.halves[..]
            && runs(1)
        {
            std::mem::swap(&mut first.waves, &mut second.waves);
            second.active = exec[1];
            compute(&self.current, n, second);
            std::mem::swap(&mut first.waves, &mut second.waves);
        }
    }

    fn access(&mut self, step: &Step, shared: &mut Shared<'_>) {
        let Some((inst, op)) = step.inst else { return };
        let word = inst.word.0[0];
        match op {
            Op::Smem(op) => self.scalar_memory(op, word, shared),
            Op::Ds(op) => self.shared_memory(op, step, word, shared),
            Op::Mubuf(_) | Op::Mtbuf(_) => self.buffer(step, word, shared),
            Op::Mimg(op) => self.image(op, step, shared),
            _ => self.by_address(step, word, shared),
        }
    }

    /// A fault for each register that a step touches while a load still writes it.
    fn check_arrival(&mut self, step: &Step) {
        let exec = self.exec();
        let kind = load_kind(step).map(|kind| self.config.order(kind));
        for n in 0..self.pending.len() {
            let load = &self.pending[n];
            let Some(register) = load.registers.first_of_both(&step.touches) else { continue };
            // Lanes that do not run are nobody's business, unless they are read across.
            let apart = register.0 == file::VGPR
                && step.doer != Doer::Cross
                && load.lanes[0] & exec[0] == 0
                && load.lanes[1] & exec[1] == 0;
            // Loads of one kind return in order: the later one wins without a wait.
            let in_order =
                kind == Some(load.kind) && !load.kind.has_no_order() && !load.registers.meets(&step.reads);
            if !apart && !in_order {
                let wait = self.wait_for(n);
                let name = register_name(register);
                self.fault(first_lane(exec), FaultKind::TooEarly(name, wait));
            }
        }
    }

    pub(super) fn stop(&mut self, kind: FaultKind) {
        let lane = first_lane(self.exec());
        self.fault(lane, kind);
        self.status = Status::Ended;
    }

    /// Ends the wave at what cannot be run: words without a meaning, parts of the machine that are not here.
    pub(super) fn refuse(&mut self, step: &Step) {
        let text = self.text(step);
        let known = step.inst.is_some();
        self.stop(if known { FaultKind::NotRun(text) } else { FaultKind::Unknown(text) });
    }

    pub(super) fn text(&self, step: &Step) -> String {
        let isa = crate::isa::isa(self.program.wave());
        let text = step.inst.and_then(|(inst, _)| isa.text(&inst, &isa.cx()));
        text.unwrap_or_else(|| {
            let at = step.offset as usize;
            let bytes =
                self.program.bytes().get(at..at + 4).and_then(|b| b.try_into().ok()).unwrap_or([0; 4]);
            format!(".long {:#010x}", u32::from_le_bytes(bytes))
        })
    }
}

/// The lowest lane that runs; 0 if none does.
pub(super) fn first_lane([low, high]: [u32; 2]) -> usize {
    let both = u64::from(low) | u64::from(high) << 32;
    if both == 0 { 0 } else { both.trailing_zeros() as usize }
}

fn compute(compiled: &Compiled, n: usize, state: &mut chiaro_sim::State) {
    let range = compiled.ranges[n].clone();
    if range.is_empty() {
        return;
    }
    match &compiled.prepared {
        Some(prepared) => prepared.run(range, state),
        None => {
            let code = &compiled.uops.code;
            scalar::run(&code.uops[range], &code.envs, state, &mut ());
        }
    }
}

/// How a register is spelled.
pub(super) fn register_name((in_file, index): (u8, u16)) -> String {
    let mut out = chiaro_isa::Out::default();
    crate::regs::print(crate::regs::run(in_file, index, 1), &mut out);
    out.as_str().to_owned()
}

/// The order in which the results of a step come, if it is a load.
fn load_kind(step: &Step) -> Option<Kind> {
    let (inst, op) = step.inst?;
    let word = inst.word.0[0];
    Some(match op {
        Op::Mimg(_) => Kind::of_image((word >> 18 & 127 | (word & 1) << 7) as u32),
        Op::Mubuf(_) | Op::Mtbuf(_) | Op::Global(_) | Op::Scratch(_) => Kind::Plain,
        Op::Ds(_) if word >> 17 & 1 == 1 => Kind::Gds,
        Op::Ds(_) => Kind::Lds,
        _ => return None,
    })
}

/// The mask registers of the wave, for branches.
pub(super) const VCC: u16 = code::VCC_LO;
