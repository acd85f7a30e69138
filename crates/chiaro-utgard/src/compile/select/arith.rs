//! Arithmetic of legal IR, an operation for an operation. spec section 11.

use chiaro_ir::{Inst, Op as Ir, Value};
use chiaro_opt::lower::Native;

use super::{Answer, Select};

use crate::compile::graph::{Op, Operand};

impl Select<'_> {
    pub(super) fn operation(&mut self, inst: Inst) -> Answer<()> {
        let op = self.f.op(inst);
        let args: Vec<Value> = self.f.args(inst).to_vec();
        let Some(result) = self.f.result(inst, 0) else { return self.effect(op, &args) };
        let made = match op {
            Ir::Load => self.load(args[0])?,
            Ir::Var(_) => return self.declare(result, args.first().copied()),
            Ir::Access => return Ok(()),
            Ir::Construct => self.construct(result, &args)?,
            Ir::Extract(n) => self.extract(args[0], n)?,
            Ir::Insert(n) => self.insert(&args, n)?,
            Ir::Shuffle(order) => self.shuffle(&args, order, result)?,
            Ir::Select => self.choose(&args)?,
            Ir::FDot => vec![self.dot(&args)?],
            Ir::All => vec![self.fold(args[0], Op::Min)?],
            Ir::Any => vec![self.fold(args[0], Op::Max)?],
            // Integers of either sign are one type: all others become another number.
            Ir::Bitcast if self.f.ty(args[0]) != self.f.ty(result) => {
                let message = "the vertex processor cannot take a number's bits for another number";
                let help =
                    "it has only floats: an integer is the float of the same value, not of the same bits";
                return self.error(message, help);
            }
            // Of bools alone: bits of integers are taken apart before, where floats are exact.
            Ir::And | Ir::Or | Ir::Xor | Ir::Not if !self.module.types.is_bool(self.f.ty(result)) => {
                return self.unsupported(op);
            }
            _ => self.each(op, &args)?,
        };
        self.set(result, made);
        Ok(())
    }

    /// An operation on corresponding components.
    fn each(&mut self, op: Ir, args: &[Value]) -> Answer<Vec<Operand>> {
        let operands = args.iter().map(|&arg| self.read(arg)).collect::<Answer<Vec<_>>>()?;
        let count = operands.iter().map(Vec::len).max().unwrap_or(0);
        let (mut made, mut parts) = (Vec::with_capacity(count), Vec::with_capacity(operands.len()));
        for i in 0..count {
            parts.clear();
            parts.extend(operands.iter().map(|list| list[i.min(list.len() - 1)]));
            made.push(self.one(op, &parts)?);
        }
        Ok(made)
    }

    fn one(&mut self, op: Ir, parts: &[Operand]) -> Answer<Operand> {
        let a = parts[0];
        let b = parts.get(1).copied().unwrap_or(a);
        let graph = self.graph();
        Ok(match op {
            Ir::FAdd | Ir::IAdd => graph.add(a, b),
            Ir::FSub => graph.sub(a, b),
            Ir::FMul => graph.mul(a, b),
            Ir::Fma => {
                let product = graph.mul(a, b);
                graph.add(product, parts[2])
            }
            Ir::FNeg => a.negated(),
            Ir::FAbs => graph.make(Op::Max, &[a, a.negated()]),
            Ir::FSign => graph.make(Op::Sign, &[a]),
            Ir::FFloor => graph.make(Op::Floor, &[a]),
            Ir::FMin => graph.make(Op::Min, &[a, b]),
            Ir::FMax => graph.make(Op::Max, &[a, b]),
            Ir::FClamp => self.clamp(a, b, parts[2]),
            Ir::FLt => graph.make(Op::Lt, &[a, b]),
            Ir::FLe => graph.make(Op::Ge, &[b, a]),
            Ir::FEq | Ir::IEq => self.equal(a, b),
            Ir::FNe | Ir::INe | Ir::Xor => self.differ(a, b),
            Ir::And => graph.make(Op::Min, &[a, b]),
            Ir::Or => graph.make(Op::Max, &[a, b]),
            Ir::Not => graph.not(a),
            // Registers hold the float of the same value.
            Ir::SToF | Ir::UToF | Ir::FToS | Ir::FToF | Ir::Bitcast => a,
            Ir::Native(number) => return self.native(number, a, b),
            _ => return self.unsupported(op),
        })
    }

    fn native(&mut self, number: u16, a: Operand, b: Operand) -> Answer<Operand> {
        let Some(native) = Native::of(number) else { return self.unsupported(Ir::Native(number)) };
        let graph = self.graph();
        Ok(match native {
            Native::Rcp => graph.function(Op::Rcp, a),
            Native::Rsq => graph.function(Op::Rsqrt, a),
            Native::Ex2 => graph.function(Op::Exp2, a),
            Native::Lg2 => graph.function(Op::Log2, a),
            Native::Slt => graph.make(Op::Lt, &[a, b]),
            Native::Sge => graph.make(Op::Ge, &[a, b]),
            Native::Sin | Native::Cos => return self.unsupported(Ir::Native(number)),
        })
    }

    fn unsupported<T>(&self, op: Ir) -> Answer<T> {
        if matches!(op, Ir::IMul | Ir::LShr | Ir::And | Ir::Or | Ir::Xor) {
            let message =
                "this needs integers of more than 24 bits, which the vertex processor does not have";
            return self.error(message, "it holds them as floats: they are exact up to 16777216");
        }
        if matches!(op, Ir::Call(_)) {
            let (message, help) = chiaro_opt::call_left(op.info().name);
            return self.error(message, help);
        }
        let message = format!("the vertex processor cannot do `{}`", op.info().name);
        self.error(message, "it has neither bit operations nor textures")
    }

    fn equal(&mut self, a: Operand, b: Operand) -> Operand {
        let graph = self.graph();
        let (over, under) = (graph.make(Op::Ge, &[a, b]), graph.make(Op::Ge, &[b, a]));
        graph.make(Op::Min, &[over, under])
    }

    fn differ(&mut self, a: Operand, b: Operand) -> Operand {
        let graph = self.graph();
        let (over, under) = (graph.make(Op::Lt, &[a, b]), graph.make(Op::Lt, &[b, a]));
        graph.make(Op::Max, &[over, under])
    }

    /// Between two numbers: in the pass unit where both are constants.
    fn clamp(&mut self, a: Operand, low: Operand, high: Operand) -> Operand {
        let graph = self.graph();
        if let (Some(low), Some(high)) = (graph.constant(low), graph.constant(high)) {
            let plain = graph.plain(a);
            return graph.make(Op::Clamp(low.to_bits(), high.to_bits()), &[plain]);
        }
        let raised = graph.make(Op::Max, &[a, low]);
        graph.make(Op::Min, &[raised, high])
    }

    fn dot(&mut self, args: &[Value]) -> Answer<Operand> {
        let (a, b) = (self.read(args[0])?, self.read(args[1])?);
        let graph = self.graph();
        let mut sum = graph.mul(a[0], b[0]);
        for (&x, &y) in a.iter().zip(&b).skip(1) {
            let product = graph.mul(x, y);
            sum = graph.add(sum, product);
        }
        Ok(sum)
    }

    fn fold(&mut self, arg: Value, op: Op) -> Answer<Operand> {
        let parts = self.read(arg)?;
        let graph = self.graph();
        Ok(parts.iter().skip(1).fold(parts[0], |all, &part| graph.make(op, &[all, part])))
    }

    fn choose(&mut self, args: &[Value]) -> Answer<Vec<Operand>> {
        let (conditions, yes, no) = (self.read(args[0])?, self.read(args[1])?, self.read(args[2])?);
        let pairs = yes.iter().zip(&no).enumerate();
        let graph = self.graph();
        Ok(pairs.map(|(i, (&y, &n))| graph.select(conditions[i.min(conditions.len() - 1)], y, n)).collect())
    }

    fn construct(&mut self, result: Value, args: &[Value]) -> Answer<Vec<Operand>> {
        let mut parts = Vec::new();
        for &arg in args {
            parts.extend(self.read(arg)?);
        }
        let count = self.scalars(self.f.ty(result))? as usize;
        if parts.len() == 1 && count > 1 {
            parts = vec![parts[0]; count];
        }
        Ok(parts)
    }

    fn extract(&mut self, from: Value, n: u32) -> Answer<Vec<Operand>> {
        let ty = self.f.ty(from);
        let (start, parts) = (self.offset(ty, n)? as usize, self.read(from)?);
        let count = self.module.types.part(ty, n).map_or(Ok(0), |part| self.scalars(part))? as usize;
        Ok(parts.get(start..start + count).unwrap_or_default().to_vec())
    }

    fn insert(&mut self, args: &[Value], n: u32) -> Answer<Vec<Operand>> {
        let start = self.offset(self.f.ty(args[0]), n)? as usize;
        let (mut parts, new) = (self.read(args[0])?, self.read(args[1])?);
        if let Some(to) = parts.get_mut(start..start + new.len()) {
            to.copy_from_slice(&new);
        }
        Ok(parts)
    }

    /// Whether an index is a number.
    pub(super) fn is_number(&mut self, index: Operand, n: usize) -> Operand {
        let number = self.graph().number(n as f32);
        self.equal(index, number)
    }

    /// Whether an index is a number or more.
    pub(super) fn at_least(&mut self, index: Operand, n: usize) -> Operand {
        let limit = self.graph().number(n as f32 - 0.5);
        self.graph().make(Op::Ge, &[index, limit])
    }

    fn shuffle(&mut self, args: &[Value], order: [u8; 4], result: Value) -> Answer<Vec<Operand>> {
        let mut parts = self.read(args[0])?;
        parts.extend(self.read(args[1])?);
        let zero = self.graph().number(0.0);
        let count = self.scalars(self.f.ty(result))? as usize;
        Ok(order[..count].iter().map(|&i| parts.get(usize::from(i)).copied().unwrap_or(zero)).collect())
    }
}
