//! Heaps of descriptors: arrays that lie in them, blocks that describe them, and types of buffers
//! that such blocks hold. [GL_EXT_descriptor_heap, GL_EXT_structured_descriptor_heap]

use std::collections::HashSet;

use super::checker::Checker;
use super::layout::Kind;
use super::state::Qualifiers;
use crate::ast::{self, BlockDef};
use crate::hir::ExprId;
use crate::qualifier::{HeapKind, Storage};
use crate::token::At;
use crate::ty::{Access, Opaque, Ty, Type};

/// What stands in a heap's block.
pub(super) const MEMBER: Kind = Kind::MEMBER.or(Kind::IMAGE).or(Kind::HEAP_MEMBER);

impl<'a> Checker<'a> {
    /// Checks what `layout(descriptor_heap)` stands with: an array of what one descriptor is for,
    /// without a binding.
    pub(super) fn check_heap_array(&mut self, ty: Ty, all: &Qualifiers, at: At) {
        if all.layout.heap.is_none() {
            return;
        }
        if !all.numbers.descriptor_heap {
            self.error(at, "`descriptor_stride` says something of a heap: it goes with `descriptor_heap`");
            return;
        }
        if all.layout.set.is_some() || all.layout.binding.is_some() {
            self.error(at, "what lies in a heap has no set and no binding");
        }
        let Type::Array(element, _) = *self.ty(ty) else {
            self.error(at, "what is `descriptor_heap` is the heap's array: it must be declared as an array")
                .help
                .push("write `[]` behind its name".into());
            return;
        };
        if matches!(self.ty(element), Type::Array(..)) {
            self.error(at, "an array in a heap has one dimension");
        }
        if is_combined(self.ty(element)) {
            let name = self.name_of(element);
            self.error(at, format!("a `{name}` is two descriptors, which lie in two heaps"))
                .help
                .push("declare a texture and a `sampler`".into());
        }
    }

    /// Checks the members of a heap's block: each heap has its own kinds of descriptors.
    pub(super) fn check_heap_member(&mut self, ty: Ty, kind: HeapKind, at: At) {
        let (mut open, mut seen) = (vec![ty], HashSet::new());
        while let Some(ty) = open.pop() {
            match *self.ty(ty) {
                Type::Array(element, _) => open.push(element),
                Type::Struct(id) if seen.insert(id) => {
                    open.extend(self.types.structure(id).members.iter().map(|member| member.ty));
                }
                Type::Opaque(opaque) => {
                    let sampler = matches!(opaque, Opaque::Sampler { .. });
                    let nowhere = matches!(opaque, Opaque::AtomicCounter | Opaque::RayQuery);
                    if nowhere || is_combined(self.ty(ty)) || sampler != (kind == HeapKind::Samplers) {
                        let name = self.name_of(ty);
                        self.error(at, format!("this heap has no descriptors of `{name}`"));
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    /// Checks a heap's block as a whole.
    pub(super) fn check_heap_block(&mut self, block: &BlockDef) {
        if let Some(instance) = block.instance.as_ref().filter(|instance| !instance.dims.is_empty()) {
            self.error(instance.at, "the block of a heap is no array")
                .help
                .push("a member can be one".into());
        }
    }

    /// Checks `layout(buffer_type)`, which declares a type and no variable.
    pub(super) fn check_buffer_type(&mut self, block: &BlockDef, all: &Qualifiers) {
        if let Some(instance) = &block.instance {
            self.error(instance.at, "a `buffer_type` is a type: it has no instance");
        }
        if all.layout.set.is_some() || all.layout.binding.is_some() {
            self.error(block.name.1, "a `buffer_type` is a type: it has no set and no binding");
        }
    }

    /// The number of bytes behind `heap_offset =`: what does not change during the shader.
    pub(super) fn heap_offset(&mut self, value: ast::ExprId) -> Option<ExprId> {
        let expr = self.expr(value);
        let (at, ty) = (self.at(expr).at, self.ty_of(expr));
        if self.is_error(expr) {
            return None;
        }
        if ty != self.known.int && ty != self.known.uint {
            let found = self.name_of(ty);
            self.error(at, format!("the offset of a heap's block is an integer, found `{found}`"));
            return None;
        }
        let fixed = self.bits(expr).is_some() || self.is_spec(expr);
        let told_by_host = self.root(expr).is_some_and(|global| {
            let global = self.global(global);
            matches!(global.storage, Storage::Uniform | Storage::PushConstant)
                || global.storage == Storage::Buffer && global.layout.read_only
        });
        if !fixed && !told_by_host {
            self.error(at, "the offset of a heap's block must be a constant, a uniform or `readonly`");
            return None;
        }
        Some(expr)
    }

    /// `layout(buffer_reference) buffer { ... } name;` within a heap: a type without a name.
    pub(super) fn inline_reference(&mut self, block: &'a BlockDef) -> Ty {
        let all = self.qualifiers(&block.qualifiers, false);
        let at = block.at;
        if !all.numbers.buffer_reference {
            self.error(at, "a block within a block must be one that is reached by its address")
                .help
                .push("write `layout(buffer_reference) buffer { ... }`".into());
            return self.known.error;
        }
        let Some((storage, kind)) = self.block_storage(block, &all) else { return self.known.error };
        self.check_layout(&all, kind, "this block");
        self.nameless_reference(block, storage, &all)
    }
}

/// Whether a type is a texture with its sampler.
fn is_combined(ty: &Type) -> bool {
    matches!(ty, Type::Opaque(Opaque::Texture { access: Access::Sampled, .. }))
}
