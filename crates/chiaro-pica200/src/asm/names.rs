//! Names for registers: `.alias`, and what declarations define on the side.

use std::collections::{HashMap, HashSet};

use super::assembler::Assembler;
use super::report::Outcome;
use super::source::{Args, is_identifier, looks_like_register};
use chiaro_diag::{Diagnostic, Span};

/// `.xyzw`: every component at its own place.
pub(super) const IDENTITY: u8 = 0x1b;

/// What a name stands for: a register with a swizzle and a sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Alias {
    /// Register as this assembler numbers them all: v and o from 0, r from 0x10, c
    /// from 0x20, i from 0x80, b from 0x88. [picasso]
    pub(super) register: u16,
    /// Components, two bits each, x on top (spec section 7).
    pub(super) selector: u8,
    pub(super) negate: bool,
    /// How many registers it names from the first on; 0 when not known.
    pub(super) count: u16,
    /// Which bank was meant where the number alone does not tell (v or o).
    pub(super) output: bool,
}

impl Alias {
    /// A run of registers as they are.
    pub(super) fn plain(register: u16, count: u16) -> Self {
        Alias { register, selector: IDENTITY, negate: false, count, output: false }
    }
}

/// The names of a file.
#[derive(Default)]
pub(super) struct Names<'a> {
    table: HashMap<&'a str, (Alias, Span)>,
    /// Names whose declaration failed: their use is no further error.
    poisoned: HashSet<&'a str>,
    /// Whether any name looks like a register; else registers need no look-up.
    hiding: bool,
}

impl<'a> Names<'a> {
    /// What a name stands for.
    pub(super) fn get(&self, name: &str) -> Option<Alias> {
        if !self.hiding && looks_like_register(name) {
            return None;
        }
        self.table.get(name).map(|(alias, _)| *alias)
    }

    pub(super) fn is_poisoned(&self, name: &str) -> bool {
        !self.poisoned.is_empty() && self.poisoned.contains(name)
    }

    /// All names, in no order.
    pub(super) fn all(&self) -> impl Iterator<Item = &'a str> {
        self.table.keys().copied()
    }
}

impl<'a> Assembler<'a> {
    /// `.alias name register`.
    pub(super) fn alias(&mut self, args: &mut Args<'a>) -> Outcome {
        let name = self.word(args)?;
        let register = self.word(args)?;
        self.no_more(args)?;
        self.check_identifier(name, "alias")?;
        let span = self.span(name);
        if looks_like_register(name) {
            return Err(Diagnostic::error(span, format!("`{name}` is a register's name")).help("choose another name").into());
        }
        let alias = match self.register(register) {
            Ok(alias) => alias,
            Err(error) => {
                self.poison(name);
                return Err(error);
            }
        };
        self.check_unused(name)?;
        self.define(name, alias, span);
        Ok(())
    }

    /// Adds a name that was checked to be unused.
    pub(super) fn define(&mut self, name: &'a str, alias: Alias, span: Span) {
        if looks_like_register(name) {
            self.file.names.hiding = true;
            if self.strict() {
                let text = format!("the name `{name}` hides the register of that name in this file");
                self.report.add(Diagnostic::warning(span, text).help("choose another name"));
            }
        }
        self.file.names.table.insert(name, (alias, span));
    }

    /// Remembers a name whose declaration failed.
    pub(super) fn poison(&mut self, name: &'a str) {
        self.file.names.poisoned.insert(name);
    }

    /// A name must not stand for something already.
    pub(super) fn check_unused(&self, name: &str) -> Outcome {
        match self.file.names.table.get(name) {
            None => Ok(()),
            Some((_, earlier)) => Err(Diagnostic::error(self.span(name), format!("the name `{name}` is used twice"))
                .related(*earlier, "first used here")
                .help("choose another name")
                .into()),
        }
    }

    /// A name must be an identifier. picasso also takes no name at all for one.
    pub(super) fn check_identifier(&self, name: &str, what: &str) -> Outcome {
        if is_identifier(name) || name.is_empty() && !self.strict() {
            return Ok(());
        }
        Err(Diagnostic::error(self.span(name), format!("`{name}` cannot be the name of {}", article(what)))
            .help("names consist of letters, digits, `_` and `$`, and do not start with a digit")
            .into())
    }
}

/// A noun with its article.
fn article(noun: &str) -> String {
    let vowel = noun.starts_with(['a', 'e', 'i', 'o']);
    format!("{} {noun}", if vowel { "an" } else { "a" })
}
