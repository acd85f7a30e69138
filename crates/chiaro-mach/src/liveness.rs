//! Liveness: the values that are live into and out of each block.
//!
//! A value of the lane domain lives along logical edges, every other along linear ones. A phi
//! reads its uses at the ends of the predecessors and defines at the head of its own block:
//! phis are not live into their block, and what they read is live out of where it comes from.

use crate::code::{Block, Code, Graph, Value};
use crate::file::RegFile;
use crate::op::Op;
use crate::operand::Operand;

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
}

/// The number of a value that stays in its block.
const LOCAL: u32 = u32::MAX;

/// Finds what lives where: each value is followed from where it is read against the edges, up to
/// where it is defined.
pub fn liveness(code: &Code, files: &[RegFile]) -> Liveness {
    let (globals, numbers) = number_globals(code);
    let blocks = code.block_count();
    let mut live =
        Liveness { into: vec![Vec::new(); blocks], out: vec![Vec::new(); blocks], globals, numbers };
    let mentions = live.read_blocks(code, files);
    let mut rest = mentions.as_slice();
    let mut waiting = Vec::new();
    while let Some(&Mention { number, .. }) = rest.first() {
        let (mine, others) = rest.split_at(rest.partition_point(|mention| mention.number == number));
        rest = others;
        let file = code.value_data(live.globals[number as usize]).file;
        let graph = Graph::of(files.get(usize::from(file.0)).map(|file| file.domain).unwrap_or_default());
        live.follow(code, graph, mine, &mut waiting);
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

/// Values that are used in another block than that of their definition, and what phis read.
fn number_globals(code: &Code) -> (Vec<Value>, Vec<u32>) {
    let mut home = vec![LOCAL; code.value_count()];
    for block in code.blocks() {
        for &inst in code.insts(block) {
            for value in code.defs(inst).iter().filter_map(Operand::value) {
                home[value.0 as usize] = block.0;
            }
        }
    }
    let (mut globals, mut numbers) = (Vec::new(), vec![LOCAL; code.value_count()]);
    for block in code.blocks() {
        for &inst in code.insts(block) {
            let is_phi = code.op(inst) == Op::Phi;
            for value in code.uses(inst).iter().filter_map(Operand::value) {
                let v = value.0 as usize;
                if numbers[v] == LOCAL && (is_phi || home[v] != block.0) {
                    numbers[v] = globals.len() as u32;
                    globals.push(value);
                }
            }
        }
    }
    (globals, numbers)
}

/// The numbers of those operands that are values and cross borders.
fn globals_of<'a>(numbers: &'a [u32], operands: &'a [Operand]) -> impl Iterator<Item = u32> + 'a {
    let values = operands.iter().filter_map(Operand::value);
    values.map(|v| numbers[v.0 as usize]).filter(|&number| number != LOCAL)
}

/// The values that a phi reads, with the predecessor at whose end it reads each.
pub(crate) fn phi_uses<'a>(
    code: &'a Code,
    files: &[RegFile],
    block: Block,
    phi: crate::Inst,
) -> impl Iterator<Item = (Value, Block)> + 'a {
    let file = code.defs(phi).first().map_or(0, |def| def.file.0);
    let domain = files.get(usize::from(file)).map(|file| file.domain).unwrap_or_default();
    let preds = &code.block_data(block).edges(Graph::of(domain)).preds;
    code.uses(phi).iter().zip(preds).filter_map(|(operand, &pred)| Some((operand.value()?, pred)))
}

impl Liveness {
    /// What each block says by itself of values that cross borders, value by value.
    fn read_blocks(&self, code: &Code, files: &[RegFile]) -> Vec<Mention> {
        let mut mentions = Vec::with_capacity(3 * self.globals.len());
        // By value: one past the block that defined or read it last.
        let mut seen = vec![0; self.globals.len()];
        for block in code.blocks() {
            for &inst in code.insts(block) {
                if code.op(inst) == Op::Phi {
                    for (value, block) in phi_uses(code, files, block, inst) {
                        let number = self.numbers[value.0 as usize];
                        mentions.push(Mention { number, does: Does::HandOver, block });
                    }
                } else {
                    for number in globals_of(&self.numbers, code.uses(inst)) {
                        if std::mem::replace(&mut seen[number as usize], block.0 + 1) != block.0 + 1 {
                            mentions.push(Mention { number, does: Does::Read, block });
                        }
                    }
                }
                for number in globals_of(&self.numbers, code.defs(inst)) {
                    seen[number as usize] = block.0 + 1;
                    mentions.push(Mention { number, does: Does::Define, block });
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
