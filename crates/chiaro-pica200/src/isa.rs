//! The instruction set.
//!
//! An instruction and the operand descriptor that it names are one word here: bits
//! 0-31 are the instruction, bits 32-62 the descriptor, so that a swizzle is a field
//! like any other. Assemblers merge descriptors afterwards; bits that no field of a
//! format claims are free to differ. spec sections 6 to 9.

use crate::operand::{
    Address, BoolTest, Condition, Dst, EmitFlags, IntUniform, Place, Procedure, Reads, Relation, Src, Vertex,
};
use crate::regs::bank;
use chiaro_isa::{
    Bits, Class, Field, Format, Implicit, Isa, Length, Operands, Purpose, Role, Rule, Set, Source, UInt,
    Wait, Word, at, bit, dst, modifier, operations, split, src, target,
};
use std::sync::LazyLock;

/// The set, prepared. There is one generation: no source tells the "New" 3DS apart.
pub static PICA200: LazyLock<Isa> = LazyLock::new(|| Isa::new(&SET, 0));

/// The declaration.
pub static SET: Set = Set {
    name: "pica200",
    title: "PICA200 shader unit",
    about: "Bits 0 to 31 are the instruction in program memory, bits 32 to 62 the operand descriptor that it names by desc: components written and read, and signs. Instructions may share descriptors.",
    operations: &[OPS],
    generations: &["pica200"],
    dialects: &["plain", "picasso"],
    rules: &[],
    fold_case: true,
};

static DBREW: Source = Source {
    name: "3dbrew",
    title: "3dbrew wiki, \"Shader Instruction Set\" and \"GPU/Internal Registers\" (mirrors of 2024-10 and 2025-10)",
};
static PICASSO: Source =
    Source { name: "picasso", title: "devkitPro picasso 2.7.1, the assembler of nearly all homebrew" };
static PANDA: Source =
    Source { name: "Panda3DS", title: "Panda3DS 2026-08, LITP and comparisons checked on a console" };
static TESTS: Source = Source {
    name: "gpu-tests",
    title: "3ds-gpu-tests (2015) and 3ds-tests (2017), programs run on a console",
};

static ALU: Class = unknown("vector", "vector ALU", Purpose::Arithmetic);
static COPY: Class = Class { purpose: Purpose::Move, ..ALU };
static ADDRESS_LOAD: Class = Class { purpose: Purpose::Address, ..ALU };
static SCALAR: Class =
    unknown("scalar", "reciprocal, root, exponent and logarithm unit", Purpose::Arithmetic);
static FLOW: Class = unknown("flow", "sequencer", Purpose::Control);
static EMPTY_SLOT: Class = Class { purpose: Purpose::Wait, ..FLOW };
static EMITTER: Class = unknown("emit", "geometry emitter", Purpose::Memory);

/// No public source gives latencies or issue rules; an instruction may read what the
/// previous one wrote (spec sections 13 and 14).
const fn unknown(name: &'static str, unit: &'static str, purpose: Purpose) -> Class {
    Class { name, unit, issue: None, result: Wait::Slots(0), purpose, source: Some(&DBREW) }
}

operations! {
    /// What an instruction does, whatever its encoding.
    pub enum Op => OPS {
        /// Sum, component by component.
        Add "add" [TWO 0x00] ALU DBREW;
        /// Dot product of three components.
        Dp3 "dp3" [DOT3 0x01] ALU DBREW;
        /// Dot product of four components.
        Dp4 "dp4" [DOT4 0x02] ALU DBREW;
        /// Dot product of four components with the first operand's w taken as 1.
        Dph "dph" [DOTH 0x03, DOTH_INVERTED 0x18] ALU DBREW { aliases: &[(1, "dph"), (1, "dphi")] };
        /// Distance vector: 1, y times y, the first operand's z, the second's w.
        Dst "dst" [DISTANCE 0x04, DISTANCE_INVERTED 0x19] ALU DBREW { aliases: &[(1, "dst"), (1, "dsti")] };
        /// Two to the power of x.
        Ex2 "ex2" [SCALAR_ONE 0x05] SCALAR DBREW;
        /// Logarithm of x to base two.
        Lg2 "lg2" [SCALAR_ONE 0x06] SCALAR DBREW;
        /// Lighting: max(x, 0), y clamped to 127.9961 either way, 0, max(w, 0); sets cmp to x >= 0 and w >= 0.
        Litp "litp" [LIGHT 0x07] ALU PANDA { implicit: FLAGS_WRITTEN };
        /// Product, component by component; infinity times zero is zero.
        Mul "mul" [TWO 0x08] ALU TESTS;
        /// 1 where the first operand is greater or equal, else 0.
        Sge "sge" [TWO 0x09, TWO_INVERTED 0x1a] ALU DBREW { aliases: &[(1, "sge"), (1, "sgei")] };
        /// 1 where the first operand is less, else 0.
        Slt "slt" [TWO 0x0a, TWO_INVERTED 0x1b] ALU DBREW { aliases: &[(1, "slt"), (1, "slti")] };
        /// The largest integer not above each component.
        Flr "flr" [ONE 0x0b] ALU DBREW;
        /// The larger of two; the second where one is not a number.
        Max "max" [TWO 0x0c] ALU TESTS;
        /// The smaller of two; the second where one is not a number.
        Min "min" [TWO 0x0d] ALU TESTS;
        /// 1 divided by x.
        Rcp "rcp" [SCALAR_ONE 0x0e] SCALAR TESTS;
        /// 1 divided by the square root of x.
        Rsq "rsq" [SCALAR_ONE 0x0f] SCALAR TESTS;
        /// Loads a0.x and a0.y, rounding toward zero.
        Mova "mova" [ADDRESS 0x12] ADDRESS_LOAD DBREW;
        /// Copy.
        Mov "mov" [ONE 0x13] COPY DBREW;
        /// Leaves the innermost loop.
        Break "break" [NONE 0x20] FLOW DBREW;
        /// Nothing.
        Nop "nop" [NONE 0x21] EMPTY_SLOT DBREW;
        /// Ends the program.
        End "end" [NONE 0x22] FLOW DBREW;
        /// Leaves the innermost loop if the condition holds.
        Breakc "breakc" [BREAKC 0x23] FLOW DBREW;
        /// Runs a range of words and comes back.
        Call "call" [CALL 0x24] FLOW DBREW;
        /// Calls if the condition holds.
        Callc "callc" [CALLC 0x25] FLOW DBREW;
        /// Calls if the boolean uniform is set.
        Callu "callu" [CALLU 0x26] FLOW DBREW;
        /// Runs the next words up to the target if the boolean uniform is set, else the words from there.
        Ifu "ifu" [IFU 0x27] FLOW DBREW;
        /// Runs the next words up to the target if the condition holds, else the words from there.
        Ifc "ifc" [IFC 0x28] FLOW DBREW;
        /// Runs the words up to and including the target once more than the integer uniform's x, with aL from y in steps of z.
        Loop "loop" [LOOP 0x29] FLOW DBREW { aliases: &[(1, "for")], implicit: LOOP_WRITTEN };
        /// Hands the outputs on as a vertex.
        Emit "emit" [NONE 0x2a] EMITTER DBREW;
        /// Says what the next emit does.
        Setemit "setemit" [SETEMIT 0x2b] EMITTER DBREW;
        /// Jumps if the condition holds.
        Jmpc "jmpc" [JMPC 0x2c] FLOW DBREW;
        /// Jumps if the boolean uniform is set, or clear if inverted.
        Jmpu "jmpu" [JMPU 0x2d] FLOW DBREW;
        /// Compares the x components and the y components into cmp.x and cmp.y.
        Cmp "cmp" [COMPARE 0x17] ALU DBREW { implicit: FLAGS_WRITTEN, rules: &[ONE_INPUT_CMP] };
        /// Product, rounded, plus the third operand.
        Mad "mad" [MAD 0x7, MAD_INVERTED 0x6] ALU TESTS { aliases: &[(1, "mad"), (1, "madi")] };
    }
}

const FLAGS_WRITTEN: &[Implicit] = &[Implicit { name: "cmp", role: Role::Def }];
const LOOP_WRITTEN: &[Implicit] = &[Implicit { name: "aL", role: Role::Def }];

const XYZ: Reads = Reads::These(0b1110);
const XYZW: Reads = Reads::These(0b1111);
const X: Reads = Reads::These(0b1000);
const XY: Reads = Reads::These(0b1100);

const fn wide(reads: Reads) -> Src {
    Src { wide: true, reads }
}

const fn narrow(reads: Reads) -> Src {
    Src { wide: false, reads }
}

const WIDE_DOC: &str = "input, temporary or uniform, may be indexed";
const NARROW_DOC: &str = "input or temporary";

const DST: Field = dst("dst", split([21..=25, 32..=35]), &Dst, "output or temporary, and its components");
const DESC: Field = modifier("desc", at(0..=6), &UInt, "which operand descriptor");

const fn src1(kind: &'static Src) -> Field {
    src("src1", split([19..=20, 36..=44, 12..=18]), kind, WIDE_DOC)
}
const fn src2(kind: &'static Src) -> Field {
    src("src2", split([45..=53, 7..=11]), kind, NARROW_DOC)
}
const fn src1_narrow(kind: &'static Src) -> Field {
    src("src1", split([36..=44, 14..=18]), kind, NARROW_DOC)
}
const fn src2_wide(kind: &'static Src) -> Field {
    src("src2", split([19..=20, 45..=53, 7..=13]), kind, WIDE_DOC)
}

/// Two sources, the first wide.
static TWO: Format = Format {
    name: "format 1",
    length: Length::Bytes(8),
    opcode: at(26..=31),
    fields: &[DST, src1(&wide(Reads::Enabled)), src2(&narrow(Reads::Enabled)), DESC],
    syntax: &["{op} {dst}, {src1}, {src2}[ @{desc}]", "{op} {dst}, {src1}, {src2}"],
    rules: &[ONE_INPUT],
    spare: &[at(54..=63)],
    ..Format::EMPTY
};
static TWO_INVERTED: Format = Format {
    name: "format 1i",
    suffix: &["i"],
    fields: &[DST, src1_narrow(&narrow(Reads::Enabled)), src2_wide(&wide(Reads::Enabled)), DESC],
    ..TWO
};
static DOT3: Format = Format { fields: &[DST, src1(&wide(XYZ)), src2(&narrow(XYZ)), DESC], ..TWO };
static DOT4: Format = Format { fields: &[DST, src1(&wide(XYZW)), src2(&narrow(XYZW)), DESC], ..TWO };
static DOTH: Format = Format { fields: &[DST, src1(&wide(XYZ)), src2(&narrow(XYZW)), DESC], ..TWO };
static DOTH_INVERTED: Format =
    Format { fields: &[DST, src1_narrow(&narrow(XYZ)), src2_wide(&wide(XYZW)), DESC], ..TWO_INVERTED };
static DISTANCE: Format = Format { fields: &[DST, src1(&wide(YZ)), src2(&narrow(YW)), DESC], ..TWO };
static DISTANCE_INVERTED: Format =
    Format { fields: &[DST, src1_narrow(&narrow(YZ)), src2_wide(&wide(YW)), DESC], ..TWO_INVERTED };
const YZ: Reads = Reads::These(0b0110);
const YW: Reads = Reads::These(0b0101);

/// One source.
static ONE: Format = Format {
    name: "format 1u",
    syntax: &["{op} {dst}, {src1}[ @{desc}]", "{op} {dst}, {src1}"],
    fields: &[DST, src1(&wide(Reads::Enabled)), DESC],
    rules: &[],
    spare: &[at(45..=63), at(7..=11)],
    ..TWO
};
static SCALAR_ONE: Format = Format { fields: &[DST, src1(&wide(X)), DESC], ..ONE };
static LIGHT: Format = Format { fields: &[DST, src1(&wide(Reads::These(0b1101))), DESC], ..ONE };
static ADDRESS: Format = Format {
    name: "format 1u, address",
    syntax: &["{op} {mask}, {src1}[ @{desc}]", "{op} {mask}, {src1}"],
    fields: &[
        dst("mask", at(34..=35), &Address, "which address registers"),
        src1(&wide(Reads::Enabled)),
        DESC,
    ],
    spare: &[at(45..=63), at(32..=33), at(21..=25), at(7..=11)],
    ..ONE
};

static COMPARE: Format = Format {
    name: "format 1c",
    opcode: at(27..=31),
    syntax: &["{op} {src1}, {x}, {y}, {src2}[ @{desc}]", "{op} {src1}, {x}, {y}, {src2}"],
    fields: &[
        modifier("x", at(24..=26), &Relation, "relation of the x components"),
        modifier("y", at(21..=23), &Relation, "relation of the y components"),
        src1(&wide(XY)),
        src2(&narrow(XY)),
        DESC,
    ],
    rules: &[],
    spare: &[at(54..=63), at(32..=35)],
    ..TWO
};

const MAD_DST: Field = dst("dst", split([24..=28, 32..=35]), &Dst, "output or temporary, and its components");
const MAD_SRC1: Field = src("src1", split([36..=44, 17..=21]), &narrow(Reads::Enabled), NARROW_DOC);
const MAD_DESC: Field = modifier("desc", at(0..=4), &UInt, "which of the first 32 operand descriptors");

/// Three sources, the second wide; the order of the fields was checked on a console.
static MAD: Format = Format {
    name: "format 5",
    opcode: at(29..=31),
    syntax: &["{op} {dst}, {src1}, {src2}, {src3}[ @{desc}]", "{op} {dst}, {src1}, {src2}, {src3}"],
    fields: &[
        MAD_DST,
        MAD_SRC1,
        src("src2", split([22..=23, 45..=53, 10..=16]), &wide(Reads::Enabled), WIDE_DOC),
        src("src3", split([54..=62, 5..=9]), &narrow(Reads::Enabled), NARROW_DOC),
        MAD_DESC,
    ],
    spare: &[bit(63)],
    ..TWO
};
static MAD_INVERTED: Format = Format {
    name: "format 5i",
    suffix: &["i"],
    fields: &[
        MAD_DST,
        MAD_SRC1,
        src("src2", split([45..=53, 12..=16]), &narrow(Reads::Enabled), NARROW_DOC),
        src("src3", split([22..=23, 54..=62, 5..=11]), &wide(Reads::Enabled), WIDE_DOC),
        MAD_DESC,
    ],
    ..MAD
};

const TARGET: Field = target("target", at(10..=21), &Place, "word offset");
const COUNT: Field = modifier("count", at(0..=7), &UInt, "how many words");
const PROC: Field = target("proc", split([10..=21, 0..=7]), &Procedure, "procedure: place and length").view();
const COND: Field = modifier("cond", at(22..=25), &Condition, "test of the compare flags");
const BOOL: Field = src("bool", at(22..=25), &BoolTest { inverts: false }, "boolean uniform");
const BOOL_OR_NOT: Field =
    src("bool", split([22..=25, 0..=0]), &BoolTest { inverts: true }, "boolean uniform, may be inverted");

/// Where others have their descriptor: flow control names none.
const NO_DESC: Bits = at(32..=63);

static NONE: Format = Format {
    name: "format 0",
    fields: &[],
    syntax: &["{op}"],
    rules: &[],
    spare: &[at(0..=25), NO_DESC],
    ..TWO
};
static CALL: Format = Format {
    name: "format 2, call",
    fields: &[PROC, TARGET, COUNT],
    syntax: &["{op} {target}, {count}", "{op} {proc}"],
    spare: &[at(22..=25), at(8..=9), NO_DESC],
    ..NONE
};
static CALLC: Format = Format {
    name: "format 2, conditional call",
    fields: &[COND, PROC, TARGET, COUNT],
    syntax: &["{op} {cond}, {target}, {count}", "{op} {cond}, {proc}"],
    spare: &[at(8..=9), NO_DESC],
    ..NONE
};
static IFC: Format = Format {
    name: "format 2, block",
    fields: &[COND, TARGET, COUNT],
    syntax: &["{op} {cond}, {target}, {count}", "{op} {cond}"],
    spare: &[at(8..=9), NO_DESC],
    ..NONE
};
static JMPC: Format = Format {
    name: "format 2, jump",
    fields: &[COND, TARGET],
    syntax: &["{op} {cond}, {target}", "{op} {cond}, {target}"],
    spare: &[at(0..=9), NO_DESC],
    ..NONE
};
static BREAKC: Format = Format {
    name: "format 2, break",
    fields: &[COND],
    syntax: &["{op} {cond}", "{op} {cond}"],
    spare: &[at(0..=21), NO_DESC],
    ..NONE
};
static CALLU: Format = Format {
    name: "format 3, call",
    fields: &[BOOL, PROC, TARGET, COUNT],
    syntax: &["{op} {bool}, {target}, {count}", "{op} {bool}, {proc}"],
    spare: &[at(8..=9), NO_DESC],
    ..NONE
};
static IFU: Format = Format {
    name: "format 3, block",
    fields: &[BOOL, TARGET, COUNT],
    syntax: &["{op} {bool}, {target}, {count}", "{op} {bool}"],
    spare: &[at(8..=9), NO_DESC],
    ..NONE
};
static JMPU: Format = Format {
    name: "format 3, jump",
    fields: &[BOOL_OR_NOT, TARGET],
    syntax: &["{op} {bool}, {target}", "{op} {bool}, {target}"],
    spare: &[at(1..=9), NO_DESC],
    ..NONE
};
static LOOP: Format = Format {
    name: "format 3, loop",
    fields: &[src("int", at(22..=23), &IntUniform, "integer uniform: count - 1, start, step"), TARGET],
    syntax: &["{op} {int}, {target}", "{op} {int}"],
    spare: &[at(24..=25), at(0..=9), NO_DESC],
    ..NONE
};
static SETEMIT: Format = Format {
    name: "format 4",
    fields: &[
        modifier("vertex", at(24..=25), &Vertex, "slot that emit fills"),
        modifier(
            "flags",
            split([23..=23, 22..=22]),
            &EmitFlags,
            "prim sends a triangle, inv turns the next one",
        ),
    ],
    syntax: &["{op} {vertex}[, {flags}]", "{op} {vertex}[, {flags}]"],
    spare: &[at(0..=21), NO_DESC],
    ..NONE
};

/// The two-input rule, for all formats that assemblers check.
const ONE_INPUT: Rule = Rule {
    id: "one-input",
    doc: "The sources of an instruction name at most one input register; two different ones give wrong values.",
    source: &PICASSO,
    check: one_input,
};

/// The same for CMP, which picasso does not check.
const ONE_INPUT_CMP: Rule = Rule { id: "one-input-cmp", ..ONE_INPUT };

fn one_input(operands: &Operands<'_>) -> Result<(), (&'static str, String)> {
    let mut first = None;
    for (field, value) in operands.of_role(Role::Use) {
        let Some(r) = value.reg().filter(|r| r.file == bank::INPUT) else { continue };
        match first {
            Some(index) if index != r.index => {
                let message = format!(
                    "reads two inputs, v{index} and v{}, but an instruction can read only one; copy one to a temporary first",
                    r.index
                );
                return Err((field.name, message));
            }
            _ => first = Some(r.index),
        }
    }
    Ok(())
}

/// How the opcode says where an instruction's descriptor index is.
pub fn descriptor_bits(word: u32) -> Option<Bits> {
    match word >> 26 {
        0x20..=0x2d => None,
        0x30.. => Some(MAD_DESC.bits),
        _ => Some(DESC.bits),
    }
}

/// The descriptor index of an instruction that has one.
pub fn descriptor_index(word: u32) -> Option<usize> {
    // They are the lowest bits.
    descriptor_bits(word).map(|bits| (word & bits.mask().0[0] as u32) as usize)
}

/// The instruction with the descriptor that it names, as one word; a descriptor that
/// the table lacks reads as 0.
pub fn fetch(word: u32, descriptors: &[[u32; 2]]) -> Word {
    let descriptor = descriptor_index(word).and_then(|i| descriptors.get(i)).map_or(0, |d| d[0]);
    Word::from(u64::from(descriptor) << 32 | u64::from(word))
}

/// The instruction and its descriptor, taken apart.
pub const fn halves(word: Word) -> (u32, u32) {
    (word.0[0] as u32, (word.0[0] >> 32) as u32)
}
