//! Damage: small changes to valid inputs, as bit rot, cut transfers and editing make them.

use chiaro_isa::Rng;

/// Numbers that readers trip over, as little-endian words.
const NASTY: [u32; 12] =
    [0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x4000_0000, 0x10_0000];

/// A few changes to a binary.
pub fn bytes(seed: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut out = seed.to_vec();
    for _ in 0..=rng.below(6) {
        let at = rng.below(out.len());
        match rng.below(7) {
            0 if !out.is_empty() => out[at] ^= 1 << rng.below(8),
            1 if !out.is_empty() => out[at] = rng.next() as u8,
            2 => out.truncate(at),
            3 => out.insert(at, rng.next() as u8),
            4 => {
                let end = (at + rng.below(32)).min(out.len());
                let copy = out[at..end].to_vec();
                let to = rng.below(out.len());
                out.splice(to..to, copy);
            }
            // Headers are made of aligned words: sizes and offsets are the best to damage.
            _ => put(&mut out, at / 4 * 4, NASTY[rng.below(NASTY.len())]),
        }
    }
    out
}

fn put(out: &mut [u8], at: usize, word: u32) {
    if let Some(place) = out.get_mut(at..at + 4) {
        place.copy_from_slice(&word.to_le_bytes());
    }
}

/// A few changes to a source: words and lines are taken from any of the sources.
pub fn text(sources: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let pick = |rng: &mut Rng| String::from_utf8_lossy(&sources[rng.below(sources.len())]).into_owned();
    let source = pick(rng);
    let mut lines: Vec<String> = source.lines().map(String::from).collect();
    for _ in 0..=rng.below(5) {
        if lines.is_empty() {
            break;
        }
        let at = rng.below(lines.len());
        let other = rng.below(lines.len());
        match rng.below(8) {
            0 => drop(lines.remove(at)),
            1 => lines.swap(at, other),
            2 => {
                let copy = lines[other].clone();
                lines.insert(at, copy);
            }
            3 => lines[at] = any_line(&pick(rng), rng),
            4 => lines[at].push_str(TAILS[rng.below(TAILS.len())]),
            _ => lines[at] = change_word(&lines[at], &any_line(&pick(rng), rng), rng),
        }
    }
    lines.join("\n").into_bytes()
}

/// Ends of lines that ask for trouble.
const TAILS: [&str; 12] = [
    ", r99",
    "[",
    "[a0.x+99999999999999999999]",
    ".xyzwxyzw",
    "((((",
    "]",
    ":",
    " : :",
    "[-1]",
    "1e999999",
    "\u{0}",
    "\u{fe0f}é",
];

fn any_line(source: &str, rng: &mut Rng) -> String {
    let lines = source.lines().count();
    source.lines().nth(rng.below(lines)).unwrap_or("").to_owned()
}

/// Puts a word of one line in the place of a word of another.
fn change_word(line: &str, donor: &str, rng: &mut Rng) -> String {
    let mut words: Vec<&str> = line.split_inclusive([' ', ',', '\t', '.', '[', '(']).collect();
    let donors: Vec<&str> = donor.split_inclusive([' ', ',', '\t', '.', '[', '(']).collect();
    if let (false, false) = (words.is_empty(), donors.is_empty()) {
        let at = rng.below(words.len());
        words[at] = donors[rng.below(donors.len())];
    }
    words.concat()
}
