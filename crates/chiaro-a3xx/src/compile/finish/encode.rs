//! A line as a word, by the rows of the instruction set.

use chiaro_isa::{Reg, Value};
use chiaro_mach::{Operand, What};

use super::line::{Line, signs};
use crate::compile::code::{ADDRESS, HALF, NOT, PREDICATE, RELATIVE, TABLE, is_local, types};
use crate::isa::{Op, a3xx, category, is_comparison};
use crate::operand::HALF_FLOAT;
use crate::regs::{self, file, mods, size};

/// The word of line number `at`.
///
/// # Errors
/// No row holds the operands.
pub(super) fn encode(line: &Line<'_>, at: usize) -> Result<u64, String> {
    let mut fields: Vec<(&str, Value)> = Vec::with_capacity(12);
    let flag = |on: bool| Value::Int(on.into());
    for (name, on) in [("sy", line.sy), ("ss", line.ss), ("jp", line.jp), ("ul", line.ul)] {
        if on {
            fields.push((name, flag(on)));
        }
    }
    let m = &line.modifiers;
    if m.repeat > 0 {
        fields.push(("repeat", Value::Int(m.repeat.into())));
    }
    match category(line.op) {
        0 => flow(line, at, &mut fields),
        1 => copy(line, &mut fields),
        5 => texture(line, &mut fields),
        6 if matches!(line.op, Op::Ldg | Op::Ldl | Op::Ldp | Op::Stg | Op::Stl | Op::Stp) => {
            memory(line, &mut fields);
        }
        6 => shared(line, &mut fields),
        7 => {
            let flags: &[&str] = if line.op == Op::Bar { &["g", "l"] } else { &["g", "l", "r", "w"] };
            fields.extend(flags.iter().map(|name| (*name, flag(true))));
        }
        kind => {
            if m.saturate {
                fields.push(("sat", flag(true)));
            }
            if m.last_input {
                fields.push(("ei", flag(true)));
            }
            if is_comparison(line.op) {
                fields.push(("cond", Value::Int(m.condition.into())));
            }
            let half = line.uses.iter().any(|used| used.file == HALF);
            fields.push(("dst", register(&line.defs[0])));
            let names: &[&str] = if kind == 4 { &["src"] } else { &["src1", "src2", "src3"] };
            let sources = line.uses.iter().filter(|used| !(used.file == ADDRESS && used.in_file()));
            fields.extend(names.iter().copied().zip(sources.map(|used| source(used, half))));
        }
    }
    let isa = a3xx();
    let encoded = isa.encode_op(line.op as u16, &fields, &isa.cx());
    encoded.map(|inst| inst.word.0[0]).map_err(|why| format!("{:?} cannot be encoded: {why:?}", line.op))
}

fn flow(line: &Line<'_>, at: usize, fields: &mut Vec<(&str, Value)>) {
    if let Some(used) = line.uses.iter().find(|used| used.file == PREDICATE && used.in_file()) {
        let mods = if used.bits & NOT != 0 { mods::NOT } else { 0 };
        fields.push((
            "p",
            Value::Reg(Reg { file: file::PREDICATE, index: used.reg.unwrap_or(0), mods, ..Reg::default() }),
        ));
    }
    if let Some(to) = line.target {
        fields.push(("target", Value::Int(to as i64 - at as i64)));
    }
}

fn copy(line: &Line<'_>, fields: &mut Vec<(&str, Value)>) {
    let m = &line.modifiers;
    if m.round != 0 {
        fields.push(("round", Value::Int(m.round.into())));
    }
    let from = &line.uses[0];
    if line.op != Op::Mova {
        fields.push(("types", Value::Int(i64::from(m.types.0) << 3 | i64::from(m.types.1))));
        fields.push(("dst", register(&line.defs[0])));
    }
    fields.push(match from.what {
        What::Imm(bits) if m.types.1 == types::F16 => {
            ("src", Value::Int(HALF_FLOAT | i64::from(bits as u16)))
        }
        What::Imm(bits) => ("src", Value::Int(i64::from(bits as u32))),
        _ => ("src", source(from, from.file == HALF)),
    });
}

fn texture(line: &Line<'_>, fields: &mut Vec<(&str, Value)>) {
    let t = &line.modifiers.texture;
    let letters = [("solid", t.solid), ("array", t.array), ("project", t.project), ("shadow", t.shadow)];
    fields.extend(letters.into_iter().filter(|(_, on)| *on).map(|(name, _)| (name, Value::Int(1))));
    let has_level = matches!(line.op, Op::Isaml | Op::Samb | Op::Saml);
    if t.offsets && has_level {
        fields.push(("offsets", Value::Int(1)));
    }
    fields.push(("type", Value::Int(t.kind.into())));
    fields.push(("mask", Value::Int(t.mask.into())));
    let number = i64::from(t.number);
    match line.op {
        Op::Dsx | Op::Dsy => {}
        Op::Getsize | Op::Getinfo => fields.push(("which", Value::Int(number))),
        _ => fields.push(("which", Value::Int(number << 4 | number))),
    }
    let sources = line.uses.iter().map(register);
    fields.extend(["src", "src2"].into_iter().zip(sources));
    fields.push(("dst", register(&line.defs[0])));
}

fn memory(line: &Line<'_>, fields: &mut Vec<(&str, Value)>) {
    let m = &line.modifiers;
    fields.push(("type", Value::Int(m.types.1.into())));
    fields.push(("off", Value::Int(m.offset.into())));
    let (data, address) = match line.defs.first() {
        Some(def) => (def, &line.uses[0]),
        None => (&line.uses[1], &line.uses[0]),
    };
    fields.push(("n", Value::Int(data.size.into())));
    match line.defs.is_empty() {
        true => fields.extend([("dst", register(address)), ("src", register(data))]),
        false => fields.extend([("dst", register(data)), ("src", register(address))]),
    }
}

/// Buffers by number, and atomics: untyped, one dimension.
fn shared(line: &Line<'_>, fields: &mut Vec<(&str, Value)>) {
    let m = &line.modifiers;
    let data = if line.op == Op::Stgb { &line.uses[0] } else { &line.defs[0] };
    let (shape, parts) = (1, i64::from(data.size));
    let numbers = [("typed", 0), ("shape", shape), ("type", m.types.1.into()), ("parts", parts)];
    fields.extend(numbers.map(|(name, n)| (name, Value::Int(n))));
    fields.extend(line.defs.iter().map(|def| ("dst", register(def))));
    if !is_local(line.op) {
        fields.push(("ssbo", Value::Int(m.texture.number.into())));
    }
    fields.extend(["src1", "src2", "src3"].into_iter().zip(line.uses.iter().map(register)));
}

/// A register by its number in words.
fn register(operand: &Operand) -> Value {
    let unit = operand.reg.unwrap_or(0);
    let (index, size) = match operand.file {
        ADDRESS => (regs::A0, size::HALF),
        PREDICATE => (regs::P0 + unit, size::FULL),
        HALF => (unit, size::HALF),
        _ => (unit, size::FULL),
    };
    Value::Reg(Reg { file: file::GPR, size, index, ..Reg::default() })
}

/// A source with its signs.
fn source(operand: &Operand, half: bool) -> Value {
    let size = if half { size::HALF } else { size::FULL };
    let mods = signs(operand);
    let place = |file: u8, index: u16| Value::Reg(Reg { file, size, index, mods, ..Reg::default() });
    match operand.what {
        What::Imm(entry) if operand.bits & TABLE != 0 => place(file::TABLE, entry as u16),
        What::Imm(bits) => place(file::IMMEDIATE, bits as u16),
        What::Slot(offset) if operand.bits & RELATIVE != 0 => Value::Reg(Reg {
            file: file::RELATIVE_CONST,
            size,
            index: offset as u16,
            mods,
            indexed: 1,
            ..Reg::default()
        }),
        What::Slot(slot) => place(file::CONST, slot as u16),
        _ => place(file::GPR, operand.reg.unwrap_or(0)),
    }
}
