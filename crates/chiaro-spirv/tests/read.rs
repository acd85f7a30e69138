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

/// The least, the greatest and the middle of three are each made of two and two.
#[test]
fn least_greatest_and_middle_of_three() {
    let made = |function: &str, of: &str| {
        let text = format!(
            "#version 450\n#extension GL_AMD_shader_trinary_minmax : require\n\
             layout(location = 0) flat in {of} a[3]; layout(location = 0) out {of} o;\n\
             void main() {{ o = {function}(a[0], a[1], a[2]); }}"
        );
        let mut sources = SourceMap::new();
        let file = sources.add("three.frag", text);
        let options = chiaro_glsl::source::Options::new(chiaro_glsl::source::Stage::Fragment);
        let (words, errors) = chiaro_glsl::compile(file, &mut sources, &options, &mut |_, _, _| None);
        let words = words.unwrap_or_else(|| panic!("{}", errors[0].message));
        let reading = chiaro_spirv::read_module(&words, &Options::default(), &mut sources).expect("a module");
        let text = chiaro_ir::print(&reading.module);
        let kinds = ["fmin", "fmax", "smin", "smax", "umin", "umax"];
        text.split_whitespace().filter(|word| kinds.contains(word)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(made("min3", "float"), "fmin fmin");
    assert_eq!(made("max3", "int"), "smax smax");
    assert_eq!(made("mid3", "float"), "fmin fmax fmin fmax");
    assert_eq!(made("mid3", "int"), "smin smax smin smax");
    assert_eq!(made("mid3", "uint"), "umin umax umin umax");
}
