//! Varyings, tilebuffer, coverage (spec 9.4 to 9.6, 10.2).

use super::layout::*;
use crate::operand::alu::WORD;
use crate::operand::memory::{BY_COUNT, BY_MASK, Numbered, TRIPLES};
use crate::operand::modifier::{DECIMAL, Elements, FORMATS, binary};
use crate::operand::pixel::{DepthStencil, Interpolation, Sample};
use crate::operand::texture::{COEFFICIENT, NUMBER_IF_CLEAR, NUMBER_IF_SET};
use crate::regs::file;
use chiaro_isa::{Bits, Field, Flag, Format, Length, at, bit, dst, operations, split, src};

operations! {
    /// Varyings, tilebuffer, coverage.
    pub enum Graphics => ROWS {
        /// Registers from the tilebuffer.
        LdTile "ld_tile" [TILE_LOAD 1] PIXEL APPLEGPU;
        /// Registers to the tilebuffer.
        StTile "st_tile" [TILE_STORE 0] PIXEL APPLEGPU;
        /// Interpolates without perspective.
        Iter "iter" [ITERATE 0] PIXEL APPLEGPU;
        /// Interpolates with perspective.
        Iterproj "iterproj" [ITERATE_PROJECTED 1] PIXEL APPLEGPU;
        /// The three coefficients of each component.
        Ldcf "ldcf" [COEFFICIENTS 2] PIXEL APPLEGPU { aliases: unexplained!("ldcf") };
        /// Stores a word of the vertex.
        StVar "st_var" [VERTEX 0x11] PIXEL APPLEGPU;
        /// Stores the last word of the vertex; once in a program.
        StVarFinal "st_var_final" [VERTEX 0x91] PIXEL APPLEGPU;
        /// There is nothing to store.
        NoVar "no_var" [VERTEX 0x51] PIXEL APPLEGPU;
        /// Of the samples S, those of M are tested, the others killed.
        SampleMask "sample_mask" [SAMPLES 0xc1] PIXEL APPLEGPU;
        /// Gives depth and stencil of the samples S, and tests them.
        ZsEmit "zs_emit" [DEPTH 0x41] PIXEL APPLEGPU;
        /// Waits for earlier pixels of the same place.
        WaitPix "wait_pix" [FENCE 0x48] PIXEL APPLEGPU;
        /// Lets later pixels of the same place go on.
        SignalPix "signal_pix" [FENCE 0x58] PIXEL APPLEGPU;
        /// Unknown, seen behind sampling.
        AfterSampling1 "after_sampling1" [MARK 0x101c] UNTIMED APPLEGPU { aliases: unexplained!("after_sampling1") };
        /// Unknown, seen behind sampling.
        AfterSampling2 "after_sampling2" [MARK 0x62cc] UNTIMED APPLEGPU { aliases: unexplained!("after_sampling2") };
    }
}

const TILE: Format =
    Format { length: by_15(8, 10), opcode: bit(6), fixed: &[(at(0..=5), 9)], ..Format::EMPTY };
const LOADS: Field = modify("load", bit(6), &DECIMAL, "whether it is a load").view();
const TILE_FORMAT: Field = modify("F", at(24..=27), &FORMATS, "format in the tilebuffer");
const U0: Field = mystery("u0", bit(35), &DECIMAL);
const TILE_MASK: Field = modify("mask", at(36..=39), &Elements, "which components take part");
const TILE_DATA: Bits = split([36..=39, 60..=61, 9..=14, 8..=8]);
const TILE_OFFSET: Field = modify("O", split([40..=41, 28..=34]), &DECIMAL, "byte offset in a sample");
const TILE_SAMPLES: Field =
    src("S", split([22..=22, 56..=57, 42..=47]), &NUMBER_IF_CLEAR, "which samples: a mask or a register");
const TILE_COORDINATES: Field =
    modify("C", split([58..=59, 16..=21]), &DECIMAL, "half number of explicit coordinates");
const EXPLICIT: Field = modify("ec", bit(55), &Flag(", explicit"), "whether there are coordinates [Mesa]");

layout!(
    TILE_LOAD = TILE,
    [
        LOADS, TILE_FORMAT, U0, TILE_MASK, dst("R", TILE_DATA, &BY_MASK, "what is loaded"), TILE_OFFSET,
        TILE_SAMPLES, TILE_COORDINATES, EXPLICIT,
    ],
    " {R}, {F}, {u0}, {mask}, {O}, {S}, {C}{ec}" | " {R}, {F}, {u0}, {mask}, {O}, {S}, {C}",
    name: "tile load",
);
layout!(
    TILE_STORE = TILE,
    [
        LOADS, TILE_FORMAT, U0, TILE_MASK, src("R", TILE_DATA, &BY_MASK, "what is stored"), TILE_OFFSET,
        TILE_SAMPLES, TILE_COORDINATES, EXPLICIT,
    ],
    " {R}, {F}, {u0}, {mask}, {O}, {S}, {C}{ec}" | " {R}, {F}, {u0}, {mask}, {O}, {S}, {C}",
    name: "tile store",
);

const VARYING: Format =
    Format { length: by_15(4, 8), opcode: bit(6), fixed: &[(at(0..=5), 0x21), (bit(7), 0)], ..Format::EMPTY };
const COUNT: Bits = split([30..=31, 56..=57, 9..=14, 8..=8]);
const HOW_MANY: Field = modify("count", at(30..=31), &DECIMAL, "components; 0 is four").view();
const PLACE: Field = modify("interpolation", at(48..=49), &Interpolation, "where the value is taken");
const SAMPLE: Field = src("S", split([48..=49, 32..=39]), &Sample, "which sample");
const FORWARD: Field = modify("forwarding", bit(22), &Flag(", forward"), "forwarding [unknown]");
const ELIDE: Field = modify("elide", bit(46), &Flag(", elide"), "barriers are elided [unknown]");
const WHICH: Field = src("I", split([23..=23, 58..=59, 16..=21]), &COEFFICIENT, "which coefficients");
const KILL: Field = modify("kill", bit(52), &binary(1), "helper lanes end here");
const UNK1: Field = mystery("unk1", at(40..=45), &DECIMAL);
const UNK2: Field = mystery("unk2", bit(47), &DECIMAL);
const UNK3: Field = mystery("unk3", at(50..=51), &DECIMAL);
const UNK4: Field = mystery("unk4", at(53..=55), &DECIMAL);
const UNK5: Field = mystery("unk5", at(62..=63), &DECIMAL);

layout!(
    ITERATE = VARYING,
    [
        HOW_MANY, dst("D", COUNT, &BY_COUNT, "the values"), WHICH, PLACE, SAMPLE, FORWARD, ELIDE, KILL,
        UNK1, UNK2, UNK3, UNK4, UNK5,
    ],
    " {D}, {I}{S}{forwarding}{elide}, {interpolation}, {kill}, {unk1}, {unk2}, {unk3}, {unk4}, {unk5}",
    name: "interpolation",
);
layout!(
    ITERATE_PROJECTED = VARYING,
    [
        HOW_MANY, dst("D", COUNT, &BY_COUNT, "the values"), WHICH,
        src("J", split([60..=61, 24..=29]), &Numbered(file::COEFFICIENT), "coefficients of W"),
        PLACE, SAMPLE, FORWARD, ELIDE, KILL, UNK1, UNK2, UNK3, UNK4, UNK5,
    ],
    " {D}, {I}, {J}{S}{forwarding}{elide}, {interpolation}, {kill}, {unk1}, {unk2}, {unk3}, {unk4}, {unk5}",
    name: "interpolation with perspective",
);
layout!(
    COEFFICIENTS = VARYING,
    [HOW_MANY, dst("D", COUNT, &TRIPLES, "three for each component"), WHICH],
    " {D}, {I}",
    name: "coefficients", opcode: at(6..=7), fixed: &[(at(0..=5), 0x21)],
);

const FOUR: Format = Format { length: Length::Bytes(4), opcode: at(0..=7), ..Format::EMPTY };

layout!(
    VERTEX = FOUR,
    [
        modify("u", bit(31), &DECIMAL, "1 in Mesa"), src("r", split([24..=25, 10..=14]), &WORD, "the word"),
        src("I", split([23..=23, 26..=27, 16..=21]), &NUMBER_IF_SET, "which word of the vertex"),
    ],
    " {u}, {r}, {I}",
    name: "vertex output", fixed: &[(at(8..=9), 0), (bit(22), 0)],
);
layout!(
    SAMPLES = FOUR,
    [
        src("S", split([8..=8, 24..=25, 9..=14]), &NUMBER_IF_SET, "which samples"),
        src("M", split([23..=23, 26..=27, 16..=21]), &NUMBER_IF_SET, "which of them live"),
    ],
    " {S}, {M}",
    name: "sample mask", fixed: &[(bit(15), 0)],
);
layout!(
    DEPTH = FOUR,
    [
        modify("z", bit(29), &DECIMAL, "whether there is a depth").view(),
        modify("s", bit(30), &DECIMAL, "whether there is a stencil").view(),
        src("S", split([8..=8, 24..=25, 9..=14]), &NUMBER_IF_SET, "which samples"),
        src("T", split([30..=30, 29..=29, 26..=27, 16..=21]), &DepthStencil, "depth, then stencil"),
        mystery("u0", at(22..=23), &DECIMAL),
    ],
    " {S}, {T}, {u0}",
    name: "depth and stencil", fixed: &[(bit(15), 0)],
);
layout!(
    FENCE = FOUR,
    [
        modify("i", at(8..=17), &DECIMAL, "which fences"), mystery("j", at(22..=23), &DECIMAL),
    ],
    " {i}, {j}",
    name: "pixel fence",
);
layout!(MARK = Format::EMPTY, [], "", name: "mark", length: Length::Bytes(2), opcode: at(0..=15));
