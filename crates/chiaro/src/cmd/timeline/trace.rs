//! Timelines as trace events, the format of chrome://tracing that Perfetto reads, too.
//!
//! Readers ask for slices of one track that nest or do not touch, and take thread 0 for the idle one.

use chiaro::timeline::{Event, Timeline};
use serde_json::{Value, json};

use super::assumptions;
use crate::made::Made;

/// The process of the wave.
const WAVE: u32 = 1;

/// The track of waits and issue; those of units stand behind it.
const ISSUE: usize = 1;

/// A track for waits and issue, and one for each unit; arrows lead from what is waited for. A cycle is a microsecond.
pub fn events(made: &Made, timeline: &Timeline, rounds: u32) -> String {
    let units: Vec<&str> = timeline.busy.iter().map(|(unit, _)| *unit).collect();
    let mut all: Vec<Value> = Vec::new();
    for (n, event) in timeline.events.iter().enumerate() {
        waits(made, timeline, event, &mut all);
        issue(made, event, n, &units, &mut all);
    }
    // In the order of time, so that readers that do not sort are served; what begins at one time keeps its order.
    all.sort_by_key(|event| event["ts"].as_u64());
    let mut whole = names(made, &units);
    whole.append(&mut all);
    let about = assumptions(made, timeline, rounds).join("\n");
    format!(
        "{}\n",
        json!({ "traceEvents": whole, "displayTimeUnit": "ns", "otherData": { "assumptions": about } })
    )
}

/// What the process and its tracks are called.
fn names(made: &Made, units: &[&str]) -> Vec<Value> {
    let about = |name: &str, track: usize, args: Value| json!({ "name": name, "ph": "M", "pid": WAVE, "tid": track, "args": args });
    let process = format!("{} for {}", made.file, made.target.about().name);
    let mut all = vec![about("process_name", ISSUE, json!({ "name": process }))];
    for (n, name) in ["issue"].iter().chain(units).enumerate() {
        all.push(about("thread_name", ISSUE + n, json!({ "name": name })));
        all.push(about("thread_sort_index", ISSUE + n, json!({ "sort_index": n })));
    }
    all
}

/// The waits of an instruction one behind the other, each with an arrow from what it waits for.
fn waits(made: &Made, timeline: &Timeline, event: &Event, all: &mut Vec<Value>) {
    let text = &made.lines[event.instruction].text;
    let mut at = event.arrives;
    for wait in &event.waits {
        let name = format!("{}: {}", wait.why.name(), wait.what);
        let on = wait.on.map(|on| &timeline.events[on]);
        all.push(json!({ "name": name, "cat": "wait", "ph": "X", "pid": WAVE, "tid": ISSUE, "ts": at, "dur": wait.cycles,
            "args": { "for": text, "on": on.map(|on| on.instruction) } }));
        if let Some(on) = on {
            let arrow = |end: &str, ts: u64| {
                json!({ "name": wait.why.name(), "cat": "wait", "ph": end, "bp": "e", "id": all.len(),
                    "pid": WAVE, "tid": ISSUE, "ts": ts })
            };
            let ends = [arrow("s", on.issue), arrow("f", at)];
            all.extend(ends);
        }
        at += wait.cycles;
    }
}

/// An instruction where it issues, and on its units.
fn issue(made: &Made, event: &Event, number: usize, units: &[&str], all: &mut Vec<Value>) {
    let one = &made.anatomy.instructions[event.instruction];
    let cause = one.cause.name();
    let args =
        json!({ "instruction": event.instruction, "cause": cause, "done": event.done, "event": number });
    let passes = one.passes.max(1);
    let mut slice = |track: usize, cycles: u32| {
        all.push(json!({ "name": made.lines[event.instruction].text, "cat": cause, "ph": "X", "pid": WAVE,
            "tid": track, "ts": event.issue, "dur": cycles, "args": args }));
    };
    slice(ISSUE, one.slots * passes);
    for (unit, cycles) in &one.units {
        if let Some(n) = units.iter().position(|name| name == unit) {
            slice(ISSUE + 1 + n, cycles * passes);
        }
    }
}
