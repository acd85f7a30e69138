//! SPIR-V as a language that people read, through naga.

mod names;

use naga::back::{glsl, wgsl};
use naga::front::spv;
use naga::proc::BoundsCheckPolicies;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, ShaderStage};

use crate::wgsl::{Contained, contain};

/// A language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// GLSL of desktops, by its version: 450.
    Glsl(u16),
    /// GLSL ES, by its version: 310.
    Essl(u16),
    /// WGSL.
    Wgsl,
}

/// The text of a module's only shader, `main`. Clip coordinates pass through unchanged.
///
/// # Errors
/// What keeps naga from reading, checking or writing it.
pub fn in_language(words: &[u32], language: Language) -> Result<String, String> {
    match contain(|| written(words, language)) {
        Contained::Answer(answer) => answer,
        Contained::Panic(message) => Err(format!("naga stopped: {message}")),
    }
}

fn written(words: &[u32], language: Language) -> Result<String, String> {
    let options = spv::Options { adjust_coordinate_space: false, ..spv::Options::default() };
    let module = spv::Frontend::new(words.iter().copied(), &options).parse();
    let mut module = module.map_err(|error| format!("reading: {error}"))?;
    names::give(&mut module, words);
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module);
    let info = info.map_err(|error| format!("checking: {}", causes(&error.into_inner())))?;
    let result = match language {
        Language::Glsl(version) => glsl(&module, &info, glsl::Version::Desktop(version)),
        Language::Essl(version) => glsl(&module, &info, glsl::Version::new_gles(version)),
        Language::Wgsl => {
            wgsl::write_string(&module, &info, wgsl::WriterFlags::empty()).map_err(|error| error.to_string())
        }
    };
    result.map_err(|error| format!("writing: {error}"))
}

/// An error with what it says of its causes.
fn causes(error: &dyn std::error::Error) -> String {
    let all = std::iter::successors(Some(error), |error| error.source());
    all.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

fn glsl(module: &Module, info: &ModuleInfo, version: glsl::Version) -> Result<String, String> {
    let writer_flags = glsl::WriterFlags::empty();
    // Blocks keep their numbers.
    let numbers = module.global_variables.iter().filter_map(|(_, variable)| variable.binding);
    let binding_map = numbers.map(|binding| (binding, binding.binding as u8)).collect();
    let options = glsl::Options { version, writer_flags, binding_map, ..glsl::Options::default() };
    let entry_point = "main".to_owned();
    let shader_stage = module.entry_points.first().map_or(ShaderStage::Vertex, |entry| entry.stage);
    let pipeline = glsl::PipelineOptions { shader_stage, entry_point, multiview: None };
    let mut text = String::new();
    let policies = BoundsCheckPolicies::default();
    let writer = glsl::Writer::new(&mut text, module, info, &options, &pipeline, policies);
    writer.and_then(|mut writer| writer.write()).map_err(|error| error.to_string())?;
    Ok(text)
}
