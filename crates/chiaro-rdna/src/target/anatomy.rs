//! What instructions do and take, by the cost model of the report (spec section 14).

use chiaro_diag::Diagnostic;
use chiaro_target::anatomy::{
    Anatomy, Cause, Figure, Grade, Instruction, Queue, Register, Steer, connect, instruction,
};
use chiaro_target::{Resource, Settings};

use super::report::{choices, part};
use crate::check::step::{Step, steps};
use crate::check::tables;
use crate::isa::isa;
use crate::report::cycles::{Latencies, Model};
use crate::report::{Launch, Statistics, WAVES};

/// Files of registers as accounts call them.
const SCALAR: u8 = 0;
const VECTOR: u8 = 1;

/// The counters, in the order of the model.
const QUEUES: [Queue; 4] = [
    Queue { name: "vmcnt", is_memory: true },
    Queue { name: "lgkmcnt", is_memory: true },
    Queue { name: "expcnt", is_memory: false },
    Queue { name: "vscnt", is_memory: true },
];

/// The code of a kernel.
pub(super) fn of(bytes: &[u8], settings: &Settings) -> Result<Anatomy, Box<Diagnostic>> {
    let part = part(bytes, settings)?;
    let (latencies, threads) = choices(settings, part.wave)?;
    let launch = Launch { wave: part.wave, threads, lds: part.lds, vgprs: part.vgprs, older: false };
    let model = Model { launch: &launch, latencies: &latencies };
    let all = steps(&part.code, isa(part.wave));
    let ends = all.iter().rposition(|step| step.steer == tables::Steer::End).map_or(all.len(), |n| n + 1);
    let one = |step: &Step| (one(step, &part.code, &model), steer(step));
    let made = Statistics::of(&part.code, &launch, &latencies);
    Ok(Anatomy {
        instructions: connect(all[..ends].iter().map(one).collect()),
        queues: QUEUES.to_vec(),
        files: vec![(VECTOR, "vector registers"), (SCALAR, "scalar registers")],
        waves: Some(Resource { name: "waves of a SIMD", used: made.occupancy.waves, allowed: WAVES }),
        figures: figures(latencies),
        omits: &["caches and the memory's bandwidth", "the front end: fetches and taken branches"],
    })
}

fn figures(latencies: Latencies) -> Vec<Figure> {
    let source = "ACO's cost model, a heuristic (spec 14)";
    let figure = |(name, cycles)| Figure { name, cycles, source, grade: Grade::Heuristic };
    latencies.named().into_iter().map(figure).collect()
}

fn steer(step: &Step) -> Steer {
    let behind = i64::from(step.word) + 1;
    let to = |distance: i32| (behind + i64::from(distance)) * 4;
    match step.steer {
        tables::Steer::On | tables::Steer::Call => Steer::Next,
        tables::Steer::Maybe(distance) => Steer::Branch(to(distance)),
        tables::Steer::Branch(distance) => Steer::Jump(to(distance)),
        tables::Steer::Leave | tables::Steer::End => Steer::End,
    }
}

fn one(step: &Step, code: &[u8], model: &Model<'_>) -> Instruction {
    let offset = step.word * 4;
    let Some(inst) = &step.inst else {
        return Instruction { offset, cause: Cause::Wait, ..Instruction::default() };
    };
    let mut made = instruction(isa(model.launch.wave), inst, offset, |_| false);
    made.is_half = ["_f16", "_u16", "_i16", "_b16"].iter().any(|kind| step.name.contains(kind));
    // What aligns code is not there for the model.
    (made.units, made.slots) = (Vec::new(), 0);
    let Some(taken) = model.of(step, code) else { return made };
    let register = |n: &u16| match n.checked_sub(256) {
        Some(index) => Register { file: VECTOR, index, part: 0 },
        None => Register { file: SCALAR, index: *n, part: 0 },
    };
    made.slots = 1;
    made.units = taken.units;
    made.passes = taken.passes;
    made.result = taken.result;
    made.reads = taken.reads.iter().map(register).collect();
    made.writes = taken.writes.iter().map(register).collect();
    made.enters = taken.enters;
    made.waits = taken.waits;
    made.drains = step.steer == tables::Steer::End;
    made
}
