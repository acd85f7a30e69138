//! The extended instructions of `GLSL.std.450`.
//!
//! What the IR has is one instruction; geometry, mixing and the like are written out, by the
//! formulas of the extension's specification.

use crate::body::Body;
use crate::error::{Res, fail};
use crate::words::Inst;
use chiaro_ir::{Op, Space, Taken, Ty, Type, Value};
use spirv::GlslStd450Op as G;

/// Instructions that are one of the IR's, operands in the same order.
fn simple(op: G) -> Option<Op> {
    Some(match op {
        // Halves may go either way for `Round`.
        G::Round | G::RoundEven => Op::FRoundEven,
        G::Trunc => Op::FTrunc,
        G::FAbs => Op::FAbs,
        G::SAbs => Op::IAbs,
        G::FSign => Op::FSign,
        G::SSign => Op::ISign,
        G::Floor => Op::FFloor,
        G::Ceil => Op::FCeil,
        G::Fract => Op::FFract,
        G::Sin => Op::FSin,
        G::Cos => Op::FCos,
        G::Tan => Op::FTan,
        G::Asin => Op::FAsin,
        G::Acos => Op::FAcos,
        G::Atan => Op::FAtan,
        G::Sinh => Op::FSinh,
        G::Cosh => Op::FCosh,
        G::Tanh => Op::FTanh,
        G::Asinh => Op::FAsinh,
        G::Acosh => Op::FAcosh,
        G::Atanh => Op::FAtanh,
        G::Atan2 => Op::FAtan2,
        G::Pow => Op::FPow,
        G::Exp => Op::FExp,
        G::Log => Op::FLog,
        G::Exp2 => Op::FExp2,
        G::Log2 => Op::FLog2,
        G::Sqrt => Op::FSqrt,
        G::InverseSqrt => Op::FRsqrt,
        G::FMin | G::NMin => Op::FMin,
        G::UMin => Op::UMin,
        G::SMin => Op::SMin,
        G::FMax | G::NMax => Op::FMax,
        G::UMax => Op::UMax,
        G::SMax => Op::SMax,
        G::FClamp | G::NClamp => Op::FClamp,
        G::Fma => Op::Fma,
        G::Ldexp => Op::FLdexp,
        G::FindILsb => Op::FindLsb,
        G::FindSMsb => Op::FindSMsb,
        G::FindUMsb => Op::FindUMsb,
        _ => return None,
    })
}

/// How many operands an instruction of the set has.
fn arity(op: G) -> usize {
    match op {
        G::Atan2 | G::Pow | G::Modf | G::FMin | G::UMin | G::SMin | G::FMax | G::UMax | G::SMax => 2,
        G::Step | G::Frexp | G::Ldexp | G::Distance | G::Cross | G::Reflect | G::NMin | G::NMax => 2,
        G::InterpolateAtSample | G::InterpolateAtOffset => 2,
        G::FClamp | G::UClamp | G::SClamp | G::FMix | G::IMix | G::SmoothStep | G::Fma => 3,
        G::FaceForward | G::Refract | G::NClamp => 3,
        _ => 1,
    }
}

impl Body<'_, '_> {
    /// Emits an instruction of `GLSL.std.450`.
    pub(crate) fn glsl(&mut self, inst: &Inst<'_>) -> Res<()> {
        let number = inst.word(3)?;
        let Some(op) = G::from_u32(number) else {
            return fail(format!("instruction {number} of GLSL.std.450 is unknown"));
        };
        let count = arity(op);
        if inst.rest(4).len() < count {
            return fail("too few operands");
        }
        let (_, ty) = self.result_ty(inst)?;
        if matches!(op, G::InterpolateAtCentroid | G::InterpolateAtSample | G::InterpolateAtOffset) {
            let v = self.interpolated(inst, op)?;
            return self.set(inst, v);
        }
        let mut args = [Value(0); 3];
        for (arg, i) in args.iter_mut().zip(0..count) {
            *arg = self.operand(inst, 4 + i)?;
        }
        let v = match simple(op) {
            Some(op) if self.are_bytes(args[0]) => self.on_bytes(op, &args[..count], ty)?,
            Some(op) => self.op(op, &args[..count], ty),
            None => self.written_out(op, args, ty)?,
        };
        self.set(inst, v)
    }

    fn written_out(&mut self, op: G, [a, b, c]: [Value; 3], ty: Ty) -> Res<Value> {
        Ok(match op {
            G::Radians => self.scaled(a, std::f64::consts::PI / 180.0)?,
            G::Degrees => self.scaled(a, 180.0 / std::f64::consts::PI)?,
            G::Determinant => self.determinant(a)?,
            G::MatrixInverse => self.inverse(a)?,
            G::Modf => {
                let whole = self.same(Op::FTrunc, &[a]);
                self.push(Op::Store, &[b, whole], &[]);
                self.same(Op::FSub, &[a, whole])
            }
            G::ModfStruct => {
                let whole = self.same(Op::FTrunc, &[a]);
                let rest = self.same(Op::FSub, &[a, whole]);
                self.op(Op::Construct, &[rest, whole], ty)
            }
            G::UClamp => self.clamped(Op::UMax, Op::UMin, [a, b, c])?,
            G::SClamp => self.clamped(Op::SMax, Op::SMin, [a, b, c])?,
            G::FMix => self.mixed(a, b, c)?,
            G::Step => {
                // What is no number gives 0, as machines compute `step` [measured: llvmpipe].
                let reached = self.test(Op::FLe, &[a, b]);
                let (zero, one) = (self.float(0.0, b)?, self.float(1.0, b)?);
                self.select(reached, one, zero)
            }
            G::SmoothStep => self.smooth_step(a, b, c)?,
            G::Frexp => {
                let exponent = self.exponent(a);
                self.push(Op::Store, &[b, exponent], &[]);
                self.same(Op::FFrexpFraction, &[a])
            }
            G::FrexpStruct => {
                let (fraction, exponent) = (self.same(Op::FFrexpFraction, &[a]), self.exponent(a));
                self.op(Op::Construct, &[fraction, exponent], ty)
            }
            G::Length => self.length_of(a),
            G::Distance => {
                let d = self.same(Op::FSub, &[a, b]);
                self.length_of(d)
            }
            G::Cross => self.cross(a, b)?,
            G::Normalize => self.normalized(a)?,
            G::FaceForward => self.face_forward(a, b, c)?,
            G::Reflect => self.reflected(a, b)?,
            G::Refract => self.refracted(a, b, c)?,
            _ => self.packing(op, a, ty)?,
        })
    }

    fn scaled(&mut self, v: Value, by: f64) -> Res<Value> {
        let by = self.float(by, v)?;
        Ok(self.same(Op::FMul, &[v, by]))
    }

    /// The exponents of a float's components, as 32-bit integers.
    fn exponent(&mut self, v: Value) -> Value {
        let ty = self.like(Type::Int(32), self.f.ty(v));
        self.op(Op::FFrexpExponent, &[v], ty)
    }

    fn clamped(&mut self, max: Op, min: Op, [v, low, high]: [Value; 3]) -> Res<Value> {
        if self.are_bytes(v) {
            let ty = self.f.ty(v);
            let v = self.on_bytes(max, &[v, low], ty)?;
            return self.on_bytes(min, &[v, high], ty);
        }
        let v = self.same(max, &[v, low]);
        Ok(self.same(min, &[v, high]))
    }

    /// Whether a value is of integers of 8 bits.
    fn are_bytes(&self, v: Value) -> bool {
        self.r.module.types.bits(self.f.ty(v)) == Some(8)
    }

    /// x * (1 - a) + y * a.
    fn mixed(&mut self, x: Value, y: Value, a: Value) -> Res<Value> {
        let one = self.float(1.0, a)?;
        let rest = self.same(Op::FSub, &[one, a]);
        let (x, y) = (self.same(Op::FMul, &[x, rest]), self.same(Op::FMul, &[y, a]));
        Ok(self.same(Op::FAdd, &[x, y]))
    }

    /// t * t * (3 - 2 * t), where t goes from 0 to 1 between the edges.
    fn smooth_step(&mut self, low: Value, high: Value, x: Value) -> Res<Value> {
        let (above, range) = (self.same(Op::FSub, &[x, low]), self.same(Op::FSub, &[high, low]));
        let t = self.same(Op::FDiv, &[above, range]);
        let (zero, one) = (self.float(0.0, t)?, self.float(1.0, t)?);
        let t = self.same(Op::FClamp, &[t, zero, one]);
        let (two, three) = (self.float(2.0, t)?, self.float(3.0, t)?);
        let (square, double) = (self.same(Op::FMul, &[t, t]), self.same(Op::FMul, &[two, t]));
        let rest = self.same(Op::FSub, &[three, double]);
        Ok(self.same(Op::FMul, &[square, rest]))
    }

    /// The sum of products; the product for scalars.
    fn dot(&mut self, a: Value, b: Value) -> Value {
        if self.components(a) < 2 {
            return self.same(Op::FMul, &[a, b]);
        }
        let scalar = self.r.module.types.scalar(self.f.ty(a));
        self.op(Op::FDot, &[a, b], scalar)
    }

    fn length_of(&mut self, v: Value) -> Value {
        if self.components(v) < 2 {
            return self.same(Op::FAbs, &[v]);
        }
        let square = self.dot(v, v);
        self.same(Op::FSqrt, &[square])
    }

    fn cross(&mut self, a: Value, b: Value) -> Res<Value> {
        if self.components(a) != 3 || self.components(b) != 3 {
            return fail("vectors of three components are expected");
        }
        let mut turn = |v: Value, lanes| self.same(Op::Shuffle(lanes), &[v, v]);
        let (a1, b1) = (turn(a, [1, 2, 0, 255]), turn(b, [2, 0, 1, 255]));
        let (a2, b2) = (turn(a, [2, 0, 1, 255]), turn(b, [1, 2, 0, 255]));
        let (x, y) = (self.same(Op::FMul, &[a1, b1]), self.same(Op::FMul, &[a2, b2]));
        Ok(self.same(Op::FSub, &[x, y]))
    }

    fn normalized(&mut self, v: Value) -> Res<Value> {
        if self.components(v) < 2 {
            return Ok(self.same(Op::FSign, &[v]));
        }
        let square = self.dot(v, v);
        let factor = self.same(Op::FRsqrt, &[square]);
        let factor = self.splat_like(factor, v);
        Ok(self.same(Op::FMul, &[v, factor]))
    }

    /// The normal, turned against the incident vector.
    fn face_forward(&mut self, n: Value, i: Value, reference: Value) -> Res<Value> {
        let d = self.dot(reference, i);
        let zero = self.float(0.0, d)?;
        let against = self.test(Op::FLt, &[d, zero]);
        let back = self.same(Op::FNeg, &[n]);
        Ok(self.select(against, n, back))
    }

    /// i - 2 * dot(n, i) * n.
    fn reflected(&mut self, i: Value, n: Value) -> Res<Value> {
        let d = self.dot(n, i);
        let two = self.float(2.0, d)?;
        let d = self.same(Op::FMul, &[two, d]);
        let d = self.splat_like(d, n);
        let by = self.same(Op::FMul, &[d, n]);
        Ok(self.same(Op::FSub, &[i, by]))
    }

    /// k = 1 - eta² (1 - dot(n, i)²); 0 for k < 0, else eta i - (eta dot(n, i) + √k) n.
    fn refracted(&mut self, i: Value, n: Value, eta: Value) -> Res<Value> {
        let d = self.dot(n, i);
        let scalar = self.f.ty(d);
        let eta = if self.f.ty(eta) == scalar { eta } else { self.op(Op::FToF, &[eta], scalar) };
        let (zero, one) = (self.float(0.0, d)?, self.float(1.0, d)?);
        let (square, eta_square) = (self.same(Op::FMul, &[d, d]), self.same(Op::FMul, &[eta, eta]));
        let rest = self.same(Op::FSub, &[one, square]);
        let by = self.same(Op::FMul, &[eta_square, rest]);
        let k = self.same(Op::FSub, &[one, by]);
        let (none, root) = (self.test(Op::FLt, &[k, zero]), self.same(Op::FSqrt, &[k]));
        let part = self.same(Op::FMul, &[eta, d]);
        let along = self.same(Op::FAdd, &[part, root]);
        let (eta, along) = (self.splat_like(eta, i), self.splat_like(along, n));
        let (i, n) = (self.same(Op::FMul, &[eta, i]), self.same(Op::FMul, &[along, n]));
        let v = self.same(Op::FSub, &[i, n]);
        let nothing = self.float(0.0, v)?;
        Ok(self.select(none, nothing, v))
    }

    /// An input at another place of its pixel.
    fn interpolated(&mut self, inst: &Inst<'_>, op: G) -> Res<Value> {
        let (_, ty) = self.result_ty(inst)?;
        let input = self.operand(inst, 4)?;
        let taken = match op {
            G::InterpolateAtCentroid => Taken::Centroid,
            G::InterpolateAtSample => Taken::Sample,
            _ => Taken::Offset,
        };
        if !matches!(self.r.module.types.pointee(self.f.ty(input)), Some((Space::Input, _))) {
            return fail(format!("`{op:?}` is for inputs"));
        }
        let mut args = vec![input];
        if taken != Taken::Centroid {
            args.push(self.operand(inst, 5)?);
        }
        Ok(self.op(Op::Interpolate(taken), &args, ty))
    }

    /// `SPV_AMD_shader_trinary_minmax`: least, greatest and middle of three.
    pub(crate) fn trinary(&mut self, inst: &Inst<'_>) -> Res<()> {
        let (a, b, c) = (self.operand(inst, 4)?, self.operand(inst, 5)?, self.operand(inst, 6)?);
        let number = inst.word(3)?;
        let (min, max) = match number % 3 {
            1 => (Op::FMin, Op::FMax),
            2 => (Op::UMin, Op::UMax),
            _ => (Op::SMin, Op::SMax),
        };
        let v = match number {
            1..=3 => {
                let v = self.same(min, &[a, b]);
                self.same(min, &[v, c])
            }
            4..=6 => {
                let v = self.same(max, &[a, b]);
                self.same(max, &[v, c])
            }
            7..=9 => {
                let (low, high) = (self.same(min, &[a, b]), self.same(max, &[a, b]));
                let below = self.same(min, &[high, c]);
                self.same(max, &[low, below])
            }
            _ => return fail(format!("instruction {number} of the set is unknown")),
        };
        self.set(inst, v)
    }
}
