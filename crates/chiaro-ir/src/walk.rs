//! The traversal of a function that verifier, printer and analyses share.
//!
//! One walk visits every instruction in the order of the text, and says where blocks open
//! and close. It keeps its own stack, so that no depth of nesting exhausts the machine's,
//! and enters no block twice, so that it ends on any input. [`Tour`] is the same walk for those
//! who change the function on their way.

use crate::function::Function;
use crate::id::{Block, Inst};

/// What a [`Walk`] comes by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A block begins: the construct that owns it (`None` for the function's body), its
    /// number among that construct's blocks, and the block.
    Open(Option<Inst>, u32, Block),
    /// An instruction. The blocks of a construct follow, then its [`Step::Leave`].
    Inst(Inst),
    /// The same block ends.
    Close(Option<Inst>, u32, Block),
    /// The last block of a construct has ended.
    Leave(Inst),
    /// A block that the function does not have, or that is owned twice; it is passed over.
    Broken(Option<Inst>, Block),
    /// An instruction that the function does not have.
    Stray(Inst),
}

/// Visits a function once, in the order of its text.
pub struct Walk<'f> {
    f: &'f Function,
    tour: Tour,
}

impl<'f> Walk<'f> {
    /// A walk that has not begun.
    pub fn new(f: &'f Function) -> Walk<'f> {
        Walk { f, tour: Tour::new() }
    }

    /// The instructions of a function alone.
    pub fn insts(f: &'f Function) -> impl Iterator<Item = Inst> + 'f {
        Walk::new(f).filter_map(|step| if let Step::Inst(inst) = step { Some(inst) } else { None })
    }

    /// A walk through the blocks of one construct, which ends with its [`Step::Leave`].
    pub fn within(f: &'f Function, construct: Inst) -> Walk<'f> {
        Walk { f, tour: Tour { next: Some((Some(construct), 0)), ..Tour::new() } }
    }

    /// The instructions of one construct alone.
    pub fn insts_within(f: &'f Function, construct: Inst) -> impl Iterator<Item = Inst> + 'f {
        let inst = |step| if let Step::Inst(inst) = step { Some(inst) } else { None };
        Walk::within(f, construct).filter_map(inst)
    }

    /// How many blocks are open: 1 within the function's body.
    pub fn depth(&self) -> usize {
        self.tour.depth()
    }

    /// Passes over the blocks of the construct that was visited last, its [`Step::Leave`] too.
    pub fn skip(&mut self) {
        self.tour.skip();
    }
}

impl Iterator for Walk<'_> {
    type Item = Step;

    #[inline]
    fn next(&mut self) -> Option<Step> {
        self.tour.step(self.f)
    }
}

/// A [`Walk`] that borrows the function for a step at a time.
///
/// Between steps instructions may change in place and lists of blocks that are not open may
/// change at will. An open block must keep its list up to and including the instruction that was
/// visited last; most rewriters keep a [`Draft`](crate::Draft) instead.
#[derive(Debug)]
pub struct Tour {
    open: Vec<Frame>,
    /// What comes before the open block goes on: block number `n` of a construct.
    next: Option<(Option<Inst>, u32)>,
    seen: Vec<bool>,
}

#[derive(Debug)]
struct Frame {
    owner: Option<Inst>,
    index: u32,
    block: Block,
    at: u32,
}

impl Default for Tour {
    fn default() -> Tour {
        Tour::new()
    }
}

impl Tour {
    /// A tour that has not begun.
    pub fn new() -> Tour {
        Tour { open: Vec::new(), next: Some((None, 0)), seen: Vec::new() }
    }

    /// How many blocks are open: 1 within the function's body.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Passes over the blocks of the construct that was visited last, its [`Step::Leave`] too.
    pub fn skip(&mut self) {
        self.next = None;
    }

    /// Opens block `index` of a construct, or leaves the construct where there is none.
    fn enter(&mut self, f: &Function, owner: Option<Inst>, index: u32) -> Step {
        let block = match owner {
            None => f.body,
            Some(inst) => match f.blocks_of(inst).get(index as usize) {
                Some(&block) => block,
                None => return Step::Leave(inst),
            },
        };
        // The body comes first, and once: where there is nothing else nobody keeps a list.
        let is_new = match owner {
            None => (block.0 as usize) < f.block_count(),
            Some(_) => block != f.body && self.is_new(f, block),
        };
        if !is_new {
            self.next = owner.is_some().then_some((owner, index + 1));
            return Step::Broken(owner, block);
        }
        self.open.push(Frame { owner, index, block, at: 0 });
        Step::Open(owner, index, block)
    }

    /// Whether a block of a construct was not entered before.
    fn is_new(&mut self, f: &Function, block: Block) -> bool {
        if self.seen.len() < f.block_count() {
            self.seen.resize(f.block_count(), false);
        }
        self.seen.get_mut(block.0 as usize).is_some_and(|seen| !std::mem::replace(seen, true))
    }

    /// The next step; `None` at the end.
    ///
    /// Most steps are to the next instruction of a block: whoever walks does those by himself.
    #[inline(always)]
    pub fn step(&mut self, f: &Function) -> Option<Step> {
        if self.next.is_none()
            && let Some(frame) = self.open.last_mut()
            && let Some(&inst) = f.block(frame.block).insts.get(frame.at as usize)
            && (inst.0 as usize) < f.inst_count()
        {
            frame.at += 1;
            if f.owns_blocks(inst) {
                self.next = Some((Some(inst), 0));
            }
            return Some(Step::Inst(inst));
        }
        self.turn(f)
    }

    /// A step to where a block begins or ends.
    fn turn(&mut self, f: &Function) -> Option<Step> {
        if let Some((owner, index)) = self.next.take() {
            return Some(self.enter(f, owner, index));
        }
        let frame = self.open.last_mut()?;
        let Some(&inst) = f.block(frame.block).insts.get(frame.at as usize) else {
            let Frame { owner, index, block, .. } = *frame;
            self.open.pop();
            self.next = owner.is_some().then_some((owner, index + 1));
            return Some(Step::Close(owner, index, block));
        };
        frame.at += 1;
        Some(Step::Stray(inst))
    }
}
