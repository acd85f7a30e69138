//! Calling conventions as files: what is asked of one, and what it comes to.

use chiaro_diag::{Diagnostic, FileId};
use serde_json::Value as Json;

/// A convention to be described.
#[derive(Clone, Debug)]
pub struct AbiOptions {
    /// The convention's text among the sources.
    pub file: FileId,
    /// The text of a signature among the sources: its parameters are placed.
    pub signature: Option<FileId>,
    /// Choices of the user for the target.
    pub settings: Vec<(String, String)>,
}

/// What a convention comes to.
#[derive(Clone, Debug)]
pub struct Abi {
    /// Registers, places and costs for people.
    pub text: String,
    /// The same for machines.
    pub json: Json,
    /// What is allowed and costs more than it has to.
    pub remarks: Vec<Diagnostic>,
}
