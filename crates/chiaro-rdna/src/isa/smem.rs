//! SMEM: scalar memory (spec 4, 5.6).

use super::layout::*;
use crate::operand::memory::ScalarOffset;
use crate::operand::register::{Descriptor, Sgpr};
use chiaro_isa::{Field, Flag, Format, Length, UInt, at, bit, dst, modifier, operations, split, src};

operations! {
    /// Scalar memory.
    pub enum Smem => ROWS {
        /// From 64-bit base + offset + soffset.
        LoadDword "s_load_dword" [LOAD_1 0x00] SMEM AMD;
        /// From 64-bit base + offset + soffset.
        LoadDwordx2 "s_load_dwordx2" [LOAD_2 0x01] SMEM AMD;
        /// From 64-bit base + offset + soffset.
        LoadDwordx4 "s_load_dwordx4" [LOAD_4 0x02] SMEM AMD;
        /// From 64-bit base + offset + soffset.
        LoadDwordx8 "s_load_dwordx8" [LOAD_8 0x03] SMEM AMD;
        /// From 64-bit base + offset + soffset.
        LoadDwordx16 "s_load_dwordx16" [LOAD_16 0x04] SMEM AMD;
        /// Base, stride, num_records from a 4-dword buffer descriptor; dwords out of range return 0. Range: stride = 0 ? num_records : num_records*stride bytes.
        BufferLoadDword "s_buffer_load_dword" [BUFFER_1 0x08] SMEM AMD;
        /// Base, stride, num_records from a 4-dword buffer descriptor; dwords out of range return 0. Range: stride = 0 ? num_records : num_records*stride bytes.
        BufferLoadDwordx2 "s_buffer_load_dwordx2" [BUFFER_2 0x09] SMEM AMD;
        /// Base, stride, num_records from a 4-dword buffer descriptor; dwords out of range return 0. Range: stride = 0 ? num_records : num_records*stride bytes.
        BufferLoadDwordx4 "s_buffer_load_dwordx4" [BUFFER_4 0x0a] SMEM AMD;
        /// Base, stride, num_records from a 4-dword buffer descriptor; dwords out of range return 0. Range: stride = 0 ? num_records : num_records*stride bytes.
        BufferLoadDwordx8 "s_buffer_load_dwordx8" [BUFFER_8 0x0b] SMEM AMD;
        /// Base, stride, num_records from a 4-dword buffer descriptor; dwords out of range return 0. Range: stride = 0 ? num_records : num_records*stride bytes.
        BufferLoadDwordx16 "s_buffer_load_dwordx16" [BUFFER_16 0x0c] SMEM AMD;
        /// Invalidate L1 / scalar cache.
        Gl1Inv "s_gl1_inv" [INVALIDATE 0x1f] SMEM AMD;
        /// Invalidate L1 / scalar cache.
        DcacheInv "s_dcache_inv" [INVALIDATE 0x20] SMEM AMD;
        /// 64-bit cycle counter / constant-rate counter.
        Memtime "s_memtime" [TIME 0x24] SMEM AMD;
        /// 64-bit cycle counter / constant-rate counter.
        Memrealtime "s_memrealtime" [TIME 0x25] SMEM AMD;
        /// Address translation prefetch.
        AtcProbe "s_atc_probe" [PROBE 0x26] SMEM AMD;
        /// Simm in sdata field.
        AtcProbeBuffer "s_atc_probe_buffer" [PROBE_BUFFER 0x27] SMEM AMD;
    }
}

const SCALAR_MEMORY: Format = Format {
    name: "SMEM",
    length: Length::Bytes(8),
    opcode: at(18..=25),
    fixed: &[(at(26..=31), 0x3d)],
    ..Format::EMPTY
};

const fn data(kind: &'static Sgpr) -> Field {
    dst("sdata", at(6..=12), kind, "where the data go")
}
const BASE: Field = src("sbase", at(0..=5), &Descriptor { count: 2, unit: 2 }, "address");
const BUFFER: Field = src("sbase", at(0..=5), &Descriptor { count: 4, unit: 2 }, "buffer descriptor");
const SOFFSET: Field = src("soffset", split([57..=63, 32..=52]), &ScalarOffset, "bytes, a register, or both");
const GLC: Field = modifier("glc", bit(16), &Flag(" glc"), "past the first cache");
const DLC: Field = modifier("dlc", bit(14), &Flag(" dlc"), "past the array's cache");
const LOADS: &str = "{op} {sdata}, {sbase}, {soffset}{*glc dlc}";

layout!(TIME = SCALAR_MEMORY, [data(&Sgpr(2))], "{op} {sdata}");
layout!(INVALIDATE = SCALAR_MEMORY, [], "{op}");
layout!(
    PROBE = SCALAR_MEMORY,
    [modifier("probe", at(6..=12), &UInt, "what to probe"), BASE, SOFFSET],
    "{op} {probe}, {sbase}, {soffset}"
);
layout!(
    PROBE_BUFFER = SCALAR_MEMORY,
    [modifier("probe", at(6..=12), &UInt, "what to probe"), BUFFER, SOFFSET],
    "{op} {probe}, {sbase}, {soffset}"
);
layout!(LOAD_1 = SCALAR_MEMORY, [data(&Sgpr(1)), BASE, SOFFSET, GLC, DLC], LOADS);
layout!(BUFFER_1 = SCALAR_MEMORY, [data(&Sgpr(1)), BUFFER, SOFFSET, GLC, DLC], LOADS);
layout!(LOAD_2 = SCALAR_MEMORY, [data(&Sgpr(2)), BASE, SOFFSET, GLC, DLC], LOADS);
layout!(BUFFER_2 = SCALAR_MEMORY, [data(&Sgpr(2)), BUFFER, SOFFSET, GLC, DLC], LOADS);
layout!(LOAD_4 = SCALAR_MEMORY, [data(&Sgpr(4)), BASE, SOFFSET, GLC, DLC], LOADS);
layout!(BUFFER_4 = SCALAR_MEMORY, [data(&Sgpr(4)), BUFFER, SOFFSET, GLC, DLC], LOADS);
layout!(LOAD_8 = SCALAR_MEMORY, [data(&Sgpr(8)), BASE, SOFFSET, GLC, DLC], LOADS);
layout!(BUFFER_8 = SCALAR_MEMORY, [data(&Sgpr(8)), BUFFER, SOFFSET, GLC, DLC], LOADS);
layout!(LOAD_16 = SCALAR_MEMORY, [data(&Sgpr(16)), BASE, SOFFSET, GLC, DLC], LOADS);
layout!(BUFFER_16 = SCALAR_MEMORY, [data(&Sgpr(16)), BUFFER, SOFFSET, GLC, DLC], LOADS);
