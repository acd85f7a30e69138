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
    /// Rays by pointers of 64 bits.
    Ray,
    /// Rays by pointers of 32 bits, before the configuration says in whose order they come.
    NarrowRay,
    /// Vector memory in no order.
    Loose,
    /// LDS.
    Lds,
    /// GDS: in order among itself. [assumed]
    Gds,
    /// Scalar memory: in no order.
    Scalar,
    /// By flat address: on two counters.
    Flat,
}

impl Kind {
    /// By the number of an image instruction.
    pub(super) fn of_image(op: u32) -> Kind {
        match op {
            0xe7 => Kind::Ray,
            0xe6 => Kind::NarrowRay,
            0x00..0x20 | 0x80 => Kind::Plain,
            _ => Kind::Sampled,
        }
    }

    pub(super) fn counts_vm(self) -> bool {
        use Kind::{Flat, Loose, NarrowRay, Plain, Ray, Sampled};
        matches!(self, Plain | Sampled | Ray | NarrowRay | Loose | Flat)
    }

    /// Whether nothing but zero says that a load has come.
    pub(super) fn has_no_order(self) -> bool {
        matches!(self, Kind::Scalar | Kind::Flat | Kind::Loose)
    }

    pub(super) fn counts_lgkm(self) -> bool {
        matches!(self, Kind::Lds | Kind::Gds | Kind::Scalar | Kind::Flat)
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
    /// Nothing yet, in the room of one that has come.
    pub(super) fn within(room: Option<Pending>, kind: Kind, lanes: [u32; 2]) -> Pending {
        let (mut vectors, mut scalars) =
            room.map_or_else(Default::default, |room| (room.vectors, room.scalars));
        vectors.clear();
        scalars.clear();
        Pending { kind, vectors, scalars, lanes, mask: u32::MAX, registers: Registers::default() }
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
