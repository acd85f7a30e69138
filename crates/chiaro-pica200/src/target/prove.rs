//! A compiled vertex shader beside its source, for random shaders and those of test suites.

use chiaro_ir::sample::Sample;
use chiaro_ir::{EntryPoint, Module};
use chiaro_target::{Compared, Failure, Proof};

use crate::compile::Compiled;
use crate::listing::{Options, listing};
use crate::verify;

/// Words and what they were made of.
pub(super) struct Words<'a> {
    pub module: &'a Module,
    pub entry: &'a EntryPoint,
    pub compiled: Compiled,
}

impl Proof for Words<'_> {
    fn verify(&self, invocations: usize, seed: u64) -> Result<Compared, Failure> {
        verify::verify(self.module, &self.compiled, invocations, seed).map(compared).map_err(failure)
    }

    fn hold(&self, sample: &mut Sample) -> bool {
        verify::hold(sample, self.module, self.entry)
    }

    fn compare(&self, sample: &Sample) -> Result<Compared, Failure> {
        let found = verify::source_against_words((self.module, self.entry), &self.compiled, sample);
        found.map(compared).map_err(Failure::Stopped)
    }

    fn listing(&self) -> String {
        let legal = chiaro_ir::print(&self.compiled.module);
        let words = listing(&self.compiled.shbin, &Options::default()).unwrap_or_default();
        format!("; legal IR\n{legal}; words\n{words}")
    }
}

pub(super) fn compared(found: verify::Compared) -> Compared {
    let verify::Compared { conclusive, inconclusive, wrong, why } = found;
    Compared { conclusive, inconclusive, wrong, why }
}

pub(super) fn failure(failure: verify::Failure) -> Failure {
    match failure {
        verify::Failure::Rule(message) => Failure::Rule(message),
        verify::Failure::Words(wrong) => Failure::Words(wrong),
        verify::Failure::Meaning(wrong) => Failure::Meaning(wrong),
        verify::Failure::Untested { conclusive, inconclusive, why } => {
            Failure::Untested { conclusive, inconclusive, why }
        }
        verify::Failure::Stopped(reason) => Failure::Stopped(reason),
    }
}
