//! Whether a machine's results are those of a row of `a3xx/shader_io.jsonl`: within the row's tolerance, and what the
//! result moves where functions are a little off.

use std::collections::HashMap;

use serde_json::Value;

use super::a3xx::{Sample, interpreted, samples};
use super::{Shader, is_close};

/// The bits of all samples, `None` for those that are discarded: first by the row's tolerance alone, then with what
/// nudged functions move.
pub(crate) fn judge(row: &Value, shader: &Shader, found: Vec<Option<Vec<u32>>>) -> Result<(), String> {
    let found = without_nan(row, found)?;
    let strict = compare(row, &mut Moved::new(row, shader, false), &found);
    strict.or_else(|_| compare(row, &mut Moved::new(row, shader, true), &found))
}

/// What was found, with NaN wherever the row has NaN: the language asks nobody to make one (GLSL ES 3.00,
/// section 4.5.1), and our `acosh` below 1 makes a number.
fn without_nan(row: &Value, mut found: Vec<Option<Vec<u32>>>) -> Result<Vec<Option<Vec<u32>>>, String> {
    for (found, sample) in found.iter_mut().zip(samples(row)?) {
        for (bits, wanted) in found.iter_mut().flatten().zip(&sample.expected) {
            if wanted.value.is_nan() {
                *bits = f32::NAN.to_bits();
            }
        }
    }
    Ok(found)
}

/// How far results move when functions are nudged; nothing in the first round.
pub(crate) struct Moved<'a> {
    row: &'a Value,
    shader: &'a Shader,
    nudged: bool,
    known: HashMap<usize, Vec<f64>>,
}

impl<'a> Moved<'a> {
    pub(crate) fn new(row: &'a Value, shader: &'a Shader, nudged: bool) -> Moved<'a> {
        Moved { row, shader, nudged, known: HashMap::new() }
    }

    fn of(&mut self, k: usize, width: usize) -> Result<Vec<f64>, String> {
        if !self.nudged {
            return Ok(vec![0.0; width]);
        }
        if let Some(known) = self.known.get(&k) {
            return Ok(known.clone());
        }
        let moved = interpreted::moved(self.row, self.shader, k, width)?;
        self.known.insert(k, moved.clone());
        Ok(moved)
    }
}

/// All samples against what the row expects of them.
pub(crate) fn compare(row: &Value, moved: &mut Moved<'_>, found: &[Option<Vec<u32>>]) -> Result<(), String> {
    for (k, sample) in samples(row)?.iter().enumerate() {
        let value = |bits: &u32| f64::from(f32::from_bits(*bits));
        let found = found[k].as_ref().map(|bits| bits.iter().map(value).collect::<Vec<f64>>());
        one(moved, k, sample, found.as_deref()).map_err(|e| format!("sample {k}: {e}"))?;
    }
    Ok(())
}

fn one(moved: &mut Moved<'_>, k: usize, sample: &Sample, found: Option<&[f64]>) -> Result<(), String> {
    let Some(found) = found else {
        return if sample.may_end() { Ok(()) } else { Err("discarded".to_owned()) };
    };
    if sample.expected.is_empty() {
        return if sample.is_unstable { Ok(()) } else { Err("not discarded".to_owned()) };
    }
    if found.len() != sample.expected.len() {
        return Err(format!("{} values, {} are expected", found.len(), sample.expected.len()));
    }
    let is_off = |i: usize, more: f64| {
        let wanted = sample.expected[i];
        wanted.tolerance.is_finite() && !is_close(found[i], wanted, more)
    };
    if !(0..found.len()).any(|i| is_off(i, 0.0)) {
        return Ok(());
    }
    let moved = moved.of(k, found.len())?;
    match (0..found.len()).find(|&i| is_off(i, moved[i])) {
        None => Ok(()),
        Some(i) => Err(format!("value {i} is {}, not {}", found[i], sample.expected[i].value)),
    }
}
