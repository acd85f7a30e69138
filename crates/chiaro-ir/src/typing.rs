//! Which types operands and results must have: the meaning of [`Shape`], and of each
//! operation whose shape is special.
//!
//! Builder and verifier ask the same function, [`check`]. It expects that the handles of the
//! instruction exist and that an exit names a construct; the verifier sees to that first.

mod composite;
mod control;
mod group;
mod image;
mod memory;

pub(crate) use control::signature_fits;
pub(crate) use image::extent;
pub(crate) use memory::part_at;

use crate::function::Function;
use crate::id::{Inst, Value};
use crate::module::Module;
use crate::op::{Op, Shape};
use crate::print::type_text;
use crate::ty::{Ty, Type, Types};

/// What is wrong, as one sentence without a full stop.
pub(crate) type Check = Result<(), String>;

/// Whether the operands and results of an instruction have the types that its row asks for.
pub(crate) fn check(module: &Module, f: &Function, inst: Inst) -> Check {
    let op = f.op(inst);
    let cx = Typing { module, types: &module.types, f, inst, args: f.args(inst) };
    match op.info().shape {
        Shape::Same(n) => cx.same(op, n),
        Shape::Compare => cx.compare(op),
        Shape::Test => cx.test(),
        Shape::Shift => cx.shift(op),
        Shape::Convert => cx.convert(op),
        Shape::Fold => cx.fold(),
        Shape::Dot => cx.dot(),
        Shape::Select => cx.select(),
        Shape::Special => cx.special(op),
    }
}

/// An instruction in its surroundings.
#[derive(Clone, Copy)]
struct Typing<'a> {
    module: &'a Module,
    types: &'a Types,
    f: &'a Function,
    inst: Inst,
    args: &'a [Value],
}

/// Which scalars an operation computes with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// Floats of any width.
    Float,
    /// Integers that registers hold.
    Int,
    /// Integers or bools.
    Bits,
}

impl Class {
    /// What operands of the class are called in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Class::Float => "floats",
            Class::Int => "integers",
            Class::Bits => "integers or bools",
        }
    }

    /// Whether a type is a scalar or a vector of the class.
    pub(crate) fn holds(self, types: &Types, ty: Ty) -> bool {
        match *types.get(types.scalar(ty)) {
            Type::Float(_) => self == Class::Float,
            // Bytes exist in memory only; conversions take them from and to there.
            Type::Int(n) => self != Class::Float && n > 8,
            Type::Bool => self == Class::Bits,
            _ => false,
        }
    }
}

/// The scalars of an operation whose operands are all of one class.
pub(crate) fn class(op: Op) -> Class {
    match op {
        Op::And | Op::Or | Op::Xor | Op::Not | Op::IEq | Op::INe => Class::Bits,
        Op::IAdd | Op::ISub | Op::IMul | Op::UMulHigh | Op::SMulHigh | Op::UDiv | Op::SDiv | Op::URem => {
            Class::Int
        }
        Op::SRem | Op::SMod | Op::INeg | Op::IAbs | Op::ISign | Op::UMin | Op::UMax | Op::SMin | Op::SMax => {
            Class::Int
        }
        Op::UAddCarry | Op::USubBorrow | Op::Shl | Op::LShr | Op::AShr | Op::BitCount | Op::BitReverse => {
            Class::Int
        }
        Op::FindLsb | Op::FindUMsb | Op::FindSMsb | Op::ULt | Op::ULe | Op::SLt | Op::SLe => Class::Int,
        Op::BitInsert | Op::BitExtractU | Op::BitExtractS => Class::Int,
        _ => Class::Float,
    }
}

/// Bits of a numeric scalar or vector altogether; `None` for anything else.
pub(crate) fn total_bits(types: &Types, ty: Ty) -> Option<u32> {
    match *types.get(ty) {
        Type::Pointer(..) | Type::AccelerationStructure | Type::Function(..) => Some(64),
        Type::Bool => None,
        _ if types.is_bool(ty) => None,
        _ => Some(u32::from(types.bits(ty)?) * u32::from(types.components(ty))),
    }
}

impl<'a> Typing<'a> {
    fn name(&self, ty: Ty) -> String {
        type_text(self.types, ty)
    }

    /// That there are so many operands.
    fn count(&self, n: usize) -> Check {
        self.count_between(n, n)
    }

    fn count_between(&self, low: usize, high: usize) -> Check {
        let given = self.args.len();
        if (low..=high).contains(&given) {
            return Ok(());
        }
        let wanted = if low == high { format!("{low}") } else { format!("{low} to {high}") };
        let s = if wanted == "1" { "" } else { "s" };
        Err(format!("takes {wanted} operand{s}, not {given}"))
    }

    /// The type of operand `i`, which [`count`](Self::count) has found to exist.
    fn arg(&self, i: usize) -> Ty {
        self.f.ty(self.args[i])
    }

    /// The type of the only result.
    fn result(&self) -> Result<Ty, String> {
        let mut results = self.f.results(self.inst);
        match (results.next(), results.len()) {
            (Some(value), 0) => Ok(self.f.ty(value)),
            _ => Err(format!("has one result, not {}", self.f.results(self.inst).len())),
        }
    }

    fn no_result(&self) -> Check {
        match self.f.results(self.inst).len() {
            0 => Ok(()),
            n => Err(format!("has no result, not {n}")),
        }
    }

    /// That operand `i` is exactly of a type.
    fn expect(&self, i: usize, wanted: Ty) -> Check {
        let ty = self.arg(i);
        if ty == wanted {
            return Ok(());
        }
        Err(format!("operand {} is {}, not {}", i + 1, self.name(ty), self.name(wanted)))
    }

    /// That operand `i` fulfils a condition, which `what` names.
    fn arg_is(&self, i: usize, holds: impl Fn(Ty) -> bool, what: &str) -> Check {
        self.arg_is_what(i, holds, || what.into())
    }

    fn arg_is_what(&self, i: usize, holds: impl Fn(Ty) -> bool, what: impl Fn() -> String) -> Check {
        let ty = self.arg(i);
        if holds(ty) {
            Ok(())
        } else {
            Err(format!("operand {} is {}, not {}", i + 1, self.name(ty), what()))
        }
    }

    /// That the only result fulfils a condition, which `what` names.
    fn result_is(&self, holds: impl Fn(Ty) -> bool, what: &str) -> Check {
        self.result_is_what(holds, || what.into())
    }

    fn result_is_what(&self, holds: impl Fn(Ty) -> bool, what: impl Fn() -> String) -> Check {
        let ty = self.result()?;
        if holds(ty) { Ok(()) } else { Err(format!("the result is {}, not {}", self.name(ty), what())) }
    }

    fn is_bool(&self, ty: Ty) -> bool {
        *self.types.get(ty) == Type::Bool
    }

    fn is_i32(&self, ty: Ty) -> bool {
        *self.types.get(ty) == Type::Int(32)
    }

    fn is_index(&self, ty: Ty) -> bool {
        matches!(self.types.get(ty), Type::Int(16 | 32 | 64))
    }

    fn is_float_scalar(&self, ty: Ty) -> bool {
        matches!(self.types.get(ty), Type::Float(_))
    }

    /// Whether it is a scalar or a vector: a value that a register holds.
    fn is_plain(&self, ty: Ty) -> bool {
        self.types.components(ty) != 0
    }

    fn in_class(&self, class: Class, ty: Ty) -> Check {
        if class.holds(self.types, ty) {
            return Ok(());
        }
        Err(format!("computes with {}, not with {}", class.name(), self.name(ty)))
    }

    /// That the result is one bool, or as many as `ty` has components.
    fn result_bools(&self, ty: Ty) -> Check {
        let result = self.result()?;
        if self.types.is_bool(result) && self.types.components(result) == self.types.components(ty) {
            return Ok(());
        }
        Err(format!("the result is {}, not bools for {}", self.name(result), self.name(ty)))
    }

    fn same(&self, op: Op, n: u8) -> Check {
        self.count(usize::from(n))?;
        let ty = self.result()?;
        for i in 0..usize::from(n) {
            self.expect(i, ty)?;
        }
        self.in_class(class(op), ty)
    }

    fn compare(&self, op: Op) -> Check {
        self.count(2)?;
        let ty = self.arg(0);
        self.expect(1, ty)?;
        self.in_class(class(op), ty)?;
        self.result_bools(ty)
    }

    fn test(&self) -> Check {
        self.count(1)?;
        self.in_class(Class::Float, self.arg(0))?;
        self.result_bools(self.arg(0))
    }

    fn shift(&self, op: Op) -> Check {
        self.count(2)?;
        let ty = self.result()?;
        self.expect(0, ty)?;
        self.in_class(class(op), ty)?;
        let amount = self.arg(1);
        self.in_class(Class::Int, amount)?;
        if self.types.components(amount) == self.types.components(ty) {
            return Ok(());
        }
        Err(format!("the amount is {}, with other components than {}", self.name(amount), self.name(ty)))
    }

    fn convert(&self, op: Op) -> Check {
        self.count(1)?;
        let (from, to) = (self.arg(0), self.result()?);
        let types = self.types;
        let (float, int) = (|ty| types.is_float(ty), |ty| types.is_int(ty));
        let fits = match op {
            Op::FToF => float(from) && float(to),
            Op::FToS | Op::FToU => float(from) && int(to),
            Op::SToF | Op::UToF => int(from) && float(to),
            Op::FFrexpExponent => float(from) && int(to) && types.bits(to) == Some(32),
            _ => int(from) && int(to),
        };
        if fits && types.components(from) == types.components(to) && from != to {
            return Ok(());
        }
        Err(format!("does not make {} of {}", self.name(to), self.name(from)))
    }

    fn fold(&self) -> Check {
        self.count(1)?;
        self.arg_is(0, |ty| self.types.is_bool(ty), "bools")?;
        self.result_is(|ty| self.is_bool(ty), "bool")
    }

    fn dot(&self) -> Check {
        self.count(2)?;
        let ty = self.arg(0);
        self.arg_is(0, |ty| matches!(self.types.get(ty), Type::Vector(..)), "a vector")?;
        self.expect(1, ty)?;
        self.in_class(Class::Float, ty)?;
        self.result_is(|r| r == self.types.scalar(ty), "the scalar of the operands")
    }

    fn select(&self) -> Check {
        self.count(3)?;
        let ty = self.result()?;
        self.expect(1, ty)?;
        self.expect(2, ty)?;
        let condition = self.arg(0);
        let n = self.types.components(condition);
        if self.types.is_bool(condition) && (n == 1 || n == self.types.components(ty)) {
            return Ok(());
        }
        Err(format!("the condition is {}, which does not select {}", self.name(condition), self.name(ty)))
    }

    /// The operations of [`Shape::Special`], by family.
    fn special(&self, op: Op) -> Check {
        use Op::*;
        match op {
            BitInsert | BitExtractU | BitExtractS => self.bit_field(op),
            Bitcast | Construct | Extract(_) | Insert(_) | ExtractDyn | InsertDyn | Shuffle(_) => {
                self.composite(op)
            }
            Var(_) | Load | Store | Copy | Access | ArrayLength(_) | Interpolate(_) => self.memory(op),
            Atomic(..) | AtomicCompare(..) | AtomicLoad(..) | AtomicStore(..) => self.atomic(op),
            SampledImage | ImageOf | Sample(_) | Fetch | ImageRead | ImageWrite | TexelPointer
            | ImageQuery(_) => self.image(op),
            Block | If | Switch | Loop | Exit(_) | Continue(_) | Repeat(_) | Return | Terminate
            | EndHit(_) | Unreachable => self.control(op),
            Print(n) => self.prints(n),
            Call(_) | CallIndirect | TraceRay | ReportHit | ExecuteCallable => self.call(op),
            _ => self.group(op),
        }
    }
}
