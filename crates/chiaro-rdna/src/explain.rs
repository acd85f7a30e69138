//! What the bits of an instruction come to: literals as numbers, wait counts, registers of
//! the hardware, messages, lanes of DPP patterns. The engine explains the fields; this adds
//! what they mean together.

use crate::isa::{Op, isa, sopk, sopp};
use crate::operand::constant::{self, Number};
use crate::operand::dpp::Pattern;
use crate::operand::immediate::Waits;
use crate::regs::file;
use chiaro_isa::{Cx, Inst, Role, Value};

/// Takes the instruction at the start of some code apart, by the names of a dialect; `None` if there is none.
pub fn explain(code: &[u8], wave: u8, dialect: u8) -> Option<String> {
    let isa = isa(wave);
    let inst = isa.decode(code).ok()?;
    let mut text = isa.explain(&inst, &Cx { dialect, ..isa.cx() }).to_string();
    for note in notes(&inst, wave) {
        text.push_str("  ");
        text.push_str(&note);
        text.push('\n');
    }
    Some(text)
}

/// What the operands come to, a sentence each.
fn notes(inst: &Inst, wave: u8) -> Vec<String> {
    let isa = isa(wave);
    let mut notes = Vec::new();
    let values = isa.values(inst, &isa.cx());
    let fields = isa.form(inst).format.fields;
    for (field, value) in fields.iter().zip(values.as_slice()) {
        match (field.role, *value) {
            (Role::Use, Some(Value::Int(n))) if n >= 0 && field.bits.width() > 32 => {
                notes.push(literal(field.name, n as u32));
            }
            (Role::Use, Some(Value::Reg(r))) if r.file == file::CONSTANT => {
                notes.extend(inline(field.name, r.index));
            }
            _ if field.name == "dpp_ctrl" => {
                notes.extend(value.and_then(Value::int).map(|n| lanes(n as u64)));
            }
            _ => {}
        }
    }
    let number = isa.value(inst, "simm16", &isa.cx()).and_then(Value::int);
    if let Some(n) = number {
        notes.extend(waits(Op::of(isa.form(inst).op), n as u16));
    }
    notes
}

fn literal(name: &str, dword: u32) -> String {
    let (signed, float) = (dword as i32, f32::from_bits(dword));
    format!("{name} is the literal {dword:#x}: {dword} unsigned, {signed} signed, {float:?} as a float")
}

fn inline(name: &str, code: u16) -> Option<String> {
    let bits = constant::float_bits(code, Number::Word)?;
    Some(format!("{name} is a small constant, {bits:#010x} in a word"))
}

fn lanes(pattern: u64) -> String {
    let from = (0..16).map(|lane| Pattern::lane(pattern, lane).map_or("-".to_owned(), |n| n.to_string()));
    format!("lanes 0 to 15 of a row read lanes {} of it", from.collect::<Vec<_>>().join(" "))
}

fn waits(op: Op, n: u16) -> Option<String> {
    match op {
        Op::Sopp(sopp::Sopp::Waitcnt) => {
            let Waits { vm, exp, lgkm } = Waits::of(n);
            let count = |n: u8, most: u8| if n == most { "any".to_owned() } else { n.to_string() };
            Some(format!(
                "waits until at most {} vector loads, {} exports and {} LDS or scalar accesses are on the way",
                count(vm, 63),
                count(exp, 7),
                count(lgkm, 63)
            ))
        }
        Op::Sopk(sopk::Sopk::WaitcntVscnt) => {
            Some(format!("waits until at most {n} vector stores are on the way"))
        }
        _ => None,
    }
}
