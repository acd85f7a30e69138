//! The order of a block, where rewrites have had instructions read what stands behind them.

use crate::compile::graph::{Block, Component, Graph, Item};

/// Puts what instructions of a block read in front of them. What is in order stays where it is.
pub(super) fn order(graph: &mut Graph, block: Block) {
    let items = std::mem::take(graph.items_mut(block));
    let mut stands = vec![usize::MAX; graph.nodes.len()];
    for (at, item) in items.iter().enumerate() {
        if let Some(id) = item.node() {
            stands[id as usize] = at;
        }
    }
    let mut order: Vec<usize> = Vec::with_capacity(items.len());
    let mut is_placed = vec![false; items.len()];
    for first in 0..items.len() {
        let mut open = vec![first];
        while let Some(&next) = open.last() {
            let lacks = needs(graph, &items[next]).into_iter().map(|id| stands[id as usize]);
            let is_open = |at: &usize| *at < items.len() && !is_placed[*at] && !open.contains(at);
            let lacks: Vec<usize> = lacks.filter(is_open).collect();
            if is_placed[next] || lacks.is_empty() {
                open.pop();
                if !std::mem::replace(&mut is_placed[next], true) {
                    order.push(next);
                }
            }
            open.extend(lacks);
        }
    }
    let mut items: Vec<Option<Item>> = items.into_iter().map(Some).collect();
    *graph.items_mut(block) = order.into_iter().filter_map(|at| items[at].take()).collect();
}

/// The nodes that an item itself needs.
fn needs(graph: &Graph, item: &Item) -> Vec<u32> {
    let of_parts = |parts: &[Option<Component>; 4]| parts.iter().flatten().filter_map(|c| c.node()).collect();
    match item {
        Item::Output(_, parts) | Item::Assign(_, parts) => of_parts(parts),
        _ => item
            .instruction()
            .into_iter()
            .flat_map(|id| graph.needs(id))
            .filter_map(Component::node)
            .collect(),
    }
}
