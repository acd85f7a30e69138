//! Rows that we believe to be wrong, each with the reason.
//!
//! They stand in `known-wrong.tsv`: target, file, a piece of the row that no other row
//! has, and the reason. Such rows are counted as skipped; one that passes is a failure of the list.

/// The list of this crate.
const LIST: &str = include_str!("../../known-wrong.tsv");

/// The rows of one target that are believed to be wrong.
pub struct KnownWrong {
    entries: Vec<[&'static str; 3]>,
}

impl KnownWrong {
    /// The entries for a target.
    #[must_use]
    pub fn of_target(target: &str) -> Self {
        let rows = LIST.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let entries = rows.filter_map(|row| {
            let [of, file, piece, reason] = row.split('\t').collect::<Vec<_>>().try_into().ok()?;
            (of == target).then_some([file, piece, reason])
        });
        KnownWrong { entries: entries.collect() }
    }

    /// Why a row is believed to be wrong, if it is, in this way of checking its file (from 1).
    #[must_use]
    pub fn reason(&self, file: &str, way: usize, row: &str) -> Option<&'static str> {
        let found = self.entries.iter().find(|[of, piece, _]| is_way(of, file, way) && row.contains(piece));
        found.map(|[.., reason]| *reason)
    }
}

/// Whether `file`, or `file (1 2)` with the ways that it counts for, names a way of checking.
fn is_way(entry: &str, file: &str, way: usize) -> bool {
    let Some(ways) = entry.strip_prefix(file) else { return false };
    let number = |text: &str| text.parse() == Ok(way);
    ways.is_empty() || ways.trim_matches([' ', '(', ')']).split(' ').any(number)
}

#[cfg(test)]
mod tests {
    use super::is_way;

    #[test]
    fn an_entry_counts_for_the_ways_that_it_names_or_for_all() {
        let ways = |entry: &str| (1..=3).filter(|way| is_way(entry, "io.jsonl", *way)).collect::<Vec<_>>();
        assert_eq!(ways("io.jsonl"), [1, 2, 3]);
        assert_eq!(ways("io.jsonl (1 3)"), [1, 3]);
        assert_eq!(ways("io.jsonl (2)"), [2]);
        assert_eq!(ways("other.jsonl"), [0; 0]);
    }
}
