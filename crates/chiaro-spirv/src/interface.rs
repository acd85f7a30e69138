//! The interface of a module: of others from names and decorations, of a front end of ours with what
//! it adds.

use crate::ids::Id;
use crate::reader::Reader;
use crate::type_info::{Kind, TypeId};
use chiaro_ir::interface::{Interface, Leaf, Precision, join};
use chiaro_ir::{GlobalRef, Space};
use chiaro_words::module;
use spirv::Decoration;
use std::collections::HashMap;

/// How many leaves a table may have for each word of the module.
const LEAVES: usize = 4096;

/// The table of a foreign module.
pub(crate) fn build(r: &Reader<'_>) -> Interface {
    let mut table = Interface::default();
    let limit = LEAVES.min(r.words.all.len() * 4);
    for (i, global) in r.module.globals.iter().enumerate() {
        if matches!(global.space, Space::Private | Space::Workgroup) {
            continue;
        }
        let id = r.variables[i];
        let Some(ty) = pointee(r, id) else { continue };
        let relaxed = r.notes.has(id, Decoration::RelaxedPrecision);
        let leaf = Leaf {
            columns: true,
            binding: global.binding.clone(),
            precision: if relaxed { Precision::Medium } else { Precision::High },
            ..Leaf::named(r.name(id), GlobalRef(i as u32), global.ty)
        };
        flatten(r, leaf, ty, limit, &mut table);
    }
    table
}

/// Adds what a front end knows and words do not say.
pub(crate) fn amend(table: &mut Interface, known: &module::Interface) {
    let leaf = |v: &module::Variable, l: &module::Leaf| {
        (
            precision(l.precision),
            l.external,
            v.broadcast,
            v.framebuffer_fetch,
            v.legacy.map(|_| v.name.clone()),
        )
    };
    let by_name: HashMap<&str, _> = known
        .variables
        .iter()
        .flat_map(|v| v.leaves.iter().map(move |l| (l.name.as_str(), leaf(v, l))))
        .collect();
    table.settings.clone_from(&known.settings);
    for leaf in &mut table.leaves {
        if let Some(found) = by_name.get(leaf.name.as_str()) {
            (leaf.precision, leaf.external, leaf.broadcast, leaf.fetch, leaf.legacy) = found.clone();
        }
    }
}

fn precision(known: module::Precision) -> Precision {
    match known {
        module::Precision::Low => Precision::Low,
        module::Precision::Medium => Precision::Medium,
        module::Precision::High => Precision::High,
    }
}

fn pointee(r: &Reader<'_>, id: u32) -> Option<TypeId> {
    match r.id(id).ok()? {
        Id::Global(_, pointer, _) => Some(r.pointee(pointer).ok()?.1),
        _ => None,
    }
}

/// Adds the leaves below one, depth first, until there are too many.
fn flatten(r: &Reader<'_>, leaf: Leaf, ty: TypeId, limit: usize, table: &mut Interface) {
    let mut open = vec![(leaf, ty)];
    while let Some((leaf, ty)) = open.pop() {
        if table.leaves.len() + open.len() >= limit {
            return;
        }
        let whole = leaf.whole();
        match r.info(ty).kind {
            Kind::Struct { count, id, .. } => {
                // A structure around one part without a name is no part of the source.
                if count != 1 || !r.notes.member_name(r.words.all, id, 0).is_empty() {
                    table.wholes.push(whole);
                }
                let members = (0..count).rev().filter_map(|i| member(r, &leaf, ty, id, i));
                open.extend(members);
            }
            Kind::Array(elem, len, _) if has_structure(r, elem) => {
                table.wholes.push(whole);
                let elements = (0..len.clamp(1, limit as u32)).rev().map(|i| (element(r, &leaf, i), elem));
                open.extend(elements);
            }
            _ => {
                let matrix = is_matrix(r, ty);
                table.leaves.push(Leaf { columns: leaf.columns && matrix, matrix, ..leaf });
            }
        }
    }
}

/// Whether a type is a matrix, or an array of them.
fn is_matrix(r: &Reader<'_>, mut ty: TypeId) -> bool {
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
    let Kind::Struct { count, .. } = r.info(ty).kind else { return None };
    let name = join(&leaf.name, &own, count as usize, i);
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
