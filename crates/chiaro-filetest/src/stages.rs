//! Vertex and fragment shaders in GLSL with known outputs, on the interpreter.
//!
//! A row names a source, its uniforms, and for each vertex or fragment inputs and outputs.
//! [`Shader`] compiles the source with our front end; [`Scene`] gives its variables their
//! values by the names that the source has, as a host program does.

pub(crate) mod a3xx;
mod corpus;
pub(crate) mod judge;
pub(crate) mod nudge;
pub(crate) mod scene;
pub(crate) mod texture;
mod utgard_gp;

use std::path::Path;

use chiaro::{GlslOptions, ModuleOptions, load_glsl, stage_of};
use chiaro_diag::SourceMap;
use chiaro_ir::Module;

pub use corpus::{CorpusReport, check_corpus};
pub use scene::Scene;

pub use a3xx::{ELSEWHERE as A3XX_ELSEWHERE, SUITE as A3XX_SUITE};
pub(crate) use utgard_gp::on_interpreter as utgard_on_interpreter;

/// A compiled source.
pub struct Shader {
    /// Its words in the flavour of OpenGL.
    pub hub: chiaro_spirv::module::Module,
    /// What they mean.
    pub module: Module,
}

impl Shader {
    /// Compiles a file; its stage is that of its ending.
    ///
    /// # Errors
    /// The messages, as a user would read them.
    pub fn compile(path: &Path) -> Result<Shader, String> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Shader::of_text(name, text)
    }

    /// Compiles a source; its stage is that of its name's ending.
    ///
    /// # Errors
    /// The messages, as a user would read them.
    pub fn of_text(name: String, text: String) -> Result<Shader, String> {
        let stage = stage_of(&name).ok_or_else(|| format!("{name}: the stage is not clear"))?;
        let mut sources = SourceMap::new();
        let file = sources.add(name, text);
        let (glsl, options) = (GlslOptions::default(), ModuleOptions::default());
        let loaded = load_glsl(&[(file, stage)], &glsl, &options, &mut sources, &mut |_, _, _| None);
        let loaded = loaded.map_err(|errors| plain().print(&errors, &sources))?;
        let one = loaded.into_iter().next().ok_or("nothing was made")?;
        Ok(Shader { hub: one.hub, module: one.module })
    }

    /// Its words in the flavour of Vulkan.
    ///
    /// # Errors
    /// What Vulkan does not have.
    pub fn vulkan(&self) -> Result<Vec<u32>, String> {
        chiaro_spirv::vulkanize(&self.hub).map(|made| made.words).map_err(|error| error.message)
    }
}

fn plain() -> chiaro_diag::Printer {
    chiaro_diag::Printer { format: chiaro_diag::Format::Human, colour: false, limit: 5 }
}

/// Runs that show how far the functions of the rows' maker move a result.
pub(crate) const NUDGES: u64 = 8;

/// What a row expects of one value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected {
    pub(crate) value: f64,
    pub(crate) tolerance: f64,
}

/// Compares values with what is expected; `nudged` gives the values of a run with nudged
/// functions, asked for only if some value is not close enough.
fn compare(
    found: &[f64],
    expected: &[Expected],
    mut nudged: impl FnMut(u64) -> Result<Vec<f64>, String>,
) -> Result<(), String> {
    if found.len() != expected.len() {
        return Err(format!("{} values, {} are expected", found.len(), expected.len()));
    }
    let Some(first) = (0..found.len()).find(|&i| !is_close(found[i], expected[i], 0.0)) else {
        return Ok(());
    };
    let mut moved = vec![0.0f64; found.len()];
    for run in 1..=NUDGES {
        for (m, (a, b)) in moved.iter_mut().zip(nudged(run)?.iter().zip(found)) {
            *m = m.max((a - b).abs());
        }
    }
    match (0..found.len()).find(|&i| !is_close(found[i], expected[i], 2.0 * moved[i])) {
        Some(i) => {
            let Expected { value, tolerance } = expected[i];
            Err(format!("value {i} is {}, not {value} (tolerance {tolerance}; first off {first})", found[i]))
        }
        None => Ok(()),
    }
}

pub(crate) fn is_close(found: f64, Expected { value, tolerance }: Expected, more: f64) -> bool {
    found == value || (found - value).abs() <= tolerance + more || found.is_nan() && value.is_nan()
}
