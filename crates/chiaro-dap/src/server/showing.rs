//! Requests that look at the program where it stands.

use serde_json::{Value as Json, json};

use super::Answer;
use super::session::Session;
use crate::disassembly::{self, address, instruction};
use crate::expression::{self, names};
use crate::recording::Lane;
use crate::scopes::{self as shown, Shown};

/// Instructions that are shown at once at most.
const MOST_INSTRUCTIONS: u64 = 10_000;

pub(super) fn threads(session: &mut Session<'_>, _: &Json) -> Answer {
    let recording = &session.recording;
    let thread = |n: usize| {
        let lane = recording.lane(n);
        let off = if recording.is_on(lane, recording.place(lane)) { "" } else { " (off)" };
        let name = match recording.lanes() {
            1 => recording.wave_name(lane.wave),
            _ => format!("{}, lane {}{off}", recording.wave_name(lane.wave), lane.number),
        };
        json!({ "id": n + 1, "name": name })
    };
    Ok(json!({ "threads": (0..recording.threads()).map(thread).collect::<Vec<_>>() }))
}

/// Frames have numbers by thread: all of a thread show the same registers.
pub(super) fn stack_trace(session: &mut Session<'_>, arguments: &Json) -> Answer {
    let lane = session.lane(arguments)?;
    let recording = &session.recording;
    let frames = recording.frames(lane.wave, recording.place(lane));
    let (count, thread) = (recording.threads(), recording.thread(lane));
    let ended = if recording.is_over(lane.wave) { " (at its end)" } else { "" };
    let frame = |(depth, frame): (usize, &crate::recording::Frame)| {
        let mut made = json!({
            "id": depth * count + thread + 1,
            "name": format!("{}{}", recording.name(frame.instruction), if depth == 0 { ended } else { "" }),
            "line": 0,
            "column": 0,
            "instructionPointerReference": address(recording, frame.instruction),
        });
        if let (Some(line), Some(source)) = (recording.line(frame.instruction), &recording.made.source) {
            made["line"] = json!(session.line_out(line));
            made["column"] = json!(1);
            made["source"] = disassembly::source(source);
        }
        made
    };
    let from = arguments["startFrame"].as_u64().unwrap_or(0) as usize;
    let most = arguments["levels"].as_u64().filter(|levels| *levels > 0).unwrap_or(1000) as usize;
    let all: Vec<Json> = frames.iter().enumerate().skip(from).take(most).map(frame).collect();
    Ok(json!({ "stackFrames": all, "totalFrames": frames.len() }))
}

/// The lane of a frame.
pub(super) fn lane_of(session: &Session<'_>, frame: &Json) -> Result<Lane, String> {
    let number =
        frame.as_u64().and_then(|number| (number as usize).checked_sub(1)).ok_or("there is no such frame")?;
    let thread = number.checked_rem(session.recording.threads()).ok_or("nothing is being debugged")?;
    Ok(session.recording.lane(thread))
}

pub(super) fn scopes(session: &mut Session<'_>, arguments: &Json) -> Answer {
    let lane = lane_of(session, &arguments["frameId"])?;
    let mut all = Vec::new();
    for (name, hint, what) in shown::scopes(&session.recording, lane) {
        let reference = session.refer(what);
        all.push(json!({ "name": name, "presentationHint": hint, "variablesReference": reference, "expensive": false }));
    }
    Ok(json!({ "scopes": all }))
}

pub(super) fn referred(session: &Session<'_>, arguments: &Json) -> Result<Shown, String> {
    let number = arguments["variablesReference"].as_u64().unwrap_or(0) as usize;
    let found = number.checked_sub(1).and_then(|at| session.shown.get(at));
    found.cloned().ok_or_else(|| "there are no such variables any more".to_owned())
}

pub(super) fn variables(session: &mut Session<'_>, arguments: &Json) -> Answer {
    let what = referred(session, arguments)?;
    let hex = arguments["format"]["hex"] == true;
    let mut all = Vec::new();
    for variable in shown::variables(&session.recording, &what, hex) {
        let reference = variable.inside.map_or(0, |inside| session.refer(inside));
        let mut made =
            json!({ "name": variable.name, "value": variable.value, "variablesReference": reference });
        if let Some(text) = variable.evaluated {
            made["evaluateName"] = json!(text);
        }
        all.push(made);
    }
    Ok(json!({ "variables": all }))
}

pub(super) fn evaluate(session: &mut Session<'_>, arguments: &Json) -> Answer {
    let lane = match &arguments["frameId"] {
        Json::Null => Lane { wave: 0, number: 0 },
        frame => lane_of(session, frame)?,
    };
    let place = session.recording.places.get(lane.wave).copied().ok_or("nothing is being debugged")?;
    let text = arguments["expression"].as_str().unwrap_or_default();
    let known = names(&session.recording, lane, place);
    let hex = arguments["format"]["hex"] == true;
    if known.values(text.trim()).is_some_and(|values| values.len() > 1) {
        let inside = Shown::Parts(lane, text.trim().to_owned());
        let result = shown::of_name(&session.recording, &known, text.trim(), hex);
        let reference = session.refer(inside);
        return Ok(json!({ "result": result, "variablesReference": reference }));
    }
    Ok(json!({ "result": expression::told(text, &known, hex)?, "variablesReference": 0 }))
}

pub(super) fn disassemble(session: &mut Session<'_>, arguments: &Json) -> Answer {
    let reference = arguments["memoryReference"].as_str().unwrap_or_default();
    let count = arguments["instructionCount"].as_u64().unwrap_or(0).min(MOST_INSTRUCTIONS);
    let base = instruction(&session.recording, reference)
        .ok_or_else(|| format!("no instruction is at `{reference}`"))?;
    let first = (base as i64).saturating_add(arguments["instructionOffset"].as_i64().unwrap_or(0));
    let line_out = |line| session.line_out(line);
    let code = disassembly::disassembly(&session.recording, first, count as usize, line_out);
    Ok(json!({ "instructions": code }))
}
