//! Golden runs: programs, inputs and the registers afterwards, as azahar's
//! interpreter gives them (`exec`) and Panda3DS's for what azahar lacks
//! (`exec_litp`). Both engines must give the same bits in `emu32`.
//!
//! The rows also serve as programs with every kind of control flow: lanes with
//! different inputs must come out as if each had run alone.
//!
//! With `CHIARO_VECTORS` set to a folder, the full files are run as well.

use std::sync::Arc;

use chiaro_num::{F24, ulp};
use chiaro_pica200::machine::config::EngineChoice;
use chiaro_pica200::machine::{Config, Event, Machine, Mode, Program, Register};
use serde_json::Value;

const ENGINES: [EngineChoice; 3] = [EngineChoice::Batch, EngineChoice::Portable, EngineChoice::Scalar];

fn words(text: &Value) -> Vec<u32> {
    text.as_str().unwrap_or("").split_whitespace().map(|w| u32::from_str_radix(w, 16).unwrap()).collect()
}

fn four(text: &Value) -> [u32; 4] {
    words(text).try_into().unwrap()
}

fn entries(map: &Value) -> impl Iterator<Item = (u8, &Value)> {
    map.as_object().into_iter().flatten().map(|(n, value)| (n.parse().unwrap(), value))
}

/// The machine for a row, loaded and with its uniforms.
fn machine(row: &Value, mode: Mode, engine: EngineChoice) -> Machine {
    let geometry = row["gs"].as_bool().is_some_and(|gs| gs).then(|| words(&row["outmask"])[0] as u16);
    let config = Config { mode, engine, geometry, ..Config::default() };
    let descriptors: Vec<[u32; 2]> = words(&row["opdesc"]).into_iter().map(|d| [d, 0]).collect();
    let entry = row["entry"].as_u64().unwrap() as u32;
    let program = Program::load(&words(&row["code"]), &descriptors, entry, &config).unwrap();
    let mut machine = Arc::new(program).machine();
    for (n, value) in entries(&row["c"]) {
        machine.set_float24(n, four(value));
    }
    for (n, value) in entries(&row["i"]) {
        machine.set_int(n, words(value)[0].to_le_bytes());
    }
    let bools = words(&row["b"]).first().copied().unwrap_or(0);
    (0..16).for_each(|n| machine.set_bool(n, bools >> n & 1 != 0));
    machine
}

fn set_inputs(machine: &mut Machine, row: &Value, lane: usize) {
    for (n, value) in entries(&row["v"]) {
        machine.set_input(lane, n, four(value).map(|raw| F24.decode_f32(raw)));
    }
}

/// Runs one row on all lanes and compares everything that it states.
fn check(row: &Value, engine: EngineChoice) -> Result<(), String> {
    let mut machine = machine(row, Mode::Emu32, engine);
    machine.start(32);
    (0..32).for_each(|lane| set_inputs(&mut machine, row, lane));
    machine.execute();
    let lenient = row["src"].as_str().is_some_and(|s| s.contains("ex2") || s.contains("lg2"))
        || row["code"].as_str().is_some_and(uses_transcendentals);
    let close = |a: u32, b: u32| {
        let distance = ulp::distance(f32::from_bits(a), f32::from_bits(b));
        a == b || distance <= u32::from(lenient) && (lenient || f32::from_bits(a).is_nan())
    };
    for lane in [0, 31] {
        for (bank, make) in [("o", Register::Output as fn(u8) -> Register), ("r", Register::Temporary)] {
            // Geometry rows say nothing about outputs but their events.
            let Some(bank_expected) = row["expect"].get(bank) else { continue };
            for n in 0..16 {
                let expected = bank_expected.get(n.to_string()).map_or([0; 4], four);
                let found = machine.register(lane, make(n));
                if !expected.iter().zip(found).all(|(e, f)| close(*e, f)) {
                    return Err(format!("{bank}{n}: expected {expected:08x?}, found {found:08x?}"));
                }
            }
        }
        let integers = |value: &Value| -> Option<Vec<i64>> {
            Some(value.as_array()?.iter().map(|n| n.as_i64().unwrap()).collect())
        };
        let address = machine.address(lane).map(i64::from).to_vec();
        let flags = machine.flags(lane).map(i64::from).to_vec();
        for (name, found) in [("a", address), ("cmp", flags)] {
            if integers(&row["expect"][name]).is_some_and(|expected| expected != found) {
                return Err(format!("{name}: expected {}, found {found:?}", row["expect"][name]));
            }
        }
        if let Some(expected) = row["expect"]["events"].as_array() {
            let found: Vec<String> = machine.events(lane).iter().map(event).collect();
            if *expected != found {
                return Err(format!("events: expected {expected:?}, found {found:?}"));
            }
        }
    }
    check_trace(row, engine)
}

fn uses_transcendentals(code: &str) -> bool {
    let mut opcodes = code.split_whitespace().map(|w| u32::from_str_radix(w, 16).unwrap() >> 26);
    opcodes.any(|op| matches!(op, 5 | 6))
}

fn event(event: &Event) -> String {
    match event {
        Event::Winding => "W".to_owned(),
        Event::Vertex(rows) => {
            let rows = rows.iter().map(|row| row.map(|x| format!(":{x:08x}")).concat().replacen(':', "", 1));
            rows.fold("V".to_owned(), |text, row| text + ":" + &row.replace(':', ","))
        }
    }
}

fn check_trace(row: &Value, engine: EngineChoice) -> Result<(), String> {
    let Some(expected) = row["expect"]["trace"].as_array() else { return Ok(()) };
    let expected: Vec<u64> = expected.iter().map(|n| n.as_u64().unwrap()).collect();
    let mut machine = machine(row, Mode::Emu32, engine);
    machine.start(1);
    set_inputs(&mut machine, row, 0);
    let found: Vec<u64> = machine.trace().map(|step| u64::from(step.pc)).collect();
    if found == expected { Ok(()) } else { Err(format!("trace: expected {expected:?}, found {found:?}")) }
}

fn rows(text: &str) -> impl Iterator<Item = Value> {
    text.lines().filter(|line| line.starts_with('{')).map(|line| serde_json::from_str(line).unwrap())
}

/// Checks all rows of a file and fails with the list of those that differ.
fn check_all(text: &str) {
    let mut failures = Vec::new();
    for row in rows(text).filter(|row| row.get("suspect").is_none()) {
        for engine in ENGINES {
            if let Err(message) = check(&row, engine) {
                failures.push(format!("{} ({engine:?}): {message}", row["id"]));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn sampled_runs() {
    check_all(include_str!("vectors/exec.jsonl"));
}

#[test]
fn all_runs() {
    let Ok(folder) = std::env::var("CHIARO_VECTORS") else { return };
    for name in ["exec.jsonl", "exec_litp.jsonl"] {
        let path = std::path::Path::new(&folder).join("pica200").join(name);
        check_all(&std::fs::read_to_string(path).unwrap());
    }
}

/// Everything that can be seen of a lane.
fn seen(machine: &Machine, lane: usize) -> (Vec<[u32; 4]>, [i32; 3], [bool; 2], Vec<Event>) {
    // NaNs differ in sign and payload where the host's arithmetic is used.
    let plain = |x: u32| if f32::from_bits(x).is_nan() { 0x7FC0_0000 } else { x };
    let registers = (0..16).flat_map(|n| [Register::Output(n), Register::Temporary(n)]);
    let registers = registers.map(|r| machine.register(lane, r).map(plain)).collect();
    let plain_event = |event: &Event| match event {
        Event::Vertex(rows) => Event::Vertex(rows.iter().map(|row| row.map(plain)).collect()),
        Event::Winding => Event::Winding,
    };
    let events = machine.events(lane).iter().map(plain_event).collect();
    (registers, machine.address(lane), machine.flags(lane), events)
}

/// Inputs for a lane that send it another way than its neighbours.
fn vary(machine: &mut Machine, row: &Value, lane: usize, variant: usize) {
    for (n, value) in entries(&row["v"]) {
        let mut value = four(value).map(|raw| F24.decode_f32(raw));
        value.rotate_left(variant % 4);
        let sign = if variant & 4 == 0 { 1.0 } else { -1.0 };
        machine.set_input(lane, n, value.map(|x| x * sign + (variant / 8) as f32));
    }
}

#[test]
fn lanes_are_independent() {
    for row in rows(include_str!("vectors/exec.jsonl")) {
        for mode in [Mode::Emu32, Mode::Hw24] {
            let mut together = machine(&row, mode, EngineChoice::Batch);
            together.start(32);
            (0..32).for_each(|lane| vary(&mut together, &row, lane, lane));
            together.execute();
            for lane in [0, 1, 5, 14, 31] {
                let mut alone = machine(&row, mode, EngineChoice::Scalar);
                alone.start(1);
                vary(&mut alone, &row, 0, lane);
                alone.execute();
                assert_eq!(seen(&together, lane), seen(&alone, 0), "{} {mode:?} lane {lane}", row["id"]);
            }
        }
    }
}

/// Rows whose values are all float24 numbers say something about the console.
#[test]
fn exact_rows_hold_in_float24() {
    let special = |class: &str| {
        class.starts_with("special")
            || matches!(class, "transcendental" | "scalar_fn" | "cmp_reserved" | "litp")
    };
    for row in rows(include_str!("vectors/exec.jsonl")) {
        if row["expect"]["exact24"] != true || special(row["class"].as_str().unwrap()) {
            continue;
        }
        let mut machine = machine(&row, Mode::Hw24, EngineChoice::Batch);
        machine.start(32);
        (0..32).for_each(|lane| set_inputs(&mut machine, &row, lane));
        machine.execute();
        for (bank, make) in [("o", Register::Output as fn(u8) -> Register), ("r", Register::Temporary)] {
            for (n, expected) in entries(&row["expect"][bank]) {
                let expected = four(expected).map(|x| if x == 1 << 31 { 0 } else { x });
                assert_eq!(machine.register(3, make(n)), expected, "{} {bank}{n}", row["id"]);
            }
        }
    }
}
