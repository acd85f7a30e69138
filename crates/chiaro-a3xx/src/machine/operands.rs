//! Operands of words as slots.
//!
//! In functional mode an operand is the slot of its register itself. In timed mode it is a slot
//! of the instruction, to be filled with what the register shows at that time.

use chiaro_isa::{Inst, Reg, Value};
use chiaro_sim::Slot;

use super::places::{Form, Layout, place};
use super::turn::{From, Gather, Read, Scatter, Turn};
use crate::check::effect::Place;
use crate::exec::Uops;
use crate::isa;
use crate::operand::half_bits;
use crate::regs::{ALU_TO_OTHER, TABLE, file, mods, size};

/// Operand and result slots of an instruction in timed mode: a sample has up to twelve.
const STAGED: u16 = 32;

/// Makes slots of operands, and remembers what has to be fetched for them.
pub(super) struct Operands {
    pub(super) layout: Layout,
    pub(super) constants: Vec<(u16, Form, Slot)>,
    pub(super) varyings: Vec<(u16, Slot)>,
    /// What the repetition in progress reads and writes.
    pub(super) turn: Turn,
    staged: Slot,
    used: u16,
    timed: bool,
    /// Results that wait for the last repetition, in functional mode.
    deferred: Option<Vec<(Slot, Slot)>>,
}

impl Operands {
    pub(super) fn new(layout: Layout, timed: bool, u: &mut Uops) -> Operands {
        let staged = u.code.slots(STAGED);
        Operands {
            layout,
            constants: Vec::new(),
            varyings: Vec::new(),
            turn: Turn::default(),
            staged,
            used: 0,
            timed,
            deferred: None,
        }
    }

    /// Begins a repetition.
    pub(super) fn begin(&mut self) {
        if self.deferred.is_none() {
            self.used = 0;
        }
    }

    /// Begins an instruction. Where `apart`, its repetitions do not see each other's results,
    /// which come too late for them.
    pub(super) fn instruction(&mut self, apart: bool) {
        self.used = 0;
        self.deferred = (apart && !self.timed).then(Vec::new);
    }

    /// Copies that are to be done behind the last repetition: to, from.
    pub(super) fn take_deferred(&mut self) -> Vec<(Slot, Slot)> {
        self.deferred.take().unwrap_or_default()
    }

    fn fresh(&mut self) -> Slot {
        self.used = (self.used + 1).min(STAGED);
        self.staged.at(self.used - 1)
    }

    /// A register as an operand.
    pub(super) fn read(&mut self, place: Place, needed: u16) -> Slot {
        if !self.timed {
            return self.layout.slot(place);
        }
        let to = self.fresh();
        self.turn.reads.push(Read { place, needed, to });
        to
    }

    /// A register as a result.
    pub(super) fn write(&mut self, place: Place) -> Slot {
        if self.deferred.is_none() && !self.timed {
            return self.layout.slot(place);
        }
        let from = self.fresh();
        match &mut self.deferred {
            Some(deferred) => deferred.push((self.layout.slot(place), from)),
            None => self.turn.writes.push((from, place)),
        }
        from
    }

    /// A source of the ALU: `step` repetitions on, read `needed` slots after an ALU result at the
    /// earliest. Constants of float operations on halves are converted, others cut.
    pub(super) fn source(&mut self, r: Reg, step: u16, needed: u16, float: bool, u: &mut Uops) -> Slot {
        let on = if r.mods & mods::STEP != 0 { step } else { 0 };
        let half = r.size == size::HALF;
        let form = match (half, float) {
            (false, _) => Form::Full,
            (true, true) => Form::HalfFloat,
            (true, false) => Form::HalfBits,
        };
        let offset = i32::from(r.index as i16) + i32::from(on);
        match r.file {
            file::CONST => self.constant(r.index + on, form, u),
            file::RELATIVE_CONST => self.gather(From::Constants(form), offset, u),
            file::RELATIVE => self.gather(From::Registers { half }, offset, u),
            file::IMMEDIATE => u.imm(form.of(offset as u32)),
            file::TABLE => {
                let bits = TABLE.get(usize::from(r.index)).map_or(0, |(_, bits)| *bits);
                u.imm(form.of(bits))
            }
            _ => match place(r) {
                Some(at) => self.read(at.after(on), needed),
                None => self.layout.nowhere,
            },
        }
    }

    fn constant(&mut self, index: u16, form: Form, u: &mut Uops) -> Slot {
        if let Some((.., slot)) = self.constants.iter().find(|(i, f, _)| *i == index && *f == form) {
            return *slot;
        }
        let slot = u.code.slots(1);
        self.constants.push((index, form, slot));
        slot
    }

    fn gather(&mut self, from: From, offset: i32, u: &mut Uops) -> Slot {
        let index = self.read(Place::Address, ALU_TO_OTHER);
        let to = u.spare();
        self.turn.gathers.push(Gather { from, offset, index, to });
        to
    }

    /// The destination of an ALU operation, `step` repetitions on.
    pub(super) fn destination(&mut self, r: Reg, step: u16, u: &mut Uops) -> Slot {
        if r.file == file::RELATIVE {
            let index = self.read(Place::Address, ALU_TO_OTHER);
            let (from, half) = (u.spare(), r.size == size::HALF);
            let offset = i32::from(r.index) + i32::from(step);
            self.turn.scatter = Some(Scatter { half, offset, index, from });
            return from;
        }
        match place(r) {
            Some(at) => self.write(at.after(step)),
            None => self.layout.nowhere,
        }
    }

    /// The slots of a varying scalar: its value and its slopes.
    pub(super) fn varying(&mut self, r: Reg, step: u16, u: &mut Uops) -> [Slot; 3] {
        let on = if r.mods & mods::STEP != 0 { step } else { 0 };
        let first = match r.file {
            file::IMMEDIATE => self.fixed_varying(r.index + on, u),
            _ => {
                let index = self.source(r, step, crate::regs::ALU_TO_ALU, false, u);
                let [to, ..] = [u.spare(), u.spare(), u.spare()];
                self.turn.gathers.push(Gather { from: From::Varyings, offset: 0, index, to });
                to
            }
        };
        [first, first.at(1), first.at(2)]
    }

    /// The first slot of a varying scalar that the word names.
    pub(super) fn fixed_varying(&mut self, location: u16, u: &mut Uops) -> Slot {
        if let Some((_, slot)) = self.varyings.iter().find(|(l, _)| *l == location) {
            return *slot;
        }
        let slot = u.code.slots(3);
        self.varyings.push((location, slot));
        slot
    }
}

impl Form {
    /// What an operand of this form holds of 32 bits.
    pub(super) fn of(self, bits: u32) -> u32 {
        match self {
            Form::Full => bits,
            Form::HalfFloat => half_bits(f32::from_bits(bits).into()),
            Form::HalfBits => bits & 0xffff,
        }
    }
}

/// A decoded word whose operands are asked for by name.
#[derive(Clone, Copy)]
pub(super) struct Decoded<'a> {
    pub(super) inst: &'a Inst,
}

impl Decoded<'_> {
    pub(super) fn value(self, name: &str) -> Option<Value> {
        let isa = isa::a3xx();
        isa.value(self.inst, name, &isa.cx())
    }

    pub(super) fn reg(self, name: &str) -> Option<Reg> {
        self.value(name)?.reg()
    }

    /// A number; 0 where the form has no such field.
    pub(super) fn number(self, name: &str) -> i64 {
        self.value(name).and_then(Value::int).unwrap_or(0)
    }

    pub(super) fn flag(self, name: &str) -> bool {
        self.number(name) == 1
    }
}
