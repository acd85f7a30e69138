//! Outputs that some path stores more than once.

use super::patterns::Origin;
use super::{Check, rules};
use crate::isa::selector::STORES;
use crate::isa::word::{self, Word};
use crate::regs::{NO_STORE, letter};

impl Check<'_> {
    /// What may have been stored before an instruction comes from all that lead there, until nothing
    /// changes.
    pub(super) fn outputs(&mut self) {
        let own: Vec<u64> = self.program.iter().map(|&word| stored(word)).collect();
        let mut before = vec![0u64; own.len()];
        let mut open: Vec<usize> = (0..own.len()).rev().collect();
        while let Some(at) = open.pop() {
            let behind = before[at] | own[at];
            let is_always = self.is_always_taken(at);
            for (to, _) in self.flow.after(at).filter(|&(_, taken)| taken || !is_always) {
                if before[to] | behind != before[to] {
                    before[to] |= behind;
                    open.push(to);
                }
            }
        }
        for at in 0..own.len() {
            let again = before[at] & own[at];
            for number in (0..64).filter(|n| again >> n & 1 == 1) {
                let part = format!("v{}.{}", number / 4, letter((number % 4) as u8));
                self.fail(
                    at,
                    &rules::OUTPUT_REPEATED,
                    &part,
                    "a path to here has stored it already".to_owned(),
                );
            }
        }
    }

    /// Whether a branch is one that compilers make of a jump: on a constant. What a constant is says the
    /// file; of code alone every uniform may be one.
    fn is_always_taken(&self, at: usize) -> bool {
        if self.program[at].target().is_none() {
            return false;
        }
        let condition = self.origin(at, word::PASS_A);
        match self.known(condition) {
            Some(value) => value != 0.0,
            None => self.constants.is_empty() && matches!(condition, Origin::Loaded(2, ..)),
        }
    }
}

/// Components of outputs that an instruction stores, a bit each.
fn stored(word: Word) -> u64 {
    let bits = STORES.iter().enumerate().filter_map(|(component, store)| {
        let is_output = word.get(store.temporary) == 0 && word.get(store.varying) == 1;
        let is_stored = word.get(store.unit) != NO_STORE && is_output;
        is_stored.then(|| 1 << (word.get(store.index) as usize * 4 + component))
    });
    bits.fold(0, |all, bit: u64| all | bit)
}
