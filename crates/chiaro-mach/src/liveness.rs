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
    /// By block: the numbers of values, rising.
    into: Vec<Vec<u32>>,
    out: Vec<Vec<u32>>,
    /// The values that cross borders.
    globals: Vec<Value>,
    /// Their numbers; [`LOCAL`] for all others.
    numbers: Vec<u32>,
    /// The number of the first value of each file, which go one file after the other; one entry more for the end.
    starts: Vec<u32>,
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
        into: vec![Vec::new(); blocks],
        out: vec![Vec::new(); blocks],
        globals: Vec::new(),
        numbers: vec![LOCAL; code.value_count()],
        starts: vec![0],
    };
    let mut home = vec![LOCAL; if blocks > 1 { code.value_count() } else { 0 }];
    for (file, touches) in files.iter().zip(touches) {
        // Nothing crosses the borders of a single block.
        if blocks > 1 {
            live.follow_file(code, Graph::of(file.domain), touches, &mut home);
        }
        live.starts.push(live.globals.len() as u32);
    }
    live
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
    fn follow_file(&mut self, code: &Code, graph: Graph, touches: &Touches, home: &mut [u32]) {
        let first = self.globals.len();
        self.number_globals(code, touches, home);
        let mentions = self.mentions(code, graph, touches, first);
        let mut rest = mentions.as_slice();
        let mut waiting = Vec::new();
        while let Some(&Mention { number, .. }) = rest.first() {
            let (mine, others) = rest.split_at(rest.partition_point(|mention| mention.number == number));
            rest = others;
            self.follow(code, graph, mine, &mut waiting);
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
    fn mentions(&self, code: &Code, graph: Graph, touches: &Touches, first: usize) -> Vec<Mention> {
        let count = self.globals.len() - first;
        let mut mentions = Vec::with_capacity(3 * count);
        // By value: one past the block that defined or read it last.
        let mut seen = vec![0; count];
        for block in code.blocks().filter(|_| count > 0) {
            let preds = &code.block_data(block).edges(graph).preds;
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

    /// Notes one value wherever it lives. Values come in the order of their numbers, so that the last of a list
    /// says whether the present one is in it.
    fn follow(&mut self, code: &Code, graph: Graph, mentions: &[Mention], waiting: &mut Vec<Block>) {
        let (defined, read) = mentions.split_at(mentions.partition_point(|m| m.does == Does::Define));
        let is_defined = |block: Block| defined.binary_search_by_key(&block, |m| m.block).is_ok();
        for &Mention { number, does, block } in read {
            // Blocks that the value lives into, in which it was not noted yet.
            match does {
                Does::HandOver if note(&mut self.out, block, number) && !is_defined(block) => {
                    waiting.push(block);
                }
                Does::Read => waiting.push(block),
                _ => {}
            }
            while let Some(block) = waiting.pop() {
                if !note(&mut self.into, block, number) {
                    continue;
                }
                for &pred in &code.block_data(block).edges(graph).preds {
                    if note(&mut self.out, pred, number) && !is_defined(pred) {
                        waiting.push(pred);
                    }
                }
            }
        }
    }

    /// Values that live into a block, those of its phis not among them.
    pub fn into(&self, block: Block) -> impl Iterator<Item = Value> + '_ {
        self.into[block.0 as usize].iter().map(|&number| self.globals[number as usize])
    }

    /// Values that live out of a block, those that phis of successors read among them.
    pub fn out(&self, block: Block) -> impl Iterator<Item = Value> + '_ {
        self.out[block.0 as usize].iter().map(|&number| self.globals[number as usize])
    }

    /// Of the values that live into a block, those of a file.
    pub(crate) fn into_of(&self, block: Block, file: File) -> impl Iterator<Item = Value> + '_ {
        self.of_file(&self.into[block.0 as usize], file)
    }

    /// Of the values that live out of a block, those of a file.
    pub(crate) fn out_of(&self, block: Block, file: File) -> impl Iterator<Item = Value> + '_ {
        self.of_file(&self.out[block.0 as usize], file)
    }

    fn of_file<'a>(&'a self, list: &'a [u32], file: File) -> impl Iterator<Item = Value> + 'a {
        let file = usize::from(file.0);
        let [start, end] = [file, file + 1].map(|n| list.partition_point(|&number| number < self.starts[n]));
        list[start..end].iter().map(|&number| self.globals[number as usize])
    }

    /// Whether a value lives into a block.
    pub fn is_into(&self, block: Block, value: Value) -> bool {
        let number = self.numbers[value.0 as usize];
        number != LOCAL && self.into[block.0 as usize].binary_search(&number).is_ok()
    }

    /// Whether a value lives out of a block.
    pub fn is_out(&self, block: Block, value: Value) -> bool {
        let number = self.numbers[value.0 as usize];
        number != LOCAL && self.out[block.0 as usize].binary_search(&number).is_ok()
    }
}

/// Puts a number at the end of a block's list; false if it is there.
fn note(lists: &mut [Vec<u32>], block: Block, number: u32) -> bool {
    let list = &mut lists[block.0 as usize];
    let is_new = list.last() != Some(&number);
    if is_new {
        list.push(number);
    }
    is_new
}
