//! Functions: constructs to labels and branches, results of constructs to phis.

use chiaro_ir::{Block, Def, Function, FunctionRef, Inst, Op as Ir, Space, Ty, Value, Walk};
use chiaro_words::newer::number;
use chiaro_words::write::{Id, MOST_WORDS, Part};
use spirv::{Decoration, FunctionControl, LoopControl, Op, SelectionControl};
use std::collections::HashMap;

use super::ops::{Form, form, signs};
use super::{Emitter, Unwritten};

/// A place that several branches lead to, with a value for each of its phis.
#[derive(Default)]
struct Join {
    label: Id,
    /// The block that a branch comes from, and what it brings.
    from: Vec<(Id, Vec<Id>)>,
}

/// An open construct.
struct Open {
    inst: Inst,
    behind: Join,
    /// Of a loop: its continuing block, and its head.
    parts: Option<[Join; 2]>,
}

struct Body<'e, 'm> {
    e: &'e mut Emitter<'m>,
    f: &'m Function,
    /// By value: its id, 0 before it has one.
    values: Vec<Id>,
    /// By value: whether it is but a step on the way to what a place in the source computes. Where nothing has a
    /// name, all are.
    is_step: Vec<bool>,
    names: HashMap<Id, String>,
    /// What steps would be called: of what nothing else names, a phi has the name of such a one.
    step_names: HashMap<Id, String>,
    /// The innermost last.
    open: Vec<Open>,
    /// The block that is being written.
    label: Id,
    /// Whether it has ended: nobody comes to what follows, and it is left out.
    has_ended: bool,
    /// Instructions: phis get their operands late.
    code: Code,
    /// Variables, which stand at the start.
    variables: Vec<[u32; 3]>,
    /// Room for the operands of an instruction.
    args: Vec<Id>,
}

/// Instructions as words.
#[derive(Default)]
struct Code {
    words: Vec<u32>,
    count: usize,
    /// Operands that came late: where the instruction begins, in order, and the operands.
    late: Vec<(usize, Vec<u32>)>,
    is_too_long: bool,
}

impl Code {
    /// With room for so many instructions.
    fn with_room(count: usize) -> Code {
        Code { words: Vec::with_capacity(5 * count), ..Code::default() }
    }

    fn put(&mut self, op: Op, operands: impl IntoIterator<Item = u32>) {
        let start = self.begin(op);
        self.words.extend(operands);
        self.end(start);
    }

    /// The same, operands that stand in two places.
    fn put_pieces(&mut self, op: Op, [head, tail]: [&[u32]; 2]) {
        let start = self.begin(op);
        self.words.extend_from_slice(head);
        self.words.extend_from_slice(tail);
        self.end(start);
    }

    fn begin(&mut self, op: Op) -> usize {
        self.words.push(number(op).into());
        self.words.len() - 1
    }

    /// Notes how long the instruction is.
    fn end(&mut self, start: usize) {
        let length = self.words.len() - start;
        self.is_too_long |= length > MOST_WORDS;
        self.words[start] |= (length as u32) << 16;
        self.count += 1;
    }

    /// Further operands of an instruction by where it begins.
    fn extend(&mut self, start: usize, operands: Vec<u32>) {
        let at = self.late.partition_point(|(other, _)| *other < start);
        self.late.insert(at, (start, operands));
    }

    /// The words with all operands in their places.
    fn finished(self) -> Result<(Vec<u32>, usize), Unwritten> {
        let (mut all, mut from, mut is_too_long) = (Vec::new(), 0, self.is_too_long);
        for (start, operands) in &self.late {
            let length = (self.words[*start] >> 16) as usize;
            is_too_long |= length + operands.len() > MOST_WORDS;
            all.extend_from_slice(&self.words[from..*start]);
            let head = all.len();
            from = start + length;
            all.extend_from_slice(&self.words[*start..from]);
            all.extend_from_slice(operands);
            all[head] += (operands.len() as u32) << 16;
        }
        if is_too_long {
            return Err(Unwritten(format!("an instruction of more than {MOST_WORDS} words")));
        }
        if from == 0 {
            return Ok((self.words, self.count));
        }
        all.extend_from_slice(&self.words[from..]);
        Ok((all, self.count))
    }
}

impl<'m> Emitter<'m> {
    pub(super) fn function(&mut self, f: FunctionRef) -> Result<(), Unwritten> {
        let module = self.module;
        let function = module.function(f);
        let result = self.ty(function.result)?;
        let types =
            function.param_types().into_iter().map(|ty| self.ty(ty)).collect::<Result<Vec<_>, _>>()?;
        let ty = self.b.ty(Op::TypeFunction, &[&[result], &types[..]].concat());
        let id = self.functions[f.0 as usize];
        self.b.name(id, &function.name);
        let head = [result, id, FunctionControl::NONE.bits(), ty];
        self.b.push(Part::Function, Op::Function, &head);
        let mut values = vec![0; function.value_count()];
        for (n, (&param, ty)) in function.params.iter().zip(types).enumerate() {
            let id = self.b.value(Op::FunctionParameter, ty, &[]);
            values[param.0 as usize] = id;
            if let Some(name) = self.names.of_param(f, n) {
                self.b.name(id, &name);
            }
        }
        let label = self.b.fresh();
        let is_step = if self.names.is_empty() { Vec::new() } else { steps(function) };
        let mut body = Body {
            e: self,
            f: function,
            values,
            is_step,
            names: HashMap::new(),
            step_names: HashMap::new(),
            open: Vec::new(),
            label,
            has_ended: false,
            code: Code::with_room(function.inst_count()),
            variables: Vec::new(),
            args: Vec::new(),
        };
        body.block(function.body)?;
        let (code, variables) = (body.code, body.variables);
        self.b.effect(Op::Label, &[label]);
        variables.iter().for_each(|variable| self.b.effect(Op::Variable, variable));
        let (words, count) = code.finished()?;
        self.b.function_words(&words, count);
        self.b.effect(Op::FunctionEnd, &[]);
        Ok(())
    }
}

/// [`Body::is_step`]: what an instruction of the same place uses, and what only brings operands to it.
fn steps(f: &Function) -> Vec<bool> {
    let mut is_step = vec![false; f.value_count()];
    let place = |value: Value| match f.def(value) {
        Def::Result(inst, _) => f.inst(inst).span,
        _ => None,
    };
    for inst in Walk::insts(f) {
        let Some(here) = f.inst(inst).span else { continue };
        if brings_only(f.op(inst)) {
            f.results(inst).for_each(|value| is_step[value.0 as usize] = true);
            continue;
        }
        if f.op(inst).is_exit() || f.op(inst) == Ir::Store {
            continue;
        }
        let same = f.args(inst).iter().filter(|&&arg| place(arg) == Some(here));
        same.for_each(|arg| is_step[arg.0 as usize] = true);
    }
    is_step
}

/// Whether an instruction is but the way of an operand to those that compute.
fn brings_only(op: Ir) -> bool {
    matches!(op, Ir::Access | Ir::Bitcast | Ir::Extract(_) | Ir::FNeg | Ir::Load | Ir::Shuffle(_))
}

/// Control.
impl Body<'_, '_> {
    fn block(&mut self, block: Block) -> Result<(), Unwritten> {
        let f = self.f;
        for &inst in &f.block(block).insts {
            if self.has_ended {
                break;
            }
            match f.op(inst) {
                Ir::Block => self.inner(inst)?,
                Ir::If => self.branches(inst)?,
                Ir::Switch => self.switch(inst)?,
                Ir::Loop => self.looped(inst)?,
                op if op.is_exit() => self.exit(inst)?,
                _ => self.plain(inst)?,
            }
        }
        Ok(())
    }

    fn put(&mut self, op: Op, operands: &[u32]) {
        self.code.put_pieces(op, [operands, &[]]);
    }

    fn start(&mut self, label: Id) {
        self.put(Op::Label, &[label]);
        self.label = label;
        self.has_ended = false;
    }

    fn join(&mut self) -> Join {
        Join { label: self.e.b.fresh(), from: Vec::new() }
    }

    fn open(&mut self, inst: Inst, parts: Option<[Join; 2]>) -> Id {
        let behind = self.join();
        let label = behind.label;
        self.open.push(Open { inst, behind, parts });
        label
    }

    /// The label behind a construct, with its results.
    fn close(&mut self, inst: Inst) -> Result<(), Unwritten> {
        let Some(open) = self.open.pop_if(|open| open.inst == inst) else { return Ok(()) };
        if open.behind.from.is_empty() {
            self.end_unreached(inst, open.behind.label);
            return Ok(());
        }
        self.start(open.behind.label);
        for (n, result) in self.f.results(inst).enumerate() {
            self.values[result.0 as usize] = self.phi(result, &open.behind, n)?;
        }
        Ok(())
    }

    /// The label behind a construct that is never left: only what names it as its end needs one.
    fn end_unreached(&mut self, inst: Inst, label: Id) {
        if self.f.op(inst) != Ir::Block {
            self.start(label);
            self.put(Op::Unreachable, &[]);
        }
        self.has_ended = true;
    }

    /// Of a place that one branch leads to as well: translators into languages expect that what comes out of a
    /// construct comes by a phi.
    fn phi(&mut self, value: Value, join: &Join, n: usize) -> Result<Id, Unwritten> {
        let (ty, id) = (self.e.ty(self.f.ty(value))?, self.e.b.fresh());
        let operands = join.from.iter().flat_map(|(label, brought)| [brought[n], *label]);
        self.code.put(Op::Phi, [ty, id].into_iter().chain(operands));
        let name = self.name_of(join.from.iter().map(|(_, brought)| brought[n]));
        self.note_name(id, name);
        Ok(id)
    }

    /// What one of some values is called, or would be.
    fn name_of(&self, ids: impl Iterator<Item = Id> + Clone) -> Option<String> {
        let named = ids.clone().find_map(|id| self.names.get(&id));
        named.or_else(|| ids.clone().find_map(|id| self.step_names.get(&id))).cloned()
    }

    /// A block that is left at its end alone.
    fn inner(&mut self, inst: Inst) -> Result<(), Unwritten> {
        self.open(inst, None);
        self.block(self.f.blocks_of(inst)[0])?;
        self.close(inst)
    }

    fn branches(&mut self, inst: Inst) -> Result<(), Unwritten> {
        let condition = self.value(self.f.args(inst)[0])?;
        let behind = self.open(inst, None);
        let labels = [self.e.b.fresh(), self.e.b.fresh()];
        self.put(Op::SelectionMerge, &[behind, SelectionControl::NONE.bits()]);
        self.put(Op::BranchConditional, &[condition, labels[0], labels[1]]);
        for (n, label) in labels.into_iter().enumerate() {
            self.start(label);
            self.block(self.f.blocks_of(inst)[n])?;
        }
        self.close(inst)
    }

    fn switch(&mut self, inst: Inst) -> Result<(), Unwritten> {
        let selector = self.value(self.f.args(inst)[0])?;
        let behind = self.open(inst, None);
        let blocks = self.f.blocks_of(inst);
        let labels: Vec<Id> = blocks.iter().map(|_| self.e.b.fresh()).collect();
        let otherwise = labels.last().copied().unwrap_or(behind);
        let cases = self.f.cases(inst).flat_map(|(value, n)| [value as u32, labels[n as usize]]);
        let operands: Vec<u32> = [selector, otherwise].into_iter().chain(cases).collect();
        self.put(Op::SelectionMerge, &[behind, SelectionControl::NONE.bits()]);
        self.put(Op::Switch, &operands);
        for (&block, label) in blocks.iter().zip(labels) {
            self.start(label);
            self.block(block)?;
        }
        self.close(inst)
    }

    fn looped(&mut self, inst: Inst) -> Result<(), Unwritten> {
        let start = self.f.args(inst).iter().map(|&v| self.value(v)).collect::<Result<Vec<_>, _>>()?;
        let (continuing, mut head) = (self.join(), self.join());
        let (continuing_label, head_label) = (continuing.label, head.label);
        head.from.push((self.label, start));
        self.put(Op::Branch, &[head_label]);
        let behind = self.open(inst, Some([continuing, head]));
        self.start(head_label);
        let [body, next] = [self.f.blocks_of(inst)[0], self.f.blocks_of(inst)[1]];
        let f = self.f;
        let params = &f.block(body).params;
        let mut phis = Vec::with_capacity(params.len());
        for &param in params {
            phis.push(self.code.words.len());
            self.values[param.0 as usize] = self.phi(param, &Join::default(), 0)?;
        }
        self.put(Op::LoopMerge, &[behind, continuing_label, LoopControl::NONE.bits()]);
        let inside = self.e.b.fresh();
        self.put(Op::Branch, &[inside]);
        self.start(inside);
        self.block(body)?;
        self.continuing(inst, next)?;
        let heads = self.opened(inst).and_then(|open| open.parts.take()).map(|[_, head]| head);
        for (n, phi) in phis.into_iter().enumerate() {
            let from = heads.iter().flat_map(|head| &head.from);
            self.code.extend(phi, from.flat_map(|(label, brought)| [brought[n], *label]).collect());
        }
        // What goes round is named after what it becomes.
        for (n, &param) in params.iter().enumerate() {
            let brought = heads.iter().flat_map(|head| &head.from).map(|(_, brought)| brought[n]);
            let name = self.name_of(brought);
            self.note_name(self.values[param.0 as usize], name);
        }
        self.close(inst)
    }

    fn continuing(&mut self, inst: Inst, next: Block) -> Result<(), Unwritten> {
        let parts = self.opened(inst).and_then(|open| open.parts.as_mut());
        let Some([continuing, head]) = parts else { return Ok(()) };
        let (continuing, head_label) = (std::mem::take(continuing), head.label);
        self.start(continuing.label);
        if continuing.from.is_empty() {
            let params = self.f.block(self.f.blocks_of(inst)[0]).params.clone();
            let none = params.iter().map(|&param| self.null(param)).collect::<Result<Vec<_>, _>>()?;
            if let Some(head) = self.part(inst, 1) {
                head.from.push((continuing.label, none));
            }
            self.put(Op::Branch, &[head_label]);
            return Ok(());
        }
        let f = self.f;
        for (n, &param) in f.block(next).params.iter().enumerate() {
            self.values[param.0 as usize] = self.phi(param, &continuing, n)?;
        }
        self.block(next)
    }

    /// Something of a value's type.
    fn null(&mut self, like: Value) -> Result<Id, Unwritten> {
        let ty = self.e.ty(self.ir_ty(like))?;
        Ok(self.e.b.constant(Op::ConstantNull, ty, &[]))
    }

    fn exit(&mut self, inst: Inst) -> Result<(), Unwritten> {
        self.has_ended = true;
        let args = self.f.args(inst).iter().map(|&v| self.value(v)).collect::<Result<Vec<_>, _>>()?;
        let op = self.f.op(inst);
        let label = self.label;
        let ending = match op {
            Ir::Return if args.is_empty() => Some(Op::Return),
            Ir::Return => Some(Op::ReturnValue),
            Ir::Terminate => Some(Op::Kill),
            Ir::Unreachable => Some(Op::Unreachable),
            _ => None,
        };
        if let Some(ending) = ending {
            self.put(ending, &args);
            return Ok(());
        }
        let join = match op {
            Ir::Exit(at) => self.opened(at).map(|open| &mut open.behind),
            Ir::Continue(at) => self.part(at, 0),
            Ir::Repeat(at) => self.part(at, 1),
            other => return Err(Unwritten(format!("`{}`", other.info().name))),
        };
        let Some(join) = join else { return Err(Unwritten("an exit of what is not open".into())) };
        join.from.push((label, args));
        let to = join.label;
        self.put(Op::Branch, &[to]);
        Ok(())
    }

    fn opened(&mut self, inst: Inst) -> Option<&mut Open> {
        self.open.iter_mut().rfind(|open| open.inst == inst)
    }

    fn part(&mut self, at: Inst, n: usize) -> Option<&mut Join> {
        self.opened(at)?.parts.as_mut().map(|parts| &mut parts[n])
    }
}

/// Instructions.
impl Body<'_, '_> {
    #[inline]
    fn value(&mut self, value: Value) -> Result<Id, Unwritten> {
        // Constants have their id here once they were asked for.
        match self.values[value.0 as usize] {
            0 => self.first_value(value),
            id => Ok(id),
        }
    }

    fn first_value(&mut self, value: Value) -> Result<Id, Unwritten> {
        let Def::Constant(c) = self.f.def(value) else {
            return Err(Unwritten("a value that is not there".into()));
        };
        let id = self.e.constant(c)?;
        self.values[value.0 as usize] = id;
        Ok(id)
    }

    fn note_name(&mut self, id: Id, name: Option<String>) {
        if let Some(name) = name {
            self.e.b.name(id, &name);
            self.names.insert(id, name);
        }
    }

    fn ir_ty(&self, value: Value) -> Ty {
        self.f.ty(value)
    }

    fn plain(&mut self, inst: Inst) -> Result<(), Unwritten> {
        let mut args = std::mem::take(&mut self.args);
        args.clear();
        for &value in self.f.args(inst) {
            args.push(self.value(value)?);
        }
        self.with_args(inst, &mut args)?;
        self.args = args;
        Ok(())
    }

    fn with_args(&mut self, inst: Inst, args: &mut [Id]) -> Result<(), Unwritten> {
        let op = self.f.op(inst);
        let Some(result) = self.f.result_of(inst) else {
            match op {
                Ir::Store => self.put(Op::Store, args),
                Ir::Copy => self.put(Op::CopyMemory, args),
                Ir::EmitVertex(0) => self.put(Op::EmitVertex, &[]),
                Ir::EndPrimitive(0) => self.put(Op::EndPrimitive, &[]),
                Ir::Call(f) => return self.call(None, f, args),
                _ => return Err(Unwritten(format!("`{}`", op.info().name))),
            }
            return Ok(());
        };
        let (ty, id) = (self.e.ty(self.ir_ty(result))?, self.e.b.fresh());
        self.values[result.0 as usize] = id;
        if let Some(&is_step) = self.is_step.get(result.0 as usize) {
            let name = self.f.inst(inst).span.and_then(|place| self.e.names.of_place(place));
            match (is_step, name) {
                (true, Some(name)) => drop(self.step_names.insert(id, name)),
                (_, name) => self.note_name(id, name),
            }
        }
        if self.f.inst(inst).flags.exact {
            self.e.b.mark(id, Decoration::NoContraction);
        }
        match op {
            Ir::Var(Space::Function) => self.variable(ty, id, args),
            Ir::Call(f) => self.call(Some((ty, id)), f, args)?,
            _ => self.signed(inst, op, [ty, id], args)?,
        }
        Ok(())
    }

    /// Integers have no sign here: where an operation gives them one, they are of a type that has one.
    fn signed(&mut self, inst: Inst, op: Ir, [ty, id]: [Id; 2], args: &mut [Id]) -> Result<(), Unwritten> {
        let [of_operands, of_result] = signs(op);
        if of_operands {
            for (arg, &value) in args.iter_mut().zip(self.f.args(inst)) {
                let given = std::mem::replace(arg, self.e.b.fresh());
                let int = self.signed_ty(value);
                self.put(Op::Bitcast, &[int, *arg, given]);
            }
        }
        let result = self.f.result_of(inst).filter(|_| of_result);
        let Some(result) = result else { return self.computed(inst, op, [ty, id], args) };
        let (int, signed) = (self.signed_ty(result), self.e.b.fresh());
        self.computed(inst, op, [int, signed], args)?;
        self.put(Op::Bitcast, &[ty, id, signed]);
        Ok(())
    }

    /// An integer of 32 bits with a sign, or a vector of them like a value.
    fn signed_ty(&mut self, like: Value) -> Id {
        let components = self.e.module.types.components(self.ir_ty(like));
        let int = self.e.b.ty(Op::TypeInt, &[32, 1]);
        if components < 2 { int } else { self.e.b.ty(Op::TypeVector, &[int, components.into()]) }
    }

    fn computed(&mut self, inst: Inst, op: Ir, [ty, id]: [Id; 2], args: &[Id]) -> Result<(), Unwritten> {
        let first = self.f.args(inst).first().map(|&v| self.ir_ty(v));
        let types = &self.e.module.types;
        let components = self.f.result_of(inst).map_or(1, |v| types.components(self.ir_ty(v)));
        let head = [ty, id];
        let code = &mut self.code;
        match op {
            Ir::Extract(n) => code.put_pieces(Op::CompositeExtract, [&head, &[args[0], n]]),
            Ir::Insert(n) => code.put_pieces(Op::CompositeInsert, [&head, &[args[1], args[0], n]]),
            Ir::ExtractDyn => code.put_pieces(Op::VectorExtractDynamic, [&head, args]),
            Ir::InsertDyn => code.put_pieces(Op::VectorInsertDynamic, [&head, args]),
            Ir::Construct if args.len() == 1 => {
                let all = std::iter::repeat_n(args[0], components.max(1).into());
                code.put(Op::CompositeConstruct, head.into_iter().chain(all));
            }
            Ir::Construct => code.put_pieces(Op::CompositeConstruct, [&head, args]),
            Ir::Shuffle(parts) => {
                let part = |&n: &u8| if n == 255 { u32::MAX } else { n.into() };
                let parts = parts.iter().take(components.into()).map(part);
                let operands = head.into_iter().chain(args.iter().copied()).chain(parts);
                code.put(Op::VectorShuffle, operands);
            }
            Ir::Select => {
                let operands = self.select(inst, args, components)?;
                self.code.put_pieces(Op::Select, [&head, &operands]);
            }
            _ => match form(op, first.is_some_and(|ty| types.is_bool(ty))) {
                Some(Form::Op(op)) => code.put_pieces(op, [&head, args]),
                Some(Form::Extended(function)) => {
                    let head = [ty, id, self.e.extended, function as u32];
                    code.put_pieces(Op::ExtInst, [&head, args]);
                }
                None => return Err(Unwritten(format!("`{}`", op.info().name))),
            },
        }
        Ok(())
    }

    /// Before version 1.4 a vector is chosen by as many conditions as it has components.
    fn select(&mut self, inst: Inst, args: &[Id], components: u8) -> Result<[Id; 3], Unwritten> {
        let condition = self.ir_ty(self.f.args(inst)[0]);
        let chosen = [args[0], args[1], args[2]];
        if components < 2 || self.e.module.types.components(condition) == components {
            return Ok(chosen);
        }
        let bool = self.e.ty(condition)?;
        let ty = self.e.b.ty(Op::TypeVector, &[bool, components.into()]);
        let all = self.e.b.fresh();
        let conditions = std::iter::repeat_n(args[0], components.into());
        self.code.put(Op::CompositeConstruct, [ty, all].into_iter().chain(conditions));
        Ok([all, args[1], args[2]])
    }

    fn variable(&mut self, ty: Id, id: Id, start: &[Id]) {
        self.variables.push([ty, id, spirv::StorageClass::Function as u32]);
        if let Some(&start) = start.first() {
            self.put(Op::Store, &[id, start]);
        }
    }

    fn call(&mut self, result: Option<(Id, Id)>, f: FunctionRef, args: &[Id]) -> Result<(), Unwritten> {
        let (ty, id) = match result {
            Some(result) => result,
            None => (self.e.ty(self.e.module.function(f).result)?, self.e.b.fresh()),
        };
        let callee = self.e.functions[f.0 as usize];
        self.code.put_pieces(Op::FunctionCall, [&[ty, id, callee], args]);
        Ok(())
    }
}
