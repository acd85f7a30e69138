//! Where a shader's variables meet the machine: inputs, uniforms, outputs.
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

mod outputs;

use crate::compile::graph::Count;
use crate::container::UniformRegister;
use chiaro_diag::Diagnostic;
use chiaro_ir::{EntryPoint, Global, GlobalRef, Module, Space, Ty, Type};
pub use chiaro_target::{Interface, Leaf};
pub(crate) use outputs::Out;
use std::collections::HashMap;

/// Names of outputs and the number of the property that they stand for, in lower case and
/// without the prefixes `out_`, `o_`, `v_` and `f_`.
pub const NAMES: [(&str, u16); 32] = [
    ("position", 0),
    ("pos", 0),
    ("normalquat", 1),
    ("nquat", 1),
    ("quaternion", 1),
    ("quat", 1),
    ("q", 1),
    ("color", 2),
    ("colour", 2),
    ("col", 2),
    ("clr", 2),
    ("texcoord0", 3),
    ("tcoord0", 3),
    ("texcoord", 3),
    ("tex0", 3),
    ("uv0", 3),
    ("uv", 3),
    ("texcoord0w", 4),
    ("tcoord0w", 4),
    ("uv0w", 4),
    ("texcoord1", 5),
    ("tcoord1", 5),
    ("tex1", 5),
    ("uv1", 5),
    ("texcoord2", 6),
    ("tcoord2", 6),
    ("tex2", 6),
    ("uv2", 6),
    ("view", 8),
    ("eye", 8),
    ("viewdir", 8),
    ("dummy", 9),
];

/// The property of an output whose name says nothing, by location.
pub const LOCATIONS: [u16; 6] = [1, 2, 3, 5, 6, 8];

/// c registers that there are.
pub const FLOATS: u16 = 96;

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

/// An integer register that the application sets for the loops that count to a uniform: beside
/// the uniform itself, which stays in its c register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopCount {
    /// Its name in the uniform table: that of the uniform, and `_loop`.
    pub name: String,
    /// The uniform.
    pub uniform: String,
    /// The register's number.
    pub register: u8,
    /// x is the uniform plus this: rounds less one.
    pub more: i16,
    /// y and z: where aL starts, and what each round adds to it, in c registers.
    pub start: u8,
    /// See `start`.
    pub step: u8,
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
        let columns = |path: &[u32]| {
            interface.leaves.iter().any(|l| l.columns && l.global == Some(g) && l.path == path)
        };
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

    /// Takes up the integer registers of loops.
    pub(crate) fn add_counts(&mut self, module: &Module, interface: &Interface, counts: &[Count]) {
        self.counts = counts.to_vec();
        for (register, count) in (0u8..).zip(counts) {
            let global = module.global(count.variable);
            let leaf =
                interface.leaves.iter().find(|l| l.global == Some(count.variable) && l.path == count.path);
            let uniform = leaf.map_or_else(|| global.name.clone(), |leaf| short(&leaf.name, global));
            let again = self.loops.iter().filter(|other| other.uniform == uniform).count();
            let name =
                if again == 0 { format!("{uniform}_loop") } else { format!("{uniform}_loop{}", again + 1) };
            let Count { more, start, step, .. } = *count;
            self.names.push((name.clone(), UniformRegister::Int(register), 1));
            self.loops.push(LoopCount { name, uniform, register, more, start, step });
        }
    }

    fn name_uniforms(&mut self, module: &Module, interface: &Interface) {
        for leaf in &interface.leaves {
            let Some(g) = leaf.global else { continue };
            if let Some(input) = self.inputs.get(&g) {
                let (first, count) = (UniformRegister::Input(input.first), u16::from(input.count));
                self.names.push((short(&leaf.name, module.global(g)), first, count));
            }
            let placed = self.place(g).filter(|_| of_vertices(module.global(g)).is_none());
            let Some((first, shape)) = placed else { continue };
            let Some((register, shape)) = self.walk(first, shape, &leaf.path) else { continue };
            let name = short(&leaf.name, module.global(g));
            let name = if self.names.iter().any(|n| n.0 == name) { leaf.name.clone() } else { name };
            let ty = leaf.path.iter().try_fold(module.global(g).ty, |ty, &i| module.types.part(ty, i));
            match *self.shape(shape) {
                Shape::Bool(b) => self.names.push((name, UniformRegister::Bool(b), 1)),
                _ => {
                    let size = ty.map_or(1, |ty| self.size(module, shape, ty));
                    self.names.push((name, UniformRegister::Float(register as u8), size));
                }
            }
        }
        self.name_arrays(module, interface);
        self.names.sort_by_key(|n| n.1.number());
    }

    /// Arrays of structures as a whole, by which the host program fills them in one call.
    fn name_arrays(&mut self, module: &Module, interface: &Interface) {
        for leaf in &interface.leaves {
            let Some((g, at)) = leaf.global.zip(leaf.path.iter().rposition(|&i| i == 0)) else { continue };
            let (Some((head, _)), Some((first, shape))) = (leaf.name.rsplit_once("[0]."), self.place(g))
            else {
                continue;
            };
            let Some(path) = leaf.path.get(..at) else { continue };
            let array = (0..=path.len()).rev().find_map(|n| {
                let (register, shape) = self.walk(first, shape, &path[..n])?;
                let ty = path[..n].iter().try_fold(module.global(g).ty, |ty, &i| module.types.part(ty, i))?;
                let Shape::Array(_, size) = *self.shape(shape) else { return None };
                let count = module.types.part_count(ty)?;
                Some((register, u32::from(size).saturating_mul(count)))
            });
            let name = short(head, module.global(g));
            if let Some((register, count)) = array.filter(|a| (1..=96).contains(&a.1))
                && !self.names.iter().any(|known| known.0 == name)
            {
                self.names.push((name, UniformRegister::Float(register as u8), count as u16));
            }
        }
    }

    /// Register and shape of a part.
    fn walk(&self, first: u16, shape: u32, path: &[u32]) -> Option<(u16, u32)> {
        path.iter().try_fold((first, shape), |(at, shape), &i| match self.shape(shape) {
            Shape::Array(elem, size) => Some((at + (i as u16).saturating_mul(*size), *elem)),
            Shape::Struct(members) => members.get(i as usize).map(|(off, shape)| (at + off, *shape)),
            _ => None,
        })
    }

    fn size(&self, module: &Module, shape: u32, ty: Ty) -> u16 {
        match *self.shape(shape) {
            Shape::Vector => 1,
            Shape::Matrix(rows) => rows.into(),
            Shape::Array(_, size) => size.saturating_mul(module.types.part_count(ty).unwrap_or(1) as u16),
            _ => 0,
        }
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

/// The name without the block that it is in: `u.0.lights[1].color` is `lights[1].color`.
fn short(name: &str, global: &Global) -> String {
    let rest = name.strip_prefix(&*global.name).and_then(|r| r.strip_prefix('.')).unwrap_or(name);
    let parts = rest.split('.').filter(|part| !part.bytes().all(|b| b.is_ascii_digit()) && *part != "_");
    let joined = parts.collect::<Vec<_>>().join(".");
    if joined.is_empty() { name.to_owned() } else { joined }
}
