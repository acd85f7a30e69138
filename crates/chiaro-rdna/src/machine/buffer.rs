//! Buffers by descriptor: addresses and range checks (spec sections 8.3 and 9.1).

use chiaro_sim::Lanes;
use chiaro_sim::texel::TexelFormat;

use super::components::Components;
use super::fault::FaultKind;
use super::format;
use super::group::Shared;
use super::pending::Kind;
use super::program::Step;
use super::vector::{Place, Transfer, What, in_lane, widened};
use super::wave::Wave;
use crate::exec::constant_bits;
use crate::operand::constant::Number;
use crate::regs::code;

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
    /// Number of the format, and where each component comes from.
    format: u32,
    select: u32,
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

/// The descriptor of elements of some bytes in a format (spec section 8.3), checked by their number.
#[must_use]
pub fn typed_buffer(base: u64, format: u32, stride: u32, records: u32) -> [u32; 4] {
    let [low, high] = [base as u32, (base >> 32) as u32 & 0xffff];
    [low, high | stride << 16, records, 0xfac | format << 12 | 1 << 24]
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
            format: words[3] >> 12 & 127,
            select: words[3] & 0xfff,
        }
    }

    /// Bytes from a dword of an access to the next.
    fn apart(&self) -> u64 {
        if self.swizzled { self.index_stride * self.element } else { 4 }
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

    /// MUBUF and MTBUF.
    pub(super) fn buffer(&mut self, step: &Step, word: u64, shared: &mut Shared<'_>) {
        let op = (word >> 18 & 255) as u32;
        let typed = word >> 26 & 63 == 0b111010;
        // The caches have nothing to invalidate.
        if !typed && matches!(op, 0x71 | 0x72) {
            return;
        }
        let access = Access::new(self, word);
        let to_lds = !typed && word >> 16 & 1 == 1;
        if let Some(how) = Typed::of(word, &access.descriptor).filter(|_| !to_lds) {
            return match how {
                Ok(how) => self.typed(how, &access, shared),
                Err(number) => self.stop(FaultKind::Unknown(format!("buffer format {number}"))),
            };
        }
        let Some(what) = What::by_number(op).filter(|_| !typed) else { return self.refuse(step) };
        match what {
            What::Small { .. } | What::Dwords(1) if to_lds => {
                return self.load_into_lds(what, &access, shared);
            }
            _ if to_lds => return self.refuse(step),
            _ => {}
        }
        let data = access.data;
        let (returns, apart) = (word >> 14 & 1 == 1, access.descriptor.apart());
        let how = Transfer { what, data, d: data, kind: Kind::Plain, returns, apart };
        self.transfer(how, shared, |_, lane| access.place(lane, what.bytes()));
    }

    /// A load straight into LDS: the lanes' dwords side by side from m0 and the offset on. They are there
    /// at once, so that reading them before vmcnt says so shows nothing. [AMD's manual of GCN3; assumed]
    fn load_into_lds(&mut self, what: What, access: &Access, shared: &mut Shared<'_>) {
        let base = u64::from(self.scalar(code::M0) & 0xffff) + access.fixed;
        for lane in self.running() {
            let read =
                self.load(access.place(lane, what.bytes()), what.bytes() as usize, lane, shared) as u32;
            let value = match what {
                What::Small { size, signed } => widened(read, size, signed),
                _ => read,
            };
            self.store(Place::Lds(base + 4 * lane as u64), 4, value.into(), lane, shared);
        }
        // It brings no register, but vmcnt counts it.
        let pending = self.load_of(Kind::Plain);
        self.bring(pending);
    }

    /// Loads and stores of components in a format.
    fn typed(&mut self, how: Typed, access: &Access, shared: &mut Shared<'_>) {
        let bytes = how.format.bytes();
        let mut results = [[Lanes::ZERO; 2]; 4];
        for lane in self.running() {
            let at = match access.place(lane, bytes as u64) {
                Place::Memory(at) => Some(at),
                _ => None,
            };
            let place =
                at.map(|at| shared.memory.get_near(&mut shared.near, at, bytes).ok_or(at)).transpose();
            let place = match place {
                Ok(place) => place,
                Err(address) => {
                    self.fault(lane, FaultKind::Address(address));
                    continue;
                }
            };
            if how.stores {
                let components = how.stored(self, access.data, lane);
                let written = how.format.write(components, true);
                place.into_iter().for_each(|room| room.copy_from_slice(&written));
                at.into_iter().for_each(|at| self.touch_all(at, lane, &written, true));
                continue;
            }
            if let (Some(at), Some(bytes), true) = (at, place.as_deref(), self.trace.is_some()) {
                let bytes = bytes.to_vec();
                self.touch_all(at, lane, &bytes, false);
            }
            // Outside of the buffer all components are zero. [the last one may be 1; assumed]
            let read =
                place.map_or([0; 4], |bytes| format::selected(how.format, bytes, access.descriptor.select));
            for (n, component) in read.into_iter().take(how.count).enumerate() {
                how.components.write(&mut results, lane, n + usize::from(how.upper), component);
            }
            if how.upper {
                results[0][lane / 32].0[lane % 32] |= self.vector(access.data, lane) & 0xffff;
            }
        }
        if how.stores {
            return;
        }
        let mut pending = self.load_of(Kind::Plain);
        for (register, values) in (access.data..).zip(results).take(how.components.registers(how.count)) {
            pending.vector(register & 255, values);
        }
        self.bring(pending);
    }
}

/// Where the lanes of an access lie.
struct Access {
    descriptor: Descriptor,
    /// Zeros where the instruction has none.
    index: [Lanes; 2],
    offset: [Lanes; 2],
    data: u16,
    step: u64,
    fixed: u64,
}

impl Access {
    fn new(wave: &Wave, word: u64) -> Access {
        let step = match (word >> 56) as u16 {
            n @ 0..=127 => wave.scalar(n),
            n => constant_bits(n, Number::Word) as u32,
        };
        let (indexed, address) = (word >> 13 & 1 == 1, (word >> 32 & 255) as u16);
        let lanes = |there: bool, n: u16| if there { wave.both(n) } else { [Lanes::ZERO; 2] };
        Access {
            descriptor: wave.descriptor((word >> 48 & 31) as u16 * 4),
            index: lanes(indexed, address),
            offset: lanes(word >> 12 & 1 == 1, address + u16::from(indexed)),
            data: (word >> 40 & 255) as u16,
            step: step.into(),
            fixed: word & 0xfff,
        }
    }

    /// Where a lane's access of so many bytes begins.
    #[inline]
    fn place(&self, lane: usize, bytes: u64) -> Place {
        let index =
            u64::from(in_lane(&self.index, lane)) + if self.descriptor.add_lane { lane as u64 } else { 0 };
        let offset = u64::from(in_lane(&self.offset, lane)) + self.fixed;
        if self.descriptor.is_outside(At { index, offset }, bytes) {
            return Place::Outside;
        }
        let address = self.descriptor.address(At { index, offset });
        Place::Memory(address.wrapping_add(self.step))
    }
}

/// An access in a format.
#[derive(Clone, Copy)]
struct Typed {
    format: TexelFormat,
    stores: bool,
    count: usize,
    components: Components,
    /// The component is in the upper half of its register; the lower one stays.
    upper: bool,
}

impl Typed {
    /// By its word; the number of a format that is none.
    fn of(word: u64, descriptor: &Descriptor) -> Option<Result<Typed, u32>> {
        let op = (word >> 18 & 255) as u32;
        let upper = word >> 26 & 63 == 0b111000 && matches!(op, 0x26 | 0x27);
        let (op, short, number) = if word >> 26 & 63 == 0b111010 {
            let op = (word >> 16 & 7 | (word >> 53 & 1) << 3) as u32;
            (op & 7, op >= 8, (word >> 19 & 127) as u32)
        } else {
            match op {
                0x00..=0x07 => (op, false, descriptor.format),
                0x80..=0x87 => (op & 7, true, descriptor.format),
                0x26 | 0x27 => ((op & 1) << 2, true, descriptor.format),
                _ => return None,
            }
        };
        let count = (op & 3) as usize + 1;
        let made = |format: TexelFormat| {
            let components = Components { short, integer: format.is_integer() };
            Typed { format, stores: op >= 4, count, components, upper }
        };
        Some(format::numbered(number).map(made).ok_or(number))
    }

    fn stored(&self, wave: &Wave, data: u16, lane: usize) -> [u32; 4] {
        let mut components = [0; 4];
        for (n, to) in (0_u16..).zip(&mut components[..self.count]) {
            *to = self.components.read(wave, data, n + u16::from(self.upper), lane);
        }
        components
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
    fn elements_are_checked_by_their_number() {
        let descriptor = Descriptor::new(super::typed_buffer(0x1_2345_6780, 77, 16, 10));
        assert_eq!((descriptor.base, descriptor.stride, descriptor.format), (0x1_2345_6780, 16, 77));
        assert_eq!(descriptor.select, 0xfac);
        assert!(!descriptor.is_outside(At { index: 9, offset: 0 }, 16));
        assert!(descriptor.is_outside(At { index: 10, offset: 0 }, 16));
    }

    #[test]
    fn places_follow_stride_and_swizzle() {
        let at = At { index: 9, offset: 6 };
        assert_eq!(descriptor(0, 16, false).address(at), 0x1000 + 9 * 16 + 6);
        // Groups of eight records, elements of four bytes: group 1, element 1, member 1, byte 2.
        assert_eq!(descriptor(0, 16, true).address(at), 0x1000 + 8 * 16 + 8 * 4 + 4 + 2);
    }
}
