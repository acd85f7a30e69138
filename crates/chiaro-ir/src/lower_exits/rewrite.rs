//! The new function: the old one in the order of its text, with states and `if`s.

use super::plan::{Plan, param_types, result_types};
use super::slots::{Filled, Slots};
use super::{code, target_frame};
use crate::constant::ConstantKind;
use crate::function::{Def, Flags, Function};
use crate::id::{Block, Inst, Value};
use crate::module::Module;
use crate::op::Op;
use crate::ty::{Ty, Type};
use crate::walk::{Step, Walk};
use chiaro_diag::Span;

/// The function with the plan carried out.
pub(super) fn rewrite(module: &mut Module, old: &Function, plan: &Plan) -> Function {
    let new = old.successor(&old.param_types(), old.result);
    let (i32, bool) = (module.types.intern(Type::Int(32)), module.types.intern(Type::Bool));
    let mut values = vec![Value(0); old.value_count()];
    old.params.iter().zip(&new.params).for_each(|(&from, &to)| values[from.0 as usize] = to);
    let frame = Frame { old: None, new: None, index: 0, blocks: Vec::new(), at: new.body, ifs: Vec::new() };
    let mut rewriter = Rewriter {
        module,
        old,
        plan,
        new,
        i32,
        bool,
        values,
        insts: vec![Inst(0); old.inst_count()],
        positions: vec![0; old.inst_count()],
        frames: vec![frame],
        span: None,
    };
    rewriter.run();
    rewriter.new
}

/// An open construct, old and new; the first frame is the function.
struct Frame {
    old: Option<Inst>,
    new: Option<Inst>,
    /// Which of the construct's blocks is open, and all of them in the new function.
    index: usize,
    blocks: Vec<Block>,
    /// Where the next instruction goes.
    at: Block,
    /// The `if`s into which the block's rest has moved, with the block of each.
    ifs: Vec<(Inst, Block)>,
}

struct Rewriter<'a> {
    module: &'a mut Module,
    old: &'a Function,
    plan: &'a Plan,
    new: Function,
    i32: Ty,
    bool: Ty,
    /// By old value and instruction: the new one.
    values: Vec<Value>,
    insts: Vec<Inst>,
    /// By old construct: its number among the frames.
    positions: Vec<usize>,
    frames: Vec<Frame>,
    /// Source text of what is added.
    span: Option<Span>,
}

impl Rewriter<'_> {
    fn run(&mut self) {
        let old = self.old;
        for step in Walk::new(old) {
            match step {
                Step::Open(Some(_), index, _) => self.open(index as usize),
                Step::Inst(inst) => {
                    self.span = old.inst(inst).span;
                    match old.op(inst) {
                        op if op.is_exit() => self.exit(inst, op),
                        op if op.is_construct() => self.begin(inst, op),
                        op => self.copy(inst, op),
                    }
                }
                Step::Close(..) => self.unwind(),
                Step::Leave(inst) => self.leave(inst),
                _ => {}
            }
        }
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the function's own frame stays")
    }

    fn emit(&mut self, op: Op, args: &[Value], results: &[Ty]) -> Inst {
        let at = self.frame().at;
        self.emit_in(at, op, args, results)
    }

    fn emit_in(&mut self, block: Block, op: Op, args: &[Value], results: &[Ty]) -> Inst {
        let inst = self.new.push(block, op, args, results);
        self.new.inst_mut(inst).span = self.span;
        inst
    }

    fn value(&mut self, value: Value) -> Value {
        match self.old.def(value) {
            Def::Constant(c) => self.new.constant(c, self.old.ty(value)),
            _ => self.values[value.0 as usize],
        }
    }

    fn args(&mut self, inst: Inst) -> Vec<Value> {
        let old = self.old;
        old.args(inst).iter().map(|&arg| self.value(arg)).collect()
    }

    fn constant(&mut self, ty: Ty, kind: ConstantKind) -> Value {
        let c = self.module.constants.intern(ty, kind);
        self.new.constant(c, ty)
    }

    fn number(&mut self, n: u32) -> Value {
        self.constant(self.i32, ConstantKind::Scalar(u64::from(n)))
    }

    fn undef(&mut self, ty: Ty) -> Value {
        self.constant(ty, ConstantKind::Undef)
    }

    fn is(&mut self, state: Value, n: u32) -> Value {
        let n = self.number(n);
        let inst = self.emit(Op::IEq, &[state, n], &[self.bool]);
        self.only_result(inst)
    }

    fn only_result(&self, inst: Inst) -> Value {
        self.new.result_of(inst).unwrap_or(Value(0))
    }

    /// Notes the old results, the new ones' first.
    fn map_results(&mut self, old: Inst, new: Inst) {
        for (from, to) in self.old.results(old).zip(self.new.results(new)) {
            self.values[from.0 as usize] = to;
        }
        self.insts[old.0 as usize] = new;
    }

    fn flags(&mut self, inst: Inst, flags: Flags) {
        self.new.inst_mut(inst).flags = flags;
    }

    fn copy(&mut self, inst: Inst, op: Op) {
        let args = self.args(inst);
        let results: Vec<Ty> = result_types(self.old, inst).collect();
        let new = self.emit(op, &args, &results);
        self.flags(new, self.old.inst(inst).flags);
        self.map_results(inst, new);
    }

    fn begin(&mut self, inst: Inst, op: Op) {
        let old = self.old;
        let args = self.args(inst);
        let results = self.results_of(inst);
        let new = self.emit(op, &args, &results);
        self.flags(new, old.inst(inst).flags);
        self.map_results(inst, new);
        let blocks: Vec<Block> = old.blocks_of(inst).iter().map(|_| self.new.new_block()).collect();
        self.new.set_blocks(new, &blocks);
        if op == Op::Switch {
            let cases: Vec<(u64, u32)> = old.cases(inst).collect();
            self.new.set_cases(new, &cases);
        }
        for (&from, &to) in old.blocks_of(inst).iter().zip(&blocks) {
            for &param in &old.block(from).params {
                self.values[param.0 as usize] = self.new.add_param(to, old.ty(param));
            }
        }
        self.positions[inst.0 as usize] = self.frames.len();
        self.frames.push(Frame {
            old: Some(inst),
            new: Some(new),
            index: 0,
            blocks,
            at: Block(0),
            ifs: Vec::new(),
        });
    }

    fn open(&mut self, index: usize) {
        let frame = self.frame();
        frame.index = index;
        frame.at = frame.blocks[index];
    }

    /// The types of a construct's results, state and slots included.
    fn results_of(&self, inst: Inst) -> Vec<Ty> {
        let mut types: Vec<Ty> = result_types(self.old, inst).collect();
        if let Some(passing) = self.plan.passing(inst) {
            types.push(self.i32);
            types.extend(passing.slots.types());
        }
        types
    }

    /// The loop whose block is open, and the plan of that block, if the frame is a loop's.
    fn open_loop(&self) -> Option<(Inst, Block)> {
        let frame = self.frames.last()?;
        let inst = frame.old.filter(|&inst| self.old.op(inst) == Op::Loop)?;
        Some((inst, *self.old.blocks_of(inst).get(frame.index)?))
    }

    /// What the `if`s of the open block give: what its end needs to know.
    fn outcome(&self) -> Vec<Ty> {
        if let Some((_, block)) = self.open_loop() {
            let slots = &self.plan.blocks[block.0 as usize].slots;
            return std::iter::once(self.i32).chain(slots.types()).collect();
        }
        match self.frames.last().and_then(|frame| frame.old) {
            Some(inst) => self.results_of(inst),
            None if *self.module.types.get(self.old.result) == Type::Void => Vec::new(),
            None => vec![self.old.result],
        }
    }

    /// Values for a list of types, from their places; any value for those without one.
    fn take(&mut self, from: &Filled, types: impl Iterator<Item = Ty> + Clone) -> Vec<Value> {
        let places = from.slots.places(types.clone());
        types
            .zip(places)
            .map(|(ty, place)| place.map_or_else(|| self.undef(ty), |at| from.values[at]))
            .collect()
    }

    /// Values in their places, from a list.
    fn fill(&mut self, slots: &Slots, values: &[Value]) -> Vec<Value> {
        let types: Vec<Ty> = values.iter().map(|&value| self.new.ty(value)).collect();
        let mut filled: Vec<Value> = slots.types().map(|ty| self.undef(ty)).collect();
        for (place, &value) in slots.places(types.into_iter()).into_iter().zip(values) {
            if let Some(place) = place {
                filled[place] = value;
            }
        }
        filled
    }

    /// Behind a construct: what remains of the block runs only for lanes on the usual way.
    fn leave(&mut self, inst: Inst) {
        self.frames.pop();
        let Some(passing) = self.plan.passing(inst) else { return };
        let new = self.insts[inst.0 as usize];
        self.span = self.old.inst(inst).span;
        let usual = self.old.results(inst).len();
        let results: Vec<Value> = self.new.results(new).collect();
        let state = results[usual];
        let carried = Filled { slots: passing.slots.clone(), values: results[usual + 1..].to_vec() };
        let go = self.is(state, 0);
        let types = self.outcome();
        let branch = self.emit(Op::If, &[go], &types);
        let (then, otherwise) = (self.new.new_block(), self.new.new_block());
        self.new.set_blocks(branch, &[then, otherwise]);
        let at = std::mem::replace(&mut self.frame().at, otherwise);
        let values = self.pass_on(state, &carried, passing.leave_parent, passing.beyond_parent);
        self.emit(Op::Exit(branch), &values, &[]);
        let frame = self.frame();
        frame.ifs.push((branch, at));
        frame.at = then;
    }

    /// The outcome of the open block for lanes that come past a construct in it with a state:
    /// some want to leave the block's construct, some to go beyond it.
    fn pass_on(&mut self, state: Value, carried: &Filled, leave: bool, beyond: bool) -> Vec<Value> {
        if let Some((_, block)) = self.open_loop() {
            let slots = &self.plan.blocks[block.0 as usize].slots;
            let mut values = vec![state];
            values.extend(self.take(carried, slots.types().collect::<Vec<_>>().into_iter()));
            return values;
        }
        let here = self.frames.len() - 1;
        let Some(inst) = self.frames[here].old else {
            let ty = self.old.result;
            let types = (*self.module.types.get(ty) != Type::Void).then_some(ty);
            return self.take(carried, types.into_iter());
        };
        self.leaving(inst, here, state, carried, leave, beyond)
    }

    /// The results of a construct for lanes that leave it with a state: to its end, or beyond.
    fn leaving(
        &mut self,
        inst: Inst,
        frame: usize,
        state: Value,
        carried: &Filled,
        leave: bool,
        beyond: bool,
    ) -> Vec<Value> {
        let types: Vec<Ty> = result_types(self.old, inst).collect();
        let mut values = match leave {
            true => self.take(carried, types.into_iter()),
            false => types.into_iter().map(|ty| self.undef(ty)).collect(),
        };
        let Some(passing) = self.plan.passing(inst) else { return values };
        values.push(match (leave, beyond) {
            (_, false) => self.number(0),
            (false, true) => state,
            (true, true) => {
                let arrived = self.is(state, code(Op::Return, frame));
                let zero = self.number(0);
                let select = self.emit(Op::Select, &[arrived, zero, state], &[self.i32]);
                self.only_result(select)
            }
        });
        values.extend(self.take(carried, passing.slots.types().collect::<Vec<_>>().into_iter()));
        values
    }

    /// The end of a block of the old function.
    fn exit(&mut self, inst: Inst, op: Op) {
        let args = self.args(inst);
        let here = self.frames.len() - 1;
        let target = target_frame(op, |at| self.positions[at.0 as usize]);
        let lowered = self.plan.lowered[inst.0 as usize];
        let branch = self.frames[here].ifs.last().map(|&(branch, _)| branch);
        match (target, branch) {
            (Some(target), Some(branch)) if lowered || target == here => {
                let values = self.outcome_of(op, target, &args);
                self.emit(Op::Exit(branch), &values, &[]);
            }
            (Some(target), None) if lowered => {
                let values = self.far(op, target, &args);
                if let Some(new) = self.frames[here].new {
                    self.emit(Op::Exit(new), &values, &[]);
                }
            }
            _ => self.plain_exit(inst, op, args),
        }
    }

    /// An exit as it was; who names a construct with a state has the usual one.
    fn plain_exit(&mut self, inst: Inst, op: Op, mut args: Vec<Value>) {
        let new = |at: Inst| self.insts[at.0 as usize];
        let op = match op {
            Op::Exit(at) => Op::Exit(new(at)),
            Op::Continue(at) => Op::Continue(new(at)),
            Op::Repeat(at) => Op::Repeat(new(at)),
            _ => op,
        };
        if let (Op::Exit(_), Some(at)) = (op, self.old.op(inst).target()) {
            let further: Vec<Ty> = self.results_of(at).split_off(args.len());
            args.extend(self.usual(&further));
        }
        let new = self.emit(op, &args, &[]);
        self.flags(new, self.old.inst(inst).flags);
    }

    /// State and slots of lanes on the usual way.
    fn usual(&mut self, types: &[Ty]) -> Vec<Value> {
        let state = types.first().map(|_| self.number(0));
        let slots: Vec<Value> = types.iter().skip(1).map(|&ty| self.undef(ty)).collect();
        state.into_iter().chain(slots).collect()
    }

    /// What the `if` around an exit gives, in a block that is split.
    fn outcome_of(&mut self, op: Op, target: usize, args: &[Value]) -> Vec<Value> {
        let here = self.frames.len() - 1;
        if let Some((_, block)) = self.open_loop() {
            let slots = &self.plan.blocks[block.0 as usize].slots;
            let mut values = vec![self.number(code(op, target))];
            values.extend(self.fill(slots, args));
            return values;
        }
        if target == here {
            let mut values = args.to_vec();
            let further: Vec<Ty> = self.outcome().split_off(args.len());
            values.extend(self.usual(&further));
            return values;
        }
        self.far(op, target, args)
    }

    /// The results of the innermost construct for an exit that goes beyond it.
    fn far(&mut self, op: Op, target: usize, args: &[Value]) -> Vec<Value> {
        let Some(inst) = self.frame().old else { return args.to_vec() };
        let mut values: Vec<Value> = result_types(self.old, inst).map(|ty| self.undef(ty)).collect();
        values.push(self.number(code(op, target)));
        if let Some(passing) = self.plan.passing(inst) {
            values.extend(self.fill(&passing.slots, args));
        }
        values
    }

    /// The end of a new block, where the old one had a rest that moved into `if`s.
    fn unwind(&mut self) {
        while let Some((branch, at)) = self.frame().ifs.pop() {
            self.frame().at = at;
            let values: Vec<Value> = self.new.results(branch).collect();
            let around = self.frame().ifs.last().map(|&(branch, _)| branch);
            match (around, self.open_loop()) {
                (Some(around), _) => drop(self.emit(Op::Exit(around), &values, &[])),
                (None, Some((inst, block))) => self.end_of_loop_block(inst, block, &values),
                (None, None) => match self.frame().new {
                    Some(new) => drop(self.emit(Op::Exit(new), &values, &[])),
                    None => drop(self.emit(Op::Return, &values, &[])),
                },
            }
        }
    }

    /// Leaves a loop or goes to its next part, as the state says.
    fn end_of_loop_block(&mut self, inst: Inst, block: Block, values: &[Value]) {
        let (old, plan) = (self.old, &self.plan.blocks[block.0 as usize]);
        let (state, carried) =
            (values[0], Filled { slots: plan.slots.clone(), values: values[1..].to_vec() });
        let here = self.frames.len() - 1;
        let new = self.insts[inst.0 as usize];
        let in_body = self.frames[here].index == 0;
        let on = if in_body { Op::Continue(new) } else { Op::Repeat(new) };
        if plan.goes_on && (plan.leaves || plan.beyond) {
            let stays = self.is(state, code(on, here));
            let branch = self.emit(Op::If, &[stays], &[]);
            let (then, otherwise) = (self.new.new_block(), self.new.new_block());
            self.new.set_blocks(branch, &[then, otherwise]);
            self.emit_in(then, Op::Exit(branch), &[], &[]);
            let at = std::mem::replace(&mut self.frame().at, otherwise);
            self.leave_loop(inst, block, state, &carried);
            self.frame().at = at;
        }
        if !plan.goes_on {
            return self.leave_loop(inst, block, state, &carried);
        }
        let next = old.blocks_of(inst)[usize::from(in_body)];
        let args = self.take(&carried, param_types(old, next).collect::<Vec<_>>().into_iter());
        self.emit(on, &args, &[]);
    }

    fn leave_loop(&mut self, inst: Inst, block: Block, state: Value, carried: &Filled) {
        let here = self.frames.len() - 1;
        let plan = &self.plan.blocks[block.0 as usize];
        let values = self.leaving(inst, here, state, carried, plan.leaves, plan.beyond);
        let new = self.insts[inst.0 as usize];
        self.emit(Op::Exit(new), &values, &[]);
    }
}
