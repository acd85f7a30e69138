//! Lowers structured control flow to blocks and branches. spec section 8.

use chiaro_ir::{Block as IrBlock, Inst, Op as Ir, Value};

use super::state::{Construct, Registers};
use super::{Answer, Block, Label, Select};
use crate::compile::graph::{Jump, Op, Operand};

/// Nesting of constructs at most.
const MOST_DEPTH: u32 = 128;

impl Select<'_> {
    pub(super) fn label(&mut self) -> Label {
        self.labels.push(None);
        self.references.push(0);
        Label(self.labels.len() as u32 - 1)
    }

    /// A label stands for what follows: a new block, unless only the block before leads there.
    /// All branches ahead to it have been made: where there is none, what follows may be dead.
    pub(super) fn bind(&mut self, label: Label) {
        if self.falls_into(label) {
            self.blocks.pop();
            if let Some(block) = self.blocks.last_mut() {
                block.jump = None;
            }
        } else if !self.blocks.last().is_some_and(|b| b.graph.nodes().is_empty() && b.jump.is_none()) {
            self.blocks.push(Block::default());
        }
        self.labels[label.0 as usize] = Some(self.current());
        self.ended &= self.references[label.0 as usize] == 0;
    }

    /// Whether the block before goes on at the label, as the only one, and nothing stands between.
    fn falls_into(&self, label: Label) -> bool {
        let [.., before, last] = &self.blocks[..] else { return false };
        let jumps = before.jump.is_some_and(|jump| jump.to == label && jump.condition.is_none());
        jumps && last.graph.nodes().is_empty() && self.references[label.0 as usize] == 1
    }

    fn jump(&mut self, to: Label, condition: Option<Operand>) {
        let last = self.blocks.len() - 1;
        let condition = condition.map(|c| self.graph().plain(c));
        self.references[to.0 as usize] += 1;
        self.blocks[last].jump = Some(Jump { to, condition });
        self.blocks.push(Block::default());
        self.ended = condition.is_none();
    }

    pub(super) fn block(&mut self, block: IrBlock, depth: u32) -> Answer<()> {
        if depth > MOST_DEPTH {
            return self.error("constructs are nested too deeply", "the limit is 128 levels");
        }
        for &inst in &self.f.block(block).insts {
            if self.ended {
                break;
            }
            self.instruction(inst, depth)?;
        }
        Ok(())
    }

    pub(super) fn control(&mut self, inst: Inst, depth: u32) -> Answer<()> {
        let args: Vec<Value> = self.f.args(inst).to_vec();
        match self.f.op(inst) {
            Ir::If => self.if_(inst, &args, depth),
            Ir::Block => self.open(inst, depth, |select, _| {
                let body = select.f.blocks_of(inst)[0];
                select.block(body, depth + 1)
            }),
            Ir::Switch => self.switch(inst, &args, depth),
            Ir::Loop => self.loop_(inst, &args, depth),
            Ir::Exit(at) => self.leave(at, &args, |c| (c.exit, c.results.clone())),
            Ir::Continue(at) => self.leave(at, &args, |c| (c.next, c.next_params.clone())),
            Ir::Repeat(at) => self.leave(at, &args, |c| (c.again, c.again_params.clone())),
            Ir::Return => {
                let end = self.function_end;
                self.jump(end, None);
                Ok(())
            }
            _ => {
                self.ended = true;
                Ok(())
            }
        }
    }

    /// A construct with an exit label and registers for its results.
    fn open(
        &mut self,
        inst: Inst,
        _depth: u32,
        body: impl FnOnce(&mut Self, Inst) -> Answer<()>,
    ) -> Answer<()> {
        let results: Vec<Value> = self.f.results(inst).collect();
        let registers = self.registers(&results)?;
        let exit = self.label();
        let construct = Construct {
            exit,
            results: registers.clone(),
            next: exit,
            next_params: Vec::new(),
            again: exit,
            again_params: Vec::new(),
        };
        self.constructs.insert(inst, construct);
        body(self, inst)?;
        self.bind(exit);
        self.receive(&results, &registers)
    }

    fn if_(&mut self, inst: Inst, args: &[Value], depth: u32) -> Answer<()> {
        let condition = args[0];
        self.open(inst, depth, |select, inst| {
            let [then, other] = [select.f.blocks_of(inst)[0], select.f.blocks_of(inst)[1]];
            let (start, condition) = (select.label(), select.scalar(condition)?);
            if select.only_leaves(then, inst) {
                let exit = select.constructs.get(&inst).map_or(start, |construct| construct.exit);
                select.jump(exit, Some(condition));
                return select.block(other, depth + 1);
            }
            let refused = select.graph().not(condition);
            select.jump(start, Some(refused));
            select.block(then, depth + 1)?;
            select.bind(start);
            select.block(other, depth + 1)
        })
    }

    /// Whether a block does nothing but leave its construct, without values.
    fn only_leaves(&self, block: IrBlock, construct: Inst) -> bool {
        match self.f.block(block).insts[..] {
            [only] => self.f.op(only) == Ir::Exit(construct) && self.f.args(only).is_empty(),
            _ => false,
        }
    }

    fn switch(&mut self, inst: Inst, args: &[Value], depth: u32) -> Answer<()> {
        let selector = args[0];
        self.open(inst, depth, |select, inst| {
            let blocks = select.f.blocks_of(inst).to_vec();
            let labels: Vec<Label> = blocks.iter().map(|_| select.label()).collect();
            let cases: Vec<(u64, u32)> = select.f.cases(inst).collect();
            for (value, block) in cases {
                let index = select.scalar(selector)?;
                let number = select.graph().number(value as u32 as i32 as f32);
                let (over, under) = (
                    select.graph().make(Op::Ge, &[index, number]),
                    select.graph().make(Op::Ge, &[number, index]),
                );
                let is_it = select.graph().make(Op::Min, &[over, under]);
                select.jump(labels[block as usize], Some(is_it));
            }
            let Some((&last, label)) = blocks.last().zip(labels.last()) else { return Ok(()) };
            select.bind(*label);
            select.block(last, depth + 1)?;
            for (&block, &label) in blocks.iter().zip(&labels).take(blocks.len() - 1) {
                select.bind(label);
                select.block(block, depth + 1)?;
            }
            Ok(())
        })
    }

    fn loop_(&mut self, inst: Inst, args: &[Value], depth: u32) -> Answer<()> {
        let [body, continuing] = [self.f.blocks_of(inst)[0], self.f.blocks_of(inst)[1]];
        let params = self.f.block(body).params.clone();
        let next_params = self.f.block(continuing).params.clone();
        let args = args.to_vec();
        self.open(inst, depth, |select, inst| {
            let again_params = select.registers(&params)?;
            let registers = select.registers(&next_params)?;
            let (again, next) = (select.label(), select.label());
            if let Some(construct) = select.constructs.get_mut(&inst) {
                (construct.again, construct.again_params) = (again, again_params.clone());
                (construct.next, construct.next_params) = (next, registers.clone());
            }
            select.send(&args, &again_params)?;
            select.bind(again);
            select.receive(&params, &again_params)?;
            select.block(body, depth + 1)?;
            select.bind(next);
            select.receive(&next_params, &registers)?;
            select.block(continuing, depth + 1)
        })
    }

    fn leave(
        &mut self,
        at: Inst,
        args: &[Value],
        target: impl Fn(&Construct) -> (Label, Registers),
    ) -> Answer<()> {
        let Some((label, registers)) = self.constructs.get(&at).map(target) else {
            return self.error("an exit leads out of nothing", "please report the shader");
        };
        self.send(args, &registers)?;
        self.jump(label, None);
        Ok(())
    }

    /// Registers for all scalars of some values.
    fn registers(&mut self, values: &[Value]) -> Answer<Registers> {
        let mut registers = Vec::new();
        for &value in values {
            for _ in 0..self.scalars(self.f.ty(value))? {
                registers.push(self.register()?);
            }
        }
        Ok(registers)
    }

    /// Stores values into registers; all are read before one is stored.
    fn send(&mut self, values: &[Value], registers: &[(u8, u8)]) -> Answer<()> {
        let mut parts = Vec::with_capacity(registers.len());
        for &value in values {
            parts.extend(self.read(value)?);
        }
        for (part, &name) in parts.into_iter().zip(registers) {
            self.write_register(name, part);
        }
        Ok(())
    }

    /// Values that come in registers; each gets what the register holds now. Where nothing comes
    /// by, nothing was stored there.
    fn receive(&mut self, values: &[Value], registers: &[(u8, u8)]) -> Answer<()> {
        if self.ended {
            return Ok(());
        }
        let mut rest = registers;
        for &value in values {
            let count = self.scalars(self.f.ty(value))? as usize;
            let (mine, others) = rest.split_at(count.min(rest.len()));
            rest = others;
            let loaded = mine.iter().map(|&name| self.read_register(name)).collect();
            self.set(value, loaded);
        }
        Ok(())
    }
}
