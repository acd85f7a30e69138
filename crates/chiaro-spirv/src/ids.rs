//! What the ids of a module stand for.

use crate::type_info::TypeId;
use chiaro_ir::{Constant, FunctionRef, GlobalRef, Value};

/// What an id stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Id {
    /// Nothing yet.
    Unknown,
    /// A string: the word of its instruction.
    Text(u32),
    /// A set of extended instructions.
    Set(Set),
    /// A type.
    Type(TypeId),
    /// A constant of a type.
    Constant(Constant, TypeId),
    /// A variable of the module: its address, the type of the pointer to it.
    Global(Constant, TypeId, GlobalRef),
    /// A function, and the type of its result.
    Function(FunctionRef, TypeId),
    /// A value of the function at hand; whether it is a pointer to row-major matrices.
    Value(Value, TypeId, bool),
    /// A pointer to a column of a row-major matrix, which no pointer of the IR can be: its
    /// number in the function's table.
    Column(u32),
    /// A block of the function at hand: its number.
    Label(u32),
    /// Something that only tools look at, such as a piece of debug information.
    Ignored,
}

/// A set of extended instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Set {
    /// `GLSL.std.450`.
    Glsl,
    /// `NonSemantic.Shader.DebugInfo.100`.
    Debug,
    /// `SPV_AMD_shader_trinary_minmax`.
    Trinary,
    /// `NonSemantic.DebugPrintf`.
    Print,
    /// Others that change nothing.
    Silent,
    /// Others.
    Unknown,
}

impl Set {
    pub(crate) fn named(name: &str) -> Set {
        match name {
            "GLSL.std.450" => Set::Glsl,
            "NonSemantic.Shader.DebugInfo.100" => Set::Debug,
            "SPV_AMD_shader_trinary_minmax" => Set::Trinary,
            "NonSemantic.DebugPrintf" => Set::Print,
            "DebugInfo" | "OpenCL.DebugInfo.100" => Set::Silent,
            _ if name.starts_with("NonSemantic.") => Set::Silent,
            _ => Set::Unknown,
        }
    }
}
