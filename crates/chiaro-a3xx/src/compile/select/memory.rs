//! Loads and stores: constants in place, inputs and outputs, tables at computed indices.

use chiaro_ir as ir;
use chiaro_ir::{Path, Root, Space, Ty, Type};
use chiaro_mach::{Block, Operand, What};

use super::Select;
use super::part::{From, Part};
use super::place::Place;
use crate::abi::constants::{Layout, part_offset, scalars};
use crate::compile::code::{Modifiers, RELATIVE, address, types};
use crate::isa::Op;

impl Select<'_> {
    /// The variable and the indices of a pointer.
    pub(super) fn path(&self, pointer: ir::Value) -> Option<Path> {
        Path::of(self.module, self.f, pointer)
    }

    /// Components from the start of a variable, those of computed indices made here.
    pub(super) fn place(&mut self, at: Block, path: &Path, layout: Layout) -> Option<Place> {
        let mut place = Place { offset: 0, index: None };
        for &(ty, index) in &path.steps {
            match self.module.value_bits(self.f, index) {
                Some(n) => {
                    // An index out of bounds stays within the variable.
                    let count = self.module.types.part_count(ty);
                    let most = count.map_or(u32::MAX, |count| count.saturating_sub(1));
                    place.offset += part_offset(self.module, ty, (n as u32).min(most), layout)?;
                }
                None => {
                    let stride = part_offset(self.module, ty, 1, layout)?;
                    let index = self.scalar(index);
                    let scaled = self.scaled(at, index, stride);
                    place.index = Some(match place.index {
                        Some(before) => self.address_step(at, Op::AddU, before, scaled),
                        None => scaled,
                    });
                }
            }
        }
        Some(place)
    }

    /// An index times a number of components.
    fn scaled(&mut self, at: Block, index: Part, stride: u32) -> Part {
        match stride {
            1 => index,
            n if n.is_power_of_two() => {
                self.address_step(at, Op::ShlB, index, Part::number(n.trailing_zeros()))
            }
            // Indices have far fewer than 24 bits.
            n => self.address_step(at, Op::MulS24, index, Part::number(n)),
        }
    }

    /// An integer operation of an address: elements of arrays ask for the same ones again and again.
    pub(super) fn address_step(&mut self, at: Block, op: Op, a: Part, b: Part) -> Part {
        if let Some(&known) = self.addresses.get(&(at, op as u32, [a, b])) {
            return known;
        }
        let made = self.int2(at, op, a, b);
        self.addresses.insert((at, op as u32, [a, b]), made);
        made
    }

    /// The scalars that a load gives.
    pub(super) fn load(&mut self, at: Block, inst: ir::Inst) -> Option<Vec<Part>> {
        let (pointer, result) = (self.f.args(inst)[0], self.f.result_of(inst)?);
        let ty = self.f.ty(result);
        let path = self.path(pointer)?;
        match path.root {
            Root::Global(g) => match self.module.global(g).space {
                Space::Input => self.load_input(at, g, &path.steps, (ty, 0)),
                Space::UniformConstant if self.scalars(ty) == 0 => Some(Vec::new()),
                Space::UniformConstant | Space::Uniform | Space::PushConstant => {
                    if let Some(pointer) = self.constants.pointer(g) {
                        let place = self.place(at, &path, Layout::Bytes)?;
                        return Some(self.load_block(at, pointer, place, ty));
                    }
                    let (first, layout) = self.constants.place(g)?;
                    let to = self.module.types.pointee(self.f.ty(pointer))?.1;
                    let place = self.place(at, &path, layout)?;
                    Some(self.load_constants(at, first, place, to, layout))
                }
                Space::Storage | Space::Workgroup => self.load_shared(at, &path, ty),
                Space::Private if self.tables.contains_key(&path.root) => self.load_table(at, &path, ty),
                _ => None,
            },
            Root::Var(_) if self.tables.contains_key(&path.root) => self.load_table(at, &path, ty),
            Root::Var(_) => self.load_variable(at, &path, ty),
        }
    }

    /// A constant array that is indexed lies in the constant file.
    fn load_table(&mut self, at: Block, path: &Path, ty: Ty) -> Option<Vec<Part>> {
        let first = *self.tables.get(&path.root)?;
        let place = self.place(at, path, Layout::Rows)?;
        Some(self.load_constants(at, first, place, ty, Layout::Rows))
    }

    fn load_constants(&mut self, at: Block, first: u16, place: Place, ty: Ty, layout: Layout) -> Vec<Part> {
        let offsets = scalars(self.module, ty, layout);
        let is_bool = self.is_bool_type(ty);
        let parts: Vec<Part> = match place.index {
            None => {
                let constant =
                    |offset: &u32| Part::new(From::Constant(first + (place.offset + offset) as u16));
                offsets.iter().map(constant).collect()
            }
            Some(index) => self.load_indexed(at, u32::from(first) + place.offset, index, &offsets),
        };
        match is_bool && layout == Layout::Rows {
            true => {
                let ne = crate::compile::code::relation::NE;
                parts.into_iter().map(|p| self.int_compare(at, Op::CmpsS, ne, p, Part::number(0))).collect()
            }
            false => parts,
        }
    }

    fn is_bool_type(&self, ty: Ty) -> bool {
        match self.module.types.get(ty) {
            Type::Array(elem, ..) => self.is_bool_type(*elem),
            _ => self.module.types.is_bool(ty),
        }
    }

    /// Components relative to a0.x. What the offset of an instruction cannot hold goes to the
    /// address.
    fn load_indexed(&mut self, at: Block, base: u32, index: Part, offsets: &[u32]) -> Vec<Part> {
        let most = base + offsets.iter().max().unwrap_or(&0);
        let (base, index) = match most {
            0..=511 => (base, index),
            _ => (0, self.address_step(at, Op::AddU, index, Part::number(base))),
        };
        self.set_address(at, index);
        let one = |s: &mut Self, offset: u32| {
            let relative = Operand { what: What::Slot(base + offset), bits: RELATIVE, ..Operand::default() };
            let modifiers = Modifiers { types: (types::F32, types::F32), ..Modifiers::default() };
            s.make(at, Op::Mov, &[relative, address()], modifiers)
        };
        offsets.iter().map(|&offset| one(self, offset)).collect()
    }

    /// Loads a0.x, unless it holds this already.
    fn set_address(&mut self, at: Block, index: Part) {
        if self.held_address == Some((at, index)) {
            return;
        }
        let half = self.narrow(at, index);
        self.push(at, Op::Mova, &[address()], &[half], Modifiers::default());
        self.held_address = Some((at, index));
    }

    /// A store: to a variable in memory, or to an output at the end of the function.
    pub(super) fn store(&mut self, at: Block, inst: ir::Inst) -> Option<()> {
        let (pointer, value) = (self.f.args(inst)[0], self.f.args(inst)[1]);
        let path = self.path(pointer)?;
        let ty = self.module.types.pointee(self.f.ty(pointer))?.1;
        let Root::Global(g) = path.root else {
            let parts = self.value(value);
            return self.store_variable(at, &path, ty, &parts);
        };
        match self.module.global(g).space {
            Space::Output => {}
            Space::Storage | Space::Workgroup => {
                let parts = self.value(value);
                return self.store_shared(at, &path, ty, &parts);
            }
            _ => return None,
        }
        let mut offset = 0;
        for &(ty, index) in &path.steps {
            let n = self.module.value_bits(self.f, index)?;
            offset += part_offset(self.module, ty, n as u32, Layout::Rows)?;
        }
        let places = scalars(self.module, ty, Layout::Rows);
        for (place, part) in places.into_iter().zip(self.value(value)) {
            self.stored.insert((g, offset + place), part);
        }
        Some(())
    }
}
