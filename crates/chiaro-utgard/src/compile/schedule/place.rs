//! Puts a node into the current instruction: a unit, its operands' ports, and what it demands.
//!
//! Every placement is tried on the real state and taken back if something does not fit.

use super::attempt::Scheduler;
use super::few::Few;
use super::ranked::Fit;
use super::slot;
use crate::compile::graph::{Data, Node, Op, Place};
use crate::isa::selector::{Select, Unit};
use crate::isa::{Add0, Complex};
use crate::regs::{IDENT, UNUSED};

/// What a trial changes: lengths of lists, and what the scheduler's spare lists have a copy of.
pub(super) struct Before {
    alive: u32,
    pending: usize,
    constants: usize,
    journal: usize,
    homes: usize,
    at_home: usize,
}

/// Components that an instruction stores at most.
const STORES: usize = 4;

impl Scheduler<'_> {
    /// The state before a move, to be restored by [`Scheduler::undo`].
    pub(super) fn save(&mut self) -> Before {
        self.save_slots(2)
    }

    /// The same where only so many instructions change, from the current one back.
    fn save_slots(&mut self, count: u32) -> Before {
        let now = self.now as usize;
        self.slots_before.clear();
        self.slots_before.extend_from_slice(&self.slots[now..now + count as usize]);
        self.is_spared = false;
        Before {
            alive: self.alive,
            pending: self.pending.len(),
            constants: self.constants.len(),
            journal: self.journal.len(),
            homes: self.home_journal.len(),
            at_home: self.at_home.len(),
        }
    }

    /// Takes back what happened since.
    pub(super) fn undo(&mut self, before: Before) {
        let now = self.now as usize;
        self.slots[now..now + self.slots_before.len()].copy_from_slice(&self.slots_before);
        if self.is_spared {
            std::mem::swap(&mut self.pending, &mut self.spare);
            self.spare.iter().for_each(|p| self.nodes[p.node.0 as usize].demanded = 0);
            let before = &self.pending[..before.pending];
            before.iter().for_each(|p| self.nodes[p.node.0 as usize].demanded = 0);
            before.iter().for_each(|p| self.nodes[p.node.0 as usize].demanded += 1);
            self.pending.truncate(before.len());
        } else {
            for p in self.pending.drain(before.pending..) {
                self.nodes[p.node.0 as usize].demanded -= 1;
            }
        }
        self.alive = before.alive;
        for (vector, component) in self.journal.drain(before.journal..) {
            if let Some(row) = self.constants.get_mut(vector) {
                row[component] = None;
            }
        }
        self.constants.truncate(before.constants);
        for (node, uses) in self.home_journal.drain(before.homes..).rev() {
            self.nodes[node.0 as usize].uses = uses;
        }
        self.at_home.truncate(before.at_home);
    }

    /// Keeps what happened.
    pub(super) fn keep(&mut self, before: Before) {
        self.journal.truncate(before.journal);
        self.home_journal.truncate(before.homes);
    }

    /// Places a node, if it fits; otherwise what was found out. A patient try demands nothing that costs
    /// a unit.
    pub(super) fn place(&mut self, node: Node, patient: bool) -> Result<(), Fit> {
        if let Some(fit) = self.foresee(node, patient) {
            return Err(fit);
        }
        let before = self.save_slots(self.facts[node.0 as usize].reach);
        self.patient = patient;
        let possible = self.try_place(node).is_some();
        // Moves that are made later in this instruction store nothing.
        self.storing = None;
        if possible && self.fits() {
            self.keep(before);
            self.finish(node);
            return Ok(());
        }
        self.undo(before);
        self.also.clear();
        let is_hopeless = !patient || self.facts[node.0 as usize].loads_nothing;
        Err(match possible {
            true => Fit::Unknown,
            false if is_hopeless => Fit::Never,
            false => Fit::Impatient,
        })
    }

    /// The node, and those that were placed together with it.
    fn finish(&mut self, node: Node) {
        self.placed(node);
        let state = self.nodes[node.0 as usize];
        if let (true, Some(unit)) = (state.is_at_home, self.made_by.take()) {
            self.settle(node, unit);
        }
        let mut also = std::mem::take(&mut self.also);
        also.drain(..).for_each(|other| self.placed(other));
        self.also = also;
    }

    fn try_place(&mut self, node: Node) -> Option<()> {
        let data = self.graph.get(node);
        self.storing = match data.op {
            Op::Store(Place::Register(index, component)) => Some((index, component)),
            _ => None,
        };
        match data.op {
            Op::Store(Place::Temporary(component)) => self.store_temporary(data, component),
            Op::Store(place) => self.store(data, place),
            Op::Address(register) => self.address(data, register),
            Op::Branch => self.branch(data),
            _ => {
                let unit = self.define(node)?;
                self.made_by = Some(unit);
                self.store_home(node, unit)
            }
        }
    }

    /// Makes a value, which all that wait for it can read from here, in this instruction; the unit that
    /// has it.
    fn define(&mut self, node: Node) -> Option<Unit> {
        let data = self.graph.get(node);
        let unit = match data.op {
            Op::Mul(_) => self.product(data),
            Op::Neg => self.turned(data),
            Op::Select => self.select(data),
            Op::Clamp(low, high) => self.clamp(data, low, high),
            Op::Log2 => self.log2(data),
            Op::Rcp | Op::Rsqrt | Op::Exp2 => self.function(data),
            _ => self.sum(data),
        }?;
        self.satisfy(node, unit);
        Some(unit)
    }

    /// Uses in later instructions read the unit.
    pub(super) fn satisfy(&mut self, node: Node, unit: Unit) {
        if self.nodes[node.0 as usize].demanded == 0 {
            return;
        }
        if !self.is_spared {
            self.is_spared = true;
            self.spare.clone_from(&self.pending);
        }
        let now = self.now;
        let slots = &mut self.slots;
        let before = self.pending.len();
        self.pending.retain(|p| {
            if p.node != node || p.at >= now {
                return true;
            }
            let back = (now - p.at) as u8;
            let number = Select::Result(unit, back).number(p.field.is_b()).unwrap_or(UNUSED);
            slots[p.at as usize].read(p.field, number);
            false
        });
        let count = before - self.pending.len();
        self.supplied(node, count);
    }

    /// A store takes what a unit makes in the same instruction: the value itself, or a move, which
    /// feeds all stores of its instruction.
    pub(super) fn store(&mut self, data: &Data, place: Place) -> Option<()> {
        if !self.is_open(place) {
            return None;
        }
        let arg = data.args()[0];
        if let Some(unit) = self.slot().mover(arg.node) {
            return self.slot().store(unit, place).then_some(());
        }
        let op = self.graph.get(arg.node).op;
        let loaded = matches!(op, Op::Load(_));
        let can_define = !loaded && !op.is_late() && self.nodes[arg.node.0 as usize].home.is_none();
        let waiting = self.nodes[arg.node.0 as usize].waiting;
        let is_alone = waiting == 1 || can_define && self.stores_all(arg.node);
        if can_define && is_alone && !self.lacks_limits(op) {
            let unit = self.reaches_all(arg.node).then(|| self.define(arg.node))??;
            return self.store_all(arg.node, unit, place);
        }
        // Waiting for its other users costs nothing.
        if self.patient && !loaded && waiting > 1 {
            return None;
        }
        let unit = self.copy(arg.node)?;
        self.slot().store(unit, place).then_some(())
    }

    /// Whether this instruction may store to a place.
    pub(super) fn is_open(&self, place: Place) -> bool {
        self.now >= self.around.margin(place) && self.slots[self.now as usize].can_store(place)
    }

    /// Stores of a value that this instruction has room for, if they may be placed.
    fn stores_of(&self, value: Node) -> Few<(Node, Place), STORES> {
        let mut stores = Few::new((Node(0), Place::Temporary(0)));
        let mut slot = self.slots[self.now as usize];
        let is_one = |node: &Node| self.facts[node.0 as usize].stored == Some(value);
        for node in self.ready.iter().copied().filter(is_one) {
            if let Op::Store(place @ (Place::Output(..) | Place::Register(..))) = self.graph.get(node).op
                && self.now >= self.around.margin(place)
                && slot.store(Unit::Pass, place)
            {
                stores.push((node, place));
            }
        }
        stores
    }

    /// Whether nothing waits for a value but stores that this instruction has room for.
    pub(super) fn stores_all(&self, value: Node) -> bool {
        let waiting = self.nodes[value.0 as usize].waiting;
        waiting <= self.facts[value.0 as usize].stores.min(STORES as u16)
            && self.may_be_here(value)
            && self.stores_of(value).len() == usize::from(waiting)
    }

    /// Stores what a unit makes to a place, and to all others that wait for it.
    fn store_all(&mut self, value: Node, unit: Unit, place: Place) -> Option<()> {
        if self.nodes[value.0 as usize].waiting > 1 {
            for &(store, other) in self.stores_of(value).iter().filter(|(_, other)| *other != place) {
                if !self.slot().store(unit, other) {
                    return None;
                }
                self.also.push(store);
            }
        }
        self.also.push(value);
        self.slot().store(unit, place).then_some(())
    }

    /// Whether this instruction loads a vec4 already that has no room for the limits of a clamp.
    fn lacks_limits(&mut self, op: Op) -> bool {
        match op {
            Op::Clamp(low, high) if self.slot().memory().is_some() => self.limits(low, high).is_none(),
            _ => false,
        }
    }

    /// Moves a value in this instruction by any unit.
    pub(super) fn copy(&mut self, node: Node) -> Option<Unit> {
        let units = [Unit::Pass, Unit::Mul1, Unit::Add1, Unit::Add0, Unit::Mul0];
        let unit = self.free(&units, Add0::Add)?;
        self.copy_by(node, unit)
    }

    /// Moves a value by a unit.
    pub(super) fn copy_by(&mut self, node: Node, unit: Unit) -> Option<Unit> {
        let now = self.now;
        let slot = self.slot();
        slot.take(unit);
        let (a, b) = slot::inputs(unit);
        match unit {
            Unit::Pass => {}
            Unit::Complex => slot.set(Complex::FIELD, Complex::Mov.opcode()),
            Unit::Mul0 | Unit::Mul1 => slot.read(b, IDENT),
            Unit::Add0 | Unit::Add1 => {
                slot.read(b, IDENT);
                slot.set(slot::signs(unit).1, 1);
            }
        }
        self.operand(now, a, node)?;
        self.slot().moves(unit, node);
        Some(unit)
    }
}
