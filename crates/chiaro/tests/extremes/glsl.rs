//! GLSL: functions within functions, chains, macros and files that multiply.

use super::case::{Case, each};

/// Functions from `f0` on, each made of the one before, and `main`, which calls the last.
fn functions(levels: usize, body: impl Fn(usize) -> String) -> String {
    let all = each(levels, |n| format!("float f{}(float x) {{ {} }}\n", n + 1, body(n)));
    format!(
        "float f0(float x) {{ return x * u.x + 0.5; }}\n{all}void main() {{ gl_Position = a * f{levels}(a.x); }}\n"
    )
}

/// Sixteen functions that call each other panicked on Utgard; calls that double are many.
pub(crate) fn nested() -> Vec<Case> {
    let early = |n: usize| format!("if (x > {n}.0) return f{n}(x - 1.0); return x * u.y;");
    let once = |n: usize| format!("return f{n}(x + {n}.0) * u.y;");
    let twice = |n: usize| format!("return f{n}(x) + f{n}(x * u.z);");
    let thrice = |n: usize| format!("return f{n}(x) + f{n}(x * u.z) * f{n}(x - u.w);");
    let looped = |n: usize| format!("for (int i = 0; i < 4; i++) x = f{n}(x) * u.y; return x;");
    let switched = |n: usize| {
        format!("switch (int(x)) {{ case 0: return f{n}(x); case 1: x = f{n}(x * u.y); default: return x; }}")
    };
    let ifs = |n: usize| format!("{}x = a.y;{}", "if (a.x > u.x) { ".repeat(n), " }".repeat(n));
    let main = |body: String| format!("void main() {{ float x = a.x; {body} gl_Position = a * x; }}\n");
    let mut cases = Vec::new();
    for target in ["utgard-gp", "pica200", "a3xx"] {
        let case = |name: &str, text| Case::vertex(&format!("{name} {target}"), target, text);
        cases.extend([8, 16].into_iter().flat_map(|levels| {
            called_twice(levels).map(|(name, text)| case(&format!("{levels} with {name}"), text))
        }));
        cases.extend([
            case("16 with early returns", functions(16, early)),
            case("100 with early returns", functions(100, early)),
            case("2000 in a row", functions(2000, once)),
            case("20 called twice", functions(20, twice)),
            case("40 called twice", functions(40, twice)),
            case("12 called thrice", functions(12, thrice)),
            case("8 in loops", functions(8, looped)),
            case("16 in switches", functions(16, switched)),
            case("16 ifs", main(ifs(16))),
            case("90 ifs", main(ifs(90))),
            case("16 loops", main("for (int i = 0; i < int(u.x); i++) ".repeat(16) + "x *= u.y;")),
        ]);
    }
    cases
}

/// Functions that each call the one before twice, with what makes that expensive.
fn called_twice(levels: usize) -> [(&'static str, String); 6] {
    let inout = each(levels, |n| {
        format!(
            "void f{}(inout float x, out float y) {{ float z; f{n}(x, z); f{n}(z, x); y = x * z; }}\n",
            n + 1
        )
    });
    let arrays = each(levels, |n| {
        format!("void f{}(inout float x[4]) {{ f{n}(x); x[{}] += u.y; f{n}(x); }}\n", n + 1, n % 4)
    });
    let matrices =
        each(levels, |n| format!("mat4 f{}(mat4 m) {{ return f{n}(m) * f{n}(transpose(m)); }}\n", n + 1));
    [
        (
            "arrays",
            functions(levels, |n| {
                format!(
                    "float t[4]; for (int i = 0; i < 4; i++) t[i] = x * float(i) + u[i]; \
                     t[int(x) & 3] = f{n}(t[1]); return t[int(u.x) & 3] + f{n}(t[2]);"
                )
            }),
        ),
        (
            "loops",
            functions(levels, |n| {
                format!(
                    "for (int i = 0; i < int(u.x); i++) {{ x += f{n}(x); if (x > u.y) break; }} return f{n}(x);"
                )
            }),
        ),
        (
            "returns",
            functions(levels, |n| format!("if (x > {n}.0) return f{n}(x - 1.0); return f{n}(x * u.y);")),
        ),
        (
            "inout",
            format!(
                "void f0(inout float x, out float y) {{ x *= u.x; y = x + 0.5; }}\n{inout}\
                 void main() {{ float x = a.x, y; f{levels}(x, y); gl_Position = a * x + y; }}\n"
            ),
        ),
        (
            "inout arrays",
            format!(
                "void f0(inout float x[4]) {{ x[1] *= u.x; }}\n{arrays}void main() {{ float x[4]; \
                 for (int i = 0; i < 4; i++) x[i] = a[i]; f{levels}(x); gl_Position = vec4(x[0], x[1], x[2], x[3]); }}\n"
            ),
        ),
        (
            "matrices",
            format!(
                "mat4 f0(mat4 m) {{ return m * u.x; }}\n{matrices}\
                 void main() {{ gl_Position = f{levels}(mat4(a, u, a, u)) * a; }}\n"
            ),
        ),
    ]
}

/// Chains of `else if` overflowed the stack.
pub(crate) fn chains_of_else() -> Vec<Case> {
    let chain = |count, of: fn(usize) -> String| {
        let all = each(count, |n| format!("if (a.x < {n}.0) {{ {} }} else ", of(n)));
        format!("void main() {{ float x = a.y; {all} {{ x = 0.0; }} gl_Position = a * x; }}\n")
    };
    let assign: fn(usize) -> String = |n| format!("x = {n}.5;");
    let ternary = each(5000, |n| format!("a.x < {n}.0 ? {n}.5 : "));
    let cases = each(20_000, |n| format!("case {n}: x = {n}.5; break;\n"));
    let wgsl = |count: usize| {
        let all = each(count, |n| format!("if a.x < {n}.0 {{ x = {n}.5; }} else "));
        format!(
            "@vertex fn main(@location(0) a: vec4f) -> @builtin(position) vec4f {{\n\
             var x = a.y; {all} {{ x = 0.0; }} return a * x; }}\n"
        )
    };
    let glsl = |name: &str, text: String| {
        Case::glsl(name, format!("#version 330\nin vec4 a;\nuniform vec4 u;\n{text}"))
    };
    vec![
        Case::wgsl("wgsl of 100", wgsl(100)),
        Case::wgsl("wgsl of 100000", wgsl(100_000)).refused(&["error"]),
        glsl("glsl of 100", chain(100, assign)),
        glsl("glsl of 100000", chain(100_000, assign)).refused(&["error"]),
        glsl("returns", chain(5000, |_| "return;".into())),
        glsl(
            "one behind the other",
            format!(
                "void main() {{ float x = 0.0; {} gl_Position = a * x; }}",
                each(20_000, |n| format!("if (a.x < {n}.0) x += 1.0; else x -= 1.0;\n"))
            ),
        ),
        glsl("conditional operators", format!("void main() {{ gl_Position = a * ({ternary} 1.0); }}")),
        glsl(
            "cases",
            format!("void main() {{ float x = 0.0; switch (int(a.x)) {{ {cases} }} gl_Position = a * x; }}"),
        ),
        Case::vertex("for utgard", "utgard-gp", chain(60, assign)),
        Case::vertex("long for utgard", "utgard-gp", chain(190, assign)),
        Case::vertex("for pica200", "pica200", chain(60, assign)),
        Case::vertex("long for pica200", "pica200", chain(190, assign)),
        Case::vertex(
            "returns for utgard",
            "utgard-gp",
            chain(100, |n| format!("gl_Position = vec4({n}.0); return;")),
        ),
        Case::vertex(
            "returns for pica200",
            "pica200",
            chain(100, |n| format!("gl_Position = vec4({n}.0); return;")),
        ),
    ]
}

/// `##` that doubles a token took 2.6 GiB at 40 levels.
pub(crate) fn pasted() -> Vec<Case> {
    let main = "void main() { gl_Position = vec4(0.0); }\n";
    let glsl = |name: &str, text: String| Case::glsl(name, format!("#version 330\n{text}{main}"));
    let doubling = |levels: usize, body: &str| {
        let lines = each(levels, |n| {
            let before = format!("P{n}(x)");
            format!("#define P{}(x) {}\n", n + 1, body.replace('@', &before))
        });
        format!("#define J_(a, b) a ## b\n#define J(a, b) J_(a, b)\n#define P0(x) x\n{lines}")
    };
    let plain = each(40, |n| format!("#define M{} M{n} + M{n}\n", n + 1));
    let wide = each(20_000, |n| format!("#define W{n} {n}\n"));
    let parameters = each(10_000, |n| format!("p{n}, "));
    vec![
        glsl("40 levels", doubling(40, "J(@, @)") + "float P40(y);\n"),
        glsl("18 levels", doubling(18, "J(@, @)") + "float P18(y);\n"),
        glsl("three at a time", doubling(30, "J(@, J(@, @))") + "float P30(y);\n"),
        glsl("40 levels without pasting", format!("#define M0 1.0\n{plain}const float m = M40;\n")),
        glsl("arguments that double", doubling(40, "@ @") + "float P40(y);\n"),
        glsl("in a condition", format!("#define M0 1\n{plain}#if M40 > 3\n#endif\n")),
        glsl("20000 macros", wide + "const float w = float(W19999);\n"),
        glsl(
            "10000 parameters",
            format!("#define F({parameters}q) q\nconst float f = F({}1.0);\n", "0, ".repeat(10_000)),
        ),
        glsl(
            "calls within calls",
            format!("#define F(x) x\nconst float f = {}1.0{};\n", "F(".repeat(50_000), ")".repeat(50_000)),
        ),
        glsl(
            "a line of a megabyte",
            format!("#define L {}\nconst float l = float(L);\n", "1 + ".repeat(250_000) + "1"),
        ),
        glsl("a name of a megabyte", format!("float {};\n", "a".repeat(1 << 20))),
        glsl("lines that go on", format!("#define L 1{}\n\nconst int l = L;\n", "\\\n".repeat(300_000))),
        glsl(
            "macros that name each other",
            each(5000, |n| format!("#define A{n} A{} A{}\n", n + 1, n + 2)) + "float A0;\n",
        ),
    ]
}

/// Files that include three others hung at 20 levels.
pub(crate) fn included() -> Vec<Case> {
    let start = "#version 330\n#extension GL_GOOGLE_include_directive : require\n";
    let main = "void main() { gl_Position = vec4(0.0); }\n";
    let top = |name: &str, lines: &str| Case::glsl(name, format!("{start}{lines}{main}"));
    let times = |name: &str, levels: usize, times: usize, more: &str| {
        let case = top(name, "#include \"f0\"\n");
        (0..levels)
            .fold(case, |case, n| {
                let line = format!("#include \"f{}\"\n", n + 1);
                case.with(&format!("f{n}"), line.repeat(times))
            })
            .with(&format!("f{levels}"), more.to_owned())
    };
    let large = "#if 0\n".to_owned() + &"some text that nobody reads\n".repeat(40_000) + "#endif\n";
    vec![
        times("three at 20 levels", 20, 3, "// nothing\n"),
        times("two at 40 levels", 40, 2, ""),
        times("ten at 6 levels", 6, 10, "#define A 1\n"),
        times("one at 60 levels", 60, 1, "#define A 1\n"),
        times("one at 200 levels", 200, 1, ""),
        top("itself", "#include \"a.vert\"\n"),
        top("each other", "#include \"b\"\n")
            .with("b", "#include \"c\"\n".into())
            .with("c", "#include \"b\"\n#include \"b\"\n".into()),
        top("what is not there", &"#include \"no\"\n".repeat(20_000)),
        top("a small one 20000 times", &"#include \"b\"\n".repeat(20_000)).with("b", "#define B 1\n".into()),
        top("a large one 100 times", &"#include \"b\"\n".repeat(100)).with("b", large),
        top("by a condition", "#include \"b\"\n").with(
            "b",
            "#ifndef B\n#define B 1\n#else\n#if B < 5000\n#include \"b\"\n#endif\n#endif\n#include \"b\"\n"
                .into(),
        ),
    ]
}
