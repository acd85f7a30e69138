//! What public sources leave open, and how to run.

use chiaro_sim::{Assumption, Engine};

use crate::exec::Rules;
use crate::regs;

/// When results become visible.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// At once.
    #[default]
    Functional,
    /// When the machine has them.
    Timed,
}

/// How to run.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// The engine; `None` is the reference evaluator.
    pub engine: Option<Engine>,
    /// When results become visible.
    pub mode: Mode,
    /// Arithmetic where nothing is published.
    pub rules: Rules,
    /// Derivatives differ between the rows and columns of a quad.
    pub fine: bool,
    /// What is read where there is nothing.
    pub poison: u32,
    /// Instructions that a batch may issue.
    pub fuel: u64,
    /// Cycles from issue to result.
    pub latency: Latency,
}

/// Cycles that results take which a flag waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Latency {
    /// Special functions.
    pub special: u32,
    /// Local memory.
    pub local: u32,
    /// Textures, one component; more take longer.
    pub texture: u32,
    /// Global and private memory.
    pub memory: u32,
}

impl Default for Latency {
    fn default() -> Latency {
        let (special, local) = (regs::SPECIAL_CYCLES, regs::SPECIAL_CYCLES);
        Latency { special, local, texture: regs::TEXTURE_CYCLES[0], memory: regs::MEMORY_CYCLES }
    }
}

/// Instructions of a batch that nobody limits otherwise.
const FUEL: u64 = 1 << 24;

impl Default for Config {
    fn default() -> Config {
        Config {
            engine: Some(Engine::best()),
            mode: Mode::Functional,
            rules: Rules::default(),
            fine: false,
            poison: 0x7fc0_0000,
            fuel: FUEL,
            latency: Latency::default(),
        }
    }
}

/// Everything that [`Config::set`] knows. spec sections 14 and 29.
pub static ASSUMPTIONS: &[Assumption] = &[
    Assumption {
        name: "mad",
        values: "rounded fused",
        about: "whether mad rounds its product before the sum; compilers treat both as equal [unknown]",
    },
    Assumption {
        name: "subnormals",
        values: "keep flush",
        about: "whether float operations take subnormal numbers for zero [unknown]",
    },
    Assumption {
        name: "int-to-float",
        values: "truncate nearest",
        about: "how integers of more than 24 bits become floats without a rounding flag [isaspec, unverified]",
    },
    Assumption {
        name: "derivatives",
        values: "coarse fine",
        about: "whether dsx and dsy give one value a quad, or one for each row and column [spec section 10]",
    },
    Assumption {
        name: "special-latency",
        values: "10 N",
        about: "cycles of a special function, of one issued every cycle [ir3, fitted on A6xx]",
    },
    Assumption {
        name: "local-latency",
        values: "10 N",
        about: "cycles of a load from local memory [ir3, fitted on A6xx]",
    },
    Assumption {
        name: "texture-latency",
        values: "29 N",
        about: "cycles of a texture's first component; the others add 1, 9 and 10 [ir3, fitted on A6xx; in vertex programs 51]",
    },
    Assumption {
        name: "memory-latency",
        values: "110 N",
        about: "cycles of a load from global or private memory [ir3, fitted on A6xx]",
    },
    Assumption {
        name: "poison",
        values: "0x7fc00000 N",
        about: "bits of what is read where there is nothing: registers at the start, places outside of a file [unknown]",
    },
];

impl Config {
    /// Sets an option by its name.
    ///
    /// # Errors
    /// A sentence about the name or value that is not known.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let assumption = Assumption::named(ASSUMPTIONS, name)?;
        let is_second = || assumption.choice(value).map(|at| at == 1);
        let cycles = || assumption.number(value).map(|n| n.min(1 << 16));
        match name {
            "mad" => self.rules.fused = is_second()?,
            "subnormals" => self.rules.flush = is_second()?,
            "int-to-float" => self.rules.nearest = is_second()?,
            "derivatives" => self.fine = is_second()?,
            "special-latency" => self.latency.special = cycles()?,
            "local-latency" => self.latency.local = cycles()?,
            "texture-latency" => self.latency.texture = cycles()?,
            "memory-latency" => self.latency.memory = cycles()?,
            _ => self.poison = assumption.number(value)?,
        }
        Ok(())
    }
}
