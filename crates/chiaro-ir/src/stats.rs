//! Statistics of a function: instructions by kind, and uses.
//!
//! ```text
//! fn @f(%0: bool) {            instructions 4  pure 0  read 0  write 0  convergent 0  barrier 0
//!   if %0 { exit }             construct 1  exit 3
//!   else { exit }              blocks 3  depth 2  values 1
//!   return
//! }
//! ```

use crate::function::Function;
use crate::id::Value;
use crate::op::Effect;
use crate::walk::{Step, Walk};
use std::fmt;

/// What [`stats`] counts: only what can be reached from the function's body.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// All instructions.
    pub instructions: u32,
    /// Those without effect.
    pub pure: u32,
    /// Those that read memory.
    pub read: u32,
    /// Those that write memory.
    pub write: u32,
    /// Those that depend on which lanes run them.
    pub convergent: u32,
    /// Those that also write memory or order accesses: barriers and calls.
    pub barrier: u32,
    /// Constructs.
    pub construct: u32,
    /// Ends of blocks.
    pub exit: u32,
    /// Blocks, the body included.
    pub blocks: u32,
    /// The most blocks that are within each other.
    pub depth: u32,
    /// Results and parameters; constants are not counted.
    pub values: u32,
}

/// Counts what a function consists of.
pub fn stats(f: &Function) -> Stats {
    let mut stats = Stats { values: f.params.len() as u32, ..Stats::default() };
    let mut walk = Walk::new(f);
    while let Some(step) = walk.next() {
        match step {
            Step::Open(_, _, block) => {
                stats.blocks += 1;
                stats.depth = stats.depth.max(walk.depth() as u32);
                stats.values += f.block(block).params.len() as u32;
            }
            Step::Inst(inst) => {
                stats.instructions += 1;
                stats.values += f.results(inst).len() as u32;
                *stats.class(f.op(inst).effect()) += 1;
            }
            _ => {}
        }
    }
    stats
}

impl Stats {
    fn class(&mut self, effect: Effect) -> &mut u32 {
        match effect {
            Effect::Pure => &mut self.pure,
            Effect::Read => &mut self.read,
            Effect::Write => &mut self.write,
            Effect::Convergent => &mut self.convergent,
            Effect::Barrier => &mut self.barrier,
            Effect::Construct => &mut self.construct,
            Effect::Exit => &mut self.exit,
        }
    }

    /// Every count with its name, in an order that stays.
    pub fn columns(&self) -> [(&'static str, u32); 11] {
        [
            ("instructions", self.instructions),
            ("pure", self.pure),
            ("read", self.read),
            ("write", self.write),
            ("convergent", self.convergent),
            ("barrier", self.barrier),
            ("construct", self.construct),
            ("exit", self.exit),
            ("blocks", self.blocks),
            ("depth", self.depth),
            ("values", self.values),
        ]
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, count)) in self.columns().into_iter().enumerate() {
            write!(out, "{}{name} {count}", if i == 0 { "" } else { "  " })?;
        }
        Ok(())
    }
}

/// How often each value is used as an operand, by the value's number.
pub fn use_counts(f: &Function) -> Vec<u32> {
    let mut counts = vec![0; f.value_count()];
    for inst in Walk::insts(f) {
        for &Value(arg) in f.args(inst) {
            if let Some(count) = counts.get_mut(arg as usize) {
                *count += 1;
            }
        }
    }
    counts
}
