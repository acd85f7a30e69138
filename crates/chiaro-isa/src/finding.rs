//! What a checker of programs finds: a broken rule with its place, as plain data.
//!
//! [`crate::Rule`] is about the operands of one instruction and stands in its row; a [`Rule`] here is
//! about a program, and each target has a table of them. Callers make diagnostics of findings.

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Odd, but harmless as far as known.
    Note,
    /// Probably not what was meant, or wrong on some paths.
    Warning,
    /// Hangs the GPU, gives wrong results or cannot be loaded.
    Error,
}

/// A rule over programs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rule {
    /// Stable name, for filters and documents.
    pub id: &'static str,
    /// How bad a breach is.
    pub severity: Severity,
    /// The rule in one line.
    pub text: &'static str,
    /// What to do about a breach; empty where the rule says it all.
    pub advice: &'static str,
    /// Where the fact comes from.
    pub source: &'static str,
}

/// A breach of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The instruction at fault, by its number.
    pub at: Option<u32>,
    /// Where it is in the target's words: the program of a file, the nearest label.
    pub place: Option<String>,
    /// What is wrong, with names, numbers, used and allowed.
    pub message: String,
}
