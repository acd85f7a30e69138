//! Functions that stay functions: who calls whom, and what each has agreed on with its callers.
//!
//! | file | is |
//! |---|---|
//! | [`dispatch`] | which functions serve lanes that want different ones |
//! | [`ends`] | calls in the place of ends |
//! | [`go_on`] | such functions in terms of what lanes want |
//! | [`callee`] | a function as its callers see it: signature, places, registers that it leaves as they are |
//! | [`unit`] | the kernel and all functions that it reaches, callees first |
//! | [`stack`] | how much of it the deepest chain of calls takes |
//! | [`linked`] | functions that other parts have, or call |
//! | [`frames`] | where each function's part of the stack begins, saves of what it has to keep |

pub mod callee;
pub mod dispatch;
pub mod ends;
pub mod frames;
pub mod go_on;
pub mod linked;
pub mod stack;
pub mod unit;

use chiaro_diag::Diagnostic;
use chiaro_ir::{FunctionRef, Module, Space};

use crate::abi::convention::{Borders, Convention, Seat, SystemParameter, Unit as Counted};
use crate::abi::shipped;

/// Which functions stay functions, and what they agree on.
#[derive(Clone, Debug, Default)]
pub struct Callables {
    /// Their names in the source.
    pub names: Vec<String>,
    /// The contract of all of them; without one they are fitted to each other.
    pub convention: Option<Convention>,
    /// How often a function that calls itself may be open at once; without it none may call itself.
    pub recursion: Option<u32>,
    /// Functions of which no more than so many may be open at once in all, in place of that.
    pub together: Vec<(Vec<String>, u32)>,
    /// Whether there is no kernel: other parts call the functions.
    pub is_library: bool,
}

/// The convention of programs whose functions call themselves, and of functions that other parts know, unless another one
/// is asked for: nobody can be fitted to what is not compiled yet.
const OPEN: &str = "compute";
/// The same where calls may nest deeper than a wave has lanes, in which `compute` keeps return addresses.
const DEEP: &str = "compute_deep";

impl Callables {
    /// The functions, by number.
    ///
    /// # Errors
    /// A name that no function has, a convention that the compiler does not make calls by.
    pub fn found(&self, module: &Module, entry: FunctionRef) -> Result<Vec<FunctionRef>, Vec<Diagnostic>> {
        let cycles = chiaro_opt::recursive(module, entry);
        let mut counted = Vec::new();
        for name in self.together.iter().flat_map(|(names, _)| names) {
            counted.push(found(module, entry, name)?);
        }
        if let (Some(&f), None) = (cycles.iter().find(|f| !counted.contains(f)), self.recursion) {
            return Err(vec![unbounded(module, f, !counted.is_empty())]);
        }
        if let Some(&f) = cycles.iter().find(|f| **f == entry) {
            let message = format!("`{}` is an entry point and calls itself", module.function(f).name);
            let error = Diagnostic::error(module.function(f).span, message);
            return Err(vec![error.help("call a function that does what it does")]);
        }
        if let Some(convention) = &self.convention {
            fits(convention).map_err(|why| {
                let message =
                    format!("functions cannot be compiled for the convention `{}`: {why}", convention.name);
                vec![
                    Diagnostic::error(None, message)
                        .help("`compute` is made for kernels: `chiaro abi compute` says what it comes to"),
                ]
            })?;
        }
        let mut all = cycles;
        for name in &self.names {
            let f = found(module, entry, name)?;
            if !all.contains(&f) {
                all.push(f);
            }
        }
        Ok(all)
    }

    /// The same, by numbers: functions that are gone are open never.
    #[must_use]
    pub fn groups(&self, module: &Module) -> Vec<(Vec<FunctionRef>, u32)> {
        let named = |name: &String| module.functions.iter().position(|f| f.name == *name);
        let group =
            |names: &[String]| names.iter().filter_map(named).map(|n| FunctionRef(n as u32)).collect();
        self.together.iter().map(|(names, most)| (group(names), *most)).collect()
    }

    /// The contract of functions, where they are not fitted to each other; those who call open ones cannot all be known.
    #[must_use]
    pub fn agreed(&self, is_open: bool, is_deep: bool) -> Option<Convention> {
        let name = if is_deep { DEEP } else { OPEN };
        self.convention.clone().or_else(|| is_open.then(|| shipped::convention(name)).flatten())
    }
}

/// That functions which pointers lead to get and give nothing but values: those whose names are no numbers cannot be
/// changed.
///
/// # Errors
/// The first that does not.
pub fn travels(module: &Module, pointed: &[FunctionRef]) -> Result<(), Vec<Diagnostic>> {
    for &f in pointed {
        let function = module.function(f);
        let is_local = |space| matches!(space, Space::Function | Space::Private);
        let pointer = function.params.iter().filter_map(|&param| module.types.pointee(function.ty(param)));
        let private = chiaro_opt::named(module, function).into_iter();
        let what = if pointer.into_iter().any(|(space, _)| is_local(space)) {
            "has a parameter that points to a variable"
        } else if private.into_iter().any(|(g, _)| module.global(g).space == Space::Private) {
            "uses a variable of the module that each thread has its own of"
        } else {
            continue;
        };
        let message = format!("`{}` is called through a pointer and {what}", function.name);
        let error = Diagnostic::error(function.span, message);
        return Err(vec![
            error.help("make a number of its name: `i64(@f)`, which travels where a name cannot"),
        ]);
    }
    Ok(())
}

/// A function calls itself, and nobody has said how deep, though perhaps of others.
fn unbounded(module: &Module, f: FunctionRef, of_others: bool) -> Diagnostic {
    let function = module.function(f);
    let name = &function.name;
    let (others, help) = match of_others {
        true => (
            ": `-m recursion=` names others alone",
            format!("name `{name}` there as well, or give a bound for each of the others: `-m recursion=N`"),
        ),
        false => (
            "",
            "give a bound, by which room on the stack is made: `-m recursion=N`; or make a loop of it"
                .to_owned(),
        ),
    };
    let message = format!("`{name}` calls itself, and nothing says how often it may be open at once{others}");
    Diagnostic::error(function.span, message).help(help)
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

/// Vector registers in which kernels begin with the numbers of threads, by dimensions (spec section 17).
const THREADS: u16 = 3;
/// Scalars in which they may find addresses and other arguments of the user (spec section 17).
const ARGUMENTS: u16 = 16;

/// The lowest eight bits of MODE with which kernels are launched: denormals of 16 and 64 bits count (spec section 17).
const MODE: u8 = 0xc0;

/// Why the compiler makes no calls by a convention.
fn fits(convention: &Convention) -> Result<(), &'static str> {
    if convention.in_flight != Borders::default() {
        return Err("its callees wait for what their callers have on the way");
    }
    if convention.stack.unit != Counted::Lane {
        return Err("its stack pointer counts bytes of a wave");
    }
    if convention.mode.is_some_and(|mode| mode != MODE) {
        return Err("its `mode` is another one than the 192 that kernels are launched with");
    }
    match convention.return_stack() {
        Some(stack) if stack.register < THREADS => {
            return Err("its return addresses stand where kernels find the numbers of threads");
        }
        Some(stack) if stack.counter < ARGUMENTS => {
            return Err("it counts return addresses where kernels find their arguments");
        }
        _ => {}
    }
    let absent = |p: SystemParameter| convention.system.seat(p) == Seat::Absent;
    if absent(SystemParameter::ReturnAddress) || absent(SystemParameter::StackPointer) {
        return Err("it has no return address or no stack pointer");
    }
    Ok(())
}
