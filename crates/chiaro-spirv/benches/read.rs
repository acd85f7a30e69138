//! How fast modules are read: instructions of SPIR-V a second, to the IR and to verified IR.

use chiaro_diag::SourceMap;
use chiaro_spirv::{Options, read, words_of};
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

fn corpus() -> Vec<Vec<u32>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shaders");
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let bytes = entries.map(|entry| std::fs::read(entry.expect("an entry").path()).expect("a file"));
    bytes.map(|bytes| words_of(&bytes).expect("words")).collect()
}

fn instructions(words: &[u32]) -> usize {
    let (mut at, mut count) = (5, 0);
    while let Some(head) = words.get(at) {
        at += (head >> 16).max(1) as usize;
        count += 1;
    }
    count
}

fn run(bencher: Bencher<'_, '_>, verify: bool) {
    let corpus = corpus();
    let count: usize = corpus.iter().map(|words| instructions(words)).sum();
    bencher.counter(ItemsCount::new(count)).bench(|| {
        for words in &corpus {
            let reading = read(words, &Options::default(), &mut SourceMap::new()).expect("a module");
            if verify {
                chiaro_ir::verify(&reading.module).expect("a sound module");
            }
        }
    });
}

#[divan::bench]
fn to_ir(bencher: Bencher<'_, '_>) {
    run(bencher, false);
}

#[divan::bench]
fn to_verified_ir(bencher: Bencher<'_, '_>) {
    run(bencher, true);
}
