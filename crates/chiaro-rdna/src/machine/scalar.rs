//! Scalar memory (spec section 5.6).

use chiaro_sim::mapped::number;

use super::fault::FaultKind;
use super::group::Shared;
use super::pending::Kind;
use super::run::first_lane;
use super::vector::Place;
use super::wave::Wave;
use crate::isa::smem::Smem;
use crate::regs::code;

impl Wave {
    pub(super) fn scalar_memory(&mut self, op: Smem, word: u64, shared: &mut Shared<'_>) {
        use Smem as S;
        let (count, buffer) = match op {
            S::LoadDword => (1, false),
            S::LoadDwordx2 => (2, false),
            S::LoadDwordx4 => (4, false),
            S::LoadDwordx8 => (8, false),
            S::LoadDwordx16 => (16, false),
            S::BufferLoadDword => (1, true),
            S::BufferLoadDwordx2 => (2, true),
            S::BufferLoadDwordx4 => (4, true),
            S::BufferLoadDwordx8 => (8, true),
            S::BufferLoadDwordx16 => (16, true),
            S::Memtime | S::Memrealtime => return self.clock((word >> 6 & 127) as u16),
            S::Gl1Inv | S::DcacheInv | S::AtcProbe | S::AtcProbeBuffer => return,
        };
        let base = (word & 63) as u16 * 2;
        let bytes = ((word >> 32 << 43) as i64 >> 43) as u64;
        let offset = bytes.wrapping_add(self.scalar((word >> 57) as u16).into());
        let (first, limit) = if buffer {
            let descriptor = self.descriptor(base);
            let records = descriptor.records * descriptor.stride.max(1);
            (descriptor.base, Some(records))
        } else {
            (self.scalar_pair(base), None)
        };
        let mut pending = self.load_of(Kind::Scalar);
        let register = (word >> 6 & 127) as u16;
        let registers = (register..).take_while(|register| *register < code::NULL).take(count);
        for (n, register) in (0_u64..).zip(registers) {
            let at = (offset & !3).wrapping_add(4 * n);
            let outside = limit.is_some_and(|limit| at.saturating_add(4) > limit);
            let value = if outside { 0 } else { self.scalar_word(first.wrapping_add(at) & !3, shared) };
            pending.scalar(register, value);
        }
        self.bring(pending);
    }

    fn scalar_word(&mut self, address: u64, shared: &mut Shared<'_>) -> u32 {
        match shared.memory.get_near(&mut shared.near, address, 4).map(|bytes| number(bytes)) {
            Some(bits) => {
                self.touch(Place::Memory(address), 0, (4, bits), false);
                bits as u32
            }
            None => {
                let lane = first_lane(self.exec());
                self.fault(lane, FaultKind::Address(address));
                0
            }
        }
    }

    /// The clock; the one of constant rate is taken to have the same rate. [unknown]
    fn clock(&mut self, register: u16) {
        let mut pending = self.load_of(Kind::Scalar);
        let now = self.now();
        pending.scalar(register, now as u32);
        pending.scalar(register + 1, (now >> 32) as u32);
        self.bring(pending);
    }
}
