//! How fast the tools are, target by target.
//!
//! Each figure is taken several times in one process; the table shows the best and the
//! median, since other programs on the machine can only make a run slower.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Runs of each measurement.
const RUNS: usize = 7;
/// A run is repeated inside until it takes this long.
const LEAST: Duration = Duration::from_millis(60);

/// One measured figure.
pub struct Figure {
    /// Target.
    pub target: &'static str,
    /// What was measured, stable from run to run.
    pub name: String,
    /// Unit of both numbers.
    pub unit: &'static str,
    /// The best run.
    pub best: f64,
    /// The median run.
    pub median: f64,
}

/// All figures of a run.
pub struct Figures(pub Vec<Figure>);

/// Measures everything.
///
/// # Errors
/// A program of the benchmark that does not assemble or run.
pub fn measure() -> Result<Figures, String> {
    Ok(Figures(Vec::new()))
}

impl Figures {
    /// A table for people.
    #[must_use]
    pub fn table(&self) -> String {
        let head = format!("{:<10} {:<36} {:>12} {:>12}  unit", "target", "figure", "best", "median");
        let rows = self.0.iter().map(|f| {
            format!("{:<10} {:<36} {:>12.3} {:>12.3}  {}", f.target, f.name, f.best, f.median, f.unit)
        });
        std::iter::once(head).chain(rows).collect::<Vec<_>>().join("\n")
    }

    /// An array of objects for machines.
    #[must_use]
    pub fn json(&self) -> String {
        let object = |f: &Figure| -> Value {
            json!({"target": f.target, "name": f.name, "unit": f.unit, "best": f.best, "median": f.median})
        };
        let all: Vec<Value> = self.0.iter().map(object).collect();
        serde_json::to_string_pretty(&all).unwrap_or_default()
    }
}

/// Seconds that one call takes: best and median of several runs.
pub fn seconds(mut call: impl FnMut()) -> (f64, f64) {
    let mut repeats = 1u32;
    let once = |repeats: u32, call: &mut dyn FnMut()| {
        let start = Instant::now();
        (0..repeats).for_each(|_| call());
        start.elapsed()
    };
    while once(repeats, &mut call) < LEAST {
        repeats = repeats.saturating_mul(2);
    }
    let runs = (0..RUNS).map(|_| once(repeats, &mut call).as_secs_f64() / f64::from(repeats));
    let mut runs: Vec<f64> = runs.collect();
    runs.sort_by(f64::total_cmp);
    (runs[0], runs[RUNS / 2])
}
