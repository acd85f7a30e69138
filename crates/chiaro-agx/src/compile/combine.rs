//! Machine operations before allocation: what one instruction can do for two (spec 19.1, 19.2, 19.4).
//!
//! | file | makes |
//! |---|---|
//! | [`equal`] | one of what is computed twice |

mod equal;
mod made;

use chiaro_mach::{Code, dead_code};

pub use equal::equal;

/// The rules in the order in which they run: each leaves what the next one looks for.
pub const RULES: [fn(&mut Code); 1] = [equal];

/// Runs all rules; what nobody reads any more is gone.
pub(super) fn combine(code: &mut Code) {
    for rule in RULES {
        rule(code);
        dead_code(code);
    }
}
