//! Inputs and outputs, with places that are settled once it is known what is read.

use chiaro_diag::{Diagnostic, Tally};
use chiaro_ir as ir;
use chiaro_ir::{GlobalRef, Space, Stage, Ty};
use chiaro_mach::{Block, Op as Mach, Operand, Outcome};

use super::Select;
use super::part::{From, Part};
use super::row::builtin::{
    FRAG_COORD, FRONT_FACING, GLOBAL_ID, GROUP_COUNTS, GROUP_ID, INSTANCE_ID, INSTANCE_INDEX, LOCAL_ID,
    LOCAL_INDEX, POINT_COORD, VERTEX_ID, VERTEX_INDEX,
};
use super::row::{Read, Row, Written, locate, read, rows, sink};
use crate::abi::constants::{Layout, part_offset, scalars};
use crate::abi::{Interpolation, Kind, Sink, Source};
use crate::compile::code::{FULL, HALF, Modifiers, relation, types};
use crate::isa::Op;
use crate::regs;

/// Components of the driver parameter that is added to a vertex number [ir3_const.h].
const VERTEX_BASE: u16 = 1;

impl Select<'_> {
    /// Places inputs and outputs.
    pub(super) fn place_interface(&mut self, entry: Block) -> Outcome {
        let space = |s: &Self, wanted: Space| -> Vec<Row> {
            let globals = s.named.iter().filter(|&&g| s.module.global(g).space == wanted);
            globals.flat_map(|&g| rows(s.module, g)).collect()
        };
        let mut inputs = space(self, Space::Input);
        let mut outputs = space(self, Space::Output);
        self.attributes_fit(&inputs)?;
        locate(&mut inputs);
        locate(&mut outputs);
        inputs
            .sort_by_key(|row| (row.binding.builtin.is_some(), row.binding.location, row.binding.component));
        outputs.retain(|row| sink(row, self.stage).is_none_or(|sink| self.variant.keeps(sink)));
        self.outputs = outputs;
        let start = self.code.push(entry, Mach::Start, &[], &[]);
        let mut preloaded = Vec::new();
        for row in inputs {
            self.input(entry, &row, &mut preloaded)?;
        }
        self.code.set_operands(start, &preloaded, &[]);
        Ok(())
    }

    /// Refuses more attributes than there are; those with locations of their own may share one.
    fn attributes_fit(&self, inputs: &[Row]) -> Outcome {
        let mut tally = Tally::new("attributes", "vec4", regs::ATTRIBUTES);
        let mut seen = std::collections::HashSet::new();
        for row in inputs.iter().filter(|row| row.binding.builtin.is_none()) {
            if row.binding.location.is_none_or(|location| seen.insert(location)) {
                let global = self.module.global(row.global);
                tally.add(&global.name, global.span, 1);
            }
        }
        match tally.overflow().filter(|_| self.stage == Stage::Vertex) {
            Some(error) => Err(vec![error.help("put several attributes into one vec4")]),
            None => Ok(()),
        }
    }

    fn input(&mut self, entry: Block, row: &Row, preloaded: &mut Vec<Operand>) -> Outcome {
        let Some(number) = row.binding.builtin else { return self.variable(entry, row, preloaded) };
        match (number, self.stage) {
            (VERTEX_ID | VERTEX_INDEX, _) => {
                let number = self.preload(row, Source::Vertex, 1, preloaded)[0];
                let base = Part::new(From::Constant(VERTEX_BASE));
                let sum = self.int2(entry, Op::AddU, number, base);
                self.inputs.insert((row.global, row.offset), sum);
            }
            (INSTANCE_ID | INSTANCE_INDEX, _) => {
                self.preload(row, Source::Instance, 1, preloaded);
            }
            (POINT_COORD, _) => self.fetches(entry, row, Source::PointCoordinate(0), preloaded),
            (FRAG_COORD, _) => self.frag_coord(entry, row, preloaded),
            (FRONT_FACING, _) => self.facing(entry, row, preloaded),
            (GROUP_COUNTS, _) => {
                for n in 0..3 {
                    let place = (row.global, row.offset + u32::from(n));
                    self.inputs.insert(place, Part::new(From::Constant(n)));
                }
            }
            (LOCAL_ID | GROUP_ID | GLOBAL_ID | LOCAL_INDEX, Stage::Compute) => {
                self.invocation(entry, row, preloaded);
            }
            _ => {
                let global = self.module.global(row.global);
                let message = format!("`{}` (built-in {number}) has no source on A3xx", row.name);
                return Err(vec![Diagnostic::error(global.span, message)]);
            }
        }
        Ok(())
    }

    /// An attribute or a varying.
    fn variable(&mut self, entry: Block, row: &Row, preloaded: &mut Vec<Operand>) -> Outcome {
        let location = row.binding.location.unwrap_or(0) as u8;
        if self.stage != Stage::Vertex {
            let interpolation = match row.binding.interpolation {
                ir::Interpolation::Perspective => Interpolation::Smooth,
                ir::Interpolation::Linear => Interpolation::Linear,
                ir::Interpolation::Flat => Interpolation::Flat,
            };
            self.fetches(entry, row, Source::Varying { slot: 0, location, interpolation }, preloaded);
            return Ok(());
        }
        if u32::from(location) >= regs::ATTRIBUTES {
            let (global, last) = (self.module.global(row.global), regs::ATTRIBUTES - 1);
            let message = format!("`{}` is attribute {location}, 0 to {last} are allowed", row.name);
            let error = Diagnostic::error(global.span, message);
            return Err(vec![error.help("put several attributes into one vec4")]);
        }
        self.preload(row, Source::Attribute(location), row.components, preloaded);
        Ok(())
    }

    /// Whether a fragment is of the front: where the machine says 0.
    fn facing(&mut self, entry: Block, row: &Row, preloaded: &mut Vec<Operand>) {
        let value = self.code.value(HALF, 1, 1);
        let def = self.code.operand(value);
        preloaded.push(def);
        self.reads.push(read(row, Source::Facing, 0, value, None));
        let modifiers = Modifiers { condition: relation::EQ, ..Modifiers::default() };
        let front = self.make(entry, Op::CmpsS, &[def, Operand::imm(0)], modifiers);
        self.inputs.insert((row.global, row.offset), front);
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

    /// The number of an invocation, in one of its forms.
    fn invocation(&mut self, entry: Block, row: &Row, preloaded: &mut Vec<Operand>) {
        let size = self.workgroup;
        let builtin = row.binding.builtin.unwrap_or_default();
        let parts = match builtin {
            GROUP_ID => self.numbers(Source::GroupId, preloaded),
            LOCAL_ID => self.numbers(Source::LocalId, preloaded),
            GLOBAL_ID => {
                let (group, local) =
                    (self.numbers(Source::GroupId, preloaded), self.numbers(Source::LocalId, preloaded));
                [0, 1, 2].map(|n| self.multiplied(entry, group[n], size[n], local[n]))
            }
            _ => {
                let [x, y, z] = self.numbers(Source::LocalId, preloaded);
                let row = self.multiplied(entry, z, size[1], y);
                [self.multiplied(entry, row, size[0], x); 3]
            }
        };
        for (n, part) in (0..u32::from(row.components)).zip(parts) {
            self.inputs.insert((row.global, row.offset + n), part);
        }
    }

    /// a n + b, of numbers of invocations, which have fewer than 24 bits.
    fn multiplied(&mut self, at: Block, a: Part, n: u32, b: Part) -> Part {
        match n {
            1 => self.int2(at, Op::AddU, a, b),
            _ => self.three(at, Op::MadU24, [Part::number(n), a, b]),
        }
    }

    /// Three numbers that registers hold at the start.
    fn numbers(&mut self, source: Source, preloaded: &mut Vec<Operand>) -> [Part; 3] {
        let part = |value| Part::new(From::Value(value));
        let known: Vec<Part> =
            self.reads.iter().filter(|read| read.source == source).map(|read| part(read.value)).collect();
        if let [x, y, z] = known[..] {
            return [x, y, z];
        }
        let name = if source == Source::LocalId { "local-id" } else { "group-id" };
        [0, 1, 2].map(|component| {
            let value = self.code.value(FULL, 1, 1);
            preloaded.push(self.code.operand(value));
            let name = name.to_owned();
            self.reads.push(Read { name, part: 0, source, component, kind: Kind::Int, value, fetch: None });
            part(value)
        })
    }

    /// x and y count sixteenths.
    fn frag_coord(&mut self, entry: Block, row: &Row, preloaded: &mut Vec<Operand>) {
        let parts = self.preload(row, Source::FragCoord, 4, preloaded);
        for (component, &part) in parts.iter().take(2).enumerate() {
            let float = self.convert(entry, part, types::U32, types::F32);
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

    /// The scalars of an input, or of a part of it that steps lead to from an offset on; one of
    /// several by a computed index.
    pub(super) fn load_input(
        &mut self,
        at: Block,
        global: GlobalRef,
        steps: &[(Ty, ir::Value)],
        (ty, offset): (Ty, u32),
    ) -> Option<Vec<Part>> {
        let Some((&(whole, index), rest)) = steps.split_first() else {
            let places = scalars(self.module, ty, Layout::Rows).into_iter();
            let part = |at: u32| self.inputs.get(&(global, offset + at)).copied();
            return Some(places.map(|at| part(at).unwrap_or(Part::new(From::Undef))).collect());
        };
        let module = self.module;
        let of_part = |s: &mut Self, n: u32| {
            let offset = offset + part_offset(module, whole, n, Layout::Rows)?;
            s.load_input(at, global, rest, (ty, offset))
        };
        if let Some(n) = module.value_bits(self.f, index) {
            return of_part(self, n as u32);
        }
        let index = self.scalar(index);
        let mut found = of_part(self, 0)?;
        for n in 1..module.types.part_count(whole)? {
            let others = of_part(self, n)?;
            let here = self.is_number(at, index, n);
            for (found, other) in found.iter_mut().zip(others) {
                *found = self.three(at, Op::SelB32, [other, here, *found]);
            }
        }
        Some(found)
    }

    /// The run of one output. Colours may be written from half registers, if no part loses anything there.
    fn output(&mut self, block: Block, row: &Row, sink: Sink, parts: &[Part]) -> Operand {
        let collected = self.collect(block, parts);
        let relaxed = row.kind == Kind::Float;
        if let (true, Sink::Colour(_), Some(&inst)) = (relaxed, sink, self.code.insts(block).last())
            && self.code.op(inst) == Mach::Collect
        {
            self.code.inst_mut(inst).modifiers = Modifiers { relaxed, ..Modifiers::default() }.pack();
        }
        collected
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
            operands.push(self.output(block, &row, sink, &parts));
            self.writes.push(Written { name: row.name, part: row.part, sink, kind: row.kind, components });
        }
        operands
    }
}
