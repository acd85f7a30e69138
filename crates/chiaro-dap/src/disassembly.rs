//! The code as a debugger's window shows it.

use serde_json::{Value as Json, json};

use crate::lab::Source;
use crate::recording::Recording;

/// The address of an instruction, as text.
#[must_use]
pub fn address(recording: &Recording, instruction: usize) -> String {
    let offset = recording.made.code.lines.get(instruction).map_or(0, |line| line.offset);
    format!("{offset:#x}")
}

/// The instruction that begins at an address or holds it.
#[must_use]
pub fn instruction(recording: &Recording, address: &str) -> Option<usize> {
    let digits = address.strip_prefix("0x");
    let offset =
        digits.map_or_else(|| address.parse().ok(), |digits| u32::from_str_radix(digits, 16).ok())?;
    let lines = &recording.made.code.lines;
    let behind = lines.partition_point(|line| line.offset <= offset);
    let line = lines.get(behind.checked_sub(1)?)?;
    (offset < line.offset + line.length.max(1)).then_some(behind - 1)
}

/// So many instructions from a number on; those that are not there are said to be none. Lines are as the client
/// counts them.
#[must_use]
pub fn disassembly(recording: &Recording, first: i64, count: usize, line_out: impl Fn(u32) -> u32) -> Json {
    let all = first..first.saturating_add(count as i64);
    all.map(|number| one(recording, number, &line_out)).collect()
}

fn one(recording: &Recording, number: i64, line_out: impl Fn(u32) -> u32) -> Json {
    let at = usize::try_from(number).ok();
    let Some((at, line)) = at.and_then(|at| Some((at, recording.made.code.lines.get(at)?))) else {
        return json!({ "address": format!("{:#x}", number.max(0)), "instruction": "(no code)", "presentationHint": "invalid" });
    };
    let bytes: Vec<String> =
        recording.made.code.bytes_of(line).iter().map(|byte| format!("{byte:02x}")).collect();
    let mut shown = json!({
        "address": address(recording, at),
        "instructionBytes": bytes.join(" "),
        "instruction": line.text,
    });
    if let Some((_, name)) = recording.made.labels.iter().find(|(label, _)| *label as usize == at) {
        shown["symbol"] = json!(name);
    }
    if let (Some(line), Some(source)) = (recording.line(at), &recording.made.source) {
        shown["line"] = json!(line_out(line));
        shown["location"] = self::source(source);
    }
    shown
}

/// A source as the protocol has it.
#[must_use]
pub fn source(source: &Source) -> Json {
    let name = source.path.rsplit(['/', '\\']).next().unwrap_or_default();
    json!({ "name": name, "path": source.path })
}
