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
//! | four integers that say of loops what an integer register says, and nothing else | i0 upwards |
//! | built-in position | o0 |
//! | other outputs in the order of their declaration | the next o register; one a column of a matrix, an element of an array |
//! | outputs that the shader does not write, uniforms that it does not read | none |
//! | inputs that it does not read | as all others, so that registers follow from the declarations; none where they would not fit |
//!
//! Where uniforms do not fit, members of structures that nothing reads have no register either
//! ([`Wanted::packed`]). What an output is for: [`outputs`]. Names: [`chiaro_ir::interface`].

mod counts;
mod lay;
mod names;
pub mod outputs;
pub mod properties;
pub(crate) mod touched;

use crate::container::UniformRegister;
use crate::regs::FLOATS;
use chiaro_diag::{Diagnostic, Tally};
use chiaro_ir::{Binding, EntryPoint, Global, GlobalRef, Module, Space, Ty, Type};
use lay::Lay;
use std::collections::HashMap;
use touched::{Touch, touched};

pub use chiaro_target::{Interface, Leaf};
pub use counts::LoopCount;
pub(crate) use counts::{Bytes, Count};
pub(crate) use outputs::Out;
pub use outputs::Wishes;

/// The descriptor set of variables that the hardware fills with the vertices of a geometry program
/// from c(`binding`) on: an array of all their registers.
pub(crate) const VERTICES: u32 = u32::MAX;

/// A variable, or a part of one: the members that lead to it.
pub(crate) type Place = (GlobalRef, Vec<u32>);

/// b registers that there are.
const BOOLS: u8 = 16;

/// What uniforms take of the c and b registers.
struct Taken {
    floats: Tally,
    bools: Tally,
}

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
    /// A boolean uniform.
    Bool(u8),
    /// Nothing reads it, or LOOP alone: no c or b register.
    Absent,
}

/// What is asked of a placement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted<'a> {
    pub(crate) wishes: Option<&'a Wishes>,
    /// Members of uniform structures that nothing reads get no registers.
    pub(crate) packed: bool,
    /// Uniforms of four integers that say how loops run, which are integer registers.
    pub(crate) registers: Vec<Place>,
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
    /// Uniforms of four integers that are i registers.
    pub(crate) registers: Vec<Place>,
    /// i registers in use, from i0.
    pub(crate) counts: Vec<Count>,
    /// The same for the application.
    pub(crate) loops: Vec<LoopCount>,
    /// Names of uniforms that nothing reads.
    pub(crate) unread: Vec<String>,
    /// Names of inputs that nothing reads and that have no room.
    pub(crate) unread_inputs: Vec<String>,
    /// What is to be said of names and outputs.
    pub(crate) remarks: Vec<Diagnostic>,
}

type Answer<T> = Result<T, Box<Diagnostic>>;

impl Abi {
    /// Places the variables of an entry point of an optimised module.
    ///
    /// # Errors
    /// More registers than there are, or variables that no register can hold.
    pub(crate) fn new(
        module: &Module,
        entry: &EntryPoint,
        interface: &Interface,
        wanted: Wanted<'_>,
    ) -> Answer<Abi> {
        let used = &entry.interface;
        let touched = touched(module, module.function(entry.function));
        let wishes = wanted.wishes.cloned().unwrap_or_default();
        let (outputs, remarks) = outputs::placed(module, entry, interface, &wishes, &touched)?;
        let registers = wanted.registers;
        let mut abi = Abi { outputs, remarks, floats: filled(module), registers, ..Abi::default() };
        let mut pending = Vec::new();
        let mut taken = Taken::new(abi.floats);
        for (i, global) in module.globals.iter().enumerate() {
            let g = GlobalRef(i as u32);
            match global.space {
                Space::Uniform | Space::UniformConstant | Space::PushConstant => {
                    let reads: Vec<&Touch> = touched.iter().filter(|t| t.variable == g).collect();
                    abi.uniform(module, g, interface, (&reads, wanted.packed), &mut taken)?;
                }
                Space::Input if used.contains(&g) && global.binding.builtin.is_none() => pending.push(g),
                _ => {}
            }
        }
        taken.fits()?;
        let is_read = |g: &GlobalRef| touched.iter().any(|t| t.variable == *g);
        let (read, unread): (Vec<_>, Vec<_>) = pending.iter().copied().partition(is_read);
        abi.inputs = match placed_inputs(module, &pending) {
            Ok(inputs) => inputs,
            Err(_) => {
                abi.unread_inputs = unread.iter().flat_map(|g| names::whole(module, interface, *g)).collect();
                placed_inputs(module, &read)?
            }
        };
        abi.name_parts(module, interface);
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

    /// Places a uniform variable, if something reads it.
    fn uniform(
        &mut self,
        module: &Module,
        g: GlobalRef,
        interface: &Interface,
        (reads, is_packed): (&[&Touch], bool),
        taken: &mut Taken,
    ) -> Answer<()> {
        if let Some(first) = of_vertices(module.global(g)) {
            self.vertices(module, g, first);
            return Ok(());
        }
        let Some(read) = reads.first() else {
            self.unread.extend(names::whole(module, interface, g));
            return Ok(());
        };
        let first = self.floats;
        let reads = is_packed.then_some(reads);
        let (shape, size) = Lay::new(self, module, interface, g, reads).lay(read.span)?;
        self.uniforms.insert(g, (first, shape));
        self.floats = self.floats.saturating_add(u16::try_from(size.floats).unwrap_or(u16::MAX));
        let name = names::whole(module, interface, g).into_iter().next().unwrap_or_default();
        let name = if module.global(g).name.is_empty() { name } else { module.global(g).name.clone() };
        let span = module.global(g).span.or(read.span);
        taken.floats.add(&name, span, size.floats);
        taken.bools.add(&name, span, size.bools);
        Ok(())
    }
}

/// Inputs get the registers of their location, the others the lowest that are free.
fn placed_inputs(module: &Module, inputs: &[GlobalRef]) -> Answer<HashMap<GlobalRef, Input>> {
    let location = |g: &GlobalRef| module.global(*g).binding.location;
    let (located, others): (Vec<GlobalRef>, Vec<GlobalRef>) =
        inputs.iter().partition(|g| location(g).is_some());
    let (mut placed, mut taken) = (HashMap::new(), 0u16);
    for g in located.into_iter().chain(others) {
        whole(module.global(g))?;
        let count = registers(module, module.global(g).ty).max(1);
        let free = || {
            let fits = |first: &u8| Input { first: *first, count }.mask() & taken == 0;
            (0..=INPUTS.checked_sub(count)?).find(fits)
        };
        let first = location(&g).map_or_else(free, |n| u8::try_from(n).ok());
        let first = first.filter(|first| first.checked_add(count).is_some_and(|end| end <= INPUTS));
        let input = Input { first: first.ok_or_else(|| no_input(module, inputs, g))?, count };
        taken |= input.mask();
        placed.insert(g, input);
    }
    Ok(placed)
}

impl Taken {
    /// So many c registers are filled by the hardware.
    fn new(filled: u16) -> Taken {
        let allowed = u32::from(FLOATS.saturating_sub(filled));
        Taken {
            floats: Tally::new("uniforms", "c registers", allowed),
            bools: Tally::new("uniforms of bools", "b registers", BOOLS.into()),
        }
    }

    /// Refuses more than there are, when all are counted.
    fn fits(&self) -> Answer<()> {
        const ROWS: &str = "a matrix takes one register a row, everything else one a vector: pack scalars into vectors, and shorten arrays";
        const FLAGS: &str = "use an integer, or a vector of bools, for some of them";
        let all = [(&self.floats, ROWS), (&self.bools, FLAGS)];
        match all.into_iter().find_map(|(tally, help)| Some(tally.overflow()?.help(help))) {
            Some(error) => Err(error.into()),
            None => Ok(()),
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

/// v registers that an input of a type takes; 255 stands for more.
pub(crate) fn registers(module: &Module, ty: Ty) -> u8 {
    u8::try_from(vectors(module, ty)).unwrap_or(u8::MAX)
}

/// Registers that an input or output of a type takes: one a vector.
fn vectors(module: &Module, ty: Ty) -> u32 {
    match module.types.get(ty) {
        Type::Array(elem, count, _) => vectors(module, *elem).saturating_mul(*count),
        Type::Struct(_, members) => {
            members.iter().fold(0, |sum: u32, m| sum.saturating_add(vectors(module, m.ty)))
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
    let mut tally = Tally::new("inputs", "registers", INPUTS.into());
    for global in inputs.iter().map(|&g| module.global(g)) {
        tally.add(&global.name, global.span, vectors(module, global.ty));
    }
    let error = tally.overflow().unwrap_or_else(|| {
        let what = match global.binding.location {
            Some(n) => format!("location {n} is no input register: there are v0 to v15"),
            None => format!("no {} registers in a row are left", vectors(module, global.ty)),
        };
        Diagnostic::error(global.span, what).label("this one has none")
    });
    error.help("a matrix takes one register a column: pack scalars into vectors").into()
}
