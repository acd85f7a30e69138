//! What the bits of an instruction come to: literals as numbers, wait counts, registers of
//! the hardware, messages, lanes of DPP patterns. The engine explains the fields; this adds
//! what they mean together.

use crate::isa::{Op, isa, sopk, sopp};
use crate::operand::constant::{self, Number};
use crate::operand::dpp::Pattern;
use crate::operand::immediate::{Waits, hardware_bits};
use crate::regs::file;
use crate::regs::hardware::{MODE, STATUS};
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
            _ if field.name == "dpp8" => notes.extend(value.and_then(Value::int).map(|n| eight(n as u64))),
            _ => {}
        }
    }
    let number = isa.value(inst, "simm16", &isa.cx()).and_then(Value::int);
    if let Some(n) = number {
        let op = Op::of(isa.form(inst).op);
        notes.extend(waits(op, n as u16));
        notes.extend(hardware(op, n as u16));
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

fn eight(pattern: u64) -> String {
    let from = (0..8).map(|lane| (pattern >> (3 * lane) & 7).to_string());
    format!("lanes 0 to 7 of eight read lanes {} of them", from.collect::<Vec<_>>().join(" "))
}

/// Fields of hardware registers: number of the register, first and last bit, what they are (spec section 2).
const FIELDS: [(u32, [u32; 2], &str); 25] = [
    (MODE, [0, 1], "rounding of binary32: 0 to nearest even, 1 up, 2 down, 3 to zero"),
    (MODE, [2, 3], "rounding of binary16 and binary64"),
    (MODE, [4, 5], "subnormal numbers of binary32 kept, 4 in operands and 5 in results"),
    (MODE, [6, 7], "subnormal numbers of binary16 and binary64 kept"),
    (MODE, [8, 8], "DX10_CLAMP: a clamp makes zero of what is no number"),
    (MODE, [9, 9], "IEEE: signalling NaNs become quiet"),
    (MODE, [10, 10], "LOD_CLAMPED"),
    (MODE, [11, 11], "DEBUG_EN"),
    (MODE, [12, 20], "exceptions that trap"),
    (MODE, [23, 23], "FP16_OVFL: binary16 overflows to its largest number"),
    (MODE, [27, 27], "DISABLE_PERF"),
    (STATUS, [0, 0], "SCC"),
    (STATUS, [1, 2], "SPI_PRIO"),
    (STATUS, [3, 4], "USER_PRIO"),
    (STATUS, [5, 5], "PRIV"),
    (STATUS, [6, 6], "TRAP_EN"),
    (STATUS, [9, 9], "EXECZ"),
    (STATUS, [10, 10], "VCCZ"),
    (STATUS, [11, 11], "IN_TG"),
    (STATUS, [12, 12], "IN_BARRIER"),
    (STATUS, [13, 13], "HALT"),
    (STATUS, [16, 16], "VALID"),
    (STATUS, [18, 18], "SKIP_EXPORT"),
    (STATUS, [20, 20], "COND_DBG_USER"),
    (STATUS, [21, 21], "COND_DBG_SYS"),
];

/// What the bits of a hardware register are that an instruction reads or writes.
fn hardware(op: Op, n: u16) -> Option<String> {
    use sopk::Sopk::{GetregB32, SetregB32, SetregImm32B32};
    let Op::Sopk(GetregB32 | SetregB32 | SetregImm32B32) = op else { return None };
    let [register, first, count] = hardware_bits(n.into());
    let is_touched = |(number, [low, high], _): &&(u32, [u32; 2], &str)| {
        *number == register && *low < first + count && first <= *high
    };
    let text = |(_, [low, high], what): &(u32, [u32; 2], &str)| match low == high {
        true => format!("bit {low} is {what}"),
        false => format!("bits {low} to {high} are {what}"),
    };
    let touched: Vec<String> = FIELDS.iter().filter(is_touched).map(text).collect();
    (!touched.is_empty()).then(|| touched.join("; "))
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
