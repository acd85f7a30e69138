//! The uniform table: names by which the application finds registers.

use super::{Abi, Interface, Shape, of_vertices};
use crate::container::UniformRegister;
use chiaro_ir::{Global, Module, Ty};

impl Abi {
    /// Names every leaf that has a register, in the order of registers.
    pub(super) fn name_uniforms(&mut self, module: &Module, interface: &Interface) {
        for leaf in &interface.leaves {
            let g = leaf.global;
            if let Some(input) = self.inputs.get(&g) {
                let (first, count) = (UniformRegister::Input(input.first), u16::from(input.count));
                self.names.push((short(&leaf.name, module.global(g)), first, count));
            }
            let placed = self.place(g).filter(|_| of_vertices(module.global(g)).is_none());
            let Some((first, shape)) = placed else { continue };
            let Some((register, shape)) = self.walk(first, shape, &leaf.path) else { continue };
            let name = short(&leaf.name, module.global(g));
            let name = if self.names.iter().any(|n| n.0 == name) { leaf.name.clone() } else { name };
            let ty = leaf.path.iter().try_fold(module.global(g).ty, |ty, &i| module.types.part(ty, i));
            match *self.shape(shape) {
                Shape::Bool(b) => self.names.push((name, UniformRegister::Bool(b), 1)),
                _ => {
                    let size = ty.map_or(1, |ty| self.size(module, shape, ty));
                    self.names.push((name, UniformRegister::Float(register as u8), size));
                }
            }
        }
        self.name_arrays(module, interface);
        self.names.sort_by_key(|n| n.1.number());
    }

    /// Arrays of structures as a whole, by which the host program fills them in one call.
    fn name_arrays(&mut self, module: &Module, interface: &Interface) {
        for leaf in &interface.leaves {
            let g = leaf.global;
            let Some(at) = leaf.path.iter().rposition(|&i| i == 0) else { continue };
            let (Some((head, _)), Some((first, shape))) = (leaf.name.rsplit_once("[0]."), self.place(g))
            else {
                continue;
            };
            let Some(path) = leaf.path.get(..at) else { continue };
            let array = (0..=path.len()).rev().find_map(|n| {
                let (register, shape) = self.walk(first, shape, &path[..n])?;
                let ty = path[..n].iter().try_fold(module.global(g).ty, |ty, &i| module.types.part(ty, i))?;
                let Shape::Array(_, size) = *self.shape(shape) else { return None };
                let count = module.types.part_count(ty)?;
                Some((register, u32::from(size).saturating_mul(count)))
            });
            let name = short(head, module.global(g));
            if let Some((register, count)) = array.filter(|a| (1..=96).contains(&a.1))
                && !self.names.iter().any(|known| known.0 == name)
            {
                self.names.push((name, UniformRegister::Float(register as u8), count as u16));
            }
        }
    }

    /// Register and shape of a part.
    fn walk(&self, first: u16, shape: u32, path: &[u32]) -> Option<(u16, u32)> {
        path.iter().try_fold((first, shape), |(at, shape), &i| match self.shape(shape) {
            Shape::Array(elem, size) => Some((at + (i as u16).saturating_mul(*size), *elem)),
            Shape::Struct(members) => members.get(i as usize).map(|(off, shape)| (at + off, *shape)),
            _ => None,
        })
    }

    fn size(&self, module: &Module, shape: u32, ty: Ty) -> u16 {
        match *self.shape(shape) {
            Shape::Vector => 1,
            Shape::Matrix(rows) => rows.into(),
            Shape::Array(_, size) => size.saturating_mul(module.types.part_count(ty).unwrap_or(1) as u16),
            _ => 0,
        }
    }
}

/// The name without the block that it is in: `u.0.lights[1].color` is `lights[1].color`.
pub(super) fn short(name: &str, global: &Global) -> String {
    let rest = name.strip_prefix(&*global.name).and_then(|r| r.strip_prefix('.')).unwrap_or(name);
    let parts = rest.split('.').filter(|part| !part.bytes().all(|b| b.is_ascii_digit()) && *part != "_");
    let joined = parts.collect::<Vec<_>>().join(".");
    if joined.is_empty() { name.to_owned() } else { joined }
}
