//! ACO's statistics of its own code against ours of the words: the `stats` of `aco_words*.jsonl`.
//!
//! Spilled registers and scratch are zero in code that has none; copies, and what the scheduler had
//! before it, are not in the words.

use chiaro_rdna::report::{Latencies, Launch, Statistics};

use super::driver::Driven;
use crate::suite::{Miss, Row};

/// What the words do not tell.
const NOT_IN_WORDS: [&str; 6] =
    ["Copies", "Pre-Sched_SGPRs", "Pre-Sched_VGPRs", "Spilled_SGPRs", "Spilled_VGPRs", "Scratch_size"];

/// Rows of the compiler of today.
pub(super) fn statistics(row: &Row<'_>) -> Result<(), Miss> {
    compare(row, false)
}

/// Rows of Mesa 22's.
pub(super) fn older(row: &Row<'_>) -> Result<(), Miss> {
    compare(row, true)
}

fn compare(row: &Row<'_>, older: bool) -> Result<(), Miss> {
    let Some(driven) = Driven::read(row.text)? else { return Ok(()) };
    let launch = Launch {
        wave: driven.wave,
        threads: driven.workgroup.iter().product(),
        lds: driven.row["lds"].as_u64().unwrap_or(0) as u32,
        vgprs: None,
        older,
    };
    let made = Statistics::of(driven.code(), &launch, &Latencies::default()).named();
    let stats = driven.row["stats"].as_object().ok_or("the row has no `stats`")?;
    let mut wrong = Vec::new();
    for (name, wanted) in stats.iter().filter(|(name, _)| !NOT_IN_WORDS.contains(&name.as_str())) {
        match made.iter().find(|(known, _)| known == name) {
            Some((_, value)) if wanted.as_u64() == Some((*value).into()) => {}
            Some((_, value)) => wrong.push(format!("{name} is {value}, not {wanted}")),
            None => wrong.push(format!("there is no statistic `{name}`")),
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join(", ").into()) }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// `s_endpgm` alone, with statistics that are right and one that is not.
    #[test]
    fn a_wrong_statistic_is_named() {
        let row = |branches: u32| {
            format!(
                r#"{{"name": "end", "wave": 32, "workgroup": [32, 1, 1], "lds": 0, "code_words": 1,
                "words": "bf810000", "stats": {{"Instructions": 1, "Code_size": 4, "Branches": {branches}}}}}"#
            )
        };
        let check = |text: &str| statistics(&Row { folder: Path::new("."), line: 1, text });
        assert_eq!(check(&row(0)), Ok(()));
        assert_eq!(check(&row(1)), Err(Miss::Failed("Branches is 0, not 1".to_owned())));
    }
}
