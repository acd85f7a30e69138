//! Lines as bytes, by the rows of the instruction set.

mod field;
mod lanes;
mod pixels;

use chiaro_diag::Span;
use chiaro_isa::{Isa, Reg, Value};
use chiaro_mach::{Operand, What};

use field::{Fields, int, place, run};

use super::line::Line;
use crate::compile::code::Modifiers;
use crate::isa::control::Control;
use crate::isa::float::Float;
use crate::isa::integer::Integer;
use crate::isa::memory::Memory;
use crate::isa::{Op, isa};
use crate::regs::{file, size};

/// A finished program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The code.
    pub bytes: Vec<u8>,
    /// Where each instruction begins, and its source text.
    pub spans: Vec<(u32, Option<Span>)>,
}

/// Makes bytes; jumps are filled in once it is known where lines begin.
pub(super) fn encode(lines: &[Line], generation: u8) -> Result<Program, String> {
    let isa = isa(generation);
    let (mut bytes, mut spans) = (Vec::new(), Vec::with_capacity(lines.len()));
    for line in lines {
        spans.push((bytes.len() as u32, line.span));
        let (word, length) = one(isa, line, 0)?;
        bytes.extend_from_slice(&word[..length]);
    }
    for (n, line) in lines.iter().enumerate() {
        let Some(target) = line.target else { continue };
        let at = spans[n].0 as usize;
        let to = spans.get(target).map_or(bytes.len(), |(at, _)| *at as usize);
        let (word, length) = one(isa, line, to as i64 - at as i64)?;
        bytes[at..at + length].copy_from_slice(&word[..length]);
    }
    Ok(Program { bytes, spans })
}

fn one(isa: &Isa, line: &Line, distance: i64) -> Result<([u8; chiaro_isa::WORD_BYTES], usize), String> {
    let mut fields: Fields = Vec::with_capacity(12);
    match line.op {
        Op::Integer(op) => integer(op, line, &mut fields),
        Op::Float(op) => float(op, line, &mut fields),
        Op::Control(op) => control(op, line, distance, &mut fields),
        Op::Memory(op) => memory(op, line, &mut fields),
        Op::Simd(op) => lanes::simd(op, line, &mut fields),
        Op::Texture(op) => pixels::texture(op, line, &mut fields),
        Op::Graphics(op) => pixels::graphics(op, line, &mut fields),
    }
    let made = isa.encode_op(line.op.row(), &fields, &isa.cx());
    let made = made.map_err(|why| format!("{:?} of {fields:?} cannot be encoded: {why:?}", line.op))?;
    Ok((made.to_bytes(), made.length.into()))
}

fn integer(op: Integer, line: &Line, fields: &mut Fields) {
    use Integer as I;
    let m = &line.modifiers;
    let sources = |fields: &mut Fields, names: &[&'static str]| {
        fields.extend(names.iter().copied().zip(line.uses.iter().map(place)));
    };
    fields.push(("D", place(&line.defs[0])));
    match op {
        I::MovImm => {
            let name = if line.defs[0].size == 1 { "imm16" } else { "imm32" };
            let What::Imm(bits) = line.uses[0].what else { return };
            let bits = if line.defs[0].size == 1 { bits & 0xffff } else { bits & 0xffff_ffff };
            fields.push((name, Value::Int(bits as i64)));
        }
        I::GetSr => fields.push(("SR", int(m.number))),
        I::Convert => {
            fields.extend([("mode", int(m.mode)), ("round", int(m.round))]);
            fields.push(("src", place(&line.uses[0])));
        }
        I::Icmpsel => {
            fields.push(("cc", int(m.condition)));
            select_sources(line, fields);
        }
        I::Bitop => {
            fields.push(("tt", int(m.table)));
            sources(fields, &["A", "B"]);
        }
        I::Iadd | I::Isub => {
            fields.push(("s", int(m.shift)));
            sources(fields, &["A", "B"]);
        }
        I::Imadd | I::Imsub => {
            fields.push(("s", int(m.shift)));
            sources(fields, &["A", "B", "C"]);
        }
        I::Bfi | I::Bfeil | I::Extr | I::Shlhi | I::Shrhi => {
            fields.push(("m", int(m.field)));
            sources(fields, &["A", "B", "C"]);
        }
        _ => sources(fields, &["A", "B"]),
    }
}

/// What a select compares, and what it moves: that has the size of the result.
fn select_sources(line: &Line, fields: &mut Fields) {
    fields.extend(["A", "B"].into_iter().zip(line.uses.iter().map(place)));
    let moved = line.uses[2..].iter().map(|used| match place(used) {
        Value::Reg(r) if r.file == file::IMMEDIATE => {
            Value::Reg(Reg { size: if line.defs[0].size == 1 { size::HALF } else { size::WORD }, ..r })
        }
        value => value,
    });
    fields.extend(["X", "Y"].into_iter().zip(moved));
}

fn float(op: Float, line: &Line, fields: &mut Fields) {
    fields.push(("D", place(&line.defs[0])));
    if op == Float::Fcmpsel {
        fields.push(("cc", int(line.modifiers.condition)));
        select_sources(line, fields);
        return;
    }
    if line.modifiers.saturate {
        fields.push(("S", int(true)));
    }
    fields.extend(["A", "B", "C"].into_iter().zip(line.uses.iter().map(place)));
}

fn control(op: Control, line: &Line, distance: i64, fields: &mut Fields) {
    use Control as C;
    let m = &line.modifiers;
    match op {
        C::JmpExecAny | C::JmpExecNone => fields.push(("off", Value::Int(distance))),
        C::PopExec | C::PushExec | C::ElseExec => fields.push(("n", int(m.levels))),
        C::IfIcmp | C::IfFcmp | C::ElseIcmp | C::ElseFcmp | C::WhileIcmp | C::WhileFcmp => {
            fields.extend([("cc", int(m.condition)), ("n", int(m.levels))]);
            fields.extend(["A", "B"].into_iter().zip(line.uses.iter().map(place)));
        }
        _ => {}
    }
}

/// An index: a number, or a register of so many halves.
fn index(operand: &Operand) -> Value {
    match operand.what {
        What::Imm(bits) => Value::Int(i64::from(bits as u16 as i16)),
        _ => place(operand),
    }
}

fn memory(op: Memory, line: &Line, fields: &mut Fields) {
    use Memory as M;
    let m = &line.modifiers;
    let count = m.mask.count_ones() as u8;
    let (data, others) = match line.defs.first() {
        Some(def) => (Some(def), line.uses.as_slice()),
        None => (line.uses.first(), line.uses.get(1..).unwrap_or_default()),
    };
    match op {
        M::Wait => fields.push(("i", int(m.slot))),
        M::MemoryBarrier => {
            fields.extend([("a", int(m.mode)), ("b", int(m.levels)), ("c", int(m.condition))]);
        }
        M::DeviceLoad | M::DeviceStore => {
            fields.extend([("g", int(m.slot)), ("s", int(m.shift)), ("Ou", int(m.unsigned))]);
            transfer(m, data, count, fields);
            fields.extend([("A", place(&others[0])), ("O", index(&others[1]))]);
        }
        M::ThreadgroupLoad | M::ThreadgroupStore => {
            transfer(m, data, count, fields);
            fields.extend([("A", shared(&others[0])), ("O", index(&others[1]))]);
        }
        M::StackLoad | M::StackStore => {
            transfer(m, data, count, fields);
            // Constants of section 8.6.
            fields.extend([("i1", int(1)), ("i2", int(0)), ("i5", int(4)), ("i6", int(m.slot))]);
            fields.push(("O", index(&others[0])));
        }
        M::StackAdjust => fields.push(("v", index(&line.uses[0]))),
        M::Atomic => {
            atomic(m, line, fields);
            fields.extend([("g", int(m.slot)), ("Ou", int(m.unsigned))]);
            fields.extend([("A", place(&line.uses[0])), ("O", index(&line.uses[1]))]);
            // Constants of section 8.4, as Mesa writes them.
            fields.extend([("u1", int(1)), ("u2", int(0)), ("u3", int(1)), ("u4", int(4)), ("u5", int(2))]);
        }
        M::ThreadgroupAtomic => {
            atomic(m, line, fields);
            fields.extend([("A", shared(&line.uses[0])), ("O", index(&line.uses[1]))]);
            fields.extend([("u1", int(0)), ("u3", int(2)), ("u4", int(0x80)), ("u5", int(0))]);
        }
        M::UniformStore => {
            transfer(m, data, count, fields);
            fields.extend([("unk", int(2)), ("b", int(0)), ("O", index(&others[0]))]);
        }
        _ => {}
    }
}

fn transfer(m: &Modifiers, data: Option<&Operand>, count: u8, fields: &mut Fields) {
    fields.extend([("F", int(m.format)), ("mask", int(m.mask))]);
    fields.extend(data.map(|data| ("R", run(data, count))));
}

/// Which operation, its result and operand; an exchange that compares has two of them.
fn atomic(m: &Modifiers, line: &Line, fields: &mut Fields) {
    fields.push(("code", int(m.mode)));
    let nothing = Value::Reg(Reg { file: file::NONE, ..Reg::default() });
    fields.push(("R", line.defs.first().map_or(nothing, place)));
    let operand = &line.uses[2];
    fields.push(("S", run(operand, (operand.size / 2) as u8)));
}

/// A base in the memory of the threadgroup.
fn shared(operand: &Operand) -> Value {
    match operand.what {
        What::Imm(0) => Value::Int(0),
        _ => place(operand),
    }
}
