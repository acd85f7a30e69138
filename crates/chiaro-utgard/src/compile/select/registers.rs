//! Virtual registers of values that are live across blocks, as many as a program likes;
//! [`allocate`](crate::compile::allocate) gives them their final places.
//!
//! Within a block a register's load is what it held at the block's start, and its store is what
//! it holds at the end; what is written and read in one block never goes through the register.

use super::{Answer, Part, Select};
use crate::compile::graph::{NAMES, Operand, Place, Source};

/// A register component.
type Name = (u8, u8);

impl Select<'_> {
    /// A register component that nothing else uses.
    pub(super) fn register(&mut self) -> Answer<Name> {
        let n = self.next_home;
        if usize::from(n) >= NAMES {
            return self.error(
                format!("more than {NAMES} scalars pass between blocks"),
                "make loops and branches smaller, or let fewer variables live through them",
            );
        }
        self.next_home = n + 1;
        Ok(((n / 4) as u8, (n % 4) as u8))
    }

    /// What a register holds here.
    pub(super) fn read_register(&mut self, name: Name) -> Operand {
        let block = self.current();
        match self.held.get(&name) {
            Some(part) if part.block == block => part.operand,
            _ => self.graph().load(Source::Register(name.0, name.1)),
        }
    }

    /// Lets a register hold a value from here on.
    pub(super) fn write_register(&mut self, name: Name, operand: Operand) {
        let block = self.current();
        if self.held.get(&name).is_some_and(|part| part.block == block) {
            self.graph().rename(|(i, c)| Some((i, c)).filter(|&own| own != name));
        }
        self.held.insert(name, Part { block, operand });
        if self.graph().load(Source::Register(name.0, name.1)) != operand {
            self.store(Place::Register(name.0, name.1), operand);
        }
    }
}
