//! Exact search: whether a block can be shorter than the shortest schedule that was found.
//!
//! Lengths from the lower bound on are tried one after the other. For each, every way to fill
//! the instructions is tried, from the last one back, until the block is complete (the length
//! may be possible) or nothing is left to try (it is impossible, and the bound is raised).
//!
//! What is proven holds for every schedule of the selected operations, each done once: the
//! search leaves out conditions of the machine, never schedules. It keeps which unit makes what
//! and when, the adders' common opcode, all steps of functions, the shortest distances, one vec4
//! on port 2 of each instruction, and a slot for the move of a scalar that is not on it. It
//! leaves out the longest distances, which moves and registers bridge, ports 0 and 1, the halves
//! of stores, and how many constants a vec4 holds. Another selection, or a value made twice, is
//! not covered. spec sections 14.1 to 14.5.
//!
//! | file | has |
//! |---|---|
//! | [`task`] | the block as tasks |
//! | [`state`] | filled instructions, and whether the rest may fit |
//! | [`search`] | all ways to go on |

mod search;
mod state;
mod task;

use super::Block;
use search::{Search, Verdict};
use task::Tasks;

/// Raises a block's lower bound up to a length that a schedule has: the bound, and the decisions
/// that were taken, which number at most `most`.
pub(super) fn raise(block: &Block<'_>, bound: u32, length: u32, most: u64) -> (u32, u64) {
    let mut nodes = 0;
    let tasks = if length > state::LONGEST { None } else { Tasks::of(block) };
    let Some(tasks) = tasks else { return (bound, nodes) };
    for tried in bound..length {
        let mut search = Search::new(&tasks, tried, most - nodes);
        let verdict = search.run();
        nodes += search.nodes.min(most - nodes);
        if verdict != Verdict::Impossible {
            return (tried, nodes);
        }
    }
    (length, nodes)
}
