//! Statistics of code under ACO's names, computed from the words as its cost model has them
//! (spec section 14).
//!
//! | file | is |
//! |---|---|
//! | `inst` | instructions as the model sees them: class, registers, counters |
//! | `shape` | how often a block counts: loops, branches that lanes or waves take |
//! | `cycles` | the clock of a block |
//! | `clause` | accesses that can stand in one clause |
//! | `occupancy` | waves side by side, and what limits them |
//!
//! Copies, and what schedulers had before them, are not in the words and are left out.

mod clause;
pub mod cycles;
pub(crate) mod inst;
pub mod occupancy;
mod shape;

pub use cycles::{LATENCIES, Latencies, Stalls};
pub use occupancy::{Limit, Occupancy, WAVES};

use cycles::Estimate;
use inst::{Inst, Kind};

/// What a launch says beside the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Launch {
    /// Lanes in a wave.
    pub wave: u8,
    /// Threads of a group.
    pub threads: u32,
    /// Bytes of LDS of a group.
    pub lds: u32,
    /// Vector registers that a wave is given, where that is known: drivers round it up.
    pub vgprs: Option<u32>,
    /// Waves are counted as Mesa 22 counts them: 32 slots for waves of 32 lanes, and groups are
    /// split to fill them. Figures of that driver alone compare with this.
    pub older: bool,
}

/// The numbers, by ACO's names; [`Statistics::named`] spells them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Statistics {
    /// Instructions without padding.
    pub instructions: u32,
    /// Bytes of them.
    pub code_size: u32,
    /// Vector registers, in steps of the allocation.
    pub vgprs: u32,
    /// Scalar registers: always those of a block.
    pub sgprs: u32,
    /// Bytes of LDS of a group.
    pub lds: u32,
    /// Waves of 32 lanes that a SIMD holds, where waves of 64 count as two.
    pub subgroups: u32,
    /// Cycles of a wave by the model.
    pub latency: u32,
    /// Cycles that a wave takes of a SIMD, with as many others as there is room for.
    pub inverse_throughput: u32,
    /// Branches.
    pub branches: u32,
    /// Groups of vector accesses.
    pub vmem_clauses: u32,
    /// Groups of scalar accesses.
    pub smem_clauses: u32,
    /// Vector instructions.
    pub valu: u32,
    /// Scalar instructions without control.
    pub salu: u32,
    /// Vector accesses.
    pub vmem: u32,
    /// Scalar accesses.
    pub smem: u32,
    /// Waves side by side, and why not more.
    pub occupancy: Occupancy,
    /// What waves wait for, and the cycles of each resource.
    pub stalls: Stalls,
    /// Cycles of the shortest and of the longest path; loops are run through once.
    pub paths: (u32, u32),
    /// Cycles of instructions, weighed as [`latency`](Statistics::latency) is, by their first bytes.
    pub spent: Vec<(u32, f64)>,
}

/// Scalar registers of a wave, whatever it uses (spec 13).
const SGPRS: u32 = 128;

impl Statistics {
    /// The statistics of code; what stands behind its last end is padding.
    #[must_use]
    pub fn of(code: &[u8], launch: &Launch, latencies: &Latencies) -> Statistics {
        let (all, code_size) = inst::all(code, launch.wave);
        let used = all.iter().map(Inst::vectors).max().unwrap_or(0);
        let occupancy = Occupancy::of(launch, launch.vgprs.unwrap_or(used));
        let count = |kind: Kind| all.iter().filter(|inst| inst.kind == kind).count() as u32;
        let shape = shape::Shape::of(&all, launch.older);
        let Estimate { latency, stalls, paths, spent } = cycles::estimate(&all, &shape, launch, latencies);
        let [vmem, smem] = [Kind::Vmem, Kind::Smem].map(|kind| clause::count(&all, &shape, kind));
        Statistics {
            instructions: all.len() as u32,
            code_size,
            vgprs: occupancy.vgprs,
            sgprs: SGPRS,
            lds: launch.lds,
            subgroups: occupancy.waves * u32::from(launch.wave) / 32,
            latency: latency.round() as u32,
            inverse_throughput: stalls.inverse_throughput(latency, occupancy.counted, launch),
            branches: all.iter().filter(|inst| inst.is_branch()).count() as u32,
            vmem_clauses: vmem.groups,
            smem_clauses: smem.groups,
            valu: count(Kind::Valu),
            salu: count(Kind::Salu),
            vmem: vmem.members,
            smem: smem.members,
            occupancy,
            stalls,
            paths,
            spent: all.iter().map(|inst| 4 * inst.word).zip(spent).collect(),
        }
    }

    /// Name and number of each statistic.
    #[must_use]
    pub fn named(&self) -> [(&'static str, u32); 15] {
        [
            ("Instructions", self.instructions),
            ("Code_size", self.code_size),
            ("VGPRs", self.vgprs),
            ("SGPRs", self.sgprs),
            ("LDS_size", self.lds),
            ("Subgroups_per_SIMD", self.subgroups),
            ("Latency", self.latency),
            ("Inverse_Throughput", self.inverse_throughput),
            ("Branches", self.branches),
            ("VMEM_Clause", self.vmem_clauses),
            ("SMEM_Clause", self.smem_clauses),
            ("VALU", self.valu),
            ("SALU", self.salu),
            ("VMEM", self.vmem),
            ("SMEM", self.smem),
        ]
    }
}
