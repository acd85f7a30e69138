//! Drops what nothing needs of a function whose registers are values and which has no loop: what is needed stands
//! before what needs it, so that one look from the end does. What is left is what `dce` of `chiaro-opt` leaves, for a
//! fifth of its time.

use chiaro_ir::{Block, Forward, Function, Inst, Op, Step, Value, Walk};

/// Sweeps a function without loops and variables.
pub(super) fn sweep(f: &mut Function) {
    let mut sweeper = Sweeper { needed: vec![false; f.value_count()], places: Places::default(), f };
    if !sweeper.f.is_straight() {
        sweeper.places = Places::of(sweeper.f);
    }
    sweeper.block(sweeper.f.body);
    sweeper.drop_results();
}

/// Whether a function has a loop.
pub(super) fn has_loop(f: &Function) -> bool {
    !f.is_straight() && (0..f.inst_count() as u32).any(|inst| matches!(f.op(Inst(inst)), Op::Loop))
}

/// Where constructs stand, and what leaves them. Of a straight function there is nothing.
#[derive(Default)]
struct Places {
    /// By instruction: the construct around it, of those that matter here.
    parents: Vec<Option<Inst>>,
    /// By construct: whether it stays.
    stays: Vec<bool>,
    /// Exits with the constructs that they leave.
    exits: Vec<(Inst, Inst)>,
    /// Constructs of which a result is not needed.
    lacking: Vec<Inst>,
}

impl Places {
    /// Constructs within which something has an effect stay.
    fn of(f: &Function) -> Places {
        let mut places = Places {
            parents: vec![None; f.inst_count()],
            stays: vec![false; f.inst_count()],
            ..Places::default()
        };
        let mut open = Vec::new();
        for step in Walk::new(f) {
            match step {
                Step::Open(Some(construct), 0, _) => open.push(construct),
                Step::Leave(_) => drop(open.pop()),
                Step::Inst(inst) => {
                    let target = f.op(inst).target();
                    if target.is_some() || f.op(inst).is_construct() {
                        places.parents[inst.0 as usize] = open.last().copied();
                    }
                    match target {
                        Some(target) => places.exits.push((target, inst)),
                        None if is_root(f.op(inst)) => places.keep(open.last().copied(), None),
                        None => {}
                    }
                }
                _ => {}
            }
        }
        places.exits.sort_by_key(|(target, _)| *target);
        places
    }

    /// Keeps a construct and those around it, up to one.
    fn keep(&mut self, mut at: Option<Inst>, end: Option<Inst>) {
        while let Some(construct) = at.filter(|_| at != end) {
            if std::mem::replace(&mut self.stays[construct.0 as usize], true) {
                return;
            }
            at = self.parents[construct.0 as usize];
        }
    }

    /// The exits out of a construct.
    fn exits_of(&self, construct: Inst) -> std::ops::Range<usize> {
        let start = self.exits.partition_point(|(target, _)| *target < construct);
        start..start + self.exits[start..].partition_point(|(target, _)| *target == construct)
    }
}

/// Whether an instruction is needed whatever uses it.
fn is_root(op: Op) -> bool {
    if op.is_exit() { op.target().is_none() } else { !op.is_construct() && !op.is_removable() }
}

struct Sweeper<'f> {
    f: &'f mut Function,
    /// By value.
    needed: Vec<bool>,
    places: Places,
}

impl Sweeper<'_> {
    fn block(&mut self, block: Block) {
        let mut insts = std::mem::take(&mut self.f.block_mut(block).insts);
        // What stays gathers at the end of the list.
        let mut first = insts.len();
        for at in (0..insts.len()).rev() {
            if self.stays(insts[at]) {
                first -= 1;
                insts[first] = insts[at];
            }
        }
        insts.drain(..first);
        self.f.block_mut(block).insts = insts;
    }

    /// Whether an instruction stays; what it needs is noted.
    fn stays(&mut self, inst: Inst) -> bool {
        let op = self.f.op(inst);
        if let Some(target) = op.target() {
            // It brings what is needed.
            let brought = self.f.results(target).zip(self.f.args(inst));
            for (result, &arg) in brought {
                if self.needed[result.0 as usize] {
                    self.needed[arg.0 as usize] = true;
                }
            }
            return true;
        }
        let is_needed = self.f.results(inst).any(|value| self.needed[value.0 as usize]);
        let stays = match op.is_construct() {
            true => self.construct(inst, is_needed),
            false => is_needed || is_root(op),
        };
        if stays {
            self.f.args(inst).iter().for_each(|arg| self.needed[arg.0 as usize] = true);
        }
        stays
    }

    /// The same of a construct. One that stays is left by all that leaves it.
    fn construct(&mut self, inst: Inst, is_needed: bool) -> bool {
        if !is_needed && !self.places.stays[inst.0 as usize] {
            return false;
        }
        for at in self.places.exits_of(inst) {
            let exit = self.places.exits[at].1;
            self.places.keep(self.places.parents[exit.0 as usize], Some(inst));
        }
        if !self.f.results(inst).all(|value| self.needed[value.0 as usize]) {
            self.places.lacking.push(inst);
        }
        for n in 0..self.f.blocks_of(inst).len() {
            self.block(self.f.blocks_of(inst)[n]);
        }
        true
    }

    /// Takes away results that are not needed.
    fn drop_results(mut self) {
        let mut forward = Forward::new();
        for inst in std::mem::take(&mut self.places.lacking) {
            let is_kept: Vec<bool> =
                self.f.results(inst).map(|value| self.needed[value.0 as usize]).collect();
            for at in self.places.exits_of(inst) {
                self.f.retain_args(self.places.exits[at].1, |n| is_kept.get(n).copied().unwrap_or(true));
            }
            let kept: Vec<Value> = self
                .f
                .results(inst)
                .zip(is_kept)
                .filter_map(|(value, is_kept)| is_kept.then_some(value))
                .collect();
            let types: Vec<_> = kept.iter().map(|&value| self.f.ty(value)).collect();
            self.f.set_results(inst, &types);
            kept.into_iter().zip(self.f.results(inst)).for_each(|(old, new)| forward.set(old, new));
        }
        forward.apply(self.f);
    }
}

#[cfg(test)]
mod tests {
    use chiaro_diag::FileId;
    use chiaro_ir::{FunctionRef, Module};
    use chiaro_opt::Cx;

    use super::*;

    /// What the general pass leaves is left here, too: of results, operands of exits, constructs and sums.
    #[test]
    fn what_dce_leaves_is_left() {
        let text = "
            fn @main(%0: f32, %1: bool) -> f32 {
              %2: f32, %3: f32 = if %1 {
                %4: f32 = fadd %0, %0
                %5: f32 = fmul %0, %0
                exit %4, %5
              } else { exit %0, %0 }
              %6: f32 = if %1 { exit %3 } else { exit %0 }
              %7: f32 = block @7 {
                if %1 { exit @7 %2 } else { exit }
                %8: f32 = fneg %3
                exit %0
              }
              return %7
            }";
        let mut module = chiaro_ir::parse(text, FileId(0)).expect("a module");
        let main = FunctionRef(0);
        let mut expected: Module = module.clone();
        let _ = chiaro_opt::dce(&mut expected, main, &mut Cx::default());
        sweep(module.function_mut(main));
        let text = chiaro_ir::print(&module);
        assert_eq!(text, chiaro_ir::print(&expected));
        assert!(text.contains("fadd") && !text.contains("fmul") && !text.contains("fneg"), "{text}");
    }
}
