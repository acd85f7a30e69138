//! Code decoded to steps, and its micro-ops for a value of MODE.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use chiaro_isa::{Inst, Isa, Role};
use chiaro_sim::{Engine, Prepared};

use super::config::Config;
use super::registers::Registers;
use crate::exec::{Choices, Doer, Mode, Operands, Uops, exec};
use crate::isa::{self, Op, vop1::Vop1};
use crate::regs::{code, file};
use crate::report;

/// Code, decoded once and run as often as wanted.
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) steps: Vec<Step>,
    /// By dword: the step that begins there, or [`NO_STEP`].
    at: Vec<u32>,
    /// Vector registers that a run can change, from the first on.
    pub(super) vectors: u16,
    pub(super) wave: u8,
    bytes: Vec<u8>,
    /// By word of the code, for waves with a clock.
    timed: OnceLock<Arc<[Option<report::inst::Inst>]>>,
}

/// No instruction begins at this dword.
const NO_STEP: u32 = u32::MAX;

/// An instruction.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// Bytes from the start of the code, and bytes of it.
    pub(super) offset: u32,
    pub(super) length: u32,
    /// `None` where the words are no instruction.
    pub(super) inst: Option<(Inst, Op)>,
    pub(super) doer: Doer,
    pub(super) operands: Operands,
    pub(super) reads: Registers,
    pub(super) writes: Registers,
    /// Both.
    pub(super) touches: Registers,
    /// It writes nothing but lanes of vector registers: without lanes that run, nothing.
    pub(super) lanes_only: bool,
}

/// The micro-ops of a program in one MODE.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    pub(super) uops: Uops,
    pub(super) prepared: Option<Prepared>,
    pub(super) ranges: Vec<Range<usize>>,
}

impl Program {
    /// Decodes code for waves of 32 or 64 lanes. Words that are no instruction are faults
    /// where they are run.
    #[must_use]
    pub fn new(bytes: &[u8], wave: u8) -> Program {
        let isa = isa::isa(wave);
        let (mut steps, mut at, mut offset) = (Vec::new(), vec![NO_STEP; bytes.len() / 4], 0);
        while offset + 4 <= bytes.len() {
            let inst = isa.decode(&bytes[offset..]).ok();
            let length = inst.map_or(4, |inst| usize::from(inst.length));
            at[offset / 4] = steps.len() as u32;
            steps.push(step(isa, inst, offset as u32, length as u32));
            offset += length;
        }
        let vectors = vectors(&steps);
        let mut program = Program { steps, at, vectors, wave, bytes: bytes.to_vec(), timed: OnceLock::new() };
        let doers = program.compile(Mode(0), None, Choices::default()).1;
        for (step, doer) in program.steps.iter_mut().zip(doers) {
            step.doer = doer;
        }
        program
    }

    /// The number of the step that begins so many bytes from the start of the code.
    #[inline]
    pub(super) fn step_at(&self, offset: u32) -> Option<usize> {
        self.at.get(offset as usize / 4).filter(|step| **step != NO_STEP).map(|step| *step as usize)
    }

    /// Lanes of a wave.
    #[must_use]
    pub fn wave(&self) -> u8 {
        self.wave
    }

    /// The code.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The instructions as the cost model sees them, by word.
    pub(super) fn timed(&self) -> &Arc<[Option<report::inst::Inst>]> {
        self.timed.get_or_init(|| report::inst::by_word(&self.bytes, self.wave).into())
    }

    pub(super) fn compiled(&self, mode: Mode, config: &Config) -> Arc<Compiled> {
        Arc::new(self.compile(mode, config.engine, config.choices).0)
    }

    fn compile(&self, mode: Mode, engine: Option<Engine>, choices: Choices) -> (Compiled, Vec<Doer>) {
        let isa = isa::isa(self.wave);
        let mut uops = Uops::new(self.wave, mode, choices);
        let (mut ranges, mut doers) = (Vec::new(), Vec::new());
        for step in &self.steps {
            let start = uops.code.uops.len();
            uops.begin(step.operands);
            doers.push(match &step.inst {
                Some((inst, op)) => exec(*op, isa.form(inst).operation.name, &mut uops),
                None => Doer::Unknown,
            });
            ranges.push(start..uops.code.uops.len());
        }
        let prepared = engine.map(|engine| Prepared::new(&uops.code, engine));
        (Compiled { uops, prepared, ranges }, doers)
    }
}

/// Vector registers up to the last that a step names; some may go beyond it by m0, or by a dword or
/// two of what comes back.
fn vectors(steps: &[Step]) -> u16 {
    const MORE: u16 = 8;
    let named =
        |step: &Step| step.touches.iter().filter(|(in_file, _)| *in_file == file::VGPR).map(|(_, n)| n).max();
    let by_m0 = |step: &Step| {
        use Vop1 as V;
        let Some((_, Op::Vop1(op))) = step.inst else { return false };
        matches!(op, V::MovreldB32 | V::MovrelsB32 | V::MovrelsdB32 | V::Movrelsd2B32 | V::SwaprelB32)
    };
    let last = steps.iter().filter_map(named).max().map_or(0, |last| last + 1 + MORE);
    if steps.iter().any(by_m0) { 256 } else { last.min(256) }
}

fn step(isa: &Isa, inst: Option<Inst>, offset: u32, length: u32) -> Step {
    let mut step = Step {
        offset,
        length,
        inst: None,
        doer: Doer::Unknown,
        operands: Operands::default(),
        reads: Registers::default(),
        writes: Registers::default(),
        touches: Registers::default(),
        lanes_only: false,
    };
    let Some(inst) = inst else { return step };
    let form = isa.form(&inst);
    let values = isa.values(&inst, &isa.cx());
    let fields = || form.format.fields.iter().zip(values.as_slice());
    // A source by a reserved code is nothing that could be read.
    if fields().any(|(field, value)| field.name.contains("src") && value.is_none()) {
        return step;
    }
    step.inst = Some((inst, Op::of(form.op)));
    step.operands = Operands::new(isa, &inst);
    for (field, value) in fields() {
        let Some(run) = value.and_then(|value| field.kind.covers(value)) else { continue };
        for n in run.first..run.first + run.count {
            if matches!(field.role, Role::Use | Role::DefUse) {
                step.reads.add(run.file, n);
            }
            if matches!(field.role, Role::Def | Role::DefUse) {
                step.writes.add(run.file, n);
            }
        }
    }
    let implicit = form.operation.implicit.iter();
    step.lanes_only = !implicit.clone().any(|i| i.role != Role::Use)
        && step.writes.iter().all(|(in_file, _)| in_file == file::VGPR);
    if implicit.clone().any(|i| i.name == "vcc" && i.role != Role::Def) {
        step.reads.add(file::SGPR, code::VCC_LO);
    }
    step.touches = step.reads.with(&step.writes);
    step
}
