//! Shader modules: GLSL, WGSL, SPIR-V or its own text to the IR.

mod glsl;

use chiaro_diag::{Budget, Diagnostic, FileId, SourceMap};
use chiaro_ir::{Linkage, Module, Spec};
use chiaro_spirv::module::Module as Hub;
pub use chiaro_spirv::vulkanize::Bindings;
use chiaro_spirv::vulkanize::vulkanize_stage;
use chiaro_spirv::{SpecKey, SpecValue, openglize, wgsl};
use chiaro_target::{Interface, Shader};
pub use glsl::{GlslOptions, check_glsl, glsl_words, load_glsl, stage_of};

/// The language of a module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ModuleLanguage {
    /// GLSL text, of OpenGL ES or desktop.
    Glsl,
    /// SPIR-V in words.
    Spirv,
    /// WGSL text.
    Wgsl,
    /// The IR's own text; no name tells it.
    Ir,
}

impl ModuleLanguage {
    /// The language of an input by the ending of its name or its first bytes.
    #[must_use]
    pub fn of_input(name: &str, bytes: &[u8]) -> Option<ModuleLanguage> {
        let magic = bytes.first_chunk::<4>().map(|b| (u32::from_le_bytes(*b), u32::from_be_bytes(*b)));
        match magic {
            Some((little, big)) if [little, big].contains(&chiaro_spirv::MAGIC) => {
                Some(ModuleLanguage::Spirv)
            }
            _ if name.ends_with(".spv") || is_spirv_text(name) => Some(ModuleLanguage::Spirv),
            _ if name.ends_with(".wgsl") => Some(ModuleLanguage::Wgsl),
            _ if name.ends_with(".glsl") || stage_of(name).is_some() => Some(ModuleLanguage::Glsl),
            _ => None,
        }
    }
}

/// Whether a name is that of SPIR-V as text.
pub fn is_spirv_text(name: &str) -> bool {
    name.ends_with(".spvasm")
}

/// Choices for reading a module.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ModuleOptions {
    /// The only entry point to keep, where the language can leave out the others.
    pub entry: Option<String>,
    /// Values of specialisation constants and overrides, by number or name.
    pub constants: Vec<(String, f64)>,
    /// Whether what shaders print is kept: the interpreter tells it, and so do machines whose compilers write it to a
    /// buffer; the other compilers leave it out.
    pub prints: bool,
    /// Whether the module is a whole program.
    pub parts: Parts,
}

/// Whether functions of a module and those of others know each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Parts {
    /// It is all there is.
    #[default]
    Whole,
    /// It may call functions that others have.
    Imports,
    /// It has no entry point: others call its functions.
    Library,
}

/// Whose rules SPIR-V that is written keeps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Environment {
    /// Vulkan: no loose uniforms, every resource has set and binding.
    #[default]
    Vulkan,
    /// OpenGL: the module as it is.
    OpenGl,
}

/// A module that was read.
#[derive(Clone, Debug)]
pub struct LoadedModule {
    /// Its words, with the entry points and constants that were chosen, and what the words do
    /// not say.
    pub hub: Hub,
    /// What it means. Verified.
    pub module: Module,
    /// How it meets the outside: names, and what the IR does not say of variables.
    pub interface: Interface,
    /// What was passed over.
    pub warnings: Vec<Diagnostic>,
    /// What reading has left of the budget of its compilation.
    pub budget: Budget,
}

impl LoadedModule {
    /// The module as a target compiles it.
    #[must_use]
    pub fn shader(&self) -> Shader<'_> {
        Shader { module: &self.module, interface: &self.interface }
    }

    /// The words for an environment.
    ///
    /// # Errors
    /// Uses of loose uniforms that Vulkan has nothing for.
    pub fn words_for(&self, environment: Environment) -> Result<Vec<u32>, Box<Diagnostic>> {
        words_for(&self.hub, environment, &mut Bindings::default())
    }
}

/// The words of a stage of a program for an environment; the stages have one table of bindings.
///
/// # Errors
/// What the environment has nothing for.
pub fn words_for(
    hub: &Hub,
    environment: Environment,
    bindings: &mut Bindings,
) -> Result<Vec<u32>, Box<Diagnostic>> {
    if hub.words.is_empty() {
        let message = "the module has something that SPIR-V has no form for here";
        let help = "functions as values, images and subgroups of the IR's own text are compiled for a target, not written";
        return Err(Box::new(Diagnostic::error(None, message).help(help)));
    }
    Ok(match environment {
        Environment::OpenGl => openglize(hub)?.words,
        Environment::Vulkan => vulkanize_stage(hub, bindings)?.words,
    })
}

/// Words of SPIR-V that are not read any further.
///
/// # Errors
/// Bytes that are no words.
pub fn spirv_words(bytes: &[u8]) -> Result<Hub, Vec<Diagnostic>> {
    let words = chiaro_spirv::words_of(bytes).map_err(|e| vec![e.diagnostic(None)])?;
    let interface = chiaro_spirv::derive(&words);
    Ok(Hub { words, spans: Vec::new(), interface })
}

/// Reads SPIR-V.
///
/// # Errors
/// What is wrong with the words.
pub fn load_spirv(
    bytes: &[u8],
    options: &ModuleOptions,
    sources: &mut SourceMap,
) -> Result<LoadedModule, Vec<Diagnostic>> {
    let mut loaded = lower(spirv_words(bytes)?, &read_options(options), sources, Budget::default())?;
    let unknown = unknown(options, || loaded.module.specs.iter());
    loaded.warnings.extend(unknown);
    Ok(loaded)
}

fn read_options(options: &ModuleOptions) -> chiaro_spirv::Options {
    let constants = options.constants.iter();
    chiaro_spirv::Options {
        specialize: constants.map(|(name, value)| (key(name), SpecValue::Number(*value))).collect(),
        prints: options.prints,
        parts: options.parts != Parts::Whole,
    }
}

/// Reads a WGSL source of the map.
///
/// # Errors
/// What is wrong with the source.
pub fn load_wgsl(
    file: FileId,
    options: &ModuleOptions,
    sources: &mut SourceMap,
) -> Result<LoadedModule, Vec<Diagnostic>> {
    let budget = Budget::default();
    let hub = wgsl_hub(file, options, sources, &budget)?;
    lower(hub, &chiaro_spirv::Options::default(), sources, budget)
}

/// The words of a WGSL source of the map, which are not read any further.
///
/// # Errors
/// What is wrong with the source.
pub fn wgsl_words(
    file: FileId,
    options: &ModuleOptions,
    sources: &SourceMap,
) -> Result<Hub, Vec<Diagnostic>> {
    wgsl_hub(file, options, sources, &Budget::default())
}

/// Reads the IR's own text from a source of the map. It says all that the IR knows and no language has: functions as
/// values, exits over several levels. Words stand beside it where it has any.
///
/// # Errors
/// What is wrong with the source.
pub fn load_ir(
    file: FileId,
    options: &ModuleOptions,
    sources: &SourceMap,
) -> Result<LoadedModule, Vec<Diagnostic>> {
    let mut module = chiaro_ir::parse(sources.text(file), file)?;
    for (name, value) in &options.constants {
        choose(&mut module, name, *value)?;
    }
    if let Some(wanted) = options.entry.as_ref().filter(|wanted| module.entry(wanted).is_some()) {
        module.entries.retain(|entry| entry.name == *wanted);
    }
    let report = |breach: &chiaro_ir::Breach| breach.diagnostic();
    chiaro_ir::verify(&module).map_err(|breaches| breaches.iter().map(report).collect::<Vec<_>>())?;
    if options.parts == Parts::Whole {
        unlink(&mut module)?;
    }
    let interface = Interface::of(&module);
    let words = module.entries.first().and_then(|entry| chiaro_spirv::emit(&module, &entry.name).ok());
    let words = words.unwrap_or_default();
    let hub = Hub { interface: chiaro_spirv::derive(&words), words, spans: Vec::new() };
    Ok(LoadedModule { hub, module, interface, warnings: Vec::new(), budget: Budget::default() })
}

/// Nobody else knows the functions of a whole program, and it has all that it calls.
fn unlink(module: &mut Module) -> Result<(), Vec<Diagnostic>> {
    for f in &mut module.functions {
        if f.is_import() {
            let message = format!("the function `{}` is imported, and the program is whole", f.name);
            return Err(vec![
                Diagnostic::error(f.span, message).help("give it a body, or compile it for rdna and link"),
            ]);
        }
        f.linkage = Linkage::Own;
    }
    Ok(())
}

/// Warns of values for constants that are not there.
fn unknown<'a, T: Iterator<Item = &'a Spec>>(
    options: &ModuleOptions,
    specs: impl Fn() -> T,
) -> Vec<Diagnostic> {
    let is_known = |name: &str| {
        let number = name.parse::<u32>().ok();
        specs().any(|spec| spec.name == name || number.is_some() && spec.id == number)
    };
    let names = options.constants.iter().map(|(name, _)| name).filter(|name| !is_known(name));
    let warn = |name: &String| {
        let warning = Diagnostic::warning(None, format!("there is no specialisation constant `{name}`"));
        warning.help("name one by its number or its name: `layout(constant_id = 3) const int NAME = 4;`")
    };
    names.map(warn).collect()
}

/// Gives a specialisation constant its value.
fn choose(module: &mut Module, name: &str, value: f64) -> Result<(), Vec<Diagnostic>> {
    let number = name.parse::<u32>().ok();
    let found =
        module.specs.iter().position(|spec| spec.name == name || spec.id.is_some() && spec.id == number);
    let Some(n) = found else {
        let error = Diagnostic::error(None, format!("there is no specialisation constant `{name}`"));
        return Err(vec![error.help("name one by its number or its name: `spec @NAME: i32 = 4 id(3)`")]);
    };
    let ty = module.constants.ty(module.specs[n].default);
    let Some(bits) = module.bits_of(ty, value) else {
        let message =
            format!("the specialisation constant `{name}` cannot be {value}: its type has no such number");
        return Err(vec![Diagnostic::error(None, message)]);
    };
    module.specs[n].default = module.scalar(ty, bits);
    Ok(())
}

fn wgsl_hub(
    file: FileId,
    options: &ModuleOptions,
    sources: &SourceMap,
    budget: &Budget,
) -> Result<Hub, Vec<Diagnostic>> {
    let overrides: Vec<(&str, f64)> = options.constants.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    let entry = options.entry.as_deref();
    let wanted = wgsl::Options { entry, overrides: &overrides, budget: Some(budget) };
    wgsl::read(sources.text(file), file, &wanted)
}

fn lower(
    hub: Hub,
    options: &chiaro_spirv::Options,
    sources: &mut SourceMap,
    budget: Budget,
) -> Result<LoadedModule, Vec<Diagnostic>> {
    let reading = chiaro_spirv::read_module(&hub, options, sources).map_err(|e| vec![e.diagnostic(None)])?;
    let report = |breach: &chiaro_ir::Breach| {
        breach.diagnostic().note("the module breaks a rule of SPIR-V, or our reader errs")
    };
    chiaro_ir::verify(&reading.module).map_err(|breaches| breaches.iter().map(report).collect::<Vec<_>>())?;
    let chiaro_spirv::Reading { module, interface, warnings } = reading;
    Ok(LoadedModule { hub, module, interface, warnings, budget })
}

fn key(name: &str) -> SpecKey {
    name.parse().map_or_else(|_| SpecKey::Name(name.to_owned()), SpecKey::Id)
}
