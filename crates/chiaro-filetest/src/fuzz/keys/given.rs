//! What a linked program and its reference run on: the same numbers that the interpreter gets.
//!
//! A quad is one fragment four times, so that changes across it are none, as they are on the interpreter, where a fragment
//! runs alone.

use chiaro_agx::abi::key::Key;
use chiaro_agx::container::file::File;
use chiaro_agx::verify::Words;
use chiaro_ir::interp::Handle;
use chiaro_ir::random::Rng;
use chiaro_ir::sample::{Numbers, Sample};
use chiaro_ir::{Global, GlobalRef, Space, Type};
use chiaro_sim::texture::Shape;
use chiaro_target::proof::Subject;
use chiaro_target::proof::images::Plain;
use chiaro_target::simulate::Column;
use chiaro_target::value::Image;
use chiaro_target::{Attributes, Inputs, Value, Work};
use serde_json::Value as Json;

use super::draw::Case;
use super::formats::Layout;
use crate::agx::parts::spill::{Spilled, spilled};

/// Vertices of a case, and fragments: as many as fill a SIMD-group.
const VERTICES: usize = 12;
const FRAGMENTS: usize = 8;
/// Lanes of a fragment.
const QUAD: usize = 4;
/// SPIR-V's numbers of a fragment's place and side.
const FRAG_COORD: u32 = 15;
const FRONT_FACING: u32 = 17;
/// The driver's root table in memory, the counter and the stipple that it points to, and where it says so.
const ROOT: u64 = 0x1_0000;
const COUNTER: u64 = 0x2_0000;
const STIPPLE: u64 = 0x3_0000;
const COUNTER_AT: usize = 512;
const STIPPLE_AT: usize = 592;

/// The numbers of a case.
pub(super) struct Given {
    pub(super) sample: Sample,
    /// Samples that each fragment covers, and what lies below them.
    pub(super) covered: Vec<u32>,
    pub(super) below: Vec<Vec<[f32; 4]>>,
    pub(super) constant: [f32; 4],
    resources: Vec<(String, Value)>,
    columns: Vec<(String, Column)>,
    seed: u64,
    is_fragment: bool,
}

impl Given {
    pub(super) fn of(case: &Case, words: &Words<'_>) -> Given {
        let mut rng = Rng(case.seed ^ 0x6769_7665);
        let lanes = if case.is_fragment() { FRAGMENTS } else { VERTICES };
        let numbers = if rng.once_in(2) { Numbers::new } else { Numbers::mild };
        let mut sample = Sample::new(words.source, words.entry, lanes, numbers(case.seed, |x| x));
        words.fit(&mut sample);
        let mut given = Given {
            sample,
            covered: Vec::new(),
            below: Vec::new(),
            constant: [0.0; 4].map(|_: f32| rng.below(65) as f32 / 64.0),
            resources: Vec::new(),
            columns: Vec::new(),
            seed: case.seed,
            is_fragment: case.is_fragment(),
        };
        given.bind(words);
        match case.is_fragment() {
            true => given.fragments(case, words, &mut rng),
            false => given.vertices(case, words, &mut rng),
        }
        given
    }

    /// What a program is given. Where its prolog culls by distance, distances are words of vertices that its own file
    /// numbers.
    pub(super) fn inputs(&self, container: &[u8]) -> Inputs {
        let mut columns = self.columns.clone();
        let mut resources = self.resources.clone();
        if !self.is_fragment {
            return Inputs {
                resources,
                work: Work::Vertices(Attributes { count: self.sample.lanes, columns }),
            };
        }
        let file = File::read(container).unwrap_or_default();
        resources.extend(self.targets(&file));
        let varyings = file.varyings();
        let nameless = varyings.iter().filter(|v| v.location.is_none() && v.point.is_none() && v.word > 3);
        for (n, varying) in nameless.enumerate() {
            let distance =
                |quad: usize| u64::from(!((self.seed >> 3) + (quad + 3 * n) as u64).is_multiple_of(5));
            let values = (0..FRAGMENTS * QUAD).map(|lane| Value::Number(distance(lane / QUAD) as f64));
            columns.push((format!("word {}", varying.word), values.collect::<Vec<_>>().into()));
        }
        Inputs { resources, work: Work::Fragments(Attributes { count: FRAGMENTS * QUAD, columns }) }
    }

    /// Images for the targets that a program has no room for in the tilebuffer, with their descriptors.
    fn targets(&self, file: &File) -> Vec<(String, Value)> {
        let keys = file.keys();
        let epilog = keys.iter().find_map(|key| match key {
            Key::FragmentEpilog(key) => Some(key),
            _ => None,
        });
        let mut rng = Rng(self.seed);
        let Some(key) = epilog else { return Vec::new() };
        let Some(Spilled { heap, images }) = spilled(key, &mut || rng.below(1 << 32) as u64) else {
            return Vec::new();
        };
        let memory = images.into_iter().map(|(base, bytes)| (format!("memory:{base:#x}"), bytes));
        let heap = (format!("heap:{}", key.link.rt_spill_base), heap);
        memory.chain([heap]).map(|(name, bytes)| (name, Value::Bytes(bytes))).collect()
    }

    /// Uniforms, textures, the driver's table.
    fn bind(&mut self, words: &Words<'_>) {
        let module = words.source;
        let plain = Plain::new(module);
        for (n, global) in module.globals.iter().enumerate() {
            let g = GlobalRef(n as u32);
            let value = match (global.space, module.types.image(global.ty)) {
                (Space::UniformConstant, Some(ty)) => {
                    let (bound, sampler) = plain.bound(Handle { global: g, element: 0 }, &ty);
                    let texels =
                        bound.texels.iter().map(|texel| texel.map(|bits| f32::from_bits(bits as u32)));
                    let (shape, size) = (Shape::from(&ty), bound.size);
                    Value::Image(Image {
                        shape,
                        size,
                        texels: texels.collect(),
                        smaller: Vec::new(),
                        sampler,
                    })
                }
                (Space::Uniform | Space::UniformConstant, None) => {
                    let mut bytes = self.sample.uniforms.get(&g).cloned().unwrap_or_default();
                    bytes.resize(bytes.len().next_multiple_of(4), 0);
                    Value::Bytes(bytes)
                }
                _ => continue,
            };
            self.resources.push((global.name.clone(), value));
        }
        if self.is_fragment {
            let mut root = vec![0; 1024];
            root[COUNTER_AT..COUNTER_AT + 8].copy_from_slice(&COUNTER.to_le_bytes());
            root[STIPPLE_AT..STIPPLE_AT + 8].copy_from_slice(&STIPPLE.to_le_bytes());
            let pattern = (0..128u64).map(|n| (n * 37 + self.seed) as u8 | 0x11).collect();
            let address = Value::List(vec![Value::Bits(ROOT), Value::Bits(0)]);
            self.resources.extend([
                ("u2".to_owned(), Value::List(self.constant.map(|x| Value::Number(x.into())).to_vec())),
                ("u6".to_owned(), address),
                (format!("memory:{ROOT:#x}"), Value::Bytes(root)),
                (format!("memory:{COUNTER:#x}"), Value::Bytes(vec![0; 8])),
                (format!("memory:{STIPPLE:#x}"), Value::Bytes(pattern)),
            ]);
        }
    }

    /// Attributes: numbers that the key's formats hold.
    fn vertices(&mut self, case: &Case, words: &Words<'_>, rng: &mut Rng) {
        for attribute in case.keys["prolog"]["attribs"].as_array().into_iter().flatten() {
            let is_it = |g: &Global| {
                g.space == Space::Input && g.binding.location.map(u64::from) == attribute["i"].as_u64()
            };
            let Some(n) = words.source.globals.iter().position(is_it) else { continue };
            let global = &words.source.globals[n];
            let count = usize::from(words.source.types.components(global.ty));
            let is_float = words.source.types.is_float(global.ty);
            let mut rows: Vec<Vec<u32>> =
                (0..VERTICES).map(|_| elements(attribute, (count, is_float), case.exact, rng)).collect();
            if attribute["instanced"] == 1 {
                // There is one instance.
                let first = rows[0].clone();
                rows.fill(first);
            }
            let bytes = |row: &Vec<u32>| row.iter().flat_map(|word| word.to_le_bytes()).collect();
            self.sample.attributes.insert(GlobalRef(n as u32), rows.iter().map(bytes).collect());
            let number = |word: &u32| match is_float {
                true => Value::Number(f32::from_bits(*word).into()),
                false => Value::Number(f64::from(*word as i32)),
            };
            let values = rows.iter().map(|row| Value::List(row.iter().map(number).collect()));
            let location = global.binding.location.unwrap_or(0);
            self.columns.push((format!("attribute{location}"), values.collect::<Vec<_>>().into()));
        }
    }

    /// Varyings, places, sides, samples.
    fn fragments(&mut self, case: &Case, words: &Words<'_>, rng: &mut Rng) {
        let samples = case.samples();
        let whole = (1 << samples) - 1;
        self.covered = (0..FRAGMENTS)
            .map(|_| if rng.once_in(3) { rng.below(whole + 1) } else { whole } as u32)
            .collect();
        // No format has two numbers that are as near to one of these.
        let mut colour = || std::array::from_fn(|_| (2 * rng.below(64) + 1) as f32 / 128.0);
        self.below = (0..FRAGMENTS).map(|_| (0..samples).map(|_| colour()).collect()).collect();
        for (g, rows) in &self.sample.attributes {
            let global = words.source.global(*g);
            let name = match (global.binding.location, global.binding.builtin) {
                (Some(location), _) => format!("varying{location}"),
                (_, Some(FRAG_COORD)) => "gl_FragCoord".to_owned(),
                (_, Some(FRONT_FACING)) => "gl_FrontFacing".to_owned(),
                _ => continue,
            };
            let is_bool = *words.source.types.get(global.ty) == Type::Bool;
            let value = |quad: usize| match is_bool {
                true => Value::Bool(rows[quad].first().is_some_and(|byte| *byte != 0)),
                false => Value::List(
                    rows[quad].as_chunks::<4>().0.iter().map(|w| bits(u32::from_le_bytes(*w))).collect(),
                ),
            };
            self.columns.push(column(&name, value));
        }
        let (covered, below) = (self.covered.clone(), self.below.clone());
        let there = |quad: usize| {
            let all = below[quad].iter().flatten().map(|x| Value::Number((*x).into()));
            Value::List(all.collect())
        };
        self.columns.extend([
            column("covered", |quad| bits(covered[quad])),
            column("helper", |quad| Value::Bool(covered[quad] == 0)),
            column("below", there),
        ]);
    }
}

/// An element of an attribute: what the main part reads of it.
fn elements(attribute: &Json, (count, is_float): (usize, bool), exact: bool, rng: &mut Rng) -> Vec<u32> {
    let Some(layout) = Layout::named(attribute["format"].as_str().unwrap_or_default()) else {
        return Vec::new();
    };
    let number = |component: usize| {
        let fill = if component == 3 { 1.0 } else { 0.0 };
        let number = layout.number(component, exact, rng).unwrap_or(fill);
        if is_float { (number as f32).to_bits() } else { number as i32 as u32 }
    };
    (0..count).map(number).collect()
}

fn bits(word: u32) -> Value {
    Value::Bits(word.into())
}

/// A value of each fragment for the four lanes of its quad.
fn column(name: &str, value: impl Fn(usize) -> Value) -> (String, Column) {
    (name.to_owned(), (0..FRAGMENTS * QUAD).map(|lane| value(lane / QUAD)).collect::<Vec<_>>().into())
}
