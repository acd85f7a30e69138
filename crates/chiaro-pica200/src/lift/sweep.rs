//! Drops what nothing needs of a function that has neither constructs nor variables: what is needed stands before
//! what needs it, so that one look from the end does.

use chiaro_ir::{Effect, Function};

/// Sweeps the only block of a function.
pub(super) fn sweep(f: &mut Function) {
    debug_assert!(f.is_straight());
    let mut needed = vec![false; f.value_count()];
    let insts = std::mem::take(&mut f.block_mut(f.body).insts);
    let mut kept = Vec::with_capacity(insts.len());
    for inst in insts.into_iter().rev() {
        let op = f.op(inst);
        let is_removable = matches!(op.effect(), Effect::Pure | Effect::Read);
        if !is_removable || f.results(inst).any(|value| needed[value.0 as usize]) {
            f.args(inst).iter().for_each(|arg| needed[arg.0 as usize] = true);
            kept.push(inst);
        }
    }
    kept.reverse();
    f.block_mut(f.body).insts = kept;
}
