//! Emits the program: every block is scheduled, then branches are linked.

mod file;

use chiaro_diag::{Budget, Diagnostic, Span, Tally};

use super::allocate::split::{Cell, split};
use super::combine::combine;
use super::combine::extremes::extremes;
use super::combine::signs::signs;
use super::compiled::{Compiled, Jumped};
use super::options::Options;
use crate::abi::Abi;
use crate::compile::graph::{ANYTHING, Block, Graph, Node, Op, Operand, Program};
use crate::compile::schedule::{self, Around, Scheduled};
use crate::isa::word::Word;
use crate::regs::{INSTRUCTIONS, UNIFORMS};

/// vec4 of temporaries that are taken at a time when values do not fit the registers.
const MORE_ROWS: usize = 8;
/// Blocks that are split at most, so that a program that cannot be helped ends soon.
const MOST_SPLITS: usize = 64;

/// How many times as long as the machine's memory a program may be before its blocks are combined,
/// which takes long where they are long: a product of matrices becomes a quarter of itself.
const COMBINED: u32 = 4;

/// Schedules every block and links them. One in which too much is alive is split, and all begin
/// again.
///
/// # Errors
/// The program is longer than the machine's memory in any order, what is kept does not fit uniform
/// memory, or the budget is used up.
pub fn finish(
    selected: Program,
    abi: &Abi,
    options: &Options,
    budget: &Budget,
) -> Result<Compiled, Box<Diagnostic>> {
    let behind = usize::from(abi.behind_viewport());
    let mut program = Finisher { spare: Vec::new(), behind, splits: 0, selected };
    loop {
        let from = behind + program.selected.temporaries.len();
        if from >= UNIFORMS {
            return Err(full(from, abi));
        }
        let graphs = program.graphs()?;
        let made = program.schedule(&graphs, from as u16, options.effort, budget);
        budget.check()?;
        match made {
            Ok(made) => return Ok(program.link(made)),
            Err(block) => program.split(block)?,
        }
    }
}

/// Whether the blocks may fit the machine's memory, so many times over.
///
/// # Errors
/// They do not, in whatever order.
fn may_fit<'a>(graphs: impl Iterator<Item = &'a Graph>, times: u32) -> Result<(), Box<Diagnostic>> {
    match graphs.map(schedule::quick_bound).fold(0, u32::saturating_add) {
        least if least > times * INSTRUCTIONS as u32 => {
            let needs = if times > 1 { "has operations for" } else { "needs at least" };
            Err(too_long(&format!("{needs} {least} instructions")))
        }
        _ => Ok(()),
    }
}

/// What is compiled, with temporaries that nothing uses yet.
struct Finisher {
    selected: Program,
    spare: Vec<Cell>,
    /// First vec4 of temporaries.
    behind: usize,
    splits: usize,
}

/// All blocks, scheduled.
struct Made {
    blocks: Vec<Scheduled>,
    constants: Vec<[Option<u32>; 4]>,
    /// By instruction.
    spans: Vec<Option<Span>>,
    is_regrouped: bool,
}

/// The blocks as they are scheduled.
struct Graphs {
    blocks: Vec<Graph>,
    /// Whether operations were combined.
    is_regrouped: bool,
}

/// For each instruction the source text that most of its operations come from.
fn spans_of(graph: &Graph, scheduled: &Scheduled) -> Vec<Option<Span>> {
    let mut counts: Vec<Vec<(Span, u32)>> = vec![Vec::new(); scheduled.words.len()];
    for &(at, node) in &scheduled.placed {
        let (Some(span), Some(all)) = (graph.span(node), counts.get_mut(at as usize)) else { continue };
        match all.iter_mut().find(|(known, _)| *known == span) {
            Some((_, count)) => *count += 1,
            None => all.push((span, 1)),
        }
    }
    let most = |all: Vec<(Span, u32)>| all.into_iter().max_by_key(|(_, count)| *count).map(|(span, _)| span);
    counts.into_iter().map(most).collect()
}

impl Finisher {
    /// Every block with its branch, its operations combined.
    ///
    /// # Errors
    /// They are more than the machine's memory holds.
    fn graphs(&self) -> Result<Graphs, Box<Diagnostic>> {
        may_fit(self.selected.blocks.iter().map(|block| &block.graph), COMBINED)?;
        let count = self.selected.blocks.len();
        let mut made = Graphs { blocks: Vec::with_capacity(count), is_regrouped: false };
        for (i, block) in self.selected.blocks.iter().enumerate() {
            let mut graph = block.graph.clone();
            if self.jumps(i).is_some() {
                let condition = block.jump.and_then(|jump| jump.condition);
                let condition = condition.unwrap_or_else(|| graph.number(1.0));
                graph.make(Op::Branch, &[Operand { neg: false, ..condition }]);
            }
            graph = signs(&graph).unwrap_or(graph);
            let combined = combine(&graph);
            made.is_regrouped |= combined.is_some();
            graph = combined.unwrap_or(graph);
            made.blocks.push(extremes(&graph).unwrap_or(graph));
        }
        may_fit(made.blocks.iter(), 1)?;
        Ok(made)
    }

    /// All blocks, or the number of one that cannot be scheduled. The last one comes first: when
    /// a block's registers are read is known before it stores them.
    fn schedule(
        &self,
        graphs: &Graphs,
        constants_from: u16,
        effort: u32,
        budget: &Budget,
    ) -> Result<Made, usize> {
        let mut around = Around::new(constants_from, self.selected.reserved);
        let count = graphs.blocks.len();
        let mut all: Vec<Scheduled> = Vec::with_capacity(count);
        let mut spans = Vec::with_capacity(count);
        for (i, graph) in graphs.blocks.iter().enumerate().rev() {
            around.let_follow(all.iter().rev().flat_map(|block| block.words.iter().copied()));
            let scheduled = schedule::schedule(graph, &around, effort, budget).ok_or(i)?;
            around.constants.clone_from(&scheduled.constants);
            spans.push(spans_of(graph, &scheduled));
            all.push(scheduled);
        }
        all.reverse();
        spans.reverse();
        let is_regrouped = graphs.is_regrouped;
        Ok(Made { blocks: all, constants: around.constants, spans: spans.concat(), is_regrouped })
    }

    /// The block that a block's branch leads to, if it needs one.
    fn jumps(&self, i: usize) -> Option<usize> {
        let jump = self.selected.blocks[i].jump?;
        let to = self.selected.labels[jump.to.0 as usize] as usize;
        (to != i + 1).then_some(to)
    }

    /// Makes two blocks of one.
    fn split(&mut self, at: usize) -> Result<(), Box<Diagnostic>> {
        self.splits += 1;
        let rows = &mut self.selected.temporaries;
        let (spare, behind) = (&mut self.spare, self.behind);
        let cell = || {
            if spare.is_empty() {
                let first = behind + rows.len();
                let last = (first + MORE_ROWS).min(UNIFORMS - 1);
                let cells = (first..last).flat_map(|row| (0..4).map(move |c| (row as u16, c)));
                spare.extend(cells.collect::<Vec<_>>().into_iter().rev());
                rows.resize(last - behind, ANYTHING);
            }
            spare.pop()
        };
        let block: &Block = &self.selected.blocks[at];
        let halves = if self.splits > MOST_SPLITS { None } else { split(block, cell) };
        let Some(halves) = halves else { return Err(crowded(block, self.splits)) };
        self.selected.blocks.splice(at..=at, halves);
        for label in &mut self.selected.labels {
            *label += u32::from(*label as usize > at);
        }
        Ok(())
    }

    /// Words one behind the other, with the targets of branches.
    fn link(&self, Made { blocks, constants, spans, is_regrouped }: Made) -> Compiled {
        let mut starts = vec![0];
        for block in &blocks {
            starts.push(starts.last().copied().unwrap_or(0) + block.words.len());
        }
        let mut made = Compiled { starts: starts.clone(), spans, is_regrouped, ..Compiled::default() };
        for (i, block) in blocks.iter().enumerate() {
            made.words.extend(&block.words);
            made.blocks.push(block.quality);
            made.spills += block.spills;
            let to = self.jumps(i);
            if let Some((target, word)) = to.map(|to| starts[to] as u32).zip(made.words.last_mut()) {
                *word = word.with_target(target);
            }
            let always = self.selected.blocks[i].jump.is_some_and(|jump| jump.condition.is_none());
            made.jumps.push(to.map(|to| Jumped { to, always }));
        }
        end_with_a_word(&mut made);
        let value = |bits: Option<u32>| f32::from_bits(bits.unwrap_or(0));
        made.constants = self.selected.temporaries.clone();
        made.constants.extend(constants.iter().map(|row| row.map(value)));
        made.temporaries = self.selected.temporaries.len() as u32;
        made
    }
}

/// A branch to the end needs an instruction there, if only one that does nothing.
fn end_with_a_word(made: &mut Compiled) {
    let behind = made.blocks.iter().rev().take_while(|block| block.length == 0).count();
    let first_empty = made.blocks.len() - behind;
    if made.jumps.iter().flatten().any(|jump| jump.to >= first_empty) {
        made.words.push(Word::IDLE);
        made.spans.push(None);
        if let Some(last) = made.blocks.last_mut() {
            last.length += 1;
        }
        if let Some(end) = made.starts.last_mut() {
            *end += 1;
        }
    }
}

/// There is no room for what has to be kept.
fn full(used: usize, abi: &Abi) -> Box<Diagnostic> {
    let message =
        format!("uniforms, arrays and values that are kept need {used} vec4, {UNIFORMS} are allowed");
    let mut tally = Tally::new("uniforms", "vec4", UNIFORMS as u32);
    abi.uniforms.iter().for_each(|uniform| tally.add(&uniform.name, None, uniform.count.into()));
    let mut error = Diagnostic::error(None, message)
        .help("use fewer or smaller uniforms and arrays, or let fewer values live at once");
    error.notes.extend(tally.largest());
    Box::new(error)
}

/// The program is too long, and no plan makes it short enough.
pub(super) fn too_long(needs: &str) -> Box<Diagnostic> {
    let error = Diagnostic::error(None, format!("the program {needs}, {INSTRUCTIONS} are allowed"))
        .note("loops were rolled back and expressions of uniforms left to the host, which is not enough");
    Box::new(error.help("loops that must be unrolled and long functions called often take most"))
}

/// A part of the program keeps more than the machine does, however often it is split.
fn crowded(block: &Block, splits: usize) -> Box<Diagnostic> {
    let graph = &block.graph;
    let span = (0..graph.nodes().len() as u32).rev().find_map(|node| graph.span(Node(node)));
    let message = "more values are alive here at once than registers and temporaries hold";
    let tried = format!(
        "{} operations in a row; {} splits were tried, {MOST_SPLITS} are allowed",
        graph.nodes().len(),
        splits - 1
    );
    Box::new(
        Diagnostic::error(span, message)
            .note(tried)
            .help("use values sooner after they are computed, or compute them again where they are used"),
    )
}
