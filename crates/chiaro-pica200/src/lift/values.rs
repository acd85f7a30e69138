//! Micro-ops as operations of the IR: what words compute is said in `exec` alone, for simulator and
//! lifter alike.
//!
//! Registers are values ([`slots`]), which constructs hand on where they are left ([`joins`]), so that no pass has
//! to make them. Where there are no constructs but a loop that chooses, or vertices are kept for triangles, a register
//! is a variable of four floats, and a value within a straight run alone.

mod joins;
mod operations;
mod slots;

use chiaro_diag::Span;
use chiaro_ir::{Builder, Value};
use chiaro_sim::{Op as U, Slot};

use super::graph::{Action, Condition, Graph};
use super::helpers::{Helpers, Narrow, Numbers};
use super::interface::Interface;
use super::live::{REGISTERS, Set, Variable, index, register};
use super::{Lifting, Style, place};
use crate::machine::Program;
use crate::machine::flow::{Mark, Test};
use crate::machine::program::Line;
use crate::machine::registers::Register;
use joins::{Frame, Scopes, Seen};
use slots::{Change, Key, Part};

/// Something that a value is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Made {
    /// What an operation computes.
    Op(U, [Value; 3]),
    /// b registers.
    Bool(u8),
    /// i registers, and the part.
    Int(u8, u8),
}

/// A program while it is written as a function.
pub(super) struct Values<'p, 'm> {
    pub(super) b: Builder<'m>,
    program: &'p Program,
    pub(super) interface: &'p Interface,
    helpers: &'p mut Helpers,
    numbers: Numbers,
    /// By slot, within a straight run.
    parts: Vec<Option<Part>>,
    /// Slots that the run has written, to be stored at its end; and by slot whether it has.
    written: Vec<Slot>,
    is_written: Vec<bool>,
    /// Slots that [`Values::parts`] knows.
    known: Vec<Slot>,
    /// Components that were brought together, and what was computed of values: what is asked for again is there
    /// already.
    together: Seen<Key>,
    made: Seen<Made>,
    scopes: Scopes,
    /// By [`Variable::place`]: where it is; of a value that has slots what it was at the start, of another what it is.
    variables: [Option<Value>; Variable::COUNT],
    /// Whether registers are values throughout.
    pub(super) has_values: bool,
    /// Constructs that are open, and what has changed since the first of them was opened.
    frames: Vec<Frame>,
    changes: Vec<Change>,
    /// By register: the place of the last word that wrote to it.
    writers: [Option<Span>; REGISTERS],
    /// The place of the last word, and by loop that of its LOOP, after which aL has its name.
    last: Option<Span>,
    loops: [Option<Span>; Mark::COUNT as usize],
    /// What is read behind the run: only that is stored.
    pub(super) kept: Set,
}

impl<'p, 'm> Values<'p, 'm> {
    /// A function without a variable yet.
    pub(super) fn new(
        mut b: Builder<'m>,
        (lifting, graph): (&Lifting<'p>, &Graph),
        interface: &'p Interface,
        helpers: &'p mut Helpers,
        has_values: bool,
    ) -> Self {
        let program = lifting.program;
        // Nothing is contracted or put in another order.
        b.flags.exact = lifting.options.style == Style::Exact;
        b.is_trusted = true;
        // A micro-op is an operation and the way to its operands.
        let uops = uops(program, graph);
        b.function_mut().reserve(4 * uops);
        Values {
            b,
            program,
            interface,
            helpers,
            numbers: Numbers::of(&program.config, lifting.options.style),
            parts: vec![None; program.code.slot_count()],
            written: Vec::new(),
            is_written: vec![false; program.code.slot_count()],
            known: Vec::new(),
            together: Seen::with_capacity(2 * uops),
            made: Seen::with_capacity(uops),
            scopes: Scopes::default(),
            variables: [None; Variable::COUNT],
            has_values,
            frames: Vec::new(),
            changes: Vec::new(),
            writers: [None; REGISTERS],
            last: None,
            loops: [None; Mark::COUNT as usize],
            kept: Set::ALL,
        }
    }

    /// Variables of the program, which hold what they do at its start. Of values the inputs alone: what the others
    /// start with is made where it is asked for.
    pub(super) fn make_variables(&mut self) {
        for variable in Variable::all() {
            let start = match variable {
                Variable::Register(at) if !self.interface.uses(register(at)) => continue,
                Variable::Register(at) if let Register::Input(n) = register(at) => {
                    let input = self.interface.input(&mut self.b, n);
                    self.as_register(input)
                }
                _ if self.has_values => break,
                _ => self.start(variable),
            };
            self.make_variable(variable, start);
        }
    }

    pub(super) fn make_variable(&mut self, variable: Variable, start: Value) {
        let ty = self.b.ty(start);
        let is = if self.has_values { start } else { self.b.var(ty, Some(start)) };
        self.variables[variable.place()] = Some(is);
    }

    /// What a variable holds before anything is written to it.
    pub(super) fn start(&mut self, variable: Variable) -> Value {
        match variable {
            Variable::Register(_) => {
                let start = self.program.number(f32::from_bits(self.program.config.start_value));
                let (ty, scalar) = (self.vec4(), self.b.f32(f32::from_bits(start)));
                self.b.splat(ty, scalar)
            }
            Variable::Flag(_) => self.b.bool(false),
            Variable::Offset(_) | Variable::Counter | Variable::Rounds(_) | Variable::Kept(_) => {
                self.b.u32(0)
            }
        }
    }

    /// Keeps what was there before a change, to be put back where a construct is left.
    fn note_change(&mut self, change: Change) {
        if self.has_values && !self.frames.is_empty() {
            self.changes.push(change);
        }
    }

    /// A variable like a register.
    pub(super) fn new_register(&mut self) -> Value {
        let start = self.start(Variable::Register(0));
        let ty = self.b.ty(start);
        self.b.var(ty, Some(start))
    }

    /// What a variable holds.
    pub(super) fn load(&mut self, variable: Variable) -> Value {
        match self.slots_of(variable).filter(|_| self.has_values) {
            Some(slots) => self.gather(&slots),
            None => self.held(variable),
        }
    }

    /// What a variable held when the run began; of one that the program does not have that is nothing of interest.
    fn held(&mut self, variable: Variable) -> Value {
        match self.variables[variable.place()] {
            Some(value) if self.has_values => value,
            Some(pointer) => self.b.load(pointer),
            None => self.start(variable),
        }
    }

    pub(super) fn store(&mut self, variable: Variable, value: Value) {
        match (self.has_values, self.variables[variable.place()]) {
            (true, _) => self.hold(variable, value),
            (false, Some(pointer)) => self.b.store(pointer, value),
            (false, None) => {}
        }
    }

    /// From here on a variable is a value.
    fn hold(&mut self, variable: Variable, value: Value) {
        match self.slots_of(variable) {
            Some(slots) => self.write(&slots, value),
            None => {
                let before = self.variables[variable.place()].replace(value);
                self.note_change(Change::Variable(variable.place() as u16, before));
                let counter = self.program.regs.offset[2];
                let before = self.parts[usize::from(counter.0)].take();
                self.note_change(Change::Part(counter, before));
            }
        }
    }

    /// A value that is there already, or is made now.
    fn made(&mut self, what: Made, make: impl FnOnce(&mut Self) -> Value) -> Value {
        if let Some(known) = self.made.get(&what, &self.scopes) {
            return known;
        }
        let value = make(self);
        self.made.insert(what, value, &self.scopes);
        value
    }

    /// A part of an i register.
    fn int(&mut self, n: u8, part: u8) -> Value {
        let interface = self.interface;
        self.uniform(Made::Int(n, part), |s| interface.int(&mut s.b, n, part))
    }

    /// A uniform that is asked for between runs: where a loop chooses what runs next, nothing made there is known
    /// elsewhere.
    fn uniform(&mut self, what: Made, make: impl FnOnce(&mut Self) -> Value) -> Value {
        if self.has_values { self.made(what, make) } else { make(self) }
    }

    /// A number that a host gives, as registers hold it.
    fn as_register(&mut self, x: Value) -> Value {
        match self.numbers {
            Numbers::Plain | Numbers::Binary32 => x,
            Numbers::Float24 { .. } => self.helpers.narrow(&mut self.b, Narrow::Round, &[x]),
        }
    }

    fn vec4(&mut self) -> chiaro_ir::Ty {
        let float = self.b.float_ty(32);
        self.b.types().vector(float, 4)
    }

    /// Does what a node does, but for what geometry programs send.
    pub(super) fn act(&mut self, action: &Action) {
        match action {
            Action::Lines(lines) => {
                lines.clone().for_each(|at| self.line(at));
                if !self.has_values {
                    self.end_run();
                }
                self.last = self.b.span.take();
            }
            Action::Enter(mark) => self.enter(*mark),
            Action::Again(mark) => self.again(*mark),
            Action::Leave { mark, is_inner: false } => self.go_on(*mark),
            Action::Leave { mark, is_inner: true } => {
                let before = self.load(Variable::Kept(mark.place.into()));
                self.store(Variable::Counter, before);
            }
            // The writer has done them.
            Action::Call { .. } | Action::Emit | Action::SetEmit { .. } => {}
        }
    }

    fn line(&mut self, at: usize) {
        self.b.span = Some(place(at));
        let line = &self.program.lines[at];
        line.uops.clone().for_each(|at| self.uop(&self.program.code.uops[at]));
        if let Some(target) = line.target {
            self.writers[index(target)] = self.b.span;
        }
    }

    fn enter(&mut self, mark: Mark) {
        self.loops[usize::from(mark.place)] = self.last;
        let before = self.load(Variable::Counter);
        self.store(Variable::Kept(mark.place.into()), before);
        let count = match self.counts_up() {
            true => self.b.u32(0),
            false => self.int(mark.int, 0),
        };
        self.store(Variable::Rounds(mark.place.into()), count);
        let start = self.int(mark.int, 1);
        self.store(Variable::Counter, start);
    }

    /// Whether rounds are counted up, as people do, and not down, as the machine does.
    fn counts_up(&self) -> bool {
        self.numbers == Numbers::Plain
    }

    /// Counts another round.
    pub(super) fn again(&mut self, mark: Mark) {
        let variable = Variable::Rounds(mark.place.into());
        let (rounds, one) = (self.load(variable), self.b.u32(1));
        let next = if self.counts_up() { self.b.iadd(rounds, one) } else { self.b.isub(rounds, one) };
        self.store(variable, next);
        self.go_on(mark);
    }

    /// aL takes a step.
    fn go_on(&mut self, mark: Mark) {
        let before = self.load(Variable::Counter);
        let step = self.int(mark.int, 2);
        self.b.span = self.loops[usize::from(mark.place)];
        let sum = self.b.iadd(before, step);
        let bits = self.program.config.loop_counter_bits.clamp(1, 32);
        let mask = self.b.u32(u32::MAX >> (32 - bits));
        let after = if bits < 32 { self.b.and(sum, mask) } else { sum };
        self.b.span = None;
        self.store(Variable::Counter, after);
    }

    /// Whether a condition holds.
    pub(super) fn holds(&mut self, condition: Condition) -> Value {
        match condition {
            Condition::Rounds(mark) | Condition::More(mark) => {
                let rounds = self.load(Variable::Rounds(mark.place.into()));
                if !self.counts_up() {
                    let zero = self.b.u32(0);
                    return self.b.ine(rounds, zero);
                }
                let last = self.int(mark.int, 0);
                let is_before = matches!(condition, Condition::Rounds(_));
                if is_before { self.b.ult(rounds, last) } else { self.b.ule(rounds, last) }
            }
            Condition::Test(Test::Always) => self.b.bool(true),
            Condition::Test(Test::Bool { index, inverted }) => {
                let interface = self.interface;
                let set = self.uniform(Made::Bool(index), |s| interface.bool(&mut s.b, index));
                if inverted { self.b.not(set) } else { set }
            }
            Condition::Test(Test::Flags(bits)) => self.flag_test(bits),
        }
    }

    /// CONDOP in bits 0 and 1, REFY in bit 2, REFX in bit 3 (spec section 11).
    fn flag_test(&mut self, bits: u8) -> Value {
        let flag = |s: &mut Self, at: usize, wanted: bool| {
            let flag = s.load(Variable::Flag(at));
            if wanted { flag } else { s.b.not(flag) }
        };
        match bits & 3 {
            2 => flag(self, 0, bits & 8 != 0),
            3 => flag(self, 1, bits & 4 != 0),
            both => {
                let (x, y) = (flag(self, 0, bits & 8 != 0), flag(self, 1, bits & 4 != 0));
                if both == 0 { self.b.or(x, y) } else { self.b.and(x, y) }
            }
        }
    }

    /// What an output register holds.
    pub(super) fn output(&mut self, n: u8) -> Value {
        self.load(Variable::Register(index(Register::Output(n))))
    }

    /// Writes a whole output register.
    pub(super) fn set_output(&mut self, n: u8, value: Value) {
        self.store(Variable::Register(index(Register::Output(n))), value);
    }
}

/// How many micro-ops a graph runs.
fn uops(program: &Program, graph: &Graph) -> usize {
    let lines = graph.nodes.iter().flat_map(|node| &node.actions).filter_map(|action| match action {
        Action::Lines(lines) => Some(&program.lines[lines.clone()]),
        _ => None,
    });
    // Those of a straight run stand one behind the other.
    let count = |lines: &[Line]| {
        let ends = lines.first().zip(lines.last());
        ends.map_or(0, |(first, last)| last.uops.end.saturating_sub(first.uops.start))
    };
    lines.map(count).sum()
}
