//! MIMG: images by descriptor, and rays (spec 4, 8.5, 8.6).

use super::layout::*;
use crate::operand::image::{Address, Addresses, Gradients, Ray, Shape, Texels};
use crate::operand::register::{Descriptor, Vgpr};
use chiaro_isa::{
    Bits, Field, Flag, Format, Hex, Length, Names, Tagged, at, bit, dst, inout, modifier, operations, split,
    src,
};

operations! {
    /// Images by descriptor.
    pub enum Mimg => ROWS {
        /// Loads a texel.
        Load "image_load" [load::ROW 0x00, load::LIST1 0x00] IMAGE AMD;
        /// Loads a texel of a level.
        LoadMip "image_load_mip" [load_l::ROW 0x01, load_l::LIST1 0x01] IMAGE AMD;
        /// Loads a texel, packed.
        LoadPck "image_load_pck" [load::ROW 0x02, load::LIST1 0x02] IMAGE AMD;
        /// Loads a texel, packed.
        LoadPckSgn "image_load_pck_sgn" [load::ROW 0x03, load::LIST1 0x03] IMAGE AMD;
        /// Loads a texel of a level, packed.
        LoadMipPck "image_load_mip_pck" [load_l::ROW 0x04, load_l::LIST1 0x04] IMAGE AMD;
        /// Loads a texel of a level, packed.
        LoadMipPckSgn "image_load_mip_pck_sgn" [load_l::ROW 0x05, load_l::LIST1 0x05] IMAGE AMD;
        /// Stores a texel.
        Store "image_store" [store::ROW 0x08, store::LIST1 0x08] IMAGE AMD;
        /// Stores a texel of a level.
        StoreMip "image_store_mip" [store_l::ROW 0x09, store_l::LIST1 0x09] IMAGE AMD;
        /// Stores a texel, packed.
        StorePck "image_store_pck" [store::ROW 0x0a, store::LIST1 0x0a] IMAGE AMD;
        /// Stores a texel of a level, packed.
        StoreMipPck "image_store_mip_pck" [store_l::ROW 0x0b, store_l::LIST1 0x0b] IMAGE AMD;
        /// Size of a level and number of levels.
        GetResinfo "image_get_resinfo" [load_size::ROW 0x0e] IMAGE AMD;
        /// Atomic exchange in an image; with glc returns what was there.
        AtomicSwap "image_atomic_swap" [atomic::ROW 0x0f, atomic::LIST1 0x0f] IMAGE AMD;
        /// Atomic exchange if equal to the second data in an image; with glc returns what was there.
        AtomicCmpswap "image_atomic_cmpswap" [atomic::ROW 0x10, atomic::LIST1 0x10] IMAGE AMD;
        /// Atomic sum in an image; with glc returns what was there.
        AtomicAdd "image_atomic_add" [atomic::ROW 0x11, atomic::LIST1 0x11] IMAGE AMD;
        /// Atomic difference in an image; with glc returns what was there.
        AtomicSub "image_atomic_sub" [atomic::ROW 0x12, atomic::LIST1 0x12] IMAGE AMD;
        /// Atomic signed minimum in an image; with glc returns what was there.
        AtomicSmin "image_atomic_smin" [atomic::ROW 0x14, atomic::LIST1 0x14] IMAGE AMD;
        /// Atomic unsigned minimum in an image; with glc returns what was there.
        AtomicUmin "image_atomic_umin" [atomic::ROW 0x15, atomic::LIST1 0x15] IMAGE AMD;
        /// Atomic signed maximum in an image; with glc returns what was there.
        AtomicSmax "image_atomic_smax" [atomic::ROW 0x16, atomic::LIST1 0x16] IMAGE AMD;
        /// Atomic unsigned maximum in an image; with glc returns what was there.
        AtomicUmax "image_atomic_umax" [atomic::ROW 0x17, atomic::LIST1 0x17] IMAGE AMD;
        /// Atomic bitwise and in an image; with glc returns what was there.
        AtomicAnd "image_atomic_and" [atomic::ROW 0x18, atomic::LIST1 0x18] IMAGE AMD;
        /// Atomic bitwise or in an image; with glc returns what was there.
        AtomicOr "image_atomic_or" [atomic::ROW 0x19, atomic::LIST1 0x19] IMAGE AMD;
        /// Atomic bitwise exclusive or in an image; with glc returns what was there.
        AtomicXor "image_atomic_xor" [atomic::ROW 0x1a, atomic::LIST1 0x1a] IMAGE AMD;
        /// Atomic count up to a limit, then 0 in an image; with glc returns what was there.
        AtomicInc "image_atomic_inc" [atomic::ROW 0x1b, atomic::LIST1 0x1b] IMAGE AMD;
        /// Atomic count down from a limit in an image; with glc returns what was there.
        AtomicDec "image_atomic_dec" [atomic::ROW 0x1c, atomic::LIST1 0x1c] IMAGE AMD;
        /// Atomic exchange if equal to the second data, as floats in an image; with glc returns what was there.
        AtomicFcmpswap "image_atomic_fcmpswap" [atomic::ROW 0x1d, atomic::LIST1 0x1d] IMAGE AMD;
        /// Atomic float minimum in an image; with glc returns what was there.
        AtomicFmin "image_atomic_fmin" [atomic::ROW 0x1e, atomic::LIST1 0x1e] IMAGE AMD;
        /// Atomic float maximum in an image; with glc returns what was there.
        AtomicFmax "image_atomic_fmax" [atomic::ROW 0x1f, atomic::LIST1 0x1f] IMAGE AMD;
        /// Samples.
        Sample "image_sample" [sample::ROW 0x20, sample::LIST1 0x20] IMAGE AMD;
        /// Samples with clamped level.
        SampleCl "image_sample_cl" [sample_l::ROW 0x21, sample_l::LIST1 0x21] IMAGE AMD;
        /// Samples with derivatives.
        SampleD "image_sample_d" [sample_d::ROW 0x22, sample_d::LIST1 0x22, sample_d::LIST2 0x22] IMAGE AMD;
        /// Samples with derivatives, clamped level.
        SampleDCl "image_sample_d_cl" [sample_d_l::ROW 0x23, sample_d_l::LIST1 0x23, sample_d_l::LIST2 0x23, sample_d_l::LIST3 0x23] IMAGE AMD;
        /// Samples with explicit level.
        SampleL "image_sample_l" [sample_l::ROW 0x24, sample_l::LIST1 0x24] IMAGE AMD;
        /// Samples with bias.
        SampleB "image_sample_b" [sample_1::ROW 0x25, sample_1::LIST1 0x25] IMAGE AMD;
        /// Samples with bias, clamped level.
        SampleBCl "image_sample_b_cl" [sample_1_l::ROW 0x26, sample_1_l::LIST1 0x26, sample_1_l::LIST2 0x26] IMAGE AMD;
        /// Samples with level 0.
        SampleLz "image_sample_lz" [sample::ROW 0x27, sample::LIST1 0x27] IMAGE AMD;
        /// Samples with comparison.
        SampleC "image_sample_c" [sample_1::ROW 0x28, sample_1::LIST1 0x28] IMAGE AMD;
        /// Samples with comparison, clamped level.
        SampleCCl "image_sample_c_cl" [sample_1_l::ROW 0x29, sample_1_l::LIST1 0x29, sample_1_l::LIST2 0x29] IMAGE AMD;
        /// Samples with comparison, derivatives.
        SampleCD "image_sample_c_d" [sample_1_d::ROW 0x2a, sample_1_d::LIST1 0x2a, sample_1_d::LIST2 0x2a, sample_1_d::LIST3 0x2a] IMAGE AMD;
        /// Samples with comparison, derivatives, clamped level.
        SampleCDCl "image_sample_c_d_cl" [sample_1_d_l::ROW 0x2b, sample_1_d_l::LIST1 0x2b, sample_1_d_l::LIST2 0x2b, sample_1_d_l::LIST3 0x2b] IMAGE AMD;
        /// Samples with comparison, explicit level.
        SampleCL "image_sample_c_l" [sample_1_l::ROW 0x2c, sample_1_l::LIST1 0x2c, sample_1_l::LIST2 0x2c] IMAGE AMD;
        /// Samples with comparison, bias.
        SampleCB "image_sample_c_b" [sample_2::ROW 0x2d, sample_2::LIST1 0x2d, sample_2::LIST2 0x2d] IMAGE AMD;
        /// Samples with comparison, bias, clamped level.
        SampleCBCl "image_sample_c_b_cl" [sample_2_l::ROW 0x2e, sample_2_l::LIST1 0x2e, sample_2_l::LIST2 0x2e] IMAGE AMD;
        /// Samples with comparison, level 0.
        SampleCLz "image_sample_c_lz" [sample_1::ROW 0x2f, sample_1::LIST1 0x2f] IMAGE AMD;
        /// Samples with offset.
        SampleO "image_sample_o" [sample_1::ROW 0x30, sample_1::LIST1 0x30] IMAGE AMD;
        /// Samples with clamped level, offset.
        SampleClO "image_sample_cl_o" [sample_1_l::ROW 0x31, sample_1_l::LIST1 0x31, sample_1_l::LIST2 0x31] IMAGE AMD;
        /// Samples with derivatives, offset.
        SampleDO "image_sample_d_o" [sample_1_d::ROW 0x32, sample_1_d::LIST1 0x32, sample_1_d::LIST2 0x32, sample_1_d::LIST3 0x32] IMAGE AMD;
        /// Samples with derivatives, clamped level, offset.
        SampleDClO "image_sample_d_cl_o" [sample_1_d_l::ROW 0x33, sample_1_d_l::LIST1 0x33, sample_1_d_l::LIST2 0x33, sample_1_d_l::LIST3 0x33] IMAGE AMD;
        /// Samples with explicit level, offset.
        SampleLO "image_sample_l_o" [sample_1_l::ROW 0x34, sample_1_l::LIST1 0x34, sample_1_l::LIST2 0x34] IMAGE AMD;
        /// Samples with bias, offset.
        SampleBO "image_sample_b_o" [sample_2::ROW 0x35, sample_2::LIST1 0x35, sample_2::LIST2 0x35] IMAGE AMD;
        /// Samples with bias, clamped level, offset.
        SampleBClO "image_sample_b_cl_o" [sample_2_l::ROW 0x36, sample_2_l::LIST1 0x36, sample_2_l::LIST2 0x36] IMAGE AMD;
        /// Samples with level 0, offset.
        SampleLzO "image_sample_lz_o" [sample_1::ROW 0x37, sample_1::LIST1 0x37] IMAGE AMD;
        /// Samples with comparison, offset.
        SampleCO "image_sample_c_o" [sample_2::ROW 0x38, sample_2::LIST1 0x38, sample_2::LIST2 0x38] IMAGE AMD;
        /// Samples with comparison, clamped level, offset.
        SampleCClO "image_sample_c_cl_o" [sample_2_l::ROW 0x39, sample_2_l::LIST1 0x39, sample_2_l::LIST2 0x39] IMAGE AMD;
        /// Samples with comparison, derivatives, offset.
        SampleCDO "image_sample_c_d_o" [sample_2_d::ROW 0x3a, sample_2_d::LIST1 0x3a, sample_2_d::LIST2 0x3a, sample_2_d::LIST3 0x3a] IMAGE AMD;
        /// Samples with comparison, derivatives, clamped level, offset.
        SampleCDClO "image_sample_c_d_cl_o" [sample_2_d_l::ROW 0x3b, sample_2_d_l::LIST1 0x3b, sample_2_d_l::LIST2 0x3b, sample_2_d_l::LIST3 0x3b] IMAGE AMD;
        /// Samples with comparison, explicit level, offset.
        SampleCLO "image_sample_c_l_o" [sample_2_l::ROW 0x3c, sample_2_l::LIST1 0x3c, sample_2_l::LIST2 0x3c] IMAGE AMD;
        /// Samples with comparison, bias, offset.
        SampleCBO "image_sample_c_b_o" [sample_3::ROW 0x3d, sample_3::LIST1 0x3d, sample_3::LIST2 0x3d] IMAGE AMD;
        /// Samples with comparison, bias, clamped level, offset.
        SampleCBClO "image_sample_c_b_cl_o" [sample_3_l::ROW 0x3e, sample_3_l::LIST1 0x3e, sample_3_l::LIST2 0x3e] IMAGE AMD;
        /// Samples with comparison, level 0, offset.
        SampleCLzO "image_sample_c_lz_o" [sample_2::ROW 0x3f, sample_2::LIST1 0x3f, sample_2::LIST2 0x3f] IMAGE AMD;
        /// Gathers a component of four texels.
        Gather4 "image_gather4" [gather::ROW 0x40, gather::LIST1 0x40] IMAGE AMD;
        /// Gathers a component of four texels with clamped level.
        Gather4Cl "image_gather4_cl" [gather_l::ROW 0x41, gather_l::LIST1 0x41] IMAGE AMD;
        /// Gathers a component of four texels with explicit level.
        Gather4L "image_gather4_l" [gather_l::ROW 0x44, gather_l::LIST1 0x44] IMAGE AMD;
        /// Gathers a component of four texels with bias.
        Gather4B "image_gather4_b" [gather_1::ROW 0x45, gather_1::LIST1 0x45] IMAGE AMD;
        /// Gathers a component of four texels with bias, clamped level.
        Gather4BCl "image_gather4_b_cl" [gather_1_l::ROW 0x46, gather_1_l::LIST1 0x46, gather_1_l::LIST2 0x46] IMAGE AMD;
        /// Gathers a component of four texels with level 0.
        Gather4Lz "image_gather4_lz" [gather::ROW 0x47, gather::LIST1 0x47] IMAGE AMD;
        /// Gathers a component of four texels with comparison.
        Gather4C "image_gather4_c" [gather_1::ROW 0x48, gather_1::LIST1 0x48] IMAGE AMD;
        /// Gathers a component of four texels with comparison, clamped level.
        Gather4CCl "image_gather4_c_cl" [gather_1_l::ROW 0x49, gather_1_l::LIST1 0x49, gather_1_l::LIST2 0x49] IMAGE AMD;
        /// Gathers a component of four texels with comparison, explicit level.
        Gather4CL "image_gather4_c_l" [gather_1_l::ROW 0x4c, gather_1_l::LIST1 0x4c, gather_1_l::LIST2 0x4c] IMAGE AMD;
        /// Gathers a component of four texels with comparison, bias.
        Gather4CB "image_gather4_c_b" [gather_2::ROW 0x4d, gather_2::LIST1 0x4d, gather_2::LIST2 0x4d] IMAGE AMD;
        /// Gathers a component of four texels with comparison, bias, clamped level.
        Gather4CBCl "image_gather4_c_b_cl" [gather_2_l::ROW 0x4e, gather_2_l::LIST1 0x4e, gather_2_l::LIST2 0x4e] IMAGE AMD;
        /// Gathers a component of four texels with comparison, level 0.
        Gather4CLz "image_gather4_c_lz" [gather_1::ROW 0x4f, gather_1::LIST1 0x4f] IMAGE AMD;
        /// Gathers a component of four texels with offset.
        Gather4O "image_gather4_o" [gather_1::ROW 0x50, gather_1::LIST1 0x50] IMAGE AMD;
        /// Gathers a component of four texels with clamped level, offset.
        Gather4ClO "image_gather4_cl_o" [gather_1_l::ROW 0x51, gather_1_l::LIST1 0x51, gather_1_l::LIST2 0x51] IMAGE AMD;
        /// Gathers a component of four texels with explicit level, offset.
        Gather4LO "image_gather4_l_o" [gather_1_l::ROW 0x54, gather_1_l::LIST1 0x54, gather_1_l::LIST2 0x54] IMAGE AMD;
        /// Gathers a component of four texels with bias, offset.
        Gather4BO "image_gather4_b_o" [gather_2::ROW 0x55, gather_2::LIST1 0x55, gather_2::LIST2 0x55] IMAGE AMD;
        /// Gathers a component of four texels with bias, clamped level, offset.
        Gather4BClO "image_gather4_b_cl_o" [gather_2_l::ROW 0x56, gather_2_l::LIST1 0x56, gather_2_l::LIST2 0x56] IMAGE AMD;
        /// Gathers a component of four texels with level 0, offset.
        Gather4LzO "image_gather4_lz_o" [gather_1::ROW 0x57, gather_1::LIST1 0x57] IMAGE AMD;
        /// Gathers a component of four texels with comparison, offset.
        Gather4CO "image_gather4_c_o" [gather_2::ROW 0x58, gather_2::LIST1 0x58, gather_2::LIST2 0x58] IMAGE AMD;
        /// Gathers a component of four texels with comparison, clamped level, offset.
        Gather4CClO "image_gather4_c_cl_o" [gather_2_l::ROW 0x59, gather_2_l::LIST1 0x59, gather_2_l::LIST2 0x59] IMAGE AMD;
        /// Gathers a component of four texels with comparison, explicit level, offset.
        Gather4CLO "image_gather4_c_l_o" [gather_2_l::ROW 0x5c, gather_2_l::LIST1 0x5c, gather_2_l::LIST2 0x5c] IMAGE AMD;
        /// Gathers a component of four texels with comparison, bias, offset.
        Gather4CBO "image_gather4_c_b_o" [gather_3::ROW 0x5d, gather_3::LIST1 0x5d, gather_3::LIST2 0x5d] IMAGE AMD;
        /// Gathers a component of four texels with comparison, bias, clamped level, offset.
        Gather4CBClO "image_gather4_c_b_cl_o" [gather_3_l::ROW 0x5e, gather_3_l::LIST1 0x5e, gather_3_l::LIST2 0x5e] IMAGE AMD;
        /// Gathers a component of four texels with comparison, level 0, offset.
        Gather4CLzO "image_gather4_c_lz_o" [gather_2::ROW 0x5f, gather_2::LIST1 0x5f, gather_2::LIST2 0x5f] IMAGE AMD;
        /// Level of detail that sampling would use.
        GetLod "image_get_lod" [sample::ROW 0x60, sample::LIST1 0x60] IMAGE AMD;
        /// Gathers four texels in a row.
        Gather4h "image_gather4h" [gather::ROW 0x61, gather::LIST1 0x61] IMAGE AMD;
        /// Samples with coarse derivatives.
        SampleCd "image_sample_cd" [sample_d::ROW 0x68, sample_d::LIST1 0x68, sample_d::LIST2 0x68] IMAGE AMD;
        /// Samples with coarse derivatives, clamped level.
        SampleCdCl "image_sample_cd_cl" [sample_d_l::ROW 0x69, sample_d_l::LIST1 0x69, sample_d_l::LIST2 0x69, sample_d_l::LIST3 0x69] IMAGE AMD;
        /// Samples with comparison, coarse derivatives.
        SampleCCd "image_sample_c_cd" [sample_1_d::ROW 0x6a, sample_1_d::LIST1 0x6a, sample_1_d::LIST2 0x6a, sample_1_d::LIST3 0x6a] IMAGE AMD;
        /// Samples with comparison, coarse derivatives, clamped level.
        SampleCCdCl "image_sample_c_cd_cl" [sample_1_d_l::ROW 0x6b, sample_1_d_l::LIST1 0x6b, sample_1_d_l::LIST2 0x6b, sample_1_d_l::LIST3 0x6b] IMAGE AMD;
        /// Samples with coarse derivatives, offset.
        SampleCdO "image_sample_cd_o" [sample_1_d::ROW 0x6c, sample_1_d::LIST1 0x6c, sample_1_d::LIST2 0x6c, sample_1_d::LIST3 0x6c] IMAGE AMD;
        /// Samples with coarse derivatives, clamped level, offset.
        SampleCdClO "image_sample_cd_cl_o" [sample_1_d_l::ROW 0x6d, sample_1_d_l::LIST1 0x6d, sample_1_d_l::LIST2 0x6d, sample_1_d_l::LIST3 0x6d] IMAGE AMD;
        /// Samples with comparison, coarse derivatives, offset.
        SampleCCdO "image_sample_c_cd_o" [sample_2_d::ROW 0x6e, sample_2_d::LIST1 0x6e, sample_2_d::LIST2 0x6e, sample_2_d::LIST3 0x6e] IMAGE AMD;
        /// Samples with comparison, coarse derivatives, clamped level, offset.
        SampleCCdClO "image_sample_c_cd_cl_o" [sample_2_d_l::ROW 0x6f, sample_2_d_l::LIST1 0x6f, sample_2_d_l::LIST2 0x6f, sample_2_d_l::LIST3 0x6f] IMAGE AMD;
        /// Loads a component of the samples of a texel.
        MsaaLoad "image_msaa_load" [load::ROW 0x80, load::LIST1 0x80] IMAGE AMD;
        /// Samples with derivatives, derivatives as halves.
        SampleDG16 "image_sample_d_g16" [sample_g::ROW 0xa2, sample_g::LIST1 0xa2, sample_g::LIST2 0xa2] IMAGE AMD;
        /// Samples with derivatives, clamped level, derivatives as halves.
        SampleDClG16 "image_sample_d_cl_g16" [sample_g_l::ROW 0xa3, sample_g_l::LIST1 0xa3, sample_g_l::LIST2 0xa3] IMAGE AMD;
        /// Samples with comparison, derivatives, derivatives as halves.
        SampleCDG16 "image_sample_c_d_g16" [sample_1_g::ROW 0xaa, sample_1_g::LIST1 0xaa, sample_1_g::LIST2 0xaa] IMAGE AMD;
        /// Samples with comparison, derivatives, clamped level, derivatives as halves.
        SampleCDClG16 "image_sample_c_d_cl_g16" [sample_1_g_l::ROW 0xab, sample_1_g_l::LIST1 0xab, sample_1_g_l::LIST2 0xab] IMAGE AMD;
        /// Samples with derivatives, offset, derivatives as halves.
        SampleDOG16 "image_sample_d_o_g16" [sample_1_g::ROW 0xb2, sample_1_g::LIST1 0xb2, sample_1_g::LIST2 0xb2] IMAGE AMD;
        /// Samples with derivatives, clamped level, offset, derivatives as halves.
        SampleDClOG16 "image_sample_d_cl_o_g16" [sample_1_g_l::ROW 0xb3, sample_1_g_l::LIST1 0xb3, sample_1_g_l::LIST2 0xb3] IMAGE AMD;
        /// Samples with comparison, derivatives, offset, derivatives as halves.
        SampleCDOG16 "image_sample_c_d_o_g16" [sample_2_g::ROW 0xba, sample_2_g::LIST1 0xba, sample_2_g::LIST2 0xba] IMAGE AMD;
        /// Samples with comparison, derivatives, clamped level, offset, derivatives as halves.
        SampleCDClOG16 "image_sample_c_d_cl_o_g16" [sample_2_g_l::ROW 0xbb, sample_2_g_l::LIST1 0xbb, sample_2_g_l::LIST2 0xbb, sample_2_g_l::LIST3 0xbb] IMAGE AMD;
        /// Intersects a ray with a node of a tree, 32-bit node address.
        BvhIntersectRay "image_bvh_intersect_ray" [RAY 0xe6, RAY_LIST 0xe6, RAY_LIST_PACKED 0xe6] IMAGE AMD;
        /// Intersects a ray with a node of a tree, 64-bit node address.
        Bvh64IntersectRay "image_bvh64_intersect_ray" [RAY64 0xe7, RAY64_LIST 0xe7, RAY64_LIST_PACKED 0xe7] IMAGE AMD;
        /// Samples with coarse derivatives, derivatives as halves.
        SampleCdG16 "image_sample_cd_g16" [sample_g::ROW 0xe8, sample_g::LIST1 0xe8, sample_g::LIST2 0xe8] IMAGE AMD;
        /// Samples with coarse derivatives, clamped level, derivatives as halves.
        SampleCdClG16 "image_sample_cd_cl_g16" [sample_g_l::ROW 0xe9, sample_g_l::LIST1 0xe9, sample_g_l::LIST2 0xe9] IMAGE AMD;
        /// Samples with comparison, coarse derivatives, derivatives as halves.
        SampleCCdG16 "image_sample_c_cd_g16" [sample_1_g::ROW 0xea, sample_1_g::LIST1 0xea, sample_1_g::LIST2 0xea] IMAGE AMD;
        /// Samples with comparison, coarse derivatives, clamped level, derivatives as halves.
        SampleCCdClG16 "image_sample_c_cd_cl_g16" [sample_1_g_l::ROW 0xeb, sample_1_g_l::LIST1 0xeb, sample_1_g_l::LIST2 0xeb] IMAGE AMD;
        /// Samples with coarse derivatives, offset, derivatives as halves.
        SampleCdOG16 "image_sample_cd_o_g16" [sample_1_g::ROW 0xec, sample_1_g::LIST1 0xec, sample_1_g::LIST2 0xec] IMAGE AMD;
        /// Samples with coarse derivatives, clamped level, offset, derivatives as halves.
        SampleCdClOG16 "image_sample_cd_cl_o_g16" [sample_1_g_l::ROW 0xed, sample_1_g_l::LIST1 0xed, sample_1_g_l::LIST2 0xed] IMAGE AMD;
        /// Samples with comparison, coarse derivatives, offset, derivatives as halves.
        SampleCCdOG16 "image_sample_c_cd_o_g16" [sample_2_g::ROW 0xee, sample_2_g::LIST1 0xee, sample_2_g::LIST2 0xee] IMAGE AMD;
        /// Samples with comparison, coarse derivatives, clamped level, offset, derivatives as halves.
        SampleCCdClOG16 "image_sample_c_cd_cl_o_g16" [sample_2_g_l::ROW 0xef, sample_2_g_l::LIST1 0xef, sample_2_g_l::LIST2 0xef, sample_2_g_l::LIST3 0xef] IMAGE AMD;
    }
}

const MIMG: Format = Format {
    name: "MIMG",
    length: Length::Bytes(8),
    opcode: split([0..=0, 18..=24]),
    fixed: &[(at(26..=31), 0x3c), (at(1..=2), 0)],
    ..Format::EMPTY
};
/// Addresses in registers of their own choice: one to three dwords of four follow.
const LISTS: [Format; 3] = [
    Format {
        name: "MIMG, list",
        length: Length::Bytes(12),
        fixed: &[(at(26..=31), 0x3c), (at(1..=2), 1)],
        ..MIMG
    },
    Format {
        name: "MIMG, list",
        length: Length::Bytes(16),
        fixed: &[(at(26..=31), 0x3c), (at(1..=2), 2)],
        ..MIMG
    },
    Format {
        name: "MIMG, list",
        length: Length::Bytes(20),
        fixed: &[(at(26..=31), 0x3c), (at(1..=2), 3)],
        ..MIMG
    },
];
/// What is fixed for rays: components, dimension and flags.
const RAYS: Format =
    Format { name: "MIMG, ray", fixed: &[(at(26..=31), 0x3c), (at(1..=17), 0x4f80)], ..MIMG };
/// The same with a list of addresses, and with packed directions.
const RAYS_LIST: Format = Format {
    name: "MIMG, ray, list",
    length: Length::Bytes(20),
    fixed: &[(at(26..=31), 0x3c), (at(1..=17), 0x4f83), (bit(62), 0)],
    ..MIMG
};
const RAYS_LIST_PACKED: Format = Format {
    length: Length::Bytes(16),
    fixed: &[(at(26..=31), 0x3c), (at(1..=17), 0x4f82), (bit(62), 1)],
    ..RAYS_LIST
};

const DIM: Field = modifier("dim", at(3..=5), &Names(DIMS), "dimensions of the image");
/// Shapes of images by number (spec 4).
pub(crate) const DIMS: &[&str] = &[
    "SQ_RSRC_IMG_1D",
    "SQ_RSRC_IMG_2D",
    "SQ_RSRC_IMG_3D",
    "SQ_RSRC_IMG_CUBE",
    "SQ_RSRC_IMG_1D_ARRAY",
    "SQ_RSRC_IMG_2D_ARRAY",
    "SQ_RSRC_IMG_2D_MSAA",
    "SQ_RSRC_IMG_2D_MSAA_ARRAY",
];
const DMASK: Field = modifier("dmask", at(8..=11), &Tagged(" dmask:", &Hex), "components");
const UNORM: Field = modifier("unorm", bit(12), &Flag(" unorm"), "coordinates in texels");
const GLC: Field =
    modifier("glc", bit(13), &Flag(" glc"), "past the first cache; atomics return what was there");
const SLC: Field = modifier("slc", bit(25), &Flag(" slc"), "streams through the second cache");
const DLC: Field = modifier("dlc", bit(7), &Flag(" dlc"), "past the array's cache");
const R128: Field = modifier("r128", bit(15), &Flag(" r128"), "the descriptor has four dwords");
const A16: Field = modifier("a16", bit(62), &Flag(" a16"), "two coordinates in a dword");
const TFE: Field = modifier("tfe", bit(16), &Flag(" tfe"), "status in one more register");
const LWE: Field = modifier("lwe", bit(17), &Flag(" lwe"), "warn where a level is not there");
const D16: Field = modifier("d16", bit(63), &Flag(" d16"), "two components in a dword");
const SRSRC: Field = src("srsrc", at(48..=52), &Descriptor { count: 8, unit: 4 }, "image descriptor");
const TREE: Field = src("srsrc", at(48..=52), &Descriptor { count: 4, unit: 4 }, "tree descriptor");
const SSAMP: Field = src("ssamp", at(53..=57), &Descriptor { count: 4, unit: 4 }, "sampler descriptor");
const TEXELS: Bits = split([63..=63, 16..=16, 8..=11, 40..=47]);
const RAY_RESULT: Field = dst("vdata", at(40..=47), &Vgpr(4), "what was hit");

/// One of the addresses that stand alone: how many there are depends on shape and packing.
macro_rules! address {
    ($shape:expr, $dwords:literal, $n:literal, $bits:expr) => {
        src(
            concat!("a", $n),
            split([62..=62, 3..=5, $bits]),
            &Address { n: $n, dwords: $dwords, shape: $shape },
            "one address",
        )
    };
}

/// The forms of a shape: one run of addresses, and a list. What is before and behind the
/// addresses is the operation's kind.
macro_rules! image {
    (load $name:ident: $shape:expr, [$($list:ident)*]) => {
        image!($name, [$($list)*], $shape, dst("vdata", TEXELS, &Texels { gather: false }, "where the texel goes"), [],
            "{op} {vdata}, {vaddr}, {srsrc}", "{op}  {vdata}, [[", "]], {srsrc}");
    };
    (store $name:ident: $shape:expr, [$($list:ident)*]) => {
        image!($name, [$($list)*], $shape, src("vdata", TEXELS, &Texels { gather: false }, "what is stored"), [],
            "{op} {vdata}, {vaddr}, {srsrc}", "{op}  {vdata}, [[", "]], {srsrc}");
    };
    (atomic $name:ident: $shape:expr, [$($list:ident)*]) => {
        image!($name, [$($list)*], $shape, inout("vdata", TEXELS, &Texels { gather: false }, "data; with glc, what was there"),
            [], "{op} {vdata}, {vaddr}, {srsrc}", "{op}  {vdata}, [[", "]], {srsrc}");
    };
    (sample $name:ident: $shape:expr, [$($list:ident)*]) => {
        image!($name, [$($list)*], $shape, dst("vdata", TEXELS, &Texels { gather: false }, "where the texel goes"), [SSAMP],
            "{op} {vdata}, {vaddr}, {srsrc}, {ssamp}", "{op}  {vdata}, [[", "]], {srsrc}, {ssamp}");
    };
    (gather $name:ident: $shape:expr, [$($list:ident)*]) => {
        image!($name, [$($list)*], $shape, dst("vdata", TEXELS, &Texels { gather: true }, "where the texels go"), [SSAMP],
            "{op} {vdata}, {vaddr}, {srsrc}, {ssamp}", "{op}  {vdata}, [[", "]], {srsrc}, {ssamp}");
    };
    ($name:ident, $lists:tt, $shape:expr, $data:expr, $sampler:tt, $row:literal, $before:literal, $behind:literal) => {
        mod $name {
            use super::*;
            image!(@row $shape, $data, $sampler, $row);
            image!(@lists $lists, $shape, $data, $sampler, $before, $behind);
        }
    };
    (@row $shape:expr, $data:expr, [$($sampler:expr),*], $row:literal) => {
        layout!(ROW = MIMG,
            [A16, DIM, DMASK, TFE, D16, $data,
             src("vaddr", split([62..=62, 3..=5, 32..=39]), &Addresses($shape), "addresses"),
             SRSRC, $($sampler,)* UNORM, GLC, SLC, DLC, R128, LWE],
            concat!($row, "{*dmask} dim:{dim}{*unorm glc slc dlc r128 a16 tfe lwe d16}"));
    };
    (@lists [], $shape:expr, $data:expr, $sampler:tt, $before:literal, $behind:literal) => {};
    (@lists [$list:ident $($more:ident)*], $shape:expr, $data:expr, $sampler:tt, $before:literal, $behind:literal) => {
        image!(@$list $shape, $data, $sampler, $before, $behind);
        image!(@lists [$($more)*], $shape, $data, $sampler, $before, $behind);
    };
    (@LIST1 $shape:expr, $data:expr, [$($sampler:expr),*], $before:literal, $behind:literal) => {
        layout!(LIST1 = LISTS[0],
            [A16, DIM, DMASK, TFE, D16, $data,
             address!($shape, 1, 0, 32..=39),
             address!($shape, 1, 1, 64..=71),
             address!($shape, 1, 2, 72..=79),
             address!($shape, 1, 3, 80..=87),
             address!($shape, 1, 4, 88..=95),
             SRSRC, $($sampler,)* UNORM, GLC, SLC, DLC, R128, LWE],
            concat!($before, "{a0}{a1}{a2}{a3}{a4}", $behind,
                "{*dmask} dim:{dim}{*unorm glc slc dlc r128 a16 tfe lwe d16}"));
    };
    (@LIST2 $shape:expr, $data:expr, [$($sampler:expr),*], $before:literal, $behind:literal) => {
        layout!(LIST2 = LISTS[1],
            [A16, DIM, DMASK, TFE, D16, $data,
             address!($shape, 2, 0, 32..=39),
             address!($shape, 2, 1, 64..=71),
             address!($shape, 2, 2, 72..=79),
             address!($shape, 2, 3, 80..=87),
             address!($shape, 2, 4, 88..=95),
             address!($shape, 2, 5, 96..=103),
             address!($shape, 2, 6, 104..=111),
             address!($shape, 2, 7, 112..=119),
             address!($shape, 2, 8, 120..=127),
             SRSRC, $($sampler,)* UNORM, GLC, SLC, DLC, R128, LWE],
            concat!($before, "{a0}{a1}{a2}{a3}{a4}{a5}{a6}{a7}{a8}", $behind,
                "{*dmask} dim:{dim}{*unorm glc slc dlc r128 a16 tfe lwe d16}"));
    };
    (@LIST3 $shape:expr, $data:expr, [$($sampler:expr),*], $before:literal, $behind:literal) => {
        layout!(LIST3 = LISTS[2],
            [A16, DIM, DMASK, TFE, D16, $data,
             address!($shape, 3, 0, 32..=39),
             address!($shape, 3, 1, 64..=71),
             address!($shape, 3, 2, 72..=79),
             address!($shape, 3, 3, 80..=87),
             address!($shape, 3, 4, 88..=95),
             address!($shape, 3, 5, 96..=103),
             address!($shape, 3, 6, 104..=111),
             address!($shape, 3, 7, 112..=119),
             address!($shape, 3, 8, 120..=127),
             address!($shape, 3, 9, 128..=135),
             address!($shape, 3, 10, 136..=143),
             address!($shape, 3, 11, 144..=151),
             address!($shape, 3, 12, 152..=159),
             SRSRC, $($sampler,)* UNORM, GLC, SLC, DLC, R128, LWE],
            concat!($before, "{a0}{a1}{a2}{a3}{a4}{a5}{a6}{a7}{a8}{a9}{a10}{a11}{a12}", $behind,
                "{*dmask} dim:{dim}{*unorm glc slc dlc r128 a16 tfe lwe d16}"));
    };
}
image!(load load: Shape { extra: 0, coordinates: true, level: false, gradients: Gradients::None }, [LIST1]);
image!(load load_l: Shape { extra: 0, coordinates: true, level: true, gradients: Gradients::None }, [LIST1]);
image!(store store: Shape { extra: 0, coordinates: true, level: false, gradients: Gradients::None }, [LIST1]);
image!(store store_l: Shape { extra: 0, coordinates: true, level: true, gradients: Gradients::None }, [LIST1]);
image!(load load_size: Shape { extra: 0, coordinates: false, level: true, gradients: Gradients::None }, []);
image!(atomic atomic: Shape { extra: 0, coordinates: true, level: false, gradients: Gradients::None }, [LIST1]);
image!(sample sample: Shape { extra: 0, coordinates: true, level: false, gradients: Gradients::None }, [LIST1]);
image!(sample sample_l: Shape { extra: 0, coordinates: true, level: true, gradients: Gradients::None }, [LIST1]);
image!(sample sample_d: Shape { extra: 0, coordinates: true, level: false, gradients: Gradients::Full }, [LIST1 LIST2]);
image!(sample sample_d_l: Shape { extra: 0, coordinates: true, level: true, gradients: Gradients::Full }, [LIST1 LIST2 LIST3]);
image!(sample sample_1: Shape { extra: 1, coordinates: true, level: false, gradients: Gradients::None }, [LIST1]);
image!(sample sample_1_l: Shape { extra: 1, coordinates: true, level: true, gradients: Gradients::None }, [LIST1 LIST2]);
image!(sample sample_1_d: Shape { extra: 1, coordinates: true, level: false, gradients: Gradients::Full }, [LIST1 LIST2 LIST3]);
image!(sample sample_1_d_l: Shape { extra: 1, coordinates: true, level: true, gradients: Gradients::Full }, [LIST1 LIST2 LIST3]);
image!(sample sample_2: Shape { extra: 2, coordinates: true, level: false, gradients: Gradients::None }, [LIST1 LIST2]);
image!(sample sample_2_l: Shape { extra: 2, coordinates: true, level: true, gradients: Gradients::None }, [LIST1 LIST2]);
image!(sample sample_2_d: Shape { extra: 2, coordinates: true, level: false, gradients: Gradients::Full }, [LIST1 LIST2 LIST3]);
image!(sample sample_2_d_l: Shape { extra: 2, coordinates: true, level: true, gradients: Gradients::Full }, [LIST1 LIST2 LIST3]);
image!(sample sample_3: Shape { extra: 3, coordinates: true, level: false, gradients: Gradients::None }, [LIST1 LIST2]);
image!(sample sample_3_l: Shape { extra: 3, coordinates: true, level: true, gradients: Gradients::None }, [LIST1 LIST2]);
image!(gather gather: Shape { extra: 0, coordinates: true, level: false, gradients: Gradients::None }, [LIST1]);
image!(gather gather_l: Shape { extra: 0, coordinates: true, level: true, gradients: Gradients::None }, [LIST1]);
image!(gather gather_1: Shape { extra: 1, coordinates: true, level: false, gradients: Gradients::None }, [LIST1]);
image!(gather gather_1_l: Shape { extra: 1, coordinates: true, level: true, gradients: Gradients::None }, [LIST1 LIST2]);
image!(gather gather_2: Shape { extra: 2, coordinates: true, level: false, gradients: Gradients::None }, [LIST1 LIST2]);
image!(gather gather_2_l: Shape { extra: 2, coordinates: true, level: true, gradients: Gradients::None }, [LIST1 LIST2]);
image!(gather gather_3: Shape { extra: 3, coordinates: true, level: false, gradients: Gradients::None }, [LIST1 LIST2]);
image!(gather gather_3_l: Shape { extra: 3, coordinates: true, level: true, gradients: Gradients::None }, [LIST1 LIST2]);
image!(sample sample_g: Shape { extra: 0, coordinates: true, level: false, gradients: Gradients::Half }, [LIST1 LIST2]);
image!(sample sample_g_l: Shape { extra: 0, coordinates: true, level: true, gradients: Gradients::Half }, [LIST1 LIST2]);
image!(sample sample_1_g: Shape { extra: 1, coordinates: true, level: false, gradients: Gradients::Half }, [LIST1 LIST2]);
image!(sample sample_1_g_l: Shape { extra: 1, coordinates: true, level: true, gradients: Gradients::Half }, [LIST1 LIST2]);
image!(sample sample_2_g: Shape { extra: 2, coordinates: true, level: false, gradients: Gradients::Half }, [LIST1 LIST2]);
image!(sample sample_2_g_l: Shape { extra: 2, coordinates: true, level: true, gradients: Gradients::Half }, [LIST1 LIST2 LIST3]);

layout!(
    RAY = RAYS,
    [A16, RAY_RESULT, src("vaddr", split([62..=62, 32..=39]), &Ray { node: 1 }, "node, extent, ray"), TREE],
    "{op} {vdata}, {vaddr}, {srsrc}{*a16}"
);
layout!(
    RAY64 = RAYS,
    [A16, RAY_RESULT, src("vaddr", split([62..=62, 32..=39]), &Ray { node: 2 }, "node, extent, ray"), TREE],
    "{op} {vdata}, {vaddr}, {srsrc}{*a16}"
);
layout!(
    RAY_LIST = RAYS_LIST,
    [
        RAY_RESULT,
        src("a0", at(32..=39), &Vgpr(1), "one address"),
        src("a1", at(64..=71), &Vgpr(1), "one address"),
        src("a2", at(72..=79), &Vgpr(1), "one address"),
        src("a3", at(80..=87), &Vgpr(1), "one address"),
        src("a4", at(88..=95), &Vgpr(1), "one address"),
        src("a5", at(96..=103), &Vgpr(1), "one address"),
        src("a6", at(104..=111), &Vgpr(1), "one address"),
        src("a7", at(112..=119), &Vgpr(1), "one address"),
        src("a8", at(120..=127), &Vgpr(1), "one address"),
        src("a9", at(128..=135), &Vgpr(1), "one address"),
        src("a10", at(136..=143), &Vgpr(1), "one address"),
        TREE,
    ],
    "{op} {vdata}, [[{a0}, {a1}, {a2}, {a3}, {a4}, {a5}, {a6}, {a7}, {a8}, {a9}, {a10}]], {srsrc}"
);
layout!(
    RAY_LIST_PACKED = RAYS_LIST_PACKED,
    [
        RAY_RESULT,
        src("a0", at(32..=39), &Vgpr(1), "one address"),
        src("a1", at(64..=71), &Vgpr(1), "one address"),
        src("a2", at(72..=79), &Vgpr(1), "one address"),
        src("a3", at(80..=87), &Vgpr(1), "one address"),
        src("a4", at(88..=95), &Vgpr(1), "one address"),
        src("a5", at(96..=103), &Vgpr(1), "one address"),
        src("a6", at(104..=111), &Vgpr(1), "one address"),
        src("a7", at(112..=119), &Vgpr(1), "one address"),
        TREE,
    ],
    "{op} {vdata}, [[{a0}, {a1}, {a2}, {a3}, {a4}, {a5}, {a6}, {a7}]], {srsrc} a16"
);
layout!(
    RAY64_LIST = RAYS_LIST,
    [
        RAY_RESULT,
        src("a0", at(32..=39), &Vgpr(1), "one address"),
        src("a1", at(64..=71), &Vgpr(1), "one address"),
        src("a2", at(72..=79), &Vgpr(1), "one address"),
        src("a3", at(80..=87), &Vgpr(1), "one address"),
        src("a4", at(88..=95), &Vgpr(1), "one address"),
        src("a5", at(96..=103), &Vgpr(1), "one address"),
        src("a6", at(104..=111), &Vgpr(1), "one address"),
        src("a7", at(112..=119), &Vgpr(1), "one address"),
        src("a8", at(120..=127), &Vgpr(1), "one address"),
        src("a9", at(128..=135), &Vgpr(1), "one address"),
        src("a10", at(136..=143), &Vgpr(1), "one address"),
        src("a11", at(144..=151), &Vgpr(1), "one address"),
        TREE,
    ],
    "{op} {vdata}, [[{a0}, {a1}, {a2}, {a3}, {a4}, {a5}, {a6}, {a7}, {a8}, {a9}, {a10}, {a11}]], {srsrc}"
);
layout!(
    RAY64_LIST_PACKED = RAYS_LIST_PACKED,
    [
        RAY_RESULT,
        src("a0", at(32..=39), &Vgpr(1), "one address"),
        src("a1", at(64..=71), &Vgpr(1), "one address"),
        src("a2", at(72..=79), &Vgpr(1), "one address"),
        src("a3", at(80..=87), &Vgpr(1), "one address"),
        src("a4", at(88..=95), &Vgpr(1), "one address"),
        src("a5", at(96..=103), &Vgpr(1), "one address"),
        src("a6", at(104..=111), &Vgpr(1), "one address"),
        src("a7", at(112..=119), &Vgpr(1), "one address"),
        src("a8", at(120..=127), &Vgpr(1), "one address"),
        TREE,
    ],
    "{op} {vdata}, [[{a0}, {a1}, {a2}, {a3}, {a4}, {a5}, {a6}, {a7}, {a8}]], {srsrc} a16"
);
