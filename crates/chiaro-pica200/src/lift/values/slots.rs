//! Slots of the simulator as values: within a straight run a slot stands for a component of a value, so that a
//! micro-op on several slots is one operation on a vector, with its operands brought together by a shuffle.
//! What would be taken apart and put together again never is, so that no pass has to find it.

use chiaro_ir::{Constant, ConstantKind, Def, Op, Value};
use chiaro_sim::Slot;

use super::Values;
use crate::exec::Components;
use crate::lift::helpers::Numbers;
use crate::lift::live::{self, Variable, register};

/// Components that are brought together: of each 32 bits, the low three of them which one it is of its value. Behind
/// the last there are ones.
pub(super) type Key = u128;

/// Of a scalar there is no component.
const SCALAR: u8 = 4;

/// Parts as a key. Values are as many as the words of a program make, which are far below 2^29.
fn key(parts: &[Part]) -> Key {
    let one = |part: &Part| part.value.0 << 3 | u32::from(part.component.unwrap_or(SCALAR));
    parts.iter().fold(Key::MAX, |key, part| key << 32 | Key::from(one(part)))
}

/// What a slot holds: a scalar, or a component of a vector.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) value: Value,
    pub(super) component: Option<u8>,
}

/// A change within a construct: what was there before it.
pub(super) enum Change {
    /// By slot.
    Part(Slot, Option<Part>),
    /// By [`Variable::place`].
    Variable(u16, Option<Value>),
}

/// Where a slot is between runs.
pub(super) enum Home {
    /// A component of a variable.
    Variable(Variable, u8),
    One,
    Zero,
    /// The integers 128 and 256.
    Limit(usize),
    Uniform(u8, u8),
    /// Within a run alone.
    Run,
}

impl Values<'_, '_> {
    /// The slots of a variable; what counts on as an integer has none.
    pub(super) fn slots_of(&self, variable: Variable) -> Option<Components<Slot>> {
        let regs = &self.program.regs;
        match variable {
            Variable::Register(at) => Some(Components::from(regs.quad(register(at)))),
            Variable::Flag(at) => Some([regs.cmp[at]].into_iter().collect()),
            Variable::Offset(at) => Some([regs.offset[at]].into_iter().collect()),
            Variable::Counter | Variable::Rounds(_) | Variable::Kept(_) => None,
        }
    }

    pub(super) fn home(&self, slot: Slot) -> Home {
        let regs = &self.program.regs;
        if let Some((variable, component)) = live::home(self.program, slot) {
            return Home::Variable(variable, component);
        }
        if let Some(at) = regs.limits.iter().position(|known| *known == slot) {
            return Home::Limit(at);
        }
        match slot {
            _ if slot == regs.one => Home::One,
            _ if slot == regs.zero => Home::Zero,
            _ => self.interface.float_of(slot).map_or(Home::Run, |(n, part)| Home::Uniform(n, part)),
        }
    }

    pub(super) fn part(&mut self, slot: Slot) -> Part {
        if let Some(known) = self.parts[usize::from(slot.0)] {
            return known;
        }
        let scalar = |value| Part { value, component: None };
        let part = match self.home(slot) {
            Home::Variable(variable @ Variable::Register(_), component) => {
                let value = self.held(variable);
                return self.note_quad(slot, component, value);
            }
            Home::Variable(Variable::Counter, _) => scalar(self.counter_offset()),
            Home::Variable(variable, _) => scalar(self.held(variable)),
            Home::Uniform(n, component) => match self.interface.constant(n, component) {
                Some(known) => scalar(self.b.f32(known)),
                None => {
                    let value = self.interface.float(&mut self.b, n);
                    let value = self.as_register(value);
                    return self.note_quad(slot, component, value);
                }
            },
            Home::One => scalar(self.b.f32(1.0)),
            Home::Zero | Home::Run => scalar(self.b.f32(0.0)),
            Home::Limit(at) => scalar(self.b.u32([128, 256][at])),
        };
        self.note(slot, part);
        part
    }

    /// All four components of a register at once.
    fn note_quad(&mut self, slot: Slot, component: u8, value: Value) -> Part {
        let first = Slot(slot.0 - u16::from(component));
        for (n, slot) in (0..).zip(first.quad()) {
            if self.parts[usize::from(slot.0)].is_none() {
                self.note(slot, Part { value, component: Some(n) });
            }
        }
        Part { value, component: Some(component) }
    }

    fn note(&mut self, slot: Slot, part: Part) {
        let before = self.parts[usize::from(slot.0)].replace(part);
        if self.has_values {
            self.note_change(Change::Part(slot, before));
        } else if before.is_none() {
            self.known.push(slot);
        }
    }

    /// What indexing by aL adds: 0 beyond 127 (spec section 10).
    fn counter_offset(&mut self) -> Value {
        if self.numbers == Numbers::Plain {
            return self.held(Variable::Counter);
        }
        let (counter, most, zero) = (self.held(Variable::Counter), self.b.u32(127), self.b.u32(0));
        let is_near = self.b.ule(counter, most);
        self.b.select(is_near, counter, zero)
    }

    pub(super) fn scalar(&mut self, part: Part) -> Value {
        self.joined(&[], &[part])
    }

    /// Slots as one value: a scalar, or a vector.
    pub(super) fn gather(&mut self, slots: &[Slot]) -> Value {
        let parts: Components<Part> = slots.iter().map(|&slot| self.part(slot)).collect();
        self.joined(slots, &parts)
    }

    /// Parts as one value, those of slots if there are several.
    fn joined(&mut self, slots: &[Slot], parts: &[Part]) -> Value {
        if let [Part { value, component: None }] = *parts {
            return value;
        }
        if let Some(whole) = self.whole_of(parts) {
            return whole;
        }
        let key = key(parts);
        if let Some(known) = self.together.get(&key, &self.scopes) {
            return known;
        }
        let value = match *parts {
            [Part { value, component: Some(n) }] => self.extracted(value, n),
            _ => self.brought_together(slots, parts),
        };
        self.together.insert(key, value, &self.scopes);
        value
    }

    /// A component of a vector: what it was put together from, if it was.
    fn extracted(&mut self, value: Value, n: u8) -> Value {
        let ty = self.b.ty(value);
        let width = usize::from(self.b.types().components(ty));
        let function = self.b.function();
        let known = match function.def(value) {
            Def::Result(inst, _) if function.op(inst) == Op::Construct => match *function.args(inst) {
                [one] => Some(one),
                ref parts if parts.len() == width => parts.get(usize::from(n)).copied(),
                _ => None,
            },
            Def::Constant(c) => {
                let part = self.b.module().constant_part(c, n.into());
                part.map(|part| self.b.constant(part))
            }
            _ => None,
        };
        known.unwrap_or_else(|| self.b.extract(value, n.into()))
    }

    /// Slots that were written one by one; together they are what the last of the words made.
    fn vector(&mut self, slots: &[Slot], scalars: &[Value]) -> Value {
        let register = |slot: &Slot| match self.home(*slot) {
            Home::Variable(Variable::Register(at), _) => Some(at),
            _ => None,
        };
        let here = self.b.span;
        let first = slots.first().and_then(register);
        if let Some(at) = first.filter(|_| slots.iter().all(|slot| register(slot) == first)) {
            self.b.span = self.writers[at];
        }
        let value = self.b.vector(scalars);
        self.b.span = here;
        value
    }

    fn brought_together(&mut self, slots: &[Slot], parts: &[Part]) -> Value {
        let first = parts[0];
        let of_one = parts.iter().all(|part| part.value == first.value && part.component.is_some());
        if !of_one {
            let scalars: Components<Value> = parts.iter().map(|&part| self.scalar(part)).collect();
            return self.constant(&scalars).unwrap_or_else(|| self.vector(slots, &scalars));
        }
        let components: Components<u8> = parts.iter().filter_map(|part| part.component).collect();
        self.b.swizzle(first.value, &components)
    }

    /// The value of which parts are all components in order.
    fn whole_of(&mut self, parts: &[Part]) -> Option<Value> {
        let value = parts.first()?.value;
        let is_next = |(n, part): (u8, &Part)| part.value == value && part.component == Some(n);
        if !(0..).zip(parts).all(is_next) {
            return None;
        }
        let ty = self.b.ty(value);
        (usize::from(self.b.types().components(ty)) == parts.len()).then_some(value)
    }

    /// A vector of constants.
    fn constant(&mut self, scalars: &[Value]) -> Option<Value> {
        let constant = |v: &Value| match self.b.function().def(*v) {
            Def::Constant(c) => Some(c),
            _ => None,
        };
        let parts: Vec<Constant> = scalars.iter().map(constant).collect::<Option<_>>()?;
        let scalar = self.b.ty(scalars[0]);
        let ty = self.b.types().vector(scalar, parts.len() as u8);
        let whole = self.b.module().constants.intern(ty, ConstantKind::Composite(parts));
        Some(self.b.constant(whole))
    }

    /// The components of a result are those of some slots.
    pub(super) fn write(&mut self, slots: &[Slot], value: Value) {
        for (n, &slot) in (0..).zip(slots) {
            let component = (slots.len() > 1).then_some(n);
            self.change(slot, Part { value, component });
        }
    }

    pub(super) fn change(&mut self, slot: Slot, part: Part) {
        self.note(slot, part);
        if !self.has_values && !std::mem::replace(&mut self.is_written[usize::from(slot.0)], true) {
            self.written.push(slot);
        }
    }

    /// Stores what the run has written, and forgets what it knew.
    pub(super) fn end_run(&mut self) {
        let mut written = std::mem::take(&mut self.written);
        written.sort_unstable();
        for at in 0..written.len() {
            match self.home(written[at]) {
                Home::Variable(variable, _) if variable.within(self.kept) == 0 => {}
                // Each register once, by the first slot of it that was written.
                Home::Variable(variable @ Variable::Register(_), component) => {
                    let first = written[at].0 - u16::from(component);
                    if at == 0 || written[at - 1].0 < first {
                        self.store_slots(variable, &Slot(first).quad());
                    }
                }
                Home::Variable(variable, _) => self.store_slots(variable, &[written[at]]),
                _ => {}
            }
        }
        written.drain(..).for_each(|slot| self.is_written[usize::from(slot.0)] = false);
        self.written = written;
        for slot in self.known.drain(..) {
            self.parts[usize::from(slot.0)] = None;
        }
        self.together.clear();
        self.made.clear();
    }

    fn store_slots(&mut self, variable: Variable, slots: &[Slot]) {
        let value = self.gather(slots);
        self.store(variable, value);
    }
}
