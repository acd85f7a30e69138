//! Values that are set while a program stands somewhere: what was before stays, what follows follows from them.

use serde_json::{Value, json};

use super::client::Client;
use super::{examples, scaled, shaders};

/// One instruction of the first thread.
fn forward(client: &mut Client, count: usize) {
    for _ in 0..count {
        client.step("stepIn", json!({ "granularity": "instruction" }));
    }
}

/// What a run tells until it ends, or stops at a fault.
fn outputs(client: &mut Client) -> String {
    client.ask("continue", json!({ "threadId": 1 }));
    let mut text = String::new();
    loop {
        let event = client.event_of(&["output", "stopped", "terminated"]);
        match event["event"].as_str() {
            Some("output") => text += event["body"]["output"].as_str().expect("text"),
            _ => return text,
        }
    }
}

fn registers(client: &mut Client) -> Vec<Value> {
    client.scope("Registers")
}

/// Sets a register by its name as an expression.
fn set(client: &mut Client, name: &str, value: &str) {
    client.ask("setExpression", json!({ "expression": name, "value": value, "frameId": 1 }));
    client.event("invalidated");
}

fn evaluated(client: &mut Client, text: &str) -> String {
    let made = client.ask("evaluate", json!({ "expression": text, "frameId": 1 }));
    made["result"].as_str().expect("text").to_owned()
}

#[test]
fn registers_can_be_set_on_every_target() {
    for program in shaders() {
        let mut plain = Client::launched(&program);
        let wanted = outputs(&mut plain);
        plain.end();
        let mut is_other = false;
        for (n, place) in (2..40).step_by(3).flat_map(|place| [(0, place), (1, place)]) {
            let mut client = Client::launched(&program);
            forward(&mut client, place);
            if client.top()["name"].as_str().is_some_and(|name| name.contains("at its end")) {
                break;
            }
            let mut all = registers(&mut client);
            let at = if n == 0 { all.len().saturating_sub(1) } else { place % all.len().max(1) };
            let Some(register) = (at < all.len()).then(|| all.swap_remove(at)) else { continue };
            let name = register["name"].as_str().expect("a name").to_owned();
            let (before, whole) = (client.state(), register["value"].clone());
            let request = json!({ "expression": name, "value": "7.5", "frameId": 1 });
            if let Err(why) = client.tried("setExpression", request) {
                // What units of Utgard hand on is on wires.
                assert!(
                    why.contains("cannot be set") && program["target"] == "utgard-gp",
                    "{program}: {why}"
                );
                client.end();
                continue;
            }
            let now = client.variable("Registers", &name)["value"].clone();
            let shown = now.as_str().expect("text");
            // A float, half of one, a whole number.
            let is_set = ["7.5", "0x00004780", "0x00000007"].iter().any(|wanted| shown.contains(wanted));
            assert!(is_set, "{program}: {name} is {now}");
            let changed = client.state();
            client.step("stepBack", json!({ "granularity": "instruction" }));
            forward(&mut client, 1);
            assert_eq!(client.state(), changed, "{program}: {name} at {place}");
            assert!(before != changed || whole == now, "{program}: {name} at {place}");
            is_other |= outputs(&mut client) != wanted;
            client.end();
        }
        assert!(is_other, "{program}: nothing that was set is seen by what follows");
    }
}

#[test]
fn what_is_set_is_what_the_next_instructions_read() {
    // add r0 to itself: what is put there between the two is what comes out.
    let mut client = super::lamps();
    client.ask("configurationDone", json!({}));
    client.event("stopped");
    client.refused("setExpression", json!({ "expression": "nothing", "value": "1", "frameId": 1 }));
    client.refused("setExpression", json!({ "expression": "r0.x", "value": "high", "frameId": 1 }));
    client.refused("setExpression", json!({ "expression": "r0", "value": "1, 2, 3", "frameId": 1 }));
    forward(&mut client, 2);
    let before = evaluated(&mut client, "r0.y");
    set(&mut client, "r0.x", "2.5");
    assert!(evaluated(&mut client, "r0.x").starts_with("2.5"));
    assert_eq!(evaluated(&mut client, "r0.y"), before, "the other components stay");
    // A list gives each component its own; the scope takes it as well.
    let registers = client.scopes(1).into_iter().find(|scope| scope["name"] == "Registers").expect("a scope");
    let reference = registers["variablesReference"].clone();
    let answer = client
        .ask("setVariable", json!({ "variablesReference": reference, "name": "r0", "value": "1, 2, 3, 4" }));
    assert_eq!(answer["value"], "1.0, 2.0, 3.0, 4.0");
    let r0 = client.variable("Registers", "r0");
    let reference = r0["variablesReference"].clone();
    client.ask("setVariable", json!({ "variablesReference": reference, "name": "z", "value": "r0.x + 8" }));
    assert_eq!(client.variable("Registers", "r0")["value"], "1.0, 2.0, 9.0, 4.0");
    // Behind where one goes back to, what was set is forgotten.
    client.step("stepBack", json!({ "granularity": "instruction" }));
    set(&mut client, "r0.x", "6");
    forward(&mut client, 1);
    assert!(!client.variable("Registers", "r0")["value"].as_str().expect("text").contains("9.0"));
    client.ask("restart", json!({}));
    client.event("stopped");
    forward(&mut client, 2);
    assert_eq!(evaluated(&mut client, "r0.y"), before, "a restart is as the launch was");
    client.end();
}

#[test]
fn a_flag_that_is_set_sends_the_program_another_way() {
    let jumps = "/../chiaro-pica200/tests/vectors/programs/jumps.v.pica";
    let program = json!({ "program": format!("{}{jumps}", env!("CARGO_MANIFEST_DIR")) });
    let trail = |flip: bool| {
        let mut client = Client::launched(&program);
        let (mut seen, mut is_done) = (Vec::new(), !flip);
        for _ in 0..40 {
            if client.top()["name"].as_str().is_some_and(|name| name.contains("at its end")) {
                break;
            }
            let flags = client.scope("Masks and flags");
            if let Some(flag) =
                flags.iter().find(|one| one["name"].as_str().is_some_and(|n| n.starts_with("cmp.")))
                && !is_done
            {
                is_done = true;
                let name = flag["name"].as_str().expect("a name").to_owned();
                let value = if flag["value"] == "true" { "0" } else { "1" };
                let scopes = client.scopes(1);
                let scope = scopes.iter().find(|scope| scope["name"] == "Masks and flags").expect("a scope");
                let reference = scope["variablesReference"].clone();
                client.ask(
                    "setVariable",
                    json!({ "variablesReference": reference, "name": name, "value": value }),
                );
                let now = client.variable("Masks and flags", &name);
                assert_ne!(now["value"], flag["value"]);
            }
            forward(&mut client, 1);
            seen.push(client.top()["instructionPointerReference"].clone());
        }
        client.end();
        seen
    };
    assert_ne!(trail(true), trail(false));
}

#[test]
fn variables_of_the_source_can_be_set_where_they_stand() {
    for program in shaders() {
        let mut client = Client::launched(&program);
        let mut is_set = false;
        for _ in 0..120 {
            let locals = client.scope("Locals");
            let there =
                locals.iter().filter(|local| local["value"].as_str().is_some_and(|v| v.contains(" in ")));
            let names: Vec<String> =
                there.map(|local| local["name"].as_str().expect("a name").to_owned()).collect();
            for name in names {
                let scopes = client.scopes(1);
                let scope = scopes.iter().find(|scope| scope["name"] == "Locals").expect("a scope");
                let reference = scope["variablesReference"].clone();
                let wanted = json!({ "variablesReference": reference, "name": name, "value": "3" });
                match client.tried("setVariable", wanted) {
                    Ok(answer) => {
                        let shown = answer["value"].as_str().expect("text");
                        // Of a vector some components may stand nowhere.
                        let first = shown.split(", ").find(|part| *part != "?");
                        assert!(first.is_some_and(|n| n.starts_with('3')), "{program}: {name} is {shown}");
                        is_set = true;
                    }
                    // A wire of Utgard is no register; the value is gone before one could look at it.
                    Err(why) => assert!(
                        why.contains("cannot be set") || why.contains("ended"),
                        "{program}: {name}: {why}"
                    ),
                }
            }
            if is_set {
                break;
            }
            forward(&mut client, 1);
        }
        let has_wires = program["target"] == "utgard-gp";
        assert!(is_set || has_wires, "{program}: no variable can be set anywhere");
        client.end();
    }
}

#[test]
fn lanes_are_set_one_by_one() {
    for target in ["rdna", "agx", "a3xx"] {
        let mut client = Client::launched(&scaled(target));
        forward(&mut client, 6);
        let by_lane = |client: &mut Client| {
            let all = registers(client);
            all.into_iter().find(|one| one["variablesReference"] != 0).expect("a register of lanes")
        };
        let register = by_lane(&mut client);
        let name = register["name"].as_str().expect("a name").to_owned();
        set(&mut client, &format!("{name}[5]"), "0x1234");
        let register = client.variable("Registers", &name);
        let first = client.children(&register);
        assert!(
            first[5]["value"].as_str().expect("text").contains("0x00001234"),
            "{target}: {name} {}",
            first[5]
        );
        set(&mut client, &format!("{name}[6]"), "0x77");
        let register = client.variable("Registers", &name);
        let now = client.children(&register);
        assert!(
            now[6]["value"].as_str().expect("text").contains("0x00000077"),
            "{target}: {name} {}",
            now[6]
        );
        assert_eq!(
            [&now[4]["value"], &now[5]["value"]],
            [&first[4]["value"], &first[5]["value"]],
            "{target}"
        );
        client.end();
    }
}

#[test]
fn matrices_are_columns_whatever_holds_them() {
    let columns = json!([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [0, 0, 0, 1]]);
    let rows = json!([[1, 5, 9, 0], [2, 6, 10, 0], [3, 7, 11, 0], [4, 8, 12, 1]]);
    for target in ["pica200", "utgard-gp", "a3xx"] {
        // PICA200's host uploads rows.
        let given = if target == "pica200" { &rows } else { &columns };
        let inputs = json!({
            "uniforms": { "modelview": given, "projection": given },
            "vertices": [{ "position": [1.5, 2.5, 3.5], "normal": [0.5, 1, 2] }],
        });
        let program = json!({ "program": examples("glsl/phong.vert"), "target": target, "inputs": inputs });
        let mut client = Client::launched(&program);
        forward(&mut client, 60);
        client.step("stepBack", json!({}));
        let matrix = client.variable("Names", "modelview");
        let shown: Vec<String> = client
            .children(&matrix)
            .iter()
            .map(|one| one["value"].as_str().expect("text").to_owned())
            .collect();
        assert_eq!(shown.len(), 4, "{target}: {matrix} {shown:?}");
        assert!(shown[1].starts_with("5.0, 6.0, 7.0"), "{target}: {shown:?}");
        client.end();
    }
}

#[test]
fn every_group_of_a_dispatch_is_recorded() {
    for target in ["rdna", "agx", "a3xx"] {
        let mut program = scaled(target);
        program["inputs"]["groups"] = json!([2]);
        let mut client = Client::launched(&program);
        let threads = client.ask("threads", Value::Null)["threads"].clone();
        let threads = threads.as_array().expect("a list");
        let of_second: Vec<u64> = threads
            .iter()
            .filter(|one| one["name"].as_str().is_some_and(|name| name.starts_with("group 1,0,0 ")))
            .filter_map(|one| one["id"].as_u64())
            .collect();
        assert!(of_second.len() >= 32 && of_second.len() < threads.len(), "{target}: {}", threads.len());
        let thread = of_second[0];
        for _ in 0..5 {
            client.ask("stepIn", json!({ "threadId": thread, "granularity": "instruction" }));
            assert_eq!(client.event("stopped")["body"]["threadId"], thread);
        }
        // Each group goes by itself.
        let at = |client: &mut Client, thread: u64| {
            client.ask("stackTrace", json!({ "threadId": thread }))["stackFrames"][0]["instructionPointerReference"].take()
        };
        assert_ne!(at(&mut client, 1), at(&mut client, thread), "{target}");
        client.end();
    }
}
