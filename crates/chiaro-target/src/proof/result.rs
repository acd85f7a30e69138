//! What checked compilation shows, and why it fails.

use std::fmt;

use chiaro_ir::interp::Counterexample;

/// What a comparison showed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Compared {
    /// Invocations that prove something.
    pub conclusive: usize,
    /// Invocations that prove nothing.
    pub inconclusive: usize,
    /// The first result that is wrong.
    pub wrong: Option<Counterexample>,
    /// Why the first of them proves nothing.
    pub why: Option<&'static str>,
}

impl Compared {
    /// Whether at most a fifth proves nothing: a test that is mostly inconclusive is none.
    #[must_use]
    pub fn proves(&self) -> bool {
        self.inconclusive * 5 <= self.conclusive + self.inconclusive
    }

    /// Whether nothing is wrong, and at most a fifth proves nothing.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.wrong.is_none() && self.proves()
    }

    /// Both taken together.
    #[must_use]
    pub fn and(self, other: Compared) -> Compared {
        Compared {
            conclusive: self.conclusive + other.conclusive,
            inconclusive: self.inconclusive + other.inconclusive,
            wrong: self.wrong.or(other.wrong),
            why: self.why.or(other.why),
        }
    }
}

/// Why a compilation is not to be trusted.
#[derive(Clone, PartialEq, Debug)]
pub enum Failure {
    /// The code breaks a rule of the hardware.
    Rule(String),
    /// The simulator found something that hardware does not define.
    Fault(String),
    /// The code does not compute what legal IR says.
    Words(Counterexample),
    /// Legal IR does not mean what the source does.
    Meaning(Counterexample),
    /// Too many invocations prove nothing.
    Untested {
        /// Those that do.
        conclusive: usize,
        /// Those that do not.
        inconclusive: usize,
        /// Why, for one of them.
        why: &'static str,
    },
    /// Something does not run.
    Stopped(String),
}

impl Failure {
    /// Its kind in one word, for tables.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Failure::Rule(_) => "rule",
            Failure::Fault(_) => "fault",
            Failure::Words(_) => "words",
            Failure::Meaning(_) => "meaning",
            Failure::Untested { .. } => "untested",
            Failure::Stopped(_) => "stopped",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Rule(message) => write!(f, "the program breaks a rule of the hardware: {message}"),
            Failure::Fault(message) => write!(f, "the program does what hardware does not define: {message}"),
            Failure::Words(wrong) => write!(f, "the program does not compute what the IR says: {wrong}"),
            Failure::Meaning(wrong) => write!(f, "the IR does not mean what the source does: {wrong}"),
            Failure::Untested { conclusive, inconclusive, why } => {
                let all = conclusive + inconclusive;
                write!(f, "{inconclusive} of {all} vertices prove nothing")?;
                if why.is_empty() { Ok(()) } else { write!(f, ": {why}") }
            }
            Failure::Stopped(reason) => write!(f, "a check did not run: {reason}"),
        }
    }
}
