//! Structured control to blocks: one walk over the tree of a function for every machine whose
//! lanes part by branches.
//!
//! ```text
//! %1 = if %0 { A; exit %2 } else { B; exit %3 }
//!
//! b0: ..., branch-if-not %0 @b2
//! b1: A, jump @b3
//! b2: B, jump @b3
//! b3: v1 = phi v2, v3
//! ```
//!
//! A [`Selector`] makes the operations; the walk makes blocks, edges and phis. Blocks come in the
//! order of the text, so that every one but the first has an earlier predecessor. A side without
//! instructions gets a block all the same: no edge leads from a block with several successors to
//! one with several predecessors. Jumps to what follows, and blocks without instructions, are
//! for whoever lays words out to drop. The walk keeps its own stack.
//!
//! True before: calls are inlined. True after: both graphs are the same.

mod frame;

use chiaro_ir as ir;
use chiaro_ir::{Function, Step, Walk};

use crate::code::{Block, Code, Inst};
use crate::cx::Outcome;
use crate::file::File;
use crate::op::Op;
use crate::operand::{Operand, What};
use frame::{Edge, Frame};

/// What a target makes of the instructions of a function.
pub trait Selector {
    /// The code that is made.
    fn code(&mut self) -> &mut Code;

    /// Operations of an instruction that is no control, at the end of a block.
    ///
    /// # Errors
    /// What the machine cannot do.
    fn inst(&mut self, block: Block, inst: ir::Inst) -> Outcome;

    /// Where the parts of a value live: file and size of each.
    fn parts(&self, value: ir::Value) -> Vec<(File, u16)>;

    /// The parts of a value in their files, at the end of a block that hands them over an edge.
    fn carry(&mut self, block: Block, value: ir::Value) -> Vec<Operand>;

    /// From a block on, a value that control defines has these parts.
    fn define(&mut self, block: Block, value: ir::Value, parts: &[Operand]);

    /// Leaves a block where a condition is as given, at the end of the block. The instruction
    /// has one label among its uses.
    fn branch(&mut self, block: Block, condition: ir::Value, holds: bool) -> Inst;

    /// Leaves a block where a selector is one of these.
    fn branch_if_among(&mut self, block: Block, selector: ir::Value, values: &[u64]) -> Inst;

    /// Leaves a block. The instruction has one label among its uses.
    fn jump(&mut self, block: Block) -> Inst;

    /// Ends the invocation where a condition is as given, or in any case; lanes run on.
    fn kill(&mut self, block: Block, condition: Option<(ir::Value, bool)>);

    /// What the function leaves behind where it returns: files and sizes are the same at each.
    ///
    /// # Errors
    /// What the machine cannot do.
    fn results(&mut self, block: Block) -> Outcome<Vec<Operand>>;

    /// The end of the function, to which these are brought; `What::Undef` where nothing is.
    fn end(&mut self, block: Block, results: &[Operand]);
}

/// A label that is not known yet.
pub const OPEN: Operand = Operand { what: What::Label(Block(u32::MAX)), ..Operand::UNDEF };

/// Whether the function can end: whether its last block was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Ends {
    /// It has an end.
    Yes,
    /// No path leaves it.
    Never,
}

/// Makes blocks of a function. `entry` is the block that it begins in.
///
/// # Errors
/// What the selector reports.
pub fn lower_control<S: Selector>(f: &Function, entry: Block, selector: &mut S) -> Outcome<Ends> {
    let mut lower = Lower { f, s: selector, at: Some(entry), frames: Vec::new(), ends: Vec::new(), depth: 0 };
    let mut walk = Walk::new(f);
    while let Some(step) = walk.next() {
        match step {
            Step::Open(Some(owner), n, _) => lower.open(owner, n),
            Step::Inst(inst) if lower.at.is_none() && f.owns_blocks(inst) => Walk::skip(&mut walk),
            Step::Inst(inst) => lower.inst(inst)?,
            Step::Leave(inst) => lower.leave(inst),
            _ => {}
        }
    }
    Ok(lower.finish())
}

struct Lower<'a, S> {
    f: &'a Function,
    s: &'a mut S,
    /// The block that instructions go to; `None` behind an exit.
    at: Option<Block>,
    frames: Vec<Frame>,
    /// Ways to the end of the function.
    ends: Vec<Edge>,
    depth: u8,
}

impl<S: Selector> Lower<'_, S> {
    fn inst(&mut self, inst: ir::Inst) -> Outcome {
        let Some(at) = self.at else { return Ok(()) };
        match self.f.op(inst) {
            ir::Op::Block => {
                self.frames.push(Frame::new(inst, vec![vec![Edge::falling(at, Vec::new())]]));
                Ok(())
            }
            ir::Op::If => {
                self.begin_if(at, inst);
                Ok(())
            }
            ir::Op::Switch => {
                self.begin_switch(at, inst);
                Ok(())
            }
            ir::Op::Loop => {
                let parts = self.carried(at, self.f.args(inst));
                self.frames.push(Frame::new(inst, vec![vec![Edge::falling(at, parts)]]));
                Ok(())
            }
            op if op.is_exit() => self.exit(at, inst, op),
            _ => self.s.inst(at, inst),
        }
    }

    /// The parts of values that go over an edge, one after another.
    fn carried(&mut self, at: Block, values: &[ir::Value]) -> Vec<Operand> {
        values.iter().flat_map(|&value| self.s.carry(at, value)).collect()
    }

    /// A side that does nothing but end the invocation, while no loop is around: lanes may as
    /// well run on.
    fn only_kills(&self, block: ir::Block) -> bool {
        let first = self.f.block(block).insts.first();
        self.depth == 0 && first.is_some_and(|&inst| self.f.op(inst) == ir::Op::Terminate)
    }

    fn begin_if(&mut self, at: Block, inst: ir::Inst) {
        let (condition, sides) = (self.f.args(inst)[0], self.f.blocks_of(inst));
        let enter = |n: usize| {
            let mut arms = vec![Vec::new(), Vec::new()];
            arms[n] = vec![Edge::falling(at, Vec::new())];
            arms
        };
        let arms = if self.only_kills(sides[0]) {
            self.s.kill(at, Some((condition, true)));
            enter(1)
        } else if self.only_kills(sides[1]) {
            self.s.kill(at, Some((condition, false)));
            enter(0)
        } else {
            let branch = self.s.branch(at, condition, false);
            vec![vec![Edge::falling(at, Vec::new())], vec![Edge::taken(at, branch, Vec::new())]]
        };
        self.frames.push(Frame::new(inst, arms));
    }

    /// A chain of tests, one for each block; what is left falls into the last one.
    fn begin_switch(&mut self, at: Block, inst: ir::Inst) {
        let blocks = self.f.blocks_of(inst).len();
        let mut values: Vec<Vec<u64>> = vec![Vec::new(); blocks];
        for (value, number) in self.f.cases(inst) {
            if let Some(list) = values.get_mut(number as usize) {
                list.push(value);
            }
        }
        let (mut test, mut arms) = (at, vec![Vec::new(); blocks]);
        for number in (0..blocks.saturating_sub(1)).filter(|&n| !values[n].is_empty()) {
            let branch = self.s.branch_if_among(test, self.f.args(inst)[0], &values[number]);
            arms[number].push(Edge::taken(test, branch, Vec::new()));
            let depth = self.depth;
            let next = self.s.code().block(depth);
            self.s.code().edge(test, next);
            test = next;
        }
        if let Some(last) = arms.last_mut() {
            last.push(Edge { from: test, exit: None, parts: Vec::new() });
        }
        // The last block is not the next one: others stand between.
        if blocks > 1
            && let Some(edge) = arms.last_mut().and_then(|arm| arm.first_mut())
        {
            edge.exit = Some(self.s.jump(test));
        }
        self.frames.push(Frame::new(inst, arms));
    }

    fn open(&mut self, owner: ir::Inst, n: u32) {
        let Some(frame) = self.frames.last_mut() else { return };
        let edges = std::mem::take(&mut frame.arms[n as usize]);
        let is_loop = self.f.op(owner) == ir::Op::Loop;
        let block = self.f.blocks_of(owner)[n as usize];
        let params = self.f.block(block).params.clone();
        if is_loop && n == 0 {
            self.depth = self.depth.saturating_add(1);
            self.open_loop(edges, &params);
        } else {
            self.at = self.join(edges, &params);
        }
    }

    /// The head of a loop: its phis wait for what the last block brings.
    fn open_loop(&mut self, edges: Vec<Edge>, params: &[ir::Value]) {
        let Some(edge) = edges.into_iter().next() else { return };
        let (depth, parts) = (self.depth, edge.parts);
        let head = self.s.code().block(depth);
        self.s.code().edge(edge.from, head);
        let files: Vec<Vec<(File, u16)>> = params.iter().map(|&param| self.s.parts(param)).collect();
        let mut phis = Vec::new();
        let mut given = parts.iter();
        for (&param, files) in params.iter().zip(&files) {
            let mut defined = Vec::new();
            for (&(file, size), &from) in files.iter().zip(&mut given) {
                let (phi, def) = self.phi(head, file, size, &[from, from]);
                phis.push(phi);
                defined.push(def);
            }
            self.s.define(head, param, &defined);
        }
        if let Some(frame) = self.frames.last_mut() {
            (frame.head, frame.phis) = (Some(head), phis);
        }
        self.at = Some(head);
    }

    fn phi(&mut self, block: Block, file: File, size: u16, uses: &[Operand]) -> (Inst, Operand) {
        let code = self.s.code();
        let value = code.value(file, size, 1);
        let def = code.operand(value);
        (code.push(block, Op::Phi, &[def], uses), def)
    }

    /// A block to which these edges lead; values that control defines get what they bring.
    fn join(&mut self, edges: Vec<Edge>, values: &[ir::Value]) -> Option<Block> {
        let block = self.meet(&edges)?;
        let mut at = 0;
        for &value in values {
            let files = self.s.parts(value);
            let parts: Vec<Operand> =
                files.iter().enumerate().map(|(i, &file)| self.part(block, &edges, at + i, file)).collect();
            at += parts.len();
            self.s.define(block, value, &parts);
        }
        Some(block)
    }

    /// What edges bring as part number `n`.
    fn part(&mut self, block: Block, edges: &[Edge], n: usize, (file, size): (File, u16)) -> Operand {
        let undef = Operand { file, size, ..Operand::default() };
        let uses: Vec<Operand> = edges.iter().map(|e| e.parts.get(n).copied().unwrap_or(undef)).collect();
        if uses.iter().all(|used| *used == uses[0] && used.value().is_some()) {
            return uses[0];
        }
        self.phi(block, file, size, &uses).1
    }

    /// The block that edges lead to. A jump to what would follow is none.
    fn meet(&mut self, edges: &[Edge]) -> Option<Block> {
        let depth = self.depth;
        let code = self.s.code();
        if let [only] = edges {
            let is_last = only.from.0 as usize + 1 == code.block_count();
            let is_only = code.block_data(only.from).logical.succs.is_empty();
            if is_last && is_only && only.is_sure(code) && code.block_data(only.from).depth == depth {
                if only.exit.is_some() {
                    code.block_mut(only.from).insts.pop();
                }
                return Some(only.from);
            }
        }
        edges.first()?;
        let block = code.block(depth);
        edges.iter().for_each(|edge| edge.lead(code, block));
        Some(block)
    }

    fn exit(&mut self, at: Block, inst: ir::Inst, op: ir::Op) -> Outcome {
        self.at = None;
        match op {
            ir::Op::Return => {
                let parts = self.s.results(at)?;
                let exit = self.s.jump(at);
                self.ends.push(Edge { from: at, exit: Some(exit), parts });
            }
            ir::Op::Terminate => {
                self.s.kill(at, None);
                let exit = self.s.jump(at);
                let edge = Edge { from: at, exit: Some(exit), parts: Vec::new() };
                match self.frames.last_mut().filter(|_| self.depth == 0) {
                    Some(frame) => frame.out.push(edge),
                    None => self.ends.push(edge),
                }
            }
            ir::Op::Exit(to) | ir::Op::Continue(to) | ir::Op::Repeat(to) => {
                let parts = self.carried(at, self.f.args(inst));
                let exit = self.s.jump(at);
                let edge = Edge { from: at, exit: Some(exit), parts };
                let frame = self.frames.iter_mut().rev().find(|frame| frame.inst == to);
                if let Some(frame) = frame {
                    match op {
                        ir::Op::Exit(_) => frame.out.push(edge),
                        ir::Op::Continue(_) => frame.arms[1].push(edge),
                        _ => frame.again.push(edge),
                    }
                }
            }
            // Never reached; the block needs an end all the same.
            _ => {
                let exit = self.s.jump(at);
                self.ends.push(Edge { from: at, exit: Some(exit), parts: Vec::new() });
            }
        }
        Ok(())
    }

    fn leave(&mut self, inst: ir::Inst) {
        let Some(mut frame) = self.frames.pop() else { return };
        if self.f.op(inst) == ir::Op::Loop {
            self.close_loop(&mut frame);
            self.depth -= 1;
        }
        let results: Vec<ir::Value> = self.f.results(inst).collect();
        self.at = self.join(std::mem::take(&mut frame.out), &results);
    }

    /// One block goes back to the head.
    fn close_loop(&mut self, frame: &mut Frame) {
        let Some(head) = frame.head else { return };
        let edges = std::mem::take(&mut frame.again);
        let Some(last) = self.meet(&edges) else {
            // No path goes back: the phis have one use.
            for &phi in &frame.phis {
                let code = self.s.code();
                let (defs, uses) = (code.defs(phi).to_vec(), code.uses(phi)[..1].to_vec());
                code.set_operands(phi, &defs, &uses);
            }
            return;
        };
        for (n, &phi) in frame.phis.iter().enumerate() {
            let def = self.s.code().defs(phi)[0];
            let part = self.part(last, &edges, n, (def.file, def.size));
            self.s.code().uses_mut(phi)[1] = part;
        }
        let jump = self.s.jump(last);
        Edge::taken(last, jump, Vec::new()).lead(self.s.code(), head);
    }

    fn finish(mut self) -> Ends {
        let edges = std::mem::take(&mut self.ends);
        let Some(block) = self.meet(&edges) else { return Ends::Never };
        // A way without results is one of lanes that are done.
        let most = edges.iter().map(|edge| edge.parts.as_slice()).max_by_key(|parts| parts.len());
        let files: Vec<(File, u16)> =
            most.into_iter().flatten().map(|operand| (operand.file, operand.size)).collect();
        let parts: Vec<Operand> =
            files.iter().enumerate().map(|(n, &file)| self.part(block, &edges, n, file)).collect();
        self.s.end(block, &parts);
        Ends::Yes
    }
}
