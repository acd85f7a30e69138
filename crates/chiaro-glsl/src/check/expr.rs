//! Expressions: names, literals, indices, choices; the others have files of their own.

use super::call::Call;
use super::checker::Checker;
use super::scope::Entity;
use crate::ast::{self, ExprKind as Written};
use crate::builtin::When;
use crate::hir::{ExprId, ExprKind, GlobalId};
use crate::qualifier::Storage;
use crate::token::{At, Symbol};
use crate::ty::{Access, Length, Opaque, Scalar, Ty, Type};

impl<'a> Checker<'a> {
    /// Checks an expression whose value is used.
    pub(super) fn expr(&mut self, id: ast::ExprId) -> ExprId {
        let checked = self.part_of(id);
        if !self.is_open(checked) {
            return checked;
        }
        let at = self.at(checked).at;
        self.error(at, "an array that goes on to the end of its buffer has no value as a whole")
            .help
            .push("take an element of it, or its `length()`".into());
        self.wrong(at)
    }

    /// Checks an expression of which only a part may be used, or its length.
    pub(super) fn part_of(&mut self, id: ast::ExprId) -> ExprId {
        let ast = self.ast;
        let written = &ast.exprs[id.0 as usize];
        let at = written.at;
        match &written.kind {
            Written::Error => self.wrong(at),
            Written::Text(_) => {
                self.error(at, "a text can only be an argument of what takes one");
                self.wrong(at)
            }
            Written::Name(symbol) => self.name(*symbol, at),
            Written::Bool(value) => self.constant([u64::from(*value)], self.known.bool, at),
            Written::Int(value, scalar) => self.literal(*value, *scalar, at),
            Written::Float(value, scalar) => {
                let bits = match scalar {
                    Scalar::Double => value.to_bits(),
                    _ => u64::from((*value as f32).to_bits()),
                };
                self.literal(bits, *scalar, at)
            }
            // Chains of operators are as long as a source likes: walked, not recursed into.
            Written::Binary(..) => self.binary_chain(id),
            Written::Comma(..) => self.comma_chain(id),
            _ => match self.deeper(at, |this| this.nested(id)) {
                Some(expr) => expr,
                None => self.wrong(at),
            },
        }
    }

    fn nested(&mut self, id: ast::ExprId) -> ExprId {
        let ast = self.ast;
        let written = &ast.exprs[id.0 as usize];
        let at = written.at;
        match &written.kind {
            Written::Index(base, index) => self.index(*base, *index, at),
            Written::Field(base, name, name_at) => self.field(*base, *name, *name_at, at),
            Written::Call(name, name_at, args) => {
                self.call(&Call { name: *name, name_at: *name_at, args, at })
            }
            Written::Construct(ty, args) => self.constructor(ty, args, at),
            Written::Cast(ty, args) => self.cast(ty, args, at),
            Written::Method(base, name, args) => self.method(*base, *name, args, at),
            Written::Unary(op, operand) => self.unary(*op, *operand, at),
            Written::Ternary(condition, yes, no) => self.ternary(*condition, *yes, *no, at),
            Written::Assign(op, place, value) => self.assign(*op, *place, *value, at),
            Written::List(_) => {
                self.error(at, "a list in braces is for initialisers");
                self.wrong(at)
            }
            _ => self.wrong(at),
        }
    }

    fn literal(&mut self, bits: u64, scalar: Scalar, at: At) -> ExprId {
        let ty = match scalar {
            Scalar::Int => self.known.int,
            Scalar::Uint => self.known.uint,
            Scalar::Float => self.known.float,
            _ => self.vector(scalar, 1),
        };
        self.constant([bits], ty, at)
    }

    /// A name as a value or a place.
    fn name(&mut self, symbol: Symbol, at: At) -> ExprId {
        let entity = self.scopes.find(symbol).map(|binding| binding.entity);
        let entity = match entity {
            Some(entity) => entity,
            None => match self.builtin_entity(symbol, at) {
                Some(entity @ Entity::Global(_)) => {
                    self.scopes.bind_builtin(symbol, entity);
                    entity
                }
                Some(entity) => entity,
                None => {
                    self.undeclared(symbol, at);
                    return self.wrong(at);
                }
            },
        };
        match entity {
            Entity::Local(id) => {
                let Some(local) = self.local(id) else { return self.wrong(at) };
                let (ty, precision, differs) = (local.ty, local.precision, local.layout.nonuniform);
                let named = self.push(ExprKind::Local(id), ty, precision, at);
                if differs {
                    self.nonuniform.insert(named);
                }
                named
            }
            Entity::Global(id) => self.use_global(id, at),
            Entity::Member(id, n) => {
                let place = self.use_global(id, at);
                self.member(place, n, at)
            }
            Entity::Constant(value) => {
                let known = self.at(value);
                let (kind, ty, precision) = (copy(&known.kind), known.ty, known.precision);
                self.push(kind, ty, precision, at)
            }
            Entity::Spec(id) => {
                let ty = self.specs.get(id.0 as usize).map_or(self.known.error, |spec| spec.ty);
                self.push(ExprKind::Spec(id), ty, None, at)
            }
            Entity::Struct(_) | Entity::Functions(_) | Entity::Block => {
                let what = match entity {
                    Entity::Struct(_) => "a type",
                    Entity::Block => "the name of a block",
                    _ => "a function",
                };
                let message = format!("`{}` is {what}, not a value", self.text(symbol));
                self.error(at, message);
                self.wrong(at)
            }
            Entity::Poison => self.wrong(at),
        }
    }

    /// A global as an expression; it counts as used from now on.
    fn use_global(&mut self, id: GlobalId, at: At) -> ExprId {
        let global = &mut self.globals[id.0 as usize];
        global.used = true;
        let (ty, precision, differs) = (global.ty, global.precision, global.layout.nonuniform);
        let named = self.push(ExprKind::Global(id), ty, precision, at);
        if differs {
            self.nonuniform.insert(named);
        }
        named
    }

    /// Reports that a name means nothing, once in a scope.
    pub(super) fn undeclared(&mut self, symbol: Symbol, at: At) {
        let name = self.text(symbol).to_owned();
        let absence = self.builtin_absence(symbol);
        let meant = self.meant(symbol, false);
        let (version, head) = (self.version, self.head);
        let error = match absence {
            Some(_) => self.error(at, format!("`{name}` is not available here")),
            None => self.error(at, format!("`{name}` is not declared")),
        };
        match (absence, meant) {
            (Some(absence), _) => error.advised(Some(absence.advice(version, head))),
            (None, Some(meant)) => error.mean(Some(meant)),
            _ => {}
        }
        self.scopes.bind(symbol, Entity::Poison, Some(at));
    }

    /// `a[i]`
    fn index(&mut self, base: ast::ExprId, index: ast::ExprId, at: At) -> ExprId {
        let base = self.part_of(base);
        let index = self.expr(index);
        self.must_be_readable(index);
        let (base_ty, index_ty) = (self.ty_of(base), self.ty_of(index));
        if base_ty == self.known.error {
            return self.wrong(at);
        }
        if matches!(self.ty(base_ty), Type::Reference(_)) {
            return self.reference_element(base, index, at);
        }
        let Some(element) = self.element(base_ty) else {
            let found = self.name_of(base_ty);
            self.error(at, format!("`{found}` has no elements: only arrays, vectors and matrices do"));
            return self.wrong(at);
        };
        if index_ty == self.known.error {
            return self.wrong(at);
        }
        if index_ty != self.known.int && index_ty != self.known.uint && !self.is_sized_index(index_ty) {
            let (index_at, found) = (self.at(index).at, self.name_of(index_ty));
            self.error(index_at, format!("an index must be an integer, found `{found}`"));
            return self.wrong(at);
        }
        let constant = self.bits(index).and_then(<[u64]>::first).map(|&bits| bits as u32);
        match constant {
            Some(n) => {
                if !self.check_bounds(base, base_ty, n, index_ty == self.known.int, index) {
                    return self.wrong(at);
                }
            }
            None => self.check_dynamic_index(base, base_ty, index),
        }
        if let (Some(n), Some(bits)) = (constant, self.bits(base)) {
            let size = self.scalars(element);
            let start = n as usize * size;
            if let Some(part) = bits.get(start..start + size).map(<[u64]>::to_vec) {
                return self.constant(part, element, at);
            }
        }
        let precision = self.at(base).precision;
        self.push(ExprKind::Index(base, index), element, precision, at)
    }

    /// Integers of 8, 16 and 64 bits index as well where their extension is on.
    fn is_sized_index(&self, ty: Ty) -> bool {
        const SIZED: When = When::with(&[
            "GL_EXT_shader_explicit_arithmetic_types",
            "GL_EXT_shader_explicit_arithmetic_types_int8",
            "GL_EXT_shader_explicit_arithmetic_types_int16",
            "GL_EXT_shader_explicit_arithmetic_types_int64",
        ]);
        matches!(self.ty(ty), Type::Scalar(scalar) if super::state::is_integer(*scalar))
            && SIZED.is(self.version, self.stage, &self.enabled)
    }

    /// A constant index lies within; an array without a size grows to hold it.
    fn check_bounds(&mut self, base: ExprId, ty: Ty, n: u32, signed: bool, index: ExprId) -> bool {
        let at = self.at(index).at;
        let count = match *self.ty(ty) {
            Type::Array(_, Length::Known(count)) => count,
            Type::Array(_, Length::Unsized) => {
                let mut most = None;
                if let (ExprKind::Local(id), Some(body)) = (&self.exprs[base.0 as usize].kind, &mut self.body)
                    && let Some(known) = body.largest.iter_mut().find(|known| known.0 == *id)
                {
                    known.1 = known.1.max(n);
                }
                if let ExprKind::Global(id) = self.at(base).kind {
                    let facts = &mut self.facts[id.0 as usize];
                    facts.largest = facts.largest.max(n);
                    most = self.most_elements(id);
                }
                most.unwrap_or(u32::MAX)
            }
            // What the host sets itself is at least its default for what is written here.
            Type::Array(_, Length::Spec(spec, default))
                if self.specs.get(spec as usize).is_some_and(|spec| spec.value.is_none()) =>
            {
                default
            }
            Type::Array(..) => u32::MAX,
            Type::Matrix { columns, .. } => u32::from(columns),
            Type::Vector(_, rows) => u32::from(rows),
            Type::Coop(_, id) => self.types.coop(id).components().unwrap_or(u32::MAX),
            _ => u32::MAX,
        };
        if signed && (n as i32) < 0 {
            self.error(at, format!("the index {} is negative", n as i32));
            return false;
        }
        if n >= count {
            let name = self.name_of(ty);
            self.error(
                at,
                format!("the index {n} is out of bounds: `{name}` has elements 0 to {}", count - 1),
            );
            return false;
        }
        true
    }

    /// Some arrays are indexed by constants only, until a version or extension lifts that.
    fn check_dynamic_index(&mut self, base: ExprId, ty: Ty, index: ExprId) {
        let at = self.at(index).at;
        let sized_by_use = match self.at(base).kind {
            ExprKind::Global(id) => self.global(id).block.is_none() && self.global(id).layout.heap.is_none(),
            ExprKind::Local(_) => true,
            _ => false,
        };
        if self.is_unsized(ty)
            && sized_by_use
            && !(self.has_opaque(ty) && self.enabled.has("GL_EXT_nonuniform_qualifier"))
        {
            self.error(at, "an array without a size is indexed by constants only")
                .help
                .push("give the array a size in its declaration".into());
            return;
        }
        let Type::Array(..) = self.ty(ty) else { return };
        const DYNAMIC: When = When::since(320, 400).or(&[
            "GL_ARB_gpu_shader5",
            "GL_EXT_gpu_shader5",
            "GL_OES_gpu_shader5",
            "GL_EXT_nonuniform_qualifier",
            "GL_ARB_bindless_texture",
        ]);
        let (what, free) = match self.ty(self.innermost(ty)) {
            Type::Opaque(Opaque::Texture { access: Access::Sampled, .. }) => {
                ("an array of samplers", !self.at_least(300, 130))
            }
            Type::Opaque(Opaque::Texture { access: Access::Storage, .. }) => {
                ("an array of images", !self.is_es())
            }
            Type::Struct(_) => match self.at(base).kind {
                ExprKind::Global(id) if self.global(id).block.is_some() => match self.global(id).storage {
                    Storage::Uniform => ("an array of uniform blocks", false),
                    Storage::Buffer => ("an array of buffer blocks", !self.is_es()),
                    _ => return,
                },
                _ => return,
            },
            _ => return,
        };
        if !free && !DYNAMIC.is(self.version, self.stage, &self.enabled) {
            let help = When::check(&DYNAMIC, self.version, self.stage, &self.enabled).err().map(|absence| {
                absence.advice(self.version, self.head).after("indices that are no constants: ")
            });
            let error = self.error(at, format!("{what} is indexed by constant expressions only"));
            error.advised(help);
        }
        if let (ExprKind::Global(id), true) = (&self.at(base).kind, self.is_es())
            && self.global(*id).storage == Storage::Out
            && self.is_fragment()
            && self.version.number >= 300
        {
            self.error(at, "an array of outputs is indexed by constant expressions only");
        }
    }

    /// `a ? b : c`
    fn ternary(&mut self, condition: ast::ExprId, yes: ast::ExprId, no: ast::ExprId, at: At) -> ExprId {
        let condition = self.expr(condition);
        let condition = self.must_be_bool(condition, "the condition of `?:`");
        let (yes, no) = (self.expr(yes), self.expr(no));
        let (a, b) = (self.ty_of(yes), self.ty_of(no));
        if [condition, yes, no].iter().any(|&id| self.is_error(id)) {
            return self.wrong(at);
        }
        self.must_be_readable(yes);
        self.must_be_readable(no);
        let (yes, no) = if a == b {
            (yes, no)
        } else if self.fits(b, a) {
            (yes, self.convert(no, a))
        } else if self.fits(a, b) {
            (self.convert(yes, b), no)
        } else {
            let (a, b) = (self.name_of(a), self.name_of(b));
            self.error(at, format!("the two sides of `?:` are of different types: `{a}` and `{b}`"));
            return self.wrong(at);
        };
        let ty = self.ty_of(yes);
        if self.has_opaque(ty) {
            self.error(at, "`?:` cannot choose among opaque types");
            return self.wrong(at);
        }
        if self.is_unsized(ty) {
            return self.size_unknown(at);
        }
        if matches!(self.ty(ty), Type::Array(..)) && !self.at_least(300, 120) {
            self.error(at, "`?:` cannot choose among arrays in this version");
        }
        let precision = self.highest(&[yes, no]);
        if let (Some(&[bit]), true) =
            (self.bits(condition), self.bits(yes).is_some() && self.bits(no).is_some())
        {
            let chosen = if bit != 0 { yes } else { no };
            let bits = self.bits(chosen).unwrap_or_default().to_vec();
            return self.push(ExprKind::Constant(bits.into()), ty, precision, at);
        }
        self.push(ExprKind::Ternary(condition, yes, no), ty, precision, at)
    }

    /// `a, b, c`: however many.
    fn comma_chain(&mut self, id: ast::ExprId) -> ExprId {
        let ast = self.ast;
        let mut pending = Vec::new();
        let mut leftmost = id;
        while let Written::Comma(first, second) = &ast.exprs[leftmost.0 as usize].kind {
            pending.push((*second, ast.exprs[leftmost.0 as usize].at));
            leftmost = *first;
        }
        let mut value = self.expr(leftmost);
        while let Some((second, at)) = pending.pop() {
            let second = match self.deeper(at, |this| this.expr(second)) {
                Some(second) => second,
                None => self.wrong(at),
            };
            value = self.comma(value, second, at);
        }
        value
    }

    /// `a, b`; constant in the versions that say so.
    fn comma(&mut self, first: ExprId, second: ExprId, at: At) -> ExprId {
        if self.is_error(first) || self.is_error(second) {
            return self.wrong(at);
        }
        let (ty, precision) = (self.ty_of(second), self.at(second).precision);
        if self.is_unsized(ty) {
            return self.size_unknown(at);
        }
        let constant = !self.at_least(300, 430) && self.bits(first).is_some();
        if let (true, Some(bits)) = (constant, self.bits(second).map(Box::from)) {
            return self.push(ExprKind::Constant(bits), ty, precision, at);
        }
        self.push(ExprKind::Comma(first, second), ty, precision, at)
    }

    /// Reports that an operator would have to give an array whose size is found later.
    fn size_unknown(&mut self, at: At) -> ExprId {
        self.error(at, "an array is the result of an operator only if its size is known");
        self.wrong(at)
    }
}

/// A constant again, for another place.
fn copy(kind: &ExprKind) -> ExprKind {
    match kind {
        ExprKind::Constant(bits) => ExprKind::Constant(bits.clone()),
        ExprKind::Spec(id) => ExprKind::Spec(*id),
        ExprKind::Null => ExprKind::Null,
        ExprKind::Unary(op, a) => ExprKind::Unary(*op, *a),
        ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, *a, *b),
        ExprKind::Logical(op, a, b) => ExprKind::Logical(*op, *a, *b),
        ExprKind::Ternary(a, b, c) => ExprKind::Ternary(*a, *b, *c),
        ExprKind::Convert(a) => ExprKind::Convert(*a),
        ExprKind::Swizzle(a, which) => ExprKind::Swizzle(*a, *which),
        ExprKind::Construct(parts) => ExprKind::Construct(parts.clone()),
        _ => ExprKind::Constant(Box::default()),
    }
}
