//! How to run, and what public sources leave open.

use chiaro_sim::{Assumption, Engine};

/// How to run.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// The engine; `None` is the reference evaluator.
    pub engine: Option<Engine>,
    /// MODE at the start of a wave, as the kernel's descriptor has it.
    pub mode: u32,
    /// What registers and LDS hold where nothing was written.
    pub poison: u32,
    /// Instructions that a group may execute.
    pub fuel: u64,
    /// Whether loads arrive at once, without waits.
    pub immediate: bool,
}

/// Instructions of a group that nobody limits otherwise.
const FUEL: u64 = 1 << 26;

/// What drivers and LLVM ask for: to nearest, words flushed, half floats and doubles not,
/// clamping turns NaN into zero.
const MODE: u32 = 0x1c0;

impl Default for Config {
    fn default() -> Config {
        Config { engine: Some(Engine::best()), mode: MODE, poison: 0, fuel: FUEL, immediate: false }
    }
}

/// Everything that [`Config::set`] knows. spec section 21.
pub static ASSUMPTIONS: &[Assumption] = &[
    Assumption {
        name: "poison",
        values: "0 N",
        about: "bits of registers and LDS that nothing was written to [unknown]",
    },
    Assumption {
        name: "arrival",
        values: "waited immediate",
        about: "whether results of loads are seen only after their wait, or at once [the time is unknown]",
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
            _ => self.poison = assumption.number(value)?,
        }
        Ok(())
    }
}
