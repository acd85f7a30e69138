//! Variables: where they live, what may be of them there, and their values at the start.

use super::Checker;
use super::layout::Kind;
use super::qualifier::{Place, Qualifiers};
use super::scope::Entity;
use super::types::Parts;
use crate::ast::{self, At, Declaration, Declarator, Symbol};
use crate::builtin::When;
use crate::hir::{self, ExprId, ExprKind, GlobalId, StmtKind, Storage};
use crate::source::Stage;
use crate::ty::{Access, Dim, Length, Opaque, Scalar, Ty, Type};

/// What is known of a global beside what the program holds.
#[derive(Debug, Default)]
pub(super) struct GlobalFacts {
    /// Its value, if it is a constant that is too large to be copied to every use.
    pub(super) value: Option<Box<[u64]>>,
    /// Why it cannot be written, if so: "a uniform".
    pub(super) read_only: Option<&'static str>,
    /// The largest constant index of an array whose size is not known yet.
    pub(super) largest: u32,
    /// Where it is written first.
    pub(super) written: Option<At>,
}

/// Constants with more scalars than this are stored once, not copied to every use.
const COPIED: usize = 16;

const INITIALISED_UNIFORM: When = When::since(0, 120);

impl<'a> Checker<'a> {
    /// Reports names that the source may not declare.
    pub(super) fn check_name(&mut self, symbol: Symbol, at: At) {
        let name = self.text(symbol);
        if name.starts_with("gl_") {
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
        let ty = self.sized_by_primitive(ty, storage);
        if self.is_unsized(ty) && !self.may_be_unsized(storage) {
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
            Storage::Uniform | Storage::PushConstant => Some("a uniform"),
            _ => None,
        };
        let id = GlobalId(self.globals.len() as u32);
        self.globals.push(global);
        self.facts.push(GlobalFacts { read_only, ..GlobalFacts::default() });
        id
    }

    /// An input of a geometry shader has an element for each vertex, once their number is known.
    fn sized_by_primitive(&mut self, ty: Ty, storage: Storage) -> Ty {
        match (*self.ty(ty), self.input_vertices()) {
            (Type::Array(element, Length::Unsized), Some(n))
                if self.stage == Stage::Geometry && storage == Storage::In =>
            {
                self.types.intern(Type::Array(element, Length::Known(n)))
            }
            _ => ty,
        }
    }

    /// Whether an array may get its size from its use.
    fn may_be_unsized(&self, storage: Storage) -> bool {
        let shape = matches!(
            storage,
            Storage::Private | Storage::Uniform | Storage::Shared | Storage::Out | Storage::In
        );
        shape && (!self.is_es() || (self.stage == Stage::Geometry && storage == Storage::In))
    }

    /// Reports types that no variable has.
    fn check_variable_type(&mut self, ty: Ty, declarator: &Declarator) -> bool {
        if self.innermost(ty) == self.known.void {
            self.error(declarator.at, "a variable cannot be `void`");
            self.scopes.bind(declarator.name, Entity::Poison, Some(declarator.at));
            return false;
        }
        true
    }

    /// Where a global lives, with the rules for its type there.
    fn global_storage(&mut self, declarator: &Declarator, ty: Ty, all: &Qualifiers) -> Storage {
        let at = all.place_at.unwrap_or(declarator.at);
        if all.memory.is_some() && !self.is_image(ty) && all.place != Some(Place::Buffer) {
            self.error(
                at,
                "only images and buffers take `coherent`, `volatile`, `restrict`, `readonly`, `writeonly`",
            );
        }
        match all.place {
            None => self.private_storage(declarator, ty, all),
            Some(Place::Uniform) => self.uniform_storage(declarator, ty, all),
            Some(Place::Shared) => {
                if self.stage != Stage::Compute {
                    self.error(at, "only compute shaders have `shared` variables");
                }
                self.check_layout(all, Kind::OTHER, "a shared variable");
                if self.has_opaque(ty) {
                    self.error(declarator.at, "an opaque type cannot be shared");
                }
                Storage::Shared
            }
            Some(Place::Buffer) => {
                self.error(at, "`buffer` is for blocks").help.push("write `buffer Name { ... };`".into());
                Storage::Buffer
            }
            Some(_) => self.interface_storage(declarator, ty, all, at),
        }
    }

    fn private_storage(&mut self, declarator: &Declarator, ty: Ty, all: &Qualifiers) -> Storage {
        if self.has_opaque(ty) {
            let message =
                format!("`{}` is of opaque type: it must be a `uniform`", self.text(declarator.name));
            self.error(declarator.at, message);
        }
        self.no_interface(all, "a variable without `in`, `out` or `uniform`");
        Storage::Private
    }

    fn uniform_storage(&mut self, declarator: &Declarator, ty: Ty, all: &Qualifiers) -> Storage {
        let inner = *self.ty(self.innermost(ty));
        let (kind, what) = match inner {
            Type::Opaque(Opaque::AtomicCounter) => (Kind::COUNTER, "an atomic counter"),
            Type::Opaque(_) if self.is_image(ty) => (Kind::IMAGE, "an image"),
            Type::Opaque(_) => (Kind::SAMPLER, "a sampler"),
            _ => (Kind::UNIFORM, "a uniform"),
        };
        self.check_layout(all, kind, what);
        for at in [all.interpolation, all.auxiliary, all.invariant].into_iter().flatten() {
            self.error(at, "a uniform is not interpolated and never varies");
        }
        if kind == Kind::IMAGE {
            self.check_image(declarator, ty, all);
        }
        Storage::Uniform
    }

    /// An image has a format that its type can have, unless it is only written.
    fn check_image(&mut self, declarator: &Declarator, ty: Ty, all: &Qualifiers) {
        const LOADS: When = When::with(&["GL_EXT_shader_image_load_formatted"]);
        let Type::Opaque(Opaque::Texture { scalar, .. }) = *self.ty(self.innermost(ty)) else { return };
        let Some(format) = all.layout.format else {
            let free = !self.is_es() && all.layout.write_only;
            if !free && !LOADS.is(self.version, self.stage, &self.enabled) {
                self.error(declarator.at, "an image that is read needs a format")
                    .help
                    .push("write `layout(rgba8)`, or `writeonly` if it is never read".into());
            }
            return;
        };
        if format_scalar(format) != scalar {
            let message = format!("this format does not fit `{}`", self.name_of(ty));
            self.error(declarator.at, message);
        }
        use spirv::ImageFormat::{R32f, R32i, R32ui};
        let both = !all.layout.read_only && !all.layout.write_only;
        if self.is_es() && both && !matches!(format, R32f | R32i | R32ui) {
            self.error(declarator.at, "an image of this format must be `readonly` or `writeonly`")
                .notes
                .push("only `r32f`, `r32i` and `r32ui` can be both read and written".into());
        }
    }

    /// Inputs and outputs.
    fn interface_storage(&mut self, declarator: &Declarator, ty: Ty, all: &Qualifiers, at: At) -> Storage {
        let input = match (all.place, self.stage) {
            (Some(Place::Attribute), Stage::Vertex) => true,
            (Some(Place::Attribute), _) => {
                self.error(at, "only vertex shaders have attributes").help.push("use `varying`".into());
                true
            }
            (Some(Place::Varying), stage) => stage == Stage::Fragment,
            (Some(Place::Inout), Stage::Fragment) => {
                const FETCH: When = When::with(&[
                    "GL_EXT_shader_framebuffer_fetch",
                    "GL_EXT_shader_framebuffer_fetch_non_coherent",
                ]);
                self.require(at, "an `inout` variable", FETCH);
                false
            }
            (Some(Place::Inout), _) => {
                self.error(at, "`inout` is for parameters");
                false
            }
            (place, _) => place == Some(Place::In),
        };
        if self.stage == Stage::Compute {
            self.error(at, "compute shaders have no inputs and outputs of their own");
        }
        let storage = if input { Storage::In } else { Storage::Out };
        let (kind, what) = self.interface_kind(storage);
        self.check_layout(all, kind, what);
        self.check_interface_type(ty, declarator.at, storage, all, what);
        self.check_interface_qualifiers(storage, all, what);
        storage
    }

    /// What an input or output is in this stage.
    pub(super) fn interface_kind(&self, storage: Storage) -> (Kind, &'static str) {
        match (self.stage, storage) {
            (Stage::Vertex, Storage::In) => (Kind::ATTRIBUTE, "a vertex input"),
            (Stage::Fragment, Storage::Out) => (Kind::COLOUR, "a fragment output"),
            (_, Storage::In) => (Kind::VARYING, "an input"),
            _ => (Kind::VARYING, "an output"),
        }
    }

    fn check_interface_qualifiers(&mut self, storage: Storage, all: &Qualifiers, what: &str) {
        let ends = (self.stage == Stage::Vertex && storage == Storage::In)
            || (self.stage == Stage::Fragment && storage == Storage::Out);
        if ends {
            for at in [all.interpolation, all.auxiliary].into_iter().flatten() {
                self.error(at, format!("{what} is not interpolated"));
            }
        }
        if let (Some(at), Storage::In) = (all.invariant, storage) {
            let allowed = self.stage == Stage::Fragment && !self.at_least(300, 420);
            if !allowed {
                self.error(at, "only outputs can be `invariant`");
            }
        }
    }

    /// Which types cross the border of a stage.
    pub(super) fn check_interface_type(
        &mut self,
        ty: Ty,
        at: At,
        storage: Storage,
        all: &Qualifiers,
        what: &str,
    ) {
        if self.has_opaque(ty) {
            let name = self.name_of(ty);
            self.error(at, format!("{what} cannot be of the opaque type `{name}`"));
            return;
        }
        if self.has(ty, Parts::BOOL) {
            self.error(at, format!("{what} cannot be `bool`"));
            return;
        }
        let structure = self.has(ty, Parts::STRUCT);
        let array = matches!(self.ty(ty), Type::Array(..));
        let old = matches!(all.place, Some(Place::Attribute | Place::Varying));
        let (kind, _) = self.interface_kind(storage);
        if kind == Kind::ATTRIBUTE {
            if structure {
                self.error(at, format!("{what} cannot be a structure"));
            } else if array && !(self.at_least(0, 150) || self.enabled.has("GL_ARB_vertex_attrib_64bit")) {
                self.error(at, format!("{what} cannot be an array before `#version 150`"));
            }
        }
        if kind == Kind::COLOUR {
            let matrix = self.has(ty, Parts::MATRIX);
            if structure || matrix || self.has(ty, Parts::DOUBLE) {
                let name = self.name_of(ty);
                self.error(at, format!("{what} is a scalar, a vector or an array of those, found `{name}`"));
            }
        }
        if kind == Kind::VARYING && structure && !self.at_least(300, 150) {
            self.error(
                at,
                format!("{what} cannot be a structure before `#version 150` or `#version 300 es`"),
            );
        }
        let integer = self.has(ty, Parts::INTEGER);
        let newer = self.enabled.has("GL_EXT_gpu_shader4") || self.version.number >= 130;
        let integers = !self.is_es() && newer;
        if old && integer && !integers {
            let name = self.name_of(ty);
            self.error(at, format!("{what} is made of floats, found `{name}`"));
        } else if kind == Kind::VARYING && (integer || self.has(ty, Parts::DOUBLE)) {
            self.check_flat(at, storage, all, ty);
        }
    }

    /// Integers are not interpolated.
    fn check_flat(&mut self, at: At, storage: Storage, all: &Qualifiers, ty: Ty) {
        let concerned = match self.stage {
            Stage::Fragment => storage == Storage::In,
            Stage::Vertex => self.is_es() && storage == Storage::Out,
            _ => false,
        };
        if concerned && all.layout.interpolation != hir::Interpolation::Flat {
            let name = self.name_of(ty);
            self.error(at, format!("`{name}` cannot be interpolated: it must be `flat`"));
        }
    }

    /// Whether a type is an image, or an array of some.
    pub(super) fn is_image(&self, ty: Ty) -> bool {
        let inner = self.ty(self.innermost(ty));
        matches!(inner, Type::Opaque(Opaque::Texture { access: Access::Storage, dim, .. }) if *dim != Dim::Subpass)
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
                if !constant {
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
            _ if all.place.is_some() => {
                self.error(at, "an input, output or shared variable cannot have an initialiser");
                return (None, ty);
            }
            _ => {}
        }
        (Some(expr), ty)
    }

    /// Whether an expression is a specialisation constant.
    pub(super) fn is_spec(&self, mut id: ExprId) -> bool {
        // Chains of operators go down to the left, without limit.
        while let ExprKind::Binary(_, left, right) | ExprKind::Logical(_, left, right) = &self.at(id).kind {
            if !self.is_spec(*right) {
                return false;
            }
            id = *left;
        }
        match &self.at(id).kind {
            ExprKind::Spec(_) | ExprKind::Constant(_) => true,
            ExprKind::Unary(_, a) | ExprKind::Convert(a) | ExprKind::Swizzle(a, _) => self.is_spec(*a),
            ExprKind::Ternary(a, b, c) => self.is_spec(*a) && self.is_spec(*b) && self.is_spec(*c),
            ExprKind::Construct(parts) => parts.iter().all(|&part| self.is_spec(part)),
            _ => false,
        }
    }

    /// `const`, outside or within functions.
    fn constant_variable(&mut self, declarator: &'a Declarator, ty: Ty, all: &Qualifiers) {
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
    fn constant_value(&mut self, declarator: &'a Declarator, ty: Ty) -> Option<(ExprId, Ty)> {
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
        if self.is_error(value) {
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
    fn bind_constant(
        &mut self,
        declarator: &Declarator,
        value: ExprId,
        ty: Ty,
        precision: Option<ast::Precision>,
    ) {
        let array = matches!(self.ty(ty), Type::Array(..));
        let bits = self.bits(value).filter(|bits| array || bits.len() > COPIED).map(Box::from);
        let Some(bits) = bits else {
            self.exprs[value.0 as usize].precision = precision;
            self.declare(declarator.name, Entity::Constant(value), declarator.at);
            return;
        };
        let id = self.add_global(hir::Global {
            name: declarator.name,
            ty,
            storage: Storage::Private,
            precision,
            layout: hir::Layout::default(),
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
        if let Some(other) = self.specs.iter().find(|spec| spec.id == id).map(|spec| spec.at) {
            self.conflict(declarator.at, format!("`constant_id = {id}` is taken"), Some(other), "here");
        }
        let spec = hir::SpecId(self.specs.len() as u32);
        self.specs.push(hir::Spec { name: declarator.name, id, ty, default, at: declarator.at });
        self.declare(declarator.name, Entity::Spec(spec), declarator.at);
    }

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
        if self.has_opaque(ty) {
            let message = format!(
                "`{}` is of opaque type: it must be a `uniform` or a parameter",
                self.text(declarator.name)
            );
            self.error(declarator.at, message);
        }
        let precision = self.precision_of(ty, all.precision, declarator.at);
        let (init, ty) = match (all.constant, declarator.init) {
            (Some(_), _) => {
                let Some((value, ty)) = self.constant_value(declarator, ty) else { return };
                if self.bits(value).is_some() {
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
            layout: hir::Layout::default(),
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

/// What the texels of a format are read as.
fn format_scalar(format: spirv::ImageFormat) -> Scalar {
    use spirv::ImageFormat::*;
    match format {
        Rgba32i | Rgba16i | Rgba8i | R32i | Rg32i | Rg16i | Rg8i | R16i | R8i => Scalar::Int,
        Rgba32ui | Rgba16ui | Rgba8ui | R32ui | Rgb10a2ui | Rg32ui | Rg16ui | Rg8ui | R16ui | R8ui => {
            Scalar::Uint
        }
        _ => Scalar::Float,
    }
}
