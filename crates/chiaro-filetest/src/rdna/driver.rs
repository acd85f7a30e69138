//! `aco_words*.jsonl`: code of a driver's compiler. The checker accepts it, our statistics of it are
//! the driver's, and it computes what another driver computed from the same shaders.
//! `aco_waits.jsonl`: what each of its waits protects.

mod images;
mod launch;
mod outputs;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use chiaro_rdna::check::{Config as Rules, Found, check};
use chiaro_rdna::machine::{Config, FaultKind, Group, Outcome, Program};
use chiaro_sim::mapped::Mapped;
use serde_json::Value;

use crate::compute::packed_words;
use crate::suite::{Miss, Row};
use launch::Launch;
pub(super) use outputs::Case;

/// The driver's programs.
const WORDS: &str = "aco_words.jsonl";

/// A program of the driver's with what a launch needs.
#[derive(Clone)]
pub(super) struct Driven {
    name: String,
    pub(super) wave: u8,
    pub(super) workgroup: [u32; 3],
    /// Code, padding behind it, constants behind that.
    bytes: Vec<u8>,
    /// Bytes of code.
    code: usize,
    pub(super) row: Value,
}

impl Driven {
    /// A program that we made, described as a row describes the driver's.
    pub(super) fn new(name: &str, wave: u8, workgroup: [u32; 3], code: &[u8], row: Value) -> Driven {
        Driven { name: name.to_owned(), wave, workgroup, bytes: code.to_vec(), code: code.len(), row }
    }

    /// Reads a row; nothing for the head.
    pub(super) fn read(text: &str) -> Result<Option<Driven>, Miss> {
        let row: Value = serde_json::from_str(text).map_err(|e| format!("the row is not JSON: {e}"))?;
        if row.get("_comment").is_some() {
            return Ok(None);
        }
        let number = |name: &str| row[name].as_u64().ok_or_else(|| format!("the row has no `{name}`"));
        let sizes: Vec<u32> = row["workgroup"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|n| Some(n.as_u64()? as u32))
            .collect();
        let words = packed_words(row["words"].as_str().unwrap_or_default())?;
        Ok(Some(Driven {
            name: row["name"].as_str().unwrap_or_default().to_owned(),
            wave: if number("wave")? == 64 { 64 } else { 32 },
            workgroup: sizes.try_into().map_err(|_| "`workgroup` is not three numbers")?,
            code: 4 * (number("code_words")? as usize).min(words.len()),
            bytes: words.iter().flat_map(|word| word.to_le_bytes()).collect(),
            row,
        }))
    }

    /// The row of a shader in waves of a size.
    pub(super) fn find(folder: &Path, file: &str, name: &str, wave: &str) -> Result<Driven, Miss> {
        let text = std::fs::read_to_string(folder.join(file)).map_err(|e| format!("{file}: {e}"))?;
        let start = format!("{{\"name\": \"{name}\", \"wave\": {wave},");
        let line = text.lines().find(|line| line.starts_with(&start));
        let line = line.ok_or_else(|| format!("{file} has no words of {name} in waves of {wave}"))?;
        Driven::read(line)?.ok_or_else(|| "there are no words".into())
    }

    pub(super) fn code(&self) -> &[u8] {
        &self.bytes[..self.code]
    }

    pub(super) fn has_pictures(&self) -> bool {
        self.name.starts_with("image_")
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The same with other code.
    pub(super) fn changed(&self, code: &[u8]) -> Driven {
        let mut bytes = self.bytes.clone();
        bytes[..self.code].copy_from_slice(code);
        Driven { bytes, ..self.clone() }
    }

    pub(super) fn rules(&self) -> Rules {
        Rules { wave: self.wave, group: Some(self.workgroup.iter().product()) }
    }
}

/// What the checker calls an error.
pub(super) fn errors(code: &[u8], rules: Rules) -> Vec<Found> {
    let mut found = check(code, rules);
    found.retain(|f| f.finding.rule.severity == chiaro_isa::finding::Severity::Error);
    found
}

/// All that a row says: its sum, the checker's silence, the outputs.
pub(super) fn program(row: &Row<'_>) -> Result<(), Miss> {
    let Some(driven) = Driven::read(row.text)? else { return Ok(()) };
    whole(&driven)?;
    accepted(&driven)?;
    run(&driven, row)
}

/// The words are those that the driver made its sum of.
fn whole(driven: &Driven) -> Result<(), Miss> {
    let sum = format!("{:08x}", crc32(&driven.bytes));
    match driven.row["hash"].as_str() {
        Some(hash) if hash == sum => Ok(()),
        hash => Err(format!("the words have the sum {sum}, the row says {hash:?}").into()),
    }
}

/// The sum of zlib without its last inversion, as ACO has it.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    bytes.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), |sum, _| step(sum)))
}

/// The checker has nothing to say.
pub(super) fn accepted(driven: &Driven) -> Result<(), Miss> {
    match errors(driven.code(), driven.rules()).first() {
        Some(found) => Err(format!("word {}: {}", found.word, found.finding.message).into()),
        None => Ok(()),
    }
}

/// The simulator computes what the row's case says, in as many instructions as the row says.
fn run(driven: &Driven, row: &Row<'_>) -> Result<(), Miss> {
    let run = &driven.row["run"];
    let case = case_of(driven, row.folder)?;
    let case = case.ok_or_else(|| format!("no case says what comes of {}", driven.name))?;
    let (memory, executed) = on_simulator(driven, &case)?;
    if driven.has_pictures() {
        return images::check(&memory, driven);
    }
    case.check(&launch::buffers(&memory, &case), run["agrees"].as_str())?;
    match run["executed"].as_u64() {
        Some(wanted) if wanted != executed && !case.has_order() => {
            Err(format!("{executed} instructions are executed, not {wanted}").into())
        }
        _ => Ok(()),
    }
}

/// A program of ours computes what its case says.
pub(super) fn run_compiled(driven: &Driven, row: &Row<'_>) -> Result<(), Miss> {
    let case = Case::parse(row.text)?;
    let (memory, _) = on_simulator(driven, &case)?;
    case.check(&launch::buffers(&memory, &case), None)
}

/// A program of ours that reads and writes images does what its source says.
pub(super) fn run_pictures(driven: &Driven) -> Result<(), Miss> {
    let (memory, _) = on_simulator(driven, &Case::without_buffers(images::GROUPS, images::push()))?;
    images::check(&memory, driven)
}

/// What a program is given, and what comes of it.
pub(super) fn case_of(driven: &Driven, folder: &Path) -> Result<Option<Case>, Miss> {
    let case = Case::find(folder, &driven.name)?;
    let pictures = || driven.has_pictures().then(|| Case::without_buffers(images::GROUPS, images::push()));
    Ok(case.or_else(pictures))
}

/// Memory behind a run, and the instructions of all waves.
fn on_simulator(driven: &Driven, case: &Case) -> Result<(Mapped, u64), Miss> {
    let mut ready = Ready::new(driven, case)?;
    let executed = ready.run()?;
    Ok((ready.memory, executed))
}

/// What goes wrong first, if anything does.
pub(super) fn first_fault(driven: &Driven, case: &Case) -> Result<Option<FaultKind>, Miss> {
    let mut ready = Ready::new(driven, case)?;
    for id in ready.launch.groups() {
        if let Some(fault) = ready.run_group(id).faults.first() {
            return Ok(Some(fault.kind.clone()));
        }
    }
    Ok(None)
}

/// A program that is decoded, with everything that its dispatch needs.
struct Ready {
    launch: Launch,
    group: Group,
    memory: Mapped,
}

impl Ready {
    fn new(driven: &Driven, case: &Case) -> Result<Ready, Miss> {
        let program = Arc::new(Program::new(driven.code(), driven.wave));
        let launch = Launch::new(driven, case)?;
        let config = Config { fuel: 1 << 26, ..Config::default() };
        let lds = driven.row["lds"].as_u64().unwrap_or(0) as usize;
        let scratch = driven.row["scratch"].as_u64().unwrap_or(0) as usize;
        let scratch = if driven.row["words"].is_null() { scratch } else { 0 };
        let mut group = Group::new(&program, &config, launch.waves(), lds, scratch);
        group.set_code_base(launch::CODE);
        let mut memory = launch.memory(driven, case)?;
        if case.buffers.is_empty() {
            images::map(&mut memory, driven)?;
        }
        Ok(Ready { launch, group, memory })
    }

    /// Runs all groups: the instructions of all waves.
    fn run(&mut self) -> Result<u64, Miss> {
        let mut executed = 0;
        for id in self.launch.groups() {
            let outcome = self.run_group(id);
            if let Some(fault) = outcome.faults.first() {
                return Err(format!("group {id:?}: {fault}").into());
            }
            executed += outcome.issued;
        }
        Ok(executed)
    }

    fn run_group(&mut self, id: [u32; 3]) -> Outcome {
        self.group.reset();
        self.group.waves.iter_mut().for_each(|wave| self.launch.enter(wave, id));
        self.group.run(&mut self.memory)
    }
}

/// How fast a program ran.
pub(crate) struct Speed {
    /// Shader and lanes of a wave.
    pub(crate) name: String,
    /// Instructions of all waves.
    pub(crate) executed: u64,
    /// What the fastest run took.
    pub(crate) seconds: f64,
}

/// Runs the driver's programs, each so many times, with all checks of the simulator.
pub(crate) fn speeds(folder: &Path, runs: usize) -> Result<Vec<Speed>, Miss> {
    let text = std::fs::read_to_string(folder.join(WORDS)).map_err(|e| format!("{WORDS}: {e}"))?;
    let mut speeds = Vec::new();
    for line in text.lines() {
        let Some(driven) = Driven::read(line)? else { continue };
        let Some(case) = case_of(&driven, folder)? else { continue };
        speeds.push(speed(&driven, &case, runs)?);
    }
    Ok(speeds)
}

/// Runs a program so many times.
pub(super) fn speed(driven: &Driven, case: &Case, runs: usize) -> Result<Speed, Miss> {
    let mut speed =
        Speed { name: format!("{} {}", driven.name, driven.wave), executed: 0, seconds: f64::INFINITY };
    for _ in 0..runs {
        let mut ready = Ready::new(driven, case)?;
        let start = Instant::now();
        speed.executed = ready.run()?;
        speed.seconds = speed.seconds.min(start.elapsed().as_secs_f64());
    }
    Ok(speed)
}

/// The code of all programs of the driver's, with the lanes of a wave.
pub(crate) fn code(folder: &Path) -> Result<Vec<(Vec<u8>, u8)>, Miss> {
    let text = std::fs::read_to_string(folder.join(WORDS)).map_err(|e| format!("{WORDS}: {e}"))?;
    let rows = text.lines().map(Driven::read).collect::<Result<Vec<_>, _>>()?;
    Ok(rows.into_iter().flatten().map(|driven| (driven.code().to_vec(), driven.wave)).collect())
}

/// With a field of a wait weakened, the checker finds what the row says.
pub(super) fn waits(row: &Row<'_>) -> Result<(), Miss> {
    let waits = row.json()?;
    if waits.get("_comment").is_some() {
        return Ok(());
    }
    let (name, wave) = (waits["name"].as_str().unwrap_or_default(), &waits["wave"]);
    let driven = Driven::find(row.folder, WORDS, name, &wave.to_string())?;
    for wait in waits["waits"].as_array().into_iter().flatten() {
        for counter in ["vm", "lgkm"] {
            let without = &wait[counter]["without"];
            if !without.is_null() {
                weakened(&driven, wait, counter, without)?;
            }
        }
    }
    Ok(())
}

fn weakened(driven: &Driven, wait: &Value, counter: &str, without: &Value) -> Result<(), Miss> {
    let at = wait["at"].as_u64().unwrap_or(u64::MAX) as usize;
    let mut code = driven.code().to_vec();
    let rest = code.get_mut(4 * at..).and_then(|rest| rest.first_chunk_mut::<4>());
    let word = rest.ok_or("a wait stands behind the code")?;
    let most = u32::from_le_bytes(*word) | if counter == "vm" { 0xc00f } else { 0x3f00 };
    word.copy_from_slice(&most.to_le_bytes());
    let names = |f: &Found| {
        Some(u64::from(f.word)) == without["at"].as_u64()
            && f.register.as_deref() == without["reg"].as_str()
            && f.load.map(u64::from) == without["load"].as_u64()
    };
    if errors(&code, driven.rules()).iter().any(names) {
        return Ok(());
    }
    Err(format!("word {at} without {counter}: {without} is not found").into())
}
