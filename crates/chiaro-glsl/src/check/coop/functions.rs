//! Functions of cooperative types: which there are, and the steps common to them.
//!
//! Their parameters depend on each other's numbers, so they are no rows of patterns but code. They
//! are looked for only where the source has named a cooperative type.

use super::super::checker::Checker;
use super::super::scope::Entity;
use crate::ast;
use crate::hir::{ExprId, ExprKind, FunctionId};
use crate::intrinsic::{Cooperative, Intrinsic, Product};
use crate::token::{At, Symbol};
use crate::ty::{CoopKind, CoopType, Length, Scalar, Ty, Type};
use spirv::Op;

/// What is to be checked of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    /// `(out m, buffer, element, stride, layout)`
    Load(CoopKind),
    /// `(m, buffer, element, stride, layout)`
    Store(CoopKind),
    MulAdd(CoopKind),
    Transpose,
    Reduce,
    PerElement,
    Coordinate,
    LoadTensor,
    StoreTensor,
    /// `createTensorLayoutNV` and its like.
    Create(CoopKind),
    /// `setTensorLayoutStrideNV` and its like: numbers for each dimension, or so many.
    Set(CoopKind, Op, Counted),
    VectorLoad,
    VectorStore,
    VectorProduct(Product),
    OuterProduct,
    ReduceSum,
}

/// How many numbers follow.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counted {
    /// So many for each dimension.
    Each(usize),
    /// So many.
    Just(usize),
}

/// A function.
struct Row {
    name: &'static str,
    extensions: &'static [&'static str],
    rule: Rule,
}

const fn row(name: &'static str, extensions: &'static [&'static str], rule: Rule) -> Row {
    Row { name, extensions, rule }
}

const KHR: &[&str] = &["GL_KHR_cooperative_matrix"];
const NV: &[&str] = &["GL_NV_cooperative_matrix"];
const NV2: &[&str] = &["GL_NV_cooperative_matrix2"];
const EXT: &[&str] = &["GL_EXT_cooperative_matrix_maintenance1"];
const VECTORS: &[&str] = &["GL_NV_cooperative_vector"];

static ROWS: &[Row] = &[
    row("coopMatLoad", KHR, Rule::Load(CoopKind::Matrix)),
    row("coopMatStore", KHR, Rule::Store(CoopKind::Matrix)),
    row("coopMatMulAdd", KHR, Rule::MulAdd(CoopKind::Matrix)),
    row("coopMatLoadNV", NV, Rule::Load(CoopKind::MatrixNv)),
    row("coopMatStoreNV", NV, Rule::Store(CoopKind::MatrixNv)),
    row("coopMatMulAddNV", NV, Rule::MulAdd(CoopKind::MatrixNv)),
    row("coopMatTransposeNV", NV2, Rule::Transpose),
    row("coopMatTransposeEXT", EXT, Rule::Transpose),
    row("coopMatReduceNV", NV2, Rule::Reduce),
    row("coopMatReduceEXT", EXT, Rule::Reduce),
    row("coopMatPerElementNV", NV2, Rule::PerElement),
    row("coopMatPerElementEXT", EXT, Rule::PerElement),
    row("coopMatGetCoordinateEXT", EXT, Rule::Coordinate),
    row("coopMatLoadTensorNV", NV2, Rule::LoadTensor),
    row("coopMatStoreTensorNV", NV2, Rule::StoreTensor),
    row("createTensorLayoutNV", NV2, Rule::Create(CoopKind::Layout)),
    row("createTensorViewNV", NV2, Rule::Create(CoopKind::View)),
    row("setTensorLayoutBlockSizeNV", NV2, layout(Op::TensorLayoutSetBlockSizeNV, Counted::Each(1))),
    row("setTensorLayoutDimensionNV", NV2, layout(Op::TensorLayoutSetDimensionNV, Counted::Each(1))),
    row("setTensorLayoutStrideNV", NV2, layout(Op::TensorLayoutSetStrideNV, Counted::Each(1))),
    row("sliceTensorLayoutNV", NV2, layout(Op::TensorLayoutSliceNV, Counted::Each(2))),
    row("setTensorLayoutClampValueNV", NV2, layout(Op::TensorLayoutSetClampValueNV, Counted::Just(1))),
    row("setTensorViewDimensionsNV", NV2, view(Op::TensorViewSetDimensionNV, Counted::Each(1))),
    row("setTensorViewStrideNV", NV2, view(Op::TensorViewSetStrideNV, Counted::Each(1))),
    row("setTensorViewClipNV", NV2, view(Op::TensorViewSetClipNV, Counted::Just(4))),
    row("coopVecLoadNV", VECTORS, Rule::VectorLoad),
    row("coopVecStoreNV", VECTORS, Rule::VectorStore),
    row("coopVecMatMulNV", VECTORS, Rule::VectorProduct(Product::Mul)),
    row("coopVecMatMulAddNV", VECTORS, Rule::VectorProduct(Product::MulAdd)),
    row("coopVecOuterProductAccumulateNV", VECTORS, Rule::OuterProduct),
    row("coopVecReduceSumAccumulateNV", VECTORS, Rule::ReduceSum),
];

const fn layout(op: Op, counted: Counted) -> Rule {
    Rule::Set(CoopKind::Layout, op, counted)
}

const fn view(op: Op, counted: Counted) -> Rule {
    Rule::Set(CoopKind::View, op, counted)
}

/// A call that is being checked.
pub(super) struct Call<'a> {
    pub(super) name: &'static str,
    /// The arguments as they are written.
    pub(super) written: &'a [ast::ExprId],
    pub(super) name_at: At,
    pub(super) at: At,
}

impl<'a> Checker<'a> {
    /// Calls a function of cooperative types, if the name is one's.
    pub(in super::super) fn cooperative_call(
        &mut self,
        name: Symbol,
        name_at: At,
        written: &'a [ast::ExprId],
        at: At,
    ) -> Option<ExprId> {
        let text = self.text(name);
        let row = ROWS.iter().find(|row| row.name == text && self.enabled.any(row.extensions))?;
        let call = Call { name: row.name, written, name_at, at };
        let made = match row.rule {
            Rule::Load(kind) => self.matrix_access(&call, kind, true),
            Rule::Store(kind) => self.matrix_access(&call, kind, false),
            Rule::MulAdd(kind) => self.multiply_add(&call, kind),
            Rule::Transpose => self.transpose(&call),
            Rule::Reduce => self.reduce(&call),
            Rule::PerElement => self.per_element(&call),
            Rule::Coordinate => self.coordinate(&call),
            Rule::LoadTensor => self.load_tensor(&call),
            Rule::StoreTensor => self.store_tensor(&call),
            Rule::Create(kind) => self.create_addressing(&call, kind),
            Rule::Set(kind, op, counted) => self.set_addressing(&call, kind, op, counted),
            Rule::VectorLoad => self.vector_access(&call, true),
            Rule::VectorStore => self.vector_access(&call, false),
            Rule::VectorProduct(product) => self.vector_product(&call, product),
            Rule::OuterProduct => self.outer_product(&call),
            Rule::ReduceSum => self.reduce_sum(&call),
        };
        Some(made.unwrap_or_else(|| self.wrong(at)))
    }

    /// The arguments, if there are as many as the parameters that are told.
    pub(super) fn exactly<const N: usize>(
        &mut self,
        call: &Call<'a>,
        parameters: &str,
    ) -> Option<[ExprId; N]> {
        let args = self.arguments(call.written)?;
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

    /// Tells what a function takes.
    pub(super) fn expected<T>(&mut self, call: &Call<'a>, parameters: &str) -> Option<T> {
        self.error(call.name_at, format!("`{}` takes ({parameters})", call.name));
        None
    }

    /// Tells what is wrong with an argument.
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
