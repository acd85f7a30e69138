//! A small evaluator of functions, for tests of what keeps their meaning.
//!
//! Control is followed exactly; of all else only what depends on what is looked at: an operation
//! gives a number mixed of its name and its operands, a load also of how many came before. Two
//! runs that store and call the same in the same order mean the same.

use chiaro_ir::{Block, ConstantKind, Def, Function, FunctionRef, Inst, Module, Op, Type, Value, random};

/// Stores, calls and ends of a run, and what it returned.
pub(crate) type Trace = Vec<(u64, Vec<u64>)>;

/// A run of one function.
pub(crate) struct Run<'a> {
    module: &'a Module,
    f: &'a Function,
    values: Vec<u64>,
    pub(crate) trace: Trace,
    seed: u64,
    pub(crate) fuel: u32,
    /// What loads see differently from other lanes.
    lane: u64,
    /// Whether the results of calls of a function differ from lane to lane, and in time.
    calls_differ: &'a dyn Fn(FunctionRef) -> bool,
    /// Rounds of the loops that are open.
    rounds: Vec<u32>,
    /// Every result: its value, the rounds of the loops around it, the number.
    pub(crate) results: Vec<(Value, Vec<u32>, u64)>,
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

/// Runs a function with parameters that follow from the seed; `lane` says which of them are
/// different in each lane.
pub(crate) fn run<'a>(
    module: &'a Module,
    f: FunctionRef,
    seed: u64,
    lane: u64,
    differs: &dyn Fn(Value) -> bool,
    calls_differ: &'a dyn Fn(FunctionRef) -> bool,
) -> Run<'a> {
    let f = module.function(f);
    let mut run = Run {
        module,
        f,
        values: (0..f.value_count() as u64).collect(),
        trace: Vec::new(),
        seed,
        fuel: 400,
        lane,
        calls_differ,
        rounds: Vec::new(),
        results: Vec::new(),
    };
    for (i, &param) in f.params.iter().enumerate() {
        let number = mix(&[seed, i as u64, if differs(param) { lane } else { 0 }]);
        run.set(param, number);
    }
    run.block(f.body);
    run
}

impl Run<'_> {
    /// Keeps a value as its type can hold it.
    fn set(&mut self, value: Value, number: u64) {
        let is_bool = *self.module.types.get(self.f.ty(value)) == Type::Bool;
        let number = if is_bool { number & 1 } else { number };
        self.values[value.0 as usize] = number;
        self.results.push((value, self.rounds.clone(), number));
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
                let differs = match op {
                    Op::Load => true,
                    Op::Call(callee) => (self.calls_differ)(callee),
                    _ => false,
                };
                self.fuel = self.fuel.saturating_sub(u32::from(differs));
                let time = if differs { u64::from(self.fuel) } else { 0 };
                let lane = if differs { self.lane } else { 0 };
                // What is the same in all lanes whatever the arguments does not depend on them.
                let args = if matches!(op, Op::Call(_)) && !differs { 0 } else { mix(args) };
                mix(&[name, time, lane, args, self.seed])
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

    fn run_loop(&mut self, inst: Inst, args: Vec<u64>) -> End {
        self.rounds.push(0);
        let end = self.rounds_of(inst, args);
        self.rounds.pop();
        end
    }

    fn rounds_of(&mut self, inst: Inst, mut args: Vec<u64>) -> End {
        let f = self.f;
        loop {
            self.fuel = self.fuel.saturating_sub(1);
            self.rounds.last_mut().into_iter().for_each(|round| *round += 1);
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
