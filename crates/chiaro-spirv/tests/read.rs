//! Modules that are read: the corpus comes out sound and survives its text; each shape of
//! control flow becomes the tree that stands beside it.
//!
//! `CHIARO_VECTORS` names a folder with the full set of shaders, that is used instead of the
//! sample here. `CHIARO_BLESS=1` rewrites the trees.

use chiaro_diag::{FileId, SourceMap};
use chiaro_spirv::{Options, Reading, read, words_of};
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// The modules of a folder, by name.
fn modules(folder: &Path) -> Vec<(PathBuf, Vec<u32>)> {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "spv"));
    files.sort();
    let words = |file: &PathBuf| words_of(&std::fs::read(file).expect("a file")).expect("words");
    files.iter().map(|file| (file.clone(), words(file))).collect()
}

fn sound(file: &Path, words: &[u32]) -> Reading {
    let mut sources = SourceMap::new();
    let reading = match read(words, &Options::default(), &mut sources) {
        Ok(reading) => reading,
        Err(error) => panic!("{}: {error}", file.display()),
    };
    if let Err(breaches) = chiaro_ir::verify(&reading.module) {
        panic!("{}: {}\n{}", file.display(), breaches[0], chiaro_ir::print(&reading.module));
    }
    reading
}

#[test]
fn the_corpus_is_read_and_survives_its_text() {
    let folder = match std::env::var_os("CHIARO_VECTORS") {
        Some(root) => PathBuf::from(root).join("rdna/shaders"),
        None => folder("shaders"),
    };
    for (file, words) in modules(&folder) {
        let text = chiaro_ir::print(&sound(&file, &words).module);
        match chiaro_ir::parse(&text, FileId(0)) {
            Ok(again) => assert!(chiaro_ir::print(&again) == text, "{}: another text", file.display()),
            Err(mistakes) => panic!("{}: {}\n{text}", file.display(), mistakes[0].message),
        }
    }
}

#[test]
fn each_shape_of_control_flow_becomes_its_tree() {
    for (file, words) in modules(&folder("shapes")) {
        let text = chiaro_ir::print(&sound(&file, &words).module);
        let start = text.find("fn @").expect("a function");
        let expected = file.with_extension("ir");
        if std::env::var_os("CHIARO_BLESS").is_some() {
            std::fs::write(&expected, &text[start..]).expect("the tree is written");
        }
        let wanted = std::fs::read_to_string(&expected).expect("the tree that is expected");
        assert!(wanted == text[start..], "{}:\n{}", file.display(), &text[start..]);
    }
}
