//! Rounding that MOVA does.
//!
//! ```text
//! address 0 n3.x                          address 0 n3.x
//! n1.x = flr v0.x
//! n2.x = max n1.x, 0                      n2.x = max v0.x, 0
//! n3.x = min n2.x, 63                     n3.x = min n2.x, 63
//! ```
//!
//! MOVA rounds towards zero \[3dbrew], which is down for what is not negative; and rounding before a limit that is
//! a whole number is rounding behind it. Nothing changes but the words.

use super::dce::dce;
use super::numbers::is_positive;
use crate::compile::graph::{Component, Graph};
use crate::isa::Op;

/// Limits of an index that are looked through.
const DEPTH: usize = 4;

/// Takes roundings away from indices.
pub(super) fn floors(graph: &mut Graph) {
    if graph.addresses.is_empty() {
        return;
    }
    let counts = graph.consumers();
    for address in graph.addresses.clone() {
        if !address.neg && is_positive(graph, address) {
            let _ = unrounded(graph, address, &counts);
        }
    }
    dce(graph);
}

/// Has the last limit of an index read what is rounded there.
fn unrounded(graph: &mut Graph, address: Component, counts: &[u32]) -> Option<()> {
    let mut at = address;
    for _ in 0..DEPTH {
        let id = at.node().filter(|id| counts.get(*id as usize) == Some(&1) && !at.neg)?;
        let node = graph.node(id);
        let part = usize::from(at.part);
        let is_whole = |c: Component| c.value().is_some_and(|value| value.fract() == 0.0);
        let k = (0..2).find(|k| is_whole(node.args[*k][part]))?;
        if !matches!(node.op, Some(Op::Min | Op::Max)) {
            return None;
        }
        let limited = node.args[1 - k][part];
        let below = graph.node(limited.node().filter(|_| !limited.neg)?);
        if below.op == Some(Op::Flr) {
            let of = below.args[0][usize::from(limited.part)];
            graph.node_mut(id).args[1 - k][part] = of;
            return Some(());
        }
        at = limited;
    }
    None
}
