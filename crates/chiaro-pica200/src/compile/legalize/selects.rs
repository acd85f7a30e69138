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
//! The other selects become arithmetic in [`bools`](super::bools()).

use std::collections::HashMap;

use chiaro_ir::{Block, Def, Effect, Flags, Function, FunctionRef, Inst, Module, Op, Step, Value, Walk};
use chiaro_opt::{Changed, Cx};

/// Turns selects into `if`s where that is less work.
pub fn selects(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    scalar_conditions(module.function_mut(f));
    let function = module.function(f);
    let plan = Plan::of(module, function);
    let function = module.function_mut(f);
    // The last ones first, so that what a select alone uses is still in its block.
    let selects = plan.selects.iter().rev();
    let made: HashMap<Value, Value> =
        selects.filter_map(|&(block, inst)| plan.convert(function, block, inst)).collect();
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

/// Selects of one condition, and who uses what.
struct Plan {
    selects: Vec<(Block, Inst)>,
    /// The only instruction that uses a value; `None` for several.
    user: HashMap<Value, Option<Inst>>,
    home: HashMap<Inst, Block>,
    /// Conditions that only an `if` can ask for.
    outside: Vec<Value>,
}

impl Plan {
    fn of(module: &Module, f: &Function) -> Plan {
        let mut plan =
            Plan { selects: Vec::new(), user: HashMap::new(), home: HashMap::new(), outside: Vec::new() };
        let mut open = Vec::new();
        for step in Walk::new(f) {
            match step {
                Step::Open(_, _, block) => open.push(block),
                Step::Close(..) => {
                    open.pop();
                }
                Step::Inst(inst) => {
                    let Some(&block) = open.last() else { continue };
                    plan.note(module, f, block, inst);
                }
                _ => {}
            }
        }
        plan
    }

    fn note(&mut self, module: &Module, f: &Function, block: Block, inst: Inst) {
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
        }
    }

    /// Instructions of a block that are there for one operand of a select alone, in order.
    fn own(&self, f: &Function, block: Block, select: Inst, operand: Value) -> Vec<Inst> {
        let mut own = Vec::new();
        let mut open = vec![(operand, select)];
        while let Some((value, user)) = open.pop() {
            let Def::Result(inst, _) = f.def(value) else { continue };
            let movable = f.op(inst).info().effect == Effect::Pure && f.results(inst).len() == 1;
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

    /// Makes an `if` of a select; the select's result and the one that stands for it.
    fn convert(&self, f: &mut Function, block: Block, select: Inst) -> Option<(Value, Value)> {
        let &[condition, yes, no] = f.args(select) else { return None };
        // One that another select has taken into its arm becomes arithmetic there.
        if yes == no || !self.is_here(f, block, select) {
            return None;
        }
        let (then, otherwise) = (self.own(f, block, select, yes), self.own(f, block, select, no));
        if then.is_empty() && otherwise.is_empty() && !self.outside.contains(&condition) {
            return None;
        }
        let result = f.result_of(select)?;
        let (ty, span, flags) = (f.ty(result), f.inst(select).span, Flags::default());
        let choice = f.make(Op::If, &[condition], &[ty]);
        f.inst_mut(choice).span = span;
        f.inst_mut(choice).flags = flags;
        let arms = [(then, yes), (otherwise, no)].map(|(own, value)| {
            let arm = f.new_block();
            let mut insts: Vec<Inst> =
                f.block(block).insts.iter().copied().filter(|inst| own.contains(inst)).collect();
            f.block_mut(block).insts.retain(|inst| !own.contains(inst));
            let exit = f.make(Op::Exit(choice), &[value], &[]);
            insts.push(exit);
            f.block_mut(arm).insts = insts;
            arm
        });
        f.set_blocks(choice, &arms);
        let insts = &mut f.block_mut(block).insts;
        if let Some(at) = insts.iter().position(|&inst| inst == select) {
            insts[at] = choice;
        }
        f.result_of(choice).map(|choice| (result, choice))
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
