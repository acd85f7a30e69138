//! Which values are needed at the borders of blocks.
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
#[derive(Clone, Debug)]
pub struct Liveness {
    into: BitRows,
    out: BitRows,
}

/// Finds what lives where: dense sets, iterated backwards until nothing changes. Code without
/// loops takes one round, others one more than loops are nested.
pub fn liveness(code: &Code, files: &[RegFile]) -> Liveness {
    let (blocks, values) = (code.block_count(), code.value_count());
    let lanes = lane_values(code, files);
    let (mut upward, mut defined, phi_out) = locals(code, files);
    let mut into = BitRows::new(blocks, values);
    let mut out = phi_out;
    let mut again = true;
    while again {
        again = false;
        for block in code.blocks().rev() {
            let b = block.0 as usize;
            for graph in [Graph::Logical, Graph::Linear] {
                for &succ in &code.block_data(block).edges(graph).succs {
                    merge(out.row_mut(b), into.row(succ.0 as usize), lanes.row(0), graph);
                }
            }
            let (upward, defined) = (upward.row_mut(b), defined.row_mut(b));
            for (i, word) in into.row_mut(b).iter_mut().enumerate() {
                let new = upward[i] | out.row(b)[i] & !defined[i];
                again |= new != *word;
                *word = new;
            }
        }
    }
    Liveness { into, out }
}

/// One set: the values of the lane domain.
fn lane_values(code: &Code, files: &[RegFile]) -> BitRows {
    let mut lanes = BitRows::new(1, code.value_count());
    for value in 0..code.value_count() {
        let file = code.value_data(Value(value as u32)).file;
        if files.get(usize::from(file.0)).is_some_and(RegFile::is_logical) {
            lanes.insert(0, value);
        }
    }
    lanes
}

fn merge(out: &mut [u64], into: &[u64], lanes: &[u64], graph: Graph) {
    let flip = if graph == Graph::Linear { u64::MAX } else { 0 };
    for ((out, into), lanes) in out.iter_mut().zip(into).zip(lanes) {
        *out |= into & (lanes ^ flip);
    }
}

/// Per block: values read before they are defined in it, values defined, and values that phis
/// of successors read at its end.
fn locals(code: &Code, files: &[RegFile]) -> (BitRows, BitRows, BitRows) {
    let (blocks, values) = (code.block_count(), code.value_count());
    let (mut upward, mut defined) = (BitRows::new(blocks, values), BitRows::new(blocks, values));
    let mut phi_out = BitRows::new(blocks, values);
    for block in code.blocks() {
        let b = block.0 as usize;
        for &inst in code.insts(block) {
            if code.op(inst) == Op::Phi {
                for (value, pred) in phi_uses(code, files, block, inst) {
                    phi_out.insert(pred.0 as usize, value.0 as usize);
                }
            } else {
                for value in code.uses(inst).iter().filter_map(Operand::value) {
                    if !defined.has(b, value.0 as usize) {
                        upward.insert(b, value.0 as usize);
                    }
                }
            }
            for value in code.defs(inst).iter().filter_map(Operand::value) {
                defined.insert(b, value.0 as usize);
            }
        }
    }
    (upward, defined, phi_out)
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
    /// Values that live into a block, those of its phis not among them.
    pub fn into(&self, block: Block) -> impl Iterator<Item = Value> + '_ {
        self.into.iter(block.0 as usize).map(|v| Value(v as u32))
    }

    /// Values that live out of a block, those that phis of successors read among them.
    pub fn out(&self, block: Block) -> impl Iterator<Item = Value> + '_ {
        self.out.iter(block.0 as usize).map(|v| Value(v as u32))
    }

    /// Whether a value lives into a block.
    pub fn is_into(&self, block: Block, value: Value) -> bool {
        self.into.has(block.0 as usize, value.0 as usize)
    }

    /// Whether a value lives out of a block.
    pub fn is_out(&self, block: Block, value: Value) -> bool {
        self.out.has(block.0 as usize, value.0 as usize)
    }

    /// The set of values that live out of a block, as words of bits.
    pub fn out_words(&self, block: Block) -> &[u64] {
        self.out.row(block.0 as usize)
    }
}
