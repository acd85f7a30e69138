//! What is compiled for what: the user's choices, and the part of a module that is wanted.

use chiaro_ir::Stage;

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
