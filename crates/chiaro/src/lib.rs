//! chiaro: an offline tool chain for the shaders of embedded GPUs.
//!
//! This crate is the door to all targets: name a [`Target`] and work on texts and
//! bytes. Who wants more of one target than every target has uses that target's own
//! crate, `chiaro-pica200` for instance.
//!
//! ```
//! use chiaro::{AssembleOptions, Inputs, SimulateOptions, Target};
//! use chiaro::{assemble, disassemble, no_files, simulate};
//! use chiaro_diag::SourceMap;
//!
//! let mut sources = SourceMap::new();
//! sources.add("twice.v.pica", ".in x\n.out y position\n.proc main\nadd y, x, x\nend\n.end\n");
//! let made = assemble(Target::Pica200, &mut sources, &AssembleOptions::default(), &mut no_files).unwrap();
//! assert!(disassemble(Target::Pica200, &made.bytes).unwrap().text.contains("add o0, x, x"));
//!
//! let inputs = Inputs { attributes: vec![("x".into(), vec![[1.5; 4]])], vertices: 1, ..Inputs::default() };
//! let run = simulate(Target::Pica200, &made.bytes, &inputs, &SimulateOptions::default()).unwrap();
//! assert_eq!(run.outputs[0].name, "position");
//! assert_eq!(run.outputs[0].values[0], [3.0f32.to_bits(); 4]);
//! ```

#![forbid(unsafe_code)]

mod assemble;
mod check;
mod compile;
mod disassemble;
mod instructions;
mod module;
mod simulate;
mod target;

pub use assemble::{AssembleOptions, Assembled, Open, Syntax, assemble, no_files};
pub use check::{check, check_sources, hazards};
pub use chiaro_glsl::source::Stage as GlslStage;
pub use chiaro_spirv::wgsl::is_contained;
pub use compile::{
    BlockReport, Bound, Clip, CompileOptions, CompiledShader, Line, Report, Resource, compile,
    compile_stages, pica200_interface,
};
pub use disassemble::{Disassembled, disassemble, disassemble_raw};
pub use instructions::{Instructions, Unread};
pub use module::{Environment, GlslOptions, LoadedModule, ModuleLanguage, ModuleOptions};
pub use module::{check_glsl, load_glsl, load_spirv, load_wgsl, stage_of};
pub use simulate::{Event, Given, Inputs, Output, SimulateOptions, Simulated, Step, simulate};
pub use target::{About, Assumption, Target};
