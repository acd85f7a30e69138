//! What one compilation may take of the machine that it runs on.
//!
//! Work and memory are counted, never measured, so that a source which is too much for us is too
//! much everywhere, at the same place. A step is what one instruction costs one pass; memory is
//! estimated where a structure grows. Loops that input can make long ask before they go on, and
//! what they asked for in vain is an error that says what, how much and how much is allowed.
//!
//! Clones share their counts: front end, passes and back end of one compilation draw on the same.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::{Diagnostic, Span};

/// What is left of the work and the memory of a compilation.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Meters>);

#[derive(Debug)]
struct Meters {
    work: AtomicU64,
    most_work: u64,
    most_memory: u64,
    /// The first request that was too much.
    exceeded: OnceLock<Exceeded>,
}

/// A request beyond the budget.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exceeded {
    /// What asked for it: a pass or a step of a compiler.
    pub what: &'static str,
    /// What is counted: `steps` or `bytes`.
    pub unit: &'static str,
    /// How much would have been used.
    pub used: u64,
    /// How much may be.
    pub allowed: u64,
}

/// Steps that a compilation takes at most: about a second. No vertex shader
/// of the public collections takes a tenth of it [measured].
const WORK: u64 = 1 << 23;

/// Bytes that the largest structure of a compilation takes at most. Several are alive at once.
const MEMORY: u64 = 128 << 20;

impl Default for Budget {
    fn default() -> Budget {
        Budget::new(WORK, MEMORY)
    }
}

impl Budget {
    /// So many steps, and so many bytes at a time.
    #[must_use]
    pub fn new(most_work: u64, most_memory: u64) -> Budget {
        let (work, exceeded) = (AtomicU64::new(0), OnceLock::new());
        Budget(Arc::new(Meters { work, most_work, most_memory, exceeded }))
    }

    /// A budget with counts of its own that go on from here: what was read once may be compiled
    /// several times.
    #[must_use]
    pub fn fork(&self) -> Budget {
        let Meters { work, most_work, most_memory, exceeded } = &*self.0;
        let work = AtomicU64::new(work.load(Ordering::Relaxed));
        let exceeded = exceeded.clone();
        Budget(Arc::new(Meters { work, most_work: *most_work, most_memory: *most_memory, exceeded }))
    }

    /// Takes steps.
    ///
    /// # Errors
    /// There are not as many left, now or at an earlier request.
    pub fn work(&self, what: &'static str, steps: usize) -> Result<(), Exceeded> {
        let before = self.0.work.fetch_add(steps as u64, Ordering::Relaxed);
        self.hold(what, "steps", before.saturating_add(steps as u64), self.0.most_work)
    }

    /// Whether a structure may have so many bytes.
    ///
    /// # Errors
    /// It is more than allowed, or there was an earlier request beyond the budget.
    pub fn memory(&self, what: &'static str, bytes: usize) -> Result<(), Exceeded> {
        self.hold(what, "bytes", bytes as u64, self.0.most_memory)
    }

    /// Whether all requests so far could be met.
    ///
    /// # Errors
    /// The first one that could not.
    pub fn check(&self) -> Result<(), Exceeded> {
        self.0.exceeded.get().copied().map_or(Ok(()), Err)
    }

    /// The share of the work that is left, from 1 down to 0: searches that could go on for long
    /// stop before nothing is left for what has to be done.
    #[must_use]
    pub fn left(&self) -> f64 {
        1.0 - (self.0.work.load(Ordering::Relaxed) as f64 / self.0.most_work as f64).min(1.0)
    }

    fn hold(&self, what: &'static str, unit: &'static str, used: u64, allowed: u64) -> Result<(), Exceeded> {
        if used > allowed {
            let _ = self.0.exceeded.set(Exceeded { what, unit, used, allowed });
        }
        self.check()
    }
}

impl Exceeded {
    /// The message, at a place if there is one.
    #[must_use]
    pub fn at(self, span: impl Into<Option<Span>>) -> Diagnostic {
        let Exceeded { what, unit, used, allowed } = self;
        let kind = if unit == "steps" { "work" } else { "memory" };
        Diagnostic::error(span, format!("compiling this takes more {kind} than chiaro grants a shader"))
            .note(format!("`{what}` would have brought it to {used} {unit}, {allowed} are allowed"))
            .help("split the shader, call long functions less often, or let loops stay loops")
    }
}

impl From<Exceeded> for Box<Diagnostic> {
    fn from(exceeded: Exceeded) -> Box<Diagnostic> {
        Box::new(exceeded.at(None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_is_told_once_and_for_all() {
        let budget = Budget::new(100, 1000);
        let other = budget.clone();
        assert_eq!(budget.work("dce", 60), Ok(()));
        assert_eq!(budget.memory("tokens", 1000), Ok(()));
        let exceeded = Exceeded { what: "cse", unit: "steps", used: 120, allowed: 100 };
        assert_eq!(other.work("cse", 60), Err(exceeded));
        assert_eq!(budget.memory("tokens", 1), Err(exceeded), "clones share");
        assert_eq!(budget.fork().check(), Err(exceeded));
        assert_eq!(budget.check(), Err(exceeded));
        let message = exceeded.at(None);
        assert_eq!(message.notes, ["`cse` would have brought it to 120 steps, 100 are allowed"]);
        let bytes = Budget::new(100, 1000).memory("tokens", 1001);
        assert_eq!(bytes.unwrap_err().at(None).message, message.message.replace("work", "memory"));
    }

    #[test]
    fn what_is_left_is_a_share() {
        let budget = Budget::new(100, 0);
        assert_eq!(budget.left(), 1.0);
        let _ = budget.work("dce", 75);
        let _ = budget.fork().work("dce", 20);
        assert_eq!(budget.left(), 0.25);
        let _ = budget.work("dce", 750);
        assert_eq!(budget.left(), 0.0);
    }
}
