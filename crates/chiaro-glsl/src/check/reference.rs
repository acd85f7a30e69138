//! Addresses of blocks: their types, what they lead to, and arithmetic with them.
//!
//! An address is a number of 64 bits that knows what stands there. Arithmetic is written out on
//! such numbers, so that constants fold. [GL_EXT_buffer_reference, GL_EXT_buffer_reference2,
//! GL_EXT_buffer_reference_uvec2]

use super::checker::Checker;
use super::scope::Entity;
use super::state::{Place, Qualifiers};
use crate::ast::{self, BlockDef};
use crate::builtin::When;
use crate::hir::{Binary, ExprId, ExprKind};
use crate::qualifier::{Layout, Packing, Storage};
use crate::token::{At, Symbol};
use crate::ty::{Opaque, Reference, ReferenceId, Scalar, Ty, Type};

/// What addresses are multiples of where the source does not say.
const DEFAULT_ALIGN: u32 = 16;

const ARITHMETIC: When = When::with(&["GL_EXT_buffer_reference2"]);
const UVEC2: When = When::with(&["GL_EXT_buffer_reference_uvec2"]);

impl<'a> Checker<'a> {
    /// `layout(buffer_reference) buffer Name;`: a type whose block comes later.
    pub(super) fn declare_references(&mut self, names: &[(Symbol, At)], all: &Qualifiers) {
        for &(name, at) in names {
            if all.place != Some(Place::Buffer) {
                self.error(at, "only a `buffer` is reached by its address");
                continue;
            }
            if self.reference_named(name).is_none() {
                let ty = self.new_reference(name, all);
                self.declare(name, Entity::Struct(ty), at);
            }
        }
    }

    /// The block of a type of addresses, which may have been declared before.
    pub(super) fn define_reference(
        &mut self,
        block: &BlockDef,
        structure: Ty,
        members: &[Layout],
        packing: Packing,
        all: &Qualifiers,
    ) {
        let (name, at) = block.name;
        // What else cannot be one was reported with the layout.
        if all.place != Some(Place::Buffer) && !all.numbers.buffer_type {
            return;
        }
        if let Some(id) = self.reference_named(name).filter(|&id| self.types.reference(id).pointee.is_none())
        {
            return self.fill_reference(id, structure, members, packing, all);
        }
        let ty = self.reference_to(name, structure, members, packing, all);
        self.declare(name, Entity::Struct(ty), at);
    }

    /// A new type of addresses, or of descriptors, of a block.
    pub(super) fn reference_to(
        &mut self,
        name: Symbol,
        structure: Ty,
        members: &[Layout],
        packing: Packing,
        all: &Qualifiers,
    ) -> Ty {
        let ty = self.new_reference(name, all);
        if let Type::Reference(id) | Type::Opaque(Opaque::Buffer(id)) = *self.ty(ty) {
            self.fill_reference(id, structure, members, packing, all);
        }
        ty
    }

    fn fill_reference(
        &mut self,
        id: ReferenceId,
        structure: Ty,
        members: &[Layout],
        packing: Packing,
        all: &Qualifiers,
    ) {
        let Type::Struct(pointee) = *self.ty(structure) else { return };
        let reference = &mut self.types.references[id.0 as usize];
        reference.pointee = Some(pointee);
        reference.packing = packing;
        reference.members = members.to_vec();
        reference.align = all.numbers.reference_align.unwrap_or(reference.align);
    }

    /// The type of addresses that a name stands for.
    fn reference_named(&self, name: Symbol) -> Option<ReferenceId> {
        let Some(Entity::Struct(ty)) = self.scopes.find(name).map(|binding| binding.entity) else {
            return None;
        };
        match *self.ty(ty) {
            Type::Reference(id) => Some(id),
            _ => None,
        }
    }

    fn new_reference(&mut self, name: Symbol, all: &Qualifiers) -> Ty {
        let id = ReferenceId(self.types.references.len() as u32);
        let held = if all.place == Some(Place::Uniform) { Storage::Uniform } else { Storage::Buffer };
        self.types.references.push(Reference {
            name,
            pointee: None,
            packing: Packing::Std430,
            members: Vec::new(),
            align: all.numbers.reference_align.unwrap_or(DEFAULT_ALIGN),
            mark: all.numbers.reference_mark,
            held: all.numbers.buffer_type.then_some(held),
        });
        self.types.intern(match all.numbers.buffer_type {
            true => Type::Opaque(Opaque::Buffer(id)),
            false => Type::Reference(id),
        })
    }

    /// What stands at an address.
    pub(super) fn deref(&mut self, base: ExprId, at: At) -> Option<ExprId> {
        let (Type::Reference(id) | Type::Opaque(Opaque::Buffer(id))) = *self.ty(self.ty_of(base)) else {
            return None;
        };
        let Some(pointee) = self.types.reference(id).pointee else {
            let message = format!("the members of `{}` are not declared yet", self.name_of(self.ty_of(base)));
            self.error(at, message);
            return None;
        };
        let ty = self.types.intern(Type::Struct(pointee));
        Some(self.push(ExprKind::Deref(base), ty, None, at))
    }

    /// Whether a place lies in a block that is reached by its address.
    pub(super) fn is_behind_reference(&self, mut id: ExprId) -> bool {
        loop {
            match &self.at(id).kind {
                ExprKind::Deref(_) => return true,
                ExprKind::Swizzle(base, _) | ExprKind::Index(base, _) | ExprKind::Member(base, _) => {
                    id = *base;
                }
                _ => return false,
            }
        }
    }

    /// `Name(x)`: an address from a number, from two halves, or from another address.
    pub(super) fn construct_reference(&mut self, ty: Ty, parts: Vec<ExprId>, at: At) -> ExprId {
        let [part] = *parts else {
            let message = format!("`{}` takes one value, {} are given", self.name_of(ty), parts.len());
            self.error(at, message);
            return self.wrong(at);
        };
        match *self.ty(self.ty_of(part)) {
            Type::Reference(_) => self.as_type(part, ty, at),
            Type::Vector(Scalar::Uint, 2) => {
                self.require(at, "an address made from `uvec2`", UVEC2);
                let halves = self.bits(part).and_then(|bits| bits.first_chunk().copied());
                match halves {
                    Some([low, high]) => self.constant([low | high << 32], ty, at),
                    None => self.push(ExprKind::Convert(part), ty, None, at),
                }
            }
            _ => {
                let wide = self.vector(Scalar::Uint64, 1);
                let number = self.coerce(part, wide, "an address is made from a number or another address");
                if self.is_error(number) { number } else { self.as_type(number, ty, at) }
            }
        }
    }

    /// `uint64_t(a)`, `uvec2(a)` of an address.
    pub(super) fn number_of_reference(&mut self, part: ExprId, ty: Ty, at: At) -> ExprId {
        match *self.ty(ty) {
            Type::Scalar(Scalar::Uint64) => self.as_type(part, ty, at),
            Type::Vector(Scalar::Uint, 2) => {
                self.require(at, "`uvec2` made from an address", UVEC2);
                match self.bits(part).and_then(|bits| bits.first().copied()) {
                    Some(bits) => self.constant([bits & u64::from(u32::MAX), bits >> 32], ty, at),
                    None => self.push(ExprKind::Convert(part), ty, None, at),
                }
            }
            _ => {
                let (name, found) = (self.name_of(ty), self.name_of(self.ty_of(part)));
                self.error(at, format!("`{name}` cannot be made from the address `{found}`"))
                    .help
                    .push("make a `uint64_t` of it first".into());
                self.wrong(at)
            }
        }
    }

    /// The same 64 bits as another type.
    fn as_type(&mut self, id: ExprId, ty: Ty, at: At) -> ExprId {
        if self.ty_of(id) == ty || self.is_error(id) {
            return id;
        }
        match self.bits(id).map(Box::from) {
            Some(bits) => self.push(ExprKind::Constant(bits), ty, None, at),
            None => self.push(ExprKind::Convert(id), ty, None, at),
        }
    }

    /// `a + n`, `n + a`, `a - n`, `a - b`, `a == b`; `None` if an operand is none of these.
    pub(super) fn reference_binary(
        &mut self,
        op: ast::Binary,
        left: ExprId,
        right: ExprId,
        at: At,
    ) -> Option<ExprId> {
        let (a, b) = (self.ty_of(left), self.ty_of(right));
        let is_reference = |this: &Self, ty| matches!(this.ty(ty), Type::Reference(_));
        match (op, is_reference(self, a), is_reference(self, b)) {
            (ast::Binary::Equal | ast::Binary::NotEqual, true, true) if a == b => {
                if !ARITHMETIC.is(self.version, self.stage, &self.enabled) {
                    return None;
                }
                let wide = self.vector(Scalar::Uint64, 1);
                let (left, right) = (self.as_type(left, wide, at), self.as_type(right, wide, at));
                Some(self.binary(op, left, right, at))
            }
            (ast::Binary::Sub, true, true) if a == b => self.distance(left, right, at),
            (ast::Binary::Add | ast::Binary::Sub, true, false) => {
                let bytes = self.reference_step(op, left, right, at)?;
                self.moved(op, left, bytes, at)
            }
            (ast::Binary::Add, false, true) => {
                let bytes = self.reference_step(op, right, left, at)?;
                self.moved(op, right, bytes, at)
            }
            _ => None,
        }
    }

    /// An address so many bytes on.
    fn moved(&mut self, op: ast::Binary, address: ExprId, bytes: ExprId, at: At) -> Option<ExprId> {
        let (ty, wide) = (self.ty_of(address), self.vector(Scalar::Uint64, 1));
        let start = self.as_type(address, wide, at);
        let sum = self.binary(op, start, bytes, at);
        Some(self.as_type(sum, ty, at))
    }

    /// How many blocks lie between two addresses.
    fn distance(&mut self, left: ExprId, right: ExprId, at: At) -> Option<ExprId> {
        let Some(stride) = self.reference_stride(self.ty_of(left), at) else {
            return Some(self.wrong(at));
        };
        let (wide, signed) = (self.vector(Scalar::Uint64, 1), self.vector(Scalar::Int64, 1));
        let (left, right) = (self.as_type(left, wide, at), self.as_type(right, wide, at));
        let bytes = self.binary(ast::Binary::Sub, left, right, at);
        let bytes = self.convert(bytes, signed);
        let stride = self.constant([stride], signed, at);
        Some(self.binary(ast::Binary::Div, bytes, stride, at))
    }

    /// The bytes that adding or taking away a number of blocks makes.
    pub(super) fn reference_step(
        &mut self,
        op: ast::Binary,
        address: ExprId,
        count: ExprId,
        at: At,
    ) -> Option<ExprId> {
        if !matches!(op, ast::Binary::Add | ast::Binary::Sub) {
            return None;
        }
        let shape = self.numeric(self.ty_of(count))?;
        if !shape.is_scalar() || !super::state::is_integer(shape.scalar) {
            return None;
        }
        let Some(stride) = self.reference_stride(self.ty_of(address), at) else {
            return Some(self.wrong(at));
        };
        let (signed, wide) = (self.vector(Scalar::Int64, 1), self.vector(Scalar::Uint64, 1));
        let count = self.convert(count, signed);
        let stride = self.constant([stride], signed, at);
        let bytes = self.binary(ast::Binary::Mul, count, stride, at);
        Some(self.convert(bytes, wide))
    }

    /// `a[n]`: the block n further.
    pub(super) fn reference_element(&mut self, base: ExprId, index: ExprId, at: At) -> ExprId {
        if self.is_error(index) {
            return self.wrong(at);
        }
        let step = self.reference_step(ast::Binary::Add, base, index, at);
        let moved = step.and_then(|bytes| self.moved(ast::Binary::Add, base, bytes, at));
        moved.unwrap_or_else(|| {
            let found = self.name_of(self.ty_of(index));
            self.error(at, format!("an index must be an integer, found `{found}`"));
            self.wrong(at)
        })
    }

    /// Bytes from a block to the next one, reported as an error where they cannot be known.
    fn reference_stride(&mut self, ty: Ty, at: At) -> Option<u64> {
        if !self.require(at, "arithmetic with addresses", ARITHMETIC) {
            return None;
        }
        let Type::Reference(id) = *self.ty(ty) else { return None };
        let reference = self.types.reference(id);
        let stride = reference.pointee.and_then(|_| crate::layout::reference_stride(&self.types, reference));
        if stride.is_none() {
            let message = format!("the size of `{}` is not known", self.name_of(ty));
            self.error(at, message).notes.push("a block that ends with an open array has none".into());
        }
        stride
    }

    /// The operation on bytes that an update of an address is.
    pub(super) fn update_of(op: ast::Binary) -> Binary {
        if op == ast::Binary::Add { Binary::Add } else { Binary::Sub }
    }
}
