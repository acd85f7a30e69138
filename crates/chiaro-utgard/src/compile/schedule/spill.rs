//! Spills within a block: where register pressure is too high, a value is stored where it is made
//! and reloaded at its uses. Port 1 is free in most instructions, so this costs little; it costs
//! least for values that are made last in scheduling order, that is, first in the program.

use super::attempt::{Pending, Scheduler};
use super::carry::MOST_DEMANDS;
use super::few::Few;
use crate::compile::graph::{Node, Op, Place, Source};
use crate::isa::selector::{Select, Unit};
use crate::regs::{BANK, REGISTER_WAIT};

impl Scheduler<'_> {
    /// Spills until no more is alive than the attempt allows.
    pub(super) fn relieve(&mut self) {
        if self.tactics.keep {
            for node in self.demands().iter().map(|d| d.node) {
                let state = &self.nodes[node.0 as usize];
                let is_uniform = matches!(self.source(node), Some(Source::Uniform(..)));
                if is_uniform && state.waiting > 0 && state.home.is_none() {
                    self.spill_value(node);
                }
            }
        }
        while self.alive > self.tactics.room && self.spill(true) {}
        self.store_moved();
    }

    /// Turns the demands of one value into register loads, those that others use as well first if that
    /// is wished; `false` if no value allows it.
    pub(super) fn spill(&mut self, shared_first: bool) -> bool {
        let mut tried: Few<Node, MOST_DEMANDS> = Few::new(Node(0));
        // Mostly the first can be spilled, so that they are not put in order.
        while let Some(first) = self.first_to_spill(shared_first, &tried) {
            if self.spill_value(first) {
                return true;
            }
            tried.push(first);
        }
        false
    }

    /// The value with the shortest path of those that may be spilled and have not been tried.
    fn first_to_spill(&self, shared_first: bool, tried: &[Node]) -> Option<Node> {
        let may_spill = |node: &Node| !tried.contains(node) && self.may_spill(*node);
        let rank =
            |node: &Node| (shared_first && self.nodes[node.0 as usize].waiting == 0, self.order(*node));
        self.pending.iter().map(|p| p.node).filter(may_spill).min_by_key(rank)
    }

    /// Whether a value may go through a register. What is loaded is loaded again, unless others need it
    /// too.
    fn may_spill(&self, node: Node) -> bool {
        let state = &self.nodes[node.0 as usize];
        let is_free = state.home.is_none() && !state.is_homeless;
        is_free
            && match self.source(node) {
                Some(Source::Uniform(..)) => state.waiting > 0,
                Some(_) => false,
                None => true,
            }
    }

    /// Spills to the register whose use opens fewest ports: components that are used together
    /// come to stand in one register.
    fn spill_value(&mut self, node: Node) -> bool {
        if self.nodes[node.0 as usize].is_homeless {
            return false;
        }
        let mut uses = std::mem::take(&mut self.uses);
        uses.clear();
        uses.extend(self.pending.iter().copied().filter(|p| p.node == node));
        let best = self.cheapest(&uses);
        // Ports that load something go on doing so, and a register that becomes free does so too late.
        self.nodes[node.0 as usize].is_homeless = best.is_none() && uses.iter().all(|p| p.at < self.now);
        let is_spilled = best.is_some_and(|(index, component)| self.spill_to(node, &uses, index, component));
        self.uses = uses;
        is_spilled
    }

    /// The free register component whose use opens fewest ports: of registers that ports load there
    /// already, and the first of the others, which all cost the same.
    fn cheapest(&self, uses: &[Pending]) -> Option<(u8, u8)> {
        let first = uses.iter().map(|p| p.at).min().unwrap_or(0);
        let loaded = uses.iter().fold(0, |all, p| all | self.slots[p.at as usize].registers());
        let component = |index: u8| {
            let free = &self.free_from[usize::from(index)];
            free.iter().position(|&from| from <= first).map(|component| component as u8)
        };
        let cost = |index: u8| Some((self.opened(uses, index)?, index, component(index)?));
        let mut best = (0..BANK as u8)
            .find(|&index| loaded >> index & 1 == 0 && component(index).is_some())
            .and_then(cost);
        let mut left = loaded;
        while left != 0 {
            let other = cost(left.trailing_zeros() as u8);
            left &= left - 1;
            best = [best, other].into_iter().flatten().min();
        }
        best.map(|(_, index, component)| (index, component))
    }

    /// How many ports must be opened for a register's use in some instructions.
    fn opened(&self, uses: &[Pending], index: u8) -> Option<u32> {
        let mut all = 0;
        for p in uses {
            all += self.slots[p.at as usize].register_cost(index)?;
        }
        Some(all)
    }

    fn spill_to(&mut self, node: Node, uses: &[Pending], index: u8, component: u8) -> bool {
        self.slots_before.clear();
        for (i, p) in uses.iter().enumerate() {
            let slot = &mut self.slots[p.at as usize];
            self.slots_before.push(*slot);
            let Some(selector) = slot.register(index, component) else {
                for (p, before) in uses[..=i].iter().zip(&self.slots_before).rev() {
                    self.slots[p.at as usize] = *before;
                }
                return false;
            };
            slot.read(p.field, selector);
        }
        self.free_from[usize::from(index)][usize::from(component)] = u32::MAX;
        self.pending.retain(|p| p.node != node);
        self.supplied(node, uses.len());
        let (from, to) = uses.iter().fold((u32::MAX, 0), |(from, to), p| (from.min(p.at), to.max(p.at)));
        self.at_home.extend(uses);
        self.at_homes += 1;
        let state = &mut self.nodes[node.0 as usize];
        (state.home, state.is_at_home) = (Some((index, component)), true);
        state.uses = (from as u16, to as u16);
        if matches!(self.graph.get(node).op, Op::Load(_)) {
            self.kept.push(node);
        }
        self.spills += 1;
        true
    }

    /// Results of complex1 cannot be stored where they are made, nor can loads: a move is.
    fn store_moved(&mut self) {
        if self.at_homes == 0 {
            return;
        }
        let is_moved = |node: &Node| {
            let op = self.graph.get(*node).op;
            self.nodes[node.0 as usize].is_at_home && (op.is_late() || matches!(op, Op::Load(_)))
        };
        let moved: Vec<Node> = self.ready.iter().chain(&self.kept).copied().filter(is_moved).collect();
        for node in moved {
            let state = self.nodes[node.0 as usize];
            let waits = state.waiting > 0 || self.now <= u32::from(state.uses.1);
            if waits || state.demanded > 0 {
                continue;
            }
            self.patient = matches!(self.graph.get(node).op, Op::Load(_));
            let before = self.save();
            // Its home no longer serves as a source: the move reads the result itself.
            self.nodes[node.0 as usize].is_at_home = false;
            let unit = self.copy(node).filter(|&unit| self.store_far(state.home, state.uses, unit));
            self.nodes[node.0 as usize].is_at_home = true;
            match unit.filter(|_| self.fits()) {
                Some(unit) => {
                    self.keep(before);
                    self.settle(node, unit);
                    self.kept.retain(|&kept| kept != node);
                }
                None => self.undo(before),
            }
        }
    }

    /// The register that a value is kept in gets it as well, where an operand reads it there.
    pub(super) fn store_home(&mut self, node: Node, unit: Unit) -> Option<()> {
        let state = self.nodes[node.0 as usize];
        if !state.is_at_home {
            return Some(());
        }
        let is_late = self.graph.get(node).op.is_late();
        // What comes late cannot be stored; it can be read two instructions later.
        let possible = match is_late {
            true => u32::from(state.uses.0) + 2 == self.now && state.uses.0 == state.uses.1,
            false => self.now > u32::from(state.uses.1) && self.store_far(state.home, state.uses, unit),
        };
        possible.then_some(())
    }

    /// Stores a unit's result to a register, unless all its operands are near enough to read
    /// the unit.
    fn store_far(&mut self, home: Option<(u8, u8)>, uses: (u16, u16), unit: Unit) -> bool {
        match home {
            Some((index, component)) if self.now >= u32::from(uses.0) + u32::from(REGISTER_WAIT) => {
                self.slot().store(unit, Place::Register(index, component))
            }
            _ => true,
        }
    }

    /// A kept value is made: operands nearby read the unit, since the register would come too
    /// late for them, the others the register.
    pub(super) fn settle(&mut self, node: Node, unit: Unit) {
        let now = self.now;
        let slots = &mut self.slots;
        self.at_home.retain(|p| {
            if p.node != node {
                return true;
            }
            let back = now - p.at;
            if back <= 2
                && let Some(number) = Select::Result(unit, back as u8).number(p.field.is_b())
            {
                slots[p.at as usize].read(p.field, number);
            }
            false
        });
        let state = &mut self.nodes[node.0 as usize];
        state.is_at_home = false;
        self.at_homes -= 1;
        if let Some((index, component)) = state.home {
            // An earlier value may be loaded up to the instruction that stores this one.
            self.free_from[usize::from(index)][usize::from(component)] = now;
        }
    }
}
