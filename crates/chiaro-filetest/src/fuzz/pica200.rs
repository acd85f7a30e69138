//! Random shaders through the PICA200 compiler.

use std::panic::{AssertUnwindSafe, catch_unwind};

use chiaro_ir::{GlobalRef, Module, Space};
use chiaro_opt::Cx;
use chiaro_pica200::abi::{Interface, Leaf};
use chiaro_pica200::compile::{Options, compile};
use chiaro_pica200::verify::{Compared, Failure, verify};

use super::{Outcome, VERTICES, kind_of_refusal};

/// What the uniforms are called; the array of four vectors is a matrix in every second shader.
fn interface(module: &Module, seed: u64) -> Interface {
    let global = module.globals.iter().position(|g| g.space == Space::Uniform);
    let leaf = global.filter(|_| seed % 2 == 1).map(|g| Leaf {
        name: "u.m".into(),
        global: Some(GlobalRef(g as u32)),
        path: vec![0],
        columns: true,
    });
    Interface { leaves: leaf.into_iter().collect() }
}

/// Every fourth shader makes every subroutine that saves a word.
fn options(seed: u64) -> Options {
    let options = Options::default();
    if seed % 4 == 3 { Options { subroutine_saves: 1, ..options } } else { options }
}

pub(super) fn attempt(module: &Module, seed: u64) -> Outcome {
    let interface = interface(module, seed);
    let mut cx = Cx { verify: true, ..Cx::default() };
    let compiled = match compile(module, &interface, "main", &options(seed), &mut cx) {
        Ok(compiled) => compiled,
        Err(told) if told.message.contains("breaks a rule") => {
            return Outcome::Failed("breach".into(), told.message);
        }
        Err(told) => {
            return Outcome::Refused(kind_of_refusal(&told.message));
        }
    };
    match verify(module, &compiled, VERTICES, seed) {
        Ok(Compared { conclusive, inconclusive, .. }) => Outcome::Passed(conclusive, inconclusive),
        // A shader of noise says nothing of the compiler.
        Err(Failure::Untested { conclusive, inconclusive, .. }) => Outcome::Passed(conclusive, inconclusive),
        Err(failure) => {
            let kind = match &failure {
                Failure::Rule(_) => "rule",
                Failure::Words(_) => "words",
                Failure::Meaning(_) => "meaning",
                _ => "stopped",
            };
            Outcome::Failed(kind.into(), failure.to_string())
        }
    }
}

/// The words of a shader, as far as it compiles.
pub(super) fn listing(module: &Module, seed: u64) -> String {
    let compiled = catch_unwind(AssertUnwindSafe(|| {
        let mut cx = Cx::default();
        compile(module, &interface(module, seed), "main", &options(seed), &mut cx).ok()
    }));
    let compiled = compiled.ok().flatten();
    let text = compiled.and_then(|compiled| {
        let legal = chiaro_ir::print(&compiled.module);
        let words = chiaro_pica200::listing::listing(&compiled.shbin, &Default::default()).ok()?;
        Some(format!("; legal IR\n{legal}; words\n{words}"))
    });
    text.unwrap_or_default()
}
