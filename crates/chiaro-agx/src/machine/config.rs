//! How to run, and what public sources leave open.

use chiaro_sim::{Assumption, Engine};

use crate::exec::Choices;

/// How to run.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// The engine; `None` is the reference evaluator.
    pub engine: Option<Engine>,
    /// What registers and threadgroup memory hold where nothing was written.
    pub poison: u32,
    /// Instructions that a SIMD-group may execute.
    pub fuel: u64,
    /// Whether loads arrive at once, without waits.
    pub immediate: bool,
    /// Whether loads of what is not mapped give 0 and stores to it are dropped, without a fault.
    pub soft_fault: bool,
    /// Bytes of stack that a thread may have.
    pub stack: usize,
    /// Whether a product that is a negative zero becomes +0.
    pub positive_zero: bool,
    /// Whether derivatives are one value for a quad.
    pub coarse: bool,
    /// Whether registers that nobody has written are faults to read, and samples that nobody decided on.
    pub contracts: bool,
}

/// Instructions of a SIMD-group that nobody limits otherwise.
const FUEL: u64 = 1 << 20;
/// Bytes of stack that nobody limits otherwise.
const STACK: usize = 1 << 12;
/// The most stack that can be asked for.
const MOST_STACK: u32 = 1 << 16;

impl Default for Config {
    fn default() -> Config {
        Config {
            engine: Some(Engine::best()),
            poison: 0,
            fuel: FUEL,
            immediate: false,
            soft_fault: false,
            stack: STACK,
            positive_zero: false,
            coarse: false,
            contracts: false,
        }
    }
}

/// Everything that [`Config::set`] knows (spec 13, 21).
pub static ASSUMPTIONS: &[Assumption] = &[
    Assumption {
        name: "poison",
        values: "0 N",
        about: "bits of registers and threadgroup memory that nothing was written to [unknown]",
    },
    Assumption {
        name: "arrival",
        values: "waited immediate",
        about: "whether results of loads are seen only after their wait, or at once [the time is unknown]",
    },
    Assumption {
        name: "soft-fault",
        values: "no yes",
        about: "whether loads of what is not mapped give 0 and stores to it are dropped, or are faults [drivers choose]",
    },
    Assumption {
        name: "zero-product",
        values: "negative positive",
        about: "whether a product of zero keeps a negative sign, as Mesa relies on, or not, as applegpu's emulator computes [unknown]",
    },
    Assumption {
        name: "derivatives",
        values: "fine coarse",
        about: "whether dfdx and dfdy give one value for each row and column of a quad, or one for the quad [unknown]",
    },
    Assumption {
        name: "undefined",
        values: "poison fault",
        about: "whether a register that nothing was written to reads as `poison`, or is a fault, as samples are that a program neither kills nor tests",
    },
    Assumption {
        name: "stack",
        values: "4096 N",
        about: "bytes of stack that a thread may have [helper program]",
    },
];

impl Config {
    /// Sets an option by its name.
    ///
    /// # Errors
    /// A sentence about the name or value that is not known.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let assumption = Assumption::named(ASSUMPTIONS, name)?;
        match name {
            "arrival" => self.immediate = assumption.choice(value)? == 1,
            "soft-fault" => self.soft_fault = assumption.choice(value)? == 1,
            "undefined" => self.contracts = assumption.choice(value)? == 1,
            "derivatives" => self.coarse = assumption.choice(value)? == 1,
            "zero-product" => self.positive_zero = assumption.choice(value)? == 1,
            "stack" => {
                let bytes = assumption.number(value)?;
                if bytes > MOST_STACK {
                    return Err(format!(
                        "a thread can have {MOST_STACK} bytes of stack here, {bytes} are asked for"
                    ));
                }
                self.stack = bytes as usize;
            }
            _ => self.poison = assumption.number(value)?,
        }
        Ok(())
    }

    pub(super) fn choices(&self) -> Choices {
        Choices { positive_zero: self.positive_zero, coarse: self.coarse }
    }
}
