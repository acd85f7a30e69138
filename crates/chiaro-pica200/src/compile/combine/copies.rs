//! What an instruction cannot name is copied first.

use crate::compile::graph::{Base, Components};

/// Copies that operands need: an instruction names one uniform operand and one input register.
pub(super) fn copies(args: &[Components], n: usize) -> usize {
    let uniform =
        |a: &&Components| a[..n].iter().any(|l| matches!(l.base, Base::Uniform(..) | Base::Const(_)));
    let mut inputs: Vec<u8> = Vec::new();
    for component in args.iter().flat_map(|a| &a[..n]) {
        if let Base::Input(v) = component.base
            && !inputs.contains(&v)
        {
            inputs.push(v);
        }
    }
    args.iter().filter(uniform).count().saturating_sub(1) + inputs.len().saturating_sub(1)
}
