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

use chiaro_ir::{
    Binding, Builder, ConstantKind, Def, Global, GlobalRef, Interpolation, Member, Module, Space, Ty, Type,
    Value,
};
use chiaro_sim::Slot;

use super::buffers::Buffers;
use super::{Form, Given, Lifting, Options, Style};
use crate::container::{ConstantValue, Dvle, UniformRegister};
use crate::exec::Components;
use crate::machine::Program;
use crate::machine::flow::{Flow, Test};
use crate::machine::program::Line;
use crate::machine::registers::{Named, Register};
use crate::regs::bank;

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

    fn add_outputs(&mut self, module: &mut Module, executable: Option<&Dvle>, options: &Options) {
        let table = executable.map_or(&[][..], |dvle| &dvle.outputs);
        let mut list: Vec<Listed> = Vec::with_capacity(16);
        for output in table.iter().filter(|output| output.register < 16) {
            let components: Components<u8> = (0..4).filter(|k| output.mask >> k & 1 == 1).collect();
            let name = match output.property().map(|property| property.name) {
                Some("dummy") | None => format!("o{}", output.register),
                Some(name) => name.to_owned(),
            };
            let is_new = list.iter().all(|(other, ..)| *other != name);
            if is_new && !components.is_empty() {
                list.push((name, None, output.register as u8, components));
            }
        }
        if table.is_empty() {
            let written = (0..16).filter(|&n| self.uses(Register::Output(n)));
            let name =
                |n| if options.position == Some(n) { "position".to_owned() } else { numbered('o', n.into()) };
            list.extend(written.map(|n| (name(n), Some(n.into()), n, Components::from([0, 1, 2, 3]))));
        }
        if options.style == Style::Plain {
            join_third(&mut list);
        }
        let mut location = 0;
        module.globals.reserve(list.len());
        self.outputs.reserve(list.len());
        for (name, place, register, components) in list {
            let is_position = name == "position" && components.len() == 4;
            let binding = match is_position {
                true => Binding { builtin: Some(0), ..Binding::default() },
                false => Binding { location: place.or(Some(location)), ..Binding::default() },
            };
            location += u32::from(!is_position);
            let float = module.types.intern(Type::Float(32));
            let ty = module.types.vector(float, components.len() as u8);
            let global = add(module, name, Space::Output, ty, binding);
            self.outputs.push(OutputVariable { global, register, components });
        }
    }
}

/// An output before it is a variable: its name, its location if that is given, its register and its components there.
type Listed = (String, Option<u32>, u8, Components<u8>);

/// The third component of texture coordinate 0 has a property of its own. Where it stands behind the other two, people
/// read one vector, and there is a register more for what else is sent.
fn join_third(list: &mut Vec<Listed>) {
    let of = |name: &str| list.iter().position(|(other, ..)| other == name);
    let (Some(at), Some(third)) = (of("texcoord0"), of("texcoord0w")) else { return };
    let is_behind = list[at].2 == list[third].2 && list[at].3[..] == [0, 1] && list[third].3[..] == [2];
    if is_behind {
        list[at].3.push(2);
        list.remove(third);
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

/// What the block has to hold.
struct Needs {
    /// A bit for each c register that the program names.
    floats: u128,
    /// The same for i and b registers.
    ints: u16,
    bools: u16,
}

impl Needs {
    fn of(lines: &[&Line], read: &[Named], given: &Given) -> Needs {
        let mut needs = Needs { floats: 0, ints: 0, bools: 0 };
        for source in read.iter().filter(|s| s.file == bank::FLOAT && s.indexed == 0 && s.index < FLOATS) {
            if !given.floats.contains_key(&(source.index as u8)) {
                needs.floats |= 1 << source.index;
            }
        }
        for line in lines {
            match (line.flow, line.flow.test()) {
                (Flow::Loop { int, .. }, _) if !given.ints.contains_key(&int) => needs.ints |= 1 << (int & 3),
                (_, Test::Bool { index, .. }) if !given.bools.contains_key(&index) => {
                    needs.bools |= 1 << (index & 15);
                }
                _ => {}
            }
        }
        needs
    }
}

/// The block.
impl Interface {
    fn add_block(&mut self, module: &mut Module, executable: Option<&Dvle>, needs: &Needs, style: Style) {
        let has_words = needs.ints | needs.bools != 0;
        if !self.is_indexed && needs.floats == 0 && !has_words {
            return;
        }
        let mut members = Members { list: Vec::new(), at: 0, module };
        if self.is_indexed {
            let count = if style == Style::Plain { self.indexed_rows(needs) } else { FLOATS };
            members.rows("c".to_owned(), 0, count);
            self.places = (0..count.into()).map(|n| Some((0, Some(n)))).collect();
        } else {
            self.add_named(&mut members, executable, needs);
        }
        match style {
            Style::Exact if has_words => self.add_words(&mut members),
            Style::Plain if has_words => self.add_named_words(&mut members, executable, needs),
            _ => {}
        }
        let list = members.list;
        let ty = module.types.intern(Type::Struct("Uniforms".to_owned(), list));
        let binding = Binding { set: Some(0), binding: Some(0), ..Binding::default() };
        self.block = Some(add(module, "u".to_owned(), Space::Uniform, ty, binding));
    }

    /// Registers of the array of all of them, up to the first constant behind what the program names.
    fn indexed_rows(&self, needs: &Needs) -> u16 {
        let named = (u128::BITS - needs.floats.leading_zeros()) as u16;
        let is_constant = |n: &u16| self.given.floats.contains_key(&(*n as u8));
        (named.max(1)..FLOATS).find(is_constant).unwrap_or(FLOATS)
    }

    /// All i and b registers, as an emulator has them.
    fn add_words(&mut self, members: &mut Members<'_>) {
        members.fill(INTS);
        let (row, uint) = (members.row_of_ints(), members.uint());
        let rows = members.module.types.intern(Type::Array(row, 4, ROW));
        self.ints = Words::Together(members.push("ints".to_owned(), rows, 4 * ROW));
        debug_assert_eq!(members.at, BOOLS);
        self.bools = Words::Together(members.push("bools".to_owned(), uint, 4));
    }

    /// The i and b registers that the program reads, by their names.
    fn add_named_words(&mut self, members: &mut Members<'_>, executable: Option<&Dvle>, needs: &Needs) {
        let (mut ints, mut bools) = ([None; 16], [None; 16]);
        let name = |register: UniformRegister| {
            let named = executable.and_then(|dvle| dvle.names_of(register).next());
            named.map_or_else(|| register.to_string(), str::to_owned)
        };
        members.fill(INTS);
        let (row, uint) = (members.row_of_ints(), members.uint());
        for n in (0..4u8).filter(|n| needs.ints >> n & 1 == 1) {
            members.fill_words((INTS + ROW * u32::from(n), ROW), row, 'i');
            ints[usize::from(n)] = Some(members.push(name(UniformRegister::Int(n)), row, ROW));
        }
        for n in (0..16u8).filter(|n| needs.bools >> n & 1 == 1) {
            members.fill_words((BOOLS, ROW), row, 'i');
            members.fill_words((BOOLS + 4 * u32::from(n), 4), uint, 'b');
            bools[usize::from(n)] = Some(members.push(name(UniformRegister::Bool(n)), uint, 4));
        }
        (self.ints, self.bools) = (Words::Each(ints), Words::Each(bools));
    }

    /// Members by the container's names, and by number where it has none.
    fn add_named(&mut self, members: &mut Members<'_>, executable: Option<&Dvle>, needs: &Needs) {
        let mut next = 0;
        while let Some(n) = (next..FLOATS).find(|n| needs.floats >> n & 1 == 1) {
            let (name, first, count) = named(executable, n, next).unwrap_or_else(|| (numbered('c', n), n, 1));
            members.fill(ROW * u32::from(first));
            let member = members.list.len() as u32;
            for at in 0..count {
                self.places[usize::from(first + at)] = Some((member, (count > 1).then_some(at.into())));
            }
            members.rows(name, first, count);
            next = first + count;
        }
    }

    fn place(&self, b: &mut Builder<'_>, path: &[Value]) -> Value {
        let Some(block) = self.block else {
            let ty = vec4(b.module());
            return b.undef(ty);
        };
        let pointer = b.global(block);
        b.access(pointer, path)
    }

    /// The value of v`n` at the start.
    pub(super) fn input(&self, b: &mut Builder<'_>, n: u8) -> Value {
        if let Some(buffers) = &self.buffers {
            return buffers.input(b, n);
        }
        match self.inputs[usize::from(n)] {
            Some(global) => {
                let mut pointer = b.global(global);
                if self.is_geometry {
                    let first = b.u32(0);
                    pointer = b.access(pointer, &[first]);
                }
                b.load(pointer)
            }
            None => {
                let ty = vec4(b.module());
                b.zero(ty)
            }
        }
    }

    /// A component of c`n`, if it is known.
    pub(super) fn constant(&self, n: u8, component: u8) -> Option<f32> {
        self.given.floats.get(&n).map(|row| row[usize::from(component)])
    }

    /// c`n`.
    pub(super) fn float(&self, b: &mut Builder<'_>, n: u8) -> Value {
        let Some((member, element)) = self.places.get(usize::from(n)).copied().flatten() else {
            let ty = vec4(b.module());
            return b.zero(ty);
        };
        let path: Components<Value> =
            [Some(member), element].into_iter().flatten().map(|i| b.u32(i)).collect();
        let place = self.place(b, &path);
        b.load(place)
    }

    /// The c register of a number that is computed, of which seven bits count; ones where there is none
    /// (spec section 10).
    pub(super) fn float_at(&self, b: &mut Builder<'_>, at: Value) -> Value {
        let (count, last, member) = (b.u32(FLOATS.into()), b.u32(u32::from(FLOATS) - 1), b.u32(0));
        let mask = b.u32(0x7f);
        let at = b.and(at, mask);
        let is_there = b.ult(at, count);
        let near = b.umin(at, last);
        let place = self.place(b, &[member, near]);
        let (value, one) = (b.load(place), b.f32(1.0));
        let ty = b.ty(value);
        let ones = b.splat(ty, one);
        b.select(is_there, value, ones)
    }

    /// The c register so far behind another one, in the array of that.
    pub(super) fn element(&self, b: &mut Builder<'_>, offset: Value, base: u32) -> Value {
        let place = self.places.get(base as usize).copied().flatten();
        let (member, first) = place.map_or((0, base), |(member, element)| (member, element.unwrap_or(0)));
        let (member, first) = (b.u32(member), b.u32(first));
        let at = b.iadd(offset, first);
        let place = self.place(b, &[member, at]);
        b.load(place)
    }

    /// Part `part` of i`n`: rounds after the first, start, step.
    pub(super) fn int(&self, b: &mut Builder<'_>, n: u8, part: u8) -> Value {
        if let Some(value) = self.given.ints.get(&n) {
            return b.u32(value[usize::from(part)].into());
        }
        let path = match self.ints {
            Words::Together(member) => [Some(member), Some(n.into()), Some(part.into())],
            Words::Each(members) => match members[usize::from(n & 3)] {
                Some(member) => [Some(member), None, Some(part.into())],
                None => return b.u32(0),
            },
        };
        let path: Components<Value> = path.into_iter().flatten().map(|i| b.u32(i)).collect();
        let place = self.place(b, &path);
        b.load(place)
    }

    /// b`n`.
    pub(super) fn bool(&self, b: &mut Builder<'_>, n: u8) -> Value {
        if let Some(&value) = self.given.bools.get(&n) {
            return b.bool(value);
        }
        let (member, mask) = match self.bools {
            Words::Together(member) => (member, Some(1 << (n & 15))),
            Words::Each(members) => match members[usize::from(n & 15)] {
                Some(member) => (member, None),
                None => return b.bool(false),
            },
        };
        let member = b.u32(member);
        let place = self.place(b, &[member]);
        let (mut bits, zero) = (b.load(place), b.u32(0));
        if let Some(mask) = mask {
            let mask = b.u32(mask);
            bits = b.and(bits, mask);
        }
        b.ine(bits, zero)
    }
}

/// Members of a block, one behind the other without a gap, so that every language lays them out alike.
struct Members<'m> {
    list: Vec<Member>,
    /// Bytes so far.
    at: u32,
    module: &'m mut Module,
}

impl Members<'_> {
    /// A member; its number.
    fn push(&mut self, name: String, ty: Ty, size: u32) -> u32 {
        let name = unique(name, |name| self.list.iter().all(|member| member.name != name));
        self.list.push(Member { ty, name, offset: Some(self.at) });
        self.at += size;
        self.list.len() as u32 - 1
    }

    fn uint(&mut self) -> Ty {
        self.module.types.intern(Type::Int(32))
    }

    fn row_of_ints(&mut self) -> Ty {
        let uint = self.uint();
        self.module.types.vector(uint, 4)
    }

    /// Registers of one kind that nobody reads, up to a byte.
    fn fill_words(&mut self, (to, size): (u32, u32), ty: Ty, bank: char) {
        let first = if bank == 'i' { INTS } else { BOOLS };
        while self.at < to {
            self.push(format!("unused_{bank}{}", (self.at - first) / size), ty, size);
        }
    }

    /// Rows of four floats from c`first` on.
    fn rows(&mut self, name: String, first: u16, count: u16) {
        debug_assert_eq!(self.at, ROW * u32::from(first));
        let row = vec4(self.module);
        let ty = match count {
            1 => row,
            _ => self.module.types.intern(Type::Array(row, count.into(), ROW)),
        };
        self.push(name, ty, ROW * u32::from(count));
    }

    /// Rows that nobody reads, up to a byte.
    fn fill(&mut self, to: u32) {
        let (first, count) = ((self.at / ROW) as u16, (to.saturating_sub(self.at) / ROW) as u16);
        if count > 0 {
            let name = match count {
                1 => format!("unused_c{first}"),
                _ => format!("unused_c{first}_c{}", first + count - 1),
            };
            self.rows(name, first, count);
        }
    }
}

/// The name that a container has for c`n`, the first register and the number of them, if that begins
/// where the block has come to or later.
fn named(executable: Option<&Dvle>, n: u16, next: u16) -> Option<(String, u16, u16)> {
    let number = UniformRegister::Float(n as u8).number();
    let mut all = executable?.named_uniforms().filter(|(_, uniform)| uniform.range().contains(&number));
    let (name, uniform) = all.find(|(_, u)| u.first >= UniformRegister::Float(next as u8).number())?;
    let base = UniformRegister::Float(0).number();
    let (first, last) = (uniform.first - base, (uniform.last - base).min(FLOATS - 1));
    Some((name.to_owned(), first, last - first + 1))
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
