//! SPIR-V that a source brings itself: instructions, types, decorations and modes.
//! [GL_EXT_spirv_intrinsics]

use crate::handle::{ExprId, Ty};
use crate::token::Symbol;

/// What words of the source's own need.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SpirvNeeds {
    /// Extensions of SPIR-V.
    pub extensions: Vec<Symbol>,
    /// Capabilities.
    pub capabilities: Vec<spirv::Capability>,
}

/// A function that is an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpirvInstruction {
    /// What it needs.
    pub needs: SpirvNeeds,
    /// The set that it is of; none for an instruction of SPIR-V itself.
    pub set: Option<Symbol>,
    /// Its number.
    pub number: u32,
    /// How each argument is passed.
    pub params: Vec<SpirvParam>,
}

/// A type of SPIR-V that the source brings itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpirvType {
    /// What it needs.
    pub needs: SpirvNeeds,
    /// The number of the instruction that declares it.
    pub number: u32,
    /// The operands of that.
    pub operands: Vec<SpirvOperand>,
}

/// An operand of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpirvOperand {
    /// A word.
    Number(u32),
    /// A type.
    Type(Ty),
}

/// How an argument is passed to an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpirvParam {
    /// The id of a value.
    Value,
    /// The id of a pointer.
    Pointer,
    /// A word.
    Literal,
}

/// A decoration of the source's own.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SpirvDecoration {
    /// What it needs.
    pub needs: SpirvNeeds,
    /// Its number.
    pub number: u32,
    /// What follows: numbers, or texts.
    pub values: Vec<SpirvValue>,
}

/// An execution mode of the source's own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpirvMode {
    /// What it needs.
    pub needs: SpirvNeeds,
    /// Its number.
    pub number: u32,
    /// Whether its values are ids of constants.
    pub by_id: bool,
    /// What follows.
    pub values: Vec<SpirvValue>,
}

/// A word or text that the source hands to SPIR-V.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SpirvValue {
    /// A word.
    Number(u32),
    /// A text.
    Text(Symbol),
    /// The id of a variable or constant.
    Id(ExprId),
}
