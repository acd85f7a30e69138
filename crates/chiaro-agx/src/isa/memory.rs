//! Memory, barriers, waits (spec 8, 10).

use super::layout::*;
use crate::operand::alu::{WORD, WORD_BY_HALF};
use crate::operand::memory::{
    BY_MASK, Base, BlockBase, BlockLayout, DEVICE, Numbered, Operand, Result, THREADGROUP, ThreadgroupBase,
    UniformPair,
};
use crate::operand::modifier::{ATOMICS, COPIES, DECIMAL, EXTENSIONS, Elements, FORMATS, Signed, binary};
use crate::regs::file;
use chiaro_isa::{Bits, Field, Format, Length, at, bit, dst, operations, split, src};

operations! {
    /// Memory, barriers, waits.
    pub enum Memory => ROWS {
        /// Waits until everything issued on the slot is complete.
        Wait "wait" [WAIT 0x38] WAITING APPLEGPU;
        /// Waits for the other SIMD-groups of the threadgroup.
        ThreadgroupBarrier "threadgroup_barrier" [BARRIER 0x68] CONTROL APPLEGPU;
        /// Orders memory; which, by three numbers (spec 10.3).
        MemoryBarrier "memory_barrier" [ORDER 0xf5] CONTROL APPLEGPU;
        /// Registers from memory.
        DeviceLoad "device_load" [LOAD 0x05] ASYNC APPLEGPU;
        /// Registers to memory.
        DeviceStore "device_store" [STORE 0x45] ASYNC APPLEGPU;
        /// As device_load, with other constants: Mesa's coherent loads are among these.
        DeviceLoadTodo "device_load.other" [LOAD_OTHER 0x05] ASYNC APPLEGPU { aliases: &[(0, "device_load.other"), (0, "device_load.TODO"), (1, "device_load.TODO")] };
        /// As device_store, with other constants: Mesa's coherent stores are among these.
        DeviceStoreTodo "device_store.other" [STORE_OTHER 0x45] ASYNC APPLEGPU { aliases: &[(0, "device_store.other"), (0, "device_store.TODO"), (1, "device_store.TODO")] };
        /// Changes memory by S; R is what was there.
        Atomic "atomic" [ATOMIC 0x15] ASYNC APPLEGPU;
        /// Writes uniforms, in preambles.
        UniformStore "uniform_store" [UNIFORM_STORE 0x45] IN_ORDER APPLEGPU;
        /// Loads a texture state register, in preambles.
        TexStateStore "tex_state_store" [TEXTURE_STATE 0xed] IN_ORDER APPLEGPU;
        /// Loads a sampler state register, in preambles.
        SamplerStateStore "sampler_state_store" [SAMPLER_STATE 0xad] IN_ORDER APPLEGPU;
        /// Registers from the thread's own memory.
        StackLoad "stack_load" [STACK_LOAD 0] SPILLED APPLEGPU;
        /// Registers to the thread's own memory.
        StackStore "stack_store" [STACK_STORE 0] SPILLED APPLEGPU;
        /// Where the thread's own memory is.
        StackGetPtr "stack_get_ptr" [STACK_POINTER 1] IN_ORDER APPLEGPU;
        /// Takes so many words of the thread's own memory, or gives them back.
        StackAdjust "stack_adjust" [STACK_ADJUST 1] IN_ORDER APPLEGPU { aliases: unexplained!("stack_adjust") };
        /// As stack_adjust, by a register.
        StackAdjust2 "stack_adjust2" [STACK_ADJUST_BY 1] IN_ORDER APPLEGPU { aliases: unexplained!("stack_adjust2") };
        /// Maps the thread's own memory, in the helper program.
        Map "map" [MAP 1] IN_ORDER APPLEGPU;
        /// Undoes map.
        Unmap "unmap" [MAP 0] IN_ORDER APPLEGPU;
        /// Unknown relative of map.
        MapOther "map" [MAP_OTHER 0x75] UNTIMED APPLEGPU { aliases: &[(1, "TODO.map"), (1, "map")] };
        /// Unknown relative of map.
        Unk75Alt "unk75_alt" [MAP_UNKNOWN 0x75] UNTIMED APPLEGPU { aliases: unexplained!("unk75_alt") };
        /// Copies a block from memory to threadgroup memory.
        AsyncLoad "async_load" [BLOCK 0x25] ASYNC APPLEGPU;
        /// Copies a block from threadgroup memory to memory.
        AsyncStore "async_store" [BLOCK 0x65] ASYNC APPLEGPU;
        /// Registers from threadgroup memory.
        ThreadgroupLoad "threadgroup_load" [SHARED_LOAD 3] IN_ORDER APPLEGPU;
        /// Registers to threadgroup memory.
        ThreadgroupStore "threadgroup_store" [SHARED_STORE 1] IN_ORDER APPLEGPU;
        /// Changes threadgroup memory by S; R is what was there.
        ThreadgroupAtomic "threadgroup_atomic" [SHARED_ATOMIC 0x19] IN_ORDER APPLEGPU;
    }
}

const TWO: Format = Format { length: Length::Bytes(2), opcode: at(0..=7), ..Format::EMPTY };
const EIGHT: Format = Format { length: Length::Bytes(8), ..Format::EMPTY };
const DEVICE_MEMORY: Format = Format { length: BY_47, opcode: at(0..=6), ..Format::EMPTY };

const SLOT: Field = modify("g", bit(30), &DECIMAL, "wait slot");
const FORMAT: Field = modify("F", split([48..=48, 7..=9]), &FORMATS, "format of the elements");
const MASK: Field = modify("mask", at(52..=55), &Elements, "which elements take part");
const DATA: Bits = split([52..=55, 40..=41, 10..=15, 49..=49]);
const BASE: Field = src("A", split([27..=27, 36..=39, 16..=19]), &Base, "base address");
const INDEX: Field =
    src("O", split([24..=24, 56..=63, 32..=35, 20..=23]), &DEVICE, "index: a number or a register");
const EXTENSION: Field = modify("Ou", bit(25), &EXTENSIONS, "how a register is extended to 64 bits");
const LSL: Field = modify("s", at(42..=43), &DECIMAL, "left shift of the index");

layout!(WAIT = TWO, [modify("i", bit(8), &DECIMAL, "slot")], " {i}", name: "wait");
layout!(BARRIER = TWO, [], "", name: "barrier");
layout!(
    ORDER = TWO,
    [
        mystery("a", at(10..=11), &DECIMAL), mystery("b", at(8..=9), &DECIMAL), mystery("c", at(12..=15), &DECIMAL),
    ],
    " {a}, {b}, {c}",
    name: "memory barrier",
);
layout!(
    LOAD = DEVICE_MEMORY,
    [SLOT, FORMAT, MASK, dst("R", DATA, &BY_MASK, "what is loaded"), BASE, INDEX, EXTENSION, LSL],
    " {g}, {F}, {mask}, {R}, {A}, {O}, {Ou}[, lsl {s}]",
    name: "device load", fixed: &[(bit(26), 1), (at(28..=29), 0), (at(44..=46), 4), (at(50..=51), 0)],
);
layout!(
    STORE = DEVICE_MEMORY,
    [
        SLOT, FORMAT, MASK, src("R", DATA, &BY_MASK, "what is stored"), BASE, INDEX, EXTENSION, LSL,
        mystery("u6", bit(44), &DECIMAL),
    ],
    " {g}, {F}, {mask}, {R}, {A}, {O}, {Ou}[, lsl {s}], {u6}",
    name: "device store", fixed: &[(bit(26), 1), (at(28..=29), 0), (at(45..=46), 2), (at(50..=51), 0)],
);
layout!(
    LOAD_OTHER = DEVICE_MEMORY,
    [
        SLOT, FORMAT, MASK, dst("R", DATA, &BY_MASK, "what is loaded"), BASE, INDEX, EXTENSION, LSL,
        mystery("u1", bit(26), &DECIMAL), mystery("u3", at(28..=29), &DECIMAL),
        modify("u4", at(44..=46), &DECIMAL, "cache mode: 4 as usual, 7 coherent [Mesa]"),
        mystery("u5", at(50..=51), &DECIMAL),
    ],
    " {g}, {F}, {mask}, {R}, {A}, {O}, {Ou}[, lsl {s}], {u1}, {u3}, {u4}, {u5}",
    name: "device load of other constants",
);
layout!(
    STORE_OTHER = DEVICE_MEMORY,
    [
        SLOT, FORMAT, MASK, src("R", DATA, &BY_MASK, "what is stored"), BASE, INDEX, EXTENSION, LSL,
        mystery("u6", bit(44), &DECIMAL), mystery("u1", bit(26), &DECIMAL), mystery("u3", at(28..=29), &DECIMAL),
        modify("u4", at(45..=46), &DECIMAL, "cache mode: 2 as usual, 3 coherent [Mesa]"),
        mystery("u5", at(50..=51), &DECIMAL),
    ],
    " {g}, {F}, {mask}, {R}, {A}, {O}, {Ou}[, lsl {s}], {u6}, {u1}, {u3}, {u4}, {u5}",
    name: "device store of other constants",
);
layout!(
    ATOMIC = EIGHT,
    [
        modify("code", at(6..=9), &ATOMICS, "what is done"), SLOT,
        dst("R", split([47..=47, 40..=41, 10..=15]), &Result { sized: false }, "what was there"), BASE, INDEX, EXTENSION,
        src("S", split([6..=9, 48..=55]), &Operand, "with what; an exchange that compares: the new value, then the expected one"),
        mystery("u1", bit(26), &DECIMAL), mystery("u2", at(28..=29), &DECIMAL), mystery("u3", bit(31), &DECIMAL),
        mystery("u4", at(42..=44), &DECIMAL), modify("u5", at(45..=46), &DECIMAL, "coherency: 2, or 3 across clusters [Mesa]"),
    ],
    " {code}, {g}, {R}, {A}, {O}, {Ou}, {S}, {u1}, {u2}, {u3}, {u4}, {u5}",
    name: "atomic", opcode: at(0..=5),
);
layout!(
    UNIFORM_STORE = DEVICE_MEMORY,
    [
        mystery("unk", at(25..=26), &DECIMAL), modify("F", at(7..=8), &FORMATS, "format: 16-bit elements alone work"), MASK,
        mystery("b", at(44..=46), &DECIMAL), src("R", DATA, &BY_MASK, "what is stored"),
        src("O", split([24..=24, 56..=63, 32..=35, 20..=23]), &DEVICE, "half number of the uniform"), LSL,
    ],
    " {unk}, {F}, {mask}, {b}, {R}, {O}[, lsl {s}]",
    name: "uniform store",
    fixed: &[(bit(9), 0), (at(16..=19), 0), (bit(27), 1), (at(28..=29), 3), (at(36..=39), 0), (at(50..=51), 0)],
);

const DESCRIPTOR: Field = src("B", at(58..=63), &UniformPair(1), "base address of the descriptors");
const OFFSET: Field = src("O", at(27..=33), &WORD, "byte offset of the descriptor");

layout!(
    TEXTURE_STATE = EIGHT,
    [dst("TS", at(8..=14), &Numbered(file::TEXTURE), "which texture state"), DESCRIPTOR, OFFSET],
    " {TS}, {B}, {O}",
    name: "texture state", opcode: at(0..=7), fixed: &[(bit(20), 1)],
);
layout!(
    SAMPLER_STATE = EIGHT,
    [dst("SS", at(8..=12), &Numbered(file::SAMPLER), "which sampler state"), DESCRIPTOR, OFFSET],
    " {SS}, {B}, {O}",
    name: "sampler state", opcode: at(0..=7), fixed: &[(bit(20), 1)],
);

const STACK: Format = Format { length: BY_47, opcode: at(16..=19), ..Format::EMPTY };
const STACK_FORMAT: Field = modify("F", split([50..=51, 8..=9]), &FORMATS, "format of the elements");
const I1: Field = mystery("i1", bit(26), &DECIMAL);
const I2: Field = mystery("i2", at(36..=38), &DECIMAL);
const I5: Field = mystery("i5", at(44..=46), &DECIMAL);
const I6: Field = modify("i6", bit(30), &DECIMAL, "wait slot [Mesa]");
const STACK_INDEX: Field =
    src("O", split([24..=24, 56..=63, 32..=35, 20..=23]), &DEVICE, "byte offset: a number or a register");

layout!(
    STACK_LOAD = STACK,
    [STACK_FORMAT, I1, I2, MASK, dst("R", DATA, &BY_MASK, "what is loaded"), I5, STACK_INDEX, I6],
    " {R}, {F}, {i1}, {i2}, {mask}, {i5}, {O}, {i6}",
    name: "stack load", fixed: &[(at(0..=7), 0x35)],
);
layout!(
    STACK_STORE = STACK,
    [STACK_FORMAT, I1, I2, MASK, I5, src("R", DATA, &BY_MASK, "what is stored"), STACK_INDEX, I6],
    " {F}, {i1}, {i2}, {mask}, {i5}, {R}, {O}, {i6}",
    name: "stack store", fixed: &[(at(0..=7), 0xb5)],
);

const I0: Field = mystery("i0", at(8..=9), &DECIMAL);
const I3: Field = mystery("i3", at(44..=46), &DECIMAL);
const I4: Field = mystery("i4", at(50..=55), &DECIMAL);

layout!(
    STACK_POINTER = STACK,
    [I0, I1, I2, I3, I4, dst("R", split([40..=41, 10..=15]), &WORD_BY_HALF, "the address")],
    " {R}, {i0}, {i1}, {i2}, {i3}, {i4}",
    name: "stack pointer", fixed: &[(at(0..=7), 0x35), (at(48..=49), 2)],
);
layout!(
    /// The constants that Mesa writes need not be written.
    STACK_ADJUST = STACK,
    [
        modify("v", split([56..=63, 32..=35, 20..=23]), &Signed(16), "words of 4 bytes"),
        I0, I1.or(1), I2.or(2), I3, I4,
    ],
    " {v}[, {i0}, {i1}, {i2}, {i3}, {i4}]" | " {i0}, {i1}, {i2}, {i3}, {i4}, {v}",
    name: "stack adjustment", fixed: &[(at(0..=7), 0xb5), (at(24..=25), 1)],
);
layout!(
    STACK_ADJUST_BY = STACK,
    [src("r", split([32..=35, 20..=23]), &WORD_BY_HALF, "words of 4 bytes"), I0, I1, I2, I3, I4],
    " {r}, {i0}, {i1}, {i2}, {i3}, {i4}",
    name: "stack adjustment by a register", fixed: &[(at(0..=7), 0xb5), (at(24..=25), 0)],
);

const TARGET: Field = mystery("target", bit(36), &DECIMAL);
const MAPPED: Field = src("R", split([40..=41, 11..=15]), &WORD, "what is mapped");
const WHERE: Field = modify("v", split([56..=63, 32..=35, 20..=23]), &Signed(16), "where");
const Q1: Field = mystery("q1", at(8..=9), &binary(2));
const Q2: Field = mystery("q2", bit(30), &binary(1));
const Q3: Field = mystery("q3", at(37..=39), &binary(3));
const Q4: Field = mystery("q4", at(42..=46), &binary(5));
const Q5: Field = mystery("q5", at(48..=55), &binary(8));

layout!(
    MAP = EIGHT,
    [
        modify("code", at(16..=19), &DECIMAL, "what is done").view(), TARGET, MAPPED, WHERE, Q1, Q2, Q3, Q4, Q5,
    ],
    " target{target}, {R}, {v}, {q1}, {q2}, {q3}, {q4}, {q5}",
    name: "map", opcode: at(16..=19),
    fixed: &[(at(0..=7), 0x75), (bit(10), 0), (at(24..=25), 1), (at(27..=29), 0), (bit(31), 0), (bit(47), 1)],
);
layout!(
    MAP_OTHER = EIGHT,
    [mystery("code", at(16..=19), &DECIMAL), TARGET, MAPPED, WHERE, Q1, Q2, Q3, Q4, Q5],
    " {code}, target{target}, {R}, {v}, {q1}, {q2}, {q3}, {q4}, {q5}",
    name: "unknown map", opcode: at(0..=7),
    fixed: &[(bit(10), 0), (at(24..=25), 1), (at(27..=29), 0), (bit(31), 0), (bit(47), 1)],
);
layout!(
    MAP_UNKNOWN = EIGHT,
    [
        mystery("q16", at(16..=19), &DECIMAL), mystery("q17", at(24..=25), &DECIMAL),
        mystery("q18", at(27..=29), &DECIMAL), mystery("q19", bit(31), &DECIMAL), MAPPED, WHERE, Q1,
    ],
    " {q16}, {q17}, {q18}, {q19}, {R}, {v}, {q1}",
    name: "unknown relative of map", opcode: at(0..=7), fixed: &[(bit(10), 0), (bit(47), 1)],
);
layout!(
    BLOCK = EIGHT,
    [
        modify("F", bit(47), &COPIES, "shape"),
        src("R", split([8..=8, 9..=14]), &BlockBase, "where"),
        src("A", split([47..=47, 25..=25, 36..=39, 16..=19]), &BlockLayout, "addresses and lengths"),
    ],
    " {F}, {R}, {A}",
    name: "block copy", opcode: at(0..=6),
);

const SHARED: Format =
    Format { length: by_15(6, 8), opcode: at(5..=6), fixed: &[(at(0..=3), 9)], ..Format::EMPTY };
const SHARED_FORMAT: Field = modify("F", at(24..=27), &FORMATS, "format of the elements");
const SHARED_MASK: Field = modify("mask", at(36..=39), &Elements, "which elements take part");
const SHARED_DATA: Bits = split([36..=39, 60..=61, 9..=14, 8..=8]);
const SHARED_BASE: Field =
    src("A", split([22..=23, 58..=59, 16..=21]), &ThreadgroupBase, "base: a byte offset");
const SHARED_INDEX: Field =
    src("O", split([34..=34, 48..=57, 28..=33]), &THREADGROUP, "index: a number or a register");

layout!(
    SHARED_LOAD = SHARED,
    [SHARED_FORMAT, SHARED_MASK, dst("R", SHARED_DATA, &BY_MASK, "what is loaded"), SHARED_BASE, SHARED_INDEX],
    " {F}, {mask}, {R}, {A}, {O}",
    name: "threadgroup load",
);
layout!(
    SHARED_STORE = SHARED,
    [SHARED_FORMAT, SHARED_MASK, src("R", SHARED_DATA, &BY_MASK, "what is stored"), SHARED_BASE, SHARED_INDEX],
    " {F}, {mask}, {R}, {A}, {O}",
    name: "threadgroup store",
);
layout!(
    SHARED_ATOMIC = Format::EMPTY,
    [
        modify("code", at(24..=27), &ATOMICS, "what is done"),
        dst("R", split([38..=38, 60..=61, 9..=14, 8..=8]), &Result { sized: true }, "what was there"),
        SHARED_BASE, SHARED_INDEX,
        src("S", split([24..=27, 64..=71]), &Operand, "with what; an exchange that compares: the new value, then the expected one"),
        mystery("u1", at(6..=7), &DECIMAL), mystery("u3", at(35..=37), &DECIMAL),
        mystery("u4", at(40..=47), &DECIMAL), mystery("u5", at(72..=79), &DECIMAL),
    ],
    " {code}, {R}, {A}, {O}, {S}, {u1}, {u3}, {u4}, {u5}",
    name: "threadgroup atomic", length: by_15(6, 10), opcode: at(0..=5),
);
