//! Variables, pointers, accesses and atomic operations.

use super::{Check, Class, Typing};
use crate::function::{Def, Function};
use crate::id::Value;
use crate::module::Module;
use crate::op::{Combine, Op, Taken};
use crate::ty::{Space, Ty, Type, Types};

/// Spaces that hold variables of one invocation.
fn has_variables(space: Space) -> bool {
    use Space::*;
    matches!(space, Function | Private | Payload | HitAttribute | CallableData)
}

/// Spaces that a shader may write with a store.
fn is_writable(space: Space) -> bool {
    use Space::*;
    !matches!(space, Input | UniformConstant | Uniform | PushConstant | Image | ShaderRecord)
}

/// Spaces with atomic operations.
fn has_atomics(space: Space) -> bool {
    matches!(space, Space::Workgroup | Space::Storage | Space::Device | Space::Image)
}

/// Whether a place of the type can be loaded and stored as a whole.
fn is_value(types: &Types, ty: Ty) -> bool {
    match types.get(ty) {
        Type::Void | Type::RuntimeArray(..) | Type::Function(..) => false,
        Type::Struct(_, members) => {
            members.last().is_none_or(|last| !matches!(types.get(last.ty), Type::RuntimeArray(..)))
        }
        _ => true,
    }
}

/// Scalars that a combination takes.
pub(super) fn combine_class(combine: Combine) -> Class {
    match combine {
        Combine::FAdd | Combine::FMul | Combine::FMin | Combine::FMax => Class::Float,
        Combine::And | Combine::Or | Combine::Xor => Class::Bits,
        _ => Class::Int,
    }
}

/// The type of the part that an index chooses; of a structure, by a constant.
pub(crate) fn part_at(module: &Module, f: &Function, ty: Ty, index: Value) -> Option<Ty> {
    let Type::Struct(_, members) = module.types.get(ty) else { return module.types.part(ty, 0) };
    let Def::Constant(c) = f.def(index) else { return None };
    let n = module.constants.bits(c).and_then(|n| usize::try_from(n).ok())?;
    members.get(n).map(|member| member.ty)
}

impl Typing<'_> {
    /// What operand `i`, a pointer, points to, and where.
    pub(super) fn place(&self, i: usize) -> Result<(Space, Ty), String> {
        let ty = self.arg(i);
        let place = self.types.pointee(ty);
        place.ok_or_else(|| format!("operand {} is {}, not a pointer", i + 1, self.name(ty)))
    }

    /// As [`place`](Self::place), for an access of the whole place.
    fn whole_place(&self, i: usize, writes: bool) -> Result<Ty, String> {
        let (space, ty) = self.place(i)?;
        if writes && !is_writable(space) {
            return Err(format!("nothing is stored in the space `{}`", space.name()));
        }
        if space == Space::Image || !is_value(self.types, ty) {
            return Err(format!("{} is not loaded or stored as a whole", self.name(self.arg(i))));
        }
        Ok(ty)
    }

    pub(super) fn memory(&self, op: Op) -> Check {
        match op {
            Op::Var(space) => self.variable(space),
            Op::Load => self.load(),
            Op::Store => self.store(),
            Op::Copy => self.copy(),
            Op::Access => self.access(),
            Op::ArrayLength(n) => self.array_length(n),
            Op::Interpolate(taken) => self.interpolate(taken),
            _ => Ok(()),
        }
    }

    fn variable(&self, space: Space) -> Check {
        self.count_between(0, 1)?;
        let result = self.result()?;
        let Some((place, ty)) = self.types.pointee(result).filter(|(place, _)| *place == space) else {
            return Err(format!("the result is {}, not a pointer to `{}`", self.name(result), space.name()));
        };
        if !has_variables(place) {
            return Err(format!("functions have no variables in the space `{}`", place.name()));
        }
        if self.args.is_empty() { Ok(()) } else { self.expect(0, ty) }
    }

    fn load(&self) -> Check {
        self.count(1)?;
        let ty = self.whole_place(0, false)?;
        self.result_is(|result| self.types.same_but_layout(result, ty), "what the pointer points to")
    }

    /// Only inputs vary over a pixel, and of those only floats.
    fn interpolate(&self, taken: Taken) -> Check {
        self.count(if taken == Taken::Centroid { 1 } else { 2 })?;
        let (space, ty) = self.place(0)?;
        if space != Space::Input || !matches!(self.types.get(self.types.scalar(ty)), Type::Float(_)) {
            return Err(format!("{} is no input of floats", self.name(self.arg(0))));
        }
        match taken {
            Taken::Centroid => {}
            Taken::Sample => self.arg_is(1, |n| self.is_i32(n), "i32")?,
            Taken::Offset => self.arg_is(1, |offset| self.is_offset(offset), "2 floats")?,
        }
        self.result_is(|result| result == ty, "what the pointer points to")
    }

    fn is_offset(&self, ty: Ty) -> bool {
        self.types.components(ty) == 2 && matches!(self.types.get(self.types.scalar(ty)), Type::Float(_))
    }

    fn store(&self) -> Check {
        self.no_result()?;
        self.count(2)?;
        let ty = self.whole_place(0, true)?;
        let fits = |value| self.types.same_but_layout(value, ty);
        self.arg_is_what(1, fits, || format!("{} or the same in another layout", self.name(ty)))
    }

    fn copy(&self) -> Check {
        self.no_result()?;
        self.count(2)?;
        if self.whole_place(0, true)? == self.whole_place(1, false)? {
            return Ok(());
        }
        Err(format!("{} and {} hold different types", self.name(self.arg(0)), self.name(self.arg(1))))
    }

    fn access(&self) -> Check {
        self.count_between(2, usize::MAX)?;
        let (space, mut ty) = self.place(0)?;
        for i in 1..self.args.len() {
            self.arg_is(i, |ty| self.is_index(ty), "an integer")?;
            ty = self.step(ty, i)?;
        }
        let fits = |result| self.types.pointee(result) == Some((space, ty));
        self.result_is_what(fits, || format!("a pointer to {} in `{}`", self.name(ty), space.name()))
    }

    /// The part of a place that index operand `i` reaches.
    fn step(&self, ty: Ty, i: usize) -> Result<Ty, String> {
        let part = part_at(self.module, self.f, ty, self.args[i]);
        part.ok_or_else(|| format!("operand {} chooses no part of {}", i + 1, self.name(ty)))
    }

    fn array_length(&self, n: u32) -> Check {
        self.count(1)?;
        let (_, ty) = self.place(0)?;
        let member = match self.types.get(ty) {
            Type::Struct(..) => self.types.part(ty, n),
            _ => None,
        };
        if !member.is_some_and(|m| matches!(self.types.get(m), Type::RuntimeArray(..))) {
            return Err(format!("member {n} of {} is no runtime array", self.name(ty)));
        }
        self.result_is(|ty| self.is_i32(ty), "i32")
    }

    pub(super) fn atomic(&self, op: Op) -> Check {
        let operands = match op {
            Op::AtomicLoad(..) => 1,
            Op::AtomicCompare(..) => 3,
            _ => 2,
        };
        self.count(operands)?;
        let (space, ty) = self.place(0)?;
        if !has_atomics(space) {
            return Err(format!("there are no atomics in the space `{}`", space.name()));
        }
        for i in 1..operands {
            self.expect(i, ty)?;
        }
        self.atomic_class(op, ty)?;
        match op {
            Op::AtomicStore(..) => self.no_result(),
            _ => self.result_is(|result| result == ty, "what the pointer points to"),
        }
    }

    fn atomic_class(&self, op: Op, ty: Ty) -> Check {
        let class = match op {
            Op::Atomic(combine, ..) if combine != Combine::Exchange => Some(combine_class(combine)),
            _ => None,
        };
        // Half floats come in pairs (as a vector); every other place is one scalar.
        let pair = *self.types.get(self.types.scalar(ty)) == Type::Float(16);
        if !pair && self.types.components(ty) != 1 || self.types.is_bool(ty) {
            return Err(format!("{} is not changed in one step", self.name(ty)));
        }
        class.map_or(Ok(()), |class| self.in_class(class, ty))
    }
}
