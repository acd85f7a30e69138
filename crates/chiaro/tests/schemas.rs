//! Everything that is printed for machines against the schema that promises it, for every target that compiles.
//!
//! `sarif-2.1.0.schema.json` is the schema of OASIS as it is published. One of its patterns has a bracket that only
//! lenient readers take for itself; it is read with the bracket escaped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use jsonschema::Validator;
use serde_json::{Value, json};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn schema(path: &str) -> Validator {
    let text = std::fs::read_to_string(root().join(path)).expect(path);
    let text = text.replace("{2}]?$", r"{2}\\]?$");
    jsonschema::validator_for(&serde_json::from_str(&text).expect(path)).expect(path)
}

/// What a call prints, whatever its exit code.
fn printed(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_chiaro")).current_dir(root()).args(arguments).output();
    let output = output.expect("the command runs");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{arguments:?}: {e}\n{error}"))
}

fn assert_valid(schema: &Validator, arguments: &[&str]) -> Value {
    let value = printed(arguments);
    let errors: Vec<String> =
        schema.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).take(5).collect();
    assert!(errors.is_empty(), "{arguments:?}: {errors:#?}");
    value
}

/// A source of a stage that each target has.
const SOURCES: [(&str, &str); 5] = [
    ("pica200", "examples/glsl/phong.vert"),
    ("utgard-gp", "examples/glsl/phong.vert"),
    ("a3xx", "examples/glsl/phong.vert"),
    ("agx", "examples/glsl/phong.vert"),
    ("rdna", "examples/rdna/sharpen.comp"),
];

#[test]
fn reports_keep_their_schema() {
    let schema = schema("docs/report.schema.json");
    for (target, source) in SOURCES {
        assert_valid(&schema, &["report", source, "--target", target, "--json"]);
        assert_valid(
            &schema,
            &["report", "--before", source, "--after", source, "--target", target, "--json"],
        );
    }
    let many = assert_valid(
        &schema,
        &["report", "examples/glsl", "examples/rdna", "--target", "all", "--format", "json"],
    );
    assert!(many["reports"].as_array().is_some_and(|all| all.len() > 4) && many["failures"].is_array());
}

#[test]
fn differences_keep_their_schema() {
    let schema = schema("docs/diff.schema.json");
    for (target, source) in SOURCES {
        let same = assert_valid(&schema, &["diff", source, source, "--target", target, "--format", "json"]);
        assert_eq!(same["instructions"]["before"], same["instructions"]["after"], "{target}");
        assert!(same["instructions"]["before"].as_u64().is_some_and(|n| n > 3), "{target}");
    }
    let targets = ["diff", SOURCES[0].1, "--target", "pica200,a3xx", "--format", "json"];
    let found = assert_valid(&schema, &targets);
    assert_ne!(found["causes"], json!([]));
    let many = assert_valid(
        &schema,
        &["diff", "examples/glsl", "--target", "all", "--before-effort", "0", "--format", "json"],
    );
    assert!(many["programs"].as_array().is_some_and(|all| all.len() > 4), "{many}");
    let baselines =
        ["diff", "examples/gate/chiaro.baseline", "examples/gate/chiaro.baseline", "--format", "json"];
    assert_eq!(assert_valid(&schema, &baselines)["rows"], json!([]));
}

#[test]
fn timelines_keep_their_schema() {
    let schema = schema("docs/timeline.schema.json");
    for (target, source) in SOURCES {
        let found = assert_valid(&schema, &["timeline", source, "--target", target, "--format", "json"]);
        assert_eq!(found["whole"], json!(true), "{target}");
        assert!(found["figures"].as_array().is_some_and(|all| !all.is_empty()), "{target}");
        let events = found["events"].as_array().expect("events");
        let issues: Vec<u64> = events.iter().filter_map(|event| event["issue"].as_u64()).collect();
        assert!(issues.is_sorted() && issues.len() == events.len(), "{target}: in order");
        // A trace has an event for each wait and issue.
        let trace = printed(&["timeline", source, "--target", target, "--format", "trace"]);
        assert_eq!(wrong_in_trace(&trace), None, "{target}");
        assert!(trace["traceEvents"].as_array().is_some_and(|shown| shown.len() >= events.len()), "{target}");
    }
}

/// What a reader of trace events would not take: the first event that lacks something, is out of its order, is an arrow
/// without its other end, or a slice that begins in another of its track and ends behind it.
fn wrong_in_trace(trace: &Value) -> Option<String> {
    let Some(events) = trace["traceEvents"].as_array() else { return Some("no events".to_owned()) };
    let mut open: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    let mut arrows: BTreeSet<u64> = BTreeSet::new();
    let mut last = 0;
    for event in events {
        let fault = |what: &str| Some(format!("{what}: {event}"));
        let (Some(_), Some(1..), Some(track @ 1..)) =
            (event["name"].as_str(), event["pid"].as_u64(), event["tid"].as_u64())
        else {
            return fault("no name, process or thread");
        };
        if event["ph"] == "M" {
            continue;
        }
        let Some(at) = event["ts"].as_u64().filter(|at| *at >= last) else { return fault("out of order") };
        last = at;
        match (event["ph"].as_str(), event["dur"].as_u64(), event["id"].as_u64()) {
            (Some("X"), Some(length), _) => {
                let within = open.entry(track).or_default();
                within.retain(|end| *end > at);
                if within.iter().any(|end| at + length > *end) {
                    return fault("it ends behind what it begins in");
                }
                within.push(at + length);
            }
            (Some("s"), _, Some(id)) if arrows.insert(id) => {}
            (Some("f"), _, Some(id)) if event["bp"] == "e" && arrows.remove(&id) => {}
            _ => return fault("of no kind"),
        }
    }
    arrows.first().map(|id| format!("arrow {id} has no end"))
}

#[test]
fn wrong_traces_are_refused() {
    let slice =
        |at: u64, length: u64| json!({ "name": "a", "ph": "X", "pid": 1, "tid": 1, "ts": at, "dur": length });
    let arrow = |end: &str, at: u64| json!({ "name": "a", "ph": end, "bp": "e", "id": 1, "pid": 1, "tid": 1, "ts": at });
    let wrong = |events: Vec<Value>| wrong_in_trace(&json!({ "traceEvents": events }));
    assert_eq!(wrong(vec![slice(0, 4), slice(1, 3), slice(4, 1), arrow("s", 4), arrow("f", 5)]), None);
    for events in [
        vec![slice(0, 4), slice(1, 4)],
        vec![slice(2, 1), slice(1, 1)],
        vec![arrow("s", 1)],
        vec![arrow("f", 1)],
        vec![json!({ "name": "a", "ph": "X", "pid": 1, "tid": 0, "ts": 0, "dur": 1 })],
        vec![json!({ "name": "a", "ph": "X", "pid": 1, "tid": 1, "ts": 0 })],
    ] {
        assert!(wrong(events.clone()).is_some(), "{events:?}");
    }
}

#[test]
fn sarif_is_sarif() {
    let schema = schema("crates/chiaro/tests/sarif-2.1.0.schema.json");
    assert_valid(&schema, &["report", "examples", "--target", "all", "--format", "sarif"]);
}

#[test]
fn schemas_refuse_what_is_wrong() {
    for path in ["docs/report.schema.json", "docs/diff.schema.json", "docs/timeline.schema.json"] {
        let schema = schema(path);
        assert!(!schema.is_valid(&json!({})), "{path}");
        assert!(!schema.is_valid(&json!({ "version": 2 })), "{path}");
    }
    let sarif = schema("crates/chiaro/tests/sarif-2.1.0.schema.json");
    assert!(!sarif.is_valid(&json!({ "version": "2.1.0", "runs": [{}] })));
}
