//! Inputs, round by round: numbers that suit what the shader distinguishes, of any size and mild ones.

use chiaro_ir::sample::{Numbers, Sample, Wishes};

use super::outputs::Program;
use super::subject::Subject;
use super::wishes::wishes;

/// Makes the numbers of a seed.
type Make = fn(u64, fn(f32) -> f32) -> Numbers;

/// The numbers of rounds, which come again from the first on: every third has mild ones, for which functions and indices
/// are made, every fourth goes to the borders of integers.
const KINDS: [Make; 12] = {
    const NEW: Make = Numbers::new;
    const MILD: Make = Numbers::mild;
    const BOLD: Make = Numbers::bold;
    [NEW, MILD, BOLD, NEW, MILD, NEW, BOLD, MILD, NEW, NEW, BOLD, NEW]
};

/// What inputs of a subject are drawn from.
pub(super) struct Inputs<'a> {
    program: Program<'a>,
    round: fn(f32) -> f32,
    wishes: Wishes,
    seed: u64,
}

impl<'a> Inputs<'a> {
    pub(super) fn new<S: Subject>(subject: &'a S, seed: u64) -> Inputs<'a> {
        let program = subject.source();
        Inputs { program, round: S::round, wishes: wishes(program.module, program.entry, S::EXACT), seed }
    }

    /// The sample of a round; every eighth is drawn without regard to what the shader does.
    pub(super) fn round(&self, round: usize, lanes: usize) -> Sample {
        let Program { module, entry } = self.program;
        // Seeds that follow each other are those of other runs.
        let seed = self.seed.wrapping_add((round as u64).wrapping_mul(0xd134_2543_de82_ef95));
        let numbers = KINDS[round % KINDS.len()](seed, self.round);
        match round % 8 {
            7 => Sample::new(module, entry, lanes, numbers),
            _ => Sample::wished(module, entry, lanes, numbers, &self.wishes),
        }
    }
}
