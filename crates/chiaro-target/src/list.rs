//! Lists of targets, and which of them is meant.

use crate::{Role, Target};

/// Targets in the order of their arrival.
#[derive(Clone, Copy)]
pub struct Targets(pub &'static [&'static dyn Target]);

impl Targets {
    /// All of them.
    pub fn iter(self) -> impl Iterator<Item = &'static dyn Target> {
        self.0.iter().copied()
    }

    /// Their names.
    #[must_use]
    pub fn names(self) -> Vec<&'static str> {
        self.iter().map(|target| target.about().name).collect()
    }

    /// The target of a name or alias.
    #[must_use]
    pub fn named(self, name: &str) -> Option<&'static dyn Target> {
        self.iter().find(|target| target.about().is_named(name))
    }

    /// The target that an input is for, by its first bytes or the ending of its name.
    #[must_use]
    pub fn of_input(self, name: &str, bytes: &[u8]) -> Option<&'static dyn Target> {
        let described = |target: &&dyn Target| {
            target.about().formats.iter().any(|f| f.role == Role::Described && f.is_magic(bytes))
        };
        let by_bytes = || self.of_container(bytes).or_else(|| self.iter().find(described));
        // Who knows the name alone asks no target about bytes that are not there.
        let found = if bytes.is_empty() { None } else { by_bytes() };
        found.or_else(|| self.iter().find(|target| target.about().has_ending(name)))
    }

    /// The target that a container is for.
    #[must_use]
    pub fn of_container(self, bytes: &[u8]) -> Option<&'static dyn Target> {
        self.iter().find(|target| target.has_container(bytes))
    }

    /// What a binary is, by its first bytes; also what a target only recognises.
    #[must_use]
    pub fn kind_of(self, bytes: &[u8]) -> Option<&'static str> {
        let formats = self.iter().flat_map(|target| target.about().formats);
        formats.filter(|format| format.role != Role::Source).find(|f| f.is_magic(bytes)).map(|f| f.name)
    }
}
