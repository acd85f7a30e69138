//! What a target brings to checked compilation: facts of its machine, and a way to run its code.

use chiaro_ir::interp::Domain;
use chiaro_ir::sample::Sample;

use super::outputs::{Float, Program};
use super::result::Failure;

/// Numbers of the outputs of one invocation, each with its error, in the order of
/// [`Subject::outputs`]; or why the invocation proves nothing.
pub type Numbers = Result<Vec<(f64, f64)>, &'static str>;

/// What code stored in one invocation, in the order of [`Subject::outputs`]; `None` where the
/// machine has no place for an output. Empty for a fragment that is discarded.
pub type Stored = Vec<Option<f32>>;

/// Whether code computes sums in the order in which legal IR has them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// It does: code and legal IR agree bit for bit.
    Kept,
    /// As a rule: where they differ, the code must be within the bounds of the source.
    Likely,
    /// It does not: only the bounds of the source count.
    Changed,
}

/// Machine code beside the source that it was made of.
pub trait Subject {
    /// Numbers with bounds of their errors, as wide as the machine's arithmetic and the freedom
    /// of its compiler make them.
    type Bounds: Domain;
    /// The machine's arithmetic itself, bit for bit.
    type Machine: Domain;

    /// Integers are exact in the machine's floats up to this one.
    const EXACT: u32;

    /// The nearest number that the machine holds.
    fn round(x: f32) -> f32;

    /// What was compiled.
    fn source(&self) -> Program<'_>;

    /// The bounds of the source's arithmetic.
    fn bounds(&self) -> Self::Bounds;

    /// Legal IR: the same variables, in operations that the machine has.
    fn legal(&self) -> Program<'_>;

    /// The machine's arithmetic.
    fn machine(&self) -> Self::Machine;

    /// Whether the code keeps the order of legal IR.
    fn order(&self) -> Order;

    /// Makes of random inputs what this machine's rasteriser or fetcher could give: places of
    /// fragments, numbers of vertices.
    fn fit(&self, sample: &mut Sample) {
        let _ = sample;
    }

    /// The outputs that are compared: those for which the machine has a place.
    fn outputs(&self) -> Vec<Float> {
        self.source().outputs()
    }

    /// The code by the rules of the hardware.
    ///
    /// # Errors
    /// The first rule that it breaks.
    fn rules(&self) -> Result<(), Failure>;

    /// What the machine stores for numbers that the source writes: it may divide positions or
    /// limit sizes. An infinite error stands for what is not compared.
    ///
    /// # Errors
    /// Why such numbers prove nothing.
    fn stored(&self, outputs: &[Float], numbers: Vec<(f64, f64)>) -> Numbers {
        let _ = outputs;
        Ok(numbers)
    }

    /// Whether numbers that the source writes leave nothing of a fragment, as a mask of its samples does: it counts as
    /// discarded.
    fn leaves_nothing(&self, outputs: &[Float], numbers: &[(f64, f64)]) -> bool {
        let _ = (outputs, numbers);
        false
    }

    /// What [`Subject::stored`] says for what legal IR writes, in the machine's own arithmetic. `None` for what hangs on the sign of
    /// a zero, which nobody keeps.
    fn stored_exactly(&self, outputs: &[Float], numbers: Vec<f32>) -> Stored {
        let _ = outputs;
        numbers.into_iter().map(Some).collect()
    }

    /// Whether the machine may store one for the other: any NaN is as good as any other.
    fn is_same(&self, expected: f32, found: f32) -> bool {
        expected.to_bits() == found.to_bits() || expected.is_nan() && found.is_nan()
    }

    /// Runs the code on a sample. Registers that nobody has written hold `fill`.
    ///
    /// # Errors
    /// What stops it, or what the hardware does not define.
    fn run(&self, outputs: &[Float], sample: &Sample, fill: f32) -> Result<Vec<Stored>, Failure>;

    /// The code, for the reader of a counterexample.
    fn listing(&self) -> String;
}

/// Turns a sample's numbers into those that the machine holds. Whether all its integers stay
/// exact.
pub fn hold<S: Subject>(subject: &S, sample: &mut Sample) -> bool {
    let Program { module, entry } = subject.source();
    sample.round(module, entry, S::round, S::EXACT)
}
