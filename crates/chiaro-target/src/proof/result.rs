//! What checked compilation shows, and why it fails.

use std::collections::BTreeMap;
use std::fmt;

use chiaro_ir::interp::Counterexample;

/// What a comparison showed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Compared {
    /// Invocations of which every output is compared.
    pub conclusive: usize,
    /// Invocations that prove nothing, or not all.
    pub inconclusive: usize,
    /// The first result that is wrong.
    pub wrong: Option<Counterexample>,
    /// The first result that is wrong because an integer was too large for the machine's floats: the
    /// program is right as long as none is.
    pub too_large: Option<Counterexample>,
    /// Why invocations prove nothing, and how many of them.
    pub reasons: BTreeMap<&'static str, usize>,
}

impl Compared {
    /// Counts an invocation that proves nothing.
    pub fn doubt(&mut self, why: &'static str) {
        self.inconclusive += 1;
        *self.reasons.entry(why).or_default() += 1;
    }

    /// Why most of the invocations that prove nothing do so; empty if all prove something.
    #[must_use]
    pub fn why(&self) -> &'static str {
        self.reasons.iter().max_by_key(|(_, count)| **count).map_or("", |(why, _)| why)
    }

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
    pub fn and(mut self, other: Compared) -> Compared {
        other.reasons.iter().for_each(|(why, count)| *self.reasons.entry(why).or_default() += count);
        Compared {
            conclusive: self.conclusive + other.conclusive,
            inconclusive: self.inconclusive + other.inconclusive,
            wrong: self.wrong.or(other.wrong),
            too_large: self.too_large.or(other.too_large),
            reasons: self.reasons,
        }
    }
}

impl Compared {
    /// The same where the first invocation has this number.
    pub(super) fn numbered(mut self, first: usize) -> Compared {
        let all = self.wrong.iter_mut().chain(self.too_large.iter_mut());
        all.for_each(|example| example.vertex += first);
        self
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
        /// Why, for most of them.
        why: &'static str,
    },
    /// Something does not run.
    Stopped(String),
}

impl Failure {
    /// The same where the first invocation has this number.
    pub(super) fn numbered(self, first: usize) -> Failure {
        self.renumbered(|vertex| vertex + first)
    }

    /// The same where invocations are those of a list.
    pub(super) fn among(self, lanes: &[usize]) -> Failure {
        self.renumbered(|vertex| lanes.get(vertex).copied().unwrap_or(vertex))
    }

    /// The invocation that shows it.
    pub(super) fn example(&self) -> Option<&Counterexample> {
        match self {
            Failure::Words(wrong) | Failure::Meaning(wrong) => Some(wrong),
            _ => None,
        }
    }

    fn renumbered(self, number: impl Fn(usize) -> usize) -> Failure {
        let again = |wrong: Counterexample| Counterexample { vertex: number(wrong.vertex), ..wrong };
        match self {
            Failure::Words(wrong) => Failure::Words(again(wrong)),
            Failure::Meaning(wrong) => Failure::Meaning(again(wrong)),
            other => other,
        }
    }

    /// It in a line without numbers: the same whatever was drawn.
    #[must_use]
    pub fn brief(&self) -> String {
        match self {
            Failure::Words(wrong) => {
                format!("the words do not compute what legal IR says: `{}`", wrong.output)
            }
            Failure::Meaning(wrong) => {
                format!("the words do not mean what the source does: `{}`", wrong.output)
            }
            Failure::Untested { why, .. } => format!("not proved: {why}"),
            other => other.to_string(),
        }
    }

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
