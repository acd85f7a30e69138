//! Tokens to the tree of what is written.
//!
//! Recursive descent, one function for each construct, precedence climbing for operators. What
//! is wrong is reported once and stepped over ([`recover`]), so that one run finds all faults.
//!
//! What holds of every tree, however the source looks: nesting is at most [`DEPTH`] deep, except
//! that chains of binary operators and of commas go down to the left, and chains of `else if`
//! down through the last statement, without limit. A named type that no declaration explains,
//! and [`ExprKind::Error`], have been reported already.

mod expr;
mod inline;
mod item;
mod names;
mod qualifier;
mod recover;
mod stmt;
mod template;
mod types;

use chiaro_diag::{Advice, Diagnostic, Fix, did_you_mean};

use crate::ast::{Ast, Expr, ExprId, ExprKind, Stmt, StmtId, StmtKind};
use crate::extension::{self, Extensions};
use crate::head::Head;
use crate::keyword::{Meaning, Status, WORDS, Word, word_of};
use crate::preprocess::Preprocessed;
use crate::source::Version;
use crate::symbol::Symbols;
use crate::token::{At, Kind, Symbol, Tokens, diagnose};
use names::Names;

/// How deep constructs may be nested.
pub const DEPTH: u32 = 256;

/// Messages of one run.
const MESSAGES: usize = 200;

/// Parses a preprocessed source. What is wrong goes to `diagnostics`; the tree has everything
/// that could be understood.
pub fn parse(pre: &Preprocessed, symbols: &Symbols, diagnostics: &mut Vec<Diagnostic>) -> Ast {
    let mut parser = Parser {
        tokens: &pre.tokens,
        version: pre.version,
        head: pre.head,
        extensions: &pre.extensions,
        names: Names::new(symbols),
        symbols,
        diagnostics,
        at: 0,
        ast: Ast::default(),
        depth: 0,
        labels: None,
        reported: 0,
        words: [None; WORDS.len()],
        words_until: 0,
    };
    parser.ast.exprs.reserve(pre.tokens.list.len() / 2);
    parser.ast.stmts.reserve(pre.tokens.list.len() / 8);
    parser.items();
    parser.ast
}

/// Something was wrong and has been reported; whoever can, goes on behind it.
struct Failed;

type Parsed<T> = Result<T, Failed>;

struct Parser<'a> {
    tokens: &'a Tokens,
    version: Version,
    head: Head,
    extensions: &'a Extensions,
    symbols: &'a Symbols,
    diagnostics: &'a mut Vec<Diagnostic>,
    names: Names,
    /// The next token.
    at: usize,
    ast: Ast,
    depth: u32,
    /// The depth of statements that may be labels: those of the innermost `switch`.
    labels: Option<u32>,
    reported: usize,
    /// What each word of the language is at this place, as far as it was asked.
    words: [Option<Status>; WORDS.len()],
    /// The token at which that may change.
    words_until: usize,
}

/// One character of punctuation.
const fn p1(a: u8) -> [u8; 3] {
    [a, 0, 0]
}

impl Parser<'_> {
    fn kind(&self) -> Kind {
        self.kind_at(0)
    }

    /// The kind of a token further on.
    fn kind_at(&self, ahead: usize) -> Kind {
        self.tokens.list.get(self.at + ahead).map_or(Kind::End, |token| token.kind)
    }

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.list.len().saturating_sub(1));
    }

    fn ended(&self) -> bool {
        self.kind() == Kind::End
    }

    fn is(&self, punct: u8) -> bool {
        self.kind() == Kind::Punct(p1(punct))
    }

    fn is_at(&self, ahead: usize, punct: u8) -> bool {
        self.kind_at(ahead) == Kind::Punct(p1(punct))
    }

    fn accept(&mut self, punct: u8) -> bool {
        let found = self.is(punct);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, punct: u8) -> Parsed<()> {
        if self.accept(punct) {
            return Ok(());
        }
        Err(self.expected(&format!("`{}`", char::from(punct))))
    }

    /// Reports that a `;` is missing, where it should stand: behind the token before.
    fn missing_semicolon(&mut self) -> Failed {
        let message = format!("expected `;`, found {}", self.found());
        let before = self.token(self.at.saturating_sub(1));
        let report = diagnose(self.tokens, before, message).label("`;` is missing behind this");
        let end = report.span;
        let report = end.into_iter().fold(report, |report, end| report.fix(Fix::behind(end, ";")));
        self.fail(report)
    }

    /// What a word of the language is here.
    fn status(&mut self, symbol: Symbol) -> Option<(&'static Word, Status)> {
        let word = word_of(symbol)?;
        if self.at >= self.words_until {
            self.forget_words();
        }
        let known = self.words.get_mut(symbol.0 as usize - 1)?;
        let status = || word.status(self.version, self.extensions, self.at as u32);
        Some((word, *known.get_or_insert_with(status)))
    }

    /// Extensions were turned on or off before this place: all words are asked for again.
    fn forget_words(&mut self) {
        self.words.fill(None);
        let later = self.extensions.statements.iter().map(|said| said.from as usize);
        self.words_until = later.filter(|&from| from > self.at).min().unwrap_or(usize::MAX);
    }

    /// The meaning of the next token, if it is a keyword.
    fn keyword(&mut self) -> Option<Meaning> {
        self.keyword_at(0)
    }

    fn keyword_at(&mut self, ahead: usize) -> Option<Meaning> {
        let Kind::Word(symbol) = self.kind_at(ahead) else { return None };
        let (word, status) = self.status(symbol)?;
        let hard =
            !word.soft || matches!(self.kind_at(ahead + 1), Kind::Word(_)) || self.follows_precision(ahead);
        (status == Status::Keyword && hard).then_some(word.meaning)
    }

    /// `precision highp sampler;`
    fn follows_precision(&self, ahead: usize) -> bool {
        let before = (self.at + ahead).checked_sub(1).and_then(|at| self.tokens.list.get(at));
        let word = before.and_then(|token| match token.kind {
            Kind::Word(symbol) => word_of(symbol),
            _ => None,
        });
        word.is_some_and(|word| matches!(word.text, "lowp" | "mediump" | "highp"))
    }

    fn accept_keyword(&mut self, meaning: Meaning) -> bool {
        let found = self.keyword() == Some(meaning);
        if found {
            self.advance();
        }
        found
    }

    /// The next token if it is a name: no keyword.
    fn name_at(&mut self, ahead: usize) -> Option<Symbol> {
        match self.kind_at(ahead) {
            Kind::Word(symbol) if self.keyword_at(ahead).is_none() => Some(symbol),
            _ => None,
        }
    }

    /// A name that is being declared or used.
    fn name(&mut self, what: &str) -> Parsed<(Symbol, At)> {
        let Some(symbol) = self.name_at(0) else { return Err(self.expected(what)) };
        self.judge_reserved(symbol);
        let at = self.here();
        self.advance();
        Ok((symbol, at))
    }

    /// Reports of a name that is kept for the language; it is used all the same.
    fn judge_reserved(&mut self, symbol: Symbol) {
        let Some((word, Status::Reserved)) = self.status(symbol) else { return };
        let language = extension::language(self.version);
        let mut report =
            diagnose(self.tokens, self.here(), format!("`{}` is a reserved word of {language}", word.text));
        let coming = self.needs(word);
        report.notes.extend(coming.map(|needs| format!("it is a keyword with {}", needs.words)));
        self.report(report);
    }

    /// What would make a word a keyword, if anything would.
    fn needs(&self, word: &Word) -> Option<Advice> {
        let (es, desktop) = word.from;
        let later = if self.version.is_es() { es } else { desktop } > self.version.number;
        let extension = word
            .extensions
            .iter()
            .any(|name| extension::find(name).is_some_and(|row| self.version.at_least(row.es, row.desktop)));
        (later || extension).then(|| {
            let from = if later { word.from } else { (0, 0) };
            extension::needs(self.version, self.head, from, word.extensions)
        })
    }

    /// Reports what the next word needs to be a keyword, if anything helps.
    fn report_needs(&mut self, word: &Word) {
        if let Some(needs) = self.needs(word) {
            self.report(self.needing(&format!("`{}`", word.text), needs));
        }
    }

    /// A report that the next token needs something, with the edits that bring it.
    fn needing(&self, what: &str, needs: Advice) -> Diagnostic {
        let report = diagnose(self.tokens, self.here(), format!("{what} needs {}", needs.words));
        Diagnostic { fixes: needs.fixes, ..report }
    }

    /// The place of the next token.
    fn here(&self) -> At {
        At { first: self.at as u32, last: self.at as u32 }
    }

    /// From a token to the last one that was read.
    fn since(&self, first: usize) -> At {
        At { first: first as u32, last: self.at.saturating_sub(1).max(first) as u32 }
    }

    fn expr(&mut self, kind: ExprKind, first: usize) -> ExprId {
        let at = self.since(first);
        self.ast.exprs.push(Expr { kind, at });
        ExprId(self.ast.exprs.len() as u32 - 1)
    }

    fn stmt(&mut self, kind: StmtKind, first: usize) -> StmtId {
        let at = self.since(first);
        self.ast.stmts.push(Stmt { kind, at });
        StmtId(self.ast.stmts.len() as u32 - 1)
    }

    /// Does something one level deeper; too deep is reported, and ends the source.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH {
            let message = format!("this is nested more than {DEPTH} deep");
            self.report(diagnose(self.tokens, self.here(), message));
            self.give_up();
            return Err(Failed);
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// "expected this, found that". At the end of a source that was given up, nothing.
    fn expected(&mut self, what: &str) -> Failed {
        let message = format!("expected {what}, found {}", self.found());
        let report = diagnose(self.tokens, self.here(), message);
        self.fail(report)
    }

    fn fail(&mut self, report: Diagnostic) -> Failed {
        self.report(report);
        Failed
    }

    /// The next token for people.
    fn found(&self) -> String {
        match self.kind() {
            Kind::End => "the end of the source".to_owned(),
            kind => format!("`{}`", self.spelled(kind)),
        }
    }

    fn spelled(&self, kind: Kind) -> String {
        match kind {
            Kind::Word(symbol) => self.symbols.text(symbol).to_owned(),
            Kind::Punct(bytes) => bytes.iter().filter(|&&b| b != 0).map(|&b| char::from(b)).collect(),
            Kind::Int { value, .. } => value.to_string(),
            Kind::Float { value, bits: 64 } => format!("{value:?}"),
            Kind::Float { value, .. } => format!("{:?}", value as f32),
            Kind::Small { value, .. } => format!("{value:?}"),
            Kind::Text(text) => format!("\"{}\"", self.symbols.text(text)),
            Kind::End => String::new(),
        }
    }

    fn report(&mut self, report: Diagnostic) {
        if self.reported < MESSAGES {
            self.diagnostics.push(report);
        }
        self.reported += 1;
        if self.reported >= MESSAGES {
            self.give_up();
        }
    }

    /// Goes to the end, and says no more.
    fn give_up(&mut self) {
        self.reported = MESSAGES;
        self.at = self.tokens.list.len().saturating_sub(1);
    }

    /// The keyword that was most likely meant, of those that the version has.
    fn close_word(&self, name: Symbol, fits: impl Fn(Meaning) -> bool) -> Option<&'static Word> {
        let text = self.symbols.text(name);
        if text.len() < 3 {
            return None;
        }
        let status = |word: &Word| word.status(self.version, self.extensions, self.at as u32);
        let keywords = WORDS.iter().filter(|word| fits(word.meaning) && status(word) == Status::Keyword);
        let close = did_you_mean(text, keywords.map(|word| word.text))?;
        WORDS.iter().find(|word| word.text == close)
    }
}
