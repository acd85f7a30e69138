//! Leaves out what shaders print: it is told where somebody listens, and means nothing anywhere else.
//!
//! ```text
//! print.0 %1        ->
//! ```
//!
//! True after: the function prints nothing. Who listens has made stores of it before
//! ([`prints_to_buffer`](crate::prints_to_buffer())).

use chiaro_ir::{Block, FunctionRef, Module, Op};

use crate::{Changed, Cx};

/// Leaves out every print of a function.
pub fn drop_prints(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    if module.texts.is_empty() {
        return Changed::No;
    }
    let function = module.function_mut(f);
    let blocks: Vec<Block> = function.tree().into_iter().map(|(_, block)| block).collect();
    let mut changed = false;
    for block in blocks {
        let all = &function.block(block).insts;
        let kept: Vec<_> =
            all.iter().copied().filter(|&inst| !matches!(function.op(inst), Op::Print(_))).collect();
        changed |= kept.len() < all.len();
        function.block_mut(block).insts = kept;
    }
    changed.into()
}
