//! Seeded faults in a driver's code: what the simulator sees go wrong, the checker must have found.
//!
//! `CHIARO_VECTORS=FOLDER` takes the units of a larger set.

use std::collections::BTreeMap;
use std::sync::Arc;

use chiaro_agx::check::contract::Contract;
use chiaro_agx::check::{Config as Rules, Piece, Stage, check};
use chiaro_agx::machine::{Config, FaultKind, Group, Launch, Pixels, Program};
use chiaro_isa::Rng;
use chiaro_sim::mapped::Mapped;
use serde_json::Value;

const FAULTS: usize = 10_000;

/// A main part, or a linked program of fragments, with the rules that it is checked by.
struct Unit {
    name: String,
    code: Vec<u8>,
    rules: Rules,
}

fn units() -> Vec<Unit> {
    let own = format!("{}/tests/vectors", env!("CARGO_MANIFEST_DIR"));
    let folder = std::env::var("CHIARO_VECTORS").map_or(own, |folder| format!("{folder}/agx"));
    let rows = |name: &str, unit: fn(&Value) -> Option<Unit>| -> Vec<Unit> {
        let text = std::fs::read_to_string(format!("{folder}/{name}")).expect("the units are there");
        let rows = text.lines().filter(|line| line.starts_with('{'));
        rows.filter_map(|row| unit(&serde_json::from_str(row).expect("JSON"))).collect()
    };
    [rows("compile.jsonl", unit), rows("link.jsonl", fragments)].into_iter().flatten().collect()
}

fn bytes(digits: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).expect("hexadecimal");
    (0..digits.len() / 2).map(byte).collect()
}

/// Linked programs of fragments: they decide on samples.
fn fragments(row: &Value) -> Option<Unit> {
    if row["stage"] != "frag" {
        return None;
    }
    let halves = row["gprs"].as_array()?.iter().filter_map(Value::as_u64).max().map(|n| n as u16);
    let rules = Rules { stage: Stage::Fragment, halves, ..Rules::default() };
    Some(Unit { name: row["name"].as_str()?.to_owned(), code: bytes(row["linked"].as_str()?), rules })
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
    let start = number("main_offset");
    let mut code = bytes(digits)[start..start + number("main_size")].to_vec();
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
        "sample_mask" | "zs_emit" => {
            // A sample more or less, or another register.
            code[at + 1] ^= 2;
            Some("sample")
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
fn goes_wrong(code: &[u8], stage: Stage) -> Option<FaultKind> {
    let contracts = stage == Stage::Fragment;
    let config = Config { soft_fault: true, fuel: 400, engine: None, contracts, ..Config::default() };
    let program = Arc::new(Program::new(code, 0, &config));
    let mut group = Group::new(&program, &config, &Launch::default(), 1 << 15);
    group.enter(&Launch::default(), [0; 3]);
    if contracts {
        let coefficients = vec![[[0.5; 3]; 32]; 256];
        group.simdgroups[0].shade(Pixels { coefficients, ..Pixels::default() });
    }
    let outcome = group.run(&mut Mapped::default());
    let by_number = samples_by_number(code);
    outcome.faults.into_iter().map(|fault| fault.kind).find(|kind| {
        use FaultKind as F;
        let flow = matches!(kind, F::TooEarly(..) | F::Counter | F::Target(_) | F::Trap);
        flow || matches!(kind, F::Undefined(_) | F::Decided(_))
            || by_number && matches!(kind, F::Undecided(_))
    })
}

/// Whether numbers say which samples are decided on: a register may hold what the draw gives, which is nothing here.
fn samples_by_number(code: &[u8]) -> bool {
    places(code).into_iter().all(|(at, name)| name != "sample_mask" || code[at + 1] & 1 == 1)
}

#[test]
fn faults_that_show_are_found() {
    let units = units();
    let mut rng = Rng(1);
    let (mut shown, mut found_alone, mut silent, mut missed) = (0, 0, 0, Vec::new());
    // By what was changed: those that show and are found, that are found alone, that change neither.
    let mut table: BTreeMap<&str, [u32; 3]> = BTreeMap::new();
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
        let row = table.entry(what).or_default();
        match (goes_wrong(&code, unit.rules.stage), found) {
            (Some(_), true) => (row[0], shown) = (row[0] + 1, shown + 1),
            (None, true) => (row[1], found_alone) = (row[1] + 1, found_alone + 1),
            (None, false) => (row[2], silent) = (row[2] + 1, silent + 1),
            (Some(kind), false) => missed.push(format!("{} at {:#x}, {what}: {kind}", unit.name, place.0)),
        }
    }
    println!("{shown} show and are found, {found_alone} are found alone, {silent} change neither");
    table.iter().for_each(|(what, row)| println!("{what:9} {row:?}"));
    assert!(missed.is_empty(), "{} of {FAULTS} missed:\n{}", missed.len(), missed.join("\n"));
    assert!(shown > FAULTS / 50, "only {shown} faults show");
}

/// The same units as they are go well on the simulator.
#[test]
fn nothing_is_wrong_before() {
    for unit in units() {
        assert_eq!(goes_wrong(&unit.code, unit.rules.stage), None, "{}", unit.name);
        assert!(check(&unit.code, &unit.rules).is_empty(), "{}", unit.name);
    }
}
