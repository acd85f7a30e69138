//! How much a source can make of little text.
//!
//! Constants are used by name, and each use copies: a few lines, each with twice the constant of
//! the line before, would ask for more memory than there is. What is copied is counted here.

use super::checker::Checker;
use crate::hir::{ExprId, ExprKind};
use crate::intrinsic::{Cooperative, Intrinsic};
use crate::token::At;

/// Scalars in all constants together.
const MOST_SCALARS: usize = 1 << 23;
/// Parts of a value that follows specialisation constants; every use computes them again.
const MOST_STEPS: u32 = 1024;
/// Diagnostics after which names are no longer compared for what was meant.
const MOST_ADVICE: usize = 64;

impl Checker<'_> {
    /// Counts the scalars of a constant; reports an error the first time that there are too many.
    pub(super) fn count_scalars(&mut self, kind: &ExprKind, at: At) -> bool {
        let ExprKind::Constant(bits) = kind else { return true };
        let before = self.folded;
        self.folded = before.saturating_add(bits.len());
        if before <= MOST_SCALARS && self.folded > MOST_SCALARS {
            self.error(at, format!("the constants up to here have more than {MOST_SCALARS} components"));
        }
        self.folded <= MOST_SCALARS || bits.len() <= 1
    }

    /// How many parts compute a value that follows specialisation constants; 0 if it is no such
    /// value. The parts of an expression are known before it.
    pub(super) fn steps_of(&self, kind: &ExprKind) -> u32 {
        match kind {
            ExprKind::Spec(_) | ExprKind::Constant(_) | ExprKind::Null => 1,
            ExprKind::Unary(_, a) | ExprKind::Convert(a) | ExprKind::Swizzle(a, _) => self.all_steps(&[*a]),
            ExprKind::Binary(_, a, b) | ExprKind::Logical(_, a, b) => self.all_steps(&[*a, *b]),
            ExprKind::Ternary(a, b, c) => self.all_steps(&[*a, *b, *c]),
            ExprKind::Construct(parts) => self.all_steps(parts),
            ExprKind::Intrinsic(Intrinsic::Cooperative(Cooperative::FixedLength), _) => 1,
            _ => 0,
        }
    }

    fn all_steps(&self, parts: &[ExprId]) -> u32 {
        let steps = |id: &ExprId| self.steps.get(id.0 as usize).copied().filter(|&n| n != 0);
        parts.iter().try_fold(1u32, |sum, id| Some(sum.saturating_add(steps(id)?))).unwrap_or(0)
    }

    /// Whether an expression is a specialisation constant.
    pub(super) fn is_spec(&self, id: ExprId) -> bool {
        self.steps.get(id.0 as usize).is_some_and(|&n| n != 0)
    }

    /// Reports an error if a named value is made of too many others to be computed at every use.
    pub(super) fn check_steps(&mut self, id: ExprId) -> bool {
        if self.steps.get(id.0 as usize).is_none_or(|&n| n <= MOST_STEPS) {
            return true;
        }
        let at = self.at(id).at;
        self.error(at, "too many steps lead from the specialisation constants to this value");
        false
    }

    /// Whether a message still says what may have been meant: to look is slow, and after so many
    /// messages nobody reads.
    pub(super) fn advises(&self) -> bool {
        self.out.len() < MOST_ADVICE
    }
}
