//! Code that faults are put into, as each target has it.

use std::path::Path;

use chiaro_isa::Rng;

/// What became of a fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// The checker says something that it has not said before.
    Found,
    /// Nothing is known that has changed.
    Harmless,
    /// Something has changed, and the checker says nothing: what was done.
    Missed(String),
}

/// Code that faults are put into.
pub(crate) trait Victim {
    /// What it is called.
    fn name(&self) -> &str;

    /// Puts a fault in, by its number among the kinds; `None` if the code has nothing of the kind.
    ///
    /// # Errors
    /// Why the code cannot be run.
    fn seed(&self, kind: usize, rng: &mut Rng) -> Result<Option<Verdict>, String>;
}

/// Reads the code below a folder of one target's vectors.
type Victims = fn(&Path) -> Result<Vec<Box<dyn Victim>>, String>;

/// What is done to the code of a target.
pub(crate) struct Row {
    pub(crate) target: &'static str,
    /// Kinds of faults.
    pub(crate) faults: &'static [&'static str],
    pub(crate) victims: Victims,
}
