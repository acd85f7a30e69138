//! What leaves a loop is set before the test that leaves it, if what goes on sets it again before it reads it.
//!
//! ```text
//! if (n4 ...) { n0 <- {n3.x . . .} } else {}          n0 <- {n3.x . . .}
//! break (n5 ...)                                 ->   break (n5 ...)
//! n0 <- {n3.x n6.x . .}                               n0 <- {. n6.x . .}
//! ```
//!
//! So is what only the next round reads:
//!
//! ```text
//! break (n5 ...)                                      n0 <- n3
//! n0 <- n3                                       ->   break (n5 ...)
//! ```

use crate::compile::combine::variables::{Parts, mentions};
use crate::compile::graph::{Base, Block, Component, Graph, Id, Item};

/// Moves settings of variables in front of tests that leave loops.
pub(in crate::compile) fn breaks(graph: &mut Graph) {
    let bodies = graph.blocks.iter().flatten().filter_map(|item| match item {
        Item::Loop(_, body) => Some(*body),
        _ => None,
    });
    for body in bodies.collect::<Vec<_>>() {
        set_on_both_ways(graph, body);
        set_for_next_round(graph, body);
    }
}

/// Settings that stand in an `if` in front of the same test go without it.
fn set_on_both_ways(graph: &mut Graph, body: Block) {
    let mut at = 0;
    while at + 1 < graph.items(body).len() {
        if let Some(arm) = bare_arm(graph, body, at) {
            let settings = std::mem::take(graph.items_mut(arm));
            for item in &settings {
                if let Item::Assign(variable, parts) = item {
                    drop_again(graph, body, at + 2, *variable, parts);
                }
            }
            graph.items_mut(body).splice(at..=at, settings);
        }
        at += 1;
    }
}

/// The arm of an `if` that only sets variables in front of a test, each of which is set again behind that.
fn bare_arm(graph: &Graph, body: Block, at: usize) -> Option<Block> {
    let items = graph.items(body);
    let (Item::If(_, then, otherwise), Item::Break(_)) = (&items[at], &items[at + 1]) else { return None };
    let is_free = |item: &Item| match item {
        Item::Assign(variable, parts) => {
            let is_own = |k: usize| parts[k].is_none() || is_set_again(graph, &items[at + 1..], *variable, k);
            is_untold(graph, *variable) && (0..4).all(is_own)
        }
        _ => false,
    };
    (graph.items(*otherwise).is_empty() && graph.items(*then).iter().all(is_free)).then_some(*then)
}

/// Whether no index is loaded from a variable.
fn is_untold(graph: &Graph, variable: Id) -> bool {
    graph.addresses.iter().all(|address| address.node() != Some(variable))
}

/// Whether a component of a variable is set by one of the items, the first of which is a test that leaves, before
/// another one of them asks for it or leaves, too.
fn is_set_again(graph: &Graph, items: &[Item], variable: Id, part: usize) -> bool {
    let own = Component::new(Base::Node(variable), part as u8);
    for (n, item) in items.iter().enumerate() {
        let is_read = match item {
            Item::Break(_) if n > 0 => return false,
            Item::Assign(_, parts) => parts.iter().flatten().any(|c| c.plain() == own),
            Item::Node(_) | Item::Break(_) => {
                item.instruction().is_some_and(|id| graph.node(id).uses().any(|c| c.plain() == own))
            }
            _ => mentions(graph, item, variable),
        };
        match item {
            _ if is_read => return false,
            Item::Assign(id, parts) if *id == variable && parts[part].is_some() => return true,
            _ => {}
        }
    }
    false
}

/// A setting of the same again is none.
fn drop_again(graph: &mut Graph, body: Block, from: usize, variable: Id, parts: &Parts) {
    for k in 0..4 {
        let is_fixed = parts[k].and_then(Component::node).is_none_or(|id| graph.node(id).op.is_some());
        let items = &mut graph.items_mut(body)[from..];
        let next = items.iter_mut().find_map(|item| match item {
            Item::Assign(id, given) if *id == variable && given[k].is_some() => Some(given),
            _ => None,
        });
        if let Some(given) = next.filter(|given| is_fixed && given[k] == parts[k]) {
            given[k] = None;
        }
    }
    let is_empty = |item: &Item| matches!(item, Item::Assign(_, given) if given.iter().all(Option::is_none));
    graph.items_mut(body).retain(|item| !is_empty(item));
}

/// Settings at the end of a body, behind the test that leaves it, of what nobody asks for outside.
fn set_for_next_round(graph: &mut Graph, body: Block) {
    let items = graph.items(body);
    let Some(test) = items.iter().rposition(|item| !matches!(item, Item::Assign(..))) else { return };
    let inside = within(graph, body);
    let is_inner = |variable: Id| {
        let outside = (0..graph.blocks.len() as Block).filter(|block| !inside.contains(block));
        let mut items = outside.flat_map(|block| graph.items(block));
        is_untold(graph, variable) && items.all(|item| !reads(graph, item, variable))
    };
    let is_free = |item: &Item| match item {
        Item::Assign(variable, _) => is_inner(*variable) && !reads(graph, &items[test], *variable),
        _ => false,
    };
    if matches!(items[test], Item::Break(_)) && items[test + 1..].iter().all(is_free) {
        graph.items_mut(body)[test..].rotate_left(1);
    }
}

/// A block and those within it.
fn within(graph: &Graph, block: Block) -> Vec<Block> {
    let (mut found, mut at) = (vec![block], 0);
    while at < found.len() {
        for item in graph.items(found[at]) {
            match item {
                Item::If(_, then, otherwise) => found.extend([*then, *otherwise]),
                Item::Loop(_, body) => found.push(*body),
                _ => {}
            }
        }
        at += 1;
    }
    found
}

/// Whether an item itself reads a variable.
fn reads(graph: &Graph, item: &Item, variable: Id) -> bool {
    let is_own = |c: &Component| c.node() == Some(variable);
    match item {
        Item::Assign(_, parts) | Item::Output(_, parts) => parts.iter().flatten().any(is_own),
        _ => item.instruction().is_some_and(|id| graph.node(id).uses().any(|c| is_own(&c))),
    }
}
