//! What instructions do and take: cycles by unit as they were measured, or as Mesa's model has them (spec 11).
//! Latencies nobody published: what a wait costs is assumed.

use chiaro_diag::Diagnostic;
use chiaro_isa::{Inst, Wait};
use chiaro_target::anatomy::{Anatomy, Figure, Grade, Queue, Register, Steer, connect, instruction};
use chiaro_target::{Resource, Settings, Target};

use super::{Agx, style_of};
use crate::check::step::{self, Event};
use crate::isa::{Op, isa};
use crate::regs::{self, file};
use crate::report::{Cycles, Statistics};

/// The two slots that waits name.
const QUEUES: [Queue; 2] =
    [Queue { name: "wait slot 0", is_memory: true }, Queue { name: "wait slot 1", is_memory: true }];

/// SIMD-groups that a core holds at once, at most: spec section 2.
const MOST: u16 = 1;

/// The code of a file.
pub(super) fn of(bytes: &[u8], settings: &Settings) -> Result<Anatomy, Box<Diagnostic>> {
    let generation = style_of(settings)?.generation;
    let code = Agx.code(bytes, settings)?.bytes;
    let isa = isa(generation);
    let mut all = Vec::new();
    let mut late = 0;
    // Traps stand behind the end: the machine fetches ahead.
    for step in step::steps(&code, isa) {
        let Some(inst) = step.inst.as_ref().filter(|_| step.steer != step::Steer::Trap) else { continue };
        let op = Op::of(isa.form(inst).op);
        let mut one = instruction(isa, inst, step.offset, |_| false);
        one.slots = 1;
        one.is_half = isa.form(inst).operation.class.unit == "F16";
        one.units = vec![unit(inst, op, generation)];
        one.reads = step.reads.iter().map(half).collect();
        one.writes = step.writes.iter().map(half).collect();
        match step.event {
            Event::Issue(slot) | Event::Stack(slot) => {
                let cycles = assumed(isa.form(inst).operation.class.result);
                one.enters = vec![(usize::from(slot & 1), cycles)];
                late = late.max(cycles);
            }
            Event::Wait(slot) => one.waits = vec![(usize::from(slot & 1), 0)],
            _ => {}
        }
        all.push((one, steer(step.steer)));
    }
    let made = Statistics::of(&code, generation, None);
    let most = regs::resident(MOST).into();
    Ok(Anatomy {
        instructions: connect(all),
        queues: QUEUES.to_vec(),
        files: vec![(file::GPR, "halves of registers")],
        waves: Some(Resource { name: "SIMD-groups", used: made.resident.into(), allowed: most }),
        figures: figures(late),
        omits: &[
            "latencies of arithmetic: registers are interlocked",
            "caches",
            "the cost of a taken branch",
        ],
    })
}

fn figures(late: u32) -> Vec<Figure> {
    let figure = |name, cycles, source, grade| Figure { name, cycles, source, grade };
    let mut all = vec![
        figure("a simple operation", 1, "measured by dougallj, philipturner (spec 11.2)", Grade::Measured),
        figure("a complex operation", 4, "32 lanes every four cycles (spec 11.2)", Grade::Measured),
    ];
    if late > 0 {
        all.push(figure("what a wait is for", late, "nobody published it", Grade::Assumed));
    }
    all
}

fn half(index: u16) -> Register {
    Register { file: file::GPR, index, part: 0 }
}

/// The unit that an instruction takes, with whole cycles.
fn unit(inst: &Inst, op: Op, generation: u8) -> (&'static str, u32) {
    let operation = isa(generation).form(inst).operation;
    let mut cycles = Cycles::default();
    cycles.count(op, operation.name, operation.class.unit, None);
    match (cycles.simple(), cycles.complex()) {
        (0, 0) => (operation.class.unit, 1),
        (simple, 0) => ("simple units", simple),
        (_, complex) => ("complex unit", complex),
    }
}

/// Cycles until a result is there that no source tells.
fn assumed(result: Wait) -> u32 {
    result.estimate().into()
}

fn steer(steer: step::Steer) -> Steer {
    match steer {
        step::Steer::Branch(place) => Steer::Branch(place),
        step::Steer::Return | step::Steer::Stop | step::Steer::Trap => Steer::End,
        step::Steer::Next | step::Steer::Call(_) => Steer::Next,
    }
}
