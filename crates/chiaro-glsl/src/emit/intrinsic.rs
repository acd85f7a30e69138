//! Functions of the language that compute with numbers.
//!
//! Most are one instruction of SPIR-V or of its set `GLSL.std.450`; a table says which.

use chiaro_words::newer;
use chiaro_words::write::Id;
use spirv::{Capability, GlslStd450Op as G, Op};

use crate::hir::{Binary, ExprId};
use crate::intrinsic::{Companion, Intrinsic};
use crate::ty::{Family, Scalar, Type};

use super::arith::{Marks, Typed, equality_op, instruction};
use super::emitter::Emitter;
use super::sized::needs_detour;
use crate::numeric::Num;

impl Emitter<'_> {
    /// Calls a function of the language; `ty` is the type of `e`, the call.
    pub(super) fn intrinsic(&mut self, which: Intrinsic, args: &[ExprId], ty: &Type, e: ExprId) -> Id {
        use Intrinsic as I;
        match which {
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
            I::Tensor(which) => self.tensor(which, args),
            I::SaturatedConvert => self.saturated(args),
            I::BitcastExtract => self.bitcast_extract(args, ty),
            I::ImageAtomic(atomic) => self.image_atomic(atomic, args, ty),
            I::Atomic(atomic) | I::AtomicCounter(atomic) => self.atomic(atomic, args, ty),
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
            I::RayQuery(op) => self.ray_query(op, args, ty),
            I::Print(text) => self.print(text, args),
            I::Abort(text) => {
                let message = self.abort_message(text, args);
                self.end_here(newer::ABORT, &message)
            }
            I::TraceRay(op) => self.send(op, args),
            I::ExecuteCallable => self.send(Op::ExecuteCallableKHR, args),
            I::EndOfRay(op) => self.end_here(op, &[]),
            I::RayParts(op) => self.ray_parts(args, |this, values, to| this.ray_query(op, values, to)),
            I::HitObject(op, companion) => self.hit_object(op, companion, args, ty),
            I::HitObjectParts(op) => {
                self.ray_parts(args, |this, values, to| this.hit_object(op, Companion::None, values, to))
            }
            I::TextureBlock(op) => self.texture_block(op, args, ty),
            I::Cooperative(what) => self.cooperative(what, args, ty),
            I::Subgroup(op, operation) => self.subgroup(op, operation, args, ty),
            I::Modf | I::Frexp => self.split_number(which, args, ty),
            I::UaddCarry | I::UsubBorrow | I::UmulExtended | I::ImulExtended => {
                self.wide_integer(which, args)
            }
            I::InterpolateAtCentroid
            | I::InterpolateAtSample
            | I::InterpolateAtOffset
            | I::InterpolateAtVertex => self.interpolate(which, args, ty),
            I::Ftransform => self.fixed_transform(ty),
            I::EmitVertex | I::EndPrimitive | I::EmitStreamVertex | I::EndStreamPrimitive => {
                self.geometry(which, args)
            }
            I::Dfdx
            | I::Dfdy
            | I::Fwidth
            | I::DfdxFine
            | I::DfdyFine
            | I::FwidthFine
            | I::DfdxCoarse
            | I::DfdyCoarse
            | I::FwidthCoarse
                if !self.has_derivatives() =>
            {
                // GL_NV_compute_shader_derivatives gives zero where nothing groups invocations.
                Num::of(ty).map_or(0, |num| self.number(num, 0))
            }
            I::Noise => match Num::of(ty) {
                Some(num) => self.number(num, 0),
                None => 0,
            },
            _ => {
                let operands: Vec<Typed> = args.iter().map(|&a| self.typed(a)).collect();
                let marks = self.marks(e);
                self.pure(which, &operands, ty, marks)
            }
        }
    }

    /// A function of values alone.
    pub(super) fn pure(&mut self, which: Intrinsic, args: &[Typed], ty: &Type, marks: Marks) -> Id {
        if matches!(which, Intrinsic::Instruction(_) | Intrinsic::Extended(..)) {
            return self.other(which, args, ty);
        }
        let [first, ..] = *args else { return self.other(which, args, ty) };
        let (Some(from), Some(to)) = (Num::of(&first.ty), Num::of(ty)) else {
            return self.other(which, args, ty);
        };
        if needs_detour(which, from.scalar) {
            return self.detour(which, args, from, to, marks);
        }
        if let Some(op) = extended(which, from.scalar) {
            return self.extended(op, args, to, marks);
        }
        if let Some(op) = plain(which) {
            if let Some(capability) = capability(op) {
                self.out.capability(capability);
            }
            let ids: Vec<Id> = args.iter().map(|a| a.id).collect();
            let ty = self.num_ty(to);
            let marks = if to.scalar == Scalar::Bool { Marks::default() } else { marks };
            return self.marked(op, ty, &ids, marks);
        }
        self.composed(which, args, from, to, marks)
    }

    fn extended(&mut self, op: G, operands: &[Typed], to: Num, marks: Marks) -> Id {
        let set = self.out.import("GLSL.std.450");
        // Scalars stand for vectors where a function takes `genType, float`.
        let mut ids = vec![set, op as u32];
        for operand in operands {
            let narrow = Num::of(&operand.ty).is_some_and(Num::is_scalar) && widens(op);
            ids.push(if narrow { self.splat_as(operand.id, operand.ty, to) } else { operand.id });
        }
        let ty = self.num_ty(to);
        self.marked(Op::ExtInst, ty, &ids, marks)
    }

    /// Functions that are a few instructions, or whose instruction depends on the shape.
    fn composed(&mut self, which: Intrinsic, args: &[Typed], from: Num, to: Num, marks: Marks) -> Id {
        use Intrinsic as I;
        let ty = self.num_ty(to);
        match (which, args) {
            (I::Dot, [a, b]) => {
                let op = if from.is_scalar() { Op::FMul } else { Op::Dot };
                self.small_dot(from.scalar);
                self.marked(op, ty, &[a.id, b.id], marks)
            }
            (I::Mod, [a, b]) => {
                let by = if to.is_scalar() || Num::of(&b.ty) == Some(to) {
                    b.id
                } else {
                    self.splat_as(b.id, b.ty, to)
                };
                self.marked(Op::FMod, ty, &[a.id, by], marks)
            }
            (I::MixBool, [a, b, choice]) => self.marked(Op::Select, ty, &[choice.id, b.id, a.id], marks),
            (I::MatrixCompMult, [a, b]) => self.by_column(to, &[a.id, b.id], |this, _, parts| {
                let ty = this.num_ty(to.column());
                this.marked(Op::FMul, ty, parts, marks)
            }),
            (I::Equal | I::NotEqual, [a, b]) => {
                self.op(equality_op(which == I::Equal, from.scalar), ty, &[a.id, b.id])
            }
            (I::LessThan | I::LessThanEqual | I::GreaterThan | I::GreaterThanEqual, [a, b]) => {
                let op = match which {
                    I::LessThan => Binary::Less,
                    I::LessThanEqual => Binary::LessEqual,
                    I::GreaterThan => Binary::Greater,
                    _ => Binary::GreaterEqual,
                };
                self.op(instruction(op, from.scalar), ty, &[a.id, b.id])
            }
            (I::Any | I::All, [a]) if from.is_scalar() => a.id,
            (I::BitfieldExtract, [value, offset, bits]) => {
                let signed = from.scalar.family() == Family::Signed;
                let op = if signed { Op::BitFieldSExtract } else { Op::BitFieldUExtract };
                self.marked(op, ty, &[value.id, offset.id, bits.id], marks)
            }
            (I::Any, [a]) => self.op(Op::Any, ty, &[a.id]),
            (I::All, [a]) => self.op(Op::All, ty, &[a.id]),
            _ => self.other(which, args, &to.ty()),
        }
    }

    /// What comes with extensions: instructions by number.
    fn other(&mut self, which: Intrinsic, args: &[Typed], ty: &Type) -> Id {
        if let Intrinsic::Extended(set, number) = which {
            return self.vendor_function(set, number, args, ty);
        }
        let Intrinsic::Instruction(op) = which else {
            return self.fail(format!("`{which:?}` cannot be written as SPIR-V with these arguments"));
        };
        self.need(super::needs::of_instruction(op));
        let ids = self.instruction_operands(op, args);
        if *ty == Type::Void {
            self.effect(op, &ids);
            return 0;
        }
        let ty = self.plain_ty(ty);
        self.op(op, ty, &ids)
    }

    /// Operands in SPIR-V's order.
    fn instruction_operands(&mut self, op: Op, args: &[Typed]) -> Vec<Id> {
        let mut ids: Vec<Id> = args.iter().map(|a| a.id).collect();
        match (op, args) {
            (
                Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat,
                [a, b, ..],
            ) => {
                self.dot_inputs(a, b, &mut ids);
                if matches!(op, Op::SUDot | Op::SUDotAccSat) && is_unsigned(a) {
                    ids.swap(0, 1);
                }
            }
            // Attachments have no coordinate, which SPIR-V wants all the same.
            (Op::FragmentMaskFetchAMD | Op::FragmentFetchAMD, [texture, ..]) if is_subpass(texture) => {
                let zero = self.number(Num { rows: 2, ..Num::INT }, 0);
                ids.insert(1, zero);
            }
            (Op::FragmentMaskFetchAMD | Op::FragmentFetchAMD, [texture, ..]) => {
                if let Some(shape) = super::sample::Texture::of(&texture.ty) {
                    ids[0] = self.without_sampler(shape, texture.id);
                }
            }
            _ => {}
        }
        ids
    }

    /// What a dot product of these inputs asks for; packed ones say so with a literal behind.
    fn dot_inputs(&mut self, a: &Typed, b: &Typed, ids: &mut Vec<Id>) {
        let bits = |x: &Typed| Num::of(&x.ty).map_or((0, 0), |n| (n.rows, n.scalar.bits()));
        let capability = match (bits(a), bits(b)) {
            ((1, _), _) => {
                ids.push(0);
                Capability::DotProductInput4x8BitPacked
            }
            ((4, 8), (4, 8)) => Capability::DotProductInput4x8Bit,
            _ => Capability::DotProductInputAll,
        };
        self.out.capability(capability);
    }

    /// A function of a vendor's instruction set, which is an extension of the same name.
    fn vendor_function(&mut self, name: &str, number: u32, args: &[Typed], ty: &Type) -> Id {
        self.out.extension(name);
        let set = self.out.import(name);
        let mut operands = vec![set, number];
        operands.extend(args.iter().map(|a| a.id));
        let ty = self.plain_ty(ty);
        self.op(Op::ExtInst, ty, &operands)
    }

    /// `modf` and `frexp`: the second argument gets the other half of the result.
    fn split_number(&mut self, which: Intrinsic, args: &[ExprId], ty: &Type) -> Id {
        let [value, place] = *args else { return self.fail("two arguments are expected") };
        let value = self.value(value);
        let other = self.what(self.program.exprs[place.0 as usize].ty);
        let place = self.place(place);
        let op = if which == Intrinsic::Modf { G::ModfStruct } else { G::FrexpStruct };
        // The exponent has to be of 32 bits; that of the whole part is the result's own type.
        let exponent = match Num::of(&other) {
            Some(num) if which == Intrinsic::Frexp => num.with(Scalar::Int).ty(),
            _ => other,
        };
        let (first, second) = (self.plain_ty(ty), self.plain_ty(&exponent));
        let pair = self.out.ty(Op::TypeStruct, &[first, second]);
        let set = self.out.import("GLSL.std.450");
        let both = self.op(Op::ExtInst, pair, &[set, op as u32, value]);
        let half = self.op(Op::CompositeExtract, second, &[both, 1]);
        let half = self.convert(Typed { id: half, ty: exponent }, &other);
        self.store(&place, half);
        self.op(Op::CompositeExtract, first, &[both, 0])
    }

    /// Sums with carry and products of double width.
    fn wide_integer(&mut self, which: Intrinsic, args: &[ExprId]) -> Id {
        let (Some(&x), Some(&y)) = (args.first(), args.get(1)) else {
            return self.fail("two arguments are expected");
        };
        let ty = self.what(self.program.exprs[x.0 as usize].ty);
        let operands = [self.value(x), self.value(y)];
        let places: Vec<_> = args[2..].iter().map(|&a| self.place(a)).collect();
        let op = match which {
            Intrinsic::UaddCarry => Op::IAddCarry,
            Intrinsic::UsubBorrow => Op::ISubBorrow,
            Intrinsic::UmulExtended => Op::UMulExtended,
            _ => Op::SMulExtended,
        };
        let one = self.plain_ty(&ty);
        let pair = self.out.ty(Op::TypeStruct, &[one, one]);
        let both = self.op(op, pair, &operands);
        let [low, high] = [0, 1].map(|i| self.op(Op::CompositeExtract, one, &[both, i]));
        match places.as_slice() {
            [carry] => {
                self.store(carry, high);
                low
            }
            [upper, lower] => {
                self.store(upper, high);
                self.store(lower, low);
                0
            }
            _ => self.fail("the results have no place"),
        }
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

fn is_unsigned(value: &Typed) -> bool {
    Num::of(&value.ty).is_some_and(|num| num.scalar.family() == Family::Unsigned)
}

fn is_subpass(value: &Typed) -> bool {
    super::sample::Texture::of(&value.ty).is_some_and(|t| t.dim == crate::ty::Dim::Subpass)
}

/// The set with the values of vertices, and its only instruction.
const EXPLICIT_SET: &str = "SPV_AMD_shader_explicit_vertex_parameter";
const EXPLICIT_VERTEX: u32 = 1;

/// Whether a scalar may stand for a vector in an operand of the function.
fn widens(op: G) -> bool {
    use G::{FClamp, FMax, FMin, FMix, SClamp, SMax, SMin, SmoothStep, Step, UClamp, UMax, UMin};
    matches!(
        op,
        FMin | FMax | FClamp | SMin | SMax | SClamp | UMin | UMax | UClamp | FMix | Step | SmoothStep
    )
}

/// The extended instruction of a function, for operands of a type.
fn extended(which: Intrinsic, scalar: Scalar) -> Option<G> {
    use Intrinsic as I;
    let by = |float: G, signed: G, unsigned: G| match scalar.family() {
        Family::Float => float,
        Family::Signed => signed,
        Family::Unsigned | Family::Bool => unsigned,
    };
    Some(match which {
        I::Radians => G::Radians,
        I::Degrees => G::Degrees,
        I::Sin => G::Sin,
        I::Cos => G::Cos,
        I::Tan => G::Tan,
        I::Asin => G::Asin,
        I::Acos => G::Acos,
        I::Atan => G::Atan,
        I::Atan2 => G::Atan2,
        I::Sinh => G::Sinh,
        I::Cosh => G::Cosh,
        I::Tanh => G::Tanh,
        I::Asinh => G::Asinh,
        I::Acosh => G::Acosh,
        I::Atanh => G::Atanh,
        I::Pow => G::Pow,
        I::Exp => G::Exp,
        I::Log => G::Log,
        I::Exp2 => G::Exp2,
        I::Log2 => G::Log2,
        I::Sqrt => G::Sqrt,
        I::InverseSqrt => G::InverseSqrt,
        I::Abs if scalar.family() != Family::Unsigned => by(G::FAbs, G::SAbs, G::SAbs),
        I::Sign if scalar.family() != Family::Unsigned => by(G::FSign, G::SSign, G::SSign),
        I::Floor => G::Floor,
        I::Trunc => G::Trunc,
        I::Round => G::Round,
        I::RoundEven => G::RoundEven,
        I::Ceil => G::Ceil,
        I::Fract => G::Fract,
        I::Min => by(G::FMin, G::SMin, G::UMin),
        I::Max => by(G::FMax, G::SMax, G::UMax),
        I::Clamp => by(G::FClamp, G::SClamp, G::UClamp),
        I::Mix => G::FMix,
        I::Step => G::Step,
        I::SmoothStep => G::SmoothStep,
        I::Fma => G::Fma,
        I::Ldexp => G::Ldexp,
        I::PackUnorm2x16 => G::PackUnorm2x16,
        I::PackSnorm2x16 => G::PackSnorm2x16,
        I::PackUnorm4x8 => G::PackUnorm4x8,
        I::PackSnorm4x8 => G::PackSnorm4x8,
        I::PackHalf2x16 => G::PackHalf2x16,
        I::PackDouble2x32 => G::PackDouble2x32,
        I::UnpackUnorm2x16 => G::UnpackUnorm2x16,
        I::UnpackSnorm2x16 => G::UnpackSnorm2x16,
        I::UnpackUnorm4x8 => G::UnpackUnorm4x8,
        I::UnpackSnorm4x8 => G::UnpackSnorm4x8,
        I::UnpackHalf2x16 => G::UnpackHalf2x16,
        I::UnpackDouble2x32 => G::UnpackDouble2x32,
        I::Length => G::Length,
        I::Distance => G::Distance,
        I::Cross => G::Cross,
        I::Normalize => G::Normalize,
        I::FaceForward => G::FaceForward,
        I::Reflect => G::Reflect,
        I::Refract => G::Refract,
        I::Determinant => G::Determinant,
        I::Inverse => G::MatrixInverse,
        I::FindLsb => G::FindILsb,
        I::FindMsb => by(G::FindSMsb, G::FindSMsb, G::FindUMsb),
        _ => return None,
    })
}

/// The instruction of a function, operands in the same order.
fn plain(which: Intrinsic) -> Option<Op> {
    use Intrinsic as I;
    Some(match which {
        I::IsNan => Op::IsNan,
        I::IsInf => Op::IsInf,
        I::FloatBitsToInt | I::FloatBitsToUint | I::IntBitsToFloat | I::UintBitsToFloat => Op::Bitcast,
        I::OuterProduct => Op::OuterProduct,
        I::Transpose => Op::Transpose,
        I::Not => Op::LogicalNot,
        I::BitfieldInsert => Op::BitFieldInsert,
        I::BitfieldReverse => Op::BitReverse,
        I::BitCount => Op::BitCount,
        I::Dfdx => Op::DPdx,
        I::Dfdy => Op::DPdy,
        I::DfdxFine => Op::DPdxFine,
        I::DfdyFine => Op::DPdyFine,
        I::DfdxCoarse => Op::DPdxCoarse,
        I::DfdyCoarse => Op::DPdyCoarse,
        I::Fwidth => Op::Fwidth,
        I::FwidthFine => Op::FwidthFine,
        I::FwidthCoarse => Op::FwidthCoarse,
        _ => return None,
    })
}

fn capability(op: Op) -> Option<Capability> {
    let fine = [Op::DPdxFine, Op::DPdyFine, Op::FwidthFine];
    let coarse = [Op::DPdxCoarse, Op::DPdyCoarse, Op::FwidthCoarse];
    (fine.contains(&op) || coarse.contains(&op)).then_some(Capability::DerivativeControl)
}
