//! Heaps of descriptors: all variables that lie in one are views of one variable without a type.
//!
//! A place in a heap remembers the type that it is looked at with ([`View`]); its pointer is an
//! untyped chain. Where a descriptor of a buffer is reached, a pointer with a type goes on from
//! there. [SPV_EXT_descriptor_heap, SPV_KHR_untyped_pointers]

mod bytes;
mod members;

use super::state::{Link, Memory, Place, View};

use chiaro_words::write::{Id, Part};
use spirv::{BuiltIn, Decoration, ImageFormat, Op, StorageClass};

use crate::hir::{Global, GlobalId};
use crate::qualifier::{HeapKind, Storage};
use crate::ty::{Opaque, ReferenceId, Scalar, Type};

use super::blocks::memory_decorations;
use super::emitter::Emitter;
use super::needs::HEAPS;
use crate::layout::Rules;
use crate::numeric::Num;

/// What a descriptor of a buffer leads to.
fn class_behind(storage: Storage) -> StorageClass {
    if storage == Storage::Uniform { StorageClass::Uniform } else { StorageClass::StorageBuffer }
}

impl Emitter<'_> {
    /// The place of a variable that lies in a heap.
    pub(super) fn heap_place(&mut self, id: GlobalId, global: &Global) -> Place {
        let ty = self.what(global.ty);
        let format = global.layout.format.unwrap_or(ImageFormat::Unknown);
        let (kind, memory) = match (global.storage, element_of(self, &ty)) {
            (Storage::Heap(kind), _) => (kind, Memory::Laid(members::RULES)),
            (_, Type::Opaque(Opaque::Sampler { .. })) => (HeapKind::Samplers, Memory::Plain),
            (_, Type::Opaque(_)) => (HeapKind::Resources, Memory::Plain),
            _ => (HeapKind::Resources, Memory::Block(id)),
        };
        let base = self.heap_variable(kind);
        let mut place = Place::variable(base, StorageClass::UniformConstant, ty, memory, format);
        let starts = matches!(global.storage, Storage::Heap(_));
        let view = if starts { self.heap_block(global) } else { self.heap_array(global, &mut place) };
        place.view = Some(View { ty: view, starts, global: id });
        place
    }

    /// The variable that a heap is.
    fn heap_variable(&mut self, kind: HeapKind) -> Id {
        if let Some(known) = self.heaps.variables[kind as usize] {
            return known;
        }
        self.need(HEAPS);
        let ty = self.untyped(StorageClass::UniformConstant);
        let id = self.out.declare(Op::UntypedVariableKHR, ty, &[StorageClass::UniformConstant as u32]);
        let (builtin, name) = match kind {
            HeapKind::Resources => (BuiltIn::ResourceHeapEXT, "resource_heap"),
            HeapKind::Samplers => (BuiltIn::SamplerHeapEXT, "sampler_heap"),
        };
        self.out.decorate(id, Decoration::BuiltIn, &[builtin as u32]);
        self.out.name(id, name);
        self.touched.push(id);
        self.heaps.variables[kind as usize] = Some(id);
        id
    }

    fn untyped(&mut self, class: StorageClass) -> Id {
        self.out.ty(Op::TypeUntypedPointerKHR, &[class as u32])
    }

    /// The type of an array of descriptors. What is said of reading and writing images is said
    /// of a member, so that they are put into a structure.
    fn heap_array(&mut self, global: &Global, place: &mut Place) -> Id {
        let element = match element_of(self, &place.ty) {
            opaque @ Type::Opaque(_) => self.descriptor_ty(&opaque, place.format),
            _ => self.out.ty(Op::TypeBufferEXT, &[class_behind(global.storage) as u32]),
        };
        let stride = match global.layout.heap.and_then(|heap| heap.stride) {
            Some(stride) => self.out.uint(stride),
            None => self.size_of(element),
        };
        let array = self.out.distinct(Op::TypeRuntimeArray, &[element]);
        self.decorate_by_id(array, Decoration::ArrayStrideIdEXT, stride);
        let marks = memory_decorations(&global.layout);
        if marks.is_empty() || global.block.is_some() {
            return array;
        }
        let holder = self.out.distinct(Op::TypeStruct, &[array]);
        self.out.decorate(holder, Decoration::Block, &[]);
        for mark in marks {
            self.out.decorate_member(holder, 0, mark, &[]);
        }
        let zero = self.out.uint(0);
        self.decorate_member_by_id(holder, 0, Decoration::OffsetIdEXT, zero);
        place.chain.push(Link::fixed(zero));
        holder
    }

    /// The bytes at which a heap's block starts are the first link of every place in it.
    pub(super) fn start_in_heap(&mut self, place: &mut Place) {
        let Some(view) = place.view.filter(|view| view.starts && place.chain.is_empty()) else { return };
        let offset = self.program.globals[view.global.0 as usize].layout.heap_offset;
        let link = match offset {
            None => Link::fixed(self.out.uint(0)),
            Some(e) if self.constant_index(e).is_some() => {
                let bytes = self.constant_index(e).unwrap_or(0);
                Link::fixed(self.out.uint(bytes))
            }
            Some(e) => {
                let value = self.typed(e);
                let fixed = self.constants.get(value.id as usize).copied().unwrap_or(false);
                let scalar = Num::of(&value.ty).map_or(Scalar::Uint, |num| num.scalar);
                Link { id: value.id, dynamic: (!fixed).then_some(scalar) }
            }
        };
        place.chain.push(link);
    }

    /// A pointer to a place in a heap.
    pub(super) fn heap_pointer(&mut self, place: &Place, view: View) -> Id {
        let ty = self.untyped(place.class);
        let (mut base, mut links) = (place.base, place.chain.as_slice());
        if let (true, Some((start, rest))) = (view.starts, links.split_first()) {
            let bytes = self.byte_array();
            base = self.op(Op::UntypedAccessChainKHR, ty, &[bytes, base, start.id]);
            links = rest;
        }
        if links.is_empty() {
            return base;
        }
        let operands: Vec<Id> = [view.ty, base].into_iter().chain(links.iter().map(|l| l.id)).collect();
        self.op(Op::UntypedAccessChainKHR, ty, &operands)
    }

    fn byte_array(&mut self) -> Id {
        if let Some(known) = self.heaps.bytes {
            return known;
        }
        let byte = self.num_ty(Num::scalar(Scalar::Uint8));
        let array = self.out.distinct(Op::TypeRuntimeArray, &[byte]);
        self.out.decorate(array, Decoration::ArrayStride, &[1]);
        self.heaps.bytes = Some(array);
        array
    }

    /// Goes on from a descriptor of a buffer, if an index has led to one.
    pub(super) fn through_descriptor(&mut self, place: Place) -> Place {
        let (Some(view), Memory::Block(_), Type::Struct(_)) = (place.view, place.memory, place.ty) else {
            return place;
        };
        let program = self.program;
        let global = &program.globals[view.global.0 as usize];
        let marks = memory_decorations(&global.layout);
        let (ty, memory) = (place.ty, place.memory);
        let base = self.buffer_pointer(&place, class_behind(global.storage), &ty, memory, &marks);
        Place::variable(base, class_behind(global.storage), ty, memory, ImageFormat::Unknown)
    }

    /// What a member of a `buffer_type` leads to.
    pub(super) fn held_place(&mut self, descriptor: &Place, id: ReferenceId) -> Place {
        let reference = self.program.types.reference(id);
        let Some(pointee) = reference.pointee else {
            self.fail("a block that is reached by a descriptor was never declared");
            return Place::local(0, Type::Void);
        };
        let class = class_behind(reference.held.unwrap_or(Storage::Buffer));
        let (ty, memory) = (Type::Struct(pointee), Memory::Held(id));
        let base = self.buffer_pointer(descriptor, class, &ty, memory, &[]);
        Place::variable(base, class, ty, memory, ImageFormat::Unknown)
    }

    fn buffer_pointer(
        &mut self,
        place: &Place,
        class: StorageClass,
        ty: &Type,
        memory: Memory,
        marks: &[Decoration],
    ) -> Id {
        let descriptor = self.pointer(place);
        let to = self.memory_ty(ty, memory);
        let pointer = self.out.pointer(class, to);
        let id = self.op(Op::BufferPointerEXT, pointer, &[descriptor]);
        for &mark in marks {
            self.out.decorate(id, mark, &[]);
        }
        id
    }

    /// The block that a descriptor of a `buffer_type` leads to.
    pub(super) fn held_ty(&mut self, id: ReferenceId) -> Id {
        if let Some(&known) = self.heaps.buffers.get(&id) {
            return known;
        }
        let reference = self.program.types.reference(id);
        let Some(pointee) = reference.pointee else { return 0 };
        let rules = Rules { packing: reference.packing, row_major: false };
        let open = reference.held == Some(Storage::Buffer);
        let made = self.laid_structure(pointee, rules, Some(&reference.members), open);
        self.out.decorate(made, Decoration::Block, &[]);
        self.heaps.buffers.insert(id, made);
        made
    }

    /// A pointer to a texel of an image in a heap.
    pub(super) fn heap_texel(&mut self, place: &Place, coordinate: Id, sample: Id) -> Id {
        let image = self.formatted_ty(&place.ty, place.format);
        let pointer = self.pointer(place);
        let ty = self.untyped(StorageClass::Image);
        self.op(Op::UntypedImageTexelPointerEXT, ty, &[image, pointer, coordinate, sample])
    }

    fn decorate_by_id(&mut self, id: Id, decoration: Decoration, value: Id) {
        self.out.push(Part::Annotation, Op::DecorateId, &[id, decoration as u32, value]);
    }

    fn decorate_member_by_id(&mut self, id: Id, member: u32, decoration: Decoration, value: Id) {
        let operands = [id, member, decoration as u32, value];
        self.out.push(Part::Annotation, Op::MemberDecorateIdEXT, &operands);
    }

    /// The type of a descriptor.
    fn descriptor_ty(&mut self, ty: &Type, format: ImageFormat) -> Id {
        match *ty {
            Type::Opaque(Opaque::Buffer(id)) => {
                let held = self.program.types.reference(id).held.unwrap_or(Storage::Buffer);
                self.out.ty(Op::TypeBufferEXT, &[class_behind(held) as u32])
            }
            _ => self.formatted_ty(ty, format),
        }
    }

    /// How many bytes a descriptor takes, which the device says.
    fn size_of(&mut self, descriptor: Id) -> Id {
        let uint = self.num_ty(Num::UINT);
        self.out.constant(Op::ConstantSizeOfEXT, uint, &[descriptor])
    }
}

/// The element of an array, or the type itself.
fn element_of(emitter: &Emitter<'_>, ty: &Type) -> Type {
    match *ty {
        Type::Array(element, _) => emitter.what(element),
        other => other,
    }
}
