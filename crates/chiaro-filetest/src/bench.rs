//! How fast the tools are, target by target.
//!
//! Each figure is taken several times in one process; the table shows the best run and the
//! median, since other programs on the machine can only make a run slower.

mod a3xx;
mod agx;
mod pica200;
mod rdna;
mod utgard;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Runs of each measurement.
const RUNS: usize = 9;
/// A run repeats its call until it takes about this long.
const LEAST: Duration = Duration::from_millis(50);

/// One measured figure.
pub struct Figure {
    /// Target.
    pub target: &'static str,
    /// What was measured, stable from version to version.
    pub name: String,
    /// Unit of both numbers.
    pub unit: &'static str,
    /// The best run.
    pub best: f64,
    /// The median run.
    pub median: f64,
}

/// All figures of a run.
#[derive(Default)]
pub struct Figures {
    /// Single figures.
    pub all: Vec<Figure>,
    /// Tables of their own, for people.
    pub tables: Vec<String>,
}

/// Measures everything, or one target. `vectors` is a folder of golden vectors; without it, those
/// that come with the crates are taken.
///
/// # Errors
/// There is no such target, or a program of the benchmark does not assemble or run.
pub fn measure(target: Option<&str>, vectors: Option<&Path>) -> Result<Figures, String> {
    let mut figures = Figures::default();
    if let Some(unknown) = target.filter(|only| !MEASURES.iter().any(|(name, _)| name == only)) {
        let names = MEASURES.map(|(name, _)| name).join(", ");
        return Err(format!("nothing is measured of `{unknown}`: there are {names}"));
    }
    for (name, measure) in MEASURES.iter().filter(|(name, _)| target.is_none_or(|only| only == *name)) {
        measure(&mut figures, &folder(name, vectors))?;
    }
    Ok(figures)
}

/// The vectors of a target.
fn folder(target: &str, vectors: Option<&Path>) -> PathBuf {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../chiaro-{target}/tests/vectors"));
    vectors.map_or_else(own, |folder| folder.join(target))
}

/// Adds the figures of one target, measured on the vectors of a folder.
type Measure = fn(&mut Figures, &Path) -> Result<(), String>;

/// What is measured of each target.
const MEASURES: [(&str, Measure); 5] = [
    ("pica200", pica200::measure),
    ("utgard-gp", |figures, _| utgard::measure(figures)),
    ("rdna", rdna::measure),
    ("agx", agx::measure),
    ("a3xx", a3xx::measure),
];

impl Figures {
    /// Measures how many items a call handles in a second; `scale` is the unit's size.
    fn rate(
        &mut self,
        target: &'static str,
        name: impl Into<String>,
        (unit, scale): (&'static str, f64),
        items: usize,
        call: impl FnMut(),
    ) -> (f64, f64) {
        let (best, median) = seconds(call);
        let rate = |seconds: f64| items as f64 / seconds / scale;
        self.push(target, name, unit, (rate(best), rate(median)));
        (rate(best), rate(median))
    }

    fn push(
        &mut self,
        target: &'static str,
        name: impl Into<String>,
        unit: &'static str,
        (best, median): (f64, f64),
    ) {
        self.all.push(Figure { target, name: name.into(), unit, best, median });
    }

    /// A table for people.
    #[must_use]
    pub fn table(&self) -> String {
        let head = format!("{:<10} {:<36} {:>10} {:>10}  unit", "target", "figure", "best", "median");
        let rows = self.all.iter().map(|f| {
            format!("{:<10} {:<36} {:>10.2} {:>10.2}  {}", f.target, f.name, f.best, f.median, f.unit)
        });
        let tables = self.tables.iter().map(|table| format!("\n{}", table.trim_end()));
        std::iter::once(head).chain(rows).chain(tables).collect::<Vec<_>>().join("\n")
    }

    /// An array of objects for machines.
    #[must_use]
    pub fn json(&self) -> String {
        let object = |f: &Figure| -> Value {
            json!({"target": f.target, "name": f.name, "unit": f.unit, "best": f.best, "median": f.median})
        };
        let all: Vec<Value> = self.all.iter().map(object).collect();
        serde_json::to_string_pretty(&all).unwrap_or_default()
    }
}

/// Seconds that one call takes: best and median of several runs.
fn seconds(mut call: impl FnMut()) -> (f64, f64) {
    let mut repeats = 1u32;
    let mut once = |repeats: u32| {
        let start = Instant::now();
        (0..repeats).for_each(|_| call());
        start.elapsed()
    };
    while once(repeats) < LEAST {
        repeats = repeats.saturating_mul(2);
    }
    middle((0..RUNS).map(|_| once(repeats).as_secs_f64() / f64::from(repeats)).collect())
}

/// Best and median of some times.
fn middle(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (times[0], times[times.len() / 2])
}
