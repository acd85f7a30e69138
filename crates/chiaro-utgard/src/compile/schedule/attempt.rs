//! One attempt at a block: the state of the search, and how an instruction is filled.

use super::around::Around;
use super::block::{AHEAD, Block, Fact, Quality, Scheduled};
use super::memory::Memory;
use super::ranked::{Fit, Open, Ranked, take_best};
use super::room::Room;
use super::slot::{Input, Slot};
use super::tactics::Tactics;
use super::work::Work;
use crate::compile::graph::{Graph, Node, Op, Place, Source};
use crate::isa::selector::Unit;
use crate::isa::word::Word;
use crate::regs::BANK;

/// Room that lists have from the start, so that they do not grow in many small steps.
const USUAL: usize = 32;
const FEW: usize = 8;

/// Instructions after which an attempt is given up.
pub(super) const MOST_INSTRUCTIONS: u32 = 1024;

/// A use that waits for its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pending {
    pub(super) node: Node,
    /// The instruction, counted from the end.
    pub(super) at: u32,
    pub(super) field: Input,
}

/// What becomes of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct State {
    /// Users that are not placed.
    pub(super) waiting: u16,
    /// Operands that wait for the value.
    pub(super) demanded: u16,
    pub(super) placed: bool,
    /// The instruction, counted from the end, in which it is placed.
    pub(super) at: u16,
    /// Register component that it is kept in.
    pub(super) home: Option<(u8, u8)>,
    /// Instructions, counted from the end, between which its register is read.
    pub(super) uses: (u16, u16),
    /// Whether operands read a register that the value is yet to be stored to.
    pub(super) is_at_home: bool,
    /// How often the one instruction in which it could have been made had no room.
    pub(super) missed: u8,
    /// No register can take it for the operands that wait, nor for more of them.
    pub(super) is_homeless: bool,
}

impl State {
    /// Whether asking for the value takes nothing more: others wait for it, or a register has it.
    #[inline]
    pub(super) fn is_asked(&self) -> bool {
        self.demanded > 0 || self.is_at_home
    }
}

/// What an instruction has left as a placement begins.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Round {
    pub(super) room: Room,
    /// Units that can move a value in this instruction, and in the two before it.
    pub(super) here: u32,
    pub(super) ahead: u32,
    /// Values that move now if they are not made.
    pub(super) must: u32,
}

pub(super) struct Scheduler<'a> {
    pub(super) graph: &'a Graph,
    pub(super) around: &'a Around,
    pub(super) facts: &'a [Fact],
    pub(super) tactics: Tactics,
    pub(super) nodes: Vec<State>,
    /// Nodes all of whose users are placed, not placed themselves; no loads.
    pub(super) ready: Vec<Node>,
    /// The same in the same order, with what stays as it is while an instruction is filled.
    pub(super) open: Vec<Open>,
    pub(super) pending: Vec<Pending>,
    /// How many values they wait for.
    pub(super) alive: u32,
    /// Instructions from the last one on.
    pub(super) slots: Vec<Slot>,
    /// The instruction being filled.
    pub(super) now: u32,
    /// What the instruction has left, as a placement begins.
    pub(super) round: Round,
    pub(super) left: u32,
    /// What the nodes that are left take.
    pub(super) work: Work,
    /// Instructions that what is ready needs at least, when the current one begins.
    pub(super) path_ahead: u32,
    pub(super) constants: Vec<[Option<u32>; 4]>,
    /// From which instruction (from the end) on each register component is free.
    pub(super) free_from: [[u32; 4]; BANK],
    pub(super) spills: u32,
    /// Loaded values that are kept in registers and not stored yet.
    pub(super) kept: Vec<Node>,
    /// Values that operands read from registers and that are not stored yet.
    pub(super) at_homes: u32,
    pub(super) limit: u32,
    pub(super) stuck: u32,
    /// Whether the placement under trial may demand nothing that costs a unit.
    pub(super) patient: bool,
    /// Nodes that the placement under trial places besides.
    pub(super) also: Vec<Node>,
    /// The unit that makes the value under trial.
    pub(super) made_by: Option<Unit>,
    /// Stores to each register component that are not placed: until then its old value cannot
    /// be loaded directly.
    pub(super) stores_left: Vec<((u8, u8), u32)>,
    /// Temporaries and address registers.
    pub(super) memory: &'a Memory,
    /// Where each address register may be set at the earliest, counted from the end.
    pub(super) set_from: [u32; 4],
    /// The register whose store is under trial.
    pub(super) storing: Option<(u8, u8)>,
    /// Constants that the trial added, and stores that it put off.
    pub(super) journal: Vec<(usize, usize)>,
    pub(super) home_journal: Vec<(Node, (u16, u16))>,
    /// Operands that read a value's register and may yet read the unit that makes it.
    pub(super) at_home: Vec<Pending>,
    /// Where a search leads: the nodes of the current instruction.
    pub(super) only: Option<Vec<Node>>,
    /// Which of the vec4 that are wanted most the next instruction loads, if that is chosen.
    pub(super) choice: Option<u32>,
    /// Lists to write over. A trial that supplies operands leaves those that waited in the first.
    pub(super) spare: Vec<Pending>,
    pub(super) is_spared: bool,
    pub(super) uses: Vec<Pending>,
    pub(super) slots_before: Vec<Slot>,
    pub(super) scored: Vec<Ranked>,
}

impl<'a> Clone for Scheduler<'a> {
    fn clone(&self) -> Scheduler<'a> {
        let mut copy = Scheduler::blank(&Block {
            graph: self.graph,
            around: self.around,
            facts: self.facts,
            memory: self.memory,
        });
        copy.clone_from(self);
        copy
    }

    /// Copies into the memory that is there.
    fn clone_from(&mut self, from: &Scheduler<'a>) {
        fn over<T: Clone>(mut old: Vec<T>, new: &[T]) -> Vec<T> {
            old.clear();
            // The next instruction makes most lists longer.
            old.reserve(new.len() + AHEAD as usize);
            old.extend_from_slice(new);
            old
        }
        use std::mem::take;
        // There are never more of them.
        self.nodes.clone_from(&from.nodes);
        *self = Scheduler {
            nodes: take(&mut self.nodes),
            ready: over(take(&mut self.ready), &from.ready),
            pending: over(take(&mut self.pending), &from.pending),
            slots: over(take(&mut self.slots), &from.slots),
            constants: over(take(&mut self.constants), &from.constants),
            kept: over(take(&mut self.kept), &from.kept),
            stores_left: over(take(&mut self.stores_left), &from.stores_left),
            at_home: over(take(&mut self.at_home), &from.at_home),
            open: take(&mut self.open),
            journal: take(&mut self.journal),
            home_journal: take(&mut self.home_journal),
            also: take(&mut self.also),
            only: from.only.clone(),
            spare: take(&mut self.spare),
            uses: take(&mut self.uses),
            slots_before: take(&mut self.slots_before),
            scored: take(&mut self.scored),
            ..*from
        };
    }
}

impl<'a> Scheduler<'a> {
    pub(super) fn new(block: &Block<'a>, tactics: Tactics, limit: u32) -> Scheduler<'a> {
        let mut nodes = vec![State::default(); block.graph.nodes().len()];
        for data in block.graph.nodes() {
            for arg in data.args() {
                nodes[arg.node.0 as usize].waiting += 1;
            }
        }
        let mut scheduler = Scheduler { nodes, limit, tactics, ..Scheduler::blank(block) };
        scheduler.constants.extend_from_slice(&block.around.constants);
        scheduler.stores_left = register_stores(block.graph);
        scheduler.drop_unused();
        scheduler
    }

    /// An attempt without nodes.
    fn blank(block: &Block<'a>) -> Scheduler<'a> {
        let Block { graph, around, facts, memory } = *block;
        let is_free = |r: usize, c: usize| around.reserved[r] >> c & 1 == 0;
        let free = |r: usize| std::array::from_fn(|c| if is_free(r, c) { 0 } else { u32::MAX });
        Scheduler {
            graph,
            around,
            facts,
            tactics: Tactics::of_attempt(0),
            nodes: Vec::with_capacity(facts.len()),
            ready: Vec::with_capacity(USUAL),
            open: Vec::with_capacity(USUAL),
            pending: Vec::with_capacity(USUAL),
            alive: 0,
            slots: Vec::with_capacity(2 * USUAL),
            now: 0,
            round: Round::default(),
            left: 0,
            work: Work::default(),
            path_ahead: 0,
            constants: Vec::new(),
            free_from: std::array::from_fn(free),
            spills: 0,
            kept: Vec::with_capacity(FEW),
            at_homes: 0,
            limit: 0,
            stuck: 0,
            patient: true,
            also: Vec::with_capacity(FEW),
            made_by: None,
            stores_left: Vec::new(),
            memory,
            set_from: [0; 4],
            storing: None,
            journal: Vec::with_capacity(FEW),
            home_journal: Vec::with_capacity(FEW),
            at_home: Vec::with_capacity(USUAL),
            only: None,
            choice: None,
            spare: Vec::with_capacity(USUAL),
            is_spared: false,
            uses: Vec::with_capacity(FEW),
            slots_before: Vec::with_capacity(FEW),
            scored: Vec::with_capacity(USUAL),
        }
    }

    /// An operand waits for its value.
    pub(super) fn demand(&mut self, pending: Pending) {
        let state = &mut self.nodes[pending.node.0 as usize];
        self.alive += u32::from(state.demanded == 0);
        state.demanded += 1;
        self.pending.push(pending);
    }

    /// Some operands of a node have got their value.
    pub(super) fn supplied(&mut self, node: Node, count: usize) {
        let state = &mut self.nodes[node.0 as usize];
        state.demanded -= count as u16;
        state.is_homeless &= count == 0;
        self.alive -= u32::from(count > 0 && state.demanded == 0);
    }

    /// Nodes that no root needs do not count; the roots are ready.
    fn drop_unused(&mut self) {
        for i in (0..self.nodes.len()).rev() {
            let data = &self.graph.nodes()[i];
            if self.nodes[i].waiting > 0 {
                self.left += u32::from(!matches!(data.op, Op::Load(_)));
                self.work.change(data.op, 1);
            } else if data.op.is_root() {
                self.left += 1;
                self.work.change(data.op, 1);
                self.ready.push(Node(i as u32));
            } else {
                self.nodes[i].placed = true;
                for arg in data.args() {
                    self.nodes[arg.node.0 as usize].waiting -= 1;
                }
            }
        }
    }

    pub(super) fn run(&mut self) -> Option<Scheduled> {
        while !self.is_done() {
            self.step()?;
        }
        self.finished()
    }

    pub(super) fn is_done(&self) -> bool {
        self.left == 0 && self.pending.is_empty() && self.kept.is_empty()
    }

    /// One instruction more; `None` if this path leads nowhere or is too long.
    pub(super) fn step(&mut self) -> Option<()> {
        if self.now >= self.limit {
            return None;
        }
        self.grow(AHEAD);
        let before = self.left;
        self.relieve();
        if let Some(rank) = self.choice.take() {
            self.choose_vector(rank);
        }
        self.fill()?;
        self.stuck = if self.left == before { self.stuck + 1 } else { 0 };
        if self.stuck > 1 && !self.spill(false) && self.stuck > 24 {
            return None;
        }
        self.now += 1;
        self.path_ahead = self.path_left();
        let least = self.path_ahead.max(self.work.instructions());
        (self.now + least <= self.limit).then_some(())
    }

    pub(super) fn finished(&self) -> Option<Scheduled> {
        let used = self.slots.iter().rposition(|slot| slot.word != Word::IDLE).map_or(0, |last| last + 1);
        let words: Vec<Word> = self.slots[..used].iter().rev().map(|slot| slot.word).collect();
        (words.len() as u32 <= self.limit).then_some(Scheduled {
            words,
            constants: self.constants.clone(),
            spills: self.spills,
            placed: self.places(used),
            quality: Quality::default(),
        })
    }

    /// Where each operation is, in a block of so many instructions.
    fn places(&self, length: usize) -> Vec<(u32, Node)> {
        let nodes = self.nodes.iter().enumerate();
        let placed = nodes.filter(|(_, state)| state.placed && usize::from(state.at) < length);
        placed.map(|(i, state)| ((length - 1) as u32 - u32::from(state.at), Node(i as u32))).collect()
    }

    /// Instructions up to `ahead` before the current one exist.
    pub(super) fn grow(&mut self, ahead: u32) {
        let least = (self.now + ahead + 1) as usize;
        if self.slots.len() < least {
            self.slots.resize(least, Slot::default());
        }
    }

    /// Fills the current instruction; `None` if a value cannot be kept.
    fn fill(&mut self) -> Option<()> {
        // A loaded value that waits for its port would be moved along for nothing.
        self.load_values();
        self.rank();
        while self.place_best() {}
        self.load_values();
        self.carry()
    }

    /// Places the first node, by priority, that fits.
    fn place_best(&mut self) -> bool {
        self.round = self.round();
        let mut candidates = std::mem::take(&mut self.scored);
        let is_placed = self.place_of(Fit::Unknown, &mut candidates) || self.place_first(&mut candidates);
        self.scored = candidates;
        is_placed
    }

    fn round(&self) -> Round {
        let [here, one, two] = [0, 1, 2].map(|back| self.slots[(self.now + back) as usize].movers());
        Round { room: self.room(), here, ahead: one + two, must: self.must_move() }
    }

    /// Places the first that fits of those that do not where nothing is demanded that costs a unit.
    /// Loading through a move is such a thing: some attempts do it only where nothing else is done.
    fn place_first(&mut self, candidates: &mut Vec<Ranked>) -> bool {
        (self.tactics.eager || !self.slots[self.now as usize].is_used())
            && self.place_of(Fit::Impatient, candidates)
    }

    /// Places the first that fits of those of which so much is known; of others it is tried whether they
    /// fit where nothing is demanded that costs a unit. Mostly that is one of the best: they are put in
    /// order only as far as they are tried.
    fn place_of(&mut self, known: Fit, candidates: &mut Vec<Ranked>) -> bool {
        self.candidates(known, candidates);
        while let Some(best) = take_best(candidates) {
            if self.place_open(best.at(), known == Fit::Unknown) {
                return true;
            }
        }
        false
    }

    /// Places one of those that are open, or notes what was found out.
    fn place_open(&mut self, at: usize, patient: bool) -> bool {
        match self.place(self.open[at].node, patient) {
            Ok(()) => true,
            Err(fit) => {
                let known = &mut self.open[at].fit;
                *known = fit.max(*known);
                false
            }
        }
    }

    /// Instructions that what is ready needs at least.
    fn path_left(&self) -> u32 {
        self.ready.iter().map(|&node| self.path(node)).max().unwrap_or(0)
    }

    /// A node is placed: its operands may be ready now.
    pub(super) fn placed(&mut self, node: Node) {
        if let Op::Store(Place::Register(index, component)) = self.graph.get(node).op
            && let Some((_, left)) = self.stores_left.iter_mut().find(|(name, _)| *name == (index, component))
        {
            *left -= 1;
        }
        let state = &mut self.nodes[node.0 as usize];
        (state.placed, state.at) = (true, self.now as u16);
        if let Some(at) = self.ready.iter().position(|&other| other == node) {
            self.ready.remove(at);
            self.open.remove(at);
        }
        self.left -= 1;
        self.work.change(self.graph.get(node).op, -1);
        for arg in self.graph.get(node).args() {
            let arg = arg.node;
            self.nodes[arg.0 as usize].waiting -= 1;
            if self.nodes[arg.0 as usize].waiting == 0 && !self.facts[arg.0 as usize].is_load {
                self.ready.push(arg);
                self.open.push(self.open_of(arg));
            }
        }
    }

    pub(super) fn source(&self, node: Node) -> Option<Source> {
        match self.graph.get(node).op {
            Op::Load(source) => Some(source),
            _ => None,
        }
    }
}

/// How often the block stores each register component.
fn register_stores(graph: &Graph) -> Vec<((u8, u8), u32)> {
    let mut stores: Vec<((u8, u8), u32)> = Vec::new();
    for data in graph.nodes() {
        if let Op::Store(Place::Register(index, component)) = data.op {
            match stores.iter_mut().find(|(name, _)| *name == (index, component)) {
                Some((_, count)) => *count += 1,
                None => stores.push(((index, component), 1)),
            }
        }
    }
    stores
}
