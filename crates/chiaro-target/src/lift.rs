//! What lifting starts from, and what comes out.

use chiaro_diag::Diagnostic;
use chiaro_ir::{FunctionRef, Module};

use crate::value::Value;

/// What to lift, and how.
#[derive(Clone, Debug, Default)]
pub struct LiftOptions {
    /// The bytes are code alone, without a container.
    pub raw: bool,
    /// A table that belongs to code without a container.
    pub table: Vec<u8>,
    /// Which program of the container; the first without it.
    pub executable: Option<usize>,
    /// Where to start instead of the program's own entry: a label, or an instruction's number.
    pub entry: Option<String>,
    /// The target's number mode by its name; the target's default without it.
    pub mode: Option<String>,
    /// Values for what the hardware's documents leave open, by name.
    pub assumptions: Vec<(String, String)>,
    /// As a person would have written it, in place of exactly.
    pub plain: bool,
    /// As a shader that computes, from a buffer to a buffer.
    pub compute: bool,
    /// Uniforms that are known: the program is made for them.
    pub uniforms: Vec<(String, Value)>,
}

/// A program as a shader for other machines.
#[derive(Debug)]
pub struct Lifted {
    /// Its only entry point is `main`. The span of an instruction is the place of its word in the program.
    pub module: Module,
    /// The bytes of a word.
    pub word: u32,
    /// By word: what its result is called, the register that it writes as a rule.
    pub names: Vec<Option<String>>,
    /// By function: what its parameters are called.
    pub params: Vec<(FunctionRef, Vec<String>)>,
    /// What a reader should know.
    pub remarks: Vec<Diagnostic>,
}
