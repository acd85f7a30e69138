//! What tests and benchmarks of the compiler share.

use chiaro_pica200::abi::{Interface, Leaf};
use chiaro_spirv::Reading;

/// The uniforms, inputs and outputs of a module that was read, as the compiler takes them.
pub(crate) fn interface(reading: &Reading) -> Interface {
    let leaf = |l: &chiaro_spirv::Leaf| Leaf {
        name: l.name.clone(),
        global: Some(l.global),
        path: l.path.clone(),
        columns: l.columns,
    };
    Interface { leaves: reading.interface.leaves.iter().map(leaf).collect() }
}
