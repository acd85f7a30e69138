//! Constants by value.

use super::Builder;
use crate::constant::{Constant, ConstantKind};
use crate::function::Def;
use crate::id::{GlobalRef, Value};
use crate::ty::{Ty, Type};

impl Builder<'_> {
    /// A constant of the module as a value.
    pub fn constant(&mut self, c: Constant) -> Value {
        let ty = self.module.constants.ty(c);
        self.function_mut().constant(c, ty)
    }

    fn kind(&mut self, ty: Ty, kind: ConstantKind) -> Value {
        let c = self.module.constants.intern(ty, kind);
        self.constant(c)
    }

    /// A scalar by its bits.
    pub fn bits(&mut self, ty: Ty, bits: u64) -> Value {
        self.kind(ty, ConstantKind::Scalar(bits))
    }

    /// True or false.
    pub fn bool(&mut self, x: bool) -> Value {
        let ty = self.types().intern(Type::Bool);
        self.bits(ty, u64::from(x))
    }

    /// A 32-bit integer.
    pub fn i32(&mut self, x: i32) -> Value {
        self.u32(x as u32)
    }

    /// A 32-bit integer.
    pub fn u32(&mut self, x: u32) -> Value {
        let ty = self.int_ty(32);
        self.bits(ty, u64::from(x))
    }

    /// A 64-bit integer.
    pub fn i64(&mut self, x: i64) -> Value {
        let ty = self.int_ty(64);
        self.bits(ty, x as u64)
    }

    /// A 32-bit float.
    pub fn f32(&mut self, x: f32) -> Value {
        let ty = self.float_ty(32);
        self.bits(ty, u64::from(x.to_bits()))
    }

    /// A 64-bit float.
    pub fn f64(&mut self, x: f64) -> Value {
        let ty = self.float_ty(64);
        self.bits(ty, x.to_bits())
    }

    /// A scalar in all components of a type; a constant one makes a constant.
    pub fn splat(&mut self, ty: Ty, scalar: Value) -> Value {
        let n = self.module.types.components(ty);
        match self.function().def(scalar) {
            _ if n == 1 => scalar,
            Def::Constant(c) if n > 1 => self.kind(ty, ConstantKind::Composite(vec![c; usize::from(n)])),
            _ => self.construct(ty, &[scalar]),
        }
    }

    /// All bits zero.
    pub fn zero(&mut self, ty: Ty) -> Value {
        self.kind(ty, ConstantKind::Zero)
    }

    /// One arbitrary value.
    pub fn undef(&mut self, ty: Ty) -> Value {
        self.kind(ty, ConstantKind::Undef)
    }

    /// The place of a variable of the module.
    pub fn global(&mut self, g: GlobalRef) -> Value {
        let c = self.module.address(g);
        self.constant(c)
    }
}
