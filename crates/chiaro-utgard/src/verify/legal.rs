//! Legal IR against the words that were made of it, bit for bit.
//!
//! The interpreter computes legal IR in the machine's arithmetic, twice with different fills of
//! what nobody defined: an output that depends on it is not compared. All NaNs are equal, and so
//! are both zeros: the adders turn signs at their inputs, so that -(a + b) may stand for -a - b.

use std::collections::HashSet;

use chiaro_ir::interp::{Attributes, Counterexample, Exact, FaultKind, Interpreter, NoImages, Options};
use chiaro_ir::sample::{Sample, floats};
use chiaro_ir::{GlobalRef, Op, Step, Walk};

use super::{Compared, FUEL, Failure, Found, Part, Run};
use crate::abi::{POINT_SIZE, POSITION};
use crate::compile::legalize::FLOAT32;
use crate::compile::{Compiled, Options as Choices};

/// What undefined values are filled with.
const FILLS: [u64; 2] = [0, 0x4010_0000];

/// The outputs of all vertices, and the vertices that prove nothing.
struct Interpreted {
    outputs: Attributes,
    strays: HashSet<usize>,
}

/// Words against legal IR on one sample. The caller asks only where no sum was regrouped.
///
/// # Errors
/// What is wrong, or stops one of the two.
pub fn legal_against_words(
    compiled: &Compiled,
    choices: &Choices,
    sample: &Sample,
) -> Result<Compared, Failure> {
    let source = &compiled.module;
    let entry = source.entries.first().ok_or_else(|| Failure::Stopped("there is no entry point".into()))?;
    let run =
        Run { source, entry, compiled, choices, sample, layout: Interpreter::with(source, entry, Exact) };
    let found = run.simulated()?;
    let [first, other] = [run.interpreted(FILLS[0])?, run.interpreted(FILLS[1])?];
    let written = run.written();
    let parts: Vec<Part> = written.into_iter().flat_map(|g| run.stored(g)).collect();
    let mut compared = Compared::default();
    for (vertex, found) in found.iter().enumerate() {
        if first.strays.contains(&vertex) || other.strays.contains(&vertex) {
            compared.inconclusive += 1;
            continue;
        }
        compared.conclusive += 1;
        for part in &parts {
            let values = [&first, &other].map(|legal| run.values(legal, vertex, part));
            run.same(vertex, part, &values, found)?;
        }
    }
    Ok(compared)
}

impl Run<'_> {
    fn interpreted(&self, undef: u64) -> Result<Interpreted, Failure> {
        let mut run = Interpreter::with(self.source, self.entry, FLOAT32);
        run.options = Options { fuel: FUEL, undef, ..Options::default() };
        for (&g, bytes) in &self.sample.uniforms {
            run.set(g, bytes.clone());
        }
        let done = run.run(self.sample.lanes, &self.sample.attributes, &mut NoImages);
        let (report, outputs) = done.map_err(|fault| Failure::Stopped(fault.to_string()))?;
        let faults = report.faults.iter().filter(|fault| fault.kind == FaultKind::OutOfBounds);
        let mut strays: HashSet<usize> = faults.filter_map(|fault| fault.lane).map(|l| l as usize).collect();
        let notes = report.notes.iter().enumerate().filter(|(_, note)| note.0.is_some());
        strays.extend(notes.map(|(lane, _)| lane));
        Ok(Interpreted { outputs, strays })
    }

    /// Outputs that some path writes.
    fn written(&self) -> Vec<GlobalRef> {
        let f = self.source.function(self.entry.function);
        let mut written: Vec<GlobalRef> = Walk::new(f)
            .filter_map(|step| match step {
                Step::Inst(inst) if f.op(inst) == Op::Store => f.args(inst).first().copied(),
                _ => None,
            })
            .filter_map(|pointer| chiaro_opt::lower::root(self.source, f, pointer))
            .filter(|g| self.outputs().any(|output| output == *g))
            .collect();
        written.sort_unstable();
        written.dedup();
        written
    }

    /// The floats of an output as the words store them.
    fn values(&self, legal: &Interpreted, vertex: usize, part: &Part) -> Vec<f32> {
        let bytes = legal.outputs.get(&part.g).and_then(|all| all.get(vertex));
        let word = |at: usize| {
            let bytes = bytes.and_then(|bytes| bytes.get(at..at + 4)).unwrap_or(&[0; 4]);
            f32::from_bits(bytes.iter().rev().fold(0, |word, &b| word << 8 | u32::from(b)))
        };
        let places = floats(self.source, &self.layout, part.ty);
        let values: Vec<f32> = places.into_iter().map(|at| word(part.at + at)).collect();
        match (part.builtin, &values[..]) {
            (Some(POSITION), &[x, y, z, w]) => self.on_screen([x, y, z, w]),
            (Some(POINT_SIZE), &[size]) => {
                let (low, high) = self.choices.point_size;
                vec![size.max(low).min(high)]
            }
            _ => values,
        }
    }

    /// The position divided, with a scale of 1 and no offset.
    fn on_screen(&self, [x, y, z, w]: [f32; 4]) -> Vec<f32> {
        let limit = self.choices.reciprocal_limit;
        let inverse = FLOAT32.reciprocal(w).max(-limit).min(limit);
        vec![x * inverse, y * inverse, z * inverse, inverse]
    }

    /// Whether an output that is defined is what the words give.
    fn same(&self, vertex: usize, part: &Part, values: &[Vec<f32>; 2], found: &Found) -> Result<(), Failure> {
        let mut cells = Vec::new();
        self.cells(part.ty, part.first, &mut cells);
        let pairs = values[0].iter().zip(&values[1]).zip(&cells).enumerate();
        for (component, ((&expected, &other), &(row, column))) in pairs {
            let found = found.get(row).map_or(0.0, |row| row[column]);
            let is_defined = expected.to_bits() == other.to_bits();
            if !is_defined || expected == found || expected.is_nan() && found.is_nan() {
                continue;
            }
            return Err(Failure::Words(Counterexample {
                vertex,
                output: self.source.global(part.g).name.clone(),
                component,
                expected: expected.into(),
                allowed: 0.0,
                found: found.into(),
            }));
        }
        Ok(())
    }
}
