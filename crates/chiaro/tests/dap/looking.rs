//! What is shown where a program stands, on every target: lines, code, memory, masks, variables that are gone.

use std::path::{Path, PathBuf};

use chiaro::editor::Editor;
use chiaro_lsp::{Document, Language, Tools};
use serde_json::{Value, json};

use super::client::Client;
use super::{is_at_end, scaled, shaders};

/// A file of these tests alone.
fn kept(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dap");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("written");
    path
}

fn forward(client: &mut Client) {
    client.step("stepIn", json!({ "granularity": "instruction" }));
}

/// All instructions of a program.
pub(super) fn disassembled(client: &mut Client) -> Vec<Value> {
    let all = json!({ "memoryReference": "0x0", "instructionCount": 500 });
    let code = client.ask("disassemble", all)["instructions"].take();
    let code = code.as_array().expect("a list").clone();
    code.into_iter().take_while(|one| one["presentationHint"] != "invalid").collect()
}

const GONE_VERT: &str = "\
#version 300 es
uniform vec4 k;
in vec4 position;
out vec4 color;
void main() {
    vec4 kept = position * k;
    float gone = position.x * 1234.5 + 3.0;
    color = kept;
    gl_Position = kept + k;
}
";

const GONE_COMP: &str = "\
#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer Data { float data[]; };
void main() {
    float kept = data[gl_GlobalInvocationID.x] * 3.0;
    float gone = kept * 1234.5 + 3.0;
    data[gl_GlobalInvocationID.x] = kept;
}
";

#[test]
fn what_was_optimised_away_says_so_on_every_target() {
    let vert = kept("gone.vert", GONE_VERT.as_bytes());
    let comp = kept("gone.comp", GONE_COMP.as_bytes());
    let vertex =
        json!({ "uniforms": { "k": [2, 3, 4, 5] }, "vertices": [{ "position": [1.5, 2.5, 3.5, 1] }] });
    let numbers: Vec<u32> = (3..35).collect();
    let data = |name: &str| json!({ "buffers": { name: numbers }, "groups": [1] });
    let programs = [
        ("pica200", &vert, vertex.clone()),
        ("utgard-gp", &vert, vertex.clone()),
        ("a3xx", &vert, vertex),
        ("a3xx", &comp, data("Data")),
        ("rdna", &comp, data("data")),
        ("agx", &comp, data("Data")),
    ];
    for (target, program, inputs) in programs {
        let mut client = Client::launched(&json!({ "program": program, "target": target, "inputs": inputs }));
        let mut is_kept = false;
        while !is_at_end(&mut client) {
            let gone = client.variable("Locals", "gone");
            assert_eq!(gone["value"], "optimised away", "{target}");
            let kept = client.variable("Locals", "kept")["value"].clone();
            assert_ne!(kept, "optimised away", "{target}");
            is_kept |= kept.as_str().is_some_and(|value| value.contains(" in "));
            client.refused("evaluate", json!({ "expression": "gone + 1.0", "frameId": 1 }));
            forward(&mut client);
        }
        assert!(is_kept, "{target}: what is not gone stands somewhere");
        client.end();
    }
}

#[test]
fn lines_go_back_as_they_came_on_every_target() {
    for program in shaders() {
        let mut client = Client::launched(&program);
        let mut seen = vec![client.state()];
        while !is_at_end(&mut client) && seen.len() < 60 {
            let line = client.top()["line"].clone();
            client.step("next", json!({}));
            assert!(is_at_end(&mut client) || client.top()["line"] != line, "{program}: still on {line}");
            seen.push(client.state());
        }
        assert!(seen.len() > 4, "{program}: {} lines", seen.len());
        for wanted in seen.iter().rev().skip(1) {
            client.step("stepBack", json!({}));
            assert_eq!(client.state(), *wanted, "{program}");
        }
        client.end();
    }
}

#[test]
fn code_is_shown_with_its_words_and_lines_on_every_target() {
    for program in shaders() {
        let mut client = Client::launched(&program);
        let code = disassembled(&mut client);
        let number = |one: &Value| {
            let digits = one["address"].as_str().expect("text").strip_prefix("0x").expect("hexadecimal");
            u32::from_str_radix(digits, 16).expect("a number")
        };
        assert!(code.windows(2).all(|two| number(&two[0]) < number(&two[1])), "{program}");
        let has_bytes = |one: &Value| one["instructionBytes"].as_str().is_some_and(|bytes| !bytes.is_empty());
        assert!(code.iter().all(has_bytes), "{program}");
        let mut passed = 0;
        while !is_at_end(&mut client) && passed < 80 {
            let frame = client.top();
            let here = code.iter().find(|one| one["address"] == frame["instructionPointerReference"]);
            let here = here.unwrap_or_else(|| panic!("{program}: {frame} is not in the code"));
            assert_eq!(
                here["line"].as_u64().unwrap_or(0),
                frame["line"].as_u64().unwrap_or(0),
                "{program}: {here}"
            );
            forward(&mut client);
            passed += 1;
        }
        assert!(passed > 10, "{program}");
        client.end();
    }
}

#[test]
fn memory_has_what_was_stored() {
    for target in ["rdna", "agx", "a3xx"] {
        let mut client = Client::launched(&scaled(target));
        let shown = |client: &mut Client| -> Vec<String> {
            let spaces = client.scope("Memory");
            let words = spaces.iter().flat_map(|space| client.children(space)).collect::<Vec<_>>();
            words.iter().map(|word| word["value"].as_str().expect("text").to_owned()).collect()
        };
        let has =
            |all: &[String], wanted: &str| all.iter().any(|word| word.split(' ').next() == Some(wanted));
        // Three, scaled by three until it is a hundred or more.
        let before = shown(&mut client);
        assert!(has(&before, "3.0") && !has(&before, "243.0"), "{target}: {before:?}");
        client.ask("continue", json!({ "threadId": 1 }));
        client.event("terminated");
        let after = shown(&mut client);
        assert!(has(&after, "243.0"), "{target}: {after:?}");
        client.end();
    }
    // The others' vertex processors have none.
    for program in shaders().into_iter().take(2) {
        let mut client = Client::launched(&program);
        assert!(client.scopes(1).iter().all(|scope| scope["name"] != "Memory"), "{program}");
        client.end();
    }
}

#[test]
fn lanes_that_have_left_are_off() {
    for target in ["rdna", "agx", "a3xx"] {
        let mut client = Client::launched(&scaled(target));
        let mut masks: Vec<Value> = Vec::new();
        let mut is_parted = false;
        while !is_at_end(&mut client) && masks.len() < 200 {
            let flags = client.scope("Masks and flags");
            let mask =
                flags.iter().find(|one| one["name"] == "active lanes").expect("a mask")["value"].clone();
            let threads = client.ask("threads", Value::Null)["threads"].take();
            let threads = threads.as_array().expect("a list").iter().take(32);
            let off: Vec<bool> =
                threads.map(|one| one["name"].as_str().expect("a name").ends_with("(off)")).collect();
            let digits = mask.as_str().expect("text").trim_start_matches("0x");
            let on = u64::from_str_radix(digits, 16).expect("a mask");
            let told: Vec<bool> = (0..off.len()).map(|lane| on >> lane & 1 == 0).collect();
            assert_eq!(off, told, "{target}: {mask}");
            is_parted |= off.contains(&true) && off.contains(&false);
            masks.push(mask);
            forward(&mut client);
        }
        assert!(is_parted, "{target}: {masks:?}");
        client.end();
    }
}

#[test]
fn files_of_every_target_are_debugged_as_their_sources_are() {
    for program in shaders() {
        let path = program["program"].as_str().expect("a path");
        let text = std::fs::read_to_string(path).expect("the shader");
        let document = Document::new(path, Language::of(chiaro::TARGETS, "", path, &text), text);
        let name = program["target"].as_str().expect("a name");
        let target = chiaro::TARGETS.named(name).expect("a target");
        let made = Editor.make(&document, target).expect("it compiles");
        let ending = path.rsplit('.').next().expect("an ending");
        let file = kept(&format!("{name}.{ending}.bin"), &made.container);
        let trail = |launch: &Value| {
            let mut client = Client::launched(launch);
            let mut seen = Vec::new();
            while !is_at_end(&mut client) && seen.len() < 100 {
                seen.push(client.top()["instructionPointerReference"].take());
                forward(&mut client);
            }
            client.end();
            seen
        };
        let mut of_file = json!({ "program": file });
        of_file["inputs"] = program["inputs"].clone();
        let (a, b) = (trail(&program), trail(&of_file));
        assert!(a.len() > 10 && a == b, "{name}: {a:?} {b:?}");
    }
}

#[test]
fn lines_count_as_the_client_counts() {
    let program = scaled("a3xx");
    let mut client = Client::start();
    client.ask("initialize", json!({ "adapterID": "chiaro", "linesStartAt1": false }));
    client.ask("launch", program.clone());
    let wanted = json!({ "source": { "path": program["program"] }, "breakpoints": [{ "line": 10 }] });
    let set = client.ask("setBreakpoints", wanted);
    assert_eq!(set["breakpoints"][0]["line"], 10, "`x *= factor` is the eleventh line");
    client.ask("configurationDone", json!({}));
    client.event("stopped");
    client.ask("continue", json!({ "threadId": 1 }));
    client.event("stopped");
    let frame = client.top();
    assert_eq!(frame["line"], 10);
    let code = disassembled(&mut client);
    let here = code.iter().find(|one| one["address"] == frame["instructionPointerReference"]);
    assert_eq!(here.expect("in the code")["line"], 10);
    client.end();
}
