//! The interface of a module of others, from names and decorations, and what a front end of ours adds.

use super::{Clip, Interface, Leaf, Precision};
use crate::ids::Id;
use crate::reader::Reader;
use crate::type_info::{Kind, TypeId};
use chiaro_ir::{Global, GlobalRef, Space, Type};
use chiaro_words::module;
use spirv::{BuiltIn, Decoration, ExecutionMode};
use std::collections::HashMap;

/// How many leaves a table may have for each word of the module.
const LEAVES: usize = 4096;

/// The table of a foreign module.
pub(crate) fn build(r: &Reader<'_>) -> Interface {
    let mut table =
        Interface { language: r.language.0, version: r.language.1, clip: clip(r), leaves: Vec::new() };
    let limit = LEAVES.min(r.words.all.len() * 4);
    for (i, global) in r.module.globals.iter().enumerate() {
        if matches!(global.space, Space::Private | Space::Workgroup) {
            continue;
        }
        let id = r.variables[i];
        let Some(ty) = pointee(r, id) else { continue };
        let relaxed = r.notes.has(id, Decoration::RelaxedPrecision);
        let leaf = Leaf {
            name: r.name(id),
            global: GlobalRef(i as u32),
            path: Vec::new(),
            ty: global.ty,
            columns: true,
            binding: global.binding.clone(),
            precision: if relaxed { Precision::Medium } else { Precision::High },
            external: false,
            broadcast: false,
            legacy: None,
            fetch: false,
        };
        flatten(r, leaf, ty, limit, &mut table.leaves);
    }
    table
}

/// A module is in the OpenGL flavour if it has that one's origin, built-ins or loose uniforms.
fn clip(r: &Reader<'_>) -> Clip {
    const LOWER_LEFT: u32 = ExecutionMode::OriginLowerLeft as u32;
    const OWN: [u32; 2] = [BuiltIn::VertexId as u32, BuiltIn::InstanceId as u32];
    let origin = r.module.entries.iter().any(|e| e.modes.iter().any(|m| m.0 == LOWER_LEFT));
    let own = |g: &Global| g.space == Space::Input && g.binding.builtin.is_some_and(|b| OWN.contains(&b));
    let loose = |g: &Global| {
        let types = &r.module.types;
        g.space == Space::UniformConstant
            && (types.components(g.ty) > 0 || matches!(types.get(g.ty), Type::Struct(..)))
    };
    if origin || r.module.globals.iter().any(|g| own(g) || loose(g)) { Clip::Gl } else { Clip::Vulkan }
}

/// Adds what a front end knows and words do not say.
pub(crate) fn amend(table: &mut Interface, known: &module::Interface) {
    let leaf = |v: &module::Variable, l: &module::Leaf| {
        (l.precision, l.external, v.broadcast, v.framebuffer_fetch, v.legacy.map(|_| v.name.clone()))
    };
    let by_name: HashMap<&str, _> = known
        .variables
        .iter()
        .flat_map(|v| v.leaves.iter().map(move |l| (l.name.as_str(), leaf(v, l))))
        .collect();
    for leaf in &mut table.leaves {
        if let Some(found) = by_name.get(leaf.name.as_str()) {
            (leaf.precision, leaf.external, leaf.broadcast, leaf.fetch, leaf.legacy) = found.clone();
        }
    }
    table.clip = known.clip;
}

fn pointee(r: &Reader<'_>, id: u32) -> Option<TypeId> {
    match r.id(id).ok()? {
        Id::Global(_, pointer, _) => Some(r.pointee(pointer).ok()?.1),
        _ => None,
    }
}

/// Adds the leaves below one, depth first, until there are too many.
fn flatten(r: &Reader<'_>, leaf: Leaf, ty: TypeId, limit: usize, leaves: &mut Vec<Leaf>) {
    let mut open = vec![(leaf, ty)];
    while let Some((leaf, ty)) = open.pop() {
        if leaves.len() + open.len() >= limit {
            return;
        }
        match r.info(ty).kind {
            Kind::Struct { count, id, .. } => {
                let members = (0..count).rev().filter_map(|i| member(r, &leaf, ty, id, i));
                open.extend(members);
            }
            Kind::Array(elem, len, _) if has_structure(r, elem) => {
                let elements = (0..len.clamp(1, limit as u32)).rev().map(|i| (element(r, &leaf, i), elem));
                open.extend(elements);
            }
            _ => leaves.push(Leaf { columns: leaf.columns && has_columns(r, ty), ..leaf }),
        }
    }
}

/// Whether a type is a matrix that is laid out by columns, or an array of them.
fn has_columns(r: &Reader<'_>, mut ty: TypeId) -> bool {
    while let Kind::Array(elem, ..) = r.info(ty).kind {
        ty = elem;
    }
    matches!(r.info(ty).kind, Kind::Matrix(..))
}

fn has_structure(r: &Reader<'_>, mut ty: TypeId) -> bool {
    while let Some((elem, _)) = r.array_of(ty) {
        ty = elem;
    }
    matches!(r.info(ty).kind, Kind::Struct { .. })
}

fn member(r: &Reader<'_>, leaf: &Leaf, ty: TypeId, id: u32, i: u32) -> Option<(Leaf, TypeId)> {
    let part = r.member(ty, i).ok()?;
    let own = r.notes.member_name(r.words.all, id, i);
    let name = match (leaf.name.is_empty(), own.is_empty()) {
        (true, _) => own,
        (false, true) => format!("{}.{i}", leaf.name),
        (false, false) => format!("{}.{own}", leaf.name),
    };
    let mut binding = leaf.binding.clone();
    for (kind, operands) in r.notes.each_of_member(r.words.all, id, i) {
        match Decoration::from_u32(kind) {
            Some(Decoration::Location) => binding.location = operands.first().copied(),
            Some(Decoration::BuiltIn) => binding.builtin = operands.first().copied(),
            _ => {}
        }
    }
    let relaxed =
        r.notes.each_of_member(r.words.all, id, i).any(|(k, _)| k == Decoration::RelaxedPrecision as u32);
    let precision = if relaxed { Precision::Medium } else { leaf.precision };
    let columns = !part.layout.by_row;
    Some((Leaf { name, binding, precision, columns, ..step(r, leaf, i) }, part.ty))
}

fn element(r: &Reader<'_>, leaf: &Leaf, i: u32) -> Leaf {
    Leaf { name: format!("{}[{i}]", leaf.name), ..step(r, leaf, i) }
}

/// One step down the path.
fn step(r: &Reader<'_>, leaf: &Leaf, i: u32) -> Leaf {
    let path = leaf.path.iter().copied().chain([i]).collect();
    Leaf { path, ty: r.module.types.part(leaf.ty, i).unwrap_or(leaf.ty), ..leaf.clone() }
}
