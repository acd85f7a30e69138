//! How to run, and what public sources leave open.

use chiaro_sim::{Assumption, Engine};

use super::pending::Kind;
use crate::exec::{Choices, Dots, Nans, WHOLE};
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
    /// What arithmetic is taken for.
    pub choices: Choices,
    /// In which order vector memory returns.
    pub returns: Returns,
    /// Whether image_bvh_intersect_ray returns in an order of its own with the form of 64-bit pointers, and not in
    /// order with plain loads.
    pub trees_apart: bool,
    /// Whether the dwords of one scratch access stand one behind the other, and not each by itself in its row.
    pub scratch_together: bool,
    /// What scratch accesses of whole dwords do elsewhere than at multiples of four.
    pub misaligned: Misaligned,
    /// How rays are computed.
    pub rays: Rays,
}

/// In which order vector memory returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Returns {
    /// Each kind (plain, sampled, rays) in order among itself.
    #[default]
    Kinds,
    /// All in one order.
    All,
    /// In none: nothing but zero says that a load has come.
    None,
}

/// What scratch accesses of whole dwords do elsewhere than at multiples of four.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Misaligned {
    /// By the formula of single bytes: what goes beyond the dword is the next lane's.
    #[default]
    Bytes,
    /// The lower two bits count for nothing.
    Aligned,
    /// A fault.
    Fault,
}

/// How rays are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rays {
    /// Whether products and sums are rounded together, and not each by itself.
    pub fused: bool,
    /// Steps of binary32 by which boxes grow at the side that a ray leaves.
    pub grown: u32,
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
            choices: Choices::default(),
            returns: Returns::Kinds,
            trees_apart: false,
            scratch_together: false,
            misaligned: Misaligned::Bytes,
            rays: Rays::default(),
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
    Assumption {
        name: "div-fmas-scale",
        values: "32 64",
        about: "power of two by which v_div_fmas_f32 scales back [RDNA3's pseudo-code, or LLVM and older text; unknown]",
    },
    Assumption {
        name: "s-max-scc",
        values: "greater-equal greater",
        about: "what SCC of s_max says of the first operand [RDNA3's pseudo-code, or old text; unknown]",
    },
    Assumption {
        name: "rndne-zero",
        values: "negative positive",
        about: "sign of the zero that v_rndne gives for numbers from -0.5 on [IEEE 754, or none; not stated]",
    },
    Assumption {
        name: "estimate-bits",
        values: "23 N",
        about: "bits behind the point that transcendental functions give, 1 to 23 [exact bits are unknown]",
    },
    Assumption {
        name: "double-estimates",
        values: "cut exact",
        about: "v_rcp_f64, v_rsq_f64 and v_sqrt_f64 without the bits behind the 28th, or exact [which bits is unknown]",
    },
    Assumption {
        name: "nan-operand",
        values: "any first last canonical",
        about: "which NaN operations on words and half floats give: the engine's, an operand's, or the one without payload [unknown]",
    },
    Assumption {
        name: "dot2-sums",
        values: "second first once",
        about: "which product v_dot2_f32_f16 adds first, or both with one rounding from doubles [unknown]",
    },
    Assumption {
        name: "vmem-order",
        values: "kinds all none",
        about: "whether vector loads return in order among their kind, all of them, or in no order [do not assume more than kinds]",
    },
    Assumption {
        name: "bvh-order",
        values: "loads apart",
        about: "whether image_bvh_intersect_ray returns in order with plain loads, or with the 64-bit form [ACO has loads; unknown]",
    },
    Assumption {
        name: "bvh-arithmetic",
        values: "rounded fused",
        about: "whether rays round products and sums each, or together [unknown]",
    },
    Assumption {
        name: "bvh-grow",
        values: "0 N",
        about: "steps of binary32 by which a ray leaves boxes later [unknown]",
    },
    Assumption {
        name: "scratch-dwords",
        values: "interleaved together",
        about: "whether each dword of a scratch access is interleaved by itself, or they stand together [section 9.3 leaves it open]",
    },
    Assumption {
        name: "scratch-misaligned",
        values: "bytes aligned fault",
        about: "dwords of scratch elsewhere than at multiples of four: by the formula of bytes, moved down, or a fault [unknown]",
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
            "estimate-bits" => self.choices.estimate_bits = assumption.number_within(value, 1..=WHOLE)?,
            "bvh-grow" => self.rays.grown = assumption.number(value)?,
            _ if self.choose(name, || assumption.choice(value))? => {}
            _ => {
                let number = assumption.number(value)?;
                *self.latencies.by_name(name).unwrap_or(&mut self.poison) = number;
            }
        }
        Ok(())
    }

    /// What is unknown and has few answers; false if the name is another's.
    fn choose(&mut self, name: &str, choice: impl Fn() -> Result<usize, String>) -> Result<bool, String> {
        let choices = &mut self.choices;
        match name {
            "div-fmas-scale" => choices.fmas_by = [32, 64][choice()?],
            "s-max-scc" => choices.max_is_greater = choice()? == 1,
            "rndne-zero" => choices.rounds_to_positive = choice()? == 1,
            "double-estimates" => choices.exact_doubles = choice()? == 1,
            "nan-operand" => choices.nans = [Nans::Any, Nans::First, Nans::Last, Nans::Canonical][choice()?],
            "dot2-sums" => choices.dots = [Dots::Second, Dots::First, Dots::Once][choice()?],
            "vmem-order" => self.returns = [Returns::Kinds, Returns::All, Returns::None][choice()?],
            "bvh-order" => self.trees_apart = choice()? == 1,
            "bvh-arithmetic" => self.rays.fused = choice()? == 1,
            "scratch-dwords" => self.scratch_together = choice()? == 1,
            "scratch-misaligned" => {
                self.misaligned = [Misaligned::Bytes, Misaligned::Aligned, Misaligned::Fault][choice()?];
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The order in which a load returns.
    pub(super) fn order(&self, kind: Kind) -> Kind {
        let kind = match kind {
            Kind::NarrowRay if self.trees_apart => Kind::Ray,
            Kind::NarrowRay => Kind::Plain,
            kind => kind,
        };
        match self.returns {
            Returns::All if matches!(kind, Kind::Sampled | Kind::Ray) => Kind::Plain,
            Returns::None if matches!(kind, Kind::Plain | Kind::Sampled | Kind::Ray) => Kind::Loose,
            _ => kind,
        }
    }
}
