//! `#define` and `#undef`.

use chiaro_diag::{Diagnostic, Span};

use super::item::What;
use super::macros::{Macro, Piece};
use super::preprocessor::Preprocessor;
use super::reader::Reader;
use crate::lex::Lexeme;
use crate::token::Symbol;

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
            self.report(Diagnostic::error(at, message));
        } else {
            self.macros.remove(name);
        }
    }

    /// The name behind `#define` and the like. Without, the line is reported wrong and done.
    pub(super) fn macro_name(&mut self, reader: &mut Reader, directive: &str) -> Option<(Symbol, Span)> {
        let lexeme = reader.lexer.next();
        let span = reader.span();
        if lexeme != Lexeme::Word {
            self.report(Diagnostic::error(span, format!("`#{directive}` needs a name")));
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
                        self.report(Diagnostic::error(reader.span(), message));
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
        self.report(Diagnostic::error(reader.span(), message));
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
                self.report(Diagnostic::error(
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
            self.report(Diagnostic::error(span, message).note("desktop GLSL has it from `#version 130` on"));
        }
    }

    fn wrong_paste(&mut self, reader: &mut Reader, span: Span) -> Option<Vec<Piece>> {
        self.report(Diagnostic::error(span, "`##` needs a token on both sides"));
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
            self.report(Diagnostic::error(at, format!("`{text}` belongs to the language")));
            return false;
        }
        if let Some((old, first)) = old.and_then(|old| Some((old, old.defined?)))
            && !self.same(old, new)
        {
            let message = format!("`{text}` is defined already, and otherwise");
            let help = format!("put `#undef {text}` before it");
            self.report(Diagnostic::error(at, message).related(first, "first here").help(help));
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
            self.report(Diagnostic::error(at, format!("`{text}`: names that start with `GL_` are reserved")));
        } else if text.contains("__") {
            let message = format!("`{text}`: names with two underscores in a row are reserved");
            let strict = self.out.version.is_es() && self.out.version.number < 300;
            let report =
                if strict { Diagnostic::error(at, message) } else { Diagnostic::warning(at, message) };
            self.report(report);
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
