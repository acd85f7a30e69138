//! Runs that do not end, and what they leave behind: `run` followed endless loops for minutes, and wrote down
//! every step.

use super::case::Case;

const VERTEX: &str = "#version 300 es\nin vec4 a;\nuniform vec4 u;\n\
    void main() { vec4 x = a; while (u.x >= 0.0) { x += a * u; } gl_Position = x; }\n";

/// An endless loop of invocations side by side that counts in a buffer.
fn counting(invocations: u32) -> String {
    format!(
        "#version 310 es\nlayout(local_size_x = {invocations}) in;\n\
         layout(std430, binding = 0) buffer Values {{ float values[]; }};\n\
         void main() {{ for (int i = 0; i < 10; i += int(values[0])) {{ values[1] += 1.0; }} }}\n"
    )
}

/// Every run is stopped, and says how many steps are allowed.
pub(crate) fn runs() -> Vec<Case> {
    let told: &[&str] = &["did not end within", "--max-steps"];
    let assembly = [
        (
            "pica",
            "a.v.pica",
            ".out p position\n.proc main\nagain:\n  mov r0, v0\n  jmpu b0, again\n  jmpu !b0, again\n  mov p, r0\n  end\n.end\n",
        ),
        ("gp", "a.gp", "again:\n    in2 t[0]; pass.mov in2.x; branch again\n    nop\n"),
        ("a3xx", "a.ir3", "again:\n  nop\n  jump #again\n  end\n"),
    ];
    let mut cases = Vec::new();
    for (name, file, text) in assembly {
        // A branch of Utgard's takes a condition that is not zero.
        let inputs = if name == "gp" { " --inputs in.json" } else { "" };
        let case = |more: &str| {
            let line = format!("run {file}{inputs}{more}");
            let given = "{ \"uniforms\": { \"t[0]\": [1, 1, 1, 1] } }".to_owned();
            Case::line(&format!("{name}{more}"), file, text, &line).with("in.json", given).refused(told)
        };
        cases.extend(["", " --trace", " --trace=table", " --max-steps 1"].map(case));
    }
    for invocations in [1, 4, 5, 64, 1024] {
        let line = "run a.comp --inputs in.json";
        let case = Case::line(&format!("{invocations} invocations"), "a.comp", &counting(invocations), line);
        let given = "{\"buffers\": {\"Values\": {\"values\": [0, 0]}}}".to_owned();
        cases.push(case.with("in.json", given).refused(told));
    }
    for target in ["", " --target pica200", " --target utgard-gp", " --target a3xx"] {
        cases.push(
            Case::line(&format!("vertex{target}"), "a.vert", VERTEX, &format!("run a.vert{target}"))
                .refused(told),
        );
    }
    cases
}
