//! Directives other than `#define`, `#if` and `#version`, and the choice among all.

use chiaro_diag::{Diagnostic, Span, did_you_mean};

use super::item::What;
use super::limits;
use super::preprocessor::{Pragma, Preprocessor};
use super::reader::Reader;
use crate::extension::{self, Behaviour, EXTENSIONS};
use crate::lex::Lexeme;
use crate::token::Kind;

const DIRECTIVES: [&str; 14] = [
    "define",
    "undef",
    "if",
    "ifdef",
    "ifndef",
    "elif",
    "else",
    "endif",
    "error",
    "pragma",
    "extension",
    "version",
    "line",
    "include",
];

impl Preprocessor<'_> {
    /// A line whose `#` has been read.
    pub(super) fn directive(&mut self, reader: &mut Reader) {
        let start = reader.lexer.start;
        let lexeme = reader.lexer.next();
        let span = reader.place(start, reader.lexer.at);
        if lexeme != Lexeme::Word {
            if !matches!(lexeme, Lexeme::Newline | Lexeme::End) {
                self.report(Diagnostic::error(span, "expected the name of a directive"));
            }
            return self.skip_line(reader, lexeme);
        }
        reader.line_start = false;
        let word = reader.slice().to_owned();
        match word.as_str() {
            "define" => self.define(reader),
            "undef" => self.undef(reader),
            "if" | "ifdef" | "ifndef" => self.open_group(reader, &word, span),
            "elif" | "else" => self.next_branch(reader, &word, span),
            "endif" => self.close_group(reader, span),
            "error" => self.error(reader, span),
            "pragma" => self.pragma(reader, start),
            "extension" => self.extension(reader, span),
            "version" => self.late_version(reader, start),
            "line" => self.line(reader, span),
            "include" => self.include(reader, span),
            _ => self.unknown(reader, &word, span),
        }
    }

    fn unknown(&mut self, reader: &mut Reader, word: &str, span: Span) {
        let mut report = Diagnostic::error(span, format!("there is no directive `#{word}`"));
        let close = did_you_mean(word, DIRECTIVES);
        report.mean(close.map(|close| format!("#{close}")));
        self.report(report);
        self.skip_line(reader, Lexeme::Other);
    }

    /// Goes behind the end of the line; `last` is what was read last.
    pub(super) fn skip_line(&mut self, reader: &mut Reader, mut last: Lexeme) {
        while !matches!(last, Lexeme::Newline | Lexeme::End) {
            last = reader.lexer.next();
        }
        reader.line_start = true;
    }

    /// Goes behind the end of the line, with a warning if there is something.
    pub(super) fn nothing_more(&mut self, reader: &mut Reader, directive: &str) {
        let lexeme = reader.lexer.next();
        if !matches!(lexeme, Lexeme::Newline | Lexeme::End) {
            let message = format!("what follows `#{}` is ignored", directive.trim_start_matches('#'));
            self.report(Diagnostic::warning(reader.span(), message));
        }
        self.skip_line(reader, lexeme);
    }

    /// The rest of the line as text, without blanks around it.
    fn line_text(&mut self, reader: &mut Reader) -> (String, Span) {
        let start = reader.lexer.at;
        let end = reader.lexer.rest_of_line();
        let whole = reader.text.get(start..end).unwrap_or("");
        let text = whole.split("//").next().unwrap_or("");
        let trimmed = text.trim();
        let from = start + (text.len() - text.trim_start().len());
        reader.line_start = true;
        (trimmed.to_owned(), reader.place(from, from + trimmed.len()))
    }

    fn error(&mut self, reader: &mut Reader, span: Span) {
        let (text, _) = self.line_text(reader);
        let message = if text.is_empty() { "#error".to_owned() } else { format!("#error {text}") };
        self.report(Diagnostic::error(span, message));
    }

    fn pragma(&mut self, reader: &mut Reader, start: usize) {
        let (text, behind) = self.line_text(reader);
        let mut span = reader.place(start, start);
        span.end = behind.end;
        self.judge_pragma(&text, span);
        let pragma = Pragma { text, span, from: self.next_token() };
        if pragma.for_us().is_some() && pragma.setting().is_none() {
            let error = Diagnostic::error(span, "`#pragma chiaro` is followed by KEY=VALUE");
            self.report(error.help("for example `#pragma chiaro output.vUv=texcoord0`"));
        }
        self.out.pragmas.push(pragma);
    }

    /// Pragmas of the language have a fixed form; others are nobody's business.
    fn judge_pragma(&mut self, text: &str, span: Span) {
        let tight: String = text.split_whitespace().collect();
        if (tight.starts_with("optimize") || tight.starts_with("debug")) && self.in_braces() {
            let message = format!("`#pragma {text}` has to stand outside of functions");
            self.report(Diagnostic::error(span, message));
        }
        let known = ["optimize(on)", "optimize(off)", "debug(on)", "debug(off)", "STDGLinvariant(all)"];
        let ours = ["optimize", "debug", "STDGL"].iter().any(|name| tight.starts_with(name));
        if ours && !known.contains(&tight.as_str()) {
            let message = format!("`#pragma {text}` is none of the language's and is ignored");
            self.report(Diagnostic::warning(span, message).note(
                "known are optimize(on), optimize(off), debug(on), debug(off) and STDGL invariant(all)",
            ));
        }
    }

    /// Whether more braces were opened than closed.
    fn in_braces(&mut self) -> bool {
        let (counted, mut depth) = self.braces;
        for token in self.out.tokens.list.iter().skip(counted) {
            match token.kind {
                Kind::Punct([b'{', 0, 0]) => depth += 1,
                Kind::Punct([b'}', 0, 0]) => depth -= 1,
                _ => {}
            }
        }
        self.braces = (self.out.tokens.list.len(), depth);
        depth > 0
    }

    /// `#extension NAME : BEHAVIOUR`.
    fn extension(&mut self, reader: &mut Reader, directive: Span) {
        let items = self.line_items(reader);
        let (name, behaviour, name_at, behaviour_at) = match items.as_slice() {
            [name, colon, behaviour]
                if colon.what == What::Punct([b':', 0, 0]) && matches!(behaviour.what, What::Word(_)) =>
            {
                (self.spelling(name), self.spelling(behaviour), name.used, behaviour.used)
            }
            // `GL_3DL_array_objects` starts like a word and is one; a digit first is a number.
            _ => {
                let message = "`#extension` needs a name, a colon and a behaviour";
                let help = "`#extension GL_OES_standard_derivatives : enable`";
                return self.report(Diagnostic::error(directive, message).help(help));
            }
        };
        let behaviour = match behaviour.as_str() {
            "require" => Behaviour::Require,
            "enable" => Behaviour::Enable,
            "warn" => Behaviour::Warn,
            "disable" => Behaviour::Disable,
            other => {
                let message = format!("`{other}` is none of require, enable, warn and disable");
                return self.report(Diagnostic::error(behaviour_at, message));
            }
        };
        self.judge_place(directive);
        self.switch(&name, behaviour, name_at);
    }

    /// `#extension` belongs before the program.
    fn judge_place(&mut self, directive: Span) {
        if self.out.tokens.list.is_empty() {
            return;
        }
        let message = "`#extension` has to come before everything but directives";
        let strict = self.out.version.is_es() && self.out.version.number >= 300;
        let report = if strict {
            Diagnostic::error(directive, message)
        } else {
            Diagnostic::warning(directive, message)
        };
        self.report(report);
    }

    fn switch(&mut self, name: &str, behaviour: Behaviour, at: Span) {
        let from = self.next_token();
        if name == "all" {
            match behaviour {
                Behaviour::Warn | Behaviour::Disable => self.out.extensions.say(None, behaviour, from),
                _ => self.report(Diagnostic::error(at, "`all` goes with warn and disable only")),
            }
            return;
        }
        let known = extension::find(name);
        let there = known.filter(|known| known.exists(self.out.version, self.options.stage));
        // One of another stage is harmless: sources are shared between stages.
        let elsewhere = known.filter(|known| self.out.version.at_least(known.es, known.desktop));
        match there.or(elsewhere) {
            Some(extension) => self.out.extensions.say(Some(extension), behaviour, from),
            None => self.no_extension(name, known, behaviour, at),
        }
    }

    fn no_extension(
        &mut self,
        name: &str,
        known: Option<&extension::Extension>,
        behaviour: Behaviour,
        at: Span,
    ) {
        let message = match known {
            Some(_) => format!("`{name}` is not for {}", extension::language(self.out.version)),
            None => format!("extension `{name}` is not known"),
        };
        let mut report = match behaviour {
            Behaviour::Require => Diagnostic::error(at, message),
            _ => Diagnostic::warning(at, message),
        };
        if known.is_none() {
            let close = did_you_mean(name, similar(name));
            report.mean(close);
        }
        self.report(report);
    }

    /// `#line LINE [SOURCE]`: changes `__LINE__` and `__FILE__`, and where messages say that they point.
    fn line(&mut self, reader: &mut Reader, directive: Span) {
        let items = self.line_items(reader);
        let items = self.expand_list(items);
        let number = |item: &super::item::Item| match item.what {
            What::Value(value) => Some(value),
            What::Number => self.spelling(item).parse().ok(),
            _ => None,
        };
        // A name in quotes is of GL_GOOGLE_cpp_style_line_directive.
        let named = |item: &super::item::Item| matches!(item.what, What::Other | What::Text | What::Word(_));
        let (line, source) = match items.as_slice() {
            [line] => (number(line), Some(self.file_number)),
            [line, source] => (number(line), number(source)),
            [line, quoted, ..] if named(quoted) => (number(line), Some(self.file_number)),
            _ => (None, None),
        };
        let named = items.get(1).is_some_and(named);
        let (Some(line), Some(source)) = (line, source.or(named.then_some(self.file_number))) else {
            let message = "`#line` needs a line and may have the number of a source";
            return self.report(Diagnostic::error(directive, message));
        };
        let at = self.next_token();
        let naming = ["GL_GOOGLE_cpp_style_line_directive", "GL_ARB_shading_language_include"];
        if named && !naming.iter().any(|name| self.out.extensions.enabled(name, at)) {
            let report = Diagnostic::error(directive, "`#line` takes the number of a source, not a name")
                .help(format!("or put `#extension {} : enable` before it", naming[0]))
                .fix(self.out.head.with_extension(naming[0]));
            self.report(report);
        }
        let here = i64::from(self.sources.position(directive.file, directive.start).line);
        // Up to desktop 1.50 and in ES 1.00 the number is that of the directive's own line.
        let next = i64::from(self.out.version.at_least(300, 330));
        self.line_shift = i64::from(line) - here - next;
        self.file_number = source;
        let name = match items.get(1) {
            Some(item) if named => Some(self.spelling(item).trim_matches('"').to_owned()),
            // A number stands for one of the texts that a host puts together.
            Some(_) => Some(format!("{} (source {source})", self.sources.name(directive.file))),
            None => None,
        };
        // A line without a name keeps the name that was given before.
        let name = name.or_else(|| self.stated_name(directive));
        self.sources.state_lines(directive.file, directive.end, self.line_shift, name);
    }

    /// The name that an earlier `#line` has given the text here, if it is not the file's own.
    fn stated_name(&self, at: Span) -> Option<String> {
        let (name, _) = self.sources.stated(at.file, at.start);
        (name != self.sources.name(at.file)).then(|| name.to_owned())
    }

    /// `#include "name"` or `<name>`.
    fn include(&mut self, reader: &mut Reader, directive: Span) {
        let (text, at) = self.line_text(reader);
        let token = self.next_token();
        let allowed = ["GL_GOOGLE_include_directive", "GL_ARB_shading_language_include"];
        if !allowed.iter().any(|name| self.out.extensions.enabled(name, token)) {
            let report = Diagnostic::error(directive, "`#include` is not in the language itself")
                .help(format!("put `#extension {} : enable` before it", allowed[0]))
                .fix(self.out.head.with_extension(allowed[0]));
            self.report(report);
        }
        let quoted = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let angled = text.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
        let Some(name) = quoted.or(angled).filter(|name| !name.is_empty()) else {
            let message = "`#include` needs a name in quotes or angle brackets";
            return self.report(Diagnostic::error(at, message));
        };
        if self.include_depth >= limits::INCLUDE_DEPTH {
            let message = format!("includes are more than {} deep", limits::INCLUDE_DEPTH);
            return self.report(Diagnostic::error(at, message).note("does a file include itself?"));
        }
        let includer = self.sources.name(reader.file).to_owned();
        match (self.include)(name, quoted.is_some(), &includer) {
            Some((full, text)) => self.included(full, text, at),
            None => self.report(Diagnostic::error(at, format!("cannot find `{name}`"))),
        }
    }

    fn included(&mut self, name: String, text: String, at: Span) {
        self.included_bytes = self.included_bytes.saturating_add(text.len());
        if self.included_bytes > limits::INCLUDED_BYTES {
            return self.report(Diagnostic::error(at, "included files are larger than 64 MB together"));
        }
        self.includes += 1;
        if self.includes > limits::INCLUDES {
            let message = format!("more than {} files are included", limits::INCLUDES);
            return self
                .report(Diagnostic::error(at, message).note("each counts as often as it is included"));
        }
        let outside = (self.line_shift, self.file_number);
        let file = self.sources.add_included(name, text, at);
        self.include_depth += 1;
        (self.line_shift, self.file_number) = (0, self.include_depth);
        self.file(file);
        self.include_depth -= 1;
        (self.line_shift, self.file_number) = outside;
    }
}

/// Extensions of about the same length: the names are so long that comparing all of them letter
/// by letter would be most of the work for a small source.
fn similar(name: &str) -> impl Iterator<Item = &'static str> {
    let length = name.len();
    EXTENSIONS.iter().map(|known| known.name).filter(move |known| known.len().abs_diff(length) < 3)
}
