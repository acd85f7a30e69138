//! Breakpoints under conditions and at registers, on every target: where runs end is held against what steps show.

use serde_json::{Value, json};

use super::client::Client;
use super::looking::disassembled;
use super::{is_at_end, shaders};

/// Places of a run that are looked at at most.
const MOST: usize = 80;

/// A place of the first wave: its instruction, lanes that go on from there, and what a register holds by
/// component or lane.
#[derive(Clone, PartialEq, Debug)]
struct Place {
    pointer: Value,
    on: u64,
    holds: Vec<Option<u32>>,
}

impl Place {
    fn is_on(&self, number: usize) -> bool {
        self.on >> number & 1 == 1
    }
}

fn forward(client: &mut Client) {
    client.step("stepIn", json!({ "granularity": "instruction" }));
}

/// Bits as text of hexadecimal digits; what is not known has none.
fn bits(shown: &Value) -> Option<u32> {
    let digits = shown.as_str()?.strip_prefix("0x")?;
    u32::from_str_radix(digits.split(' ').next()?, 16).ok()
}

/// What a register holds where the first thread stands.
fn held(client: &mut Client, name: &str) -> Vec<Option<u32>> {
    let hex = json!({ "hex": true });
    let wanted = json!({ "expression": name, "frameId": 1, "format": hex });
    let Ok(found) = client.tried("evaluate", wanted) else { return Vec::new() };
    if found["variablesReference"] == 0 {
        return vec![bits(&found["result"])];
    }
    let inside = json!({ "variablesReference": found["variablesReference"], "format": hex });
    let parts = client.ask("variables", inside)["variables"].take();
    parts.as_array().expect("a list").iter().map(|part| bits(&part["value"])).collect()
}

fn place(client: &mut Client, name: &str) -> Place {
    let flags = client.scope("Masks and flags");
    let mask = flags.iter().find(|one| one["name"] == "active lanes");
    let on = mask
        .map_or(Some(1), |mask| u64::from_str_radix(mask["value"].as_str()?.strip_prefix("0x")?, 16).ok());
    Place {
        pointer: client.top()["instructionPointerReference"].take(),
        on: on.expect("a mask"),
        holds: held(client, name),
    }
}

/// What a register holds at every place, as steps show it.
fn places(program: &Value, name: &str) -> Vec<Place> {
    let mut client = Client::launched(program);
    let mut all = vec![place(&mut client, name)];
    while all.len() < MOST && !is_at_end(&mut client) {
        forward(&mut client);
        all.push(place(&mut client, name));
    }
    client.end();
    all
}

/// Registers that change within the first places, those that change last at the end.
fn changing(program: &Value) -> Vec<String> {
    let mut client = Client::launched(program);
    let mut found: Vec<String> = Vec::new();
    let mut before = client.scope("Registers");
    for _ in 0..MOST {
        if is_at_end(&mut client) {
            break;
        }
        forward(&mut client);
        let now = client.scope("Registers");
        let value = |all: &[Value], name: &Value| {
            all.iter().find(|one| one["name"] == *name)?["value"].as_str().map(str::to_owned)
        };
        for one in &now {
            if value(&before, &one["name"]).as_deref() != one["value"].as_str() {
                let name = one["name"].as_str().expect("a name").to_owned();
                found.retain(|known| *known != name);
                found.push(name);
            }
        }
        before = now;
    }
    client.end();
    found
}

/// How often the first thread has to be stepped back to its beginning.
fn steps_from_start(client: &mut Client) -> usize {
    for count in 0.. {
        client.ask("stepBack", json!({ "threadId": 1, "granularity": "instruction" }));
        if client.event("stopped")["body"]["reason"] == "entry" {
            return count;
        }
    }
    unreachable!()
}

/// Runs on: why and where the run has ended; nothing at the end of the program.
fn run(client: &mut Client) -> Option<Value> {
    client.ask("continue", json!({ "threadId": 1 }));
    let mut event = client.event_of(&["stopped", "terminated"]);
    (event["event"] == "stopped").then(|| event["body"].take())
}

#[test]
fn writes_of_registers_end_runs_on_every_target() {
    for program in shaders() {
        let names = changing(&program);
        assert!(names.len() > 2, "{program}: {names:?}");
        for name in names.iter().rev().take(2) {
            let all = places(&program, name);
            let changed: Vec<usize> =
                (1..all.len()).filter(|&at| all[at].holds != all[at - 1].holds).collect();
            let mut client = Client::launched(&program);
            let info = client.ask("dataBreakpointInfo", json!({ "name": name }));
            assert_eq!(info["dataId"], json!(name), "{program}");
            let watched = json!({ "breakpoints": [{ "dataId": name, "accessType": "write" }] });
            let set = client.ask("setDataBreakpoints", watched);
            assert_eq!(set["breakpoints"][0]["verified"], true, "{program}: {name}");
            let stop = run(&mut client).unwrap_or_else(|| panic!("{program}: nothing wrote {name}"));
            assert_eq!(
                (&stop["reason"], &stop["hitBreakpointIds"][0]),
                (&json!("data breakpoint"), &set["breakpoints"][0]["id"]),
                "{program}: {name}"
            );
            let here = place(&mut client, name);
            assert!(all.contains(&here), "{program}: {name} {here:?}");
            // The write of what was there already is one, too.
            let at = steps_from_start(&mut client);
            let first = *changed.first().expect("it changes");
            assert!(at <= first && all[at] == here, "{program}: {name} at {at}, not at {first}");
            client.end();
        }
    }
}

#[test]
fn reads_of_registers_end_runs_on_every_target() {
    for program in shaders() {
        let mut client = Client::launched(&program);
        // What the code reads first is known from the beginning.
        let known = client.scope("Registers");
        let known = known.iter().filter_map(|one| one["name"].as_str().map(str::to_owned));
        let mut is_read = false;
        for name in known.chain(changing(&program)).take(12) {
            // Of uniforms some targets do not record who reads them, and say so.
            if client.ask("dataBreakpointInfo", json!({ "name": name }))["dataId"].is_null() {
                continue;
            }
            let watched = json!({ "breakpoints": [{ "dataId": name, "accessType": "read" }] });
            client.ask("setDataBreakpoints", watched);
            client.ask("restart", json!({}));
            client.event("stopped");
            let Some(stop) = run(&mut client) else { continue };
            assert_eq!(stop["reason"], "data breakpoint", "{program}: {name}");
            let pointer = client.top()["instructionPointerReference"].take();
            let before =
                json!({ "memoryReference": pointer, "instructionOffset": -1, "instructionCount": 1 });
            let code = client.ask("disassemble", before);
            let text = code["instructions"][0]["instruction"].as_str().expect("text").to_owned();
            let plain = name.split(|c: char| c.is_ascii_digit() || c == '[').next().expect("letters");
            is_read |= text.contains(plain);
        }
        assert!(is_read, "{program}: no instruction before a stop names its register");
        client.end();
    }
}

#[test]
fn registers_that_nothing_writes_end_no_run() {
    let mut tested = 0;
    for program in shaders() {
        let changed = changing(&program);
        let mut client = Client::launched(&program);
        let mut known = client.scope("Registers");
        // Of lanes the first alone is looked at here.
        let lanes = client.ask("threads", Value::Null)["threads"].as_array().is_some_and(|all| all.len() > 1);
        let is_plain = |one: &Value| {
            one["name"].as_str().is_some_and(|name| name.contains(|c: char| c.is_ascii_digit()))
        };
        known.retain(|one| (!lanes || one["variablesReference"] == 0) && is_plain(one));
        let mut names = known.iter().filter_map(|one| one["name"].as_str());
        let Some(name) = names.find(|name| !changed.iter().any(|other| other == name)) else {
            client.end();
            continue;
        };
        tested += 1;
        let watched = json!({ "breakpoints": [{ "dataId": name, "accessType": "write" }] });
        client.ask("setDataBreakpoints", watched);
        assert_eq!(run(&mut client), None, "{program}: {name}");
        client.end();
    }
    assert!(tested >= 3, "{tested} programs have such registers");
}

/// The condition that a component or lane of a register holds some bits.
fn condition(name: &str, count: usize, lanes: bool, wanted: u32) -> String {
    match count > 1 && !lanes {
        true => format!("{name}.x == {wanted:#x}"),
        false => format!("{name} == {wanted:#x}"),
    }
}

#[test]
fn conditions_end_runs_where_they_hold_first_on_every_target() {
    for program in shaders() {
        for name in changing(&program).iter().rev().take(2) {
            let all = places(&program, name);
            // A value that is there late, and the lane or component that has it.
            let lanes = all.iter().any(|place| place.on > 1);
            let late = all[..all.len() - 1].iter().rev().find_map(|place| {
                let number =
                    (0..place.holds.len()).filter(|_| lanes).rev().find(|&n| place.is_on(n)).unwrap_or(0);
                Some((place.pointer.clone(), (*place.holds.get(number)?)?, place.holds.len()))
            });
            let Some((pointer, wanted, count)) = late else { continue };
            let text = condition(name, count, lanes, wanted);
            let of = |place: &Place, number: usize| {
                place.holds.get(number.min(place.holds.len().max(1) - 1)).copied().flatten()
            };
            let holds = |place: &Place| match lanes {
                true => (0..64).find(|&n| place.is_on(n) && of(place, n) == Some(wanted)),
                false => (of(place, 0) == Some(wanted)).then_some(0),
            };
            let met = all.iter().enumerate().skip(1).find_map(|(at, place)| {
                (place.pointer == pointer).then(|| Some((at, holds(place)?))).flatten()
            });
            let (at, lane) = met.expect("it holds where it was found");
            let mut client = Client::launched(&program);
            let set = |condition: &str| json!({ "breakpoints": [{ "instructionReference": pointer, "condition": condition }] });
            client.ask("setInstructionBreakpoints", set(&format!("!({text})  && 1 == 2")));
            assert_eq!(run(&mut client), None, "{program}: what never holds");
            client.ask("restart", json!({}));
            client.event("stopped");
            client.ask("setInstructionBreakpoints", set(&text));
            let stop =
                run(&mut client).unwrap_or_else(|| panic!("{program}: {text} never held at {pointer}"));
            assert_eq!(stop["reason"], "breakpoint", "{program}: {text}");
            assert_eq!(stop["threadId"], json!(lane + 1), "{program}: {text}");
            let held = client.ask("evaluate", json!({ "expression": text, "frameId": lane + 1 }));
            assert_eq!(held["result"], "true", "{program}: {text}");
            assert_eq!(steps_from_start(&mut client), at, "{program}: {text}");
            client.end();
        }
    }
}

#[test]
fn conditions_that_cannot_be_read_say_so() {
    for program in shaders() {
        let mut client = Client::launched(&program);
        let code = disassembled(&mut client);
        let all: Vec<Value> = code
            .iter()
            .map(|one| json!({ "instructionReference": one["address"], "condition": "no_such_name > 1.0" }))
            .collect();
        client.ask("setInstructionBreakpoints", json!({ "breakpoints": all }));
        client.ask("continue", json!({ "threadId": 1 }));
        let mut told = Vec::new();
        loop {
            let event = client.event_of(&["output", "terminated", "stopped"]);
            if event["event"] != "output" {
                assert_eq!(event["event"], "terminated", "{program}");
                break;
            }
            told.push(event["body"]["output"].to_string());
        }
        let complaints = told.iter().filter(|text| text.contains("no_such_name")).count();
        assert_eq!(complaints, 1, "{program}: it is said once: {told:?}");
        client.end();
    }
}

#[test]
fn passing_is_counted() {
    let program = super::scaled("a3xx");
    let line = 11;
    let mut seen = Vec::new();
    for hits in ["1", ">= 2", "3"] {
        let mut client = Client::launched(&program);
        let wanted = json!({ "source": { "path": program["program"] }, "breakpoints": [{ "line": line, "hitCondition": hits }] });
        client.ask("setBreakpoints", wanted);
        let stop = run(&mut client).expect("the loop goes round");
        assert_eq!(stop["reason"], "breakpoint");
        seen.push(steps_from_start(&mut client));
        client.end();
    }
    assert!(seen.windows(2).all(|two| two[0] < two[1]), "{seen:?}");
}
