//! Rewriting of machine operations before they are ordered.

mod facts;
mod merge_accesses;
pub(crate) mod pack_halves;
mod read_parts;

use chiaro_mach::{Code, dead_code};

/// Rewrites a function.
pub fn combine(code: &mut Code) {
    let packed = pack_halves::pack_halves(code);
    if packed {
        dead_code(code);
    }
    if read_parts::read_parts(code) {
        dead_code(code);
    }
    merge_accesses::merge_accesses(code);
}
