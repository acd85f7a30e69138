//! Shaders of a source, compiled and linked, and run by the names that the source has: as a user of the command does.

use chiaro_agx::Agx;
use chiaro_agx::container::file::{File, Held, What};
use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_ir::{Global, ImageType, Module, Space, Stage, Ty};
use chiaro_opt::Cx;
use chiaro_sim::texture::{Sampler, Shape, Texture};
use chiaro_target::simulate::Column;
use chiaro_target::value::Image;
use chiaro_target::{
    CompileOptions, Inputs, Interface, KeyText, Output, Piece, Shader, SimulateOptions, Simulated, Target,
    Value, Work,
};
use serde_json::{Value as Json, json};

/// Lanes of a fragment.
pub(super) const QUAD: usize = 4;

/// A program in a container.
pub(super) struct Program {
    container: Vec<u8>,
    file: File,
}

impl Program {
    /// The code of a module's entry point, which keeps the rules; fragments with an epilog that stores every colour in
    /// words.
    pub(super) fn of(module: &Module) -> Result<Program, String> {
        Program::of_samples(module, 1)
    }

    /// The same where pixels have so many samples.
    pub(super) fn of_samples(module: &Module, samples: usize) -> Result<Program, String> {
        let interface = Interface::default();
        let shader = Shader { module, interface: &interface };
        let mut cx = Cx { verify: true, ..Cx::default() };
        let made = Agx.compile(&[shader], &CompileOptions::default(), &SourceMap::new(), &mut cx);
        let mut container = made.map_err(|errors| first(&errors))?.container;
        if module.entries.first().is_some_and(|entry| entry.stage == Stage::Fragment) {
            let keys = json!({ "epilog": epilog(module, samples) }).to_string();
            container = linked(container, &keys).map_err(|wrong| first(&wrong.errors()))?;
        }
        let file = File::read(&container).map_err(|error| error.to_string())?;
        Ok(Program { container, file })
    }

    /// Runs it. Names that it does not know are those of variables that it does not read.
    pub(super) fn run(&self, resources: Vec<(String, Value)>, work: Work) -> Result<Simulated, String> {
        ran(&self.container, &Inputs { resources, work })
    }

    /// What a buffer is called: as in the source, or by its register where the source has no name.
    pub(super) fn buffer(&self, binding: u32, name: &str) -> String {
        let is_it = |held: &&Held| held.what == What::Address && held.binding == binding && held.set == 0;
        let held = self.file.uniforms.iter().find(is_it);
        match held.filter(|held| held.name.is_empty() || held.name != name) {
            Some(held) => held.name.clone(),
            None => name.to_owned(),
        }
    }

    /// The states of the elements of a texture, by names of their registers.
    pub(super) fn states(&self, name: &str) -> Vec<String> {
        let own = self.file.states.iter().filter(|state| !state.is_sampler && state.name == name);
        own.map(|state| format!("ts{}", state.register)).collect()
    }
}

/// The module with a location for every input and output: without one of its own it has the lowest that is free, as the
/// command gives them.
pub(super) fn located(module: &Module) -> Module {
    let mut module = module.clone();
    for space in [Space::Input, Space::Output] {
        let user = |g: &Global| g.space == space && g.binding.builtin.is_none() && g.members.is_empty();
        let mut taken: Vec<u32> =
            module.globals.iter().filter(|g| user(g)).filter_map(|g| g.binding.location).collect();
        for n in 0..module.globals.len() {
            let global = &module.globals[n];
            if !user(global) || global.binding.location.is_some() {
                continue;
            }
            let columns = columns(&module, global.ty);
            let free = |first: &u32| (*first..first + columns).all(|location| !taken.contains(&location));
            let first = (0..).find(free).unwrap_or(0);
            taken.extend(first..first + columns);
            module.globals[n].binding.location = Some(first);
        }
    }
    module
}

/// Locations that a type takes.
fn columns(module: &Module, ty: Ty) -> u32 {
    let types = &module.types;
    match types.part_count(ty) {
        Some(count) if types.components(ty) == 0 => {
            (0..count).filter_map(|n| types.part(ty, n)).map(|part| columns(module, part)).sum()
        }
        _ => 1,
    }
}

/// An epilog that stores the colours of all locations as they are.
fn epilog(module: &Module, samples: usize) -> Json {
    let outputs = module.globals.iter().filter(|g| g.space == Space::Output);
    let mut locations: Vec<(u32, bool)> = outputs
        .filter_map(|g| Some((g.binding.location?, module.types.is_float(module.types.element(g.ty)))))
        .collect();
    locations.sort_unstable();
    let target = |&(location, is_float): &(u32, bool)| {
        let format =
            if is_float { "PIPE_FORMAT_R32G32B32A32_FLOAT" } else { "PIPE_FORMAT_R32G32B32A32_UINT" };
        json!({ "i": location, "format": format, "loc": location, "colormask": 15, "rgb": "add one zero",
            "alpha": "add one zero" })
    };
    json!({ "nr_samples": samples, "force_small_tile": 0, "logicop": "copy", "alpha_to_coverage": 0, "alpha_to_one": 0,
        "rts": locations.iter().map(target).collect::<Vec<_>>() })
}

/// Why there is no linked program.
pub(crate) enum Wrong {
    /// A part cannot be made.
    Part(Vec<Diagnostic>),
    /// The parts do not go together.
    Link(Vec<Diagnostic>),
}

impl Wrong {
    pub(crate) fn errors(self) -> Vec<Diagnostic> {
        match self {
            Wrong::Part(errors) | Wrong::Link(errors) => errors,
        }
    }
}

/// A main part linked with the parts of its keys.
pub(crate) fn linked(main: Vec<u8>, text: &str) -> Result<Vec<u8>, Wrong> {
    let file = SourceMap::new().add("keys", text.to_owned());
    let mut pieces = vec![Piece { role: None, name: "main".to_owned(), bytes: main }];
    pieces.extend(Agx.parts(&pieces, KeyText { file, text }, &[]).map_err(Wrong::Part)?);
    Agx.link(&pieces, &[]).map(|made| made.bytes).map_err(Wrong::Link)
}

/// Runs a program in a container to its end without a fault.
pub(crate) fn ran(container: &[u8], inputs: &Inputs) -> Result<Simulated, String> {
    let options = SimulateOptions { shared: true, ..SimulateOptions::default() };
    let made = Agx.simulate(container, inputs, &options).map_err(|errors| first(&errors))?;
    match made.faults.first() {
        Some(fault) => Err(format!("line {}: {}", fault.at, fault.cause)),
        None => Ok(made),
    }
}

/// The first message.
pub(crate) fn first(errors: &[Diagnostic]) -> String {
    errors.first().map_or_else(String::new, |error| error.message.clone())
}

/// An image as users give it.
pub(super) fn image(texture: &Texture, ty: &ImageType, sampler: Sampler) -> Value {
    let colours = |texture: &Texture| -> Vec<[f32; 4]> {
        texture.texels.iter().map(|texel| texel.map(|bits| f32::from_bits(bits as u32))).collect()
    };
    let smaller = texture.smaller.iter().map(colours).collect();
    Value::Image(Image {
        shape: Shape::from(ty),
        size: texture.size,
        texels: colours(texture),
        smaller,
        sampler,
    })
}

/// Words one behind the other.
pub(super) fn bytes(words: &[u32]) -> Value {
    Value::Bytes(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

/// A vector of words.
pub(super) fn vector(words: &[u32]) -> Value {
    Value::List(words.iter().map(|word| Value::Bits((*word).into())).collect())
}

/// An input of invocations.
pub(super) fn column(name: &str, values: impl Iterator<Item = Value>) -> (String, Column) {
    (name.to_owned(), values.collect::<Vec<_>>().into())
}

/// What lies below fragments, so that they tell what they store: nothing.
pub(super) fn below(lanes: usize) -> (String, Column) {
    column("below", (0..lanes).map(|_| vector(&[0; QUAD])))
}

/// The words of an output of an invocation, from those of the locations that it takes.
pub(super) fn words(made: &Simulated, location: Option<u32>, name: &str, n: usize, count: usize) -> Vec<u32> {
    let named = |name: &str| made.outputs.iter().find(|output| output.name == name);
    let of = |output: &Output| output.of(n).iter().map(|bits| *bits as u32).collect::<Vec<_>>();
    let Some(first) = location else { return named(name).map(of).unwrap_or_default() };
    let mut all = Vec::new();
    for location in first..first + count as u32 {
        if all.len() >= count {
            break;
        }
        all.extend(named(&format!("varying{location}")).map(of).unwrap_or_default());
    }
    all
}
