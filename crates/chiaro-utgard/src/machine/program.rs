//! A program decoded for running.

use std::collections::HashSet;
use std::ops::Range;

use chiaro_sim::{Assumption, Code, Engine, Prepared, Slot};

use crate::isa::selector::Unit;
use crate::regs::{self, letter};

/// What the documents leave open, and how to run.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// The engine; `None` is the reference evaluator.
    pub engine: Option<Engine>,
    /// Instructions' worth of time that a taken branch takes beside its own. \[ARM]
    pub taken_branch: u32,
    /// What is read where there is nothing: the bits of a float.
    pub poison: u32,
    /// Whether arithmetic flushes subnormal numbers. [unknown]
    pub flush: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            engine: Some(Engine::best()),
            taken_branch: regs::TAKEN_BRANCH,
            poison: 0x7fc0_0000,
            flush: false,
        }
    }
}

/// Everything that [`Config::set`] knows. spec section 19.
pub static ASSUMPTIONS: &[Assumption] = &[
    Assumption {
        name: "taken-branch",
        values: "2 N",
        about: "cycles that a taken branch costs beside its own: at least 2 in ARM's code [ARM]",
    },
    Assumption {
        name: "subnormals",
        values: "keep flush",
        about: "whether arithmetic flushes subnormal numbers to zero [unknown]",
    },
    Assumption {
        name: "poison",
        values: "0x7fc00000 N",
        about: "bits of what is read where there is nothing [unknown]",
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
            "taken-branch" => self.taken_branch = assumption.number(value)?.min(1 << 16),
            "subnormals" => self.flush = assumption.choice(value)? == 1,
            _ => self.poison = assumption.number(value)?,
        }
        Ok(())
    }
}

/// Something that a program does and hardware does not define, or not as meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The instruction.
    pub instruction: u32,
    /// The lane; the first of those that do it together.
    pub lane: u32,
    /// What.
    pub kind: FaultKind,
}

/// Kinds of faults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// A unit's result is read that was not computed, or at a distance at which it is gone.
    NoResult(&'static str),
    /// A result is read across a taken branch.
    AcrossBranch,
    /// An operation or selector that nobody knows.
    Unknown(&'static str),
    /// A register component is read before its store takes effect.
    RegisterTooEarly {
        /// Register.
        index: u8,
        /// Component.
        component: u8,
    },
    /// An output's component is stored again: which store counts nobody knows.
    OutputAgain {
        /// Output.
        index: u8,
        /// Component.
        component: u8,
    },
    /// A temporary, by its vec4, is read before its store takes effect.
    TemporaryTooEarly(i32),
    /// An address register is used before its new value takes effect.
    AddressTooEarly(u8),
    /// An address is outside of uniform memory.
    Address(i32),
    /// A condition is neither 0 nor 1.
    Condition,
    /// A branch leads out of the program.
    Target(u32),
    /// The program did not end within the instructions that it was given.
    Endless,
}

impl std::fmt::Display for FaultKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            FaultKind::NoResult(unit) => write!(f, "{unit} has no result at this distance"),
            FaultKind::AcrossBranch => write!(f, "a result is read across a taken branch"),
            FaultKind::Unknown(field) => write!(f, "nobody knows what this `{field}` does"),
            FaultKind::RegisterTooEarly { index, component } => {
                write!(f, "${index}.{} is read before its store takes effect", letter(component))
            }
            FaultKind::OutputAgain { index, component } => {
                let part = letter(component);
                write!(f, "v{index}.{part} is stored again: which store counts is not known")
            }
            FaultKind::TemporaryTooEarly(n) => {
                write!(f, "temporary t[{n}] is read before its store takes effect")
            }
            FaultKind::AddressTooEarly(n) => write!(f, "addr{n} is used before it takes effect"),
            FaultKind::Address(n) => write!(f, "address {n} is outside of uniform memory"),
            FaultKind::Condition => write!(f, "a condition is neither 0 nor 1"),
            FaultKind::Target(n) => write!(f, "the branch leads to {n}, out of the program"),
            FaultKind::Endless => write!(f, "the program did not end"),
        }
    }
}

/// An instruction ready to run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Step {
    /// Its micro-ops.
    pub(crate) uops: Range<usize>,
    /// The vec4 to fetch before, where the address is known only at run time.
    pub(crate) gather: Option<Gather>,
    /// Registers that are stored: unit's slot, register's slot.
    pub(crate) registers: Vec<(Slot, Slot)>,
    /// Outputs that are stored at once.
    pub(crate) outputs: Vec<(Slot, Slot)>,
    /// Components of the temporary that is stored: component, unit's slot.
    pub(crate) temporaries: Vec<(u8, Slot)>,
    /// Address registers that are set (0 to 3) and the slot of the value.
    pub(crate) address: Option<(u8, Slot)>,
    /// Register components that are read.
    pub(crate) reads: Vec<Slot>,
    /// What operands read, and where it stands.
    pub(crate) sources: Vec<(Source, Slot)>,
    /// Where the branch leads, and the slot of its condition.
    pub(crate) branch: Option<(u32, Slot)>,
    /// Conditions that must be 0 or 1.
    pub(crate) conditions: Vec<Slot>,
    /// Whether it reads results of before.
    pub(crate) reads_back: bool,
    /// Units that compute something, with their results' slots.
    pub(crate) busy: Vec<(Unit, Slot)>,
    /// What is wrong with it whenever it runs.
    pub(crate) faults: Vec<FaultKind>,
}

/// What an operand reads: the number of a vec4 and a component.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    Attribute(u32, u8),
    Register(u32, u8),
    /// Uniform memory, and temporaries that stand over it.
    Uniform(u16, u8),
}

/// A load whose address is computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gather {
    pub(crate) address: u16,
    /// Address register 1 to 3, or 0 for none.
    pub(crate) offset: u8,
    /// Components that operands read, a bit each.
    pub(crate) components: u8,
}

/// Slots of a machine's state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// 16 vec4 each.
    pub(crate) attributes: Slot,
    pub(crate) outputs: Slot,
    pub(crate) registers: Slot,
    /// Address registers 0 to 3.
    pub(crate) addresses: Slot,
    /// What was gathered.
    pub(crate) loaded: Slot,
    /// Three banks of six results.
    pub(crate) results: Slot,
}

/// Results of a bank.
pub(crate) const BANK: u16 = 6;

/// A program, decoded once.
#[derive(Debug)]
pub struct Program {
    pub(crate) steps: Vec<Step>,
    pub(crate) code: Code,
    pub(crate) prepared: Option<Prepared>,
    /// Whether an output may be stored more than once: something loops, or two instructions do.
    pub(crate) may_repeat: bool,
    pub(crate) layout: Layout,
    /// vec4 of uniform memory with fixed addresses: address, first slot.
    pub(crate) uniforms: Vec<(u16, Slot)>,
    /// Slots that hold constants.
    pub(crate) constants: Vec<(Slot, u32)>,
    pub(crate) config: Config,
}

impl Program {
    /// How many instructions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

/// Whether some path may store an output's component twice; quick, and not exact.
pub(crate) fn may_repeat(steps: &[Step]) -> bool {
    let mut seen = HashSet::new();
    let is_again = steps.iter().flat_map(|step| &step.outputs).any(|(_, to)| !seen.insert(to.0));
    let is_back = |(at, step): (usize, &Step)| step.branch.is_some_and(|(to, _)| to as usize <= at);
    is_again || steps.iter().enumerate().any(is_back)
}

impl Layout {
    /// The slot of a component of a bank of vec4.
    pub(crate) fn part(first: Slot, index: u32, component: u32) -> Slot {
        first.at((index * 4 + component) as u16)
    }
}
