//! Inputs of vertices and threads.

use std::ops::Range;

use chiaro_diag::Diagnostic;
use chiaro_ir as ir;
use chiaro_ir::{GlobalRef, Space, Stage, Ty};
use chiaro_mach::{Block, Effects, Op as Mach, Operand, Outcome};

use super::Select;
use super::builtin;
use super::part::alignment;
use super::part::{From, Part, Widened};
use super::place::{cells, part_offset};
use super::row::{Row, rows};
use crate::compile::code::{GPR, Modifiers};
use crate::compile::compiled::{Place, Placed};
use crate::container::file::GROUPS;
use crate::isa::Op;
use crate::isa::integer::Integer;
use crate::regs::{COVERAGE, GPR_HALVES};

/// Special registers (spec 2.5).
pub(super) mod special {
    pub(crate) const GROUP_ID: u8 = 0;
    pub(crate) const BACK: u8 = 62;
    pub(crate) const ACTIVE: u8 = 63;
    pub(crate) const SAMPLES: u8 = 124;
    pub(crate) const LOCAL_ID: u8 = 48;
    pub(crate) const LOCAL_INDEX: u8 = 51;
    pub(crate) const LANE: u8 = 52;
    pub(crate) const SUBGROUP: u8 = 53;
    pub(crate) const GLOBAL_ID: u8 = 80;
}

/// Lanes of a SIMD-group.
const LANES: u32 = crate::regs::LANES;

impl Select<'_> {
    /// The variables of a space that the function names, in the order of declaration.
    pub(super) fn used(&self, space: Space) -> Vec<GlobalRef> {
        let all = chiaro_opt::named(self.module, self.f).into_iter().map(|(g, _)| g);
        let mut used: Vec<GlobalRef> = all.filter(|&g| self.module.global(g).space == space).collect();
        used.sort_by_key(|g| g.0);
        used
    }

    /// What programs read at their start.
    pub(super) fn place_inputs(&mut self, entry: Block) -> Outcome {
        let start = match self.start {
            Some(start) => start,
            None => self.code.push(entry, Mach::Start, &[], &[]),
        };
        self.start = Some(start);
        let own = self.used(Space::Input).into_iter().filter(|&g| self.standing(g).is_none());
        let mut rows: Vec<Row> = own.flat_map(|g| rows(self.module, g)).collect();
        locate(&mut rows);
        rows.sort_by_key(|row| (row.binding.builtin.is_some(), row.location(), row.binding.component));
        let mut preloaded = std::mem::take(&mut self.preloaded);
        self.preload_bound(entry, &mut preloaded);
        if self.stage == Stage::Fragment {
            self.note_samples(&rows);
            self.place_coefficients(&rows)?;
        }
        for row in &rows {
            match (row.binding.builtin, self.stage) {
                (None, Stage::Vertex) => self.attribute(row, &mut preloaded)?,
                (None, Stage::Fragment) => self.varying(entry, row),
                (Some(number), _) => self.built_in(entry, row, number, &mut preloaded)?,
                _ => {
                    let span = self.module.global(row.global).span;
                    return self.error(span, format!("`{}` has no source here", row.name), "read a buffer");
                }
            }
        }
        self.code.set_operands(start, &preloaded, &[]);
        self.preloaded = preloaded;
        Ok(())
    }

    /// A value that registers hold at the start, from a half on.
    pub(super) fn preload(&mut self, half: u16, size: u16, preloaded: &mut Vec<Operand>) -> Part {
        if let Some(&given) = self.among.given.get(&half) {
            return given;
        }
        let same = preloaded.iter().find(|def| def.fixed == Some(half)).and_then(Operand::value);
        let value = same.unwrap_or_else(|| {
            let value = self.code.value(GPR, size, alignment(size));
            preloaded.push(self.code.operand(value).fixed(half));
            value
        });
        Part::new(From::Value(value, 0), size)
    }

    /// Component c of attribute a is in r(8 + 4a + c), in 32 bits (spec 14.1).
    fn attribute(&mut self, row: &Row, preloaded: &mut Vec<Operand>) -> Outcome {
        let first = 8 + 4 * row.location() as u16 + row.binding.component as u16;
        if 2 * (first + row.components) > GPR_HALVES {
            let span = self.module.global(row.global).span;
            let message = format!("`{}` is attribute {}, 0 to 29 are allowed", row.name, row.location());
            return self.error(span, message, "put several attributes into one");
        }
        let run = self.attribute_run(2 * first..2 * (first + row.components), preloaded);
        for n in 0..row.components {
            let whole = match run.and_then(|run| run.halves(2 * n, 2)) {
                Some(part) => part,
                None => self.preload(2 * (first + n), 2, preloaded),
            };
            let part = self.of_word(row, whole);
            self.enter(row, n, Place::Register(2 * (first + n), 2));
            self.inputs.insert(row.place(n), part);
        }
        Ok(())
    }

    /// The halves of an attribute as one value, so that what is stored of it in software needs not be collected.
    fn attribute_run(&mut self, halves: Range<u16>, preloaded: &mut Vec<Operand>) -> Option<Part> {
        let is_free = |def: &Operand| def.fixed.is_none_or(|half| !halves.contains(&half));
        if !self.software || !preloaded.iter().all(is_free) {
            return None;
        }
        let whole = self.preload(halves.start, halves.len() as u16, preloaded);
        if let From::Value(value, _) = whole.from {
            self.runs.insert(value, (halves.start, whole.size));
        }
        Some(whole)
    }

    /// Notes where a component of an input comes from.
    pub(super) fn enter(&mut self, row: &Row, n: u16, place: Place) {
        let (variable, byte) = row.place(n);
        self.interface.inputs.push(Placed { variable, byte, place });
    }

    /// A component of 16 bits that comes in 32.
    fn of_word(&mut self, row: &Row, whole: Part) -> Part {
        match (row.bytes, row.is_float) {
            (4.., _) => whole,
            (_, true) => self.float_copy(Block(0), whole, 1),
            (_, false) => whole.halves(0, 1).unwrap_or(whole),
        }
    }

    /// A special register in so many halves.
    pub(super) fn special_register(&mut self, at: Block, number: u8, size: u16) -> Part {
        let modifiers = Modifiers { number, ..Modifiers::default() };
        let part = self.make(at, Op::Integer(Integer::GetSr), size, &[], modifiers);
        // What lives changes (spec 10.4).
        if COVERAGE.contains(&number)
            && let Some(&made) = self.code.insts(at).last()
        {
            self.code.inst_mut(made).effects = Effects::reads(Effects::COVERAGE);
        }
        part
    }

    fn built_in(&mut self, entry: Block, row: &Row, number: u32, preloaded: &mut Vec<Operand>) -> Outcome {
        let found = match self.stage {
            Stage::Vertex => self.of_vertex(entry, number, preloaded),
            Stage::Fragment => self.of_fragment(entry, number),
            _ => self.of_dispatch(entry, number),
        };
        let found = found.or_else(|| self.of_lanes(entry, number));
        let Some(parts) = found else {
            let message = format!("`{}` (built-in {number}) has no source on AGX", row.name);
            return Err(vec![Diagnostic::error(self.module.global(row.global).span, message)]);
        };
        let half = match number {
            builtin::VERTEX_ID | builtin::VERTEX_INDEX => Some(10),
            builtin::INSTANCE_ID | builtin::INSTANCE_INDEX => Some(12),
            _ => None,
        };
        if let (Some(half), Stage::Vertex) = (half, self.stage) {
            self.enter(row, 0, Place::Register(half, 2));
        }
        for (n, part) in (0..row.components).zip(parts) {
            self.inputs.insert(row.place(n), part);
        }
        Ok(())
    }

    /// r5 and r6 hold the numbers of vertex and instance (spec 14.1). Vulkan's number of the instance has the
    /// base in it.
    fn of_vertex(&mut self, entry: Block, number: u32, preloaded: &mut Vec<Operand>) -> Option<Vec<Part>> {
        use builtin as b;
        Some(vec![match number {
            b::VERTEX_ID | b::VERTEX_INDEX => self.preload(10, 2, preloaded),
            b::INSTANCE_ID => self.preload(12, 2, preloaded),
            b::INSTANCE_INDEX => {
                let instance = self.preload(12, 2, preloaded);
                let base = self.fixed_uniform("base instance", self.vertex_abi?.base_instance(), 2);
                self.integer_two(entry, Integer::Iadd, 2, instance, base, 0)
            }
            b::BASE_VERTEX => self.fixed_uniform("base vertex", self.vertex_abi?.base_vertex(), 2),
            b::BASE_INSTANCE => self.fixed_uniform("base instance", self.vertex_abi?.base_instance(), 2),
            b::DRAW => {
                let draw = self.fixed_uniform("draw", self.vertex_abi?.draw_id(), 1);
                draw.wider(Widened::Zero)?
            }
            _ => return None,
        }])
    }

    fn of_dispatch(&mut self, entry: Block, number: u32) -> Option<Vec<Part>> {
        use builtin as b;
        let three =
            |s: &mut Self, first: u8| (0..3).map(|n| s.special_register(entry, first + n, 2)).collect();
        Some(match number {
            b::GROUP_COUNTS => (0..3).map(|n| self.parameter(GROUPS, 4 * n, 2)).collect(),
            b::GROUP_SIZE => self.workgroup.map(Part::number).to_vec(),
            b::GROUP_ID => three(self, special::GROUP_ID),
            b::LOCAL_ID => three(self, special::LOCAL_ID),
            b::GLOBAL_ID => three(self, special::GLOBAL_ID),
            b::LOCAL_INDEX => vec![self.special_register(entry, special::LOCAL_INDEX, 2)],
            b::SUBGROUP_ID => vec![self.special_register(entry, special::SUBGROUP, 2)],
            b::SUBGROUP_COUNT => {
                let threads: u32 = self.workgroup.iter().product();
                vec![Part::number(threads.div_ceil(LANES))]
            }
            _ => return None,
        })
    }

    fn of_lanes(&mut self, entry: Block, number: u32) -> Option<Vec<Part>> {
        use builtin as b;
        Some(match number {
            b::LANE => vec![self.special_register(entry, special::LANE, 2)],
            b::SUBGROUP_SIZE => vec![Part::number(LANES)],
            b::LANES_EQUAL..=b::LANES_BELOW => self.lane_mask(entry, number),
            _ => return None,
        })
    }

    /// Which lanes stand in a relation to this one, as four words.
    fn lane_mask(&mut self, at: Block, number: u32) -> Vec<Part> {
        let lane = self.special_register(at, special::LANE, 2);
        let ones = Part::number(u32::MAX);
        let mask = match number {
            builtin::LANES_EQUAL => self.shift_left(at, 2, Part::number(1), lane),
            builtin::LANES_FROM => self.shift_left(at, 2, ones, lane),
            builtin::LANES_ABOVE => self.shift_left(at, 2, Part::number(u32::MAX - 1), lane),
            _ => {
                let from = if number == builtin::LANES_BELOW { ones } else { Part::number(u32::MAX - 1) };
                let above = self.shift_left(at, 2, from, lane);
                self.bits(at, 2, crate::compile::code::table::XOR, above, ones)
            }
        };
        vec![mask, Part::number(0), Part::number(0), Part::number(0)]
    }

    /// The scalars of an input, or of a part of it that steps lead to from an offset on; one of several by a
    /// computed index.
    pub(super) fn load_input(
        &mut self,
        at: Block,
        global: GlobalRef,
        steps: &[(Ty, ir::Value)],
        (ty, offset): (Ty, u32),
    ) -> Option<Vec<Part>> {
        self.indexed_input(at, steps, offset, &|s, offset| {
            let part = |&(at, bytes): &(u32, u8)| {
                let known = s.inputs.get(&(global, offset + at)).copied();
                known.unwrap_or(Part::undef(u16::from(bytes).div_ceil(2)))
            };
            Some(cells(s.module, ty).iter().map(part).collect())
        })
    }

    /// Scalars of a part of an input, made from its offset; where an index is computed, of all that it may be.
    pub(super) fn indexed_input(
        &mut self,
        at: Block,
        steps: &[(Ty, ir::Value)],
        offset: u32,
        made: &dyn Fn(&mut Self, u32) -> Option<Vec<Part>>,
    ) -> Option<Vec<Part>> {
        let Some((&(whole, index), rest)) = steps.split_first() else { return made(self, offset) };
        let module = self.module;
        let of_part = |s: &mut Self, n: u32| {
            let offset = offset + part_offset(module, whole, n);
            s.indexed_input(at, rest, offset, made)
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
                *found = self.select(at, &here, other, *found);
            }
        }
        Some(found)
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
