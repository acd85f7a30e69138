//! Selects that become `if`s.
//!
//! A select costs two comparisons, a product and a sum, and both values are computed. An `if`
//! costs CMP and IFC, and computes one of them: it wins where a value is computed for nothing
//! but the select, and is the only way for a bool that the host program sets (IFU).
//!
//! ```text
//! %3: vec4 = fadd %0, %1                 %5: vec4 = if %c { %3 = fadd %0, %1; exit %3 }
//! %4: vec4 = fmul %0, %2                            else { %4 = fmul %0, %2; exit %4 }
//! %5: vec4 = select %c, %3, %4
//! ```
//!
//! Selects by the same condition share the `if`.
//!
//! The other selects become arithmetic in [`bools`](super::bools()).

use std::collections::{HashMap, HashSet};

use chiaro_ir::{
    Block, Def, Effect, Flags, Function, FunctionRef, Inst, Module, Op, Step, Value, Walk, use_counts,
};
use chiaro_opt::{Changed, Cx};

use super::arms::reader;
use super::chosen::{is_masked, is_opposite};

/// Turns selects into `if`s where that is less work.
pub fn selects(module: &mut Module, f: FunctionRef, cx: &mut Cx<'_>) -> Changed {
    scalar_conditions(module.function_mut(f));
    let function = module.function(f);
    let mut plan = Plan::of(module, function);
    if cx.options.assumptions.finite() {
        plan.selects.retain(|(_, inst)| {
            let args = <[Value; 3]>::try_from(function.args(*inst));
            !args.is_ok_and(|args| is_masked(module, function, args))
        });
    }
    let function = module.function_mut(f);
    // The last ones first, so that what a select alone uses is still in its block.
    let selects = plan.selects.iter().rev();
    let made: HashMap<Value, Value> =
        selects.flat_map(|&(block, inst)| plan.convert(function, block, inst)).collect();
    replace(function, &made);
    (!made.is_empty()).into()
}

/// One bool in all components is that bool: vectors are selected as a whole then.
fn scalar_conditions(f: &mut Function) {
    for inst in (0..f.inst_count() as u32).map(Inst) {
        if f.op(inst) == Op::Select
            && let Some(&condition) = f.args(inst).first()
            && let Def::Result(splat, 0) = f.def(condition)
            && f.op(splat) == Op::Construct
            && let [scalar] = *f.args(splat)
        {
            f.args_mut(inst)[0] = scalar;
        }
    }
}

/// Instructions in front of a select among which others of its condition are looked for: time stays linear.
const NEAR: usize = 256;

/// Selects of one condition, and who uses what.
struct Plan {
    selects: Vec<(Block, Inst)>,
    is_select: HashSet<Inst>,
    /// The only instruction that uses a value; `None` for several.
    user: HashMap<Value, Option<Inst>>,
    home: HashMap<Inst, Block>,
    /// Conditions that only an `if` can ask for.
    outside: Vec<Value>,
    /// Selects of uniforms whose only reader can stand in both arms: see [`arms`](super::arms()).
    read_in_arms: Vec<Inst>,
}

impl Plan {
    fn of(module: &Module, f: &Function) -> Plan {
        let mut plan = Plan {
            selects: Vec::new(),
            is_select: HashSet::new(),
            user: HashMap::new(),
            home: HashMap::new(),
            outside: Vec::new(),
            read_in_arms: Vec::new(),
        };
        let (mut open, uses) = (Vec::new(), use_counts(f));
        for step in Walk::new(f) {
            match step {
                Step::Open(_, _, block) => open.push(block),
                Step::Close(..) => {
                    open.pop();
                }
                Step::Inst(inst) => {
                    let Some(&block) = open.last() else { continue };
                    plan.note(module, (f, &uses), block, inst);
                }
                _ => {}
            }
        }
        plan
    }

    fn note(&mut self, module: &Module, (f, uses): (&Function, &[u32]), block: Block, inst: Inst) {
        self.home.insert(inst, block);
        for &arg in f.args(inst) {
            let only = self.user.get(&arg).is_none_or(|user| *user == Some(inst));
            self.user.insert(arg, only.then_some(inst));
        }
        let is_bool = |v: Value| module.types.is_bool(f.ty(v));
        if f.op(inst) == Op::Load
            && let Some(result) = f.result_of(inst).filter(|&v| is_bool(v))
        {
            self.outside.push(result);
        }
        if f.op(inst) == Op::Select
            && let Some(result) = f.result_of(inst)
            && module.types.is_float(f.ty(result))
            && module.types.components(f.ty(f.args(inst)[0])) == 1
        {
            self.selects.push((block, inst));
            self.is_select.insert(inst);
            let values = [f.args(inst)[1], f.args(inst)[2]];
            // Of numbers it is short arithmetic.
            let is_number = |v: Value| matches!(f.def(v), Def::Constant(_));
            if !values.into_iter().any(is_number) {
                self.read_in_arms
                    .extend(reader(module, (f, uses), block, (inst, result), values).map(|_| inst));
            }
        }
    }

    /// Instructions of a block that are there for one operand of a select alone, in order.
    fn own(&self, f: &Function, block: Block, select: Inst, operand: Value) -> Vec<Inst> {
        let mut own = Vec::new();
        let mut open = vec![(operand, select)];
        while let Some((value, user)) = open.pop() {
            let Def::Result(inst, _) = f.def(value) else { continue };
            let movable = f.op(inst).effect() == Effect::Pure && f.results(inst).len() == 1;
            let alone = self.user.get(&value) == Some(&Some(user));
            if !movable || !alone || self.home.get(&inst) != Some(&block) || !self.is_here(f, block, inst) {
                continue;
            }
            own.push(inst);
            open.extend(f.args(inst).iter().map(|&arg| (arg, inst)));
        }
        own
    }

    /// Whether an instruction has not been moved away.
    fn is_here(&self, f: &Function, block: Block, inst: Inst) -> bool {
        f.block(block).insts.contains(&inst)
    }

    /// Makes an `if` of a select, and of those before it by the same condition; their results and what stands for
    /// them.
    fn convert(&self, f: &mut Function, block: Block, select: Inst) -> Vec<(Value, Value)> {
        let &[condition, yes, no] = f.args(select) else { return Vec::new() };
        // One that another select has taken into its arm becomes arithmetic there.
        if yes == no || !self.is_here(f, block, select) {
            return Vec::new();
        }
        let all = self.beside(f, block, select);
        let own = |f: &Function, k: usize| -> Vec<Inst> {
            all.iter().flat_map(|inst| self.own(f, block, *inst, f.args(*inst)[k])).collect()
        };
        let arms = [own(f, 1), own(f, 2)];
        let is_read_there = all.len() == 1 && self.read_in_arms.contains(&select);
        // A sign is free: of a value and its opposite nothing is computed in vain, and arithmetic is shorter.
        let is_turned = all.len() == 1 && is_opposite(f, yes, no);
        let is_bare = arms.iter().flatten().all(|inst| is_turned && f.op(*inst) == Op::FNeg);
        if is_bare && !self.outside.contains(&condition) && !is_read_there {
            return Vec::new();
        }
        let results: Vec<Value> = all.iter().filter_map(|inst| f.result_of(*inst)).collect();
        let types: Vec<_> = results.iter().map(|result| f.ty(*result)).collect();
        let (span, flags) = (f.inst(select).span, Flags::default());
        let choice = f.make(Op::If, &[condition], &types);
        f.inst_mut(choice).span = span;
        f.inst_mut(choice).flags = flags;
        let arms = [(0, 1), (1, 2)].map(|(arm, k)| {
            let values: Vec<Value> = all.iter().map(|inst| f.args(*inst)[k]).collect();
            self.arm(f, block, &arms[arm], (choice, &values))
        });
        f.set_blocks(choice, &arms);
        let insts = &mut f.block_mut(block).insts;
        insts.retain(|inst| *inst == select || !all.contains(inst));
        if let Some(at) = insts.iter().position(|&inst| inst == select) {
            insts[at] = choice;
        }
        results.into_iter().zip(f.results(choice)).collect()
    }

    /// An arm with the instructions that it takes out of a block, and what it hands on.
    fn arm(&self, f: &mut Function, block: Block, own: &[Inst], (choice, values): (Inst, &[Value])) -> Block {
        let arm = f.new_block();
        let (taken, left) = f.block(block).insts.iter().copied().partition(|inst| own.contains(inst));
        let mut insts: Vec<Inst> = taken;
        f.block_mut(block).insts = left;
        insts.push(f.make(Op::Exit(choice), values, &[]));
        f.block_mut(arm).insts = insts;
        arm
    }

    /// A select behind those of its block that have the same condition and that nothing before it reads: as one `if`
    /// they take one comparison. One between constants is short arithmetic and stays it.
    fn beside(&self, f: &Function, block: Block, select: Inst) -> Vec<Inst> {
        let condition = f.args(select)[0];
        let insts = &f.block(block).insts;
        let Some(end) = insts.iter().position(|inst| *inst == select) else { return vec![select] };
        let is_constant = |v: Value| matches!(f.def(v), Def::Constant(_));
        let mut all = vec![select];
        for (at, &inst) in insts[..end].iter().enumerate().rev().take(NEAR) {
            let is_like = self.is_select.contains(&inst) && f.args(inst)[0] == condition;
            let Some(result) = f.result_of(inst).filter(|_| is_like) else { continue };
            let between = &insts[at + 1..end];
            let is_read = between
                .iter()
                .any(|other| !f.blocks_of(*other).is_empty() || f.args(*other).contains(&result));
            let is_short = f.args(inst)[1..].iter().any(|v| is_constant(*v));
            let is_operand = f.args(select).contains(&result);
            if !is_read && !is_short && !is_operand {
                all.push(inst);
            }
        }
        all
    }
}

/// Puts other values in the place of those that are gone.
fn replace(f: &mut Function, by: &HashMap<Value, Value>) {
    if by.is_empty() {
        return;
    }
    for inst in (0..f.inst_count() as u32).map(Inst) {
        for arg in f.args_mut(inst) {
            if let Some(&new) = by.get(arg) {
                *arg = new;
            }
        }
    }
}
