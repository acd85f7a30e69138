//! The state of a compilation: the sibling of [`chiaro_opt::Cx`], which it holds.

use chiaro_diag::Diagnostic;

use crate::check::check_allocation;
use crate::code::Code;
use crate::config::Config;
use crate::file::RegFile;
use crate::print::Names;
use crate::unit::Unit;
use crate::verify::{Breach, verify};

/// What does not fit the machine, as messages to the user.
pub type Outcome<T = ()> = Result<T, Vec<Diagnostic>>;

/// What the driver reports after each step on code.
pub struct Event<'a> {
    /// The step that ran.
    pub step: &'static str,
    /// Its number among the steps on code, from 1.
    pub number: u32,
    /// All functions after it.
    pub unit: &'a Unit,
    /// What operations and files are called.
    pub names: Names<'a>,
    /// Nanoseconds that it took; 0 without a clock.
    pub nanos: u64,
}

/// The state of a compilation: passes over the IR run through [`ir`](Self::ir), steps on code
/// through [`step`](Self::step).
pub struct Cx<'a> {
    /// What the user chose.
    pub config: Config,
    /// The driver of passes.
    pub ir: chiaro_opt::Cx<'a>,
    /// Verifies code after every step, and allocation with its checker.
    pub verify: bool,
    /// Runs no step on code beyond this number.
    pub stop_after: Option<u32>,
    /// Nanoseconds since any moment; libraries have no clock of their own.
    pub clock: Option<fn() -> u64>,
    /// Called after every step.
    pub watch: Option<&'a mut dyn FnMut(&Event<'_>)>,
    /// The first breach found, and the step behind which it was found: a bug of ours.
    pub breach: Option<(&'static str, Vec<Breach>)>,
    /// Whether registers are allocated; the step that does it says so. From then on
    /// verifying runs the allocation checker too.
    pub allocated: bool,
    pub(crate) number: u32,
}

impl<'a> Cx<'a> {
    /// Quiet, and without verifying.
    pub fn new(config: Config) -> Cx<'a> {
        let ir = chiaro_opt::Cx::default();
        let (verify, stop_after, clock, watch, breach) = (false, None, None, None, None);
        Cx { config, ir, verify, stop_after, clock, watch, breach, allocated: false, number: 0 }
    }

    /// Whether no further step runs.
    pub fn is_stopped(&self) -> bool {
        self.breach.is_some() || self.stop_after.is_some_and(|last| self.number >= last)
    }

    /// The breaches of a function's code, and of its allocation once it has one.
    pub(crate) fn broken(&self, code: &Code, files: &[RegFile]) -> Option<Vec<Breach>> {
        let verified = verify(code, files);
        let checked =
            verified.and_then(|()| if self.allocated { check_allocation(code, files) } else { Ok(()) });
        checked.err()
    }
}
