//! Loads on their way, and the waits that end them (spec section 10).
//!
//! A load is certain to have come once its counter is at most the number of later accesses of
//! its own kind: those of one kind return in order, and if it were still out, so were they.
//! Scalar loads come in no order, so for them only zero says so.

use super::pending::{Kind, Pending};
use super::registers::Registers;
use super::wave::Wave;

/// The most that a counter holds (spec section 10.1).
const FULL: u32 = 63;

/// The most that may be left of each counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Wait {
    pub(super) vm: u32,
    pub(super) lgkm: u32,
}

impl Wave {
    /// A load that is being done, in the lanes that run.
    pub(super) fn load_of(&mut self, kind: Kind) -> Pending {
        let lanes = self.exec();
        Pending::within(self.spare.pop(), self.config.order(kind), lanes)
    }

    /// Takes a load on its way, or writes it at once where that is asked for.
    pub(super) fn bring(&mut self, pending: Pending) {
        self.brought += 1;
        if self.config.immediate {
            self.commit(&pending);
            return self.spare.push(pending);
        }
        self.on_way = self.on_way.with(&pending.registers);
        self.pending.push(pending);
        // A counter that is full makes the machine wait for the oldest.
        if self.pending.len() > FULL as usize {
            self.wait(Wait { vm: FULL, lgkm: FULL });
        }
    }

    /// Writes what has come for certain.
    pub(super) fn wait(&mut self, wait: Wait) {
        if self.pending.is_empty() {
            return;
        }
        let mut n = 0;
        while let Some(load) = self.pending.get(n) {
            if !done(load.kind, later(&self.pending[n + 1..], load.kind), wait) {
                n += 1;
                continue;
            }
            let load = self.pending.remove(n);
            self.commit(&load);
            self.spare.push(load);
        }
        let none = Registers::default();
        self.on_way = self.pending.iter().fold(none, |sum, load| sum.with(&load.registers));
    }

    /// The wait that brings the load that stands at a place of the list.
    pub(super) fn wait_for(&self, n: usize) -> String {
        let kind = self.pending[n].kind;
        let count = if kind.has_no_order() { 0 } else { later(&self.pending[n + 1..], kind) };
        match (kind.counts_vm(), kind.counts_lgkm()) {
            (true, true) => "s_waitcnt vmcnt(0) lgkmcnt(0)".to_owned(),
            (true, false) => format!("s_waitcnt vmcnt({count})"),
            _ => format!("s_waitcnt lgkmcnt({count})"),
        }
    }

    fn commit(&mut self, load: &Pending) {
        for (register, value) in &load.scalars {
            self.set_scalar(*register, *value);
        }
        for (register, values) in &load.vectors {
            for (half, values) in values.iter().enumerate().take(self.halves.len()) {
                self.merge_vector(half, *register, values, load.lanes[half], load.mask);
            }
        }
    }
}

fn later(rest: &[Pending], kind: Kind) -> u32 {
    rest.iter().filter(|load| load.kind == kind).count() as u32
}

fn done(kind: Kind, later: u32, wait: Wait) -> bool {
    let later = if kind.has_no_order() { 0 } else { later };
    (!kind.counts_vm() || wait.vm <= later) && (!kind.counts_lgkm() || wait.lgkm <= later)
}
