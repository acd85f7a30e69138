//! Types, interned: equal types have equal handles within a module.

use std::collections::HashSet;

use crate::index::Interned;

/// A type of a [`Module`](crate::Module).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Ty(pub u32);

/// Where a pointer points. Which memories a target has, and whether the spaces are one
/// memory or several, is the target's affair.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Space {
    /// Variables of one invocation, with the life of a function call.
    Function,
    /// Variables of one invocation, with the life of the invocation.
    Private,
    /// Shared by the invocations of a workgroup.
    Workgroup,
    /// Inputs of the stage, its built-ins included.
    Input,
    /// Outputs of the stage.
    Output,
    /// Opaque handles and, in the OpenGL flavour, loose uniforms.
    UniformConstant,
    /// Read-only buffers with explicit offsets.
    Uniform,
    /// Buffers with explicit offsets.
    Storage,
    /// A small read-only block that comes with the draw or dispatch.
    PushConstant,
    /// 64-bit addresses of device memory.
    Device,
    /// A texel of a storage image, for atomics.
    Image,
    /// What a ray carries; the caller's side.
    Payload,
    /// The same, the callee's side.
    IncomingPayload,
    /// What an intersection hands to the hit shaders.
    HitAttribute,
    /// Data of a callable; the caller's side.
    CallableData,
    /// The same, the callee's side.
    IncomingCallableData,
    /// The part of the shader binding table behind the handle.
    ShaderRecord,
}

impl Space {
    /// Every space with its name in the text form.
    pub const NAMES: [(Space, &'static str); 17] = [
        (Space::Function, "function"),
        (Space::Private, "private"),
        (Space::Workgroup, "workgroup"),
        (Space::Input, "input"),
        (Space::Output, "output"),
        (Space::UniformConstant, "handle"),
        (Space::Uniform, "uniform"),
        (Space::Storage, "storage"),
        (Space::PushConstant, "push"),
        (Space::Device, "device"),
        (Space::Image, "texel"),
        (Space::Payload, "payload"),
        (Space::IncomingPayload, "payload_in"),
        (Space::HitAttribute, "hit"),
        (Space::CallableData, "callable"),
        (Space::IncomingCallableData, "callable_in"),
        (Space::ShaderRecord, "record"),
    ];

    /// The name in the text form.
    pub fn name(self) -> &'static str {
        Space::NAMES.iter().find(|(s, _)| *s == self).map_or("", |(_, name)| name)
    }
}

/// Dimensions of an image.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Dim {
    /// One coordinate.
    D1,
    /// Two.
    D2,
    /// Three.
    D3,
    /// A direction.
    Cube,
    /// Two, in texels.
    Rect,
    /// An index of a texel.
    Buffer,
    /// The attachment that is being drawn to.
    Subpass,
}

/// What an image holds and how it is reached.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ImageType {
    /// Type of a sampled component: a 32-bit float, or an integer of 32 or 64 bits.
    pub component: Ty,
    /// Whether integers are signed.
    pub signed: bool,
    /// Dimensions.
    pub dim: Dim,
    /// Has layers.
    pub arrayed: bool,
    /// Has samples.
    pub multisampled: bool,
    /// Is compared with a reference when sampled.
    pub depth: bool,
    /// Is read and written by coordinate, not sampled.
    pub storage: bool,
    /// SPIR-V's number of the storage format, 0 when unknown.
    pub format: u8,
}

impl ImageType {
    /// One that is sampled: without layers, samples or a reference.
    #[must_use]
    pub const fn sampled(component: Ty, dim: Dim) -> ImageType {
        ImageType {
            component,
            signed: false,
            dim,
            arrayed: false,
            multisampled: false,
            depth: false,
            storage: false,
            format: 0,
        }
    }
}

/// A member of a structure.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Member {
    /// Its type.
    pub ty: Ty,
    /// Its name, or empty.
    pub name: String,
    /// Byte offset, where the layout is explicit.
    pub offset: Option<u32>,
}

/// What a type is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// No value.
    Void,
    /// True or false; its form in registers is the target's.
    Bool,
    /// Bits without a sign, of the given width: 8 (in memory only), 16, 32 or 64.
    Int(u8),
    /// A float of the given width: 16, 32 or 64.
    Float(u8),
    /// Two to four scalars.
    Vector(Ty, u8),
    /// So many elements; the stride in bytes where the layout is explicit, else 0.
    Array(Ty, u32, u32),
    /// As many elements as the buffer holds; the stride in bytes.
    RuntimeArray(Ty, u32),
    /// Members in order; the name is part of the identity, as in SPIR-V.
    Struct(String, Vec<Member>),
    /// An image without a sampler.
    Image(ImageType),
    /// A sampler without an image.
    Sampler,
    /// Both together.
    SampledImage(ImageType),
    /// A structure that rays are traced against.
    AccelerationStructure,
    /// A ray query in progress.
    RayQuery,
    /// A place in a space that holds a value of a type.
    Pointer(Space, Ty),
    /// A function that can be called through a value: parameters and result.
    Function(Vec<Ty>, Ty),
}

/// All types of a module.
#[derive(Clone, Debug, Default)]
pub struct Types {
    list: Interned<Type>,
    /// Handles of [common](Types::common) types, which are asked for with almost every instruction.
    common: [Option<Ty>; COMMON],
    /// By handle: [`Types::scalars`], counted once, since types of structures share others again and again.
    scalars: Vec<u32>,
}

/// Bools, and integers and floats of 32 bits: scalars and vectors.
const COMMON: usize = 12;

impl Types {
    /// The handle of a type.
    pub fn intern(&mut self, ty: Type) -> Ty {
        let place = self.common(&ty);
        if let Some(known) = place.and_then(|at| self.common[at]) {
            return known;
        }
        let new = Ty(self.list.intern(ty));
        if self.scalars.len() < self.list.len() {
            self.scalars.push(self.count_scalars(new));
        }
        if let Some(at) = place {
            self.common[at] = Some(new);
        }
        new
    }

    /// The place of a type among those that have one, so that they are found without a hash.
    #[inline]
    fn common(&self, ty: &Type) -> Option<usize> {
        let kind = |scalar: &Type| match scalar {
            Type::Bool => Some(0),
            Type::Int(32) => Some(4),
            Type::Float(32) => Some(8),
            _ => None,
        };
        match *ty {
            Type::Vector(scalar, n @ 2..=4) => Some(kind(self.get(scalar))? + usize::from(n) - 1),
            _ => kind(ty),
        }
    }

    /// What a type is.
    pub fn get(&self, ty: Ty) -> &Type {
        &self.list[ty.0 as usize]
    }

    /// How many types there are; handles are below it.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The scalar of a vector, or the type itself.
    pub fn scalar(&self, ty: Ty) -> Ty {
        match *self.get(ty) {
            Type::Vector(elem, _) => elem,
            _ => ty,
        }
    }

    /// Components of a vector; 1 for a scalar, 0 for anything else.
    pub fn components(&self, ty: Ty) -> u8 {
        match *self.get(ty) {
            Type::Vector(_, n) => n,
            Type::Bool | Type::Int(_) | Type::Float(_) => 1,
            _ => 0,
        }
    }

    /// How many scalars a value has, of arrays and structures all that are in them: numbers, bools and addresses.
    /// Handles have none, nor have arrays of which nobody knows here how long they are.
    pub fn scalars(&self, ty: Ty) -> u32 {
        self.scalars[ty.0 as usize]
    }

    /// The same from those of its parts, which are older.
    fn count_scalars(&self, ty: Ty) -> u32 {
        match self.get(ty) {
            Type::Array(elem, n, _) => self.scalars(*elem).saturating_mul(*n),
            Type::Struct(_, members) => {
                members.iter().map(|member| self.scalars(member.ty)).fold(0, u32::saturating_add)
            }
            Type::Pointer(Space::Device, _) => 1,
            _ => self.components(ty).into(),
        }
    }

    /// A vector of `n` such scalars; the scalar itself for 1.
    pub fn vector(&mut self, scalar: Ty, n: u8) -> Ty {
        if n == 1 { scalar } else { self.intern(Type::Vector(scalar, n)) }
    }

    /// Bits of a scalar or of a vector's scalar: 1 for bool, `None` for anything else.
    pub fn bits(&self, ty: Ty) -> Option<u8> {
        match *self.get(self.scalar(ty)) {
            Type::Bool => Some(1),
            Type::Int(n) | Type::Float(n) => Some(n),
            _ => None,
        }
    }

    /// Whether it is a float or a vector of floats.
    pub fn is_float(&self, ty: Ty) -> bool {
        matches!(self.get(self.scalar(ty)), Type::Float(_))
    }

    /// Whether it is an integer or a vector of integers.
    pub fn is_int(&self, ty: Ty) -> bool {
        matches!(self.get(self.scalar(ty)), Type::Int(_))
    }

    /// Whether it is a bool or a vector of bools.
    pub fn is_bool(&self, ty: Ty) -> bool {
        matches!(self.get(self.scalar(ty)), Type::Bool)
    }

    /// What a pointer points to, and where.
    pub fn pointee(&self, ty: Ty) -> Option<(Space, Ty)> {
        match *self.get(ty) {
            Type::Pointer(space, to) => Some((space, to)),
            _ => None,
        }
    }

    /// The image, with a sampler or without, that a type is one or an array of.
    pub fn image(&self, ty: Ty) -> Option<ImageType> {
        match *self.get(self.element(ty)) {
            Type::Image(image) | Type::SampledImage(image) => Some(image),
            _ => None,
        }
    }

    /// What is left of a type when all arrays are taken off.
    pub fn element(&self, mut ty: Ty) -> Ty {
        while let Type::Array(elem, ..) | Type::RuntimeArray(elem, _) = *self.get(ty) {
            ty = elem;
        }
        ty
    }

    /// Whether two types are the same but for strides and offsets: one can be the layout in
    /// memory of what the other is as a value.
    pub fn same_but_layout(&self, a: Ty, b: Ty) -> bool {
        let mut open = vec![(a, b)];
        let mut seen = HashSet::new();
        while let Some((a, b)) = open.pop() {
            // What is equal needs no look inside, what was compared once no second one.
            if a == b || !seen.insert((a, b)) {
                continue;
            }
            match (self.get(a), self.get(b)) {
                (Type::Array(x, n, _), Type::Array(y, m, _)) if n == m => open.push((*x, *y)),
                (Type::RuntimeArray(x, _), Type::RuntimeArray(y, _)) => open.push((*x, *y)),
                (Type::Struct(name, xs), Type::Struct(other, ys))
                    if name == other && xs.len() == ys.len() =>
                {
                    if xs.iter().zip(ys).any(|(x, y)| x.name != y.name) {
                        return false;
                    }
                    open.extend(xs.iter().zip(ys).map(|(x, y)| (x.ty, y.ty)));
                }
                _ => return false,
            }
        }
        true
    }

    /// The parts of a composite: components, elements or members. `None` for a runtime
    /// array, whose number nobody knows here, and for anything that has no parts.
    pub fn part_count(&self, ty: Ty) -> Option<u32> {
        match self.get(ty) {
            Type::Vector(_, n) => Some(u32::from(*n)),
            Type::Array(_, n, _) => Some(*n),
            Type::Struct(_, members) => Some(members.len() as u32),
            _ => None,
        }
    }

    /// The type of part `i` of a composite.
    pub fn part(&self, ty: Ty, i: u32) -> Option<Ty> {
        match self.get(ty) {
            Type::Vector(elem, n) => (i < u32::from(*n)).then_some(*elem),
            Type::Array(elem, n, _) => (i < *n).then_some(*elem),
            Type::RuntimeArray(elem, _) => Some(*elem),
            Type::Struct(_, members) => members.get(i as usize).map(|m| m.ty),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn structure(types: &mut Types, members: &[Ty]) -> Ty {
        let member = |&ty: &Ty| Member { ty, name: String::new(), offset: None };
        types.intern(Type::Struct(String::new(), members.iter().map(member).collect()))
    }

    /// Scalars of all parts count, also those of addresses; there are no more than a number holds.
    #[test]
    fn scalars_are_counted_through_all_parts() {
        let mut types = Types::default();
        let [float, sampler] = [Type::Float(32), Type::Sampler].map(|ty| types.intern(ty));
        let vector = types.vector(float, 3);
        let address = types.intern(Type::Pointer(Space::Device, vector));
        let inner = structure(&mut types, &[vector, address, sampler]);
        let many = types.intern(Type::Array(inner, 5, 0));
        let outer = structure(&mut types, &[float, many]);
        let unknown = types.intern(Type::RuntimeArray(outer, 0));
        let counts = [float, sampler, vector, address, inner, many, outer, unknown];
        assert_eq!(counts.map(|ty| types.scalars(ty)), [1, 0, 3, 1, 4, 20, 21, 0]);
        let most = types.intern(Type::Array(vector, u32::MAX, 0));
        let more = structure(&mut types, &[most, vector]);
        assert_eq!([most, more].map(|ty| types.scalars(ty)), [u32::MAX; 2]);
    }

    /// A type that is asked for again is the same one, and those behind it have their own numbers.
    #[test]
    fn a_known_type_counts_once() {
        let mut types = Types::default();
        let float = types.intern(Type::Float(64));
        let five = types.intern(Type::Array(float, 5, 0));
        assert_eq!(types.intern(Type::Array(float, 5, 0)), five);
        let seven = types.intern(Type::Array(float, 7, 0));
        assert_eq!([five, seven].map(|ty| types.scalars(ty)), [5, 7]);
    }
}
