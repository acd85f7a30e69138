//! Splits composite values, and puts them together from parts where a whole is needed.

use super::{Splitter, is_composite, is_small};
use chiaro_ir::{Def, Inst, Op, Ty, Type, Value};

impl Splitter<'_> {
    fn pieces(&self, value: Value) -> Option<&[Value]> {
        self.pieces.get(value.0 as usize)?.as_deref()
    }

    fn set_pieces(&mut self, value: Value, pieces: Box<[Value]>) {
        let n = value.0 as usize;
        if self.pieces.len() <= n {
            self.pieces.resize(self.f.value_count().max(n + 1), None);
        }
        self.pieces[n] = Some(pieces);
    }

    /// Part `n` of a composite, extracted here if it is not known as a value.
    pub(super) fn piece(&mut self, value: Value, n: u32) -> Value {
        if let Some(&piece) = self.pieces(value).and_then(|pieces| pieces.get(n as usize)) {
            return self.forward.get(piece);
        }
        if let Def::Constant(c) = self.f.def(value)
            && let Some(part) = self.module.constant_part(c, n)
        {
            return self.f.constant(part, self.module.constants.ty(part));
        }
        let ty = self.module.types.part(self.f.ty(value), n).unwrap_or(self.f.ty(value));
        self.emit(Op::Extract(n), &[value], ty)
    }

    /// The parts in the end of a small composite; anything else is its own.
    pub(super) fn flatten(&mut self, value: Value, out: &mut Vec<Value>) {
        match self.is_small(value) {
            true => self.flatten_small(value, out),
            false => out.push(value),
        }
    }

    fn flatten_small(&mut self, value: Value, out: &mut Vec<Value>) {
        let ty = self.f.ty(value);
        if !is_composite(&self.module.types, ty) {
            return out.push(value);
        }
        for n in 0..self.module.types.part_count(ty).unwrap_or(0) {
            let piece = self.piece(value, n);
            self.flatten_small(piece, out);
        }
    }

    /// A value of a type of its parts in the end; of a type that is no small composite, the
    /// next of them.
    pub(super) fn build(&mut self, ty: Ty, leaves: &mut dyn Iterator<Item = Value>) -> Value {
        if is_small(&self.module.types, ty) {
            return self.build_small(ty, leaves);
        }
        leaves.next().unwrap_or_else(|| self.undef(ty))
    }

    fn build_small(&mut self, ty: Ty, leaves: &mut dyn Iterator<Item = Value>) -> Value {
        if !is_composite(&self.module.types, ty) {
            return leaves.next().unwrap_or_else(|| self.undef(ty));
        }
        let count = self.module.types.part_count(ty).unwrap_or(0);
        let mut parts = Vec::with_capacity(count as usize);
        for n in 0..count {
            let part = self.module.types.part(ty, n).unwrap_or(ty);
            parts.push(self.build_small(part, leaves));
        }
        self.compose(ty, parts)
    }

    /// A composite of its direct parts.
    pub(super) fn compose(&mut self, ty: Ty, parts: Vec<Value>) -> Value {
        let whole = self.emit(Op::Construct, &parts, ty);
        self.set_pieces(whole, parts.into());
        whole
    }

    fn undef(&mut self, ty: Ty) -> Value {
        let c = self.module.constants.intern(ty, chiaro_ir::ConstantKind::Undef);
        self.f.constant(c, ty)
    }

    /// A new instruction with one result.
    pub(super) fn emit(&mut self, op: Op, args: &[Value], ty: Ty) -> Value {
        self.draft.value(&mut self.f, (op, args), ty, self.span)
    }

    pub(super) fn construct(&mut self, inst: Inst) {
        if let Some(result) = self.f.result_of(inst)
            && is_composite(&self.module.types, self.f.ty(result))
        {
            let parts = self.f.args(inst).into();
            self.set_pieces(result, parts);
        }
    }

    /// An insert into a small composite is another list of parts.
    pub(super) fn insert(&mut self, inst: Inst, n: u32) {
        let args = self.f.args(inst).to_vec();
        let Some(result) = self.f.result_of(inst) else { return };
        if !self.is_small(result) {
            return;
        }
        let count = self.module.types.part_count(self.f.ty(result)).unwrap_or(0);
        let parts = (0..count).map(|i| if i == n { args[1] } else { self.piece(args[0], i) });
        let parts: Vec<Value> = parts.collect();
        // The insert stands in the list already; where its parts are not known they follow it,
        // which does no harm, because they do not depend on it.
        self.set_pieces(result, parts.into());
    }

    /// Takes a part where it is known. Whether it was.
    pub(super) fn extract(&mut self, inst: Inst, n: u32) -> bool {
        let (args, Some(result)) = (self.f.args(inst), self.f.result_of(inst)) else { return false };
        let whole = args[0];
        let is_constant = matches!(self.f.def(whole), Def::Constant(_));
        if !is_composite(&self.module.types, self.f.ty(whole)) {
            return false;
        }
        if !is_constant && self.pieces(whole).is_none() {
            return false;
        }
        let piece = self.piece(whole, n);
        self.forward.set(result, piece);
        self.changed = true;
        true
    }

    /// A choice of composites is a choice of each part.
    pub(super) fn select(&mut self, inst: Inst) -> bool {
        let args = self.f.args(inst).to_vec();
        let Some(result) = self.f.result_of(inst).filter(|&result| self.is_small(result)) else {
            return false;
        };
        let (mut yes, mut no, mut leaves) = (Vec::new(), Vec::new(), Vec::new());
        self.flatten(args[1], &mut yes);
        self.flatten(args[2], &mut no);
        for (yes, no) in yes.into_iter().zip(no) {
            leaves.push(self.emit(Op::Select, &[args[0], yes, no], self.f.ty(yes)));
        }
        let whole = self.build(self.f.ty(result), &mut leaves.into_iter());
        self.forward.set(result, whole);
        self.changed = true;
        true
    }

    /// The place of a part, by constant indices from a pointer.
    pub(super) fn place(&mut self, pointer: Value, path: &[u32], ty: Ty) -> Value {
        if path.is_empty() {
            return pointer;
        }
        let Some((space, _)) = self.module.types.pointee(self.f.ty(pointer)) else { return pointer };
        let int = self.module.types.intern(Type::Int(32));
        let mut args = vec![pointer];
        for &n in path {
            let c = self.module.scalar(int, u64::from(n));
            args.push(self.f.constant(c, int));
        }
        let ty = self.module.types.intern(Type::Pointer(space, ty));
        self.emit(Op::Access, &args, ty)
    }
}
