//! The documents stay true: every console example in the Markdown runs and prints what it says,
//! every local link and every path exists.
//!
//! `CHIARO_BLESS=1` writes what is printed now into the documents.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use chiaro_cases::Cases;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

/// All Markdown that the repository keeps.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root()];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).expect("a folder of the repository is readable");
        for entry in entries.map(|e| e.expect("an entry is readable").path()) {
            let name = entry.file_name().and_then(|n| n.to_str()).unwrap_or("").to_owned();
            let is_foreign = name == "target" || name == "node_modules" || name.starts_with('.');
            if entry.is_dir() && !is_foreign {
                open.push(entry);
            } else if name.ends_with(".md") {
                found.push(entry);
            }
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs a line as a reader would, from the repository's root with `chiaro` at hand; answers
/// both streams.
fn run(line: &str, scratch: &Path) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_chiaro"));
    let folder = binary.parent().expect("the binary lies in a folder");
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let line = line.replace("OUT/", &format!("{}/", scratch.display()));
    let shell = Command::new("sh")
        .arg("-c")
        .arg(format!("{{ {line}\n}} 2>&1"))
        .current_dir(root())
        .env("PATH", path)
        .output();
    let text = String::from_utf8_lossy(&shell.expect("sh runs").stdout).into_owned();
    text.replace(&format!("{}/", scratch.display()), "OUT/")
}

/// The document with the output of every example as it is now. In a block marked
/// `console`, `$ ` begins a command; `...` alone on a line stands for the rest of the output. A block marked
/// `text OUT/NAME` is a file of that name for the commands behind it.
fn refreshed(text: &str, scratch: &Path) -> String {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    let mut console = false;
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        if let Some(name) = line.strip_prefix("```text OUT/") {
            let block: Vec<&str> = lines.clone().take_while(|line| *line != "```").collect();
            fs::write(scratch.join(name), block.join("\n") + "\n")
                .expect("a file of the document is written");
        }
        console = if line.starts_with("```") { line == "```console" } else { console };
        let Some(command) = line.strip_prefix("$ ").filter(|_| console) else { continue };
        let mut expected = 0;
        let mut elided = false;
        while let Some(next) = lines.next_if(|l| !l.starts_with("$ ") && !l.starts_with("```")) {
            elided = next == "...";
            expected += 1;
        }
        let printed = run(command, scratch);
        let keep = if elided { expected - 1 } else { usize::MAX };
        for line in printed.lines().take(keep) {
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out.push_str(if elided { "...\n" } else { "" });
    }
    out
}

#[test]
fn examples_print_what_the_documents_say() {
    let scratch = std::env::temp_dir().join(format!("chiaro-documents-{}", std::process::id()));
    fs::create_dir_all(&scratch).expect("a scratch folder can be made");
    let mut cases = Cases::new();
    for document in documents() {
        cases.file(&document, Some(&refreshed(&read(&document), &scratch)));
    }
    let _ = fs::remove_dir_all(&scratch);
    cases.finish();
}

/// The picture that the documents show is the one that our words trace.
#[test]
fn the_traced_picture_is_what_words_trace() {
    let scene = root().join("examples/rdna/rt/spheres/scene.json");
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("spheres.png");
    let trace = ["trace", "--target", "rdna", "--size", "360x240", "-o"];
    let run = Command::new(env!("CARGO_BIN_EXE_chiaro"))
        .args(trace)
        .arg(&file)
        .arg(scene)
        .output()
        .expect("it runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let read = |path: &Path| fs::read(path).expect("a picture");
    assert!(read(&file) == read(&root().join("docs/spheres.png")), "docs/spheres.png is another picture");
}

#[test]
fn local_links_lead_somewhere() {
    let mut missing = Vec::new();
    for document in documents() {
        let text = read(&document);
        let folder = document.parent().expect("a document lies in a folder");
        for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(link, _)| link)) {
            let path = link.split('#').next().unwrap_or("");
            if !path.is_empty() && !link.contains("://") && !folder.join(path).exists() {
                missing.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(missing.is_empty(), "links without a target:\n{}", missing.join("\n"));
}

#[test]
fn the_readme_names_every_target() {
    let readme = read(&root().join("README.md"));
    let missing: Vec<_> = chiaro::TARGETS.names().into_iter().filter(|name| !readme.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Whether a text in backticks is meant as a path: it has the look of one and no placeholder in
/// capitals.
fn is_path(text: &str) -> bool {
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_./-".contains(c));
    let known = [".rs", ".md", ".toml", ".tsv", ".txt", ".sh", ".wgsl", ".jsonl"];
    let is_file = known.iter().any(|end| text.ends_with(end) && text.len() > end.len());
    let is_folder = text.ends_with('/') && text.len() > 1;
    let below = ["crates/", "examples/", "docs/", "fuzz/", "tools/", ".ci/"];
    let is_placeholder = text
        .split(['/', '.', '-'])
        .any(|part| part.len() > 1 && part.chars().all(|c| c.is_ascii_uppercase()));
    let is_readme =
        text.ends_with("README.md") || text.ends_with("ARCHITECTURE.md") || text.ends_with("CONTRIBUTING.md");
    is_plain
        && (is_readme || !is_placeholder)
        && (is_file || is_folder || below.iter().any(|start| text.starts_with(start)))
}

/// The paths in the prose of a document, each with the folders that it may be relative to: the
/// repository, the document, the crate that the paragraph is about, and the path before it.
fn paths(document: &Path, text: &str) -> Vec<(String, Vec<PathBuf>)> {
    let folder = document.parent().expect("a document lies in a folder").to_owned();
    let base = [root(), folder.clone(), folder.join("src"), folder.join("tests")];
    let (mut found, mut fenced) = (Vec::new(), false);
    let mut about: Option<PathBuf> = None;
    for line in text.lines() {
        fenced ^= line.starts_with("```");
        if let Some((name, _)) = line.strip_prefix("**`").and_then(|rest| rest.split_once('`')) {
            about = Some(root().join("crates").join(name).join("src"));
        }
        about = about.filter(|_| !line.starts_with('#'));
        let mut before: Option<PathBuf> = None;
        for piece in line.split('`').skip(1).step_by(2).filter(|piece| !fenced && is_path(piece)) {
            let mut folders = base.to_vec();
            folders.extend(about.clone());
            folders.extend(before.clone());
            // `a/b.rs`; more of it: `c/d.rs`, from where the first one lies.
            before = before.or_else(|| root().join(piece).parent().map(Path::to_owned));
            found.push((piece.to_owned(), folders));
        }
    }
    found
}

#[test]
fn paths_in_the_prose_exist() {
    let mut missing = Vec::new();
    for document in documents() {
        for (path, folders) in paths(&document, &read(&document)) {
            if !folders.iter().any(|folder| folder.join(&path).exists()) {
                missing.push(format!("{}: {path}", document.display()));
            }
        }
    }
    assert!(missing.is_empty(), "paths that lead nowhere:\n{}", missing.join("\n"));
}

#[test]
fn what_looks_like_a_path_is_one() {
    for path in ["crates/chiaro-isa", "flow.rs", "check/spread/", "README.md", "../x/y.md"] {
        assert!(is_path(path), "{path}");
    }
    for other in ["NAME.txt", "a b.rs", "x/y", "tests/NAME.txt", "asm", ".rs", "--emit"] {
        assert!(!is_path(other), "{other}");
    }
    let (folder, text) = (root().join("ARCHITECTURE.md"), "**`chiaro-isa`.** Read `isa.rs` and `none.rs`.");
    let found = paths(&folder, text);
    let exists: Vec<bool> = found.iter().map(|(p, all)| all.iter().any(|f| f.join(p).exists())).collect();
    assert_eq!(exists, [true, false]);
}
