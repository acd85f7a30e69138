//! Whole programs of the vectors: those of both assemblers, those of the execution vectors, and those by hand.

use std::fs;
use std::path::Path;

use chiaro_diag::SourceMap;
use chiaro_pica200::asm::picasso;
use chiaro_pica200::container::{Dvle, Shbin};
use chiaro_pica200::lift::Source;
use serde_json::Value;

use super::programs::from_hex;

/// A program with its name.
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) words: Vec<u32>,
    pub(crate) descriptors: Vec<[u32; 2]>,
    pub(crate) entry: u32,
    /// What a container says of it, if it comes from one.
    pub(crate) executable: Option<Dvle>,
}

impl Program {
    /// As it is lifted.
    pub(crate) fn source(&self) -> Source<'_> {
        let Program { words, descriptors, entry, executable, .. } = self;
        Source { words, descriptors, entry: *entry, executable: executable.as_ref() }
    }
}

/// All programs below a folder of the target's vectors.
pub(crate) fn programs(folder: &Path) -> Result<Vec<Program>, String> {
    let mut all = Vec::new();
    for (name, text) in texts(&folder.join("programs"), ".shbin.hex")? {
        add(&mut all, &name, &Shbin::read(&from_hex(&text)).map_err(|error| format!("{name}: {error}"))?);
    }
    for (name, text) in texts(&folder.join("compile"), ".v.pica")? {
        let source = picasso::Source { name: &name, text: &text, file: SourceMap::new().add(&*name, &*text) };
        let made = picasso::assemble(&[source], &picasso::Options::default());
        add(&mut all, &name, &made.map_err(|errors| format!("{name}: {errors:?}"))?.shbin);
    }
    for row in rows(&folder.join("nihcode.jsonl"))? {
        if let (Some(name), Some(text)) = (row["name"].as_str(), row["shbin"].as_str())
            && let Ok(file) = Shbin::read(&from_hex(text))
        {
            add(&mut all, &format!("nihcode_{name}"), &file);
        }
    }
    for file in ["exec.jsonl", "exec_litp.jsonl"] {
        all.extend(rows(&folder.join(file))?.iter().map(executed));
    }
    Ok(all)
}

fn add(all: &mut Vec<Program>, name: &str, file: &Shbin) {
    all.extend(file.executables.iter().map(|executable| Program {
        name: name.to_owned(),
        words: file.program.code.clone(),
        descriptors: file.program.descriptors.clone(),
        entry: executable.entry,
        executable: Some(executable.clone()),
    }));
}

/// A program of the execution vectors.
fn executed(row: &Value) -> Program {
    let words = |key: &str| -> Vec<u32> {
        let text = row[key].as_str().unwrap_or_default().split_whitespace();
        text.filter_map(|word| u32::from_str_radix(word, 16).ok()).collect()
    };
    Program {
        name: row["id"].as_str().unwrap_or_default().to_owned(),
        words: words("code"),
        descriptors: words("opdesc").into_iter().map(|word| [word, 0]).collect(),
        entry: row["entry"].as_u64().unwrap_or(0) as u32,
        executable: None,
    }
}

/// The texts of a folder whose names end so, in order; none if there is no such folder.
fn texts(folder: &Path, end: &str) -> Result<Vec<(String, String)>, String> {
    let Ok(list) = fs::read_dir(folder) else { return Ok(Vec::new()) };
    let mut texts = Vec::new();
    for path in list.filter_map(|file| Some(file.ok()?.path())) {
        let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(end));
        if let Some(name) = name {
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            texts.push((name.to_owned(), text));
        }
    }
    texts.sort();
    Ok(texts)
}

/// The rows of a file; none if there is no such file.
fn rows(path: &Path) -> Result<Vec<Value>, String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let rows = text.lines().filter(|line| line.starts_with('{')).map(serde_json::from_str);
    rows.collect::<Result<_, _>>().map_err(|error| format!("{}: {error}", path.display()))
}
