//! Building arithmetic: natives component by component, constants, polynomials, comparisons.

use chiaro_ir::{Builder, Constant, ConstantKind, Def, Module, Op, Type, Value};

use super::Native;

/// What lowering builds with, beside the builder's own methods.
pub trait Arith {
    /// A constant in all components of the type of `like`.
    fn num(&mut self, x: f64, like: Value) -> Value;
    /// An operation that exists for scalars only, on each component; on one, if all are the same.
    fn scalars(&mut self, native: Native, x: Value) -> Value;
    /// 1 where a < b, else 0.
    fn below(&mut self, a: Value, b: Value) -> Value;
    /// 1 where a >= b, else 0.
    fn reaches(&mut self, a: Value, b: Value) -> Value;
    /// The components of a value: itself for a scalar.
    fn parts(&mut self, x: Value) -> Vec<Value>;
    /// The scalar that all components of a vector are, if the vector was made so.
    fn splat_of(&mut self, x: Value) -> Option<Value>;
    /// The number that all components of a value are, if it is a constant.
    fn known(&mut self, x: Value) -> Option<f64>;
    /// Horner's rule; the constant coefficient first.
    fn polynomial(&mut self, x: Value, coefficients: &[f64]) -> Value;
    /// 1 / x.
    fn rcp(&mut self, x: Value) -> Value {
        self.scalars(Native::Rcp, x)
    }
    /// 1 / sqrt(x).
    fn rsq(&mut self, x: Value) -> Value {
        self.scalars(Native::Rsq, x)
    }
    /// 2 to the power of x.
    fn ex2(&mut self, x: Value) -> Value {
        self.scalars(Native::Ex2, x)
    }
    /// Logarithm of x to base 2.
    fn lg2(&mut self, x: Value) -> Value {
        self.scalars(Native::Lg2, x)
    }
    /// a times a number.
    fn times(&mut self, a: Value, by: f64) -> Value;
    /// a plus a number.
    fn plus(&mut self, a: Value, n: f64) -> Value;
    /// a times a number plus a number.
    fn mad(&mut self, a: Value, by: f64, n: f64) -> Value;
    /// n - x.
    fn minus(&mut self, n: f64, x: Value) -> Value;
}

impl Arith for Builder<'_> {
    fn num(&mut self, x: f64, like: Value) -> Value {
        let ty = self.ty(like);
        let scalar = self.f32(x as f32);
        self.splat(ty, scalar)
    }

    fn scalars(&mut self, native: Native, x: Value) -> Value {
        let ty = self.ty(x);
        let float = self.types().scalar(ty);
        if let Some(scalar) = self.splat_of(x) {
            let one = self.op_as(native.op(), &[scalar], float);
            return self.splat(ty, one);
        }
        let parts = self.parts(x);
        let each: Vec<Value> =
            parts.into_iter().map(|part| self.op_as(native.op(), &[part], float)).collect();
        self.vector(&each)
    }

    fn below(&mut self, a: Value, b: Value) -> Value {
        let ty = self.ty(a);
        self.op_as(Native::Slt.op(), &[a, b], ty)
    }

    fn reaches(&mut self, a: Value, b: Value) -> Value {
        let ty = self.ty(a);
        self.op_as(Native::Sge.op(), &[a, b], ty)
    }

    fn parts(&mut self, x: Value) -> Vec<Value> {
        let ty = self.ty(x);
        match self.types().components(ty) {
            0 | 1 => vec![x],
            n => (0..u32::from(n)).map(|i| self.extract(x, i)).collect(),
        }
    }

    fn splat_of(&mut self, x: Value) -> Option<Value> {
        let ty = self.ty(x);
        if self.types().components(ty) < 2 {
            return None;
        }
        let f = self.function();
        match f.def(x) {
            Def::Result(inst, _) => match (f.op(inst), f.args(inst)) {
                (Op::Construct, &[first, ref rest @ ..]) if rest.iter().all(|&v| v == first) => {
                    let scalar = f.ty(first);
                    (self.types().components(scalar) == 1).then_some(first)
                }
                (Op::Shuffle([first, rest @ ..]), &[a, b]) => {
                    let n = usize::from(self.types().components(ty));
                    if rest.iter().take(n - 1).any(|&i| i != first) {
                        return None;
                    }
                    let split = self.ty(a);
                    let split = self.types().components(split);
                    Some(match first.checked_sub(split) {
                        None => self.extract(a, first.into()),
                        Some(i) if i < 4 => self.extract(b, i.into()),
                        Some(_) => return None,
                    })
                }
                _ => None,
            },
            Def::Constant(c) => {
                self.known(x)?;
                let part = match self.module().constants.get(c) {
                    ConstantKind::Composite(parts) => *parts.first()?,
                    _ => return None,
                };
                Some(self.constant(part))
            }
            _ => None,
        }
    }

    fn known(&mut self, x: Value) -> Option<f64> {
        let Def::Constant(c) = self.function().def(x) else { return None };
        number(self.module(), c)
    }

    fn polynomial(&mut self, x: Value, coefficients: &[f64]) -> Value {
        let Some((&highest, rest)) = coefficients.split_last() else { return self.num(0.0, x) };
        let mut sum = self.num(highest, x);
        for &c in rest.iter().rev() {
            let c = self.num(c, x);
            sum = self.fma(sum, x, c);
        }
        sum
    }

    fn times(&mut self, a: Value, by: f64) -> Value {
        let by = self.num(by, a);
        self.fmul(a, by)
    }

    fn plus(&mut self, a: Value, n: f64) -> Value {
        let n = self.num(n, a);
        self.fadd(a, n)
    }

    fn mad(&mut self, a: Value, by: f64, n: f64) -> Value {
        let (by, n) = (self.num(by, a), self.num(n, a));
        self.fma(a, by, n)
    }

    fn minus(&mut self, n: f64, x: Value) -> Value {
        let n = self.num(n, x);
        self.fsub(n, x)
    }
}

/// The number that all components of a constant are; integers as signed ones, bools 0 and 1.
pub fn number(module: &Module, c: Constant) -> Option<f64> {
    let scalar = |c: Constant| {
        let bits = module.constants.bits(c)?;
        Some(match *module.types.get(module.constants.ty(c)) {
            Type::Float(width) => chiaro_ir::interp::float_value(bits, width),
            Type::Int(width) => {
                let unused = 64 - u32::from(width.clamp(1, 64));
                ((bits << unused) as i64 >> unused) as f64
            }
            Type::Bool => bits as f64,
            Type::Vector(..) => 0.0,
            _ => return None,
        })
    };
    match module.constants.get(c) {
        ConstantKind::Composite(parts) => {
            let (&first, rest) = parts.split_first()?;
            let x = scalar(first)?;
            rest.iter().all(|&part| scalar(part) == Some(x)).then_some(x)
        }
        _ => scalar(c),
    }
}
