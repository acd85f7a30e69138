//! The debug adapter, driven over its protocol by a script. Every message, of either side, is held against
//! the protocol's JSON schema.

mod breaking;
mod client;
mod looking;
mod setting;

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
        let mut client = Client::launched(&program);
        let by_instruction = json!({ "granularity": "instruction" });
        let mut forward = vec![client.state()];
        while forward.len() < 400 {
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

/// Whether the first thread has no instruction left.
fn is_at_end(client: &mut Client) -> bool {
    client.top()["name"].as_str().is_some_and(|name| name.contains("at its end"))
}

/// A shader for every target that runs vertices, and one for those that run groups.
fn shaders() -> Vec<Value> {
    let matrix = json!([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]);
    let uniforms = json!({
        "modelview": matrix, "projection": matrix, "light_position": [9, 8, 7, 1], "light_color": [1, 1, 1, 1],
        "ambient": [0.1, 0.2, 0.3, 1],
    });
    let vertex = json!({ "position": [1.5, 2.5, 3.5], "normal": [0.5, 1, 2], "uv": [0.25, 0.75] });
    let inputs = json!({ "uniforms": uniforms, "vertices": [vertex] });
    let phong =
        |target: &str| json!({ "program": examples("glsl/phong.vert"), "target": target, "inputs": inputs });
    let mut all: Vec<Value> = ["pica200", "utgard-gp", "a3xx"].into_iter().map(phong).collect();
    all.extend(["rdna", "agx", "a3xx"].map(scaled));
    all
}

/// Numbers that are scaled until they are large, on a target that runs groups.
fn scaled(target: &str) -> Value {
    // What the buffers are called is the target's affair.
    let numbers: Vec<u32> = (3..35).collect();
    let buffers = match target {
        "rdna" => json!({ "numbers": numbers, "factor": [3] }),
        _ => json!({ "Numbers": numbers, "Factor": [3] }),
    };
    json!({ "program": examples("agx/scale.comp"), "target": target, "inputs": { "buffers": buffers, "groups": [1] } })
}

/// Whether a variable of the source stands somewhere at some step.
fn stands(client: &mut Client) -> Vec<String> {
    let mut found = Vec::new();
    for _ in 0..200 {
        for local in client.scope("Locals") {
            let (name, value) =
                (local["name"].as_str().unwrap_or_default(), local["value"].as_str().unwrap_or_default());
            if value.contains(" in ") && !found.iter().any(|known| known == name) {
                found.push(name.to_owned());
            }
        }
        let before = client.top();
        client.step("stepIn", json!({ "granularity": "instruction" }));
        if client.top() == before {
            break;
        }
    }
    found
}

#[test]
fn locals_stand_in_registers_on_every_target() {
    for program in shaders() {
        let mut client = Client::launched(&program);
        let found = stands(&mut client);
        assert!(!found.is_empty(), "{program}: nothing stands anywhere");
        client.end();
    }
}

#[test]
fn lanes_are_threads_with_values_of_their_own() {
    for target in ["rdna", "agx", "a3xx"] {
        let program = scaled(target);
        let mut client = Client::launched(&program);
        let threads = client.ask("threads", Value::Null)["threads"].as_array().expect("a list").len();
        assert!(threads >= 32, "{target}: {threads}");
        let values = |client: &mut Client, thread: u64| -> Vec<Value> {
            let scopes = client.scopes(thread);
            let registers = scopes.iter().find(|scope| scope["name"] == "Registers").expect("a scope");
            client.children(registers).into_iter().map(|one| one["value"].clone()).collect()
        };
        for _ in 0..12 {
            client.step("stepIn", json!({ "granularity": "instruction" }));
        }
        assert_ne!(values(&mut client, 1), values(&mut client, 2), "{target}");
        client.end();
    }
}

#[test]
fn vertices_of_a_batch_have_their_own_registers() {
    let shader = examples("glsl/phong.vert");
    let vertex = |x: f32| json!({ "position": [x, 0, 0], "normal": [0, 0, 1] });
    // AGX knows no names of attributes: its vertices are lanes, which have their own test.
    for target in ["pica200", "utgard-gp", "a3xx"] {
        let inputs = json!({ "vertices": [vertex(3.0), vertex(5.0)] });
        let mut client = Client::launched(&json!({ "program": shader, "target": target, "inputs": inputs }));
        let mut seen = [String::new(), String::new()];
        for (thread, seen) in seen.iter_mut().enumerate() {
            for _ in 0..20 {
                client.ask("stepIn", json!({ "threadId": thread + 1, "granularity": "instruction" }));
                client.event("stopped");
                let registers = client.scopes(thread as u64 + 1);
                for scope in registers.iter().filter(|scope| scope["name"] == "Registers") {
                    seen.push_str(&json!(client.children(scope)).to_string());
                }
            }
        }
        let has = |text: &str, number: &str| {
            text.contains(&format!("\"{number}, ")) || text.contains(&format!("\"{number} ("))
        };
        assert!(has(&seen[0], "3.0") && has(&seen[1], "5.0"), "{target}: {seen:?}");
        client.end();
    }
}

#[test]
fn memory_is_what_the_wave_has_touched() {
    for target in ["rdna", "agx", "a3xx"] {
        let program = scaled(target);
        let mut client = Client::launched(&program);
        let memory = client.scope("Memory");
        let words: usize = memory.iter().map(|space| client.children(space).len()).sum();
        assert!(words > 0, "{target}");
        client.end();
    }
}

#[test]
fn what_is_typed_is_of_the_shaders_language() {
    let mut client = Client::launched(&json!({ "program": examples("glsl/phong.vert"), "target": "a3xx" }));
    let mut ask =
        |text: &str| client.ask("evaluate", json!({ "expression": text, "frameId": 1 }))["result"].clone();
    assert_eq!(ask("dot(vec2(1.0, 2.0), vec2(3.0)) + 1.0"), "10.0");
    assert_eq!(ask("ivec2(3, 4).yx"), "4, 3");
    assert_eq!(ask("1 < 2"), "true");
    client.refused("evaluate", json!({ "expression": "nothing + 1.0", "frameId": 1 }));
    client.refused("evaluate", json!({ "expression": "vec3(1.0) + vec2(1.0)", "frameId": 1 }));
    client.end();
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
    client.end();
}

#[test]
fn assembly_of_every_target_is_its_own_source() {
    let explorer = |name: &str| format!("{}/../../web/content/{name}", env!("CARGO_MANIFEST_DIR"));
    let programs = [
        (json!({ "program": LAMPS, "inputs": LAMPS_INPUTS }), "dp3 r2.w, r2, r2"),
        (json!({ "program": explorer("blend.gp") }), "out0 v0"),
        (json!({ "program": explorer("glow.ir3") }), "sin r0.y"),
        (
            json!({ "program": examples("rdna/scale.s"), "inputs": examples("rdna/scale.json") }),
            "v_add_f32_e32",
        ),
        (json!({ "program": explorer("main.agx") }), "st_var_final"),
    ];
    for (program, text) in programs {
        let path = program["program"].as_str().expect("a path").to_owned();
        let source = std::fs::read_to_string(&path).expect("the file");
        let is_there =
            |line: &str| line.contains(text) && !line.trim_start().starts_with([';', '/', '#', '@']);
        let Some(line) = source.lines().position(is_there) else { panic!("{text} is not in {path}") };
        let mut client = Client::launched(&program);
        let wanted = json!({ "source": { "path": path }, "breakpoints": [{ "line": line + 1 }] });
        let set = client.ask("setBreakpoints", wanted);
        assert_eq!(set["breakpoints"][0]["verified"], true, "{path}: {set}");
        client.ask("continue", json!({ "threadId": 1 }));
        assert_eq!(client.event("stopped")["body"]["reason"], "breakpoint", "{path}");
        assert_eq!(client.top()["line"], line as u64 + 1, "{path}");
        client.step("stepBack", json!({}));
        client.end();
    }
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
