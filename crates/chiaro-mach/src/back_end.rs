//! What a back end says about its machine, and what a compilation gives back.
//!
//! Facts, not questions about single instructions: where shared code wants to know whether a
//! target has something, a row in a table ([`RegFile`], a legalisation pass, a [`Step`]) is
//! preferred to a method here.

use chiaro_diag::Span;
use chiaro_ir::{Module, Stage};
use chiaro_isa::Isa;
use chiaro_opt::Pass;

use crate::code::{Code, Inst};
use crate::compile::STEPS;
use crate::cx::{Cx, Outcome, Step};
use crate::file::RegFile;
use crate::unit::{Datum, Link, Unit};

/// A machine that code is made for.
pub trait BackEnd: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Its instruction set.
    fn isa(&self, config: &Config) -> &'static Isa;

    /// Its register files; a [`File`](crate::File) is a place in this list.
    fn files(&self, config: &Config) -> &'static [RegFile];

    /// Passes that make IR for this machine out of any IR: run once, between two rounds of
    /// optimisation.
    fn legalize(&self, config: &Config) -> &'static [Pass];

    /// Machine operations for one entry point. What the machine cannot do, and what does not
    /// fit, are diagnostics.
    fn select(&self, module: &Module, key: &PartKey, cx: &mut Cx<'_>) -> Outcome<Unit>;

    /// What happens to code between selection and words, in order. A target with an
    /// allocator or scheduler of its own puts its steps in the place of ours.
    fn steps(&self, config: &Config) -> &'static [Step] {
        let _ = config;
        STEPS
    }

    /// When results can be read.
    fn timing(&self, config: &Config) -> &'static dyn Timing;

    /// Words: synchronisation, branches, packing, encoding.
    fn finish(&self, unit: Unit, cx: &mut Cx<'_>) -> Outcome<Artifact>;

    /// What listings of code call an operation.
    fn op_name(&self, op: u32) -> String {
        format!("op{op}")
    }
}

/// What the user chose; goes to every method of a [`BackEnd`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// Generation of the instruction set: its place in [`chiaro_isa::Set::generations`].
    pub generation: u8,
    /// Lanes of a wave; 1 where there are none.
    pub wave: u8,
    /// The stage.
    pub stage: Stage,
    /// How long to search, from 0; searches stop by count, never by clock.
    pub effort: u8,
    /// Named assumptions and modes: `-m KEY=VALUE`.
    pub assumptions: Vec<(String, String)>,
}

impl Config {
    /// Defaults for a stage.
    pub fn new(stage: Stage) -> Config {
        Config { generation: 0, wave: 1, stage, effort: 1, assumptions: Vec::new() }
    }

    /// What was chosen for a named assumption.
    pub fn assumption(&self, name: &str) -> Option<&str> {
        self.assumptions.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Which artifact of a module is wanted.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PartKey {
    /// Name of the entry point.
    pub entry: String,
    /// Which part of it.
    pub kind: PartKind,
    /// The target's own bits of state that the part is compiled for.
    pub state: Vec<u32>,
}

impl PartKey {
    /// The main part of an entry point.
    pub fn main(entry: impl Into<String>) -> PartKey {
        PartKey { entry: entry.into(), kind: PartKind::Main, state: Vec::new() }
    }
}

/// Kinds of parts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum PartKind {
    /// The shader itself.
    #[default]
    Main,
    /// What runs once per draw or dispatch before it.
    Preamble,
    /// What stands before the main part: fetching of attributes.
    Prolog,
    /// What stands behind it: blending, export.
    Epilog,
    /// A function that is called.
    Function,
}

/// What a compilation gives.
#[derive(Clone, Debug, Default)]
pub struct Artifact {
    /// Code.
    pub parts: Vec<Part>,
    /// Constants and tables.
    pub data: Vec<Datum>,
    /// Names of the source with their places.
    pub interface: Vec<Link>,
}

/// A piece of code as words.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: PartKind,
    /// Its words, in the size that the target's memory has.
    pub words: Vec<u64>,
    /// Places in it that are known when parts are linked.
    pub relocations: Vec<Relocation>,
    /// What it takes of the machine: registers, descriptors, bytes, against what there is.
    pub resources: Vec<Resource>,
    /// The source text of each word.
    pub spans: Vec<Option<Span>>,
}

/// A place that is filled in when parts are linked.
#[derive(Clone, Debug)]
pub struct Relocation {
    /// The word.
    pub at: u32,
    /// The target's number for how the address is put into it.
    pub kind: u32,
    /// Whose address.
    pub symbol: String,
    /// What is added to it.
    pub addend: i64,
}

/// How much of something is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resource {
    /// Its name in reports and messages.
    pub name: &'static str,
    /// How much is used.
    pub used: u32,
    /// How much there is.
    pub allowed: u32,
}

/// When one instruction may read what another wrote.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Latency {
    /// Once this many issue slots lie between them.
    Slots(u16),
    /// Only at a distance from the first to the second number of slots, both inclusive, where
    /// 1 is the next instruction; 0 is the same word.
    Window(u16, u16),
    /// Once the reader sets this flag; the estimate in slots is for the scheduler.
    Flag(u8, u16),
    /// Once this counter has come down, after about so many slots.
    Counter(u8, u16),
}

impl Latency {
    /// Issue slots that are best left between them.
    pub fn estimate(self) -> u16 {
        match self {
            Latency::Slots(slots) | Latency::Flag(_, slots) | Latency::Counter(_, slots) => slots,
            Latency::Window(first, _) => first.saturating_sub(1),
        }
    }
}

/// The clock of a machine, as its scheduler has to know it.
pub trait Timing: Sync {
    /// When `consumer` may read, through use number `operand`, what `producer` wrote.
    fn between(&self, code: &Code, producer: Inst, consumer: Inst, operand: usize) -> Latency;

    /// How many issue slots an instruction takes.
    fn slots(&self, code: &Code, inst: Inst) -> u16 {
        let _ = (code, inst);
        1
    }
}
