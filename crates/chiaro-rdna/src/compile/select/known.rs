//! What is computed once: steps of addresses and angles, which the IR has no values for.
//!
//! A result serves where it was made and in all constructs that are opened there later: whoever comes to these has
//! come by it, with no more lanes than then.

use std::collections::HashMap;

use super::Select;
use super::part::Part;
use crate::isa::Op;

/// Results by what made them, a map for each side of a construct that is open.
#[derive(Debug, Default)]
pub(super) struct Known {
    open: Vec<HashMap<(Op, Vec<Part>), Part>>,
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
}

impl Select<'_> {
    /// What an operation makes of parts: as it was computed before, or now.
    pub(super) fn known(&mut self, op: Op, parts: &[Part], make: impl FnOnce(&mut Self) -> Part) -> Part {
        let key = (op, parts.to_vec());
        if let Some(&known) = self.known.open.iter().rev().find_map(|made| made.get(&key)) {
            return known;
        }
        let made = make(self);
        if self.known.open.is_empty() {
            self.known.enter(0);
        }
        if let Some(innermost) = self.known.open.last_mut() {
            innermost.insert(key, made);
        }
        made
    }
}
