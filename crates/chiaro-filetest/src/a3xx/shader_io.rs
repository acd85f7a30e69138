//! `shader_io.jsonl` with the words of Mesa's compiler, on the simulator.
//!
//! Both ways of running have to agree bit for bit, without a fault: the compiler keeps every
//! distance. Values agree with the row's within its tolerance, and twice what the row's result
//! moves on the interpreter when functions are nudged.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use chiaro_a3xx::machine::{Config, Machine, Mode, Program, World};
use chiaro_sim::LANES;
use serde_json::Value;

use super::driver::{Driver, Order, Place};
use super::is_comment;
use crate::stages::a3xx::{Sample, interpreted, samples};
use crate::stages::{Shader, is_close};
use crate::suite::{Miss, Row};

/// Lanes of a fragment: a quad, of which the first counts.
pub(super) const QUAD: usize = 4;

/// A row, run both ways.
pub(super) fn on_simulator(row: &Row<'_>) -> Result<(), Miss> {
    let values = row.json()?;
    if is_comment(&values) {
        return Err(Miss::Skipped("the head of the file".into()));
    }
    let name = values["name"].as_str().ok_or("the row has no `name`")?;
    check(&values, row.folder, name).map_err(|reason| Miss::Failed(format!("{name}: {reason}")))
}

/// What the listing does not say is guessed: with the right guess all samples agree, and with a
/// wrong one twelve samples do not by chance.
fn check(row: &Value, folder: &Path, name: &str) -> Result<(), String> {
    let stage = row["stage"].as_str().unwrap_or_default();
    let shader = Shader::compile(&folder.join("shaders").join(format!("{name}.{stage}")))?;
    let binary = binary(folder, name, stage)?;
    let words = super::words(&binary["words"]).map_err(|_| "the binary has bad words")?;
    let unused = if stage == "frag" { interpreted::unused(row, &shader)? } else { Vec::new() };
    let orders = Order::all(row, &shader.module, &unused);
    let mut first = Ok(());
    for nudged in [false, true] {
        let mut moved = Moved::new(row, &shader, nudged);
        for order in &orders {
            let driver = Driver::new(&binary, row, &shader.module, order)?;
            let found = run(&driver, row, &words, Mode::Functional)?;
            match compare(row, &mut moved, &found) {
                Ok(()) if run(&driver, row, &words, Mode::Timed)? == found => return Ok(()),
                Ok(()) => return Err("both ways of running differ".to_owned()),
                Err(why) => first = first.and(Err(why)),
            }
        }
    }
    first
}

/// Mesa's binary of a shader; the file is read once.
fn binary(folder: &Path, name: &str, stage: &str) -> Result<Value, String> {
    static FILES: LazyLock<Mutex<HashMap<PathBuf, Arc<str>>>> = LazyLock::new(Mutex::default);
    let path = folder.join("shaders_gpu320_1.jsonl");
    let mut files = FILES.lock().map_err(|_| "another row failed")?;
    if !files.contains_key(&path) {
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        files.insert(path.clone(), text.into());
    }
    let text = Arc::clone(&files[&path]);
    drop(files);
    let head = format!("{{\"name\": \"{name}\", \"stage\": \"{stage}\"");
    let line =
        text.lines().find(|line| line.starts_with(&head)).ok_or("there is no binary of this shader")?;
    serde_json::from_str(line).map_err(|e| e.to_string())
}

/// Runs all samples: the bits of each, `None` where it is discarded.
pub(super) fn run(
    driver: &Driver,
    row: &Value,
    words: &[u64],
    mode: Mode,
) -> Result<Vec<Option<Vec<u32>>>, String> {
    let count = samples(row)?.len();
    let lanes = if row["stage"] == "frag" { QUAD } else { 1 };
    let config = Config { mode, ..Config::default() };
    let mut machine = Machine::new(Arc::new(Program::new(words, &config)));
    let mut world: World = driver.world();
    machine.load_constants(&world);
    let mut found = Vec::new();
    let batch = LANES / lanes;
    for first in (0..count).step_by(batch) {
        let here = batch.min(count - first);
        machine.clear();
        for lane in 0..here * lanes {
            driver.load(&mut machine, row, first + lane / lanes, lane, lane % lanes);
        }
        machine.start(here * lanes);
        machine.run(&mut world);
        if let Some(fault) = machine.faults().first() {
            return Err(format!("instruction {}, {mode:?}: {}", fault.instruction, fault.kind));
        }
        let killed = machine.killed();
        found.extend((0..here).map(|k| {
            let lane = k * lanes;
            let value = |place: &Place| place.read(&machine, lane);
            (killed >> lane & 1 == 0).then(|| driver.outputs.iter().map(value).collect())
        }));
    }
    Ok(found)
}

/// How far results move when functions are nudged; nothing in the first round.
pub(super) struct Moved<'a> {
    row: &'a Value,
    shader: &'a Shader,
    nudged: bool,
    known: HashMap<usize, Vec<f64>>,
}

impl<'a> Moved<'a> {
    pub(super) fn new(row: &'a Value, shader: &'a Shader, nudged: bool) -> Moved<'a> {
        Moved { row, shader, nudged, known: HashMap::new() }
    }

    fn of(&mut self, k: usize, width: usize) -> Result<Vec<f64>, String> {
        if !self.nudged {
            return Ok(vec![0.0; width]);
        }
        if let Some(known) = self.known.get(&k) {
            return Ok(known.clone());
        }
        let moved = interpreted::moved(self.row, self.shader, k, width)?;
        self.known.insert(k, moved.clone());
        Ok(moved)
    }
}

/// All samples against what the row expects of them.
pub(super) fn compare(row: &Value, moved: &mut Moved<'_>, found: &[Option<Vec<u32>>]) -> Result<(), String> {
    for (k, sample) in samples(row)?.iter().enumerate() {
        let value = |bits: &u32| f64::from(f32::from_bits(*bits));
        let found = found[k].as_ref().map(|bits| bits.iter().map(value).collect::<Vec<f64>>());
        one(moved, k, sample, found.as_deref()).map_err(|e| format!("sample {k}: {e}"))?;
    }
    Ok(())
}

fn one(moved: &mut Moved<'_>, k: usize, sample: &Sample, found: Option<&[f64]>) -> Result<(), String> {
    let Some(found) = found else {
        return if sample.may_end() { Ok(()) } else { Err("discarded".to_owned()) };
    };
    if sample.expected.is_empty() {
        return if sample.is_unstable { Ok(()) } else { Err("not discarded".to_owned()) };
    }
    if found.len() != sample.expected.len() {
        return Err(format!("{} values, {} are expected", found.len(), sample.expected.len()));
    }
    let is_off = |i: usize, more: f64| {
        let wanted = sample.expected[i];
        wanted.tolerance.is_finite() && !is_close(found[i], wanted, more)
    };
    if !(0..found.len()).any(|i| is_off(i, 0.0)) {
        return Ok(());
    }
    let moved = moved.of(k, found.len())?;
    match (0..found.len()).find(|&i| is_off(i, moved[i])) {
        None => Ok(()),
        Some(i) => Err(format!("value {i} is {}, not {}", found[i], sample.expected[i].value)),
    }
}
