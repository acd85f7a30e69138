//! A pipeline on a target's simulator: the kernel that it becomes, what that is given, what it leaves.

use std::path::PathBuf;

use chiaro::trace::fields::Fields;
use chiaro::trace::kernel::{Choice, Form, GROUP, Kernel, LAUNCH, kernel, name_of};
use chiaro::{
    CompileOptions, Image, Inputs, Interface, Shader, SimulateOptions, Simulated, Target, Value, Work,
};
use chiaro_diag::Diagnostic;
use chiaro_ir::interp::{Handle, Interpreter};
use chiaro_ir::rays::trap;
use chiaro_ir::{GlobalRef, Module, Space, Type};
use chiaro_opt::Cx;
use chiaro_sim::texture::Texture;
use chiaro_trace::Group;
use serde_json::Value as Json;

use super::Launch;
use super::resources::{self, Held};
use crate::input::{self, Bytes};
use crate::shell::{Failure, Shell};

/// The setting that says how often a function may be open at once, or several together.
const RECURSION: &str = "recursion";
/// The setting that names a function which stays one.
const CALLABLE: &str = "callable";

/// A picture of a simulator.
pub struct Traced {
    pub texels: Vec<[f32; 4]>,
    pub instructions: Option<u64>,
}

impl Launch<'_> {
    /// Compiles the pipeline for a target: one kernel with all stages in it.
    pub fn compiled(&self, target: &dyn Target, shell: &mut Shell) -> Result<Vec<u8>, Failure> {
        let settings = self.options.stages.settings(&self.options.assumptions);
        let settings = (&settings[..], self.options.stages.form());
        compiled(target, self.joined, &self.piped.pipeline, settings, shell)
    }

    /// Runs a container on a target's simulator.
    pub fn simulated(
        &self,
        (target, container): (&'static dyn Target, &[u8]),
        given: (&Fields<'_>, &[String]),
        shell: &mut Shell,
    ) -> Result<Traced, Failure> {
        let (inputs, picture) = self.inputs(target, given, shell)?;
        let options =
            SimulateOptions { shared: true, max_steps: self.options.max_steps, ..SimulateOptions::default() };
        let mut made = shell.taken(target.simulate(container, &inputs, &options))?;
        shell.report_all(std::mem::take(&mut made.remarks));
        let deep = made
            .faults
            .iter()
            .filter_map(|fault| Some((self.launched(fault.invocation), self.too_deep(fault)?)));
        if let Some((_, wrong)) = deep.min_by_key(|([x, y, z], _)| [*z, *y, *x]) {
            return Err(shell.fail(wrong));
        }
        for fault in made.faults.iter().take(10) {
            let (invocation, at) = (fault.invocation, fault.at);
            let told = format!("invocation {invocation}, instruction {at}: {}", fault.cause);
            shell.report(Diagnostic::warning(None, told));
        }
        let instructions = made.instructions;
        let texels = written(made, &picture).unwrap_or_else(|| {
            match inputs.resources.into_iter().find(|(n, _)| *n == picture) {
                Some((_, Value::Image(image))) => image.texels,
                _ => Vec::new(),
            }
        });
        Ok(Traced { texels, instructions })
    }

    /// A ray or a callable that is deeper than there is room for, as the interpreter says it.
    fn too_deep(&self, fault: &chiaro::Fault) -> Option<Diagnostic> {
        let found = fault.trap.as_ref()?;
        let pipeline = &self.piped.pipeline;
        let raygen = pipeline.table.raygen.group.and_then(|group| match pipeline.groups.get(group)? {
            Group::General(stage) => pipeline.names.get(*stage).map(String::as_str),
            _ => None,
        });
        // Behind the kernel, in which the stage of the launch is, stand functions of stages and searches.
        let called = found.chain.iter().skip(1).filter_map(|name| stage_of(name, &pipeline.names));
        let stages: Vec<&str> = raygen.into_iter().chain(called).collect();
        let is_called = found.chain.len() > 1;
        let depth = pipeline.depth as usize;
        // Each of the stages has a ray on the way, and the last one wants another.
        let room = if is_called { stages.len().saturating_sub(1) } else { depth };
        let what = match found.number {
            trap::RAYS if room < depth => trap::ray_without_room(room),
            trap::RAYS => trap::ray_too_deep(depth),
            trap::CALLABLES => trap::callable_too_deep(),
            _ => return None,
        };
        let wrong = Diagnostic::error(None, trap::told(&what, self.launched(fault.invocation), &stages));
        let help = "the stages are written out; `--stages called` tells the way there";
        Some(if is_called { wrong } else { wrong.help(help) })
    }

    /// The launch of an invocation, which are counted group by group.
    fn launched(&self, invocation: u64) -> [u32; 3] {
        let threads = u64::from(GROUP.iter().product::<u32>());
        let groups: [u64; 3] = std::array::from_fn(|n| self.size[n].div_ceil(GROUP[n]).into());
        let (group, thread) = (invocation / threads, invocation % threads);
        let at = [group % groups[0], group / groups[0] % groups[1], group / (groups[0] * groups[1])];
        let [width, height, _] = GROUP.map(u64::from);
        let inside = [thread % width, thread / width % height, thread / (width * height)];
        std::array::from_fn(|n| (at[n] * u64::from(GROUP[n]) + inside[n]) as u32)
    }

    /// What the kernel is given, and the name of the image that becomes the picture.
    fn inputs(
        &self,
        target: &dyn Target,
        (top, structures): (&Fields<'_>, &[String]),
        shell: &mut Shell,
    ) -> Result<(Inputs, String), Failure> {
        let module = &self.joined.module;
        let wrong = |why: String| {
            let place = input::name(&self.options.scene);
            Diagnostic::error(None, format!("in `{place}`: {why}"))
        };
        let Some(entry) = module.entries.first() else { return Err(Failure::Input) };
        let mut interpreter = Interpreter::new(module, entry);
        let from = (top, self.options.scene.as_path());
        let stages = (self.piped, self.joined);
        let held = resources::set(from, stages, (self.size, structures), &mut interpreter, &mut shell.inputs);
        let held = held.map_err(|why| shell.fail(wrong(why)))?;
        let mut all = vec![(LAUNCH.to_owned(), Value::Bytes(words(&self.size)))];
        all.extend(buffers(self, &interpreter));
        for (handle, texture) in &held.textures.textures {
            all.push((image_name(module, *handle), Value::Image(image(&held, *handle, texture))));
        }
        for g in globals(module).filter(|g| is_structure(module, *g)) {
            let joint = self.joined.aliases.get(&g).copied().unwrap_or(g);
            let handle = Handle { global: joint, element: 0 };
            let number = held.structures.get(&handle).copied().unwrap_or(0);
            let tree = shell.taken(target.structure(self.scene, number))?;
            all.push((module.global(g).name.clone(), Value::Bytes(tree)));
        }
        let blocks = held.blocks.iter();
        all.extend(blocks.map(|(at, bytes)| (format!("memory:{at:#x}"), Value::Bytes(bytes.clone()))));
        let groups = std::array::from_fn(|n| self.size[n].div_ceil(GROUP[n]));
        let inputs = Inputs { resources: all, work: Work::Dispatch(groups) };
        Ok((inputs, image_name(module, held.picture)))
    }
}

/// What becomes of stages on a machine.
#[derive(clap::Args)]
pub struct Stages {
    /// Whether stages are functions that are called, or written out at every place that traces; what
    /// costs less without it.
    #[arg(long, value_name = "FORM")]
    stages: Option<StageForm>,
    /// Prove over the words that each function keeps its contract, and tell which instruction is
    /// not proven.
    #[arg(long)]
    verify: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum StageForm {
    Called,
    Inlined,
}

impl Stages {
    /// The form that was chosen.
    pub fn form(&self) -> Option<Form> {
        self.stages.map(|form| match form {
            StageForm::Called => Form::Called,
            StageForm::Inlined => Form::Inlined,
        })
    }

    /// Settings of the target with what is asked for here.
    pub fn settings(&self, given: &[(String, String)]) -> Vec<(String, String)> {
        let proofs = self.verify.then(|| ("contracts".to_owned(), "on".to_owned()));
        proofs.into_iter().chain(given.iter().cloned()).collect()
    }
}

/// The stage that a function was made of, whose name it has with a number behind.
fn stage_of<'a>(function: &str, stages: &'a [String]) -> Option<&'a str> {
    let (name, _) = function.rsplit_once('.')?;
    stages.iter().find(|stage| *stage == name).map(String::as_str)
}

/// Compiles a pipeline for a target, by settings of that and in a form.
pub fn compiled(
    target: &dyn Target,
    joined: &chiaro::trace::Joined,
    pipeline: &chiaro_trace::Pipeline,
    (settings, form): (&[(String, String)], Option<Form>),
    shell: &mut Shell,
) -> Result<Vec<u8>, Failure> {
    if let Some((_, name)) = settings.iter().find(|(key, _)| key == CALLABLE) {
        let message = format!("`{CALLABLE}={name}`: the functions of a pipeline are its stages");
        return Err(shell.misused(message, "leave it out; `--stages called` makes every stage a function"));
    }
    let asked = settings.iter().rfind(|(key, value)| key == RECURSION && !value.contains(','));
    let recursion = asked.and_then(|(_, value)| value.parse().ok());
    let kernel = shell.taken(kernel(joined, pipeline, Choice { form, recursion }, &mut Cx::default()))?;
    let Kernel { module, kept, depth, together, misses } = kernel;
    if misses {
        let message = "written out, stages may be missing: callables more than three deep within each other, and stages \
                       that declare what is handed over in another type";
        shell.report(Diagnostic::warning(None, message).help("`--stages called` has all of them"));
    }
    let interface = Interface::default();
    let shader = [Shader { module: &module, interface: &interface }];
    // What the user says comes behind, and counts.
    let depth = (!kept.is_empty()).then(|| (RECURSION.to_owned(), depth.to_string()));
    let together =
        together.map(|(names, most)| (RECURSION.to_owned(), format!("{most},{}", names.join(","))));
    let kept = kept.into_iter().map(|name| (CALLABLE.to_owned(), name));
    let settings = kept.chain(depth).chain(together).chain(settings.iter().cloned()).collect();
    let options = CompileOptions { settings, container_only: true, ..CompileOptions::default() };
    let made = target.compile(&shader, &options, &shell.sources, &mut Cx::default());
    let made = shell.taken(made)?;
    shell.report_all(made.remarks);
    Ok(made.container)
}

fn globals(module: &Module) -> impl Iterator<Item = GlobalRef> + use<> {
    (0..module.globals.len() as u32).map(GlobalRef)
}

fn words(all: &[u32]) -> Vec<u8> {
    all.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Buffers by the names that they have in the kernel: variables of one binding have the same bytes.
fn buffers(launch: &Launch<'_>, interpreter: &Interpreter<'_>) -> Vec<(String, Value)> {
    let module = &launch.joined.module;
    let of = |g: GlobalRef| {
        let global = module.global(g);
        let joint = launch.joined.aliases.get(&g).copied().unwrap_or(g);
        let bytes = interpreter.bytes(joint)?;
        let held = matches!(global.space, Space::Uniform | Space::Storage | Space::PushConstant);
        held.then(|| (name_of(global), Value::Bytes(bytes.to_vec())))
    };
    globals(module).filter_map(of).collect()
}

fn is_structure(module: &Module, g: GlobalRef) -> bool {
    *module.types.get(module.global(g).ty) == Type::AccelerationStructure
}

/// The name of an image in the kernel; one of an array has its number.
fn image_name(module: &Module, handle: Handle) -> String {
    let global = module.global(handle.global);
    match module.types.get(global.ty) {
        Type::Array(..) | Type::RuntimeArray(..) => format!("{}[{}]", global.name, handle.element),
        _ => global.name.clone(),
    }
}

/// An image of the store as a target takes it.
fn image(held: &Held, handle: Handle, texture: &Texture) -> Image {
    let floats = |texels: &[chiaro_sim::texture::Texel]| -> Vec<[f32; 4]> {
        texels.iter().map(|texel| texel.map(|bits| f32::from_bits(bits as u32))).collect()
    };
    Image {
        size: texture.size,
        texels: floats(&texture.texels),
        smaller: texture.smaller.iter().map(|level| floats(&level.texels)).collect(),
        sampler: held.textures.samplers.get(&handle).copied().unwrap_or_default(),
        ..Image::default()
    }
}

fn written(made: Simulated, picture: &str) -> Option<Vec<[f32; 4]>> {
    made.resources.into_iter().find_map(|(name, value)| match value {
        Value::Image(image) if name == picture => Some(image.texels),
        _ => None,
    })
}

/// What `--pipeline` names: a container of a target, or nothing if it is a pipeline of JSON. A container whose kernel does
/// not ask for the size of the launch was not made of a pipeline.
pub fn container(
    path: &Option<PathBuf>,
    shell: &mut Shell,
) -> Result<Option<(&'static dyn Target, Bytes)>, Failure> {
    let Some(path) = path else { return Ok(None) };
    let bytes = shell.read(path)?;
    let found = chiaro::TARGETS.iter().find(|target| target.has_container(&bytes));
    let Some(target) = found else { return Ok(None) };
    let told = target.info_json(&bytes, false).map_err(|why| shell.fail(*why))?;
    if !names(&told, LAUNCH) {
        let message = format!("`{}` is not made of a pipeline: it has no `{LAUNCH}`", input::name(path));
        let help = "`chiaro pipeline PIPELINE.json -o OUT` makes one, or name the pipeline itself";
        return Err(shell.fail(Diagnostic::error(None, message).help(help)));
    }
    Ok(Some((target, bytes)))
}

/// Whether a text stands anywhere in what a container holds.
fn names(told: &Json, text: &str) -> bool {
    match told {
        Json::String(found) => found == text,
        Json::Array(all) => all.iter().any(|told| names(told, text)),
        Json::Object(all) => all.values().any(|told| names(told, text)),
        _ => false,
    }
}
