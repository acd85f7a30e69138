//! Scalar replacement of aggregates: splits structures and arrays into their parts, values always
//! and variables where indices are constant.
//!
//! ```text
//! %0: *function S = var function         ->    %0: *function f32 = var function
//! %1 = access %0, 1                            %1: *function vec3f = var function
//! store %1, %v                                 store %1, %v
//! %2: S = load %0                              %2 = load %0   %3 = load %1
//! %3: vec3f = extract 1 %2                     (what took %3 takes the load)
//! ```
//!
//! True before: nothing. True after: results of constructs and parameters of loops are no small
//! composites; whoever takes a part of a composite takes the value that was put there; loads and
//! stores of small composites are loads and stores of their parts; variables with constant
//! indices are one variable for each part. A matrix is an array of columns and is split like one.
//! Composites that are needed as a whole (operands of calls, parts chosen by a computed index)
//! are put together where they are made; `dce` removes those that nothing uses.

mod value;
mod variable;

use crate::{Changed, Cx};
use chiaro_diag::Span;
use chiaro_ir::{
    Block, Draft, Forward, Function, FunctionRef, Inst, Module, Op, Step, Tour, Ty, Type, Types, Value,
};
use variable::Variables;

/// Composites of more scalars and vectors than this stay as they are.
const MOST: usize = 64;

/// Splits all that can be split.
pub fn sroa(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let variables = Variables::find(module, module.function(f));
    let result = module.function(f).result;
    let function = std::mem::replace(module.function_mut(f), Function::new("", &[], result));
    let mut splitter = Splitter {
        module,
        f: function,
        variables,
        pieces: Vec::new(),
        forward: Forward::new(),
        draft: Draft::new(),
        span: None,
        changed: false,
    };
    splitter.run();
    let Splitter { f: function, changed, .. } = splitter;
    *module.function_mut(f) = function;
    changed.into()
}

struct Splitter<'a> {
    module: &'a mut Module,
    f: Function,
    variables: Variables,
    /// By value: the parts of a composite, where they are known as values.
    pieces: Vec<Option<Box<[Value]>>>,
    forward: Forward,
    draft: Draft,
    /// Source text of what is added.
    span: Option<Span>,
    changed: bool,
}

/// Whether a type is a structure or an array, of no more than so many parts in the end.
fn is_small(types: &Types, ty: Ty) -> bool {
    let mut left = MOST;
    is_composite(types, ty) && count(types, ty, &mut left)
}

fn is_composite(types: &Types, ty: Ty) -> bool {
    matches!(types.get(ty), Type::Struct(..) | Type::Array(..))
}

/// Takes the parts of a type from what is left; false where it is not enough.
fn count(types: &Types, ty: Ty, left: &mut usize) -> bool {
    match types.get(ty) {
        Type::Struct(_, members) => members.len() <= MOST && members.iter().all(|m| count(types, m.ty, left)),
        Type::Array(elem, n, _) => *n as usize <= MOST && (0..*n).all(|_| count(types, *elem, left)),
        Type::RuntimeArray(..) => false,
        _ => {
            let is_enough = *left > 0;
            *left = left.saturating_sub(1);
            is_enough
        }
    }
}

impl Splitter<'_> {
    fn run(&mut self) {
        let mut tour = Tour::new();
        while let Some(step) = tour.step(&self.f) {
            match step {
                Step::Open(owner, _, block) => self.open(owner, block),
                Step::Inst(inst) => self.inst(inst),
                Step::Close(_, _, block) => self.draft.close(&mut self.f, block),
                Step::Leave(inst) => self.leave(inst),
                _ => {}
            }
        }
    }

    fn is_small(&self, value: Value) -> bool {
        is_small(&self.module.types, self.f.ty(value))
    }

    /// The parameters of a loop's block become those of their parts.
    fn open(&mut self, owner: Option<Inst>, block: Block) {
        self.draft.open(&self.f, block);
        let old = self.f.block(block).params.clone();
        if owner.is_none() || !old.iter().any(|&param| self.is_small(param)) {
            return;
        }
        let mut params = Vec::new();
        for &param in &old {
            if !self.is_small(param) {
                params.push(param);
                continue;
            }
            let mut types = Vec::new();
            self.leaf_types(self.f.ty(param), &mut types);
            let leaves: Vec<Value> = types.iter().map(|&ty| self.f.add_param(block, ty)).collect();
            params.extend_from_slice(&leaves);
            let whole = self.build(self.f.ty(param), &mut leaves.into_iter());
            self.forward.set(param, whole);
        }
        self.f.set_params(block, params);
        self.changed = true;
    }

    fn inst(&mut self, inst: Inst) {
        self.forward.apply_to(&mut self.f, inst);
        let op = self.f.op(inst);
        self.span = self.f.inst(inst).span;
        match op {
            Op::Var(_) if self.variable(inst) => {}
            Op::Access if self.access(inst) => {}
            Op::Load if self.load(inst) => {}
            Op::Store if self.store(inst) => {}
            Op::Copy if self.copy(inst) => {}
            Op::Extract(n) if self.extract(inst, n) => {}
            Op::Select if self.select(inst) => {}
            _ => {
                if op.is_exit() && op != Op::Return || op == Op::Loop {
                    self.flatten_args(inst);
                }
                self.draft.push(inst);
                match op {
                    Op::Construct => self.construct(inst),
                    Op::Insert(n) => self.insert(inst, n),
                    _ => {}
                }
            }
        }
    }

    /// Operands that are composites become their parts.
    fn flatten_args(&mut self, inst: Inst) {
        let args = self.f.args(inst).to_vec();
        if args.iter().any(|&arg| self.is_small(arg)) {
            let mut leaves = Vec::new();
            args.into_iter().for_each(|arg| self.flatten(arg, &mut leaves));
            self.f.set_args(inst, &leaves);
            self.changed = true;
        }
    }

    /// Results of a construct that are composites become their parts, put together behind it.
    fn leave(&mut self, inst: Inst) {
        self.span = self.f.inst(inst).span;
        let old: Vec<Value> = self.f.results(inst).collect();
        if !old.iter().any(|&result| self.is_small(result)) {
            return;
        }
        let mut types = Vec::new();
        old.iter().for_each(|&result| self.result_types(self.f.ty(result), &mut types));
        self.f.set_results(inst, &types);
        let new: Vec<Value> = self.f.results(inst).collect();
        let mut leaves = new.into_iter();
        for result in old {
            let whole = self.build(self.f.ty(result), &mut leaves);
            self.forward.set(result, whole);
        }
        self.changed = true;
    }

    fn result_types(&self, ty: Ty, out: &mut Vec<Ty>) {
        match is_small(&self.module.types, ty) {
            true => self.leaf_types(ty, out),
            false => out.push(ty),
        }
    }

    /// The types of a small composite's parts in the end.
    fn leaf_types(&self, ty: Ty, out: &mut Vec<Ty>) {
        if !is_composite(&self.module.types, ty) {
            return out.push(ty);
        }
        for i in 0..self.module.types.part_count(ty).unwrap_or(0) {
            self.module.types.part(ty, i).into_iter().for_each(|part| self.leaf_types(part, out));
        }
    }
}
