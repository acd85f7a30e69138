//! Cases of a step: text before, text after, many in a file.
//!
//! ```text
//! === what the case shows
//! before
//! ---
//! after
//! ```
//!
//! All cases of a file run, and every one that differs is shown line by line.
//! `CHIARO_BLESS=1 cargo test` rewrites what comes after.

use std::fmt::Write;
use std::path::Path;

/// Runs the cases of `tests/steps/NAME.txt`.
///
/// # Panics
/// Some case differs.
pub(crate) fn run(name: &str, step: impl Fn(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/steps/{name}.txt"));
    let text = std::fs::read_to_string(&path).expect("file");
    let (head, cases) = text.split_once("=== ").expect("cases");
    let (mut new, mut failures, mut count) = (head.to_owned(), String::new(), 0);
    for case in cases.split("\n=== ") {
        let (title, body) = case.split_once('\n').expect("a title");
        let (before, expected) = body.split_once("\n---\n").unwrap_or((body.trim_end(), ""));
        let found = step(before);
        let (found, expected) = (found.trim_end(), expected.trim_end());
        if found != expected {
            count += 1;
            let _ = writeln!(failures, "{name}: {title}\n{}", difference(expected, found));
        }
        let _ = write!(new, "=== {title}\n{before}\n---\n{found}\n\n");
    }
    if std::env::var_os("CHIARO_BLESS").is_some() {
        std::fs::write(&path, new.trim_end().to_owned() + "\n").expect("written");
    } else {
        assert!(failures.is_empty(), "{count} cases differ (CHIARO_BLESS=1 rewrites them)\n{failures}");
    }
}

/// Two texts line by line: `-` expected only, `+` found only.
fn difference(expected: &str, found: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    // Longest common subsequences of the ends.
    let mut common = vec![vec![0; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            let skipped = common[i + 1][j].max(common[i][j + 1]);
            common[i][j] = if old[i] == new[j] { common[i + 1][j + 1] + 1 } else { skipped };
        }
    }
    let (mut i, mut j, mut out) = (0, 0, String::new());
    while i < old.len() || j < new.len() {
        let (mark, line) = if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
            (' ', new[j - 1])
        } else if j == new.len() || i < old.len() && common[i + 1][j] >= common[i][j + 1] {
            i += 1;
            ('-', old[i - 1])
        } else {
            j += 1;
            ('+', new[j - 1])
        };
        let _ = writeln!(out, "  {mark} {line}");
    }
    out
}
