//! Lanes by number, and registers by m0 (spec sections 5.3, 6.3, 6.4).

use chiaro_sim::Lanes;

use super::fault::FaultKind;
use super::program::Step;
use super::run::first_lane;
use super::wave::Wave;
use crate::exec::{At, Src, constant_bits};
use crate::isa::{Op, sop1::Sop1, vop1::Vop1, vop3::Vop3};
use crate::operand::constant::Number;
use crate::regs::code;

impl Wave {
    pub(super) fn cross(&mut self, step: &Step) {
        let Some((_, op)) = step.inst else { return };
        let i = &step.operands;
        let (src, d) = (i.src, i.vdst.or(i.sdst).map_or(code::NULL, |r| r.index));
        match op {
            Op::Vop1(Vop1::ReadfirstlaneB32) => {
                let value = self.of_lane(src[0], first_lane(self.exec()));
                self.set_scalar(d, value);
            }
            Op::Vop3(Vop3::ReadlaneB32) => {
                let lane = self.uniform(src[1]) as usize % usize::from(self.lanes());
                let value = self.of_lane(src[0], lane);
                self.set_scalar(d, value);
            }
            Op::Vop3(Vop3::WritelaneB32) => {
                let (value, lane) =
                    (self.uniform(src[0]), self.uniform(src[1]) as usize % usize::from(self.lanes()));
                self.merge_vector(lane / 32, d, &Lanes::splat(value), 1 << (lane % 32), u32::MAX);
            }
            Op::Vop3(Vop3::Permlane16B32) => self.permute(step, d, false),
            Op::Vop3(Vop3::Permlanex16B32) => self.permute(step, d, true),
            Op::Sop1(op) => self.move_scalar(op, src[0], d),
            Op::Vop1(op) => self.move_vector(op, src[0], d),
            _ => {
                let text = self.text(step);
                self.stop(FaultKind::Unknown(text));
            }
        }
    }

    /// A source that is the same for all lanes.
    fn uniform(&self, src: Option<Src>) -> u32 {
        match src.map(|src| src.at) {
            Some(At::Scalar(n)) => self.scalar(n),
            Some(At::Literal(bits)) => bits,
            Some(At::Code(n)) => constant_bits(n, Number::Word) as u32,
            _ => 0,
        }
    }

    fn of_lane(&self, src: Option<Src>, lane: usize) -> u32 {
        match src.map(|src| src.at) {
            Some(At::Vector(n)) => self.vector(n, lane),
            _ => self.uniform(src),
        }
    }

    /// Lanes of a row, or of the neighbouring row, by a list of 16 numbers.
    fn permute(&mut self, step: &Step, d: u16, crosses: bool) {
        let i = &step.operands;
        let list = u64::from(self.uniform(i.src[1])) | u64::from(self.uniform(i.src[2])) << 32;
        let (fetch, bound) = (i.select & 1 == 1, i.select & 2 == 2);
        let exec = self.exec();
        let mut results = Vec::new();
        for lane in self.running() {
            let row = if crosses { lane & !15 ^ 16 } else { lane & !15 };
            let from = row | (list >> (4 * (lane & 15)) & 15) as usize;
            let runs = exec[from / 32] >> (from % 32) & 1 == 1;
            if runs || fetch {
                results.push((lane, self.of_lane(i.src[0], from)));
            } else if bound {
                results.push((lane, 0));
            }
        }
        for (lane, value) in results {
            self.merge_vector(lane / 32, d, &Lanes::splat(value), 1 << (lane % 32), u32::MAX);
        }
    }

    fn move_scalar(&mut self, op: Sop1, src: Option<Src>, d: u16) {
        let m0 = self.scalar(code::M0);
        let Some(At::Scalar(s)) = src.map(|src| src.at).or(Some(At::Scalar(code::NULL))) else {
            // Only s_movreld takes what is no register.
            let value = self.uniform(src);
            return self.set_scalar_at(d.into(), m0, value);
        };
        let value = |wave: &Wave, add: u32, n: u32| wave.scalar_at(u32::from(s) + n, add);
        match op {
            Sop1::MovrelsB32 => self.set_scalar(d, value(self, m0, 0)),
            Sop1::MovrelsB64 => {
                let both = [value(self, m0, 0), value(self, m0, 1)];
                self.set_scalar(d, both[0]);
                self.set_scalar(d + 1, both[1]);
            }
            Sop1::MovreldB64 => {
                let both = [value(self, 0, 0), value(self, 0, 1)];
                self.set_scalar_at(d.into(), m0, both[0]);
                self.set_scalar_at(u32::from(d) + 1, m0, both[1]);
            }
            Sop1::Movrelsd2B32 => {
                let one = value(self, m0 & 0x3ff, 0);
                self.set_scalar_at(d.into(), m0 >> 16 & 0x3ff, one);
            }
            _ => {
                let one = value(self, 0, 0);
                self.set_scalar_at(d.into(), m0, one);
            }
        }
    }

    /// A scalar register by a computed number; what lies beyond the file reads zero. [assumed]
    fn scalar_at(&self, register: u32, add: u32) -> u32 {
        let n = register.wrapping_add(add);
        if n < code::NULL.into() { self.scalar(n as u16) } else { 0 }
    }

    fn set_scalar_at(&mut self, register: u32, add: u32, value: u32) {
        let n = register.wrapping_add(add);
        if n < code::NULL.into() {
            self.set_scalar(n as u16, value);
        }
    }

    fn move_vector(&mut self, op: Vop1, src: Option<Src>, d: u16) {
        let m0 = self.scalar(code::M0);
        let (from, to) = match op {
            Vop1::MovreldB32 => (0, m0),
            Vop1::MovrelsB32 => (m0, 0),
            Vop1::MovrelsdB32 => (m0, m0),
            _ => (m0 & 0x3ff, m0 >> 16 & 0x3ff),
        };
        let source = match src.map(|src| src.at) {
            Some(At::Vector(n)) => Some((u32::from(n).wrapping_add(from) & 255) as u16),
            _ => None,
        };
        let d = (u32::from(d).wrapping_add(to) & 255) as u16;
        let exec = self.exec();
        for (half, lanes) in exec.into_iter().enumerate().take(self.halves.len()) {
            let values = source.map_or(Lanes::splat(self.uniform(src)), |n| *self.half(n, half));
            let old = *self.half(d, half);
            self.merge_vector(half, d, &values, lanes, u32::MAX);
            if let (Vop1::SwaprelB32, Some(source)) = (op, source) {
                self.merge_vector(half, source, &old, lanes, u32::MAX);
            }
        }
    }
}
