//! Modelled on Apple's G13: two to twelve bytes, a bit that says whether the last
//! ones are there, fields in pieces, half registers.

use crate::{MADE_UP, assert_errors, assert_laws, assert_listing};
use chiaro_isa::{
    Class, Cursor, Cx, Field, Flag, Format, Isa, Kind, Length, Names, Out, Partial, Purpose, Reg, Set, UInt,
    Value, Wait, at, bit, dst, modifier, operations, split, src,
};

static ALU: Class = Class {
    name: "alu",
    unit: "alu",
    issue: Some(1),
    result: Wait::Unknown,
    purpose: Purpose::Arithmetic,
    source: Some(&MADE_UP),
};
static MEMORY: Class = Class {
    name: "memory",
    unit: "memory",
    issue: None,
    result: Wait::Counter { name: "slot", slots: 0 },
    purpose: Purpose::Memory,
    source: None,
};

operations! {
    enum Op => OPS {
        /// Float sum.
        Fadd32 "fadd32" [FLOAT2 0x2a] ALU MADE_UP;
        /// Half sum.
        Fadd16 "fadd16" [FLOAT2 0x26] ALU MADE_UP;
        /// Float product plus sum, rounded once.
        Fmadd32 "fmadd32" [FLOAT3 0x3a] ALU MADE_UP;
        /// Loads a 16-bit or a 32-bit constant.
        MovImm "mov_imm" [MOV16 0x62, MOV32 0x62] ALU MADE_UP;
        /// Rounds down; the selector reaches into the part that may be missing.
        Floor "floor" [UNARY 0x0a] ALU MADE_UP;
        /// Rounds up.
        Ceil "ceil" [UNARY 0x80a] ALU MADE_UP;
        /// Reads a texture.
        TextureLoad "texture_load" [TEXTURE 0x71] MEMORY MADE_UP;
        /// Ends the program.
        Stop "stop" [NONE 0x88] ALU MADE_UP;
        /// Does nothing.
        Nop "nop" [NONE 0x08] ALU MADE_UP;
    }
}

const SAT: Field = modifier("sat", bit(6), &Flag(".sat"), "clamp the result to 0..1");
const FLOAT_D: Field = dst("d", split([44..=45, 9..=14, 7..=8]), &Dst, "destination");

static FLOAT2: Format = Format {
    name: "float, two sources",
    length: Length::Marked { bit: 15, short: 4, long: 6 },
    opcode: at(0..=5),
    fields: &[
        FLOAT_D,
        src("a", split([26..=27, 42..=43, 16..=21, 22..=25]), &Src, "first source"),
        src("b", split([38..=39, 40..=41, 28..=33, 34..=37]), &Src, "second source"),
        SAT,
    ],
    syntax: &["{op}{sat} {d}, {a}, {b}"],
    spare: &[at(46..=47)],
    ..Format::EMPTY
};
static FLOAT3: Format = Format {
    name: "float, three sources",
    length: Length::Marked { bit: 15, short: 6, long: 8 },
    fields: &[
        dst("d", split([60..=61, 9..=14, 7..=8]), &Dst, "destination"),
        src("a", split([26..=27, 58..=59, 16..=21, 22..=25]), &Src, "first source"),
        src("b", split([38..=39, 56..=57, 28..=33, 34..=37]), &Src, "second source"),
        src("c", split([50..=51, 54..=55, 40..=45, 46..=49]), &Src, "third source"),
        SAT,
    ],
    syntax: &["{op}{sat} {d}, {a}, {b}, {c}"],
    spare: &[at(52..=53), at(62..=63)],
    ..FLOAT2
};
static MOV16: Format = Format {
    name: "move immediate, 16 bits",
    opcode: at(0..=6),
    fixed: &[(bit(8), 0)],
    fields: &[
        dst("d", split([44..=45, 9..=14, 8..=8, 7..=7]), &Dst, "destination"),
        modifier("imm", at(16..=31), &UInt, "the constant"),
    ],
    syntax: &["{op} {d}, {imm}"],
    spare: &[at(32..=43), at(46..=47)],
    ..FLOAT2
};
static MOV32: Format = Format {
    name: "move immediate, 32 bits",
    length: Length::Marked { bit: 15, short: 6, long: 8 },
    fixed: &[(bit(8), 1)],
    fields: &[
        dst("d", split([60..=61, 9..=14, 8..=8, 7..=7]), &Dst, "destination"),
        modifier("imm", at(16..=47), &UInt, "the constant"),
    ],
    spare: &[at(48..=59), at(62..=63)],
    ..MOV16
};
/// The opcode has bits behind the short length.
static UNARY: Format = Format {
    name: "float, one source",
    opcode: split([28..=33, 0..=5]),
    fixed: &[(at(34..=41), 0)],
    fields: &[FLOAT_D, src("a", split([26..=27, 42..=43, 16..=21, 22..=25]), &Src, "source"), SAT],
    syntax: &["{op}{sat} {d}, {a}"],
    ..FLOAT2
};
static TEXTURE: Format = Format {
    name: "texture",
    length: Length::Marked { bit: 15, short: 8, long: 12 },
    opcode: at(0..=7),
    fields: &[
        dst("d", split([56..=57, 9..=14, 47..=47, 8..=8]), &Dst, "destination"),
        modifier("dim", at(40..=42), &Names(&["1d", "2d", "3d", "", "cube"]), "shape of the texture"),
        modifier("lod", at(64..=95), &UInt, "level of detail"),
    ],
    syntax: &["{op} {d}, {dim}[, lod {lod}]"],
    spare: &[at(16..=39), at(43..=46), at(48..=55), at(58..=63)],
    ..FLOAT2
};
static NONE: Format =
    Format { name: "no operands", length: Length::Bytes(2), opcode: at(0..=15), ..Format::EMPTY };

static SET: Set = Set {
    name: "toy-agx",
    title: "Toy AGX",
    about: "",
    operations: &[OPS],
    generations: &["g13"],
    dialects: &["applegpu"],
    rules: &[],
    fold_case: false,
};

const GPR: u8 = 0;
const UNIFORM: u8 = 1;
const HALF: u8 = 1;
const WORD: u8 = 2;
const CACHE: u16 = 1;
const ABS: u16 = 4;
/// Suffixes by bit of the modifiers.
const SUFFIXES: [&str; 4] = [".cache", ".discard", ".abs", ".neg"];

/// Number in halves (8 bits), then size and cache hint (2 bits).
struct Dst;

/// Modifiers (2), number (8), type (4): immediate, uniform, half or word register.
struct Src;

impl Kind for Dst {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let (n, mods) = ((raw >> 2) as u16, raw as u16 & CACHE);
        let r = match raw >> 1 & 1 {
            0 => Reg { size: HALF, index: n, mods, ..Reg::default() },
            _ if n & 1 == 0 => Reg { size: WORD, index: n >> 1, mods, ..Reg::default() },
            _ => return None,
        };
        Some(Value::Reg(r))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.file == GPR && r.mods <= CACHE)?;
        let (n, wide) = if r.size == WORD { (r.index << 1, 2) } else { (r.index, 0) };
        Partial::full(u64::from(n) << 2 | wide | u64::from(r.mods))
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        print(value, out);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        register(s).map(Value::Reg)
    }
}

impl Kind for Src {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let (kind, n, mods) = (raw & 15, (raw >> 4 & 0xff) as u16, (raw >> 12) as u16 * ABS);
        let reg = |file, size, index, hint| {
            Some(Value::Reg(Reg { file, size, index, mods: mods | hint, ..Reg::default() }))
        };
        match (kind >> 2, kind & 3) {
            (0, 0) if mods == 0 => Some(Value::Int(n.into())),
            (1, t) => match (t & 2, n | (t as u16 & 1) << 8) {
                (0, n) => reg(UNIFORM, HALF, n, 0),
                (_, n) if n & 1 == 0 => reg(UNIFORM, WORD, n >> 1, 0),
                _ => None,
            },
            (0, hint @ 1..) => reg(GPR, HALF, n, hint as u16 - 1),
            (2, hint @ 1..) if n & 1 == 0 => reg(GPR, WORD, n >> 1, hint as u16 - 1),
            _ => None,
        }
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = match value {
            Value::Int(n) => return Partial::full(u64::try_from(n).ok().filter(|n| *n < 256)? << 4),
            Value::Reg(r) => r,
            Value::Symbol(_) => return None,
        };
        let n = if r.size == WORD { r.index << 1 } else { r.index };
        let kind = match (r.file, r.size) {
            (UNIFORM, WORD) if r.mods & 3 == 0 && n < 512 => 6 | n >> 8,
            (UNIFORM, HALF) if r.mods & 3 == 0 && n < 512 => 4 | n >> 8,
            (GPR, size) if r.mods & 3 < 3 && n < 256 => u16::from(size == WORD) * 8 | ((r.mods & 3) + 1),
            _ => return None,
        };
        Partial::full(u64::from(r.mods / ABS) << 12 | u64::from(n & 0xff) << 4 | u64::from(kind))
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        print(value, out);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        s.int().map(Value::Int).or_else(|| register(s).map(Value::Reg))
    }
}

fn print(value: Value, out: &mut Out) {
    let r = match value {
        Value::Int(n) => return out.push_int(n),
        Value::Reg(r) => r,
        Value::Symbol(_) => return,
    };
    out.push(if r.file == GPR { 'r' } else { 'u' });
    out.push_int(if r.size == WORD { r.index } else { r.index >> 1 }.into());
    if r.size == HALF {
        out.push(if r.index & 1 == 0 { 'l' } else { 'h' });
    }
    let set = SUFFIXES.iter().enumerate().filter(|(i, _)| r.mods >> i & 1 == 1);
    set.for_each(|(_, suffix)| out.push_str(suffix));
}

fn register(s: &mut Cursor<'_>) -> Option<Reg> {
    let file = if s.eat("r") {
        GPR
    } else if s.eat("u") {
        UNIFORM
    } else {
        return s.fail("expected a register, a uniform or a number");
    };
    let n = s.digits().and_then(|n| u16::try_from(n).ok()).filter(|n| *n < 256);
    let Some(n) = n else { return s.fail_last("a register's number is 0 to 255") };
    let mut r = Reg { file, size: WORD, index: n, ..Reg::default() };
    for (text, low) in [("l", 0), ("h", 1)] {
        if s.eat_here(text) {
            r = Reg { size: HALF, index: n << 1 | low, ..r };
        }
    }
    for (i, suffix) in SUFFIXES.iter().enumerate() {
        r.mods |= u16::from(s.eat_here(suffix)) << i;
    }
    Some(r)
}

#[test]
fn laws() {
    assert_laws(&Isa::new(&SET, 0), 300);
    assert_eq!(Op::ALL.len(), OPS.len());
}

/// Words of applegpu's.
#[test]
fn listing() {
    let isa = Isa::new(&SET, 0);
    let rows = [
        ("ea895d01eb3f", "fadd32.sat r98.cache, u238h, r120.cache.abs.neg"),
        ("6ac2c2062410", "fadd32.sat r48h, r1.discard.abs, r0"),
        ("aad2d4069315", "fadd32 r52h.cache, r42.discard.abs, u56l.neg"),
        ("bad4cce1d0f20212", "fmadd32 r53l.cache, u134, u71l.abs.neg, r25.discard"),
        ("628200000020", "mov_imm r64h, 0"),
        ("624c19c9", "mov_imm r19l, 51481"),
        ("8800", "stop"),
    ];
    assert_listing(&isa, &isa.cx(), &rows);
}

#[test]
fn a_short_form_is_found_whatever_follows() {
    let isa = Isa::new(&SET, 0);
    let floor = isa.parse("floor r3, r1", &isa.cx()).expect("valid").inst;
    assert_eq!(floor.length, 4);
    let mut bytes = floor.to_bytes();
    bytes[4..].fill(0xff);
    assert_eq!(isa.decode(&bytes), Ok(floor));
    // The selector of `ceil` lies in the low part, of a larger one not.
    assert_eq!(isa.parse("ceil r3, r1", &isa.cx()).map(|p| p.inst.length), Ok(6));
    let (mask, _) = isa.pattern(isa.forms_of(Op::Ceil as u16).next().expect("a form"));
    assert_eq!(mask, split([28..=33, 0..=5]).mask() | at(34..=41).mask());
}

#[test]
fn errors() {
    let isa = Isa::new(&SET, 0);
    let rows = [
        ("fadd32 r1, r300, r2", "300", "a register's number is 0 to 255"),
        ("fadd32 r1, 256, r2", "256", "a cannot be this operand"),
        ("fadd32 r1 r2", "r2", "expected `,`"),
        ("mov_imm r1, 4294967296", "4294967296", "imm is 4294967296, but can only be 0 to 4294967295"),
        ("texture_load r1, 4d", "4d", "expected one of the names listed"),
    ];
    assert_errors(&isa, &isa.cx(), &rows);
}
