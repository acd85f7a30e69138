//! Variables of the shader that stay in memory: arrays whose indices are known at run time only.
//!
//! They are temporaries behind the viewport's transformation. One that is stored once as a whole,
//! with constants, is a table: it is loaded with the constants and no instruction stores it.

use chiaro_ir::{Constant, ConstantKind, Def, Inst, Op as Ir, Space, Ty, Type, Value};

use super::state::{Root, Stores};
use super::{Answer, Select};
use crate::abi;
use crate::compile::graph::ANYTHING;
use crate::regs::UNIFORMS;

/// What a declaration gives a variable.
enum Initial {
    Nothing,
    Constant(Constant),
    Computed,
}

impl Select<'_> {
    /// Looks through the function for stores to variables in memory.
    pub(super) fn find_stores(&mut self) -> Answer<()> {
        let blocks = self.f.tree();
        let insts: Vec<Inst> =
            blocks.iter().flat_map(|(_, block)| self.f.block(*block).insts.iter().copied()).collect();
        for inst in insts.into_iter().filter(|&inst| self.f.op(inst) == Ir::Store) {
            let [pointer, value] = [self.f.args(inst)[0], self.f.args(inst)[1]];
            let to = self.pointed(pointer)?;
            let is_whole = to.ty == self.type_of(to.root) && to.indices.is_empty();
            let constant = match self.f.def(value) {
                Def::Constant(c) if is_whole => Some(c),
                _ => None,
            };
            let stores = self.locals.stores.entry(to.root).or_default();
            *stores = Stores { count: stores.count + 1, whole: constant };
        }
        Ok(())
    }

    /// Whether a variable lives in memory that the program may store.
    pub(super) fn is_local(&self, root: Root) -> bool {
        match root {
            Root::Global(g) => self.module.global(g).space == Space::Private,
            Root::Local(_) => true,
        }
    }

    /// Whether no instruction stores it: its values come with the constants.
    pub(super) fn is_table(&self, root: Root) -> bool {
        let stores = self.locals.stores.get(&root).copied().unwrap_or_default();
        match self.initial(root) {
            Initial::Constant(_) => stores.count == 0,
            Initial::Computed => false,
            Initial::Nothing => stores.count == 0 || stores.count == 1 && stores.whole.is_some(),
        }
    }

    /// What a variable's declaration gives it.
    fn initial(&self, root: Root) -> Initial {
        match root {
            Root::Global(g) => self.module.global(g).init.map_or(Initial::Nothing, Initial::Constant),
            Root::Local(pointer) => {
                let Def::Result(inst, _) = self.f.def(pointer) else { return Initial::Nothing };
                match self.f.args(inst).first().map(|&value| self.f.def(value)) {
                    Some(Def::Constant(c)) => Initial::Constant(c),
                    Some(_) => Initial::Computed,
                    None => Initial::Nothing,
                }
            }
        }
    }

    /// The first vec4 of a variable.
    pub(super) fn local(&mut self, root: Root) -> Answer<u16> {
        let behind = self.abi.behind_viewport();
        if let Some(&first) = self.locals.places.get(&root) {
            return Ok(behind + first);
        }
        let ty = self.type_of(root);
        let count = abi::size(self.module, ty).unwrap_or(0);
        let first = self.locals.rows.len();
        if usize::from(behind) + first + usize::from(count) > UNIFORMS {
            let message = format!(
                "arrays need {} vec4 of uniform memory, {} are left",
                first + usize::from(count),
                UNIFORMS.saturating_sub(behind.into())
            );
            return self.error(message, "use smaller arrays, or index them by constants");
        }
        let start = if self.is_table(root) { [0.0; 4] } else { ANYTHING };
        self.locals.rows.resize(first + usize::from(count), start);
        self.locals.places.insert(root, first as u16);
        if let Some(start) = self.start(root).filter(|_| self.is_table(root)) {
            self.fill(first, ty, start)?;
        }
        Ok(behind + first as u16)
    }

    /// What a variable holds at the start.
    fn start(&self, root: Root) -> Option<Constant> {
        match self.initial(root) {
            Initial::Constant(c) => Some(c),
            _ => self.locals.stores.get(&root).filter(|stores| stores.count == 1)?.whole,
        }
    }

    /// Start values of a constant from a row on; how many rows it takes.
    fn fill(&mut self, row: usize, ty: Ty, start: Constant) -> Answer<()> {
        let parts: Vec<Constant> = match self.module.constants.get(start) {
            ConstantKind::Composite(list) if !matches!(self.module.types.get(ty), Type::Vector(..)) => {
                list.clone()
            }
            _ => {
                let mut values = Vec::new();
                self.floats(start, &mut values)?;
                if let Some(to) = self.locals.rows.get_mut(row) {
                    to.iter_mut().zip(values).for_each(|(to, value)| *to = value);
                }
                return Ok(());
            }
        };
        let mut row = row;
        for (i, part) in parts.into_iter().enumerate() {
            let Some(ty) = self.module.types.part(ty, i as u32) else { break };
            self.fill(row, ty, part)?;
            row += usize::from(abi::size(self.module, ty).unwrap_or(0));
        }
        Ok(())
    }

    /// Stores the start values of variables of the invocation that are written later.
    pub(super) fn store_starts(&mut self) -> Answer<()> {
        for i in 0..self.module.globals.len() as u32 {
            let root = Root::Global(chiaro_ir::GlobalRef(i));
            let global = &self.module.globals[i as usize];
            let Some(init) = global.init.filter(|_| self.is_local(root) && !self.is_table(root)) else {
                continue;
            };
            let first = self.local(root)?;
            let mut parts = Vec::new();
            self.constant(init, &mut parts)?;
            self.store_rows(first.into(), 0, global.ty, None, &parts)?;
            self.note_store(root);
        }
        Ok(())
    }

    /// A variable of the function comes to be: where it is stored later, its value at the start
    /// is stored, too, since memory holds what the vertex before left there.
    pub(super) fn declare(&mut self, pointer: Value, start: Option<Value>) -> Answer<()> {
        match start.filter(|_| !self.is_table(Root::Local(pointer))) {
            Some(start) => self.write(pointer, start),
            None => Ok(()),
        }
    }

    /// Remembers that the current block stores a variable.
    pub(super) fn note_store(&mut self, root: Root) {
        let entry = (self.current(), root);
        if !self.locals.written.contains(&entry) {
            self.locals.written.push(entry);
        }
    }

    /// A load must not stand in a block that stores the variable before.
    pub(super) fn part_from_stores(&mut self, root: Root) {
        if self.locals.written.contains(&(self.current(), root)) {
            self.split();
        }
    }

    /// Whether a store is one that only fills a table.
    pub(super) fn fills_table(&self, root: Root, value: Value) -> bool {
        self.is_local(root) && self.is_table(root) && matches!(self.f.def(value), Def::Constant(_))
    }
}
