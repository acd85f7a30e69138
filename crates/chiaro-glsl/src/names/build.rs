//! Names and uses while they are found: scopes, and places of tokens in the file.

use std::collections::HashMap;
use std::ops::Range;

use chiaro_diag::{FileId, SourceMap, Span};

use super::name::{Name, NameKind};
use crate::symbol::Symbols;
use crate::token::{At, Symbol, Tokens};

/// A declaration, before it has a number.
pub(super) struct Declared {
    pub(super) symbol: Symbol,
    pub(super) kind: NameKind,
    /// Where the name stands.
    pub(super) at: At,
    /// All that belongs to it.
    pub(super) whole: At,
    /// How it is written, up to and with the name.
    pub(super) written: String,
    /// The structure or block that its type is.
    pub(super) structure: Option<usize>,
    pub(super) within: Option<usize>,
}

/// Names as they are found.
pub(super) struct Builder<'a> {
    file: FileId,
    sources: &'a SourceMap,
    tokens: &'a Tokens,
    symbols: &'a Symbols,
    list: Vec<Name>,
    uses: Vec<(Range<usize>, usize)>,
    /// By number of the name: the structure that it is of.
    structures: Vec<Option<usize>>,
    /// Members by their structure.
    members: HashMap<(usize, Symbol), usize>,
    /// What each open scope has declared, the outermost first.
    scopes: Vec<HashMap<Symbol, usize>>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        file: FileId,
        sources: &'a SourceMap,
        tokens: &'a Tokens,
        symbols: &'a Symbols,
    ) -> Builder<'a> {
        let (list, uses, structures) = (Vec::new(), Vec::new(), Vec::new());
        let (members, scopes) = (HashMap::new(), vec![HashMap::new()]);
        Builder { file, sources, tokens, symbols, list, uses, structures, members, scopes }
    }

    /// Declares a name in the innermost scope; those of one function are the same.
    pub(super) fn declare(&mut self, new: Declared) -> Option<usize> {
        let place = self.place(new.at, new.symbol)?;
        let known = self.scopes.last().and_then(|scope| scope.get(&new.symbol)).copied();
        let again =
            known.filter(|&n| self.list[n].kind == NameKind::Function && new.kind == NameKind::Function);
        let number = again.unwrap_or(self.list.len());
        if let Some(before) = again {
            self.list[before].declared.push(place.clone());
            self.list[before].written.push(new.written);
        } else {
            self.add(&new, place.clone());
            if new.kind == NameKind::Member {
                self.members.insert((new.within.unwrap_or(number), new.symbol), number);
            } else if let Some(scope) = self.scopes.last_mut() {
                scope.insert(new.symbol, number);
            }
        }
        self.uses.push((place, number));
        Some(number)
    }

    fn add(&mut self, new: &Declared, place: Range<usize>) {
        let whole =
            self.range(new.whole).filter(|whole| whole.start <= place.start && place.end <= whole.end);
        let end = self.sources.text(self.file).len();
        self.list.push(Name {
            text: self.symbols.text(new.symbol).to_owned(),
            kind: new.kind,
            whole: whole.unwrap_or_else(|| place.clone()),
            scope: place.start..end,
            declared: vec![place],
            written: vec![new.written.clone()],
            within: new.within,
        });
        self.structures.push(new.structure);
    }

    /// Makes a member of a block without an instance a name like any other.
    pub(super) fn publish(&mut self, symbol: Symbol, member: usize) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(symbol, member);
        }
    }

    pub(super) fn open(&mut self) {
        self.scopes.push(HashMap::new());
    }

    /// Ends the innermost scope with a token: its names reach that far.
    pub(super) fn close(&mut self, last: u32) {
        let end = self.tokens.list.get(last as usize).map(|token| token.span);
        let end = end.filter(|span| span.file == self.file).map(|span| span.end as usize);
        for name in self.scopes.pop().into_iter().flat_map(HashMap::into_values) {
            let scope = &mut self.list[name].scope;
            scope.end = end.map_or(scope.end, |end| end.max(scope.start));
        }
    }

    /// A use of a name; its number, if something declares it.
    pub(super) fn used(&mut self, symbol: Symbol, at: At) -> Option<usize> {
        let name = self.find(symbol)?;
        self.put(symbol, at, name);
        Some(name)
    }

    /// A use of a member of a structure.
    pub(super) fn member(&mut self, structure: usize, symbol: Symbol, at: At) -> Option<usize> {
        let name = *self.members.get(&(structure, symbol))?;
        self.put(symbol, at, name);
        Some(name)
    }

    /// What a name stands for here.
    pub(super) fn find(&self, symbol: Symbol) -> Option<usize> {
        self.scopes.iter().rev().find_map(|scope| scope.get(&symbol)).copied()
    }

    /// The member of a structure, without a use.
    pub(super) fn find_member(&self, structure: usize, symbol: Symbol) -> Option<usize> {
        self.members.get(&(structure, symbol)).copied()
    }

    /// The structure that a name is of.
    pub(super) fn structure(&self, name: usize) -> Option<usize> {
        match self.list.get(name)?.kind {
            NameKind::Structure | NameKind::Block => Some(name),
            _ => self.structures.get(name).copied().flatten(),
        }
    }

    fn put(&mut self, symbol: Symbol, at: At, name: usize) {
        if let Some(place) = self.place(at, symbol) {
            self.uses.push((place, name));
        }
    }

    /// Where a token spells a name in the file; a token out of a macro: where it is spelled there.
    fn place(&self, at: At, symbol: Symbol) -> Option<Range<usize>> {
        let token = self.tokens.list.get(at.first as usize)?;
        let spelled = self.tokens.trail.get(token.origin as usize).filter(|_| token.origin != 0);
        let span = spelled.map_or(token.span, |expansion| expansion.defined);
        self.spells(span, self.symbols.text(symbol))
    }

    /// The bytes of a name at the start of a span, if that is where the file has it.
    fn spells(&self, span: Span, name: &str) -> Option<Range<usize>> {
        let place = span.start as usize..span.start as usize + name.len();
        let text = self.sources.text(self.file).get(place.clone());
        (span.file == self.file && !name.is_empty() && text == Some(name)).then_some(place)
    }

    /// The bytes of a run of tokens.
    fn range(&self, at: At) -> Option<Range<usize>> {
        let span = self.tokens.span(at).filter(|span| span.file == self.file)?;
        Some(span.start as usize..span.end as usize)
    }

    /// The source text of a run of tokens, on one line.
    pub(super) fn text(&self, at: At) -> String {
        let text = self.tokens.span(at).map_or("", |span| self.sources.slice(span));
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// `#define` lines of the file, and where their macros are used.
    pub(super) fn macros(&mut self) {
        let text = self.sources.shared_text(self.file);
        let (mut start, mut by_text) = (0, HashMap::new());
        for line in text.split_inclusive('\n') {
            let defined = line.trim_start().strip_prefix('#').map(str::trim_start);
            if let Some(rest) = defined.and_then(|rest| rest.strip_prefix("define")) {
                let rest = rest.trim_start();
                self.defined(rest, start + (line.len() - rest.len()), line, &mut by_text);
            }
            start += line.len();
        }
        for token in self.tokens.list.iter().filter(|token| token.origin != 0) {
            let Some(name) = self.tokens.macros.get(&self.outermost(token.origin)) else { continue };
            if let Some((place, n)) = self.spells(token.span, name).zip(by_text.get(&**name).copied()) {
                self.uses.push((place, n));
            }
        }
    }

    fn defined(&mut self, rest: &str, at: usize, line: &str, known: &mut HashMap<String, usize>) {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if end == 0 || known.contains_key(&rest[..end]) {
            return;
        }
        let whole = at..at + rest.trim_end().len();
        known.insert(rest[..end].to_owned(), self.list.len());
        let place = at..at + end;
        self.uses.push((place.clone(), self.list.len()));
        self.list.push(Name {
            text: rest[..end].to_owned(),
            kind: NameKind::Macro,
            declared: vec![place],
            scope: at..self.sources.text(self.file).len(),
            whole,
            written: vec![line.trim().to_owned()],
            within: None,
        });
        self.structures.push(None);
    }

    /// The macro that stands in the file where an expansion began.
    fn outermost(&self, mut origin: u32) -> Symbol {
        let trail = &self.tokens.trail;
        while let Some(outer) = trail.get(origin as usize).map(|expansion| expansion.within)
            && outer != 0
            && outer < origin
        {
            origin = outer;
        }
        trail.get(origin as usize).map_or(Symbol(0), |expansion| expansion.name)
    }

    pub(super) fn finish(mut self) -> (Vec<Name>, Vec<(Range<usize>, usize)>) {
        self.uses.sort_by_key(|(place, name)| (place.start, place.end, *name));
        self.uses.dedup();
        (self.list, self.uses)
    }
}
