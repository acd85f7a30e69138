//! Waits for what memory has not brought yet (spec section 10).

use chiaro_mach::{Code, Holds, Inst, Left, Op as Mach, Operand, Pending, Queue, Queues, What, insert_waits};

use crate::compile::code::{self, Modifiers, files, operation};
use crate::isa::Op;
use crate::isa::mimg::Mimg;
use crate::isa::sopp::Sopp;

/// Places of the counters.
const LOADS: u8 = 0;
const SHARED: u8 = 1;
const STORES: u8 = 2;

/// Kinds of what comes back in order.
const PLAIN: Option<u8> = Some(0);
const SAMPLED: Option<u8> = Some(1);
const RAYS: Option<u8> = Some(2);

/// No wait of a counter, in the number of a wait.
const NONE: i32 = 0xff;

/// The most that a wait can leave under way: the number behind it asks for no wait (spec 10.1).
const MOST_LEFT: u16 = 62;

static COUNTERS: [Queue; 3] = [
    Queue { name: "vmcnt", limit: MOST_LEFT },
    Queue { name: "lgkmcnt", limit: MOST_LEFT },
    Queue { name: "vscnt", limit: MOST_LEFT },
];

const fn pending(queue: u8, kind: Option<u8>) -> Pending {
    Pending { queue, kind, holds: Holds::Results }
}

static LOAD: [Pending; 1] = [pending(LOADS, PLAIN)];
static SAMPLE: [Pending; 1] = [pending(LOADS, SAMPLED)];
static RAY: [Pending; 1] = [pending(LOADS, RAYS)];
static STORE: [Pending; 1] = [pending(STORES, PLAIN)];
static LDS: [Pending; 1] = [pending(SHARED, PLAIN)];
static SCALAR: [Pending; 1] = [pending(SHARED, None)];

/// The counters of the machine.
struct Counters;

/// Inserts waits. Copies that stay where they are go before: they read nothing.
pub(super) fn wait(code: &mut Code, wave: u8) {
    for block in code.blocks() {
        let mut insts = std::mem::take(&mut code.block_mut(block).insts);
        insts.retain(|&inst| !is_nothing(code, inst));
        code.block_mut(block).insts = insts;
    }
    let _waiting = insert_waits(code, files(wave), &Counters);
}

/// Whether an instruction is a copy whose operands share a place, or of what nobody has made.
fn is_nothing(code: &Code, inst: Inst) -> bool {
    let stays = |(def, used): (&Operand, &Operand)| {
        let is_nowhere = used.reg.is_none() && !matches!(used.what, What::Imm(_));
        is_nowhere || def.reg == used.reg && def.file == used.file
    };
    match code.op(inst) {
        Mach::Pcopy => code.defs(inst).iter().zip(code.uses(inst)).all(stays),
        Mach::Phi | Mach::Start => true,
        _ => false,
    }
}

impl Queues for Counters {
    fn queues(&self) -> &[Queue] {
        &COUNTERS
    }

    fn pending(&self, code: &Code, inst: Inst) -> &[Pending] {
        let gives = code.defs(inst).iter().any(|def| def.file == code::VECTOR);
        match operation(code, inst) {
            Some(Op::Smem(_)) => &SCALAR,
            Some(Op::Ds(_)) => &LDS,
            Some(Op::Mimg(_)) if gives && is_sampled(code, inst) => &SAMPLE,
            Some(Op::Mimg(Mimg::Bvh64IntersectRay)) => &RAY,
            Some(Op::Mubuf(crate::isa::mubuf::Mubuf::Gl0Inv | crate::isa::mubuf::Mubuf::Gl1Inv)) => &[],
            Some(Op::Mubuf(_) | Op::Mtbuf(_) | Op::Mimg(_) | Op::Global(_) | Op::Scratch(_)) => {
                if gives {
                    &LOAD
                } else {
                    &STORE
                }
            }
            _ => &[],
        }
    }

    /// Barriers wait for LDS, those of the device for all memory. Nothing is on its way where functions meet.
    fn drains(&self, code: &Code, inst: Inst) -> u32 {
        let is_far = Modifiers::unpack(code.inst(inst).modifiers).number != 0;
        let all = 1 << LOADS | 1 << SHARED | 1 << STORES;
        match (code.op(inst), operation(code, inst)) {
            (Mach::Call | Mach::Return, _) => all,
            (Mach::Machine(code::FENCE), _) if is_far => all,
            (_, Some(Op::Sopp(Sopp::Barrier))) => {
                if is_far {
                    all
                } else {
                    1 << SHARED
                }
            }
            _ => 0,
        }
    }

    fn waits(&self, code: &Code, inst: Inst) -> Vec<Left> {
        let Some(Op::Sopp(Sopp::Waitcnt)) = operation(code, inst) else { return Vec::new() };
        left(Modifiers::unpack(code.inst(inst).modifiers).number).to_vec()
    }

    fn set_waits(&self, code: &mut Code, inst: Inst, left: &[Left]) -> Option<Inst> {
        let number = (0..).zip(left).fold(0, |all, (n, left)| all | left.map_or(NONE, i32::from) << (8 * n));
        let made = code.make(code::machine(Op::Sopp(Sopp::Waitcnt)), &[], &[]);
        let span = code.inst(inst).span;
        let data = code.inst_mut(made);
        (data.modifiers, data.span) = (Modifiers::number(number).pack(), span);
        Some(made)
    }
}

fn is_sampled(code: &Code, inst: Inst) -> bool {
    operation(code, inst).is_some_and(|op| {
        let name = code::row(op).name;
        name.starts_with("image_sample") || name.starts_with("image_gather") || name == "image_get_lod"
    })
}

/// What a wait leaves under way, counter by counter.
pub(super) fn left(number: i32) -> [Left; 3] {
    [0, 1, 2].map(|n| Some(number >> (8 * n) & 0xff).filter(|&left| left != NONE).map(|left| left as u16))
}
