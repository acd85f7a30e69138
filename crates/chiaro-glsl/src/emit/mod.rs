//! The checked program as SPIR-V words, in the flavour of OpenGL.
//!
//! Every loose uniform is one named `UniformConstant` variable of its own type, structures may
//! hold samplers, sets, bindings and locations stand only where the source gives them, and
//! fragments count from the lower left. `chiaro_words::vulkanize` makes Vulkan's flavour of it.
//!
//! What holds of the words:
//! - functions are written from `main` on, each as often as it is called with other opaque
//!   arguments ([`function`]); what nothing calls is not there;
//! - variables of functions are memory; nothing is promoted or folded here;
//! - every selection and loop has its merge block; code behind a jump is left out.

mod arith;
mod block_match;
mod blocks;
mod call;
mod constant;
mod construct;
mod convert;
mod coop;
mod exact;
mod expr;
mod family;
mod float;
mod footprint;
mod function;
mod global;
mod heap;
mod hit_object;
mod image;
mod inline;
mod interface;
mod intrinsic;
mod memory;
mod message;
mod needs;
mod nonuniform;
mod place;
mod ray;
mod reference;
mod sample;
mod sharing;
mod sized;
mod small;
mod specialise;
mod stmt;
mod subgroup;
mod tensor;
mod types;

use std::collections::{HashMap, HashSet, VecDeque};

use chiaro_diag::Diagnostic;
use chiaro_words::Module;
use chiaro_words::write::{Builder, Id};

use crate::hir::{Global, Program};
use crate::qualifier::Storage;
use crate::source::Stage;
use crate::symbol::Symbols;
use crate::token::At;
use crate::token::Tokens;
use exact::Exact;
use function::{Body, Instance, Key};
use global::Root;
use heap::{Heaps, is_in_heap};
use reference::References;
use types::TypeTable;

/// Expressions and statements that may stand inside of one another. The parser's limit is
/// lower; this one keeps programs made by other means off the stack's end.
const DEEPEST: u32 = 2000;

/// The minor version from which on entry points list every variable. [SPIR-V 1.6, 3.42.4]
const LISTS_ALL: u8 = 4;

/// Words for a checked program.
///
/// # Errors
/// What SPIR-V has no words for, or what is too large for them: told at its place.
pub fn emit(program: &Program, tokens: &Tokens, symbols: &Symbols) -> Result<Module, Box<Diagnostic>> {
    let mut emitter = Emitter::new(program, tokens, symbols);
    emitter.declare_specs();
    emitter.declare_globals();
    emitter.functions();
    emitter.modes();
    emitter.finish()
}

/// What is known while words are written. The parts of the work are methods in the files of
/// this folder.
struct Emitter<'a> {
    /// The version of SPIR-V is 1.`minor`.
    minor: u8,
    program: &'a Program,
    tokens: &'a Tokens,
    symbols: &'a Symbols,
    out: Builder,
    types: TypeTable,
    /// Where each variable of the module is, by its number.
    globals: Vec<Root>,
    /// Variables that the host or another stage sees, with the number of their declaration.
    seen: Vec<(Id, Option<u32>)>,
    /// Inputs and outputs, which the entry point lists; from a version on all variables.
    touched: Vec<Id>,
    /// Values of specialisation constants.
    specs: Vec<Id>,
    /// Whether an id is a constant's, by its number.
    constants: Vec<bool>,
    /// Decorations that a use has brought to a variable.
    marked: HashSet<(Id, u32)>,
    /// Arrays of constants that are indexed, as variables.
    tables: HashMap<Id, Id>,
    exact: Exact,
    /// Ids that differ between invocations, where the source says so.
    nonuniform: HashSet<Id>,
    instances: HashMap<Key, Id>,
    references: References,
    heaps: Heaps,
    queue: VecDeque<Instance>,
    body: Body,
    depth: u32,
    /// Whether each access says who sees memory: the memory model is that of Vulkan.
    by_access: bool,
    /// The first thing that went wrong; later ones may follow from it.
    error: Option<Box<Diagnostic>>,
}

impl<'a> Emitter<'a> {
    fn new(program: &'a Program, tokens: &'a Tokens, symbols: &'a Symbols) -> Emitter<'a> {
        let minor = minor_version(program);
        Emitter {
            minor,
            program,
            tokens,
            symbols,
            out: Builder::new(1, minor),
            types: TypeTable::default(),
            globals: Vec::with_capacity(program.globals.len()),
            seen: Vec::new(),
            touched: Vec::new(),
            specs: Vec::new(),
            constants: Vec::new(),
            marked: HashSet::new(),
            tables: HashMap::new(),
            exact: Exact::of(program),
            nonuniform: HashSet::new(),
            instances: HashMap::new(),
            references: References::default(),
            heaps: Heaps::default(),
            queue: VecDeque::new(),
            body: Body::default(),
            depth: 0,
            by_access: sharing::is_needed(program),
            error: None,
        }
    }

    /// Everything that follows is written for this piece of source.
    fn at(&mut self, at: At) {
        self.body.span = self.tokens.span(at);
    }

    /// Whether entry points list every variable of the module. [SPIR-V 1.4]
    fn lists_all_variables(&self) -> bool {
        self.minor >= LISTS_ALL
    }

    /// Notes an error at the piece of source that is being written; the words are lost then,
    /// so any id will do as a result.
    fn fail(&mut self, message: impl Into<String>) -> Id {
        let span = self.body.span;
        self.error.get_or_insert_with(|| Box::new(Diagnostic::error(span, message)));
        0
    }

    /// Decorates a variable, however often it is asked for.
    fn decorate_once(&mut self, id: Id, decoration: spirv::Decoration) {
        if self.marked.insert((id, decoration as u32)) {
            self.out.decorate(id, decoration, &[]);
        }
    }

    fn note_constant(&mut self, id: Id) {
        let at = id as usize;
        if self.constants.len() <= at {
            self.constants.resize(at + 1, false);
        }
        self.constants[at] = true;
    }

    fn finish(self) -> Result<Module, Box<Diagnostic>> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let Emitter { program, symbols, seen, out, .. } = self;
        let mut module =
            out.finish().map_err(|error| Box::new(Diagnostic::error(error.span, error.to_string())))?;
        module.interface = interface::of(program, symbols, &module.words, &seen);
        Ok(module)
    }
}

/// Whether a variable is a block in shared memory.
fn is_shared_block(global: &Global) -> bool {
    global.storage == Storage::Shared && global.block.is_some()
}

/// The version of SPIR-V that a program asks for: 1.`n`.
fn minor_version(program: &Program) -> u8 {
    let opaque = |ty: &crate::ty::Type| {
        use crate::ty::Opaque::{AccelerationStructure, HitObject, RayQuery};
        matches!(ty, crate::ty::Type::Opaque(AccelerationStructure | RayQuery | HitObject(_)))
    };
    // [SPV_KHR_workgroup_memory_explicit_layout]
    let shares_blocks = program.globals.iter().any(|global| is_shared_block(global) || is_in_heap(global));
    match shares_blocks || program.stage.is_of_rays() || program.types.all().any(opaque) {
        true => LISTS_ALL,
        false if needs_newer(program) => 3,
        false => 0,
    }
}

/// Whether the words must be of SPIR-V 1.3: for storage buffers and votes of subgroups.
fn needs_newer(program: &Program) -> bool {
    program.stage == Stage::Compute
        || !program.extensions.is_empty()
        || program.version.number >= 430
        || program.globals.iter().any(|g| matches!(g.storage, Storage::Buffer))
        || types::any_counter(program)
}
