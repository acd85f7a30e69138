//! Registers for code, with every step checked that wants to be.

use chiaro_diag::Diagnostic;

use crate::alloc::{AllocateError, Totals, allocate};
use crate::check::check_allocation;
use crate::code::Code;
use crate::file::RegFile;
use crate::lower_copies::lower_copies;
use crate::verify::{Breach, verify};

/// Why there is no code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Registers do not suffice.
    Registers(AllocateError),
    /// The compiler made a mistake.
    Mistake(String),
}

impl From<Failure> for Vec<Diagnostic> {
    fn from(why: Failure) -> Vec<Diagnostic> {
        vec![match why {
            Failure::Registers(error) => Diagnostic::error(None, error.to_string()),
            Failure::Mistake(why) => Diagnostic::mistake(why),
        }]
    }
}

/// Whether steps are checked: tests and checked compilations do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checks(pub bool);

impl Checks {
    /// Runs a check of what a step made, if steps are checked.
    ///
    /// # Errors
    /// The first of what it found, with the step's name.
    pub fn after(self, step: &str, run: impl FnOnce() -> Result<(), Vec<Breach>>) -> Result<(), Failure> {
        if !self.0 {
            return Ok(());
        }
        let told = |found: Vec<Breach>| found.first().map_or_else(String::new, ToString::to_string);
        run().map_err(|found| Failure::Mistake(format!("after {step}: {}", told(found))))
    }
}

/// Gives values registers and turns parallel copies into instructions; what each file has in use.
///
/// # Errors
/// Registers do not suffice, or a mistake of ours.
pub fn registers(code: &mut Code, files: &[RegFile], checks: Checks) -> Result<Totals, Failure> {
    let totals = allocate(code, files).map_err(Failure::Registers)?;
    checks.after("allocate", || verify(code, files).and_then(|()| check_allocation(code, files)))?;
    lower_copies(code, files)
        .map_err(|(_, stuck)| Failure::Mistake(format!("a copy is stuck: {stuck:?}")))?;
    checks.after("lower_copies", || check_allocation(code, files))?;
    Ok(totals)
}
