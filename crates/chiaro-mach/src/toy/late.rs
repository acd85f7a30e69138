//! Results of the toy machine that come back late, and walks through code on which they do.
//!
//! Four queues, one of each temper. `loads` counts two kinds that overtake one another; `ready` is a
//! flag on the reader; `exports` holds the sources of stores until they are read; what `scalar`
//! counts comes back in any order.

use chiaro_isa::Rng;

use super::ops;
use crate::code::{Block, Code, Inst};
use crate::file::RegFile;
use crate::op::Op;
use crate::operand::{Operand, What};
use crate::queues::{Holds, Left, Pending, Place, Queue, Queues, touched};

/// The asynchronous side of the machine.
#[derive(Clone, Copy, Debug)]
pub struct Late;

/// The asynchronous side of the machine.
pub static LATE: Late = Late;

static QUEUES: [Queue; 4] = [
    Queue { name: "loads", limit: 7 },
    Queue { name: "ready", limit: 0 },
    Queue { name: "exports", limit: 3 },
    Queue { name: "scalar", limit: 15 },
];

/// The flag, as a bit of what has to wait.
pub(super) const READY: u64 = 1 << 63;

impl Queues for Late {
    fn queues(&self) -> &[Queue] {
        &QUEUES
    }

    fn pending(&self, code: &Code, inst: Inst) -> &[Pending] {
        const fn late(queue: u8, kind: Option<u8>, holds: Holds) -> Pending {
            Pending { queue, kind, holds }
        }
        match code.op(inst) {
            Op::Reload => const { &[late(0, Some(0), Holds::Results)] },
            Op::Machine(ops::COMPARE) => const { &[late(0, Some(1), Holds::Results)] },
            Op::Machine(ops::SUM) => const { &[late(1, None, Holds::Results)] },
            Op::Machine(ops::STORE) => const { &[late(2, Some(0), Holds::Sources)] },
            Op::Machine(ops::MIX_WAVE) => {
                const { &[late(3, None, Holds::Results), late(0, Some(0), Holds::Sources)] }
            }
            _ => &[],
        }
    }

    fn drains(&self, code: &Code, inst: Inst) -> u32 {
        match code.op(inst) {
            Op::Return => 0b1111,
            Op::Call => 0b0101,
            _ => 0,
        }
    }

    fn waits(&self, code: &Code, inst: Inst) -> Vec<Left> {
        let mut left = vec![None; QUEUES.len()];
        if code.op(inst) == Op::Machine(ops::WAIT) {
            for (left, operand) in left.iter_mut().zip(code.uses(inst)) {
                *left = match operand.what {
                    What::Imm(number) => Some(number as u16),
                    _ => None,
                };
            }
        }
        if code.inst(inst).modifiers & READY != 0 {
            left[1] = Some(0);
        }
        left
    }

    fn set_waits(&self, code: &mut Code, inst: Inst, left: &[Left]) -> Option<Inst> {
        if left[1].is_some() {
            code.inst_mut(inst).modifiers |= READY;
        }
        let counted = (0..).zip(left).map(|(queue, left)| left.filter(|_| queue != 1));
        let uses: Vec<Operand> =
            counted.map(|left| left.map_or(Operand::UNDEF, |n| Operand::imm(n.into()))).collect();
        let counts = uses.iter().any(|operand| operand.what != What::Undef);
        counts.then(|| code.make(Op::Machine(ops::WAIT), &[], &uses))
    }
}

/// Walks a random path on which everything comes back as late as the waits allow, or a little
/// earlier, in one of the orders that its kinds allow.
///
/// # Errors
/// An instruction that touches what is still held, as text.
pub fn walk(code: &Code, files: &[RegFile], seed: u64, blocks: usize) -> Result<(), String> {
    let mut walk = Walk { code, rng: Rng(seed), flight: Vec::new() };
    let mut block = Block(0);
    for _ in 0..blocks {
        for &inst in code.insts(block) {
            walk.step(files, inst)?;
        }
        let succs = &code.block_data(block).linear.succs;
        if succs.is_empty() {
            break;
        }
        block = succs[walk.rng.below(succs.len())];
    }
    Ok(())
}

struct Walk<'a> {
    code: &'a Code,
    rng: Rng,
    /// What is under way, the oldest first, and what it holds.
    flight: Vec<(Inst, Pending, Vec<Place>)>,
}

impl Walk<'_> {
    fn step(&mut self, files: &[RegFile], inst: Inst) -> Result<(), String> {
        if matches!(self.code.op(inst), Op::Phi | Op::Start) {
            return Ok(());
        }
        if self.rng.below(8) == 0 {
            let queue = self.rng.below(QUEUES.len()) as u8;
            self.arrive(queue);
        }
        for (queue, left) in (0..).zip(LATE.waits(self.code, inst)) {
            while left.is_some_and(|left| self.count(queue) > usize::from(left)) {
                self.arrive(queue);
            }
        }
        let pending = LATE.pending(self.code, inst);
        if pending.is_empty() && self.flight.is_empty() {
            return Ok(());
        }
        let now = touched(self.code, files, inst);
        for (event, holder, held) in &self.flight {
            if LATE.drains(self.code, inst) >> holder.queue & 1 != 0 {
                return Err(format!("i{}: i{} is under way", inst.0, event.0));
            }
            let behind = holder.kind.is_some() && pending.contains(holder);
            let results = holder.holds == Holds::Results;
            let reads = results && held.iter().any(|place| now.read.contains(place));
            let writes = held.iter().any(|place| now.written.contains(place));
            if reads || writes && !(results && behind) {
                return Err(format!("i{} touches what i{} holds", inst.0, event.0));
            }
        }
        let issued = pending.iter().map(|pending| (inst, *pending, now.held(pending.holds).to_vec()));
        self.flight.extend(issued);
        Ok(())
    }

    fn count(&self, queue: u8) -> usize {
        self.flight.iter().filter(|(_, pending, _)| pending.queue == queue).count()
    }

    /// Lets one of a queue come back: of what keeps its order only the oldest can.
    fn arrive(&mut self, queue: u8) {
        let can = |at: &usize| {
            let pending = self.flight[*at].1;
            let same = |(_, older, _): &(Inst, Pending, Vec<Place>)| {
                older.queue == queue && older.kind == pending.kind
            };
            pending.queue == queue && (pending.kind.is_none() || !self.flight[..*at].iter().any(same))
        };
        let able: Vec<usize> = (0..self.flight.len()).filter(can).collect();
        if !able.is_empty() {
            self.flight.remove(able[self.rng.below(able.len())]);
        }
    }
}
