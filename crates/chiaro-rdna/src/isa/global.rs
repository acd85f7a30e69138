//! GLOBAL: memory by address (spec 4, 8.4).

use super::layout::*;
use crate::operand::memory::{GlobalAddress, GlobalBase};
use crate::operand::register::Vgpr;
use chiaro_isa::{
    Field, Flag, Format, Int, Length, Tagged, at, bit, dst, inout, modifier, operations, split, src,
};

operations! {
    /// Memory by address.
    pub enum Global => ROWS {
        /// Loads an unsigned byte from global memory.
        LoadUbyte "global_load_ubyte" [LOAD_1 0x08] VMEM AMD;
        /// Loads a signed byte from global memory.
        LoadSbyte "global_load_sbyte" [LOAD_1 0x09] VMEM AMD;
        /// Loads an unsigned short from global memory.
        LoadUshort "global_load_ushort" [LOAD_1 0x0a] VMEM AMD;
        /// Loads a signed short from global memory.
        LoadSshort "global_load_sshort" [LOAD_1 0x0b] VMEM AMD;
        /// Loads a dword from global memory.
        LoadDword "global_load_dword" [LOAD_1 0x0c] VMEM AMD;
        /// Loads two dwords from global memory.
        LoadDwordx2 "global_load_dwordx2" [LOAD_2 0x0d] VMEM AMD;
        /// Loads four dwords from global memory.
        LoadDwordx4 "global_load_dwordx4" [LOAD_4 0x0e] VMEM AMD;
        /// Loads three dwords from global memory.
        LoadDwordx3 "global_load_dwordx3" [LOAD_3 0x0f] VMEM AMD;
        /// Loads a dword for each lane at consecutive addresses from global memory.
        LoadDwordAddtid "global_load_dword_addtid" [LOAD_BY_LANE 0x16] VMEM AMD;
        /// Stores a dword for each lane at consecutive addresses to global memory.
        StoreDwordAddtid "global_store_dword_addtid" [STORE_BY_LANE 0x17] VMEM AMD;
        /// Stores a byte to global memory.
        StoreByte "global_store_byte" [STORE_1 0x18] VMEM AMD;
        /// Stores a byte from the upper half to global memory.
        StoreByteD16Hi "global_store_byte_d16_hi" [STORE_1 0x19] VMEM AMD;
        /// Stores a short to global memory.
        StoreShort "global_store_short" [STORE_1 0x1a] VMEM AMD;
        /// Stores a short from the upper half to global memory.
        StoreShortD16Hi "global_store_short_d16_hi" [STORE_1 0x1b] VMEM AMD;
        /// Stores a dword to global memory.
        StoreDword "global_store_dword" [STORE_1 0x1c] VMEM AMD;
        /// Stores two dwords to global memory.
        StoreDwordx2 "global_store_dwordx2" [STORE_2 0x1d] VMEM AMD;
        /// Stores four dwords to global memory.
        StoreDwordx4 "global_store_dwordx4" [STORE_4 0x1e] VMEM AMD;
        /// Stores three dwords to global memory.
        StoreDwordx3 "global_store_dwordx3" [STORE_3 0x1f] VMEM AMD;
        /// Loads an unsigned byte into the lower half from global memory.
        LoadUbyteD16 "global_load_ubyte_d16" [LOAD_HALF 0x20] VMEM AMD;
        /// Loads an unsigned byte into the upper half from global memory.
        LoadUbyteD16Hi "global_load_ubyte_d16_hi" [LOAD_HALF 0x21] VMEM AMD;
        /// Loads a signed byte into the lower half from global memory.
        LoadSbyteD16 "global_load_sbyte_d16" [LOAD_HALF 0x22] VMEM AMD;
        /// Loads a signed byte into the upper half from global memory.
        LoadSbyteD16Hi "global_load_sbyte_d16_hi" [LOAD_HALF 0x23] VMEM AMD;
        /// Loads a short into the lower half from global memory.
        LoadShortD16 "global_load_short_d16" [LOAD_HALF 0x24] VMEM AMD;
        /// Loads a short into the upper half from global memory.
        LoadShortD16Hi "global_load_short_d16_hi" [LOAD_HALF 0x25] VMEM AMD;
        /// Atomic exchange in global memory; with glc returns what was there.
        AtomicSwap "global_atomic_swap" [ATOMIC_1 0x30, ATOMIC_RETURN_1 0x30] VMEM AMD;
        /// Atomic exchange if equal to the second data in global memory; with glc returns what was there.
        AtomicCmpswap "global_atomic_cmpswap" [ATOMIC_2 0x31, ATOMIC_RETURN_1_OF_2 0x31] VMEM AMD;
        /// Atomic sum in global memory; with glc returns what was there.
        AtomicAdd "global_atomic_add" [ATOMIC_1 0x32, ATOMIC_RETURN_1 0x32] VMEM AMD;
        /// Atomic difference in global memory; with glc returns what was there.
        AtomicSub "global_atomic_sub" [ATOMIC_1 0x33, ATOMIC_RETURN_1 0x33] VMEM AMD;
        /// Atomic difference, at least 0 in global memory; with glc returns what was there.
        AtomicCsub "global_atomic_csub" [ATOMIC_1 0x34, ATOMIC_RETURN_1 0x34] VMEM AMD;
        /// Atomic signed minimum in global memory; with glc returns what was there.
        AtomicSmin "global_atomic_smin" [ATOMIC_1 0x35, ATOMIC_RETURN_1 0x35] VMEM AMD;
        /// Atomic unsigned minimum in global memory; with glc returns what was there.
        AtomicUmin "global_atomic_umin" [ATOMIC_1 0x36, ATOMIC_RETURN_1 0x36] VMEM AMD;
        /// Atomic signed maximum in global memory; with glc returns what was there.
        AtomicSmax "global_atomic_smax" [ATOMIC_1 0x37, ATOMIC_RETURN_1 0x37] VMEM AMD;
        /// Atomic unsigned maximum in global memory; with glc returns what was there.
        AtomicUmax "global_atomic_umax" [ATOMIC_1 0x38, ATOMIC_RETURN_1 0x38] VMEM AMD;
        /// Atomic bitwise and in global memory; with glc returns what was there.
        AtomicAnd "global_atomic_and" [ATOMIC_1 0x39, ATOMIC_RETURN_1 0x39] VMEM AMD;
        /// Atomic bitwise or in global memory; with glc returns what was there.
        AtomicOr "global_atomic_or" [ATOMIC_1 0x3a, ATOMIC_RETURN_1 0x3a] VMEM AMD;
        /// Atomic bitwise exclusive or in global memory; with glc returns what was there.
        AtomicXor "global_atomic_xor" [ATOMIC_1 0x3b, ATOMIC_RETURN_1 0x3b] VMEM AMD;
        /// Atomic count up to a limit, then 0 in global memory; with glc returns what was there.
        AtomicInc "global_atomic_inc" [ATOMIC_1 0x3c, ATOMIC_RETURN_1 0x3c] VMEM AMD;
        /// Atomic count down from a limit in global memory; with glc returns what was there.
        AtomicDec "global_atomic_dec" [ATOMIC_1 0x3d, ATOMIC_RETURN_1 0x3d] VMEM AMD;
        /// Atomic exchange if equal to the second data, as floats in global memory; with glc returns what was there.
        AtomicFcmpswap "global_atomic_fcmpswap" [ATOMIC_2 0x3e, ATOMIC_RETURN_1_OF_2 0x3e] VMEM AMD;
        /// Atomic float minimum in global memory; with glc returns what was there.
        AtomicFmin "global_atomic_fmin" [ATOMIC_1 0x3f, ATOMIC_RETURN_1 0x3f] VMEM AMD;
        /// Atomic float maximum in global memory; with glc returns what was there.
        AtomicFmax "global_atomic_fmax" [ATOMIC_1 0x40, ATOMIC_RETURN_1 0x40] VMEM AMD;
        /// Atomic exchange in global memory, 64 bits; with glc returns what was there.
        AtomicSwapX2 "global_atomic_swap_x2" [ATOMIC_2 0x50, ATOMIC_RETURN_2 0x50] VMEM AMD;
        /// Atomic exchange if equal to the second data in global memory, 64 bits; with glc returns what was there.
        AtomicCmpswapX2 "global_atomic_cmpswap_x2" [ATOMIC_4 0x51, ATOMIC_RETURN_2_OF_4 0x51] VMEM AMD;
        /// Atomic sum in global memory, 64 bits; with glc returns what was there.
        AtomicAddX2 "global_atomic_add_x2" [ATOMIC_2 0x52, ATOMIC_RETURN_2 0x52] VMEM AMD;
        /// Atomic difference in global memory, 64 bits; with glc returns what was there.
        AtomicSubX2 "global_atomic_sub_x2" [ATOMIC_2 0x53, ATOMIC_RETURN_2 0x53] VMEM AMD;
        /// Atomic signed minimum in global memory, 64 bits; with glc returns what was there.
        AtomicSminX2 "global_atomic_smin_x2" [ATOMIC_2 0x55, ATOMIC_RETURN_2 0x55] VMEM AMD;
        /// Atomic unsigned minimum in global memory, 64 bits; with glc returns what was there.
        AtomicUminX2 "global_atomic_umin_x2" [ATOMIC_2 0x56, ATOMIC_RETURN_2 0x56] VMEM AMD;
        /// Atomic signed maximum in global memory, 64 bits; with glc returns what was there.
        AtomicSmaxX2 "global_atomic_smax_x2" [ATOMIC_2 0x57, ATOMIC_RETURN_2 0x57] VMEM AMD;
        /// Atomic unsigned maximum in global memory, 64 bits; with glc returns what was there.
        AtomicUmaxX2 "global_atomic_umax_x2" [ATOMIC_2 0x58, ATOMIC_RETURN_2 0x58] VMEM AMD;
        /// Atomic bitwise and in global memory, 64 bits; with glc returns what was there.
        AtomicAndX2 "global_atomic_and_x2" [ATOMIC_2 0x59, ATOMIC_RETURN_2 0x59] VMEM AMD;
        /// Atomic bitwise or in global memory, 64 bits; with glc returns what was there.
        AtomicOrX2 "global_atomic_or_x2" [ATOMIC_2 0x5a, ATOMIC_RETURN_2 0x5a] VMEM AMD;
        /// Atomic bitwise exclusive or in global memory, 64 bits; with glc returns what was there.
        AtomicXorX2 "global_atomic_xor_x2" [ATOMIC_2 0x5b, ATOMIC_RETURN_2 0x5b] VMEM AMD;
        /// Atomic count up to a limit, then 0 in global memory, 64 bits; with glc returns what was there.
        AtomicIncX2 "global_atomic_inc_x2" [ATOMIC_2 0x5c, ATOMIC_RETURN_2 0x5c] VMEM AMD;
        /// Atomic count down from a limit in global memory, 64 bits; with glc returns what was there.
        AtomicDecX2 "global_atomic_dec_x2" [ATOMIC_2 0x5d, ATOMIC_RETURN_2 0x5d] VMEM AMD;
        /// Atomic exchange if equal to the second data, as floats in global memory, 64 bits; with glc returns what was there.
        AtomicFcmpswapX2 "global_atomic_fcmpswap_x2" [ATOMIC_4 0x5e, ATOMIC_RETURN_2_OF_4 0x5e] VMEM AMD;
        /// Atomic float minimum in global memory, 64 bits; with glc returns what was there.
        AtomicFminX2 "global_atomic_fmin_x2" [ATOMIC_2 0x5f, ATOMIC_RETURN_2 0x5f] VMEM AMD;
        /// Atomic float maximum in global memory, 64 bits; with glc returns what was there.
        AtomicFmaxX2 "global_atomic_fmax_x2" [ATOMIC_2 0x60, ATOMIC_RETURN_2 0x60] VMEM AMD;
    }
}

const FLAT: Format = Format {
    name: "GLOBAL",
    length: Length::Bytes(8),
    opcode: at(18..=24),
    fixed: &[(at(26..=31), 0x37), (at(14..=15), 2)],
    ..Format::EMPTY
};
/// Atomics that return nothing.
const ATOMICS: Format = Format { fixed: &[(at(26..=31), 0x37), (at(14..=15), 2), (bit(16), 0)], ..FLAT };
/// Atomics that return what was there.
const RETURNING: Format = Format { fixed: &[(at(26..=31), 0x37), (at(14..=15), 2), (bit(16), 1)], ..FLAT };

const GLC: Field = modifier("glc", bit(16), &Flag(" glc"), "past the first cache");
const SLC: Field = modifier("slc", bit(17), &Flag(" slc"), "streams through the second cache");
const DLC: Field = modifier("dlc", bit(12), &Flag(" dlc"), "past the array's cache");
const OFFSET: Field =
    modifier("offset", at(0..=11), &Tagged(" offset:", &Int(12)), "bytes added to the address");
const SADDR: Field = src("saddr", at(48..=54), &GlobalBase, "scalar base, or off");
const VADDR: Field =
    src("vaddr", split([48..=54, 32..=39]), &GlobalAddress, "address, or an offset beside a base");

layout!(
    LOAD_1 = FLAT,
    [SADDR, VADDR, dst("vdst", at(56..=63), &Vgpr(1), "where the data go"), OFFSET, GLC, SLC, DLC],
    "{op} {vdst}, {vaddr}, {saddr}{*offset glc slc dlc}"
);
layout!(
    STORE_1 = FLAT,
    [SADDR, VADDR, src("data", at(40..=47), &Vgpr(1), "what is stored"), OFFSET, GLC, SLC, DLC],
    "{op} {vaddr}, {data}, {saddr}{*offset glc slc dlc}"
);
layout!(
    LOAD_2 = FLAT,
    [SADDR, VADDR, dst("vdst", at(56..=63), &Vgpr(2), "where the data go"), OFFSET, GLC, SLC, DLC],
    "{op} {vdst}, {vaddr}, {saddr}{*offset glc slc dlc}"
);
layout!(
    STORE_2 = FLAT,
    [SADDR, VADDR, src("data", at(40..=47), &Vgpr(2), "what is stored"), OFFSET, GLC, SLC, DLC],
    "{op} {vaddr}, {data}, {saddr}{*offset glc slc dlc}"
);
layout!(
    LOAD_3 = FLAT,
    [SADDR, VADDR, dst("vdst", at(56..=63), &Vgpr(3), "where the data go"), OFFSET, GLC, SLC, DLC],
    "{op} {vdst}, {vaddr}, {saddr}{*offset glc slc dlc}"
);
layout!(
    STORE_3 = FLAT,
    [SADDR, VADDR, src("data", at(40..=47), &Vgpr(3), "what is stored"), OFFSET, GLC, SLC, DLC],
    "{op} {vaddr}, {data}, {saddr}{*offset glc slc dlc}"
);
layout!(
    LOAD_4 = FLAT,
    [SADDR, VADDR, dst("vdst", at(56..=63), &Vgpr(4), "where the data go"), OFFSET, GLC, SLC, DLC],
    "{op} {vdst}, {vaddr}, {saddr}{*offset glc slc dlc}"
);
layout!(
    STORE_4 = FLAT,
    [SADDR, VADDR, src("data", at(40..=47), &Vgpr(4), "what is stored"), OFFSET, GLC, SLC, DLC],
    "{op} {vaddr}, {data}, {saddr}{*offset glc slc dlc}"
);
layout!(
    LOAD_HALF = FLAT,
    [SADDR, VADDR, inout("vdst", at(56..=63), &Vgpr(1), "one half is written"), OFFSET, GLC, SLC, DLC],
    "{op} {vdst}, {vaddr}, {saddr}{*offset glc slc dlc}"
);
layout!(
    ATOMIC_1 = ATOMICS,
    [SADDR, VADDR, src("data", at(40..=47), &Vgpr(1), "data"), OFFSET, SLC, DLC],
    "{op} {vaddr}, {data}, {saddr}{*offset slc dlc}"
);
layout!(
    ATOMIC_2 = ATOMICS,
    [SADDR, VADDR, src("data", at(40..=47), &Vgpr(2), "data"), OFFSET, SLC, DLC],
    "{op} {vaddr}, {data}, {saddr}{*offset slc dlc}"
);
layout!(
    ATOMIC_4 = ATOMICS,
    [SADDR, VADDR, src("data", at(40..=47), &Vgpr(4), "data"), OFFSET, SLC, DLC],
    "{op} {vaddr}, {data}, {saddr}{*offset slc dlc}"
);
layout!(
    ATOMIC_RETURN_1 = RETURNING,
    [
        SADDR,
        VADDR,
        dst("vdst", at(56..=63), &Vgpr(1), "what was there"),
        src("data", at(40..=47), &Vgpr(1), "data"),
        OFFSET,
        SLC,
        DLC
    ],
    "{op} {vdst}, {vaddr}, {data}, {saddr}{*offset} glc{*slc dlc}"
);
layout!(
    ATOMIC_RETURN_2 = RETURNING,
    [
        SADDR,
        VADDR,
        dst("vdst", at(56..=63), &Vgpr(2), "what was there"),
        src("data", at(40..=47), &Vgpr(2), "data"),
        OFFSET,
        SLC,
        DLC
    ],
    "{op} {vdst}, {vaddr}, {data}, {saddr}{*offset} glc{*slc dlc}"
);
layout!(
    ATOMIC_RETURN_1_OF_2 = RETURNING,
    [
        SADDR,
        VADDR,
        dst("vdst", at(56..=63), &Vgpr(1), "what was there"),
        src("data", at(40..=47), &Vgpr(2), "data"),
        OFFSET,
        SLC,
        DLC
    ],
    "{op} {vdst}, {vaddr}, {data}, {saddr}{*offset} glc{*slc dlc}"
);
layout!(
    ATOMIC_RETURN_2_OF_4 = RETURNING,
    [
        SADDR,
        VADDR,
        dst("vdst", at(56..=63), &Vgpr(2), "what was there"),
        src("data", at(40..=47), &Vgpr(4), "data"),
        OFFSET,
        SLC,
        DLC
    ],
    "{op} {vdst}, {vaddr}, {data}, {saddr}{*offset} glc{*slc dlc}"
);
layout!(
    LOAD_BY_LANE = FLAT,
    [SADDR, dst("vdst", at(56..=63), &Vgpr(1), "where the data go"), OFFSET, GLC, SLC, DLC],
    "{op} {vdst}, {saddr}{*offset glc slc dlc}"
);
layout!(
    STORE_BY_LANE = FLAT,
    [SADDR, src("data", at(40..=47), &Vgpr(1), "what is stored"), OFFSET, GLC, SLC, DLC],
    "{op} {data}, {saddr}{*offset glc slc dlc}"
);
