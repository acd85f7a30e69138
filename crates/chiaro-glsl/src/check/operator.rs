//! Operators: the types they take, conversions of operands, and assignments.

use chiaro_diag::{Advice, Fix, Replacement, Span};

use super::checker::Checker;
use super::state::{Parts, is_integer};
use crate::ast;
use crate::builtin::When;
use crate::hir::{self, ExprId, ExprKind};
use crate::numeric::Num;
use crate::token::At;
use crate::ty::{Scalar, Ty, Type};

const INTEGERS: When = When::since(300, 130).or(&["GL_EXT_gpu_shader4"]);

/// Arithmetic with one row of its own in [`sign`]; what the others are is in [`logical`].
fn arithmetic(op: ast::Binary) -> Option<hir::Binary> {
    Some(match op {
        ast::Binary::Add => hir::Binary::Add,
        ast::Binary::Sub => hir::Binary::Sub,
        ast::Binary::Mul => hir::Binary::Mul,
        ast::Binary::Div => hir::Binary::Div,
        ast::Binary::Rem => hir::Binary::Rem,
        ast::Binary::Shl => hir::Binary::Shl,
        ast::Binary::Shr => hir::Binary::Shr,
        ast::Binary::BitAnd => hir::Binary::BitAnd,
        ast::Binary::BitOr => hir::Binary::BitOr,
        ast::Binary::BitXor => hir::Binary::BitXor,
        ast::Binary::Xor => hir::Binary::Xor,
        ast::Binary::Equal => hir::Binary::Equal,
        ast::Binary::NotEqual => hir::Binary::NotEqual,
        ast::Binary::Less => hir::Binary::Less,
        ast::Binary::LessEqual => hir::Binary::LessEqual,
        ast::Binary::Greater => hir::Binary::Greater,
        ast::Binary::GreaterEqual => hir::Binary::GreaterEqual,
        ast::Binary::And | ast::Binary::Or => return None,
    })
}

/// `not(v)` in the place of `!v`.
fn not(all: Span, operand: Span) -> Fix {
    let call = Replacement { span: Span { end: operand.start, ..all }, with: "not(".to_owned() };
    Fix { edits: vec![call, Replacement { span: operand.end(), with: ")".to_owned() }] }
}

/// How an operator is written.
fn sign(op: ast::Binary) -> &'static str {
    match op {
        ast::Binary::Add => "+",
        ast::Binary::Sub => "-",
        ast::Binary::Mul => "*",
        ast::Binary::Div => "/",
        ast::Binary::Rem => "%",
        ast::Binary::Shl => "<<",
        ast::Binary::Shr => ">>",
        ast::Binary::BitAnd => "&",
        ast::Binary::BitOr => "|",
        ast::Binary::BitXor => "^",
        ast::Binary::And => "&&",
        ast::Binary::Or => "||",
        ast::Binary::Xor => "^^",
        ast::Binary::Equal => "==",
        ast::Binary::NotEqual => "!=",
        ast::Binary::Less => "<",
        ast::Binary::LessEqual => "<=",
        ast::Binary::Greater => ">",
        ast::Binary::GreaterEqual => ">=",
    }
}

/// Whether an operator takes integers only.
fn is_integral(op: ast::Binary) -> bool {
    use ast::Binary::{BitAnd, BitOr, BitXor, Rem, Shl, Shr};
    matches!(op, Rem | Shl | Shr | BitAnd | BitOr | BitXor)
}

/// What an operator's operands become, and its result: types of left, right and result.
struct Typing {
    left: Scalar,
    right: Scalar,
    result: Ty,
}

impl<'a> Checker<'a> {
    /// `a + b + c`: operands left to right, however many.
    pub(super) fn binary_chain(&mut self, id: ast::ExprId) -> ExprId {
        let ast = self.ast;
        let mut pending = Vec::new();
        let mut leftmost = id;
        while let ast::ExprKind::Binary(op, left, right) = &ast.exprs[leftmost.0 as usize].kind {
            pending.push((*op, *right, ast.exprs[leftmost.0 as usize].at));
            leftmost = *left;
        }
        let mut value = self.expr(leftmost);
        while let Some((op, right, at)) = pending.pop() {
            let right = match self.deeper(at, |this| this.expr(right)) {
                Some(right) => right,
                None => self.wrong(at),
            };
            value = self.binary(op, value, right, at);
        }
        value
    }

    /// An operator with two checked operands.
    pub(super) fn binary(&mut self, op: ast::Binary, left: ExprId, right: ExprId, at: At) -> ExprId {
        if self.is_error(left) || self.is_error(right) {
            return self.wrong(at);
        }
        self.must_be_readable(left);
        self.must_be_readable(right);
        let Some(kind) = arithmetic(op) else { return self.logical(op, left, right, at) };
        if is_integral(op) && !self.require_word(at, sign(op), INTEGERS) {
            return self.wrong(at);
        }
        let comparison = matches!(op, ast::Binary::Equal | ast::Binary::NotEqual);
        if comparison && [left, right].iter().any(|&side| self.is_unsized(self.ty_of(side))) {
            self.error(at, "arrays are compared only if their sizes are known");
            return self.wrong(at);
        }
        let made = if comparison {
            self.comparison(kind, left, right, at)
        } else {
            self.typing(op, left, right).map(|typing| {
                let left = self.convert_scalar(left, typing.left);
                let right = self.convert_scalar(right, typing.right);
                self.operate(kind, left, right, typing.result, at)
            })
        };
        made.or_else(|| self.reference_binary(op, left, right, at))
            .unwrap_or_else(|| self.no_operator(op, left, right, at))
    }

    fn convert_scalar(&mut self, id: ExprId, scalar: Scalar) -> ExprId {
        self.convert_scalars(id, Num { scalar, columns: 1, rows: 1 })
    }

    /// Folds or writes an operation whose operands fit.
    fn operate(&mut self, op: hir::Binary, left: ExprId, right: ExprId, ty: Ty, at: At) -> ExprId {
        let precision = self.highest(&[left, right]);
        let precision = if ty == self.known.bool { None } else { precision };
        if let Some(bits) = self.fold_binary(op, left, right, ty) {
            return self.push(ExprKind::Constant(bits), ty, precision, at);
        }
        self.push(ExprKind::Binary(op, left, right), ty, precision, at)
    }

    fn no_operator(&mut self, op: ast::Binary, left: ExprId, right: ExprId, at: At) -> ExprId {
        let (a, b) = (self.ty_of(left), self.ty_of(right));
        let (left_name, right_name) = (self.name_of(a), self.name_of(b));
        let remedy = if op == ast::Binary::Mul { self.product_advice(a, b) } else { None };
        let advice = remedy
            .map(Advice::words)
            .or_else(|| self.conversion_advice(right, a))
            .or_else(|| self.conversion_advice(left, b));
        let message = format!("`{}` does not take `{left_name}` and `{right_name}`", sign(op));
        self.error(at, message).advised(advice);
        self.wrong(at)
    }

    /// What makes a product of a matrix and a vector of other sizes right.
    fn product_advice(&self, a: Ty, b: Ty) -> Option<String> {
        let (matrix, vector) = (self.numeric(a)?, self.numeric(b)?);
        if !matrix.is_matrix() || !vector.is_vector() {
            return None;
        }
        match (matrix.columns, vector.rows) {
            (4, 3) => Some(
                "write `vec4(v, 1.0)` for a position, `vec4(v, 0.0)` or `mat3(m) * v` for a direction".into(),
            ),
            (n, more) if n < more => Some(format!("take {n} components: `.{}`", &"xyzw"[..usize::from(n)])),
            _ => None,
        }
    }

    /// `&&`, `||`
    fn logical(&mut self, op: ast::Binary, left: ExprId, right: ExprId, at: At) -> ExprId {
        let bool = self.known.bool;
        if self.ty_of(left) != bool || self.ty_of(right) != bool {
            return self.no_operator(op, left, right, at);
        }
        let op = if op == ast::Binary::And { hir::Logical::And } else { hir::Logical::Or };
        if let (Some(&[a]), Some(&[b])) = (self.bits(left), self.bits(right)) {
            let value = if op == hir::Logical::And { a & b } else { a | b };
            return self.constant([value], bool, at);
        }
        self.push(ExprKind::Logical(op, left, right), bool, None, at)
    }

    /// `==`, `!=`: any types that hold no opaque ones, after conversion of one operand.
    fn comparison(&mut self, op: hir::Binary, left: ExprId, right: ExprId, at: At) -> Option<ExprId> {
        let (a, b) = (self.ty_of(left), self.ty_of(right));
        let (left, right) = if a == b {
            (left, right)
        } else if self.fits(b, a) {
            (left, self.convert(right, a))
        } else if self.fits(a, b) {
            (self.convert(left, b), right)
        } else {
            return None;
        };
        let ty = self.ty_of(left);
        if ty == self.known.void
            || self.is_unsized(ty)
            || self.has(ty, Parts::OPAQUE | Parts::REFERENCE | Parts::SMALL | Parts::COOPERATIVE)
        {
            return None;
        }
        let array = self.has(ty, Parts::ARRAY);
        if array && !self.at_least(300, 120) {
            self.error(at, "arrays cannot be compared in this version");
            return Some(self.wrong(at));
        }
        Some(self.operate(op, left, right, self.known.bool, at))
    }

    /// The types of an operation on numbers; `None` if it takes no such operands.
    fn typing(&mut self, op: ast::Binary, left: ExprId, right: ExprId) -> Option<Typing> {
        let (a, b) = (self.numeric(self.ty_of(left))?, self.numeric(self.ty_of(right))?);
        if a.is_coop() || b.is_coop() {
            let scalar = self.coop_typing(op, a, b)?;
            let shape = if a.is_coop() { a } else { b };
            let result = self.of_numeric(Num { scalar, ..shape });
            return Some(Typing { left: scalar, right: scalar, result });
        }
        use ast::Binary::{
            Add, BitAnd, BitOr, BitXor, Div, Greater, GreaterEqual, Less, LessEqual, Mul, Rem, Shl, Shr, Sub,
            Xor,
        };
        match op {
            Xor => {
                let bool = self.known.bool;
                let both = self.ty_of(left) == bool && self.ty_of(right) == bool;
                both.then_some(Typing { left: Scalar::Bool, right: Scalar::Bool, result: bool })
            }
            Less | LessEqual | Greater | GreaterEqual => {
                let common = self.common(a.scalar, b.scalar)?;
                let scalars = a.is_scalar() && b.is_scalar() && common != Scalar::Bool;
                scalars.then_some(Typing { left: common, right: common, result: self.known.bool })
            }
            Shl | Shr => self.shift(a, b),
            Rem | BitAnd | BitOr | BitXor => {
                let common = self.common(a.scalar, b.scalar).filter(|&s| is_integer(s))?;
                self.componentwise(a, b, common)
            }
            Add | Sub | Div | Mul => {
                let common = self.common(a.scalar, b.scalar).filter(|&s| s != Scalar::Bool)?;
                match op == Mul {
                    true => self.product(a, b, common),
                    false => self.componentwise(a, b, common),
                }
            }
            _ => None,
        }
    }

    /// The scalar type that two become.
    fn common(&self, a: Scalar, b: Scalar) -> Option<Scalar> {
        if a.is_small() && b.is_small() {
            None
        } else if self.conversions.scalar(b, a) {
            Some(a)
        } else if self.conversions.scalar(a, b) {
            Some(b)
        } else {
            None
        }
    }

    /// Equal shapes, or a scalar with anything.
    fn componentwise(&mut self, a: Num, b: Num, scalar: Scalar) -> Option<Typing> {
        let shape = if a.is_scalar() {
            b
        } else if b.is_scalar() || (a.columns == b.columns && a.rows == b.rows) {
            a
        } else {
            return None;
        };
        let result = self.of_numeric(Num { scalar, ..shape });
        Some(Typing { left: scalar, right: scalar, result })
    }

    /// `*`, which is linear algebra where a matrix meets a vector or matrix.
    fn product(&mut self, a: Num, b: Num, scalar: Scalar) -> Option<Typing> {
        if !a.is_matrix() && !b.is_matrix() || a.is_scalar() || b.is_scalar() {
            return self.componentwise(a, b, scalar);
        }
        let shape = if !a.is_matrix() {
            // A row vector times a matrix.
            (a.rows == b.rows).then_some((1, b.columns))?
        } else {
            (a.columns == b.rows).then_some((b.columns, a.rows))?
        };
        let (columns, rows) = shape;
        let result = self.of_numeric(Num { scalar, columns, rows });
        Some(Typing { left: scalar, right: scalar, result })
    }

    /// `<<`, `>>`: the right operand's sign does not matter.
    fn shift(&mut self, a: Num, b: Num) -> Option<Typing> {
        let fits = is_integer(a.scalar)
            && is_integer(b.scalar)
            && !a.is_matrix()
            && (b.is_scalar() || a.rows == b.rows);
        let result = self.of_numeric(a);
        fits.then_some(Typing { left: a.scalar, right: b.scalar, result })
    }

    /// Operators with one operand.
    pub(super) fn unary(&mut self, op: ast::Unary, operand: ast::ExprId, at: At) -> ExprId {
        use ast::Unary::{
            Complement, Minus, Not, Plus, PostDecrement, PostIncrement, PreDecrement, PreIncrement,
        };
        let value = self.expr(operand);
        if self.is_error(value) {
            return self.wrong(at);
        }
        self.must_be_readable(value);
        let ty = self.ty_of(value);
        let shape = self.numeric(ty);
        let number = shape.is_some_and(|shape| shape.scalar != Scalar::Bool && !shape.scalar.is_small());
        let (fits, sign, kind) = match op {
            Plus => (number, "+", None),
            Minus => (number, "-", Some(hir::Unary::Negate)),
            Not => (ty == self.known.bool, "!", Some(hir::Unary::Not)),
            Complement => (
                shape.is_some_and(|shape| is_integer(shape.scalar) && !shape.is_matrix()),
                "~",
                Some(hir::Unary::Complement),
            ),
            PreIncrement | PostIncrement => (number, "++", None),
            PreDecrement | PostDecrement => (number, "--", None),
        };
        if !fits {
            let found = self.name_of(ty);
            let vector = op == Not && shape.is_some_and(|shape| shape.scalar == Scalar::Bool);
            let operand = self.tokens.span(self.at(value).at);
            let error = self.error(at, format!("`{sign}` does not take `{found}`"));
            if vector {
                let fix = error.span.zip(operand).map(|(all, operand)| not(all, operand));
                error.advised(Some(Advice::words("use `not(...)` for vectors").fix(fix)));
            }
            return self.wrong(at);
        }
        let precision = self.at(value).precision;
        match (op, kind) {
            (Complement, _) if !self.require(at, "`~`", INTEGERS) => self.wrong(at),
            (Plus, _) => match self.bits(value).map(<[u64]>::to_vec) {
                Some(bits) => self.push(ExprKind::Constant(bits.into()), ty, precision, at),
                None => value,
            },
            (_, Some(kind)) => match self.fold_unary(kind, value) {
                Some(bits) => self.push(ExprKind::Constant(bits), ty, precision, at),
                None => self.push(ExprKind::Unary(kind, value), ty, precision, at),
            },
            _ => {
                if !self.must_be_place(value, "this cannot be counted") {
                    return self.wrong(at);
                }
                let step = hir::Step {
                    down: matches!(op, PreDecrement | PostDecrement),
                    post: matches!(op, PostIncrement | PostDecrement),
                };
                self.push(ExprKind::Step(step, value), ty, precision, at)
            }
        }
    }

    /// `a = b`, `a += b`
    pub(super) fn assign(
        &mut self,
        op: Option<ast::Binary>,
        place: ast::ExprId,
        value: ast::ExprId,
        at: At,
    ) -> ExprId {
        let place = self.expr(place);
        let value = self.expr(value);
        if !self.must_be_place(place, "this cannot be assigned") || self.is_error(value) {
            return self.wrong(at);
        }
        self.must_be_readable(value);
        let ty = self.ty_of(place);
        let precision = self.at(place).precision;
        let Some(op) = op else {
            return self.store(place, value, ty, at);
        };
        self.must_be_readable(place);
        if matches!(self.ty(ty), Type::Reference(_))
            && let Some(bytes) = self.reference_step(op, place, value, at)
        {
            if self.is_error(bytes) {
                return bytes;
            }
            return self.push(ExprKind::Update(Self::update_of(op), place, bytes), ty, precision, at);
        }
        let typing = self.typing(op, place, value);
        let shape = self.numeric(ty);
        let Some(typing) = typing
            .filter(|typing| typing.result == ty && shape.is_some_and(|shape| shape.scalar == typing.left))
        else {
            return self.no_update(op, place, value, at);
        };
        let Some(kind) = arithmetic(op) else { return self.no_update(op, place, value, at) };
        if is_integral(op) {
            self.require(at, &format!("`{}=`", sign(op)), INTEGERS);
        }
        let value = self.convert_scalar(value, typing.right);
        self.push(ExprKind::Update(kind, place, value), ty, precision, at)
    }

    fn store(&mut self, place: ExprId, value: ExprId, ty: Ty, at: At) -> ExprId {
        const ARRAYS: When = When::since(300, 120).or(&["GL_3DL_array_objects"]);
        if matches!(self.ty(ty), Type::Array(..)) {
            self.require(at, "assignment of an array", ARRAYS);
            if self.is_unsized(ty) {
                self.error(at, "an array without a size cannot be assigned");
                return self.wrong(at);
            }
        }
        let precision = self.at(place).precision;
        let value = self.coerce(value, ty, "wrong type in this assignment");
        if self.is_error(value) {
            return self.wrong(at);
        }
        self.push(ExprKind::Assign(place, value), ty, precision, at)
    }

    fn no_update(&mut self, op: ast::Binary, place: ExprId, value: ExprId, at: At) -> ExprId {
        let (a, b) = (self.ty_of(place), self.ty_of(value));
        let advice = self.conversion_advice(value, a);
        let (left, right) = (self.name_of(a), self.name_of(b));
        let message = format!("`{}=` cannot put `{right}` into `{left}`", sign(op));
        self.error(at, message).advised(advice);
        self.wrong(at)
    }
}
