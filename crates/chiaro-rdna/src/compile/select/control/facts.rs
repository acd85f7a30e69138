//! What lanes do in constructs, before blocks are made of them.
//!
//! Lanes *wait* where the program counter still has to come by for them: those that take the other side of a
//! condition, those that left a construct or an iteration while others stayed. An exit jumps only if nobody waits on
//! its way; else its lanes are switched off, and the program counter goes on to where others wait.

use chiaro_ir as ir;
use chiaro_ir::{Function, Op as Ir, Step, Value, Walk};

/// What is known of a construct.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Fact {
    /// Its condition differs from lane to lane.
    pub(super) parts: bool,
    /// Lanes wait at its end for others that are still in it.
    pub(super) leaves: bool,
    /// Lanes wait for the next iteration.
    pub(super) continues: bool,
    /// Something in it goes beyond its end.
    pub(super) escapes: bool,
}

impl Fact {
    /// Whether lanes stay together in it.
    pub(super) fn keeps_lanes(self) -> bool {
        !(self.parts || self.leaves || self.continues)
    }
}

/// A construct that is open.
#[derive(Clone, Copy)]
struct Open {
    inst: ir::Inst,
    /// Which of its blocks.
    block: u32,
}

/// The facts of each construct, by its instruction; of values it is known whether they differ from lane to lane.
pub(super) fn facts(f: &Function, differs: &dyn Fn(Value) -> bool) -> Vec<Fact> {
    let mut facts = vec![Fact::default(); f.inst_count()];
    loop {
        let before = facts.clone();
        walk(f, differs, &mut facts);
        if facts == before {
            return facts;
        }
    }
}

/// Whether one of these instructions stands in a construct in which lanes part.
pub(super) fn is_parted(f: &Function, facts: &[Fact], is_it: impl Fn(ir::Inst) -> bool) -> bool {
    let mut open: Vec<ir::Inst> = Vec::new();
    Walk::new(f).any(|step| {
        match step {
            Step::Open(Some(inst), 0, _) => open.push(inst),
            Step::Leave(_) => _ = open.pop(),
            Step::Inst(inst) => {
                return is_it(inst) && !open.iter().all(|outer| facts[outer.0 as usize].keeps_lanes());
            }
            _ => {}
        }
        false
    })
}

fn walk(f: &Function, differs: &dyn Fn(Value) -> bool, facts: &mut [Fact]) {
    let mut open: Vec<Open> = Vec::new();
    for step in Walk::new(f) {
        match step {
            Step::Open(Some(inst), 0, _) => {
                if f.op(inst) == Ir::If {
                    facts[inst.0 as usize].parts = differs(f.args(inst)[0]);
                }
                open.push(Open { inst, block: 0 });
            }
            Step::Open(Some(_), block, _) => {
                if let Some(last) = open.last_mut() {
                    last.block = block;
                }
            }
            Step::Leave(_) => _ = open.pop(),
            Step::Inst(inst) if f.op(inst).is_exit() => exit(f, facts, &open, f.op(inst)),
            _ => {}
        }
    }
}

fn exit(f: &Function, facts: &mut [Fact], open: &[Open], op: Ir) {
    let target = op.target().and_then(|inst| open.iter().rposition(|o| o.inst == inst));
    let inner = target.map_or(0, |at| at + 1);
    let mut waits = false;
    for o in &open[inner..] {
        let fact = &mut facts[o.inst.0 as usize];
        fact.escapes = true;
        let in_body = f.op(o.inst) == Ir::Loop && o.block == 0;
        waits |= fact.parts || fact.leaves || fact.continues && in_body;
    }
    let Some(at) = target else { return };
    let (o, fact) = (open[at], &mut facts[open[at].inst.0 as usize]);
    match op {
        Ir::Continue(_) => fact.continues |= waits,
        Ir::Exit(_) => {
            let in_body = f.op(o.inst) == Ir::Loop && o.block == 0;
            fact.leaves |= waits || fact.continues && in_body;
        }
        _ => {}
    }
}
