//! Textures and images (spec 9.1 to 9.3).

use super::layout::*;
use crate::operand::alu::HALF_REGISTER;
use crate::operand::memory::{BY_MASK, FOUR, UniformPair};
use crate::operand::modifier::{DECIMAL, Elements, FORMATS, GATHERS, IMAGE_ROUNDS, SHAPES, binary};
use crate::operand::texture::{
    Bindless, BlockImage, Coordinates, Level, LevelMode, NUMBER_IF_SET, Offset, SAMPLER, Texture as State,
};
use chiaro_isa::{Bits, Field, Format, Modes, at, bit, dst, operations, split, src};

operations! {
    /// Textures and images.
    pub enum Texture => ROWS {
        /// Samples a texture.
        TextureSample "texture_sample" [READ 0x31] IMAGE APPLEGPU;
        /// Reads a texel.
        TextureLoad "texture_load" [READ 0x71] IMAGE APPLEGPU;
        /// Writes a texel.
        ImageWrite "image_write" [WRITE 0xf1] IMAGE APPLEGPU;
        /// Writes a block of the tilebuffer.
        ImageWriteBlock "image_write_block" [BLOCK 0xb1] IMAGE APPLEGPU;
    }
}

const SHAPE: Bits = split([71..=71, 40..=42]);
const WRITE_SHAPE: Bits = split([55..=55, 40..=42]);
/// Query of the level, and two unknown ones.
static QUERIES: Modes = Modes(&["", ", 1", ", query_lod", ", 3"]);

layout!(
    /// Fields that decide how many registers others have come before them.
    READ = Format::EMPTY,
    [
        modify("compare", bit(23), &DECIMAL, "whether texels are compared with a reference"),
        modify("mode", at(30..=31), &QUERIES, "query of the level"),
        modify("q3", at(43..=46), &binary(4), "1100; bit 0 for images that are written too, bit 1 if coherent [Mesa]"),
        modify("slot", bit(63), &binary(1), "wait slot"),
        modify("q6", at(86..=90), &GATHERS, "gathering"),
        modify("mask", at(48..=51), &Elements, "which components are written"),
        modify("kill", at(69..=70), &binary(2), "1: helper lanes end here [Mesa]"),
        dst("R", split([48..=51, 72..=73, 9..=14, 8..=8]), &BY_MASK, "what is read"),
        src("U", split([39..=39, 64..=68]), &Bindless, "base of bindless descriptors"),
        src("T", split([38..=39, 78..=79, 32..=37]), &State, "texture: a state, or the offset of a descriptor"),
        src("S", split([62..=62, 92..=93, 56..=61]), &SAMPLER, "sampler: a state, or its number"),
        modify("n", SHAPE, &SHAPES, "shape of the texture"),
        src("C", split([71..=71, 40..=42, 47..=47, 74..=75, 16..=21, 22..=22]), &Coordinates, "coordinates"),
        modify("lod", at(52..=55), &LevelMode, "how the level of detail is found"),
        src("D", split([52..=55, 71..=71, 40..=42, 76..=77, 24..=29]), &Level, "level, bias or gradients"),
        src("O", split([23..=23, 91..=91, 94..=95, 80..=85]), &Offset, "reference of a comparison, offset of the texels"),
    ],
    " {compare}{mode}, {q3}, {slot}, {q6}, {mask}, {kill}, {R}, {U}, {T}, {S}, {n}, {C}, {lod}, {D}{O}",
    name: "texture read", length: by_15(8, 12), opcode: at(0..=7),
);

const LEVEL: Field = src("D", split([31..=31, 60..=61, 24..=29]), &NUMBER_IF_SET, "level of detail");
const TEXTURE: Field =
    src("T", split([38..=39, 62..=63, 32..=37]), &State, "image: a state, or the offset of a descriptor");
const BLOCK_IMAGE: Field = Field { kind: &BlockImage, ..TEXTURE };
const WRITTEN: Field =
    src("C", split([55..=55, 40..=42, 47..=47, 58..=59, 16..=21, 22..=22]), &Coordinates, "coordinates");
const ROUND: Field = modify("round", bit(53), &IMAGE_ROUNDS, "rounding");
const BASE: Bits = split([39..=39, 48..=52]);

layout!(
    WRITE = Format::EMPTY,
    [
        src("R", split([56..=57, 9..=14, 8..=8]), &FOUR, "what is written"),
        modify("n", WRITE_SHAPE, &SHAPES, "shape of the image"),
        WRITTEN, LEVEL, src("U", BASE, &Bindless, "base of bindless descriptors"), TEXTURE, ROUND,
        mystery("u1", bit(23), &DECIMAL), mystery("u2", bit(30), &DECIMAL),
        modify("u3", at(43..=46), &DECIMAL, "9, or 15 if coherent [Mesa]"), mystery("u5", bit(54), &DECIMAL),
    ],
    " {R}, {C}, {D}, {U}, {T}, {n}, {round}, {u1}, {u2}, {u3}, {u5}",
    name: "image write", length: by_15(6, 8), opcode: at(0..=7),
);
layout!(
    BLOCK = Format::EMPTY,
    [
        src("R", split([56..=57, 9..=14]), &HALF_REGISTER, "byte offset in the tilebuffer"),
        modify("n", WRITE_SHAPE, &SHAPES, "shape of the image"),
        WRITTEN, LEVEL, BLOCK_IMAGE, ROUND,
        modify("F", split([64..=66, 8..=8]), &FORMATS, "format in the tilebuffer"),
        modify("q0", bit(23), &DECIMAL, "explicit coordinates [Mesa]"), mystery("q1", at(43..=46), &DECIMAL),
        mystery("q2", bit(67), &DECIMAL),
        src("U", at(48..=52), &UniformPair(2), "base of bindless descriptors [Mesa]"),
    ],
    " {R}, {C}, {D}, {T}, {n}, {round}, {F}, {q0}, {q1}, {q2}[, base {U}]" |
    " {R}, {C}, {D}, {T}, {n}, {round}, {F}, {q0}, {q1}, {q2}",
    name: "image block write", length: by_15(6, 10), opcode: at(0..=7),
);
