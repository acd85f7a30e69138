//! `lavapipe_corpus.jsonl`: what stages of AGX's corpus compute on a driver of others, against our words on the simulator.
//!
//! A row is within bounds if the interpreter, whose operations are exact and then a little off, allows what the driver
//! computed, and twice that lies between the driver and our words. `chiaro-filetest golden` makes the rows.

pub(crate) mod images;
pub(crate) mod samples;

use chiaro_ir::interp::{Attributes as Rows, TextureStore};
use chiaro_ir::{Global, GlobalRef, Module, Space, Stage};
use chiaro_sim::texture::{Sampler, Texture};
use chiaro_target::{Attributes, Simulated, Value, Work};
use serde_json::Value as Json;

use super::driver::given::Given;
use super::driver::scalars::{Scalar, scalars};
use super::driver::source::{Left, Output, allowed, bits, run, runs, variables};
use super::driver::textures::Store;
use super::named::{self, Program, QUAD, below, column, image, vector};
use crate::compute::{Buffer, buffer, packed_words};
use crate::stages::nudge::{Nudged, of_rows};
use crate::stages::texture::{handle, image_of, make};
use crate::stages::{NUDGES, Shader};
use crate::suite::{Miss, Row};
use images::Images;

/// Pixels of the rows: columns, rows.
pub(crate) const PIXELS: [usize; 2] = [8, 4];
/// The plane of depths: by column, by row, at the corner.
pub(crate) const DEPTH: [f32; 3] = [1.0 / 64.0, 1.0 / 64.0, 1.0 / 8.0];
/// What a pixel holds whose fragment is discarded.
pub(crate) const DISCARDED: u32 = 7.25e37f32.to_bits();
/// Bindings of textures begin here; what is bound to textures has the number behind it.
pub(crate) const TEXTURES: u32 = 16;
/// Bytes of a runtime array that scalars are looked for in.
const ELEMENTS: u32 = 4096;
/// A bound that is wider than so much of a number proves nothing, and of one of 16 bits; a fifth of a row may be such.
const WIDE: f64 = 0.02;
const WIDE_HALF: f64 = 0.1;
const MOST_WIDE: usize = 5;

/// SPIR-V's numbers of built-ins.
mod builtin {
    pub(super) const POSITION: u32 = 0;
    pub(super) const POINT_SIZE: u32 = 1;
    pub(super) const CLIP_DISTANCE: u32 = 3;
    pub(super) const FRAG_COORD: u32 = 15;
    pub(super) const FRONT_FACING: u32 = 17;
}

/// A row: a source with what it is given.
pub(crate) struct Golden {
    pub(crate) name: String,
    pub(crate) stage: String,
    pub(crate) source: String,
    pub(crate) groups: [u32; 3],
    /// Samples of a pixel.
    pub(crate) samples: usize,
    pub(crate) buffers: Vec<Buffer>,
    /// Words of attributes by location, of each vertex.
    pub(crate) attributes: Vec<(u32, Vec<[u32; 4]>)>,
    /// Planes of varyings by location, of each component.
    pub(crate) planes: Vec<(u32, Vec<[f32; 3]>)>,
    /// What comes out, by name.
    out: Vec<(String, Vec<u32>)>,
}

impl Golden {
    /// Reads a row; one that the tool is making has no results yet.
    pub(crate) fn of(row: &Json) -> Result<Golden, Miss> {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let groups = row["groups"].as_array().into_iter().flatten().filter_map(Json::as_u64);
        let groups: Vec<u32> = groups.map(|n| n as u32).collect();
        let buffers = row["buffers"].as_array().into_iter().flatten().map(buffer);
        let entries = |name: &str| row[name].as_object().cloned().unwrap_or_default();
        let mut attributes = Vec::new();
        for (location, words) in entries("attributes") {
            let rows = packed_words(words.as_str().unwrap_or_default())?.as_chunks::<4>().0.to_vec();
            attributes.push((location.parse().unwrap_or(0), rows));
        }
        let plane = |plane: &Json| std::array::from_fn(|n| plane[n].as_f64().unwrap_or(0.0) as f32);
        let planes = entries("planes").into_iter().map(|(location, planes)| {
            let all = planes.as_array().into_iter().flatten().map(plane).collect();
            (location.parse().unwrap_or(0), all)
        });
        let planes = planes.collect();
        let mut out = Vec::new();
        for (name, words) in entries("out") {
            out.push((name, packed_words(words.as_str().unwrap_or_default())?));
        }
        Ok(Golden {
            name: text("name"),
            stage: text("stage"),
            source: text("source"),
            groups: groups.try_into().unwrap_or([1; 3]),
            samples: row["samples"].as_u64().unwrap_or(1) as usize,
            buffers: buffers.collect::<Result<_, _>>()?,
            attributes,
            planes,
            out,
        })
    }

    /// The source as a module.
    pub(crate) fn shader(&self) -> Result<Shader, String> {
        Shader::of_text(format!("{}.{}", self.name, self.stage), self.source.clone())
    }

    /// A varying of a pixel.
    fn varying(plane: [f32; 3], [x, y]: [f32; 2]) -> f32 {
        plane[0] * x + plane[1] * y + plane[2]
    }
}

/// Textures of a module with the unit of each element.
pub(crate) fn textures(module: &Module) -> Vec<(GlobalRef, u32, chiaro_ir::ImageType)> {
    let mut all = Vec::new();
    for (n, global) in module.globals.iter().enumerate().filter(|(_, g)| g.space == Space::UniformConstant) {
        let Some((ty, count)) = image_of(module, global.ty) else { continue };
        let first = global.binding.binding.unwrap_or(TEXTURES).saturating_sub(TEXTURES);
        all.extend((0..count).map(|element| (GlobalRef(n as u32), first + element, ty)));
    }
    all
}

/// The texture of a unit: rows of the other target's corpus have the same.
pub(crate) fn texture(unit: u32, ty: &chiaro_ir::ImageType) -> (Texture, Sampler) {
    make(unit, ty)
}

/// Where the centre of a pixel is; four in a row are a quad.
fn pixel(lane: usize) -> [usize; 2] {
    let (quad, corner) = (lane / QUAD, lane % QUAD);
    let across = PIXELS[0] / 2;
    [quad % across * 2 + corner % 2, quad / across * 2 + corner / 2]
}

fn centre(lane: usize) -> [f32; 2] {
    pixel(lane).map(|n| n as f32 + 0.5)
}

/// A row of the file.
pub(super) fn row(row: &Row<'_>) -> Result<(), Miss> {
    let golden = Golden::of(&row.json()?)?;
    check(&golden).map_err(|miss| match miss {
        Miss::Failed(why) => Miss::Failed(format!("{}.{}: {why}", golden.name, golden.stage)),
        Miss::Skipped(why) => Miss::Skipped(format!("{}.{}: {why}", golden.name, golden.stage)),
    })
}

fn check(golden: &Golden) -> Result<(), Miss> {
    let shader = golden.shader()?;
    let module = &shader.module;
    if golden.samples > 1 {
        return samples::check(golden, module);
    }
    let images = Images::of(module)?;
    let given = given(golden, module, images.as_ref());
    let mut left = runs(module, &given)?;
    // The driver's functions are off in their own ways.
    for n in 1..=NUDGES {
        left.push(run(module, &given, Nudged { run: n, reduced: true, errors: of_rows })?);
    }
    let program = Program::of(module)?;
    let made = program.run(resources(golden, module, (&program, images.as_ref())), work(golden, module))?;
    let mut judge = Judge::default();
    for (name, words) in &golden.out {
        if let (Some(images), Some(binding)) = (&images, name.strip_prefix("image ")) {
            let binding = binding.parse().unwrap_or(0);
            let both = images.left(module, binding, (&left[0].images, &made));
            judge.image(name, both.ok_or_else(|| format!("there is no `{name}`"))?, words)?;
            continue;
        }
        let meant =
            meant(golden, module, &left, name).ok_or_else(|| format!("the source leaves no `{name}`"))?;
        let found = found(golden, module, (&program, &made), name)
            .ok_or_else(|| format!("our words leave no `{name}`"))?;
        judge.compare(name, &meant, words, &found)?;
    }
    Ok(judge.finish()?)
}

/// Scalars of something that comes out, with the bits of each in every run of the source.
struct Meant {
    scalars: Vec<Scalar>,
    runs: Vec<Vec<u8>>,
    /// Bytes of scalars that belong to fragments which are discarded.
    discarded: Vec<bool>,
}

/// What the interpreter is given.
fn given(golden: &Golden, module: &Module, images: Option<&Images>) -> Given {
    let mut store = TextureStore::default();
    let mut element = std::collections::HashMap::new();
    for (global, unit, ty) in textures(module) {
        let n = element.entry(global).and_modify(|n| *n += 1).or_insert(0);
        let (texture, sampler) = texture(unit, &ty);
        store.textures.insert(handle(global, *n), texture);
        store.samplers.insert(handle(global, *n), sampler);
    }
    let buffers = golden.buffers.iter().filter_map(|buffer| {
        let bytes = buffer.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Some((bound(module, buffer.binding)?, bytes))
    });
    let count = match golden.stage.as_str() {
        "vert" => golden.attributes.first().map_or(16, |(_, rows)| rows.len()),
        _ => PIXELS[0] * PIXELS[1],
    };
    let inputs = variables(module, Space::Input);
    let inputs: Rows = inputs.iter().map(|input| (input.global, rows(golden, input, count))).collect();
    let groups = (golden.stage == "comp").then_some(golden.groups);
    let buffers = buffers.collect();
    let images = images.map_or(Store(store), Images::store);
    Given { buffers, inputs, count, groups, images, in_halves: false, undefined: 0 }
}

fn bound(module: &Module, binding: u32) -> Option<GlobalRef> {
    let is_it =
        |g: &Global| matches!(g.space, Space::Uniform | Space::Storage) && g.binding.binding == Some(binding);
    Some(GlobalRef(module.globals.iter().position(is_it)? as u32))
}

/// The bytes of an input of each invocation.
fn rows(golden: &Golden, input: &Output, count: usize) -> Vec<Vec<u8>> {
    let size = input.scalars.iter().map(|s| s.at + 4).max().unwrap_or(4);
    let word = |n: usize, component: usize| match (input.builtin, golden.stage.as_str()) {
        (None, "vert") => attribute(golden, input.location, n)[component],
        (None, _) => {
            let plane = golden.planes.iter().find(|(location, _)| *location == input.location);
            let plane = plane.and_then(|(_, all)| all.get(component)).copied().unwrap_or_default();
            Golden::varying(plane, centre(n)).to_bits()
        }
        (Some(builtin::FRAG_COORD), _) => coordinate(n)[component],
        (Some(builtin::FRONT_FACING), _) => 1,
        // The number of the vertex; there is one instance.
        (Some(5 | 42), "vert") => n as u32,
        _ => 0,
    };
    let row = |n: usize| {
        let mut bytes = vec![0; size];
        for (component, scalar) in input.scalars.iter().enumerate() {
            bytes[scalar.at..scalar.at + 4].copy_from_slice(&word(n, component).to_le_bytes());
        }
        bytes
    };
    (0..count).map(row).collect()
}

fn attribute(golden: &Golden, location: u32, vertex: usize) -> [u32; 4] {
    let found = golden.attributes.iter().find(|(own, _)| *own == location);
    found.and_then(|(_, rows)| rows.get(vertex)).copied().unwrap_or_default()
}

fn coordinate(lane: usize) -> [u32; 4] {
    let [x, y] = centre(lane);
    [x, y, Golden::varying(DEPTH, [x, y]), 1.0].map(f32::to_bits)
}

fn resources(
    golden: &Golden,
    module: &Module,
    (program, images): (&Program, Option<&Images>),
) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for buffer in &golden.buffers {
        let Some(global) = bound(module, buffer.binding) else { continue };
        all.push((program.buffer(buffer.binding, &module.global(global).name), named::bytes(&buffer.words)));
    }
    if let Some(images) = images {
        all.extend(images.resources(module, program));
        return all;
    }
    let mut element = std::collections::HashMap::new();
    for (global, unit, ty) in textures(module) {
        let n = element.entry(global).and_modify(|n| *n += 1).or_insert(0usize);
        let (texture, sampler) = texture(unit, &ty);
        let states = program.states(&module.global(global).name);
        all.extend(states.get(*n).map(|state| (state.clone(), image(&texture, &ty, sampler))));
    }
    all
}

fn work(golden: &Golden, module: &Module) -> Work {
    match module.entries.first().map(|entry| entry.stage) {
        Some(Stage::Compute) => Work::Dispatch(golden.groups),
        Some(Stage::Vertex) => {
            let count = golden.attributes.first().map_or(16, |(_, rows)| rows.len());
            let columns = golden.attributes.iter().map(|(location, rows)| {
                column(&format!("attribute{location}"), rows.iter().map(|row| vector(row)))
            });
            Work::Vertices(Attributes { count, columns: columns.collect() })
        }
        _ => {
            let lanes = PIXELS[0] * PIXELS[1];
            let varying = |(location, planes): &(u32, Vec<[f32; 3]>)| {
                let value = |lane: usize| {
                    let words = planes.iter().map(|plane| Golden::varying(*plane, centre(lane)).to_bits());
                    vector(&words.collect::<Vec<_>>())
                };
                column(&format!("varying{location}"), (0..lanes).map(value))
            };
            let mut columns: Vec<_> = golden.planes.iter().map(varying).collect();
            columns.push(column("gl_FragCoord", (0..lanes).map(|lane| vector(&coordinate(lane)))));
            columns.push(column("gl_FrontFacing", (0..lanes).map(|_| Value::Bool(true))));
            columns.push(below(lanes));
            Work::Fragments(Attributes { count: lanes, columns })
        }
    }
}

/// An output that a name means: `buffer 0`, `location 1`, `builtin 0`.
fn meant(golden: &Golden, module: &Module, left: &[Left], name: &str) -> Option<Meant> {
    let (kind, number) = name.split_once(' ')?;
    let number = number.parse::<u32>().ok()?;
    if kind == "buffer" {
        let global = bound(module, number)?;
        let scalars = scalars(module, module.global(global).ty, ELEMENTS);
        let of =
            |left: &Left| left.buffers.iter().find(|(g, _)| *g == global).map(|(_, bytes)| bytes.clone());
        return Some(Meant { scalars, runs: left.iter().filter_map(of).collect(), discarded: Vec::new() });
    }
    let outputs = variables(module, Space::Output);
    let is_it = |output: &&Output| match kind {
        "builtin" => output.builtin == Some(number),
        _ => output.builtin.is_none() && output.location == number,
    };
    let output = outputs.iter().find(is_it)?;
    let is_fragment = golden.stage == "frag";
    let width = if is_fragment { 4 } else { output.scalars.len() };
    let count = left.first()?.outputs.get(&output.global)?.len();
    let mut scalars = Vec::new();
    for n in 0..count {
        let own = output.scalars.iter().enumerate();
        scalars.extend(own.map(|(component, scalar)| Scalar { at: 4 * (n * width + component), ..*scalar }));
    }
    let of = |left: &Left| {
        let rows = left.outputs.get(&output.global)?;
        let mut bytes = vec![0; 4 * count * width];
        for (n, row) in rows.iter().enumerate() {
            for (component, scalar) in output.scalars.iter().enumerate() {
                let word = bits(row, *scalar).to_le_bytes();
                let at = 4 * (n * width + component);
                bytes[at..at + 4].copy_from_slice(&word[..4]);
            }
        }
        Some(bytes)
    };
    let discarded = if is_fragment { left[0].ended.clone() } else { Vec::new() };
    Some(Meant { scalars, runs: left.iter().filter_map(of).collect(), discarded })
}

/// The words of the same that ours leave.
fn found(
    golden: &Golden,
    module: &Module,
    (program, made): (&Program, &Simulated),
    name: &str,
) -> Option<Vec<u32>> {
    let (kind, number) = name.split_once(' ')?;
    let number = number.parse::<u32>().ok()?;
    let of = |name: &str| made.outputs.iter().find(|output| output.name == name);
    let all =
        |output: &chiaro_target::Output| output.bits.iter().map(|bits| *bits as u32).collect::<Vec<_>>();
    match (kind, golden.stage.as_str()) {
        ("buffer", _) => {
            let own = program.buffer(number, &module.global(bound(module, number)?).name);
            let is_it = |(name, _): &&(String, Value)| *name == own;
            let (_, value) = made.resources.iter().find(is_it)?;
            let Value::Bytes(bytes) = value else { return None };
            Some(bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
        }
        ("location", "frag") => {
            let output = of(&if number == 0 { "colour".to_owned() } else { format!("colour {number}") })?;
            // Pixels stand row by row in the rows of the file.
            let mut words = vec![0; 4 * PIXELS[0] * PIXELS[1]];
            for lane in 0..PIXELS[0] * PIXELS[1] {
                let [x, y] = pixel(lane);
                let is_gone = made.discarded.get(lane).copied().unwrap_or(false);
                for (n, bits) in output.of(lane).iter().enumerate() {
                    words[4 * (y * PIXELS[0] + x) + n] = if is_gone { DISCARDED } else { *bits as u32 };
                }
            }
            Some(words)
        }
        ("location", _) => of(&format!("varying{number}")).map(all),
        (_, _) => match number {
            builtin::POSITION => of("position").map(all),
            builtin::POINT_SIZE => of("gl_PointSize").map(all),
            builtin::CLIP_DISTANCE => of("clip distances 0").map(all),
            _ => None,
        },
    }
}

/// Compares numbers, and counts those that prove nothing.
#[derive(Default)]
struct Judge {
    compared: usize,
    wide: usize,
}

impl Judge {
    fn compare(&mut self, name: &str, meant: &Meant, driver: &[u32], ours: &[u32]) -> Result<(), String> {
        let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let (driver, ours) = (bytes(driver), bytes(ours));
        for scalar in meant.scalars.iter().filter(|scalar| scalar.at < driver.len()) {
            let place = || format!("`{name}` at byte {}", scalar.at);
            let (expected, found) = (bits(&driver, *scalar), bits(&ours, *scalar));
            if !meant.discarded.is_empty() {
                let lane = lane_of(scalar.at / 16);
                let gone = |bits: u64| bits == u64::from(DISCARDED);
                if meant.discarded[lane] != gone(expected) || meant.discarded[lane] != gone(found) {
                    return Err(format!("{}: discarded by one and not by another", place()));
                }
            }
            let at = if meant.discarded.is_empty() { *scalar } else { moved(*scalar) };
            let source: Vec<u64> = meant.runs.iter().map(|bytes| bits(bytes, at)).collect();
            let is_gone = !meant.discarded.is_empty() && meant.discarded[lane_of(scalar.at / 16)];
            if !is_gone {
                self.number(&place, *scalar, &source, (expected, found))?;
            }
        }
        Ok(())
    }

    /// Texels of an image, which are as they are: what the driver has, what the source means, what our words leave.
    fn image(&mut self, name: &str, (meant, found): (Vec<u8>, Vec<u8>), words: &[u32]) -> Result<(), String> {
        let driver: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.compared += words.len();
        for (what, own) in [("the source means", &meant), ("our words leave", &found)] {
            if let Some(at) = (0..driver.len()).find(|at| own.get(*at) != Some(&driver[*at])) {
                return Err(format!(
                    "`{name}`, byte {at}: the driver has {}, {what} {:?}",
                    driver[at],
                    own.get(at)
                ));
            }
        }
        Ok(())
    }

    fn number(
        &mut self,
        place: &dyn Fn() -> String,
        scalar: Scalar,
        source: &[u64],
        (expected, found): (u64, u64),
    ) -> Result<(), String> {
        self.compared += 1;
        let bound = allowed(scalar, source);
        let [exact, expected, found] = [source[0], expected, found].map(|bits| scalar.value(bits));
        let is_close =
            |a: f64, b: f64, bound: f64| a == b || (a - b).abs() <= bound || a.is_nan() && b.is_nan();
        if !is_close(expected, exact, bound) {
            return Err(format!(
                "{}: the driver has {expected}, the source means {exact} within {bound:.3e}",
                place()
            ));
        }
        if !is_close(found, expected, 2.0 * bound) {
            return Err(format!(
                "{} is {found}, the driver has {expected} (within {:.3e})",
                place(),
                2.0 * bound
            ));
        }
        let wide = if scalar.width == 16 { WIDE_HALF } else { WIDE };
        self.wide += usize::from(bound.is_nan() || bound > wide * exact.abs().max(1.0));
        Ok(())
    }

    fn finish(self) -> Result<(), String> {
        match self.compared == 0 || MOST_WIDE * self.wide > self.compared {
            true => Err(format!("{} of {} numbers prove nothing", self.wide, self.compared)),
            false => Ok(()),
        }
    }
}

/// The lane of a pixel.
fn lane_of(at: usize) -> usize {
    let [x, y] = [at % PIXELS[0], at / PIXELS[0]];
    (y / 2 * (PIXELS[0] / 2) + x / 2) * QUAD + y % 2 * 2 + x % 2
}

/// The same scalar where lanes stand in their order.
fn moved(scalar: Scalar) -> Scalar {
    Scalar { at: 16 * lane_of(scalar.at / 16) + scalar.at % 16, ..scalar }
}
