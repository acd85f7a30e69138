//! How to run, and what public sources leave open.

use chiaro_sim::{Assumption, Engine};

use crate::report::{LATENCIES, Latencies};

/// How to run.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// The engine; `None` is the reference evaluator.
    pub engine: Option<Engine>,
    /// MODE at the start of a wave, as the kernel's descriptor has it.
    pub mode: u32,
    /// What registers and LDS hold where nothing was written.
    pub poison: u32,
    /// Instructions that a wave may execute.
    pub fuel: u64,
    /// Which wave of a group runs when.
    pub schedule: Schedule,
    /// Whether loads arrive at once, without waits.
    pub immediate: bool,
    /// Whether images whose texels lie in an order that nobody knows are taken as linear; otherwise they are a fault.
    pub linear: bool,
    /// Whether waves have a clock.
    pub timed: bool,
    /// What the clock takes memory to need.
    pub latencies: Latencies,
}

/// Which wave of a group runs when. Programs that depend on it have a race.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Schedule {
    /// In the order of their numbers, each until a barrier or a wait for what is on its way.
    #[default]
    Turns,
    /// The same, the last wave first.
    Backwards,
    /// In the order of their numbers, an instruction each.
    Steps,
}

/// Instructions of a wave that nobody limits otherwise.
const FUEL: u64 = 1 << 20;

/// What drivers and LLVM ask for: to nearest, words flushed, half floats and doubles not,
/// clamping turns NaN into zero.
const MODE: u32 = 0x1c0;

impl Default for Config {
    fn default() -> Config {
        Config {
            engine: Some(Engine::best()),
            mode: MODE,
            poison: 0,
            fuel: FUEL,
            schedule: Schedule::Turns,
            immediate: false,
            linear: false,
            timed: false,
            latencies: Latencies::default(),
        }
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
    Assumption {
        name: "schedule",
        values: "turns backwards steps",
        about: "which wave of a group runs when: each until a barrier or wait, the last one first, or an instruction each [unknown]",
    },
    Assumption {
        name: "images",
        values: "known linear",
        about: "images with a swizzle mode or several samples: a fault, or taken as linear, with a plane for each sample [the layouts are unknown]",
    },
    latency(0),
    latency(1),
    latency(2),
    latency(3),
    latency(4),
    latency(5),
];

/// Cycles until memory answers, which the clock goes by.
const fn latency(n: usize) -> Assumption {
    let (name, about, _) = LATENCIES[n];
    Assumption { name, values: "N", about }
}

impl Config {
    /// Sets an option by its name.
    ///
    /// # Errors
    /// A sentence about the name or value that is not known.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let assumption = Assumption::named(ASSUMPTIONS, name)?;
        match name {
            "arrival" => self.immediate = assumption.choice(value)? == 1,
            "images" => self.linear = assumption.choice(value)? == 1,
            "schedule" => {
                let all = [Schedule::Turns, Schedule::Backwards, Schedule::Steps];
                self.schedule = all[assumption.choice(value)?];
            }
            _ => {
                let number = assumption.number(value)?;
                *self.latencies.by_name(name).unwrap_or(&mut self.poison) = number;
            }
        }
        Ok(())
    }
}
