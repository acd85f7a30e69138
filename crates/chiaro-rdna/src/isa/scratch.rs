//! SCRATCH: memory of each lane (spec 4, 8.4, 9.3).

use super::layout::*;
use crate::operand::memory::{ScratchAddress, ScratchBase};
use crate::operand::register::Vgpr;
use chiaro_isa::{
    Field, Flag, Format, Int, Length, Tagged, at, bit, dst, inout, modifier, operations, split, src,
};

operations! {
    /// Memory of each lane.
    pub enum Scratch => ROWS {
        /// Loads an unsigned byte from scratch.
        LoadUbyte "scratch_load_ubyte" [LOAD_1 0x08] SCRATCH AMD;
        /// Loads a signed byte from scratch.
        LoadSbyte "scratch_load_sbyte" [LOAD_1 0x09] SCRATCH AMD;
        /// Loads an unsigned short from scratch.
        LoadUshort "scratch_load_ushort" [LOAD_1 0x0a] SCRATCH AMD;
        /// Loads a signed short from scratch.
        LoadSshort "scratch_load_sshort" [LOAD_1 0x0b] SCRATCH AMD;
        /// Loads a dword from scratch.
        LoadDword "scratch_load_dword" [LOAD_1 0x0c] SCRATCH AMD;
        /// Loads two dwords from scratch.
        LoadDwordx2 "scratch_load_dwordx2" [LOAD_2 0x0d] SCRATCH AMD;
        /// Loads four dwords from scratch.
        LoadDwordx4 "scratch_load_dwordx4" [LOAD_4 0x0e] SCRATCH AMD;
        /// Loads three dwords from scratch.
        LoadDwordx3 "scratch_load_dwordx3" [LOAD_3 0x0f] SCRATCH AMD;
        /// Stores a byte to scratch.
        StoreByte "scratch_store_byte" [STORE_1 0x18] SCRATCH AMD;
        /// Stores a byte from the upper half to scratch.
        StoreByteD16Hi "scratch_store_byte_d16_hi" [STORE_1 0x19] SCRATCH AMD;
        /// Stores a short to scratch.
        StoreShort "scratch_store_short" [STORE_1 0x1a] SCRATCH AMD;
        /// Stores a short from the upper half to scratch.
        StoreShortD16Hi "scratch_store_short_d16_hi" [STORE_1 0x1b] SCRATCH AMD;
        /// Stores a dword to scratch.
        StoreDword "scratch_store_dword" [STORE_1 0x1c] SCRATCH AMD;
        /// Stores two dwords to scratch.
        StoreDwordx2 "scratch_store_dwordx2" [STORE_2 0x1d] SCRATCH AMD;
        /// Stores four dwords to scratch.
        StoreDwordx4 "scratch_store_dwordx4" [STORE_4 0x1e] SCRATCH AMD;
        /// Stores three dwords to scratch.
        StoreDwordx3 "scratch_store_dwordx3" [STORE_3 0x1f] SCRATCH AMD;
        /// Loads an unsigned byte into the lower half from scratch.
        LoadUbyteD16 "scratch_load_ubyte_d16" [LOAD_HALF 0x20] SCRATCH AMD;
        /// Loads an unsigned byte into the upper half from scratch.
        LoadUbyteD16Hi "scratch_load_ubyte_d16_hi" [LOAD_HALF 0x21] SCRATCH AMD;
        /// Loads a signed byte into the lower half from scratch.
        LoadSbyteD16 "scratch_load_sbyte_d16" [LOAD_HALF 0x22] SCRATCH AMD;
        /// Loads a signed byte into the upper half from scratch.
        LoadSbyteD16Hi "scratch_load_sbyte_d16_hi" [LOAD_HALF 0x23] SCRATCH AMD;
        /// Loads a short into the lower half from scratch.
        LoadShortD16 "scratch_load_short_d16" [LOAD_HALF 0x24] SCRATCH AMD;
        /// Loads a short into the upper half from scratch.
        LoadShortD16Hi "scratch_load_short_d16_hi" [LOAD_HALF 0x25] SCRATCH AMD;
    }
}

const FLAT: Format = Format {
    name: "SCRATCH",
    length: Length::Bytes(8),
    opcode: at(18..=24),
    fixed: &[(at(26..=31), 0x37), (at(14..=15), 1)],
    ..Format::EMPTY
};

const GLC: Field = modifier("glc", bit(16), &Flag(" glc"), "past the first cache");
const SLC: Field = modifier("slc", bit(17), &Flag(" slc"), "streams through the second cache");
const DLC: Field = modifier("dlc", bit(12), &Flag(" dlc"), "past the array's cache");
const OFFSET: Field =
    modifier("offset", at(0..=11), &Tagged(" offset:", &Int(12)), "bytes added to the address");
const SADDR: Field = src("saddr", at(48..=54), &ScratchBase, "bytes, the same for all lanes, or off");
const VADDR: Field = src("vaddr", split([48..=54, 32..=39]), &ScratchAddress, "bytes for each lane, or off");

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
