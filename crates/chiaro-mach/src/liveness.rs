//! Liveness: the values that are live into and out of each block.
//!
//! A value of the lane domain lives along logical edges, every other along linear ones. A phi
//! reads its uses at the ends of the predecessors and defines at the head of its own block:
//! phis are not live into their block, and what they read is live out of where it comes from.

use crate::bits::BitRows;
use crate::code::{Block, Code, Graph, Value};
use crate::file::RegFile;
use crate::op::Op;
use crate::operand::Operand;

/// Values that live into and out of each block.
///
/// Sets are over the values that cross the border of a block at all, numbered anew: in most
/// code these are few.
#[derive(Clone, Debug)]
pub struct Liveness {
    into: BitRows,
    out: BitRows,
    /// The values that cross borders.
    globals: Vec<Value>,
    /// Their numbers; [`LOCAL`] for all others.
    numbers: Vec<u32>,
}

/// The number of a value that stays in its block.
const LOCAL: u32 = u32::MAX;

/// Finds what lives where: dense sets, handed backwards until nothing changes. Blocks outside
/// of loops are visited once, others seldom more often than loops are nested.
pub fn liveness(code: &Code, files: &[RegFile]) -> Liveness {
    let (globals, numbers) = number_globals(code);
    let (blocks, count) = (code.block_count(), globals.len());
    let lanes = lane_values(code, files, &globals);
    let mut live =
        Liveness { into: BitRows::new(blocks, count), out: BitRows::new(blocks, count), globals, numbers };
    let defined = live.read_blocks(code, files);
    let mut stale = vec![true; code.block_count()];
    while stale.contains(&true) {
        for block in code.blocks().rev() {
            let b = block.0 as usize;
            if !std::mem::take(&mut stale[b]) {
                continue;
            }
            live.merge_successors(code, block, lanes.row(0));
            if live.pass_through(b, defined.row(b)) {
                for graph in [Graph::Logical, Graph::Linear] {
                    code.block_data(block).edges(graph).preds.iter().for_each(|p| stale[p.0 as usize] = true);
                }
            }
        }
    }
    live
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
fn globals_of<'a>(numbers: &'a [u32], operands: &'a [Operand]) -> impl Iterator<Item = usize> + 'a {
    let values = operands.iter().filter_map(Operand::value);
    values.map(|v| numbers[v.0 as usize]).filter(|&number| number != LOCAL).map(|number| number as usize)
}

/// One set: the values of the lane domain.
fn lane_values(code: &Code, files: &[RegFile], globals: &[Value]) -> BitRows {
    let mut lanes = BitRows::new(1, globals.len());
    for (number, &value) in globals.iter().enumerate() {
        let file = code.value_data(value).file;
        if files.get(usize::from(file.0)).is_some_and(RegFile::is_logical) {
            lanes.insert(0, number);
        }
    }
    lanes
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
    /// Starts from what each block says by itself: values read before they are defined in it
    /// live into it, values that phis of successors read live out. The rows of what each
    /// defines.
    fn read_blocks(&mut self, code: &Code, files: &[RegFile]) -> BitRows {
        let mut defined = BitRows::new(code.block_count(), self.globals.len());
        for block in code.blocks() {
            let b = block.0 as usize;
            for &inst in code.insts(block) {
                if code.op(inst) == Op::Phi {
                    for (value, pred) in phi_uses(code, files, block, inst) {
                        self.out.insert(pred.0 as usize, self.numbers[value.0 as usize] as usize);
                    }
                } else {
                    for number in globals_of(&self.numbers, code.uses(inst)) {
                        if !defined.has(b, number) {
                            self.into.insert(b, number);
                        }
                    }
                }
                globals_of(&self.numbers, code.defs(inst)).for_each(|number| defined.insert(b, number));
            }
        }
        defined
    }

    /// What lives into the successors lives out of a block, along the graph of its domain.
    fn merge_successors(&mut self, code: &Code, block: Block, lanes: &[u64]) {
        let (data, out) = (code.block_data(block), self.out.row_mut(block.0 as usize));
        if data.logical.succs == data.linear.succs {
            for succ in &data.linear.succs {
                let into = self.into.row(succ.0 as usize);
                out.iter_mut().zip(into).for_each(|(out, into)| *out |= into);
            }
            return;
        }
        for (graph, flip) in [(Graph::Logical, 0), (Graph::Linear, u64::MAX)] {
            for succ in &data.edges(graph).succs {
                let into = self.into.row(succ.0 as usize);
                out.iter_mut()
                    .zip(into)
                    .zip(lanes)
                    .for_each(|((out, into), lanes)| *out |= into & (lanes ^ flip));
            }
        }
    }

    /// What lives out of a block and is not defined in it lives into it; whether that is new.
    fn pass_through(&mut self, block: usize, defined: &[u64]) -> bool {
        let mut new = false;
        let out = self.out.row(block).iter().zip(defined);
        for (into, (out, defined)) in self.into.row_mut(block).iter_mut().zip(out) {
            let all = *into | out & !defined;
            new |= all != *into;
            *into = all;
        }
        new
    }

    /// Values that live into a block, those of its phis not among them.
    pub fn into(&self, block: Block) -> impl Iterator<Item = Value> + '_ {
        self.into.iter(block.0 as usize).map(|number| self.globals[number])
    }

    /// Values that live out of a block, those that phis of successors read among them.
    pub fn out(&self, block: Block) -> impl Iterator<Item = Value> + '_ {
        self.out.iter(block.0 as usize).map(|number| self.globals[number])
    }

    /// Whether a value lives into a block.
    pub fn is_into(&self, block: Block, value: Value) -> bool {
        let number = self.numbers[value.0 as usize];
        number != LOCAL && self.into.has(block.0 as usize, number as usize)
    }

    /// Whether a value lives out of a block.
    pub fn is_out(&self, block: Block, value: Value) -> bool {
        let number = self.numbers[value.0 as usize];
        number != LOCAL && self.out.has(block.0 as usize, number as usize)
    }
}
