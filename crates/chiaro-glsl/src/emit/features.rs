//! What a program asks of SPIR-V as a whole: its version, its memory model.

use crate::hir::{Expr, ExprKind, Global, Program};
use crate::intrinsic::Intrinsic;
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
    if broadcasts_freely(program) {
        return 5;
    }
    let meshes = matches!(program.stage, Stage::Task | Stage::Mesh) || takes_primitives(program);
    match shares_blocks || meshes || program.stage.is_of_rays() || program.types.all().any(opaque) {
        true => LISTS_ALL,
        false if needs_newer(program) => 3,
        false => 0,
    }
}

/// Whether some broadcast names its invocation by what is no constant. [SPIR-V 1.5, 3.42.24]
fn broadcasts_freely(program: &Program) -> bool {
    use spirv::Op::{GroupNonUniformBroadcast, GroupNonUniformQuadBroadcast};
    let free = |expr: &Expr| match &expr.kind {
        ExprKind::Intrinsic(
            Intrinsic::Subgroup(GroupNonUniformBroadcast | GroupNonUniformQuadBroadcast, _),
            args,
        ) => args.last().is_some_and(|last| {
            !matches!(program.exprs[last.0 as usize].kind, ExprKind::Constant(_) | ExprKind::Spec(_))
        }),
        _ => false,
    };
    !program.extensions.is_empty() && program.exprs.iter().any(free)
}

/// Whether fragments take values of the primitives of a mesh. [SPV_EXT_mesh_shader]
fn takes_primitives(program: &Program) -> bool {
    program.globals.iter().any(|global| {
        let of_members = |block: &crate::hir::Block| block.members.iter().any(|m| m.per_primitive);
        global.layout.per_primitive || global.block.as_ref().is_some_and(of_members)
    })
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
