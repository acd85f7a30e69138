//! A method for every operation whose result follows from one to three operands.

use super::Builder;
use crate::id::Value;
use crate::op::Op;
use crate::ty::{Ty, Type};

macro_rules! methods {
    ($( $name:ident $op:ident ($($arg:ident),+) )*) => {
        impl Builder<'_> {
            $(
                #[doc = concat!("[`Op::", stringify!($op), "`].")]
                pub fn $name(&mut self, $($arg: Value),+) -> Value {
                    self.op(Op::$op, &[$($arg),+])
                }
            )*
        }
    };
}

methods! {
    fadd FAdd(a, b)  fsub FSub(a, b)  fmul FMul(a, b)  fdiv FDiv(a, b)  frem FRem(a, b)  fmod FMod(a, b)
    fma Fma(a, b, c)  fneg FNeg(a)  fabs FAbs(a)  fsign FSign(a)  ffloor FFloor(a)  fceil FCeil(a)
    ftrunc FTrunc(a)  fround FRoundEven(a)  ffract FFract(a)  fmin FMin(a, b)  fmax FMax(a, b)
    fclamp FClamp(x, low, high)  fsqrt FSqrt(a)  frsqrt FRsqrt(a)  fexp FExp(a)  fexp2 FExp2(a)
    flog FLog(a)  flog2 FLog2(a)  fpow FPow(a, b)  fsin FSin(a)  fcos FCos(a)  ftan FTan(a)
    fasin FAsin(a)  facos FAcos(a)  fatan FAtan(a)  fatan2 FAtan2(y, x)  fsinh FSinh(a)  fcosh FCosh(a)
    ftanh FTanh(a)  fasinh FAsinh(a)  facosh FAcosh(a)  fatanh FAtanh(a)  fldexp FLdexp(a, exponent)
    ffraction FFrexpFraction(a)  fexponent FFrexpExponent(a)  fdot FDot(a, b)  fquantize16 FQuantize16(a)

    iadd IAdd(a, b)  isub ISub(a, b)  imul IMul(a, b)  umulh UMulHigh(a, b)  smulh SMulHigh(a, b)
    udiv UDiv(a, b)  sdiv SDiv(a, b)  urem URem(a, b)  srem SRem(a, b)  smod SMod(a, b)  ineg INeg(a)
    iabs IAbs(a)  isign ISign(a)  umin UMin(a, b)  umax UMax(a, b)  smin SMin(a, b)  smax SMax(a, b)
    ucarry UAddCarry(a, b)  uborrow USubBorrow(a, b)  shl Shl(a, n)  lshr LShr(a, n)  ashr AShr(a, n)
    and And(a, b)  or Or(a, b)  xor Xor(a, b)  not Not(a)  bitcount BitCount(a)  bitreverse BitReverse(a)
    lsb FindLsb(a)  umsb FindUMsb(a)  smsb FindSMsb(a)
    bitextractu BitExtractU(base, offset, count)  bitextracts BitExtractS(base, offset, count)

    feq FEq(a, b)  fne FNe(a, b)  flt FLt(a, b)  fle FLe(a, b)  ieq IEq(a, b)  ine INe(a, b)
    ult ULt(a, b)  ule ULe(a, b)  slt SLt(a, b)  sle SLe(a, b)  isnan IsNan(a)  isinf IsInf(a)
    all All(a)  any Any(a)  select Select(condition, yes, no)

    extract_dyn ExtractDyn(vector, index)  insert_dyn InsertDyn(vector, component, index)
    load Load(pointer)  sampled_image SampledImage(image, sampler)  image_of ImageOf(sampled)
    ddx Ddx(a)  ddy Ddy(a)  vote_all VoteAll(a)  vote_any VoteAny(a)  vote_eq VoteEqual(a)
    ballot Ballot(a)  broadcast Broadcast(a, lane)  broadcast_first BroadcastFirst(a)
}

impl Builder<'_> {
    /// A conversion to another scalar: [`Op::FToF`], [`Op::SToF`], [`Op::ZExt`] and the like.
    /// The result has as many of it as the operand has components.
    pub fn convert(&mut self, op: Op, x: Value, scalar: Ty) -> Value {
        let ty = self.like(self.ty(x), scalar);
        self.op_as(op, &[x], ty)
    }

    /// [`Op::Bitcast`].
    pub fn bitcast(&mut self, x: Value, ty: Ty) -> Value {
        self.op_as(Op::Bitcast, &[x], ty)
    }

    /// [`Op::BitInsert`].
    pub fn bitinsert(&mut self, base: Value, insert: Value, offset: Value, count: Value) -> Value {
        self.op(Op::BitInsert, &[base, insert, offset, count])
    }

    /// A composite of its parts.
    pub fn construct(&mut self, ty: Ty, parts: &[Value]) -> Value {
        self.op_as(Op::Construct, parts, ty)
    }

    /// A vector of scalars of one type; the scalar itself if there is only one.
    pub fn vector(&mut self, parts: &[Value]) -> Value {
        match *parts {
            [] => self.wrong("a vector has no components".into()),
            [only] => only,
            [first, ..] => {
                let ty = Type::Vector(self.ty(first), parts.len().min(255) as u8);
                let ty = self.types().intern(ty);
                self.construct(ty, parts)
            }
        }
    }

    /// Part number `n` of a composite.
    pub fn extract(&mut self, x: Value, n: u32) -> Value {
        self.op(Op::Extract(n), &[x])
    }

    /// The composite with part number `n` replaced.
    pub fn insert(&mut self, x: Value, n: u32, part: Value) -> Value {
        self.op(Op::Insert(n), &[x, part])
    }

    /// Components of two vectors taken as one.
    pub fn shuffle(&mut self, a: Value, b: Value, parts: &[u8]) -> Value {
        let mut all = [255; 4];
        all.iter_mut().zip(parts).for_each(|(to, from)| *to = *from);
        let scalar = self.module.types.scalar(self.ty(a));
        let ty = self.types().vector(scalar, parts.len().min(255) as u8);
        self.op_as(Op::Shuffle(all), &[a, b], ty)
    }

    /// Components of one vector.
    pub fn swizzle(&mut self, x: Value, parts: &[u8]) -> Value {
        self.shuffle(x, x, parts)
    }
}
