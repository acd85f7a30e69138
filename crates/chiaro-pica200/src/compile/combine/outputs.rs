//! Every output component is written exactly once on every path, or the GPU hangs (spec
//! section 13). \[3dbrew]
//!
//! Outputs for which that is so already stay; the others are computed in a variable and copied
//! at the end. A variable that only hands a branch's values on to an output goes the other way:
//! the branch writes the output itself.

use crate::abi::Abi;
use crate::compile::graph::{Base, Block, Component, Graph, Id, Item};

/// Least and most writes of each component of each output.
#[derive(Clone, Copy, Default)]
struct Writes([[(u8, u8); 4]; 16]);

/// Makes every output component be written exactly once. The components that are written, a
/// mask for each register with x in bit 0. Registers of which nothing is written are given up.
pub(crate) fn outputs(graph: &mut Graph, abi: &mut Abi) -> [u8; 16] {
    close_gaps(graph, abi);
    let writes = count(graph, 0, 0);
    let mut masks = [0u8; 16];
    for (register, components) in writes.0.iter().enumerate() {
        for (i, (_, most)) in components.iter().enumerate() {
            masks[register] |= u8::from(*most > 0) << i;
        }
        if components.iter().any(|(least, most)| *most > 0 && (*least, *most) != (1, 1)) {
            shadow(graph, register as u8, masks[register]);
        }
    }
    branches(graph);
    masks
}

/// The components that are written, where each EMIT has its writes right before it.
pub(crate) fn written(graph: &Graph) -> [u8; 16] {
    let mut masks = [0u8; 16];
    for item in graph.blocks.iter().flatten() {
        if let Item::Output(register, parts) = item {
            let parts = parts.iter().enumerate().filter(|(_, part)| part.is_some());
            masks[usize::from(register & 15)] |= parts.fold(0, |mask, (i, _)| mask | 1 << i);
        }
    }
    masks
}

/// Moves outputs to where nothing is written: the loader takes used registers to be without
/// gaps. [libctru]
fn close_gaps(graph: &mut Graph, abi: &mut Abi) {
    let used = |register: usize| {
        let writes = |item: &Item| matches!(item, Item::Output(r, _) if usize::from(*r) == register);
        graph.blocks.iter().flatten().any(writes)
    };
    let used: Vec<bool> = (0..abi.outputs.len()).map(used).collect();
    if used.iter().all(|used| *used) {
        return;
    }
    let before = |register: u8| used[..usize::from(register)].iter().filter(|used| **used).count() as u8;
    for item in graph.blocks.iter_mut().flatten() {
        if let Item::Output(register, _) = item {
            *register = before(*register);
        }
    }
    let mut keep = used.iter();
    abi.outputs.retain(|_| keep.next().copied().unwrap_or(true));
}

/// Counts writes; what a loop writes counts as written often.
fn count(graph: &Graph, block: Block, depth: u32) -> Writes {
    let mut writes = Writes::default();
    if depth > 128 {
        return writes;
    }
    for item in graph.items(block) {
        match item {
            Item::Output(register, parts) => {
                for (i, _) in parts.iter().enumerate().filter(|(_, p)| p.is_some()) {
                    let (least, most) = &mut writes.0[usize::from(*register & 15)][i];
                    (*least, *most) = (least.saturating_add(1), most.saturating_add(1));
                }
            }
            Item::If(_, then, other) => {
                let (a, b) = (count(graph, *then, depth + 1), count(graph, *other, depth + 1));
                writes.add(|r, i| {
                    let ((l, m), (n, o)) = (a.0[r][i], b.0[r][i]);
                    (l.min(n), m.max(o))
                });
            }
            Item::Loop(_, body) => {
                let inside = count(graph, *body, depth + 1);
                writes.add(|r, i| (0, inside.0[r][i].1.saturating_mul(2)));
            }
            _ => {}
        }
    }
    writes
}

impl Writes {
    fn add(&mut self, more: impl Fn(usize, usize) -> (u8, u8)) {
        for (r, components) in self.0.iter_mut().enumerate() {
            for (i, (least, most)) in components.iter_mut().enumerate() {
                let (l, m) = more(r, i);
                (*least, *most) = (least.saturating_add(l), most.saturating_add(m));
            }
        }
    }
}

/// Computes an output in a variable.
fn shadow(graph: &mut Graph, register: u8, mask: u8) {
    let variable = graph.variable(4);
    for item in graph.blocks.iter_mut().flatten() {
        if let Item::Output(r, parts) = item
            && *r == register
        {
            *item = Item::Assign(variable, *parts);
        }
    }
    let part = |i: usize| (mask >> i & 1 == 1).then(|| Component::new(Base::Node(variable), i as u8));
    graph.items_mut(0).push(Item::Output(register, std::array::from_fn(part)));
}

/// `if { v = a } else { v = b }; output = v` writes the output in the branches.
fn branches(graph: &mut Graph) {
    for block in 0..graph.blocks.len() as Block {
        let mut at = graph.items(block).len();
        while at > 0 {
            at -= 1;
            if let Item::Output(register, parts) = graph.items(block)[at].clone()
                && let Some((variable, arms)) = handed_on(graph, block, at, &parts)
            {
                for arm in arms {
                    hand_on(graph, arm, variable, register, &parts);
                }
                graph.items_mut(block).remove(at);
            }
        }
    }
}

/// The variable that all parts of an output come from, if nothing else reads it and both arms of
/// one `if` of the block set all of it.
fn handed_on(
    graph: &Graph,
    block: Block,
    at: usize,
    parts: &[Option<Component>; 4],
) -> Option<(Id, [Block; 2])> {
    let variable = parts.iter().flatten().next()?.node()?;
    let own = |l: &Component| l.node() == Some(variable) && !l.neg;
    if graph.node(variable).op.is_some() || !parts.iter().flatten().all(own) {
        return None;
    }
    if graph.consumers()[variable as usize] != 1 {
        return None;
    }
    let wanted = parts.iter().flatten().fold(0u8, |mask, l| mask | 1 << l.part);
    let sets = |arm: Block| {
        let once = |mask: Option<u8>, item: &Item| match item {
            Item::Assign(id, parts) if *id == variable => {
                let new = (0..4).filter(|i| parts[*i].is_some()).fold(0u8, |m, i| m | 1 << i);
                mask.filter(|m| m & new == 0).map(|m| m | new)
            }
            _ => mask,
        };
        graph.items(arm).iter().fold(Some(0), once).is_some_and(|mask| mask & wanted == wanted)
    };
    let arms = graph.items(block)[..at].iter().rev().find_map(|item| match item {
        Item::If(_, then, other) if sets(*then) && sets(*other) => Some([*then, *other]),
        _ => None,
    })?;
    let elsewhere = |b: Block| {
        !arms.contains(&b)
            && graph.items(b).iter().any(|i| matches!(i, Item::Assign(id, _) if *id == variable))
    };
    (!(0..graph.blocks.len() as Block).any(elsewhere)).then_some((variable, arms))
}

fn hand_on(graph: &mut Graph, arm: Block, variable: Id, register: u8, parts: &[Option<Component>; 4]) {
    for item in graph.items_mut(arm) {
        if let Item::Assign(id, from) = item
            && *id == variable
        {
            let part = |p: &Option<Component>| p.and_then(|l| from[usize::from(l.part)]);
            *item = Item::Output(register, std::array::from_fn(|i| part(&parts[i])));
        }
    }
}
