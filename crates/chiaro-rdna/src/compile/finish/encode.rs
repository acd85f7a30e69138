//! Lines as words, by the rows of the instruction set.

use chiaro_diag::{Diagnostic, Span};
use chiaro_isa::{Cx, Isa, Reg, Value};
use chiaro_mach::{Operand, What};

use super::insert::Inserted;
use super::line::Line;
use crate::compile::code::{Modifiers, SIGNS, VECTOR, flag, is_counted};
use crate::isa::mimg::Mimg;
use crate::isa::sop2::Sop2;
use crate::isa::sopp::Sopp;
use crate::isa::vop2::Vop2;
use crate::isa::vop3::Vop3;
use crate::isa::vop3p::Vop3p;
use crate::isa::{Op, isa};
use crate::operand::dpp::WHOLE;
use crate::regs::{self, code, file};

type Fields = Vec<(&'static str, Value)>;

/// The source text of each instruction, by its first byte.
type Spans = Vec<(u32, Option<Span>)>;

/// A distance that takes a literal.
const FAR: u32 = 1 << 16;
/// `s_nop 0`.
const NOTHING: u32 = 0xbf80_0000;

/// Words of a program whose branches lead nowhere yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    code: Vec<u8>,
    /// The first byte of each line, and the end.
    pub(super) starts: Vec<u32>,
}

/// Lines as words, which have the room that they will need.
///
/// # Errors
/// No row holds the operands of a line.
pub(super) fn words(lines: &[Line], wave: u8) -> Result<Words, String> {
    let isa = isa(wave);
    let (mut code, mut fields) = (Vec::with_capacity(8 * lines.len()), Fields::with_capacity(10));
    let mut starts = Vec::with_capacity(lines.len() + 1);
    for line in lines {
        starts.push(code.len() as u32);
        word(isa, line, (0, if line.distance.is_some() { FAR } else { 4 }), &mut fields, &mut code)?;
    }
    starts.push(code.len() as u32);
    Ok(Words { code, starts })
}

impl Words {
    /// Puts the words of lines between those of others, in the order of their places.
    ///
    /// # Errors
    /// As [`words`].
    pub(super) fn insert(&mut self, inserted: &[Inserted], wave: u8) -> Result<(), String> {
        let (isa, old, mut fields) = (isa(wave), std::mem::take(self), Fields::new());
        let mut next = inserted.iter().peekable();
        for (n, ends) in old.starts.windows(2).enumerate() {
            while let Some(new) = next.next_if(|new| new.before == n) {
                self.starts.push(self.code.len() as u32);
                word(isa, &new.line, (0, 4), &mut fields, &mut self.code)?;
            }
            self.starts.push(self.code.len() as u32);
            self.code.extend_from_slice(&old.code[ends[0] as usize..ends[1] as usize]);
        }
        self.starts.push(self.code.len() as u32);
        Ok(())
    }
}

/// Leads all branches to their lines.
///
/// # Errors
/// A branch is too far.
pub(super) fn lead(words: Words, lines: &[Line], wave: u8) -> Result<(Vec<u8>, Spans), Box<Diagnostic>> {
    let (isa, Words { mut code, starts }) = (isa(wave), words);
    let mut fields = Fields::with_capacity(10);
    for (n, line) in lines.iter().enumerate() {
        let Some(target) = line.target else { continue };
        let (room, mut own) = (starts[n] as usize..starts[n + 1] as usize, Vec::new());
        reach(line, starts[n], starts[target])?;
        let made = word(isa, line, (starts[n], starts[target]), &mut fields, &mut own);
        made.map_err(|why| Box::new(Diagnostic::mistake(why)))?;
        // What is near takes a short form; its room is kept.
        while own.len() < room.len() {
            own.extend_from_slice(&NOTHING.to_le_bytes());
        }
        code[room].copy_from_slice(&own);
    }
    let spans = lines.iter().zip(&starts).map(|(line, &start)| (start, line.span)).collect();
    Ok((code, spans))
}

/// A branch counts words with 16 bits (spec section 12.3).
fn reach(line: &Line, from: u32, to: u32) -> Result<(), Box<Diagnostic>> {
    let words = (i64::from(to) - i64::from(from) - 4) / 4;
    if line.distance.is_some() || i16::try_from(words).is_ok() {
        return Ok(());
    }
    let most = i16::MAX;
    let message = format!("a branch goes over {} words of code, {most} are allowed", words.unsigned_abs());
    let help = "do less in a loop or an if, or keep parts of it functions: `-m callable=NAME`";
    Err(Box::new(Diagnostic::error(line.span, message).help(help)))
}

/// Adds the bytes of a line at an address; a branch leads to another. One list of fields serves all lines.
fn word(
    isa: &Isa,
    line: &Line,
    (address, target): (u32, u32),
    fields: &mut Fields,
    code: &mut Vec<u8>,
) -> Result<(), String> {
    fields.clear();
    operands(line, fields);
    if line.distance.is_some() {
        // What a linker fills in is a literal, however near.
        let bits = if line.target.is_some() { distance(line.op, address, target) } else { FAR };
        fields.retain(|(name, _)| *name != "ssrc1");
        fields.push(("ssrc1", Value::Int(bits.into())));
    }
    modifiers(line, target, fields);
    let cx = Cx { address: address.into(), ..isa.cx() };
    let encoded = isa.encode_op(line.op.row(), fields, &cx);
    let inst = encoded.map_err(|why| format!("{:?} cannot be encoded: {why:?}, {fields:?}", line.op))?;
    code.extend_from_slice(&inst.word.to_bytes()[..usize::from(inst.length)]);
    Ok(())
}

/// A half of a distance; that of the low half counts from its own instruction, which follows `s_getpc_b64`.
fn distance(op: Op, address: u32, target: u32) -> u32 {
    match op {
        Op::Sop2(Sop2::AddU32) => target.wrapping_sub(address),
        _ if target < address => u32::MAX,
        _ => 0,
    }
}

/// Names of the fields of operands: what is written, what is read.
fn names(op: Op) -> [&'static [&'static str]; 2] {
    match op {
        Op::Sop1(_) | Op::Sop2(_) => [&["sdst"], &["ssrc0", "ssrc1"]],
        Op::Sopc(_) => [&[], &["ssrc0", "ssrc1"]],
        Op::Sopk(_) => [&["sdst"], &["sdst"]],
        Op::Smem(_) => [&["sdata"], &["sbase"]],
        Op::Vopc(_) => [&["sdst"], &["src0", "src1"]],
        Op::Mubuf(_) => [&["vdata"], &["vaddr", "srsrc", "soffset", "vdata"]],
        Op::Ds(_) => [&["vdst"], &["addr", "data0", "data1"]],
        Op::Scratch(_) | Op::Global(_) => [&["vdst"], &["saddr", "vaddr", "data"]],
        Op::Vop3(Vop3::WritelaneB32) => [&["vdst"], &["src0", "src1"]],
        Op::Vop1(crate::isa::vop1::Vop1::SwapB32) => [&["vdst", "src0"], &[]],
        _ => [&["vdst", "sdst"], &["src0", "src1", "src2"]],
    }
}

fn operands(line: &Line, fields: &mut Fields) {
    let [defs, uses] = names(line.op);
    // Words name the first register that is counted from.
    let is_first = is_counted(line.op);
    let value = |operand: &Operand| if is_first { value(&operand.part(0, 1)) } else { value(operand) };
    fields.extend(defs.iter().copied().zip(line.defs.iter().map(value)));
    match line.op {
        Op::Smem(_) => return scalar_memory(line, fields),
        Op::Mimg(_) => return image(line, fields),
        _ => {}
    }
    // What lanes without a source keep has no field.
    let count =
        line.uses.len() - usize::from(line.modifiers.has(flag::DPP) && !line.modifiers.has(flag::BOUND));
    for (&name, used) in uses.iter().zip(&line.uses[..count]) {
        if fields.iter().all(|(other, _)| *other != name) {
            fields.push((name, value(used)));
        }
    }
}

/// Descriptors, data, addresses: in a row, or as a list (spec section 4).
fn image(line: &Line, fields: &mut Fields) {
    fields.clear();
    fields.extend(line.defs.first().map(|def| ("vdata", value(def))));
    let (scalars, vectors): (Vec<&Operand>, Vec<&Operand>) =
        line.uses.iter().partition(|used| used.file != VECTOR && used.in_file());
    fields.extend(["srsrc", "ssamp"].into_iter().zip(scalars.iter().map(|used| value(used))));
    let has_data = line.defs.is_empty() || vectors.first().is_some_and(|used| used.tied.is_some());
    let (data, addresses) = vectors.split_at(usize::from(has_data));
    if fields.iter().all(|(name, _)| *name != "vdata") {
        fields.extend(data.first().map(|used| ("vdata", value(used))));
    }
    let unit = |used: &&Operand| used.reg.unwrap_or(0);
    let is_row = addresses.windows(2).all(|two| unit(&two[0]) + 1 == unit(&two[1]));
    match addresses.first() {
        Some(first) if is_row => {
            let run = regs::run(file::VGPR, unit(first), addresses.len() as u8);
            fields.push(("vaddr", Value::Reg(run)));
        }
        _ => fields.extend(ADDRESSES.into_iter().zip(addresses.iter().map(|used| value(used)))),
    }
}

/// Fields of addresses that stand alone.
const ADDRESSES: [&str; 13] =
    ["a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "a10", "a11", "a12"];

fn scalar_memory(line: &Line, fields: &mut Fields) {
    let bytes = line.modifiers.number;
    fields.extend(line.uses.first().map(|base| ("sbase", value(base))));
    let offset = match line.uses.get(1).and_then(|step| step.reg) {
        Some(unit) => {
            let bytes = bytes as u32;
            Value::Reg(Reg { swizzle: bytes as u16, mods: (bytes >> 16 & 0x1f) as u16, ..regs::sgpr(unit) })
        }
        None if bytes == 0 => Value::Reg(regs::sgpr(code::NULL)),
        None => Value::Int(bytes.into()),
    };
    fields.push(("soffset", offset));
}

fn modifiers(line: &Line, target: u32, fields: &mut Fields) {
    let m: &Modifiers = &line.modifiers;
    let mut flags = |list: &[(&'static str, u16)]| {
        for (name, bit) in list {
            if m.has(*bit) {
                fields.push((name, Value::Int(1)));
            }
        }
    };
    match line.op {
        Op::Sopp(_) | Op::Sopk(_) if line.target.is_some() || line.callee.is_some() => {
            fields.push(("simm16", Value::Int(target.into())));
        }
        Op::Sopp(Sopp::Waitcnt | Sopp::Clause | Sopp::InstPrefetch | Sopp::Trap) => {
            fields.push(("simm16", Value::Int(m.number.into())));
        }
        Op::Sopk(_) => fields.push(("simm16", Value::Int(m.number.into()))),
        Op::Mubuf(_) | Op::Scratch(_) | Op::Global(_) => {
            flags(&[("glc", flag::GLC), ("dlc", flag::DLC), ("offen", flag::OFFEN), ("idxen", flag::IDXEN)]);
            if m.number != 0 {
                fields.push(("offset", Value::Int(m.number.into())));
            }
        }
        // Its words have nothing to choose.
        Op::Mimg(Mimg::Bvh64IntersectRay) => {}
        Op::Mimg(_) => {
            flags(&[("glc", flag::GLC), ("unorm", flag::UNORM)]);
            fields.push(("dmask", Value::Int(m.components.into())));
            fields.push(("dim", Value::Int(m.shape.into())));
        }
        Op::Ds(_) if m.has(flag::TWO) => {
            fields.push(("offset0", Value::Int((m.number & 0xff).into())));
            fields.push(("offset1", Value::Int((m.number >> 8 & 0xff).into())));
        }
        Op::Ds(_) if m.number != 0 => fields.push(("offset", Value::Int(m.number.into()))),
        Op::Vop2(Vop2::FmaakF32 | Vop2::FmamkF32) => {
            fields.push(("k", Value::Int(i64::from(m.number as u32))));
        }
        Op::Vop1(_) | Op::Vop2(_) if m.has(flag::DPP) => {
            flags(&[("bound_ctrl", flag::BOUND)]);
            let [pattern, rows] = m.lanes();
            let all = [("dpp_ctrl", pattern), ("row_mask", rows), ("bank_mask", 15)];
            fields.extend(all.map(|(name, number)| (name, Value::Int(number.into()))));
        }
        Op::Vop1(_) | Op::Vop2(_) if m.has(flag::SDWA) => {
            let [first, second] = m.parts();
            let all = [("src0_sel", first), ("src1_sel", second), ("dst_sel", WHOLE)];
            let count = if matches!(line.op, Op::Vop1(_)) { [true, false, true] } else { [true; 3] };
            let chosen = all.into_iter().zip(count).filter(|(_, is_there)| *is_there);
            fields.extend(chosen.map(|((name, number), _)| (name, Value::Int(number.into()))));
        }
        Op::Vop3p(op) => packed(op, line, fields),
        _ => {
            flags(&[("clamp", flag::CLAMP)]);
            if m.scale != 0 {
                fields.push(("omod", Value::Int(m.scale.into())));
            }
        }
    }
}

/// Which halves a packed operation reads, and which it negates.
fn packed(op: Vop3p, line: &Line, fields: &mut Fields) {
    let m = &line.modifiers;
    let is_mixed = matches!(op, Vop3p::FmaMixF32 | Vop3p::FmaMixloF16 | Vop3p::FmaMixhiF16);
    let sources = if line.uses.len() == 3 { 7 } else { 3 };
    let [selected, upper] = m.parts();
    let upper = if is_mixed { upper } else { !upper } & sources;
    fields.push(("op_sel", Value::Int((selected & sources).into())));
    fields.push(("op_sel_hi", Value::Int(upper.into())));
    if m.components != 0 {
        fields.extend(["neg_lo", "neg_hi"].map(|name| (name, Value::Int(m.components.into()))));
    }
}

/// An operand as a field's value.
fn value(operand: &Operand) -> Value {
    if let What::Imm(bits) = operand.what {
        return Value::Int(bits as i64);
    }
    let unit = operand.reg.unwrap_or(0);
    let in_file = if operand.file == VECTOR { file::VGPR } else { file::SGPR };
    let mods = (operand.bits & SIGNS) as u16;
    Value::Reg(Reg { mods, ..regs::run(in_file, unit, operand.size as u8) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Op;

    /// A branch over so many other lines.
    fn over(count: usize) -> Result<(Vec<u8>, Spans), Box<Diagnostic>> {
        let line = |op| Line::new(Op::Sopp(op), Vec::new(), Vec::new());
        let mut lines = vec![Line { target: Some(count + 1), ..line(Sopp::Branch) }];
        lines.extend(vec![line(Sopp::Endpgm); count + 1]);
        lead(words(&lines, 32).expect("words"), &lines, 32)
    }

    #[test]
    fn branches_say_how_far_they_go() {
        assert!(over(0x7fff).is_ok());
        let far = over(0x8000).expect_err("too far");
        assert_eq!(far.message, "a branch goes over 32768 words of code, 32767 are allowed");
    }
}
