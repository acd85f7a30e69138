//! `chiaro trace`: a pipeline of rays over a scene, as a picture.

mod machine;
pub mod pipeline;
mod records;
mod resources;

use std::path::{Path, PathBuf};

use chiaro::Target;
use chiaro::trace::fields::Fields;
use chiaro::trace::{Joined, check, join, scene};
use chiaro_diag::Diagnostic;
use chiaro_ir::Module;
use chiaro_ir::interp::{Counts, Interpreter, Report, Stages, World};
use chiaro_trace::Scene;
use clap::Args;
use serde_json::Value as Json;

use crate::choices::Choices;
use crate::cli;
use crate::cmd::run::read_json;
use crate::images;
use crate::input::{self, Bytes};
use crate::shell::{Failure, Shell};
pub use machine::{Stages as StagesOption, compiled};
use pipeline::Piped;
use resources::Held;

/// Trace a scene with a ray-tracing pipeline: on the interpreter, which tries all primitives in order, or in words on a
/// target's simulator.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub struct Options {
    /// The scene; names of files in it count from its folder.
    scene: PathBuf,
    /// The pipeline, where the scene does not name it; or what `chiaro pipeline` has made of that.
    #[arg(long, value_name = "FILE")]
    pipeline: Option<PathBuf>,
    /// Whose simulator traces.
    #[arg(long, value_parser = cli::targets())]
    target: Option<cli::TargetName>,
    /// Also trace on the interpreter, and write the difference beside the picture: black where there
    /// is none, blue below a step of eight bits, red to yellow above.
    #[arg(long)]
    compare: bool,
    /// Choices of the target.
    #[arg(short = 'm', value_name = "KEY=VALUE", value_parser = cli::key_value)]
    assumptions: Vec<(String, String)>,
    #[command(flatten)]
    stages: StagesOption,
    /// The picture, a PNG.
    #[arg(short, long, value_name = "OUT.png")]
    output: PathBuf,
    /// Width and height of the launch in place of the scene's.
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = width_and_height)]
    size: Option<[u32; 2]>,
    /// Stop after so many instructions, where what up to 128 launches take side by side counts once.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_steps: Option<u64>,
    #[command(flatten)]
    module: Choices,
}

/// The shape of scenes and pipelines, for the help text.
const HELP: &str = r#"Scene:
  {
    "pipeline": "pipe.json", "size": [256, 256], "output": "image",
    "meshes": {
      "floor": { "vertices": [[-1, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1]], "indices": [0, 1, 2, 0, 2, 3] },
      "balls": { "spheres": [[0, 1, 0, 0.5]], "opaque": false },
      "both": { "geometries": [ { "vertices": [] }, { "boxes": [[0, 0, 0, 1, 1, 1]] } ] }
    },
    "assemblies": { "pair": [ { "mesh": "balls" }, { "mesh": "balls", "place": { "at": [2, 0, 0] } } ] },
    "instances": [
      { "mesh": "floor", "custom": 7, "mask": 255, "offset": 0, "flags": ["no-cull", "flip", "opaque", "no-opaque"] },
      { "assembly": "pair", "place": { "scale": 2, "turn": [0, 1, 0, 45], "at": [0, 0, 1] } },
      { "mesh": "floor", "transform": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]] }
    ],
    "uniforms": {}, "buffers": {}, "push": {}, "images": {},
    "memory": { "block": { "floats": [1, 2], "words": [3] } }
  }
  Spheres and boxes are boxes: an intersection stage says what is within. Instead of "instances", "structures" has such
  lists by the names of acceleration structures. Resources go by name or binding, as for `chiaro run`; "&block" in them
  is the address of a block of "memory".
Pipeline:
  {
    "stages": { "gen": "gen.rgen", "sky": "sky.rmiss", "matte": { "file": "hit.rchit", "spec": { "0": 4 }, "define": { "N": 2 } } },
    "groups": { "wall": { "closest_hit": "matte", "any_hit": "holes" }, "ball": { "closest_hit": "matte", "intersection": "ball" } },
    "table": { "raygen": "gen", "miss": ["sky"], "hit": ["wall", { "group": "ball", "data": { "tint": [1, 0, 0] } }], "callable": [] },
    "libraries": ["materials.json"], "depth": 2, "strides": { "hit": 64 }
  }
  Stages of ray generation, misses and callables are groups by their own names. Without a table, every group has one record."#;

/// Keys of a scene.
const KEYS: [&str; 12] = [
    "pipeline",
    "size",
    "output",
    "meshes",
    "assemblies",
    "instances",
    "structures",
    "uniforms",
    "buffers",
    "push",
    "images",
    "memory",
];
/// The longest side of a picture.
const LONGEST: u32 = 4096;
/// Instructions that a run may take unless the user says.
const STEPS: u64 = 1 << 32;
/// Calls of functions that may be open for each ray that is under way.
const CALLS: usize = 64;
/// Bytes of stack for each of them: the interpreter calls itself.
const STACK: usize = 1 << 16;

/// Traces the scene.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let json = read_json(&options.scene, shell)?;
    let place = input::name(&options.scene);
    let wrong = |why: String| Diagnostic::error(None, format!("in `{place}`: {why}"));
    let top = Fields::of(&json, "scene", &KEYS).map_err(|why| shell.fail(wrong(why)))?;
    let size = size(&top, options.size).map_err(|why| shell.fail(wrong(why)))?;
    let (scene, structures) = ready(&top, &place, shell)?;
    let container = machine::container(&options.pipeline, shell)?;
    let given = options.pipeline.as_ref().filter(|_| container.is_none());
    let path = pipeline_path((given, &options.scene), &top, shell)?;
    let piped = pipeline::read(&path, &options.module, shell)?;
    let joined = joined(&piped);
    shell.report_all(check(&joined, &piped.pipeline));
    shell.check()?;
    let launch = Launch { options, size, scene: &scene, piped: &piped, joined: &joined };
    let results = launch.results(container, (&top, &structures), shell)?;
    let results: Vec<(Option<&Path>, &[u8])> =
        results.iter().map(|(path, bytes)| (path.as_deref(), bytes.as_slice())).collect();
    shell.write_all(&results)
}

/// All stages in one module.
pub fn joined(piped: &Piped) -> Joined {
    let modules = piped.modules.iter().map(|loaded| &loaded.module);
    let named: Vec<(&str, &Module)> = piped.pipeline.names.iter().map(String::as_str).zip(modules).collect();
    join(&named)
}

/// The scene made ready, with the names of its structures. What is odd is told.
fn ready(top: &Fields<'_>, place: &str, shell: &mut Shell) -> Result<(Scene, Vec<String>), Failure> {
    let read = scene::read(top);
    let bodies = read.map_err(|why| shell.fail(Diagnostic::error(None, format!("in `{place}`: {why}"))))?;
    let (names, structures): (Vec<String>, Vec<_>) = bodies.structures.into_iter().unzip();
    let told = |flaw: &chiaro_trace::Flaw| format!("in `{place}`: {flaw}");
    match Scene::new(bodies.meshes, structures) {
        Ok((scene, odd)) => {
            shell.report_all(odd.iter().map(|flaw| Diagnostic::warning(None, told(flaw))));
            Ok((scene, names))
        }
        Err(flaws) => {
            let wrong = flaws.iter().filter(|flaw| !flaw.harmless);
            shell.report_all(wrong.map(|flaw| Diagnostic::error(None, told(flaw))));
            Err(Failure::Input)
        }
    }
}

fn pipeline_path(
    (given, scene): (Option<&PathBuf>, &Path),
    top: &Fields<'_>,
    shell: &mut Shell,
) -> Result<PathBuf, Failure> {
    if let Some(path) = given {
        return Ok(path.clone());
    }
    let folder = scene.parent().unwrap_or(Path::new(""));
    match top.get("pipeline").and_then(Json::as_str) {
        Some(file) => Ok(folder.join(file)),
        None => Err(shell.misused("the scene names no pipeline", "name one with `--pipeline`")),
    }
}

/// Reads `WIDTHxHEIGHT`, for clap.
fn width_and_height(text: &str) -> Result<[u32; 2], String> {
    let side = |text: &str| text.parse().ok().filter(|n| (1..=LONGEST).contains(n));
    let sides = text.split_once('x').and_then(|(width, height)| Some([side(width)?, side(height)?]));
    sides.ok_or_else(|| format!("write it as 320x200, with numbers from 1 to {LONGEST}"))
}

/// What is launched: the scene's size, or the one that was asked for instead.
fn size(top: &Fields<'_>, asked: Option<[u32; 2]>) -> Result<[u32; 3], String> {
    if let Some([width, height]) = asked {
        return Ok([width, height, 1]);
    }
    let wrong = || format!("`size` must be two or three numbers from 1 to {LONGEST}");
    let mut size = [1; 3];
    let given = top.items("size")?;
    if !(2..=3).contains(&given.len()) {
        return Err(wrong());
    }
    for (to, json) in size.iter_mut().zip(given) {
        let number = json.as_u64().filter(|n| (1..=LONGEST.into()).contains(n));
        *to = number.ok_or_else(wrong)? as u32;
    }
    Ok(size)
}

/// All that a launch needs.
struct Launch<'a> {
    options: &'a Options,
    size: [u32; 3],
    scene: &'a Scene,
    piped: &'a Piped,
    joined: &'a Joined,
}

/// A file, or standard output, and what is written there.
type Written = (Option<PathBuf>, Vec<u8>);

impl Launch<'_> {
    /// Traces as the options say: the picture, the difference, the figures.
    fn results(
        &self,
        container: Option<(&'static dyn Target, Bytes)>,
        given: (&Fields<'_>, &[String]),
        shell: &mut Shell,
    ) -> Result<Vec<Written>, Failure> {
        let words = match (container, self.options.target) {
            (Some((target, bytes)), _) => Some((target, bytes.to_vec())),
            (None, Some(target)) => Some((target, self.compiled(target, shell)?)),
            (None, None) => None,
        };
        let (mut plain, mut text) = (None, String::new());
        if words.is_none() || self.options.compare {
            let (held, report) = self.run(given, shell)?;
            for fault in report.faults.iter().take(10) {
                shell.report(Diagnostic::warning(fault.span, fault.to_string()));
            }
            text += &figures(self.size, &report.rays);
            plain = Some(texels(&held));
        }
        let mut pictures = Vec::new();
        let traced = match words {
            Some((target, container)) => {
                let traced = self.simulated((target, &container), given, shell)?;
                if let Some(count) = traced.instructions {
                    text += &format!("executed {count} instructions of waves on the simulator\n");
                }
                traced.texels
            }
            None => plain.take().unwrap_or_default(),
        };
        pictures.push((self.options.output.clone(), images::encode_opaque(self.sides(), &traced)));
        if let Some(plain) = plain {
            let (count, rows) = difference(self.sides(), &traced, &plain);
            let name = self.options.output.with_extension("difference.png");
            pictures.push((name, images::encode_difference(self.sides(), &rows)));
            text +=
                &format!("{count} pixels differ from the interpreter's by more than half a step of 8 bits\n");
        }
        let mut results = vec![(None, text.into_bytes())];
        for (path, picture) in pictures {
            let wrong = |why| Diagnostic::error(None, format!("the picture cannot be written: {why}"));
            results.push((Some(path), picture.map_err(|why| shell.fail(wrong(why)))?));
        }
        Ok(results)
    }

    fn sides(&self) -> [u32; 2] {
        [self.size[0], self.size[1]]
    }

    /// Launches all invocations. Rays within rays are calls within calls of the interpreter, so that the run has a
    /// stack of its own.
    fn run(&self, given: (&Fields<'_>, &[String]), shell: &mut Shell) -> Result<(Held, Report), Failure> {
        let depth = CALLS * (self.piped.pipeline.depth as usize + 2);
        let stack = depth * STACK;
        let outcome = std::thread::scope(|scope| {
            let work = std::thread::Builder::new().stack_size(stack);
            let running = work.spawn_scoped(scope, || self.launch(given, depth, shell)).ok()?;
            match running.join() {
                Ok(outcome) => Some(outcome),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        });
        outcome.unwrap_or_else(|| {
            let message = format!("there are no {stack} bytes for the stack of the run");
            Err(shell.fail(Diagnostic::error(None, message).help("lower `depth` in the pipeline")))
        })
    }

    fn launch(
        &self,
        (top, structures): (&Fields<'_>, &[String]),
        depth: usize,
        shell: &mut Shell,
    ) -> Result<(Held, Report), Failure> {
        let Launch { options, size, scene, piped, joined } = *self;
        let Some(entry) = joined.module.entries.first() else { return Err(Failure::Input) };
        let mut interpreter = Interpreter::new(&joined.module, entry);
        interpreter.options.fuel = options.max_steps.unwrap_or(STEPS);
        interpreter.options.depth = depth;
        interpreter.aliases.clone_from(&joined.aliases);
        let from = (top, options.scene.as_path());
        let made =
            resources::set(from, (piped, joined), (size, structures), &mut interpreter, &mut shell.inputs);
        let mut held = made.map_err(|why| {
            let place = input::name(&options.scene);
            shell.fail(Diagnostic::error(None, format!("in `{place}`: {why}")))
        })?;
        let stages = Some(Stages { pipeline: &piped.pipeline, parts: joined.parts.clone() });
        interpreter.world = Some(World { scene, structures: held.structures.clone(), stages });
        let report = interpreter.trace(size, &mut held.textures);
        let report = report.map_err(|fault| shell.fail(Diagnostic::error(fault.span, fault.to_string())))?;
        Ok((held, report))
    }
}

/// The picture that the interpreter has left.
fn texels(held: &Held) -> Vec<[f32; 4]> {
    let texels = held.textures.textures.get(&held.picture).map_or(&[][..], |texture| &texture.texels);
    texels.iter().map(|texel| texel.map(|bits| f32::from_bits(bits as u32))).collect()
}

/// How many pixels differ by more than half a step of eight bits, and by how much each does.
fn difference([width, _]: [u32; 2], a: &[[f32; 4]], b: &[[f32; 4]]) -> (usize, Vec<Vec<f32>>) {
    let apart = |(a, b): (&[f32; 4], &[f32; 4])| {
        let channels = a.iter().zip(b).take(3);
        channels.map(|(a, b)| (a.clamp(0.0, 1.0) - b.clamp(0.0, 1.0)).abs()).fold(0.0, f32::max)
    };
    let all: Vec<f32> = a.iter().zip(b).map(apart).collect();
    let count = all.iter().filter(|d| d.is_nan() || **d > 0.5 / 255.0).count();
    (count, all.chunks(width.max(1) as usize).map(<[f32]>::to_vec).collect())
}

/// What rays did, as lines.
fn figures(size: [u32; 3], rays: &Counts) -> String {
    let launched: u64 = size.iter().map(|n| u64::from(*n)).product();
    let calls = [
        ("closest-hit", rays.closest_hit),
        ("miss", rays.miss),
        ("any-hit", rays.any_hit),
        ("intersection", rays.intersection),
        ("callable", rays.callable),
    ];
    let calls: Vec<String> = calls.iter().map(|(name, count)| format!("{count} {name}")).collect();
    format!(
        "launched {launched}\nrays     {}, at most {} one within the other\nqueries  {}\ncalls    {}\n",
        rays.rays,
        rays.depth,
        rays.queries,
        calls.join(", ")
    )
}
