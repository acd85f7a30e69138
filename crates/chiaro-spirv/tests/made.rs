//! What comes of every module and every source of this repository, as numbers that are written down: IR, what the
//! host program sees, and what is said of modules and sources with one thing changed. `CHIARO_BLESS=1` rewrites `made.txt`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use chiaro_cases::{Cases, damaged, digest, head};
use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options as GlslOptions, Stage};
use chiaro_ir::random::{Features, fragment, module_with, vertex};
use chiaro_spirv::languages::{Language, in_language};
use chiaro_spirv::{Options, emit, read, read_module, text, wgsl, words_of};

/// Modules and sources with one thing changed that are made of each.
const CHANGED: u64 = 60;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn files(name: &str, is_one: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder(name)).expect("the folder is there");
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    found.retain(|path| path.extension().and_then(|e| e.to_str()).is_some_and(&is_one));
    found.sort();
    found
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A small generator, so that a number means the same everywhere.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

/// The IR of words with everything beside it, or why there is none.
fn of_words(words: &[u32]) -> String {
    match read(words, &Options::default(), &mut SourceMap::new()) {
        Ok(reading) => {
            let verdict = chiaro_ir::verify(&reading.module).is_ok();
            let text = chiaro_ir::print(&reading.module);
            format!("{verdict} {text} {:?} {:?}", reading.interface, reading.warnings)
        }
        Err(error) => format!("{error:?} {error}"),
    }
}

/// Words with one changed by little, or one instruction left out.
fn changed_words(words: &[u32], seed: u64) -> Vec<u32> {
    let mut draw = Draw(seed);
    let mut words = words.to_vec();
    let at = 5 + draw.below(words.len().saturating_sub(5));
    match draw.below(3) {
        0 => words[at] ^= 1 << draw.below(8),
        1 => words[at] = words[5 + draw.below(words.len() - 5)],
        _ => words[at] = words[at].wrapping_add(1),
    }
    words
}

#[test]
fn modules_become_what_is_written_down() {
    let mut out = "# module: IR; of modules with one thing changed\n".to_owned();
    for path in ["tests/shaders", "tests/shapes", "tests/api"].iter().flat_map(|f| files(f, |e| e == "spv")) {
        let words = words_of(&std::fs::read(&path).expect("a file")).expect("words");
        let others: String = (0..CHANGED).map(|n| of_words(&changed_words(&words, n))).collect();
        let _ = writeln!(out, "{}: {} {}", name(&path), digest(&of_words(&words)), digest(&others));
    }
    let mut cases = Cases::new();
    cases.file(&folder("tests/made.txt"), Some(&out));
    cases.finish();
}

/// Sources of GLSL: every instruction that its front end writes is read.
#[test]
fn words_of_glsl_become_what_is_written_down() {
    let folders =
        ["../chiaro-glsl/tests/check", "../chiaro-glsl/tests/corpus", "../chiaro-filetest/tests/glsl"];
    let mut out = String::new();
    for path in folders.iter().flat_map(|f| files(f, |e| Stage::of_ending(e).is_some())) {
        let text = std::fs::read_to_string(&path).expect("a text");
        let text = text.split("--- expect").next().unwrap_or_default();
        let stage = path.extension().and_then(|e| e.to_str()).and_then(Stage::of_ending).expect("a stage");
        let mut sources = SourceMap::new();
        let file = sources.add(name(&path), text);
        let (module, _) =
            chiaro_glsl::compile(file, &mut sources, &GlslOptions::new(stage), &mut |_, _, _| None);
        let Some(module) = module else { continue };
        let made = match read_module(&module, &Options::default(), &mut sources) {
            Ok(made) => {
                format!("{} {:?} {:?}", chiaro_ir::print(&made.module), made.interface, made.warnings)
            }
            Err(error) => format!("{error:?}"),
        };
        let fit = chiaro_spirv::vulkanize(&module).map(|module| of_words(&module.words));
        let _ = writeln!(out, "{}: {} {}", name(&path), digest(&made), digest(&format!("{fit:?}")));
    }
    let mut cases = Cases::new();
    cases.file(&folder("tests/made_of_glsl.txt"), Some(&out));
    cases.finish();
}

#[test]
fn wgsl_becomes_what_is_written_down() {
    let folders = ["tests/wgsl", "../chiaro-filetest/tests/listings/shaders", "../../examples/wgsl"];
    let outcome = |text: &str| {
        let mut sources = SourceMap::new();
        let file = sources.add("a.wgsl", text);
        format!("{:?}", wgsl::read(text, file, &wgsl::Options::default()))
    };
    let mut out = "# source: words; first message of each with one thing changed\n".to_owned();
    for path in folders.iter().flat_map(|f| files(f, |e| e == "wgsl")) {
        let text = std::fs::read_to_string(&path).expect("a text");
        let others: Vec<String> = (0..CHANGED).map(|n| digest(&outcome(&damaged(&text, n)))).collect();
        let _ = writeln!(out, "{}: {}; {}", name(&path), digest(&outcome(&text)), others.join(" "));
    }
    let mut cases = Cases::new();
    cases.file(&folder("tests/made_of_wgsl.txt"), Some(&out));
    cases.finish();
}

/// Random modules of the IR as words, read again, and as languages that people read.
#[test]
fn modules_of_the_ir_become_what_is_written_down() {
    let kernel = |seed: u64| {
        let bit = |n: u32| seed >> n & 1 == 1;
        let (variables, subgroup, shared, images) = (bit(0), bit(1), bit(2), bit(3));
        let features = Features { variables, subgroup, shared, images, lively: true, ..Features::default() };
        module_with(seed, 12 + (seed % 24) as u32, features)
    };
    let mut out = head("module: words, their text, read again, GLSL, ES, WGSL");
    for seed in 0..48 {
        let size = 6 + seed as u32;
        let all = [
            ("kernel", kernel(seed)),
            ("vertex", vertex::module(seed, size)),
            ("fragment", fragment::module(seed, size)),
        ];
        for (kind, module) in all {
            let words = match emit(&module, "main") {
                Ok(words) => words,
                Err(why) => {
                    let _ = writeln!(out, "{kind} {seed}: {why:?}");
                    continue;
                }
            };
            let printed = text::print(&words);
            let back = printed
                .as_ref()
                .map(|printed| text::parse(printed, SourceMap::new().add("text", printed.as_str())));
            let languages = [Language::Glsl(450), Language::Essl(310), Language::Wgsl];
            let cells = [format!("{words:?}"), format!("{printed:?} {back:?}"), of_words(&words)]
                .into_iter()
                .chain(languages.map(|language| format!("{:?}", in_language(&words, language))));
            let _ = writeln!(
                out,
                "{kind} {seed}: {}",
                cells.map(|cell| digest(&cell)).collect::<Vec<_>>().join(" ")
            );
        }
    }
    let mut cases = Cases::new();
    cases.file(&folder("tests/made_of_ir.txt"), Some(&out));
    cases.finish();
}
