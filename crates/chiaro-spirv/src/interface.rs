//! What SPIR-V cannot say of a module's variables, or says only piece by piece.
//!
//! A front end fills an [`Interface`] itself; for modules of other producers it is made from
//! names and decorations.

use crate::reader::Reader;
use crate::types::{Kind, TypeId};
use chiaro_ir::{Binding, Global, GlobalRef, Space, Ty, Type};
use chiaro_words::module;
use spirv::{BuiltIn, Decoration, ExecutionMode};
use std::collections::HashMap;

/// How many leaves a table may have for each word of the module.
const LEAVES: usize = 4096;

/// Precision that the source asks for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Precision {
    /// Full.
    #[default]
    High,
    /// At least half.
    Medium,
    /// Less than that.
    Low,
}

/// Where the edges of the clip volume are, and which way is up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Clip {
    /// Depth 0 to 1, y downwards.
    #[default]
    Vulkan,
    /// Depth -1 to 1, y upwards.
    OpenGl,
    /// As the target has it.
    Native,
}

/// A variable, or a leaf of one, as the program that uses the shader knows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The name to look it up by, such as `lights[2].tex`. An array of scalars or vectors is
    /// one leaf.
    pub name: String,
    /// The variable.
    pub global: GlobalRef,
    /// Members and elements from the variable to the leaf.
    pub path: Vec<u32>,
    /// What the leaf holds.
    pub ty: Ty,
    /// A matrix, or an array of them, whose columns are the parts that the IR sees.
    pub columns: bool,
    /// Location, binding and the like, its block's included.
    pub binding: Binding,
    /// Precision.
    pub precision: Precision,
    /// A sampler of images that the system makes.
    pub external: bool,
    /// A colour that goes to every attachment.
    pub broadcast: bool,
    /// A built-in that only old languages have, by its name there.
    pub legacy: Option<String>,
    /// Starts with what the attachment holds.
    pub fetch: bool,
}

/// What a program needs to know of a module to use it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interface {
    /// The source language, by SPIR-V's number; 0 when unknown.
    pub language: u32,
    /// Its version, such as 450; 0 when unknown.
    pub version: u32,
    /// Clip coordinates.
    pub clip: Clip,
    /// All leaves of all variables that meet the outside, in the order of the variables.
    pub leaves: Vec<Leaf>,
}

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
    if origin || r.module.globals.iter().any(|g| own(g) || loose(g)) { Clip::OpenGl } else { Clip::Vulkan }
}

/// Adds what a front end knows and words do not say.
pub(crate) fn tell(table: &mut Interface, known: &module::Interface) {
    let leaf = |v: &module::Variable, l: &module::Leaf| {
        let precision = match l.precision {
            module::Precision::High => Precision::High,
            module::Precision::Medium => Precision::Medium,
            module::Precision::Low => Precision::Low,
        };
        (precision, l.external, v.broadcast, v.framebuffer_fetch, v.legacy.map(|_| v.name.clone()))
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
    table.clip = match known.clip {
        module::Clip::Gl => Clip::OpenGl,
        module::Clip::Vulkan => Clip::Vulkan,
        module::Clip::WebGpu => table.clip,
    };
}

fn pointee(r: &Reader<'_>, id: u32) -> Option<TypeId> {
    match r.id(id).ok()? {
        crate::reader::Id::Global(_, pointer, _) => Some(r.pointee(pointer).ok()?.1),
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
