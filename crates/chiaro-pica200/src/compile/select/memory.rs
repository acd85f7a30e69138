//! Variables of the module: inputs, uniforms, outputs, private ones.

use super::state::{Answer, Place, Repr, Root, Select, Test};
use crate::abi::Shape;
use crate::compile::graph::{Base, Component, Components, Index, Item, components_of, splat};
use crate::isa::Op as Machine;
use chiaro_ir::{Def, GlobalRef, Inst, Op, Space, Value};

impl Select<'_> {
    /// The place of a variable of the module.
    pub(super) fn global(&mut self, g: GlobalRef) -> Answer<Place> {
        let global = self.module.global(g);
        let root = match global.space {
            Space::Input => match self.abi.inputs.get(&g) {
                Some(input) => Root::Input(input.first),
                None => return Err(self.error("the PICA200 has no such input")),
            },
            Space::Output => self.output(g, Vec::new()),
            Space::Private => Root::Private(self.private_global(g)?, Vec::new()),
            _ => {
                let (first, shape) =
                    self.abi.place(g).ok_or_else(|| self.error("a variable without a register"))?;
                Root::Uniform(first, shape, Index::None)
            }
        };
        Ok(Place { root, ty: global.ty })
    }

    /// The register of a part of an output variable; none for what has no place or nobody writes.
    fn output(&self, g: GlobalRef, path: Vec<u32>) -> Root {
        let mut own = self.abi.outputs.iter().filter(|out| out.variable == g);
        match self.abi.outputs.iter().position(|out| out.variable == g && out.path == path) {
            Some(register) => Root::Output(Some(register as u8), None),
            None if own.any(|out| out.path.starts_with(&path)) => Root::Outputs(g, path),
            None => Root::Output(None, None),
        }
    }

    fn private_global(&mut self, g: GlobalRef) -> Answer<u32> {
        if let Some(&known) = self.private.globals.get(&g) {
            return Ok(known);
        }
        let global = self.module.global(g);
        let start = match global.init {
            Some(c) => self.constant(c)?,
            None => self.zero(global.ty, true)?,
        };
        self.private.held.push(start);
        let number = self.private.held.len() as u32 - 1;
        self.private.globals.insert(g, number);
        Ok(number)
    }

    pub(super) fn memory(&mut self, inst: Inst) -> Answer<Repr> {
        let args = self.f.args(inst).to_vec();
        match self.f.op(inst) {
            Op::Load => {
                let place = self.pointer(inst, args[0])?;
                self.load(place)
            }
            Op::Access => {
                let mut place = self.pointer(inst, args[0])?;
                for &index in &args[1..] {
                    place = self.down(place, index)?;
                }
                Ok(Repr::Place(place))
            }
            _ => {
                let result = self.f.result_of(inst).ok_or_else(|| self.unsupported(inst))?;
                let ty = self.module.types.pointee(self.f.ty(result)).map(|p| p.1);
                let ty = ty.ok_or_else(|| self.unsupported(inst))?;
                let start = match args.first() {
                    Some(&value) => self.repr(value)?,
                    None => self.zero(ty, true)?,
                };
                self.private.held.push(start);
                let number = self.private.held.len() as u32 - 1;
                Ok(Repr::Place(Place { root: Root::Private(number, Vec::new()), ty }))
            }
        }
    }

    fn pointer(&mut self, inst: Inst, value: Value) -> Answer<Place> {
        match self.repr(value)? {
            Repr::Place(place) => Ok(place),
            _ => Err(self.unsupported(inst)),
        }
    }

    /// One level down by an index that may be computed.
    fn down(&mut self, place: Place, index: Value) -> Answer<Place> {
        if let Def::Constant(c) = self.f.def(index) {
            let number = self.module.constants.bits(c).unwrap_or(0);
            return self.step(place, number as u32);
        }
        let part = self.module.types.part(place.ty, 0);
        let part = part.ok_or_else(|| self.error("an index into something without parts"))?;
        let Root::Uniform(register, shape, before) = place.root else { return Err(self.dynamic()) };
        let (elem, size) = match *self.abi.shape(shape) {
            Shape::Array(elem, size) if before == Index::None => (elem, size),
            Shape::Matrix(rows) => {
                let columns = self.module.types.part_count(place.ty).unwrap_or(4);
                let dot = if columns == 4 { Machine::Dp4 } else { Machine::Dp3 };
                let root = self.chosen_column((register, rows, before), dot, index)?;
                return Ok(Place { root, ty: part });
            }
            _ => return Err(self.dynamic()),
        };
        let (more, by) = self.address(index, size)?;
        let (mut at, mut by) = (i32::from(register) + more, by);
        if !(0..96).contains(&at) {
            // The word holds no such number: the constant part goes into the address.
            let Some((float, term)) = self.truncated(index)? else {
                return Err(self.error("a constant part of this index leads out of the c registers"));
            };
            let whole = self.whole(float, term);
            let term = splat(Component::constant(term as f32));
            let sum = Component::new(Base::Node(self.node(Machine::Add, 1, &[splat(whole), term])), 0);
            (at, by) = (i32::from(register), self.loaded_address(sum, i32::from(size)));
        }
        let register = at;
        Ok(Place { root: Root::Uniform(register as u16, elem, by), ty: part })
    }

    /// Registers are rows, so a column is a product of each with the unit vector of its number.
    fn chosen_column(
        &mut self,
        (register, rows, by): (u16, u8, Index),
        dot: Machine,
        index: Value,
    ) -> Answer<Root> {
        let (at, _) = self.components(index)?;
        let numbers: Components = std::array::from_fn(|i| Component::constant(-(i as f32)));
        let nodes = |id| components_of(Base::Node(id));
        let distance = nodes(self.node(Machine::Add, 4, &[splat(at[0]), numbers]));
        let square = nodes(self.node(Machine::Mul, 4, &[distance, distance]));
        let unit = nodes(self.node(Machine::Slt, 4, &[square, splat(Component::constant(0.5))]));
        let mut column = [Component::UNDEF; 4];
        for (k, component) in column.iter_mut().enumerate().take(usize::from(rows)) {
            let row = components_of(Base::Uniform((register as u8).saturating_add(k as u8), by));
            *component = Component::new(Base::Node(self.node(dot, 1, &[row, unit])), 0);
        }
        Ok(Root::Chosen(column, rows))
    }

    fn dynamic(&self) -> Box<chiaro_diag::Diagnostic> {
        let mut error =
            self.error("only uniform arrays can be read by a computed index, one index at a time");
        error.help.push("the PICA200 adds an address to the number of a c register, to nothing else: unroll the loop, or put the array into a uniform".into());
        error
    }

    /// What stands for an index times a size: a constant term, and what is added by the machine.
    fn address(&mut self, index: Value, size: u16) -> Answer<(i32, Index)> {
        let size = i32::from(size);
        let found = self.indices.get(&(index, size)).filter(|(.., block)| self.around.contains(block));
        if let Some(&(term, by, _)) = found {
            return Ok((term, by));
        }
        if let Some((float, term)) = self.truncated(index)? {
            let by = if size == 1 { self.unrounded(float, term) } else { self.whole(float, term) };
            let by = self.loaded_address(by, size);
            self.indices.insert((index, size), (term * size, by, self.block));
            return Ok((term * size, by));
        }
        match self.repr(index)? {
            Repr::Counter(l, factor, term) => {
                if let Some(by) = self.scaled_counter(l, factor * size) {
                    return Ok((term * size, by));
                }
                let (components, _) = self.counter_number(l, factor, term)?;
                Ok((0, self.loaded_address(components[0], size)))
            }
            Repr::Components(components, _) => Ok((0, self.loaded_address(components[0], size))),
            _ => Err(self.error("an index of this kind has no form on the PICA200")),
        }
    }

    /// The float that an index is the whole part of, and what is added: MOVA rounds towards zero
    /// by itself \[3dbrew].
    fn truncated(&mut self, index: Value) -> Answer<Option<(Component, i32)>> {
        let Def::Result(inst, 0) = self.f.def(index) else { return Ok(None) };
        match (self.f.op(inst), self.f.args(inst)) {
            (Op::FToS | Op::FToU, &[float]) => Ok(Some((self.components(float)?.0[0], 0))),
            (Op::IAdd, &[a, b]) => {
                let (inner, by) = match (self.number_of(a), self.number_of(b)) {
                    (None, Some(n)) => (a, n),
                    (Some(n), None) => (b, n),
                    _ => return Ok(None),
                };
                let Def::Result(inst, 0) = self.f.def(inner) else { return Ok(None) };
                match (self.f.op(inst), self.f.args(inst)) {
                    (Op::FToS | Op::FToU, &[float]) => Ok(Some((self.components(float)?.0[0], by))),
                    _ => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// What an index is rounded down from, since MOVA rounds by itself: towards zero, which differs below zero alone.
    /// There an index is out of bounds, where anything may be read, unless the term brings it back.
    fn unrounded(&self, component: Component, term: i32) -> Component {
        let rounded = component.node().map(|id| self.graph.node(id)).filter(|_| term <= 0 && !component.neg);
        match rounded {
            Some(node) if node.op == Some(Machine::Flr) => node.args[0][usize::from(component.part)],
            _ => component,
        }
    }

    /// A constant that can be part of an index.
    fn number_of(&self, value: Value) -> Option<i32> {
        let Def::Constant(c) = self.f.def(value) else { return None };
        let number = self.module.constants.bits(c)? as u32 as i32;
        (-128..128).contains(&number).then_some(number)
    }

    /// Whether a component is known to hold a whole number.
    fn is_whole(&self, component: Component, depth: u32) -> bool {
        if let Some(value) = component.value() {
            return value.fract() == 0.0;
        }
        let Some(node) = component.node().map(|id| self.graph.node(id)).filter(|_| depth > 0) else {
            return false;
        };
        let part = usize::from(component.part);
        let all = |n: usize| node.args[..n].iter().all(|arg| self.is_whole(arg[part], depth - 1));
        match node.op {
            Some(Machine::Flr | Machine::Slt | Machine::Sge) => true,
            Some(Machine::Add | Machine::Mul | Machine::Max | Machine::Min) => all(2),
            Some(Machine::Mad) => all(3),
            _ => false,
        }
    }

    /// The whole part of an index that is to be multiplied, before a term is added. Below zero it
    /// is out of bounds, where anything may be read, unless the term brings it back.
    fn whole(&mut self, component: Component, term: i32) -> Component {
        if self.is_whole(component, 8) {
            return component;
        }
        let zero = splat(Component::constant(0.0));
        let floor = |s: &mut Self, component: Component| {
            let positive = s.node(Machine::Max, 1, &[splat(component), zero]);
            let positive = splat(Component::new(Base::Node(positive), 0));
            Component::new(Base::Node(s.node(Machine::Flr, 1, &[positive])), 0)
        };
        let above = floor(self, component);
        if term <= 0 {
            return above;
        }
        let below = floor(self, component.negated()).negated();
        Component::new(Base::Node(self.node(Machine::Add, 1, &[splat(above), splat(below)])), 0)
    }

    fn loaded_address(&mut self, component: Component, size: i32) -> Index {
        let component = match size {
            // What an address is loaded from needs none itself.
            1 if matches!(component.base, Base::Uniform(_, Index::Address(_) | Index::Loop(_))) => {
                let copy = self.node(Machine::Mov, 1, &[splat(component)]);
                Component::new(Base::Node(copy), 0)
            }
            1 => component,
            _ => {
                let by = splat(Component::constant(size as f32));
                Component::new(Base::Node(self.node(Machine::Mul, 1, &[splat(component), by])), 0)
            }
        };
        let known = self.graph.addresses.iter().position(|a| *a == component);
        let at = known.unwrap_or_else(|| {
            self.graph.addresses.push(component);
            self.graph.addresses.len() - 1
        });
        Index::Address(at as u16)
    }

    /// One level down by a number.
    pub(super) fn step(&mut self, place: Place, part: u32) -> Answer<Place> {
        let ty = self.module.types.part(place.ty, part);
        let ty = ty.ok_or_else(|| self.error("an index out of bounds"))?;
        let root = match place.root {
            Root::Uniform(register, shape, index) => match self.abi.shape(shape) {
                Shape::Struct(members) => {
                    let (off, shape) = members.get(part as usize).copied().unwrap_or((0, shape));
                    Root::Uniform(register + off, shape, index)
                }
                Shape::Array(elem, size) => {
                    Root::Uniform(register.saturating_add(size.saturating_mul(part as u16)), *elem, index)
                }
                Shape::Matrix(rows) => Root::Column(register, *rows, part as u8 & 3, index),
                Shape::Vector => Root::Component(register, part as u8 & 3, index),
                Shape::Absent => Root::Uniform(register, shape, index),
                Shape::Bool(_) => return Err(self.error("a part of a bool")),
            },
            Root::Column(register, _, column, index) => {
                Root::Component(register + (part as u16 & 3), column, index)
            }
            Root::Chosen(components, _) => Root::Chosen(splat(components[part as usize & 3]), 1),
            Root::Output(None, _) => Root::Output(None, None),
            Root::Output(register, None) => Root::Output(register, Some(part as u8 & 3)),
            Root::Outputs(g, mut path) => {
                path.push(part);
                self.output(g, path)
            }
            Root::Private(number, mut path) => {
                path.push(part);
                Root::Private(number, path)
            }
            Root::Input(v) if self.module.types.components(place.ty) > 1 => {
                Root::InputComponent(v, part as u8 & 3)
            }
            Root::Input(v) => {
                let registers = crate::abi::registers(self.module, ty);
                Root::Input(v.saturating_add(registers.saturating_mul(part.min(16) as u8)).min(15))
            }
            Root::InputComponent(..) | Root::Component(..) | Root::Output(..) => {
                return Err(self.error("a part of a variable that has none here"));
            }
        };
        Ok(Place { root, ty })
    }

    pub(super) fn load(&mut self, place: Place) -> Answer<Repr> {
        let n = self.module.types.components(place.ty);
        match &place.root {
            Root::Input(v) if n > 0 => Ok(vector(Base::Input(*v), n)),
            Root::Input(_) => Ok(Repr::Loaded(place)),
            Root::InputComponent(v, part) => Ok(Self::scalar(Component::new(Base::Input(*v), *part))),
            Root::Uniform(register, shape, index) => match self.abi.shape(*shape) {
                Shape::Vector => Ok(vector(Base::Uniform(*register as u8, *index), n)),
                Shape::Bool(b) => {
                    let test = self.test(Test::Uniform(*b));
                    Ok(Repr::Tests([test; 4], 1))
                }
                // What LOOP alone reads.
                Shape::Absent if n > 0 => Ok(Repr::None),
                _ => Ok(Repr::Loaded(place)),
            },
            Root::Column(register, rows, column, index) => {
                let row = |k: usize| {
                    let register = (*register as u8).saturating_add(k as u8);
                    if k < usize::from(*rows) {
                        Component::new(Base::Uniform(register, *index), *column)
                    } else {
                        Component::UNDEF
                    }
                };
                Ok(Repr::Components(std::array::from_fn(row), n))
            }
            Root::Chosen(components, rows) => Ok(Repr::Components(*components, *rows)),
            Root::Component(register, part, index) => {
                Ok(Self::scalar(Component::new(Base::Uniform(*register as u8, *index), *part)))
            }
            Root::Private(number, path) => {
                let mut held = self.private.held.get(*number as usize).cloned().unwrap_or_default();
                for &part in &path.clone() {
                    held = self.extract(held, part)?;
                }
                Ok(held)
            }
            Root::Output(..) | Root::Outputs(..) => Err(self.error("an output cannot be read back")),
        }
    }

    /// A composite in memory, its parts loaded.
    pub(super) fn taken_apart(&mut self, whole: Repr) -> Answer<Repr> {
        let Repr::Loaded(place) = whole else { return Ok(whole) };
        let count = self.module.types.part_count(place.ty).unwrap_or(0).min(128);
        let mut parts = Vec::new();
        for i in 0..count {
            let part = self.step(place.clone(), i)?;
            parts.push(self.load(part)?);
        }
        Ok(Repr::Parts(parts))
    }

    /// An instruction without a result.
    pub(super) fn effect(&mut self, inst: Inst) -> Answer<()> {
        let args = self.f.args(inst).to_vec();
        match self.f.op(inst) {
            Op::Store => {
                let place = self.pointer(inst, args[0])?;
                let value = self.repr(args[1])?;
                self.store(place, value)
            }
            Op::EmitVertex(_) if let Some(setting) = self.emits.get(&inst) => {
                self.graph.items_mut(self.block).push(Item::Emit(*setting));
                Ok(())
            }
            Op::EndPrimitive(_) => Ok(()),
            _ => Err(self.unsupported(inst)),
        }
    }

    fn store(&mut self, place: Place, value: Repr) -> Answer<()> {
        match place.root {
            Root::Output(None, _) => Ok(()),
            Root::Output(Some(register), part) => {
                let (components, n) = self.components_of(value)?;
                let mut parts = [None; 4];
                match part {
                    Some(part) => parts[usize::from(part & 3)] = Some(components[0]),
                    None => parts[..usize::from(n)].copy_from_slice(&components.map(Some)[..usize::from(n)]),
                }
                // What has no value is not worth a word.
                let parts = parts.map(|part| part.filter(|component| component.base != Base::Undef));
                if parts.iter().any(Option::is_some) {
                    self.graph.items_mut(self.block).push(Item::Output(register, parts));
                }
                Ok(())
            }
            Root::Outputs(..) => {
                let Repr::Parts(parts) = self.taken_apart(value)? else {
                    return Err(self.error("this output cannot be stored as a whole"));
                };
                for (i, part) in parts.into_iter().enumerate() {
                    let member = self.step(place.clone(), i as u32)?;
                    self.store(member, part)?;
                }
                Ok(())
            }
            Root::Private(number, path) => {
                if self.depth > 1 {
                    return Err(self.error("a local variable is written under a condition"));
                }
                let held = self.private.held.get(number as usize).cloned().unwrap_or_default();
                let new = self.replaced(held, &path, value)?;
                if let Some(slot) = self.private.held.get_mut(number as usize) {
                    *slot = new;
                }
                Ok(())
            }
            _ => Err(self.error("only outputs can be written")),
        }
    }

    fn replaced(&mut self, held: Repr, path: &[u32], value: Repr) -> Answer<Repr> {
        let Some((&first, rest)) = path.split_first() else { return Ok(value) };
        let part = self.extract(held.clone(), first)?;
        let part = self.replaced(part, rest, value)?;
        self.put(held, first, part)
    }

    fn put(&mut self, whole: Repr, part: u32, new: Repr) -> Answer<Repr> {
        match (self.taken_apart(whole)?, new) {
            (Repr::Parts(mut parts), new) => {
                if let Some(old) = parts.get_mut(part as usize) {
                    *old = new;
                }
                Ok(Repr::Parts(parts))
            }
            (Repr::Components(mut components, n), new) => {
                components[part as usize & 3] = self.components_of(new)?.0[0];
                Ok(Repr::Components(components, n))
            }
            (other, _) => Ok(other),
        }
    }
}

fn vector(base: Base, n: u8) -> Repr {
    if n == 1 {
        Repr::Components(splat(Component::new(base, 0)), 1)
    } else {
        Repr::Components(components_of(base), n)
    }
}
