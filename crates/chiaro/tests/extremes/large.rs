//! Variables beyond all memory, in programs that hardly use them: checks and runs gave each of them its bytes, in every
//! invocation.

use super::case::Case;

const VERTEX: [(&str, &str); 3] = [
    ("a local array", "void main() { vec4 all[300000000]; all[5] = a; gl_Position = all[5]; }"),
    ("a global array", "vec4 all[300000000]; void main() { all[5] = a; gl_Position = all[5]; }"),
    (
        "a structure of structures",
        "struct S { vec4 x[60000]; }; struct T { S s[60000]; }; void main() { T t; t.s[7].x[9] = a; \
         gl_Position = t.s[7].x[9]; }",
    ),
];

const COMPUTE: [(&str, &str, &str); 5] = [
    ("a local array", "", "vec4 all[100000000]; all[5] = b[i]; b[i] = all[5];"),
    ("a global array", "vec4 all[100000000];", "all[5] = b[i]; b[i] = all[5];"),
    (
        "a storage buffer",
        "layout(std430, binding = 1) readonly buffer U { vec4 u[100000000]; };",
        "b[i] = u[i];",
    ),
    ("a uniform buffer", "layout(std140, binding = 1) uniform U { vec4 u[100000000]; };", "b[i] = u[i];"),
    (
        "structures that are handed over",
        "struct S { float x[200000]; }; S next(S s) { s.x[3] += 1.0; return s; }",
        "S s; s.x[i] = 2.0; s = next(next(s)); b[i] = vec4(s.x[3]);",
    ),
];

/// Each is compiled or refused; checks that cannot be made say so.
pub(crate) fn large() -> Vec<Case> {
    let mut cases = Vec::new();
    for target in ["pica200", "utgard-gp", "a3xx", "agx"] {
        for (name, text) in VERTEX {
            let case = Case::vertex(&format!("{name}, {target}"), target, text.to_owned());
            cases.push(case.and("--verify"));
        }
    }
    for target in ["a3xx", "agx", "rdna"] {
        for (name, outside, inside) in COMPUTE {
            let line = format!("compile a.comp --target {target} --verify -o a.out");
            cases.push(Case::line(&format!("{name}, {target}"), "a.comp", &kernel(outside, inside), &line));
        }
    }
    for (name, outside, inside) in COMPUTE {
        cases.push(Case::line(name, "a.comp", &kernel(outside, inside), "run a.comp"));
    }
    cases
}

fn kernel(outside: &str, inside: &str) -> String {
    format!(
        "#version 450\nlayout(local_size_x = 64) in;\nlayout(std430, binding = 0) buffer B {{ vec4 b[]; }};\n\
         {outside}\nvoid main() {{ uint i = gl_GlobalInvocationID.x; {inside} }}\n"
    )
}
