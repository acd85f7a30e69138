//! The ABI: registers of inputs, uniforms and outputs.
//!
//! | variable | register |
//! |---|---|
//! | input at location n | vN; without a location the lowest that is free; a matrix takes one a column |
//! | uniforms in the order of their declaration | c0 upwards |
//! | scalar, vector | one register |
//! | matrix | one register a row: component k of each of its columns (what citro3d uploads) |
//! | array, structure | its parts one behind the other |
//! | bool uniform | b0 upwards |
//! | integer uniform that a loop counts to | i0 upwards, beside its c register: [`LoopCount`] |
//! | built-in position | o0 |
//! | other outputs in the order of their declaration | the next o register; one a column of a matrix, an element of an array |
//! | outputs that the shader does not write | none |
//!
//! What an output is for follows from its name or, if no name in [`NAMES`] is its own, from its
//! location ([`LOCATIONS`]).

mod counts;
mod names;
mod outputs;

use crate::container::UniformRegister;
use crate::regs::FLOATS;
use chiaro_diag::Diagnostic;
use chiaro_ir::{Binding, EntryPoint, Global, GlobalRef, Module, Space, Ty, Type};
use std::collections::HashMap;

pub use chiaro_target::{Interface, Leaf};
pub(crate) use counts::Count;
pub use counts::LoopCount;
pub(crate) use outputs::Out;
pub use outputs::{LOCATIONS, NAMES};

/// The descriptor set of variables that the hardware fills with the vertices of a geometry program
/// from c(`binding`) on: an array of all their registers.
pub(crate) const VERTICES: u32 = u32::MAX;

/// b registers that there are.
const BOOLS: u8 = 16;

/// v registers that there are.
const INPUTS: u8 = 16;

/// How a value lies in registers; relative to the first register of its variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// One register.
    Vector,
    /// So many rows; the parts that the IR sees are the columns.
    Matrix(u8),
    /// Elements of a shape, so many registers each.
    Array(u32, u16),
    /// Members: first register and shape.
    Struct(Vec<(u16, u32)>),
    /// Boolean uniforms from this one on.
    Bool(u8),
}

/// The registers of an input variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Input {
    pub(crate) first: u8,
    /// One for a scalar or vector, one a column of a matrix, one behind the other for an array.
    pub(crate) count: u8,
}

impl Input {
    /// A bit for each register.
    pub(crate) fn mask(self) -> u16 {
        (0..self.count).fold(0, |mask, i| mask | 1u16.checked_shl(u32::from(self.first + i)).unwrap_or(0))
    }
}

/// The placement of all variables of an entry point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Abi {
    shapes: Vec<Shape>,
    /// First register and shape of each uniform variable.
    uniforms: HashMap<GlobalRef, (u16, u32)>,
    pub(crate) inputs: HashMap<GlobalRef, Input>,
    /// By register.
    pub(crate) outputs: Vec<Out>,
    /// Names for the uniform table: first register and how many.
    pub(crate) names: Vec<(String, UniformRegister, u16)>,
    /// c registers in use.
    pub(crate) floats: u16,
    /// b registers in use.
    pub(crate) bools: u8,
    /// i registers in use, from i0.
    pub(crate) counts: Vec<Count>,
    /// The same for the application.
    pub(crate) loops: Vec<LoopCount>,
}

type Answer<T> = Result<T, Box<Diagnostic>>;

impl Abi {
    /// Places the variables of an entry point of an optimised module.
    ///
    /// # Errors
    /// More registers than there are, or variables that no register can hold.
    pub(crate) fn new(module: &Module, entry: &EntryPoint, interface: &Interface) -> Answer<Abi> {
        let used = &entry.interface;
        let (outputs, floats) = (outputs::placed(module, entry)?, filled(module));
        let mut abi = Abi { outputs, floats, ..Abi::default() };
        let mut pending = Vec::new();
        for (i, global) in module.globals.iter().enumerate() {
            let g = GlobalRef(i as u32);
            match global.space {
                Space::Uniform | Space::UniformConstant | Space::PushConstant => {
                    abi.uniform(module, g, interface)?;
                }
                Space::Input if used.contains(&g) && global.binding.builtin.is_none() => pending.push(g),
                _ => {}
            }
        }
        abi.place_inputs(module, &pending)?;
        abi.name_uniforms(module, interface);
        Ok(abi)
    }

    /// First register and shape of a uniform variable.
    pub(crate) fn place(&self, g: GlobalRef) -> Option<(u16, u32)> {
        self.uniforms.get(&g).copied()
    }

    pub(crate) fn shape(&self, shape: u32) -> &Shape {
        &self.shapes[shape as usize]
    }

    /// How many registers a shape takes, given its elements where it is an array.
    fn add(&mut self, shape: Shape) -> u32 {
        self.shapes.push(shape);
        self.shapes.len() as u32 - 1
    }

    /// A variable that the hardware fills.
    fn vertices(&mut self, module: &Module, g: GlobalRef, first: u16) {
        let mut shape = self.add(Shape::Vector);
        if let Type::Array(..) = module.types.get(module.global(g).ty) {
            shape = self.add(Shape::Array(shape, 1));
        }
        self.uniforms.insert(g, (first, shape));
    }

    fn uniform(&mut self, module: &Module, g: GlobalRef, interface: &Interface) -> Answer<()> {
        if let Some(first) = of_vertices(module.global(g)) {
            self.vertices(module, g, first);
            return Ok(());
        }
        let columns =
            |path: &[u32]| interface.leaves.iter().any(|l| l.columns && l.global == g && l.path == path);
        let first = self.floats;
        let (shape, size) = self.lay(module, module.global(g).ty, &mut Vec::new(), &columns, false, 0)?;
        self.uniforms.insert(g, (first, shape));
        self.floats = self.floats.saturating_add(size);
        if self.floats > FLOATS {
            let message = format!("the uniforms take {} c registers, {FLOATS} are there", self.floats);
            let error = Diagnostic::error(module.global(g).span, message)
                .label("with this one")
                .help("a matrix takes one register a row, everything else one a vector: pack scalars into vectors, and leave out what the shader does not use");
            return Err(error.into());
        }
        Ok(())
    }

    /// Lays out a type; the shape and the registers that it takes.
    fn lay(
        &mut self,
        module: &Module,
        ty: Ty,
        path: &mut Vec<u32>,
        columns: &dyn Fn(&[u32]) -> bool,
        inside: bool,
        depth: u8,
    ) -> Answer<(u32, u16)> {
        let matrix = inside || columns(path);
        let types = &module.types;
        match types.get(ty) {
            _ if depth > 16 => Err(unsupported(module, ty)),
            Type::Bool => {
                if self.bools == BOOLS {
                    let what = format!("the shader has more than {BOOLS} bool uniforms, {BOOLS} are there");
                    let error = Diagnostic::error(None, what);
                    return Err(error.help("use an integer, or a vector of bools, for some of them").into());
                }
                self.bools += 1;
                Ok((self.add(Shape::Bool(self.bools - 1)), 0))
            }
            Type::Int(_) | Type::Float(_) | Type::Vector(..) => Ok((self.add(Shape::Vector), 1)),
            Type::Array(column, _, _) if matrix && matches!(types.get(*column), Type::Vector(..)) => {
                let rows = types.components(*column);
                Ok((self.add(Shape::Matrix(rows)), rows.into()))
            }
            Type::Array(elem, count, _) => {
                let (elem, count) = (*elem, *count);
                if has_bool(module, elem, 16) {
                    return self.lay_each(module, (elem, count), path, columns, matrix, depth);
                }
                path.push(0);
                let (elem, size) = self.lay(module, elem, path, columns, matrix, depth + 1)?;
                path.pop();
                let total = u32::from(size).saturating_mul(count).min(u32::from(u16::MAX)) as u16;
                Ok((self.add(Shape::Array(elem, size)), total))
            }
            Type::Struct(_, members) => {
                let (mut placed, mut size) = (Vec::new(), 0u16);
                for (i, member) in members.iter().enumerate() {
                    path.push(i as u32);
                    let (shape, registers) = self.lay(module, member.ty, path, columns, matrix, depth + 1)?;
                    path.pop();
                    placed.push((size, shape));
                    size = size.saturating_add(registers);
                }
                Ok((self.add(Shape::Struct(placed)), size))
            }
            _ => Err(unsupported(module, ty)),
        }
    }

    /// Elements with bools in them have registers of their own each: they are placed as members are.
    fn lay_each(
        &mut self,
        module: &Module,
        (elem, count): (Ty, u32),
        path: &mut Vec<u32>,
        columns: &dyn Fn(&[u32]) -> bool,
        inside: bool,
        depth: u8,
    ) -> Answer<(u32, u16)> {
        let (mut placed, mut size) = (Vec::new(), 0u16);
        for _ in 0..count.min(u32::from(FLOATS) + u32::from(BOOLS)) {
            path.push(0);
            let (shape, registers) = self.lay(module, elem, path, columns, inside, depth + 1)?;
            path.pop();
            placed.push((size, shape));
            size = size.saturating_add(registers);
        }
        Ok((self.add(Shape::Struct(placed)), size))
    }

    /// Inputs get the registers of their location, the others the lowest that are free.
    fn place_inputs(&mut self, module: &Module, inputs: &[GlobalRef]) -> Answer<()> {
        let location = |g: &GlobalRef| module.global(*g).binding.location;
        let (located, others): (Vec<GlobalRef>, Vec<GlobalRef>) =
            inputs.iter().partition(|g| location(g).is_some());
        let mut taken = 0u16;
        for g in located.into_iter().chain(others) {
            whole(module.global(g))?;
            let count = registers(module, module.global(g).ty).max(1);
            let free = || {
                let fits = |first: &u8| Input { first: *first, count }.mask() & taken == 0;
                (0..=INPUTS.checked_sub(count)?).find(fits)
            };
            let first = location(&g).map_or_else(free, |n| u8::try_from(n).ok());
            let first = first.filter(|first| first.checked_add(count).is_some_and(|end| end <= INPUTS));
            let first = first.ok_or_else(|| no_input(module, inputs, g))?;
            taken |= Input { first, count }.mask();
            self.inputs.insert(g, Input { first, count });
        }
        Ok(())
    }
}

/// The first register of a variable that the hardware fills.
fn of_vertices(global: &Global) -> Option<u16> {
    let binding = &global.binding;
    (binding.set == Some(VERTICES)).then_some(binding.binding)?.map(|first| first as u16)
}

/// Registers from c0 on that the hardware fills: the count of vertices, if there is one, and all
/// vertices.
fn filled(module: &Module) -> u16 {
    let all = module.globals.iter().filter_map(|g| Some((of_vertices(g)?, module.types.get(g.ty))));
    let (mut count, mut vertices) = (0, 0);
    for (_, ty) in all {
        match *ty {
            Type::Array(_, n, _) => vertices = n.min(u32::from(FLOATS)) as u16,
            _ => count = 1,
        }
    }
    count + vertices
}

/// Whether a bool is somewhere in a type, down to a depth.
fn has_bool(module: &Module, ty: Ty, depth: u8) -> bool {
    match module.types.get(ty) {
        Type::Bool => true,
        Type::Array(elem, ..) if depth > 0 => has_bool(module, *elem, depth - 1),
        Type::Struct(_, members) if depth > 0 => members.iter().any(|m| has_bool(module, m.ty, depth - 1)),
        _ => false,
    }
}

/// v registers that an input of a type takes.
pub(crate) fn registers(module: &Module, ty: Ty) -> u8 {
    match module.types.get(ty) {
        Type::Array(elem, count, _) => {
            registers(module, *elem).saturating_mul(u8::try_from(*count).unwrap_or(u8::MAX))
        }
        Type::Struct(_, members) => {
            members.iter().fold(0, |sum: u8, m| sum.saturating_add(registers(module, m.ty)))
        }
        _ => 1,
    }
}

/// Refuses an input that shares its vec4 with others: the host program could not tell.
fn whole(global: &Global) -> Answer<()> {
    let Binding { component: component @ 1.., .. } = global.binding else { return Ok(()) };
    let message = format!("`{}` begins within a vec4, at component {component}", global.name);
    let error = Diagnostic::error(global.span, message);
    Err(Box::new(
        error.help("the PICA200 has a whole register for each input: give it a location of its own"),
    ))
}

fn no_input(module: &Module, inputs: &[GlobalRef], g: GlobalRef) -> Box<Diagnostic> {
    let global = module.global(g);
    let used: u32 = inputs.iter().map(|g| u32::from(registers(module, module.global(*g).ty))).sum();
    let error = match global.binding.location {
        Some(n) if used <= u32::from(INPUTS) => {
            let what = format!("location {n} is no input register: there are v0 to v15");
            Diagnostic::error(global.span, what)
        }
        _ => {
            let what = format!("the inputs take {used} registers, {INPUTS} are there");
            Diagnostic::error(global.span, what)
        }
    };
    error
        .label("this one has none")
        .help("a matrix takes one register a column: pack scalars into vectors")
        .into()
}

fn unsupported(module: &Module, ty: Ty) -> Box<Diagnostic> {
    let what = match module.types.get(ty) {
        Type::Image(_) | Type::Sampler | Type::SampledImage(_) => "textures cannot be read by a vertex unit",
        Type::RuntimeArray(..) => {
            "the length of this array is not known, and there is no memory but c registers"
        }
        _ => "a uniform of this type has no place in c registers",
    };
    Diagnostic::error(None, what).into()
}
