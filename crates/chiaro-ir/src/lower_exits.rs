//! Lowers exits that a target lacks to a state variable and `if`s on it.
//!
//! ```text
//! %1: i32 = block @1 {                 %1: i32, %2: i32, ... = block {
//!   if %0 {                              %3: i32, %4: i32 = if %0 {
//!     exit @1 7                            exit 3, 7           state 3: on the way to @1
//!   } else {                             } else {
//!     exit                                 exit 0, undef       state 0: on the usual way
//!   }                                    }
//!   call @f()                            %5: bool = ieq %3, 0
//!   exit 8                               %6: i32 = if %5 {
//! }                                        call @f()
//!                                          exit 8
//!                                        } else {
//!                                          exit %4
//!                                        }
//!                                        exit %6
//!                                      }
//! ```
//!
//! True before: the function is sound. True after: it is sound and means the same, and
//!
//! - a block of a `block`, `if` or `switch` ends with the exit of that construct, a loop's blocks
//!   with `continue`, `repeat` or the loop's exit, a function's body with `return`;
//! - a loop is also left from an `if` that stands in its body or continuing block itself;
//! - `terminate`, `end_hit` and `unreachable` stay where they are;
//! - exits of the kinds in [`Exits`] stay, too.
//!
//! Lanes run the same instructions as before, together with the same other lanes. Time and size
//! are linear in the function, times the values that one exit carries.

mod plan;
mod rewrite;
mod slots;

use crate::function::Function;
use crate::id::{FunctionRef, Inst};
use crate::module::Module;
use crate::op::Op;

/// The kinds of exits that a target has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exits {
    /// Out of `block`, `if` and `switch` from within constructs in them.
    pub blocks: bool,
    /// Out of a loop from within constructs in it.
    pub breaks: bool,
    /// To the next part of a loop (`continue`, `repeat`) from within constructs in it.
    pub continues: bool,
    /// Out of the function from anywhere.
    pub returns: bool,
    /// Those of the first three kinds also where they leave loops on their way.
    pub across_loops: bool,
}

/// Whether a function has exits that are not of the kinds to keep, which [`lower_exits`] would rewrite.
pub fn has_other_exits(f: &Function, keep: Exits) -> bool {
    plan::changes(f, keep)
}

/// Rewrites the exits of a function that are not of the kinds to keep. Whether there were any.
pub fn lower_exits(module: &mut Module, f: FunctionRef, keep: Exits) -> bool {
    let old = module.function(f);
    let plan = plan::plan(old, keep);
    if plan.changes {
        let old = old.clone();
        *module.function_mut(f) = rewrite::rewrite(module, &old, &plan);
    }
    plan.changes
}

/// Which frame an exit leads to the end, or the next part, of; `None` for an end of all.
fn target_frame(op: Op, position: impl Fn(Inst) -> usize) -> Option<usize> {
    match op {
        Op::Return => Some(0),
        _ => op.target().map(position),
    }
}

/// The state of lanes that are on the way to the end of a frame, or to its next part. The
/// usual way is 0.
fn code(op: Op, frame: usize) -> u32 {
    2 * frame as u32 + if matches!(op, Op::Continue(_) | Op::Repeat(_)) { 2 } else { 1 }
}
