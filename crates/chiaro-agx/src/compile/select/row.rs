//! Inputs and outputs as rows: a scalar or vector at a location or of a built-in.

use chiaro_ir::{Binding, GlobalRef, Module, Ty, Type};

use super::place::{cells, part_offset};

/// A scalar or vector of an input or output.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) global: GlobalRef,
    /// Byte of its first component from the start of the variable.
    pub(super) offset: u32,
    pub(super) name: String,
    pub(super) components: u16,
    /// Bytes of a component.
    pub(super) bytes: u8,
    pub(super) is_float: bool,
    pub(super) binding: Binding,
}

impl Row {
    /// Where a component lies in the variable.
    pub(super) fn place(&self, component: u16) -> (GlobalRef, u32) {
        (self.global, self.offset + u32::from(component) * u32::from(self.bytes))
    }

    pub(super) fn location(&self) -> u32 {
        self.binding.location.unwrap_or(0)
    }
}

/// The rows of a variable; members of blocks have bindings of their own.
pub(super) fn rows(module: &Module, global: GlobalRef) -> Vec<Row> {
    let data = module.global(global);
    let mut found = Vec::new();
    let mut next = data.binding.location;
    match module.types.get(data.ty) {
        Type::Struct(_, members) => {
            for (n, member) in members.iter().enumerate() {
                let mut binding = data.members.get(n).cloned().unwrap_or_default();
                binding.location = binding.location.or(next);
                let offset = part_offset(module, data.ty, n as u32);
                let head = Head { global, name: &member.name, binding: &binding };
                next = add(module, member.ty, offset, &head, &mut found);
            }
        }
        _ => {
            let head = Head { global, name: &data.name, binding: &data.binding };
            add(module, data.ty, 0, &head, &mut found);
        }
    }
    found
}

struct Head<'a> {
    global: GlobalRef,
    name: &'a str,
    binding: &'a Binding,
}

/// Adds the rows of a part; the location behind them.
fn add(module: &Module, ty: Ty, offset: u32, head: &Head<'_>, found: &mut Vec<Row>) -> Option<u32> {
    let mut location = head.binding.location;
    let mut open = vec![(ty, offset)];
    while let Some((ty, offset)) = open.pop() {
        let is_vector = matches!(module.types.get(ty), Type::Vector(..));
        let parts = module.types.part_count(ty).filter(|_| !is_vector).unwrap_or(0);
        if parts > 0 {
            let part = |n: u32| Some((module.types.part(ty, n)?, offset + part_offset(module, ty, n)));
            open.extend((0..parts).rev().filter_map(part));
            continue;
        }
        let own = cells(module, ty);
        let binding = Binding { location, ..head.binding.clone() };
        found.push(Row {
            global: head.global,
            offset,
            name: head.name.to_owned(),
            components: own.len() as u16,
            bytes: own.first().map_or(4, |(_, bytes)| *bytes),
            is_float: module.types.is_float(ty),
            binding,
        });
        location = location.map(|at| at + 1);
    }
    location
}
