//! From a block's operations to instruction words.
//!
//! Bottom-up: the last instruction is filled first, so that a value is demanded before it is
//! made and lives no longer than it must. A value that is demanded one or two instructions
//! later is made now or later on that road, or moved along by an idle unit, or, when too much
//! is alive, stored to a register and loaded where it is used. The order in which nodes are
//! tried decides the length: several orders are tried, and the shortest result is kept.
//! spec sections 6, 12.6 and 14.
//!
//! | file | does |
//! |---|---|
//! | [`slot`] | one instruction being filled: units, ports, stores |
//! | [`place`] | puts a node into the current instruction |
//! | [`units`] | what an operation takes of an instruction |
//! | [`load`] | operands: loaded at once, or demanded of earlier instructions |
//! | [`carry`] | moves, and the condition that they always fit |
//! | [`memory`] | temporaries, and loads through address registers |
//! | [`spill`] | values through registers |
//! | [`tactics`] | what differs between the attempts, and which node is tried first |
//! | [`bound`] | how short a block can be at best |
//! | [`beam`] | many attempts side by side, of which the most promising go on |

mod beam;
mod bound;
mod carry;
mod load;
mod memory;
mod place;
mod slot;
mod spill;
mod tactics;
mod units;

use crate::dag::{Dag, Node, Op, Place, Source};
use crate::selector::Unit;
use crate::word::Word;
pub use bound::Limit;
use slot::{Input, Slot};
use tactics::Tactics;

/// What a block needs to know of the program around it.
#[derive(Clone, Debug)]
pub struct Around {
    /// First vec4 behind the user's uniforms: constants go from here on.
    pub constants_from: u16,
    /// Constants that are placed, four to a vec4; bits.
    pub constants: Vec<[Option<u32>; 4]>,
    /// Register components (16 masks of four bits) that hold values of other blocks.
    pub reserved: [u8; 16],
    /// Instructions at the end of the block in which no register may be stored, and in one more
    /// no temporary.
    pub store_margin: u32,
}

/// A scheduled block.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// The instructions in order.
    pub words: Vec<Word>,
    /// Constants with what the block added.
    pub constants: Vec<[Option<u32>; 4]>,
    /// Register components that were stored for want of room.
    pub spills: u32,
    /// What is known of its length.
    pub quality: Quality,
}

/// How good a block's schedule is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Quality {
    /// Instructions.
    pub length: u32,
    /// Instructions that it needs at least.
    pub bound: u32,
    /// What sets the bound.
    pub limit: Limit,
    /// Whether no schedule is shorter: it is as long as the bound, or all others were tried.
    pub optimal: bool,
    /// Instructions that all attempts filled together: the work that was done.
    pub nodes: u64,
}

/// vec4 of uniform memory. [Mesa]
const UNIFORMS: u16 = 304;

/// Schedules a block `attempts` times and keeps the shortest result; `None` if no attempt
/// finds a way.
#[must_use]
pub fn schedule(dag: &Dag, around: &Around, attempts: u32) -> Option<Scheduled> {
    let depths = dag.depths();
    let (bound, limit) = bound::lower_bound(dag, &depths, around.store_margin);
    let mut best: Option<Scheduled> = None;
    // A few attempts alone first: they are cheap and bound the others.
    for attempt in 0..attempts.clamp(1, param(9, 6) as u32) {
        let most = match best.as_ref().map(|best| best.words.len() as u32) {
            Some(length) if length <= bound => break,
            Some(length) => length - 1,
            None => MOST_INSTRUCTIONS,
        };
        let tactics = Tactics::of_attempt(attempt);
        if let Some(made) = Scheduler::new(dag, around, &depths, tactics, most).run() {
            best = Some(made);
        }
    }
    let mut best = match best {
        Some(best) if attempts < 6 || best.words.len() as u32 <= bound => best,
        best => beam::search(dag, around, &depths, attempts, best.as_ref()).or(best)?,
    };
    let length = best.words.len() as u32;
    best.quality = Quality { length, bound, limit, optimal: length <= bound, nodes: 0 };
    Some(best)
}

/// Instructions after which an attempt is given up.
const MOST_INSTRUCTIONS: u32 = 1024;

/// A use that waits for its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Pending {
    node: Node,
    /// The instruction, counted from the end.
    at: u32,
    field: Input,
}

/// What becomes of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct State {
    /// Users that are not placed.
    waiting: u32,
    placed: bool,
    /// Register component that it is kept in.
    home: Option<(u8, u8)>,
    /// Instructions, counted from the end, between which its register is read.
    uses: (u32, u32),
    stored: bool,
    tried: Tried,
}

/// What is known of a node in an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Tried {
    at: u32,
    /// It does not fit without demanding what costs a unit.
    patiently: bool,
    /// It does not fit at all.
    hopeless: bool,
}

#[derive(Clone)]
struct Scheduler<'a> {
    dag: &'a Dag,
    around: &'a Around,
    depths: &'a [u32],
    tactics: Tactics,
    nodes: Vec<State>,
    /// Nodes all of whose users are placed, not placed themselves; no loads.
    ready: Vec<Node>,
    pending: Vec<Pending>,
    /// Instructions from the last one on.
    slots: Vec<Slot>,
    /// The instruction being filled.
    now: u32,
    left: u32,
    constants: Vec<[Option<u32>; 4]>,
    /// From which instruction (from the end) on each register component is free.
    free_from: [[u32; 4]; 16],
    spills: u32,
    /// Loaded values that are kept in registers and not stored yet.
    kept: Vec<Node>,
    limit: u32,
    stuck: u32,
    /// Whether the placement under trial may demand nothing that costs a unit.
    patient: bool,
    /// Nodes that the placement under trial places besides.
    also: Option<Node>,
    /// The unit that makes the value under trial.
    made_by: Option<Unit>,
    /// Stores to each register component that are not placed: until then its old value cannot
    /// be loaded directly.
    stores_left: Vec<((u8, u8), u32)>,
    /// Temporaries and address registers.
    memory: memory::Memory,
    /// The register whose store is under trial.
    storing: Option<(u8, u8)>,
    /// Constants that the trial added, and stores that it put off.
    journal: Vec<(usize, usize)>,
    home_journal: Vec<(Node, (u32, u32))>,
    /// Operands that read a value's register and may yet read the unit that makes it.
    at_home: Vec<Pending>,
    /// A list to copy into.
    spare: Vec<Pending>,
}

impl<'a> Scheduler<'a> {
    fn new(
        dag: &'a Dag,
        around: &'a Around,
        depths: &'a [u32],
        tactics: Tactics,
        limit: u32,
    ) -> Scheduler<'a> {
        let mut nodes = vec![State::default(); dag.nodes().len()];
        for data in dag.nodes() {
            for arg in data.args() {
                nodes[arg.node.0 as usize].waiting += 1;
            }
        }
        let is_free = |r: usize, c: usize| around.reserved[r] >> c & 1 == 0;
        let free = |r: usize| std::array::from_fn(|c| if is_free(r, c) { 0 } else { u32::MAX });
        let mut scheduler = Scheduler {
            dag,
            around,
            depths,
            tactics,
            nodes,
            ready: Vec::new(),
            pending: Vec::new(),
            slots: Vec::new(),
            now: 0,
            left: 0,
            constants: around.constants.clone(),
            free_from: std::array::from_fn(free),
            spills: 0,
            kept: Vec::new(),
            limit,
            stuck: 0,
            patient: true,
            also: None,
            made_by: None,
            stores_left: register_stores(dag),
            memory: memory::Memory::of(dag),
            storing: None,
            journal: Vec::new(),
            home_journal: Vec::new(),
            at_home: Vec::new(),
            spare: Vec::new(),
        };
        scheduler.drop_unused();
        scheduler
    }

    /// Nodes that no root needs do not count; the roots are ready.
    fn drop_unused(&mut self) {
        for i in (0..self.nodes.len()).rev() {
            let data = &self.dag.nodes()[i];
            if self.nodes[i].waiting > 0 {
                self.left += u32::from(!matches!(data.op, Op::Load(_)));
            } else if data.op.is_root() {
                self.left += 1;
                self.ready.push(Node(i as u32));
            } else {
                self.nodes[i].placed = true;
                for arg in data.args() {
                    self.nodes[arg.node.0 as usize].waiting -= 1;
                }
            }
        }
    }

    fn run(mut self) -> Option<Scheduled> {
        while !self.is_done() {
            self.step()?;
        }
        self.finished()
    }

    fn is_done(&self) -> bool {
        self.left == 0 && self.pending.is_empty() && self.kept.is_empty()
    }

    /// One instruction more; `None` if this road leads nowhere or is too long.
    fn step(&mut self) -> Option<()> {
        if self.now >= self.limit {
            return None;
        }
        self.grow(4);
        let before = self.left;
        self.relieve();
        self.fill()?;
        self.stuck = if self.left == before { self.stuck + 1 } else { 0 };
        if self.stuck > 1 && !self.spill(true) && self.stuck > 24 {
            return None;
        }
        self.now += 1;
        (self.now + self.road_left() <= self.limit).then_some(())
    }

    fn finished(self) -> Option<Scheduled> {
        let used = self.slots.iter().rposition(|slot| slot.word != Word::IDLE).map_or(0, |last| last + 1);
        let words: Vec<Word> = self.slots[..used].iter().rev().map(|slot| slot.word).collect();
        (words.len() as u32 <= self.limit).then_some(Scheduled {
            words,
            constants: self.constants,
            spills: self.spills,
            quality: Quality::default(),
        })
    }

    /// Instructions up to `ahead` before the current one exist.
    fn grow(&mut self, ahead: u32) {
        let least = (self.now + ahead + 1) as usize;
        if self.slots.len() < least {
            self.slots.resize(least, Slot::default());
        }
    }

    /// Fills the current instruction; `None` if a value cannot be kept.
    fn fill(&mut self) -> Option<()> {
        // A loaded value that waits for its port would be moved along for nothing.
        self.load_values();
        while self.place_best() {}
        self.load_values();
        self.carry()
    }

    /// Places the first node, by priority, that fits.
    fn place_best(&mut self) -> bool {
        let candidates = self.candidates();
        for patient in [true, false] {
            for &node in &candidates {
                if self.place(node, patient) {
                    return true;
                }
            }
            // Loading through a move costs a unit: some attempts do it only where nothing else is done.
            if !self.tactics.eager && self.slots[self.now as usize].is_used() {
                break;
            }
        }
        false
    }

    /// Instructions that what is ready needs at least.
    fn road_left(&self) -> u32 {
        self.ready.iter().map(|n| self.depths[n.0 as usize]).max().unwrap_or(0)
    }

    /// A node is placed: its operands may be ready now.
    fn placed(&mut self, node: Node) {
        if let Op::Store(Place::Register(index, component)) = self.dag.get(node).op
            && let Some((_, left)) = self.stores_left.iter_mut().find(|(name, _)| *name == (index, component))
        {
            *left -= 1;
        }
        self.nodes[node.0 as usize].placed = true;
        self.ready.retain(|&n| n != node);
        self.left -= 1;
        for arg in self.dag.get(node).args() {
            let state = &mut self.nodes[arg.node.0 as usize];
            state.waiting -= 1;
            if state.waiting == 0 && !matches!(self.dag.get(arg.node).op, Op::Load(_)) {
                self.ready.push(arg.node);
            }
        }
    }

    fn source(&self, node: Node) -> Option<Source> {
        match self.dag.get(node).op {
            Op::Load(source) => Some(source),
            _ => None,
        }
    }
}

/// How often the block stores each register component.
fn register_stores(dag: &Dag) -> Vec<((u8, u8), u32)> {
    let mut stores: Vec<((u8, u8), u32)> = Vec::new();
    for data in dag.nodes() {
        if let Op::Store(Place::Register(index, component)) = data.op {
            match stores.iter_mut().find(|(name, _)| *name == (index, component)) {
                Some((_, count)) => *count += 1,
                None => stores.push(((index, component), 1)),
            }
        }
    }
    stores
}
pub(crate) fn param(i: usize, default: i32) -> i32 {
    static P: std::sync::OnceLock<Vec<Option<i32>>> = std::sync::OnceLock::new();
    let p =
        P.get_or_init(|| std::env::var("P").unwrap_or_default().split(',').map(|x| x.parse().ok()).collect());
    p.get(i).copied().flatten().unwrap_or(default)
}
