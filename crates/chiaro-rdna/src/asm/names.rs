//! Names of a text: labels, and what instructions want to know of them.

use crate::container::SUFFIXES;
use chiaro_isa::{Symbols, Value};
use std::cell::RefCell;
use std::collections::HashMap;

/// Names and their numbers. A reference with a modifier (`name@rel32@lo+4`) has a number of
/// its own.
#[derive(Default)]
pub(super) struct Names {
    table: RefCell<Table>,
    defined: Vec<Option<bool>>,
}

#[derive(Default)]
struct Table {
    numbers: HashMap<String, u32>,
    names: Vec<String>,
}

impl Names {
    /// The number of a name.
    pub(super) fn intern(&self, name: &str) -> u32 {
        let mut table = self.table.borrow_mut();
        if let Some(number) = table.numbers.get(name) {
            return *number;
        }
        let number = table.names.len() as u32;
        table.names.push(name.to_owned());
        table.numbers.insert(name.to_owned(), number);
        number
    }

    /// The name of a number.
    pub(super) fn name(&self, number: u32) -> String {
        self.table.borrow().names.get(number as usize).cloned().unwrap_or_default()
    }

    /// Marks a name as defined, among the constants or in the code; `false` if it was already.
    pub(super) fn define(&mut self, number: u32, in_rodata: bool) -> bool {
        let at = number as usize;
        self.defined.resize(self.defined.len().max(at + 1), None);
        self.defined[at].replace(in_rodata).is_none()
    }

    /// Whether a name is defined, and then whether among the constants.
    pub(super) fn section(&self, number: u32) -> Option<bool> {
        self.defined.get(number as usize).copied().flatten()
    }

    /// Every name in the order of its first use.
    pub(super) fn all(&self) -> Vec<String> {
        self.table.borrow().names.clone()
    }

    /// Name, relocation and addend of a reference; without a relocation it is a place.
    pub(super) fn reference(text: &str) -> Option<(&str, Option<u32>, i64)> {
        let (text, addend) = match text.rsplit_once('+') {
            Some((text, n)) => (text, n.parse().ok()?),
            None => (text, 0),
        };
        let Some((name, suffix)) = text.split_once('@') else { return Some((text, None, addend)) };
        let (_, kind) = SUFFIXES.iter().find(|(known, _)| *known == suffix)?;
        Some((name, Some(*kind), addend))
    }
}

impl Symbols for Names {
    fn lookup(&self, name: &str) -> Option<Value> {
        Names::reference(name)?;
        Some(Value::Symbol(self.intern(name)))
    }
}
