//! Rows as a page.

use std::fmt::Write;

use chiaro::timeline::Timeline;

use super::table::{Table, name, tables, terms};
use super::{counts, place};
use crate::made::{Made, Wanted};
use crate::page::{ROUNDS, page, section, table};
use crate::shell::{Shell, Voice};
use crate::survey::plan::Plan;
use crate::survey::{Outcome, Row};

/// Shaders that are shown in full: a browser has to hold the page.
const MOST_IN_FULL: usize = 24;

/// A table for each target, what does not compile, and the first shaders in full.
pub fn rows(rows: &[Row], plan: &Plan) -> String {
    let mut out = String::new();
    for (own, vendors) in tables(rows).iter().zip(terms(rows)) {
        let _ = writeln!(out, "<h2>{}</h2>\n<div class=wide>{}</div>", own.target, table_of(own));
        let _ =
            writeln!(out, "<h3>As vendors' tools count</h3>\n<div class=wide>{}</div>", table_of(&vendors));
    }
    let failed = rows.iter().filter_map(|row| match &row.outcome {
        Outcome::Failed(messages) => {
            Some(vec![name(row), row.target.to_owned(), messages.first().map(place).unwrap_or_default()])
        }
        _ => None,
    });
    let failed: Vec<Vec<String>> = failed.collect();
    if !failed.is_empty() {
        let _ = writeln!(
            out,
            "<h2>Not compiled</h2>\n{}",
            table(&["shader", "target", "message"], failed.into_iter())
        );
    }
    let (made, failed, absent) = counts(rows);
    let _ = writeln!(out, "<p>{made} compiled, {failed} failed, {absent} not for their target</p>");
    page("chiaro report", &(out + &in_full(plan)))
}

fn table_of(found: &Table) -> String {
    let mut head = vec!["shader"];
    head.extend(found.head.iter().map(String::as_str));
    let line = |(name, cells): &(String, Vec<String>)| {
        std::iter::once(name).chain(cells).cloned().collect::<Vec<String>>()
    };
    table(&head, found.lines.iter().map(line))
}

/// Programs one by one; what does not compile stands in the table.
fn in_full(plan: &Plan) -> String {
    let (mut out, mut shown) = (String::new(), 0);
    for (program, variant) in plan.programs.iter().flat_map(|p| plan.variants.iter().map(move |v| (p, v))) {
        for (file, target) in program.files.iter().flat_map(|f| plan.targets.iter().map(move |t| (f, *t))) {
            if shown == MOST_IN_FULL {
                let _ = writeln!(out, "<p class=note>the first {MOST_IN_FULL} are shown in full</p>");
                return out;
            }
            let wanted = Wanted {
                files: std::slice::from_ref(file),
                target,
                choices: &plan.choices.with(variant),
                options: &plan.survey().options_for(target),
                raw: false,
                passes: false,
                accounts: false,
            };
            if let Ok(made) = Made::of(&wanted, &mut Shell::new(Voice::plain())) {
                out += &section(&made, &Timeline::of(&made.anatomy, ROUNDS), ROUNDS);
                shown += 1;
            }
        }
    }
    out
}
