//! The walk over the lines.

use std::collections::{HashMap, HashSet};

use super::header::header;
use super::interface::Unit;
use super::source::{Args, Line, Lines, Marker, Place, is_identifier, split_word, trim};
use super::uniform::Spaces;
use super::{Assembler, Assembly, Code, FileScope, Mode, Options, Procedure, Source};
use crate::asm::report::{Outcome, Report};
use crate::operand::descriptor::Descriptors;
use chiaro_diag::{Advice, Diagnostic, FileId, Fix, Span};

impl<'a> Assembler<'a> {
    pub(super) fn new(options: Options) -> Self {
        Assembler {
            options,
            report: Report::default(),
            code: Code::default(),
            descriptors: Descriptors::new(),
            spaces: Spaces::new(),
            procedures: HashMap::new(),
            unclosed: HashSet::new(),
            calls: Vec::new(),
            labels: Vec::new(),
            units: Vec::new(),
            after_block: false,
            padding: !options.no_nop,
            quiet: false,
            usage: "",
            chosen: None,
            file: FileScope::new(FileId::default(), ""),
        }
    }

    /// Whether picasso's silent errors are reported.
    pub(super) fn strict(&self) -> bool {
        self.options.mode == Mode::Strict
    }

    /// Assembles one file behind the earlier ones.
    pub(super) fn file(&mut self, source: &Source<'a>) {
        self.file = FileScope::new(source.file, source.text);
        self.next_scope();
        // Many bytes are looked at in a step.
        if source.text.bytes().fold(u8::MAX, u8::min) == 0 {
            let at = source.text.find('\0').unwrap_or_default();
            let span = source.file.span(at..at + 1);
            self.report.add(Diagnostic::error(span, "there is a NUL byte here").help("this is no text file"));
            return;
        }
        self.code.reserve(source.text.len());
        for line in Lines::new(source.text) {
            self.file.number += 1;
            let before = self.report.len();
            self.line(line);
            if self.report.len() != before {
                self.note_marker(before);
            }
        }
        self.finish_file();
    }

    /// Forgets what belongs to the source so far; lines are counted on.
    pub(super) fn next_scope(&mut self) {
        let Place { file, text } = self.file.place;
        let number = self.file.number;
        self.file = FileScope { number, ..FileScope::new(file, text) };
        self.spaces.next_file();
        self.padding = !self.options.no_nop;
        self.quiet = false;
    }

    /// The result, or what was wrong.
    pub(super) fn finish(mut self) -> Result<Assembly, Vec<Diagnostic>> {
        if self.report.failed() {
            return Err(self.report.finish());
        }
        let tool = if self.strict() { "chiaro" } else { "picasso" };
        let prefix = if self.units.first().is_some_and(|unit| unit.geometry) { "GSH" } else { "VSH" };
        let header = header(tool, prefix, &self.spaces.shared);
        let shbin = self.container();
        let procedures = self.procedures.iter().map(|(name, p)| Procedure {
            name: (*name).to_owned(),
            start: p.start,
            size: p.size,
            span: p.span,
        });
        let mut procedures: Vec<_> = procedures.collect();
        procedures.sort_by(|a, b| (a.start, &a.name).cmp(&(b.start, &b.name)));
        let warnings = self.report.finish();
        Ok(Assembly { shbin, header, warnings, spans: self.code.spans, procedures, labels: self.labels })
    }

    fn line(&mut self, line: Line<'a>) {
        let mut text = line.code;
        if self.strict() && text.starts_with('#') {
            // The quoted name of a marker may hold anything.
            return self.marker(trim(line.whole));
        }
        if line.labelled {
            text = self.labels_of(text);
        }
        self.file.line = text;
        if text.is_empty() {
            return;
        }
        let (head, rest) = split_word(text);
        let outcome = match head.as_bytes()[0] {
            b'#' => return self.marker(text),
            b'.' => self.directive(&head[1..], &mut Args::new(rest)),
            _ => self.instruction(text, head, rest),
        };
        self.report.take(outcome);
    }

    /// Defines the labels in front of a statement, which it answers.
    fn labels_of(&mut self, mut text: &'a str) -> &'a str {
        while let Some((label, rest)) = text.split_once(':') {
            text = trim(rest);
            let outcome = self.label(label);
            self.report.take(outcome);
        }
        text
    }

    fn label(&mut self, name: &'a str) -> Outcome {
        let span = self.span(name);
        if !(is_identifier(name) || name.is_empty() && !self.strict()) {
            let what = if name.is_empty() { "a colon".to_owned() } else { format!("`{name}`") };
            return Err(Diagnostic::error(span, format!("{what} cannot be a label"))
                .help("a label is an identifier, with the colon right behind it")
                .into());
        }
        let here = (self.code.len(), span);
        match self.file.labels.entry(name) {
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(here);
                Ok(())
            }
            std::collections::hash_map::Entry::Occupied(entry) => {
                Err(Diagnostic::error(span, format!("label `{name}` is defined twice"))
                    .related(entry.get().1, "the first one")
                    .help("rename one of them")
                    .into())
            }
        }
    }

    fn marker(&mut self, text: &'a str) {
        match Marker::parse(&text[1..]) {
            Some(marker) => self.file.marker = Some((marker, self.file.number)),
            None if self.strict() => {
                let warning = Diagnostic::warning(self.span(text), "this is no line marker, it is ignored")
                    .note("picasso takes it for one, and counts lines from 0 again")
                    .help("there is no preprocessor; comments start with `;`");
                self.report.add(warning);
            }
            None => {}
        }
    }

    /// Tells where preprocessed lines came from.
    fn note_marker(&mut self, first: usize) {
        let Some((marker, at)) = &self.file.marker else { return };
        let line = marker.line + (self.file.number - at).saturating_sub(1);
        let name = if marker.name.is_empty() { String::new() } else { format!("{}:", marker.name) };
        for diagnostic in self.report.since(first) {
            diagnostic.notes.push(format!("by the line markers this is {name}{line}"));
        }
    }

    /// The file's executable.
    #[inline]
    pub(super) fn unit(&mut self) -> &mut Unit<'a> {
        let index = self.file.unit.unwrap_or_else(|| self.new_unit());
        &mut self.units[index]
    }

    #[cold]
    fn new_unit(&mut self) -> usize {
        self.units.push(Unit::new(self.file.place.first_line()));
        *self.file.unit.insert(self.units.len() - 1)
    }

    /// Where a piece of the current file is.
    pub(super) fn span(&self, piece: &str) -> Span {
        self.file.place.of(piece)
    }

    /// Where the current statement is.
    pub(super) fn line_span(&self) -> Span {
        self.file.place.of(self.file.line)
    }

    /// A warning about a piece of the line, with what picasso does.
    pub(super) fn warn(&mut self, piece: &str, message: impl Into<String>, picasso: impl Into<String>) {
        let warning = Diagnostic::warning(self.span(piece), message).note(picasso);
        self.report.add(warning);
    }

    /// The next argument up to a comma.
    pub(super) fn argument(&self, args: &mut Args<'a>) -> Outcome<&'a str> {
        args.until(',').ok_or_else(|| self.missing())
    }

    /// The next argument up to a blank.
    pub(super) fn word(&self, args: &mut Args<'a>) -> Outcome<&'a str> {
        args.word().ok_or_else(|| self.missing())
    }

    pub(super) fn missing(&self) -> Box<Diagnostic> {
        let usage = format!("it is written `{}`", self.usage);
        Diagnostic::error(self.line_span(), "an argument is missing").help(usage).into()
    }

    pub(super) fn no_more(&self, args: &Args<'a>) -> Outcome {
        match args.rest() {
            "" => Ok(()),
            rest => {
                let usage = format!("it is written `{}`", self.usage);
                Err(Diagnostic::error(self.span(rest), "there are too many arguments").help(usage).into())
            }
        }
    }

    /// Text behind a closing bracket, which picasso does not look at.
    pub(super) fn nothing_behind(&self, text: &str) -> Outcome {
        let garbage = trim(text);
        if garbage.is_empty() || !self.strict() {
            return Ok(());
        }
        Err(Diagnostic::error(self.span(garbage), "there is something behind the bracket")
            .note("picasso would ignore it")
            .advise(Advice::words("remove it").fix(Fix::replace(self.span(garbage), "")))
            .into())
    }
}
