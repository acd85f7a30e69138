//! Images (spec section 8.5).
//!
//! Coordinates are operands of their own; whether they stand in a row of registers is seen when words are made. The
//! level of compute shaders, which have no quads, is that of the base where nobody gives one.

use chiaro_ir as ir;
use chiaro_ir::{Combine, Def, Dim, GlobalRef, Op as Ir, Query, Root, Sampling, Space, Type};
use chiaro_mach::{Block, Effects, Operand};

use super::Select;
use super::part::{Kind, Part};
use super::value::{FLOAT, WORD};
use crate::abi::interface::{ADDRESS, Abi, Bound, Resource, SAMPLER};
use crate::compile::code::{Modifiers, flag};
use crate::isa::Op;
use crate::isa::mimg::Mimg;
use crate::isa::sop2::Sop2;
use crate::isa::vop1::Vop1;
use crate::isa::vop2::Vop2;
use crate::isa::vop3::Vop3;
use crate::isa::vopc::Vopc;

/// An image, and where its sampler is.
#[derive(Clone, Copy)]
struct Handle {
    image: ir::Value,
    sampler: Option<ir::Value>,
}

/// What a sample is given, as the instruction takes it.
struct Asked {
    coordinates: Vec<Part>,
    reference: Option<Part>,
    bias: Option<Part>,
    level: Option<Part>,
    gradients: [Vec<Part>; 2],
    offset: Vec<Part>,
    component: Option<Part>,
    /// The least level.
    minimum: Option<Part>,
    /// Whether it is the level that comes first.
    at_base: bool,
}

/// The face of a cube that a direction points at.
#[derive(Clone, Copy)]
struct Face {
    number: Part,
    /// Twice what points outwards, with its sign; one over that without it.
    major: Part,
    inverse: Part,
    /// What is divided for the place.
    sides: [Part; 2],
}

/// The operation of a name.
fn named(name: &str) -> Option<Mimg> {
    Mimg::ALL.iter().copied().find(|&op| crate::compile::code::row(Op::Mimg(op)).name == name)
}

impl Select<'_> {
    /// The image, and the sampler, that a value stands for.
    fn handle(&self, value: ir::Value) -> Option<Handle> {
        let Def::Result(inst, _) = self.f.def(value) else { return None };
        let args = self.f.args(inst);
        match self.f.op(inst) {
            Ir::Load => {
                let is_both = matches!(self.module.types.get(self.f.ty(value)), Type::SampledImage(_));
                Some(Handle { image: args[0], sampler: is_both.then_some(args[0]) })
            }
            Ir::SampledImage => {
                let (image, sampler) = (self.handle(args[0])?, self.handle(args[1])?);
                Some(Handle { sampler: Some(sampler.image), ..image })
            }
            Ir::ImageOf => self.handle(args[0]).map(|handle| Handle { sampler: None, ..handle }),
            _ => None,
        }
    }

    /// The descriptor that a pointer to a handle leads to: so many words, so many bytes into it.
    pub(super) fn handle_words(
        &mut self,
        at: Block,
        pointer: ir::Value,
        words: u16,
        bytes: u32,
    ) -> Option<Operand> {
        let path = self.path(pointer)?;
        let Root::Global(g) = path.root else { return None };
        if let Some(&(_, index)) = path.steps.first() {
            return self.descriptor_at(at, g, index, (words, bytes));
        }
        if let Some(&known) = self.descriptors.get(&(g, bytes + 1)) {
            return Some(known);
        }
        None
    }

    /// Loads the descriptors of images and samplers that are there once: of a set, or of all that arguments are addresses
    /// of.
    pub(super) fn load_handles(&mut self, set: Option<u32>, base: Operand) {
        let single = |b: &&Bound| b.count == 1 && set.is_none_or(|set| b.binding.0 == set);
        for bound in self.interface.resources.iter().filter(single).cloned().collect::<Vec<_>>() {
            let parts: &[(u16, u32)] = match bound.resource {
                Resource::Image => &[(8, 0)],
                Resource::UniformTexels | Resource::StorageTexels => &[(4, 0)],
                Resource::Sampled => &[(8, 0), (4, SAMPLER)],
                Resource::Sampler => &[(4, 0)],
                _ => continue,
            };
            for &(words, bytes) in parts {
                let made = self.handle_at(self.entry, (base, bound.offset, None), (words, bytes));
                for n in 0..self.module.globals.len() as u32 {
                    let is_handle = self.module.global(GlobalRef(n)).space == Space::UniformConstant;
                    if is_handle && self.binding_of(GlobalRef(n)) == bound.binding {
                        self.descriptors.insert((GlobalRef(n), bytes + 1), made);
                    }
                }
            }
        }
    }

    /// Part of a descriptor that stands in a set from a byte on, or whose address stands among the arguments there: so
    /// many words, so many bytes into it. A step comes on top of the place.
    pub(super) fn handle_at(
        &mut self,
        at: Block,
        (base, offset, step): (Operand, u32, Option<Operand>),
        (words, bytes): (u16, u32),
    ) -> Operand {
        if self.options.abi == Abi::Vulkan {
            return self.scalar_load(at, words, base, offset.wrapping_add(bytes) as i32, step);
        }
        // The sampler of an image is an argument of its own.
        let place = offset + if bytes == 0 { 0 } else { ADDRESS };
        let address = self.scalar_load(at, 2, base, place as i32, step);
        self.scalar_load(at, words, address, 0, None)
    }

    fn binding_of(&self, g: GlobalRef) -> (u32, u32) {
        let binding = &self.module.global(g).binding;
        (binding.set.unwrap_or(0), binding.binding.unwrap_or(0))
    }

    fn image_words(&mut self, at: Block, handle: Handle) -> Option<Operand> {
        self.handle_words(at, handle.image, 8, 0)
    }

    fn sampler_words(&mut self, at: Block, handle: Handle) -> Option<Operand> {
        let pointer = handle.sampler?;
        let is_both = self.path(pointer).and_then(|path| match path.root {
            Root::Global(g) => Some(self.resource_of(g)),
            Root::Var(_) => None,
        });
        let bytes = if is_both == Some(Some(Resource::Sampled)) { SAMPLER } else { 0 };
        self.handle_words(at, pointer, 4, bytes)
    }

    fn resource_of(&self, g: GlobalRef) -> Option<Resource> {
        let binding = self.binding_of(g);
        self.interface.resources.iter().find(|b| b.binding == binding).map(|b| b.resource)
    }

    /// The type of an image.
    fn image_type(&self, pointer: ir::Value) -> Option<ir::ImageType> {
        let (_, ty) = self.module.types.pointee(self.f.ty(pointer))?;
        self.module.types.image(ty)
    }

    /// The number of an image's shape; cubes that are stored to are arrays of their faces.
    fn shape(image: &ir::ImageType, is_texel: bool) -> Option<u8> {
        Some(match (image.dim, image.arrayed, image.multisampled) {
            (Dim::D1, false, _) => 0,
            (Dim::D2 | Dim::Rect, false, false) => 1,
            (Dim::D3, ..) => 2,
            (Dim::Cube, ..) => {
                if is_texel {
                    5
                } else {
                    3
                }
            }
            (Dim::D1, true, _) => 4,
            (Dim::D2 | Dim::Rect, true, false) => 5,
            (Dim::D2 | Dim::Rect, false, true) => 6,
            (Dim::D2 | Dim::Rect, true, true) => 7,
            _ => return None,
        })
    }

    /// An operation on an image.
    pub(super) fn image(&mut self, at: Block, inst: ir::Inst, op: Ir) -> Option<Vec<Part>> {
        let args = self.f.args(inst).to_vec();
        let handle = self.handle(args[0])?;
        let image = self.image_type(handle.image)?;
        if image.dim == Dim::Buffer {
            return self.texels(at, inst, op, (handle.image, image.storage));
        }
        match op {
            Ir::ImageQuery(query) => self.image_size(at, inst, query, (handle, image)),
            Ir::Sample(sampling) => self.sampled(at, inst, sampling, (handle, image)),
            _ => self.texel(at, inst, op, (handle, image)),
        }
    }

    /// An instruction: data, addresses, descriptors. With `sampler` it has one.
    fn image_inst(
        &mut self,
        at: Block,
        op: Mimg,
        (defs, data): (&[Operand], &[Operand]),
        addresses: &[Part],
        descriptors: [Option<Operand>; 2],
        modifiers: Modifiers,
    ) -> chiaro_mach::Inst {
        let mut uses: Vec<Operand> = descriptors.into_iter().flatten().collect();
        uses.extend(data);
        uses.extend(addresses.iter().map(|&part| self.in_vector(at, part)));
        self.push(at, Op::Mimg(op), defs, &uses, modifiers)
    }

    /// Loads and stores of single texels.
    fn texel(
        &mut self,
        at: Block,
        inst: ir::Inst,
        op: Ir,
        (handle, image): (Handle, ir::ImageType),
    ) -> Option<Vec<Part>> {
        let args = self.f.args(inst).to_vec();
        let shape = Self::shape(&image, true)?;
        let mut addresses = self.words_at(at, args[1]);
        let last = args.get(if op == Ir::ImageWrite { 3 } else { 2 }).map(|&value| self.one(value));
        let level = last.filter(|level| op == Ir::Fetch && !image.multisampled && level.bits() != Some(0));
        addresses.extend(last.filter(|_| image.multisampled).or(level));
        let descriptor = self.image_words(at, handle)?;
        let coherent = if self.is_coherent(handle.image) { flag::GLC } else { 0 };
        let modifiers = Modifiers { shape, ..Modifiers::default() }.with(flag::UNORM | coherent);
        if op == Ir::ImageWrite {
            let parts = self.value(args[2]);
            let data = self.collect(at, &parts);
            let modifiers = Modifiers { components: ((1u16 << parts.len()) - 1) as u8, ..modifiers };
            let made = self.image_inst(
                at,
                Mimg::Store,
                (&[], &[data]),
                &addresses,
                [Some(descriptor), None],
                modifiers,
            );
            self.code.inst_mut(made).effects.writes |= Effects::IMAGE;
            return Some(Vec::new());
        }
        let kinds = self.kinds(self.f.ty(self.f.result_of(inst)?));
        let def = self.new_vector(kinds.len() as u16);
        let modifiers = Modifiers { components: ((1u16 << kinds.len()) - 1) as u8, ..modifiers };
        let op = if level.is_some() { Mimg::LoadMip } else { Mimg::Load };
        let made = self.image_inst(at, op, (&[def], &[]), &addresses, [Some(descriptor), None], modifiers);
        if image.storage {
            self.code.inst_mut(made).effects.reads |= Effects::IMAGE;
        }
        Some(self.split(at, def))
    }

    pub(super) fn words_at(&mut self, at: Block, value: ir::Value) -> Vec<Part> {
        let parts = self.value(value);
        parts.into_iter().map(|part| self.plain(at, part)).collect()
    }

    pub(super) fn is_coherent(&self, pointer: ir::Value) -> bool {
        self.module.variable_of(self.f, pointer).is_some_and(|g| self.module.global(g).coherent)
    }

    /// Width, height, depth or layers, and levels.
    fn image_size(
        &mut self,
        at: Block,
        inst: ir::Inst,
        query: Query,
        (handle, image): (Handle, ir::ImageType),
    ) -> Option<Vec<Part>> {
        match query {
            Query::Lod => return self.levels(at, inst, (handle, image)),
            Query::Samples => return self.samples(at, handle),
            Query::Size | Query::Levels => {}
        }
        let count = self.kinds(self.f.ty(self.f.result_of(inst)?)).len();
        let level = self.f.args(inst).get(1).map_or(Part::number(0), |&value| self.one(value));
        let components = match query {
            Query::Size => ((1u16 << count) - 1) as u8,
            _ => 8,
        };
        // Height of one-dimensional arrays is where planes have it: layers stand third.
        let components = match (query, image.dim, image.arrayed) {
            (Query::Size, Dim::D1, true) => 5,
            _ => components,
        };
        let descriptor = self.image_words(at, handle)?;
        let shape = Self::shape(&image, false)?;
        let def = self.new_vector(count as u16);
        let modifiers = Modifiers { components, shape, ..Modifiers::default() };
        self.image_inst(at, Mimg::GetResinfo, (&[def], &[]), &[level], [Some(descriptor), None], modifiers);
        let mut parts = self.split(at, def);
        if image.dim == Dim::Cube && image.arrayed && query == Query::Size {
            let sixth = [(parts[2], WORD), (Part::number(0x2aaa_aaab), WORD)];
            parts[2] = self.vector(at, Op::Vop3(Vop3::MulHiU32), &sixth, Kind::Word);
        }
        Some(parts)
    }

    /// How many samples: descriptors have the logarithm where others have their last level.
    fn samples(&mut self, at: Block, handle: Handle) -> Option<Vec<Part>> {
        let descriptor = self.image_words(at, handle)?;
        let word = Self::part(descriptor.part(3, 1), Kind::Word);
        let log = self.integer(at, Ir::BitExtractU, &[word, Part::number(16), Part::number(4)], 32)?;
        Some(vec![self.integer(at, Ir::Shl, &[Part::number(1), log], 32)?])
    }

    /// The level that a quad samples, within those there are and as its changes have it.
    fn levels(
        &mut self,
        at: Block,
        inst: ir::Inst,
        (handle, image): (Handle, ir::ImageType),
    ) -> Option<Vec<Part>> {
        let coordinates = self.words_at(at, self.f.args(inst)[1]);
        let mut addresses = match image.dim {
            Dim::Cube => self.cube(at, &coordinates)?.0,
            _ => coordinates,
        };
        // The question has no layer.
        addresses.extend((image.arrayed && image.dim != Dim::Cube).then(|| Part::float(0.0)));
        let descriptors = [Some(self.image_words(at, handle)?), Some(self.sampler_words(at, handle)?)];
        let modifiers =
            Modifiers { components: 3, shape: Self::shape(&image, false)?, ..Modifiers::default() };
        let def = self.new_vector(2);
        self.image_inst(at, named("image_get_lod")?, (&[def], &[]), &addresses, descriptors, modifiers);
        Some(self.split(at, def))
    }

    /// Sampling and gathering.
    fn sampled(
        &mut self,
        at: Block,
        inst: ir::Inst,
        how: Sampling,
        (handle, image): (Handle, ir::ImageType),
    ) -> Option<Vec<Part>> {
        let asked = self.asked(at, inst, how)?;
        let offsets = match asked.offset.as_slice() {
            [] => vec![None],
            // A gather may have one for each texel; it takes what it finds there at the place itself, which comes last.
            of_four if how.gather && of_four.len() == 8 => of_four.chunks(2).map(Some).collect(),
            one => vec![Some(one)],
        };
        let addresses = self.sampled_at(at, how, image, &asked)?;
        let count = self.kinds(self.f.ty(self.f.result_of(inst)?)).len();
        let components = match (how.gather, asked.component) {
            (true, Some(part)) => 1u8 << part.bits()?.min(3),
            (true, None) => 1,
            _ => ((1u16 << count) - 1) as u8,
        };
        let op = named(&self.sample_name(how, &asked))?;
        let descriptors = [Some(self.image_words(at, handle)?), Some(self.sampler_words(at, handle)?)];
        let modifiers = Modifiers { components, shape: Self::shape(&image, false)?, ..Modifiers::default() };
        let mut found = Vec::new();
        for offset in &offsets {
            let offset = offset.map(|offset| self.packed_offset(at, offset));
            let own: Vec<Part> = offset.into_iter().chain(addresses.iter().copied()).collect();
            let def = self.new_vector(count as u16);
            self.image_inst(at, op, (&[def], &[]), &own, descriptors, modifiers);
            let parts = self.split(at, def);
            found.extend_from_slice(if offsets.len() > 1 { &parts[3..] } else { &parts });
        }
        Some(found)
    }

    /// What a sample is given. What is projected is divided here.
    fn asked(&mut self, at: Block, inst: ir::Inst, how: Sampling) -> Option<Asked> {
        let args = self.f.args(inst).to_vec();
        let mut rest = args[2..].iter().copied();
        let mut coordinates = self.words_at(at, args[1]);
        let mut next = |s: &mut Self, wanted: bool| {
            let value = if wanted { rest.next() } else { None };
            value.map_or_else(Vec::new, |value| s.words_at(at, value))
        };
        let mut reference = next(self, how.reference).first().copied();
        if how.projected {
            let divisor = coordinates.pop()?;
            let inverse = self.vector(at, Op::Vop1(Vop1::RcpF32), &[(divisor, FLOAT)], Kind::Word);
            coordinates = coordinates.into_iter().map(|part| self.product(at, part, inverse)).collect();
            reference = reference.map(|part| self.product(at, part, inverse));
        }
        let bias = next(self, how.bias).first().copied();
        let level = next(self, how.level).first().copied();
        let gradients = [next(self, how.gradients), next(self, how.gradients)];
        let offset = next(self, how.offset);
        let component = next(self, how.gather && !how.reference).first().copied();
        let minimum = next(self, how.minimum).first().copied();
        let has_quads = self.module.entries.first().is_some_and(ir::EntryPoint::has_quads);
        let is_of_quad = how.implicit() && has_quads;
        // Without quads there is nothing that a level comes from.
        let at_base =
            how.gather || how.implicit() && !has_quads || level.is_some_and(|level| level.bits() == Some(0));
        Some(Asked {
            coordinates,
            reference,
            bias: bias.filter(|_| is_of_quad),
            level: level.filter(|_| !at_base),
            gradients,
            offset,
            component,
            minimum: minimum.filter(|_| !at_base),
            at_base,
        })
    }

    /// Addresses behind the offset.
    fn sampled_at(
        &mut self,
        at: Block,
        how: Sampling,
        image: ir::ImageType,
        asked: &Asked,
    ) -> Option<Vec<Part>> {
        let mut gradients = asked.gradients.clone();
        let coordinates = match image.dim {
            Dim::Cube => {
                let (place, face) = self.cube(at, &asked.coordinates)?;
                if how.gradients {
                    gradients =
                        gradients.map(|change| self.across_face(at, &change, face).unwrap_or_default());
                }
                place
            }
            _ => self.with_layer(at, asked.coordinates.clone(), image.arrayed),
        };
        let mut addresses: Vec<Part> = asked.bias.into_iter().chain(asked.reference).collect();
        addresses.extend(gradients.into_iter().flatten());
        addresses.extend(coordinates);
        addresses.extend(asked.level.or(asked.minimum));
        Some(addresses)
    }

    fn sample_name(&self, how: Sampling, asked: &Asked) -> String {
        let level = match () {
            () if how.gradients => "_d",
            () if asked.at_base => "_lz",
            () if asked.level.is_some() => "_l",
            () if asked.bias.is_some() => "_b",
            () => "",
        };
        let kind = if how.gather { "gather4" } else { "sample" };
        let compares = if how.reference { "_c" } else { "" };
        let clamps = if asked.minimum.is_some() { "_cl" } else { "" };
        let moves = if asked.offset.is_empty() { "" } else { "_o" };
        format!("image_{kind}{compares}{level}{clamps}{moves}")
    }

    fn product(&mut self, at: Block, a: Part, b: Part) -> Part {
        self.vector(at, Op::Vop2(Vop2::MulF32), &[(a, FLOAT), (b, FLOAT)], Kind::Word)
    }

    /// Six bits of each offset, a byte apart.
    fn packed_offset(&mut self, at: Block, offset: &[Part]) -> Part {
        let mut word = Part::number(0);
        for (n, &part) in (0..).zip(offset) {
            let bits = match part.bits() {
                Some(bits) => Part::number((bits as u32 & 63) << (8 * n)),
                None => {
                    let field = [(part, WORD), (Part::number(0), WORD), (Part::number(6), WORD)];
                    let field = self.vector(at, Op::Vop3(Vop3::BfeU32), &field, Kind::Word);
                    self.shifted(at, field, 8 * n)
                }
            };
            word = match (word.bits(), bits.bits()) {
                (Some(a), Some(b)) => Part::number((a | b) as u32),
                _ => self.vector(at, Op::Vop2(Vop2::OrB32), &[(word, WORD), (bits, WORD)], Kind::Word),
            };
        }
        word
    }

    /// Layers are whole numbers.
    fn with_layer(&mut self, at: Block, mut coordinates: Vec<Part>, arrayed: bool) -> Vec<Part> {
        if let Some(layer) = coordinates.last_mut().filter(|_| arrayed) {
            let rounded = self.vector(at, Op::Vop1(Vop1::RndneF32), &[(*layer, FLOAT)], Kind::Word);
            *layer = rounded;
        }
        coordinates
    }

    /// A direction as a place on a face, and the number of the face behind it; what changes on the face come from.
    fn cube(&mut self, at: Block, direction: &[Part]) -> Option<(Vec<Part>, Face)> {
        let &[x, y, z, ..] = direction else { return None };
        let xyz = [(x, FLOAT), (y, FLOAT), (z, FLOAT)];
        let [major, s, t, number] = [Vop3::CubemaF32, Vop3::CubescF32, Vop3::CubetcF32, Vop3::CubeidF32]
            .map(|op| self.vector(at, Op::Vop3(op), &xyz, Kind::Word));
        let inverse = self.vector(at, Op::Vop1(Vop1::RcpF32), &[(major.absolute(), FLOAT)], Kind::Word);
        let place = |select: &mut Self, part: Part| {
            let parts = [(part, FLOAT), (inverse, FLOAT), (Part::float(1.5), FLOAT)];
            select.vector(at, Op::Vop3(Vop3::FmaF32), &parts, Kind::Word)
        };
        let places = [place(self, s), place(self, t)];
        let face = match direction.get(3) {
            Some(&layer) => {
                let layer = self.vector(at, Op::Vop1(Vop1::RndneF32), &[(layer, FLOAT)], Kind::Word);
                let parts = [(layer, FLOAT), (Part::float(8.0), FLOAT), (number, FLOAT)];
                self.vector(at, Op::Vop3(Vop3::FmaF32), &parts, Kind::Word)
            }
            None => number,
        };
        Some((vec![places[0], places[1], face], Face { number, major, inverse, sides: [s, t] }))
    }

    /// The change of a place on a face, of that of the direction: `(ds - s dm / m) / 2m`, where m is what points outwards.
    fn across_face(&mut self, at: Block, change: &[Part], face: Face) -> Option<Vec<Part>> {
        let &[x, y, z] = change else { return None };
        let reaches = |s: &mut Self, least: f32| {
            s.compared(at, Op::Vopc(Vopc::CmpLeF32), &[(Part::float(least), FLOAT), (face.number, FLOAT)])
        };
        let (of_z, beyond_x) = (reaches(self, 4.0), reaches(self, 2.0));
        let is_back =
            self.compared(at, Op::Vopc(Vopc::CmpGtF32), &[(Part::number(0), FLOAT), (face.major, FLOAT)]);
        let sign = self.choice(at, is_back, [Part::float(-1.0), Part::float(1.0)]);
        let signed = |s: &mut Self, part: Part| s.product(at, part, sign);
        let [x_out, y_out, z_out] = [x, y, z].map(|part| signed(self, part));
        // [specification of cube maps, by the faces +x -x +y -y +z -z]
        let among = |s: &mut Self, [of_x, of_y, of_z_face]: [Part; 3]| {
            let other = s.choice(at, beyond_x, [of_y, of_x]);
            s.choice(at, of_z, [of_z_face, other])
        };
        let outwards = among(self, [x_out, y_out, z_out]);
        let sides =
            [among(self, [z_out.negated(), x, x_out]), among(self, [y.negated(), z_out, y.negated()])];
        let shift = self.product(at, outwards, face.inverse);
        let along = |s: &mut Self, (side, change): (Part, Part)| {
            let twice = s.vector(at, Op::Vop2(Vop2::AddF32), &[(shift, FLOAT), (shift, FLOAT)], Kind::Word);
            let parts = [(side.negated(), FLOAT), (twice, FLOAT), (change, FLOAT)];
            let sum = s.vector(at, Op::Vop3(Vop3::FmaF32), &parts, Kind::Word);
            s.product(at, sum, face.inverse)
        };
        Some(face.sides.into_iter().zip(sides).map(|pair| along(self, pair)).collect())
    }

    /// An atomic operation on a texel.
    pub(super) fn image_atomic(&mut self, at: Block, inst: ir::Inst, op: Ir) -> Option<Vec<Part>> {
        let args = self.f.args(inst).to_vec();
        let Def::Result(texel, _) = self.f.def(args[0]) else { return None };
        if self.f.op(texel) != Ir::TexelPointer {
            return None;
        }
        let place = self.f.args(texel).to_vec();
        let image = self.image_type(place[0])?;
        if image.dim == Dim::Buffer {
            return self.texel_atomic(at, inst, op, (place[0], place[1]));
        }
        let addresses = self.words_at(at, place[1]);
        let descriptor = self.handle_words(at, place[0], 8, 0)?;
        let data: Vec<Part> = args[1..].iter().map(|&arg| self.one(arg)).collect();
        let (op, is_load) = image_atomic(op)?;
        let shape = Self::shape(&image, true)?;
        let count = data.len().max(1);
        let components = ((1u16 << count) - 1) as u8;
        let modifiers = Modifiers { shape, components, ..Modifiers::default() }.with(flag::UNORM | flag::GLC);
        let result = self.f.result_of(inst);
        let def = self.new_vector(count as u16);
        let made = if is_load {
            self.image_inst(at, op, (&[def], &[]), &addresses, [Some(descriptor), None], modifiers)
        } else {
            let data = self.collect(at, &data);
            match (op, result) {
                (Mimg::Store, _) => {
                    self.image_inst(at, op, (&[], &[data]), &addresses, [Some(descriptor), None], modifiers)
                }
                _ => self.image_inst(
                    at,
                    op,
                    (&[def], &[data.tied(0)]),
                    &addresses,
                    [Some(descriptor), None],
                    modifiers,
                ),
            }
        };
        self.code.inst_mut(made).effects.writes |= Effects::IMAGE;
        Some(result.map(|_| vec![Self::part(def, Kind::Word)]).unwrap_or_default())
    }

    /// A ray against a node of a tree, which lies in a buffer (spec section 8.6).
    pub(super) fn intersect(&mut self, at: Block, inst: ir::Inst) -> Option<Vec<Part>> {
        let args = self.f.args(inst).to_vec();
        let (&pointer, rest) = args.split_last()?;
        let Root::Global(g) = self.path(pointer)?.root else { return None };
        let buffer = *self.descriptors.get(&(g, 0))?;
        let descriptor = self.tree_words(at, buffer);
        let mut addresses = Vec::new();
        for (n, &value) in rest.iter().enumerate() {
            addresses.extend(self.words_at(at, value));
            // Nodes are told by 64 bits, and lie within the first of their words.
            addresses.extend((n == 0).then_some(Part::number(0)));
        }
        let def = self.new_vector(4);
        let modifiers = Modifiers { components: 15, ..Modifiers::default() };
        let op = Mimg::Bvh64IntersectRay;
        let made = self.image_inst(at, op, (&[def], &[]), &addresses, [Some(descriptor), None], modifiers);
        self.code.inst_mut(made).effects.reads |= Effects::IMAGE;
        Some(self.split(at, def))
    }

    /// The descriptor of the tree in a buffer: its address in units of 256 bytes, children sorted by distance, no end,
    /// shares within triangles.
    fn tree_words(&mut self, at: Block, buffer: Operand) -> Operand {
        const SORTED: u32 = 1 << 31;
        const ENDLESS: u32 = 0x3ff;
        const SHARES: u32 = 1 << 24;
        const TREE: u32 = 8 << 28;
        let whole = Self::part(buffer, Kind::Word);
        let [low, high] = [whole.half(0), whole.half(1)];
        let joined = self.joined(at, [low, high]);
        let unit = (Op::Sop2(Sop2::LshrB64), [joined, Part::number(8)]);
        let moved = self.scalar(at, unit.0, &unit.1, Kind::Pair);
        let top = [moved.half(1), Part::number(0xff)];
        let top = self.scalar(at, Op::Sop2(Sop2::AndB32), &top, Kind::Word);
        let top = self.scalar(at, Op::Sop2(Sop2::OrB32), &[top, Part::number(SORTED)], Kind::Word);
        let words = [moved.half(0), top, Part::number(u32::MAX), Part::number(ENDLESS | SHARES | TREE)];
        let words: Vec<Operand> = words.into_iter().map(|word| self.in_scalar(at, word)).collect();
        let def = self.new_scalar(4);
        self.collect_into(at, def, &words);
        def
    }

    /// Whether a pointer leads to texels.
    pub(super) fn is_texel(&self, pointer: ir::Value) -> bool {
        self.module.types.pointee(self.f.ty(pointer)).is_some_and(|(space, _)| space == Space::Image)
    }
}

/// The image instruction of an atomic operation, and whether it only loads.
fn image_atomic(op: Ir) -> Option<(Mimg, bool)> {
    use Mimg as M;
    let made = match op {
        Ir::AtomicLoad(..) => return Some((M::Load, true)),
        Ir::AtomicStore(..) => M::Store,
        Ir::AtomicCompare(..) => M::AtomicCmpswap,
        Ir::Atomic(combine, ..) => match combine {
            Combine::IAdd => M::AtomicAdd,
            Combine::SMin => M::AtomicSmin,
            Combine::UMin => M::AtomicUmin,
            Combine::SMax => M::AtomicSmax,
            Combine::UMax => M::AtomicUmax,
            Combine::And => M::AtomicAnd,
            Combine::Or => M::AtomicOr,
            Combine::Xor => M::AtomicXor,
            Combine::Exchange => M::AtomicSwap,
            Combine::FMin => M::AtomicFmin,
            Combine::FMax => M::AtomicFmax,
            _ => return None,
        },
        _ => return None,
    };
    Some((made, false))
}
