//! Tests as data: each file of the folder above holds cases, a text and what comes of it.
//!
//! A case begins with `; test` and a name; `; --- expect` stands between the two texts.
//! `CHIARO_BLESS=1` rewrites what is expected.

use chiaro_diag::{Printer, SourceMap};
use chiaro_ir::{Module, parse, verify};
use std::path::Path;

/// Runs every case of a file through `f`; all that differ are shown.
pub(crate) fn run(file: &str, f: impl Fn(&str) -> String) {
    chiaro_cases::of_file(env!("CARGO_MANIFEST_DIR"), Path::new("tests").join(file), f);
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
