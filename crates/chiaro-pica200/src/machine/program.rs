//! Words to micro-ops, decoded once.
//!
//! A straight run is a range of words that control enters only at its start
//! and leaves only at its end. Runs are cut behind every control instruction,
//! and at every address that a jump, a return or the top of a stack can name;
//! all of those are static. So the stacks need to be looked at only at the
//! end of a run, and its micro-ops go to the engine in one piece.

use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use chiaro_isa::{Form, Inst, Reg, Value};
use chiaro_num::{F24, Rounding};
use chiaro_sim::{Code, Engine, FloatEnv, Lanes, Op as U, Prepared, Slot, Table, Uop};

use super::config::{Config, EngineChoice, Mode, PastEnd};
use super::flow::{Flow, Test};
use super::registers::{FLOATS, Named, Register, Registers, Source};
use crate::exec::{Components, Exec, Operands, exec};
use crate::isa::{Op, PICA200, fetch};
use crate::operand::NEGATE;
use crate::regs::bank;

/// Words that the 12-bit addresses reach; the last one ends the program. \[azahar]
pub const MOST_WORDS: usize = 4096;

/// A program, ready to run. Cheap to share; machines hold their data apart.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) config: Config,
    pub(crate) entry: u16,
    /// One per word, and one more for the words of zero behind the last.
    pub(crate) lines: Vec<Line>,
    pub(crate) regs: Registers,
    pub(crate) code: Code,
    pub(crate) prepared: Option<Prepared>,
    /// Micro-ops that make float24 of fresh inputs, by input register.
    pub(crate) narrow_inputs: Vec<Range<usize>>,
    /// Slots that every invocation starts with anew, with their value.
    pub(crate) clear: Vec<(Slot, u32)>,
    /// c registers that the program names directly, and their slots.
    pub(crate) floats: Vec<(u8, [Slot; 4])>,
    /// Whether aL is used as an index.
    pub(crate) indexes_by_counter: bool,
    /// The words of a program that runs from its entry straight to an END.
    pub(crate) straight: Option<Range<usize>>,
}

/// One word.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The word and its descriptor.
    pub(crate) inst: Option<Inst>,
    /// The word as it is.
    pub(crate) word: u32,
    /// Its micro-ops.
    pub(crate) uops: Range<usize>,
    /// The last word of the straight run that starts here.
    pub(crate) last: usize,
    pub(crate) flow: Flow,
    pub(crate) operands: Operands,
    /// The result register, if any.
    pub(crate) target: Option<Register>,
}

impl Line {
    /// A word that is not looked at.
    fn blank(word: u32) -> Line {
        let (flow, operands) = (Flow::Unknown, Operands::default());
        Line { inst: None, word, uops: 0..0, last: 0, flow, operands, target: None }
    }
}

/// Why a program cannot be loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoadError {
    /// More than [`MOST_WORDS`] words; the number given.
    TooLong(usize),
    /// The entry point is behind word 4094; the entry given.
    Entry(u32),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong(n) => write!(f, "the program has {n} words; addresses reach {MOST_WORDS}"),
            Self::Entry(n) => write!(f, "the entry point {n} is out of reach"),
        }
    }
}

impl std::error::Error for LoadError {}

impl Program {
    /// Decodes `words` with the operand `descriptors` (a missing one reads as 0),
    /// to be started at word `entry`.
    ///
    /// Words that are no instruction load; reaching one is a fault.
    ///
    /// # Errors
    /// If the program or its entry is out of reach of 12-bit addresses.
    pub fn load(
        words: &[u32],
        descriptors: &[[u32; 2]],
        entry: u32,
        config: &Config,
    ) -> Result<Self, LoadError> {
        let entry = entry_of(words, entry)?;
        let lines = words.iter().chain([&0]).map(|word| decode(*word, descriptors)).collect();
        let mut program = Self::of_lines(lines, entry, config);
        program.prepare();
        Ok(program)
    }

    /// As [`load`](Self::load), for those who follow the words from the entry on: what is not reached from there is
    /// not decoded, so that a memory with a few programs in it costs what one of them does. It is not to be run.
    #[cfg(feature = "lift")]
    pub(crate) fn load_reached(
        words: &[u32],
        descriptors: &[[u32; 2]],
        entry: u32,
        config: &Config,
    ) -> Result<Self, LoadError> {
        let entry = entry_of(words, entry)?;
        let word = |at: usize| words.get(at).copied().unwrap_or(0);
        let mut lines: Vec<Line> = (0..=words.len()).map(|at| Line::blank(word(at))).collect();
        let mut reached = vec![false; lines.len()];
        // What stands behind the last word is one of all programs.
        let mut open = vec![entry, words.len() as u16];
        while let Some(at) = open.pop() {
            let at = usize::from(at).min(words.len());
            if std::mem::replace(&mut reached[at], true) {
                continue;
            }
            lines[at] = decode(word(at), descriptors);
            match lines[at].flow {
                Flow::End | Flow::Unknown => {}
                Flow::Next => open.push(at as u16 + 1),
                flow => open.extend(flow.cuts(at as u16)),
            }
        }
        let mut program = Self::of_lines(lines, entry, config);
        program.note_floats();
        Ok(program)
    }

    fn of_lines(lines: Vec<Line>, entry: u16, config: &Config) -> Self {
        let mut code = Code::new(config.env());
        let regs = Registers::new(&mut code);
        let mut program = Self {
            config: config.clone(),
            entry,
            lines,
            regs,
            code,
            prepared: None,
            narrow_inputs: Vec::with_capacity(16),
            clear: Vec::new(),
            floats: Vec::new(),
            indexes_by_counter: false,
            straight: None,
        };
        program.past_end();
        program.write_inputs();
        program.write_lines();
        program
    }

    /// The micro-ops as text, each word's after its offset.
    #[must_use]
    pub fn listing(&self) -> String {
        let mut text = String::new();
        for (at, line) in self.lines.iter().enumerate() {
            text.push_str(&format!("{at:03x}: {:08x}\n", line.word));
            for uop in &self.code.uops[line.uops.clone()] {
                text.push_str(&format!("    {uop}\n"));
            }
        }
        text
    }

    /// The line of a word; all words behind the last share one.
    pub(crate) fn line_at(&self, pc: u32) -> usize {
        (pc as usize).min(self.lines.len() - 1)
    }

    /// The compilation of the engine for loading and storing vertices.
    pub(crate) fn engine(&self) -> Engine {
        if self.config.engine == EngineChoice::Batch { Engine::best() } else { Engine::Portable }
    }

    fn past_end(&mut self) {
        if let (PastEnd::Fault, Some(line)) = (self.config.past_end, self.lines.last_mut()) {
            line.flow = Flow::Unknown;
            line.operands = Operands::default();
            line.inst = None;
        }
    }

    fn write_inputs(&mut self) {
        for n in 0..16 {
            let start = self.code.uops.len();
            if self.config.mode == Mode::Hw24 {
                let quad = self.regs.quad(Register::Input(n));
                self.code.each(U::Fpack, &quad, &[&quad]);
            }
            self.narrow_inputs.push(start..self.code.uops.len());
        }
    }

    fn write_lines(&mut self) {
        let cuts = self.cuts();
        let config = self.config.clone();
        let decoded = self.lines.iter().filter(|line| line.inst.is_some()).count();
        self.code.uops.reserve(2 * decoded);
        for (at, line) in self.lines.iter_mut().enumerate() {
            if cuts[at] {
                self.regs.forget_rows();
            }
            line.operands.d = match line.target {
                Some(register) => {
                    let quad = self.regs.quad(register);
                    line.operands.enabled.iter().map(|i| quad[*i]).collect()
                }
                None => Components::new(),
            };
            let start = self.code.uops.len();
            let op = line.inst.map(|inst| Op::of(PICA200.form(&inst).op));
            if let Some(op) = op {
                let mut x = Exec { code: &mut self.code, regs: &mut self.regs, config: &config };
                exec(op, &line.operands, &mut x);
            }
            line.uops = start..self.code.uops.len();
        }
        let mut last = self.lines.len() - 1;
        for at in (0..self.lines.len()).rev() {
            if self.lines[at].flow != Flow::Next || cuts[at + 1] {
                last = at;
            }
            self.lines[at].last = last;
        }
    }

    /// Where straight runs start. The words behind the end are runs of one word.
    fn cuts(&self) -> Vec<bool> {
        let mut cuts = vec![false; self.lines.len() + 1];
        let places = self.lines.iter().enumerate().flat_map(|(pc, line)| line.flow.cuts(pc as u16));
        for place in places.chain([self.entry]) {
            if let Some(cut) = cuts.get_mut(usize::from(place)) {
                *cut = true;
            }
        }
        let end = self.lines.len() - 1;
        cuts[end..].fill(true);
        cuts
    }

    fn prepare(&mut self) {
        self.prepared = match self.config.engine {
            EngineChoice::Batch => Some(Prepared::new(&self.code, Engine::best())),
            EngineChoice::Portable => Some(Prepared::new(&self.code, Engine::Portable)),
            EngineChoice::Scalar => None,
        };
        self.straight = self.straight_words();
        let runs = self.runs();
        self.prepared.iter_mut().for_each(|prepared| prepared.fuse(runs.iter().cloned(), |_| true));
        self.note_floats();
        let sources = self.lines.iter().flat_map(|line| line.operands.sources.into_iter().flatten());
        self.indexes_by_counter = sources.into_iter().any(|source| source.register.indexed == 3);
        self.clear = self.slots_to_clear();
    }

    /// The words up to an END, if no word before it decides where to go on and nothing but them decides what it does.
    fn straight_words(&self) -> Option<Range<usize>> {
        let first = self.line_at(self.entry.into());
        let last = first + self.lines[first..].iter().position(|line| line.flow != Flow::Next)?;
        let in_reach = last < MOST_WORDS - 1 && last - first < self.config.fuel as usize;
        let ends = self.lines[last].flow == Flow::End && self.config.geometry.is_none();
        (in_reach && ends).then_some(first..last + 1)
    }

    /// The micro-ops of words that are next to each other.
    pub(crate) fn uops(&self, words: &Range<usize>) -> Range<usize> {
        self.lines[words.start].uops.start..self.lines[words.end - 1].uops.end
    }

    /// The micro-ops that run in one piece.
    fn runs(&self) -> Vec<Range<usize>> {
        if let Some(words) = &self.straight {
            return vec![self.uops(words)];
        }
        let starts = self.cuts();
        let lines = self.lines.iter().enumerate().filter(|(at, _)| starts[*at]);
        lines.map(|(at, line)| self.uops(&(at..line.last + 1))).collect()
    }

    fn note_floats(&mut self) {
        self.floats = (0..96).filter_map(|n| Some((n, self.regs.float(usize::from(n))?))).collect();
    }

    /// Slots that must be set before an invocation: those that the program
    /// changes, unless its first straight run writes them before it reads them.
    fn slots_to_clear(&self) -> Vec<(Slot, u32)> {
        let first = self.line_at(self.entry.into());
        let run = self.lines[first].uops.start..self.lines[self.lines[first].last].uops.end;
        // The flags of a test at the end of the run are read by the machine.
        let (read, before) = self.first_uses(&self.code.uops[run], self.regs.cmp);
        // EMIT exchanges the banks of outputs, whatever is written.
        let all = self.config.geometry.is_some();
        let needed = |n: usize| all || read[n] || !before[n];
        self.starts(|slot| needed(usize::from(slot.0)), all)
    }

    /// The slots that a run reads, or what comes `behind` it, before it writes them; and all that it writes.
    pub(crate) fn first_uses(
        &self,
        run: &[Uop],
        behind: impl IntoIterator<Item = Slot>,
    ) -> (Vec<bool>, Vec<bool>) {
        let (mut read, mut written) =
            (vec![false; self.code.slot_count()], vec![false; self.code.slot_count()]);
        for uop in run {
            uop.reads().for_each(|slot| read[usize::from(slot.0)] |= !written[usize::from(slot.0)]);
            uop.writes().iter().for_each(|slot| written[usize::from(slot.0)] = true);
        }
        for slot in behind {
            read[usize::from(slot.0)] |= !written[usize::from(slot.0)];
        }
        (read, written)
    }

    /// Of the slots that an invocation starts with anew those that are `needed` and that any word changes (`all`: or
    /// none does), with their values.
    pub(crate) fn starts(&self, needed: impl Fn(Slot) -> bool, all: bool) -> Vec<(Slot, u32)> {
        let mut changed = vec![all; self.code.slot_count()];
        let body = self.lines.first().map_or(0, |line| line.uops.start);
        for slot in self.code.uops[body..].iter().flat_map(Uop::writes) {
            changed[usize::from(slot.0)] = true;
        }
        // LOOP sets the offset by aL outside of micro-ops.
        changed[usize::from(self.regs.offset[2].0)] |= self.indexes_by_counter;
        let slots = self.regs.volatile().filter(|slot| changed[usize::from(slot.0)] && needed(*slot));
        slots.map(|slot| (slot, self.start_of(slot))).collect()
    }

    /// What a slot holds at the start.
    pub(crate) fn start_of(&self, slot: Slot) -> u32 {
        if !self.regs.is_vector(slot) {
            return 0;
        }
        self.number(f32::from_bits(self.config.start_value))
    }

    /// A binary32 number as a register of this mode holds it.
    pub(crate) fn number(&self, x: f32) -> u32 {
        match self.config.mode {
            Mode::Emu32 => x.to_bits(),
            Mode::Hw24 => narrow(x, self.config.rounds_to_nearest),
        }
    }

    /// A raw float24 as a register of this mode holds it: the console has no negative zero and one NaN.
    pub(crate) fn stored(&self, raw: u32) -> f32 {
        match F24.decode_f32(raw) {
            x if self.config.mode == Mode::Emu32 => x,
            0.0 => 0.0,
            x if x.is_nan() => f32::from_bits(0x7FC0_0000),
            x => x,
        }
    }

    /// Slots as they are before the first run.
    pub(crate) fn fill(&self, lanes: &mut [Lanes]) {
        for slot in self.regs.volatile() {
            lanes[usize::from(slot.0)] = Lanes::splat(self.start_of(slot));
        }
        let [half, whole] = self.regs.limits;
        for (slot, value) in [(self.regs.one, 1.0_f32.to_bits()), (half, 128), (whole, 256)] {
            lanes[usize::from(slot.0)] = Lanes::splat(value);
        }
    }

    /// c registers before any is set.
    pub(crate) fn table(&self) -> Table {
        const { assert!(FLOATS == 0) };
        Table::new(vec![[0; 4]; 96], [1.0_f32.to_bits(); 4])
    }
}

/// float24 of a number from outside, kept as binary32: rounded as results are, so
/// that subnormals and the negative zero become +0. What hardware does with uploads
/// is [unknown].
fn narrow(x: f32, nearest: bool) -> u32 {
    use chiaro_sim::arith::{Any, Arith};
    let rounding = if nearest { Rounding::NearestEven } else { Rounding::TowardZero };
    Any::new(&FloatEnv::pica_hw24(rounding)).round(f64::from(x))
}

fn entry_of(words: &[u32], entry: u32) -> Result<u16, LoadError> {
    if words.len() > MOST_WORDS {
        return Err(LoadError::TooLong(words.len()));
    }
    let known = u16::try_from(entry).ok().filter(|known| usize::from(*known) < MOST_WORDS - 1);
    known.ok_or(LoadError::Entry(entry))
}

fn decode(word: u32, descriptors: &[[u32; 2]]) -> Line {
    let isa = &*PICA200;
    let inst = isa.decode_word(&fetch(word, descriptors), 8).ok();
    let mut line = Line { inst, ..Line::blank(word) };
    let Some(inst) = &line.inst else { return line };
    let (form, cx) = (isa.form(inst), isa.cx());
    let mut fields = Fields::default();
    for (field, &part) in form.format.fields.iter().zip(&PARTS[usize::from(inst.form)]) {
        if part != Part::Other {
            let value = field.kind.decode(field.bits.gather(&inst.word), &cx);
            fields.note(part, value, &mut line.operands, &mut line.target);
        }
    }
    line.flow = flow(Op::of(form.op), &fields);
    line
}

/// What a field is here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Source(u8),
    Target,
    Mask,
    Relation(u8),
    Place,
    Count,
    Condition,
    Flags,
    Vertex,
    Bool,
    Int,
    Other,
}

impl Part {
    fn named(name: &str) -> Part {
        match name {
            "src1" => Part::Source(0),
            "src2" => Part::Source(1),
            "src3" => Part::Source(2),
            "dst" => Part::Target,
            "mask" => Part::Mask,
            "x" => Part::Relation(0),
            "y" => Part::Relation(1),
            "target" => Part::Place,
            "count" => Part::Count,
            "cond" => Part::Condition,
            "flags" => Part::Flags,
            "vertex" => Part::Vertex,
            "bool" => Part::Bool,
            "int" => Part::Int,
            _ => Part::Other,
        }
    }
}

/// By form: what its fields are, so that no word that is decoded compares names.
static PARTS: LazyLock<Vec<Vec<Part>>> = LazyLock::new(|| {
    let parts = |form: &Form| form.format.fields.iter().map(|field| Part::named(field.name)).collect();
    PICA200.forms.iter().map(parts).collect()
});

/// What of a word steers control flow.
#[derive(Default)]
struct Fields {
    target: i64,
    count: i64,
    cond: i64,
    flags: i64,
    vertex: i64,
    bool: Reg,
    int: Reg,
}

impl Fields {
    /// Puts the value of a field where it belongs.
    fn note(
        &mut self,
        part: Part,
        value: Option<Value>,
        operands: &mut Operands,
        target: &mut Option<Register>,
    ) {
        let bits =
            |mask: i64, count: usize| (0..count).filter(|i| mask >> (count - 1 - i) & 1 == 1).collect();
        match part {
            Part::Source(n) => operands.sources[usize::from(n)] = value.and_then(source),
            Part::Target => {
                let Some(dst) = value.and_then(Value::reg) else { return };
                operands.enabled = bits(dst.swizzle.into(), 4);
                let n = dst.index as u8;
                let is_temporary = dst.file == bank::TEMP;
                *target = Some(if is_temporary { Register::Temporary(n) } else { Register::Output(n) });
            }
            Part::Mask => operands.enabled = bits(int(value), 2),
            Part::Relation(n) => operands.relations[usize::from(n)] = int(value) as u8 & 7,
            Part::Place => self.target = int(value),
            Part::Count => self.count = int(value),
            Part::Condition => self.cond = int(value),
            Part::Flags => self.flags = int(value),
            Part::Vertex => self.vertex = int(value),
            Part::Bool => self.bool = value.and_then(Value::reg).unwrap_or_default(),
            Part::Int => self.int = value.and_then(Value::reg).unwrap_or_default(),
            Part::Other => {}
        }
    }
}

fn int(value: Option<Value>) -> i64 {
    value.and_then(Value::int).unwrap_or(0)
}

fn source(value: Value) -> Option<Source> {
    let r = value.reg()?;
    let indexed = if r.file == bank::FLOAT { r.indexed & 3 } else { 0 };
    let register = Named { file: r.file, index: r.index, indexed };
    Some(Source { register, selector: r.swizzle, negated: r.mods & NEGATE != 0 })
}

fn flow(op: Op, fields: &Fields) -> Flow {
    let (target, count) = (fields.target as u16 & 0xFFF, fields.count as u8);
    let flags = || Test::Flags(fields.cond as u8 & 15);
    let uniform = || Test::Bool { index: fields.bool.index as u8, inverted: fields.bool.mods & NEGATE != 0 };
    match op {
        Op::End => Flow::End,
        Op::Break => Flow::Break { test: Test::Always },
        Op::Breakc => Flow::Break { test: flags() },
        Op::Call => Flow::Call { test: Test::Always, target, count },
        Op::Callc => Flow::Call { test: flags(), target, count },
        Op::Callu => Flow::Call { test: uniform(), target, count },
        Op::Ifc => Flow::If { test: flags(), target, count },
        Op::Ifu => Flow::If { test: uniform(), target, count },
        Op::Jmpc => Flow::Jump { test: flags(), target },
        Op::Jmpu => Flow::Jump { test: uniform(), target },
        Op::Loop => Flow::Loop { int: fields.int.index as u8, target },
        Op::Emit => Flow::Emit,
        Op::Setemit => {
            let Fields { flags, vertex, .. } = fields;
            Flow::SetEmit { vertex: *vertex as u8 & 3, primitive: flags & 2 != 0, winding: flags & 1 != 0 }
        }
        _ => Flow::Next,
    }
}
