//! Operators: component by component, linear algebra, comparison of anything.

use chiaro_words::write::Id;
use spirv::{Decoration, Op};

use crate::hir::{Binary, ExprId, Unary};
use crate::ty::{Family, Scalar, Type};

use super::constant::MOST_ELEMENTS;
use super::emitter::Emitter;
use super::family::by_family;
use super::features::is_relaxed;
use crate::numeric::Num;

/// What is said of a result.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Marks {
    /// `lowp` or `mediump`.
    pub(super) relaxed: bool,
    /// `precise`: no contraction.
    pub(super) exact: bool,
}

/// A value with its type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Typed {
    pub(super) id: Id,
    pub(super) ty: Type,
}

impl Emitter<'_> {
    pub(super) fn marks(&self, e: ExprId) -> Marks {
        let expr = &self.program.exprs[e.0 as usize];
        Marks { relaxed: is_relaxed(expr.precision), exact: self.exact.holds(e) }
    }

    /// An instruction whose result is marked.
    pub(super) fn marked(&mut self, op: Op, ty: Id, operands: &[Id], marks: Marks) -> Id {
        let id = self.op(op, ty, operands);
        if marks.relaxed {
            self.out.decorate(id, Decoration::RelaxedPrecision, &[]);
        }
        if marks.exact && can_contract(op) {
            self.out.decorate(id, Decoration::NoContraction, &[]);
        }
        id
    }

    /// The same value in each component.
    pub(super) fn splat(&mut self, value: Id, ty: Type, count: u8) -> Id {
        let Some(num) = Num::of(&ty) else { return value };
        if count < 2 {
            return value;
        }
        let ty = self.num_ty(Num::vector(num.scalar, count));
        if count > 4 {
            return self.op(Op::CompositeConstruct, ty, &vec![value; count.into()]);
        }
        self.op(Op::CompositeConstruct, ty, &[value; 4][..usize::from(count)])
    }

    /// The same value in each component of a type's shape.
    pub(super) fn splat_as(&mut self, value: Id, ty: Type, shape: Num) -> Id {
        match Num::of(&ty) {
            Some(num) if shape.is_coop() => self.coop_splat(value, shape.with(num.scalar)),
            _ => self.splat(value, ty, shape.rows),
        }
    }

    pub(super) fn unary(&mut self, op: Unary, a: Typed, marks: Marks) -> Id {
        let Some(num) = Num::of(&a.ty) else { return self.fail("an operator of what is no number") };
        if num.is_matrix() {
            return self.by_column(num, &[a.id], |this, _, column| {
                this.unary(op, Typed { id: column[0], ty: num.column().ty() }, marks)
            });
        }
        let ty = self.num_ty(num);
        let op = match op {
            Unary::Negate => by_family(num.scalar, [Op::FNegate, Op::SNegate, Op::SNegate]),
            Unary::Not => Op::LogicalNot,
            Unary::Complement => Op::Not,
        };
        self.marked(op, ty, &[a.id], marks)
    }

    /// Columns of matrices one by one, put together again.
    pub(super) fn by_column(
        &mut self,
        num: Num,
        matrices: &[Id],
        mut each: impl FnMut(&mut Self, u8, &[Id]) -> Id,
    ) -> Id {
        let column = self.num_ty(num.column());
        let mut columns = Vec::with_capacity(num.columns.into());
        for i in 0..num.columns {
            let parts: Vec<Id> =
                matrices.iter().map(|&m| self.op(Op::CompositeExtract, column, &[m, i.into()])).collect();
            columns.push(each(self, i, &parts));
        }
        let ty = self.num_ty(num);
        self.op(Op::CompositeConstruct, ty, &columns)
    }

    /// An operator with both operands computed.
    pub(super) fn binary(&mut self, op: Binary, a: Typed, b: Typed, marks: Marks) -> Id {
        if matches!(op, Binary::Equal | Binary::NotEqual) {
            return self.equality(op == Binary::Equal, a, b);
        }
        let (Some(x), Some(y)) = (Num::of(&a.ty), Num::of(&b.ty)) else {
            return self.fail("an operator of what is no number");
        };
        match op {
            Binary::Mul if x.is_coop() != y.is_coop() && self.scales(x, y) => self.scaled(a, x, b, y, marks),
            Binary::Mul if x.is_matrix() || y.is_matrix() => self.product(a.id, x, b.id, y, marks),
            _ if x.is_matrix() || y.is_matrix() => self.matrix_binary(op, a.id, x, b.id, y, marks),
            Binary::Mul if x.scalar.family() == Family::Float && x.is_scalar() != y.is_scalar() => {
                let (vector, scalar, num) = if y.is_scalar() { (a.id, b.id, x) } else { (b.id, a.id, y) };
                let ty = self.num_ty(num);
                self.marked(Op::VectorTimesScalar, ty, &[vector, scalar], marks)
            }
            _ => self.components(op, a, x, b, y, marks),
        }
    }

    fn components(&mut self, op: Binary, a: Typed, x: Num, b: Typed, y: Num, marks: Marks) -> Id {
        let shape = if x.is_scalar() { y } else { x };
        let left = if x.is_scalar() { self.splat_as(a.id, a.ty, shape) } else { a.id };
        let right = if y.is_scalar() { self.splat_as(b.id, b.ty, shape) } else { b.id };
        let compares =
            matches!(op, Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual);
        let result = shape.with(if compares { Scalar::Bool } else { x.scalar });
        let ty = self.num_ty(result);
        let marks = if compares || result.scalar == Scalar::Bool { Marks::default() } else { marks };
        self.marked(instruction(op, x.scalar), ty, &[left, right], marks)
    }

    /// Column by column; a scalar stands for all components.
    fn matrix_binary(&mut self, op: Binary, a: Id, x: Num, b: Id, y: Num, marks: Marks) -> Id {
        let num = if x.is_matrix() { x } else { y };
        let matrices: Vec<Id> =
            [(a, x), (b, y)].into_iter().filter(|(_, n)| n.is_matrix()).map(|(id, _)| id).collect();
        let column = num.column();
        self.by_column(num, &matrices, |this, _, parts| {
            let mut parts = parts.iter().copied();
            let mut operand = |whole: Id, n: Num| {
                let id = if n.is_matrix() { parts.next().unwrap_or(whole) } else { whole };
                Typed { id, ty: if n.is_matrix() { column.ty() } else { n.ty() } }
            };
            let (left, right) = (operand(a, x), operand(b, y));
            this.binary(op, left, right, marks)
        })
    }

    /// Linear algebra.
    fn product(&mut self, a: Id, x: Num, b: Id, y: Num, marks: Marks) -> Id {
        let (op, operands, result) = match (x.is_matrix(), y.is_matrix()) {
            (true, true) => (Op::MatrixTimesMatrix, [a, b], Num { columns: y.columns, ..x }),
            (true, false) if y.is_scalar() => (Op::MatrixTimesScalar, [a, b], x),
            (false, true) if x.is_scalar() => (Op::MatrixTimesScalar, [b, a], y),
            (true, false) => (Op::MatrixTimesVector, [a, b], x.column()),
            _ => (Op::VectorTimesMatrix, [a, b], Num::vector(x.scalar, y.columns)),
        };
        let ty = self.num_ty(result);
        self.marked(op, ty, &operands, marks)
    }

    /// One bool: whether everything in two values is equal, or anything is not.
    fn equality(&mut self, equal: bool, a: Typed, b: Typed) -> Id {
        let bool_ty = self.num_ty(Num::BOOL);
        match Num::of(&a.ty) {
            Some(num) if !num.is_matrix() => {
                let ty = self.num_ty(num.with(Scalar::Bool));
                let op = equality_op(equal, num.scalar);
                let each = self.op(op, ty, &[a.id, b.id]);
                match num.is_scalar() {
                    true => each,
                    false => self.op(if equal { Op::All } else { Op::Any }, bool_ty, &[each]),
                }
            }
            _ => self.parts_equality(equal, a, b, bool_ty),
        }
    }

    fn parts_equality(&mut self, equal: bool, a: Typed, b: Typed, bool_ty: Id) -> Id {
        let parts = self.parts(&a.ty);
        self.body.parts = self.body.parts.saturating_add(parts.len() as u32);
        // Of arrays with more elements than a constant has, `parts` tells only the first.
        if parts.len() > MOST_ELEMENTS as usize || self.body.parts > 1 << 18 {
            return self.fail("comparisons of arrays and structures have too many parts");
        }
        let mut all = None;
        for (i, ty) in parts.into_iter().enumerate() {
            let part_ty = self.plain_ty(&ty);
            let [x, y] = [a.id, b.id].map(|id| self.op(Op::CompositeExtract, part_ty, &[id, i as u32]));
            let one = self.equality(equal, Typed { id: x, ty }, Typed { id: y, ty });
            let join = if equal { Op::LogicalAnd } else { Op::LogicalOr };
            all = Some(match all {
                Some(all) => self.op(join, bool_ty, &[all, one]),
                None => one,
            });
        }
        all.unwrap_or_else(|| self.scalar_constant(Scalar::Bool, equal.into()))
    }
}

/// `==` or `!=` of components. What is no number differs from itself.
pub(super) fn equality_op(equal: bool, scalar: Scalar) -> Op {
    match (scalar.family(), equal) {
        (Family::Bool, true) => Op::LogicalEqual,
        (Family::Bool, false) => Op::LogicalNotEqual,
        (Family::Float, true) => Op::FOrdEqual,
        (Family::Float, false) => Op::FUnordNotEqual,
        (_, true) => Op::IEqual,
        (_, false) => Op::INotEqual,
    }
}

/// The instruction of an operator for components of a type.
pub(super) fn instruction(op: Binary, scalar: Scalar) -> Op {
    let of = |float, signed, unsigned| by_family(scalar, [float, signed, unsigned]);
    match op {
        Binary::Add => of(Op::FAdd, Op::IAdd, Op::IAdd),
        Binary::Sub => of(Op::FSub, Op::ISub, Op::ISub),
        Binary::Mul => of(Op::FMul, Op::IMul, Op::IMul),
        Binary::Div => of(Op::FDiv, Op::SDiv, Op::UDiv),
        // The language leaves negative operands open; machines give the dividend's sign.
        Binary::Rem => of(Op::FMod, Op::SRem, Op::UMod),
        Binary::Shl => Op::ShiftLeftLogical,
        Binary::Shr => of(Op::ShiftRightLogical, Op::ShiftRightArithmetic, Op::ShiftRightLogical),
        Binary::BitAnd => Op::BitwiseAnd,
        Binary::BitOr => Op::BitwiseOr,
        Binary::BitXor => Op::BitwiseXor,
        Binary::Xor => Op::LogicalNotEqual,
        Binary::Equal => equality_op(true, scalar),
        Binary::NotEqual => equality_op(false, scalar),
        Binary::Less => of(Op::FOrdLessThan, Op::SLessThan, Op::ULessThan),
        Binary::LessEqual => of(Op::FOrdLessThanEqual, Op::SLessThanEqual, Op::ULessThanEqual),
        Binary::Greater => of(Op::FOrdGreaterThan, Op::SGreaterThan, Op::UGreaterThan),
        Binary::GreaterEqual => of(Op::FOrdGreaterThanEqual, Op::SGreaterThanEqual, Op::UGreaterThanEqual),
    }
}

/// Arithmetic that a compiler might fuse or reorder.
fn can_contract(op: Op) -> bool {
    matches!(
        op,
        Op::FNegate
            | Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FRem
            | Op::FMod
            | Op::VectorTimesScalar
            | Op::VectorTimesMatrix
            | Op::MatrixTimesScalar
            | Op::MatrixTimesVector
            | Op::MatrixTimesMatrix
            | Op::OuterProduct
            | Op::Dot
    )
}
