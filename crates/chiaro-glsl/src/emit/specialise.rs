//! Constants that a user of the words may set, and those that follow them.

use chiaro_words::write::Id;
use spirv::{Decoration, Op};

use crate::hir::{ExprId, ExprKind, Logical, Program, Spec, Unary};
use crate::intrinsic::{Cooperative, Intrinsic};
use crate::ty::{Family, Scalar, Type};

use super::arith::instruction;
use super::constant::small_word;
use super::emitter::Emitter;
use crate::numeric::Num;

impl<'a> Emitter<'a> {
    /// Declares all of them; each follows only those before it.
    pub(super) fn declare_specs(&mut self) {
        let program: &'a Program = self.program;
        for spec in &program.specs {
            self.body.span = self.tokens.span(spec.at);
            self.out.at(self.body.span);
            let id = match (spec.id, spec.value) {
                (_, Some(value)) => self.following(value),
                (Some(number), None) => {
                    let id = self.settable(spec);
                    self.out.decorate(id, Decoration::SpecId, &[number]);
                    id
                }
                (None, None) => self.settable(spec),
            };
            let text = self.symbols.text(spec.name);
            if !text.is_empty() {
                self.out.name(id, text);
            }
            self.specs.push(id);
        }
    }

    fn settable(&mut self, spec: &Spec) -> Id {
        let Type::Scalar(scalar) = *self.program.types.get(spec.ty) else {
            return self.fail("a specialisation constant is a scalar");
        };
        let ty = self.num_ty(Num::scalar(scalar));
        match (scalar, spec.default) {
            (Scalar::Bool, 0) => self.out.declare(Op::SpecConstantFalse, ty, &[]),
            (Scalar::Bool, _) => self.out.declare(Op::SpecConstantTrue, ty, &[]),
            (_, bits) if scalar.bits() == 64 => {
                self.out.declare(Op::SpecConstant, ty, &[bits as u32, (bits >> 32) as u32])
            }
            (_, bits) => self.out.declare(Op::SpecConstant, ty, &[small_word(scalar, bits)]),
        }
    }

    /// The value of an integer or bool that follows specialisation constants. Checking has seen
    /// to it that it nests no deeper than some levels.
    fn following(&mut self, e: ExprId) -> Id {
        let expr = &self.program.exprs[e.0 as usize];
        let Type::Scalar(scalar) = *self.program.types.get(expr.ty) else {
            return self.fail("a specialisation constant is a scalar");
        };
        let ty = self.num_ty(Num::scalar(scalar));
        match expr.kind {
            ExprKind::Constant(ref bits) => self.scalar_constant(scalar, bits.first().copied().unwrap_or(0)),
            ExprKind::Spec(id) => self.specs.get(id.0 as usize).copied().unwrap_or(0),
            ExprKind::Unary(op, a) => {
                let a = self.following(a);
                let op = match op {
                    Unary::Negate => Op::SNegate,
                    Unary::Not => Op::LogicalNot,
                    Unary::Complement => Op::Not,
                };
                self.spec_op(op, ty, &[a])
            }
            ExprKind::Binary(op, a, b) => {
                let of = Num::of(&self.what(self.program.exprs[a.0 as usize].ty));
                let operands = [self.following(a), self.following(b)];
                let op = instruction(op, of.map_or(scalar, |num| num.scalar));
                self.spec_op(op, ty, &operands)
            }
            ExprKind::Logical(op, a, b) => {
                let operands = [self.following(a), self.following(b)];
                let op = if op == Logical::And { Op::LogicalAnd } else { Op::LogicalOr };
                self.spec_op(op, ty, &operands)
            }
            ExprKind::Ternary(a, b, c) => {
                let operands = [a, b, c].map(|e| self.following(e));
                self.spec_op(Op::Select, ty, &operands)
            }
            ExprKind::Convert(a) => {
                let from = Num::of(&self.what(self.program.exprs[a.0 as usize].ty));
                let a = self.following(a);
                self.following_as(a, from.map_or(scalar, |num| num.scalar), scalar)
            }
            ExprKind::Intrinsic(Intrinsic::Cooperative(Cooperative::FixedLength), ref args) => {
                match args.first() {
                    Some(&matrix) => self.fixed_length(matrix),
                    None => self.fail("a matrix is expected"),
                }
            }
            _ => self.fail("this cannot be a specialisation constant"),
        }
    }

    /// Another integer type, or a bool. `OpBitcast` is not for these constants: adding zero is.
    fn following_as(&mut self, a: Id, from: Scalar, to: Scalar) -> Id {
        if from == to {
            return a;
        }
        let ty = self.num_ty(Num::scalar(to));
        let zero = |this: &mut Self, scalar| this.number(Num::scalar(scalar), 0);
        match (from.family(), to.family()) {
            (Family::Bool, _) => {
                let (one, zero) = (self.number(Num::scalar(to), 1), zero(self, to));
                self.spec_op(Op::Select, ty, &[a, one, zero])
            }
            (_, Family::Bool) => {
                let zero = zero(self, from);
                self.spec_op(Op::INotEqual, ty, &[a, zero])
            }
            _ if from.bits() == to.bits() => {
                let zero = zero(self, from);
                self.spec_op(Op::IAdd, ty, &[a, zero])
            }
            (family, _) => {
                let between = super::convert::same_sign(from, to.bits());
                let between_ty = self.num_ty(Num::scalar(between));
                let op = if family == Family::Signed { Op::SConvert } else { Op::UConvert };
                let wide = self.spec_op(op, between_ty, &[a]);
                self.following_as(wide, between, to)
            }
        }
    }

    fn spec_op(&mut self, op: Op, ty: Id, operands: &[Id]) -> Id {
        let words: Vec<u32> = std::iter::once(op as u32).chain(operands.iter().copied()).collect();
        self.out.declare(Op::SpecConstantOp, ty, &words)
    }
}
