//! FLAT: memory, LDS or scratch by address (spec 4, 8.4).

use super::layout::*;
use crate::operand::register::Vgpr;
use chiaro_isa::{Field, Flag, Format, Length, at, bit, dst, inout, modifier, operations, src};

operations! {
    /// Memory, lds or scratch by address.
    pub enum Flat => ROWS {
        /// Loads an unsigned byte from memory, LDS or scratch by address.
        LoadUbyte "flat_load_ubyte" [LOAD_1 0x08] VMEM AMD;
        /// Loads a signed byte from memory, LDS or scratch by address.
        LoadSbyte "flat_load_sbyte" [LOAD_1 0x09] VMEM AMD;
        /// Loads an unsigned short from memory, LDS or scratch by address.
        LoadUshort "flat_load_ushort" [LOAD_1 0x0a] VMEM AMD;
        /// Loads a signed short from memory, LDS or scratch by address.
        LoadSshort "flat_load_sshort" [LOAD_1 0x0b] VMEM AMD;
        /// Loads a dword from memory, LDS or scratch by address.
        LoadDword "flat_load_dword" [LOAD_1 0x0c] VMEM AMD;
        /// Loads two dwords from memory, LDS or scratch by address.
        LoadDwordx2 "flat_load_dwordx2" [LOAD_2 0x0d] VMEM AMD;
        /// Loads four dwords from memory, LDS or scratch by address.
        LoadDwordx4 "flat_load_dwordx4" [LOAD_4 0x0e] VMEM AMD;
        /// Loads three dwords from memory, LDS or scratch by address.
        LoadDwordx3 "flat_load_dwordx3" [LOAD_3 0x0f] VMEM AMD;
        /// Stores a byte to memory, LDS or scratch by address.
        StoreByte "flat_store_byte" [STORE_1 0x18] VMEM AMD;
        /// Stores a byte from the upper half to memory, LDS or scratch by address.
        StoreByteD16Hi "flat_store_byte_d16_hi" [STORE_1 0x19] VMEM AMD;
        /// Stores a short to memory, LDS or scratch by address.
        StoreShort "flat_store_short" [STORE_1 0x1a] VMEM AMD;
        /// Stores a short from the upper half to memory, LDS or scratch by address.
        StoreShortD16Hi "flat_store_short_d16_hi" [STORE_1 0x1b] VMEM AMD;
        /// Stores a dword to memory, LDS or scratch by address.
        StoreDword "flat_store_dword" [STORE_1 0x1c] VMEM AMD;
        /// Stores two dwords to memory, LDS or scratch by address.
        StoreDwordx2 "flat_store_dwordx2" [STORE_2 0x1d] VMEM AMD;
        /// Stores four dwords to memory, LDS or scratch by address.
        StoreDwordx4 "flat_store_dwordx4" [STORE_4 0x1e] VMEM AMD;
        /// Stores three dwords to memory, LDS or scratch by address.
        StoreDwordx3 "flat_store_dwordx3" [STORE_3 0x1f] VMEM AMD;
        /// Loads an unsigned byte into the lower half from memory, LDS or scratch by address.
        LoadUbyteD16 "flat_load_ubyte_d16" [LOAD_HALF 0x20] VMEM AMD;
        /// Loads an unsigned byte into the upper half from memory, LDS or scratch by address.
        LoadUbyteD16Hi "flat_load_ubyte_d16_hi" [LOAD_HALF 0x21] VMEM AMD;
        /// Loads a signed byte into the lower half from memory, LDS or scratch by address.
        LoadSbyteD16 "flat_load_sbyte_d16" [LOAD_HALF 0x22] VMEM AMD;
        /// Loads a signed byte into the upper half from memory, LDS or scratch by address.
        LoadSbyteD16Hi "flat_load_sbyte_d16_hi" [LOAD_HALF 0x23] VMEM AMD;
        /// Loads a short into the lower half from memory, LDS or scratch by address.
        LoadShortD16 "flat_load_short_d16" [LOAD_HALF 0x24] VMEM AMD;
        /// Loads a short into the upper half from memory, LDS or scratch by address.
        LoadShortD16Hi "flat_load_short_d16_hi" [LOAD_HALF 0x25] VMEM AMD;
        /// Atomic exchange in memory, LDS or scratch by address; with glc returns what was there.
        AtomicSwap "flat_atomic_swap" [ATOMIC_1 0x30, ATOMIC_RETURN_1 0x30] VMEM AMD;
        /// Atomic exchange if equal to the second data in memory, LDS or scratch by address; with glc returns what was there.
        AtomicCmpswap "flat_atomic_cmpswap" [ATOMIC_2 0x31, ATOMIC_RETURN_1_OF_2 0x31] VMEM AMD;
        /// Atomic sum in memory, LDS or scratch by address; with glc returns what was there.
        AtomicAdd "flat_atomic_add" [ATOMIC_1 0x32, ATOMIC_RETURN_1 0x32] VMEM AMD;
        /// Atomic difference in memory, LDS or scratch by address; with glc returns what was there.
        AtomicSub "flat_atomic_sub" [ATOMIC_1 0x33, ATOMIC_RETURN_1 0x33] VMEM AMD;
        /// Atomic signed minimum in memory, LDS or scratch by address; with glc returns what was there.
        AtomicSmin "flat_atomic_smin" [ATOMIC_1 0x35, ATOMIC_RETURN_1 0x35] VMEM AMD;
        /// Atomic unsigned minimum in memory, LDS or scratch by address; with glc returns what was there.
        AtomicUmin "flat_atomic_umin" [ATOMIC_1 0x36, ATOMIC_RETURN_1 0x36] VMEM AMD;
        /// Atomic signed maximum in memory, LDS or scratch by address; with glc returns what was there.
        AtomicSmax "flat_atomic_smax" [ATOMIC_1 0x37, ATOMIC_RETURN_1 0x37] VMEM AMD;
        /// Atomic unsigned maximum in memory, LDS or scratch by address; with glc returns what was there.
        AtomicUmax "flat_atomic_umax" [ATOMIC_1 0x38, ATOMIC_RETURN_1 0x38] VMEM AMD;
        /// Atomic bitwise and in memory, LDS or scratch by address; with glc returns what was there.
        AtomicAnd "flat_atomic_and" [ATOMIC_1 0x39, ATOMIC_RETURN_1 0x39] VMEM AMD;
        /// Atomic bitwise or in memory, LDS or scratch by address; with glc returns what was there.
        AtomicOr "flat_atomic_or" [ATOMIC_1 0x3a, ATOMIC_RETURN_1 0x3a] VMEM AMD;
        /// Atomic bitwise exclusive or in memory, LDS or scratch by address; with glc returns what was there.
        AtomicXor "flat_atomic_xor" [ATOMIC_1 0x3b, ATOMIC_RETURN_1 0x3b] VMEM AMD;
        /// Atomic count up to a limit, then 0 in memory, LDS or scratch by address; with glc returns what was there.
        AtomicInc "flat_atomic_inc" [ATOMIC_1 0x3c, ATOMIC_RETURN_1 0x3c] VMEM AMD;
        /// Atomic count down from a limit in memory, LDS or scratch by address; with glc returns what was there.
        AtomicDec "flat_atomic_dec" [ATOMIC_1 0x3d, ATOMIC_RETURN_1 0x3d] VMEM AMD;
        /// Atomic exchange if equal to the second data, as floats in memory, LDS or scratch by address; with glc returns what was there.
        AtomicFcmpswap "flat_atomic_fcmpswap" [ATOMIC_2 0x3e, ATOMIC_RETURN_1_OF_2 0x3e] VMEM AMD;
        /// Atomic float minimum in memory, LDS or scratch by address; with glc returns what was there.
        AtomicFmin "flat_atomic_fmin" [ATOMIC_1 0x3f, ATOMIC_RETURN_1 0x3f] VMEM AMD;
        /// Atomic float maximum in memory, LDS or scratch by address; with glc returns what was there.
        AtomicFmax "flat_atomic_fmax" [ATOMIC_1 0x40, ATOMIC_RETURN_1 0x40] VMEM AMD;
        /// Atomic exchange in memory, LDS or scratch by address, 64 bits; with glc returns what was there.
        AtomicSwapX2 "flat_atomic_swap_x2" [ATOMIC_2 0x50, ATOMIC_RETURN_2 0x50] VMEM AMD;
        /// Atomic exchange if equal to the second data in memory, LDS or scratch by address, 64 bits; with glc returns what was there.
        AtomicCmpswapX2 "flat_atomic_cmpswap_x2" [ATOMIC_4 0x51, ATOMIC_RETURN_2_OF_4 0x51] VMEM AMD;
        /// Atomic sum in memory, LDS or scratch by address, 64 bits; with glc returns what was there.
        AtomicAddX2 "flat_atomic_add_x2" [ATOMIC_2 0x52, ATOMIC_RETURN_2 0x52] VMEM AMD;
        /// Atomic difference in memory, LDS or scratch by address, 64 bits; with glc returns what was there.
        AtomicSubX2 "flat_atomic_sub_x2" [ATOMIC_2 0x53, ATOMIC_RETURN_2 0x53] VMEM AMD;
        /// Atomic signed minimum in memory, LDS or scratch by address, 64 bits; with glc returns what was there.
        AtomicSminX2 "flat_atomic_smin_x2" [ATOMIC_2 0x55, ATOMIC_RETURN_2 0x55] VMEM AMD;
        /// Atomic unsigned minimum in memory, LDS or scratch by address, 64 bits; with glc returns what was there.
        AtomicUminX2 "flat_atomic_umin_x2" [ATOMIC_2 0x56, ATOMIC_RETURN_2 0x56] VMEM AMD;
        /// Atomic signed maximum in memory, LDS or scratch by address, 64 bits; with glc returns what was there.
        AtomicSmaxX2 "flat_atomic_smax_x2" [ATOMIC_2 0x57, ATOMIC_RETURN_2 0x57] VMEM AMD;
        /// Atomic unsigned maximum in memory, LDS or scratch by address, 64 bits; with glc returns what was there.
        AtomicUmaxX2 "flat_atomic_umax_x2" [ATOMIC_2 0x58, ATOMIC_RETURN_2 0x58] VMEM AMD;
        /// Atomic bitwise and in memory, LDS or scratch by address, 64 bits; with glc returns what was there.
        AtomicAndX2 "flat_atomic_and_x2" [ATOMIC_2 0x59, ATOMIC_RETURN_2 0x59] VMEM AMD;
        /// Atomic bitwise or in memory, LDS or scratch by address, 64 bits; with glc returns what was there.
        AtomicOrX2 "flat_atomic_or_x2" [ATOMIC_2 0x5a, ATOMIC_RETURN_2 0x5a] VMEM AMD;
        /// Atomic bitwise exclusive or in memory, LDS or scratch by address, 64 bits; with glc returns what was there.
        AtomicXorX2 "flat_atomic_xor_x2" [ATOMIC_2 0x5b, ATOMIC_RETURN_2 0x5b] VMEM AMD;
        /// Atomic count up to a limit, then 0 in memory, LDS or scratch by address, 64 bits; with glc returns what was there.
        AtomicIncX2 "flat_atomic_inc_x2" [ATOMIC_2 0x5c, ATOMIC_RETURN_2 0x5c] VMEM AMD;
        /// Atomic count down from a limit in memory, LDS or scratch by address, 64 bits; with glc returns what was there.
        AtomicDecX2 "flat_atomic_dec_x2" [ATOMIC_2 0x5d, ATOMIC_RETURN_2 0x5d] VMEM AMD;
        /// Atomic exchange if equal to the second data, as floats in memory, LDS or scratch by address, 64 bits; with glc returns what was there.
        AtomicFcmpswapX2 "flat_atomic_fcmpswap_x2" [ATOMIC_4 0x5e, ATOMIC_RETURN_2_OF_4 0x5e] VMEM AMD;
        /// Atomic float minimum in memory, LDS or scratch by address, 64 bits; with glc returns what was there.
        AtomicFminX2 "flat_atomic_fmin_x2" [ATOMIC_2 0x5f, ATOMIC_RETURN_2 0x5f] VMEM AMD;
        /// Atomic float maximum in memory, LDS or scratch by address, 64 bits; with glc returns what was there.
        AtomicFmaxX2 "flat_atomic_fmax_x2" [ATOMIC_2 0x60, ATOMIC_RETURN_2 0x60] VMEM AMD;
    }
}

const FLAT: Format = Format {
    name: "FLAT",
    length: Length::Bytes(8),
    opcode: at(18..=24),
    fixed: &[(at(26..=31), 0x37), (at(14..=15), 0), (at(48..=54), 125)],
    ..Format::EMPTY
};
/// Atomics that return nothing.
const ATOMICS: Format =
    Format { fixed: &[(at(26..=31), 0x37), (at(14..=15), 0), (at(48..=54), 125), (bit(16), 0)], ..FLAT };
/// Atomics that return what was there.
const RETURNING: Format =
    Format { fixed: &[(at(26..=31), 0x37), (at(14..=15), 0), (at(48..=54), 125), (bit(16), 1)], ..FLAT };

const GLC: Field = modifier("glc", bit(16), &Flag(" glc"), "past the first cache");
const SLC: Field = modifier("slc", bit(17), &Flag(" slc"), "streams through the second cache");
const DLC: Field = modifier("dlc", bit(12), &Flag(" dlc"), "past the array's cache");
const VADDR: Field = src("vaddr", at(32..=39), &Vgpr(2), "address");

layout!(
    LOAD_1 = FLAT,
    [VADDR, dst("vdst", at(56..=63), &Vgpr(1), "where the data go"), GLC, SLC, DLC],
    "{op} {vdst}, {vaddr}{*glc slc dlc}"
);
layout!(
    STORE_1 = FLAT,
    [VADDR, src("data", at(40..=47), &Vgpr(1), "what is stored"), GLC, SLC, DLC],
    "{op} {vaddr}, {data}{*glc slc dlc}"
);
layout!(
    LOAD_2 = FLAT,
    [VADDR, dst("vdst", at(56..=63), &Vgpr(2), "where the data go"), GLC, SLC, DLC],
    "{op} {vdst}, {vaddr}{*glc slc dlc}"
);
layout!(
    STORE_2 = FLAT,
    [VADDR, src("data", at(40..=47), &Vgpr(2), "what is stored"), GLC, SLC, DLC],
    "{op} {vaddr}, {data}{*glc slc dlc}"
);
layout!(
    LOAD_3 = FLAT,
    [VADDR, dst("vdst", at(56..=63), &Vgpr(3), "where the data go"), GLC, SLC, DLC],
    "{op} {vdst}, {vaddr}{*glc slc dlc}"
);
layout!(
    STORE_3 = FLAT,
    [VADDR, src("data", at(40..=47), &Vgpr(3), "what is stored"), GLC, SLC, DLC],
    "{op} {vaddr}, {data}{*glc slc dlc}"
);
layout!(
    LOAD_4 = FLAT,
    [VADDR, dst("vdst", at(56..=63), &Vgpr(4), "where the data go"), GLC, SLC, DLC],
    "{op} {vdst}, {vaddr}{*glc slc dlc}"
);
layout!(
    STORE_4 = FLAT,
    [VADDR, src("data", at(40..=47), &Vgpr(4), "what is stored"), GLC, SLC, DLC],
    "{op} {vaddr}, {data}{*glc slc dlc}"
);
layout!(
    LOAD_HALF = FLAT,
    [VADDR, inout("vdst", at(56..=63), &Vgpr(1), "one half is written"), GLC, SLC, DLC],
    "{op} {vdst}, {vaddr}{*glc slc dlc}"
);
layout!(
    ATOMIC_1 = ATOMICS,
    [VADDR, src("data", at(40..=47), &Vgpr(1), "data"), SLC, DLC],
    "{op} {vaddr}, {data}{*slc dlc}"
);
layout!(
    ATOMIC_2 = ATOMICS,
    [VADDR, src("data", at(40..=47), &Vgpr(2), "data"), SLC, DLC],
    "{op} {vaddr}, {data}{*slc dlc}"
);
layout!(
    ATOMIC_4 = ATOMICS,
    [VADDR, src("data", at(40..=47), &Vgpr(4), "data"), SLC, DLC],
    "{op} {vaddr}, {data}{*slc dlc}"
);
layout!(
    ATOMIC_RETURN_1 = RETURNING,
    [
        VADDR,
        dst("vdst", at(56..=63), &Vgpr(1), "what was there"),
        src("data", at(40..=47), &Vgpr(1), "data"),
        SLC,
        DLC
    ],
    "{op} {vdst}, {vaddr}, {data} glc{*slc dlc}"
);
layout!(
    ATOMIC_RETURN_2 = RETURNING,
    [
        VADDR,
        dst("vdst", at(56..=63), &Vgpr(2), "what was there"),
        src("data", at(40..=47), &Vgpr(2), "data"),
        SLC,
        DLC
    ],
    "{op} {vdst}, {vaddr}, {data} glc{*slc dlc}"
);
layout!(
    ATOMIC_RETURN_1_OF_2 = RETURNING,
    [
        VADDR,
        dst("vdst", at(56..=63), &Vgpr(1), "what was there"),
        src("data", at(40..=47), &Vgpr(2), "data"),
        SLC,
        DLC
    ],
    "{op} {vdst}, {vaddr}, {data} glc{*slc dlc}"
);
layout!(
    ATOMIC_RETURN_2_OF_4 = RETURNING,
    [
        VADDR,
        dst("vdst", at(56..=63), &Vgpr(2), "what was there"),
        src("data", at(40..=47), &Vgpr(4), "data"),
        SLC,
        DLC
    ],
    "{op} {vdst}, {vaddr}, {data} glc{*slc dlc}"
);
