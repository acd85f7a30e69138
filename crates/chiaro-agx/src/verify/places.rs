//! Variables of the source, byte by byte, where the program has them.

use std::collections::{BTreeMap, HashMap};

use chiaro_ir::interp::{Exact, Handle, Interpreter};
use chiaro_ir::sample::{Sample, parts};
use chiaro_ir::{GlobalRef, ImageType, Module, Space, Ty, Type};
use chiaro_sim::mapped::{Mapped, Range};
use chiaro_sim::texture::Shape;
use chiaro_target::proof::Float;
use chiaro_target::proof::images::Plain;
use chiaro_target::proof::texels::{Form, Spot};
use chiaro_target::value::Image;

use super::storage::Storage;
use super::{Words, image};
use crate::abi::counts::MOST_TEXTURES;
use crate::compile::select::{POINT, POSITION, cells, part_offset, size};
use crate::compile::{Interface, Place};
use crate::container::file::{ALONE, INPUT_ASSEMBLY, OUTPUTS, What};
use crate::machine::{Group, Pixels};
use crate::regs::LANES;

/// SPIR-V's numbers of built-ins.
const FRAG_COORD: u32 = 15;
const POINT_COORD: u32 = 16;
const FRONT_FACING: u32 = 17;
const SAMPLE_MASK: u32 = 20;
/// Layer, number and place of the sample, helpers: none of them is anything here.
const NOTHING: [u32; 4] = [9, 18, 19, 23];
/// Where buffers lie, and textures behind them.
const BUFFERS: u64 = 0x1_0000_0000;
const APART: u64 = 0x1000_0000;
/// What records of vertices are called, and where they and the state of the input assembly lie.
const RECORDS: &str = "records";
const RECORDS_AT: u64 = 0x20_0000_0000;
const ASSEMBLY_AT: u64 = 0x21_0000_0000;
/// Columns and rows of pixels.
const MOST_PIXELS: f32 = 4096.0;

/// Where the variables of a program are.
pub(super) struct Places<'a> {
    words: &'a Words<'a>,
    layout: Interpreter<'a, Exact>,
    outputs: HashMap<(GlobalRef, usize), Place>,
}

/// An image of the source.
pub(super) struct Bound {
    /// Its number among the states, or in the memory of descriptors.
    at: u16,
    base: u64,
    spot: Spot,
    pub(super) ty: ImageType,
    /// Its texels, if it is stored to.
    pub(super) storage: Option<Storage>,
}

impl<'a> Places<'a> {
    pub(super) fn new(words: &'a Words<'a>) -> Places<'a> {
        let layout = Interpreter::with(words.source, words.entry, Exact);
        let mut places = Places { words, layout, outputs: HashMap::new() };
        for placed in &places.interface().outputs {
            if let Some(byte) = places.byte(placed.variable, placed.byte) {
                places.outputs.insert((placed.variable, byte), placed.place);
            }
        }
        places
    }

    fn interface(&self) -> &'a Interface {
        &self.words.compiled.interface
    }

    fn module(&self) -> &'a Module {
        self.words.source
    }

    /// The byte of the interpreter's layout for one of selection's.
    fn byte(&self, variable: GlobalRef, byte: u32) -> Option<usize> {
        let ty = self.module().global(variable).ty;
        let ours = cells(self.module(), ty);
        let at = ours.iter().position(|(at, _)| *at == byte)?;
        self.bytes_of(ty).get(at).copied()
    }

    /// Byte offsets of the scalars of a type, in the order of its parts.
    fn bytes_of(&self, ty: Ty) -> Vec<usize> {
        if self.module().types.part_count(ty).is_none() {
            return vec![0];
        }
        let inner = |(part, at): (Ty, usize)| self.bytes_of(part).into_iter().map(move |n| at + n);
        parts(self.module(), &self.layout, ty).flat_map(inner).collect()
    }

    /// Where a float of an output is.
    pub(super) fn output(&self, float: &Float) -> Option<Place> {
        self.outputs.get(&(float.variable, float.offset)).copied()
    }

    /// Every input with its word by invocation.
    pub(super) fn inputs<'s>(
        &'s self,
        sample: &'s Sample,
    ) -> impl Iterator<Item = (Place, Box<dyn Fn(usize) -> u32 + 's>)> {
        self.interface().inputs.iter().filter_map(move |placed| {
            let byte = self.byte(placed.variable, placed.byte)?;
            let rows = sample.attributes.get(&placed.variable);
            let of =
                move |n: usize| word(rows.and_then(|rows| rows.get(n)).map_or(&[][..], Vec::as_slice), byte);
            Some((placed.place, Box::new(of) as Box<dyn Fn(usize) -> u32>))
        })
    }

    /// Place, depth and side of the fragments; 1/W is 1.
    pub(super) fn fragments(&self, pixels: &mut Pixels, sample: &Sample, of_lane: &dyn Fn(usize) -> usize) {
        let given = |number: u32, lane: usize| {
            let is_it = |(g, _): &(&GlobalRef, _)| self.module().global(**g).binding.builtin == Some(number);
            let rows = sample.attributes.iter().find(is_it).map(|(_, rows)| rows)?;
            rows.get(of_lane(lane)).map(Vec::as_slice)
        };
        for binding in &self.words.compiled.file.parts[0].bindings {
            let builtin = match binding.slot {
                POSITION => FRAG_COORD,
                POINT => POINT_COORD,
                _ => continue,
            };
            for n in 0..binding.count.max(1) {
                let at = binding.offset + n;
                let value = |lane: usize| match (builtin, at) {
                    (FRAG_COORD, 3) => 1.0,
                    _ => {
                        given(builtin, lane).map_or(0.0, |row| f32::from_bits(word(row, 4 * usize::from(at))))
                    }
                };
                let register = usize::from(binding.base + u16::from(n));
                let planes = &mut pixels.coefficients;
                planes.resize(planes.len().max(register + 1), [[0.0; 3]; LANES as usize]);
                planes[register] = std::array::from_fn(|lane| [0.0, 0.0, value(lane)]);
            }
        }
        for lane in 0..LANES as usize {
            if let Some(row) = given(FRAG_COORD, lane) {
                pixels.places[lane] = [0, 4].map(|at| f32::from_bits(word(row, at)) as u32);
            }
            let is_back = given(FRONT_FACING, lane).is_some_and(|row| row.first() == Some(&0));
            pixels.back |= u32::from(is_back) << lane;
        }
    }

    /// Uniforms, what they lead to, textures; the storage images, which code changes.
    pub(super) fn prepare(
        &self,
        group: &mut Group,
        memory: &mut Mapped,
        sample: &Sample,
    ) -> Result<Vec<Storage>, String> {
        let file = &self.words.compiled.file;
        let mut bases = (BUFFERS..).step_by(APART as usize);
        for held in file.uniforms.iter().filter(|held| held.what == What::Draw) {
            // Nobody but this part tests samples; bases are 0.
            let value = if held.name == ALONE { 0xffff } else { 0 };
            set(group, held.first, held.halves, value);
        }
        for &(half, first) in &self.interface().words {
            set(group, half, 1, first.into());
        }
        for (first, bytes) in &file.constants {
            for (half, two) in (*first..).zip(bytes.chunks(2)) {
                group.set_uniform(half, two.iter().rev().fold(0, |all, &byte| all << 8 | u16::from(byte)));
            }
        }
        for &(g, first) in &self.interface().buffers {
            let base = bases.next().unwrap_or(BUFFERS);
            let bytes = self.buffer(g, sample);
            for &(_, half) in self.interface().sizes.iter().filter(|(other, _)| *other == g) {
                set(group, half, 2, bytes.len() as u64);
            }
            memory
                .map(Range { name: self.buffer_name(g), base, bytes })
                .map_err(|other| format!("a buffer lies over {other}"))?;
            self.set_addresses(group, (g, first), base, self.module().global(g).space == Space::Storage);
        }
        let images = self.place_textures(group, memory, bases.next().unwrap_or(BUFFERS))?;
        self.place_records(group, memory)?;
        Ok(images)
    }

    /// Puts the address of a buffer where the program expects it; of an array of buffers one for each, which follow one
    /// another as the source lays them out, or selection.
    pub(super) fn set_addresses(
        &self,
        group: &mut Group,
        (g, first): (GlobalRef, u16),
        base: u64,
        as_source: bool,
    ) {
        let (module, ty) = (self.module(), self.module().global(g).ty);
        let count = match module.types.get(ty) {
            Type::Array(_, count, _) => *count,
            _ => 1,
        };
        for n in 0..count {
            let offset = match n {
                0 => 0,
                _ if as_source => self.layout.offset_of(ty, n),
                _ => part_offset(module, ty, n),
            };
            set(group, first + 4 * n as u16, 4, base + u64::from(offset));
        }
    }

    /// The images, in the order of their numbers, from an address on.
    pub(super) fn bound(&self, from: u64) -> impl Iterator<Item = Bound> {
        let own = move |&(g, first, count): &(GlobalRef, u16, u16)| {
            let ty = self.module().types.image(self.module().global(g).ty)?;
            // Those that are stored to have two descriptors.
            let each = if ty.storage { 2 } else { 1 };
            Some((0..count).map(move |element| (g, ty, first + each * element, element)))
        };
        let all = self.interface().textures.iter().filter_map(own).flatten();
        all.zip((from..).step_by(APART as usize)).map(|((global, ty, at, element), base)| {
            let spot = Spot { global, element: element.into(), at: [0; 3] };
            let form = Form::of(self.module(), global);
            let storage = form.and_then(|form| Storage::new(form, spot, base).ok());
            Bound { at, base, spot, ty, storage }
        })
    }

    /// Textures and samplers, where states or descriptors in memory say; their bytes lie from an address on.
    pub(super) fn place_textures(
        &self,
        group: &mut Group,
        memory: &mut Mapped,
        from: u64,
    ) -> Result<Vec<Storage>, String> {
        group.states.samplers[0] = Some(image::FETCH);
        let sampler = image::packed(&Plain::sampler())?;
        for &(_, first, count) in &self.interface().samplers {
            group.states.samplers[usize::from(first)..][..usize::from(count)].fill(Some(sampler));
        }
        let (mut descriptors, mut images, mut end) = (BTreeMap::new(), Vec::new(), from);
        for bound in self.bound(from) {
            end = bound.base + APART;
            if let Some(image) = bound.storage {
                image.map(memory)?;
                descriptors.extend((bound.at..).zip(image.descriptors));
                images.push(image);
                continue;
            }
            let made = image::of(&self.texture(&bound), bound.base)?;
            map(memory, bound.base, made.bytes)?;
            descriptors.insert(bound.at, made.texture);
        }
        for (&at, &descriptor) in descriptors.range(..MOST_TEXTURES) {
            group.states.textures[usize::from(at)] = Some(descriptor);
        }
        if let Some(first) = self.words.compiled.file.heap() {
            let count = descriptors.keys().next_back().map_or(0, |last| last + 1);
            let all = (0..count).flat_map(|at| descriptors.get(&at).copied().unwrap_or_default());
            map(memory, end, all.collect())?;
            set(group, first, 4, end);
        }
        Ok(images)
    }

    /// Records of vertices that are computed in software, and the state that says how many an instance has.
    fn place_records(&self, group: &mut Group, memory: &mut Mapped) -> Result<(), String> {
        let file = &self.words.compiled.file;
        let bytes = |words: usize| vec![0xff; 4 * words];
        for held in &file.uniforms {
            let (name, base, bytes) = match held.what {
                What::Address if held.set == OUTPUTS => {
                    (RECORDS, RECORDS_AT, bytes(file.record() * LANES as usize))
                }
                What::Draw if held.name == INPUT_ASSEMBLY => (INPUT_ASSEMBLY, ASSEMBLY_AT, bytes(4)),
                _ => continue,
            };
            memory.map(Range { name: name.to_owned(), base, bytes })?;
            set(group, held.first, held.halves, base);
        }
        Ok(())
    }

    /// A word of the record of a vertex.
    pub(super) fn record_word(&self, memory: &Mapped, vertex: usize, n: u16) -> Option<u32> {
        let at = 4 * (vertex * self.words.compiled.file.record() + usize::from(n));
        let bytes = memory.named(RECORDS)?.bytes.get(at..at + 4)?;
        Some(word(bytes, 0))
    }

    fn buffer_name(&self, g: GlobalRef) -> String {
        format!("buffer {}", g.0)
    }

    /// Buffers as they are now: of those that the source can store to is looked at what it has left in them.
    pub(super) fn buffers_left(&self, memory: &Mapped) -> Vec<(GlobalRef, Vec<u8>)> {
        let all = self.interface().buffers.iter().map(|&(g, _)| g);
        all.filter_map(|g| Some((g, memory.named(&self.buffer_name(g))?.bytes.clone()))).collect()
    }

    /// The bytes of a buffer as selection lays it out: of storage buffers the source says how.
    fn buffer(&self, g: GlobalRef, sample: &Sample) -> Vec<u8> {
        let ty = self.module().global(g).ty;
        if let (Space::Storage, Some(given)) = (self.module().global(g).space, sample.uniforms.get(&g)) {
            return given.clone();
        }
        let mut bytes = vec![0; size(self.module(), ty).max(16) as usize];
        let Some(given) = sample.uniforms.get(&g) else { return bytes };
        for (&(to, count), from) in cells(self.module(), ty).iter().zip(self.bytes_of(ty)) {
            let (to, count) = (to as usize, usize::from(count));
            if let (Some(room), Some(given)) = (bytes.get_mut(to..to + count), given.get(from..from + count))
            {
                room.copy_from_slice(given);
            }
        }
        bytes
    }

    /// The one texel that checked compilation gives.
    fn texture(&self, Bound { spot, ty, .. }: &Bound) -> Image {
        let plain = Plain::new(self.module());
        let handle = Handle { global: spot.global, element: spot.element };
        let (bound, sampler) = plain.bound(handle, ty);
        let texel = bound.texels[0].map(|bits| f32::from_bits(bits as u32));
        let layers = bound.size[2].max(1);
        Image {
            shape: Shape::from(ty),
            size: [1, 1, layers],
            texels: vec![texel; layers as usize],
            smaller: Vec::new(),
            sampler,
        }
    }
}

fn map(memory: &mut Mapped, base: u64, bytes: Vec<u8>) -> Result<(), String> {
    memory.map(Range { name: format!("{base:#x}"), base, bytes })
}

pub(super) fn set(group: &mut Group, first: u16, halves: u16, value: u64) {
    (0..halves).for_each(|n| group.set_uniform(first + n, (value >> (16 * n)) as u16));
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes.get(at..at + 4).unwrap_or(&[0; 4]);
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
}

/// Fragments are in the middle of pixels of which they cover the samples that are given, and their 1/W is 1, so that
/// perspective changes nothing.
pub(super) fn fit(module: &Module, sample: &mut Sample, covered: u8) {
    for (g, rows) in &mut sample.attributes {
        let fixed = match module.global(*g).binding.builtin {
            Some(SAMPLE_MASK) => covered,
            Some(number) if NOTHING.contains(&number) => 0,
            _ => continue,
        };
        for row in rows {
            row.fill(0);
            row[0] = fixed;
        }
    }
    let is_place = |g: &GlobalRef| module.global(*g).binding.builtin == Some(FRAG_COORD);
    let rows = sample.attributes.iter_mut().filter(|(g, _)| is_place(g)).flat_map(|(_, rows)| rows);
    for row in rows {
        for at in [0, 4] {
            let pixel = f32::from_bits(word(row, at)).abs().min(MOST_PIXELS).floor() + 0.5;
            put(row, at, pixel);
        }
        put(row, 12, 1.0);
    }
}

fn put(row: &mut [u8], at: usize, value: f32) {
    if let Some(room) = row.get_mut(at..at + 4) {
        room.copy_from_slice(&value.to_le_bytes());
    }
}
