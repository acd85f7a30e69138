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
use crate::stages::Shader;
use crate::stages::a3xx::{interpreted, samples};
use crate::stages::judge::{Moved, compare};
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
