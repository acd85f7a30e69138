#!/usr/bin/env python3
"""Cases of RDNA2's operations that exec_semantics.tsv has no rows for: a second model of sections 5 to 8 of the
specification, which knows nothing of the crate. `tools/rdna-cases.py > crates/chiaro-rdna/tests/own-more.tsv` writes
what `crates/chiaro-rdna/tests/own.rs` runs; the columns are those of own.tsv."""
import struct

M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def row(setup, text, expected, wave=32):
    print(f"{wave}\t{setup}\t{text}\t{expected}")


def signed(n, bits):
    n &= (1 << bits) - 1
    return n - (1 << bits) if n >> (bits - 1) else n


def bits32(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def bits16(x):
    return struct.unpack("<H", struct.pack("<e", x))[0]


def bits64(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def f32(n):
    return struct.unpack("<f", struct.pack("<I", n))[0]


def f64(n):
    return struct.unpack("<d", struct.pack("<Q", n))[0]


def pair(file, first, n):
    """A number in two registers."""
    return f"{file}{first}={n & M32:#x} {file}{first + 1}={n >> 32:#x}"


def scc(n):
    """What sets SCC."""
    return "s_cmp_eq_u32 s0, s0" if n else "s_cmp_lg_u32 s0, s0"


# 5.1 and 5.3: scalars of 64 bits.
A, B = 0xF0F01234_8000000F, 0x0FF05678_00000FF1


def scalar64():
    logic = {
        "s_and_b64": lambda a, b: a & b, "s_or_b64": lambda a, b: a | b, "s_xor_b64": lambda a, b: a ^ b,
        "s_andn2_b64": lambda a, b: a & ~b, "s_orn2_b64": lambda a, b: a | ~b, "s_nand_b64": lambda a, b: ~(a & b),
        "s_nor_b64": lambda a, b: ~(a | b), "s_xnor_b64": lambda a, b: ~(a ^ b),
    }
    for name, op in logic.items():
        for a, b in [(A, B), (M64, M64), (0, 0)]:
            d = op(a, b) & M64
            row(f"{pair('s', 8, a)} {pair('s', 10, b)}", f"{name} s[12:13], s[8:9], s[10:11]",
                f"{pair('s', 12, d)} scc={int(d != 0)}")
    shifts = {
        "s_lshl_b64": lambda a, n: a << (n & 63), "s_lshr_b64": lambda a, n: a >> (n & 63),
        "s_ashr_i64": lambda a, n: signed(a, 64) >> (n & 63),
    }
    for name, op in shifts.items():
        for n in (0, 4, 33, 68):
            d = op(A, n) & M64
            row(f"{pair('s', 8, A)} s10={n}", f"{name} s[12:13], s[8:9], s10", f"{pair('s', 12, d)} scc={int(d != 0)}")
    for size, place in ((5, 3), (40, 20), (64, 1)):
        d = (((1 << (size & 63)) - 1) << (place & 63)) & M64
        row(f"s8={size} s10={place}", "s_bfm_b64 s[12:13], s8, s10", pair("s", 12, d))
    for place, width in ((4, 8), (32, 16), (60, 4), (3, 0)):
        part = (A >> place) & ((1 << width) - 1)
        sext = (signed(part, width) if width else 0) & M64
        for name, d in (("s_bfe_u64", part), ("s_bfe_i64", sext)):
            row(f"{pair('s', 8, A)} s10={place | width << 16:#x}", f"{name} s[12:13], s[8:9], s10",
                f"{pair('s', 12, d)} scc={int(d != 0)}")
    for on in (0, 1):
        both = f"{pair('s', 8, A)} {pair('s', 10, B)}"
        row(both, f"{scc(on)}; s_cselect_b64 s[12:13], s[8:9], s[10:11]", pair("s", 12, A if on else B))
        row(both, f"{scc(on)}; s_cmov_b64 s[10:11], s[8:9]", pair("s", 10, A if on else B))
        row("s8=7", f"{scc(on)}; s_cmovk_i32 s8, 0xfffe", f"s8={0xfffffffe if on else 7:#x}")


def reverse(n, size):
    return int(f"{n:0{size}b}"[::-1], 2)


def lowest(n, size):
    return next((i for i in range(size) if n >> i & 1), M32)


def highest(n, size):
    return next((i for i in range(size) if n >> (size - 1 - i) & 1), M32)


def change(n, size):
    sign = n >> (size - 1) & 1
    return next((i for i in range(size) if n >> (size - 1 - i) & 1 != sign), M32)


def groups(n, size, whole):
    out = 0
    for i in range(size // 4):
        if n >> (4 * i) & 15:
            out |= 15 << (4 * i) if whole else 1 << i
    return out


def scalar_one():
    for a in (A, 0, M64, 1 << 40):
        wide = {
            "s_mov_b64": (a, None), "s_not_b64": (~a & M64, True), "s_wqm_b64": (groups(a, 64, True), True),
            "s_brev_b64": (reverse(a, 64), None), "s_quadmask_b64": (groups(a, 64, False), True),
        }
        for name, (d, sets) in wide.items():
            flag = f" scc={int(d != 0)}" if sets else ""
            row(pair("s", 8, a), f"{name} s[12:13], s[8:9]", pair("s", 12, d) + flag)
        ones = bin(a).count("1")
        narrow = {
            "s_bcnt0_i32_b64": (64 - ones, True), "s_bcnt1_i32_b64": (ones, True),
            "s_ff0_i32_b64": (lowest(~a & M64, 64), None), "s_ff1_i32_b64": (lowest(a, 64), None),
            "s_flbit_i32_b64": (highest(a, 64), None), "s_flbit_i32_i64": (change(a, 64), None),
        }
        for name, (d, sets) in narrow.items():
            flag = f" scc={int(d != 0)}" if sets else ""
            row(pair("s", 8, a), f"{name} s12, s[8:9]", f"s12={d:#x}" + flag)
    for a in (0xFFFFFFF7, M32, 0):
        row(f"s8={a:#x}", "s_ff0_i32_b32 s12, s8", f"s12={lowest(~a & M32, 32):#x}")
    for n in (3, 40, 67):
        row(f"s8={n} {pair('s', 12, A)}", "s_bitset0_b64 s[12:13], s8", pair("s", 12, A & ~(1 << (n & 63))))
        row(f"s8={n} {pair('s', 12, B)}", "s_bitset1_b64 s[12:13], s8", pair("s", 12, B | 1 << (n & 63)))
    doubled = sum(3 << (2 * i) for i in range(32) if 0x8001_F00D >> i & 1)
    row("s8=0x8001f00d", "s_bitreplicate_b64_b32 s[12:13], s8", pair("s", 12, doubled))
    row("m0=2 s8=5 s10=77 s11=78", "s_movrels_b32 s12, s8", "s12=77")
    row("m0=2 s10=77 s11=78", "s_movrels_b64 s[12:13], s[8:9]", "s12=77 s13=78")
    row("m0=2 s8=5 s12=1 s14=1", "s_movreld_b32 s12, s8", "s12=1 s14=5")
    row("m0=2 s8=5 s9=6", "s_movreld_b64 s[12:13], s[8:9]", "s14=5 s15=6")
    row("m0=0x30001 s8=1 s9=9", "s_movrelsd_2_b32 s12, s8", "s15=9 s12=0")


def exec_changes():
    ops = {
        "and": lambda s, e: s & e, "or": lambda s, e: s | e, "xor": lambda s, e: s ^ e, "andn2": lambda s, e: s & ~e,
        "orn2": lambda s, e: s | ~e, "nand": lambda s, e: ~(s & e), "nor": lambda s, e: ~(s | e),
        "xnor": lambda s, e: ~(s ^ e), "andn1": lambda s, e: ~s & e, "orn1": lambda s, e: ~s | e,
    }
    for name, op in ops.items():
        for s, e in ((0xFF00FF00, 0x0FF0_0FF0), (0xFFFFFFFF, 0xFFFFFFFF), (0, 0xFFFFFFFF)):
            new = op(s, e) & M32
            row(f"exec={e:#x} s10={s:#x}", f"s_{name}_saveexec_b32 s8, s10; s_mov_b32 s9, exec_lo",
                f"s8={e:#x} s9={new:#x} scc={int(new != 0)}")
            wide_s, wide_e = s << 32 | 0x5A, e << 32 | 0x3C
            new = op(wide_s, wide_e) & M64
            row(f"exec={wide_e:#x} {pair('s', 10, wide_s)}",
                f"s_{name}_saveexec_b64 s[8:9], s[10:11]; s_mov_b64 s[12:13], exec",
                f"{pair('s', 8, wide_e)} {pair('s', 12, new)} scc={int(new != 0)}", 64)
    for name in ("andn1", "andn2"):
        for s, e in ((0xFF00FF00, 0x0FF0_0FF0), (0xFFFFFFFF, 0xFFFFFFFF)):
            new = ops[name](s, e) & M32
            row(f"exec={e:#x} s10={s:#x}", f"s_{name}_wrexec_b32 s8, s10; s_mov_b32 s9, exec_lo",
                f"s8={new:#x} s9={new:#x} scc={int(new != 0)}")
            wide_s, wide_e = s << 32 | 0x5A, e << 32 | 0x3C
            new = ops[name](wide_s, wide_e) & M64
            row(f"exec={wide_e:#x} {pair('s', 10, wide_s)}",
                f"s_{name}_wrexec_b64 s[8:9], s[10:11]; s_mov_b64 s[12:13], exec",
                f"{pair('s', 8, new)} {pair('s', 12, new)} scc={int(new != 0)}", 64)


# 5.2, 5.4, 5.5: numbers of 16 bits, comparisons, control.
def scalar_rest():
    row("", "s_movk_i32 s8, 0x8000", "s8=0xffff8000")
    row("s8=9", "s_version 3", "s8=9")
    tests = {"eq": lambda a, b: a == b, "lg": lambda a, b: a != b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
             "lt": lambda a, b: a < b, "le": lambda a, b: a <= b}
    for name, test in tests.items():
        for a, k in ((0xFFFFFFFE, 0xFFFE), (5, 7), (0xFFFE, 0xFFFE), (7, 5), (0xFFFFFFFE, 1)):
            row(f"s8={a:#x}", f"s_cmpk_{name}_i32 s8, {k:#x}", f"scc={int(test(signed(a, 32), signed(k, 16)))}")
            row(f"s8={a:#x}", f"s_cmpk_{name}_u32 s8, {k:#x}", f"scc={int(test(a, k))}")
    for a, k in ((5, 0xFFFF), (0x7FFFFFFF, 1), (0x80000000, 0xFFFF)):
        total = signed(a, 32) + signed(k, 16)
        row(f"s8={a:#x}", f"s_addk_i32 s8, {k:#x}", f"s8={total & M32:#x} scc={int(total != signed(total, 32))}")
        row(f"s8={a:#x}", f"s_mulk_i32 s8, {k:#x}", f"s8={signed(a, 32) * signed(k, 16) & M32:#x}")
    for name in ("eq", "lg"):
        for b in (A, A ^ 1, A ^ 1 << 63):
            row(f"{pair('s', 8, A)} {pair('s', 10, b)}", f"s_cmp_{name}_u64 s[8:9], s[10:11]", f"scc={int(tests[name](A, b))}")
    for n in (3, 32, 35, 67):
        bit = A >> (n & 63) & 1
        row(f"{pair('s', 8, A)} s10={n}", "s_bitcmp0_b64 s[8:9], s10", f"scc={int(bit == 0)}")
        row(f"{pair('s', 8, A)} s10={n}", "s_bitcmp1_b64 s[8:9], s10", f"scc={int(bit == 1)}")
    skip = "; s_mov_b32 s8, 5; s_mov_b32 s9, 6"
    row("", "s_branch 1" + skip, "s8=0 s9=6")
    for on in (0, 1):
        row("", f"{scc(on)}; s_cbranch_scc1 1" + skip, f"s8={0 if on else 5} s9=6")
        row("", f"{scc(on)}; s_cbranch_scc0 1" + skip, f"s8={5 if on else 0} s9=6")
        row(f"vcc={4 * on}", "s_cbranch_vccnz 1" + skip, f"s8={0 if on else 5} s9=6")
        row(f"vcc={4 * on}", "s_cbranch_vccz 1" + skip, f"s8={5 if on else 0} s9=6")
        row(f"exec={on}", "s_cbranch_execnz 1" + skip, f"s8={0 if on else 5} s9=6")
        row(f"exec={on}", "s_cbranch_execz 1" + skip, f"s8={5 if on else 0} s9=6")
    row("", "s_getpc_b64 s[8:9]; s_getpc_b64 s[10:11]; s_sub_u32 s12, s10, s8", "s12=4")
    go = "s_getpc_b64 s[8:9]; s_add_u32 s8, s8, 16; s_addc_u32 s9, s9, 0; "
    land = "; s_mov_b32 s10, 1; s_mov_b32 s11, 2"
    row("", go + "s_setpc_b64 s[8:9]" + land, "s10=0 s11=2")
    row("", go + "s_swappc_b64 s[12:13], s[8:9]" + land + "; s_sub_u32 s14, s8, s12", "s10=0 s11=2 s14=4")
    row("", "s_call_b64 s[8:9], 1; s_mov_b32 s10, 1; s_mov_b32 s11, 2", "s10=0 s11=2")
    row("s8=1", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5; s_getreg_b32 s9, hwreg(HW_REG_MODE, 0, 4)", "s9=5")
    row("s8=3", "s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s8; s_getreg_b32 s9, hwreg(HW_REG_MODE, 4, 4)", "s9=3")
    row("", "s_round_mode 0x3; s_denorm_mode 0x5; s_getreg_b32 s9, hwreg(HW_REG_MODE, 0, 8)", "s9=0x53")
    for name in ("s_nop 3", "s_sleep 1", "s_setprio 1", "s_wakeup", "s_icache_inv", "s_inst_prefetch 0x3", "s_clause 0x1",
                 "s_waitcnt_depctr 0xffff", "s_barrier", "s_waitcnt_vscnt null, 0x0", "s_waitcnt_vmcnt null, 0x0",
                 "s_waitcnt_expcnt null, 0x0", "s_waitcnt_lgkmcnt null, 0x0", "s_wait_idle", "s_gl1_inv", "s_dcache_inv",
                 "buffer_gl0_inv", "buffer_gl1_inv", "v_nop", "v_pipeflush", "v_clrexcp", "ds_nop"):
        row("s8=7 v1=8", name, "s8=7 v1=8")
    for count, name in ((1, "s_load_dword"), (4, "s_load_dwordx4"), (8, "s_load_dwordx8"), (16, "s_load_dwordx16")):
        out = f"s[16:{15 + count}]" if count > 1 else "s16"
        row("", f"{name} {out}, s[0:1], 0x8; s_waitcnt lgkmcnt(0)", " ".join(f"s{16 + i}={0x01020302 + i:#x}" for i in range(count)))
    for count, name in ((2, "x2"), (4, "x4"), (8, "x8"), (16, "x16")):
        for first in (4, 62):
            words = [0x01020300 + first + i if first + i < 64 else 0 for i in range(count)]
            row("", f"s_buffer_load_dword{name} s[16:{15 + count}], s[4:7], {4 * first:#x}; s_waitcnt lgkmcnt(0)",
                " ".join(f"s{16 + i}={w:#x}" for i, w in enumerate(words)))


# 6.5: comparisons of vectors.
def compares():
    nan = float("nan")
    floats = ["f", "lt", "eq", "le", "gt", "lg", "ge", "o", "u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "tru"]

    def float_test(name, a, b):
        ordered = a == a and b == b
        if name in ("f", "tru"):
            return name == "tru"
        if name in ("o", "u"):
            return ordered == (name == "o")
        plain = {"lt": a < b, "eq": a == b, "le": a <= b, "gt": a > b, "lg": a < b or a > b, "ge": a >= b}
        if name == "neq":
            return not plain["eq"]
        return plain[name] if name in plain else not plain[name[1:]]

    def whole(name, a, b):
        return {"f": False, "lt": a < b, "eq": a == b, "le": a <= b, "gt": a > b, "ne": a != b, "ge": a >= b, "t": True}[name]

    def rows(kind, names, values, raw, wide, test):
        def operand(value, first):
            n = raw(value)
            return pair("v", first, n) if wide else f"v{first}={n:#x}"

        def place(first):
            return f"v[{first}:{first + 1}]" if wide else f"v{first}"

        for name in names:
            for a, b in values:
                setup = f"{operand(a, 2)} {operand(b, 4)}"
                mask = M32 if test(name, a, b) else 0
                row(setup, f"v_cmp_{name}_{kind}_e32 vcc_lo, {place(2)}, {place(4)}", f"vcc={mask:#x}")
                row(setup + " exec=0xffff", f"v_cmpx_{name}_{kind}_e64 {place(2)}, {place(4)}; s_mov_b32 s8, exec_lo",
                    f"s8={mask & 0xffff:#x}")

    near = [(1.0, 2.0), (2.0, 1.0), (-1.5, -1.5), (nan, 1.0), (1.0, nan), (0.0, -0.0)]
    rows("f32", floats, near, bits32, False, float_test)
    rows("f16", floats, near, bits16, False, float_test)
    rows("f64", floats, near, bits64, True, float_test)
    eight = ["f", "lt", "eq", "le", "gt", "ne", "ge", "t"]
    integers = [(1, 2), (-1, 2), (5, 5), (7, -7)]
    for size in (16, 32, 64):
        names = eight[1:7] if size == 16 else eight
        mask = (1 << size) - 1
        rows(f"i{size}", names, integers, lambda n, m=mask: n & m, size == 64, whole)
        rows(f"u{size}", names, [(a & mask, b & mask) for a, b in integers], lambda n: n, size == 64, whole)
    classes = {16: (0x7D00, 0x7E00, 0xFC00, 0xBC00, 0x8001, 0x8000, 0, 1, 0x3C00, 0x7C00),
               32: (0x7FA00000, 0x7FC00000, 0xFF800000, 0xBF800000, 0x80000001, 0x80000000, 0, 1, 0x3F800000, 0x7F800000),
               64: tuple(n << 32 for n in (0x7FF40000, 0x7FF80000, 0xFFF00000, 0xBFF00000, 0x80000001, 0x80000000, 0, 1,
                                           0x3FF00000, 0x7FF00000))}
    for size, values in classes.items():
        for n, value in enumerate(values):
            wide = size == 64
            setup = (pair("v", 2, value) if wide else f"v2={value:#x}") + f" v4={1 << n:#x} v5={0x3ff ^ 1 << n:#x}"
            source = "v[2:3]" if wide else "v2"
            row(setup, f"v_cmp_class_f{size}_e64 s8, {source}, v4; v_cmp_class_f{size}_e64 s9, {source}, v5", f"s8={M32:#x} s9=0")
            row(setup, f"v_cmpx_class_f{size}_e64 {source}, v4; s_mov_b32 s8, exec_lo", f"s8={M32:#x}")


# 6.2 to 6.4: floats of 16 bits, conversions, the rest.
def halves():
    kept = 0xABCD0000

    def out(n):
        return f"v6={kept | n:#x}"

    two = {"v_add_f16": lambda a, b: a + b, "v_sub_f16": lambda a, b: a - b, "v_subrev_f16": lambda a, b: b - a,
           "v_mul_f16": lambda a, b: a * b, "v_max_f16": max, "v_min_f16": min}
    for name, op in two.items():
        for a, b in ((1.5, 2.25), (-3.0, 0.5), (1000.0, 2.5)):
            row(f"v2={bits16(a):#x} v4={bits16(b):#x} v6={kept:#x}", f"{name}_e32 v6, v2, v4", out(bits16(op(a, b))))
    a, b, c = 1.5, -2.0, 0.25
    three = f"v2={bits16(a):#x} v4={bits16(b):#x} v6={kept | bits16(c):#x} v7={bits16(c):#x}"
    row(three, "v_fmac_f16_e32 v6, v2, v4", out(bits16(a * b + c)))
    row(three, "v_fmamk_f16 v6, v2, 0x4200, v4", out(bits16(a * 3.0 + b)))
    row(three, "v_fmaak_f16 v6, v2, v4, 0x4200", out(bits16(a * b + 3.0)))
    row(three, "v_fma_f16 v6, v2, v4, v7", out(bits16(a * b + c)))
    row(three + " v8=3", "v_ldexp_f16_e64 v6, v2, v8", out(bits16(12.0)))
    row(f"v2={bits16(a) | bits16(2.0) << 16:#x} v4={bits16(b) | bits16(3.0) << 16:#x} v6={bits16(c) | bits16(1.0) << 16:#x}",
        "v_pk_fmac_f16 v6, v2, v4", f"v6={bits16(a * b + c) | bits16(7.0) << 16:#x}")
    row(f"v2={bits16(a) | bits16(2.0) << 16:#x} v4={bits16(b) | bits16(3.0) << 16:#x}", "v_pk_max_f16 v6, v2, v4",
        f"v6={bits16(1.5) | bits16(3.0) << 16:#x}")
    for values in ((1.0, 3.0, 2.0), (-1.0, -4.0, 8.0)):
        setup = " ".join(f"v{2 + i}={bits16(v):#x}" for i, v in enumerate(values)) + f" v6={kept:#x}"
        for name, d in (("min3", min(values)), ("max3", max(values)), ("med3", sorted(values)[1])):
            row(setup, f"v_{name}_f16 v6, v2, v3, v4", out(bits16(d)))
    one = {"v_floor_f16": ((2.75, 2.0), (-2.25, -3.0)), "v_ceil_f16": ((2.25, 3.0), (-2.75, -2.0)),
           "v_trunc_f16": ((2.75, 2.0), (-2.75, -2.0)), "v_rndne_f16": ((2.5, 2.0), (3.5, 4.0), (-1.25, -1.0)),
           "v_fract_f16": ((2.75, 0.75), (-0.25, 0.75)), "v_rcp_f16": ((4.0, 0.25), (-0.5, -2.0)),
           "v_sqrt_f16": ((9.0, 3.0), (0.25, 0.5)), "v_rsq_f16": ((4.0, 0.5), (0.25, 2.0)),
           "v_log_f16": ((8.0, 3.0), (0.5, -1.0)), "v_exp_f16": ((3.0, 8.0), (-1.0, 0.5)),
           "v_sin_f16": ((0.25, 1.0), (0.75, -1.0)), "v_cos_f16": ((0.0, 1.0), (0.5, -1.0)),
           "v_frexp_mant_f16": ((6.0, 0.75), (-0.375, -0.75))}
    for name, cases in one.items():
        for a, d in cases:
            row(f"v2={bits16(a):#x} v6={kept:#x}", f"{name}_e32 v6, v2", out(bits16(d)))
    for a, e in ((6.0, 3), (0.375, -1)):
        row(f"v2={bits16(a):#x} v6={kept:#x}", "v_frexp_exp_i16_f16_e32 v6, v2", out(e & 0xFFFF))
    for name, cases in {"v_cvt_f16_u16": ((7, bits16(7.0)), (0xFFE0, bits16(65504.0))), "v_cvt_f16_i16": ((0xFFF9, bits16(-7.0)),),
                        "v_cvt_u16_f16": ((bits16(7.9), 7), (bits16(-3.0), 0), (0x7C00, 0xFFFF), (0x7E00, 0)),
                        "v_cvt_i16_f16": ((bits16(-7.9), 0xFFF9), (0x7C00, 0x7FFF), (0xFC00, 0x8000)),
                        "v_cvt_norm_i16_f16": ((bits16(1.0), 32767), (bits16(-2.0), 0x8001), (bits16(0.5), 16384)),
                        "v_cvt_norm_u16_f16": ((bits16(1.0), 65535), (bits16(-2.0), 0), (bits16(0.5), 32768))}.items():
        for a, d in cases:
            row(f"v2={a:#x} v6={kept:#x}", f"{name}_e32 v6, v2", out(d))
    for a, d in ((0x012C0005, 0xFF05), (0xFFFF0080, 0x0080)):
        row(f"v2={a:#x}", "v_sat_pk_u8_i16_e32 v6, v2; v_and_b32_e32 v7, 0xffff, v6", f"v7={d:#x}")
    for name, two_of in {"v_cvt_pknorm_i16_f16": (32767, 0x8001), "v_cvt_pknorm_u16_f16": (65535, 0)}.items():
        row(f"v2={bits16(1.0):#x} v4={bits16(-1.0):#x}", f"{name} v6, v2, v4", f"v6={two_of[0] | two_of[1] << 16:#x}")
    for name, two_of in {"v_cvt_pknorm_i16_f32": (32767, 0x8001), "v_cvt_pknorm_u16_f32": (65535, 0)}.items():
        row(f"v2={bits32(1.0):#x} v4={bits32(-1.0):#x}", f"{name}_e64 v6, v2, v4".replace("_e64", ""),
            f"v6={two_of[0] | two_of[1] << 16:#x}")
    row(f"v2={bits16(1.5):#x} v4={bits16(-2.0):#x}", "v_pack_b32_f16 v6, v2, v4", f"v6={bits16(1.5) | bits16(-2.0) << 16:#x}")
    row(f"v2={bits32(1.5):#x} v4={bits32(-1.0009765 - 2**-12):#x}", "v_cvt_pkrtz_f16_f32_e32 v6, v2, v4", "v6=0xbc013e00")


def words16():
    kept = 0xABCD0000
    s, u = (lambda n: signed(n, 16)), (lambda n: n)
    ops = {"v_add_nc_u16": lambda a, b: a + b, "v_sub_nc_u16": lambda a, b: a - b, "v_mul_lo_u16": lambda a, b: a * b,
           "v_add_nc_i16": lambda a, b: a + b, "v_sub_nc_i16": lambda a, b: a - b,
           "v_lshrrev_b16": lambda a, b: b >> (a & 15), "v_ashrrev_i16": lambda a, b: s(b) >> (a & 15),
           "v_lshlrev_b16": lambda a, b: b << (a & 15), "v_max_u16": max, "v_min_u16": min,
           "v_max_i16": lambda a, b: max(s(a), s(b)), "v_min_i16": lambda a, b: min(s(a), s(b))}
    for name, op in ops.items():
        for a, b in ((3, 0xFFF0), (0x7FFF, 2), (5, 7)):
            row(f"v2={a:#x} v4={b:#x} v6={kept:#x}", f"{name} v6, v2, v4", f"v6={kept | op(a, b) & 0xFFFF:#x}")
    for values in ((3, 0xFFF0, 9), (0x8000, 1, 2)):
        setup = " ".join(f"v{2 + i}={v:#x}" for i, v in enumerate(values)) + f" v6={kept:#x}"
        for kind, key in (("i16", s), ("u16", u)):
            by = sorted(values, key=key)
            for name, d in (("min3", by[0]), ("max3", by[2]), ("med3", by[1])):
                row(setup, f"v_{name}_{kind} v6, v2, v3, v4", f"v6={kept | d:#x}")
            row(setup, f"v_mad_{kind} v6, v2, v3, v4", f"v6={kept | values[0] * values[1] + values[2] & 0xFFFF:#x}")


def floats():
    def quad(a):
        return f"v2={bits32(a):#x}"

    for name, cases in {"v_exp_f32": ((3.0, 8.0), (-2.0, 0.25)), "v_log_f32": ((8.0, 3.0), (0.25, -2.0)),
                        "v_rcp_f32": ((4.0, 0.25), (-0.5, -2.0)), "v_rcp_iflag_f32": ((4.0, 0.25),),
                        "v_rsq_f32": ((4.0, 0.5),), "v_sqrt_f32": ((9.0, 3.0),), "v_sin_f32": ((0.25, 1.0), (0.75, -1.0)),
                        "v_cos_f32": ((0.0, 1.0), (0.5, -1.0))}.items():
        for a, d in cases:
            row(quad(a), f"{name}_e32 v6, v2", f"v6={bits32(d):#x}")
    for a, d in ((2.5, 3), (-2.5, M32 - 1), (1e20, 0x7FFFFFFF)):
        row(quad(a), "v_cvt_rpi_i32_f32_e32 v6, v2", f"v6={d:#x}")
    for a, d in ((2.5, 2), (-2.5, M32 - 2), (-1e20, 0x80000000)):
        row(quad(a), "v_cvt_flr_i32_f32_e32 v6, v2", f"v6={d:#x}")
    for n in (3, 8, 15):
        row(f"v2={n | 0xF0:#x}", "v_cvt_off_f32_i4_e32 v6, v2", f"v6={bits32(signed(n, 4) / 16):#x}")
    for name, cases in {"v_rcp_f64": ((4.0, 0.25),), "v_rsq_f64": ((4.0, 0.5),), "v_sqrt_f64": ((9.0, 3.0),),
                        "v_trunc_f64": ((-2.75, -2.0),), "v_ceil_f64": ((2.25, 3.0),), "v_frexp_mant_f64": ((6.0, 0.75),)}.items():
        for a, d in cases:
            row(pair("v", 2, bits64(a)), f"{name}_e32 v[6:7], v[2:3]", pair("v", 6, bits64(d)))
    row(pair("v", 2, bits64(6.0)), "v_frexp_exp_i32_f64_e32 v6, v[2:3]", "v6=3")
    row(f"v2={M32 - 6:#x}", "v_cvt_f64_i32_e32 v[6:7], v2", pair("v", 6, bits64(-7.0)))
    row(quad(-1.75), "v_cvt_f64_f32_e32 v[6:7], v2", pair("v", 6, bits64(-1.75)))
    for a, d in ((7.9, 7), (-3.0, 0), (1e20, M32)):
        row(pair("v", 2, bits64(a)), "v_cvt_u32_f64_e32 v6, v[2:3]", f"v6={d:#x}")
    a, b, c = 1.5, -2.0, 0.25
    three = f"v2={bits32(a):#x} v4={bits32(b):#x} v6={bits32(c):#x}"
    row(three, "v_fmac_f32_e32 v6, v2, v4", f"v6={bits32(a * b + c):#x}")
    row(three, "v_fmamk_f32 v7, v2, 0x40400000, v4", f"v7={bits32(a * 3 + b):#x}")
    row(three, "v_fmaak_f32 v7, v2, v4, 0x40400000", f"v7={bits32(a * b + 3):#x}")
    row(three, "v_fmac_legacy_f32_e64 v6, v2, v4", f"v6={bits32(a * b + c):#x}")
    row(three, "v_fma_legacy_f32 v7, v2, v4, v6", f"v7={bits32(a * b + c):#x}")
    row(f"v2=0x7f800000 v4=0x80000000 v6={bits32(c):#x}", "v_fma_legacy_f32 v7, v2, v4, v6", f"v7={bits32(c):#x}")
    row(f"v2=0x7f800000 v4=0 v6={bits32(c):#x}", "v_fmac_legacy_f32_e64 v6, v2, v4", f"v6={bits32(c):#x}")
    row(f"v2={bits16(2.0) | bits16(3.0) << 16:#x} v4={bits16(4.0) | bits16(0.5) << 16:#x} v6={bits32(c):#x}",
        "v_dot2c_f32_f16 v6, v2, v4", f"v6={bits32(9.75):#x}")
    row(f"v2={bits16(2.0) | bits16(3.0) << 16:#x} v4={bits16(4.0) | bits16(0.5) << 16:#x} v6={bits32(c):#x}",
        "v_dot2_f32_f16 v7, v2, v4, v6", f"v7={bits32(9.75):#x}")
    row("v2=0xff020304 v4=0x01020304 v6=1", "v_dot4c_i32_i8 v6, v2, v4", "v6=29")
    row("v2=0x00030002 v4=0xffff0004 v6=1", "v_dot2_u32_u16 v7, v2, v4, v6", f"v7={2 * 4 + 3 * 0xffff + 1:#x}")
    row("v2=0xf0000021 v4=0x10000012 v6=0", "v_dot8_i32_i4 v7, v2, v4, v6", f"v7={-1 + 2 + 2:#x}")
    for vector in ((1.0, 2.0, 3.0), (1.0, 2.0, -3.0), (1.0, -4.0, 3.0), (-5.0, 2.0, 3.0), (5.0, 2.0, 3.0)):
        x, y, z = vector
        if abs(z) >= abs(x) and abs(z) >= abs(y):
            face, sc, tc, ma = (5 if z < 0 else 4), (-x if z < 0 else x), -y, z
        elif abs(y) >= abs(x):
            face, sc, tc, ma = (3 if y < 0 else 2), x, (-z if y < 0 else z), y
        else:
            face, sc, tc, ma = (1 if x < 0 else 0), (z if x < 0 else -z), -y, x
        setup = " ".join(f"v{2 + i}={bits32(v):#x}" for i, v in enumerate(vector))
        for name, d in (("id", face), ("sc", sc), ("tc", tc), ("ma", 2 * ma)):
            row(setup, f"v_cube{name}_f32 v6, v2, v3, v4", f"v6={bits32(float(d)):#x}")
    row("v2=0x01ff0380 v3=0x0300ff81 v4=0x00010001", "v_lerp_u8 v6, v2, v3, v4", f"v6={2 << 24 | 128 << 16 | 129 << 8 | 129:#x}")
    row(f"v2={bits32(2.0):#x} v3={bits32(3.0):#x} v4={bits32(1.0):#x}", "v_mullit_f32 v6, v2, v3, v4", f"v6={bits32(6.0):#x}")
    row(f"v2={bits32(2.0):#x} v3={bits32(3.0):#x} v4=0x80000000", "v_mullit_f32 v6, v2, v3, v4", "v6=0xff7fffff")
    for value, at in ((7.9, 0), (300.0, 1), (-4.0, 3)):
        byte = max(0, min(255, int(value)))
        d = 0x11223344 & ~(255 << (8 * at)) | byte << (8 * at)
        row(f"v2={bits32(value):#x} v3={at} v4=0x11223344", "v_cvt_pk_u8_f32 v6, v2, v3, v4", f"v6={d:#x}")


# 6.6: what is scaled, denominator, numerator; the result, and whether the quotient is to be scaled back. A denominator
# that is too large is taken to shrink.
SCALES = (
    (3.0, 3.0, 6.0, 3.0, False), (6.0, 3.0, 6.0, 6.0, False),
    (2.0**-1030, 2.0**-1030, 2.0**-400, 2.0**-902, False), (2.0**-400, 2.0**-1030, 2.0**-400, 2.0**-272, False),
    (2.0**-400, 2.0**-400, 2.0**500, 2.0**-272, True), (2.0**500, 2.0**-400, 2.0**500, 2.0**500, True),
    (2.0**500, 2.0**500, 2.0**-600, 2.0**500, True), (2.0**-600, 2.0**500, 2.0**-600, 2.0**-472, True),
    (2.0**1023, 2.0**1023, 2.0**1000, 2.0**895, False), (2.0**1000, 2.0**1023, 2.0**1000, 2.0**872, False),
    (2.0**1023, 2.0**1023, 1.0, 2.0**895, True), (1.0, 2.0**1023, 1.0, 1.0, True),
    (2.0**-1000, 2.0**-100, 2.0**-1000, 2.0**-872, False), (2.0**-100, 2.0**-100, 2.0**-1000, 2.0**28, False),
    (2.0, 2.0, 0.0, float("nan"), False), (0.0, 0.0, 3.0, float("nan"), False),
)

SCALES32 = (
    (3.0, 3.0, 6.0, 3.0, False), (6.0, 3.0, 6.0, 6.0, False),
    (2.0**-130, 2.0**-130, 2.0**-60, 2.0**-66, False), (2.0**-60, 2.0**-130, 2.0**-60, 16.0, False),
    (2.0**-40, 2.0**-40, 2.0**60, 2.0**24, True), (2.0**60, 2.0**-40, 2.0**60, 2.0**60, True),
    (2.0**60, 2.0**60, 2.0**-80, 2.0**60, True), (2.0**-80, 2.0**60, 2.0**-80, 2.0**-16, True),
    (2.0**127, 2.0**127, 2.0**100, 2.0**63, False), (2.0**100, 2.0**127, 2.0**100, 2.0**36, False),
    (2.0**127, 2.0**127, 1.0, 2.0**63, True), (1.0, 2.0**127, 1.0, 1.0, True),
    (2.0**-110, 2.0**-20, 2.0**-110, 2.0**-46, False), (2.0**-20, 2.0**-20, 2.0**-110, 2.0**44, False),
    (2.0, 2.0, 0.0, float("nan"), False), (0.0, 0.0, 3.0, float("nan"), False),
)


def division():
    for size, bits, nan, tag in ((16, bits16, 0xFE00, "f16"), (32, bits32, 0xFFC00000, "f32"), (64, bits64, 0xFFF8 << 48, "f64")):
        infinite = bits(float("inf"))
        sign = 1 << (size - 1)
        cases = ((1.5, 2.0, 3.0, bits(1.5)), (1.5, -2.0, 3.0, bits(-1.5)), (0.0, 0.0, 0.0, nan), (1.0, 0.0, -3.0, infinite | sign),
                 (1.0, float("inf"), 3.0, 0), (1.0, 2.0, float("-inf"), infinite | sign), (1.0, -2.0, 0.0, sign))
        if size > 16:
            cases += ((float("nan"), -2.0, 3.0, infinite | sign),)
        for q, den, num, d in cases:
            if size == 64:
                row(f"{pair('v', 2, bits(q))} {pair('v', 4, bits(den))} {pair('v', 8, bits(num))}",
                    "v_div_fixup_f64 v[6:7], v[2:3], v[4:5], v[8:9]", pair("v", 6, d))
            else:
                row(f"v2={bits(q):#x} v4={bits(den):#x} v8={bits(num):#x} v6=0", f"v_div_fixup_{tag} v6, v2, v4, v8", f"v6={d:#x}")
    three = f"v2={bits32(1.5):#x} v4={bits32(2.0):#x} v8={bits32(0.5):#x}"
    row(three + " vcc=0", "v_div_fmas_f32 v6, v2, v4, v8", f"v6={bits32(3.5):#x}")
    row(three + " vcc=0xffffffff", "v_div_fmas_f32 v6, v2, v4, v8", f"v6={bits32(3.5 * 2.0**32):#x}")
    wide = f"{pair('v', 2, bits64(1.5))} {pair('v', 4, bits64(2.0))} {pair('v', 8, bits64(0.5))}"
    row(wide + " vcc=0", "v_div_fmas_f64 v[6:7], v[2:3], v[4:5], v[8:9]", pair("v", 6, bits64(3.5)))
    row(wide + " vcc=0xffffffff", "v_div_fmas_f64 v[6:7], v[2:3], v[4:5], v[8:9]", pair("v", 6, bits64(3.5 * 2.0**-128)))
    large = f"{pair('v', 2, bits64(1.5))} {pair('v', 4, bits64(2.0))} {pair('v', 8, bits64(4.0))}"
    row(large + " vcc=0xffffffff", "v_div_fmas_f64 v[6:7], v[2:3], v[4:5], v[8:9]", pair("v", 6, bits64(7.0 * 2.0**128)))
    for own, den, num, d, flag in SCALES:
        text = "v_div_scale_f64 v[6:7], vcc_lo, v[2:3], v[4:5], v[8:9]"
        given = f"{pair('v', 2, bits64(own))} {pair('v', 4, bits64(den))} {pair('v', 8, bits64(num))} vcc=0xffff"
        row(given, text, f"{pair('v', 6, bits64(d))} vcc={M32 if flag else 0:#x}")
    for own, den, num, d, flag in SCALES32:
        given = f"v2={bits32(own):#x} v4={bits32(den):#x} v8={bits32(num):#x} vcc=0xffff"
        row(given, "s_denorm_mode 0xf; v_div_scale_f32 v6, vcc_lo, v2, v4, v8", f"v6={bits32(d):#x} vcc={M32 if flag else 0:#x}")
    row(f"{pair('v', 2, bits64(3.0))} {pair('v', 4, bits64(5.0))}", "v_max_f64 v[6:7], v[2:3], v[4:5]", pair("v", 6, bits64(5.0)))


def whole_numbers():
    def distance(a, b, masked=False):
        pairs = [(a >> 8 * i & 255, b >> 8 * i & 255) for i in range(4)]
        return sum(abs(x - y) for x, y in pairs if not (masked and y == 0))

    a, b = 0x10FF0305, 0x2000FF00
    row(f"v2={a:#x} v3={b:#x} v4=7", "v_msad_u8 v6, v2, v3, v4", f"v6={7 + distance(a, b, True):#x}")
    wide, parts = 0x0102030405060708, (0x0001000200030004)
    sums = [(wide >> 8 * i & M32, parts >> 16 * i & 0xFFFF) for i in range(4)]
    for name, masked in (("v_qsad_pk_u16_u8", False), ("v_mqsad_pk_u16_u8", True)):
        d = sum((distance(part, b, masked) + add & 0xFFFF) << 16 * i for i, (part, add) in enumerate(sums))
        row(f"{pair('v', 2, wide)} v4={b:#x} {pair('v', 8, parts)}", f"{name} v[6:7], v[2:3], v4, v[8:9]", pair("v", 6, d))
    d = " ".join(f"v{12 + i}={distance(part, b, True) + 10 + i:#x}" for i, (part, _) in enumerate(sums))
    row(f"{pair('v', 2, wide)} v4={b:#x} v8=10 v9=11 v10=12 v11=13", "v_mqsad_u32_u8 v[12:15], v[2:3], v4, v[8:11]", d)
    for x, y, z in ((-3, 5, 7), (-(1 << 31), -(1 << 31), -1)):
        exact = x * y + z
        row(f"v2={x & M32:#x} v4={y & M32:#x} {pair('v', 8, z & M64)}", "v_mad_i64_i32 v[6:7], s8, v2, v4, v[8:9]", pair("v", 6, exact & M64))
    for n in (4, 33):
        row(f"{pair('v', 2, A)} v4={n}", "v_lshlrev_b64 v[6:7], v4, v[2:3]", pair("v", 6, A << n & M64))
        row(f"{pair('v', 2, A)} v4={n}", "v_ashrrev_i64 v[6:7], v4, v[2:3]", pair("v", 6, signed(A, 64) >> n & M64))
    for x, y in ((M32, 2), (3, 5), (5, 3)):
        setup = f"v2={x:#x} v4={y:#x}"
        for name, exact in (("add", x + y), ("sub", x - y), ("subrev", y - x)):
            mask = M32 if not 0 <= exact <= M32 else 0
            row(setup, f"v_{name}_co_u32 v6, s8, v2, v4", f"v6={exact & M32:#x} s8={mask:#x}")
            for carry in (0, 1):
                total = exact + (carry if name == "add" else -carry)
                mask = M32 if not 0 <= total <= M32 else 0
                row(setup + f" vcc={M32 * carry:#x}", f"v_{name}_co_ci_u32_e32 v6, vcc_lo, v2, v4, vcc_lo", f"v6={total & M32:#x} vcc={mask:#x}")
    row("v2=1 v4=2 vcc=0xffff0000", "v_cndmask_b32_e32 v6, v2, v4, vcc_lo", "v6[0]=1 v6[15]=1 v6[16]=2 v6[31]=2")
    row("m0=2 v2=5 v4=6 v8=0", "v_movreld_b32_e32 v6, v2", "v8=5")
    row("m0=2 v2=5 v4=6", "v_movrels_b32_e32 v6, v2", "v6=6")
    row("m0=2 v2=5 v4=6", "v_movrelsd_b32_e32 v6, v2", "v8=6")
    row("m0=0x30002 v2=5 v4=6", "v_movrelsd_2_b32_e32 v6, v2", "v9=6")
    row("m0=0x30002 v4=6 v9=7", "v_swaprel_b32 v6, v2", "v9=6 v4=7")


# 8.1 to 8.4: memory.
def updates(size):
    mask, sign = (1 << size) - 1, lambda n: signed(n, size)
    return {
        "swap": lambda m, d: d, "add": lambda m, d: m + d & mask, "sub": lambda m, d: m - d & mask, "rsub": lambda m, d: d - m & mask,
        "inc": lambda m, d: 0 if m >= d else m + 1, "dec": lambda m, d: d if m == 0 or m > d else m - 1,
        "smin": lambda m, d: min(m, d, key=sign), "smax": lambda m, d: max(m, d, key=sign), "umin": min, "umax": max,
        "and": lambda m, d: m & d, "or": lambda m, d: m | d, "xor": lambda m, d: m ^ d, "csub": lambda m, d: max(m - d, 0),
    }


def operands(size):
    high = 0xF0000000 << (size - 32)
    return ((7, 5), (5, 7), (high | 9, 3), (3, high | 9), (6, 6), (0, 4))


def number(first, n, size):
    return pair("v", first, n) if size == 64 else f"v{first}={n:#x}"


def lane(first, n, size):
    return f"v{first}[0]={n & M32:#x}" + (f" v{first + 1}[0]={n >> 32:#x}" if size == 64 else "")


def place(first, size, count=1):
    words = size // 32 * count
    return f"v[{first}:{first + words - 1}]" if words > 1 else f"v{first}"


def float_update(size):
    bits, value = (bits64, f64) if size == 64 else (bits32, f32)
    cases = [(bits(a), bits(b)) for a, b in ((1.5, 2.0), (2.0, -1.5), (-3.0, -2.0))]
    return value, bits, cases


def lds():
    names = {"add": "u", "sub": "u", "rsub": "u", "inc": "u", "dec": "u", "smin": "i", "smax": "i", "umin": "u", "umax": "u", "and": "b", "or": "b", "xor": "b"}
    tail = "; s_waitcnt lgkmcnt(0)"
    for size in (32, 64):
        new, read = updates(size), f"; ds_read_b{size} {place(8, size)}, v2" + tail

        def both(name, kind, setup, data, m, after):
            start = f"ds_write_b{size} v2, {place(10, size)}; "
            setup = f"exec=0x1 v2=16 {number(10, m, size)} {setup}"
            row(setup, f"{start}ds_{name}_{kind} v2, {data}{read}", lane(8, after, size))
            row(setup, f"{start}ds_{name}_rtn_{kind} {place(6, size)}, v2, {data}{read}", f"{lane(8, after, size)} {lane(6, m, size)}")

        for name, kind in names.items():
            stem = name[1:] if name[1:] in ("min", "max") else name
            for m, d in operands(size):
                both(stem, f"{kind}{size}", number(12, d, size), place(12, size), m, new[name](m, d))
        two = place(12, size) + ", " + place(14, size)
        for m, d, e in ((0xFF, 0x0F, 0x300), (5, 5, 9), (5, 6, 9)):
            setup = f"{number(12, d, size)} {number(14, e, size)}"
            both("mskor", f"b{size}", setup, two, m, m & ~d | e)
            both("cmpst", f"b{size}", setup, two, m, e if m == d else m)
        value, bits, cases = float_update(size)
        for m, d in cases:
            both("min", f"f{size}", number(12, d, size), place(12, size), m, min(m, d, key=value))
            both("max", f"f{size}", number(12, d, size), place(12, size), m, max(m, d, key=value))
            if size == 32:
                both("add", "f32", number(12, d, size), place(12, size), m, bits(value(m) + value(d)))
        for m, d, e in ((bits(1.5), bits(1.5), bits(4.0)), (bits(0.0), bits(-0.0), bits(4.0)), (bits(1.0), bits(2.0), bits(4.0))):
            both("cmpst", f"f{size}", f"{number(12, d, size)} {number(14, e, size)}", two, m, e if value(m) == value(d) else m)
        start = f"exec=0x1 v2=16 {number(10, 3, size)} {number(12, 9, size)}"
        write = f"ds_write_b{size} v2, {place(10, size)}; "
        row(start, f"{write}ds_wrxchg_rtn_b{size} {place(6, size)}, v2, {place(12, size)}{read}", f"{lane(8, 9, size)} {lane(6, 3, size)}")
        step = size // 8
        for name, scale in (("2", 1), ("2st64", 64)):
            setup = f"exec=0x1 v2=0 {number(10, 3, size)} {number(12, 9, size)}"
            if scale * step * 3 >= 1024:
                continue
            far = f"offset0:1 offset1:{0 if scale == 64 else 2}" if scale == 64 and size == 64 else "offset0:1 offset1:2"
            if scale == 64:
                continue
            text = f"ds_write{name}_b{size} v2, {place(10, size)}, {place(12, size)} {far}; ds_wrxchg{name}_rtn_b{size} {place(16, size, 2)}, v2, {place(12, size)}, {place(10, size)} {far}; ds_read{name}_b{size} {place(20, size, 2)}, v2 {far}"
            words = size // 32
            row(setup, text + tail, " ".join((lane(16, 3, size), lane(16 + words, 9, size), lane(20, 9, size), lane(20 + words, 3, size))))
        setup = f"exec=0x1 v2=0 {number(10, 3, size)} {number(12, 9, size)}"
        text = (f"ds_write2st64_b{size} v2, {place(10, size)}, {place(12, size)} offset1:1; ds_read2st64_b{size} {place(16, size, 2)}, v2 offset1:1; "
                f"ds_wrxchg2st64_rtn_b{size} {place(20, size, 2)}, v2, {place(12, size)}, {place(10, size)} offset1:1; ds_read_b{size} {place(24, size)}, v2")
        # What lies 64 places on is behind the end of this group's memory: it reads 0 and nothing is written.
        row(setup, text + tail, f"{lane(16, 3, size)} {lane(16 + size // 32, 0, size)} {lane(20, 3, size)} {lane(24, 9, size)}")
    for m, d, e in ((9, 4, 7), (3, 4, 7)):
        after = m - d if m >= d else m + e
        row(f"exec=0x1 v2=16 v10={m} v12={d} v14={e}", f"ds_write_b32 v2, v10; ds_wrap_rtn_b32 v6, v2, v12, v14; ds_read_b32 v8, v2{tail}", f"v6[0]={m} v8[0]={after}")
    row("exec=0x1 v2=16 v10=1 v11=2 v12=0x80000005 v13=6", f"ds_write_b64 v2, v[10:11]; ds_condxchg32_rtn_b64 v[6:7], v2, v[12:13]; ds_read_b64 v[8:9], v2{tail}",
        "v6[0]=1 v7[0]=2 v8[0]=5 v9[0]=2")
    word = 0x8182F3F4
    base = f"exec=0x1 v2=16 v10={word:#x} v6=0xaaaabbbb"
    for name, d in (("i8", 0xFFFFFFF4), ("u8", 0xF4), ("i16", 0xFFFFF3F4), ("u16", 0xF3F4), ("u8_d16", 0xAAAA00F4), ("u8_d16_hi", 0x00F4BBBB),
                    ("i8_d16", 0xAAAAFFF4), ("i8_d16_hi", 0xFFF4BBBB), ("u16_d16", 0xAAAAF3F4), ("u16_d16_hi", 0xF3F4BBBB)):
        row(base, f"ds_write_b32 v2, v10; ds_read_{name} v6, v2{tail}", f"v6[0]={d:#x}")
    for name, d in (("b8", 0xF4), ("b16", 0xF3F4), ("b8_d16_hi", 0x82), ("b16_d16_hi", 0x8182)):
        row(base, f"ds_write_{name} v2, v10; ds_read_b32 v8, v2{tail}", f"v8[0]={d:#x}")
    row("v1=5 m0=16", f"ds_write_addtid_b32 v0 offset:16; ds_read_addtid_b32 v6 offset:16{tail}", "v6[0]=0 v6[9]=9")
    for count, size in ((3, 96), (4, 128)):
        setup = "exec=0x1 v2=16 " + " ".join(f"v{10 + i}={7 + i}" for i in range(count))
        row(setup, f"ds_write_b{size} v2, v[10:{9 + count}]; ds_read_b{size} v[20:{19 + count}], v2{tail}", " ".join(f"v{20 + i}[0]={7 + i}" for i in range(count)))
    row("exec=0xff0f m0=0", f"ds_append v6 offset:8; ds_append v7 offset:8; ds_consume v8 offset:8{tail}", "v6=0 v7=12 v8=24")


def addressed():
    """Buffers, and memory by address of all kinds."""
    names = ("swap", "add", "sub", "smin", "umin", "smax", "umax", "and", "or", "xor", "inc", "dec")
    wait = "; s_waitcnt vmcnt(0) lgkmcnt(0); s_waitcnt_vscnt null, 0x0"
    forms = {
        "buffer": ("v2=16", lambda op, data, flags: f"buffer_{op} {data}, v2, s[4:7], 0 offen{flags}"),
        "global": ("v2=16", lambda op, data, flags: f"global_{op} {data}, s[0:1]{flags}"),
        "flat": ("v2=16 v3=1", lambda op, data, flags: f"flat_{op} {data}{flags}"),
    }

    def access(kind, op, data, load, flags=""):
        address = "v[2:3]" if kind == "flat" else "v2"
        make = forms[kind][1]
        if kind == "buffer":
            return make(op, data, flags)
        return make(op, f"{data}, {address}" if load else f"{address}, {data}", flags)

    def atomic(kind, op, data, back, flags):
        address = "v[2:3]" if kind == "flat" else "v2"
        if kind == "buffer":
            return f"buffer_{op} {data}, v2, s[4:7], 0 offen{flags}"
        out = f"{back}, " if flags else ""
        return f"{kind}_{op} {out}{address}, {data}" + (", s[0:1]" if kind == "global" else "") + flags

    for kind, (registers, _) in forms.items():
        for size in (32, 64):
            new, tail = updates(size), "_x2" if size == 64 else ""
            words = "dwordx2" if size == 64 else "dword"
            store = access(kind, f"store_{words}", place(10, size), False) + wait
            load = access(kind, f"load_{words}", place(8, size), True) + wait

            def both(name, setup, count, m, after):
                setup = f"exec=0x1 {registers} {number(10, m, size)} {setup}"
                data, back = place(12, size, count), 12 if kind == "buffer" else 20
                if name != "csub":
                    row(setup, f"{store}; {atomic(kind, f'atomic_{name}{tail}', data, '', '')}{wait}; {load}", lane(8, after, size))
                text = atomic(kind, f"atomic_{name}{tail}", data, place(back, size), " glc")
                row(setup, f"{store}; {text}{wait}; {load}", f"{lane(8, after, size)} {lane(back, m, size)}")

            for name in names + (("csub",) if size == 32 and kind != "flat" else ()):
                for m, d in operands(size):
                    both(name, number(12, d, size), 1, m, new[name](m, d))
            value, bits, cases = float_update(size)
            for m, d in cases:
                both("fmin", number(12, d, size), 1, m, min(m, d, key=value))
                both("fmax", number(12, d, size), 1, m, max(m, d, key=value))
            step = size // 32
            for m, d, e in ((5, 5, 9), (5, 6, 9)):
                both("cmpswap", f"{number(12, e, size)} {number(12 + step, d, size)}", 2, m, e if m == d else m)
            for m, d, e in ((bits(1.5), bits(1.5), bits(4.0)), (bits(0.0), bits(-0.0), bits(4.0)), (bits(1.0), bits(2.0), bits(4.0))):
                both("fcmpswap", f"{number(12, e, size)} {number(12 + step, d, size)}", 2, m, e if value(m) == value(d) else m)
        loads_and_stores(kind, registers, access, wait)
    loads_and_stores("scratch", "v2=4", lambda kind, op, data, load: f"scratch_{op} {data}, off, off offset:4" if load else f"scratch_{op} off, {data}, off offset:4", wait)
    row("", "global_load_dword_addtid v6, s[0:1] offset:8" + wait, "v6[0]=0x01020302 v6[5]=0x01020307")
    row("", "global_store_dword_addtid v0, s[0:1] offset:8" + wait + "; global_load_dword_addtid v6, s[0:1] offset:8" + wait, "v6[0]=0 v6[9]=9")


def loads_and_stores(kind, registers, access, wait):
    word = 0x8182F3F4
    start = access(kind, "store_dword", "v10", False) + wait
    base = f"exec=0x1 {registers} v10={word:#x} v6=0xaaaabbbb"
    for name, d in (("ubyte", 0xF4), ("sbyte", 0xFFFFFFF4), ("ushort", 0xF3F4), ("sshort", 0xFFFFF3F4), ("ubyte_d16", 0xAAAA00F4),
                    ("ubyte_d16_hi", 0x00F4BBBB), ("sbyte_d16", 0xAAAAFFF4), ("sbyte_d16_hi", 0xFFF4BBBB), ("short_d16", 0xAAAAF3F4),
                    ("short_d16_hi", 0xF3F4BBBB), ("dword", word)):
        row(base, f"{start}; {access(kind, f'load_{name}', 'v6', True)}{wait}", f"v6[0]={d:#x}")
    for name, d in (("byte", 0x111111F4), ("byte_d16_hi", 0x11111182), ("short", 0x1111F3F4), ("short_d16_hi", 0x11118182), ("dword", word)):
        before = access(kind, "store_dword", "v12", False) + wait
        row(base + " v12=0x11111111", f"{before}; {access(kind, f'store_{name}', 'v10', False)}{wait}; {access(kind, 'load_dword', 'v6', True)}{wait}", f"v6[0]={d:#x}")
    # A wave of the test has four dwords of scratch.
    for count in (2, 3) if kind == "scratch" else (2, 3, 4):
        setup = f"exec=0x1 {registers} " + " ".join(f"v{10 + i}={7 + i}" for i in range(count))
        text = access(kind, f"store_dwordx{count}", f"v[10:{9 + count}]", False) + wait + "; " + access(kind, f"load_dwordx{count}", f"v[20:{19 + count}]", True) + wait
        row(setup, text, " ".join(f"v{20 + i}[0]={7 + i}" for i in range(count)))


def typed():
    """Formats: 32_FLOAT by the descriptor, others by the instruction."""
    wait = "; s_waitcnt vmcnt(0); s_waitcnt_vscnt null, 0x0"
    parts = ("x", "xy", "xyz", "xyzw")
    values = [1.5, -2.0, 0.25, 8.0]
    setup = "exec=0x1 v2=16 " + " ".join(f"v{10 + i}={bits32(v):#x}" for i, v in enumerate(values))
    packed = "exec=0x1 v2=16 " + " ".join(f"v{10 + i}={bits16(values[2 * i]) | bits16(values[2 * i + 1]) << 16:#x}" for i in range(2))
    formats = {1: "32_FLOAT", 2: "32_32_FLOAT", 3: "32_32_32_FLOAT", 4: "32_32_32_32_FLOAT"}
    for n, part in enumerate(parts, 1):
        span = f"v[10:{9 + n}]" if n > 1 else "v10"
        back = f"v[20:{19 + n}]" if n > 1 else "v20"
        form = f"format:[BUF_FMT_{formats[n]}] offen"
        want = " ".join(f"v{20 + i}[0]={bits32(values[i]):#x}" for i in range(n))
        row(setup, f"tbuffer_store_format_{part} {span}, v2, s[4:7], 0 {form}{wait}; tbuffer_load_format_{part} {back}, v2, s[4:7], 0 {form}{wait}", want)
        row(setup, f"buffer_store_format_{part} {span}, v2, s[4:7], 0 offen{wait}; buffer_load_dword v20, v2, s[4:7], 0 offen{wait}", f"v20[0]={bits32(1.5):#x}")
        row(setup, f"buffer_store_dword v10, v2, s[4:7], 0 offen{wait}; buffer_load_format_{part} {back}, v2, s[4:7], 0 offen{wait}", f"v20[0]={bits32(1.5):#x}")
        half = (n + 1) // 2
        span = f"v[10:{9 + half}]" if half > 1 else "v10"
        back = f"v[20:{19 + half}]" if half > 1 else "v20"
        pieces = [bits16(v) for v in values[:n]] + [0] * (2 * half - n)
        want = " ".join(f"v{20 + i}[0]={pieces[2 * i] | pieces[2 * i + 1] << 16:#x}" for i in range(n // 2))
        want = want or f"v21[0]=0"
        row(packed, f"tbuffer_store_format_d16_{part} {span}, v2, s[4:7], 0 {form}{wait}; tbuffer_load_format_d16_{part} {back}, v2, s[4:7], 0 {form}{wait}; "
            f"tbuffer_load_format_{part} {f'v[24:{23 + n}]' if n > 1 else 'v24'}, v2, s[4:7], 0 {form}{wait}",
            want + " " + " ".join(f"v{24 + i}[0]={bits32(values[i]):#x}" for i in range(n)))
        row(packed, f"buffer_store_format_d16_{part} {span}, v2, s[4:7], 0 offen{wait}; buffer_load_dword v20, v2, s[4:7], 0 offen{wait}", f"v20[0]={bits32(1.5):#x}")
        row(setup + " v22=7", f"buffer_store_dword v10, v2, s[4:7], 0 offen{wait}; buffer_load_format_d16_{part} {back}, v2, s[4:7], 0 offen{wait}; v_and_b32_e32 v22, 0xffff, v20", f"v22[0]={bits16(1.5):#x}")
    row(f"{setup} v20=0x1234", f"buffer_store_dword v10, v2, s[4:7], 0 offen{wait}; buffer_load_format_d16_hi_x v20, v2, s[4:7], 0 offen{wait}", f"v20[0]={bits16(1.5) << 16 | 0x1234:#x}")
    row(f"exec=0x1 v2=16 v10={bits16(1.5) << 16:#x}", f"buffer_store_format_d16_hi_x v10, v2, s[4:7], 0 offen{wait}; buffer_load_dword v20, v2, s[4:7], 0 offen{wait}", f"v20[0]={bits32(1.5):#x}")


# 8.5 and 8.6: images. What own.rs has in memory: a plane of 4 x 4 words 0x01020300 + 4y + x at s[40:47], one of floats
# with three levels at s[48:55] (64 * level + 4y + x), samplers at s[56:59] (nearest), s[60:63] (linear) and s[64:67]
# (nearest, compares less), a tree at s[68:71].
def registers(numbers, first=10):
    """Numbers in registers one behind the other, and how an address names them."""
    names = [f"v{first + i}" for i in range(len(numbers))]
    setup = " ".join(f"{name}={n:#x}" for name, n in zip(names, numbers))
    return setup, f"[{', '.join(names)}]" if len(names) > 1 else names[0]


def texel(level, x, y):
    size = 4 >> level
    x, y = (min(max(n, 0), size - 1) for n in (x, y))
    return 64.0 * level + 4 * y + x


def samples():
    u, v = 0.4375, 0.6875
    kinds = [(gather, o, c, kind, cl) for gather in (False, True) for o in (0, 1) for c in (0, 1)
             for kind, clamps in (("", 2), ("d", 2), ("l", 1), ("b", 2), ("lz", 1), ("cd", 2)) for cl in range(clamps)]
    for gather, o, c, kind, cl in kinds:
        if gather and kind in ("d", "cd"):
            continue
        for g16 in (False, True) if kind in ("d", "cd") else (False,):
            name = "_".join(["image_gather4" if gather else "image_sample"] + ["c"] * c + [kind] * (kind != "") + ["cl"] * cl + ["o"] * o + ["g16"] * g16)
            sampled(name, gather, (u, v), (o, c, kind, cl, g16))


def sampled(name, gather, at, parts):
    o, c, kind, cl, g16 = parts
    u, v = at
    level = 2 if cl else 1 if kind in ("d", "cd", "l", "b") else 0
    dx, dy = (1, -1) if o else (0, 0)
    # Without gradients of its own an instruction takes those of four lanes: their u are a texel apart.
    varies = kind == "b"
    address = [0x3F01] if o else []
    address += [bits32(1.0)] if kind == "b" else []
    reference = 10.5
    address += [bits32(reference)] if c else []
    if kind in ("d", "cd"):
        rates = (0.5, 0.0, 0.0, 0.25)
        address += [bits16(rates[0]) | bits16(rates[1]) << 16, bits16(rates[2]) | bits16(rates[3]) << 16] if g16 else [bits32(n) for n in rates]
    place_of_u = len(address)
    address += [bits32(u), bits32(v)]
    address += [bits32(1.0)] if kind == "l" else [bits32(2.0)] if cl else []
    setup, names = registers(address)
    before = ""
    if varies:
        setup += " s8=0x3e800000"
        before = f"v_and_b32_e32 v30, 1, v0; v_cvt_f32_u32_e32 v30, v30; v_fmac_f32_e32 v{10 + place_of_u}, s8, v30; "
    size = 4 >> level
    if gather:
        i, j = (int(n * size - 0.5 + 1) - 1 for n in (u, v))
        found = [texel(level, i + a + dx, j + b + dy) for a, b in ((0, 1), (1, 1), (1, 0), (0, 0))]
    else:
        found = [texel(level, int(u * size) + dx, int(v * size) + dy)]
    if c:
        found = [1.0 if reference < n else 0.0 for n in found]
    span = "v[20:23]" if gather else "v20"
    sampler = "s[64:67]" if c else "s[56:59]"
    want = " ".join(f"v{20 + n}[0]={bits32(d):#x}" for n, d in enumerate(found))
    row(setup, f"{before}{name} {span}, {names}, s[48:55], {sampler} dmask:0x1 dim:SQ_RSRC_IMG_2D; s_waitcnt vmcnt(0)", want)


def images():
    plane, wait = "dim:SQ_RSRC_IMG_2D unorm", "; s_waitcnt vmcnt(0); s_waitcnt_vscnt null, 0x0"
    setup, names = registers([1, 2])
    row(setup, f"image_load v20, {names}, s[40:47] dmask:0x1 {plane}{wait}", f"v20={0x01020309:#x}")
    row("v10=4 v11=2 v20=7", f"image_load v20, {names}, s[40:47] dmask:0x1 {plane}{wait}", "v20=0")
    row(setup, f"image_load v[20:23], {names}, s[40:47] dmask:0xf {plane}{wait}", f"v20={0x01020309:#x} v21=0 v22=0 v23=1")
    row(f"exec=0x1 {setup} v12=5", f"image_store v12, {names}, s[40:47] dmask:0x1 {plane}{wait}; image_load v20, {names}, s[40:47] dmask:0x1 {plane}{wait}", "v20[0]=5")
    setup, names = registers([0, 1, 1])
    load = f"image_load_mip v20, {names}, s[48:55] dmask:0x1 {plane}{wait}"
    row(setup, load, f"v20={bits32(68.0):#x}")
    row(f"exec=0x1 {setup} v13={bits32(1.5):#x}", f"image_store_mip v13, {names}, s[48:55] dmask:0x1 {plane}{wait}; {load}", f"v20[0]={bits32(1.5):#x}")
    for level in (0, 1, 2):
        size = 4 >> level
        row(f"v10={level}", f"image_get_resinfo v[20:23], v10, s[48:55] dmask:0xf {plane}{wait}", f"v20={size} v21={size} v22=1 v23=3")
    samples()
    setup, names = registers([bits32(0.4375), bits32(0.6875)])
    for sampler, d in (("s[56:59]", texel(0, 1, 2)), ("s[60:63]", 1.25 + 4 * 2.25)):
        row(setup, f"image_sample_lz v20, {names}, s[48:55], {sampler} dmask:0x1 dim:SQ_RSRC_IMG_2D{wait}", f"v20={bits32(d):#x}")
    row(setup + " s8=0x3f000000", f"v_and_b32_e32 v30, 1, v0; v_cvt_f32_u32_e32 v30, v30; v_fmac_f32_e32 v10, s8, v30; "
        f"image_get_lod v[20:21], {names}, s[48:55], s[56:59] dmask:0x3 dim:SQ_RSRC_IMG_2D{wait}", f"v20={bits32(1.0):#x} v21={bits32(1.0):#x}")
    texel_updates(plane, wait)
    shapes()
    rays()


PLANE, LEVELS = 0x2_0000_0000, 0x3_0000_0000
WORDS, FLOATS, DESCRIPTOR = 20, 22, 72

# Shape, type of the descriptor, width, height, depth or layers: each lies in the rows of a plane, slice after slice.
SHAPES = (("1D", 8, 4, 1, 1), ("3D", 10, 4, 2, 2), ("CUBE", 11, 4, 1, 6), ("1D_ARRAY", 12, 4, 1, 4), ("2D_ARRAY", 13, 4, 2, 2))


def described(base, number, kind, width, height, depth):
    """What sets the descriptor of an image."""
    words = [base >> 8, number << 20 | (width - 1 & 3) << 30, width - 1 >> 2 | height - 1 << 14 | 1 << 31, 0xFAC | kind << 28, depth - 1, 0, 0, 0]
    return " ".join(f"s{DESCRIPTOR + n}={word:#x}" for n, word in enumerate(words))


def packed(numbers):
    """Coordinates of 16 bits, two in a dword, the first in the lower half."""
    padded = list(numbers) + [0] * (len(numbers) % 2)
    return [low | high << 16 for low, high in zip(padded[::2], padded[1::2])]


def shapes():
    """Images of other shapes than planes: where coordinates, layers and faces stand in the address."""
    image, wait = f"s[{DESCRIPTOR}:{DESCRIPTOR + 7}]", "; s_waitcnt vmcnt(0); s_waitcnt_vscnt null, 0x0"
    for shape, kind, width, height, depth in SHAPES:
        dim = f"dim:SQ_RSRC_IMG_{shape}"
        has_rows, has_slices = shape not in ("1D", "1D_ARRAY"), shape != "1D"
        place = lambda x, y, z: [x] + [y] * has_rows + [z] * has_slices
        inside = [(1, 0, 0), (3, height - 1, depth - 1)]
        # The plane of words has four rows.
        for x, y, z in [at for at in inside if at[2] * height + at[1] < 4]:
            number = 0x01020300 + 4 * (z * height + y) + x
            given = described(PLANE, WORDS, kind, width, height, depth)
            setup, names = registers(place(x, y, z))
            load = lambda names, more: f"image_load v20, {names}, {image} dmask:0x1 {dim} unorm{more}{wait}"
            row(f"{given} {setup}", load(names, ""), f"v20={number:#x}")
            store = f"image_store v14, {names}, {image} dmask:0x1 {dim} unorm{wait}"
            row(f"exec=0x1 {given} {setup} v14=77", f"{store}; {load(names, '')}", "v20[0]=77")
            add = f"image_atomic_add v14, {names}, {image} dmask:0x1 {dim} unorm glc{wait}"
            row(f"exec=0x1 {given} {setup} v14=5", f"{add}; {load(names, '')}", f"v14[0]={number:#x} v20[0]={number + 5:#x}")
            setup, names = registers(packed(place(x, y, z)))
            row(f"{given} {setup}", load(names, " a16"), f"v20={number:#x}")
        for x, y, z in ((width, 0, 0), (0, height, 0), (0, 0, depth)):
            if (y == 0 or has_rows) and (z == 0 or has_slices):
                setup, names = registers(place(x, y, z))
                row(f"{described(PLANE, WORDS, kind, width, height, depth)} {setup} v20=7",
                    f"image_load v20, {names}, {image} dmask:0x1 {dim} unorm{wait}", "v20=0")
        sampled_shape(shape, kind, width, height, depth)


def sampled_shape(shape, kind, width, height, depth):
    """The nearest texel; layers are numbers of their own, and a volume's depth is from 0 to 1."""
    if shape == "CUBE":
        return
    for x, y, z in ((0, 0, 0), (2, height - 1, depth - 1)):
        at = [bits32((x + 0.5) / width)] + ([bits32((y + 0.5) / height)] if shape in ("3D", "2D_ARRAY") else [])
        at += {"1D": [], "3D": [bits32((z + 0.5) / depth)]}.get(shape, [bits32(float(z))])
        setup, names = registers(at)
        row(f"{described(LEVELS, FLOATS, kind, width, height, depth)} {setup}",
            f"image_sample_lz v20, {names}, s[{DESCRIPTOR}:{DESCRIPTOR + 7}], s[56:59] dmask:0x1 dim:SQ_RSRC_IMG_{shape}; s_waitcnt vmcnt(0)",
            f"v20={bits32(float(4 * (z * height + y) + x)):#x}")


def texel_updates(plane, wait):
    setup, names = registers([1, 2])
    load = f"image_load v20, {names}, s[40:47] dmask:0x1 {plane}{wait}"

    def update(name, data, count, m, after):
        given = f"exec=0x1 {setup} v14={m:#x} " + " ".join(f"v{16 + i}={n:#x}" for i, n in enumerate(data))
        store = f"image_store v14, {names}, s[40:47] dmask:0x1 {plane}{wait}"
        span, mask = ("v16", "0x1") if count == 1 else ("v[16:17]", "0x3")
        row(given, f"{store}; image_atomic_{name} {span}, {names}, s[40:47] dmask:{mask} {plane} glc{wait}; {load}", f"v16[0]={m:#x} v20[0]={after & M32:#x}")

    new = updates(32)
    for name in ("swap", "add", "sub", "smin", "umin", "smax", "umax", "and", "or", "xor", "inc", "dec"):
        for m, d in ((7, 5), (0xF0000009, 3)):
            update(name, [d], 1, m, new[name](m, d))
    value, bits, cases = float_update(32)
    for m, d in cases[:2]:
        update("fmin", [d], 1, m, min(m, d, key=value))
        update("fmax", [d], 1, m, max(m, d, key=value))
    for m in (5, 6):
        update("cmpswap", [9, 5], 2, m, 9 if m == 5 else m)
    for m in (0.0, 1.0):
        update("fcmpswap", [bits(4.0), bits(-0.0)], 2, bits(m), bits(4.0) if m == 0.0 else bits(m))


def rays():
    """A triangle (0, 0, 0), (4, 0, 0), (0, 4, 0) at node 0; boxes at node 2, the second nearer than the first."""
    ray = [bits32(n) for n in (100.0, 1.0, 1.0, -2.0, 0.0, 0.0, 1.0, float("inf"), float("inf"), 1.0)]
    tail = "s[68:71]; s_waitcnt vmcnt(0)"
    ratios = "; v_rcp_f32_e32 v34, v31; v_mul_f32_e32 v35, v30, v34; v_mul_f32_e32 v36, v32, v34; v_mul_f32_e32 v37, v33, v34"
    for pointer, name in (([0], "image_bvh_intersect_ray"), ([0, 0], "image_bvh64_intersect_ray")):
        setup, names = registers(pointer + ray)
        row(setup, f"{name} v[30:33], {names}, {tail}{ratios}", f"v35={bits32(2.0):#x} v36={bits32(0.25):#x} v37={bits32(0.25):#x}")
        boxes = [2 << 3 | 5] + pointer[1:]
        setup, names = registers(boxes + ray)
        row(setup, f"{name} v[30:33], {names}, {tail}", f"v30=0x18 v31=0x10 v32={M32:#x} v33={M32:#x}")


def rest():
    row("exec=0x1 " + " ".join(f"v{10 + i}={7 + i}" for i in range(4)),
        "scratch_store_dwordx4 off, v[10:13], off; s_waitcnt_vscnt null, 0x0; scratch_load_dwordx4 v[20:23], off, off; s_waitcnt vmcnt(0)",
        " ".join(f"v{20 + i}[0]={7 + i}" for i in range(4)))
    for name in ("s_memtime", "s_memrealtime"):
        text = f"{name} s[8:9]; s_waitcnt lgkmcnt(0); {name} s[10:11]; s_waitcnt lgkmcnt(0); s_cmp_ge_u32 s10, s8"
        row("", text, "scc=1")
    row("s8=7", "s_endpgm; s_mov_b32 s8, 5", "s8=7")
    for name in REST:
        row("s8=7 v1=8", name, "s8=7 v1=8")


REST = ("s_ttracedata", "s_incperflevel 1", "s_decperflevel 1", "s_cbranch_cdbgsys 0", "s_cbranch_cdbguser 0", "s_cbranch_cdbgsys_or_user 0",
        "s_cbranch_cdbgsys_and_user 0", "s_ttracedata_imm 1", "s_sendmsg sendmsg(MSG_INTERRUPT)", "s_setkill 0")

print("# Made by tools/rdna-cases.py, a second model of sections 5 to 8 of the specification; columns as in own.tsv.")
for part in (scalar64, scalar_one, exec_changes, scalar_rest, compares, halves, words16, floats, division, whole_numbers, lds, addressed, typed, images,
             rest):
    part()
