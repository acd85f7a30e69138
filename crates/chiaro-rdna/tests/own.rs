//! Operations without rows in the vectors, by cases that are written from sections 5 to 9 of the
//! specification alone: `own.tsv` by hand, `own-more.tsv` by the model in `tools/rdna-cases.py`.

use std::sync::Arc;

use chiaro_rdna::isa::isa;
use chiaro_rdna::machine::{Config, Group, Program};
use chiaro_sim::mapped::{Mapped, Range};
use chiaro_sim::{Engine, Lanes};

const BUFFER: u64 = 0x1_0000_0000;
const END: [u8; 4] = [0, 0, 0x81, 0xbf];

fn words(text: &str, wave: u8) -> Result<Vec<u8>, String> {
    let (isa, mut words) = (isa(wave), Vec::new());
    for line in text.split(';').map(str::trim) {
        let inst = isa.parse(line, &isa.cx()).map_err(|e| format!("{line}: {e}"))?.inst;
        words.extend_from_slice(&inst.to_bytes()[..usize::from(inst.length)]);
    }
    words.extend(END);
    Ok(words)
}

fn number(text: &str) -> u32 {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    }
    .unwrap_or_else(|_| panic!("`{text}` is no number"))
}

/// Runs a case; s[0:1] has the buffer's address, s[4:7] its descriptor, v0 the lane's number.
fn group(wave: u8, setup: &str, text: &str, engine: Option<Engine>) -> Result<Group, String> {
    let program = Arc::new(Program::new(&words(text, wave)?, wave));
    let mut group = Group::new(&program, &Config { engine, ..Config::default() }, 1, 256, 16);
    let state = &mut group.waves[0];
    let lanes = [0, 32].map(|first| Lanes(std::array::from_fn(|lane| first + lane as u32)));
    state.set_vector(0, &lanes);
    let fixed = [0, 1, 0, 0, 0, 1, 256, 0x3101_6fac];
    (0..).zip(fixed).for_each(|(register, value)| state.set_scalar(register, value));
    for (name, value) in setup.split_whitespace().filter_map(|token| token.split_once('=')) {
        match name.split_at(1) {
            _ if name == "exec" => {
                let digits = value.trim_start_matches("0x");
                state.set_exec(u64::from_str_radix(digits, 16).expect("hexadecimal"));
            }
            _ if name == "m0" => state.set_scalar(124, number(value)),
            _ if name == "vcc" => state.set_scalar(106, number(value)),
            ("v", register) => {
                state.set_vector(number(register) as u16, &[Lanes::splat(number(value)); 2]);
            }
            (_, register) => state.set_scalar(number(register) as u16, number(value)),
        }
    }
    let mut memory = Mapped::default();
    let bytes = (0..64_u32).flat_map(|n| (0x0102_0300 + n).to_le_bytes()).collect();
    memory.map(Range { name: "buffer".to_owned(), base: BUFFER, bytes }).expect("room");
    let outcome = group.run(&mut memory);
    if outcome.faults.is_empty() { Ok(group) } else { Err(format!("faults: {:?}", outcome.faults)) }
}

/// What a case expects and does not find.
fn wrong(group: &Group, expected: &str) -> Vec<String> {
    let wave = &group.waves[0];
    let exec = wave.exec();
    let mut all = Vec::new();
    for (name, value) in expected.split_whitespace().filter_map(|token| token.split_once('=')) {
        let wanted = number(value);
        let (register, lane) = match name.split_once('[') {
            Some((register, lane)) => (register, Some(number(lane.trim_end_matches(']')) as usize)),
            None => (name, None),
        };
        let index = || number(&register[1..]) as u16;
        let found: Vec<u32> = match (register, lane) {
            ("scc", _) => vec![wave.scc().into()],
            ("vcc", _) => vec![wave.scalar(106)],
            (_, Some(lane)) => vec![wave.vector(index(), lane)],
            _ if register.starts_with('s') => vec![wave.scalar(index())],
            _ => {
                let runs = (0..usize::from(wave.lanes())).filter(|n| exec[n / 32] >> (n % 32) & 1 == 1);
                runs.map(|lane| wave.vector(index(), lane)).collect()
            }
        };
        if let Some(other) = found.iter().find(|found| **found != wanted) {
            all.push(format!("{name} is {other:#x}, not {value}"));
        }
    }
    all
}

#[test]
fn operations_compute_what_the_specification_says() {
    let mut failures = Vec::new();
    let rows = [include_str!("own.tsv"), include_str!("own-more.tsv")].into_iter().flat_map(str::lines);
    let rows = rows.filter(|line| !line.starts_with('#') && !line.is_empty());
    for row in rows {
        let columns: Vec<&str> = row.split('\t').collect();
        let [wave, setup, text, expected] = columns[..] else { panic!("{row}") };
        for engine in [None, Some(Engine::best()), Some(Engine::Portable)] {
            let wave = number(wave) as u8;
            let found = match group(wave, setup, text, engine) {
                Ok(group) => wrong(&group, expected),
                Err(why) => vec![why],
            };
            failures.extend(found.into_iter().map(|why| format!("{text} ({wave}, {engine:?}): {why}")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
