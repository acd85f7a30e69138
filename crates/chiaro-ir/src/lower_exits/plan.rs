//! The analysis: which exits are rewritten, found in one walk before anything changes.

use super::Exits;
use super::slots::Slots;
use crate::function::Function;
use crate::id::{Block, Inst};
use crate::op::Op;
use crate::ty::Ty;
use crate::walk::{Step, Walk};

/// How lanes that are on their way out pass one construct, which then has a state and slots
/// as further results.
#[derive(Clone, Debug, Default)]
pub(super) struct Passing {
    /// Some want to leave the construct around it.
    pub(super) leave_parent: bool,
    /// Some want to go on behind the construct around it.
    pub(super) beyond_parent: bool,
    /// What they carry.
    pub(super) slots: Slots,
}

/// What becomes of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockPlan {
    /// Its rest moves into an `if`, behind some construct.
    pub(super) split: bool,
    /// Some lanes go from here to the next part of the loop that owns it.
    pub(super) goes_on: bool,
    /// Some lanes go to the end of the construct that owns it.
    pub(super) leaves: bool,
    /// Some lanes go further out.
    pub(super) beyond: bool,
    /// Of a loop's block that is split: what its `if`s give beside the state.
    pub(super) slots: Slots,
}

/// The plan for a function.
pub(super) struct Plan {
    /// Whether anything is to be done.
    pub(super) changes: bool,
    /// By instruction: of constructs, how lanes pass them.
    pub(super) passing: Vec<Option<Box<Passing>>>,
    /// By instruction: of exits, whether they are rewritten.
    pub(super) lowered: Vec<bool>,
    pub(super) blocks: Vec<BlockPlan>,
}

impl Plan {
    pub(super) fn passing(&self, inst: Inst) -> Option<&Passing> {
        self.passing[inst.0 as usize].as_deref()
    }
}

/// An open construct; the first frame is the function.
struct Frame {
    inst: Option<Inst>,
    /// When it was opened, in steps of the walk.
    start: u32,
    /// The outermost frame that a rewritten exit within goes to.
    outermost: usize,
    /// The last time that a rewritten exit went to this frame: to its end, to its next part.
    left: u32,
    continued: u32,
    /// The innermost loop that is this frame or around it.
    innermost_loop: usize,
    slots: Slots,
    /// Of the block that is open.
    block: BlockPlan,
}

impl Frame {
    fn new(inst: Option<Inst>, start: u32, innermost_loop: usize) -> Frame {
        let (slots, block) = (Slots::default(), BlockPlan::default());
        Frame { inst, start, outermost: usize::MAX, left: 0, continued: 0, innermost_loop, slots, block }
    }
}

struct Planner<'a> {
    f: &'a Function,
    keep: Exits,
    plan: Plan,
    frames: Vec<Frame>,
    /// Where each open construct is among the frames.
    positions: Vec<usize>,
    now: u32,
}

/// Finds out which exits of a function are to be rewritten, and what that takes.
pub(super) fn plan(f: &Function, keep: Exits) -> Plan {
    let plan = Plan {
        changes: false,
        passing: vec![None; f.inst_count()],
        lowered: vec![false; f.inst_count()],
        blocks: vec![BlockPlan::default(); f.block_count()],
    };
    let frames = vec![Frame::new(None, 0, 0)];
    let mut planner = Planner { f, keep, plan, frames, positions: vec![0; f.inst_count()], now: 0 };
    for step in Walk::new(f) {
        planner.now += 1;
        match step {
            Step::Open(Some(inst), 0, _) => planner.open(inst),
            Step::Inst(inst) if f.op(inst).is_exit() => planner.exit(inst),
            Step::Close(_, _, block) => planner.close(block),
            Step::Leave(inst) => planner.leave(inst),
            _ => {}
        }
    }
    planner.plan
}

/// Whether a plan would change anything, found without making one.
pub(super) fn changes(f: &Function, keep: Exits) -> bool {
    !leave_where_they_stand(f) && some_is_lowered(f, keep)
}

/// Whether every block ends with an exit of what owns it, which is so in most functions.
fn leave_where_they_stand(f: &Function) -> bool {
    let mut open = vec![(None, f.body)];
    while let Some((owner, block)) = open.pop() {
        let insts = &f.block(block).insts;
        let leaves_another = |&inst: &Inst| match f.op(inst) {
            Op::Return => owner.is_some(),
            op => op.target().is_some_and(|target| Some(target) != owner),
        };
        if insts.last().is_some_and(leaves_another) {
            return false;
        }
        for &inst in insts.iter().filter(|&&inst| f.owns_blocks(inst)) {
            open.extend(f.blocks_of(inst).iter().map(|&block| (Some(inst), block)));
        }
    }
    true
}

fn some_is_lowered(f: &Function, keep: Exits) -> bool {
    // Constructs that are open, each with the innermost loop around its blocks.
    let mut open: Vec<(Inst, usize)> = Vec::new();
    Walk::new(f).any(|step| match step {
        Step::Open(Some(inst), 0, _) => {
            let around = open.last().map_or(0, |(_, innermost)| *innermost);
            let innermost = if f.op(inst) == Op::Loop { open.len() + 1 } else { around };
            open.push((inst, innermost));
            false
        }
        Step::Leave(_) => {
            open.pop();
            false
        }
        Step::Inst(inst) if f.op(inst).is_exit() => {
            let position = |at: Inst| open.iter().rposition(|(inst, _)| *inst == at).map_or(0, |n| n + 1);
            let op = f.op(inst);
            super::target_frame(op, position).is_some_and(|target| {
                let frames = |n: usize| n.checked_sub(1).map(|n| f.op(open[n].0));
                let innermost_loop = open.last().map_or(0, |(_, innermost)| *innermost);
                let way = Way { op, target, here: open.len(), innermost_loop, in_place: true };
                target != way.here && !way.stays(keep, frames)
            })
        }
        _ => false,
    })
}

/// The way of an exit that leaves at least one construct.
struct Way {
    op: Op,
    /// The frames that it leads to, and from.
    target: usize,
    here: usize,
    /// The frame of the innermost loop around it.
    innermost_loop: usize,
    /// Whether nothing is rewritten in the blocks where it starts and ends.
    in_place: bool,
}

impl Way {
    /// Whether it may do so. `frames` tells the constructs of frames.
    fn stays(&self, keep: Exits, frames: impl Fn(usize) -> Option<Op>) -> bool {
        let to = frames(self.target);
        let kind = match self.op {
            Op::Return => return keep.returns,
            Op::Exit(_) if to == Some(Op::Loop) => keep.breaks,
            Op::Exit(_) => keep.blocks,
            _ => keep.continues,
        };
        let crosses_loop = self.innermost_loop > self.target;
        let is_if = frames(self.here) == Some(Op::If);
        // Some way to leave a loop by a condition every target has.
        let plain_break =
            matches!(self.op, Op::Exit(_)) && to == Some(Op::Loop) && is_if && self.target + 1 == self.here;
        kind && (!crosses_loop || keep.across_loops) || plain_break && self.in_place
    }
}

impl Planner<'_> {
    fn open(&mut self, inst: Inst) {
        let at = self.frames.len();
        let around = self.frames.last().map_or(0, |frame| frame.innermost_loop);
        let innermost_loop = if self.f.op(inst) == Op::Loop { at } else { around };
        self.positions[inst.0 as usize] = at;
        self.frames.push(Frame::new(Some(inst), self.now, innermost_loop));
    }

    fn exit(&mut self, inst: Inst) {
        let op = self.f.op(inst);
        let Some(target) = super::target_frame(op, |at| self.positions[at.0 as usize]) else { return };
        let here = self.frames.len() - 1;
        let continues = matches!(op, Op::Continue(_) | Op::Repeat(_));
        if target == here {
            let block = &mut self.frames[here].block;
            block.goes_on |= continues;
            block.leaves |= !continues;
            return;
        }
        if self.stays(op, target) {
            return;
        }
        self.plan.lowered[inst.0 as usize] = true;
        self.plan.changes = true;
        let now = self.now;
        let to = &mut self.frames[target];
        *if continues { &mut to.continued } else { &mut to.left } = now;
        let f = self.f;
        let types = || f.args(inst).iter().map(|&arg| f.ty(arg));
        let frame = &mut self.frames[here];
        frame.outermost = frame.outermost.min(target);
        frame.slots.need(types());
        frame.block.slots.need(types());
        frame.block.beyond = true;
    }

    /// Whether an exit that leaves at least one construct on its way may do so.
    fn stays(&self, op: Op, target: usize) -> bool {
        let here = self.frames.len() - 1;
        let in_place = !self.frames[here].block.split && !self.frames[target].block.split;
        let innermost_loop = self.frames[here].innermost_loop;
        let way = Way { op, target, here, innermost_loop, in_place };
        way.stays(self.keep, |n| self.frames[n].inst.map(|inst| self.f.op(inst)))
    }

    fn close(&mut self, block: Block) {
        let frame = self.frames.last_mut().expect("the function's own frame stays");
        let mut done = std::mem::take(&mut frame.block);
        if let Some(inst) = frame.inst.filter(|&inst| done.split && self.f.op(inst) == Op::Loop) {
            done.slots.need(result_types(self.f, inst));
            for &block in self.f.blocks_of(inst) {
                done.slots.need(param_types(self.f, block));
            }
        }
        self.plan.blocks[block.0 as usize] = done;
    }

    fn leave(&mut self, inst: Inst) {
        let Some(frame) = self.frames.pop() else { return };
        let at = self.frames.len();
        if frame.outermost >= at {
            return;
        }
        let parent = self.frames.last_mut().expect("the function's own frame stays");
        let leave_parent = parent.left >= frame.start;
        let continue_parent = parent.continued >= frame.start;
        let beyond_parent = frame.outermost + 1 < at;
        parent.block.split = true;
        parent.block.goes_on |= continue_parent;
        parent.block.leaves |= leave_parent;
        parent.block.beyond |= beyond_parent;
        parent.block.slots.merge(&frame.slots);
        if beyond_parent {
            parent.outermost = parent.outermost.min(frame.outermost);
            parent.slots.merge(&frame.slots);
        }
        let passing = Passing { leave_parent, beyond_parent, slots: frame.slots };
        self.plan.passing[inst.0 as usize] = Some(Box::new(passing));
    }
}

/// The types of a construct's results.
pub(super) fn result_types(f: &Function, inst: Inst) -> impl Iterator<Item = Ty> + '_ {
    f.results(inst).map(|value| f.ty(value))
}

/// The types of a block's parameters.
pub(super) fn param_types(f: &Function, block: Block) -> impl Iterator<Item = Ty> + '_ {
    f.block(block).params.iter().map(|&value| f.ty(value))
}
