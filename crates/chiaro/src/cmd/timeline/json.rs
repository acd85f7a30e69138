//! Timelines for machines; docs/timeline.schema.json describes them.

use chiaro::timeline::{Timeline, Wait};
use serde_json::{Value, json};

use crate::made::Made;

/// Everything, in version 1 of the schema.
pub fn timeline(made: &Made, timeline: &Timeline, rounds: u32) -> String {
    let wait = |wait: &Wait| json!({ "why": wait.why.name(), "cycles": wait.cycles, "what": wait.what, "on": wait.on });
    let event = |event: &chiaro::timeline::Event| {
        let line = &made.lines[event.instruction];
        let place = line.place.map(|at| json!({ "file": made.sources[at.0].name, "line": at.1 }));
        json!({
            "instruction": event.instruction, "text": line.text, "place": place,
            "cause": made.anatomy.instructions[event.instruction].cause.name(),
            "arrives": event.arrives, "issue": event.issue, "done": event.done,
            "waits": event.waits.iter().map(wait).collect::<Vec<_>>(),
        })
    };
    let figures = made.anatomy.figures.iter().map(
        |one| json!({ "name": one.name, "cycles": one.cycles, "source": one.source, "grade": one.grade.name() }),
    );
    let loops = timeline.loops.iter().map(|one| {
        let unit = one.unit.map(|(name, cycles)| json!({ "name": name, "cycles": cycles }));
        json!({ "first": one.span.0, "last": one.span.1, "round": one.round, "bound": unit })
    });
    let waves = made.anatomy.waves.as_ref().map(|waves| {
        json!({ "name": waves.name, "used": waves.used, "allowed": waves.allowed, "cycles_each": timeline.with_waves(waves.used) })
    });
    let value = json!({
        "version": 1,
        "file": made.file,
        "target": made.target.about().name,
        "rounds": rounds,
        "cycles": timeline.cycles,
        "whole": timeline.is_whole,
        "figures": figures.collect::<Vec<Value>>(),
        "error": made.error(),
        "left_out": made.anatomy.omits,
        "waited": timeline.waited().iter().map(|(why, n)| json!({ "why": why.name(), "cycles": n })).collect::<Vec<_>>(),
        "units": timeline.busy.iter().map(|(name, n)| json!({ "name": name, "cycles": n })).collect::<Vec<_>>(),
        "waves": waves,
        "loops": loops.collect::<Vec<Value>>(),
        "critical": timeline.critical,
        "events": timeline.events.iter().map(event).collect::<Vec<_>>(),
    });
    format!("{value:#}\n")
}
