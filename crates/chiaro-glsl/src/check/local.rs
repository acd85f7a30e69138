//! Variables within functions.

use super::checker::Checker;
use super::scope::Entity;
use super::state::Qualifiers;
use crate::ast::{Declaration, Declarator};
use crate::builtin::When;
use crate::hir::{self, ExprId, ExprKind, StmtKind};
use crate::ty::{Length, Ty, Type};
impl<'a> Checker<'a> {
    /// Variables within a function.
    pub(super) fn local_declaration(&mut self, declaration: &'a Declaration, out: &mut Vec<hir::Stmt>) {
        let all = self.qualifiers(&declaration.qualifiers, false);
        if let (Some(place), Some(at)) = (all.place, all.place_at) {
            let word = format!("{place:?}").to_lowercase();
            self.error(at, format!("`{word}` is for declarations outside of functions"));
        }
        self.no_interface(&all, "a variable of a function");
        let base = self.resolve_name(&declaration.ty.name, declaration.ty.at);
        for declarator in &declaration.names {
            let ty = self.resolve_dims(base, &declaration.ty, &declarator.dims);
            self.local_variable(declarator, ty, &all, out);
        }
    }

    fn local_variable(
        &mut self,
        declarator: &'a Declarator,
        ty: Ty,
        all: &Qualifiers,
        out: &mut Vec<hir::Stmt>,
    ) {
        self.check_name(declarator.name, declarator.at);
        if !self.check_variable_type(ty, declarator) {
            return;
        }
        if self.has_opaque(ty) && !self.is_ray_handle(ty) {
            let message = format!(
                "`{}` is of opaque type: it must be a `uniform` or a parameter",
                self.text(declarator.name)
            );
            let help = self.instead_of_opaque("name the uniform itself where it is used");
            self.error(declarator.at, message).help.push(help.into());
        }
        let precision = self.precision_of(ty, all.precision, declarator.at);
        let (init, ty) = match (all.constant, declarator.init) {
            (Some(_), _) => {
                let Some((value, ty)) = self.constant_value(declarator, ty) else { return };
                // Integers that follow specialisation constants are such constants, as outside.
                let spec =
                    self.is_spec(value) && self.specialised(value, declarator.name, declarator.at).is_some();
                if self.bits(value).is_some() || spec {
                    self.bind_constant(declarator, value, ty, precision);
                    return;
                }
                self.check_run_time_constant(value);
                (Some(value), ty)
            }
            (None, Some(init)) => {
                let (value, ty) = self.initialiser(init, ty);
                (Some(value), ty)
            }
            (None, None) => (None, ty),
        };
        if self.resize_local(declarator, ty, init, out) {
            return;
        }
        if self.is_unsized(ty) && self.is_es() {
            self.error(declarator.at, "an array must have a size here");
        }
        let local = hir::Local {
            name: declarator.name,
            ty,
            precision,
            precise: all.layout.precise,
            layout: crate::qualifier::Layout {
                restrict: all.layout.restrict,
                ..crate::qualifier::Layout::default()
            },
            at: declarator.at,
        };
        let read_only = all.constant.map(|_| "a constant");
        let Some(id) = self.add_local(local, read_only) else { return };
        self.declare(declarator.name, Entity::Local(id), declarator.at);
        out.push(hir::Stmt { kind: StmtKind::Local(id, init), at: declarator.at });
    }

    /// A second declaration of a local array, which gives it its size. Tells whether it was one.
    fn resize_local(
        &mut self,
        declarator: &Declarator,
        ty: Ty,
        init: Option<ExprId>,
        out: &mut Vec<hir::Stmt>,
    ) -> bool {
        let Some(Entity::Local(id)) = self.scopes.find_here(declarator.name).map(|binding| binding.entity)
        else {
            return false;
        };
        let Some(before) = self.local(id).map(|local| local.ty) else { return false };
        let (Type::Array(element, Length::Unsized), Type::Array(other, _)) = (self.ty(before), self.ty(ty))
        else {
            return false;
        };
        if element != other {
            return false;
        }
        let used = |body: &super::state::Body| {
            body.largest.iter().find(|known| known.0 == id).map_or(0, |known| known.1)
        };
        let largest = self.body.as_ref().map_or(0, used);
        if let Type::Array(_, Length::Known(n)) = *self.ty(ty)
            && largest >= n
            && largest > 0
        {
            self.error(declarator.at, format!("{n} elements are too few: element {largest} was used before"));
        }
        if let Some(local) = self.body.as_mut().and_then(|body| body.locals.get_mut(id.0 as usize)) {
            local.ty = ty;
        }
        if let Some(value) = init {
            let place = self.push(ExprKind::Local(id), ty, None, declarator.at);
            let store = self.push(ExprKind::Assign(place, value), ty, None, declarator.at);
            out.push(hir::Stmt { kind: StmtKind::Expr(store), at: declarator.at });
        }
        true
    }

    /// From version 4.20 on, a `const` within a function may have any value.
    fn check_run_time_constant(&mut self, value: ExprId) {
        const FREE: When = When::since(0, 420).or(&["GL_ARB_shading_language_420pack"]);
        if self.is_spec(value) || FREE.is(self.version, self.stage, &self.enabled) {
            return;
        }
        let at = self.at(value).at;
        let help = "leave `const` out, or use `#version 420` or later";
        self.error(at, "the value of a constant must be a constant expression").help.push(help.into());
    }
}
