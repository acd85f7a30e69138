//! What a target brings to checked compilation: facts of its machine, and a way to run its code.

use chiaro_ir::GlobalRef;
use chiaro_ir::interp::{Domain, Texel};
use chiaro_ir::sample::Sample;

use super::outputs::{Float, Program};
use super::result::Failure;
use super::texels::{Form, Spot};

/// Numbers of the outputs of one invocation, each with its error, in the order of
/// [`Subject::outputs`]; or why the invocation proves nothing.
pub type Numbers = Result<Vec<(f64, f64)>, &'static str>;

/// What code stored in one invocation, in the order of [`Subject::outputs`]; `None` where the
/// machine has no place for an output. Empty for a fragment that is discarded.
pub type Stored = Vec<Option<f32>>;

/// What code leaves in one invocation.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Leaving {
    /// Its outputs.
    pub stored: Stored,
    /// Every texel of the storage images that are kept.
    pub texels: Vec<(Spot, Texel)>,
    /// The bytes of the storage buffers that the sample has contents of.
    pub buffers: Vec<(GlobalRef, Vec<u8>)>,
}

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
    /// discarded. Nothing where the source leaves that open.
    fn leaves_nothing(&self, outputs: &[Float], numbers: &[(f64, f64)]) -> Option<bool> {
        let _ = (outputs, numbers);
        Some(false)
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

    /// What a storage image keeps of a texel, rounded and limited as its format is; nothing for images whose texels
    /// are not compared. Only the code of [`Order::Changed`] is compared with it.
    fn kept(form: &Form, texel: Texel) -> Option<Texel> {
        let _ = (form, texel);
        None
    }

    /// [`Subject::run`] for who has [`Subject::kept`], or gives a sample [storage buffers](super::buffer::fill): every
    /// invocation finds the texels of [`Spot::before`], as they are kept, and the bytes of the sample, and what it
    /// leaves of them comes back as well.
    ///
    /// # Errors
    /// As [`Subject::run`].
    fn run_leaving(&self, outputs: &[Float], sample: &Sample, fill: f32) -> Result<Vec<Leaving>, Failure> {
        let leaving = |stored: Stored| Leaving { stored, ..Leaving::default() };
        Ok(self.run(outputs, sample, fill)?.into_iter().map(leaving).collect())
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
