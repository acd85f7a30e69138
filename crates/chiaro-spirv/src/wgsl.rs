//! WGSL, through naga: parse, validate, resolve overrides, write SPIR-V.
//!
//! What naga says about a source becomes diagnostics with its byte spans. The statement that
//! each instruction comes from is kept in [`Module::spans`]; naga's own line numbers and the
//! copy of the source that it embeds are taken out of the words. Sources beyond a [`budget`] are
//! refused before naga sees them. It runs with a deep stack, and a panic in it is reported as our bug,
//! at the declaration that causes it if leaving out what follows still shows it.

mod budget;
pub mod builtins;
mod contain;
mod report;
mod span;
pub mod words;

use chiaro_diag::{Budget, Diagnostic, FileId, did_you_mean};
use naga::back::{PipelineConstants, spv};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use chiaro_words::derive;
use chiaro_words::module::{Clip, Language, Module, Source};
pub use contain::is_contained;
pub(crate) use contain::{Contained, contain};
use report::Origin;

/// What to make of a source.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// The only entry point to keep; all without it.
    pub entry: Option<&'a str>,
    /// Values of overrides: by number where the override has an `@id`, else by name.
    pub overrides: &'a [(&'a str, f64)],
    /// What is left of the work of this compilation; one of its own without it.
    pub budget: Option<&'a Budget>,
}

/// Reads a WGSL source.
///
/// Clip coordinates pass through unchanged, out-of-bounds policies are those of the IR, and
/// loops get no bound of their own.
///
/// # Errors
/// What naga finds wrong; it stops at the first mistake.
pub fn read(text: &str, file: FileId, options: &Options<'_>) -> Result<Module, Vec<Diagnostic>> {
    let budget = options.budget.cloned().unwrap_or_default();
    budget::take(text, file, &budget).map_err(|error| vec![*error])?;
    match contain(|| compile(text, file, options)) {
        Contained::Answer(answer) => answer,
        Contained::Panic(message) => {
            let panics = |prefix: &str| {
                matches!(contain(|| compile(prefix, file, options).map(drop)), Contained::Panic(_))
            };
            let place = report::blame(text, panics).map(|bytes| file.span(bytes));
            Err(vec![report::panicked(place, &message)])
        }
    }
}

fn compile(text: &str, file: FileId, options: &Options<'_>) -> Result<Module, Vec<Diagnostic>> {
    let mut ir = naga::front::wgsl::parse_str(text).map_err(|e| vec![report::parse(&e, file)])?;
    let info = validate(&Origin { text, file, ir: &ir })?;
    let statements = span::Statements::number(&mut ir, file);
    let origin = Origin { text, file, ir: &ir };
    let entry = options.entry.map(|name| entry_point(&ir, name)).transpose()?;
    let words = write(&origin, &info, entry, options.overrides, &statements.columns())?;
    let (words, spans) = span::take(&words, &statements);
    let mut interface = derive(&words);
    interface.source = Source { language: Language::Wgsl, version: 0 };
    interface.clip = Clip::WebGpu;
    Ok(Module { words, spans, interface })
}

fn validate(origin: &Origin<'_>) -> Result<ModuleInfo, Vec<Diagnostic>> {
    // Everything that naga can write, so that targets say what they lack.
    let capabilities = spv::supported_capabilities() | Capabilities::default();
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    validator.validate(origin.ir).map_err(|e| vec![report::validation(&e, origin)])
}

/// An entry point as naga asks for it.
type Entry<'a> = (naga::ShaderStage, &'a str);

fn entry_point<'m>(ir: &'m naga::Module, name: &str) -> Result<Entry<'m>, Vec<Diagnostic>> {
    let names = || ir.entry_points.iter().map(|e| e.name.as_str());
    let found = ir.entry_points.iter().find(|e| e.name == name);
    found.map(|e| (e.stage, e.name.as_str())).ok_or_else(|| {
        let error = Diagnostic::error(None, format!("there is no entry point `{name}`"));
        vec![match did_you_mean(name, names()) {
            Some(near) => error.meant(near),
            None => error.note(format!("the entry points are: {}", names().collect::<Vec<_>>().join(", "))),
        }]
    })
}

fn write(
    origin: &Origin<'_>,
    info: &ModuleInfo,
    entry: Option<Entry<'_>>,
    overrides: &[(&str, f64)],
    columns: &str,
) -> Result<Vec<u32>, Vec<Diagnostic>> {
    let mut constants = PipelineConstants::default();
    constants.extend(overrides.iter().map(|&(name, value)| (name.to_owned(), value)));
    let (ir, info) = naga::back::pipeline_constants::process_overrides(origin.ir, info, entry, &constants)
        .map_err(|e| vec![report::overrides(&e, origin)])?;
    let out = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::DEBUG | spv::WriterFlags::LABEL_VARYINGS,
        force_loop_bounding: false,
        debug_info: Some(spv::DebugInfo {
            source_code: columns,
            file_name: "",
            language: spirv::SourceLanguage::WGSL,
        }),
        ..spv::Options::default()
    };
    let pipeline =
        entry.map(|(stage, name)| spv::PipelineOptions { shader_stage: stage, entry_point: name.to_owned() });
    spv::write_vec(&ir, &info, &out, pipeline.as_ref()).map_err(|e| vec![report::not_written(&e)])
}
