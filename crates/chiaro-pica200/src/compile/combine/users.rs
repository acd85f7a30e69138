//! Who reads a node.

use crate::compile::graph::{Base, Component, Graph, Id, Item};

/// The instructions that read a node, if nothing else does, each by all components of one operand.
pub(super) fn users(graph: &Graph, id: Id) -> Option<Vec<Id>> {
    let is_own = |c: &Component| c.base == Base::Node(id);
    let elsewhere = graph.blocks.iter().flatten().any(|item| match item {
        Item::Output(_, parts) | Item::Assign(_, parts) => parts.iter().flatten().any(is_own),
        Item::If(..) | Item::Break(_) => {
            item.instruction().is_some_and(|id| graph.node(id).uses().any(|c| is_own(&c)))
        }
        _ => false,
    });
    if elsewhere || graph.addresses.iter().any(is_own) {
        return None;
    }
    let placed = graph.blocks.iter().flatten().filter_map(Item::node);
    let mut users = Vec::new();
    for user in placed.filter(|user| graph.node(*user).uses().any(|c| is_own(&c))) {
        let node = graph.node(user);
        let n = usize::from(node.width);
        let own = node.args.iter().filter(|arg| arg[..n].iter().any(is_own));
        if !node.is_each() || own.clone().count() != 1 || !own.clone().all(|arg| arg[..n].iter().all(is_own))
        {
            return None;
        }
        users.push(user);
    }
    Some(users)
}

/// The one instruction that reads a node.
pub(super) fn only_user(graph: &Graph, id: Id) -> Option<Id> {
    match users(graph, id)?[..] {
        [user] => Some(user),
        _ => None,
    }
}

/// Whether a node needs another one, through instructions or variables.
pub(super) fn needs(graph: &Graph, id: Id, other: Id) -> bool {
    let mut seen = vec![false; graph.nodes.len()];
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        if id == other || graph.node(id).op.is_none() {
            return true;
        }
        if !std::mem::replace(&mut seen[id as usize], true) {
            open.extend(graph.needs(id).filter_map(Component::node));
        }
    }
    false
}
