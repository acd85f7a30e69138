//! `mesa_pack.tsv`: words that Mesa packs of random operands, and what applegpu reads in them.
//!
//! Where the two disagree, the specification's section 13 decides; each class is a row of
//! [`DECIDED`], and what is right is checked against Mesa's operands.

use super::{bytes, decode};
use crate::suite::{Miss, Row};
use chiaro_agx::isa::isa;
use chiaro_agx::operand::APPLEGPU;
use chiaro_agx::regs::{file, mods, size};
use chiaro_isa::{Inst, Reg};

/// How far applegpu's text counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decision {
    /// Not at all: the operands alone are checked.
    Operands,
    /// Not at all, and Mesa drops what it was given behind the sources.
    Unsigned,
    /// The word is another instruction.
    Renamed,
}

/// Opcodes and verdicts for which applegpu's text is not what we say, with the decision (spec 13).
const DECIDED: [(&str, &str, Decision, &str); 10] = [
    ("icmpsel", "DIFF", Decision::Operands, "applegpu ignores the ninth bit of a uniform"),
    ("fcmpsel", "DIFF", Decision::Operands, "applegpu ignores the ninth bit of a uniform"),
    (
        "fcmp_ballot",
        "DIFF",
        Decision::Unsigned,
        "Mesa's packer drops abs and neg, which the word has room for",
    ),
    (
        "fcmp_quad_ballot",
        "DIFF",
        Decision::Unsigned,
        "Mesa's packer drops abs and neg, which the word has room for",
    ),
    ("quad_prefix", "DIFF", Decision::Operands, "scans that applegpu has no name for: the regular pattern"),
    ("simd_prefix", "DIFF", Decision::Operands, "scans that applegpu has no name for: the regular pattern"),
    ("stack_adjust", "-", Decision::Renamed, "applegpu's stack_store comes first and hides it"),
    ("texture_sample", "length", Decision::Operands, "Mesa's level mode 13, on which applegpu asserts"),
    ("doorbell", "length", Decision::Renamed, "Mesa's is a jmp_if_skipping_doorbell and a doorbell"),
    ("stack_get_ptr", "-", Decision::Renamed, "applegpu's stack_load comes first and hides it"),
];

/// A row: length, text or the decision on it, operands, and our text back.
pub(super) fn row(row: &Row<'_>) -> Result<(), Miss> {
    let [opcode, operands, word, length, text, verdict, beyond] = row.columns()?;
    let code = bytes(word)?;
    if code.len().to_string() != length {
        return Err(format!("the word has {} bytes, not {length}", code.len()).into());
    }
    let insts = instructions(&code)?;
    for inst in &insts {
        decode::comes_back(inst)?;
    }
    let class = verdict.split(':').next().unwrap_or(verdict);
    let decided = DECIDED.iter().find(|d| d.0 == opcode && d.1 == class).map(|d| d.2);
    match (decided, &insts[..]) {
        (Some(Decision::Renamed), _) => return renamed(opcode, &insts, operands),
        (None, [inst]) => {
            same_text(inst, text)?;
            same_bits(inst, beyond)?;
        }
        (Some(_), [_]) => {}
        _ => return Err(format!("{} instructions", insts.len()).into()),
    }
    if class != "-" && class != "length" {
        same_operands(&insts[0], operands, decided == Some(Decision::Unsigned))?;
    }
    Ok(())
}

fn instructions(code: &[u8]) -> Result<Vec<Inst>, String> {
    let (mut at, mut insts) = (0, Vec::new());
    while at < code.len() {
        let inst = isa(0).decode(&code[at..]).map_err(|e| e.to_string())?;
        at += usize::from(inst.length);
        insts.push(inst);
    }
    Ok(insts)
}

fn same_text(inst: &Inst, want: &str) -> Result<(), Miss> {
    let text = decode::text(inst, APPLEGPU);
    if text == want { Ok(()) } else { Err(format!("`{text}` instead of applegpu's `{want}`").into()) }
}

/// Bits that applegpu has no field for: ours either, but for those that Mesa explains.
fn same_bits(inst: &Inst, want: &str) -> Result<(), Miss> {
    let parts = isa(0).parts(inst);
    let known = ["value", "ec"];
    let bits =
        |name: &&str| parts.iter().find(|p| p.name == **name).map_or(0, |p| p.bits.scatter(p.raw).0[0]);
    let found: u64 = known.iter().map(bits).fold(0, |all, b| all | b);
    let found = format!("{found:#x}");
    if found == want { Ok(()) } else { Err(format!("bits without a meaning are {found}, not {want}").into()) }
}

/// The instructions are these, with these numbers in them.
fn renamed(opcode: &str, insts: &[Inst], operands: &str) -> Result<(), Miss> {
    let number =
        |key: &str| operands.split([' ', '=']).skip_while(|w| *w != key).nth(1).unwrap_or("").to_owned();
    let want = match opcode {
        "stack_adjust" => format!("stack_adjust {}", number("stack")),
        "doorbell" => format!("jmp_if_skipping_doorbell pc+6; doorbell {}", number("imm")),
        _ => String::new(),
    };
    let found: Vec<String> = insts.iter().map(|inst| decode::text(inst, 0)).collect();
    let found = found.join("; ");
    if found == want { Ok(()) } else { Err(format!("`{found}` instead of `{want}`").into()) }
}

/// Mesa's operands in their order: results, then sources.
fn same_operands(inst: &Inst, operands: &str, unsigned: bool) -> Result<(), Miss> {
    let names = ["D", "R", "A", "B", "C", "X", "Y", "src"];
    let here = isa(0).form(inst).format.fields;
    let name = isa(0).form(inst).operation.name;
    let sums = matches!(name, "iadd" | "isub" | "imadd" | "imsub");
    let ours: Vec<Reg> = names
        .iter()
        .filter(|name| here.iter().any(|f| f.name == **name && !f.view))
        .filter_map(|name| isa(0).value(inst, name, &isa(0).cx())?.reg())
        .collect();
    let wanted = operands.split(' ').filter_map(|word| {
        let result = word.strip_prefix("d=").map(|text| (text, false));
        result.or(word.strip_prefix("s=").map(|text| (text, sums)))
    });
    // The first source of a conversion is its mode; of a run, Mesa names the first register.
    let run = here.iter().any(|f| f.name == "R");
    let modes = usize::from(name == "convert");
    let wanted = wanted.enumerate().filter(|(n, _)| modes == 0 || *n != 1).map(|(_, want)| want);
    let checked = if run { 1 } else { ours.len() };
    for ((want, extends), ours) in wanted.zip(&ours).take(checked) {
        let ours = Reg { more: if run { 0 } else { ours.more }, ..*ours };
        let Some(mut reg) = operand(want, extends) else { continue };
        if unsigned {
            reg.mods &= !(mods::ABS | mods::NEG);
        }
        // A negated last source of a sum is another operation; immediates keep no hints.
        if sums {
            reg.mods &= !mods::NEG;
        }
        if reg != ours {
            return Err(format!("{want} became {ours:?}").into());
        }
    }
    Ok(())
}

/// `r32:60ca`: file and size, half number or number, hints and signs.
fn operand(text: &str, extends: bool) -> Option<Reg> {
    let (place, rest) = text.split_once(':')?;
    let digits = rest.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let (index, flags) = (digits.parse().ok()?, &rest[digits.len()..]);
    let file = match place.get(..1)? {
        "r" => file::GPR,
        "u" => file::UNIFORM,
        _ => file::IMMEDIATE,
    };
    let size = match &place[1..] {
        _ if file == file::IMMEDIATE => 0,
        "16" => size::HALF,
        "32" => size::WORD,
        _ => size::LONG,
    };
    let flag = |letter: char, bit: u16| if flags.contains(letter) { bit } else { 0 };
    let signed = match extends {
        // For integers the letter says that the source is not sign-extended.
        true if file != file::IMMEDIATE && size != size::LONG && !flags.contains('a') => mods::EXTEND,
        true => 0,
        false => flag('a', mods::ABS),
    };
    let mods = flag('c', mods::CACHE) | flag('d', mods::DISCARD) | flag('n', mods::NEG) | signed;
    Some(Reg { file, size, index, mods, ..Reg::default() })
}
