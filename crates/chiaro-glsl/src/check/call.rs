//! Calls: candidates of the source and of the language, the choice, and the arguments.

use super::checker::Checker;
use super::overload::{Choice, Param, choose};
use super::scope::Entity;
use crate::ast;
use crate::builtin::functions::{self as rows, Row};
use crate::builtin::pattern::{Binding, Form, bind};
use crate::hir::{ExprId, ExprKind, FunctionId, Passing};
use crate::token::{At, Symbol};
use crate::ty::{Ty, Type};
use std::rc::Rc;

/// A function that a call may mean.
#[derive(Clone, Copy, Debug)]
enum Candidate {
    /// Of the source.
    Own(FunctionId),
    /// Of the language: the row, and the result.
    Language(&'static Row, Ty),
}

/// A call as it is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call<'a> {
    pub(super) name: Symbol,
    pub(super) name_at: At,
    pub(super) args: &'a [ast::ExprId],
    pub(super) at: At,
}

/// What the name of a call stands for.
enum Callee {
    /// A structure, whose constructor this is.
    Structure(Ty),
    /// Functions of the source, by the number of their set, or of the language.
    Functions(Option<u32>),
    /// Something else, which was reported; the arguments are worth a look if it was so before.
    Wrong { before: bool },
}

impl<'a> Checker<'a> {
    /// `f(a, b)`
    pub(super) fn call(&mut self, call: &Call<'a>) -> ExprId {
        let own = match self.callee(call) {
            Callee::Structure(ty) => return self.constructor_of(ty, call.args, call.at),
            Callee::Functions(own) => own,
            Callee::Wrong { before } => {
                let args = if before { call.args } else { &[] };
                args.iter().for_each(|&arg| _ = self.expr(arg));
                return self.wrong(call.at);
            }
        };
        let special = self.special(call.name, own);
        if let Some(special) = special.filter(|special| special.takes_written()) {
            return self.call_written(special, call);
        }
        let args: Vec<ExprId> = call.args.iter().map(|&arg| self.expr(arg)).collect();
        if args.iter().any(|&arg| self.is_error(arg)) {
            return self.wrong_call(call.name, own, call.at);
        }
        match special.and_then(|special| self.call_special(special, &args, call)) {
            Some(made) => made,
            None => self.call_chosen(own, args, call),
        }
    }

    /// What the name of a call stands for; reported where it can be no call.
    fn callee(&mut self, call: &Call<'a>) -> Callee {
        match self.scopes.find(call.name).map(|binding| binding.entity) {
            Some(Entity::Struct(ty)) => Callee::Structure(ty),
            Some(Entity::Functions(set)) => Callee::Functions(Some(set)),
            Some(Entity::Poison) => Callee::Wrong { before: true },
            Some(_) => {
                let message = format!("`{}` is a variable here, not a function", self.text(call.name));
                self.error(call.name_at, message);
                Callee::Wrong { before: false }
            }
            None => match self.builtin_structure(call.name) {
                Some(ty) => Callee::Structure(ty),
                None => Callee::Functions(None),
            },
        }
    }

    /// Calls the function that fits the arguments best.
    fn call_chosen(&mut self, own: Option<u32>, args: Vec<ExprId>, call: &Call<'a>) -> ExprId {
        let types: Vec<Ty> = args.iter().map(|&arg| self.ty_of(arg)).collect();
        if let Some((candidate, params)) = self.exact(call.name, own, &types) {
            return self.call_candidate(candidate, &params, args, call);
        }
        let (candidates, params) = self.candidates(call.name, own, &types);
        let lists: Vec<&[Param]> = params.iter().map(Vec::as_slice).collect();
        match choose(&lists, &types, &self.types, &self.conversions) {
            Choice::One(n) => self.call_candidate(candidates[n], &params[n], args, call),
            Choice::None => {
                self.no_candidate(call.name, call.name_at, own, &types);
                self.wrong(call.at)
            }
            Choice::Ambiguous(a, b) => self.ambiguous(&params[a], &params[b], call),
        }
    }

    fn call_candidate(
        &mut self,
        candidate: Candidate,
        params: &[Param],
        args: Vec<ExprId>,
        call: &Call<'a>,
    ) -> ExprId {
        match candidate {
            Candidate::Own(id) => self.call_own(id, args, call.name_at, call.at),
            Candidate::Language(row, result) => self.call_language(row, result, params, args, call.at),
        }
    }

    /// Reports that two functions fit equally well.
    fn ambiguous(&mut self, a: &[Param], b: &[Param], call: &Call<'a>) -> ExprId {
        let (first, second) = (self.head(call.name, a), self.head(call.name, b));
        let message = format!("this call of `{}` is ambiguous", self.text(call.name));
        let error = self.error(call.name_at, message);
        error.notes.push(format!("it may mean `{first}` or `{second}`"));
        error.help.push("convert an argument so that one fits exactly".into());
        self.wrong(call.at)
    }

    /// What a call with a wrong argument is: of the right type if only one function can be
    /// meant, so that what follows is still checked.
    fn wrong_call(&mut self, name: Symbol, own: Option<u32>, at: At) -> ExprId {
        let only = own.and_then(|set| match self.overloads[set as usize].as_slice() {
            [one] if rows::named(self.text(name)).is_empty() => Some(self.functions[*one as usize].result),
            _ => None,
        });
        match only {
            Some(result) => self.push(ExprKind::Constant(Box::default()), result, None, at),
            None => self.wrong(at),
        }
    }

    /// The rows of a name that are there in this source.
    pub(super) fn rows(&mut self, name: Symbol) -> Rc<[&'static Row]> {
        let index = name.0 as usize;
        if let Some(Some(known)) = self.rows.get(index) {
            return Rc::clone(known);
        }
        let there = |row: &&&'static Row| row.when.is(self.version, self.stage, &self.enabled);
        let found: Rc<[&'static Row]> =
            rows::named(self.symbols.text(name)).iter().filter(there).copied().collect();
        if self.rows.len() <= index {
            self.rows.resize(index + 1, None);
        }
        self.rows[index] = Some(Rc::clone(&found));
        found
    }

    /// The function that takes just these types, as most calls have one. With a parameter of
    /// its type for each argument, nothing else can be better.
    fn exact(&mut self, name: Symbol, own: Option<u32>, types: &[Ty]) -> Option<(Candidate, Vec<Param>)> {
        if types.contains(&self.known.error) {
            return None;
        }
        for &id in own.map_or(&[][..], |set| &self.overloads[set as usize]) {
            let params = &self.functions[id as usize].params;
            if params.len() == types.len() && params.iter().zip(types).all(|(param, &ty)| param.ty == ty) {
                return Some((Candidate::Own(FunctionId(id)), Vec::new()));
            }
        }
        for &row in &*self.rows(name) {
            for form in row.forms {
                let Some((&result, patterns)) = form.split_first() else { continue };
                if patterns.len() != types.len() {
                    continue;
                }
                let Some(binding) = bind(patterns, types, &self.types) else { continue };
                let fits = |this: &mut Self| {
                    patterns
                        .iter()
                        .zip(types)
                        .all(|(&pattern, &ty)| binding.ty(pattern, &mut this.types) == ty)
                };
                if fits(self) {
                    let params = patterns.iter().map(|&pattern| self.param_of(&binding, pattern)).collect();
                    let result = binding.ty(result, &mut self.types);
                    return Some((Candidate::Language(row, result), params));
                }
            }
        }
        None
    }

    /// The functions of a name that take so many arguments, and their parameters.
    fn candidates(
        &mut self,
        name: Symbol,
        own: Option<u32>,
        types: &[Ty],
    ) -> (Vec<Candidate>, Vec<Vec<Param>>) {
        let (mut candidates, mut params) = (Vec::new(), Vec::new());
        for &id in own.map_or(&[][..], |set| &self.overloads[set as usize]) {
            let declared = &self.functions[id as usize];
            if declared.params.len() == types.len() {
                candidates.push(Candidate::Own(FunctionId(id)));
                params.push(declared.params.clone());
            }
        }
        for &row in &*self.rows(name) {
            for form in row.forms {
                let Some((list, result)) = self.instance(form, types) else { continue };
                candidates.push(Candidate::Language(row, result));
                params.push(list);
            }
        }
        (candidates, params)
    }

    /// A form of the language for these arguments: parameters and result.
    pub(super) fn instance(&mut self, form: Form, types: &[Ty]) -> Option<(Vec<Param>, Ty)> {
        let (&result, patterns) = form.split_first()?;
        if patterns.len() != types.len() {
            return None;
        }
        let binding = bind(patterns, types, &self.types)?;
        let params = patterns.iter().map(|&pattern| self.param_of(&binding, pattern)).collect();
        Some((params, binding.ty(result, &mut self.types)))
    }

    pub(super) fn param_of(&mut self, binding: &Binding, pattern: crate::builtin::pattern::Pattern) -> Param {
        let ty = binding.ty(pattern, &mut self.types);
        let memory = matches!(pattern.shape, crate::builtin::pattern::Shape::Fixed(_));
        let passing = match (pattern.written, self.ty(ty)) {
            (true, _) if memory => Passing::Inout,
            (true, _) => Passing::Out,
            (false, Type::Opaque(_)) => Passing::Handle,
            _ => Passing::In,
        };
        Param { ty, passing }
    }

    /// Whether a row has a form with exactly these parameters.
    pub(super) fn has_form(&mut self, row: &'static Row, types: &[Ty]) -> bool {
        row.forms.iter().any(|form| {
            self.instance(form, types)
                .is_some_and(|(params, _)| params.iter().zip(types).all(|(param, &ty)| param.ty == ty))
        })
    }

    /// A call of a function of the source.
    fn call_own(&mut self, id: FunctionId, args: Vec<ExprId>, name_at: At, at: At) -> ExprId {
        let declared = &self.functions[id.0 as usize];
        let (result, precision, params) = (declared.result, declared.precision, declared.params.clone());
        if let Some(number) = declared.instruction {
            return self.call_instruction(number, args, &params, result, at);
        }
        let mut passed = Vec::with_capacity(args.len());
        for (n, (arg, param)) in args.into_iter().zip(&params).enumerate() {
            passed.push(self.argument(arg, param, id, n));
        }
        if passed.iter().any(|&arg| self.is_error(arg)) {
            return self.wrong(at);
        }
        if let Some(body) = &mut self.body {
            body.calls.push((id, name_at));
        }
        self.push(ExprKind::Call(id, passed), result, precision, at)
    }

    /// An argument as its parameter takes it.
    fn argument(&mut self, arg: ExprId, param: &Param, id: FunctionId, n: usize) -> ExprId {
        match param.passing {
            Passing::In => {
                self.must_be_readable(arg);
                if self.is_unsized(self.ty_of(arg)) {
                    let at = self.at(arg).at;
                    self.error(at, "an array can be passed only if its size is known");
                    return self.wrong(at);
                }
                self.convert(arg, param.ty)
            }
            Passing::Handle => {
                self.check_memory(arg, id, n);
                arg
            }
            Passing::Out | Passing::Inout => {
                if self.must_be_place(arg, "this argument is written") {
                    arg
                } else {
                    let at = self.at(arg).at;
                    self.wrong(at)
                }
            }
        }
    }

    /// An image's qualifiers may be added by a parameter, never dropped.
    fn check_memory(&mut self, arg: ExprId, id: FunctionId, n: usize) {
        let Some(have) = self.image_layout(arg) else { return };
        let Some(takes) = self.functions[id.0 as usize].layouts.get(n) else { return };
        let lost = [
            (have.coherent && !takes.coherent, "coherent"),
            (have.volatile && !takes.volatile, "volatile"),
            (have.read_only && !takes.read_only, "readonly"),
            (have.write_only && !takes.write_only, "writeonly"),
        ];
        if let Some(&(_, word)) = lost.iter().find(|lost| lost.0) {
            let at = self.at(arg).at;
            self.error(at, format!("the image is `{word}`, the parameter is not"));
        }
    }

    /// The qualifiers of the image that an expression names.
    pub(super) fn image_layout(&self, id: ExprId) -> Option<crate::qualifier::Layout> {
        if !self.is_image(self.ty_of(id)) {
            return None;
        }
        let mut id = id;
        loop {
            match &self.at(id).kind {
                ExprKind::Index(base, _) => id = *base,
                ExprKind::Member(base, n) => {
                    let block = self.root(*base).and_then(|global| self.global(global).block.as_ref())?;
                    return block.members.get(*n as usize).cloned();
                }
                ExprKind::Global(global) => return Some(self.global(*global).layout.clone()),
                ExprKind::Local(local) => return self.local(*local).map(|local| local.layout.clone()),
                _ => return None,
            }
        }
    }
}
