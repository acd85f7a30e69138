//! Loops that nothing leaves: they were compiled in silence, and `--verify` called the result a
//! mistake of the compiler.

use super::case::Case;

/// A loop that cannot be left is an error at its line; one that is not entered is none.
pub(crate) fn endless() -> Vec<Case> {
    let mut cases = Vec::new();
    for target in ["utgard-gp", "pica200", "a3xx"] {
        let case = |name: &str, body: &str| {
            let text = format!(
                "float f(float x) {{ for (;;) {{ x += 1.0; }} return x; }}\nvoid main() {{ gl_Position = a; float x = a.x;\n{body}\ngl_Position.x = x;\n}}\n"
            );
            Case::vertex(&format!("{name} {target}"), target, text).and("--verify")
        };
        let told: &[&str] = &["a.vert:6", "loop"];
        cases.extend([
            case("for", "for (;;) { }").refused(told),
            case("while", "while (true) { x += u.x; }").refused(told),
            case("do", "do { x *= u.x; } while (true);").refused(told),
            case("continue", "for (;;) { if (x > u.x) continue; x += 1.0; }").refused(told),
            case(
                "an inner break",
                "for (;;) { for (int i = 0; i < 3; i++) { if (x > u.x) break; } x += 1.0; }",
            )
            .refused(told),
            case(
                "both sides",
                "if (a.x > u.x) { for (;;) { x += 1.0; } } else { x = 1.0; for (;;) { x -= 1.0; } }",
            )
            .refused(told),
            case("a constant condition", "for (int i = 0; i < 4; i += 0) { x += u.x; }"),
            case("one side", "if (a.x > u.x) { for (;;) { x += 1.0; } }"),
            case("in a function", "x = f(x);").refused(&["loop"]),
            case("behind a return", "if (a.x <= u.x || a.x > u.x) return; for (;;) { x += 1.0; }"),
            case("never entered", "if (false) { for (;;) { } } x = 1.0;"),
            case("a condition that stays", "while (u.x > 0.0) { x += 1.0; }"),
            case("a counter that wraps", "for (int i = 0; i != -1; i += 2) { x += 1.0; }"),
        ]);
    }
    let wgsl = "@vertex fn main(@location(0) a: vec4f) -> @builtin(position) vec4f {\nvar x = a;\nloop { x += a; }\n}\n";
    cases.push(Case::wgsl("wgsl", wgsl.into()));
    cases
}
