//! What targets have, tried through the door: `TARGET:words`, `TARGET:container`, `TARGET:text`, `TARGET:keys` where
//! parts are made from keys, `TARGET:abi` where calling conventions are files, and `TARGET:link` where functions are
//! compiled apart.

use std::fs;
use std::path::{Path, PathBuf};

use chiaro::{
    AbiOptions, AssembleOptions, CompileOptions, DisassembleOptions, GlslOptions, KeyText, ModuleOptions,
    Offer, Parts, Piece, TARGETS, Target, compile, load_glsl, load_wgsl, no_files, stage_of,
};
use chiaro_diag::SourceMap;
use chiaro_isa::{Rng, Word};

use crate::subject::{Subject, damaged_container, hex, lossy};
use crate::{glsl, mutate};

/// The subjects of all targets.
pub fn subjects() -> impl Iterator<Item = Subject> {
    TARGETS.iter().flat_map(|target| {
        let name = |kind: &str| format!("{}:{kind}", target.about().name);
        let words = Subject {
            name: name("words"),
            corpus: Box::new(Vec::new),
            make: random_bytes,
            run: Box::new(move |input| read_words(target, input)),
            show: hex,
        };
        let container = Subject {
            name: name("container"),
            corpus: Box::new(move || containers(target)),
            make: damaged_container,
            run: Box::new(move |input| read_container(target, input)),
            show: hex,
        };
        let text = Subject {
            name: name("text"),
            corpus: Box::new(move || sources(target)),
            make: mutate::text,
            run: Box::new(move |input| assemble(target, input)),
            show: lossy,
        };
        let keys = Subject {
            name: name("keys"),
            corpus: Box::new(move || keys(target)),
            make: mutate::text,
            run: Box::new(move |input| read_key(target, input)),
            show: lossy,
        };
        let abi = Subject {
            name: name("abi"),
            corpus: Box::new(move || {
                target.abis().iter().map(|(_, text)| text.as_bytes().to_vec()).collect()
            }),
            make: damaged_json,
            run: Box::new(move |input| describe(target, input)),
            show: lossy,
        };
        let link = Subject {
            name: name("link"),
            corpus: Box::new(move || linkable(target).into_iter().collect()),
            make: damaged_container,
            run: Box::new(move |input| link(target, input)),
            show: hex,
        };
        let links = target.links_functions();
        let (has_keys, has_abis) = (!target.part_kinds().is_empty(), !target.abis().is_empty());
        let more =
            [(keys, has_keys), (abi, has_abis), (link, links)].into_iter().filter(|(_, is_there)| *is_there);
        [words, container, text].into_iter().chain(more.map(|(subject, _)| subject))
    })
}

/// As many bytes as the longest instruction of any target has, or half of them.
fn random_bytes(_: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let count = 1 + rng.below(2);
    (0..count).flat_map(|_| rng.next().to_le_bytes()).collect()
}

/// What has a text parses, and prints as the same text again.
fn read_words(target: &dyn Target, input: &[u8]) {
    let Ok(set) = target.instructions(&[]) else { return };
    let word = Word::load(input);
    // Explaining takes a hundred times as long as all the rest.
    if input.first() == Some(&0) {
        let _ = set.explain(&[word], input.len());
    }
    let Some(text) = set.text(&word) else { return };
    if let Ok((again, _)) = set.parse(&text) {
        assert_eq!(set.text(&again).as_ref(), Some(&text), "the text changes");
    }
    let mut rng = Rng(u64::from(input.first().copied().unwrap_or(0)));
    if let Some((word, _)) = set.sample(None, &mut rng) {
        let text = set.text(&word).unwrap_or_else(|| panic!("a sample without text: {word:?}"));
        assert_eq!(set.parse(&text).map(|parsed| parsed.0), Ok(word), "`{text}` parses to other bits");
    }
}

/// What can be read is described and checked, and its listing assembles to the same bytes or the same code.
fn read_container(target: &dyn Target, input: &[u8]) {
    let _ = (target.info(input), target.info_json(input, true), target.code(input, &[]));
    let _ = target.check(input, &[]);
    // A listing assembles itself several times.
    if !input.len().is_multiple_of(16) {
        return;
    }
    let list = |bytes: &[u8]| target.disassemble(bytes, &DisassembleOptions::default());
    let Ok(listing) = list(input) else { return };
    // Where assembling gives code alone, that is what a listing of a larger file has to give again.
    let is_code = |bytes: &[u8]| target.code(input, &[]).is_ok_and(|code| code.bytes == bytes);
    // Headers of ELF have fields that nobody reads: no listing says what damage left in them.
    let is_elf = input.starts_with(b"\x7fELF");
    let is_said = |bytes: &[u8]| is_elf && list(bytes).is_ok_and(|again| again.text == listing.text);
    // Code that was read need not end in what an assembler would add.
    let is_same = |no_padding| {
        let mut sources = SourceMap::new();
        sources.add("listing", listing.text.clone());
        let options = AssembleOptions { no_padding, ..AssembleOptions::default() };
        let made = target.assemble(&mut sources, &options, &mut no_files);
        made.is_ok_and(|made| made.bytes == input || is_code(&made.bytes) || is_said(&made.bytes))
    };
    assert!(is_same(false) || is_same(true), "the listing gives other bytes");
}

/// What assembles, in any language of the target, can be checked.
fn assemble(target: &dyn Target, input: &[u8]) {
    for dialect in target.about().dialects {
        let mut sources = SourceMap::new();
        sources.add("fuzz", String::from_utf8_lossy(input).into_owned());
        let options = AssembleOptions { dialect: Some(dialect.name), ..AssembleOptions::default() };
        if let Ok(made) = target.assemble(&mut sources, &options, &mut no_files) {
            let _ = target.check(&made.bytes, &[]);
        }
    }
}

/// A kernel and a library that it calls, one behind the other with the length of the first before them.
fn linkable(target: &dyn Target) -> Option<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/rdna/calls");
    let made = |name: &str, parts: Parts| container_of(target, &folder.join(name), parts);
    let (kernel, library) = (made("field.comp", Parts::Imports)?, made("shapes.comp", Parts::Library)?);
    Some([&(kernel.len() as u32).to_le_bytes()[..], &kernel, &library].concat())
}

/// Two parts are linked, or told why they are not; what is linked can be read.
fn link(target: &dyn Target, input: &[u8]) {
    let Some((length, both)) = input.split_first_chunk::<4>() else { return };
    let middle = (u32::from_le_bytes(*length) as usize).min(both.len());
    let piece = |name: &str, bytes: &[u8]| Piece { role: None, name: name.to_owned(), bytes: bytes.to_vec() };
    let (first, second) = both.split_at(middle);
    if let Ok(made) = target.link(&[piece("first.o", first), piece("second.o", second)], &[]) {
        let _ = (target.info(&made.bytes), target.check(&made.bytes, &[]));
    }
}

/// Signatures that conventions are asked to place.
const SIGNATURES: [&str; 4] = [
    "",
    "record=v2, sbt=u2, tmax=v1, kind=v1R, accept=bR, payload=v1R*4",
    "a=u8, b=v8, c=u1D*40, d=v1D*300",
    "a=v64, b=u3, c=b*9, d=bD, e=u64",
];

/// A convention is described, or told what is wrong with it, at a place in its text.
fn describe(target: &dyn Target, input: &[u8]) {
    let mut sources = SourceMap::new();
    let file = sources.add("abi.json", String::from_utf8_lossy(input).into_owned());
    let signature = SIGNATURES[input.len() % SIGNATURES.len()];
    let signature = Some(sources.add("signature", signature.to_owned()));
    let wave = if input.len().is_multiple_of(3) { "64" } else { "32" };
    let settings = vec![("wave".to_owned(), wave.to_owned())];
    let told = target.abi(&sources, &AbiOptions { file, signature, settings });
    if let Err(errors) = told {
        assert!(!errors.is_empty(), "refused, and nothing is said");
    }
}

/// Half of them damaged by lines, half by bytes.
pub(crate) fn damaged_json(corpus: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    if rng.below(2) == 0 { mutate::text(corpus, rng) } else { damaged_container(corpus, rng) }
}

/// A key makes a part of its kind or is told why not, with a place in its text.
fn read_key(target: &dyn Target, input: &[u8]) {
    let mut sources = SourceMap::new();
    let file = sources.add("key", String::from_utf8_lossy(input).into_owned());
    let text = KeyText { file, text: sources.text(file) };
    for kind in target.part_kinds() {
        let _ = target.part(kind, text, &CompileOptions::default(), &mut chiaro_opt::Cx::default());
    }
}

/// Keys of a target: among the examples, and of the rows of its own tests.
fn keys(target: &dyn Target) -> Vec<Vec<u8>> {
    let rows = keys_of_rows(target.about().name);
    examples_of_keys(target).into_iter().chain(rows).collect()
}

/// The keys of rows, a field a line.
fn keys_of_rows(target: &str) -> Vec<Vec<u8>> {
    let folder = format!("chiaro-{target}/tests/vectors");
    let is_of_keys = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with("prolog.jsonl") || name.ends_with("epilog.jsonl")
    };
    let files = glsl::files_to(&[&folder], is_of_keys, usize::MAX);
    let texts = files.iter().flat_map(|text| text.split(|byte| *byte == b'\n'));
    texts.filter_map(|row| key_of(&String::from_utf8_lossy(row))).collect()
}

/// The object behind `"key":` in a row.
fn key_of(row: &str) -> Option<Vec<u8>> {
    let (_, rest) = row.split_once("\"key\":")?;
    let mut depth = 0;
    for (at, c) in rest.char_indices() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if c == '}' && depth == 0 {
            return Some(rest[..=at].replace(',', ",\n").into_bytes());
        }
    }
    None
}

/// Keys among the examples of a target.
fn examples_of_keys(target: &dyn Target) -> Vec<Vec<u8>> {
    let folder = format!("examples/{}/", target.about().name);
    let is_own = |path: &PathBuf| {
        let path = path.to_string_lossy();
        path.contains(&folder) && path.ends_with(".json")
    };
    examples().into_iter().filter(is_own).filter_map(|path| fs::read(path).ok()).collect()
}

/// All files of the examples, in an order that does not depend on the file system: a seed means
/// the same everywhere.
fn examples() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")];
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// The examples in the target's own languages, and listings of what its compiler makes of others.
fn sources(target: &dyn Target) -> Vec<Vec<u8>> {
    let is_own = |path: &PathBuf| target.about().has_ending(&path.to_string_lossy());
    let own = examples().into_iter().filter(is_own).filter_map(|path| fs::read(path).ok());
    let listing = |bytes: Vec<u8>| target.disassemble(&bytes, &DisassembleOptions::default()).ok();
    let listings = containers(target).into_iter().filter_map(listing).map(|made| made.text.into_bytes());
    let mut all: Vec<_> = own.chain(listings).collect();
    // There is nothing to damage in nothing.
    all.push(b"nop\n".to_vec());
    all
}

/// What the target's compiler makes of the examples.
fn containers(target: &dyn Target) -> Vec<Vec<u8>> {
    let mut made = Vec::new();
    if target.about().has(Offer::Compile) {
        made.extend(examples().iter().filter_map(|path| container(target, path)));
    }
    if target.about().has(Offer::Link) {
        made.extend(parts(target));
    }
    made.extend(foreign(target));
    made.push(vec![0; 64]);
    made
}

/// Small files in formats of others, which no tool of ours writes: `corpus/TARGET/`.
fn foreign(target: &dyn Target) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.about().name);
    let mut found: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    found.sort();
    found.into_iter().filter_map(|path| fs::read(path).ok()).collect()
}

/// Containers of parts that the target's assembler makes of the examples.
fn parts(target: &dyn Target) -> impl Iterator<Item = Vec<u8>> {
    let is_own = |path: &PathBuf| target.about().has_ending(&path.to_string_lossy());
    let made = |path: PathBuf| {
        let mut sources = SourceMap::new();
        sources.add("part", fs::read_to_string(path).ok()?);
        let settings = [("role", "main"), ("stage", "vertex"), ("bindings", "cf0=0.3*1:linear")];
        let settings = settings.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
        let options = AssembleOptions { settings, ..AssembleOptions::default() };
        target.assemble(&mut sources, &options, &mut no_files).ok().map(|made| made.bytes)
    };
    examples().into_iter().filter(is_own).filter_map(made)
}

fn container(target: &dyn Target, path: &Path) -> Option<Vec<u8>> {
    container_of(target, path, Parts::Whole)
}

fn container_of(target: &dyn Target, path: &Path, parts: Parts) -> Option<Vec<u8>> {
    let (name, text) = (path.to_string_lossy().into_owned(), fs::read_to_string(path).ok()?);
    let mut sources = SourceMap::new();
    let options = ModuleOptions { parts, ..ModuleOptions::default() };
    let modules = match stage_of(&name) {
        Some(stage) => {
            let file = sources.add(name, text);
            let mut none = |_: &str, _: bool, _: &str| None;
            load_glsl(&[(file, stage)], &GlslOptions::default(), &options, &mut sources, &mut none).ok()?
        }
        None if name.ends_with(".wgsl") => {
            let file = sources.add(name, text);
            vec![load_wgsl(file, &options, &mut sources).ok()?]
        }
        None => return None,
    };
    let made =
        compile(target, &modules, &CompileOptions::default(), &sources, &mut chiaro_opt::Cx::default());
    made.ok().map(|made| made.container)
}
