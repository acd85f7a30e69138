//! Random fragment shaders: what random vertex shaders do, and what only fragments can, see
//! [`vertex`](super::vertex).

use super::vertex::of_stage;
use crate::{Module, Stage};

/// A random module of about `size` operations, with an entry point `main` for fragments.
#[must_use]
pub fn module(seed: u64, size: u32) -> Module {
    of_stage(Stage::Fragment, seed, size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Effect, Op, Walk};

    #[test]
    fn modules_are_sound_and_the_same_every_time() {
        crate::random::vertex::tests::are_sound(module);
    }

    #[test]
    fn they_have_what_only_fragments_have() {
        let modules: Vec<Module> = (0..100).map(|seed| module(seed, 40)).collect();
        let count = |is: fn(Op) -> bool| {
            let has = |module: &&Module| module.functions.iter().any(|f| Walk::insts(f).any(|i| is(f.op(i))));
            modules.iter().filter(has).count()
        };
        assert!(count(|op| matches!(op, Op::Sample(_))) > 50);
        assert!(count(|op| matches!(op, Op::Fetch | Op::ImageRead)) > 10);
        assert!(count(|op| matches!(op, Op::Demote | Op::Terminate)) > 20);
        assert!(count(|op| op.effect() == Effect::Convergent) > 50);
    }
}
