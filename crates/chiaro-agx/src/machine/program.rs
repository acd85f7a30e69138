//! Code decoded to steps, with their micro-ops.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use chiaro_isa::{Cx, Inst, Isa, Reg, Value};
use chiaro_sim::Prepared;

use super::access::Access;
use super::config::Config;
use super::graphic::operand::Graphic;
use super::texture::operand::Lookup;
use crate::exec::{Doer, Operands, Uops, exec};
use crate::isa::{self, Op};
use crate::operand::touched::touched;
use crate::regs::halves::Halves;
use crate::regs::{GPR_HALVES, file};

/// Code, decoded once and run as often as wanted.
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) steps: Vec<Step>,
    /// By two bytes: the step that begins there, or [`NO_STEP`].
    at: Vec<u32>,
    generation: u8,
    /// Words of general registers that a run can change, from the first on.
    pub(super) words: usize,
    pub(super) compiled: Arc<Compiled>,
    /// By step: what can be run from there on without a look at anything between.
    pub(super) straight: Vec<Straight>,
    bytes: Vec<u8>,
}

/// No instruction begins at these two bytes.
const NO_STEP: u32 = u32::MAX;

/// Registers behind those that a program names, which are reset as well.
const BEYOND: usize = 8;

/// An instruction.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// Bytes from the start of the code, and bytes of it.
    pub(super) offset: u32,
    pub(super) length: u32,
    /// `None` where the bytes are no instruction.
    pub(super) inst: Option<(Inst, Op)>,
    pub(super) doer: Doer,
    pub(super) access: Option<Access>,
    pub(super) graphic: Option<Graphic>,
    pub(super) lookup: Option<Box<Lookup>>,
    /// Result and sources of what the machine does itself; the register of a jump is the first.
    pub(super) d: Option<Reg>,
    pub(super) a: Option<Reg>,
    pub(super) b: Option<Reg>,
    pub(super) c: Option<Reg>,
    /// Whether helper lanes end behind it.
    pub(super) ends_helpers: bool,
    /// The special register, the slot that is waited for, or the place of a jump.
    pub(super) number: i64,
    pub(super) reads: Halves,
    pub(super) writes: Halves,
    /// Both.
    pub(super) touches: Halves,
}

/// Steps one behind the other that only compute.
#[derive(Clone, Debug, Default)]
pub(super) struct Straight {
    /// How many.
    pub(super) steps: u32,
    /// Bytes of them.
    pub(super) length: u32,
    /// What they read and write.
    pub(super) touches: Halves,
    /// Whether one writes r0l.
    pub(super) counted: bool,
}

impl Straight {
    /// For every step; none where it does more than to compute.
    fn all(steps: &[Step]) -> Vec<Straight> {
        let mut all = vec![Straight::default(); steps.len()];
        let only_computes = |n: &usize| steps[*n].doer == Doer::Lanes && !steps[*n].ends_helpers;
        for n in (0..steps.len()).rev().filter(only_computes) {
            let (step, behind) = (&steps[n], all.get(n + 1).cloned().unwrap_or_default());
            all[n] = Straight {
                steps: behind.steps + 1,
                length: behind.length + step.length,
                touches: behind.touches.with(&step.touches),
                counted: behind.counted | step.writes.has(0),
            };
        }
        all
    }
}

/// The micro-ops of a program.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    pub(super) uops: Uops,
    pub(super) prepared: Option<Prepared>,
    pub(super) ranges: Vec<Range<usize>>,
}

impl Program {
    /// Decodes code of a generation. Bytes that are no instruction are faults where they are run.
    #[must_use]
    pub fn new(bytes: &[u8], generation: u8, config: &Config) -> Program {
        let isa = isa::isa(generation);
        let (mut steps, mut at, mut offset) = (Vec::new(), vec![NO_STEP; bytes.len() / 2 + 1], 0);
        let (mut uops, mut ranges) = (Uops::new(config.choices), Vec::new());
        while offset < bytes.len() {
            let inst = isa.decode(&bytes[offset..]).ok();
            let length = inst.map_or(2, |inst| usize::from(inst.length));
            at[offset / 2] = steps.len() as u32;
            let start = uops.code.uops.len();
            steps.push(step(isa, inst, offset as u32, length as u32, &mut uops));
            ranges.push(start..uops.code.uops.len());
            offset += length;
        }
        let prepared = config.engine.map(|engine| Prepared::new(&uops.code, engine));
        let compiled = Arc::new(Compiled { uops, prepared, ranges });
        let used = steps.iter().filter_map(|step| step.touches.iter().last()).max();
        // What a load or texture brings may go a few registers beyond what is named.
        let words =
            used.map_or(0, |half| usize::from(half) / 2 + 1 + BEYOND).min(usize::from(GPR_HALVES) / 2);
        let straight = Straight::all(&steps);
        Program { steps, at, generation, words, compiled, straight, bytes: bytes.to_vec() }
    }

    /// The number of the step that begins so many bytes from the start of the code.
    #[inline]
    pub(super) fn step_at(&self, offset: u32) -> Option<usize> {
        let even = offset.is_multiple_of(2);
        let found = self.at.get(offset as usize / 2).filter(|step| even && **step != NO_STEP);
        found.map(|step| *step as usize)
    }

    /// The number of the first instruction that does not begin before so many bytes.
    #[must_use]
    pub fn number_of(&self, offset: u32) -> u32 {
        self.steps.partition_point(|step| step.offset < offset) as u32
    }

    /// Where an instruction begins, in bytes from the start of the code.
    #[must_use]
    pub fn offset_of(&self, number: u32) -> Option<u32> {
        self.steps.get(number as usize).map(|step| step.offset)
    }

    /// Whether it kills or tests samples itself; where it does not, the hardware tests before it.
    #[must_use]
    pub fn decides(&self) -> bool {
        let decides = |graphic: Graphic| matches!(graphic, Graphic::Samples { .. } | Graphic::Depth { .. });
        self.steps.iter().any(|step| step.graphic.is_some_and(decides))
    }

    /// Whether it stores words of vertices.
    #[must_use]
    pub fn has_outputs(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.graphic, Some(Graphic::Output { .. })))
    }

    /// The uniforms that instructions name, in their order: each word or half with its name, its first half and
    /// whether it is a word.
    #[must_use]
    pub fn uniforms(&self) -> Vec<(String, (u16, bool))> {
        let mut all = BTreeSet::new();
        for (inst, _) in self.steps.iter().filter_map(|step| step.inst) {
            let values = self.isa().values(&inst, &self.isa().cx());
            let fields = self.isa().form(&inst).format.fields.iter().zip(values.as_slice());
            let runs = fields.filter_map(|(field, value)| field.kind.covers((*value)?));
            for run in runs.filter(|run| run.file == file::UNIFORM) {
                all.extend((run.first..run.first + run.count).map(|half| (half, run.count > 1)));
            }
        }
        let named = |(half, is_word): (u16, bool)| match is_word {
            true if half % 2 == 0 => Some((format!("u{}", half / 2), (half, true))),
            true => None,
            false => Some((format!("u{}{}", half / 2, if half % 2 == 0 { 'l' } else { 'h' }), (half, false))),
        };
        all.into_iter().filter_map(named).collect()
    }

    /// The set of its generation.
    pub(super) fn isa(&self) -> &'static Isa {
        isa::isa(self.generation)
    }

    /// The code.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The text of a step.
    pub(super) fn text(&self, step: &Step) -> String {
        let text = step.inst.and_then(|(inst, _)| self.isa().text(&inst, &self.isa().cx()));
        text.unwrap_or_else(|| {
            let at = step.offset as usize;
            let bytes = self.bytes.get(at..at + 2).unwrap_or_default();
            bytes.iter().fold(".half ".to_owned(), |text, byte| format!("{text}{byte:02x}"))
        })
    }
}

fn step(isa: &'static Isa, inst: Option<Inst>, offset: u32, length: u32, uops: &mut Uops) -> Step {
    let mut step = Step {
        offset,
        length,
        inst: None,
        doer: Doer::Unknown,
        access: None,
        graphic: None,
        lookup: None,
        d: None,
        a: None,
        b: None,
        c: None,
        ends_helpers: false,
        number: 0,
        reads: Halves::default(),
        writes: Halves::default(),
        touches: Halves::default(),
    };
    // Where an operand means nothing, nobody knows what the instruction does.
    let Some(inst) = inst.filter(|inst| isa.values(inst, &isa.cx()).as_slice().iter().all(Option::is_some))
    else {
        return step;
    };
    let op = Op::of(isa.form(&inst).op);
    step.inst = Some((inst, op));
    (step.reads, step.writes) = touched(isa, &inst);
    step.touches = step.reads.with(&step.writes);
    uops.begin();
    let operands = Operands { isa, inst: &inst };
    step.doer = exec(op, &operands, uops);
    step.ends_helpers = uops.choices.ends_helpers && operands.number("kill") & 1 == 1;
    match step.doer {
        Doer::Memory => step.access = Access::of(op, &operands, uops.choices),
        Doer::Graphic => step.graphic = Graphic::of(op, &operands, uops.choices),
        Doer::Texture => step.lookup = Lookup::of(op, &operands).map(Box::new),
        _ => {}
    }
    if matches!(step.doer, Doer::Cross | Doer::Special | Doer::Flow) {
        (step.d, step.b, step.c) = (operands.reg("D"), operands.reg("B"), operands.reg("C"));
        step.a = operands.reg("A").or_else(|| operands.reg("reg32"));
        let cx = Cx { address: offset.into(), ..isa.cx() };
        let number = |name: &str| isa.value(&inst, name, &cx).and_then(Value::int);
        step.number = ["SR", "i", "off"].into_iter().find_map(number).unwrap_or(0);
    }
    step
}
