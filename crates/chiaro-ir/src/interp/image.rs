//! Sampling, reading, writing and asking about images.

use super::arith;
use super::domain::Domain;
use super::exec::{Outcome, Walk};
use super::frame::Frame;
use super::images::{Handle, Request, Texel};
use super::layout::Leaf;
use super::{Fault, FaultKind};
use crate::{ImageType, Inst, Op, Query, Sampling, Type, Value};

impl<'m, D: Domain> Walk<'m, D> {
    pub(super) fn image(&mut self, fr: &mut Frame<'m, D>, inst: Inst, op: Op, here: &[u32]) -> Outcome {
        let f = fr.f;
        let args = f.args(inst);
        match op {
            Op::SampledImage => self.join(fr, inst, here),
            Op::ImageOf => {
                let Some(result) = f.result_of(inst) else { return Ok(()) };
                for &lane in here {
                    let bits = self.domain.bits(fr.get(args[0], 0, lane));
                    fr.set(result, 0, lane, self.domain.of_bits(bits & 0xffff_ffff));
                }
            }
            Op::Sample(how) => self.sample(fr, inst, how, here),
            Op::Fetch | Op::ImageRead => {
                let Some(ty) = self.image_type(fr, args[0]) else { return Ok(()) };
                for &lane in here {
                    let image = Handle::of(self.domain.bits(fr.get(args[0], 0, lane)));
                    let at = self.texel_place(fr, args[1], lane);
                    let level = args.get(2).map_or(0, |&v| self.domain.bits(fr.get(v, 0, lane)) as i32);
                    let texel = self.images.read(image, &ty, at, level);
                    self.give(fr, inst, texel, lane);
                }
            }
            Op::ImageWrite => {
                let Some(ty) = self.image_type(fr, args[0]) else { return Ok(()) };
                for &lane in here.iter().filter(|&&lane| !self.helper[lane as usize]) {
                    let image = Handle::of(self.domain.bits(fr.get(args[0], 0, lane)));
                    let at = self.texel_place(fr, args[1], lane);
                    let (mut texel, mut errors) = ([0; 4], [0.0; 4]);
                    for i in 0..fr.layout(args[2]).leaves.len().min(4) {
                        let component = fr.get(args[2], i, lane);
                        (texel[i], errors[i]) = (self.domain.bits(component), self.domain.error(component));
                    }
                    self.images.write_about(image, &ty, at, (texel, errors));
                }
            }
            Op::ImageQuery(query) => self.query(fr, inst, query, here),
            // Who works on the texel follows the operands itself.
            Op::TexelPointer => {}
            _ => {
                return Err(Box::new(Fault::new(
                    FaultKind::NotInterpreted(op.info().name),
                    f.inst(inst).span,
                )));
            }
        }
        Ok(())
    }

    fn image_type(&self, fr: &Frame<'m, D>, v: Value) -> Option<ImageType> {
        match self.module.types.get(fr.f.ty(v)) {
            Type::Image(ty) | Type::SampledImage(ty) => Some(*ty),
            _ => None,
        }
    }

    fn join(&mut self, fr: &mut Frame<'m, D>, inst: Inst, here: &[u32]) {
        let f = fr.f;
        let args = f.args(inst);
        let Some(result) = f.result_of(inst) else { return };
        for &lane in here {
            let part = |v: Value| self.domain.bits(fr.get(v, 0, lane)) & 0xffff_ffff;
            let both = self.domain.of_bits(part(args[1]) << 32 | part(args[0]));
            fr.set(result, 0, lane, both);
        }
    }

    pub(super) fn texel_place(&self, fr: &Frame<'m, D>, v: Value, lane: u32) -> [i32; 4] {
        let mut at = [0; 4];
        for (i, c) in at.iter_mut().enumerate().take(fr.layout(v).leaves.len()) {
            *c = self.domain.bits(fr.get(v, i, lane)) as i32;
        }
        at
    }

    fn give(&mut self, fr: &mut Frame<'m, D>, inst: Inst, texel: Texel, lane: u32) {
        let Some(result) = fr.f.result_of(inst) else { return };
        for (i, &(leaf, _)) in fr.layout(result).leaves.iter().enumerate() {
            let bits = match leaf {
                // Images speak binary32; a shader may ask for halves.
                Leaf::Float(width) => arith::bits(arith::float(texel[i.min(3)], 32), width),
                _ => texel[i.min(3)],
            };
            fr.set(result, i, lane, self.scalar(leaf, bits));
        }
    }

    fn numbers(&self, fr: &Frame<'m, D>, v: Value, lane: u32) -> [f64; 4] {
        let mut out = [0.0; 4];
        for (i, (n, &(leaf, _))) in out.iter_mut().zip(&fr.layout(v).leaves).enumerate() {
            let bits = self.domain.bits(fr.get(v, i, lane));
            *n = match leaf {
                Leaf::Float(width) => arith::float(bits, width),
                Leaf::Int(width) => arith::signed(bits, width) as f64,
                _ => 0.0,
            };
        }
        out
    }

    fn sample(&mut self, fr: &mut Frame<'m, D>, inst: Inst, how: Sampling, here: &[u32]) {
        let f = fr.f;
        let args = f.args(inst);
        let Some(ty) = self.image_type(fr, args[0]) else { return };
        let mut requests = Vec::with_capacity(here.len());
        for &lane in here {
            requests.push(self.request(fr, args, how, &ty, lane));
        }
        for (i, &lane) in here.iter().enumerate() {
            let mut request = requests[i];
            if how.implicit() {
                request.gradients = quad_gradients(here, &requests, lane);
            }
            let texel = self.images.sample(&request, &ty);
            self.give(fr, inst, texel, lane);
        }
    }

    fn request(
        &self,
        fr: &Frame<'m, D>,
        args: &[Value],
        how: Sampling,
        ty: &ImageType,
        lane: u32,
    ) -> Request {
        let handles = self.domain.bits(fr.get(args[0], 0, lane));
        let mut rest = args[2..].iter().map(|&v| self.numbers(fr, v, lane));
        let mut next = |wanted: bool| if wanted { rest.next().unwrap_or_default() } else { [0.0; 4] };
        let mut at = self.numbers(fr, args[1], lane);
        let mut reference = next(how.reference)[0];
        if how.projected {
            let last = fr.layout(args[1]).leaves.len().saturating_sub(1);
            let divisor = at[last.min(3)];
            at.iter_mut().take(last).for_each(|c| *c /= divisor);
            at[last.min(3)] = 0.0;
            // The reference is projected too. [Vulkan, "Projection Operation"]
            reference /= divisor;
        }
        let bias = next(how.bias)[0];
        let level = next(how.level)[0];
        let (x, y) = (next(how.gradients), next(how.gradients));
        let offset = next(how.offset);
        let component = next(how.gather && !ty.depth && !how.reference)[0] as u32;
        Request {
            image: Handle::of(handles & 0xffff_ffff),
            sampler: Handle::of(if handles >> 32 == 0 { handles & 0xffff_ffff } else { handles >> 32 }),
            how,
            at,
            reference,
            level: if how.bias { bias } else { level },
            gradients: [[x[0], x[1], x[2]], [y[0], y[1], y[2]]],
            offset: [offset[0] as i32, offset[1] as i32, offset[2] as i32],
            component,
        }
    }

    fn query(&mut self, fr: &mut Frame<'m, D>, inst: Inst, query: Query, here: &[u32]) {
        let f = fr.f;
        let args = f.args(inst);
        let Some(ty) = self.image_type(fr, args[0]) else { return };
        if query == Query::Lod {
            return self.query_level(fr, inst, &ty, here);
        }
        for &lane in here {
            let image = Handle::of(self.domain.bits(fr.get(args[0], 0, lane)) & 0xffff_ffff);
            let level = args.get(1).map_or(0, |&v| self.domain.bits(fr.get(v, 0, lane)) as u32);
            let counts = self.images.counts(image, &ty);
            let [x, y, z] = match query {
                Query::Size => self.images.size(image, &ty, level),
                Query::Levels => [counts[0], 0, 0],
                Query::Samples => [counts[1], 0, 0],
                Query::Lod => return,
            };
            self.give(fr, inst, [x.into(), y.into(), z.into(), 0], lane);
        }
    }

    /// The level that a lookup without operands would take.
    fn query_level(&mut self, fr: &mut Frame<'m, D>, inst: Inst, ty: &ImageType, here: &[u32]) {
        let (args, how) = (fr.f.args(inst), Sampling::default());
        let requests: Vec<Request> = here.iter().map(|lane| self.request(fr, args, how, ty, *lane)).collect();
        for (request, &lane) in requests.iter().zip(here) {
            let gradients = quad_gradients(here, &requests, lane);
            let levels = self.images.levels(&Request { gradients, ..*request }, ty);
            let [clamped, computed] = levels.map(|level| u64::from((level as f32).to_bits()));
            self.give(fr, inst, [clamped, computed, 0, 0], lane);
        }
    }
}

/// The change of the coordinate across a lane's quad, where all of it is here.
fn quad_gradients(here: &[u32], requests: &[Request], lane: u32) -> [[f64; 3]; 2] {
    let at = |lane: u32| here.binary_search(&lane).ok().map(|i| requests[i].at);
    let quad = lane & !3;
    let change = |to: u32| match (at(quad), at(to)) {
        (Some(a), Some(b)) => [b[0] - a[0], b[1] - a[1], b[2] - a[2]],
        _ => [0.0; 3],
    };
    [change(quad + 1), change(quad + 2)]
}
