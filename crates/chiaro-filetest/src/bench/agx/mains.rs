//! Main parts of the corpus beside Mesa's: instructions, bytes, cycles by its model, halves, preambles, stage by stage,
//! and the units where ours are worse.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use chiaro_agx::compile::{Compiled, Options};
use chiaro_agx::regs::occupancy;
use chiaro_agx::report::Statistics;
use serde_json::Value;

use crate::agx::compiled::made_with;
use crate::stages::Shader;

/// Stages by the names of the corpus.
const STAGES: [&str; COUNT_STAGES] = ["vert", "vert_sw", "frag", "comp"];
const COUNT_STAGES: usize = 4;
/// How the names of vertices in software end.
const SOFTWARE: &str = "_sw";
/// Instructions that a unit may have above Mesa's without being told.
const ABOVE: u64 = 2;
/// What is counted, by the names of the table.
const COUNTS: [&str; COUNT] = ["instructions", "bytes", "whole", "alu", "ic", "halves", "preamble", "all"];
const COUNT: usize = 8;
/// Columns of the driver's statistics that hold the first six.
const COLUMNS: [usize; 6] = [2, 14, 6, 3, 5, 15];
/// Numbers of the counts that units are compared by.
const INSTRUCTIONS: usize = 0;
const HALVES: usize = 5;
/// What stands in a file begins at a multiple of this.
const ALIGNED: usize = 128;

/// One number for each of [`COUNTS`].
type Counts = [u64; COUNT];

/// Sums of a stage, ours and Mesa's.
#[derive(Clone, Copy, Default)]
struct Sum {
    units: u64,
    ours: Counts,
    theirs: Counts,
    above: u64,
}

/// A unit with its counts, ours and Mesa's.
struct Unit {
    name: String,
    ours: Counts,
    theirs: Counts,
}

/// A unit of the corpus as it is compiled.
pub(super) struct Source {
    /// Shader and stage.
    pub(super) name: String,
    /// Which of [`STAGES`] it is.
    stage: usize,
    pub(super) shader: Shader,
    pub(super) options: Options,
}

/// The units of the corpus, vertex shaders in hardware and in software.
pub(super) fn corpus(folder: &Path) -> Result<Vec<Source>, String> {
    let mut all = Vec::new();
    for line in read(folder, "corpus_src.jsonl")?.lines().filter(|line| line.starts_with('{')) {
        let row: Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
        let name = row["name"].as_str().unwrap_or_default();
        for (n, stage) in STAGES.iter().enumerate() {
            let of = stage.trim_end_matches(SOFTWARE);
            let Some(source) = row[of].as_str() else { continue };
            let shader = Shader::of_text(format!("{name}.{of}"), source.to_owned())?;
            let options = Options { software: of != *stage, ..Options::default() };
            all.push(Source { name: format!("{name}.{stage}"), stage: n, shader, options });
        }
    }
    Ok(all)
}

fn read(folder: &Path, name: &str) -> Result<String, String> {
    let path = folder.join(name);
    std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))
}

/// The table of all stages, and the units that are worse.
pub(super) fn table(folder: &Path) -> Result<String, String> {
    let theirs = theirs(&read(folder, "shaderdb.tsv")?, &read(folder, "compile.jsonl")?)?;
    let (mut sums, mut units) = ([Sum::default(); COUNT_STAGES], Vec::new());
    for Source { name, stage, shader, options } in corpus(folder)? {
        let Some(&theirs) = theirs.get(&name) else { continue };
        let compiled = made_with(&shader.module, options).map_err(|why| format!("{name}: {why}"))?;
        let unit = Unit { name, ours: ours(&compiled), theirs };
        sums[stage].add(&unit);
        units.push(unit);
    }
    units.retain(|unit| unit.is_longer() || unit.has_fewer_threads());
    units.sort_by_key(|unit| std::cmp::Reverse((unit.excess(), unit.name.clone())));
    Ok(written(&sums, &units))
}

/// Counts of a compiled unit; the whole is numbers of the pool and the main part, as a driver lays them out.
fn ours(compiled: &Compiled) -> Counts {
    let file = &compiled.file;
    let main = Statistics::of(&file.code, 0, None);
    let before = Statistics::of(&file.preamble, 0, None).instructions;
    let numbers: usize = file.constants.iter().map(|(_, bytes)| bytes.len()).sum();
    let whole = numbers.next_multiple_of(ALIGNED) + file.code.len();
    let halves = file.parts.first().map_or(0, |part| part.halves);
    let [instructions, before] = [main.instructions, before].map(u64::from);
    let bytes = file.code.len() as u64;
    let (alu, ic) = (main.alu.into(), main.ic.into());
    [instructions, bytes, whole as u64, alu, ic, halves.into(), before, instructions + before]
}

impl Sum {
    fn add(&mut self, unit: &Unit) {
        self.units += 1;
        self.above += u64::from(unit.is_longer());
        for n in 0..COUNT {
            self.ours[n] += unit.ours[n];
            self.theirs[n] += unit.theirs[n];
        }
    }
}

impl Unit {
    fn excess(&self) -> u64 {
        self.ours[INSTRUCTIONS].saturating_sub(self.theirs[INSTRUCTIONS])
    }

    fn is_longer(&self) -> bool {
        self.excess() > ABOVE
    }

    fn has_fewer_threads(&self) -> bool {
        let threads = |counts: &Counts| occupancy(counts[HALVES].max(1) as u16).map(|(_, threads)| threads);
        threads(&self.ours) < threads(&self.theirs)
    }
}

/// Mesa's counts by unit, from its statistics and its listings of preambles.
fn theirs(statistics: &str, listings: &str) -> Result<HashMap<String, Counts>, String> {
    let lines = statistics.lines().filter(|line| !line.starts_with('#'));
    let mut all: HashMap<String, Counts> = lines.filter_map(unit).collect();
    for line in listings.lines().filter(|line| line.starts_with('{')) {
        let row: Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
        let [name, stage] = ["name", "stage"].map(|field| row[field].as_str().unwrap_or_default());
        if let Some(counts) = all.get_mut(&format!("{name}.{stage}")) {
            counts[6] = row["preamble"].as_array().map_or(0, Vec::len) as u64;
            counts[7] += counts[6];
        }
    }
    Ok(all)
}

fn unit(line: &str) -> Option<(String, Counts)> {
    let columns: Vec<&str> = line.split('\t').collect();
    let mut counts = Counts::default();
    for (count, column) in counts.iter_mut().zip(COLUMNS) {
        *count = columns.get(column)?.parse().ok()?;
    }
    counts[7] = counts[INSTRUCTIONS];
    Some((format!("{}.{}", columns.first()?, columns.get(1)?), counts))
}

fn written(sums: &[Sum; COUNT_STAGES], units: &[Unit]) -> String {
    let mut text = "main parts, and Mesa's    units above".to_owned();
    COUNTS.iter().for_each(|name| text += &format!("{name:>16}"));
    text.push('\n');
    let mut line = |name: &str, head: String, ours: &Counts, theirs: &Counts| {
        let _ = write!(text, "{name:25}{head:>11}");
        for (ours, theirs) in ours.iter().zip(theirs) {
            let _ = write!(text, "{ours:9} {theirs:6}");
        }
        text.push('\n');
    };
    let mut all = Sum::default();
    for (stage, sum) in STAGES.iter().zip(sums) {
        line(stage, format!("{:5} {:5}", sum.units, sum.above), &sum.ours, &sum.theirs);
        (all.units, all.above) = (all.units + sum.units, all.above + sum.above);
        for n in 0..COUNT {
            all.ours[n] += sum.ours[n];
            all.theirs[n] += sum.theirs[n];
        }
    }
    line("all", format!("{:5} {:5}", all.units, all.above), &all.ours, &all.theirs);
    for unit in units {
        let threads = if unit.has_fewer_threads() { "threads" } else { "" };
        line(&format!("  {}", unit.name), threads.to_owned(), &unit.ours, &unit.theirs);
    }
    text
}
