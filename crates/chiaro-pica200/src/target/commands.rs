//! Command lists for people and machines: what is written where.

use std::fmt::Write;

use crate::container::commands::{self, Command};
use crate::regs::gpu;
use chiaro_diag::Diagnostic;
use serde_json::{Value, json};

use super::read;

/// Values that a line shows; of longer transfers the first ones stand for all.
const SHOWN: usize = 8;

/// The command list that loads a container's programs.
pub(super) fn of(container: &[u8]) -> Result<Vec<u8>, Box<Diagnostic>> {
    let commands = commands::upload(&read(container)?);
    let commands = commands.map_err(|why| Box::new(Diagnostic::error(None, why)))?;
    Ok(commands::to_bytes(&commands))
}

/// Whether bytes are a command list of ours.
pub(super) fn is(bytes: &[u8]) -> bool {
    bytes.starts_with(&commands::MAGIC)
}

fn taken_apart(bytes: &[u8]) -> Result<Vec<Command>, Box<Diagnostic>> {
    commands::read(bytes)
        .map_err(|why| Box::new(Diagnostic::error(None, format!("cannot read the command list: {why}"))))
}

/// A line for each command: register, name, values.
pub(super) fn describe(bytes: &[u8]) -> Result<String, Box<Diagnostic>> {
    let commands = taken_apart(bytes)?;
    let mut out = format!("command list of {} bytes, {} commands\n\n", bytes.len(), commands.len());
    out.push_str("register  name                          values\n");
    for command in &commands {
        let name = name(command.register);
        let values: Vec<String> =
            command.values.iter().take(SHOWN).map(|value| format!("{value:08x}")).collect();
        let rest = command.values.len().saturating_sub(SHOWN);
        let rest = if rest == 0 { String::new() } else { format!(" ... {} in all", command.values.len()) };
        let bytes =
            if command.bytes == 15 { String::new() } else { format!(" (bytes {:#06b})", command.bytes) };
        let _ = writeln!(out, "{:#05x}     {name:<29} {}{rest}{bytes}", command.register, values.join(" "));
    }
    Ok(out)
}

/// The same for machines: every single write.
pub(super) fn describe_json(bytes: &[u8]) -> Result<Value, Box<Diagnostic>> {
    let one = |command: &Command| {
        let writes = command.writes().map(|(register, value)| {
            json!({"register": register, "name": name(register), "value": format!("{value:08x}")})
        });
        json!({"bytes": command.bytes, "writes": writes.collect::<Vec<_>>()})
    };
    Ok(json!({ "commands": taken_apart(bytes)?.iter().map(one).collect::<Vec<_>>() }))
}

fn name(register: u16) -> String {
    gpu::name(register).unwrap_or_else(|| "?".to_owned())
}
