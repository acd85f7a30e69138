//! What the service asks of the tool chain that it runs in.

use std::collections::BTreeMap;

use chiaro_diag::{Diagnostic, FileId, SourceMap};
use chiaro_target::{Code, Report, Target, Targets};

use crate::Document;

/// What was found in a document.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Everything that is to be said.
    pub messages: Vec<Diagnostic>,
    /// The texts that messages point into.
    pub sources: SourceMap,
    /// The document among them.
    pub file: FileId,
}

/// What a document becomes on a target.
#[derive(Clone, Debug, Default)]
pub struct Made {
    /// The file that the target's loader reads.
    pub container: Vec<u8>,
    /// Its code, with the place in the document that each instruction comes from, where that is known.
    pub code: Code,
    /// Places in the code by name, counted in instructions.
    pub labels: BTreeMap<String, u32>,
    /// What it takes of the machine.
    pub report: Report,
    /// The document among the sources that the code's spans point into.
    pub file: FileId,
}

/// Checking, compiling and assembling, as the command does it.
pub trait Tools: Sync {
    /// All targets.
    fn targets(&self) -> Targets;

    /// Checks a document: what `chiaro check` says of it.
    fn check(&self, document: &Document) -> Checked;

    /// Compiles a shader for a target, or assembles a text of that target. `None` if it cannot be done: why,
    /// [`Tools::check`] says, or the target does not run such shaders.
    fn make(&self, document: &Document, target: &'static dyn Target) -> Option<Made>;
}
