//! Finds the trip count of a loop by stepping through it with constants.

use crate::Limits;
use crate::motion::cost;
use chiaro_ir::interp::{Bits, evaluate};
use chiaro_ir::{Block, Effect, Function, Inst, Module, Op, Ty, Value};
use rustc_hash::FxHashMap;

/// Constructs within constructs are followed so deep.
const DEEPEST: u32 = 64;
/// Instructions that cost nothing are not looked at without end.
const LOOKS: u32 = 16;

/// The rounds of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rounds {
    /// How many bodies begin.
    pub(super) count: u32,
    /// Whether the last one reaches the continuing block, which then does not repeat.
    pub(super) last_continues: bool,
}

/// What is known of the values that an exit carries: the bits of scalars.
type Carried = Vec<Option<u64>>;

/// Follows all roads through a loop that may be taken.
pub(super) struct Stepper<'a> {
    module: &'a Module,
    f: &'a Function,
    limits: Limits,
    known: FxHashMap<Value, u64>,
    /// By exit: what the roads that end with it carry.
    flows: FxHashMap<Op, Carried>,
    /// The operands of the instruction that is computed: one list serves all.
    args: Vec<(Ty, Bits)>,
    spent: u32,
    looks: u32,
}

impl<'a> Stepper<'a> {
    pub(super) fn new(module: &'a Module, f: &'a Function, limits: Limits) -> Stepper<'a> {
        let (known, flows) = (FxHashMap::default(), FxHashMap::default());
        Stepper { module, f, limits, known, flows, args: Vec::new(), spent: 0, looks: 0 }
    }

    /// The rounds of a loop, if they are within the limits.
    pub(super) fn rounds(&mut self, inst: Inst) -> Option<Rounds> {
        let &[body, continuing] = self.f.blocks_of(inst) else { return None };
        let mut carried = self.carried(inst);
        for count in 1..=self.limits.unroll_rounds {
            self.flows.clear();
            self.enter(body, &carried);
            self.block(body, DEEPEST)?;
            let Some(next) = self.flows.remove(&Op::Continue(inst)) else {
                return Some(Rounds { count, last_continues: false });
            };
            self.enter(continuing, &next);
            self.block(continuing, DEEPEST)?;
            match self.flows.remove(&Op::Repeat(inst)) {
                // What begins as the round before goes on like it, and never ends.
                Some(next) if next == carried => return None,
                Some(next) => carried = next,
                None => return Some(Rounds { count, last_continues: true }),
            }
        }
        None
    }

    fn get(&self, v: Value) -> Option<u64> {
        let scalar = self.module.types.components(self.f.ty(v)) == 1;
        let constant = || self.module.value_bits(self.f, v).filter(|_| scalar);
        self.known.get(&v).copied().or_else(constant)
    }

    fn set(&mut self, v: Value, bits: Option<u64>) {
        match bits {
            Some(bits) => drop(self.known.insert(v, bits)),
            None => drop(self.known.remove(&v)),
        }
    }

    fn carried(&self, inst: Inst) -> Carried {
        self.f.args(inst).iter().map(|&arg| self.get(arg)).collect()
    }

    /// Gives a block its parameters.
    fn enter(&mut self, block: Block, carried: &[Option<u64>]) {
        for (i, &param) in self.f.block(block).params.iter().enumerate() {
            self.set(param, carried.get(i).copied().flatten());
        }
    }

    /// Follows a block to its exits; `None` when that takes too long.
    fn block(&mut self, block: Block, depth: u32) -> Option<()> {
        let f = self.f;
        for &inst in &f.block(block).insts {
            self.spent += cost(f.op(inst));
            self.looks += 1;
            let most = self.limits.unroll_cost;
            if depth == 0 || self.spent > most || self.looks > most.saturating_mul(LOOKS) {
                return None;
            }
            match f.op(inst).effect() {
                Effect::Exit => {
                    self.flow(inst);
                    return Some(());
                }
                Effect::Construct => {
                    self.construct(inst, depth - 1)?;
                    let Some(carried) = self.flows.remove(&Op::Exit(inst)) else { return Some(()) };
                    f.results(inst).zip(carried).for_each(|(v, bits)| self.set(v, bits));
                }
                _ => self.compute(inst),
            }
        }
        Some(())
    }

    /// Notes what an exit carries, beside what others of its kind did.
    fn flow(&mut self, inst: Inst) {
        let carried = self.carried(inst);
        let join = |all: &mut Carried| {
            all.iter_mut().zip(&carried).filter(|(a, b)| a != b).for_each(|(a, _)| *a = None);
        };
        self.flows.entry(self.f.op(inst)).and_modify(join).or_insert_with(|| carried.clone());
    }

    fn compute(&mut self, inst: Inst) {
        let (f, types) = (self.f, &self.module.types);
        let Some(result) = f.result_of(inst) else { return };
        let mut args = std::mem::take(&mut self.args);
        args.clear();
        let scalar = |v: Value| self.get(v).map(|bits| (f.ty(v), [bits, 0, 0, 0]));
        args.extend(f.args(inst).iter().map_while(|&arg| scalar(arg)));
        let all = args.len() == f.args(inst).len();
        let found = if all { evaluate(types, f.op(inst), &args, f.ty(result)) } else { None };
        self.args = args;
        let bits = found.filter(|_| types.components(f.ty(result)) == 1).map(|bits| bits[0]);
        self.set(result, bits);
    }

    /// The blocks of a construct that may run.
    fn construct(&mut self, inst: Inst, depth: u32) -> Option<()> {
        let f = self.f;
        let blocks = f.blocks_of(inst);
        let selector = f.args(inst).first().and_then(|&v| self.get(v));
        let chosen = match (f.op(inst), selector) {
            (Op::If, Some(bits)) => blocks.get(usize::from(bits & 1 == 0)),
            (Op::Switch, Some(bits)) => {
                let case = f.cases(inst).find(|&(value, _)| value == bits);
                case.map_or(blocks.last(), |(_, n)| blocks.get(n as usize))
            }
            _ => None,
        };
        if let Some(&block) = chosen {
            return self.block(block, depth);
        }
        // A loop's parameters take any values: what follows from them is unknown.
        blocks.iter().try_for_each(|&block| {
            self.enter(block, &[]);
            self.block(block, depth)
        })
    }
}
