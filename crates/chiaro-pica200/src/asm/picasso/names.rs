//! Names for registers: `.alias`, and what declarations define on the side.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use super::Assembler;
use super::source::{Args, is_identifier, looks_like_register};
use crate::asm::report::Outcome;
use crate::regs::IDENTITY;
use chiaro_diag::{Diagnostic, Span};
use chiaro_isa::{Reg, Symbols, Value};

/// A register as it is: all components in their places, no sign.
pub(super) fn plain(file: u8, index: u16) -> Reg {
    Reg { file, index, swizzle: IDENTITY, ..Reg::default() }
}

/// An array of `size` registers, which are bounded: 96 at most.
pub(super) fn array(file: u8, index: u16, size: u32) -> Reg {
    Reg { more: size.saturating_sub(1) as u8, ..plain(file, index) }
}

/// A map from names; they are short and looked up for most operands.
pub(super) type NameMap<'a, T> = HashMap<&'a str, T, BuildHasherDefault<NameHasher>>;

/// Eight bytes a step; nobody gains from names that collide in their own assembler.
#[derive(Default)]
pub(super) struct NameHasher(u64);

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let limb = chunk.iter().rfold(0, |limb, byte| limb << 8 | u64::from(*byte));
            let mixed = self.0.rotate_left(23) ^ limb;
            // An odd constant without a pattern: the golden ratio in 64 bits.
            self.0 = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }

    /// What ends a name in a longer key; names are hashed alone.
    fn write_u8(&mut self, _: u8) {}

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

/// The names of a file.
#[derive(Default)]
pub(super) struct Names<'a> {
    table: NameMap<'a, (Reg, Span)>,
    /// Names whose declaration failed: their use is no further error.
    poisoned: HashSet<&'a str>,
    /// Whether any name looks like a register; else registers need no look-up.
    hiding: bool,
}

impl<'a> Names<'a> {
    /// Whether a text mentions a name whose declaration failed.
    pub(super) fn mentions_poisoned(&self, text: &str) -> bool {
        let part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
        !self.poisoned.is_empty() && text.split(|c| !part(c)).any(|word| self.poisoned.contains(word))
    }

    /// All names, in no order.
    pub(super) fn all(&self) -> impl Iterator<Item = &'a str> {
        self.table.keys().copied()
    }
}

impl Symbols for Names<'_> {
    fn lookup(&self, name: &str) -> Option<Value> {
        self.table.get(name).map(|(reg, _)| Value::Reg(*reg))
    }

    fn hides(&self) -> bool {
        self.hiding
    }

    /// Every target is left open until its file or the run ends.
    fn target(&self, _: &str) -> Option<Value> {
        Some(Value::Symbol(0))
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
            return Err(Diagnostic::error(span, format!("`{name}` is a register's name"))
                .help("choose another name")
                .into());
        }
        let reg = match self.register(register) {
            Ok(reg) => reg,
            Err(error) => {
                self.poison(name);
                return Err(error);
            }
        };
        self.check_unused(name)?;
        self.define(name, reg, span);
        Ok(())
    }

    /// Adds a name that was checked to be unused.
    pub(super) fn define(&mut self, name: &'a str, reg: Reg, span: Span) {
        if looks_like_register(name) {
            self.file.names.hiding = true;
            if self.strict() {
                let text = format!("the name `{name}` hides the register of that name in this file");
                self.report.add(Diagnostic::warning(span, text).help("choose another name"));
            }
        }
        self.file.names.table.insert(name, (reg, span));
    }

    /// Remembers a name whose declaration failed.
    pub(super) fn poison(&mut self, name: &'a str) {
        self.file.names.poisoned.insert(name);
    }

    /// A name must not stand for something already.
    pub(super) fn check_unused(&self, name: &str) -> Outcome {
        match self.file.names.table.get(name) {
            None => Ok(()),
            Some((_, earlier)) => {
                Err(Diagnostic::error(self.span(name), format!("the name `{name}` is used twice"))
                    .related(*earlier, "first used here")
                    .help("choose another name")
                    .into())
            }
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
