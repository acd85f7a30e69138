//! Buffers by descriptor: addresses and range checks (spec sections 8.3 and 9.1).

use super::fault::FaultKind;
use super::group::Shared;
use super::pending::Kind;
use super::program::Step;
use super::vector::{Place, Transfer, What};
use super::wave::Wave;
use crate::exec::constant_bits;
use crate::operand::constant::Number;

/// A buffer's descriptor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Descriptor {
    pub(super) base: u64,
    pub(super) stride: u64,
    pub(super) records: u64,
    swizzled: bool,
    index_stride: u64,
    element: u64,
    add_lane: bool,
    check: u32,
}

/// Where in a buffer a lane is.
#[derive(Clone, Copy, Debug)]
struct At {
    index: u64,
    offset: u64,
}

/// The descriptor of plain bytes, as drivers build it: no stride, every access checked by its end.
#[must_use]
pub fn raw_buffer(base: u64, bytes: u32) -> [u32; 4] {
    [base as u32, (base >> 32) as u32 & 0xffff, bytes, 0x3101_6fac]
}

impl Descriptor {
    pub(super) fn new(words: [u32; 4]) -> Descriptor {
        Descriptor {
            base: u64::from(words[0]) | u64::from(words[1] & 0xffff) << 32,
            stride: (words[1] >> 16 & 0x3fff).into(),
            records: words[2].into(),
            swizzled: words[1] >> 31 == 1,
            index_stride: 8 << (words[3] >> 21 & 3),
            // The size of an element went with gfx9; four bytes since. [assumed]
            element: 4,
            add_lane: words[3] >> 23 & 1 == 1,
            check: words[3] >> 28 & 3,
        }
    }

    fn is_outside(&self, at: At, size: u64) -> bool {
        match self.check {
            0 => at.index >= self.records || self.stride != 0 && at.offset >= self.stride,
            1 => at.index >= self.records,
            2 => self.records == 0,
            _ if self.swizzled && self.stride != 0 => {
                at.index >= self.records || at.offset + size > self.stride
            }
            _ => self.stride * at.index + at.offset + size > self.records,
        }
    }

    fn address(&self, at: At) -> u64 {
        let inside = if self.swizzled {
            let (group, member) = (at.index / self.index_stride, at.index % self.index_stride);
            let element = at.offset / self.element;
            group * self.index_stride * self.stride
                + element * self.index_stride * self.element
                + member * self.element
                + at.offset % self.element
        } else {
            self.stride * at.index + at.offset
        };
        self.base.wrapping_add(inside)
    }
}

impl Wave {
    pub(super) fn descriptor(&self, first: u16) -> Descriptor {
        Descriptor::new([0, 1, 2, 3].map(|n| self.scalar(first + n)))
    }

    /// MUBUF. Typed accesses are not there yet.
    pub(super) fn buffer(&mut self, step: &Step, word: u64, shared: &mut Shared<'_>) {
        let op = (word >> 18 & 255) as u32;
        let typed = word >> 26 & 63 == 0b111010;
        // The caches have nothing to invalidate.
        if !typed && matches!(op, 0x71 | 0x72) {
            return;
        }
        let Some(what) = What::by_number(op).filter(|_| !typed && word >> 16 & 1 == 0) else {
            let text = self.text(step);
            return self.stop(FaultKind::Unknown(text));
        };
        let descriptor = self.descriptor((word >> 48 & 31) as u16 * 4);
        let (indexed, offset_by) = (word >> 13 & 1 == 1, word >> 12 & 1 == 1);
        let (vaddr, data) = ((word >> 32 & 255) as u16, (word >> 40 & 255) as u16);
        let step_by = match (word >> 56) as u16 {
            n @ 0..=127 => self.scalar(n),
            n => constant_bits(n, Number::Word) as u32,
        };
        let fixed = word & 0xfff;
        let how = Transfer { what, data, d: data, kind: Kind::Plain, returns: word >> 14 & 1 == 1 };
        self.transfer(how, shared, |wave, lane, n| {
            let index = if indexed { wave.vector(vaddr, lane) } else { 0 };
            let index = u64::from(index) + if descriptor.add_lane { lane as u64 } else { 0 };
            let own = if offset_by { wave.vector(vaddr + u16::from(indexed), lane) } else { 0 };
            let offset = u64::from(own) + fixed;
            if descriptor.is_outside(At { index, offset }, what.bytes()) {
                return Place::Outside;
            }
            let address = descriptor.address(At { index, offset: offset + 4 * n });
            Place::Memory(address.wrapping_add(step_by.into()))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{At, Descriptor};

    /// A descriptor of 10 records by its check and stride.
    fn descriptor(check: u32, stride: u32, swizzled: bool) -> Descriptor {
        Descriptor::new([0x1000, stride << 16 | u32::from(swizzled) << 31, 10, check << 28])
    }

    /// Spec section 9.1: the last place that is inside, and the first that is not.
    #[test]
    fn what_is_outside_depends_on_the_check() {
        let rows = [
            (0, 16, false, (9, 15), (9, 16)),
            (0, 16, false, (9, 0), (10, 0)),
            (0, 0, false, (9, 1 << 20), (10, 0)),
            (1, 16, false, (9, 99), (10, 0)),
            (3, 0, false, (0, 6), (0, 7)),
            (3, 16, true, (9, 12), (9, 13)),
            (3, 16, true, (9, 0), (10, 0)),
        ];
        for (check, stride, swizzled, inside, outside) in rows {
            let descriptor = descriptor(check, stride, swizzled);
            let is_outside = |(index, offset)| descriptor.is_outside(At { index, offset }, 4);
            assert!(!is_outside(inside), "{check} {stride}: {inside:?}");
            assert!(is_outside(outside), "{check} {stride}: {outside:?}");
        }
        let any = At { index: 1 << 20, offset: 1 << 20 };
        assert!(!descriptor(2, 16, false).is_outside(any, 4));
        assert!(Descriptor::new([0, 0, 0, 2 << 28]).is_outside(At { index: 0, offset: 0 }, 4));
    }

    #[test]
    fn places_follow_stride_and_swizzle() {
        let at = At { index: 9, offset: 6 };
        assert_eq!(descriptor(0, 16, false).address(at), 0x1000 + 9 * 16 + 6);
        // Groups of eight records, elements of four bytes: group 1, element 1, member 1, byte 2.
        assert_eq!(descriptor(0, 16, true).address(at), 0x1000 + 8 * 16 + 8 * 4 + 4 + 2);
    }
}
