//! Images and samplers by descriptor (spec section 8.5): loads, stores, atomics, sizes; rays (8.6).
//!
//! Texels are linear in memory; a descriptor that says otherwise is a fault that says so, or is taken as linear all the
//! same (`-m images=linear`).

mod address;
pub(super) mod descriptor;
mod ray;
mod sample;
mod texels;

use chiaro_sim::Lanes;

use super::atomic::Atomic;
use super::components::Components;
use super::fault::FaultKind;
use super::group::Shared;
use super::pending::Kind;
use super::program::Step;
use super::vector::Place;
use super::wave::Wave;
use crate::isa::mimg::Mimg;
use address::{Fields, Reader};
use descriptor::Image;
pub(super) use texels::Textures;

/// What an instruction gives for a lane.
type Texel = [u32; 4];

/// The most dwords that come back: four components and a status.
const MOST: usize = 5;

impl Wave {
    pub(super) fn image(&mut self, _: Mimg, step: &Step, shared: &mut Shared<'_>) {
        let Some((inst, _)) = step.inst else { return };
        let fields = Fields::new(inst.word.0);
        if matches!(fields.op, 0xe6 | 0xe7) {
            return self.intersect(fields, shared);
        }
        let image = match self.resource(&fields) {
            Ok(image) => image,
            Err(why) => return self.stop(FaultKind::Unknown(why)),
        };
        let name = crate::isa::isa(self.lanes()).form(&inst).operation.name;
        match fields.op {
            0x10.. if matches!(fields.dim, 6 | 7) && !matches!(fields.op, 0x10..=0x1f) => self.refuse(step),
            0x00 | 0x01 => self.load_texels(fields, image.as_ref(), shared),
            0x08 | 0x09 => self.store_texels(fields, image.as_ref(), shared),
            0x0e => self.sizes(fields, image.as_ref()),
            0x0f..=0x1f => self.change_texels(fields, image.as_ref(), step, shared),
            _ if name.starts_with("image_sample")
                || name.starts_with("image_gather4")
                || fields.op == 0x60 =>
            {
                self.sample(name, fields, image.as_ref(), shared);
            }
            _ => self.refuse(step),
        }
    }

    fn resource(&self, fields: &Fields) -> Result<Option<Image>, String> {
        let words = if fields.small_descriptor { 4 } else { 8 };
        let word = |n: u16| if n < words { self.scalar(fields.resource + n) } else { 0 };
        Image::read(std::array::from_fn(|n| word(n as u16)), self.config.linear)
    }

    /// Where a lane's texel lies; `None` outside of the image.
    fn texel_place(&self, fields: Fields, image: &Image, lane: usize) -> Option<u64> {
        let mut reader = Reader::new(self, fields, lane);
        let by_level = matches!(fields.op, 0x01 | 0x09);
        let count = fields.coordinates();
        let all = reader.many(count + usize::from(by_level), fields.short_address);
        let level = if by_level { all[count] } else { 0 };
        let coordinate = |n: usize| all[..count].get(n).copied().unwrap_or(0);
        // The layer stands behind the one coordinate of lines, the sample behind all others.
        let (at, sample) = match fields.dim {
            4 => ([coordinate(0), 0, coordinate(1)], 0),
            6 => ([coordinate(0), coordinate(1), 0], coordinate(2)),
            _ => ([coordinate(0), coordinate(1), coordinate(2)], coordinate(3)),
        };
        let inside = level < image.levels && at.iter().zip(image.level(level)).all(|(at, size)| *at < size);
        let plane = at[2].checked_mul(image.samples)?.checked_add(sample)?;
        (inside && sample < image.samples).then(|| image.place(level, [at[0], at[1], plane]))
    }

    fn load_texels(&mut self, fields: Fields, image: Option<&Image>, shared: &mut Shared<'_>) {
        let mut texels = vec![[0; 4]; 64];
        for lane in self.running() {
            let Some((image, at)) = image.and_then(|i| Some((i, self.texel_place(fields, i, lane)?))) else {
                continue;
            };
            match shared.memory.get(at, image.format.bytes()) {
                Some(bytes) => texels[lane] = image.texel(bytes),
                None => self.fault(lane, FaultKind::Address(at)),
            }
        }
        let integer = image.is_some_and(|image| image.format.is_integer());
        self.bring_texels(fields, &texels, fields.mask, integer);
    }

    fn store_texels(&mut self, fields: Fields, image: Option<&Image>, shared: &mut Shared<'_>) {
        let Some(image) = image else { return };
        for lane in self.running() {
            let Some(at) = self.texel_place(fields, image, lane) else { continue };
            let bytes = image.format.write(self.stored(fields, image.format.is_integer(), lane), true);
            match shared.memory.get_mut(at, bytes.len()) {
                Some(room) => room.copy_from_slice(&bytes),
                None => self.fault(lane, FaultKind::Address(at)),
            }
        }
    }

    /// The components that a lane stores; those that the mask leaves out are zero.
    fn stored(&self, fields: Fields, integer: bool, lane: usize) -> Texel {
        let (components, mut texel) = (Components { short: fields.short, integer }, [0; 4]);
        let given = (0..4).filter(|n| fields.mask >> n & 1 == 1);
        for (register, n) in (0_u16..).zip(given) {
            texel[n] = components.read(self, fields.data, register, lane);
        }
        texel
    }

    fn change_texels(&mut self, fields: Fields, image: Option<&Image>, step: &Step, shared: &mut Shared<'_>) {
        // In the order of buffers, whose numbers begin at 0x30.
        let Some((atomic, _)) = Atomic::by_number(fields.op + 0x21) else { return self.refuse(step) };
        let size = if fields.mask.count_ones() > if atomic.compares() { 2 } else { 1 } { 8 } else { 4 };
        let mut texels = vec![[0; 4]; 64];
        for lane in self.running() {
            let at = image.and_then(|image| self.texel_place(fields, image, lane));
            let Some(at) = at.map(Place::Memory) else { continue };
            let old = self.load(at, size, lane, shared);
            let a = self.number(fields.data, size, lane);
            let b =
                if atomic.compares() { self.number(fields.data + size as u16 / 4, size, lane) } else { 0 };
            self.store(at, size, atomic.stored(size, old, a, b), lane, shared);
            texels[lane] = [old as u32, (old >> 32) as u32, 0, 0];
        }
        if fields.returns {
            self.bring_texels(fields, &texels, if size == 8 { 3 } else { 1 }, true);
        }
    }

    /// Width, height, depth or layers, levels.
    fn sizes(&mut self, fields: Fields, image: Option<&Image>) {
        let mut texels = vec![[0; 4]; 64];
        for lane in self.running() {
            let Some(image) = image else { continue };
            let level = Reader::new(self, fields, lane).many(1, fields.short_address)[0];
            let [width, height, depth] = if level < image.levels { image.level(level) } else { [0; 3] };
            texels[lane] = match fields.dim {
                4 => [width, depth, 0, image.levels],
                _ => [width, height, depth, image.levels],
            };
        }
        self.bring_texels(fields, &texels, fields.mask, true);
    }

    /// Writes the components that a mask selects, two in a dword where they are short.
    fn bring_texels(&mut self, fields: Fields, texels: &[Texel], mask: u32, integer: bool) {
        let mut results = [[Lanes::ZERO; 2]; MOST];
        let chosen: Vec<usize> = (0..4).filter(|n| mask >> n & 1 == 1).collect();
        let components = Components { short: fields.short, integer };
        for (lane, texel) in texels.iter().enumerate() {
            for (n, from) in chosen.iter().enumerate() {
                components.write(&mut results, lane, n, texel[*from]);
            }
        }
        let count = components.registers(chosen.len()) + usize::from(fields.status);
        let kind = Kind::of_image(fields.op);
        let mut pending = self.load_of(kind);
        for (register, values) in (fields.data..).zip(results).take(count) {
            pending.vector(register & 255, values);
        }
        self.bring(pending);
    }
}
