//! Pure operations of a target that appear in its legalised IR.
//!
//! The IR names them by number; their meaning comes from the target as
//! micro-ops, the same that its `exec.rs` writes for machine words.

use crate::code::Code;
use crate::uop::Slot;

/// A target's native operations.
pub trait Natives: Sync {
    /// The name in IR text; `None` for a number that the target does not have.
    fn name(&self, native: u32) -> Option<&'static str>;

    /// Writes the micro-ops that compute `native` from `operands` to `results`,
    /// in the environment that `code` has set. False, and nothing written, if
    /// the target has no such operation or the numbers of slots do not fit.
    fn lower(&self, native: u32, results: &[Slot], operands: &[Slot], code: &mut Code) -> bool;
}

/// A target without any.
impl Natives for () {
    fn name(&self, _: u32) -> Option<&'static str> {
        None
    }

    fn lower(&self, _: u32, _: &[Slot], _: &[Slot], _: &mut Code) -> bool {
        false
    }
}
