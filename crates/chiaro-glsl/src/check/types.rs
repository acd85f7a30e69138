//! Types as written become types: names, brackets, structures.

use super::checker::Checker;
use super::scope::Entity;
use super::state::{Parts, is_integer};
use crate::ast::{self, MemberDef, Qualifier, QualifierKind, Template, TemplateType, TypeName, TypeSpec};
use crate::builtin::When;
use crate::numeric::Num;
use crate::token::{At, Symbol};
use crate::ty::{Length, Member, Opaque, Scalar, Struct, Ty, Type};

/// Arrays and structures within each other that are followed.
const DEEPEST: u32 = 64;

/// Arrays of arrays.
const ARRAYS_OF_ARRAYS: When = When::since(310, 430).or(&["GL_ARB_arrays_of_arrays"]);

impl<'a> Checker<'a> {
    /// A type as something to compute with.
    pub(super) fn numeric(&self, ty: Ty) -> Option<Num> {
        Num::of(self.ty(ty))
    }

    /// The type of a shape.
    pub(super) fn of_numeric(&mut self, n: Num) -> Ty {
        self.types.intern(match (n.columns, n.rows) {
            (1, 1) => Type::Scalar(n.scalar),
            (1, rows) => Type::Vector(n.scalar, rows),
            (0, id) => Type::Coop(n.scalar, crate::ty::CoopId(id)),
            (columns, rows) => Type::Matrix { scalar: n.scalar, columns, rows },
        })
    }

    /// The type of a scalar or vector.
    pub(super) fn vector(&mut self, scalar: Scalar, rows: u8) -> Ty {
        self.of_numeric(Num { scalar, columns: 1, rows })
    }

    /// The element of an array, column of a matrix or component of a vector.
    pub(super) fn element(&mut self, ty: Ty) -> Option<Ty> {
        Some(match *self.ty(ty) {
            Type::Array(element, _) => element,
            Type::Matrix { scalar, rows, .. } => self.vector(scalar, rows),
            Type::Vector(scalar, _) | Type::Coop(scalar, _) => self.vector(scalar, 1),
            _ => return None,
        })
    }

    /// What kinds of parts a type has.
    pub(super) fn parts(&self, ty: Ty) -> Parts {
        let own = |kind| Parts { kinds: kind, scalars: 0, depth: 0 };
        match self.ty(ty) {
            Type::Opaque(_) => own(Parts::OPAQUE),
            Type::Reference(_) => Parts { kinds: Parts::REFERENCE, scalars: 1, depth: 0 },
            Type::Coop(_, id) if self.types.coop(*id).kind != crate::ty::CoopKind::Long => {
                Parts { kinds: Parts::COOPERATIVE, scalars: 1, depth: 0 }
            }
            Type::Addressing(_) => own(Parts::COOPERATIVE),
            Type::Struct(id) => self.structures.get(id.0 as usize).copied().unwrap_or_default(),
            Type::Array(element, length) => {
                let inner = self.parts(*element);
                let count = if let Length::Known(n) = length { *n as usize } else { 0 };
                let open = if *length == Length::Unsized { Parts::OPEN } else { 0 };
                let kinds = inner.kinds | Parts::ARRAY | open;
                let scalars = inner.scalars.saturating_mul(count);
                Parts { kinds, scalars, depth: inner.depth + 1 }
            }
            other => {
                let Some(shape) = Num::of(other) else { return Parts::default() };
                let kind = match shape.scalar {
                    Scalar::Bool => Parts::BOOL,
                    Scalar::Double => Parts::DOUBLE,
                    Scalar::Small(_) => Parts::SMALL,
                    scalar if is_integer(scalar) => Parts::INTEGER,
                    _ => 0,
                };
                let matrix = if shape.is_matrix() { Parts::MATRIX } else { 0 };
                Parts { kinds: kind | matrix, scalars: shape.count(), depth: 0 }
            }
        }
    }

    /// Whether a type has parts of some kinds.
    pub(super) fn has(&self, ty: Ty, kinds: u16) -> bool {
        self.parts(ty).kinds & kinds != 0
    }

    /// How many scalars a value of a type has; 0 where that is not known.
    pub(super) fn scalars(&self, ty: Ty) -> usize {
        self.parts(ty).scalars
    }

    /// Whether a type is opaque or has such a part.
    pub(super) fn has_opaque(&self, ty: Ty) -> bool {
        self.has(ty, Parts::OPAQUE)
    }

    /// Whether a type is an array whose outermost length is not known.
    pub(super) fn is_unsized(&self, ty: Ty) -> bool {
        matches!(self.ty(ty), Type::Array(_, Length::Unsized))
    }

    /// An array's element, whatever its dimensions; the type itself if it is none.
    pub(super) fn innermost(&self, mut ty: Ty) -> Ty {
        while let Type::Array(element, _) = self.ty(ty) {
            ty = *element;
        }
        ty
    }

    /// The type that a name with brackets stands for; those of a declarator come outside.
    pub(super) fn resolve(&mut self, spec: &'a TypeSpec, outer: &'a [Option<ast::ExprId>]) -> Ty {
        let base = self.resolve_name(&spec.name, spec.at);
        self.resolve_dims(base, spec, outer)
    }

    /// Puts brackets around a type: those of its name, then those of a declarator.
    pub(super) fn resolve_dims(
        &mut self,
        base: Ty,
        spec: &'a TypeSpec,
        outer: &'a [Option<ast::ExprId>],
    ) -> Ty {
        let count = spec.dims.len() + outer.len();
        if count == 0 || base == self.known.error {
            return base;
        }
        if base == self.known.void {
            self.error(spec.at, "an array of `void` cannot be");
            return self.known.error;
        }
        if !spec.dims.is_empty() {
            self.require(spec.at, "an array as a type of its own", When::since(100, 120));
        }
        if count > 1 {
            self.require(spec.at, "an array of arrays", ARRAYS_OF_ARRAYS);
        }
        let mut ty = base;
        for dim in outer.iter().chain(&spec.dims).rev() {
            let Some(length) = dim.map_or(Some(Length::Unsized), |size| self.array_length(size)) else {
                return self.known.error;
            };
            ty = self.types.intern(Type::Array(ty, length));
            if self.parts(ty).depth > DEEPEST {
                let message = format!("arrays and structures are nested more than {DEEPEST} deep");
                self.error(spec.at, message);
                return self.known.error;
            }
        }
        ty
    }

    /// The number in brackets: a positive constant.
    fn array_length(&mut self, size: ast::ExprId) -> Option<Length> {
        let expr = self.expr(size);
        let at = self.at(expr).at;
        let ty = self.ty_of(expr);
        if ty == self.known.error {
            return None;
        }
        let integer = ty == self.known.int || ty == self.known.uint;
        let specialised = if integer { self.specialised(expr, self.nameless(), at) } else { None };
        if let Some(spec) = specialised {
            let default = self.specs.get(spec.0 as usize).map_or(1, |spec| spec.default as u32);
            return Some(Length::Spec(spec.0, default.max(1)));
        }
        if integer && self.bits(expr).is_none() && self.is_spec(expr) {
            self.warning(
                at,
                "the size follows the defaults of the specialisation constants, whatever they are set to",
            );
        }
        let Some(bits) = self.default_bits(expr, 64).filter(|_| integer) else {
            let found = self.name_of(ty);
            let message = match integer {
                true => "the size of an array must be a constant expression".to_owned(),
                false => format!("the size of an array must be an integer, found `{found}`"),
            };
            self.error(at, message);
            return None;
        };
        let negative = ty == self.known.int && (bits as u32 as i32) <= 0;
        if negative || bits == 0 {
            self.error(at, format!("the size of an array must be positive, found {}", bits as u32 as i32));
            return None;
        }
        Some(Length::Known(bits as u32))
    }

    /// The type of a name, without brackets.
    pub(super) fn resolve_name(&mut self, name: &'a TypeName, at: At) -> Ty {
        match name {
            TypeName::Void => self.known.void,
            TypeName::Known { scalar, columns, rows } => {
                self.of_numeric(Num { scalar: *scalar, columns: *columns, rows: *rows })
            }
            TypeName::Template(written) => self.template_type(written, at),
            TypeName::Spirv(args) => self.spirv_type(args, at),
            TypeName::Opaque(opaque) => self.types.intern(Type::Opaque(*opaque)),
            TypeName::Named(symbol) => self.resolve_named(*symbol, at),
            TypeName::Struct(definition) => self.structure(definition),
            TypeName::Block(block) => self.inline_reference(block),
        }
    }

    /// A type with others in angle brackets.
    fn template_type(&mut self, written: &'a TemplateType, at: At) -> Ty {
        let element = written.element.as_ref().map(|name| self.resolve_name(name, at));
        if let Template::Coop(kind, family) = written.template {
            return self.coop_type((kind, family), written, element, at);
        }
        let Some(element) = element else {
            self.error(at, "a type in angle brackets has to follow");
            return self.known.error;
        };
        match written.template {
            Template::Tensor => self.tensor_type(written, element, at),
            Template::Vector | Template::Coop(..) => self.vector_type(written, element, at),
        }
    }

    fn resolve_named(&mut self, symbol: Symbol, at: At) -> Ty {
        match self.scopes.find(symbol).map(|binding| binding.entity) {
            Some(Entity::Struct(ty)) => return ty,
            Some(Entity::Poison) => return self.known.error,
            Some(_) => {
                let message = format!("`{}` is not a type", self.text(symbol));
                self.error(at, message);
                return self.known.error;
            }
            None => {}
        }
        if let Some(ty) = self.builtin_structure(symbol) {
            return ty;
        }
        self.scopes.bind(symbol, Entity::Poison, Some(at));
        if self.is_told(at) {
            self.failed = true;
            return self.known.error;
        }
        let message = format!("unknown type `{}`", self.text(symbol));
        let meant = self.meant(symbol, false);
        let error = self.error(at, message);
        error.mean(meant);
        self.known.error
    }

    /// Declares a structure.
    fn structure(&mut self, definition: &'a ast::StructDef) -> Ty {
        let name = definition.name.unwrap_or(self.nameless());
        if let Some(symbol) = definition.name {
            self.check_name(symbol, definition.at);
        }
        let mut members = Vec::new();
        for member in &definition.members {
            self.members(member, &mut members);
        }
        if members.is_empty() && definition.members.is_empty() {
            self.error(definition.at, "a structure must have members");
        }
        self.check_unique(&members, definition.at, "structure");
        let ty = self.new_struct(Struct { name, members });
        if self.parts(ty).depth > DEEPEST {
            let message = format!("structures and arrays are nested more than {DEEPEST} deep");
            self.error(definition.at, message);
            if let Some(symbol) = definition.name {
                self.scopes.bind(symbol, Entity::Poison, Some(definition.at));
            }
            return self.known.error;
        }
        if let Some(symbol) = definition.name {
            self.declare(symbol, Entity::Struct(ty), definition.at);
        }
        ty
    }

    /// A structure with an identity of its own.
    pub(super) fn new_struct(&mut self, structure: Struct) -> Ty {
        let id = crate::ty::StructId(self.types.structs.len() as u32);
        let mut all = Parts { kinds: Parts::STRUCT, scalars: 0, depth: 0 };
        for member in &structure.members {
            let parts = self.parts(member.ty);
            all.kinds |= parts.kinds;
            all.scalars = all.scalars.saturating_add(parts.scalars);
            all.depth = all.depth.max(parts.depth + 1);
        }
        self.structures.push(all);
        self.types.structs.push(structure);
        self.types.intern(Type::Struct(id))
    }

    /// The members that one declaration within a structure makes.
    fn members(&mut self, definition: &'a MemberDef, members: &mut Vec<Member>) {
        let written = self.member_precision(&definition.qualifiers);
        if let TypeName::Struct(inner) = &definition.ty.name
            && (self.is_es() || inner.name.is_none())
        {
            self.error(definition.ty.at, "a structure within a structure must be declared before it");
        }
        let base = self.resolve_name(&definition.ty.name, definition.ty.at);
        for declarator in &definition.names {
            self.check_name(declarator.name, declarator.at);
            if let Some(init) = declarator.init {
                let at = self.ast.exprs[init.0 as usize].at;
                self.error(at, "a member of a structure cannot have an initialiser");
            }
            let ty = self.resolve_dims(base, &definition.ty, &declarator.dims);
            self.check_member_type(ty, declarator.at);
            if self.is_unsized(ty) {
                self.error(declarator.at, "an array in a structure must have a size");
            }
            let precision = self.precision_of(ty, written, declarator.at);
            members.push(Member { name: declarator.name, ty, precision, precise: false });
        }
    }

    /// Reports types that no member can have.
    pub(super) fn check_member_type(&mut self, ty: Ty, at: At) {
        if self.innermost(ty) == self.known.void {
            self.error(at, "a member cannot be `void`");
        }
        if matches!(self.ty(self.innermost(ty)), Type::Addressing(_)) {
            self.error(at, "a layout or view of tensors cannot be a member");
        }
        if matches!(self.ty(self.innermost(ty)), Type::Opaque(Opaque::AtomicCounter)) {
            self.error(at, "an atomic counter cannot be a member");
        }
        if matches!(self.ty(self.innermost(ty)), Type::Opaque(Opaque::HitObject(_))) {
            self.error(at, "a hit object cannot be a member: it is a variable by itself");
        }
    }

    /// The precision among a structure member's qualifiers, which may be nothing else.
    fn member_precision(&mut self, qualifiers: &'a [Qualifier]) -> Option<crate::qualifier::Precision> {
        let mut found = None;
        for qualifier in qualifiers {
            match qualifier.kind {
                QualifierKind::Precision(precision) => found = Some(precision),
                _ => {
                    self.error(qualifier.at, "a member of a structure takes no qualifier but a precision");
                }
            }
        }
        found
    }

    /// Reports members that have one name.
    pub(super) fn check_unique(&mut self, members: &[Member], at: At, what: &str) {
        let mut names: Vec<Symbol> = members.iter().map(|member| member.name).collect();
        names.sort_unstable();
        for pair in names.windows(2).filter(|pair| pair[0] == pair[1]) {
            let message = format!("the {what} has two members named `{}`", self.text(pair[0]));
            self.error(at, message);
        }
    }
}
