//! Emits the program: every block is scheduled, then branches are linked.

mod file;

use chiaro_diag::{Diagnostic, Span};

use super::allocate::split::{Cell, split};
use super::combine::combine;
use super::compiled::{Compiled, Jumped};
use super::options::Options;
use crate::abi::Abi;
use crate::compile::graph::{ANYTHING, Block, Graph, Op, Operand, Program};
use crate::compile::schedule::{self, Around, Scheduled};
use crate::isa::word::Word;
use crate::regs::UNIFORMS;

/// vec4 of temporaries that are taken at a time when values do not fit the registers.
const MORE_ROWS: usize = 8;
/// Blocks that are split at most, so that a program that cannot be helped ends soon.
const MOST_SPLITS: usize = 64;

/// Schedules every block and links them. One in which too much is alive is split, and all begin
/// again.
///
/// # Errors
/// What is kept does not fit uniform memory.
pub fn finish(selected: Program, abi: &Abi, options: &Options) -> Result<Compiled, Box<Diagnostic>> {
    let behind = usize::from(abi.behind_viewport());
    let mut program = Finisher { spare: Vec::new(), behind, splits: 0, selected };
    loop {
        let from = behind + program.selected.temporaries.len();
        if from >= UNIFORMS {
            return Err(full(from));
        }
        match program.schedule(from as u16, options.effort) {
            Ok(made) => return Ok(program.link(made)),
            Err(block) => program.split(block)?,
        }
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
    /// All blocks, or the number of one that cannot be scheduled. The last one comes first: when
    /// a block's registers are read is known before it stores them.
    fn schedule(&self, constants_from: u16, effort: u32) -> Result<Made, usize> {
        let mut around = Around::new(constants_from, self.selected.reserved);
        let count = self.selected.blocks.len();
        let mut all: Vec<Scheduled> = Vec::with_capacity(count);
        let mut spans = Vec::with_capacity(count);
        let mut is_regrouped = false;
        for (i, block) in self.selected.blocks.iter().enumerate().rev() {
            let mut graph = block.graph.clone();
            if self.jumps(i).is_some() {
                let condition = block.jump.and_then(|jump| jump.condition);
                let condition = condition.unwrap_or_else(|| graph.number(1.0));
                graph.make(Op::Branch, &[Operand { neg: false, ..condition }]);
            }
            let combined = combine(&graph);
            is_regrouped |= combined.is_some();
            let graph = combined.unwrap_or(graph);
            around.let_follow(all.iter().rev().flat_map(|block| block.words.iter().copied()));
            let scheduled = schedule::schedule(&graph, &around, effort).ok_or(i)?;
            around.constants.clone_from(&scheduled.constants);
            spans.push(spans_of(&graph, &scheduled));
            all.push(scheduled);
        }
        all.reverse();
        spans.reverse();
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
        let Some(halves) = halves else { return Err(full(behind + self.selected.temporaries.len())) };
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
fn full(used: usize) -> Box<Diagnostic> {
    let message =
        format!("uniforms, arrays and values that are kept need {used} vec4, {UNIFORMS} are allowed");
    Box::new(
        Diagnostic::error(None, message)
            .help("use fewer or smaller uniforms and arrays, or let fewer values live at once"),
    )
}
