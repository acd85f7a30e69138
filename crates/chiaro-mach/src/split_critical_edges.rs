//! Splits critical edges, before allocation and before scheduling.
//!
//! Before: any code. After: no edge leads from a block with several successors to one with several
//! predecessors, in either graph, so that copies on every edge have a block of their own.
//!
//! ```text
//! b0: to b1 b2                  b0: to b1 b2
//!     branch v0, b1, b2             branch v0, b1, b2
//! b1: from b0, to b2            b1: from b0, to b3
//! b2: from b0 b1                b2: from b0, to b3
//!     phi v1, v2                b3: from b2 b1
//!                                   phi v1, v2
//! ```
//!
//! A new block has no instructions: execution goes on with its only successor, as behind any block
//! without an exit, and whoever makes words puts a jump where that is not the next one. It stands
//! in front of its successor, or behind its predecessor if the edge leads back.
//!
//! An edge of lanes that the program counter does not take has no such place. Only the target
//! can make one, since other lanes have to stop for it; [`verify`](crate::verify()) refuses the code.

use crate::code::{Block, Code, Graph};

/// Splits every critical edge. Whether there was one.
pub fn split_critical_edges(code: &mut Code) -> bool {
    let old = code.block_count();
    let (mut before, mut behind) = (vec![Vec::new(); old], vec![Vec::new(); old]);
    for from in (0..old as u32).map(Block) {
        for number in 0..code.block_data(from).linear.succs.len() {
            let to = code.block_data(from).linear.succs[number];
            if !is_critical(code, from, to) {
                continue;
            }
            let made = split(code, from, to);
            let list = if to > from { &mut before[to.0 as usize] } else { &mut behind[from.0 as usize] };
            list.push(made);
        }
    }
    if code.block_count() == old {
        return false;
    }
    let around = (0..old).zip(before.iter().zip(&behind));
    let order: Vec<Block> = around
        .flat_map(|(b, (before, behind))| {
            before.iter().copied().chain([Block(b as u32)]).chain(behind.clone())
        })
        .collect();
    code.reorder(&order);
    true
}

/// Whether an edge that the program counter takes is critical in any graph that has it.
fn is_critical(code: &Code, from: Block, to: Block) -> bool {
    [Graph::Logical, Graph::Linear].into_iter().any(|graph| is_critical_in(code, graph, from, to))
}

/// Whether an edge exists in a graph and is critical there.
pub(crate) fn is_critical_in(code: &Code, graph: Graph, from: Block, to: Block) -> bool {
    let succs = &code.block_data(from).edges(graph).succs;
    succs.contains(&to) && succs.len() > 1 && code.block_data(to).edges(graph).preds.len() > 1
}

/// Puts a block into one edge, in every graph that has it.
fn split(code: &mut Code, from: Block, to: Block) -> Block {
    let depth = code.block_data(from).depth.min(code.block_data(to).depth);
    let construct = code.block_data(to).construct;
    let made = code.block(depth);
    code.block_mut(made).construct = construct;
    for graph in [Graph::Logical, Graph::Linear] {
        let replaces = |list: &mut Vec<Block>, old: Block| {
            let place = list.iter_mut().find(|block| **block == old);
            place.map(|place| *place = made).is_some()
        };
        if replaces(&mut code.edges_mut(from, graph).succs, to) {
            replaces(&mut code.edges_mut(to, graph).preds, from);
            code.edges_mut(made, graph).preds.push(from);
            code.edges_mut(made, graph).succs.push(to);
        }
    }
    relabel(code, from, to, made);
    made
}

/// The first branch of a block that leads to the old place now leads to the new one.
fn relabel(code: &mut Code, block: Block, old: Block, new: Block) {
    for pos in 0..code.insts(block).len() {
        let inst = code.insts(block)[pos];
        if let Some(label) = code.uses_mut(inst).iter_mut().find(|used| used.target() == Some(old)) {
            label.what = crate::What::Label(new);
            return;
        }
    }
}
