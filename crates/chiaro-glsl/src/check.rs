//! From the tree of what is written to a program in which everything is resolved.
//!
//! One pass over the source in its order: every name must be declared before it is used, so
//! nothing is visited twice. What only the whole source shows (sizes of arrays, recursion,
//! missing bodies) comes at the end, in [`finish`]. An expression that is wrong has
//! [`Type::Error`], which agrees with everything; no second message comes of it.

mod arrayed;
mod block;
mod builtins;
mod call;
mod candidates;
mod checker;
mod client;
mod constant;
mod construct;
mod convert;
mod coop;
mod declare;
mod devices;
mod expr;
mod field;
mod finish;
mod fold;
mod footprint;
mod function;
mod heap;
mod init;
mod inline;
mod language;
mod layout;
mod limits;
mod local;
mod message;
mod micromaps;
mod operator;
mod ordering;
mod overload;
mod own_block;
mod place;
mod precision;
mod qualifier;
mod qualify;
mod rays;
mod reference;
mod report;
mod scope;
mod slots;
mod special;
mod specialise;
mod state;
mod stmt;
mod storage;
mod switch;
mod tensor;
mod types;
mod vector;

use checker::{Checker, is_invariant_all};
use chiaro_diag::Diagnostic;

use crate::ast::Ast;
use crate::hir::Program;
use crate::preprocess::Preprocessed;
use crate::source::Options;
use crate::symbol::Symbols;

/// Checks a source and resolves it. `None` if there is an error, in the source or already
/// among the diagnostics.
pub fn check(
    ast: &Ast,
    pre: &Preprocessed,
    options: &Options,
    symbols: &mut Symbols,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Program> {
    let broken = diagnostics.iter().any(|d| d.severity == chiaro_diag::Severity::Error);
    let mut checker = Checker::new(ast, pre, options, symbols, diagnostics);
    for pragma in pre.pragmas.iter().filter(|pragma| is_unknown_pragma(&pragma.text)) {
        checker.failed = true;
        let report = Diagnostic::error(pragma.span, "the language has no such pragma");
        checker.out.push(report.help("`#pragma STDGL invariant(all)` is the only one"));
    }
    checker.check_client_version(pre.head.version);
    for item in &ast.items {
        checker.item(item);
    }
    checker.finish(options).filter(|_| !broken)
}

/// A pragma that starts as those of the language do, but is none of them.
fn is_unknown_pragma(text: &str) -> bool {
    text.split_whitespace().next() == Some("STDGL") && !is_invariant_all(text)
}
