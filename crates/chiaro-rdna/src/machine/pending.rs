//! A load on its way, and in which order it comes.

use chiaro_sim::Lanes;

use super::registers::Registers;
use crate::regs::file;

/// Accesses that return in order among themselves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Vector memory without sampler.
    Plain,
    /// Sampled images.
    Sampled,
    /// LDS.
    Lds,
    /// Scalar memory: in no order.
    Scalar,
    /// By flat address: on two counters.
    Flat,
}

impl Kind {
    pub(super) fn counts_vm(self) -> bool {
        matches!(self, Kind::Plain | Kind::Sampled | Kind::Flat)
    }

    pub(super) fn counts_lgkm(self) -> bool {
        matches!(self, Kind::Lds | Kind::Scalar | Kind::Flat)
    }
}

/// A load that has been done and whose registers are still to be written.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) kind: Kind,
    /// Vector registers with their values in each half of the wave.
    pub(super) vectors: Vec<(u16, [Lanes; 2])>,
    pub(super) scalars: Vec<(u16, u32)>,
    /// Lanes that are written.
    pub(super) lanes: [u32; 2],
    /// Bits of the registers that are written: others keep what they have.
    pub(super) mask: u32,
    pub(super) registers: Registers,
}

impl Pending {
    pub(super) fn new(kind: Kind, lanes: [u32; 2]) -> Pending {
        Pending {
            kind,
            vectors: Vec::new(),
            scalars: Vec::new(),
            lanes,
            mask: u32::MAX,
            registers: Registers::default(),
        }
    }

    pub(super) fn vector(&mut self, register: u16, values: [Lanes; 2]) {
        self.vectors.push((register, values));
        self.registers.add(file::VGPR, register);
    }

    pub(super) fn scalar(&mut self, register: u16, value: u32) {
        self.scalars.push((register, value));
        self.registers.add(file::SGPR, register);
    }
}
