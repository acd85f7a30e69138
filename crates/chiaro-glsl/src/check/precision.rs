//! Precisions: defaults by type and scope, and what expressions have of their operands.
//!
//! Only GLSL ES has them; desktop versions take the words and forget them.

use super::checker::Checker;
use crate::ast::TypeSpec;
use crate::hir::ExprId;
use crate::qualifier::Precision;
use crate::token::At;
use crate::ty::{Access, Dim, Opaque, Scalar, Ty, Type};

impl<'a> Checker<'a> {
    /// `precision mediump float;`
    pub(super) fn default_precision(&mut self, precision: Precision, spec: &'a TypeSpec, at: At) {
        let ty = self.resolve(spec, &[]);
        let ty = *self.ty(ty);
        let Some(defaults) = self.precisions.scopes.last_mut() else { return };
        match ty {
            Type::Error => {}
            Type::Scalar(Scalar::Float) => defaults.float = Some(precision),
            Type::Scalar(Scalar::Int) => defaults.int = Some(precision),
            Type::Opaque(opaque) => defaults.opaque.push((opaque, precision)),
            _ => {
                self.error(at, "a default precision is for `float`, `int` and opaque types only");
            }
        }
    }

    /// The precision of a variable: as written, or the default of its type, which there must be
    /// for the types that need one.
    pub(super) fn precision_of(&mut self, ty: Ty, written: Option<Precision>, at: At) -> Option<Precision> {
        let inner = self.innermost(ty);
        let takes = self.takes_precision(inner);
        if let (Some(_), false, false) = (written, takes, inner == self.known.error) {
            let message = format!("`{}` takes no precision", self.name_of(inner));
            self.error(at, message);
            return None;
        }
        if !self.precisions.counts || !takes {
            return None;
        }
        let precision = written.or_else(|| self.precisions.default(self.ty(inner)));
        if precision.is_none() && self.needs_precision(inner) {
            let name = self.name_of(inner);
            let base = match self.ty(inner) {
                Type::Opaque(_) => name.clone(),
                _ => "float".into(),
            };
            self.error(at, format!("`{name}` has no precision here"))
                .help
                .push(format!("write a precision, or `precision mediump {base};` at the start"));
            // Told once: from here on there is a default.
            let inner = *self.ty(inner);
            if let Some(defaults) = self.precisions.scopes.first_mut() {
                match inner {
                    Type::Opaque(opaque) => defaults.opaque.push((opaque, Precision::Medium)),
                    _ => defaults.float = Some(Precision::Medium),
                }
            }
            return Some(Precision::Medium);
        }
        precision
    }

    fn takes_precision(&self, ty: Ty) -> bool {
        match self.ty(ty) {
            Type::Scalar(s) | Type::Vector(s, _) | Type::Matrix { scalar: s, .. } => *s != Scalar::Bool,
            Type::Opaque(_) => true,
            _ => false,
        }
    }

    /// Types for which a missing default is an error.
    fn needs_precision(&self, ty: Ty) -> bool {
        match self.ty(ty) {
            Type::Scalar(s) | Type::Vector(s, _) | Type::Matrix { scalar: s, .. } => *s == Scalar::Float,
            Type::Opaque(Opaque::Texture { access, dim, .. }) => {
                *access != Access::Texture && !matches!(dim, Dim::Subpass | Dim::Tile)
            }
            _ => false,
        }
    }

    /// The highest precision of some expressions; `None` where none has one.
    pub(super) fn highest(&self, ids: &[ExprId]) -> Option<Precision> {
        ids.iter().filter_map(|&id| self.at(id).precision).max()
    }
}
