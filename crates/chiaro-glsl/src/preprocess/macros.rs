//! Macros: which there are, `#define` and `#undef`.

use chiaro_diag::Span;

use super::item::What;
use crate::extension::EXTENSIONS;
use crate::source::{Profile, Version};
use crate::symbol::Symbols;
use crate::token::Symbol;

/// All macros.
#[derive(Debug)]
pub(super) struct Macros {
    /// For each symbol, the number of its macro in `list` plus one; 0 is none,
    /// [`OF_LANGUAGE`] one of the language's own.
    by_symbol: Vec<u32>,
    list: Vec<Macro>,
    /// What all macros of the language are: the value 1, if nothing else is made of them.
    one: Macro,
    pub(super) line: Symbol,
    pub(super) file: Symbol,
    pub(super) version: Symbol,
    pub(super) defined: Symbol,
}

/// Stands for [`Macros::one`]: there are many of these, and most sources use none.
const OF_LANGUAGE: u32 = u32::MAX;

/// A macro.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    pub(super) name: Symbol,
    /// `None` for one without parentheses.
    pub(super) params: Option<Vec<Symbol>>,
    pub(super) body: Vec<Piece>,
    /// Where its name stands in its definition; nowhere for those of the language.
    pub(super) defined: Option<Span>,
    /// Whether it is being expanded, and so is a plain name.
    pub(super) active: bool,
}

/// A token of a macro's body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) what: What,
    pub(super) spelled: Span,
    /// Which parameter it is.
    pub(super) param: Option<u16>,
    /// Whether `##` stands behind it.
    pub(super) joins: bool,
}

impl Macros {
    pub(super) fn new(symbols: &mut Symbols) -> Macros {
        let mut word = |text| symbols.intern(text);
        let (line, file) = (word("__LINE__"), word("__FILE__"));
        let (version, defined) = (word("__VERSION__"), word("defined"));
        let piece = Piece { what: What::Value(1), spelled: Span::default(), param: None, joins: false };
        let one = Macro { name: Symbol(0), params: None, body: vec![piece], defined: None, active: false };
        Macros { by_symbol: vec![0; symbols.len()], list: Vec::new(), one, line, file, version, defined }
    }

    /// Macros that the language has by itself.
    pub(super) fn predefine(&mut self, version: Version, symbols: &mut Symbols) {
        let profile = match version.profile {
            Profile::Es => Some("GL_ES"),
            Profile::Core => (version.number >= 150).then_some("GL_core_profile"),
            Profile::Compatibility => Some("GL_compatibility_profile"),
        };
        for name in profile.into_iter().chain(["GL_FRAGMENT_PRECISION_HIGH"]) {
            let symbol = symbols.intern(name);
            self.set(symbol, OF_LANGUAGE);
        }
        for special in [self.line, self.file, self.version] {
            self.set(special, OF_LANGUAGE);
        }
        for (row, extension) in EXTENSIONS.iter().enumerate() {
            // Other stages define it too: sources are shared between stages.
            if version.at_least(extension.es, extension.desktop) {
                self.set(Symbols::of_extension(row), OF_LANGUAGE);
            }
        }
    }

    #[inline]
    pub(super) fn is_defined(&self, name: Symbol) -> bool {
        self.by_symbol.get(name.0 as usize).is_some_and(|&row| row != 0)
    }

    pub(super) fn get(&self, name: Symbol) -> Option<&Macro> {
        match *self.by_symbol.get(name.0 as usize)? {
            OF_LANGUAGE => Some(&self.one),
            row => self.list.get((row as usize).checked_sub(1)?),
        }
    }

    pub(super) fn set_active(&mut self, name: Symbol, active: bool) {
        let row = self.by_symbol.get(name.0 as usize).map_or(0, |&row| row as usize);
        if let Some(found) = row.checked_sub(1).and_then(|row| self.list.get_mut(row)) {
            found.active = active;
        }
    }

    /// Names of all macros, for suggestions.
    pub(super) fn names(&self) -> impl Iterator<Item = Symbol> + '_ {
        (0..self.by_symbol.len() as u32).map(Symbol).filter(|&name| self.is_defined(name))
    }

    pub(super) fn insert(&mut self, new: Macro) {
        let name = new.name;
        self.list.push(new);
        self.set(name, self.list.len() as u32);
    }

    fn set(&mut self, name: Symbol, row: u32) {
        let at = name.0 as usize;
        if self.by_symbol.len() <= at {
            self.by_symbol.resize(at + 1, 0);
        }
        self.by_symbol[at] = row;
    }

    pub(super) fn remove(&mut self, name: Symbol) {
        if let Some(row) = self.by_symbol.get_mut(name.0 as usize) {
            *row = 0;
        }
    }
}
