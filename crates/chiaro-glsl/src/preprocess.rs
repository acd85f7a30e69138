//! Source text to tokens: directives obeyed, macros expanded, comments gone.
//!
//! One pass over the bytes. A line without a macro costs an interned name for each word and
//! nothing else; only macro expansion ([`expand`]) copies tokens. Every token knows where it
//! stands and, out of a macro, by which expansions it came ([`Tokens::trail`]). Everything that
//! input can blow up is bounded: [`limits`].
//!
//! Faults are reported and stepped over, so that one run finds all of them.

mod condition;
mod directive;
mod expand;
mod limits;
mod macros;
mod message;
mod splice;
mod version;

use chiaro_diag::{Diagnostic, FileId, SourceMap, Span};

use crate::extension::{self, Extensions};
use crate::lex::{Lexeme, Lexer};
use crate::number::{self, Suffix, Wrong};
use crate::source::{Client, Include, Options, Version};
use crate::symbol::Symbols;
use crate::token::Symbol;
use crate::token::{Kind, Token, Tokens};
use expand::Frame;
use macros::Macros;
use splice::Splices;

/// A source behind the preprocessor.
#[derive(Clone, Debug)]
pub struct Preprocessed {
    /// Its tokens.
    pub tokens: Tokens,
    /// Its version, stated or assumed.
    pub version: Version,
    /// The `#version` line; `None` where the version is assumed.
    pub version_at: Option<Span>,
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

/// Preprocesses a file and all that it includes.
///
/// Includes are asked for by name and added to `sources`. What is wrong goes to `diagnostics`;
/// tokens come in any case, so that the parser can find more.
pub fn preprocess(
    file: FileId,
    sources: &mut SourceMap,
    options: &Options,
    include: &mut Include,
    symbols: &mut Symbols,
    diagnostics: &mut Vec<Diagnostic>,
) -> Preprocessed {
    let text = sources.shared_text(file);
    let version = version::assumed(options, &text);
    let tokens = Tokens { list: Vec::with_capacity(text.len() / 4 + 1), ..Tokens::default() };
    let mut run = Preprocessor {
        options,
        include,
        macros: Macros::new(symbols),
        out: Preprocessed {
            tokens,
            version,
            version_at: None,
            extensions: Extensions::default(),
            pragmas: Vec::new(),
        },
        sources,
        symbols,
        diagnostics,
        frames: Vec::new(),
        budget: limits::budget(text.len()),
        of_options: false,
        line_shift: 0,
        file_number: 0,
        include_depth: 0,
        included_bytes: 0,
        argument_depth: 0,
        braces: (0, 0),
        told: 0,
    };
    run.file(file);
    let end = sources_end(run.sources, file);
    run.out.tokens.list.push(Token { kind: Kind::End, span: end, origin: 0 });
    run.out
}

/// The place behind the last byte of a file.
fn sources_end(sources: &SourceMap, file: FileId) -> Span {
    let length = sources.text(file).len();
    file.span(length..length)
}

/// A token before expansion, and while macros expand.
#[derive(Clone, Copy, Debug)]
struct Item {
    what: What,
    /// Where it is spelled: in a file, in a macro's definition.
    spelled: Span,
    /// Where the outermost macro was used; same as `spelled` where none was.
    used: Span,
    /// As [`Token::origin`].
    origin: u32,
}

/// What an [`Item`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    Word(Symbol),
    /// A word that named a macro while that one expanded: never again expanded.
    Painted(Symbol),
    Number,
    /// A number that the preprocessor made.
    Value(u32),
    Punct([u8; 3]),
    /// A text in quotes.
    Text,
    /// Bytes that are no token.
    Other,
    /// What an empty argument leaves beside `##`.
    Nothing,
}

/// A run over one source.
struct Preprocessor<'a> {
    options: &'a Options,
    include: &'a mut Include<'a>,
    sources: &'a mut SourceMap,
    symbols: &'a mut Symbols,
    diagnostics: &'a mut Vec<Diagnostic>,
    macros: Macros,
    out: Preprocessed,
    /// Macros that are being expanded, the innermost last.
    frames: Vec<Frame>,
    /// How many more tokens macros may handle.
    budget: usize,
    /// Whether the lines come from [`Options::defines`], which may do what sources may not.
    of_options: bool,
    /// What `#line` adds to the physical line.
    line_shift: i64,
    /// The number of the source string: `__FILE__`.
    file_number: u32,
    include_depth: u32,
    /// Bytes of all files that were included.
    included_bytes: usize,
    /// Arguments within arguments.
    argument_depth: u32,
    /// Up to which token braces have been counted, and how many are open there.
    braces: (usize, i64),
    /// How many messages this run has made.
    told: usize,
}

/// A file that is being read.
struct Reader<'t> {
    file: FileId,
    text: &'t str,
    lexer: Lexer<'t>,
    splices: &'t Splices,
    /// Whether nothing but blanks came since the line began.
    line_start: bool,
    /// `#if` groups that are open.
    groups: Vec<condition::Group>,
}

impl Reader<'_> {
    /// The place of the last lexeme in the file as it was given.
    fn span(&self) -> Span {
        self.place(self.lexer.start, self.lexer.at)
    }

    /// A place in the file as it was given.
    fn place(&self, start: usize, end: usize) -> Span {
        self.file.span(self.splices.original(start)..self.splices.original(end))
    }

    /// The text of the last lexeme.
    fn slice(&self) -> &str {
        self.text.get(self.lexer.start..self.lexer.at).unwrap_or("")
    }
}

impl Preprocessor<'_> {
    /// Reads a whole file.
    fn file(&mut self, file: FileId) {
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
    fn begin(&mut self, reader: &mut Reader) {
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
    fn lines(&mut self, reader: &mut Reader) {
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

    fn end_of_file(&mut self, reader: &Reader) {
        if let Some(start) = reader.lexer.open_comment {
            let span = reader.place(start, start + 2);
            self.tell(Diagnostic::error(span, "this comment has no end").help("close it with `*/`"));
        }
        for group in &reader.groups {
            let message = "this `#if` has no `#endif`";
            self.tell(Diagnostic::error(group.span, message).label("opened here"));
        }
    }

    fn push(&mut self, kind: Kind, span: Span) {
        self.out.tokens.list.push(Token { kind, span, origin: 0 });
    }

    /// The number of the token that comes next.
    fn next_token(&self) -> u32 {
        self.out.tokens.list.len() as u32
    }

    /// An item of the last lexeme of a file.
    fn item(&self, reader: &Reader, what: What) -> Item {
        let span = reader.span();
        Item { what, spelled: span, used: span, origin: 0 }
    }

    /// The last lexeme as an item; words are interned.
    fn item_of(&mut self, reader: &Reader, lexeme: Lexeme) -> Option<Item> {
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
    fn spelling(&self, item: &Item) -> String {
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
    fn emit(&mut self, item: Item) {
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
    fn number(&mut self, text: &str, span: Span) -> Option<Kind> {
        match number::read(text) {
            Ok((kind, suffix)) => {
                self.judge_suffix(suffix, text, span);
                Some(kind)
            }
            Err(wrong) => {
                self.tell(wrong_number(text, &wrong, span));
                Some(Kind::Int { value: 0, unsigned: false, bits: 32 })
            }
        }
    }

    /// Whether the version has a suffix.
    fn judge_suffix(&mut self, suffix: Suffix, text: &str, span: Span) {
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
            let needs = extension::needs(self.out.version, es, desktop, extensions);
            let message = format!("the suffix of `{text}` needs {needs}");
            self.tell(Diagnostic::error(span, message).help("leave the suffix away"));
        }
    }

    /// A text in quotes, where an extension has such: of instructions of SPIR-V as it stands, of
    /// messages what it stands for.
    fn quoted(&mut self, text: &str, span: Span) -> Option<Kind> {
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
    fn foreign(&mut self, text: &str, span: Span) {
        let visible = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
        let shown: String = text.chars().take(8).map(visible).collect();
        let message = format!("`{shown}` means nothing here");
        let told = match text.chars().next() {
            Some('"' | '\'') => Diagnostic::error(span, message).note("GLSL has no strings"),
            Some('\\') => Diagnostic::error(span, message)
                .note("a backslash joins two lines only where the line ends right behind it"),
            _ => Diagnostic::error(span, message),
        };
        self.tell(told);
    }

    /// Reports, up to a limit.
    fn tell(&mut self, diagnostic: Diagnostic) {
        self.told += 1;
        if self.told <= limits::MESSAGES {
            self.diagnostics.push(diagnostic);
        }
    }
}

fn wrong_number(text: &str, wrong: &Wrong, span: Span) -> Diagnostic {
    match wrong {
        Wrong::Digits(why) => Diagnostic::error(span, format!("`{text}` is no number")).note(*why),
        Wrong::Suffix(suffix) => Diagnostic::error(span, format!("`{text}` is no number"))
            .label(format!("`{suffix}` is no suffix")),
        Wrong::TooLarge(bits) => Diagnostic::error(span, format!("`{text}` does not fit into {bits} bits")),
    }
}
