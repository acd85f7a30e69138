//! Variables at the outermost level: their names, sizes, and values at the start. Where they live
//! is in [`storage`](super::storage).

use super::checker::Checker;
use super::scope::Entity;
use super::state::{GlobalFacts, Place, Qualifiers};
use crate::ast::{self, Declaration, Declarator};
use crate::builtin::When;
use crate::hir::{self, ExprId, ExprKind, GlobalId};
use crate::qualifier::Storage;
use crate::source::Stage;
use crate::token::{At, Symbol};
use crate::ty::{Length, Ty, Type};

const INITIALISED_UNIFORM: When = When::since(0, 120);

impl<'a> Checker<'a> {
    /// Reports names that the source may not declare.
    pub(super) fn check_name(&mut self, symbol: Symbol, at: At) {
        let name = self.text(symbol);
        if name.starts_with("gl_") && !self.enabled.has("GL_EXT_spirv_intrinsics") {
            let message = format!("`{name}` cannot be declared: names that begin with `gl_` are reserved");
            self.error(at, message);
        } else if name.contains("__") {
            let message = format!("`{name}` has two underscores in a row, which are reserved");
            self.warning(at, message);
        }
    }

    /// Gives a name its meaning in this scope, unless it has one here.
    pub(super) fn declare(&mut self, symbol: Symbol, entity: Entity, at: At) {
        if let Some(before) = self.scopes.find_here(symbol).copied() {
            if before.entity != Entity::Poison {
                let message = format!("`{}` is declared already", self.text(symbol));
                self.conflict(at, message, before.at, "here for the first time");
            }
            return;
        }
        self.scopes.bind(symbol, entity, Some(at));
    }

    /// Variables at the outermost level.
    pub(super) fn global_declaration(&mut self, declaration: &'a Declaration) {
        let all = self.qualifiers(&declaration.qualifiers, false);
        if let Some(at) = all.subroutine {
            self.error(at, "subroutines are not supported");
        }
        let base = self.resolve_name(&declaration.ty.name, declaration.ty.at);
        if matches!(declaration.ty.name, ast::TypeName::Struct(_)) && all.precision.is_some() {
            self.error(declaration.at, "a structure takes no precision; its members do");
        }
        for declarator in &declaration.names {
            let ty = self.resolve_dims(base, &declaration.ty, &declarator.dims);
            self.global_variable(declarator, ty, &all);
        }
    }

    fn global_variable(&mut self, declarator: &'a Declarator, ty: Ty, all: &Qualifiers) {
        if self.text(declarator.name).starts_with("gl_") && self.redeclare_builtin(declarator, ty, all) {
            return;
        }
        self.check_name(declarator.name, declarator.at);
        if !self.check_variable_type(ty, declarator) {
            return;
        }
        if all.constant.is_some() && all.place.is_none() {
            self.constant_variable(declarator, ty, all);
            return;
        }
        if let Some(at) = all.constant {
            self.error(at, "`const` does not go with another storage");
        }
        let storage = self.global_storage(declarator, ty, all);
        let precision = self.precision_of(ty, all.precision, declarator.at);
        let (init, ty) = self.global_init(declarator, ty, storage, all);
        if self.resize_global(declarator, ty, storage) {
            return;
        }
        if self.is_unsized(ty) && all.numbers.has("xfb_offset") {
            self.error(declarator.at, "an array without a size cannot be captured by transform feedback");
        }
        let ty = self.sized_by_primitive(ty, storage, &all.layout);
        if let Type::Array(element, _) = *self.ty(ty)
            && self.is_unsized(element)
        {
            self.error(declarator.at, "only the outermost dimension of an array may have no size");
        }
        if self.is_unsized(ty) && !self.may_be_unsized(storage, &all.layout) {
            self.error(declarator.at, "an array must have a size here");
        }
        let global = hir::Global {
            name: declarator.name,
            ty,
            storage,
            precision,
            layout: all.layout.clone(),
            builtin: None,
            block: None,
            init,
            used: false,
            framebuffer_fetch: all.place == Some(Place::Inout),
            at: Some(declarator.at),
        };
        let id = self.add_global(global);
        self.declare(declarator.name, Entity::Global(id), declarator.at);
    }

    /// Adds a variable; what lives where it cannot be written is remembered.
    pub(super) fn add_global(&mut self, global: hir::Global) -> GlobalId {
        let read_only = match global.storage {
            Storage::In if self.stage == Stage::Vertex => Some("an attribute"),
            Storage::In => Some("an input"),
            Storage::TaskPayload if self.stage == Stage::Mesh => Some("what a task has handed on"),
            Storage::Uniform | Storage::PushConstant => Some("a uniform"),
            Storage::ShaderRecord => Some("a shader record"),
            Storage::Heap(_) => Some("in a heap"),
            Storage::Ray(crate::qualifier::RayStorage::HitAttribute) if self.stage != Stage::Intersection => {
                Some("an attribute of a hit")
            }
            _ => None,
        };
        let id = GlobalId(self.globals.len() as u32);
        self.globals.push(global);
        self.facts.push(GlobalFacts { read_only, ..GlobalFacts::default() });
        id
    }

    /// Whether an array may get its size from its use.
    fn may_be_unsized(&self, storage: Storage, layout: &crate::qualifier::Layout) -> bool {
        let shape = matches!(
            storage,
            Storage::Private | Storage::Uniform | Storage::Shared | Storage::Out | Storage::In
        );
        shape && (!self.is_es() || crate::arrayed::is_arrayed(self.stage, storage, layout))
    }

    /// Reports types that no variable has.
    pub(super) fn check_variable_type(&mut self, ty: Ty, declarator: &Declarator) -> bool {
        if self.innermost(ty) == self.known.void {
            self.error(declarator.at, "a variable cannot be `void`");
            self.scopes.bind(declarator.name, Entity::Poison, Some(declarator.at));
            return false;
        }
        true
    }

    /// A second declaration of an array, which gives it its size. Tells whether it was one.
    fn resize_global(&mut self, declarator: &Declarator, ty: Ty, storage: Storage) -> bool {
        let Some(binding) = self.scopes.find_here(declarator.name) else { return false };
        let (Entity::Global(id), Type::Array(element, length)) = (binding.entity, self.ty(ty)) else {
            return false;
        };
        let (element, length) = (*element, *length);
        let before = self.global(id);
        if before.storage != storage || before.block.is_some() {
            return false;
        }
        let Type::Array(old_element, Length::Unsized) = *self.ty(before.ty) else { return false };
        if old_element != element {
            return false;
        }
        let largest = self.facts[id.0 as usize].largest;
        if let Length::Known(n) = length
            && largest >= n
            && largest > 0
        {
            self.error(declarator.at, format!("{n} elements are too few: element {largest} was used before"));
        }
        self.globals[id.0 as usize].ty = ty;
        true
    }

    /// The value of a global at the start, and its type, which may get its size from it.
    fn global_init(
        &mut self,
        declarator: &'a Declarator,
        ty: Ty,
        storage: Storage,
        all: &Qualifiers,
    ) -> (Option<ExprId>, Ty) {
        let Some(init) = declarator.init else { return (None, ty) };
        let (expr, ty) = self.initialiser(init, ty);
        let at = self.at(expr).at;
        let constant = self.bits(expr).is_some() || self.is_spec(expr) || self.is_error(expr);
        match storage {
            Storage::Uniform if self.has_opaque(ty) => {
                self.error(at, "an opaque uniform cannot have an initialiser");
            }
            Storage::Uniform => {
                self.require(at, "an initialiser of a uniform", INITIALISED_UNIFORM);
                if !constant || self.bits(expr).is_none() && !self.is_error(expr) && !self.is_null(expr) {
                    self.error(at, "the initialiser of a uniform must be a constant expression");
                }
            }
            Storage::Private if constant || !self.is_es() => {}
            // Browsers and drivers take this, and shaders that are in use depend on it.
            Storage::Private if self.version.number == 100 => {
                self.warning(at, "the initialiser of a global should be a constant expression")
                    .help
                    .push("assign it at the start of `main`: GLSL ES does not promise to take this".into());
            }
            Storage::Private => {
                const FREE: When = When::with(&["GL_EXT_shader_non_constant_global_initializers"]);
                if !FREE.is(self.version, self.stage, &self.enabled) {
                    self.error(at, "the initialiser of a global must be a constant expression")
                        .help
                        .push("assign it at the start of `main`".into());
                }
            }
            Storage::Shared if matches!(self.at(expr).kind, ExprKind::Null) => {}
            _ if all.place.is_some() => {
                self.error(at, "an input, output or shared variable cannot have an initialiser");
                return (None, ty);
            }
            _ => {}
        }
        (Some(expr), ty)
    }
}
