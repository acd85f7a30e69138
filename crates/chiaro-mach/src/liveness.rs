//! Liveness: the values that are live into and out of each block.
//!
//! A value of the lane domain lives along logical edges, every other along linear ones. A phi
//! reads its uses at the ends of the predecessors and defines at the head of its own block:
//! phis are not live into their block, and what they read is live out of where it comes from.

use crate::code::{Block, Code, Graph, Value};
use crate::file::{File, RegFile};
use crate::touch::{Touches, touches};

/// Values that live into and out of each block: lists, so that what it takes grows with what is alive and not with
/// blocks times values.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// By file.
    into: Vec<Lists>,
    out: Vec<Lists>,
    /// The values that cross borders.
    globals: Vec<Value>,
    /// Their numbers; [`LOCAL`] for all others.
    numbers: Vec<u32>,
    /// The number of the first value of each file, which go one file after the other; one entry more for the end.
    starts: Vec<u32>,
}

/// Numbers of values of one file for each block, rising.
#[derive(Clone, Debug)]
struct Lists {
    /// Where the list of each block begins; one entry more for the end.
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl Lists {
    fn of(&self, block: Block) -> &[u32] {
        let [start, end] =
            [block.0, block.0 + 1].map(|at| self.starts.get(at as usize).copied().unwrap_or(0));
        &self.numbers[start as usize..end as usize]
    }
}

/// The number of a value that stays in its block.
const LOCAL: u32 = u32::MAX;

/// Finds what lives where: each value is followed from where it is read against the edges, up to
/// where it is defined.
pub fn liveness(code: &Code, files: &[RegFile]) -> Liveness {
    liveness_of(code, files, &touches(code, files.len()))
}

/// As [`liveness`], of code whose touches are known.
pub(crate) fn liveness_of(code: &Code, files: &[RegFile], touches: &[Touches]) -> Liveness {
    let blocks = code.block_count();
    let mut live = Liveness {
        into: Vec::with_capacity(files.len()),
        out: Vec::with_capacity(files.len()),
        globals: Vec::new(),
        numbers: vec![LOCAL; code.value_count()],
        starts: vec![0],
    };
    let mut home = vec![LOCAL; if blocks > 1 { code.value_count() } else { 0 }];
    let [mut into, mut out] = [Notes::new(blocks), Notes::new(blocks)];
    let mut preds = [None, None];
    for (file, touches) in files.iter().zip(touches) {
        // Nothing crosses the borders of a single block.
        if blocks > 1 {
            let graph = Graph::of(file.domain);
            let preds = preds[graph as usize].get_or_insert_with(|| Preds::of(code, graph));
            live.follow_file(code, (preds, touches), &mut home, [&mut into, &mut out]);
        }
        live.starts.push(live.globals.len() as u32);
        live.into.push(into.take());
        live.out.push(out.take());
    }
    live
}

/// The predecessors of all blocks in one graph, side by side.
struct Preds {
    /// Where those of each block begin; one entry more for the end.
    starts: Vec<u32>,
    list: Vec<Block>,
}

impl Preds {
    fn of(code: &Code, graph: Graph) -> Preds {
        let mut preds = Preds { starts: Vec::with_capacity(code.block_count() + 1), list: Vec::new() };
        for block in code.blocks() {
            preds.starts.push(preds.list.len() as u32);
            preds.list.extend_from_slice(&code.block_data(block).edges(graph).preds);
        }
        preds.starts.push(preds.list.len() as u32);
        preds
    }

    fn block(&self, block: Block) -> &[Block] {
        let [start, end] = [block.0, block.0 + 1].map(|at| self.starts[at as usize] as usize);
        &self.list[start..end]
    }
}

/// Which values are in the lists of which blocks, in the order in which they are found.
struct Notes {
    /// By block: the number that was noted last.
    last: Vec<u32>,
    /// Blocks and numbers.
    found: Vec<(u32, u32)>,
}

impl Notes {
    fn new(blocks: usize) -> Notes {
        Notes { last: vec![LOCAL; blocks], found: Vec::new() }
    }

    /// Adds a value to the list of a block; false if it is there. Values come in the order of their numbers.
    fn note(&mut self, block: Block, number: u32) -> bool {
        let is_new = std::mem::replace(&mut self.last[block.0 as usize], number) != number;
        if is_new {
            self.found.push((block.0, number));
        }
        is_new
    }

    /// The lists, and an empty start for others.
    fn take(&mut self) -> Lists {
        if self.found.is_empty() {
            return Lists { starts: Vec::new(), numbers: Vec::new() };
        }
        let mut starts = vec![0; self.last.len() + 1];
        self.found.iter().for_each(|&(block, _)| starts[block as usize] += 1);
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        // From behind, so that the end of each list becomes its start.
        let mut numbers = vec![0; self.found.len()];
        for &(block, number) in self.found.iter().rev() {
            let at = &mut starts[block as usize];
            *at -= 1;
            numbers[*at as usize] = number;
        }
        self.found.clear();
        Lists { starts, numbers }
    }
}

/// What a block does with a value that crosses borders.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Does {
    /// It has its value.
    Define,
    /// It reads the value before it defines it, if it does.
    Read,
    /// A phi of a successor reads it at the block's end.
    HandOver,
}

/// That a block does something with a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Mention {
    /// The value's number.
    number: u32,
    does: Does,
    block: Block,
}

impl Liveness {
    /// Follows all values of a file. `home` is a table of all values for its own use.
    fn follow_file(
        &mut self,
        code: &Code,
        (preds, touches): (&Preds, &Touches),
        home: &mut [u32],
        [into, out]: [&mut Notes; 2],
    ) {
        let first = self.globals.len();
        self.number_globals(code, touches, home);
        let mentions = self.mentions(code, preds, touches, first);
        let mut rest = mentions.as_slice();
        let mut waiting = Vec::new();
        while let Some(&Mention { number, .. }) = rest.first() {
            let (mine, others) = rest.split_at(rest.partition_point(|mention| mention.number == number));
            rest = others;
            follow(preds, mine, [&mut *into, &mut *out], &mut waiting);
        }
    }

    /// Numbers values that are used in another block than that of their definition, and what phis read.
    fn number_globals(&mut self, code: &Code, touches: &Touches, home: &mut [u32]) {
        for block in code.blocks() {
            for touch in touches.of(block).iter().filter(|touch| touch.is_def()) {
                home[touch.value.0 as usize] = block.0;
            }
        }
        for block in code.blocks() {
            for touch in touches.of(block).iter().filter(|touch| !touch.is_def()) {
                let v = touch.value.0 as usize;
                if self.numbers[v] == LOCAL && (touch.is_phi() || home[v] != block.0) {
                    self.numbers[v] = self.globals.len() as u32;
                    self.globals.push(touch.value);
                }
            }
        }
    }

    /// What each block says by itself of values of a file that cross borders, value by value. The first of them has
    /// the number `first`.
    fn mentions(&self, code: &Code, preds: &Preds, touches: &Touches, first: usize) -> Vec<Mention> {
        let count = self.globals.len() - first;
        let mut mentions = Vec::with_capacity(3 * count);
        // By value: one past the block that defined or read it last.
        let mut seen = vec![0; count];
        for block in code.blocks().filter(|_| count > 0) {
            let preds = preds.block(block);
            for touch in touches.of(block) {
                let number = self.numbers[touch.value.0 as usize];
                if number == LOCAL {
                    continue;
                }
                let seen = &mut seen[number as usize - first];
                if touch.is_def() {
                    *seen = block.0 + 1;
                    mentions.push(Mention { number, does: Does::Define, block });
                } else if touch.is_phi() {
                    let pred = preds.get(usize::from(touch.number));
                    mentions.extend(pred.map(|&block| Mention { number, does: Does::HandOver, block }));
                } else if std::mem::replace(seen, block.0 + 1) != block.0 + 1 {
                    mentions.push(Mention { number, does: Does::Read, block });
                }
            }
        }
        mentions.sort_unstable();
        mentions
    }

    /// Values that live into a block, those of its phis not among them.
    pub fn into(&self, block: Block) -> impl Iterator<Item = Value> + '_ {
        self.into.iter().flat_map(move |lists| self.values(lists, block))
    }

    /// Values that live out of a block, those that phis of successors read among them.
    pub fn out(&self, block: Block) -> impl Iterator<Item = Value> + '_ {
        self.out.iter().flat_map(move |lists| self.values(lists, block))
    }

    /// Of the values that live into a block, those of a file.
    pub(crate) fn entering(&self, block: Block, file: File) -> impl Iterator<Item = Value> + '_ {
        self.values(&self.into[usize::from(file.0)], block)
    }

    /// Of the values that live out of a block, those of a file.
    pub(crate) fn leaving(&self, block: Block, file: File) -> impl Iterator<Item = Value> + '_ {
        self.values(&self.out[usize::from(file.0)], block)
    }

    fn values<'a>(&'a self, lists: &'a Lists, block: Block) -> impl Iterator<Item = Value> + 'a {
        lists.of(block).iter().map(|&number| self.globals[number as usize])
    }

    /// Whether a value lives into a block.
    pub fn is_into(&self, block: Block, value: Value) -> bool {
        self.is_in(&self.into, block, value)
    }

    /// Whether a value lives out of a block.
    pub fn is_out(&self, block: Block, value: Value) -> bool {
        self.is_in(&self.out, block, value)
    }

    fn is_in(&self, files: &[Lists], block: Block, value: Value) -> bool {
        let number = self.numbers[value.0 as usize];
        let file = self.starts[1..].iter().position(|&end| number < end);
        file.is_some_and(|file| files[file].of(block).binary_search(&number).is_ok())
    }
}

/// Notes one value wherever it lives.
fn follow(preds: &Preds, mentions: &[Mention], [into, out]: [&mut Notes; 2], waiting: &mut Vec<Block>) {
    let (defined, read) = mentions.split_at(mentions.partition_point(|m| m.does == Does::Define));
    let is_defined = |block: Block| defined.binary_search_by_key(&block, |m| m.block).is_ok();
    for &Mention { number, does, block } in read {
        // Blocks that the value lives into, in which it was not noted yet.
        match does {
            Does::HandOver if out.note(block, number) && !is_defined(block) => {
                waiting.push(block);
            }
            Does::Read => waiting.push(block),
            _ => {}
        }
        while let Some(block) = waiting.pop() {
            if !into.note(block, number) {
                continue;
            }
            for &pred in preds.block(block) {
                if out.note(pred, number) && !is_defined(pred) {
                    waiting.push(pred);
                }
            }
        }
    }
}
