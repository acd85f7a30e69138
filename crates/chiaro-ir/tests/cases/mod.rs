//! Tests as data: each file of the folder above holds cases, a text and what comes of it.
//!
//! A case begins with `; test` and a name; `; --- expect` stands between the two texts.
//! `CHIARO_BLESS=1` rewrites what is expected.

use chiaro_diag::{Printer, SourceMap};
use chiaro_ir::{Module, parse, verify};
use std::fmt::Write;
use std::path::Path;

const EXPECT: &str = "; --- expect\n";

/// Runs every case of a file through `f`.
pub(crate) fn run(file: &str, f: impl Fn(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let (head, cases) = text.split_once("; test ").unwrap_or((&text, ""));
    let mut found = head.to_owned();
    for case in cases.split("\n; test ") {
        let (name, body) = case.split_once('\n').unwrap_or((case, ""));
        let (before, expected) = body.split_once(EXPECT).unwrap_or((body, ""));
        let after = f(before);
        if std::env::var_os("CHIARO_BLESS").is_none() {
            assert_eq!(after.trim_end(), expected.trim_end(), "\n{file}: {name}\n{after}");
        }
        let before = before.trim_end();
        let _ = write!(found, "; test {name}\n{before}\n{EXPECT}{}\n\n", after.trim_end());
    }
    if std::env::var_os("CHIARO_BLESS").is_some() {
        std::fs::write(path, found.trim_end().to_owned() + "\n").unwrap();
    }
}

/// The module of a text that is right.
pub(crate) fn module(text: &str) -> Result<Module, String> {
    let mut sources = SourceMap::new();
    let file = sources.add("test", text);
    parse(text, file).map_err(|errors| Printer::plain().print(&errors, &sources))
}

/// As [`module`], verified too.
pub(crate) fn sound(text: &str) -> Result<Module, String> {
    let module = module(text)?;
    let breaches = verify(&module).err().unwrap_or_default();
    match breaches.is_empty() {
        true => Ok(module),
        false => Err(breaches.iter().map(|breach| format!("{breach}\n")).collect()),
    }
}
