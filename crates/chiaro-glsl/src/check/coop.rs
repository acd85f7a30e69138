//! Cooperative and open types: the numbers in their angle brackets, what they are made of and
//! what operators take. [GL_KHR_cooperative_matrix, GL_NV_cooperative_matrix,
//! GL_NV_cooperative_matrix2, GL_NV_cooperative_vector]

mod array;
mod construct;
mod functions;
mod matrix;
mod memory;
mod tensor;

use super::checker::Checker;
use super::state::is_integer;
use crate::ast::{self, Elements, TemplateType};
use crate::hir::{ExprId, ExprKind, SpecId};
use crate::numeric::Num;
use crate::token::At;
use crate::ty::{CoopKind, CoopType, Length, Scalar, Ty, Type};

/// Specialisation constants within each other that a number may follow.
const DEEPEST: u32 = 64;
/// What lets offsets and lengths have 64 bits.
const WIDE_INDICES: &str = "GL_EXT_shader_64bit_indexing";
/// Dimensions that layouts and views of tensors have at most. [SPV_NV_tensor_addressing]
const MOST_DIMENSIONS: u32 = 5;
/// Components of a long vector at most; no device has more.
const MOST_COMPONENTS: u32 = 1 << 16;

impl Checker<'_> {
    /// `coopmat<float, gl_ScopeSubgroup, 16, 8, gl_MatrixUseA>`: `element` is the type in front,
    /// where one is written.
    pub(super) fn coop_type(
        &mut self,
        (kind, family): (CoopKind, Option<Elements>),
        written: &TemplateType,
        element: Option<Ty>,
        at: At,
    ) -> Ty {
        if element == Some(self.known.error) {
            return self.known.error;
        }
        let Some(mut numbers) = self.coop_numbers(&written.args) else { return self.known.error };
        if matches!(kind, CoopKind::Layout | CoopKind::View) {
            return match element {
                None => self.addressing_type(kind, numbers, at),
                Some(_) => self.wrong_numbers(kind, at),
            };
        }
        let scalar = match family {
            Some(_) if numbers.is_empty() || element.is_some() => return self.wrong_numbers(kind, at),
            Some(family) => self.scalar_of_bits(family, numbers.remove(0), at),
            None => self.scalar_of_element(element, kind, at),
        };
        let Some(scalar) = scalar else { return self.known.error };
        let expected = match kind {
            CoopKind::Matrix => 4,
            CoopKind::MatrixNv => 3,
            _ => 1,
        };
        if numbers.len() != expected {
            return self.wrong_numbers(kind, at);
        }
        let sizes = if kind == CoopKind::Vector { 0..1 } else { 1..3 };
        if numbers[sizes].contains(&Length::Known(0)) {
            return self.wrong_coop(at, "rows, columns and components are positive numbers");
        }
        self.coop_ty(scalar, CoopType { kind, numbers }, at)
    }

    /// The type of elements in a shape.
    pub(super) fn coop_ty(&mut self, scalar: Scalar, coop: CoopType, at: At) -> Ty {
        match self.types.coop_of(coop) {
            Some(id) => self.types.intern(Type::Coop(scalar, id)),
            None => self.wrong_coop(at, "the source has too many different cooperative types"),
        }
    }

    /// A layout or view by its numbers, with those that may be left out.
    pub(super) fn addressing_type(&mut self, kind: CoopKind, mut numbers: Vec<Length>, at: At) -> Ty {
        let Some(&rank) = numbers.first() else { return self.wrong_numbers(kind, at) };
        let default = match rank {
            Length::Known(rank) | Length::Spec(_, rank) => rank,
            Length::Unsized => 0,
        };
        if !(1..=MOST_DIMENSIONS).contains(&default) {
            let message = format!("layouts and views of tensors have 1 to {MOST_DIMENSIONS} dimensions");
            return self.wrong_coop(at, &message);
        }
        let most = if kind == CoopKind::Layout { 2 } else { 2 + default as usize };
        if numbers.len() > most {
            return self.wrong_numbers(kind, at);
        }
        if numbers.len() < 2 {
            numbers.push(Length::Known(0));
        }
        // The order of dimensions is that of their numbers, if nothing else is said.
        while numbers.len() < most {
            numbers.push(Length::Known(numbers.len() as u32 - 2));
        }
        match self.types.coop_of(CoopType { kind, numbers }) {
            Some(id) => self.types.intern(Type::Addressing(id)),
            None => self.wrong_coop(at, "the source has too many different cooperative types"),
        }
    }

    /// The numbers in angle brackets; `None` where one is none, which is reported.
    fn coop_numbers(&mut self, args: &[ast::ExprId]) -> Option<Vec<Length>> {
        let mut numbers = Vec::with_capacity(args.len());
        for &arg in args {
            let value = self.expr(arg);
            numbers.push(self.coop_number(value));
        }
        numbers.into_iter().collect()
    }

    /// A constant that is not negative, or one that follows specialisation.
    pub(super) fn coop_number(&mut self, value: ExprId) -> Option<Length> {
        if self.is_error(value) {
            return None;
        }
        let at = self.at(value).at;
        let shape = self.numeric(self.ty_of(value)).filter(|shape| shape.is_scalar());
        let scalar = shape.map(|shape| shape.scalar).filter(|&s| s == Scalar::Bool || is_integer(s));
        let known = self.bits(value).and_then(<[u64]>::first).copied();
        match (scalar, known) {
            (Some(scalar), Some(bits)) if scalar != Scalar::Int || bits as i32 >= 0 => {
                Some(Length::Known(bits as u32))
            }
            (Some(_), None) => match self.specialised(value, self.nameless(), at) {
                Some(spec) => Some(self.same_spec(spec)),
                None => self.no_number(at),
            },
            _ => self.no_number(at),
        }
    }

    fn no_number(&mut self, at: At) -> Option<Length> {
        self.error(at, "this must be a constant integer that is not negative");
        None
    }

    /// A specialised number; two that say the same of other constants are one.
    fn same_spec(&self, spec: SpecId) -> Length {
        let default = |id: usize| self.specs.get(id).map_or(0, |spec| spec.default as u32);
        let value = |id: usize| self.specs.get(id).and_then(|spec| spec.value);
        let last = spec.0 as usize;
        let same = match value(last) {
            Some(last_value) => (0..last)
                .find(|&id| value(id).is_some_and(|value| self.says_same(value, last_value, DEEPEST)))
                .unwrap_or(last),
            None => last,
        };
        Length::Spec(same as u32, default(same))
    }

    fn says_same(&self, a: ExprId, b: ExprId, deepest: u32) -> bool {
        use ExprKind as K;
        let Some(deepest) = deepest.checked_sub(1) else { return false };
        let same = |a: ExprId, b: ExprId| self.says_same(a, b, deepest);
        self.ty_of(a) == self.ty_of(b)
            && match (&self.at(a).kind, &self.at(b).kind) {
                (K::Constant(a), K::Constant(b)) => a == b,
                (K::Spec(a), K::Spec(b)) => a == b,
                (K::Unary(op, a), K::Unary(other, b)) => op == other && same(*a, *b),
                (K::Convert(a), K::Convert(b)) => same(*a, *b),
                (K::Binary(op, a, b), K::Binary(other, c, d)) => op == other && same(*a, *c) && same(*b, *d),
                _ => false,
            }
    }

    fn scalar_of_element(&mut self, element: Option<Ty>, kind: CoopKind, at: At) -> Option<Scalar> {
        let Some(element) = element else {
            self.wrong_numbers(kind, at);
            return None;
        };
        match *self.ty(element) {
            Type::Scalar(scalar) if scalar != Scalar::Bool => Some(scalar),
            _ => {
                let found = self.name_of(element);
                self.error(at, format!("the elements of a cooperative type are numbers, found `{found}`"));
                None
            }
        }
    }

    /// The scalar of a family with so many bits.
    fn scalar_of_bits(&mut self, family: Elements, bits: Length, at: At) -> Option<Scalar> {
        use Scalar::{Double, Float, Float16, Int, Int8, Int16, Int64, Uint, Uint8, Uint16, Uint64};
        let Length::Known(bits) = bits else {
            self.error(at, "the bits of an element must be known");
            return None;
        };
        let found = match (family, bits) {
            (Elements::Floats, 16) => Some(Float16),
            (Elements::Floats, 32) => Some(Float),
            (Elements::Floats, 64) => Some(Double),
            (Elements::Signed, 8) => Some(Int8),
            (Elements::Signed, 16) => Some(Int16),
            (Elements::Signed, 32) => Some(Int),
            (Elements::Signed, 64) => Some(Int64),
            (Elements::Unsigned, 8) => Some(Uint8),
            (Elements::Unsigned, 16) => Some(Uint16),
            (Elements::Unsigned, 32) => Some(Uint),
            (Elements::Unsigned, 64) => Some(Uint64),
            _ => None,
        };
        if found.is_none() {
            let sizes = if family == Elements::Floats { "16, 32 or 64" } else { "8, 16, 32 or 64" };
            self.error(at, format!("elements have {sizes} bits, not {bits}"));
        }
        found
    }

    fn wrong_numbers(&mut self, kind: CoopKind, at: At) -> Ty {
        let example = match kind {
            CoopKind::Matrix => "`coopmat<float16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseA>`",
            CoopKind::MatrixNv => "`fcoopmatNV<16, gl_ScopeSubgroup, 16, 8>`",
            CoopKind::Vector => "`coopvecNV<float16_t, 8>`",
            CoopKind::Long => "`vector<float, 8>`",
            CoopKind::Layout => "`tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV>`",
            CoopKind::View => "`tensorViewNV<2, true, 1, 0>`",
        };
        self.error(at, "these are not the arguments of this type").help.push(format!("write {example}"));
        self.known.error
    }

    fn wrong_coop(&mut self, at: At, message: &str) -> Ty {
        self.error(at, message);
        self.known.error
    }

    /// A vector of components that no `Type::Vector` can have: `vector<T, 1>` and the like.
    pub(super) fn open_vector(&mut self, scalar: Scalar, count: ExprId) -> Ty {
        let at = self.at(count).at;
        match self.coop_number(count) {
            None => self.known.error,
            Some(number @ (Length::Known(1..=MOST_COMPONENTS) | Length::Spec(..))) => {
                self.coop_ty(scalar, CoopType { kind: CoopKind::Long, numbers: vec![number] }, at)
            }
            Some(_) => {
                let message = format!("a vector has 1 to {MOST_COMPONENTS} components");
                self.wrong_coop(at, &message)
            }
        }
    }

    /// Whether a method is `length64`, and is there.
    pub(super) fn is_wide_length(&self, name: crate::token::Symbol) -> bool {
        self.text(name) == "length64" && self.enabled.has(WIDE_INDICES)
    }

    /// `a.length64()`: the length with 64 bits. That of an open array is asked for so.
    pub(super) fn widen_length(&mut self, length: ExprId) -> ExprId {
        let wide = Num { scalar: Scalar::Int64, columns: 1, rows: 1 };
        let at = self.at(length).at;
        match self.at(length).kind {
            ExprKind::Length(array) => {
                let ty = self.of_numeric(wide);
                self.push(ExprKind::Length(array), ty, None, at)
            }
            _ => self.convert_scalars(length, wide),
        }
    }

    /// The cooperative part of a type, with its elements.
    pub(super) fn coop_of(&self, ty: Ty) -> Option<(Scalar, &CoopType)> {
        self.types.as_coop(self.ty(ty))
    }

    /// The scalars and result of an operator where one operand is cooperative; `None` if it takes no
    /// such operands.
    pub(super) fn coop_typing(&self, op: ast::Binary, a: Num, b: Num) -> Option<Scalar> {
        use ast::Binary::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Shl, Shr, Sub};
        let wide = if a.is_coop() { a } else { b };
        let other = if a.is_coop() { b } else { a };
        let coop = self.types.coop(crate::ty::CoopId(wide.rows));
        let same = a.is_coop() && b.is_coop() && a.rows == b.rows;
        if !same && !other.is_scalar() {
            return None;
        }
        if same && a.scalar != b.scalar {
            return None;
        }
        let integer = is_integer(wide.scalar);
        let takes = match (coop.kind, op) {
            (CoopKind::MatrixNv, Add | Sub | Div) => same,
            (CoopKind::MatrixNv, Mul) => !same,
            (CoopKind::Matrix, Add | Sub | Div) => same,
            (CoopKind::Matrix, Mul) => true,
            (CoopKind::Vector, Add | Sub | Div) => same,
            (CoopKind::Vector, Mul) => true,
            (CoopKind::Vector, BitAnd | BitOr | BitXor | Shl | Shr) => same && integer,
            (CoopKind::Long, Add | Sub | Div | Mul) => true,
            (CoopKind::Long, BitAnd | BitOr | BitXor | Shl | Shr | Rem) => integer,
            _ => false,
        };
        // A matrix takes factors of its own type alone, vectors what becomes that by itself.
        let fits = match coop.is_matrix() {
            true => other.scalar == wide.scalar,
            false => self.conversions.scalar(other.scalar, wide.scalar),
        };
        (takes && fits && wide.scalar != Scalar::Bool && !wide.scalar.is_small()).then_some(wide.scalar)
    }
}
