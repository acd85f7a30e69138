//! Vectors of many components. [GL_EXT_long_vector]

use super::checker::Checker;
use crate::ast::TemplateType;
use crate::hir::{ExprId, ExprKind};
use crate::token::At;
use crate::ty::{Ty, Type};

/// Components of vectors that are like the language's own; others are of an open shape.
const MOST: u64 = 255;
/// Components of the language's own vectors.
const SHORT: u8 = 4;

impl Checker<'_> {
    /// `vector<float, 5>`
    pub(super) fn vector_type(&mut self, written: &TemplateType, element: Ty, at: At) -> Ty {
        let Type::Scalar(scalar) = *self.ty(element) else {
            if element != self.known.error {
                self.error(at, "the components of a vector are scalars");
            }
            return self.known.error;
        };
        let [count] = *written.args.as_slice() else {
            self.error(at, "a vector has a type of components and their number: `vector<float, 5>`");
            return self.known.error;
        };
        let count = self.expr(count);
        if self.is_error(count) {
            return self.known.error;
        }
        let (count_at, ty) = (self.at(count).at, self.ty_of(count));
        let integer = ty == self.known.int || ty == self.known.uint;
        match self.bits(count).and_then(|bits| bits.first().copied()).filter(|_| integer) {
            Some(count @ 2..=MOST) => self.vector(scalar, count as u8),
            _ if integer => self.open_vector(scalar, count),
            _ => {
                self.error(count_at, "the number of a vector's components is a constant integer");
                self.known.error
            }
        }
    }

    /// Whether a type is a vector of more than four components.
    pub(super) fn is_long(&self, ty: Ty) -> bool {
        let inner = *self.ty(self.innermost(ty));
        matches!(inner, Type::Coop(..)) || matches!(inner, Type::Vector(_, count) if count > SHORT)
    }

    /// A long vector from one value: a scalar for every component, or the first of a longer one.
    pub(super) fn long_from_one(&mut self, part: ExprId, ty: Ty, rows: u8, at: At) -> ExprId {
        let precision = self.at(part).precision;
        if let Some(bits) = self.bits(part) {
            let one = bits.len() == 1;
            let bits: Vec<u64> =
                (0..usize::from(rows)).filter_map(|n| bits.get(if one { 0 } else { n }).copied()).collect();
            return self.push(ExprKind::Constant(bits.into()), ty, precision, at);
        }
        self.push(ExprKind::Construct(vec![part]), ty, precision, at)
    }
}
