//! The debug adapter, driven over its protocol by a script. Every message, of either side, is held against
//! the protocol's JSON schema.

#[path = "dap/client.rs"]
mod client;

use client::Client;
use serde_json::{Value, json};

const LAMPS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/pica200/lamps.v.pica");
const LAMPS_INPUTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/pica200/lamps.json");

fn examples(path: &str) -> String {
    format!("{}/../../examples/{path}", env!("CARGO_MANIFEST_DIR"))
}

/// The line, from 1, that a text stands on in the example with lamps.
fn line_with(text: &str) -> u64 {
    let source = std::fs::read_to_string(LAMPS).expect("the example");
    let at = source.lines().position(|line| line.contains(text));
    at.unwrap_or_else(|| panic!("{text} is not there")) as u64 + 1
}

fn lamps() -> Client {
    let mut client = Client::start();
    client.ask("initialize", json!({ "adapterID": "chiaro", "linesStartAt1": true }));
    client.event("initialized");
    client.ask("launch", json!({ "program": LAMPS, "inputs": LAMPS_INPUTS, "stopOnEntry": true }));
    client
}

#[test]
fn a_program_is_stepped_and_looked_into() {
    let mut client = lamps();
    client.ask("configurationDone", json!({}));
    assert_eq!(client.event("stopped")["body"]["reason"], "entry");
    let threads = client.ask("threads", Value::Null)["threads"].clone();
    assert_eq!(threads[0]["name"], "vertex 0");
    let first = client.top();
    assert_eq!(first["line"], line_with("mov r0.xyz, position"));
    client.step("next", json!({}));
    assert_eq!(client.top()["line"], line_with("mov r0.w, one.y"));
    client.step("next", json!({}));
    let r0 = client.variable("Registers", "r0");
    assert!(r0["value"].as_str().expect("text").contains("1.0"), "{r0}");
    let parts = client.children(&r0);
    assert_eq!(parts.len(), 4);
    let value = client.ask("evaluate", json!({ "expression": "r0.w + 1", "frameId": 1 }));
    assert_eq!(value["result"], "2");
    client.refused("evaluate", json!({ "expression": "r0.w +", "frameId": 1 }));
    client.refused("evaluate", json!({ "expression": "nothing", "frameId": 1 }));
    let names: Vec<Value> = client.scope("Inputs");
    assert!(!names.is_empty());
    client.end();
}

#[test]
fn calls_are_stepped_over_into_and_out_of() {
    let mut client = lamps();
    let call = line_with("call shine");
    let set = client
        .ask("setBreakpoints", json!({ "source": { "path": LAMPS }, "breakpoints": [{ "line": call }] }));
    assert_eq!(set["breakpoints"][0]["verified"], true);
    client.ask("configurationDone", json!({}));
    client.event("stopped");
    client.ask("continue", json!({ "threadId": 1 }));
    let stop = client.event("stopped");
    assert_eq!((&stop["body"]["reason"], client.top()["line"].as_u64()), (&json!("breakpoint"), Some(call)));
    client.step("stepIn", json!({}));
    let frames = client.ask("stackTrace", json!({ "threadId": 1 }));
    assert_eq!(frames["totalFrames"], 2, "{frames}");
    assert_eq!(frames["stackFrames"][1]["line"], call);
    assert_eq!(frames["stackFrames"][0]["name"], "shine");
    client.step("stepOut", json!({}));
    assert_eq!(client.ask("stackTrace", json!({ "threadId": 1 }))["totalFrames"], 1);
    client.ask("reverseContinue", json!({ "threadId": 1 }));
    client.event("stopped");
    assert_eq!(client.top()["line"], call);
    client.step("next", json!({}));
    assert!(client.top()["line"].as_u64() > Some(call), "the call is one step");
    client.end();
}

#[test]
fn conditions_registers_and_instructions_end_runs() {
    let mut client = lamps();
    client.ask("configurationDone", json!({}));
    client.event("stopped");
    let info = client.ask("dataBreakpointInfo", json!({ "name": "r2" }));
    assert_eq!(info["dataId"], "r2");
    assert_eq!(client.ask("dataBreakpointInfo", json!({ "name": "r99" }))["dataId"], Value::Null);
    let set = client
        .ask("setDataBreakpoints", json!({ "breakpoints": [{ "dataId": "r2.w", "accessType": "write" }] }));
    assert_eq!(set["breakpoints"][0]["verified"], true);
    client.ask("continue", json!({ "threadId": 1 }));
    assert_eq!(client.event("stopped")["body"]["reason"], "data breakpoint");
    assert_eq!(client.top()["line"].as_u64(), Some(line_with("dp3 r2.w, r2, r2") + 1));
    client.ask("setDataBreakpoints", json!({ "breakpoints": [] }));
    let pointer = client.top()["instructionPointerReference"].clone();
    let code = client.ask(
        "disassemble",
        json!({ "memoryReference": pointer, "instructionOffset": -2, "instructionCount": 5 }),
    );
    let code = code["instructions"].as_array().expect("a list").clone();
    assert_eq!((code.len(), &code[2]["address"]), (5, &pointer));
    assert!(code[1]["instruction"].as_str().expect("text").starts_with("dp3"));
    let set = client.ask("setInstructionBreakpoints", json!({ "breakpoints": [{ "instructionReference": code[4]["address"] }, { "instructionReference": "0xffffff" }] }));
    assert_eq!([&set["breakpoints"][0]["verified"], &set["breakpoints"][1]["verified"]], [true, false]);
    client.ask("continue", json!({ "threadId": 1 }));
    assert_eq!(client.event("stopped")["body"]["reason"], "breakpoint");
    assert_eq!(client.top()["instructionPointerReference"], code[4]["address"]);
    client.ask("setInstructionBreakpoints", json!({ "breakpoints": [] }));
    // A condition that does not hold anywhere lets the program go to its end.
    let never = json!([{ "line": line_with("call shine"), "condition": "r0.x > 1000000 && r0.w == 7" }]);
    client.ask("setBreakpoints", json!({ "source": { "path": LAMPS }, "breakpoints": never }));
    client.ask("continue", json!({ "threadId": 1 }));
    client.event("terminated");
    client.end();
}

#[test]
fn stepping_back_equals_stepping_forward() {
    let programs = [
        json!({ "program": LAMPS, "inputs": LAMPS_INPUTS }),
        json!({ "program": examples("rdna/reduce.comp"), "target": "rdna", "inputs": examples("rdna/reduce.json") }),
        json!({ "program": examples("utgard-gp/palette.vert"), "target": "utgard-gp", "inputs": examples("utgard-gp/palette.json") }),
        json!({ "program": examples("agx/scale.comp"), "target": "agx", "inputs": examples("agx/scale.json") }),
        json!({ "program": examples("glsl/phong.vert"), "target": "a3xx" }),
    ];
    for program in programs {
        let mut client = Client::start();
        client.ask("initialize", json!({ "adapterID": "chiaro" }));
        client.ask("launch", program.clone());
        client.ask("configurationDone", json!({}));
        client.event("stopped");
        let by_instruction = json!({ "granularity": "instruction" });
        let mut forward = vec![client.state()];
        while forward.len() < 60 {
            client.step("stepIn", by_instruction.clone());
            let state = client.state();
            if forward.last() == Some(&state) {
                break;
            }
            forward.push(state);
        }
        for wanted in forward.iter().rev().skip(1) {
            client.step("stepBack", by_instruction.clone());
            assert_eq!(client.state(), *wanted, "{program}");
        }
        assert!(forward.iter().collect::<std::collections::HashSet<_>>().len() > 10, "{program} moves");
        client.end();
    }
}

#[test]
fn inputs_can_be_set_and_the_program_goes_on_with_them() {
    let mut client = lamps();
    client.ask("configurationDone", json!({}));
    client.event("stopped");
    client.step("next", json!({ "granularity": "instruction" }));
    let before = client.variable("Registers", "r0");
    let vertices = client.variable("Inputs", "vertices");
    let first = client.children(&vertices)[0].clone();
    let reference = first["variablesReference"].clone();
    let position =
        client.children(&first).into_iter().find(|one| one["name"] == "position").expect("an input");
    assert_ne!(position["value"], "[7, 8, 9]");
    client.ask(
        "setVariable",
        json!({ "variablesReference": reference, "name": "position", "value": "[7, 8, 9]" }),
    );
    client.event("invalidated");
    let after = client.variable("Registers", "r0");
    assert_ne!(before["value"], after["value"]);
    assert!(after["value"].as_str().expect("text").starts_with("7.0"), "{after}");
    let vertices = client.variable("Inputs", "vertices");
    let reference = client.children(&vertices)[0]["variablesReference"].clone();
    client.refused(
        "setVariable",
        json!({ "variablesReference": reference, "name": "position", "value": "high" }),
    );
    let registers = client.ask("scopes", json!({ "frameId": 1 }))["scopes"][1]["variablesReference"].clone();
    client.refused("setVariable", json!({ "variablesReference": registers, "name": "r0", "value": "1" }));
    client.end();
}

#[test]
fn wrong_requests_are_answered_and_end_nothing() {
    let mut client = Client::start();
    client.ask("initialize", json!({ "adapterID": "chiaro" }));
    for arguments in [
        json!({}),
        json!({ "program": "no/such/file.vert" }),
        json!({ "program": examples("glsl/phong.vert") }),
        json!({ "program": examples("glsl/phong.vert"), "target": "voodoo" }),
        json!({ "program": examples("glsl/mistakes.frag"), "target": "a3xx" }),
        json!({ "program": examples("3ds/Makefile") }),
        json!({ "program": LAMPS, "inputs": { "vertices": 7 } }),
    ] {
        client.refused("launch", arguments);
    }
    for command in
        ["stackTrace", "next", "scopes", "variables", "evaluate", "disassemble", "setVariable", "attach"]
    {
        client.refused(command, json!({ "threadId": 9, "frameId": 77, "variablesReference": 12, "memoryReference": "x", "expression": "", "name": "", "value": "", "instructionCount": 1 }));
    }
    client.refused_unchecked("noSuchRequest", json!({}));
    client.send_raw(b"Content-Length: 3\r\n\r\n{{{");
    client.event("output");
    client.end();
}
