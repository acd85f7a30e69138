//! Checked compilation: the words keep the rules of the hardware, and compute what the source
//! means (design section 7).
//!
//! The engine is [`chiaro_target::proof`]; here are the facts of this machine: how far its
//! functions are off, and where variables are in registers and constants. Every fragment stands
//! in a quad of its own, whose other lanes are copies of it. Kernels are compared by what they
//! leave in buffers.

mod kernel;
mod places;

use std::sync::Arc;

use chiaro_ir::interp::{Handle, Interval, Precision, Rounding};
use chiaro_ir::sample::Sample;
use chiaro_ir::{EntryPoint, Module, Stage};
use chiaro_opt::lower::Arithmetic;
use chiaro_sim::LANES;
use chiaro_target::proof::images::Plain;
use chiaro_target::proof::{self, FUEL, Float, Order, Program as Source, Stored, Subject};
pub use chiaro_target::proof::{Compared, Failure};

use crate::asm::padded;
use crate::check;
use crate::compile::Compiled;
use crate::compile::legalize::FLOAT32;
use crate::listing::{self, Style, mesa};
use crate::machine::{Binding, Config, Machine, Mode, Program, World};
use crate::operand::half_bits;
use crate::regs::generation;
use places::{Cell, Places};

/// How far correct words may be off. Quotients are products with a rounded reciprocal; powers go
/// through two rounded functions; sines are of angles brought between minus pi and pi. How exact
/// the special functions are is [unknown] (spec section 29).
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

/// The same where half precision is enough: nobody keeps account of which operations are.
const HALF_PRECISION: Precision = Precision {
    bits: 11,
    regrouped: Some(Rounding { bits: 11, ulps: 1.0 }),
    tiny: 6.103_515_625e-5,
    ..PRECISION
};

/// Four steps of a half from 1 on.
const HALF_STEP: f64 = 4.0 / 1024.0;
/// Whole numbers are exact in halves up to this one.
const WHOLE_HALVES: u32 = 2048;

fn to_half(x: f32) -> f32 {
    chiaro_num::F16.decode_f32(half_bits(x.into()))
}

/// A number with its error, and what steps of halves add to that.
fn wider((value, error): (f64, f64)) -> (f64, f64) {
    (value, error + value.abs() * HALF_STEP + HALF_PRECISION.tiny)
}

/// Lanes of a fragment.
const QUAD: usize = 4;

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
        Interval { precision: if self.compiled.options.half { HALF_PRECISION } else { PRECISION } }
    }

    fn legal(&self) -> Source<'_> {
        let module = &self.compiled.module;
        Source { module, entry: module.entries.first().unwrap_or(self.entry) }
    }

    fn machine(&self) -> Arithmetic {
        FLOAT32
    }

    fn order(&self) -> Order {
        // Legal IR is of full precision.
        if self.compiled.options.half { Order::Changed } else { Order::Kept }
    }

    fn fit(&self, sample: &mut Sample) {
        places::fit(self.source, sample);
        if self.compiled.options.half {
            let _ = sample.round(self.source, self.entry, to_half, WHOLE_HALVES);
        }
    }

    /// Numbers of the source and texels are rounded as well, which no operation answers for.
    fn stored(&self, _: &[Float], numbers: Vec<(f64, f64)>) -> proof::Numbers {
        Ok(if self.compiled.options.half { numbers.into_iter().map(wider).collect() } else { numbers })
    }

    fn outputs(&self) -> Vec<Float> {
        let places = Places::new(self);
        let mut all = self.source().outputs();
        all.retain(|float| places.is_compared(float));
        all
    }

    fn rules(&self) -> Result<(), Failure> {
        let words = padded(&self.compiled.words);
        let outputs = self.compiled.interface.full_outputs();
        let broken = check::check(&words, generation::A3XX, Some(&outputs));
        let Some(found) = broken.first() else { return Ok(()) };
        let at = found.at.unwrap_or_default();
        let mut text = chiaro_isa::Out::default();
        listing::line(words.get(at as usize).copied().unwrap_or_default(), Style::default(), &mut text);
        let message = format!("{} at {at}: {} in `{}`", found.rule.id, found.message, text.as_str());
        Err(Failure::Rule(message))
    }

    /// All NaNs are equal, and so are both zeros: signs turn at the sources, so that -(a + b) may
    /// stand for -a - b.
    fn is_same(&self, expected: f32, found: f32) -> bool {
        expected == found || expected.is_nan() && found.is_nan()
    }

    fn run(&self, outputs: &[Float], sample: &Sample, fill: f32) -> Result<Vec<Stored>, Failure> {
        let places = Places::new(self);
        let run = Run {
            words: self,
            sample,
            fill,
            cells: outputs.iter().map(|f| places.output(f)).collect(),
            places,
        };
        let at_once = run.simulated(Mode::Functional)?;
        // One fill runs on the clock, too: what is read too early is a fault.
        let bits = |all: &[Stored]| {
            let of = |stored: &Stored| stored.iter().map(|value| value.map(f32::to_bits)).collect::<Vec<_>>();
            all.iter().map(of).collect::<Vec<_>>()
        };
        if fill.is_sign_negative() && bits(&run.simulated(Mode::Timed)?) != bits(&at_once) {
            return Err(Failure::Fault("results differ when they appear as the machine has them".into()));
        }
        Ok(at_once)
    }

    fn listing(&self) -> String {
        mesa::listing(&self.compiled.words, Style::default())
    }
}

impl Words<'_> {
    fn is_fragment(&self) -> bool {
        self.entry.stage == Stage::Fragment
    }
}

/// The words with one sample.
struct Run<'a> {
    words: &'a Words<'a>,
    sample: &'a Sample,
    places: Places<'a>,
    cells: Vec<Option<Cell>>,
    /// What nobody has written.
    fill: f32,
}

impl Run<'_> {
    /// The outputs of every invocation on the simulator.
    fn simulated(&self, mode: Mode) -> Result<Vec<Stored>, Failure> {
        let compiled = &self.words.compiled;
        let config = Config { mode, poison: self.fill.to_bits(), fuel: FUEL, ..Config::default() };
        let mut machine = Machine::new(Arc::new(Program::new(&padded(&compiled.words), &config)));
        let mut world = self.world();
        machine.load_constants(&world);
        let lanes_each = if self.words.is_fragment() { QUAD } else { 1 };
        let batch = LANES / lanes_each;
        let mut all = Vec::with_capacity(self.sample.lanes);
        for first in (0..self.sample.lanes).step_by(batch) {
            let count = batch.min(self.sample.lanes - first);
            machine.clear();
            for lane in 0..count * lanes_each {
                self.places.load(&mut machine, self.sample, first + lane / lanes_each, lane);
            }
            machine.start(count * lanes_each);
            machine.run(&mut world);
            if let Some(fault) = machine.faults().first() {
                return Err(Failure::Fault(format!("instruction {}: {}", fault.instruction, fault.kind)));
            }
            all.extend((0..count).map(|n| self.stored(&machine, n * lanes_each)));
        }
        Ok(all)
    }

    /// What a lane has in the registers of the outputs; nothing if it is discarded. An output that the program
    /// lacks reads like a register that nobody has written.
    fn stored(&self, machine: &Machine, lane: usize) -> Stored {
        if machine.killed() >> lane & 1 == 1 {
            return Stored::new();
        }
        let number = |cell: &Cell| match cell.half {
            true => chiaro_num::F16.decode(machine.half(cell.register).0[lane]) as f32,
            false => f32::from_bits(machine.full(cell.register).0[lane]),
        };
        self.cells.iter().map(|cell| Some(cell.as_ref().map_or(self.fill, number))).collect()
    }

    /// Constants and textures.
    fn world(&self) -> World {
        let compiled = &self.words.compiled;
        let mut world = World::default();
        for &(at, bits) in &compiled.interface.immediates {
            world.set_constants(at.into(), &[bits]);
        }
        world.memory.private = compiled.interface.private_bytes;
        self.places.load_uniforms(&mut world, self.sample);
        let plain = Plain::new(self.words.source);
        for texture in &compiled.interface.textures {
            let Some((global, ty)) = self.places.texture(&texture.name) else { continue };
            for element in 0..u32::from(texture.count) {
                let (image, sampler) = plain.bound(Handle { global, element }, &ty);
                let binding = Binding { texture: Arc::new(image), shape: (&ty).into() };
                world.bind(usize::from(texture.number) + element as usize, binding, sampler);
            }
        }
        world
    }
}

#[cfg(test)]
mod tests {
    use super::{to_half, wider};

    /// Halves are rounded a few times over, never so often that a hundredth is lost.
    #[test]
    fn steps_of_halves_are_added_to_errors() {
        let step = f64::from(to_half(1.001) - 1.0);
        for (value, error) in [(1.0, 0.0), (-96.0, 0.5), (0.25, 0.125)] {
            let added = (wider((value, error)).1 - error) / value.abs();
            assert!(added > 3.5 * step && added < 0.01, "{value}: {added}");
        }
        assert!(wider((0.0, 0.0)).1 > 0.0, "subnormal halves may be lost");
    }
}
