//! Loops that cannot be left: which are errors, which are warnings.

use chiaro_diag::{FileId, Severity};
use chiaro_ir::parse;
use chiaro_opt::endless;

/// An error, so many warnings, or nothing.
fn told(body: &str) -> (usize, usize) {
    let text = format!("fn @f(%0: bool) {{\n{body}\n}}\n");
    let module = parse(&text, FileId(0)).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    match endless(&module.functions[0]) {
        Ok(warnings) => {
            assert!(warnings.iter().all(|w| w.severity == Severity::Warning));
            (0, warnings.len())
        }
        Err(error) => {
            assert_eq!(error.severity, Severity::Error);
            (1, 0)
        }
    }
}

/// A loop whose body ends with this.
fn looped(n: u32, last: &str) -> String {
    format!("loop @{n} {{\n{last}\n}} continuing {{\nrepeat\n}}\n")
}

#[test]
fn what_everything_comes_to_is_an_error() {
    assert_eq!(told(&(looped(1, "continue @1") + "unreachable")), (1, 0));
    let both = format!(
        "if @9 %0 {{\n{}unreachable\n}} else {{\n{}unreachable\n}}\nunreachable",
        looped(1, "continue @1"),
        looped(2, "continue @2")
    );
    assert_eq!(told(&both), (1, 0));
    let inner = looped(2, "if @3 %0 {\nexit @2\n} else {\nexit @3\n}\ncontinue @2");
    assert_eq!(told(&(looped(1, &format!("{inner}continue @1")) + "return")), (1, 0));
}

#[test]
fn what_only_some_come_to_is_a_warning() {
    let one_side =
        format!("if @9 %0 {{\n{}unreachable\n}} else {{\nexit @9\n}}\nreturn", looped(1, "continue @1"));
    assert_eq!(told(&one_side), (0, 1));
    let behind =
        format!("if @9 %0 {{\nreturn\n}} else {{\nexit @9\n}}\n{}unreachable", looped(1, "continue @1"));
    assert_eq!(told(&behind), (0, 1));
}

#[test]
fn what_is_left_in_any_way_is_fine() {
    let leave = |how: &str| looped(1, &format!("if @2 %0 {{\n{how}\n}} else {{\nexit @2\n}}\ncontinue @1"));
    for (how, behind) in [("exit @1", "return"), ("return", "unreachable"), ("terminate", "unreachable")] {
        assert_eq!(told(&(leave(how) + behind)), (0, 0), "{how}");
    }
    let further = format!("block @9 {{\n{}unreachable\n}}\nreturn", leave("exit @9"));
    assert_eq!(told(&further), (0, 0));
    let dead = format!("return\n}}\nfn @g(%0: bool) {{\n{}return", leave("exit @1"));
    assert_eq!(told(&dead), (0, 0));
}
