//! Functions that stay functions: who calls whom, and what each has agreed on with its callers.
//!
//! | file | is |
//! |---|---|
//! | [`callee`] | a function as its callers see it: signature, places, registers that it leaves as they are |
//! | [`unit`] | the kernel and all functions that it reaches, callees first |
//! | [`frames`] | where each function's part of the stack begins, saves of what it has to keep |

pub mod callee;
pub mod frames;
pub mod unit;

use chiaro_diag::Diagnostic;
use chiaro_ir::{FunctionRef, Module};

use crate::abi::convention::{Borders, Convention, ReturnAddresses, Seat, SystemParameter, Unit as Counted};

/// Which functions stay functions, and what they agree on.
#[derive(Clone, Debug, Default)]
pub struct Callables {
    /// Their names in the source.
    pub names: Vec<String>,
    /// The contract of all of them; without one they are fitted to each other.
    pub convention: Option<Convention>,
}

impl Callables {
    /// The functions, by number.
    ///
    /// # Errors
    /// A name that no function has, a convention that the compiler does not make calls by.
    pub fn found(&self, module: &Module, entry: FunctionRef) -> Result<Vec<FunctionRef>, Vec<Diagnostic>> {
        if let Some(convention) = &self.convention {
            fits(convention).map_err(|why| {
                let message =
                    format!("functions cannot be compiled for the convention `{}`: {why}", convention.name);
                vec![
                    Diagnostic::error(None, message)
                        .help("`chiaro abi` lists the conventions: compute is made for kernels"),
                ]
            })?;
        }
        self.names.iter().map(|name| found(module, entry, name)).collect()
    }
}

fn found(module: &Module, entry: FunctionRef, name: &str) -> Result<FunctionRef, Vec<Diagnostic>> {
    let all = || (0..).map(FunctionRef).zip(&module.functions).filter(|(f, _)| *f != entry);
    if let Some((f, _)) = all().find(|(_, f)| f.name == name) {
        return Ok(f);
    }
    let names: Vec<&str> = all().map(|(_, f)| f.name.as_str()).collect();
    let known = match names[..] {
        [] => "the source has no functions beside its entry point".to_owned(),
        _ => format!("there are {}", names.join(", ")),
    };
    Err(vec![Diagnostic::error(None, format!("there is no function `{name}`")).help(known)])
}

/// Why the compiler makes no calls by a convention.
fn fits(convention: &Convention) -> Result<(), &'static str> {
    if convention.in_flight != Borders::default() {
        return Err("its callees wait for what their callers have on the way");
    }
    if convention.stack.unit != Counted::Lane {
        return Err("its stack pointer counts bytes of a wave");
    }
    if convention.return_addresses != ReturnAddresses::Spilled {
        return Err("it keeps return addresses in lanes");
    }
    let absent = |p: SystemParameter| convention.system.seat(p) == Seat::Absent;
    if absent(SystemParameter::ReturnAddress) || absent(SystemParameter::StackPointer) {
        return Err("it has no return address or no stack pointer");
    }
    Ok(())
}
