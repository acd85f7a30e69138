//! MTBUF: buffers with the format in the instruction (spec 4, 8.3).

use super::buffer::*;
use super::layout::*;
use crate::operand::attribute::BufferFormat;
use crate::operand::memory::Loaded;
use crate::operand::register::Vgpr;
use chiaro_isa::{Field, Flag, Format, Length, at, bit, dst, modifier, operations, split, src};

operations! {
    /// Buffers with the format in the instruction.
    pub enum Mtbuf => ROWS {
        /// Loads one component, converted by the format from a typed buffer.
        LoadFormatX "tbuffer_load_format_x" [LOAD_1 0x00] VMEM AMD;
        /// Loads two components, converted by the format from a typed buffer.
        LoadFormatXy "tbuffer_load_format_xy" [LOAD_2 0x01] VMEM AMD;
        /// Loads three components, converted by the format from a typed buffer.
        LoadFormatXyz "tbuffer_load_format_xyz" [LOAD_3 0x02] VMEM AMD;
        /// Loads four components, converted by the format from a typed buffer.
        LoadFormatXyzw "tbuffer_load_format_xyzw" [LOAD_4 0x03] VMEM AMD;
        /// Stores one component, converted by the format to a typed buffer.
        StoreFormatX "tbuffer_store_format_x" [STORE_1 0x04] VMEM AMD;
        /// Stores two components, converted by the format to a typed buffer.
        StoreFormatXy "tbuffer_store_format_xy" [STORE_2 0x05] VMEM AMD;
        /// Stores three components, converted by the format to a typed buffer.
        StoreFormatXyz "tbuffer_store_format_xyz" [STORE_3 0x06] VMEM AMD;
        /// Stores four components, converted by the format to a typed buffer.
        StoreFormatXyzw "tbuffer_store_format_xyzw" [STORE_4 0x07] VMEM AMD;
        /// Loads one component as halves, converted by the format from a typed buffer.
        LoadFormatD16X "tbuffer_load_format_d16_x" [LOAD_1 0x08] VMEM AMD;
        /// Loads two components as halves, converted by the format from a typed buffer.
        LoadFormatD16Xy "tbuffer_load_format_d16_xy" [LOAD_1 0x09] VMEM AMD;
        /// Loads three components as halves, converted by the format from a typed buffer.
        LoadFormatD16Xyz "tbuffer_load_format_d16_xyz" [LOAD_2 0x0a] VMEM AMD;
        /// Loads four components as halves, converted by the format from a typed buffer.
        LoadFormatD16Xyzw "tbuffer_load_format_d16_xyzw" [LOAD_2 0x0b] VMEM AMD;
        /// Stores one component as halves, converted by the format to a typed buffer.
        StoreFormatD16X "tbuffer_store_format_d16_x" [STORE_1 0x0c] VMEM AMD;
        /// Stores two components as halves, converted by the format to a typed buffer.
        StoreFormatD16Xy "tbuffer_store_format_d16_xy" [STORE_1 0x0d] VMEM AMD;
        /// Stores three components as halves, converted by the format to a typed buffer.
        StoreFormatD16Xyz "tbuffer_store_format_d16_xyz" [STORE_2 0x0e] VMEM AMD;
        /// Stores four components as halves, converted by the format to a typed buffer.
        StoreFormatD16Xyzw "tbuffer_store_format_d16_xyzw" [STORE_2 0x0f] VMEM AMD;
    }
}

const MTBUF: Format = Format {
    name: "MTBUF",
    length: Length::Bytes(8),
    opcode: split([53..=53, 16..=18]),
    fixed: &[(at(26..=31), 0x3a)],
    ..Format::EMPTY
};

const LOADS: &str = "{op} {vdata}, {vaddr}, {srsrc}, {soffset}{*format idxen offen offset glc slc dlc tfe}";
const STORES: &str = "{op} {vdata}, {vaddr}, {srsrc}, {soffset}{*format idxen offen offset glc slc dlc}";
const FORMAT: Field = modifier("format", at(19..=25), &BufferFormat, "format of an element").or(1);
const DLC: Field = modifier("dlc", bit(15), &Flag(" dlc"), "past the array's cache");

layout!(
    LOAD_1 = MTBUF,
    [
        IDXEN,
        OFFEN,
        VADDR,
        TFE,
        dst("vdata", LOADED_BITS, &Loaded(1), LOADED),
        SRSRC,
        SOFFSET,
        FORMAT,
        OFFSET,
        GLC,
        SLC,
        DLC
    ],
    LOADS
);
layout!(
    LOAD_2 = MTBUF,
    [
        IDXEN,
        OFFEN,
        VADDR,
        TFE,
        dst("vdata", LOADED_BITS, &Loaded(2), LOADED),
        SRSRC,
        SOFFSET,
        FORMAT,
        OFFSET,
        GLC,
        SLC,
        DLC
    ],
    LOADS
);
layout!(
    LOAD_3 = MTBUF,
    [
        IDXEN,
        OFFEN,
        VADDR,
        TFE,
        dst("vdata", LOADED_BITS, &Loaded(3), LOADED),
        SRSRC,
        SOFFSET,
        FORMAT,
        OFFSET,
        GLC,
        SLC,
        DLC
    ],
    LOADS
);
layout!(
    LOAD_4 = MTBUF,
    [
        IDXEN,
        OFFEN,
        VADDR,
        TFE,
        dst("vdata", LOADED_BITS, &Loaded(4), LOADED),
        SRSRC,
        SOFFSET,
        FORMAT,
        OFFSET,
        GLC,
        SLC,
        DLC
    ],
    LOADS
);
layout!(
    STORE_1 = MTBUF,
    [
        IDXEN,
        OFFEN,
        VADDR,
        src("vdata", at(40..=47), &Vgpr(1), "what is stored"),
        SRSRC,
        SOFFSET,
        FORMAT,
        OFFSET,
        GLC,
        SLC,
        DLC
    ],
    STORES
);
layout!(
    STORE_2 = MTBUF,
    [
        IDXEN,
        OFFEN,
        VADDR,
        src("vdata", at(40..=47), &Vgpr(2), "what is stored"),
        SRSRC,
        SOFFSET,
        FORMAT,
        OFFSET,
        GLC,
        SLC,
        DLC
    ],
    STORES
);
layout!(
    STORE_3 = MTBUF,
    [
        IDXEN,
        OFFEN,
        VADDR,
        src("vdata", at(40..=47), &Vgpr(3), "what is stored"),
        SRSRC,
        SOFFSET,
        FORMAT,
        OFFSET,
        GLC,
        SLC,
        DLC
    ],
    STORES
);
layout!(
    STORE_4 = MTBUF,
    [
        IDXEN,
        OFFEN,
        VADDR,
        src("vdata", at(40..=47), &Vgpr(4), "what is stored"),
        SRSRC,
        SOFFSET,
        FORMAT,
        OFFSET,
        GLC,
        SLC,
        DLC
    ],
    STORES
);
