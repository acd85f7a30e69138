//! Instructions of cooperative matrices and vectors, and of layouts and views of tensors.
//! [SPV_KHR_cooperative_matrix, SPV_NV_cooperative_matrix, SPV_NV_cooperative_matrix2,
//! SPV_NV_cooperative_vector, SPV_NV_tensor_addressing, SPV_EXT_replicated_composites,
//! SPV_QCOM_cooperative_matrix_conversion]

use spirv::Op;

/// The shape of such an instruction.
pub(super) fn cooperative(op: Op) -> Option<&'static str> {
    use Op::*;
    Some(match op {
        TypeCooperativeMatrixKHR | TypeCooperativeMatrixNV | TypeVectorIdEXT => "ri*",
        TypeTensorLayoutNV | TypeTensorViewNV => "ri*",
        ConstantCompositeReplicateEXT | SpecConstantCompositeReplicateEXT => "tri*",
        CompositeConstructReplicateEXT => "tri*",
        // Layout and stride are ids, and stand before how memory is accessed.
        CooperativeMatrixLoadKHR | CooperativeMatrixLoadNV => "triiim",
        CooperativeMatrixStoreKHR | CooperativeMatrixStoreNV => "iiiim",
        // Flags of tensor addressing are a literal, what they ask for are ids.
        CooperativeMatrixLoadTensorNV => "triiimli*",
        CooperativeMatrixStoreTensorNV => "iiimli*",
        CooperativeVectorLoadNV => "triim",
        CooperativeVectorStoreNV => "iiim",
        CooperativeMatrixMulAddKHR | CooperativeMatrixMulAddNV => "triiil",
        CooperativeVectorMatrixMulNV => "triiiiiiiiiil",
        CooperativeVectorMatrixMulAddNV => "triiiiiiiiiiiiil",
        CooperativeVectorOuterProductAccumulateNV | CooperativeVectorReduceSumAccumulateNV => "i*",
        CooperativeMatrixReduceNV => "trili",
        CooperativeMatrixLengthKHR | CooperativeMatrixLengthNV => "tri*",
        CooperativeMatrixPerElementOpNV | CooperativeMatrixTransposeNV | CooperativeMatrixConvertNV => "tri*",
        crate::newer::COORDINATE => "tri*",
        CreateTensorLayoutNV | CreateTensorViewNV | TensorLayoutSetBlockSizeNV => "tri*",
        TensorLayoutSetDimensionNV | TensorLayoutSetStrideNV | TensorLayoutSliceNV => "tri*",
        TensorLayoutSetClampValueNV | TensorViewSetDimensionNV | TensorViewSetStrideNV => "tri*",
        TensorViewSetClipNV | BitCastArrayQCOM | ExtractSubArrayQCOM => "tri*",
        CompositeConstructCoopMatQCOM | CompositeExtractCoopMatQCOM => "tri*",
        _ => return None,
    })
}
