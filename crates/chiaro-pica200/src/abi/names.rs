//! The uniform table: names by which the application finds registers.
//!
//! The rule of [`chiaro_ir::interface`]: every part that has registers has its name, wholes and elements
//! included, since a loader compares names letter by letter and knows no arrays [libctru]. A whole
//! stands before its parts. An attribute that has the name of a uniform stands behind everything, where
//! the loader's search finds the uniform first, and has a second name, `in.NAME`.

use super::{Abi, Interface, Shape, of_vertices, outputs};
use crate::container::UniformRegister;
use crate::regs::FLOATS;
use chiaro_diag::Diagnostic;
use chiaro_ir::{GlobalRef, Leaf, Module, Ty, Type};
use std::cmp::Reverse;
use std::collections::HashSet;

/// Before the name of an attribute that a uniform has, too.
const SHADOWED: &str = "in.";

/// The registers of a part: first and how many.
#[derive(Clone, Copy, Default)]
struct Extent {
    floats: (u16, u16),
    bools: (u8, u8),
}

impl Extent {
    /// Both; parts lie one behind the other.
    fn with(self, more: Extent) -> Extent {
        let floats =
            if self.floats.1 == 0 { more.floats } else { (self.floats.0, self.floats.1 + more.floats.1) };
        let bools = if self.bools.1 == 0 { more.bools } else { (self.bools.0, self.bools.1 + more.bools.1) };
        Extent { floats, bools }
    }
}

/// The name of a variable; of a block without one, those of its members.
pub(super) fn whole(module: &Module, interface: &Interface, g: GlobalRef) -> Vec<String> {
    match interface.name_of(g, &[]) {
        Some(name) if !name.is_empty() => vec![name],
        Some(_) => interface.leaves_of(g).map(|leaf| leaf.name.clone()).collect(),
        None => vec![module.global(g).name.clone()],
    }
}

impl Abi {
    /// Names every part that has registers.
    pub(super) fn name_parts(&mut self, module: &Module, interface: &Interface) {
        for whole in &interface.wholes {
            self.name(module, whole.global, &whole.name, &whole.path);
        }
        for leaf in &interface.leaves {
            self.name(module, leaf.global, &leaf.name, &leaf.path);
            self.name_elements(module, leaf);
        }
        self.tell_shadowed(module, interface);
        let uniforms: HashSet<String> =
            self.names.iter().filter(|n| !is_input(n.1)).map(|n| n.0.clone()).collect();
        let is_shadowed = |name: &str, register| is_input(register) && uniforms.contains(name);
        self.names
            .sort_by_key(|(name, first, count)| (is_shadowed(name, *first), first.number(), Reverse(*count)));
    }

    /// Names the elements of an array of scalars, vectors or matrices, and of arrays in it.
    fn name_elements(&mut self, module: &Module, leaf: &Leaf) {
        let mut open = vec![(leaf.name.clone(), leaf.path.clone(), leaf.ty)];
        while let Some((name, path, ty)) = open.pop() {
            let &Type::Array(elem, count, _) = module.types.get(ty) else { continue };
            if leaf.matrix && matches!(module.types.get(elem), Type::Vector(..)) {
                continue;
            }
            for i in (0..count.min(FLOATS.into())).rev() {
                let path: Vec<u32> = path.iter().copied().chain([i]).collect();
                let name = format!("{name}[{i}]");
                self.name(module, leaf.global, &name, &path);
                open.push((name, path, elem));
            }
        }
    }

    /// Names a part, if it has a name and registers.
    fn name(&mut self, module: &Module, g: GlobalRef, name: &str, path: &[u32]) {
        if name.is_empty() {
            return;
        }
        let global = module.global(g);
        if let Some(input) = self.inputs.get(&g)
            && let Some((before, ty)) = outputs::before(module, global.ty, path)
        {
            let first = UniformRegister::Input(input.first + before);
            self.names.push((name.to_owned(), first, super::registers(module, ty).into()));
        }
        let placed = self.place(g).filter(|_| of_vertices(global).is_none());
        let Some((first, shape)) = placed else { return };
        let Some((register, shape, ty)) = self.walk(module, (first, shape, global.ty), path) else { return };
        let extent = self.extent(module, register, shape, ty);
        // Of a structure with both kinds the floats count.
        let (first, count) = match extent {
            Extent { floats: (first, count @ 1..), .. } => (UniformRegister::Float(first as u8), count),
            Extent { bools: (first, count), .. } => (UniformRegister::Bool(first), count.into()),
        };
        if (1..=FLOATS).contains(&count) && self.is_whole(shape) {
            self.names.push((name.to_owned(), first, count));
        }
    }

    /// Attributes that uniforms hide from a loader's search get a name of their own.
    fn tell_shadowed(&mut self, module: &Module, interface: &Interface) {
        let uniforms: HashSet<&str> =
            self.names.iter().filter(|n| !is_input(n.1)).map(|n| n.0.as_str()).collect();
        let hidden = self.names.iter().filter(|n| is_input(n.1) && uniforms.contains(n.0.as_str()));
        let hidden: Vec<_> = hidden.cloned().collect();
        for (name, first, count) in hidden {
            let of_name =
                interface.leaves.iter().find(|l| l.name == name && self.inputs.contains_key(&l.global));
            let at = of_name.and_then(|leaf| module.global(leaf.global).span);
            let what = format!("`{name}` is both an attribute and a uniform");
            let found =
                format!("a loader finds the uniform as `{name}`, the attribute as `{SHADOWED}{name}`");
            self.remarks.push(Diagnostic::remark(at, what).note(found));
            self.names.push((format!("{SHADOWED}{name}"), first, count));
        }
    }

    /// Register, shape and type of a part.
    fn walk(&self, module: &Module, from: (u16, u32, Ty), path: &[u32]) -> Option<(u16, u32, Ty)> {
        path.iter().try_fold(from, |(at, shape, ty), &i| {
            let ty = module.types.part(ty, i)?;
            match self.shape(shape) {
                Shape::Array(elem, size) => Some((at + (i as u16).saturating_mul(*size), *elem, ty)),
                Shape::Struct(members) => members.get(i as usize).map(|(off, shape)| (at + off, *shape, ty)),
                _ => None,
            }
        })
    }

    /// The registers of a part that begins at a register.
    fn extent(&self, module: &Module, at: u16, shape: u32, ty: Ty) -> Extent {
        match self.shape(shape) {
            Shape::Vector => Extent { floats: (at, 1), ..Extent::default() },
            Shape::Matrix(rows) => Extent { floats: (at, u16::from(*rows)), ..Extent::default() },
            Shape::Array(_, size) => {
                let count = module.types.part_count(ty).unwrap_or(1).min(u32::from(u16::MAX)) as u16;
                Extent { floats: (at, size.saturating_mul(count)), ..Extent::default() }
            }
            Shape::Struct(members) => {
                let parts = members.iter().zip(0..).filter_map(|(&(off, shape), i)| {
                    Some(self.extent(module, at + off, shape, module.types.part(ty, i)?))
                });
                parts.fold(Extent::default(), Extent::with)
            }
            Shape::Bool(b) => Extent { bools: (*b, 1), ..Extent::default() },
            Shape::Absent => Extent::default(),
        }
    }

    /// Whether all of a part has registers: one with holes cannot be filled as a whole.
    fn is_whole(&self, shape: u32) -> bool {
        match self.shape(shape) {
            Shape::Struct(members) => members.iter().all(|(_, shape)| self.is_whole(*shape)),
            Shape::Array(elem, _) => self.is_whole(*elem),
            Shape::Absent => false,
            _ => true,
        }
    }
}

fn is_input(register: UniformRegister) -> bool {
    matches!(register, UniformRegister::Input(_))
}
