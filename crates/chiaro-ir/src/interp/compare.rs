//! Comparing outputs: how far two results may be apart, and which lanes prove nothing.

use std::fmt;

/// How far apart two floats may be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Tolerance {
    /// Not at all; all NaNs are equal.
    Exact,
    /// So many integers.
    Integer(u32),
    /// `error * max(1, |expected|)`.
    Relative(f64),
}

/// An output of words that is not what the source means.
#[derive(Clone, PartialEq, Debug)]
pub struct Counterexample {
    /// Which vertex of the sample.
    pub vertex: usize,
    /// The output.
    pub output: String,
    /// Which of its floats.
    pub component: usize,
    /// What the source means.
    pub expected: f64,
    /// How far off is right.
    pub allowed: f64,
    /// What came out.
    pub found: f64,
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counterexample { vertex, output, component, expected, allowed, found } = self;
        write!(f, "vertex {vertex}, output `{output}`, component {component}: ")?;
        write!(f, "{found} instead of {expected} (at most {allowed:e} off)")
    }
}

/// What a comparison found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Comparison {
    /// Words or lanes that agree.
    pub equal: usize,
    /// Those that differ: place, expected, found.
    pub differences: Vec<(usize, f64, f64)>,
    /// Those that prove nothing.
    pub inconclusive: usize,
}

/// Differences that are kept; more are only counted by their place in the list's length.
const KEPT: usize = 1000;

impl Comparison {
    /// Compares 32-bit words, as the tolerance reads them.
    pub fn words(expected: &[u32], found: &[u32], tolerance: Tolerance) -> Comparison {
        let mut out = Comparison::default();
        for (i, (&e, &f)) in expected.iter().zip(found).enumerate() {
            out.word(i, e, f, tolerance);
        }
        for i in expected.len().min(found.len())..expected.len().max(found.len()) {
            out.differ(i, f64::NAN, f64::NAN);
        }
        out
    }

    fn word(&mut self, i: usize, e: u32, f: u32, tolerance: Tolerance) {
        let (fe, ff) = (f64::from(f32::from_bits(e)), f64::from(f32::from_bits(f)));
        let (same, e, f) = match tolerance {
            Tolerance::Exact => (e == f || fe.is_nan() && ff.is_nan(), f64::from(e), f64::from(f)),
            Tolerance::Integer(n) => {
                let apart = (e as i32).wrapping_sub(f as i32).unsigned_abs();
                (apart <= n, f64::from(e), f64::from(f))
            }
            Tolerance::Relative(t) => (close(fe, ff, t), fe, ff),
        };
        if same {
            self.equal += 1;
        } else {
            self.differ(i, e, f);
        }
    }

    /// Compares a number with an interval around another one: `None` in `conclusive` stands
    /// for a lane that proves nothing.
    pub fn interval(&mut self, i: usize, value: f64, error: f64, found: f64, conclusive: bool) {
        if !conclusive || error.is_infinite() {
            self.inconclusive += 1;
        } else if (value - found).abs() <= error || value.is_nan() && found.is_nan() || value == found {
            self.equal += 1;
        } else {
            self.differ(i, value, found);
        }
    }

    fn differ(&mut self, i: usize, e: f64, f: f64) {
        if self.differences.len() < KEPT {
            self.differences.push((i, e, f));
        }
    }

    /// Whether everything conclusive agrees and enough was conclusive: at most a fifth may
    /// prove nothing.
    pub fn passed(&self) -> bool {
        let all = self.equal + self.differences.len() + self.inconclusive;
        self.differences.is_empty() && self.inconclusive * 5 <= all
    }
}

fn close(e: f64, f: f64, tolerance: f64) -> bool {
    e == f || e.is_nan() && f.is_nan() || (e - f).abs() <= tolerance * e.abs().max(1.0)
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Comparison { equal, differences, inconclusive } = self;
        write!(f, "{equal} equal, {} different, {inconclusive} inconclusive", differences.len())?;
        match differences.first() {
            Some((i, e, found)) => write!(f, "; first at {i}: expected {e}, found {found}"),
            None => Ok(()),
        }
    }
}
