//! Implicit conversions: which there are in a version, and writing them out.

use chiaro_diag::{Advice, Fix};

use super::checker::Checker;
use super::state::Conversions;
use crate::hir::{ExprId, ExprKind};
use crate::numeric::Num;
use crate::ty::{Scalar, Ty};

impl Checker<'_> {
    /// Whether an expression of one type may stand where another is asked for.
    pub(super) fn fits(&self, from: Ty, to: Ty) -> bool {
        self.conversions.fits(&self.types, from, to)
    }

    /// Writes a conversion out that was found to be allowed.
    pub(super) fn convert(&mut self, id: ExprId, to: Ty) -> ExprId {
        let from = self.ty_of(id);
        let (Some(a), Some(b)) = (self.numeric(from), self.numeric(to)) else { return id };
        if a.scalar == b.scalar {
            return id;
        }
        self.convert_scalars(id, Num { scalar: b.scalar, ..a })
    }

    /// Gives the scalars of a scalar, vector or matrix another type.
    pub(super) fn convert_scalars(&mut self, id: ExprId, to: Num) -> ExprId {
        let Some(from) = self.numeric(self.ty_of(id)) else { return id };
        if from.scalar == to.scalar {
            return id;
        }
        let ty = self.of_numeric(Num { scalar: to.scalar, ..from });
        let (at, precision) = (self.at(id).at, self.at(id).precision);
        if let Some(bits) = self.bits(id) {
            let folded: Vec<u64> =
                bits.iter().map(|&bits| super::fold::convert(bits, from.scalar, to.scalar)).collect();
            return self.constant(folded, ty, at);
        }
        self.push(ExprKind::Convert(id), ty, precision, at)
    }

    /// Converts to a type, or reports that it cannot be done; `what` begins the message.
    pub(super) fn coerce(&mut self, id: ExprId, to: Ty, what: &str) -> ExprId {
        let from = self.ty_of(id);
        if from == self.known.error || to == self.known.error {
            return id;
        }
        if self.fits(from, to) {
            return self.convert(id, to);
        }
        let at = self.at(id).at;
        let (expected, found) = (self.name_of(to), self.name_of(from));
        let advice = self.conversion_advice(id, to);
        let error = self.error(at, format!("{what}: expected `{expected}`, found `{found}`"));
        error.advised(advice);
        self.wrong(at)
    }

    /// What would make another type of an expression.
    pub(super) fn conversion_advice(&self, id: ExprId, to: Ty) -> Option<Advice> {
        let (a, b) = (self.numeric(self.ty_of(id))?, self.numeric(to)?);
        if a.columns != b.columns || a.rows != b.rows {
            return None;
        }
        if a.scalar.is_small() && a.scalar == b.scalar {
            return Some(Advice::words(
                "it is stored and converted alone: compute with `float` or `vec` of it",
            ));
        }
        let all = Conversions {
            int_float: true,
            uint_float: true,
            int_uint: true,
            double: true,
            ..self.conversions
        };
        let name = self.name_of(to);
        let convert = self.tokens.span(self.at(id).at).map(|span| Fix::call(span, &name));
        Some(match all.scalar(a.scalar, b.scalar) && !self.is_es() {
            true => {
                let needed = match (a.scalar, b.scalar) {
                    (Scalar::Int, Scalar::Float) => 120,
                    (Scalar::Uint, Scalar::Float) => 130,
                    _ => 400,
                };
                let words = format!(
                    "write `{name}(...)`, or use `#version {needed}` or later, which converts by itself"
                );
                Advice::words(words).fix(convert).fix(self.head.with_version(&needed.to_string()))
            }
            false => Advice::words(format!("convert it with `{name}(...)`")).fix(convert),
        })
    }
}
