//! Which exits leave which construct, and where to.

use chiaro_ir::{Function, Inst, Op, Step, Walk};

/// Exits to more places than this are not followed.
const MOST: usize = 8;

/// What is known of one construct.
#[derive(Clone, Debug, Default)]
struct Fact {
    exits: u32,
    continues: u32,
    repeats: u32,
    /// The exits within that lead out of it, but to its own end; each once.
    outward: Vec<Op>,
}

/// What is known of all constructs of a function.
pub(super) struct Facts {
    /// By instruction: the place of a construct in the list, plus one.
    places: Vec<u32>,
    list: Vec<Fact>,
}

impl Facts {
    pub(super) fn find(f: &Function) -> Facts {
        let mut facts = Facts { places: vec![0; f.inst_count()], list: Vec::new() };
        let mut open: Vec<Inst> = Vec::new();
        for step in Walk::new(f) {
            match step {
                Step::Open(Some(owner), 0, _) => {
                    open.push(owner);
                    facts.list.push(Fact::default());
                    facts.places[owner.0 as usize] = facts.list.len() as u32;
                }
                Step::Inst(inst) if f.op(inst).is_exit() => facts.exit(f.op(inst), open.last().copied()),
                Step::Leave(inst) => {
                    open.pop();
                    facts.leave(inst, open.last().copied());
                }
                _ => {}
            }
        }
        facts
    }

    fn exit(&mut self, op: Op, here: Option<Inst>) {
        if let Some(fact) = op.target().and_then(|target| self.fact_mut(target)) {
            match op {
                Op::Exit(_) => fact.exits += 1,
                Op::Continue(_) => fact.continues += 1,
                _ => fact.repeats += 1,
            }
        }
        if let Some(here) = here
            && op.target() != Some(here)
            && let Some(fact) = self.fact_mut(here)
        {
            fact.add(op);
        }
    }

    /// What leads out of a construct, and not to the one around it, leads out of that too.
    fn leave(&mut self, inst: Inst, around: Option<Inst>) {
        let (Some(around), Some(own)) = (around, self.fact_mut(inst)) else { return };
        let outward = std::mem::take(&mut own.outward);
        if let Some(fact) = self.fact_mut(around) {
            outward.iter().filter(|op| op.target() != Some(around)).for_each(|&op| fact.add(op));
        }
        if let Some(own) = self.fact_mut(inst) {
            own.outward = outward;
        }
    }

    fn place(&self, inst: Inst) -> Option<usize> {
        let place = *self.places.get(inst.0 as usize)?;
        place.checked_sub(1).map(|place| place as usize)
    }

    fn fact(&self, inst: Inst) -> Option<&Fact> {
        self.place(inst).map(|place| &self.list[place])
    }

    fn fact_mut(&mut self, inst: Inst) -> Option<&mut Fact> {
        self.place(inst).map(|place| &mut self.list[place])
    }

    pub(super) fn continues(&self, inst: Inst) -> u32 {
        self.fact(inst).map_or(1, |fact| fact.continues)
    }

    pub(super) fn repeats(&self, inst: Inst) -> u32 {
        self.fact(inst).map_or(1, |fact| fact.repeats)
    }

    /// How often a construct is left to its own end; `None` for one that was not there.
    pub(super) fn exits(&self, inst: Inst) -> Option<u32> {
        self.fact(inst).map(|fact| fact.exits)
    }

    /// The exits within that lead further.
    pub(super) fn outward(&self, inst: Inst) -> &[Op] {
        self.fact(inst).map_or(&[], |fact| &fact.outward)
    }

    /// Whether a `block` is left to its own end only where its block ends, if at all.
    pub(super) fn is_left_at_end(&self, f: &Function, inst: Inst) -> bool {
        let last = f.blocks_of(inst).first().and_then(|&block| f.block(block).insts.last());
        let at_end = u32::from(last.is_some_and(|&last| f.op(last) == Op::Exit(inst)));
        self.exits(inst) == Some(at_end)
    }
}

impl Fact {
    fn add(&mut self, op: Op) {
        if !self.outward.contains(&op) && self.outward.len() < MOST {
            self.outward.push(op);
        }
    }
}
