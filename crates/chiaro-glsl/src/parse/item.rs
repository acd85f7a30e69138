//! The outermost level: variables, blocks, functions, defaults.

use super::{Failed, Parsed, Parser};
use crate::ast::{
    BlockDef, Declaration, Declarator, ExprKind, FunctionDef, Item, Param, Qualifier, QualifierKind,
    StmtKind, TypeName, TypeSpec,
};
use crate::keyword::{Meaning, Simple};
use crate::qualifier::Precision;
use crate::token::{At, Kind, Symbol, add_trail, diagnose};
use chiaro_diag::Diagnostic;

impl Parser<'_> {
    /// Everything.
    pub(super) fn items(&mut self) {
        while !self.ended() {
            let first = self.at;
            if self.is(b';') {
                self.stray_semicolon();
                continue;
            }
            match self.item() {
                Ok(item) => self.ast.items.push(item),
                Err(Failed) => self.skip_item(first),
            }
        }
    }

    /// Versions before 4.60 do not have it, but no driver minds.
    fn stray_semicolon(&mut self) {
        if !self.version.at_least(0, 460) {
            let report = Diagnostic::warning(self.tokens.span(self.here()), "a semicolon that ends nothing");
            self.report(add_trail(self.tokens, self.here(), report));
        }
        self.advance();
    }

    fn item(&mut self) -> Parsed<Item> {
        self.attributes();
        let first = self.at;
        if self.accept_keyword(Meaning::Precision) {
            let (precision, ty) = self.precision()?;
            return Ok(Item::Precision(precision, ty, self.since(first)));
        }
        if let Some(mode) = self.spirv_mode() {
            return mode;
        }
        let qualifiers = self.qualifiers()?;
        if !qualifiers.is_empty() {
            if self.accept(b';') {
                return Ok(Item::Qualify(qualifiers, Vec::new(), self.since(first)));
            }
            if let Some(name) = self.name_at(0) {
                if self.is_at(1, b'{') {
                    return self.block(qualifiers, first).map(Item::Block);
                }
                if self.is_at(1, b';') && self.is_reference(&qualifiers) {
                    self.names.declare_type(name);
                }
                if (self.is_at(1, b';') || self.is_at(1, b','))
                    && (self.is_reference(&qualifiers) || !self.names.is_type(name))
                {
                    let names = self.qualified_names()?;
                    return Ok(Item::Qualify(qualifiers, names, self.since(first)));
                }
            }
        }
        self.declaration_or_function(qualifiers, first)
    }

    fn declaration_or_function(&mut self, qualifiers: Vec<Qualifier>, first: usize) -> Parsed<Item> {
        self.judge_missing_type(&qualifiers)?;
        let ty = self.type_spec()?;
        if self.is(b'(') && matches!(ty.name, TypeName::Named(_) | TypeName::Known { .. }) {
            let report = diagnose(self.tokens, ty.at, "a statement can only stand in a function");
            let report =
                report.note("a function needs the type of its result before its name, `void` for none");
            return Err(self.fail(report));
        }
        if !self.is(b';') && self.name_at(0).is_some() && self.is_at(1, b'(') {
            return self.function(qualifiers, ty, first).map(Item::Function);
        }
        self.declaration(qualifiers, ty, first).map(Item::Declaration)
    }

    /// `const x = 3;`, `x = 3;`, `if (...)`: something that starts with no type.
    fn judge_missing_type(&mut self, qualifiers: &[Qualifier]) -> Parsed<()> {
        let Some(name) = self.name_at(0) else {
            return match self.keyword() {
                Some(meaning) if super::types::is_type(meaning) => Ok(()),
                Some(meaning) if !matches!(meaning, Meaning::Reserved | Meaning::Bool(_)) => {
                    let message = format!("{} can only stand in a function", self.found());
                    let report = diagnose(self.tokens, self.here(), message);
                    Err(self.fail(report))
                }
                _ if qualifiers.is_empty() => Err(self.expected("a declaration")),
                _ => Err(self.expected("a type")),
            };
        };
        let assigned = [b'=', b'.', b'['].iter().any(|&punct| self.is_at(1, punct))
            || matches!(self.kind_at(1), Kind::Punct([_, b'=' | b'+' | b'-', 0]));
        if self.names.is_type(name) || !(assigned || self.is_at(1, b'(')) {
            return Ok(());
        }
        if let Some((word, _)) = self.status(name)
            && self.needs(word).is_some()
        {
            self.report_needs(word);
            return Err(Failed);
        }
        let text = self.symbols.text(name);
        let message = match self.is_at(1, b'(') {
            true => format!("`{text}` needs the type of its result before its name"),
            false if qualifiers.is_empty() => format!("expected a declaration, found `{text}`"),
            false => format!("`{text}` needs a type before its name"),
        };
        let report = diagnose(self.tokens, self.here(), message);
        Err(self.fail(report))
    }

    /// `a, b;` behind qualifiers.
    pub(super) fn qualified_names(&mut self) -> Parsed<Vec<(Symbol, At)>> {
        let mut names = Vec::new();
        loop {
            names.push(self.name("a name")?);
            if !self.accept(b',') {
                self.semicolon()?;
                return Ok(names);
            }
        }
    }

    /// `precision highp float;` behind its first word.
    pub(super) fn precision(&mut self) -> Parsed<(Precision, TypeSpec)> {
        let precision = match self.keyword() {
            Some(Meaning::Qualifier(Simple::Low)) => Precision::Low,
            Some(Meaning::Qualifier(Simple::Medium)) => Precision::Medium,
            Some(Meaning::Qualifier(Simple::High)) => Precision::High,
            _ => return Err(self.expected("`lowp`, `mediump` or `highp`")),
        };
        self.advance();
        let ty = self.type_spec()?;
        self.semicolon()?;
        Ok((precision, ty))
    }

    /// `Name { members } instance[2];`
    fn block(&mut self, qualifiers: Vec<Qualifier>, first: usize) -> Parsed<BlockDef> {
        let name = self.name("the name of a block")?;
        let members = self.members()?;
        let instance = match self.name_at(0) {
            Some(_) => {
                let (name, at) = self.name("the name of an instance")?;
                let dims = self.dims()?;
                Some(Declarator { name, dims, init: None, at })
            }
            None => None,
        };
        let hidden = members.iter().flat_map(|member| &member.names);
        for declared in instance.iter().chain(hidden.take(if instance.is_some() { 0 } else { usize::MAX })) {
            self.names.declare_other(declared.name);
        }
        if self.is_reference(&qualifiers) {
            self.names.declare_type(name.0);
        }
        self.semicolon()?;
        Ok(BlockDef { qualifiers, name, members, instance, at: self.since(first) })
    }

    /// Whether the block with these qualifiers is a type too: one of addresses or descriptors.
    fn is_reference(&self, qualifiers: &[Qualifier]) -> bool {
        qualifiers.iter().any(|qualifier| match &qualifier.kind {
            QualifierKind::Layout(ids) => {
                ids.iter().any(|id| matches!(self.symbols.text(id.name), "buffer_reference" | "buffer_type"))
            }
            _ => false,
        })
    }

    /// Names behind a type, up to the semicolon; none for a structure alone.
    pub(super) fn declaration(
        &mut self,
        qualifiers: Vec<Qualifier>,
        ty: TypeSpec,
        first: usize,
    ) -> Parsed<Declaration> {
        let mut names = Vec::new();
        if !self.is(b';') {
            loop {
                names.push(self.declarator()?);
                if !self.accept(b',') {
                    break;
                }
            }
        }
        let at = self.since(first);
        // What was declared is declared, so that its uses are no faults.
        if self.semicolon().is_err() {
            self.skip_statement(self.at);
        }
        Ok(Declaration { qualifiers, ty, names, at })
    }

    /// `name[2] = value`. A faulty value is reported and stepped over.
    fn declarator(&mut self) -> Parsed<Declarator> {
        let (name, at) = self.name("a name")?;
        let dims = self.dims()?;
        self.names.declare_other(name);
        if self.is(b'(') {
            let message =
                format!("`{}` looks like a function, which cannot stand here", self.symbols.text(name));
            let report = diagnose(self.tokens, at, message);
            return Err(self.fail(report));
        }
        let init = if self.accept(b'=') {
            let first = self.at;
            Some(match self.initializer() {
                Ok(value) => value,
                Err(Failed) => {
                    self.skip_initializer();
                    self.expr(ExprKind::Error, first)
                }
            })
        } else {
            None
        };
        Ok(Declarator { name, dims, init, at })
    }

    /// A function behind the type of its result.
    pub(super) fn function(
        &mut self,
        qualifiers: Vec<Qualifier>,
        result: TypeSpec,
        first: usize,
    ) -> Parsed<FunctionDef> {
        let name = self.name("the name of a function")?;
        let subroutine = |q: &Qualifier| matches!(&q.kind, QualifierKind::Subroutine(of) if of.is_empty());
        if qualifiers.iter().any(subroutine) {
            self.names.declare_type(name.0);
        } else {
            self.names.declare_other(name.0);
        }
        self.names.open();
        let params = self.params();
        let at = self.since(first);
        self.attributes();
        let body = match &params {
            Ok(_) => self.body(),
            Err(Failed) => Err(Failed),
        };
        self.names.close();
        Ok(FunctionDef { qualifiers, result, name, params: params?, body: body?, at })
    }

    /// A body in braces, or a semicolon.
    fn body(&mut self) -> Parsed<Option<crate::ast::StmtId>> {
        if self.accept(b';') {
            return Ok(None);
        }
        if !self.is(b'{') {
            return Err(self.expected("`{` or `;`"));
        }
        let first = self.at;
        let list = self.nested(Self::braces)?;
        Ok(Some(self.stmt(StmtKind::Block(list), first)))
    }

    /// Parameters in parentheses.
    fn params(&mut self) -> Parsed<Vec<Param>> {
        self.expect(b'(')?;
        if self.keyword() == Some(Meaning::Void) && self.is_at(1, b')') {
            self.advance();
        }
        let mut params = Vec::new();
        if self.accept(b')') {
            return Ok(params);
        }
        loop {
            params.push(self.param()?);
            if !self.accept(b',') {
                break;
            }
        }
        if self.accept(b')') { Ok(params) } else { Err(self.expected("`,` or `)`")) }
    }

    fn param(&mut self) -> Parsed<Param> {
        let first = self.at;
        let qualifiers = self.qualifiers()?;
        let ty = self.type_spec()?;
        let name = match self.name_at(0) {
            Some(_) => {
                let (name, at) = self.name("the name of a parameter")?;
                self.names.declare_other(name);
                Declarator { name, dims: self.dims()?, init: None, at }
            }
            None => Declarator { name: Symbol(0), dims: Vec::new(), init: None, at: ty.at },
        };
        if self.is(b'=') {
            let report = diagnose(self.tokens, self.here(), "a parameter cannot have a default value");
            return Err(self.fail(report));
        }
        Ok(Param { qualifiers, ty, name, at: self.since(first) })
    }
}
