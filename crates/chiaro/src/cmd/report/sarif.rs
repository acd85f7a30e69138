//! What does not compile as SARIF 2.1.0, which code review shows beside the line.

use serde_json::{Value, json};

use crate::survey::{Message, Outcome, Row};

/// One run; a result for each message, with the target in the text.
pub fn rows(rows: &[Row]) -> String {
    let results: Vec<Value> = rows.iter().flat_map(results).collect();
    let driver = json!({
        "name": "chiaro",
        "version": env!("CARGO_PKG_VERSION"),
        "rules": [{ "id": "compile", "shortDescription": { "text": "the shader does not compile for a target" } }],
    });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "columnKind": "unicodeCodePoints", "results": results }],
    });
    format!("{log:#}\n")
}

fn results(row: &Row) -> Vec<Value> {
    match &row.outcome {
        Outcome::Failed(messages) => messages.iter().map(|message| result(row, message)).collect(),
        _ => Vec::new(),
    }
}

fn result(row: &Row, message: &Message) -> Value {
    let variant = if row.variant.is_empty() { String::new() } else { format!(", variant {}", row.variant) };
    let file = message.place.as_ref().map_or(row.file.as_str(), |(file, ..)| file);
    let mut location = json!({ "artifactLocation": { "uri": uri(file) } });
    if let Some((_, line, column)) = &message.place {
        location["region"] = json!({ "startLine": line, "startColumn": column });
    }
    let help: String = message.help.iter().map(|help| format!("\n{help}")).collect();
    json!({
        "ruleId": "compile",
        "level": "error",
        "message": { "text": format!("{} (for {}{variant}){help}", message.text, row.target) },
        "locations": [{ "physicalLocation": location }],
    })
}

/// A path as a relative reference: what means something in it is written by number.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
