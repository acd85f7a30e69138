//! `a3xx/shader_io.jsonl`: what the sources of that target's corpus compute.
//!
//! The rows come from a CPU implementation of OpenGL ES with all precisions raised; the
//! interpreter must agree within a tolerance and four times the row's own sensitivity.

use std::path::Path;

use chiaro_ir::interp::{Domain, Exact};
use chiaro_ir::{GlobalRef, Space};
use serde_json::Value;

use super::nudge::{Nudged, of_rows};
use super::scene::Outcome;
use super::texture::{handle, image_of, make};
use super::{Expected, Scene, Shader, compare};
use crate::suite::{Miss, Row, Suite};

/// The file that can be checked with a front end and the interpreter.
pub const SUITE: Suite = Suite { file: "shader_io.jsonl", companion: Some("shaders"), check: on_interpreter };

/// Those that are not checked here, and why.
pub const ELSEWHERE: [(&str, &str); 2] = [
    ("shader_stats_gpu320.tsv", "statistics of another compiler: the target's own test `shaders` compares"),
    ("shader_stats_other_gpus.tsv", "of other machines"),
];

/// Sensitivity of samples that prove nothing.
const UNSTABLE: f64 = 1e30;
/// Lanes of a fragment: a quad, of which the first counts.
const QUAD: usize = 4;

/// SPIR-V's numbers of built-in inputs.
mod builtin {
    pub(super) const VERTEX_ID: u32 = 5;
    pub(super) const INSTANCE_ID: u32 = 6;
    pub(super) const FRAG_COORD: u32 = 15;
    pub(super) const POINT_COORD: u32 = 16;
    pub(super) const FRONT_FACING: u32 = 17;
}

fn on_interpreter(row: &Row<'_>) -> Result<(), Miss> {
    let row_value = row.json()?;
    if row_value.get("_comment").is_some() {
        return Err(Miss::Skipped("the head of the file".into()));
    }
    let name = row_value["name"].as_str().ok_or("the row has no `name`")?;
    check(&row_value, row.folder, name).map_err(|reason| Miss::Failed(format!("{name}: {reason}")))
}

/// What a sample of a row expects.
pub(crate) struct Sample {
    /// The values; none if it has to be discarded.
    pub(crate) expected: Vec<Expected>,
    /// Whether it proves nothing about being discarded.
    pub(crate) is_unstable: bool,
}

impl Sample {
    /// Whether it may be discarded.
    pub(crate) fn may_end(&self) -> bool {
        self.expected.is_empty() || self.is_unstable
    }
}

/// The samples of a row.
pub(crate) fn samples(row: &Value) -> Result<Vec<Sample>, String> {
    let results = row["result"].as_array().ok_or("the row has no `result`")?;
    let sample = |(k, result)| {
        let sens = numbers(&row["sens"][k]);
        let is_unstable = sens.iter().any(|&s| s >= UNSTABLE);
        Sample { expected: expectation(result, &sens).unwrap_or_default(), is_unstable }
    };
    Ok(results.iter().enumerate().map(sample).collect())
}

/// How far results move on the interpreter.
pub(crate) mod interpreted {
    use super::{Exact, Nudged, Shader, Value, numbers, of_rows, run, samples};
    use crate::stages::NUDGES;

    /// Components of inputs on which no sample depends.
    pub(crate) fn unused(row: &Value, shader: &Shader) -> Result<Vec<(String, u16)>, String> {
        let count = samples(row)?.len();
        let plain = run(row, shader, Exact, count)?;
        let mut unused = Vec::new();
        for (name, input) in row["inputs"].as_object().into_iter().flatten() {
            for n in 0..numbers(&input["v"][0]).len() {
                let mut changed = row.clone();
                for values in changed["inputs"][name]["v"].as_array_mut().into_iter().flatten() {
                    values[n] = (values[n].as_f64().unwrap_or(0.0) * 1.7 + 3.0).into();
                }
                if run(&changed, shader, Exact, count)? == plain {
                    unused.push((name.clone(), n as u16));
                }
            }
        }
        Ok(unused)
    }

    /// Twice what each value of a sample moves when functions are nudged as the row's maker has
    /// them, and twice what it moves when they are nudged as the machine has them: both are off.
    pub(crate) fn moved(row: &Value, shader: &Shader, k: usize, width: usize) -> Result<Vec<f64>, String> {
        let count = samples(row)?.len();
        let exact = run(row, shader, Exact, count)?.swap_remove(k).unwrap_or_default();
        let mut all = vec![0.0f64; width];
        for reduced in [false, true] {
            let mut moved = vec![0.0f64; width];
            for n in 1..=NUDGES {
                let nudged =
                    run(row, shader, Nudged { run: n, reduced, errors: of_rows }, count)?.swap_remove(k);
                for (m, (a, b)) in moved.iter_mut().zip(nudged.unwrap_or_default().iter().zip(&exact)) {
                    *m = m.max(2.0 * (a - b).abs());
                }
            }
            all.iter_mut().zip(moved).for_each(|(all, moved)| *all += moved);
        }
        Ok(all)
    }
}

fn check(row: &Value, folder: &Path, name: &str) -> Result<(), String> {
    let stage = row["stage"].as_str().unwrap_or_default();
    let shader = Shader::compile(&folder.join("shaders").join(format!("{name}.{stage}")))?;
    let results = row["result"].as_array().ok_or("the row has no `result`")?;
    let found = run(row, &shader, Exact, results.len())?;
    for (k, result) in results.iter().enumerate() {
        let sens = numbers(&row["sens"][k]);
        let Some(expected) = expectation(result, &sens) else { continue };
        check_sample(&expected, found[k].as_deref(), &sens, |n| {
            let mut nudged =
                run(row, &shader, Nudged { run: n, reduced: false, errors: of_rows }, results.len())?;
            Ok(nudged.swap_remove(k))
        })
        .map_err(|e| format!("sample {k}: {e}"))?;
    }
    Ok(())
}

/// Runs all samples of a row: the values of each, `None` where it is discarded.
fn run<D: Domain>(
    row: &Value,
    shader: &Shader,
    domain: D,
    samples: usize,
) -> Result<Vec<Option<Vec<f64>>>, String> {
    let is_fragment = row["stage"] == "frag";
    let lanes = if is_fragment { QUAD } else { 1 };
    let mut scene = Scene::new(&shader.module, domain, samples * lanes)?;
    uniforms(row, shader, &mut scene);
    inputs(row, samples, lanes, &mut scene);
    let outcome = scene.run()?;
    let of = |k: usize| match is_fragment {
        true => Ok(colours(&outcome, k * lanes)),
        false => named(row, &outcome, k * lanes),
    };
    (0..samples).map(of).collect()
}

/// What a sample must give; nothing for one that has to be discarded. `None` if it proves
/// nothing at all.
fn expectation(result: &Value, sens: &[f64]) -> Option<Vec<Expected>> {
    if result == &Value::from("discard") || result[0] == "discard" {
        return if sens.iter().any(|&s| s >= UNSTABLE) { None } else { Some(Vec::new()) };
    }
    let of = |(i, value): (usize, f64)| {
        let sens = sens.get(i).copied().unwrap_or(0.0);
        let tolerance =
            if sens < UNSTABLE { 1e-5 * value.abs().max(1.0) + 4.0 * sens } else { f64::INFINITY };
        Expected { value, tolerance }
    };
    Some(numbers(result).into_iter().enumerate().map(of).collect())
}

fn check_sample(
    expected: &[Expected],
    found: Option<&[f64]>,
    sens: &[f64],
    mut nudged: impl FnMut(u64) -> Result<Option<Vec<f64>>, String>,
) -> Result<(), String> {
    let is_unstable = sens.iter().any(|&s| s >= UNSTABLE);
    let Some(found) = found else {
        return if expected.is_empty() || is_unstable { Ok(()) } else { Err("discarded".to_owned()) };
    };
    if expected.is_empty() {
        return Err("not discarded".to_owned());
    }
    // Samples without a bound prove nothing, whatever comes out.
    let keep = |values: &[f64]| -> Vec<f64> {
        let bound = values.iter().zip(expected).filter(|(_, e)| e.tolerance.is_finite());
        bound.map(|(v, _)| *v).collect()
    };
    let bound: Vec<Expected> = expected.iter().copied().filter(|e| e.tolerance.is_finite()).collect();
    compare(&keep(found), &bound, |n| Ok(keep(&nudged(n)?.unwrap_or_default())))
}

fn uniforms<D: Domain>(row: &Value, shader: &Shader, scene: &mut Scene<'_, D>) {
    for (name, uniform) in row["uniforms"].as_object().into_iter().flatten() {
        let values = numbers(&uniform["v"]);
        match uniform["type"].as_str().unwrap_or_default() {
            "sampler" => samplers(name, &numbers(&uniform["unit"]), shader, scene),
            "block" => {
                let bytes: Vec<u8> = values.iter().flat_map(|&v| (v as f32).to_le_bytes()).collect();
                scene.block(name, &bytes);
            }
            _ => scene.uniform(name, &values),
        }
    }
}

fn samplers<D: Domain>(name: &str, units: &[f64], shader: &Shader, scene: &mut Scene<'_, D>) {
    let name = name.strip_suffix("[0]").unwrap_or(name);
    let Some(global) = scene.find(name, &[Space::UniformConstant]) else { return };
    let Some((image, _)) = image_of(&shader.module, scene.ty(global)) else { return };
    for (element, &unit) in units.iter().enumerate() {
        put(scene, global, element as u32, unit as u32, &image);
    }
}

fn put<D: Domain>(
    scene: &mut Scene<'_, D>,
    global: GlobalRef,
    element: u32,
    unit: u32,
    image: &chiaro_ir::ImageType,
) {
    let (texture, sampler) = make(unit, image);
    scene.textures.textures.insert(handle(global, element), texture);
    scene.textures.samplers.insert(handle(global, element), sampler);
}

fn inputs<D: Domain>(row: &Value, samples: usize, lanes: usize, scene: &mut Scene<'_, D>) {
    for k in 0..samples {
        for lane in 0..lanes {
            let at = k * lanes + lane;
            for (name, input) in row["inputs"].as_object().into_iter().flatten() {
                scene.input(name, at, &numbers(&input["v"][k]));
            }
            let (x, y) = ((lane % 2) as f64, (lane / 2) as f64);
            scene.builtin(builtin::FRAG_COORD, at, &[k as f64 + 0.5 + x, 0.5 + y, 0.5, 1.0]);
            // The next pixel would be the next point's width away.
            scene.builtin(builtin::POINT_COORD, at, &[0.5 + x, 0.5 + y]);
            scene.builtin(builtin::FRONT_FACING, at, &[1.0]);
            scene.builtin(builtin::VERTEX_ID, at, &[k as f64]);
            scene.builtin(builtin::INSTANCE_ID, at, &[0.0]);
        }
    }
}

/// Four floats for each target in the order of their locations; `None` if discarded.
fn colours<D: Domain>(outcome: &Outcome<'_, D>, lane: usize) -> Option<Vec<f64>> {
    if outcome.report.ended.get(lane).copied().unwrap_or(false) {
        return None;
    }
    let mut targets: Vec<_> = outcome.names().into_iter().filter(|(.., builtin)| builtin.is_none()).collect();
    targets.sort_by_key(|(_, location, _)| *location);
    let mut all = Vec::new();
    for (name, ..) in targets {
        let mut values = outcome.output(&name, lane).unwrap_or_default();
        values.resize(values.len().next_multiple_of(4), f64::NAN);
        all.extend(values);
    }
    Some(all)
}

fn named<D: Domain>(row: &Value, outcome: &Outcome<'_, D>, lane: usize) -> Result<Option<Vec<f64>>, String> {
    let mut all = Vec::new();
    for name in row["outputs"].as_str().unwrap_or_default().split(',') {
        all.extend(outcome.output(name, lane).ok_or_else(|| format!("there is no output `{name}`"))?);
    }
    Ok(Some(all))
}

/// Numbers of a list; `nan` and `inf` are texts.
pub(crate) fn numbers(list: &Value) -> Vec<f64> {
    let number = |v: &Value| match v {
        Value::Bool(b) => f64::from(u8::from(*b)),
        Value::String(text) => text.parse().unwrap_or(f64::NAN),
        other => other.as_f64().unwrap_or(0.0),
    };
    list.as_array().into_iter().flatten().map(number).collect()
}
