//! Checked compilation: the words keep the rules of the hardware, and compute what the source
//! means (design section 7).
//!
//! The source runs on the interpreter with bounds of its errors, as wide as this machine's
//! functions and other orders of sums make them; the words run on the simulator. Where no sum was
//! regrouped, the words agree with legal IR bit for bit besides. A vertex is
//! *inconclusive* where a decision of the source lies within the error of what it depends on, or
//! a number is not finite.

mod legal;

use std::fmt;
use std::sync::Arc;

use chiaro_ir::interp::{
    Counterexample, Exact, FaultKind, Interpreter, Interval, NoImages, Options, Precision, Rounding,
};
use chiaro_ir::sample::{Numbers, Sample, floats, parts};
use chiaro_ir::{EntryPoint, GlobalRef, Module, Space, Ty, Type};

pub use legal::legal_against_words;

use crate::abi::{self, POINT_SIZE, POSITION};
use crate::check::{self, check};
use crate::compile::{Compiled, Options as Choices};
use crate::explain::text;
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
    tiny: 1.175_494_350_822_287_5e-38,
};

/// Instructions that a vertex may take.
const FUEL: u64 = 1 << 20;
/// Vertices that run side by side.
const LANES: usize = chiaro_sim::LANES;

/// What a comparison showed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Compared {
    /// Vertices that prove something.
    pub conclusive: usize,
    /// Vertices that prove nothing.
    pub inconclusive: usize,
}

impl Compared {
    /// Whether at most a fifth proves nothing.
    #[must_use]
    pub fn proves(&self) -> bool {
        self.inconclusive * 5 <= self.conclusive + self.inconclusive
    }
}

/// Why a compilation is not to be trusted.
#[derive(Clone, PartialEq, Debug)]
pub enum Failure {
    /// The words break a rule of the hardware.
    Rule(String),
    /// The simulator found something that hardware does not define.
    Fault(String),
    /// The words compute something else than legal IR says.
    Words(Counterexample),
    /// The words compute something else than the source means.
    Wrong(Counterexample),
    /// Something does not run.
    Stopped(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Rule(told) => write!(f, "the program breaks a rule of the hardware: {told}"),
            Failure::Fault(told) => write!(f, "the program does what hardware does not define: {told}"),
            Failure::Stopped(told) => write!(f, "a check did not run: {told}"),
            Failure::Words(wrong) => write!(f, "the program does not compute what the IR says: {wrong}"),
            Failure::Wrong(example) => example.fmt(f),
        }
    }
}

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
    if let Some(found) = check(&compiled.words, &check::Options::default()).first() {
        let word = compiled.words.get(found.instruction as usize).copied().unwrap_or_default();
        let told =
            format!("{} at {}: {} in `{}`", found.rule.id, found.instruction, found.detail, text(word));
        return Err(Failure::Rule(told));
    }
    let entry = source.entry(entry).ok_or_else(|| Failure::Stopped("there is no entry point".into()))?;
    let sample = Sample::new(source, entry, vertices, Numbers::new(seed, |x| x));
    if !compiled.is_regrouped {
        legal_against_words(compiled, choices, &sample)?;
    }
    let found = source_against_words((source, entry), compiled, choices, &sample)?;
    if found.proves() {
        return Ok(found);
    }
    // Numbers of any size are beyond what some functions and indices are for.
    let sample = Sample::new(source, entry, vertices, Numbers::mild(seed, |x| x));
    source_against_words((source, entry), compiled, choices, &sample)
}

/// Integers are exact as floats up to this one.
const EXACT: u32 = 1 << 24;

/// Gives zeros to inputs that have no value. Whether all integers of a sample are exact.
pub fn hold(sample: &mut Sample, module: &Module, entry: &EntryPoint) -> bool {
    sample.round(module, entry, |x| x, EXACT)
}

/// Words against the source on one sample.
///
/// # Errors
/// What is wrong, or stops one of the two.
pub fn source_against_words(
    (source, entry): (&Module, &EntryPoint),
    compiled: &Compiled,
    choices: &Choices,
    sample: &Sample,
) -> Result<Compared, Failure> {
    let run =
        Run { source, entry, compiled, choices, sample, layout: Interpreter::with(source, entry, Exact) };
    let results = run.simulated()?;
    let mut compared = Compared::default();
    for (vertex, found) in results.iter().enumerate() {
        match run.expected(vertex)? {
            Some(expected) => {
                compared.conclusive += 1;
                run.judge(vertex, &expected, found)?;
            }
            None => compared.inconclusive += 1,
        }
    }
    Ok(compared)
}

/// An output, or a member of a block of them.
#[derive(Clone, Copy)]
struct Part {
    g: GlobalRef,
    builtin: Option<u32>,
    ty: Ty,
    /// Where it begins in the variable, in bytes.
    at: usize,
    /// Its first output of the machine.
    first: usize,
    is_member: bool,
}

/// An output's floats with their errors.
struct Wanted {
    part: Part,
    values: Vec<(f64, f64)>,
}

/// Sixteen outputs of a vertex.
type Found = Vec<[f32; 4]>;

struct Run<'a> {
    source: &'a Module,
    entry: &'a EntryPoint,
    compiled: &'a Compiled,
    choices: &'a Choices,
    sample: &'a Sample,
    layout: Interpreter<'a, Exact>,
}

impl Run<'_> {
    /// The outputs of every vertex on the simulator.
    fn simulated(&self) -> Result<Vec<Found>, Failure> {
        let mut machine = Machine::new(Arc::new(Program::new(&self.compiled.words, &Config::default())));
        machine.fuel = FUEL;
        let behind = usize::from(self.compiled.abi.uniform_vec4);
        machine.set_uniform(behind, [1.0, 1.0, 1.0, 0.0]);
        for (&g, bytes) in &self.sample.uniforms {
            let Some(first) = self.compiled.abi.place(g, 0) else { continue };
            let mut rows = Vec::new();
            self.rows(self.source.global(g).ty, bytes, 0, &mut rows);
            for (i, row) in rows.into_iter().enumerate() {
                machine.set_uniform(usize::from(first) + i, row);
            }
        }
        let mut all = Vec::with_capacity(self.sample.lanes);
        for first in (0..self.sample.lanes).step_by(LANES) {
            // Temporaries are no numbers at the start; tables are in the same place.
            for (i, row) in self.compiled.constants.iter().enumerate() {
                machine.set_uniform(behind + 2 + i, *row);
            }
            self.compiled.set_derived(&mut machine);
            let lanes = (self.sample.lanes - first).min(LANES);
            self.load(&mut machine, first, lanes);
            machine.run(lanes);
            if let Some(fault) = machine.faults().first() {
                return Err(Failure::Fault(format!("instruction {}: {}", fault.instruction, fault.kind)));
            }
            all.extend((0..lanes).map(|lane| (0..16).map(|i| machine.output(lane, i)).collect::<Found>()));
        }
        Ok(all)
    }

    fn load(&self, machine: &mut Machine, first: usize, lanes: usize) {
        for (&g, all) in &self.sample.attributes {
            let Some(place) = self.compiled.abi.place(g, 0) else { continue };
            for lane in 0..lanes {
                let mut rows = Vec::new();
                let bytes = all.get(first + lane).map_or(&[][..], |b| b);
                self.rows(self.source.global(g).ty, bytes, 0, &mut rows);
                for (i, row) in rows.into_iter().enumerate() {
                    machine.set_attribute(lane, u32::from(place) + i as u32, row);
                }
            }
        }
    }

    /// The vec4 of a value of a type in memory.
    fn rows(&self, ty: Ty, bytes: &[u8], at: usize, rows: &mut Vec<[f32; 4]>) {
        let types = &self.source.types;
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
                for (to, (_, offset)) in row.iter_mut().zip(parts(self.source, &self.layout, ty)) {
                    *to = scalar(*elem, at + offset);
                }
                rows.push(row);
            }
            _ => {
                for (part, offset) in parts(self.source, &self.layout, ty) {
                    self.rows(part, bytes, at + offset, rows);
                }
            }
        }
    }

    /// What the source means for a vertex; `None` if it proves nothing.
    fn expected(&self, vertex: usize) -> Result<Option<Vec<Wanted>>, Failure> {
        let mut run = Interpreter::with(self.source, self.entry, Interval { precision: PRECISION });
        run.options = Options { fuel: FUEL, ..Options::default() };
        for (&g, bytes) in &self.sample.uniforms {
            run.set(g, bytes.clone());
        }
        let outputs: Vec<GlobalRef> = self.outputs().collect();
        for &g in &outputs {
            let size = run.size_of(self.source.global(g).ty) as usize;
            run.set(g, vec![0; size]);
        }
        let inputs = self.sample.attributes.iter();
        let inputs = inputs.map(|(&g, all)| (g, all.get(vertex).cloned().into_iter().collect())).collect();
        let (report, _) =
            run.run(1, &inputs, &mut NoImages).map_err(|fault| Failure::Stopped(fault.to_string()))?;
        let strays = report.faults.iter().any(|fault| fault.kind == FaultKind::OutOfBounds);
        if strays || report.notes.first().is_some_and(|note| note.0.is_some()) {
            return Ok(None);
        }
        let wanted = outputs.into_iter().flat_map(|g| self.stored(g)).map(|part| {
            let places = floats(self.source, &self.layout, part.ty);
            let values = places.into_iter().map(|at| {
                let (value, error, conclusive) = run.float_at(part.g, part.at + at, 32)?;
                (conclusive && error.is_finite() && value.abs() < 1e30).then_some((value, error))
            });
            self.transformed(part, values.collect::<Option<_>>()?)
        });
        Ok(wanted.collect())
    }

    /// An output, or the members of a block of them, as far as the machine has a place.
    fn stored(&self, g: GlobalRef) -> Vec<Part> {
        let global = self.source.global(g);
        let part = |member: u32, builtin, ty, at| {
            let known = matches!(builtin, None | Some(POSITION | POINT_SIZE));
            let first = self.compiled.abi.place(g, member).filter(|_| known)?;
            Some(Part { g, builtin, ty, at, first: first.into(), is_member: !global.members.is_empty() })
        };
        if global.members.is_empty() {
            return part(0, global.binding.builtin, global.ty, 0).into_iter().collect();
        }
        let members = parts(self.source, &self.layout, global.ty).zip(&global.members);
        let members = (0..).zip(members);
        members.filter_map(|(i, ((ty, at), binding))| part(i, binding.builtin, ty, at)).collect()
    }

    fn outputs(&self) -> impl Iterator<Item = GlobalRef> + '_ {
        let all = self.source.globals.iter().enumerate();
        all.filter(|(_, g)| g.space == Space::Output).map(|(i, _)| GlobalRef(i as u32))
    }

    /// The position divided, the point size within its limits: what the words store.
    fn transformed(&self, part: Part, mut values: Vec<(f64, f64)>) -> Option<Wanted> {
        match part.builtin {
            // A block has it, though nothing may write it.
            Some(POINT_SIZE) if part.is_member && values == [(0.0, 0.0)] => values.clear(),
            Some(POSITION) if values.len() == 4 => {
                let (w, error) = values[3];
                let limit = f64::from(self.choices.reciprocal_limit);
                if w.abs() <= 8.0 * error || 1.0 / w.abs() >= limit {
                    return None;
                }
                let inverse = (1.0 / w, error / (w * w) * 1.2 + (1e-6 / w).abs());
                for value in &mut values[..3] {
                    let product = value.0 * inverse.0;
                    let error = value.1 * inverse.0.abs() + (value.0.abs() + value.1) * inverse.1;
                    *value = (product, error * 1.2 + product.abs() * 1e-6 + 1e-30);
                }
                values[3] = inverse;
            }
            Some(POINT_SIZE) => {
                let (low, high) = self.choices.point_size;
                values.iter_mut().for_each(|v| v.0 = v.0.clamp(low.into(), high.into()));
            }
            _ => {}
        }
        Some(Wanted { part, values })
    }

    fn judge(&self, vertex: usize, expected: &[Wanted], found: &Found) -> Result<(), Failure> {
        for wanted in expected {
            let mut cells = Vec::new();
            self.cells(wanted.part.ty, wanted.part.first, &mut cells);
            for (i, (&(value, allowed), &(row, component))) in wanted.values.iter().zip(&cells).enumerate() {
                let found = found.get(row).map_or(0.0, |row| row[component]);
                // What is no number is not within anything.
                if (f64::from(found) - value).abs() <= allowed {
                    continue;
                }
                let output = self.source.global(wanted.part.g).name.clone();
                return Err(Failure::Wrong(Counterexample {
                    vertex,
                    output,
                    component: i,
                    expected: value,
                    allowed,
                    found: found.into(),
                }));
            }
        }
        Ok(())
    }

    /// Row and component of each scalar of a type from a row on.
    fn cells(&self, ty: Ty, row: usize, cells: &mut Vec<(usize, usize)>) {
        let types = &self.source.types;
        match types.get(ty) {
            Type::Vector(_, n) => cells.extend((0..usize::from(*n)).map(|c| (row, c))),
            Type::Bool | Type::Int(_) | Type::Float(_) => cells.push((row, 0)),
            _ => {
                let mut row = row;
                for i in 0..types.part_count(ty).unwrap_or(0) {
                    let Some(part) = types.part(ty, i) else { break };
                    self.cells(part, row, cells);
                    row += abi::size(self.source, part).map_or(0, usize::from);
                }
            }
        }
    }
}
