//! Dead code elimination: nodes, variables and components that nothing reads go.

use crate::compile::graph::{Base, Component, Components, Cond, Graph, Id, Item};

/// Takes away nodes, variables and components that nothing reads.
pub(crate) fn dce(graph: &mut Graph) {
    let live = live(graph);
    let moved: Vec<Option<[u8; 4]>> =
        live.iter().enumerate().map(|(id, live)| narrow(graph, id, *live)).collect();
    let mut blocks = std::mem::take(&mut graph.blocks);
    for items in &mut blocks {
        items.retain_mut(|item| match item {
            Item::Node(id) => live[*id as usize] != 0,
            Item::Assign(id, parts) => {
                let live = live[*id as usize];
                // A variable keeps its components where they are.
                for (i, part) in parts.iter_mut().enumerate() {
                    if live >> i & 1 == 0 {
                        *part = None;
                    }
                }
                parts.iter().any(Option::is_some)
            }
            _ => true,
        });
    }
    graph.blocks = blocks;
    if moved.iter().any(Option::is_some) {
        graph.each_component(|component| {
            if let Base::Node(id) = component.base
                && let Some(places) = moved[id as usize]
            {
                component.part = places[usize::from(component.part)];
            }
        });
    }
}

/// Which components of each node are read by something that counts; a bit each.
fn live(graph: &Graph) -> Vec<u8> {
    let mut live = vec![0u8; graph.nodes.len()];
    let mut assigned: Vec<Vec<Components>> = Vec::new();
    let mut open: Vec<(Id, u8)> = Vec::new();
    let want = |component: Component, open: &mut Vec<(Id, u8)>| {
        if let Base::Node(id) = component.base {
            open.push((id, component.part));
        }
    };
    for item in graph.blocks.iter().flatten() {
        match item {
            Item::Output(_, parts) => parts.iter().flatten().for_each(|l| want(*l, &mut open)),
            Item::If(Cond::Flags(id, _), ..) | Item::Break(Cond::Flags(id, _)) => {
                live[*id as usize] = 0b11;
                graph.node(*id).uses().for_each(|l| want(l, &mut open));
            }
            Item::Assign(id, parts) => {
                assigned.resize(graph.nodes.len(), Vec::new());
                assigned[*id as usize].push(parts.map(|p| p.unwrap_or(Component::UNDEF)));
            }
            _ => {}
        }
    }
    graph.addresses.iter().for_each(|l| want(*l, &mut open));
    while let Some((id, part)) = open.pop() {
        let at = id as usize;
        let first = live[at] == 0;
        if live[at] >> part & 1 == 1 {
            continue;
        }
        live[at] |= 1 << part;
        let node = graph.node(id);
        if node.op.is_none() {
            for components in assigned.get(at).into_iter().flatten() {
                want(components[usize::from(part)], &mut open);
            }
        } else if node.is_each() {
            (0..3)
                .filter(|k| node.reads(*k) > 0)
                .for_each(|k| want(node.args[k][usize::from(part)], &mut open));
        } else if first {
            node.uses().for_each(|l| want(l, &mut open));
        }
    }
    live
}

/// Moves the components that are read together; where each old component is then.
fn narrow(graph: &mut Graph, id: usize, live: u8) -> Option<[u8; 4]> {
    let node = &mut graph.nodes[id];
    let all = (1u8 << node.width) - 1;
    if node.op.is_none() || !node.is_each() || live & all == all || live == 0 {
        return None;
    }
    let mut places = [0; 4];
    let mut next = 0;
    for from in (0..usize::from(node.width)).filter(|i| live >> i & 1 == 1) {
        for arg in &mut node.args {
            arg[next] = arg[from];
        }
        places[from] = next as u8;
        next += 1;
    }
    node.width = next as u8;
    Some(places)
}
