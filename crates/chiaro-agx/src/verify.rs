//! Checked compilation: the words keep the rules of the hardware, and compute what the source means.
//!
//! The engine is [`chiaro_target::proof`]; here are the facts of this machine: how far its functions are off, and
//! where variables are in registers, uniforms and words of vertices. Every fragment stands in a quad of its own,
//! whose other lanes are copies of it. Kernels are compared by what they leave in buffers.

pub mod image;
mod kernel;
pub mod merge;
mod places;
mod storage;

use std::sync::Arc;

use chiaro_ir::interp::{Interval, Precision, Rounding, Texel};
use chiaro_ir::sample::Sample;
use chiaro_ir::{EntryPoint, GlobalRef, Module, Op, Space, Stage, Ty, Type, Walk};
use chiaro_opt::lower::Arithmetic;
use chiaro_sim::Lanes;
use chiaro_sim::mapped::Mapped;
use chiaro_target::proof::buffer;
use chiaro_target::proof::subject::Leaving;
use chiaro_target::proof::texels::{Form, Spot};
use chiaro_target::proof::{self, FUEL, Float, Numbers, Order, Program as Source, Stored, Subject};
pub use chiaro_target::proof::{Compared, Failure};

use crate::check::{self, Piece};
use crate::compile::legalize::FLOAT32;
use crate::compile::{Compiled, Place};
use crate::container::file;
use crate::listing::{self, Style};
use crate::machine::{Config, Group, Launch, Pixels, Program};
use crate::regs::{LANES, SAMPLES, WRITTEN};
use places::Places;
use storage::Storage;

/// How far correct words may be off. Quotients are products with a rounded reciprocal, powers go through two rounded
/// functions, angles through a product. How exact the functions are is [unknown] (spec 21).
const PRECISION: Precision = Precision {
    bits: 24,
    basic: 2.0,
    regrouped: Some(Rounding { bits: 24, ulps: 1.0 }),
    quotient: 6.0,
    function: 16.0,
    angle: 1e-3,
    others: 4096.0,
    tiny: 1.175_494_350_822_287_5e-38,
};

/// The same where the source has halves.
const HALF: Precision = Precision {
    bits: 11,
    regrouped: Some(Rounding { bits: 11, ulps: 1.0 }),
    tiny: 6.103_515_625e-5,
    ..PRECISION
};

/// Lanes of a fragment.
const QUAD: usize = 4;
/// Lanes of a SIMD-group.
const ALL: usize = LANES as usize;

/// A compiled shader beside its source.
#[derive(Clone, Debug)]
pub struct Words<'a> {
    /// What was compiled.
    pub source: &'a Module,
    /// Its entry point.
    pub entry: &'a EntryPoint,
    /// What was made of it.
    pub compiled: Compiled,
}

/// Checks what was compiled of a module, on so many invocations of inputs that a seed makes.
///
/// # Errors
/// The first check that fails.
pub fn verify(words: &Words<'_>, invocations: usize, seed: u64) -> Result<Compared, Failure> {
    proof::verify(words, invocations, seed)
}

impl Subject for Words<'_> {
    type Bounds = Interval;
    type Machine = Arithmetic;

    // Integers have registers of their own width.
    const EXACT: u32 = u32::MAX;

    fn round(x: f32) -> f32 {
        x
    }

    fn source(&self) -> Source<'_> {
        Source { module: self.source, entry: self.entry }
    }

    fn bounds(&self) -> Interval {
        let types = &self.source.types;
        let is_half = (0..types.len()).any(|n| *types.get(Ty(n as u32)) == Type::Float(16));
        Interval { precision: if is_half { HALF } else { PRECISION } }
    }

    fn legal(&self) -> Source<'_> {
        let module = &self.compiled.module;
        Source { module, entry: module.entries.first().unwrap_or(self.entry) }
    }

    fn machine(&self) -> Arithmetic {
        FLOAT32
    }

    // Half floats are computed in their own width, which legal IR's arithmetic does not know.
    fn order(&self) -> Order {
        Order::Changed
    }

    fn fit(&self, sample: &mut Sample) {
        places::fit(self.source, sample, self.samples());
        buffer::fill(self.source, self.entry, sample);
    }

    fn outputs(&self) -> Vec<Float> {
        let places = Places::new(self);
        let mut all = self.source().outputs();
        all.retain(|float| places.output(float).is_some());
        all.extend(self.source().mask());
        all
    }

    /// Of a mask the samples that there are.
    fn stored(&self, outputs: &[Float], mut numbers: Vec<(f64, f64)>) -> Numbers {
        if let Some((value, _)) = self.mask_of(outputs).and_then(|n| numbers.get_mut(n)) {
            *value = f64::from(*value as u32 & u32::from(self.samples()));
        }
        Ok(numbers)
    }

    fn leaves_nothing(&self, outputs: &[Float], numbers: &[(f64, f64)]) -> Option<bool> {
        match self.mask_of(outputs).and_then(|n| numbers.get(n)) {
            // Nobody has written it.
            Some((_, error)) if *error != 0.0 => None,
            mask => Some(mask.is_some_and(|(value, _)| *value as u32 & u32::from(self.samples()) == 0)),
        }
    }

    fn rules(&self) -> Result<(), Failure> {
        let file = &self.compiled.file;
        let (stage, piece) = match self.entry.stage {
            Stage::Vertex if file.stage == file::Stage::SoftwareVertex => {
                (check::Stage::Compute, Piece::Last)
            }
            Stage::Vertex => (check::Stage::Vertex, Piece::Last),
            Stage::Compute => (check::Stage::Compute, Piece::Program),
            _ => (check::Stage::Fragment, Piece::Middle),
        };
        let halves = file.parts.first().map(|part| part.halves);
        let config = check::Config { stage, piece, halves, ..check::Config::default() };
        let own = check::Config {
            stage: check::Stage::Preamble,
            halves: Some(file.preamble_halves),
            ..check::Config::default()
        };
        let mut found = check::check(&file.code, &config);
        if !file.preamble.is_empty() {
            found.extend(check::check(&file.preamble, &own));
        }
        match found.first() {
            Some(found) => {
                let place = found.place.clone().unwrap_or_default();
                Err(Failure::Rule(format!("{} at {place}: {}", found.rule.id, found.message)))
            }
            None => Ok(()),
        }
    }

    fn kept(form: &Form, texel: Texel) -> Option<Texel> {
        let spot = Spot { global: GlobalRef(0), element: 0, at: [0; 3] };
        Storage::new(*form, spot, 0).ok().map(|image| image.kept(texel))
    }

    fn run(&self, outputs: &[Float], sample: &Sample, fill: f32) -> Result<Vec<Stored>, Failure> {
        let all = self.run_leaving(outputs, sample, fill)?;
        Ok(all.into_iter().map(|leaving| leaving.stored).collect())
    }

    fn run_leaving(&self, outputs: &[Float], sample: &Sample, fill: f32) -> Result<Vec<Leaving>, Failure> {
        let places = Places::new(self);
        let cells = outputs.iter().map(|float| places.output(float)).collect();
        Run { words: self, sample, fill, cells, mask: self.mask_of(outputs), places }.simulated()
    }

    fn listing(&self) -> String {
        listing::code(&self.compiled.file.code, Style::default())
    }
}

/// The words with one sample.
struct Run<'a> {
    words: &'a Words<'a>,
    sample: &'a Sample,
    /// What nobody has written.
    fill: f32,
    cells: Vec<Option<Place>>,
    /// Which output is the mask of samples.
    mask: Option<usize>,
    places: Places<'a>,
}

impl Words<'_> {
    /// Whether the mask of samples that are written is in a register at the end.
    fn has_mask(&self) -> bool {
        self.says("\"sample_mask_after_force_early\":1")
    }

    /// Whether its description for the epilog has a field.
    fn says(&self, field: &str) -> bool {
        self.compiled.file.parts.first().is_some_and(|part| part.key.contains(field))
    }

    /// The samples of a pixel: where the shader chooses among them there are four, if it does not run for each.
    fn samples(&self) -> u8 {
        let chooses = self.source().mask().is_some() && !self.says("\"sample_shading\":1");
        if chooses { 0xf } else { 1 }
    }

    /// Which output is the mask of samples.
    fn mask_of(&self, outputs: &[Float]) -> Option<usize> {
        let mask = self.source().mask()?;
        outputs.iter().position(|output| *output == mask)
    }

    /// Whether an invocation leaves anything in memory.
    fn stores(&self) -> bool {
        self.source.functions.iter().any(|f| {
            Walk::insts(f).any(|inst| match f.op(inst) {
                Op::ImageWrite | Op::TexelPointer => true,
                Op::Store | Op::Atomic(..) | Op::AtomicCompare(..) | Op::AtomicStore(..) => {
                    let to =
                        f.args(inst).first().and_then(|&pointer| self.source.types.pointee(f.ty(pointer)));
                    to.is_some_and(|(space, _)| space == Space::Storage)
                }
                _ => false,
            })
        })
    }

    fn is_fragment(&self) -> bool {
        self.entry.stage == Stage::Fragment
    }
}

impl Run<'_> {
    /// What every invocation leaves on the simulator. Those that store have memory of their own.
    fn simulated(&self) -> Result<Vec<Leaving>, Failure> {
        let file = &self.words.compiled.file;
        let config = Config {
            poison: self.fill.to_bits(),
            fuel: FUEL,
            stack: file.stack_bytes(),
            ..Config::default()
        };
        let mut code = file.code.clone();
        if self.words.is_fragment() {
            // What follows a main part here is the end.
            code.extend([0x88, 0]);
        }
        let program = Arc::new(Program::new(&code, file.generation, &config));
        let (stores, each) = (self.words.stores(), if self.words.is_fragment() { QUAD } else { 1 });
        let alone = stores && !self.words.is_fragment();
        let launch = Launch { size: [if alone { 1 } else { LANES }, 1, 1], ..Launch::default() };
        let mut group = Group::new(&program, &config, &launch, 0);
        let mut memory = Mapped::default();
        let images = self.places.prepare(&mut group, &mut memory, self.sample).map_err(Failure::Fault)?;
        let before = group.prepare_with(&file.preamble, file.generation, &config, &mut memory);
        before.map_err(Failure::Fault)?;
        let batch = if stores { 1 } else { ALL / each };
        let given = memory.clone();
        let mut all = Vec::with_capacity(self.sample.lanes);
        for first in (0..self.sample.lanes).step_by(batch) {
            let count = batch.min(self.sample.lanes - first);
            if stores {
                memory.clone_from(&given);
            }
            group.enter(&launch, [0; 3]);
            self.enter(&mut group, first, count, each);
            let outcome = group.run(&mut memory);
            if let Some(fault) = outcome.faults.first() {
                return Err(Failure::Fault(format!("byte {:#x}: {}", fault.offset, fault.kind)));
            }
            all.extend((0..count).map(|n| Leaving {
                stored: self.stored(&group, &memory, n * each),
                texels: images.iter().flat_map(|image| image.left(&memory)).collect(),
                buffers: self.places.buffers_left(&memory),
            }));
        }
        Ok(all)
    }

    /// Gives lanes their inputs; those beyond the last invocation copy it.
    fn enter(&self, group: &mut Group, first: usize, count: usize, each: usize) {
        let of_lane = |lane: usize| first + (lane / each).min(count - 1);
        let lanes = |value: &dyn Fn(usize) -> u32| Lanes(std::array::from_fn(|lane| value(of_lane(lane))));
        let group = &mut group.simdgroups[0];
        let mut pixels = Pixels::default();
        for (place, invocation_word) in self.places.inputs(self.sample) {
            match place {
                Place::Register(half, _) => group.set_word(half / 2, lanes(&invocation_word)),
                Place::Coefficient(register, _) => {
                    let planes = &mut pixels.coefficients;
                    planes.resize(planes.len().max(usize::from(register) + 1), [[0.0; 3]; ALL]);
                    let values = lanes(&invocation_word);
                    let plane = |lane: usize| [0.0, 0.0, f32::from_bits(values.0[lane])];
                    planes[usize::from(register)] = std::array::from_fn(plane);
                }
                Place::Word(_) | Place::Stored(_) => {}
            }
        }
        if self.words.is_fragment() {
            group.set_word(SAMPLES, Lanes([1; ALL]));
            let samples = self.words.samples();
            (pixels.samples, pixels.covered) = (samples.count_ones() as u8, [samples; ALL]);
            if self.words.stores() {
                // Copies of the fragment store nothing.
                pixels.covered[1..].fill(0);
            }
            self.places.fragments(&mut pixels, self.sample, &of_lane);
            group.shade(pixels);
        }
    }

    /// What a lane leaves behind; nothing if it is discarded.
    fn stored(&self, group: &Group, memory: &Mapped, lane: usize) -> Stored {
        let group = &group.simdgroups[0];
        let written = if self.words.has_mask() { group.word(WRITTEN / 2).0[lane] >> 16 & 0xff } else { 0xff };
        let left = group.pixels().map_or(0, |pixels| u32::from(pixels.live[lane]) & written);
        if self.words.is_fragment() && left == 0 {
            return Stored::new();
        }
        let number = |place: &Place| match *place {
            Place::Register(half, 1) => {
                let bits = group.word(half / 2).0[lane] >> (16 * (half % 2)) & 0xffff;
                chiaro_num::F16.decode(bits) as f32
            }
            Place::Register(half, _) => f32::from_bits(group.word(half / 2).0[lane]),
            Place::Word(n) => match group.outputs().get(usize::from(n)) {
                Some((written, words)) if written >> lane & 1 == 1 => f32::from_bits(words.0[lane]),
                _ => self.fill,
            },
            Place::Stored(n) => self.places.record_word(memory, lane, n).map_or(self.fill, f32::from_bits),
            Place::Coefficient(..) => self.fill,
        };
        let value = |(n, cell): (usize, &Option<Place>)| match self.mask {
            Some(mask) if mask == n => left as f32,
            _ => cell.as_ref().map_or(self.fill, number),
        };
        self.cells.iter().enumerate().map(|cell| Some(value(cell))).collect()
    }
}
