//! Functions as text: blocks within blocks.

use super::name::quoted;
use super::op::write_op;
use super::{Printer, unknown_value};
use crate::function::{Def, Flags, Function, Linkage};
use crate::id::{Block, FunctionRef, Inst, Value};
use crate::op::Op;
use crate::ty::{Ty, Type};
use crate::walk::{Step, Walk};
use crate::words::Place;
use std::collections::HashMap;
use std::fmt::Write;

/// What the values and the constructs of a function are called.
struct Numbers {
    values: Vec<Option<u32>>,
    /// Of every construct that an exit names: its label, 0 before it has been given.
    labels: Vec<Option<u32>>,
}

impl Numbers {
    fn new(f: &Function, handles: bool) -> Numbers {
        let mut numbers = Numbers { values: vec![None; f.value_count()], labels: vec![None; f.inst_count()] };
        let mut next = 0;
        let mut define = |value: Value| {
            if let Some(slot @ None) = numbers.values.get_mut(value.0 as usize) {
                *slot = Some(if handles { value.0 } else { next });
                next += 1;
            }
        };
        f.params.iter().for_each(|&param| define(param));
        let mut open = Enclosing::default();
        for step in Walk::new(f) {
            open.follow(f, step);
            match step {
                Step::Open(_, _, block) => f.block(block).params.iter().for_each(|&param| define(param)),
                Step::Inst(inst) => f.results(inst).for_each(&mut define),
                _ => {}
            }
            let Step::Inst(inst) = step else { continue };
            if let Some(target) = f.op(inst).target().filter(|_| !open.is_implied(f.op(inst)))
                && let Some(label) = numbers.labels.get_mut(target.0 as usize)
            {
                *label = Some(0);
            }
        }
        numbers
    }
}

/// The constructs around a place in the text.
#[derive(Default)]
pub(crate) struct Enclosing {
    all: Vec<Inst>,
    loops: Vec<Inst>,
}

impl Enclosing {
    fn follow(&mut self, f: &Function, step: Step) {
        match step {
            Step::Open(Some(owner), 0, _) => self.enter(owner, f.op(owner)),
            Step::Leave(owner) if self.all.last() == Some(&owner) => self.leave(),
            _ => {}
        }
    }

    /// Goes into a construct.
    pub(crate) fn enter(&mut self, owner: Inst, op: Op) {
        self.all.push(owner);
        if op == Op::Loop {
            self.loops.push(owner);
        }
    }

    /// Goes out of the innermost construct.
    pub(crate) fn leave(&mut self) {
        if self.loops.last() == self.all.last() {
            self.loops.pop();
        }
        self.all.pop();
    }

    /// The construct that an exit of a kind means if it names none.
    pub(crate) fn implied(&self, op: Op) -> Option<Inst> {
        match op {
            Op::Exit(_) => self.all.last().copied(),
            _ => self.loops.last().copied(),
        }
    }

    fn is_implied(&self, op: Op) -> bool {
        op.target() == self.implied(op)
    }
}

impl Printer<'_> {
    pub(super) fn function(&mut self, f: &Function, own: Option<FunctionRef>) {
        let names = self.names;
        let name = own.and_then(|own| names.functions.get(own.0 as usize));
        let name = name.map_or_else(|| quoted(&f.name, false), Clone::clone);
        self.out.push_str(match f.linkage {
            Linkage::Own => "",
            Linkage::Export => "export ",
            Linkage::Import => "import ",
        });
        let how = if f.dispatches { "dispatch " } else { "" };
        let _ = write!(self.out, "{how}fn @{name}(");
        let numbers = Numbers::new(f, self.options.handles);
        let mut writer = Writer { p: self, f, numbers, next_label: 1, depth: 0, cases: HashMap::new() };
        writer.params(&f.params);
        writer.p.out.push(')');
        if *writer.p.module.types.get(f.result) != Type::Void {
            writer.p.out.push_str(" -> ");
            writer.p.ty(f.result);
        }
        writer.p.span(f.span);
        if !f.is_import() {
            writer.body();
        }
        self.out.push('\n');
    }
}

struct Writer<'w, 'a> {
    p: &'w mut Printer<'a>,
    f: &'w Function,
    numbers: Numbers,
    next_label: u32,
    depth: usize,
    /// The cases of switches: the block and the value, sorted by the block.
    cases: HashMap<Inst, Vec<(u32, u64)>>,
}

impl Writer<'_, '_> {
    fn body(&mut self) {
        let f = self.f;
        let mut open = Enclosing::default();
        for step in Walk::new(f) {
            open.follow(f, step);
            match step {
                Step::Open(owner, index, block) => self.open(owner, index, block),
                Step::Inst(inst) => self.inst(inst, &open),
                Step::Close(..) => {
                    self.depth -= 1;
                    self.indent();
                    self.p.out.push('}');
                }
                Step::Leave(owner) => self.leave(owner),
                Step::Stray(_) => {
                    self.indent();
                    self.p.out.push_str("?\n");
                }
                Step::Broken(..) => self.p.out.push_str(" { ? }"),
            }
        }
    }

    fn indent(&mut self) {
        self.p.out.extend(std::iter::repeat_n("  ", self.depth));
    }

    fn open(&mut self, owner: Option<Inst>, index: u32, block: Block) {
        if let Some(owner) = owner {
            self.head(owner, index, block);
        }
        self.p.out.push_str(" {\n");
        self.depth += 1;
    }

    fn leave(&mut self, owner: Inst) {
        self.p.out.push('\n');
        if self.f.op(owner) == Op::Switch {
            self.depth -= 1;
            self.indent();
            self.p.out.push_str("}\n");
        }
    }

    /// What stands before the brace of a construct's block.
    fn head(&mut self, owner: Inst, index: u32, block: Block) {
        let f = self.f;
        let params = &f.block(block).params;
        match f.op(owner) {
            Op::Switch => self.case(owner, index),
            Op::If if index > 0 => self.p.out.push_str(" else"),
            Op::Loop if index == 0 => return self.start(owner, params),
            Op::Loop => self.p.out.push_str(" continuing"),
            _ => {}
        }
        if !params.is_empty() {
            self.p.out.push_str(" (");
            self.params(params);
            self.p.out.push(')');
        }
    }

    fn case(&mut self, owner: Inst, index: u32) {
        let f = self.f;
        let selector = f.args(owner).first().filter(|&&value| self.is_known(value));
        let bits = selector.and_then(|&value| self.p.module.types.bits(f.ty(value)));
        let bits = bits.unwrap_or(64).clamp(1, 64);
        let signed = |value: u64| (value << (64 - bits)) as i64 >> (64 - bits);
        self.p.out.push('\n');
        self.indent();
        let mut separator = "case ";
        let cases = self.cases.get(&owner).map_or(&[][..], Vec::as_slice);
        let from = cases.partition_point(|case| case.0 < index);
        for &(_, value) in cases[from..].iter().take_while(|case| case.0 == index) {
            let _ = write!(self.p.out, "{separator}{}", signed(value));
            separator = ", ";
        }
        match (index as usize + 1 == f.blocks_of(owner).len(), separator) {
            (true, ", ") => self.p.out.push_str(", default"),
            (true, _) => self.p.out.push_str("default"),
            (false, ", ") => {}
            (false, _) => self.p.out.push_str("case"),
        }
    }

    /// The parameters of a loop's body with their values at the start.
    fn start(&mut self, owner: Inst, params: &[Value]) {
        let args = self.f.args(owner);
        if params.is_empty() && args.is_empty() {
            return;
        }
        self.p.out.push_str(" (");
        for i in 0..params.len().max(args.len()) {
            self.p.out.push_str(if i == 0 { "" } else { ", " });
            match params.get(i) {
                Some(&param) => self.param(param),
                None => self.p.out.push('?'),
            }
            if let Some(&arg) = args.get(i) {
                self.p.out.push_str(" = ");
                let wanted = params.get(i).filter(|p| self.is_known(**p)).map(|&p| self.f.ty(p));
                self.operand(arg, wanted);
            }
        }
        self.p.out.push(')');
    }

    fn params(&mut self, params: &[Value]) {
        for (i, &param) in params.iter().enumerate() {
            self.p.out.push_str(if i == 0 { "" } else { ", " });
            self.param(param);
        }
    }

    fn param(&mut self, param: Value) {
        self.value(param);
        self.p.out.push_str(": ");
        if self.is_known(param) {
            self.p.ty(self.f.ty(param));
        }
    }

    fn is_known(&self, value: Value) -> bool {
        (value.0 as usize) < self.f.value_count()
    }

    fn value(&mut self, value: Value) {
        match self.numbers.values.get(value.0 as usize) {
            Some(Some(number)) => {
                let _ = write!(self.p.out, "%{number}");
            }
            _ => self.p.out.push_str(&unknown_value(value)),
        }
    }

    fn operand(&mut self, value: Value, wanted: Option<Ty>) {
        match self.is_known(value).then(|| self.f.def(value)) {
            Some(Def::Constant(c)) => self.p.constant(c, wanted),
            _ => self.value(value),
        }
    }

    fn inst(&mut self, inst: Inst, open: &Enclosing) {
        self.indent();
        let f = self.f;
        let op = f.op(inst);
        for (i, value) in f.results(inst).enumerate() {
            self.p.out.push_str(if i == 0 { "" } else { ", " });
            self.param(value);
        }
        if f.results(inst).len() > 0 {
            self.p.out.push_str(" = ");
        }
        write_op(&mut self.p.out, op);
        self.label(inst, op, open);
        if op != Op::Loop {
            self.operands(inst, op);
        }
        self.flags(f.inst(inst).flags);
        self.p.span(f.inst(inst).span);
        if !f.owns_blocks(inst) {
            self.p.out.push('\n');
        } else if op == Op::Switch {
            self.p.out.push_str(" {");
            self.depth += 1;
            let mut cases: Vec<(u32, u64)> = f.cases(inst).map(|(value, block)| (block, value)).collect();
            cases.sort_by_key(|case| case.0);
            self.cases.insert(inst, cases);
        }
    }

    /// The label of a construct that has one, and that of the construct which an exit names.
    fn label(&mut self, inst: Inst, op: Op, open: &Enclosing) {
        if let Some(label @ Some(_)) = self.numbers.labels.get_mut(inst.0 as usize) {
            *label = Some(self.next_label);
            let _ = write!(self.p.out, " @{}", self.next_label);
            self.next_label += 1;
        }
        if let Some(target) = op.target().filter(|_| !open.is_implied(op)) {
            match self.numbers.labels.get(target.0 as usize) {
                Some(Some(number)) if *number > 0 => {
                    let _ = write!(self.p.out, " @{number}");
                }
                _ => self.p.out.push_str(" @?"),
            }
        }
    }

    fn operands(&mut self, inst: Inst, op: Op) {
        let f = self.f;
        let args = f.args(inst);
        let mut separator = " ";
        if let Op::Call(callee) = op {
            let names = self.p.names;
            let name = names.functions.get(callee.0 as usize).map_or("?", String::as_str);
            let _ = write!(self.p.out, " @{name}(");
            separator = "";
        }
        let result: Option<Ty> = f.result(inst, 0).map(|value| f.ty(value));
        let all_known = args.iter().all(|&value| self.is_known(value));
        for i in 0..args.len() {
            self.p.out.push_str(separator);
            separator = ", ";
            let wanted = all_known.then(|| self.wanted(op, result, &args[..i])).flatten();
            self.operand(args[i], wanted);
        }
        if matches!(op, Op::Call(_)) {
            self.p.out.push(')');
        }
    }

    fn wanted(&self, op: Op, result: Option<Ty>, args: &[Value]) -> Option<Ty> {
        let module = self.p.module;
        let (types, functions) = (&module.types, module.functions.as_slice());
        Place { types, functions, f: self.f, op, results: result.as_slice(), args }.literal_type()
    }

    fn flags(&mut self, flags: Flags) {
        let Flags { relaxed, exact, volatile, nonuniform } = flags;
        let words = [
            (relaxed, " !relaxed"),
            (exact, " !exact"),
            (volatile, " !volatile"),
            (nonuniform, " !nonuniform"),
        ];
        for (_, word) in words.iter().filter(|(set, _)| *set) {
            self.p.out.push_str(word);
        }
    }
}
