//! Samples: coordinates, levels and references of lanes for the texture unit of all targets.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use chiaro_isa::Reg;
use chiaro_num::F16;
use chiaro_sim::texture::{Level as Of, Lookup as Asked, Sampler, Shape, Texture};

use super::image::Image;
use super::operand::{Does, Level, Lookup, Source};
use super::sampler::sampler;
use super::states::{SAMPLERS, States};
use crate::machine::group::Shared;
use crate::machine::simdgroup::SimdGroup;
use crate::regs::size;

/// What a lane asks for, before neighbours are looked at.
#[derive(Clone, Copy)]
struct Own {
    asked: Asked,
    /// The least level.
    least: Option<f64>,
}

/// What the states of a lane come to: most lanes of an instruction have the same.
struct Bound {
    image: Image,
    texture: Arc<Texture>,
    sampler: Sampler,
    in_texels: bool,
}

impl Bound {
    /// By the descriptors of a texture and of a sampler.
    fn of((texture, state): &([u8; 24], [u8; 8]), shared: &mut Shared<'_>) -> Result<Bound, String> {
        let image = Image::texture(texture)?;
        let (sampler, in_texels) = sampler(state, image.is_integer());
        let texture = image.texels(shared.textures, shared.memory)?;
        Ok(Bound { image, texture, sampler, in_texels })
    }
}

impl SimdGroup {
    pub(super) fn sample(&mut self, lookup: &Lookup, shared: &mut Shared<'_>) -> Result<(), String> {
        let asked: Vec<Own> = (0..32).map(|lane| self.asked(lookup, lane)).collect();
        let (mut texels, mut integer) = ([[0; 4]; 32], false);
        let mut bound = BTreeMap::new();
        for lane in self.running() {
            let states =
                (self.descriptor(lookup, lane, shared)?, self.sampler_of(lookup, lane, shared.states)?);
            let Bound { image, texture, sampler: own, in_texels } = match bound.entry(states) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(free) => free.insert(Bound::of(&states, shared)?),
            };
            integer = image.is_integer() && lookup.does == Does::Sample;
            let shape = shape(lookup, image);
            let mut one = with_neighbours(&asked, lane, lookup, shape);
            if *in_texels {
                let size = image.size(image.levels[0]);
                (0..3).for_each(|n| one.at[n] /= size[n] as f64);
            }
            let [least, most] = own.levels;
            let least = asked[lane].least.map_or(least, |own| least.max(own as f32));
            let own = Sampler { levels: [least, most], ..*own };
            texels[lane] = match lookup.does {
                Does::Query => {
                    let level = texture.sampled_level(&own, shape, &one);
                    [level.clamped, level.computed, 0.0, 0.0].map(|x| u64::from((x as f32).to_bits()))
                }
                _ => texture.sample(&own, shape, &one),
            };
        }
        self.bring_texels(lookup, &texels, integer);
        Ok(())
    }

    fn sampler_of(&self, lookup: &Lookup, lane: usize, states: &States) -> Result<[u8; 8], String> {
        let n = match lookup.sampler {
            Some(Source::State(n)) => usize::from(n),
            Some(Source::Index(register) | Source::Offset(register)) => self.read(register, lane) as usize,
            None => return Err("the sampler of this operand is unknown".to_owned()),
        };
        states
            .samplers
            .get(n & (SAMPLERS - 1))
            .copied()
            .flatten()
            .ok_or_else(|| format!("nothing is bound to ss{n}"))
    }

    fn asked(&self, lookup: &Lookup, lane: usize) -> Own {
        let directions = usize::from(lookup.directions());
        let float = |bits: u32| f64::from(f32::from_bits(bits));
        let mut at = [0.0; 4];
        (0..directions).for_each(|n| at[n] = float(self.coordinate(lookup, n, lane)));
        if matches!(lookup.shape, 1 | 3 | 7) {
            at[directions] = self.last_half(lookup, directions, 0, lane).into();
        }
        let half = |register: Reg| F16.decode(self.read(Reg { more: 0, ..register }, lane) as u32);
        let behind = |register: Reg, halves: u16| Reg { more: 0, index: register.index + halves, ..register };
        let mut gradients = [[0.0; 3]; 2];
        let (level, least) = match lookup.level {
            Level::Automatic => (Of::Biased(0.0), None),
            Level::Biased(register, least) => {
                (Of::Biased(half(register)), least.then(|| half(behind(register, 1))))
            }
            Level::Given(register) => (Of::Given(half(register)), None),
            Level::Gradients(register, least) => {
                // By turns: x of the first, x of the second, y of the first ... (spec 9.1).
                for n in 0..2 * directions {
                    let one = Reg { size: size::WORD, ..behind(register, 2 * n as u16) };
                    gradients[n % 2][n / 2] = float(self.read(one, lane) as u32);
                }
                let last = behind(register, 4 * directions as u16);
                (Of::Biased(0.0), least.then(|| half(Reg { size: size::HALF, ..last })))
            }
        };
        let offset = lookup.offset.map_or(0, |register| self.read(register, lane) as u32);
        let part = |low: u32| ((offset >> low << 28) as i32) >> 28;
        let asked = Asked {
            at,
            reference: lookup.reference.map(|register| float(self.read(register, lane) as u32)),
            level,
            gradients,
            offset: [part(0), part(4), part(8)],
            gather: lookup.gather,
        };
        Own { asked, least }
    }
}

/// How an image is reached: as the instruction says. Lines are rows of their own.
fn shape(lookup: &Lookup, image: &Image) -> Shape {
    let own = image.shape();
    Shape { arrayed: matches!(lookup.shape, 1 | 3 | 7), ..own }
}

/// Without gradients of its own a lookup takes those of its quad: four lanes in a row.
fn with_neighbours(asked: &[Own], lane: usize, lookup: &Lookup, shape: Shape) -> Asked {
    let own = asked[lane].asked;
    let automatic = matches!(lookup.level, Level::Automatic | Level::Biased(..));
    if !automatic {
        return own;
    }
    let first = lane & !3;
    let at = |n: usize| asked[first + n].asked.at;
    let change =
        |n: usize| std::array::from_fn(|i| if i < shape.coordinates() { at(n)[i] - at(0)[i] } else { 0.0 });
    Asked { gradients: [change(1), change(2)], ..own }
}
