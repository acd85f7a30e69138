//! Micro-ops as operations of the IR: what words compute is said in `exec` alone, for simulator and
//! lifter alike.
//!
//! A register is a variable of four floats, which optimisation makes values of. Within a straight run
//! a slot stands for a component of a value, so that a micro-op on several slots is one operation on a
//! vector, with its operands brought together by a shuffle.

use chiaro_diag::Span;
use chiaro_ir::{Builder, Constant, ConstantKind, Def, Value};
use chiaro_sim::uop::Sum;
use chiaro_sim::{Op as U, Slot, Uop};

use super::graph::{Action, Condition, Graph};
use super::helpers::{Helper, Helpers, Narrow, Numbers};
use super::interface::{Interface, is_ordinary};
use super::live::{self, REGISTERS, Set, Variable, index, register};
use super::{Lifting, Style, place};
use crate::exec::Components;
use crate::machine::Program;
use crate::machine::flow::{Mark, Test};
use crate::machine::registers::Register;

/// What a slot holds: a scalar, or a component of a vector.
#[derive(Clone, Copy)]
pub(super) struct Part {
    value: Value,
    component: Option<u8>,
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
    /// By [`Variable::place`]: where it is, or where nothing branches what it is.
    variables: [Option<Value>; Variable::COUNT],
    is_straight: bool,
    /// By register: the place of the last word that wrote to it.
    writers: [Option<Span>; REGISTERS],
    /// By loop the rounds that are left and aL as it was.
    counters: [Option<[Value; 2]>; Mark::COUNT as usize],
    /// What is read behind the run: only that is stored.
    pub(super) kept: Set,
}

/// Where a slot is between runs.
enum Home {
    /// A component of a variable.
    Variable(Variable, u8),
    One,
    Zero,
    /// The integers 128 and 256.
    Limit(usize),
    Uniform(u8, u8),
    /// Within a run alone.
    Run,
}

impl<'p, 'm> Values<'p, 'm> {
    /// A function without a variable yet.
    pub(super) fn new(
        mut b: Builder<'m>,
        (lifting, graph): (&Lifting<'p>, &Graph),
        interface: &'p Interface,
        helpers: &'p mut Helpers,
    ) -> Self {
        let program = lifting.program;
        let mut counters = [None; Mark::COUNT as usize];
        for action in graph.nodes.iter().flat_map(|node| &node.actions) {
            if let Action::Enter(mark) | Action::Again(mark) | Action::Leave { mark, .. } = action {
                let (int, zero) = (b.int_ty(32), b.u32(0));
                let new = || [0; 2].map(|_| b.var(int, Some(zero)));
                counters[usize::from(mark.place)].get_or_insert_with(new);
            }
        }
        // Nothing is contracted or put in another order.
        b.flags.exact = lifting.options.style == Style::Exact;
        b.is_trusted = true;
        // A word is a few operations and the way to its operands.
        let words: usize = graph.nodes.iter().flat_map(|node| &node.actions).map(Action::words).sum();
        b.function_mut().reserve(6 * words);
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
            variables: [None; Variable::COUNT],
            writers: [None; REGISTERS],
            counters,
            is_straight: graph.is_straight() && !interface.is_geometry,
            kept: Set::ALL,
        }
    }

    /// Variables of the program, which hold what they do at its start.
    pub(super) fn make_variables(&mut self) {
        for variable in Variable::all() {
            let start = match variable {
                Variable::Register(at) if !self.interface.uses(register(at)) => continue,
                Variable::Register(at) => match register(at) {
                    Register::Input(n) => {
                        let input = self.interface.input(&mut self.b, n);
                        self.as_register(input)
                    }
                    _ => self.start(variable),
                },
                _ => self.start(variable),
            };
            self.make_variable(variable, start);
        }
    }

    pub(super) fn make_variable(&mut self, variable: Variable, start: Value) {
        let ty = self.b.ty(start);
        let is = if self.is_straight { start } else { self.b.var(ty, Some(start)) };
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
            Variable::Offset(_) | Variable::Counter => self.b.u32(0),
        }
    }

    /// A variable like a register.
    pub(super) fn new_register(&mut self) -> Value {
        let start = self.start(Variable::Register(0));
        let ty = self.b.ty(start);
        self.b.var(ty, Some(start))
    }

    /// What a variable holds; of one that the program does not have that is nothing of interest.
    pub(super) fn load(&mut self, variable: Variable) -> Value {
        match self.variables[variable.place()] {
            Some(value) if self.is_straight => value,
            Some(pointer) => self.b.load(pointer),
            None => self.start(variable),
        }
    }

    pub(super) fn store(&mut self, variable: Variable, value: Value) {
        match &mut self.variables[variable.place()] {
            Some(old) if self.is_straight => *old = value,
            Some(pointer) => self.b.store(*pointer, value),
            None => {}
        }
    }

    /// The rounds that are left of a loop, and aL as it was before it.
    fn counters(&mut self, mark: Mark) -> [Value; 2] {
        self.counters[usize::from(mark.place)].unwrap_or_else(|| {
            let int = self.b.int_ty(32);
            [0; 2].map(|_| self.b.var(int, None))
        })
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
                self.end_run();
                self.b.span = None;
            }
            Action::Enter(mark) => self.enter(*mark),
            Action::Again(mark) => self.again(*mark),
            Action::Leave { mark, is_inner: false } => self.go_on(*mark),
            Action::Leave { mark, is_inner: true } => {
                let [_, before] = self.counters(*mark);
                let before = self.b.load(before);
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
        let ([rounds, kept], before) = (self.counters(mark), self.load(Variable::Counter));
        self.b.store(kept, before);
        let count = match self.counts_up() {
            true => self.b.u32(0),
            false => self.interface.int(&mut self.b, mark.int, 0),
        };
        self.b.store(rounds, count);
        let start = self.interface.int(&mut self.b, mark.int, 1);
        self.store(Variable::Counter, start);
    }

    /// Whether rounds are counted up, as people do, and not down, as the machine does.
    fn counts_up(&self) -> bool {
        self.numbers == Numbers::Plain
    }

    /// Counts another round.
    pub(super) fn again(&mut self, mark: Mark) {
        let [pointer, _] = self.counters(mark);
        let (rounds, one) = (self.b.load(pointer), self.b.u32(1));
        let next = if self.counts_up() { self.b.iadd(rounds, one) } else { self.b.isub(rounds, one) };
        self.b.store(pointer, next);
        self.go_on(mark);
    }

    /// aL takes a step.
    fn go_on(&mut self, mark: Mark) {
        let before = self.load(Variable::Counter);
        let step = self.interface.int(&mut self.b, mark.int, 2);
        let sum = self.b.iadd(before, step);
        let bits = self.program.config.loop_counter_bits.clamp(1, 32);
        let mask = self.b.u32(u32::MAX >> (32 - bits));
        let after = if bits < 32 { self.b.and(sum, mask) } else { sum };
        self.store(Variable::Counter, after);
    }

    /// Whether a condition holds.
    pub(super) fn holds(&mut self, condition: Condition) -> Value {
        match condition {
            Condition::Rounds(mark) | Condition::More(mark) => {
                let [rounds, _] = self.counters(mark);
                let rounds = self.b.load(rounds);
                if !self.counts_up() {
                    let zero = self.b.u32(0);
                    return self.b.ine(rounds, zero);
                }
                let last = self.interface.int(&mut self.b, mark.int, 0);
                let is_before = matches!(condition, Condition::Rounds(_));
                if is_before { self.b.ult(rounds, last) } else { self.b.ule(rounds, last) }
            }
            Condition::Test(Test::Always) => self.b.bool(true),
            Condition::Test(Test::Bool { index, inverted }) => {
                let set = self.interface.bool(&mut self.b, index);
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

/// Slots.
impl Values<'_, '_> {
    fn home(&self, slot: Slot) -> Home {
        let regs = &self.program.regs;
        if let Some((variable, component)) = live::home(self.program, slot) {
            return Home::Variable(variable, component);
        }
        if let Some(at) = regs.limits.iter().position(|known| *known == slot) {
            return Home::Limit(at);
        }
        match slot {
            _ if slot == regs.one => Home::One,
            _ if slot == regs.zero => Home::Zero,
            _ => self.interface.float_of(slot).map_or(Home::Run, |(n, part)| Home::Uniform(n, part)),
        }
    }

    fn part(&mut self, slot: Slot) -> Part {
        if let Some(known) = self.parts[usize::from(slot.0)] {
            return known;
        }
        let scalar = |value| Part { value, component: None };
        let part = match self.home(slot) {
            Home::Variable(variable @ Variable::Register(_), component) => {
                let value = self.load(variable);
                return self.note_quad(slot, component, value);
            }
            Home::Variable(Variable::Counter, _) => scalar(self.counter_offset()),
            Home::Variable(variable, _) => scalar(self.load(variable)),
            Home::Uniform(n, component) => match self.interface.constant(n, component) {
                Some(known) => scalar(self.b.f32(known)),
                None => {
                    let value = self.interface.float(&mut self.b, n);
                    let value = self.as_register(value);
                    return self.note_quad(slot, component, value);
                }
            },
            Home::One => scalar(self.b.f32(1.0)),
            Home::Zero | Home::Run => scalar(self.b.f32(0.0)),
            Home::Limit(at) => scalar(self.b.u32([128, 256][at])),
        };
        self.note(slot, part);
        part
    }

    /// All four components of a register at once.
    fn note_quad(&mut self, slot: Slot, component: u8, value: Value) -> Part {
        let first = Slot(slot.0 - u16::from(component));
        for (n, slot) in (0..).zip(first.quad()) {
            if self.parts[usize::from(slot.0)].is_none() {
                self.note(slot, Part { value, component: Some(n) });
            }
        }
        Part { value, component: Some(component) }
    }

    fn note(&mut self, slot: Slot, part: Part) {
        if self.parts[usize::from(slot.0)].replace(part).is_none() {
            self.known.push(slot);
        }
    }

    /// What indexing by aL adds: 0 beyond 127 (spec section 10).
    fn counter_offset(&mut self) -> Value {
        if self.numbers == Numbers::Plain {
            return self.load(Variable::Counter);
        }
        let (counter, most, zero) = (self.load(Variable::Counter), self.b.u32(127), self.b.u32(0));
        let is_near = self.b.ule(counter, most);
        self.b.select(is_near, counter, zero)
    }

    fn scalar(&mut self, part: Part) -> Value {
        match part.component {
            Some(n) => self.b.extract(part.value, n.into()),
            None => part.value,
        }
    }

    /// Slots as one value: a scalar, or a vector.
    fn gather(&mut self, slots: &[Slot]) -> Value {
        let parts: Components<Part> = slots.iter().map(|&slot| self.part(slot)).collect();
        self.joined(slots, &parts)
    }

    /// Slots that were written one by one; together they are what the last of the words made.
    fn vector(&mut self, slots: &[Slot], scalars: &[Value]) -> Value {
        let register = |slot: &Slot| match self.home(*slot) {
            Home::Variable(Variable::Register(at), _) => Some(at),
            _ => None,
        };
        let here = self.b.span;
        let first = slots.first().and_then(register);
        if let Some(at) = first.filter(|_| slots.iter().all(|slot| register(slot) == first)) {
            self.b.span = self.writers[at];
        }
        let value = self.b.vector(scalars);
        self.b.span = here;
        value
    }

    fn joined(&mut self, slots: &[Slot], parts: &[Part]) -> Value {
        if let [one] = *parts {
            return self.scalar(one);
        }
        let first = parts[0];
        let of_one = parts.iter().all(|part| part.value == first.value && part.component.is_some());
        if !of_one {
            let scalars: Components<Value> = parts.iter().map(|&part| self.scalar(part)).collect();
            return self.constant(&scalars).unwrap_or_else(|| self.vector(slots, &scalars));
        }
        let ty = self.b.ty(first.value);
        let components: Components<u8> = parts.iter().filter_map(|part| part.component).collect();
        let is_whole = components.iter().copied().eq(0..self.b.types().components(ty));
        if is_whole { first.value } else { self.b.swizzle(first.value, &components) }
    }

    /// A vector of constants.
    fn constant(&mut self, scalars: &[Value]) -> Option<Value> {
        let constant = |v: &Value| match self.b.function().def(*v) {
            Def::Constant(c) => Some(c),
            _ => None,
        };
        let parts: Vec<Constant> = scalars.iter().map(constant).collect::<Option<_>>()?;
        let scalar = self.b.ty(scalars[0]);
        let ty = self.b.types().vector(scalar, parts.len() as u8);
        let whole = self.b.module().constants.intern(ty, ConstantKind::Composite(parts));
        Some(self.b.constant(whole))
    }

    /// The components of a result are those of some slots.
    fn write(&mut self, slots: &[Slot], value: Value) {
        for (n, &slot) in (0..).zip(slots) {
            let component = (slots.len() > 1).then_some(n);
            self.change(slot, Part { value, component });
        }
    }

    fn change(&mut self, slot: Slot, part: Part) {
        self.note(slot, part);
        if !std::mem::replace(&mut self.is_written[usize::from(slot.0)], true) {
            self.written.push(slot);
        }
    }

    /// Stores what the run has written, and forgets what it knew.
    fn end_run(&mut self) {
        let mut written = std::mem::take(&mut self.written);
        written.sort_unstable();
        for at in 0..written.len() {
            match self.home(written[at]) {
                Home::Variable(variable, _) if variable.within(self.kept) == 0 => {}
                // Each register once, by the first slot of it that was written.
                Home::Variable(variable @ Variable::Register(_), component) => {
                    let first = written[at].0 - u16::from(component);
                    if at == 0 || written[at - 1].0 < first {
                        self.store_slots(variable, &Slot(first).quad());
                    }
                }
                Home::Variable(variable, _) => self.store_slots(variable, &[written[at]]),
                _ => {}
            }
        }
        written.drain(..).for_each(|slot| self.is_written[usize::from(slot.0)] = false);
        self.written = written;
        for slot in self.known.drain(..) {
            self.parts[usize::from(slot.0)] = None;
        }
    }

    fn store_slots(&mut self, variable: Variable, slots: &[Slot]) {
        let value = self.gather(slots);
        self.store(variable, value);
    }
}

/// Operations.
impl Values<'_, '_> {
    fn uop(&mut self, uop: &Uop) {
        let count = usize::from(uop.count);
        match uop.op {
            U::Dot => return self.dot(uop),
            U::Row => return self.row(uop),
            // A copy is another name.
            U::Mov => {
                let parts: Components<Part> = uop.a[..count].iter().map(|&slot| self.part(slot)).collect();
                for (&slot, part) in uop.d[..count].iter().zip(parts) {
                    self.change(slot, part);
                }
                return;
            }
            U::Imm => {
                let value = self.number(uop.d[0], uop.imm);
                uop.d[..count].iter().for_each(|&slot| self.write(&[slot], value));
                return;
            }
            _ => {}
        }
        let operands = uop.op.shape().operands.len();
        let args: Components<Value> = (0..operands).map(|k| self.gather(&uop.operand(k)[..count])).collect();
        let value = self.computed(uop.op, &args);
        self.write(&uop.d[..count], value);
    }

    /// A number in a slot: flags are bools.
    fn number(&mut self, slot: Slot, bits: u32) -> Value {
        match self.home(slot) {
            Home::Variable(Variable::Flag(_), _) => self.b.bool(bits != 0),
            _ => self.b.f32(f32::from_bits(bits)),
        }
    }

    fn computed(&mut self, op: U, args: &[Value]) -> Value {
        let narrow = match self.numbers {
            Numbers::Plain => self.as_written(op, args),
            Numbers::Binary32 => None,
            Numbers::Float24 { .. } => self.narrow(op, args),
        };
        narrow.unwrap_or_else(|| self.plain(op, args))
    }

    /// What a language has as the machine does, but for borders.
    fn as_written(&mut self, op: U, args: &[Value]) -> Option<Value> {
        Some(match (op, args) {
            (U::Fmul, &[a, b]) => self.b.fmul(a, b),
            (U::Fmad, &[a, b, c]) => {
                let product = self.b.fmul(a, b);
                self.b.fadd(product, c)
            }
            (U::Fmax, &[a, b]) => self.b.fmax(a, b),
            (U::Fmin, &[a, b]) => self.b.fmin(a, b),
            (U::Frsq, &[a]) => self.b.frsqrt(a),
            (U::FtoX86 | U::FtoS, &[a]) => self.whole(a),
            // Of an index whether it is in range, which it is.
            (U::And, &[_, b]) if self.is_int(b) => b,
            _ => return None,
        })
    }

    /// An index as an integer, of several each by itself: MOVA rounds it, of which a compiler knows.
    fn whole(&mut self, x: Value) -> Value {
        let (ty, int) = (self.b.ty(x), self.b.int_ty(32));
        match self.b.types().components(ty) {
            0 | 1 => self.b.convert(chiaro_ir::Op::FToS, x, int),
            count => {
                let parts: Components<Value> = (0..u32::from(count))
                    .map(|n| {
                        let part = self.b.extract(x, n);
                        self.b.convert(chiaro_ir::Op::FToS, part, int)
                    })
                    .collect();
                self.b.vector(&parts)
            }
        }
    }

    fn is_int(&mut self, x: Value) -> bool {
        let ty = self.b.ty(x);
        self.b.types().is_int(ty)
    }

    /// What float24 rounds, or reads in a way of its own.
    fn narrow(&mut self, op: U, args: &[Value]) -> Option<Value> {
        let what = match op {
            U::Ffloor => Narrow::Floor,
            U::Frcp => Narrow::Reciprocal,
            U::Frsq => Narrow::InverseRoot,
            U::Fpack => Narrow::Round,
            U::Fexp2 | U::Flog2 => {
                let value = self.plain(op, args);
                return Some(self.helpers.narrow(&mut self.b, Narrow::Round, &[value]));
            }
            // There is no negative zero.
            U::Fneg => {
                let ty = self.b.ty(args[0]);
                let zero = self.b.zero(ty);
                return Some(self.b.fsub(zero, args[0]));
            }
            _ => return None,
        };
        Some(self.helpers.narrow(&mut self.b, what, args))
    }

    fn plain(&mut self, op: U, args: &[Value]) -> Value {
        match (op, args) {
            (U::Fadd, &[a, b]) => self.helpers.sum(&mut self.b, a, b),
            (U::Fmul, &[a, b]) => self.product(a, b),
            (U::Fmad, &[a, b, c]) => {
                let product = self.product(a, b);
                self.helpers.sum(&mut self.b, product, c)
            }
            (U::Fneg, &[a]) => self.b.fneg(a),
            (U::Ffloor, &[a]) => self.b.ffloor(a),
            (U::Fmax, &[a, b]) => {
                let is_first = self.b.flt(b, a);
                self.b.select(is_first, a, b)
            }
            (U::Fmin, &[a, b]) => {
                let is_first = self.b.flt(a, b);
                self.b.select(is_first, a, b)
            }
            (U::Frcp, &[a]) => self.reciprocal(a),
            (U::Frsq, &[a]) => {
                let root = self.b.fsqrt(a);
                self.reciprocal(root)
            }
            (U::Fexp2, &[a]) => self.b.fexp2(a),
            (U::Flog2, &[a]) => self.b.flog2(a),
            (U::Feq, &[a, b]) => self.b.feq(a, b),
            (U::Flt, &[a, b]) => self.b.flt(a, b),
            (U::Fle, &[a, b]) => self.b.fle(a, b),
            (U::Not, &[a]) => self.b.not(a),
            (U::FtoX86 | U::FtoS, &[a]) => self.index(a),
            (U::Add, &[a, b]) => self.b.iadd(a, b),
            (U::LtU, &[a, b]) => self.b.ult(a, b),
            (U::And, &[a, b]) => self.masked(a, b),
            _ => {
                debug_assert!(false, "`{}` has no form here", op.name());
                args[0]
            }
        }
    }

    /// An integer for indexing, which adds 0 for all numbers beyond -128 to 127: languages leave open
    /// what large ones become.
    fn index(&mut self, a: Value) -> Value {
        let ty = self.b.ty(a);
        let bounds = [-129.0, 128.0].map(|x| self.b.f32(x));
        let [low, high] = bounds.map(|x| self.b.splat(ty, x));
        let (is_above, is_below, zero) = (self.b.flt(low, a), self.b.flt(a, high), self.b.zero(ty));
        let below = self.b.select(is_below, a, zero);
        let near = self.b.select(is_above, below, zero);
        let int = self.b.int_ty(32);
        self.b.convert(chiaro_ir::Op::FToS, near, int)
    }

    fn reciprocal(&mut self, a: Value) -> Value {
        let (ty, one) = (self.b.ty(a), self.b.f32(1.0));
        let one = self.b.splat(ty, one);
        self.b.fdiv(one, a)
    }

    /// Truth and a value: that value, or 0. Otherwise bits of a number and a mask.
    fn masked(&mut self, a: Value, b: Value) -> Value {
        let (mask, ty) = (self.b.ty(a), self.b.ty(b));
        if self.b.types().is_bool(mask) {
            let zero = self.b.zero(ty);
            return self.b.select(a, b, zero);
        }
        let int = self.b.int_ty(32);
        let n = self.b.types().components(mask);
        let ints = self.b.types().vector(int, n);
        let [a, b] = [a, b].map(|x| self.b.bitcast(x, ints));
        let both = self.b.and(a, b);
        self.b.bitcast(both, mask)
    }

    /// A product by the rule that zero times infinity is zero, unless one side excludes both.
    fn product(&mut self, a: Value, b: Value) -> Value {
        let is_binary32 = self.numbers == Numbers::Binary32;
        if is_binary32 && (a == b || [a, b].into_iter().any(|side| is_ordinary(&mut self.b, side))) {
            return self.b.fmul(a, b);
        }
        let ty = self.b.ty(a);
        let n = self.b.types().components(ty);
        self.helpers.call(&mut self.b, Helper::Product(n), &[a, b])
    }

    fn dot(&mut self, uop: &Uop) {
        let count = usize::from(uop.count);
        let [a, b] = [uop.a, uop.b].map(|slots| self.gather(&slots[..count]));
        let in_pairs = uop.imm == Sum::Pairs as u32;
        if self.numbers == Numbers::Plain {
            let value = self.b.fdot(a, b);
            return self.write(&uop.d[..1], value);
        }
        let value = self.helpers.call(&mut self.b, Helper::Dot(uop.count, in_pairs), &[a, b]);
        self.write(&uop.d[..1], value);
    }

    /// A c register by number: those that are not there are ones (spec section 10).
    fn row(&mut self, uop: &Uop) {
        let (offset, base) = (self.gather(&uop.a[..1]), uop.imm >> 8);
        let value = match self.numbers {
            Numbers::Plain => self.interface.element(&mut self.b, offset, base),
            _ => {
                let base = self.b.u32(base);
                let at = self.b.iadd(offset, base);
                self.interface.float_at(&mut self.b, at)
            }
        };
        let value = self.as_register(value);
        self.write(&uop.d, value);
    }
}
