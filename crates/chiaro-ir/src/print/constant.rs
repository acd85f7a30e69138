//! Constants as text: literals where they are used.

use super::Printer;
use crate::constant::{Constant, ConstantKind};
use crate::ty::{Ty, Type};
use chiaro_num::F16;
use std::fmt::Write;

impl Printer<'_> {
    /// A constant where a literal has the type `wanted` without saying so.
    pub(super) fn constant(&mut self, c: Constant, wanted: Option<Ty>) {
        if c.0 as usize >= self.module.constants.len() {
            return self.out.push('?');
        }
        let ty = self.module.constants.ty(c);
        // A name alone has the type of what it names.
        let is_handle = matches!(self.module.constants.get(c), ConstantKind::Function(_))
            && !matches!(self.module.types.get(ty), Type::Function(..));
        if !is_handle && self.reference(c) {
            return;
        }
        let bare = match wanted {
            Some(wanted) => wanted == ty && !is_handle,
            None => self.says_its_type(c, ty),
        };
        if bare {
            return self.literal(c);
        }
        self.ty(ty);
        self.out.push('(');
        self.literal(c);
        self.out.push(')');
    }

    /// Writes a constant that has a name by that name.
    fn reference(&mut self, c: Constant) -> bool {
        let names = self.names;
        if let Some(&Some(number)) = names.constants.get(c.0 as usize) {
            let _ = write!(self.out, "${number}");
            return true;
        }
        let name = match *self.module.constants.get(c) {
            ConstantKind::Global(g) => names.globals.get(g.0 as usize),
            ConstantKind::Function(f) => names.functions.get(f.0 as usize),
            ConstantKind::Spec(n) => names.specs.get(n as usize),
            _ => return false,
        };
        self.out.push('@');
        self.out.push_str(name.map_or("?", String::as_str));
        true
    }

    /// Whether a literal looks like what it is: `1` is `i32`, `1.0` is `f32`, `true` is bool.
    fn says_its_type(&self, c: Constant, ty: Ty) -> bool {
        let plain = matches!(self.module.types.get(ty), Type::Bool | Type::Int(32) | Type::Float(32));
        let raw = matches!(self.module.types.get(ty), Type::Float(_)) && {
            let bits = self.module.constants.bits(c).unwrap_or(0) as u32;
            f32::from_bits(bits).is_nan()
        };
        plain && !raw && matches!(self.module.constants.get(c), ConstantKind::Scalar(_))
    }

    /// A constant whose type is known.
    pub(super) fn literal(&mut self, c: Constant) {
        let module = self.module;
        let ty = module.constants.ty(c);
        match module.constants.get(c) {
            ConstantKind::Scalar(bits) => write_scalar(&mut self.out, module.types.get(ty), *bits),
            ConstantKind::Zero => self.out.push_str("zero"),
            ConstantKind::Undef => self.out.push_str("undef"),
            ConstantKind::Composite(parts) => self.composite(ty, parts),
            _ => {
                self.reference(c);
            }
        }
    }

    fn composite(&mut self, ty: Ty, parts: &[Constant]) {
        if let Some(splat) = self.splat(ty, parts) {
            return self.literal(splat);
        }
        self.out.push('{');
        for (i, &part) in parts.iter().enumerate() {
            self.out.push_str(if i == 0 { "" } else { ", " });
            self.constant(part, self.module.types.part(ty, i as u32));
        }
        self.out.push('}');
    }

    /// The scalar that a whole vector consists of.
    fn splat(&self, ty: Ty, parts: &[Constant]) -> Option<Constant> {
        let (Type::Vector(scalar, n), [first, rest @ ..]) = (self.module.types.get(ty), parts) else {
            return None;
        };
        let constants = &self.module.constants;
        let is_scalar = (first.0 as usize) < constants.len()
            && matches!(constants.get(*first), ConstantKind::Scalar(_))
            && constants.ty(*first) == *scalar;
        let full = parts.len() == usize::from(*n);
        (is_scalar && full && rest.iter().all(|part| part == first)).then_some(*first)
    }
}

/// The bits of a scalar as a number that reads back as the same bits.
fn write_scalar(out: &mut String, ty: &Type, bits: u64) {
    let _ = match ty {
        Type::Bool if bits < 2 => write!(out, "{}", bits == 1),
        Type::Int(8) if bits >> 8 == 0 => write!(out, "{}", bits as u8 as i8),
        Type::Int(16) if bits >> 16 == 0 => write!(out, "{}", bits as u16 as i16),
        Type::Int(32) if bits >> 32 == 0 => write!(out, "{}", bits as u32 as i32),
        Type::Int(64) => write!(out, "{}", bits as i64),
        Type::Float(16) if bits >> 16 == 0 => {
            let x = F16.decode_f32(bits as u32);
            if x.is_nan() { write!(out, "{bits:#x}") } else { write!(out, "{x:?}") }
        }
        Type::Float(32) if bits >> 32 == 0 && !f32::from_bits(bits as u32).is_nan() => {
            write!(out, "{:?}", f32::from_bits(bits as u32))
        }
        Type::Float(64) if !f64::from_bits(bits).is_nan() => write!(out, "{:?}", f64::from_bits(bits)),
        _ => write!(out, "{bits:#x}"),
    };
}
