//! Checked compilation: the words mean what the source means (design section 7).
//!
//! | step | compares | how |
//! |---|---|---|
//! | b | the words | by the rules of the hardware ([`check`](crate::check)) |
//! | c1 | legal IR and words | the machine's arithmetic, bit for bit; where selection reorders sums, source and words as in c2 |
//! | c2 | source and legal IR | numbers with bounds of their errors against the machine's arithmetic |
//!
//! A vertex is *inconclusive* where a decision of the source lies within the error of what it
//! depends on, or a number is not finite; such ones are counted, and too many fail the check.

mod primitives;
pub mod tolerance;
mod words;

use chiaro_ir::sample;
pub use chiaro_ir::sample::{Numbers, Sample};
pub use primitives::{Drawn, Primitives, Triangle, geometry, sent};
pub use words::{Ran, legal_against_words, run_words, source_against_words};

use std::collections::HashSet;
use std::fmt;

pub use chiaro_ir::interp::Counterexample;
use chiaro_ir::interp::{
    Domain, Exact, Fault, FaultKind, Inconclusive, Interpreter, NoImages, Options, Report,
};
use chiaro_ir::{EntryPoint, GlobalRef, Module, Space};

use crate::check::{Severity, check};
use crate::compile::Compiled;
use crate::compile::legalize::float24::Float24;
use crate::verify::tolerance::Tolerance;

/// What a comparison showed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Compared {
    /// Vertices that prove something.
    pub conclusive: usize,
    /// Vertices that prove nothing.
    pub inconclusive: usize,
    /// The first result that is wrong.
    pub wrong: Option<Counterexample>,
    /// Why the first of them proves nothing.
    pub why: Option<&'static str>,
}

impl Compared {
    /// Whether nothing is wrong, and at most a fifth proves nothing.
    #[must_use]
    pub fn passed(&self) -> bool {
        let all = self.conclusive + self.inconclusive;
        self.wrong.is_none() && self.inconclusive * 5 <= all
    }

    /// Both taken together.
    #[must_use]
    pub fn and(self, other: Compared) -> Compared {
        Compared {
            conclusive: self.conclusive + other.conclusive,
            inconclusive: self.inconclusive + other.inconclusive,
            wrong: self.wrong.or(other.wrong),
            why: self.why.or(other.why),
        }
    }
}

/// Outputs of one vertex: for each float its value and its error; or why the vertex proves
/// nothing.
type Outputs = Result<Vec<(f64, f64)>, &'static str>;

/// Why a lane proves nothing, for people.
fn reason(why: Inconclusive) -> &'static str {
    match why {
        Inconclusive::Comparison => "a comparison depends on how numbers are rounded",
        Inconclusive::Step => "the whole part of a number depends on how it is rounded",
        Inconclusive::Undefined => "a value that nobody defines is used",
        Inconclusive::NotFinite => "a number is not finite, or outside of what a function is for",
        _ => "the bits of a number are used",
    }
}

/// Instructions that a vertex may take.
const FUEL: u64 = 1 << 20;

/// Runs a module in a domain, vertex by vertex: errors are known of shared memory only, which
/// outputs are here.
fn run<D: Domain>(
    module: &Module,
    entry: &EntryPoint,
    domain: D,
    sample: &Sample,
    outputs: &[(GlobalRef, Vec<usize>)],
    undef: u64,
) -> Result<Vec<Outputs>, Box<Fault>> {
    let mut run = Interpreter::with(module, entry, domain);
    run.options = Options { fuel: FUEL, undef, ..Options::default() };
    let mut all = Vec::with_capacity(sample.lanes);
    for vertex in 0..sample.lanes {
        for (&g, bytes) in &sample.uniforms {
            run.set(g, bytes.clone());
        }
        for &(g, _) in outputs {
            let size = run.size_of(module.global(g).ty) as usize;
            run.set(g, vec![0; size]);
        }
        let inputs = sample.attributes.iter();
        let inputs = inputs.map(|(&g, all)| (g, all.get(vertex).cloned().into_iter().collect())).collect();
        let (report, _) = run.run(1, &inputs, &mut NoImages)?;
        if let Some(why) = report.notes.first().and_then(|note| note.0) {
            all.push(Err(reason(why)));
            continue;
        }
        if !stray(&report).is_empty() {
            all.push(Err("an index is out of bounds"));
            continue;
        }
        let floats = outputs.iter().flat_map(|(g, offsets)| offsets.iter().map(move |&at| (*g, at)));
        let values = floats.map(|(g, at)| {
            let (value, error, conclusive) = run.float_at(g, at, 32)?;
            (conclusive && error.is_finite()).then_some((value, error))
        });
        let values = values.map(|value| value.ok_or("an output is not finite"));
        all.push(values.collect());
    }
    Ok(all)
}

/// Lanes that read out of bounds: the machine reads whatever register is there, and the source's
/// languages leave it open.
fn stray(report: &Report) -> HashSet<usize> {
    let faults = report.faults.iter().filter(|fault| fault.kind == FaultKind::OutOfBounds);
    faults.filter_map(|fault| fault.lane).map(|lane| lane as usize).collect()
}

/// The outputs of an entry point, with where their floats lie.
fn outputs(module: &Module, entry: &EntryPoint) -> Vec<(GlobalRef, Vec<usize>)> {
    let layout = Interpreter::with(module, entry, Exact);
    let outputs = module.globals.iter().enumerate().filter(|(_, g)| g.space == Space::Output);
    outputs.map(|(i, g)| (GlobalRef(i as u32), sample::floats(module, &layout, g.ty))).collect()
}

/// Source against legal IR (c2): both modules have the same variables.
///
/// # Errors
/// What stops one of the two: a loop that does not end, mostly.
pub fn source_against_legal(
    source: (&Module, &EntryPoint),
    legal: (&Module, &EntryPoint),
    sample: &Sample,
) -> Result<Compared, Box<Fault>> {
    let outputs = outputs(source.0, source.1);
    let expected = run(source.0, source.1, Tolerance::default(), sample, &outputs, 0)?;
    let found = run(legal.0, legal.1, Float24::NEAREST, sample, &outputs, 0)?;
    Ok(judge(source.0, &outputs, &expected, &found))
}

/// Compares the outputs of all vertices.
fn judge(
    module: &Module,
    outputs: &[(GlobalRef, Vec<usize>)],
    expected: &[Outputs],
    found: &[Outputs],
) -> Compared {
    let names: Vec<(&str, usize)> = outputs
        .iter()
        .flat_map(|(g, floats)| (0..floats.len()).map(|i| (module.global(*g).name.as_str(), i)))
        .collect();
    let mut compared = Compared::default();
    for (vertex, (expected, found)) in expected.iter().zip(found).enumerate() {
        let (expected, found) = match (expected, found) {
            (Ok(expected), Ok(found)) => (expected, found),
            (Err(why), _) | (_, Err(why)) => {
                compared.inconclusive += 1;
                compared.why = compared.why.or(Some(why));
                continue;
            }
        };
        compared.conclusive += 1;
        for (i, (&(expected, allowed), &(found, _))) in expected.iter().zip(found).enumerate() {
            // What is no number is not within anything.
            if (expected - found).abs() <= allowed || compared.wrong.is_some() {
                continue;
            }
            let (output, component) = names[i];
            let output = output.to_owned();
            compared.wrong = Some(Counterexample { vertex, output, component, expected, allowed, found });
        }
    }
    compared
}

/// Why a compilation is not to be trusted.
#[derive(Clone, PartialEq, Debug)]
pub enum Failure {
    /// The words break a rule of the hardware.
    Rule(String),
    /// The words do not compute what legal IR says.
    Words(Counterexample),
    /// Legal IR does not mean what the source does.
    Meaning(Counterexample),
    /// Too many vertices prove nothing.
    Untested {
        /// Those that do.
        conclusive: usize,
        /// Those that do not.
        inconclusive: usize,
        /// Why, for one of them.
        why: &'static str,
    },
    /// Something does not run.
    Stopped(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Rule(message) => write!(f, "the program breaks a rule of the hardware: {message}"),
            Failure::Words(wrong) => write!(f, "the program does not compute what the IR says: {wrong}"),
            Failure::Meaning(wrong) => write!(f, "the IR does not mean what the source does: {wrong}"),
            Failure::Untested { conclusive, inconclusive, why } => {
                write!(f, "{inconclusive} of {} vertices prove nothing: {why}", conclusive + inconclusive)
            }
            Failure::Stopped(reason) => write!(f, "a check did not run: {reason}"),
        }
    }
}

/// Checks what was compiled, on so many vertices of inputs that a seed makes.
///
/// # Errors
/// The first check that fails, with a counterexample.
pub fn verify(source: &Module, compiled: &Compiled, vertices: usize, seed: u64) -> Result<Compared, Failure> {
    let broken = check(&compiled.shbin).into_iter().find(|finding| finding.severity() == Severity::Error);
    if let Some(finding) = broken {
        return Err(Failure::Rule(finding.message));
    }
    let legal = compiled.module.entries.first().ok_or_else(|| stopped("there is no entry point"))?;
    let entry = source.entry(&legal.name).ok_or_else(|| stopped("there is no entry point"))?;
    if let Some(plan) = &compiled.plan {
        let given = Primitives::new(source, entry, plan, vertices, seed);
        return verify_geometry((source, entry), compiled, &given);
    }
    let sample = Sample::new(source, entry, vertices, Numbers::new(seed, round));
    let found = on(source, entry, compiled, &sample)?;
    if found.passed() {
        return Ok(found);
    }
    // Numbers of any size are beyond what some functions are for.
    let sample = Sample::new(source, entry, vertices, Numbers::mild(seed, round));
    match on(source, entry, compiled, &sample)? {
        mild if mild.passed() => Ok(found.and(mild)),
        Compared { conclusive, inconclusive, why, .. } => {
            Err(Failure::Untested { conclusive, inconclusive, why: why.unwrap_or_default() })
        }
    }
}

/// Both comparisons on one sample.
fn on(
    source: &Module,
    entry: &EntryPoint,
    compiled: &Compiled,
    sample: &Sample,
) -> Result<Compared, Failure> {
    let legal = compiled.module.entries.first().ok_or_else(|| stopped("there is no entry point"))?;
    let words = legal_against_words(compiled, sample).map_err(stopped)?;
    if let Some(wrong) = words.wrong {
        // Sums of products become dot products in whatever order they stood, and of two operands
        // one of which is NaN, MAX and MIN give the second.
        let loose = source_against_words((source, entry), compiled, sample).map_err(stopped)?;
        if loose.wrong.is_some() {
            return Err(Failure::Words(wrong));
        }
    }
    let meaning = source_against_legal((source, entry), (&compiled.module, legal), sample);
    let meaning = meaning.map_err(|fault| stopped(fault.to_string()))?;
    match meaning.wrong {
        Some(wrong) => Err(Failure::Meaning(wrong)),
        None => Ok(meaning),
    }
}

/// The triangles of a geometry program.
fn verify_geometry(
    source: (&Module, &EntryPoint),
    compiled: &Compiled,
    given: &Primitives,
) -> Result<Compared, Failure> {
    let [meaning, words] = geometry(source, compiled, &compiled.shbin, given).map_err(stopped)?;
    match (meaning.wrong.clone(), words.wrong) {
        // Selection may put sums into another order than legal IR has them.
        (Some(wrong), Some(_)) => Err(Failure::Words(wrong)),
        (Some(wrong), None) => Err(Failure::Meaning(wrong)),
        (None, _) if !meaning.passed() => {
            let Compared { conclusive, inconclusive, .. } = meaning;
            let why = "they read outside of an array, or the number of triangles depends on rounding";
            Err(Failure::Untested { conclusive, inconclusive, why })
        }
        (None, _) => Ok(meaning),
    }
}

/// Integers are exact in float24 up to this one.
const EXACT: u32 = 131_072;

/// Turns a sample's numbers into those that the machine holds. Whether all its integers are exact.
pub fn hold(sample: &mut Sample, module: &Module, entry: &EntryPoint) -> bool {
    sample.round(module, entry, round, EXACT)
}

/// A number that float24 has.
fn round(x: f32) -> f32 {
    Float24::NEAREST.rounded(x)
}

fn stopped(reason: impl Into<String>) -> Failure {
    Failure::Stopped(reason.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::Interface;
    use chiaro_opt::{Assumptions, Cx, optimize};

    use crate::compile::legalize::{PASSES, illegal};

    /// Legal IR of a random shader, optimised before and after or not at all.
    fn legal(source: &Module, optimized: bool) -> Module {
        let mut legal = source.clone();
        let mut cx = Cx { verify: true, ..Cx::default() };
        cx.options.assumptions = Assumptions::GRAPHICS;
        if optimized {
            let _ = optimize(&mut legal, "main", &mut cx);
        }
        let f = legal.entries[0].function;
        let _ = chiaro_opt::outputs_to_locals(&mut legal, f, &mut cx);
        let _ = chiaro_ir::lower_exits(&mut legal, f, chiaro_ir::Exits::default());
        let _ = cx.run_all(PASSES, &mut legal, f);
        if optimized {
            // What the driver does behind legalisation that the checks below ask for.
            let _ = chiaro_opt::sroa(&mut legal, f, &mut cx);
            let _ = chiaro_opt::mem2reg(&mut legal, f, &mut cx);
            let _ = chiaro_opt::dce(&mut legal, f, &mut cx);
        }
        assert_eq!(cx.breach, None, "{}", chiaro_ir::print(&legal));
        legal
    }

    fn check(seed: u64, optimized: bool) -> Compared {
        let source = chiaro_ir::random::vertex::module(seed, 40);
        let legal = legal(&source, optimized);
        let text = || format!("{}\n{}", chiaro_ir::print(&source), chiaro_ir::print(&legal));
        for error in illegal(&legal, legal.entries[0].function) {
            // Without the optimiser nobody makes values of variables.
            let allowed = !optimized && error.message.contains("left in memory");
            assert!(allowed, "seed {seed}: {}\n{}", error.message, text());
        }
        let sample = Sample::new(&source, &source.entries[0], 16, Numbers::new(seed, round));
        let compared =
            source_against_legal((&source, &source.entries[0]), (&legal, &legal.entries[0]), &sample);
        let compared = compared.expect("it runs");
        if let Some(wrong) = &compared.wrong {
            panic!("seed {seed}: {wrong}\n{}", text());
        }
        compared
    }

    #[test]
    fn words_of_random_shaders_are_right() {
        for seed in 0..150 {
            let source = chiaro_ir::random::vertex::module(seed, 30);
            let mut cx = Cx { verify: true, ..Cx::default() };
            let compiled =
                crate::compile::compile(&source, &Interface::default(), "main", &Default::default(), &mut cx);
            // What does not fit says so.
            let Ok(compiled) = compiled else { continue };
            match verify(&source, &compiled, 8, seed) {
                Ok(_) | Err(Failure::Untested { .. }) => {}
                Err(failure) => panic!("seed {seed}: {failure}\n{}", chiaro_ir::print(&source)),
            }
        }
    }

    #[test]
    fn random_shaders_keep_their_meaning() {
        for optimized in [false, true] {
            let total = (0..400).map(|seed| check(seed, optimized)).fold(Compared::default(), Compared::and);
            assert!(total.passed(), "{total:?}");
        }
    }
}
