//! The documents stay true: every console example in the Markdown runs and prints what it
//! says, every local link and path exists.
//!
//! `CHIARO_BLESS=1` writes what is printed now into the documents.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

/// All Markdown that the repository keeps.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root()];
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(&folder).expect("a folder of the repository is readable");
        for entry in entries.map(|e| e.expect("an entry is readable").path()) {
            let name = entry.file_name().and_then(|n| n.to_str()).unwrap_or("").to_owned();
            if entry.is_dir() && name != "target" && !name.starts_with('.') {
                open.push(entry);
            } else if name.ends_with(".md") {
                found.push(entry);
            }
        }
    }
    found.sort();
    found
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
/// `console`, `$ ` begins a command; `...` alone on a line stands for the rest of the output.
fn refreshed(text: &str, scratch: &Path) -> String {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    let mut console = false;
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
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
    std::fs::create_dir_all(&scratch).expect("a scratch folder can be made");
    let mut wrong = Vec::new();
    for document in documents() {
        let text = std::fs::read_to_string(&document).expect("a document is readable");
        let now = refreshed(&text, &scratch);
        if now == text {
            continue;
        }
        if std::env::var_os("CHIARO_BLESS").is_some() {
            std::fs::write(&document, now).expect("a document is writable");
        } else {
            let first = now.lines().zip(text.lines()).find(|(now, then)| now != then);
            wrong.push(format!("{}: {first:?}", document.display()));
        }
    }
    let _ = std::fs::remove_dir_all(&scratch);
    assert!(wrong.is_empty(), "printed and written differ; CHIARO_BLESS=1 rewrites:\n{}", wrong.join("\n"));
}

#[test]
fn local_links_lead_somewhere() {
    let mut missing = Vec::new();
    for document in documents() {
        let text = std::fs::read_to_string(&document).expect("a document is readable");
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
