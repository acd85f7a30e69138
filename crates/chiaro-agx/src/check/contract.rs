//! What a part needs, leaves and touches, read from its words; and whether linked parts fit
//! (spec 14.1 to 14.4).
//!
//! There are no branches that lanes take by themselves: code is walked once, in order. What stands
//! between an `if` and its `pop` is done by some lanes only, so a register counts as written behind it if
//! both sides of the `if` write it; behind a loop, if it is written on every way out of it.

use std::fmt;

use chiaro_isa::Isa;

use super::step::{Event, Nest, Steer, Step, steps};
use crate::isa::isa;
use crate::regs::file;
use crate::regs::halves::{Halves, name};

/// Registers of the vertex interface, in halves: vertex and instance ID (spec 14.1).
const IDS: (u16, u16) = (10, 4);
/// The nesting counter and the mask of samples (spec 14.3).
const COUNTER: u16 = 0;
const SAMPLES: u16 = 2;
/// All samples of a pixel.
const PIXEL: u8 = 0xf;

/// What a part does to others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contract {
    /// Halves that it reads before it has written them, each with the first instruction that does.
    pub(crate) needs: Vec<(u16, u32)>,
    /// Halves that every lane has written at its end.
    pub(crate) leaves: Halves,
    /// Halves that it may write.
    pub(crate) changes: Halves,
    /// Halves of uniforms that it reads, in ascending order.
    pub uniforms: Vec<u16>,
    /// Coefficient registers that it reads, in ascending order.
    pub coefficients: Vec<u16>,
    /// Whether it ends the program by itself.
    pub stops: bool,
    /// Whether it kills samples, and whether it tests them.
    pub kills: bool,
    /// Whether it tests samples, or writes depth or stencil.
    pub tests: bool,
    /// Whether it writes depth or stencil.
    pub writes_depth: bool,
    /// Halves of registers that it uses: one more than the highest.
    pub halves: u16,
    /// Words of the stack that it takes at most.
    pub stack: i32,
}

/// A level of nesting that is open.
#[derive(Clone, Copy)]
struct Level {
    /// What was written when it began.
    before: Halves,
    /// Whether its lanes had no samples left.
    dead: bool,
    /// What the lanes of the other side have written.
    other: Halves,
    /// What lanes have written that left, and run again behind it.
    left: Halves,
}

/// What lanes have written, as far as code has been walked.
struct Walk {
    /// By the lanes that run. Where none do, everything.
    written: Halves,
    /// Whether the lanes that run have killed all their samples: nobody misses what they have not written once they meet
    /// others.
    dead: bool,
    open: Vec<Level>,
    /// By lanes that have left a loop that stands in nothing.
    left: Halves,
    /// What was written to r0l by an ordinary instruction: so many levels, if it is a number.
    leaves: Option<Option<u16>>,
}

impl Contract {
    /// The contract of code of a generation.
    #[must_use]
    pub fn of(code: &[u8], generation: u8) -> Contract {
        let isa = isa(generation);
        Contract::of_steps(&steps(code, isa), isa)
    }

    /// The same of code that was taken apart.
    pub(crate) fn of_steps(steps: &[Step], isa: &Isa) -> Contract {
        let mut contract = Contract {
            needs: Vec::new(),
            leaves: Halves::default(),
            changes: Halves::default(),
            uniforms: Vec::new(),
            coefficients: Vec::new(),
            stops: false,
            kills: false,
            tests: false,
            writes_depth: false,
            halves: 0,
            stack: 0,
        };
        let mut walk = Walk::default();
        let mut taken = 0;
        for step in steps {
            if step.steer == Steer::Stop {
                contract.stops = true;
                break;
            }
            contract.reads(step, &walk.written);
            walk.dead |= contract.dies(step);
            walk.step(step);
            contract.changes = contract.changes.with(&step.writes);
            contract.takes(step, &mut taken);
            contract.files(step, isa);
        }
        contract.leaves = walk.written;
        contract
    }

    fn reads(&mut self, step: &Step, written: &Halves) {
        for half in step.reads.iter().filter(|half| !written.has(*half)) {
            if !self.needs.iter().any(|(known, _)| *known == half) {
                self.needs.push((half, step.offset));
            }
        }
        let last = step.reads.with(&step.writes).iter().last();
        self.halves = self.halves.max(last.map_or(0, |half| half + 1));
    }

    /// Whether a step kills all samples: those of the pixel by number, or those that the part was given.
    fn dies(&self, step: &Step) -> bool {
        let mut given = Halves::default();
        given.add(SAMPLES, 1);
        let is_own = step.reads == given && !self.changes.has(SAMPLES);
        let Event::Samples { kills: true, tests: false, known } = step.event else { return false };
        if known == 0 { is_own } else { known & PIXEL == PIXEL }
    }

    fn takes(&mut self, step: &Step, taken: &mut i32) {
        match step.event {
            Event::Samples { kills, tests, .. } => {
                self.kills |= kills;
                self.tests |= tests;
                self.writes_depth |= step.name == "zs_emit";
            }
            Event::Adjust(Some(words)) => {
                *taken = taken.saturating_add(words);
                self.stack = self.stack.max(*taken);
            }
            _ => {}
        }
    }

    /// Registers of other files.
    fn files(&mut self, step: &Step, isa: &Isa) {
        let Some(inst) = step.inst else { return };
        let values = isa.values(&inst, &isa.cx());
        for (field, value) in isa.form(&inst).format.fields.iter().zip(values.as_slice()) {
            let Some(value) = value else { continue };
            let covered = field.kind.covers(*value).filter(|run| run.file == file::UNIFORM);
            covered.into_iter().for_each(|run| {
                (run.first..run.first + run.count).for_each(|half| insert(&mut self.uniforms, half));
            });
            let register = value.reg().filter(|r| r.file == file::COEFFICIENT);
            register.into_iter().for_each(|r| insert(&mut self.coefficients, r.index));
        }
    }

    /// Halves that it needs, in the order in which it reads them.
    pub fn needs(&self) -> impl Iterator<Item = u16> + '_ {
        self.needs.iter().map(|(half, _)| *half)
    }

    /// Whether every lane has written a half at the end.
    #[must_use]
    pub fn leaves(&self, half: u16) -> bool {
        self.leaves.has(half)
    }

    /// Whether it may write a half.
    #[must_use]
    pub fn changes(&self, half: u16) -> bool {
        self.changes.has(half)
    }
}

fn insert(all: &mut Vec<u16>, n: u16) {
    if let Err(at) = all.binary_search(&n) {
        all.insert(at, n);
    }
}

/// The opcode of `jmp_exec_any`, behind which no lane runs.
const LOOPS: u64 = 0xc000;
/// `mov_imm` of 16 bits.
const NUMBER: u64 = 0x62;

impl Default for Walk {
    fn default() -> Walk {
        Walk { written: Halves::default(), dead: false, open: Vec::new(), left: Halves::ALL, leaves: None }
    }
}

impl Walk {
    fn step(&mut self, step: &Step) {
        let word = step.inst.map_or(0, |inst| inst.word.0[0]);
        if let Event::Nest(nest) = step.event {
            self.nest(nest, step.name);
        } else if step.writes.has(COUNTER) {
            let number = (word & 0x1ff == NUMBER).then_some((word >> 16) as u16);
            self.leaves = Some(number);
        }
        self.written = self.written.with(&step.writes);
        if word & 0xffff == LOOPS {
            self.written = Halves::ALL;
        }
    }

    fn nest(&mut self, nest: Nest, name: &str) {
        self.leave();
        match nest {
            Nest::If(0) | Nest::Pop(0) => {}
            Nest::If(n) => {
                // Only the innermost level has another side; and where the condition always holds, none has.
                let all =
                    Level { before: self.written, dead: self.dead, other: Halves::ALL, left: Halves::ALL };
                let other = if name == "push_exec" { Halves::ALL } else { self.leaves_behind() };
                self.open.extend((1..n).map(|_| all));
                self.open.push(Level { other, ..all });
            }
            Nest::Else => {
                let side = self.leaves_behind();
                if let Some(level) = self.open.last_mut() {
                    (level.other, self.written, self.dead) = (side, level.before, level.dead);
                }
            }
            Nest::While(n) => self.leave_to(Some(n.into())),
            Nest::Pop(n) => (0..n).for_each(|_| self.pop()),
        }
    }

    /// What others find written where they meet the lanes that run.
    fn leaves_behind(&self) -> Halves {
        if self.dead { Halves::ALL } else { self.written }
    }

    /// Lanes whose r0l was written leave, whatever the instruction that looks at it does besides.
    fn leave(&mut self) {
        let Some(levels) = self.leaves.take().filter(|levels| *levels != Some(0)) else { return };
        self.leave_to(levels);
        if levels.is_some() {
            self.written = Halves::ALL;
        }
    }

    /// They run again when so many levels are popped; `None` if nobody knows.
    fn leave_to(&mut self, levels: Option<u16>) {
        let written = self.leaves_behind();
        for (n, level) in (1..).zip(self.open.iter_mut().rev()) {
            if levels.is_none_or(|levels| levels <= n) {
                level.left = level.left.common(&written);
            }
            if levels.is_some_and(|levels| levels <= n) {
                return;
            }
        }
        self.left = self.left.common(&written);
    }

    fn pop(&mut self) {
        let written = self.leaves_behind();
        let Some(level) = self.open.pop() else {
            self.written = written.common(&std::mem::replace(&mut self.left, Halves::ALL));
            self.dead = false;
            return;
        };
        let sides = written.common(&level.other).common(&level.left);
        (self.written, self.dead) = (sides.with(&level.before), level.dead);
    }
}

/// Why parts do not fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breach {
    /// The part at fault: `prolog`, `main` or `epilog`.
    pub part: &'static str,
    /// Bytes from its start to the instruction, where there is one.
    pub offset: Option<u32>,
    /// The first half in question, and how many.
    pub half: Option<u16>,
    /// How many halves: 2 are a register.
    pub halves: u16,
    /// The rule.
    pub rule: &'static str,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.part)?;
        if let Some(offset) = self.offset {
            write!(f, ", byte {offset:#x}")?;
        }
        match self.half {
            Some(half) if self.halves == 2 => write!(f, ": r{}: {}", half / 2, self.rule),
            Some(half) => write!(f, ": {}: {}", name(half), self.rule),
            None => write!(f, ": {}", self.rule),
        }
    }
}

/// Which kind of program parts make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Program {
    /// Vertices, for which the hardware has the IDs ready.
    Vertex,
    /// Vertices that are computed.
    SoftwareVertex,
    /// Fragments; whether once for each sample.
    Fragment {
        /// Once for each sample.
        sample_shading: bool,
    },
}

/// Everything in which the parts of a program do not fit; none of them is an error in itself.
#[must_use]
pub fn link(
    program: Program,
    prolog: Option<&Contract>,
    main: &Contract,
    epilog: Option<&Contract>,
) -> Vec<Breach> {
    let mut ready = Halves::default();
    let sampled = matches!(program, Program::Fragment { sample_shading: true });
    if program == Program::Vertex {
        ready.add(IDS.0, IDS.1);
    }
    let mut found = Vec::new();
    if let Some(prolog) = prolog {
        found.extend(unmet("prolog", prolog, &ready));
        found.extend(prolog.stops.then(|| whole("prolog", "it stops, and other parts follow")));
        // Between the parts of a fragment program nothing is handed on here: it may change everything.
        ready = match program {
            Program::Fragment { .. } => Halves::default(),
            _ => ready.with(&prolog.leaves),
        };
    }
    if sampled {
        ready.add(COUNTER, 1);
        ready.add(SAMPLES, 1);
    }
    found.extend(unmet("main", main, &ready));
    if let Some(epilog) = epilog {
        found.extend(main.stops.then(|| whole("main", "it stops, and an epilog follows")));
        found.extend(unmet("epilog", epilog, &ready.with(&main.leaves)));
        let late = main.writes_depth && epilog.kills;
        found.extend(
            late.then(|| whole("epilog", "it kills samples, and the main part has written depth or stencil")),
        );
    }
    if sampled {
        for (part, contract) in [("main", Some(main)), ("epilog", epilog)] {
            let changes = contract.is_some_and(|contract| contract.changes(SAMPLES));
            found.extend(changes.then_some(Breach {
                part,
                offset: None,
                half: Some(SAMPLES),
                halves: 1,
                rule: "the mask of samples is to be preserved",
            }));
        }
    }
    found
}

fn whole(part: &'static str, rule: &'static str) -> Breach {
    Breach { part, offset: None, half: None, halves: 0, rule }
}

/// What a part reads that nobody has written.
fn unmet(part: &'static str, contract: &Contract, ready: &Halves) -> Vec<Breach> {
    let rule = "it is read, and no part before has written it";
    let mut found: Vec<Breach> = Vec::new();
    for (half, offset) in contract.needs.iter().filter(|(half, _)| !ready.has(*half)) {
        // Both halves of a register are told together.
        match found.last_mut() {
            Some(last)
                if last.offset == Some(*offset) && last.half == half.checked_sub(1) && half & 1 == 1 =>
            {
                last.halves = 2;
            }
            _ => found.push(Breach { part, offset: Some(*offset), half: Some(*half), halves: 1, rule }),
        }
    }
    found
}
