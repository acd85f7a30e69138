//! Types: as values and variables of a function have them, and as blocks have them.
//!
//! A structure in a block has offsets, an array there a stride, a bool there is a number; for
//! SPIR-V these are other types than those of values, and what goes from one to the other is
//! taken apart and put together again ([`super::place`]).

use std::collections::HashMap;

use chiaro_words::write::Id;
use spirv::{Capability, Decoration, ImageFormat, Op};

use crate::ast::Precision;
use crate::hir::{ExprKind, GlobalId, Layout, Program, Storage};
use crate::ty::{Access, Dim, Length, Opaque, ReferenceId, Scalar, StructId, Ty, Type};

use super::Emitter;
use super::layout::{Extents, Rules, array_stride, matrix_stride, placed};
use super::num::Num;

/// Structures inside of structures. [SPIR-V 1.6, 2.16: universal limit]
const DEEPEST: u32 = 255;

/// Types that were declared.
#[derive(Debug)]
pub(super) struct TypeTable {
    /// By scalar, columns and rows; 0 for those that were not asked for yet.
    numeric: [Id; 12 * 16],
    plain: HashMap<Type, Id>,
    laid: HashMap<(Type, Rules), Id>,
    blocks: HashMap<GlobalId, Id>,
    pub(super) extents: Extents,
    /// One more than the largest constant index of arrays without a size, by their type.
    implicit: Option<HashMap<Ty, u32>>,
}

impl Default for TypeTable {
    fn default() -> Self {
        TypeTable {
            numeric: [0; 12 * 16],
            plain: HashMap::new(),
            laid: HashMap::new(),
            blocks: HashMap::new(),
            extents: HashMap::new(),
            implicit: None,
        }
    }
}

/// How the memory behind a pointer is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Memory {
    /// As values are.
    Plain,
    /// Inside of a block.
    Laid(Rules),
    /// A block itself, whose members have rules of their own.
    Block(GlobalId),
    /// The block at an address, likewise.
    Pointee(ReferenceId),
}

/// Whether a type is, or has elements that are, atomic counters.
pub(super) fn any_counter(program: &Program) -> bool {
    program.globals.iter().any(|g| is_counter(program, g.ty))
}

pub(super) fn is_counter(program: &Program, mut ty: Ty) -> bool {
    while let Type::Array(elem, _) = *program.types.get(ty) {
        ty = elem;
    }
    *program.types.get(ty) == Type::Opaque(Opaque::AtomicCounter)
}

pub(super) fn is_relaxed(precision: Option<Precision>) -> bool {
    matches!(precision, Some(Precision::Low | Precision::Medium))
}

impl<'a> Emitter<'a> {
    /// What a type is.
    pub(super) fn what(&self, ty: Ty) -> Type {
        let program: &'a Program = self.program;
        *program.types.get(ty)
    }

    /// Whether structures nest no deeper than words can tell. They are numbered in the order of
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
            self.fail(format!("structures nest deeper than {DEEPEST} levels, SPIR-V's limit"));
        }
        fits
    }

    /// The type of a number, vector or matrix.
    pub(super) fn num_ty(&mut self, num: Num) -> Id {
        let slot = num.scalar as usize * 16 + usize::from((num.columns - 1) * 4 + num.rows - 1);
        if self.types.numeric[slot] == 0 {
            self.types.numeric[slot] = self.declare_num(num);
        }
        self.types.numeric[slot]
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
            Scalar::Bool | Scalar::Int | Scalar::Uint | Scalar::Float => None,
        };
        if let Some(capability) = capability {
            self.out.capability(capability);
        }
        let bits = num.scalar.bits();
        match num.scalar {
            Scalar::Bool => self.out.ty(Op::TypeBool, &[]),
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
            _ => self.out.ty(Op::TypeVoid, &[]),
        };
        self.types.plain.insert(*ty, id);
        id
    }

    fn array_ty(&mut self, elem: Id, length: Length) -> Id {
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
    fn sized(&mut self, elem: Ty, length: Length) -> Length {
        if length != Length::Unsized {
            return length;
        }
        let program: &'a Program = self.program;
        let implicit = self.types.implicit.get_or_insert_with(|| implicit_sizes(program));
        Length::Known(implicit.get(&elem).copied().unwrap_or(1))
    }

    fn structure(&mut self, id: StructId) -> Id {
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

    fn name_members(&mut self, made: Id, id: StructId) {
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

    /// A type as memory of some kind has it.
    pub(super) fn memory_ty(&mut self, ty: &Type, memory: Memory) -> Id {
        match (memory, *ty) {
            (Memory::Laid(rules), _) => self.laid_ty(ty, rules),
            (Memory::Pointee(reference), Type::Struct(_)) => self.pointee_ty(reference),
            (Memory::Block(global), Type::Struct(id)) => self.block_ty(global, id),
            // Arrays of blocks have no stride: each element is a buffer of its own.
            (Memory::Block(_), Type::Array(elem, length)) => {
                let length = self.sized(elem, length);
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
            Memory::Pointee(id) => {
                let reference = self.program.types.reference(id);
                Some((reference.packing, &reference.members))
            }
            Memory::Plain | Memory::Laid(_) => return memory,
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
            _ => self.plain_ty(ty),
        };
        self.types.laid.insert((*ty, rules), id);
        id
    }

    fn laid_array(&mut self, elem: Ty, length: Length, rules: Rules) -> Id {
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
    fn decorate_lines(&mut self, made: Id, i: u32, mut ty: Type, rules: Rules) {
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

    fn memory_qualifiers(&mut self, made: Id, i: u32, layout: Option<&Layout>) {
        for decoration in layout.into_iter().flat_map(memory_decorations) {
            self.out.decorate_member(made, i, decoration, &[]);
        }
    }

    /// Numbers of 8 and 16 bits in buffers want to be announced.
    fn small_storage(&mut self, scalar: Scalar) {
        match scalar.bits() {
            16 => {
                self.out.extension("SPV_KHR_16bit_storage");
                self.out.capability(Capability::StorageBuffer16BitAccess);
                self.out.capability(Capability::UniformAndStorageBuffer16BitAccess);
            }
            8 => {
                self.out.extension("SPV_KHR_8bit_storage");
                self.out.capability(Capability::StorageBuffer8BitAccess);
                self.out.capability(Capability::UniformAndStorageBuffer8BitAccess);
            }
            _ => {}
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
    )
}
