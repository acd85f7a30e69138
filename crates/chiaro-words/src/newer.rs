//! Instructions that are newer than the crate with SPIR-V's numbers.
//!
//! Each borrows the name of an instruction that kernels alone have and no shader: in memory it is
//! that `Op`, in words its own number. [SPIRV-Headers 1.4.350, `spirv.core.grammar.json`]

use spirv::Op;

/// `OpAbortKHR` of SPV_KHR_abort: ends the invocation with a message, of a type.
pub const ABORT: Op = Op::GetDefaultQueue;
/// The capability of that instruction.
pub const ABORT_CAPABILITY: u32 = 5120;

/// The execution mode `OpacityMicromapIdKHR` of SPV_KHR_opacity_micromap: whether ray queries look
/// at micromaps, by a constant bool.
pub const OPACITY_MICROMAPS: u32 = 6031;
/// Its capability, `RayTracingOpacityMicromapExecutionModeKHR`.
pub const OPACITY_MICROMAPS_CAPABILITY: u32 = 6032;
/// `OpBitcastExtractEXT` of SPV_EXT_ocp_microscaling_types: small floats at a bit of other bits.
pub const BITCAST_EXTRACT: Op = Op::CaptureEventProfilingInfo;
/// The capability of that instruction.
pub const BITCAST_EXTRACT_CAPABILITY: u32 = 4232;

/// `OpImageGatherQCOM` of SPV_QCOM_image_processing3: four texels that are no square.
pub const IMAGE_GATHER: Op = Op::SetUserEventStatus;
/// The capability of its gathers along a line of four.
pub const IMAGE_GATHER_LINE_CAPABILITY: u32 = 4543;
/// The capability of its other ones.
pub const IMAGE_GATHER_CAPABILITY: u32 = 4544;

/// `OpCooperativeMatrixGetCoordinateEXT` of SPV_EXT_cooperative_matrix_maintenance1: where an
/// element stands.
pub const COORDINATE: Op = Op::GetKernelLocalSizeForSubgroupCount;

/// Stand-ins and numbers.
const NEWER: [(Op, u16); 4] =
    [(ABORT, 5121), (BITCAST_EXTRACT, 4195), (IMAGE_GATHER, 4545), (COORDINATE, 5363)];

/// The number of an instruction in words.
#[must_use]
pub fn number(op: Op) -> u16 {
    let newer = NEWER.iter().find(|row| row.0 == op);
    newer.map_or(op as u32 as u16, |row| row.1)
}

/// The instruction of a number; what stands in for others has none of its own.
#[must_use]
pub fn of_number(number: u16) -> Option<Op> {
    match NEWER.iter().find(|row| row.1 == number) {
        Some(row) => Some(row.0),
        None => Op::from_u32(number.into()).filter(|op| NEWER.iter().all(|row| row.0 != *op)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for op in [ABORT, BITCAST_EXTRACT, IMAGE_GATHER, Op::Kill, Op::Load] {
            assert_eq!(of_number(number(op)), Some(op));
        }
        assert_eq!(of_number(Op::GetDefaultQueue as u32 as u16), None);
        assert_eq!(number(ABORT), 5121);
    }
}
