//! A checked source as linking sees it.

use chiaro_diag::Span;

use crate::hir::{Builtin, Global, Program};
use crate::qualifier::{Interpolation, Storage};
use crate::symbol::Symbols;
use crate::token::Tokens;

/// A checked source, ready to be linked and emitted.
#[derive(Debug)]
pub struct Unit {
    /// What it says.
    pub program: Program,
    /// Its tokens, for places.
    pub tokens: Tokens,
    /// Its names.
    pub symbols: Symbols,
}

impl Unit {
    pub(crate) fn name(&self, global: usize) -> &str {
        let global = &self.program.globals[global];
        self.symbols.text(global.block.as_ref().map_or(global.name, |block| block.name))
    }

    pub(crate) fn span(&self, global: usize) -> Option<Span> {
        self.tokens.span(self.program.globals[global].at?)
    }

    /// The language's word for its stage.
    pub(crate) fn stage(&self) -> &'static str {
        self.program.stage.name()
    }

    /// Variables of a storage that are not SPIR-V's built-ins.
    pub(crate) fn of(&self, storage: Storage) -> Vec<usize> {
        let globals = self.program.globals.iter().enumerate();
        globals.filter(|(_, g)| g.storage == storage && is_linked(g)).map(|(i, _)| i).collect()
    }
}

pub(crate) fn is_linked(global: &Global) -> bool {
    let own_block = global.block.as_ref().is_some_and(|b| b.builtins.iter().any(Option::is_some));
    matches!(global.builtin, None | Some(Builtin::Legacy)) && !own_block
}

pub(crate) fn interpolation(mode: Interpolation) -> &'static str {
    match mode {
        Interpolation::Smooth => "smooth",
        Interpolation::Flat => "flat",
        Interpolation::PerVertex => "pervertexEXT",
        Interpolation::Explicit => "__explicitInterpAMD",
        Interpolation::NoPerspective => "noperspective",
    }
}
