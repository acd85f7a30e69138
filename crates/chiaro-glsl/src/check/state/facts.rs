//! What is known of variables and functions of the source while it is checked.

use std::collections::HashMap;

use super::super::overload::Param;
use crate::hir::{self, FunctionId, GlobalId, LocalId};
use crate::qualifier::{Layout, Precision};
use crate::token::{At, Symbol};
use crate::ty::Ty;

/// What is known of a global beside what the program holds.
#[derive(Debug, Default)]
pub(crate) struct GlobalFacts {
    /// Its value, if it is a constant that is too large to be copied to every use.
    pub(crate) value: Option<Box<[u64]>>,
    /// Why it cannot be written, if so: "a uniform".
    pub(crate) read_only: Option<&'static str>,
    /// The largest constant index of an array whose size is not known yet.
    pub(crate) largest: u32,
    /// Where it is written first.
    pub(crate) written: Option<At>,
}

/// A function of the source, as far as calls are concerned.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) name: Symbol,
    pub(crate) params: Vec<Param>,
    /// Memory qualifiers of parameters, for images.
    pub(crate) layouts: Vec<Layout>,
    /// Which parameters are `const`.
    pub(crate) constants: Vec<bool>,
    pub(crate) result: Ty,
    pub(crate) precision: Option<Precision>,
    pub(crate) at: At,
    /// Its body, once it was there.
    pub(crate) body: Option<hir::Function>,
    /// The instruction that it is, by number.
    pub(crate) instruction: Option<u32>,
    /// Whether its body is being checked or was.
    pub(crate) defined: bool,
    /// The functions that it calls, and where.
    pub(crate) calls: Vec<(FunctionId, At)>,
}

/// The function that is being checked.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) result: Ty,
    pub(crate) locals: Vec<hir::Local>,
    /// Why each local cannot be written, if so.
    pub(crate) read_only: Vec<Option<&'static str>>,
    pub(crate) calls: Vec<(FunctionId, At)>,
    /// Loops that are open.
    pub(crate) loops: u32,
    /// Switches and loops that `break` may leave.
    pub(crate) breakable: u32,
    /// The first expression of the function.
    pub(crate) start: usize,
    /// The largest constant index of each local array that has no size yet.
    pub(crate) largest: Vec<(LocalId, u32)>,
    /// Whether some statement returns a value.
    pub(crate) returns: bool,
}

/// What was made already.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    pub(crate) globals: HashMap<Symbol, GlobalId>,
    pub(crate) structures: HashMap<Symbol, Ty>,
}
