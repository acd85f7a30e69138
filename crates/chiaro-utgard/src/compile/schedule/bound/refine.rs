//! Windows made narrower by what the operations on the way take of the machine.
//!
//! Whatever a node depends on is a block of its own that ends before the node: the bound of that
//! block is as many instructions before it. Whatever depends on a node is one that begins behind
//! it. With every window that gets narrower those of what follows do, too [M. Langevin, E. Cerny,
//! A recursive technique for computing lower-bound performance of schedules, 1996].

use super::super::around::Around;
use super::{LIMITS, Part, Ports, Window, Windows, head_tail, operation};
use crate::compile::graph::{Graph, Node, Op};

/// Nodes of the largest block that this is done for: it takes time with their square.
const MOST_NODES: usize = 1024;

/// Makes windows narrower: from the block's start what is before each node, from its end what is
/// behind it.
pub(in super::super) fn refine(graph: &Graph, windows: &mut Windows, around: &Around) {
    let count = graph.nodes().len();
    if count > MOST_NODES {
        return;
    }
    for i in (0..count).filter(|&i| is_free(graph, i)) {
        windows.ready[i] = before(graph, windows, i);
    }
    let is_alone = has_no_twin(&windows.twins);
    for i in (0..count).rev().filter(|&i| is_free(graph, i)) {
        if windows.needed[i] && is_alone[i] {
            windows.tails[i] = behind(graph, windows, i, around);
        }
    }
}

/// Whether a node is no load, which stands with its users.
fn is_free(graph: &Graph, node: usize) -> bool {
    !matches!(graph.get(Node(node as u32)).op, Op::Load(_))
}

/// Nodes whose value no other has with the other sign. Where one has, either may serve some of the
/// users, so that not all of them stand behind one of the two.
fn has_no_twin(twins: &[Node]) -> Vec<bool> {
    let mut is_alone = vec![true; twins.len()];
    for (i, twin) in twins.iter().enumerate().filter(|(i, twin)| twin.0 as usize != *i) {
        (is_alone[i], is_alone[twin.0 as usize]) = (false, false);
    }
    is_alone
}

/// Instructions before a node's first step: the bound of what it depends on.
fn before(graph: &Graph, windows: &Windows, node: usize) -> u32 {
    // From the last step of each node to the first one of this node.
    let mut far = vec![0u32; node];
    let reach = |far: &mut [u32], user: usize, from: u32| {
        for arg in graph.get(Node(user as u32)).args() {
            let made = windows.twins[arg.node.0 as usize].0 as usize;
            far[made] = far[made].max(from + graph.get(arg.node).op.window().0);
        }
    };
    reach(&mut far, node, 0);
    let (mut parts, mut ports, mut best) = (Vec::new(), Ports::default(), windows.ready[node]);
    for i in (0..node).rev().filter(|&i| is_free(graph, i)) {
        let distance = far[i];
        if distance == 0 {
            continue;
        }
        let data = graph.get(Node(i as u32));
        let first = data.op.span() + distance;
        reach(&mut far, i, first);
        best = best.max(windows.ready[i] + first);
        operation(data.op, (windows.ready[i], distance - 1), &mut parts);
        ports.loads(graph, data, Window { head: 0, tail: first - 1 });
    }
    ports.into_parts(&mut parts);
    most(&parts, best)
}

/// Instructions behind a node's last step: the bound of what depends on it.
fn behind(graph: &Graph, windows: &Windows, node: usize, around: &Around) -> u32 {
    // From the last step of this node to the first one of each node.
    let mut far = vec![0u32; graph.nodes().len()];
    let (mut parts, mut ports, mut best) = (Vec::new(), Ports::default(), windows.tails[node]);
    for (i, data) in graph.nodes().iter().enumerate().skip(node + 1).filter(|&(i, _)| windows.needed[i]) {
        let made = |arg: Node| match arg.0 as usize == node {
            true => Some(graph.get(arg).op.window().0),
            false if far[arg.0 as usize] > 0 => {
                let op = graph.get(arg).op;
                Some(far[arg.0 as usize] + op.span() + op.window().0)
            }
            false => None,
        };
        let Some(distance) = data.args().iter().filter_map(|arg| made(arg.node)).max() else { continue };
        if let Op::Store(place) = data.op {
            // What is not late is stored where it is made: one instruction sooner than it is read.
            let is_late = graph.get(data.args()[0].node).op.is_late();
            let head = distance - u32::from(!is_late);
            if head > 0 {
                ports.store(place, Window { head: head - 1, tail: around.margin(place) });
            }
            continue;
        }
        far[i] = distance;
        best = best.max(distance + data.op.span() + windows.tails[i]);
        if windows.twins[i].0 as usize == i {
            operation(data.op, (distance - 1, windows.tails[i]), &mut parts);
        }
    }
    ports.into_parts(&mut parts);
    most(&parts, best)
}

/// The largest bound of all, if it is more than is known.
fn most(parts: &[Part], known: u32) -> u32 {
    LIMITS.iter().fold(known, |best, &limit| head_tail(parts, limit, best))
}
