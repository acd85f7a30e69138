//! Which words of an instruction are ids.
//!
//! The shape of an instruction is a short text, one letter for each operand:
//!
//! | letter | operand |
//! |---|---|
//! | `t` | id of the result's type |
//! | `r` | the result's id |
//! | `i` | id |
//! | `l` | literal of one word: number, enumerant or mask |
//! | `s` | text |
//! | `m` | memory access: a mask, and what its bits ask for |
//! | `c` | cases of a switch: literals as wide as the selector, each with a label |
//! | `o` | opcode and operands of a constant expression |
//!
//! `*` repeats the letter before it to the end, `+` the two letters before it. What an
//! instruction leaves out at its end is simply absent. The facts are those of the machine
//! readable grammar of SPIR-V 1.6; instructions of kernels alone are left out.

mod cooperative;
mod rays;

use std::collections::HashSet;

use spirv::Op;

use crate::instruction::{Instruction, Malformed, Reason, text};

/// What a word of an instruction is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The id of the result's type.
    Type,
    /// The id that the instruction defines.
    Result,
    /// Another id.
    Id,
    /// A number, enumerant, mask or piece of text.
    Literal,
}

/// Tells the role of every operand word, in a stream that is read from its start.
///
/// It remembers which values are 64 bits wide, since the literals of a switch are as wide as
/// its selector.
#[derive(Clone, Debug, Default)]
pub struct Roles {
    /// Types of 64-bit integers, and values of these types.
    wide: HashSet<u32>,
    roles: Vec<Role>,
}

impl Roles {
    /// At the start of a module.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The role of each word of [`Instruction::operands`].
    ///
    /// # Errors
    /// [`Reason::UnknownOperands`] for an instruction without a shape.
    pub fn of(&mut self, inst: &Instruction<'_>) -> Result<&[Role], Malformed> {
        self.roles.clear();
        let unknown = Malformed { word: inst.at, reason: Reason::UnknownOperands(inst.op) };
        let shape = shape(inst.op).ok_or_else(|| unknown.clone())?;
        let mut walk = Walk { words: inst.operands, roles: &mut self.roles, wide: &self.wide };
        walk.shape(shape.as_bytes()).ok_or(unknown)?;
        self.remember(inst);
        Ok(&self.roles)
    }

    fn remember(&mut self, inst: &Instruction<'_>) {
        match (inst.op, inst.operands) {
            (Op::TypeInt, &[result, 64, ..]) => {
                self.wide.insert(result);
            }
            (_, &[ty, result, ..]) if self.roles.first() == Some(&Role::Type) && self.wide.contains(&ty) => {
                self.wide.insert(result);
            }
            _ => {}
        }
    }
}

struct Walk<'a> {
    words: &'a [u32],
    roles: &'a mut Vec<Role>,
    wide: &'a HashSet<u32>,
}

impl Walk<'_> {
    fn left(&self) -> usize {
        self.words.len() - self.roles.len()
    }

    fn push(&mut self, role: Role, count: usize) {
        let count = count.min(self.left());
        self.roles.extend(std::iter::repeat_n(role, count));
    }

    /// `None` where a constant expression holds an operation without a shape.
    fn shape(&mut self, shape: &[u8]) -> Option<()> {
        for (i, &letter) in shape.iter().enumerate() {
            match letter {
                b'*' => self.repeat(&shape[i - 1..i])?,
                b'+' => self.repeat(&shape[i - 2..i])?,
                _ => self.letter(letter)?,
            }
        }
        // Words past the shape's end belong to a version that we do not know; they are kept.
        self.push(Role::Literal, usize::MAX);
        Some(())
    }

    fn repeat(&mut self, letters: &[u8]) -> Option<()> {
        while self.left() > 0 {
            letters.iter().try_for_each(|&l| self.letter(l))?;
        }
        Some(())
    }

    fn letter(&mut self, letter: u8) -> Option<()> {
        match letter {
            b't' => self.push(Role::Type, 1),
            b'r' => self.push(Role::Result, 1),
            b'i' => self.push(Role::Id, 1),
            b's' => {
                let used = text(&self.words[self.roles.len()..]).1;
                self.push(Role::Literal, used);
            }
            b'm' => self.memory(),
            b'c' => self.cases(),
            b'o' => self.expression()?,
            _ => self.push(Role::Literal, 1),
        }
        Some(())
    }

    /// An alignment is a number, the scopes of availability and visibility are ids.
    fn memory(&mut self) {
        let Some(&mask) = self.words.get(self.roles.len()) else { return };
        let mask = spirv::MemoryAccess::from_bits_retain(mask);
        self.push(Role::Literal, 1 + usize::from(mask.contains(spirv::MemoryAccess::ALIGNED)));
        for scope in [spirv::MemoryAccess::MAKE_POINTER_AVAILABLE, spirv::MemoryAccess::MAKE_POINTER_VISIBLE]
        {
            self.push(Role::Id, usize::from(mask.contains(scope)));
        }
    }

    fn cases(&mut self) {
        let wide = self.words.first().is_some_and(|selector| self.wide.contains(selector));
        while self.left() > 0 {
            self.push(Role::Literal, 1 + usize::from(wide));
            self.push(Role::Id, 1);
        }
    }

    /// As the operation itself without its type and result.
    fn expression(&mut self) -> Option<()> {
        let Some(&number) = self.words.get(self.roles.len()) else { return Some(()) };
        let shape = shape(Op::from_u32(number)?)?.strip_prefix("tr")?;
        self.push(Role::Literal, 1);
        if shape.contains('o') { None } else { self.shape(shape.as_bytes()) }
    }
}

/// The shape of an instruction; `None` for those that shaders do not use.
#[must_use]
pub fn shape(op: Op) -> Option<&'static str> {
    around(op)
        .or_else(|| declaration(op))
        .or_else(|| value(op))
        .or_else(|| group(op))
        .or_else(|| cooperative::cooperative(op))
        .or_else(|| rays::shape(op))
}

/// Whether an instruction came to ray tracing after its first version: those of hit objects,
/// swept spheres and small triangles.
#[must_use]
pub fn is_of_newer_rays(op: Op) -> bool {
    rays::shape(op).is_some()
}

/// Debug information, annotations, control flow and effects: nothing with a value.
fn around(op: Op) -> Option<&'static str> {
    use Op::*;
    Some(match op {
        Nop | FunctionEnd | EmitVertex | EndPrimitive | Kill | Return | Unreachable | NoLine => "",
        crate::newer::ABORT => "ii",
        TerminateInvocation | DemoteToHelperInvocation | IgnoreIntersectionKHR | TerminateRayKHR => "",
        BeginInvocationInterlockEXT | EndInvocationInterlockEXT => "",
        Capability => "l",
        MemoryModel => "ll",
        Source => "llis",
        SourceContinued | SourceExtension | Extension | ModuleProcessed => "s",
        String | ExtInstImport => "rs",
        Name => "is",
        MemberName => "ils",
        Line => "ill",
        EntryPoint => "lisi*",
        ExecutionMode => "il*",
        ExecutionModeId => "ili*",
        Decorate | DecorateString => "il*",
        DecorateId => "ili*",
        MemberDecorate | MemberDecorateString => "ill*",
        MemberDecorateIdEXT => "illi*",
        DecorationGroup | Label => "r",
        GroupDecorate => "ii*",
        GroupMemberDecorate => "iil+",
        EmitStreamVertex | EndStreamPrimitive | Branch | ReturnValue | AssumeTrueKHR => "i",
        SelectionMerge => "il",
        LoopMerge => "iil*",
        BranchConditional => "iiil*",
        Switch => "iic",
        MemoryBarrier | ExecuteCallableKHR => "ii",
        ControlBarrier | ControlBarrierArriveINTEL | ControlBarrierWaitINTEL => "iii",
        Store => "iim",
        CopyMemory => "iimm",
        CopyMemorySized => "iiimm",
        ImageWrite | TensorWriteARM => "iiili*",
        AtomicStore => "iiii",
        TraceRayKHR | TraceRayMotionNV | RayQueryInitializeKHR => "i*",
        RayQueryTerminateKHR | RayQueryConfirmIntersectionKHR | RayQueryGenerateIntersectionKHR => "i*",
        _ => return None,
    })
}

/// Types, constants, variables and the heads of functions.
fn declaration(op: Op) -> Option<&'static str> {
    use Op::*;
    Some(match op {
        TypeVoid | TypeBool | TypeSampler | TypeRayQueryKHR | TypeAccelerationStructureKHR => "r",
        TypeInt | TypeFloat | TypeUntypedPointerKHR | TypeBufferEXT => "rl*",
        TypeVector | TypeMatrix => "ril",
        TypeImage => "ril*",
        TypeSampledImage | TypeRuntimeArray | TypeArray | TypeStruct | TypeFunction | TypeTensorARM => "ri*",
        TypeOpaque => "rs",
        TypePointer => "rli",
        TypeForwardPointer => "il",
        Undef | ConstantTrue | ConstantFalse | ConstantNull | SpecConstantTrue | SpecConstantFalse
        | FunctionParameter => "tr",
        Constant | SpecConstant => "trl*",
        ConstantSizeOfEXT => "tri",
        ConstantComposite | SpecConstantComposite => "tri*",
        SpecConstantOp => "tro",
        Function => "trli",
        Variable | UntypedVariableKHR => "trli*",
        _ => return None,
    })
}

/// Values: most have nothing but ids.
fn value(op: Op) -> Option<&'static str> {
    use Op::*;
    Some(match op {
        ExtInst => "trili*",
        Load => "trim",
        CompositeExtract => "tril*",
        CompositeInsert | VectorShuffle => "triil*",
        ArrayLength => "tril",
        SDot | UDot | SUDot => "triil",
        SDotAccSat | UDotAccSat | SUDotAccSat => "triiil",
        ImageSampleImplicitLod
        | ImageSampleExplicitLod
        | ImageSampleProjImplicitLod
        | ImageSampleProjExplicitLod
        | ImageFetch
        | ImageRead
        | ImageSparseSampleImplicitLod
        | ImageSparseSampleExplicitLod
        | ImageSparseFetch
        | ImageSparseRead
        | TensorReadARM => "triili*",
        ImageSampleDrefImplicitLod
        | ImageSampleDrefExplicitLod
        | ImageSampleProjDrefImplicitLod
        | ImageSampleProjDrefExplicitLod
        | ImageGather
        | ImageDrefGather
        | crate::newer::IMAGE_GATHER
        | ImageSparseSampleDrefImplicitLod
        | ImageSparseSampleDrefExplicitLod
        | ImageSparseGather
        | ImageSparseDrefGather => "triiili*",
        _ if is_plain_value(op) => "tri*",
        _ => return None,
    })
}

/// Whether an operation has a type, a result, and ids alone.
fn is_plain_value(op: Op) -> bool {
    use Op::*;
    // Runs of neighbours in the specification's numbering.
    const RUNS: [(Op, Op); 11] = [
        (CopyObject, SampledImage),
        (ImageQuerySizeLod, ImageQuerySamples),
        (ConvertFToU, FConvert),
        (SNegate, SMulExtended),
        (Any, Unordered),
        (LogicalEqual, FUnordGreaterThanEqual),
        (ShiftRightLogical, BitCount),
        (DPdx, FwidthCoarse),
        (AtomicExchange, AtomicXor),
        (RayQueryGetRayTMinKHR, RayQueryGetIntersectionWorldToObjectKHR),
        (CopyLogical, PtrDiff),
    ];
    let in_run = |&(first, last): &(Op, Op)| (first as u32..=last as u32).contains(&(op as u32));
    RUNS.iter().any(in_run)
        || matches!(op, FunctionCall | Phi | CompositeConstruct | Image | AtomicLoad | FmaKHR | ExpectKHR)
        || matches!(op, ImageTexelPointer | AccessChain | InBoundsAccessChain | PtrAccessChain)
        || matches!(op, InBoundsPtrAccessChain | VectorExtractDynamic | VectorInsertDynamic)
        || matches!(op, QuantizeToF16 | ConvertPtrToU | ConvertUToPtr | Bitcast | ImageSparseTexelsResident)
        || matches!(op, AtomicFAddEXT | AtomicFMinEXT | AtomicFMaxEXT | IsHelperInvocationEXT | ReadClockKHR)
        || matches!(op, ReportIntersectionKHR | ConvertUToAccelerationStructureKHR)
        || matches!(op, TensorQuerySizeARM | RayQueryProceedKHR | RayQueryGetIntersectionTypeKHR)
        || matches!(op, RayQueryGetIntersectionTriangleVertexPositionsKHR)
        || matches!(op, RayQueryGetIntersectionClusterIdNV | FragmentMaskFetchAMD | FragmentFetchAMD)
        || op == crate::newer::BITCAST_EXTRACT
        || matches!(op, ColorAttachmentReadEXT | ImageSampleFootprintNV)
        || matches!(op, UntypedAccessChainKHR | UntypedImageTexelPointerEXT | BufferPointerEXT)
        || matches!(op, DepthAttachmentReadEXT | StencilAttachmentReadEXT)
        || matches!(op, ImageSampleWeightedQCOM | ImageBoxFilterQCOM)
        || matches!(op, ImageBlockMatchSSDQCOM | ImageBlockMatchSADQCOM)
        || matches!(op, ImageBlockMatchWindowSSDQCOM | ImageBlockMatchWindowSADQCOM)
        || matches!(op, ImageBlockMatchGatherSSDQCOM | ImageBlockMatchGatherSADQCOM)
}

/// What lanes of a subgroup do together.
fn group(op: Op) -> Option<&'static str> {
    use Op::*;
    let number = op as u32;
    Some(match op {
        GroupNonUniformElect | GroupNonUniformBroadcastFirst => "tri*",
        GroupNonUniformBallotBitCount => "trili",
        _ if (GroupNonUniformAll as u32..=GroupNonUniformShuffleDown as u32).contains(&number) => "tri*",
        _ if (GroupNonUniformIAdd as u32..=GroupNonUniformLogicalXor as u32).contains(&number) => "trili*",
        _ if (GroupIAdd as u32..=GroupSMax as u32).contains(&number) => "trili",
        _ if (GroupIAddNonUniformAMD as u32..=GroupSMaxNonUniformAMD as u32).contains(&number) => "trili",
        GroupNonUniformQuadBroadcast | GroupNonUniformQuadSwap | GroupNonUniformRotateKHR => "tri*",
        GroupNonUniformQuadAllKHR | GroupNonUniformQuadAnyKHR | GroupNonUniformPartitionEXT => "tri*",
        SubgroupBallotKHR
        | SubgroupFirstInvocationKHR
        | SubgroupAllKHR
        | SubgroupAnyKHR
        | SubgroupAllEqualKHR
        | SubgroupReadInvocationKHR => "tri*",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(op: Op, operands: &[u32], wide: &[u32]) -> String {
        let mut all = Roles { wide: wide.iter().copied().collect(), ..Roles::new() };
        let inst = Instruction { at: 5, op, operands };
        let letter = |r: &Role| match r {
            Role::Type => 't',
            Role::Result => 'r',
            Role::Id => 'i',
            Role::Literal => 'l',
        };
        all.of(&inst).map_or_else(|e| e.to_string(), |roles| roles.iter().map(letter).collect())
    }

    #[test]
    fn shapes_with_a_catch() {
        assert_eq!(roles(Op::Switch, &[1, 2, 3, 4, 5, 6], &[]), "iilili");
        assert_eq!(roles(Op::Switch, &[1, 2, 3, 0, 4, 5, 0, 6], &[1]), "iillilli");
        assert_eq!(roles(Op::Load, &[1, 2, 3, 2 | 16, 4, 9], &[]), "trilli");
        assert_eq!(roles(Op::CopyMemory, &[1, 2, 2, 4, 16, 9], &[]), "iillli");
        assert_eq!(roles(Op::SpecConstantOp, &[1, 2, Op::CompositeExtract as u32, 3, 0], &[]), "trlil");
        assert_eq!(roles(Op::EntryPoint, &[0, 1, u32::from_le_bytes(*b"main"), 0, 7, 8], &[]), "lillii");
        assert_eq!(roles(Op::GroupMemberDecorate, &[1, 2, 0, 3, 1], &[]), "iilil");
        // Cut short: what is there has its role.
        assert_eq!(roles(Op::Load, &[1], &[]), "t");
        assert!(roles(Op::SpecConstantOp, &[1, 2, Op::SpecConstantOp as u32, 52], &[]).contains("not known"));
        assert!(roles(Op::EnqueueKernel, &[1], &[]).contains("not known"));
    }
}
