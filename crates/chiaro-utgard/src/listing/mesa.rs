//! The listing of Mesa's disassembler, byte for byte.
//!
//! It is the view that driver developers know: a line for each busy unit, results numbered
//! `6 * instruction + unit`. It hides what no printed unit uses (stores of idle units, stray
//! bits), so it does not assemble back; [`super::plain`] does. spec section 15.1.

use chiaro_isa::Out;

use crate::isa::selector::{STORES, Select, Store, Unit};
use crate::isa::word::{self, Field, Word};
use crate::isa::{Add0, Complex, Mul0, Pass};
use crate::regs::{IDENT, NO_OFFSET, UNUSED, letter};

/// The listing of a program. Reads of the instruction before the first one print as if that
/// were idle.
#[must_use]
pub fn print(program: &[Word]) -> String {
    let mut out = Out::default();
    let mut before = Word::IDLE;
    for (index, &word) in program.iter().enumerate() {
        Line { word, before, index: index as i64, out: &mut out, empty: true }.instruction();
        before = word;
    }
    out.as_str().to_owned()
}

struct Line<'a> {
    word: Word,
    before: Word,
    index: i64,
    out: &'a mut Out,
    empty: bool,
}

/// The number of a unit's result within its instruction.
fn number(unit: Unit) -> i64 {
    match unit {
        Unit::Add0 => 0,
        Unit::Add1 => 1,
        Unit::Mul0 => 2,
        Unit::Mul1 => 3,
        Unit::Pass => 4,
        Unit::Complex => 5,
    }
}

impl Line<'_> {
    fn instruction(&mut self) {
        self.padded(self.index);
        self.out.push(':');
        self.adder(Unit::Add0, word::ADD0_A, word::ADD0_B, word::ADD0_NEG_A, word::ADD0_NEG_B);
        self.adder(Unit::Add1, word::ADD1_A, word::ADD1_B, word::ADD1_NEG_A, word::ADD1_NEG_B);
        self.multipliers();
        self.complex();
        self.pass();
        self.branch();
        if self.word.get(word::UNKNOWN) != 0 {
            self.begin("unknown_1 ");
            self.out.push_int(self.word.get(word::UNKNOWN).into());
            self.end();
        }
        if self.empty {
            self.out.push_str("\tnop\n");
        }
    }

    fn adder(&mut self, unit: Unit, a: Field, b: Field, neg_a: Field, neg_b: Field) {
        if self.word.get(a) == UNUSED {
            return;
        }
        let is_turned = |field| self.word.get(field) == 1;
        let (turn_a, turn_b) = (is_turned(neg_a), is_turned(neg_b));
        let is_zero = self.word.get(b) == IDENT;
        let op = Add0::in_word(self.word);
        let name = ["add", "floor", "sign", "op3", "ge", "lt", "min", "max"][op.opcode() as usize];
        let is_move = is_zero && turn_b;
        self.begin(if is_move { "mov" } else { name });
        self.out.push_str(if unit == Unit::Add0 { ".a0 " } else { ".a1 " });
        self.destination(unit);
        self.operand(a, false, turn_a);
        if !is_move && !op.is_unary() && op != Add0::Op3 {
            if is_zero { self.out.push_str(" 0") } else { self.operand(b, true, turn_b) }
        }
        self.end();
    }

    fn multipliers(&mut self) {
        match Mul0::in_word(self.word) {
            Mul0::Mul => self.multiplier(Unit::Mul0, "mul"),
            Mul0::Complex2 => self.multiplier(Unit::Mul0, "complex2"),
            Mul0::Complex1 => return self.wide("complex1", None),
            Mul0::Select => return self.choice(),
            op => return self.wide("unknown", Some(op.opcode())),
        }
        self.multiplier(Unit::Mul1, "mul");
    }

    fn multiplier(&mut self, unit: Unit, name: &str) {
        let (a, b, neg, place) = match unit {
            Unit::Mul0 => (word::MUL0_A, word::MUL0_B, word::MUL0_NEG, ".m0 "),
            _ => (word::MUL1_A, word::MUL1_B, word::MUL1_NEG, ".m1 "),
        };
        if self.word.get(a) == UNUSED || self.word.get(b) == UNUSED {
            return;
        }
        let is_turned = self.word.get(neg) == 1;
        let is_move = self.word.get(b) == IDENT && !is_turned;
        self.begin(if is_move { "mov" } else { name });
        self.out.push_str(place);
        self.destination(unit);
        self.operand(a, false, false);
        if !is_move {
            self.operand(b, true, is_turned);
        }
        self.end();
    }

    /// All four operands, whatever they are.
    fn wide(&mut self, name: &str, number: Option<u32>) {
        self.begin(name);
        if let Some(number) = number {
            self.out.push_int(number.into());
        }
        self.out.push_str(".m01 ");
        self.destination(Unit::Mul0);
        for field in [word::MUL0_A, word::MUL0_B, word::MUL1_A, word::MUL1_B] {
            self.operand(field, matches!(field, word::MUL0_B | word::MUL1_B), false);
        }
        self.end();
    }

    /// The condition, then the value if it is false, then the other.
    fn choice(&mut self) {
        self.begin("sel.m01 ");
        self.destination(Unit::Mul0);
        self.operand(word::MUL0_B, true, false);
        self.operand(word::MUL0_A, false, false);
        self.operand(word::MUL1_A, false, false);
        self.end();
    }

    fn complex(&mut self) {
        if self.word.get(word::COMPLEX_A) == UNUSED {
            return;
        }
        let name = match Complex::in_word(self.word) {
            // The tool begins a line here and does not end it.
            Complex::Nop => return self.out.push('\t'),
            Complex::Exp2 => "exp2",
            Complex::Log2 => "log2",
            Complex::Rsqrt => "rsqrt",
            Complex::Rcp => "rcp",
            op if op == Complex::Mov || op.address().is_some() => "mov",
            _ => "unk",
        };
        self.unit(name, Complex::in_word(self.word).opcode(), ".c ", Unit::Complex, word::COMPLEX_A);
        self.end();
    }

    fn pass(&mut self) {
        if self.word.get(word::PASS_A) == UNUSED {
            return;
        }
        let op = Pass::in_word(self.word);
        let name = match op {
            Pass::Mov => "mov",
            Pass::Preexp2 => "preexp2",
            Pass::Postlog2 => "postlog2",
            Pass::Clamp => "clamp",
            _ => "unk",
        };
        self.unit(name, op.opcode(), ".p ", Unit::Pass, word::PASS_A);
        if op == Pass::Clamp {
            for limit in [".x", ".y"] {
                self.out.push(' ');
                self.memory();
                self.out.push_str(limit);
            }
        }
        self.end();
    }

    /// A unit with one operand; what has no name has its number.
    fn unit(&mut self, name: &str, opcode: u32, place: &str, unit: Unit, from: Field) {
        self.begin(name);
        if name == "unk" {
            self.out.push_int(opcode.into());
        }
        self.out.push_str(place);
        self.destination(unit);
        self.operand(from, false, false);
    }

    fn branch(&mut self) {
        let Some(target) = self.word.target() else { return };
        self.begin("branch ^");
        self.out.push_int(6 * self.index + number(Unit::Pass));
        self.out.push(' ');
        self.padded(target.into());
        self.end();
    }

    /// The number of a unit's result, and the places where it is stored.
    fn destination(&mut self, unit: Unit) {
        self.out.push('^');
        self.out.push_int(6 * self.index + number(unit));
        for (letters, half) in [(['x', 'y'], &STORES[..2]), (['z', 'w'], &STORES[2..])] {
            let taken = |store: &Store| Unit::of_store(self.word.get(store.unit)) == Some(unit);
            let stored = [taken(&half[0]), taken(&half[1])];
            if stored == [false; 2] {
                continue;
            }
            let index = self.word.get(half[0].index);
            match (self.word.get(half[0].temporary), self.word.get(half[0].varying)) {
                (1, _) => self.out.push_str("/t[addr0]"),
                (_, varying) => {
                    self.out.push_str(if varying == 1 { "/v" } else { "/$" });
                    self.out.push_int(index.into());
                }
            }
            self.out.push('.');
            let parts = letters.into_iter().zip(stored).filter(|(_, is_stored)| *is_stored);
            parts.for_each(|(letter, _)| self.out.push(letter));
        }
        if unit == Unit::Complex
            && let Some(register) = Complex::in_word(self.word).address()
        {
            self.out.push_str("/addr");
            self.out.push_int(register.into());
        }
    }

    /// A blank and an operand.
    fn operand(&mut self, field: Field, is_b: bool, is_turned: bool) {
        self.out.push_str(if is_turned { " -" } else { " " });
        let component = match Select::of(self.word.get(field), is_b) {
            Select::Port0 { component, back } => {
                let word = if back == 0 { self.word } else { self.before };
                self.out.push(if word.get(word::PORT0_ATTRIBUTE) == 1 { 'a' } else { '$' });
                self.out.push_int(word.get(word::PORT0_INDEX).into());
                component
            }
            Select::Port1(component) => {
                self.out.push('$');
                self.out.push_int(self.word.get(word::PORT1_INDEX).into());
                component
            }
            Select::Load(component) => {
                self.memory();
                component
            }
            Select::Result(unit, back) => {
                self.out.push('^');
                return self.out.push_int(6 * (self.index - i64::from(back)) + number(unit));
            }
            Select::Ident => return self.out.push('1'),
            Select::Unused => return self.out.push_str("unused"),
            Select::Unknown(n) => {
                self.out.push_str("unknown");
                return self.out.push_int(n.into());
            }
        };
        self.out.push('.');
        self.out.push(letter(component));
    }

    /// The vec4 of uniform memory that this instruction loads.
    fn memory(&mut self) {
        self.out.push_str("t[");
        self.out.push_int(self.word.get(word::LOAD_ADDRESS).into());
        let offset = self.word.get(word::LOAD_OFFSET);
        if offset != NO_OFFSET {
            self.out.push_str(if (1..=3).contains(&offset) { "+addr" } else { "+unk" });
            self.out.push_int(offset.into());
        }
        self.out.push(']');
    }

    /// A number of three digits at least.
    fn padded(&mut self, number: i64) {
        self.out.push_str(if number < 10 {
            "00"
        } else if number < 100 {
            "0"
        } else {
            ""
        });
        self.out.push_int(number);
    }

    fn begin(&mut self, name: &str) {
        self.out.push('\t');
        self.out.push_str(name);
    }

    fn end(&mut self) {
        self.out.push('\n');
        self.empty = false;
    }
}
