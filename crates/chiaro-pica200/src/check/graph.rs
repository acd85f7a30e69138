//! The control flow graph of one procedure.
//!
//! The hardware compares addresses with three stacks after every word (spec section 12). Code
//! that keeps the rules behaves as if blocks nested, and that is how it is followed here: a node
//! is a word together with the block it runs in. Where the hardware would do something else,
//! because a block's end is missed, that is reported and the intended way is followed, so that
//! one mistake is one finding.
//!
//! A *precise* graph also tells apart what paths know of conditions, see [`Facts`].

use super::facts::Facts;
use super::report::Report;
use super::rules::*;
use super::step::{Step, Test};
use crate::isa::Op;
use std::collections::HashMap;
use std::num::NonZeroU32;
use std::ops::Range;

/// A range of words that is entered by a call, or an entry point.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Procedure {
    pub(super) start: u32,
    /// One past the last word; of an entry procedure only as far as it is known.
    pub(super) end: Option<u32>,
    /// Whether reaching the end returns.
    pub(super) called: bool,
}

/// A word in a block, and those behind it that nothing else leads to.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) word: u32,
    /// The last of the words: what follows and what is called belongs to it.
    pub(super) last: u32,
    pub(super) block: Option<usize>,
    /// What is known before it; nothing unless the graph is precise.
    facts: Facts,
    /// Which edges lead on from it.
    edges: Range<usize>,
    /// Whether the procedure may return behind it.
    pub(super) returns: bool,
    /// What it calls, if the range is sound.
    pub(super) callee: Option<Procedure>,
    /// Whether it may also not call.
    pub(super) may_skip: bool,
}

/// An open IF or LOOP.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    parent: Option<usize>,
    pub(super) opened: u32,
    first: u32,
    /// The address that ends it: of an IF the first word of the else part.
    end: u32,
    /// Where execution goes on.
    target: u32,
    is_loop: bool,
    /// IFs open, this one included.
    pub(super) ifs: u32,
    /// LOOPs open, this one included.
    pub(super) loops: u32,
}

pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) blocks: Vec<Block>,
    /// Where edges lead, node by node: most have one, so that lists of their own would be most of the work.
    edges: Vec<usize>,
    /// Words of all nodes.
    pub(super) words: usize,
}

/// How to look for paths.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    /// Whether paths remember the conditions that they have tested.
    pub(super) precise: bool,
    /// Words of all nodes at most.
    pub(super) limit: usize,
}

impl Graph {
    /// Follows all paths from the start; `None` if the limit does not suffice.
    pub(super) fn build(
        steps: &[Step],
        places: &Places,
        procedure: Procedure,
        Search { precise, limit }: Search,
        report: &mut Report,
    ) -> Option<Graph> {
        let graph = Graph { nodes: Vec::new(), blocks: Vec::new(), edges: Vec::new(), words: 0 };
        // Zero is `None`, so that most of it is never touched.
        let (latest, earlier) = (vec![None; steps.len()], Vec::new());
        let opened = HashMap::new();
        let facts = Facts::default();
        let mut builder =
            Builder { steps, places, procedure, precise, facts, graph, latest, earlier, opened, report };
        builder.node(procedure.start, None);
        let mut done = 0;
        while done < builder.graph.nodes.len() {
            builder.lengthen(done);
            if builder.graph.words > limit {
                return None;
            }
            let first = builder.graph.edges.len();
            builder.graph.nodes[done].edges = first..first;
            builder.connect(done);
            done += 1;
        }
        Some(builder.graph)
    }

    /// Nodes that may follow a node.
    pub(super) fn next(&self, node: usize) -> &[usize] {
        &self.edges[self.nodes[node].edges.clone()]
    }
}

/// Whether something else than the next word may follow.
fn steers(op: Op) -> bool {
    let jumps = matches!(op, Op::End | Op::Jmpc | Op::Jmpu | Op::Call | Op::Callc | Op::Callu);
    jumps || matches!(op, Op::Ifc | Op::Ifu | Op::Loop | Op::Break | Op::Breakc)
}

/// What is known of places in the code, whoever runs it.
pub(super) struct Places {
    /// For every word the opening word of the innermost block that it lies in; none at all if there is no block.
    around: Vec<Option<u32>>,
    /// Words that a jump, a call or the end of a block may lead to.
    targets: Vec<bool>,
}

impl Places {
    pub(super) fn of(steps: &[Step]) -> Places {
        let mut targets = vec![false; steps.len()];
        let named = steps.iter().filter(|step| step.target != 0 || step.count != 0);
        for place in named.flat_map(|step| [step.target(), step.target() + 1, step.target() + step.count()]) {
            if let Some(is_target) = targets.get_mut(place as usize) {
                *is_target = true;
            }
        }
        Places { around: innermost_blocks(steps), targets }
    }

    fn around(&self, word: u32) -> Option<u32> {
        self.around.get(word as usize).copied().flatten()
    }
}

fn innermost_blocks(steps: &[Step]) -> Vec<Option<u32>> {
    if !steps.iter().any(|step| matches!(step.op, Some(Op::Ifc | Op::Ifu | Op::Loop))) {
        return Vec::new();
    }
    let mut open: Vec<(u32, u32)> = Vec::new();
    let mut around = Vec::with_capacity(steps.len());
    for (word, step) in (0..).zip(steps) {
        while open.last().is_some_and(|&(_, end)| end <= word) {
            open.pop();
        }
        around.push(open.last().map(|&(opened, _)| opened));
        // One that ends here or before is left with the next word.
        match step.op {
            Some(Op::Ifc | Op::Ifu) => open.push((word, step.target())),
            Some(Op::Loop) => open.push((word, step.target() + 1)),
            _ => {}
        }
    }
    around
}

struct Builder<'a> {
    steps: &'a [Step],
    places: &'a Places,
    procedure: Procedure,
    precise: bool,
    /// What is known on the edges that are being made.
    facts: Facts,
    graph: Graph,
    /// By word: one more than the last node made for it, and by node: the same of the one made before for that word.
    /// Nearly always there is one, because a word lies in one block.
    latest: Vec<Option<NonZeroU32>>,
    earlier: Vec<Option<NonZeroU32>>,
    opened: HashMap<(u32, Option<usize>), usize>,
    report: &'a mut Report,
}

impl Builder<'_> {
    fn node(&mut self, word: u32, block: Option<usize>) -> usize {
        let mut same_word = self.latest[word as usize];
        while let Some(after) = same_word {
            let node = after.get() as usize - 1;
            let Node { block: other, facts, .. } = self.graph.nodes[node];
            if other == block && facts == self.facts {
                return node;
            }
            same_word = self.earlier[node];
        }
        let node = self.graph.nodes.len();
        self.graph.nodes.push(Node { word, last: word, block, facts: self.facts, ..Node::default() });
        let after = NonZeroU32::new(node as u32 + 1);
        self.earlier.push(std::mem::replace(&mut self.latest[word as usize], after));
        node
    }

    /// Takes words to a node that nothing but the word before leads to. Where paths are followed side by side it has
    /// one word, so that nodes stay in the order of the words on their way.
    fn lengthen(&mut self, node: usize) {
        let is_alone = node + 1 == self.graph.nodes.len();
        let word = self.graph.nodes[node].word;
        let mut last = word;
        while is_alone && self.is_plain(last) && self.leads_on(last + 1) {
            last += 1;
        }
        self.graph.nodes[node].last = last;
        self.graph.words += (last + 1 - word) as usize;
    }

    /// Whether the next word follows and nothing else.
    fn is_plain(&self, word: u32) -> bool {
        let op = self.steps[word as usize].op;
        !op.is_some_and(|op| steers(op) || self.precise && matches!(op, Op::Cmp | Op::Litp))
    }

    /// Whether there is such a word, to which no node leads and none will: where a block ends is a target.
    fn leads_on(&self, word: u32) -> bool {
        let at = word as usize;
        self.places.targets.get(at) == Some(&false)
            && self.latest[at].is_none()
            && self.procedure.end != Some(word)
    }

    fn connect(&mut self, node: usize) {
        let Node { last: word, facts, .. } = self.graph.nodes[node];
        let step = &self.steps[word as usize];
        self.facts = facts;
        match step.op {
            Some(Op::End) => {}
            Some(Op::Jmpc | Op::Jmpu) => self.jump(node),
            Some(Op::Ifc | Op::Ifu) => self.open_if(node),
            Some(Op::Loop) => self.open_loop(node),
            Some(Op::Break) => self.leave_loop(node),
            Some(Op::Breakc) => {
                self.when(node, true, Self::leave_loop);
                self.when(node, false, Self::fall);
            }
            Some(Op::Call | Op::Callc | Op::Callu) => self.call(node),
            Some(Op::Cmp | Op::Litp) => {
                self.facts = facts.without_flags();
                self.fall(node);
            }
            _ => self.fall(node),
        }
    }

    /// Makes the edges of one branch, with what is known there, unless it cannot be taken.
    fn when(&mut self, node: usize, holds: bool, edges: impl FnOnce(&mut Self, usize)) {
        if let Some(facts) = self.assume(node, holds) {
            self.facts = facts;
            edges(self, node);
        }
    }

    /// What is known behind a node if its test holds or fails.
    fn assume(&self, node: usize, holds: bool) -> Option<Facts> {
        let Node { last: word, facts, .. } = self.graph.nodes[node];
        let test: Option<Test> = self.steps[word as usize].test().filter(|_| self.precise);
        test.map_or(Some(facts), |test| facts.assume(test, holds))
    }

    /// The next word, unless a block or the procedure ends before it.
    fn fall(&mut self, node: usize) {
        let Node { last: word, block, .. } = self.graph.nodes[node];
        let next = word + 1;
        match block.map(|id| self.graph.blocks[id]) {
            Some(inner) if inner.end == next => {
                if inner.is_loop {
                    self.edge(node, inner.first, block);
                }
                self.arrive(node, inner.target, inner.parent, inner.opened);
            }
            None if self.procedure.called && self.procedure.end == Some(next) => {
                self.graph.nodes[node].returns = true;
            }
            _ => self.edge(node, next, block),
        }
    }

    /// Goes to `to` without the comparison that ends blocks; `from` opened the block that is left.
    fn arrive(&mut self, node: usize, mut to: u32, mut block: Option<usize>, from: u32) {
        while let Some(outer) = block.map(|id| self.graph.blocks[id]).filter(|outer| outer.end == to) {
            let what = if outer.is_loop { "loop" } else { "if" };
            let message = format!(
                "the block opened at {from:#x} and the {what} opened at {:#x} both end at {to:#x}",
                outer.opened
            );
            self.report.word(&BLOCKS_END_TOGETHER, to.saturating_sub(1), message);
            if outer.is_loop {
                self.edge(node, outer.first, block);
            }
            (to, block) = (outer.target, outer.parent);
        }
        if block.is_none() && self.procedure.called && self.procedure.end == Some(to) {
            let start = self.procedure.start;
            let message = format!(
                "the block opened at {from:#x} and the procedure called at {start:#x} both end at {to:#x}"
            );
            self.report.word(&BLOCKS_END_TOGETHER, to.saturating_sub(1), message);
            self.graph.nodes[node].returns = true;
            return;
        }
        self.edge(node, to, block);
    }

    fn edge(&mut self, node: usize, to: u32, block: Option<usize>) {
        let from = self.graph.nodes[node].last;
        if to as usize >= self.steps.len() {
            let message = format!("execution runs past the last word of the code ({})", self.steps.len());
            self.report.word(&PAST_END, from, message);
        } else if !self.procedure.called && self.procedure.end == Some(to) && !self.jumps_to(from, to) {
            let message = format!("execution runs past the end of the entry procedure ({to:#x}) without END");
            self.report.word(&PAST_END, from, message);
        } else {
            let next = self.node(to, block);
            if !self.graph.next(node).contains(&next) {
                self.graph.edges.push(next);
                self.graph.nodes[node].edges.end += 1;
            }
        }
    }

    /// A jump may share code behind the entry procedure; running into it may not.
    fn jumps_to(&self, from: u32, to: u32) -> bool {
        let step = &self.steps[from as usize];
        matches!(step.op, Some(Op::Jmpc | Op::Jmpu)) && step.target() == to
    }

    fn jump(&mut self, node: usize) {
        let Node { last: word, block, .. } = self.graph.nodes[node];
        let never = self.ends_at(word + 1, block);
        if never.is_some() {
            self.fall(node);
        } else {
            self.when(node, false, Self::fall);
        }
        if let Some(what) = never {
            let message = format!("the jump is the last word of {what}, so it is never taken");
            return self.report.word(&JUMP_AT_BLOCK_END, word, message);
        }
        let to = self.steps[word as usize].target();
        if to as usize >= self.steps.len() {
            let message = format!("jumps to {to:#x}, the code has {} words", self.steps.len());
            return self.report.word(&TARGET_OUTSIDE, word, message);
        }
        let kept = self.leave_for(word, block, to);
        let within = kept.map(|id| self.graph.blocks[id].opened);
        if let Some(entered) = self.places.around(to).filter(|&opened| within.is_none_or(|w| opened > w)) {
            let message = format!("jumps to {to:#x}, into the block opened at {entered:#x}");
            self.report.word(&JUMP_INTO, word, message);
        }
        self.when(node, true, |graph, node| graph.edge(node, to, kept));
    }

    /// The block around `word` that a jump to `to` stays in.
    fn leave_for(&mut self, word: u32, mut block: Option<usize>, to: u32) -> Option<usize> {
        while let Some(left) = block.map(|id| self.graph.blocks[id]) {
            if (left.first..left.end).contains(&to) {
                return block;
            }
            let what = if left.is_loop { "loop" } else { "if" };
            let message = format!("jumps to {to:#x}, out of the {what} opened at {:#x}", left.opened);
            self.report.word(&JUMP_OUT, word, message);
            block = left.parent;
        }
        let Procedure { start, end, called } = self.procedure;
        if let Some(end) = end.filter(|&end| called && !(start..end).contains(&to)) {
            let message = format!("jumps to {to:#x}, out of the procedure {start:#x}..{end:#x}");
            self.report.word(&JUMP_OUT, word, message);
        }
        None
    }

    fn open_if(&mut self, node: usize) {
        let Node { last: word, block, .. } = self.graph.nodes[node];
        let step = &self.steps[word as usize];
        let (end, count) = (step.target(), step.count());
        let target = end + count;
        if !self.check_block(word, block, end, target) {
            return self.fall(node);
        }
        if end == word + 1 {
            let part = if count == 0 { "if" } else { "then part" };
            self.report.word(&EMPTY_BLOCK, word, format!("the {part} has no words"));
            self.when(node, true, |graph, node| graph.arrive(node, target, block, word));
        } else {
            let inner = self.open(word, block, end, target, false);
            self.when(node, true, |graph, node| graph.edge(node, word + 1, Some(inner)));
        }
        self.when(node, false, |graph, node| graph.arrive(node, end, block, word));
    }

    fn open_loop(&mut self, node: usize) {
        let Node { last: word, block, .. } = self.graph.nodes[node];
        let end = self.steps[word as usize].target() + 1;
        if !self.check_block(word, block, end, end) {
            return self.fall(node);
        }
        if end == word + 1 {
            self.report.word(&EMPTY_BLOCK, word, "the loop has no words".to_string());
            return self.fall(node);
        }
        let inner = self.open(word, block, end, end, true);
        self.edge(node, word + 1, Some(inner));
    }

    /// Whether a block can be followed; reports what is wrong with its place.
    fn check_block(&mut self, word: u32, block: Option<usize>, end: u32, target: u32) -> bool {
        if end <= word {
            let message = format!("the block ends at {end:#x}, before it begins");
            self.report.word(&BACKWARD_BLOCK, word, message);
            return false;
        }
        if target as usize > self.steps.len() {
            let message = format!("the block ends at {target:#x}, the code has {} words", self.steps.len());
            self.report.word(&TARGET_OUTSIDE, word, message);
            return false;
        }
        let outer = block.map(|id| self.graph.blocks[id].end);
        let limit = outer.or(self.procedure.end.filter(|_| self.procedure.called));
        if let Some(limit) = limit.filter(|&limit| target > limit) {
            let message =
                format!("the block ends at {target:#x}, the block or procedure around it at {limit:#x}");
            self.report.word(&BLOCKS_CROSS, word, message);
            return false;
        }
        true
    }

    fn open(&mut self, word: u32, parent: Option<usize>, end: u32, target: u32, is_loop: bool) -> usize {
        let (ifs, loops) =
            parent.map_or((0, 0), |id| (self.graph.blocks[id].ifs, self.graph.blocks[id].loops));
        let (ifs, loops) = if is_loop { (ifs, loops + 1) } else { (ifs + 1, loops) };
        *self.opened.entry((word, parent)).or_insert_with(|| {
            let block = Block { parent, opened: word, first: word + 1, end, target, is_loop, ifs, loops };
            self.graph.blocks.push(block);
            self.graph.blocks.len() - 1
        })
    }

    fn leave_loop(&mut self, node: usize) {
        let Node { last: word, block, .. } = self.graph.nodes[node];
        let mut around = block.map(|id| self.graph.blocks[id]);
        while let Some(conditional) = around.filter(|block| !block.is_loop) {
            let message = format!("leaves the loop from within the if opened at {:#x}", conditional.opened);
            self.report.word(&BREAK_IN_IF, word, message);
            around = conditional.parent.map(|id| self.graph.blocks[id]);
        }
        let Some(left) = around else {
            return self.report.word(&BREAK_OUTSIDE, word, "there is no loop to leave".to_string());
        };
        if left.end == word + 1 {
            let message = format!("the break is the last word of the loop opened at {:#x}", left.opened);
            self.report.word(&BREAK_AT_LOOP_END, word, message);
        }
        self.arrive(node, left.target, left.parent, left.opened);
    }

    fn call(&mut self, node: usize) {
        let Node { last: word, block, .. } = self.graph.nodes[node];
        let step = &self.steps[word as usize];
        let (start, count) = (step.target(), step.count());
        if let Some(what) = self.ends_at(word + 1, block).filter(|_| block.is_some()) {
            let message = format!("the call is the last word of {what}");
            self.report.word(&CALL_AT_BLOCK_END, word, message);
        }
        let end = start + count;
        if count == 0 {
            self.report.word(&EMPTY_BLOCK, word, format!("the procedure at {start:#x} has no words"));
        } else if end as usize > self.steps.len() {
            let message =
                format!("calls the words {start:#x}..{end:#x}, the code has {} words", self.steps.len());
            self.report.word(&TARGET_OUTSIDE, word, message);
        } else {
            let [taken, skipped] = [true, false].map(|holds| self.assume(node, holds).is_some());
            let conditional = self.steps[word as usize].test().is_some();
            let node = &mut self.graph.nodes[node];
            node.callee = taken.then_some(Procedure { start, end: Some(end), called: true });
            node.may_skip = conditional && skipped;
        }
        self.facts = self.facts.without_flags();
        self.fall(node);
    }

    /// What ends at an address, in words.
    fn ends_at(&self, address: u32, block: Option<usize>) -> Option<String> {
        match block.map(|id| self.graph.blocks[id]) {
            Some(block) if block.end == address => {
                let what = if block.is_loop { "loop" } else { "if" };
                Some(format!("the {what} opened at {:#x}", block.opened))
            }
            None if self.procedure.called && self.procedure.end == Some(address) => {
                Some(format!("the procedure called at {:#x}", self.procedure.start))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First and last word of each node.
    fn nodes(ops: &[Op], precise: bool) -> Vec<(u32, u32)> {
        let steps: Vec<Step> = ops.iter().map(|&op| Step { op: Some(op), ..Step::default() }).collect();
        let procedure = Procedure { start: 0, end: None, called: false };
        let search = Search { precise, limit: 100 };
        let graph = Graph::build(&steps, &Places::of(&steps), procedure, search, &mut Report::default());
        graph.expect("few words").nodes.iter().map(|node| (node.word, node.last)).collect()
    }

    /// A procedure that begins the code ends where those do that others call.
    #[test]
    fn the_first_procedure_ends_as_others_do() {
        let mut steps: Vec<Step> = (0..6).map(|_| Step { op: Some(Op::Nop), ..Step::default() }).collect();
        steps[4] = Step { op: Some(Op::Call), target: 0, count: 2, ..Step::default() };
        let targets = Places::of(&steps).targets;
        assert_eq!(targets, [true, true, true, false, false, false]);
    }

    /// Words that follow one another are one node, up to one that leads elsewhere; comparisons end it where paths remember
    /// what they know.
    #[test]
    fn straight_words_are_one_node() {
        let ops = [Op::Nop, Op::Nop, Op::Cmp, Op::Nop, Op::End];
        assert_eq!(nodes(&ops, false), [(0, 4)]);
        assert_eq!(nodes(&ops, true), [(0, 2), (3, 4)]);
    }
}
