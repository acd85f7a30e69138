//! Runs the built command as its users do.
//!
//! Each file in `tests/cli` is a story in one folder: `--- file NAME` makes a text file,
//! `--- hex NAME` a binary one, and `--- run ARGUMENTS` calls chiaro. Behind a run may
//! stand `stdin`, `exit` (0 without it), `stdout` and `stderr` (the whole text), and
//! `stdout has` and `stderr has` (each line occurs in the text). Standard error is
//! expected empty where nothing is said about it; standard output is free then.
//! `CHIARO_BLESS=1` rewrites the whole texts.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A line `--- KIND ARGUMENT` and the text below it.
struct Section {
    head: String,
    body: String,
}

impl Section {
    fn kind(&self) -> &str {
        self.head.split(' ').next().unwrap()
    }

    fn argument(&self) -> &str {
        self.head.split_once(' ').map_or("", |(_, argument)| argument)
    }
}

#[test]
fn stories() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    let mut failures = Vec::new();
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths.iter().filter(|p| p.extension().is_some_and(|e| e == "txt")) {
        story(path, &mut failures);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn story(path: &Path, failures: &mut Vec<String>) {
    let text = fs::read_to_string(path).unwrap();
    let (prose, mut sections) = parse(&text);
    let folder = empty_folder(path.file_stem().unwrap().to_str().unwrap());
    let mut at = 0;
    while at < sections.len() {
        let next = at + 1 + sections[at + 1..].iter().take_while(|s| !starts_step(s)).count();
        let (step, expected) = sections[at..next].split_first_mut().unwrap();
        match step.kind() {
            "file" => write(&folder.join(step.argument()), step.body.as_bytes()),
            "hex" => write(&folder.join(step.argument()), &from_hex(&step.body)),
            _ => run(step, expected, &folder, &mut |what| {
                failures.push(format!("{}: {}: {what}", path.display(), step.head));
            }),
        }
        at = next;
    }
    if std::env::var_os("CHIARO_BLESS").is_some() {
        let body: String = sections.iter().map(|s| format!("--- {}\n{}", s.head, s.body)).collect();
        fs::write(path, prose + &body).unwrap();
    }
}

/// Writes a file, in folders that may not be there yet.
fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn starts_step(section: &Section) -> bool {
    matches!(section.kind(), "file" | "hex" | "run")
}

fn parse(text: &str) -> (String, Vec<Section>) {
    let (mut prose, mut sections) = (String::new(), Vec::<Section>::new());
    for line in text.split_inclusive('\n') {
        match (line.strip_prefix("--- "), sections.last_mut()) {
            (Some(head), _) => sections.push(Section { head: head.trim_end().into(), body: String::new() }),
            (None, Some(section)) => section.body.push_str(line),
            (None, None) => prose.push_str(line),
        }
    }
    (prose, sections)
}

fn empty_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn from_hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let pair = |p: &[u8]| u8::from_str_radix(std::str::from_utf8(p).unwrap(), 16).unwrap();
    digits.chunks(2).map(pair).collect()
}

fn run(step: &Section, expected: &mut [Section], folder: &Path, fail: &mut dyn FnMut(String)) {
    let stdin = expected.iter().find(|s| s.head == "stdin").map_or("", |s| &s.body);
    let output = call(step.argument(), stdin, folder);
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let exit = expected.iter().find(|s| s.kind() == "exit").map_or("0", |s| s.argument());
    let code = output.status.code().map_or_else(|| "by a signal".into(), |c| c.to_string());
    if exit != code {
        fail(format!("exit {code}, not {exit}\n{stdout}{stderr}"));
    }
    if !stderr.is_empty() && !expected.iter().any(|s| s.head.starts_with("stderr")) {
        fail(format!("unexpected on standard error:\n{stderr}"));
    }
    for section in expected.iter_mut() {
        let actual = if section.kind() == "stdout" { &stdout } else { &stderr };
        match section.head.as_str() {
            "stdout" | "stderr" if std::env::var_os("CHIARO_BLESS").is_some() => {
                section.body.clone_from(actual);
            }
            "stdout" | "stderr" if section.body != *actual => {
                fail(format!("{}:\n{}", section.head, chiaro_cases::diff(&section.body, actual)));
            }
            "stdout has" | "stderr has" => {
                for line in section.body.lines().filter(|line| !actual.contains(line.trim())) {
                    fail(format!("`{line}` is not in\n{actual}"));
                }
            }
            _ => {}
        }
    }
}

/// Arguments are separated by blanks; quotes hold one together.
fn call(arguments: &str, stdin: &str, folder: &Path) -> Output {
    let arguments = arguments.split('"').enumerate().flat_map(|(i, part)| match i % 2 {
        0 => part.split(' ').filter(|word| !word.is_empty()).collect(),
        _ => vec![part],
    });
    let mut child = Command::new(env!("CARGO_BIN_EXE_chiaro"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that does not read its input may be gone already.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    child.wait_with_output().unwrap()
}
