//! GLSL to SPIR-V: ES 1.00 to 3.20 and desktop 1.10 to 4.60.
//!
//! The road: [`preprocess`] makes tokens, [`parse`] a tree of what is written ([`ast`]),
//! [`check`] a program in which everything is resolved ([`hir`]), [`emit`] words. Nothing of
//! the IR or of a target is known here.

#![forbid(unsafe_code)]

mod arrayed;
pub mod ast;
pub mod builtin;
pub mod check;
mod compile;
mod emit;
pub mod extension;
pub mod handle;
pub mod head;
pub mod hir;
pub mod inline;
pub mod intrinsic;
mod keyword;
mod layout;
mod lex;
pub mod link;
pub mod names;
mod number;
mod numeric;
pub mod parse;
pub mod preprocess;
pub mod qualifier;
pub mod small;
pub mod source;
pub mod symbol;
pub mod token;
pub mod ty;
pub mod vocabulary;

pub use compile::{check_only, compile, compile_program};
pub use emit::emit;
