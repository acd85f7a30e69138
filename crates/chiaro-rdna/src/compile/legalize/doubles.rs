//! Quotients and roots of doubles are operations of their own: the machine's are good to 28 bits, and what makes
//! numbers of them that are rounded correctly are instructions that nothing but selection knows (spec section 6.6). So are
//! fractions of floats of any size, for which lowering would take logarithms.
//!
//! ```text
//! %2: f64 = fdiv %0, %1             %2: f64 = native.64 %0, %1
//! ```

use chiaro_ir::{FunctionRef, Inst, Module, Op, Type, Walk};
use chiaro_opt::{Changed, Cx};

/// An operation on doubles, or on all floats, a native beyond those that all machines share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Double {
    /// A quotient, rounded correctly.
    Quotient,
    /// x - y * trunc(x / y).
    Remainder,
    /// x - y * floor(x / y).
    Modulo,
    /// A square root, rounded correctly.
    Root,
    /// One by a square root, within a unit in the last place.
    InverseRoot,
    /// What a power of two is multiplied by, of a float of any size.
    Fraction,
}

/// The number of the first one.
const FIRST: u16 = 64;

impl Double {
    /// All, in the order of their numbers.
    const ALL: [Double; 6] = [
        Double::Quotient,
        Double::Remainder,
        Double::Modulo,
        Double::Root,
        Double::InverseRoot,
        Double::Fraction,
    ];

    /// The operation of a native's number.
    #[must_use]
    pub fn of(number: u16) -> Option<Double> {
        Double::ALL.get(usize::from(number.checked_sub(FIRST)?)).copied()
    }

    fn op(self) -> Op {
        Op::Native(FIRST + self as u16)
    }

    fn standing_for(op: Op) -> Option<Double> {
        Some(match op {
            Op::FDiv => Double::Quotient,
            Op::FRem => Double::Remainder,
            Op::FMod => Double::Modulo,
            Op::FSqrt => Double::Root,
            Op::FRsqrt => Double::InverseRoot,
            Op::FFrexpFraction => Double::Fraction,
            _ => return None,
        })
    }
}

/// Gives such operations their numbers. Vectors stay: selection takes component by component.
pub(super) fn doubles(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let function = module.function(f);
    let is_double = |inst: Inst| {
        let ty = function.result_of(inst).map(|value| module.types.scalar(function.ty(value)));
        ty.is_some_and(|ty| *module.types.get(ty) == Type::Float(64))
    };
    let found: Vec<(Inst, Double)> = Walk::insts(function)
        .filter_map(|inst| Some((inst, Double::standing_for(function.op(inst))?)))
        .filter(|&(inst, double)| double == Double::Fraction || is_double(inst))
        .collect();
    let changed = !found.is_empty();
    for (inst, double) in found {
        module.function_mut(f).inst_mut(inst).op = double.op();
    }
    changed.into()
}
