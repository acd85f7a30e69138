//! How to run, and what public sources leave open.

use chiaro_sim::{Assumption, Engine};

use crate::exec::Choices;

/// What a call by a register does whose lanes hold several places.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Calls {
    /// It is a fault.
    #[default]
    Fault,
    /// It goes to one after another, that of the first lane first.
    Ascending,
    /// The same, that of the last lane first.
    Descending,
}

/// Which elements of a matrix of 8 by 8 a lane has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Matrix {
    /// Nobody knows: a fault.
    #[default]
    Fault,
    /// Lanes 0 to 3 have the first row, two elements each, and so on.
    Rows,
    /// Blocks of 4 by 4, as public code for Metal numbers them.
    Blocks,
}

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
    /// What operations mean.
    pub choices: Choices,
    /// Whether stores read their registers when they are done, and not when they are issued.
    pub holds_sources: bool,
    /// What a call by a register does whose lanes hold several places.
    pub calls: Calls,
    /// Which elements of a matrix a lane has.
    pub matrix: Matrix,
    /// Whether registers that nobody has written are faults to read, and samples that nobody decided on.
    pub contracts: bool,
}

/// Instructions of a SIMD-group that nobody limits otherwise.
const FUEL: u64 = 1 << 20;
/// Bytes of stack that nobody limits otherwise.
const STACK: usize = 1 << 12;
/// The most stack that can be asked for.
const MOST_STACK: u32 = 1 << 16;
/// Mantissa bits of a float.
const MANTISSA: u32 = 23;

impl Default for Config {
    fn default() -> Config {
        Config {
            engine: Some(Engine::best()),
            poison: 0,
            fuel: FUEL,
            immediate: false,
            soft_fault: false,
            stack: STACK,
            choices: Choices::default(),
            holds_sources: false,
            calls: Calls::default(),
            matrix: Matrix::default(),
            contracts: false,
        }
    }
}

/// Everything that [`Config::set`] knows (spec 13, 21); [`UNKNOWNS`](super::UNKNOWNS) says which topic each is of.
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
        name: "estimate-bits",
        values: "23 N",
        about: "mantissa bits that rcp, rsqrt, log2, exp2 and sin_pt_2 get right, 1 to 23, those below are zero [about 1 ulp for rcp, spec 4 and 21]",
    },
    Assumption {
        name: "conversion",
        values: "saturate wrap",
        about: "whether a float beyond an integer becomes the nearest one, or the low bits of its whole part [unknown]",
    },
    Assumption {
        name: "nan-integer",
        values: "0 N",
        about: "the integer that `convert` makes of what is no number [unknown]",
    },
    Assumption {
        name: "rounding-codes",
        values: "fault directed",
        about: "whether roundings 2 and 3 of `convert` are faults, or down and up [never seen]",
    },
    Assumption {
        name: "conditions",
        values: "fault true false",
        about: "whether conditions 3 and 7 of integers and 4 of floats are faults, hold, or do not hold [unknown]",
    },
    Assumption {
        name: "formats",
        values: "fault word",
        about: "whether memory formats 9 and 11 are faults, or words as they are [unknown]",
    },
    Assumption {
        name: "packed-rounding",
        values: "zero nearest",
        about: "how stores in formats 14 and 15 round: toward zero, as Mesa names them, or as 12 and 13 do [unknown]",
    },
    Assumption {
        name: "sampling-markers",
        values: "fault nothing",
        about: "whether the markers 0x101c and 0x62cc behind textures are faults, or do nothing [unknown]",
    },
    Assumption {
        name: "kill",
        values: "ignored helpers",
        about: "whether helper lanes end behind an instruction whose `kill` is 1, as its name says, or run on [by name]",
    },
    Assumption {
        name: "store-sources",
        values: "issue done",
        about: "when stores and atomics read their registers: when they are issued, as Mesa relies on, or by their wait, so that to write those before is a fault",
    },
    Assumption {
        name: "indirect-calls",
        values: "fault ascending descending",
        about: "whether a call by a register that holds several places is a fault, or goes to each of them, that of the first lane or of the last one first [believed to loop]",
    },
    Assumption {
        name: "matrix",
        values: "fault rows blocks",
        about: "which two elements of an 8x8 a lane has: unknown, along rows, or in blocks of 4x4 [MLX's tiles for Metal]",
    },
    Assumption {
        name: "stack",
        values: "4096 N",
        about: "bytes of stack that a thread may have, if its file asks for no more [helper program]",
    },
];

impl Config {
    /// Sets an option by its name.
    ///
    /// # Errors
    /// A sentence about the name or value that is not known.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let assumption = Assumption::named(ASSUMPTIONS, name)?;
        let number = || assumption.number(value);
        let (choices, choice) = (&mut self.choices, || assumption.choice(value));
        match name {
            "poison" => self.poison = number()?,
            "nan-integer" => choices.nan_integer = number()?,
            "estimate-bits" => {
                choices.lost_bits = (MANTISSA - assumption.number_within(value, 1..=MANTISSA)?) as u8;
            }
            "stack" => {
                let most =
                    || format!("a thread can have {MOST_STACK} bytes of stack here, {value} are asked for");
                self.stack = Some(number()?).filter(|bytes| *bytes <= MOST_STACK).ok_or_else(most)? as usize;
            }
            "conditions" => choices.condition = [None, Some(true), Some(false)][choice()?],
            "indirect-calls" => {
                self.calls = [Calls::Fault, Calls::Ascending, Calls::Descending][choice()?];
            }
            "matrix" => self.matrix = [Matrix::Fault, Matrix::Rows, Matrix::Blocks][choice()?],
            _ => *self.switch(name) = choice()? == 1,
        }
        Ok(())
    }

    /// Those that have two values.
    fn switch(&mut self, name: &str) -> &mut bool {
        let choices = &mut self.choices;
        match name {
            "arrival" => &mut self.immediate,
            "soft-fault" => &mut self.soft_fault,
            "undefined" => &mut self.contracts,
            "store-sources" => &mut self.holds_sources,
            "derivatives" => &mut choices.coarse,
            "conversion" => &mut choices.wraps,
            "rounding-codes" => &mut choices.directed,
            "formats" => &mut choices.word_formats,
            "packed-rounding" => &mut choices.nearest_packed,
            "sampling-markers" => &mut choices.idle_markers,
            "kill" => &mut choices.ends_helpers,
            _ => &mut choices.positive_zero,
        }
    }
}
