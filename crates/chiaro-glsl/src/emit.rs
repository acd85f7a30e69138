//! The checked program as SPIR-V words, in the flavour of OpenGL.
//!
//! Every loose uniform is one named `UniformConstant` variable of its own type, structures may
//! hold samplers, sets, bindings and locations stand only where the source gives them, and
//! fragments count from the lower left. `chiaro_words::vulkanize` makes Vulkan's flavour of it.
//!
//! What holds of the words:
//! - functions are written from `main` on, each as often as it is called with other opaque
//!   arguments ([`function`]); what nothing calls is not there;
//! - variables of functions are memory; nothing is promoted or folded here;
//! - every selection and loop has its merge block; code behind a jump is left out.

mod arith;
mod block_match;
mod blocks;
mod call;
mod constant;
mod construct;
mod convert;
mod coop;
mod emitter;
mod exact;
mod expr;
mod family;
mod features;
mod float;
mod footprint;
mod function;
mod global;
mod heap;
mod hit_object;
mod image;
mod inline;
mod interface;
mod intrinsic;
mod memory;
mod message;
mod needs;
mod nonuniform;
mod numbers;
mod place;
mod primitives;
mod ray;
mod reference;
mod sample;
mod sharing;
mod sized;
mod small;
mod specialise;
mod state;
mod stmt;
mod subgroup;
mod tensor;
mod types;

use crate::emit::emitter::Emitter;

use chiaro_diag::Diagnostic;
use chiaro_words::Module;

use crate::hir::Program;
use crate::symbol::Symbols;
use crate::token::Tokens;

/// Words for a checked program.
///
/// # Errors
/// What SPIR-V has no words for, or what is too large for them: reported at its place.
pub fn emit(program: &Program, tokens: &Tokens, symbols: &Symbols) -> Result<Module, Box<Diagnostic>> {
    let mut emitter = Emitter::new(program, tokens, symbols);
    emitter.declare_specs();
    emitter.declare_globals();
    emitter.functions();
    emitter.modes();
    emitter.finish()
}
