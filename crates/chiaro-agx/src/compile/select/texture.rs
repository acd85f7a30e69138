//! Textures and images (spec 9.1, 9.2, 23).
//!
//! Textures have the states 0, 1, ... in the order of declaration, then images two each: one to read, one to write.
//! What has no state any more is read by its descriptor in memory, where all of them stand in this order.
//! Sampler 0 is that of fetches, those of the program follow it.

use chiaro_diag::Tally;
use chiaro_ir as ir;
use chiaro_ir::{Def, Dim, GlobalRef, ImageType, Op as Ir, Query, Root, Sampling, Space, Stage, Type};
use chiaro_mach::{Block, Operand, Outcome, What};

use super::Select;
use super::asked::OfImage;
use super::held::Bound;
use super::image::Image;
use super::part::{Part, Widened};
use super::test::Test;
use crate::abi::counts::{MOST_SAMPLERS, MOST_TEXTURES};
use crate::abi::descriptor::TEXTURE_BYTES;
use crate::compile::code::condition::{ABOVE, BELOW};
use crate::compile::code::{GPR, Modifiers, SAMPLER, STATE, TextureModifiers, UNIFORM, format, table};
use crate::container::file::{self, Held};
use crate::isa::Op;
use crate::isa::float::Float;
use crate::isa::integer::Integer;
use crate::isa::memory::Memory;
use crate::isa::texture::Texture;

/// Words of a descriptor, and its bytes.
pub(super) const WORDS: u32 = BYTES / 4;
const BYTES: u32 = TEXTURE_BYTES as u32;
/// Descriptors in memory that a file can name.
const MOST_DESCRIPTORS: u32 = 256;
/// Width of a buffer that is read as a texture, as a power of two (spec 23.8).
const ROW_BITS: u32 = 14;
/// The shape of that.
const ROWS: u8 = 2;
/// Of the four texels of a gather the one that its coordinates lead to: how many there are, and which.
const OWN_TEXEL: (u16, u8) = (4, 1 << 3);
/// A coordinate that lies outside of everything (spec 23.10).
const OUTSIDE: u32 = 0xfff0;
/// How the level is found: by modes (spec 9.1).
const AUTO: u8 = 0;
const BIAS: u8 = 1;
const LEVEL: u8 = 2;
const GRADIENTS: u8 = 4;

impl Select<'_> {
    /// Gives textures, images and samplers their states.
    pub(super) fn place_states(&mut self) -> Outcome {
        let used = self.used(Space::UniformConstant);
        let (mut textures, mut samplers) = (0u16, 1u16);
        let mut tally = Tally::new("textures and images", "descriptors", MOST_DESCRIPTORS);
        for is_storage in [false, true] {
            for &g in &used {
                let Some((ty, count)) = self.image_type(g) else { continue };
                if let (Some(Bound::Heap { state, .. }), false) = (self.standing(g), is_storage) {
                    self.textures.insert(g, state);
                }
                if ty.storage != is_storage || self.standing(g).is_some() {
                    continue;
                }
                let each = if is_storage { 2 } else { 1 };
                tally.add(&self.module.global(g).name, self.module.global(g).span, u32::from(each * count));
                self.textures.insert(g, textures);
                self.interface.textures.push((g, textures, count));
                self.state(g, false, textures, each * count);
                textures += each * count;
            }
        }
        let mut sampled = Tally::new("samplers", "sampler states", u32::from(MOST_SAMPLERS) - 1);
        for &g in &used {
            if let Some(count) = self.sampler_count(g) {
                sampled.add(&self.module.global(g).name, self.module.global(g).span, count.into());
                self.samplers.insert(g, samplers);
                self.interface.samplers.push((g, samplers, count));
                self.state(g, true, samplers, count);
                samplers += count;
            }
        }
        if textures > 0 && self.stage != Stage::Fragment {
            self.heap = self.hold(heap(), 4, 4);
        }
        // Targets without room have their descriptors behind those of the shader (spec 23.1).
        self.link.rt_spill_base = textures.into();
        let texture = tally.overflow().map(|error| error.help("put several images into one texture"));
        let sampler =
            sampled.overflow().map(|error| error.help("let textures share a `sampler` of their own"));
        let errors: Vec<_> = texture.into_iter().chain(sampler).collect();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    fn state(&mut self, g: GlobalRef, is_sampler: bool, first: u16, count: u16) {
        let global = self.module.global(g);
        for n in 0..count {
            self.states.push(file::State {
                is_sampler,
                register: (first + n) as u8,
                name: global.name.clone(),
                set: global.binding.set.unwrap_or(0),
                binding: global.binding.binding.unwrap_or(0),
            });
        }
    }

    /// The image that a variable is, or how many of an array.
    fn image_type(&self, g: GlobalRef) -> Option<(ImageType, u16)> {
        let (ty, count) = self.element(g);
        match *self.module.types.get(ty) {
            Type::Image(image) | Type::SampledImage(image) => Some((image, count)),
            _ => None,
        }
    }

    fn sampler_count(&self, g: GlobalRef) -> Option<u16> {
        let (ty, count) = self.element(g);
        matches!(self.module.types.get(ty), Type::Sampler | Type::SampledImage(_)).then_some(count)
    }

    fn element(&self, g: GlobalRef) -> (ir::Ty, u16) {
        let (mut ty, mut count) = (self.module.global(g).ty, 1u16);
        while let Type::Array(elem, n, _) = *self.module.types.get(ty) {
            (ty, count) = (elem, count.saturating_mul(n as u16));
        }
        (ty, count)
    }

    /// The texture or image that a handle stands for.
    fn image(&mut self, handle: ir::Value) -> Option<Image> {
        let Def::Result(inst, _) = self.f.def(handle) else { return None };
        match self.f.op(inst) {
            Ir::SampledImage | Ir::ImageOf => self.image(self.f.args(inst)[0]),
            Ir::Load => {
                let (g, index) = self.handle(self.f.args(inst)[0])?;
                self.image_of(g, index)
            }
            _ => None,
        }
    }

    pub(super) fn image_of(&mut self, g: GlobalRef, index: Option<Part>) -> Option<Image> {
        let (ty, _) = self.image_type(g)?;
        let first = *self.textures.get(&g)?;
        let each = if ty.storage { 2 } else { 1 };
        let (in_heap, bytes) = match self.standing(g) {
            Some(Bound::Heap { bytes, .. }) => (true, bytes),
            _ => (false, bytes(ty.format)),
        };
        let whole = Image { state: first, index: None, ty, bytes, in_heap };
        Some(match index.map(|index| (index, index.bits())) {
            None => whole,
            Some((_, Some(n))) => Image { state: first + each * n as u16, ..whole },
            Some((index, None)) => Image { index: Some(index), ..whole },
        })
    }

    /// The variable of a handle, and which of an array.
    pub(super) fn handle(&mut self, pointer: ir::Value) -> Option<(GlobalRef, Option<Part>)> {
        let path = self.path(pointer)?;
        let Root::Global(g) = path.root else { return None };
        let index = match path.steps.as_slice() {
            [] => None,
            [(_, index)] => Some(self.scalar(*index)),
            _ => return None,
        };
        Some((g, index))
    }

    /// The sampler that goes with a sampled image.
    fn sampler(&mut self, at: Block, handle: ir::Value) -> Option<Operand> {
        let Def::Result(inst, _) = self.f.def(handle) else { return None };
        let (g, index) = match self.f.op(inst) {
            Ir::SampledImage => {
                let Def::Result(load, _) = self.f.def(self.f.args(inst)[1]) else { return None };
                self.handle(self.f.args(load)[0])?
            }
            _ => self.handle(self.f.args(inst)[0])?,
        };
        let first = *self.samplers.get(&g)?;
        let slot = |n: u16| Operand { what: What::Slot(n.into()), file: SAMPLER, ..Operand::default() };
        Some(match index.map(|index| (index, index.bits())) {
            None => slot(first),
            Some((_, Some(n))) => slot(first + n as u16),
            Some((index, None)) => {
                let number = self.integer_two(at, Integer::Iadd, 1, index, Part::half(first), 0);
                self.register(at, number)
            }
        })
    }

    /// The state as an operand: by number, or by the place of its descriptor. `more` is 1 for what is written.
    fn texture(&mut self, at: Block, image: &Image, more: u16) -> (Operand, u8) {
        let state = image.state + more;
        match image.index {
            None if state < MOST_TEXTURES && !image.in_heap => {
                (Operand { what: What::Slot(state.into()), file: STATE, ..Operand::default() }, 0)
            }
            _ => {
                let offset = self.descriptor(at, image, BYTES, u32::from(more) * BYTES);
                (self.register(at, offset), 1 + (self.heap / 4) as u8)
            }
        }
    }

    /// Where the descriptor of an image begins, in units of which it has so many, plus some.
    pub(super) fn descriptor(&mut self, at: Block, image: &Image, units: u32, more: u32) -> Part {
        let each = if image.ty.storage { 2 * units } else { units };
        let terms: Vec<(Part, u32)> = image.index.into_iter().map(|index| (index, each)).collect();
        self.index(at, 2, &terms, i64::from(u32::from(image.state) * units + more))
    }

    /// A word of the descriptor, from memory (spec 23.4).
    fn word(&mut self, at: Block, image: &Image, word: u32) -> Part {
        let place = self.descriptor(at, image, WORDS, word);
        let base =
            Operand { what: What::Slot(self.heap.into()), file: UNIFORM, size: 4, ..Operand::default() };
        // Neighbours have the same index.
        let (index, mask) = match place.bits() {
            Some(n) => (Operand::imm(n & !3), 1 << (n & 3)),
            None => (self.register(at, place), 1),
        };
        let modifiers = Modifiers { format: format::I32, mask, unsigned: true, ..Modifiers::default() };
        self.make(at, Op::Memory(Memory::DeviceLoad), 2, &[base, index], modifiers)
    }

    pub(super) fn field_of(&mut self, at: Block, word: Part, from: u32, width: u8) -> Part {
        let uses = [Operand::imm(0), self.integer(at, word, false), Operand::imm(from.into())];
        let modifiers = Modifiers { field: width, ..Modifiers::default() };
        self.make(at, Op::Integer(Integer::Bfeil), 2, &uses, modifiers)
    }

    /// Layers less one.
    pub(super) fn last_layer(&mut self, at: Block, image: &Image) -> Part {
        if let Some(known) = self.of_image(OfImage::LastLayer, image, &[2]) {
            return known[0];
        }
        let word = self.word(at, image, 3);
        self.field_of(at, word, 14, 14)
    }

    /// Texels of a buffer.
    pub(super) fn length_of_buffer(&mut self, at: Block, image: &Image) -> Part {
        match self.of_image(OfImage::Length, image, &[2]) {
            Some(known) => known[0],
            None => self.word(at, image, 4),
        }
    }

    pub(super) fn unsigned_bound(&mut self, at: Block, condition: u8, a: Part, b: Part) -> Part {
        let (x, y) = (self.integer(at, a, false), self.integer(at, b, false));
        let test = Test { is_float: false, condition, a: x, b: y };
        self.select(at, &test, a, b)
    }

    /// Samples, gathers, asks for a level.
    pub(super) fn sample(&mut self, at: Block, inst: ir::Inst, s: Sampling) -> Option<Vec<Part>> {
        if s.minimum {
            return None;
        }
        let args: Vec<ir::Value> = self.f.args(inst).to_vec();
        let image = self.image(args[0])?;
        let sampler = self.sampler(at, args[0])?;
        let mut rest = args[2..].iter().copied();
        let mut given = self.value(args[1]);
        let mut reference = if s.reference { Some(self.scalar(rest.next()?)) } else { None };
        let bias = if s.bias { Some(self.scalar(rest.next()?)) } else { None };
        let level = if s.level { Some(self.scalar(rest.next()?)) } else { None };
        let gradients = match s.gradients {
            true => Some([self.value(rest.next()?), self.value(rest.next()?)]),
            false => None,
        };
        let offset = if s.offset { Some(self.value(rest.next()?)) } else { None };
        let component = if s.gather && !s.reference { Some(self.scalar(rest.next()?)) } else { None };
        if s.projected {
            let divisor = *given.last()?;
            let inverse = self.special(at, Float::Rcp, 2, divisor);
            given = given[..image.extent()].iter().map(|&part| self.product(at, 2, part, inverse)).collect();
            reference = reference.map(|part| self.product(at, 2, part, inverse));
        }
        let coordinates = self.coordinates(at, &image, &given)?;
        // Threads that are no fragments have no neighbours.
        let level = match s.implicit() && self.stage != Stage::Fragment {
            true => Some(level.unwrap_or(Part::float(0.0))),
            false => level,
        };
        let (mode, operand) = match (gradients, level, bias) {
            (Some([x, y]), ..) => (GRADIENTS, self.gradients(at, &image, &x, &y)),
            (_, Some(level), _) => (LEVEL, self.narrow_float(at, level)),
            (.., Some(bias)) => (BIAS, self.narrow_float(at, bias)),
            _ => (AUTO, Operand::imm(0)),
        };
        let gather = match (s.gather, component.and_then(Part::bits)) {
            (false, _) => 0,
            (true, None) => 3,
            (true, Some(n)) => [2, 6, 10, 14][(n & 3) as usize],
        };
        let texture = TextureModifiers {
            level: mode,
            gather,
            compare: s.reference,
            shape: image.shape(),
            ..TextureModifiers::default()
        };
        let count = if s.reference && !s.gather { 1 } else { 4 };
        let operands = [coordinates, operand, sampler];
        if let Some(all) = offset.as_deref().filter(|all| s.gather && all.len() == 4 * image.extent()) {
            return self.gather_apart(at, &image, texture, (reference, all), operands);
        }
        let other = self.other(at, &image, reference, offset.as_deref())?;
        let wanted = self.wanted(inst, count);
        let operands = [coordinates, operand, other, sampler];
        Some(self.read(at, Texture::TextureSample, &image, texture, wanted, operands))
    }

    /// Of four gathers, each with its own offset, the texel that the offset leads to.
    fn gather_apart(
        &mut self,
        at: Block,
        image: &Image,
        texture: TextureModifiers,
        (reference, offsets): (Option<Part>, &[Part]),
        [coordinates, level, sampler]: [Operand; 3],
    ) -> Option<Vec<Part>> {
        let one = |offset: &[Part]| {
            let other = self.other(at, image, reference, Some(offset))?;
            let operands = [coordinates, level, other, sampler];
            let read = self.read(at, Texture::TextureSample, image, texture, OWN_TEXEL, operands);
            read.last().copied()
        };
        offsets.chunks(image.extent()).map(one).collect()
    }

    /// The components that somebody reads of so many, by bit: at least one.
    fn wanted(&self, inst: ir::Inst, count: u16) -> (u16, u8) {
        let all = ((1u16 << count) - 1) as u8;
        let demanded = self.f.result_of(inst).map(|result| self.demanded[result.0 as usize]);
        (count, demanded.filter(|&mask| mask != 0).map_or(all, |mask| mask & all).max(1))
    }

    /// A read of texels: coordinates, level, reference and offset, sampler.
    fn read(
        &mut self,
        at: Block,
        op: Texture,
        image: &Image,
        texture: TextureModifiers,
        (count, mask): (u16, u8),
        [coordinates, level, other, sampler]: [Operand; 4],
    ) -> Vec<Part> {
        let (state, base) = self.texture(at, image, 0);
        let value = self.code.value(GPR, 2 * mask.count_ones() as u16, 2);
        let def = self.code.operand(value);
        let texture = TextureModifiers { base, ..texture };
        let modifiers = Modifiers { mask, texture, ..Modifiers::default() };
        let uses = [coordinates, state, sampler, level, other];
        self.push(at, Op::Texture(op), &[def], &uses, modifiers);
        let mut read = self.split(at, def, 2).into_iter();
        let part = |n: u16| if mask >> n & 1 == 1 { read.next() } else { None };
        (0..count).map(part).map(|part| part.unwrap_or(Part::undef(2))).collect()
    }

    fn narrow_float(&mut self, at: Block, part: Part) -> Operand {
        if let Some(bits) = part.bits().filter(|_| part.size == 2) {
            let half = chiaro_num::F16.encode(f32::from_bits(bits as u32).into(), crate::operand::NEAREST);
            return self.low_uniform(at, Part::half(half as u16));
        }
        let half = if part.size == 1 { part } else { self.float_copy(at, part, 1) };
        self.low_uniform(at, half)
    }

    /// A half that is read from a uniform if it is a number.
    fn low_uniform(&mut self, at: Block, half: Part) -> Operand {
        match half.bits() {
            Some(bits) => self.pooled(at, bits, 1),
            None => self.register(at, half),
        }
    }

    /// Coordinates of a sample one behind the other; a line is the middle of a row, a layer a whole number.
    fn coordinates(&mut self, at: Block, image: &Image, given: &[Part]) -> Option<Operand> {
        let extent = image.extent();
        let mut all: Vec<Part> = given.get(..extent)?.to_vec();
        if image.ty.dim == Dim::D1 {
            all.push(Part::float(0.5));
        }
        if image.ty.arrayed {
            let layer = *given.get(extent)?;
            let layer = self.layer(at, image, layer);
            all.push(layer.halves(0, 1)?);
        }
        Some(self.collect(at, &all))
    }

    /// The number of the nearest layer, within those that there are.
    fn layer(&mut self, at: Block, image: &Image, layer: Part) -> Part {
        let Some(bits) = layer.bits().filter(|_| layer.size == 2) else {
            let near = self.special(at, Float::Rint, 2, layer);
            let positive = self.bound(at, 2, 7, near, Part::float(0.0));
            let number = self.unsigned_of(at, positive);
            return self.within_layers(at, image, number);
        };
        let number = f32::from_bits(bits as u32).round_ties_even().max(0.0) as u32;
        if number == 0 {
            return Part::number(0);
        }
        match self.of_image(OfImage::Layer(number), image, &[2]) {
            Some(known) => known[0],
            None => self.within_layers(at, image, Part::number(number)),
        }
    }

    pub(super) fn within_layers(&mut self, at: Block, image: &Image, number: Part) -> Part {
        let last = self.last_layer(at, image);
        let layer = self.unsigned_bound(at, BELOW, number, last);
        self.in_register(at, layer)
    }

    /// Changes along x and y by turns.
    fn gradients(&mut self, at: Block, image: &Image, x: &[Part], y: &[Part]) -> Operand {
        let pairs = x.iter().zip(y).take(image.extent());
        let mut all: Vec<Part> = pairs.flat_map(|(&x, &y)| [x, y]).collect();
        if image.ty.dim == Dim::D1 {
            all.extend([Part::float(0.0); 2]);
        }
        self.collect(at, &all)
    }

    /// Reference and offset: nibbles of a half (spec 9.1).
    fn other(
        &mut self,
        at: Block,
        image: &Image,
        reference: Option<Part>,
        offset: Option<&[Part]>,
    ) -> Option<Operand> {
        let nothing = Operand::default();
        let offset = match offset {
            None => None,
            Some(parts) if parts.len() > image.extent() => return None,
            Some(parts) => Some(self.nibbles(at, parts)),
        };
        Some(match (reference, offset) {
            (None, None) => nothing,
            (Some(reference), None) => self.register(at, reference),
            (None, Some(offset)) => self.register(at, offset),
            (Some(reference), Some(offset)) => self.collect(at, &[reference, offset]),
        })
    }

    fn nibbles(&mut self, at: Block, parts: &[Part]) -> Part {
        let known: Option<u64> = (0..).zip(parts).map(|(n, part)| Some((part.bits()? & 15) << (4 * n))).sum();
        if let Some(bits) = known {
            return Part::half(bits as u16);
        }
        let mut all = Part::half(0);
        for (n, &part) in (0..).zip(parts) {
            let part = part.halves(0, 1).unwrap_or(part);
            all = self.insert_bits(at, [all, part, Part::number(4 * n), Part::number(4)]);
        }
        all
    }

    /// Reads a texel.
    pub(super) fn fetch(&mut self, at: Block, inst: ir::Inst) -> Option<Vec<Part>> {
        let args: Vec<ir::Value> = self.f.args(inst).to_vec();
        let image = self.image(args[0])?;
        let given = self.value(args[1]);
        let last = args.get(2).map(|&value| self.scalar(value));
        let (level, sample) = if image.ty.multisampled { (None, last) } else { (last, None) };
        let coordinates = self.texel(at, &image, &given, sample)?;
        let (mode, operand) = match level.filter(|level| level.bits() != Some(0)) {
            None => (AUTO, Operand::imm(0)),
            Some(level) => {
                let low = level.halves(0, 1).unwrap_or(level);
                (LEVEL, self.low_uniform(at, low))
            }
        };
        let texture = TextureModifiers {
            level: mode,
            shape: image.shape(),
            written: image.ty.storage,
            ..TextureModifiers::default()
        };
        let none = Operand::default();
        let sampler = Operand { what: What::Slot(0), file: SAMPLER, ..Operand::default() };
        let wanted = self.wanted(inst, 4);
        let operands = [coordinates, operand, none, sampler];
        Some(self.read(at, Texture::TextureLoad, &image, texture, wanted, operands))
    }

    /// Coordinates of a texel one behind the other. Buffers are rows of a texture (spec 23.8), the faces of a cube
    /// layers; what is outside of the layers is outside of everything.
    fn texel(&mut self, at: Block, image: &Image, given: &[Part], sample: Option<Part>) -> Option<Operand> {
        if image.ty.dim == Dim::Buffer {
            let index = *given.first()?;
            let size = self.length_of_buffer(at, image);
            let inside = {
                let (a, b) = (self.integer(at, index, false), self.integer(at, size, false));
                Test { is_float: false, condition: BELOW, a, b }
            };
            let index = self.select(at, &inside, index, Part::number(u32::MAX));
            let x = self.bits(at, 2, table::AND, index, Part::number((1 << ROW_BITS) - 1));
            let y = self.field_of(at, index, ROW_BITS, 0);
            return Some(self.collect(at, &[x, y]));
        }
        let extent = if image.ty.dim == Dim::Cube { 2 } else { image.extent() };
        let mut all: Vec<Part> = given.get(..extent)?.to_vec();
        if image.ty.dim == Dim::D1 {
            all.push(Part::number(0));
        }
        let has_layer = image.ty.arrayed || image.ty.dim == Dim::Cube;
        let low = |s: &mut Self, part: Part| match part.halves(0, 1) {
            Some(low) => low,
            None => s.in_register(at, part),
        };
        let layer = match has_layer {
            true => {
                let layer = *given.get(extent)?;
                // Pixels are in a layer of their target.
                if !image.in_heap {
                    let last = self.last_layer(at, image);
                    let (a, b) = (self.integer(at, layer, false), self.integer(at, last, false));
                    let beyond = Test { is_float: false, condition: ABOVE, a, b };
                    all[0] = self.select(at, &beyond, Part::number(OUTSIDE), all[0]);
                }
                Some(low(self, layer))
            }
            false => None,
        };
        if let Some(sample) = sample {
            all.push(low(self, sample));
        }
        all.extend(layer);
        Some(self.collect(at, &all))
    }

    /// Writes a texel.
    pub(super) fn image_write(&mut self, at: Block, inst: ir::Inst) -> Option<()> {
        let args: Vec<ir::Value> = self.f.args(inst).to_vec();
        let image = self.image(args[0])?;
        let given = self.value(args[1]);
        let (coordinates, shape) = match args.get(3) {
            Some(&sample) if image.ty.multisampled => {
                let sample = self.scalar(sample);
                (self.sample_in_row(at, &image, &given, sample)?, ROWS)
            }
            _ => (self.texel(at, &image, &given, None)?, image.shape()),
        };
        let mut parts = self.value(args[2]);
        parts.resize(4, Part::number(0));
        // What the format has no channels for is nobody's.
        parts[channels(image.ty.format)..].fill(Part::undef(2));
        let data = self.collect(at, &parts);
        let (state, base) = self.texture(at, &image, 1);
        let texture = TextureModifiers { shape, base, ..TextureModifiers::default() };
        let modifiers = Modifiers { mask: 15, texture, ..Modifiers::default() };
        self.push(at, Op::Texture(Texture::ImageWrite), &[], &[data, coordinates, state], modifiers);
        self.writes_heap |= image.in_heap;
        Some(())
    }

    /// A sample as a texel of rows: the descriptor for stores is one of all of them (spec 23.11).
    fn sample_in_row(&mut self, at: Block, image: &Image, given: &[Part], sample: Part) -> Option<Operand> {
        let index = self.sample_index(at, image, given, sample)?;
        let x = self.bits(at, 2, table::AND, index, Part::number((1 << ROW_BITS) - 1));
        let y = self.field_of(at, index, ROW_BITS, 0);
        Some(self.collect(at, &[x, y]))
    }

    /// What the descriptor says (spec 23.9), or the level that sampling would choose.
    pub(super) fn query(&mut self, at: Block, inst: ir::Inst, query: Query) -> Option<Vec<Part>> {
        let args: Vec<ir::Value> = self.f.args(inst).to_vec();
        let image = self.image(args[0])?;
        match query {
            Query::Lod => {
                let sampler = self.sampler(at, args[0])?;
                let given = self.value(args[1]);
                let plain = Image { ty: ImageType { arrayed: false, ..image.ty }, ..image };
                let coordinates = self.coordinates(at, &plain, &given)?;
                let texture =
                    TextureModifiers { query: true, shape: plain.shape(), ..TextureModifiers::default() };
                let (none, auto) = (Operand::default(), Operand::imm(0));
                let op = Texture::TextureSample;
                Some(self.read(at, op, &image, texture, (2, 3), [coordinates, auto, none, sampler]))
            }
            Query::Levels => {
                let word = self.word(at, &image, 1);
                let (first, last) = (self.field_of(at, word, 24, 4), self.field_of(at, word, 28, 4));
                let count = self.integer_two(at, Integer::Isub, 2, last, first, 0);
                Some(vec![self.integer_two(at, Integer::Iadd, 2, count, Part::number(1), 0)])
            }
            Query::Samples => {
                let word = self.word(at, &image, 2);
                let code = self.field_of(at, word, 0, 1);
                let two = self.is_number(at, code, 0);
                Some(vec![self.select(at, &two, Part::number(2), Part::number(4))])
            }
            Query::Size => {
                let level = args.get(1).map(|&value| self.scalar(value));
                let result = self.f.result_of(inst)?;
                let count = self.sizes(self.f.ty(result)).len();
                Some(self.size(at, &image, level, count))
            }
        }
    }

    fn size(&mut self, at: Block, image: &Image, level: Option<Part>, count: usize) -> Vec<Part> {
        if image.ty.dim == Dim::Buffer {
            return vec![self.word(at, image, 4)];
        }
        let (low, high) = (self.word(at, image, 0), self.word(at, image, 1));
        let uses = [self.integer(at, low, false), self.integer(at, high, false), Operand::imm(28)];
        let modifiers = Modifiers { field: 14, ..Modifiers::default() };
        let width = self.make(at, Op::Integer(Integer::Extr), 2, &uses, modifiers);
        let height = self.field_of(at, high, 10, 14);
        let first = self.field_of(at, high, 24, 4);
        let level = match level.filter(|level| level.bits() != Some(0)) {
            Some(level) => self.integer_two(at, Integer::Iadd, 2, first, level, 0),
            None => first,
        };
        let halved = |s: &mut Self, less_one: Part| {
            let whole = s.integer_two(at, Integer::Iadd, 2, less_one, Part::number(1), 0);
            let half = s.shift_right(at, 2, whole, level, false);
            s.unsigned_bound(at, ABOVE, half, Part::number(1))
        };
        let x = halved(self, width);
        let is_cube = image.ty.dim == Dim::Cube;
        let mut all = vec![x];
        if image.ty.dim != Dim::D1 {
            all.push(if is_cube { x } else { halved(self, height) });
        }
        if all.len() < count {
            let last = self.last_layer(at, image);
            all.push(match image.ty.dim {
                Dim::D3 => halved(self, last),
                _ => self.integer_two(at, Integer::Iadd, 2, last, Part::number(1), 0),
            });
        }
        all
    }

    fn unsigned_of(&mut self, at: Block, part: Part) -> Part {
        let used = self.register(at, part);
        let modifiers = Modifiers { mode: 8, ..Modifiers::default() };
        self.make(at, Op::Integer(Integer::Convert), 2, &[used], modifiers)
    }

    /// A number of 16 bits as a float.
    pub(super) fn float_of_half(&mut self, at: Block, part: Part) -> Part {
        let used = self.integer(at, Part { widened: Widened::No, size: 1, ..part }, false);
        let modifiers = Modifiers { mode: 6, round: true, ..Modifiers::default() };
        self.make(at, Op::Integer(Integer::Convert), 2, &[used], modifiers)
    }
}

/// The address of the descriptors of all textures and images.
fn heap() -> Held {
    Held { what: file::What::Address, name: "textures".to_owned(), set: file::HEAP, ..Held::default() }
}

/// Channels of a format by SPIR-V's number; of an unknown one all.
fn channels(format: u8) -> usize {
    match format {
        3 | 9 | 14 | 15 | 19 | 20 | 24 | 28 | 29 | 33 | 38 | 39 => 1,
        6 | 7 | 12 | 13 | 17 | 18 | 25..=27 | 35..=37 => 2,
        8 => 3,
        _ => 4,
    }
}

/// Bytes of a texel of such a format; 0 if it is unknown.
fn bytes(format: u8) -> u8 {
    match format {
        1 | 21 | 30 => 16,
        2 | 6 | 10 | 16 | 22 | 25 | 31 | 35 | 40 | 41 => 8,
        3..=5 | 7 | 8 | 11 | 12 | 17 | 23 | 24 | 26 | 32..=34 | 36 => 4,
        9 | 13 | 14 | 18 | 19 | 27 | 28 | 37 | 38 => 2,
        15 | 20 | 29 | 39 => 1,
        _ => 0,
    }
}
