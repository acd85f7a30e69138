//! Category 5: the texture unit, and derivatives. spec section 10.
//!
//! Coordinates come as a vector: x, y, for three dimensions z, then what `.s`, `.a` and `.p` ask
//! for; a second vector holds offsets, then level or bias. A result's component goes to its own
//! register, whatever the mask leaves out.

use chiaro_num::F16;
use chiaro_sim::texture::{Level, Lookup as Request, Texel};
use chiaro_sim::{LANES, Lanes, Slot};

use super::fault::FaultKind;
use super::lookup::{Kind, Lookup, Source, Which};
use super::run::Machine;
use super::world::{Binding, World};
use crate::operand::half_bits;

/// Levels of a lookup are in 8 bits of fraction where a program asks for the number.
const LEVEL_UNITS: f64 = 256.0;

/// Coordinates of the longest vector: three gradients behind four registers.
const MOST: usize = 10;

/// A texture and sampler as they are bound, with what is read of them.
struct Bound<'w> {
    binding: &'w Binding,
    sampler: u32,
}

impl Machine {
    /// Runs a lookup for some lanes. Derivatives and levels look at whole quads, at whatever
    /// stands in the registers of those that do not take part.
    pub(super) fn look_up(&mut self, lookup: &Lookup, lanes: u32, world: &World) {
        if let Kind::Difference { vertical } = lookup.kind {
            return self.differences(lookup, vertical, lanes);
        }
        let mut found = [Lanes::ZERO; 4];
        for lane in (0..LANES).filter(|lane| lanes >> lane & 1 == 1) {
            let texel = match self.bound(lookup, lane, world) {
                Some(bound) => self.texel(lookup, &bound, lane, world),
                None => [u64::from(self.program.config.poison); 4],
            };
            for (column, bits) in found.iter_mut().zip(texel) {
                column.0[lane] = stored(bits as u32, lookup.to);
            }
        }
        self.give(lookup, &found, lanes);
    }

    fn give(&mut self, lookup: &Lookup, found: &[Lanes; 4], lanes: u32) {
        for (slot, column) in lookup.results.iter().zip(found) {
            if let Some(slot) = slot {
                self.state.write(*slot, column, lanes);
            }
        }
    }

    fn bound<'w>(&mut self, lookup: &Lookup, lane: usize, world: &'w World) -> Option<Bound<'w>> {
        let (sampler, texture) = match lookup.which {
            Which::None => (0, 0),
            Which::Fixed { sampler, texture } => (sampler, texture),
            Which::Registers([texture, sampler]) => {
                (self.state.lanes(sampler).0[lane] & 15, self.state.lanes(texture).0[lane] & 127)
            }
        };
        let binding = world.textures.get(texture as usize).and_then(Option::as_ref);
        if binding.is_none() {
            self.fault(lane, FaultKind::Unbound("texture", texture));
        }
        binding.map(|binding| Bound { binding, sampler })
    }

    fn texel(&self, lookup: &Lookup, bound: &Bound<'_>, lane: usize, world: &World) -> Texel {
        let texture = &bound.binding.texture;
        let at = |k: usize, slots: &[Slot]| slots.get(k).map_or(0, |slot| self.state.lanes(*slot).0[lane]);
        match lookup.kind {
            Kind::Size => {
                let [x, y, z] = texture.level(at(0, &lookup.coordinates) as usize).size;
                let layers = if bound.binding.shape.arrayed { z.saturating_sub(1) } else { 0 };
                [x, y, z, layers].map(u64::from)
            }
            Kind::Information => [0, 0, texture.smaller.len() as u64, 1],
            Kind::Fetch { level } => self.fetch(lookup, bound, lane, level),
            Kind::Level => {
                let request = self.request(lookup, bound, lane);
                let sampler = world.samplers.get(bound.sampler as usize).copied().unwrap_or_default();
                let level = texture.sampled_level(&sampler, bound.binding.shape, &request);
                let units = |x: f64| u64::from((x * LEVEL_UNITS) as i32 as u32);
                [units(level.clamped), units(level.computed), 0, 0]
            }
            _ => {
                let request = self.request(lookup, bound, lane);
                let sampler = world.samplers.get(bound.sampler as usize).copied().unwrap_or_default();
                texture.sample(&sampler, bound.binding.shape, &request)
            }
        }
    }

    /// A texel by integers. The unit divides coordinates by the level's scale, so that programs
    /// multiply by it first. spec section 10
    fn fetch(&self, lookup: &Lookup, bound: &Bound<'_>, lane: usize, with_level: bool) -> Texel {
        let texture = &bound.binding.texture;
        let integer = |slot: &Slot| i64::from(self.state.lanes(*slot).0[lane] as i32);
        let level = if with_level { lookup.extra.last().map_or(0, integer) } else { 0 };
        let Some(level) = usize::try_from(level).ok().filter(|level| *level <= texture.smaller.len()) else {
            return [0; 4];
        };
        let mut place = [0; 3];
        let directions = lookup.directions();
        for (k, slot) in lookup.coordinates.iter().enumerate().take(directions) {
            let offset = if lookup.offsets { lookup.extra.get(k).map_or(0, integer) } else { 0 };
            place[k] = (integer(slot) >> level) + offset;
        }
        if lookup.array
            && let Some(layer) = lookup.coordinates.get(directions + usize::from(lookup.shadow))
        {
            place[2] = integer(layer);
        }
        texture.level(level).texel(place).unwrap_or_default()
    }

    /// The numbers of a lookup, as the sampler takes them.
    fn request(&self, lookup: &Lookup, bound: &Bound<'_>, lane: usize) -> Request {
        let number = |slot: &Slot, lane: usize| {
            let bits = self.state.lanes(*slot).0[lane];
            if lookup.half { F16.decode(bits) } else { f64::from(f32::from_bits(bits)) }
        };
        let directions = lookup.directions();
        let vector = |lane: usize| -> [f64; MOST] {
            std::array::from_fn(|k| lookup.coordinates.get(k).map_or(0.0, |slot| number(slot, lane)))
        };
        let here = vector(lane);
        let (compare, layer) = (directions, directions + usize::from(lookup.shadow));
        let divisor = if lookup.project { here[layer + usize::from(lookup.array)] } else { 1.0 };
        let coordinate = |v: &[f64; MOST]| -> [f64; 3] {
            let divisor = if lookup.project { v[layer + usize::from(lookup.array)] } else { 1.0 };
            std::array::from_fn(|k| if k < directions { v[k] / divisor } else { 0.0 })
        };
        let [x, y, z] = coordinate(&here);
        let mut at = [x, y, z, 0.0];
        let behind = bound.binding.shape.coordinates();
        if lookup.array {
            at[behind.min(3)] = here[layer];
        }
        let last = lookup.extra.last().map_or(0.0, |slot| number(slot, lane));
        Request {
            at,
            reference: lookup.shadow.then_some(here[compare] / divisor),
            level: level(lookup.kind, last),
            gradients: match lookup.kind {
                Kind::Sample(Source::Gradients) => given_gradients(&here, directions),
                Kind::Sample(Source::Given) => [[0.0; 3]; 2],
                _ => quad_gradients(lane, |lane| coordinate(&vector(lane))),
            },
            offset: self.offset(lookup, lane),
            gather: if let Kind::Gather(channel) = lookup.kind { Some(channel) } else { None },
        }
    }

    /// Texels from where the coordinates say.
    fn offset(&self, lookup: &Lookup, lane: usize) -> [i32; 3] {
        std::array::from_fn(|k| {
            let given = lookup.offsets && k < lookup.directions();
            lookup.extra.get(k).filter(|_| given).map_or(0, |slot| self.state.lanes(*slot).0[lane] as i32)
        })
    }

    /// Differences within quads: of the whole quad, or of each row and column.
    fn differences(&mut self, lookup: &Lookup, vertical: bool, lanes: u32) {
        let (step, fine) = (if vertical { 2 } else { 1 }, self.program.config.fine);
        let mut found = [Lanes::ZERO; 4];
        for (column, slot) in found.iter_mut().zip(&lookup.coordinates) {
            let from = self.state.lanes(*slot).0;
            for lane in 0..LANES {
                let base = if fine { lane & !step } else { lane & !3 };
                let [a, b] = [from[base], from[base + step]];
                let float = |bits: u32| if lookup.half { F16.decode_f32(bits) } else { f32::from_bits(bits) };
                column.0[lane] = stored((float(b) - float(a)).to_bits(), lookup.to);
            }
        }
        self.give(lookup, &found, lanes);
    }
}

/// The level of a sample, by what stands last in the second vector.
fn level(kind: Kind, last: f64) -> Level {
    match kind {
        Kind::Sample(Source::Given) => Level::Given(last),
        Kind::Sample(Source::Bias) => Level::Biased(last),
        _ => Level::Biased(0.0),
    }
}

/// Gradients behind the coordinates, from the fifth register on.
fn given_gradients(v: &[f64; MOST], directions: usize) -> [[f64; 3]; 2] {
    let from = |first: usize| std::array::from_fn(|k| if k < directions { v[first + k] } else { 0.0 });
    [from(4), from(4 + directions)]
}

/// The change of a coordinate across a lane's quad.
fn quad_gradients(lane: usize, at: impl Fn(usize) -> [f64; 3]) -> [[f64; 3]; 2] {
    let quad = lane & !3;
    let here = at(quad);
    [1, 2].map(|step| {
        let there = at(quad + step);
        std::array::from_fn(|k| there[k] - here[k])
    })
}

/// Bits of a result as a register of its type holds them: floats are rounded, integers cut.
fn stored(bits: u32, to: u8) -> u32 {
    match to {
        0 => half_bits(f32::from_bits(bits).into()),
        1 | 3 | 5 => bits,
        _ => bits & 0xffff,
    }
}
