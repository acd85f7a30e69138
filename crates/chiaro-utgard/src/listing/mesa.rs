//! The listing of Mesa's disassembler, byte for byte.
//!
//! It is the view that driver developers know: a line for each busy unit, results numbered
//! `6 * instruction + unit`. It hides what no printed unit uses (stores of idle units, stray
//! bits), so it does not assemble back; [`super::plain`] does. spec section 15.1.

use std::fmt::Write;

use crate::isa::selector::{STORES, Select, Store, Unit};
use crate::isa::word::{self, Field, Word};
use crate::isa::{Add0, Complex, Mul0, Pass};
use crate::regs::{IDENT, NO_OFFSET, UNUSED};

/// The listing of a program. Reads of the instruction before the first one print as if that
/// were idle.
#[must_use]
pub fn print(program: &[Word]) -> String {
    let mut out = String::with_capacity(program.len() * 96);
    let mut before = Word::IDLE;
    for (index, &word) in program.iter().enumerate() {
        Line { word, before, index: index as i64, out: &mut out, empty: true }.instruction();
        before = word;
    }
    out
}

struct Line<'a> {
    word: Word,
    before: Word,
    index: i64,
    out: &'a mut String,
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
        let index = self.index;
        self.put(format_args!("{index:03}:"));
        self.adder(Unit::Add0, word::ADD0_A, word::ADD0_B, word::ADD0_NEG_A, word::ADD0_NEG_B);
        self.adder(Unit::Add1, word::ADD1_A, word::ADD1_B, word::ADD1_NEG_A, word::ADD1_NEG_B);
        self.multipliers();
        self.complex();
        self.pass();
        self.branch();
        match self.word.get(word::UNKNOWN) {
            0 => {}
            n => self.line(format_args!("unknown_1 {n}")),
        }
        if self.empty {
            self.out.push_str("\tnop\n");
        }
    }

    fn adder(&mut self, unit: Unit, a: Field, b: Field, neg_a: Field, neg_b: Field) {
        if self.word.get(a) == UNUSED {
            return;
        }
        let (first, second) = (self.source(a, false), self.source(b, true));
        let sign = |field| if self.word.get(field) == 1 { "-" } else { "" };
        let (sign_a, sign_b) = (sign(neg_a), sign(neg_b));
        let place = number(unit);
        let to = self.destination(unit);
        if self.word.get(b) == IDENT && sign_b == "-" {
            return self.line(format_args!("mov.a{place} {to} {sign_a}{first}"));
        }
        let op = Add0::in_word(self.word);
        let name = ["add", "floor", "sign", "op3", "ge", "lt", "min", "max"][op.opcode() as usize];
        if op.is_unary() || op == Add0::Op3 {
            return self.line(format_args!("{name}.a{place} {to} {sign_a}{first}"));
        }
        let second = if self.word.get(b) == IDENT { "0".to_owned() } else { second };
        self.line(format_args!("{name}.a{place} {to} {sign_a}{first} {sign_b}{second}"));
    }

    fn multipliers(&mut self) {
        match Mul0::in_word(self.word) {
            Mul0::Mul => self.multiplier(Unit::Mul0, "mul"),
            Mul0::Complex2 => self.multiplier(Unit::Mul0, "complex2"),
            Mul0::Complex1 => return self.wide("complex1"),
            Mul0::Select => return self.choice(),
            op => return self.wide(&format!("unknown{}", op.opcode())),
        }
        self.multiplier(Unit::Mul1, "mul");
    }

    fn multiplier(&mut self, unit: Unit, name: &str) {
        let (a, b, neg) = match unit {
            Unit::Mul0 => (word::MUL0_A, word::MUL0_B, word::MUL0_NEG),
            _ => (word::MUL1_A, word::MUL1_B, word::MUL1_NEG),
        };
        if self.word.get(a) == UNUSED || self.word.get(b) == UNUSED {
            return;
        }
        let place = number(unit) - number(Unit::Mul0);
        let to = self.destination(unit);
        let first = self.source(a, false);
        let negated = self.word.get(neg) == 1;
        if self.word.get(b) == IDENT && !negated {
            return self.line(format_args!("mov.m{place} {to} {first}"));
        }
        let sign = if negated { "-" } else { "" };
        let second = self.source(b, true);
        self.line(format_args!("{name}.m{place} {to} {first} {sign}{second}"));
    }

    /// All four operands, whatever they are.
    fn wide(&mut self, name: &str) {
        let to = self.destination(Unit::Mul0);
        let sources = [word::MUL0_A, word::MUL0_B, word::MUL1_A, word::MUL1_B]
            .map(|f| self.source(f, matches!(f, word::MUL0_B | word::MUL1_B)));
        self.line(format_args!("{name}.m01 {to} {}", sources.join(" ")));
    }

    /// The condition, then the value if it is false, then the other.
    fn choice(&mut self) {
        let to = self.destination(Unit::Mul0);
        let condition = self.source(word::MUL0_B, true);
        let (no, yes) = (self.source(word::MUL0_A, false), self.source(word::MUL1_A, false));
        self.line(format_args!("sel.m01 {to} {condition} {no} {yes}"));
    }

    fn complex(&mut self) {
        if self.word.get(word::COMPLEX_A) == UNUSED {
            return;
        }
        let name = match Complex::in_word(self.word) {
            // The tool begins a line here and does not end it.
            Complex::Nop => return self.out.push('\t'),
            Complex::Exp2 => "exp2".to_owned(),
            Complex::Log2 => "log2".to_owned(),
            Complex::Rsqrt => "rsqrt".to_owned(),
            Complex::Rcp => "rcp".to_owned(),
            op if op == Complex::Mov || op.address().is_some() => "mov".to_owned(),
            op => format!("unk{}", op.opcode()),
        };
        let (to, from) = (self.destination(Unit::Complex), self.source(word::COMPLEX_A, false));
        self.line(format_args!("{name}.c {to} {from}"));
    }

    fn pass(&mut self) {
        if self.word.get(word::PASS_A) == UNUSED {
            return;
        }
        let (to, from) = (self.destination(Unit::Pass), self.source(word::PASS_A, false));
        match Pass::in_word(self.word) {
            Pass::Mov => self.line(format_args!("mov.p {to} {from}")),
            Pass::Preexp2 => self.line(format_args!("preexp2.p {to} {from}")),
            Pass::Postlog2 => self.line(format_args!("postlog2.p {to} {from}")),
            Pass::Clamp => {
                let memory = self.memory();
                self.line(format_args!("clamp.p {to} {from} {memory}.x {memory}.y"));
            }
            op => self.line(format_args!("unk{}.p {to} {from}", op.opcode())),
        }
    }

    fn branch(&mut self) {
        let Some(target) = self.word.target() else { return };
        let condition = 6 * self.index + number(Unit::Pass);
        self.line(format_args!("branch ^{condition} {target:03}"));
    }

    /// The number of a unit's result, and the places where it is stored.
    fn destination(&self, unit: Unit) -> String {
        let mut to = format!("^{}", 6 * self.index + number(unit));
        for (letters, half) in [("xy", &STORES[..2]), ("zw", &STORES[2..])] {
            let taken = |store: &Store| Unit::of_store(self.word.get(store.unit)) == Some(unit);
            let stored = letters.chars().zip(half).filter(|(_, store)| taken(store));
            let parts: String = stored.map(|(letter, _)| letter).collect();
            if parts.is_empty() {
                continue;
            }
            let index = self.word.get(half[0].index);
            let place = match (self.word.get(half[0].temporary), self.word.get(half[0].varying)) {
                (1, _) => "t[addr0]".to_owned(),
                (_, 1) => format!("v{index}"),
                _ => format!("${index}"),
            };
            let _ = write!(to, "/{place}.{parts}");
        }
        if unit == Unit::Complex
            && let Some(register) = Complex::in_word(self.word).address()
        {
            let _ = write!(to, "/addr{register}");
        }
        to
    }

    fn source(&self, field: Field, is_b: bool) -> String {
        let letter = |component: u8| char::from(b"xyzw"[usize::from(component & 3)]);
        match Select::of(self.word.get(field), is_b) {
            Select::Port0 { component, back } => {
                let word = if back == 0 { self.word } else { self.before };
                let bank = if word.get(word::PORT0_ATTRIBUTE) == 1 { 'a' } else { '$' };
                format!("{bank}{}.{}", word.get(word::PORT0_INDEX), letter(component))
            }
            Select::Port1(component) => {
                format!("${}.{}", self.word.get(word::PORT1_INDEX), letter(component))
            }
            Select::Load(component) => format!("{}.{}", self.memory(), letter(component)),
            Select::Result(unit, back) => {
                format!("^{}", 6 * (self.index - i64::from(back)) + number(unit))
            }
            Select::Ident => "1".to_owned(),
            Select::Unused => "unused".to_owned(),
            Select::Unknown(n) => format!("unknown{n}"),
        }
    }

    /// The vec4 of uniform memory that this instruction loads.
    fn memory(&self) -> String {
        let address = self.word.get(word::LOAD_ADDRESS);
        match self.word.get(word::LOAD_OFFSET) {
            NO_OFFSET => format!("t[{address}]"),
            n @ 1..=3 => format!("t[{address}+addr{n}]"),
            n => format!("t[{address}+unk{n}]"),
        }
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a `String` does not fail.
        let _ = self.out.write_fmt(text);
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        self.put(format_args!("\t{text}\n"));
        self.empty = false;
    }
}
