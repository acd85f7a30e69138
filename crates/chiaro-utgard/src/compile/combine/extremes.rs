//! Minimum and maximum as one opcode where signs are free: both adders run the same, and the smaller
//! of two values is the larger one of their opposites, turned.
//!
//! ```text
//! before  %2 = min %0 %1      %3 = max %0 %4    %5 = mul %2 %3     store v1.x %5
//! after   %2 = max -%0 -%1    %3 = max %0 %4    %5 = nmul %2 %3    store v1.x %5
//! ```

use super::rebuild::Rebuild;
use super::signs::fixed;
use crate::compile::graph::{Graph, Node, Op, Operand};

/// The block with one opcode for those whose users take any sign, or `None` if there is one already.
#[must_use]
pub fn extremes(graph: &Graph) -> Option<Graph> {
    let needed = graph.needed(None);
    let fixed = fixed(graph, &needed);
    let is_bound = |i: usize| fixed[i] || graph.is_exact(Node(i as u32));
    let of = |op: Op| -> Vec<usize> {
        (0..needed.len()).filter(|&i| needed[i] && graph.nodes()[i].op == op).collect()
    };
    let counts = |op: Op| (of(op).iter().filter(|&&i| is_bound(i)).count(), of(op).len());
    let (smaller, larger) = (counts(Op::Min), counts(Op::Max));
    // That which has to stay is what the others become.
    let (from, to) = if smaller > larger { (Op::Max, Op::Min) } else { (Op::Min, Op::Max) };
    let turned: Vec<usize> = of(from).into_iter().filter(|&i| !is_bound(i)).collect();
    if turned.is_empty() || smaller.1 == 0 || larger.1 == 0 {
        return None;
    }
    let mut rebuild = Rebuild::new(graph);
    for (i, data) in graph.nodes().iter().enumerate() {
        if turned.binary_search(&i).is_err() {
            rebuild.copy();
            continue;
        }
        rebuild.new.follow(graph, Node(i as u32));
        let args: Vec<Operand> = data.args().iter().map(|&arg| rebuild.operand(arg).negated()).collect();
        let made = rebuild.new.make(to, &args);
        rebuild.made.push(made.negated());
    }
    Some(rebuild.new)
}
