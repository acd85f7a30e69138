//! What instructions do and take. The machine does not look after results of the ALU: nops keep the distance;
//! what flags wait for takes what Mesa guesses (spec section 14).

use chiaro_diag::Diagnostic;
use chiaro_target::anatomy::{
    Anatomy, Figure, Grade, Instruction, Queue, Register, Steer, connect, instruction,
};
use chiaro_target::{Resource, Settings};

use super::{generation_of, programs, stage_of};
use crate::check::effect::{Arrival, Effect, Place};
use crate::isa::{Op, isa};
use crate::listing::{decode, mesa};
use crate::regs;
use crate::report::{Guesses, Stage, branch_stack, waves};

/// Files of registers as accounts call them.
const FULL: u8 = 0;
const HALF: u8 = 1;
const OTHER: u8 = 2;

/// Results behind flags.
const QUEUES: [Queue; 2] =
    [Queue { name: "(ss)", is_memory: false }, Queue { name: "(sy)", is_memory: true }];

/// The programs of a file, one behind the other.
pub(super) fn of(bytes: &[u8], settings: &Settings) -> Result<Anatomy, Box<Diagnostic>> {
    let generation = generation_of(settings)?;
    let programs = programs(bytes, false)?;
    let stage = programs.first().map_or(Stage::Fragment, |(name, _)| stage_of(name));
    let mut made = Vec::new();
    for (name, words) in &programs {
        let guesses = Guesses { stage: stage_of(name) };
        let first = made.len();
        made.extend(mesa::without_padding(words).iter().enumerate().map(|(at, word)| {
            let offset = (first + at) as u32 * 8;
            let target = mesa::target(*word, at, generation).map(|to| (first + to) as i64 * 8);
            (one(*word, offset, generation, guesses), steer(*word, generation, target))
        }));
    }
    let code = programs.first().map_or(&[][..], |(_, words)| mesa::without_padding(words));
    let mut anatomy = Anatomy {
        instructions: connect(made),
        queues: QUEUES.to_vec(),
        files: vec![(FULL, "registers (scalar, full)"), (HALF, "registers (scalar, half)")],
        waves: None,
        figures: figures(Guesses { stage }),
        omits: &["caches", "how waves share the ALU", "the cost of a taken branch"],
    };
    let waves = waves(anatomy.registers_of(FULL).div_ceil(4), branch_stack(code), stage);
    anatomy.waves = Some(Resource { name: "waves", used: waves, allowed: regs::MAX_WAVES });
    Ok(anatomy)
}

fn figures(guesses: Guesses) -> Vec<Figure> {
    let source = "Mesa's ir3_delay, fitted on A6xx (spec 14)";
    let figure = |name, cycles| Figure { name, cycles, source, grade: Grade::Heuristic };
    vec![
        figure("special functions and local memory", Guesses::SPECIAL),
        figure("a texture of four components", guesses.texture(4)),
        figure("a load from memory", guesses.memory()),
    ]
}

fn steer(word: u64, generation: u8, target: Option<i64>) -> Steer {
    let op = decode(word, generation).map(|inst| Op::of(isa(generation).form(&inst).op));
    match (op, target) {
        (Some(Op::End), _) => Steer::End,
        (Some(Op::Jump), Some(to)) => Steer::Jump(to),
        (_, Some(to)) => Steer::Branch(to),
        _ => Steer::Next,
    }
}

fn one(word: u64, offset: u32, generation: u8, guesses: Guesses) -> Instruction {
    let Some(inst) = decode(word, generation) else {
        return Instruction { offset, slots: 1, passes: 1, ..Instruction::default() };
    };
    let isa = isa(generation);
    let effect = Effect::of(&inst, generation);
    let mut made = instruction(isa, &inst, offset, |_| false);
    made.is_half = made_halves(&effect);
    made.slots = 1 + u32::from(crate::listing::pgmdump::repeats(&inst));
    made.units = vec![(isa.form(&inst).operation.class.unit, made.slots)];
    let (reads, writes): (Vec<_>, Vec<_>) = effect.steps.into_iter().unzip();
    let reads = reads.into_iter().flatten().map(|read| register(read.place));
    (made.reads, made.writes) = (sorted(reads), sorted(writes.into_iter().flatten().map(register)));
    let mask = isa.value(&inst, "mask", &isa.cx()).and_then(chiaro_isa::Value::int).unwrap_or(1) as u32;
    let is_texture = word >> 61 == 5;
    made.enters = match effect.arrival {
        Arrival::Ss => vec![(0, Guesses::SPECIAL)],
        Arrival::Sy if is_texture => vec![(1, guesses.texture(32 - mask.leading_zeros()))],
        Arrival::Sy => vec![(1, guesses.memory())],
        Arrival::Slots => Vec::new(),
    };
    let flags = [(effect.ss, 0), (effect.sy, 1)];
    made.waits = flags.into_iter().filter(|(set, _)| *set).map(|(_, queue)| (queue, 0)).collect();
    made
}

/// Whether all that it writes are half registers.
fn made_halves(effect: &Effect) -> bool {
    let mut writes = effect.steps.iter().flat_map(|(_, writes)| writes).peekable();
    writes.peek().is_some() && writes.all(|place| matches!(place, Place::Half(_)))
}

fn sorted(registers: impl Iterator<Item = Register>) -> Vec<Register> {
    let mut all: Vec<Register> = registers.collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn register(place: Place) -> Register {
    let (file, index) = match place {
        Place::Full(n) => (FULL, n),
        Place::Half(n) => (HALF, n),
        Place::Predicate(n) => (OTHER, n),
        Place::Address => (OTHER, regs::A0),
        Place::Relative => (OTHER, regs::NONE),
    };
    Register { file, index, part: 0 }
}
