//! Passes that know algebra by cases: the file of a pass's name beside it holds functions before
//! and after. The first line of a case may say `; assume graphics`.

#[path = "../../chiaro-ir/tests/cases/mod.rs"]
mod cases;

use chiaro_ir::{FunctionRef, print, verify};
use chiaro_opt::{ALGEBRA, Assumptions, Changed, Cx, Limits};

#[test]
fn passes_do_what_their_cases_say() {
    for pass in ALGEBRA {
        cases::run(&format!("../src/{}.txt", pass.name), |text| {
            let mut module = match cases::sound(text) {
                Ok(module) => module,
                Err(error) => return error,
            };
            let all = text.starts_with("; assume graphics");
            let assumptions = if all { Assumptions::GRAPHICS } else { Assumptions::STRICT };
            let mut cx = Cx::default();
            cx.limits = Limits { assumptions, ..Limits::default() };
            for f in (0..module.functions.len() as u32).map(FunctionRef) {
                let before = print(&module);
                let changed = cx.run(pass, &mut module, f) == Changed::Yes;
                assert!(changed || print(&module) == before, "{} tells of no change of\n{before}", pass.name);
            }
            let text = print(&module);
            assert_eq!(verify(&module), Ok(()), "{} gives\n{text}", pass.name);
            text
        });
    }
}
