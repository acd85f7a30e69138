//! Programs with inputs and results, as bit patterns.

use std::sync::Arc;

use chiaro_num::{F24, ulp};
use chiaro_pica200::isa::{Op, PICA200, fetch};
use chiaro_pica200::machine::config::EngineChoice;
use chiaro_pica200::machine::{Config, Event, Machine, Program, Register};
use serde_json::Value;

use super::assemble::text;
use crate::vectors::{Miss, Row, hex_words};

/// `exec.jsonl` and `exec_litp.jsonl`, in `emu32`, on the batch engine and on the reference.
///
/// All NaNs are one; rows with EX2 or LG2 may be off by one unit in the last place, as these
/// come from the C library of the machine that made the rows.
pub(super) fn exec(row: &Row<'_>) -> Result<(), Miss> {
    let json = row.json()?;
    if let Some(why) = json["suspect"].as_str() {
        return Err(Miss::Skipped(format!("suspect: {why}")));
    }
    let code = hex_words(&text(&json, "code")?)?;
    let descriptors: Vec<[u32; 2]> =
        hex_words(&text(&json, "opdesc")?)?.into_iter().map(|d| [d, 0]).collect();
    let tolerance = u32::from(uses_library(&code, &descriptors));
    for engine in [EngineChoice::Batch, EngineChoice::Scalar] {
        let config = Config { engine, geometry: geometry(&json)?, ..Config::default() };
        let entry = json["entry"].as_u64().unwrap_or(0) as u32;
        let program = Program::load(&code, &descriptors, entry, &config).map_err(|e| e.to_string())?;
        let mut machine = Arc::new(program).machine();
        load(&mut machine, &json)?;
        machine.execute();
        compare(&machine, &json["expect"], tolerance).map_err(|miss| on(engine, miss))?;
    }
    trace(&code, &descriptors, &json)
}

fn on(engine: EngineChoice, miss: Miss) -> Miss {
    match miss {
        Miss::Failed(why) => Miss::Failed(format!("{engine:?}: {why}")),
        skipped @ Miss::Skipped(_) => skipped,
    }
}

fn uses_library(code: &[u32], descriptors: &[[u32; 2]]) -> bool {
    let op = |word: u32| {
        let inst = PICA200.decode_word(&fetch(word, descriptors), 8).ok()?;
        Some(Op::of(PICA200.form(&inst).op))
    };
    code.iter().any(|&word| matches!(op(word), Some(Op::Ex2 | Op::Lg2)))
}

/// The output mask of a geometry program.
fn geometry(json: &Value) -> Result<Option<u16>, Miss> {
    if json["gs"].as_bool() != Some(true) && json["gs"].as_u64() != Some(1) {
        return Ok(None);
    }
    let mask = &json["outmask"];
    let number = mask.as_str().map(hex).transpose()?.or(mask.as_u64().map(|mask| mask as u32));
    Ok(Some(number.unwrap_or(0x7f) as u16))
}

/// Uniforms and inputs of one invocation.
fn load(machine: &mut Machine, json: &Value) -> Result<(), Miss> {
    machine.start(1);
    let bools = json["b"].as_str().map(hex).transpose()?.unwrap_or(0);
    for b in 0..16 {
        machine.set_bool(b, bools >> b & 1 != 0);
    }
    for (i, word) in registers(&json["i"]) {
        machine.set_int(i?, hex(word)?.to_le_bytes());
    }
    for (c, raw) in registers(&json["c"]) {
        machine.set_float24(c?, row(raw)?);
    }
    for (v, raw) in registers(&json["v"]) {
        machine.set_input(0, v?, row(raw)?.map(|raw| F24.decode_f32(raw)));
    }
    Ok(())
}

/// Register numbers with the texts of their values.
fn registers(object: &Value) -> impl Iterator<Item = (Result<u8, Miss>, &str)> {
    let pairs = object.as_object().into_iter().flatten();
    pairs.map(|(number, value)| {
        let number = number.parse().map_err(|_| Miss::Failed(format!("`{number}` is no register")));
        (number, value.as_str().unwrap_or(""))
    })
}

fn row(text: &str) -> Result<[u32; 4], Miss> {
    hex_words(text)?.try_into().map_err(|_| Miss::Failed(format!("`{text}` is not four numbers")))
}

fn hex(text: &str) -> Result<u32, Miss> {
    let digits = text.trim_start_matches("0x");
    u32::from_str_radix(digits, 16).map_err(|_| Miss::Failed(format!("`{text}` is not hexadecimal")))
}

fn compare(machine: &Machine, expect: &Value, tolerance: u32) -> Result<(), Miss> {
    compare_bank(machine, &expect["o"], 'o', Register::Output, tolerance)?;
    compare_bank(machine, &expect["r"], 'r', Register::Temporary, tolerance)?;
    let numbers =
        |value: &Value| value.as_array().map(|all| all.iter().filter_map(Value::as_i64).collect::<Vec<_>>());
    let address: Vec<i64> = machine.address(0).map(i64::from).to_vec();
    if numbers(&expect["a"]).is_some_and(|expected| expected != address) {
        return Err(format!("a0.x a0.y aL are {address:?}, not {}", expect["a"]).into());
    }
    let flags: Vec<i64> = machine.flags(0).map(i64::from).to_vec();
    if numbers(&expect["cmp"]).is_some_and(|expected| expected != flags) {
        return Err(format!("cmp is {flags:?}, not {}", expect["cmp"]).into());
    }
    let events: Vec<String> = machine.events(0).iter().map(event).collect();
    match expect["events"].as_array() {
        Some(expected)
            if !expected.iter().filter_map(Value::as_str).eq(events.iter().map(String::as_str)) =>
        {
            Err(format!("events are {events:?}").into())
        }
        _ => Ok(()),
    }
}

/// Registers that a row does not list are +0.
fn compare_bank(
    machine: &Machine,
    expect: &Value,
    letter: char,
    register: fn(u8) -> Register,
    tolerance: u32,
) -> Result<(), Miss> {
    if expect.is_null() {
        return Ok(());
    }
    for n in 0..16 {
        let expected = expect[n.to_string()].as_str().map_or(Ok([0; 4]), row)?;
        let found = machine.register(0, register(n));
        let same = |(&a, &b): (&u32, &u32)| close(a, b, tolerance);
        if !found.iter().zip(&expected).all(same) {
            return Err(format!("{letter}{n} is {found:08x?}, not {expected:08x?}").into());
        }
    }
    Ok(())
}

fn close(a: u32, b: u32, tolerance: u32) -> bool {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    super::numbers::same(a, b)
        || tolerance > 0 && !x.is_nan() && !y.is_nan() && ulp::distance(x, y) <= tolerance
}

/// As the rows write events: `V:x,y,z,w:...` for a vertex, `W` for the winding flag.
fn event(event: &Event) -> String {
    match event {
        Event::Winding => "W".into(),
        Event::Vertex(attributes) => {
            let attribute =
                |row: &[u32; 4]| format!(":{:08x},{:08x},{:08x},{:08x}", row[0], row[1], row[2], row[3]);
            format!("V{}", attributes.iter().map(attribute).collect::<String>())
        }
    }
}

/// The words executed in order, where a row lists them.
fn trace(code: &[u32], descriptors: &[[u32; 2]], json: &Value) -> Result<(), Miss> {
    let Some(expected) = json["expect"]["trace"].as_array() else { return Ok(()) };
    let config = Config { geometry: geometry(json)?, ..Config::default() };
    let entry = json["entry"].as_u64().unwrap_or(0) as u32;
    let program = Program::load(code, descriptors, entry, &config).map_err(|e| e.to_string())?;
    let mut machine = Arc::new(program).machine();
    load(&mut machine, json)?;
    let found: Vec<u64> = machine.trace().take(expected.len() + 1).map(|step| step.pc.into()).collect();
    if expected.iter().filter_map(Value::as_u64).eq(found.iter().copied()) {
        Ok(())
    } else {
        Err(format!("the trace is {found:?}").into())
    }
}
