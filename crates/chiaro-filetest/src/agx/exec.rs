//! Instructions and kernels on the simulator, on every engine.

use std::sync::Arc;

use chiaro_agx::machine::{Choices, Config, Group, Launch, Program, SimdGroup};
use chiaro_sim::mapped::{Mapped, Range};
use chiaro_sim::{Engine, LANES, Lanes};
use serde_json::Value;

use super::bytes;
use crate::suite::{Miss, Row};

const STOP: [u8; 2] = [0x88, 0];

/// The engines, with the values of what nobody knows that a row allows.
fn configs() -> impl Iterator<Item = Config> {
    let engines = [None, Some(Engine::best()), Some(Engine::Portable)];
    engines.into_iter().map(|engine| Config { engine, ..Config::default() })
}

/// Runs code on registers that `fill` sets, one lane after another as `lanes` says.
fn run(
    code: &[u8],
    config: &Config,
    memory: &mut Mapped,
    fill: impl FnOnce(&mut SimdGroup),
) -> Result<SimdGroup, String> {
    let program = Arc::new(Program::new(code, 0, config));
    let mut group = Group::new(&program, config, &Launch::default(), 0);
    fill(&mut group.simdgroups[0]);
    let outcome = group.run(memory);
    match outcome.faults.first() {
        Some(fault) => Err(fault.to_string()),
        None => Ok(group.simdgroups.remove(0)),
    }
}

/// `r0=deadbeef;r2=...`, `-` for none: file, number, value.
fn registers(text: &str) -> Result<Vec<(char, u16, u32)>, String> {
    let one = |part: &str| {
        let (name, value) = part.split_once('=')?;
        let (file, number) = name.split_at_checked(1)?;
        let value = u32::from_str_radix(value, 16).ok()?;
        Some((file.chars().next()?, number.parse().ok()?, value))
    };
    let parts = text.split(';').filter(|part| !part.is_empty() && *part != "-");
    parts.map(|part| one(part).ok_or_else(|| format!("`{part}` is no register"))).collect()
}

fn fill(group: &mut SimdGroup, all: &[(char, u16, u32)]) {
    (0..128).for_each(|n| group.set_word(n, Lanes::ZERO));
    for (file, number, value) in all {
        if *file == 'u' {
            group.set_uniform(2 * number, *value as u16);
            group.set_uniform(2 * number + 1, (value >> 16) as u16);
        } else {
            group.set_word(*number, Lanes::splat(*value));
        }
    }
}

fn compare(group: &SimdGroup, wanted: &[(char, u16, u32)]) -> Result<(), String> {
    for (_, number, value) in wanted {
        let found = group.word(*number).0;
        if let Some(other) = found.iter().find(|found| *found != value) {
            return Err(format!("r{number} is {other:08x}, not {value:08x}"));
        }
    }
    Ok(())
}

/// Single instructions.
pub(super) fn alu(row: &Row<'_>) -> Result<(), Miss> {
    let [class, code, _, general, uniforms, outputs] = row.columns()?;
    let inputs = [registers(general)?, registers(uniforms)?].concat();
    let (code, outputs) = ([bytes(code)?, STOP.to_vec()].concat(), registers(outputs)?);
    // The sign of such a product is disputed: the vectors have one value of the assumption.
    let disputed = class == "disputed_negzero";
    for config in configs() {
        let config = Config { choices: Choices { positive_zero: disputed, ..config.choices }, ..config };
        let group = run(&code, &config, &mut Mapped::default(), |group| fill(group, &inputs))?;
        compare(&group, &outputs)?;
    }
    Ok(())
}

/// Memory of so many bytes at an address.
fn mapped(base: u64, bytes: Vec<u8>) -> Mapped {
    let mut memory = Mapped::default();
    // One range alone lies over nothing.
    let _ = memory.map(Range { name: "memory".to_owned(), base, bytes });
    memory
}

fn pair(register: u16, value: u64, file: char) -> [(char, u16, u32); 2] {
    [(file, register, value as u32), (file, register + 1, (value >> 32) as u32)]
}

/// Loads with conversion.
pub(super) fn load(row: &Row<'_>) -> Result<(), Miss> {
    let [_, code, _, base, index, at, data, outputs] = row.columns()?;
    let hex = |text: &str| u64::from_str_radix(text, 16).map_err(|_| format!("`{text}` is no address"));
    let base = hex(base)?;
    let mut inputs = [pair(2, base, 'u'), pair(10, base, 'r')].concat();
    if index != "-" {
        let index: i32 = index.parse().map_err(|_| format!("`{index}` is no index"))?;
        inputs.push(('r', 12, index as u32));
    }
    inputs.extend((4..9).map(|n| ('r', n, 0xdead_0000 | u32::from(n))));
    let code = [bytes(code)?, vec![0x38, 0], STOP.to_vec()].concat();
    for config in configs() {
        let group = run(&code, &config, &mut mapped(hex(at)?, bytes(data)?), |group| fill(group, &inputs))?;
        compare(&group, &registers(outputs)?)?;
    }
    Ok(())
}

/// A list of numbers, one for each lane.
fn lanes(text: &str, radix: u32) -> Result<Lanes, String> {
    let numbers: Result<Vec<u32>, _> = text.split(',').map(|n| u32::from_str_radix(n, radix)).collect();
    let numbers = numbers.ok().and_then(|all| <[u32; LANES]>::try_from(all).ok());
    numbers.map(Lanes).ok_or_else(|| format!("`{text}` has not a number for each lane"))
}

/// Instructions across lanes.
pub(super) fn simd(row: &Row<'_>) -> Result<(), Miss> {
    let [_, code, _, mask, values, indices, outputs] = row.columns()?;
    let mask = u32::from_str_radix(mask, 16).map_err(|_| format!("`{mask}` is no mask"))?;
    let (values, wanted) = (lanes(values, 16)?, lanes(outputs, 16)?);
    let indices = if indices == "-" { Lanes::ZERO } else { lanes(indices, 10)? };
    let code = [bytes(code)?, STOP.to_vec()].concat();
    for config in configs() {
        let group = run(&code, &config, &mut Mapped::default(), |group| {
            fill(group, &[]);
            group.set_word(2, values);
            group.set_word(3, indices);
            group.set_active(mask);
        })?;
        let found = group.word(4);
        if let Some(lane) = (0..LANES).find(|n| found.0[*n] != wanted.0[*n]) {
            let (found, wanted) = (found.0[lane], wanted.0[lane]);
            return Err(format!("r4 of lane {lane} is {found:08x}, not {wanted:08x}").into());
        }
    }
    Ok(())
}

/// Sequences that change the mask: r0l and the mask after each instruction.
pub(super) fn mask_stack(row: &Row<'_>) -> Result<(), Miss> {
    let row = row.json()?;
    let array = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut general = Vec::new();
    for list in array(&row["gpr_r1_r7"]) {
        let all: Vec<String> = array(&list).iter().map(text).collect();
        general.push(lanes(&all.join(","), 16)?);
    }
    let steps = array(&row["steps"]);
    let code: Result<Vec<Vec<u8>>, String> = steps.iter().map(|step| bytes(&text(&step["hex"]))).collect();
    for config in configs() {
        // The state after so many instructions is that at the end of a program of so many.
        for (n, step) in steps.iter().enumerate() {
            let program = [code.clone()?[..=n].concat(), STOP.to_vec()].concat();
            let group = run(&program, &config, &mut Mapped::default(), |group| {
                fill(group, &[]);
                (1..).zip(&general).for_each(|(n, values)| group.set_word(n, *values));
            })?;
            let mask = format!("{:08x}", group.active());
            if mask != text(&step["exec"]) {
                return Err(format!("step {n}: the mask is {mask}, not {}", text(&step["exec"])).into());
            }
            let counters: Vec<u64> = array(&step["r0l"]).iter().filter_map(Value::as_u64).collect();
            let found: Vec<u64> = group.word(0).0.iter().map(|bits| u64::from(bits & 0xffff)).collect();
            if found != counters {
                return Err(format!("step {n}: r0l is {found:?}, not {counters:?}").into());
            }
        }
    }
    Ok(())
}

/// Whole kernels on one lane: operands one behind the other in one buffer, the result in another.
pub(super) fn kernel(row: &Row<'_>) -> Result<(), Miss> {
    const OPERANDS: u64 = 0x10_0000;
    const RESULT: u64 = 0x20_0000;
    let [ty, result, _, code, uniforms, operands, wanted] = row.columns()?;
    let size = |ty: &str| match ty {
        "uint64_t" => 8,
        "float16_t" | "int16_t" | "uint16_t" => 2,
        _ => 4,
    };
    let mut data = Vec::new();
    for number in operands.split(',') {
        let number = u64::from_str_radix(number, 16).map_err(|_| format!("`{number}` is no operand"))?;
        data.extend_from_slice(&number.to_le_bytes()[..size(ty)]);
    }
    let inputs = [&pair(0, OPERANDS, 'u')[..], &pair(2, RESULT, 'u'), &registers_of(uniforms)?].concat();
    let code = bytes(code)?;
    for config in configs() {
        // The results are those of applegpu's emulator, also where products are negative zeros.
        let config = Config { choices: Choices { positive_zero: true, ..config.choices }, ..config };
        let mut memory = mapped(OPERANDS, data.clone());
        let stored = if stores_to_operands(&code) { OPERANDS } else { RESULT };
        let room = Range { name: "result".to_owned(), base: RESULT, bytes: vec![0; size(result)] };
        memory.map(room)?;
        run(&code, &config, &mut memory, |group| {
            fill(group, &inputs);
            group.launch(1);
        })?;
        let found = memory.load(stored, size(result)).unwrap_or(0);
        if format!("{found:0width$x}", width = wanted.len()) != wanted {
            return Err(format!("the result is {found:x}, not {wanted}").into());
        }
    }
    Ok(())
}

/// Whether the last store goes to u0_u1: many of these kernels were compiled with one buffer for both
/// (see the note on `compile.jsonl` at the end of the specification).
fn stores_to_operands(code: &[u8]) -> bool {
    let isa = chiaro_agx::isa::isa(0);
    let (mut at, mut found) = (0, false);
    while let Ok(inst) = isa.decode(code.get(at..).unwrap_or_default()) {
        if isa.form(&inst).operation.name == "device_store" {
            let base = isa.value(&inst, "A", &isa.cx()).and_then(chiaro_isa::Value::reg);
            found = base.is_some_and(|base| base.file == chiaro_agx::regs::file::UNIFORM && base.index == 0);
        }
        at += usize::from(inst.length);
    }
    found
}

/// As [`registers`], with commas between.
fn registers_of(text: &str) -> Result<Vec<(char, u16, u32)>, String> {
    registers(&text.replace(',', ";"))
}
