//! A small machine that has everything that makes allocation hard, random code for it, and
//! what that code computes before and after allocation. For tests, of this crate and others.
//!
//! Four lanes. A wave file and a lane file, both of half units (16 bits). The wave file has no
//! exchange and is spilled into the lanes of lane registers, and behind them into memory of its own; the
//! lane file has exchanges and is spilled to memory. A flag of the wave is parked in the wave
//! file, two flags of each lane in the lane file. Calls destroy the lower part of all, some of them
//! everything. `exec` says which lanes run.

mod evaluate;
mod fault;
mod generate;
mod late;
mod trial;

pub use evaluate::{Trace, evaluate, evaluate_from};
pub use fault::{Planted, WaitPlace, trial_with_fault, waits, weaken_wait};
pub use generate::{Shape, generate};
pub use late::{LATE, Late, walk};
pub use trial::{Found, read, text, trial};

use chiaro_isa::{Hazard, Wait};

use crate::code::{Code, Inst};
use crate::file::{Alias, Domain, File, Occupancy, RegFile};
use crate::op::Op;
use crate::timing::Timing;

/// The registers of the wave.
pub const WAVE: File = File(0);
/// The registers of the lanes.
pub const LANE: File = File(1);
/// Wave values in lanes of lane registers.
pub const LINEAR: File = File(2);
/// Memory of each lane.
pub const MEMORY: File = File(3);
/// Memory of the wave.
pub const WAVE_MEMORY: File = File(4);
/// A flag of the wave.
pub const FLAG: File = File(5);
/// Flags of each lane.
pub const LANE_FLAG: File = File(6);
/// How many lanes there are.
pub const LANES: usize = 4;

const BASE_WAVE: RegFile = RegFile {
    name: "s",
    unit_bits: 16,
    domain: Domain::Wave,
    spill_to: Some(LINEAR),
    moves: &[2, 1],
    ..RegFile::EMPTY
};

const BASE_LANE: RegFile = RegFile {
    name: "v",
    unit_bits: 16,
    spill_to: Some(MEMORY),
    moves: &[2, 1],
    swaps: &[2, 1],
    ..RegFile::EMPTY
};

const BASE_LINEAR: RegFile =
    RegFile { name: "l", unit_bits: 16, domain: Domain::LinearLane, memory: true, ..RegFile::EMPTY };

const BASE_MEMORY: RegFile =
    RegFile { name: "m", unit_bits: 16, count: 4000, memory: true, ..RegFile::EMPTY };

const BASE_FLAG: RegFile = RegFile { name: "f", unit_bits: 1, ..RegFile::EMPTY };

/// Fewer lane registers let more waves run.
static OCCUPANCY: [Occupancy; 4] = [
    Occupancy { units: 16, waves: 8 },
    Occupancy { units: 32, waves: 4 },
    Occupancy { units: 64, waves: 2 },
    Occupancy { units: 256, waves: 1 },
];

/// A unit in the middle that values may not have, to cut the file in two.
static RESERVED: [std::ops::Range<u16>; 1] = [std::ops::Range { start: 11, end: 12 }];

const fn machine(wave: u16, lane: u16) -> [RegFile; 7] {
    let per = LANES as u16;
    [
        RegFile { count: wave, reserved: &RESERVED, ..BASE_WAVE },
        RegFile { count: lane, occupancy: &OCCUPANCY, ..BASE_LANE },
        RegFile {
            count: lane * per,
            alias: Some(Alias { file: LANE, per }),
            spill_to: Some(WAVE_MEMORY),
            ..BASE_LINEAR
        },
        BASE_MEMORY,
        RegFile { name: "w", domain: Domain::Wave, ..BASE_MEMORY },
        RegFile { count: 1, domain: Domain::Wave, spill_to: Some(WAVE), ..BASE_FLAG },
        RegFile { name: "p", count: 2, spill_to: Some(LANE), ..BASE_FLAG },
    ]
}

/// Files of a machine with few registers, and of one with many.
pub static MACHINES: [[RegFile; 7]; 3] = [machine(20, 56), machine(32, 80), machine(64, 256)];

/// The clock of the machine.
#[derive(Clone, Copy, Debug)]
pub struct Clock;

/// The clock of the machine.
pub static TIMING: Clock = Clock;

impl Timing for Clock {
    fn between(&self, code: &Code, first: Inst, _: Inst, hazard: Hazard) -> Option<Wait> {
        let Hazard::Raw { .. } = hazard else { return None };
        Some(match code.op(first) {
            Op::Machine(ops::MIX_LANE) => Wait::Slots(3),
            Op::Machine(ops::SUM) => Wait::Flag { name: "ready", slots: 8 },
            Op::Reload => Wait::Counter { name: "loads", slots: 20 },
            _ => Wait::Slots(0),
        })
    }
}

/// Operations of the machine.
pub mod ops {
    /// Lane results from lane and wave operands.
    pub const MIX_LANE: u32 = 0;
    /// Wave results from wave operands.
    pub const MIX_WAVE: u32 = 1;
    /// A wave result from lane operands: the sum over the lanes that run.
    pub const SUM: u32 = 2;
    /// A wave result: which lanes run. With a lane operand, only lanes in which it is odd
    /// go on.
    pub const SAVE: u32 = 3;
    /// The lanes of the operand that do not run.
    pub const INVERT: u32 = 4;
    /// The lanes of the operand.
    pub const RESTORE: u32 = 5;
    /// Lanes in which the first operand is odd stop; all do once the second reaches 3.
    pub const BREAK: u32 = 6;
    /// To the first label if the operand is odd, else to the second.
    pub const BRANCH: u32 = 7;
    /// To the first label while the operand is below 3.
    pub const AGAIN: u32 = 8;
    /// To the first label if any lane runs.
    pub const ANY: u32 = 9;
    /// To the label.
    pub const JUMP: u32 = 10;
    /// Tells the world about its operands.
    pub const STORE: u32 = 11;
    /// One more.
    pub const NEXT: u32 = 12;
    /// Zero.
    pub const ZERO: u32 = 13;
    /// A flag from operands of its kind.
    pub const COMPARE: u32 = 14;
    /// A number that the instruction holds; it may be done again.
    pub const NUMBER: u32 = 15;
    /// Waits until at most so many are under way in each queue; an operand without a number: as many as are.
    pub const WAIT: u32 = 16;

    /// Their names.
    pub const NAMES: [&str; 17] = [
        "mix", "mix_wave", "sum", "save", "invert", "restore", "break", "branch", "again", "any", "jump",
        "store", "next", "zero", "compare", "number", "wait",
    ];
}
