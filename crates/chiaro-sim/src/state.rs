//! The state that micro-ops read and write: slots, tables, masks, memory.

use crate::env::FloatEnv;
use crate::memory::Memory;
use crate::uop::Slot;

/// Lanes in a batch.
pub const LANES: usize = 32;

/// One slot: a word for every lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Lanes(pub [u32; LANES]);

impl Lanes {
    /// Zero in every lane.
    pub const ZERO: Self = Self([0; LANES]);

    /// `value` in every lane.
    #[must_use]
    pub const fn splat(value: u32) -> Self {
        Self([value; LANES])
    }
}

/// Rows of four words that lanes index. The number of rows is a power of two
/// and indices count modulo it, so no index is out of bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    rows: Vec<[u32; 4]>,
}

impl Table {
    /// `rows`, continued with `fill` to a power of two.
    #[must_use]
    pub fn new(mut rows: Vec<[u32; 4]>, fill: [u32; 4]) -> Self {
        rows.resize(rows.len().max(1).next_power_of_two(), fill);
        Self { rows }
    }

    /// The row for an index.
    #[inline(always)]
    #[must_use]
    pub fn row(&self, index: u32) -> &[u32; 4] {
        &self.rows[index as usize & (self.rows.len() - 1)]
    }

    /// The rows; their number stays.
    pub fn rows_mut(&mut self) -> &mut [[u32; 4]] {
        &mut self.rows
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> &[[u32; 4]] {
        &self.rows
    }
}

/// The state of one batch of lanes. A wave of 64 is two batches whose wave
/// slots the machine copies from one to the other.
#[derive(Clone, Debug)]
pub struct State {
    /// Slots per lane.
    pub lanes: Vec<Lanes>,
    /// Slots per wave. A mask of 64 lanes is two of them.
    pub waves: Vec<u32>,
    /// Bit k: lane k is active.
    pub active: u32,
    /// Which half of a wave of 64 this batch is: [`Op::Ballot`](crate::Op::Ballot)
    /// writes its wave slot plus this, lanes are numbered from 32 times this.
    pub half: u16,
    /// Tables that [`Op::Row`](crate::Op::Row) names.
    pub tables: Vec<Table>,
    /// Address spaces.
    pub memory: Memory,
    /// The environment of operations that name [`EnvId::MODE`](crate::EnvId::MODE).
    pub mode: FloatEnv,
    /// Where the machine is; faults name it.
    pub pc: u32,
    /// What has been done.
    pub stats: Stats,
}

/// Counters, in the units that their names say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Micro-ops run, each counted once for the whole batch.
    pub uops: u64,
    /// Runs of micro-ops with every lane active.
    pub full_runs: u64,
    /// Runs with some lanes inactive.
    pub partial_runs: u64,
}

impl State {
    /// All zero, all lanes active.
    #[must_use]
    pub fn new(slots: usize, waves: usize) -> Self {
        Self {
            lanes: vec![Lanes::ZERO; slots],
            waves: vec![0; waves],
            active: u32::MAX,
            half: 0,
            tables: Vec::new(),
            memory: Memory::default(),
            mode: FloatEnv::IEEE,
            pc: 0,
            stats: Stats::default(),
        }
    }

    /// The lanes of a slot.
    #[must_use]
    pub fn lanes(&self, slot: Slot) -> &Lanes {
        &self.lanes[usize::from(slot.0)]
    }

    /// The lanes of a slot, to write.
    pub fn lanes_mut(&mut self, slot: Slot) -> &mut Lanes {
        &mut self.lanes[usize::from(slot.0)]
    }

    /// Four slots next to each other.
    ///
    /// # Panics
    /// If they do not exist, as all access to slots.
    #[must_use]
    pub fn quad(&self, first: Slot) -> &[Lanes; 4] {
        let first = usize::from(first.0);
        self.lanes[first..first + 4].try_into().expect("four slots")
    }

    /// Four slots next to each other, to write.
    ///
    /// # Panics
    /// As [`quad`](State::quad).
    pub fn quad_mut(&mut self, first: Slot) -> &mut [Lanes; 4] {
        let first = usize::from(first.0);
        (&mut self.lanes[first..first + 4]).try_into().expect("four slots")
    }

    /// True if `lane` is active.
    #[must_use]
    pub fn is_active(&self, lane: usize) -> bool {
        self.active >> lane & 1 != 0
    }

    /// A mask of the lanes whose value is not zero, active or not.
    #[must_use]
    pub fn truth(&self, slot: Slot) -> u32 {
        let lanes = &self.lanes(slot).0;
        lanes.iter().enumerate().fold(0, |mask, (k, v)| mask | u32::from(*v != 0) << k)
    }
}
