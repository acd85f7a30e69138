//! Requests that move threads.

use serde_json::{Value as Json, json};

use super::Answer;
use super::session::Session;
use crate::motion::{Step, Stop, run, run_back, step};
use crate::recording::Lane;

pub(super) fn configured(session: &mut Session<'_>, _: &Json) -> Answer {
    begin(session);
    Ok(Json::Null)
}

pub(super) fn restart(session: &mut Session<'_>, _: &Json) -> Answer {
    session.record_anew()?;
    begin(session);
    Ok(Json::Null)
}

/// Stops at the beginning, or runs to where somebody wants it to stop.
fn begin(session: &mut Session<'_>) {
    if session.recording.places.is_empty() {
        return;
    }
    if let Some((id, number)) = session.breakpoints.met(&session.recording, 0, 0, 0) {
        session.stopped(Lane { wave: 0, number }, "breakpoint", Some(id));
    } else if session.stops_on_entry {
        session.stopped(Lane { wave: 0, number: 0 }, "entry", None);
    } else {
        run_on(session, Lane { wave: 0, number: 0 });
    }
}

pub(super) fn go(session: &mut Session<'_>, arguments: &Json) -> Answer {
    let lane = session.lane(arguments)?;
    run_on(session, lane);
    Ok(json!({ "allThreadsContinued": false }))
}

/// Runs a wave on; at its end the next one that has steps left.
fn run_on(session: &mut Session<'_>, from: Lane) {
    let count = session.recording.places.len();
    for wave in (from.wave..count).chain(0..from.wave) {
        if session.recording.is_over(wave) && wave != from.wave {
            continue;
        }
        let lane = if wave == from.wave { from } else { Lane { wave, number: 0 } };
        let stop = run(&mut session.recording, wave, &mut session.breakpoints);
        complain(session);
        if stop != Stop::End {
            return tell(session, lane, stop, "step");
        }
        if let Some(why) = fault(session, wave) {
            session.say("stderr", &why);
            return session.stopped(lane, "exception", None);
        }
    }
    let outputs = session.recording.made.outputs.clone();
    session.say("stdout", &outputs);
    session.event("exited", json!({ "exitCode": 0 }));
    session.event("terminated", json!({}));
}

fn complain(session: &mut Session<'_>) {
    for complaint in session.breakpoints.complaints() {
        session.say("stderr", &complaint);
    }
}

fn fault(session: &Session<'_>, wave: usize) -> Option<String> {
    let (_, at, why) = session.recording.made.faults.iter().find(|(faulty, ..)| *faulty == wave)?;
    Some(format!("{} stopped at instruction {at}: {why}", session.recording.wave_name(wave)))
}

pub(super) fn go_back(session: &mut Session<'_>, arguments: &Json) -> Answer {
    let lane = session.lane(arguments)?;
    let stop = run_back(&mut session.recording, lane.wave, &mut session.breakpoints);
    complain(session);
    tell(session, lane, stop, "entry");
    Ok(Json::Null)
}

/// Tells why a lane's wave has stopped: a condition may hold for another lane of it.
fn tell(session: &mut Session<'_>, lane: Lane, stop: Stop, end: &str) {
    match stop {
        Stop::Step => session.stopped(lane, "step", None),
        Stop::Breakpoint(id, number) => session.stopped(Lane { number, ..lane }, "breakpoint", Some(id)),
        Stop::Watch(id, number) => session.stopped(Lane { number, ..lane }, "data breakpoint", Some(id)),
        Stop::End => session.stopped(lane, end, None),
    }
}

fn one(session: &mut Session<'_>, arguments: &Json, wanted: Step) -> Answer {
    let lane = session.lane(arguments)?;
    let by_instruction = arguments["granularity"] == "instruction";
    let stop = step(&mut session.recording, lane.wave, wanted, by_instruction);
    tell(session, lane, stop, if wanted == Step::Back { "entry" } else { "step" });
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
    let lane = session.lane(arguments)?;
    session.stopped(lane, "pause", None);
    Ok(Json::Null)
}
