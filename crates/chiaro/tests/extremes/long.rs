//! Programs that no machine holds: they are refused before much is done for them.

use super::case::{Case, each};

fn main(body: &str) -> String {
    format!("void main() {{\nvec4 x = a;\n{body}\ngl_Position = x;\n}}\n")
}

/// Bodies that are too long for every target, by name.
fn bodies() -> Vec<(&'static str, String)> {
    let many = |count: usize, text: fn(usize) -> String| each(count, text);
    vec![
        ("products", many(10_000, |n| format!("x = x * u + vec4({n}.0);\n"))),
        ("matrices", many(1_000, |_| "x = mat4(u, x, u, a) * x;\n".into())),
        ("functions", many(1_500, |_| "x = sin(x) + exp2(x);\n".into())),
        ("quotients", many(3_000, |n| format!("x = x / (u + {n}.0);\n"))),
        ("branches", many(3_000, |n| format!("if (x.x > {n}.0) x += u; else x *= a;\n"))),
        ("integers", many(1_000, |n| format!("x.x = float(int(x.x) % {} + (int(x.y) & 7));\n", n + 2))),
        ("roots", many(4_000, |_| "x = normalize(x) * inversesqrt(u);\n".into())),
        ("loops", many(300, |_| "for (int i = 0; i < int(u.x); i++) x = x * u + a;\n".into())),
        (
            "turns",
            "for (int i = 0; i < 60; i++) for (int j = 0; j < 60; j++) x = x * u + vec4(i, j, i, j);\n"
                .into(),
        ),
        (
            "arrays",
            "vec4 t[200];\n".to_owned()
                + &many(2_000, |n| format!("t[int(x.x) + {}] = x; x += t[int(x.y)];\n", n % 50)),
        ),
    ]
}

/// 4,000 multiply-adds took 5.6 s before it was said that 512 instructions fit.
pub(crate) fn utgard() -> Vec<Case> {
    let terms = |count: usize| {
        let all = each(count, |n| format!("x.x = x.x * a.y + {n}.5;\n"));
        main(&all)
    };
    let case = |name: &str, text| Case::vertex(name, "utgard-gp", text);
    let mut cases = vec![
        case("4000 multiply-adds", terms(4_000)).refused(&["allowed"]),
        case("1000 multiply-adds", terms(1_000)).refused(&["allowed"]),
        case("16000 multiply-adds", terms(16_000)).refused(&["allowed"]),
        case("100000 multiply-adds", terms(100_000)).refused(&["allowed"]),
        case("4000 multiply-adds with all effort", terms(4_000)).and("--effort 3").refused(&["allowed"]),
    ];
    cases.extend(bodies().into_iter().map(|(name, body)| case(name, main(&body))));
    cases
}

/// 100,000 terms took 18 s before they were refused.
pub(crate) fn pica200() -> Vec<Case> {
    let sum = |count: usize| {
        let terms: Vec<String> = (0..count).map(|n| format!("a.x * {n}.5")).collect();
        main(&format!("x.x = {};", terms.join(" + ")))
    };
    let case = |name: &str, text| Case::vertex(name, "pica200", text);
    let steps = main(&each(30_000, |n| format!("x.x = x.x * a.y + {n}.5;\n")));
    let alive = each(2_000, |n| format!("float t{n} = a.x * u.y + {n}.5;\n"))
        + &format!("x.x = {};\n", (0..2_000).map(|n| format!("sin(t{n})")).collect::<Vec<_>>().join(" + "));
    let choices =
        |count| each(count, |n| format!("x += (x.x > {n}.0 ? -u : u) * dot((x.y < {n}.5 ? -a : a), u);\n"));
    let rounds = |n| format!("for (int i = 0; i < 3; i++) {{ x += u * max(y.x, {n}.0); y = y.yzwx; }}\n");
    let loops = "vec4 y = a;\n".to_owned() + &each(800, rounds);
    let mut cases = vec![
        case("800 choices", main(&choices(800))).refused(&["error"]),
        case("3000 choices", main(&choices(3_000))).refused(&["error"]),
        case("800 loops", main(&loops)).refused(&["error"]),
        case("100000 terms", sum(100_000)).refused(&["error"]),
        case("10000 terms", sum(10_000)).refused(&["error"]),
        case("30000 steps", steps).refused(&["error"]),
        case("2000 values alive", main(&alive)).refused(&["error"]),
    ];
    cases.extend(bodies().into_iter().map(|(name, body)| case(name, main(&body))));
    cases
}
