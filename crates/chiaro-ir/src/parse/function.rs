//! Functions: blocks within blocks, read with a stack of our own, so that no depth of nesting
//! exhausts the machine's.

use super::lex::{Kind, Token};
use super::op::{is_name, names, op};
use super::{Parsed, Parser, Symbol};
use crate::function::{Flags, Function};
use crate::id::{Block, FunctionRef, Inst, Value};
use crate::op::Op;
use crate::print::Enclosing;
use crate::ty::Ty;
use crate::words::Place;
use std::collections::HashMap;

/// A function that is being read.
struct Body {
    f: Function,
    values: HashMap<u32, Value>,
    labels: HashMap<u32, Inst>,
    enclosing: Enclosing,
    open: Vec<Open>,
}

/// A construct that is being read; the function's body has no instruction.
struct Open {
    inst: Option<Inst>,
    block: Block,
    blocks: Vec<Block>,
    cases: Vec<(u64, u32)>,
}

impl Body {
    fn block(&self) -> Block {
        self.open.last().map_or(self.f.body, |open| open.block)
    }

    fn op(&self) -> Option<Op> {
        self.open.last().and_then(|open| open.inst).map(|inst| self.f.op(inst))
    }

    /// A further block of the innermost construct; what follows stands in it.
    fn next_block(&mut self) -> Block {
        let block = self.f.new_block();
        if let Some(open) = self.open.last_mut() {
            open.block = block;
            open.blocks.push(block);
        }
        block
    }
}

impl Parser<'_> {
    /// The body of a function whose head has been read.
    pub(super) fn body(&mut self, number: FunctionRef, params: &[u32]) -> Parsed<()> {
        let f = self.module.function(number).clone();
        let mut body = Body {
            values: HashMap::new(),
            labels: HashMap::new(),
            enclosing: Enclosing::default(),
            open: vec![Open { inst: None, block: f.body, blocks: Vec::new(), cases: Vec::new() }],
            f,
        };
        for (i, &number) in params.iter().enumerate() {
            let value = body.f.params[i];
            self.define(&mut body, number, value)?;
        }
        self.expect(b'{')?;
        while !body.open.is_empty() {
            if self.eat(b'}') { self.close(&mut body)? } else { self.instruction(&mut body)? }
        }
        *self.module.function_mut(number) = body.f;
        Ok(())
    }

    fn define(&mut self, body: &mut Body, number: u32, value: Value) -> Parsed<()> {
        match body.values.insert(number, value) {
            None => Ok(()),
            Some(_) => self.error(self.defining(number), format!("%{number} is defined before")),
        }
    }

    /// The place before this where a value is defined.
    fn defining(&self, number: u32) -> Token {
        let number = number.to_string();
        let before = &self.tokens[..self.at];
        let token = before.iter().rev().find(|&&token| self.slice(token) == number);
        token.copied().unwrap_or(self.peek())
    }

    /// Behind a block's brace: the next block of its construct, or what follows that.
    fn close(&mut self, body: &mut Body) -> Parsed<()> {
        let done = body.open.last().map_or(0, |open| open.blocks.len());
        match body.op() {
            Some(Op::If) if done == 1 => {
                self.expect_word("else")?;
                body.next_block();
                self.expect(b'{')
            }
            Some(Op::Loop) if done == 1 => {
                self.expect_word("continuing")?;
                let block = body.next_block();
                if self.eat(b'(') {
                    self.list(b')', |p| {
                        let (number, ty) = p.param()?;
                        let value = body.f.add_param(block, ty);
                        p.define(body, number, value)
                    })?;
                }
                self.expect(b'{')
            }
            Some(Op::Switch) if !self.eat(b'}') => self.case(body),
            _ => self.leave(body),
        }
    }

    fn leave(&mut self, body: &mut Body) -> Parsed<()> {
        if let Some(Open { inst: Some(inst), blocks, cases, .. }) = body.open.pop() {
            body.f.set_blocks(inst, &blocks);
            if !cases.is_empty() {
                body.f.set_cases(inst, &cases);
            }
            body.enclosing.leave();
        }
        Ok(())
    }

    /// The head of a switch's block.
    fn case(&mut self, body: &mut Body) -> Parsed<()> {
        let token = self.peek();
        let index = body.open.last().map_or(0, |open| open.blocks.len()) as u32;
        if !self.eat_word("default") {
            self.word("`case` or `default`").and_then(|word| match word {
                "case" => Ok(()),
                _ => self.unknown(token, "kind of block", ["case", "default"]),
            })?;
            let inst = body.open.last().and_then(|open| open.inst);
            let selector = inst.and_then(|inst| body.f.args(inst).first().copied());
            let Some(ty) = selector.map(|value| body.f.ty(value)) else {
                return self.error(token, "the switch has no selector".into());
            };
            while !self.is(b'{') && !self.eat_word("default") {
                let value = self.scalar_bits(ty)?;
                body.open.iter_mut().last().into_iter().for_each(|open| open.cases.push((value, index)));
                if !self.is(b'{') {
                    self.expect(b',')?;
                }
            }
        }
        body.next_block();
        self.expect(b'{')
    }

    fn instruction(&mut self, body: &mut Body) -> Parsed<()> {
        let mut numbers = Vec::new();
        let mut results = Vec::new();
        if self.is(b'%') {
            loop {
                let (number, ty) = self.param()?;
                numbers.push(number);
                results.push(ty);
                if !self.eat(b',') {
                    break;
                }
            }
            self.expect(b'=')?;
        }
        let token = self.peek();
        let word = self.word("an instruction")?;
        let Some(op) = op(word) else {
            if is_name(word) {
                return self.error(token, format!("`{word}` lacks details, or has unknown ones"));
            }
            return self.unknown(token, "operation", names());
        };
        let inst = self.construct_or_operation(body, op, token, &results)?;
        let values: Vec<Value> = body.f.results(inst).collect();
        for (number, value) in numbers.into_iter().zip(values) {
            self.define(body, number, value)?;
        }
        if op.is_construct() { self.enter(body, inst, op) } else { self.flags(body, inst) }
    }

    /// The instruction itself, before its results are named and its blocks are read.
    fn construct_or_operation(
        &mut self,
        body: &mut Body,
        op: Op,
        token: Token,
        results: &[Ty],
    ) -> Parsed<Inst> {
        let op = match op {
            Op::Call(_) => self.callee()?,
            Op::Exit(_) | Op::Continue(_) | Op::Repeat(_) => self.target(body, op, token)?,
            _ => op,
        };
        if op.is_construct() {
            let block = body.block();
            let inst = body.f.push(block, op, &[], results);
            if self.is(b'@') {
                self.at += 1;
                let label = self.number()?;
                body.labels.insert(label, inst);
            }
            if op != Op::Loop {
                let args = self.operands(body, op, results)?;
                body.f.set_args(inst, &args);
            }
            return Ok(inst);
        }
        let args = self.operands(body, op, results)?;
        let block = body.block();
        Ok(body.f.push(block, op, &args, results))
    }

    fn callee(&mut self) -> Parsed<Op> {
        let token = self.peek();
        match self.symbol()? {
            Symbol::Function(f) => Ok(Op::Call(f)),
            _ => self.error(token, "only functions are called; `call_indirect` takes a value".into()),
        }
    }

    /// The construct that an exit names, or the innermost one that it can mean.
    fn target(&mut self, body: &Body, op: Op, token: Token) -> Parsed<Op> {
        // A name behind `@` is an operand; a number is a label.
        let target = if self.is(b'@') && !self.peek().first && self.peek_second().kind == Kind::Number {
            self.at += 1;
            let token = self.peek();
            let label = self.number()?;
            match body.labels.get(&label) {
                Some(&inst) => inst,
                None => return self.error(token, format!("no construct has the label @{label}")),
            }
        } else {
            match body.enclosing.implied(op) {
                Some(inst) => inst,
                None => return self.error(token, format!("`{}` has nothing around it", op.info().name)),
            }
        };
        Ok(match op {
            Op::Exit(_) => Op::Exit(target),
            Op::Continue(_) => Op::Continue(target),
            _ => Op::Repeat(target),
        })
    }

    fn operands(&mut self, body: &mut Body, op: Op, results: &[Ty]) -> Parsed<Vec<Value>> {
        let mut args = Vec::new();
        if matches!(op, Op::Call(_)) {
            self.expect(b'(')?;
            self.list(b')', |p| {
                let value = p.operand(body, op, results, &args)?;
                args.push(value);
                Ok(())
            })?;
            return Ok(args);
        }
        let brace_opens_block = op.is_construct();
        let ends = |p: &Self| p.peek().first || p.is(b'!') || brace_opens_block && p.is(b'{') || p.is(b'}');
        while !ends(self) {
            let value = self.operand(body, op, results, &args)?;
            args.push(value);
            if !ends(self) {
                self.expect(b',')?;
            }
        }
        Ok(args)
    }

    fn operand(&mut self, body: &mut Body, op: Op, results: &[Ty], args: &[Value]) -> Parsed<Value> {
        if self.is(b'%') {
            return self.value(body);
        }
        let (types, functions) = (&self.module.types, self.module.functions.as_slice());
        let wanted = Place { types, functions, f: &body.f, op, results, args }.literal_type();
        self.constant_value(body, wanted)
    }

    fn constant_value(&mut self, body: &mut Body, wanted: Option<Ty>) -> Parsed<Value> {
        let c = self.constant(wanted)?;
        let ty = self.module.constants.ty(c);
        Ok(body.f.constant(c, ty))
    }

    fn value(&mut self, body: &Body) -> Parsed<Value> {
        let percent = self.next();
        let token = Token { start: percent.start, ..self.peek() };
        let number = self.number()?;
        match body.values.get(&number) {
            Some(&value) => Ok(value),
            None => self.error(token, format!("there is no value %{number} before this")),
        }
    }

    /// Goes into the first block of a construct.
    fn enter(&mut self, body: &mut Body, inst: Inst, op: Op) -> Parsed<()> {
        self.flags(body, inst)?;
        body.open.push(Open { inst: Some(inst), block: Block(0), blocks: Vec::new(), cases: Vec::new() });
        body.enclosing.enter(inst, op);
        if op == Op::Switch {
            self.expect(b'{')?;
            return if self.eat(b'}') { self.leave(body) } else { self.case(body) };
        }
        let block = body.next_block();
        if op == Op::Loop {
            // A `repeat` asks for the body's parameters before the loop is complete.
            body.f.set_blocks(inst, &[block]);
            self.start(body, inst, block)?;
        }
        self.expect(b'{')
    }

    /// The parameters of a loop's body and their values at the start.
    fn start(&mut self, body: &mut Body, inst: Inst, block: Block) -> Parsed<()> {
        if !self.eat(b'(') {
            return Ok(());
        }
        let mut args = Vec::new();
        let mut params = Vec::new();
        self.list(b')', |p| {
            let (number, ty) = p.param()?;
            p.expect(b'=')?;
            let value = if p.is(b'%') { p.value(body)? } else { p.constant_value(body, Some(ty))? };
            args.push(value);
            params.push((number, ty));
            Ok(())
        })?;
        body.f.set_args(inst, &args);
        for (number, ty) in params {
            let value = body.f.add_param(block, ty);
            self.define(body, number, value)?;
        }
        Ok(())
    }

    fn flags(&mut self, body: &mut Body, inst: Inst) -> Parsed<()> {
        let mut flags = Flags::default();
        while self.is(b'!') && self.peek_second().kind == Kind::Word {
            self.at += 1;
            let token = self.peek();
            match self.word("a flag")? {
                "relaxed" => flags.relaxed = true,
                "exact" => flags.exact = true,
                "volatile" => flags.volatile = true,
                "nonuniform" => flags.nonuniform = true,
                _ => return self.unknown(token, "flag", ["relaxed", "exact", "volatile", "nonuniform"]),
            }
        }
        let span = self.span()?;
        let data = body.f.inst_mut(inst);
        (data.flags, data.span) = (flags, span);
        if !data.op.is_construct() && !self.peek().first && !self.is(b'}') {
            return self.expected("the end of the line");
        }
        Ok(())
    }
}
