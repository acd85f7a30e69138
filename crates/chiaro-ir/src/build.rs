//! Building functions: operations whose results have their types by themselves, constants by
//! value, constructs as closures.
//!
//! ```
//! use chiaro_ir::{Builder, Module, Type, print, verify};
//!
//! let mut module = Module::default();
//! let i32 = module.types.intern(Type::Int(32));
//! let mut b = Builder::new(&mut module, "sum", &[i32], i32);
//! let (n, zero, one) = (b.param(0), b.i32(0), b.i32(1));
//! let sum = b.loop_(&[zero, zero], &[i32], &[i32, i32], |b, at, p| {
//!     let more = b.slt(p[0], n);
//!     b.if_else(more, |b, _| {
//!         let sum = b.iadd(p[1], p[0]);
//!         b.continue_(at, &[p[0], sum]);
//!     }, |b, _| b.exit(at, &[p[1]]));
//! }, |b, at, p| {
//!     let next = b.iadd(p[0], one);
//!     b.repeat(at, &[next, p[1]]);
//! });
//! b.return_value(sum[0]);
//! b.finish().unwrap();
//! assert!(verify(&module).is_ok(), "{}", print(&module));
//! ```
//!
//! A mistake does not stop the building: the first one is kept, its result is `undef`, and
//! [`Builder::finish`] reports it. What is built behind an exit is dropped, as nothing reaches
//! it; so is what is built behind a construct that no exit names.

mod arith;
mod constant;
mod control;
mod infer;
mod memory;

use crate::function::{Flags, Function};
use crate::id::{Block, FunctionRef, Inst, Value};
use crate::module::Module;
use crate::op::Op;
use crate::ty::{Ty, Types};
use crate::typing;
use chiaro_diag::Span;
use infer::Results;
use std::fmt;

/// What was built wrongly first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// What is wrong, without a full stop; names the operation.
    pub message: String,
    /// The source text at that time.
    pub span: Option<Span>,
}

impl fmt::Display for Mistake {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Mistake {}

impl Module {
    /// A function whose body is to be built by [`Builder::at`]; it can be called at once.
    pub fn declare(&mut self, name: impl Into<String>, params: &[Ty], result: Ty) -> FunctionRef {
        self.functions.push(Function::new(name, params, result));
        FunctionRef(self.functions.len() as u32 - 1)
    }
}

/// Builds the body of a function of a module.
pub struct Builder<'m> {
    module: &'m mut Module,
    function: FunctionRef,
    /// Where the next instruction goes; `None` behind an exit.
    block: Option<Block>,
    /// Constructs that are open, the innermost last.
    open: Vec<Open>,
    /// Flags of the instructions that follow.
    pub flags: Flags,
    /// Source text of the instructions that follow.
    pub span: Option<Span>,
    /// Whether types are not looked at: for builders whose own tests show that they fit, and who have no time. Of
    /// a build with debug assertions they are looked at all the same.
    pub is_trusted: bool,
    mistake: Option<Mistake>,
}

/// An open construct.
struct Open {
    inst: Inst,
    /// The block in which it stands.
    block: Option<Block>,
    /// Whether some exit names it, so that what follows it can be reached.
    reached: bool,
}

impl<'m> Builder<'m> {
    /// Builds a new function of the module.
    pub fn new(module: &'m mut Module, name: impl Into<String>, params: &[Ty], result: Ty) -> Builder<'m> {
        let function = module.declare(name, params, result);
        Builder::at(module, function)
    }

    /// Builds the body of a declared function, behind what its outermost block already has.
    pub fn at(module: &'m mut Module, function: FunctionRef) -> Builder<'m> {
        let block = Some(module.function(function).body);
        let flags = Flags::default();
        Builder {
            module,
            function,
            block,
            open: Vec::new(),
            flags,
            span: None,
            is_trusted: false,
            mistake: None,
        }
    }

    /// The end of the function: its body returns, if nothing is to be returned and it does not
    /// end already.
    pub fn finish(mut self) -> Result<FunctionRef, Mistake> {
        if !self.open.is_empty() {
            self.fail("a construct is still open at the end of the function");
        } else if self.block.is_some() {
            self.return_();
        }
        self.mistake.map_or(Ok(self.function), Err)
    }

    /// The function that is being built.
    pub fn function(&self) -> &Function {
        self.module.function(self.function)
    }

    /// The function that is being built, to be changed.
    pub fn function_mut(&mut self) -> &mut Function {
        self.module.function_mut(self.function)
    }

    /// The module, to add variables and declare functions. Its functions stay in place.
    pub fn module(&mut self) -> &mut Module {
        self.module
    }

    /// The types of the module.
    pub fn types(&mut self) -> &mut Types {
        &mut self.module.types
    }

    /// Parameter number `n` of the function; `undef` if it has not so many.
    pub fn param(&mut self, n: usize) -> Value {
        let param = self.function().params.get(n).copied();
        param.unwrap_or_else(|| self.wrong(format!("the function has no parameter {n}")))
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> Ty {
        self.function().ty(value)
    }

    /// Whether the current block has ended, so that what follows is dropped.
    pub fn is_ended(&self) -> bool {
        self.block.is_none()
    }

    /// An operation with one result, whose type follows from the operands.
    pub fn op(&mut self, op: Op, args: &[Value]) -> Value {
        match self.infer(op, args) {
            Results::One(ty) => self.op_as(op, args, ty),
            _ => self.wrong(format!("`{}` has no result that follows from its operands", op.info().name)),
        }
    }

    /// An operation with one result of a given type.
    pub fn op_as(&mut self, op: Op, args: &[Value], ty: Ty) -> Value {
        let inst = self.push(op, args, &[ty]);
        self.result(inst)
    }

    /// An operation without a result.
    pub fn op_void(&mut self, op: Op, args: &[Value]) {
        self.push(op, args, &[]);
    }

    fn result(&mut self, inst: Inst) -> Value {
        let result = self.function().result_of(inst);
        result.unwrap_or_else(|| self.wrong("an operation has no result".into()))
    }

    /// An instruction, checked, at the end of the current block.
    fn push(&mut self, op: Op, args: &[Value], results: &[Ty]) -> Inst {
        let inst = self.make(op, args, results);
        self.check(inst);
        inst
    }

    fn make(&mut self, op: Op, args: &[Value], results: &[Ty]) -> Inst {
        let (flags, span, block) = (self.flags, self.span, self.block);
        let f = self.function_mut();
        let inst = match block {
            Some(block) => f.push(block, op, args, results),
            None => f.make(op, args, results),
        };
        let data = f.inst_mut(inst);
        (data.flags, data.span) = (flags, span);
        if op.is_exit() {
            self.reach(op);
            self.block = None;
        }
        inst
    }

    /// Notes that an exit leads behind its construct, if it is one that does.
    fn reach(&mut self, exit: Op) {
        let Op::Exit(target) = exit else { return };
        if self.block.is_some()
            && let Some(open) = self.open.iter_mut().rfind(|open| open.inst == target)
        {
            open.reached = true;
        }
    }

    fn check(&mut self, inst: Inst) {
        if self.is_trusted && !cfg!(debug_assertions) {
            return;
        }
        if let Err(message) = typing::check(self.module, self.function(), inst) {
            let name = self.function().op(inst).info().name;
            self.fail(format!("`{name}` {message}"));
        }
    }

    /// Keeps a mistake, if it is the first.
    fn fail(&mut self, message: impl Into<String>) {
        let span = self.span;
        self.mistake.get_or_insert_with(|| Mistake { message: message.into(), span });
    }

    /// The value that stands for one that cannot be.
    fn wrong(&mut self, message: String) -> Value {
        self.fail(message);
        let ty = self.types().intern(crate::Type::Int(32));
        self.undef(ty)
    }
}
