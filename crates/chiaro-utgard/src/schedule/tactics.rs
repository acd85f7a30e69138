//! What differs between the attempts at a block, and which node is tried first.
//!
//! A node with a long road behind it goes first. Where much is alive, a node that ends more
//! values than it demands is preferred, and above a limit the others wait. How strongly, and
//! from which pressure on values go through registers, is spread over the attempts: no single
//! setting is best for both a chain of products and a matrix of them.

use super::Scheduler;
use crate::dag::{Node, Op};

/// The settings of one attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tactics {
    /// Demanded values from which on some go through registers.
    pub(super) room: usize,
    /// Demanded values from which on nodes that demand more than they end have to wait.
    gate: usize,
    /// How much a value more or less weighs against the length of the road.
    thrift: i32,
    /// Whether operands that no port can load any more are demanded of earlier instructions
    /// while there are units for it.
    pub(super) eager: bool,
    /// Whether uniforms that are needed again go to registers as soon as port 2 is in the way.
    pub(super) keep: bool,
    /// Disturbance of the order.
    noise: u32,
    seed: u64,
}

/// Room, gate, thrift, eagerness and keeping of the first attempts, the best on average first; later ones repeat
/// them with noise.
const SETTINGS: [(usize, usize, i32, bool, bool); 12] = [
    (5, 10, 6, true, false),
    (5, 10, 2, true, false),
    (6, 10, 4, true, false),
    (5, 10, 6, true, true),
    (4, 10, 2, true, false),
    (6, 10, 2, true, true),
    (7, 10, 2, true, false),
    (5, 10, 1, true, false),
    (4, 10, 4, true, true),
    (6, 10, 6, false, false),
    (5, 10, 3, false, true),
    (7, 10, 4, true, true),
];

impl Tactics {
    pub(super) fn of_attempt(attempt: u32) -> Tactics {
        let (mut room, mut gate, mut thrift, mut eager, mut keep) =
            SETTINGS[attempt as usize % SETTINGS.len()];
        if attempt == 0 {
            use super::param;
            room = param(0, room as i32) as usize;
            gate = param(1, gate as i32) as usize;
            thrift = param(2, thrift);
            eager = param(3, i32::from(eager)) != 0;
            keep = param(4, i32::from(keep)) != 0;
        }
        let round = attempt / SETTINGS.len() as u32;
        let noise = if round == 0 { 0 } else { 4 << (round % 4) };
        let seed = u64::from(attempt).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Tactics { room, gate, thrift, eager, keep, noise, seed }
    }

    /// A number that disturbs the order a little, the same for the same node.
    #[inline]
    fn disturbance(self, node: Node) -> u32 {
        if self.noise == 0 {
            return 0;
        }
        let mixed = (u64::from(node.0) ^ self.seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 40) as u32 % (self.noise + 1)
    }
}

impl Scheduler<'_> {
    /// The priority of a node: its road, disturbed a little.
    #[inline]
    pub(super) fn order(&self, node: Node) -> u32 {
        self.depths[node.0 as usize] * 8 + self.tactics.disturbance(node)
    }

    /// The nodes that may be placed now, the best first.
    pub(super) fn candidates(&self) -> Vec<Node> {
        let alive = self.alive();
        let pressure = alive.len() as i32;
        let Tactics { gate, thrift, .. } = self.tactics;
        let weight = thrift * (pressure - 2).max(0);
        let mut scored: Vec<(i32, Node)> = Vec::with_capacity(self.ready.len());
        for &node in &self.ready {
            let change = self.change(node, &alive);
            if change > 0 && alive.len() >= gate && self.slots[self.now as usize].is_used() {
                continue;
            }
            scored.push((self.order(node) as i32 - change * weight / 2, node));
        }
        scored.sort_unstable_by_key(|&(score, node)| std::cmp::Reverse((score, node.0)));
        scored.into_iter().map(|(_, node)| node).collect()
    }

    /// Values that are demanded.
    pub(super) fn alive(&self) -> Vec<Node> {
        let mut alive: Vec<Node> = Vec::with_capacity(12);
        for p in &self.pending {
            if !alive.contains(&p.node) {
                alive.push(p.node);
            }
        }
        alive
    }

    /// How many values more are alive once a node is placed, in halves: a product of loads
    /// that can be placed at once counts half.
    fn change(&self, node: Node, alive: &[Node]) -> i32 {
        let mut of = node;
        if let Op::Store(_) = self.dag.get(node).op {
            // The stored value is made with the store where nothing else uses it.
            let stored = self.dag.get(node).args()[0].node;
            if self.nodes[stored.0 as usize].waiting > 1 || matches!(self.dag.get(stored).op, Op::Load(_)) {
                return self.demand(stored, alive);
            }
            of = stored;
        }
        let ended = if alive.contains(&of) { 2 } else { 0 };
        let args = self.dag.get(of).args();
        let demands = args.iter().enumerate().map(|(i, arg)| {
            let again = args[..i].iter().any(|other| other.node == arg.node);
            if again { 0 } else { self.demand(arg.node, alive) }
        });
        demands.sum::<i32>() - ended
    }

    /// What demanding a value costs, in halves.
    fn demand(&self, node: Node, alive: &[Node]) -> i32 {
        let (data, state) = (self.dag.get(node), self.nodes[node.0 as usize]);
        if matches!(data.op, Op::Load(_)) || state.home.is_some() && !state.stored || alive.contains(&node) {
            return 0;
        }
        let is_load = |arg: &crate::dag::Operand| matches!(self.dag.get(arg.node).op, Op::Load(_));
        if state.waiting == 1 && data.args().iter().all(is_load) { 1 } else { 2 }
    }
}
