//! `const` variables, and specialisation constants.

use super::checker::Checker;
use super::layout::Kind;
use super::scope::Entity;
use super::state::Qualifiers;
use crate::ast::Declarator;
use crate::hir::{self, ExprId};
use crate::qualifier::Storage;
use crate::token::{At, Symbol};
use crate::ty::{Ty, Type};

/// Constants with more scalars than this are stored once, not copied to every use.
const COPIED: usize = 16;

impl<'a> Checker<'a> {
    /// `const`, outside or within functions.
    pub(super) fn constant_variable(&mut self, declarator: &'a Declarator, ty: Ty, all: &Qualifiers) {
        if all.numbers.constant_id.is_some() {
            self.specialisation(declarator, ty, all);
            return;
        }
        self.check_layout(all, Kind::OTHER, "a constant");
        let precision = self.precision_of(ty, all.precision, declarator.at);
        if let Some((value, ty)) = self.constant_value(declarator, ty) {
            self.bind_constant(declarator, value, ty, precision);
        }
    }

    /// The value of a constant, with its name poisoned if there is none.
    pub(super) fn constant_value(&mut self, declarator: &'a Declarator, ty: Ty) -> Option<(ExprId, Ty)> {
        let Some(init) = declarator.init else {
            let message = format!("the constant `{}` has no value", self.text(declarator.name));
            self.error(declarator.at, message).help.push("write `= ...` behind it".into());
            self.scopes.bind(declarator.name, Entity::Poison, Some(declarator.at));
            return None;
        };
        let (value, ty) = self.initialiser(init, ty);
        if self.has_opaque(ty) {
            self.error(declarator.at, "an opaque type has no constants");
        }
        if self.has(ty, super::state::Parts::REFERENCE) {
            self.error(declarator.at, "an address cannot be `const`");
        }
        if self.is_error(value) || !self.check_steps(value) {
            self.scopes.bind(declarator.name, Entity::Poison, Some(declarator.at));
            return None;
        }
        if self.bits(value).is_none() && !self.is_spec(value) && self.body.is_none() {
            let at = self.at(value).at;
            let message =
                format!("the value of `{}` is not a constant expression", self.text(declarator.name));
            self.error(at, message);
            self.scopes.bind(declarator.name, Entity::Poison, Some(declarator.at));
            return None;
        }
        Some((value, ty))
    }

    /// Gives a constant its name: by copy if it is small, else stored once.
    pub(super) fn bind_constant(
        &mut self,
        declarator: &Declarator,
        value: ExprId,
        ty: Ty,
        precision: Option<crate::qualifier::Precision>,
    ) {
        let array = matches!(self.ty(ty), Type::Array(..));
        let bits = self.bits(value).filter(|bits| array || bits.len() > COPIED).map(Box::from);
        let Some(bits) = bits else {
            self.exprs[value.0 as usize].precision = precision;
            if let Some(spec) = self.specialised(value, declarator.name, declarator.at) {
                return self.declare(declarator.name, Entity::Spec(spec), declarator.at);
            }
            self.declare(declarator.name, Entity::Constant(value), declarator.at);
            return;
        };
        let id = self.add_global(hir::Global {
            name: declarator.name,
            ty,
            storage: Storage::Private,
            precision,
            layout: crate::qualifier::Layout::default(),
            builtin: None,
            block: None,
            init: Some(value),
            used: false,
            framebuffer_fetch: false,
            at: Some(declarator.at),
        });
        let facts = &mut self.facts[id.0 as usize];
        facts.value = Some(bits);
        facts.read_only = Some("a constant");
        self.declare(declarator.name, Entity::Global(id), declarator.at);
    }

    /// `layout(constant_id = 1) const int n = 4;`
    fn specialisation(&mut self, declarator: &'a Declarator, ty: Ty, all: &Qualifiers) {
        self.check_layout(all, Kind::CONSTANT, "a specialisation constant");
        if !matches!(self.ty(ty), Type::Scalar(_)) {
            self.error(declarator.at, "a specialisation constant is a scalar");
        }
        let Some((value, _)) = self.constant_value(declarator, ty) else { return };
        let default = self.bits(value).and_then(<[u64]>::first).copied();
        let (Some(default), Some(id)) = (default, all.numbers.constant_id) else { return };
        let spec = self.settable(declarator.name, id, ty, default, declarator.at);
        self.declare(declarator.name, Entity::Spec(spec), declarator.at);
    }

    /// `layout(constant_id = 18) gl_MaxImageUnits;`: a constant of the language that the host may
    /// set. False if that is not what the qualifiers say. [GL_KHR_vulkan_glsl]
    pub(super) fn specialise_builtin(
        &mut self,
        name: Symbol,
        value: ExprId,
        at: At,
        all: &Qualifiers,
    ) -> bool {
        let (Some(id), [default]) = (all.numbers.constant_id, self.bits(value).unwrap_or_default()) else {
            return false;
        };
        let default = *default;
        if !self.text(name).starts_with("gl_") || self.scopes.find(name).is_some() {
            return false;
        }
        self.check_layout(all, Kind::CONSTANT, "a specialisation constant");
        let spec = self.settable(name, id, self.ty_of(value), default, at);
        self.declare(name, Entity::Spec(spec), at);
        true
    }

    /// A constant that the host may set, by its number.
    fn settable(&mut self, name: Symbol, id: u32, ty: Ty, default: u64, at: At) -> hir::SpecId {
        if let Some(other) = self.specs.iter().find(|spec| spec.id == Some(id)).map(|spec| spec.at) {
            self.conflict(at, format!("`constant_id = {id}` is taken"), Some(other), "here");
        }
        self.specs.push(hir::Spec { name, id: Some(id), value: None, ty, default, at });
        hir::SpecId(self.specs.len() as u32 - 1)
    }
}
