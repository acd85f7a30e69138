//! Functions of a stage: derivatives, interpolation, barriers, votes, primitives; and noise.

use super::names::*;
use super::row::{Row, functions};
use crate::builtin::{Stages, When};
use crate::intrinsic::Intrinsic::*;
use crate::intrinsic::Math as M;

const FRAGMENT: Stages = Stages::FRAGMENT;
const DERIVATIVES: When = When::since(300, 110).or(&["GL_OES_standard_derivatives"]).only(FRAGMENT);
const FINE: When = When::since(0, 450).or(&["GL_ARB_derivative_control"]).only(FRAGMENT);
/// Derivatives among the invocations of a workgroup.
const GROUP_DERIVATIVES: When =
    When::with(&["GL_KHR_compute_shader_derivatives", "GL_NV_compute_shader_derivatives"])
        .only(Stages::GROUPS);
const INTERPOLATE: When = When::since(320, 400)
    .or(&["GL_OES_shader_multisample_interpolation", "GL_ARB_gpu_shader5"])
    .only(FRAGMENT);
const NOISE: When = When::since(0, 110);
const BARRIER: When = When::since(310, 430).or(&["GL_ARB_compute_shader"]).only(Stages::GROUPS);
const PATCH_BARRIER: When = When::ALWAYS.only(Stages::TESS_CONTROL);
const MESH: When = When::with(&["GL_EXT_mesh_shader"]).only(Stages::MESH);
const MESH_NV: When = When::with(&["GL_NV_mesh_shader"]).only(Stages::MESH);
const TASK: When = When::with(&["GL_EXT_mesh_shader"]).only(Stages::TASK);
const MEMORY_BARRIER: When =
    When::since(310, 420).or(&["GL_ARB_shader_image_load_store", "GL_EXT_shader_image_load_store"]);
const MEMORY_BARRIERS: When = When::since(310, 430).or(&["GL_ARB_compute_shader"]);
const VOTES: When = When::since(0, 460);
const VOTES_ARB: When = When::with(&["GL_ARB_shader_group_vote"]);
const VOTES_EXT: When = When::with(&["GL_EXT_shader_group_vote"]);
const PRIMITIVES: When = When::since(320, 150)
    .or(&["GL_EXT_geometry_shader", "GL_OES_geometry_shader", "GL_ARB_geometry_shader4"])
    .only(Stages::GEOMETRY);
const STREAMS: When = When::since(0, 400).or(&["GL_ARB_gpu_shader5"]).only(Stages::GEOMETRY);

pub(super) static ROWS: &[Row] = functions! {
    DERIVATIVES => {
        "dFdx" Math(M::Dfdx) => F(F);
        "dFdy" Math(M::Dfdy) => F(F);
        "fwidth" Math(M::Fwidth) => F(F);
    }
    FINE => {
        "dFdxFine" Math(M::DfdxFine) => F(F);
        "dFdyFine" Math(M::DfdyFine) => F(F);
        "fwidthFine" Math(M::FwidthFine) => F(F);
        "dFdxCoarse" Math(M::DfdxCoarse) => F(F);
        "dFdyCoarse" Math(M::DfdyCoarse) => F(F);
        "fwidthCoarse" Math(M::FwidthCoarse) => F(F);
    }
    GROUP_DERIVATIVES => {
        "dFdx" Math(M::Dfdx) => F(F);
        "dFdy" Math(M::Dfdy) => F(F);
        "fwidth" Math(M::Fwidth) => F(F);
        "dFdxFine" Math(M::DfdxFine) => F(F);
        "dFdyFine" Math(M::DfdyFine) => F(F);
        "fwidthFine" Math(M::FwidthFine) => F(F);
        "dFdxCoarse" Math(M::DfdxCoarse) => F(F);
        "dFdyCoarse" Math(M::DfdyCoarse) => F(F);
        "fwidthCoarse" Math(M::FwidthCoarse) => F(F);
    }
    INTERPOLATE => {
        "interpolateAtCentroid" InterpolateAtCentroid => F(F);
        "interpolateAtSample" InterpolateAtSample => F(F, I1);
        "interpolateAtOffset" InterpolateAtOffset => F(F, F2);
    }
    When::with(&["GL_AMD_shader_explicit_vertex_parameter"]).only(FRAGMENT) => {
        "interpolateAtVertexAMD" InterpolateAtVertex => F(F, U1) | I(I, U1) | U(U, U1);
    }
    NOISE => {
        "noise1" Noise => F1(F);
        "noise2" Noise => F2(F);
        "noise3" Noise => F3(F);
        "noise4" Noise => F4(F);
    }
    When::since(0, 110).until(0, 140).only(Stages::VERTEX) => {
        "ftransform" Ftransform => F4();
    }
    BARRIER => {
        "barrier" Barrier => VOID();
        "memoryBarrierShared" MemoryBarrierShared => VOID();
        "groupMemoryBarrier" GroupMemoryBarrier => VOID();
    }
    PATCH_BARRIER => {
        "barrier" PatchBarrier => VOID();
    }
    MESH => {
        "SetMeshOutputsEXT" Instruction(spirv::Op::SetMeshOutputsEXT) => VOID(U1, U1);
    }
    MESH_NV => {
        "writePackedPrimitiveIndices4x8NV" Instruction(spirv::Op::WritePackedPrimitiveIndices4x8NV) => VOID(U1, U1);
    }
    TASK => {
        "EmitMeshTasksEXT" EmitMeshTasks => VOID(U1, U1, U1);
    }
    MEMORY_BARRIER => {
        "memoryBarrier" MemoryBarrier => VOID();
    }
    MEMORY_BARRIERS => {
        "memoryBarrierAtomicCounter" MemoryBarrierAtomicCounter => VOID();
        "memoryBarrierBuffer" MemoryBarrierBuffer => VOID();
        "memoryBarrierImage" MemoryBarrierImage => VOID();
    }
    VOTES => {
        "anyInvocation" AnyInvocation => B1(B1);
        "allInvocations" AllInvocations => B1(B1);
        "allInvocationsEqual" AllInvocationsEqual => B1(B1);
    }
    VOTES_ARB => {
        "anyInvocationARB" AnyInvocation => B1(B1);
        "allInvocationsARB" AllInvocations => B1(B1);
        "allInvocationsEqualARB" AllInvocationsEqual => B1(B1);
    }
    VOTES_EXT => {
        "anyInvocationEXT" AnyInvocation => B1(B1);
        "allInvocationsEXT" AllInvocations => B1(B1);
        "allInvocationsEqualEXT" AllInvocationsEqual => B1(B1);
    }
    PRIMITIVES => {
        "EmitVertex" EmitVertex => VOID();
        "EndPrimitive" EndPrimitive => VOID();
    }
    When::with(&["GL_EXT_demote_to_helper_invocation"]).only(FRAGMENT) => {
        "helperInvocationEXT" Instruction(spirv::Op::IsHelperInvocationEXT) => B1();
    }
    STREAMS => {
        "EmitStreamVertex" EmitStreamVertex => VOID(I1);
        "EndStreamPrimitive" EndStreamPrimitive => VOID(I1);
    }
};
