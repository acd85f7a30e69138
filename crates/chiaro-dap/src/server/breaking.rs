//! Requests that set breakpoints.

use serde_json::{Value as Json, json};

use super::Answer;
use super::session::Session;
use crate::breakpoints::{Access, Breakpoint, Place, Watch, touched};
use crate::disassembly::instruction;
use crate::scopes::Shown;

fn text(json: &Json) -> Option<String> {
    json.as_str().map(str::to_owned)
}

fn list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn new_id(session: &mut Session<'_>) -> u32 {
    session.next_id += 1;
    session.next_id - 1
}

/// Breakpoints of the source's lines. One on a line without code goes to the next that has some.
pub(super) fn at_lines(session: &mut Session<'_>, arguments: &Json) -> Answer {
    let path = arguments["source"]["path"].as_str().unwrap_or_default();
    let is_ours = session.recording.made.source.as_ref().is_none_or(|source| same(&source.path, path));
    if is_ours {
        session.breakpoints.lines.clear();
    }
    let mut answers = Vec::new();
    for wanted in list(&arguments["breakpoints"]) {
        let id = new_id(session);
        let line = session.line_in(wanted["line"].as_u64().unwrap_or(0));
        let lines = session.recording.made.lines.iter().flatten().copied();
        let Some(line) = lines.filter(|known| *known >= line).min().filter(|_| is_ours) else {
            let why = "no instruction comes from this line or one behind it";
            answers.push(json!({ "id": id, "verified": false, "message": why }));
            continue;
        };
        session.breakpoints.lines.push(breakpoint(id, Place::Line(line), wanted));
        answers.push(json!({ "id": id, "verified": true, "line": session.line_out(line) }));
    }
    Ok(json!({ "breakpoints": answers }))
}

fn same(ours: &str, theirs: &str) -> bool {
    let whole = |path: &str| {
        std::path::Path::new(path).components().map(|part| part.as_os_str().to_owned()).collect::<Vec<_>>()
    };
    whole(ours) == whole(theirs) || whole(theirs).ends_with(&whole(ours))
}

fn breakpoint(id: u32, place: Place, wanted: &Json) -> Breakpoint {
    let hits = wanted["hitCondition"]
        .as_str()
        .and_then(|text| text.trim_start_matches(['>', '=', ' ']).parse().ok());
    Breakpoint { id, place, condition: text(&wanted["condition"]), hits }
}

pub(super) fn at_instructions(session: &mut Session<'_>, arguments: &Json) -> Answer {
    session.breakpoints.instructions.clear();
    let mut answers = Vec::new();
    for wanted in list(&arguments["breakpoints"]) {
        let id = new_id(session);
        let address = wanted["instructionReference"].as_str().unwrap_or_default();
        let offset = wanted["offset"].as_i64().unwrap_or(0);
        let moved = u32::from_str_radix(address.trim_start_matches("0x"), 16).ok();
        let moved = moved.map(|at| format!("{:#x}", i64::from(at).saturating_add(offset).max(0)));
        match moved.and_then(|address| instruction(&session.recording, &address)) {
            Some(at) => {
                session.breakpoints.instructions.push(breakpoint(id, Place::Instruction(at), wanted));
                answers.push(json!({ "id": id, "verified": true, "instructionReference": address }));
            }
            None => {
                answers.push(json!({ "id": id, "verified": false, "message": "no instruction is there" }));
            }
        }
    }
    Ok(json!({ "breakpoints": answers }))
}

/// Whether something can be watched: registers can, by what the client has seen of them or by name.
pub(super) fn data_info(session: &mut Session<'_>, arguments: &Json) -> Answer {
    let name = arguments["name"].as_str().unwrap_or_default();
    let reference = arguments["variablesReference"].as_u64().unwrap_or(0) as usize;
    let of = reference.checked_sub(1).and_then(|at| session.shown.get(at));
    let register = match of {
        // Lanes of a register are written together.
        Some(Shown::Parts(_, register)) if name.starts_with('[') => Some(register.clone()),
        Some(Shown::Parts(_, register)) => Some(format!("{register}.{name}")),
        Some(Shown::Registers(_) | Shown::Names(_)) | None => Some(name.to_owned()),
        Some(Shown::Inputs(_) | Shown::Effects(_) | Shown::Locals(_) | Shown::Memory(..)) => None,
    };
    let register = register.map(|name| bound(session, name));
    let known = register.filter(|register| is_known(session, register));
    Ok(match known {
        Some(register) => json!({
            "dataId": register,
            "description": register,
            "accessTypes": ["read", "write", "readWrite"],
            "canPersist": true
        }),
        None => {
            json!({ "dataId": null, "description": format!("`{name}` is no register that a recorded step touches") })
        }
    })
}

/// The register of what the source has a name for.
fn bound(session: &Session<'_>, name: String) -> String {
    let found = session.recording.made.names.iter().find(|bound| bound.name == name);
    found.and_then(|bound| bound.place.split([' ', ',']).next()).map_or(name, str::to_owned)
}

/// Whether a step touches a register: which of them reads a uniform is not always recorded.
fn is_known(session: &Session<'_>, register: &str) -> bool {
    let recording = &session.recording;
    let steps = (0..recording.places.len()).flat_map(|wave| recording.steps(wave));
    steps.into_iter().any(|step| touched(recording, step, register) != (false, false))
}

pub(super) fn at_data(session: &mut Session<'_>, arguments: &Json) -> Answer {
    session.breakpoints.watches.clear();
    let mut answers = Vec::new();
    for wanted in list(&arguments["breakpoints"]) {
        let id = new_id(session);
        let register = wanted["dataId"].as_str().unwrap_or_default().to_owned();
        let access = match wanted["accessType"].as_str() {
            Some("read") => Access::Read,
            Some("readWrite") => Access::Both,
            _ => Access::Write,
        };
        let verified = is_known(session, &register);
        if verified {
            session.breakpoints.watches.push(Watch {
                id,
                register,
                access,
                condition: text(&wanted["condition"]),
            });
        }
        answers.push(json!({ "id": id, "verified": verified }));
    }
    Ok(json!({ "breakpoints": answers }))
}
