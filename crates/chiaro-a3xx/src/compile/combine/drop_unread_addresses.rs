//! Addresses whose readers are all gone are not loaded: nobody would release them.
//!
//! ```text
//! @a0 = mova v0        ->
//! v1 = add.u v0, 4          v1 = add.u v0, 4
//! ```
//!
//! Before and after: SSA, an address is read in the block that loads it.

use chiaro_mach::{Code, dead_code};

use crate::compile::code::{ADDRESS, operation};
use crate::isa::Op;

/// Drops them, and what they were computed from.
pub(super) fn drop_unread_addresses(code: &mut Code) {
    if drop(code) {
        dead_code(code);
    }
}

/// Whether there were any.
fn drop(code: &mut Code) -> bool {
    let mut dropped = false;
    for block in code.blocks() {
        let mut insts = std::mem::take(&mut code.block_mut(block).insts);
        let (before, mut is_read) = (insts.len(), false);
        let mut keep: Vec<bool> = insts
            .iter()
            .rev()
            .map(|&inst| {
                let loads = operation(code, inst) == Some(Op::Mova);
                let keeps = !loads || is_read;
                is_read = !loads
                    && (is_read || code.uses(inst).iter().any(|used| used.file == ADDRESS && used.in_file()));
                keeps
            })
            .collect();
        insts.retain(|_| keep.pop().unwrap_or(true));
        dropped |= insts.len() < before;
        code.block_mut(block).insts = insts;
    }
    dropped
}
