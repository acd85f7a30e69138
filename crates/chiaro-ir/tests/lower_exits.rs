//! `lower_exits` keeps the meaning of random functions, whatever is kept.
//!
//! Control is followed exactly; of all else only what depends on what is looked at: an operation
//! gives a number mixed of its name and its operands, a load also of how many came before. Two
//! runs that store and call the same in the same order mean the same.

use chiaro_ir::{
    Block, ConstantKind, Def, Exits, Function, FunctionRef, Inst, Module, Op, Type, Value, lower_exits,
    print, random, verify,
};

/// Stores, calls and ends of a run, and what it returned.
type Trace = Vec<(u64, Vec<u64>)>;

struct Run<'a> {
    module: &'a Module,
    f: &'a Function,
    values: Vec<u64>,
    trace: Trace,
    seed: u64,
    fuel: u32,
}

/// Why a block ended.
enum End {
    Exit(Inst, Vec<u64>),
    Continue(Inst, Vec<u64>),
    Repeat(Inst, Vec<u64>),
    Function,
}

fn mix(parts: &[u64]) -> u64 {
    parts.iter().fold(0x1234, |h, &x| random::Rng(h ^ x).draw())
}

fn trace(module: &Module, f: FunctionRef, seed: u64) -> (Trace, u32) {
    let f = module.function(f);
    let values = (0..f.value_count() as u64).collect();
    let mut run = Run { module, f, values, trace: Vec::new(), seed, fuel: 400 };
    for (i, &param) in f.params.iter().enumerate() {
        let number = mix(&[seed, i as u64]);
        run.set(param, number);
    }
    run.block(f.body);
    (run.trace, run.fuel)
}

impl Run<'_> {
    /// Keeps a value as its type can hold it.
    fn set(&mut self, value: Value, number: u64) {
        let is_bool = *self.module.types.get(self.f.ty(value)) == Type::Bool;
        self.values[value.0 as usize] = if is_bool { number & 1 } else { number };
    }

    fn get(&self, value: Value) -> u64 {
        let Def::Constant(c) = self.f.def(value) else { return self.values[value.0 as usize] };
        match self.module.constants.get(c) {
            ConstantKind::Scalar(bits) => *bits,
            ConstantKind::Zero => 0,
            ConstantKind::Undef => 0x5555,
            kind => {
                let text = format!("{kind:?}");
                text.bytes().fold(0, |h, b| mix(&[h, u64::from(b)]))
            }
        }
    }

    fn block(&mut self, block: Block) -> End {
        let f = self.f;
        for &inst in &f.block(block).insts {
            let op = f.op(inst);
            let args: Vec<u64> = f.args(inst).iter().map(|&arg| self.get(arg)).collect();
            if op.is_construct() {
                if let Some(end) = self.construct(inst, op, args) {
                    return end;
                }
                continue;
            }
            match op {
                Op::Exit(at) => return End::Exit(at, args),
                Op::Continue(at) => return End::Continue(at, args),
                Op::Repeat(at) => return End::Repeat(at, args),
                Op::Store | Op::Call(_) => self.note(op, args.clone()),
                _ if op.is_exit() => {
                    self.note(op, args);
                    return End::Function;
                }
                _ => {}
            }
            if self.fuel == 0 {
                return End::Function;
            }
            for (i, value) in f.results(inst).enumerate() {
                let number = self.compute(op, &args, i as u64);
                self.set(value, number);
            }
        }
        panic!("a block ends without an exit");
    }

    fn note(&mut self, op: Op, args: Vec<u64>) {
        self.fuel = self.fuel.saturating_sub(1);
        let name = op.info().name.bytes().fold(0, |h, b| mix(&[h, u64::from(b)]));
        self.trace.push((name, args));
    }

    fn compute(&mut self, op: Op, args: &[u64], i: u64) -> u64 {
        match op {
            Op::IEq => u64::from(args[0] == args[1]),
            Op::Select => args[if args[0] & 1 == 1 { 1 } else { 2 }],
            _ => {
                let name = format!("{op:?}").bytes().fold(i, |h, b| mix(&[h, u64::from(b)]));
                let time = if matches!(op, Op::Load | Op::Call(_)) {
                    self.fuel = self.fuel.saturating_sub(1);
                    u64::from(self.fuel)
                } else {
                    0
                };
                mix(&[name, time, mix(args), self.seed])
            }
        }
    }

    /// Runs a construct; an end that is not its own.
    fn construct(&mut self, inst: Inst, op: Op, args: Vec<u64>) -> Option<End> {
        let blocks = self.f.blocks_of(inst);
        let end = match op {
            Op::If => self.block(blocks[usize::from(args[0] & 1 == 0)]),
            Op::Switch => {
                let case = self.f.cases(inst).find(|&(value, _)| value == args[0] % 8);
                self.block(case.map_or(blocks[blocks.len() - 1], |(_, n)| blocks[n as usize]))
            }
            Op::Loop => self.run_loop(inst, args),
            _ => self.block(blocks[0]),
        };
        match end {
            End::Exit(at, values) if at == inst => {
                let results: Vec<Value> = self.f.results(inst).collect();
                results.into_iter().zip(values).for_each(|(value, number)| self.set(value, number));
                None
            }
            end => Some(end),
        }
    }

    fn run_loop(&mut self, inst: Inst, mut args: Vec<u64>) -> End {
        let f = self.f;
        loop {
            self.fuel = self.fuel.saturating_sub(1);
            if self.fuel == 0 {
                return End::Function;
            }
            for part in 0..2 {
                let block = f.blocks_of(inst)[part];
                f.block(block).params.iter().zip(&args).for_each(|(&param, &number)| self.set(param, number));
                match self.block(block) {
                    End::Continue(at, values) | End::Repeat(at, values) if at == inst => args = values,
                    end => return end,
                }
            }
        }
    }
}

#[test]
fn lowered_functions_mean_the_same() {
    let mut changed = 0;
    for seed in 0..4000u64 {
        let before = random::module(seed, 20 + (seed % 150) as u32);
        let bits = random::Rng(seed).draw();
        let keeps = |bit: u32| seed % 3 != 0 && bits >> bit & 1 == 1;
        let keep = Exits {
            blocks: keeps(0),
            breaks: keeps(1),
            continues: keeps(2),
            returns: keeps(3),
            across_loops: keeps(4),
        };
        let mut after = before.clone();
        for f in (0..before.functions.len() as u32).map(FunctionRef) {
            changed += u32::from(lower_exits(&mut after, f, keep));
            let verdict = verify(&after);
            assert!(verdict.is_ok(), "seed {seed}: {verdict:?}\n{}\n{}", print(&before), print(&after));
            for run in 0..4 {
                let (one, two) = (trace(&before, f, run), trace(&after, f, run));
                assert_eq!(one, two, "seed {seed}\n{}\n{}", print(&before), print(&after));
            }
            assert!(!lower_exits(&mut after, f, keep), "seed {seed}: more to lower\n{}", print(&after));
        }
    }
    assert!(changed > 2000, "only {changed} functions had something to lower");
}
