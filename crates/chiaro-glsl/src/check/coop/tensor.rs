//! Layouts and views of tensors, and matrices that are read and written by them.
//! [GL_NV_cooperative_matrix2, GL_NV_cooperative_matrix_decode_vector]

use super::super::call::Call;
use super::super::checker::Checker;
use crate::ast;
use crate::hir::{ExprId, FunctionId};
use crate::intrinsic::Counted;
use crate::intrinsic::{Cooperative, Decoding};
use crate::ty::{CoopKind, CoopType, Length, Scalar, Ty, Type};
use spirv::Op;

/// How many elements a function may decode at once.
const AT_ONCE: [u32; 3] = [2, 4, 8];

impl<'a> Checker<'a> {
    /// `createTensorLayoutNV(2)`: the arguments are the numbers of the type.
    pub(super) fn create_addressing(&mut self, call: &Call<'a>, kind: CoopKind) -> Option<ExprId> {
        let args = self.arguments(call.args)?;
        let numbers: Option<Vec<Length>> = args.into_iter().map(|arg| self.coop_number(arg)).collect();
        let ty = self.addressing_type(kind, numbers?, call.at);
        if ty == self.known.error {
            return None;
        }
        self.cooperative(Cooperative::Create(kind), Vec::new(), ty, call)
    }

    /// `setTensorLayoutStrideNV(t, 1, 2)` and its like: a layout or view with other numbers.
    pub(super) fn set_addressing(
        &mut self,
        call: &Call<'a>,
        kind: CoopKind,
        op: Op,
        counted: Counted,
    ) -> Option<ExprId> {
        let args = self.arguments(call.args)?;
        let Some((&first, numbers)) = args.split_first() else {
            return self.expected(call, "a layout or view, numbers");
        };
        let coop = self.addressing(first, kind)?;
        let expected = match (counted, coop.known(0)) {
            (Counted::Just(count), _) => count,
            (Counted::Each(count), Some(rank)) => count * rank as usize,
            (Counted::Each(_), None) => numbers.len(),
        };
        if numbers.len() != expected {
            let message =
                format!("`{}` takes {expected} numbers here, not {}", self.text(call.name), numbers.len());
            self.error(call.name_at, message);
            return None;
        }
        let ty = self.ty_of(first);
        let mut passed = vec![first];
        for &number in numbers {
            passed.push(self.unsigned(number, false)?);
        }
        self.cooperative(Cooperative::Set(op), passed, ty, call)
    }

    fn addressing(&mut self, arg: ExprId, kind: CoopKind) -> Option<CoopType> {
        if let Type::Addressing(id) = *self.ty(self.ty_of(arg)) {
            let coop = self.types.coop(id);
            if coop.kind == kind {
                return Some(coop.clone());
            }
        }
        let word = if kind == CoopKind::Layout { "tensorLayoutNV" } else { "tensorViewNV" };
        self.refuse(arg, &format!("a `{word}` is expected here"))
    }

    /// `coopMatLoadTensorNV(m, buffer, element, layout, view, decode, decode several)`: the last
    /// three if need be.
    pub(super) fn load_tensor(&mut self, call: &Call<'a>) -> Option<ExprId> {
        let &[matrix, buffer, element, layout, ref rest @ ..] = call.args else {
            return self.expected(call, "matrix, array in a buffer, element, layout");
        };
        let mut args = self.arguments(&call.args[..4])?;
        debug_assert_eq!([matrix, buffer, element, layout].len(), args.len());
        let (scalar, _) = self.of_kind(args[0], CoopKind::Matrix)?;
        self.memory(args[1], true)?;
        args[2] = self.unsigned(args[2], true)?;
        self.addressing(args[3], CoopKind::Layout)?;
        let rank = self.dimensions(args[3]);
        let mut rest = rest;
        if let Some((&view, others)) = rest.split_first()
            && !self.names_function(view)
        {
            let view = self.expr(view);
            if self.is_error(view) {
                return None;
            }
            self.addressing(view, CoopKind::View)?;
            args.push(view);
            rest = others;
        }
        let decoding = self.decoding(rest, scalar, rank, call)?;
        self.read_or_written(args[0], true)?;
        let void = self.known.void;
        self.cooperative(Cooperative::LoadTensor(decoding), args, void, call)
    }

    /// `coopMatStoreTensorNV(m, buffer, element, layout, view)`
    pub(super) fn store_tensor(&mut self, call: &Call<'a>) -> Option<ExprId> {
        let mut args = self.arguments(call.args)?;
        let (&[matrix, buffer, element, layout] | &[matrix, buffer, element, layout, _]) = args.as_slice()
        else {
            return self.expected(call, "matrix, array in a buffer, element, layout, view");
        };
        self.of_kind(matrix, CoopKind::Matrix)?;
        self.memory(buffer, false)?;
        args[2] = self.unsigned(element, true)?;
        self.addressing(layout, CoopKind::Layout)?;
        if let Some(&view) = args.get(4) {
            self.addressing(view, CoopKind::View)?;
        }
        self.must_be_readable(matrix);
        let void = self.known.void;
        self.cooperative(Cooperative::StoreTensor, args, void, call)
    }

    fn dimensions(&self, layout: ExprId) -> Option<u32> {
        match *self.ty(self.ty_of(layout)) {
            Type::Addressing(id) => self.types.coop(id).known(0),
            _ => None,
        }
    }

    fn names_function(&self, written: ast::ExprId) -> bool {
        let ast::ExprKind::Name(symbol) = self.ast.exprs[written.0 as usize].kind else { return false };
        let entity = self.scopes.find(symbol).map(|binding| binding.entity);
        matches!(entity, Some(super::super::scope::Entity::Functions(_)))
    }

    /// The functions that make elements of what memory holds: of one, and perhaps of several.
    fn decoding(
        &mut self,
        names: &[ast::ExprId],
        scalar: Scalar,
        rank: Option<u32>,
        call: &Call<'a>,
    ) -> Option<Decoding> {
        let several = self.enabled.has("GL_NV_cooperative_matrix_decode_vector");
        let (one, more) = match *names {
            [] => (None, None),
            [one] => (Some(self.callback(one)?), None),
            [one, more] if several => (Some(self.callback(one)?), Some(self.callback(more)?)),
            _ => return self.expected(call, "matrix, array in a buffer, element, layout, view, function"),
        };
        let element = self.types.intern(Type::Scalar(scalar));
        for function in [one, more].into_iter().flatten() {
            self.check_decoder(function, rank, call)?;
        }
        let one_result = one.map(|function| self.signature(function).1);
        if one_result.is_some_and(|result| result != element) {
            self.error(call.at, "the function must return an element of the matrix");
            return None;
        }
        let more_result = more.map(|function| self.signature(function).1);
        if more_result.is_some_and(|result| !self.is_row_of(result, scalar)) {
            self.error(call.at, "the second function must return 2, 4 or 8 elements of the matrix");
            return None;
        }
        Some(Decoding { one, several: more })
    }

    fn is_row_of(&self, ty: Ty, scalar: Scalar) -> bool {
        matches!(*self.ty(ty), Type::Vector(of, count) if of == scalar && AT_ONCE.contains(&count.into()))
    }

    /// An address, and coordinates of the block and within it.
    fn check_decoder(&mut self, function: FunctionId, rank: Option<u32>, call: &Call<'a>) -> Option<()> {
        let (params, _) = self.signature(function);
        let is_coordinates = |ty: &Ty| match *self.ty(*ty) {
            Type::Array(element, Length::Known(count)) => {
                self.is_uint(element) && rank.is_none_or(|rank| rank == count)
            }
            _ => false,
        };
        let fits = match params.as_slice() {
            [address, block, within] => {
                matches!(self.ty(*address), Type::Reference(_))
                    && is_coordinates(block)
                    && is_coordinates(within)
            }
            _ => false,
        };
        if fits {
            return Some(());
        }
        let message = "the function must take an address and two arrays of `uint`, a coordinate each";
        self.error(call.at, message);
        None
    }
}
