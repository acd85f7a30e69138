//! Machine operations before allocation: what one instruction can do for two (spec 19.1, 19.2, 19.4).
//!
//! | file | makes |
//! |---|---|
//! | [`clamp`] | clamps part of what makes the number |
//! | [`equal`] | one of what is computed twice |
//! | [`sums`] | shifts and products part of the sums that read them |
//! | [`bools`] | comparisons part of what asks for their result |
//! | [`narrow`] | conversions to 16 bits part of what makes the number |
//! | [`gather`] | loads and textures under way together |
//! | [`again`] | sums again where they are wanted, if registers are short |
//! | [`loads`], [`stores`] | one access of neighbours in memory |

mod again;
mod bools;
mod clamp;
mod equal;
mod gather;
mod loads;
mod made;
mod narrow;
mod neighbours;
mod stores;
mod sums;

use chiaro_mach::{Code, dead_code};

pub use again::again;
pub use bools::bools;
pub use clamp::clamp;
pub use equal::equal;
pub use gather::gather;
pub use loads::loads;
pub use narrow::narrow;
pub use stores::stores;
pub use sums::sums;

/// The rules in the order in which they run: each leaves what the next one looks for. They say whether something may be
/// read less often now.
pub const RULES: [fn(&mut Code) -> bool; 8] = [clamp, equal, sums, bools, narrow, loads, stores, gather];

/// Runs all rules; what nobody reads any more is gone.
pub(super) fn combine(code: &mut Code) {
    for rule in RULES {
        if rule(code) {
            dead_code(code);
        }
    }
}
