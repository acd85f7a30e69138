//! What exits mean for the mask stack, before blocks are made (spec 6.2).
//!
//! An `if` of which one side never comes to its end is a guard: lanes of that side leave, the others go on as if
//! nothing had happened. An exit is shallow if lanes come to its destination by going on; any other sets the
//! counter of its lanes, and the construct needs a level that brings them back.

use chiaro_ir as ir;
use chiaro_ir::{Function, Op, Step, Walk};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// What is known of the constructs of a function.
#[derive(Debug, Default)]
pub(super) struct Shape {
    /// The side of each guard that leaves.
    guards: HashMap<ir::Inst, u32>,
    /// Constructs that lanes come to the end of by their counter.
    ends: HashSet<ir::Inst>,
    /// Loops whose lanes come to the continuing block by their counter.
    continues: HashSet<ir::Inst>,
    /// Loops whose lanes come back to their head by their counter.
    repeats: HashSet<ir::Inst>,
    /// Whether lanes come to the end of the function by their counter.
    pub(super) returns: bool,
}

type Nest = Vec<(ir::Inst, u32)>;

impl Shape {
    /// A guard to whose end lanes come by their counters is none: it needs a level.
    pub(super) fn of(f: &Function) -> Shape {
        let mut guards = guards(f);
        loop {
            let shape = Shape::with(f, guards.clone());
            let before = guards.len();
            guards.retain(|inst, _| !shape.ends.contains(inst));
            if guards.len() == before {
                return shape;
            }
        }
    }

    fn with(f: &Function, guards: HashMap<ir::Inst, u32>) -> Shape {
        let mut shape = Shape { guards, ..Shape::default() };
        visit(f, |nest, op| {
            let target = op.target();
            let at = nest.iter().rposition(|(inst, _)| Some(*inst) == target);
            let inner = &nest[at.map_or(0, |at| at + 1)..];
            let by_counter = !inner.iter().all(|(inst, side)| shape.is_inline(*inst, *side));
            let Some(target) = target else {
                shape.returns |= by_counter;
                return;
            };
            let leaves_loop = f.op(target) == Op::Loop && matches!(op, Op::Exit(_));
            let set = match op {
                Op::Continue(_) => &mut shape.continues,
                Op::Repeat(_) => &mut shape.repeats,
                _ => &mut shape.ends,
            };
            if by_counter || leaves_loop {
                set.insert(target);
            }
        });
        shape
    }

    /// The side of an `if` that leaves.
    pub(super) fn guard(&self, inst: ir::Inst) -> Option<u32> {
        self.guards.get(&inst).copied()
    }

    fn is_inline(&self, inst: ir::Inst, side: u32) -> bool {
        self.guard(inst).is_some_and(|leaving| leaving != side)
    }

    pub(super) fn ends_by_counter(&self, inst: ir::Inst) -> bool {
        self.ends.contains(&inst)
    }

    pub(super) fn continues_by_counter(&self, inst: ir::Inst) -> bool {
        self.continues.contains(&inst)
    }

    pub(super) fn repeats_by_counter(&self, inst: ir::Inst) -> bool {
        self.repeats.contains(&inst)
    }
}

/// Every exit with the constructs around it and the block of each that it is in.
fn visit(f: &Function, mut found: impl FnMut(&Nest, Op)) {
    let mut nest: Nest = Vec::new();
    for step in Walk::new(f) {
        match step {
            Step::Open(Some(owner), n, _) => nest.push((owner, n)),
            Step::Close(Some(_), ..) => {
                nest.pop();
            }
            Step::Inst(inst) if f.op(inst).is_exit() => found(&nest, f.op(inst)),
            _ => {}
        }
    }
}

/// The leaving side of each guard. Where both leave, the one goes on that comes back to a loop.
fn guards(f: &Function) -> HashMap<ir::Inst, u32> {
    let (mut ifs, mut comes, mut loops) = (Vec::new(), HashSet::default(), HashSet::default());
    visit(f, |nest, op| {
        if let Some(&(owner, side)) = nest.last()
            && matches!(op, Op::Repeat(_) | Op::Continue(_))
        {
            loops.insert((owner, side));
        }
        if let Op::Exit(to) = op
            && let Some(&(_, side)) = nest.iter().rfind(|(inst, _)| *inst == to)
        {
            comes.insert((to, side));
        }
        ifs.extend(nest.iter().filter(|(inst, _)| f.op(*inst) == Op::If).map(|(inst, _)| *inst));
    });
    ifs.sort_unstable();
    ifs.dedup();
    let side = |inst: ir::Inst| match [0, 1].map(|n| comes.contains(&(inst, n))) {
        [true, true] => None,
        [true, false] => Some(1),
        [false, true] => Some(0),
        [false, false] => Some(u32::from(loops.contains(&(inst, 0)))),
    };
    ifs.into_iter().filter_map(|inst| Some((inst, side(inst)?))).collect()
}
