//! Value range analysis: bounds, and whether a number can be NaN, negative zero or not integral.
//!
//! ```text
//! %2: f32 = fdot %1, %1        at least 0, perhaps NaN
//! %3: f32 = fexp2 %2           at least 1/2
//! %4: f32 = fclamp %3, 0, 1    between 0 and 1, never NaN: a clamp prefers the number
//! ```
//!
//! In linear time, and only of what somebody asks for; a vector has one fact for all its
//! components. Bounds of floats have eight significant bits and exponents of half precision, and
//! are rounded outwards: every float format holds them exactly, so that any monotone rounding
//! keeps them, a target's as well as the interpreter's. A function's bounds are those of the
//! mathematical function, with a margin of 2^-7 where they are not its limits.

mod float;
mod int;

pub use float::FloatRange;
pub use int::IntRange;

use crate::loops;
use chiaro_ir::interp::float_value;
use chiaro_ir::{
    Constant, ConstantKind, Constants, Def, Effect, Function, Inst, Module, Op, Ty, Type, Types, Value, Walk,
};

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Fact {
    /// It is no number.
    None,
    /// It is a float, or floats.
    Float(FloatRange),
    /// It is an integer, or integers.
    Int(IntRange),
}

/// Facts of a function's values.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    /// By value; nothing of those that nobody asked for.
    facts: Vec<Option<Fact>>,
}

/// The facts of all values of a function.
pub fn ranges(module: &Module, f: &Function) -> Ranges {
    let mut asked = Asked::start(f, &module.constants);
    Walk::insts(f).for_each(|inst| asked.note(f, inst));
    for v in (0..f.value_count() as u32).map(Value) {
        asked.find(&module.types, &module.constants, f, v);
    }
    asked.ranges
}

impl Ranges {
    /// What is known of a float; everything is possible of what is none.
    pub fn float(&self, v: Value) -> FloatRange {
        match self.facts.get(v.0 as usize) {
            Some(Some(Fact::Float(range))) => *range,
            _ => FloatRange::ANY,
        }
    }

    /// What is known of an integer of a width in bits.
    pub fn int(&self, v: Value, width: u8) -> IntRange {
        match self.facts.get(v.0 as usize) {
            Some(Some(Fact::Int(range))) => *range,
            _ => IntRange::of_width(width),
        }
    }

    fn is_found(&self, v: Value) -> bool {
        self.facts.get(v.0 as usize).is_some_and(Option::is_some)
    }

    fn set(&mut self, v: Value, fact: Fact) {
        let at = v.0 as usize;
        if at >= self.facts.len() {
            self.facts.resize(at + 1, None);
        }
        self.facts[at] = Some(fact);
    }

    /// What is known of a value of a type.
    fn fact(&self, types: &Types, ty: Ty, v: Value) -> Fact {
        if types.is_float(ty) {
            Fact::Float(self.float(v))
        } else if types.is_int(ty) {
            Fact::Int(self.int(v, types.bits(ty).unwrap_or(64)))
        } else {
            Fact::None
        }
    }

    /// The fact of an instruction's only result, by those of its operands.
    fn result(&self, types: &Types, constants: &Constants, f: &Function, inst: Inst) -> Fact {
        let (Some(result), op) = (f.result_of(inst), f.op(inst)) else { return Fact::None };
        let ty = f.ty(result);
        if types.is_float(ty) {
            Fact::Float(float::result(self, types, f, inst, op))
        } else if types.is_int(ty) {
            Fact::Int(int::result(self, types, constants, f, inst, op))
        } else {
            Fact::None
        }
    }
}

/// Facts that are found out when somebody asks: few passes ask for many.
///
/// It has to be told of exits in the order of the text; what is asked for stands before, and what it is made of does not
/// change any more.
pub(crate) struct Asked {
    ranges: Ranges,
    /// By value, of results of constructs: the last operand that an exit carries for it, plus one.
    last: Vec<u32>,
    /// Operands of exits, each with the one before for the same result.
    carried: Vec<(Value, u32)>,
    /// What is being found out.
    open: Vec<Value>,
}

impl Asked {
    /// Of a function with these counters, before the walk.
    pub(crate) fn start(f: &Function, constants: &Constants) -> Asked {
        let mut asked =
            Asked { ranges: Ranges::default(), last: Vec::new(), carried: Vec::new(), open: Vec::new() };
        for counter in loops::counters(f, constants) {
            let range = IntRange { low: counter.low, high: counter.high };
            asked.ranges.set(counter.param, Fact::Int(range));
        }
        asked
    }

    /// An instruction is part of the text now.
    pub(crate) fn note(&mut self, f: &Function, inst: Inst) {
        let Op::Exit(at) = f.op(inst) else { return };
        for (result, &arg) in f.results(at).zip(f.args(inst)) {
            let n = result.0 as usize;
            if self.last.len() <= n {
                self.last.resize(n + 1, 0);
            }
            self.carried.push((arg, self.last[n]));
            self.last[n] = self.carried.len() as u32;
        }
    }

    /// Finds out what is known of a value.
    pub(crate) fn find(&mut self, types: &Types, constants: &Constants, f: &Function, v: Value) -> &Ranges {
        self.open.push(v);
        while let Some(&v) = self.open.last() {
            let (is_found, known) = (self.ranges.is_found(v), self.open.len());
            if !is_found {
                self.ask_parts(f, v);
            }
            if self.open.len() == known {
                self.open.pop();
                if !is_found {
                    let fact = self.of_parts(types, constants, f, v);
                    self.ranges.set(v, fact);
                }
            }
        }
        &self.ranges
    }

    /// Puts in front what has to be known first.
    fn ask_parts(&mut self, f: &Function, v: Value) {
        let Def::Result(inst, _) = f.def(v) else { return };
        let (ranges, open) = (&self.ranges, &mut self.open);
        let mut ask = |v: Value| {
            if !ranges.is_found(v) {
                open.push(v);
            }
        };
        if f.op(inst).is_construct() {
            return carried(&self.last, &self.carried, v).for_each(ask);
        }
        if f.op(inst).effect() != Effect::Pure {
            return;
        }
        f.args(inst).iter().for_each(|&arg| ask(arg));
        // What is chosen depends on what is compared.
        if f.op(inst) == Op::Select
            && let Def::Result(condition, _) = f.def(f.args(inst)[0])
            && !f.op(condition).is_construct()
        {
            f.args(condition).iter().for_each(|&arg| ask(arg));
        }
    }

    fn of_parts(&self, types: &Types, constants: &Constants, f: &Function, v: Value) -> Fact {
        match f.def(v) {
            Def::Constant(c) => constant(types, constants, c).unwrap_or(Fact::None),
            Def::Result(inst, _) if f.op(inst).is_construct() => {
                let parts = carried(&self.last, &self.carried, v);
                let facts = parts.map(|part| self.ranges.fact(types, f.ty(part), part));
                facts.reduce(Fact::join).unwrap_or(Fact::None)
            }
            Def::Result(inst, _) => self.ranges.result(types, constants, f, inst),
            _ => Fact::None,
        }
    }
}

/// What exits carry for a result of a construct.
fn carried(last: &[u32], all: &[(Value, u32)], result: Value) -> impl Iterator<Item = Value> {
    let mut at = last.get(result.0 as usize).copied().unwrap_or(0);
    std::iter::from_fn(move || {
        let (value, before) = all[at.checked_sub(1)? as usize];
        at = before;
        Some(value)
    })
}

impl Fact {
    fn join(self, other: Fact) -> Fact {
        match (self, other) {
            (Fact::Float(a), Fact::Float(b)) => Fact::Float(a.join(b)),
            (Fact::Int(a), Fact::Int(b)) => Fact::Int(a.join(b)),
            _ => Fact::None,
        }
    }
}

/// The fact of a constant whose value is known.
fn constant(types: &Types, constants: &Constants, c: Constant) -> Option<Fact> {
    let ty = constants.ty(c);
    match constants.get(c) {
        ConstantKind::Composite(parts) if types.components(ty) > 1 => {
            let mut facts = parts.iter().map(|&part| constant(types, constants, part));
            let first = facts.next()??;
            facts.try_fold(first, |all, next| Some(all.join(next?)))
        }
        _ => {
            let bits = constants.bits(c)?;
            match *types.get(types.scalar(ty)) {
                Type::Float(width) => Some(Fact::Float(FloatRange::number(float_value(bits, width)))),
                Type::Int(width) => Some(Fact::Int(IntRange::number(bits, width))),
                _ => None,
            }
        }
    }
}
