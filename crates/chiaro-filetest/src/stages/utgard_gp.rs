//! `utgard-gp/exec.jsonl` on the interpreter: what the vertex shaders of that target's corpus mean.

use std::path::Path;

use chiaro_ir::interp::{Domain, Exact};
use serde_json::Value;

use super::nudge::{Nudged, of_rows};
use super::{Expected, Scene, Shader, compare};
use crate::suite::{Miss, Row};

/// A row on the interpreter.
pub(crate) fn on_interpreter(row: &Row<'_>) -> Result<(), Miss> {
    let value = row.json()?;
    let name = value["name"].as_str().ok_or("the row has no `name`")?;
    check(&value, row.folder, name).map_err(|reason| Miss::Failed(format!("{name}: {reason}")))
}

fn check(row: &Value, folder: &Path, name: &str) -> Result<(), String> {
    let shader = Shader::compile(&folder.join("shaders").join(format!("{name}.vert")))?;
    let (expected, names) = expectations(row)?;
    let found = run(row, &shader, Exact, &names)?;
    // Values that are not finite are to be skipped.
    let keep = |values: Vec<f64>| -> Vec<f64> {
        values.into_iter().zip(&expected).filter(|(_, e)| e.value.is_finite()).map(|(v, _)| v).collect()
    };
    let finite: Vec<Expected> = expected.iter().copied().filter(|e| e.value.is_finite()).collect();
    if found.len() != expected.len() {
        return Err(format!("{} values, {} are expected", found.len(), expected.len()));
    }
    compare(&keep(found), &finite, |n| {
        Ok(keep(run(row, &shader, Nudged { run: n, reduced: false, errors: of_rows }, &names)?))
    })
}

/// All outputs of all vertices in the row's order.
fn run<D: Domain>(
    row: &Value,
    shader: &Shader,
    domain: D,
    names: &[Vec<String>],
) -> Result<Vec<f64>, String> {
    let mut scene = Scene::new(&shader.module, domain, names.len())?;
    for (name, uniform) in row["uniforms"].as_object().into_iter().flatten() {
        scene.uniform(name, &floats(&uniform[2])?);
    }
    for k in 0..names.len() {
        for (name, attribute) in row["vertices"][k]["attributes"].as_object().into_iter().flatten() {
            scene.input(name, k, &floats(attribute)?);
        }
    }
    let outcome = scene.run()?;
    let mut all = Vec::new();
    for (k, name) in names.iter().enumerate().flat_map(|(k, names)| names.iter().map(move |n| (k, n))) {
        all.extend(outcome.output(name, k).ok_or_else(|| format!("there is no output `{name}`"))?);
    }
    Ok(all)
}

/// What must come out, within the tolerance that the rows' maker recommends [spec section
/// 20.1], and the names of each vertex' outputs.
fn expectations(row: &Value) -> Result<(Vec<Expected>, Vec<Vec<String>>), String> {
    let (mut expected, mut names) = (Vec::new(), Vec::new());
    for vertex in row["vertices"].as_array().into_iter().flatten() {
        let outputs = vertex["outputs"].as_object().into_iter().flatten();
        for (name, values) in outputs.clone() {
            for (i, value) in floats(values)?.into_iter().enumerate() {
                let dev = vertex["dev"][name][i].as_f64().unwrap_or(f64::INFINITY);
                expected.push(Expected { value, tolerance: 2e-5 * value.abs().max(1.0) + 30.0 * dev });
            }
        }
        names.push(outputs.map(|(name, _)| name.clone()).collect());
    }
    Ok((expected, names))
}

fn floats(list: &Value) -> Result<Vec<f64>, String> {
    let float = |v: &Value| {
        let bits = u32::from_str_radix(v.as_str()?, 16).ok()?;
        Some(f64::from(f32::from_bits(bits)))
    };
    let all: Option<Vec<f64>> = list.as_array().into_iter().flatten().map(float).collect();
    all.ok_or_else(|| "a value is no hexadecimal word".to_owned())
}
