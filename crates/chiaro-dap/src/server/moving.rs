//! Requests that move threads.

use serde_json::{Value as Json, json};

use super::Answer;
use super::session::Session;
use crate::motion::{Step, Stop, run, run_back, step};

pub(super) fn configured(session: &mut Session<'_>, _: &Json) -> Answer {
    begin(session);
    Ok(Json::Null)
}

pub(super) fn restart(session: &mut Session<'_>, _: &Json) -> Answer {
    session.record()?;
    begin(session);
    Ok(Json::Null)
}

/// Stops at the beginning, or runs to where somebody wants it to stop.
fn begin(session: &mut Session<'_>) {
    if session.recording.places.is_empty() {
        return;
    }
    if let Some(id) = session.breakpoints.met(&session.recording, 0, 0, 0) {
        session.stopped(0, "breakpoint", Some(id));
    } else if session.stops_on_entry {
        session.stopped(0, "entry", None);
    } else {
        run_on(session, 0);
    }
}

pub(super) fn go(session: &mut Session<'_>, arguments: &Json) -> Answer {
    let thread = session.thread(arguments)?;
    run_on(session, thread);
    Ok(json!({ "allThreadsContinued": false }))
}

/// Runs a thread on; at its end the next one that has steps left.
fn run_on(session: &mut Session<'_>, first: usize) {
    let count = session.recording.places.len();
    for thread in (first..count).chain(0..first) {
        if session.recording.is_over(thread) && thread != first {
            continue;
        }
        match run(&mut session.recording, thread, &mut session.breakpoints) {
            Stop::Breakpoint(id) => return session.stopped(thread, "breakpoint", Some(id)),
            Stop::Watch(id) => return session.stopped(thread, "data breakpoint", Some(id)),
            Stop::Step | Stop::End => {
                if let Some(why) = fault(session, thread) {
                    session.say("stderr", &why);
                    return session.stopped(thread, "exception", None);
                }
            }
        }
    }
    let outputs = session.recording.made.outputs.clone();
    session.say("stdout", &outputs);
    session.event("exited", json!({ "exitCode": 0 }));
    session.event("terminated", json!({}));
}

fn fault(session: &Session<'_>, thread: usize) -> Option<String> {
    let (_, at, why) = session.recording.made.faults.iter().find(|(faulty, ..)| *faulty == thread)?;
    Some(format!("{} {thread} stopped at instruction {at}: {why}", session.recording.made.kind))
}

pub(super) fn go_back(session: &mut Session<'_>, arguments: &Json) -> Answer {
    let thread = session.thread(arguments)?;
    let stop = run_back(&mut session.recording, thread, &mut session.breakpoints);
    tell(session, thread, stop, "entry");
    Ok(Json::Null)
}

fn tell(session: &mut Session<'_>, thread: usize, stop: Stop, end: &str) {
    match stop {
        Stop::Step => session.stopped(thread, "step", None),
        Stop::Breakpoint(id) => session.stopped(thread, "breakpoint", Some(id)),
        Stop::Watch(id) => session.stopped(thread, "data breakpoint", Some(id)),
        Stop::End => session.stopped(thread, end, None),
    }
}

fn one(session: &mut Session<'_>, arguments: &Json, wanted: Step) -> Answer {
    let thread = session.thread(arguments)?;
    let by_instruction = arguments["granularity"] == "instruction";
    let stop = step(&mut session.recording, thread, wanted, by_instruction);
    tell(session, thread, stop, if wanted == Step::Back { "entry" } else { "step" });
    Ok(Json::Null)
}

pub(super) fn next(session: &mut Session<'_>, arguments: &Json) -> Answer {
    one(session, arguments, Step::Over)
}

pub(super) fn step_in(session: &mut Session<'_>, arguments: &Json) -> Answer {
    one(session, arguments, Step::In)
}

pub(super) fn step_out(session: &mut Session<'_>, arguments: &Json) -> Answer {
    one(session, arguments, Step::Out)
}

pub(super) fn step_back(session: &mut Session<'_>, arguments: &Json) -> Answer {
    one(session, arguments, Step::Back)
}

/// Nothing runs while requests are read.
pub(super) fn pause(session: &mut Session<'_>, arguments: &Json) -> Answer {
    let thread = session.thread(arguments)?;
    session.stopped(thread, "pause", None);
    Ok(Json::Null)
}
