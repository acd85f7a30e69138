//! Names in the text: quoted where they need it, numbered where they are not unique.

use crate::constant::{Constant, ConstantKind};
use crate::module::Module;
use crate::ty::Type;
use crate::words::{CONSTANT_WORDS, TYPE_WORDS, is_numbered_type};
use std::collections::HashMap;
use std::fmt::Write;

/// A composite of more scalars than this is written once, as a `const` of the module.
const INLINE_SCALARS: u32 = 16;

/// What the named things of a module are called in its text.
pub(crate) struct Names {
    /// By number of the type; empty for types without a name.
    pub(super) structs: Vec<String>,
    pub(super) specs: Vec<String>,
    pub(super) globals: Vec<String>,
    pub(super) functions: Vec<String>,
    /// By number of the constant; `None` for one that is written where it is used.
    pub(super) constants: Vec<Option<u32>>,
}

impl Names {
    pub(crate) fn new(module: &Module) -> Names {
        let types = (0..module.types.len() as u32).map(|i| module.types.get(crate::Ty(i)));
        let mut structs = Namer::default();
        let structs = types.map(|ty| match ty {
            Type::Struct(name, _) => structs.name(name, true),
            _ => String::new(),
        });
        let structs = structs.collect();
        let mut symbols = Namer::default();
        Names {
            structs,
            specs: module.specs.iter().map(|s| symbols.name(&s.name, false)).collect(),
            globals: module.globals.iter().map(|g| symbols.name(&g.name, false)).collect(),
            functions: module.functions.iter().map(|f| symbols.name(&f.name, false)).collect(),
            constants: number_constants(module),
        }
    }
}

/// Numbers the constants that are too large to be written where they are used.
fn number_constants(module: &Module) -> Vec<Option<u32>> {
    let mut scalars: Vec<u32> = Vec::with_capacity(module.constants.len());
    let mut next = 0;
    let mut number = |large: bool| {
        next += u32::from(large);
        large.then_some(next)
    };
    let mut numbers = Vec::with_capacity(module.constants.len());
    for i in 0..module.constants.len() as u32 {
        let size = match module.constants.get(Constant(i)) {
            // A part that is no earlier constant is a mistake that the verifier reports.
            ConstantKind::Composite(parts) => {
                parts.iter().map(|p| scalars.get(p.0 as usize).copied().unwrap_or(1)).sum::<u32>() + 1
            }
            _ => 1,
        };
        numbers.push(number(size > INLINE_SCALARS));
        scalars.push(if size > INLINE_SCALARS { 1 } else { size });
    }
    numbers
}

#[derive(Default)]
struct Namer {
    taken: HashMap<String, u32>,
}

impl Namer {
    /// The name, with a number if it is empty or was there before.
    fn name(&mut self, name: &str, is_type: bool) -> String {
        let count = self.taken.entry(name.to_owned()).or_insert(0);
        *count += 1;
        let mut text = if name.is_empty() { String::new() } else { quoted(name, is_type) };
        if *count > 1 || name.is_empty() {
            let _ = write!(text, "#{count}");
        }
        text
    }
}

/// A name as it is written: plain if it looks like one, else in quotes.
pub(super) fn quoted(name: &str, is_type: bool) -> String {
    let mut text = String::new();
    write_name(&mut text, name, is_type);
    text
}

fn write_name(out: &mut String, name: &str, is_type: bool) {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let plain = name.bytes().all(word) && !name.is_empty() && !name.as_bytes()[0].is_ascii_digit();
    let reserved = TYPE_WORDS.contains(&name) || CONSTANT_WORDS.contains(&name) || is_numbered_type(name);
    if plain && name != "_" && !(is_type && reserved) {
        out.push_str(name);
    } else {
        write_quoted(out, name);
    }
}

/// A text in quotes; what would end it or break the line is escaped.
pub(super) fn write_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
