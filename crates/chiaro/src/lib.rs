//! chiaro: an offline tool chain for the shaders of embedded GPUs.
//!
//! This crate is the door to all targets: take one of [`TARGETS`] and work on texts and bytes with
//! four functions, [`assemble`], [`disassemble`], [`compile`] and [`simulate`]. What else a target
//! offers stands in [`Target`]; who wants more of one target than every target has uses that
//! target's own crate, `chiaro-pica200` for instance. Programs of other languages ask through [`host`].
//!
//! ```
//! use chiaro::{AssembleOptions, Attributes, DisassembleOptions, Inputs, SimulateOptions, TARGETS, Work};
//! use chiaro::{assemble, disassemble, no_files, simulate};
//! use chiaro_diag::SourceMap;
//!
//! let target = TARGETS.named("pica200").unwrap();
//! let mut sources = SourceMap::new();
//! sources.add("twice.v.pica", ".in x\n.out y position\n.proc main\nadd y, x, x\nend\n.end\n");
//! let made = assemble(target, &mut sources, &AssembleOptions::default(), &mut no_files).unwrap();
//! let listing = disassemble(target, &made.bytes, &DisassembleOptions::default()).unwrap();
//! assert!(listing.text.contains("add o0, x, x"));
//!
//! let columns = vec![("x".into(), vec![[1.5; 4].into()].into())];
//! let inputs = Inputs { work: Work::Vertices(Attributes { count: 1, columns }), ..Inputs::default() };
//! let run = simulate(target, &made.bytes, &inputs, &SimulateOptions::default()).unwrap();
//! assert_eq!(run.outputs[0].name, "position");
//! assert_eq!(run.outputs[0].of(0), [u64::from(3.0f32.to_bits()); 4]);
//! ```

#![forbid(unsafe_code)]
#![allow(unreachable_pub, reason = "in the command's files `pub` marks what a module offers the others")]

// The command's files name the library as every other caller does.
extern crate self as chiaro;

mod choices;
mod cli;
mod clock;
mod cmd;
pub mod command;
mod depfile;
mod digits;
pub mod draw;
pub mod editor;
pub mod host;
mod images;
mod input;
pub mod laboratory;
mod made;
mod markup;
mod module;
mod output;
mod page;
mod parse;
mod shell;
mod survey;
mod terms;
pub mod trace;
mod watch;

pub use chiaro_glsl::source::Stage as GlslStage;
pub use chiaro_spirv::module::Module as Hub;
pub use chiaro_spirv::wgsl::is_contained;
pub use chiaro_target::*;
pub use module::{Bindings, Environment, GlslOptions, LoadedModule, ModuleLanguage, ModuleOptions, Parts};
pub use module::{
    check_glsl, glsl_words, load_glsl, load_ir, load_spirv, load_wgsl, spirv_words, stage_of, wgsl_words,
    words_for,
};

use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_opt::Cx;

/// All targets in the order of their arrival. A target is added by its crate and a line here.
pub const TARGETS: Targets = Targets(&[
    #[cfg(feature = "pica200")]
    &chiaro_pica200::Pica200,
    #[cfg(feature = "utgard")]
    &chiaro_utgard::UtgardGp,
    #[cfg(feature = "a3xx")]
    &chiaro_a3xx::A3xx,
    #[cfg(feature = "rdna")]
    &chiaro_rdna::Rdna,
    #[cfg(feature = "agx")]
    &chiaro_agx::Agx,
]);

/// Assembles all files of a map, in their order, into one container. Files that they include
/// are opened and added to the map.
///
/// # Errors
/// Everything that is wrong with the sources, warnings included.
pub fn assemble(
    target: &dyn Target,
    sources: &mut SourceMap,
    options: &AssembleOptions,
    open: &mut Open<'_>,
) -> Result<Assembled, Vec<Diagnostic>> {
    target.assemble(sources, options, open)
}

/// Lists a container, or code alone; the listing assembles to the same bytes.
///
/// # Errors
/// What keeps the bytes from being read.
pub fn disassemble(
    target: &dyn Target,
    bytes: &[u8],
    options: &DisassembleOptions,
) -> Result<Disassembled, Box<Diagnostic>> {
    target.disassemble(bytes, options)
}

/// Compiles what a target has stages for of some modules into one container. The driver `cx`
/// times, watches and stops passes.
///
/// # Errors
/// What the machine cannot do or hold, with its place in the source.
pub fn compile(
    target: &dyn Target,
    modules: &[LoadedModule],
    options: &CompileOptions,
    sources: &SourceMap,
    cx: &mut Cx<'_>,
) -> Result<CompiledShader, Vec<Diagnostic>> {
    let shaders: Vec<_> = modules.iter().map(LoadedModule::shader).collect();
    if let Some(first) = modules.first() {
        // What reading took is gone.
        cx.budget = first.budget.fork();
    }
    target.compile(&shaders, options, sources, cx)
}

/// Runs a container's program on the simulator.
///
/// # Errors
/// A container that cannot be read, names that the program does not have, values that do not
/// fit, unknown modes and assumptions. An invocation that stops early is no error here.
pub fn simulate(
    target: &dyn Target,
    container: &[u8],
    inputs: &Inputs,
    options: &SimulateOptions,
) -> Result<Simulated, Vec<Diagnostic>> {
    target.simulate(container, inputs, options)
}
