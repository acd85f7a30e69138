//! Rows as test cases, as continuous integration shows them.

use std::fmt::Write;

use super::{counts, place, table};
use crate::survey::{Outcome, Row};

/// One suite; a shader that does not compile is a failure, one of another stage is skipped. The metrics of a
/// case are its output.
pub fn rows(rows: &[Row]) -> String {
    let (_, failed, absent) = counts(rows);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<testsuite name=\"chiaro report\" tests=\"{}\" failures=\"{failed}\" errors=\"0\" skipped=\"{absent}\">",
        rows.len()
    );
    for row in rows {
        let _ =
            write!(out, "  <testcase classname=\"{}\" name=\"{}\">", row.target, escaped(&table::name(row)));
        match &row.outcome {
            Outcome::Made(..) => {
                let metrics: Vec<String> =
                    row.metrics().iter().map(|(name, n)| format!("{name}: {n}")).collect();
                let _ = write!(out, "<system-out>{}</system-out>", escaped(&metrics.join("\n")));
            }
            Outcome::NotHere(why) => {
                let _ = write!(out, "<skipped message=\"not for {}: {}\"/>", row.target, escaped(why));
            }
            Outcome::Failed(messages) => {
                let all: Vec<String> = messages.iter().map(place).collect();
                let first = messages.first().map(|message| message.text.as_str()).unwrap_or_default();
                let _ = write!(
                    out,
                    "<failure message=\"{}\">{}</failure>",
                    escaped(first),
                    escaped(&all.join("\n"))
                );
            }
        }
        out.push_str("</testcase>\n");
    }
    out.push_str("</testsuite>\n");
    out
}

/// Text within XML; characters that it does not have are left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&c) => {}
            c => out.push(c),
        }
    }
    out
}
