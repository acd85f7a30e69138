//! Types: SPIR-V's to the IR's.
//!
//! A type has up to two faces. As a *value* it has no layout: strides are 0, members have
//! no offsets, a matrix is an array of columns. In *memory with a layout* (buffers, push
//! constants, device memory) it has the strides and offsets of its decorations, and a
//! row-major matrix is an array of rows. A load gives the value, a store takes it; only
//! row-major matrices need work for that (`memory.rs`).

use crate::error::{Fault, Res, fail};
use crate::ids::Id;
use crate::notes::Notes;
use crate::reader::Reader;
use crate::type_info::{Kind, Layout, Part, TypeId, TypeInfo};
use crate::words::Inst;
use chiaro_ir::{Dim, ImageType, Member, Space, Ty, Type};
use spirv::{Decoration, Op, StorageClass};

/// The space of a storage class.
pub(crate) fn space_of(class: u32) -> Res<Space> {
    use StorageClass as C;
    Ok(match C::from_u32(class) {
        Some(C::UniformConstant) => Space::UniformConstant,
        Some(C::Input) => Space::Input,
        Some(C::Uniform) => Space::Uniform,
        Some(C::Output) => Space::Output,
        Some(C::Workgroup) => Space::Workgroup,
        Some(C::Private) => Space::Private,
        Some(C::Function) => Space::Function,
        Some(C::PushConstant) => Space::PushConstant,
        // Atomic counters are a buffer of integers to the OpenGL flavour.
        Some(C::AtomicCounter | C::StorageBuffer) => Space::Storage,
        Some(C::Image) => Space::Image,
        Some(C::CallableDataKHR) => Space::CallableData,
        Some(C::IncomingCallableDataKHR) => Space::IncomingCallableData,
        Some(C::RayPayloadKHR) => Space::Payload,
        Some(C::IncomingRayPayloadKHR) => Space::IncomingPayload,
        Some(C::HitAttributeKHR | C::HitObjectAttributeNV | C::HitObjectAttributeEXT) => Space::HitAttribute,
        Some(C::ShaderRecordBufferKHR) => Space::ShaderRecord,
        Some(C::PhysicalStorageBuffer) => Space::Device,
        Some(other) => return fail(format!("storage class {other:?} is not supported")),
        None => return fail(format!("storage class {class} is unknown")),
    })
}

/// Whether memory of a space has the layout of the decorations.
pub(crate) fn laid_out(space: Space) -> bool {
    matches!(
        space,
        Space::Uniform | Space::Storage | Space::PushConstant | Space::Device | Space::ShaderRecord
    )
}

impl Reader<'_> {
    /// Takes an instruction that declares a type.
    pub(crate) fn declare_type(&mut self, inst: &Inst<'_>, op: Op) -> Res<()> {
        let id = inst.word(0)?;
        if op == Op::TypePointer && self.settle_pointer(id, inst.word(2)?) {
            return Ok(());
        }
        let info = match op {
            Op::TypeVoid => self.plain(Type::Void),
            Op::TypeBool => self.plain(Type::Bool),
            Op::TypeInt => self.integer(id, inst)?,
            Op::TypeFloat => self.float(inst)?,
            Op::TypeVector => self.vector(inst)?,
            Op::TypeMatrix => self.matrix(inst)?,
            Op::TypeImage => self.image(inst)?,
            Op::TypeSampler => self.plain(Type::Sampler),
            Op::TypeSampledImage => self.sampled_image(inst.word(1)?)?,
            Op::TypeAccelerationStructureKHR => self.plain(Type::AccelerationStructure),
            // The IR computes with neither; operations keep SPIR-V's numbers.
            Op::TypeRayQueryKHR | Op::TypeHitObjectNV | Op::TypeHitObjectEXT => self.plain(Type::RayQuery),
            Op::TypeArray => self.array(inst)?,
            Op::TypeRuntimeArray => self.runtime_array(inst)?,
            Op::TypeStruct => self.structure(inst)?,
            Op::TypePointer => self.pointer(inst)?,
            Op::TypeFunction => self.function_type(inst)?,
            _ => return fail(format!("the type {op:?} is not supported")),
        };
        self.types.push(info);
        self.define(id, Id::Type(TypeId(self.types.len() as u32 - 1)))
    }

    /// What a type is.
    #[inline]
    pub(crate) fn info(&self, ty: TypeId) -> TypeInfo {
        self.types[ty.0 as usize]
    }

    /// A type's face as a value.
    #[inline]
    pub(crate) fn value_ty(&self, ty: TypeId) -> Ty {
        self.types[ty.0 as usize].value
    }

    /// A type's face in a space; the layout is that of matrices inside arrays.
    pub(crate) fn place_ty(&mut self, space: Space, ty: TypeId) -> Ty {
        let info = self.info(ty);
        if laid_out(space) { info.memory } else { info.value }
    }

    /// The type that a pointer leads to, and where.
    pub(crate) fn pointee(&self, ty: TypeId) -> Res<(Space, TypeId)> {
        match self.info(ty).kind {
            Kind::Pointer(space, to) => Ok((space, self.type_of_id(to)?)),
            _ => fail("a pointer is expected"),
        }
    }

    /// Member number `i` of a structure.
    pub(crate) fn member(&self, ty: TypeId, i: u32) -> Res<Part> {
        match self.info(ty).kind {
            Kind::Struct { first, count, .. } if i < count => Ok(self.parts[(first + i) as usize]),
            _ => fail(format!("there is no member {i}")),
        }
    }

    /// The type of part `i` of a composite.
    pub(crate) fn part_type(&self, ty: TypeId, i: u32) -> Res<TypeId> {
        match self.info(ty).kind {
            Kind::Struct { .. } => self.member(ty, i).map(|m| m.ty),
            Kind::Vector(part) | Kind::Matrix(part, _) | Kind::Array(part, ..) => Ok(part),
            _ => fail("a composite is expected"),
        }
    }

    fn plain(&mut self, ty: Type) -> TypeInfo {
        let ty = self.module.types.intern(ty);
        TypeInfo { kind: Kind::Plain, value: ty, memory: ty, depth: 0, rows_inside: false }
    }

    fn integer(&mut self, id: u32, inst: &Inst<'_>) -> Res<TypeInfo> {
        let (width, signed) = (inst.word(1)?, inst.word(2)? != 0);
        if !matches!(width, 8 | 16 | 32 | 64) {
            return fail(format!("integers of {width} bits are not supported"));
        }
        if signed {
            self.signed.insert(id);
        }
        Ok(self.plain(Type::Int(width as u8)))
    }

    fn float(&mut self, inst: &Inst<'_>) -> Res<TypeInfo> {
        match (inst.word(1)?, inst.word(2)) {
            (width @ (16 | 32 | 64), Err(_)) => Ok(self.plain(Type::Float(width as u8))),
            (width, Err(_)) => fail(format!("floats of {width} bits are not supported")),
            (_, Ok(encoding)) => fail(format!("the float encoding {encoding} is not supported")),
        }
    }

    fn vector(&mut self, inst: &Inst<'_>) -> Res<TypeInfo> {
        let (elem, n) = (self.type_of_id(inst.word(1)?)?, inst.word(2)?);
        let scalar = self.value_ty(elem);
        if !(2..=4).contains(&n) || self.module.types.bits(scalar).is_none() {
            return fail(format!("vectors of {n} such components are not supported"));
        }
        let info = self.plain(Type::Vector(scalar, n as u8));
        Ok(TypeInfo { kind: Kind::Vector(elem), ..info })
    }

    fn matrix(&mut self, inst: &Inst<'_>) -> Res<TypeInfo> {
        let (column, n) = (self.type_of_id(inst.word(1)?)?, inst.word(2)?);
        let ty = self.value_ty(column);
        if !(2..=4).contains(&n) || !self.module.types.is_float(ty) || self.module.types.components(ty) < 2 {
            return fail("a matrix has 2 to 4 columns of floats");
        }
        let info = self.plain(Type::Array(ty, n, 0));
        Ok(TypeInfo { kind: Kind::Matrix(column, n as u8), ..info })
    }

    fn image(&mut self, inst: &Inst<'_>) -> Res<TypeInfo> {
        let sampled = inst.word(1)?;
        let component = self.value_ty(self.type_of_id(sampled)?);
        if !matches!(self.module.types.get(component), Type::Float(_) | Type::Int(_)) {
            return fail("an image of this component type is not supported");
        }
        let dim = match spirv::Dim::from_u32(inst.word(2)?) {
            Some(spirv::Dim::Dim1D) => Dim::D1,
            Some(spirv::Dim::Dim2D) => Dim::D2,
            Some(spirv::Dim::Dim3D) => Dim::D3,
            Some(spirv::Dim::DimCube) => Dim::Cube,
            Some(spirv::Dim::DimRect) => Dim::Rect,
            Some(spirv::Dim::DimBuffer) => Dim::Buffer,
            Some(spirv::Dim::DimSubpassData) => Dim::Subpass,
            _ => return fail("the image's dimensions are not supported"),
        };
        let image = ImageType {
            component,
            signed: self.signed.contains(&sampled),
            dim,
            arrayed: inst.word(4)? == 1,
            multisampled: inst.word(5)? == 1,
            depth: inst.word(3)? == 1,
            storage: inst.word(6)? == 2 && dim != Dim::Subpass,
            format: inst.word(7)?.min(255) as u8,
        };
        Ok(self.plain(Type::Image(image)))
    }

    fn sampled_image(&mut self, image: u32) -> Res<TypeInfo> {
        let image = self.value_ty(self.type_of_id(image)?);
        match *self.module.types.get(image) {
            Type::Image(image) => Ok(self.plain(Type::SampledImage(image))),
            _ => fail("a sampled image is made of an image"),
        }
    }

    fn array(&mut self, inst: &Inst<'_>) -> Res<TypeInfo> {
        let len = self.constant_u32(inst.word(2)?)?;
        if len == 0 {
            return fail("an array has at least one element");
        }
        self.elements(inst, len)
    }

    fn runtime_array(&mut self, inst: &Inst<'_>) -> Res<TypeInfo> {
        self.elements(inst, 0)
    }

    /// An array of so many elements, 0 for a runtime array.
    fn elements(&mut self, inst: &Inst<'_>, len: u32) -> Res<TypeInfo> {
        let elem = self.type_of_id(inst.word(1)?)?;
        let stride = self.notes.value(self.words.all, inst.word(0)?, Decoration::ArrayStride).unwrap_or(0);
        let info = self.info(elem);
        let made = |part, stride| match len {
            0 => Type::RuntimeArray(part, stride),
            _ => Type::Array(part, len, stride),
        };
        let (value, memory) = (made(info.value, 0), made(info.memory, stride));
        Ok(TypeInfo {
            kind: Kind::Array(elem, len, stride),
            value: self.module.types.intern(value),
            memory: self.module.types.intern(memory),
            depth: nest(info.depth)?,
            rows_inside: info.rows_inside,
        })
    }

    /// A type in memory with a layout, where its matrices stand as a member says.
    fn memory_ty(&mut self, ty: TypeId, layout: Layout) -> Ty {
        let info = self.info(ty);
        match info.kind {
            Kind::Array(elem, len, stride) => {
                let elem = self.memory_ty(elem, layout);
                let array =
                    if len == 0 { Type::RuntimeArray(elem, stride) } else { Type::Array(elem, len, stride) };
                self.module.types.intern(array)
            }
            Kind::Matrix(column, n) if layout.by_row => {
                let column = self.value_ty(column);
                let (scalar, rows) = (self.module.types.scalar(column), self.module.types.components(column));
                let row = self.module.types.vector(scalar, n);
                self.module.types.intern(Type::Array(row, u32::from(rows), layout.stride))
            }
            Kind::Matrix(column, n) => {
                let column = self.value_ty(column);
                self.module.types.intern(Type::Array(column, u32::from(n), layout.stride))
            }
            _ => info.memory,
        }
    }

    /// Whether a type is a matrix, or an array of them at any depth.
    pub(crate) fn of_matrices(&self, mut ty: TypeId) -> bool {
        while let Kind::Array(elem, ..) = self.info(ty).kind {
            ty = elem;
        }
        matches!(self.info(ty).kind, Kind::Matrix(..))
    }

    fn structure(&mut self, inst: &Inst<'_>) -> Res<TypeInfo> {
        let id = inst.word(0)?;
        let (first, count) = (self.parts.len() as u32, inst.rest(1).len() as u32);
        let (mut values, mut memories) = (Vec::new(), Vec::new());
        let (mut depth, mut rows_inside) = (0, false);
        for (i, &member) in inst.rest(1).iter().enumerate() {
            let ty = self.type_of_id(member)?;
            let (layout, offset) = member_layout(&self.notes, self.words.all, id, i as u32);
            let memory = self.memory_ty(ty, layout);
            let info = self.info(ty);
            depth = depth.max(nest(info.depth)?);
            rows_inside |= info.rows_inside || layout.by_row && self.of_matrices(ty);
            let name = self.notes.member_name(self.words.all, id, i as u32);
            values.push(Member { ty: info.value, name: name.clone(), offset: None });
            memories.push(Member { ty: memory, name, offset });
            self.parts.push(Part { ty, layout });
        }
        let name = self.notes.name(self.words.all, id);
        let value = self.module.types.intern(Type::Struct(name.clone(), values));
        let memory = self.module.types.intern(Type::Struct(name, memories));
        Ok(TypeInfo { kind: Kind::Struct { first, count, id }, value, memory, depth, rows_inside })
    }

    fn pointer(&mut self, inst: &Inst<'_>) -> Res<TypeInfo> {
        let to = inst.word(2)?;
        if inst.word(1)? == StorageClass::CodeSectionINTEL as u32 {
            return self.code_pointer(to);
        }
        let mut space = space_of(inst.word(1)?)?;
        let pointee = self.type_of_id(to)?;
        if space == Space::Uniform && self.is_buffer_block(pointee) {
            space = Space::Storage;
        }
        let target = self.place_ty(space, pointee);
        Ok(self.pointer_info(space, target, to))
    }

    /// A pointer to a function: a number of 64 bits, which any memory may hold.
    fn code_pointer(&mut self, to: u32) -> Res<TypeInfo> {
        let Kind::Function(..) = self.info(self.type_of_id(to)?).kind else {
            return fail("a pointer into the code section leads to no type of functions");
        };
        let info = self.plain(Type::Int(64));
        Ok(TypeInfo { kind: Kind::Code(to), ..info })
    }

    fn pointer_info(&mut self, space: Space, target: Ty, to: u32) -> TypeInfo {
        let info = self.plain(Type::Pointer(space, target));
        TypeInfo { kind: Kind::Pointer(space, to), ..info }
    }

    /// `OpTypeForwardPointer`: the pointer has no target in the IR, because it may be part of
    /// the structure that it leads to. Whoever follows it gives it one.
    pub(crate) fn announce_pointer(&mut self, inst: &Inst<'_>) -> Res<()> {
        let (id, space) = (inst.word(0)?, space_of(inst.word(1)?)?);
        let void = self.module.types.intern(Type::Void);
        let info = self.pointer_info(space, void, u32::MAX);
        self.types.push(info);
        self.define(id, Id::Type(TypeId(self.types.len() as u32 - 1)))
    }

    /// Tells an announced pointer where it leads; whether `id` was one.
    fn settle_pointer(&mut self, id: u32, to: u32) -> bool {
        let Some(Id::Type(ty)) = self.ids.get(id as usize) else { return false };
        match &mut self.types[ty.0 as usize].kind {
            Kind::Pointer(_, target @ u32::MAX) => {
                *target = to;
                true
            }
            _ => false,
        }
    }

    /// Before SPIR-V 1.3 a storage buffer was a uniform whose structure says `BufferBlock`.
    fn is_buffer_block(&self, mut ty: TypeId) -> bool {
        while let Kind::Array(elem, ..) = self.info(ty).kind {
            ty = elem;
        }
        matches!(self.info(ty).kind, Kind::Struct { id, .. } if self.notes.has(id, Decoration::BufferBlock))
    }

    fn function_type(&mut self, inst: &Inst<'_>) -> Res<TypeInfo> {
        let result = self.type_of_id(inst.word(1)?)?;
        let mut params = Vec::new();
        for &param in inst.rest(2) {
            params.push(self.value_ty(self.type_of_id(param)?));
        }
        let count = params.len() as u32;
        let ty = Type::Function(params, self.value_ty(result));
        let info = self.plain(ty);
        Ok(TypeInfo { kind: Kind::Function(result, count), ..info })
    }
}

fn nest(depth: u8) -> Res<u8> {
    depth.checked_add(1).ok_or(Fault::from("types nest deeper than 255"))
}

/// How matrices of a member stand, and the member's offset.
fn member_layout(notes: &Notes, words: &[u32], id: u32, member: u32) -> (Layout, Option<u32>) {
    let (mut layout, mut offset) = (Layout::default(), None);
    for (kind, operands) in notes.each_of_member(words, id, member) {
        match Decoration::from_u32(kind) {
            Some(Decoration::RowMajor) => layout.by_row = true,
            Some(Decoration::MatrixStride) => layout.stride = operands.first().copied().unwrap_or(0),
            Some(Decoration::Offset) => offset = operands.first().copied(),
            _ => {}
        }
    }
    (layout, offset)
}
