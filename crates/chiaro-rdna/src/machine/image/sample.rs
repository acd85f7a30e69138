//! Samples: the parts of the address that the mnemonic names, and the texture unit of all targets.

use chiaro_num::F16;
use chiaro_sim::texture::{Level, Lookup, Sampler, Shape, Texture};

use super::Texel;
use super::address::{Fields, Reader};
use super::descriptor::{self, Image};
use crate::machine::fault::FaultKind;
use crate::machine::group::Shared;
use crate::machine::wave::Wave;

/// image_get_lod.
const GET_LOD: u32 = 0x60;

/// What a mnemonic asks for beside the coordinates.
#[derive(Clone, Copy)]
struct Wanted {
    gather: bool,
    offset: bool,
    bias: bool,
    compare: bool,
    gradients: bool,
    short_gradients: bool,
    level: bool,
    clamp: bool,
    first_level: bool,
}

impl Wanted {
    fn of(name: &str, fields: &Fields) -> Wanted {
        let has = |part: &str| name.split('_').skip(2).any(|word| word == part);
        Wanted {
            gather: name.starts_with("image_gather4"),
            offset: has("o"),
            bias: has("b"),
            compare: has("c"),
            gradients: has("d") || has("cd"),
            short_gradients: has("g16") || fields.short_address,
            level: has("l"),
            clamp: has("cl"),
            first_level: has("lz"),
        }
    }
}

/// A lookup of a lane, before neighbours are looked at.
struct Asked {
    lookup: Lookup,
    /// The least level.
    clamp: Option<f64>,
}

impl Wave {
    pub(super) fn sample(
        &mut self,
        name: &str,
        fields: Fields,
        image: Option<&Image>,
        shared: &mut Shared<'_>,
    ) {
        let wanted = Wanted::of(name, &fields);
        let words = std::array::from_fn(|n| self.scalar(fields.sampler + n as u16));
        let (sampler, in_texels) = descriptor::sampler(words);
        let shape = descriptor::shape(fields.dim);
        let mut texels = vec![[0; 4]; 64];
        let texture = match image.map(|image| image.texels(shared.textures, shared.memory)).transpose() {
            Ok(texture) => texture,
            Err(address) => return self.stop(FaultKind::Address(address)),
        };
        if let (Some(texture), Some(image)) = (&texture, image) {
            let scale = if in_texels { image.size.map(f64::from) } else { [1.0; 3] };
            let lanes = 0..usize::from(self.lanes());
            let asked: Vec<Asked> = lanes.map(|lane| self.asked(wanted, fields, lane, scale)).collect();
            for lane in self.running() {
                let lookup = with_neighbours(&asked, lane, wanted, shape);
                let own = Sampler {
                    levels: [
                        asked[lane].clamp.map_or(sampler.levels[0], |least| least as f32),
                        sampler.levels[1],
                    ],
                    ..sampler
                };
                texels[lane] = match fields.op {
                    GET_LOD => levels(texture, &own, shape, &lookup),
                    _ => sampled(texture, &own, shape, &lookup),
                };
            }
        }
        let integer = image.is_some_and(|image| image.format.is_integer());
        self.bring_texels(fields, &texels, if wanted.gather { 15 } else { fields.mask }, integer);
    }

    fn asked(&self, wanted: Wanted, fields: Fields, lane: usize, scale: [f64; 3]) -> Asked {
        let mut reader = Reader::new(self, fields, lane);
        let short = fields.short_address;
        let float = |bits: u32, short: bool| match short {
            true => F16.decode(bits),
            false => f64::from(f32::from_bits(bits)),
        };
        let offset = if wanted.offset { reader.word() } else { 0 };
        let bias = wanted.bias.then(|| float(reader.many(1, short)[0], short));
        let reference = wanted.compare.then(|| float(reader.word(), false));
        let directions = fields.directions();
        let mut gradients = [[0.0; 3]; 2];
        if wanted.gradients {
            let all = reader.many(2 * directions, wanted.short_gradients);
            for (n, bits) in all.into_iter().take(2 * directions).enumerate() {
                gradients[n / directions][n % directions] = float(bits, wanted.short_gradients);
            }
        }
        let count = fields.coordinates();
        let all = reader.many(count + usize::from(wanted.level || wanted.clamp), short);
        let mut at = [0.0; 4];
        for (n, bits) in all.iter().take(count).enumerate() {
            at[n] = float(*bits, short);
        }
        (0..directions).for_each(|n| at[n] /= scale[n]);
        if fields.dim == 3 {
            // Faces have coordinates from 1 to 2.
            (0..2).for_each(|n| at[n] -= 1.0);
        }
        let last = float(all[count], short);
        let level = match (wanted.level, wanted.first_level) {
            (true, _) => Level::Given(last),
            (false, true) => Level::Given(0.0),
            (false, false) => Level::Biased(bias.unwrap_or(0.0)),
        };
        let part = |low: u32| ((offset >> low << 26) as i32) >> 26;
        let gather = wanted.gather.then(|| fields.mask.trailing_zeros().min(3));
        let offset = [part(0), part(8), part(16)];
        let lookup = Lookup { at, reference, level, gradients, offset, gather };
        Asked { lookup, clamp: wanted.clamp.then_some(last) }
    }
}

/// The level that a lookup comes to, and what it would be without borders.
fn levels(texture: &Texture, sampler: &Sampler, shape: Shape, lookup: &Lookup) -> Texel {
    let level = texture.sampled_level(sampler, shape, lookup);
    [(level.clamped as f32).to_bits(), (level.computed as f32).to_bits(), 0, 0]
}

/// A texel, or a component of four, which are of the level that is nearest.
fn sampled(texture: &Texture, sampler: &Sampler, shape: Shape, lookup: &Lookup) -> Texel {
    let level = match lookup.gather {
        Some(_) => texture.sampled_level(sampler, shape, lookup).clamped.round() as usize,
        None => 0,
    };
    texture.level(level).sample(sampler, shape, lookup).map(|bits| bits as u32)
}

/// Without gradients of its own a lookup takes those of its quad: four lanes in a row.
fn with_neighbours(asked: &[Asked], lane: usize, wanted: Wanted, shape: Shape) -> Lookup {
    let own = asked[lane].lookup;
    if wanted.gradients || !matches!(own.level, Level::Biased(_)) {
        return own;
    }
    let first = lane & !3;
    let at = |n: usize| asked[first + n].lookup.at;
    let change =
        |n: usize| std::array::from_fn(|i| if i < shape.coordinates() { at(n)[i] - at(0)[i] } else { 0.0 });
    Lookup { gradients: [change(1), change(2)], ..own }
}
