//! The driver of steps on code: the sibling of [`chiaro_opt::Cx`], which it holds.

use chiaro_diag::Diagnostic;

use crate::back_end::{BackEnd, Config};
use crate::check::check_allocation;
use crate::code::Code;
use crate::file::RegFile;
use crate::print::Names;
use crate::unit::Unit;
use crate::verify::{Breach, verify};

/// What does not fit the machine, told to the user.
pub type Outcome<T = ()> = Result<T, Vec<Diagnostic>>;

/// A step on machine code, over all functions of a unit.
#[derive(Clone, Copy)]
pub struct Step {
    /// Its name: that of its file and function.
    pub name: &'static str,
    /// Runs it. What does not fit the machine is a diagnostic.
    pub run: fn(&mut Unit, &dyn BackEnd, &mut Cx<'_>) -> Outcome,
}

/// What the driver tells after each step on code.
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

/// The driver of a compilation: passes over the IR run through [`ir`](Self::ir), steps on code
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
    /// Is told after every step.
    pub watch: Option<&'a mut dyn FnMut(&Event<'_>)>,
    /// The first breach found, and the step behind which it was found: a bug of ours.
    pub breach: Option<(&'static str, Vec<Breach>)>,
    /// Whether registers are allocated; the step that does it says so. From then on
    /// verifying runs the allocation checker too.
    pub allocated: bool,
    number: u32,
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

    fn broken(&self, code: &Code, files: &[RegFile]) -> Option<Vec<Breach>> {
        let verified = verify(code, files);
        let checked =
            verified.and_then(|()| if self.allocated { check_allocation(code, files) } else { Ok(()) });
        checked.err()
    }

    /// Runs a step.
    pub fn step(&mut self, step: &Step, unit: &mut Unit, target: &dyn BackEnd) -> Outcome {
        if self.is_stopped() {
            return Ok(());
        }
        self.number += 1;
        let start = self.clock.map(|clock| clock());
        (step.run)(unit, target, self)?;
        let nanos = self.clock.zip(start).map_or(0, |(clock, start)| clock().saturating_sub(start));
        let files = target.files(&self.config);
        if self.verify && self.breach.is_none() {
            let broken = unit.functions.iter().find_map(|code| self.broken(code, files));
            self.breach = broken.map(|found| (step.name, found));
        }
        let number = self.number;
        if let Some(watch) = &mut self.watch {
            let name = |op| target.op_name(op);
            watch(&Event { step: step.name, number, unit, names: Names { files, op: &name }, nanos });
        }
        Ok(())
    }
}
