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

/// The value of a specialisation constant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SpecValue {
    /// Its bits, cut to the constant's width; for a bool anything but 0 is true.
    Bits(u64),
    /// A number, which becomes what the constant's type makes of it.
    Number(f64),
}

/// Choices for reading.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Values for specialisation constants. The last one that fits counts.
    pub specialize: Vec<(SpecKey, SpecValue)>,
    /// Whether what shaders print is kept; it is nothing without it.
    pub prints: bool,
    /// Whether the module may be a part: functions keep their linkage, and may have their bodies in other parts.
    pub parts: bool,
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
