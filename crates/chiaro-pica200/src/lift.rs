//! Programs as shaders that other machines run: words to the IR, bit for bit.
//!
//! The graph of a program comes from the stacks as the simulator has them, what its words compute from
//! the micro-ops that the simulator runs, so that there is one place for each fact and every setting of
//! [`Config`] holds here as there. Then constructs are found, registers become values, and what nothing
//! needs goes.
//!
//! | file | does |
//! |---|---|
//! | `graph` | words and stacks to a graph |
//! | `procedures` | what the graph calls more than once |
//! | `rounds` | loops that are left from their heads, where people are to read them |
//! | `live` | what goes into it, and what comes back |
//! | `tree` | the graph to nested constructs |
//! | `within` | what constructs write |
//! | `write` | constructs and their conditions |
//! | `calls` | procedures as functions |
//! | `values` | micro-ops to operations |
//! | `interface` | attributes, uniforms, outputs |
//! | `buffers` | attributes and outputs of the compute form |
//! | `outputs` | registers to outputs |
//! | `products` | the machine's rule for zero |
//! | `guards` | where that rule is not needed |
//! | `facts` | what is known of numbers, for that |
//! | `bounds` | what operations make of the least and the largest |
//! | `helpers` | functions: products and sums by that rule |
//! | `primitives` | vertices that geometry programs keep and send |
//! | `float24` | the arithmetic of [`Mode::Hw24`](crate::machine::Mode::Hw24), of which languages have none |

mod bounds;
mod buffers;
mod calls;
mod facts;
mod float24;
mod graph;
mod guards;
mod helpers;
mod interface;
mod live;
mod outputs;
mod primitives;
mod procedures;
mod products;
mod rounds;
mod tree;
mod values;
mod within;
mod write;

use std::collections::HashMap;
use std::fmt;

use chiaro_diag::{FileId, Span};
use chiaro_ir::{FunctionRef, Module};
use chiaro_opt::{Cx, Pass};

use crate::container::{Dvle, Shbin, Stage};
use crate::machine::config::{Config, EngineChoice};
use crate::machine::flow::Flow;
use crate::machine::{LoadError, Program, Register};
use graph::{Action, Graph};
use guards::drop_guards;
use procedures::{Procedure, procedures};
use rounds::rounds;
use tree::Tree;
use write::{Written, wrong};

/// How much of what only this machine does is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// All of it: the result computes what the simulator does, bit for bit.
    #[default]
    Exact,
    /// What a person would have written: products, sums, choices and indices as the language has them.
    /// Numbers that are not finite, indices out of range, and the order of sums may come out otherwise;
    /// compiled for this machine the first two are its own again.
    Plain,
}

/// What kind of shader the result is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Form {
    /// One of the program's own stage.
    #[default]
    Stage,
    /// One that computes, from a buffer to a buffer: `lift/buffers.rs` says what stands where.
    Compute,
}

/// What is wanted.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Options {
    /// Uniforms that are known.
    pub given: Given,
    /// How much of the machine is said.
    pub style: Style,
    /// What kind of shader.
    pub form: Form,
    /// Of a program without an output map, as an emulator has it: the o register that is the position. Languages
    /// ask for one in a vertex shader.
    pub position: Option<u8>,
}

/// Uniforms whose values are known: the program is made for them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Given {
    /// c registers.
    pub floats: HashMap<u8, [f32; 4]>,
    /// i registers: rounds after the first, start, step.
    pub ints: HashMap<u8, [u8; 4]>,
    /// b registers.
    pub bools: HashMap<u8, bool>,
}

/// A program as a memory has it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The words.
    pub words: &'a [u32],
    /// The operand descriptors.
    pub descriptors: &'a [[u32; 2]],
    /// Where it begins.
    pub entry: u32,
    /// Names, constants and the output map, if there are any.
    pub executable: Option<&'a Dvle>,
}

impl<'a> Source<'a> {
    /// Executable number `n` of a file.
    pub fn of(file: &'a Shbin, n: usize) -> Option<Source<'a>> {
        let executable = file.executables.get(n)?;
        let program = &file.program;
        Some(Source {
            words: &program.code,
            descriptors: &program.descriptors,
            entry: executable.entry,
            executable: Some(executable),
        })
    }
}

/// A lifted program.
#[derive(Debug)]
pub struct Lifted {
    /// A shader whose entry point is `main`.
    pub module: Module,
    /// The most corners that an invocation of a geometry program sends; 0 of a vertex program.
    pub corners: u32,
    /// Names of what it computes. The span of an instruction is that of its word, [`WORD`] bytes.
    pub names: Names,
    /// What the program does at some places that has no form elsewhere.
    pub notes: Vec<Note>,
}

/// What values are to be called.
#[derive(Clone, Default, Debug)]
pub struct Names {
    /// By word: its result.
    pub results: Vec<Option<Name>>,
    /// Parameters of functions, in order.
    pub params: Vec<(FunctionRef, Vec<String>)>,
}

/// A name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Name {
    /// That of the register that a word writes.
    Register(Register),
    /// Another one.
    Text(String),
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Register(register) => register.fmt(f),
            Name::Text(text) => f.write_str(text),
        }
    }
}

/// Something that a reader of the result should know.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Note {
    /// A word that is no instruction can be reached: the program ends there.
    Unknown(u16),
    /// BREAK can be reached outside of all loops, which hangs the GPU: the program ends there.
    NoLoop(u16),
    /// EMIT or SETEMIT can be reached in a vertex program, where they do nothing.
    NoEmitter(u16),
    /// The program goes on behind its last word, which is before this one: words of zero stand there, which are
    /// additions.
    PastEnd(u16),
    /// Circles are entered in their midst: a loop chooses piece by piece what runs next.
    Dispatch,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Unknown(at) => write!(f, "the word at {at:#05x} is no instruction; the program ends there"),
            Note::NoLoop(at) => {
                write!(
                    f,
                    "BREAK at {at:#05x} can be reached outside of all loops, which hangs the GPU; the program ends there"
                )
            }
            Note::NoEmitter(at) => {
                write!(
                    f,
                    "the word at {at:#05x} is for geometry programs; in a vertex program it does nothing"
                )
            }
            Note::PastEnd(at) => write!(
                f,
                "the program goes on at {at:#05x}, behind its last word, where words of zero stand: each is an addition of v0 to itself, by descriptor 0"
            ),
            Note::Dispatch => f.write_str(
                "the program jumps into the midst of a circle: a loop chooses piece by piece what runs next",
            ),
        }
    }
}

/// More than is allowed of something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge {
    /// Of what.
    pub what: &'static str,
    /// The most.
    pub allowed: usize,
    /// Where it was noticed.
    pub at: u16,
}

/// Why a program is not lifted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LiftError {
    /// It does not load.
    Load(LoadError),
    /// It has too much of something.
    TooLarge(TooLarge),
    /// A mistake of the lifter.
    Internal(String),
}

impl fmt::Display for LiftError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LiftError::Load(error) => error.fmt(f),
            LiftError::TooLarge(TooLarge { what, allowed, at }) => {
                write!(
                    f,
                    "the program takes more than {allowed} {what}, noticed at word {at:#05x}; each way in which a procedure is called takes places of its own"
                )
            }
            LiftError::Internal(why) => write!(f, "a mistake of the lifter: {why}"),
        }
    }
}

impl std::error::Error for LiftError {}

/// What makes values of the variables that registers are, and drops what nothing needs.
static CLEAN_UP: &[Pass] = &[
    Pass { name: "mem2reg", run: chiaro_opt::mem2reg },
    // What is left over many levels becomes values of constructs, without which sums of constants are known.
    Pass { name: "simplify_cfg", run: chiaro_opt::simplify_cfg },
    Pass { name: "trivial_phis", run: chiaro_opt::trivial_phis },
    Pass { name: "simplify", run: chiaro_opt::simplify },
    Pass { name: "cse", run: chiaro_opt::cse },
    Pass { name: "simplify_cfg", run: chiaro_opt::simplify_cfg },
    Pass { name: "dce", run: chiaro_opt::dce },
];

/// What people need not read: what conditions say again, and loops that compute nothing.
static TIDY: &[Pass] = &[
    Pass { name: "const_fold", run: chiaro_opt::const_fold },
    Pass { name: "implied", run: chiaro_opt::implied },
    Pass { name: "simplify", run: chiaro_opt::simplify },
    Pass { name: "dce", run: chiaro_opt::dce },
    Pass { name: "simplify_cfg", run: chiaro_opt::simplify_cfg },
    Pass { name: "trivial_phis", run: chiaro_opt::trivial_phis },
    // What only one way is left to may be constant, or there already.
    Pass { name: "const_fold", run: chiaro_opt::const_fold },
    Pass { name: "cse", run: chiaro_opt::cse },
    Pass { name: "dce", run: chiaro_opt::dce },
];

/// Lifts a program.
///
/// ```
/// use chiaro_pica200::lift::{Options, Source, lift};
/// use chiaro_pica200::machine::Config;
///
/// // `mov o0, v0` and `end`, with the descriptor of the first, as a memory has them.
/// let (words, descriptors) = ([0x4c00_0000, 0x8800_0000], [[0x36f, 0]]);
/// let source = Source { words: &words, descriptors: &descriptors, entry: 0, executable: None };
/// let lifted = lift(&source, &Options::default(), &Config::default())?;
/// assert!(lifted.notes.is_empty());
/// assert!(chiaro_ir::print(&lifted.module).contains("@v0: input vec4<f32> location(0)"));
/// # Ok::<(), chiaro_pica200::lift::LiftError>(())
/// ```
///
/// # Errors
/// See [`LiftError`]. Work and memory are bounded whatever the words.
pub fn lift(source: &Source<'_>, options: &Options, config: &Config) -> Result<Lifted, LiftError> {
    let config = Config { engine: EngineChoice::Scalar, ..config.clone() };
    let program = Program::load_reached(source.words, source.descriptors, source.entry, &config);
    let program = program.map_err(LiftError::Load)?;
    let mut notes = Vec::new();
    let mut graph = Graph::build(&program, &mut notes).map_err(LiftError::TooLarge)?;
    let reached = Reached::of(&program, &graph, source.executable, &mut notes);
    let mut procedures = procedures(&mut graph);
    if options.style == Style::Plain {
        let all = procedures.iter_mut().map(|procedure| &mut procedure.graph);
        all.chain([&mut graph]).for_each(rounds);
    }
    let tree = Tree::of(&graph);
    if tree.is_none() {
        notes.push(Note::Dispatch);
    }
    notes.sort_unstable();
    // What is told once of a program is told of its first place.
    let is_past_end = |note: &Note| matches!(note, Note::PastEnd(_));
    notes.dedup_by(|next, first| next == first || is_past_end(next) && is_past_end(first));
    let Written { mut module, functions, corners, names, mut helpers } = write::written(
        &Lifting { program: &program, graph: &graph, procedures: &procedures, options, reached: &reached },
        tree.as_ref(),
        source.executable,
    )?;
    clean_up(&mut module, &functions, options.style);
    if options.style == Style::Exact {
        functions.iter().for_each(|&(function, _)| drop_guards(&mut module, function, &mut helpers));
    }
    helpers.finish(&mut module).map_err(wrong)?;
    Ok(Lifted { module, corners, names, notes })
}

/// Bytes of a word.
pub const WORD: u32 = 4;

/// The place of a word: the bytes where it stands among the words.
fn place(at: usize) -> Span {
    let start = WORD * at as u32;
    Span { file: FileId(0), start, end: start + WORD }
}

/// A program that is being lifted.
struct Lifting<'a> {
    program: &'a Program,
    graph: &'a Graph,
    procedures: &'a [Procedure],
    options: &'a Options,
    reached: &'a Reached,
}

/// What of a program can be reached.
struct Reached {
    /// By word.
    lines: Vec<bool>,
    /// Whether it is a geometry program: its container or the settings say so, or, where there is no
    /// container, a word that only those have.
    is_geometry: bool,
}

impl Reached {
    fn of(program: &Program, graph: &Graph, executable: Option<&Dvle>, notes: &mut Vec<Note>) -> Reached {
        let mut lines = vec![false; program.lines.len()];
        for action in graph.nodes.iter().flat_map(|node| &node.actions) {
            if let Action::Lines(range) = action {
                lines[range.clone()].fill(true);
            }
        }
        let emits =
            |&at: &usize| lines[at] && matches!(program.lines[at].flow, Flow::Emit | Flow::SetEmit { .. });
        let first = (0..lines.len()).find(emits);
        let is_geometry = match executable {
            _ if program.config.geometry.is_some() => true,
            Some(executable) => executable.stage == Stage::Geometry,
            None => first.is_some(),
        };
        if let (Some(at), false) = (first, is_geometry) {
            notes.push(Note::NoEmitter(at as u16));
        }
        Reached { lines, is_geometry }
    }
}

/// What the documents show to authors of emulators.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/emulators.md")]
struct Emulators;

fn clean_up(module: &mut Module, functions: &[(FunctionRef, bool)], style: Style) {
    let mut cx = Cx::default();
    // A LOOP ends, and a program that does not has no result.
    cx.options.assumptions.progress = style == Style::Plain;
    for &(function, has_values) in functions {
        // Where registers are values from the start, there is nothing to find but what nobody needs.
        if has_values && style == Style::Exact {
            let _ = chiaro_opt::dce(module, function, &mut cx);
            continue;
        }
        let _ = cx.run_all(CLEAN_UP, module, function);
        if style == Style::Plain {
            let _ = cx.run_all(TIDY, module, function);
        }
    }
}
