//! What a host program gives a shader and gets of it: names with their types, for who offers fields to fill in.

use chiaro_ir::{Module, Space, Ty, Type};
use serde_json::{Value as Json, json};

use crate::{Leaf, LoadedModule};

/// Every part of the modules' variables that has a name, with its shape.
pub fn interface(modules: &[LoadedModule]) -> Json {
    let all = modules.iter().flat_map(|loaded| {
        let stage = loaded.module.entries.first().map(|entry| entry.stage.name());
        loaded.interface.leaves.iter().filter_map(move |leaf| one(&loaded.module, stage, leaf))
    });
    all.collect()
}

/// Size of a workgroup, where there are such.
pub fn local_size(modules: &[LoadedModule]) -> Json {
    let entries = modules.iter().flat_map(|loaded| &loaded.module.entries);
    entries
        .filter(|entry| entry.stage == crate::Stage::Compute)
        .map(|entry| json!(entry.workgroup))
        .next()
        .into()
}

fn one(module: &Module, stage: Option<&str>, leaf: &Leaf) -> Option<Json> {
    let global = module.globals.get(leaf.global.0 as usize)?;
    let shape = shape(module, leaf.ty)?;
    let kind = match (global.space, shape["scalar"].as_str()) {
        (_, Some("image" | "sampler")) => "image",
        (Space::Input | Space::Output, _) if leaf.binding.builtin.is_some() => "builtin",
        (Space::Input, _) => "input",
        (Space::Output, _) => "output",
        (Space::Uniform | Space::UniformConstant | Space::PushConstant, _) => "uniform",
        (Space::Storage, _) => "buffer",
        _ => return None,
    };
    Some(json!({
        "stage": stage, "kind": kind, "name": leaf.name, "shape": shape,
        "location": leaf.binding.location, "writable": !global.read_only,
    }))
}

/// Scalar, rows of a column, columns, elements; nothing of what has no such shape.
fn shape(module: &Module, ty: Ty) -> Option<Json> {
    let (mut ty, mut counts) = (ty, Vec::new());
    loop {
        match module.types.get(ty) {
            Type::Array(elem, count, _) => {
                counts.push(json!(count));
                ty = *elem;
            }
            Type::RuntimeArray(elem, _) => {
                counts.push(Json::Null);
                ty = *elem;
            }
            Type::Vector(elem, rows) => return scalar(module, *elem).map(|name| of(name, *rows, &counts)),
            Type::Image(_) | Type::SampledImage(_) => return Some(of("image", 1, &counts)),
            Type::Sampler => return Some(of("sampler", 1, &counts)),
            _ => return scalar(module, ty).map(|name| of(name, 1, &counts)),
        }
    }
}

fn of(scalar: &str, rows: u8, counts: &[Json]) -> Json {
    json!({ "scalar": scalar, "rows": rows, "counts": counts })
}

fn scalar(module: &Module, ty: Ty) -> Option<&'static str> {
    match module.types.get(ty) {
        Type::Bool => Some("bool"),
        Type::Int(_) => Some("int"),
        Type::Float(_) => Some("float"),
        _ => None,
    }
}
