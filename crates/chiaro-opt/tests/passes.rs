//! Each pass by cases: the file of its name beside it holds functions before and after.
//!
//! Cases run the pass once on every function, from the first to the last. A comment in the first
//! line may name passes that run before, `; after inline`, or what is assumed of floats,
//! `; assume graphics`.

#[path = "../../chiaro-ir/tests/cases/mod.rs"]
mod cases;

use chiaro_ir::{FunctionRef, Module, print, verify};
use chiaro_opt::{ALGEBRA, Assumptions, Cx, LEGALIZE, PASSES, Pass};
use std::path::Path;

#[test]
fn passes_do_what_their_cases_say() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for pass in PASSES.iter().chain(ALGEBRA).chain(LEGALIZE) {
        let file = format!("{}.txt", pass.name);
        assert!(source.join(&file).is_file(), "{} has no cases", pass.name);
        cases::run(&format!("../src/{file}"), |text| match cases::sound(text) {
            Ok(mut module) => {
                let before = text.lines().next().and_then(|line| line.strip_prefix("; after "));
                for name in before.unwrap_or_default().split_whitespace() {
                    run(
                        PASSES.iter().chain(ALGEBRA).find(|pass| pass.name == name).expect(name),
                        &mut module,
                        Assumptions::STRICT,
                    );
                }
                let all = text.starts_with("; assume graphics");
                run(pass, &mut module, if all { Assumptions::GRAPHICS } else { Assumptions::STRICT })
            }
            Err(error) => error,
        });
    }
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
