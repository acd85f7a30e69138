//! How long parts take: made of a key alone, and taken from a cache where they are.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use chiaro_agx::abi::key::{Key, PartCache};
use chiaro_agx::compile::{Options, compile_part};
use chiaro_opt::Cx;
use serde_json::Value;

use super::{FILES, Figures, MILLION, TARGET};
use crate::bench::middle;

/// How often each part is made.
const RUNS: usize = 7;

/// The mean of all keys of which there are parts, and the slowest; best and median of the runs.
pub(super) fn measure(figures: &mut Figures, folder: &Path) -> Result<(), String> {
    let (mut times, mut cached) = (Vec::new(), Vec::new());
    let mut cache = PartCache::default();
    for key in keys(folder)? {
        if made(&key).is_none() {
            continue;
        }
        times.push(time(|| made(&key).is_some()));
        let _ = cache.get(&key, |key| made(key).ok_or(()));
        cached.push(time(|| cache.get(&key, |_| Err(())).is_ok()));
    }
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len().max(1) as f64;
    let most = |all: &[f64]| all.iter().copied().fold(0.0, f64::max);
    for (name, times) in [("part from a key", times), ("part from the cache", cached)] {
        let (best, usual): (Vec<f64>, Vec<f64>) = times.into_iter().unzip();
        figures.push(TARGET, format!("{name}, mean"), "us", (mean(&best), mean(&usual)));
        figures.push(TARGET, format!("{name}, the slowest"), "us", (most(&best), most(&usual)));
    }
    Ok(())
}

fn keys(folder: &Path) -> Result<Vec<Key>, String> {
    let mut all = Vec::new();
    for name in FILES {
        let path = folder.join(name);
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        for line in text.lines().filter(|line| line.starts_with('{')) {
            let row: Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
            all.push(Key::of_json(&row["key"])?);
        }
    }
    Ok(all)
}

/// The code of a key's part; none of one that is refused.
fn made(key: &Key) -> Option<Vec<u8>> {
    compile_part(key, Options::default(), &mut Cx::default()).ok().map(|made| made.file.code)
}

/// Best and median of some runs, in microseconds.
fn time(mut run: impl FnMut() -> bool) -> (f64, f64) {
    let one = |run: &mut dyn FnMut() -> bool| {
        let start = Instant::now();
        black_box(run());
        start.elapsed().as_secs_f64() * MILLION
    };
    middle((0..RUNS).map(|_| one(&mut run)).collect())
}
