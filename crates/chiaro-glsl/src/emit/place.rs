//! Places: pointers with indices that are not written yet, read and stored through.
//!
//! What stands in a block may have another type there than as a value. It is taken apart into
//! what is the same in both, part by part.

use super::state::{Link, Memory, Place, Root, Slot, Way};
use std::iter::once;

use chiaro_words::write::Id;
use spirv::{Capability, ImageFormat, Op, StorageClass};

use crate::hir::{ExprId, ExprKind};
use crate::ty::{Access, Dim, Opaque, Scalar, Type};

use super::constant::MOST_ELEMENTS;
use super::emitter::Emitter;
use crate::numeric::Num;

/// Parts that all copies between blocks and values may have together.
const MOST_PARTS: u32 = 1 << 18;

impl Emitter<'_> {
    /// Whether an expression starts from a variable, so that it can be read through a pointer.
    pub(super) fn is_place(&self, mut e: ExprId) -> bool {
        loop {
            match self.program.exprs[e.0 as usize].kind {
                ExprKind::Member(base, _) | ExprKind::Index(base, _) | ExprKind::Swizzle(base, _) => e = base,
                ExprKind::Local(_) | ExprKind::Deref(_) => return true,
                ExprKind::Global(id) => {
                    return matches!(self.globals.get(id.0 as usize), Some(Root::Place(_)));
                }
                _ => return false,
            }
        }
    }

    /// The place that an expression names; indices are computed now.
    pub(super) fn place(&mut self, e: ExprId) -> Place {
        let program = self.program;
        match &program.exprs[e.0 as usize].kind {
            ExprKind::Local(id) => match self.body.slots.get(id.0 as usize) {
                Some(Slot::Place(place)) => place.clone(),
                _ => self.declare_local(*id),
            },
            ExprKind::Global(id) => match self.globals.get(id.0 as usize) {
                Some(Root::Place(place)) => {
                    let mut place = place.clone();
                    self.start_in_heap(&mut place);
                    place
                }
                _ => self.spill(e),
            },
            ExprKind::Deref(address) => self.deref(*address),
            ExprKind::Member(base, i) => {
                let place = self.place(*base);
                self.member(place, *i)
            }
            ExprKind::Index(base, index) => {
                let place = self.place(*base);
                self.element(place, *index)
            }
            ExprKind::Swizzle(base, components) => {
                let count = Num::of(&self.what(program.exprs[e.0 as usize].ty)).map_or(1, |n| n.rows);
                pick(self.place(*base), *components, count)
            }
            _ => self.spill(e),
        }
    }

    /// A value in a variable of its own.
    fn spill(&mut self, e: ExprId) -> Place {
        let ty = self.what(self.program.exprs[e.0 as usize].ty);
        let value = self.value(e);
        let place = self.temporary(ty);
        self.store(&place, value);
        place
    }

    /// A variable of the function, without a name.
    pub(super) fn temporary(&mut self, ty: Type) -> Place {
        let id = self.function_variable(&ty);
        Place::local(id, ty)
    }

    pub(super) fn member(&mut self, place: Place, i: u32) -> Place {
        let Type::Struct(id) = place.ty else { return place };
        let Some(member) = self.program.types.structure(id).members.get(i as usize) else { return place };
        let (ty, memory) = (self.what(member.ty), self.member_memory(place.memory, i));
        let index = self.out.uint(i);
        let format = self.member_format(&place, i);
        let seen = if self.by_access { self.seen_member(&place, i) } else { place.seen };
        Place { format, seen, ..place.part(index, ty, memory) }
    }

    /// The format of images in a member; of a heap's block, members say it themselves.
    fn member_format(&self, place: &Place, i: u32) -> ImageFormat {
        let block = match place.view {
            Some(view) if place.chain.len() == 1 => {
                self.program.globals[view.global.0 as usize].block.as_ref()
            }
            _ => return place.format,
        };
        let layout = block.and_then(|block| block.members.get(i as usize));
        layout.and_then(|layout| layout.format).unwrap_or(place.format)
    }

    fn element(&mut self, mut place: Place, index: ExprId) -> Place {
        let link = match self.constant_index(index) {
            Some(n) => Link::fixed(self.fixed_index(n, &place)),
            None => {
                let ty = self.what(self.program.exprs[index.0 as usize].ty);
                let scalar = Num::of(&ty).map_or(Scalar::Int, |num| num.scalar);
                Link { id: self.value(index), dynamic: Some(scalar) }
            }
        };
        let link = match place.pick.take() {
            Some(picked) => self.picked(picked, index, link),
            None => link,
        };
        place.ty = match place.ty {
            Type::Array(elem, _) => self.what(elem),
            Type::Matrix { scalar, rows, .. } => Num::vector(scalar, rows).ty(),
            Type::Vector(scalar, _) | Type::Coop(scalar, _) => Type::Scalar(scalar),
            other => return Place { ty: other, ..place },
        };
        place.chain.push(link);
        self.through_descriptor(place)
    }

    /// A constant index; in range for what has a size, since words with another are broken.
    fn fixed_index(&mut self, n: u32, place: &Place) -> Id {
        let count = match (place.pick, place.ty) {
            (Some((_, count)), _) | (None, Type::Vector(_, count)) => Some(count.into()),
            (None, Type::Matrix { columns, .. }) => Some(columns.into()),
            (None, Type::Array(_, crate::ty::Length::Known(count))) => Some(count),
            _ => None,
        };
        self.out.uint(count.map_or(n, |count| n.min(count.saturating_sub(1))))
    }

    /// The component that an index into picked components means.
    fn picked(&mut self, (components, count): ([u8; 4], u8), index: ExprId, link: Link) -> Link {
        let list = &components[..usize::from(count)];
        if let Some(n) = self.constant_index(index) {
            let component = list.get(n as usize).copied().unwrap_or(0);
            return Link::fixed(self.out.uint(component.into()));
        }
        if count < 2 {
            return Link::fixed(self.out.uint(components[0].into()));
        }
        let bits: Vec<u64> = list.iter().map(|&c| c.into()).collect();
        let table = self.constant(&Type::Vector(Scalar::Uint, count), &bits);
        let uint = self.num_ty(Num::UINT);
        let id = self.op(Op::VectorExtractDynamic, uint, &[table, link.id]);
        Link { id, dynamic: Some(Scalar::Uint) }
    }

    /// A pointer to a place, components not picked.
    pub(super) fn pointer(&mut self, place: &Place) -> Id {
        if let Some(view) = place.view {
            return self.heap_pointer(place, view);
        }
        if place.chain.is_empty() {
            return place.base;
        }
        let to = match place.memory {
            Memory::Plain => self.formatted_ty(&place.ty, place.format),
            memory => self.memory_ty(&place.ty, memory),
        };
        let ty = self.out.pointer(place.class, to);
        let operands = once(place.base).chain(place.chain.iter().map(|l| l.id));
        let pointer = self.op_of(Op::AccessChain, ty, operands);
        if self.nonuniform.contains(&pointer) {
            self.need_nonuniform(place);
        }
        pointer
    }

    /// The value at a place.
    pub(super) fn load(&mut self, place: &Place) -> Id {
        let Some((components, count)) = place.pick else { return self.load_whole(place) };
        let Type::Vector(scalar, rows) = place.ty else {
            let value = self.load_whole(place);
            return self.splat(value, place.ty, count);
        };
        if count == 1 {
            let index = self.out.uint(components[0].into());
            let one = Place { pick: None, ..place.clone() }.part(index, Type::Scalar(scalar), place.memory);
            return self.load_whole(&one);
        }
        let vector = self.load_whole(&Place { pick: None, ..place.clone() });
        self.shuffle(vector, Num::vector(scalar, rows), &components[..usize::from(count)])
    }

    fn load_whole(&mut self, place: &Place) -> Id {
        if let Type::Opaque(opaque) = place.ty {
            return self.load_opaque(place, opaque);
        }
        let plain = self.plain_ty(&place.ty);
        let there = self.memory_ty(&place.ty, place.memory);
        if plain == there {
            return self.load_as(place, plain);
        }
        if let Some(num) = Num::of(&place.ty) {
            let number = self.load_as(place, there);
            let zero = self.number(num.with(Scalar::Uint), 0);
            return self.op(Op::INotEqual, plain, &[number, zero]);
        }
        if !self.may_take_apart(&place.ty) {
            return 0;
        }
        let parts = self.parts(&place.ty);
        let mut ids = Vec::with_capacity(parts.len());
        for (i, ty) in parts.into_iter().enumerate() {
            let index = self.out.uint(i as u32);
            let memory = self.part_memory(place, i as u32);
            ids.push(self.load_whole(&place.part(index, ty, memory)));
        }
        self.op(Op::CompositeConstruct, plain, &ids)
    }

    fn load_as(&mut self, place: &Place, ty: Id) -> Id {
        let operands = once(self.pointer(place)).chain(self.access(place, Way::Read));
        self.op_of(Op::Load, ty, operands)
    }

    fn store_as(&mut self, place: &Place, value: Id) {
        let operands = [self.pointer(place), value].into_iter().chain(self.access(place, Way::Write));
        self.effect_of(Op::Store, operands);
    }

    fn part_memory(&self, place: &Place, i: u32) -> Memory {
        if matches!(place.ty, Type::Struct(_)) { self.member_memory(place.memory, i) } else { place.memory }
    }

    fn may_take_apart(&mut self, ty: &Type) -> bool {
        if matches!(ty, Type::Array(_, crate::ty::Length::Spec(..))) {
            self.fail("a whole array of specialised length cannot be copied to or from a block");
            return false;
        }
        let count = self.parts(ty).len() as u32;
        self.body.parts = self.body.parts.saturating_add(count);
        let fits = count <= MOST_ELEMENTS && self.body.parts <= MOST_PARTS && self.error.is_none();
        if !fits {
            self.fail("copies of whole arrays and structures of blocks have too many parts");
        }
        fits
    }

    /// A texture or sampler; what has to be announced of it is.
    fn load_opaque(&mut self, place: &Place, opaque: Opaque) -> Id {
        let ty = self.formatted_ty(&place.ty, place.format);
        if matches!(place.memory, Memory::Laid(_) | Memory::Handles) {
            let there = self.memory_ty(&place.ty, place.memory);
            let number = self.load_as(place, there);
            return self.of_number(&place.ty, ty, number);
        }
        if place.view.is_none() && place.chain.iter().any(|l| l.dynamic.is_some()) {
            self.out.capability(match opaque {
                Opaque::Texture { access: Access::Storage, dim: Dim::Buffer, .. } => {
                    Capability::StorageImageArrayDynamicIndexing
                }
                Opaque::Texture { access: Access::Storage, .. } => {
                    Capability::StorageImageArrayDynamicIndexing
                }
                _ => Capability::SampledImageArrayDynamicIndexing,
            });
        }
        let pointer = self.pointer(place);
        self.op(Op::Load, ty, &[pointer])
    }

    /// Stores a value of the place's type, or of as many components as are picked.
    pub(super) fn store(&mut self, place: &Place, value: Id) {
        let Some((components, count)) = place.pick else { return self.store_whole(place, value) };
        let whole = Place { pick: None, ..place.clone() };
        let Type::Vector(scalar, rows) = place.ty else { return self.store_whole(&whole, value) };
        let component_ty = self.num_ty(Num::scalar(scalar));
        // Other invocations may write the other components at the same time.
        let shared = matches!(
            place.class,
            StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer | StorageClass::Workgroup
        );
        if count == 1 || shared {
            for (i, &component) in components[..usize::from(count)].iter().enumerate() {
                let index = self.out.uint(component.into());
                let one = whole.part(index, Type::Scalar(scalar), place.memory);
                let value = match count {
                    1 => value,
                    _ => self.op(Op::CompositeExtract, component_ty, &[value, i as u32]),
                };
                self.store_whole(&one, value);
            }
            return;
        }
        let old = self.load_whole(&whole);
        let ty = self.num_ty(Num::vector(scalar, rows));
        let mut operands: Vec<u32> = vec![old, value];
        operands.extend((0..rows).map(|row| {
            let from = components[..usize::from(count)].iter().position(|&c| c == row);
            from.map_or(u32::from(row), |i| u32::from(rows) + i as u32)
        }));
        let merged = self.op(Op::VectorShuffle, ty, &operands);
        self.store_whole(&whole, merged);
    }

    fn store_whole(&mut self, place: &Place, value: Id) {
        let plain = self.plain_ty(&place.ty);
        let there = self.memory_ty(&place.ty, place.memory);
        if plain == there {
            return self.store_as(place, value);
        }
        if let Some(num) = Num::of(&place.ty) {
            let (one, zero) =
                (self.number(num.with(Scalar::Uint), 1), self.number(num.with(Scalar::Uint), 0));
            let number = self.op(Op::Select, there, &[value, one, zero]);
            return self.store_as(place, number);
        }
        if !self.may_take_apart(&place.ty) {
            return;
        }
        for (i, ty) in self.parts(&place.ty).into_iter().enumerate() {
            let part_ty = self.plain_ty(&ty);
            let part = self.op(Op::CompositeExtract, part_ty, &[value, i as u32]);
            let index = self.out.uint(i as u32);
            let memory = self.part_memory(place, i as u32);
            self.store_whole(&place.part(index, ty, memory), part);
        }
    }

    /// Components of a vector, as a vector or, for one, a scalar.
    pub(super) fn shuffle(&mut self, vector: Id, num: Num, components: &[u8]) -> Id {
        if num.is_scalar() {
            return self.splat(vector, num.ty(), components.len() as u8);
        }
        let ty = self.num_ty(Num::vector(num.scalar, components.len() as u8));
        if let [one] = *components {
            return self.op(Op::CompositeExtract, ty, &[vector, one.into()]);
        }
        let operands: Vec<u32> =
            [vector, vector].into_iter().chain(components.iter().map(|&c| c.into())).collect();
        self.op(Op::VectorShuffle, ty, &operands)
    }
}

/// Components of components are components.
fn pick(mut place: Place, components: [u8; 4], count: u8) -> Place {
    let components = match place.pick {
        Some((before, _)) => components.map(|c| before[usize::from(c & 3)]),
        None => components,
    };
    place.pick = Some((components, count));
    place
}
