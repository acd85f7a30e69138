//! What a lifted program meets: attributes, one block of uniforms, outputs.
//!
//! | what | form |
//! |---|---|
//! | v*n* | an input of four floats at location *n*, with the container's name; of a geometry program one of a point, whose attributes are the registers as the unit's input fills them |
//! | c*n* | in the block at byte 16 *n*: named arrays and vectors where the container names them; one array `c` of 96 where the program indexes |
//! | i*n* | in the block at byte 1536 + 16 *n*: x, y, z, w as unsigned integers of 0 to 255 |
//! | b*n* | in the block at byte 1600: bit *n* of an unsigned integer; where people are to read it one of its own at byte 1600 + 4 *n*, which is not 0, and i*n* and b*n* have the container's names |
//! | constants of the container, values that are given | constants |
//! | outputs | by the output map: the position is the built-in one, others get locations in the map's order; without a map every register that is written, by its number, but for the one that is said to be the position |

mod block;
mod outputs;
mod read;

use chiaro_ir::{
    Binding, Builder, ConstantKind, Def, Global, GlobalRef, Interpolation, Module, Space, Ty, Type, Value,
};
use chiaro_sim::Slot;

use super::buffers::Buffers;
use super::{Form, Given, Lifting, Style};
use crate::container::{ConstantValue, Dvle, UniformRegister};
use crate::exec::Components;
use crate::machine::Program;
use crate::machine::program::Line;
use crate::machine::registers::{Named, Register};
use crate::regs::bank;
use block::{Needs, named};

/// Bytes of a register in the block.
const ROW: u32 = 16;
/// c registers.
const FLOATS: u16 = 96;
/// Where i0 stands, and where the bits of b0 to b15 do.
const INTS: u32 = ROW * FLOATS as u32;
const BOOLS: u32 = INTS + 4 * ROW;

/// A variable that is written at the end.
pub(super) struct OutputVariable {
    pub(super) global: GlobalRef,
    pub(super) register: u8,
    /// The register's components that it has, in order.
    pub(super) components: Components<u8>,
}

/// Where the block has registers that are not of floats.
enum Words {
    /// In one member.
    Together(u32),
    /// By register: its member.
    Each([Option<u32>; 16]),
}

impl Default for Words {
    fn default() -> Words {
        Words::Each([None; 16])
    }
}

/// Variables of a program.
pub(super) struct Interface {
    inputs: [Option<GlobalRef>; 16],
    registers: [u16; 3],
    /// By slot: the c register that the program names by it, and the component.
    slots: Vec<Option<(u8, u8)>>,
    given: Given,
    block: Option<GlobalRef>,
    /// By c register: member of the block, and element of it if that is an array.
    places: Vec<Option<(u32, Option<u32>)>>,
    is_indexed: bool,
    ints: Words,
    bools: Words,
    pub(super) outputs: Vec<OutputVariable>,
    /// Whether the program sends triangles.
    pub(super) is_geometry: bool,
    /// Of the compute form.
    pub(super) buffers: Option<Buffers>,
    /// Corners that a geometry program may send.
    pub(super) most: u32,
}

impl Interface {
    /// The variables of a program, added to the module.
    pub(super) fn new(
        module: &mut Module,
        lifting: &Lifting<'_>,
        executable: Option<&Dvle>,
        most: u32,
    ) -> Interface {
        let Lifting { program, reached, options, .. } = *lifting;
        let all = program.lines.iter().zip(&reached.lines);
        let mut lines: Vec<&Line> = Vec::with_capacity(program.lines.len());
        lines.extend(all.filter(|(_, reached)| **reached).map(|(line, _)| line));
        let mut read: Vec<Named> = Vec::with_capacity(2 * lines.len());
        read.extend(lines.iter().flat_map(|line| sources(line)));
        let number = |x: &mut f32| *x = f32::from_bits(program.number(*x));
        let mut given = options.given.clone();
        given.floats.values_mut().flatten().for_each(number);
        executable.into_iter().for_each(|dvle| given.add_constants(dvle, program));
        let bases = || read.iter().filter(|s| s.indexed != 0).map(|s| s.index);
        // A person indexes the array that has a name; the machine reaches all registers from anywhere.
        let by_name = options.style == Style::Plain && bases().all(|base| is_array(executable, base));
        let is_indexed = !by_name && bases().next().is_some();
        let mut interface = Interface {
            inputs: [None; 16],
            registers: registers(&lines, &read),
            slots: named_slots(program),
            given,
            block: None,
            places: vec![None; FLOATS.into()],
            is_indexed,
            ints: Words::default(),
            bools: Words::default(),
            outputs: Vec::new(),
            is_geometry: reached.is_geometry,
            buffers: None,
            most,
        };
        module.globals.reserve(8);
        match options.form {
            Form::Stage => interface.add_inputs(module, executable),
            Form::Compute => interface.buffers = Some(Buffers::new(module, reached.is_geometry)),
        }
        let mut needs = Needs::of(&lines, &read, &interface.given);
        needs.floats |= bases().filter(|&base| base < FLOATS).fold(0, |all, base| all | 1 << base);
        interface.add_block(module, executable, &needs, options.style);
        match &interface.buffers {
            None => interface.add_outputs(module, executable, options),
            Some(buffers) => {
                let global = buffers.globals().last().unwrap_or(GlobalRef(0));
                let written = (0..16).filter(|&n| interface.uses(Register::Output(n)));
                let whole = |register| OutputVariable {
                    global,
                    register,
                    components: Components::from([0, 1, 2, 3]),
                };
                interface.outputs = written.map(whole).collect();
            }
        }
        interface
    }

    /// The c register that a slot is of, and the component.
    pub(super) fn float_of(&self, slot: Slot) -> Option<(u8, u8)> {
        self.slots.get(usize::from(slot.0)).copied().flatten()
    }

    /// Whether vertices go to the stage behind it.
    pub(super) fn sends(&self) -> bool {
        self.is_geometry && self.buffers.is_none()
    }

    /// Whether the program names a register.
    pub(super) fn uses(&self, register: Register) -> bool {
        let (file, n) = match register {
            Register::Input(n) => (0, n),
            Register::Temporary(n) => (1, n),
            Register::Output(n) => (2, n),
        };
        self.registers[file] >> n & 1 == 1
    }

    /// All variables.
    pub(super) fn globals(&self) -> Vec<GlobalRef> {
        let outputs = self.outputs.iter().filter(|_| self.buffers.is_none()).map(|output| output.global);
        let buffers = self.buffers.iter().flat_map(Buffers::globals);
        self.inputs.iter().copied().flatten().chain(self.block).chain(outputs).chain(buffers).collect()
    }

    fn add_inputs(&mut self, module: &mut Module, executable: Option<&Dvle>) {
        let mut ty = vec4(module);
        if self.is_geometry {
            ty = module.types.intern(Type::Array(ty, 1, ROW));
        }
        let used = self.registers[0];
        for n in (0..16).filter(|n| used >> n & 1 == 1) {
            let named = executable.and_then(|dvle| dvle.names_of(UniformRegister::Input(n)).next());
            let binding = Binding { location: Some(n.into()), ..Binding::default() };
            let name = named.map_or_else(|| numbered('v', n.into()), str::to_owned);
            self.inputs[usize::from(n)] = Some(add(module, name, Space::Input, ty, binding));
        }
    }
}

/// [`Interface::slots`].
fn named_slots(program: &Program) -> Vec<Option<(u8, u8)>> {
    let mut all = vec![None; program.code.slot_count()];
    for &(n, slots) in &program.floats {
        (0..).zip(slots).for_each(|(k, slot)| all[usize::from(slot.0)] = Some((n, k)));
    }
    all
}

/// Constants of the container become given values, unless others are given.
impl Given {
    fn add_constants(&mut self, dvle: &Dvle, program: &Program) {
        for constant in &dvle.constants {
            match (constant.target(), constant.value()) {
                (Some(UniformRegister::Float(n)), Some(ConstantValue::Float(raw))) => {
                    self.floats.entry(n).or_insert_with(|| raw.map(|raw| program.stored(raw)));
                }
                (Some(UniformRegister::Int(n)), Some(ConstantValue::Int(value))) => {
                    self.ints.entry(n).or_insert(value);
                }
                (Some(UniformRegister::Bool(n)), Some(ConstantValue::Bool(value))) => {
                    self.bools.entry(n).or_insert(value);
                }
                _ => {}
            }
        }
    }
}

/// Whether a container has a name for an array that a c register is in.
fn is_array(executable: Option<&Dvle>, n: u16) -> bool {
    n < FLOATS && named(executable, n, 0).is_some_and(|(_, _, count)| count > 1)
}

fn vec4(module: &mut Module) -> Ty {
    let float = module.types.intern(Type::Float(32));
    module.types.vector(float, 4)
}

fn add(module: &mut Module, name: String, space: Space, ty: Ty, binding: Binding) -> GlobalRef {
    let binding = Binding { interpolation: Interpolation::Perspective, ..binding };
    let read_only = space != Space::Output;
    let members = Vec::new();
    let name = unique(name, |name| module.globals.iter().all(|global| global.name != name));
    module.globals.push(Global {
        name,
        space,
        ty,
        init: None,
        binding,
        members,
        coherent: false,
        read_only,
        span: None,
    });
    GlobalRef(module.globals.len() as u32 - 1)
}

/// The name of a register below 100.
fn numbered(file: char, n: u16) -> String {
    let digit = |n: u16| char::from(b'0' + (n % 10) as u8);
    let mut name = String::with_capacity(3);
    name.push(file);
    if n >= 10 {
        name.push(digit(n / 10));
    }
    name.push(digit(n));
    name
}

/// A name that nothing else has.
pub(super) fn unique(name: String, is_free: impl Fn(&str) -> bool) -> String {
    if is_free(&name) {
        return name;
    }
    let mut numbered = (2..).map(|n| format!("{name}_{n}"));
    numbered.find(|name| is_free(name)).unwrap_or_default()
}

/// Bits of v, r and o that lines write or read.
fn registers(lines: &[&Line], read: &[Named]) -> [u16; 3] {
    let mut all = [0; 3];
    let mut add = |file: usize, n: u16| all[file] |= 1 << (n & 15);
    for line in lines {
        match line.target {
            Some(Register::Temporary(n)) => add(1, n.into()),
            Some(Register::Output(n)) => add(2, n.into()),
            Some(Register::Input(_)) | None => {}
        }
    }
    for source in read {
        match source.file {
            bank::INPUT => add(0, source.index),
            bank::TEMP => add(1, source.index),
            bank::OUTPUT => add(2, source.index),
            _ => {}
        }
    }
    all
}

fn sources(line: &Line) -> impl Iterator<Item = Named> {
    line.operands.sources.into_iter().flatten().map(|source| source.register)
}

/// Whether a value is a constant of which no component is zero, infinite or NaN.
pub(super) fn is_ordinary(b: &mut Builder<'_>, v: Value) -> bool {
    let Def::Constant(c) = b.function().def(v) else { return false };
    let constants = &b.module().constants;
    let is = |c| constants.bits(c).is_some_and(|bits| f32::from_bits(bits as u32).is_normal());
    match constants.get(c) {
        ConstantKind::Composite(parts) => parts.iter().all(|&part| is(part)),
        ConstantKind::Scalar(_) => is(c),
        _ => false,
    }
}
