//! Moves: a value that is demanded two instructions later must be made or moved now.
//!
//! The state stays such that moving alone always works: values that must move now fit the
//! units that are free, those that must move next the units of the next instruction, and all
//! of them the units of two.

use super::attempt::{Pending, Scheduler};
use super::few::Few;
use super::slot;
use crate::compile::graph::Node;
use crate::isa::selector::Unit;

/// Missed instructions after which a value changes its step.
const MISSES: u8 = 4;

/// A demanded value and when.
#[derive(Clone, Copy)]
pub(super) struct Demand {
    pub(super) node: Node,
    /// Its use that is the farthest away, counted from the end.
    oldest: u32,
    /// Whether the complex unit can serve all uses that are due.
    eligible: bool,
}

const NO_DEMAND: Demand = Demand { node: Node(0), oldest: 0, eligible: false };

/// Two instructions have ten movers, and a placement demands a few more.
pub(super) const MOST_DEMANDS: usize = 16;

/// Demanded values.
pub(super) type Demands = Few<Demand, MOST_DEMANDS>;

impl Scheduler<'_> {
    /// What is demanded, by value.
    pub(super) fn demands(&self) -> Demands {
        let mut demands = Few::new(NO_DEMAND);
        for p in &self.pending {
            // The complex unit's result is read one instruction later and by no operand B.
            let served = p.at >= self.now || self.now - p.at == 1 && !p.field.is_b();
            match demands.iter_mut().find(|d| d.node == p.node) {
                Some(demand) => {
                    demand.oldest = demand.oldest.min(p.at);
                    demand.eligible &= served;
                }
                None => demands.push(Demand { node: p.node, oldest: p.at, eligible: served }),
            }
        }
        demands
    }

    /// How many values must be made or moved in the instruction before: their farthest use is there.
    fn due(&self) -> u32 {
        self.demands().iter().filter(|demand| demand.oldest + 1 == self.now).count() as u32
    }

    /// Values that must be made or moved in this instruction.
    pub(super) fn must_move(&self) -> u32 {
        let mut values: Few<Node, MOST_DEMANDS> = Few::new(Node(0));
        for p in self.pending.iter().filter(|p| p.at + 2 == self.now) {
            if !values.contains(&p.node) {
                values.push(p.node);
            }
        }
        values.len() as u32
    }

    /// Whether all that is demanded can be kept by moves.
    pub(super) fn fits(&self) -> bool {
        let [here, one, two] = [0, 1, 2].map(|i| self.slots[(self.now + i) as usize].movers());
        if self.alive as usize >= MOST_DEMANDS || self.alive > one + two {
            return false;
        }
        // Mostly there is room for every operand that waits, were all of different values.
        if self.pending.len() as u32 <= here.min(one) {
            return true;
        }
        let (mut must, mut next) = (0, 0);
        for p in &self.pending {
            must += u32::from(p.at + 2 == self.now);
            next += u32::from(p.at + 1 == self.now);
        }
        if must <= here && next.saturating_sub(here - must) <= one {
            return true;
        }
        let must = self.must_move();
        if must > here {
            return false;
        }
        match self.due().saturating_sub(here - must).checked_sub(one) {
            None | Some(0) => true,
            // The complex unit moves one that it can serve.
            Some(1) => {
                let may_move = !self.slots[self.now as usize].has(Unit::Complex);
                may_move && self.demands().iter().any(|d| d.eligible && d.oldest + 1 == self.now)
            }
            Some(_) => false,
        }
    }

    /// Loaded values that a unit has to hand on: done as soon as a unit and the port are free.
    pub(super) fn load_values(&mut self) {
        let is_due = |p: &Pending| p.at < self.now && self.facts[p.node.0 as usize].is_load;
        if !self.pending.iter().any(is_due) {
            return;
        }
        for demand in self.demands().iter().copied() {
            let due = demand.oldest < self.now && !self.has_use_from_now(demand.node);
            if due && self.source(demand.node).is_some() {
                let before = self.save();
                self.patient = true;
                let unit = self.copy(demand.node);
                if let Some(unit) = unit {
                    self.satisfy(demand.node, unit);
                }
                if unit.is_some() && self.fits() { self.keep(before) } else { self.undo(before) }
            }
        }
    }

    #[inline]
    fn has_use_from_now(&self, node: Node) -> bool {
        self.pending.iter().any(|p| p.node == node && p.at >= self.now)
    }

    /// Moves what must move now, and what would be too much next time; `None` if it cannot be.
    pub(super) fn carry(&mut self) -> Option<()> {
        self.patient = false;
        let now = self.now;
        if self.pending.iter().all(|p| p.at >= now) {
            return Some(());
        }
        let demands = self.demands();
        for demand in demands.iter().filter(|d| d.oldest + 2 == now) {
            let unit = self.copy(demand.node)?;
            self.satisfy_by(demand.node, unit);
            let was_ready = self.nodes[demand.node.0 as usize].waiting == 0;
            let state = &mut self.nodes[demand.node.0 as usize];
            state.missed +=
                u8::from(was_ready && self.graph.get(demand.node).op.is_late() && state.missed < MISSES);
        }
        let room = self.slots[self.now as usize + 1].movers() as usize;
        let mut next = Demands::new(NO_DEMAND);
        demands.iter().filter(|d| d.oldest + 1 == now).for_each(|&demand| next.push(demand));
        while next.len() > room {
            let eligible = next.iter().position(|d| d.eligible);
            let complex = !self.slots[self.now as usize].has(Unit::Complex);
            let (at, unit) = match eligible.filter(|_| complex) {
                Some(at) => (at, self.copy_by(next[at].node, Unit::Complex)?),
                None => {
                    let at = next.len() - 1;
                    (at, self.copy(next[at].node)?)
                }
            };
            let demand = next.swap_remove(at);
            self.satisfy_by(demand.node, unit);
        }
        next.iter().for_each(|demand| self.change_step(demand.node));
        Some(())
    }

    /// A result of complex1 is read exactly two instructions later. Where it is used in this
    /// instruction and in the next one, a move between them lets both read the same result. And
    /// where its instruction was taken, moves over two instructions would lead to the like of it
    /// again and again, as in a chain whose products fill every other one: a move over one
    /// instruction leads out.
    fn change_step(&mut self, node: Node) {
        let is_missed = self.nodes[node.0 as usize].missed >= MISSES;
        let is_shared = self.graph.get(node).op.is_late() && self.has_use_from_now(node);
        if !is_missed && !is_shared || self.slots[self.now as usize].movers() == 0 {
            return;
        }
        let before = self.save();
        let unit = self.copy(node);
        if let Some(unit) = unit {
            self.satisfy_by(node, unit);
        }
        if unit.is_some() && self.fits() {
            self.keep(before);
            self.nodes[node.0 as usize].missed = 0;
        } else {
            self.undo(before);
        }
    }

    /// Earlier demands of a moved value are met; the move's own stays.
    fn satisfy_by(&mut self, node: Node, unit: Unit) {
        let own = slot::inputs(unit).0;
        debug_assert!(self.pending.iter().all(|p| p.field != own || p.at != self.now || p.node == node));
        self.satisfy(node, unit);
    }
}
