//! Calls: candidates of the source and of the language, the choice, and the arguments.

use super::Checker;
use super::overload::{Choice, Param, choose};
use super::scope::Entity;
use crate::ast::{self, At, Symbol};
use crate::builtin::functions::{self as rows, Row};
use crate::builtin::pattern::{Binding, Form, bind};
use crate::hir::{ExprId, ExprKind, FunctionId, Passing, Storage};
use crate::intrinsic::{Intrinsic, Sampling};
use crate::ty::{Opaque, Scalar, Ty, Type};
use std::rc::Rc;

/// Candidates that a message lists at most.
const LISTED: usize = 6;

/// A function that a call may mean.
#[derive(Clone, Copy, Debug)]
enum Candidate {
    /// Of the source.
    Own(FunctionId),
    /// Of the language: the row, and the result.
    Language(&'static Row, Ty),
}

impl<'a> Checker<'a> {
    /// `f(a, b)`
    pub(super) fn call(&mut self, name: Symbol, name_at: At, args: &'a [ast::ExprId], at: At) -> ExprId {
        let binding = self.scopes.find(name).map(|binding| binding.entity);
        let own = match binding {
            Some(Entity::Struct(ty)) => return self.constructor_of(ty, args, at),
            Some(Entity::Functions(set)) => Some(set),
            Some(Entity::Poison) => {
                for &arg in args {
                    self.expr(arg);
                }
                return self.wrong(at);
            }
            Some(_) => {
                let message = format!("`{}` is a variable here, not a function", self.text(name));
                self.error(name_at, message);
                return self.wrong(at);
            }
            None => None,
        };
        if own.is_none()
            && let Some(ty) = self.builtin_structure(name)
        {
            return self.constructor_of(ty, args, at);
        }
        let args: Vec<ExprId> = args.iter().map(|&arg| self.expr(arg)).collect();
        if let ([value], true) = (args.as_slice(), self.enabled.has("GL_EXT_nonuniform_qualifier"))
            && self.text(name) == "nonuniformEXT"
        {
            return *value;
        }
        if args.iter().any(|&arg| self.is_error(arg)) {
            return self.wrong_call(name, own, at);
        }
        let types: Vec<Ty> = args.iter().map(|&arg| self.ty_of(arg)).collect();
        match self.exact(name, own, &types) {
            Some((Candidate::Own(id), _)) => return self.call_own(id, args, name_at, at),
            Some((Candidate::Language(row, result), params)) => {
                return self.call_language(row, result, &params, args, at);
            }
            None => {}
        }
        let (candidates, params) = self.candidates(name, own, &types);
        let lists: Vec<&[Param]> = params.iter().map(Vec::as_slice).collect();
        match choose(&lists, &types, &self.types, &self.conversions) {
            Choice::One(n) => match candidates[n] {
                Candidate::Own(id) => self.call_own(id, args, name_at, at),
                Candidate::Language(row, result) => self.call_language(row, result, &params[n], args, at),
            },
            Choice::None => {
                self.no_candidate(name, name_at, own, &types);
                self.wrong(at)
            }
            Choice::Ambiguous(a, b) => {
                let first = self.head(name, &params[a]);
                let second = self.head(name, &params[b]);
                let message = format!("this call of `{}` is ambiguous", self.text(name));
                let error = self.error(name_at, message);
                error.notes.push(format!("it may mean `{first}` or `{second}`"));
                error.help.push("convert an argument so that one fits exactly".into());
                self.wrong(at)
            }
        }
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
    fn rows(&mut self, name: Symbol) -> Rc<[&'static Row]> {
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
    fn instance(&mut self, form: Form, types: &[Ty]) -> Option<(Vec<Param>, Ty)> {
        let (&result, patterns) = form.split_first()?;
        if patterns.len() != types.len() {
            return None;
        }
        let binding = bind(patterns, types, &self.types)?;
        let params = patterns.iter().map(|&pattern| self.param_of(&binding, pattern)).collect();
        Some((params, binding.ty(result, &mut self.types)))
    }

    fn param_of(&mut self, binding: &Binding, pattern: crate::builtin::pattern::Pattern) -> Param {
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
    fn image_layout(&self, id: ExprId) -> Option<crate::hir::Layout> {
        if !self.is_image(self.ty_of(id)) {
            return None;
        }
        let mut id = id;
        loop {
            match &self.at(id).kind {
                ExprKind::Index(base, _) => id = *base,
                ExprKind::Global(global) => return Some(self.global(*global).layout.clone()),
                ExprKind::Local(local) => return self.local(*local).map(|local| local.layout.clone()),
                _ => return None,
            }
        }
    }

    /// A call of a function of the language.
    fn call_language(
        &mut self,
        row: &'static Row,
        result: Ty,
        params: &[Param],
        args: Vec<ExprId>,
        at: At,
    ) -> ExprId {
        let mut passed = Vec::with_capacity(args.len());
        for (arg, param) in args.into_iter().zip(params) {
            passed.push(match param.passing {
                Passing::Inout => self.memory_place(arg, at),
                Passing::Out => {
                    let written = self.must_be_place(arg, "this argument is written");
                    if written { arg } else { self.wrong(at) }
                }
                _ => {
                    self.must_be_readable(arg);
                    let arg = self.convert(arg, param.ty);
                    self.inlined(arg)
                }
            });
        }
        if passed.iter().any(|&arg| self.is_error(arg)) {
            return self.wrong(at);
        }
        self.check_language(row, &passed, at);
        let precision = self.language_precision(row.what, result, &passed);
        if let Some(bits) = self.fold_call(row.what, &passed, result) {
            return self.push(ExprKind::Constant(bits), result, precision, at);
        }
        match row.what {
            Intrinsic::Ftransform => {
                // What it reads has to be among the program's variables.
                self.builtin_place("gl_ModelViewProjectionMatrix", at);
                self.builtin_place("gl_Vertex", at);
                self.push(ExprKind::Intrinsic(row.what, passed), result, None, at)
            }
            Intrinsic::Sample(sampling) if self.compares_to_vector(result, &passed, sampling) => {
                self.luminance(row.what, passed, result, at)
            }
            what => self.push(ExprKind::Intrinsic(what, passed), result, precision, at),
        }
    }

    /// A constant that is stored once, as a constant by itself: offsets have to be one.
    fn inlined(&mut self, arg: ExprId) -> ExprId {
        let expr = self.at(arg);
        let (ty, at) = (expr.ty, expr.at);
        match (&expr.kind, self.bits(arg).map(Box::from)) {
            (ExprKind::Global(_), Some(bits)) => self.push(ExprKind::Constant(bits), ty, None, at),
            _ => arg,
        }
    }

    fn memory_place(&mut self, arg: ExprId, at: At) -> ExprId {
        if self.is_memory(arg) {
            return arg;
        }
        let arg_at = self.at(arg).at;
        self.error(arg_at, "an atomic function works on a variable of a buffer or a `shared` one");
        self.wrong(at)
    }

    /// Whether an old function gives four components of a comparison.
    fn compares_to_vector(&self, result: Ty, args: &[ExprId], sampling: Sampling) -> bool {
        let shadow = args.first().is_some_and(|&sampler| {
            matches!(self.ty(self.ty_of(sampler)), Type::Opaque(Opaque::Texture { shadow: true, .. }))
        });
        shadow && !sampling.gather && matches!(self.ty(result), Type::Vector(..))
    }

    /// What `shadow2D` gives of a comparison: the result in three components, then one, as the
    /// depth texture mode `LUMINANCE` has it.
    fn luminance(&mut self, what: Intrinsic, args: Vec<ExprId>, result: Ty, at: At) -> ExprId {
        let (float, colour) = (self.known.float, self.vector(Scalar::Float, 3));
        let value = self.push(ExprKind::Intrinsic(what, args), float, None, at);
        let spread = self.push(ExprKind::Swizzle(value, [0; 4]), colour, None, at);
        let one = self.constant([u64::from(1f32.to_bits())], float, at);
        self.push(ExprKind::Construct(vec![spread, one]), result, None, at)
    }

    /// Textures give their sampler's precision; others the highest of their arguments'.
    fn language_precision(&self, what: Intrinsic, result: Ty, args: &[ExprId]) -> Option<ast::Precision> {
        if result == self.known.void || result == self.known.bool {
            return None;
        }
        match what {
            Intrinsic::Sample(_) | Intrinsic::ImageLoad | Intrinsic::ImageAtomic(_) => {
                args.first().and_then(|&first| self.at(first).precision)
            }
            Intrinsic::TextureSize
            | Intrinsic::ImageSize
            | Intrinsic::FloatBitsToInt
            | Intrinsic::FloatBitsToUint
            | Intrinsic::IntBitsToFloat
            | Intrinsic::UintBitsToFloat
            | Intrinsic::Atomic(_)
            | Intrinsic::AtomicCounter(_)
            | Intrinsic::PackUnorm2x16
            | Intrinsic::PackSnorm2x16
            | Intrinsic::PackHalf2x16
            | Intrinsic::PackUnorm4x8
            | Intrinsic::PackSnorm4x8
            | Intrinsic::UnpackUnorm2x16
            | Intrinsic::UnpackSnorm2x16 => self.is_es().then_some(ast::Precision::High),
            Intrinsic::UnpackHalf2x16 | Intrinsic::UnpackUnorm4x8 | Intrinsic::UnpackSnorm4x8 => {
                self.is_es().then_some(ast::Precision::Medium)
            }
            Intrinsic::BitCount | Intrinsic::FindLsb | Intrinsic::FindMsb => {
                self.is_es().then_some(ast::Precision::Low)
            }
            _ => self.highest(args),
        }
    }

    /// Rules of single functions.
    fn check_language(&mut self, row: &'static Row, args: &[ExprId], at: At) {
        match row.what {
            Intrinsic::Sample(sampling) => self.check_sampling(sampling, args),
            Intrinsic::ImageLoad | Intrinsic::ImageStore => {
                let Some(layout) = args.first().and_then(|&image| self.image_layout(image)) else { return };
                if row.what == Intrinsic::ImageLoad && layout.write_only {
                    self.error(at, "the image is `writeonly` and cannot be loaded");
                } else if row.what == Intrinsic::ImageStore && layout.read_only {
                    self.error(at, "the image is `readonly` and cannot be stored");
                }
            }
            Intrinsic::ImageAtomic(_) => self.check_image_atomic(row, args, at),
            Intrinsic::InterpolateAtCentroid
            | Intrinsic::InterpolateAtSample
            | Intrinsic::InterpolateAtOffset => {
                let Some(&first) = args.first() else { return };
                let input = self.root(first).is_some_and(|id| self.global(id).storage == Storage::In);
                if !input {
                    self.error(at, format!("`{}` takes an input of the fragment shader", row.name));
                }
            }
            _ => {}
        }
    }

    fn check_image_atomic(&mut self, row: &'static Row, args: &[ExprId], at: At) {
        let Some(&image) = args.first() else { return };
        let Type::Opaque(Opaque::Texture { scalar, .. }) = *self.ty(self.ty_of(image)) else { return };
        let exchange = row.name == "imageAtomicExchange" || self.enabled.has("GL_EXT_shader_atomic_float");
        if scalar == Scalar::Float && !exchange {
            self.error(at, format!("`{}` takes an image of integers", row.name));
        }
        let format = self.image_layout(image).and_then(|layout| layout.format);
        use spirv::ImageFormat::{R32f, R32i, R32ui};
        if format.is_some_and(|format| !matches!(format, R32f | R32i | R32ui)) {
            self.error(at, "an atomic function takes an image of format `r32i` or `r32ui`");
        }
    }

    /// Offsets and components are constants, within their bounds.
    fn check_sampling(&mut self, sampling: Sampling, args: &[ExprId]) {
        if sampling.component
            && let Some(&component) = args.last()
        {
            let value = self.bits(component).and_then(<[u64]>::first).copied();
            if value.is_none_or(|value| value > 3) {
                let at = self.at(component).at;
                self.error(at, "the component must be a constant from 0 to 3");
            }
        }
        let constant = sampling.offsets || (sampling.offset && !sampling.gather);
        let Some(&offset) = constant.then(|| args.get(offset_position(sampling, args.len()))).flatten()
        else {
            return;
        };
        let at = self.at(offset).at;
        let Some(bits) = self.bits(offset).map(<[u64]>::to_vec) else {
            if !self.is_spec(offset) {
                self.error(at, "the offset must be a constant expression");
            }
            return;
        };
        let (least, most) = if sampling.gather { (-32, 31) } else { (-8, 7) };
        if bits.iter().any(|&n| !(least..=most).contains(&(n as u32 as i32))) {
            self.error(at, format!("an offset must lie from {least} to {most}"));
        }
    }

    /// Tells that no function fits, why, and what may help.
    fn no_candidate(&mut self, name: Symbol, at: At, own: Option<u32>, types: &[Ty]) {
        let text = self.text(name).to_owned();
        let all = rows::named(&text);
        if own.is_none() && self.rows(name).is_empty() {
            self.unknown_function(name, at, all);
            return;
        }
        let given: Vec<String> = types.iter().map(|&ty| self.name_of(ty)).collect();
        let mut notes = self.own_candidates(name, own, types);
        notes.extend(self.language_candidates(name, types));
        let hidden = notes.len().saturating_sub(LISTED);
        notes.truncate(LISTED);
        if hidden > 0 {
            notes.push(format!("and {hidden} more"));
        }
        let mut help = None;
        for &row in all {
            if let Err(absence) = row.when.check(self.version, self.stage, &self.enabled)
                && help.is_none()
                && self.would_fit(row, types)
            {
                help = Some(format!("there is one that takes these: {}", absence.advice(self.version)));
            }
        }
        let error = self.error(at, format!("no `{text}` takes ({})", given.join(", ")));
        error.notes.extend(notes);
        error.help.extend(help);
    }

    /// Whether some form of a row takes these types.
    fn would_fit(&mut self, row: &'static Row, types: &[Ty]) -> bool {
        row.forms.iter().any(|form| {
            self.instance(form, types).is_some_and(|(params, _)| {
                params.iter().zip(types).all(|(param, &ty)| self.fits(ty, param.ty))
            })
        })
    }

    fn unknown_function(&mut self, name: Symbol, at: At, all: &[&'static Row]) {
        let text = self.text(name).to_owned();
        let absence =
            all.iter().filter_map(|row| row.when.check(self.version, self.stage, &self.enabled).err()).next();
        let meant = self.meant(name, true);
        let version = self.version;
        // Some functions of ES 1.00 have a suffix where an extension brings them to a stage.
        let extended = rows::named(&format!("{text}EXT"))
            .iter()
            .filter_map(|row| row.when.check(self.version, self.stage, &self.enabled).err())
            .find(|absence| matches!(absence, crate::builtin::Absence::Extension(_)) && version.is_es());
        match absence {
            Some(absence) => {
                let error = self.error(at, format!("the function `{text}` is not available here"));
                error.help.push(absence.advice(version));
                if let Some(absence) = extended {
                    error.help.push(format!("or use `{text}EXT`: {}", absence.advice(version)));
                }
                if let (Some(new), crate::builtin::Absence::Removed(_)) = (modern(&text), absence) {
                    error.help.push(format!("use `{new}`"));
                }
            }
            None => {
                let error = self.error(at, format!("there is no function `{text}`"));
                error.help.extend(meant.map(|meant| format!("did you mean `{meant}`?")));
            }
        }
        self.scopes.bind(name, Entity::Poison, Some(at));
    }

    fn own_candidates(&mut self, name: Symbol, own: Option<u32>, types: &[Ty]) -> Vec<String> {
        let ids = own.map_or(Vec::new(), |set| self.overloads[set as usize].clone());
        ids.iter()
            .map(|&id| {
                let params = self.functions[id as usize].params.clone();
                self.why_not(name, &params, types)
            })
            .collect()
    }

    fn language_candidates(&mut self, name: Symbol, types: &[Ty]) -> Vec<String> {
        let mut notes = Vec::new();
        let found = self.rows(name);
        for form in found.iter().flat_map(|row| row.forms) {
            let Some((_, patterns)) = form.split_first() else { continue };
            let params: Vec<Param> = match bind(patterns, types, &self.types) {
                Some(binding) => patterns.iter().map(|&p| self.param_of(&binding, p)).collect(),
                None => continue,
            };
            let note = self.why_not(name, &params, types);
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        notes
    }

    /// A candidate, and which argument it does not take.
    fn why_not(&self, name: Symbol, params: &[Param], types: &[Ty]) -> String {
        let head = self.head(name, params);
        if params.len() != types.len() {
            let plural = if params.len() == 1 { "argument" } else { "arguments" };
            return format!("`{head}` takes {} {plural}", params.len());
        }
        let fits = |(param, &ty): (&Param, &Ty)| match param.passing {
            Passing::Out => self.fits(param.ty, ty),
            Passing::Inout => param.ty == ty,
            _ => self.fits(ty, param.ty),
        };
        match params.iter().zip(types).position(|pair| !fits(pair)) {
            Some(n) => {
                let (expected, found) = (self.name_of(params[n].ty), self.name_of(types[n]));
                format!("`{head}`: argument {} is `{found}`, not `{expected}`", n + 1)
            }
            None => format!("`{head}`"),
        }
    }

    /// `name(float, out int)`
    fn head(&self, name: Symbol, params: &[Param]) -> String {
        let list: Vec<String> = params
            .iter()
            .map(|param| {
                let word = match param.passing {
                    Passing::Out => "out ",
                    Passing::Inout => "inout ",
                    _ => "",
                };
                format!("{word}{}", self.name_of(param.ty))
            })
            .collect();
        format!("{}({})", self.text(name), list.join(", "))
    }
}

/// Where the offset stands among the arguments.
fn offset_position(sampling: Sampling, count: usize) -> usize {
    let behind = usize::from(sampling.bias) + usize::from(sampling.component);
    count.saturating_sub(1 + behind)
}

/// What replaced an old function of textures.
fn modern(old: &str) -> Option<&'static str> {
    let base = old.strip_prefix("texture").or_else(|| old.strip_prefix("shadow"))?;
    let base = base.trim_end_matches("EXT").trim_end_matches("ARB");
    Some(match (base.contains("Proj"), base.contains("Lod"), base.contains("Grad")) {
        (false, false, false) => "texture",
        (true, false, false) => "textureProj",
        (false, true, _) => "textureLod",
        (true, true, _) => "textureProjLod",
        (false, _, true) => "textureGrad",
        (true, _, true) => "textureProjGrad",
    })
}
