//! What differs between the attempts at a block.
//!
//! How strongly the number of live values counts, and from which pressure on values go through
//! registers, is spread over the attempts: no single setting is best for both a chain of products
//! and a matrix of them. A few that make up for each other find more than many that are each good.

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

/// Room, thrift, eagerness, keeping, and whether functions count by their start. Later attempts repeat
/// them with noise.
type Settings = [(u32, i32, bool, bool, bool); SETTLED as usize];

/// Attempts one after the other: of 432 settings those whose shortest schedules are shortest together,
/// the first four, and then one after the other [measured on 413 vertex shaders and 200 expressions].
const TOGETHER: Settings = [
    (5, 7, true, false, false),
    (3, 5, true, false, false),
    (4, 7, true, true, true),
    (6, 8, true, false, true),
    (6, 1, false, false, false),
    (5, 1, true, false, false),
    (5, 3, true, false, true),
    (3, 8, true, false, false),
    (4, 8, true, true, false),
    (5, 8, true, false, false),
    (5, 5, true, false, true),
    (3, 0, true, false, true),
];

/// Attempts side by side, which take turns at the same schedule: the best on average first [measured].
const IN_TURN: Settings = [
    (5, 6, true, false, false),
    (5, 2, true, false, true),
    (6, 4, true, false, false),
    (5, 6, true, true, false),
    (4, 2, true, false, true),
    (6, 2, true, true, false),
    (7, 2, true, false, false),
    (5, 1, true, false, true),
    (4, 4, true, true, false),
    (6, 6, false, false, false),
    (5, 3, false, true, true),
    (7, 4, true, true, false),
];

impl Tactics {
    /// Of one of several attempts, each from the first instruction to the last.
    pub(super) fn of_attempt(attempt: u32) -> Tactics {
        Tactics::of(&TOGETHER, attempt)
    }

    /// Of an attempt that goes on beside others; every other round has the other settings.
    pub(super) fn of_way(way: u32, round: u32) -> Tactics {
        Tactics::of(if round.is_multiple_of(2) { &IN_TURN } else { &TOGETHER }, way)
    }

    fn of(settings: &Settings, attempt: u32) -> Tactics {
        let (room, thrift, eager, keep, by_start) = settings[(attempt % SETTLED) as usize];
        let round = attempt / SETTLED;
        let noise = if round == 0 { 0 } else { 4 << (round % 4) };
        let seed = u64::from(attempt).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Tactics { room, thrift, eager, keep, by_start, noise, seed }
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
