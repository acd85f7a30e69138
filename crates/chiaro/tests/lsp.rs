//! The language server, driven over the protocol by a script: every capability, wrong messages, and ten
//! thousand random edits beside which a model of the text is kept.

mod client;
mod edits;
mod languages;
mod remedies;

use client::{Client, at, range};
use serde_json::{Value, json};

const PICA: &str = "\
; a comment
.fvec model[4], tint
.in position
.out place position
.out shade color
.proc main
    dp4 place.x, model[0], position
    mov r0, tint
    mov shade, r0
    jmpu b0, done
    call twice
done:
    end
.end
.proc twice
    add r1, r0, r0
    nop
.end
";

const FRAG: &str = "\
#version 300 es
precision highp float;
struct Lamp { vec3 colour; float power; };
uniform Lamp lamps[2];
uniform sampler2D picture;
in vec2 uv;
out vec4 shown;
float bright(vec3 colour) {
    return dot(colour, vec3(0.3, 0.6, 0.1));
}
void main() {
    vec3 sum = texture(picture, uv).rgb;
    for (int i = 0; i < 2; i++) {
        sum += lamps[i].colour * lamps[i].power;
    }
    shown = vec4(sum * bright(sum), 1.0);
}
";

const WGSL: &str = "\
struct Lamp { colour: vec3<f32>, power: f32 }
@group(0) @binding(0) var<uniform> lamp: Lamp;
fn bright(colour: vec3<f32>) -> f32 {
    let weights = vec3<f32>(0.3, 0.6, 0.1);
    return dot(colour, weights);
}
@fragment
fn main(@location(0) uv: vec2<f32>) -> @location(0) vec4<f32> {
    var sum = lamp.colour * lamp.power;
    sum = sum * bright(sum);
    return vec4<f32>(sum, uv.x);
}
";

/// The place of a text in another.
fn place(text: &str, what: &str) -> Value {
    let byte = text.find(what).unwrap_or_else(|| panic!("{what} is not there"));
    let line = text[..byte].matches('\n').count();
    let start = text[..byte].rfind('\n').map_or(0, |at| at + 1);
    at(line as u32, (byte - start) as u32)
}

fn lines_of(locations: &Value) -> Vec<u64> {
    let all = locations.as_array().expect("a list");
    all.iter().map(|one| one["range"]["start"]["line"].as_u64().expect("a line")).collect()
}

#[test]
fn a_session_begins_and_ends_as_the_protocol_says() {
    let mut client = Client::start();
    let early = client.ask("textDocument/hover", json!({}));
    assert_eq!(early["error"]["code"], -32002);
    let answer = client.initialize();
    assert_eq!(answer["result"]["capabilities"]["positionEncoding"], "utf-16");
    assert_eq!(client.ask("initialize", json!({ "capabilities": {} }))["error"]["code"], -32600);
    assert_eq!(client.ask("no/such/method", json!({}))["error"]["code"], -32601);
    assert_eq!(client.ask("shutdown", Value::Null)["result"], Value::Null);
    assert_eq!(client.ask("textDocument/hover", json!({}))["error"]["code"], -32600);
    client.tell("exit", Value::Null);
    assert_eq!(client.ended(), 0);
    let mut gone = Client::start();
    gone.initialize();
    gone.tell("exit", Value::Null);
    assert_eq!(gone.ended(), 1);
}

#[test]
fn wrong_messages_are_answered_and_end_nothing() {
    let mut client = Client::start();
    client.initialize();
    client.send_raw(b"Content-Length: 9\r\n\r\nnot json!");
    assert_eq!(client.next_error()["error"]["code"], -32700);
    client.send_raw(b"Nonsense: 1\r\n\r\n");
    assert_eq!(client.next_error()["error"]["code"], -32700);
    client.send_raw(b"Content-Length: 2\r\n\r\n[]");
    assert_eq!(client.next_error()["error"]["code"], -32700);
    client.tell("textDocument/didOpen", json!({ "textDocument": { "uri": "file:///x" } }));
    client.tell("textDocument/didChange", json!({ "textDocument": { "uri": "file:///none", "version": 2 }, "contentChanges": [{ "text": "" }] }));
    client.tell("textDocument/didChange", json!({ "contentChanges": 7 }));
    client.open("file:///a.frag", "glsl", FRAG);
    let uri = json!({ "uri": "file:///a.frag" });
    let wrong = [
        json!({ "textDocument": uri }),
        json!({ "textDocument": uri, "position": { "line": -1, "character": 0 } }),
        json!({ "textDocument": uri, "position": { "line": "one" } }),
        json!({ "textDocument": { "uri": "file:///not-open" }, "position": at(0, 0) }),
        json!([1, 2]),
    ];
    for params in wrong {
        assert_eq!(client.ask("textDocument/hover", params.clone())["error"]["code"], -32602, "{params}");
    }
    let far = json!({ "textDocument": uri, "position": at(4_000_000_000, 4_000_000_000) });
    assert!(client.ask("textDocument/hover", far)["error"].is_null());
    // Documents of no language, and those that are too large, have nothing, and do no harm.
    client.open("file:///notes.txt", "plaintext", "hello");
    client.open("file:///large.frag", "glsl", &"void f() {}\n".repeat(500_000));
    for uri in ["file:///notes.txt", "file:///large.frag"] {
        let symbols = client.of(uri, "textDocument/documentSymbol", json!({}));
        assert_eq!(symbols, json!([]), "{uri}");
    }
    client.end();
}

#[test]
fn messages_come_as_one_types() {
    let mut client = Client::start();
    client.initialize();
    let uri = "file:///a.frag";
    client.open(uri, "glsl", FRAG);
    assert_eq!(client.diagnostics(uri, 1), json!([]));
    client.change(uri, 2, json!([{ "range": range(15, 17, 15, 20), "text": "summ" }]));
    let found = client.diagnostics(uri, 2);
    assert_eq!(found[0]["range"], range(15, 17, 15, 21));
    assert!(found[0]["message"].as_str().expect("text").contains("`summ` is not declared"), "{found}");
    let actions = client.of(
        uri,
        "textDocument/codeAction",
        json!({ "range": range(15, 18, 15, 18), "context": { "diagnostics": [] } }),
    );
    assert_eq!(actions[0]["edit"]["changes"][uri][0]["newText"], "sum", "{actions}");
    client.change(uri, 3, json!([{ "range": range(15, 17, 15, 21), "text": "sum" }]));
    assert_eq!(client.diagnostics(uri, 3), json!([]));
    client.open("file:///b.wgsl", "wgsl", "fn f() -> f32 { return nothing; }");
    assert_eq!(client.diagnostics("file:///b.wgsl", 1)[0]["severity"], 1);
    client.open("file:///c.v.pica", "pica200", ".proc main\nmvo r0, r1\nend\n.end\n");
    let found = client.diagnostics("file:///c.v.pica", 1);
    assert_eq!(found[0]["range"]["start"], at(1, 0), "{found}");
    let actions = client.of(
        "file:///c.v.pica",
        "textDocument/codeAction",
        json!({ "range": range(1, 0, 1, 0), "context": { "diagnostics": [] } }),
    );
    assert_eq!(actions[0]["title"], "replace `mvo` by `mov`", "{actions}");
    client.end();
}

#[test]
fn names_of_glsl_are_found_and_renamed() {
    let mut client = Client::start();
    client.initialize();
    let uri = "file:///a.frag";
    client.open(uri, "glsl", FRAG);
    let position = |what: &str| json!({ "position": place(FRAG, what) });
    let defined = client.of(uri, "textDocument/definition", position("sum * bright"));
    assert_eq!(lines_of(&defined), [11]);
    let used = client.of(uri, "textDocument/references", position("colour * lamps"));
    assert_eq!(lines_of(&used), [2, 13]);
    let hover = client.of(uri, "textDocument/hover", position("bright(sum)"));
    assert!(
        hover["contents"]["value"].as_str().expect("text").contains("float bright(vec3 colour)"),
        "{hover}"
    );
    let hover = client.of(uri, "textDocument/hover", position("dot(colour"));
    assert!(
        hover["contents"]["value"].as_str().expect("text").contains("float dot(genType, genType)"),
        "{hover}"
    );
    let help = client.of(uri, "textDocument/signatureHelp", position("uv).rgb"));
    assert_eq!(help["activeParameter"], 1);
    let mut named = position("bright(sum)");
    named["newName"] = "luminance".into();
    let renamed = client.of(uri, "textDocument/rename", named.clone());
    assert_eq!(renamed["changes"][uri].as_array().expect("edits").len(), 2);
    named["newName"] = "main".into();
    let refused = client.ask_of(uri, "textDocument/rename", named);
    assert_eq!(refused["error"]["code"], -32803);
    let symbols = client.of(uri, "textDocument/documentSymbol", json!({}));
    let names: Vec<&str> =
        symbols.as_array().expect("list").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["Lamp", "lamps", "picture", "uv", "shown", "bright", "main"]);
    assert_eq!(symbols[0]["children"][0]["name"], "colour");
    let proposals = client.of(uri, "textDocument/completion", position("texture(picture"));
    let labels: Vec<&str> =
        proposals.as_array().expect("list").iter().filter_map(|one| one["label"].as_str()).collect();
    assert!(
        labels.contains(&"sum") && labels.contains(&"texture") && !labels.contains(&"texture2D"),
        "{labels:?}"
    );
    let folds = client.of(uri, "textDocument/foldingRange", json!({}));
    assert!(folds.as_array().expect("list").len() >= 3);
    client.end();
}

#[test]
fn names_of_wgsl_are_found() {
    let mut client = Client::start();
    client.initialize();
    let uri = "file:///a.wgsl";
    client.open(uri, "wgsl", WGSL);
    assert_eq!(client.diagnostics(uri, 1), json!([]));
    let position = |what: &str| json!({ "position": place(WGSL, what) });
    assert_eq!(lines_of(&client.of(uri, "textDocument/definition", position("weights);"))), [3]);
    assert_eq!(lines_of(&client.of(uri, "textDocument/references", position("bright(sum"))), [2, 9]);
    assert_eq!(lines_of(&client.of(uri, "textDocument/references", position("power;"))), [0, 8]);
    let symbols = client.of(uri, "textDocument/documentSymbol", json!({}));
    let names: Vec<&str> =
        symbols.as_array().expect("list").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["Lamp", "lamp", "bright", "main"]);
    let mut named = position("sum = sum");
    named["newName"] = "total".into();
    assert_eq!(
        client.of(uri, "textDocument/rename", named)["changes"][uri].as_array().expect("edits").len(),
        5
    );
    client.end();
}

#[test]
fn functions_of_wgsl_are_told_with_their_forms() {
    let mut client = Client::start();
    client.initialize();
    let uri = "file:///a.wgsl";
    client.open(uri, "wgsl", WGSL);
    client.diagnostics(uri, 1);
    let position = |what: &str| json!({ "position": place(WGSL, what) });
    let hover = client.of(uri, "textDocument/hover", position("dot(colour"));
    let text = hover["contents"]["value"].as_str().expect("text");
    assert!(text.contains("dot(a: vecN<e>, b: vecN<e>) -> e") && text.contains("products"), "{text}");
    let mut inside = position("weights);");
    inside["position"]["character"] =
        (inside["position"]["character"].as_u64().expect("a number") + 2).into();
    let help = client.of(uri, "textDocument/signatureHelp", inside);
    assert_eq!(help["activeParameter"], 1, "{help}");
    assert_eq!(help["signatures"][0]["parameters"].as_array().expect("a list").len(), 2);
    assert!(help["signatures"][0]["documentation"].as_str().is_some_and(|doc| !doc.is_empty()));
    let all = client.of(uri, "textDocument/completion", position("dot(colour"));
    let all = all["items"].as_array().or(all.as_array()).expect("a list");
    let item = all.iter().find(|one| one["label"] == "distance").expect("a function that begins so");
    assert!(item["documentation"]["value"].as_str().expect("text").contains("length of the difference"));
    client.end();
}

#[test]
fn assemblies_are_explained_from_their_rows() {
    let mut client = Client::start();
    client.initialize();
    let uri = "file:///lamps.v.pica";
    client.open(uri, "pica200", PICA);
    let position = |what: &str| json!({ "position": place(PICA, what) });
    let hover = client.of(uri, "textDocument/hover", position("add r1"));
    let text = hover["contents"]["value"].as_str().expect("text");
    assert!(text.contains("opcode") && text.contains("[gpu-tests]") || text.contains("[3dbrew]"), "{text}");
    assert_eq!(lines_of(&client.of(uri, "textDocument/definition", position("done\n"))), [11]);
    assert_eq!(lines_of(&client.of(uri, "textDocument/definition", position("twice\ndone"))), [14]);
    assert_eq!(lines_of(&client.of(uri, "textDocument/references", position("tint\n    mov"))), [1, 7]);
    assert_eq!(lines_of(&client.of(uri, "textDocument/definition", position("r0\n    jmpu"))), [7]);
    let help = client.of(uri, "textDocument/signatureHelp", position("r0, r0"));
    assert!(help["signatures"][0]["label"].as_str().expect("text").starts_with("add "), "{help}");
    let proposals = client.of(uri, "textDocument/completion", position("mov r0"));
    let mov = proposals.as_array().expect("list").iter().find(|one| one["label"] == "mov").expect("there");
    assert!(mov["documentation"]["value"].as_str().expect("text").contains('['), "{mov}");
    let proposals = client.of(uri, "textDocument/completion", position("twice\ndone"));
    assert!(proposals.as_array().expect("list").iter().any(|one| one["label"] == "twice"), "{proposals}");
    let mut named = position("twice\ndone");
    named["newName"] = "double".into();
    assert_eq!(
        client.of(uri, "textDocument/rename", named)["changes"][uri].as_array().expect("edits").len(),
        2
    );
    let tokens = client.of(uri, "textDocument/semanticTokens/full", json!({}));
    assert!(tokens["data"].as_array().expect("numbers").len() > 5 * 40);
    client.end();
}

#[test]
fn every_assembly_has_its_rows_and_its_names() {
    let samples = [
        ("utgard-gp", "again:\n    in0 a0; in2 t[0]; mul1 in2.w, in0.x\n    branch again\n", "again\n"),
        ("a3xx", "again:\nmul.f r2.y, c0.x, r0.x\njump again\nend\n", "again\nend"),
        ("rdna", "again:\n  v_add_f32_e32 v2, v2, v2\n  s_branch again\n  s_endpgm\n", "again\n  s_end"),
        ("agx", "again:\n  fmul32 r0, r0, r8\n  jmp again\n  stop\n", "again\n  stop"),
    ];
    let mut client = Client::start();
    client.initialize();
    for (id, text, used) in samples {
        let uri = format!("file:///x.{id}");
        client.open(&uri, id, text);
        let defined = client.of(&uri, "textDocument/definition", json!({ "position": place(text, used) }));
        assert_eq!(lines_of(&defined), [0], "{id}");
        let hover = client.of(&uri, "textDocument/hover", json!({ "position": at(1, 5) }));
        assert!(
            hover["contents"]["value"].as_str().is_some_and(|text| text.contains("opcode")),
            "{id}: {hover}"
        );
        let proposals = client.of(&uri, "textDocument/completion", json!({ "position": at(1, 0) }));
        let documented = proposals
            .as_array()
            .expect("list")
            .iter()
            .filter(|one| one["documentation"]["value"].as_str().is_some_and(|doc| doc.len() > 20));
        assert!(documented.count() > 10, "{id}");
    }
    client.end();
}

#[test]
fn costs_come_when_they_are_known() {
    let mut client = Client::start();
    client.initialize();
    let uri = "file:///a.frag";
    client.open(uri, "glsl", FRAG);
    client.wait_for("workspace/codeLens/refresh");
    let lenses = client.of(uri, "textDocument/codeLens", json!({}));
    let titles: Vec<&str> =
        lenses.as_array().expect("list").iter().filter_map(|one| one["command"]["title"].as_str()).collect();
    assert!(
        titles.iter().any(|title| title.starts_with("a3xx: ") && title.contains("instructions")),
        "{titles:?}"
    );
    assert!(titles.iter().any(|title| title.starts_with("agx: ") && title.contains("cycles")), "{titles:?}");
    let hints = client.of(uri, "textDocument/inlayHint", json!({ "range": range(0, 0, 99, 0) }));
    let on = |line: u64| hints.as_array().expect("list").iter().any(|one| one["position"]["line"] == line);
    assert!(on(11) && on(15) && !on(0), "{hints}");
    client.open("file:///x.v.pica", "pica200", PICA);
    client.wait_for("workspace/codeLens/refresh");
    let hover =
        client.of("file:///x.v.pica", "textDocument/hover", json!({ "position": place(PICA, "dp4 place") }));
    assert!(hover["contents"]["value"].as_str().expect("text").contains("issues in"), "{hover}");
    client.open("file:///y.s", "rdna", "    v_add_f32_e32 v2, v0, v0\n\n    s_endpgm\n");
    client.wait_for("workspace/codeLens/refresh");
    let hints = client.of("file:///y.s", "textDocument/inlayHint", json!({ "range": range(0, 0, 99, 0) }));
    let lines: Vec<&Value> =
        hints.as_array().expect("list").iter().map(|one| &one["position"]["line"]).collect();
    assert_eq!(lines, [0, 2], "{hints}");
    client.end();
}

#[test]
fn formatting_changes_no_word() {
    let mut client = Client::start();
    client.initialize();
    let uri = "file:///a.v.pica";
    let ugly = ".proc  main\nmov   r0 ,v0   ; copy\n  again:\n\tadd r0,r0,  r0\nend\n.end\n";
    client.open(uri, "pica200", ugly);
    let edits = client.of(
        uri,
        "textDocument/formatting",
        json!({ "options": { "tabSize": 4, "insertSpaces": true } }),
    );
    client.change(uri, 2, edits_as_changes(&edits));
    let text = client.text(uri);
    assert_eq!(text.split_whitespace().collect::<String>(), ugly.split_whitespace().collect::<String>());
    assert!(text.contains("\n    add r0, r0, r0\n") && text.contains("\nagain:\n"), "{text}");
    assert_eq!(client.of(uri, "textDocument/formatting", json!({})), json!([]));
    client.end();
}

/// Edits of lines as changes, the last first, so that places stay.
fn edits_as_changes(edits: &Value) -> Value {
    let mut all: Vec<Value> = edits.as_array().expect("edits").clone();
    all.reverse();
    all.into_iter().map(|edit| json!({ "range": edit["range"], "text": edit["newText"] })).collect()
}

#[test]
fn random_edits_leave_server_and_client_with_the_same_text() {
    let count = std::env::var("CHIARO_EDITS").ok().and_then(|n| n.parse().ok()).unwrap_or(1500);
    edits::compared("file:///a.frag", "glsl", FRAG, count, 1);
    edits::compared("file:///a.wgsl", "wgsl", WGSL, count / 4, 2);
    edits::compared("file:///a.v.pica", "pica200", PICA, count / 4, 3);
}

/// A text of two thousand lines made of a part that repeats.
fn long(head: &str, part: &str, tail: &str) -> String {
    let lines = part.lines().count();
    let parts: String = (0..1990 / lines).map(|n| part.replace('#', &n.to_string())).collect();
    format!("{head}{parts}{tail}")
}

#[test]
fn two_thousand_lines_are_checked_in_a_moment() {
    use chiaro::editor::Editor;
    use chiaro_lsp::{Document, Language, Outline, Tools};
    let glsl = long(
        "#version 300 es\nprecision highp float;\nuniform vec4 k;\nout vec4 o;\n",
        "vec4 f#(vec4 a) {\n    vec4 b = a * k + vec4(#.0);\n    b.x = dot(a, b);\n    return b;\n}\n",
        "void main() { o = f0(k); }\n",
    );
    let wgsl = long(
        "@group(0) @binding(0) var<uniform> k: vec4<f32>;\n",
        "fn f#(a: vec4<f32>) -> vec4<f32> {\n    var b = a * k;\n    b.x = dot(a, b);\n    return b;\n}\n",
        "@fragment fn main() -> @location(0) vec4<f32> { return f0(k); }\n",
    );
    let pica = long(".in p\n.out q position\n.proc main\n", "    call p#\n    nop\n", "    end\n.end\n");
    let rdna = long("start:\n", "l#:\n  v_add_f32_e32 v2, v2, v1\n  s_cbranch_scc0 l#\n", "  s_endpgm\n");
    let a3xx = long("", "add.f r0.x, r1.x, c#.x\n(rpt2)nop\n", "end\n").replace("c99", "c9");
    let agx = long("", "  fmul32 r2, r2, r8\n  iadd r3, r2, 1\n", "  stop\n");
    let utgard = long("", "l#:\n    in0 a0; in2 t[0]; mul1 in2.w, in0.x\n", "    in0 a0; out0 v0\n");
    let assemblies = [("a.v.pica", pica), ("a.s", rdna), ("a.ir3", a3xx), ("a.agx", agx), ("a.gp", utgard)];
    let texts = [("a.frag", glsl), ("a.wgsl", wgsl)].into_iter().chain(assemblies);
    for (name, text) in texts {
        let language = Language::of(chiaro::TARGETS, "", name, &text);
        let document = Document::new(name, language, text);
        let mut best = [u128::MAX; 2];
        for _ in 0..5 {
            let start = std::time::Instant::now();
            let checked = Editor.check(&document);
            best[0] = best[0].min(start.elapsed().as_micros());
            assert!(!checked.messages.is_empty() || name != "a.v.pica");
            let start = std::time::Instant::now();
            let outline = Outline::of(&document);
            best[1] = best[1].min(start.elapsed().as_micros());
            assert!(!outline.uses.is_empty());
        }
        println!("{name}: checked in {} us, outlined in {} us", best[0], best[1]);
        // 50 ms are what editors get; builds for tests are slower, and machines busy.
        let allowed = if cfg!(debug_assertions) { 500_000 } else { 50_000 };
        assert!(best[0] < allowed && best[1] < allowed, "{name}: {best:?}");
    }
}
