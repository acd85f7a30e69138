//! The rule checker: what is wrong with code, whoever made it.
//!
//! Its tables ([`tables`]) are written from the specification a second time and know bits
//! alone, so that a mistake in the rows of the instruction set cannot hide here; only which
//! registers an operand covers comes from the rows.

pub mod contract;
pub(crate) mod flow;
mod legal;
#[cfg(feature = "asm")]
mod object;
mod order;
mod path;
pub mod rules;
pub(crate) mod step;
pub mod tables;
mod waits;

#[cfg(feature = "asm")]
pub(crate) use legal::too_many_scalars;

use crate::isa::isa;
use chiaro_isa::finding::Finding;

/// What the checker knows beside the words.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Lanes in a wave.
    pub wave: u8,
    /// Threads in a workgroup; `None` if unknown, which counts as several waves.
    pub group: Option<u32>,
}

/// Something wrong.
#[derive(Clone, Debug)]
pub struct Found {
    /// The rule, the place in words, the message.
    pub finding: Finding,
    /// Word of the instruction at fault.
    pub word: u32,
    /// The register in question, such as `v5`.
    pub register: Option<String>,
    /// Word of the access that it waits for.
    pub load: Option<u32>,
}

impl Found {
    /// Whether nothing is wrong, but something is taken to be so that no words show.
    #[must_use]
    pub fn is_assumed(&self) -> bool {
        self.finding.rule.id == rules::ASSUMED.id
    }
}

#[cfg(feature = "asm")]
pub use object::object;

/// Everything that is wrong with code that is entered at its start.
pub fn check(code: &[u8], config: Config) -> Vec<Found> {
    check_from(code, [&[0], &[]], config)
}

/// Everything that is wrong with the code of a kernel and of functions that begin at some of its words.
pub fn check_functions(code: &[u8], functions: &[u32], config: Config) -> Vec<Found> {
    check_from(code, [&[0], functions], config)
}

/// Everything that is wrong with code that is entered at some of its words, by launches and by calls.
fn check_from(code: &[u8], entries: [&[u32]; 2], config: Config) -> Vec<Found> {
    let steps = step::steps(code, isa(config.wave));
    let place = |word: &u32| step::at(&steps, i64::from(*word));
    let [kernels, functions] = entries.map(|words| words.iter().filter_map(place).collect::<Vec<_>>());
    let starts: Vec<usize> = kernels.iter().chain(&functions).copied().collect();
    let reached = flow::reached(&steps, &starts);
    let mut found = legal::check(&steps, &reached, isa(config.wave));
    found.extend(flow::check(&steps, &reached));
    found.extend(waits::check(&steps, [&kernels, &functions], config));
    found.sort_by_key(|f| f.word);
    for f in &mut found {
        f.finding.at = step::at(&steps, f.word.into()).map(|instruction| instruction as u32);
    }
    found
}
