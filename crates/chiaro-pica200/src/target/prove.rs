//! A compiled vertex shader beside its source, for random shaders and those of test suites.

use chiaro_ir::Module;
use chiaro_ir::sample::Sample;
use chiaro_target::{Compared, Failure, Proof, proof};

use crate::compile::Compiled;
use crate::verify;

/// Words and what they were made of.
pub(super) struct Words<'a> {
    pub module: &'a Module,
    pub compiled: Compiled,
}

impl Words<'_> {
    fn subject(&self) -> Result<verify::Words<'_>, Failure> {
        verify::Words::new(self.module, &self.compiled)
    }
}

impl Proof for Words<'_> {
    fn verify(&self, invocations: usize, seed: u64) -> Result<Compared, Failure> {
        verify::verify(self.module, &self.compiled, invocations, seed)
    }

    fn hold(&self, sample: &mut Sample) -> bool {
        self.subject().is_ok_and(|subject| proof::hold(&subject, sample))
    }

    fn compare(&self, sample: &Sample) -> Result<Compared, Failure> {
        proof::source_against_code(&self.subject()?, sample)
    }

    fn listing(&self) -> String {
        self.subject().map_or_else(|why| why.to_string(), |subject| Proof::listing(&subject))
    }
}
