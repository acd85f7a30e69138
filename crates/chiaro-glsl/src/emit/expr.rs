//! Expressions: values, short circuits, choices, assignments.

use chiaro_words::write::Id;
use spirv::{Op, SelectionControl};

use crate::hir::{Binary, ExprId, ExprKind, Logical, Step};
use crate::ty::{Scalar, Type};

use super::arith::Typed;
use super::emitter::{DEEPEST, Emitter};
use super::state::Root;
use crate::numeric::Num;

/// Nodes of an expression that is computed although its value may not be needed.
const CHEAP: u32 = 8;

impl<'a> Emitter<'a> {
    /// A value with its type.
    pub(super) fn typed(&mut self, e: ExprId) -> Typed {
        Typed { id: self.value(e), ty: self.what(self.program.exprs[e.0 as usize].ty) }
    }

    /// Computes an expression. What has no value gives 0.
    pub(super) fn value(&mut self, e: ExprId) -> Id {
        if self.depth >= DEEPEST {
            return self.fail(format!("expressions are nested more than {DEEPEST} deep"));
        }
        self.depth += 1;
        let outer = self.body.span;
        let id = self.compute(e);
        if self.program.nonuniform.contains(&e) {
            self.differs(id);
        }
        self.body.span = outer;
        self.depth -= 1;
        id
    }

    fn compute(&mut self, e: ExprId) -> Id {
        let program: &'a crate::hir::Program = self.program;
        let expr = &program.exprs[e.0 as usize];
        self.at(expr.at);
        let ty = self.what(expr.ty);
        match &expr.kind {
            ExprKind::Constant(bits) => self.constant(&ty, bits),
            ExprKind::Null => self.null(&ty),
            ExprKind::Spec(id) => self.specs.get(id.0 as usize).copied().unwrap_or(0),
            ExprKind::Local(_) | ExprKind::Global(_) | ExprKind::Deref(_) => self.read(e),
            ExprKind::Member(..) | ExprKind::Index(..) => self.read(e),
            ExprKind::Swizzle(..) => self.read(e),
            ExprKind::Unary(op, a) => {
                let a = self.typed(*a);
                self.unary(*op, a, self.marks(e))
            }
            ExprKind::Binary(..) => self.chain(e),
            ExprKind::Logical(op, a, b) => self.logical(*op, *a, *b),
            ExprKind::Ternary(c, a, b) => self.ternary(*c, *a, *b, &ty),
            ExprKind::Assign(to, from) => self.assign(*to, *from),
            ExprKind::Update(op, to, from) => self.update(*op, *to, *from, e),
            ExprKind::Step(step, to) => self.step(*step, *to, e),
            ExprKind::Convert(a) => {
                let a = self.typed(*a);
                self.convert(a, &ty)
            }
            ExprKind::Construct(args) => self.construct(&ty, args),
            ExprKind::Call(function, args) => self.call(*function, args),
            ExprKind::Spirv(number, args) => self.spirv_call(*number, args, &ty),
            ExprKind::Intrinsic(intrinsic, args) => self.intrinsic(*intrinsic, args, &ty, e),
            ExprKind::Length(a) => self.length(*a, &ty),
            ExprKind::Comma(a, b) => {
                self.value(*a);
                self.value(*b)
            }
        }
    }

    /// Reads a variable, or takes a part of a value.
    fn read(&mut self, e: ExprId) -> Id {
        if self.is_place(e) {
            let place = self.place(e);
            let id = self.load(&place);
            if self.marks(e).relaxed {
                self.out.decorate(id, spirv::Decoration::RelaxedPrecision, &[]);
            }
            return id;
        }
        let program: &'a crate::hir::Program = self.program;
        let ty = self.what(program.exprs[e.0 as usize].ty);
        match &program.exprs[e.0 as usize].kind {
            ExprKind::Global(id) => match self.globals.get(id.0 as usize) {
                Some(Root::Value(value)) => *value,
                Some(Root::Transposed(place)) => {
                    let place = place.clone();
                    let matrix = self.load(&place);
                    let ty = self.plain_ty(&ty);
                    self.op(Op::Transpose, ty, &[matrix])
                }
                Some(Root::Mask(place)) => {
                    let place = place.clone();
                    let mask = self.load(&place);
                    self.half_of_mask(mask)
                }
                _ => self.fail("a variable is used that is nowhere declared"),
            },
            ExprKind::Member(base, i) => {
                let base = self.value(*base);
                let ty = self.plain_ty(&ty);
                self.op(Op::CompositeExtract, ty, &[base, *i])
            }
            ExprKind::Swizzle(base, components) => {
                let base = self.typed(*base);
                let count = Num::of(&ty).map_or(1, |n| n.rows);
                match Num::of(&base.ty) {
                    Some(num) => self.shuffle(base.id, num, &components[..usize::from(count)]),
                    None => base.id,
                }
            }
            ExprKind::Index(base, index) => self.index_value(*base, *index, &ty),
            _ => self.fail("this cannot be read"),
        }
    }

    /// An element of a value that is no variable.
    fn index_value(&mut self, base: ExprId, index: ExprId, ty: &Type) -> Id {
        let from = self.typed(base);
        let ty_id = self.plain_ty(ty);
        if let Some(n) = self.constant_index(index) {
            let count = match from.ty {
                Type::Array(_, crate::ty::Length::Known(count)) => count,
                Type::Vector(_, count) | Type::Matrix { columns: count, .. } => count.into(),
                _ => u32::MAX,
            };
            return self.op(Op::CompositeExtract, ty_id, &[from.id, n.min(count.saturating_sub(1))]);
        }
        let index = self.value(index);
        if matches!(from.ty, Type::Vector(..)) || self.is_open_vector(&from.ty) {
            return self.op(Op::VectorExtractDynamic, ty_id, &[from.id, index]);
        }
        let is_constant = matches!(self.program.exprs[base.0 as usize].kind, ExprKind::Constant(_));
        let mut place = if is_constant {
            let table = self.table(from.id, &from.ty);
            let class = spirv::StorageClass::Private;
            let format = spirv::ImageFormat::Unknown;
            super::state::Place::variable(table, class, from.ty, super::state::Memory::Plain, format)
        } else {
            let place = self.temporary(from.ty);
            self.store(&place, from.id);
            place
        };
        place.chain.push(super::state::Link { id: index, dynamic: Some(crate::ty::Scalar::Int) });
        place.ty = *ty;
        self.load(&place)
    }

    /// Operators of the left operand's left operand first, without recursion: sums of thousands
    /// are written by programs.
    fn chain(&mut self, e: ExprId) -> Id {
        let program: &'a crate::hir::Program = self.program;
        let mut spine = Vec::new();
        let mut first = e;
        while let ExprKind::Binary(op, a, b) = program.exprs[first.0 as usize].kind {
            spine.push((first, op, b));
            first = a;
        }
        let mut left = self.typed(first);
        while let Some((e, op, b)) = spine.pop() {
            let right = self.typed(b);
            self.at(program.exprs[e.0 as usize].at);
            let id = self.binary(op, left, right, self.marks(e));
            left = Typed { id, ty: self.what(program.exprs[e.0 as usize].ty) };
        }
        left.id
    }

    fn logical(&mut self, op: Logical, a: ExprId, b: ExprId) -> Id {
        let ty = self.num_ty(Num::BOOL);
        let left = self.value(a);
        if self.is_cheap(b) {
            let right = self.value(b);
            let op = if op == Logical::And { Op::LogicalAnd } else { Op::LogicalOr };
            return self.op(op, ty, &[left, right]);
        }
        let before = self.body.block;
        let (more, merge) = (self.out.fresh(), self.out.fresh());
        self.effect(Op::SelectionMerge, &[merge, SelectionControl::NONE.bits()]);
        let (yes, no) = if op == Logical::And { (more, merge) } else { (merge, more) };
        self.end(Op::BranchConditional, &[left, yes, no]);
        self.begin(more);
        let right = self.value(b);
        let after = self.body.block;
        self.branch(merge);
        self.begin(merge);
        self.op(Op::Phi, ty, &[left, before, right, after])
    }

    fn ternary(&mut self, c: ExprId, a: ExprId, b: ExprId, ty: &Type) -> Id {
        let condition = self.value(c);
        if let Some(num) = Num::of(ty).filter(|n| !n.is_matrix() && !n.is_coop())
            && self.is_cheap(a)
            && self.is_cheap(b)
        {
            let (a, b) = (self.value(a), self.value(b));
            let condition = self.splat(condition, Num::BOOL.ty(), num.rows);
            let ty = self.num_ty(num);
            return self.op(Op::Select, ty, &[condition, a, b]);
        }
        let labels: [Id; 3] = std::array::from_fn(|_| self.out.fresh());
        let [yes, no, merge] = labels;
        self.effect(Op::SelectionMerge, &[merge, SelectionControl::NONE.bits()]);
        self.end(Op::BranchConditional, &[condition, yes, no]);
        let mut operands = Vec::with_capacity(4);
        for (label, e) in [(yes, a), (no, b)] {
            self.begin(label);
            let value = self.value(e);
            operands.extend([value, self.body.block]);
            self.branch(merge);
        }
        self.begin(merge);
        if *ty == Type::Void {
            return 0;
        }
        let ty = self.plain_ty(ty);
        self.op(Op::Phi, ty, &operands)
    }

    fn assign(&mut self, to: ExprId, from: ExprId) -> Id {
        // The place's indices come first, as they are written first.
        let place = self.place(to);
        let value = self.value(from);
        self.store(&place, value);
        value
    }

    fn update(&mut self, op: Binary, to: ExprId, from: ExprId, e: ExprId) -> Id {
        let place = self.place(to);
        let right = self.typed(from);
        let ty = self.what(self.program.exprs[to.0 as usize].ty);
        let left = Typed { id: self.load(&place), ty };
        let value = match ty {
            Type::Reference(_) => self.update_address(op, left, right),
            _ => self.binary(op, left, right, self.marks(e)),
        };
        self.store(&place, value);
        value
    }

    fn step(&mut self, step: Step, to: ExprId, e: ExprId) -> Id {
        let place = self.place(to);
        let ty = self.what(self.program.exprs[to.0 as usize].ty);
        let Some(num) = Num::of(&ty) else { return self.fail("only numbers are counted up and down") };
        let old = self.load(&place);
        let one = Typed { id: self.number(Num::scalar(num.scalar), 1), ty: Type::Scalar(num.scalar) };
        let op = if step.down { Binary::Sub } else { Binary::Add };
        let new = self.binary(op, Typed { id: old, ty }, one, self.marks(e));
        self.store(&place, new);
        if step.post { old } else { new }
    }

    /// Elements of the open array at a buffer's end.
    fn length(&mut self, e: ExprId, ty: &Type) -> Id {
        let ExprKind::Member(base, i) = self.program.exprs[e.0 as usize].kind else {
            return self.fail("only the open array at the end of a buffer has a length");
        };
        let place = self.place(base);
        let pointer = self.pointer(&place);
        let wide = *ty == Type::Scalar(Scalar::Int64);
        let unsigned = if wide { Num::scalar(Scalar::Uint64) } else { Num::UINT };
        if wide {
            self.need_wide_indices();
        }
        let of = self.num_ty(unsigned);
        let length = self.op(Op::ArrayLength, of, &[pointer, i]);
        self.convert(Typed { id: length, ty: unsigned.ty() }, ty)
    }

    /// Whether computing something for nothing costs little and changes nothing.
    fn is_cheap(&self, e: ExprId) -> bool {
        let mut left = CHEAP;
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            if left == 0 {
                return false;
            }
            left -= 1;
            match &self.program.exprs[e.0 as usize].kind {
                ExprKind::Constant(_)
                | ExprKind::Null
                | ExprKind::Spec(_)
                | ExprKind::Local(_)
                | ExprKind::Global(_) => {}
                ExprKind::Member(a, _) | ExprKind::Swizzle(a, _) | ExprKind::Convert(a) => open.push(*a),
                // An index may be out of range where the value is not needed.
                ExprKind::Index(a, i) if self.constant_index(*i).is_some() => open.push(*a),
                ExprKind::Unary(_, a) => open.push(*a),
                ExprKind::Binary(Binary::Div | Binary::Rem, ..) => return false,
                ExprKind::Binary(_, a, b) | ExprKind::Logical(_, a, b) => open.extend([*a, *b]),
                ExprKind::Construct(args) => open.extend(args),
                _ => return false,
            }
        }
        true
    }
}
