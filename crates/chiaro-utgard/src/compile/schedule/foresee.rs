//! What surely does not fit, before it is tried: a trial changes the state and takes it back, which
//! costs many times as much as this look.

use super::attempt::{Pending, Scheduler};
use super::bound::is_number;
use super::carry::MOST_DEMANDS;
use super::ranked::Fit;
use crate::compile::graph::{Node, Op, Place, Source};

impl Scheduler<'_> {
    /// What a trial would find out of a node, where a look is enough to know.
    pub(super) fn foresee(&self, node: Node, patient: bool) -> Option<Fit> {
        match self.graph.get(node).op {
            Op::Address(_) | Op::Branch => None,
            Op::Store(Place::Temporary(_)) => {
                let is_hopeless = !self.has_address(node) || self.waits_for_store(node);
                is_hopeless.then_some(lacking(patient))
            }
            // What is taken stays taken.
            Op::Store(place) if !self.is_open(place) => Some(Fit::Never),
            Op::Store(_) => self.foresee_store(node, patient),
            // Who waits goes on waiting.
            _ if !self.reaches_all(node) => Some(Fit::Never),
            _ => self.foresee_made(node, patient),
        }
    }

    /// A store takes its value from a move, or makes it unless others use it too.
    fn foresee_store(&self, node: Node, patient: bool) -> Option<Fit> {
        let value = self.facts[node.0 as usize].stored?;
        let (fact, state) = (&self.facts[value.0 as usize], &self.nodes[value.0 as usize]);
        let can_define = fact.is_storable && state.home.is_none();
        match state.waiting {
            _ if self.slots[self.now as usize].mover(value).is_some() => None,
            2.. if can_define && self.stores_all(value) => None,
            1 if can_define && matches!(self.graph.get(value).op, Op::Clamp(..)) => None,
            1 if can_define && (!self.round.room.has(fact.room) || !self.reaches_all(value)) => {
                Some(lacking(patient))
            }
            1 if can_define => self.foresee_made(value, patient),
            // Waiting for its other users costs nothing.
            2.. if patient && !fact.is_load => Some(Fit::Impatient),
            _ => self.foresee_move(value, patient),
        }
    }

    /// A unit moves the value that is stored.
    fn foresee_move(&self, value: Node, patient: bool) -> Option<Fit> {
        let state = &self.nodes[value.0 as usize];
        let is_asked = self.facts[value.0 as usize].is_load || state.demanded > 0 || state.home.is_some();
        let alive = self.alive + u32::from(!is_asked);
        match self.round.here.checked_sub(1) {
            None => Some(lacking(patient)),
            Some(left) => (self.round.must > left || alive > self.round.ahead).then_some(Fit::Unknown),
        }
    }

    /// An operation reads what ports load and what others make.
    fn foresee_made(&self, node: Node, patient: bool) -> Option<Fit> {
        match () {
            () if !self.facts[node.0 as usize].is_single => None,
            () if patient && self.misses_load(node) => Some(Fit::Impatient),
            () => self.asks_too_much(node).then_some(Fit::Unknown),
        }
    }

    /// Whether all operands that wait for a value can read it if it is made now.
    pub(super) fn reaches_all(&self, node: Node) -> bool {
        if self.nodes[node.0 as usize].demanded == 0 {
            return true;
        }
        let (now, (first, last)) = (self.now, self.facts[node.0 as usize].window);
        let fits = |p: &Pending| p.at < now && (first..=last).contains(&(now - p.at));
        self.pending.iter().all(|p| p.node != node || fits(p))
    }

    /// Whether more values would be alive behind a node than moves can keep, as [`Scheduler::fits`]
    /// finds after the trial.
    fn asks_too_much(&self, node: Node) -> bool {
        let new = |&&made: &&Node| !self.nodes[made.0 as usize].is_asked();
        let asked = self.facts[node.0 as usize].made.iter().filter(new).count() as u32;
        let alive = self.alive + asked - u32::from(self.nodes[node.0 as usize].demanded > 0);
        alive as usize >= MOST_DEMANDS || alive > self.round.ahead || self.lacks_movers(node)
    }

    /// Whether too few units would be left for values that must move now.
    fn lacks_movers(&self, node: Node) -> bool {
        let must = self.round.must;
        if must + 2 <= self.round.here {
            return false;
        }
        let taken = match self.graph.get(node).op {
            Op::Select => 2,
            Op::Mul(_) | Op::Neg | Op::Add => 1,
            // The other adder can move nothing.
            _ if self.slots[self.now as usize].adder_opcodes() == u8::MAX => 2,
            _ => 0,
        };
        let left = self.round.here;
        let is_due = |p: &Pending| p.node == node && p.at + 2 == self.now;
        must + taken > left && must + taken - u32::from(self.pending.iter().any(is_due)) > left
    }

    /// Whether a port that an operand needs loads something else for sure: what is to be loaded earlier
    /// costs a unit.
    fn misses_load(&self, node: Node) -> bool {
        let fact = &self.facts[node.0 as usize];
        let is_kept = |node: Node| self.at_homes > 0 && self.nodes[node.0 as usize].is_at_home;
        if fact.clashes && !self.graph.get(node).args().iter().any(|arg| is_kept(arg.node)) {
            return true;
        }
        fact.loads.iter().any(|&(load, source)| !self.may_load(source) && !is_kept(load))
    }

    /// Whether this instruction's ports may load a value, each by itself.
    fn may_load(&self, source: Source) -> bool {
        let slot = |back: u32| &self.slots[(self.now + back) as usize];
        match source {
            Source::Uniform(address, _) => slot(0).memory().is_none_or(|loaded| loaded == address),
            Source::Attribute(index, _) => slot(0).may_have(index) || slot(1).may_have(index),
            Source::Constant(bits) if !is_number(bits) => {
                let Some(address) = slot(0).memory() else { return true };
                let Some(row) = address.checked_sub(self.around.constants_from) else { return false };
                let has_room = |row: &[Option<u32>; 4]| row.contains(&Some(bits)) || row.contains(&None);
                self.constants.get(usize::from(row)).is_none_or(has_room)
            }
            _ => true,
        }
    }
}

/// What there is no room for may fit an impatient try, and what does not fit that fits never.
fn lacking(patient: bool) -> Fit {
    if patient { Fit::Impatient } else { Fit::Never }
}
