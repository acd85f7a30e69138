//! Vector memory: loads, stores and atomics of lanes at places of their own, and the places of
//! flat, global and scratch addresses (spec sections 8.4 and 9.3).

use chiaro_sim::Lanes;
use chiaro_sim::mapped::{number, put};

use super::atomic::Atomic;
use super::config::Misaligned;
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
    /// Byte of scratch of a lane, where a dword must not begin.
    Misaligned(u64),
}

impl Place {
    /// The place of dword `n` of an access that begins here. In memory they are so many bytes apart;
    /// in scratch the dwords of so many lanes stand side by side.
    fn dword(self, n: u64, apart: u64, lanes: u8) -> Place {
        match self {
            Place::Memory(at) => Place::Memory(at.wrapping_add(n * apart)),
            Place::Lds(at) => Place::Lds(at + 4 * n),
            Place::Scratch(at) => Place::Scratch(at + 4 * n * u64::from(lanes)),
            Place::Outside | Place::Misaligned(_) => self,
        }
    }
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
    /// Bytes from a dword of a lane's to the next, in memory.
    pub(super) apart: u64,
}

/// A lane's word of what stands in both halves.
#[inline]
pub(super) fn in_lane(halves: &[Lanes; 2], lane: usize) -> u32 {
    halves[lane / 32 & 1].0[lane % 32]
}

impl Transfer {
    /// Registers that come back, and which bits of them.
    fn results(&self) -> (u16, u32) {
        match self.what {
            What::Small { .. } => (1, u32::MAX),
            What::Half { high, .. } => (1, if high { 0xffff_0000 } else { 0xffff }),
            What::Dwords(n) => (n, u32::MAX),
            What::Atomic(_, size) if self.returns => (size as u16 / 4, u32::MAX),
            _ => (0, u32::MAX),
        }
    }
}

impl Wave {
    /// The lanes that run, in ascending order: that is the order in which lanes at one place
    /// see each other.
    pub(super) fn running(&self) -> impl Iterator<Item = usize> + use<> {
        let [low, high] = self.exec();
        let mut left = u64::from(low) | u64::from(high) << 32;
        std::iter::from_fn(move || {
            let lane = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (lane < 64).then_some(lane)
        })
    }

    /// Does an access in every lane that runs. `place` says where a lane's access begins.
    pub(super) fn transfer(
        &mut self,
        how: Transfer,
        shared: &mut Shared<'_>,
        place: impl Fn(&Wave, usize) -> Place,
    ) {
        let mut pending = self.load_of(how.kind);
        let (count, mask) = how.results();
        pending.mask = mask;
        (0..count).for_each(|n| pending.vector(how.d + n, [Lanes::ZERO; 2]));
        if let What::Dwords(_) = how.what {
            self.load_dwords(how, &mut pending, shared, place);
            return self.bring(pending);
        }
        for lane in self.running() {
            let at = place(self, lane);
            match how.what {
                What::StoreSmall { .. } | What::StoreDwords(_) => self.store_lane(how, at, lane, shared),
                _ => {
                    let read = self.load_lane(how, at, lane, shared);
                    for ((_, values), value) in pending.vectors.iter_mut().zip(read) {
                        values[lane / 32].0[lane % 32] = value;
                    }
                }
            }
        }
        if count > 0 {
            self.bring(pending);
        }
    }

    /// The same for whole dwords, of which there are most.
    fn load_dwords(
        &mut self,
        how: Transfer,
        pending: &mut Pending,
        shared: &mut Shared<'_>,
        place: impl Fn(&Wave, usize) -> Place,
    ) {
        let (count, side_by_side) = (pending.vectors.len(), self.side_by_side());
        for lane in self.running() {
            let at = place(self, lane);
            if at == Place::Outside {
                continue;
            }
            let (half, lane_of_half) = (lane / 32 & 1, lane % 32);
            // Word by word where steps are kept with the memory that they touch.
            let whole = together(at, 4 * count, how.apart, shared).filter(|_| self.trace.is_none());
            if let Some(bytes) = whole {
                for ((_, to), dword) in pending.vectors.iter_mut().zip(bytes.as_chunks().0) {
                    to[half].0[lane_of_half] = u32::from_le_bytes(*dword);
                }
                continue;
            }
            for (n, (_, to)) in (0..).zip(&mut pending.vectors) {
                let dword = self.load(at.dword(n, how.apart, side_by_side), 4, lane, shared);
                to[half].0[lane_of_half] = dword as u32;
            }
        }
    }

    fn load_lane(&mut self, how: Transfer, at: Place, lane: usize, shared: &mut Shared<'_>) -> [u32; 2] {
        let mut read = [0; 2];
        match how.what {
            What::Small { size, signed } => {
                read[0] = widened(self.load(at, size, lane, shared) as u32, size, signed);
            }
            What::Half { size, signed, high } => {
                let value = widened(self.load(at, size, lane, shared) as u32, size, signed) & 0xffff;
                read[0] = if high { value << 16 } else { value };
            }
            What::Atomic(atomic, size) => {
                let old = self.exchange(how, atomic, size, lane, at, shared);
                read = [old as u32, (old >> 32) as u32];
            }
            What::Dwords(_) | What::StoreSmall { .. } | What::StoreDwords(_) => {}
        }
        read
    }

    fn store_lane(&mut self, how: Transfer, at: Place, lane: usize, shared: &mut Shared<'_>) {
        match how.what {
            What::StoreSmall { size, high } => {
                let value = self.vector(how.data, lane) >> if high { 16 } else { 0 };
                self.store(at, size, value.into(), lane, shared);
            }
            What::StoreDwords(n) => {
                let whole = together(at, 4 * usize::from(n), how.apart, shared);
                if let Some(bytes) = whole.filter(|_| self.trace.is_none()) {
                    for (n, room) in (0..).zip(bytes.chunks_exact_mut(4)) {
                        room.copy_from_slice(&self.vector(how.data + n, lane).to_le_bytes());
                    }
                    return;
                }
                for n in 0..n {
                    let value = self.vector(how.data + n, lane);
                    let to = at.dword(n.into(), how.apart, self.side_by_side());
                    self.store(to, 4, value.into(), lane, shared);
                }
            }
            _ => {}
        }
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
        let new = atomic.stored(size, old, a, b);
        self.store(at, size, new, lane, shared);
        if let Place::Memory(address) = at {
            shared.taken.note(address, [old, new], self.number, lane);
        }
        old
    }

    /// One register or a pair as a number.
    pub(super) fn number(&self, register: u16, size: usize, lane: usize) -> u64 {
        let high = if size == 8 { self.vector(register + 1, lane) } else { 0 };
        u64::from(self.vector(register, lane)) | u64::from(high) << 32
    }

    /// Bytes at a place; zero and a fault where there are none.
    #[inline]
    pub(super) fn load(&mut self, at: Place, size: usize, lane: usize, shared: &mut Shared<'_>) -> u64 {
        let found = match at {
            Place::Outside => return 0,
            Place::Misaligned(_) => None,
            Place::Lds(at) => Some(bytes(shared.lds, at, size).map_or(0, |bytes| number(bytes))),
            Place::Scratch(at) => bytes(&mut self.scratch, at, size).map(|bytes| number(bytes)),
            Place::Memory(at) => {
                shared.memory.get_near(&mut shared.near, at, size).map(|bytes| number(bytes))
            }
        };
        let Some(value) = found else { return self.missing(lane, at) };
        if self.trace.is_some() {
            self.touch(at, lane, (size, value), false);
        }
        value
    }

    /// Stores bytes at a place; a fault where there are none.
    #[inline]
    pub(super) fn store(&mut self, at: Place, size: usize, value: u64, lane: usize, shared: &mut Shared<'_>) {
        let room = match at {
            Place::Outside => return,
            Place::Misaligned(_) => None,
            Place::Lds(at) => match bytes(shared.lds, at, size) {
                Some(room) => Some(room),
                None => return,
            },
            Place::Scratch(at) => bytes(&mut self.scratch, at, size),
            Place::Memory(at) => shared.memory.get_near(&mut shared.near, at, size),
        };
        let Some(room) = room else {
            self.missing(lane, at);
            return;
        };
        put(value, room);
        if self.trace.is_some() {
            self.touch(at, lane, (size, value), true);
        }
    }

    fn missing(&mut self, lane: usize, at: Place) -> u64 {
        let address = match at {
            Place::Scratch(at) => PRIVATE_BASE | at,
            Place::Memory(at) | Place::Lds(at) => at,
            Place::Outside => 0,
            Place::Misaligned(at) => {
                self.fault(lane, FaultKind::Misaligned(at));
                return 0;
            }
        };
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
            return self.refuse(step);
        };
        let offset = ((word << 52) as i64 >> 52) as u64;
        let (vaddr, saddr) = (field(32), (word >> 48 & 127) as u16);
        let by_lane = matches!(op, 0x16 | 0x17);
        let flat = matches!(step.inst, Some((_, Op::Flat(_))));
        let kind = if flat { Kind::Flat } else { Kind::Plain };
        let (returns, apart) = (word >> 16 & 1 == 1, 4);
        let how = Transfer { what, data: field(40), d: field(56), kind, returns, apart };
        if matches!(step.inst, Some((_, Op::Scratch(_)))) {
            return self.transfer(how, shared, |wave, lane| {
                wave.scratch_place([vaddr, saddr], offset, what.bytes(), lane)
            });
        }
        self.transfer(how, shared, |wave, lane| {
            let base = match saddr {
                _ if by_lane => wave.scalar_pair(saddr) + 4 * lane as u64,
                code::NULL => wave.number(vaddr, 8, lane),
                _ if flat => wave.number(vaddr, 8, lane),
                _ => wave.scalar_pair(saddr).wrapping_add(wave.vector(vaddr, lane).into()),
            };
            let address = base.wrapping_add(if flat { 0 } else { offset });
            if flat { wave.flat_place(address, what.bytes(), lane) } else { Place::Memory(address) }
        });
    }

    /// A flat address: LDS, scratch or memory.
    fn flat_place(&self, address: u64, bytes: u64, lane: usize) -> Place {
        match address >> 32 << 32 {
            SHARED_BASE => Place::Lds(address & 0xffff_ffff),
            PRIVATE_BASE => self.swizzled(address & 0xffff_ffff, bytes, lane),
            _ => Place::Memory(address),
        }
    }

    /// A scratch address: one of two registers, or neither, plus the offset.
    fn scratch_place(&self, [vaddr, saddr]: [u16; 2], offset: u64, bytes: u64, lane: usize) -> Place {
        let base = match saddr {
            code::NULL => self.vector(vaddr, lane),
            code::EXEC_HI => 0,
            _ => self.scalar(saddr),
        };
        let at = u64::from(base).wrapping_add(offset) & 0xffff_ffff;
        self.swizzled(at, bytes, lane)
    }

    /// Dwords of the lanes stand side by side; an access of whole ones has to begin at one. [assumed]
    fn swizzled(&self, at: u64, bytes: u64, lane: usize) -> Place {
        let lanes = u64::from(self.program.wave());
        let within = match self.config.misaligned {
            _ if bytes < 4 || at.is_multiple_of(4) => at % 4,
            Misaligned::Bytes => at % 4,
            Misaligned::Aligned => 0,
            Misaligned::Fault => return Place::Misaligned(at),
        };
        Place::Scratch((at / 4) * 4 * lanes + lane as u64 * 4 + within)
    }

    /// Lanes whose dwords of scratch lie between a dword of an access and its next. [assumed]
    fn side_by_side(&self) -> u8 {
        if self.config.scratch_together { 1 } else { self.lanes() }
    }
}

/// The bytes of several dwords where they all lie one behind the other.
#[inline]
fn together<'s>(at: Place, size: usize, apart: u64, shared: &'s mut Shared<'_>) -> Option<&'s mut [u8]> {
    match at {
        Place::Lds(at) => bytes(shared.lds, at, size),
        Place::Memory(at) if apart == 4 => shared.memory.get_near(&mut shared.near, at, size),
        _ => None,
    }
}

#[inline]
fn bytes(all: &mut [u8], at: u64, size: usize) -> Option<&mut [u8]> {
    let at = usize::try_from(at).ok()?;
    all.get_mut(at..at.checked_add(size)?)
}

pub(super) fn widened(value: u32, size: usize, signed: bool) -> u32 {
    let unused = 32 - 8 * size as u32;
    if signed { ((value << unused) as i32 >> unused) as u32 } else { value }
}
