//! What stands outside of functions.
//!
//! Items name one another in any order, structures excepted: a first round declares every
//! name, a second reads what is to be known of it.

use super::lex::Kind;
use super::{Name, Parsed, Parser, Symbol};
use crate::constant::Constant;
use crate::function::{Function, Linkage};
use crate::id::{FunctionRef, GlobalRef};
use crate::module::STAGES;
use crate::module::{Binding, EntryPoint, Global, Interpolation, Spec};
use crate::ty::{Member, Ty, Type};
use chiaro_diag::{Diagnostic, Span};

const ITEMS: [&str; 10] =
    ["struct", "spec", "const", "global", "text", "entry", "fn", "dispatch", "export", "import"];

/// An item of which the second half is still to be read.
enum Pending {
    Spec(usize, Ty),
    Constant(u32, Ty),
    Global(usize),
    Entry,
    Function(FunctionRef, Vec<u32>),
}

impl Parser<'_> {
    /// The whole module; what is wrong with each item.
    pub(super) fn items(&mut self) -> Vec<Diagnostic> {
        let mut errors = Vec::new();
        let mut pending = Vec::new();
        while self.peek().kind != Kind::End {
            match self.declare() {
                Ok(Some(item)) => pending.push((item, self.at)),
                Ok(None) => {}
                Err(error) => errors.push(*error),
            }
            self.skip_item();
        }
        // Constants come first: all others may use them.
        let (constants, rest): (Vec<_>, Vec<_>) =
            pending.into_iter().partition(|(item, _)| matches!(item, Pending::Constant(..)));
        for (item, at) in constants.into_iter().chain(rest) {
            self.at = at;
            if let Err(error) = self.complete(item) {
                errors.push(*error);
            }
        }
        chiaro_diag::sort(&mut errors);
        errors
    }

    /// Goes on to the next item, or to the end.
    fn skip_item(&mut self) {
        let is_item = |p: &Self| {
            let token = p.peek();
            token.kind == Kind::End || token.first && ITEMS.contains(&p.slice(token))
        };
        let mut depth = 0u32;
        while self.peek().kind != Kind::End && !(depth == 0 && is_item(self)) {
            match self.next().kind {
                Kind::Mark(b'{') => depth += 1,
                Kind::Mark(b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    fn declare(&mut self) -> Parsed<Option<Pending>> {
        let token = self.peek();
        let word = self.word("an item: `struct`, `spec`, `const`, `global`, `text`, `entry` or `fn`")?;
        match word {
            "struct" => self.structure().map(|()| None),
            "spec" => self.spec().map(Some),
            "const" => self.large().map(Some),
            "global" => self.global().map(Some),
            "text" => {
                let text = self.string()?;
                self.module.texts.push(text);
                Ok(None)
            }
            "entry" => Ok(Some(Pending::Entry)),
            "fn" => self.signature(Linkage::Own).map(Some),
            "dispatch" => self.dispatching().map(Some),
            "export" => self.linked(Linkage::Export).map(Some),
            "import" => self.linked(Linkage::Import).map(Some),
            _ => self.unknown(token, "item", ITEMS),
        }
    }

    fn complete(&mut self, item: Pending) -> Parsed<()> {
        match item {
            Pending::Spec(i, ty) => self.spec_default(i, ty)?,
            Pending::Constant(number, ty) => {
                let c = self.constant(Some(ty))?;
                self.constants.insert(number, c);
            }
            Pending::Global(i) => self.global_details(i)?,
            Pending::Entry => self.entry()?,
            Pending::Function(f, _) if self.module.function(f).is_import() => {}
            Pending::Function(f, names) => self.body(f, &names)?,
        }
        if !self.peek().first {
            return self.expected("the end of the line");
        }
        Ok(())
    }

    fn structure(&mut self) -> Parsed<()> {
        let token = self.peek();
        let name = self.name()?;
        let mut members = Vec::new();
        self.expect(b'{')?;
        self.list(b'}', |p| {
            let (name, _) = p.name()?;
            p.expect(b':')?;
            let ty = p.ty()?;
            let offset = if p.eat_word("at") { Some(p.number()?) } else { None };
            let name = if name == "_" { String::new() } else { name };
            members.push(Member { ty, name, offset });
            Ok(())
        })?;
        let ty = self.module.types.intern(Type::Struct(name.0.clone(), members));
        match self.structs.insert(name, ty) {
            None => Ok(()),
            Some(_) => self.error(token, "there is a structure of that name".into()),
        }
    }

    /// A new name behind its `@`.
    fn new_symbol(&mut self, symbol: impl FnOnce(&mut Self, Name) -> Parsed<Symbol>) -> Parsed<()> {
        self.expect(b'@')?;
        let token = self.peek();
        let name = self.name()?;
        let symbol = symbol(self, name.clone())?;
        match self.symbols.insert(name, symbol) {
            None => Ok(()),
            Some(_) => self.error(token, format!("there is another `{}`", self.slice(token))),
        }
    }

    fn spec(&mut self) -> Parsed<Pending> {
        let i = self.module.specs.len();
        let mut ty = Ty(0);
        self.new_symbol(|p, name| {
            p.expect(b':')?;
            ty = p.ty()?;
            p.module.specs.push(Spec { name: name.0, id: None, default: Constant(0) });
            Ok(Symbol::Spec(i as u32, ty))
        })?;
        self.expect(b'=')?;
        Ok(Pending::Spec(i, ty))
    }

    fn spec_default(&mut self, i: usize, ty: Ty) -> Parsed<()> {
        self.module.specs[i].default = self.constant(Some(ty))?;
        if self.eat_word("id") {
            let id = self.parenthesised(Self::number)?;
            self.module.specs[i].id = Some(id);
        }
        Ok(())
    }

    fn large(&mut self) -> Parsed<Pending> {
        self.expect(b'$')?;
        let number = self.number()?;
        self.expect(b':')?;
        let ty = self.ty()?;
        self.expect(b'=')?;
        Ok(Pending::Constant(number, ty))
    }

    fn global(&mut self) -> Parsed<Pending> {
        let i = self.module.globals.len();
        self.new_symbol(|p, name| {
            p.expect(b':')?;
            let (space, ty) = (p.space()?, p.ty()?);
            p.module.globals.push(Global {
                name: name.0,
                space,
                ty,
                init: None,
                binding: Binding::default(),
                members: Vec::new(),
                coherent: false,
                read_only: false,
                span: None,
            });
            Ok(Symbol::Global(GlobalRef(i as u32)))
        })?;
        Ok(Pending::Global(i))
    }

    fn global_details(&mut self, i: usize) -> Parsed<()> {
        let ty = self.module.globals[i].ty;
        if self.eat(b'=') {
            self.module.globals[i].init = Some(self.constant(Some(ty))?);
        }
        while self.peek().kind == Kind::Word && !self.peek().first {
            if self.eat_word("coherent") {
                self.module.globals[i].coherent = true;
            } else if self.eat_word("read_only") {
                self.module.globals[i].read_only = true;
            } else if self.eat_word("member") {
                let mut binding = Binding::default();
                self.expect(b'{')?;
                while !self.eat(b'}') {
                    self.binding(&mut binding)?;
                }
                self.module.globals[i].members.push(binding);
            } else {
                let mut binding = std::mem::take(&mut self.module.globals[i].binding);
                self.binding(&mut binding)?;
                self.module.globals[i].binding = binding;
            }
        }
        self.module.globals[i].span = self.span()?;
        Ok(())
    }

    /// One detail of a binding.
    fn binding(&mut self, binding: &mut Binding) -> Parsed<()> {
        const WORDS: [&str; 12] = [
            "location",
            "component",
            "index",
            "builtin",
            "set",
            "binding",
            "linear",
            "flat",
            "centroid",
            "sample",
            "invariant",
            "patch",
        ];
        let token = self.peek();
        match self.word("a detail of a binding")? {
            "location" => binding.location = Some(self.parenthesised(Self::number)?),
            "component" => binding.component = self.parenthesised(Self::number)?,
            "index" => binding.index = self.parenthesised(Self::number)?,
            "builtin" => binding.builtin = Some(self.parenthesised(Self::number)?),
            "set" => binding.set = Some(self.parenthesised(Self::number)?),
            "binding" => binding.binding = Some(self.parenthesised(Self::number)?),
            "linear" => binding.interpolation = Interpolation::Linear,
            "flat" => binding.interpolation = Interpolation::Flat,
            "centroid" => binding.centroid = true,
            "sample" => binding.sample = true,
            "invariant" => binding.invariant = true,
            "patch" => binding.patch = true,
            _ => return self.unknown(token, "detail of a binding", WORDS),
        }
        Ok(())
    }

    fn entry(&mut self) -> Parsed<()> {
        let stage = self.one_of("a stage", &STAGES)?;
        let name = self.string()?;
        self.expect(b'=')?;
        let token = self.peek();
        let Symbol::Function(function) = self.symbol()? else {
            return self.error(token, "an entry point is a function".into());
        };
        let mut entry =
            EntryPoint { name, stage, function, interface: Vec::new(), workgroup: [1; 3], modes: Vec::new() };
        while self.peek().kind == Kind::Word && !self.peek().first {
            self.entry_detail(&mut entry)?;
        }
        self.module.entries.push(entry);
        Ok(())
    }

    fn entry_detail(&mut self, entry: &mut EntryPoint) -> Parsed<()> {
        let token = self.peek();
        match self.word("a detail of an entry point")? {
            "workgroup" => {
                let numbers = self.numbers()?;
                match numbers.try_into() {
                    Ok(numbers) => entry.workgroup = numbers,
                    Err(_) => return self.error(token, "a workgroup has three numbers".into()),
                }
            }
            "mode" => {
                let mut numbers = self.numbers()?;
                if numbers.is_empty() {
                    return self.error(token, "a mode has a number".into());
                }
                let operands = numbers.split_off(1);
                entry.modes.push((numbers[0], operands));
            }
            "interface" => {
                self.expect(b'(')?;
                self.list(b')', |p| {
                    let token = p.peek();
                    match p.symbol()? {
                        Symbol::Global(g) => entry.interface.push(g),
                        _ => return p.error(token, "an interface consists of variables".into()),
                    }
                    Ok(())
                })?;
            }
            _ => return self.unknown(token, "detail of an entry point", ["workgroup", "mode", "interface"]),
        }
        Ok(())
    }

    fn numbers(&mut self) -> Parsed<Vec<u32>> {
        let mut numbers = Vec::new();
        self.expect(b'(')?;
        self.list(b')', |p| {
            numbers.push(p.number()?);
            Ok(())
        })?;
        Ok(numbers)
    }

    fn linked(&mut self, linkage: Linkage) -> Parsed<Pending> {
        self.expect_word("fn")?;
        self.signature(linkage)
    }

    /// A function for lanes that want different ones.
    fn dispatching(&mut self) -> Parsed<Pending> {
        let pending = self.linked(Linkage::Own)?;
        if let Pending::Function(f, _) = &pending {
            self.module.function_mut(*f).dispatches = true;
        }
        Ok(pending)
    }

    fn signature(&mut self, linkage: Linkage) -> Parsed<Pending> {
        let f = FunctionRef(self.module.functions.len() as u32);
        let mut names = Vec::new();
        self.new_symbol(|p, name| {
            let mut params = Vec::new();
            p.expect(b'(')?;
            p.list(b')', |p| {
                let (number, ty) = p.param()?;
                names.push(number);
                params.push(ty);
                Ok(())
            })?;
            let result = if p.peek().kind == Kind::Arrow {
                p.at += 1;
                p.ty()?
            } else {
                p.module.types.intern(Type::Void)
            };
            let span = p.span()?;
            let mut function = Function::new(name.0, &params, result);
            (function.span, function.linkage) = (span, linkage);
            p.module.functions.push(function);
            Ok(Symbol::Function(f))
        })?;
        Ok(Pending::Function(f, names))
    }

    /// A value that is being defined: its number and its type.
    pub(super) fn param(&mut self) -> Parsed<(u32, Ty)> {
        self.expect(b'%')?;
        let number = self.number()?;
        self.expect(b':')?;
        Ok((number, self.ty()?))
    }

    /// A span, if one follows.
    pub(super) fn span(&mut self) -> Parsed<Option<Span>> {
        if !self.is(b'!') {
            return Ok(None);
        }
        self.at += 1;
        let file = chiaro_diag::FileId(self.number()?);
        self.expect(b':')?;
        let start = self.number()?;
        let token = self.peek();
        let end = self.slice(token).strip_prefix('-').and_then(|digits| digits.parse().ok());
        let Some(end) = end else { return self.expected("`-` and the end of the span") };
        self.at += 1;
        Ok(Some(Span { file, start, end }))
    }
}
