//! What a program asks of SPIR-V as a whole: its version, its memory model.

use crate::hir::{Global, Program};
use crate::qualifier::{Precision, Storage};
use crate::source::Stage;
use crate::ty::{CoopKind, Opaque, Ty, Type};

/// The minor version from which on entry points list every variable. [SPIR-V 1.6, 3.42.4]
pub(crate) const LISTS_ALL: u8 = 4;

/// Whether a variable is a block in shared memory.
pub(crate) fn is_shared_block(global: &Global) -> bool {
    global.storage == Storage::Shared && global.block.is_some()
}

/// The version of SPIR-V that a program asks for: 1.`n`.
pub(crate) fn minor_version(program: &Program) -> u8 {
    let opaque = |ty: &Type| {
        use Opaque::{AccelerationStructure, HitObject, RayQuery};
        matches!(ty, Type::Opaque(AccelerationStructure | RayQuery | HitObject(_)))
    };
    // [SPV_KHR_workgroup_memory_explicit_layout]
    let shares_blocks = program.globals.iter().any(|global| is_shared_block(global) || is_in_heap(global));
    let meshes = matches!(program.stage, Stage::Task | Stage::Mesh);
    match shares_blocks || meshes || program.stage.is_of_rays() || program.types.all().any(opaque) {
        true => LISTS_ALL,
        false if needs_newer(program) => 3,
        false => 0,
    }
}

/// Whether the words must be of SPIR-V 1.3: for storage buffers and votes of subgroups.
pub(crate) fn needs_newer(program: &Program) -> bool {
    program.stage == Stage::Compute
        || !program.extensions.is_empty()
        || program.version.number >= 430
        || program.globals.iter().any(|g| matches!(g.storage, Storage::Buffer))
        || any_counter(program)
}

/// Whether a type is, or has elements that are, atomic counters.
pub(crate) fn any_counter(program: &Program) -> bool {
    program.globals.iter().any(|g| is_counter(program, g.ty))
}

pub(crate) fn is_counter(program: &Program, mut ty: Ty) -> bool {
    while let Type::Array(elem, _) = *program.types.get(ty) {
        ty = elem;
    }
    *program.types.get(ty) == Type::Opaque(Opaque::AtomicCounter)
}

pub(crate) fn is_relaxed(precision: Option<Precision>) -> bool {
    matches!(precision, Some(Precision::Low | Precision::Medium))
}

/// Whether a variable lies in a heap.
pub(crate) fn is_in_heap(global: &Global) -> bool {
    global.layout.heap.is_some() || matches!(global.storage, Storage::Heap(_))
}

/// Whether a program needs the memory model of Vulkan.
pub(crate) fn uses_vulkan_memory(program: &Program) -> bool {
    program.types.coops.iter().any(|coop| matches!(coop.kind, CoopKind::Matrix | CoopKind::Vector))
}
