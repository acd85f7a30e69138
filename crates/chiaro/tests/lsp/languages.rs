//! Every language by the examples that stand in the repository, listings among them; and what is asked in passing.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::client::{Client, at, range};
use super::{FRAG, PICA, edits_as_changes, place};

/// Files of the examples and of the explorer that are sources of a language, with the language.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    let mut folders = vec![root.join("examples"), root.join("web/content")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let ending = name.rsplit('.').next().expect("an ending");
            let id = match ending {
                "vert" | "frag" | "comp" | "geom" => "glsl",
                "wgsl" | "pica200" | "utgard-gp" | "a3xx" | "rdna" | "agx" => ending,
                "pica" => "pica200",
                "gp" => "utgard-gp",
                "ir3" => "a3xx",
                "s" => "rdna",
                _ => continue,
            };
            // What heads the listings of these two is no comment to their assemblers.
            let is_headed = path.parent().is_some_and(|folder| folder.ends_with("listings"))
                && ["agx", "utgard-gp"].contains(&ending);
            if name != "mistakes.frag" && !is_headed {
                found.push((path, id.to_owned()));
            }
        }
    }
    found.sort();
    found
}

fn errors(found: &Value) -> Vec<&Value> {
    found.as_array().expect("a list").iter().filter(|one| one["severity"] == 1).collect()
}

/// Colours go forward, and none is longer than its line.
fn are_in_order(tokens: &Value, text: &str) -> bool {
    let lengths: Vec<u64> = text.split('\n').map(|line| line.encode_utf16().count() as u64).collect();
    let numbers: Vec<u64> =
        tokens["data"].as_array().expect("a list").iter().filter_map(Value::as_u64).collect();
    let (mut line, mut start, mut end) = (0, 0, 0);
    numbers.chunks(5).all(|token| {
        if token[0] > 0 {
            (line, start, end) = (line + token[0], 0, 0);
        }
        start += token[1];
        let follows = start >= end;
        end = start + token[2];
        follows && lengths.get(line as usize).is_some_and(|length| end <= *length)
    })
}

/// Lines that may have an instruction: they begin with a letter or a mark, and name no label.
fn instructions(text: &str) -> impl Iterator<Item = (u32, u32)> {
    let line = |(number, line): (usize, &str)| {
        let start = line.len() - line.trim_start().len();
        let is_one =
            line[start..].starts_with(|c: char| c.is_ascii_lowercase() || c == '(') && !line.contains(':');
        is_one.then_some((number as u32, start as u32 + 1))
    };
    text.lines().enumerate().filter_map(line).take(10)
}

#[test]
fn examples_of_every_language_have_everything() {
    let mut client = Client::start();
    client.initialize();
    let mut languages = std::collections::BTreeMap::new();
    for (path, id) in sources() {
        let text = fs::read_to_string(&path).expect("text");
        let uri = format!("file://{}", path.display());
        client.open(&uri, &id, &text);
        let found = client.diagnostics(&uri, 1);
        assert!(errors(&found).is_empty(), "{uri}: {found}");
        let tokens = client.of(&uri, "textDocument/semanticTokens/full", json!({}));
        assert!(are_in_order(&tokens, &text), "{uri}");
        assert!(tokens["data"].as_array().expect("a list").len() > 20, "{uri}");
        client.of(&uri, "textDocument/foldingRange", json!({}));
        client.of(&uri, "textDocument/documentSymbol", json!({}));
        if !["glsl", "wgsl"].contains(&id.as_str()) {
            let is_explained = instructions(&text).any(|(line, column)| {
                let hover = client.of(&uri, "textDocument/hover", json!({ "position": at(line, column) }));
                hover["contents"]["value"].as_str().is_some_and(|told| told.contains('['))
            });
            assert!(is_explained, "{uri}");
            let edits = client.of(&uri, "textDocument/formatting", json!({}));
            client.change(&uri, 2, edits_as_changes(&edits));
            let after = client.diagnostics(&uri, 2);
            assert!(errors(&after).is_empty(), "{uri}, formatted: {after}");
        }
        client.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
        *languages.entry(id).or_insert(0) += 1;
    }
    assert_eq!(languages.len(), 7, "{languages:?}");
    client.end();
}

#[test]
fn types_of_variables_are_told() {
    let mut client = Client::start();
    client.initialize();
    client.open("file:///a.frag", "glsl", FRAG);
    client.open("file:///a.wgsl", "wgsl", super::WGSL);
    let cases = [
        ("file:///a.frag", FRAG, "sum * bright", "vec3 sum"),
        ("file:///a.frag", FRAG, "lamps[i].colour", "Lamp lamps[2]"),
        ("file:///a.frag", FRAG, "uv).rgb", "vec2 uv"),
        ("file:///a.wgsl", super::WGSL, "lamp.colour", "Lamp"),
    ];
    for (uri, text, what, wanted) in cases {
        let hover = client.of(uri, "textDocument/hover", json!({ "position": place(text, what) }));
        let told = hover["contents"]["value"].as_str().unwrap_or_default();
        assert!(told.contains(wanted), "{what}: {hover}");
    }
    client.end();
}

#[test]
fn places_of_a_name_are_marked_and_can_have_another() {
    let mut client = Client::start();
    client.initialize();
    let uri = "file:///a.v.pica";
    client.open(uri, "pica200", PICA);
    let position = |what: &str| json!({ "position": place(PICA, what) });
    let marked = client.of(uri, "textDocument/documentHighlight", position("tint\n    mov"));
    assert_eq!(super::lines_of(&marked), [1, 7]);
    let ready = client.of(uri, "textDocument/prepareRename", position("twice\ndone"));
    assert_eq!(ready["placeholder"], "twice");
    let refused = client.ask_of(uri, "textDocument/prepareRename", position("r0\n    jmpu"));
    assert_eq!(refused["error"]["code"], -32803, "registers are the machine's");
    let mut without = position("tint\n    mov");
    without["context"] = json!({ "includeDeclaration": false });
    assert_eq!(super::lines_of(&client.of(uri, "textDocument/references", without)), [7]);
    client.end();
}

#[test]
fn procedures_and_blocks_of_assembly_have_symbols_and_folds() {
    let mut client = Client::start();
    client.initialize();
    let uri = "file:///a.v.pica";
    client.open(uri, "pica200", PICA);
    let symbols = client.of(uri, "textDocument/documentSymbol", json!({}));
    let text = symbols.to_string();
    for name in ["model", "tint", "position", "main", "twice", "done"] {
        assert!(text.contains(&format!("\"name\":\"{name}\"")), "{name}: {text}");
    }
    let folds = client.of(uri, "textDocument/foldingRange", json!({}));
    let folds: Vec<(u64, u64)> = folds
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| Some((one["startLine"].as_u64()?, one["endLine"].as_u64()?)))
        .collect();
    assert!(folds.iter().any(|fold| fold.0 == 5) && folds.iter().any(|fold| fold.0 == 14), "{folds:?}");
    client.end();
}

#[test]
fn a_part_is_formatted_alone() {
    let mut client = Client::start();
    client.initialize();
    let uri = "file:///a.v.pica";
    client.open(uri, "pica200", ".proc main\nmov   r0 ,v0\nmov   r1 ,v0\nend\n.end\n");
    let wanted = json!({ "range": range(2, 0, 2, 3), "options": { "tabSize": 4, "insertSpaces": true } });
    let edits = client.of(uri, "textDocument/rangeFormatting", wanted);
    let lines: Vec<&Value> =
        edits.as_array().expect("a list").iter().map(|one| &one["range"]["start"]["line"]).collect();
    assert_eq!(lines, [2], "{edits}");
    client.end();
}

#[test]
fn costs_are_of_the_targets_that_one_wants() {
    let mut client = Client::start();
    let refresh = json!({ "refreshSupport": true });
    let capabilities = json!({ "workspace": { "codeLens": refresh, "inlayHint": refresh } });
    let options = json!({ "targets": ["agx", "a3xx"] });
    client.ask("initialize", json!({ "capabilities": capabilities, "initializationOptions": options }));
    client.tell("initialized", json!({}));
    client.open("file:///a.frag", "glsl", FRAG);
    client.wait_for("workspace/codeLens/refresh");
    let lenses = client.of("file:///a.frag", "textDocument/codeLens", json!({}));
    let all: Vec<&str> = lenses
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["command"]["title"].as_str())
        .collect();
    assert!(
        matches!(all[..], [agx, a3xx] if agx.starts_with("agx: ") && a3xx.starts_with("a3xx: ")),
        "{all:?}"
    );
    let hints = client.of("file:///a.frag", "textDocument/inlayHint", json!({ "range": range(0, 0, 99, 0) }));
    let all = hints.as_array().expect("a list");
    assert!(
        !all.is_empty()
            && all.iter().all(|hint| hint["tooltip"].as_str().is_some_and(|tip| tip.starts_with("agx: "))),
        "{hints}"
    );
    client.end();
}
