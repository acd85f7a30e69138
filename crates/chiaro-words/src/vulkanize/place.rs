//! Pointers into loose variables, and what is loaded through them.
//!
//! A chain of accesses is only noted; the chain into the block or to the sampler is written
//! where it is used, since all its indices are known there.

use chiaro_diag::Diagnostic;
use spirv::{Op, StorageClass};

use crate::instruction::{Instruction, instructions};
use crate::scan::Shape;
use crate::write::Id;

use super::{MOST_PARTS, Pass, broken};

/// Indices that a place may have: types nest less deep.
const MOST_INDICES: usize = 80;

/// A loose variable, and the ids that index it.
#[derive(Clone)]
pub(super) struct Place {
    root: Id,
    indices: Vec<Id>,
}

/// Where the indices of a place lead.
struct Walked {
    /// The type there.
    ty: Id,
    /// Indices into the block, which starts with the variable itself.
    block: Vec<Id>,
    /// Members, without the indices of arrays.
    path: Vec<u32>,
    /// Indices of arrays.
    elements: Vec<Id>,
}

impl Pass<'_> {
    /// Notes all chains that start at loose variables.
    pub(super) fn collect_places(&mut self) -> Result<(), Box<Diagnostic>> {
        for (i, inst) in instructions(&self.module.words).enumerate() {
            let inst = inst.map_err(broken)?;
            let (Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject) = inst.op else { continue };
            let base = inst.word(2);
            let mut place = match self.places.get(&base) {
                Some(place) => place.clone(),
                None if self.roots.contains_key(&base) => Place { root: base, indices: Vec::new() },
                None => continue,
            };
            place.indices.extend(inst.rest(3));
            if place.indices.len() > MOST_INDICES {
                self.span = self.module.spans.get(i).copied().flatten();
                return Err(self.error("an access chain is longer than its type is deep"));
            }
            self.places.insert(inst.word(1), place);
        }
        Ok(())
    }

    fn place(&self, pointer: Id) -> Place {
        let root = || Place { root: pointer, indices: Vec::new() };
        self.places.get(&pointer).cloned().unwrap_or_else(root)
    }

    fn walk(&mut self, place: &Place) -> Result<Walked, Box<Diagnostic>> {
        let loose = &self.loose[self.roots[&place.root]];
        let (mut ty, member) = (loose.global.ty, loose.member);
        let first = member.map(|m| self.out.uint(m));
        let mut walked =
            Walked { ty, block: first.into_iter().collect(), path: Vec::new(), elements: Vec::new() };
        for &index in &place.indices {
            match self.scan.shape(ty) {
                Shape::Struct(members) => {
                    let number = self.scan.constants.get(&index).copied().unwrap_or(u32::MAX);
                    let Some(&member) = members.get(number as usize) else {
                        return Err(self.error("an access chain asks for a member that does not exist"));
                    };
                    let mut before = 0;
                    for &m in &members[..number as usize] {
                        before += u32::from(self.laid(m)?.is_some());
                    }
                    walked.block.push(self.out.uint(before));
                    walked.path.push(number);
                    ty = member;
                }
                Shape::Array(elem, _) => {
                    walked.block.push(index);
                    walked.elements.push(index);
                    ty = elem;
                }
                Shape::Matrix(inner, _) | Shape::Vector(inner, _) => {
                    walked.block.push(index);
                    ty = inner;
                }
                _ => return Err(self.error("an access chain goes into what has no parts")),
            }
        }
        walked.ty = ty;
        Ok(walked)
    }

    /// `OpLoad` through a pointer into a loose variable.
    pub(super) fn load(&mut self, inst: &Instruction<'_>) -> Result<(), Box<Diagnostic>> {
        let (ty, result, pointer) = (inst.word(0), inst.word(1), inst.word(2));
        let walked = self.walk(&self.place(pointer))?;
        if !self.scan.holds_opaque(walked.ty) {
            let mut path = walked.block;
            return self.load_into(result, walked.ty, &mut path);
        }
        let pointer = self.opaque_pointer(pointer)?;
        self.out.effect(Op::Load, &[&[ty, result, pointer], inst.rest(3)].concat());
        Ok(())
    }

    /// Loads what stands in the block at a path, as the id `result` of its own type.
    fn load_into(&mut self, result: Id, ty: Id, path: &mut Vec<Id>) -> Result<(), Box<Diagnostic>> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return Err(self.error("too many copies of whole structures and arrays of loose uniforms"));
        }
        let parts: Vec<Id> = match self.scan.shape(ty) {
            Shape::Array(elem, count) => vec![elem; count.min(MOST_PARTS as u32 + 1) as usize],
            Shape::Struct(members) => members.to_vec(),
            _ => return self.load_leaf(result, ty, path),
        };
        let mut operands = vec![ty, result];
        for (i, part) in parts.into_iter().enumerate() {
            path.push(self.out.uint(i as u32));
            let id = self.out.fresh();
            self.load_into(id, part, path)?;
            path.pop();
            operands.push(id);
        }
        self.out.effect(Op::CompositeConstruct, &operands);
        Ok(())
    }

    fn load_leaf(&mut self, result: Id, ty: Id, path: &[Id]) -> Result<(), Box<Diagnostic>> {
        let (Some(laid), Some(block)) = (self.laid(ty)?, self.block) else {
            return Err(self.error("a loose uniform of this type cannot be in a block"));
        };
        let pointer = self.out.pointer(StorageClass::Uniform, laid.ty);
        let at = self.out.value(Op::AccessChain, pointer, &[&[block], path].concat());
        if laid.ty == ty {
            self.out.effect(Op::Load, &[ty, result, at]);
            return Ok(());
        }
        let number = self.out.value(Op::Load, laid.ty, &[at]);
        let zero = self.out.constant(Op::ConstantNull, laid.ty, &[]);
        self.out.effect(Op::INotEqual, &[ty, result, number, zero]);
        Ok(())
    }

    /// A pointer to the sampler or image that a pointer into a loose variable stands for.
    pub(super) fn opaque_pointer(&mut self, pointer: Id) -> Result<Id, Box<Diagnostic>> {
        let place = self.place(pointer);
        let walked = self.walk(&place)?;
        let (leaf, rest) = self.scan.without_arrays(walked.ty);
        let found = self.by_path.get(&(place.root, walked.path)).copied();
        let Some(split) = found.filter(|_| self.scan.shape(leaf) == Shape::Opaque) else {
            let error = *self.error("this use of a uniform has no counterpart in Vulkan");
            let known = "loose uniforms can be loaded; structures that hold samplers only by member";
            return Err(Box::new(error.note(known)));
        };
        let (id, dims, ty) = (self.splits[split].id, self.splits[split].dims.clone(), self.splits[split].ty);
        match (rest.len(), walked.elements.as_slice()) {
            (_, []) if dims.len() == rest.len() && dims.len() <= 1 => Ok(id),
            (0, elements) => {
                let index = self.flat_index(elements, &dims);
                let pointer = self.out.pointer(StorageClass::UniformConstant, ty);
                Ok(self.out.value(Op::AccessChain, pointer, &[id, index]))
            }
            _ => Err(self.error("a part of an array of arrays of samplers cannot be passed on in Vulkan")),
        }
    }

    /// The index into an array of arrays that was laid flat: a constant where all are.
    fn flat_index(&mut self, elements: &[Id], dims: &[u32]) -> Id {
        if let [single] = elements {
            return *single;
        }
        let numbers: Option<Vec<u32>> =
            elements.iter().map(|e| self.scan.constants.get(e).copied()).collect();
        if let Some(numbers) = numbers {
            let flat = |sum: u32, (&n, &size): (&u32, &u32)| sum.wrapping_mul(size).wrapping_add(n);
            return self.out.uint(numbers.iter().zip(dims).fold(0, flat));
        }
        let uint = self.out.ty(Op::TypeInt, &[32, 0]);
        let mut index = elements[0];
        for (&element, &size) in elements.iter().zip(dims).skip(1) {
            let size = self.out.uint(size);
            let start = self.out.value(Op::IMul, uint, &[index, size]);
            index = self.out.value(Op::IAdd, uint, &[start, element]);
        }
        index
    }
}
