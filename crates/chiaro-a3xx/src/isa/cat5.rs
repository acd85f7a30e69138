//! Category 5: textures. spec section 10.
//!
//! Two bits decide which operands there are: `.o` adds offsets, `.s2en` takes the indices
//! from a register. So each group of operations has up to four forms.

use super::fields::{JP, SY};
use crate::operand::{
    Descriptors, Indices, Letters, OneDimension, Shadow, TexDest, TexIndex, TexSource, Type, Unread,
};
use crate::regs::generation::A6XX;
use chiaro_isa::{Bits, Field, Flag, Format, Gens, Length, at, bit, dst, modifier, split, src};

const SOLID: Field = modifier("solid", bit(48), &Flag(".3d"), "three dimensions or cube");
const ARRAY: Field = modifier("array", bit(49), &Flag(".a"), "array of images");
const OFFSETS: Field = modifier("offsets", bit(52), &Flag(".o"), "offsets stand before the second operand");
const PROJECT: Field = modifier("project", bit(53), &Flag(".p"), "divides by the last coordinate");
const SHADOW: Field = modifier("shadow", bit(50), &Shadow, "compares with a depth");
const TABLES: Field =
    modifier("tables", split([51..=51, 29..=31]), &Descriptors, "indices stand in a register");
const ONE_D: Field = modifier("line", bit(18), &OneDimension, "one dimension; the bit is inverted").or(1);
const TYPE: Field = modifier("type", at(44..=46), &Type, "type of the result");
const MASK: Field = modifier("mask", at(40..=43), &Letters, "components written, each to its own register");
const DST: Field = dst("dst", split([44..=46, 32..=39]), &TexDest, "register of component x, written or not");
const SRC: Field = src("src", split([0..=0, 1..=8]), &TexSource, "first register of the coordinates");
const SRC2: Field =
    src("src2", split([0..=0, 9..=16]), &TexSource, "first register of offsets, then level or bias");
/// The older dialect shows the second operand also where nothing reads it.
const SRC2_UNUSED: Field =
    src("src2", split([0..=0, 9..=16]), &Unread, "not read, shown by older tools").view();
const INDEX: Field = src("index", at(21..=28), &TexIndex, "texture index, before the sampler index");
const BOTH: Field = modifier("which", at(21..=31), &Indices { sampler: true }, "sampler and texture");
const TEXTURE: Field = modifier("which", at(25..=31), &Indices { sampler: false }, "texture");

/// Nobody knows what these mean; A6xx has bindless descriptors there.
const LATER: [Bits; 3] = [bit(17), at(19..=20), bit(47)];

const PLAIN: Format = Format {
    name: "cat5",
    length: Length::Bytes(8),
    opcode: at(54..=58),
    fixed: &[(at(61..=63), 5)],
    ..Format::EMPTY
};

const SHORT: [(Bits, u64); 4] = [(at(61..=63), 5), (bit(51), 0), (bit(52), 0), (bit(18), 0)];

/// A form: name, which of `.s2en` and `.o` are set, operand fields, texts behind the
/// flags, and the bits left.
macro_rules! form {
    ($(#[$doc:meta])* $name:ident: $title:literal, indexed $indexed:literal, offsets $offsets:literal,
     [$($field:ident),*], $text:expr, [$($spare:expr),*]) => {
        $(#[$doc])*
        pub(super) static $name: Format = Format {
            name: $title,
            fixed: &[SHORT[0], (bit(51), $indexed), (bit(52), $offsets), SHORT[3]],
            fields: &[SY, JP, SOLID, ARRAY, PROJECT, SHADOW, $($field),*],
            syntax: $text,
            spare: &[LATER[0], LATER[1], LATER[2] $(, $spare)*],
            ..PLAIN
        };
    };
}

/// Flags before the operands, with the fixed ones in their place.
macro_rules! text {
    ("" $rest:expr) => {
        concat!("{*sy jp}{op}{solid}{array}{project}{shadow}", $rest)
    };
    ("o" $rest:expr) => {
        concat!("{*sy jp}{op}{solid}{array}.o{project}{shadow}", $rest)
    };
}

form! {
    /// Coordinates, sampler and texture.
    SAMPLE: "cat5, sample", indexed 0, offsets 0, [TYPE, MASK, SRC, BOTH, DST],
    &[text!("" " ({type}){mask}{dst}, {src}, {which}")], [at(9..=16)]
}
form! {
    /// With offsets.
    SAMPLE_O: "cat5, sample with offsets", indexed 0, offsets 1, [TYPE, MASK, SRC, SRC2, BOTH, DST],
    &[text!("o" " ({type}){mask}{dst}, {src}, {src2}, {which}")], []
}
form! {
    /// With indices from a register.
    SAMPLE_S: "cat5, indexed sample", indexed 1, offsets 0,
    [TABLES, TYPE, MASK, SRC2_UNUSED, SRC, INDEX, DST],
    &[
        text!("" "{tables} ({type}){mask}{dst}, {src}, {index}"),
        text!("" "{tables} ({type}){mask}{dst}, {src}, {src2}, {index}"),
        text!("" "{tables} ({type}){mask}{dst}, {src}, {src2}, {index}"),
    ], []
}
form! {
    /// With offsets and indices from a register.
    SAMPLE_OS: "cat5, indexed sample with offsets", indexed 1, offsets 1,
    [TABLES, TYPE, MASK, SRC, SRC2, INDEX, DST],
    &[text!("o" "{tables} ({type}){mask}{dst}, {src}, {src2}, {index}")], []
}
/// A second operand, sampler and texture.
pub(super) static LEVEL: Format = Format {
    name: "cat5, sample at a level",
    fixed: &[SHORT[0], SHORT[1], SHORT[3]],
    fields: &[SY, JP, SOLID, ARRAY, OFFSETS, PROJECT, SHADOW, TYPE, MASK, SRC, SRC2, BOTH, DST],
    syntax: &[
        "{*sy jp}{op}{solid}{array}{offsets}{project}{shadow} ({type}){mask}{dst}, {src}, {src2}, {which}",
    ],
    spare: &LATER,
    ..PLAIN
};
/// A second operand, indices from a register.
pub(super) static LEVEL_S: Format = Format {
    name: "cat5, indexed sample at a level",
    fixed: &[SHORT[0], (bit(51), 1), SHORT[3]],
    fields: &[SY, JP, SOLID, ARRAY, OFFSETS, PROJECT, SHADOW, TABLES, TYPE, MASK, SRC, SRC2, INDEX, DST],
    syntax: &[
        "{*sy jp}{op}{solid}{array}{offsets}{project}{shadow}{tables} ({type}){mask}{dst}, {src}, {src2}, {index}",
    ],
    ..LEVEL
};

/// As the forms of `sample`, with the mark of one dimension behind all flags.
macro_rules! fetch {
    ($(#[$doc:meta])* $name:ident, $title:literal, indexed $indexed:literal, offsets $offsets:literal,
     [$($field:ident),*], $syntax:expr, [$($spare:expr),*]) => {
        $(#[$doc])*
        pub(super) static $name: Format = Format {
            name: $title,
            fixed: &[SHORT[0], (bit(51), $indexed), (bit(52), $offsets)],
            fields: &[SY, JP, SOLID, ARRAY, PROJECT, SHADOW, ONE_D, $($field),*],
            syntax: $syntax,
            spare: &[LATER[0], LATER[1], LATER[2] $(, $spare)*],
            ..PLAIN
        };
    };
}

fetch! {
    /// Integer coordinates.
    FETCH, "cat5, fetch", indexed 0, offsets 0, [TYPE, MASK, SRC, BOTH, DST],
    &[text!("" "{line} ({type}){mask}{dst}, {src}, {which}")], [at(9..=16)]
}
fetch! {
    /// With offsets.
    FETCH_O, "cat5, fetch with offsets", indexed 0, offsets 1, [TYPE, MASK, SRC, SRC2, BOTH, DST],
    &[text!("o" "{line} ({type}){mask}{dst}, {src}, {src2}, {which}")], []
}
fetch! {
    /// With indices from a register.
    FETCH_S, "cat5, indexed fetch", indexed 1, offsets 0, [TABLES, TYPE, MASK, SRC2_UNUSED, SRC, INDEX, DST],
    &[
        text!("" "{tables}{line} ({type}){mask}{dst}, {src}, {index}"),
        text!("" "{tables}{line} ({type}){mask}{dst}, {src}, {src2}, {index}"),
        text!("" "{tables}{line} ({type}){mask}{dst}, {src}, {src2}, {index}"),
    ], []
}
fetch! {
    /// With offsets and indices from a register.
    FETCH_OS, "cat5, indexed fetch with offsets", indexed 1, offsets 1, [TABLES, TYPE, MASK, SRC, SRC2, INDEX, DST],
    &[text!("o" "{tables}{line} ({type}){mask}{dst}, {src}, {src2}, {index}")], []
}
form! {
    /// One operand and a texture.
    QUERY: "cat5, query", indexed 0, offsets 0, [TYPE, MASK, SRC, TEXTURE, DST],
    &[text!("" " ({type}){mask}{dst}, {src}, {which}")], [at(9..=16), at(21..=24)]
}
form! {
    /// With offsets.
    QUERY_O: "cat5, query with offsets", indexed 0, offsets 1, [TYPE, MASK, SRC, SRC2, TEXTURE, DST],
    &[text!("o" " ({type}){mask}{dst}, {src}, {src2}, {which}")], [at(21..=24)]
}
form! {
    /// A texture alone.
    INFO: "cat5, information", indexed 0, offsets 0, [TYPE, MASK, TEXTURE, DST],
    &[text!("" " ({type}){mask}{dst}, {which}")], [at(0..=16), at(21..=24)]
}
form! {
    /// With offsets, which nothing reads.
    INFO_O: "cat5, information with offsets", indexed 0, offsets 1, [TYPE, MASK, SRC2, TEXTURE, DST],
    &[text!("o" " ({type}){mask}{dst}, {src2}, {which}")], [at(1..=8), at(21..=24)]
}
form! {
    /// Indices from a register.
    INFO_S: "cat5, indexed information", indexed 1, offsets 0, [TABLES, TYPE, MASK, INDEX, DST],
    &[text!("" "{tables} ({type}){mask}{dst}, {index}")], [at(0..=16)]
}
form! {
    /// One operand, no texture.
    ALONE: "cat5, no texture", indexed 0, offsets 0, [TYPE, MASK, SRC, DST],
    &[text!("" " ({type}){mask}{dst}, {src}")], [at(9..=16), at(21..=31)]
}
form! {
    /// With offsets.
    ALONE_O: "cat5, no texture, with offsets", indexed 0, offsets 1, [TYPE, MASK, SRC, SRC2, DST],
    &[text!("o" " ({type}){mask}{dst}, {src}, {src2}")], [at(21..=31)]
}
form! {
    /// Indices from a register, which nothing reads.
    ALONE_S: "cat5, no texture, indexed", indexed 1, offsets 0, [TABLES, TYPE, MASK, SRC, INDEX, DST],
    &[text!("" "{tables} ({type}){mask}{dst}, {src}, {index}")], [at(9..=16)]
}
form! {
    /// The same with offsets.
    ALONE_OS: "cat5, no texture, indexed, with offsets", indexed 1, offsets 1,
    [TABLES, TYPE, MASK, SRC, SRC2, INDEX, DST],
    &[text!("o" "{tables} ({type}){mask}{dst}, {src}, {src2}, {index}")], []
}
form! {
    /// One operand; the type is not written, a float of the register's size.
    FINE: "cat5, fine derivative", indexed 0, offsets 0, [MASK, SRC, DST],
    &[text!("" " {mask}{dst}, {src}")], [at(9..=16), at(21..=31)]
}
form! {
    /// No operand.
    BARE: "cat5, no operand", indexed 0, offsets 0, [TYPE, MASK, DST],
    &[text!("" " ({type}){mask}{dst}")], [at(0..=16), at(21..=31)]
}
/// The cache, from A6xx on.
pub(super) static CACHE: Format = Format {
    name: "cat5, cache",
    fields: &[SY, JP],
    syntax: &["{*sy jp}{op}"],
    spare: &[at(0..=53)],
    when: Gens::from(A6XX),
    ..PLAIN
};
