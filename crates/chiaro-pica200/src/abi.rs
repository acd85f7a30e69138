//! Where a shader's variables meet the machine: inputs, uniforms, outputs.
//!
//! | variable | register |
//! |---|---|
//! | input at location n | vN; without a location the lowest that is free |
//! | uniforms in the order of their declaration | c0 upwards |
//! | scalar, vector | one register |
//! | matrix | one register a row: component k of each of its columns (what citro3d uploads) |
//! | array, structure | its parts one behind the other |
//! | bool uniform | b0 upwards |
//! | built-in position | o0 |
//! | other outputs in the order of their declaration | the next o register |
//!
//! What an output is for follows from its name or, if no name in [`NAMES`] is its own, from its
//! location ([`LOCATIONS`]).

use crate::container::UniformRegister;
use crate::outmap::Property;
use chiaro_diag::Diagnostic;
use chiaro_ir::{Binding, Global, GlobalRef, Module, Space, Ty, Type};
use std::collections::HashMap;

/// A variable, or a part of one, as the program that uses the shader knows it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Leaf {
    /// The name, such as `u.lights[2].color`.
    pub name: String,
    /// The variable.
    pub global: Option<GlobalRef>,
    /// Members and elements from the variable to the leaf.
    pub path: Vec<u32>,
    /// Whether it is a matrix, or an array of them, whose columns are the parts that the IR sees.
    pub columns: bool,
}

/// What the IR does not say of the variables of a module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interface {
    /// All leaves of all variables that meet the outside.
    pub leaves: Vec<Leaf>,
}

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

/// SPIR-V's number of the built-in position.
const POSITION: u32 = 0;

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

/// An output register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Out {
    /// The variable, and the member of it if it is a block.
    pub(crate) variable: (GlobalRef, Option<u32>),
    pub(crate) property: &'static Property,
    /// Components that the shader declares.
    pub(crate) components: u8,
    pub(crate) name: String,
}

/// The placement of all variables of an entry point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Abi {
    shapes: Vec<Shape>,
    /// First register and shape of each uniform variable.
    uniforms: HashMap<GlobalRef, (u16, u32)>,
    pub(crate) inputs: HashMap<GlobalRef, u8>,
    /// By register.
    pub(crate) outputs: Vec<Out>,
    /// Names for the uniform table: first register and how many.
    pub(crate) names: Vec<(String, UniformRegister, u16)>,
    /// c registers in use.
    pub(crate) floats: u16,
    /// b registers in use.
    pub(crate) bools: u8,
}

type Answer<T> = Result<T, Box<Diagnostic>>;

impl Abi {
    /// Places the variables of an entry point.
    ///
    /// # Errors
    /// More registers than there are, or variables that no register can hold.
    pub(crate) fn new(module: &Module, used: &[GlobalRef], interface: &Interface) -> Answer<Abi> {
        let mut abi = Abi { floats: filled(module), ..Abi::default() };
        let mut pending = Vec::new();
        for (i, global) in module.globals.iter().enumerate() {
            let g = GlobalRef(i as u32);
            match global.space {
                Space::Uniform | Space::UniformConstant | Space::PushConstant => {
                    abi.uniform(module, g, interface)?;
                }
                Space::Input if used.contains(&g) && global.binding.builtin.is_none() => pending.push(g),
                Space::Output if used.contains(&g) => abi.output(module, g, global)?,
                _ => {}
            }
        }
        abi.place_inputs(module, &pending)?;
        // The position has to be in o0 [libctru]: the sort keeps the order of the others.
        abi.outputs.sort_by_key(|out| out.property.kind != 0);
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
                self.bools = self.bools.saturating_add(1);
                Ok((self.add(Shape::Bool(self.bools - 1)), 0))
            }
            Type::Int(_) | Type::Float(_) | Type::Vector(..) => Ok((self.add(Shape::Vector), 1)),
            Type::Array(column, _, _) if matrix && matches!(types.get(*column), Type::Vector(..)) => {
                let rows = types.components(*column);
                Ok((self.add(Shape::Matrix(rows)), rows.into()))
            }
            Type::Array(elem, count, _) => {
                let (elem, count) = (*elem, *count);
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

    /// Inputs get the register of their location, the others what is left.
    fn place_inputs(&mut self, module: &Module, inputs: &[GlobalRef]) -> Answer<()> {
        let mut taken = 0u32;
        let location = |g: GlobalRef| module.global(g).binding.location;
        for &g in inputs {
            if let Some(n) = location(g).filter(|n| *n < 16) {
                taken |= 1 << n;
                self.inputs.insert(g, n as u8);
            }
        }
        for &g in inputs {
            if self.inputs.contains_key(&g) {
                continue;
            }
            let free = taken.trailing_ones();
            if free >= 16 || location(g).is_some() {
                let error = Diagnostic::error(
                    module.global(g).span,
                    "this input has no register: there are v0 to v15",
                );
                return Err(error.into());
            }
            taken |= 1 << free;
            self.inputs.insert(g, free as u8);
        }
        Ok(())
    }

    fn output(&mut self, module: &Module, g: GlobalRef, global: &Global) -> Answer<()> {
        if let Type::Struct(_, members) = module.types.get(global.ty) {
            for (i, member) in members.iter().enumerate() {
                let binding = global.members.get(i).unwrap_or(&global.binding);
                let named = (g, Some(i as u32));
                self.output_part(module, named, &member.name, binding, member.ty);
            }
            return Ok(());
        }
        self.output_part(module, (g, None), &global.name, &global.binding, global.ty);
        Ok(())
    }

    fn output_part(
        &mut self,
        module: &Module,
        variable: (GlobalRef, Option<u32>),
        name: &str,
        binding: &Binding,
        ty: Ty,
    ) {
        let Some(property) = property_of(name, binding) else { return };
        let components = module.types.components(ty);
        self.outputs.push(Out { variable, property, components, name: name.to_owned() });
    }

    fn name_uniforms(&mut self, module: &Module, interface: &Interface) {
        for leaf in &interface.leaves {
            let Some(g) = leaf.global else { continue };
            if let Some(&v) = self.inputs.get(&g) {
                self.names.push((short(&leaf.name, module.global(g)), UniformRegister::Input(v), 1));
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

/// What an output is for; `None` for what the machine has no place for (point size and the like).
fn property_of(name: &str, binding: &Binding) -> Option<&'static Property> {
    if let Some(builtin) = binding.builtin {
        return if builtin == POSITION { Property::of(0) } else { None };
    }
    let lower = name.to_ascii_lowercase();
    let bare = ["out_", "o_", "v_", "f_"].iter().find_map(|p| lower.strip_prefix(p)).unwrap_or(&lower);
    // Only the built-in is the position: a colour may well be called `pos`.
    let named = NAMES.iter().find(|(known, kind)| *known == bare && *kind != 0).map(|(_, kind)| *kind);
    let located = || binding.location.and_then(|n| LOCATIONS.get(n as usize)).copied();
    Property::of(named.or_else(located).unwrap_or(9))
}

/// The name without the block that it is in: `u.0.lights[1].color` is `lights[1].color`.
fn short(name: &str, global: &Global) -> String {
    let rest = name.strip_prefix(&*global.name).and_then(|r| r.strip_prefix('.')).unwrap_or(name);
    let parts = rest.split('.').filter(|part| !part.bytes().all(|b| b.is_ascii_digit()) && *part != "_");
    let joined = parts.collect::<Vec<_>>().join(".");
    if joined.is_empty() { name.to_owned() } else { joined }
}
