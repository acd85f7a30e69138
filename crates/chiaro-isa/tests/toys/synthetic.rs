//! A set of 1,500 operations of 64 bits, built at start: as large as a desktop GPU's,
//! with opcodes in different places and prefixes of different lengths, as RDNA has
//! them. It stands in for the targets to come when the engine's speed is measured.

use chiaro_isa::{
    Bits, Class, Cursor, Cx, Field, Flag, Format, Gens, Hex, Inst, Isa, Kind, Length, Modes, Operation, Out,
    Partial, Purpose, Reg, Rng, Role, Set, Source, UInt, Value, Wait, at, bit, dst, modifier, src,
};
use std::sync::LazyLock;

/// How many operations.
pub(crate) const OPERATIONS: usize = 1_500;

/// The set; what it borrows lives as long as the program.
pub(crate) static SET: LazyLock<Set> = LazyLock::new(|| Set {
    name: "synthetic",
    title: "1,500 operations in 12 groups",
    about: "",
    operations: Box::leak(Box::new([operations()])),
    generations: &["only"],
    dialects: &["plain"],
    rules: &[],
    fold_case: false,
});

static MADE_UP: Source = Source { name: "synthetic", title: "generated for measurements" };
static ANY: Class = Class {
    name: "any",
    unit: "any",
    issue: Some(1),
    result: Wait::Unknown,
    purpose: Purpose::Arithmetic,
    source: Some(&MADE_UP),
};

/// An encoding group: the bits that announce it, and where its opcode stands.
struct Group {
    prefix: (Bits, u64),
    opcode: Bits,
    /// Numbers of the opcodes in use: others are prefixes of longer groups.
    opcodes: std::ops::Range<u64>,
    formats: &'static [(&'static str, &'static [Field])],
}

const VGPR: u8 = 0;
const SGPR: u8 = 1;

/// A register of one file, as many as the field can number.
struct Register(u8);

/// Nine bits: scalar registers, small numbers, names, vector registers.
struct AnySource;

impl Kind for Register {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(register(self.0, raw))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(value.reg().filter(|r| r.file == self.0)?.index.into())
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        print(value, out);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        parse(s).or_else(|| s.fail("expected a register"))
    }
}

impl Kind for AnySource {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        match raw {
            0..=105 => Some(register(SGPR, raw)),
            128..=192 => Some(Value::Int(raw as i64 - 128)),
            193..=208 => Some(Value::Int(192 - raw as i64)),
            256.. => Some(register(VGPR, raw - 256)),
            _ => None,
        }
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(match value {
            Value::Int(n @ 0..=64) => n as u64 + 128,
            Value::Int(n @ -16..=-1) => (192 - n) as u64,
            Value::Reg(Reg { file: SGPR, index: n @ 0..=105, .. }) => n.into(),
            Value::Reg(Reg { file: VGPR, index: n @ 0..=255, .. }) => u64::from(n) + 256,
            _ => return None,
        })
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        print(value, out);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        parse(s).or_else(|| s.int().map(Value::Int)).or_else(|| s.fail("expected a register or a number"))
    }
}

fn register(file: u8, raw: u64) -> Value {
    Value::Reg(Reg { file, index: raw as u16, ..Reg::default() })
}

fn print(value: Value, out: &mut Out) {
    match value {
        Value::Reg(r) => {
            out.push(if r.file == VGPR { 'v' } else { 's' });
            out.push_int(r.index.into());
        }
        Value::Int(n) => out.push_int(n),
        Value::Symbol(_) => {}
    }
}

fn parse(s: &mut Cursor<'_>) -> Option<Value> {
    let file = if s.eat("v") {
        VGPR
    } else if s.eat("s") {
        SGPR
    } else {
        return None;
    };
    let n = u64::try_from(s.int()?).ok().filter(|n| *n < 256)?;
    Some(register(file, n))
}

static V: Register = Register(VGPR);
static S: Register = Register(SGPR);

const VDST: Field = dst("vdst", at(0..=7), &V, "result");
const SRC0: Field = src("src0", at(32..=40), &AnySource, "first operand");
const SRC1: Field = src("src1", at(41..=49), &AnySource, "second operand");
const SRC2: Field = src("src2", at(50..=58), &AnySource, "third operand");
const VSRC1: Field = src("vsrc1", at(9..=16), &V, "second operand");
const OMOD: Field = modifier("omod", at(59..=60), &Modes(&["", " mul:2", " mul:4", " div:2"]), "scale");
const NEG: Field = modifier("neg", bit(61), &Flag(" neg"), "sign");
const CLAMP: Field = modifier("clamp", bit(62), &Flag(" clamp"), "clamp the result");
const SDST: Field = dst("sdst", at(0..=6), &S, "result");
const SSRC0: Field = src("ssrc0", at(32..=38), &S, "first operand");
const SSRC1: Field = src("ssrc1", at(40..=46), &S, "second operand");
const SIMM: Field = modifier("imm", at(47..=62), &Hex, "constant");
const ADDRESS: Field = src("addr", at(32..=39), &V, "address");
const DATA: Field = src("data", at(40..=47), &V, "data");
const BASE: Field = src("base", at(48..=54), &S, "base");
const OFFSET: Field = modifier("offset", at(0..=11), &UInt, "bytes");
const GLC: Field = modifier("glc", bit(12), &Flag(" glc"), "coherent");
const SLC: Field = modifier("slc", bit(13), &Flag(" slc"), "streaming");
const DLC: Field = modifier("dlc", bit(14), &Flag(" dlc"), "device coherent");
const LDST: Field = dst("ldst", at(56..=63), &V, "result");

const ALU3: &str = "{op} {vdst}, {src0}, {src1}, {src2}{*omod neg clamp}";
const ALU2: &str = "{op} {vdst}, {src0}, {src1}{*omod neg clamp}";
const SHORT2: &str = "{op} {vdst}, {src0}, {vsrc1}";
const SHORT1: &str = "{op} {vdst}, {src0}";
const SCALAR2: &str = "{op} {sdst}, {ssrc0}, {ssrc1}";
const SCALARK: &str = "{op} {sdst}, {imm}";
const LOAD: &str = "{op} {ldst}, {addr}, {base}[ offset:{offset}]{*glc slc dlc}";
const STORE: &str = "{op} {addr}, {data}, {base}[ offset:{offset}]{*glc slc dlc}";

const VECTOR3: &[(&str, &[Field])] = &[
    (ALU3, &[VDST, SRC0, SRC1, SRC2, OMOD, NEG, CLAMP]),
    (ALU2, &[VDST, SRC0, SRC1, OMOD, NEG, CLAMP]),
    (SHORT1, &[VDST, SRC0]),
    (SHORT2, &[VDST, SRC0, VSRC1]),
];
const VECTOR2: &[(&str, &[Field])] =
    &[(SHORT2, &[VDST, SRC0, VSRC1]), (ALU2, &[VDST, SRC0, SRC1, OMOD, NEG, CLAMP]), (SHORT1, &[VDST, SRC0])];
const SCALAR: &[(&str, &[Field])] = &[
    (SCALAR2, &[SDST, SSRC0, SSRC1]),
    (SCALARK, &[SDST, SIMM]),
    ("{op} {sdst}, {ssrc0}", &[SDST, SSRC0]),
    ("{op}", &[]),
];
const MEMORY: &[(&str, &[Field])] = &[
    (LOAD, &[LDST, ADDRESS, BASE, OFFSET, GLC, SLC, DLC]),
    (STORE, &[ADDRESS, DATA, BASE, OFFSET, GLC, SLC, DLC]),
    ("{op} {ldst}, {addr}", &[LDST, ADDRESS]),
];

fn groups() -> [Group; 12] {
    let group = |prefix, opcode, opcodes, formats| Group { prefix, opcode, opcodes, formats };
    [
        group((bit(31), 0), at(25..=30), 0..61, VECTOR2),
        group((at(25..=31), 0x3f), at(17..=24), 0..200, VECTOR2),
        group((at(25..=31), 0x3e), at(17..=24), 0..220, VECTOR2),
        group((at(30..=31), 2), at(23..=29), 0..90, SCALAR),
        group((at(23..=31), 0x17d), at(8..=15), 0..120, SCALAR),
        group((at(23..=31), 0x17e), at(16..=22), 0..60, SCALAR),
        group((at(23..=31), 0x17f), at(16..=22), 0..50, SCALAR),
        group((at(26..=31), 0x35), at(17..=25), 0..450, VECTOR3),
        group((at(26..=31), 0x36), at(18..=25), 0..110, MEMORY),
        group((at(26..=31), 0x37), at(18..=24), 0..70, MEMORY),
        group((at(26..=31), 0x38), at(18..=25), 0..60, MEMORY),
        group((at(26..=31), 0x3d), at(18..=25), 0..40, MEMORY),
    ]
}

fn operations() -> &'static [Operation] {
    let mut all = Vec::new();
    for (g, group) in groups().into_iter().enumerate() {
        let formats: Vec<&'static Format> = group.formats.iter().map(|f| format(&group, f)).collect();
        for opcode in group.opcodes.clone() {
            let format = formats[opcode as usize * 7 % formats.len()];
            all.push(row(name(g, opcode), format, opcode));
        }
    }
    all.truncate(OPERATIONS);
    assert_eq!(all.len(), OPERATIONS, "the groups hold enough operations");
    all.leak()
}

fn format(group: &Group, &(syntax, fields): &(&'static str, &'static [Field])) -> &'static Format {
    Box::leak(Box::new(Format {
        name: "synthetic",
        length: Length::Bytes(8),
        opcode: group.opcode,
        fixed: vec![group.prefix].leak(),
        fields,
        syntax: vec![syntax].leak(),
        spare: spare(group, fields),
        ..Format::EMPTY
    }))
}

/// What is left of 64 bits.
fn spare(group: &Group, fields: &[Field]) -> &'static [Bits] {
    let taken = fields.iter().fold(group.opcode.mask() | group.prefix.0.mask(), |all, f| all | f.bits.mask());
    (0..64).filter(|&n| !taken.bit(n)).map(bit).collect::<Vec<_>>().leak()
}

/// A name of the usual length: `v_mad_u16_b`.
fn name(group: usize, opcode: u64) -> &'static str {
    const GROUPS: [&str; 12] =
        ["v", "v1", "vc", "s", "s1", "sc", "sp", "v3", "ds", "flat", "buffer", "image"];
    const VERBS: [&str; 16] = [
        "add", "sub", "mul", "mad", "min", "max", "and", "or", "xor", "shift", "cmp", "cvt", "load", "store",
        "perm", "fract",
    ];
    const TYPES: [&str; 8] = ["f32", "f16", "u32", "i32", "u16", "i16", "b64", "f64"];
    let (verb, rest) = (VERBS[opcode as usize % 16], opcode as usize / 16);
    let (kind, rest) = (TYPES[rest % 8], rest / 8);
    let suffix = ["", "_lo", "_hi", "_x4"][rest % 4];
    format!("{}_{verb}_{kind}{suffix}", GROUPS[group]).leak()
}

fn row(name: &'static str, format: &'static Format, opcode: u64) -> Operation {
    Operation {
        name,
        aliases: &[],
        encodings: vec![(format, opcode)].leak(),
        class: &ANY,
        implicit: &[],
        rules: &[],
        when: Gens::ALL,
        doc: "An operation of a set that was made up.",
        source: &MADE_UP,
    }
}

/// Code as compilers write it: a few operations are most of it, operands are low
/// registers, one modifier in sixteen is set.
pub(crate) fn ordinary(isa: &Isa, count: usize) -> Vec<Inst> {
    let mut rng = Rng(1);
    (0..count)
        .map(|_| {
            let u = rng.below(1 << 20) as f64 / f64::from(1 << 20);
            let form = (u * u * u * isa.forms.len() as f64) as usize;
            instruction(isa, form * 7919 % isa.forms.len(), &mut rng)
        })
        .collect()
}

fn instruction(isa: &Isa, form: usize, rng: &mut Rng) -> Inst {
    let (_, mut word) = isa.pattern(form as u16);
    for field in isa.forms[form].format.fields {
        let raw = match field.role {
            Role::Modifier if rng.below(16) != 0 => 0,
            Role::Modifier => rng.next(),
            _ if field.bits.width() == 9 && rng.below(4) != 0 => 256 + rng.below(48) as u64,
            _ => rng.below(64) as u64,
        };
        word |= field.bits.scatter(raw);
    }
    isa.decode_word(&word, 8).expect("every operand is valid")
}
