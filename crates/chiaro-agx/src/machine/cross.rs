//! Shuffles, reductions and scans (spec 7.2, 7.3).

use chiaro_isa::Reg;
use chiaro_sim::arith::Any;
use chiaro_sim::{FloatEnv, Lanes, Op as Micro, scalar};

use super::fault::FaultKind;
use super::program::Step;
use super::simdgroup::SimdGroup;
use crate::exec::SINGLE;
use crate::isa::Op;
use crate::isa::simd::Simd;
use crate::regs::{file, size};

/// Which lane a lane reads from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    To,
    Xor,
    Up,
    RotateUp,
    Down,
}

/// A shuffle, and whether it stays within quads.
fn shuffle(op: Simd) -> Option<(Way, bool)> {
    use Simd as S;
    Some(match op {
        S::SimdShuffle => (Way::To, false),
        S::SimdShuffleXor => (Way::Xor, false),
        S::SimdShuffleUp => (Way::Up, false),
        S::SimdShuffleRotateUp => (Way::RotateUp, false),
        S::SimdShuffleDown => (Way::Down, false),
        S::QuadShuffle => (Way::To, true),
        S::QuadShuffleXor => (Way::Xor, true),
        S::QuadShuffleUp => (Way::Up, true),
        S::QuadShuffleRotateUp => (Way::RotateUp, true),
        S::QuadShuffleDown => (Way::Down, true),
        _ => return None,
    })
}

impl SimdGroup {
    /// A step that reads other lanes.
    pub(super) fn cross(&mut self, step: &Step) {
        let (Some((_, Op::Simd(op))), Some(d), Some(a)) = (step.inst, step.d, step.a) else { return };
        let values = self.lanes_of(a);
        let result = match shuffle(op) {
            Some((way, in_quad)) => {
                let indices = step.b.map_or(Lanes::ZERO, |b| self.lanes_of(b));
                Some(Lanes(std::array::from_fn(|lane| values.0[source(way, in_quad, &indices, lane)])))
            }
            None if matches!(op, Simd::SimdMatrixFmadd32 | Simd::SimdMatrixFmadd16) => {
                return self.multiply(step, op == Simd::SimdMatrixFmadd16);
            }
            None => self.reduced(step, a, &values),
        };
        match result {
            Some(result) => self.merge(d, &result, self.active()),
            None => {
                let text = self.program.text(step);
                self.stop(FaultKind::Unknown(text));
            }
        }
    }

    /// The low 32 bits of a source in every lane, active or not; zeros above a half.
    pub(super) fn lanes_of(&self, r: Reg) -> Lanes {
        if r.file == file::IMMEDIATE {
            return Lanes::splat(r.index.into());
        }
        let word = *self.state.lanes(self.compiled.uops.slot(r));
        match (r.size, r.index & 1) {
            (size::HALF, high) => Lanes(word.0.map(|word| word >> (16 * high) & 0xffff)),
            _ => word,
        }
    }

    /// A reduction or scan, by Mesa's regular pattern.
    fn reduced(&self, step: &Step, a: Reg, values: &Lanes) -> Option<Lanes> {
        let word = step.inst?.0.word.0[0];
        let bits = |low: u32, count: u32| (word >> low & ((1 << count) - 1)) as u32;
        let code = bits(28, 1) | bits(38, 3) << 1 | bits(47, 1) << 4;
        let fold = Fold::of(code, a.size == size::HALF)?;
        let (in_quad, scan) = (bits(29, 1) == 0, bits(30, 1) == 1);
        let (active, size) = (self.active(), if in_quad { 4 } else { 32 });
        let mut result = Lanes::ZERO;
        for (n, group) in result.0.chunks_mut(size).enumerate() {
            let mut sum = fold.identity;
            for (lane, before) in (n * size..).zip(&mut *group) {
                *before = sum;
                if active >> lane & 1 == 1 {
                    sum = fold.join(sum, values.0[lane]);
                }
            }
            if !scan {
                group.fill(sum);
            }
        }
        Some(result)
    }
}

/// The lane whose value a lane gets. The low bits of indices are or-ed over the quad that is read from
/// [measured by applegpu]; outside of the group it is its own value.
fn source(way: Way, in_quad: bool, indices: &Lanes, lane: usize) -> usize {
    let index = indices.0[lane] as usize & 0xffff;
    let (quad, place) = (lane / 4, lane % 4);
    if in_quad {
        let to = moved(way, place, index, 4);
        return to.map_or(lane, |to| 4 * quad + to);
    }
    let to = match way {
        Way::To | Way::Xor => {
            let base = if way == Way::To { 0 } else { quad };
            Some(4 * (base ^ (index >> 2))).filter(|to| *to < 32)
        }
        _ => moved(way, lane, index, 32),
    };
    let Some(from) = to.map(|to| to / 4) else { return lane };
    let low = (4 * from..4 * from + 4).fold(0, |low, n| low | indices.0[n] as usize & 3);
    let element = match way {
        Way::To => low,
        Way::Xor => place ^ low,
        Way::Down => place + low,
        Way::Up | Way::RotateUp => place + 4 - low,
    };
    4 * from + element % 4
}

/// The place that one of `count` reads; `None` outside.
fn moved(way: Way, place: usize, index: usize, count: usize) -> Option<usize> {
    let to = match way {
        Way::To => Some(index),
        Way::Xor => Some(place ^ index),
        Way::Down => place.checked_add(index),
        Way::Up => place.checked_sub(index),
        Way::RotateUp => Some((place + count - index % count) % count),
    };
    to.filter(|to| *to < count)
}

/// How two values become one.
#[derive(Clone, Copy, Debug)]
struct Fold {
    op: Micro,
    half: bool,
    identity: u32,
}

impl Fold {
    /// By the code of section 7.3: Mesa's `simd_op`.
    fn of(code: u32, half: bool) -> Option<Fold> {
        let (infinity, one) = if half { (0x7c00, 0x3c00) } else { (0x7f80_0000, 0x3f80_0000) };
        let sign = if half { 0x8000 } else { 0x8000_0000 };
        let (op, identity) = match code {
            0x00 => (Micro::And, u32::MAX),
            0x01 => (Micro::Fadd, 0),
            0x02 => (Micro::Or, 0),
            0x03 => (Micro::Fmul, one),
            0x04 => (Micro::Xor, 0),
            0x05 => (Micro::Fmin, infinity),
            0x07 => (Micro::Fmax, infinity | sign),
            0x10 => (Micro::Add, 0),
            0x14 => (Micro::MinS, sign - 1),
            0x16 => (Micro::MaxS, sign),
            0x1c => (Micro::MinU, u32::MAX),
            0x1e => (Micro::MaxU, 0),
            _ => return None,
        };
        Some(Fold { op, half, identity })
    }

    /// Lanes are joined in ascending order: in which order the machine does it nobody says.
    fn join(self, a: u32, b: u32) -> u32 {
        let env = if self.half { FloatEnv::HALF } else { SINGLE };
        let signed = self.half && matches!(self.op, Micro::MinS | Micro::MaxS);
        let [a, b] = [a, b].map(|x| if signed { x as u16 as i16 as u32 } else { x });
        scalar::value::<Any>(self.op, &env, [a, b, 0]).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::Fold;

    /// Tiny results are zero before they are rounded, as those of single instructions are (spec 2.4).
    #[test]
    fn products_are_those_of_single_instructions() {
        let fold = Fold::of(0x03, false).expect("products");
        assert_eq!(fold.join(0x00ff_ffff, 0x3f00_0000), 0);
        assert_eq!(fold.join(0x0100_0000, 0x3f00_0000), 0x0080_0000);
    }
}
