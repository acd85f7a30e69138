//! Random edits, with a model of the text in UTF-16 beside them.

use chiaro_isa::Rng;
use serde_json::{Value, json};

use super::client::Client;

/// What is put in: what breaks languages, line ends, and characters of one to four bytes.
const PIECES: [&str; 24] = [
    "",
    "",
    "",
    "x",
    "sum",
    " ",
    "\n",
    "\r\n",
    "{",
    "}",
    "(",
    ")",
    ";",
    "/*",
    "*/",
    "//",
    "#define x sum\n",
    "é",
    "𝄞",
    "1.0",
    "vec3(",
    "mov r0, r1\n",
    "label:\n",
    "\"",
];

/// Edits a document and compares the texts; requests of all kinds stand between the edits.
pub(crate) fn compared(uri: &str, language: &str, text: &str, count: usize, seed: u64) {
    let mut client = Client::start();
    client.initialize();
    client.open(uri, language, text);
    let mut model: Vec<u16> = text.encode_utf16().collect();
    let mut rng = Rng(seed);
    let mut first = 0;
    for version in 2..count as i32 + 2 {
        let changes: Vec<Value> = (0..1 + rng.below(3)).map(|_| edit(&mut model, &mut rng)).collect();
        client.change(uri, version, json!(changes));
        if version % 5 == 0 {
            asked(&mut client, uri, &model, &mut rng);
        }
        if version % 20 == 0 || version < 20 {
            assert_eq!(client.text(uri), String::from_utf16_lossy(&model), "after {version}");
        }
        if version as usize == count / 4 {
            first = memory();
        }
    }
    assert_eq!(client.text(uri), String::from_utf16_lossy(&model));
    let last = memory();
    assert!(last < first + (64 << 20), "memory grew from {first} to {last}");
    client.end();
}

/// One random edit of the model, as the protocol says it.
fn edit(model: &mut Vec<u16>, rng: &mut Rng) -> Value {
    let longest = 4000;
    let start = boundary(model, rng.below(model.len() + 1));
    let length = if model.len() > longest { 200 } else { [0, 0, 1, 3, 10][rng.below(5)] };
    let end = boundary(model, (start + length).min(model.len()));
    let piece = PIECES[rng.below(PIECES.len())];
    let range = json!({ "start": position(model, start), "end": position(model, end) });
    // Between the two characters of a line end a client has no place either.
    model.splice(start..end, piece.encode_utf16());
    json!({ "range": range, "text": piece })
}

/// A place that is not inside of a character, nor of a line end.
fn boundary(model: &[u16], at: usize) -> usize {
    let inside = |at: usize| {
        let low = model.get(at).is_some_and(|unit| (0xdc00..0xe000).contains(unit));
        low || at > 0 && model.get(at) == Some(&10) && model[at - 1] == 13
    };
    if inside(at) { at + 1 } else { at }
}

fn position(model: &[u16], at: usize) -> Value {
    let line = model[..at].iter().filter(|&&unit| unit == 10).count();
    let start = model[..at].iter().rposition(|&unit| unit == 10).map_or(0, |end| end + 1);
    json!({ "line": line, "character": at - start })
}

fn asked(client: &mut Client, uri: &str, model: &[u16], rng: &mut Rng) {
    let at = rng.below(model.len() + 1);
    let place = json!({ "position": position(model, at), "newName": "renamed" });
    let methods = [
        "hover",
        "definition",
        "references",
        "completion",
        "signatureHelp",
        "documentSymbol",
        "foldingRange",
        "semanticTokens/full",
        "formatting",
        "codeLens",
        "rename",
        "documentHighlight",
    ];
    let method = format!("textDocument/{}", methods[rng.below(methods.len())]);
    let answer = client.ask_of(uri, &method, place);
    let code = &answer["error"]["code"];
    assert!(code.is_null() || *code == -32803, "{method}: {answer}");
}

/// Bytes that the process has in memory; 0 where the system does not say.
fn memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = status.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or(0) * 4096
}
