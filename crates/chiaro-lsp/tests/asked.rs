//! What is answered of every place of some documents, held to what was answered before: a table beside the test has a
//! number for each kind of answer. Whoever changes one on purpose looks at the answer itself, and blesses.

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use chiaro::editor::Editor;
use chiaro_cases::{Cases, damaged, digest};
use chiaro_lsp::actions::actions;
use chiaro_lsp::costs::{Cost, cost};
use chiaro_lsp::{Document, Language, Outline, Tools};
use lsp_types::Range;

/// Documents of all languages.
const DOCUMENTS: [&str; 12] = [
    "glsl/mistakes.frag",
    "glsl/pbr.frag",
    "glsl/scan.comp",
    "glsl/skin.vert",
    "wgsl/scale.wgsl",
    "pica200/skinned.wgsl",
    "pica200/lamps.v.pica",
    "pica200/lines.geom",
    "agx/main.agx",
    "agx/lit.vert",
    "rdna/scale.s",
    "utgard-gp/palette.vert",
];
/// Every so many bytes a place is asked for.
const STEP: usize = 7;
/// Texts with one thing changed that are made of each.
const CHANGED: u64 = 6;

fn document(path: &Path, text: String) -> Document {
    let path = path.to_string_lossy().into_owned();
    let language = Language::of(Editor.targets(), "", &path, &text);
    Document::new(path.rsplit('/').next().unwrap_or_default().to_owned(), language, text)
}

fn number<T: Debug>(answer: &T) -> String {
    digest(&format!("{answer:?}"))
}

/// A number for what is answered of all places.
fn everywhere<T: Debug>(document: &Document, ask: impl Fn(usize) -> T) -> String {
    let places = (0..document.text().len()).step_by(STEP).filter(|&at| document.text().is_char_boundary(at));
    number(&places.map(ask).collect::<Vec<_>>())
}

/// What the document costs on all targets that take it.
fn costs(document: &Document) -> Vec<Cost> {
    let all = Editor.targets().iter();
    all.filter_map(|target| cost(document, target, &Editor)).collect()
}

/// A line for each kind of answer.
fn answers(document: &Document) -> String {
    use chiaro_lsp::*;
    let outline = &Outline::of(document);
    let costs = &costs(document);
    let whole = 0..document.text().len();
    let range: Range = document.range(&whole);
    let checked = &Editor.check(document);
    let all = [
        ("outline", number(outline)),
        ("completion", everywhere(document, |at| completion::completion(document, outline, at))),
        ("definition", everywhere(document, |at| definition::definition(outline, at))),
        ("hover", everywhere(document, |at| hover::hover(document, outline, costs, at))),
        (
            "references",
            everywhere(document, |at| [true, false].map(|own| references::references(outline, at, own))),
        ),
        ("rename", everywhere(document, |at| rename::rename(document, outline, at, "another"))),
        (
            "renamed wrongly",
            everywhere(document, |at| {
                ["", "1a", "main"].map(|new| rename::rename(document, outline, at, new))
            }),
        ),
        ("signature", everywhere(document, |at| signature::signature(document, outline, at))),
        ("symbols", number(&symbols::symbols(document, outline))),
        ("tokens", number(&tokens::tokens(document, outline))),
        ("folding", number(&folding::folding(outline))),
        ("format", number(&format::format(document, 0..document.line_count()))),
        ("lenses", number(&lenses::lenses(document, outline, costs))),
        ("hints", number(&costs.iter().map(|cost| hints::hints(document, cost, range)).collect::<Vec<_>>())),
        (
            "costs",
            number(&costs.iter().map(|cost| (&cost.headline, cost.by_line(document))).collect::<Vec<_>>()),
        ),
        ("diagnostics", number(&diagnostics::diagnostics(document, checked))),
        ("actions", number(&actions(document, checked, &whole, &Editor))),
    ];
    all.map(|(name, answer)| format!("  {name}: {answer}\n")).concat()
}

/// What is said of texts with one thing changed.
fn mistakes(path: &Path, text: &str) -> String {
    let of = |n: u64| {
        let document = document(path, damaged(text, n));
        let checked = Editor.check(&document);
        let whole = 0..document.text().len();
        number(&(
            chiaro_lsp::diagnostics::diagnostics(&document, &checked),
            actions(&document, &checked, &whole, &Editor),
            Outline::of(&document),
        ))
    };
    format!("  changed: {}\n", (0..CHANGED).map(of).collect::<Vec<_>>().join(" "))
}

#[test]
fn every_place_is_answered_as_written_down() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = String::new();
    for name in DOCUMENTS {
        let path: PathBuf = folder.join("../../examples").join(name);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
        found += &format!("{name}\n{}{}", answers(&document(&path, text.clone())), mistakes(&path, &text));
    }
    let mut cases = Cases::new();
    cases.file(&folder.join("tests/asked.txt"), Some(&found));
    cases.finish();
}

/// Patterns for editors, of all languages.
#[test]
fn grammars_are_as_written_down() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let all = chiaro_lsp::grammar::grammars(Editor.targets());
    let lines: String = all.iter().map(|grammar| number(grammar) + "\n").collect();
    let mut cases = Cases::new();
    cases.file(&folder.join("tests/grammars.txt"), Some(&lines));
    cases.finish();
}
