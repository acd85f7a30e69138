//! Leaves out what shaders print: it is told where somebody listens, and means nothing anywhere else.
//!
//! ```text
//! print.0 %1        ->
//! ```
//!
//! True after: the function prints nothing. Who listens has made stores of it before
//! ([`prints_to_buffer`](crate::prints_to_buffer())).

use chiaro_diag::Diagnostic;
use chiaro_ir::{Block, EntryPoint, FunctionRef, Module, Op, Walk};

use crate::inline::reached;
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

/// A warning that a machine leaves out what a shader prints, at its first print; `None` if it prints nothing.
#[must_use]
pub fn warn_of_prints(module: &Module, entry: &EntryPoint, machine: &str) -> Option<Diagnostic> {
    if module.texts.is_empty() {
        return None;
    }
    std::iter::once(entry.function).chain(reached(module, entry.function)).find_map(|f| {
        let function = module.function(f);
        let inst = Walk::insts(function).find(|&inst| matches!(function.op(inst), Op::Print(_)))?;
        let message = format!("{machine} prints nothing: what the shader prints is left out");
        let warning = Diagnostic::warning(function.inst(inst).span, message);
        Some(warning.help("run the source on the interpreter, or compile it for rdna"))
    })
}
