//! Vector memory: loads, stores and atomics of lanes at places of their own, and the places of
//! flat, global and scratch addresses (spec sections 8.4 and 9.3).

use chiaro_sim::Lanes;

use super::atomic::Atomic;
use super::fault::FaultKind;
use super::group::Shared;
use super::pending::{Kind, Pending};
use super::program::Step;
use super::wave::Wave;
use crate::exec::{PRIVATE_BASE, SHARED_BASE};
use crate::isa::Op;
use crate::regs::code;

/// Where a dword of an access lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Memory(u64),
    Lds(u64),
    /// Byte of the wave's scratch block.
    Scratch(u64),
    /// Out of a descriptor's range: reads give zero, writes are dropped.
    Outside,
}

/// What an access does at its places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// One number of 1 or 2 bytes, widened.
    Small {
        size: usize,
        signed: bool,
    },
    /// The same into half of a register.
    Half {
        size: usize,
        signed: bool,
        high: bool,
    },
    Dwords(u16),
    StoreSmall {
        size: usize,
        high: bool,
    },
    StoreDwords(u16),
    /// Of 4 or 8 bytes.
    Atomic(Atomic, usize),
}

impl What {
    /// By the numbers that buffers, flat, global and scratch share.
    pub(super) fn by_number(op: u32) -> Option<What> {
        Some(match op {
            0x08 => What::Small { size: 1, signed: false },
            0x09 => What::Small { size: 1, signed: true },
            0x0a => What::Small { size: 2, signed: false },
            0x0b => What::Small { size: 2, signed: true },
            0x0c | 0x0d => What::Dwords(op as u16 - 0x0b),
            0x0e => What::Dwords(4),
            0x0f => What::Dwords(3),
            0x18 | 0x19 => What::StoreSmall { size: 1, high: op & 1 == 1 },
            0x1a | 0x1b => What::StoreSmall { size: 2, high: op & 1 == 1 },
            0x1c | 0x1d => What::StoreDwords(op as u16 - 0x1b),
            0x1e => What::StoreDwords(4),
            0x1f => What::StoreDwords(3),
            0x20..=0x25 => What::Half {
                size: if op < 0x24 { 1 } else { 2 },
                signed: matches!(op, 0x22 | 0x23),
                high: op & 1 == 1,
            },
            _ => return Atomic::by_number(op).map(|(atomic, size)| What::Atomic(atomic, size)),
        })
    }

    /// Bytes at the places.
    pub(super) fn bytes(self) -> u64 {
        match self {
            What::Small { size, .. } | What::Half { size, .. } | What::StoreSmall { size, .. } => size as u64,
            What::Dwords(n) | What::StoreDwords(n) => 4 * u64::from(n),
            What::Atomic(_, size) => size as u64,
        }
    }
}

/// An access of vector memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    pub(super) what: What,
    /// First register of what is stored.
    pub(super) data: u16,
    /// First register of what comes back.
    pub(super) d: u16,
    pub(super) kind: Kind,
    /// An atomic gives what was there.
    pub(super) returns: bool,
}

impl Wave {
    /// The lanes that run, in ascending order: that is the order in which lanes at one place
    /// see each other.
    pub(super) fn running(&self) -> impl Iterator<Item = usize> + use<> {
        let exec = self.exec();
        (0..64).filter(move |lane| exec[lane / 32] >> (lane % 32) & 1 == 1)
    }

    /// Does an access in every lane that runs. `place` gives the place of a lane's dword.
    pub(super) fn transfer(
        &mut self,
        how: Transfer,
        shared: &mut Shared<'_>,
        place: impl Fn(&Wave, usize, u64) -> Place,
    ) {
        let mut results = [[Lanes::ZERO; 2]; 4];
        for lane in self.running() {
            let read = self.transfer_lane(how, shared, lane, &place);
            for (result, value) in results.iter_mut().zip(read) {
                result[lane / 32].0[lane % 32] = value;
            }
        }
        let (count, mask) = match how.what {
            What::Small { .. } => (1, u32::MAX),
            What::Half { high, .. } => (1, if high { 0xffff_0000 } else { 0xffff }),
            What::Dwords(n) => (n, u32::MAX),
            What::Atomic(_, size) if how.returns => (size as u16 / 4, u32::MAX),
            _ => return,
        };
        let mut pending = Pending::new(how.kind, self.exec());
        pending.mask = mask;
        for (n, values) in (0..count).zip(results) {
            pending.vector(how.d + n, values);
        }
        self.bring(pending);
    }

    fn transfer_lane(
        &mut self,
        how: Transfer,
        shared: &mut Shared<'_>,
        lane: usize,
        place: &impl Fn(&Wave, usize, u64) -> Place,
    ) -> [u32; 4] {
        let mut read = [0; 4];
        match how.what {
            What::Small { size, signed } => {
                let at = place(self, lane, 0);
                read[0] = widened(self.load(at, size, lane, shared) as u32, size, signed);
            }
            What::Half { size, signed, high } => {
                let at = place(self, lane, 0);
                let value = widened(self.load(at, size, lane, shared) as u32, size, signed) & 0xffff;
                read[0] = if high { value << 16 } else { value };
            }
            What::Dwords(n) => {
                for (n, to) in (0..u64::from(n)).zip(&mut read) {
                    let at = place(self, lane, n);
                    *to = self.load(at, 4, lane, shared) as u32;
                }
            }
            What::StoreSmall { size, high } => {
                let value = self.vector(how.data, lane) >> if high { 16 } else { 0 };
                let at = place(self, lane, 0);
                self.store(at, size, value.into(), lane, shared);
            }
            What::StoreDwords(n) => {
                for n in 0..n {
                    let (value, at) = (self.vector(how.data + n, lane), place(self, lane, n.into()));
                    self.store(at, 4, value.into(), lane, shared);
                }
            }
            What::Atomic(atomic, size) => {
                let old = self.exchange(how, atomic, size, lane, place(self, lane, 0), shared);
                read[..2].copy_from_slice(&[old as u32, (old >> 32) as u32]);
            }
        }
        read
    }

    fn exchange(
        &mut self,
        how: Transfer,
        atomic: Atomic,
        size: usize,
        lane: usize,
        at: Place,
        shared: &mut Shared<'_>,
    ) -> u64 {
        let operand = |n: u16| self.number(how.data + n * (size as u16 / 4), size, lane);
        let (a, b) = (operand(0), if atomic.compares() { operand(1) } else { 0 });
        if at == Place::Outside {
            return 0;
        }
        let old = self.load(at, size, lane, shared);
        self.store(at, size, atomic.stored(size, old, a, b), lane, shared);
        old
    }

    /// One register or a pair as a number.
    pub(super) fn number(&self, register: u16, size: usize, lane: usize) -> u64 {
        let high = if size == 8 { self.vector(register + 1, lane) } else { 0 };
        u64::from(self.vector(register, lane)) | u64::from(high) << 32
    }

    /// Bytes at a place; zero and a fault where there are none.
    pub(super) fn load(&mut self, at: Place, size: usize, lane: usize, shared: &mut Shared<'_>) -> u64 {
        match at {
            Place::Outside => 0,
            Place::Lds(at) => bytes(shared.lds, at, size).map_or(0, |bytes| number(bytes)),
            Place::Scratch(at) => match bytes(&mut self.scratch, at, size) {
                Some(bytes) => number(bytes),
                None => self.missing(lane, PRIVATE_BASE | at),
            },
            Place::Memory(address) => match shared.memory.load(address, size) {
                Some(value) => value,
                None => self.missing(lane, address),
            },
        }
    }

    /// Stores bytes at a place; a fault where there are none.
    pub(super) fn store(&mut self, at: Place, size: usize, value: u64, lane: usize, shared: &mut Shared<'_>) {
        match at {
            Place::Outside => {}
            Place::Lds(at) => {
                if let Some(bytes) = bytes(shared.lds, at, size) {
                    bytes.copy_from_slice(&value.to_le_bytes()[..size]);
                }
            }
            Place::Scratch(at) => match bytes(&mut self.scratch, at, size) {
                Some(bytes) => bytes.copy_from_slice(&value.to_le_bytes()[..size]),
                None => {
                    self.missing(lane, PRIVATE_BASE | at);
                }
            },
            Place::Memory(address) => {
                if !shared.memory.store(address, size, value) {
                    self.missing(lane, address);
                }
            }
        }
    }

    fn missing(&mut self, lane: usize, address: u64) -> u64 {
        self.fault(lane, FaultKind::Address(address));
        0
    }

    /// FLAT, GLOBAL and SCRATCH.
    pub(super) fn by_address(&mut self, step: &Step, word: u64, shared: &mut Shared<'_>) {
        let op = (word >> 18 & 0x7f) as u32;
        let field = |low: u32| (word >> low & 255) as u16;
        let Some(what) = What::by_number(op).or(match op {
            0x16 => Some(What::Dwords(1)),
            0x17 => Some(What::StoreDwords(1)),
            _ => None,
        }) else {
            let text = self.text(step);
            return self.stop(FaultKind::Unknown(text));
        };
        let offset = ((word << 52) as i64 >> 52) as u64;
        let (vaddr, saddr) = (field(32), (word >> 48 & 127) as u16);
        let by_lane = matches!(op, 0x16 | 0x17);
        let flat = matches!(step.inst, Some((_, Op::Flat(_))));
        let kind = if flat { Kind::Flat } else { Kind::Plain };
        let how = Transfer { what, data: field(40), d: field(56), kind, returns: word >> 16 & 1 == 1 };
        if matches!(step.inst, Some((_, Op::Scratch(_)))) {
            return self
                .transfer(how, shared, |wave, lane, n| wave.scratch_place([vaddr, saddr], offset, lane, n));
        }
        self.transfer(how, shared, |wave, lane, n| {
            let base = match saddr {
                _ if by_lane => wave.scalar_pair(saddr) + 4 * lane as u64,
                code::NULL => wave.number(vaddr, 8, lane),
                _ if flat => wave.number(vaddr, 8, lane),
                _ => wave.scalar_pair(saddr).wrapping_add(wave.vector(vaddr, lane).into()),
            };
            let address = base.wrapping_add(if flat { 0 } else { offset }).wrapping_add(4 * n);
            if flat { wave.flat_place(address, lane) } else { Place::Memory(address) }
        });
    }

    /// A flat address: LDS, scratch or memory.
    fn flat_place(&self, address: u64, lane: usize) -> Place {
        match address >> 32 << 32 {
            SHARED_BASE => Place::Lds(address & 0xffff_ffff),
            PRIVATE_BASE => Place::Scratch(self.swizzled(address & 0xffff_ffff, lane)),
            _ => Place::Memory(address),
        }
    }

    /// A scratch address: one of two registers, or neither, plus the offset.
    fn scratch_place(&self, [vaddr, saddr]: [u16; 2], offset: u64, lane: usize, n: u64) -> Place {
        let base = match saddr {
            code::NULL => self.vector(vaddr, lane),
            code::EXEC_HI => 0,
            _ => self.scalar(saddr),
        };
        let at = u64::from(base).wrapping_add(offset).wrapping_add(4 * n) & 0xffff_ffff;
        Place::Scratch(self.swizzled(at, lane))
    }

    /// Dwords of the lanes stand side by side; each dword of a larger access by itself. [assumed]
    fn swizzled(&self, at: u64, lane: usize) -> u64 {
        let lanes = u64::from(self.program.wave());
        (at / 4) * 4 * lanes + lane as u64 * 4 + at % 4
    }
}

fn bytes(all: &mut [u8], at: u64, size: usize) -> Option<&mut [u8]> {
    let at = usize::try_from(at).ok()?;
    all.get_mut(at..at.checked_add(size)?)
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

pub(super) fn widened(value: u32, size: usize, signed: bool) -> u32 {
    let unused = 32 - 8 * size as u32;
    if signed { ((value << unused) as i32 >> unused) as u32 } else { value }
}
