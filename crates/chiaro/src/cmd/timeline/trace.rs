//! Timelines as trace events, the format of chrome://tracing that Perfetto reads, too.

use chiaro::timeline::Timeline;
use serde_json::{Value, json};

use super::assumptions;
use crate::made::Made;

/// A track for waits and issue, and one for each unit; a cycle is a microsecond.
pub fn events(made: &Made, timeline: &Timeline, rounds: u32) -> String {
    let mut tracks: Vec<&str> = vec!["issue"];
    tracks.extend(timeline.busy.iter().map(|(unit, _)| *unit));
    let mut all: Vec<Value> = Vec::new();
    let process = format!("{} for {}", made.file, made.target.about().name);
    all.push(json!({ "name": "process_name", "ph": "M", "pid": 1, "tid": 0, "args": { "name": process } }));
    for (n, name) in tracks.iter().enumerate() {
        all.push(json!({ "name": "thread_name", "ph": "M", "pid": 1, "tid": n, "args": { "name": name } }));
    }
    for (n, event) in timeline.events.iter().enumerate() {
        let one = &made.anatomy.instructions[event.instruction];
        let text = &made.lines[event.instruction].text;
        let mut at = event.arrives;
        for wait in &event.waits {
            let name = format!("{}: {}", wait.why.name(), wait.what);
            let on = wait.on.map(|on| timeline.events[on].instruction);
            all.push(json!({ "name": name, "cat": "wait", "ph": "X", "pid": 1, "tid": 0, "ts": at, "dur": wait.cycles,
                "args": { "for": text, "on": on } }));
            at += wait.cycles;
        }
        let args = json!({ "instruction": event.instruction, "cause": one.cause.name(), "done": event.done, "event": n });
        let whole = |tid: usize, cycles: u32| {
            json!({ "name": text, "cat": one.cause.name(), "ph": "X", "pid": 1, "tid": tid,
                "ts": event.issue, "dur": cycles, "args": args })
        };
        all.push(whole(0, one.slots * one.passes.max(1)));
        for (unit, cycles) in &one.units {
            let track = tracks.iter().position(|name| name == unit).unwrap_or(0);
            all.push(whole(track, cycles * one.passes.max(1)));
        }
    }
    let about = assumptions(made, timeline, rounds).join("\n");
    format!(
        "{}\n",
        json!({ "traceEvents": all, "displayTimeUnit": "ns", "otherData": { "assumptions": about } })
    )
}
