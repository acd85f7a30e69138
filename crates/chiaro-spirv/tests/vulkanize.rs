//! The pass from the OpenGL flavour to the Vulkan one, on modules of glslang.
//!
//! The words that come out were accepted by `spirv-val --target-env vulkan1.0` when they were
//! blessed; `vulkanize/make.sh` tells where the inputs come from. `CHIARO_BLESS=1` rewrites
//! the expectations.

use std::fs;
use std::path::{Path, PathBuf};

use chiaro_spirv::module::Module;
use chiaro_spirv::{derive, vulkanize};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vulkanize").join(name)
}

fn words(name: &str) -> Vec<u32> {
    let text = fs::read_to_string(path(name)).expect("the file is part of the crate");
    text.split_whitespace().map(|w| u32::from_str_radix(w, 16).expect("words in hexadecimal")).collect()
}

fn module(words: Vec<u32>) -> Module {
    Module { interface: derive(&words), spans: Vec::new(), words }
}

fn done(name: &str) -> Module {
    vulkanize(&module(words(&format!("{name}.in.hex")))).unwrap_or_else(|e| panic!("{name}: {}", e.message))
}

/// Where each name of the host is: variable, set, binding, location, offset.
fn places(module: &Module) -> String {
    let number = |n: Option<u32>| n.map_or("-".to_owned(), |n| n.to_string());
    let mut out = String::new();
    for v in &module.interface.variables {
        for l in &v.leaves {
            let row = [v.set, v.binding, l.location, l.offset].map(number).join(" ");
            out += &format!("{:?} {} {row}\n", v.class, l.name);
        }
    }
    out
}

fn bless(name: &str, found: &str) {
    let path = path(name);
    if std::env::var_os("CHIARO_BLESS").is_some() {
        fs::write(&path, found).expect("the file can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == found, "{name} differs; found:\n{found}");
}

#[test]
fn words_and_places_are_as_before() {
    for name in ["mixed", "loose", "numbers"] {
        let module = done(name);
        let lines =
            module.words.chunks(8).map(|row| row.iter().map(|w| format!("{w:08x}")).collect::<Vec<_>>());
        let text: Vec<String> = lines.map(|row| row.join(" ")).collect();
        bless(&format!("{name}.out.hex"), &(text.join("\n") + "\n"));
        bless(&format!("{name}.places.txt"), &places(&module));
    }
}

#[test]
fn the_block_is_laid_out_as_glslang_does() {
    // The Vulkan form of the source spells the block out; glslang gave it its offsets.
    let theirs = module(words("loose.vulkan.hex"));
    let ours = done("loose");
    let block = |m: &Module| {
        let uniforms = m
            .interface
            .variables
            .iter()
            .find(|v| v.class == spirv::StorageClass::Uniform && v.binding == Some(1));
        let leaves = uniforms.expect("the block is there").leaves.clone();
        leaves.into_iter().map(|l| (l.name, l.offset)).collect::<Vec<_>>()
    };
    assert_eq!(block(&ours), block(&theirs));
}

#[test]
fn a_second_time_changes_nothing_of_what_the_host_sees() {
    for name in ["mixed", "loose", "numbers"] {
        let once = done(name);
        let twice = vulkanize(&once).expect("it was accepted before");
        assert_eq!(twice.words, once.words, "{name}");
        assert_eq!(twice.interface, once.interface, "{name}");
    }
}

#[test]
fn edited_words_give_answers_not_panics() {
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    for name in ["mixed", "loose", "numbers"] {
        let clean = words(&format!("{name}.in.hex"));
        for _ in 0..3000 {
            let mut words = clean.clone();
            for _ in 0..=random() % 3 {
                let at = random() as usize % words.len();
                words[at] = match random() % 4 {
                    0 => words[at] ^ 1 << (random() % 32),
                    1 => words[random() as usize % words.len()],
                    2 => random() % 300,
                    _ => words[at].wrapping_add(1),
                };
            }
            let _ = chiaro_spirv::rewrite(&words);
            let _ = vulkanize(&module(words));
        }
    }
}
