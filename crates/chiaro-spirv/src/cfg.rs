//! The blocks of a function: where they are, how they follow each other, who dominates whom.
//!
//! Dominance is structural: a merge block or a continue target belongs to the header that
//! declares it, whatever path leads there. So the code behind a loop stays behind the loop,
//! even if every path to it starts at one `break` in the middle.

use crate::error::{Fault, Res, fail};
use crate::ids::Id;
use crate::reader::Reader;
use crate::words::Inst;
use spirv::Op;
use std::ops::Range;

/// Stands for no block.
pub(crate) const NONE: u32 = u32::MAX;

/// A block of SPIR-V.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Its label.
    pub(crate) label: u32,
    /// The word behind the label.
    pub(crate) start: usize,
    /// The word of the instruction that ends it.
    pub(crate) end: usize,
    /// Its phis in the table.
    pub(crate) phis: Range<u32>,
    /// The block that its merge instruction declares.
    pub(crate) merge: u32,
    /// The continue target, if it is the header of a loop.
    pub(crate) next: u32,
    /// Whether a path leads here.
    pub(crate) reached: bool,
    /// Where it comes in reverse postorder.
    order: u32,
    dominator: u32,
    succ: Range<u32>,
}

impl Node {
    /// Whether it is the header of a loop.
    pub(crate) fn is_loop(&self) -> bool {
        self.next != NONE
    }
}

/// A phi.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Phi {
    pub(crate) id: u32,
    pub(crate) ty: u32,
    /// The word of its instruction.
    pub(crate) at: usize,
}

/// All blocks of a function.
#[derive(Debug, Default)]
pub(crate) struct Cfg {
    pub(crate) nodes: Vec<Node>,
    pub(crate) phis: Vec<Phi>,
    succ: Vec<u32>,
    /// Blocks that several others go to, or that a selection declares as its merge, behind
    /// their dominators, in the order of control flow.
    joins: Vec<(u32, u32, u32)>,
}

impl Cfg {
    /// Finds the blocks from the first label on; the word behind the last one.
    pub(crate) fn scan(r: &mut Reader<'_>, first: usize) -> Result<Cfg, (usize, Fault)> {
        let mut cfg = Cfg::default();
        let mut merges = Vec::new();
        cfg.find(r, first, &mut merges)?;
        let at_first = |fault| (first, fault);
        for (node, merge, next) in merges {
            cfg.nodes[node].merge = cfg.index(r, merge).map_err(at_first)?;
            if let Some(next) = next {
                cfg.nodes[node].next = cfg.index(r, next).map_err(at_first)?;
            }
        }
        for i in 0..cfg.nodes.len() {
            let end = cfg.nodes[i].end;
            cfg.connect(r, i).map_err(|fault| (end, fault))?;
        }
        cfg.reach();
        let order = cfg.sort();
        cfg.dominate(&order).map_err(at_first)?;
        Ok(cfg)
    }

    /// One pass over the instructions: labels, phis, merges, ends.
    fn find(
        &mut self,
        r: &mut Reader<'_>,
        first: usize,
        merges: &mut Vec<(usize, u32, Option<u32>)>,
    ) -> Result<(), (usize, Fault)> {
        let mut instructions = r.words.from(first);
        let mut open = false;
        loop {
            let at = instructions.at();
            let Some(inst) = instructions.step().map_err(|fault| (at, fault))? else {
                return Err((at, Fault::from("the function has no end")));
            };
            let op = inst.opcode();
            if !open && op == Some(Op::FunctionEnd) {
                return Ok(());
            }
            self.take(r, &inst, op, &mut open, merges).map_err(|fault| (at, fault))?;
        }
    }

    fn take(
        &mut self,
        r: &mut Reader<'_>,
        inst: &Inst<'_>,
        op: Option<Op>,
        open: &mut bool,
        merges: &mut Vec<(usize, u32, Option<u32>)>,
    ) -> Res<()> {
        let here = self.nodes.len().wrapping_sub(1);
        match op {
            Some(Op::Label) if !*open => {
                *open = true;
                let label = inst.word(0)?;
                r.define(label, Id::Label(self.nodes.len() as u32))?;
                self.nodes.push(Node::new(label, inst.at + 2, self.phis.len() as u32));
            }
            // Debug information may stand between the parameters and the first block.
            Some(Op::Line | Op::NoLine) => {}
            Some(Op::ExtInst) if !*open => {}
            Some(op) if !*open => return fail(format!("Op{op:?} stands outside of a block")),
            None if !*open => return fail("an instruction stands outside of a block"),
            Some(Op::Phi) => {
                self.phis.push(Phi { ty: inst.word(0)?, id: inst.word(1)?, at: inst.at });
                self.nodes[here].phis.end = self.phis.len() as u32;
            }
            Some(Op::SelectionMerge) => merges.push((here, inst.word(0)?, None)),
            Some(Op::LoopMerge) => merges.push((here, inst.word(0)?, Some(inst.word(1)?))),
            Some(Op::Label | Op::FunctionEnd | Op::Function) => return fail("the block before has no end"),
            Some(op) if is_end(op) => {
                *open = false;
                self.nodes[here].end = inst.at;
            }
            _ => {}
        }
        Ok(())
    }

    /// The block of a label of this function.
    pub(crate) fn index(&self, r: &Reader<'_>, label: u32) -> Res<u32> {
        match r.id(label)? {
            Id::Label(i) if self.nodes.get(i as usize).is_some_and(|n| n.label == label) => Ok(i),
            _ => fail(format!("id %{label} is no block of this function")),
        }
    }

    /// Where block `i` goes, each target once.
    fn connect(&mut self, r: &Reader<'_>, i: usize) -> Res<()> {
        let Some(inst) = r.words.from(self.nodes[i].end).step()? else {
            return fail("an instruction is missing");
        };
        let start = self.succ.len();
        match inst.opcode() {
            Some(Op::Branch) => self.succ.push(self.index(r, inst.word(0)?)?),
            Some(Op::BranchConditional) => {
                let (yes, no) = (self.index(r, inst.word(1)?)?, self.index(r, inst.word(2)?)?);
                self.succ.push(yes);
                if yes != no {
                    self.succ.push(no);
                }
            }
            Some(Op::Switch) => {
                let mut targets = vec![self.index(r, inst.word(1)?)?];
                for &label in &switch_labels(r, &inst)?.0 {
                    targets.push(self.index(r, label)?);
                }
                // Keep the order of the cases, so that falling through goes forward.
                let mut seen = std::collections::HashSet::new();
                targets.rotate_left(1);
                self.succ.extend(targets.into_iter().filter(|t| seen.insert(*t)));
            }
            _ => {}
        }
        self.nodes[i].succ = start as u32..self.succ.len() as u32;
        Ok(())
    }

    fn succ(&self, i: u32) -> &[u32] {
        let Range { start, end } = self.nodes[i as usize].succ;
        &self.succ[start as usize..end as usize]
    }

    /// Marks the blocks to which a path leads.
    fn reach(&mut self) {
        let mut open = vec![0];
        while let Some(i) = open.pop() {
            let Some(node) = self.nodes.get_mut(i as usize) else { continue };
            if !std::mem::replace(&mut node.reached, true) {
                let Range { start, end } = node.succ;
                open.extend_from_slice(&self.succ[start as usize..end as usize]);
            }
        }
    }

    /// What follows block `i` structurally, last in control flow first.
    fn structural(&self, i: u32) -> Vec<u32> {
        let node = &self.nodes[i as usize];
        let declared = [node.merge, node.next].into_iter().filter(|&b| b != NONE);
        declared
            .chain(self.succ(i).iter().rev().copied())
            .filter(|&b| self.nodes[b as usize].reached)
            .collect()
    }

    /// Reverse postorder of the blocks that are reached.
    fn sort(&mut self) -> Vec<u32> {
        let mut seen = vec![false; self.nodes.len()];
        let mut order = Vec::new();
        let mut open: Vec<(u32, Vec<u32>, usize)> = Vec::new();
        if !self.nodes.is_empty() {
            seen[0] = true;
            open.push((0, self.structural(0), 0));
        }
        while let Some((node, next, at)) = open.last_mut() {
            if let Some(&target) = next.get(*at) {
                *at += 1;
                if !std::mem::replace(&mut seen[target as usize], true) {
                    let next = self.structural(target);
                    open.push((target, next, 0));
                }
            } else {
                order.push(*node);
                open.pop();
            }
        }
        order.reverse();
        for (i, &node) in order.iter().enumerate() {
            self.nodes[node as usize].order = i as u32;
        }
        order
    }

    /// Finds dominators and joins. One pass in this order is enough where control flow is
    /// structured; where it is not, a branch will find no way to its target.
    fn dominate(&mut self, order: &[u32]) -> Res<()> {
        let mut declared = vec![(NONE, false); self.nodes.len()];
        for &i in order {
            let node = &self.nodes[i as usize];
            let (merge, next, is_loop) = (node.merge, node.next, node.is_loop());
            if next != NONE && next != i {
                declared[next as usize] = (i, true);
            }
            if merge != NONE {
                declared[merge as usize] = (i, is_loop);
            }
        }
        let mut preds = vec![Vec::new(); self.nodes.len()];
        for &i in order {
            for &s in self.succ(i) {
                preds[s as usize].push(i);
            }
        }
        for &i in order.iter().skip(1) {
            let at = self.nodes[i as usize].order;
            let forward = || preds[i as usize].iter().copied().filter(|&p| self.nodes[p as usize].order < at);
            let (header, of_loop) = declared[i as usize];
            let dominator = if header != NONE && self.nodes[header as usize].order < at {
                header
            } else {
                let Some(first) = forward().next() else { return fail("the control flow is not structured") };
                forward().fold(first, |a, b| self.common(a, b))
            };
            let joins = if header != NONE { !of_loop } else { forward().nth(1).is_some() };
            self.nodes[i as usize].dominator = dominator;
            if joins {
                self.joins.push((dominator, at, i));
            }
        }
        self.joins.sort_unstable();
        Ok(())
    }

    fn common(&self, mut a: u32, mut b: u32) -> u32 {
        let order = |i: u32| self.nodes[i as usize].order;
        while a != b {
            if order(a) < order(b) {
                std::mem::swap(&mut a, &mut b);
            }
            a = self.nodes[a as usize].dominator;
        }
        a
    }

    /// The blocks that must get a label of their own at block `i`, the first to be reached
    /// first.
    pub(crate) fn joins(&self, i: u32) -> impl DoubleEndedIterator<Item = u32> + '_ {
        let start = self.joins.partition_point(|j| j.0 < i);
        let len = self.joins[start..].partition_point(|j| j.0 == i);
        self.joins[start..start + len].iter().map(|j| j.2)
    }

    /// The phis of a block.
    pub(crate) fn phis(&self, i: u32) -> &[Phi] {
        let Range { start, end } = self.nodes[i as usize].phis;
        &self.phis[start as usize..end as usize]
    }
}

impl Node {
    fn new(label: u32, start: usize, phis: u32) -> Node {
        Node {
            label,
            start,
            end: start,
            phis: phis..phis,
            merge: NONE,
            next: NONE,
            reached: false,
            order: 0,
            dominator: 0,
            succ: 0..0,
        }
    }
}

/// Labels and values of the cases of an `OpSwitch`.
pub(crate) fn switch_labels(r: &Reader<'_>, inst: &Inst<'_>) -> Res<(Vec<u32>, Vec<u64>)> {
    // The selector may be defined further down in the text, so its type is not always known.
    // The high half of a 64-bit case is hardly ever a label.
    let label = |&id: &u32| matches!(r.id(id), Ok(Id::Label(_)));
    let wide = !inst.rest(2).iter().skip(1).step_by(2).all(label);
    let (mut labels, mut values) = (Vec::new(), Vec::new());
    for case in inst.rest(2).chunks(if wide { 3 } else { 2 }) {
        match *case {
            [value, label] => {
                values.push(u64::from(value));
                labels.push(label);
            }
            [low, high, label] => {
                values.push(u64::from(high) << 32 | u64::from(low));
                labels.push(label);
            }
            _ => return fail("too few operands"),
        }
    }
    Ok((labels, values))
}

/// Whether an instruction ends a block.
pub(crate) fn is_end(op: Op) -> bool {
    matches!(
        op,
        Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Kill
            | Op::Return
            | Op::ReturnValue
            | Op::Unreachable
            | Op::TerminateInvocation
            | Op::IgnoreIntersectionKHR
            | Op::TerminateRayKHR
            | Op::EmitMeshTasksEXT
    )
}
