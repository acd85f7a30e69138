//! Inputs and outputs: rows of scalars, with places that are settled once it is known what is
//! read.

use chiaro_diag::Diagnostic;
use chiaro_ir as ir;
use chiaro_ir::{Binding, Function, GlobalRef, Module, Space, Stage, Ty, Type};
use chiaro_mach::{Block, Op as Mach, Operand, Outcome, Value};

use super::Select;
use super::memory::{Path, Root};
use super::value::{From, Part};
use crate::abi::constants::{Layout, kind_of, part_offset, scalars};
use crate::abi::{Interpolation, Kind, Sink, Source};
use crate::compile::code::{FULL, HALF, Modifiers, relation, types};
use crate::isa::Op;
use crate::regs;

/// SPIR-V's numbers of built-ins.
mod builtin {
    pub(super) const POSITION: u32 = 0;
    pub(super) const POINT_SIZE: u32 = 1;
    pub(super) const VERTEX_ID: u32 = 5;
    pub(super) const INSTANCE_ID: u32 = 6;
    pub(super) const FRAG_COORD: u32 = 15;
    pub(super) const POINT_COORD: u32 = 16;
    pub(super) const FRONT_FACING: u32 = 17;
    pub(super) const FRAG_DEPTH: u32 = 22;
    pub(super) const VERTEX_INDEX: u32 = 42;
    pub(super) const INSTANCE_INDEX: u32 = 43;
}
use builtin::*;

/// Components of the driver parameter that is added to a vertex number [ir3_const.h].
const VERTEX_BASE: u16 = 1;

/// A scalar or vector of an input or output.
#[derive(Clone, Debug)]
pub(super) struct Row {
    global: GlobalRef,
    /// Its first component in the variable, a row each.
    offset: u32,
    name: String,
    part: u16,
    components: u8,
    kind: Kind,
    binding: Binding,
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

/// Whether a vertex number is read, which needs a parameter of the driver.
pub(super) fn reads_parameters(module: &Module, f: &Function) -> bool {
    let is_number = |&(g, _): &(GlobalRef, _)| {
        let global = module.global(g);
        let numbers = [Some(VERTEX_ID), Some(VERTEX_INDEX)];
        global.space == Space::Input && numbers.contains(&global.binding.builtin)
    };
    chiaro_opt::named(module, f).iter().any(is_number)
}

/// The rows of a variable.
fn rows(module: &Module, global: GlobalRef) -> Vec<Row> {
    let data = module.global(global);
    let mut found = Vec::new();
    match module.types.get(data.ty) {
        Type::Struct(_, members) => {
            for (n, member) in members.iter().enumerate() {
                let offset = part_offset(module, data.ty, n as u32, Layout::Rows).unwrap_or(0);
                let mut binding = data.members.get(n).cloned().unwrap_or_default();
                let before = offset / 4;
                binding.location = binding.location.or(data.binding.location.map(|at| at + before));
                add_rows(module, global, member.ty, offset, &member.name, &binding, &mut found);
            }
        }
        _ => add_rows(module, global, data.ty, 0, &data.name, &data.binding, &mut found),
    }
    found
}

fn add_rows(
    module: &Module,
    global: GlobalRef,
    ty: Ty,
    offset: u32,
    name: &str,
    binding: &Binding,
    found: &mut Vec<Row>,
) {
    let places = scalars(module, ty, Layout::Rows);
    let mut starts: Vec<(u32, u8)> = Vec::new();
    for place in places {
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
        let binding =
            Binding { location: binding.location.map(|at| at + u32::from(part)), ..binding.clone() };
        found.push(Row {
            global,
            offset: offset + start,
            name: name.to_owned(),
            part,
            components,
            kind,
            binding,
        });
    }
}

impl Select<'_> {
    /// Places inputs and outputs.
    pub(super) fn place_interface(&mut self, entry: Block) -> Outcome {
        let mut used: Vec<GlobalRef> =
            chiaro_opt::named(self.module, self.f).into_iter().map(|(g, _)| g).collect();
        used.sort_by_key(|g| g.0);
        let space = |s: &Self, wanted: Space| -> Vec<Row> {
            let globals = used.iter().filter(|&&g| s.module.global(g).space == wanted);
            globals.flat_map(|&g| rows(s.module, g)).collect()
        };
        let mut inputs = space(self, Space::Input);
        let mut outputs = space(self, Space::Output);
        locate(&mut inputs);
        locate(&mut outputs);
        inputs
            .sort_by_key(|row| (row.binding.builtin.is_some(), row.binding.location, row.binding.component));
        self.outputs = outputs;
        let start = self.code.push(entry, Mach::Start, &[], &[]);
        let mut preloaded = Vec::new();
        for row in inputs {
            self.input(entry, &row, &mut preloaded)?;
        }
        self.code.set_operands(start, &preloaded, &[]);
        Ok(())
    }

    fn input(&mut self, entry: Block, row: &Row, preloaded: &mut Vec<Operand>) -> Outcome {
        let location = row.binding.location.unwrap_or(0) as u8;
        match (row.binding.builtin, self.stage) {
            (None, Stage::Vertex) => {
                if u32::from(location) >= regs::ATTRIBUTES {
                    let global = self.module.global(row.global);
                    let message = format!("`{}` is attribute {location}, 0 to 15 are allowed", row.name);
                    return Err(vec![
                        Diagnostic::error(global.span, message).help("put several attributes into one vec4"),
                    ]);
                }
                self.preload(row, Source::Attribute(location), row.components, preloaded);
            }
            (None, _) => {
                let interpolation = match row.binding.interpolation {
                    ir::Interpolation::Perspective => Interpolation::Smooth,
                    ir::Interpolation::Linear => Interpolation::Linear,
                    ir::Interpolation::Flat => Interpolation::Flat,
                };
                self.fetches(entry, row, Source::Varying { slot: 0, location, interpolation }, preloaded);
            }
            (Some(VERTEX_ID | VERTEX_INDEX), _) => {
                let number = self.preload(row, Source::Vertex, 1, preloaded)[0];
                let base = Part::new(From::Constant(VERTEX_BASE));
                let sum = self.int2(entry, Op::AddU, number, base);
                self.inputs.insert((row.global, row.offset), sum);
            }
            (Some(INSTANCE_ID | INSTANCE_INDEX), _) => {
                self.preload(row, Source::Instance, 1, preloaded);
            }
            (Some(POINT_COORD), _) => self.fetches(entry, row, Source::PointCoordinate(0), preloaded),
            (Some(FRAG_COORD), _) => self.frag_coord(entry, row, preloaded),
            (Some(FRONT_FACING), _) => {
                let value = self.code.value(HALF, 1, 1);
                let def = self.code.operand(value);
                preloaded.push(def);
                self.reads.push(read(row, Source::Facing, 0, value, None));
                let modifiers = Modifiers { condition: relation::EQ, ..Modifiers::default() };
                let front = self.make(entry, Op::CmpsS, &[def, Operand::imm(0)], modifiers);
                self.inputs.insert((row.global, row.offset), front);
            }
            (Some(number), _) => {
                let global = self.module.global(row.global);
                let message = format!("`{}` (built-in {number}) has no source on A3xx", row.name);
                return Err(vec![Diagnostic::error(global.span, message)]);
            }
        }
        Ok(())
    }

    /// Scalars that registers hold at the start.
    fn preload(&mut self, row: &Row, source: Source, count: u8, preloaded: &mut Vec<Operand>) -> Vec<Part> {
        let mut parts = Vec::new();
        for component in 0..count {
            let value = self.code.value(FULL, 1, 1);
            preloaded.push(self.code.operand(value));
            self.reads.push(read(row, source, component, value, None));
            let part = Part::new(From::Value(value));
            self.inputs.insert((row.global, row.offset + u32::from(component)), part);
            parts.push(part);
        }
        parts
    }

    /// x and y count sixteenths.
    fn frag_coord(&mut self, entry: Block, row: &Row, preloaded: &mut Vec<Operand>) {
        let parts = self.preload(row, Source::FragCoord, 4, preloaded);
        for component in 0..2 {
            let float = self.convert(entry, parts[component], types::U32, types::F32);
            let pixels = self.float2(entry, Op::MulF, float, Part::float(1.0 / 16.0));
            self.inputs.insert((row.global, row.offset + component as u32), pixels);
        }
    }

    /// Scalars of a varying, fetched at the start of the program: the hardware wants all of them
    /// in the first block.
    fn fetches(&mut self, entry: Block, row: &Row, source: Source, preloaded: &mut Vec<Operand>) {
        let pair = self.barycentric(preloaded);
        for component in 0..row.components {
            let number = Operand::imm(0);
            let part = self.make(entry, Op::BaryF, &[number, pair], Modifiers::default());
            let From::Value(value) = part.from else { continue };
            let fetch = self.code.insts(entry).last().copied();
            self.reads.push(read(row, source, component, value, fetch));
            self.inputs.insert((row.global, row.offset + u32::from(component)), part);
        }
    }

    /// The pair of coordinates, one run of two registers.
    fn barycentric(&mut self, preloaded: &mut Vec<Operand>) -> Operand {
        if let Some(known) = self.reads.iter().find(|read| read.source == Source::Barycentric) {
            return self.code.operand(known.value);
        }
        let value = self.code.value(FULL, 2, 1);
        let pair = self.code.operand(value);
        preloaded.push(pair);
        self.reads.push(Read {
            name: "barycentric".to_owned(),
            part: 0,
            source: Source::Barycentric,
            component: 0,
            kind: Kind::Float,
            value,
            fetch: None,
        });
        pair
    }

    /// The scalars of an input.
    pub(super) fn load_input(&mut self, global: GlobalRef, path: &Path, ty: Ty) -> Option<Vec<Part>> {
        debug_assert!(matches!(path.root, Root::Global(_)));
        let mut offset = 0;
        for &(ty, index) in &path.steps {
            let n = self.module.value_bits(self.f, index)?;
            offset += part_offset(self.module, ty, n as u32, Layout::Rows)?;
        }
        let places = scalars(self.module, ty, Layout::Rows);
        Some(
            places
                .into_iter()
                .map(|at| self.inputs.get(&(global, offset + at)).copied().unwrap_or(Part::new(From::Undef)))
                .collect(),
        )
    }

    /// Runs of registers for the outputs, at the end.
    pub(super) fn outputs(&mut self, block: Block) -> Vec<Operand> {
        let mut operands = Vec::new();
        self.writes.clear();
        for row in self.outputs.clone() {
            let Some(sink) = sink(&row, self.stage) else { continue };
            let mut parts: Vec<Part> = (0..u32::from(row.components))
                .map(|i| self.stored.get(&(row.global, row.offset + i)).copied())
                .map(|part| part.unwrap_or(Part::new(From::Undef)))
                .collect();
            if parts.iter().all(|part| part.from == From::Undef) {
                continue;
            }
            // The hardware takes four registers of these whatever the source gives.
            if matches!(sink, Sink::Position | Sink::Colour(_)) {
                parts.resize(4, Part::new(From::Undef));
            }
            let components = parts.len() as u8;
            operands.push(self.collect(block, &parts));
            self.writes.push(Written { name: row.name, part: row.part, sink, kind: row.kind, components });
        }
        operands
    }
}

fn read(row: &Row, source: Source, component: u8, value: Value, fetch: Option<chiaro_mach::Inst>) -> Read {
    Read { name: row.name.clone(), part: row.part, source, component, kind: row.kind, value, fetch }
}

/// What an output is for; `None` for built-ins that the machine does without.
fn sink(row: &Row, stage: Stage) -> Option<Sink> {
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
fn locate(rows: &mut [Row]) {
    let mut taken: Vec<u32> = rows.iter().filter_map(|row| row.binding.location).collect();
    for row in rows.iter_mut().filter(|row| row.binding.builtin.is_none()) {
        if row.binding.location.is_none() {
            let free = (0..).find(|n| !taken.contains(n)).unwrap_or(0);
            taken.push(free);
            row.binding.location = Some(free);
        }
    }
}
