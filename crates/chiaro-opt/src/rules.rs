//! The rewriter: applies rules to each operation while it writes a function anew in text order.
//!
//! Operands stand behind their definitions in the text, always: a loop's values go round as
//! operands of `repeat`, not as values of a later place. So one walk that replaces results can
//! rename all operands as it comes by them, and needs no lists of uses.
//!
//! A rule sees a [`Node`], an operation that is about to be written, and answers the value that
//! stands for it. What a rule [`emit`](Rewriter::emit)s goes through the rules as well. Rules see
//! pure operations only. At the end what nothing uses is dropped.

use crate::Cx;
use crate::limits::{Assumptions, Limits};
use crate::ranges::{Asked, FloatRange, IntRange};
use crate::uniform::Uniforms;
use chiaro_diag::Span;
use chiaro_ir::interp::{float_bits, float_value};
use chiaro_ir::{
    Constant, ConstantKind, Def, Draft, Effect, Flags, Forward, Function, FunctionRef, Inst, Module, Op,
    Step, Tour, Ty, Type, Value, Walk, use_counts,
};
use std::cell::{OnceCell, RefCell};

/// Most operands of an operation that rules look at.
const MOST: usize = 4;
/// Rules that lead to rules that lead to rules end here; no sound set of rules goes so deep.
const DEEPEST: u32 = 24;

/// An operation that is about to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) op: Op,
    pub(crate) ty: Ty,
    pub(crate) flags: Flags,
    pub(crate) span: Option<Span>,
    /// The instruction of the old text that it is, if a rule did not make it.
    inst: Option<Inst>,
    list: [Value; MOST],
    count: u8,
}

impl Node {
    pub(crate) fn args(&self) -> &[Value] {
        &self.list[..usize::from(self.count)]
    }

    /// Another operation with the flags and place of this one, of at most four operands.
    pub(crate) fn with(&self, op: Op, args: &[Value], ty: Ty) -> Node {
        debug_assert!(args.len() <= MOST);
        let count = args.len().min(MOST);
        let mut list = [Value(0); MOST];
        list[..count].copy_from_slice(&args[..count]);
        Node { op, ty, inst: None, list, count: count as u8, ..*self }
    }

    /// The same with other flags.
    pub(crate) fn flagged(&self, flags: Flags) -> Node {
        Node { flags, ..*self }
    }

    /// The same, as exact as a value whose operation it takes over too.
    pub(crate) fn over(&self, w: &Rewriter<'_>, v: Value) -> Node {
        let exact = self.flags.exact || w.flags(v).exact;
        Node { flags: Flags { exact, ..self.flags }, ..*self }
    }

    /// The first operands, of an operation that has so many.
    pub(crate) fn first<const N: usize>(&self) -> [Value; N] {
        std::array::from_fn(|i| self.list[i.min(MOST - 1)])
    }
}

/// What a rule asks of values beside the operations that make them; nothing else is found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Asks {
    Nothing,
    /// Which numbers they can be.
    Ranges,
    /// Whether they are made of uniforms.
    Uniforms,
}

/// The value that stands for an operation, if a rule knows a better one.
pub(crate) type Rule = fn(&mut Rewriter<'_>, &Node) -> Option<Value>;

/// A function while it is written anew, taken out of its module.
pub(crate) struct Rewriter<'m> {
    pub(crate) module: &'m mut Module,
    pub(crate) f: Function,
    /// Facts of the values that were written so far, if the rule asks for them.
    ranges: Option<RefCell<Asked>>,
    uniforms: Option<Uniforms>,
    /// By value of the old text: the last instruction that uses it; made when it is asked for.
    users: OnceCell<Vec<Option<Inst>>>,
    assumptions: Assumptions,
    pub(crate) limits: Limits,
    rule: Rule,
    /// What stands for results that are gone.
    names: Forward,
    /// By value: uses that are written, and those that the old text still has.
    uses: Vec<u32>,
    draft: Draft,
    /// The node that the rule looks at.
    current: Option<Node>,
    depth: u32,
    changed: bool,
}

/// Applies a rule to every pure operation of a function; whether anything changed.
pub(crate) fn apply(module: &mut Module, f: FunctionRef, cx: &Cx<'_>, asks: Asks, rule: Rule) -> bool {
    let Some(place) = module.functions.get_mut(f.0 as usize) else { return false };
    let result = place.result;
    let function = std::mem::replace(place, Function::new("", &[], result));
    let uses = use_counts(&function);
    let start = || RefCell::new(Asked::start(&function, &module.constants));
    let mut writer = Rewriter {
        ranges: (asks == Asks::Ranges).then(start),
        uses,
        module,
        uniforms: (asks == Asks::Uniforms).then(|| Uniforms::start(&function)),
        users: OnceCell::new(),
        f: function,
        assumptions: cx.options.assumptions,
        limits: cx.options.limits,
        rule,
        names: Forward::new(),
        draft: Draft::new(),
        current: None,
        depth: 0,
        changed: false,
    };
    writer.run();
    writer.sweep();
    let Rewriter { module, f: function, changed, .. } = writer;
    module.functions[f.0 as usize] = function;
    changed
}

/// By value: the last instruction that uses it.
fn last_users(f: &Function) -> Vec<Option<Inst>> {
    let mut users = vec![None; f.value_count()];
    for inst in Walk::insts(f) {
        for arg in f.args(inst) {
            if let Some(user) = users.get_mut(arg.0 as usize) {
                *user = Some(inst);
            }
        }
    }
    users
}

impl Rewriter<'_> {
    fn run(&mut self) {
        let mut tour = Tour::new();
        while let Some(step) = tour.step(&self.f) {
            match step {
                Step::Open(_, _, block) => self.draft.open(&self.f, block),
                Step::Close(_, _, block) => self.draft.close(&mut self.f, block),
                Step::Inst(inst) => self.inst(inst),
                _ => {}
            }
        }
    }

    fn inst(&mut self, inst: Inst) {
        self.names.apply_to(&mut self.f, inst);
        if self.f.op(inst).effect() == Effect::Pure
            && let Some(node) = self.node(inst)
            && let Some(result) = self.f.result_of(inst)
        {
            // Its uses count already, and until it is gone.
            self.current = Some(node);
            let better = (self.rule)(self, &node);
            self.current = None;
            if let Some(value) = better {
                self.let_go(&node);
                return self.replace(result, value);
            }
        }
        self.write(inst);
    }

    /// What the rule answers of a node that another one is made of. While it looks, the node's own uses count, but not those of a node
    /// for which it is made.
    fn better(&mut self, node: &Node) -> Option<Value> {
        let outer = self.current.replace(*node);
        outer.iter().for_each(|outer| self.let_go(outer));
        self.hold(node);
        let better = (self.rule)(self, node);
        self.let_go(node);
        outer.iter().for_each(|outer| self.hold(outer));
        self.current = outer;
        better
    }

    fn hold(&mut self, node: &Node) {
        node.args().iter().for_each(|&arg| *self.count(arg) += 1);
    }

    fn let_go(&mut self, node: &Node) {
        for &arg in node.args() {
            let uses = self.count(arg);
            *uses = uses.saturating_sub(1);
        }
    }

    /// An instruction as a node, if it has not too many operands.
    fn node(&self, inst: Inst) -> Option<Node> {
        let (args, data) = (self.f.args(inst), self.f.inst(inst));
        let ty = self.f.ty(self.f.result_of(inst)?);
        let (list, count) = ([Value(0); MOST], args.len() as u8);
        let mut node =
            Node { op: data.op, ty, flags: data.flags, span: data.span, inst: Some(inst), list, count };
        node.list.get_mut(..args.len())?.copy_from_slice(args);
        Some(node)
    }

    fn write(&mut self, inst: Inst) {
        if let Some(ranges) = &mut self.ranges {
            ranges.get_mut().note(&self.f, inst);
        }
        if let Some(uniforms) = &mut self.uniforms {
            uniforms.note(self.module, &self.f, inst);
        }
        self.draft.push(inst);
    }

    /// A value stands for the result of an instruction, which is dropped and released.
    fn replace(&mut self, result: Value, value: Value) {
        self.changed = true;
        self.names.set(result, value);
        let moved = std::mem::take(self.count(result));
        *self.count(value) += moved;
    }

    /// The number of uses of a value.
    fn count(&mut self, value: Value) -> &mut u32 {
        let at = value.0 as usize;
        if at >= self.uses.len() {
            self.uses.resize(at + 1, 0);
        }
        &mut self.uses[at]
    }

    /// An instruction uses its operands no more.
    fn release(&mut self, inst: Inst) {
        for arg in self.f.args(inst) {
            if let Some(uses) = self.uses.get_mut(arg.0 as usize) {
                *uses = uses.saturating_sub(1);
            }
        }
    }

    /// Drops what is pure and used by nothing, the last first.
    fn sweep(&mut self) {
        for (_, block) in self.f.tree().into_iter().rev() {
            // In most blocks nothing is dead; only what is makes others so.
            if self.f.block(block).insts.iter().all(|&inst| !self.is_dead(inst)) {
                continue;
            }
            let mut insts = std::mem::take(&mut self.f.block_mut(block).insts);
            let mut kept = Vec::with_capacity(insts.len());
            while let Some(inst) = insts.pop() {
                if self.is_dead(inst) {
                    self.release(inst);
                    self.changed = true;
                } else {
                    kept.push(inst);
                }
            }
            kept.reverse();
            self.f.block_mut(block).insts = kept;
        }
    }

    fn is_dead(&self, inst: Inst) -> bool {
        let uses = |v: Value| self.uses.get(v.0 as usize).copied().unwrap_or(0);
        self.f.op(inst).effect() == Effect::Pure && self.f.results(inst).all(|v| uses(v) == 0)
    }
}

/// Writing.
impl Rewriter<'_> {
    /// An operation with the flags and place of another one.
    pub(crate) fn emit(&mut self, like: &Node, op: Op, args: &[Value], ty: Ty) -> Value {
        let node = like.with(op, args, ty);
        self.depth += 1;
        let better = if self.depth < DEEPEST { self.better(&node) } else { None };
        self.depth -= 1;
        better.unwrap_or_else(|| self.make(&node))
    }

    /// An operation of the same type.
    pub(crate) fn same(&mut self, like: &Node, op: Op, args: &[Value]) -> Value {
        self.emit(like, op, args, like.ty)
    }

    /// An operation as it is, past the rules.
    pub(crate) fn make(&mut self, node: &Node) -> Value {
        let inst = self.f.make(node.op, node.args(), &[node.ty]);
        let data = self.f.inst_mut(inst);
        (data.flags, data.span) = (node.flags, node.span);
        self.hold(node);
        self.write(inst);
        self.f.result_of(inst).unwrap_or(Value(0))
    }

    /// As [`make`](Self::make), with the flags and place of another operation.
    pub(crate) fn make_as(&mut self, like: &Node, op: Op, args: &[Value], ty: Ty) -> Value {
        let node = like.with(op, args, ty);
        self.make(&node)
    }

    pub(crate) fn constant(&mut self, ty: Ty, kind: ConstantKind) -> Value {
        let c = self.module.constants.intern(ty, kind);
        self.constant_value(c)
    }

    pub(crate) fn constant_value(&mut self, c: Constant) -> Value {
        self.f.constant(c, self.module.constants.ty(c))
    }

    /// Scalar bits in all components of a type.
    pub(crate) fn bits(&mut self, ty: Ty, bits: u64) -> Value {
        let c = self.module.scalar(ty, bits);
        self.constant_value(c)
    }

    /// A number in all components of a float type, rounded to it.
    pub(crate) fn number(&mut self, ty: Ty, x: f64) -> Value {
        let width = self.width(ty);
        self.bits(ty, float_bits(x, width))
    }

    /// A number for each component of a float type.
    pub(crate) fn numbers(&mut self, ty: Ty, x: &[f64]) -> Value {
        let (width, scalar) = (self.width(ty), self.module.types.scalar(ty));
        if self.module.types.components(ty) <= 1 {
            return self.number(ty, x.first().copied().unwrap_or(0.0));
        }
        let parts = x
            .iter()
            .map(|&x| self.module.constants.intern(scalar, ConstantKind::Scalar(float_bits(x, width))));
        let parts = parts.collect();
        self.constant(ty, ConstantKind::Composite(parts))
    }

    /// The type of as many bools as a type has components.
    pub(crate) fn bools(&mut self, ty: Ty) -> Ty {
        let (bool, n) = (self.module.types.intern(Type::Bool), self.module.types.components(ty).max(1));
        self.module.types.vector(bool, n)
    }
}

/// Looking.
impl Rewriter<'_> {
    /// What may be assumed of an operation.
    pub(crate) fn assume(&self, node: &Node) -> Assumptions {
        if node.flags.exact { Assumptions::STRICT } else { self.assumptions }
    }

    /// The operands of a value's operation, if it is this one.
    pub(crate) fn is(&self, v: Value, op: Op) -> Option<[Value; MOST]> {
        let Def::Result(inst, 0) = self.f.def(v) else { return None };
        if self.f.op(inst) == op { self.made_by(v).map(|(_, args)| args) } else { None }
    }

    /// The same of an operation that is not `exact`, for rules that assume something.
    pub(crate) fn loose(&self, v: Value, op: Op) -> Option<[Value; MOST]> {
        let Def::Result(inst, _) = self.f.def(v) else { return None };
        if self.f.inst(inst).flags.exact { None } else { self.is(v, op) }
    }

    /// The operation that makes a value, and its operands (the last one again where there are
    /// fewer than four).
    pub(crate) fn made_by(&self, v: Value) -> Option<(Op, [Value; MOST])> {
        let Def::Result(inst, 0) = self.f.def(v) else { return None };
        let args = self.f.args(inst);
        let &last = args.last()?;
        let list = std::array::from_fn(|i| args.get(i).copied().unwrap_or(last));
        (args.len() <= MOST).then(|| (self.f.op(inst), list))
    }

    /// The operation that makes a value as a node, if it is this one and not `exact`.
    pub(crate) fn node_of(&self, v: Value, op: Op) -> Option<Node> {
        self.loose(v, op)?;
        let Def::Result(inst, _) = self.f.def(v) else { return None };
        self.node(inst)
    }

    /// The operands of a value's operation, however many.
    pub(crate) fn parts(&self, v: Value, op: Op) -> Option<&[Value]> {
        let Def::Result(inst, 0) = self.f.def(v) else { return None };
        (self.f.op(inst) == op).then(|| self.f.args(inst))
    }

    /// Whether nothing but what is looked at uses a value.
    pub(crate) fn used_once(&self, v: Value) -> bool {
        self.uses(v) <= 1
    }

    /// How many operands a value is.
    pub(crate) fn uses(&self, v: Value) -> u32 {
        self.uses.get(v.0 as usize).copied().unwrap_or_default()
    }

    /// The flags of the operation that makes a value.
    pub(crate) fn flags(&self, v: Value) -> Flags {
        match self.f.def(v) {
            Def::Result(inst, _) => self.f.inst(inst).flags,
            _ => Flags::default(),
        }
    }

    pub(crate) fn ty(&self, v: Value) -> Ty {
        self.f.ty(v)
    }

    pub(crate) fn components(&self, v: Value) -> u8 {
        self.module.types.components(self.f.ty(v))
    }

    /// Bits of a type's scalar; 0 of what has none.
    pub(crate) fn width(&self, ty: Ty) -> u8 {
        self.module.types.bits(ty).unwrap_or(0)
    }

    /// Facts of a float.
    pub(crate) fn float_range(&self, v: Value) -> FloatRange {
        debug_assert!(self.ranges.is_some(), "the rule asks for no ranges");
        let (types, constants) = (&self.module.types, &self.module.constants);
        self.ranges
            .as_ref()
            .map_or(FloatRange::ANY, |ranges| ranges.borrow_mut().find(types, constants, &self.f, v).float(v))
    }

    /// Facts of an integer.
    pub(crate) fn int_range(&self, v: Value) -> IntRange {
        debug_assert!(self.ranges.is_some(), "the rule asks for no ranges");
        let width = self.width(self.f.ty(v));
        let (types, constants) = (&self.module.types, &self.module.constants);
        self.ranges.as_ref().map_or(IntRange::of_width(width), |ranges| {
            ranges.borrow_mut().find(types, constants, &self.f, v).int(v, width)
        })
    }

    /// Whether a value is made of uniforms and constants alone.
    pub(crate) fn is_uniform(&self, v: Value) -> bool {
        debug_assert!(self.uniforms.is_some(), "the rule asks for no uniforms");
        self.uniforms.as_ref().is_some_and(|uniforms| uniforms.get(v))
    }

    /// Whether the only use of a node is an operand of the same operation, neither of them exact.
    pub(crate) fn is_inner(&self, n: &Node) -> bool {
        let result = n.inst.and_then(|inst| self.f.result_of(inst));
        let Some(v) = result.filter(|&v| self.used_once(v) && !n.flags.exact) else { return false };
        let users = self.users.get_or_init(|| last_users(&self.f));
        let user = users.get(v.0 as usize).copied().flatten();
        user.is_some_and(|user| self.f.op(user) == n.op && !self.f.inst(user).flags.exact)
    }

    pub(crate) fn as_constant(&self, v: Value) -> Option<Constant> {
        match self.f.def(v) {
            Def::Constant(c) => Some(c),
            _ => None,
        }
    }

    /// The bits of component `i` of a constant.
    fn component_bits(&self, v: Value, i: usize) -> Option<u64> {
        let c = self.as_constant(v)?;
        match self.module.constants.get(c) {
            ConstantKind::Composite(parts) => self.module.constants.bits(*parts.get(i)?),
            _ => self.module.constants.bits(c),
        }
    }

    /// The bits that all components of a constant have.
    pub(crate) fn splat_bits(&self, v: Value) -> Option<u64> {
        self.module.value_bits(&self.f, v)
    }

    /// The number that all components of a float constant have.
    pub(crate) fn float(&self, v: Value) -> Option<f64> {
        let ty = self.f.ty(v);
        let bits = self.splat_bits(v).filter(|_| self.module.types.is_float(ty))?;
        Some(float_value(bits, self.width(ty)))
    }

    /// The numbers of a float constant, component by component.
    pub(crate) fn floats(&self, v: Value) -> Option<Vec<f64>> {
        let (ty, n) = (self.f.ty(v), usize::from(self.components(v)));
        if !self.module.types.is_float(ty) {
            return None;
        }
        let number = |i| Some(float_value(self.component_bits(v, i)?, self.width(ty)));
        (0..n).map(number).collect()
    }

    /// The bits that all components of an integer constant have.
    pub(crate) fn int(&self, v: Value) -> Option<u64> {
        self.splat_bits(v).filter(|_| self.module.types.is_int(self.f.ty(v)))
    }

    /// The truth of a bool constant that is the same in all components.
    pub(crate) fn truth(&self, v: Value) -> Option<bool> {
        let bits = self.splat_bits(v).filter(|_| self.module.types.is_bool(self.f.ty(v)))?;
        Some(bits & 1 == 1)
    }
}
