//! The IR as SPIR-V: what lifted programs and other modules of ours are, for every consumer of Vulkan's
//! words.
//!
//! Constructs are those of SPIR-V once exits over several levels are lowered; results of constructs
//! become phis. Vertex, fragment and compute shaders with scalars, vectors, arrays, structures, local
//! variables and blocks; what has no form here (images, atomics, subgroups, rays) is an error that
//! names it.

mod body;
mod ops;
mod types;

use std::borrow::Cow;
use std::fmt;

use chiaro_diag::Span;
use chiaro_ir::{
    EntryPoint, Exits, FunctionRef, Global, GlobalRef, Module, Space, Stage, has_other_exits, lower_exits,
};
use chiaro_words::write::{Builder, Id, Part};
use spirv::{AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, MemoryModel, Op};

use types::Types;

/// Something that is not written as SPIR-V yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unwritten(pub String);

impl fmt::Display for Unwritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot be written as SPIR-V here", self.0)
    }
}

impl std::error::Error for Unwritten {}

/// The exits that SPIR-V has: out of loops and functions, from anywhere in the loop.
const EXITS: Exits =
    Exits { blocks: false, breaks: true, continues: true, returns: true, across_loops: false };

/// The words of a module with one of its entry points, of version 1.3.
///
/// # Errors
/// The first thing that has no form here.
pub fn emit(module: &Module, entry: &str) -> Result<Vec<u32>, Unwritten> {
    emit_named(module, entry, &Nameless)
}

/// What values are called.
pub trait Names {
    /// What comes of a place in the source.
    fn of_place(&self, place: Span) -> Option<String>;

    /// Whether nothing at all has a name, so that none is looked for.
    fn is_empty(&self) -> bool {
        false
    }

    /// A parameter of a function.
    fn of_param(&self, _function: FunctionRef, _n: usize) -> Option<String> {
        None
    }
}

struct Nameless;

impl Names for Nameless {
    fn of_place(&self, _place: Span) -> Option<String> {
        None
    }

    fn is_empty(&self) -> bool {
        true
    }
}

/// As [`emit`], with names for what comes of places in the source. Of several instructions of one place, the last
/// has the name; a phi has that of the first of its values.
///
/// # Errors
/// As [`emit`].
pub fn emit_named(module: &Module, entry: &str, names: &dyn Names) -> Result<Vec<u32>, Unwritten> {
    let mut module = Cow::Borrowed(module);
    for f in (0..module.functions.len() as u32).map(FunctionRef) {
        let function = module.function(f);
        if !function.is_straight() && has_other_exits(function, EXITS) {
            let _ = lower_exits(module.to_mut(), f, EXITS);
        }
    }
    let point = module.entry(entry).ok_or_else(|| Unwritten(format!("the entry point `{entry}`")))?;
    let mut emitter = Emitter::new(&module, names);
    emitter.head();
    emitter.globals()?;
    for f in 0..module.functions.len() as u32 {
        emitter.function(FunctionRef(f))?;
    }
    emitter.entry(point)?;
    emitter.b.finish_words().map_err(|error| Unwritten(error.to_string()))
}

/// A module while it is written.
struct Emitter<'m> {
    module: &'m Module,
    b: Builder,
    types: Types,
    globals: Vec<Id>,
    functions: Vec<Id>,
    /// The instruction set of functions.
    extended: Id,
    names: &'m dyn Names,
}

impl<'m> Emitter<'m> {
    fn new(module: &'m Module, names: &'m dyn Names) -> Self {
        let mut b = Builder::new(1, 3);
        b.capability(Capability::Shader);
        let extended = b.import("GLSL.std.450");
        let functions = module.functions.iter().map(|_| b.fresh()).collect();
        let globals = Vec::with_capacity(module.globals.len());
        Emitter { module, b, types: Types::of(module), globals, functions, extended, names }
    }

    fn head(&mut self) {
        let model = [AddressingModel::Logical as u32, MemoryModel::GLSL450 as u32];
        self.b.push(Part::MemoryModel, Op::MemoryModel, &model);
    }

    fn globals(&mut self) -> Result<(), Unwritten> {
        let module = self.module;
        for global in &module.globals {
            let class = types::class(global.space)?;
            let ty = self.ty(global.ty)?;
            let pointer = self.b.pointer(class, ty);
            let id = self.b.variable(class, pointer);
            self.b.name(id, &global.name);
            if matches!(global.space, Space::Uniform | Space::Storage | Space::PushConstant) {
                self.b.decorate(ty, Decoration::Block, &[]);
            }
            self.bind(id, global);
            self.globals.push(id);
        }
        Ok(())
    }

    /// How a variable meets the outside.
    fn bind(&mut self, id: Id, global: &Global) {
        let binding = &global.binding;
        let numbers = [
            (Decoration::BuiltIn, binding.builtin),
            (Decoration::Location, binding.location),
            (Decoration::Component, Some(binding.component).filter(|&component| component > 0)),
            (Decoration::DescriptorSet, binding.set),
            (Decoration::Binding, binding.binding),
        ];
        for (decoration, number) in numbers {
            if let Some(number) = number {
                self.b.decorate(id, decoration, &[number]);
            }
        }
    }

    fn entry(&mut self, point: &EntryPoint) -> Result<(), Unwritten> {
        let (model, mode) = match point.stage {
            Stage::Vertex => (ExecutionModel::Vertex, None),
            Stage::Fragment => (ExecutionModel::Fragment, Some(ExecutionMode::OriginUpperLeft)),
            Stage::Compute => (ExecutionModel::GLCompute, None),
            Stage::Geometry => {
                self.b.capability(Capability::Geometry);
                (ExecutionModel::Geometry, None)
            }
            other => return Err(Unwritten(format!("a {} shader", other.name()))),
        };
        let is_seen = |g: &&GlobalRef| matches!(self.module.global(**g).space, Space::Input | Space::Output);
        let variables: Vec<Id> =
            point.interface.iter().filter(is_seen).map(|g| self.globals[g.0 as usize]).collect();
        let function = self.functions[point.function.0 as usize];
        self.b.entry_point(model, function, &point.name, &variables);
        if let Some(mode) = mode {
            self.b.push(Part::ExecutionMode, Op::ExecutionMode, &[function, mode as u32]);
        }
        for (mode, operands) in &point.modes {
            self.b.push(Part::ExecutionMode, Op::ExecutionMode, &[&[function, *mode][..], operands].concat());
        }
        if point.stage == Stage::Compute {
            let size = [function, ExecutionMode::LocalSize as u32];
            self.b.push(Part::ExecutionMode, Op::ExecutionMode, &[&size[..], &point.workgroup].concat());
        }
        Ok(())
    }
}
