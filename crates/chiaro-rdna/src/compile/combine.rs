//! Rewriting of machine operations before they are ordered.

mod merge_accesses;

use chiaro_mach::Code;

/// Rewrites a function.
pub fn combine(code: &mut Code) {
    merge_accesses::merge_accesses(code);
}
