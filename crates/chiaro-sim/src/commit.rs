//! Writes that become visible later than they are computed.
//!
//! A timed machine computes a result at once and queues the write for the cycle in which the
//! hardware would do it. A read before that sees the old value, and [`Queue::is_pending`] lets
//! the machine report it. A functional machine does not need this: its micro-ops write the
//! architectural slots themselves.

use crate::state::{Lanes, State};
use crate::uop::Slot;

/// A write to come, to a place `T` of the machine: a slot, or a row of a memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Write<T> {
    /// The cycle from whose start on the value is visible.
    pub due: u64,
    /// Where it goes.
    pub to: T,
    /// What is written.
    pub value: Lanes,
}

/// Writes to come, in order of their issue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Queue<T> {
    waiting: Vec<Write<T>>,
}

impl<T> Default for Queue<T> {
    fn default() -> Queue<T> {
        Queue { waiting: Vec::new() }
    }
}

impl<T> Queue<T> {
    /// Adds a write. Those that are due in the same cycle are done in the order in which they
    /// were added.
    pub fn push(&mut self, write: Write<T>) {
        let behind = self.waiting.partition_point(|other| other.due <= write.due);
        self.waiting.insert(behind, write);
    }

    /// Takes out all writes due at `now` or before, the first first.
    pub fn due(&mut self, now: u64) -> impl Iterator<Item = Write<T>> + '_ {
        let due = self.waiting.partition_point(|write| write.due <= now);
        self.waiting.drain(..due)
    }

    /// Whether nothing is on its way.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

impl<T: PartialEq> Queue<T> {
    /// Whether a write to a place is still on its way: a read of it is stale.
    #[must_use]
    pub fn is_pending(&self, to: &T) -> bool {
        self.waiting.iter().any(|write| write.to == *to)
    }

    /// Takes out all writes to a place.
    pub fn give_up(&mut self, to: &T) {
        self.waiting.retain(|write| write.to != *to);
    }
}

impl State {
    /// Writes some lanes of a slot.
    pub fn write(&mut self, slot: Slot, value: &Lanes, lanes: u32) {
        let to = self.lanes_mut(slot);
        for (lane, (to, value)) in to.0.iter_mut().zip(value.0).enumerate() {
            let mask = (lanes >> lane & 1).wrapping_neg();
            *to = value & mask | *to & !mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn early_reads_are_stale() {
        let mut state = State::new(2, 0);
        let mut queue = Queue::default();
        let write = |due, to, value| Write { due, to: Slot(to), value: Lanes::splat(value) };
        queue.push(write(4, 0, 6));
        queue.push(write(3, 1, 5));
        assert_eq!(queue.due(2).count(), 0);
        assert!(queue.is_pending(&Slot(1)) && queue.is_pending(&Slot(0)));
        for write in queue.due(3) {
            state.write(write.to, &write.value, 0b10);
        }
        assert!(!queue.is_pending(&Slot(1)) && queue.is_pending(&Slot(0)));
        assert_eq!(state.lanes[1].0[..3], [0, 5, 0]);
    }
}
