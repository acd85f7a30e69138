//! The emitter itself: what is known while words are written, and the few steps that all parts of
//! the work share. The parts are methods in the other files of this folder.

use std::collections::{HashMap, HashSet, VecDeque};

use chiaro_diag::Diagnostic;
use chiaro_words::write::{Builder, Id};
use chiaro_words::{Module, limits};

use super::exact::Exact;
use super::features::{LISTS_ALL, minor_version, uses_vulkan_memory};
use super::interface;
use super::needs::{BARYCENTRIC, MESHES, MESHES_NV, Need, QUERY, TRACING};
use super::state::{Body, Heaps, Instance, Key, References, Root, TypeTable};
use crate::hir::Program;
use crate::symbol::Symbols;
use crate::token::{At, Tokens};
use spirv::Decoration;

/// Expressions and statements that may stand inside of one another. The parser's limit is
/// lower; this one keeps programs made by other means off the stack's end.
pub(crate) const DEEPEST: u32 = 2000;

/// What is known while words are written. The parts of the work are methods in the files of
/// this folder.
pub(crate) struct Emitter<'a> {
    /// The version of SPIR-V is 1.`minor`.
    pub(crate) minor: u8,
    pub(crate) program: &'a Program,
    pub(crate) tokens: &'a Tokens,
    pub(crate) symbols: &'a Symbols,
    pub(crate) out: Builder,
    pub(crate) types: TypeTable,
    /// Where each variable of the module is, by its number.
    pub(crate) globals: Vec<Root>,
    /// Variables that the host or another stage sees, with the number of their declaration.
    pub(crate) seen: Vec<(Id, Option<u32>)>,
    /// Inputs and outputs, which the entry point lists; from a version on all variables.
    pub(crate) touched: Vec<Id>,
    /// Values of specialisation constants.
    pub(crate) specs: Vec<Id>,
    /// Whether an id is a constant's, by its number.
    pub(crate) constants: Vec<bool>,
    /// Decorations that a use has brought to a variable.
    pub(crate) marked: HashSet<(Id, u32)>,
    /// Arrays of constants that are indexed, as variables.
    pub(crate) tables: HashMap<Id, Id>,
    pub(crate) exact: Exact,
    /// Ids that differ between invocations, where the source says so.
    pub(crate) nonuniform: HashSet<Id>,
    pub(crate) instances: HashMap<Key, Id>,
    pub(crate) references: References,
    pub(crate) heaps: Heaps,
    pub(crate) queue: VecDeque<Instance>,
    pub(crate) body: Body,
    pub(crate) depth: u32,
    /// Whether each access says who sees memory: the memory model is that of Vulkan.
    pub(crate) by_access: bool,
    /// Whether textures are made of handles, whose width the words have to say.
    pub(crate) addresses_textures: bool,
    /// The first thing that went wrong; later ones may follow from it.
    pub(crate) error: Option<Box<Diagnostic>>,
}

impl<'a> Emitter<'a> {
    pub(crate) fn new(program: &'a Program, tokens: &'a Tokens, symbols: &'a Symbols) -> Emitter<'a> {
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
            by_access: uses_vulkan_memory(program),
            addresses_textures: false,
            error: None,
        }
    }

    /// Everything that follows is written for this piece of source.
    pub(crate) fn at(&mut self, at: At) {
        self.body.span = self.tokens.span(at);
    }

    /// Whether entry points list every variable of the module. [SPIR-V 1.4]
    pub(crate) fn lists_all_variables(&self) -> bool {
        self.minor >= LISTS_ALL
    }

    /// Notes an error at the piece of source that is being written; the words are lost then,
    /// so any id will do as a result.
    pub(crate) fn fail(&mut self, message: impl Into<String>) -> Id {
        let span = self.body.span;
        self.error.get_or_insert_with(|| Box::new(Diagnostic::error(span, message)));
        0
    }

    /// Decorates a variable, however often it is asked for.
    pub(crate) fn decorate_once(&mut self, id: Id, decoration: spirv::Decoration) {
        if self.marked.insert((id, decoration as u32)) {
            self.out.decorate(id, decoration, &[]);
        }
    }

    pub(crate) fn note_constant(&mut self, id: Id) {
        let at = id as usize;
        if self.constants.len() <= at {
            self.constants.resize(at + 1, false);
        }
        self.constants[at] = true;
    }

    pub(crate) fn finish(self) -> Result<Module, Box<Diagnostic>> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let Emitter { program, symbols, seen, out, .. } = self;
        let mut module =
            out.finish().map_err(|error| Box::new(Diagnostic::error(error.span, error.to_string())))?;
        if let Some(exceeded) = limits::exceeded(&module) {
            return Err(too_much(&module, exceeded));
        }
        chiaro_words::small::settle(&mut module);
        module.interface = interface::of(program, symbols, &module.words, &seen);
        Ok(module)
    }
}

/// What a module has too much of, as a message.
fn too_much(module: &Module, exceeded: limits::Exceeded) -> Box<Diagnostic> {
    let limits::Exceeded { instruction, what, used, allowed } = exceeded;
    let span = module.spans.get(instruction).copied().flatten();
    let message = format!("{used} {what} are too many: SPIR-V allows {allowed}");
    Box::new(Diagnostic::error(span, message))
}

impl Emitter<'_> {
    /// Declares what is needed.
    pub(super) fn need(&mut self, Need(capabilities, extensions): Need) {
        for &capability in capabilities {
            self.out.capability(capability);
        }
        for extension in extensions {
            self.out.extension(extension);
        }
    }

    /// What an acceleration structure asks for: it is there for rays, or for queries.
    pub(super) fn need_acceleration(&mut self) {
        self.need(if self.program.stage.is_of_rays() { TRACING } else { QUERY });
    }

    /// The decoration of inputs that come by vertex.
    pub(super) fn per_vertex(&mut self) -> Decoration {
        self.need(BARYCENTRIC);
        Decoration::PerVertexKHR
    }

    /// The decoration of inputs that come by primitive.
    pub(super) fn per_primitive(&mut self) -> Decoration {
        let nv = |&name: &crate::token::Symbol| self.symbols.text(name) == "GL_NV_mesh_shader";
        self.need(if self.program.extensions.iter().any(nv) { MESHES_NV } else { MESHES });
        Decoration::PerPrimitiveEXT
    }
}
