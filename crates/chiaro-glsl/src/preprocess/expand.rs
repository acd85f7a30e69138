//! Macro expansion.
//!
//! What is being expanded lies on a stack of frames; a macro is a plain name as long as its frame
//! is there, and a name that was met in that time stays plain for ever ([`What::Painted`]).
//! Arguments are expanded on their own before they go into a body, except beside `##`.

use crate::preprocess::item::Frame;
use chiaro_diag::{Diagnostic, Span};

use super::item::{Item, What};
use super::limits;
use super::macros::Macro;
use super::preprocessor::Preprocessor;
use super::reader::Reader;
use crate::lex::{Lexeme, Lexer};
use crate::token::{Expansion, Symbol};

/// Arguments of a call: all their tokens, and where each one ends.
#[derive(Debug, Default)]
struct Arguments {
    items: Vec<Item>,
    ends: Vec<usize>,
}

impl Arguments {
    fn get(&self, number: usize) -> &[Item] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.ends.get(number).map_or(&[], |&end| &self.items[start..end])
    }
}

impl Preprocessor<'_> {
    /// Expands a word of a file that names a macro, and hands the result out.
    pub(super) fn expand_word(&mut self, word: Symbol, item: Item, reader: &mut Reader) {
        let base = self.frames.len();
        match self.invoke(word, item, base, Some(reader)) {
            Some(item) => self.emit(item),
            None => self.drain(base, Some(reader), Self::emit),
        }
    }

    /// Expands a list of tokens by itself.
    pub(super) fn expand_list(&mut self, items: Vec<Item>) -> Vec<Item> {
        if self.argument_depth >= limits::ARGUMENT_DEPTH {
            let span = items.first().map(|item| item.used);
            let message = format!("arguments of macros are more than {} deep", limits::ARGUMENT_DEPTH);
            self.report(Diagnostic::error(span, message));
            self.budget = 0;
            return items;
        }
        // Arguments are copied at every level: what is deep is large.
        if items.first().is_some_and(|first| !self.spend(items.len(), first.used)) {
            return items;
        }
        self.argument_depth += 1;
        let base = self.frames.len();
        let mut expanded = Vec::with_capacity(items.len());
        self.frames.push(Frame { items, next: 0, name: None });
        self.drain(base, None, |_, item| expanded.push(item));
        self.argument_depth -= 1;
        expanded
    }

    /// Reads frames above `base` until none is left.
    fn drain(&mut self, base: usize, mut reader: Option<&mut Reader>, mut sink: impl FnMut(&mut Self, Item)) {
        while let Some(item) = self.take(base) {
            let plain = match item.what {
                What::Word(word) if self.macros.is_defined(word) => {
                    self.invoke(word, item, base, reader.as_deref_mut())
                }
                _ => Some(item),
            };
            if let Some(item) = plain {
                sink(self, item);
            }
        }
    }

    /// The next token of the frames above `base`.
    fn take(&mut self, base: usize) -> Option<Item> {
        loop {
            self.pop_empty(base);
            if self.frames.len() <= base {
                return None;
            }
            let frame = self.frames.last_mut()?;
            let item = frame.items[frame.next];
            frame.next += 1;
            if item.what != What::Nothing {
                return Some(item);
            }
        }
    }

    /// Leaves macros that have nothing left.
    fn pop_empty(&mut self, base: usize) {
        while self.frames.len() > base
            && let Some(frame) = self.frames.last()
            && frame.next >= frame.items.len()
        {
            if let Some(name) = frame.name {
                self.macros.set_active(name, false);
            }
            self.frames.pop();
        }
    }

    /// Starts to expand a macro: its frame is pushed. Gives the token back if it stays.
    fn invoke(
        &mut self,
        word: Symbol,
        mut item: Item,
        base: usize,
        reader: Option<&mut Reader>,
    ) -> Option<Item> {
        let known = self.macros.get(word)?;
        if known.active {
            item.what = What::Painted(word);
            return Some(item);
        }
        if self.budget == 0 {
            return Some(item);
        }
        if let Some(value) = self.special(word, item.used) {
            item.what = What::Value(value);
            return Some(item);
        }
        let Some(count) = known.params.as_ref().map(Vec::len) else {
            self.push_frame(word, item, &Arguments::default());
            return None;
        };
        let mut reader = reader;
        if !self.opens(base, reader.as_deref_mut()) {
            return Some(item);
        }
        let arguments = self.arguments(&item, base, reader)?;
        if self.judge_count(word, &item, &arguments, count) {
            self.push_frame(word, item, &arguments);
        }
        None
    }

    /// The value of `__LINE__` and its like.
    fn special(&self, word: Symbol, used: Span) -> Option<u32> {
        let defined = |value| self.macros.get(word).is_some_and(|m| m.defined.is_none()).then_some(value);
        if word == self.macros.line {
            let line = i64::from(self.sources.position(used.file, used.start).line) + self.line_shift;
            defined(line.clamp(0, i64::from(i32::MAX)) as u32)
        } else if word == self.macros.file {
            defined(self.file_number)
        } else if word == self.macros.version {
            defined(u32::from(self.out.version.number))
        } else {
            None
        }
    }

    /// Whether the next token is `(`, which is then read.
    fn opens(&mut self, base: usize, reader: Option<&mut Reader>) -> bool {
        const OPEN: [u8; 3] = [b'(', 0, 0];
        self.pop_empty(base);
        if self.frames.len() > base {
            let Some(frame) = self.frames.last_mut() else { return false };
            let found = frame.items[frame.next].what == What::Punct(OPEN);
            frame.next += usize::from(found);
            return found;
        }
        let Some(reader) = reader else { return false };
        let mut ahead = reader.lexer.clone();
        let found = loop {
            match ahead.next() {
                Lexeme::Newline => {}
                lexeme => break lexeme == Lexeme::Punct(OPEN),
            }
        };
        if found {
            reader.lexer = ahead;
        }
        found
    }

    /// Arguments up to the closing parenthesis; `None`, reported, where there is none.
    fn arguments(&mut self, call: &Item, base: usize, mut reader: Option<&mut Reader>) -> Option<Arguments> {
        let mut arguments = Arguments::default();
        let mut depth = 0u32;
        loop {
            let item = match self.take(base) {
                Some(item) => Some(item),
                None => reader.as_deref_mut().and_then(|reader| self.argument_token(reader)),
            };
            let Some(item) = item else {
                let message = format!("the call of macro `{}` has no `)`", self.spelling(call));
                self.report(Diagnostic::error(call.used, message));
                return None;
            };
            match item.what {
                What::Punct([b'(', 0, 0]) => depth += 1,
                What::Punct([b')', 0, 0]) if depth == 0 => {
                    arguments.ends.push(arguments.items.len());
                    return Some(arguments);
                }
                What::Punct([b')', 0, 0]) => depth -= 1,
                What::Punct([b',', 0, 0]) if depth == 0 => {
                    arguments.ends.push(arguments.items.len());
                    continue;
                }
                _ => {}
            }
            arguments.items.push(item);
        }
    }

    /// A token of the file within arguments, which may go over lines.
    fn argument_token(&mut self, reader: &mut Reader) -> Option<Item> {
        loop {
            let before = reader.lexer.clone();
            let lexeme = reader.lexer.next();
            match lexeme {
                Lexeme::Newline => reader.line_start = true,
                // A directive ends the call: it is most likely a forgotten parenthesis.
                Lexeme::Punct([b'#', 0, 0]) if reader.line_start => {
                    reader.lexer = before;
                    return None;
                }
                _ => {
                    reader.line_start = false;
                    return self.item_of(reader, lexeme);
                }
            }
        }
    }

    /// Whether a call has as many arguments as the macro has parameters.
    fn judge_count(&mut self, word: Symbol, call: &Item, arguments: &Arguments, count: usize) -> bool {
        let given = arguments.ends.len();
        if given == count || count == 0 && given == 1 && arguments.items.is_empty() {
            return true;
        }
        let given = if arguments.items.is_empty() && given == 1 { 0 } else { given };
        let message = format!(
            "macro `{}` takes {count} argument{} and gets {given}",
            self.symbols.text(word),
            if count == 1 { "" } else { "s" }
        );
        let defined = self.macros.get(word).and_then(|known| known.defined);
        let mut report = Diagnostic::error(call.used, message);
        report.related.extend(defined.map(|span| (span, "defined here".to_owned())));
        self.report(report);
        false
    }

    /// Puts a macro's body, arguments filled in, before everything that is still to be read.
    fn push_frame(&mut self, word: Symbol, call: Item, arguments: &Arguments) {
        let Some(known) = self.macros.get(word).cloned() else { return };
        let items = self.substitute(word, &known, &call, arguments);
        if self.budget == 0 {
            return;
        }
        if !self.spend(items.len(), call.used) {
            return;
        }
        self.macros.set_active(word, true);
        self.note_name(word);
        self.frames.push(Frame { items, next: 0, name: Some(word) });
    }

    /// Takes so many tokens of the run's own budget and of the compilation's; whether there are as many.
    fn spend(&mut self, count: usize, at: Span) -> bool {
        if self.budget == 0 {
            return false;
        }
        if let Err(exceeded) = self.options.budget.work("macros", count) {
            self.report(exceeded.at(at));
            self.budget = 0;
        } else if self.budget < count {
            let message = "macros expand to too many tokens";
            self.report(Diagnostic::error(at, message).label("the limit is reached here"));
            self.budget = 0;
        }
        self.budget = self.budget.saturating_sub(count);
        self.budget > 0 || count == 0
    }

    fn substitute(&mut self, word: Symbol, known: &Macro, call: &Item, arguments: &Arguments) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::with_capacity(known.body.len());
        let mut expanded: Vec<Option<Vec<Item>>> = vec![None; arguments.ends.len()];
        let mut join = false;
        for piece in &known.body {
            let first = items.len();
            match piece.param.map(usize::from) {
                Some(param) if join || piece.joins => {
                    items.extend_from_slice(arguments.get(param));
                    if items.len() == first {
                        items.push(Item { what: What::Nothing, ..*call });
                    }
                }
                Some(param) => {
                    if expanded.get(param).is_some_and(Option::is_none) {
                        expanded[param] = Some(self.expand_list(arguments.get(param).to_vec()));
                    }
                    items.extend(expanded.get(param).into_iter().flatten().flatten());
                }
                None => {
                    let origin = self.trail(word, piece.spelled, call.origin);
                    items.push(Item { what: piece.what, spelled: piece.spelled, used: call.used, origin });
                }
            }
            if join && first > 0 && first < items.len() {
                let right = items.remove(first);
                items[first - 1] = self.paste(items[first - 1], right);
            }
            join = piece.joins;
            // A little more than the budget, so that the caller sees it.
            if items.len() > self.budget {
                break;
            }
        }
        items
    }

    /// Keeps a macro's name for messages.
    fn note_name(&mut self, word: Symbol) {
        let symbols = &self.symbols;
        self.out.tokens.macros.entry(word).or_insert_with(|| symbols.text(word).into());
    }

    /// Notes an expansion.
    fn trail(&mut self, name: Symbol, defined: Span, within: u32) -> u32 {
        let tokens = &mut self.out.tokens;
        tokens.trail.push(Expansion { name, defined, within });
        tokens.trail.len() as u32 - 1
    }

    /// `left ## right`.
    fn paste(&mut self, left: Item, right: Item) -> Item {
        match (left.what, right.what) {
            (_, What::Nothing) => return left,
            (What::Nothing, _) => return right,
            _ => {}
        }
        let text = self.spelling(&left) + &self.spelling(&right);
        self.pasted_bytes += text.len();
        if self.pasted_bytes > limits::PASTED_BYTES {
            if self.budget > 0 {
                let message = "`##` makes tokens that are too long together";
                let used = format!("at most {} bytes are made", limits::PASTED_BYTES);
                self.report(Diagnostic::error(left.used, message).note(used));
            }
            // Nothing more is expanded, as where there are too many tokens.
            self.budget = 0;
            return left;
        }
        let mut lexer = Lexer::new(&text);
        let lexeme = lexer.next();
        let whole = lexer.at == text.len() && lexer.start == 0;
        let (what, spelled) = match lexeme {
            Lexeme::Word if whole => (What::Word(self.symbols.intern(&text)), left.spelled),
            Lexeme::Punct(bytes) if whole => (What::Punct(bytes), left.spelled),
            Lexeme::Number if whole => {
                let end = text.len();
                (What::Number, self.sources.add("<pasted>", text).span(0..end))
            }
            _ => {
                self.report(Diagnostic::error(left.used, format!("`##` makes `{text}`, which is no token")));
                return left;
            }
        };
        Item { what, spelled, ..left }
    }
}
