//! Variables that only hand on what branches give them: the branches set the other variable themselves.
//!
//! ```text
//! if ... { n5 = n6 } else { n5 = n4 }         if ... { n4 = n6 } else {}
//! n4 = n5                              ->
//! ```
//!
//! Nothing in between may ask what the other variable held before, nor anything behind the branches' own
//! settings of it. A loop of which one way changes nothing has no move then.

use crate::compile::graph::{Base, Block, Component, Graph, Id, Item};

/// Lets branches set what their results are handed on to.
pub(super) fn variables(graph: &mut Graph) {
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for block in 0..graph.blocks.len() as Block {
            let mut at = 0;
            while at < graph.items(block).len() {
                let found = handed_on(graph, block, at).is_some();
                changed |= found;
                at += usize::from(!found);
            }
        }
    }
}

/// A variable's components, for those that another one takes.
pub(super) type Parts = [Option<Component>; 4];

/// Does away with an item if it hands on.
fn handed_on(graph: &mut Graph, block: Block, at: usize) -> Option<()> {
    let &Item::Assign(to, parts) = &graph.items(block)[at] else { return None };
    let from = source(graph, &parts).filter(|from| *from != to)?;
    let items = graph.items(block);
    let branch = items[..at].iter().rposition(|item| sets(graph, item, from))?;
    let &Item::If(_, then, otherwise) = &items[branch] else { return None };
    let is_free = |id: Id| graph.addresses.iter().all(|address| address.node() != Some(id));
    let is_quiet = items[branch + 1..at].iter().all(|item| !mentions(graph, item, to));
    let is_last = |arm: Block| {
        let last = graph.items(arm).last();
        matches!(last, Some(Item::Assign(id, given)) if *id == from && is_alike(given, &parts))
    };
    let all = graph.blocks.iter().flatten();
    let settings = all.filter(|item| matches!(item, Item::Assign(id, _) if *id == from)).count();
    let is_ours = is_last(then) && is_last(otherwise) && settings == 2;
    let is_ours = is_ours && graph.consumers()[from as usize] == 1;
    if !(is_quiet && is_ours && is_free(from) && is_free(to)) {
        return None;
    }
    for arm in [then, otherwise] {
        let Some(Item::Assign(_, given)) = graph.items_mut(arm).pop() else { continue };
        let own = |k: usize| Component::new(Base::Node(to), k as u8);
        let rest: Parts = std::array::from_fn(|k| given[k].filter(|part| *part != own(k)));
        if rest.iter().any(Option::is_some) {
            graph.items_mut(arm).push(Item::Assign(to, rest));
        }
    }
    graph.items_mut(block).remove(at);
    Some(())
}

/// The variable whose components stand where they stood.
fn source(graph: &Graph, parts: &Parts) -> Option<Id> {
    let from = parts.iter().flatten().next()?.node()?;
    let own = |k: usize| Component::new(Base::Node(from), k as u8);
    let is_own = (0..4).all(|k| parts[k].is_none_or(|part| part == own(k)));
    (is_own && graph.node(from).op.is_none()).then_some(from)
}

/// Whether two settings are of the same components.
fn is_alike(a: &Parts, b: &Parts) -> bool {
    (0..4).all(|k| a[k].is_some() == b[k].is_some())
}

/// Whether an item, or one within it, sets a variable.
fn sets(graph: &Graph, item: &Item, id: Id) -> bool {
    within(graph, item).iter().any(|item| matches!(item, Item::Assign(other, _) if *other == id))
}

/// Whether an item, or one within it, reads or sets a variable.
pub(super) fn mentions(graph: &Graph, item: &Item, id: Id) -> bool {
    let is_own = |c: &Component| c.node() == Some(id);
    within(graph, item).iter().any(|item| match item {
        Item::Assign(other, parts) => *other == id || parts.iter().flatten().any(is_own),
        Item::Output(_, parts) => parts.iter().flatten().any(is_own),
        _ => item.instruction().is_some_and(|node| graph.node(node).uses().any(|c| is_own(&c))),
    })
}

/// An item and those within it.
fn within<'g>(graph: &'g Graph, item: &'g Item) -> Vec<&'g Item> {
    let (mut found, mut at) = (vec![item], 0);
    while at < found.len() {
        match found[at] {
            Item::If(_, a, b) => [a, b].iter().for_each(|&&block| found.extend(graph.items(block))),
            Item::Loop(_, body) => found.extend(graph.items(*body)),
            _ => {}
        }
        at += 1;
    }
    found
}
