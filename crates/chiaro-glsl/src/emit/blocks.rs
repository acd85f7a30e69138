//! Types as blocks have them: structures with offsets, arrays with strides, bools as numbers.

use chiaro_words::write::Id;
use spirv::{Decoration, Op};

use crate::hir::{GlobalId, Program};
use crate::qualifier::{Layout, Storage};
use crate::ty::{Length, Opaque, Scalar, StructId, Ty, Type};

use super::emitter::Emitter;
use super::state::Memory;
use crate::layout::{Rules, array_stride, matrix_stride, placed};
use crate::numeric::Num;

/// The handle of a texture or an image. [GL_ARB_bindless_texture]
const HANDLE: Num = Num::scalar(Scalar::Uint64);

impl<'a> Emitter<'a> {
    /// A type as memory of some kind has it.
    pub(super) fn memory_ty(&mut self, ty: &Type, memory: Memory) -> Id {
        match (memory, *ty) {
            (Memory::Laid(rules), _) => self.laid_ty(ty, rules),
            (Memory::Handles, Type::Opaque(_)) => self.num_ty(HANDLE),
            (Memory::Handles, Type::Array(elem, length)) => {
                let elem = self.what(elem);
                let elem = self.memory_ty(&elem, memory);
                self.array_ty(elem, length)
            }
            (Memory::Pointee(reference), Type::Struct(_)) => self.pointee_ty(reference),
            (Memory::Held(reference), Type::Struct(_)) => self.held_ty(reference),
            (Memory::Block(global), Type::Struct(id)) => self.block_ty(global, id),
            // Arrays of blocks have no stride: each element is a buffer of its own.
            (Memory::Block(_), Type::Array(elem, length)) => {
                let open = length == Length::Unsized;
                let length = if open { self.open_descriptors() } else { length };
                let elem = self.what(elem);
                let elem = self.memory_ty(&elem, memory);
                self.array_ty(elem, length)
            }
            _ => self.plain_ty(ty),
        }
    }

    /// The memory of member `i` of a structure in memory of some kind.
    pub(super) fn member_memory(&self, memory: Memory, i: u32) -> Memory {
        let block = match memory {
            Memory::Block(id) => {
                let block = self.program.globals[id.0 as usize].block.as_ref();
                block.map(|block| (block.packing, &block.members))
            }
            Memory::Pointee(id) | Memory::Held(id) => {
                let reference = self.program.types.reference(id);
                Some((reference.packing, &reference.members))
            }
            Memory::Plain | Memory::Handles | Memory::Laid(_) => return memory,
        };
        let rules = block.map(|(packing, members)| Rules {
            packing,
            row_major: members.get(i as usize).is_some_and(|m| m.row_major),
        });
        rules.map_or(Memory::Plain, Memory::Laid)
    }

    fn laid_ty(&mut self, ty: &Type, rules: Rules) -> Id {
        if let Some(num) = Num::of(ty) {
            self.small_storage(num.scalar);
            return self.num_ty(if num.scalar == Scalar::Bool { num.with(Scalar::Uint) } else { num });
        }
        if let Some(&id) = self.types.laid.get(&(*ty, rules)) {
            return id;
        }
        let id = match *ty {
            Type::Array(elem, length) => {
                let length = self.sized(elem, length);
                self.laid_array(elem, length, rules)
            }
            Type::Struct(id) => self.laid_structure(id, rules, None, false),
            Type::Opaque(Opaque::Texture { .. }) => self.num_ty(HANDLE),
            _ => self.plain_ty(ty),
        };
        self.types.laid.insert((*ty, rules), id);
        id
    }

    pub(super) fn laid_array(&mut self, elem: Ty, length: Length, rules: Rules) -> Id {
        let elem = self.what(elem);
        let stride = array_stride(&self.program.types, &elem, rules, &mut self.types.extents);
        let stride = self.bytes(stride);
        let elem = self.laid_ty(&elem, rules);
        let id = match length {
            Length::Known(count) => {
                let count = self.out.uint(count);
                self.out.distinct(Op::TypeArray, &[elem, count])
            }
            Length::Spec(spec, _) => {
                let count = self.specs.get(spec as usize).copied().unwrap_or(0);
                self.out.distinct(Op::TypeArray, &[elem, count])
            }
            Length::Unsized => self.out.distinct(Op::TypeRuntimeArray, &[elem]),
        };
        self.out.decorate(id, Decoration::ArrayStride, &[stride]);
        id
    }

    fn bytes(&mut self, n: u64) -> u32 {
        u32::try_from(n).unwrap_or_else(|_| self.fail("a block takes more than 4 GiB"))
    }

    /// The structure of a block. A second call gives the same one.
    fn block_ty(&mut self, global: GlobalId, id: StructId) -> Id {
        if let Some(&made) = self.types.blocks.get(&global) {
            return made;
        }
        let program: &'a Program = self.program;
        let declared = &program.globals[global.0 as usize];
        let made = match &declared.block {
            Some(block) => {
                let rules = Rules { packing: block.packing, row_major: false };
                self.laid_structure(id, rules, Some(&block.members), declared.storage == Storage::Buffer)
            }
            None => self.structure(id),
        };
        self.out.decorate(made, Decoration::Block, &[]);
        self.types.blocks.insert(global, made);
        made
    }

    /// A structure with offsets; `declared` are its members' qualifiers if it is a block;
    /// one with an open end may have an array there that has no size.
    pub(super) fn laid_structure(
        &mut self,
        id: StructId,
        rules: Rules,
        declared: Option<&[Layout]>,
        open: bool,
    ) -> Id {
        let program: &'a Program = self.program;
        let structure = program.types.structure(id);
        let layouts = declared.unwrap_or_default();
        let rules_of = |i: usize| match layouts.get(i) {
            Some(layout) => Rules { row_major: layout.row_major, ..rules },
            None => rules,
        };
        let mut ids = Vec::with_capacity(structure.members.len());
        for (i, member) in structure.members.iter().enumerate() {
            let ty = self.what(member.ty);
            let is_last = i + 1 == structure.members.len();
            ids.push(match ty {
                Type::Array(elem, Length::Unsized) if is_last && open => {
                    self.laid_array(elem, Length::Unsized, rules_of(i))
                }
                Type::Array(_, Length::Unsized) if !is_last || declared.is_none() => {
                    self.fail("only the last member of a block may be an array without a size")
                }
                _ => self.laid_ty(&ty, rules_of(i)),
            });
        }
        let made = self.out.distinct(Op::TypeStruct, &ids);
        self.name_members(made, id);
        let mut ranges = Vec::new();
        let places = placed(&program.types, structure, layouts, rules, &mut self.types.extents);
        for (i, (member, (offset, one))) in structure.members.iter().zip(places).enumerate() {
            let ty = self.what(member.ty);
            let given = layouts.get(i);
            let end = offset.saturating_add(one.size);
            self.judge_offset(given, &ranges, end, one.align);
            ranges.push((offset, end));
            let offset = self.bytes(offset);
            self.out.decorate_member(made, i as u32, Decoration::Offset, &[offset]);
            self.decorate_lines(made, i as u32, ty, rules_of(i));
            self.memory_qualifiers(made, i as u32, given);
        }
        made
    }

    /// A member whose offset is stated lies on a boundary that fits, and over none before it. In
    /// which order they come is free, as Vulkan has it.
    fn judge_offset(&mut self, layout: Option<&Layout>, before: &[(u64, u64)], end: u64, align: u64) {
        let Some(offset) = layout.and_then(|layout| layout.offset).map(u64::from) else { return };
        if offset % align.max(1) != 0 {
            self.fail(format!("`offset` {offset} is no multiple of {align}, the alignment of the type"));
        } else if before.iter().any(|&(start, stop)| offset < stop && start < end) {
            self.fail(format!("the member with `offset` {offset} lies over one before it"));
        }
    }

    /// How a matrix, or arrays of matrices, stand in a structure.
    pub(super) fn decorate_lines(&mut self, made: Id, i: u32, mut ty: Type, rules: Rules) {
        while let Type::Array(elem, _) = ty {
            ty = self.what(elem);
        }
        if let Some(num) = Num::of(&ty).filter(|num| num.is_matrix()) {
            let order = if rules.row_major { Decoration::RowMajor } else { Decoration::ColMajor };
            self.out.decorate_member(made, i, order, &[]);
            let stride = self.bytes(matrix_stride(num, rules));
            self.out.decorate_member(made, i, Decoration::MatrixStride, &[stride]);
        }
    }

    pub(super) fn memory_qualifiers(&mut self, made: Id, i: u32, layout: Option<&Layout>) {
        for decoration in layout.into_iter().flat_map(memory_decorations) {
            if self.by_access && matches!(decoration, Decoration::Coherent | Decoration::Volatile) {
                continue;
            }
            self.out.decorate_member(made, i, decoration, &[]);
        }
    }

    /// Numbers of less than a byte have no place in memory.
    fn small_storage(&mut self, scalar: Scalar) {
        if scalar.bits() < 8 && scalar != Scalar::Bool {
            self.fail("floats of less than a byte are kept in memory packed into integers");
        }
    }
}

/// `coherent`, `readonly` and the like.
pub(super) fn memory_decorations(layout: &Layout) -> Vec<Decoration> {
    let all = [
        (layout.coherent, Decoration::Coherent),
        (layout.volatile, Decoration::Volatile),
        (layout.restrict, Decoration::Restrict),
        (layout.read_only, Decoration::NonWritable),
        (layout.write_only, Decoration::NonReadable),
    ];
    all.into_iter().filter(|&(given, _)| given).map(|(_, decoration)| decoration).collect()
}
