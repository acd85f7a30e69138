//! Names and what they stand for, scope by scope.
//!
//! The newest binding of each symbol is found by indexing; leaving a scope brings back what it
//! hid. All kinds of names share one space, as the language has it.

use crate::hir::{ExprId, GlobalId, LocalId, SpecId};
use crate::token::{At, Symbol};
use crate::ty::Ty;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Entity {
    /// A parameter or a variable of the function.
    Local(LocalId),
    /// A variable at the outermost level.
    Global(GlobalId),
    /// A member of a block without an instance's name.
    Member(GlobalId, u32),
    /// A constant with a value.
    Constant(ExprId),
    /// A specialisation constant.
    Spec(SpecId),
    /// A structure.
    Struct(Ty),
    /// Functions of the source with that name.
    Functions(u32),
    /// The name of a block, which means nothing by itself.
    Block,
    /// A name whose declaration was wrong: nothing more is said of it.
    Poison,
}

/// A name in a scope.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binding {
    symbol: Symbol,
    /// The binding that it hides; 0 is none.
    hidden: u32,
    /// How deep its scope is: 0 for the language's own, 1 for the outermost of the source.
    pub(super) depth: u16,
    /// What it stands for.
    pub(super) entity: Entity,
    /// Where it was declared; nowhere for the language's own.
    pub(super) at: Option<At>,
}

/// The scopes that are open.
#[derive(Debug)]
pub(super) struct Scopes {
    /// The newest binding of each symbol, by number; 0 is none.
    newest: Vec<u32>,
    /// Bindings in order; number 0 is unused.
    bindings: Vec<Binding>,
    /// How many bindings there were when each scope began.
    starts: Vec<usize>,
}

/// Bindings of a small shader.
const USUAL: usize = 32;

impl Scopes {
    /// The scope of the language, and in it that of the source, which has so many names.
    pub(super) fn new(names: usize) -> Scopes {
        let unused = Binding { symbol: Symbol(0), hidden: 0, depth: 0, entity: Entity::Poison, at: None };
        let mut bindings = Vec::with_capacity(USUAL);
        bindings.push(unused);
        Scopes { newest: vec![0; names], bindings, starts: vec![1] }
    }

    /// How deep the innermost scope is: 1 is outside of all functions.
    pub(super) fn depth(&self) -> u16 {
        self.starts.len() as u16
    }

    /// Begins a scope.
    pub(super) fn enter(&mut self) {
        self.starts.push(self.bindings.len());
    }

    /// Ends a scope: its names are gone.
    pub(super) fn leave(&mut self) {
        let start = self.starts.pop().unwrap_or(1);
        for binding in self.bindings.drain(start..).rev() {
            if let Some(newest) = self.newest.get_mut(binding.symbol.0 as usize) {
                *newest = binding.hidden;
            }
        }
    }

    /// What a name stands for.
    pub(super) fn find(&self, symbol: Symbol) -> Option<&Binding> {
        let &newest = self.newest.get(symbol.0 as usize)?;
        if newest == 0 { None } else { self.bindings.get(newest as usize) }
    }

    /// What a name stands for in the innermost scope.
    pub(super) fn find_here(&self, symbol: Symbol) -> Option<&Binding> {
        self.find(symbol).filter(|binding| binding.depth == self.depth())
    }

    /// Gives a name a meaning in the innermost scope.
    pub(super) fn bind(&mut self, symbol: Symbol, entity: Entity, at: Option<At>) {
        self.bind_at(symbol, entity, at, self.depth());
    }

    /// Gives a name of the language its meaning, which every scope sees; it lives as long as
    /// the innermost scope and is made again on demand.
    pub(super) fn bind_builtin(&mut self, symbol: Symbol, entity: Entity) {
        self.bind_at(symbol, entity, None, 0);
    }

    /// Every name that can be seen, for advice.
    pub(super) fn names(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.bindings
            .iter()
            .skip(1)
            .filter(|b| !matches!(b.entity, Entity::Poison | Entity::Block))
            .map(|b| b.symbol)
    }

    fn bind_at(&mut self, symbol: Symbol, entity: Entity, at: Option<At>, depth: u16) {
        let index = symbol.0 as usize;
        if self.newest.len() <= index {
            self.newest.resize(index + 1, 0);
        }
        let hidden = std::mem::replace(&mut self.newest[index], self.bindings.len() as u32);
        self.bindings.push(Binding { symbol, hidden, depth, entity, at });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_gives_back_what_it_hid() {
        let (a, outer, inner) = (Symbol(7), Entity::Local(LocalId(1)), Entity::Local(LocalId(2)));
        let mut scopes = Scopes::new(8);
        scopes.bind(a, outer, None);
        scopes.enter();
        assert!(scopes.find_here(a).is_none());
        scopes.bind(a, inner, None);
        assert_eq!(scopes.find(a).map(|b| b.entity), Some(inner));
        scopes.leave();
        assert_eq!(scopes.find(a).map(|b| b.entity), Some(outer));
        assert!(scopes.find(Symbol(99)).is_none());
    }
}
