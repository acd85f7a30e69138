//! Choices for reading a module, and what comes of it.

use chiaro_diag::Diagnostic;
use chiaro_ir::{Interface, Module};

/// Which specialisation constant is meant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SpecKey {
    /// The one with this `SpecId`.
    Id(u32),
    /// Those with this name.
    Name(String),
}

/// Choices for reading.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Values for specialisation constants: the bits of the value, cut to the constant's
    /// width; for a bool anything but 0 is true. The last one that fits counts.
    pub specialize: Vec<(SpecKey, u64)>,
    /// Whether what shaders print is kept; it is nothing without it.
    pub prints: bool,
}

/// A module that has been read.
#[derive(Debug)]
pub struct Reading {
    /// The module.
    pub module: Module,
    /// How it meets the outside.
    pub interface: Interface,
    /// What was passed over.
    pub warnings: Vec<Diagnostic>,
}
