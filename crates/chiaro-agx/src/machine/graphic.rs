//! Varyings, coverage, the tilebuffer (spec 9.4 to 9.6).

pub(super) mod operand;

use chiaro_isa::Reg;
use chiaro_num::{Encoding, F16};
use chiaro_sim::Lanes;

use super::colour::Colour;
use super::fault::FaultKind;
use super::pixels::{self, At};
use super::program::Step;
use super::simdgroup::SimdGroup;
use crate::regs::size;
use operand::{Graphic, Number, Tile, Where};

impl SimdGroup {
    /// A step on varyings, coverage or the tilebuffer.
    pub(super) fn graphic(&mut self, step: &Step) {
        let Some(graphic) = step.graphic else {
            let text = self.program.text(step);
            return self.stop(FaultKind::Missing(text));
        };
        if let Graphic::Output { word, index } = graphic {
            return self.output(word, index);
        }
        if self.pixels.is_none() {
            let text = self.program.text(step);
            return self.stop(FaultKind::NoPixels(text));
        }
        match graphic {
            Graphic::Iterate { d, from, by, at } => self.iterate(d, from, by, at),
            Graphic::Coefficients { d, from } => self.coefficients(d, from),
            Graphic::Samples { target, live } => {
                self.decide(target, |group, lane| (group.number(live, lane), None));
            }
            Graphic::Depth { target, depth, stencil } => self.emit(target, depth, stencil),
            Graphic::Tile(tile) if tile.loads => self.load_tile(tile),
            Graphic::Tile(tile) => self.store_tile(tile),
            Graphic::Output { .. } => {}
        }
    }

    /// The colour that a program has stored for a lane, in the format of its first store; of several samples
    /// the mean. `None` if it stores none.
    #[must_use]
    pub fn colour(&mut self, lane: usize) -> Option<[f32; 4]> {
        let place = Colour::first(&self.program)?;
        let pixels = self.pixels.as_deref_mut()?;
        let samples = usize::from(pixels.samples);
        let all: Option<Vec<[f32; 4]>> =
            (0..samples).map(|sample| pixels.colour(place, lane, sample)).collect();
        let all = all?;
        Some(std::array::from_fn(|n| all.iter().map(|colour| colour[n]).sum::<f32>() / samples as f32))
    }

    fn number(&self, number: Number, lane: usize) -> u32 {
        match number {
            Number::Is(n) => n,
            Number::Of(register) => self.read(register, lane) as u32,
        }
    }

    /// Words of vertices by number; there are so many as a program names.
    fn output(&mut self, word: Reg, index: Number) {
        for lane in self.running() {
            let n = self.number(index, lane) as usize;
            if n >= MOST_OUTPUTS {
                self.fault(lane, FaultKind::Output(n));
                continue;
            }
            if self.outputs.len() <= n {
                self.outputs.resize(n + 1, (0, Lanes::ZERO));
            }
            let value = self.read(word, lane) as u32;
            let (written, lanes) = &mut self.outputs[n];
            *written |= 1 << lane;
            lanes.0[lane] = value;
        }
    }

    fn iterate(&mut self, d: Reg, from: Number, by: Option<u16>, taken: Where) {
        let mut values = vec![Lanes::ZERO; usize::from(d.more) + 1];
        let wide = d.size == size::WORD;
        for lane in self.running() {
            let at = match taken {
                Where::Middle => At::Middle,
                Where::Centroid => At::Centroid,
                Where::Sample(sample) => At::Sample(self.number(sample, lane)),
            };
            let first = self.number(from, lane) as usize;
            let Some(pixels) = self.pixels.as_deref() else { return };
            let place = pixels.place(lane, at);
            let plane = |register: usize| pixels.plane(register, lane).map(|plane| pixels::at(plane, place));
            let all: Option<Vec<f32>> = (0..values.len()).map(|n| plane(first + n)).collect();
            let by = by.map(|register| plane(register.into()).ok_or(usize::from(register))).transpose();
            let (Some(all), Ok(by)) = (all, by) else {
                self.fault(lane, FaultKind::Coefficient(first));
                continue;
            };
            for (to, value) in values.iter_mut().zip(all) {
                let value = by.map_or(value, |by| value / by);
                to.0[lane] =
                    if wide { value.to_bits() } else { F16.encode(value.into(), Encoding::default()) };
            }
        }
        self.write_run(d, &values);
    }

    fn coefficients(&mut self, d: Reg, from: Number) {
        let mut values = vec![Lanes::ZERO; usize::from(d.more) + 1];
        let wide = d.size == size::WORD;
        for lane in self.running() {
            let first = self.number(from, lane) as usize;
            for n in 0..values.len() {
                let plane = self.pixels.as_deref().and_then(|pixels| pixels.plane(first + n / 3, lane));
                let Some(plane) = plane else {
                    self.fault(lane, FaultKind::Coefficient(first + n / 3));
                    break;
                };
                let value = plane[n % 3];
                values[n].0[lane] =
                    if wide { value.to_bits() } else { F16.encode(value.into(), Encoding::default()) };
            }
        }
        self.write_run(d, &values);
    }

    /// Kills and tests samples; `live` says which are tested, and at which depth.
    fn decide(&mut self, target: Number, live: impl Fn(&SimdGroup, usize) -> (u32, Option<f32>)) {
        for lane in self.running() {
            let (samples, (live, depth)) = (self.number(target, lane) as u8, live(self, lane));
            let Some(pixels) = self.pixels.as_deref_mut() else { return };
            let killed = samples & !pixels.live[lane] & pixels.covered[lane];
            let again = pixels.decide(lane, samples, live as u8, depth) & pixels.covered[lane] & !killed;
            if again != 0 {
                self.fault(lane, FaultKind::Decided(again));
            }
        }
    }

    fn emit(&mut self, target: Number, depth: Option<Reg>, stencil: Option<Reg>) {
        for lane in self.running() {
            let value = stencil.map(|register| self.read(register, lane) as u16);
            let own = depth.map(|register| f32::from_bits(self.read(register, lane) as u32));
            if let Some(pixels) = self.pixels.as_deref_mut() {
                pixels.stencil[lane] = value.or(pixels.stencil[lane]);
                pixels.depth[lane] = own.or(pixels.depth[lane]);
            }
        }
        self.decide(target, |group, lane| {
            (0xff, depth.map(|register| f32::from_bits(group.read(register, lane) as u32)))
        });
    }

    /// Of several samples the first is loaded.
    fn load_tile(&mut self, tile: Tile) {
        let (elements, bytes) = (tile.format.elements(tile.mask), tile.format.bytes());
        let run = Reg { more: (elements.len() as u8).saturating_sub(1), ..tile.data };
        let wide = run.size == size::WORD;
        let mut values = vec![Lanes::ZERO; elements.len()];
        for lane in self.running() {
            let samples = self.number(tile.samples, lane) as u8;
            let Some(pixels) = self.pixels.as_deref_mut() else { return };
            let sample = (samples & pixels.all()).trailing_zeros() as usize;
            for (n, (element, value)) in elements.iter().zip(&mut values).enumerate() {
                let offset = tile.offset + element * bytes;
                let Some(found) = pixels.bytes_of(lane, sample, offset, bytes) else { continue };
                let raw = chiaro_sim::mapped::number(found) as u32;
                let component = if tile.format.packed().is_some() { n } else { *element };
                value.0[lane] = tile.format.load(raw, component, wide);
            }
        }
        self.write_run(run, &values);
    }

    fn store_tile(&mut self, tile: Tile) {
        let (elements, bytes) = (tile.format.elements(tile.mask), tile.format.bytes());
        let wide = tile.data.size == size::WORD;
        for lane in self.running() {
            let samples = self.number(tile.samples, lane) as u8;
            let bits = self.read_run(tile.data, elements.len(), lane);
            let Some(pixels) = self.pixels.as_deref_mut() else { return };
            let taken = samples & pixels.live[lane] & pixels.all();
            let mut beyond = false;
            for sample in (0..usize::from(pixels.samples)).filter(|n| taken >> n & 1 == 1) {
                let mut put = |offset: usize, value: u32| match pixels.bytes_of(lane, sample, offset, bytes) {
                    Some(room) => chiaro_sim::mapped::put(value.into(), room),
                    None => beyond = true,
                };
                if tile.format.packed().is_some() {
                    put(tile.offset, tile.format.pack(bits, wide));
                    continue;
                }
                for (element, bits) in elements.iter().zip(bits) {
                    put(tile.offset + element * bytes, tile.format.store(bits, *element, wide));
                }
            }
            if beyond {
                self.fault(lane, FaultKind::Tile(tile.offset));
            }
        }
    }
}

/// Words of a vertex that there can be: positions, 32 varyings of four, sizes, layers, distances.
const MOST_OUTPUTS: usize = 256;
