//! Twins: nodes whose values differ in nothing but the sign.
//!
//! What takes no sign is given a product, sum, smaller or larger one of operands with other signs
//! ([`Graph::plain`]), which may stand beside the value itself.

use rustc_hash::FxHashMap;

use super::{Data, Graph, Node, Op};

impl Graph {
    /// For each node the first of some that has its value, with either sign; itself mostly.
    #[must_use]
    pub fn twins(&self, of: &[bool]) -> Vec<Node> {
        let mut first = FxHashMap::with_capacity_and_hasher(of.len(), Default::default());
        let nodes = self.nodes().iter().enumerate();
        let twin = |(i, data): (usize, &Data)| match positive(data) {
            Some(positive) if of[i] => *first.entry(positive).or_insert(Node(i as u32)),
            _ => Node(i as u32),
        };
        nodes.map(twin).collect()
    }
}

/// The operation with one sign of the two.
fn positive(data: &Data) -> Option<Data> {
    let turned = |op: Op| {
        let mut turned = Data { op, ..*data };
        turned.args[..data.args().len()].iter_mut().for_each(|arg| *arg = arg.negated());
        turned
    };
    let is_turned = data.args().first().is_some_and(|arg| arg.neg);
    Some(match data.op {
        Op::Mul(_) => Data { op: Op::Mul(false), ..*data },
        Op::Add if is_turned => turned(Op::Add),
        Op::Min => turned(Op::Max),
        Op::Add | Op::Max => *data,
        _ => return None,
    })
}
