//! Values that follow specialisation constants: integers and bools made of them are such
//! constants themselves, so that a host that sets the one sets the other.

use super::checker::Checker;
use super::state::is_integer;
use crate::hir::{self, ExprId, ExprKind, SpecId, Unary};
use crate::intrinsic::{Cooperative, Intrinsic};
use crate::token::{At, Symbol};
use crate::ty::Scalar;

/// Expressions within each other that are followed.
const DEEPEST: u32 = 64;

impl Checker<'_> {
    /// Makes a specialisation constant of a value that follows others; `None` where SPIR-V has
    /// none such, as for floats.
    pub(super) fn specialised(&mut self, value: ExprId, name: Symbol, at: At) -> Option<SpecId> {
        if let ExprKind::Spec(id) = self.at(value).kind {
            return Some(id);
        }
        if self.bits(value).is_some() || !self.can_specialise(value, DEEPEST) {
            return None;
        }
        let default = self.default_bits(value, DEEPEST)?;
        let id = SpecId(self.specs.len() as u32);
        self.specs.push(hir::Spec { name, id: None, value: Some(value), ty: self.ty_of(value), default, at });
        Some(id)
    }

    /// Whether an expression is one that `OpSpecConstantOp` can compute. [SPIR-V 1.6, 3.52.7]
    fn can_specialise(&self, id: ExprId, deepest: u32) -> bool {
        let Some(deepest) = deepest.checked_sub(1) else { return false };
        let number = self.numeric(self.ty_of(id)).filter(|shape| shape.is_scalar());
        let takes = |scalar| scalar == Scalar::Bool || is_integer(scalar);
        if !number.is_some_and(|shape| takes(shape.scalar)) {
            return false;
        }
        let inner = |id: &ExprId| self.can_specialise(*id, deepest);
        match &self.at(id).kind {
            ExprKind::Constant(_) | ExprKind::Spec(_) => true,
            ExprKind::Unary(_, a) => inner(a),
            // Another width takes SPIR-V 1.4.
            ExprKind::Convert(a) => {
                let from = self.numeric(self.ty_of(*a)).map(|shape| shape.scalar);
                let width = |scalar: Option<Scalar>| scalar.map(Scalar::bits);
                let bool = [from, number.map(|shape| shape.scalar)].contains(&Some(Scalar::Bool));
                (bool || width(from) == width(number.map(|shape| shape.scalar))) && inner(a)
            }
            ExprKind::Binary(_, a, b) | ExprKind::Logical(_, a, b) => inner(a) && inner(b),
            ExprKind::Ternary(a, b, c) => inner(a) && inner(b) && inner(c),
            ExprKind::Intrinsic(Intrinsic::Cooperative(Cooperative::FixedLength), _) => true,
            _ => false,
        }
    }

    /// The value of an integer or bool with specialisation constants at their defaults; `None`
    /// where it is nested deeper than allowed.
    pub(super) fn default_bits(&self, id: ExprId, deepest: u32) -> Option<u64> {
        let deepest = deepest.checked_sub(1)?;
        if let Some(bits) = self.bits(id) {
            return bits.first().copied();
        }
        if !self.is_spec(id) {
            return None;
        }
        let scalar = self.numeric(self.ty_of(id))?.scalar;
        let inner = |id: &ExprId| self.default_bits(*id, deepest);
        match &self.at(id).kind {
            ExprKind::Spec(spec) => self.specs.get(spec.0 as usize).map(|spec| spec.default),
            ExprKind::Convert(a) => {
                let from = self.numeric(self.ty_of(*a))?.scalar;
                Some(super::fold::convert(inner(a)?, from, scalar))
            }
            ExprKind::Unary(op, a) => {
                let bits = inner(a)?;
                match (op, scalar) {
                    (Unary::Not, _) => Some(u64::from(bits == 0)),
                    _ => super::fold::unary(*op, scalar, bits),
                }
            }
            ExprKind::Binary(op, left, right) => {
                let left_scalar = self.numeric(self.ty_of(*left))?.scalar;
                let right_scalar = self.numeric(self.ty_of(*right))?.scalar;
                super::fold::binary(*op, left_scalar, right_scalar, inner(left)?, inner(right)?)
            }
            ExprKind::Logical(hir::Logical::And, a, b) => Some(inner(a)? & inner(b)?),
            ExprKind::Logical(hir::Logical::Or, a, b) => Some(inner(a)? | inner(b)?),
            // The device says it; one element stands for that here.
            ExprKind::Intrinsic(Intrinsic::Cooperative(Cooperative::FixedLength), _) => Some(1),
            ExprKind::Ternary(condition, yes, no) => match inner(condition)? {
                0 => inner(no),
                _ => inner(yes),
            },
            _ => None,
        }
    }
}
