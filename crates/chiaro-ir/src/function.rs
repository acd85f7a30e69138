//! Functions: a tree of blocks in arenas.
//!
//! A construct is an instruction that owns blocks. Values leave it through its results:
//! every `exit` of it carries one value for each. Blocks have parameters only where a loop
//! needs them (body and continuing block). There is no phi and no edge list: control goes
//! down the block, into the construct, and out of it by an exit.

use crate::constant::Constant;
use crate::id::{Block, Inst, Value};
use crate::index::{Index, hash};
use crate::op::Op;
use crate::ty::Ty;
use chiaro_diag::Span;
use rustc_hash::FxHashMap;

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Def {
    /// A parameter of the function: its number.
    Param(u32),
    /// A result of an instruction: the instruction and the result's number.
    Result(Inst, u32),
    /// A parameter of a block: the block and the parameter's number.
    BlockParam(Block, u32),
    /// A constant; needs no instruction.
    Constant(Constant),
}

/// What is known of a float value, and what the source allows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Flags {
    /// Half precision is enough (mediump, RelaxedPrecision).
    pub relaxed: bool,
    /// No contraction and no reassociation (precise, NoContraction).
    pub exact: bool,
    /// The access may race or be seen by others, and is not to be merged or dropped.
    pub volatile: bool,
    /// The index or handle may differ between lanes.
    pub nonuniform: bool,
}

/// Who else knows a function, and who has its body.
///
/// Functions that other parts know are called in the way of a convention: their parameters and results are those of the
/// source, and of nothing that goes in or comes out is known whether lanes share it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Linkage {
    /// Only this module.
    #[default]
    Own,
    /// Other parts may call it by its name.
    Export,
    /// Another part has it: its own body is empty.
    Import,
}

/// A run of the function's list of values or blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Run {
    start: u32,
    len: u32,
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct InstData {
    /// What it does.
    pub op: Op,
    /// What it may assume.
    pub flags: Flags,
    /// The source text that it comes from.
    pub span: Option<Span>,
    args: Run,
    blocks: Run,
    /// First result; results are consecutive values.
    pub(crate) first: Value,
    results: u32,
}

/// A block: parameters, then instructions, the last of which is an exit.
#[derive(Clone, Debug, Default)]
pub struct BlockData {
    /// Its parameters.
    pub params: Vec<Value>,
    /// Its instructions in order.
    pub insts: Vec<Inst>,
}

#[derive(Clone, Copy, Debug)]
struct ValueData {
    ty: Ty,
    def: Def,
}

/// Instructions for which a block has room at first: that of most branches.
const FEW: usize = 8;

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name; unique within the module.
    pub name: String,
    /// Type of its result; void for none.
    pub result: Ty,
    /// Its parameters, in order.
    pub params: Vec<Value>,
    /// Its outermost block; of an imported function it has no instruction.
    pub body: Block,
    /// Who else knows it.
    pub linkage: Linkage,
    /// Whether it is called by lanes that want different functions: it serves those that want it, and where it ends the others go
    /// on, with those of its own that want one more. So of nothing that goes in or comes out is known whether lanes share it.
    /// Targets that have such calls say so of functions; no source does.
    pub dispatches: bool,
    /// The source text of its head.
    pub span: Option<Span>,
    /// What the source calls its variables, by the instruction that makes each. Functions that passes make
    /// have no such names.
    pub variable_names: FxHashMap<Inst, Box<str>>,
    insts: Vec<InstData>,
    blocks: Vec<BlockData>,
    values: Vec<ValueData>,
    /// Operands of all instructions, one run after another.
    args: Vec<Value>,
    /// Blocks of all constructs, one run after another.
    owned: Vec<Block>,
    /// Cases of switches: a value and the number of its block each.
    cases: FxHashMap<Inst, Box<[(u64, u32)]>>,
    /// The values of constants.
    constants: Index,
}

/// The hash under which the value of a constant is found.
fn constant_hash(values: &[ValueData], n: u32) -> u64 {
    match values[n as usize].def {
        Def::Constant(c) => hash(&c),
        _ => 0,
    }
}

impl Function {
    /// A function with an empty body.
    pub fn new(name: impl Into<String>, params: &[Ty], result: Ty) -> Function {
        let mut f = Function {
            name: name.into(),
            result,
            params: Vec::new(),
            body: Block(0),
            linkage: Linkage::Own,
            dispatches: false,
            span: None,
            variable_names: FxHashMap::default(),
            insts: Vec::new(),
            blocks: vec![BlockData::default()],
            values: Vec::new(),
            args: Vec::new(),
            owned: Vec::new(),
            cases: FxHashMap::default(),
            constants: Index::default(),
        };
        f.params = params.iter().enumerate().map(|(i, &ty)| f.value(ty, Def::Param(i as u32))).collect();
        f
    }

    /// An empty function with the name, the place and the linkage of this one, called as it is, with a signature of its own.
    #[must_use]
    pub fn successor(&self, params: &[Ty], result: Ty) -> Function {
        let (span, linkage, dispatches) = (self.span, self.linkage, self.dispatches);
        Function { span, linkage, dispatches, ..Function::new(self.name.as_str(), params, result) }
    }

    /// The types of its parameters, in order: with [`Function::result`] what its own type is made of.
    #[must_use]
    pub fn param_types(&self) -> Vec<Ty> {
        self.params.iter().map(|&param| self.ty(param)).collect()
    }

    /// Whether another part has its body.
    #[must_use]
    pub fn is_import(&self) -> bool {
        self.linkage == Linkage::Import
    }

    /// Makes room for so many more instructions.
    pub fn reserve(&mut self, count: usize) {
        self.insts.reserve(count);
        // Constants are values, too.
        self.values.reserve(count + count / 2);
        self.args.reserve(3 * count);
        self.blocks[self.body.0 as usize].insts.reserve(count);
    }

    fn value(&mut self, ty: Ty, def: Def) -> Value {
        self.values.push(ValueData { ty, def });
        Value(self.values.len() as u32 - 1)
    }

    /// The same function in another module, where types, constants and what operations name have other numbers.
    pub(crate) fn renumbered(
        &self,
        ty: &impl Fn(Ty) -> Ty,
        constant: &impl Fn(Constant) -> Constant,
        op: &impl Fn(Op) -> Op,
    ) -> Function {
        let mut f = self.clone();
        f.result = ty(f.result);
        for data in &mut f.values {
            data.ty = ty(data.ty);
            if let Def::Constant(c) = &mut data.def {
                *c = constant(*c);
            }
        }
        f.constants = Index::default();
        for n in 0..f.values.len() as u32 {
            if let Def::Constant(c) = f.values[n as usize].def {
                f.constants.add(hash(&c), n, |other| constant_hash(&f.values, other));
            }
        }
        f.insts.iter_mut().for_each(|inst| inst.op = op(inst.op));
        f
    }

    /// An instruction that stands in no block yet.
    pub fn make(&mut self, op: Op, args: &[Value], results: &[Ty]) -> Inst {
        let inst = Inst(self.insts.len() as u32);
        let start = self.args.len() as u32;
        self.args.extend_from_slice(args);
        let first = Value(self.values.len() as u32);
        for (i, &ty) in results.iter().enumerate() {
            self.value(ty, Def::Result(inst, i as u32));
        }
        let args = Run { start, len: args.len() as u32 };
        let (flags, blocks, results) = (Flags::default(), Run::default(), results.len() as u32);
        self.insts.push(InstData { op, flags, span: None, args, blocks, first, results });
        inst
    }

    /// As [`make`](Self::make), at the end of a block.
    pub fn push(&mut self, block: Block, op: Op, args: &[Value], results: &[Ty]) -> Inst {
        let inst = self.make(op, args, results);
        self.blocks[block.0 as usize].insts.push(inst);
        inst
    }

    /// A new block that nothing owns yet.
    pub fn new_block(&mut self) -> Block {
        self.blocks.push(BlockData { params: Vec::new(), insts: Vec::with_capacity(FEW) });
        Block(self.blocks.len() as u32 - 1)
    }

    /// A further parameter of a block.
    pub fn add_param(&mut self, block: Block, ty: Ty) -> Value {
        let number = self.blocks[block.0 as usize].params.len() as u32;
        let value = self.value(ty, Def::BlockParam(block, number));
        self.blocks[block.0 as usize].params.push(value);
        value
    }

    /// Gives a block other parameters, all of them its own: they are numbered anew.
    pub fn set_params(&mut self, block: Block, params: Vec<Value>) {
        for (i, param) in params.iter().enumerate() {
            if let Some(data) = self.values.get_mut(param.0 as usize) {
                data.def = Def::BlockParam(block, i as u32);
            }
        }
        self.blocks[block.0 as usize].params = params;
    }

    /// Gives a construct other results; the old ones must not be used any more.
    pub fn set_results(&mut self, inst: Inst, results: &[Ty]) {
        let first = Value(self.values.len() as u32);
        for (i, &ty) in results.iter().enumerate() {
            self.value(ty, Def::Result(inst, i as u32));
        }
        let data = &mut self.insts[inst.0 as usize];
        (data.first, data.results) = (first, results.len() as u32);
    }

    /// Gives a construct its blocks: then and else, body and continuing, or the cases.
    pub fn set_blocks(&mut self, inst: Inst, blocks: &[Block]) {
        let start = self.owned.len() as u32;
        self.owned.extend_from_slice(blocks);
        self.insts[inst.0 as usize].blocks = Run { start, len: blocks.len() as u32 };
    }

    /// Gives a switch its cases: a value and the number of a block each.
    pub fn set_cases(&mut self, inst: Inst, cases: &[(u64, u32)]) {
        self.cases.insert(inst, cases.into());
    }

    /// Gives an instruction other operands.
    pub fn set_args(&mut self, inst: Inst, args: &[Value]) {
        let old = self.insts[inst.0 as usize].args;
        let start = if args.len() <= old.len as usize {
            self.args[old.start as usize..old.start as usize + args.len()].copy_from_slice(args);
            old.start
        } else {
            self.args.extend_from_slice(args);
            (self.args.len() - args.len()) as u32
        };
        self.insts[inst.0 as usize].args = Run { start, len: args.len() as u32 };
    }

    /// The value of a constant of the module, of the type `ty`.
    pub fn constant(&mut self, c: Constant, ty: Ty) -> Value {
        let (values, key) = (&self.values, hash(&c));
        let is_it = |n: u32| values[n as usize].def == Def::Constant(c);
        if let Some(known) = self.constants.find(key, is_it) {
            return Value(known);
        }
        self.constants.add(key, values.len() as u32, |n| constant_hash(values, n));
        self.value(ty, Def::Constant(c))
    }

    /// An instruction.
    #[inline]
    pub fn inst(&self, inst: Inst) -> &InstData {
        &self.insts[inst.0 as usize]
    }

    /// An instruction, to be changed.
    #[inline]
    pub fn inst_mut(&mut self, inst: Inst) -> &mut InstData {
        &mut self.insts[inst.0 as usize]
    }

    /// A block.
    #[inline]
    pub fn block(&self, block: Block) -> &BlockData {
        &self.blocks[block.0 as usize]
    }

    /// A block, to be changed.
    #[inline]
    pub fn block_mut(&mut self, block: Block) -> &mut BlockData {
        &mut self.blocks[block.0 as usize]
    }

    /// What an instruction does.
    #[inline]
    pub fn op(&self, inst: Inst) -> Op {
        self.insts[inst.0 as usize].op
    }

    /// The operands of an instruction.
    #[inline]
    pub fn args(&self, inst: Inst) -> &[Value] {
        let Run { start, len } = self.insts[inst.0 as usize].args;
        &self.args[start as usize..(start + len) as usize]
    }

    /// The operands of an instruction, to be replaced one by one.
    #[inline]
    pub fn args_mut(&mut self, inst: Inst) -> &mut [Value] {
        let Run { start, len } = self.insts[inst.0 as usize].args;
        &mut self.args[start as usize..(start + len) as usize]
    }

    /// The blocks of a construct.
    #[inline]
    pub fn blocks_of(&self, inst: Inst) -> &[Block] {
        let Run { start, len } = self.insts[inst.0 as usize].blocks;
        &self.owned[start as usize..(start + len) as usize]
    }

    /// Whether an instruction owns blocks.
    #[inline]
    pub fn owns_blocks(&self, inst: Inst) -> bool {
        self.insts[inst.0 as usize].blocks.len != 0
    }

    /// The cases of a switch: value and number of the block.
    pub fn cases(&self, inst: Inst) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.cases.get(&inst).into_iter().flatten().copied()
    }

    /// The results of an instruction.
    #[inline]
    pub fn results(&self, inst: Inst) -> impl ExactSizeIterator<Item = Value> + Clone + use<> {
        let data = &self.insts[inst.0 as usize];
        let first = data.first.0;
        (0..data.results).map(move |i| Value(first + i))
    }

    /// Result number `n` of an instruction, if it has so many.
    #[inline]
    pub fn result(&self, inst: Inst, n: usize) -> Option<Value> {
        let data = &self.insts[inst.0 as usize];
        (n < data.results as usize).then(|| Value(data.first.0 + n as u32))
    }

    /// The only result of an instruction; `None` if there is none or several.
    #[inline]
    pub fn result_of(&self, inst: Inst) -> Option<Value> {
        let data = &self.insts[inst.0 as usize];
        (data.results == 1).then_some(data.first)
    }

    /// The type of a value.
    #[inline]
    pub fn ty(&self, value: Value) -> Ty {
        self.values[value.0 as usize].ty
    }

    /// Where a value comes from.
    #[inline]
    pub fn def(&self, value: Value) -> Def {
        self.values[value.0 as usize].def
    }

    /// How many values there are; handles are below it.
    #[inline]
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// How many instructions there are, those in no block included; handles are below it.
    #[inline]
    pub fn inst_count(&self) -> usize {
        self.insts.len()
    }

    /// Whether it never had a construct: all is in its body.
    #[inline]
    pub fn is_straight(&self) -> bool {
        self.blocks.len() == 1
    }

    /// How many blocks there are, those of no construct included; handles are below it.
    #[inline]
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// Every block that is reached from the body, outer ones first, with the instruction that
    /// owns it.
    pub fn tree(&self) -> Vec<(Option<Inst>, Block)> {
        if self.is_straight() {
            return vec![(None, self.body)];
        }
        let mut found = Vec::new();
        let mut open = vec![(None, self.body)];
        while let Some((owner, block)) = open.pop() {
            found.push((owner, block));
            for &inst in self.block(block).insts.iter().rev() {
                open.extend(self.blocks_of(inst).iter().rev().map(|&b| (Some(inst), b)));
            }
        }
        found
    }
}
