//! Fibers that part and join.
//!
//! After a branch on which fibers disagree the nearer side runs, the others are parked at their
//! place. Whoever comes by takes them along: the instruction there carries `(jp)`. So the fibers
//! at the lowest place run first. spec section 15

use crate::regs::BRANCH_STACK;

/// Fibers at one place, with the returns that they have before them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Group {
    pub(super) pc: u32,
    /// Bit k: lane k is one of them.
    pub(super) lanes: u32,
    pub(super) returns: Vec<u32>,
}

/// The fibers that wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Wave {
    parked: Vec<Group>,
}

impl Wave {
    /// All lanes at the start of the program.
    pub(super) fn start(&mut self, lanes: u32) {
        self.parked.clear();
        self.park(Group { pc: 0, lanes, returns: Vec::new() });
    }

    /// Parks fibers. False if they wait at more places than the machine remembers.
    pub(super) fn park(&mut self, group: Group) -> bool {
        match self.parked.iter_mut().find(|g| g.pc == group.pc && g.returns == group.returns) {
            _ if group.lanes == 0 => {}
            Some(other) => other.lanes |= group.lanes,
            None => self.parked.push(group),
        }
        self.parked.len() <= BRANCH_STACK as usize
    }

    /// Whether nobody waits.
    pub(super) fn is_empty(&self) -> bool {
        self.parked.is_empty()
    }

    /// Whether somebody waits at a place.
    pub(super) fn waits_at(&self, pc: u32) -> bool {
        self.parked.iter().any(|g| g.pc == pc)
    }

    /// Whether somebody waits before a place.
    pub(super) fn waits_before(&self, pc: u32) -> bool {
        self.parked.iter().any(|g| g.pc < pc)
    }

    /// The fibers at the lowest place.
    pub(super) fn next(&mut self) -> Option<Group> {
        let lowest = (0..self.parked.len()).min_by_key(|&i| self.parked[i].pc)?;
        Some(self.parked.swap_remove(lowest))
    }
}
