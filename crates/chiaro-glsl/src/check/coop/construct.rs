//! Constructors of cooperative and open types, and of what is made from them.

use super::super::checker::Checker;
use crate::hir::{ExprId, ExprKind};
use crate::intrinsic::{Cooperative, Intrinsic};
use crate::numeric::Num;
use crate::token::At;
use crate::ty::{CoopId, CoopKind, CoopType, Length, Scalar, Ty, Type, usage};

/// Extensions whose matrices become matrices of another use.
const CONVERTING: &[&str] = &["GL_NV_cooperative_matrix2", "GL_EXT_cooperative_matrix_maintenance1"];

impl Checker<'_> {
    /// `coopmat<...>(x)`, `coopvecNV<...>(a, b)`
    pub(in super::super) fn construct_coop(
        &mut self,
        ty: Ty,
        scalar: Scalar,
        id: CoopId,
        parts: Vec<ExprId>,
        at: At,
    ) -> ExprId {
        let vector = self.types.coop(id).is_vector();
        for &part in &parts {
            let from = self.numeric(self.ty_of(part)).map(|shape| shape.scalar);
            match from {
                Some(from) if self.must_be_convertible(part, from, scalar) => {}
                Some(_) => return self.wrong(at),
                None => return self.no_constructor(ty, part, at),
            }
        }
        match parts.as_slice() {
            [] => {
                let name = self.name_of(ty);
                self.error(at, format!("`{name}()` needs a value"));
                self.wrong(at)
            }
            &[part] => self.coop_from_one(part, ty, scalar, id, at),
            _ if vector => self.vector_from_many(parts, ty, scalar, id, at),
            _ => {
                let message =
                    format!("`{}` is made of one value, {} are given", self.name_of(ty), parts.len());
                self.error(at, message);
                self.wrong(at)
            }
        }
    }

    fn no_constructor(&mut self, ty: Ty, part: ExprId, at: At) -> ExprId {
        let (name, found) = (self.name_of(ty), self.name_of(self.ty_of(part)));
        self.error(at, format!("`{name}` cannot be made from `{found}`"));
        self.wrong(at)
    }

    fn coop_from_one(&mut self, part: ExprId, ty: Ty, scalar: Scalar, id: CoopId, at: At) -> ExprId {
        let Some(from) = self.numeric(self.ty_of(part)) else { return self.wrong(at) };
        let precision = self.at(part).precision;
        if from.is_scalar() {
            let part = self.convert_scalars(part, Num { scalar, ..from });
            let bits = self.bits(part).filter(|bits| bits.len() == 1).map(Box::from);
            let kind = bits.map_or_else(|| ExprKind::Construct(vec![part]), ExprKind::Constant);
            return self.push(kind, ty, precision, at);
        }
        if from.is_coop() && from.rows == id.0 {
            return self.convert_scalars(part, Num { scalar, ..from });
        }
        let same_count = self.components_of(self.ty_of(part)) == self.types.coop(id).components();
        if self.types.coop(id).is_vector() {
            if !same_count || self.components_of(ty).is_none() {
                return self.no_constructor(ty, part, at);
            }
            let part = self.convert_scalars(part, Num { scalar, ..from });
            return self.push(ExprKind::Construct(vec![part]), ty, precision, at);
        }
        if !from.is_coop() || !self.changes_use(CoopId(from.rows), id) {
            return self.no_constructor(ty, part, at);
        }
        let what = Intrinsic::Cooperative(Cooperative::Convert);
        self.push(ExprKind::Intrinsic(what, vec![part]), ty, precision, at)
    }

    /// Whether matrices differ in nothing but their use, and an extension lets one become the
    /// other: accumulators become factors, and with the second extension all become all.
    fn changes_use(&self, from: CoopId, to: CoopId) -> bool {
        let (from, to) = (self.types.coop(from), self.types.coop(to));
        let matrices = from.kind == CoopKind::Matrix && to.kind == CoopKind::Matrix;
        let same = |a: Option<&Length>, b: Option<&Length>| {
            a == b || matches!((a, b), (Some(Length::Spec(..)), _) | (_, Some(Length::Spec(..))))
        };
        matrices
            && (0..3).all(|n| same(from.numbers.get(n), to.numbers.get(n)))
            && self.enabled.any(CONVERTING)
            && (from.known(3) == Some(usage::ACCUMULATOR)
                || self.enabled.has("GL_EXT_cooperative_matrix_maintenance1"))
    }

    /// How many components a vector of any kind has, if that is known; 1 for scalars.
    pub(super) fn components_of(&self, ty: Ty) -> Option<u32> {
        match *self.ty(ty) {
            Type::Scalar(_) => Some(1),
            Type::Vector(_, rows) => Some(rows.into()),
            Type::Coop(_, id) => self.types.coop(id).components(),
            _ => None,
        }
    }

    /// A vector of its parts one after another. Where its number is specialised, the parts are
    /// taken at their word.
    fn vector_from_many(&mut self, parts: Vec<ExprId>, ty: Ty, scalar: Scalar, id: CoopId, at: At) -> ExprId {
        let mut given = 0u32;
        for &part in &parts {
            match self.components_of(self.ty_of(part)) {
                Some(count) => given = given.saturating_add(count),
                None => return self.no_constructor(ty, part, at),
            }
        }
        let needed = match self.types.coop(id).numbers.first() {
            Some(&(Length::Known(n) | Length::Spec(_, n))) => n,
            _ => given,
        };
        let last = parts.last().and_then(|&part| self.components_of(self.ty_of(part))).unwrap_or(0);
        if given < needed || given - last >= needed {
            let message = format!("`{}` has {needed} components, {given} are given", self.name_of(ty));
            self.error(at, message);
            return self.wrong(at);
        }
        let precision = self.highest(&parts);
        let parts = parts.into_iter().map(|part| self.with_scalar(part, scalar)).collect();
        self.push(ExprKind::Construct(parts), ty, precision, at)
    }

    fn with_scalar(&mut self, part: ExprId, scalar: Scalar) -> ExprId {
        match self.numeric(self.ty_of(part)) {
            Some(shape) => self.convert_scalars(part, Num { scalar, ..shape }),
            None => part,
        }
    }

    /// A vector or scalar of the language's own from a cooperative one: of as many components.
    pub(in super::super) fn construct_from_coop(&mut self, part: ExprId, ty: Ty, at: At) -> ExprId {
        let Some(shape) = self.numeric(ty).filter(|shape| !shape.is_matrix()) else {
            return self.no_constructor(ty, part, at);
        };
        let count = self.components_of(self.ty_of(part));
        if count.is_none() || count != self.components_of(ty) {
            return self.no_constructor(ty, part, at);
        }
        let part = self.with_scalar(part, shape.scalar);
        let precision = self.at(part).precision;
        self.push(ExprKind::Construct(vec![part]), ty, precision, at)
    }

    /// `m.length()`: what an invocation holds of a matrix, the components of a vector.
    pub(in super::super) fn coop_length(&mut self, base: ExprId, coop: &CoopType, at: At) -> ExprId {
        let int = self.known.int;
        match (coop.is_vector(), coop.numbers.first()) {
            (true, Some(&Length::Known(n))) => self.constant([u64::from(n)], int, at),
            (true, Some(&Length::Spec(n, _))) => {
                let spec = crate::hir::SpecId(n);
                let ty = self.specs.get(n as usize).map_or(int, |spec| spec.ty);
                let count = self.push(ExprKind::Spec(spec), ty, None, at);
                self.convert_scalars(count, Num { scalar: Scalar::Int, columns: 1, rows: 1 })
            }
            _ => {
                let length = match coop.kind {
                    CoopKind::MatrixNv => Cooperative::FixedLength,
                    _ => Cooperative::Length,
                };
                let what = Intrinsic::Cooperative(length);
                self.push(ExprKind::Intrinsic(what, vec![base]), int, None, at)
            }
        }
    }
}
