//! Random shaders through the compiler of Utgard GP.

use std::panic::{AssertUnwindSafe, catch_unwind};

use chiaro_ir::Module;
use chiaro_opt::Cx;
use chiaro_utgard::compile::{Compiled, Options, compile};
use chiaro_utgard::verify::{Compared, Failure, verify};

use super::{Outcome, VERTICES, kind_of_refusal};

fn compiled(module: &Module) -> Result<Compiled, String> {
    let mut copy = module.clone();
    compile(&mut copy, "main", &Options::default(), &mut Cx::default()).map_err(|told| told.message)
}

pub(super) fn attempt(module: &Module, seed: u64) -> Outcome {
    let made = match compiled(module) {
        Ok(made) => made,
        Err(told) => return Outcome::Refused(kind_of_refusal(&told)),
    };
    match verify(module, "main", &made, &Options::default(), VERTICES, seed) {
        Ok(Compared { conclusive, inconclusive }) => Outcome::Passed(conclusive, inconclusive),
        Err(failure) => {
            let kind = match &failure {
                Failure::Rule(_) => "rule",
                Failure::Fault(_) => "fault",
                Failure::Wrong(_) => "words",
                Failure::Stopped(_) => "stopped",
            };
            Outcome::Failed(kind.into(), failure.to_string())
        }
    }
}

pub(super) fn listing(module: &Module) -> String {
    let made = catch_unwind(AssertUnwindSafe(|| compiled(module).ok())).ok().flatten();
    made.map(|made| format!("; words\n{}", chiaro_utgard::listing::exact::print(&made.file())))
        .unwrap_or_default()
}
