//! Checked compilation: the words mean what the source means (design section 7).
//!
//! | step | compares | how |
//! |---|---|---|
//! | b | the words | by the rules of the hardware ([`check`](crate::check)) |
//! | c1 | legal IR and words | the machine's arithmetic, bit for bit; where selection reorders sums, source and words as in c2 |
//! | c2 | source and legal IR | numbers with bounds of their errors against the machine's arithmetic |
//!
//! The engine is [`chiaro_target::proof`]; here are the facts of this machine: its arithmetic, its
//! [bounds](tolerance), and where registers are ([`words`]). Geometry programs have a comparison of
//! their own ([`primitives`]).

mod primitives;
pub mod tolerance;
mod words;

pub use chiaro_ir::sample::{Numbers, Sample};
use chiaro_ir::{EntryPoint, Module};
use chiaro_opt::lower::Arithmetic;
use chiaro_target::proof::{self, Float, Order, Program, Stored, Subject};
pub use chiaro_target::proof::{Compared, Failure};
pub use primitives::{Drawn, Primitives, Triangle, geometry, sent};
pub use words::{Ran, run_words};

use crate::check::{Severity, check};
use crate::compile::Compiled;
use crate::compile::legalize::float24::Float24;
use crate::listing::{self, listing};
use crate::machine::Mode;
use crate::verify::tolerance::Tolerance;

/// A compiled vertex shader beside its source.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// What was compiled.
    pub source: Program<'a>,
    /// Legal IR that the words were selected from.
    legal: Program<'a>,
    compiled: &'a Compiled,
}

impl<'a> Words<'a> {
    /// The words beside the module that they were made of.
    ///
    /// # Errors
    /// If the module has no such entry point.
    pub fn new(source: &'a Module, compiled: &'a Compiled) -> Result<Words<'a>, Failure> {
        let missing = || Failure::Stopped("there is no entry point".into());
        let module = &compiled.module;
        let legal = Program { module, entry: module.entries.first().ok_or_else(missing)? };
        let entry = source.entry(&legal.entry.name).ok_or_else(missing)?;
        Ok(Words { source: Program { module: source, entry }, legal, compiled })
    }
}

impl Subject for Words<'_> {
    type Bounds = Tolerance;
    type Machine = Arithmetic;

    // Integers up to here are exact in float24.
    const EXACT: u32 = 131_072;

    fn round(x: f32) -> f32 {
        round(x)
    }

    fn source(&self) -> Program<'_> {
        self.source
    }

    fn bounds(&self) -> Tolerance {
        Tolerance::default()
    }

    fn legal(&self) -> Program<'_> {
        self.legal
    }

    fn machine(&self) -> Arithmetic {
        Float24::NEAREST
    }

    /// Sums of products become dot products in whatever order they stood, and of two operands one
    /// of which is NaN, MAX and MIN give the second.
    fn order(&self) -> Order {
        Order::Likely
    }

    fn fit(&self, sample: &mut Sample) {
        words::fit(self.compiled, sample);
    }

    fn rules(&self) -> Result<(), Failure> {
        rules(self.compiled)
    }

    fn run(&self, outputs: &[Float], sample: &Sample, fill: f32) -> Result<Vec<Stored>, Failure> {
        let ran = run_words(self.compiled, sample, Mode::Hw24, fill.to_bits()).map_err(Failure::Stopped)?;
        let float = |vertex: usize, float: &Float| {
            let row = ran.output(vertex, float.variable, &float.path)?;
            Some(row[float.component])
        };
        let of = |vertex: usize| outputs.iter().map(|at| float(vertex, at)).collect();
        Ok((0..sample.lanes).map(of).collect())
    }

    fn listing(&self) -> String {
        listing(&self.compiled.shbin, &listing::Options::default()).unwrap_or_default()
    }
}

/// The words by the rules of the hardware.
fn rules(compiled: &Compiled) -> Result<(), Failure> {
    let broken = check(&compiled.shbin).into_iter().find(|finding| finding.rule.severity == Severity::Error);
    broken.map_or(Ok(()), |finding| Err(Failure::Rule(finding.message)))
}

/// Checks what was compiled, on so many vertices (or primitives) of inputs that a seed makes.
///
/// # Errors
/// The first check that fails, with a counterexample.
pub fn verify(source: &Module, compiled: &Compiled, vertices: usize, seed: u64) -> Result<Compared, Failure> {
    let words = Words::new(source, compiled)?;
    let Some(plan) = &compiled.plan else { return proof::verify(&words, vertices, seed) };
    rules(compiled)?;
    let Program { module, entry } = words.source;
    let given = Primitives::new(module, entry, plan, vertices, seed);
    verify_geometry((module, entry), compiled, &given)
}

/// The triangles of a geometry program.
fn verify_geometry(
    source: (&Module, &EntryPoint),
    compiled: &Compiled,
    given: &Primitives,
) -> Result<Compared, Failure> {
    let [meaning, words] = geometry(source, compiled, &compiled.shbin, given).map_err(Failure::Stopped)?;
    match (meaning.wrong.clone(), words.wrong) {
        // Selection may put sums into another order than legal IR has them.
        (Some(wrong), Some(_)) => Err(Failure::Words(wrong)),
        (Some(wrong), None) => Err(Failure::Meaning(wrong)),
        (None, _) if !meaning.passed() => {
            let Compared { conclusive, inconclusive, .. } = meaning;
            Err(Failure::Untested { conclusive, inconclusive, why: meaning.why() })
        }
        (None, _) => Ok(meaning),
    }
}

/// A number that float24 has.
fn round(x: f32) -> f32 {
    Float24::NEAREST.rounded(x)
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

    /// What is said of integers that the machine's floats do not hold.
    const TOO_WIDE: [&str; 5] = [
        "is not exact in the PICA200's floats",
        "needs integers of more than",
        "bits of two numbers cannot be combined",
        "has no operations on single bits",
        "has no exact form of",
    ];

    fn check(seed: u64, optimized: bool) -> Compared {
        let source = chiaro_ir::random::vertex::module(seed, 40);
        let legal = legal(&source, optimized);
        let text = || format!("{}\n{}", chiaro_ir::print(&source), chiaro_ir::print(&legal));
        for error in illegal(&legal, legal.entries[0].function) {
            if TOO_WIDE.iter().any(|message| error.message.contains(message)) {
                return Compared::default(); // Integers at their borders: refused, as an author reads it.
            }
            // Without the optimiser nobody makes values of variables.
            let allowed = !optimized && error.message.contains("left in memory");
            assert!(allowed, "seed {seed}: {}\n{}", error.message, text());
        }
        let sample = Sample::new(&source, &source.entries[0], 16, Numbers::new(seed, round));
        let program = |module| Program { module, entry: &source.entries[0] };
        let compared = proof::source_against_legal(
            (program(&source), Tolerance::default()),
            (program(&legal), Float24::NEAREST),
            Words::EXACT,
            &sample,
        );
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
