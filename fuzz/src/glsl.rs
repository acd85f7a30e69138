//! Damaged GLSL through the whole front end, and what comes out of it through the reader.

use std::fs;
use std::path::{Path, PathBuf};

use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_isa::Rng;

use crate::mutate;

/// Longest source that inputs start from: longer ones take the time of many.
const LONGEST: usize = 6000;

/// Includes that are granted to one input.
const INCLUDES: u32 = 100;

/// The sources of the front end's tests and corpus.
pub fn sources() -> Vec<Vec<u8>> {
    files(&["chiaro-glsl/tests", "chiaro-filetest/tests/glsl"], |path| stage_of(path).is_some())
}

/// Those of some stages.
pub fn sources_of(stages: &[Stage]) -> Vec<Vec<u8>> {
    let is_one = |text: &Vec<u8>| stages.contains(&guess(&String::from_utf8_lossy(text)));
    sources().into_iter().filter(is_one).collect()
}

/// Files below folders of crates, short ones; in an order that does not depend on the file system: a
/// seed means the same everywhere.
pub fn files(folders: &[&str], is_wanted: impl Fn(&Path) -> bool) -> Vec<Vec<u8>> {
    files_to(folders, is_wanted, LONGEST)
}

/// The same with files of up to so many bytes.
pub fn files_to(folders: &[&str], is_wanted: impl Fn(&Path) -> bool, longest: usize) -> Vec<Vec<u8>> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut paths = Vec::new();
    for folder in folders {
        collect(&crates.join(folder), &is_wanted, &mut paths);
    }
    paths.sort();
    paths.iter().filter_map(|path| fs::read(path).ok()).filter(|text| text.len() < longest).collect()
}

fn collect(folder: &Path, is_wanted: &impl Fn(&Path) -> bool, paths: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, is_wanted, paths);
        } else if is_wanted(&path) {
            paths.push(path);
        }
    }
}

fn stage_of(path: &Path) -> Option<Stage> {
    Stage::of_ending(path.extension()?.to_str()?)
}

/// Mostly changes of tokens, so that much of what is made still parses; sometimes of bytes.
pub fn damaged(corpus: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let seed = &corpus[rng.below(corpus.len())];
    match rng.below(8) {
        0 => mutate::bytes(seed, rng),
        1 => mutate::text(corpus, rng),
        _ => tokens(seed, &corpus[rng.below(corpus.len())], rng),
    }
}

/// Words that front ends trip over.
const NASTY: [&str; 48] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    "?",
    ":",
    "##",
    "#",
    "\\\n",
    "/*",
    "//",
    "\n#if 1\n",
    "\n#endif\n",
    "\n#define f(x) f(x) x\n",
    "f(",
    "0",
    "-1",
    "4294967295u",
    "1e999",
    "0x",
    "08",
    "99999999999999999999",
    "1.0lf",
    "vec4",
    "mat4",
    "dmat2x3",
    "sampler2D",
    "samplerCubeArrayShadow",
    "struct",
    "[2147483647]",
    "[]",
    ".xyzw",
    ".xxxx",
    ".length()",
    "uniform",
    "in",
    "out",
    "inout",
    "const",
    "layout(location = 4294967295)",
    "switch (1) {",
    "case 1:",
    "while (true)",
    "return",
];

/// A few tokens taken out, doubled, exchanged, or put in from another source or the list above.
fn tokens(seed: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
    let (seed, other) = (String::from_utf8_lossy(seed), String::from_utf8_lossy(other));
    let (mut list, donors) = (split(&seed), split(&other));
    for _ in 0..=rng.below(4) {
        if list.is_empty() {
            break;
        }
        let at = rng.below(list.len());
        match rng.below(9) {
            0 => drop(list.remove(at)),
            1 => {
                let to = rng.below(list.len());
                list.swap(at, to);
            }
            2 => list.insert(at, list[rng.below(list.len())]),
            3 => list.insert(at, NASTY[rng.below(NASTY.len())]),
            4 => list[at] = NASTY[rng.below(NASTY.len())],
            5 if !donors.is_empty() => {
                let from = rng.below(donors.len());
                let run = &donors[from..(from + 1 + rng.below(24)).min(donors.len())];
                list.splice(at..at, run.iter().copied());
            }
            6 => {
                // Nesting, as deep as it goes.
                let open = ["(", "[", "{", "-", "!", "if(true)", "a=", "a?b:"][rng.below(8)];
                let times = [3, 30, 300, 3000][rng.below(4)];
                list.splice(at..at, std::iter::repeat_n(open, times));
            }
            7 => {
                let end = (at + 1 + rng.below(12)).min(list.len());
                let copy = list[at..end].to_vec();
                list.splice(at..at, copy);
            }
            _ if !donors.is_empty() => list[at] = donors[rng.below(donors.len())],
            _ => {}
        }
    }
    list.concat().into_bytes()
}

/// Words, numbers, blanks and single signs.
fn split(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 1,
        c if c.is_whitespace() => 2,
        _ => 3,
    };
    let mut list = Vec::new();
    let mut start = 0;
    let mut before = 0;
    for (at, c) in text.char_indices() {
        let now = kind(c);
        if now != before || now == 3 {
            list.push(&text[start..at]);
            (start, before) = (at, now);
        }
    }
    list.push(&text[start..]);
    list.retain(|token| !token.is_empty());
    list
}

/// Whatever the text, the front end answers; what it accepts can be turned into Vulkan's
/// flavour or refused, read, and holds to the rules of the IR.
pub fn compile(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let stage = guess(&text);
    let mut sources = SourceMap::new();
    let file = sources.add("fuzz", text.as_ref());
    let options = Options::new(stage);
    // The source includes itself, a number of times: the limit in bytes takes seconds to reach.
    let mut left = INCLUDES;
    let mut include = |_: &str, _: bool, _: &str| {
        left -= u32::from(left > 0);
        (left > 0).then(|| ("again".to_owned(), text.to_string()))
    };
    let (module, found) = chiaro_glsl::compile(file, &mut sources, &options, &mut include);
    let Some(module) = module else {
        assert!(!found.is_empty(), "refused without a word");
        return;
    };
    let _ = chiaro_spirv::vulkanize(&module);
    let read = chiaro_spirv::read_module(&module, &chiaro_spirv::Options::default(), &mut sources);
    let read = match read {
        Ok(read) => read,
        // What extensions add, the IR need not have.
        Err(_) if stage.is_of_rays() || text.contains("#extension") => return,
        Err(e) => panic!("words that cannot be read: {e}"),
    };
    if let Err(breaches) = chiaro_ir::verify(&read.module) {
        panic!("words that mean nothing: {}", breaches[0].diagnostic().message);
    }
}

/// The words of a valid source, as bytes.
pub fn words(text: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(text);
    let mut sources = SourceMap::new();
    let file = sources.add("words", text.as_ref());
    let mut none = |_: &str, _: bool, _: &str| None;
    let (module, _) = chiaro_glsl::compile(file, &mut sources, &Options::new(guess(&text)), &mut none);
    Some(module?.words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

/// Words that only sources of a stage have; where there are several, the first counts.
const SIGNS: [(&str, Stage); 10] = [
    ("EmitVertex", Stage::Geometry),
    ("hitAttributeEXT", Stage::ClosestHit),
    ("rayPayloadInEXT", Stage::Miss),
    ("reportIntersectionEXT", Stage::Intersection),
    ("ignoreIntersectionEXT", Stage::AnyHit),
    ("callableDataInEXT", Stage::Callable),
    ("traceRayEXT", Stage::RayGeneration),
    ("gl_Position", Stage::Vertex),
    ("attribute", Stage::Vertex),
    ("local_size", Stage::Compute),
];

/// The stage that a source is for, most likely: the mutated text is all that is kept of it.
pub fn guess(text: &str) -> Stage {
    SIGNS.iter().find(|(word, _)| text.contains(word)).map_or(Stage::Fragment, |&(_, stage)| stage)
}
