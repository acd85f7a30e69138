//! What differs between the attempts at a block.
//!
//! How strongly the number of live values counts, and from which pressure on values go through
//! registers, is spread over the attempts: no single setting is best for both a chain of products
//! and a matrix of them.

use crate::compile::graph::Node;

/// The settings of one attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tactics {
    /// Demanded values from which on some go through registers.
    pub(super) room: u32,
    /// How much a value more or less weighs against the length of the path.
    pub(super) thrift: i32,
    /// Whether operands that no port can load any more are demanded of earlier instructions
    /// while there are units for it.
    pub(super) eager: bool,
    /// Whether uniforms that are needed again go to registers as soon as port 2 is in the way.
    pub(super) keep: bool,
    /// Whether functions of the complex unit count from their first step, not their result.
    pub(super) by_start: bool,
    /// Disturbance of the order.
    noise: u32,
    seed: u64,
}

/// Attempts without noise.
pub(super) const SETTLED: u32 = 12;

/// Room, thrift, eagerness and keeping of the first attempts, the best on average first
/// [measured]; later ones repeat them with noise.
const SETTINGS: [(u32, i32, bool, bool); SETTLED as usize] = [
    (5, 6, true, false),
    (5, 2, true, false),
    (6, 4, true, false),
    (5, 6, true, true),
    (4, 2, true, false),
    (6, 2, true, true),
    (7, 2, true, false),
    (5, 1, true, false),
    (4, 4, true, true),
    (6, 6, false, false),
    (5, 3, false, true),
    (7, 4, true, true),
];

impl Tactics {
    pub(super) fn of_attempt(attempt: u32) -> Tactics {
        let (room, thrift, eager, keep) = SETTINGS[attempt as usize % SETTINGS.len()];
        let round = attempt / SETTLED;
        let noise = if round == 0 { 0 } else { 4 << (round % 4) };
        let seed = u64::from(attempt).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Tactics { room, thrift, eager, keep, by_start: attempt % 3 == 1, noise, seed }
    }

    /// A number that disturbs the order a little, the same for the same node.
    #[inline]
    pub(super) fn disturbance(self, node: Node) -> u32 {
        if self.noise == 0 {
            return 0;
        }
        let mixed = (u64::from(node.0) ^ self.seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 40) as u32 % (self.noise + 1)
    }
}
