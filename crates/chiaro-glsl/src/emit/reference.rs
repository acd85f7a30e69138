//! Addresses of blocks: their types, what stands there, and how it is reached.
//!
//! Such pointers may lead to blocks that hold the same pointers, so each is announced first and
//! its block declared later. Every access says what its address is a multiple of.
//! [SPV_KHR_physical_storage_buffer]

use chiaro_words::write::{Id, Part};
use spirv::{Capability, Decoration, ImageFormat, Op, StorageClass};

use crate::hir::ExprId;
use crate::qualifier::Packing;
use crate::ty::{Opaque, ReferenceId, Scalar, Type, Types};

use super::arith::Typed;
use super::emitter::Emitter;
use super::state::{Memory, Place};
use crate::layout::{Rules, extent};
use crate::numeric::Num;

impl Emitter<'_> {
    /// The pointer type of an address.
    pub(super) fn reference_ty(&mut self, id: ReferenceId) -> Id {
        let index = id.0 as usize;
        if let Some(&Some((pointer, _))) = self.references.list.get(index) {
            return pointer;
        }
        if self.references.list.is_empty() {
            self.out.capability(Capability::PhysicalStorageBufferAddresses);
            self.out.extension("SPV_KHR_physical_storage_buffer");
        }
        let pointer = self.out.fresh();
        if self.references.list.len() <= index {
            self.references.list.resize(index + 1, None);
        }
        self.references.list[index] = Some((pointer, 0));
        let class = StorageClass::PhysicalStorageBuffer as u32;
        self.out.push(Part::Declaration, Op::TypeForwardPointer, &[pointer, class]);
        self.references.pending.push(id);
        if !std::mem::replace(&mut self.references.busy, true) {
            while let Some(next) = self.references.pending.pop() {
                self.declare_pointee(next);
            }
            self.references.busy = false;
        }
        pointer
    }

    fn declare_pointee(&mut self, id: ReferenceId) {
        let reference = self.program.types.reference(id);
        let Some(pointee) = reference.pointee else {
            self.fail("a block that is reached by its address was never declared");
            return;
        };
        let rules = Rules { packing: reference.packing, row_major: false };
        let made = self.laid_structure(pointee, rules, Some(&reference.members), true);
        self.out.decorate(made, Decoration::Block, &[]);
        if let Some(mark) = reference.mark {
            self.need(super::needs::of_mark(mark));
            self.out.decorate(made, mark, &[]);
        }
        let Some(Some(known)) = self.references.list.get_mut(id.0 as usize) else { return };
        known.1 = made;
        let class = StorageClass::PhysicalStorageBuffer as u32;
        self.out.push(Part::Declaration, Op::TypePointer, &[known.0, class, made]);
    }

    /// The structure that stands at an address.
    pub(super) fn pointee_ty(&mut self, id: ReferenceId) -> Id {
        self.reference_ty(id);
        self.references.list.get(id.0 as usize).copied().flatten().map_or(0, |known| known.1)
    }

    /// The block at an address.
    pub(super) fn deref(&mut self, e: ExprId) -> Place {
        if let Type::Opaque(Opaque::Buffer(id)) = self.what(self.program.exprs[e.0 as usize].ty) {
            let descriptor = self.place(e);
            return self.held_place(&descriptor, id);
        }
        let address = self.typed(e);
        let Type::Reference(id) = address.ty else {
            self.fail("only an address leads to a block");
            return Place::local(0, Type::Void);
        };
        let Some(pointee) = self.program.types.reference(id).pointee else {
            self.fail("a block that is reached by its address was never declared");
            return Place::local(0, Type::Void);
        };
        let ty = Type::Struct(pointee);
        let class = StorageClass::PhysicalStorageBuffer;
        let base = address.id;
        let align = self.program.types.reference(id).align;
        let place = Place::variable(base, class, ty, Memory::Pointee(id), ImageFormat::Unknown);
        Place { align, ..place }
    }

    /// What a place is a multiple of, if a load or store has to say it.
    pub(super) fn access_align(&mut self, place: &Place) -> Option<u32> {
        if place.align == 0 {
            return None;
        }
        let types = &self.program.types;
        let own = match place.memory {
            Memory::Laid(rules) => extent(types, &place.ty, rules, &mut self.types.extents).align,
            _ => place.align.into(),
        };
        let scalar = Rules { packing: Packing::Scalar, row_major: false };
        let least = extent(types, &place.ty, scalar, &mut self.types.extents).align;
        let align = own.min(place.align.into()).max(least);
        Some(align as u32)
    }

    /// An address as a number, a number as an address, or one as another.
    pub(super) fn convert_address(&mut self, a: Typed, to: &Type) -> Id {
        let ty = self.plain_ty(to);
        let op = match (a.ty, *to) {
            (from, to) if from == to => return a.id,
            (Type::Reference(_), Type::Scalar(_)) => Op::ConvertPtrToU,
            (Type::Scalar(_), Type::Reference(_)) => Op::ConvertUToPtr,
            _ => Op::Bitcast,
        };
        self.op(op, ty, &[a.id])
    }

    /// An address a number of bytes on or back.
    pub(super) fn update_address(&mut self, op: crate::hir::Binary, left: Typed, right: Typed) -> Id {
        let wide = Type::Scalar(Scalar::Uint64);
        let number = Typed { id: self.convert_address(left, &wide), ty: wide };
        let op = if op == crate::hir::Binary::Add { Op::IAdd } else { Op::ISub };
        let ty = self.num_ty(Num::scalar(Scalar::Uint64));
        let id = self.op(op, ty, &[number.id, right.id]);
        self.convert_address(Typed { id, ty: wide }, &left.ty)
    }

    /// What a variable that holds addresses says of them.
    pub(super) fn decorate_holder(&mut self, variable: Id, ty: &Type, restrict: bool) {
        let mut ty = *ty;
        while let Type::Array(elem, _) = ty {
            ty = self.what(elem);
        }
        if matches!(ty, Type::Reference(_)) {
            let decoration = if restrict { Decoration::RestrictPointer } else { Decoration::AliasedPointer };
            self.out.decorate(variable, decoration, &[]);
        }
    }

    /// Whether a value of a type holds an address, so that no constant can be declared of it.
    pub(super) fn holds_address(&mut self, ty: &Type) -> bool {
        let types = &self.program.types;
        let holders = &mut self.references.holders;
        if types.references.is_empty() {
            return false;
        }
        // Structures are numbered in the order of their declarations: those inside come first.
        for structure in &types.structs[holders.len().min(types.structs.len())..] {
            let holds = structure.members.iter().any(|m| holds_address(types, types.get(m.ty), holders));
            holders.push(holds);
        }
        holds_address(types, ty, holders)
    }

    /// A constant that holds addresses: put together where it is used.
    pub(super) fn address_constant(&mut self, ty: &Type, bits: &mut dyn Iterator<Item = u64>) -> Id {
        if let Type::Reference(_) = ty {
            let number = self.scalar_constant(Scalar::Uint64, bits.next().unwrap_or(0));
            return self.convert_address(Typed { id: number, ty: Type::Scalar(Scalar::Uint64) }, ty);
        }
        if !self.holds_address(ty) {
            return self.take_constant(ty, bits);
        }
        if matches!(ty, Type::Array(_, crate::ty::Length::Spec(..))) {
            return self.fail("addresses in an array of specialised length cannot be set all at once");
        }
        let parts: Vec<Id> = self.parts(ty).iter().map(|part| self.address_constant(part, bits)).collect();
        let ty = self.plain_ty(ty);
        self.op(Op::CompositeConstruct, ty, &parts)
    }
}

/// Whether a type holds an address, where that is known of structures.
fn holds_address(types: &Types, ty: &Type, holders: &[bool]) -> bool {
    match *ty {
        Type::Reference(_) => true,
        Type::Array(elem, _) => holds_address(types, types.get(elem), holders),
        Type::Struct(id) => holders.get(id.0 as usize).copied().unwrap_or(false),
        _ => false,
    }
}
