//! Operands by their kinds.

use rspirv::binary::Disassemble;
use rspirv::dr::Operand;
use rspirv::grammar::OperandKind as Kind;
use rspirv::spirv;

/// Sets of flags, of which each has a name that the tables print.
macro_rules! flags {
    ($text:expr, $($name:ident),*; $kind:expr, $plain:expr) => {
        match $kind {
            $(Kind::$name => {
                let flag = |name: &str| {
                    let bits = (0..32).map(|bit| 1u32 << bit).filter_map(spirv::$name::from_bits);
                    bits.into_iter().find(|flag| flag.disassemble() == name)
                };
                let none = spirv::$name::from_bits_truncate(0);
                let all = $text.split('|').filter(|name| *name != "None").map(flag);
                all.into_iter().try_fold(none, |all, flag| Some(all | flag?)).map(Operand::$name)
            })*
            _ => $plain,
        }
    };
}

/// Choices of one, which have names in Rust, too.
macro_rules! choices {
    ($text:expr, $($name:ident),*; $kind:expr) => {
        match $kind {
            $(Kind::$name => $text.parse().ok().map(Operand::$name),)*
            _ => None,
        }
    };
}

/// An enumerant or a set of them by name; nothing if the kind has no such, or is none of names.
pub(super) fn named(kind: Kind, text: &str) -> Option<Operand> {
    let dim = format!("Dim{text}");
    let text =
        if kind == Kind::Dim && text.starts_with(|c: char| c.is_ascii_digit()) { dim.as_str() } else { text };
    flags!(
        text, ImageOperands, FPFastMathMode, SelectionControl, LoopControl, FunctionControl, MemorySemantics,
        MemoryAccess, KernelProfilingInfo;
        kind, choices!(
            text, SourceLanguage, ExecutionModel, AddressingModel, MemoryModel, ExecutionMode, StorageClass, Dim,
            SamplerAddressingMode, SamplerFilterMode, ImageFormat, ImageChannelOrder, ImageChannelDataType,
            FPRoundingMode, FPDenormMode, QuantizationModes, FPOperationMode, OverflowModes, LinkageType,
            AccessQualifier, HostAccessQualifier, FunctionParameterAttribute, Decoration, BuiltIn, Scope,
            GroupOperation, Capability, RayQueryIntersection, RayQueryCommittedIntersectionType,
            RayQueryCandidateIntersectionType, PackedVectorFormat; kind
        )
    )
}
