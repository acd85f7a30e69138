//! A program as freedreno's pgmdump prints it. spec section 25.

use super::registers::Registers;
use super::{Style, decode};
use crate::isa::{self, Op};
use crate::operand::{PGMDUMP, PGMDUMP_2013};
use crate::regs::mods;
use chiaro_isa::{Inst, Out, Reg, Role, Value, Word};

/// How to print.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The tool of October 2013 instead of July 2018.
    pub old: bool,
    /// A line for each repetition.
    pub expand: bool,
}

/// What the flags of an instruction take, and the repeat count: repetitions show neither.
const FLAGS: u64 = 1 << 60 | 1 << 59 | 1 << 45 | 1 << 44 | 7 << 40;

/// Prints a program up to its first `end`, and the registers that it uses.
pub fn listing(words: &[u64], options: Options) -> String {
    let style = Style { dialect: if options.old { PGMDUMP_2013 } else { PGMDUMP }, ..Style::default() };
    let mut out = Out::default();
    let mut registers = Registers::new(options.expand);
    for (index, &word) in words.iter().enumerate() {
        prefix(index, Some(word), &mut out);
        let inst = decode(word, style.generation);
        let repeat =
            inst.as_ref().map_or(0, |inst| if options.old { repeats_of_2013(inst) } else { repeats(inst) });
        text(word, inst.as_ref(), style, &mut out);
        inst.as_ref().inspect(|inst| registers.instruction(inst, repeat, 0));
        for step in (1..=repeat).filter(|_| options.expand) {
            prefix(index, None, &mut out);
            let again = inst.as_ref().map(|inst| stepped(inst, step));
            text(word, again.as_ref(), style, &mut out);
            inst.as_ref().inspect(|inst| registers.instruction(inst, repeat, step));
        }
        if inst.as_ref().is_some_and(|inst| Op::of(isa::a3xx().form(inst).op) == Op::End) {
            break;
        }
    }
    registers.print(!options.old, &mut out);
    out.as_str().to_owned()
}

/// Index and words, or the room of the words.
fn prefix(index: usize, word: Option<u64>, out: &mut Out) {
    let digits = index.checked_ilog10().unwrap_or(0) + 1;
    (digits..4).for_each(|_| out.push('0'));
    out.push_int(index as i64);
    out.push('[');
    match word {
        Some(word) => {
            out.push_hex(word >> 32, 8);
            out.push_str("x_");
            out.push_hex(word & 0xffff_ffff, 8);
            out.push_str("x] ");
        }
        None => out.push_str("                   ] "),
    }
}

fn text(word: u64, inst: Option<&Inst>, style: Style, out: &mut Out) {
    let printed = inst.is_some_and(|inst| isa::a3xx().print(inst, &style.cx(0), out));
    if !printed {
        out.push_str("unknown(");
        out.push_int((word >> 61) as i64);
        out.push(',');
        out.push_int((word >> 55) as i64 & 15);
        out.push(')');
    }
    out.push('\n');
}

/// How often an instruction repeats.
pub(crate) fn repeats(inst: &Inst) -> u16 {
    let isa = isa::a3xx();
    isa.value(inst, "repeat", &isa.cx()).and_then(Value::int).unwrap_or(0) as u16
}

/// As the tool of 2013 saw it: with `(sat)` as the third bit.
fn repeats_of_2013(inst: &Inst) -> u16 {
    let word = inst.word.0[0];
    if word >> 61 < 5 { (word >> 40) as u16 & 7 } else { 0 }
}

/// The instruction as it runs in a repetition: without flags, its registers advanced.
pub(crate) fn stepped(inst: &Inst, step: u16) -> Inst {
    let isa = isa::a3xx();
    let cx = isa.cx();
    let word = inst.word.0[0] & !FLAGS;
    let mut again = Inst { word: Word::from(word), ..*inst };
    for field in isa.form(inst).format.fields {
        let Some(Value::Reg(r)) = isa.value(inst, field.name, &cx) else { continue };
        let steps = field.role == Role::Def || r.mods & mods::STEP != 0;
        if steps && !field.view {
            let next = Value::Reg(Reg { index: r.index.wrapping_add(step), ..r });
            // A register number that runs out of the file stays as it is.
            let _ = isa.put(&mut again, field.name, next, &cx);
        }
    }
    again
}
