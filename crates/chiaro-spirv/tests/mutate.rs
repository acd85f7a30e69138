//! Broken modules: whatever happens to the words of the corpus, reading ends with a module
//! or an error, soon, and the verifier takes what comes out.
//!
//! `CHIARO_MUTATIONS` is how many broken modules are tried, 20,000 if it is not set;
//! `CHIARO_MODULES` is a folder of modules that are broken as well.

use chiaro_diag::SourceMap;
use chiaro_spirv::{Options, read, words_of};
use std::time::{Duration, Instant};

/// A small generator, so that a seed means the same everywhere (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 11) as usize % n.max(1)
    }
}

fn corpus() -> Vec<Vec<u32>> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let further = std::env::var_os("CHIARO_MODULES").map(std::path::PathBuf::from);
    let mut files: Vec<_> = [root.join("shaders"), root.join("shapes")]
        .into_iter()
        .chain(further)
        .flat_map(|folder| std::fs::read_dir(folder).expect("the folder can be read"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|file| file.extension().is_some_and(|e| e == "spv"))
        .collect();
    files.sort();
    files.iter().map(|file| words_of(&std::fs::read(file).expect("a file")).expect("words")).collect()
}

/// Breaks a module in one to four places.
fn mutate(words: &mut Vec<u32>, other: &[u32], random: &mut Random) {
    for _ in 0..=random.below(4) {
        let at =
            if random.below(4) == 0 { 3 + random.below(words.len() - 3) } else { operand(words, random) };
        match random.below(9) {
            0..=2 => words[at] ^= 1 << random.below(32),
            3 => words[at] = random.next() as u32,
            // Another id, another word of the module, another small number.
            4 => words[at] = random.below(words[3] as usize) as u32,
            5 => words[at] = words[random.below(words.len())],
            6 => words[at] = random.below(8) as u32,
            7 => {
                let end = (at + 1 + random.below(8)).min(words.len());
                words.drain(at..end);
            }
            _ => {
                let from = random.below(other.len());
                let piece = &other[from..(from + random.below(12)).min(other.len())];
                words.splice(at..at, piece.iter().copied());
            }
        }
        if words.len() < 8 {
            return;
        }
    }
}

/// A word that is no head of an instruction, so that the ones behind keep their places.
fn operand(words: &[u32], random: &mut Random) -> usize {
    let wanted = 5 + random.below(words.len() - 5);
    let mut at = 5;
    while let Some(head) = words.get(at) {
        let end = at + (head >> 16).max(1) as usize;
        if end > wanted {
            return if wanted == at { (at + 1).min(words.len() - 1) } else { wanted };
        }
        at = end;
    }
    wanted
}

#[test]
fn broken_modules_are_refused_or_read_but_never_worse() {
    let count = std::env::var("CHIARO_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    let corpus = corpus();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut read_well, mut sound, mut slowest) = (0, 0, Duration::ZERO);
    for _ in 0..count {
        let mut words = corpus[random.below(corpus.len())].clone();
        mutate(&mut words, &corpus[random.below(corpus.len())], &mut random);
        let start = Instant::now();
        if let Ok(reading) = read(&words, &Options::default(), &mut SourceMap::new()) {
            read_well += 1;
            sound += u32::from(chiaro_ir::verify(&reading.module).is_ok());
        }
        slowest = slowest.max(start.elapsed());
    }
    println!("{count} broken modules: {read_well} read, {sound} of them sound, the slowest took {slowest:?}");
    assert!(slowest < Duration::from_secs(5), "one took {slowest:?}");
}
