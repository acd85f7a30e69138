//! What the tools make of modules and of changed ones, as numbers that are written down. `CHIARO_BLESS=1` rewrites
//! `made.txt`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use chiaro_cases::{Cases, digest};
use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_words::grammar::Roles;
use chiaro_words::module::Module;
use chiaro_words::{derive, instructions, limits, openglize, rewrite, vulkanize};

/// Folders with sources of GLSL, and with modules.
const SOURCES: [&str; 3] =
    ["../chiaro-glsl/tests/check", "../chiaro-glsl/tests/corpus", "../chiaro-filetest/tests/glsl"];
const MODULES: [&str; 3] =
    ["../chiaro-spirv/tests/shaders", "../chiaro-spirv/tests/shapes", "../chiaro-spirv/tests/api"];
/// Modules with a word changed that are made of each.
const CHANGED: u32 = 40;

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    found.sort();
    found
}

fn of_source(path: &Path) -> Option<Module> {
    let stage = Stage::of_ending(path.extension()?.to_str()?)?;
    let text = std::fs::read_to_string(path).expect("a text");
    let mut sources = SourceMap::new();
    let file = sources.add("source", text.split("--- expect").next().unwrap_or_default());
    chiaro_glsl::compile(file, &mut sources, &Options::new(stage), &mut |_, _, _| None).0
}

fn of_words(path: &Path) -> Option<Module> {
    let bytes = std::fs::read(path).ok().filter(|_| path.extension().is_some_and(|e| e == "spv"))?;
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four"))).collect();
    Some(Module { interface: derive(&words), spans: Vec::new(), words })
}

/// The role of every word, as the grammar sees them.
fn roles(words: &[u32]) -> String {
    let mut grammar = Roles::new();
    let of = |inst: Result<_, _>| match inst {
        Ok(inst) => format!("{:?}", grammar.of(&inst)),
        Err(error) => format!("{error:?}"),
    };
    instructions(words).map(of).collect()
}

fn all(module: &Module) -> [String; 5] {
    let words = &module.words;
    [
        format!("{:?} {:?}", rewrite(words), derive(words)),
        roles(words),
        format!("{:?}", vulkanize(module)),
        format!("{:?} {:?}", openglize(module), module.stage_ending()),
        format!("{:?}", limits::exceeded(module)),
    ]
}

/// The same for a module with words changed by a little.
fn changed(module: &Module, n: u32) -> String {
    let mut module = module.clone();
    let count = module.words.len() as u32;
    let at = (5 + n.wrapping_mul(2_654_435_761) % count.max(6)).min(count - 1);
    module.words[at as usize] ^= 1 << (n % 7);
    module.interface = derive(&module.words);
    all(&module).concat()
}

#[test]
fn modules_become_what_is_written_down() {
    let mut out = "# module: rewritten, roles, for Vulkan, for OpenGL, limits; changed ones\n".to_owned();
    let sources = SOURCES.iter().flat_map(|folder| files(folder));
    let modules = MODULES.iter().flat_map(|folder| files(folder));
    for path in sources.chain(modules) {
        let Some(module) = of_source(&path).or_else(|| of_words(&path)) else { continue };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let cells = all(&module).map(|cell| digest(&cell)).join(" ");
        let others: String = (0..CHANGED).map(|n| changed(&module, n)).collect();
        let _ = writeln!(out, "{name}: {cells}; {}", digest(&others));
    }
    let mut cases = Cases::new();
    cases.file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/made.txt"), Some(&out));
    cases.finish();
}
