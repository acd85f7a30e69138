//! Conversions from scalar type to scalar type, component by component.

use chiaro_words::write::Id;
use spirv::Op;

use crate::ty::{Family, Scalar, Type};

use super::arith::Typed;
use super::emitter::Emitter;
use crate::numeric::Num;

impl Emitter<'_> {
    /// A value as a type of the same shape.
    pub(super) fn convert(&mut self, a: Typed, to: &Type) -> Id {
        if matches!(a.ty, Type::Reference(_)) || matches!(to, Type::Reference(_)) {
            return self.convert_address(a, to);
        }
        let (Some(from), Some(to)) = (Num::of(&a.ty), Num::of(to)) else { return a.id };
        if from.scalar == to.scalar {
            return a.id;
        }
        if from.is_matrix() {
            let to = from.with(to.scalar);
            return self.by_columns_of(from, to, a.id);
        }
        self.convert_components(a.id, from, to.scalar)
    }

    fn by_columns_of(&mut self, from: Num, to: Num, matrix: Id) -> Id {
        let column_ty = self.num_ty(from.column());
        let columns: Vec<Id> = (0..u32::from(from.columns))
            .map(|i| {
                let column = self.op(Op::CompositeExtract, column_ty, &[matrix, i]);
                self.convert_components(column, from.column(), to.scalar)
            })
            .collect();
        let ty = self.num_ty(to);
        self.op(Op::CompositeConstruct, ty, &columns)
    }

    pub(super) fn convert_components(&mut self, id: Id, from: Num, to: Scalar) -> Id {
        let result = from.with(to);
        let ty = self.num_ty(result);
        let op = match (from.scalar.family(), to.family()) {
            (Family::Bool, Family::Bool) => return id,
            (Family::Bool, _) => {
                let (one, zero) = (self.number(result, 1), self.number(result, 0));
                return self.op(Op::Select, ty, &[id, one, zero]);
            }
            (family, Family::Bool) => {
                let zero = self.number(from, 0);
                let op = if family == Family::Float { Op::FUnordNotEqual } else { Op::INotEqual };
                return self.op(op, ty, &[id, zero]);
            }
            (Family::Float, Family::Float) => Op::FConvert,
            (Family::Float, Family::Signed) => Op::ConvertFToS,
            (Family::Float, Family::Unsigned) => Op::ConvertFToU,
            (Family::Signed, Family::Float) => Op::ConvertSToF,
            (Family::Unsigned, Family::Float) => Op::ConvertUToF,
            (from_family, _) => return self.convert_integer(id, from, to, from_family),
        };
        self.op(op, ty, &[id])
    }

    /// Widens by the sign of what it comes from, then takes the bits as they are.
    fn convert_integer(&mut self, id: Id, from: Num, to: Scalar, family: Family) -> Id {
        let ty = self.num_ty(from.with(to));
        if from.scalar.bits() == to.bits() {
            return self.op(Op::Bitcast, ty, &[id]);
        }
        if family == to.family() {
            let op = if family == Family::Signed { Op::SConvert } else { Op::UConvert };
            return self.op(op, ty, &[id]);
        }
        let between = same_sign(from.scalar, to.bits());
        let between_ty = self.num_ty(from.with(between));
        let op = if family == Family::Signed { Op::SConvert } else { Op::UConvert };
        let wide = self.op(op, between_ty, &[id]);
        self.op(Op::Bitcast, ty, &[wide])
    }
}

/// The integer of another width with the same signedness.
pub(super) fn same_sign(scalar: Scalar, bits: u32) -> Scalar {
    match (scalar.family() == Family::Signed, bits) {
        (true, 8) => Scalar::Int8,
        (true, 16) => Scalar::Int16,
        (true, 64) => Scalar::Int64,
        (true, _) => Scalar::Int,
        (false, 8) => Scalar::Uint8,
        (false, 16) => Scalar::Uint16,
        (false, 64) => Scalar::Uint64,
        (false, _) => Scalar::Uint,
    }
}
