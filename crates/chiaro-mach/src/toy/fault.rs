//! Mistakes planted into code of every step, to see that somebody finds them.

use super::{Found, LATE, MACHINES, Shape, TIMING, evaluate_from, generate, ops, walk};
use crate::alloc::{Fault, allocate, allocate_with_fault};
use crate::check::check_allocation;
use crate::check_waits::check_waits;
use crate::code::{Block, Code, Inst};
use crate::file::RegFile;
use crate::insert_waits::insert_waits;
use crate::lower_copies::lower_copies;
use crate::op::Op;
use crate::operand::{Operand, What};
use crate::queues::Queues;
use crate::schedule_for_latency::schedule_for_latency;
use crate::toy::late::READY;
use crate::toy::trial::{FUEL, text};

/// A mistake, and in which step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Planted {
    /// Allocation's own.
    Allocation(Fault),
    /// The n-th wait lets one more be under way, or is gone where it leaves the most.
    Wait(usize),
    /// The n-th operation on masks is forgotten, comes one instruction early, or reads or writes the next
    /// register, by turns.
    Mask(usize),
}

/// Inputs that a function is run on before a fault is said to change nothing.
const INPUTS: u64 = 4;

/// Makes the function of a seed with a mistake, and says who sees it.
pub fn trial_with_fault(seed: u64, shape: Shape, machine: usize, planted: Planted) -> Found {
    let files = &MACHINES[machine % MACHINES.len()];
    let source = generate(seed, shape);
    let (mut sound, mut faulty) = (source.clone(), source.clone());
    if evaluate_from(&source, files, false, FUEL, 0).is_none() || allocate(&mut sound, files).is_err() {
        return Found::Nothing;
    }
    let allocation = match planted {
        Planted::Allocation(fault) => Some(fault),
        _ => None,
    };
    if allocate_with_fault(&mut faulty, files, allocation).is_err() {
        return Found::Nothing;
    }
    match planted {
        Planted::Allocation(_) => {}
        Planted::Wait(n) => return weaken(faulty, files, n),
        Planted::Mask(n) => spoil_mask(&mut faulty, n),
    }
    if text(&sound, files) == text(&faulty, files) {
        Found::Nothing
    } else if check_allocation(&faulty, files).is_err() {
        Found::Refused
    } else if agree(&source, &faulty, files) {
        Found::Harmless
    } else {
        Found::Differs
    }
}

/// Whether code with registers computes on some inputs what its source does.
fn agree(source: &Code, code: &Code, files: &[RegFile]) -> bool {
    (0..INPUTS).all(|input| {
        // Inputs on which the source does not end say nothing.
        let trace = evaluate_from(source, files, false, FUEL, input);
        trace.is_none() || evaluate_from(code, files, true, FUEL, input) == trace
    })
}

/// The last steps, and one wait that is too weak.
fn weaken(mut code: Code, files: &[RegFile], n: usize) -> Found {
    if lower_copies(&mut code, files).is_err() {
        return Found::Nothing;
    }
    schedule_for_latency(&mut code, files, &TIMING);
    insert_waits(&mut code, files, &LATE);
    let Some(&place) = waits(&code).get(n) else { return Found::Nothing };
    weaken_wait(&mut code, place);
    if check_waits(&code, files, &LATE).is_err() {
        Found::Refused
    } else if (0..8).all(|seed| walk(&code, files, seed, 60).is_ok()) {
        Found::Harmless
    } else {
        Found::Differs
    }
}

/// A wait of a function: its instruction, and which queue.
pub type WaitPlace = (Inst, usize);

/// All waits of a function.
pub fn waits(code: &Code) -> Vec<WaitPlace> {
    let insts = code.blocks().flat_map(|block| code.insts(block)).copied();
    let of = |inst| {
        (0..).zip(LATE.waits(code, inst)).filter(|(_, left)| left.is_some()).map(move |(q, _)| (inst, q))
    };
    insts.flat_map(of).collect()
}

/// Makes one wait weaker by one, or takes it away where it leaves the most.
pub fn weaken_wait(code: &mut Code, (inst, queue): WaitPlace) {
    if code.op(inst) != Op::Machine(ops::WAIT) {
        code.inst_mut(inst).modifiers &= !READY;
        return;
    }
    let limit = u64::from(LATE.queues()[queue].limit);
    let used = &mut code.uses_mut(inst)[queue];
    *used = match used.what {
        What::Imm(left) if left < limit => Operand::imm(left + 1),
        _ => Operand::UNDEF,
    };
}

fn is_mask(code: &Code, inst: Inst) -> bool {
    matches!(code.op(inst), Op::Machine(ops::SAVE | ops::INVERT | ops::RESTORE | ops::BREAK))
}

fn spoil_mask(code: &mut Code, n: usize) {
    let places: Vec<(Block, usize)> = code
        .blocks()
        .flat_map(|block| (0..code.insts(block).len()).map(move |pos| (block, pos)))
        .filter(|&(block, pos)| is_mask(code, code.insts(block)[pos]))
        .collect();
    let Some(&(block, pos)) = places.get(n / 3) else { return };
    let inst = code.insts(block)[pos];
    match n % 3 {
        0 => _ = code.block_mut(block).insts.remove(pos),
        1 if pos > 0 => code.block_mut(block).insts.swap(pos - 1, pos),
        1 => {}
        _ => {
            let is_def = !code.defs(inst).is_empty();
            let mask = if is_def { code.defs_mut(inst).first_mut() } else { code.uses_mut(inst).last_mut() };
            if let Some(reg) = mask.and_then(|mask| mask.reg.as_mut()) {
                *reg += 1;
            }
        }
    }
}
