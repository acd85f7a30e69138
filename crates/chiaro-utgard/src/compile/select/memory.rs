//! Loads and stores. spec sections 9 to 11.

use chiaro_ir::{Op as Ir, Space, Ty, Type, Value};

use super::pointer::{Component, Pointed};
use super::state::Root;
use super::{Answer, Select};
use crate::abi;
use crate::compile::graph::{Op, Operand, Place, Source};
use crate::regs::BANK_MASK;

/// What a load reads from.
#[derive(Clone, Copy)]
enum Bank {
    Attributes,
    /// Uniform memory, behind an address register or not; whether the program stores there; the
    /// component that a variable begins in.
    Memory(Option<u8>, bool, u8),
}

impl Select<'_> {
    pub(super) fn load(&mut self, pointer: Value) -> Answer<Vec<Operand>> {
        let to = self.pointed(pointer)?;
        if self.is_local(to.root) {
            self.part_from_stores(to.root);
            let first = self.local(to.root)?;
            let is_stored = !self.is_table(to.root);
            return self.load_memory(&to, (first, 0), is_stored);
        }
        let Root::Global(g) = to.root else { return Ok(Vec::new()) };
        let Some(first) = self.abi.place(g, to.member) else {
            let message = format!("nothing gives `{}` a value on this machine", self.module.global(g).name);
            return self.error(message, "pass it as an attribute or uniform");
        };
        match self.module.global(g).space {
            Space::Input => self.load_attribute(&to, first),
            _ => self.load_memory(&to, (first, self.abi.part(g).start), false),
        }
    }

    fn load_memory(
        &mut self,
        to: &Pointed,
        (first, component): (u16, u8),
        is_stored: bool,
    ) -> Answer<Vec<Operand>> {
        let register = if to.indices.is_empty() { None } else { Some(self.address(&to.indices)?) };
        let row = u32::from(first) + to.row;
        self.load_at(Bank::Memory(register, is_stored, component), row, to)
    }

    /// Attributes have no address registers: one of them is chosen.
    fn load_attribute(&mut self, to: &Pointed, first: u16) -> Answer<Vec<Operand>> {
        let row = u32::from(first) + to.row;
        let Some((index, rest)) = to.indices.split_first() else {
            return self.load_at(Bank::Attributes, row, to);
        };
        if !rest.is_empty() {
            return self.error("attributes are indexed twice at run time", "use one index");
        }
        let mut found = self.load_at(Bank::Attributes, row, to)?;
        let at = self.scalar(index.value)?;
        for i in 1..index.count {
            let other = self.load_at(Bank::Attributes, row + i * index.rows, to)?;
            let is_there = self.at_least(at, i as usize);
            for (found, other) in found.iter_mut().zip(other) {
                *found = self.graph().select(is_there, other, *found);
            }
        }
        Ok(found)
    }

    fn load_at(&mut self, bank: Bank, row: u32, to: &Pointed) -> Answer<Vec<Operand>> {
        let mut loaded = Vec::new();
        match to.component {
            None => self.load_parts(bank, row, to.ty, &mut loaded)?,
            Some(Component::Known(n)) => loaded.push(self.load_one(bank, row, n)),
            Some(Component::Indexed(index)) => {
                // A component that is known at run time only is chosen among all.
                let at = self.scalar(index)?;
                let mut found = self.load_one(bank, row, 0);
                for n in 1..4 {
                    let other = self.load_one(bank, row, n);
                    let is_there = self.at_least(at, n as usize);
                    found = self.graph().select(is_there, other, found);
                }
                loaded.push(found);
            }
        }
        Ok(loaded)
    }

    fn load_one(&mut self, bank: Bank, row: u32, component: u32) -> Operand {
        let source = match bank {
            Bank::Attributes => Source::Attribute(row as u8 & BANK_MASK, component as u8 & 3),
            Bank::Memory(register, is_stored, from) => {
                self.cell(row, component + u32::from(from), register, is_stored)
            }
        };
        self.graph().load(source)
    }

    fn load_parts(&mut self, bank: Bank, row: u32, ty: Ty, loaded: &mut Vec<Operand>) -> Answer<()> {
        match self.module.types.get(ty) {
            Type::Vector(_, n) => {
                for i in 0..u32::from(*n) {
                    let part = self.load_one(bank, row, i);
                    loaded.push(part);
                }
            }
            Type::Bool | Type::Int(_) | Type::Float(_) => {
                let part = self.load_one(bank, row, 0);
                loaded.push(part);
            }
            _ => {
                let mut row = row;
                for i in 0..self.module.types.part_count(ty).unwrap_or(0) {
                    let Some(part) = self.module.types.part(ty, i) else { break };
                    self.load_parts(bank, row, part, loaded)?;
                    row += u32::from(abi::size(self.module, part).unwrap_or(0));
                }
            }
        }
        Ok(())
    }

    pub(super) fn effect(&mut self, op: Ir, args: &[Value]) -> Answer<()> {
        match op {
            Ir::Store => self.write(args[0], args[1]),
            _ => {
                let message = format!("the vertex processor cannot do `{}`", op.info().name);
                self.error(message, "it writes outputs and nothing else")
            }
        }
    }

    pub(super) fn write(&mut self, pointer: Value, value: Value) -> Answer<()> {
        let to = self.pointed(pointer)?;
        if self.fills_table(to.root, value) {
            return self.local(to.root).map(drop);
        }
        match to.root {
            root if self.is_local(root) => self.write_local(&to, value),
            Root::Global(g) if self.module.global(g).space == Space::Output => self.write_output(&to, value),
            _ => self.error("only outputs can be written", "the vertex processor has no other memory"),
        }
    }

    fn write_local(&mut self, to: &Pointed, value: Value) -> Answer<()> {
        if let Some(Component::Indexed(index)) = to.component {
            return self.write_component(to, index, value);
        }
        let start = if let Some(Component::Known(n)) = to.component { n } else { 0 };
        let parts = self.read(value)?;
        self.write_parts_of(to, start, to.ty, &parts)
    }

    /// A component that is known at run time only: all are stored, the others as they were.
    fn write_component(&mut self, to: &Pointed, index: Value, value: Value) -> Answer<()> {
        let first = self.local(to.root)?;
        self.part_from_stores(to.root);
        let vector = Pointed { component: None, ty: to.vector, ..to.clone() };
        let mut parts = self.load_memory(&vector, (first, 0), true)?;
        let (at, new) = (self.scalar(index)?, self.scalar(value)?);
        for (n, part) in parts.iter_mut().enumerate() {
            let is_meant = self.is_number(at, n);
            *part = self.graph().select(is_meant, new, *part);
        }
        self.write_parts_of(to, 0, to.vector, &parts)
    }

    fn write_parts_of(&mut self, to: &Pointed, start: u32, ty: Ty, parts: &[Operand]) -> Answer<()> {
        let first = u32::from(self.local(to.root)?) + to.row;
        let offset = if to.indices.is_empty() { None } else { Some(self.offset_of(&to.indices)?) };
        self.store_rows(first, start, ty, offset, parts)?;
        self.note_store(to.root);
        Ok(())
    }

    /// Stores scalars, a vec4 for each vector, from a vec4 and component on.
    pub(super) fn store_rows(
        &mut self,
        first: u32,
        start: u32,
        ty: Ty,
        offset: Option<Operand>,
        parts: &[Operand],
    ) -> Answer<()> {
        let mut cells = Vec::new();
        self.cells(ty, first, start, &mut cells);
        for (&(row, component), &part) in cells.iter().zip(parts) {
            let base = self.graph().number(row as f32);
            let address = match offset {
                Some(offset) => self.graph().add(offset, base),
                None => base,
            };
            let graph = self.graph();
            let (part, address) = (graph.plain(part), graph.plain(address));
            graph.make(Op::Store(Place::Temporary(component as u8 & 3)), &[part, address]);
        }
        Ok(())
    }

    /// Row and component of every scalar of a type.
    fn cells(&self, ty: Ty, row: u32, start: u32, cells: &mut Vec<(u32, u32)>) {
        match self.module.types.get(ty) {
            Type::Vector(_, n) => cells.extend((0..u32::from(*n)).map(|i| (row, i))),
            Type::Bool | Type::Int(_) | Type::Float(_) => cells.push((row, start)),
            _ => {
                let mut row = row;
                for i in 0..self.module.types.part_count(ty).unwrap_or(0) {
                    let Some(part) = self.module.types.part(ty, i) else { break };
                    self.cells(part, row, 0, cells);
                    row += u32::from(abi::size(self.module, part).unwrap_or(0));
                }
            }
        }
    }

    fn write_output(&mut self, to: &Pointed, value: Value) -> Answer<()> {
        let Root::Global(g) = to.root else { return Ok(()) };
        let start = match to.component {
            None if to.indices.is_empty() => 0,
            Some(Component::Known(n)) if to.indices.is_empty() => n,
            _ => {
                return self.error(
                    "an output is indexed by a value that is known at run time only",
                    "outputs cannot be read back: fill a local variable and copy it at the end",
                );
            }
        };
        let parts = self.read(value)?;
        let data = self.module.global(g);
        let builtin = match data.members.get(to.member as usize) {
            Some(binding) => binding.builtin,
            None => data.binding.builtin,
        };
        match builtin {
            Some(abi::POSITION) => self.collect(start as usize, &parts),
            Some(abi::POINT_SIZE) => self.collect(4, &parts),
            Some(_) => Ok(()),
            None => {
                let first = self.abi.place(g, to.member).unwrap_or(0) + to.row as u16;
                self.write_parts(first, start, to.ty, &parts);
                Ok(())
            }
        }
    }

    fn write_parts(&mut self, first: u16, start: u32, ty: Ty, parts: &[Operand]) {
        let mut cells = Vec::new();
        self.cells(ty, first.into(), start, &mut cells);
        for (&(row, component), &part) in cells.iter().zip(parts) {
            self.store(Place::Output(row as u8 & BANK_MASK, component as u8 & 3), part);
        }
    }
}
