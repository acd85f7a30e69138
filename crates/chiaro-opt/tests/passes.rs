//! Each pass by cases: the file of its name beside it holds functions before and after.
//!
//! Cases run the pass once on every function, from the first to the last. A comment in the first
//! line may name passes that run before, `; after inline`, or what is assumed of floats and loops,
//! `; assume graphics` and `; assume progress`.

use chiaro_ir::{FunctionRef, Module, print, verify};
use chiaro_opt::{ALGEBRA, Assumptions, Cx, LEGALIZE, PASSES, Pass};
use std::path::Path;

use crate::cases;

#[test]
fn passes_do_what_their_cases_say() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = chiaro_cases::Cases::new();
    for pass in PASSES.iter().chain(ALGEBRA).chain(LEGALIZE) {
        all.of_file(&source.join(format!("{}.txt", pass.name)), |text| case(pass, text));
    }
    all.finish();
}

/// What a pass makes of a module, or what is wrong with the module.
fn case(pass: &Pass, text: &str) -> String {
    let mut module = match cases::sound(text) {
        Ok(module) => module,
        Err(error) => return error,
    };
    let before = text.lines().next().and_then(|line| line.strip_prefix("; after "));
    for name in before.unwrap_or_default().split_whitespace() {
        let earlier = PASSES.iter().chain(ALGEBRA).find(|pass| pass.name == name).expect(name);
        run(earlier, &mut module, Assumptions::STRICT);
    }
    let assumptions = match text.lines().next().and_then(|line| line.strip_prefix("; assume ")) {
        Some("graphics") => Assumptions::GRAPHICS,
        Some("progress") => Assumptions { progress: true, ..Assumptions::STRICT },
        _ => Assumptions::STRICT,
    };
    run(pass, &mut module, assumptions)
}

fn run(pass: &Pass, module: &mut Module, assumptions: Assumptions) -> String {
    let mut cx = Cx::default();
    cx.options.assumptions = assumptions;
    for f in (0..module.functions.len() as u32).map(FunctionRef) {
        let before = print(module);
        let changed = cx.run(pass, module, f);
        let same = print(module) == before;
        assert_eq!(changed == chiaro_opt::Changed::No, same, "{} says {changed:?} of\n{before}", pass.name);
    }
    let text = print(module);
    assert_eq!(verify(module), Ok(()), "{} gives\n{text}", pass.name);
    text
}
