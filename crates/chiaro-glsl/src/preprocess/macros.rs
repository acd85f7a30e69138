//! Macros: which there are, `#define` and `#undef`.

use chiaro_diag::{Diagnostic, Span};

use super::{Preprocessor, Reader, What};
use crate::extension::EXTENSIONS;
use crate::lex::Lexeme;
use crate::source::{Profile, Version};
use crate::symbol::Symbols;
use crate::token::Symbol;

/// All macros.
#[derive(Debug)]
pub(super) struct Macros {
    /// For each symbol, the number of its macro in `list` plus one; 0 is none,
    /// [`OF_LANGUAGE`] one of the language's own.
    by_symbol: Vec<u32>,
    list: Vec<Macro>,
    /// What all macros of the language are: the value 1, if nothing else is made of them.
    one: Macro,
    pub(super) line: Symbol,
    pub(super) file: Symbol,
    pub(super) version: Symbol,
    pub(super) defined: Symbol,
}

/// Stands for [`Macros::one`]: there are many of these, and most sources use none.
const OF_LANGUAGE: u32 = u32::MAX;

/// A macro.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    pub(super) name: Symbol,
    /// `None` for one without parentheses.
    pub(super) params: Option<Vec<Symbol>>,
    pub(super) body: Vec<Piece>,
    /// Where its name stands in its definition; nowhere for those of the language.
    pub(super) defined: Option<Span>,
    /// Whether it is being expanded, and so is a plain name.
    pub(super) active: bool,
}

/// A token of a macro's body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) what: What,
    pub(super) spelled: Span,
    /// Which parameter it is.
    pub(super) param: Option<u16>,
    /// Whether `##` stands behind it.
    pub(super) joins: bool,
}

impl Macros {
    pub(super) fn new(symbols: &mut Symbols) -> Macros {
        let mut word = |text| symbols.intern(text);
        let (line, file) = (word("__LINE__"), word("__FILE__"));
        let (version, defined) = (word("__VERSION__"), word("defined"));
        let piece = Piece { what: What::Value(1), spelled: Span::default(), param: None, joins: false };
        let one = Macro { name: Symbol(0), params: None, body: vec![piece], defined: None, active: false };
        Macros { by_symbol: vec![0; symbols.len()], list: Vec::new(), one, line, file, version, defined }
    }

    /// Macros that the language has by itself.
    pub(super) fn predefine(&mut self, version: Version, symbols: &mut Symbols) {
        let profile = match version.profile {
            Profile::Es => Some("GL_ES"),
            Profile::Core => (version.number >= 150).then_some("GL_core_profile"),
            Profile::Compatibility => Some("GL_compatibility_profile"),
        };
        for name in profile.into_iter().chain(["GL_FRAGMENT_PRECISION_HIGH"]) {
            let symbol = symbols.intern(name);
            self.set(symbol, OF_LANGUAGE);
        }
        for special in [self.line, self.file, self.version] {
            self.set(special, OF_LANGUAGE);
        }
        for (row, extension) in EXTENSIONS.iter().enumerate() {
            // Other stages define it too: sources are shared between stages.
            if version.at_least(extension.es, extension.desktop) {
                self.set(Symbols::of_extension(row), OF_LANGUAGE);
            }
        }
    }

    #[inline]
    pub(super) fn is_defined(&self, name: Symbol) -> bool {
        self.by_symbol.get(name.0 as usize).is_some_and(|&row| row != 0)
    }

    pub(super) fn get(&self, name: Symbol) -> Option<&Macro> {
        match *self.by_symbol.get(name.0 as usize)? {
            OF_LANGUAGE => Some(&self.one),
            row => self.list.get((row as usize).checked_sub(1)?),
        }
    }

    pub(super) fn set_active(&mut self, name: Symbol, active: bool) {
        let row = self.by_symbol.get(name.0 as usize).map_or(0, |&row| row as usize);
        if let Some(found) = row.checked_sub(1).and_then(|row| self.list.get_mut(row)) {
            found.active = active;
        }
    }

    /// Names of all macros, for suggestions.
    pub(super) fn names(&self) -> impl Iterator<Item = Symbol> + '_ {
        (0..self.by_symbol.len() as u32).map(Symbol).filter(|&name| self.is_defined(name))
    }

    fn insert(&mut self, new: Macro) {
        let name = new.name;
        self.list.push(new);
        self.set(name, self.list.len() as u32);
    }

    fn set(&mut self, name: Symbol, row: u32) {
        let at = name.0 as usize;
        if self.by_symbol.len() <= at {
            self.by_symbol.resize(at + 1, 0);
        }
        self.by_symbol[at] = row;
    }

    fn remove(&mut self, name: Symbol) {
        if let Some(row) = self.by_symbol.get_mut(name.0 as usize) {
            *row = 0;
        }
    }
}

impl Preprocessor<'_> {
    /// The rest of a line behind `#define`.
    pub(super) fn define(&mut self, reader: &mut Reader) {
        let Some((name, at)) = self.macro_name(reader, "define") else { return };
        let params = match reader.lexer.peek() {
            b'(' => match self.params(reader) {
                Some(params) => Some(params),
                None => return,
            },
            _ => None,
        };
        let Some(body) = self.body(reader, params.as_deref().unwrap_or(&[])) else { return };
        let new = Macro { name, params, body, defined: Some(at), active: false };
        if self.may_define(&new, at) {
            self.macros.insert(new);
        }
    }

    /// The rest of a line behind `#undef`.
    pub(super) fn undef(&mut self, reader: &mut Reader) {
        let Some((name, at)) = self.macro_name(reader, "undef") else { return };
        self.nothing_more(reader, "#undef");
        if self.macros.get(name).is_some_and(|known| known.defined.is_none()) {
            let message = format!("`{}` belongs to the language and stays", self.symbols.text(name));
            self.tell(Diagnostic::error(at, message));
        } else {
            self.macros.remove(name);
        }
    }

    /// The name behind `#define` and the like. Without, the line is told wrong and done.
    pub(super) fn macro_name(&mut self, reader: &mut Reader, directive: &str) -> Option<(Symbol, Span)> {
        let lexeme = reader.lexer.next();
        let span = reader.span();
        if lexeme != Lexeme::Word {
            self.tell(Diagnostic::error(span, format!("`#{directive}` needs a name")));
            self.skip_line(reader, lexeme);
            return None;
        }
        let name = self.symbols.intern(reader.slice());
        Some((name, span))
    }

    /// Parameters in parentheses, of which the first is next.
    fn params(&mut self, reader: &mut Reader) -> Option<Vec<Symbol>> {
        reader.lexer.next();
        let mut params: Vec<Symbol> = Vec::new();
        loop {
            let lexeme = reader.lexer.next();
            let text = reader.slice();
            match lexeme {
                Lexeme::Punct([b')', 0, 0]) if params.is_empty() => return Some(params),
                Lexeme::Word => {
                    let param = self.symbols.intern(text);
                    if params.contains(&param) {
                        let message = format!("two parameters are named `{}`", self.symbols.text(param));
                        self.tell(Diagnostic::error(reader.span(), message));
                    }
                    params.push(param);
                }
                _ => return self.wrong_params(reader, lexeme, "a name"),
            }
            let lexeme = reader.lexer.next();
            match lexeme {
                Lexeme::Punct([b',', 0, 0]) => {}
                Lexeme::Punct([b')', 0, 0]) => return Some(params),
                _ => return self.wrong_params(reader, lexeme, "`,` or `)`"),
            }
        }
    }

    fn wrong_params(&mut self, reader: &mut Reader, lexeme: Lexeme, expected: &str) -> Option<Vec<Symbol>> {
        let message = format!("expected {expected} among the parameters of a macro");
        self.tell(Diagnostic::error(reader.span(), message));
        self.skip_line(reader, lexeme);
        None
    }

    /// The body to the end of the line.
    fn body(&mut self, reader: &mut Reader, params: &[Symbol]) -> Option<Vec<Piece>> {
        let mut body: Vec<Piece> = Vec::new();
        let mut join = None;
        loop {
            let lexeme = reader.lexer.next();
            let Some(item) = self.item_of(reader, lexeme) else {
                self.skip_line(reader, lexeme);
                break;
            };
            if item.what == What::Punct([b'#', b'#', 0]) {
                self.judge_paste(item.spelled);
                match body.last_mut() {
                    Some(piece) => piece.joins = true,
                    None => return self.wrong_paste(reader, item.spelled),
                }
                join = Some(item.spelled);
                continue;
            }
            if item.what == What::Punct([b'#', 0, 0]) {
                self.tell(Diagnostic::error(
                    item.spelled,
                    "GLSL cannot make strings: `#` has no place in a macro",
                ));
            }
            let param = match item.what {
                What::Word(word) => params.iter().position(|&param| param == word).map(|at| at as u16),
                _ => None,
            };
            body.push(Piece { what: item.what, spelled: item.spelled, param, joins: false });
            join = None;
        }
        match join {
            Some(span) => self.wrong_paste(reader, span),
            None => Some(body),
        }
    }

    fn judge_paste(&mut self, span: Span) {
        if !self.out.version.at_least(0, 130) {
            let message = format!("`##` is not in {}", crate::extension::language(self.out.version));
            self.tell(Diagnostic::error(span, message).note("desktop GLSL has it from `#version 130` on"));
        }
    }

    fn wrong_paste(&mut self, reader: &mut Reader, span: Span) -> Option<Vec<Piece>> {
        self.tell(Diagnostic::error(span, "`##` needs a token on both sides"));
        if !reader.line_start {
            self.skip_line(reader, Lexeme::Other);
        }
        None
    }

    /// Whether a macro may be defined; says why not.
    fn may_define(&mut self, new: &Macro, at: Span) -> bool {
        let text = self.symbols.text(new.name).to_owned();
        let old = self.macros.get(new.name);
        let own = self.out.extensions.enabled("GL_EXT_spirv_intrinsics", self.next_token());
        let free = self.of_options || own && text.starts_with("GL_");
        if old.is_some_and(|old| old.defined.is_none()) && !free || text == "defined" {
            self.tell(Diagnostic::error(at, format!("`{text}` belongs to the language")));
            return false;
        }
        if let Some((old, first)) = old.and_then(|old| Some((old, old.defined?)))
            && !self.same(old, new)
        {
            let message = format!("`{text}` is defined already, and otherwise");
            let help = format!("put `#undef {text}` before it");
            self.tell(Diagnostic::error(at, message).related(first, "first here").help(help));
            return false;
        }
        self.judge_name(&text, at);
        true
    }

    /// Names that the language keeps for itself.
    fn judge_name(&mut self, text: &str, at: Span) {
        // Headers make extensions of such words, and say so with a macro.
        let own = self.out.extensions.enabled("GL_EXT_spirv_intrinsics", self.next_token());
        if self.of_options || own && text.starts_with("GL_") {
            return;
        }
        if text.starts_with("GL_") {
            self.tell(Diagnostic::error(at, format!("`{text}`: names that start with `GL_` are reserved")));
        } else if text.contains("__") {
            let message = format!("`{text}`: names with two underscores in a row are reserved");
            let strict = self.out.version.is_es() && self.out.version.number < 300;
            let told = if strict { Diagnostic::error(at, message) } else { Diagnostic::warning(at, message) };
            self.tell(told);
        }
    }

    /// Whether two definitions are the same, token by token.
    fn same(&self, a: &Macro, b: &Macro) -> bool {
        let spelled = |piece: &Piece| match piece.what {
            What::Number | What::Text | What::Other => self.sources.slice(piece.spelled),
            _ => "",
        };
        let equal =
            |(a, b): (&Piece, &Piece)| a.what == b.what && a.joins == b.joins && spelled(a) == spelled(b);
        a.params == b.params && a.body.len() == b.body.len() && a.body.iter().zip(&b.body).all(equal)
    }
}
