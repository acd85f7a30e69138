//! Inputs of fragments once more, at other places of their pixels.

use super::arith;
use super::domain::Domain;
use super::exec::Walk;
use super::frame::Frame;
use super::layout::Leaf;
use super::memory::Place;
use super::{Attributes, FaultKind};
use crate::{GlobalRef, Inst, Interpolation, Op, Taken};

/// A float of an input, and who asks.
#[derive(Clone, Copy)]
struct Asked {
    global: Option<GlobalRef>,
    width: u8,
    at: Place,
    lane: u32,
}

impl<'m, D: Domain> Walk<'m, D> {
    /// An input once more: what is flat is so everywhere.
    pub(super) fn interpolate(&mut self, fr: &mut Frame<'m, D>, inst: Inst, taken: Taken, here: &[u32]) {
        let f = fr.f;
        let args = f.args(inst);
        let Some(result) = f.result_of(inst) else { return };
        let offsets = self.offsets(fr, args[0], result);
        for &lane in here {
            let place = self.place(fr, args[0], lane);
            let global = self.global_at(place);
            let is_flat = self.interpolation(global) == Interpolation::Flat;
            for (i, &(leaf, offset)) in offsets.iter().enumerate() {
                let Leaf::Float(width) = leaf else { continue };
                let asked = Asked { global, width, at: place.plus(offset), lane };
                let arg = |n: usize| fr.get(args[1], n, lane);
                let elsewhere = self.elsewhere;
                let found = match taken {
                    _ if is_flat => None,
                    Taken::Centroid => self.given(&elsewhere.centroid, asked),
                    Taken::Sample => {
                        let sample = elsewhere.samples.get(self.domain.bits(arg(0)) as usize);
                        sample.and_then(|sample| self.given(sample, asked))
                    }
                    Taken::Offset => {
                        let own = fr.layout(args[1]).leaves[0].0;
                        let from = if let Leaf::Float(own) = own { own } else { width };
                        let offset = [0, 1].map(|n| self.domain.resize(arg(n), from, width));
                        self.displaced(asked, offset)
                    }
                };
                let middle = self.memory.load(self.domain, leaf, asked.at, lane as usize);
                if middle.is_none() {
                    self.fault(fr, inst, FaultKind::OutOfBounds, lane);
                }
                let value = found.or(middle).unwrap_or(self.scalar(leaf, 0));
                fr.set(result, i, lane, value);
            }
        }
    }

    /// The variable that a place lies in.
    fn global_at(&self, place: Place) -> Option<GlobalRef> {
        let is_it = |&bits: &u64| Place::of(bits).region == place.region;
        self.globals.iter().position(is_it).map(|n| GlobalRef(n as u32))
    }

    fn interpolation(&self, global: Option<GlobalRef>) -> Interpolation {
        global.map_or(Interpolation::Linear, |g| self.module.global(g).binding.interpolation)
    }

    /// What was given of an input for another place.
    fn given(&self, all: &Attributes, asked: Asked) -> Option<D::Scalar> {
        let row = all.get(&asked.global?)?.get(asked.lane as usize)?;
        let first = asked.at.offset as usize;
        let bytes = row.get(first..first + usize::from(asked.width) / 8)?;
        let bits = bytes.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte));
        Some(self.domain.of_float(bits, asked.width))
    }

    /// The value that far from the middle: of a plane, or with perspective the quotient of two.
    fn displaced(&mut self, asked: Asked, offset: [D::Scalar; 2]) -> Option<D::Scalar> {
        let (lane, width) = (asked.lane as usize, asked.width);
        let middle = self.memory.load(self.domain, Leaf::Float(width), asked.at, lane)?;
        let beside = [0, 1].map(|axis| self.beside(asked, axis, middle));
        let [Some(right), Some(below)] = beside else { return None };
        let inverse = self.elsewhere.inverse_w.get(lane).copied();
        let perspective = self.interpolation(asked.global) == Interpolation::Perspective;
        let Some(inverse) = inverse.filter(|_| perspective) else {
            return Some(self.on_plane([middle, right, below], offset, asked));
        };
        let inverse = inverse.map(|w| self.domain.of_float(arith::bits(w, width), width));
        let values = [middle, right, below];
        let by_w = std::array::from_fn(|n| self.of_floats(Op::FMul, values[n], inverse[n], asked));
        let value = self.on_plane(by_w, offset, asked);
        let by = self.on_plane(inverse, offset, asked);
        Some(self.of_floats(Op::FDiv, value, by, asked))
    }

    /// The input a pixel further: as given, or as it changes over the quad.
    fn beside(&mut self, asked: Asked, axis: usize, middle: D::Scalar) -> Option<D::Scalar> {
        if let Some(given) = self.given(&self.elsewhere.beside[axis], asked) {
            return Some(given);
        }
        let low = asked.lane & !3;
        let high = if ((low | 1 << axis) as usize) < self.lanes { low | 1 << axis } else { low };
        let of = |lane: u32| self.memory.load(self.domain, Leaf::Float(asked.width), asked.at, lane as usize);
        let (from, to) = (of(low)?, of(high)?);
        let change = self.of_floats(Op::FSub, to, from, asked);
        Some(self.of_floats(Op::FAdd, middle, change, asked))
    }

    /// A plane through three values, at an offset from the first.
    fn on_plane(
        &mut self,
        [middle, right, below]: [D::Scalar; 3],
        [x, y]: [D::Scalar; 2],
        asked: Asked,
    ) -> D::Scalar {
        [(right, x), (below, y)].into_iter().fold(middle, |sum, (beside, by)| {
            let slope = self.of_floats(Op::FSub, beside, middle, asked);
            let change = self.of_floats(Op::FMul, slope, by, asked);
            self.of_floats(Op::FAdd, sum, change, asked)
        })
    }

    fn of_floats(&mut self, op: Op, a: D::Scalar, b: D::Scalar, asked: Asked) -> D::Scalar {
        self.domain.float_op(op, asked.width, [a, b, b], &mut self.notes[asked.lane as usize])
    }
}
