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
use crate::abi::interface::{Bound, Resource};
use crate::compile::code::{Modifiers, flag};
use crate::isa::Op;
use crate::isa::mimg::Mimg;
use crate::isa::sop2::Sop2;
use crate::isa::vop1::Vop1;
use crate::isa::vop2::Vop2;
use crate::isa::vop3::Vop3;

/// Bytes from the descriptor of an image with a sampler to that of the sampler (spec section 17).
const SAMPLER: u32 = 80;

/// An image, and where its sampler is.
#[derive(Clone, Copy)]
struct Handle {
    image: ir::Value,
    sampler: Option<ir::Value>,
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

    /// Loads the descriptors of images and samplers that are there once.
    pub(super) fn load_handles(&mut self, set: u32, base: Operand) {
        let single = |b: &&Bound| b.binding.0 == set && b.count == 1;
        for bound in self.interface.resources.iter().filter(single).cloned().collect::<Vec<_>>() {
            let parts: &[(u16, u32)] = match bound.resource {
                Resource::Image => &[(8, 0)],
                Resource::UniformTexels | Resource::StorageTexels => &[(4, 0)],
                Resource::Sampled => &[(8, 0), (4, SAMPLER)],
                Resource::Sampler => &[(4, 0)],
                _ => continue,
            };
            for &(words, bytes) in parts {
                let made = self.scalar_load(self.entry, words, base, (bound.offset + bytes) as i32, None);
                for n in 0..self.module.globals.len() as u32 {
                    let is_handle = self.module.global(GlobalRef(n)).space == Space::UniformConstant;
                    if is_handle && self.binding_of(GlobalRef(n)) == bound.binding {
                        self.descriptors.insert((GlobalRef(n), bytes + 1), made);
                    }
                }
            }
        }
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
        let count = self.kinds(self.f.ty(self.f.result_of(inst)?)).len();
        let level = self.f.args(inst).get(1).map_or(Part::number(0), |&value| self.one(value));
        let components = match query {
            Query::Size => ((1u16 << count) - 1) as u8,
            Query::Levels => 8,
            _ => return None,
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

    /// Sampling and gathering.
    fn sampled(
        &mut self,
        at: Block,
        inst: ir::Inst,
        how: Sampling,
        (handle, image): (Handle, ir::ImageType),
    ) -> Option<Vec<Part>> {
        let args = self.f.args(inst).to_vec();
        let mut rest = args[2..].iter().copied();
        let mut coordinates = self.words_at(at, args[1]);
        if how.projected {
            let divisor = coordinates.pop()?;
            let inverse = self.vector(at, Op::Vop1(Vop1::RcpF32), &[(divisor, FLOAT)], Kind::Word);
            coordinates = coordinates.into_iter().map(|part| self.product(at, part, inverse)).collect();
        }
        let mut next = |s: &mut Self, wanted: bool| {
            let value = if wanted { rest.next() } else { None };
            value.map(|value| s.words_at(at, value))
        };
        let reference = next(self, how.reference).map(|parts| parts[0]);
        let bias = next(self, how.bias);
        let level = next(self, how.level).map(|parts| parts[0]);
        let gradients = [next(self, how.gradients), next(self, how.gradients)];
        let offset = next(self, how.offset);
        let component = next(self, how.gather && !how.reference);
        let _minimum = next(self, how.minimum);
        let _ = bias;
        let at_base = how.implicit() || how.gather || level.is_some_and(|level| level.bits() == Some(0));
        let shape = Self::shape(&image, false)?;
        let mut addresses = Vec::new();
        if let Some(offset) = &offset {
            addresses.push(self.packed_offset(at, offset));
        }
        addresses.extend(reference);
        for gradient in gradients.iter().flatten() {
            addresses.extend(gradient);
        }
        let coordinates = match image.dim {
            Dim::Cube => self.cube(at, &coordinates)?,
            _ => self.with_layer(at, coordinates, image.arrayed),
        };
        addresses.extend(coordinates);
        addresses.extend(level.filter(|_| !at_base));
        let name = format!(
            "image_{}{}{}{}",
            if how.gather { "gather4" } else { "sample" },
            if how.reference { "_c" } else { "" },
            if how.gradients {
                "_d"
            } else if at_base {
                "_lz"
            } else {
                "_l"
            },
            if offset.is_some() { "_o" } else { "" },
        );
        let count = self.kinds(self.f.ty(self.f.result_of(inst)?)).len();
        let components = match (how.gather, component) {
            (true, Some(parts)) => 1u8 << parts.first()?.bits()?.min(3),
            (true, None) => 1,
            _ => ((1u16 << count) - 1) as u8,
        };
        let descriptors = [Some(self.image_words(at, handle)?), Some(self.sampler_words(at, handle)?)];
        let def = self.new_vector(count as u16);
        let modifiers = Modifiers { components, shape, ..Modifiers::default() };
        self.image_inst(at, named(&name)?, (&[def], &[]), &addresses, descriptors, modifiers);
        Some(self.split(at, def))
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

    /// A direction as a place on a face, and the number of the face.
    fn cube(&mut self, at: Block, direction: &[Part]) -> Option<Vec<Part>> {
        let &[x, y, z, ..] = direction else { return None };
        let xyz = [(x, FLOAT), (y, FLOAT), (z, FLOAT)];
        let [major, s, t, face] = [Vop3::CubemaF32, Vop3::CubescF32, Vop3::CubetcF32, Vop3::CubeidF32]
            .map(|op| self.vector(at, Op::Vop3(op), &xyz, Kind::Word));
        let inverse = self.vector(at, Op::Vop1(Vop1::RcpF32), &[(major.absolute(), FLOAT)], Kind::Word);
        let place = |select: &mut Self, part: Part| {
            let parts = [(part, FLOAT), (inverse, FLOAT), (Part::float(1.5), FLOAT)];
            select.vector(at, Op::Vop3(Vop3::FmaF32), &parts, Kind::Word)
        };
        let (s, t) = (place(self, s), place(self, t));
        let face = match direction.get(3) {
            Some(&layer) => {
                let layer = self.vector(at, Op::Vop1(Vop1::RndneF32), &[(layer, FLOAT)], Kind::Word);
                let parts = [(layer, FLOAT), (Part::float(8.0), FLOAT), (face, FLOAT)];
                self.vector(at, Op::Vop3(Vop3::FmaF32), &parts, Kind::Word)
            }
            None => face,
        };
        Some(vec![s, t, face])
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
            _ => return None,
        },
        _ => return None,
    };
    Some((made, false))
}
