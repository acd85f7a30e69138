//! USC words: the list that binds uniforms, textures and samplers and starts a program (spec 16.1).
//!
//! They are a small instruction set of their own: 2 to 8 bytes, told by their first one. Sizes and
//! addresses are written in their own units; what a word rounds up is rounded up in its text too.

use chiaro_isa::{
    Class, Cursor, Cx, Field, Format, Hex, Isa, Kind, Length, Out, Partial, Purpose, Set, Source, UInt,
    Value, Wait, at, bit, modifier, operations,
};
use std::sync::LazyLock;

operations! {
    /// USC words.
    pub enum Usc => ROWS {
        /// Halves of uniforms from memory, from one of the first 256 on.
        Uniform "uniform" [UNIFORMS 0x1d] LAUNCH MESA;
        /// As uniform, from one of the upper 256 on.
        UniformHigh "uniform_high" [UNIFORMS 0x3d] LAUNCH MESA;
        /// Texture states from memory.
        Texture "texture" [STATES 0xdd] LAUNCH MESA;
        /// Sampler states from memory.
        Sampler "sampler" [STATES 0x9d] LAUNCH MESA;
        /// Memory of threadgroups, or the tilebuffer.
        Shared "shared" [SHARED 0x4d] LAUNCH MESA;
        /// Where the program is.
        Shader "shader" [SHADER 0x0d] LAUNCH MESA;
        /// Registers and stack of the program.
        Registers "registers" [REGISTERS 0x8d] LAUNCH MESA;
        /// How a fragment program works with depth.
        FragmentProperties "fragment_properties" [FRAGMENT 0x58] LAUNCH MESA;
        /// There is no preamble; ends the list.
        NoPreshader "no_preshader" [NOTHING 0x88] LAUNCH MESA;
        /// Where the preamble is; ends the list.
        Preshader "preshader" [PRESHADER 0x38] LAUNCH MESA;
    }
}

static MESA: Source = Source { name: "Mesa", title: "Mesa 25.0.7: src/asahi/genxml/cmdbuf.xml" };
static LAUNCH: Class = Class {
    name: "launch",
    unit: "front end",
    issue: None,
    result: Wait::Unknown,
    purpose: Purpose::Control,
    source: None,
};

/// The declaration.
pub static SET: Set = Set {
    name: "agx-usc",
    title: "USC words of Apple AGX",
    about: "",
    operations: &[ROWS],
    generations: crate::isa::GENERATIONS,
    dialects: &["usc"],
    rules: &[],
    fold_case: false,
};

/// The set, prepared.
pub static WORDS: LazyLock<Isa> = LazyLock::new(|| Isa::new(&SET, 0));

/// A number in groups of so many; the greatest is written as zero.
struct Groups {
    unit: i64,
    most: i64,
}

impl Kind for Groups {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(if raw == 0 { self.most } else { raw as i64 * self.unit }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let n = value.int().filter(|n| (0..=self.most).contains(n))?;
        // Nothing at all is written as one group [Mesa].
        let groups = (n + self.unit - 1).div_euclid(self.unit).max(1);
        Partial::full((groups % (self.most / self.unit)) as u64)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_int(value.int().unwrap_or(0));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        s.int().map(Value::Int).or_else(|| s.fail("expected a number"))
    }
    fn range(&self, _: u8) -> Option<(i64, i64)> {
        Some((0, self.most))
    }
}

/// An address without its low bits, which are zero.
struct Address(u8);

impl Kind for Address {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int((raw << self.0) as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let n = u64::try_from(value.int()?).ok()?;
        (n & ((1 << self.0) - 1) == 0).then(|| Partial::full(n >> self.0))?
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        Hex.print(value, out, cx);
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        Hex.parse(s, cx)
    }
}

/// A power of two by its logarithm.
struct Power;

impl Kind for Power {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(1 << raw))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let n = value.int().and_then(|n| u64::try_from(n).ok())?;
        n.is_power_of_two().then(|| Partial::full(n.trailing_zeros().into()))?
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_int(value.int().unwrap_or(0));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        s.int().map(Value::Int).or_else(|| s.fail("expected 1, 2, 4 or 8"))
    }
}

const fn number(name: &'static str, bits: chiaro_isa::Bits, doc: &'static str) -> Field {
    modifier(name, bits, &UInt, doc)
}

const START: Field = number("start", at(8..=15), "the first one");
const WORD: Format = Format { opcode: at(0..=7), length: Length::Bytes(8), ..Format::EMPTY };

/// Bits that no field claims are zero, and kept.
macro_rules! word {
    ($name:ident, $length:literal, [$($field:expr),* $(,)?], $syntax:literal $(, $key:ident: $value:expr)*) => {
        static $name: Format = {
            const WORD_BASE: Format = Format { length: Length::Bytes($length), $($key: $value,)* ..WORD };
            const WORD_FIELDS: &[Field] = &[$($field),*];
            Format {
                name: stringify!($name),
                fields: WORD_FIELDS,
                syntax: &[$syntax],
                spare: &[WORD_BASE.left_over(WORD_FIELDS)],
                ..WORD_BASE
            }
        };
    };
}

word!(
    UNIFORMS,
    8,
    [
        START,
        modifier("size", at(20..=25), &Groups { unit: 1, most: 64 }, "halves"),
        modifier("buffer", at(26..=63), &Address(2), "address"),
    ],
    "{op} start={start} size={size} buffer={buffer}"
);
word!(
    STATES,
    8,
    [
        START,
        number("count", at(20..=26), "how many"),
        modifier("buffer", at(27..=62), &Address(3), "address")
    ],
    "{op} start={start} count={count} buffer={buffer}"
);
word!(
    SHARED,
    4,
    [
        number("uses", bit(8), "whether there is any"),
        modifier("layout", at(10..=15), &Hex, "0x24 vertices and compute, 0x2f, 0x3f, 0x36 tiles"),
        modifier("samples", at(16..=17), &Power, "samples of a pixel"),
        number("stride8", at(20..=23), "bytes of a sample, in steps of 8"),
        modifier("bytes", at(24..=31), &Groups { unit: 256, most: 65536 }, "bytes of a threadgroup or tile"),
    ],
    "{op} uses={uses} layout={layout} samples={samples} stride8={stride8} bytes={bytes}"
);
word!(
    SHADER,
    6,
    [
        number("loads_varyings", bit(8), "whether there are varyings"),
        number("unk1", bit(9), "unknown"),
        number("unk2", at(10..=15), "2 fragment, 3 others, 0 the background program"),
        modifier("code", at(16..=47), &Hex, "offset of the program"),
    ],
    "{op} loads_varyings={loads_varyings} unk1={unk1} unk2={unk2} code={code}"
);
word!(
    REGISTERS,
    4,
    [
        modifier("count", at(8..=12), &Groups { unit: 8, most: 256 }, "halves"),
        number("unk1", bit(13), "1 fragment"),
        number("spill", at(18..=21), "size of the stack"),
        number("unk4", at(24..=31), "1 in linked programs"),
    ],
    "{op} count={count} unk1={unk1} spill={spill} unk4={unk4}"
);
word!(
    FRAGMENT,
    4,
    [
        number("early_z", bit(8), "whether depth is tested first"),
        number("unk2", bit(9), "1"),
        number("discard1", bit(10), "unconditional discard"),
        number("discard2", bit(11), "unconditional discard"),
        number("unk3", at(12..=15), "15"),
        number("unk4", at(16..=23), "2, or 3"),
        number("unk5", at(24..=31), "0"),
    ],
    "{op} early_z={early_z} unk2={unk2} discard1={discard1} discard2={discard2} unk3={unk3} unk4={unk4} unk5={unk5}"
);
word!(NOTHING, 2, [], "{op}");
word!(
    PRESHADER, 8,
    [modifier("code", at(32..=63), &Hex, "offset of the preamble")],
    "{op} code={code}",
    fixed: &[(at(8..=31), 0xc0_8000)]
);

/// The bytes of a word's text.
///
/// # Errors
/// What is wrong with the text.
pub fn pack(text: &str) -> Result<Vec<u8>, String> {
    let inst = WORDS.parse(text, &WORDS.cx()).map_err(|e| e.to_string())?.inst;
    Ok(inst.to_bytes()[..inst.length.into()].to_vec())
}

/// The texts of a list, up to the word that ends it.
///
/// # Errors
/// Where the list has no word, or bits without a meaning.
pub fn unpack(list: &[u8]) -> Result<Vec<String>, String> {
    let (mut texts, mut at) = (Vec::new(), 0);
    while at < list.len() {
        let inst = WORDS.decode(&list[at..]).map_err(|e| format!("byte {at}: {e}"))?;
        if !WORDS.unclaimed(&inst).is_zero() {
            return Err(format!("byte {at}: bits without a meaning: {:?}", WORDS.unclaimed(&inst)));
        }
        texts.push(WORDS.text(&inst, &WORDS.cx()).unwrap_or_default());
        at += usize::from(inst.length);
        if matches!(Usc::of(WORDS.form(&inst).op), Usc::NoPreshader | Usc::Preshader) {
            break;
        }
    }
    Ok(texts)
}
