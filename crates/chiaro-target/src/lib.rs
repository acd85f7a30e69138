//! The door between the targets and everything that works with any of them.
//!
//! A target implements [`Target`] once, in its `target.rs`; the command, the tests and the fuzzers
//! are written against the trait and never ask which target they have. What a target does not do
//! yet is left out of its `impl`: the default methods report what it offers instead.
//!
//! | module | is |
//! |---|---|
//! | [`abi`] | calling conventions as files |
//! | [`anatomy`] | what each instruction of a program does and takes; accounts, blocks, pressure |
//! | [`about`] | what a target is: names, stages, formats, dialects, modes, limits, settings |
//! | [`instructions`] | single instructions: parse, print, explain, sample |
//! | [`text`] | assembling and disassembling |
//! | [`code`] | machine code as bytes with a line of text for each instruction |
//! | [`compile`] | shaders to machine code, and what they take of the machine |
//! | [`proof`] | whether machine code means what its source does |
//! | [`blocks`] | values of a buffer's members as its bytes |
//! | [`simulate`], [`value`] | what a run starts from, and what comes out |
//! | [`check`] | sources assembled and checked, findings with their places |
//! | [`lexis`] | how languages of assemblers look, for editors |
//! | [`json`] | what people write as JSON |
//! | [`merge`] | what fragments read of vertices, and what becomes of their colours |
//! | [`lift`] | machine code as shaders for other machines |
//! | [`timeline`] | when instructions issue, and what they wait for |
//! | [`finding`] | broken rules of the hardware as diagnostics |
//! | [`list`] | a list of targets, and which of them an input is for |
//!
//! Results and inputs are what any machine has: named resources, attributes, dispatches, fragments,
//! draws; code is bytes. Nothing here knows a register, a word size or a container.

#![forbid(unsafe_code)]

pub mod abi;
pub mod about;
pub mod anatomy;
pub mod blocks;
pub mod check;
pub mod code;
pub mod compile;
pub mod finding;
pub mod instructions;
pub mod json;
pub mod lexis;
pub mod lift;
pub mod list;
pub mod merge;
pub mod proof;
pub mod remedy;
pub mod simulate;
pub mod text;
pub mod timeline;
pub mod value;

use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_opt::Cx;
use chiaro_trace::Scene;
use serde_json::Value as Json;

pub use abi::{Abi, AbiOptions};
pub use about::{About, Dialect, Format, Offer, Role, Setting};
pub use anatomy::{Anatomy, Cause};
pub use check::{check, check_sources, hazards};
pub use chiaro_ir::{Interpolation, Stage};
pub use chiaro_isa::finding::{Finding, Rule, Severity};
pub use chiaro_sim::{Assumption, Change, Given, Touched};
pub use code::{Code, Line};
pub use compile::{
    BlockReport, Bound, Clip, CompileOptions, CompiledShader, Interface, Leaf, Report, Resource, Shader,
    only_entry,
};
pub use instructions::{Explained, Instructions, Unread};
pub use lexis::Lexis;
pub use lift::{LiftOptions, Lifted};
pub use list::Targets;
pub use merge::{Merge, Samples, Varying};
pub use proof::{Compared, Failure, Proof};
pub use remedy::{Edit, Remedy};
pub use simulate::{
    Attributes, Column, Draw, Event, Fault, Floats, Inputs, Output, Printed, SimulateOptions, Simulated,
    Step, Topology, Traced, Trap, Work,
};
pub use text::{
    AssembleOptions, Assembled, DisassembleOptions, Disassembled, KeyText, LinkedParts, Open, Piece, no_files,
};
pub use value::{Image, Kind, Value};

/// Choices of the user for one target, as `-m KEY=VALUE` gives them; later ones win.
pub type Settings = [(String, String)];

/// A machine that programs are made for, with everything that can be done with them.
///
/// Methods without a body are what every target has. The others report that the target does not
/// offer them, and what it offers.
pub trait Target: Sync {
    /// What there is to say about the target in a few lines.
    fn about(&self) -> &'static About;

    /// Its instructions, one by one.
    ///
    /// # Errors
    /// Settings that the target does not have: a generation that does not exist, for instance.
    fn instructions(&self, settings: &Settings) -> Result<&'static dyn Instructions, Vec<Diagnostic>>;

    /// What the documents of the hardware leave open, as options of the simulator.
    fn assumptions(&self) -> &'static [Assumption] {
        &[]
    }

    /// How hard the compiler searches for a shorter program if nobody says; nothing where it has one
    /// way of compiling.
    fn effort(&self) -> Option<u32> {
        None
    }

    /// Whether the bytes are a container of this target. Formats that several machines share need
    /// more than the magic number that the default looks at.
    fn has_container(&self, bytes: &[u8]) -> bool {
        self.about().formats.iter().any(|f| f.role == Role::Container && f.is_magic(bytes))
    }

    /// Assembles all files of a map, in their order, into one container. Files that they include
    /// are opened and added to the map.
    ///
    /// # Errors
    /// Everything that is wrong with the sources, warnings included.
    fn assemble(
        &self,
        sources: &mut SourceMap,
        options: &AssembleOptions,
        open: &mut Open<'_>,
    ) -> Result<Assembled, Vec<Diagnostic>> {
        let _ = (sources, options, open);
        Err(vec![self.about().lacks(Offer::Assemble)])
    }

    /// Lists a container, or code alone; the listing assembles to the same bytes.
    ///
    /// # Errors
    /// What keeps the bytes from being read.
    fn disassemble(
        &self,
        bytes: &[u8],
        options: &DisassembleOptions,
    ) -> Result<Disassembled, Box<Diagnostic>> {
        let _ = (bytes, options);
        Err(Box::new(self.about().lacks(Offer::Disassemble)))
    }

    /// The code of a container, as sources spell it; of all its programs where it has several.
    ///
    /// # Errors
    /// What keeps the bytes from being read.
    fn code(&self, bytes: &[u8], settings: &Settings) -> Result<Code, Box<Diagnostic>> {
        let _ = (bytes, settings);
        Err(Box::new(self.about().lacks(Offer::Disassemble)))
    }

    /// An instruction of a container's code, by its number among those of [`code`](Target::code), taken apart
    /// field by field, with what belongs to it and stands elsewhere. `None` where no instruction stands.
    ///
    /// # Errors
    /// As [`code`](Target::code).
    fn explain(
        &self,
        bytes: &[u8],
        settings: &Settings,
        number: usize,
    ) -> Result<Option<String>, Box<Diagnostic>> {
        let code = self.code(bytes, settings)?;
        let Some(line) = code.lines.get(number) else { return Ok(None) };
        let set = self.instructions(settings).map_err(|mut errors| Box::new(errors.swap_remove(0)))?;
        let word = chiaro_isa::Word::load(code.bytes_of(line));
        Ok(set.explain(&[word], line.length as usize).ok().map(|explained| explained.text))
    }

    /// Checks a container, or code alone, by the rules of the hardware.
    ///
    /// # Errors
    /// What keeps the bytes from being read.
    fn check(&self, bytes: &[u8], settings: &Settings) -> Result<Vec<Finding>, Box<Diagnostic>> {
        let _ = (bytes, settings);
        Err(Box::new(self.about().lacks(Offer::Check)))
    }

    /// The errors among what [`check`](Target::check) finds. An assembler asks for them after every
    /// run, so a target whose check takes longer than its assembler leaves out the rest here.
    ///
    /// # Errors
    /// As [`check`](Target::check).
    fn hazards(&self, bytes: &[u8], settings: &Settings) -> Result<Vec<Finding>, Box<Diagnostic>> {
        let mut found = self.check(bytes, settings)?;
        found.retain(|finding| finding.rule.severity == Severity::Error);
        Ok(found)
    }

    /// What a container's code, or code alone, takes of the machine.
    ///
    /// # Errors
    /// What keeps the bytes from being read, and settings that the target does not have.
    fn report(&self, bytes: &[u8], settings: &Settings) -> Result<Report, Box<Diagnostic>> {
        let _ = (bytes, settings);
        Err(Box::new(self.about().lacks(Offer::Report)))
    }

    /// What each instruction of a container's code, or of code alone, does and takes: those of
    /// [`code`](Target::code), in their order.
    ///
    /// # Errors
    /// What keeps the bytes from being read, and settings that the target does not have.
    fn anatomy(&self, bytes: &[u8], settings: &Settings) -> Result<Anatomy, Box<Diagnostic>> {
        let _ = (bytes, settings);
        Err(Box::new(self.about().lacks(Offer::Anatomy)))
    }

    /// The registers that a register is made of, low bits first, with the bits of each: whoever writes a part
    /// writes the whole, and the other way round. None where it shares its bits with no other.
    fn parts_of(&self, register: &str) -> Vec<(String, u32)> {
        let _ = register;
        Vec::new()
    }

    /// Edits that often mend broken rules, for each rule those that do the least first.
    fn remedies(&self) -> &'static [Remedy] {
        &[]
    }

    /// Whether a register of a matrix that the host program sets holds one of its rows, and not a column.
    fn holds_rows(&self) -> bool {
        false
    }

    /// What the tools of vendors call what a [`Report`] of this target counts: their term, and the name of the
    /// resource or statistic. What accounts of instructions say anyway is not among them.
    fn terms(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// How far cycles of this target are from those of the machine, and who measured that.
    fn measured_error(&self) -> Option<&'static str> {
        None
    }

    /// What a container holds, for people: lines without the file's name.
    ///
    /// # Errors
    /// What keeps the bytes from being read.
    fn info(&self, bytes: &[u8]) -> Result<String, Box<Diagnostic>> {
        let _ = bytes;
        Err(Box::new(self.about().lacks(Offer::Info)))
    }

    /// The programs of a container where it has several: the settings that name each for
    /// [`report`](Target::report). Bytes that cannot be read have none.
    fn programs(&self, bytes: &[u8]) -> Vec<(String, String)> {
        let _ = bytes;
        Vec::new()
    }

    /// What a container holds, for machines; with all instructions taken apart if asked for.
    ///
    /// # Errors
    /// What keeps the bytes from being read.
    fn info_json(&self, bytes: &[u8], with_code: bool) -> Result<Json, Box<Diagnostic>> {
        let _ = (bytes, with_code);
        Err(Box::new(self.about().lacks(Offer::Info)))
    }

    /// What a driver writes to the GPU's registers to load the first programs of a container, as the
    /// command list that the GPU reads.
    ///
    /// # Errors
    /// What keeps the bytes from being read, and what the registers cannot hold.
    fn commands(&self, bytes: &[u8]) -> Result<Vec<u8>, Box<Diagnostic>> {
        let _ = bytes;
        Err(Box::new(self.about().lacks(Offer::Commands)))
    }

    /// Compiles what the target has stages for of the given shaders into one container. The driver
    /// `cx` times, watches and stops passes.
    ///
    /// # Errors
    /// What the machine cannot do or hold, with its place in the source.
    fn compile(
        &self,
        shaders: &[Shader<'_>],
        options: &CompileOptions,
        sources: &SourceMap,
        cx: &mut Cx<'_>,
    ) -> Result<CompiledShader, Vec<Diagnostic>> {
        let _ = (shaders, options, sources, cx);
        Err(vec![self.about().lacks(Offer::Compile)])
    }

    /// Compiles one shader and keeps what is needed to compare its code with the source: for
    /// random shaders and for those of test suites.
    ///
    /// # Errors
    /// As [`Target::compile`].
    fn prove<'a>(
        &self,
        shader: Shader<'a>,
        options: &CompileOptions,
        cx: &mut Cx<'_>,
    ) -> Result<Box<dyn Proof + 'a>, Vec<Diagnostic>> {
        let _ = (shader, options, cx);
        Err(vec![self.about().lacks(Offer::Verify)])
    }

    /// Whether the simulator knows the mode and the assumptions.
    ///
    /// # Errors
    /// Each name or value that it does not know, with those that it does.
    fn check_simulation(&self, options: &SimulateOptions) -> Result<(), Vec<Diagnostic>> {
        let _ = options;
        Err(vec![self.about().lacks(Offer::Simulate)])
    }

    /// Runs a container's program on the simulator.
    ///
    /// # Errors
    /// A container that cannot be read, names that the program does not have, values that do not
    /// fit, unknown modes and assumptions, work that the machine has no units for. An invocation
    /// that stops early is no error here.
    fn simulate(
        &self,
        container: &[u8],
        inputs: &Inputs,
        options: &SimulateOptions,
    ) -> Result<Simulated, Vec<Diagnostic>> {
        let _ = (container, inputs, options);
        Err(vec![self.about().lacks(Offer::Simulate)])
    }

    /// What a fragment program in a container reads of the vertices. Empty where a compiler says it.
    fn varyings(&self, container: &[u8]) -> Vec<Varying> {
        let _ = container;
        Vec::new()
    }

    /// The program that draws, of a compiled stage and so many samples of a pixel: joined to what a driver adds
    /// where nothing is blended and a picture has floats. `None` where a compiler makes whole programs.
    ///
    /// # Errors
    /// What keeps it from being joined.
    fn drawn(&self, container: &[u8], samples: u32) -> Result<Option<Vec<u8>>, Vec<Diagnostic>> {
        let _ = (container, samples);
        Ok(None)
    }

    /// What the state that is joined to a fragment program makes of its colours, told by arithmetic and not by
    /// code. `None` where a program has no such state.
    fn merge(&self, container: &[u8], resources: &[(String, Value)]) -> Option<Box<dyn Merge>> {
        let _ = (container, resources);
        None
    }

    /// The bytes of an acceleration structure of a scene, as the programs of this machine read them from a buffer.
    ///
    /// # Errors
    /// The target has no such structures, or not of that size.
    fn structure(&self, scene: &Scene, structure: usize) -> Result<Vec<u8>, Vec<Diagnostic>> {
        let _ = (scene, structure);
        let message = format!("{} traces no rays", self.about().machine);
        Err(vec![Diagnostic::error(None, message).help("leave out `--target`: the interpreter does")])
    }

    /// Joins parts that were made separately to one program.
    ///
    /// # Errors
    /// Parts that cannot be read, that are missing, or that do not fit to each other.
    fn link(&self, parts: &[Piece], settings: &Settings) -> Result<LinkedParts, Vec<Diagnostic>> {
        let _ = (parts, settings);
        Err(vec![self.about().lacks(Offer::Link)])
    }

    /// Whether functions of modules that are compiled apart can call each other: [`link`](Self::link) joins them.
    fn links_functions(&self) -> bool {
        false
    }

    /// The kinds of parts that [`part`](Self::part) makes.
    fn part_kinds(&self) -> &'static [&'static str] {
        &[]
    }

    /// Makes a part of a program from its key alone. Which kind of part, `kind` says; without it the key does.
    ///
    /// # Errors
    /// A kind that is not there, a key with a field or value that there cannot be.
    fn part(
        &self,
        kind: &str,
        key: KeyText<'_>,
        options: &CompileOptions,
        cx: &mut Cx<'_>,
    ) -> Result<CompiledShader, Vec<Diagnostic>> {
        let _ = (kind, key, options, cx);
        Err(vec![self.about().lacks(Offer::Link)])
    }

    /// Makes the parts that a text of keys asks for, to be linked with others that are given: those say what the
    /// keys leave out.
    ///
    /// # Errors
    /// As [`part`](Self::part).
    fn parts(
        &self,
        given: &[Piece],
        keys: KeyText<'_>,
        settings: &Settings,
    ) -> Result<Vec<Piece>, Vec<Diagnostic>> {
        let _ = (given, keys, settings);
        Err(vec![self.about().lacks(Offer::Link)])
    }

    /// Takes a container's program, or code alone, back to a shader that other machines run, and that
    /// computes what the simulator does.
    ///
    /// # Errors
    /// A container that cannot be read, settings and names that are not there, and what the program
    /// does that has no form elsewhere.
    fn lift(&self, bytes: &[u8], options: &LiftOptions) -> Result<Lifted, Vec<Diagnostic>> {
        let _ = (bytes, options);
        Err(vec![self.about().lacks(Offer::Lift)])
    }

    /// Calling conventions that the target brings along: their names, and their texts as files have them.
    fn abis(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// What a calling convention comes to: who keeps which registers, where the parameters of a signature stand and
    /// why, what a call costs.
    ///
    /// # Errors
    /// What is wrong with the convention or the signature, with its place.
    fn abi(&self, sources: &SourceMap, options: &AbiOptions) -> Result<Abi, Vec<Diagnostic>> {
        let _ = (sources, options);
        Err(vec![self.about().lacks(Offer::Abi)])
    }
}
