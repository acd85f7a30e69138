//! Atomic operations on texels: what the machine has for buffers, at an address that code computes from the
//! descriptor for stores (spec 23.11).
//!
//! Texels have 32 bits. As with buffers, a place outside of the image is a place outside of its memory; who binds
//! images sees to it that nothing else lies there, or loads fault softly (spec 21).

use chiaro_ir as ir;
use chiaro_ir::{Def, Dim, GlobalRef, Op as Ir, Root};
use chiaro_mach::{Block, Operand, What};

use super::Select;
use super::asked::OfImage;
use super::barrier::Numbers;
use super::barrier::{FLUSH, IMAGE_1, IMAGE_2, IMAGE_3, IMAGE_4, MEMORY, MEMORY_2};
use super::image::Image;
use super::part::{From, Part};
use super::texture::WORDS;
use crate::compile::code::condition::ABOVE;
use crate::compile::code::table::{AND, AND_NOT};
use crate::compile::code::{GPR, Modifiers, UNIFORM, format};
use crate::isa::Op;
use crate::isa::integer::Integer;
use crate::isa::memory::Memory;

/// Numbers of what is known of an image: the address of the first texel, masks of places in a tile, texels of a row of
/// tiles and of a column of one, of a layer, samples as a power of two.
const BASE: usize = 0;
const INSIDE_X: usize = 1;
const INSIDE_Y: usize = 2;
const ROW: usize = 3;
const COLUMN: usize = 4;
const STRIDE: usize = 5;
const SAMPLES: usize = 6;
const COUNT: usize = 7;

/// Codes of operations that stand for a load and a store (spec 8.4).
const OR: u8 = 9;
const EXCHANGE: u8 = 2;
/// Bytes that offsets and strides count, as a power of two.
const LINE: u32 = 7;
/// Bytes of a texel that atomic operations work on, as a power of two.
const WORD: u32 = 2;

/// Stores of the texture unit before an atomic operation; the operation before loads of that unit (spec 10.3).
const BEFORE: &[Numbers] = &[IMAGE_1, IMAGE_2, IMAGE_3, IMAGE_4];
const BEHIND: &[Numbers] = &[MEMORY, MEMORY_2, IMAGE_1, IMAGE_2, IMAGE_3, IMAGE_4, FLUSH];

impl Select<'_> {
    /// An atomic operation on a texel.
    pub(super) fn image_atomic(&mut self, at: Block, inst: ir::Inst, op: Ir) -> Option<Vec<Part>> {
        let args = self.f.args(inst).to_vec();
        let Def::Result(texel, _) = self.f.def(args[0]) else { return None };
        let ty = self.module.types.pointee(self.f.ty(args[0]))?.1;
        if self.f.op(texel) != Ir::TexelPointer || self.sizes(ty) != [2] {
            return None;
        }
        let place = self.f.args(texel).to_vec();
        let (g, index) = self.handle(place[0])?;
        let image = self.image_of(g, index)?;
        let (code, operand) = match op {
            Ir::AtomicLoad(..) => (OR, self.register(at, Part::number(0))),
            Ir::AtomicStore(..) => {
                let value = self.scalar(args[1]);
                (EXCHANGE, self.register(at, value))
            }
            _ => self.atomic_operand(at, inst, op)?,
        };
        let sample = image.ty.multisampled.then(|| self.scalar(place[2]));
        let given = self.value(place[1]);
        let texels = self.texels(at, &image);
        let index = self.texel_index(at, &image, &texels, &given, sample)?;
        let base = match texels[BASE].from {
            From::Uniform(_) => Self::place(texels[BASE]),
            _ => self.register(at, texels[BASE]),
        };
        let index = self.register(at, index);
        let both_ways = self.is_loaded(g);
        if both_ways {
            self.order(at, BEFORE);
        }
        let value = self.code.value(GPR, 2, 2);
        let def = self.code.operand(value);
        let modifiers = Modifiers { mode: code, unsigned: true, ..Modifiers::default() };
        self.push(at, Op::Memory(Memory::Atomic), &[def], &[base, index, operand], modifiers);
        if both_ways {
            self.order(at, BEHIND);
        }
        Some(vec![Part::new(From::Value(value, 0), 2)])
    }

    /// Whether the texture unit works on an image, too.
    fn is_loaded(&self, g: GlobalRef) -> bool {
        let is_load = |step: ir::Step| match step {
            ir::Step::Inst(inst) if self.f.op(inst) == Ir::Load => Some(self.f.args(inst)[0]),
            _ => None,
        };
        let mut handles = ir::Walk::new(self.f).filter_map(is_load);
        handles.any(|pointer| self.path(pointer).is_some_and(|path| path.root == Root::Global(g)))
    }

    /// Which of all samples of an image it is; nothing if nobody knows how large they are.
    pub(super) fn sample_index(
        &mut self,
        at: Block,
        image: &Image,
        given: &[Part],
        sample: Part,
    ) -> Option<Part> {
        if image.bytes == 0 && image.ty.arrayed {
            return None;
        }
        // Targets in memory are looked at where all lanes come by.
        let known = self.heap_texels.get(&image.state).filter(|_| image.in_heap).cloned();
        let texels = known.unwrap_or_else(|| self.texels(at, image));
        if image.in_heap {
            self.heap_texels.insert(image.state, texels.clone());
        }
        self.texel_index(at, image, &texels, given, Some(sample))
    }

    /// The six words of the descriptor for stores, which stands behind the other one.
    fn written_words(&mut self, at: Block, image: &Image) -> Vec<Part> {
        let base =
            Operand { what: What::Slot(self.heap.into()), file: UNIFORM, size: 4, ..Operand::default() };
        let mut all = Vec::new();
        for (first, count) in [(0, 4u16), (4, 2)] {
            let place = self.descriptor(at, image, WORDS, WORDS + first);
            let index = match place.bits() {
                Some(n) => Operand::imm(n),
                None => self.register(at, place),
            };
            let value = self.code.value(GPR, 2 * count, 2);
            let def = self.code.operand(value);
            let mask = ((1u16 << count) - 1) as u8;
            let modifiers = Modifiers { format: format::I32, mask, unsigned: true, ..Modifiers::default() };
            self.push(at, Op::Memory(Memory::DeviceLoad), &[def], &[base, index], modifiers);
            all.extend(self.split(at, def, 2));
        }
        all
    }

    /// What is to be known of an image to find its texels.
    fn texels(&mut self, at: Block, image: &Image) -> Vec<Part> {
        match self.of_image(OfImage::Texels, image, &[4, 2, 2, 2, 2, 2, 2]) {
            Some(known) => known,
            None => self.texels_of(at, image),
        }
    }

    /// The same from the descriptor: see [`BASE`] and what follows it.
    pub(super) fn texels_of(&mut self, at: Block, image: &Image) -> Vec<Part> {
        let words = self.written_words(at, image);
        let (is_flat, is_buffer) = (image.ty.dim == Dim::D1, image.ty.dim == Dim::Buffer);
        let sampled = image.ty.multisampled;
        let mut texels = vec![Part::number(0); COUNT];
        let mut first = words[4];
        if !is_buffer {
            // Of several samples these are other fields.
            if !sampled {
                let lines = self.field_of(at, words[4], 0, 27);
                first = self.shift_left(at, 2, lines, Part::number(LINE - WORD));
            }
            texels[SAMPLES] = self.field_of(at, words[5], 28, 2);
            let lines = self.field_of(at, words[5], 1, 27);
            let texel = if image.bytes == 0 { WORD } else { u32::from(image.bytes).ilog2() };
            texels[STRIDE] = self.shift_left(at, 2, lines, Part::number(LINE - texel));
            if sampled {
                texels[STRIDE] = self.shift_right(at, 2, texels[STRIDE], texels[SAMPLES], false);
            }
        }
        if !is_flat && !is_buffer {
            self.tiles(at, &words, sampled, &mut texels);
        }
        texels[BASE] = self.texels_base(at, &words, first, sampled);
        texels
    }

    /// Masks of places in a tile, and how tiles follow one another.
    fn tiles(&mut self, at: Block, words: &[Part], sampled: bool, texels: &mut [Part]) {
        let wide = self.field_of(at, words[4], 27, 3);
        let high = self.across(at, [words[4], words[5]], 30, 3);
        (texels[INSIDE_X], texels[INSIDE_Y]) = (self.ones(at, wide), self.ones(at, high));
        texels[COLUMN] = self.plus(at, texels[INSIDE_Y], Part::number(1));
        texels[ROW] = match sampled {
            true => self.field_of(at, words[4], 0, 15),
            false => {
                let less_one = self.across(at, [words[0], words[1]], 24, 14);
                let width = self.plus(at, less_one, Part::number(1));
                let level = self.field_of(at, words[3], 4, 4);
                let width = self.shift_right(at, 2, width, level, false);
                let width = self.unsigned_bound(at, ABOVE, width, Part::number(1));
                let up = self.plus(at, width, texels[INSIDE_X]);
                self.bits(at, 2, AND_NOT, up, texels[INSIDE_X])
            }
        };
    }

    /// The address of the first texel: without four bits in bits 64 to 99.
    fn texels_base(&mut self, at: Block, words: &[Part], first: Part, sampled: bool) -> Part {
        let low = self.shift_left(at, 2, words[2], Part::number(4));
        let high = self.across(at, [words[2], words[3]], 28, 8);
        let both = self.joined(at, &[low, high]);
        if sampled {
            return both;
        }
        let uses = [self.register(at, both), self.register(at, first)];
        let modifiers = Modifiers { shift: 2, ..Modifiers::default() };
        self.make(at, Op::Integer(Integer::Iadd), 4, &uses, modifiers)
    }

    /// A field of two words.
    fn across(&mut self, at: Block, [low, high]: [Part; 2], from: u32, width: u32) -> Part {
        self.field(at, Integer::Extr, 2, [low, high, Part::number(from)], width)
    }

    /// Which texel behind the first it is.
    fn texel_index(
        &mut self,
        at: Block,
        image: &Image,
        texels: &[Part],
        given: &[Part],
        sample: Option<Part>,
    ) -> Option<Part> {
        if image.ty.dim == Dim::Buffer {
            return given.first().copied();
        }
        let flat = image.ty.dim == Dim::D1;
        let layered = image.ty.arrayed || matches!(image.ty.dim, Dim::D3 | Dim::Cube);
        let x = *given.first()?;
        let mut index = if flat { x } else { self.twiddled(at, texels, [x, *given.get(1)?]) };
        if layered {
            let layer = *given.get(if flat { 1 } else { 2 })?;
            index = self.integer_three(at, Integer::Imadd, 2, [layer, texels[STRIDE], index], 0);
        }
        let Some(sample) = sample else { return Some(index) };
        let first = self.shift_left(at, 2, index, texels[SAMPLES]);
        Some(self.plus(at, first, sample))
    }

    /// A place in a level: tiles one behind the other, in which the bits of x and y stand by turns.
    fn twiddled(&mut self, at: Block, texels: &[Part], [x, y]: [Part; 2]) -> Part {
        let sides = [(x, texels[INSIDE_X]), (y, texels[INSIDE_Y])];
        let near = sides.map(|(part, mask)| self.bits(at, 2, AND, part, mask));
        let far = sides.map(|(part, mask)| self.bits(at, 2, AND_NOT, part, mask));
        let uses = near.map(|part| self.integer(at, part, false));
        let inside = self.make(at, Op::Integer(Integer::Intl), 2, &uses, Modifiers::default());
        let rows = self.integer_three(at, Integer::Imadd, 2, [far[1], texels[ROW], inside], 0);
        self.integer_three(at, Integer::Imadd, 2, [far[0], texels[COLUMN], rows], 0)
    }

    fn plus(&mut self, at: Block, a: Part, b: Part) -> Part {
        self.integer_two(at, Integer::Iadd, 2, a, b, 0)
    }
}
