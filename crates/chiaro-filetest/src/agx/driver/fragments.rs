//! Main parts of fragment shaders: quads whose inputs are planes, and the registers that the epilog would read.

use std::path::Path;

use chiaro_agx::abi::link::Binding;
use chiaro_agx::machine::{Group, Launch, Pixels, SimdGroup};
use chiaro_ir::{Module, Space};
use chiaro_sim::Lanes;
use chiaro_sim::mapped::{Mapped, Range};
use serde_json::Value;

use super::given::{Given, buffers};
use super::ready::Ready;
use super::scalars::Scalar;
use super::source::{Comparison, Left, Output, bits, runs, variables};
use super::tables::{ROOT, Tables, root, stage};
use super::textures::All;
use crate::agx::linked::{Unit, bindings};
use crate::suite::Miss;

/// Lanes of a run, and of a quad.
const LANES: usize = 32;
/// Where buffers lie.
const STORAGE: u64 = 0x10_0000_0000;
const UNIFORM: u64 = 0x11_0000_0000;
/// W of all fragments: quotients by it are exact.
const W: f32 = 0.5;
/// Depth of the fragments: columns, rows, at the corner.
const DEPTH: [f32; 3] = [1.0 / 64.0, 1.0 / 32.0, 0.25];
/// Samples of a pixel where the unit shades each, with their places (spec 25.2).
const SAMPLES: u8 = 4;
const POSITIONS: u32 = 0xeaa2_6e26;

/// SPIR-V's numbers of built-ins.
mod builtin {
    pub(super) const FRAG_COORD: u32 = 15;
    pub(super) const FRONT_FACING: u32 = 17;
    pub(super) const SAMPLE_ID: u32 = 18;
    pub(super) const SAMPLE_POSITION: u32 = 19;
    pub(super) const SAMPLE_MASK: u32 = 20;
}

pub(super) fn compare(unit: &Unit, module: &Module, folder: &Path) -> Result<(), Miss> {
    let by_sample = unit.object["epilog_link"]["sample_shading"] == 1;
    let samples = if by_sample || unit.number("writes_sample_mask") == 1 { SAMPLES } else { 1 };
    let bindings = coefficients(unit, folder)?;
    for sample in 0..if by_sample { samples } else { 1 } {
        let run = Run { unit, module, bindings: &bindings, samples, sample: by_sample.then_some(sample) };
        run.compare()?;
    }
    Ok(())
}

/// Fragments that are ready to run.
pub(super) fn ready(unit: &Unit, module: &Module, folder: &Path) -> Result<Ready, Miss> {
    let bindings = coefficients(unit, folder)?;
    let sample = (unit.object["epilog_link"]["sample_shading"] == 1).then_some(0);
    let run = Run {
        unit,
        module,
        bindings: &bindings,
        samples: if sample.is_some() { SAMPLES } else { 1 },
        sample,
    };
    let mut memory = Mapped::default();
    let images = All::new(module, &mut memory)?;
    let pixels = run.pixels();
    let given = run.given(&pixels, &images);
    run.words(pixels, &given, &images, memory)
}

/// What coefficient registers are interpolated from: the main part's own, as a link has them.
fn coefficients(unit: &Unit, folder: &Path) -> Result<Vec<Binding>, Miss> {
    let text = std::fs::read_to_string(folder.join("link.jsonl")).map_err(|e| e.to_string())?;
    let rows = text.lines().filter(|line| line.starts_with('{'));
    let rows = rows.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut own = rows.filter(|row| row["stage"] == "frag" && row["name"] == unit.object["name"]);
    let row = own.next().ok_or_else(|| Miss::Skipped("no link says what its coefficients are".to_owned()))?;
    let end = row["prolog_key"]["cf_base"].as_u64().unwrap_or(u64::MAX);
    let mut all = bindings(&row["cf_bindings"]);
    all.retain(|binding| u64::from(binding.base) < end);
    Ok(all)
}

struct Run<'a> {
    unit: &'a Unit,
    module: &'a Module,
    bindings: &'a [Binding],
    samples: u8,
    /// The sample that is shaded, where each is.
    sample: Option<u8>,
}

/// The plane of a component of an input: small numbers, so that sums are exact.
fn plane(location: u32, component: usize) -> [f32; 3] {
    let n = (location * 4) as f32 + component as f32;
    [(n + 1.0) / 64.0, (5.0 - n) / 32.0, (n - 2.0) / 8.0]
}

impl Run<'_> {
    fn compare(&self) -> Result<(), Miss> {
        let mut memory = Mapped::default();
        let images = All::new(self.module, &mut memory)?;
        let pixels = self.pixels();
        let given = self.given(&pixels, &images);
        let left = runs(self.module, &given)?;
        let mut ready = self.words(pixels, &given, &images, memory)?;
        ready.run([0; 3])?;
        let group = &ready.group.simdgroups[0];
        let mut comparison = Comparison::new("fragments");
        for output in variables(self.module, Space::Output) {
            self.output(&output, &left, group, &mut comparison)?;
        }
        self.buffers(&left, &ready.memory, &mut comparison);
        self.ended(&left[0], group)?;
        comparison.finish()
    }

    fn pixels(&self) -> Pixels {
        let mut pixels = Pixels { samples: self.samples, ..Pixels::default() };
        pixels.tile = vec![0; pixels.sample_bytes * usize::from(self.samples) * LANES];
        pixels.covered = [pixels.all(); LANES];
        pixels.back = 0xffff_0000;
        pixels.depth_plane = [DEPTH; LANES];
        let end = self.bindings.iter().map(|b| usize::from(b.base) + usize::from(b.count)).max().unwrap_or(0);
        pixels.coefficients = vec![[[0.0; 3]; LANES]; end];
        for binding in self.bindings {
            for n in 0..usize::from(binding.count) {
                let at = usize::from(binding.offset) + n;
                let plane = match (binding.slot, at) {
                    (0, 3) => [0.0, 0.0, W],
                    (0, _) => DEPTH,
                    (slot, at) => plane(u32::from(slot) - 32, at),
                };
                pixels.coefficients[usize::from(binding.base) + n] = [plane; LANES];
            }
        }
        pixels
    }

    /// Where a fragment is taken.
    fn place(&self, pixels: &Pixels, lane: usize) -> [f32; 2] {
        let corner = pixels.places[lane].map(|n| n as f32);
        let [x, y] = match self.sample {
            None => [0.5; 2],
            Some(n) => position(n),
        };
        [corner[0] + x, corner[1] + y]
    }

    fn given(&self, pixels: &Pixels, images: &All) -> Given {
        let mut inputs = chiaro_ir::interp::Attributes::new();
        for variable in variables(self.module, Space::Input) {
            let rows = (0..LANES).map(|lane| self.row(&variable, pixels, lane)).collect();
            inputs.insert(variable.global, rows);
        }
        let buffers = buffers(self.module, "", 5);
        let in_halves = self.unit.object["epilog_link"]["size_32"] == 0;
        Given {
            buffers,
            inputs,
            count: LANES,
            groups: None,
            images: images.store.clone(),
            in_halves,
            undefined: 0,
        }
    }

    /// The bytes of an input of a lane.
    fn row(&self, variable: &Output, pixels: &Pixels, lane: usize) -> Vec<u8> {
        let [x, y] = self.place(pixels, lane);
        let on = |[a, b, c]: [f32; 3]| a * x + b * y + c;
        let size = variable.scalars.iter().map(|s| s.at + usize::from(s.width) / 8).max().unwrap_or(4);
        let mut bytes = vec![0; size];
        for (n, scalar) in variable.scalars.iter().enumerate() {
            let word = match variable.builtin {
                None => self.varying(variable.location, n, &on).to_bits(),
                Some(builtin::FRAG_COORD) => [x, y, on(DEPTH), W][n].to_bits(),
                Some(builtin::FRONT_FACING) => u32::from(pixels.back >> lane & 1 == 0),
                Some(builtin::SAMPLE_ID) => self.sample.unwrap_or(0).into(),
                Some(builtin::SAMPLE_POSITION) => position(self.sample.unwrap_or(0))[n].to_bits(),
                Some(builtin::SAMPLE_MASK) => pixels.covered[lane].into(),
                // No lane is a helper.
                Some(_) => 0,
            };
            let width = usize::from(scalar.width) / 8;
            bytes[scalar.at..scalar.at + width].copy_from_slice(&word.to_le_bytes()[..width]);
        }
        bytes
    }

    fn varying(&self, location: u32, n: usize, on: &dyn Fn([f32; 3]) -> f32) -> f32 {
        let binding = self.bindings.iter().find(|binding| u32::from(binding.slot) == 32 + location);
        let by = if binding.is_none_or(|binding| binding.perspective) { W } else { 1.0 };
        on(plane(location, n)) / by
    }

    /// The words with what the driver binds.
    fn words(&self, pixels: Pixels, given: &Given, images: &All, mut memory: Mapped) -> Result<Ready, Miss> {
        let mut tables = Tables::new(self.unit, images.bound.clone());
        tables.put(ROOT, root::SAMPLE_POSITIONS, &POSITIONS.to_le_bytes());
        for (space, base, at) in
            [(Space::Storage, STORAGE, stage::STORAGE), (Space::Uniform, UNIFORM, stage::UNIFORM)]
        {
            let found = given.buffers.iter().find(|(g, _)| self.module.global(*g).space == space);
            let Some((_, bytes)) = found else { continue };
            tables.put_stage(at, &base.to_le_bytes());
            memory.map(Range { name: format!("{space:?}"), base, bytes: bytes.clone() })?;
        }
        let sample = self.sample;
        let enter = move |group: &mut Group| {
            let group = &mut group.simdgroups[0];
            if let Some(sample) = sample {
                group.set_word(0, Lanes::ZERO);
                group.set_word(1, Lanes::splat(1 << sample));
            }
            group.shade(pixels.clone());
        };
        Ready::new(self.unit, Launch::default(), &tables, memory, Box::new(enter))
    }

    /// A colour in its registers, or the samples that are left.
    fn output(
        &self,
        output: &Output,
        left: &[Left],
        group: &SimdGroup,
        comparison: &mut Comparison,
    ) -> Result<(), Miss> {
        let link = &self.unit.object["epilog_link"];
        let wide = link["size_32"].as_u64().unwrap_or(0) >> output.location & 1 == 1;
        for (n, scalar) in output.scalars.iter().enumerate() {
            for lane in (0..LANES).filter(|lane| !left[0].ended[*lane]) {
                let rows = left.iter().filter_map(|left| left.outputs.get(&output.global));
                let mut source: Vec<u64> = rows.map(|rows| bits(&rows[lane], *scalar)).collect();
                let place = || format!("component {n} of `{}` of lane {lane}", output.name);
                let (scalar, found) = match output.builtin {
                    Some(builtin::SAMPLE_MASK) => {
                        let pixels = group.pixels().ok_or("there are no pixels")?;
                        source.iter_mut().for_each(|mask| *mask &= u64::from(pixels.covered[lane]));
                        (*scalar, u64::from(pixels.live[lane]))
                    }
                    Some(_) => return Err(Miss::Skipped("it writes depth".to_owned())),
                    // A component that is 1 is left to the epilog.
                    None if n == 3 && link["loc0_w_1"] == 1 => (*scalar, u64::from(1f32.to_bits())),
                    None => colour(group, (output.location, n), wide, (*scalar, &mut source), lane),
                };
                comparison.scalar(&place, scalar, &source, found);
            }
        }
        Ok(())
    }

    /// Buffers that fragments change: the order of lanes does not show in those of the units.
    fn buffers(&self, left: &[Left], memory: &Mapped, comparison: &mut Comparison) {
        for (g, bytes) in
            left[0].buffers.iter().filter(|(g, _)| self.module.global(*g).space == Space::Storage)
        {
            let scalar = Scalar { at: 0, is_float: false, width: 32 };
            let name = &self.module.global(*g).name;
            let found = memory.load(STORAGE, 4).unwrap_or(0);
            comparison.scalar(&|| format!("`{name}`"), scalar, &[bits(bytes, scalar)], found);
        }
    }

    /// Fragments that are discarded: their samples are gone, or the mask that the epilog applies is 0.
    fn ended(&self, left: &Left, group: &SimdGroup) -> Result<(), Miss> {
        let late = self.unit.object["epilog_link"]["sample_mask_after_force_early"] == 1;
        let pixels = group.pixels().ok_or("there are no pixels")?;
        for lane in 0..LANES {
            let masked =
                variables(self.module, Space::Output).iter().any(|o| o.builtin == Some(builtin::SAMPLE_MASK));
            let found = match late {
                true => group.word(3).0[lane] >> 16 == 0,
                false => pixels.live[lane] == 0,
            };
            if !masked && found != left.ended[lane] {
                let why = |gone: bool| if gone { "discarded" } else { "kept" };
                return Err(format!("lane {lane} is {}, not {}", why(found), why(left.ended[lane])).into());
            }
        }
        Ok(())
    }
}

/// A component of a colour by the contract: 32 bits, or halves that stand side by side.
fn colour(
    group: &SimdGroup,
    (location, n): (u32, usize),
    wide: bool,
    (scalar, source): (Scalar, &mut [u64]),
    lane: usize,
) -> (Scalar, u64) {
    let first = 4 + 4 * location as u16;
    if wide {
        return (scalar, group.word(first + n as u16).0[lane].into());
    }
    let half = group.word(first + n as u16 / 2).0[lane] >> (16 * (n & 1)) & 0xffff;
    if scalar.width == 32 && scalar.is_float {
        let round =
            |bits: &mut u64| *bits = chiaro_ir::interp::float_bits(f32::from_bits(*bits as u32).into(), 16);
        source.iter_mut().for_each(round);
    }
    (Scalar { width: 16, ..scalar }, half.into())
}

/// Where a sample is in its pixel.
fn position(sample: u8) -> [f32; 2] {
    let bits = POSITIONS >> (8 * u32::from(sample));
    [bits & 15, bits >> 4 & 15].map(|n| n as f32 / 16.0)
}
