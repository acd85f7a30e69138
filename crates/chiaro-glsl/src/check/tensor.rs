//! Tensors: their type, and reading, writing and asking for their size. [GL_ARM_tensors]

use super::call::Call;
use super::checker::Checker;
use super::state::is_integer;
use crate::ast::TemplateType;
use crate::hir::{ExprId, ExprKind};
use crate::intrinsic::{Intrinsic, Tensor};
use crate::small::Small;
use crate::token::At;
use crate::ty::{Length, Opaque, Scalar, Ty, Type};

/// Dimensions that a tensor has at most; no implementation has more than a few.
const MOST_RANKS: u64 = 32;
/// `gl_TensorOperandsOutOfBoundsValueARM`: a value stands for what lies outside.
const OUT_OF_BOUNDS: u64 = 2;
/// `gl_TensorOperandsNonTemporalARM` beside it.
const NON_TEMPORAL: u64 = 1;

impl Checker<'_> {
    /// `tensorARM<int, 2>`
    pub(super) fn tensor_type(&mut self, written: &TemplateType, element: Ty, at: At) -> Ty {
        let Type::Scalar(scalar) = *self.ty(element) else {
            if element != self.known.error {
                self.error(at, "the elements of a tensor are scalars");
            }
            return self.known.error;
        };
        if let Scalar::Small(small) = scalar {
            self.require_small_elements(small, at);
        }
        let [rank] = *written.args.as_slice() else {
            self.error(at, "a tensor has a type of elements and a rank: `tensorARM<float, 2>`");
            return self.known.error;
        };
        let rank = self.expr(rank);
        if self.is_error(rank) {
            return self.known.error;
        }
        let (rank_at, ty) = (self.at(rank).at, self.ty_of(rank));
        let integer = ty == self.known.int || ty == self.known.uint;
        let bits = self.bits(rank).and_then(|bits| bits.first().copied()).filter(|_| integer);
        match bits {
            Some(rank @ 1..=MOST_RANKS) => {
                self.types.intern(Type::Opaque(Opaque::Tensor { scalar, rank: rank as u8 }))
            }
            _ => {
                let message = format!("the rank of a tensor is a constant from 1 to {MOST_RANKS}");
                self.error(rank_at, message);
                self.known.error
            }
        }
    }

    /// Small floats are elements with an extension of their own, where there is one.
    fn require_small_elements(&mut self, small: Small, at: At) {
        let extension = match small {
            Small::Brain => "GL_ARM_tensors_bfloat16",
            Small::E5M2 => "GL_ARM_tensors_float_e5m2",
            Small::E4M3 => "GL_ARM_tensors_float_e4m3",
            Small::E3M2 | Small::E2M3 | Small::E2M1 | Small::MxInt8 | Small::Ue8M0 => {
                self.error(at, "the elements of a tensor cannot be of this type");
                return;
            }
        };
        if !self.enabled.has(extension) {
            let message = format!("elements of this type need `#extension {extension} : enable`");
            self.error(at, message);
        }
    }

    /// Calls a function of tensors, if the first argument is one.
    pub(super) fn tensor_call(&mut self, what: Tensor, args: &[ExprId], call: &Call<'_>) -> Option<ExprId> {
        let &first = args.first()?;
        let Type::Opaque(Opaque::Tensor { scalar, rank }) = *self.ty(self.ty_of(first)) else {
            return None;
        };
        let (name_at, at) = (call.name_at, call.at);
        let fits = match what {
            Tensor::Size => self.check_tensor_size(args, rank, name_at),
            _ => self.check_tensor_access(what, args, scalar, rank, name_at),
        };
        if !fits {
            return Some(self.wrong(at));
        }
        let ty = if what == Tensor::Size { self.known.uint } else { self.known.void };
        Some(self.push(ExprKind::Intrinsic(Intrinsic::Tensor(what), args.to_vec()), ty, None, at))
    }

    fn check_tensor_size(&mut self, args: &[ExprId], rank: u8, at: At) -> bool {
        let &[_, dimension] = args else {
            self.error(at, "`tensorSizeARM` takes a tensor and the number of a dimension");
            return false;
        };
        match self.constant_number(dimension) {
            Some(n) if n < u64::from(rank) => true,
            Some(n) => {
                let at = self.at(dimension).at;
                self.error(at, format!("the tensor has dimensions 0 to {}, not {n}", rank - 1));
                false
            }
            None => {
                let at = self.at(dimension).at;
                self.error(at, "the number of a dimension must be a constant integer");
                false
            }
        }
    }

    fn check_tensor_access(
        &mut self,
        what: Tensor,
        args: &[ExprId],
        scalar: Scalar,
        rank: u8,
        at: At,
    ) -> bool {
        let [tensor, coords, data, ref rest @ ..] = *args else {
            self.error(at, "a tensor, coordinates and data are expected");
            return false;
        };
        let mut fits = true;
        let expected = self.types.intern(Type::Scalar(Scalar::Uint));
        let is_coords = match *self.ty(self.ty_of(coords)) {
            Type::Array(element, Length::Known(n)) => element == expected && n == u32::from(rank),
            _ => false,
        };
        if !is_coords {
            let (at, found) = (self.at(coords).at, self.name_of(self.ty_of(coords)));
            self.error(at, format!("the coordinates are `uint[{rank}]`, found `{found}`"));
            fits = false;
        }
        let element = match *self.ty(self.ty_of(data)) {
            Type::Array(element, _) => element,
            _ => self.ty_of(data),
        };
        if *self.ty(element) != Type::Scalar(scalar) {
            let (at, found) = (self.at(data).at, self.name_of(element));
            let name = super::report::scalar_name(scalar);
            self.error(at, format!("the tensor has elements of `{name}`, the data is `{found}`"));
            fits = false;
        }
        let layout = self.image_layout(tensor).unwrap_or_default();
        let (denied, word) = match what {
            Tensor::Read => (layout.write_only, "`writeonly` and cannot be read"),
            _ => (layout.read_only, "`readonly` and cannot be written"),
        };
        if denied {
            self.error(at, format!("the tensor is {word}"));
            fits = false;
        }
        if what == Tensor::Read {
            fits &= self.must_be_place(data, "this is read into");
        }
        fits && self.check_tensor_operands(what, rest, scalar)
    }

    /// The flags behind the data, and the value that one of them asks for.
    fn check_tensor_operands(&mut self, what: Tensor, rest: &[ExprId], scalar: Scalar) -> bool {
        let Some((&flags, values)) = rest.split_first() else { return true };
        let at = self.at(flags).at;
        let Some(bits) = self.constant_number(flags) else {
            self.error(at, "the operands of an access to a tensor must be a constant");
            return false;
        };
        let asked = bits & OUT_OF_BOUNDS != 0;
        let known = NON_TEMPORAL | if what == Tensor::Read { OUT_OF_BOUNDS } else { 0 };
        if bits & !known != 0 {
            self.error(at, "this access to a tensor does not take such operands");
            return false;
        }
        match *values {
            [] if !asked => true,
            [value] if asked && *self.ty(self.ty_of(value)) == Type::Scalar(scalar) => {
                let constant = self.bits(value).is_some() || self.is_spec(value);
                if !constant {
                    let at = self.at(value).at;
                    self.error(at, "the value for what lies outside must be a constant");
                }
                constant
            }
            _ => {
                let name = super::report::scalar_name(scalar);
                let message = match asked {
                    true => format!("a value of type `{name}` for what lies outside has to follow"),
                    false => "nothing may follow these operands".to_owned(),
                };
                self.error(at, message);
                false
            }
        }
    }

    /// The value of a constant integer that is not negative.
    fn constant_number(&self, id: ExprId) -> Option<u64> {
        let Type::Scalar(scalar) = *self.ty(self.ty_of(id)) else { return None };
        let &bits = self.bits(id)?.first()?;
        (is_integer(scalar) && !(scalar == Scalar::Int && (bits as u32 as i32) < 0)).then_some(bits)
    }
}
