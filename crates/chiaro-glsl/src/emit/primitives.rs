//! Tessellation, mesh and task shaders: their modes, and how a task ends.
//!
//! [SPIR-V 1.6, 3.6; SPV_EXT_mesh_shader; SPV_NV_mesh_shader]

use chiaro_words::write::Id;
use spirv::{Capability, ExecutionMode, Op, Scope, StorageClass};

use super::emitter::Emitter;
use super::needs;
use super::state::Root;
use crate::hir::ExprId;
use crate::source::Stage;

impl Emitter<'_> {
    /// Whether meshes are those of NVIDIA's extension.
    pub(super) fn is_nv_mesh(&self) -> bool {
        let has =
            |wanted: &str| self.program.extensions.iter().any(|&name| self.symbols.text(name) == wanted);
        has("GL_NV_mesh_shader") && !has("GL_EXT_mesh_shader")
    }

    /// Modes of both stages of tessellation; those of the source stand there already.
    pub(super) fn tessellation_modes(&mut self, main: Id) {
        use ExecutionMode as M;
        self.out.capability(Capability::Tessellation);
        let modes = &self.program.modes;
        if self.program.stage == Stage::TessControl {
            self.mode(main, M::OutputVertices, &[modes.patch_vertices.unwrap_or(1)]);
            return;
        }
        let has = |group: &[M]| group.iter().any(|mode| modes.others.contains(mode));
        let spaced = has(&[M::SpacingEqual, M::SpacingFractionalEven, M::SpacingFractionalOdd]);
        let ordered = has(&[M::VertexOrderCw, M::VertexOrderCcw]);
        if !spaced {
            self.mode(main, M::SpacingEqual, &[]);
        }
        if !ordered {
            self.mode(main, M::VertexOrderCcw, &[]);
        }
    }

    /// What task and mesh shaders need; what a mesh has at most.
    pub(super) fn mesh_modes(&mut self, main: Id) {
        self.need(if self.is_nv_mesh() { needs::MESHES_NV } else { needs::MESHES });
        if self.program.stage == Stage::Mesh {
            let [vertices, primitives] = self.program.modes.mesh.map(|n| n.unwrap_or(1));
            self.mode(main, ExecutionMode::OutputVertices, &[vertices]);
            self.mode(main, ExecutionMode::OutputPrimitivesEXT, &[primitives]);
        }
    }

    /// `EmitMeshTasksEXT`: so many workgroups of the mesh shader, and what they get.
    pub(super) fn emit_mesh_tasks(&mut self, args: &[ExprId]) -> Id {
        let mut operands: Vec<Id> = args.iter().map(|&count| self.value(count)).collect();
        let payload = self.globals.iter().find_map(|root| match root {
            Root::Place(place) if place.class == StorageClass::TaskPayloadWorkgroupEXT => Some(place.base),
            _ => None,
        });
        operands.extend(payload);
        self.end_here(Op::EmitMeshTasksEXT, &operands)
    }

    /// `barrier()` among the invocations of a patch, which orders its outputs.
    pub(super) fn patch_barrier(&mut self) -> Id {
        let (group, own) = (self.out.uint(Scope::Workgroup as u32), self.out.uint(Scope::Invocation as u32));
        let relaxed = self.out.uint(0);
        self.effect(Op::ControlBarrier, &[group, own, relaxed]);
        0
    }
}
