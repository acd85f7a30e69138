//! Category 6: memory. spec section 11.
//!
//! Only plain loads and stores are known to run on A3xx; images and atomics have their
//! encodings, which A6xx gave up.

use super::fields::{JP, SY};
use crate::operand::{AtomicType, Data, Index, Offset, Plain, Switch, Type, Unsigned};
use crate::regs::generation::{A4XX, A5XX};
use chiaro_isa::{Bits, Field, Format, Gens, Length, at, bit, dst, modifier, split, src};

const TYPE: Field = modifier("type", at(49..=51), &Type, "type of the data");
const DATA: Field = dst("dst", split([49..=51, 32..=39]), &Data { marked: true }, "first register loaded");
const DATA_BARE: Field =
    dst("dst", split([49..=51, 32..=39]), &Data { marked: false }, "first register loaded");
const ADDRESS: Field = src("src", at(14..=21), &Plain, "address in bytes");
const OFFSET: Field = modifier("off", at(1..=13), &Offset, "added to the address, in bytes");
const PLACE: Field = modifier("off", at(1..=13), &Unsigned { from: 0 }, "which varying");
const COUNT3: Field = modifier("n", at(24..=26), &Unsigned { from: 0 }, "how many registers");
const COUNT8: Field = modifier("n", at(24..=31), &Unsigned { from: 0 }, "how many registers");
const STORED: Field = src("src", split([49..=51, 1..=8]), &Data { marked: true }, "first register stored");
const STORED_BARE: Field =
    src("src", split([49..=51, 1..=8]), &Data { marked: false }, "first register stored");
const TO: Field = src("dst", at(41..=48), &Plain, "address in bytes");
const TO_OFFSET: Field = modifier("off", split([9..=13, 32..=39]), &Offset, "added to the address, in bytes");

/// The loads of global memory; the category and what tells this form from later ones.
pub(super) static LOAD_GLOBAL: Format = Format {
    name: "cat6, global load",
    length: Length::Bytes(8),
    opcode: at(54..=58),
    fixed: &[(at(61..=63), 6), (bit(0), 1), (at(22..=23), 2), (at(30..=31), 0), (at(52..=53), 0)],
    fields: &[SY, JP, TYPE, DATA, ADDRESS, OFFSET, COUNT3],
    syntax: &[
        "{*sy jp}{op}.{type} {dst}, g[[{src}{off}]], {n}",
        "{*sy jp}{op}.{type} {dst}, g[[{src}{off}]], {n}",
        "{*sy jp}{op}.{type} {dst},g[[{src}{off}]], {n}",
    ],
    spare: &[at(27..=29), at(40..=48)],
    ..Format::EMPTY
};
/// Loads of local memory.
pub(super) static LOAD_LOCAL: Format = Format {
    name: "cat6, local load",
    fixed: &[(at(61..=63), 6), (bit(0), 1), (bit(23), 1)],
    fields: &[SY, JP, TYPE, DATA_BARE, ADDRESS, OFFSET, COUNT8],
    syntax: &[
        "{*sy jp}{op}.{type} {dst}, l[[{src}{off}]], {n}",
        "{*sy jp}{op}.{type} {dst}, l[[{src}{off}]], {n}",
        "{*sy jp}{op}.{type} {dst},l[[{src}{off}]], {n}",
    ],
    spare: &[bit(22), at(40..=48), at(52..=53)],
    ..LOAD_GLOBAL
};
/// Loads of private memory.
pub(super) static LOAD_PRIVATE: Format = Format {
    name: "cat6, private load",
    fields: &[SY, JP, TYPE, DATA, ADDRESS, OFFSET, COUNT8],
    syntax: &[
        "{*sy jp}{op}.{type} {dst}, p[[{src}{off}]], {n}",
        "{*sy jp}{op}.{type} {dst}, p[[{src}{off}]], {n}",
        "{*sy jp}{op}.{type} {dst},p[[{src}{off}]], {n}",
    ],
    ..LOAD_LOCAL
};
/// Loads of varyings.
pub(super) static LOAD_VARYING: Format = Format {
    name: "cat6, varying load",
    fixed: &[(at(61..=63), 6), (bit(0), 0), (at(14..=21), 0), (at(22..=23), 3)],
    fields: &[SY, JP, TYPE, DATA_BARE, PLACE, COUNT8],
    syntax: &[
        "{*sy jp}{op}.{type} {dst}, l[[{off}]], {n}",
        "{*sy jp}{op}.{type} {dst}, l[[{off}]], {n}",
        "{*sy jp}{op}.{type} {dst},l[[r0.x+{off}]], {n}",
    ],
    spare: &[at(40..=48), at(52..=53)],
    ..LOAD_LOCAL
};
/// Stores to global memory.
pub(super) static STORE_GLOBAL: Format = Format {
    name: "cat6, global store",
    fixed: &[(at(61..=63), 6), (bit(23), 1), (bit(40), 1), (at(52..=53), 0)],
    fields: &[SY, JP, TYPE, TO, TO_OFFSET, STORED, COUNT3],
    syntax: &[
        "{*sy jp}{op}.{type} g[[{dst}{off}]], {src}, {n}",
        "{*sy jp}{op}.{type} g[[{dst}{off}]], {src}, {n}",
        "{*sy jp}{op}.{type} g[[{dst}{off}]],{src}, {n}",
    ],
    spare: &[bit(0), at(14..=22), at(27..=31)],
    ..LOAD_GLOBAL
};
/// Stores to local memory.
pub(super) static STORE_LOCAL: Format = Format {
    name: "cat6, local store",
    fixed: &[(at(61..=63), 6), (bit(23), 1), (bit(40), 1)],
    fields: &[SY, JP, TYPE, TO, TO_OFFSET, STORED_BARE, COUNT8],
    syntax: &[
        "{*sy jp}{op}.{type} l[[{dst}{off}]], {src}, {n}",
        "{*sy jp}{op}.{type} l[[{dst}{off}]], {src}, {n}",
        "{*sy jp}{op}.{type} l[[{dst}{off}]],{src}, {n}",
    ],
    spare: &[bit(0), at(14..=22), at(52..=53)],
    ..STORE_GLOBAL
};
/// Stores to private memory.
pub(super) static STORE_PRIVATE: Format = Format {
    name: "cat6, private store",
    fixed: &[(at(61..=63), 6), (bit(0), 0), (bit(23), 1), (bit(40), 1)],
    syntax: &[
        "{*sy jp}{op}.{type} p[[{dst}{off}]], {src}, {n}",
        "{*sy jp}{op}.{type} p[[{dst}{off}]], {src}, {n}",
        "{*sy jp}{op}.{type} p[[{dst}{off}]],{src}, {n}",
    ],
    spare: &[at(14..=22), at(52..=53)],
    ..STORE_LOCAL
};

const TYPED: Field = modifier("typed", bit(11), &Switch("untyped", "typed"), "whether a format converts");
const SHAPE: Field = modifier("shape", at(9..=10), &Unsigned { from: 1 }, "dimensions of the image");
const WIDE: Field = modifier("type", at(49..=51), &AtomicType, "type of the data");
const PARTS: Field = modifier("parts", at(12..=13), &Unsigned { from: 1 }, "components");
const BUFFER: Field = src("ssbo", split([53..=53, 41..=48]), &Index, "which buffer");
const FIRST: Field = src("src1", split([22..=22, 14..=21]), &Index, "coordinate");
const SECOND: Field = src("src2", split([23..=23, 24..=31]), &Index, "offset");
const LOADED: Field = dst("dst", at(32..=39), &Plain, "first register of the result");
const VALUE: Field = src("src1", at(1..=8), &Plain, "first register stored");
const THIRD: Field = src("src3", split([40..=40, 32..=39]), &Index, "offset");
const OPERAND: Field = src("src3", at(1..=8), &Plain, "operand of the operation");
const LOCAL: Field = src("src1", at(14..=21), &Plain, "address in bytes");
const LOCAL_OPERAND: Field = src("src2", at(24..=31), &Plain, "operand of the operation");

const IMAGE: &str = "{*sy jp}{op}.{typed}.{shape}d.{type}.{parts} {dst}, g[[{ssbo}]], {src1}, {src2}";

/// Loads from buffers and images, up to A4xx.
pub(super) static LOAD_BUFFER: Format = Format {
    name: "cat6, buffer load",
    fixed: &[(at(61..=63), 6), (bit(0), 1)],
    fields: &[SY, JP, TYPED, SHAPE, TYPE, PARTS, LOADED, BUFFER, FIRST, SECOND],
    syntax: &[IMAGE],
    spare: &[at(1..=8), bit(40), bit(52)],
    when: Gens::until(A4XX),
    ..LOAD_GLOBAL
};
/// The same on A5xx, where bit 0 is free.
pub(super) static LOAD_BUFFER_A5XX: Format = Format {
    name: "cat6, buffer load, A5xx",
    fixed: &[(at(61..=63), 6)],
    spare: &[at(0..=8), bit(40), bit(52)],
    when: Gens::only(A5XX),
    ..LOAD_BUFFER
};
/// Loads from images, which fix bit 0 up to A5xx.
pub(super) static LOAD_IMAGE: Format =
    Format { name: "cat6, image load", when: Gens::until(A5XX), ..LOAD_BUFFER };
/// Stores to buffers and images, up to A4xx.
pub(super) static STORE_BUFFER: Format = Format {
    name: "cat6, buffer store",
    fixed: &[(at(61..=63), 6), (bit(0), 0)],
    fields: &[SY, JP, TYPED, SHAPE, TYPE, PARTS, BUFFER, VALUE, SECOND, THIRD],
    syntax: &["{*sy jp}{op}.{typed}.{shape}d.{type}.{parts} g[[{ssbo}]], {src1}, {src2}, {src3}"],
    spare: &[at(14..=22), bit(52)],
    when: Gens::until(A4XX),
    ..LOAD_GLOBAL
};
/// The same on A5xx.
pub(super) static STORE_BUFFER_A5XX: Format = Format {
    name: "cat6, buffer store, A5xx",
    fixed: &[(at(61..=63), 6), (bit(0), 1)],
    when: Gens::only(A5XX),
    ..STORE_BUFFER
};
/// Size of a buffer.
pub(super) static SIZE: Format = Format {
    name: "cat6, size of a buffer",
    fixed: &[(at(61..=63), 6), (at(14..=23), 0), (bit(40), 0)],
    fields: &[SY, JP, TYPE, SHAPE, LOADED, BUFFER],
    syntax: &["{*sy jp}{op}.{type}.{shape}d {dst}, g[[{ssbo}]]"],
    spare: &[at(0..=8), at(11..=13), at(24..=31), bit(52)],
    when: Gens::until(A5XX),
    ..LOAD_GLOBAL
};
/// Atomics of local memory.
pub(super) static ATOMIC_LOCAL: Format = Format {
    name: "cat6, local atomic",
    fixed: &[(at(61..=63), 6), (bit(0), 1), (at(1..=8), 0), (at(41..=48), 0), (at(52..=53), 0)],
    fields: &[SY, JP, TYPED, SHAPE, TYPE, PARTS, LOADED, LOCAL, LOCAL_OPERAND],
    syntax: &["{*sy jp}{op}.{typed}.{shape}d.{type}.{parts}.l {dst}, l[[{src1}]], {src2}"],
    spare: &[at(22..=23), bit(40)],
    ..LOAD_GLOBAL
};

const SHARED: Bits = bit(52);

/// Atomics of global memory, up to A4xx.
pub(super) static ATOMIC_GLOBAL: Format = Format {
    name: "cat6, global atomic",
    fixed: &[(at(61..=63), 6), (bit(0), 0), (SHARED, 1)],
    fields: &[SY, JP, TYPED, SHAPE, WIDE, PARTS, LOADED, BUFFER, FIRST, SECOND, OPERAND],
    syntax: &["{*sy jp}{op}.{typed}.{shape}d.{type}.{parts}.g {dst}, g[[{ssbo}]], {src1}, {src2}, {src3}"],
    spare: &[bit(40)],
    when: Gens::until(A4XX),
    ..LOAD_GLOBAL
};
/// The same on A5xx.
pub(super) static ATOMIC_GLOBAL_A5XX: Format = Format {
    name: "cat6, global atomic, A5xx",
    fixed: &[(at(61..=63), 6), (bit(0), 1), (SHARED, 1)],
    when: Gens::only(A5XX),
    ..ATOMIC_GLOBAL
};
