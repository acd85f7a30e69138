//! Everything that is printed for machines against the schema that promises it, for every target that compiles.
//!
//! `sarif-2.1.0.schema.json` is the schema of OASIS as it is published. One of its patterns has a bracket that only
//! lenient readers take for itself; it is read with the bracket escaped.

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
        let shown = trace["traceEvents"].as_array().expect("trace events");
        let is_fit = |event: &Value| event["ph"] == "M" || event["ts"].is_u64() && event["dur"].is_u64();
        assert!(shown.len() >= events.len() && shown.iter().all(is_fit), "{target}");
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
