//! Functions: heads, bodies, and the set of those with one name.

use super::checker::Checker;
use super::layout::Kind;
use super::overload::Param;
use super::scope::Entity;
use super::state::{Body, Declared, Place, Qualifiers};
use crate::ast::{self, FunctionDef};
use crate::builtin::functions as rows;
use crate::hir::{self, FunctionId, LocalId, Passing};
use crate::qualifier::Precision;
use crate::token::{At, Symbol};
use crate::ty::{Ty, Type};

impl<'a> Checker<'a> {
    /// A function or a prototype.
    pub(super) fn function(&mut self, function: &'a FunctionDef) {
        let (name, at) = function.name;
        self.check_name(name, at);
        let qualifiers = self.qualifiers(&function.qualifiers, false);
        if let Some(at) = qualifiers.place_at.or(qualifiers.constant) {
            self.error(at, "the result of a function takes no such qualifier");
        }
        if let Some(at) = qualifiers.subroutine {
            self.error(at, "subroutines are not supported");
        }
        let result = self.resolve(&function.result, &[]);
        self.check_result(result, function);
        let precision = self.precision_of(result, qualifiers.precision, function.result.at);
        let heads: Vec<Head> = function.params.iter().filter_map(|param| self.param(param)).collect();
        let passed = heads.iter().map(|head| head.passed).collect();
        let id = self.declare_function(function, result, precision, &heads);
        if let (Some(id), Some(instruction)) = (id, qualifiers.spirv.instruction) {
            if function.body.is_some() {
                self.error(at, "a function that is an instruction has no body");
            }
            return self.declare_instruction(id, instruction, passed);
        }
        if let (Some(id), Some(body)) = (id, function.body) {
            self.function_body(id, heads, body, function, result, precision);
        }
    }

    fn check_result(&mut self, result: Ty, function: &FunctionDef) {
        let at = function.result.at;
        if self.has_opaque(result) {
            self.error(at, "a function cannot return an opaque type");
        }
        if self.is_unsized(result) {
            self.error(at, "the array that a function returns must have a size");
        }
        if matches!(self.ty(result), Type::Array(..)) {
            self.require(at, "a function that returns an array", crate::builtin::When::since(300, 120));
        }
        if matches!(function.result.name, ast::TypeName::Struct(_)) {
            self.error(at, "a structure cannot be declared as the result of a function");
        }
    }

    /// A parameter; `void` alone is none.
    fn param(&mut self, param: &'a ast::Param) -> Option<Head> {
        let all = self.qualifiers(&param.qualifiers, true);
        let ty = self.resolve(&param.ty, &param.name.dims);
        let at = if param.name.name == self.nameless() { param.at } else { param.name.at };
        if ty == self.known.void {
            self.error(at, "a parameter cannot be `void`");
            return None;
        }
        self.check_param_written(param, ty, at);
        match self.is_image(ty) && all.numbers.is_format() {
            true => self.check_layout(&all, Kind::IMAGE, "a parameter"),
            false => self.no_interface(&all, "a parameter"),
        }
        let restricts = self.has(ty, super::state::Parts::REFERENCE);
        if all.memory.is_some() && !self.is_image(ty) && !restricts {
            self.error(at, "only images take `coherent`, `volatile`, `restrict`, `readonly`, `writeonly`");
        }
        if param.name.name != self.nameless() {
            self.check_name(param.name.name, at);
        }
        let passing = self.passing(ty, &all, at);
        let precision = self.precision_of(ty, all.precision, at);
        let local = hir::Local {
            name: param.name.name,
            ty,
            precision,
            precise: all.layout.precise,
            layout: all.layout,
            at,
        };
        let passed = all.spirv.passed.unwrap_or(crate::inline::SpirvParam::Value);
        Some(Head { local, passing, constant: all.constant.is_some(), passed })
    }

    /// What a parameter cannot be written as.
    fn check_param_written(&mut self, param: &'a ast::Param, ty: Ty, at: At) {
        if matches!(param.ty.name, ast::TypeName::Struct(_)) {
            self.error(param.ty.at, "a structure cannot be declared in a parameter");
        }
        if self.is_unsized(ty) {
            self.error(at, "an array as a parameter must have a size");
        }
        if let Some(init) = param.name.init {
            let at = self.ast.exprs[init.0 as usize].at;
            self.error(at, "a parameter has no default value");
        }
    }

    /// How a parameter is passed.
    fn passing(&mut self, ty: Ty, all: &Qualifiers, at: At) -> Passing {
        let opaque = self.has_opaque(ty);
        let passing = match all.place {
            None | Some(Place::In) if opaque => Passing::Handle,
            None if all.spirv.passed == Some(crate::inline::SpirvParam::Pointer) => Passing::Inout,
            None | Some(Place::In) => Passing::In,
            Some(Place::Out) => Passing::Out,
            Some(Place::Inout) => Passing::Inout,
            Some(_) => {
                self.error(all.place_at.unwrap_or(at), "a parameter is `in`, `out`, `inout` or `const in`");
                Passing::In
            }
        };
        if opaque && matches!(passing, Passing::Out | Passing::Inout) {
            self.error(at, "a parameter of opaque type cannot be `out`");
        }
        if matches!(passing, Passing::Out | Passing::Inout) && matches!(self.ty(ty), Type::Array(..)) {
            self.require(at, "an array that is `out`", crate::builtin::When::since(100, 120));
        }
        if let (Some(at), Passing::Out | Passing::Inout) = (all.constant, passing) {
            self.error(at, "a `const` parameter cannot be `out`");
        }
        passing
    }

    /// Enters a function into the set of its name; `None` if it cannot be there.
    fn declare_function(
        &mut self,
        function: &'a FunctionDef,
        result: Ty,
        precision: Option<Precision>,
        heads: &[Head],
    ) -> Option<FunctionId> {
        let (name, at) = function.name;
        let params: Vec<Param> =
            heads.iter().map(|head| Param { ty: head.local.ty, passing: head.passing }).collect();
        self.check_builtin_clash(name, at, &params);
        self.check_main(function, result);
        let set = self.overload_set(name, at)?;
        let body = function.body.is_some();
        if let Some(id) = self.same_function(set, &params) {
            return self.declare_again(id, &params, (result, precision), heads, body, at);
        }
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(Declared {
            name,
            params,
            constants: heads.iter().map(|head| head.constant).collect(),
            layouts: heads.iter().map(|head| head.local.layout.clone()).collect(),
            result,
            precision,
            at,
            body: None,
            instruction: None,
            defined: body,
            calls: Vec::new(),
        });
        self.overloads[set as usize].push(id.0);
        Some(id)
    }

    /// The number of the set of functions with a name, which may have no other meaning.
    fn overload_set(&mut self, name: Symbol, at: At) -> Option<u32> {
        match self.scopes.find_here(name).map(|binding| (binding.entity, binding.at)) {
            Some((Entity::Functions(set), _)) => Some(set),
            Some((Entity::Poison, _)) => None,
            Some((_, before)) => {
                let message = format!("`{}` is declared already, and not as a function", self.text(name));
                self.conflict(at, message, before, "here");
                None
            }
            None => {
                let set = self.overloads.len() as u32;
                self.overloads.push(Vec::new());
                self.scopes.bind(name, Entity::Functions(set), Some(at));
                Some(set)
            }
        }
    }

    /// A function of a set with the same types of parameters.
    fn same_function(&self, set: u32, params: &[Param]) -> Option<FunctionId> {
        let same = |&&id: &&u32| {
            let known = &self.functions[id as usize].params;
            known.len() == params.len() && known.iter().zip(params).all(|(a, b)| a.ty == b.ty)
        };
        self.overloads[set as usize].iter().find(same).map(|&id| FunctionId(id))
    }

    /// A prototype again, or the body of one.
    fn declare_again(
        &mut self,
        id: FunctionId,
        params: &[Param],
        (result, precision): (Ty, Option<Precision>),
        heads: &[Head],
        body: bool,
        at: At,
    ) -> Option<FunctionId> {
        let known = &self.functions[id.0 as usize];
        let (before, defined, name) = (known.at, known.defined, known.name);
        let passed = known.params.iter().map(|p| p.passing).eq(params.iter().map(|p| p.passing))
            && known.constants.iter().copied().eq(heads.iter().map(|head| head.constant));
        let precise = known.precision == precision || !self.is_es();
        let name = self.text(name).to_owned();
        if known_result(self, id) != result || !precise {
            self.conflict(at, format!("`{name}` returns another type than before"), Some(before), "here");
            return None;
        }
        if !passed {
            let message = format!("the parameters of `{name}` are passed in another way than before");
            self.conflict(at, message, Some(before), "here");
            return None;
        }
        if body && defined {
            self.conflict(at, format!("`{name}` has two bodies"), Some(before), "here is the first");
            return None;
        }
        if !body && self.is_es() && !defined && self.version.number == 100 {
            self.conflict(at, format!("`{name}` is declared twice"), Some(before), "here");
        }
        let known = &mut self.functions[id.0 as usize];
        known.defined |= body;
        Some(id)
    }

    /// GLSL ES forbids functions that the language has.
    fn check_builtin_clash(&mut self, name: Symbol, at: At, params: &[Param]) {
        if !self.is_es() {
            return;
        }
        let (version, stage) = (self.version, self.stage);
        let there: Vec<_> = rows::named(self.text(name))
            .iter()
            .filter(|row| row.when.is(version, stage, &self.enabled))
            .copied()
            .collect();
        if there.is_empty() {
            return;
        }
        let types: Vec<Ty> = params.iter().map(|param| param.ty).collect();
        let exact = self.version.number >= 300 || there.iter().any(|row| self.has_form(row, &types));
        if exact {
            let name = self.text(name).to_owned();
            self.error(
                at,
                format!("`{name}` is a function of the language, which GLSL ES does not let you declare"),
            );
        }
    }

    fn check_main(&mut self, function: &FunctionDef, result: Ty) {
        if self.text(function.name.0) != "main" {
            return;
        }
        if result != self.known.void {
            self.error(function.result.at, "`main` must return `void`");
        }
        if !function.params.is_empty() {
            self.error(function.name.1, "`main` takes no parameters");
        }
    }

    fn function_body(
        &mut self,
        id: FunctionId,
        heads: Vec<Head>,
        body: ast::StmtId,
        function: &'a FunctionDef,
        result: Ty,
        precision: Option<Precision>,
    ) {
        self.body = Some(Body {
            result,
            locals: Vec::new(),
            read_only: Vec::new(),
            calls: Vec::new(),
            loops: 0,
            breakable: 0,
            start: self.exprs.len(),
            largest: Vec::new(),
            returns: false,
        });
        self.scopes.enter();
        self.precisions.enter();
        let params = heads.iter().map(|head| head.passing).collect();
        for head in heads {
            let (name, at) = (head.local.name, head.local.at);
            let read_only = head.constant.then_some("a constant parameter");
            let Some(local) = self.add_local(head.local, read_only) else { continue };
            if name != self.nameless() {
                self.declare(name, Entity::Local(local), at);
            }
        }
        let statements = self.body_statements(body);
        self.precisions.leave();
        self.scopes.leave();
        let Some(mut checked) = self.body.take() else { return };
        self.size_locals(&mut checked);
        if result != self.known.void && result != self.known.error && !super::stmt::ends(&statements) {
            let name = self.text(function.name.0).to_owned();
            match checked.returns {
                true => self.warning(function.name.1, format!("`{name}` may end without returning a value")),
                false => self.error(function.name.1, format!("`{name}` returns no value")),
            };
        }
        let declared = &mut self.functions[id.0 as usize];
        declared.calls = checked.calls;
        declared.body = Some(hir::Function {
            is_import: false,
            name: declared.name,
            result,
            precision,
            params,
            locals: checked.locals,
            body: statements,
            at: function.at,
        });
    }

    /// Local arrays without a size get the one that their largest constant index asks for.
    fn size_locals(&mut self, body: &mut Body) {
        if body.largest.is_empty() {
            return;
        }
        for &(id, largest) in &body.largest {
            let Some(local) = body.locals.get_mut(id.0 as usize) else { continue };
            if let Type::Array(element, crate::ty::Length::Unsized) = *self.types.get(local.ty) {
                let length = crate::ty::Length::Known(largest.saturating_add(1));
                local.ty = self.types.intern(Type::Array(element, length));
            }
        }
        for expr in self.exprs.iter_mut().skip(body.start) {
            if let hir::ExprKind::Local(id) = expr.kind
                && let Some(local) = body.locals.get(id.0 as usize)
            {
                expr.ty = local.ty;
            }
        }
    }

    /// Adds a variable of the function.
    pub(super) fn add_local(
        &mut self,
        local: hir::Local,
        read_only: Option<&'static str>,
    ) -> Option<LocalId> {
        let body = self.body.as_mut()?;
        let id = LocalId(body.locals.len() as u32);
        if matches!(self.types.get(local.ty), Type::Array(_, crate::ty::Length::Unsized)) {
            body.largest.push((id, 0));
        }
        body.locals.push(local);
        body.read_only.push(read_only);
        Some(id)
    }

    /// A variable of the function.
    pub(super) fn local(&self, id: LocalId) -> Option<&hir::Local> {
        self.body.as_ref()?.locals.get(id.0 as usize)
    }

    /// `precise x;` within a function.
    pub(super) fn set_precise(&mut self, id: LocalId) {
        if let Some(local) = self.body.as_mut().and_then(|body| body.locals.get_mut(id.0 as usize)) {
            local.precise = true;
        }
    }
}

fn known_result(checker: &Checker<'_>, id: FunctionId) -> Ty {
    checker.functions[id.0 as usize].result
}

/// A parameter of a function that is being declared.
struct Head {
    local: hir::Local,
    passing: Passing,
    constant: bool,
    /// How an instruction gets it.
    passed: crate::inline::SpirvParam,
}
