//! What a run must give: rows of `lavapipe_outputs*.jsonl`, and how closely.

use std::path::Path;

use chiaro_num::{Encoding, F16, Rounding};
use serde_json::Value;

use crate::compute::{Buffer, buffer, hex_bytes, packed_words};
use crate::suite::Miss;

/// Buffers before a run and what comes of them.
pub(in crate::rdna) struct Case {
    pub(super) groups: [u32; 3],
    pub(super) push: Vec<u8>,
    pub(super) buffers: Vec<Buffer>,
    expected: Vec<(u32, Vec<u32>)>,
    /// How each binding is compared; for all of them where it is one word.
    compare: Value,
}

/// Words of a light tile, and how many lights it can hold.
const TILE: usize = 65;
const FULL: u32 = 64;

impl Case {
    /// The case of a shader in one of the two files, if there is one.
    pub(super) fn find(folder: &Path, shader: &str) -> Result<Option<Case>, Miss> {
        let start = format!("{{\"shader\": \"{shader}\"");
        for file in ["lavapipe_outputs.jsonl", "lavapipe_outputs_more.jsonl"] {
            let text = std::fs::read_to_string(folder.join(file)).map_err(|e| format!("{file}: {e}"))?;
            if let Some(line) = text.lines().find(|line| line.starts_with(&start)) {
                return Case::parse(line).map(Some);
            }
        }
        Ok(None)
    }

    /// A run of images alone.
    pub(super) fn without_buffers(groups: [u32; 3], push: Vec<u8>) -> Case {
        Case { groups, push, buffers: Vec::new(), expected: Vec::new(), compare: Value::Null }
    }

    /// Reads a row.
    pub(in crate::rdna) fn parse(line: &str) -> Result<Case, Miss> {
        let row: Value = serde_json::from_str(line).map_err(|e| format!("the case is not JSON: {e}"))?;
        let list = |name: &str| row[name].as_array().map(Vec::as_slice).unwrap_or_default();
        let groups: Vec<u32> = list("groups").iter().filter_map(|n| Some(n.as_u64()? as u32)).collect();
        let output = |(binding, hex): (&String, &Value)| -> Result<(u32, Vec<u32>), Miss> {
            let binding = binding.parse().map_err(|_| "an output's binding is not a number")?;
            Ok((binding, packed_words(hex.as_str().unwrap_or_default())?))
        };
        Ok(Case {
            groups: groups.try_into().map_err(|_| "`groups` are not three numbers")?,
            push: hex_bytes(row["push"].as_str().unwrap_or_default())?,
            buffers: list("buffers").iter().map(buffer).collect::<Result<_, _>>()?,
            expected: row["out"].as_object().into_iter().flatten().map(output).collect::<Result<_, _>>()?,
            compare: row["compare"].clone(),
        })
    }

    /// The bindings, in the order of [`Case::buffers`].
    pub(super) fn bindings(&self) -> impl Iterator<Item = u32> {
        self.buffers.iter().map(|buffer| buffer.binding)
    }

    fn kind(&self, binding: u32) -> &str {
        self.compare.as_str().or(self.compare[binding.to_string()].as_str()).unwrap_or("i")
    }

    /// Whether outputs depend on the order of atomics.
    pub(super) fn has_order(&self) -> bool {
        self.bindings().any(|binding| matches!(self.kind(binding), "set" | "set1" | "tiles"))
    }

    /// Compares the buffers behind a run: those without an expectation are as they were.
    pub(super) fn check(&self, after: &[Vec<u32>], level: Option<&str>) -> Result<(), Miss> {
        let truncates = level == Some("f16 truncated");
        for (buffer, found) in self.buffers.iter().zip(after) {
            let expected = self.expected.iter().find(|(binding, _)| *binding == buffer.binding);
            let packed = expected.filter(|_| truncates).map(|_| packed(&self.buffers[0].words));
            let (expected, kind) = match (&packed, expected) {
                (Some(words), _) => (words, "i"),
                (None, Some((_, words))) => (words, self.kind(buffer.binding)),
                (None, None) => (&buffer.words, "i"),
            };
            let level = level.unwrap_or(usual(kind));
            differs(expected, found, kind, level)
                .map_err(|why| format!("binding {}, {why}", buffer.binding))?;
        }
        Ok(())
    }
}

/// The first difference between words, by the kind of the case and the level of the row.
fn differs(expected: &[u32], found: &[u32], kind: &str, level: &str) -> Result<(), String> {
    if expected.len() != found.len() {
        return Err(format!("{} words instead of {}", found.len(), expected.len()));
    }
    let sorted = |words: &[u32]| {
        let mut words = words.to_vec();
        words.sort_unstable();
        words
    };
    match (kind, level) {
        ("none", _) | (_, "not comparable") => Ok(()),
        ("set", _) => differs(&sorted(expected), &sorted(found), "i", level),
        ("set1", _) => {
            let count = expected.len().min(1);
            differs(&expected[..count], &found[..count], "i", level)?;
            differs(&sorted(&expected[count..]), &sorted(&found[count..]), "i", level)
        }
        ("tiles", _) => tiles(expected, found),
        ("d", _) => doubles(expected, found, number(level)),
        ("i", _) => first(expected, found, |a, b| a == b),
        ("i~", _) => first(expected, found, |a, b| a == b || by_one(a, b)),
        (_, "exact" | "exact up to order") => first(expected, found, same),
        _ => floats(expected, found, number(level)),
    }
}

/// The level of rows that nobody ran before: the looser ones of those that were.
fn usual(kind: &str) -> &'static str {
    match kind {
        "f" => "1e-5",
        "f~" => "2e-3",
        "d" => "1e-13",
        _ => "exact",
    }
}

/// What `pack_half` makes of its vectors where packHalf2x16 truncates, as v_cvt_pkrtz does:
/// two packed pairs, and their sum as signed and unsigned fractions.
fn packed(vectors: &[u32]) -> Vec<u32> {
    let toward_zero = Encoding { rounding: Rounding::TowardZero, ..Encoding::default() };
    let half = |word: u32| F16.encode(f32::from_bits(word).into(), toward_zero);
    let wide = |bits: u32| F16.decode(bits & 0xffff) as f32;
    let fraction = |x: f32, least: f32, scale: f32| (x.clamp(least, 1.0) * scale).round_ties_even() as i32;
    let pair = |low: i32, high: i32| low as u32 & 0xffff | (high as u32) << 16;
    let vector = |v: &[u32]| {
        let h = [half(v[0]) | half(v[1]) << 16, half(v[2]) | half(v[3]) << 16];
        let sum = [0, 16].map(|at| wide(h[0] >> at) + wide(h[1] >> at));
        let signed = sum.map(|x| fraction(x, -1.0, 32767.0));
        let unsigned = sum.map(|x| fraction(x * 0.5 + 0.5, 0.0, 65535.0));
        [h[0], h[1], pair(signed[0], signed[1]), pair(unsigned[0], unsigned[1])]
    };
    vectors.chunks_exact(4).flat_map(vector).collect()
}

fn number(level: &str) -> f64 {
    level.parse().unwrap_or(0.0)
}

fn first(expected: &[u32], found: &[u32], agree: impl Fn(u32, u32) -> bool) -> Result<(), String> {
    match expected.iter().zip(found).position(|(a, b)| !agree(*a, *b)) {
        Some(n) => Err(format!("word {n} is {:08x}, not {:08x}", found[n], expected[n])),
        None => Ok(()),
    }
}

/// All NaNs are one.
fn same(a: u32, b: u32) -> bool {
    a == b || f32::from_bits(a).is_nan() && f32::from_bits(b).is_nan()
}

/// Off by one as a word, in both halves, or in each byte.
fn by_one(a: u32, b: u32) -> bool {
    let parts = |bits: u32| {
        (0..32 / bits).all(|n| {
            let part = |word: u32| word >> (n * bits) & (u32::MAX >> (32 - bits));
            part(a).abs_diff(part(b)) <= 1
        })
    };
    a.abs_diff(b) <= 1 || parts(16) || parts(8)
}

/// Relative to the value, or 20 times less to the largest one.
fn floats(expected: &[u32], found: &[u32], by: f64) -> Result<(), String> {
    let float = |word: u32| f64::from(f32::from_bits(word));
    let largest =
        expected.iter().map(|word| float(*word).abs()).filter(|x| x.is_finite()).fold(0.0, f64::max);
    first(expected, found, |a, b| {
        let (x, y) = (float(a), float(b));
        same(a, b) || (x - y).abs() <= by * x.abs() || (x - y).abs() <= by / 20.0 * largest
    })
}

fn doubles(expected: &[u32], found: &[u32], by: f64) -> Result<(), String> {
    let double = |pair: &[u32]| f64::from_bits(u64::from(pair[0]) | u64::from(pair[1]) << 32);
    let pairs = expected.chunks_exact(2).zip(found.chunks_exact(2)).map(|(a, b)| (double(a), double(b)));
    match pairs.enumerate().find(|(_, (a, b))| a != b && (a - b).abs() > by * a.abs()) {
        Some((n, (a, b))) => Err(format!("double {n} is {b}, not {a}")),
        None => Ok(()),
    }
}

/// A tile is its count and its lights in any order; a full one holds any that it was offered.
fn tiles(expected: &[u32], found: &[u32]) -> Result<(), String> {
    for (n, (a, b)) in expected.chunks(TILE).zip(found.chunks(TILE)).enumerate() {
        let lights = |tile: &[u32]| {
            let count = tile[0].min(FULL) as usize;
            let mut lights = tile[1..].get(..count).unwrap_or_default().to_vec();
            lights.sort_unstable();
            lights
        };
        let whole = a[0] >= FULL && b[0] == a[0];
        if a[0] != b[0] || !whole && lights(a) != lights(b) {
            return Err(format!("tile {n} has {} lights, {} are expected", b[0], a[0]));
        }
    }
    Ok(())
}
