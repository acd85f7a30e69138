//! Calls of functions of the language: to whom each goes, and those of single stages.

use chiaro_words::newer;
use chiaro_words::write::Id;
use spirv::{Capability, GlslStd450Op as G, Op};

use super::arith::{Marks, Typed};
use super::emitter::Emitter;
use crate::hir::ExprId;
use crate::intrinsic::{Companion, Intrinsic};
use crate::numeric::Num;
use crate::ty::{Scalar, Type};

impl Emitter<'_> {
    /// Calls a function of the language; `ty` is the type of `e`, the call.
    pub(super) fn intrinsic(&mut self, which: Intrinsic, args: &[ExprId], ty: &Type, e: ExprId) -> Id {
        if let Some(made) = self.texture_function(which, args, ty, e) {
            return made;
        }
        if let Some(made) = self.memory_function(which, args, ty) {
            return made;
        }
        if let Some(made) = self.invocation_function(which, args, ty) {
            return made;
        }
        if let Some(made) = self.ray_function(which, args, ty) {
            return made;
        }
        if let Some(made) = self.stage_function(which, args, ty) {
            return made;
        }
        let operands: Vec<Typed> = args.iter().map(|&a| self.typed(a)).collect();
        let marks = self.marks(e);
        self.pure(which, &operands, ty, marks)
    }

    /// Functions of textures and images.
    fn texture_function(&mut self, which: Intrinsic, args: &[ExprId], ty: &Type, e: ExprId) -> Option<Id> {
        use Intrinsic as I;
        Some(match which {
            I::Sample(sampling) => self.sample(sampling, args, ty, e),
            I::TextureSize
            | I::TextureQueryLod
            | I::TextureQueryLevels
            | I::TextureSamples
            | I::ImageSize
            | I::ImageSamples => self.image_query(which, args, ty),
            I::ImageLoad
            | I::ImageStore
            | I::SparseImageLoad
            | I::ImageLoadLevel
            | I::ImageStoreLevel
            | I::SparseImageLoadLevel
            | I::SubpassLoad => self.image_access(which, args, ty),
            I::Footprint(how) => self.footprint(how, args),
            I::GatherMode { mode, offset } => self.gather_mode(mode, offset, args, ty, e),
            I::TextureBlock(op) => self.texture_block(op, args, ty),
            _ => return None,
        })
    }

    /// Functions of places in memory, and of what is held together.
    fn memory_function(&mut self, which: Intrinsic, args: &[ExprId], ty: &Type) -> Option<Id> {
        use Intrinsic as I;
        Some(match which {
            I::Tensor(which) => self.tensor(which, args),
            I::SaturatedConvert => self.saturated(args),
            I::BitcastExtract => self.bitcast_extract(args, ty),
            I::ImageAtomic(atomic) => self.image_atomic(atomic, args, ty),
            I::Atomic(atomic) | I::AtomicCounter(atomic) => self.atomic(atomic, args, ty),
            I::Cooperative(what) => self.cooperative(what, args, ty),
            I::Modf | I::Frexp => self.split_number(which, args, ty),
            I::UaddCarry | I::UsubBorrow | I::UmulExtended | I::ImulExtended => {
                self.wide_integer(which, args)
            }
            _ => return None,
        })
    }

    /// Functions of several invocations, and messages to the host.
    fn invocation_function(&mut self, which: Intrinsic, args: &[ExprId], ty: &Type) -> Option<Id> {
        use Intrinsic as I;
        Some(match which {
            I::Barrier
            | I::MemoryBarrier
            | I::MemoryBarrierAtomicCounter
            | I::MemoryBarrierBuffer
            | I::MemoryBarrierShared
            | I::MemoryBarrierImage
            | I::GroupMemoryBarrier => self.barrier(which),
            I::AnyInvocation | I::AllInvocations | I::AllInvocationsEqual => self.vote(which, args),
            I::ScopedBarrier(op) => self.scoped_barrier(op, args),
            I::ControlArrive => self.split_barrier(Op::ControlBarrierArriveINTEL, args),
            I::ControlWait => self.split_barrier(Op::ControlBarrierWaitINTEL, args),
            I::ReadClock(scope) => self.read_clock(scope, ty),
            I::QuadSwap(direction) => self.quad_swap(direction, args, ty),
            I::Subgroup(op, operation) => self.subgroup(op, operation, args, ty),
            I::Print(text) => self.print(text, args),
            I::Abort(text) => {
                let message = self.abort_message(text, args);
                self.end_here(newer::ABORT, &message)
            }
            _ => return None,
        })
    }

    /// Functions of rays and of what they hit.
    fn ray_function(&mut self, which: Intrinsic, args: &[ExprId], ty: &Type) -> Option<Id> {
        use Intrinsic as I;
        Some(match which {
            I::RayQuery(op) => self.ray_query(op, args, ty),
            I::TraceRay(op) => self.send(op, args),
            I::ExecuteCallable => self.send(Op::ExecuteCallableKHR, args),
            I::EmitMeshTasks => self.emit_mesh_tasks(args),
            I::PatchBarrier => self.patch_barrier(),
            I::EndOfRay(op) => self.end_here(op, &[]),
            I::RayParts(op) => self.ray_parts(args, |this, values, to| this.ray_query(op, values, to)),
            I::HitObject(op, companion) => self.hit_object(op, companion, args, ty),
            I::HitObjectParts(op) => {
                self.ray_parts(args, |this, values, to| this.hit_object(op, Companion::None, values, to))
            }
            _ => return None,
        })
    }

    /// Functions of single stages.
    fn stage_function(&mut self, which: Intrinsic, args: &[ExprId], ty: &Type) -> Option<Id> {
        use Intrinsic as I;
        Some(match which {
            I::InterpolateAtCentroid
            | I::InterpolateAtSample
            | I::InterpolateAtOffset
            | I::InterpolateAtVertex => self.interpolate(which, args, ty),
            I::Ftransform => self.fixed_transform(ty),
            I::EmitVertex | I::EndPrimitive | I::EmitStreamVertex | I::EndStreamPrimitive => {
                self.geometry(which, args)
            }
            // GL_NV_compute_shader_derivatives gives zero where nothing groups invocations.
            I::Math(function) if function.is_derivative() && !self.has_derivatives() => self.zero_of(ty),
            I::Noise => self.zero_of(ty),
            _ => return None,
        })
    }

    fn zero_of(&mut self, ty: &Type) -> Id {
        Num::of(ty).map_or(0, |num| self.number(num, 0))
    }

    fn interpolate(&mut self, which: Intrinsic, args: &[ExprId], ty: &Type) -> Id {
        let Some((&input, rest)) = args.split_first() else { return self.fail("an input is expected") };
        // Doubles are flat: they are the same everywhere.
        if Num::of(ty).is_some_and(|num| num.scalar == Scalar::Double) {
            return self.value(input);
        }
        let mut place = self.place(input);
        let picked = place.pick.take();
        let pointer = self.pointer(&place);
        let op = match which {
            Intrinsic::InterpolateAtCentroid => G::InterpolateAtCentroid,
            Intrinsic::InterpolateAtSample => G::InterpolateAtSample,
            _ => G::InterpolateAtOffset,
        };
        if Num::of(ty).is_some_and(|num| num.scalar == Scalar::Float16) {
            self.out.extension("SPV_AMD_gpu_shader_half_float");
        }
        let (set, number) = match which {
            Intrinsic::InterpolateAtVertex => (EXPLICIT_SET, EXPLICIT_VERTEX),
            _ => {
                self.out.capability(Capability::InterpolationFunction);
                ("GLSL.std.450", op as u32)
            }
        };
        let mut operands = vec![self.out.import(set), number, pointer];
        operands.extend(rest.iter().map(|&a| self.value(a)));
        let whole = self.plain_ty(&place.ty);
        let value = self.op(Op::ExtInst, whole, &operands);
        match (picked, Num::of(&place.ty), Num::of(ty)) {
            (Some((components, _)), Some(from), Some(to)) => {
                self.shuffle(value, from, &components[..usize::from(to.rows)])
            }
            _ => value,
        }
    }

    /// The position of fixed functions: the matrix of model, view and projection, and the vertex.
    fn fixed_transform(&mut self, ty: &Type) -> Id {
        let find = |name: &str| {
            let symbol = self.symbols.find(name)?;
            self.program.globals.iter().position(|g| g.name == symbol)
        };
        let (matrix, vertex) = (find("gl_ModelViewProjectionMatrix"), find("gl_Vertex"));
        let (Some(matrix), Some(vertex)) = (matrix, vertex) else {
            return self.fail("`ftransform` needs `gl_ModelViewProjectionMatrix` and `gl_Vertex`");
        };
        let roots = [matrix, vertex].map(|i| self.globals.get(i).cloned());
        let [Some(super::state::Root::Place(matrix)), Some(super::state::Root::Place(vertex))] = roots else {
            return self.fail("`ftransform` needs what no variable holds");
        };
        let (matrix, vertex) = (self.load(&matrix), self.load(&vertex));
        let ty = self.plain_ty(ty);
        // Every shader with `ftransform` has to give the same bits.
        self.marked(Op::MatrixTimesVector, ty, &[matrix, vertex], Marks { relaxed: false, exact: true })
    }

    fn geometry(&mut self, which: Intrinsic, args: &[ExprId]) -> Id {
        let operands: Vec<Id> = args.iter().map(|&a| self.value(a)).collect();
        let op = match which {
            Intrinsic::EmitVertex => Op::EmitVertex,
            Intrinsic::EndPrimitive => Op::EndPrimitive,
            Intrinsic::EmitStreamVertex => Op::EmitStreamVertex,
            _ => Op::EndStreamPrimitive,
        };
        if !operands.is_empty() {
            self.out.capability(Capability::GeometryStreams);
        }
        self.effect(op, &operands);
        0
    }
}

/// The set with the values of vertices, and its only instruction.
const EXPLICIT_SET: &str = "SPV_AMD_shader_explicit_vertex_parameter";
const EXPLICIT_VERTEX: u32 = 1;
