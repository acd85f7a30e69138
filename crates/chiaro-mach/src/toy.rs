//! A small machine that has everything that makes allocation hard, random code for it, and
//! what that code computes before and after allocation. For tests, of this crate and others.
//!
//! Four lanes. A wave file and a lane file, both of half units (16 bits). The wave file has no
//! exchange and is spilled into the lanes of lane registers; the lane file has exchanges and is
//! spilled to memory. Calls destroy the lower part of both. `exec` says which lanes run.

mod evaluate;
mod generate;
mod trial;

pub use evaluate::{Trace, evaluate};
pub use generate::{Shape, generate};
pub use trial::{Found, read, text, trial, trial_with_fault};

use chiaro_isa::{Hazard, Wait};

use crate::code::{Code, Inst};
use crate::file::{Alias, Domain, File, RegFile};
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
    RegFile { name: "l", unit_bits: 16, domain: Domain::LinearLane, ..RegFile::EMPTY };

const BASE_MEMORY: RegFile = RegFile { name: "m", unit_bits: 16, count: 4000, ..RegFile::EMPTY };

/// A unit in the middle that values may not have, to cut the file in two.
static RESERVED: [std::ops::Range<u16>; 1] = [std::ops::Range { start: 11, end: 12 }];

const fn machine(wave: u16, lane: u16) -> [RegFile; 4] {
    let per = LANES as u16;
    [
        RegFile { count: wave, reserved: &RESERVED, ..BASE_WAVE },
        RegFile { count: lane, ..BASE_LANE },
        RegFile { count: lane * per / 2, alias: Some(Alias { file: LANE, per, from: lane }), ..BASE_LINEAR },
        BASE_MEMORY,
    ]
}

/// Files of a machine with few registers, and of one with many.
pub static MACHINES: [[RegFile; 4]; 3] = [machine(20, 56), machine(32, 80), machine(64, 256)];

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

    /// Their names.
    pub const NAMES: [&str; 14] = [
        "mix", "mix_wave", "sum", "save", "invert", "restore", "break", "branch", "again", "any", "jump",
        "store", "next", "zero",
    ];
}
