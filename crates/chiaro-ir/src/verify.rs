//! The verifier: whether a module keeps the rules of the IR.
//!
//! One walk over each function, in time and memory linear in the module: what is known and
//! which constructs are open is kept in tables by handle, and closing a block takes back what
//! it defined. Any module may be asked about, however broken.
//!
//! Types, constants and variables are checked first ([`module`]); functions only if those are
//! sound, because everything else builds on them.

mod module;

use crate::function::{Def, Function};
use crate::id::{Block, FunctionRef, Inst, Value};
use crate::module::Module;
use crate::op::Op;
use crate::typing;
use crate::walk::{Step, Walk};
use chiaro_diag::{Diagnostic, Span};
use std::fmt;

/// More breaches than this are not reported.
const MOST: usize = 100;

/// A rule that a module breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breach {
    /// The function; `None` outside of functions.
    pub function: Option<FunctionRef>,
    /// The function's name.
    pub name: String,
    /// The instruction; `None` for what concerns a whole function or none.
    pub inst: Option<Inst>,
    /// The source text of the instruction, or of the function.
    pub span: Option<Span>,
    /// What is wrong, without a full stop; begins with the name of what it is about.
    pub message: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.function, self.inst) {
            (Some(_), Some(inst)) => write!(out, "function `{}`, instruction {}: ", self.name, inst.0)?,
            (Some(_), None) => write!(out, "function `{}`: ", self.name)?,
            _ => {}
        }
        out.write_str(&self.message)
    }
}

impl Breach {
    /// The breach as a message to the user.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::error(self.span, self.to_string())
    }
}

/// Every breach of the rules, up to a hundred of them.
pub fn verify(module: &Module) -> Result<(), Vec<Breach>> {
    let mut breaches = Vec::new();
    module::check(module, &mut breaches);
    if breaches.is_empty() {
        for i in 0..module.functions.len() as u32 {
            check_function(module, FunctionRef(i), &mut breaches);
        }
    }
    breaches.truncate(MOST);
    if breaches.is_empty() { Ok(()) } else { Err(breaches) }
}

/// As [`verify`], of one function in a module that is otherwise sound.
pub fn verify_function(module: &Module, f: FunctionRef) -> Result<(), Vec<Breach>> {
    let mut breaches = Vec::new();
    check_function(module, f, &mut breaches);
    if breaches.is_empty() { Ok(()) } else { Err(breaches) }
}

/// Where an instruction stands, as far as the walk has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// Not met yet.
    Ahead,
    /// A construct whose block number 0 is open.
    First,
    /// A construct of which a later block is open.
    Later,
    /// Passed.
    Behind,
}

struct Verifier<'a> {
    module: &'a Module,
    f: &'a Function,
    number: FunctionRef,
    breaches: &'a mut Vec<Breach>,
    /// By value: whether it may be used where the walk is.
    known: Vec<bool>,
    /// Values in the order in which they became known.
    trail: Vec<Value>,
    /// Length of the trail where each open block began.
    marks: Vec<usize>,
    /// By instruction.
    places: Vec<Place>,
}

fn check_function(module: &Module, number: FunctionRef, breaches: &mut Vec<Breach>) {
    let Some(f) = module.functions.get(number.0 as usize) else { return };
    let (values, insts) = (f.value_count(), f.inst_count());
    let mut v = Verifier {
        module,
        f,
        number,
        breaches,
        known: vec![false; values],
        trail: Vec::with_capacity(values),
        marks: Vec::new(),
        places: vec![Place::Ahead; insts],
    };
    if v.values() && v.params() {
        if f.is_import() { v.has_no_body() } else { v.body() }
    }
}

impl Verifier<'_> {
    fn breach(&mut self, inst: Option<Inst>, message: impl Into<String>) {
        // The rest of a hopeless function is not worth the memory.
        if self.breaches.len() < MOST {
            let span = inst.map_or(self.f.span, |inst| self.f.inst(inst).span);
            let name = inst.map_or("", |inst| self.f.op(inst).info().name);
            let message = message.into();
            let message = if name.is_empty() { message } else { format!("`{name}` {message}") };
            let (function, name) = (Some(self.number), self.f.name.clone());
            self.breaches.push(Breach { function, name, inst, span, message });
        }
    }

    /// Types of all values, and the constants among them, which are known everywhere.
    fn values(&mut self) -> bool {
        let (types, constants) = (&self.module.types, &self.module.constants);
        for i in 0..self.known.len() {
            let value = Value(i as u32);
            let ty = self.f.ty(value);
            if ty.0 as usize >= types.len() {
                self.breach(None, format!("value {i} has a type that the module does not have"));
                return false;
            }
            let Def::Constant(c) = self.f.def(value) else { continue };
            if c.0 as usize >= constants.len() || constants.ty(c) != ty {
                self.breach(None, format!("value {i} is no constant of its type"));
                return false;
            }
            self.known[i] = true;
        }
        true
    }

    fn params(&mut self) -> bool {
        let f = self.f;
        if f.result.0 as usize >= self.module.types.len() || f.block_count() <= f.body.0 as usize {
            self.breach(None, "the function has no result type or no body");
            return false;
        }
        for (i, &param) in f.params.iter().enumerate() {
            self.define_param(None, param, Def::Param(i as u32));
        }
        true
    }

    fn define_param(&mut self, owner: Option<Inst>, param: Value, def: Def) {
        if param.0 as usize >= self.known.len() || self.f.def(param) != def {
            return self.breach(owner, format!("has a parameter, value {}, that is none", param.0));
        }
        self.define(param);
    }

    fn define(&mut self, value: Value) {
        self.known[value.0 as usize] = true;
        self.trail.push(value);
    }

    fn has_no_body(&mut self) {
        if !self.f.block(self.f.body).insts.is_empty() {
            self.breach(None, "the function is imported and has a body");
        }
    }

    fn body(&mut self) {
        for step in Walk::new(self.f) {
            match step {
                Step::Inst(inst) => self.inst(inst),
                Step::Open(owner, index, block) => self.open(owner, index, block),
                Step::Close(..) => self.close(),
                Step::Leave(owner) => self.leave(owner),
                Step::Stray(inst) => {
                    let message = format!("a block has instruction {}, which is not there", inst.0);
                    self.breach(None, message);
                }
                Step::Broken(owner, block) => {
                    let message = format!("owns block {}, which is not there or owned twice", block.0);
                    self.breach(owner, message);
                }
            }
        }
    }

    fn open(&mut self, owner: Option<Inst>, index: u32, block: Block) {
        self.marks.push(self.trail.len());
        let data = self.f.block(block);
        if let Some(owner) = owner {
            self.places[owner.0 as usize] = if index == 0 { Place::First } else { Place::Later };
        }
        let takes_params = owner.is_some_and(|owner| self.f.op(owner) == Op::Loop);
        if !takes_params && !data.params.is_empty() {
            self.breach(owner, "has a block with parameters, which only a loop's blocks have");
        }
        for (i, &param) in data.params.iter().enumerate() {
            self.define_param(owner, param, Def::BlockParam(block, i as u32));
        }
        self.ends_with_exit(owner, block);
    }

    /// That the last instruction of a block, and no other, is an exit.
    fn ends_with_exit(&mut self, owner: Option<Inst>, block: Block) {
        let f = self.f;
        let insts = &f.block(block).insts;
        let is_exit = |inst: Inst| (inst.0 as usize) < f.inst_count() && f.op(inst).is_exit();
        let Some((&last, rest)) = insts.split_last() else {
            return self.breach(owner, format!("has an empty block, number {}", block.0));
        };
        if !is_exit(last) {
            self.breach(owner, format!("has a block, number {}, that ends without an exit", block.0));
        }
        if let Some(&early) = rest.iter().find(|&&inst| is_exit(inst)) {
            self.breach(Some(early), "stands before the end of its block");
        }
    }

    fn close(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        for value in self.trail.drain(mark..) {
            self.known[value.0 as usize] = false;
        }
    }

    /// Behind a construct its results are known.
    fn leave(&mut self, owner: Inst) {
        self.places[owner.0 as usize] = Place::Behind;
        self.define_results(owner);
    }

    fn define_results(&mut self, inst: Inst) {
        for value in self.f.results(inst) {
            self.define(value);
        }
    }

    fn inst(&mut self, inst: Inst) {
        match self.places.get_mut(inst.0 as usize) {
            Some(place @ Place::Ahead) => *place = Place::Behind,
            _ => return self.breach(Some(inst), "stands in two places"),
        }
        let args = self.f.args(inst);
        if let Some(at) = args.iter().position(|&arg| self.known.get(arg.0 as usize) != Some(&true)) {
            let message = format!("uses value {} as operand {}, where it is not known", args[at].0, at + 1);
            return self.breach(Some(inst), message);
        }
        let op = self.f.op(inst);
        let sound = self.structure(inst, op);
        if let Err(message) = sound.and_then(|()| typing::check(self.module, self.f, inst)) {
            self.breach(Some(inst), message);
        }
        if !self.f.owns_blocks(inst) {
            self.define_results(inst);
        }
    }

    /// The blocks of a construct, and the construct that an exit names.
    fn structure(&self, inst: Inst, op: Op) -> Result<(), String> {
        if op.is_construct() || self.f.owns_blocks(inst) {
            self.blocks(inst, op)?;
        }
        let Some(target) = op.target() else { return Ok(()) };
        let place = self.places.get(target.0 as usize).copied().unwrap_or(Place::Ahead);
        if !matches!(place, Place::First | Place::Later) {
            return Err(format!("names instruction {}, which is no construct around it", target.0));
        }
        let wanted = match op {
            Op::Continue(_) => Some((Place::First, "body")),
            Op::Repeat(_) => Some((Place::Later, "continuing block")),
            _ => None,
        };
        match wanted {
            Some(_) if self.f.op(target) != Op::Loop => Err("names a construct that is no loop".into()),
            Some((wanted, name)) if wanted != place => Err(format!("stands outside of the loop's {name}")),
            _ => Ok(()),
        }
    }

    fn blocks(&self, inst: Inst, op: Op) -> Result<(), String> {
        let n = self.f.blocks_of(inst).len();
        let wanted = match op {
            Op::Block => 1,
            Op::If | Op::Loop => 2,
            Op::Switch => n.max(1),
            _ => 0,
        };
        if n != wanted {
            return Err(format!("owns {wanted} blocks, not {n}"));
        }
        if let Some(block) = self.f.blocks_of(inst).iter().find(|b| b.0 as usize >= self.f.block_count()) {
            return Err(format!("owns block {}, which is not there", block.0));
        }
        let mut cases: Vec<u64> = self.f.cases(inst).map(|(value, _)| value).collect();
        cases.sort_unstable();
        if let Some(twice) = cases.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("has two cases {}", twice[0]));
        }
        let Some((value, _)) = self.f.cases(inst).find(|&(_, block)| block as usize >= n) else {
            return Ok(());
        };
        Err(format!("has no block for case {value}"))
    }
}
