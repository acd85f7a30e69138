//! A function that is being made: emission of instructions, operands and results.

use crate::cfg::Cfg;
use crate::error::{Res, fail};
use crate::fold;
use crate::ids::Id;
use crate::labels::{Labels, Loop};
use crate::reader::Reader;
use crate::type_info::TypeId;
use crate::words::Inst;
use chiaro_ir::{Block, Constant, ConstantKind, Flags, Function, Op, Ty, Type, Value};
use std::collections::HashMap;

/// A pointer to a column of a row-major matrix: the matrix's rows, and which column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) rows: Value,
    pub(crate) number: Value,
    /// The column's type.
    pub(crate) ty: TypeId,
}

/// Where a block of the IR stands in the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stand {
    pub(crate) parent: Block,
    pub(crate) depth: u32,
    /// The loop whose continuing block it is.
    pub(crate) continues: Option<u32>,
}

/// The state of a function.
pub(crate) struct Body<'r, 'a> {
    pub(crate) r: &'r mut Reader<'a>,
    pub(crate) f: Function,
    pub(crate) cfg: Cfg,
    /// Where instructions go now.
    pub(crate) block: Block,
    /// The word of the instruction at hand.
    pub(crate) at: usize,
    /// Flags of the instruction at hand.
    pub(crate) flags: Flags,
    /// Whether the block at hand has its exit already.
    pub(crate) ended: bool,
    /// Block of each instruction of the IR.
    pub(crate) home: Vec<Block>,
    /// Each block of the IR.
    pub(crate) stands: Vec<Stand>,
    pub(crate) labels: Labels,
    pub(crate) loops: Vec<Loop>,
    pub(crate) columns: Vec<Column>,
    /// Variables for values that are used where the tree does not show them.
    pub(crate) spilled: HashMap<Value, Value>,
    /// Variables of the whole function, to be put at its start.
    pub(crate) variables: Vec<chiaro_ir::Inst>,
    /// Ids that stand for something of this function.
    pub(crate) defined: Vec<u32>,
}

impl Body<'_, '_> {
    /// Adds an instruction at the present place.
    #[inline]
    pub(crate) fn push(&mut self, op: Op, args: &[Value], results: &[Ty]) -> chiaro_ir::Inst {
        let inst = self.f.push(self.block, op, args, results);
        let data = self.f.inst_mut(inst);
        (data.flags, data.span) = (self.flags, self.r.lines.span());
        self.home.push(self.block);
        inst
    }

    /// An instruction that stands nowhere yet; its place counts as the function's start.
    pub(crate) fn make(&mut self, op: Op, args: &[Value], results: &[Ty]) -> chiaro_ir::Inst {
        self.home.push(self.f.body);
        self.f.make(op, args, results)
    }

    /// Adds an instruction with one result.
    #[inline]
    pub(crate) fn op(&mut self, op: Op, args: &[Value], ty: Ty) -> Value {
        let inst = self.push(op, args, &[ty]);
        self.f.results(inst).next().expect("it was made with one result")
    }

    /// An operation whose result has the type of its first operand.
    pub(crate) fn same(&mut self, op: Op, args: &[Value]) -> Value {
        self.op(op, args, self.f.ty(args[0]))
    }

    /// A comparison or a test: bools of as many components.
    pub(crate) fn test(&mut self, op: Op, args: &[Value]) -> Value {
        let ty = self.bools(self.f.ty(args[0]));
        self.op(op, args, ty)
    }

    /// One of two values of one type.
    pub(crate) fn select(&mut self, condition: Value, yes: Value, no: Value) -> Value {
        self.op(Op::Select, &[condition, yes, no], self.f.ty(yes))
    }

    /// Part `i` of a composite.
    pub(crate) fn extract(&mut self, v: Value, i: u32) -> Res<Value> {
        let Some(ty) = self.r.module.types.part(self.f.ty(v), i) else {
            return fail(format!("there is no part {i}"));
        };
        Ok(self.op(Op::Extract(i), &[v], ty))
    }

    /// All parts of a composite; its number of parts is limited.
    pub(crate) fn parts(&mut self, v: Value) -> Res<Vec<Value>> {
        match self.r.module.types.part_count(self.f.ty(v)) {
            Some(n @ 0..=4096) => (0..n).map(|i| self.extract(v, i)).collect(),
            Some(n) => fail(format!("taking {n} parts one by one is not supported")),
            None => fail("a composite is expected"),
        }
    }

    /// Components of a vector, or the scalar itself.
    pub(crate) fn scalars(&mut self, v: Value) -> Res<Vec<Value>> {
        if self.components(v) == 1 { Ok(vec![v]) } else { self.parts(v) }
    }

    /// A composite of its parts.
    pub(crate) fn construct(&mut self, parts: &[Value], ty: Ty) -> Value {
        match *parts {
            [only] if self.f.ty(only) == ty => only,
            _ => self.op(Op::Construct, parts, ty),
        }
    }

    /// Components of a vector; 1 for a scalar.
    pub(crate) fn components(&self, v: Value) -> u8 {
        self.r.module.types.components(self.f.ty(v))
    }

    /// The same scalar in each of `n` components.
    pub(crate) fn splat(&mut self, v: Value, n: u8) -> Value {
        if n <= 1 {
            return v;
        }
        let ty = self.r.module.types.vector(self.f.ty(v), n);
        self.op(Op::Construct, &[v], ty)
    }

    /// A scalar in as many components as another value has.
    pub(crate) fn splat_like(&mut self, v: Value, like: Value) -> Value {
        let n = self.components(like);
        if self.components(v) == 1 { self.splat(v, n) } else { v }
    }

    /// Bools of as many components as a type has.
    pub(crate) fn bools(&mut self, ty: Ty) -> Ty {
        let n = self.r.module.types.components(ty).max(1);
        let bool = self.r.module.types.intern(Type::Bool);
        self.r.module.types.vector(bool, n)
    }

    /// Another scalar in as many components as a type has.
    pub(crate) fn like(&mut self, scalar: Type, ty: Ty) -> Ty {
        let n = self.r.module.types.components(ty).max(1);
        let scalar = self.r.module.types.intern(scalar);
        self.r.module.types.vector(scalar, n)
    }

    /// Integers of 32 bits.
    pub(crate) fn int_ty(&mut self) -> Ty {
        self.r.module.types.intern(Type::Int(32))
    }

    /// A constant of the module.
    #[inline]
    pub(crate) fn known(&mut self, c: Constant) -> Value {
        self.f.constant(c, self.r.module.constants.ty(c))
    }

    /// A scalar or a splat of it: the bits.
    pub(crate) fn bits(&mut self, bits: u64, ty: Ty) -> Res<Value> {
        let (scalar, n) = (self.r.module.types.scalar(ty), self.r.module.types.components(ty));
        let mut c = self.r.scalar_of(scalar, bits)?;
        if n > 1 {
            c = self.r.module.constants.intern(ty, ConstantKind::Composite(vec![c; usize::from(n)]));
        }
        Ok(self.known(c))
    }

    /// A float of the type of another value.
    pub(crate) fn float(&mut self, x: f64, like: Value) -> Res<Value> {
        let ty = self.f.ty(like);
        let width = self.r.module.types.bits(ty).map_or(0, u32::from);
        match fold::float_bits(x, width) {
            Some(bits) if self.r.module.types.is_float(ty) => self.bits(bits, ty),
            _ => fail("floats are expected"),
        }
    }

    /// An integer of the type of another value.
    pub(crate) fn int(&mut self, x: i64, like: Value) -> Res<Value> {
        self.bits(x as u64, self.f.ty(like))
    }

    /// A 32-bit integer.
    pub(crate) fn int32(&mut self, x: u32) -> Value {
        let ty = self.int_ty();
        let c = self.r.module.constants.intern(ty, ConstantKind::Scalar(u64::from(x)));
        self.f.constant(c, ty)
    }

    /// The value that an id stands for, as it can be seen here.
    #[inline]
    pub(crate) fn value(&mut self, id: u32) -> Res<Value> {
        self.typed(id).map(|(v, _)| v)
    }

    /// The same with its type.
    #[inline]
    pub(crate) fn typed(&mut self, id: u32) -> Res<(Value, TypeId)> {
        match self.r.id(id)? {
            Id::Value(v, ty, false) => Ok((self.reach(v)?, ty)),
            // Whoever gets the bare pointer could not know that the rows are in order.
            Id::Value(_, _, true) => fail("a pointer to a row-major matrix is used as a value"),
            Id::Constant(c, ty) | Id::Global(c, ty, _) => Ok((self.known(c), ty)),
            Id::Column(_) => fail("a pointer to a column of a row-major matrix is used as a value"),
            _ => fail(format!("id %{id} is no value")),
        }
    }

    /// The value of operand word `i`.
    #[inline]
    pub(crate) fn operand(&mut self, inst: &Inst<'_>, i: usize) -> Res<Value> {
        self.value(inst.word(i)?)
    }

    /// The values of all operand words from `i` on.
    pub(crate) fn operands(&mut self, inst: &Inst<'_>, i: usize) -> Res<Vec<Value>> {
        inst.rest(i).iter().map(|&id| self.value(id)).collect()
    }

    /// The type that operand word 0 names, as a value's.
    #[inline]
    pub(crate) fn result_ty(&self, inst: &Inst<'_>) -> Res<(TypeId, Ty)> {
        let ty = self.r.type_of_id(inst.word(0)?)?;
        Ok((ty, self.r.value_ty(ty)))
    }

    /// Makes a value the result of an instruction with type and result.
    #[inline]
    pub(crate) fn set(&mut self, inst: &Inst<'_>, v: Value) -> Res<()> {
        let ty = self.r.type_of_id(inst.word(0)?)?;
        self.define(inst.word(1)?, Id::Value(v, ty, false))
    }

    /// Gives an id its meaning within this function.
    #[inline]
    pub(crate) fn define(&mut self, id: u32, meaning: Id) -> Res<()> {
        self.r.define(id, meaning)?;
        self.defined.push(id);
        Ok(())
    }

    /// That the function stays in proportion to the input, however much is written out.
    pub(crate) fn check_growth(&self) -> Res<()> {
        if self.f.inst_count() > self.r.words.all.len() * 256 + (1 << 16) {
            return fail("the function grows beyond any proportion");
        }
        Ok(())
    }

    /// A block within the present one.
    pub(crate) fn inner(&mut self, continues: Option<u32>) -> Res<Block> {
        let depth = self.stands[self.block.0 as usize].depth + 1;
        if depth > 1023 {
            return fail("control flow nests deeper than 1023");
        }
        let block = self.f.new_block();
        self.stands.push(Stand { parent: self.block, depth, continues });
        Ok(block)
    }
}
