//! Which names are types at a place: structures, as far as no variable hides them.

use crate::symbol::Symbols;
use crate::token::Symbol;

/// Structures that the language declares itself.
const BUILT_IN: [&str; 8] = [
    "gl_DepthRangeParameters",
    "gl_PointParameters",
    "gl_MaterialParameters",
    "gl_LightSourceParameters",
    "gl_LightModelParameters",
    "gl_LightModelProducts",
    "gl_LightProducts",
    "gl_FogParameters",
];

/// Names of types in nested scopes.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// For each symbol, whether it is a type now.
    types: Vec<bool>,
    /// Changes since the outermost scope, with what was before.
    undo: Vec<(Symbol, bool)>,
    /// How many changes there were when each open scope began.
    scopes: Vec<usize>,
}

impl Names {
    pub(super) fn new(symbols: &Symbols) -> Names {
        let mut names = Names { types: vec![false; symbols.len()], ..Names::default() };
        for symbol in BUILT_IN.iter().filter_map(|name| symbols.find(name)) {
            names.set(symbol, true);
        }
        names
    }

    pub(super) fn is_type(&self, name: Symbol) -> bool {
        self.types.get(name.0 as usize).copied().unwrap_or(false)
    }

    /// All types, for suggestions.
    pub(super) fn types(&self) -> impl Iterator<Item = Symbol> + '_ {
        (0..self.types.len()).filter(|&at| self.types[at]).map(|at| Symbol(at as u32))
    }

    pub(super) fn open(&mut self) {
        self.scopes.push(self.undo.len());
    }

    pub(super) fn close(&mut self) {
        let Some(mark) = self.scopes.pop() else { return };
        for (name, before) in self.undo.drain(mark..).rev() {
            if let Some(is_type) = self.types.get_mut(name.0 as usize) {
                *is_type = before;
            }
        }
    }

    /// A structure is declared.
    pub(super) fn declare_type(&mut self, name: Symbol) {
        self.change(name, true);
    }

    /// A variable, function or parameter is declared.
    pub(super) fn declare_other(&mut self, name: Symbol) {
        self.change(name, false);
    }

    fn change(&mut self, name: Symbol, is_type: bool) {
        let before = self.is_type(name);
        if before != is_type {
            self.undo.push((name, before));
            self.set(name, is_type);
        }
    }

    fn set(&mut self, name: Symbol, is_type: bool) {
        if let Some(known) = self.types.get_mut(name.0 as usize) {
            *known = is_type;
        }
    }
}
