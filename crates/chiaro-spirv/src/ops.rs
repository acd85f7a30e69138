//! Instructions of a block: which family they belong to, and arithmetic.

use crate::body::Body;
use crate::error::{Res, fail};
use crate::ids::{Id, Set};
use crate::words::{Inst, between};
use chiaro_ir::{Combine, ConstantKind, Group, Op, Type, Value};
use spirv::Op as S;

/// An instruction that is one of the IR's, but for the order of operands and a negation.
struct Simple {
    op: Op,
    /// The two operands change places.
    swap: bool,
    /// The result is turned around.
    not: bool,
}

const fn plain(op: Op) -> Option<Simple> {
    Some(Simple { op, swap: false, not: false })
}

const fn swapped(op: Op) -> Option<Simple> {
    Some(Simple { op, swap: true, not: false })
}

const fn turned(op: Op, swap: bool) -> Option<Simple> {
    Some(Simple { op, swap, not: true })
}

fn simple(op: S) -> Option<Simple> {
    match op {
        S::FAdd => plain(Op::FAdd),
        S::FSub => plain(Op::FSub),
        S::FMul => plain(Op::FMul),
        S::FDiv => plain(Op::FDiv),
        S::FRem => plain(Op::FRem),
        S::FMod => plain(Op::FMod),
        S::FNegate => plain(Op::FNeg),
        S::FmaKHR => plain(Op::Fma),
        S::IAdd => plain(Op::IAdd),
        S::ISub => plain(Op::ISub),
        S::IMul => plain(Op::IMul),
        S::UDiv => plain(Op::UDiv),
        S::SDiv => plain(Op::SDiv),
        S::UMod => plain(Op::URem),
        S::SRem => plain(Op::SRem),
        S::SMod => plain(Op::SMod),
        S::SNegate => plain(Op::INeg),
        S::ShiftLeftLogical => plain(Op::Shl),
        S::ShiftRightLogical => plain(Op::LShr),
        S::ShiftRightArithmetic => plain(Op::AShr),
        S::BitwiseAnd | S::LogicalAnd => plain(Op::And),
        S::BitwiseOr | S::LogicalOr => plain(Op::Or),
        S::BitwiseXor => plain(Op::Xor),
        S::Not | S::LogicalNot => plain(Op::Not),
        S::BitReverse => plain(Op::BitReverse),
        S::Dot => plain(Op::FDot),
        S::Any => plain(Op::Any),
        S::All => plain(Op::All),
        S::IsNan => plain(Op::IsNan),
        S::IsInf => plain(Op::IsInf),
        S::Select => plain(Op::Select),
        S::IEqual | S::LogicalEqual => plain(Op::IEq),
        S::INotEqual | S::LogicalNotEqual => plain(Op::INe),
        S::ULessThan => plain(Op::ULt),
        S::ULessThanEqual => plain(Op::ULe),
        S::UGreaterThan => swapped(Op::ULt),
        S::UGreaterThanEqual => swapped(Op::ULe),
        S::SLessThan => plain(Op::SLt),
        S::SLessThanEqual => plain(Op::SLe),
        S::SGreaterThan => swapped(Op::SLt),
        S::SGreaterThanEqual => swapped(Op::SLe),
        S::FOrdEqual => plain(Op::FEq),
        S::FUnordNotEqual => plain(Op::FNe),
        S::FOrdLessThan => plain(Op::FLt),
        S::FOrdLessThanEqual => plain(Op::FLe),
        S::FOrdGreaterThan => swapped(Op::FLt),
        S::FOrdGreaterThanEqual => swapped(Op::FLe),
        // Unordered comparisons are true for a NaN: what the ordered opposite is false for.
        S::FUnordLessThan => turned(Op::FLe, true),
        S::FUnordLessThanEqual => turned(Op::FLt, true),
        S::FUnordGreaterThan => turned(Op::FLe, false),
        S::FUnordGreaterThanEqual => turned(Op::FLt, false),
        S::ConvertFToS => plain(Op::FToS),
        S::ConvertFToU => plain(Op::FToU),
        S::ConvertSToF => plain(Op::SToF),
        S::ConvertUToF => plain(Op::UToF),
        S::FConvert => plain(Op::FToF),
        S::SConvert => plain(Op::SExt),
        S::UConvert => plain(Op::ZExt),
        S::QuantizeToF16 => plain(Op::FQuantize16),
        S::DPdx => plain(Op::Ddx),
        S::DPdy => plain(Op::Ddy),
        S::DPdxFine => plain(Op::DdxFine),
        S::DPdyFine => plain(Op::DdyFine),
        S::DPdxCoarse => plain(Op::DdxCoarse),
        S::DPdyCoarse => plain(Op::DdyCoarse),
        S::VectorExtractDynamic => plain(Op::ExtractDyn),
        S::VectorInsertDynamic => plain(Op::InsertDyn),
        S::SampledImage => plain(Op::SampledImage),
        S::Image => plain(Op::ImageOf),
        _ => None,
    }
}

impl Body<'_, '_> {
    /// Emits an instruction of SPIR-V that does not end a block.
    pub(crate) fn instruction(&mut self, inst: &Inst<'_>, op: S) -> Res<()> {
        self.flags = self.r.notes.flags(inst.operands.get(1).copied().unwrap_or(0));
        self.r.lines.at(inst.at);
        if let Some(row) = simple(op) {
            return self.simple(inst, &row);
        }
        match op {
            S::Line => self.r.lines.line(inst.word(0)?, inst.word(1)?, inst.word(2)?),
            S::NoLine => self.r.lines.no_line(),
            S::Nop | S::LifetimeStart | S::LifetimeStop => {}
            S::BeginInvocationInterlockEXT => _ = self.push(Op::BeginOrdered, &[], &[]),
            S::EndInvocationInterlockEXT => _ = self.push(Op::EndOrdered, &[], &[]),
            S::Undef => self.undef(inst)?,
            S::FunctionCall => self.call(inst)?,
            S::FunctionPointerCallINTEL => self.call_pointer(inst)?,
            S::ExtInst => self.extended(inst)?,
            S::Variable
            | S::Load
            | S::Store
            | S::CopyMemory
            | S::AccessChain
            | S::InBoundsAccessChain
            | S::PtrAccessChain
            | S::InBoundsPtrAccessChain
            | S::ArrayLength
            | S::CopyObject
            | S::ImageTexelPointer
            | S::PtrEqual
            | S::PtrNotEqual => self.memory(inst, op)?,
            S::CompositeConstruct
            | S::CompositeConstructReplicateEXT
            | S::CompositeExtract
            | S::CompositeInsert
            | S::VectorShuffle
            | S::CopyLogical => {
                self.composite(inst, op)?;
            }
            S::Transpose
            | S::VectorTimesScalar
            | S::MatrixTimesScalar
            | S::VectorTimesMatrix
            | S::MatrixTimesVector
            | S::MatrixTimesMatrix
            | S::OuterProduct => self.matrix(inst, op)?,
            _ if is_image(op) => self.image_instruction(inst, op)?,
            _ if is_sparse(op) => return fail("sparse images are not supported"),
            _ if is_atomic(op) => self.atomic(inst, op)?,
            _ if is_subgroup(op) => self.subgroup(inst, op)?,
            S::ControlBarrier | S::MemoryBarrier => self.barrier(inst, op)?,
            _ if self.ray(inst, op)? => {}
            _ => self.rare(inst, op)?,
        }
        Ok(())
    }

    fn simple(&mut self, inst: &Inst<'_>, row: &Simple) -> Res<()> {
        let (_, ty) = self.result_ty(inst)?;
        let mut args = [Value(0); 3];
        let count = inst.rest(2).len();
        let Some(args) = args.get_mut(..count) else { return fail("too many operands") };
        if count == 0 {
            return fail("too few operands");
        }
        for (arg, &id) in args.iter_mut().zip(inst.rest(2)) {
            *arg = self.value(id)?;
        }
        if row.swap {
            args.reverse();
        }
        let mut v = match self.r.module.types.bits(self.f.ty(args[0])) {
            Some(8) if computes(row.op) => self.on_bytes(row.op, args, ty)?,
            _ => self.op(row.op, args, ty),
        };
        if row.not {
            v = self.op(Op::Not, &[v], ty);
        }
        self.set(inst, v)
    }

    /// Arithmetic on bytes, which the IR has in memory only: in 32 bits and back.
    pub(crate) fn on_bytes(&mut self, op: Op, args: &[Value], ty: chiaro_ir::Ty) -> Res<Value> {
        let extend = match op {
            Op::SDiv | Op::SRem | Op::SMod | Op::AShr | Op::SLt | Op::SLe => Op::SExt,
            Op::IAbs | Op::ISign | Op::SMin | Op::SMax => Op::SExt,
            Op::LaneCombine(Combine::SMin | Combine::SMax, _) => Op::SExt,
            _ => Op::ZExt,
        };
        let mut wide = args.to_vec();
        for v in &mut wide {
            if self.r.module.types.bits(self.f.ty(*v)) == Some(8) {
                let to = self.like(Type::Int(32), self.f.ty(*v));
                *v = self.op(extend, &[*v], to);
            }
        }
        if matches!(op, Op::Shl | Op::LShr | Op::AShr) && wide.len() == 2 {
            let seven = self.int(7, wide[1])?;
            wide[1] = self.same(Op::And, &[wide[1], seven]);
        }
        if self.r.module.types.is_bool(ty) {
            return Ok(self.op(op, &wide, ty));
        }
        let mut v = self.same(op, &wide);
        // The first of all lanes gets what changes no byte.
        if let Op::LaneCombine(combine @ (Combine::SMin | Combine::SMax), Group::Exclusive) = op {
            let (bound, end) = if combine == Combine::SMin { (Op::SMin, 127) } else { (Op::SMax, -128) };
            let end = self.int(end, v)?;
            v = self.same(bound, &[v, end]);
        }
        Ok(self.op(Op::ZExt, &[v], ty))
    }

    /// Arithmetic that takes more than one instruction, and what is rarely seen.
    fn rare(&mut self, inst: &Inst<'_>, op: S) -> Res<()> {
        let v = match op {
            S::FOrdNotEqual => self.different(inst, false)?,
            S::FUnordEqual => self.different(inst, true)?,
            S::Ordered | S::Unordered => self.ordered(inst, op == S::Unordered)?,
            S::IAddCarry => self.pair(inst, Op::IAdd, Op::UAddCarry)?,
            S::ISubBorrow => self.pair(inst, Op::ISub, Op::USubBorrow)?,
            S::UMulExtended => self.pair(inst, Op::IMul, Op::UMulHigh)?,
            S::SMulExtended => self.pair(inst, Op::IMul, Op::SMulHigh)?,
            S::Bitcast | S::ConvertPtrToU | S::ConvertUToPtr | S::ConvertUToAccelerationStructureKHR => {
                self.bitcast(inst)?
            }
            S::BitCount => {
                let v = self.operand(inst, 2)?;
                let v = self.same(Op::BitCount, &[v]);
                self.resized(inst, v)?
            }
            S::BitFieldInsert => self.bits_of(inst, Op::BitInsert, 4)?,
            S::BitFieldSExtract => self.bits_of(inst, Op::BitExtractS, 3)?,
            S::BitFieldUExtract => self.bits_of(inst, Op::BitExtractU, 3)?,
            S::Fwidth => self.width_of(inst, Op::Ddx, Op::Ddy)?,
            S::FwidthFine => self.width_of(inst, Op::DdxFine, Op::DdyFine)?,
            S::FwidthCoarse => self.width_of(inst, Op::DdxCoarse, Op::DdyCoarse)?,
            S::IsHelperInvocationEXT => {
                let (_, ty) = self.result_ty(inst)?;
                self.op(Op::IsHelper, &[], ty)
            }
            S::ReadClockKHR => self.clock(inst)?,
            S::SDot | S::UDot | S::SUDot | S::SDotAccSat | S::UDotAccSat | S::SUDotAccSat => {
                self.integer_dot(inst, op)?
            }
            S::ExpectKHR => self.operand(inst, 2)?,
            _ => return self.no_result(inst, op),
        };
        self.set(inst, v)
    }

    fn no_result(&mut self, inst: &Inst<'_>, op: S) -> Res<()> {
        let effect = match op {
            S::DemoteToHelperInvocation => Op::Demote,
            S::EmitVertex => Op::EmitVertex(0),
            S::EndPrimitive => Op::EndPrimitive(0),
            S::EmitStreamVertex => Op::EmitVertex(self.stream(inst)?),
            S::EndStreamPrimitive => Op::EndPrimitive(self.stream(inst)?),
            S::AssumeTrueKHR => return Ok(()),
            _ => return fail(format!("Op{op:?} is not supported")),
        };
        self.push(effect, &[], &[]);
        Ok(())
    }

    fn stream(&mut self, inst: &Inst<'_>) -> Res<u8> {
        match self.r.constant_u32(inst.word(0)?)? {
            n @ 0..=3 => Ok(n as u8),
            n => fail(format!("there is no stream {n}")),
        }
    }

    fn undef(&mut self, inst: &Inst<'_>) -> Res<()> {
        let (ty, value) = self.result_ty(inst)?;
        let c = self.r.module.constants.intern(value, ConstantKind::Undef);
        self.define(inst.word(1)?, Id::Constant(c, ty))
    }

    fn extended(&mut self, inst: &Inst<'_>) -> Res<()> {
        match self.r.id(inst.word(2)?)? {
            Id::Set(Set::Glsl) => self.glsl(inst),
            Id::Set(Set::Trinary) => self.trinary(inst),
            Id::Set(Set::Debug) => {
                self.r.debug_information(inst)?;
                self.define(inst.word(1)?, Id::Ignored)
            }
            Id::Set(Set::Print) if self.r.options.prints => self.print(inst),
            Id::Set(Set::Silent | Set::Print) => self.define(inst.word(1)?, Id::Ignored),
            Id::Set(Set::Unknown) => fail("the set of extended instructions is unknown"),
            _ => fail("a set of extended instructions is expected"),
        }
    }

    /// `debugPrintfEXT`: a text of the module, and values.
    fn print(&mut self, inst: &Inst<'_>) -> Res<()> {
        let number = self.r.printed(inst.word(4)?);
        let values: Vec<Value> = inst.rest(5).iter().map(|&id| self.value(id)).collect::<Res<_>>()?;
        self.flags = chiaro_ir::Flags::default();
        self.push(Op::Print(number), &values, &[]);
        self.define(inst.word(1)?, Id::Ignored)
    }

    /// Ordered and different, or equal or unordered: less or greater, and the opposite.
    fn different(&mut self, inst: &Inst<'_>, not: bool) -> Res<Value> {
        let (a, b) = (self.operand(inst, 2)?, self.operand(inst, 3)?);
        let (less, greater) = (self.test(Op::FLt, &[a, b]), self.test(Op::FLt, &[b, a]));
        let v = self.same(Op::Or, &[less, greater]);
        Ok(if not { self.same(Op::Not, &[v]) } else { v })
    }

    fn ordered(&mut self, inst: &Inst<'_>, not: bool) -> Res<Value> {
        let (a, b) = (self.operand(inst, 2)?, self.operand(inst, 3)?);
        let (a, b) = (self.test(Op::IsNan, &[a]), self.test(Op::IsNan, &[b]));
        let v = self.same(Op::Or, &[a, b]);
        Ok(if not { v } else { self.same(Op::Not, &[v]) })
    }

    /// A structure of two results.
    fn pair(&mut self, inst: &Inst<'_>, low: Op, high: Op) -> Res<Value> {
        let (_, ty) = self.result_ty(inst)?;
        let (a, b) = (self.operand(inst, 2)?, self.operand(inst, 3)?);
        let (low, high) = (self.same(low, &[a, b]), self.same(high, &[a, b]));
        Ok(self.op(Op::Construct, &[low, high], ty))
    }

    fn bitcast(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let (_, ty) = self.result_ty(inst)?;
        let v = self.operand(inst, 2)?;
        Ok(if self.f.ty(v) == ty { v } else { self.op(Op::Bitcast, &[v], ty) })
    }

    /// An integer in the width of the result.
    fn resized(&mut self, inst: &Inst<'_>, v: Value) -> Res<Value> {
        let (_, ty) = self.result_ty(inst)?;
        Ok(if self.f.ty(v) == ty { v } else { self.op(Op::ZExt, &[v], ty) })
    }

    /// A bit field operation; offset and count are the last two operands, of any width.
    fn bits_of(&mut self, inst: &Inst<'_>, op: Op, count: usize) -> Res<Value> {
        let mut args = self.operands(inst, 2)?;
        if args.len() != count {
            return fail("too few operands");
        }
        let int = self.int_ty();
        for arg in &mut args[count - 2..] {
            if self.f.ty(*arg) != int {
                *arg = self.op(Op::ZExt, &[*arg], int);
            }
        }
        Ok(self.same(op, &args))
    }

    fn width_of(&mut self, inst: &Inst<'_>, x: Op, y: Op) -> Res<Value> {
        let v = self.operand(inst, 2)?;
        let (x, y) = (self.same(x, &[v]), self.same(y, &[v]));
        let (x, y) = (self.same(Op::FAbs, &[x]), self.same(Op::FAbs, &[y]));
        Ok(self.same(Op::FAdd, &[x, y]))
    }

    fn clock(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let (_, ty) = self.result_ty(inst)?;
        let scope = self.scope(inst.word(2)?)?;
        let int = self.int_ty();
        let pair = self.r.module.types.vector(int, 2);
        let v = self.op(Op::Clock(scope), &[], pair);
        Ok(if ty == pair { v } else { self.op(Op::Bitcast, &[v], ty) })
    }

    /// A sum of integer products, with vectors or with four bytes in a word.
    fn integer_dot(&mut self, inst: &Inst<'_>, op: S) -> Res<Value> {
        let (_, ty) = self.result_ty(inst)?;
        let (a, b) = (self.operand(inst, 2)?, self.operand(inst, 3)?);
        let a = self.widened(a, !matches!(op, S::UDot | S::UDotAccSat), ty)?;
        let b = self.widened(b, matches!(op, S::SDot | S::SDotAccSat), ty)?;
        let mut sum = None;
        for (a, b) in a.into_iter().zip(b) {
            let product = self.op(Op::IMul, &[a, b], ty);
            sum = Some(match sum {
                None => product,
                Some(sum) => self.op(Op::IAdd, &[sum, product], ty),
            });
        }
        let Some(sum) = sum else { return fail("a vector is expected") };
        if !matches!(op, S::SDotAccSat | S::UDotAccSat | S::SUDotAccSat) {
            return Ok(sum);
        }
        let total = self.operand(inst, 4)?;
        self.saturating(sum, total, op == S::UDotAccSat)
    }

    /// Components as integers of a type; a single word holds four bytes.
    fn widened(&mut self, v: Value, signed: bool, ty: chiaro_ir::Ty) -> Res<Vec<Value>> {
        let parts = if self.components(v) == 1 {
            let eight = self.int32(8);
            let bytes = (0..4).map(|i| {
                let at = self.int32(i * 8);
                let op = if signed { Op::BitExtractS } else { Op::BitExtractU };
                self.same(op, &[v, at, eight])
            });
            bytes.collect()
        } else {
            self.parts(v)?
        };
        let extend = if signed { Op::SExt } else { Op::ZExt };
        Ok(parts
            .into_iter()
            .map(|v| if self.f.ty(v) == ty { v } else { self.op(extend, &[v], ty) })
            .collect())
    }

    /// A sum that stops at the ends of the range.
    fn saturating(&mut self, a: Value, b: Value, unsigned: bool) -> Res<Value> {
        let sum = self.same(Op::IAdd, &[a, b]);
        let bits = self.r.module.types.bits(self.f.ty(a)).unwrap_or(32).clamp(8, 64);
        if unsigned {
            let wrapped = self.test(Op::ULt, &[sum, a]);
            let top = self.int(-1, a)?;
            return Ok(self.select(wrapped, top, sum));
        }
        // The sum overflowed where its sign differs from that of both operands.
        let (x, y) = (self.same(Op::Xor, &[sum, a]), self.same(Op::Xor, &[sum, b]));
        let both = self.same(Op::And, &[x, y]);
        let zero = self.int(0, a)?;
        let wrapped = self.test(Op::SLt, &[both, zero]);
        let shift = self.int(i64::from(bits) - 1, a)?;
        let sign = self.same(Op::AShr, &[a, shift]);
        let top = self.int((u64::MAX >> (65 - u32::from(bits))) as i64, a)?;
        let end = self.same(Op::Xor, &[sign, top]);
        Ok(self.select(wrapped, end, sum))
    }
}

fn is_image(op: S) -> bool {
    between(op, S::ImageSampleImplicitLod, S::ImageQuerySamples)
}

fn is_sparse(op: S) -> bool {
    between(op, S::ImageSparseSampleImplicitLod, S::ImageSparseTexelsResident) || op == S::ImageSparseRead
}

fn is_atomic(op: S) -> bool {
    between(op, S::AtomicLoad, S::AtomicXor)
        || matches!(op, S::AtomicFAddEXT | S::AtomicFMinEXT | S::AtomicFMaxEXT)
}

fn is_subgroup(op: S) -> bool {
    between(op, S::GroupNonUniformElect, S::GroupNonUniformQuadSwap)
        || matches!(op, S::SubgroupBallotKHR | S::SubgroupFirstInvocationKHR | S::SubgroupReadInvocationKHR)
        || matches!(op, S::SubgroupAllKHR | S::SubgroupAnyKHR | S::SubgroupAllEqualKHR)
        || matches!(op, S::GroupNonUniformQuadAllKHR | S::GroupNonUniformQuadAnyKHR)
        || op == S::GroupNonUniformRotateKHR
}

/// Whether an operation computes with integers, rather than moving or converting them.
fn computes(op: Op) -> bool {
    !matches!(op, Op::SToF | Op::UToF | Op::SExt | Op::ZExt | Op::Select | Op::ExtractDyn | Op::InsertDyn)
}
