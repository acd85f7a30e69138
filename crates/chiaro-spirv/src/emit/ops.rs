//! Operations of one result: the table, and those that are not rows of it.

use chiaro_ir::Op as Ir;
use spirv::{GlslStd450Op as G, Op};

/// What an operation is in SPIR-V, its operands being the same in the same order.
pub(super) enum Form {
    /// An instruction.
    Op(Op),
    /// A function of `GLSL.std.450`.
    Extended(G),
}

/// The form of an operation that has one with the same meaning where it is defined; `of_bools` says
/// whether its operands are.
pub(super) fn form(op: Ir, of_bools: bool) -> Option<Form> {
    bools(op)
        .filter(|_| of_bools)
        .or_else(|| plain(op))
        .map(Form::Op)
        .or_else(|| extended(op).map(Form::Extended))
}

/// Whether operands and result have a sign. SPIR-V reads them by the instruction, but translators into
/// languages, where the type decides, by the type.
pub(super) fn signs(op: Ir) -> [bool; 2] {
    match op {
        Ir::FToS => [false, true],
        Ir::SToF | Ir::SLt | Ir::SLe => [true, false],
        Ir::INeg | Ir::AShr | Ir::SMin | Ir::SMax => [true, true],
        _ => [false, false],
    }
}

fn bools(op: Ir) -> Option<Op> {
    Some(match op {
        Ir::And => Op::LogicalAnd,
        Ir::Or => Op::LogicalOr,
        Ir::Xor | Ir::INe => Op::LogicalNotEqual,
        Ir::IEq => Op::LogicalEqual,
        Ir::Not => Op::LogicalNot,
        _ => return None,
    })
}

fn plain(op: Ir) -> Option<Op> {
    Some(match op {
        Ir::FAdd => Op::FAdd,
        Ir::FSub => Op::FSub,
        Ir::FMul => Op::FMul,
        Ir::FDiv => Op::FDiv,
        Ir::FRem => Op::FRem,
        Ir::FMod => Op::FMod,
        Ir::FNeg => Op::FNegate,
        Ir::FDot => Op::Dot,
        Ir::IAdd => Op::IAdd,
        Ir::ISub => Op::ISub,
        Ir::IMul => Op::IMul,
        Ir::INeg => Op::SNegate,
        Ir::Shl => Op::ShiftLeftLogical,
        Ir::LShr => Op::ShiftRightLogical,
        Ir::AShr => Op::ShiftRightArithmetic,
        Ir::And => Op::BitwiseAnd,
        Ir::Or => Op::BitwiseOr,
        Ir::Xor => Op::BitwiseXor,
        Ir::Not => Op::Not,
        Ir::BitCount => Op::BitCount,
        Ir::BitReverse => Op::BitReverse,
        Ir::FEq => Op::FOrdEqual,
        Ir::FNe => Op::FUnordNotEqual,
        Ir::FLt => Op::FOrdLessThan,
        Ir::FLe => Op::FOrdLessThanEqual,
        Ir::IEq => Op::IEqual,
        Ir::INe => Op::INotEqual,
        Ir::ULt => Op::ULessThan,
        Ir::ULe => Op::ULessThanEqual,
        Ir::SLt => Op::SLessThan,
        Ir::SLe => Op::SLessThanEqual,
        Ir::IsNan => Op::IsNan,
        Ir::IsInf => Op::IsInf,
        Ir::All => Op::All,
        Ir::Any => Op::Any,
        Ir::FToS => Op::ConvertFToS,
        Ir::FToU => Op::ConvertFToU,
        Ir::SToF => Op::ConvertSToF,
        Ir::UToF => Op::ConvertUToF,
        Ir::Bitcast => Op::Bitcast,
        Ir::Load => Op::Load,
        Ir::Access => Op::AccessChain,
        _ => return None,
    })
}

fn extended(op: Ir) -> Option<G> {
    Some(match op {
        Ir::Fma => G::Fma,
        Ir::FAbs => G::FAbs,
        Ir::FSign => G::FSign,
        Ir::FFloor => G::Floor,
        Ir::FCeil => G::Ceil,
        Ir::FTrunc => G::Trunc,
        Ir::FRoundEven => G::RoundEven,
        Ir::FFract => G::Fract,
        Ir::FMin => G::NMin,
        Ir::FMax => G::NMax,
        Ir::FClamp => G::NClamp,
        Ir::FSqrt => G::Sqrt,
        Ir::FRsqrt => G::InverseSqrt,
        Ir::FExp => G::Exp,
        Ir::FExp2 => G::Exp2,
        Ir::FLog => G::Log,
        Ir::FLog2 => G::Log2,
        Ir::FPow => G::Pow,
        Ir::FSin => G::Sin,
        Ir::FCos => G::Cos,
        Ir::UMin => G::UMin,
        Ir::UMax => G::UMax,
        Ir::SMin => G::SMin,
        Ir::SMax => G::SMax,
        _ => return None,
    })
}
