//! Initialisers: an expression, or a list in braces.

use super::checker::Checker;
use crate::ast;
use crate::builtin::When;
use crate::hir::{ExprId, ExprKind};
use crate::ty::{Length, Ty, Type};

const LISTS: When = When::since(0, 420).or(&["GL_ARB_shading_language_420pack", "GL_EXT_null_initializer"]);
const ARRAYS: When = When::since(300, 120).or(&["GL_3DL_array_objects"]);

impl<'a> Checker<'a> {
    /// The value of an initialiser for a type, and the type, whose lengths it may give.
    pub(super) fn initialiser(&mut self, init: ast::ExprId, ty: Ty) -> (ExprId, Ty) {
        let ast = self.ast;
        let written = &ast.exprs[init.0 as usize];
        if let ast::ExprKind::List(items) = &written.kind {
            self.require(written.at, "an initialiser in braces", LISTS);
            if items.is_empty() {
                return (self.null(ty, written.at), ty);
            }
            return self.list(items, written.at, ty);
        }
        let value = self.expr(init);
        if self.is_error(value) {
            return (value, ty);
        }
        self.must_be_readable(value);
        let at = self.at(value).at;
        let found = self.ty_of(value);
        if self.has_opaque(found) {
            self.error(at, "a value of opaque type cannot be copied");
            return (self.wrong(at), ty);
        }
        if matches!(self.ty(ty), Type::Array(..)) {
            self.require(at, "an initialiser of an array", ARRAYS);
        }
        let ty = self.sized_by(ty, found);
        (self.coerce(value, ty, "wrong type of initialiser"), ty)
    }

    /// Takes lengths that a type leaves open from another of the same element.
    pub(super) fn sized_by(&mut self, ty: Ty, other: Ty) -> Ty {
        let (Type::Array(element, length), Type::Array(other_element, other_length)) =
            (*self.ty(ty), *self.ty(other))
        else {
            return ty;
        };
        let element = self.sized_by(element, other_element);
        let length = if length == Length::Unsized { other_length } else { length };
        self.types.intern(Type::Array(element, length))
    }

    /// `{}`: zero in every part. [GL_EXT_null_initializer]
    fn null(&mut self, ty: Ty, at: crate::token::At) -> ExprId {
        if ty == self.known.error {
            return self.wrong(at);
        }
        if self.is_unsized(ty) || self.has_opaque(ty) {
            let message = format!("`{}` has no value of zeros", self.name_of(ty));
            self.error(at, message);
            return self.wrong(at);
        }
        self.push(ExprKind::Null, ty, None, at)
    }

    /// `{ a, b }` for a type.
    fn list(&mut self, items: &'a [ast::ExprId], at: crate::token::At, ty: Ty) -> (ExprId, Ty) {
        self.deeper(at, |this| this.list_of(items, at, ty)).unwrap_or_else(|| (self.wrong(at), ty))
    }

    /// Whether an expression is `{}`, which stands for zeros.
    pub(super) fn is_null(&self, id: ExprId) -> bool {
        matches!(self.at(id).kind, ExprKind::Null)
    }

    fn list_of(&mut self, items: &'a [ast::ExprId], at: crate::token::At, ty: Ty) -> (ExprId, Ty) {
        let (count, what) = match *self.ty(ty) {
            Type::Vector(_, n) => (usize::from(n), "components"),
            Type::Matrix { columns, .. } => (usize::from(columns), "columns"),
            Type::Array(_, Length::Known(n)) => (n as usize, "elements"),
            Type::Array(_, Length::Unsized) => (items.len(), "elements"),
            Type::Struct(id) => (self.types.structure(id).members.len(), "members"),
            Type::Error => (items.len(), ""),
            _ => {
                let message = format!("`{}` takes no list in braces", self.name_of(ty));
                self.error(at, message);
                return (self.wrong(at), ty);
            }
        };
        if items.len() != count || items.is_empty() {
            let message = format!("`{}` has {count} {what}, the list has {}", self.name_of(ty), items.len());
            self.error(at, message);
            return (self.wrong(at), ty);
        }
        let mut element = self.element(ty);
        let mut parts = Vec::with_capacity(items.len());
        for (n, &item) in items.iter().enumerate() {
            let expected = match (element, self.ty(ty)) {
                (_, Type::Struct(id)) => {
                    self.types.structure(*id).members.get(n).map_or(self.known.error, |m| m.ty)
                }
                (Some(element), _) => element,
                _ => self.known.error,
            };
            let (part, part_ty) = self.initialiser_part(item, expected);
            element = element.map(|_| part_ty);
            parts.push(part);
        }
        let ty = match (element, self.ty(ty)) {
            (Some(element), Type::Array(..)) => {
                self.types.intern(Type::Array(element, Length::Known(items.len() as u32)))
            }
            _ => ty,
        };
        (self.construct(parts, ty, at), ty)
    }

    /// An item of a list: a list again, or an expression.
    fn initialiser_part(&mut self, item: ast::ExprId, ty: Ty) -> (ExprId, Ty) {
        let ast = self.ast;
        let written = &ast.exprs[item.0 as usize];
        if let ast::ExprKind::List(items) = &written.kind {
            return self.list(items, written.at, ty);
        }
        let value = self.expr(item);
        self.must_be_readable(value);
        let ty = self.sized_by(ty, self.ty_of(value));
        (self.coerce(value, ty, "wrong type in this list"), ty)
    }

    /// A value made of parts that fit; constant if they are.
    pub(super) fn construct(&mut self, parts: Vec<ExprId>, ty: Ty, at: crate::token::At) -> ExprId {
        if parts.iter().any(|&part| self.is_error(part)) || ty == self.known.error {
            return self.wrong(at);
        }
        let precision = self.highest(&parts);
        if parts.iter().all(|&part| self.bits(part).is_some()) {
            let bits: Vec<u64> =
                parts.iter().flat_map(|&part| self.bits(part).unwrap_or_default().iter().copied()).collect();
            return self.push(ExprKind::Constant(bits.into()), ty, precision, at);
        }
        self.push(ExprKind::Construct(parts), ty, precision, at)
    }
}
