//! Twins: nodes whose values differ in nothing but the sign.
//!
//! What takes no sign is given a product, sum, smaller or larger one of operands with other signs
//! ([`Graph::plain`]), which may stand beside the value itself.

use rustc_hash::FxHashMap;

use super::{Data, Graph, Node, Op, Operand};

impl Graph {
    /// For each node the first of some that has its value, with either sign; itself mostly.
    #[must_use]
    pub fn twins(&self, of: &[bool]) -> Vec<Node> {
        let mut first = FxHashMap::default();
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
        let all: Vec<Operand> = data.args().iter().map(|arg| arg.negated()).collect();
        Data::new(op, &all)
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
