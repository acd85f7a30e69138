//! Requests that set values: the program is run again with them, and threads stay where they are.

use serde_json::{Value as Json, json};

use super::Answer;
use super::session::Session;
use super::showing::{lane_of, referred};
use crate::expression::names;
use crate::recording::Lane;
use crate::scopes::{self as shown, Shown};
use crate::setting::{changes, part_of};

/// Sets what a scope shows: inputs for the whole run, registers and variables from here on.
pub(super) fn set_variable(session: &mut Session<'_>, arguments: &Json) -> Answer {
    let what = referred(session, arguments)?;
    let text = |name: &str| arguments[name].as_str().unwrap_or_default();
    let (name, value) = (text("name"), text("value"));
    match &what {
        Shown::Inputs(pointer) => {
            let inputs = shown::changed(&session.recording.made.inputs, pointer, name, value)?;
            session.record_with(inputs)?;
        }
        Shown::Parts(lane, whole) => {
            // A part is named by a letter, by its number, or as the source reaches it.
            let numbers = shown::variables(&session.recording, &what, false);
            let number = numbers.iter().position(|one| one.name == name);
            let number = number.ok_or_else(|| format!("`{whole}` has no part `{name}`"))?;
            set(session, *lane, (whole, Some(number)), value)?;
        }
        Shown::Registers(lane) | Shown::Names(lane) | Shown::Locals(lane) | Shown::Effects(lane) => {
            set(session, *lane, (name, None), value)?;
        }
        Shown::Memory(..) => return Err("memory cannot be set: set what is stored there".to_owned()),
    }
    session.event("invalidated", json!({ "areas": ["all"] }));
    let hex = arguments["format"]["hex"] == true;
    let now = shown::variables(&session.recording, &what, hex).into_iter().find(|one| one.name == name);
    Ok(json!({ "value": now.map_or_else(|| value.to_owned(), |one| one.value) }))
}

/// Sets what an expression names: a register, a variable, or a part of one.
pub(super) fn set_expression(session: &mut Session<'_>, arguments: &Json) -> Answer {
    let lane = match &arguments["frameId"] {
        Json::Null => Lane { wave: 0, number: 0 },
        frame => lane_of(session, frame)?,
    };
    let text = |name: &str| arguments[name].as_str().unwrap_or_default();
    let known = names(&session.recording, lane, session.recording.place(lane));
    let (name, part) = part_of(&known, text("expression"));
    set(session, lane, (name, part), text("value"))?;
    session.event("invalidated", json!({ "areas": ["all"] }));
    let known = names(&session.recording, lane, session.recording.place(lane));
    let hex = arguments["format"]["hex"] == true;
    let now = crate::expression::told(text("expression"), &known, hex);
    Ok(json!({ "value": now.unwrap_or_else(|_| text("value").to_owned()) }))
}

fn set(session: &mut Session<'_>, lane: Lane, of: (&str, Option<usize>), value: &str) -> Result<(), String> {
    let changes = changes(&session.recording, lane, of, value)?;
    session.record_changed(changes)
}
