//! The blocks of heaps: descriptors and numbers side by side, at offsets that the sizes of
//! descriptors decide.

use std::collections::HashSet;

use chiaro_words::write::Id;
use spirv::{Decoration, ImageFormat, Op};

use super::super::emitter::Emitter;
use super::super::state::{Bytes, Extent};
use crate::hir::Global;
use crate::layout::{Rules, extent};
use crate::qualifier::{Layout, Packing};
use crate::ty::{Length, StructId, Ty, Type};

/// Numbers in heaps stand as close as their scalars allow, as [glslang] has it.
pub(super) const RULES: Rules = Rules { packing: Packing::Scalar, row_major: false };

impl Emitter<'_> {
    /// The type of a heap's block.
    pub(super) fn heap_block(&mut self, global: &Global) -> Id {
        let (Type::Struct(id), Some(block)) = (self.what(global.ty), &global.block) else {
            return self.fail("a heap is declared as a block");
        };
        let (made, ..) = self.heap_structure(id, &block.members);
        self.out.decorate(made, Decoration::Block, &[]);
        made
    }

    /// A structure with descriptors, where it ends, and its alignment.
    fn heap_structure(&mut self, id: StructId, layouts: &[Layout]) -> (Id, Bytes, Bytes) {
        let program = self.program;
        let members = &program.types.structure(id).members;
        let (mut end, mut align) = (Bytes::Known(0), Bytes::Known(1));
        let (mut types, mut offsets) = (Vec::new(), Vec::new());
        for (i, member) in members.iter().enumerate() {
            let layout = layouts.get(i);
            let (ty, extent) = self.heap_member(member.ty, layout, i + 1 == members.len());
            let offset = match layout.and_then(|layout| layout.offset) {
                Some(offset) => Bytes::Known(offset),
                None => self.aligned_bytes(end, extent.align),
            };
            end = self.add_bytes(offset, extent.size);
            align = self.larger_bytes(align, extent.align);
            types.push(ty);
            offsets.push(offset);
        }
        let made = self.out.distinct(Op::TypeStruct, &types);
        self.name_members(made, id);
        let computed = self.holds_descriptor(&Type::Struct(id));
        self.place_members(made, &offsets, computed);
        for (i, member) in members.iter().enumerate() {
            let ty = self.what(member.ty);
            let layout = layouts.get(i);
            let row_major = layout.is_some_and(|layout| layout.row_major);
            self.decorate_lines(made, i as u32, ty, Rules { row_major, ..RULES });
            self.memory_qualifiers(made, i as u32, layout);
        }
        (made, end, align)
    }

    /// Offsets are constants of the module where a structure has descriptors, else numbers.
    fn place_members(&mut self, made: Id, offsets: &[Bytes], computed: bool) {
        for (i, &offset) in (0u32..).zip(offsets) {
            match offset {
                Bytes::Known(n) if !computed => self.out.decorate_member(made, i, Decoration::Offset, &[n]),
                _ => {
                    let offset = self.bytes_id(offset);
                    self.decorate_member_by_id(made, i, Decoration::OffsetIdEXT, offset);
                }
            }
        }
    }

    /// The type of a member, and its extent. The last one may have no end.
    fn heap_member(&mut self, ty: Ty, layout: Option<&Layout>, last: bool) -> (Id, Extent) {
        let ty = self.what(ty);
        if !self.holds_descriptor(&ty) {
            return self.plain_member(&ty, layout, last);
        }
        match ty {
            Type::Array(_, Length::Unsized) if !last => {
                (self.fail("only the last member of a heap may be an array without a size"), NOTHING)
            }
            Type::Array(element, length) => self.heap_elements(element, length, layout),
            Type::Struct(id) => match self.heaps.structures.get(&id) {
                Some(&known) => known,
                None => {
                    let (made, end, align) = self.heap_structure(id, &[]);
                    let size = self.aligned_bytes(end, align);
                    self.heaps.structures.insert(id, (made, Extent { size, align }));
                    (made, Extent { size, align })
                }
            },
            descriptor => {
                let format = layout.and_then(|l| l.format).unwrap_or(ImageFormat::Unknown);
                let made = self.descriptor_ty(&descriptor, format);
                let size = match layout.and_then(|l| l.heap).and_then(|heap| heap.size) {
                    Some(size) => Bytes::Known(size),
                    None => Bytes::Computed(self.size_of(made)),
                };
                (made, Extent { size, align: size })
            }
        }
    }

    fn heap_elements(&mut self, element: Ty, length: Length, layout: Option<&Layout>) -> (Id, Extent) {
        let (element, one) = self.heap_member(element, layout, false);
        let stride = match layout.and_then(|l| l.heap).and_then(|heap| heap.stride) {
            Some(stride) => Bytes::Known(stride),
            None => self.aligned_bytes(one.size, one.align),
        };
        let (made, count) = match length {
            Length::Unsized => (self.out.distinct(Op::TypeRuntimeArray, &[element]), 0),
            Length::Known(n) => {
                let count = self.out.uint(n);
                (self.out.distinct(Op::TypeArray, &[element, count]), n)
            }
            Length::Spec(spec, default) => {
                let count = self.specs.get(spec as usize).copied().unwrap_or(0);
                (self.out.distinct(Op::TypeArray, &[element, count]), default)
            }
        };
        let by = self.bytes_id(stride);
        self.decorate_by_id(made, Decoration::ArrayStrideIdEXT, by);
        let size = self.times_bytes(stride, count);
        (made, Extent { size, align: one.align })
    }

    /// A member without descriptors, as it stands in any block.
    fn plain_member(&mut self, ty: &Type, layout: Option<&Layout>, last: bool) -> (Id, Extent) {
        let rules = Rules { row_major: layout.is_some_and(|layout| layout.row_major), ..RULES };
        let made = match *ty {
            Type::Array(_, Length::Unsized) if !last => {
                self.fail("only the last member of a heap may be an array without a size")
            }
            Type::Array(element, Length::Unsized) => self.laid_array(element, Length::Unsized, rules),
            _ => self.memory_ty(ty, super::super::state::Memory::Laid(rules)),
        };
        let one = extent(&self.program.types, ty, rules, &mut self.types.extents);
        let bytes = |n: u64| Bytes::Known(u32::try_from(n).unwrap_or(u32::MAX));
        (made, Extent { size: bytes(one.size), align: bytes(one.align) })
    }

    /// Whether a type is or has a descriptor. Each structure is looked at once.
    fn holds_descriptor(&self, ty: &Type) -> bool {
        let (mut open, mut seen) = (vec![*ty], HashSet::new());
        while let Some(ty) = open.pop() {
            match ty {
                Type::Opaque(_) => return true,
                Type::Array(element, _) => open.push(self.what(element)),
                Type::Struct(id) if seen.insert(id) => {
                    let members = &self.program.types.structure(id).members;
                    open.extend(members.iter().map(|member| self.what(member.ty)));
                }
                _ => {}
            }
        }
        false
    }
}

/// The extent of what is no type.
const NOTHING: Extent = Extent { size: Bytes::Known(0), align: Bytes::Known(1) };
