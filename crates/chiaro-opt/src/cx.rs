//! The pass driver: runs, times, verifies and reports passes, and stops after a chosen one, or when
//! the budget is used up.

use crate::Options;
use chiaro_diag::Budget;
use chiaro_ir::{Breach, FunctionRef, Module, verify};

/// Whether a pass changed anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Changed {
    /// Something.
    Yes,
    /// Nothing: the function is as it was.
    No,
}

impl From<bool> for Changed {
    fn from(changed: bool) -> Changed {
        if changed { Changed::Yes } else { Changed::No }
    }
}

/// A pass over one function; types and constants that it needs are interned in the module.
#[derive(Clone, Copy)]
pub struct Pass {
    /// The name of its file and function.
    pub name: &'static str,
    /// Runs it.
    pub run: fn(&mut Module, FunctionRef, &mut Cx<'_>) -> Changed,
}

/// What the driver reports after each pass.
pub struct Event<'a> {
    /// The pass that ran.
    pub pass: &'static str,
    /// Its number in the whole run, from 1: what `stop_after` counts.
    pub number: u32,
    /// The module after it.
    pub module: &'a Module,
    /// The function that it ran on.
    pub function: FunctionRef,
    /// Whether it changed anything.
    pub changed: Changed,
    /// Nanoseconds that it took; 0 without a clock.
    pub nanos: u64,
}

/// Which passes are known to leave a function as it is. It holds while nothing but the passes that
/// are run with it changes the function or the driver's options.
#[derive(Clone, Debug, Default)]
pub struct Settled {
    /// How often a pass changed something.
    changes: u32,
    /// Passes that have nothing to do until another one changes something.
    quiet: Vec<&'static str>,
}

/// Passes that leave nothing to themselves: one walk finds what its own changes have made alike.
const AT_ONCE: [&str; 1] = ["cse"];

impl Settled {
    /// Whether a pass found nothing to do in the function as it stands.
    fn has(&self, pass: &Pass) -> bool {
        self.quiet.contains(&pass.name)
    }

    fn note(&mut self, pass: &Pass, changed: Changed) {
        match changed {
            Changed::Yes => {
                self.changes += 1;
                self.quiet.clear();
                self.quiet.extend(AT_ONCE.contains(&pass.name).then_some(pass.name));
            }
            Changed::No => self.quiet.push(pass.name),
        }
    }
}

/// The driver. Every pass and step of a compiler goes through it.
#[derive(Default)]
pub struct Cx<'a> {
    /// What passes may assume, and how far they go.
    pub options: Options,
    /// What is left of the work and the memory of this compilation: passes that make code longer
    /// ask it, the driver asks before every pass. Beyond it no pass runs; whoever goes on from the
    /// IR asks [`Budget::check`] first.
    pub budget: Budget,
    /// Verifies after every pass that changed something.
    pub verify: bool,
    /// Runs no pass beyond this number: halving it finds the pass at fault.
    pub stop_after: Option<u32>,
    /// Nanoseconds since any moment; libraries have no clock of their own.
    pub clock: Option<fn() -> u64>,
    /// Called after every pass.
    pub watch: Option<&'a mut dyn FnMut(&Event<'_>)>,
    /// The first breach found, and the pass behind which it was found.
    pub breach: Option<(&'static str, Vec<Breach>)>,
    /// How many passes have run.
    pub number: u32,
}

/// Memory of an instruction with its values, in the function and in a pass's tables.
const BYTES: usize = 256;

impl Cx<'_> {
    /// Runs a pass on a function.
    pub fn run(&mut self, pass: &Pass, module: &mut Module, function: FunctionRef) -> Changed {
        if self.breach.is_some() || self.stop_after.is_some_and(|last| self.number >= last) {
            return Changed::No;
        }
        let insts = module.function(function).inst_count();
        let granted = self.budget.work(pass.name, insts);
        if granted.and_then(|()| self.budget.memory(pass.name, insts * BYTES)).is_err() {
            return Changed::No;
        }
        self.number += 1;
        let start = self.clock.map(|clock| clock());
        let changed = (pass.run)(module, function, self);
        let nanos = self.clock.zip(start).map_or(0, |(clock, start)| clock().saturating_sub(start));
        if self.verify && changed == Changed::Yes {
            self.breach = verify(module).err().map(|found| (pass.name, found));
        }
        let number = self.number;
        if let Some(watch) = &mut self.watch {
            watch(&Event { pass: pass.name, number, module, function, changed, nanos });
        }
        changed
    }

    /// Runs passes in order, each once.
    pub fn run_all(&mut self, passes: &[Pass], module: &mut Module, function: FunctionRef) -> Changed {
        let mut changed = false;
        for pass in passes {
            changed |= self.run(pass, module, function) == Changed::Yes;
        }
        changed.into()
    }

    /// Runs passes in order, each once, but for those that have nothing to do: a pass that changed
    /// nothing changes nothing until another one does.
    pub fn run_unsettled(
        &mut self,
        settled: &mut Settled,
        passes: &[Pass],
        module: &mut Module,
        function: FunctionRef,
    ) -> Changed {
        let before = settled.changes;
        for pass in passes {
            if !settled.has(pass) {
                let changed = self.run(pass, module, function);
                settled.note(pass, changed);
            }
        }
        (settled.changes != before).into()
    }
}
