//! `chiaro-filetest textures`: random samples of random textures on lavapipe and on the interpreter, which uses the texture
//! unit of all our simulators.
//!
//! Vulkan lets a driver round coordinates and levels. What it finds has to lie within what our unit finds where these are a
//! little less, the same, and a little more: 1/512 of a texel, and a fiftieth of a level. Levels that follow from gradients
//! may be 0.34 off: lavapipe takes logarithms by a line for each power of two (up to 0.09 off), and mixes two levels in the
//! middle half of the way only (up to 0.25 off); where a level is given it does neither.

mod case;
mod formats;

use std::fmt;
use std::ops::Range;

use ash::vk;
use chiaro_ir::interp::{Exact, Handle, Images, Interpreter, Request, Texel, TextureStore};
use chiaro_ir::{GlobalRef, ImageType, Module, Space, Type};

use super::draw::{Resource, Scene, Stage, run};
use super::{Device, Kind};
use crate::stages::Shader;
use case::{Case, LANES};

/// What weighing texels in floats of 32 bits may come to.
const ROUNDING: f32 = 1.0 / 65536.0;

/// What became of the cases.
#[derive(Default)]
pub struct Report {
    same: usize,
    /// Numbers that are compared, and those where rounding decides between several.
    numbers: usize,
    open: usize,
    wrong: Vec<String>,
    /// Formats that agree, and those that the driver does not sample.
    formats: usize,
    lacking: Vec<&'static str>,
}

impl Report {
    /// Whether all numbers are within their bounds, and all formats what they are there.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.wrong.is_empty() && self.same > 0 && self.formats > 0
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.wrong.iter().try_for_each(|why| writeln!(f, "{why}"))?;
        let Report { same, numbers, open, wrong, formats, lacking } = self;
        let apart = wrong.len();
        writeln!(
            f,
            "{same} cases agree, {apart} do not; {numbers} numbers, of {open} rounding leaves more than a hundredth open"
        )?;
        writeln!(f, "{formats} formats agree; not sampled there: {}", lacking.join(", "))
    }
}

/// Runs the cases of some seeds.
#[must_use]
pub fn check(device: &Device, seeds: Range<u64>) -> Report {
    let mut report = Report::default();
    for seed in seeds {
        let case = Case::of(seed);
        match compare(device, &case, &mut report) {
            Ok(()) => report.same += 1,
            Err(why) => report.wrong.push(format!("{seed}: {case}: {why}")),
        }
    }
    formats::check(device, &mut report);
    report
}

fn compare(device: &Device, case: &Case, report: &mut Report) -> Result<(), String> {
    let shader = Shader::of_text("textures.comp".to_owned(), case.source())?;
    let found = on_driver(device, case, &shader)?;
    let all = case.nudges().into_iter().map(|nudge| on_interpreter(case, &shader.module, nudge));
    let all: Vec<Vec<f32>> = all.collect::<Result<_, _>>()?;
    for (n, &found) in found.iter().enumerate() {
        let ours = all.iter().map(|words| words[n]);
        let [least, most] = [ours.clone().fold(f32::MAX, f32::min), ours.fold(f32::MIN, f32::max)];
        report.numbers += 1;
        report.open += usize::from(most - least > 0.01);
        if !(least - ROUNDING..=most + ROUNDING).contains(&found) {
            let (lane, component) = (n / 4, n % 4);
            return Err(format!(
                "lane {lane} {}, component {component}: {found} instead of {least} to {most}",
                case.lane(lane)
            ));
        }
    }
    Ok(())
}

/// What the driver finds: four numbers for each lane.
fn on_driver(device: &Device, case: &Case, shader: &Shader) -> Result<Vec<f32>, String> {
    let words = shader.vulkan()?;
    let texture = Resource::Texture {
        texture: case.texture.clone(),
        shape: case.view(),
        compares: case.compares(),
        sampler: case.sampler,
    };
    let resources = vec![
        (0, texture),
        (1, Resource::Buffer(Kind::Storage, case.given.clone())),
        (2, Resource::Buffer(Kind::Storage, vec![0; LANES * 4])),
    ];
    let stages = vec![Stage { stage: vk::ShaderStageFlags::COMPUTE, words: &words }];
    let left = run(device, &Scene::of(stages, resources))?;
    let found = left.buffers.last().ok_or("nothing came back")?;
    Ok(found.iter().map(|&word| f32::from_bits(word)).collect())
}

/// What the interpreter finds, with coordinates and levels that are a little off.
fn on_interpreter(case: &Case, module: &Module, nudge: Nudge) -> Result<Vec<f32>, String> {
    let buffer = |binding: u32| {
        let is_it = |n: &usize| {
            let global = &module.globals[*n];
            global.space == Space::Storage && global.binding.binding == Some(binding)
        };
        (0..module.globals.len()).find(is_it).map(|n| GlobalRef(n as u32)).ok_or("a buffer is gone")
    };
    let is_image = |n: &usize| matches!(module.types.get(module.globals[*n].ty), Type::SampledImage(_));
    let image = (0..module.globals.len()).find(is_image).ok_or("the texture is gone")?;
    let handle = Handle { global: GlobalRef(image as u32), element: 0 };
    let mut store = TextureStore::default();
    store.textures.insert(handle, case.texture.clone());
    store.samplers.insert(handle, case.sampler);
    let mut run = Interpreter::with(module, &module.entries[0], Exact);
    let [given, found] = [buffer(1)?, buffer(2)?];
    run.set(given, case.given.iter().flat_map(|word| word.to_le_bytes()).collect());
    run.set(found, vec![0; LANES * 16]);
    run.dispatch([1; 3], &mut Nudged { store, nudge }).map_err(|fault| fault.to_string())?;
    let bytes = run.bytes(found).ok_or("nothing was left")?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|word| f32::from_le_bytes(*word)).collect())
}

/// What is added to a coordinate, and to a level.
#[derive(Clone, Copy, Default, Debug)]
struct Nudge {
    at: [f64; 3],
    level: f64,
    /// Whether the level becomes a whole one, if one is so near: what levels are mixed to turns there.
    to_whole: Option<f64>,
}

/// Images whose coordinates and levels are a little off.
struct Nudged {
    store: TextureStore,
    nudge: Nudge,
}

impl Images for Nudged {
    fn sample(&mut self, request: &Request, ty: &ImageType) -> Texel {
        let mut request = request.clone();
        request.at.iter_mut().zip(self.nudge.at).for_each(|(at, more)| *at += more);
        if let Some(near) = self.nudge.to_whole {
            let [_, level] = self.store.levels(&request, ty);
            let more = level.round() - level;
            request.level += if more.abs() <= near { more } else { 0.0 };
        }
        request.level += self.nudge.level;
        self.store.sample(&request, ty)
    }

    fn read(&mut self, image: Handle, ty: &ImageType, at: [i32; 4], level: i32) -> Texel {
        self.store.read(image, ty, at, level)
    }

    fn write(&mut self, image: Handle, ty: &ImageType, at: [i32; 4], texel: Texel) {
        self.store.write(image, ty, at, texel);
    }

    fn size(&mut self, image: Handle, ty: &ImageType, level: u32) -> [u32; 3] {
        self.store.size(image, ty, level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel that fetches: each lane finds the texel that it asks for, in the level that it asks for.
    #[test]
    fn the_interpreter_finds_what_each_lane_asks_for() {
        let case = (0..200)
            .map(Case::of)
            .find(|case| case.source().contains("texelFetch(t, int(") && case.texture.smaller.len() > 1);
        let case = case.expect("a line of texels");
        let shader = Shader::of_text("textures.comp".to_owned(), case.source()).expect("it compiles");
        let found = on_interpreter(&case, &shader.module, Nudge::default()).expect("it runs");
        assert_eq!(found.len(), LANES * 4);
        for (lane, found) in found.as_chunks::<4>().0.iter().enumerate() {
            let given = |n: usize| f32::from_bits(case.given[16 * lane + n]) as usize;
            let texel = case.texture.level(given(5)).texels[given(0)];
            assert_eq!(found.map(|x| u64::from(x.to_bits())), texel, "lane {lane} of {case}");
        }
    }
}
