//! What is computed once: steps of addresses and angles, which the IR has no values for.
//!
//! A result serves where it was made and in all constructs that are opened there later: whoever comes to these has
//! come by it, with no more lanes than then.

use std::collections::HashMap;

use super::part::Part;
use crate::isa::Op;

/// What makes a result: an operation of parts.
pub(super) type Key = (Op, Vec<Part>);

/// Results by what made them, a map for each side of a construct that is open.
#[derive(Debug, Default)]
pub(super) struct Known {
    open: Vec<HashMap<Key, Part>>,
}

impl Known {
    /// Begins a side of the construct that is `depth` deep, and forgets what was found in others.
    pub(super) fn enter(&mut self, depth: usize) {
        self.open.truncate(depth);
        self.open.resize_with(depth + 1, HashMap::new);
    }

    /// Forgets what was found in constructs that are `depth` deep and more.
    pub(super) fn leave(&mut self, depth: usize) {
        self.open.truncate(depth);
    }

    /// What an operation made of these parts, if it has been computed where it serves.
    pub(super) fn find(&self, key: &Key) -> Option<Part> {
        self.open.iter().rev().find_map(|made| made.get(key)).copied()
    }

    /// Remembers what an operation makes of parts.
    pub(super) fn add(&mut self, key: Key, made: Part) {
        if self.open.is_empty() {
            self.enter(0);
        }
        if let Some(innermost) = self.open.last_mut() {
            innermost.insert(key, made);
        }
    }
}
