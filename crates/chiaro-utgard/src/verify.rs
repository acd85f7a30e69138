//! Checked compilation: the words keep the rules of the hardware, and compute what the source
//! means (design section 7).
//!
//! The engine is [`chiaro_target::proof`]; here are the facts of this machine: how far its
//! functions and other orders of sums are off, where the compiler has put variables, and what
//! becomes of positions and point sizes.

use std::sync::Arc;

use chiaro_ir::interp::{Exact, Interpreter, Interval, Precision, Rounding};
use chiaro_ir::sample::{Sample, parts};
use chiaro_ir::{EntryPoint, Module, Op, Step, Ty, Type, Walk};
use chiaro_opt::lower::{Arithmetic, Native};
use chiaro_target::proof::{self, FUEL, Float, Numbers, Order, Program as Source, Stored, Subject};
pub use chiaro_target::proof::{Compared, Failure};

use crate::abi::{self, POINT_SIZE, POSITION};
use crate::check::{self, check_file};
use crate::compile::legalize::FLOAT32;
use crate::compile::{Compiled, Options as Choices};
use crate::explain::text;
use crate::listing::exact;
use crate::machine::{Config, Machine, Program};

/// How far correct words may be off. Quotients are products with a rounded reciprocal; powers go
/// through two rounded functions; sine and its like are polynomials. spec section 11.
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

/// Vertices that run side by side.
const LANES: usize = chiaro_sim::LANES;

/// Numbers beyond this are as good as infinite: their products overflow.
const LARGEST: f64 = 1e30;

/// Checks what was compiled of a module, on so many vertices of inputs that a seed makes.
///
/// # Errors
/// The first check that fails.
pub fn verify(
    source: &Module,
    entry: &str,
    compiled: &Compiled,
    choices: &Choices,
    vertices: usize,
    seed: u64,
) -> Result<Compared, Failure> {
    let entry = source.entry(entry).ok_or_else(|| Failure::Stopped("there is no entry point".into()))?;
    let (compiled, choices) = (compiled.clone(), choices.clone());
    proof::verify(&Words { source, entry, compiled, choices }, vertices, seed)
}

/// A compiled vertex shader beside its source.
#[derive(Clone, Debug)]
pub struct Words<'a> {
    /// What was compiled.
    pub source: &'a Module,
    /// Its entry point.
    pub entry: &'a EntryPoint,
    /// What was made of it.
    pub compiled: Compiled,
    /// How.
    pub choices: Choices,
}

impl Subject for Words<'_> {
    type Bounds = Interval;
    type Machine = Arithmetic;

    // Integers up to here are exact as floats.
    const EXACT: u32 = 1 << 24;

    fn round(x: f32) -> f32 {
        x
    }

    fn source(&self) -> Source<'_> {
        Source { module: self.source, entry: self.entry }
    }

    fn bounds(&self) -> Interval {
        Interval { precision: PRECISION }
    }

    fn legal(&self) -> Source<'_> {
        let module = &self.compiled.module;
        Source { module, entry: module.entries.first().unwrap_or(self.entry) }
    }

    fn machine(&self) -> Arithmetic {
        FLOAT32
    }

    fn order(&self) -> Order {
        if self.compiled.is_regrouped { Order::Changed } else { Order::Kept }
    }

    fn outputs(&self) -> Vec<Float> {
        let mut all = self.source().outputs();
        all.retain(|float| self.cell(float).is_some());
        all
    }

    fn rules(&self) -> Result<(), Failure> {
        let broken = check_file(&self.compiled.file(), &check::Options::default());
        let Some(found) = broken.first() else { return Ok(()) };
        let at = found.at.unwrap_or_default();
        let word = self.compiled.words.get(at as usize).copied().unwrap_or_default();
        let message = format!("{} at {at}: {} in `{}`", found.rule.id, found.message, text(word));
        Err(Failure::Rule(message))
    }

    /// The position divided, the point size within its limits.
    fn stored(&self, outputs: &[Float], mut numbers: Vec<(f64, f64)>) -> Numbers {
        if numbers.iter().any(|(value, _)| value.abs() >= LARGEST) {
            return Err("an output is not finite");
        }
        for first in 0..outputs.len() {
            match self.builtin(&outputs[first]) {
                Some(POSITION) if outputs[first].component == 0 => {
                    let position = numbers.get_mut(first..first + 4);
                    position.map_or(Ok(()), |position| self.divide(position))?;
                }
                Some(POINT_SIZE) => self.limit(&outputs[first], &mut numbers[first]),
                _ => {}
            }
        }
        Ok(numbers)
    }

    /// The position divided, with a scale of 1 and no offset; the point size within its limits.
    fn stored_exactly(&self, outputs: &[Float], numbers: Vec<f32>) -> Stored {
        let mut numbers: Stored = numbers.into_iter().map(Some).collect();
        for first in 0..outputs.len() {
            match (self.builtin(&outputs[first]), outputs[first].component) {
                (Some(POSITION), 0) => {
                    let position = numbers.get_mut(first..first + 4);
                    position.into_iter().for_each(|position| self.on_screen(position));
                }
                (Some(POINT_SIZE), _) => {
                    let (low, high) = self.choices.point_size;
                    numbers[first] = numbers[first].map(|size| size.max(low).min(high));
                }
                _ => {}
            }
        }
        numbers
    }

    /// All NaNs are equal, and so are both zeros, since the adders turn signs at their inputs: -(a + b) may stand
    /// for -a - b. So are both infinities where something is divided, as it may be by one of these zeros.
    /// What stands for a NaN that the source only computes is free: a product with 0 is taken for 0.
    fn is_same(&self, expected: f32, found: f32) -> bool {
        let infinite = expected.is_infinite() && found.is_infinite();
        let free = || found.is_nan() || !proof::names_nan(self.source);
        expected == found || expected.is_nan() && free() || infinite && self.divides()
    }

    fn run(&self, outputs: &[Float], sample: &Sample, _: f32) -> Result<Vec<Stored>, Failure> {
        let cells: Vec<Option<(u32, usize)>> = outputs.iter().map(|float| self.cell(float)).collect();
        let layout = Interpreter::with(self.source, self.entry, Exact);
        let run = Run { words: self, sample, layout };
        run.simulated(&cells)
    }

    fn listing(&self) -> String {
        exact::print(&self.compiled.file())
    }
}

impl Words<'_> {
    /// The built-in variable that a float belongs to, itself or as a member of a block.
    fn builtin(&self, float: &Float) -> Option<u32> {
        let global = self.source.global(float.variable);
        match float.path.first().and_then(|&member| global.members.get(member as usize)) {
            Some(member) => member.builtin,
            None => global.binding.builtin,
        }
    }

    /// Whether the sign of a zero may become that of an infinity.
    fn divides(&self) -> bool {
        let legal = self.legal();
        let f = legal.module.function(legal.entry.function);
        let is_division = |op: Op| matches!(op, Op::Native(number) if matches!(Native::of(number), Some(Native::Rcp | Native::Rsq)));
        Walk::new(f).any(|step| matches!(step, Step::Inst(inst) if is_division(f.op(inst))))
    }

    /// Output and component in which the machine stores a float, if it has a place for it.
    fn cell(&self, float: &Float) -> Option<(u32, usize)> {
        let global = self.source.global(float.variable);
        let known = matches!(self.builtin(float), None | Some(POSITION | POINT_SIZE));
        let (member, ty, path) = match (&global.members[..], &float.path[..]) {
            ([_, ..], [member, rest @ ..]) => (*member, self.source.types.part(global.ty, *member)?, rest),
            (_, path) => (0, global.ty, path),
        };
        let first = self.compiled.abi.place(float.variable, member).filter(|_| known)?;
        Some((u32::from(first) + rows_before(self.source, ty, path), float.component))
    }

    fn divide(&self, position: &mut [(f64, f64)]) -> Result<(), &'static str> {
        let (w, error) = position[3];
        if (w, error) == (0.0, 0.0) {
            // Nothing is known of the sign of its zero; zeros stay zeros.
            let unknown = position.iter_mut().filter(|number| **number != (0.0, 0.0));
            unknown.for_each(|number| number.1 = f64::INFINITY);
            position[3].1 = f64::INFINITY;
            return Ok(());
        }
        if position[..3].iter().chain([&(w, error)]).any(|(_, error)| error.is_infinite()) {
            position.iter_mut().for_each(|number| number.1 = f64::INFINITY);
            return Ok(());
        }
        let limit = f64::from(self.choices.reciprocal_limit);
        if w.abs() <= 8.0 * error || 1.0 / w.abs() >= limit {
            return Err("the position is divided by next to nothing");
        }
        let inverse = (1.0 / w, error / (w * w) * 1.2 + (1e-6 / w).abs());
        for value in &mut position[..3] {
            let product = value.0 * inverse.0;
            let error = value.1 * inverse.0.abs() + (value.0.abs() + value.1) * inverse.1;
            *value = (product, error * 1.2 + product.abs() * 1e-6 + 1e-30);
        }
        position[3] = inverse;
        Ok(())
    }

    fn on_screen(&self, position: &mut [Option<f32>]) {
        let limit = self.choices.reciprocal_limit;
        let w = position[3].unwrap_or_default();
        if w == 0.0 {
            position.fill(None);
            return;
        }
        let inverse = FLOAT32.reciprocal(w).max(-limit).min(limit);
        position[..3].iter_mut().flatten().for_each(|value| *value *= inverse);
        position[3] = Some(inverse);
    }

    fn limit(&self, float: &Float, size: &mut (f64, f64)) {
        if size.0.is_nan() {
            // The clamp makes a number of it.
            *size = (0.0, f64::NAN);
            return;
        }
        let is_member = !self.source.global(float.variable).members.is_empty();
        if is_member && *size == (0.0, 0.0) {
            // A block has it, though nothing may write it.
            *size = (0.0, f64::INFINITY);
            return;
        }
        let (low, high) = self.choices.point_size;
        size.0 = size.0.clamp(low.into(), high.into());
    }
}

/// How many vec4 of a value come before a part of it.
fn rows_before(module: &Module, ty: Ty, path: &[u32]) -> u32 {
    let [first, rest @ ..] = path else { return 0 };
    let before = (0..*first).filter_map(|i| module.types.part(ty, i));
    let before = before.filter_map(|part| abi::size(module, part)).map(u32::from).sum();
    module.types.part(ty, *first).map_or(before, |part| before + rows_before(module, part, rest))
}

/// The words with one sample.
struct Run<'a> {
    words: &'a Words<'a>,
    sample: &'a Sample,
    layout: Interpreter<'a, Exact>,
}

impl Run<'_> {
    /// The outputs of every vertex on the simulator.
    fn simulated(&self, cells: &[Option<(u32, usize)>]) -> Result<Vec<Stored>, Failure> {
        let compiled = &self.words.compiled;
        let mut machine = self.machine();
        let behind = usize::from(compiled.abi.uniform_vec4);
        let mut all = Vec::with_capacity(self.sample.lanes);
        for first in (0..self.sample.lanes).step_by(LANES) {
            // Temporaries are no numbers at the start; tables are in the same place.
            for (i, row) in compiled.constants.iter().enumerate() {
                machine.set_uniform(behind + 2 + i, *row);
            }
            compiled.set_derived(&mut machine);
            let lanes = (self.sample.lanes - first).min(LANES);
            self.load(&mut machine, first, lanes);
            machine.run(lanes);
            if let Some(fault) = machine.faults().first() {
                return Err(Failure::Fault(format!("instruction {}: {}", fault.instruction, fault.kind)));
            }
            let stored = |lane: usize| {
                cells.iter().map(|cell| cell.map(|(row, i)| machine.output(lane, row)[i])).collect()
            };
            all.extend((0..lanes).map(stored));
        }
        Ok(all)
    }

    /// A machine with the program and the sample's uniforms.
    fn machine(&self) -> Machine {
        let compiled = &self.words.compiled;
        let mut machine = Machine::new(Arc::new(Program::new(&compiled.words, &Config::default())));
        machine.fuel = FUEL;
        machine.set_uniform(usize::from(compiled.abi.uniform_vec4), [1.0, 1.0, 1.0, 0.0]);
        for (&g, bytes) in &self.sample.uniforms {
            let Some(first) = compiled.abi.place(g, 0) else { continue };
            let mut rows = Vec::new();
            self.rows(self.words.source.global(g).ty, bytes, 0, &mut rows);
            let part = compiled.abi.part(g);
            for (i, row) in rows.into_iter().enumerate() {
                let own = &row[..part.len()];
                machine.set_part(usize::from(first) + i, part.start.into(), own);
            }
        }
        machine
    }

    fn load(&self, machine: &mut Machine, first: usize, lanes: usize) {
        for (&g, all) in &self.sample.attributes {
            let Some(place) = self.words.compiled.abi.place(g, 0) else { continue };
            for lane in 0..lanes {
                let mut rows = Vec::new();
                let bytes = all.get(first + lane).map_or(&[][..], |b| b);
                self.rows(self.words.source.global(g).ty, bytes, 0, &mut rows);
                for (i, row) in rows.into_iter().enumerate() {
                    machine.set_attribute(lane, u32::from(place) + i as u32, row);
                }
            }
        }
    }

    /// The vec4 of a value of a type in memory.
    fn rows(&self, ty: Ty, bytes: &[u8], at: usize, rows: &mut Vec<[f32; 4]>) {
        let types = &self.words.source.types;
        let word = |at: usize| {
            let bytes = bytes.get(at..at + 4).unwrap_or(&[0; 4]);
            bytes.iter().rev().fold(0u32, |word, &b| word << 8 | u32::from(b))
        };
        let scalar = |ty: Ty, at: usize| match types.get(ty) {
            Type::Float(_) => f32::from_bits(word(at)),
            Type::Bool => f32::from(u8::from(word(at) != 0)),
            _ => word(at) as i32 as f32,
        };
        match types.get(ty) {
            Type::Bool | Type::Int(_) | Type::Float(_) => rows.push([scalar(ty, at), 0.0, 0.0, 1.0]),
            Type::Vector(elem, _) => {
                let mut row = [0.0, 0.0, 0.0, 1.0];
                for (to, (_, offset)) in row.iter_mut().zip(parts(self.words.source, &self.layout, ty)) {
                    *to = scalar(*elem, at + offset);
                }
                rows.push(row);
            }
            _ => {
                for (part, offset) in parts(self.words.source, &self.layout, ty) {
                    self.rows(part, bytes, at + offset, rows);
                }
            }
        }
    }
}
