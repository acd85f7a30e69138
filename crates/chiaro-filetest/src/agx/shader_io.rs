//! `../a3xx/shader_io.jsonl` with our words on the simulator: linked programs give what the sources mean, within the rows'
//! tolerances.

use chiaro_ir::{Global, Module, Space, Ty, Type};
use chiaro_target::{Attributes, Simulated, Value, Work};
use serde_json::Value as Json;

use super::named::{Program, QUAD, below, bytes, column, image, located, vector, words};
use crate::stages::a3xx::{numbers, samples};
use crate::stages::texture::{image_of, make};
use crate::stages::{Shader, judge};
use crate::suite::{Miss, Row};

/// A row.
pub(super) fn on_simulator(row: &Row<'_>) -> Result<(), Miss> {
    let values = row.json()?;
    if values.get("_comment").is_some() {
        return Err(Miss::Skipped("the head of the file".into()));
    }
    let [name, stage] = ["name", "stage"].map(|field| values[field].as_str().unwrap_or_default());
    let source = row.folder.join("shaders").join(format!("{name}.{stage}"));
    let ran = Shader::compile(&source).and_then(|shader| {
        let found = run(&values, &located(&shader.module))?;
        judge::judge(&values, &shader, found)
    });
    ran.map_err(|why| Miss::Failed(format!("{name}: {why}")))
}

/// The bits of all samples, `None` for those that are discarded.
fn run(row: &Json, module: &Module) -> Result<Vec<Option<Vec<u32>>>, String> {
    let program = Program::of(module)?;
    let count = samples(row)?.len();
    let resources = resources(row, module, &program);
    if row["stage"] == "vert" {
        let made = program.run(resources, Work::Vertices(vertices(row, module, count)))?;
        return Ok((0..count).map(|k| Some(named(row, module, &made, k))).collect());
    }
    let made = program.run(resources, Work::Fragments(fragments(row, module, count)))?;
    let colours = |k: usize| {
        let lane = k * QUAD;
        let targets = made.outputs.iter().filter(|output| output.name.starts_with("colour"));
        let all =
            targets.flat_map(|output| output.of(lane).iter().map(|bits| *bits as u32).collect::<Vec<_>>());
        (!made.discarded.get(lane).copied().unwrap_or(false)).then(|| all.collect())
    };
    Ok((0..count).map(colours).collect())
}

/// Uniforms, blocks, textures by the names of the row.
fn resources(row: &Json, module: &Module, program: &Program) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for (name, uniform) in row["uniforms"].as_object().into_iter().flatten() {
        let name = name.trim_end_matches("[0]");
        let is_it = |g: &&Global| g.name == name || block_name(module, g.ty) == Some(name);
        let Some(global) = module.globals.iter().find(is_it) else { continue };
        if uniform["type"] == "sampler" {
            let Some((ty, _)) = image_of(module, global.ty) else { continue };
            for (state, unit) in program.states(&global.name).into_iter().zip(numbers(&uniform["unit"])) {
                let (texture, sampler) = make(unit as u32, &ty);
                all.push((state, image(&texture, &ty, sampler)));
            }
            continue;
        }
        let is_float = !uniform["type"].as_str().unwrap_or_default().starts_with(['i', 'u']);
        let own: Vec<u32> = numbers(&uniform["v"]).into_iter().map(|v| word(v, is_float)).collect();
        all.push((global.name.clone(), bytes(&own)));
        all.extend(block_name(module, global.ty).map(|name| (name.to_owned(), bytes(&own))));
    }
    all
}

fn block_name(module: &Module, ty: Ty) -> Option<&str> {
    match module.types.get(ty) {
        Type::Struct(name, _) => Some(name),
        _ => None,
    }
}

fn word(value: f64, is_float: bool) -> u32 {
    if is_float { (value as f32).to_bits() } else { value as i64 as u32 }
}

/// The words of a sample of an input.
fn input(row: &Json, name: &str, k: usize) -> Vec<u32> {
    let input = &row["inputs"][name];
    let is_float = !input["type"].as_str().unwrap_or_default().starts_with(['i', 'u']);
    numbers(&input["v"][k]).into_iter().map(|v| word(v, is_float)).collect()
}

/// Inputs with their locations that the row has.
fn inputs<'a>(row: &'a Json, module: &'a Module) -> impl Iterator<Item = (&'a str, u32)> {
    let inputs = module.globals.iter().filter(|g| g.space == Space::Input);
    let given = inputs.filter(|g| row["inputs"].get(&g.name).is_some());
    given.filter_map(|g| Some((g.name.as_str(), g.binding.location?)))
}

fn vertices(row: &Json, module: &Module, count: usize) -> Attributes {
    let own = |(name, location): (&str, u32)| {
        // What an attribute lacks is 0, 0, 0, 1.
        let row = |k: usize| {
            let mut words = input(row, name, k);
            words.extend([0, 0, 0, 1f32.to_bits()].into_iter().skip(words.len()));
            vector(&words)
        };
        column(&format!("attribute{location}"), (0..count).map(row))
    };
    Attributes { count, columns: inputs(row, module).map(own).collect() }
}

fn fragments(row: &Json, module: &Module, count: usize) -> Attributes {
    let lanes = count * QUAD;
    let each = |name: &str, of: &dyn Fn(usize, [f32; 2]) -> Value| {
        let value = |lane: usize| {
            let corner = lane % QUAD;
            of(lane / QUAD, [corner % 2, corner / 2].map(|n| n as f32))
        };
        column(name, (0..lanes).map(value))
    };
    let floats = |all: [f32; 4]| vector(&all.map(f32::to_bits));
    let own = |(name, location): (&str, u32)| {
        each(&format!("varying{location}"), &|k, _| vector(&input(row, name, k)))
    };
    let mut columns: Vec<_> = inputs(row, module).map(own).collect();
    columns.extend([
        each("gl_FragCoord", &|k, [x, y]| floats([k as f32 + 0.5 + x, 0.5 + y, 0.5, 1.0])),
        each("gl_PointCoord", &|_, [x, y]| floats([0.5 + x, 0.5 + y, 0.0, 0.0])),
        each("gl_FrontFacing", &|_, _| Value::Bool(true)),
        below(lanes),
    ]);
    Attributes { count: lanes, columns }
}

/// The outputs of a vertex that the row names.
fn named(row: &Json, module: &Module, made: &Simulated, k: usize) -> Vec<u32> {
    let one = |name: &str| {
        let global = module.globals.iter().find(|g| g.space == Space::Output && g.name == name);
        let location = global.and_then(|g| g.binding.location);
        let known = if name == "gl_Position" { "position" } else { name };
        let count = global.map_or(4, |g| module.types.scalars(g.ty) as usize);
        words(made, location, known, k, count)
    };
    row["outputs"].as_str().unwrap_or_default().split(',').flat_map(one).collect()
}
