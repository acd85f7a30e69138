//! Functions whose parameters no form describes; a rule of the checker does.

use spirv::Op;

use super::row::Row;
use crate::builtin::When;
use crate::intrinsic::{CoopRule, Counted, Intrinsic, Product, Sampling, Special, Tensor};
use crate::small::Small;
use crate::ty::CoopKind;

const PRINTF: &[&str] = &["GL_EXT_debug_printf"];
const ABORT: &[&str] = &["GL_EXT_abort"];
const NONUNIFORM: &[&str] = &["GL_EXT_nonuniform_qualifier"];
const TENSORS: &[&str] = &["GL_ARM_tensors"];
const FOOTPRINT: &[&str] = &["GL_NV_shader_texture_footprint"];
const ARRAYS: &[&str] = &["GL_QCOM_cooperative_matrix_conversion"];
const KHR: &[&str] = &["GL_KHR_cooperative_matrix"];
const NV: &[&str] = &["GL_NV_cooperative_matrix"];
const NV2: &[&str] = &["GL_NV_cooperative_matrix2"];
const EXT: &[&str] = &["GL_EXT_cooperative_matrix_maintenance1"];
const VECTORS: &[&str] = &["GL_NV_cooperative_vector"];

/// A texture's footprint, with nothing but granularity and coarseness.
const PLAIN: Sampling = Sampling::NONE;

const fn row(name: &'static str, extensions: &'static [&'static str], rule: Special) -> Row {
    Row { name, what: Intrinsic::Special(rule), when: When::with(extensions), forms: &[] }
}

const fn coop(name: &'static str, extensions: &'static [&'static str], rule: CoopRule) -> Row {
    row(name, extensions, Special::Cooperative(rule))
}

const fn layout(op: Op, counted: Counted) -> CoopRule {
    CoopRule::Set(CoopKind::Layout, op, counted)
}

const fn view(op: Op, counted: Counted) -> CoopRule {
    CoopRule::Set(CoopKind::View, op, counted)
}

/// The rows.
pub(super) static ROWS: &[Row] = &[
    row("debugPrintfEXT", PRINTF, Special::Print),
    row("abortEXT", ABORT, Special::Abort),
    row("nonuniformEXT", NONUNIFORM, Special::Nonuniform),
    row("tensorReadARM", TENSORS, Special::Tensor(Tensor::Read)),
    row("tensorWriteARM", TENSORS, Special::Tensor(Tensor::Write)),
    row("tensorSizeARM", TENSORS, Special::Tensor(Tensor::Size)),
    row("textureFootprintNV", FOOTPRINT, Special::Footprint(PLAIN)),
    row("textureFootprintClampNV", FOOTPRINT, Special::Footprint(Sampling { clamp: true, ..PLAIN })),
    row("textureFootprintLodNV", FOOTPRINT, Special::Footprint(Sampling { level: true, ..PLAIN })),
    row("textureFootprintGradNV", FOOTPRINT, Special::Footprint(Sampling { gradients: true, ..PLAIN })),
    row(
        "textureFootprintGradClampNV",
        FOOTPRINT,
        Special::Footprint(Sampling { gradients: true, clamp: true, ..PLAIN }),
    ),
    row("saturatedConvertEXT", Small::E5M2.extensions(), Special::SaturatedMatrix),
    row("saturatedConvertEXT", Small::E4M3.extensions(), Special::SaturatedMatrix),
    row("bitcastQCOM", ARRAYS, Special::Rearrange(Op::BitCastArrayQCOM)),
    row("extractSubArrayQCOM", ARRAYS, Special::Rearrange(Op::ExtractSubArrayQCOM)),
    row("vectorToCoopmatQCOM", ARRAYS, Special::Rearrange(Op::CompositeConstructCoopMatQCOM)),
    row("coopmatToVectorQCOM", ARRAYS, Special::Rearrange(Op::CompositeExtractCoopMatQCOM)),
    coop("coopMatLoad", KHR, CoopRule::Load(CoopKind::Matrix)),
    coop("coopMatStore", KHR, CoopRule::Store(CoopKind::Matrix)),
    coop("coopMatMulAdd", KHR, CoopRule::MulAdd(CoopKind::Matrix)),
    coop("coopMatLoadNV", NV, CoopRule::Load(CoopKind::MatrixNv)),
    coop("coopMatStoreNV", NV, CoopRule::Store(CoopKind::MatrixNv)),
    coop("coopMatMulAddNV", NV, CoopRule::MulAdd(CoopKind::MatrixNv)),
    coop("coopMatTransposeNV", NV2, CoopRule::Transpose),
    coop("coopMatTransposeEXT", EXT, CoopRule::Transpose),
    coop("coopMatReduceNV", NV2, CoopRule::Reduce),
    coop("coopMatReduceEXT", EXT, CoopRule::Reduce),
    coop("coopMatPerElementNV", NV2, CoopRule::PerElement),
    coop("coopMatPerElementEXT", EXT, CoopRule::PerElement),
    coop("coopMatGetCoordinateEXT", EXT, CoopRule::Coordinate),
    coop("coopMatLoadTensorNV", NV2, CoopRule::LoadTensor),
    coop("coopMatStoreTensorNV", NV2, CoopRule::StoreTensor),
    coop("createTensorLayoutNV", NV2, CoopRule::Create(CoopKind::Layout)),
    coop("createTensorViewNV", NV2, CoopRule::Create(CoopKind::View)),
    coop("setTensorLayoutBlockSizeNV", NV2, layout(Op::TensorLayoutSetBlockSizeNV, Counted::Each(1))),
    coop("setTensorLayoutDimensionNV", NV2, layout(Op::TensorLayoutSetDimensionNV, Counted::Each(1))),
    coop("setTensorLayoutStrideNV", NV2, layout(Op::TensorLayoutSetStrideNV, Counted::Each(1))),
    coop("sliceTensorLayoutNV", NV2, layout(Op::TensorLayoutSliceNV, Counted::Each(2))),
    coop("setTensorLayoutClampValueNV", NV2, layout(Op::TensorLayoutSetClampValueNV, Counted::Just(1))),
    coop("setTensorViewDimensionsNV", NV2, view(Op::TensorViewSetDimensionNV, Counted::Each(1))),
    coop("setTensorViewStrideNV", NV2, view(Op::TensorViewSetStrideNV, Counted::Each(1))),
    coop("setTensorViewClipNV", NV2, view(Op::TensorViewSetClipNV, Counted::Just(4))),
    coop("coopVecLoadNV", VECTORS, CoopRule::VectorLoad),
    coop("coopVecStoreNV", VECTORS, CoopRule::VectorStore),
    coop("coopVecMatMulNV", VECTORS, CoopRule::VectorProduct(Product::Mul)),
    coop("coopVecMatMulAddNV", VECTORS, CoopRule::VectorProduct(Product::MulAdd)),
    coop("coopVecOuterProductAccumulateNV", VECTORS, CoopRule::OuterProduct),
    coop("coopVecReduceSumAccumulateNV", VECTORS, CoopRule::ReduceSum),
];
