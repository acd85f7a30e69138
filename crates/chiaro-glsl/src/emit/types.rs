//! Types: as values and variables of a function have them, and as blocks have them.
//!
//! A structure in a block has offsets, an array there a stride, a bool there is a number; for
//! SPIR-V these are other types than those of values, and what goes from one to the other is
//! taken apart and put together again ([`super::place`]).

use super::features::is_relaxed;
use std::collections::HashMap;

use chiaro_words::write::Id;
use spirv::{Capability, Decoration, ImageFormat, Op};

use crate::hir::{ExprKind, Program};
use crate::ty::{Access, Dim, Length, Opaque, Scalar, StructId, Ty, Type};

use super::emitter::Emitter;
use crate::numeric::Num;

/// Structures inside of structures. [SPIR-V 1.6, 2.16: universal limit]
const DEEPEST: u32 = 255;

impl<'a> Emitter<'a> {
    /// What a type is.
    pub(super) fn what(&self, ty: Ty) -> Type {
        let program: &'a Program = self.program;
        *program.types.get(ty)
    }

    /// Whether structures nest no deeper than words can say. They are numbered in the order of
    /// their declarations, so those inside come first.
    pub(super) fn check_nesting(&mut self) -> bool {
        let types = &self.program.types;
        let mut depths = Vec::with_capacity(types.structs.len());
        for structure in &types.structs {
            let inner = structure.members.iter().map(|m| {
                let (mut ty, mut depth) = (m.ty, 0);
                while let Type::Array(elem, _) = *types.get(ty) {
                    (ty, depth) = (elem, depth + 1);
                }
                match types.get(ty) {
                    Type::Struct(id) => depths.get(id.0 as usize).copied().unwrap_or(DEEPEST) + depth,
                    _ => depth,
                }
            });
            let depth = inner.max().unwrap_or(0) + 1;
            depths.push(depth.min(DEEPEST + 1));
        }
        let fits = depths.iter().all(|&d| d <= DEEPEST);
        if !fits {
            self.fail(format!("structures are nested more than {DEEPEST} deep, which is SPIR-V's limit"));
        }
        fits
    }

    /// The type of a number, vector or matrix.
    pub(super) fn num_ty(&mut self, num: Num) -> Id {
        if num.rows > 4 || num.is_coop() {
            return self.long_ty(num);
        }
        let slot = num.scalar.index() * 16 + usize::from((num.columns - 1) * 4 + num.rows - 1);
        if self.types.numeric[slot] == 0 {
            self.types.numeric[slot] = self.declare_num(num);
        }
        self.types.numeric[slot]
    }

    /// A vector of many components. [SPV_EXT_long_vector]
    fn long_ty(&mut self, num: Num) -> Id {
        if num.is_coop() {
            return self.coop_ty(num.scalar, crate::ty::CoopId(num.rows));
        }
        self.out.capability(Capability::LongVectorEXT);
        self.out.extension("SPV_EXT_long_vector");
        let scalar = self.num_ty(Num::scalar(num.scalar));
        self.out.ty(Op::TypeVector, &[scalar, num.rows.into()])
    }

    fn declare_num(&mut self, num: Num) -> Id {
        if num.is_matrix() {
            let column = self.num_ty(num.column());
            return self.out.ty(Op::TypeMatrix, &[column, num.columns.into()]);
        }
        if !num.is_scalar() {
            let scalar = self.num_ty(Num::scalar(num.scalar));
            return self.out.ty(Op::TypeVector, &[scalar, num.rows.into()]);
        }
        let capability = match num.scalar {
            Scalar::Double => Some(Capability::Float64),
            Scalar::Float16 => Some(Capability::Float16),
            Scalar::Int8 | Scalar::Uint8 => Some(Capability::Int8),
            Scalar::Int16 | Scalar::Uint16 => Some(Capability::Int16),
            Scalar::Int64 | Scalar::Uint64 => Some(Capability::Int64),
            Scalar::Bool | Scalar::Int | Scalar::Uint | Scalar::Float | Scalar::Small(_) => None,
        };
        if let Some(capability) = capability {
            self.out.capability(capability);
        }
        let bits = num.scalar.bits();
        match num.scalar {
            Scalar::Bool => self.out.ty(Op::TypeBool, &[]),
            Scalar::Small(small) => self.small_ty(small),
            Scalar::Float | Scalar::Double | Scalar::Float16 => self.out.ty(Op::TypeFloat, &[bits]),
            Scalar::Int | Scalar::Int8 | Scalar::Int16 | Scalar::Int64 => {
                self.out.ty(Op::TypeInt, &[bits, 1])
            }
            Scalar::Uint | Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint64 => {
                self.out.ty(Op::TypeInt, &[bits, 0])
            }
        }
    }

    /// A type as values have it.
    pub(super) fn plain_ty(&mut self, ty: &Type) -> Id {
        if let Some(num) = Num::of(ty) {
            return self.num_ty(num);
        }
        if let Some(&id) = self.types.plain.get(ty) {
            return id;
        }
        let id = match *ty {
            Type::Array(elem, length) => {
                let length = self.sized(elem, length);
                let elem = self.what(elem);
                let elem = self.plain_ty(&elem);
                self.array_ty(elem, length)
            }
            Type::Struct(id) => self.structure(id),
            Type::Opaque(opaque) => self.opaque_ty(opaque, ImageFormat::Unknown),
            Type::Reference(id) => return self.reference_ty(id),
            Type::Foreign(id) => self.foreign_ty(id),
            Type::Addressing(id) => return self.addressing_ty(id),
            _ => self.out.ty(Op::TypeVoid, &[]),
        };
        self.types.plain.insert(*ty, id);
        id
    }

    pub(super) fn array_ty(&mut self, elem: Id, length: Length) -> Id {
        match length {
            Length::Known(count) => {
                let count = self.out.uint(count);
                self.out.ty(Op::TypeArray, &[elem, count])
            }
            Length::Spec(spec, _) => {
                let count = self.specs.get(spec as usize).copied().unwrap_or(0);
                self.out.ty(Op::TypeArray, &[elem, count])
            }
            Length::Unsized => self.out.ty(Op::TypeRuntimeArray, &[elem]),
        }
    }

    /// Arrays without a size are as large as the largest constant index asks for. (Open arrays
    /// at the end of buffers have no value and never come here.)
    pub(super) fn sized(&mut self, elem: Ty, length: Length) -> Length {
        if length != Length::Unsized {
            return length;
        }
        if matches!(self.what(elem), Type::Opaque(_)) {
            return self.open_descriptors();
        }
        let program: &'a Program = self.program;
        let implicit = self.types.implicit.get_or_insert_with(|| implicit_sizes(program));
        Length::Known(implicit.get(&elem).copied().unwrap_or(1))
    }

    /// The length of an array of as many descriptors as the host binds; the checker has given a
    /// length to every other one.
    pub(super) fn open_descriptors(&mut self) -> Length {
        self.need(super::needs::OPEN_DESCRIPTORS);
        Length::Unsized
    }

    pub(super) fn structure(&mut self, id: StructId) -> Id {
        let members = &self.program.types.structure(id).members;
        let ids: Vec<Id> = members
            .iter()
            .map(|m| {
                let ty = self.what(m.ty);
                self.plain_ty(&ty)
            })
            .collect();
        let made = self.out.distinct(Op::TypeStruct, &ids);
        self.name_members(made, id);
        made
    }

    pub(super) fn name_members(&mut self, made: Id, id: StructId) {
        let structure = self.program.types.structure(id);
        self.out.name(made, self.symbols.text(structure.name));
        for (i, member) in structure.members.iter().enumerate() {
            self.out.member_name(made, i as u32, self.symbols.text(member.name));
            if is_relaxed(member.precision) {
                self.out.decorate_member(made, i as u32, Decoration::RelaxedPrecision, &[]);
            }
        }
    }

    /// A type of a variable whose images have a format.
    pub(super) fn formatted_ty(&mut self, ty: &Type, format: ImageFormat) -> Id {
        match *ty {
            Type::Array(elem, length) if format != ImageFormat::Unknown => {
                let length = self.sized(elem, length);
                let elem = self.what(elem);
                let elem = self.formatted_ty(&elem, format);
                self.array_ty(elem, length)
            }
            Type::Opaque(opaque) => self.opaque_ty(opaque, format),
            _ => self.plain_ty(ty),
        }
    }

    fn opaque_ty(&mut self, opaque: Opaque, format: ImageFormat) -> Id {
        match opaque {
            Opaque::Texture { access, .. } => {
                let image = self.image_ty(opaque, format);
                if access == Access::Sampled { self.out.ty(Op::TypeSampledImage, &[image]) } else { image }
            }
            Opaque::Sampler { .. } => self.out.ty(Op::TypeSampler, &[]),
            Opaque::AtomicCounter => self.num_ty(Num::UINT),
            Opaque::AccelerationStructure => {
                self.need_acceleration();
                self.out.ty(Op::TypeAccelerationStructureKHR, &[])
            }
            Opaque::RayQuery => {
                self.need(super::needs::of_instruction(Op::TypeRayQueryKHR));
                self.out.ty(Op::TypeRayQueryKHR, &[])
            }
            Opaque::HitObject(which) => self.hit_object_ty(which),
            Opaque::Buffer(_) => self.fail("descriptors of buffers stand in heaps alone"),
            Opaque::Tensor { scalar, rank } => self.tensor_ty(scalar, rank),
        }
    }

    /// The image of a texture type, without its sampler.
    pub(super) fn image_ty(&mut self, opaque: Opaque, format: ImageFormat) -> Id {
        let Opaque::Texture { scalar, dim, arrayed, multisampled, shadow, access, .. } = opaque else {
            return self.fail("an image is expected here");
        };
        let storage = access == Access::Storage;
        self.image_capabilities(dim, arrayed, multisampled, storage);
        if matches!(scalar, Scalar::Int64 | Scalar::Uint64) {
            self.out.extension("SPV_EXT_shader_image_int64");
            self.out.capability(Capability::Int64ImageEXT);
        }
        if needs_more_formats(format) {
            self.out.capability(Capability::StorageImageExtendedFormats);
        }
        let component = self.num_ty(Num::scalar(scalar));
        let dim = match dim {
            Dim::D1 => spirv::Dim::Dim1D,
            Dim::D2 => spirv::Dim::Dim2D,
            Dim::D3 => spirv::Dim::Dim3D,
            Dim::Cube => spirv::Dim::DimCube,
            Dim::Rect => spirv::Dim::DimRect,
            Dim::Buffer => spirv::Dim::DimBuffer,
            Dim::Subpass => spirv::Dim::DimSubpassData,
            Dim::Tile => spirv::Dim::DimTileImageDataEXT,
        };
        let sampled = if storage || dim == spirv::Dim::DimSubpassData { 2 } else { 1 };
        let flags = [shadow.into(), arrayed.into(), multisampled.into(), sampled, format as u32];
        self.out.ty(Op::TypeImage, &[&[component, dim as u32][..], &flags].concat())
    }

    fn image_capabilities(&mut self, dim: Dim, arrayed: bool, multisampled: bool, storage: bool) {
        let wanted = match (dim, storage) {
            (Dim::D1, false) => Some(Capability::Sampled1D),
            (Dim::D1, true) => Some(Capability::Image1D),
            (Dim::Rect, false) => Some(Capability::SampledRect),
            (Dim::Rect, true) => Some(Capability::ImageRect),
            (Dim::Buffer, false) => Some(Capability::SampledBuffer),
            (Dim::Buffer, true) => Some(Capability::ImageBuffer),
            (Dim::Cube, false) if arrayed => Some(Capability::SampledCubeArray),
            (Dim::Cube, true) if arrayed => Some(Capability::ImageCubeArray),
            (Dim::Subpass, _) => Some(Capability::InputAttachment),
            (Dim::Tile, _) => {
                self.need(super::needs::TILE_COLOURS);
                None
            }
            _ => None,
        };
        if let Some(capability) = wanted {
            self.out.capability(capability);
        }
        if multisampled && storage {
            self.out.capability(Capability::StorageImageMultisample);
        }
        if multisampled && storage && arrayed {
            self.out.capability(Capability::ImageMSArray);
        }
    }
}

/// For the elements of each array without a size one more than the largest constant index.
fn implicit_sizes(program: &Program) -> HashMap<Ty, u32> {
    let mut sizes = HashMap::new();
    for expr in &program.exprs {
        let ExprKind::Index(base, index) = expr.kind else { continue };
        let Type::Array(elem, Length::Unsized) = *program.types.get(program.exprs[base.0 as usize].ty) else {
            continue;
        };
        if let ExprKind::Constant(bits) = &program.exprs[index.0 as usize].kind {
            let size = bits.first().map_or(1, |&n| (n as u32).saturating_add(1)).min(1 << 16);
            let known = sizes.entry(elem).or_insert(1);
            *known = size.max(*known);
        }
    }
    sizes
}

/// Formats that a bare `Shader` does not have. [SPIR-V 1.6, 3.11]
fn needs_more_formats(format: ImageFormat) -> bool {
    use ImageFormat as F;
    !matches!(
        format,
        F::Unknown
            | F::Rgba32f
            | F::Rgba16f
            | F::R32f
            | F::Rgba8
            | F::Rgba8Snorm
            | F::Rgba32i
            | F::Rgba16i
            | F::Rgba8i
            | F::R32i
            | F::Rgba32ui
            | F::Rgba16ui
            | F::Rgba8ui
            | F::R32ui
            | F::R64i
            | F::R64ui
    )
}
