//! Rows for spreadsheets and data frames: a line for each metric.

use std::fmt::Write;

use super::place;
use crate::survey::{Outcome, Row};

/// `shader,variant,target,metric,value`; of what does not compile the message is the value.
pub fn rows(rows: &[Row]) -> String {
    let mut out = String::from("shader,variant,target,metric,value\n");
    for row in rows {
        let head = [&row.shader, &row.variant, row.target].map(quoted).join(",");
        let metrics = row.metrics();
        for (name, value) in &metrics {
            let _ = writeln!(out, "{head},{},{value}", quoted(name));
        }
        match &row.outcome {
            Outcome::Made(_, terms) => {
                // Under one name stands one value: the target's own.
                for term in terms.iter().filter(|term| metrics.iter().all(|(name, _)| *name != term.name)) {
                    let _ = writeln!(out, "{head},{},{}", quoted(&term.name), term.value);
                }
            }
            Outcome::NotHere(why) => {
                let _ = writeln!(out, "{head},not for this target,{}", quoted(why));
            }
            Outcome::Failed(messages) => {
                let text = messages.first().map(place).unwrap_or_default();
                let _ = writeln!(out, "{head},error,{}", quoted(&text));
            }
        }
    }
    out
}

/// A field by RFC 4180.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
