//! The instruction set: every unit of the word is a small set of its own over the same bits.
//!
//! Units that share an opcode field name the same bits; putting them together then enforces
//! that both adders do the same and that a wide multiplication takes both halves. What no
//! busy unit claims is kept by the listing as raw fields. spec sections 3 to 5.

pub mod opcode;
pub mod selector;
pub mod word;

use std::sync::LazyLock;

use chiaro_isa::{
    Bundle, Class, Flag, Format, Isa, Kind, Length, Operation, Purpose, Set, Source, UInt, Wait, Word, dst,
    modifier, operations, split, src, target,
};

use crate::operand::{A, B_ONE, B_ZERO, OFFSET, Place, Port0, Register, STORED, Target};
use crate::regs::{self, UNUSED};

/// The whole word, prepared.
pub static UTGARD_GP: LazyLock<Bundle> = LazyLock::new(|| Bundle {
    units: SETS.iter().map(|set| Isa::new(set, 0)).collect(),
    separator: "; ",
    spare: Word::ZERO,
});

/// The units, in the order of the listing: loads, arithmetic, stores, control.
pub static SETS: [Set; 12] = [
    unit("in0", "Load port 0", &[IN0]),
    unit("in1", "Load port 1", &[IN1]),
    unit("in2", "Load port 2: uniform memory", &[IN2]),
    unit("mul0", "Multiplier 0, and wide operations", &[MUL0]),
    unit("mul1", "Multiplier 1", &[MUL1]),
    unit("add0", "Adder 0", &[ADD0]),
    unit("add1", "Adder 1", &[ADD1]),
    unit("complex", "Complex unit", &[COMPLEX]),
    unit("pass", "Pass unit", &[PASS]),
    unit("out0", "Store half 0: components x and y", &[OUT0]),
    unit("out1", "Store half 1: components z and w", &[OUT1]),
    unit("branch", "Branch", &[BRANCH]),
];

static MESA: Source = Source { name: "Mesa", title: "Mesa 25.0.7, src/gallium/drivers/lima/ir/gp" };
static NOTES: Source = Source { name: "ISA notes", title: "mali-isa-docs, Utgard-GP (2013)" };
static ARM: Source = Source { name: "ARM", title: "output of ARM's offline compiler, as published" };
static UNKNOWN: Source = Source { name: "unknown", title: "no public source says what it does" };

/// A result that can be read one or two instructions later. [Mesa]
const fn forwarded(name: &'static str, unit: &'static str) -> Class {
    let purpose = Purpose::Arithmetic;
    Class { name, unit, issue: Some(1), result: Wait::Window(1, 2), purpose, source: Some(&MESA) }
}

static MULTIPLIER: Class = forwarded("mul", "multiplier");
static ADDER: Class = forwarded("add", "adder");
static PASSING: Class = forwarded("pass", "pass");
static SLOW: Class = Class {
    name: "complex",
    unit: "complex",
    issue: Some(1),
    result: Wait::Window(1, 1),
    purpose: Purpose::Arithmetic,
    source: Some(&MESA),
};
static SLOW_COPY: Class = Class { purpose: Purpose::Move, ..SLOW };
static SLOW_ADDRESS: Class = Class { purpose: Purpose::Address, ..SLOW };
static PASSING_COPY: Class = Class { purpose: Purpose::Move, ..PASSING };
static WIDE2: Class = Class {
    name: "complex1",
    unit: "multiplier",
    issue: Some(1),
    result: Wait::Window(2, 2),
    purpose: Purpose::Arithmetic,
    source: Some(&MESA),
};
static PORT: Class = Class {
    name: "load",
    unit: "load",
    issue: Some(1),
    result: Wait::Window(0, 0),
    purpose: Purpose::Memory,
    source: Some(&MESA),
};
static PORT_HELD: Class = Class {
    name: "load 0",
    unit: "load",
    issue: Some(1),
    result: Wait::Window(0, 1),
    purpose: Purpose::Memory,
    source: Some(&MESA),
};
static STORE: Class = Class {
    name: "store",
    unit: "store",
    issue: Some(1),
    result: Wait::Slots(regs::REGISTER_WAIT - 1),
    purpose: Purpose::Memory,
    source: Some(&MESA),
};
static SETTING: Class = Class {
    name: "address",
    result: Wait::Slots(regs::ADDRESS_WAIT - 1),
    purpose: Purpose::Address,
    source: Some(&NOTES),
    ..SLOW
};
static FLOW: Class = Class {
    name: "branch",
    unit: "branch",
    issue: Some(1),
    result: Wait::Slots(0),
    purpose: Purpose::Control,
    source: Some(&MESA),
};

operations! {
    /// Load port 0.
    pub enum In0 => IN0 {
        /// As in the idle word.
        Idle "" [IN0_IDLE 0] PORT_HELD MESA;
        /// A register or attribute; also readable in the next instruction.
        Load "in0" [IN0_LOAD 0] PORT_HELD MESA;
    }
}
operations! {
    /// Load port 1.
    pub enum In1 => IN1 {
        /// As in the idle word.
        Idle "" [IN1_IDLE 0] PORT MESA;
        /// A register, readable in this instruction only.
        Load "in1" [IN1_LOAD 0] PORT MESA;
    }
}
operations! {
    /// Load port 2.
    pub enum In2 => IN2 {
        /// As in the idle word.
        Idle "" [IN2_IDLE 0xe00] PORT MESA;
        /// A uniform, constant or temporary, readable in this instruction only.
        Load "in2" [IN2_LOAD 0] PORT MESA;
    }
}
operations! {
    /// Multiplier 0, and operations that take both multipliers.
    pub enum Mul0 => MUL0 {
        /// Not used.
        Idle "" [MUL0_IDLE 21] MULTIPLIER MESA;
        /// a * b; times one is a copy.
        Mul "mul0" [MUL0_UNIT 0] MULTIPLIER MESA;
        /// Second step of a function: takes the argument twice.
        Complex2 "complex2" [MUL0_UNIT 3] MULTIPLIER MESA;
        /// Last step of a function: first approximation, result of complex2, first approximation, argument; its result is read exactly two instructions later.
        Complex1 "complex1" [WIDE 1] WIDE2 MESA;
        /// c if b is true, else a.
        Select "select" [CHOICE 4] MULTIPLIER MESA;
        /// Not known.
        Op2 "mulop2" [WIDE 2] MULTIPLIER UNKNOWN;
        /// Not known.
        Op5 "mulop5" [WIDE 5] MULTIPLIER UNKNOWN;
        /// Not known.
        Op6 "mulop6" [WIDE 6] MULTIPLIER UNKNOWN;
        /// Not known.
        Op7 "mulop7" [WIDE 7] MULTIPLIER UNKNOWN;
    }
}
operations! {
    /// Multiplier 1, where no wide operation takes it.
    pub enum Mul1 => MUL1 {
        /// Not used, or taken by a wide operation.
        Idle "" [MUL1_IDLE 21, MUL1_TAKEN 1, MUL1_TAKEN 4, MUL1_TAKEN 2, MUL1_TAKEN 5, MUL1_TAKEN 6, MUL1_TAKEN 7] MULTIPLIER MESA;
        /// a * b; times one is a copy.
        Mul "mul1" [MUL1_UNIT 0, MUL1_UNIT 3] MULTIPLIER MESA;
    }
}
operations! {
    /// Adder 0.
    pub enum Add0 => ADD0 {
        /// Not used.
        Idle "" [ADD0_IDLE 21] ADDER MESA;
        /// a + b; plus minus zero is a copy.
        Add "add0.add" [ADD0_UNIT 0] ADDER MESA;
        /// The largest integer not above a; b is ignored.
        Floor "add0.floor" [ADD0_ONE 1] ADDER MESA;
        /// -1, 0 or 1; b is ignored.
        Sign "add0.sign" [ADD0_ONE 2] ADDER MESA;
        /// Not known.
        Op3 "add0.op3" [ADD0_UNIT 3] ADDER UNKNOWN;
        /// 1 where a >= b, else 0.
        Ge "add0.ge" [ADD0_UNIT 4] ADDER MESA;
        /// 1 where a < b, else 0.
        Lt "add0.lt" [ADD0_UNIT 5] ADDER MESA;
        /// The smaller.
        Min "add0.min" [ADD0_UNIT 6] ADDER MESA;
        /// The larger.
        Max "add0.max" [ADD0_UNIT 7] ADDER MESA;
    }
}
operations! {
    /// Adder 1; always the operation of adder 0.
    pub enum Add1 => ADD1 {
        /// Not used.
        Idle "" [ADD1_IDLE 21] ADDER MESA;
        /// a + b; plus minus zero is a copy.
        Add "add1.add" [ADD1_UNIT 0] ADDER MESA;
        /// The largest integer not above a; b is ignored.
        Floor "add1.floor" [ADD1_ONE 1] ADDER MESA;
        /// -1, 0 or 1; b is ignored.
        Sign "add1.sign" [ADD1_ONE 2] ADDER MESA;
        /// Not known.
        Op3 "add1.op3" [ADD1_UNIT 3] ADDER UNKNOWN;
        /// 1 where a >= b, else 0.
        Ge "add1.ge" [ADD1_UNIT 4] ADDER MESA;
        /// 1 where a < b, else 0.
        Lt "add1.lt" [ADD1_UNIT 5] ADDER MESA;
        /// The smaller.
        Min "add1.min" [ADD1_UNIT 6] ADDER MESA;
        /// The larger.
        Max "add1.max" [ADD1_UNIT 7] ADDER MESA;
    }
}
operations! {
    /// The complex unit.
    pub enum Complex => COMPLEX {
        /// Not used.
        Idle "" [COMPLEX_IDLE 21] SLOW MESA;
        /// Operand read, nothing done.
        Nop "complex.nop" [COMPLEX_UNIT 0] SLOW MESA;
        /// Not known.
        Op1 "complex.op1" [COMPLEX_UNIT 1] SLOW UNKNOWN;
        /// First approximation of 2 to the power of the operand, which comes from pass.preexp2.
        Exp2 "complex.exp2" [COMPLEX_UNIT 2] SLOW MESA;
        /// First approximation of the logarithm to base 2.
        Log2 "complex.log2" [COMPLEX_UNIT 3] SLOW MESA;
        /// First approximation of 1 / sqrt.
        Rsqrt "complex.rsqrt" [COMPLEX_UNIT 4] SLOW MESA;
        /// First approximation of 1 / x.
        Rcp "complex.rcp" [COMPLEX_UNIT 5] SLOW MESA;
        /// Not known.
        Op6 "complex.op6" [COMPLEX_UNIT 6] SLOW UNKNOWN;
        /// Not known.
        Op7 "complex.op7" [COMPLEX_UNIT 7] SLOW UNKNOWN;
        /// Not known.
        Op8 "complex.op8" [COMPLEX_UNIT 8] SLOW UNKNOWN;
        /// Copy.
        Mov "complex.mov" [COMPLEX_UNIT 9] SLOW_COPY MESA;
        /// Sets addr0 and addr1 from the pass unit's result.
        Addr01 "complex.addr01" [COMPLEX_UNIT 10] SLOW_ADDRESS NOTES;
        /// Not known.
        Op11 "complex.op11" [COMPLEX_UNIT 11] SLOW UNKNOWN;
        /// Sets addr0, the address of this instruction's temporary stores.
        Addr0 "complex.addr0" [COMPLEX_UNIT 12] SLOW_ADDRESS NOTES;
        /// Sets addr1, for loads four or more instructions later.
        Addr1 "complex.addr1" [COMPLEX_UNIT 13] SETTING NOTES;
        /// Sets addr2, for loads four or more instructions later.
        Addr2 "complex.addr2" [COMPLEX_UNIT 14] SETTING NOTES;
        /// Sets addr3, for loads four or more instructions later.
        Addr3 "complex.addr3" [COMPLEX_UNIT 15] SETTING NOTES;
    }
}
operations! {
    /// The pass unit.
    pub enum Pass => PASS {
        /// Not used.
        Idle "" [PASS_IDLE 21] PASSING MESA;
        /// Not known.
        Op0 "pass.op0" [PASS_UNIT 0] PASSING UNKNOWN;
        /// Not known.
        Op1 "pass.op1" [PASS_UNIT 1] PASSING UNKNOWN;
        /// Copy; the condition of a branch in the same instruction.
        Mov "pass.mov" [PASS_UNIT 2] PASSING_COPY MESA;
        /// Not known.
        Op3 "pass.op3" [PASS_UNIT 3] PASSING UNKNOWN;
        /// A float in the form that exp2 works on.
        Preexp2 "pass.preexp2" [PASS_UNIT 4] PASSING MESA;
        /// The result of log2's steps as a float.
        Postlog2 "pass.postlog2" [PASS_UNIT 5] PASSING MESA;
        /// Between x and y of this instruction's uniform load.
        Clamp "pass.clamp" [PASS_UNIT 6] PASSING ARM;
        /// Not known.
        Op7 "pass.op7" [PASS_UNIT 7] PASSING UNKNOWN;
    }
}
operations! {
    /// Store half 0.
    pub enum Out0 => OUT0 {
        /// Nothing is stored.
        Idle "" [OUT0_IDLE 0x3f] STORE MESA;
        /// Results of this instruction to components x and y.
        Store "out0" [OUT0_UNIT 0] STORE MESA;
    }
}
operations! {
    /// Store half 1.
    pub enum Out1 => OUT1 {
        /// Nothing is stored.
        Idle "" [OUT1_IDLE 0x3f] STORE MESA;
        /// Results of this instruction to components z and w.
        Store "out1" [OUT1_UNIT 0] STORE MESA;
    }
}
operations! {
    /// The branch, and the bits that go with it.
    pub enum Branch => BRANCH {
        /// No branch.
        Idle "" [BRANCH_IDLE 0] FLOW MESA;
        /// Goes on at an instruction if the pass unit's result is true; the number is what compilers write: 13.
        Branch "branch" [BRANCH_UNIT 1] FLOW MESA;
    }
}

const fn unit(name: &'static str, title: &'static str, operations: &'static [&'static [Operation]]) -> Set {
    Set {
        name,
        title,
        about: "",
        operations,
        generations: &["mali-400"],
        dialects: &["plain"],
        rules: &[],
        fold_case: false,
    }
}

const WHOLE: Format = Format { length: Length::Bytes(16), ..Format::EMPTY };

static IN0_LOAD: Format = Format {
    name: "load port 0",
    fields: &[dst("place", split([62..=62, 58..=61]), &Port0, "register or attribute")],
    syntax: &["{op} {place}"],
    ..WHOLE
};
static IN0_IDLE: Format =
    Format { name: "idle", opcode: chiaro_isa::at(58..=62), syntax: &[""], fields: &[], ..IN0_LOAD };
static IN1_LOAD: Format = Format {
    name: "load port 1",
    fields: &[dst("place", split([63..=66]), &Register, "register")],
    syntax: &["{op} {place}"],
    ..WHOLE
};
static IN1_IDLE: Format = Format { opcode: split([63..=66]), ..IN0_IDLE };
static IN2_LOAD: Format = Format {
    name: "load port 2",
    fields: &[
        dst("address", word::LOAD_ADDRESS.bits(), &UInt, "vec4 of uniform memory"),
        modifier("offset", word::LOAD_OFFSET.bits(), &OFFSET, "address register that is added"),
    ],
    syntax: &["{op} t[[{address}{offset}]]"],
    ..WHOLE
};

static IN2_IDLE: Format = Format { opcode: split([55..=57, 46..=54]), ..IN0_IDLE };

const fn operand(name: &'static str, field: word::Field, kind: &'static dyn Kind) -> chiaro_isa::Field {
    src(name, field.bits(), kind, field.doc)
}
const fn sign(name: &'static str, field: word::Field) -> chiaro_isa::Field {
    modifier(name, field.bits(), &Flag("-"), field.doc)
}

static MUL0_UNIT: Format = Format {
    name: "multiplier 0",
    opcode: word::MUL_OP.bits(),
    fields: &[
        operand("a", word::MUL0_A, &A),
        operand("b", word::MUL0_B, &B_ONE),
        sign("neg", word::MUL0_NEG),
    ],
    syntax: &["{op} {neg}{a}, {b}"],
    ..WHOLE
};
static MUL0_IDLE: Format =
    Format { name: "idle", opcode: word::MUL0_A.bits(), syntax: &[""], fields: &[], ..MUL0_UNIT };
static WIDE: Format = Format {
    name: "both multipliers",
    fields: &[
        operand("a", word::MUL0_A, &A),
        operand("b", word::MUL0_B, &B_ONE),
        operand("c", word::MUL1_A, &A),
        operand("d", word::MUL1_B, &B_ONE),
        sign("neg", word::MUL0_NEG),
    ],
    syntax: &["{op} {neg}{a}, {b}, {c}, {d}"],
    ..MUL0_UNIT
};
static CHOICE: Format = Format {
    name: "selection",
    fields: &[
        operand("a", word::MUL0_A, &A),
        operand("b", word::MUL0_B, &B_ONE),
        operand("c", word::MUL1_A, &A),
        sign("neg", word::MUL0_NEG),
    ],
    syntax: &["{op} {neg}{b} ? {c} : {a}"],
    ..MUL0_UNIT
};
static MUL1_UNIT: Format = Format {
    name: "multiplier 1",
    fields: &[
        operand("a", word::MUL1_A, &A),
        operand("b", word::MUL1_B, &B_ONE),
        sign("neg", word::MUL1_NEG),
    ],
    ..MUL0_UNIT
};
static MUL1_IDLE: Format = Format { opcode: word::MUL1_A.bits(), ..MUL0_IDLE };
static MUL1_TAKEN: Format = Format { name: "taken", opcode: word::MUL_OP.bits(), ..MUL0_IDLE };

static ADD0_UNIT: Format = Format {
    name: "adder 0",
    opcode: word::ADD_OP.bits(),
    fields: &[
        operand("a", word::ADD0_A, &A),
        operand("b", word::ADD0_B, &B_ZERO),
        sign("neg_a", word::ADD0_NEG_A),
        sign("neg_b", word::ADD0_NEG_B),
    ],
    syntax: &["{op} {neg_a}{a}, {neg_b}{b}"],
    ..WHOLE
};
/// Of one operand: the second is idle, and need not be written.
static ADD0_ONE: Format = Format {
    name: "adder 0, one operand",
    fields: &[
        operand("a", word::ADD0_A, &A),
        operand("b", word::ADD0_B, &B_ZERO).or(UNUSED as u64),
        sign("neg_a", word::ADD0_NEG_A),
        sign("neg_b", word::ADD0_NEG_B),
    ],
    syntax: &["{op} {neg_a}{a}[, {neg_b}{b}]"],
    ..ADD0_UNIT
};
static ADD0_IDLE: Format = Format { opcode: word::ADD0_A.bits(), ..MUL0_IDLE };
static ADD1_UNIT: Format = Format {
    name: "adder 1",
    fields: &[
        operand("a", word::ADD1_A, &A),
        operand("b", word::ADD1_B, &B_ZERO),
        sign("neg_a", word::ADD1_NEG_A),
        sign("neg_b", word::ADD1_NEG_B),
    ],
    ..ADD0_UNIT
};
static ADD1_ONE: Format = Format {
    name: "adder 1, one operand",
    fields: &[
        operand("a", word::ADD1_A, &A),
        operand("b", word::ADD1_B, &B_ZERO).or(UNUSED as u64),
        sign("neg_a", word::ADD1_NEG_A),
        sign("neg_b", word::ADD1_NEG_B),
    ],
    ..ADD0_ONE
};
static ADD1_IDLE: Format = Format { opcode: word::ADD1_A.bits(), ..MUL0_IDLE };

static COMPLEX_UNIT: Format = Format {
    name: "complex unit",
    opcode: word::COMPLEX_OP.bits(),
    fields: &[operand("a", word::COMPLEX_A, &A)],
    syntax: &["{op} {a}"],
    ..WHOLE
};
static COMPLEX_IDLE: Format = Format { opcode: word::COMPLEX_A.bits(), ..MUL0_IDLE };
static PASS_UNIT: Format = Format {
    name: "pass unit",
    opcode: word::PASS_OP.bits(),
    fields: &[operand("a", word::PASS_A, &A)],
    ..COMPLEX_UNIT
};
static PASS_IDLE: Format = Format { opcode: word::PASS_A.bits(), ..MUL0_IDLE };

static OUT0_UNIT: Format = Format {
    name: "store half 0",
    fields: &[
        dst("place", split([67..=67, 94..=94, 90..=93]), &Place, "register, output or temporary"),
        operand("x", word::STORE0_X, &STORED),
        operand("y", word::STORE0_Y, &STORED),
    ],
    syntax: &["{op} {place} = {x}, {y}"],
    ..WHOLE
};
static OUT0_IDLE: Format = Format { opcode: chiaro_isa::at(71..=76), ..MUL0_IDLE };
static OUT1_UNIT: Format = Format {
    name: "store half 1",
    fields: &[
        dst("place", split([68..=68, 99..=99, 95..=98]), &Place, "register, output or temporary"),
        operand("z", word::STORE1_Z, &STORED),
        operand("w", word::STORE1_W, &STORED),
    ],
    syntax: &["{op} {place} = {z}, {w}"],
    ..WHOLE
};
static OUT1_IDLE: Format = Format { opcode: chiaro_isa::at(77..=82), ..MUL0_IDLE };

static BRANCH_UNIT: Format = Format {
    name: "branch",
    opcode: word::BRANCH.bits(),
    fields: &[
        target("target", split([70..=70, 120..=127]), &Target, "instruction to go on at"),
        modifier("unknown", word::UNKNOWN.bits(), &UInt, "13 in all compilers' branches").or(13),
    ],
    syntax: &["{op} {target}[ unknown {unknown}]"],
    ..WHOLE
};
static BRANCH_IDLE: Format = Format { opcode: word::BRANCH.bits(), ..MUL0_IDLE };
