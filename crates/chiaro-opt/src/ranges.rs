//! Value range analysis: bounds, and whether a number can be NaN, negative zero or not integral.
//!
//! ```text
//! %2: f32 = fdot %1, %1        at least 0, perhaps NaN
//! %3: f32 = fexp2 %2           at least 1/2
//! %4: f32 = fclamp %3, 0, 1    between 0 and 1, never NaN: a clamp prefers the number
//! ```
//!
//! One walk in the order of the text, in linear time; a vector has one fact for all its
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
    Constant, ConstantKind, Constants, Def, Function, Inst, Module, Op, Ty, Type, Types, Value, Walk,
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
    facts: Vec<Option<Fact>>,
}

/// The facts of all values of a function.
pub fn ranges(module: &Module, f: &Function) -> Ranges {
    let mut ranges = Ranges::start(&module.types, &module.constants, f, |_| true);
    for inst in Walk::insts(f) {
        ranges.note(&module.types, &module.constants, f, inst);
    }
    ranges
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

    /// Facts of counters, and of those constants that are asked for, before the walk: functions keep constants that
    /// nothing uses any more.
    pub(crate) fn start(
        types: &Types,
        constants: &Constants,
        f: &Function,
        is_asked: impl Fn(Value) -> bool,
    ) -> Ranges {
        let mut ranges = Ranges { facts: vec![None; f.value_count()] };
        for v in (0..f.value_count() as u32).map(Value) {
            if let Def::Constant(c) = f.def(v)
                && is_asked(v)
            {
                ranges.constant(types, constants, v, c);
            }
        }
        for counter in loops::counters(f, constants) {
            let range = IntRange { low: counter.low, high: counter.high };
            ranges.set(counter.param, Fact::Int(range));
        }
        ranges
    }

    pub(crate) fn constant(&mut self, types: &Types, constants: &Constants, v: Value, c: Constant) {
        if let Some(fact) = constant(types, constants, c) {
            self.set(v, fact);
        }
    }

    /// Facts of an instruction's results, and of a construct's from one of its exits.
    pub(crate) fn note(&mut self, types: &Types, constants: &Constants, f: &Function, inst: Inst) {
        if let Op::Exit(at) = f.op(inst) {
            for (result, &arg) in f.results(at).zip(f.args(inst)) {
                self.join(result, self.fact(types, f.ty(arg), arg));
            }
            return;
        }
        let Some(result) = f.result_of(inst) else { return };
        let ty = f.ty(result);
        let fact = match f.op(inst) {
            op if op.is_construct() => return,
            op if types.is_float(ty) => Fact::Float(float::result(self, types, f, inst, op)),
            op if types.is_int(ty) => Fact::Int(int::result(self, types, constants, f, inst, op)),
            _ => return,
        };
        self.set(result, fact);
    }

    fn fact(&self, types: &Types, ty: Ty, v: Value) -> Fact {
        if types.is_float(ty) {
            Fact::Float(self.float(v))
        } else if types.is_int(ty) {
            Fact::Int(self.int(v, types.bits(ty).unwrap_or(64)))
        } else {
            Fact::None
        }
    }

    fn set(&mut self, v: Value, fact: Fact) {
        let at = v.0 as usize;
        if at >= self.facts.len() {
            self.facts.resize(at + 1, None);
        }
        self.facts[at] = Some(fact);
    }

    fn join(&mut self, v: Value, fact: Fact) {
        let joined = match (self.facts.get(v.0 as usize).copied().flatten(), fact) {
            (None, fact) => fact,
            (Some(Fact::Float(a)), Fact::Float(b)) => Fact::Float(a.join(b)),
            (Some(Fact::Int(a)), Fact::Int(b)) => Fact::Int(a.join(b)),
            _ => Fact::None,
        };
        self.set(v, joined);
    }
}

/// The fact of a constant whose value is known.
fn constant(types: &Types, constants: &Constants, c: Constant) -> Option<Fact> {
    let ty = constants.ty(c);
    match constants.get(c) {
        ConstantKind::Composite(parts) if types.components(ty) > 1 => {
            let mut facts = parts.iter().map(|&part| constant(types, constants, part));
            let first = facts.next()??;
            facts.try_fold(first, |all, next| match (all, next?) {
                (Fact::Float(a), Fact::Float(b)) => Some(Fact::Float(a.join(b))),
                (Fact::Int(a), Fact::Int(b)) => Some(Fact::Int(a.join(b))),
                _ => None,
            })
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
