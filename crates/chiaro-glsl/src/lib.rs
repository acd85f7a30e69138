//! GLSL to SPIR-V: ES 1.00 to 3.20 and desktop 1.10 to 4.60.
//!
//! The road: [`preprocess`] makes tokens, [`parse`] a tree of what is written ([`ast`]),
//! [`check`] a program in which everything is resolved ([`hir`]), [`emit`] words. Nothing of
//! the IR or of a target is known here.

#![forbid(unsafe_code)]

pub mod ast;
pub mod hir;
pub mod intrinsic;
pub mod source;
pub mod symbol;
pub mod token;
pub mod ty;
