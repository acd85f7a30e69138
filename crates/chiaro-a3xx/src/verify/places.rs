//! Variables of the source, byte by byte, in registers and constants of the program.

use std::collections::{HashMap, HashSet};

use chiaro_ir::interp::{Exact, Interpreter};
use chiaro_ir::sample::{Sample, parts};
use chiaro_ir::{Def, Function, GlobalRef, ImageType, Module, Op, Space, Ty, Type, Value, Walk};
use chiaro_target::proof::Float;

use super::Words;
use crate::abi::constants::{Layout, scalars};
use crate::abi::{Input, Source};
use crate::compile::select::{Row, builtin, rows, sink};
use crate::machine::{Machine, World};

/// Sixteenths of a pixel.
const FRACTION: f32 = 16.0;

/// A register of an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cell {
    pub(super) register: u16,
    pub(super) half: bool,
}

/// Where the scalar of an input goes.
#[derive(Clone, Copy, Debug)]
enum To {
    Register(u16),
    /// In sixteenths.
    Fixed(u16),
    /// 0 for true, all ones for false.
    Facing(u16),
    Varying(u16),
}

/// Where the variables of a program are.
pub(super) struct Places<'a> {
    words: &'a Words<'a>,
    /// Byte of a variable, and where it goes.
    inputs: Vec<(GlobalRef, usize, To)>,
    outputs: HashMap<(GlobalRef, usize), Cell>,
    /// Bytes of the outputs that the program has to have: the source stores to them.
    wanted: HashSet<(GlobalRef, usize)>,
}

impl<'a> Places<'a> {
    pub(super) fn new(words: &'a Words<'a>) -> Places<'a> {
        let module = words.source;
        let (inputs, outputs, wanted) = (Vec::new(), HashMap::new(), HashSet::new());
        let mut places = Places { words, inputs, outputs, wanted };
        let stored = stored(module);
        let layout = Interpreter::with(module, words.entry, Exact);
        let globals = module.globals.iter().enumerate();
        for (i, global) in globals.filter(|(_, g)| matches!(g.space, Space::Input | Space::Output)) {
            // Rows count components, memory counts bytes; scalars have the same order in both.
            let bytes = bytes_of(module, &layout, global.ty);
            let at: HashMap<u32, usize> =
                scalars(module, global.ty, Layout::Rows).into_iter().zip(bytes).collect();
            for row in rows(module, GlobalRef(i as u32)) {
                let byte = |n: u16| at.get(&(row.offset + u32::from(n))).copied();
                places.row(row.global, (&row.name, row.part), byte);
                if stored.contains(&(row.global, row.name.clone())) && places.has_register(&row) {
                    let bytes = (0..row.components).filter_map(|n| byte(n.into()));
                    places.wanted.extend(bytes.map(|byte| (row.global, byte)));
                }
            }
        }
        places
    }

    /// A row of a variable, if the program has it.
    fn row(&mut self, g: GlobalRef, row: (&str, u16), byte: impl Fn(u16) -> Option<usize>) {
        let interface = &self.words.compiled.interface;
        if self.words.source.global(g).space == Space::Input {
            for input in interface.inputs.iter().filter(|i| (i.name.as_str(), i.part) == row) {
                let count = u16::from(input.components);
                self.inputs.extend((0..count).filter_map(|n| Some((g, byte(n)?, to(input, n)?))));
            }
            return;
        }
        for output in interface.outputs.iter().filter(|o| (o.name.as_str(), o.part) == row) {
            let cell = |n: u16| Cell { register: output.register + n, half: output.half };
            let count = u16::from(output.components);
            self.outputs.extend((0..count).filter_map(|n| Some(((g, byte(n)?), cell(n)))));
        }
    }

    /// Whether the machine has registers for an output, in a program of this variant.
    fn has_register(&self, row: &Row) -> bool {
        sink(row, self.words.entry.stage).is_some_and(|sink| self.words.compiled.options.variant.keeps(sink))
    }

    /// Whether a float of an output is compared: one that has a register, or should have.
    pub(super) fn is_compared(&self, float: &Float) -> bool {
        self.output(float).is_some() || self.wanted.contains(&(float.variable, float.offset))
    }

    /// The register of a float of an output.
    pub(super) fn output(&self, float: &Float) -> Option<Cell> {
        self.outputs.get(&(float.variable, float.offset)).copied()
    }

    /// Puts an invocation's inputs into a lane.
    pub(super) fn load(&self, machine: &mut Machine, sample: &Sample, invocation: usize, lane: usize) {
        for (g, byte, to) in &self.inputs {
            let row = sample.attributes.get(g).and_then(|all| all.get(invocation));
            let bits = word(row.map_or(&[][..], Vec::as_slice), *byte);
            match *to {
                To::Register(n) => machine.full_mut(n).0[lane] = bits,
                To::Fixed(n) => machine.full_mut(n).0[lane] = (f32::from_bits(bits) * FRACTION) as u32,
                To::Facing(n) => machine.half_mut(n).0[lane] = if bits == 0 { 0xffff } else { 0 },
                To::Varying(n) => {
                    if let Some(planes) = machine.varying_mut(n) {
                        planes.iter_mut().zip([bits, 0, 0]).for_each(|(plane, bits)| plane.0[lane] = bits);
                    }
                }
            }
        }
        let pairs = self.words.compiled.interface.inputs.iter().filter(|i| i.source == Source::Barycentric);
        for first in pairs.filter_map(|pair| pair.register) {
            [first, first + 1].into_iter().for_each(|n| machine.full_mut(n).0[lane] = 0);
        }
    }

    /// Puts the uniforms into the constant file.
    pub(super) fn load_uniforms(&self, world: &mut World, sample: &Sample) {
        let module = self.words.source;
        let layout = Interpreter::with(module, self.words.entry, Exact);
        for (&g, given) in &sample.uniforms {
            let constants = &self.words.compiled.constants;
            if let Some(pointer) = constants.pointer(g) {
                let address = world.map_block(u32::from(pointer) / 4, given.clone());
                world.set_constants(pointer.into(), &[address]);
            }
            let Some((first, how)) = constants.place(g) else { continue };
            let ty = module.global(g).ty;
            let bytes = bytes_of(module, &layout, ty);
            for (at, byte) in scalars(module, ty, how).into_iter().zip(bytes) {
                world.set_constants(usize::from(first) + at as usize, &[word(given, byte)]);
            }
        }
    }

    /// The variable of a texture by its name.
    pub(super) fn texture(&self, name: &str) -> Option<(GlobalRef, ImageType)> {
        let module = self.words.source;
        let at = module.globals.iter().position(|global| global.name == name)?;
        Some((GlobalRef(at as u32), module.types.image(module.globals[at].ty)?))
    }
}

/// What a module stores to: variables, and members of blocks, by name. A store of which nobody knows where it
/// goes counts for nothing.
fn stored(module: &Module) -> HashSet<(GlobalRef, String)> {
    let mut found = HashSet::new();
    for f in &module.functions {
        for inst in Walk::insts(f) {
            let Some(&pointer) = f.args(inst).first().filter(|_| f.op(inst) == Op::Store) else { continue };
            let Some(g) = module.variable_of(f, pointer) else { continue };
            let global = module.global(g);
            match module.types.get(global.ty) {
                Type::Struct(_, members) => {
                    let member = member(module, f, pointer).and_then(|n| members.get(n));
                    found.extend(member.map(|member| (g, member.name.clone())));
                }
                _ => _ = found.insert((g, global.name.clone())),
            }
        }
    }
    found
}

/// The member of a variable that a pointer leads into.
fn member(module: &Module, f: &Function, pointer: Value) -> Option<usize> {
    let Def::Result(inst, _) = f.def(pointer) else { return None };
    let &[base, first, ..] = f.args(inst) else { return None };
    let is_variable = f.op(inst) == Op::Access && matches!(f.def(base), Def::Constant(_));
    module.value_bits(f, first).filter(|_| is_variable).map(|n| n as usize)
}

/// Where a component of an input goes.
fn to(input: &Input, n: u16) -> Option<To> {
    match (input.source, input.register) {
        (Source::Varying { slot, .. } | Source::PointCoordinate(slot), _) => {
            Some(To::Varying(u16::from(slot) + n))
        }
        (Source::FragCoord, Some(first)) if n < 2 => Some(To::Fixed(first + n)),
        (Source::Facing, Some(first)) => Some(To::Facing(first)),
        (_, first) => first.map(|first| To::Register(first + n)),
    }
}

/// Byte offsets of the scalars of a type, in the order of its parts.
fn bytes_of(module: &Module, layout: &Interpreter<'_, Exact>, ty: Ty) -> Vec<usize> {
    if module.types.part_count(ty).is_none() {
        return vec![0];
    }
    let inner = |(part, at): (Ty, usize)| bytes_of(module, layout, part).into_iter().map(move |n| at + n);
    parts(module, layout, ty).flat_map(inner).collect()
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes.get(at..at + 4).unwrap_or(&[0; 4]);
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
}

/// Places of fragments count sixteenths of pixels and are not negative.
pub(super) fn fit(module: &Module, sample: &mut Sample) {
    let is_place = |g: &GlobalRef| module.global(*g).binding.builtin == Some(builtin::FRAG_COORD);
    let rows = sample.attributes.iter_mut().filter(|(g, _)| is_place(g)).flat_map(|(_, rows)| rows);
    for row in rows {
        for at in [0, 4] {
            let place = (f32::from_bits(word(row, at)).abs() * FRACTION).min(1e6).floor() / FRACTION;
            if let Some(room) = row.get_mut(at..at + 4) {
                room.copy_from_slice(&place.to_le_bytes());
            }
        }
    }
}
