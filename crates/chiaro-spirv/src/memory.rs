//! Variables, pointers, loads and stores.
//!
//! A load gives a value without layout. Row-major matrices are the only thing that needs
//! work: the IR has their rows in memory, so a load takes the rows and transposes, a store
//! the other way round, and a column of one is gathered and scattered by component.

use crate::body::{Body, Column};
use crate::error::{Res, fail};
use crate::ids::Id;
use crate::type_info::{Kind, TypeId};
use crate::types::laid_out;
use crate::words::Inst;
use chiaro_ir::{Def, Flags, Op, Space, Type, Value};
use spirv::{Decoration, MemoryAccess, Op as S};

/// Elements that are gathered or scattered one by one.
const MANY: u32 = 1024;

/// Where a pointer of SPIR-V leads.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// To a value of a type; whether its matrices stand by row.
    At(Value, TypeId, bool),
    /// To a column of a row-major matrix.
    Column(Column),
}

impl Body<'_, '_> {
    /// Emits an instruction of this family.
    pub(crate) fn memory(&mut self, inst: &Inst<'_>, op: S) -> Res<()> {
        match op {
            S::Variable => self.local(inst),
            S::Load => {
                self.volatile(inst, 3);
                let place = self.place(inst.word(2)?)?;
                let v = self.load(place)?;
                self.set(inst, v)
            }
            S::Store => {
                self.flags = Flags::default();
                self.volatile(inst, 2);
                let place = self.place(inst.word(0)?)?;
                let v = self.operand(inst, 1)?;
                self.store(place, v)
            }
            S::CopyMemory => {
                self.flags = Flags::default();
                self.volatile(inst, 2);
                let (to, from) = (self.place(inst.word(0)?)?, self.place(inst.word(1)?)?);
                let v = self.load(from)?;
                self.store(to, v)
            }
            S::AccessChain | S::InBoundsAccessChain => self.chain(inst, 3),
            S::PtrAccessChain | S::InBoundsPtrAccessChain => self.pointer_chain(inst),
            S::ArrayLength => self.length(inst),
            S::CopyObject => {
                let meaning = self.r.id(inst.word(2)?)?;
                self.define(inst.word(1)?, meaning)
            }
            S::ImageTexelPointer => self.texel_pointer(inst),
            _ => self.same_address(inst, op == S::PtrNotEqual),
        }
    }

    /// Takes note of a volatile access; operand word `i` is the mask, if there is one.
    fn volatile(&mut self, inst: &Inst<'_>, i: usize) {
        self.flags.volatile = inst.word(i).is_ok_and(|mask| mask & MemoryAccess::VOLATILE.bits() != 0);
    }

    fn local(&mut self, inst: &Inst<'_>) -> Res<()> {
        let (pointer, ty) = self.result_ty(inst)?;
        let init = inst.word(3).ok().map(|id| self.value(id)).transpose()?;
        let (space, _) = self.r.pointee(pointer)?;
        if space != Space::Function {
            return fail("a variable inside of a function is not the function's");
        }
        let v = self.op(Op::Var(space), init.as_slice(), ty);
        let name = self.r.name(inst.word(1)?);
        if let (Def::Result(made, _), false) = (self.f.def(v), name.is_empty()) {
            self.f.variable_names.insert(made, name.into());
        }
        self.define(inst.word(1)?, Id::Value(v, pointer, false))
    }

    /// Where the pointer that an id stands for leads.
    fn place(&mut self, id: u32) -> Res<Place> {
        if let Id::Column(number) = self.r.id(id)? {
            let Some(&column) = self.columns.get(number as usize) else {
                return fail("no column of this function");
            };
            let (rows, number) = (self.reach(column.rows)?, self.reach(column.number)?);
            return Ok(Place::Column(Column { rows, number, ..column }));
        }
        let (v, pointer, by_row) = match self.r.id(id)? {
            Id::Value(v, ty, by_row) => (self.reach(v)?, ty, by_row),
            _ => self.typed(id).map(|(v, ty)| (v, ty, false))?,
        };
        let (space, ty) = self.r.pointee(pointer)?;
        let v = match self.r.module.types.pointee(self.f.ty(v)) {
            // A pointer that was announced early gets its type when it is followed.
            Some((_, to)) if matches!(self.r.module.types.get(to), Type::Void) => {
                let to = self.r.place_ty(space, ty);
                let pointer = self.r.module.types.intern(Type::Pointer(space, to));
                self.op(Op::Bitcast, &[v], pointer)
            }
            Some(_) => v,
            None => return fail("a pointer is expected"),
        };
        Ok(Place::At(v, ty, by_row))
    }

    fn load(&mut self, place: Place) -> Res<Value> {
        match place {
            Place::At(p, ty, by_row) => self.gather(p, ty, by_row),
            Place::Column(column) => {
                let places = self.column_places(column)?;
                let scalars: Vec<Value> =
                    places.into_iter().map(|(p, ty)| self.op(Op::Load, &[p], ty)).collect();
                Ok(self.construct(&scalars, self.r.value_ty(column.ty)))
            }
        }
    }

    fn store(&mut self, place: Place, v: Value) -> Res<()> {
        match place {
            Place::At(p, ty, by_row) => self.scatter(p, ty, by_row, v),
            Place::Column(column) => {
                let places = self.column_places(column)?;
                for (i, (p, _)) in places.into_iter().enumerate() {
                    let part = self.extract(v, i as u32)?;
                    self.push(Op::Store, &[p, part], &[]);
                }
                Ok(())
            }
        }
    }

    /// Pointers to the components of a column of a row-major matrix, and their type.
    fn column_places(&mut self, column: Column) -> Res<Vec<(Value, chiaro_ir::Ty)>> {
        let ty = self.r.value_ty(column.ty);
        let (scalar, rows) = (self.r.module.types.scalar(ty), self.r.module.types.components(ty));
        let mut places = Vec::new();
        for row in 0..u32::from(rows) {
            let row = self.int32(row);
            places.push((self.access(column.rows, &[row, column.number])?, scalar));
        }
        Ok(places)
    }

    /// Whether something behind a pointer stands by row.
    fn needs_work(&self, p: Value, ty: TypeId, by_row: bool) -> bool {
        let space = self.r.module.types.pointee(self.f.ty(p)).map(|to| to.0);
        by_row || self.r.info(ty).rows_inside && space.is_some_and(laid_out)
    }

    fn gather(&mut self, p: Value, ty: TypeId, by_row: bool) -> Res<Value> {
        let value = self.r.value_ty(ty);
        if !self.needs_work(p, ty, by_row) {
            return Ok(self.op(Op::Load, &[p], value));
        }
        if let Kind::Matrix(..) = self.r.info(ty).kind {
            let rows = self.rows_ty(ty)?;
            let rows = self.op(Op::Load, &[p], rows);
            return self.transposed(rows, value);
        }
        let mut parts = Vec::new();
        for (p, ty, by_row) in self.inside(p, ty, by_row)? {
            parts.push(self.gather(p, ty, by_row)?);
        }
        Ok(self.op(Op::Construct, &parts, value))
    }

    fn scatter(&mut self, p: Value, ty: TypeId, by_row: bool, v: Value) -> Res<()> {
        if !self.needs_work(p, ty, by_row) {
            self.push(Op::Store, &[p, v], &[]);
            return Ok(());
        }
        if let Kind::Matrix(..) = self.r.info(ty).kind {
            let rows = self.rows_ty(ty)?;
            let rows = self.transposed(v, rows)?;
            self.push(Op::Store, &[p, rows], &[]);
            return Ok(());
        }
        for (i, (p, ty, by_row)) in self.inside(p, ty, by_row)?.into_iter().enumerate() {
            let part = self.extract(v, i as u32)?;
            self.scatter(p, ty, by_row, part)?;
        }
        Ok(())
    }

    /// The transposed of a matrix type, as a value.
    fn rows_ty(&mut self, ty: TypeId) -> Res<chiaro_ir::Ty> {
        let Kind::Matrix(column, n) = self.r.info(ty).kind else { return fail("a matrix is expected") };
        let column = self.r.value_ty(column);
        let types = &mut self.r.module.types;
        let (scalar, rows) = (types.scalar(column), types.components(column));
        let row = types.vector(scalar, n);
        Ok(types.intern(Type::Array(row, u32::from(rows), 0)))
    }

    /// Pointers to the parts of what a pointer leads to.
    fn inside(&mut self, p: Value, ty: TypeId, by_row: bool) -> Res<Vec<(Value, TypeId, bool)>> {
        self.check_growth()?;
        let (Kind::Array(_, count, _) | Kind::Struct { count, .. }) = self.r.info(ty).kind else {
            return fail("a composite is expected");
        };
        if count == 0 || count > MANY {
            return fail(format!("row-major matrices in {count} elements at once are not supported"));
        }
        let mut found = Vec::new();
        for i in 0..count {
            let (part, by_row) = match self.r.info(ty).kind {
                Kind::Array(elem, ..) => (elem, by_row),
                _ => self.r.member(ty, i).map(|m| (m.ty, m.layout.by_row))?,
            };
            let index = self.int32(i);
            let p = self.access(p, &[index])?;
            found.push((p, part, by_row && self.r.of_matrices(part)));
        }
        Ok(found)
    }

    /// A pointer to a part, one index a level.
    pub(crate) fn access(&mut self, p: Value, indices: &[Value]) -> Res<Value> {
        let Some((space, mut ty)) = self.r.module.types.pointee(self.f.ty(p)) else {
            return fail("a pointer is expected");
        };
        for &index in indices {
            let part = match self.r.module.types.get(ty) {
                Type::Struct(_, members) => {
                    let Some(i) = self.constant_of(index) else {
                        return fail("a member of a structure is chosen by a constant");
                    };
                    members.get(i as usize).map(|m| m.ty)
                }
                _ => self.r.module.types.part(ty, 0),
            };
            let Some(part) = part else { return fail("there is no such part") };
            ty = part;
        }
        let pointer = self.r.module.types.intern(Type::Pointer(space, ty));
        let mut args = Vec::with_capacity(indices.len() + 1);
        args.push(p);
        args.extend_from_slice(indices);
        Ok(self.op(Op::Access, &args, pointer))
    }

    /// The bits of a value that is a scalar constant.
    pub(crate) fn constant_of(&self, v: Value) -> Option<u64> {
        match self.f.def(v) {
            Def::Constant(c) => self.r.module.constants.bits(c),
            _ => None,
        }
    }

    /// `OpAccessChain`: indices from operand word `first` on.
    fn chain(&mut self, inst: &Inst<'_>, first: usize) -> Res<()> {
        let base = self.place(inst.word(2)?)?;
        self.chain_from(inst, base, first)
    }

    fn chain_from(&mut self, inst: &Inst<'_>, base: Place, first: usize) -> Res<()> {
        let pointer = self.r.type_of_id(inst.word(0)?)?;
        let mut indices = self.operands(inst, first)?;
        let (p, mut ty, mut by_row) = match base {
            Place::At(p, ty, by_row) => (p, ty, by_row),
            Place::Column(column) => {
                let [row] = indices[..] else { return fail("one component of a column is expected") };
                let p = self.access(column.rows, &[row, column.number])?;
                return self.define(inst.word(1)?, Id::Value(p, pointer, false));
            }
        };
        let in_layout = self.r.module.types.pointee(self.f.ty(p)).is_some_and(|(space, _)| laid_out(space));
        for i in 0..indices.len() {
            match self.r.info(ty).kind {
                Kind::Matrix(column, _) if by_row => {
                    // The IR has the rows: the index of the row comes first.
                    if i + 1 == indices.len() {
                        let rows = if i == 0 { p } else { self.access(p, &indices[..i])? };
                        self.columns.push(Column { rows, number: indices[i], ty: column });
                        return self.define(inst.word(1)?, Id::Column(self.columns.len() as u32 - 1));
                    }
                    indices.swap(i, i + 1);
                    by_row = false;
                    ty = column;
                }
                Kind::Struct { .. } => {
                    let Some(member) = self.constant_of(indices[i]) else {
                        return fail("a member of a structure is chosen by a constant");
                    };
                    let member = self.r.member(ty, u32::try_from(member).unwrap_or(u32::MAX))?;
                    by_row = in_layout && member.layout.by_row && self.r.of_matrices(member.ty);
                    ty = member.ty;
                }
                _ => ty = self.r.part_type(ty, 0)?,
            }
        }
        let p = if indices.is_empty() { p } else { self.access(p, &indices)? };
        self.define(inst.word(1)?, Id::Value(p, pointer, by_row))
    }

    /// `OpPtrAccessChain`: the first index moves by whole elements.
    fn pointer_chain(&mut self, inst: &Inst<'_>) -> Res<()> {
        let by = self.operand(inst, 3)?;
        let place = self.place(inst.word(2)?)?;
        let Place::At(p, ty, by_row) = place else { return fail("a pointer to a column cannot be moved") };
        let p = if self.constant_of(by) == Some(0) { p } else { self.moved(inst, p, by)? };
        self.chain_from(inst, Place::At(p, ty, by_row), 4)
    }

    /// A pointer some elements further.
    fn moved(&mut self, inst: &Inst<'_>, p: Value, by: Value) -> Res<Value> {
        let pointer = self.f.ty(p);
        if let Some((Space::Device, _)) = self.r.module.types.pointee(pointer) {
            let stride =
                self.r.notes.value(self.r.words.all, inst.word(0)?, Decoration::ArrayStride).unwrap_or(0);
            let wide = self.r.module.types.intern(Type::Int(64));
            let by = if self.f.ty(by) == wide { by } else { self.op(Op::SExt, &[by], wide) };
            let stride = self.bits(u64::from(stride), wide)?;
            let offset = self.op(Op::IMul, &[by, stride], wide);
            let address = self.op(Op::Bitcast, &[p], wide);
            let sum = self.op(Op::IAdd, &[address, offset], wide);
            return Ok(self.op(Op::Bitcast, &[sum], pointer));
        }
        // Elsewhere the last index of the pointer's own chain moves.
        let Def::Result(chain, _) = self.f.def(p) else { return fail("this pointer cannot be moved") };
        if self.f.op(chain) != Op::Access {
            return fail("this pointer cannot be moved");
        }
        let mut args = self.f.args(chain).to_vec();
        for arg in &mut args {
            *arg = self.reach(*arg)?;
        }
        let Some(last) = args.last_mut() else { return fail("this pointer cannot be moved") };
        let wanted = self.f.ty(*last);
        let by = if self.f.ty(by) == wanted { by } else { self.op(Op::SExt, &[by], wanted) };
        *last = self.op(Op::IAdd, &[*last, by], wanted);
        Ok(self.op(Op::Access, &args, pointer))
    }

    fn length(&mut self, inst: &Inst<'_>) -> Res<()> {
        let (_, ty) = self.result_ty(inst)?;
        let Place::At(p, ..) = self.place(inst.word(2)?)? else { return fail("a structure is expected") };
        let int = self.int_ty();
        let mut v = self.op(Op::ArrayLength(inst.word(3)?), &[p], int);
        if ty != int {
            v = self.op(Op::ZExt, &[v], ty);
        }
        self.set(inst, v)
    }

    fn texel_pointer(&mut self, inst: &Inst<'_>) -> Res<()> {
        let (pointer, ty) = self.result_ty(inst)?;
        let args = self.operands(inst, 2)?;
        let v = self.op(Op::TexelPointer, &args, ty);
        self.define(inst.word(1)?, Id::Value(v, pointer, false))
    }

    fn same_address(&mut self, inst: &Inst<'_>, not: bool) -> Res<()> {
        let mut address = [Value(0); 2];
        for (i, address) in address.iter_mut().enumerate() {
            let p = self.operand(inst, 2 + i)?;
            let wide = self.r.module.types.intern(Type::Int(64));
            // Pointers to functions are numbers.
            if self.f.ty(p) == wide {
                *address = p;
                continue;
            }
            if !matches!(self.r.module.types.pointee(self.f.ty(p)), Some((Space::Device, _))) {
                return fail("only device pointers and pointers to functions can be compared");
            }
            *address = self.op(Op::Bitcast, &[p], wide);
        }
        let v = self.test(if not { Op::INe } else { Op::IEq }, &address);
        self.set(inst, v)
    }
}
