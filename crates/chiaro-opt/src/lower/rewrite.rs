//! Rewriting a whole function while a rule replaces instructions and types.
//!
//! Values of a function keep the type that they were made with; a pass that turns integers
//! into floats therefore makes a new function. One walk in the order of the text visits every
//! instruction; the rule answers what stands for it, everything else is copied. The walk has
//! its own stack, so that no depth of nesting exhausts the machine's.

use chiaro_ir::{
    Block, Builder, Constant, Def, Function, FunctionRef, Inst, Module, Op, Step, Ty, Value, Walk,
};

use crate::Changed;

/// What a pass replaces.
pub trait Rule: Sized {
    /// The new type of a value: of a construct's results, of parameters, of what is copied.
    fn ty(_: &mut Rewrite<'_, Self>, ty: Ty) -> Ty {
        ty
    }

    /// The new type of one value.
    fn ty_of(r: &mut Rewrite<'_, Self>, old: Value) -> Ty {
        let ty = r.old.ty(old);
        Self::ty(r, ty)
    }

    /// What is passed to a parameter or result of the old function.
    fn passed(r: &mut Rewrite<'_, Self>, value: Value, _to: Value) -> Value {
        r.value(value)
    }

    /// The value of a constant.
    fn constant(r: &mut Rewrite<'_, Self>, c: Constant) -> Value {
        r.b.constant(c)
    }

    /// What stands for an instruction that is neither construct nor exit.
    fn replace(r: &mut Rewrite<'_, Self>, inst: Inst, op: Op) -> Replaced;

    /// The condition of an `if`.
    fn condition(r: &mut Rewrite<'_, Self>, value: Value) -> Value {
        r.value(value)
    }

    /// The selector of a `switch`.
    fn selector(r: &mut Rewrite<'_, Self>, value: Value) -> Value {
        r.value(value)
    }

    /// A parameter of a block or a result of a construct has its new value.
    fn defined(_: &mut Rewrite<'_, Self>, _old: Value) {}

    /// Begins a construct in another way than copying it; true if it did.
    fn begin(_: &mut Rewrite<'_, Self>, _: Inst) -> bool {
        false
    }

    /// Enters block `n` of a construct that the rule began; its parameters are the rule's, too.
    fn enter(_: &mut Rewrite<'_, Self>, _: Inst, _n: u32) {}

    /// Leaves a construct that the rule began; its results.
    fn leave(_: &mut Rewrite<'_, Self>, _: Inst) -> Vec<Value> {
        Vec::new()
    }
}

/// What became of an instruction.
pub enum Replaced {
    /// It is copied.
    Copy,
    /// A value stands for its result.
    By(Value),
    /// Nothing stands for it: it had no result.
    Gone,
}

/// A function in the middle of being written again.
pub struct Rewrite<'m, R> {
    /// The new function.
    pub b: Builder<'m>,
    /// The old one.
    pub old: &'m Function,
    /// The pass's own state.
    pub rule: R,
    values: Vec<Option<Value>>,
    /// The new construct for an old one: what its exits name.
    insts: Vec<Option<Inst>>,
    /// Constructs that the rule began.
    taken: Vec<Inst>,
}

/// Writes a function again. On a mistake of the rule the function stays as it was, so that the
/// target reports what was not replaced.
pub fn rewrite<R: Rule>(module: &mut Module, f: FunctionRef, rule: R) -> Changed {
    let old = module.function(f);
    let empty = old.successor(&old.param_types(), old.result);
    let old = std::mem::replace(module.function_mut(f), empty);
    let mut r = Rewrite {
        b: Builder::at(module, f),
        old: &old,
        rule,
        values: vec![None; old.value_count()],
        insts: vec![None; old.inst_count()],
        taken: Vec::new(),
    };
    for (i, &param) in old.params.iter().enumerate() {
        let value = r.b.param(i);
        r.define(param, value);
    }
    for step in Walk::new(&old) {
        match step {
            Step::Open(Some(inst), n, block) => r.open(inst, n, block),
            Step::Inst(inst) => r.inst(inst),
            Step::Leave(inst) => r.leave(inst),
            _ => {}
        }
    }
    match r.b.finish() {
        Ok(_) => Changed::Yes,
        Err(mistake) => {
            debug_assert!(false, "{mistake}");
            *module.function_mut(f) = old;
            Changed::No
        }
    }
}

impl<'m, R: Rule> Rewrite<'m, R> {
    /// The new value for an old one.
    pub fn value(&mut self, old: Value) -> Value {
        match (self.old.def(old), self.values[old.0 as usize]) {
            (Def::Constant(c), _) => R::constant(self, c),
            (_, Some(value)) => value,
            // What is used behind an exit, where nothing is reached.
            (_, None) => {
                let ty = self.ty_of(old);
                self.b.undef(ty)
            }
        }
    }

    /// The new operands of an old instruction.
    pub fn args(&mut self, inst: Inst) -> Vec<Value> {
        let old = self.old;
        old.args(inst).iter().map(|&arg| self.value(arg)).collect()
    }

    /// An old operand.
    pub fn arg(&self, inst: Inst, n: usize) -> Option<Value> {
        self.old.args(inst).get(n).copied()
    }

    /// The constant that an old value is.
    pub fn old_constant(&self, value: Value) -> Option<Constant> {
        match self.old.def(value) {
            Def::Constant(c) => Some(c),
            _ => None,
        }
    }

    /// The instruction that an old value is the result of.
    pub fn old_inst(&self, value: Value) -> Option<(Inst, Op)> {
        match self.old.def(value) {
            Def::Result(inst, _) => Some((inst, self.old.op(inst))),
            _ => None,
        }
    }

    /// The new type for an old value's.
    pub fn ty_of(&mut self, old: Value) -> Ty {
        R::ty_of(self, old)
    }

    /// Notes the construct that stands for an old one from now on.
    pub fn stands_for(&mut self, old: Inst, new: Inst) {
        self.insts[old.0 as usize] = Some(new);
    }

    fn define(&mut self, old: Value, new: Value) {
        self.values[old.0 as usize] = Some(new);
        R::defined(self, old);
    }

    fn inst(&mut self, inst: Inst) {
        let data = self.old.inst(inst);
        (self.b.flags, self.b.span) = (data.flags, data.span);
        let op = data.op;
        if op.is_exit() {
            return self.exit(inst, op);
        }
        if op.is_construct() {
            return self.begin(inst, op);
        }
        match R::replace(self, inst, op) {
            Replaced::Gone => {}
            Replaced::By(value) => {
                if let Some(result) = self.old.result(inst, 0) {
                    self.define(result, value);
                }
            }
            Replaced::Copy => self.copy(inst, op),
        }
    }

    /// An instruction as it is, with new operands.
    pub fn copy(&mut self, inst: Inst, op: Op) {
        let args = self.args(inst);
        match self.old.result(inst, 0) {
            Some(result) => {
                let ty = self.ty_of(result);
                let value = self.b.op_as(op, &args, ty);
                self.define(result, value);
            }
            None => self.b.op_void(op, &args),
        }
    }

    fn begin(&mut self, inst: Inst, op: Op) {
        if R::begin(self, inst) {
            self.taken.push(inst);
            return;
        }
        let (old, blocks) = (self.old, self.old.blocks_of(inst));
        let args = match (op, old.args(inst)) {
            (Op::If, &[condition]) => vec![R::condition(self, condition)],
            (Op::Switch, &[selector]) => vec![R::selector(self, selector)],
            _ => self.passed(inst, blocks.first().map(|&body| &*old.block(body).params)),
        };
        let results: Vec<Ty> = old.results(inst).map(|v| self.ty_of(v)).collect();
        let new = match (op, blocks.get(1)) {
            (Op::Loop, Some(&continuing)) => {
                let carried: Vec<Ty> = old.block(continuing).params.iter().map(|&v| self.ty_of(v)).collect();
                self.b.begin_loop(&args, &results, &carried)
            }
            (Op::Switch, _) => {
                let cases: Vec<(u64, u32)> = old.cases(inst).collect();
                self.b.begin_switch(args[0], &results, &cases, blocks.len())
            }
            _ => self.b.begin(op, &args, &results, blocks.len()),
        };
        self.stands_for(inst, new);
    }

    fn open(&mut self, inst: Inst, n: u32, block: Block) {
        if self.taken.contains(&inst) {
            return R::enter(self, inst, n);
        }
        self.b.enter(n as usize);
        let Some(new) = self.insts[inst.0 as usize] else { return };
        let Some(&to) = self.b.function().blocks_of(new).get(n as usize) else { return };
        let (old, params) = (self.old, self.b.function().block(to).params.clone());
        for (&from, to) in old.block(block).params.iter().zip(params) {
            self.define(from, to);
        }
    }

    fn leave(&mut self, inst: Inst) {
        let taken = self.taken.iter().position(|&i| i == inst);
        let results = match taken {
            Some(at) => {
                self.taken.swap_remove(at);
                R::leave(self, inst)
            }
            None => self.b.leave(),
        };
        for (old, new) in self.old.results(inst).zip(results) {
            self.define(old, new);
        }
    }

    /// The operands of a loop or exit, for the parameters or results that they go to.
    fn passed(&mut self, inst: Inst, to: Option<&[Value]>) -> Vec<Value> {
        let (old, to) = (self.old, to.unwrap_or_default());
        let pairs = old.args(inst).iter().enumerate();
        pairs
            .map(|(i, &arg)| match to.get(i) {
                Some(&to) => R::passed(self, arg, to),
                None => self.value(arg),
            })
            .collect()
    }

    /// What the operands of an exit go to.
    fn receivers(&self, op: Op) -> Vec<Value> {
        let params = |at: Inst, n: usize| {
            let block = self.old.blocks_of(at).get(n);
            block.map(|&block| self.old.block(block).params.clone()).unwrap_or_default()
        };
        match op {
            Op::Exit(at) => self.old.results(at).collect(),
            Op::Continue(at) => params(at, 1),
            Op::Repeat(at) => params(at, 0),
            _ => Vec::new(),
        }
    }

    fn exit(&mut self, inst: Inst, op: Op) {
        let receivers = self.receivers(op);
        let args = self.passed(inst, Some(&receivers));
        let to = op.target().and_then(|at| self.insts[at.0 as usize]);
        match (op, to) {
            (Op::Exit(_), Some(to)) => self.b.exit(to, &args),
            (Op::Continue(_), Some(to)) => self.b.continue_(to, &args),
            (Op::Repeat(_), Some(to)) => self.b.repeat(to, &args),
            _ => self.b.op_void(op, &args),
        }
    }
}

/// Whether a function has an instruction of a kind that a pass looks for.
pub fn has(module: &Module, f: FunctionRef, wanted: impl Fn(&Function, Inst, Op) -> bool) -> bool {
    let f = module.function(f);
    Walk::new(f).any(|step| matches!(step, Step::Inst(inst) if wanted(f, inst, f.op(inst))))
}
