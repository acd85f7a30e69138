//! Modelled on Adreno A3xx, category 2: operands that share bits, prefixes before the
//! mnemonic, conditions behind it.

use crate::{MADE_UP, assert_errors, assert_laws, assert_listing};
use chiaro_isa::{
    Class, Cursor, Cx, Field, Flag, Format, Gens, Isa, Kind, Length, Names, Operands, Out, Partial, Purpose,
    Reg, Role, Rule, Set, Value, Wait, at, bit, dst, modifier, operations, split, src,
};

static ALU: Class = Class {
    name: "cat2",
    unit: "alu",
    issue: Some(1),
    result: Wait::Slots(3),
    purpose: Purpose::Arithmetic,
    source: Some(&MADE_UP),
};

operations! {
    enum Op => OPS {
        /// Float sum.
        AddF "add.f" [TWO 0] ALU MADE_UP;
        /// Float product.
        MulF "mul.f" [TWO 3] ALU MADE_UP;
        /// Comparison to 0 or 1.
        CmpsF "cmps.f" [COMPARE 5] ALU MADE_UP;
        /// Copy with modifiers.
        AbsnegF "absneg.f" [ONE 6] ALU MADE_UP;
        /// Unsigned sum.
        AddU "add.u" [TWO 16] ALU MADE_UP;
        /// Bitwise and, two names in the old dialect.
        AndB "and.b" [TWO 28] ALU MADE_UP { aliases: &[(1, "and"), (1, "and.b")] };
    }
}

const SY: Field = modifier("sy", bit(60), &Flag("(sy)"), "wait for texture and memory results");
const SS: Field = modifier("ss", bit(44), &Flag("(ss)"), "wait for special function results");
const JP: Field = modifier("jp", bit(59), &Flag("(jp)"), "target of a jump");
const SAT: Field = modifier("sat", bit(42), &Flag("(sat)"), "clamp the result to 0..1");
const REPEAT: Field =
    modifier("repeat", split([51..=51, 43..=43, 40..=41]), &Repeat, "runs again, or nops that follow");
const UL: Field = modifier("ul", bit(45), &Flag("(ul)"), "end of relative addressing");
const EI: Field = modifier("ei", bit(47), &Flag("(ei)"), "last use of the inputs").when(Gens::only(0));
const SRC1: Field =
    src("src1", split([40..=41, 43..=43, 52..=52, 0..=15]), &Source, "register, constant or number");
const SRC2: Field = src("src2", split([40..=41, 51..=51, 52..=52, 16..=31]), &Source, "second operand");
const DST: Field = dst("dst", split([52..=52, 46..=46, 32..=39]), &Dest, "destination");
const COND: Field = modifier("cond", at(48..=50), &Names(&["lt", "le", "gt", "ge", "eq", "ne"]), "relation");

/// Sources stand before the destination, which depends on their precision.
static TWO: Format = Format {
    name: "cat2, two sources",
    length: Length::Bytes(8),
    opcode: at(53..=58),
    fixed: &[(at(61..=63), 2)],
    fields: &[SY, SS, JP, SAT, REPEAT, UL, EI, SRC1, SRC2, DST],
    syntax: &["{sy}{ss}{jp}{sat}{repeat}{ul}{op} {ei}{dst}, {src1}, {src2}"],
    spare: &[at(48..=50)],
    rules: &[ONE_CONSTANT],
    ..Format::EMPTY
};
static COMPARE: Format = Format {
    name: "cat2, comparison",
    fields: &[SY, SS, JP, SAT, REPEAT, UL, EI, COND, SRC1, SRC2, DST],
    syntax: &["{sy}{ss}{jp}{sat}{repeat}{ul}{op}.{cond} {ei}{dst}, {src1}, {src2}"],
    spare: &[],
    ..TWO
};
static ONE: Format = Format {
    name: "cat2, one source",
    fields: &[SY, SS, JP, SAT, REPEAT, UL, EI, SRC1, DST],
    syntax: &["{sy}{ss}{jp}{sat}{repeat}{ul}{op} {ei}{dst}, {src1}"],
    spare: &[at(16..=31), at(48..=50)],
    ..TWO
};

const ONE_CONSTANT: Rule = Rule {
    id: "one-constant",
    doc: "At most one source is a constant.",
    source: &MADE_UP,
    check: one_constant,
};

fn one_constant(operands: &Operands<'_>) -> Result<(), (&'static str, String)> {
    let read = operands.iter().filter(|(field, _)| field.role == Role::Use);
    let mut constants = read.filter(|(_, value)| value.reg().is_some_and(|r| r.file == CONST));
    match (constants.next(), constants.next()) {
        (Some((first, _)), Some((second, _))) => Err((
            second.name,
            format!("{} is a constant already, and only one can be; move one to a register", first.name),
        )),
        _ => Ok(()),
    }
}

static SET: Set = Set {
    name: "toy-a3xx",
    title: "Toy A3xx",
    about: "",
    operations: &[OPS],
    generations: &["a3xx", "a4xx"],
    dialects: &["mesa", "old"],
    rules: &[],
    fold_case: false,
};

const GPR: u8 = 0;
const CONST: u8 = 1;
const FULL: u8 = 0;
const HALF: u8 = 1;
const STEP: u16 = 4;
const P0: u16 = 62 * 4;

/// `(rptN)`, or without repetition the two step bits as `(nopN)`.
struct Repeat;

/// Repeat count (2 bits), step, full precision, then the 16 bits of the operand.
struct Source;

/// Full-precision sources, conversion, then the register.
struct Dest;

impl Kind for Repeat {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(if raw & 3 != 0 { raw as i64 & 3 } else { -(raw as i64 >> 2) }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        match value.int()? {
            n @ 1..=3 => Some(Partial { raw: n as u64, known: 3 }),
            n @ -3..=0 => Some(Partial { raw: (-n as u64) << 2, known: 15 }),
            _ => None,
        }
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        match value.int().unwrap_or(0) {
            0 => {}
            n => {
                out.push_str(if n > 0 { "(rpt" } else { "(nop" });
                out.push_int(n.abs());
                out.push_str(if n > 0 { ")" } else { ") " });
            }
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        let sign = if s.eat("(rpt") {
            1
        } else if s.eat("(nop") {
            -1
        } else {
            return Some(Value::Int(0));
        };
        let n = s.int().filter(|n| (1..=3).contains(n) && s.eat(")"));
        n.map(|n| Value::Int(n * sign)).or_else(|| s.fail_last("a count is 1 to 3"))
    }
    fn range(&self, _: u8) -> Option<(i64, i64)> {
        Some((-3, 3))
    }
}

/// What bit 52 means where operands disagree about it.
fn precision(full: bool) -> &'static str {
    if full { "is full precision" } else { "is half" }
}

impl Kind for Source {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let (operand, full, step, repeat) = (raw & 0xffff, raw >> 16 & 1, raw >> 17 & 1, raw >> 18);
        let mut mods = (operand >> 14) as u16;
        if repeat != 0 && step != 0 {
            mods |= STEP;
        }
        let size = if full == 1 { FULL } else { HALF };
        let (file, index) = match operand >> 11 & 7 {
            0b000 if operand >> 8 & 7 == 0 => (GPR, operand & 0xff),
            0b010 => (CONST, operand & 0x7ff),
            // A number has no place for the step bit's meaning or for modifiers.
            0b100 if mods == 0 && size == FULL => {
                return Some(Value::Int(((operand as i64 & 0x7ff) << 53) >> 53));
            }
            _ => return None,
        };
        Some(Value::Reg(Reg { file, size, index: index as u16, mods, ..Reg::default() }))
    }
    fn encode(&self, value: Value, given: Partial, _: &Cx) -> Option<Partial> {
        let repeats = given.raw >> 18 & 3 != 0;
        // The step bit is this operand's only while the instruction repeats.
        let known = 0x1_ffff | u64::from(repeats) << 17;
        let r = match value {
            Value::Int(n @ -1024..1024) => {
                return Some(Partial { raw: n as u64 & 0x7ff | 0b100 << 11 | 1 << 16, known });
            }
            Value::Reg(r) if repeats || r.mods & STEP == 0 => r,
            _ => return None,
        };
        let place = match r.file {
            GPR => u64::from(r.index),
            _ => u64::from(r.index) | 0b010 << 11,
        };
        let full = u64::from(r.size == FULL) << 16;
        let step = u64::from(r.mods & STEP != 0) << 17;
        Some(Partial { raw: place | u64::from(r.mods & 3) << 14 | full | step, known })
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let r = match value {
            Value::Reg(r) => r,
            other => return out.push_int(other.int().unwrap_or(0)),
        };
        out.push_str(["", "(neg)", "(abs)", "(absneg)"][usize::from(r.mods & 3)]);
        out.push_str(if r.mods & STEP != 0 { "(r)" } else { "" });
        print_register(r, out);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        let mods = s.name_in(&["(neg)", "(abs)", "(absneg)"]).map_or(0, |n| n as u16 + 1);
        let step = if s.eat("(r)") { STEP } else { 0 };
        if mods | step == 0
            && let Some(n) = s.int()
        {
            return Some(Value::Int(n));
        }
        Some(Value::Reg(Reg { mods: mods | step, ..register(s)? }))
    }
    fn range(&self, _: u8) -> Option<(i64, i64)> {
        Some((-1024, 1023))
    }
    fn says(&self, raw: u64, bits: u64) -> Option<&'static str> {
        (bits >> 16 & 1 == 1).then(|| precision(raw >> 16 & 1 == 1))
    }
}

impl Kind for Dest {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let (index, convert, full) = ((raw & 0xff) as u16, raw >> 8 & 1, raw >> 9);
        let size = if convert == full && index < P0 { HALF } else { FULL };
        Some(Value::Reg(Reg { file: GPR, size, index, ..Reg::default() }))
    }
    fn encode(&self, value: Value, given: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.file == GPR)?;
        let (full, known) = if given.known >> 9 & 1 == 1 { (given.raw >> 9 & 1, 0) } else { (1, 1 << 9) };
        let convert = match r.index {
            P0.. => 0,
            _ if r.size == HALF => full,
            _ => full ^ 1,
        };
        Some(Partial { raw: full << 9 | convert << 8 | u64::from(r.index), known: 0x1ff | known })
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        value.reg().into_iter().for_each(|r| print_register(r, out));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        register(s).map(Value::Reg)
    }
}

fn print_register(r: Reg, out: &mut Out) {
    out.push_str(if r.size == HALF { "h" } else { "" });
    match (r.file, r.index / 4) {
        (GPR, 62) => out.push_str("p0"),
        (file, n) => {
            out.push(if file == GPR { 'r' } else { 'c' });
            out.push_int(n.into());
        }
    }
    out.push('.');
    out.push(char::from(b"xyzw"[usize::from(r.index & 3)]));
}

fn register(s: &mut Cursor<'_>) -> Option<Reg> {
    let size = u8::from(s.eat("h"));
    let file = match s.name_in(&["r", "c", "p"]) {
        Some(file) => file as u8,
        None => return s.fail("expected a register"),
    };
    let most = if file == CONST { 511 } else { 63 };
    let Some(n) = s.int().filter(|n| (0..=most).contains(n)) else {
        return s.fail_last("no register has this number");
    };
    let component = s.eat_here(".").then(|| s.take_here(|c| b"xyzw".contains(&c))).flatten();
    let Some(i) = component.and_then(|c| "xyzw".find(c)) else {
        return s.fail("a register has a component, as in r0.x");
    };
    let (file, n) = if file == 2 { (GPR, 62) } else { (file, n as u16) };
    Some(Reg { file, size, index: n * 4 + i as u16, ..Reg::default() })
}

#[test]
fn laws() {
    for generation in 0..2 {
        assert_laws(&Isa::new(&SET, generation), 300);
    }
    assert_eq!(Op::ALL.len(), OPS.len());
}

/// Words of Mesa's; little-endian.
#[test]
fn listing() {
    let isa = Isa::new(&SET, 0);
    let rows = [
        ("05000a50003f1058", "(sy)(ss)(jp)(sat)(rpt3)(ul)add.f r0.x, (r)r1.y, (neg)c2.z"),
        ("0500fb2700001042", "add.u r0.x, r1.y, -5"),
        ("05000a0000407040", "mul.f hr0.x, r1.y, r2.z"),
        ("05000010f800b040", "cmps.f.lt p0.x, r1.y, c0.x"),
    ];
    assert_listing(&isa, &isa.cx(), &rows);
    let old = Cx { dialect: 1, ..isa.cx() };
    let and = isa.parse("and r0.x, r0.y, 7", &old).expect("the old name").inst;
    assert_eq!(isa.parse("and.b r0.x, r0.y, 7", &old).map(|p| p.inst), Ok(and));
    assert_eq!(isa.text(&and, &isa.cx()).as_deref(), Some("and.b r0.x, r0.y, 7"));
}

#[test]
fn what_shares_bits_must_agree() {
    let isa = Isa::new(&SET, 0);
    let rows = [
        ("add.f r0.x, hr1.x, r2.x", "r2.x", "src2 is full precision, src1 is half"),
        ("add.f hr0.x, hr1.x, 5", "5", "src2 is full precision, src1 is half"),
        (
            "add.f r0.x, c1.x, c2.x",
            "c2.x",
            "src1 is a constant already, and only one can be; move one to a register",
        ),
        ("add.f r0.x, (r)r1.x, r2.x", "(r)r1.x", "src1 cannot be this operand"),
        ("add.f r0.x, 2000, r2.x", "2000", "src1 is 2000, but can only be -1024 to 1023"),
        ("(rpt4)add.f r0.x, r1.x, r2.x", "4", "a count is 1 to 3"),
        ("cmps.f.xx r0.x, r1.x, r2.x", "xx", "expected one of the names listed"),
    ];
    assert_errors(&isa, &isa.cx(), &rows);
}

#[test]
fn a_generation_without_the_field_neither_prints_nor_reads_it() {
    let (old, new) = (Isa::new(&SET, 0), Isa::new(&SET, 1));
    let text = "add.f (ei)r0.x, r1.x, r2.x";
    let inst = old.parse(text, &old.cx()).expect("the old one has it").inst;
    assert!(new.parse(text, &new.cx()).is_err());
    let same = new.decode_word(&inst.word, 8).expect("its bit is unknown now");
    assert_eq!(new.text(&same, &new.cx()).as_deref(), Some("add.f r0.x, r1.x, r2.x"));
    assert_eq!(new.unclaimed(&same), bit(47).mask());
}
