//! Textures, images, varyings, coverage (spec 9, 10.2).

use chiaro_isa::{Reg, Value};
use chiaro_mach::{Operand, What};

use super::field::{Fields, int, place, run};
use crate::compile::code::{COEFFICIENT, Modifiers, SAMPLER, STATE, TextureModifiers};
use crate::compile::finish::line::Line;
use crate::isa::graphics::Graphics;
use crate::isa::texture::Texture;
use crate::regs::{file, size};

/// Of all reads, and of those of images that are written, too (spec 9.1).
const READ: u8 = 0b1100;
const READ_WRITTEN: u8 = 0b1101;

/// The shape of layers of several samples.
const SAMPLED_LAYERS: u8 = 8;

/// No operand.
const NOTHING: Value =
    Value::Reg(Reg { file: file::NONE, size: 0, more: 0, indexed: 0, index: 0, mods: 0, swizzle: 0 });

/// A numbered register of some file, or a general one.
fn numbered(operand: &Operand) -> Value {
    let of = |file: u8, index: u32| {
        Value::Reg(Reg { file, size: size::WORD, index: index as u16, ..Reg::default() })
    };
    match (operand.what, operand.file) {
        (What::Slot(n), COEFFICIENT) => of(file::COEFFICIENT, n),
        (What::Slot(n), STATE) => of(file::TEXTURE, n),
        (What::Slot(n), SAMPLER) => of(file::SAMPLER, n),
        _ => place(operand),
    }
}

/// Registers as words if there is an even number of halves, else as halves.
fn halves(operand: &Operand) -> Value {
    let count = if operand.size.is_multiple_of(2) { operand.size / 2 } else { operand.size };
    run(operand, count as u8)
}

/// Coordinates: of layers of several samples the operand ends with the half of the sample, behind which the machine
/// finds the layer.
fn coordinates(operand: &Operand, shape: u8) -> Value {
    match halves(operand) {
        Value::Reg(r) if shape == SAMPLED_LAYERS && r.size == size::WORD => {
            Value::Reg(Reg { size: size::HALF, more: 4, ..r })
        }
        other => other,
    }
}

/// The uniforms that hold the base of descriptors.
fn base(t: &TextureModifiers) -> Value {
    match t.base.checked_sub(1) {
        Some(n) => Value::Reg(Reg {
            file: file::UNIFORM,
            size: size::LONG,
            index: 4 * u16::from(n),
            ..Reg::default()
        }),
        None => NOTHING,
    }
}

pub(super) fn texture(op: Texture, line: &Line, fields: &mut Fields) {
    let (m, t) = (&line.modifiers, &line.modifiers.texture);
    fields.extend([("n", int(t.shape)), ("U", base(t))]);
    if op == Texture::ImageWrite {
        fields.push(("R", run(&line.uses[0], 4)));
        fields.extend([("C", halves(&line.uses[1])), ("T", numbered(&line.uses[2]))]);
        let numbers = [("D", 0), ("round", 0), ("u1", 1), ("u2", 0), ("u3", 9), ("u5", 0)];
        fields.extend(numbers.map(|(name, n)| (name, Value::Int(n))));
        return;
    }
    fields.extend([("compare", int(t.compare)), ("mode", int(if t.query { 2u8 } else { 0 }))]);
    fields.extend([("q3", int(if t.written { READ_WRITTEN } else { READ })), ("slot", int(m.slot))]);
    fields.extend([("q6", int(t.gather)), ("mask", int(m.mask)), ("kill", int(0u8)), ("lod", int(t.level))]);
    fields.push(("R", run(&line.defs[0], m.mask.count_ones() as u8)));
    fields.extend([
        ("C", coordinates(&line.uses[0], t.shape)),
        ("T", numbered(&line.uses[1])),
        ("S", numbered(&line.uses[2])),
    ]);
    fields.extend([("D", level(&line.uses[3])), ("O", other(&line.uses[4]))]);
}

fn level(operand: &Operand) -> Value {
    match operand.what {
        What::Imm(n) => Value::Int(n as i64),
        What::Slot(_) => place(operand),
        _ => halves(operand),
    }
}

/// Reference, offset, or both: then the offset stands behind the reference.
fn other(operand: &Operand) -> Value {
    if operand.what == What::Undef {
        return NOTHING;
    }
    match (place(operand), operand.size) {
        (Value::Reg(r), 3) => Value::Reg(Reg { size: size::WORD, swizzle: 1, ..r }),
        (value, _) => value,
    }
}

/// A number, or a half of a register.
fn number(operand: &Operand) -> Value {
    match operand.what {
        What::Imm(n) => Value::Int(n as i64),
        _ => place(operand),
    }
}

/// Data, byte in a sample, which samples; loads have a bit of their own (spec 9.4).
fn tile(m: &Modifiers, data: &Operand, others: &[Operand], fields: &mut Fields) {
    fields.extend([("F", int(m.format)), ("mask", int(m.mask))]);
    fields.push(("R", run(data, m.mask.count_ones() as u8)));
    fields.extend([("O", number(&others[0])), ("S", number(&others[1])), ("C", int(0u8))]);
}

pub(super) fn graphics(op: Graphics, line: &Line, fields: &mut Fields) {
    use Graphics as G;
    let m = &line.modifiers;
    match op {
        G::StVar | G::StVarFinal => {
            fields.extend([("u", int(1u8)), ("r", place(&line.uses[0])), ("I", number(&line.uses[1]))]);
        }
        G::SampleMask => fields.extend([("S", number(&line.uses[0])), ("M", number(&line.uses[1]))]),
        G::ZsEmit => {
            let Value::Reg(data) = place(&line.uses[1]) else { return };
            // A depth has two halves, a stencil one.
            let (size, more) = match line.uses[1].size {
                2 => (size::WORD, 0),
                n => (size::HALF, n.saturating_sub(1) as u8),
            };
            fields.extend([("S", number(&line.uses[0])), ("T", Value::Reg(Reg { size, more, ..data }))]);
            fields.push(("u0", int(0u8)));
        }
        G::LdTile => {
            tile(m, &line.defs[0], &line.uses, fields);
            fields.push(("u0", int(1u8)));
        }
        G::StTile => {
            tile(m, &line.uses[0], &line.uses[1..], fields);
            fields.push(("u0", int(0u8)));
        }
        G::WaitPix | G::SignalPix => fields.extend([("i", number(&line.uses[0])), ("j", int(0u8))]),
        G::Ldcf => {
            fields.extend([("count", int(m.mask)), ("I", numbered(&line.uses[0]))]);
            fields.push(("D", run(&line.defs[0], (line.defs[0].size / 2) as u8)));
        }
        G::Iter | G::Iterproj => {
            fields.extend([("count", int(m.mask)), ("interpolation", int(m.mode))]);
            fields.extend([
                ("I", numbered(&line.uses[0])),
                ("D", run(&line.defs[0], (line.defs[0].size / 2) as u8)),
            ]);
            let mut rest = line.uses[1..].iter();
            if op == G::Iterproj {
                fields.extend(rest.next().map(|used| ("J", numbered(used))));
            }
            fields.push(("S", rest.next().map_or(NOTHING, number)));
        }
        _ => {}
    }
}
