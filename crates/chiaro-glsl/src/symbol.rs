//! Interned names.

use std::collections::HashMap;

use crate::ast::Symbol;

/// All names of a compilation. Number 0 is the empty text.
#[derive(Clone, Debug)]
pub struct Symbols {
    list: Vec<Box<str>>,
    known: HashMap<Box<str>, Symbol>,
}

impl Default for Symbols {
    fn default() -> Symbols {
        let mut symbols = Symbols { list: Vec::new(), known: HashMap::new() };
        symbols.intern("");
        symbols
    }
}

impl Symbols {
    /// The handle of a name.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(&known) = self.known.get(name) {
            return known;
        }
        let symbol = Symbol(self.list.len() as u32);
        self.list.push(name.into());
        self.known.insert(name.into(), symbol);
        symbol
    }

    /// The handle of a name, if anything has it.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Symbol> {
        self.known.get(name).copied()
    }

    /// A name by its handle.
    #[must_use]
    pub fn text(&self, symbol: Symbol) -> &str {
        self.list.get(symbol.0 as usize).map_or("", |name| name)
    }
}
