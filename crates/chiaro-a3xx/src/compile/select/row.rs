//! Inputs and outputs as rows of scalars.

use chiaro_ir::{Binding, Function, GlobalRef, Module, Space, Stage, Ty, Type};
use chiaro_mach::Value;

use crate::abi::constants::{Layout, kind_of, part_offset, scalars};
use crate::abi::{Kind, Sink, Source};

/// SPIR-V's numbers of built-ins.
pub(crate) mod builtin {
    pub(crate) const POSITION: u32 = 0;
    pub(crate) const POINT_SIZE: u32 = 1;
    pub(crate) const VERTEX_ID: u32 = 5;
    pub(crate) const INSTANCE_ID: u32 = 6;
    pub(crate) const FRAG_COORD: u32 = 15;
    pub(crate) const POINT_COORD: u32 = 16;
    pub(crate) const FRONT_FACING: u32 = 17;
    pub(crate) const FRAG_DEPTH: u32 = 22;
    pub(crate) const GROUP_COUNTS: u32 = 24;
    pub(crate) const GROUP_ID: u32 = 26;
    pub(crate) const LOCAL_ID: u32 = 27;
    pub(crate) const GLOBAL_ID: u32 = 28;
    pub(crate) const LOCAL_INDEX: u32 = 29;
    pub(crate) const VERTEX_INDEX: u32 = 42;
    pub(crate) const INSTANCE_INDEX: u32 = 43;
}
use builtin::{FRAG_DEPTH, GROUP_COUNTS, POINT_SIZE, POSITION, VERTEX_ID, VERTEX_INDEX};

/// A scalar or vector of an input or output.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) global: GlobalRef,
    /// Its first component in the variable, a row each.
    pub(crate) offset: u32,
    pub(crate) name: String,
    pub(crate) part: u16,
    pub(crate) components: u8,
    pub(crate) kind: Kind,
    pub(crate) binding: Binding,
}

/// A scalar that the program may read.
#[derive(Clone, Debug)]
pub struct Read {
    /// Name of the variable.
    pub name: String,
    /// Which column or element.
    pub part: u16,
    /// Where it comes from; first scalars of varyings are not settled yet.
    pub source: Source,
    /// Which component of that.
    pub component: u8,
    /// What it is.
    pub kind: Kind,
    /// The value, or the first of them where one instruction gives several.
    pub value: Value,
    /// The instruction that fetches it; `None` for what registers hold at the start.
    pub fetch: Option<chiaro_mach::Inst>,
}

/// An output in the order of the operands of the end.
#[derive(Clone, Debug)]
pub struct Written {
    /// Name of the variable.
    pub name: String,
    /// Which column or element.
    pub part: u16,
    /// What it is for.
    pub sink: Sink,
    /// What it is.
    pub kind: Kind,
    /// Its components.
    pub components: u8,
}

/// Whether something is read that needs a parameter of the driver.
pub(super) fn reads_parameters(module: &Module, f: &Function) -> bool {
    reads_any(module, f, &[VERTEX_ID, VERTEX_INDEX, GROUP_COUNTS])
}

/// Whether the numbers of groups are read.
pub(crate) fn reads_group_counts(module: &Module, f: &Function) -> bool {
    reads_any(module, f, &[GROUP_COUNTS])
}

fn reads_any(module: &Module, f: &Function, numbers: &[u32]) -> bool {
    let is_one = |&(g, _): &(GlobalRef, _)| {
        let global = module.global(g);
        global.space == Space::Input && global.binding.builtin.is_some_and(|n| numbers.contains(&n))
    };
    chiaro_opt::named(module, f).iter().any(is_one)
}

/// The rows of a variable.
pub(crate) fn rows(module: &Module, global: GlobalRef) -> Vec<Row> {
    let data = module.global(global);
    let (name, binding) = (data.name.clone(), data.binding.clone());
    let head = Row { global, offset: 0, name, part: 0, components: 0, kind: Kind::Float, binding };
    let mut found = Vec::new();
    match module.types.get(data.ty) {
        Type::Struct(_, members) => {
            for (n, member) in members.iter().enumerate() {
                let offset = part_offset(module, data.ty, n as u32, Layout::Rows).unwrap_or(0);
                let mut binding = data.members.get(n).cloned().unwrap_or_default();
                let before = offset / 4;
                binding.location = binding.location.or(data.binding.location.map(|at| at + before));
                let name = member.name.clone();
                add_rows(module, member.ty, &Row { offset, name, binding, ..head.clone() }, &mut found);
            }
        }
        _ => add_rows(module, data.ty, &head, &mut found),
    }
    found
}

/// The rows of a part of a variable; `head` stands for all of it.
fn add_rows(module: &Module, ty: Ty, head: &Row, found: &mut Vec<Row>) {
    let mut starts: Vec<(u32, u8)> = Vec::new();
    for place in scalars(module, ty, Layout::Rows) {
        match starts.last_mut() {
            Some((start, count)) if place / 4 == *start / 4 => *count += 1,
            _ => starts.push((place, 1)),
        }
    }
    let mut leaf = ty;
    while let Some(inner) = module.types.part(leaf, 0) {
        leaf = inner;
    }
    let kind = kind_of(module, leaf);
    for (part, (start, components)) in starts.into_iter().enumerate() {
        let part = part as u16;
        let location = head.binding.location.map(|at| at + u32::from(part));
        let binding = Binding { location, ..head.binding.clone() };
        found.push(Row { offset: head.offset + start, part, components, kind, binding, ..head.clone() });
    }
}

/// A scalar of a row as something that is read.
pub(super) fn read(
    row: &Row,
    source: Source,
    component: u8,
    value: Value,
    fetch: Option<chiaro_mach::Inst>,
) -> Read {
    Read { name: row.name.clone(), part: row.part, source, component, kind: row.kind, value, fetch }
}

/// What an output is for; `None` for built-ins that the machine does without.
pub(crate) fn sink(row: &Row, stage: Stage) -> Option<Sink> {
    let location = row.binding.location.unwrap_or(0) as u8;
    match (row.binding.builtin, stage) {
        (Some(POSITION), _) => Some(Sink::Position),
        (Some(POINT_SIZE), _) => Some(Sink::PointSize),
        (Some(FRAG_DEPTH), _) => Some(Sink::Depth),
        (Some(_), _) => None,
        (None, Stage::Vertex) => Some(Sink::Varying(location)),
        (None, _) => Some(Sink::Colour(location)),
    }
}

/// Gives rows without a location the lowest that are free, in the order of declaration.
pub(super) fn locate(rows: &mut [Row]) {
    let mut taken: Vec<u32> = rows.iter().filter_map(|row| row.binding.location).collect();
    for row in rows.iter_mut().filter(|row| row.binding.builtin.is_none()) {
        if row.binding.location.is_none() {
            let free = (0..).find(|n| !taken.contains(n)).unwrap_or(0);
            taken.push(free);
            row.binding.location = Some(free);
        }
    }
}
