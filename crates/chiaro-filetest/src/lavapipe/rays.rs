//! `chiaro-filetest rays`: ray queries in random scenes on lavapipe, judged by the interpreter.

use std::fmt;
use std::ops::Range;

use ash::vk;

use super::draw::{Resource, Scene, Stage, run};
use super::{Device, Kind};
use crate::rays::{Asked, Case, Found, Verdict, judge, rows};
use crate::stages::Shader;

/// What became of the rays.
pub struct Report {
    driver: String,
    scenes: u64,
    hits: usize,
    /// As the interpreter has it; ended by another hit; on edges.
    same: usize,
    first: usize,
    edge: usize,
    different: Vec<String>,
}

impl Report {
    /// Whether all rays find what they may find, and most of them something.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.different.is_empty() && self.hits > 0
    }

    fn count(&mut self, place: &str, found: &Found, verdict: Verdict) {
        self.hits += usize::from(found.is_hit());
        match verdict {
            Verdict::Same => self.same += 1,
            Verdict::First => self.first += 1,
            Verdict::Edge => self.edge += 1,
            Verdict::Different(why) => self.different.push(format!("{place}: {why}")),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.different.iter().try_for_each(|why| writeln!(f, "{why}"))?;
        let Report { driver, scenes, hits, same, first, edge, different } = self;
        let apart = different.len();
        let rays = same + first + edge + apart;
        writeln!(f, "{rays} rays in {scenes} scenes, of which {hits} hit; {driver}")?;
        writeln!(f, "{same} the same, {first} ended by another hit, {edge} on edges, {apart} different")
    }
}

/// Traces the rays of some seeds, and judges them.
///
/// # Errors
/// A driver without ray queries, and what stops it or the interpreter.
pub fn check(device: &Device, seeds: Range<u64>) -> Result<Report, String> {
    let kernel = Case::kernel()?;
    let (driver, scenes) = (device.name().to_owned(), seeds.end - seeds.start);
    let mut report = Report { driver, scenes, hits: 0, same: 0, first: 0, edge: 0, different: Vec::new() };
    for seed in seeds {
        let case = Case::of(seed);
        let found = on_driver(device, &case, &kernel)?;
        let verdicts = judge(&case, &kernel, &found)?;
        for (n, (found, verdict)) in found.iter().zip(verdicts).enumerate() {
            report.count(&format!("seed {seed}, ray {n}"), found, verdict);
        }
    }
    Ok(report)
}

/// What the driver finds, as rows.
///
/// # Errors
/// As [`check`].
pub fn rows(device: &Device, seeds: Range<u64>) -> Result<String, String> {
    let kernel = Case::kernel()?;
    let (count, first) = (seeds.end - seeds.start, seeds.start);
    let mut text = format!(
        "# Ray queries on {}: a scene a line, with what each ray was given and what it found.\n\
         # chiaro-filetest rays --rows --count {count} --seed {first}\n",
        device.name()
    );
    for seed in seeds {
        let case = Case::of(seed);
        text += &rows::line(&case, &on_driver(device, &case, &kernel)?);
        text += "\n";
    }
    Ok(text)
}

fn on_driver(device: &Device, case: &Case, kernel: &Shader) -> Result<Vec<Found>, String> {
    let words = kernel.vulkan()?;
    let given = case.rays.iter().flat_map(Asked::words).collect();
    let resources = vec![
        (0, Resource::Structure(case.meshes.clone(), case.instances.clone())),
        (1, Resource::Buffer(Kind::Storage, given)),
        (2, Resource::Buffer(Kind::Storage, case.boxes())),
        (3, Resource::Buffer(Kind::Storage, vec![0; case.rays.len() * Found::WORDS])),
    ];
    let stages = vec![Stage { stage: vk::ShaderStageFlags::COMPUTE, words: &words }];
    let scene = Scene { groups: [Case::groups(&case.rays), 1, 1], ..Scene::of(stages, resources) };
    let left = run(device, &scene)?;
    Ok(Found::all(left.buffers.last().ok_or("nothing came back")?))
}
