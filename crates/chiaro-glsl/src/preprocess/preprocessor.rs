//! A run over one source: what is known so far, and the loop over its lines.

use chiaro_diag::{Advice, Diagnostic, FileId, Fix, SourceMap, Span};

use super::item::{Frame, Item, What};
use super::macros::Macros;
use super::reader::Reader;
use super::{limits, message, splice};
use crate::extension::{self, Extensions};
use crate::head::Head;
use crate::lex::{Lexeme, Lexer};
use crate::number::{self, Suffix, Wrong};
use crate::source::{Client, Include, Options, Version};
use crate::symbol::Symbols;
use crate::token::{Kind, Token, Tokens};

/// A source behind the preprocessor.
#[derive(Clone, Debug)]
pub struct Preprocessed {
    /// Its tokens.
    pub tokens: Tokens,
    /// Its version, stated or assumed.
    pub version: Version,
    /// Where its directives stand.
    pub head: Head,
    /// What it says of extensions, and from which token on.
    pub extensions: Extensions,
    /// Its pragmas, for whoever cares.
    pub pragmas: Vec<Pragma>,
}

/// A `#pragma` line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pragma {
    /// What stands behind `#pragma`, without blanks around it: `optimize(off)`,
    /// `STDGL invariant(all)`.
    pub text: String,
    /// Where.
    pub span: Span,
    /// The first token for which it holds.
    pub from: u32,
}

impl Pragma {
    /// What `#pragma chiaro KEY=VALUE` asks of a target, as `-m KEY=VALUE` does.
    pub(crate) fn setting(&self) -> Option<(String, String)> {
        let (key, value) = self.for_us()?.split_once('=')?;
        let (key, value) = (key.trim(), value.trim());
        let is_word = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
        (is_word(key) && is_word(value)).then(|| (key.to_owned(), value.to_owned()))
    }

    /// What stands behind `#pragma chiaro`.
    pub(crate) fn for_us(&self) -> Option<&str> {
        let rest = self.text.strip_prefix("chiaro")?;
        rest.starts_with(char::is_whitespace).then(|| rest.trim()).or(rest.is_empty().then_some(rest))
    }
}

/// The place behind the last byte of a file.
pub(crate) fn sources_end(sources: &SourceMap, file: FileId) -> Span {
    let length = sources.text(file).len();
    file.span(length..length)
}

/// A run over one source.
pub(crate) struct Preprocessor<'a> {
    pub(crate) options: &'a Options,
    pub(crate) include: &'a mut Include<'a>,
    pub(crate) sources: &'a mut SourceMap,
    pub(crate) symbols: &'a mut Symbols,
    pub(crate) diagnostics: &'a mut Vec<Diagnostic>,
    pub(crate) macros: Macros,
    pub(crate) out: Preprocessed,
    /// Macros that are being expanded, the innermost last.
    pub(crate) frames: Vec<Frame>,
    /// How many more tokens macros may handle.
    pub(crate) budget: usize,
    /// Whether the lines come from [`Options::defines`], which may do what sources may not.
    pub(crate) of_options: bool,
    /// What `#line` adds to the physical line.
    pub(crate) line_shift: i64,
    /// The number of the source string: `__FILE__`.
    pub(crate) file_number: u32,
    pub(crate) include_depth: u32,
    /// Bytes of all files that were included.
    pub(crate) included_bytes: usize,
    /// Files that were included.
    pub(crate) includes: usize,
    /// Bytes of tokens that `##` made.
    pub(crate) pasted_bytes: usize,
    /// Arguments within arguments.
    pub(crate) argument_depth: u32,
    /// Up to which token braces have been counted, and how many are open there.
    pub(crate) braces: (usize, i64),
    /// How many messages this run has made.
    pub(crate) reported: usize,
}

impl Preprocessor<'_> {
    /// Reads a whole file.
    pub(crate) fn file(&mut self, file: FileId) {
        let original = self.sources.shared_text(file);
        let (text, splices) = splice::splice(&original);
        let lexer = Lexer::new(&text);
        let mut reader =
            Reader { file, text: &text, lexer, splices: &splices, line_start: true, groups: Vec::new() };
        if self.include_depth == 0 && !self.of_options {
            self.begin(&mut reader);
        }
        self.lines(&mut reader);
        self.end_of_file(&reader);
    }

    /// `#version`, if it comes first, then macros that depend on it and those of the options.
    pub(crate) fn begin(&mut self, reader: &mut Reader) {
        self.version_line(reader);
        self.macros.predefine(self.out.version, self.symbols);
        // On the desktop this one was on before the language took it in [ARB_texture_rectangle].
        if !self.out.version.at_least(100, 140) {
            self.out.extensions.say(
                extension::find("GL_ARB_texture_rectangle"),
                extension::Behaviour::Enable,
                0,
            );
        }
        let mut lines = String::new();
        if self.options.client == Client::OpenGl {
            lines.push_str("#define GL_SPIRV 100\n");
        }
        for (name, value) in &self.options.defines {
            lines.push_str(&format!("#define {name} {}\n", value.replace(['\n', '\r'], " ")));
        }
        if !lines.is_empty() {
            self.of_options = true;
            let file = self.sources.add("<options>", lines);
            self.file(file);
            self.of_options = false;
        }
    }

    /// Everything to the end of a file. This loop is the fast road.
    pub(crate) fn lines(&mut self, reader: &mut Reader) {
        loop {
            let lexeme = reader.lexer.next();
            match lexeme {
                Lexeme::End => return,
                Lexeme::Newline => {
                    reader.line_start = true;
                    continue;
                }
                Lexeme::Punct([b'#', 0, 0]) if reader.line_start => {
                    self.directive(reader);
                    continue;
                }
                Lexeme::Word => {
                    let symbol = self.symbols.intern(reader.slice());
                    if self.macros.is_defined(symbol) {
                        reader.line_start = false;
                        let item = self.item(reader, What::Word(symbol));
                        self.expand_word(symbol, item, reader);
                        continue;
                    }
                    self.push(Kind::Word(symbol), reader.span());
                }
                Lexeme::Punct(bytes) => self.push(Kind::Punct(bytes), reader.span()),
                Lexeme::Number => {
                    let span = reader.span();
                    if let Some(kind) = self.number(reader.slice(), span) {
                        self.push(kind, span);
                    }
                }
                Lexeme::Text => {
                    let span = reader.span();
                    if let Some(kind) = self.quoted(reader.slice(), span) {
                        self.push(kind, span);
                    }
                }
                Lexeme::Other => self.foreign(reader.slice(), reader.span()),
            }
            reader.line_start = false;
        }
    }

    pub(crate) fn end_of_file(&mut self, reader: &Reader) {
        if let Some(start) = reader.lexer.open_comment {
            let span = reader.place(start, start + 2);
            self.report(Diagnostic::error(span, "this comment has no end").help("close it with `*/`"));
        }
        for group in &reader.groups {
            let message = "this `#if` has no `#endif`";
            self.report(Diagnostic::error(group.span, message).label("opened here"));
        }
    }

    pub(crate) fn push(&mut self, kind: Kind, span: Span) {
        self.out.tokens.list.push(Token { kind, span, origin: 0 });
    }

    /// The number of the token that comes next.
    pub(crate) fn next_token(&self) -> u32 {
        self.out.tokens.list.len() as u32
    }

    /// An item of the last lexeme of a file.
    pub(crate) fn item(&self, reader: &Reader, what: What) -> Item {
        let span = reader.span();
        Item { what, spelled: span, used: span, origin: 0 }
    }

    /// The last lexeme as an item; words are interned.
    pub(crate) fn item_of(&mut self, reader: &Reader, lexeme: Lexeme) -> Option<Item> {
        let what = match lexeme {
            Lexeme::Word => What::Word(self.symbols.intern(reader.slice())),
            Lexeme::Number => What::Number,
            Lexeme::Punct(bytes) => What::Punct(bytes),
            Lexeme::Text => What::Text,
            Lexeme::Other => What::Other,
            Lexeme::Newline | Lexeme::End => return None,
        };
        Some(self.item(reader, what))
    }

    /// How an item is spelled, without the line continuations in it.
    pub(crate) fn spelling(&self, item: &Item) -> String {
        match item.what {
            What::Word(symbol) | What::Painted(symbol) => self.symbols.text(symbol).to_owned(),
            What::Punct(bytes) => bytes.iter().filter(|&&b| b != 0).map(|&b| char::from(b)).collect(),
            What::Number | What::Text | What::Other => {
                splice::splice(self.sources.slice(item.spelled)).0.into_owned()
            }
            What::Value(value) => value.to_string(),
            What::Nothing => String::new(),
        }
    }

    /// Hands an item out as a token.
    pub(crate) fn emit(&mut self, item: Item) {
        let kind = match item.what {
            What::Word(symbol) | What::Painted(symbol) => Some(Kind::Word(symbol)),
            What::Punct(bytes) => Some(Kind::Punct(bytes)),
            What::Value(value) => Some(Kind::Int { value: value.into(), unsigned: false, bits: 32 }),
            What::Number => {
                let text = self.spelling(&item);
                self.number(&text, item.used)
            }
            What::Text => {
                let text = self.spelling(&item);
                self.quoted(&text, item.used)
            }
            What::Other => {
                let text = self.spelling(&item);
                self.foreign(&text, item.used);
                None
            }
            What::Nothing => None,
        };
        if let Some(kind) = kind {
            self.out.tokens.list.push(Token { kind, span: item.used, origin: item.origin });
        }
    }

    /// The value of a number; zero of a likely type where it is wrong.
    pub(crate) fn number(&mut self, text: &str, span: Span) -> Option<Kind> {
        match number::read(text) {
            Ok((kind, suffix)) => {
                self.judge_suffix(suffix, text, span);
                Some(kind)
            }
            Err(wrong) => {
                self.report(wrong_number(text, &wrong, span));
                Some(Kind::Int { value: 0, unsigned: false, bits: 32 })
            }
        }
    }

    /// Whether the version has a suffix.
    pub(crate) fn judge_suffix(&mut self, suffix: Suffix, text: &str, span: Span) {
        let (es, desktop, extensions): (_, _, &[&str]) = match suffix {
            Suffix::None => return,
            Suffix::Unsigned => (300, 130, &["GL_EXT_gpu_shader4"]),
            Suffix::Float => (300, 120, &["GL_EXT_gpu_shader4"]),
            Suffix::Double => (0, 400, &["GL_ARB_gpu_shader_fp64"]),
            Suffix::Half => (
                0,
                0,
                &[
                    "GL_EXT_shader_explicit_arithmetic_types",
                    "GL_EXT_shader_explicit_arithmetic_types_float16",
                    "GL_AMD_gpu_shader_half_float",
                ],
            ),
            Suffix::Small(small) => (0, 0, small.extensions()),
            Suffix::Long => (
                0,
                0,
                &[
                    "GL_ARB_gpu_shader_int64",
                    "GL_EXT_shader_explicit_arithmetic_types",
                    "GL_EXT_shader_explicit_arithmetic_types_int64",
                ],
            ),
            Suffix::Short => (
                0,
                0,
                &[
                    "GL_EXT_shader_explicit_arithmetic_types",
                    "GL_EXT_shader_explicit_arithmetic_types_int16",
                    "GL_AMD_gpu_shader_int16",
                ],
            ),
        };
        let token = self.next_token();
        // Desktop 1.10 has no suffixes, but every driver takes this one.
        let customary = suffix == Suffix::Float && !self.out.version.is_es();
        let extended = customary || extensions.iter().any(|name| self.out.extensions.enabled(name, token));
        if !self.out.version.at_least(es, desktop) && !extended {
            let needs = extension::needs(self.out.version, self.out.head, (es, desktop), extensions);
            let message = format!("the suffix of `{text}` needs {}", needs.words);
            let bare = match suffix {
                Suffix::Float => text.trim_end_matches(['f', 'F']),
                _ => text.trim_end_matches(['u', 'U', 'l', 'L', 's', 'S']),
            };
            let advice = Advice::words("leave the suffix away").fix(Fix::replace(span, bare));
            let mut report = Diagnostic::error(span, message).advise(advice);
            report.fixes.extend(needs.fixes);
            self.report(report);
        }
    }

    /// A text in quotes, where an extension has such: of instructions of SPIR-V as it stands, of
    /// messages what it stands for.
    pub(crate) fn quoted(&mut self, text: &str, span: Span) -> Option<Kind> {
        const TEXTS: [&str; 3] = ["GL_EXT_spirv_intrinsics", "GL_EXT_debug_printf", "GL_EXT_abort"];
        let token = self.next_token();
        if !TEXTS.iter().any(|name| self.out.extensions.enabled(name, token)) {
            self.foreign(text, span);
            return None;
        }
        let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text);
        Some(Kind::Text(self.symbols.intern(&message::unescaped(inner))))
    }

    /// Bytes that no token has.
    pub(crate) fn foreign(&mut self, text: &str, span: Span) {
        let visible = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
        let shown: String = text.chars().take(8).map(visible).collect();
        let message = format!("`{shown}` means nothing here");
        let report = match text.chars().next() {
            Some(char::REPLACEMENT_CHARACTER) => {
                Diagnostic::error(span, "these bytes are not UTF-8").note("only comments may hold such bytes")
            }
            Some('"' | '\'') => Diagnostic::error(span, message).note("GLSL has no strings"),
            Some('\\') => Diagnostic::error(span, message)
                .note("a backslash joins two lines only where the line ends right behind it"),
            _ => Diagnostic::error(span, message),
        };
        self.report(report);
    }

    /// Reports, up to a limit.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.reported += 1;
        if self.reported <= limits::MESSAGES {
            self.diagnostics.push(diagnostic);
        }
    }
}

pub(crate) fn wrong_number(text: &str, wrong: &Wrong, span: Span) -> Diagnostic {
    match wrong {
        Wrong::Digits(why) => Diagnostic::error(span, format!("`{text}` is no number")).note(*why),
        Wrong::Suffix(suffix) => Diagnostic::error(span, format!("`{text}` is no number"))
            .label(format!("`{suffix}` is no suffix")),
        Wrong::TooLarge(bits) => Diagnostic::error(span, format!("`{text}` does not fit into {bits} bits")),
    }
}
