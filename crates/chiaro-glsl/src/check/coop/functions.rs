//! Functions of cooperative types: each by its rule, and the steps common to them.
//!
//! Their parameters depend on each other's numbers, so they are no patterns but code.

use super::super::call::Call;
use super::super::checker::Checker;
use super::super::scope::Entity;
use crate::ast;
use crate::hir::{ExprId, ExprKind, FunctionId};
use crate::intrinsic::{CoopRule, Cooperative, Intrinsic};
use crate::ty::{CoopKind, CoopType, Length, Scalar, Ty, Type};

impl<'a> Checker<'a> {
    /// Calls a function of cooperative types.
    pub(in super::super) fn cooperative_call(&mut self, rule: CoopRule, call: &Call<'a>) -> ExprId {
        let made = match rule {
            CoopRule::Load(kind) => self.matrix_access(call, kind, true),
            CoopRule::Store(kind) => self.matrix_access(call, kind, false),
            CoopRule::MulAdd(kind) => self.multiply_add(call, kind),
            CoopRule::Transpose => self.transpose(call),
            CoopRule::Reduce => self.reduce(call),
            CoopRule::PerElement => self.per_element(call),
            CoopRule::Coordinate => self.coordinate(call),
            CoopRule::LoadTensor => self.load_tensor(call),
            CoopRule::StoreTensor => self.store_tensor(call),
            CoopRule::Create(kind) => self.create_addressing(call, kind),
            CoopRule::Set(kind, op, counted) => self.set_addressing(call, kind, op, counted),
            CoopRule::VectorLoad => self.vector_access(call, true),
            CoopRule::VectorStore => self.vector_access(call, false),
            CoopRule::VectorProduct(product) => self.vector_product(call, product),
            CoopRule::OuterProduct => self.outer_product(call),
            CoopRule::ReduceSum => self.reduce_sum(call),
        };
        made.unwrap_or_else(|| self.wrong(call.at))
    }

    /// The arguments, if there are as many as the parameters that are reported.
    pub(super) fn exactly<const N: usize>(
        &mut self,
        call: &Call<'a>,
        parameters: &str,
    ) -> Option<[ExprId; N]> {
        let args = self.arguments(call.args)?;
        match args.try_into() {
            Ok(args) => Some(args),
            Err(_) => self.expected(call, parameters),
        }
    }

    /// All arguments, if none is wrong.
    pub(super) fn arguments(&mut self, written: &'a [ast::ExprId]) -> Option<Vec<ExprId>> {
        let args: Vec<ExprId> = written.iter().map(|&arg| self.part_of(arg)).collect();
        args.iter().all(|&arg| !self.is_error(arg)).then_some(args)
    }

    /// Reports what a function takes.
    pub(super) fn expected<T>(&mut self, call: &Call<'a>, parameters: &str) -> Option<T> {
        let message = format!("`{}` takes ({parameters})", self.text(call.name));
        self.error(call.name_at, message);
        None
    }

    /// Reports what is wrong with an argument.
    pub(super) fn refuse<T>(&mut self, arg: ExprId, message: &str) -> Option<T> {
        let at = self.at(arg).at;
        self.error(at, message);
        None
    }

    /// An argument of a kind, with its elements.
    pub(super) fn of_kind(&mut self, arg: ExprId, kind: CoopKind) -> Option<(Scalar, CoopType)> {
        match self.coop_of(self.ty_of(arg)) {
            Some((scalar, coop)) if coop.kind == kind => Some((scalar, coop.clone())),
            _ => {
                let expected = match kind {
                    CoopKind::Matrix => "a `coopmat`",
                    CoopKind::MatrixNv => "a cooperative matrix of GL_NV_cooperative_matrix",
                    _ => "a `coopvecNV`",
                };
                let found = self.name_of(self.ty_of(arg));
                self.refuse(arg, &format!("{expected} is expected here, found `{found}`"))
            }
        }
    }

    /// An unsigned number. With `wide`, one of 64 bits is taken as it is.
    pub(super) fn unsigned(&mut self, arg: ExprId, wide: bool) -> Option<ExprId> {
        let wide = wide && *self.ty(self.ty_of(arg)) == Type::Scalar(Scalar::Uint64);
        if wide {
            if self.enabled.has(super::WIDE_INDICES) {
                return Some(arg);
            }
            let message = format!("an offset of 64 bits needs `#extension {} : enable`", super::WIDE_INDICES);
            return self.refuse(arg, &message);
        }
        let uint = self.known.uint;
        let made = self.coerce(arg, uint, "wrong type of argument");
        (!self.is_error(made)).then_some(made)
    }

    /// A number that is known, or follows specialisation.
    pub(super) fn fixed(&mut self, arg: ExprId, what: &str) -> Option<ExprId> {
        let shape = self.numeric(self.ty_of(arg)).filter(|shape| shape.is_scalar());
        let integer = shape.is_some_and(|shape| super::is_integer(shape.scalar));
        if integer && (self.bits(arg).is_some() || self.is_spec(arg)) {
            return Some(arg);
        }
        self.refuse(arg, &format!("{what} must be a constant integer"))
    }

    /// The function that an argument names.
    pub(super) fn callback(&mut self, written: ast::ExprId) -> Option<FunctionId> {
        let expr = &self.ast.exprs[written.0 as usize];
        let at = expr.at;
        let found = match expr.kind {
            ast::ExprKind::Name(symbol) => self.scopes.find(symbol).map(|binding| binding.entity),
            _ => None,
        };
        let Some(Entity::Functions(set)) = found else {
            self.error(at, "the name of a function is expected here");
            return None;
        };
        let &[one] = self.overloads.get(set as usize).map_or(&[][..], Vec::as_slice) else {
            self.error(at, "which of several functions is meant, nothing tells");
            return None;
        };
        let id = FunctionId(one);
        let all_in = self.functions[one as usize].params.iter().all(|p| p.passing == crate::hir::Passing::In);
        if !all_in || !self.functions[one as usize].constants.iter().all(|&constant| constant) {
            self.error(at, "the parameters of this function must all be `const in`");
            return None;
        }
        if let Some(body) = &mut self.body {
            body.calls.push((id, at));
        }
        Some(id)
    }

    /// The types of a function's parameters and result.
    pub(super) fn signature(&self, id: FunctionId) -> (Vec<Ty>, Ty) {
        let declared = &self.functions[id.0 as usize];
        (declared.params.iter().map(|param| param.ty).collect(), declared.result)
    }

    /// The call of an instruction.
    pub(super) fn cooperative(
        &mut self,
        what: Cooperative,
        args: Vec<ExprId>,
        ty: Ty,
        call: &Call<'_>,
    ) -> Option<ExprId> {
        Some(self.push(ExprKind::Intrinsic(Intrinsic::Cooperative(what), args), ty, None, call.at))
    }
}

/// Whether two numbers may be equal: specialisation may make them so.
pub(super) fn may_equal(a: Option<&Length>, b: Option<&Length>) -> bool {
    match (a, b) {
        (Some(Length::Known(a)), Some(Length::Known(b))) => a == b,
        _ => true,
    }
}
