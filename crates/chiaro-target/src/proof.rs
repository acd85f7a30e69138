//! Checked compilation: whether machine code means what its source does.
//!
//! A target is a [`Subject`]: facts of its arithmetic, and a way to run its code. The rest is the
//! same for all machines:
//!
//! | module | is |
//! |---|---|
//! | [`subject`] | what a target brings |
//! | [`verify`](mod@verify) | the driver: rules, then inputs until enough prove something |
//! | [`wishes`](mod@wishes) | what the shader's code says of its inputs |
//! | [`compare`] | source and code, source and legal IR, legal IR and code bit for bit |
//! | [`kernel`] | the same for kernels: buffers behind a dispatch |
//! | [`meaning`] | a module on the interpreter, with bounds of errors or in a machine's arithmetic |
//! | [`images`] | what shaders see of textures |
//! | [`buffer`] | buffers: what invocations find and leave |
//! | [`texels`] | storage images: what invocations find and leave |
//! | [`outputs`] | the outputs of a shader, float by float |
//! | [`result`] | what comes out, and why it fails |

pub mod buffer;
pub mod compare;
pub mod images;
mod inputs;
pub mod kernel;
pub mod meaning;
pub mod outputs;
pub mod result;
pub mod subject;
pub mod texels;
pub mod verify;
pub mod wishes;

use chiaro_diag::Diagnostic;
use chiaro_ir::sample::Sample;

use crate::CompileOptions;

pub use compare::{legal_against_code, source_against_code, source_against_legal};
pub use meaning::{FUEL, NO_END, STEPS, names_nan, strays};
pub use outputs::{Float, Program};
pub use result::{Compared, Failure};
pub use subject::{Numbers, Order, Stored, Subject, hold};
pub use verify::verify;

/// A [`Subject`] of whatever machine, as commands and tools use it.
pub trait Proof {
    /// The code by the rules of the hardware, and on so many random inputs.
    ///
    /// # Errors
    /// The first check that fails, with a counterexample.
    fn verify(&self, invocations: usize, seed: u64) -> Result<Compared, Failure>;

    /// Turns a sample's numbers into those that the machine holds. Whether all its integers stay
    /// exact.
    fn hold(&self, sample: &mut Sample) -> bool;

    /// The code against the source on given inputs that the machine holds. A wrong result is in
    /// what comes back, not an error.
    ///
    /// # Errors
    /// What stops the comparison.
    fn compare(&self, sample: &Sample) -> Result<Compared, Failure>;

    /// The code against the source on inputs that anybody gives, turned into numbers that the
    /// machine holds.
    ///
    /// # Errors
    /// As [`Proof::compare`].
    fn compare_held(&self, mut sample: Sample) -> Result<Compared, Failure> {
        if self.hold(&mut sample) {
            return self.compare(&sample);
        }
        let mut compared = Compared::default();
        (0..sample.lanes)
            .for_each(|_| compared.doubt("an integer of the test is not exact in the machine's floats"));
        Ok(compared)
    }

    /// Legal IR, where the target has it, and the code: for the reader of a counterexample.
    fn listing(&self) -> String;
}

impl<S: Subject> Proof for S {
    fn verify(&self, invocations: usize, seed: u64) -> Result<Compared, Failure> {
        verify::verify(self, invocations, seed)
    }

    fn hold(&self, sample: &mut Sample) -> bool {
        hold(self, sample)
    }

    fn compare(&self, sample: &Sample) -> Result<Compared, Failure> {
        source_against_code(self, sample)
    }

    fn listing(&self) -> String {
        let legal = chiaro_ir::print(self.legal().module);
        format!("; legal IR\n{legal}; words\n{}", Subject::listing(self))
    }
}

/// What checks of a compiler's result say to its user: nothing, or a warning that they prove little or
/// that large integers are not exact, which is an error where checks are strict.
///
/// # Errors
/// The compiler's own mistake; what is not proved, where that is asked for.
pub fn verdict(
    result: Result<Compared, Failure>,
    options: &CompileOptions,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let doubt = |what: String, note: &str, help: &str| {
        let make = if options.strict { Diagnostic::error } else { Diagnostic::warning };
        let doubt = vec![make(None, what).note(note).help(help)];
        if options.strict { Err(doubt) } else { Ok(doubt) }
    };
    match result {
        Ok(Compared { too_large: Some(example), .. }) => doubt(
            format!("the program is right for small integers only: {example}"),
            "the machine holds integers as floats, which are exact up to a limit; one went beyond it, wrapped around, or was divided by 0",
            "keep results small, or compute with several smaller numbers",
        ),
        Ok(_) => Ok(Vec::new()),
        Err(untested @ Failure::Untested { .. }) => doubt(
            format!("the compiled program is not proved right: {untested}"),
            "the inputs were drawn from what the shader distinguishes",
            "`chiaro run` takes inputs of your own",
        ),
        Err(failure) => Err(vec![Diagnostic::mistake(format!("the compiled program is wrong: {failure}"))]),
    }
}
