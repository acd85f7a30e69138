//! What a back end says about its machine, and what a compilation gives back.
//!
//! Facts, not questions about single instructions: where shared code wants to know whether a
//! target has something, a row in a table ([`RegFile`], a legalisation pass, a [`Step`]) is
//! preferred to a method here.

use chiaro_diag::Span;
use chiaro_ir::Module;
use chiaro_isa::Isa;
use chiaro_opt::Pass;

use crate::config::{Config, PartKey, PartKind};
use crate::cx::{Cx, Outcome};
use crate::file::RegFile;
use crate::timing::Timing;
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

    /// What happens to code between selection and words, in order:
    /// [`STEPS`](crate::STEPS), or, where the target has an allocator or scheduler of its
    /// own, a list that mixes both.
    fn steps(&self, config: &Config) -> &'static [Step];

    /// When results can be read.
    fn timing(&self, config: &Config) -> &'static dyn Timing;

    /// Words: synchronisation, branches, packing, encoding.
    fn finish(&self, unit: Unit, cx: &mut Cx<'_>) -> Outcome<Artifact>;

    /// What listings of code call an operation.
    fn op_name(&self, op: u32) -> String {
        format!("op{op}")
    }

    /// The operation that listings call so: what [`op_name`](Self::op_name) says, backwards.
    fn op_number(&self, name: &str) -> Option<u32> {
        name.strip_prefix("op")?.parse().ok()
    }
}

/// A step on machine code, over all functions of a unit.
#[derive(Clone, Copy)]
pub struct Step {
    /// Its name: that of its file and function.
    pub name: &'static str,
    /// Runs it. What does not fit the machine is a diagnostic.
    pub run: fn(&mut Unit, &dyn BackEnd, &mut Cx<'_>) -> Outcome,
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
