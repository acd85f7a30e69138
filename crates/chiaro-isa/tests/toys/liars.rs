//! Sets that break one law each, since a law that finds nothing looks like one that has nothing to find.

use crate::MADE_UP;
use chiaro_isa::{
    Class, Cursor, Cx, Format, Isa, Kind, Length, Operation, Out, Partial, Purpose, Set, UInt, Value, Wait,
    at, laws, operations, src,
};

static ALU: Class = Class {
    name: "cpu",
    unit: "cpu",
    issue: Some(1),
    result: Wait::Unknown,
    purpose: Purpose::Arithmetic,
    source: Some(&MADE_UP),
};

/// A number with one mistake.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Liar {
    /// Is written as another number.
    PrintsAnother,
    /// Is read as nothing.
    ReadsNothing,
}

impl Kind for Liar {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        UInt.decode(raw, cx)
    }
    fn encode(&self, value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
        UInt.encode(value, given, cx)
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        match (self, value) {
            (Liar::PrintsAnother, Value::Int(n)) => UInt.print(Value::Int(n ^ 1), out, cx),
            _ => UInt.print(value, out, cx),
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        if *self == Liar::ReadsNothing { None } else { UInt.parse(s, cx) }
    }
}

static ONE: Format =
    Format { length: Length::Bytes(1), opcode: at(4..=7), syntax: &["{op} {a}"], ..Format::EMPTY };
static PRINTS: Format =
    Format { name: "prints", fields: &[src("a", at(0..=3), &Liar::PrintsAnother, "operand")], ..ONE };
static READS: Format =
    Format { name: "reads", fields: &[src("a", at(0..=3), &Liar::ReadsNothing, "operand")], ..ONE };
static HIGH: Format = Format { name: "high", fields: &[src("a", at(0..=3), &UInt, "operand")], ..ONE };
static LOW: Format =
    Format { name: "low", opcode: at(0..=3), fields: &[src("a", at(4..=7), &UInt, "operand")], ..ONE };
static LOWER: Format =
    Format { name: "lower", opcode: at(0..=4), fields: &[src("a", at(5..=7), &UInt, "operand")], ..ONE };

operations! { enum Prints => PRINTS_OPS { /** Lies. */ Lie "lie" [PRINTS 1] ALU MADE_UP; } }
operations! { enum Reads => READS_OPS { /** Lies. */ Lie "lie" [READS 1] ALU MADE_UP; } }
operations! {
    enum Both => BOTH_OPS {
        /// Is told by its upper half.
        High "high" [HIGH 1] ALU MADE_UP;
        /// Is told by its lower half.
        Low "low" [LOW 2] ALU MADE_UP;
    }
}
operations! {
    enum Some => SOME_OPS {
        /// Is told by its upper half.
        High "high" [HIGH 1] ALU MADE_UP;
        /// Is told by its lower half and one bit more, which for some operands is the first one's.
        Lower "lower" [LOWER 0x12] ALU MADE_UP;
    }
}

const fn set(operations: &'static [&'static [Operation]]) -> Set {
    Set {
        name: "liars",
        title: "Liars",
        about: "",
        operations,
        generations: &["one"],
        dialects: &["plain"],
        rules: &[],
        fold_case: false,
    }
}

static PRINTS_SET: Set = set(&[PRINTS_OPS]);
static READS_SET: Set = set(&[READS_OPS]);
static BOTH_SET: Set = set(&[BOTH_OPS]);
static SOME_SET: Set = set(&[SOME_OPS]);

/// Whether one of some laws' failures has a text.
fn told(set: &'static Set, text: &str) {
    let found = laws::of(&Isa::new(set, 0), 40);
    assert!(found.iter().any(|failure| failure.contains(text)), "{text}: {found:?}");
}

#[test]
fn each_lie_is_told() {
    told(&PRINTS_SET, "is read as");
    told(&READS_SET, "is not read");
    told(&BOTH_SET, "cannot be told apart");
    told(&SOME_SET, " is lower (lower) and high (high)");
}
