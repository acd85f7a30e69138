//! An 8-bit accumulator machine: one to three bytes, several addressing modes of one
//! operation in order of preference, branches that are relaxed.

use crate::{MADE_UP, assert_errors, assert_laws, assert_listing};
use chiaro_isa::{
    AssembleError, Class, Cx, EncodeError, Field, Format, Hex, Implicit, Isa, Item, Label, Length, Purpose,
    Role, Set, Symbols, UInt, Value, Wait, assemble, at, modifier, operations, src, target,
};

static ALU: Class = Class {
    name: "cpu",
    unit: "cpu",
    issue: Some(2),
    result: Wait::Slots(0),
    purpose: Purpose::Arithmetic,
    source: Some(&MADE_UP),
};

operations! {
    enum Op => OPS {
        /// Loads the accumulator.
        Lda "lda" [IMMEDIATE 0xa9, ZERO_PAGE 0xa5, ABSOLUTE 0xad, INDEXED 0xb1] ALU MADE_UP { implicit: WRITES_A };
        /// Stores the accumulator.
        Sta "sta" [ZERO_PAGE 0x85, ABSOLUTE 0x8d] ALU MADE_UP;
        /// Goes on elsewhere.
        Bra "bra" [RELATIVE 0x80, FAR 0x4c] ALU MADE_UP;
        /// Comes back.
        Rts "rts" [PLAIN 0x60] ALU MADE_UP;
    }
}

const WRITES_A: &[Implicit] = &[Implicit { name: "a", role: Role::Def }];

static PLAIN: Format = Format { name: "plain", length: Length::Bytes(1), opcode: at(0..=7), ..Format::EMPTY };
static IMMEDIATE: Format = Format {
    name: "immediate",
    length: Length::Bytes(2),
    fields: &[modifier("value", at(8..=15), &UInt, "the constant")],
    syntax: &["{op} #{value}"],
    ..PLAIN
};
static ZERO_PAGE: Format = Format {
    name: "zero page",
    length: Length::Bytes(2),
    fields: &[src("address", at(8..=15), &Hex, "where in the lowest 256 bytes")],
    syntax: &["{op} {address}"],
    ..PLAIN
};
static ABSOLUTE: Format = Format {
    name: "absolute",
    length: Length::Bytes(3),
    fields: &[src("address", at(8..=23), &Hex, "where")],
    suffix: &[".w"],
    ..ZERO_PAGE
};
static INDEXED: Format = Format { name: "indirect, indexed", syntax: &["{op} ({address}),y"], ..ZERO_PAGE };
static RELATIVE: Format = Format {
    name: "relative",
    length: Length::Bytes(2),
    fields: &[place(&Label { scale: 1, relative: 8, from: 2 }, 15)],
    syntax: &["{op} {to}"],
    ..PLAIN
};
static FAR: Format = Format {
    name: "far",
    length: Length::Bytes(3),
    fields: &[place(&Label { scale: 1, relative: 0, from: 0 }, 23)],
    suffix: &[".w"],
    ..RELATIVE
};

const fn place(kind: &'static Label, top: u8) -> Field {
    target("to", at(8..=top), kind, "where to go on")
}

static SET: Set = Set {
    name: "accumulator",
    title: "8-bit accumulator machine",
    about: "",
    operations: &[OPS],
    generations: &["only"],
    dialects: &["plain"],
    rules: &[],
    fold_case: true,
};

#[test]
fn laws() {
    assert_laws(&Isa::new(&SET, 0), 200);
    assert_eq!(Op::of(0), Op::Lda);
}

/// The reference says of every operation where it is from.
#[test]
fn the_page_cites_each_source() {
    let cited = format!("<small title=\"{}\">[{}]</small>", MADE_UP.title, MADE_UP.name);
    let page = Isa::new(&SET, 0).html();
    assert!(page.matches(&cited).count() >= OPS.len(), "{page}");
}

#[test]
fn the_preferred_form_that_holds_the_operand() {
    let isa = Isa::new(&SET, 0);
    let rows = [
        ("a9ff", "lda #255"),
        ("a512", "lda 0x12"),
        ("ad3412", "lda.w 0x1234"),
        ("ad3400", "lda.w 0x34"),
        ("b110", "lda (0x10),y"),
        ("60", "rts"),
    ];
    assert_listing(&isa, &isa.cx(), &rows);
    assert_eq!(isa.parse("LDA 0x1234", &isa.cx()).map(|p| p.inst.length), Ok(3));
}

#[test]
fn errors() {
    let isa = Isa::new(&SET, 0);
    let rows = [
        ("lda #256", "256", "value is 256, but can only be 0 to 255"),
        ("sta #1", "#1", "expected a number"),
        ("sta 0x10000", "0x10000", "address is 65536, but can only be 0 to 65535"),
        ("rts 1", "1", "there are too many operands"),
        ("ldx 1", "ldx", "no instruction is called `ldx`"),
        ("  ", "", "there is no instruction"),
    ];
    assert_errors(&isa, &isa.cx(), &rows);
}

/// `near` and `far` are symbols 0 and 1, `extern` is one that nothing defines.
struct Names;

impl Symbols for Names {
    fn lookup(&self, name: &str) -> Option<Value> {
        ["near", "far", "extern"].iter().position(|n| *n == name).map(|n| Value::Symbol(n as u32))
    }
}

fn items(isa: &Isa, lines: &[&str]) -> Vec<Item> {
    let cx = Cx { symbols: Some(&Names), ..isa.cx() };
    let item = |line: &&str| match line.split_once(':') {
        Some((name, _)) => Item::Label(u32::from(name == "far")),
        None if line.starts_with(".skip") => Item::Data(vec![0; line[6..].parse().expect("a number")]),
        None => Item::of(isa, &isa.parse(line, &cx).expect("a valid line"), &cx),
    };
    lines.iter().map(item).collect()
}

#[test]
fn branches_grow_until_they_reach() {
    let isa = Isa::new(&SET, 0);
    // The first branch reaches only while the second is short, which it cannot be.
    let program =
        items(&isa, &["bra near", "bra far", ".skip 124", "near:", "rts", ".skip 300", "far:", "bra near"]);
    let code = assemble(&isa, &program, &isa.cx()).expect("it reaches");
    assert_eq!(code.bytes[..5], [0x80, 127, 0x4c, 0xae, 0x01]);
    assert_eq!(code.offsets[3], 129);
    assert_eq!(code.bytes[430..], [0x4c, 129, 0]);
    let longer = items(&isa, &["bra near", "bra far", ".skip 125", "near:", ".skip 300", "far:"]);
    let code = assemble(&isa, &longer, &isa.cx()).expect("it reaches");
    assert_eq!((code.bytes[0], code.bytes[3]), (0x4c, 0x4c));
}

#[test]
fn what_nothing_defines_is_left_to_a_linker() {
    let isa = Isa::new(&SET, 0);
    let code = assemble(&isa, &items(&isa, &["rts", "bra extern"]), &isa.cx()).expect("it is left open");
    let patch = code.patches[0];
    assert_eq!((code.patches.len(), patch.offset, patch.symbol), (1, 1, 2));
    assert_eq!(isa.forms[patch.form as usize].format.fields[patch.field as usize].name, "to");
    let twice = [Item::Label(3), Item::Label(3)];
    assert_eq!(assemble(&isa, &twice, &isa.cx()), Err(AssembleError::Defined(3, 1)));
    let odd = Item::Inst { form: 0, values: vec![Some(Value::Int(-1))] };
    let range = EncodeError::Range { field: "value", value: -1, lowest: 0, highest: 255 };
    assert_eq!(assemble(&isa, &[odd], &isa.cx()), Err(AssembleError::Encode(0, range)));
}
