//! Statements.

use super::{Failed, Parsed, Parser, p1};
use crate::ast::{Condition, Declaration, ExprId, ExprKind, Item, Qualifier, StmtId, StmtKind, TypeSpec};
use crate::keyword::Meaning;
use crate::token::{Kind, Symbol, diagnose};

impl Parser<'_> {
    /// `{ ... }`, in a scope of the caller's.
    pub(super) fn braces(&mut self) -> Parsed<Vec<StmtId>> {
        let open = self.at;
        self.expect(b'{')?;
        let mut list = Vec::new();
        while !self.accept(b'}') {
            if self.ended() {
                return Err(self.unclosed(open));
            }
            list.push(self.statement_or_skip());
        }
        Ok(list)
    }

    fn statement_or_skip(&mut self) -> StmtId {
        let first = self.at;
        match self.nested(Self::statement) {
            Ok(statement) => statement,
            Err(Failed) => {
                self.skip_statement(first);
                self.stmt(StmtKind::Empty, first)
            }
        }
    }

    /// A statement of any kind.
    fn statement(&mut self) -> Parsed<StmtId> {
        let first = self.at;
        self.attributes();
        let kind = match self.keyword() {
            Some(meaning) => match self.control(meaning)? {
                Some(kind) => kind,
                None => self.simple_statement()?,
            },
            None if self.is(b'{') => StmtKind::Block(self.scoped(Self::braces)?),
            None => self.simple_statement()?,
        };
        Ok(self.stmt(kind, first))
    }

    /// `[[unroll]]` of GL_EXT_control_flow_attributes and its like: hints, which are left out.
    pub(super) fn attributes(&mut self) {
        const EXTENSIONS: [&str; 6] = [
            "GL_EXT_control_flow_attributes",
            "GL_EXT_control_flow_attributes2",
            "GL_EXT_function_control_attributes",
            "GL_EXT_subgroup_uniform_control_flow",
            "GL_EXT_maximal_reconvergence",
            "GL_QCOM_multiple_wait_queues",
        ];
        while self.is(b'[') && self.is_at(1, b'[') {
            if !EXTENSIONS.iter().any(|name| self.extensions.enabled(name, self.at as u32)) {
                let needs = crate::extension::needs(self.version, self.head, (0, 0), &EXTENSIONS);
                self.report(self.needing("an attribute", needs));
            }
            let (mut inline, mut noinline) = (false, false);
            while !(self.ended() || self.is(b']') && self.is_at(1, b']')) {
                if let Kind::Word(name) = self.kind() {
                    inline |= self.symbols.text(name) == "inline";
                    noinline |= self.symbols.text(name) == "noinline";
                }
                self.advance();
            }
            if inline && noinline {
                let message = "a function cannot be `inline` and `noinline`";
                self.report(diagnose(self.tokens, self.here(), message));
            }
            self.advance();
            self.advance();
        }
    }

    fn scoped<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.names.open();
        let result = inner(self);
        self.names.close();
        result
    }

    /// A statement that starts with a word of its own; `None` for declarations and expressions.
    fn control(&mut self, meaning: Meaning) -> Parsed<Option<StmtKind>> {
        let first = self.at;
        self.advance();
        Ok(Some(match meaning {
            Meaning::If => self.branch()?,
            Meaning::For => self.scoped(Self::for_loop)?,
            Meaning::While => self.scoped(Self::while_loop)?,
            Meaning::Do => self.do_loop()?,
            Meaning::Switch => self.switch()?,
            Meaning::Case | Meaning::Default if self.labels != Some(self.depth) => {
                let message = "a label can only stand directly in the braces of a `switch`";
                return Err(self.fail(diagnose(self.tokens, self.token(first), message)));
            }
            Meaning::Case => {
                let value = self.expression()?;
                self.expect(b':')?;
                StmtKind::Case(Some(value))
            }
            Meaning::Default => {
                self.expect(b':')?;
                StmtKind::Case(None)
            }
            Meaning::Break => self.word_and_semicolon(StmtKind::Break)?,
            Meaning::Continue => self.word_and_semicolon(StmtKind::Continue)?,
            Meaning::Discard => self.word_and_semicolon(StmtKind::Discard)?,
            Meaning::Demote => self.word_and_semicolon(StmtKind::Demote)?,
            Meaning::EndOfRay => {
                let call = self.end_of_ray();
                self.word_and_semicolon(StmtKind::Expr(call))?
            }
            Meaning::Return => {
                let value = if self.is(b';') { None } else { Some(self.expression()?) };
                self.word_and_semicolon(StmtKind::Return(value))?
            }
            Meaning::Precision => {
                let (precision, ty) = self.precision()?;
                StmtKind::Precision(precision, ty)
            }
            Meaning::Else => {
                let report = diagnose(self.tokens, self.token(first), "`else` without `if`");
                return Err(self.fail(report));
            }
            _ => {
                self.at = first;
                return Ok(None);
            }
        }))
    }

    /// The word that ends a ray, which has been read, as a call.
    fn end_of_ray(&mut self) -> ExprId {
        let first = self.at - 1;
        let at = self.since(first);
        let name = match self.tokens.list.get(first).map(|token| token.kind) {
            Some(Kind::Word(name)) => name,
            _ => Symbol(0),
        };
        self.expr(ExprKind::Call(name, at, Vec::new()), first)
    }

    fn word_and_semicolon(&mut self, kind: StmtKind) -> Parsed<StmtKind> {
        self.semicolon()?;
        Ok(kind)
    }

    /// A declaration or an expression, with its semicolon; or a semicolon alone.
    fn simple_statement(&mut self) -> Parsed<StmtKind> {
        if self.accept(b';') {
            return Ok(StmtKind::Empty);
        }
        if self.starts_declaration() {
            return self.local_declaration();
        }
        let value = self.expression()?;
        if !self.is(b';') {
            self.judge_misspelt(value)?;
        }
        if self.semicolon().is_err() {
            self.skip_statement(self.at);
        }
        Ok(StmtKind::Expr(value))
    }

    /// `whlie (a) {`: looks like a call and is none.
    fn judge_misspelt(&mut self, value: ExprId) -> Parsed<()> {
        let Some(ExprKind::Call(name, at, _)) = self.ast.exprs.get(value.0 as usize).map(|e| &e.kind) else {
            return Ok(());
        };
        let (name, at) = (*name, *at);
        let statement =
            |meaning| matches!(meaning, Meaning::If | Meaning::For | Meaning::While | Meaning::Switch);
        let Some(word) = self.close_word(name, statement) else { return Ok(()) };
        let message = format!("there is no statement `{}`", self.symbols.text(name));
        let report = diagnose(self.tokens, at, message).meant(word.text);
        Err(self.fail(report))
    }

    /// Whether a declaration stands next, rather than an expression.
    fn starts_declaration(&mut self) -> bool {
        if self.starts_qualifier() || matches!(self.keyword(), Some(Meaning::Struct | Meaning::SpirvType)) {
            return true;
        }
        if !self.starts_type() {
            // Two names in a row can only be a type and a name; a keyword behind a name, a
            // qualifier that is misspelt.
            return self.name_at(0).is_some()
                && (self.name_at(1).is_some()
                    || self
                        .keyword_at(1)
                        .is_some_and(|m| super::types::is_type(m) || matches!(m, Meaning::Qualifier(_))));
        }
        let mut ahead = 1;
        if self.is_at(ahead, b'<') {
            ahead = self.behind_angles(ahead);
        }
        while self.is_at(ahead, b'[') {
            ahead = self.behind_brackets(ahead);
        }
        !matches!(self.kind_at(ahead), Kind::Punct([b'(' | b'.', 0, 0]))
    }

    /// The token behind the angle bracket that closes the one at a token. Within parentheses it
    /// is a comparison.
    fn behind_angles(&self, mut ahead: usize) -> usize {
        let (mut angles, mut parens) = (0u32, 0u32);
        loop {
            match self.kind_at(ahead) {
                Kind::Punct([b'(', 0, 0]) => parens += 1,
                Kind::Punct([b')', 0, 0]) => parens = parens.saturating_sub(1),
                Kind::Punct([b'<', 0, 0]) if parens == 0 => angles += 1,
                Kind::Punct([b'>', 0, 0]) if parens == 0 => angles -= 1,
                Kind::Punct([b';' | b'{' | b'}', 0, 0]) | Kind::End => return ahead,
                _ => {}
            }
            ahead += 1;
            if angles == 0 {
                return ahead;
            }
        }
    }

    /// The token behind the bracket that closes the one at a token.
    fn behind_brackets(&self, mut ahead: usize) -> usize {
        let mut depth = 0u32;
        loop {
            match self.kind_at(ahead) {
                Kind::Punct([b'[', 0, 0]) => depth += 1,
                Kind::Punct([b']', 0, 0]) => depth -= 1,
                Kind::Punct([b';' | b'{' | b'}', 0, 0]) | Kind::End => return ahead,
                _ => {}
            }
            ahead += 1;
            if depth == 0 {
                return ahead;
            }
        }
    }

    fn local_declaration(&mut self) -> Parsed<StmtKind> {
        let first = self.at;
        let qualifiers = self.qualifiers()?;
        if let Some(name) = self.name_at(0)
            && (self.is_at(1, b';') || self.is_at(1, b','))
            && !qualifiers.is_empty()
            && !self.names.is_type(name)
        {
            let names = self.qualified_names()?;
            return Ok(StmtKind::Qualify(qualifiers, names));
        }
        let ty = self.type_spec()?;
        if self.name_at(0).is_some() && self.is_at(1, b'(') {
            if !self.version.at_least(100, 120) {
                return self.local_prototype(qualifiers, ty, first);
            }
            let message = "a function can only be declared at the outermost level";
            self.advance();
            let report = diagnose(self.tokens, self.token(self.at - 1), message);
            return Err(self.fail(report));
        }
        Ok(StmtKind::Declaration(self.declaration(qualifiers, ty, first)?))
    }

    /// Desktop 1.10 lets functions be announced within functions; they count for the whole source
    /// here.
    fn local_prototype(
        &mut self,
        qualifiers: Vec<Qualifier>,
        result: TypeSpec,
        first: usize,
    ) -> Parsed<StmtKind> {
        let function = self.function(qualifiers, result, first)?;
        if function.body.is_some() {
            let report =
                diagnose(self.tokens, function.at, "a function can only have a body at the outermost level");
            return Err(self.fail(report));
        }
        self.ast.items.push(Item::Function(function));
        Ok(StmtKind::Empty)
    }

    /// Behind `if`: a chain of `else if` is read in a loop and put together from its end.
    fn branch(&mut self) -> Parsed<StmtKind> {
        let mut links = Vec::new();
        let last = loop {
            let first = self.at - 1;
            let condition = self.parenthesized()?;
            let then = self.substatement()?;
            links.push((first, condition, then));
            if !self.accept_keyword(Meaning::Else) {
                break None;
            }
            if !self.accept_keyword(Meaning::If) {
                break Some(self.substatement()?);
            }
        };
        let mut otherwise = last;
        while links.len() > 1 {
            if let Some((first, condition, then)) = links.pop() {
                otherwise = Some(self.stmt(StmtKind::If(condition, then, otherwise), first));
            }
        }
        match links.pop() {
            Some((_, condition, then)) => Ok(StmtKind::If(condition, then, otherwise)),
            None => Err(Failed),
        }
    }

    fn parenthesized(&mut self) -> Parsed<ExprId> {
        self.expect(b'(')?;
        let value = self.expression()?;
        self.expect(b')')?;
        Ok(value)
    }

    /// The statement that belongs to another one, in a scope of its own. Its faults are its own.
    fn substatement(&mut self) -> Parsed<StmtId> {
        if self.is(b'}') || self.ended() {
            return Err(self.expected("a statement"));
        }
        self.names.open();
        let statement = self.statement_or_skip();
        self.names.close();
        Ok(statement)
    }

    fn for_loop(&mut self) -> Parsed<StmtKind> {
        self.expect(b'(')?;
        let (first, report) = (self.at, self.reported);
        let init = self.simple_statement()?;
        // The usual way to go on behind a fault would lose count of the semicolons here.
        if self.reported > report {
            return Err(Failed);
        }
        let init = self.stmt(init, first);
        let condition = if self.is(b';') { None } else { Some(Box::new(self.condition()?)) };
        self.expect(b';')?;
        let step = if self.is(b')') { None } else { Some(self.expression()?) };
        self.expect(b')')?;
        let body = self.substatement()?;
        Ok(StmtKind::For { init, condition, step, body })
    }

    fn while_loop(&mut self) -> Parsed<StmtKind> {
        self.expect(b'(')?;
        let condition = Box::new(self.condition()?);
        self.expect(b')')?;
        let body = self.substatement()?;
        Ok(StmtKind::While(condition, body))
    }

    fn do_loop(&mut self) -> Parsed<StmtKind> {
        let body = self.substatement()?;
        if !self.accept_keyword(Meaning::While) {
            return Err(self.expected("`while` behind the body of `do`"));
        }
        let condition = self.parenthesized()?;
        self.semicolon()?;
        Ok(StmtKind::DoWhile(body, condition))
    }

    /// An expression, or `bool more = expression`.
    fn condition(&mut self) -> Parsed<Condition> {
        if !self.starts_declaration() {
            return Ok(Condition::Expr(self.expression()?));
        }
        let first = self.at;
        let qualifiers = self.qualifiers()?;
        let ty = self.type_spec()?;
        let (name, at) = self.name("a name")?;
        self.names.declare_other(name);
        if self.kind() != Kind::Punct(p1(b'=')) {
            return Err(self.expected("`=`"));
        }
        self.advance();
        let init = Some(self.initializer()?);
        let names = vec![crate::ast::Declarator { name, dims: Vec::new(), init, at }];
        Ok(Condition::Declaration(Declaration { qualifiers, ty, names, at: self.since(first) }))
    }

    fn switch(&mut self) -> Parsed<StmtKind> {
        let value = self.parenthesized()?;
        let outside = self.labels.replace(self.depth + 1);
        let list = self.scoped(Self::braces);
        self.labels = outside;
        Ok(StmtKind::Switch(value, list?))
    }
}
