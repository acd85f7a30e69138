//! Textures: coordinates collected in the order of spec section 10, results taken apart.

use chiaro_ir as ir;
use chiaro_ir::{Def, Dim, ImageType, Op as Ir, Query, Root, Sampling, Stage, Type};
use chiaro_mach::{Block, Operand};

use super::Select;
use super::part::{From, Part};
use crate::compile::code::{FULL, Modifiers, TextureModifiers, types};
use crate::isa::Op;

/// A texture with its number.
#[derive(Clone, Copy, Debug)]
struct Image {
    number: u8,
    ty: ImageType,
}

impl Image {
    fn is_solid(self) -> bool {
        matches!(self.ty.dim, Dim::D3 | Dim::Cube)
    }

    /// Coordinates without the layer.
    fn extent(self) -> usize {
        match self.ty.dim {
            Dim::D1 | Dim::Buffer => 1,
            Dim::D3 | Dim::Cube => 3,
            _ => 2,
        }
    }
}

impl Select<'_> {
    /// The scalars of a texture operation's result.
    pub(super) fn texture(&mut self, at: Block, inst: ir::Inst, op: Ir) -> Option<Vec<Part>> {
        match op {
            Ir::Sample(sampling) => self.sample(at, inst, sampling),
            Ir::Fetch => self.fetch(at, inst),
            Ir::ImageQuery(query) => self.query(at, inst, query),
            Ir::Ddx | Ir::DdxFine | Ir::DdxCoarse => self.derivative(at, inst, Op::Dsx),
            Ir::Ddy | Ir::DdyFine | Ir::DdyCoarse => self.derivative(at, inst, Op::Dsy),
            _ => None,
        }
    }

    /// The texture that a handle stands for.
    fn image(&mut self, handle: ir::Value) -> Option<Image> {
        let Def::Result(inst, _) = self.f.def(handle) else { return None };
        match self.f.op(inst) {
            Ir::SampledImage | Ir::ImageOf => self.image(self.f.args(inst)[0]),
            Ir::Load => {
                let path = self.path(self.f.args(inst)[0])?;
                let Root::Global(g) = path.root else { return None };
                let mut offset = 0u32;
                for &(ty, index) in &path.steps {
                    let n = self.module.value_bits(self.f, index)? as u32;
                    offset += super::handles_before(self.module, ty, n);
                }
                let (Type::Image(ty) | Type::SampledImage(ty)) = *self.module.types.get(self.f.ty(handle))
                else {
                    return None;
                };
                Some(Image { number: self.textures.get(&g)? + offset as u8, ty })
            }
            _ => None,
        }
    }

    fn sample(&mut self, at: Block, inst: ir::Inst, s: Sampling) -> Option<Vec<Part>> {
        if s.gather || s.minimum {
            return None;
        }
        let args: Vec<ir::Value> = self.f.args(inst).to_vec();
        let image = self.image(args[0])?;
        let mut rest = args[2..].iter().copied();
        let coordinate = self.value(args[1]);
        let reference = if s.reference { Some(self.scalar(rest.next()?)) } else { None };
        let bias = if s.bias { Some(self.scalar(rest.next()?)) } else { None };
        let level = if s.level { Some(self.scalar(rest.next()?)) } else { None };
        let gradients = match s.gradients {
            true => Some([self.value(rest.next()?), self.value(rest.next()?)]),
            false => None,
        };
        let offsets = if s.offset { self.value(rest.next()?) } else { Vec::new() };
        let project = s.projected && !image.is_solid();
        let mut source = self.coordinates(at, image, &coordinate, s.projected, reference);
        // A vertex has no neighbours whose differences would give a level.
        let level = match self.stage == Stage::Vertex && gradients.is_none() {
            true => Some(level.unwrap_or(Part::float(0.0))),
            false => level,
        };
        let op = match (&gradients, level, bias) {
            (Some(_), ..) => Op::Samgq,
            (_, Some(_), _) => Op::Saml,
            (.., Some(_)) => Op::Samb,
            _ => Op::Sam,
        };
        if let Some([x, y]) = &gradients {
            source.resize(4, Part::new(From::Undef));
            source.extend(x.iter().take(image.extent()).chain(y.iter().take(image.extent())));
        }
        let mut second: Vec<Part> = offsets.iter().take(image.extent()).copied().collect();
        second.extend(level.or(bias).filter(|_| gradients.is_none()));
        let letters = TextureModifiers {
            solid: image.is_solid(),
            array: image.ty.arrayed,
            offsets: !offsets.is_empty(),
            project,
            shadow: s.reference,
            ..self.letters(image)
        };
        let count = if s.reference { 1 } else { 4 };
        Some(self.sampled(at, op, &source, &second, letters, count))
    }

    /// Coordinates, reference, layer, projector.
    fn coordinates(
        &mut self,
        at: Block,
        image: Image,
        given: &[Part],
        projected: bool,
        reference: Option<Part>,
    ) -> Vec<Part> {
        let extent = image.extent();
        let mut source: Vec<Part> = given.iter().take(extent).copied().collect();
        if image.ty.dim == Dim::D1 {
            source.push(Part::float(0.5));
        }
        let layer = image.ty.arrayed.then(|| given.get(extent).copied()).flatten();
        let projector = given.get(extent + usize::from(image.ty.arrayed)).copied().filter(|_| projected);
        if let Some(divisor) = projector.filter(|_| image.is_solid()) {
            let inverse = self.special(at, Op::Rcp, divisor);
            source = source.into_iter().map(|part| self.float2(at, Op::MulF, part, inverse)).collect();
        }
        source.extend(reference);
        source.extend(layer);
        source.extend(projector.filter(|_| !image.is_solid()));
        source
    }

    fn letters(&self, image: Image) -> TextureModifiers {
        let component = self.module.types.get(image.ty.component);
        let kind = match component {
            Type::Float(_) => types::F32,
            _ if image.ty.signed => types::S32,
            _ => types::U32,
        };
        TextureModifiers { kind, number: image.number, ..TextureModifiers::default() }
    }

    /// An operation of category 5 with so many components of result.
    fn sampled(
        &mut self,
        at: Block,
        op: Op,
        first: &[Part],
        second: &[Part],
        letters: TextureModifiers,
        count: u16,
    ) -> Vec<Part> {
        let mut uses = Vec::new();
        for source in [first, second].into_iter().filter(|source| !source.is_empty()) {
            uses.push(self.collect(at, source));
        }
        let value = self.code.value(FULL, count, 1);
        let def: Operand = self.code.operand(value);
        let texture = TextureModifiers { mask: (1 << count) - 1, ..letters };
        self.push(at, op, &[def], &uses, Modifiers { texture, ..Modifiers::default() });
        match count {
            1 => vec![Part::new(From::Value(value))],
            _ => self.split(at, def),
        }
    }

    /// A texel by integers. The hardware scales coordinates with the level, so they are shifted
    /// up before.
    fn fetch(&mut self, at: Block, inst: ir::Inst) -> Option<Vec<Part>> {
        let args: Vec<ir::Value> = self.f.args(inst).to_vec();
        let image = self.image(args[0])?;
        if image.ty.multisampled || image.ty.dim == Dim::Buffer {
            return None;
        }
        let given = self.value(args[1]);
        let level = args.get(2).map(|&value| self.scalar(value)).filter(|part| part.bits() != Some(0));
        let mut source = Vec::new();
        for &part in given.iter().take(image.extent()) {
            source.push(match level {
                Some(level) => self.int2(at, Op::ShlB, part, level),
                None => part,
            });
        }
        if image.ty.dim == Dim::D1 {
            source.push(Part::number(0));
        }
        source.extend(given.get(image.extent()).filter(|_| image.ty.arrayed));
        let letters =
            TextureModifiers { solid: image.is_solid(), array: image.ty.arrayed, ..self.letters(image) };
        let (op, second) = match level {
            Some(level) => (Op::Isaml, vec![level]),
            None => (Op::Isam, Vec::new()),
        };
        Some(self.sampled(at, op, &source, &second, letters, 4))
    }

    /// Size, levels, or the level that would be sampled.
    fn query(&mut self, at: Block, inst: ir::Inst, query: Query) -> Option<Vec<Part>> {
        let args: Vec<ir::Value> = self.f.args(inst).to_vec();
        let image = self.image(args[0])?;
        let count = self.f.result_of(inst).map_or(0, |value| self.scalars(self.f.ty(value)));
        let letters = TextureModifiers { kind: types::U32, ..self.letters(image) };
        match query {
            Query::Size => {
                let level = args.get(1).map_or(Part::number(0), |&value| self.scalar(value));
                let mut size = self.sampled(at, Op::Getsize, &[level], &[], letters, 4);
                if image.ty.arrayed {
                    // The number of layers less one stands in w.
                    let layers = self.int2(at, Op::AddU, size[3], Part::number(1));
                    size.insert(count.saturating_sub(1), layers);
                }
                size.truncate(count);
                Some(size)
            }
            Query::Levels => {
                let info = self.sampled(at, Op::Getinfo, &[], &[], letters, 4);
                Some(vec![self.int2(at, Op::AddU, info[2], Part::number(1))])
            }
            Query::Lod => {
                let coordinate = self.value(args[1]);
                let source = self.coordinates(at, image, &coordinate, false, None);
                let letters =
                    TextureModifiers { kind: types::S32, solid: image.is_solid(), ..self.letters(image) };
                let fixed = self.sampled(at, Op::Getlod, &source, &[], letters, 2);
                let one = |s: &mut Self, part: Part| {
                    let float = s.convert(at, part, types::S32, types::F32);
                    s.float2(at, Op::MulF, float, Part::float(1.0 / 256.0))
                };
                Some(fixed.into_iter().map(|part| one(self, part)).collect())
            }
            Query::Samples => None,
        }
    }

    /// Up to four differences by one instruction.
    fn derivative(&mut self, at: Block, inst: ir::Inst, op: Op) -> Option<Vec<Part>> {
        let source = self.value(self.f.args(inst)[0]);
        let letters = TextureModifiers { kind: types::F32, ..TextureModifiers::default() };
        Some(self.sampled(at, op, &source, &[], letters, source.len() as u16))
    }
}
