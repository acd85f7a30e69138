//! How types lie in memory and in the interpreter's registers.
//!
//! A register holds the *leaves* of a type: its scalars, handles and pointers, outer parts
//! first. Memory is bytes; where a layout is not explicit, parts follow each other at their
//! natural alignment, bools take four bytes and handles eight.

use crate::{Module, Ty, Type};

/// What a leaf is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Leaf {
    Bool,
    Int(u8),
    Float(u8),
    /// A pointer, an image, a sampler, a function: 64 bits of the interpreter's own.
    Handle,
}

impl Leaf {
    pub(super) const fn bytes(self) -> usize {
        match self {
            Leaf::Bool => 4,
            Leaf::Int(n) | Leaf::Float(n) => n as usize / 8,
            Leaf::Handle => 8,
        }
    }
}

/// One type, laid out.
#[derive(Clone, Debug, Default)]
pub(super) struct TypeLayout {
    /// Leaves with their byte offsets.
    pub leaves: Vec<(Leaf, u32)>,
    /// First leaf of each part.
    pub parts: Vec<u32>,
    /// Byte offset of each part; of a runtime array only that of the first.
    pub offsets: Vec<u32>,
    /// Bytes from one element to the next, for arrays and vectors.
    pub stride: u32,
    pub size: u32,
    pub align: u32,
}

/// Most leaves that a value may have: a register is that large for every lane.
const MOST_LEAVES: usize = 1 << 16;

/// All types of a module, laid out.
#[derive(Clone, Debug)]
pub(super) struct Layouts {
    list: Vec<TypeLayout>,
}

impl Layouts {
    /// Types refer to earlier types only, except through pointers.
    pub(super) fn new(module: &Module) -> Layouts {
        let mut layouts = Layouts { list: Vec::with_capacity(module.types.len()) };
        for i in 0..module.types.len() as u32 {
            let layout = layouts.lay_out(module.types.get(Ty(i)));
            layouts.list.push(layout);
        }
        layouts
    }

    pub(super) fn get(&self, ty: Ty) -> &TypeLayout {
        &self.list[ty.0 as usize]
    }

    fn part(&self, ty: Ty) -> TypeLayout {
        self.list.get(ty.0 as usize).cloned().unwrap_or_default()
    }

    fn lay_out(&self, ty: &Type) -> TypeLayout {
        let leaf = |leaf: Leaf| {
            let size = leaf.bytes() as u32;
            TypeLayout { leaves: vec![(leaf, 0)], size, align: size.max(1), ..TypeLayout::default() }
        };
        match ty {
            Type::Void => TypeLayout { align: 1, ..TypeLayout::default() },
            Type::Bool => leaf(Leaf::Bool),
            Type::Int(n) => leaf(Leaf::Int(*n)),
            Type::Float(n) => leaf(Leaf::Float(*n)),
            Type::Vector(elem, n) => self.repeated(*elem, u32::from(*n), 0),
            Type::Array(elem, n, stride) => self.repeated(*elem, *n, *stride),
            Type::RuntimeArray(elem, stride) => {
                let elem = self.part(*elem);
                let stride = if *stride == 0 { elem.size } else { *stride };
                TypeLayout { offsets: vec![0], stride, align: elem.align, ..TypeLayout::default() }
            }
            Type::Struct(_, members) => self.members(members),
            Type::Image(_)
            | Type::Sampler
            | Type::SampledImage(_)
            | Type::AccelerationStructure
            | Type::RayQuery
            | Type::Pointer(..)
            | Type::Function(..) => leaf(Leaf::Handle),
        }
    }

    fn repeated(&self, elem: Ty, n: u32, stride: u32) -> TypeLayout {
        let elem = self.part(elem);
        let stride = if stride == 0 { aligned(elem.size, elem.align.max(1)) } else { stride };
        let mut out = TypeLayout { stride, align: elem.align, ..TypeLayout::default() };
        out.size = stride.saturating_mul(n);
        let fits = elem.leaves.len().saturating_mul(n as usize) <= MOST_LEAVES;
        for i in (0..n).take_while(|_| fits) {
            out.push(&elem, i.saturating_mul(stride));
        }
        out
    }

    fn members(&self, members: &[crate::Member]) -> TypeLayout {
        let mut out = TypeLayout { align: 1, ..TypeLayout::default() };
        for member in members {
            let part = self.part(member.ty);
            let align = part.align.max(1);
            let at = member.offset.unwrap_or_else(|| aligned(out.size, align));
            out.push(&part, at);
            out.size = out.size.max(at.saturating_add(part.size));
            out.align = out.align.max(align);
        }
        out.size = aligned(out.size, out.align);
        out
    }
}

/// The next multiple; sizes beyond all numbers are the largest one.
fn aligned(size: u32, align: u32) -> u32 {
    size.checked_next_multiple_of(align).unwrap_or(u32::MAX)
}

impl TypeLayout {
    fn push(&mut self, part: &TypeLayout, at: u32) {
        self.parts.push(self.leaves.len() as u32);
        self.offsets.push(at);
        if self.leaves.len() + part.leaves.len() <= MOST_LEAVES {
            self.leaves.extend(part.leaves.iter().map(|&(leaf, offset)| (leaf, at.saturating_add(offset))));
        }
    }
}
