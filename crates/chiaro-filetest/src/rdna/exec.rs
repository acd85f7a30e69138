//! `exec_semantics.tsv`: single instructions with inputs and results, on both engines and in
//! waves of both sizes.

use std::sync::Arc;

use chiaro_rdna::isa::isa;
use chiaro_rdna::machine::{Config, Group, Program, Wave};
use chiaro_rdna::regs::code;
use chiaro_sim::mapped::Mapped;
use chiaro_sim::{Engine, Lanes};

use crate::suite::{Miss, Row};

/// Lanes that run, in each half: the others must keep what they have.
const RUNNING: [u32; 2] = [0x0f3c_55ff, 0x8001_7ffe];
/// What registers hold before, where the row says nothing.
const BEFORE: u32 = 0;
const S_ENDPGM: [u8; 4] = [0, 0, 0x81, 0xbf];

pub(super) fn exec(row: &Row<'_>) -> Result<(), Miss> {
    let [class, name, inputs, outputs] = row.columns()?;
    let case = Case { class, name, inputs: pairs(inputs)?, outputs: pairs(outputs)? };
    for wave in [32, 64] {
        for engine in [None, Some(Engine::best()), Some(Engine::Portable)] {
            case.run(wave, engine).map_err(|why| {
                let on = engine.map_or("reference".to_owned(), |engine| format!("{engine:?}"));
                Miss::Failed(format!("{name}, wave {wave}, {on}: {why}"))
            })?;
        }
    }
    Ok(())
}

/// `name=hex` with blanks between.
fn pairs(text: &str) -> Result<Vec<(&str, u32)>, Miss> {
    let pair = |word| {
        let (name, value) = str::split_once(word, '=')?;
        Some((name, u32::from_str_radix(value, 16).ok()?))
    };
    let read = |word| pair(word).ok_or_else(|| Miss::Failed(format!("`{word}` is no input or output")));
    text.split_whitespace().map(read).collect()
}

struct Case<'a> {
    class: &'a str,
    name: &'a str,
    inputs: Vec<(&'a str, u32)>,
    outputs: Vec<(&'a str, u32)>,
}

impl Case<'_> {
    fn input(&self, name: &str) -> Option<u32> {
        self.inputs.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// The instruction: sources in registers 0 to 2, the result in 3 (scalars: 4).
    fn text(&self, wave: u8) -> Result<String, String> {
        let name = self.name;
        let sources = ["s0", "s1", "s2"].iter().filter(|s| self.input(s).is_some()).count();
        let list = |letter: char| (0..sources).map(|n| format!("{letter}{n}")).collect::<Vec<_>>().join(", ");
        Ok(match self.class {
            "s1" | "s2" => format!("{name} s4, {}", list('s')),
            "sc" => format!("{name} {}", list('s')),
            "v" => format!("{name} v3, {}", list('v')),
            "vc" if wave == 64 => format!("{name}_e64 s[4:5], {}", list('v')),
            "vc" => format!("{name}_e64 s4, {}", list('v')),
            other => return Err(format!("there is no class `{other}`")),
        })
    }

    fn run(&self, wave: u8, engine: Option<Engine>) -> Result<(), String> {
        let (isa, text) = (isa(wave), self.text(wave)?);
        let parsed = isa.parse(&text, &isa.cx()).map_err(|e| format!("`{text}`: {e:?}"))?;
        let mut bytes = parsed.inst.to_bytes()[..usize::from(parsed.inst.length)].to_vec();
        bytes.extend(S_ENDPGM);
        let program = Arc::new(Program::new(&bytes, wave));
        let config = Config { engine, ..Config::default() };
        let mut group = Group::new(&program, &config, 1, 0, 0);
        self.fill(&mut group.waves[0]);
        let outcome = group.run(&mut Mapped::default());
        if let Some(fault) = outcome.faults.first() {
            return Err(fault.to_string());
        }
        self.outputs.iter().try_for_each(|(name, value)| self.compare(&group.waves[0], name, *value))
    }

    fn fill(&self, wave: &mut Wave) {
        for (register, name) in (0..).zip(["s0", "s1", "s2"]) {
            let value = self.input(name).unwrap_or(BEFORE);
            wave.set_vector(register, &[Lanes::splat(value); 2]);
            wave.set_scalar(register, value);
        }
        let before = self.input("dold").unwrap_or(BEFORE);
        wave.set_vector(3, &[Lanes::splat(before); 2]);
        wave.set_scalar(4, before);
        wave.set_scc(self.input("SCC") == Some(1));
        wave.set_scalar(code::EXEC_LO, RUNNING[0]);
        wave.set_scalar(code::EXEC_HI, RUNNING[1]);
    }

    fn compare(&self, wave: &Wave, name: &str, expected: u32) -> Result<(), String> {
        let halves = usize::from(wave.lanes() / 32);
        let found: Vec<(u32, u32)> = match (name, self.class) {
            ("SCC", _) => vec![(wave.scc().into(), expected)],
            ("d", "s1" | "s2") => vec![(wave.scalar(4), expected)],
            ("d", "vc") => {
                let mask = |half: usize| if expected == 0 { 0 } else { RUNNING[half] };
                (0..halves).map(|half| (wave.scalar(4 + half as u16), mask(half))).collect()
            }
            ("d", "v") => {
                let before = self.input("dold").unwrap_or(BEFORE);
                let runs = |lane: usize| RUNNING[lane / 32] >> (lane % 32) & 1 == 1;
                let want = |lane| if runs(lane) { expected } else { before };
                (0..32 * halves).map(|lane| (wave.vector(3, lane), want(lane))).collect()
            }
            _ => return Err(format!("there is no output `{name}`")),
        };
        match found.iter().find(|(found, wanted)| found != wanted) {
            Some((found, wanted)) => Err(format!("{name} is {found:08x}, not {wanted:08x}")),
            None => Ok(()),
        }
    }
}
