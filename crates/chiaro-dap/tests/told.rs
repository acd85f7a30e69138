//! Sessions of a script: what is answered to each request, held to what was answered before. A table beside the test has
//! a number for each answer and the events behind it. Whoever changes one on purpose looks at the answer itself, and
//! blesses.

use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};

use chiaro::laboratory::Laboratory;
use chiaro_cases::{Cases, digest};
use chiaro_wire::{Frame, read};
use serde_json::{Value, json};

/// Programs with their inputs, and what is computed at each stop.
const PROGRAMS: [(&str, &str, &str, &[&str]); 6] = [
    ("pica200/lamps.v.pica", "pica200/lamps.json", "pica200", &["r0.w + 1", "r0.x * 2 == r1.y", "one"]),
    ("pica200/skinned.wgsl", "pica200/skinned.json", "pica200", &["position", "weights.x * 2.0"]),
    ("utgard-gp/palette.vert", "utgard-gp/palette.json", "utgard-gp", &["gl_Position.x", "1.0 / 3.0"]),
    ("rdna/reduce.comp", "rdna/reduce.json", "rdna", &["i", "gl_LocalInvocationIndex + 1u", "nothing"]),
    ("rdna/scale.s", "rdna/scale.json", "rdna", &["v0", "s4 + 1", "exec"]),
    ("agx/scale.comp", "agx/scale.json", "agx", &["r0", "r0l", "gl_GlobalInvocationID.x"]),
];
/// Stops of each session.
const STOPS: usize = 14;
/// Numbers of scopes and values that are asked for at each stop.
const REFERENCES: u64 = 24;

/// Where answers go.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("alone").write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn folder() -> String {
    format!("{}/../../examples/", env!("CARGO_MANIFEST_DIR"))
}

/// What is asked at a stop.
fn looks(expressions: &[&str]) -> Vec<(&'static str, Value)> {
    let mut all = vec![
        ("threads", Value::Null),
        ("stackTrace", json!({ "threadId": 1 })),
        ("scopes", json!({ "frameId": 1 })),
        ("disassemble", json!({ "memoryReference": "0x0", "instructionOffset": -1, "instructionCount": 6 })),
    ];
    all.extend((1..=REFERENCES).map(|n| ("variables", json!({ "variablesReference": n }))));
    for context in ["watch", "hover", "repl"] {
        let ask = |text: &&str| ("evaluate", json!({ "expression": text, "frameId": 1, "context": context }));
        all.extend(expressions.iter().map(ask));
    }
    all
}

/// A session: it stops at the entry, then goes by each kind of step in turn, also back.
fn session(program: &str, inputs: &str, target: &str, expressions: &[&str]) -> Vec<(&'static str, Value)> {
    let path = folder() + program;
    let lines: Vec<Value> = (1..40).step_by(5).map(|line| json!({ "line": line })).collect();
    let conditions = json!([{ "line": 12, "condition": format!("{} > 0", expressions[0]) },
        { "line": 14, "hitCondition": "2" }, { "line": 15, "logMessage": format!("it is {{{}}}", expressions[0]) }]);
    let mut all = vec![
        ("initialize", json!({ "adapterID": "chiaro", "linesStartAt1": true })),
        (
            "launch",
            json!({ "program": path, "inputs": folder() + inputs, "target": target, "stopOnEntry": true }),
        ),
        ("setBreakpoints", json!({ "source": { "path": path }, "breakpoints": lines })),
        ("breakpointLocations", json!({ "source": { "path": path }, "line": 1, "endLine": 60 })),
        ("configurationDone", json!({})),
    ];
    let steps = ["next", "stepIn", "next", "stepOut", "stepBack", "continue", "next", "reverseContinue"];
    for n in 0..STOPS {
        all.extend(looks(expressions));
        let by = ["statement", "line", "instruction"][n % 3];
        all.push((steps[n % steps.len()], json!({ "threadId": 1, "granularity": by })));
    }
    all.push(("setBreakpoints", json!({ "source": { "path": path }, "breakpoints": conditions })));
    all.extend(["continue", "continue"].map(|step| (step, json!({ "threadId": 1 }))));
    all.push(("disconnect", json!({})));
    all
}

/// What an adapter says to requests, message by message, without the folder of this repository.
fn answers(requests: &[(&str, Value)]) -> Vec<Value> {
    let mut bytes = Vec::new();
    for (seq, (command, arguments)) in (1..).zip(requests) {
        let text =
            json!({ "seq": seq, "type": "request", "command": command, "arguments": arguments }).to_string();
        write!(bytes, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("memory");
    }
    let kept = Kept::default();
    chiaro_dap::serve(&mut Cursor::new(bytes), Box::new(kept.clone()), &Laboratory);
    let said = kept.0.lock().expect("alone").clone();
    let (mut from, mut all) = (Cursor::new(said), Vec::new());
    while let Frame::Body(body) = read(&mut from) {
        let text = String::from_utf8(body).expect("UTF-8").replace(&folder(), "");
        all.push(serde_json::from_str(&text).expect("JSON"));
    }
    all
}

/// A line for each request that was answered, with the events behind it; those of a kind in a row share one.
fn shown(messages: &[Value]) -> String {
    let (mut lines, mut last, mut text) = (String::new(), String::new(), String::new());
    for message in messages {
        let name = message["command"].as_str().map(str::to_owned);
        if let Some(name) = name.filter(|name| *name != last) {
            if !last.is_empty() {
                lines += &format!("  {last}: {}\n", digest(&text));
            }
            (last, text) = (name, String::new());
        }
        text += &message.to_string();
    }
    lines + &format!("  {last}: {}\n", digest(&text))
}

#[test]
fn sessions_are_answered_as_written_down() {
    let mut found = String::new();
    for (program, inputs, target, expressions) in PROGRAMS {
        let messages = answers(&session(program, inputs, target, expressions));
        let works = |message: &Value| message["command"] == "launch" && message["success"] == true;
        assert!(messages.iter().any(works), "{program}: {:?}", messages.get(..4));
        found += &format!("{program}\n{}", shown(&messages));
    }
    let mut cases = Cases::new();
    cases.file(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/told.txt"), Some(&found));
    cases.finish();
}
