//! Inputs, round by round: numbers that suit what the shader distinguishes, of any size and mild ones.

use chiaro_ir::sample::{Numbers, Sample, Wishes};

use super::outputs::Program;
use super::subject::Subject;
use super::wishes::wishes;

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

    /// The sample of a round: every third has mild numbers, for which functions and indices are made, every
    /// fourth goes to the borders of integers, and every eighth is drawn without regard to what the shader does.
    pub(super) fn round(&self, round: usize, lanes: usize) -> Sample {
        let Program { module, entry } = self.program;
        // Seeds that follow each other are those of other runs.
        let seed = self.seed.wrapping_add((round as u64).wrapping_mul(0xd134_2543_de82_ef95));
        let make = match round {
            _ if round % 4 == 2 => Numbers::bold,
            _ if round % 3 == 1 => Numbers::mild,
            _ => Numbers::new,
        };
        let numbers = make(seed, self.round);
        match round % 8 {
            7 => Sample::new(module, entry, lanes, numbers),
            _ => Sample::wished(module, entry, lanes, numbers, &self.wishes),
        }
    }
}
