//! MUBUF: buffers by descriptor (spec 4, 8.3).

use super::buffer::*;
use super::layout::*;
use crate::operand::memory::Loaded;
use crate::operand::register::Vgpr;
use chiaro_isa::{Field, Flag, Format, Length, at, bit, dst, inout, modifier, operations, src};

operations! {
    /// Buffers by descriptor.
    pub enum Mubuf => ROWS {
        /// Loads one component, converted by the format from a buffer.
        LoadFormatX "buffer_load_format_x" [LOAD_1 0x00, LOAD_LDS 0x00] VMEM AMD;
        /// Loads two components, converted by the format from a buffer.
        LoadFormatXy "buffer_load_format_xy" [LOAD_2 0x01] VMEM AMD;
        /// Loads three components, converted by the format from a buffer.
        LoadFormatXyz "buffer_load_format_xyz" [LOAD_3 0x02] VMEM AMD;
        /// Loads four components, converted by the format from a buffer.
        LoadFormatXyzw "buffer_load_format_xyzw" [LOAD_4 0x03] VMEM AMD;
        /// Stores one component, converted by the format to a buffer.
        StoreFormatX "buffer_store_format_x" [STORE_1 0x04] VMEM AMD;
        /// Stores two components, converted by the format to a buffer.
        StoreFormatXy "buffer_store_format_xy" [STORE_2 0x05] VMEM AMD;
        /// Stores three components, converted by the format to a buffer.
        StoreFormatXyz "buffer_store_format_xyz" [STORE_3 0x06] VMEM AMD;
        /// Stores four components, converted by the format to a buffer.
        StoreFormatXyzw "buffer_store_format_xyzw" [STORE_4 0x07] VMEM AMD;
        /// Loads an unsigned byte from a buffer.
        LoadUbyte "buffer_load_ubyte" [LOAD_1 0x08, LOAD_LDS 0x08] VMEM AMD;
        /// Loads a signed byte from a buffer.
        LoadSbyte "buffer_load_sbyte" [LOAD_1 0x09, LOAD_LDS 0x09] VMEM AMD;
        /// Loads an unsigned short from a buffer.
        LoadUshort "buffer_load_ushort" [LOAD_1 0x0a, LOAD_LDS 0x0a] VMEM AMD;
        /// Loads a signed short from a buffer.
        LoadSshort "buffer_load_sshort" [LOAD_1 0x0b, LOAD_LDS 0x0b] VMEM AMD;
        /// Loads a dword from a buffer.
        LoadDword "buffer_load_dword" [LOAD_1 0x0c, LOAD_LDS 0x0c] VMEM AMD;
        /// Loads two dwords from a buffer.
        LoadDwordx2 "buffer_load_dwordx2" [LOAD_2 0x0d] VMEM AMD;
        /// Loads four dwords from a buffer.
        LoadDwordx4 "buffer_load_dwordx4" [LOAD_4 0x0e] VMEM AMD;
        /// Loads three dwords from a buffer.
        LoadDwordx3 "buffer_load_dwordx3" [LOAD_3 0x0f] VMEM AMD;
        /// Stores a byte to a buffer.
        StoreByte "buffer_store_byte" [STORE_1 0x18] VMEM AMD;
        /// Stores a byte from the upper half to a buffer.
        StoreByteD16Hi "buffer_store_byte_d16_hi" [STORE_1 0x19] VMEM AMD;
        /// Stores a short to a buffer.
        StoreShort "buffer_store_short" [STORE_1 0x1a] VMEM AMD;
        /// Stores a short from the upper half to a buffer.
        StoreShortD16Hi "buffer_store_short_d16_hi" [STORE_1 0x1b] VMEM AMD;
        /// Stores a dword to a buffer.
        StoreDword "buffer_store_dword" [STORE_1 0x1c] VMEM AMD;
        /// Stores two dwords to a buffer.
        StoreDwordx2 "buffer_store_dwordx2" [STORE_2 0x1d] VMEM AMD;
        /// Stores four dwords to a buffer.
        StoreDwordx4 "buffer_store_dwordx4" [STORE_4 0x1e] VMEM AMD;
        /// Stores three dwords to a buffer.
        StoreDwordx3 "buffer_store_dwordx3" [STORE_3 0x1f] VMEM AMD;
        /// Loads an unsigned byte into the lower half from a buffer.
        LoadUbyteD16 "buffer_load_ubyte_d16" [LOAD_HALF 0x20] VMEM AMD;
        /// Loads an unsigned byte into the upper half from a buffer.
        LoadUbyteD16Hi "buffer_load_ubyte_d16_hi" [LOAD_HALF 0x21] VMEM AMD;
        /// Loads a signed byte into the lower half from a buffer.
        LoadSbyteD16 "buffer_load_sbyte_d16" [LOAD_HALF 0x22] VMEM AMD;
        /// Loads a signed byte into the upper half from a buffer.
        LoadSbyteD16Hi "buffer_load_sbyte_d16_hi" [LOAD_HALF 0x23] VMEM AMD;
        /// Loads a short into the lower half from a buffer.
        LoadShortD16 "buffer_load_short_d16" [LOAD_HALF 0x24] VMEM AMD;
        /// Loads a short into the upper half from a buffer.
        LoadShortD16Hi "buffer_load_short_d16_hi" [LOAD_HALF 0x25] VMEM AMD;
        /// Loads one component as halves, converted by the format from a buffer.
        LoadFormatD16HiX "buffer_load_format_d16_hi_x" [LOAD_HALF 0x26] VMEM AMD;
        /// Stores one component as halves, converted by the format to a buffer.
        StoreFormatD16HiX "buffer_store_format_d16_hi_x" [STORE_1 0x27] VMEM AMD;
        /// Atomic exchange in a buffer; with glc returns what was there.
        AtomicSwap "buffer_atomic_swap" [ATOMIC_1 0x30] VMEM AMD;
        /// Atomic exchange if equal to the second data in a buffer; with glc returns what was there.
        AtomicCmpswap "buffer_atomic_cmpswap" [ATOMIC_2 0x31] VMEM AMD;
        /// Atomic sum in a buffer; with glc returns what was there.
        AtomicAdd "buffer_atomic_add" [ATOMIC_1 0x32] VMEM AMD;
        /// Atomic difference in a buffer; with glc returns what was there.
        AtomicSub "buffer_atomic_sub" [ATOMIC_1 0x33] VMEM AMD;
        /// Atomic difference, at least 0 in a buffer; with glc returns what was there.
        AtomicCsub "buffer_atomic_csub" [ATOMIC_1 0x34] VMEM AMD;
        /// Atomic signed minimum in a buffer; with glc returns what was there.
        AtomicSmin "buffer_atomic_smin" [ATOMIC_1 0x35] VMEM AMD;
        /// Atomic unsigned minimum in a buffer; with glc returns what was there.
        AtomicUmin "buffer_atomic_umin" [ATOMIC_1 0x36] VMEM AMD;
        /// Atomic signed maximum in a buffer; with glc returns what was there.
        AtomicSmax "buffer_atomic_smax" [ATOMIC_1 0x37] VMEM AMD;
        /// Atomic unsigned maximum in a buffer; with glc returns what was there.
        AtomicUmax "buffer_atomic_umax" [ATOMIC_1 0x38] VMEM AMD;
        /// Atomic bitwise and in a buffer; with glc returns what was there.
        AtomicAnd "buffer_atomic_and" [ATOMIC_1 0x39] VMEM AMD;
        /// Atomic bitwise or in a buffer; with glc returns what was there.
        AtomicOr "buffer_atomic_or" [ATOMIC_1 0x3a] VMEM AMD;
        /// Atomic bitwise exclusive or in a buffer; with glc returns what was there.
        AtomicXor "buffer_atomic_xor" [ATOMIC_1 0x3b] VMEM AMD;
        /// Atomic count up to a limit, then 0 in a buffer; with glc returns what was there.
        AtomicInc "buffer_atomic_inc" [ATOMIC_1 0x3c] VMEM AMD;
        /// Atomic count down from a limit in a buffer; with glc returns what was there.
        AtomicDec "buffer_atomic_dec" [ATOMIC_1 0x3d] VMEM AMD;
        /// Atomic exchange if equal to the second data, as floats in a buffer; with glc returns what was there.
        AtomicFcmpswap "buffer_atomic_fcmpswap" [ATOMIC_2 0x3e] VMEM AMD;
        /// Atomic float minimum in a buffer; with glc returns what was there.
        AtomicFmin "buffer_atomic_fmin" [ATOMIC_1 0x3f] VMEM AMD;
        /// Atomic float maximum in a buffer; with glc returns what was there.
        AtomicFmax "buffer_atomic_fmax" [ATOMIC_1 0x40] VMEM AMD;
        /// Atomic exchange in a buffer, 64 bits; with glc returns what was there.
        AtomicSwapX2 "buffer_atomic_swap_x2" [ATOMIC_2 0x50] VMEM AMD;
        /// Atomic exchange if equal to the second data in a buffer, 64 bits; with glc returns what was there.
        AtomicCmpswapX2 "buffer_atomic_cmpswap_x2" [ATOMIC_4 0x51] VMEM AMD;
        /// Atomic sum in a buffer, 64 bits; with glc returns what was there.
        AtomicAddX2 "buffer_atomic_add_x2" [ATOMIC_2 0x52] VMEM AMD;
        /// Atomic difference in a buffer, 64 bits; with glc returns what was there.
        AtomicSubX2 "buffer_atomic_sub_x2" [ATOMIC_2 0x53] VMEM AMD;
        /// Atomic signed minimum in a buffer, 64 bits; with glc returns what was there.
        AtomicSminX2 "buffer_atomic_smin_x2" [ATOMIC_2 0x55] VMEM AMD;
        /// Atomic unsigned minimum in a buffer, 64 bits; with glc returns what was there.
        AtomicUminX2 "buffer_atomic_umin_x2" [ATOMIC_2 0x56] VMEM AMD;
        /// Atomic signed maximum in a buffer, 64 bits; with glc returns what was there.
        AtomicSmaxX2 "buffer_atomic_smax_x2" [ATOMIC_2 0x57] VMEM AMD;
        /// Atomic unsigned maximum in a buffer, 64 bits; with glc returns what was there.
        AtomicUmaxX2 "buffer_atomic_umax_x2" [ATOMIC_2 0x58] VMEM AMD;
        /// Atomic bitwise and in a buffer, 64 bits; with glc returns what was there.
        AtomicAndX2 "buffer_atomic_and_x2" [ATOMIC_2 0x59] VMEM AMD;
        /// Atomic bitwise or in a buffer, 64 bits; with glc returns what was there.
        AtomicOrX2 "buffer_atomic_or_x2" [ATOMIC_2 0x5a] VMEM AMD;
        /// Atomic bitwise exclusive or in a buffer, 64 bits; with glc returns what was there.
        AtomicXorX2 "buffer_atomic_xor_x2" [ATOMIC_2 0x5b] VMEM AMD;
        /// Atomic count up to a limit, then 0 in a buffer, 64 bits; with glc returns what was there.
        AtomicIncX2 "buffer_atomic_inc_x2" [ATOMIC_2 0x5c] VMEM AMD;
        /// Atomic count down from a limit in a buffer, 64 bits; with glc returns what was there.
        AtomicDecX2 "buffer_atomic_dec_x2" [ATOMIC_2 0x5d] VMEM AMD;
        /// Atomic exchange if equal to the second data, as floats in a buffer, 64 bits; with glc returns what was there.
        AtomicFcmpswapX2 "buffer_atomic_fcmpswap_x2" [ATOMIC_4 0x5e] VMEM AMD;
        /// Atomic float minimum in a buffer, 64 bits; with glc returns what was there.
        AtomicFminX2 "buffer_atomic_fmin_x2" [ATOMIC_2 0x5f] VMEM AMD;
        /// Atomic float maximum in a buffer, 64 bits; with glc returns what was there.
        AtomicFmaxX2 "buffer_atomic_fmax_x2" [ATOMIC_2 0x60] VMEM AMD;
        /// Invalidates the first vector cache.
        Gl0Inv "buffer_gl0_inv" [INVALIDATE 0x71] VMEM AMD;
        /// Invalidates the array's cache.
        Gl1Inv "buffer_gl1_inv" [INVALIDATE 0x72] VMEM AMD;
        /// Loads one component as halves, converted by the format from a buffer.
        LoadFormatD16X "buffer_load_format_d16_x" [LOAD_1 0x80] VMEM AMD;
        /// Loads two components as halves, converted by the format from a buffer.
        LoadFormatD16Xy "buffer_load_format_d16_xy" [LOAD_1 0x81] VMEM AMD;
        /// Loads three components as halves, converted by the format from a buffer.
        LoadFormatD16Xyz "buffer_load_format_d16_xyz" [LOAD_2 0x82] VMEM AMD;
        /// Loads four components as halves, converted by the format from a buffer.
        LoadFormatD16Xyzw "buffer_load_format_d16_xyzw" [LOAD_2 0x83] VMEM AMD;
        /// Stores one component as halves, converted by the format to a buffer.
        StoreFormatD16X "buffer_store_format_d16_x" [STORE_1 0x84] VMEM AMD;
        /// Stores two components as halves, converted by the format to a buffer.
        StoreFormatD16Xy "buffer_store_format_d16_xy" [STORE_1 0x85] VMEM AMD;
        /// Stores three components as halves, converted by the format to a buffer.
        StoreFormatD16Xyz "buffer_store_format_d16_xyz" [STORE_2 0x86] VMEM AMD;
        /// Stores four components as halves, converted by the format to a buffer.
        StoreFormatD16Xyzw "buffer_store_format_d16_xyzw" [STORE_2 0x87] VMEM AMD;
    }
}

const MUBUF: Format = Format {
    name: "MUBUF",
    length: Length::Bytes(8),
    opcode: at(18..=25),
    fixed: &[(at(26..=31), 0x38), (bit(16), 0)],
    ..Format::EMPTY
};
/// Loads into LDS at m0.
const MUBUF_LDS: Format = Format { fixed: &[(at(26..=31), 0x38), (bit(16), 1)], ..MUBUF };

const LOADS: &str = "{op} {vdata}, {vaddr}, {srsrc}, {soffset}{*idxen offen offset glc slc dlc tfe}";
const STORES: &str = "{op} {vdata}, {vaddr}, {srsrc}, {soffset}{*idxen offen offset glc slc dlc}";
const DLC: Field = modifier("dlc", bit(15), &Flag(" dlc"), "past the array's cache");

layout!(INVALIDATE = MUBUF, [], "{op}");
layout!(
    LOAD_LDS = MUBUF_LDS,
    [IDXEN, OFFEN, VADDR, TFE, SRSRC, SOFFSET, OFFSET, GLC, SLC, DLC],
    "{op} {vaddr}, {srsrc}, {soffset}{*idxen offen offset glc slc dlc tfe} lds"
);
layout!(
    LOAD_HALF = MUBUF,
    [
        IDXEN,
        OFFEN,
        VADDR,
        TFE,
        inout("vdata", LOADED_BITS, &Loaded(1), "one half is written"),
        SRSRC,
        SOFFSET,
        OFFSET,
        GLC,
        SLC,
        DLC,
    ],
    LOADS
);
layout!(
    LOAD_1 = MUBUF,
    [
        IDXEN,
        OFFEN,
        VADDR,
        TFE,
        dst("vdata", LOADED_BITS, &Loaded(1), LOADED),
        SRSRC,
        SOFFSET,
        OFFSET,
        GLC,
        SLC,
        DLC
    ],
    LOADS
);
layout!(
    LOAD_2 = MUBUF,
    [
        IDXEN,
        OFFEN,
        VADDR,
        TFE,
        dst("vdata", LOADED_BITS, &Loaded(2), LOADED),
        SRSRC,
        SOFFSET,
        OFFSET,
        GLC,
        SLC,
        DLC
    ],
    LOADS
);
layout!(
    LOAD_3 = MUBUF,
    [
        IDXEN,
        OFFEN,
        VADDR,
        TFE,
        dst("vdata", LOADED_BITS, &Loaded(3), LOADED),
        SRSRC,
        SOFFSET,
        OFFSET,
        GLC,
        SLC,
        DLC
    ],
    LOADS
);
layout!(
    LOAD_4 = MUBUF,
    [
        IDXEN,
        OFFEN,
        VADDR,
        TFE,
        dst("vdata", LOADED_BITS, &Loaded(4), LOADED),
        SRSRC,
        SOFFSET,
        OFFSET,
        GLC,
        SLC,
        DLC
    ],
    LOADS
);
layout!(
    STORE_1 = MUBUF,
    [
        IDXEN,
        OFFEN,
        VADDR,
        src("vdata", at(40..=47), &Vgpr(1), "what is stored"),
        SRSRC,
        SOFFSET,
        OFFSET,
        GLC,
        SLC,
        DLC
    ],
    STORES
);
layout!(
    STORE_2 = MUBUF,
    [
        IDXEN,
        OFFEN,
        VADDR,
        src("vdata", at(40..=47), &Vgpr(2), "what is stored"),
        SRSRC,
        SOFFSET,
        OFFSET,
        GLC,
        SLC,
        DLC
    ],
    STORES
);
layout!(
    STORE_3 = MUBUF,
    [
        IDXEN,
        OFFEN,
        VADDR,
        src("vdata", at(40..=47), &Vgpr(3), "what is stored"),
        SRSRC,
        SOFFSET,
        OFFSET,
        GLC,
        SLC,
        DLC
    ],
    STORES
);
layout!(
    STORE_4 = MUBUF,
    [
        IDXEN,
        OFFEN,
        VADDR,
        src("vdata", at(40..=47), &Vgpr(4), "what is stored"),
        SRSRC,
        SOFFSET,
        OFFSET,
        GLC,
        SLC,
        DLC
    ],
    STORES
);
layout!(
    ATOMIC_1 = MUBUF,
    [
        IDXEN,
        OFFEN,
        VADDR,
        inout("vdata", at(40..=47), &Vgpr(1), "data; with glc, what was there"),
        SRSRC,
        SOFFSET,
        OFFSET,
        GLC,
        SLC,
        DLC
    ],
    STORES
);
layout!(
    ATOMIC_2 = MUBUF,
    [
        IDXEN,
        OFFEN,
        VADDR,
        inout("vdata", at(40..=47), &Vgpr(2), "data; with glc, what was there"),
        SRSRC,
        SOFFSET,
        OFFSET,
        GLC,
        SLC,
        DLC
    ],
    STORES
);
layout!(
    ATOMIC_4 = MUBUF,
    [
        IDXEN,
        OFFEN,
        VADDR,
        inout("vdata", at(40..=47), &Vgpr(4), "data; with glc, what was there"),
        SRSRC,
        SOFFSET,
        OFFSET,
        GLC,
        SLC,
        DLC
    ],
    STORES
);
