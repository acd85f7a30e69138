//! WGSL: long expressions and many statements.

use super::case::{Case, each};

fn vertex(body: &str) -> String {
    format!(
        "struct U {{ v: vec4f, m: mat4x4f, a: array<vec4f, 64> }}\n\
         @group(0) @binding(0) var<uniform> u: U;\n\
         @vertex fn main(@location(0) a: vec4f) -> @builtin(position) vec4f {{\n\
         var x = a.y;\n{body}\nreturn a * x;\n}}\n"
    )
}

/// Sums of 150,000 terms overflowed the stack.
pub(crate) fn sums() -> Vec<Case> {
    let sum = |count: usize, term: &str, sign: &str| {
        let terms = vec![term; count].join(sign);
        vertex(&format!("x = {terms};"))
    };
    let long = |name: &str, text: String| Case::wgsl(name, text);
    let nested = |count: usize, open: &str, close: &str| {
        vertex(&format!("x = {}x{};", open.repeat(count), close.repeat(count)))
    };
    vec![
        long("150000 terms", sum(150_000, "x", " + ")).refused(&["error"]),
        long("15000 terms", sum(15_000, "x", " + ")),
        long("32000 terms", sum(32_000, "x", " + ")),
        long("20000 factors", sum(20_000, "a.x", " * ")),
        long("differences of members", sum(5_000, "u.v.x", " - ")),
        long("elements", sum(5_000, "u.a[3].y", " + ")),
        long(
            "constants",
            format!("const c = {};\n", vec!["1"; 30_000].join(" + ")) + &vertex("x += f32(c);"),
        ),
        long("conditions", vertex(&format!("if {} {{ x = 1.0; }}", vec!["(x > 1.0)"; 10_000].join(" && ")))),
        long("parentheses", nested(30_000, "(", ")")),
        long("signs", nested(30_000, "-", "")),
        long("calls", nested(30_000, "abs(", ")")),
        long("indices", vertex(&format!("x = {}0{};", "u.a[u32(".repeat(5_000), ")].x".repeat(5_000)))),
        long("references", vertex(&format!("var y = &x; x = {}y;", "*&*".repeat(20_000)))),
    ]
}

/// 20,000 statements took 2.5 s, 40,000 took 9.
pub(crate) fn statements() -> Vec<Case> {
    let many = |count: usize, text: fn(usize) -> String| vertex(&each(count, text));
    let case = |name: &str, text: String| Case::wgsl(name, text);
    let functions = each(2_000, |n| format!("fn f{n}(x: f32) -> f32 {{ return x * {n}.5; }}\n"));
    let calls = each(2_000, |n| format!("x = f{n}(x);\n"));
    let constants = each(20_000, |n| format!("const c{n} = {n}.5;\n"));
    let members = each(10_000, |n| format!("m{n}: f32, "));
    let cases = each(5_000, |n| format!("case {n}: {{ x = {n}.5; }}\n"));
    let assign: fn(usize) -> String = |n| format!("x = x * a.x + {n}.5;\n");
    vec![
        case("20000", many(20_000, assign)),
        case("40000", many(40_000, assign)),
        case("5000", many(5_000, assign)),
        case("200000", many(200_000, assign)).refused(&["allowed"]),
        case("20000 lets", many(20_000, |n| format!("let l{n} = x * {n}.5;\n"))),
        case("20000 variables", many(20_000, |n| format!("var v{n} = x * {n}.5;\n"))),
        case("20000 members", many(20_000, |_| "x += u.v.x;\n".into())),
        case("10000 ifs", many(10_000, |n| format!("if x > {n}.5 {{ x -= 1.0; }}\n"))),
        case("5000 loops", many(5_000, |_| "for (var i = 0; i < 3; i++) { x += a.x; }\n".into())),
        case("20000 blocks", many(20_000, |_| "{ x += a.x; }\n".into())),
        case("2000 functions", functions + &vertex(&calls)),
        case("20000 constants", constants + &vertex("x += c7;")),
        case("10000 members", format!("struct S {{ {members} }}\n") + &vertex("var s: S; x = s.m7;")),
        case("5000 cases", vertex(&format!("switch i32(x) {{ {cases} default: {{ }} }}"))),
        case("20000 stores", many(20_000, |n| format!("x = dot(a, u.a[{}]);\n", n % 64))),
        case("5000 vectors", many(5_000, |_| "x = (u.m * vec4f(x, a.yzw)).x;\n".into())),
    ]
}
