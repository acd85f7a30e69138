//! LDS (spec sections 8.1 and 8.2), and GDS, which is taken to be the same for all groups.

use chiaro_sim::Lanes;

use super::atomic::Atomic;
use super::group::Shared;
use super::pending::Kind;
use super::program::Step;
use super::vector::{Place, Transfer, What, in_lane};
use super::wave::Wave;
use crate::isa::ds::Ds;
use crate::regs::code;

/// The fields of an LDS instruction.
#[derive(Clone, Copy)]
struct Fields {
    op: u32,
    offsets: [u64; 2],
    address: u16,
    data: [u16; 2],
    d: u16,
    kind: Kind,
}

impl Fields {
    fn new(word: u64) -> Fields {
        let field = |low: u32| (word >> low & 255) as u16;
        Fields {
            op: (word >> 18 & 255) as u32,
            offsets: [word & 255, word >> 8 & 255],
            address: field(32),
            data: [field(40), field(48)],
            d: field(56),
            kind: if word >> 17 & 1 == 1 { Kind::Gds } else { Kind::Lds },
        }
    }

    /// One offset of 16 bits.
    fn offset(&self) -> u64 {
        self.offsets[0] | self.offsets[1] << 8
    }
}

impl Wave {
    pub(super) fn shared_memory(&mut self, op: Ds, step: &Step, word: u64, shared: &mut Shared<'_>) {
        let i = Fields::new(word);
        let (waits_for_groups, global) = (matches!(i.op, 0x18..=0x1d | 0x3f), i.kind == Kind::Gds);
        if waits_for_groups {
            // Groups run one behind the other: none can wait for another.
            return self.refuse(step);
        }
        if global {
            std::mem::swap(&mut shared.lds, &mut shared.gds);
        }
        self.shared_access(op, i, step, shared);
        if global {
            std::mem::swap(&mut shared.lds, &mut shared.gds);
        }
    }

    fn shared_access(&mut self, op: Ds, i: Fields, step: &Step, shared: &mut Shared<'_>) {
        let before = self.brought;
        match op {
            Ds::Nop => return,
            Ds::SwizzleB32 => self.swizzle(i),
            Ds::PermuteB32 => self.push(i),
            Ds::BpermuteB32 => self.pull(i),
            Ds::Append | Ds::Consume => self.count(i, op == Ds::Append, shared),
            _ => self.lds(i, step, shared),
        }
        // A store brings no register, but lgkmcnt counts it (spec section 10.1).
        if self.brought == before {
            let pending = self.load_of(i.kind);
            self.bring(pending);
        }
    }

    fn lds(&mut self, i: Fields, step: &Step, shared: &mut Shared<'_>) {
        let (size, two) = match i.op {
            0x0e | 0x0f | 0x2e | 0x2f | 0x37 | 0x38 => (4, true),
            0x4e | 0x4f | 0x6e | 0x6f | 0x77 | 0x78 => (8, true),
            _ => (0, false),
        };
        if two {
            return self.two(i, size, shared);
        }
        if matches!(i.op, 0xb0 | 0xb1) {
            return self.by_lane(i, shared);
        }
        let Some(what) = single(i.op) else { return self.atomic(i, step, shared) };
        let how = Transfer { what, data: i.data[0], d: i.d, kind: i.kind, returns: false, apart: 4 };
        let (offset, addresses) = (i.offset(), self.both(i.address));
        self.transfer(how, shared, |_, lane| lds_place(&addresses, lane, offset));
    }

    fn by_lane(&mut self, i: Fields, shared: &mut Shared<'_>) {
        let what = if i.op == 0xb0 { What::StoreDwords(1) } else { What::Dwords(1) };
        let how = Transfer { what, data: i.data[0], d: i.d, kind: i.kind, returns: false, apart: 4 };
        let base = u64::from(self.scalar(code::M0) & 0xffff) + i.offset();
        self.transfer(how, shared, |_, lane| Place::Lds(base + 4 * lane as u64));
    }

    /// Two places: reads, writes, exchanges.
    fn two(&mut self, i: Fields, size: usize, shared: &mut Shared<'_>) {
        let far = matches!(i.op & 0x3f, 0x0f | 0x2f | 0x38);
        let unit = size as u64 * if far { 64 } else { 1 };
        let (reads, writes) = (i.op & 0x30 != 0, i.op & 0x30 != 0x30);
        let words = size as u16 / 4;
        let (mut results, addresses) = ([[Lanes::ZERO; 2]; 4], self.both(i.address));
        for lane in self.running() {
            for n in 0..2_usize {
                let at = lds_place(&addresses, lane, i.offsets[n] * unit);
                if reads {
                    let old = self.load(at, size, lane, shared);
                    for word in 0..usize::from(words) {
                        let to = &mut results[n * usize::from(words) + word];
                        to[lane / 32].0[lane % 32] = (old >> (32 * word)) as u32;
                    }
                }
                if writes {
                    let value = self.number(i.data[n], size, lane);
                    self.store(at, size, value, lane, shared);
                }
            }
        }
        if reads {
            self.bring_lds(i, &results[..2 * usize::from(words)]);
        }
    }

    fn bring_lds(&mut self, i: Fields, results: &[[Lanes; 2]]) {
        let mut pending = self.load_of(i.kind);
        for (n, values) in (0..).zip(results) {
            pending.vector(i.d + n, *values);
        }
        self.bring(pending);
    }

    fn atomic(&mut self, i: Fields, step: &Step, shared: &mut Shared<'_>) {
        let Some((atomic, size)) = atomic(i.op) else { return self.refuse(step) };
        let (mut results, addresses) = ([[Lanes::ZERO; 2]; 2], self.both(i.address));
        for lane in self.running() {
            let at = lds_place(&addresses, lane, i.offset());
            let old = self.load(at, size, lane, shared);
            let (first, second) = (self.number(i.data[0], size, lane), self.number(i.data[1], size, lane));
            // The first operand of a comparison is what is compared.
            let swapped = matches!(atomic, Atomic::CompareSwap | Atomic::CompareSwapFloat);
            let (a, b) = if swapped { (second, first) } else { (first, second) };
            self.store(at, size, atomic.stored(size, old, a, b), lane, shared);
            results[0][lane / 32].0[lane % 32] = old as u32;
            results[1][lane / 32].0[lane % 32] = (old >> 32) as u32;
        }
        if i.op & 0x20 != 0 || i.op == 0x55 {
            self.bring_lds(i, &results[..size / 4]);
        }
    }

    /// Lanes moved in a fixed pattern; lanes that do not run give zero.
    fn swizzle(&mut self, i: Fields) {
        let pattern = i.offset() as u32;
        self.moved(i, |_, lane| Some(swizzled(pattern, lane as u32) as usize));
    }

    /// Each lane reads the lane that its address names, of its half.
    fn pull(&mut self, i: Fields) {
        let offset = i.offset() as u32;
        let i = Fields { data: [i.data[0]; 2], ..i };
        self.moved(i, |wave, lane| Some(wave.vector(i.address, lane).wrapping_add(offset) as usize / 4 % 32));
    }

    fn moved(&mut self, i: Fields, from: impl Fn(&Wave, usize) -> Option<usize>) {
        // ds_swizzle reads its address register, ds_bpermute its data.
        let source = if i.op == 0x35 { i.address } else { i.data[0] };
        let exec = self.exec();
        let mut result = [Lanes::ZERO; 2];
        for lane in self.running() {
            let Some(from) = from(self, lane) else { continue };
            if exec[lane / 32] >> from & 1 == 1 {
                result[lane / 32].0[lane % 32] = self.half(source, lane / 32).0[from];
            }
        }
        self.bring_lds(i, &[result]);
    }

    /// Each lane writes to the lane that its address names; the highest one wins.
    fn push(&mut self, i: Fields) {
        let offset = i.offset() as u32;
        let mut result = [Lanes::ZERO; 2];
        for lane in self.running() {
            let to = self.vector(i.address, lane).wrapping_add(offset) as usize / 4 % 32;
            result[lane / 32].0[to] = self.vector(i.data[0], lane);
        }
        self.bring_lds(i, &[result]);
    }

    /// A counter of the whole wave: the lanes that run are added, or taken away.
    fn count(&mut self, i: Fields, up: bool, shared: &mut Shared<'_>) {
        let at = Place::Lds(u64::from(self.scalar(code::M0) >> 16) + i.offset());
        let lanes: u32 = self.exec().iter().map(|half| half.count_ones()).sum();
        let old = self.load(at, 4, 0, shared) as u32;
        let new = if up { old.wrapping_add(lanes) } else { old.wrapping_sub(lanes) };
        self.store(at, 4, new.into(), 0, shared);
        self.bring_lds(i, &[[Lanes::splat(old); 2]]);
    }
}

#[inline]
fn lds_place(addresses: &[Lanes; 2], lane: usize, offset: u64) -> Place {
    Place::Lds(u64::from(in_lane(addresses, lane)) + offset)
}

/// Loads and stores of one place.
fn single(op: u32) -> Option<What> {
    Some(match op {
        0x0d => What::StoreDwords(1),
        0x4d => What::StoreDwords(2),
        0xde => What::StoreDwords(3),
        0xdf => What::StoreDwords(4),
        0x1e => What::StoreSmall { size: 1, high: false },
        0x1f => What::StoreSmall { size: 2, high: false },
        0xa0 => What::StoreSmall { size: 1, high: true },
        0xa1 => What::StoreSmall { size: 2, high: true },
        0x36 => What::Dwords(1),
        0x76 => What::Dwords(2),
        0xfe => What::Dwords(3),
        0xff => What::Dwords(4),
        0x39 => What::Small { size: 1, signed: true },
        0x3a => What::Small { size: 1, signed: false },
        0x3b => What::Small { size: 2, signed: true },
        0x3c => What::Small { size: 2, signed: false },
        0xa2..=0xa7 => What::Half {
            size: if op < 0xa6 { 1 } else { 2 },
            signed: matches!(op, 0xa4 | 0xa5),
            high: op & 1 == 1,
        },
        _ => return None,
    })
}

/// Atomics, with their bytes.
fn atomic(op: u32) -> Option<(Atomic, usize)> {
    let size = if op & 0x40 == 0 { 4 } else { 8 };
    let found = match (op & 0x1f, op & 0x20 != 0) {
        _ if op > 0x7f => return None,
        (0x00, _) => Atomic::Add,
        (0x01, _) => Atomic::Sub,
        (0x02, _) => Atomic::SubReverse,
        (0x03, _) => Atomic::Inc,
        (0x04, _) => Atomic::Dec,
        (0x05, _) => Atomic::MinS,
        (0x06, _) => Atomic::MaxS,
        (0x07, _) => Atomic::MinU,
        (0x08, _) => Atomic::MaxU,
        (0x09, _) => Atomic::And,
        (0x0a, _) => Atomic::Or,
        (0x0b, _) => Atomic::Xor,
        (0x0c, _) => Atomic::MaskOr,
        (0x0d, true) => Atomic::Swap,
        (0x10, _) => Atomic::CompareSwap,
        (0x11, _) => Atomic::CompareSwapFloat,
        (0x12, _) => Atomic::MinFloat,
        (0x13, _) => Atomic::MaxFloat,
        (0x14, true) if size == 4 => Atomic::Wrap,
        (0x1e, true) if size == 8 => Atomic::Conditional,
        (0x15, _) if op == 0x15 || op == 0x55 => Atomic::AddFloat,
        _ => return None,
    };
    // ds_add_rtn_f32 stands apart from the others with results.
    Some((found, if op == 0x55 { 4 } else { size }))
}

/// The lane of 32 that a lane reads (spec section 8.2).
fn swizzled(pattern: u32, lane: u32) -> u32 {
    let i = lane & 31;
    let from = match pattern >> 13 {
        0..=3 => (i & pattern | pattern >> 5 & 31) & 31 ^ pattern >> 10 & 31,
        4 => i & !3 | pattern >> (2 * (i & 3)) & 3,
        6 => {
            let (mask, n) = (pattern & 31, pattern >> 5 & 31);
            let turned = if pattern >> 10 & 1 == 0 { i.wrapping_add(n) } else { i.wrapping_sub(n) };
            i & mask | turned & !mask & 31
        }
        7 => {
            let mask = pattern & 31;
            i.reverse_bits() >> 27 >> mask.count_ones() | i & mask
        }
        _ => i,
    };
    from & 31
}
