//! What an instruction reads and writes, repetition by repetition.

use crate::isa::{self, Op};
use crate::listing::pgmdump::repeats;
use crate::regs::{A0, ALU_TO_ALU, ALU_TO_OTHER, ALU_TO_THIRD, P0, file, mods, size};
use chiaro_isa::{Inst, Reg, Role, Value};

/// A place that holds a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Place {
    /// A full register.
    Full(u16),
    /// A half register.
    Half(u16),
    /// A predicate component.
    Predicate(u16),
    /// The address register.
    Address,
    /// Whatever registers a0.x points at.
    Relative,
}

/// A place that is read, and how many slots an ALU result must be old.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    pub(crate) place: Place,
    pub(crate) slots: u16,
}

/// How a result arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arrival {
    /// After slots.
    Slots,
    /// Until `(ss)`.
    Ss,
    /// Until `(sy)`.
    Sy,
}

/// One instruction.
pub(crate) struct Effect {
    pub(crate) op: Op,
    /// Issue slots that later instructions may count on: branches and what runs beside the
    /// ALU give none [ir3_delay].
    pub(crate) slots: u16,
    /// Reads and writes of each repetition.
    pub(crate) steps: Vec<(Vec<Read>, Vec<Place>)>,
    pub(crate) arrival: Arrival,
    /// Sources are read late: until `(ss)`, and for results of `(sy)` until that.
    pub(crate) late: bool,
    pub(crate) ss: bool,
    pub(crate) sy: bool,
    pub(crate) ul: bool,
    pub(crate) jp: bool,
    /// Equal sources give equal results: no varying, texture or memory is read.
    pub(crate) spreads: bool,
}

impl Place {
    /// Registers that no instruction waits for: none, and the constants.
    pub(crate) fn of(r: Reg) -> Option<Place> {
        match r.file {
            file::GPR if r.index >= P0 + 4 => None,
            file::GPR if r.index >= P0 => Some(Place::Predicate(r.index - P0)),
            file::GPR if r.index >= A0 => Some(Place::Address),
            file::GPR if r.size == size::HALF => Some(Place::Half(r.index)),
            file::GPR => Some(Place::Full(r.index)),
            file::PREDICATE => Some(Place::Predicate(r.index)),
            file::RELATIVE => Some(Place::Relative),
            _ => None,
        }
    }

    /// The place `n` registers further.
    pub(crate) fn after(self, n: u16) -> Place {
        match self {
            Place::Full(r) => Place::Full(r + n),
            Place::Half(r) => Place::Half(r + n),
            other => other,
        }
    }

    /// Its name in messages.
    pub(crate) fn name(self) -> String {
        let component = |n: u16| char::from(b"xyzw"[usize::from(n & 3)]);
        match self {
            Place::Full(n) => format!("r{}.{}", n / 4, component(n)),
            Place::Half(n) => format!("hr{}.{}", n / 4, component(n)),
            Place::Predicate(n) => format!("p0.{}", component(n)),
            Place::Address => "a0.x".to_owned(),
            Place::Relative => "a register relative to a0.x".to_owned(),
        }
    }
}

impl Effect {
    /// Of an instruction that the generation has.
    pub(crate) fn of(inst: &Inst, generation: u8) -> Effect {
        let isa = isa::isa(generation);
        let op = Op::of(isa.form(inst).op);
        let category = inst.word.0[0] >> 61;
        let flag = |name: &str| isa.value(inst, name, &isa.cx()) == Some(Value::Int(1));
        let repeat = repeats(inst);
        let counted = match category {
            0 => !matches!(op, Op::Br | Op::Braa | Op::Brao | Op::Jump),
            1..=3 | 7 => true,
            _ => false,
        };
        let last = if category == 0 { 0 } else { repeat };
        Effect {
            op,
            slots: if counted { 1 + repeat - last } else { 0 },
            steps: (0..=last).map(|step| Effect::step(inst, op, generation, step)).collect(),
            arrival: arrival(op, category),
            late: (4..7).contains(&category),
            ss: flag("ss"),
            sy: flag("sy"),
            ul: flag("ul"),
            jp: flag("jp"),
            spreads: category < 5 && !matches!(op, Op::BaryF | Op::FlatB),
        }
    }

    fn step(inst: &Inst, op: Op, generation: u8, step: u16) -> (Vec<Read>, Vec<Place>) {
        let isa = isa::isa(generation);
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for field in isa.form(inst).format.fields.iter().filter(|f| !f.view) {
            let Some(Value::Reg(r)) = isa.value(inst, field.name, &isa.cx()) else { continue };
            let steps = field.role == Role::Def || r.mods & mods::STEP != 0;
            let slots = needed(op, field.name, inst.word.0[0] >> 61);
            if r.indexed != 0 {
                reads.push(Read { place: Place::Address, slots: ALU_TO_OTHER });
            }
            let Some(place) = Place::of(r) else { continue };
            let first = place.after(if steps { step } else { 0 });
            match field.role {
                Role::Use => {
                    let parts = parts_read(inst, op, field.name, generation);
                    reads.extend(parts.map(|n| Read { place: first.after(n), slots }));
                }
                Role::Def => writes.extend(parts_written(inst, op, generation).map(|n| first.after(n))),
                _ => {}
            }
        }
        if op == Op::Mova {
            writes.push(Place::Address);
        }
        (reads, writes)
    }
}

/// Slots that an ALU result must be old for a source [ir3_delay].
pub(crate) fn needed(op: Op, field: &str, category: u64) -> u16 {
    match category {
        3 if field == "src3" && isa::reads_third_late(op) => ALU_TO_THIRD,
        1..=3 => ALU_TO_ALU,
        _ => ALU_TO_OTHER,
    }
}

pub(crate) fn arrival(op: Op, category: u64) -> Arrival {
    match category {
        4 => Arrival::Ss,
        5 => Arrival::Sy,
        6 if isa::SET.rows().nth(op as usize).is_some_and(|row| row.class.name == "local") => Arrival::Ss,
        6 => Arrival::Sy,
        _ => Arrival::Slots,
    }
}

/// Registers that an operand reads, counted from its first [spec section 10].
fn parts_read(inst: &Inst, op: Op, field: &str, generation: u8) -> std::vec::IntoIter<u16> {
    let isa = isa::isa(generation);
    let number = |name: &str| isa.value(inst, name, &isa.cx()).and_then(Value::int).unwrap_or(0) as u16;
    let run = |n: u16| (0..n).collect::<Vec<_>>().into_iter();
    let coordinates = || 2 + number("solid") + number("array") + number("shadow") + number("project");
    match (op, field) {
        (Op::BaryF, "src2") => run(2),
        (Op::Dsx | Op::Dsy | Op::Dsxpp1 | Op::Dsypp1, "src") => {
            run(16 - (number("mask") & 15 | 1).leading_zeros() as u16)
        }
        (Op::Getsize | Op::Getpos | Op::Rgetpos, _) => run(1),
        (Op::Samgq, "src") => [0, 1, 4, 5, 6, 7].to_vec().into_iter(),
        (_, "index") => run(2),
        (_, "src2") if inst.word.0[0] >> 61 == 5 => {
            let offsets = inst.word.bit(52);
            let level = matches!(op, Op::Isaml | Op::Samb | Op::Saml);
            run(u16::from(offsets) * (2 + number("solid")) + u16::from(level || !offsets))
        }
        (_, "src") if inst.word.0[0] >> 61 == 5 => run(coordinates()),
        (Op::Stg | Op::Stl | Op::Stp | Op::Stlw, "src") => run(number("n").clamp(1, 4)),
        _ => run(1),
    }
}

/// Registers that are written, counted from the destination.
fn parts_written(inst: &Inst, _: Op, generation: u8) -> std::vec::IntoIter<u16> {
    let isa = isa::isa(generation);
    let number = |name: &str| isa.value(inst, name, &isa.cx()).and_then(Value::int);
    let parts: Vec<u16> = match (number("mask"), number("n")) {
        (Some(mask), _) => (0..4).filter(|i| mask >> i & 1 == 1).collect(),
        (None, Some(n)) => (0..n.clamp(1, 4) as u16).collect(),
        _ => vec![0],
    };
    parts.into_iter()
}
