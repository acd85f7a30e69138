//! Seeded faults in a driver's code: what the simulator sees go wrong, the checker must have found.
//!
//! `CHIARO_VECTORS=FOLDER` takes the units of a larger set.

use std::sync::Arc;

use chiaro_agx::check::contract::Contract;
use chiaro_agx::check::{Config as Rules, Piece, Stage, check};
use chiaro_agx::machine::{Config, FaultKind, Group, Launch, Program};
use chiaro_isa::Rng;
use chiaro_sim::mapped::Mapped;
use serde_json::Value;

const FAULTS: usize = 10_000;

/// A main part with the rules that it is checked by.
struct Unit {
    name: String,
    code: Vec<u8>,
    rules: Rules,
}

fn units() -> Vec<Unit> {
    let own = format!("{}/tests/vectors", env!("CARGO_MANIFEST_DIR"));
    let folder = std::env::var("CHIARO_VECTORS").map_or(own, |folder| format!("{folder}/agx"));
    let text = std::fs::read_to_string(format!("{folder}/compile.jsonl")).expect("the units are there");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|row| unit(&serde_json::from_str(row).expect("JSON"))).collect()
}

/// Units that run on the simulator: those of compute, and vertices in software.
fn unit(row: &Value) -> Option<Unit> {
    let number = |name: &str| row[name].as_u64().unwrap_or(0) as usize;
    let piece = match row["stage"].as_str()? {
        "comp" => Piece::Program,
        "vert_sw" => Piece::Last,
        _ => return None,
    };
    let digits = row["binary"].as_str()?;
    let byte = |at: usize| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).expect("hexadecimal");
    let start = number("main_offset");
    let mut code: Vec<u8> = (start..start + number("main_size")).map(byte).collect();
    if code.ends_with(&[0x88, 0]) {
        code.extend([8, 0].repeat(8));
    }
    let halves = Some(number("nr_gprs") as u16);
    let rules = Rules { stage: Stage::Compute, piece, halves, ..Rules::default() };
    Some(Unit { name: row["name"].as_str()?.to_owned(), code, rules })
}

/// Places of the instructions, with their names.
fn places(code: &[u8]) -> Vec<(usize, &'static str)> {
    let isa = chiaro_agx::isa::isa(0);
    let (mut all, mut at) = (Vec::new(), 0);
    while let Ok(inst) = isa.decode(&code[at..]) {
        all.push((at, isa.form(&inst).operation.name));
        at += usize::from(inst.length);
        if at >= code.len() {
            break;
        }
    }
    all
}

/// Changes one thing; `None` where the instruction has nothing of the kind.
fn change(code: &mut [u8], (at, name): (usize, &str), rng: &mut Rng) -> Option<&'static str> {
    match name {
        // The other slot is waited for, or used.
        "wait" => {
            code[at + 1] ^= 1;
            Some("wait")
        }
        "device_load" | "device_store" | "atomic" | "device_load.other" => {
            code[at + 3] ^= 0x40;
            Some("slot")
        }
        "mov_imm" if code[at + 1] & 0x7e == 0 => {
            // What was written to r0l goes elsewhere.
            code[at + 1] |= 2;
            Some("counter")
        }
        "pop_exec" | "if_icmp" | "if_fcmp" => {
            code[at + 1] ^= 8;
            Some("levels")
        }
        "stop" | "trap" | "jmp_exec_any" | "jmp_exec_none" => None,
        _ => {
            // A register of the result.
            code[at + 1] ^= 2 << rng.below(6);
            Some("register")
        }
    }
}

/// What the simulator sees go wrong that words alone can tell.
fn goes_wrong(code: &[u8]) -> Option<FaultKind> {
    let config = Config { soft_fault: true, fuel: 400, engine: None, ..Config::default() };
    let program = Arc::new(Program::new(code, 0, &config));
    let mut group = Group::new(&program, &config, &Launch::default(), 1 << 15);
    group.enter(&Launch::default(), [0; 3]);
    let outcome = group.run(&mut Mapped::default());
    outcome.faults.into_iter().map(|fault| fault.kind).find(|kind| {
        matches!(kind, FaultKind::TooEarly(..) | FaultKind::Counter | FaultKind::Target(_) | FaultKind::Trap)
    })
}

#[test]
fn faults_that_show_are_found() {
    let units = units();
    let mut rng = Rng(1);
    let (mut shown, mut found_alone, mut silent, mut missed) = (0, 0, 0, Vec::new());
    let mut made = 0;
    while made < FAULTS {
        let unit = &units[rng.below(units.len())];
        let places = places(&unit.code);
        let mut code = unit.code.clone();
        let place = places[rng.below(places.len())];
        let Some(what) = change(&mut code, place, &mut rng) else { continue };
        made += 1;
        let before = Contract::of(&unit.code, 0);
        let found = !check(&code, &unit.rules).is_empty() || Contract::of(&code, 0) != before;
        match (goes_wrong(&code), found) {
            (Some(_), true) => shown += 1,
            (None, true) => found_alone += 1,
            (None, false) => silent += 1,
            (Some(kind), false) => missed.push(format!("{} at {:#x}, {what}: {kind}", unit.name, place.0)),
        }
    }
    println!("{shown} show and are found, {found_alone} are found alone, {silent} change neither");
    assert!(missed.is_empty(), "{} of {FAULTS} missed:\n{}", missed.len(), missed.join("\n"));
    assert!(shown > FAULTS / 50, "only {shown} faults show");
}

/// The same units as they are go well on the simulator.
#[test]
fn nothing_is_wrong_before() {
    for unit in units() {
        assert_eq!(goes_wrong(&unit.code), None, "{}", unit.name);
        assert!(check(&unit.code, &unit.rules).is_empty(), "{}", unit.name);
    }
}
