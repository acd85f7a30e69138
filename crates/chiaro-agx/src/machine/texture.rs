//! Textures and images: state registers, descriptors in memory, samples, loads, stores (spec 9.1 to 9.3, 23).
//!
//! How the hardware rounds coordinates, weights and levels nobody says: the texture unit of all targets
//! computes in binary64 [unknown].

mod coordinates;
pub(super) mod image;
pub(super) mod operand;
mod sample;
mod sampler;
pub(super) mod states;
pub(super) mod texels;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use chiaro_isa::Reg;
use chiaro_num::{Encoding, F16};
use chiaro_sim::Lanes;
use chiaro_sim::mapped::Mapped;
use chiaro_sim::texture::Texel;

use super::fault::FaultKind;
use super::group::Shared;
use super::program::Step;
use super::simdgroup::SimdGroup;
use crate::regs::size;
use image::Image;
use operand::{Does, Lookup, Source};
use states::TEXTURES;

impl SimdGroup {
    /// A texture or image operation.
    pub(super) fn texture(&mut self, step: &Step, shared: &mut Shared<'_>) {
        let Some(lookup) = step.lookup.as_deref() else {
            let text = self.program.text(step);
            return self.stop(FaultKind::Missing(text));
        };
        let done = match lookup.does {
            Does::Sample | Does::Query => self.sample(lookup, shared),
            Does::Load => self.load_texels(lookup, shared),
            Does::Store => self.store_texels(lookup, shared),
            Does::BindTexture | Does::BindSampler => self.bind_state(lookup, shared),
        };
        if lookup.does == Does::Store {
            self.hold(Some(lookup.slot), step);
        }
        if let Err(why) = done {
            self.stop(FaultKind::Texture(why));
        }
    }

    /// Loads a state register from memory, in a preamble.
    fn bind_state(&mut self, lookup: &Lookup, shared: &mut Shared<'_>) -> Result<(), String> {
        let Some(lane) = self.running().next() else { return Ok(()) };
        let base = lookup.base.map_or(0, |base| self.read(base, lane));
        let offset = lookup.data.map_or(0, |offset| self.read(offset, lane) & 0xffff_ffff);
        let (at, n) = (base.wrapping_add(offset), usize::from(lookup.state));
        let missing = || format!("a descriptor at {at:#x}, which is not mapped");
        match lookup.does {
            Does::BindTexture => {
                let bytes = shared.memory.get(at, 24).and_then(|bytes| bytes.try_into().ok());
                shared.states.textures[n] = Some(bytes.ok_or_else(missing)?);
            }
            _ => {
                let bytes = shared.memory.get(at, 8).and_then(|bytes| bytes.try_into().ok());
                shared.states.samplers[n] = Some(bytes.ok_or_else(missing)?);
            }
        }
        Ok(())
    }

    /// The descriptor of a lane.
    fn descriptor(&self, lookup: &Lookup, lane: usize, shared: &Shared<'_>) -> Result<[u8; 24], String> {
        let n = match lookup.texture {
            Source::State(n) => usize::from(n),
            Source::Index(register) => self.read(register, lane) as usize & (TEXTURES - 1),
            Source::Offset(register) => {
                let base = lookup.base.map_or(0, |base| self.read(base, lane));
                let at = base.wrapping_add(self.read(register, lane) & 0xffff_ffff);
                let bytes = shared.memory.get(at, 24).and_then(|bytes| bytes.try_into().ok());
                return bytes.ok_or_else(|| format!("a descriptor at {at:#x}, which is not mapped"));
            }
        };
        shared.states.textures[n].ok_or_else(|| format!("nothing is bound to ts{n}"))
    }

    /// Brings components: those of the mask, one behind the other.
    fn bring_texels(&mut self, lookup: &Lookup, texels: &[Texel; 32], integer: bool) {
        let Some(data) = lookup.data else { return };
        let taken = (0..4).filter(|n| lookup.mask >> n & 1 == 1);
        let bits = |texel: u64| match (data.size, integer) {
            (size::WORD, _) | (_, true) => texel as u32,
            _ => F16.encode(f32::from_bits(texel as u32).into(), Encoding::default()),
        };
        let values: Vec<Lanes> =
            taken.map(|n| Lanes(std::array::from_fn(|lane| bits(texels[lane][n])))).collect();
        let run = Reg { more: (values.len() as u8).saturating_sub(1), ..data };
        self.bring(lookup.slot, run, values);
    }

    /// Texels by integer coordinates; outside of the image they are zero.
    fn load_texels(&mut self, lookup: &Lookup, shared: &mut Shared<'_>) -> Result<(), String> {
        let (mut texels, mut integer, mut images) = ([[0; 4]; 32], false, Images::new());
        for lane in self.running() {
            let image = image_of(&mut images, self.descriptor(lookup, lane, shared)?, Image::texture)?;
            integer = image.is_integer();
            let level = image.levels[0] as i64 + self.integer_level(lookup, lane);
            let (at, sample) = self.texel_at(lookup, image, lane);
            let level = usize::try_from(level).ok();
            let place = level.and_then(|level| image.place(level, at, sample));
            let Some(place) = place else { continue };
            texels[lane] = match shared.memory.get(place, image.bytes()) {
                Some(bytes) => image.texel(bytes),
                None => return Err(format!("address {place:#x} of an image is not mapped")),
            };
        }
        self.bring_texels(lookup, &texels, integer);
        Ok(())
    }

    /// Coordinates of a texel, and its sample. Layer and sample stand behind the others, in the halves of
    /// one register where both are there (spec 9.1).
    fn texel_at(&self, lookup: &Lookup, image: &Image, lane: usize) -> ([u64; 3], u64) {
        let count = usize::from(lookup.directions());
        let coordinate = |n: usize| u64::from(self.coordinate(lookup, n, lane));
        let last = self.last_half(lookup, count, 0, lane).into();
        let mut at: [u64; 3] = std::array::from_fn(|n| if n < count { coordinate(n) } else { 0 });
        let mut sample = 0;
        match lookup.shape {
            1 | 3 => at[2] = last,
            4 => sample = last,
            8 => (sample, at[2]) = (last, self.last_half(lookup, count, 1, lane).into()),
            6 => at[2] = coordinate(2),
            _ => {}
        }
        (at, sample.min(u64::from(image.samples())))
    }

    fn store_texels(&mut self, lookup: &Lookup, shared: &mut Shared<'_>) -> Result<(), String> {
        let Some(data) = lookup.data else { return Ok(()) };
        let mut images = Images::new();
        let helpers = self.pixels.as_deref().map_or(0, super::Pixels::helpers);
        for lane in self.running().filter(|lane| helpers >> lane & 1 == 0) {
            let image = image_of(&mut images, self.descriptor(lookup, lane, shared)?, Image::stored)?;
            let (at, sample) = self.texel_at(lookup, image, lane);
            let Some(place) = image.place(image.levels[0], at, sample) else { continue };
            let components = self.read_run(data, 4, lane).map(|bits| match data.size {
                size::HALF if !image.is_integer() => (F16.decode(bits) as f32).to_bits(),
                _ => bits,
            });
            store(shared.memory, place, &image.write(components, lookup.toward_zero))?;
        }
        Ok(())
    }
}

/// The images of the lanes of one instruction: most of them have the same.
type Images = BTreeMap<[u8; 24], Image>;

/// An image by its descriptor, read once.
fn image_of(
    images: &mut Images,
    descriptor: [u8; 24],
    read: impl FnOnce(&[u8; 24]) -> Result<Image, String>,
) -> Result<&Image, String> {
    Ok(match images.entry(descriptor) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(free) => free.insert(read(&descriptor)?),
    })
}

fn store(memory: &mut Mapped, place: u64, bytes: &[u8]) -> Result<(), String> {
    match memory.get_mut(place, bytes.len()) {
        Some(room) => room.copy_from_slice(bytes),
        None => return Err(format!("address {place:#x} of an image is not mapped")),
    }
    Ok(())
}
