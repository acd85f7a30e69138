//! Sinking: what only one arm of a branch reads is computed there.
//!
//! It saves time on the other path, and words: a value that an arm only hands on is computed
//! right where it goes.

use crate::compile::graph::{Block, Component, Cond, Graph, Id, Item};

/// Moves nodes into the arms of branches.
pub(crate) fn sink(graph: &mut Graph) {
    if !graph.blocks.iter().flatten().any(|item| matches!(item, Item::If(..))) {
        return;
    }
    let inner = owners(graph);
    let mut readers = readers(graph);
    // Arms come behind the block that they belong to, so what sinks into one is seen again.
    for block in 0..graph.blocks.len() as Block {
        let items = std::mem::take(graph.items_mut(block));
        let mut kept = Vec::with_capacity(items.len());
        for item in items.into_iter().rev() {
            let arm = match &item {
                Item::Node(id) if may_move(graph, *id) => only(&readers[*id as usize]),
                _ => None,
            };
            let (Some(arm), Item::Node(id)) = (arm, &item) else {
                kept.push(item);
                continue;
            };
            if inner[arm as usize] != Some(block) {
                kept.push(item);
                continue;
            }
            for input in graph.node(*id).uses().filter_map(Component::node) {
                if let Some(reader) = readers[input as usize].iter_mut().find(|b| **b == block) {
                    *reader = arm;
                }
            }
            graph.items_mut(arm).insert(0, item);
        }
        kept.reverse();
        *graph.items_mut(block) = kept;
    }
}

/// For each arm of an `if`, the block that the `if` stands in.
fn owners(graph: &Graph) -> Vec<Option<Block>> {
    let mut owners = vec![None; graph.blocks.len()];
    for (block, items) in graph.blocks.iter().enumerate() {
        for item in items {
            if let Item::If(_, then, other) = item {
                owners[*then as usize] = Some(block as Block);
                owners[*other as usize] = Some(block as Block);
            }
        }
    }
    owners
}

/// The blocks of all readers of each node; an address is read from a block that is none.
fn readers(graph: &Graph) -> Vec<Vec<Block>> {
    let mut readers = vec![Vec::new(); graph.nodes.len()];
    for (block, items) in graph.blocks.iter().enumerate() {
        let mut note = |id: Id| readers[id as usize].push(block as Block);
        for item in items {
            match item {
                Item::Node(id) => graph.node(*id).uses().filter_map(Component::node).for_each(&mut note),
                Item::Output(_, parts) | Item::Assign(_, parts) => {
                    parts.iter().flatten().filter_map(|l| l.node()).for_each(&mut note);
                }
                Item::If(Cond::Flags(id, _), ..) | Item::Break(Cond::Flags(id, _)) => {
                    graph.node(*id).uses().filter_map(Component::node).for_each(&mut note);
                }
                _ => {}
            }
        }
    }
    for id in graph.addresses.iter().filter_map(|l| l.node()) {
        readers[id as usize].push(Block::MAX);
    }
    readers
}

/// The block that all readers are in.
fn only(readers: &[Block]) -> Option<Block> {
    let first = *readers.first()?;
    (first != Block::MAX && readers.iter().all(|b| *b == first)).then_some(first)
}

/// Variables change, so what reads one stays where it is.
fn may_move(graph: &Graph, id: Id) -> bool {
    graph.node(id).uses().all(|l| l.node().is_none_or(|id| graph.node(id).op.is_some()))
}
