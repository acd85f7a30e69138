//! Loads and stores of buffers: an address in uniforms, an index and a mask of elements (spec 8.2, 19.2).

use chiaro_ir as ir;
use chiaro_ir::{Op as Ir, Path, Root, Space, Ty};
use chiaro_mach::{Block, Operand, What};

use super::Select;
use super::part::alignment;
use super::part::{From, Part};
use super::place::{Cell, Place, cells};
use crate::compile::code::{GPR, Modifiers, UNIFORM, format};
use crate::isa::Op;
use crate::isa::integer::Integer;
use crate::isa::memory::Memory;

/// Elements that an instruction moves at most.
pub(super) const MOST: usize = 4;
/// The largest shift of an index.
const SHIFT: u8 = 2;

/// Elements one behind the other that one instruction moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// Byte of the first from the start of the type.
    pub(super) first: u32,
    /// Bytes of an element.
    pub(super) bytes: u8,
    /// How many.
    pub(super) count: usize,
}

impl Run {
    /// Halves that an element takes in registers.
    pub(super) fn size(&self) -> u16 {
        u16::from(self.bytes).div_ceil(2)
    }

    pub(super) fn format(&self) -> u8 {
        format::integer(self.bytes)
    }
}

/// Runs of scalars; those of 64 bits are two elements.
pub(super) fn runs(cells: &[Cell]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let halved = cells.iter().flat_map(|&(at, bytes)| match bytes {
        8 => vec![(at, 4), (at + 4, 4)],
        _ => vec![(at, bytes)],
    });
    for (at, bytes) in halved {
        match runs.last_mut() {
            Some(run)
                if run.bytes == bytes
                    && run.first + run.count as u32 * u32::from(bytes) == at
                    && run.count < MOST =>
            {
                run.count += 1;
            }
            _ => runs.push(Run { first: at, bytes, count: 1 }),
        }
    }
    runs
}

/// How an access reaches its elements: index, shift of it, and the first element that takes part.
struct Reach {
    index: Operand,
    shift: u8,
    skip: u8,
}

impl Select<'_> {
    /// The scalars that a load gives.
    pub(super) fn load(&mut self, at: Block, inst: ir::Inst) -> Option<Vec<Part>> {
        let (pointer, result) = (self.f.args(inst)[0], self.f.result_of(inst)?);
        let ty = self.f.ty(result);
        if let Some((variable, path)) = self.bound_of(pointer) {
            return self.load_bound(at, variable, &path, ty);
        }
        let path = self.path(pointer)?;
        let pointed = self.module.types.pointee(self.f.ty(pointer))?.1;
        match path.root {
            Root::Global(g) => match self.module.global(g).space {
                Space::Input => self.load_input(at, g, &path.steps, (ty, 0)),
                Space::UniformConstant if self.sizes(ty).is_empty() => Some(Vec::new()),
                Space::Uniform | Space::PushConstant | Space::Storage => self.load_buffer(at, &path, pointed),
                Space::UniformConstant => self.load_buffer(at, &path, pointed),
                Space::Workgroup => self.load_shared(at, &path, pointed),
                Space::Private => self.load_private(at, &path, pointed),
                _ => None,
            },
            Root::Var(_) => self.load_private(at, &path, pointed),
        }
    }

    /// A store: to a variable in memory, or to an output at the end of the function.
    pub(super) fn store(&mut self, at: Block, inst: ir::Inst) -> Option<()> {
        let (pointer, value) = (self.f.args(inst)[0], self.f.args(inst)[1]);
        let path = self.path(pointer)?;
        let ty = self.module.types.pointee(self.f.ty(pointer))?.1;
        let parts = self.value(value);
        if let Some((variable, path)) = self.bound_of(pointer) {
            return self.store_bound(at, variable, &path, &parts);
        }
        let Root::Global(g) = path.root else { return self.store_private(at, &path, ty, &parts) };
        match self.module.global(g).space {
            Space::Output => self.store_output(g, &path.steps, &parts),
            Space::Storage => self.store_buffer(at, &path, ty, &parts),
            Space::Workgroup => self.store_shared(at, &path, ty, &parts),
            Space::Private => self.store_private(at, &path, ty, &parts),
            _ => None,
        }
    }

    fn load_buffer(&mut self, at: Block, path: &Path, ty: Ty) -> Option<Vec<Part>> {
        let (base, from) = self.base(at, path)?;
        let place = self.locate(path, from);
        let cells = cells(self.module, ty);
        let mut parts = Vec::with_capacity(cells.len());
        for run in runs(&cells) {
            let reach = self.reach(at, &place, &run);
            let value = self.code.value(GPR, run.size() * run.count as u16, alignment(run.size()));
            let def = self.code.operand(value);
            self.push(at, Op::Memory(Memory::DeviceLoad), &[def], &[base, reach.index], access(&run, &reach));
            parts.extend(self.apart(at, def, run.size()));
        }
        Some(self.loaded(at, ty, &cells, parts))
    }

    /// What was loaded as the scalars of a type: pairs for 64 bits, bools that are 0 or 1.
    pub(super) fn loaded(&mut self, at: Block, ty: Ty, cells: &[Cell], parts: Vec<Part>) -> Vec<Part> {
        let _ = ty;
        let mut given = parts.into_iter();
        let one = |s: &mut Self, bytes: u8| match bytes {
            8 => {
                let both: Vec<Part> = given.by_ref().take(2).collect();
                s.joined(at, &both)
            }
            _ => given.next().unwrap_or(Part::undef(1)),
        };
        let mut one = one;
        cells.iter().map(|&(_, bytes)| one(self, bytes)).collect()
    }

    /// What is stored of the scalars of a type: elements of at most 32 bits.
    pub(super) fn elements(&mut self, at: Block, parts: &[Part]) -> Vec<Part> {
        let one = |s: &mut Self, part: Part| match part.size {
            4 => {
                let part = if part.bits().is_some() { part } else { s.in_register(at, part) };
                [0, 2].into_iter().filter_map(|n| part.halves(n, 2)).collect()
            }
            _ => vec![part],
        };
        parts.iter().flat_map(|&part| one(self, part)).collect()
    }

    fn store_buffer(&mut self, at: Block, path: &Path, ty: Ty, parts: &[Part]) -> Option<()> {
        let (base, from) = self.base(at, path)?;
        let place = self.locate(path, from);
        let elements = self.elements(at, parts);
        let mut rest = elements.as_slice();
        for run in runs(&cells(self.module, ty)) {
            let (here, others) = rest.split_at(run.count.min(rest.len()));
            rest = others;
            if here.is_empty() || here.iter().all(|part| part.from == From::Undef) {
                continue;
            }
            let data = self.collect(at, here);
            let reach = self.reach(at, &place, &run);
            let modifiers = access(&run, &reach);
            self.push(at, Op::Memory(Memory::DeviceStore), &[], &[data, base, reach.index], modifiers);
        }
        Some(())
    }

    /// The address of a buffer in uniforms, and how many steps of the path lead to the buffer.
    pub(super) fn base(&mut self, at: Block, path: &Path) -> Option<(Operand, usize)> {
        let Root::Global(g) = path.root else { return None };
        let first = self.buffers.get(&g)?.first;
        let (half, from) = match self.buffers.get(&g)?.count {
            None => (first, 0),
            // An array of buffers has an address for each; a computed one of them is looked for.
            Some(count) => {
                let index = path.steps.first()?.1;
                match self.module.value_bits(self.f, index) {
                    Some(n) => (first + 4 * (n as u16).min(count - 1), 1),
                    None => return self.base_among(at, first, count, index),
                }
            }
        };
        let base = Operand { what: What::Slot(half.into()), file: UNIFORM, size: 4, ..Operand::default() };
        Some((base, from))
    }

    fn base_among(
        &mut self,
        at: Block,
        first: u16,
        count: u16,
        index: ir::Value,
    ) -> Option<(Operand, usize)> {
        let index = self.scalar(index);
        let all: Vec<Part> =
            (0..count).map(|n| self.in_register(at, Part::new(From::Uniform(first + 4 * n), 4))).collect();
        let chosen = self.indexed(at, &all, index);
        Some((self.register(at, chosen), 1))
    }

    /// Index, shift and mask for a run of elements.
    fn reach(&mut self, at: Block, place: &Place, run: &Run) -> Reach {
        let bytes = i64::from(run.bytes);
        let elements = (place.offset + i64::from(run.first)) / bytes;
        let strides: Vec<u32> =
            place.terms.iter().map(|&(_, stride)| stride / u32::from(run.bytes)).collect();
        let room = (MOST - run.count) as i64;
        let shifts = |shift: u8| strides.iter().all(|stride| stride.is_multiple_of(1 << shift));
        let mut shift = (0..=SHIFT).rev().find(|&shift| shifts(shift)).unwrap_or(0);
        if strides.is_empty() {
            // The number alone: as it is, unless it is too large.
            shift = (0..=SHIFT).find(|&shift| elements >> shift <= i64::from(i16::MAX)).unwrap_or(SHIFT);
        }
        // Neighbours have the same index, so that one access can do for several. It is extended with zeros: nothing may
        // make it smaller than it is.
        let aligned = elements & (MOST as i64 - 1);
        let mut skip = match elements {
            0.. if aligned <= room => aligned,
            0.. if elements <= room => elements,
            _ => elements & ((1 << shift) - 1),
        };
        if skip > room {
            (shift, skip) = (0, 0);
        }
        let rest = (elements - skip) >> shift;
        let terms: Vec<(Part, u32)> =
            place.terms.iter().zip(&strides).map(|(&(part, _), &stride)| (part, stride >> shift)).collect();
        let index = match terms.is_empty() && i16::try_from(rest).is_ok() {
            true => Operand::imm(rest as u64),
            false => {
                let index = self.index(at, 2, &terms, rest);
                self.register(at, index)
            }
        };
        Reach { index, shift, skip: skip as u8 }
    }

    /// A sum of products and a number, in so many halves; computed once for a block.
    pub(super) fn index(&mut self, at: Block, size: u16, terms: &[(Part, u32)], number: i64) -> Part {
        let key = (at, size, terms.to_vec(), number);
        if let Some(&known) = self.addresses.get(&key) {
            return known;
        }
        let mask = u64::MAX >> (64 - 16 * size);
        let constant = |n: i64| Part::new(From::Number(n as u64 & mask), size);
        // Neighbours have the terms in common.
        if number != 0 && !terms.is_empty() {
            let base = self.index(at, size, terms, 0);
            let sum = self.integer_two(at, Integer::Iadd, size, base, constant(number), 0);
            self.addresses.insert(key, sum);
            return sum;
        }
        let mut sum = constant(number);
        for &(part, stride) in terms {
            let part = if size == 1 { part.halves(0, 1).unwrap_or(part) } else { self.wide_index(part) };
            sum = match (stride, sum.bits()) {
                (1, Some(0)) => part,
                (1, _) => self.integer_two(at, Integer::Iadd, size, sum, part, 0),
                (n @ (2 | 4 | 8 | 16), _) => {
                    self.integer_two(at, Integer::Iadd, size, sum, part, n.trailing_zeros() as u8)
                }
                (n, _) => self.integer_three(at, Integer::Imadd, size, [part, constant(n.into()), sum], 0),
            };
        }
        self.addresses.insert(key, sum);
        sum
    }

    /// Atomic operations on buffers and shared memory.
    pub(super) fn atomic(&mut self, at: Block, inst: ir::Inst, op: Ir) -> Option<Vec<Part>> {
        let args = self.f.args(inst).to_vec();
        let pointer = args[0];
        if matches!(self.module.types.pointee(self.f.ty(pointer)), Some((Space::Image, _))) {
            return self.image_atomic(at, inst, op);
        }
        if let Some(((_, bound), path)) = self.bound_of(pointer) {
            return self.atomic_bound(at, inst, (bound, &path), op);
        }
        let path = self.path(pointer)?;
        let ty = self.module.types.pointee(self.f.ty(pointer))?.1;
        if self.sizes(ty) != [2] {
            return None;
        }
        match op {
            Ir::AtomicLoad(..) => return self.load(at, inst),
            Ir::AtomicStore(..) => return self.store(at, inst).map(|()| Vec::new()),
            _ => {}
        }
        let (code, operand) = self.atomic_operand(at, inst, op)?;
        let value = self.code.value(GPR, 2, 2);
        let def = self.code.operand(value);
        let modifiers = Modifiers { mode: code, unsigned: true, ..Modifiers::default() };
        let Root::Global(g) = path.root else { return None };
        if self.module.global(g).space == Space::Workgroup {
            let base = self.shared_base(at, &path, 0);
            self.push(
                at,
                Op::Memory(Memory::ThreadgroupAtomic),
                &[def],
                &[base, Operand::imm(0), operand],
                modifiers,
            );
        } else {
            let (base, from) = self.base(at, &path)?;
            let place = self.locate(&path, from);
            let terms: Vec<(Part, u32)> =
                place.terms.iter().map(|&(part, stride)| (part, stride / 4)).collect();
            let index = match (terms.is_empty(), i16::try_from(place.offset / 4)) {
                (true, Ok(n)) => Operand::imm(i64::from(n) as u64),
                _ => {
                    let index = self.index(at, 2, &terms, place.offset / 4);
                    self.register(at, index)
                }
            };
            self.push(at, Op::Memory(Memory::Atomic), &[def], &[base, index, operand], modifiers);
        }
        Some(vec![Part::new(From::Value(value, 0), 2)])
    }

    /// The machine's code of an atomic operation, and what it works with (spec 8.4).
    pub(super) fn atomic_operand(&mut self, at: Block, inst: ir::Inst, op: Ir) -> Option<(u8, Operand)> {
        use chiaro_ir::Combine as C;
        let args = self.f.args(inst).to_vec();
        if let Ir::AtomicCompare(..) = op {
            let both = [self.scalar(args[1]), self.scalar(args[2])];
            return Some((3, self.collect(at, &both)));
        }
        let Ir::Atomic(combine, ..) = op else { return None };
        let code = match combine {
            C::IAdd => 0,
            C::Exchange => 2,
            C::UMin => 4,
            C::SMin => 5,
            C::UMax => 6,
            C::SMax => 7,
            C::And => 8,
            C::Or => 9,
            C::Xor => 10,
            _ => return None,
        };
        let value = self.scalar(args[1]);
        Some((code, self.register(at, value)))
    }
}

fn access(run: &Run, reach: &Reach) -> Modifiers {
    Modifiers {
        format: run.format(),
        mask: (((1 << run.count) - 1) << reach.skip) as u8,
        shift: reach.shift,
        unsigned: true,
        ..Modifiers::default()
    }
}
