//! Packing floats into words, and back.

use crate::body::Body;
use crate::error::{Res, fail};
use chiaro_ir::{Op, Ty, Type, Value};
use spirv::GlslStd450Op as G;

/// Fields of a word that hold fractions.
#[derive(Clone, Copy)]
struct Fields {
    count: u32,
    bits: u32,
    /// From -1 to 1 rather than from 0.
    signed: bool,
}

impl Fields {
    fn of(op: G) -> Option<Fields> {
        Some(match op {
            G::PackSnorm4x8 | G::UnpackSnorm4x8 => Fields { count: 4, bits: 8, signed: true },
            G::PackUnorm4x8 | G::UnpackUnorm4x8 => Fields { count: 4, bits: 8, signed: false },
            G::PackSnorm2x16 | G::UnpackSnorm2x16 => Fields { count: 2, bits: 16, signed: true },
            G::PackUnorm2x16 | G::UnpackUnorm2x16 => Fields { count: 2, bits: 16, signed: false },
            _ => return None,
        })
    }

    /// The number that stands for 1.
    fn one(self) -> f64 {
        f64::from((1u32 << (self.bits - u32::from(self.signed))) - 1)
    }

    /// The bits of one field.
    fn mask(self) -> u64 {
        (1 << self.bits) - 1
    }
}

impl Body<'_, '_> {
    /// Emits an instruction of this family; `ty` is the result's.
    pub(crate) fn packing(&mut self, op: G, v: Value, ty: Ty) -> Res<Value> {
        match op {
            G::PackHalf2x16 => self.pack_half(v, ty),
            G::UnpackHalf2x16 => Ok(self.unpack_half(v, ty)),
            G::PackDouble2x32 | G::UnpackDouble2x32 => Ok(self.op(Op::Bitcast, &[v], ty)),
            _ => match Fields::of(op) {
                Some(fields) if self.components(v) == 1 => self.unpack(v, fields, ty),
                Some(fields) => self.pack(v, fields, ty),
                None => fail(format!("{op:?} of GLSL.std.450 is not supported")),
            },
        }
    }

    fn pack(&mut self, v: Value, fields: Fields, ty: Ty) -> Res<Value> {
        let (low, high) = (self.float(if fields.signed { -1.0 } else { 0.0 }, v)?, self.float(1.0, v)?);
        let v = self.same(Op::FClamp, &[v, low, high]);
        let one = self.float(fields.one(), v)?;
        let v = self.same(Op::FMul, &[v, one]);
        let v = self.same(Op::FRoundEven, &[v]);
        let ints = self.like(Type::Int(32), self.f.ty(v));
        let v = self.op(if fields.signed { Op::FToS } else { Op::FToU }, &[v], ints);
        let mask = self.bits(fields.mask(), ints)?;
        let v = self.same(Op::And, &[v, mask]);
        let mut word = None;
        for i in 0..fields.count {
            let part = self.extract(v, i)?;
            let by = self.int32(i * fields.bits);
            let part = if i == 0 { part } else { self.same(Op::Shl, &[part, by]) };
            word = Some(match word {
                None => part,
                Some(word) => self.op(Op::Or, &[word, part], ty),
            });
        }
        word.map_or_else(|| fail("a vector is expected"), Ok)
    }

    fn unpack(&mut self, word: Value, fields: Fields, ty: Ty) -> Res<Value> {
        let mut parts = Vec::new();
        for i in 0..fields.count {
            let (at, bits) = (self.int32(i * fields.bits), self.int32(fields.bits));
            let op = if fields.signed { Op::BitExtractS } else { Op::BitExtractU };
            parts.push(self.same(op, &[word, at, bits]));
        }
        let ints = self.like(Type::Int(32), ty);
        let v = self.op(Op::Construct, &parts, ints);
        let v = self.op(if fields.signed { Op::SToF } else { Op::UToF }, &[v], ty);
        let one = self.float(fields.one(), v)?;
        let v = self.same(Op::FDiv, &[v, one]);
        if !fields.signed {
            return Ok(v);
        }
        // The lowest number is a second -1.
        let (low, high) = (self.float(-1.0, v)?, self.float(1.0, v)?);
        Ok(self.same(Op::FClamp, &[v, low, high]))
    }

    fn pack_half(&mut self, v: Value, ty: Ty) -> Res<Value> {
        let halves = self.like(Type::Float(16), self.f.ty(v));
        let v = self.op(Op::FToF, &[v], halves);
        Ok(self.op(Op::Bitcast, &[v], ty))
    }

    fn unpack_half(&mut self, v: Value, ty: Ty) -> Value {
        let halves = self.like(Type::Float(16), ty);
        let v = self.op(Op::Bitcast, &[v], halves);
        self.op(Op::FToF, &[v], ty)
    }
}
