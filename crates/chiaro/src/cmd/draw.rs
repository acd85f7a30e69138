//! `chiaro draw`: a vertex and a fragment program over a mesh, as a picture.

use std::path::{Path, PathBuf};

use chiaro::draw::{
    Compare, Compiled, Cull, Drawn, FragmentInterface, Interpreted, Mixing, Scene, Stage as Run, difference,
    draw, locate,
};
use chiaro::{Attributes, Bound, CompileOptions, Kind, LoadedModule, SimulateOptions, Stage, Target, Value};
use chiaro_diag::Diagnostic;
use chiaro_ir::{Module, Space, Ty, Type};
use chiaro_opt::Cx;
use clap::Args;
use serde_json::{Map, Value as Json};

use crate::choices::Choices;
use crate::cli;
use crate::cmd::run::{inputs, read_json};
use crate::images;
use crate::input::{self, Bytes};
use crate::shell::{Failure, Shell};

/// Draw a mesh with a vertex and a fragment shader on a target's simulator, or on the interpreter
/// where no target is named; stages that the target does not have run on the interpreter.
#[derive(Args)]
#[command(after_long_help = SCENE)]
pub struct Options {
    /// The scene; names of files in it count from its folder.
    scene: PathBuf,
    /// Whose simulator draws.
    #[arg(long, value_parser = cli::targets())]
    target: Option<cli::TargetName>,
    /// The picture, a PNG.
    #[arg(short, long, value_name = "OUT.png")]
    output: PathBuf,
    /// Also draw on the interpreter, and write the difference beside the picture: black where there
    /// is none, blue below a step of eight bits, red to yellow above.
    #[arg(long)]
    compare: bool,
    /// Number mode; `chiaro targets` lists those of each target.
    #[arg(long)]
    mode: Option<String>,
    /// Sets what the hardware's documents leave open; `chiaro targets --assumptions` lists them.
    #[arg(short = 'm', value_name = "KEY=VALUE", value_parser = cli::key_value)]
    assumptions: Vec<(String, String)>,
    #[command(flatten)]
    module: Choices,
}

/// The shape of a scene, for the help text.
const SCENE: &str = r#"Scene:
  {
    "vertex": "cube.vert", "fragment": "cube.frag",
    "size": [256, 256], "samples": 4, "clear": [0, 0, 0, 1],
    "depth": "less", "cull": "none", "front": "counter-clockwise",
    "topology": "triangles", "indices": [0, 1, 2],
    "vertices": [ { "position": [-1, -1, 0] }, { "position": [1, -1, 0] }, { "position": [0, 1, 0] } ],
    "uniforms": { "tint": [1, 0, 0, 1] },
    "images": { "t": { "file": "t.png", "filter": "linear", "mip": "linear", "wrap": "repeat", "levels": true } }
  }
  Containers of the target may stand in place of shaders; "sources": ["cube.vert", "cube.frag"] are then what
  `--compare` draws.
  Instead of "vertices": "attributes": { "position": [[-1, -1, 0], [1, -1, 0], [0, 1, 0]] }. Positions are
  OpenGL's: y goes up, depth from -w to w."#;

/// What a scene may have at its top, beside resources.
const KEYS: [&str; 13] = [
    "vertex",
    "fragment",
    "sources",
    "size",
    "samples",
    "clear",
    "depth",
    "cull",
    "front",
    "topology",
    "indices",
    "vertices",
    "attributes",
];
/// Resources of a scene.
const RESOURCES: [&str; 3] = ["uniforms", "buffers", "images"];
/// The longest side of a picture.
const LONGEST: u32 = 4096;

/// Draws the scene.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let json = read_json(&options.scene, shell)?;
    let read = scene(&json, &mut images::opener(&options.scene, &mut shell.inputs));
    let (scene, files) = read.map_err(|why| {
        let message = format!("in `{}`: {why}", input::name(&options.scene));
        shell.fail(Diagnostic::error(None, message))
    })?;
    let folder = options.scene.parent().unwrap_or(Path::new(""));
    let files = files.map(|file| folder.join(file));
    let sources = sources(&json).map(|all| all.map(|file| folder.join(file)));
    let files = read_both(files, shell)?;
    let target = options.target.filter(|target| files.iter().all(|(_, bytes)| target.has_container(bytes)));
    let (containers, shaders) = match target {
        Some(target) => (Some((target, files)), sources.map(|files| read_both(files, shell)).transpose()?),
        None => (None, Some(files)),
    };
    let stages = match shaders {
        Some(files) => load_both(options, files, shell)?,
        None => Vec::new(),
    };
    let modules = if stages.is_empty() { None } else { Some(both(&stages, shell)?) };
    let drawn = match (&containers, modules) {
        (Some((target, bytes)), _) => draw_containers(options, *target, &scene, bytes, modules, shell)?,
        (None, Some(modules)) => {
            draw_with((options, options.target), &scene, modules, &Mixing::default(), shell)?
        }
        (None, None) => return Err(Failure::Input),
    };
    let mut results = vec![(options.output.clone(), encoded(images::encode(&drawn.pixels), shell)?)];
    if options.compare {
        let Some(modules) = modules else {
            return Err(shell.misused("there is nothing to compare with", "name `sources` in the scene"));
        };
        // What is linked to a program is done with the interpreter's colours, too.
        let after = containers
            .as_ref()
            .and_then(|(target, [_, (_, fragment)])| target.merge(fragment, &scene.resources));
        let fine_derivatives = options.target.is_some_and(|target| options.has_fine_derivatives(target));
        let mixing = Mixing { by_program: false, after, fine_derivatives };
        let plain = draw_with((options, None), &scene, modules, &mixing, shell)?;
        let difference = difference(&drawn.pixels, &plain.pixels);
        let picture = images::encode_difference(scene.size, &difference.rows);
        results.push((beside(&options.output), encoded(picture, shell)?));
        let text = format!(
            "{} of {} pixels differ from the interpreter's by more than half a step of 8 bits; the greatest difference is {}\n",
            difference.pixels,
            scene.size[0] * scene.size[1],
            difference.most
        );
        shell.write(None, text.as_bytes())?;
    }
    for fault in &drawn.faults {
        shell.report(Diagnostic::warning(None, fault.clone()));
    }
    let results: Vec<(Option<&Path>, &[u8])> =
        results.iter().map(|(path, bytes)| (Some(path.as_path()), bytes.as_slice())).collect();
    shell.write_all(&results)
}

impl Options {
    /// How programs are simulated, which the target has to understand.
    fn simulation(
        &self,
        target: Option<&'static dyn Target>,
        shell: &mut Shell,
    ) -> Result<SimulateOptions, Failure> {
        let simulation = SimulateOptions {
            mode: self.mode.clone(),
            assumptions: self.assumptions.clone(),
            ..SimulateOptions::default()
        };
        match target.map(|target| target.check_simulation(&simulation)) {
            Some(checked) => shell.taken(checked).map_err(|_| Failure::Usage).map(|()| simulation),
            None => Ok(simulation),
        }
    }

    /// Whether derivatives are assumed to be those of each row and column, where the sources of the hardware leave
    /// it open.
    fn has_fine_derivatives(&self, target: &dyn Target) -> bool {
        const NAME: &str = "derivatives";
        let Some(known) = target.assumptions().iter().find(|known| known.name == NAME) else { return false };
        let said = self.assumptions.iter().rev().find(|(name, _)| name == NAME);
        let value = said.map_or_else(|| known.values.split(' ').next(), |(_, value)| Some(value.as_str()));
        value == Some("fine")
    }
}

fn encoded(result: Result<Vec<u8>, String>, shell: &mut Shell) -> Result<Vec<u8>, Failure> {
    result.map_err(|why| shell.fail(Diagnostic::error(None, format!("the picture cannot be written: {why}"))))
}

/// `out.png` to `out.difference.png`.
fn beside(path: &Path) -> PathBuf {
    path.with_extension("difference.png")
}

/// The vertex and the fragment stage.
fn both<'a>(stages: &'a [LoadedModule], shell: &mut Shell) -> Result<[&'a LoadedModule; 2], Failure> {
    let of = |stage: Stage| stages.iter().find(|s| s.module.entries.iter().any(|e| e.stage == stage));
    match (of(Stage::Vertex), of(Stage::Fragment)) {
        (Some(vertex), Some(fragment)) => Ok([vertex, fragment]),
        (None, _) => Err(shell.fail(Diagnostic::error(None, "`vertex` names no vertex shader"))),
        _ => Err(shell.fail(Diagnostic::error(None, "`fragment` names no fragment shader"))),
    }
}

/// The shaders that containers were made of, where the scene names them.
fn sources(json: &Json) -> Option<[String; 2]> {
    let all = json.get("sources")?.as_array()?;
    let name = |n: usize| all.get(n).and_then(Json::as_str).map(str::to_owned);
    Some([name(0)?, name(1)?])
}

/// A file that was read.
type Read = (PathBuf, Bytes);

/// Reads both files.
fn read_both([vertex, fragment]: [PathBuf; 2], shell: &mut Shell) -> Result<[Read; 2], Failure> {
    let [first, second] = [shell.read(&vertex)?, shell.read(&fragment)?];
    Ok([(vertex, first), (fragment, second)])
}

/// Reads both shaders; of a module with several entry points what the one of the stage needs.
fn load_both(options: &Options, files: [Read; 2], shell: &mut Shell) -> Result<Vec<LoadedModule>, Failure> {
    let mut all = options.module.load_read(files.clone(), shell)?;
    if all.len() != files.len() {
        return Ok(all);
    }
    for ((module, stage), (path, bytes)) in all.iter_mut().zip([Stage::Vertex, Stage::Fragment]).zip(files) {
        let entries = &module.module.entries;
        let own = entries.iter().find(|entry| entry.stage == stage).filter(|_| entries.len() > 1);
        if let Some((entry, language)) = own.zip(options.module.language(&path, &bytes)) {
            let wanted = options.module.module_options(Some(entry.name.clone()));
            *module = options.module.load(&path, bytes, language, &wanted, None, shell)?;
        }
    }
    Ok(all)
}

/// Draws with programs of a target; attributes have the names of the sources, if there are some. What is left to
/// a driver, the target adds.
fn draw_containers(
    options: &Options,
    target: &'static dyn Target,
    scene: &Scene,
    [(_, vertex), (_, fragment)]: &[Read; 2],
    modules: Option<[&LoadedModule; 2]>,
    shell: &mut Shell,
) -> Result<Drawn, Failure> {
    let simulation = options.simulation(Some(target), shell)?;
    let mut scene = scene.clone();
    if let Some([vertex, _]) = modules {
        let placed = by_location(&vertex.module, &mut scene.vertices);
        placed.map_err(|why| shell.fail(Diagnostic::error(None, why)))?;
    }
    let whole = shell.taken(target.drawn(fragment, scene.samples))?;
    let mixing = Mixing { by_program: whole.is_some(), ..Mixing::default() };
    let fragment: &[u8] = whole.as_deref().unwrap_or(fragment);
    let resources = scene.resources.clone();
    let stage = |container| Compiled {
        target,
        container,
        names: &[],
        resources: &resources,
        options: simulation.clone(),
    };
    let interface = FragmentInterface::of_container(target.varyings(fragment));
    shell.taken(draw(&scene, &mut stage(vertex), &mut stage(fragment), &interface, &mixing))
}

/// Calls attributes by their locations; those of integers become integers, which a program does not say.
fn by_location(module: &Module, vertices: &mut Attributes) -> Result<(), String> {
    let inputs = || module.globals.iter().filter(|global| global.space == Space::Input);
    for (name, column) in &mut vertices.columns {
        let Some(global) = inputs().find(|global| global.name == *name) else { continue };
        if let Some(kind) = integers(module, global.ty) {
            let bits =
                |words: Vec<u32>| Value::List(words.into_iter().map(|w| Value::Bits(w.into())).collect());
            let values: Result<Vec<Value>, String> =
                column.values().iter().map(|value| value.words(name, kind).map(bits)).collect();
            *column = values?.into();
        }
        if let Some(location) = global.binding.location {
            *name = format!("attribute{location}");
        }
    }
    Ok(())
}

/// What the components of a type are, if they are integers.
fn integers(module: &Module, ty: Ty) -> Option<Kind> {
    let scalar = module.types.part(ty, 0).unwrap_or(ty);
    matches!(module.types.get(scalar), Type::Int(_)).then_some(Kind::Int(32))
}

/// Draws on a target, or on the interpreter.
fn draw_with(
    (options, target): (&Options, Option<&'static dyn Target>),
    scene: &Scene,
    [vertex, fragment]: [&LoadedModule; 2],
    mixing: &Mixing,
    shell: &mut Shell,
) -> Result<Drawn, Failure> {
    let mut machines = Vec::new();
    let mut located = [vertex.clone(), fragment.clone()];
    if let ([first, second], Some(_)) = (&mut located, target) {
        locate(&mut first.module, &mut second.module);
    }
    let [vertex, fragment] = &located;
    for module in [vertex, fragment] {
        let stage = module.module.entries[0].stage;
        let container = match target.filter(|t| t.about().stages.contains(&stage)) {
            Some(target) => Some((target, container(target, module, shell)?)),
            None => None,
        };
        machines.push((module, container));
    }
    if let [(_, Some((target, (first, names)))), (_, Some((_, (second, _))))] = &machines[..]
        && names.is_empty()
    {
        // Programs without names of variables meet by what their containers say.
        let files = [first, second].map(|bytes| (PathBuf::new(), Bytes::from(bytes.clone())));
        return draw_containers(options, *target, scene, &files, Some([vertex, fragment]), shell);
    }
    let simulation = options.simulation(target, shell)?;
    let mut stages: Vec<Box<dyn Run + '_>> = Vec::new();
    for (module, container) in &machines {
        stages.push(match container {
            Some((target, (container, names))) => Box::new(Compiled {
                target: *target,
                container,
                names,
                resources: &scene.resources,
                options: simulation.clone(),
            }),
            None => {
                let made = shell.taken(Interpreted::new(&module.module, &scene.resources))?;
                Box::new(made.with_derivatives(mixing.fine_derivatives))
            }
        });
    }
    let interface = FragmentInterface::of(&fragment.module);
    let [vertex, fragment] = &mut stages[..] else { return Err(Failure::Input) };
    shell.taken(draw(scene, vertex.as_mut(), fragment.as_mut(), &interface, mixing))
}

/// Places of outputs, and what the source calls them.
type Outputs = Vec<(String, String)>;

/// Compiles a stage for a target: the container, and the places of outputs with their names.
fn container(
    target: &dyn Target,
    module: &LoadedModule,
    shell: &mut Shell,
) -> Result<(Vec<u8>, Outputs), Failure> {
    let shader = [module.shader()];
    let made = target.compile(&shader, &CompileOptions::default(), &shell.sources, &mut Cx::default());
    let made = shell.taken(made)?;
    shell.report_all(made.remarks);
    let outputs = made.report.variables.into_iter().filter(|bound| bound.kind == "output");
    // What an output is for stands behind its registers.
    let place = |place: &str| place.split([' ', ',']).next().unwrap_or_default().to_owned();
    // Whatever the source calls the position, it is that.
    let name = |bound: &Bound| match bound.place.ends_with(", position") {
        true => "gl_Position".to_owned(),
        false => bound.name.clone(),
    };
    let names = outputs.map(|bound| (place(&bound.place), name(&bound))).collect();
    Ok((made.container, names))
}

/// Takes a scene apart: the scene, and the files of both shaders.
fn scene(json: &Json, open: &mut images::OpenImage<'_>) -> Result<(Scene, [String; 2]), String> {
    let top = inputs::object(json, "scene")?;
    let known = |key: &&String| !KEYS.contains(&key.as_str()) && !RESOURCES.contains(&key.as_str());
    if let Some(key) = top.keys().find(known) {
        let all: Vec<&str> = KEYS.iter().chain(&RESOURCES).copied().collect();
        return Err(format!("there is `{key}`, but only {} are known", all.join(", ")));
    }
    let file = |key: &str| {
        top.get(key)
            .and_then(Json::as_str)
            .map(str::to_owned)
            .ok_or_else(|| format!("`{key}` must name a shader"))
    };
    let mesh = inputs::draw(top)?;
    let size = mesh.size;
    if size.iter().any(|n| *n == 0 || *n > LONGEST) {
        return Err(format!("`size` is {} by {}; sides are 1 to {LONGEST}", size[0], size[1]));
    }
    let count = mesh.vertices.count;
    if let Some(index) = mesh.indices.iter().find(|n| **n as usize >= count) {
        return Err(format!("`indices` has {index}, and there are {count} vertices"));
    }
    let scene = Scene {
        vertices: mesh.vertices,
        indices: mesh.indices,
        topology: mesh.topology,
        size,
        samples: samples(top)?,
        cull: named(top, "cull", &[("none", Cull::None), ("back", Cull::Back), ("front", Cull::Front)])?,
        clockwise: named(top, "front", &[("counter-clockwise", false), ("clockwise", true)])?,
        depth: named(top, "depth", &depths())?,
        clear: colour(top.get("clear"))?,
        resources: inputs::resources(top, open)?,
    };
    Ok((scene, [file("vertex")?, file("fragment")?]))
}

/// Comparisons by name, the usual one first.
fn depths() -> Vec<(&'static str, Compare)> {
    let mut all = vec![("less", Compare::Less)];
    all.extend(Compare::NAMES.iter().filter(|(name, _)| *name != "less"));
    all
}

fn samples(top: &Map<String, Json>) -> Result<u32, String> {
    match top.get("samples").map(Json::as_u64) {
        None | Some(Some(1)) => Ok(1),
        Some(Some(n @ (2 | 4))) => Ok(n as u32),
        _ => Err("`samples` is 1, 2 or 4".to_owned()),
    }
}

fn named<T: Copy>(top: &Map<String, Json>, key: &str, names: &[(&str, T)]) -> Result<T, String> {
    let Some(value) = top.get(key) else { return Ok(names[0].1) };
    let found = names.iter().find(|(name, _)| value.as_str() == Some(*name));
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        format!("`{key}` cannot be {value}; it is one of {}", known.join(", "))
    })
}

fn colour(value: Option<&Json>) -> Result<[f32; 4], String> {
    let wrong = || "`clear` must be four numbers".to_owned();
    let Some(value) = value else { return Ok([0.0, 0.0, 0.0, 1.0]) };
    let items = value.as_array().filter(|items| items.len() == 4).ok_or_else(wrong)?;
    let mut colour = [0.0; 4];
    for (to, from) in colour.iter_mut().zip(items) {
        *to = from.as_f64().ok_or_else(wrong)? as f32;
    }
    Ok(colour)
}
