//! Code taken apart for the checker: one step an instruction.
//!
//! What rules depend on is read from bits here, a second time beside the rows of the instruction set, so
//! that a mistake in those cannot hide; only which registers an operand covers comes from the rows.

use chiaro_isa::{Inst, Isa, Value};

use crate::operand::touched::touched_by;
use crate::regs::halves::Halves;
use crate::regs::mods;

/// Where an instruction leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Steer {
    Next,
    /// To a place, or on.
    Branch(i64),
    /// To a place and back.
    Call(Option<i64>),
    /// To nobody knows where, or out of the function.
    Return,
    Stop,
    Trap,
}

/// What it does to the mask stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Nest {
    If(u8),
    Else,
    While(u8),
    Pop(u8),
}

/// Something that rules look at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    None,
    Nest(Nest),
    /// A number in a register.
    Number(u32),
    /// Something asynchronous on a slot.
    Issue(u8),
    Wait(u8),
    Barrier,
    /// Waits for pixels by a mask of fences.
    Fence(u16),
    /// Kills samples, or tests them: those that are known by number, where numbers say it.
    Samples {
        kills: bool,
        tests: bool,
        known: u8,
    },
    LoadTile,
    /// Stores samples that are known by number.
    StoreTile(u8),
    /// A word of a vertex; whether it is the last one.
    Varying(bool),
    /// Takes words of the stack; `None` for so many as a register says.
    Adjust(Option<i32>),
    /// Loads or stores on a slot, in the stack.
    Stack(u8),
    PreambleStore,
    /// Takes values of other lanes by an index in a register, the half of which it is.
    Shuffle(u16),
}

/// An instruction.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) number: u32,
    pub(crate) offset: u32,
    /// `None` where the bytes are none, or have an operand without a meaning.
    pub(crate) inst: Option<Inst>,
    pub(crate) name: &'static str,
    pub(crate) reads: Halves,
    pub(crate) writes: Halves,
    pub(crate) steer: Steer,
    pub(crate) event: Event,
    /// Whether an operand has an odd half number where it wants an even one.
    pub(crate) odd: bool,
}

impl Step {
    /// Whether it is a store or an atomic: what has a slot and brings nothing, or changes memory on the way.
    pub(crate) fn is_store(&self) -> bool {
        self.writes == Halves::default() || self.name.contains("atomic")
    }
}

/// Takes code apart from its start to its end.
pub(crate) fn steps(code: &[u8], isa: &Isa) -> Vec<Step> {
    let (mut steps, mut at) = (Vec::new(), 0);
    while at < code.len() {
        let inst = isa.decode(&code[at..]).ok();
        let length = inst.map_or(2, |inst| usize::from(inst.length));
        steps.push(step(isa, inst, steps.len() as u32, at as u32));
        at += length;
    }
    steps
}

fn step(isa: &Isa, inst: Option<Inst>, number: u32, offset: u32) -> Step {
    let mut step = Step {
        number,
        offset,
        inst: None,
        name: "?",
        reads: Halves::default(),
        writes: Halves::default(),
        steer: Steer::Next,
        event: Event::None,
        odd: false,
    };
    let Some(inst) = inst else { return step };
    let values = isa.values(&inst, &isa.cx());
    if values.as_slice().iter().any(Option::is_none) {
        return step;
    }
    let word = inst.word.0[0];
    step.inst = Some(inst);
    step.name = isa.form(&inst).operation.name;
    (step.reads, step.writes) = touched_by(isa, &inst, &values);
    step.steer = steer(word, offset.into());
    step.event = event(word);
    let odd = |value: &Option<Value>| {
        value.and_then(Value::reg).is_some_and(|r| r.mods & mods::ODD != 0 && r.mods & mods::UNUSED == 0)
    };
    step.odd = values.as_slice().iter().any(odd);
    step
}

fn bits(word: u64, low: u32, count: u32) -> u64 {
    word >> low & ((1 << count) - 1)
}

/// Branches count from their own start (spec 6.3).
fn steer(word: u64, offset: i64) -> Steer {
    let far = offset + i64::from(bits(word, 16, 32) as u32 as i32);
    let near = offset + i64::from(bits(word, 16, 8) as u8 as i8);
    match bits(word, 0, 16) {
        0xc000 | 0xc020 => Steer::Branch(far),
        0xc010 => Steer::Call(Some(far)),
        0x0000 | 0x0020 => Steer::Branch(near),
        0x0088 => Steer::Stop,
        0x0008 => Steer::Trap,
        _ => match bits(word, 0, 7) {
            0x04 => Steer::Call(None),
            0x14 => Steer::Return,
            _ => Steer::Next,
        },
    }
}

/// By the bits of spec 6.2, 7 to 10 and 22.
fn event(word: u64) -> Event {
    let bit = |n: u32| bits(word, n, 1) as u8;
    match bits(word, 0, 8) {
        0x38 => return Event::Wait(bit(8)),
        0x68 | 0xf5 => return Event::Barrier,
        0x48 => return Event::Fence(bits(word, 8, 10) as u16),
        0xc1 => return samples(word),
        0x41 => {
            return Event::Samples { kills: false, tests: true, known: target(word).unwrap_or(0) as u8 };
        }
        0x11 => return Event::Varying(false),
        0x91 | 0x51 => return Event::Varying(true),
        0x31 | 0x71 => return Event::Issue((word >> 63) as u8),
        0x35 | 0xb5 if bits(word, 16, 4) == 0 => return Event::Stack(bit(30)),
        0xb5 => return adjust(word),
        0xed | 0xad => return Event::PreambleStore,
        _ => {}
    }
    match bits(word, 0, 7) {
        0x52 | 0x42 => Event::Nest(nest(word)),
        0x62 => Event::Number(bits(word, 16, if bit(8) == 0 { 16 } else { 32 }) as u32),
        // Uniform stores are device stores with other constants.
        0x45 if bit(9) == 0 && bits(word, 27, 3) == 7 && bits(word, 16, 4) == 0 => Event::PreambleStore,
        0x05 | 0x45 => Event::Issue(bit(30)),
        0x15 | 0x55 => Event::Issue(bit(30)),
        0x6f if bit(15) == 0 && bits(word, 26, 2) == 1 => shuffle(word),
        0x49 => Event::LoadTile,
        0x09 => {
            let known = bits(word, 42, 6) | bits(word, 56, 2) << 6;
            Event::StoreTile(if bit(22) == 0 { known as u8 } else { 0 })
        }
        _ => Event::None,
    }
}

fn nest(word: u64) -> Nest {
    let levels = bits(word, 11, 2) as u8;
    match bits(word, 9, 2) {
        0 => Nest::If(levels),
        1 => Nest::Else,
        2 => Nest::While(levels),
        _ => Nest::Pop(levels),
    }
}

/// One across the SIMD-group; those within quads take no low bits from their neighbours (spec 7.2).
fn shuffle(word: u64) -> Event {
    let kind = bits(word, 34, 4);
    let is_known = bits(word, 47, 1) == 0 || bits(word, 38, 2) == 2;
    match is_known && kind & 4 == 0 && kind & 3 != 0 {
        true => Event::Shuffle((bits(word, 28, 6) | bits(word, 40, 2) << 6) as u16),
        false => Event::None,
    }
}

/// The samples that an instruction decides on, where a number says it.
fn target(word: u64) -> Option<u64> {
    (bits(word, 8, 1) == 1).then(|| bits(word, 9, 6) | bits(word, 24, 2) << 6)
}

/// Samples in both masks are tested, others of the first are killed.
fn samples(word: u64) -> Event {
    let target = target(word);
    // Where tools put the high bits of the second mask they disagree; either way they are samples
    // beyond the fourth (spec 13).
    let live = (bits(word, 23, 1) == 1).then(|| bits(word, 16, 6) | bits(word, 26, 2) << 6);
    let known = target.unwrap_or(0) as u8;
    match (target, live) {
        (_, Some(0)) => Event::Samples { kills: true, tests: false, known },
        (Some(t), Some(m)) => Event::Samples { kills: t & !m != 0, tests: t & m != 0, known },
        (..) => Event::Samples { kills: true, tests: true, known },
    }
}

fn adjust(word: u64) -> Event {
    if bits(word, 24, 2) != 1 {
        return Event::Adjust(None);
    }
    let amount = bits(word, 20, 4) | bits(word, 32, 4) << 4 | bits(word, 56, 8) << 8;
    Event::Adjust(Some((amount as u16 as i16).into()))
}

/// The step that begins at a place.
pub(crate) fn find(steps: &[Step], place: i64) -> Option<usize> {
    let at = steps.partition_point(|step| i64::from(step.offset) < place);
    (steps.get(at)?.offset == u32::try_from(place).ok()?).then_some(at)
}
