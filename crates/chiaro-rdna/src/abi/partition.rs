//! Register files divided among callers and callees (spec 18.3).

use super::convention::{Convention, Keeping};
pub use super::pools::{Block, File, Files, Pool, Span};

/// Who keeps each register of each file, by its number.
pub type Partition = Files<Vec<Pool>>;

/// The partition of a convention. A convention that keeps nothing has clobbered registers alone.
#[must_use]
pub fn partition(convention: &Convention) -> Partition {
    Files::each(|file| {
        let limit = *convention.limit.of(file);
        match &convention.keeping {
            Keeping::Blocks(block) => blocks(block, file, limit),
            Keeping::Nothing => vec![Pool::Clobbered; limit.into()],
            Keeping::Ranges(kept) => {
                let is_kept = |n: u16| kept.of(file).iter().any(|span| span.has(n));
                (0..limit).map(|n| if is_kept(n) { Pool::Preserved } else { Pool::Clobbered }).collect()
            }
        }
    })
}

/// One file, run by run. Where neither kind has a size nobody keeps anything.
fn blocks(block: &Block, file: File, limit: u16) -> Vec<Pool> {
    let clobbered = (Pool::Clobbered, *block.clobbered.of(file));
    let preserved = (Pool::Preserved, *block.preserved.of(file));
    let turns = if block.clobbered_first { [clobbered, preserved] } else { [preserved, clobbered] };
    if turns.iter().all(|(_, size)| *size == 0) {
        return vec![Pool::Clobbered; limit.into()];
    }
    let runs = turns.into_iter().cycle().flat_map(|(pool, size)| std::iter::repeat_n(pool, size.into()));
    runs.take(limit.into()).collect()
}

/// What is said of each register of one file as runs, each as long as can be.
#[must_use]
pub fn runs<T: Copy + PartialEq>(all: &[T]) -> Vec<(T, Span)> {
    let mut runs: Vec<(T, Span)> = Vec::new();
    for (n, said) in (0..).zip(all) {
        match runs.last_mut() {
            Some((of, span)) if of == said => span.last = n,
            _ => runs.push((*said, Span { first: n, last: n })),
        }
    }
    runs
}
