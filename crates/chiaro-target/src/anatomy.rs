//! What each instruction of a program does and takes: what it is there for, the units that it keeps busy,
//! what it reads and writes, where execution goes from it.
//!
//! A target tells this of its words, from its rows; accounts of code ([`Cause`]), its blocks, the pressure on
//! registers ([`Anatomy::pressure`]) and the [`timeline`](crate::timeline) are made of it here, alike for all.

mod build;
mod flow;
mod pressure;

use crate::Resource;

pub use build::{Steer, connect, instruction};
pub use flow::Block;

/// A program's instructions, and what its times rest on.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Anatomy {
    /// In the order of their places.
    pub instructions: Vec<Instruction>,
    /// Results that come when a counter or flag says so.
    pub queues: Vec<Queue>,
    /// Register files whose pressure counts, by their numbers.
    pub files: Vec<(u8, &'static str)>,
    /// Waves side by side: as many as this program leaves room for, and the most.
    pub waves: Option<Resource>,
    /// The figures that times rest on.
    pub figures: Vec<Figure>,
    /// What times leave out.
    pub omits: &'static [&'static str],
}

/// An instruction as accounts and clocks see it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Instruction {
    /// Where it begins, in bytes: that of [`Line`](crate::Line).
    pub offset: u32,
    /// What it is there for.
    pub cause: Cause,
    /// Whether it computes in 16 bits.
    pub is_half: bool,
    /// Units that it takes, with the cycles until they take the next.
    pub units: Vec<(&'static str, u32)>,
    /// Cycles until the instruction behind it may issue.
    pub slots: u32,
    /// How often it goes through its units: parts of a wave that are wider than they are.
    pub passes: u32,
    /// Cycles from its issue until the machine lets others read what it writes.
    pub result: u32,
    /// Registers that it reads.
    pub reads: Vec<Register>,
    /// Registers that it writes.
    pub writes: Vec<Register>,
    /// Queues that it enters, with the cycles until it is done there.
    pub enters: Vec<(usize, u32)>,
    /// Queues that it waits for, with how many of their entries may stay open.
    pub waits: Vec<(usize, u32)>,
    /// Whether it waits for everything: the end of a program.
    pub drains: bool,
    /// Instructions that may follow, by number; one that it is fallen into stands first.
    pub next: Vec<u32>,
    /// Instructions from the first to before the second that it calls.
    pub calls: Option<(u32, u32)>,
    /// Cycles that it costs to be taken, if it is a branch.
    pub taken: u32,
}

/// A register of some file, or a component of one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Register {
    /// The file, as the target counts them.
    pub file: u8,
    /// Its number.
    pub index: u16,
    /// The component, where a register has several.
    pub part: u8,
}

/// Results that come when a counter or a flag says so, in the order of their issue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Queue {
    /// The counter or flag.
    pub name: &'static str,
    /// Whether memory is behind it; what else comes late, otherwise.
    pub is_memory: bool,
}

/// A number that times rest on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Figure {
    /// What it is of.
    pub name: &'static str,
    /// Cycles.
    pub cycles: u32,
    /// Who says so.
    pub source: &'static str,
    /// How far it is to be trusted.
    pub grade: Grade,
}

/// How far a figure is to be trusted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grade {
    /// Somebody measured it on the machine.
    Measured,
    /// A compiler or document that is used for the machine says so.
    Documented,
    /// A guess of those who publish it, or fitted to another machine.
    Heuristic,
    /// Nobody knows: taken so that there is a number.
    Assumed,
}

impl Grade {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Grade::Measured => "measured",
            Grade::Documented => "documented",
            Grade::Heuristic => "heuristic",
            Grade::Assumed => "assumed",
        }
    }
}

/// What an instruction is there for, as differences are told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Cause {
    /// What the program computes.
    #[default]
    Arithmetic,
    /// A value changes its place.
    Move,
    /// A constant is put into a register.
    Constant,
    /// Nothing is done: empty slots, waits for results.
    Wait,
    /// Values that had no register.
    Spill,
    /// What finds operands and places in memory.
    Address,
    /// Textures and images.
    Texture,
    /// Buffers, shared memory, what is handed on.
    Memory,
    /// Where execution goes.
    Control,
}

impl Cause {
    /// All of them, in the order of tables.
    pub const ALL: [Cause; 9] = [
        Cause::Arithmetic,
        Cause::Move,
        Cause::Constant,
        Cause::Wait,
        Cause::Spill,
        Cause::Address,
        Cause::Texture,
        Cause::Memory,
        Cause::Control,
    ];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Cause::Arithmetic => "arithmetic",
            Cause::Move => "moves",
            Cause::Constant => "constants",
            Cause::Wait => "waits and nops",
            Cause::Spill => "spills",
            Cause::Address => "address arithmetic",
            Cause::Texture => "texture",
            Cause::Memory => "memory",
            Cause::Control => "control",
        }
    }
}

impl Anatomy {
    /// Arithmetic in 16 bits, of all arithmetic.
    #[must_use]
    pub fn halves(&self) -> (u32, u32) {
        let arithmetic = self.instructions.iter().filter(|one| one.cause == Cause::Arithmetic);
        let halves = arithmetic.clone().filter(|one| one.is_half).count();
        (halves as u32, arithmetic.count() as u32)
    }

    /// Registers of a file that are named, up to the highest.
    #[must_use]
    pub fn registers_of(&self, file: u8) -> u32 {
        let named = self.instructions.iter().flat_map(|one| one.reads.iter().chain(&one.writes));
        named.filter(|one| one.file == file).map(|one| u32::from(one.index) + 1).max().unwrap_or(0)
    }

    /// Instructions by cause, those without any left out.
    #[must_use]
    pub fn by_cause(&self) -> Vec<(Cause, u32)> {
        let count = |cause| self.instructions.iter().filter(|one| one.cause == cause).count() as u32;
        Cause::ALL.into_iter().map(|cause| (cause, count(cause))).filter(|(_, n)| *n > 0).collect()
    }
}
