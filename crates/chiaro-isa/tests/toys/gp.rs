//! Modelled on the Utgard GP: a word of 128 bits made of units, some of which share
//! their opcode.

use crate::MADE_UP;
use chiaro_isa::{
    Bundle, Class, Cx, Field, Flag, Format, Isa, Length, Names, Out, Purpose, Set, UInt, Wait, Word, at, bit,
    laws, modifier, operations, split, src, target,
};

static UNIT: Class = Class {
    name: "unit",
    unit: "unit",
    issue: Some(1),
    result: Wait::Window(1, 2),
    purpose: Purpose::Arithmetic,
    source: Some(&MADE_UP),
};

operations! {
    enum Mul0 => MUL0 {
        /// Not used in this word.
        Idle "" [MUL0_IDLE 21] UNIT MADE_UP;
        /// Product.
        Mul "mul0.mul" [MUL0_UNIT 0] UNIT MADE_UP;
        /// First half of a function; the other multiplier works on.
        Complex2 "mul0.complex2" [MUL0_UNIT 3] UNIT MADE_UP;
    }
}
operations! {
    enum Mul1 => MUL1 {
        /// Not used in this word.
        Idle "" [MUL1_IDLE 21] UNIT MADE_UP;
        /// Product; its opcode is whatever the other multiplier does.
        Mul "mul1.mul" [MUL1_UNIT 0, MUL1_UNIT 3] UNIT MADE_UP;
    }
}
operations! {
    enum Add0 => ADD0 {
        /// Not used in this word.
        Idle "" [ADD0_IDLE 21] UNIT MADE_UP;
        /// Sum.
        Add "add0.add" [ADD0_UNIT 0] UNIT MADE_UP;
        /// One where a >= b.
        Ge "add0.ge" [ADD0_UNIT 4] UNIT MADE_UP;
    }
}
operations! {
    enum Add1 => ADD1 {
        /// Not used in this word.
        Idle "" [ADD1_IDLE 21] UNIT MADE_UP;
        /// Sum.
        Add "add1.add" [ADD1_UNIT 0] UNIT MADE_UP;
        /// One where a >= b.
        Ge "add1.ge" [ADD1_UNIT 4] UNIT MADE_UP;
    }
}
operations! {
    enum Branch => BRANCH {
        /// No branch.
        Idle "" [BRANCH_IDLE 0] UNIT MADE_UP;
        /// Goes on elsewhere if the pass unit says so.
        Branch "branch" [BRANCH_UNIT 1] UNIT MADE_UP;
    }
}

const WHOLE: Format = Format { length: Length::Bytes(16), ..Format::EMPTY };

static MUL0_UNIT: Format = Format {
    name: "multiplier 0",
    opcode: at(100..=102),
    fields: &[
        src("a", at(0..=4), &FIRST, "first input"),
        src("b", at(5..=9), &INPUT, "second input"),
        modifier("neg", bit(20), &Flag("-"), "sign of the product"),
    ],
    syntax: &["{op} {neg}{a}, {b}"],
    ..WHOLE
};
static MUL0_IDLE: Format =
    Format { name: "idle", opcode: at(0..=4), syntax: &[""], fields: &[], ..MUL0_UNIT };
static MUL1_UNIT: Format = Format {
    name: "multiplier 1",
    fields: &[
        src("a", at(10..=14), &FIRST, "first input"),
        src("b", at(15..=19), &INPUT, "second input"),
        modifier("neg", bit(21), &Flag("-"), "sign of the product"),
    ],
    ..MUL0_UNIT
};
static MUL1_IDLE: Format = Format { opcode: at(10..=14), ..MUL0_IDLE };
static ADD0_UNIT: Format = Format {
    name: "adder 0",
    opcode: at(83..=85),
    fields: &[
        src("a", at(22..=26), &FIRST, "first input"),
        src("b", at(27..=31), &INPUT, "second input"),
        NEG_A,
        modifier("neg_b", bit(43), &Flag("-"), "sign of the second"),
    ],
    syntax: &["{op} {neg_a}{a}, {neg_b}{b}"],
    ..WHOLE
};
const NEG_A: Field = modifier("neg_a", bit(42), &Flag("-"), "sign of the first");
static ADD0_IDLE: Format = Format { opcode: at(22..=26), ..MUL0_IDLE };
static ADD1_UNIT: Format = Format {
    name: "adder 1",
    fields: &[
        src("a", at(32..=36), &FIRST, "first input"),
        src("b", at(37..=41), &INPUT, "second input"),
        modifier("neg_a", bit(44), &Flag("-"), "sign of the first"),
        modifier("neg_b", bit(45), &Flag("-"), "sign of the second"),
    ],
    ..ADD0_UNIT
};
static ADD1_IDLE: Format = Format { opcode: at(32..=36), ..MUL0_IDLE };
static BRANCH_UNIT: Format = Format {
    name: "branch",
    opcode: bit(69),
    fields: &[target("target", split([70..=70, 120..=127]), &UInt, "word; its high bit is stored inverted")],
    syntax: &["{op} {target}"],
    ..WHOLE
};
static BRANCH_IDLE: Format = Format { opcode: bit(69), ..MUL0_IDLE };

static INPUT: Names = Names(&[
    "attr.x", "attr.y", "attr.z", "attr.w", "reg.x", "reg.y", "reg.z", "reg.w", "in8", "in9", "in10", "in11",
    "load.x", "load.y", "load.z", "load.w", "^add0", "^add1", "^mul0", "^mul1", "^pass", "unused", "ident",
]);

/// As `INPUT`, but "unused" is what makes the unit idle.
static FIRST: Names = Names(&[
    "attr.x", "attr.y", "attr.z", "attr.w", "reg.x", "reg.y", "reg.z", "reg.w", "in8", "in9", "in10", "in11",
    "load.x", "load.y", "load.z", "load.w", "^add0", "^add1", "^mul0", "^mul1", "^pass", "", "complex",
]);

const fn unit(name: &'static str, operations: &'static [&'static [chiaro_isa::Operation]]) -> Set {
    Set {
        name,
        title: name,
        about: "",
        operations,
        generations: &["mali-400"],
        dialects: &["plain"],
        rules: &[],
        fold_case: false,
    }
}

static SETS: [Set; 5] = [
    unit("mul0", &[MUL0]),
    unit("mul1", &[MUL1]),
    unit("add0", &[ADD0]),
    unit("add1", &[ADD1]),
    unit("branch", &[BRANCH]),
];

fn word() -> Bundle {
    let units: Vec<Isa> = SETS.iter().map(|set| Isa::new(set, 0)).collect();
    Bundle {
        units,
        separator: "; ",
        spare: at(46..=68).mask() | at(71..=82).mask() | at(86..=99).mask() | at(103..=119).mask(),
    }
}

#[test]
fn laws() {
    for samples in [0, 30] {
        assert_eq!(laws::of_bundle(&word(), samples), Vec::<String>::new(), "{samples} samples");
    }
    let rows = [Mul0::ALL.len(), Mul1::ALL.len(), Add0::ALL.len(), Add1::ALL.len(), Branch::ALL.len()];
    assert_eq!(rows, [MUL0.len(), MUL1.len(), ADD0.len(), ADD1.len(), BRANCH.len()]);
}

fn text(bundle: &Bundle, word: Word) -> String {
    let mut out = Out::default();
    let insts = bundle.decode(&word.to_bytes()).expect("every unit decodes");
    assert!(bundle.print(&insts, &Cx::default(), &mut out));
    out.as_str().to_owned()
}

#[test]
fn busy_units_in_any_order_and_idle_ones_unsaid() {
    let bundle = word();
    let line = "add1.ge -^add0, reg.x; mul1.mul load.x, ident; mul0.complex2 attr.x, attr.x";
    let insts = bundle.parse(line, &Cx::default()).expect("valid");
    let word = bundle.join(&insts).expect("what is read can be joined");
    assert_eq!(
        text(&bundle, word),
        "mul0.complex2 attr.x, attr.x; mul1.mul load.x, ident; add1.ge -^add0, reg.x"
    );
    // mul1 took the encoding that agrees with mul0.
    assert_eq!(at(100..=102).gather(&word), 3);
    assert_eq!(at(22..=26).gather(&word), 21);
    let nothing = bundle.join(&bundle.parse("", &Cx::default()).expect("all idle")).expect("joined");
    assert_eq!(text(&bundle, nothing), "");
}

#[test]
fn units_that_disagree() {
    let bundle = word();
    let rows = [
        (
            "add0.add ^mul0, ident; add1.ge ^mul0, ident",
            "add1.ge",
            "this operation contradicts another one in the same word",
        ),
        (
            "add0.add ^mul0, ident; add0.ge ^mul0, ident",
            "add0.ge",
            "this unit does something else in this word already",
        ),
        ("mul2.mul ^mul0", "mul2.mul", "no instruction is called `mul2.mul`"),
        ("mul0.mul ^mul0, ident; branch 512", "512", "target is 512, but can only be 0 to 511"),
    ];
    for (line, place, said) in rows {
        let e = bundle.parse(line, &Cx::default()).expect_err(line);
        assert_eq!(
            (&line[e.start as usize..e.end as usize], e.to_string().as_str()),
            (place, said),
            "{line}"
        );
    }
    let (a, b) = ("add0.add ^mul0, ident", "add1.ge ^mul0, ident");
    let mut insts = bundle.parse(a, &Cx::default()).expect("valid");
    insts[3] = bundle.parse(b, &Cx::default()).expect("valid")[3];
    assert_eq!(bundle.join(&insts), Err((2, 3)));
}
