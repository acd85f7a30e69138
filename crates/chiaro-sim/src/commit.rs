//! Results that become visible later than they are computed.
//!
//! Micro-ops of a timed machine write to result slots; the machine queues the
//! copy to the architectural slots for the cycle in which the hardware would
//! do it. A read before that sees the old value, and [`Queue::pending`] lets the
//! machine report it. A functional machine does not need this: its micro-ops
//! write the architectural slots themselves.

use crate::state::State;
use crate::uop::Slot;

/// One copy to come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Commit {
    /// The cycle from whose start on the result is visible.
    pub due: u64,
    /// The result slot.
    pub from: Slot,
    /// The architectural slot.
    pub to: Slot,
    /// The lanes that the operation wrote.
    pub lanes: u32,
}

/// Copies to come, in order of their issue.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Queue {
    waiting: Vec<Commit>,
}

impl Queue {
    /// Adds a copy. Copies that are due in the same cycle are done in the order
    /// in which they were added.
    pub fn push(&mut self, commit: Commit) {
        self.waiting.push(commit);
    }

    /// Does all copies due at `now` or before.
    pub fn advance(&mut self, now: u64, state: &mut State) {
        self.waiting.sort_by_key(|commit| commit.due);
        let due = self.waiting.partition_point(|commit| commit.due <= now);
        for commit in self.waiting.drain(..due) {
            let from = *state.lanes(commit.from);
            for (lane, value) in state.lanes_mut(commit.to).0.iter_mut().enumerate() {
                if commit.lanes >> lane & 1 != 0 {
                    *value = from.0[lane];
                }
            }
        }
    }

    /// The copy to `slot` that is not done yet, if any: a read of it is stale.
    #[must_use]
    pub fn pending(&self, slot: Slot) -> Option<&Commit> {
        self.waiting.iter().find(|commit| commit.to == slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Lanes;

    #[test]
    fn early_reads_are_stale() {
        let mut state = State::new(2, 0);
        state.lanes[0] = Lanes::splat(5);
        let mut queue = Queue::default();
        queue.push(Commit { due: 3, from: Slot(0), to: Slot(1), lanes: 0b10 });
        queue.advance(2, &mut state);
        assert!(queue.pending(Slot(1)).is_some() && state.lanes[1] == Lanes::ZERO);
        queue.advance(3, &mut state);
        assert!(queue.pending(Slot(1)).is_none());
        assert_eq!(state.lanes[1].0[..3], [0, 5, 0]);
    }
}
