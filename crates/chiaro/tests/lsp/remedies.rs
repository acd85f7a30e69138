//! What mends broken rules of the hardware: offered at the instruction at fault, tried, and of every target's list
//! of remedies at least one for each rule.

use std::collections::BTreeSet;

use chiaro::TARGETS;
use serde_json::{Value, json};

use super::client::{Client, range};
use super::edits_as_changes;

/// Assembly that breaks a rule of its machine: the target, the rule, the text, and what mends it.
const BROKEN: &[(&str, &str, &str, &str)] = &[
    ("a3xx", "ss", "rcp r0.x, r1.x\nmul.f r0.y, r0.x, r0.x\nend\n", "put in `(ss)`"),
    ("a3xx", "delay", "add.f r0.z, r1.x, r1.y\nadd.f r0.w, r0.z, r1.x\nend\n", "put in `(rpt2)nop`"),
    ("a3xx", "sy", "sam (f32)(xyzw)r0.x, r4.x, s#0, t#0\nadd.f r5.x, r0.w, c0.x\nend\n", "put in `(sy)`"),
    ("a3xx", "write-after-read", "rcp r0.x, r1.x\nmov.f32f32 r1.x, c0.x\n(ss)end\n", "put in `(ss)`"),
    (
        "a3xx",
        "join",
        "cmps.f.lt p0.x, r4.x, c0.x\n(rpt5)nop\nbr p0.x, #2\nmov.f32f32 r0.x, c0.x\nend\n",
        "put in `(jp)`",
    ),
    ("a3xx", "barrier", "bar.g.l.r.w\nnop\nend\n", "put in `(ss)(sy)`"),
    ("a3xx", "end", "mov.f32f32 r0.x, c0.x\n", "put in `end`"),
    (
        "rdna",
        "wait",
        "    global_load_dword v0, v1, s[2:3]\n    v_add_f32_e32 v2, v0, v0\n    s_endpgm\n",
        "put in `s_waitcnt vmcnt(0)`",
    ),
    (
        "rdna",
        "barrier-wait",
        "    ds_write_b32 v0, v1\n    s_barrier\n    s_endpgm\n",
        "put in `s_waitcnt lgkmcnt(0)`",
    ),
    (
        "rdna",
        "call-wait",
        "    s_load_dword s4, s[2:3], 0x0\n    s_setpc_b64 s[0:1]\n    s_endpgm\n",
        "put in `s_waitcnt vmcnt(0) lgkmcnt(0)`",
    ),
    ("rdna", "end", "    v_nop\n", "put in `s_endpgm`"),
    ("rdna", "code-end", "    v_nop\n    s_code_end\n", "put in `s_endpgm`"),
    ("rdna", "dlc", "    buffer_store_dword v0, off, s[0:3], 0 dlc\n    s_endpgm\n", "leave out `dlc`"),
    (
        "agx",
        "wait",
        "  device_load 1, i32, x, r2, u0_u1, r1, unsigned\n  fmul32 r2, r2, r2\n  stop\n",
        "put in `wait 1`",
    ),
    (
        "agx",
        "barrier-wait",
        "  device_store 0, i32, x, r2, u0_u1, 0, signed, 0\n  threadgroup_barrier\n  stop\n",
        "put in `wait 0`",
    ),
    (
        "agx",
        "counter",
        "  if_icmp r0l, ueq, r4, 0, 1\n  mov_imm r0l, 0\n  pop_exec r0l, 1\n  stop\n",
        "put in `mov_imm r0l, 0`",
    ),
    ("agx", "traps", "  mov_imm r2l, 1\n  stop\n", "put in `trap`"),
    ("agx", "part-wait", "  device_load 0, i32, x, r2, u0_u1, 0, signed\n", "put in `wait 0`"),
    ("agx", "fence", "  sample_mask 255, 255\n", "put in `wait_pix 1, 0`"),
    (
        "agx",
        "outstanding",
        concat!(
            "  device_store 0, i32, x, r2, u0_u1, 0, signed, 0\n  device_store 0, i32, x, r2, u0_u1, 0, signed, 0\n",
            "  device_store 0, i32, x, r2, u0_u1, 0, signed, 0\n  device_store 0, i32, x, r2, u0_u1, 0, signed, 0\n",
            "  device_store 0, i32, x, r2, u0_u1, 0, signed, 0\n  device_store 0, i32, x, r2, u0_u1, 0, signed, 0\n",
            "  device_store 0, i32, x, r2, u0_u1, 0, signed, 0\n  device_store 0, i32, x, r2, u0_u1, 0, signed, 0\n",
            "  device_store 0, i32, x, r2, u0_u1, 0, signed, 0\n  stop\n",
        ),
        "put in `wait 0`",
    ),
    (
        "pica200",
        "mova-pair",
        ".out o position\n.in v\n.proc main\n    mova a0.x, v.x\n    mova a0.y, v.y\n    mov o, v\n    end\n.end\n",
        "put in `nop`",
    ),
    ("pica200", "past-end", ".out o position\n.in v\n.proc main\n    mov o, v\n.end\n", "put in `end`"),
];

/// A kernel of RDNA, which knows what is on the way where it begins.
const KERNEL: &str = "\
.amdgcn_target \"amdgcn-amd-amdhsa--gfx1030\"
k:
    s_waitcnt vmcnt(0)
    s_endpgm
.amdhsa_kernel k
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
";

#[test]
fn waits_that_bring_nothing_are_left_out() {
    let mut client = Client::start();
    client.initialize();
    client.open("file:///k.s", "rdna", KERNEL);
    let (actions, _) = offered(&mut client, "file:///k.s", "needless-wait");
    assert_eq!(actions[0]["title"], "leave out `s_waitcnt vmcnt(0)`", "{actions}");
    client.end();
}

/// Texts whose mistakes have advice that leaves nothing to choose, or a choice between edits: the file, the text, what
/// the message says, and what is offered.
const ADVISED: &[(&str, &str, &str, &str)] = &[
    (
        "int.frag",
        "#version 300 es\nprecision highp float;\nout vec4 o;\nvoid main() {\n    float x = 1;\n    o = vec4(x);\n}\n",
        "expected `float`",
        "write `float(1)`",
    ),
    (
        "old.frag",
        "#version 110\nvoid main() {\n    float x = 1;\n    gl_FragColor = vec4(x);\n}\n",
        "expected `float`",
        "replace `#version 110` by `#version 120`",
    ),
    (
        "right.frag",
        "#version 300 es\nprecision highp float;\nin float a;\nout vec4 o;\nvoid main() {\n    int n = 2;\n    o = vec4(a * n);\n}\n",
        "`*` does not take",
        "write `float(n)`",
    ),
    (
        "left.frag",
        "#version 300 es\nprecision highp float;\nout vec4 o;\nvoid main() {\n    float x = 1.0;\n    int n = 2;\n    x += n;\n    o = vec4(x);\n}\n",
        "cannot put",
        "write `float(n)`",
    ),
    (
        "derivatives.frag",
        "#version 100\nprecision highp float;\nvarying vec2 v;\nvoid main() {\n    gl_FragColor = vec4(dFdx(v), 0.0, 1.0);\n}\n",
        "dFdx",
        "put in `#extension GL_OES_standard_derivatives : enable`",
    ),
    (
        "headless.frag",
        "precision highp float;\nvarying vec2 v;\nvoid main() {\n    gl_FragColor = vec4(dFdx(v), 0.0, 1.0);\n}\n",
        "dFdx",
        "put in `#extension GL_OES_standard_derivatives : enable`",
    ),
    (
        "es.frag",
        "#version 300\nprecision highp float;\nout vec4 o;\nvoid main() {\n    o = vec4(1.0);\n}\n",
        "has to say so",
        "replace `#version 300` by `#version 300 es`",
    ),
    (
        "later.vert",
        "#version 300 es\nin vec4 p;\nlayout(binding = 1) uniform U { vec4 k; };\nvoid main() {\n    gl_Position = p + k;\n}\n",
        "not available here",
        "replace `#version 300 es` by `#version 310 es`",
    ),
    (
        "gone.frag",
        "#version 300 es\nprecision highp float;\nuniform sampler2D s;\nin vec2 v;\nout vec4 o;\nvoid main() {\n    o = texture2D(s, v);\n}\n",
        "texture2D",
        "replace `texture2D` by `texture`",
    ),
    (
        "attribute.vert",
        "#version 300 es\nattribute vec4 p;\nvoid main() {\n    gl_Position = p;\n}\n",
        "attribute",
        "replace `attribute` by `in`",
    ),
    (
        "varying.frag",
        "#version 300 es\nprecision highp float;\nvarying vec4 v;\nout vec4 o;\nvoid main() {\n    o = v;\n}\n",
        "varying",
        "replace `varying` by `in`",
    ),
    (
        "type.frag",
        "#version 300 es\nprecision highp float;\nout vec4 o;\nvoid main() {\n    float4 x = vec4(1.0);\n    o = x;\n}\n",
        "unknown type `float4`",
        "replace `float4` by `vec4`",
    ),
    (
        "hlsl.frag",
        "#version 300 es\nprecision highp float;\nout vec4 o;\nvoid main() {\n    o = vec4(lerp(1.0, 2.0, 0.5));\n}\n",
        "no function `lerp`",
        "replace `lerp` by `mix`",
    ),
    (
        "any.frag",
        "#version 300 es\nprecision highp float;\nin vec2 v;\nout vec4 o;\nvoid main() {\n    o = vec4(0.0);\n    if (lessThan(v, vec2(1.0))) o = vec4(1.0);\n}\n",
        "must be `bool`",
        "write `all(lessThan(v, vec2(1.0)))`",
    ),
    (
        "not.frag",
        "#version 300 es\nprecision highp float;\nin vec2 v;\nout vec4 o;\nvoid main() {\n    bvec2 b = !lessThan(v, vec2(1.0));\n    o = vec4(b, b);\n}\n",
        "`!` does not take",
        "write `not(lessThan(v, vec2(1.0)))`",
    ),
    (
        "suffix.frag",
        "#version 100\nprecision highp float;\nvoid main() {\n    gl_FragColor = vec4(1.0f);\n}\n",
        "the suffix",
        "replace `1.0f` by `1.0`",
    ),
    (
        "semicolon.frag",
        "#version 300 es\nprecision highp float;\nout vec4 o;\nvoid main() {\n    o = vec4(1.0)\n}\n",
        "expected `;`",
        "put in `;`",
    ),
    (
        "swapped.v.pica",
        ".fvec c\n.in v\n.out o position\n.proc main\n    add o, v, c\n    end\n.end\n",
        "",
        "write `c, v`",
    ),
    (
        "point.v.pica",
        ".in v\n.out o position\n.proc main\n    fvec c\n    mov o, v\n    end\n.end\n",
        "fvec",
        "put in `.`",
    ),
    (
        "open.v.pica",
        ".in v\n.out o position\n.proc main\n    mov o, v\n    end\n",
        "not closed",
        "put in `.end`",
    ),
    (
        "empty.v.pica",
        ".in v\n.out o position\n.proc nothing\n.end\n.proc main\n    mov o, v\n    end\n.end\n",
        "is empty",
        "put in `nop`",
    ),
    (
        "bool.v.pica",
        ".bool b\n.in v\n.out o position\n.setb b2 maybe\n.proc main\n    mov o, v\n    end\n.end\n",
        "not a boolean",
        "replace `maybe` by `true`",
    ),
    (
        "directive.v.pica",
        ".in v\n.out o position\n.prok main\n    mov o, v\n    end\n.end\n",
        "no directive",
        "replace `prok` by `proc`",
    ),
];

#[test]
fn advice_is_an_edit_where_it_is_mechanical() {
    let mut client = Client::start();
    client.initialize();
    for (name, text, told, wanted) in ADVISED {
        let uri = &format!("file:///{name}");
        client.open(uri, if name.ends_with(".pica") { "pica200" } else { "glsl" }, text);
        let found = client.diagnostics(uri, 1);
        let all = found.as_array().expect("a list");
        let message = all.iter().find(|one| one["message"].as_str().is_some_and(|text| text.contains(told)));
        let message = message.unwrap_or_else(|| panic!("{uri}: {found}"));
        let context = json!({ "range": message["range"], "context": { "diagnostics": [] } });
        let actions = client.of(uri, "textDocument/codeAction", context);
        let action = actions.as_array().expect("a list").iter().find(|one| one["title"] == *wanted);
        let action = action.unwrap_or_else(|| panic!("{uri}: {actions}\n{found}"));
        client.change(uri, 2, edits_as_changes(&action["edit"]["changes"][uri]));
        assert_eq!(client.diagnostics(uri, 2), json!([]), "{uri}");
    }
    client.end();
}

#[test]
fn what_would_break_something_else_is_not_offered() {
    let mut client = Client::start();
    client.initialize();
    // A later version has no `gl_FragColor`.
    let text = "#version 100\nprecision highp float;\nvoid main() {\n    gl_FragColor = vec4(1u);\n}\n";
    client.open("file:///a.frag", "glsl", text);
    let found = client.diagnostics("file:///a.frag", 1);
    let context = json!({ "range": found[0]["range"], "context": { "diagnostics": [] } });
    let actions = client.of("file:///a.frag", "textDocument/codeAction", context);
    let titles: Vec<&Value> = actions.as_array().expect("a list").iter().map(|one| &one["title"]).collect();
    assert_eq!(titles, ["replace `1u` by `1`"], "{actions}\n{found}");
    client.end();
}

/// The actions for a rule that a text breaks, and all that is said of it.
fn offered(client: &mut Client, uri: &str, rule: &str) -> (Value, Value) {
    let found = client.diagnostics(uri, 1);
    let all = found.as_array().expect("a list");
    let told = all.iter().find(|one| one["code"] == rule);
    let told = told.unwrap_or_else(|| panic!("{uri} does not break `{rule}`: {found}"));
    let context = json!({ "range": told["range"], "context": { "diagnostics": [] } });
    (client.of(uri, "textDocument/codeAction", context), found.clone())
}

#[test]
fn rules_of_the_hardware_have_their_remedies() {
    let mut client = Client::start();
    client.initialize();
    for (n, (id, rule, text, wanted)) in BROKEN.iter().enumerate() {
        let uri = &format!("file:///{n}.{}", if *id == "pica200" { "v.pica" } else { id });
        client.open(uri, id, text);
        let (actions, found) = offered(&mut client, uri, rule);
        let action = actions.as_array().expect("a list").iter().find(|one| one["title"] == *wanted);
        let action = action.unwrap_or_else(|| panic!("{id} {rule}: {actions}\n{found}"));
        client.change(uri, 2, edits_as_changes(&action["edit"]["changes"][uri]));
        let left = client.diagnostics(uri, 2);
        let count = |all: &Value| all.as_array().expect("a list").len();
        assert!(count(&left) < count(&found), "{id} {rule}: {left}");
    }
    client.end();
}

#[test]
fn every_remedy_is_tried_here() {
    let tried: BTreeSet<(&str, &str)> = BROKEN.iter().map(|(id, rule, ..)| (*id, *rule)).collect();
    for target in TARGETS.iter() {
        let name = target.about().name;
        for remedy in target.remedies() {
            // What only kernels break has a test of its own.
            let is_tried = tried.contains(&(name, remedy.rule)) || remedy.rule == "needless-wait";
            assert!(is_tried, "{name}: nothing breaks `{}`", remedy.rule);
        }
    }
}

#[test]
fn what_would_not_help_is_not_offered() {
    let mut client = Client::start();
    client.initialize();
    // Six slots are missing: `(rpt2)nop` is too little, and nothing is said to be a remedy that is none.
    let text = "mov.f32f32 r0.x, c0.x\ncmps.f.lt p0.x, r4.x, c0.x\nbr p0.x, #2\nnop\n(jp)end\n";
    client.open("file:///a.ir3", "a3xx", text);
    let (actions, _) = offered(&mut client, "file:///a.ir3", "delay");
    let titles: Vec<&Value> = actions.as_array().expect("a list").iter().map(|one| &one["title"]).collect();
    assert_eq!(titles, ["put in `(rpt5)nop`"], "{actions}");
    let fine = client.of(
        "file:///a.ir3",
        "textDocument/codeAction",
        json!({ "range": range(0, 0, 0, 0), "context": { "diagnostics": [] } }),
    );
    assert_eq!(fine, json!([]));
    client.end();
}
