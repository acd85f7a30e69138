//! `OpSpecConstantOp`: operations on constants, computed when the module is read.

use crate::error::{Res, fail};
use crate::reader::Reader;
use crate::type_info::TypeId;
use crate::words::Inst;
use chiaro_ir::{Constant, ConstantKind, Ty};
use spirv::Op;

/// The constant that `OpSpecConstantOp` makes.
pub(crate) fn operation(r: &mut Reader<'_>, ty: TypeId, inst: &Inst<'_>) -> Res<Constant> {
    let number = inst.word(2)?;
    let Some(op) = Op::from_u32(number) else { return fail(format!("opcode {number} is unknown")) };
    let ids = inst.rest(3);
    match op {
        Op::CompositeExtract => {
            let mut c = r.constant(inst.word(3)?)?;
            for &i in inst.rest(4) {
                c = r.constant_part(c, i)?;
            }
            Ok(c)
        }
        Op::CompositeInsert => {
            insert(r, r.constant(inst.word(4)?)?, r.constant(inst.word(3)?)?, inst.rest(5))
        }
        Op::VectorShuffle => shuffle(r, ty, inst),
        Op::Select => select(r, ty, ids),
        Op::CopyObject => r.constant(inst.word(3)?),
        _ => each_component(r, ty, op, ids),
    }
}

/// A composite with one part, at the end of a path, replaced.
fn insert(r: &mut Reader<'_>, composite: Constant, part: Constant, path: &[u32]) -> Res<Constant> {
    let Some((&at, rest)) = path.split_first() else { return Ok(part) };
    if rest.len() > 255 {
        return fail("types nest deeper than 255");
    }
    let ty = r.module.constants.ty(composite);
    let count = r.module.types.part_count(ty).unwrap_or(0);
    if at >= count || count > 1 << 12 {
        return fail("there is no such part");
    }
    let mut parts = Vec::new();
    for i in 0..count {
        parts.push(r.constant_part(composite, i)?);
    }
    parts[at as usize] = insert(r, parts[at as usize], part, rest)?;
    Ok(r.module.constants.intern(ty, ConstantKind::Composite(parts)))
}

fn shuffle(r: &mut Reader<'_>, ty: TypeId, inst: &Inst<'_>) -> Res<Constant> {
    let (a, b) = (r.constant(inst.word(3)?)?, r.constant(inst.word(4)?)?);
    let count = |c| u32::from(r.module.types.components(r.module.constants.ty(c)));
    let (of_a, of_b) = (count(a), count(b));
    let mut parts = Vec::new();
    for &i in inst.rest(5) {
        let part = match i {
            u32::MAX => r.constant_part(a, 0)?,
            i if i < of_a => r.constant_part(a, i)?,
            i if i - of_a < of_b => r.constant_part(b, i - of_a)?,
            _ => return fail("there is no such component"),
        };
        parts.push(part);
    }
    Ok(vector(r, ty, parts))
}

fn vector(r: &mut Reader<'_>, ty: TypeId, parts: Vec<Constant>) -> Constant {
    let ty = r.value_ty(ty);
    match parts[..] {
        [only] if r.module.types.components(ty) == 1 => only,
        _ => r.module.constants.intern(ty, ConstantKind::Composite(parts)),
    }
}

fn select(r: &mut Reader<'_>, ty: TypeId, ids: &[u32]) -> Res<Constant> {
    let [condition, yes, no] = *ids else { return fail("a selection has three operands") };
    let (c, yes, no) = (r.constant(condition)?, r.constant(yes)?, r.constant(no)?);
    if let Some(bits) = r.module.constants.bits(c)
        && r.module.types.components(r.module.constants.ty(c)) == 1
    {
        return Ok(if bits != 0 { yes } else { no });
    }
    let mut parts = Vec::new();
    for i in 0..u32::from(r.module.types.components(r.value_ty(ty))) {
        let condition = r.constant_part(c, i)?;
        let from = if r.module.constants.bits(condition) == Some(0) { no } else { yes };
        parts.push(r.constant_part(from, i)?);
    }
    Ok(vector(r, ty, parts))
}

/// An operation that treats every component by itself.
fn each_component(r: &mut Reader<'_>, ty: TypeId, op: Op, ids: &[u32]) -> Res<Constant> {
    if ids.is_empty() || ids.len() > 3 {
        return fail(format!("Op{op:?} on constants is not supported"));
    }
    let result = r.value_ty(ty);
    let (n, scalar) = (r.module.types.components(result), r.module.types.scalar(result));
    let mut parts = Vec::new();
    for i in 0..u32::from(n) {
        let mut operands = Vec::new();
        for &id in ids {
            let c = r.constant(id)?;
            let c = if n == 1 { c } else { r.constant_part(c, i)? };
            operands.push(operand(r, c)?);
        }
        let Some(bits) = compute(op, &operands, width(r, scalar)) else {
            return fail(format!("Op{op:?} on constants is not supported"));
        };
        parts.push(r.scalar_of(scalar, bits)?);
    }
    if parts.is_empty() {
        return fail("a scalar or a vector is expected");
    }
    Ok(vector(r, ty, parts))
}

/// A scalar's bits and width.
fn operand(r: &Reader<'_>, c: Constant) -> Res<(u64, u32)> {
    let ty = r.module.constants.ty(c);
    match r.module.constants.get(c) {
        ConstantKind::Scalar(bits) => Ok((*bits, width(r, ty))),
        // An undefined value is any value.
        ConstantKind::Zero | ConstantKind::Undef => Ok((0, width(r, ty))),
        _ => fail("a scalar constant is expected"),
    }
}

fn width(r: &Reader<'_>, scalar: Ty) -> u32 {
    r.module.types.bits(scalar).map_or(32, u32::from)
}

/// The bits as a signed number.
fn signed((bits, width): (u64, u32)) -> i64 {
    let up = 64 - width.clamp(1, 64);
    ((bits << up) as i64) >> up
}

/// The bits as a float.
fn float((bits, width): (u64, u32)) -> f64 {
    match width {
        16 => chiaro_num::F16.decode(bits as u32),
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// The result's bits; the caller cuts them to the result's width.
fn compute(op: Op, operands: &[(u64, u32)], width: u32) -> Option<u64> {
    let &(a, wide) = operands.first()?;
    let s = signed((a, wide));
    if let [_] = operands {
        return Some(match op {
            Op::UConvert | Op::Bitcast => a,
            Op::SConvert => s as u64,
            Op::SNegate => a.wrapping_neg(),
            Op::Not => !a,
            Op::LogicalNot => a ^ 1,
            Op::FConvert => float_bits(float((a, wide)), width)?,
            Op::QuantizeToF16 => float_bits(quantized(float((a, wide))), width)?,
            Op::FNegate => a ^ 1 << (wide - 1),
            Op::ConvertSToF => float_bits(s as f64, width)?,
            Op::ConvertUToF => float_bits(a as f64, width)?,
            Op::ConvertFToS => float((a, wide)) as i64 as u64,
            Op::ConvertFToU => float((a, wide)) as u64,
            _ => return None,
        });
    }
    let [_, (b, _)] = *operands else { return None };
    let t = signed(operands[1]);
    let truth = |yes: bool| Some(u64::from(yes));
    let shift = (b % u64::from(wide.max(1))) as u32;
    Some(match op {
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::IMul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b).unwrap_or(u64::MAX),
        Op::UMod => a.checked_rem(b).unwrap_or(a),
        Op::SDiv if t == 0 => u64::MAX,
        Op::SDiv => s.wrapping_div(t) as u64,
        Op::SRem | Op::SMod if t == 0 => a,
        Op::SRem => s.wrapping_rem(t) as u64,
        Op::SMod => match s.wrapping_rem(t) {
            rest if rest != 0 && (rest ^ t) < 0 => rest.wrapping_add(t) as u64,
            rest => rest as u64,
        },
        Op::ShiftLeftLogical => a << shift,
        Op::ShiftRightLogical => a >> shift,
        Op::ShiftRightArithmetic => (s >> shift) as u64,
        Op::BitwiseOr | Op::LogicalOr => a | b,
        Op::BitwiseAnd | Op::LogicalAnd => a & b,
        Op::BitwiseXor => a ^ b,
        Op::IEqual | Op::LogicalEqual => return truth(a == b),
        Op::INotEqual | Op::LogicalNotEqual => return truth(a != b),
        Op::ULessThan => return truth(a < b),
        Op::ULessThanEqual => return truth(a <= b),
        Op::UGreaterThan => return truth(a > b),
        Op::UGreaterThanEqual => return truth(a >= b),
        Op::SLessThan => return truth(s < t),
        Op::SLessThanEqual => return truth(s <= t),
        Op::SGreaterThan => return truth(s > t),
        Op::SGreaterThanEqual => return truth(s >= t),
        _ => return float_pair(op, float(operands[0]), float(operands[1]), width),
    })
}

/// Sums and comparisons of floats, which the OpenCL flavour allows on constants.
fn float_pair(op: Op, a: f64, b: f64, width: u32) -> Option<u64> {
    let value = match op {
        Op::FAdd => a + b,
        Op::FSub => a - b,
        Op::FMul => a * b,
        Op::FDiv => a / b,
        Op::FOrdEqual => return Some(u64::from(a == b)),
        Op::FOrdLessThan => return Some(u64::from(a < b)),
        Op::FOrdGreaterThan => return Some(u64::from(a > b)),
        _ => return None,
    };
    float_bits(value, width)
}

/// The nearest half float; small ones are zero, as the instruction wants.
fn quantized(x: f64) -> f64 {
    let half = chiaro_num::F16.decode(chiaro_num::F16.encode(x, chiaro_num::Encoding::default()));
    if half.abs() < 2f64.powi(-14) { 0f64.copysign(half) } else { half }
}

/// A float's bits in a width.
pub(crate) fn float_bits(x: f64, width: u32) -> Option<u64> {
    match width {
        16 => Some(u64::from(chiaro_num::F16.encode(x, chiaro_num::Encoding::default()))),
        32 => Some(u64::from((x as f32).to_bits())),
        64 => Some(x.to_bits()),
        _ => None,
    }
}
