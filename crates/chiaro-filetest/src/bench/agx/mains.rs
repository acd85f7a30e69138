//! Main parts of the corpus beside Mesa's: instructions and bytes, stage by stage, and the units where ours are longer.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use chiaro_agx::report::Statistics;
use serde_json::Value;

use crate::agx::compiled::made;
use crate::stages::Shader;

/// Stages by the names of the corpus.
const STAGES: [&str; 3] = ["vert", "frag", "comp"];
/// Instructions that a unit may have above Mesa's without being told.
const ABOVE: u64 = 2;
/// Columns of the driver's statistics: instructions, bytes of the main part.
const INSTRUCTIONS: usize = 2;
const BYTES: usize = 14;

/// Ours and Mesa's.
type Pair = [u64; 2];

/// Sums of a stage.
#[derive(Clone, Copy, Default)]
struct Sum {
    units: u64,
    instructions: Pair,
    bytes: Pair,
    above: u64,
}

/// The table of all stages, and the units that are longer.
pub(super) fn table(folder: &Path) -> Result<String, String> {
    let read = |name: &str| {
        let path = folder.join(name);
        std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))
    };
    let (corpus, statistics) = (read("corpus_src.jsonl")?, read("shaderdb.tsv")?);
    let theirs = theirs(&statistics);
    let (mut sums, mut longer) = ([Sum::default(); 3], Vec::new());
    for line in corpus.lines().filter(|line| line.starts_with('{')) {
        let row: Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
        let name = row["name"].as_str().unwrap_or_default();
        for (stage, sum) in STAGES.iter().zip(&mut sums) {
            let Some(source) = row[stage].as_str() else { continue };
            let Some(&[instructions, bytes]) = theirs.get(&(name, *stage)) else { continue };
            let unit = format!("{name}.{stage}");
            let shader = Shader::of_text(unit.clone(), source.to_owned())?;
            let code = made(&shader.module).map_err(|why| format!("{unit}: {why}"))?.file.code;
            let ours = Statistics::of(&code, 0, None);
            let own: Pair = [ours.instructions.into(), code.len() as u64];
            sum.add([own[0], instructions], [own[1], bytes]);
            if own[0] > instructions + ABOVE {
                longer.push((own[0] - instructions, unit, own[0], instructions));
            }
        }
    }
    longer.sort_by(|a, b| b.cmp(a));
    Ok(written(&sums, &longer))
}

impl Sum {
    fn add(&mut self, instructions: Pair, bytes: Pair) {
        self.units += 1;
        self.above += u64::from(instructions[0] > instructions[1] + ABOVE);
        for n in 0..2 {
            self.instructions[n] += instructions[n];
            self.bytes[n] += bytes[n];
        }
    }
}

/// Instructions and bytes of main parts by unit and stage.
fn theirs(text: &str) -> HashMap<(&str, &str), Pair> {
    text.lines().filter(|line| !line.starts_with('#')).filter_map(unit).collect()
}

fn unit(line: &str) -> Option<((&str, &str), Pair)> {
    let columns: Vec<&str> = line.split('\t').collect();
    let number = |n: usize| columns.get(n)?.parse().ok();
    Some(((*columns.first()?, *columns.get(1)?), [number(INSTRUCTIONS)?, number(BYTES)?]))
}

fn written(sums: &[Sum; 3], longer: &[(u64, String, u64, u64)]) -> String {
    let mut text =
        "main parts                  units  instructions    Mesa   bytes    Mesa  above by 3 and more\n"
            .to_owned();
    for (stage, sum) in STAGES.iter().zip(sums) {
        let Sum { units, instructions: [i, mesa_i], bytes: [b, mesa_b], above } = sum;
        let _ = writeln!(text, "{stage:26} {units:6} {i:13} {mesa_i:7} {b:7} {mesa_b:7} {above:9}");
    }
    for (_, unit, ours, theirs) in longer {
        let _ = writeln!(text, "  {unit:31} {ours:13} {theirs:7}");
    }
    text
}
