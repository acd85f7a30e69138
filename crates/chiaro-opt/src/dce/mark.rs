//! The mark phase: finds what is live, backwards from what has an effect.

use super::{ends, is_removable};
use chiaro_ir::{Def, Effect, Function, Inst, Module, Op, Step, Value, Walk};

/// Which results of a construct are needed, and which parameters of a loop's blocks.
#[derive(Clone, Debug)]
struct Shape {
    results: Box<[bool]>,
    params: [Box<[bool]>; 2],
}

/// Instructions and values that are needed.
#[derive(Debug)]
pub(super) struct Live {
    insts: Vec<bool>,
    values: Vec<bool>,
    /// By construct, once it was asked for.
    shapes: Vec<Option<Box<Shape>>>,
}

impl Live {
    pub(super) fn is_live(&self, inst: Inst) -> bool {
        self.insts.get(inst.0 as usize).copied().unwrap_or(true)
    }

    pub(super) fn is_needed(&self, value: Value) -> bool {
        self.values.get(value.0 as usize).copied().unwrap_or(true)
    }

    fn all(&self, values: impl Iterator<Item = Value>) -> Box<[bool]> {
        values.map(|value| self.is_needed(value)).collect()
    }

    /// Keeps what a construct's exits have to carry, before its results change. Where that is all there is, nothing
    /// has to be kept.
    pub(super) fn note_shape(&mut self, f: &Function, inst: Inst) {
        let blocks = if f.op(inst) == Op::Loop { f.blocks_of(inst) } else { &[] };
        let mut params = blocks.iter().flat_map(|&block| &f.block(block).params);
        if f.results(inst).all(|value| self.is_needed(value)) && params.all(|&value| self.is_needed(value)) {
            return;
        }
        let params = |n: usize| match (f.op(inst), f.blocks_of(inst).get(n)) {
            (Op::Loop, Some(&block)) => self.all(f.block(block).params.iter().copied()),
            _ => Box::default(),
        };
        let shape = Shape { results: self.all(f.results(inst)), params: [params(0), params(1)] };
        self.shapes[inst.0 as usize] = Some(Box::new(shape));
    }

    /// Which operands of an exit or a loop are needed; `None` for other instructions and where
    /// all are.
    pub(super) fn taken(&self, f: &Function, inst: Inst) -> Option<&[bool]> {
        let op = f.op(inst);
        let construct = if op == Op::Loop { inst } else { op.target()? };
        let shape = self.shapes.get(construct.0 as usize)?.as_deref()?;
        let taken = match op {
            Op::Exit(_) => &shape.results,
            Op::Continue(_) => &shape.params[1],
            _ => &shape.params[0],
        };
        taken.iter().any(|taken| !taken).then_some(taken)
    }
}

/// Finds what is needed in a function; whether a loop that something leaves is left in the end.
pub(super) fn mark(module: &Module, f: &Function, progress: bool) -> Live {
    let places = Places::find(f);
    let live = Live {
        insts: vec![false; f.inst_count()],
        values: vec![false; f.value_count()],
        shapes: vec![None; f.inst_count()],
    };
    let mut marker = Marker { f, places: &places, live, insts: Vec::new(), values: Vec::new() };
    for &inst in places.kept.iter().filter(|&&inst| is_root(module, f, &places, inst, progress)) {
        marker.inst(inst);
    }
    marker.run();
    marker.live
}

/// Whether an instruction may be needed whatever uses it.
fn may_be_root(f: &Function, inst: Inst) -> bool {
    let op = f.op(inst);
    match op {
        Op::Load => f.inst(inst).flags.volatile,
        Op::Loop => true,
        _ if op.is_exit() => op.target().is_none(),
        _ => !op.is_construct() && !is_removable(op),
    }
}

/// Whether an instruction of which that may be is needed whatever uses it.
fn is_root(module: &Module, f: &Function, places: &Places, inst: Inst, progress: bool) -> bool {
    let op = f.op(inst);
    match op {
        Op::Store | Op::Load | Op::Copy if f.inst(inst).flags.volatile => true,
        Op::Store => !f.args(inst).first().is_some_and(|&pointer| places.is_unread(pointer)),
        Op::Loop if progress && places.exits(inst).iter().any(|&exit| f.op(exit) == Op::Exit(inst)) => false,
        Op::Loop => !ends::ends(module, f, inst, places.exits(inst)),
        _ if op.is_exit() => op.target().is_none(),
        _ => !op.is_construct() && !is_removable(op),
    }
}

/// Where instructions stand, and what names a construct.
struct Places {
    /// By instruction: the construct around it.
    parents: Vec<Option<Inst>>,
    /// By block: the construct that owns it.
    owners: Vec<Option<Inst>>,
    /// Constructs that exits leave, rising, and those exits.
    left: Vec<Inst>,
    exits: Vec<Inst>,
    /// By pointer: the variable of the function that it leads into.
    roots: Vec<Option<Value>>,
    /// By variable: whether it is used in any way but stored to.
    read: Vec<bool>,
    /// What may be needed whatever uses it.
    kept: Vec<Inst>,
}

impl Places {
    fn find(f: &Function) -> Places {
        let insts = f.inst_count();
        let mut places = Places {
            parents: vec![None; insts],
            owners: vec![None; f.block_count()],
            left: Vec::new(),
            exits: Vec::new(),
            roots: Vec::new(),
            read: Vec::new(),
            kept: Vec::new(),
        };
        let (mut open, mut exits) = (vec![None], Vec::new());
        for step in Walk::new(f) {
            match step {
                Step::Open(owner, index, block) => {
                    places.owners[block.0 as usize] = owner;
                    if index == 0 && owner.is_some() {
                        open.push(owner);
                    }
                }
                Step::Leave(_) => drop(open.pop()),
                Step::Inst(inst) => {
                    places.parents[inst.0 as usize] = open.last().copied().flatten();
                    if let Some(target) = f.op(inst).target() {
                        exits.push((target, inst));
                    }
                    if may_be_root(f, inst) {
                        places.kept.push(inst);
                    }
                    places.pointers(f, inst);
                }
                _ => {}
            }
        }
        exits.sort_by_key(|(target, _)| *target);
        (places.left, places.exits) = exits.into_iter().unzip();
        places
    }

    fn pointers(&mut self, f: &Function, inst: Inst) {
        let (op, result) = (f.op(inst), f.result_of(inst));
        if self.roots.is_empty() {
            // Before the first variable there is nothing to follow.
            if !matches!(op, Op::Var(_)) {
                return;
            }
            self.roots = vec![None; f.value_count()];
            self.read = vec![false; f.value_count()];
        }
        for (i, &arg) in f.args(inst).iter().enumerate() {
            let Some(root) = self.roots[arg.0 as usize] else { continue };
            match (op, i, result) {
                (Op::Access, 0, Some(result)) => self.roots[result.0 as usize] = Some(root),
                (Op::Store, 0, _) => {}
                _ => self.read[root.0 as usize] = true,
            }
        }
        if let (Op::Var(_), Some(result)) = (op, result) {
            self.roots[result.0 as usize] = Some(result);
        }
    }

    /// Whether a pointer leads into a variable that is never read.
    fn is_unread(&self, pointer: Value) -> bool {
        self.roots.get(pointer.0 as usize).copied().flatten().is_some_and(|root| !self.read[root.0 as usize])
    }

    fn exits(&self, construct: Inst) -> &[Inst] {
        let start = self.left.partition_point(|&other| other < construct);
        let count = self.left[start..].iter().take_while(|&&other| other == construct).count();
        &self.exits[start..start + count]
    }
}

struct Marker<'a> {
    f: &'a Function,
    places: &'a Places,
    live: Live,
    insts: Vec<Inst>,
    values: Vec<Value>,
}

impl Marker<'_> {
    fn inst(&mut self, inst: Inst) {
        if !std::mem::replace(&mut self.live.insts[inst.0 as usize], true) {
            self.insts.push(inst);
        }
    }

    fn value(&mut self, value: Value) {
        if !std::mem::replace(&mut self.live.values[value.0 as usize], true) {
            self.values.push(value);
        }
    }

    fn run(&mut self) {
        loop {
            if let Some(inst) = self.insts.pop() {
                self.follow(inst);
            } else if let Some(value) = self.values.pop() {
                self.define(value);
            } else {
                return;
            }
        }
    }

    /// An instruction needs the construct around it, and its operands; what exits and loops
    /// carry is needed only by those who take it.
    fn follow(&mut self, inst: Inst) {
        let (f, op) = (self.f, self.f.op(inst));
        if let Some(parent) = self.places.parents[inst.0 as usize] {
            self.inst(parent);
        }
        if op != Op::Loop && op.target().is_none() {
            f.args(inst).iter().for_each(|&arg| self.value(arg));
        }
        if op.effect() == Effect::Construct {
            let places = self.places;
            places.exits(inst).iter().for_each(|&exit| self.inst(exit));
        }
    }

    fn define(&mut self, value: Value) {
        let f = self.f;
        match f.def(value) {
            Def::Result(inst, n) => {
                self.inst(inst);
                if f.op(inst).is_construct() {
                    self.carried(inst, n, |op| matches!(op, Op::Exit(_)));
                }
            }
            Def::BlockParam(block, n) => {
                let Some(owner) = self.places.owners[block.0 as usize] else { return };
                if f.blocks_of(owner).first() == Some(&block) {
                    f.args(owner).get(n as usize).into_iter().for_each(|&arg| self.value(arg));
                    self.carried(owner, n, |op| matches!(op, Op::Repeat(_)));
                } else {
                    self.carried(owner, n, |op| matches!(op, Op::Continue(_)));
                }
            }
            _ => {}
        }
    }

    /// Needs operand `n` of all exits of a kind that name a construct.
    fn carried(&mut self, construct: Inst, n: u32, kind: impl Fn(Op) -> bool) {
        let (f, places) = (self.f, self.places);
        for &exit in places.exits(construct) {
            if kind(f.op(exit))
                && let Some(&arg) = f.args(exit).get(n as usize)
            {
                self.value(arg);
            }
        }
    }
}
