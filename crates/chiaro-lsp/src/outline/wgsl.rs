//! WGSL: names by what declares them, which the language marks with words. Its reader gives no tree of
//! a text that is wrong, so scopes are followed through tokens.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use chiaro_spirv::wgsl::words::{KEYWORDS, predeclared};

use super::marks::of_c;
use super::{Kind, Name, Outline, Token};
use crate::Document;
use crate::lex::{Lexeme, tokens};

static KEYWORD: LazyLock<HashSet<&'static str>> = LazyLock::new(|| KEYWORDS.iter().copied().collect());
static PREDECLARED: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| predeclared().iter().copied().collect());

pub(super) fn outline(document: &Document) -> Outline {
    let word = |text: &str| match text {
        text if KEYWORD.contains(text) => Some(Token::Keyword),
        text if PREDECLARED.contains(text) => Some(Token::Type),
        _ => None,
    };
    let mut outline = of_c(document, word);
    let text = document.text();
    let list = tokens(text).into_iter().filter(|(lexeme, _)| *lexeme != Lexeme::Comment).collect();
    let mut walk =
        Walk { text, list, at: 0, outline: &mut outline, scopes: vec![HashMap::new()], function: None };
    walk.globals();
    walk.at = 0;
    walk.all();
    outline
}

struct Walk<'a> {
    text: &'a str,
    list: Vec<(Lexeme, Range<usize>)>,
    at: usize,
    outline: &'a mut Outline,
    /// Names of open braces, the module's first.
    scopes: Vec<HashMap<&'a str, usize>>,
    /// The function that the walk is in.
    function: Option<usize>,
}

impl<'a> Walk<'a> {
    fn word(&self, at: usize) -> Option<&'a str> {
        let (lexeme, range) = self.list.get(at)?;
        (*lexeme == Lexeme::Word).then(|| &self.text[range.clone()])
    }

    fn is(&self, at: usize, mark: u8) -> bool {
        self.list.get(at).is_some_and(|(lexeme, _)| *lexeme == Lexeme::Mark(mark))
    }

    /// What is declared outside of functions is known everywhere.
    fn globals(&mut self) {
        let mut depth = 0u32;
        for at in 0..self.list.len() {
            match self.list[at].0 {
                Lexeme::Mark(b'{') => depth += 1,
                Lexeme::Mark(b'}') => depth = depth.saturating_sub(1),
                Lexeme::Word if depth == 0 => {
                    if let Some((kind, name)) = self.declaration(at) {
                        self.declare(kind, name, at, None);
                    }
                }
                _ => {}
            }
        }
    }

    /// What a word declares, and the token of the name.
    fn declaration(&self, at: usize) -> Option<(Kind, usize)> {
        let kind = match self.word(at)? {
            "fn" => Kind::Function,
            "struct" | "alias" => Kind::Type,
            "let" => Kind::Variable,
            "const" | "override" => Kind::Constant,
            "var" => {
                let (name, is_bound) = self.behind_template(at + 1);
                let kind = if is_bound { Kind::Interface } else { Kind::Variable };
                return self.word(name).map(|_| (kind, name));
            }
            _ => return None,
        };
        self.word(at + 1).map(|_| (kind, at + 1))
    }

    /// The token behind `<uniform>`, and whether the host sees such variables.
    fn behind_template(&self, at: usize) -> (usize, bool) {
        if !self.is(at, b'<') {
            return (at, self.scopes.len() == 1);
        }
        let bound = self.word(at + 1).is_some_and(|space| matches!(space, "uniform" | "storage"));
        let close = (at..self.list.len()).find(|&at| self.is(at, b'>'));
        (close.map_or(at, |close| close + 1), bound)
    }

    fn declare(&mut self, kind: Kind, name: usize, first: usize, within: Option<usize>) -> Option<usize> {
        let place = self.list.get(name)?.1.clone();
        let whole = self.list[first].1.start..self.end_of(name);
        let written = self.text[whole.clone()].split(['{', ';']).next().unwrap_or_default();
        let written = written.split_whitespace().collect::<Vec<_>>().join(" ");
        let number = self.outline.names.len();
        self.outline.names.push(Name {
            text: self.text[place.clone()].to_owned(),
            kind,
            scope: if self.scopes.len() == 1 { 0..self.text.len() } else { place.start..self.text.len() },
            declared: vec![place.clone()],
            whole,
            written: vec![written.trim_end_matches(',').to_owned()],
            within,
        });
        self.outline.uses.push((place.clone(), number));
        if kind != Kind::Member {
            let scope = self.scopes.last_mut()?;
            scope.insert(&self.text[place], number);
        }
        Some(number)
    }

    /// Where a declaration ends: at its semicolon, its closing brace, or the comma or bracket behind it.
    fn end_of(&self, name: usize) -> usize {
        let (mut depth, mut braced) = (0i32, false);
        for (lexeme, range) in &self.list[name..] {
            match lexeme {
                Lexeme::Mark(b'(' | b'[' | b'<') => depth += 1,
                Lexeme::Mark(b'{') => (depth, braced) = (depth + 1, true),
                Lexeme::Mark(b')' | b']' | b'}') if depth == 0 => return range.start,
                Lexeme::Mark(b',') if depth == 0 => return range.start,
                Lexeme::Mark(b';') if depth == 0 => return range.end,
                Lexeme::Mark(b')' | b']' | b'>') => depth = (depth - 1).max(0),
                Lexeme::Mark(b'}') => {
                    depth = (depth - 1).max(0);
                    if depth == 0 && braced {
                        return range.end;
                    }
                }
                _ => {}
            }
        }
        self.text.len()
    }

    /// Everything in the order of the text.
    fn all(&mut self) {
        while let Some((lexeme, range)) = self.list.get(self.at).cloned() {
            match lexeme {
                Lexeme::Mark(b'{') => self.scopes.push(HashMap::new()),
                Lexeme::Mark(b'}') => self.close(range.end),
                Lexeme::Word => self.name(range),
                _ => {}
            }
            self.at += 1;
        }
    }

    fn close(&mut self, end: usize) {
        if self.scopes.len() > 1 {
            for name in self.scopes.pop().into_iter().flat_map(HashMap::into_values) {
                self.outline.names[name].scope.end = end;
            }
        }
        if self.scopes.len() == 1 {
            self.function = None;
        }
    }

    fn name(&mut self, range: Range<usize>) {
        let text = &self.text[range.clone()];
        let follows = |mark| self.at > 0 && self.is(self.at - 1, mark);
        if follows(b'.') {
            return self.member(text, range);
        }
        if follows(b'@') {
            return;
        }
        match text {
            "fn" => self.function(),
            "struct" => self.structure(),
            _ if self.scopes.len() > 1 => match self.declaration(self.at) {
                Some((kind, name)) => self.local(kind, name),
                None => self.used(text, range),
            },
            // Globals are declared already; the keyword stands before the name.
            _ => self.used(text, range),
        }
    }

    /// A variable of a function: what stands behind its name does not know it yet.
    fn local(&mut self, kind: Kind, name: usize) {
        let first = self.at;
        let end =
            self.list[name..].iter().position(|(lexeme, _)| matches!(lexeme, Lexeme::Mark(b';' | b'{')));
        let end = end.map_or(self.list.len(), |length| name + length);
        for at in name + 1..end {
            self.at = at;
            if let Some((Lexeme::Word, range)) = self.list.get(at).cloned() {
                self.name(range);
            }
        }
        self.declare(kind, name, first, self.function);
        self.at = end - 1;
    }

    /// Parameters live in the scope of the body.
    fn function(&mut self) {
        let number = self.word(self.at + 1).and_then(|name| self.scopes[0].get(name)).copied();
        let Some(open) = (self.at..self.list.len()).find(|&at| self.is(at, b'(')) else { return };
        let Some(body) = (open..self.list.len()).find(|&at| self.is(at, b'{') || self.is(at, b';')) else {
            return;
        };
        self.function = number;
        self.scopes.push(HashMap::new());
        for at in open + 1..body {
            if self.word(at).is_some() && self.is(at + 1, b':') {
                self.declare(Kind::Parameter, at, at, number);
            } else if let Some((Lexeme::Word, range)) = self.list.get(at).cloned() {
                self.used(&self.text[range.clone()], range);
            }
        }
        // The brace that follows opens the scope that stands already.
        self.at = body;
    }

    fn structure(&mut self) {
        let number = self.word(self.at + 1).and_then(|name| self.scopes[0].get(name)).copied();
        let Some(open) = (self.at..self.list.len()).find(|&at| self.is(at, b'{')) else { return };
        let close = (open..self.list.len()).find(|&at| self.is(at, b'}')).unwrap_or(self.list.len());
        for at in open + 1..close {
            let before = &self.list[at - 1].0;
            if self.word(at).is_some() && self.is(at + 1, b':') && *before != Lexeme::Mark(b'(') {
                self.declare(Kind::Member, at, at, number);
            } else if let Some((Lexeme::Word, range)) = self.list.get(at).cloned() {
                self.used(&self.text[range.clone()], range);
            }
        }
        self.at = close;
    }

    fn used(&mut self, text: &str, range: Range<usize>) {
        if let Some(&number) = self.scopes.iter().rev().find_map(|scope| scope.get(text)) {
            self.outline.uses.push((range, number));
        }
    }

    /// A member, if only one structure has one of that name: types are not followed.
    fn member(&mut self, text: &str, range: Range<usize>) {
        let named = |(_, name): &(usize, &Name)| name.kind == Kind::Member && name.text == text;
        let mut all = self.outline.names.iter().enumerate().filter(named);
        if let (Some((number, _)), None) = (all.next(), all.next()) {
            self.outline.uses.push((range, number));
        }
    }
}
