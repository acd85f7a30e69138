//! DS: LDS and GDS (spec 4, 8.1).

use super::layout::*;
use crate::operand::attribute::Swizzle;
use crate::operand::register::Vgpr;
use chiaro_isa::{Field, Flag, Format, Length, Tagged, UInt, at, bit, dst, inout, modifier, operations, src};

operations! {
    /// LDS and GDS.
    pub enum Ds => ROWS {
        /// M += data0.
        AddU32 "ds_add_u32" [DATA1 0x00] DS AMD;
        /// M -= data0.
        SubU32 "ds_sub_u32" [DATA1 0x01] DS AMD;
        /// M = data0 - M.
        RsubU32 "ds_rsub_u32" [DATA1 0x02] DS AMD;
        /// M = M >= data0 ? 0 : M+1.
        IncU32 "ds_inc_u32" [DATA1 0x03] DS AMD;
        /// M = (M==0 or M>data0) ? data0 : M-1.
        DecU32 "ds_dec_u32" [DATA1 0x04] DS AMD;
        /// Signed min.
        MinI32 "ds_min_i32" [DATA1 0x05] DS AMD;
        /// Signed max.
        MaxI32 "ds_max_i32" [DATA1 0x06] DS AMD;
        /// Unsigned min.
        MinU32 "ds_min_u32" [DATA1 0x07] DS AMD;
        /// Unsigned max.
        MaxU32 "ds_max_u32" [DATA1 0x08] DS AMD;
        /// And.
        AndB32 "ds_and_b32" [DATA1 0x09] DS AMD;
        /// Or.
        OrB32 "ds_or_b32" [DATA1 0x0a] DS AMD;
        /// Xor.
        XorB32 "ds_xor_b32" [DATA1 0x0b] DS AMD;
        /// M = (M & ~data0) or data1.
        MskorB32 "ds_mskor_b32" [DATA1_DATA1 0x0c] DS AMD;
        /// Store.
        WriteB32 "ds_write_b32" [DATA1 0x0d] DS AMD;
        /// Data0 at addr+offset0*size.
        Write2B32 "ds_write2_b32" [DATA1_DATA1_TWO 0x0e] DS AMD;
        /// Same with offset*size*64.
        Write2st64B32 "ds_write2st64_b32" [DATA1_DATA1_TWO 0x0f] DS AMD;
        /// If M == data0: M = data1 (order opposite to buffer/flat cmpswap; gfx11 renames to cmpstore and swaps).
        CmpstB32 "ds_cmpst_b32" [DATA1_DATA1 0x10] DS AMD;
        /// As ds_cmpst_b32 or _b64, compared as floats.
        CmpstF32 "ds_cmpst_f32" [DATA1_DATA1 0x11] DS AMD;
        /// M = data0 < M ? data0 : M.
        MinF32 "ds_min_f32" [DATA1 0x12] DS AMD;
        /// Maximum, floats.
        MaxF32 "ds_max_f32" [DATA1 0x13] DS AMD;
        /// Nothing.
        Nop "ds_nop" [NOTHING 0x14] DS AMD;
        /// Float add (denormals flushed: unknown).
        AddF32 "ds_add_f32" [DATA1 0x15] DS AMD;
        /// Global wave sync, gds=1.
        GwsSemaReleaseAll "ds_gws_sema_release_all" [SYNC 0x18] DS AMD { implicit: READS_M0 };
        /// Global wave sync, gds=1.
        GwsInit "ds_gws_init" [SYNC_DATA 0x19] DS AMD { implicit: READS_M0 };
        /// Global wave sync, gds=1.
        GwsSemaV "ds_gws_sema_v" [SYNC 0x1a] DS AMD { implicit: READS_M0 };
        /// Global wave sync, gds=1.
        GwsSemaBr "ds_gws_sema_br" [SYNC_DATA 0x1b] DS AMD { implicit: READS_M0 };
        /// Global wave sync, gds=1.
        GwsSemaP "ds_gws_sema_p" [SYNC 0x1c] DS AMD { implicit: READS_M0 };
        /// Global wave sync, gds=1.
        GwsBarrier "ds_gws_barrier" [SYNC_DATA 0x1d] DS AMD { implicit: READS_M0 };
        /// Low / high half source.
        WriteB8 "ds_write_b8" [DATA1 0x1e] DS AMD;
        /// Low / high half source.
        WriteB16 "ds_write_b16" [DATA1 0x1f] DS AMD;
        /// M += data0.
        AddRtnU32 "ds_add_rtn_u32" [RETURN1_DATA1 0x20] DS AMD;
        /// M -= data0.
        SubRtnU32 "ds_sub_rtn_u32" [RETURN1_DATA1 0x21] DS AMD;
        /// M = data0 - M.
        RsubRtnU32 "ds_rsub_rtn_u32" [RETURN1_DATA1 0x22] DS AMD;
        /// M = M >= data0 ? 0 : M+1.
        IncRtnU32 "ds_inc_rtn_u32" [RETURN1_DATA1 0x23] DS AMD;
        /// M = (M==0 or M>data0) ? data0 : M-1.
        DecRtnU32 "ds_dec_rtn_u32" [RETURN1_DATA1 0x24] DS AMD;
        /// Signed min.
        MinRtnI32 "ds_min_rtn_i32" [RETURN1_DATA1 0x25] DS AMD;
        /// Signed max.
        MaxRtnI32 "ds_max_rtn_i32" [RETURN1_DATA1 0x26] DS AMD;
        /// Unsigned min.
        MinRtnU32 "ds_min_rtn_u32" [RETURN1_DATA1 0x27] DS AMD;
        /// Unsigned max.
        MaxRtnU32 "ds_max_rtn_u32" [RETURN1_DATA1 0x28] DS AMD;
        /// And.
        AndRtnB32 "ds_and_rtn_b32" [RETURN1_DATA1 0x29] DS AMD;
        /// Or.
        OrRtnB32 "ds_or_rtn_b32" [RETURN1_DATA1 0x2a] DS AMD;
        /// Xor.
        XorRtnB32 "ds_xor_rtn_b32" [RETURN1_DATA1 0x2b] DS AMD;
        /// M = (M & ~data0) or data1.
        MskorRtnB32 "ds_mskor_rtn_b32" [RETURN1_DATA1_DATA1 0x2c] DS AMD;
        /// Exchange.
        WrxchgRtnB32 "ds_wrxchg_rtn_b32" [RETURN1_DATA1 0x2d] DS AMD;
        /// Two exchanges.
        Wrxchg2RtnB32 "ds_wrxchg2_rtn_b32" [RETURN2_DATA1_DATA1_TWO 0x2e] DS AMD;
        /// Two exchanges.
        Wrxchg2st64RtnB32 "ds_wrxchg2st64_rtn_b32" [RETURN2_DATA1_DATA1_TWO 0x2f] DS AMD;
        /// If M == data0: M = data1 (order opposite to buffer/flat cmpswap; gfx11 renames to cmpstore and swaps).
        CmpstRtnB32 "ds_cmpst_rtn_b32" [RETURN1_DATA1_DATA1 0x30] DS AMD;
        /// As ds_cmpst_b32 or _b64, compared as floats.
        CmpstRtnF32 "ds_cmpst_rtn_f32" [RETURN1_DATA1_DATA1 0x31] DS AMD;
        /// M = data0 < M ? data0 : M.
        MinRtnF32 "ds_min_rtn_f32" [RETURN1_DATA1 0x32] DS AMD;
        /// Maximum, floats.
        MaxRtnF32 "ds_max_rtn_f32" [RETURN1_DATA1 0x33] DS AMD;
        /// M = M >= data0 ? M-data0 : M+data1.
        WrapRtnB32 "ds_wrap_rtn_b32" [RETURN1_DATA1_DATA1 0x34] DS AMD;
        /// 8.2.
        SwizzleB32 "ds_swizzle_b32" [SWIZZLE 0x35] DS AMD;
        /// Load.
        ReadB32 "ds_read_b32" [READ_1 0x36] DS AMD;
        /// Two loads, offsets scaled like write2.
        Read2B32 "ds_read2_b32" [READ_TWO_2 0x37] DS AMD;
        /// Two loads, offsets scaled like write2.
        Read2st64B32 "ds_read2st64_b32" [READ_TWO_2 0x38] DS AMD;
        /// Extended to 32 bits.
        ReadI8 "ds_read_i8" [READ_1 0x39] DS AMD;
        /// Extended to 32 bits.
        ReadU8 "ds_read_u8" [READ_1 0x3a] DS AMD;
        /// Extended to 32 bits.
        ReadI16 "ds_read_i16" [READ_1 0x3b] DS AMD;
        /// Extended to 32 bits.
        ReadU16 "ds_read_u16" [READ_1 0x3c] DS AMD;
        /// Whole-wave counter at M0[31:16]+offset: M -/+= popcount(EXEC), old value to all lanes. ACO emits ds_append without writing M0 before it (`light_tiles`), so it relies on M0 = 0 or on the field not being added: run with M0 = 0.
        Consume "ds_consume" [COUNT 0x3d] DS AMD { implicit: READS_M0 };
        /// Whole-wave counter at M0[31:16]+offset: M -/+= popcount(EXEC), old value to all lanes. ACO emits ds_append without writing M0 before it (`light_tiles`), so it relies on M0 = 0 or on the field not being added: run with M0 = 0.
        Append "ds_append" [COUNT 0x3e] DS AMD { implicit: READS_M0 };
        /// GDS ordered counter.
        OrderedCount "ds_ordered_count" [ORDERED 0x3f] DS AMD { implicit: READS_M0 };
        /// M += data0.
        AddU64 "ds_add_u64" [DATA2 0x40] DS AMD;
        /// M -= data0.
        SubU64 "ds_sub_u64" [DATA2 0x41] DS AMD;
        /// M = data0 - M.
        RsubU64 "ds_rsub_u64" [DATA2 0x42] DS AMD;
        /// M = M >= data0 ? 0 : M+1.
        IncU64 "ds_inc_u64" [DATA2 0x43] DS AMD;
        /// M = (M==0 or M>data0) ? data0 : M-1.
        DecU64 "ds_dec_u64" [DATA2 0x44] DS AMD;
        /// Signed min.
        MinI64 "ds_min_i64" [DATA2 0x45] DS AMD;
        /// Signed max.
        MaxI64 "ds_max_i64" [DATA2 0x46] DS AMD;
        /// Unsigned min.
        MinU64 "ds_min_u64" [DATA2 0x47] DS AMD;
        /// Unsigned max.
        MaxU64 "ds_max_u64" [DATA2 0x48] DS AMD;
        /// And.
        AndB64 "ds_and_b64" [DATA2 0x49] DS AMD;
        /// Or.
        OrB64 "ds_or_b64" [DATA2 0x4a] DS AMD;
        /// Xor.
        XorB64 "ds_xor_b64" [DATA2 0x4b] DS AMD;
        /// M = (M & ~data0) or data1.
        MskorB64 "ds_mskor_b64" [DATA2_DATA2 0x4c] DS AMD;
        /// Store.
        WriteB64 "ds_write_b64" [DATA2 0x4d] DS AMD;
        /// Data1 at addr+offset1*size.
        Write2B64 "ds_write2_b64" [DATA2_DATA2_TWO 0x4e] DS AMD;
        /// Same with offset*size*64.
        Write2st64B64 "ds_write2st64_b64" [DATA2_DATA2_TWO 0x4f] DS AMD;
        /// If M == data0: M = data1 (order opposite to buffer/flat cmpswap; gfx11 renames to cmpstore and swaps).
        CmpstB64 "ds_cmpst_b64" [DATA2_DATA2 0x50] DS AMD;
        /// As ds_cmpst_b32 or _b64, compared as floats.
        CmpstF64 "ds_cmpst_f64" [DATA2_DATA2 0x51] DS AMD;
        /// M = data0 < M ? data0 : M.
        MinF64 "ds_min_f64" [DATA2 0x52] DS AMD;
        /// Maximum, doubles.
        MaxF64 "ds_max_f64" [DATA2 0x53] DS AMD;
        /// Float add (denormals flushed: unknown).
        AddRtnF32 "ds_add_rtn_f32" [RETURN1_DATA1 0x55] DS AMD;
        /// M += data0.
        AddRtnU64 "ds_add_rtn_u64" [RETURN2_DATA2 0x60] DS AMD;
        /// M -= data0.
        SubRtnU64 "ds_sub_rtn_u64" [RETURN2_DATA2 0x61] DS AMD;
        /// M = data0 - M.
        RsubRtnU64 "ds_rsub_rtn_u64" [RETURN2_DATA2 0x62] DS AMD;
        /// M = M >= data0 ? 0 : M+1.
        IncRtnU64 "ds_inc_rtn_u64" [RETURN2_DATA2 0x63] DS AMD;
        /// M = (M==0 or M>data0) ? data0 : M-1.
        DecRtnU64 "ds_dec_rtn_u64" [RETURN2_DATA2 0x64] DS AMD;
        /// Signed min.
        MinRtnI64 "ds_min_rtn_i64" [RETURN2_DATA2 0x65] DS AMD;
        /// Signed max.
        MaxRtnI64 "ds_max_rtn_i64" [RETURN2_DATA2 0x66] DS AMD;
        /// Unsigned min.
        MinRtnU64 "ds_min_rtn_u64" [RETURN2_DATA2 0x67] DS AMD;
        /// Unsigned max.
        MaxRtnU64 "ds_max_rtn_u64" [RETURN2_DATA2 0x68] DS AMD;
        /// And.
        AndRtnB64 "ds_and_rtn_b64" [RETURN2_DATA2 0x69] DS AMD;
        /// Or.
        OrRtnB64 "ds_or_rtn_b64" [RETURN2_DATA2 0x6a] DS AMD;
        /// Xor.
        XorRtnB64 "ds_xor_rtn_b64" [RETURN2_DATA2 0x6b] DS AMD;
        /// M = (M & ~data0) or data1.
        MskorRtnB64 "ds_mskor_rtn_b64" [RETURN2_DATA2_DATA2 0x6c] DS AMD;
        /// Exchange.
        WrxchgRtnB64 "ds_wrxchg_rtn_b64" [RETURN2_DATA2 0x6d] DS AMD;
        /// Two exchanges.
        Wrxchg2RtnB64 "ds_wrxchg2_rtn_b64" [RETURN4_DATA2_DATA2_TWO 0x6e] DS AMD;
        /// Two exchanges.
        Wrxchg2st64RtnB64 "ds_wrxchg2st64_rtn_b64" [RETURN4_DATA2_DATA2_TWO 0x6f] DS AMD;
        /// If M == data0: M = data1 (order opposite to buffer/flat cmpswap; gfx11 renames to cmpstore and swaps).
        CmpstRtnB64 "ds_cmpst_rtn_b64" [RETURN2_DATA2_DATA2 0x70] DS AMD;
        /// As ds_cmpst_b32 or _b64, compared as floats.
        CmpstRtnF64 "ds_cmpst_rtn_f64" [RETURN2_DATA2_DATA2 0x71] DS AMD;
        /// M = data0 < M ? data0 : M.
        MinRtnF64 "ds_min_rtn_f64" [RETURN2_DATA2 0x72] DS AMD;
        /// Maximum, doubles.
        MaxRtnF64 "ds_max_rtn_f64" [RETURN2_DATA2 0x73] DS AMD;
        /// Load.
        ReadB64 "ds_read_b64" [READ_2 0x76] DS AMD;
        /// Two loads, offsets scaled like write2.
        Read2B64 "ds_read2_b64" [READ_TWO_4 0x77] DS AMD;
        /// Two loads, offsets scaled like write2.
        Read2st64B64 "ds_read2st64_b64" [READ_TWO_4 0x78] DS AMD;
        /// Two 32-bit conditional exchanges: store data word (bit 31 cleared) where its bit 31 is set.
        Condxchg32RtnB64 "ds_condxchg32_rtn_b64" [RETURN2_DATA2 0x7e] DS AMD;
        /// Low / high half source.
        WriteB8D16Hi "ds_write_b8_d16_hi" [DATA1 0xa0] DS AMD;
        /// Low / high half source.
        WriteB16D16Hi "ds_write_b16_d16_hi" [DATA1 0xa1] DS AMD;
        /// Loads into one half, other half kept.
        ReadU8D16 "ds_read_u8_d16" [READ_HALF 0xa2] DS AMD;
        /// Loads into one half, other half kept.
        ReadU8D16Hi "ds_read_u8_d16_hi" [READ_HALF 0xa3] DS AMD;
        /// Loads into one half, other half kept.
        ReadI8D16 "ds_read_i8_d16" [READ_HALF 0xa4] DS AMD;
        /// Loads into one half, other half kept.
        ReadI8D16Hi "ds_read_i8_d16_hi" [READ_HALF 0xa5] DS AMD;
        /// Loads into one half, other half kept.
        ReadU16D16 "ds_read_u16_d16" [READ_HALF 0xa6] DS AMD;
        /// Loads into one half, other half kept.
        ReadU16D16Hi "ds_read_u16_d16_hi" [READ_HALF 0xa7] DS AMD;
        /// Address = M0[15:0] + offset + 4*lane.
        WriteAddtidB32 "ds_write_addtid_b32" [WRITE_BY_LANE 0xb0] DS AMD { implicit: READS_M0 };
        /// Address = M0[15:0] + offset + 4*lane.
        ReadAddtidB32 "ds_read_addtid_b32" [READ_BY_LANE 0xb1] DS AMD { implicit: READS_M0 };
        /// Push: lane i writes data0 to lane (addr+offset)/4 mod 32; highest lane wins; unwritten lanes 0; no LDS memory used.
        PermuteB32 "ds_permute_b32" [RETURN1_DATA1 0xb2] DS AMD;
        /// Pull: lane i reads data0 of lane (addr+offset)/4 mod 32, 0 if that lane is inactive. In wave64 each half of 32 only reaches its own half.
        BpermuteB32 "ds_bpermute_b32" [RETURN1_DATA1 0xb3] DS AMD;
        /// Stores three dwords.
        WriteB96 "ds_write_b96" [DATA3 0xde] DS AMD;
        /// Stores four dwords.
        WriteB128 "ds_write_b128" [DATA4 0xdf] DS AMD;
        /// Loads three dwords.
        ReadB96 "ds_read_b96" [READ_3 0xfe] DS AMD;
        /// Loads four dwords.
        ReadB128 "ds_read_b128" [READ_4 0xff] DS AMD;
    }
}

const LDS: Format = Format {
    name: "DS",
    length: Length::Bytes(8),
    opcode: at(18..=25),
    fixed: &[(at(26..=31), 0x36)],
    ..Format::EMPTY
};

const fn result(kind: &'static Vgpr) -> Field {
    dst("vdst", at(56..=63), kind, "what was read")
}
const fn data0(kind: &'static Vgpr) -> Field {
    src("data0", at(40..=47), kind, "first data")
}
const fn data1(kind: &'static Vgpr) -> Field {
    src("data1", at(48..=55), kind, "second data")
}
const ADDR: Field = src("addr", at(32..=39), &Vgpr(1), "address in bytes");
const OFFSET: Field =
    modifier("offset", at(0..=15), &Tagged(" offset:", &UInt), "bytes added to the address");
const OFFSET0: Field =
    modifier("offset0", at(0..=7), &Tagged(" offset0:", &UInt), "elements added for the first");
const OFFSET1: Field =
    modifier("offset1", at(8..=15), &Tagged(" offset1:", &UInt), "elements added for the second");
const PATTERN: Field = modifier("offset", at(0..=15), &Swizzle, "which lane is read");
const GDS: Field = modifier("gds", bit(17), &Flag(" gds"), "the memory that all groups share");

layout!(NOTHING = LDS, [], "{op}");
layout!(SYNC = LDS, [OFFSET, GDS], "{op}{*offset gds}");
layout!(SYNC_DATA = LDS, [SYNC_VALUE, OFFSET, GDS], "{op} {data0}{*offset gds}");
const SYNC_VALUE: Field = src("data0", at(32..=39), &Vgpr(1), "count");
layout!(COUNT = LDS, [result(&Vgpr(1)), OFFSET, GDS], "{op} {vdst}{*offset gds}");
layout!(ORDERED = LDS, [result(&Vgpr(1)), ADDR, OFFSET, GDS], "{op} {vdst}, {addr}{*offset gds}");
layout!(WRITE_BY_LANE = LDS, [data0(&Vgpr(1)), OFFSET, GDS], "{op} {data0}{*offset gds}");
layout!(READ_BY_LANE = LDS, [result(&Vgpr(1)), OFFSET, GDS], "{op} {vdst}{*offset gds}");
layout!(SWIZZLE = LDS, [result(&Vgpr(1)), ADDR, PATTERN, GDS], "{op} {vdst}, {addr}{*offset gds}");
layout!(
    READ_HALF = LDS,
    [inout("vdst", at(56..=63), &Vgpr(1), "one half is written"), ADDR, OFFSET, GDS],
    "{op} {vdst}, {addr}{*offset gds}"
);
layout!(DATA1 = LDS, [ADDR, data0(&Vgpr(1)), OFFSET, GDS], "{op} {addr}, {data0}{*offset gds}");
layout!(
    DATA1_DATA1 = LDS,
    [ADDR, data0(&Vgpr(1)), data1(&Vgpr(1)), OFFSET, GDS],
    "{op} {addr}, {data0}, {data1}{*offset gds}"
);
layout!(
    DATA1_DATA1_TWO = LDS,
    [ADDR, data0(&Vgpr(1)), data1(&Vgpr(1)), OFFSET0, OFFSET1, GDS],
    "{op} {addr}, {data0}, {data1}{*offset0 offset1 gds}"
);
layout!(
    RETURN1_DATA1 = LDS,
    [result(&Vgpr(1)), ADDR, data0(&Vgpr(1)), OFFSET, GDS],
    "{op} {vdst}, {addr}, {data0}{*offset gds}"
);
layout!(
    RETURN1_DATA1_DATA1 = LDS,
    [result(&Vgpr(1)), ADDR, data0(&Vgpr(1)), data1(&Vgpr(1)), OFFSET, GDS],
    "{op} {vdst}, {addr}, {data0}, {data1}{*offset gds}"
);
layout!(
    RETURN2_DATA1_DATA1_TWO = LDS,
    [result(&Vgpr(2)), ADDR, data0(&Vgpr(1)), data1(&Vgpr(1)), OFFSET0, OFFSET1, GDS],
    "{op} {vdst}, {addr}, {data0}, {data1}{*offset0 offset1 gds}"
);
layout!(READ_1 = LDS, [result(&Vgpr(1)), ADDR, OFFSET, GDS], "{op} {vdst}, {addr}{*offset gds}");
layout!(
    READ_TWO_2 = LDS,
    [result(&Vgpr(2)), ADDR, OFFSET0, OFFSET1, GDS],
    "{op} {vdst}, {addr}{*offset0 offset1 gds}"
);
layout!(DATA2 = LDS, [ADDR, data0(&Vgpr(2)), OFFSET, GDS], "{op} {addr}, {data0}{*offset gds}");
layout!(
    DATA2_DATA2 = LDS,
    [ADDR, data0(&Vgpr(2)), data1(&Vgpr(2)), OFFSET, GDS],
    "{op} {addr}, {data0}, {data1}{*offset gds}"
);
layout!(
    DATA2_DATA2_TWO = LDS,
    [ADDR, data0(&Vgpr(2)), data1(&Vgpr(2)), OFFSET0, OFFSET1, GDS],
    "{op} {addr}, {data0}, {data1}{*offset0 offset1 gds}"
);
layout!(
    RETURN2_DATA2 = LDS,
    [result(&Vgpr(2)), ADDR, data0(&Vgpr(2)), OFFSET, GDS],
    "{op} {vdst}, {addr}, {data0}{*offset gds}"
);
layout!(
    RETURN2_DATA2_DATA2 = LDS,
    [result(&Vgpr(2)), ADDR, data0(&Vgpr(2)), data1(&Vgpr(2)), OFFSET, GDS],
    "{op} {vdst}, {addr}, {data0}, {data1}{*offset gds}"
);
layout!(
    RETURN4_DATA2_DATA2_TWO = LDS,
    [result(&Vgpr(4)), ADDR, data0(&Vgpr(2)), data1(&Vgpr(2)), OFFSET0, OFFSET1, GDS],
    "{op} {vdst}, {addr}, {data0}, {data1}{*offset0 offset1 gds}"
);
layout!(READ_2 = LDS, [result(&Vgpr(2)), ADDR, OFFSET, GDS], "{op} {vdst}, {addr}{*offset gds}");
layout!(
    READ_TWO_4 = LDS,
    [result(&Vgpr(4)), ADDR, OFFSET0, OFFSET1, GDS],
    "{op} {vdst}, {addr}{*offset0 offset1 gds}"
);
layout!(DATA3 = LDS, [ADDR, data0(&Vgpr(3)), OFFSET, GDS], "{op} {addr}, {data0}{*offset gds}");
layout!(DATA4 = LDS, [ADDR, data0(&Vgpr(4)), OFFSET, GDS], "{op} {addr}, {data0}{*offset gds}");
layout!(READ_3 = LDS, [result(&Vgpr(3)), ADDR, OFFSET, GDS], "{op} {vdst}, {addr}{*offset gds}");
layout!(READ_4 = LDS, [result(&Vgpr(4)), ADDR, OFFSET, GDS], "{op} {vdst}, {addr}{*offset gds}");
