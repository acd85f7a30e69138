//! Files on which we and others differ, each with its reason: `known-differences.tsv`.

use std::collections::HashMap;

/// Corpus, file and reason, a line each.
static LIST: &str = include_str!("../../known-differences.tsv");

/// The list, ready for questions.
#[derive(Debug)]
pub struct Differences {
    reasons: HashMap<(&'static str, &'static str), &'static str>,
}

impl Differences {
    /// The list of this repository.
    #[must_use]
    pub fn known() -> Differences {
        let rows = LIST.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
            let mut cells = line.split('\t');
            Some(((cells.next()?, cells.next()?), cells.next()?))
        });
        Differences { reasons: rows.collect() }
    }

    /// Why a file differs, if that is known.
    #[must_use]
    pub fn reason(&self, corpus: &str, file: &str) -> Option<&'static str> {
        self.reasons.get(&(corpus, file)).copied()
    }
}
