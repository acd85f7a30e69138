//! Programs with inputs and results, as bit patterns.

mod laws;

use std::sync::Arc;

use chiaro_num::{F24, ulp};
use chiaro_pica200::isa::{Op, PICA200, fetch};
use chiaro_pica200::machine::config::EngineChoice;
use chiaro_pica200::machine::{Config, Event, Machine, Mode, Program, Register};
use chiaro_sim::LANES;
use serde_json::Value;

use super::assemble::text;
use crate::suite::{Miss, Row, hex_words};

const ENGINES: [EngineChoice; 3] = [EngineChoice::Batch, EngineChoice::Portable, EngineChoice::Scalar];

/// `exec.jsonl` and `exec_litp.jsonl`, in `emu32` on all engines, and what must hold of any
/// program whatever its results.
///
/// All NaNs are one; rows with EX2 or LG2 may be off by one unit in the last place, as these
/// come from the C library of the machine that made the rows.
pub(super) fn exec(row: &Row<'_>) -> Result<(), Miss> {
    let json = row.json()?;
    let run = Run::new(&json)?;
    laws::lanes_are_independent(&run)?;
    if let Some(why) = json["suspect"].as_str() {
        return Err(Miss::Skipped(format!("suspect: {why}")));
    }
    for engine in ENGINES {
        run.results(engine).and_then(|()| run.trace(engine)).map_err(|miss| on(engine, miss))?;
    }
    laws::exact_rows_hold_in_float24(&run)
}

/// A row: a program with its uniforms and inputs, and what comes of them.
struct Run<'a> {
    json: &'a Value,
    code: Vec<u32>,
    descriptors: Vec<[u32; 2]>,
    inputs: Vec<(u8, [f32; 4])>,
}

impl<'a> Run<'a> {
    fn new(json: &'a Value) -> Result<Self, Miss> {
        let descriptors = hex_words(&text(json, "opdesc")?)?;
        let input = |(register, raw): (Result<u8, Miss>, &str)| {
            Ok((register?, four(raw)?.map(|raw| F24.decode_f32(raw))))
        };
        Ok(Run {
            json,
            code: hex_words(&text(json, "code")?)?,
            descriptors: descriptors.into_iter().map(|word| [word, 0]).collect(),
            inputs: registers(&json["v"]).map(input).collect::<Result<_, Miss>>()?,
        })
    }

    /// A machine with the program and its uniforms, started with so many lanes.
    fn machine(&self, mode: Mode, engine: EngineChoice, lanes: usize) -> Result<Machine, Miss> {
        let config = Config { mode, engine, geometry: geometry(self.json)?, ..Config::default() };
        let entry = self.json["entry"].as_u64().unwrap_or(0) as u32;
        let program = Program::load(&self.code, &self.descriptors, entry, &config);
        let mut machine = Arc::new(program.map_err(|e| e.to_string())?).machine();
        machine.start(lanes);
        let bools = self.json["b"].as_str().map(hex).transpose()?.unwrap_or(0);
        (0..16).for_each(|b| machine.set_bool(b, bools >> b & 1 != 0));
        for (i, word) in registers(&self.json["i"]) {
            machine.set_int(i?, hex(word)?.to_le_bytes());
        }
        for (c, raw) in registers(&self.json["c"]) {
            machine.set_float24(c?, four(raw)?);
        }
        Ok(machine)
    }

    /// As [`machine`](Self::machine), with the row's inputs in every lane.
    fn filled(&self, mode: Mode, engine: EngineChoice, lanes: usize) -> Result<Machine, Miss> {
        let mut machine = self.machine(mode, engine, lanes)?;
        for lane in 0..lanes {
            self.inputs.iter().for_each(|&(register, value)| machine.set_input(lane, register, value));
        }
        Ok(machine)
    }

    /// The registers, flags and events that the row states, in the first and last lane.
    fn results(&self, engine: EngineChoice) -> Result<(), Miss> {
        let mut machine = self.filled(Mode::Emu32, engine, LANES)?;
        machine.execute();
        let tolerance = u32::from(uses_library(&self.code, &self.descriptors));
        let expect = &self.json["expect"];
        [0, LANES - 1].into_iter().try_for_each(|lane| compare(&machine, lane, expect, tolerance))
    }

    /// The words executed in order, where the row lists them.
    fn trace(&self, engine: EngineChoice) -> Result<(), Miss> {
        let Some(expected) = self.json["expect"]["trace"].as_array() else { return Ok(()) };
        let mut machine = self.filled(Mode::Emu32, engine, 1)?;
        let found: Vec<u64> = machine.trace().take(expected.len() + 1).map(|step| step.pc.into()).collect();
        if expected.iter().filter_map(Value::as_u64).eq(found.iter().copied()) {
            Ok(())
        } else {
            Err(format!("the trace is {found:?}").into())
        }
    }
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

/// Register numbers with the texts of their values.
fn registers(object: &Value) -> impl Iterator<Item = (Result<u8, Miss>, &str)> {
    let pairs = object.as_object().into_iter().flatten();
    pairs.map(|(number, value)| {
        let number = number.parse().map_err(|_| Miss::Failed(format!("`{number}` is no register")));
        (number, value.as_str().unwrap_or(""))
    })
}

fn four(text: &str) -> Result<[u32; 4], Miss> {
    hex_words(text)?.try_into().map_err(|_| Miss::Failed(format!("`{text}` is not four numbers")))
}

fn hex(text: &str) -> Result<u32, Miss> {
    let digits = text.trim_start_matches("0x");
    u32::from_str_radix(digits, 16).map_err(|_| Miss::Failed(format!("`{text}` is not hexadecimal")))
}

fn compare(machine: &Machine, lane: usize, expect: &Value, tolerance: u32) -> Result<(), Miss> {
    compare_bank(machine, lane, &expect["o"], 'o', tolerance)?;
    compare_bank(machine, lane, &expect["r"], 'r', tolerance)?;
    let numbers =
        |value: &Value| value.as_array().map(|all| all.iter().filter_map(Value::as_i64).collect::<Vec<_>>());
    let address: Vec<i64> = machine.address(lane).map(i64::from).to_vec();
    if numbers(&expect["a"]).is_some_and(|expected| expected != address) {
        return Err(format!("a0.x a0.y aL are {address:?}, not {}", expect["a"]).into());
    }
    let flags: Vec<i64> = machine.flags(lane).map(i64::from).to_vec();
    if numbers(&expect["cmp"]).is_some_and(|expected| expected != flags) {
        return Err(format!("cmp is {flags:?}, not {}", expect["cmp"]).into());
    }
    let events: Vec<String> = machine.events(lane).iter().map(event).collect();
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
    lane: usize,
    expect: &Value,
    letter: char,
    tolerance: u32,
) -> Result<(), Miss> {
    if expect.is_null() {
        return Ok(());
    }
    for n in 0..16 {
        let expected = expect[n.to_string()].as_str().map_or(Ok([0; 4]), four)?;
        let found = machine.register(lane, register(letter, n));
        let same = |(&a, &b): (&u32, &u32)| close(a, b, tolerance);
        if !found.iter().zip(&expected).all(same) {
            return Err(format!("{letter}{n} is {found:08x?}, not {expected:08x?}").into());
        }
    }
    Ok(())
}

/// A register of the banks that rows list.
fn register(letter: char, n: u8) -> Register {
    if letter == 'o' { Register::Output(n) } else { Register::Temporary(n) }
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
