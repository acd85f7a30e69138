//! What mends a broken rule of the hardware where that is mechanical: for editors, which try it.

/// An edit of assembly at the instruction that a rule is broken at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Remedy {
    /// The rule.
    pub rule: &'static str,
    /// What is done.
    pub edit: Edit,
}

/// An edit at an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edit {
    /// An instruction is put in front of it.
    Before(&'static str),
    /// An instruction is put behind it.
    After(&'static str),
    /// A mark is put on it.
    Mark(&'static str),
    /// A mark is put on one that comes behind it.
    MarkBehind(&'static str),
    /// A word of it is left out.
    Less(&'static str),
    /// It is left out.
    Without,
}

impl Remedy {
    /// An instruction in front of the one at fault.
    #[must_use]
    pub const fn before(rule: &'static str, text: &'static str) -> Remedy {
        Remedy { rule, edit: Edit::Before(text) }
    }

    /// An instruction behind the one at fault.
    #[must_use]
    pub const fn after(rule: &'static str, text: &'static str) -> Remedy {
        Remedy { rule, edit: Edit::After(text) }
    }

    /// A mark on the one at fault.
    #[must_use]
    pub const fn mark(rule: &'static str, text: &'static str) -> Remedy {
        Remedy { rule, edit: Edit::Mark(text) }
    }
}
