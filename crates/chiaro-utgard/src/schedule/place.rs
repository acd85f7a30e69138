//! Puts a node into the current instruction: a unit, its operands' ports, and what it demands.
//!
//! Every placement is tried on the real state and taken back if something does not fit.

use super::slot::{self, Slot};
use super::{Pending, Scheduler};
use crate::dag::{Data, Node, Op, Place, Source};
use crate::selector::{Select, Unit};
use crate::word::{self, Field};

/// A copy of the parts of the state that a trial changes.
pub(super) struct Before {
    slots: [Slot; 5],
    pending: Vec<Pending>,
    constants: usize,
    journal: usize,
    homes: usize,
}

impl Scheduler<'_> {
    /// The state, to be restored by [`Scheduler::undo`].
    pub(super) fn save(&mut self) -> Before {
        let now = self.now as usize;
        let mut pending = std::mem::take(&mut self.spare);
        pending.clear();
        pending.extend_from_slice(&self.pending);
        Before {
            slots: std::array::from_fn(|i| self.slots[now + i]),
            pending,
            constants: self.constants.len(),
            journal: self.journal.len(),
            homes: self.home_journal.len(),
        }
    }

    /// Takes back what happened since.
    pub(super) fn undo(&mut self, before: Before) {
        let now = self.now as usize;
        self.slots[now..now + 5].copy_from_slice(&before.slots);
        self.spare = std::mem::replace(&mut self.pending, before.pending);
        for (vector, component) in self.journal.drain(before.journal..) {
            if let Some(row) = self.constants.get_mut(vector) {
                row[component] = None;
            }
        }
        self.constants.truncate(before.constants);
        for (node, from) in self.home_journal.drain(before.homes..).rev() {
            self.nodes[node.0 as usize].store_from = from;
        }
    }

    /// Keeps what happened.
    pub(super) fn keep(&mut self, before: Before) {
        self.spare = before.pending;
        self.journal.truncate(before.journal);
        self.home_journal.truncate(before.homes);
    }

    /// Places a node, if it fits. A patient try demands nothing that costs a unit.
    pub(super) fn place(&mut self, node: Node, patient: bool) -> bool {
        let before = self.save();
        self.patient = patient;
        let done = self.try_place(node).is_some() && self.fits();
        if done {
            self.keep(before);
            self.finish(node);
        } else {
            self.undo(before);
            self.also.clear();
        }
        done
    }

    /// The node, and one that was placed together with it.
    fn finish(&mut self, node: Node) {
        self.placed(node);
        let state = &mut self.nodes[node.0 as usize];
        if let Some((index, component)) = state.home.filter(|_| !state.stored) {
            state.stored = true;
            // An earlier value may be loaded up to the instruction that stores this one.
            self.free_from[usize::from(index)][usize::from(component)] = self.now;
        }
        while let Some(other) = self.also.pop() {
            self.placed(other);
        }
    }

    fn try_place(&mut self, node: Node) -> Option<()> {
        let data = *self.dag.get(node);
        self.storing = match data.op {
            Op::Store(Place::Register(index, component)) => Some((index, component)),
            _ => None,
        };
        match data.op {
            Op::Store(Place::Temporary(component)) => self.store_temporary(node, &data, component),
            Op::Store(place) => self.store(&data, place),
            Op::Address(register) => self.address(&data, register),
            Op::Branch => self.branch(&data),
            _ => {
                let unit = self.define(node)?;
                self.store_home(node, unit)
            }
        }
    }

    /// Makes a value in this instruction; the unit that has it.
    fn define(&mut self, node: Node) -> Option<Unit> {
        let data = *self.dag.get(node);
        let exact = matches!(data.op, Op::Rcp | Op::Rsqrt | Op::Exp2);
        let now = self.now;
        let fits = |p: &Pending| p.at < now && now - p.at <= 2 && (!exact || now - p.at == 2);
        if !self.pending.iter().filter(|p| p.node == node).all(fits) {
            return None;
        }
        let unit = match data.op {
            Op::Mul(_) => self.product(&data),
            Op::Select => self.select(&data),
            Op::Clamp(low, high) => self.clamp(&data, low, high),
            Op::Log2 => self.log2(&data),
            Op::Rcp | Op::Rsqrt | Op::Exp2 => self.function(&data),
            _ => self.sum(&data),
        }?;
        self.satisfy(node, unit);
        Some(unit)
    }

    /// Uses in later instructions read the unit.
    pub(super) fn satisfy(&mut self, node: Node, unit: Unit) {
        let now = self.now;
        let slots = &mut self.slots;
        self.pending.retain(|p| {
            if p.node != node || p.at >= now {
                return true;
            }
            let back = (now - p.at) as u8;
            let number = Select::Result(unit, back).number(is_b(p.field)).unwrap_or(21);
            slots[p.at as usize].set(p.field, number);
            false
        });
    }

    pub(super) fn slot(&mut self) -> &mut Slot {
        &mut self.slots[self.now as usize]
    }

    fn free(&self, units: &[Unit], add: u32) -> Option<Unit> {
        let slot = &self.slots[self.now as usize];
        units.iter().copied().find(|&unit| slot.is_free(unit, add))
    }

    fn product(&mut self, data: &Data) -> Option<Unit> {
        let unit = self.free(&[Unit::Mul1, Unit::Mul0], 0)?;
        self.slot().take(unit);
        let Op::Mul(neg) = data.op else { return None };
        let field = if unit == Unit::Mul0 { word::MUL0_NEG } else { word::MUL1_NEG };
        self.slot().set(field, u32::from(neg));
        let (a, b) = slot::fields(unit);
        let [x, y] = [data.args()[0].node, data.args()[1].node];
        let (x, y) = if self.is_number(x, 1.0) { (y, x) } else { (x, y) };
        self.operand(self.now, a, x)?;
        self.operand(self.now, b, y)?;
        Some(unit)
    }

    fn sum(&mut self, data: &Data) -> Option<Unit> {
        let op = data.op.adder()?;
        let unit = self.free(&[Unit::Add0, Unit::Add1], op)?;
        self.slot().take(unit);
        self.slot().set(word::ADD_OP, op);
        let (a, b) = slot::fields(unit);
        let (neg_a, neg_b) = signs(unit);
        let mut args = [data.args()[0], data.args().get(1).copied().unwrap_or(data.args()[0])];
        let one = data.args().len() == 1;
        if matches!(data.op, Op::Add | Op::Min | Op::Max) && self.is_number(args[0].node, 0.0) {
            args.swap(0, 1);
        }
        self.operand(self.now, a, args[0].node)?;
        self.slot().set(neg_a, u32::from(args[0].neg));
        if !one {
            self.operand(self.now, b, args[1].node)?;
            self.slot().set(neg_b, u32::from(args[1].neg));
        }
        Some(unit)
    }

    fn select(&mut self, data: &Data) -> Option<Unit> {
        self.wide(self.now, 4)?;
        let [condition, yes, no] = [0, 1, 2].map(|i| data.args()[i].node);
        self.operand(self.now, word::MUL0_B, condition)?;
        self.operand(self.now, word::MUL1_A, yes)?;
        self.operand(self.now, word::MUL0_A, no)?;
        Some(Unit::Mul0)
    }

    /// Takes both multipliers of an instruction.
    fn wide(&mut self, at: u32, op: u32) -> Option<()> {
        let slot = &mut self.slots[at as usize];
        if slot.word.get(word::MUL_OP) != 0 || slot.has(Unit::Mul0) || slot.has(Unit::Mul1) {
            return None;
        }
        slot.take(Unit::Mul0);
        slot.take(Unit::Mul1);
        slot.set(word::MUL_OP, op);
        Some(())
    }

    fn clamp(&mut self, data: &Data, low: u32, high: u32) -> Option<Unit> {
        self.free(&[Unit::Pass], 0)?;
        self.slot().take(Unit::Pass);
        self.slot().set(word::PASS_OP, 6);
        self.limits(low, high)?;
        self.operand(self.now, word::PASS_A, data.args()[0].node)?;
        Some(Unit::Pass)
    }

    /// The last step now; the first ones in the instructions before.
    fn function(&mut self, data: &Data) -> Option<Unit> {
        let (now, x) = (self.now, data.args()[0].node);
        if data.op == Op::Exp2 {
            self.steps(now, 2, None)?;
            let before = &mut self.slots[now as usize + 2];
            if !before.is_free(Unit::Pass, 0) {
                return None;
            }
            before.take(Unit::Pass);
            before.set(word::PASS_OP, 4);
            self.operand(now + 2, word::PASS_A, x)?;
            self.slot().set(word::MUL1_B, 23);
        } else {
            self.steps(now, data.op.function()?, Some(x))?;
        }
        Some(Unit::Mul0)
    }

    fn log2(&mut self, data: &Data) -> Option<Unit> {
        self.free(&[Unit::Pass], 0)?;
        self.slot().take(Unit::Pass);
        self.slot().set(word::PASS_OP, 5);
        self.slot().set(word::PASS_A, 26);
        self.steps(self.now + 2, 3, Some(data.args()[0].node))?;
        Some(Unit::Pass)
    }

    /// complex1 in an instruction, complex2 and the first approximation in the one before.
    /// Without an argument they work on the pass unit's result.
    fn steps(&mut self, at: u32, op: u32, x: Option<Node>) -> Option<()> {
        self.wide(at, 1)?;
        for (field, selector) in [(word::MUL0_A, 22), (word::MUL0_B, 18), (word::MUL1_A, 22)] {
            self.slots[at as usize].set(field, selector);
        }
        let before = &mut self.slots[at as usize + 1];
        if before.word.get(word::MUL_OP) != 0 || before.has(Unit::Mul0) || before.has(Unit::Complex) {
            return None;
        }
        before.take(Unit::Mul0);
        before.take(Unit::Complex);
        before.set(word::MUL_OP, 3);
        before.set(word::COMPLEX_OP, op);
        let fields = [word::COMPLEX_A, word::MUL0_A, word::MUL0_B];
        match x {
            None => fields.into_iter().for_each(|field| before.set(field, 20)),
            Some(x) => {
                self.operand(at, word::MUL1_B, x)?;
                for field in fields {
                    self.operand(at + 1, field, x)?;
                }
            }
        }
        Some(())
    }

    fn branch(&mut self, data: &Data) -> Option<()> {
        if self.now != 0 {
            return None;
        }
        self.free(&[Unit::Pass], 0)?;
        let slot = self.slot();
        slot.take(Unit::Pass);
        slot.set(word::BRANCH, 1);
        slot.set(word::UNKNOWN, 13);
        self.operand(0, word::PASS_A, data.args()[0].node)
    }

    /// A store takes what a unit makes in the same instruction: the value itself, or a move.
    pub(super) fn store(&mut self, data: &Data, place: Place) -> Option<()> {
        let early = matches!(place, Place::Register(..)) && self.now < self.around.store_margin;
        if early || !self.slots[self.now as usize].can_store(place) {
            return None;
        }
        let arg = data.args()[0];
        let op = self.dag.get(arg.node).op;
        let loaded = matches!(op, Op::Load(_));
        let is_last = self.nodes[arg.node.0 as usize].waiting == 1;
        let direct = matches!(op, Op::Rcp | Op::Rsqrt | Op::Exp2);
        let defined = !loaded && is_last && !direct;
        if defined && self.nodes[arg.node.0 as usize].home.is_none() {
            let unit = self.define(arg.node)?;
            self.also.push(arg.node);
            return self.slot().store(unit, place).then_some(());
        }
        // Waiting for its other users costs nothing.
        if self.patient && !loaded && !is_last {
            return None;
        }
        let unit = self.copy(arg.node)?;
        self.slot().store(unit, place).then_some(())
    }

    /// Stores what a unit makes now.
    pub(super) fn store_now(&mut self, unit: Unit, place: Place) -> bool {
        self.slot().store(unit, place)
    }

    /// The register that a value is kept in gets it as well.
    fn store_home(&mut self, node: Node, unit: Unit) -> Option<()> {
        let state = self.nodes[node.0 as usize];
        let Some((index, component)) = state.home.filter(|_| !state.stored) else { return Some(()) };
        if self.now < state.store_from || unit == Unit::Mul0 && self.slot().word.get(word::MUL_OP) == 1 {
            return None;
        }
        self.slot().store(unit, Place::Register(index, component)).then_some(())
    }

    /// Moves a value in this instruction by any unit.
    pub(super) fn copy(&mut self, node: Node) -> Option<Unit> {
        let units = [Unit::Pass, Unit::Mul1, Unit::Add1, Unit::Add0, Unit::Mul0];
        let unit = self.free(&units, 0)?;
        self.copy_by(node, unit)
    }

    /// Moves a value by a unit.
    pub(super) fn copy_by(&mut self, node: Node, unit: Unit) -> Option<Unit> {
        let now = self.now;
        let slot = self.slot();
        slot.take(unit);
        let (a, b) = slot::fields(unit);
        match unit {
            Unit::Pass => {}
            Unit::Complex => slot.set(word::COMPLEX_OP, 9),
            Unit::Mul0 | Unit::Mul1 => slot.set(b, 22),
            Unit::Add0 | Unit::Add1 => {
                slot.set(b, 22);
                slot.set(signs(unit).1, 1);
            }
        }
        self.operand(now, a, node)?;
        Some(unit)
    }

    fn is_number(&self, node: Node, value: f32) -> bool {
        self.dag.get(node).op == Op::Load(Source::Constant(value.to_bits()))
    }

    /// An operand: loaded in the same instruction, or demanded of earlier ones.
    pub(super) fn operand(&mut self, at: u32, field: Field, node: Node) -> Option<()> {
        let selector = match self.source(node) {
            Some(source) => self.loaded(at, field, source).or_else(|| self.kept_at_home(at, node)),
            None => self.kept_at_home(at, node),
        };
        match selector {
            Some(selector) => self.slots[at as usize].set(field, selector),
            None if self.patient && self.source(node).is_some() => return None,
            None => self.pending.push(Pending { node, at, field }),
        }
        Some(())
    }

    /// The selector of a value that this instruction can load.
    pub(super) fn loaded(&mut self, at: u32, field: Field, source: Source) -> Option<u32> {
        let slot = &mut self.slots[at as usize];
        match source {
            Source::Constant(bits) => {
                if is_b(field) && bits == ident(field) {
                    return Some(22);
                }
                self.constant(at, bits)
            }
            Source::Uniform(address, component) => slot.port2(address).then_some(12 + u32::from(component)),
            Source::Temporary(..) | Source::Indexed(..) => self.loaded_from_memory(at, source),
            Source::Attribute(index, component) => {
                if slot.port0(true, index) {
                    return Some(u32::from(component));
                }
                let before = self.slots.get_mut(at as usize + 1).filter(|_| at < self.now + 4)?;
                before.port0(true, index).then_some(28 + u32::from(component))
            }
            Source::Register(index, component) => {
                let left = self.stores_left.get(&(index, component)).copied().unwrap_or(0);
                if left > u32::from(self.storing == Some((index, component))) {
                    return None;
                }
                slot.register(index, component)
            }
        }
    }

    /// The selector of a value that is kept in a register.
    fn kept_at_home(&mut self, at: u32, node: Node) -> Option<u32> {
        let state = self.nodes[node.0 as usize];
        let (index, component) = state.home.filter(|_| !state.stored)?;
        let selector = self.slots[at as usize].register(index, component)?;
        self.home_journal.push((node, state.store_from));
        self.nodes[node.0 as usize].store_from = state.store_from.max(at + 3);
        Some(selector)
    }

    /// A constant from uniform memory; which vec4 it stands in is ours to choose.
    fn constant(&mut self, at: u32, bits: u32) -> Option<u32> {
        let from = self.around.constants_from;
        let vector = match self.slots[at as usize].memory() {
            Some(address) => usize::from(address.checked_sub(from)?),
            None => self.vector_for(|row| row.contains(&Some(bits)), |row| row.contains(&None)),
        };
        if usize::from(from) + vector >= usize::from(super::UNIFORMS) {
            return None;
        }
        if vector == self.constants.len() {
            self.constants.push([None; 4]);
        }
        let row = self.constants.get_mut(vector)?;
        let component = match row.iter().position(|&known| known == Some(bits)) {
            Some(component) => component,
            None => {
                let component = row.iter().position(Option::is_none)?;
                row[component] = Some(bits);
                self.journal.push((vector, component));
                component
            }
        };
        self.slots[at as usize].port2(from + vector as u16).then_some(12 + component as u32)
    }

    /// The first row that is right, else the first that can be made right, else a new one.
    fn vector_for(
        &self,
        is_right: impl Fn(&[Option<u32>; 4]) -> bool,
        has_room: impl Fn(&[Option<u32>; 4]) -> bool,
    ) -> usize {
        let rows = &self.constants;
        let right = rows.iter().position(is_right);
        right.or_else(|| rows.iter().position(has_room)).unwrap_or(rows.len())
    }

    /// The limits of a clamp stand in x and y of this instruction's vec4.
    fn limits(&mut self, low: u32, high: u32) -> Option<()> {
        let from = self.around.constants_from;
        let wanted = [low, high];
        let fits = |row: &[Option<u32>; 4]| (0..2).all(|i| row[i].is_none_or(|known| known == wanted[i]));
        let is_right = |row: &[Option<u32>; 4]| (0..2).all(|i| row[i] == Some(wanted[i]));
        let vector = match self.slots[self.now as usize].memory() {
            Some(address) => usize::from(address.checked_sub(from)?),
            None => self.vector_for(is_right, fits),
        };
        if vector == self.constants.len() {
            self.constants.push([None; 4]);
        }
        let row = self.constants.get_mut(vector).filter(|row| fits(row))?;
        for i in 0..2 {
            if row[i].is_none() {
                row[i] = Some(wanted[i]);
                self.journal.push((vector, i));
            }
        }
        self.slots[self.now as usize].port2(from + vector as u16).then_some(())
    }
}

/// Sign bits of an adder's operands.
fn signs(unit: Unit) -> (Field, Field) {
    match unit {
        Unit::Add0 => (word::ADD0_NEG_A, word::ADD0_NEG_B),
        _ => (word::ADD1_NEG_A, word::ADD1_NEG_B),
    }
}

/// Whether the field is an operand B, where 22 is a constant.
pub(super) fn is_b(field: Field) -> bool {
    matches!(field, word::MUL0_B | word::MUL1_B | word::ADD0_B | word::ADD1_B)
}

/// The constant that 22 is in an operand B.
fn ident(field: Field) -> u32 {
    match field {
        word::MUL0_B | word::MUL1_B => 1.0_f32.to_bits(),
        _ => 0,
    }
}
