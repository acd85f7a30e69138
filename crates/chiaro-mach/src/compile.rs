//! The driver: from a module to an artifact. The order of the steps is the design.

use chiaro_diag::Diagnostic;
use chiaro_ir::{FunctionRef, Module};
use chiaro_opt::{CLEAN_UP, Pass, optimize};

use crate::alloc::{AllocateError, allocate};
use crate::back_end::{Artifact, BackEnd, Step};
use crate::code::{Code, Inst};
use crate::config::PartKey;
use crate::cx::{Cx, Event, Outcome};
use crate::lower_copies::lower_copies;
use crate::print::Names;
use crate::schedule_for_latency::schedule_for_latency;
use crate::schedule_for_pressure::schedule_for_pressure;
use crate::split_critical_edges::split_critical_edges;
use crate::unit::Unit;

/// What happens to code between selection and words, unless the target has steps of its own.
///
/// Each is a constant of its own, so that a target's list can mix them with its own steps.
pub const STEPS: &[Step] =
    &[SPLIT_CRITICAL_EDGES, SCHEDULE_FOR_PRESSURE, ALLOCATE, LOWER_COPIES, SCHEDULE_FOR_LATENCY];

/// [`split_critical_edges`] on every function.
pub const SPLIT_CRITICAL_EDGES: Step = Step {
    name: "split_critical_edges",
    run: |unit, _, _| {
        unit.functions.iter_mut().for_each(|code| _ = split_critical_edges(code));
        Ok(())
    },
};

/// [`schedule_for_pressure`] on every function.
pub const SCHEDULE_FOR_PRESSURE: Step = Step {
    name: "schedule_for_pressure",
    run: |unit, target, cx| {
        let files = target.files(&cx.config);
        unit.functions.iter_mut().for_each(|code| schedule_for_pressure(code, files));
        Ok(())
    },
};

/// [`allocate`] on every function. What does not fit is reported at the source of the
/// instruction.
pub const ALLOCATE: Step = Step {
    name: "allocate",
    run: |unit, target, cx| {
        let files = target.files(&cx.config);
        for code in &mut unit.functions {
            allocate(code, files).map_err(|error| vec![explain(&error, code)])?;
        }
        cx.allocated = true;
        Ok(())
    },
};

/// [`lower_copies`] on every function.
pub const LOWER_COPIES: Step = Step {
    name: "lower_copies",
    run: |unit, target, cx| {
        let files = target.files(&cx.config);
        for code in &mut unit.functions {
            // Allocation gives every copy the scratch places that it needs.
            lower_copies(code, files).map_err(|(inst, _)| {
                vec![report(code, Some(inst), "a parallel copy has no place to turn a cycle".to_owned())]
            })?;
        }
        Ok(())
    },
};

/// [`schedule_for_latency`] on every function.
pub const SCHEDULE_FOR_LATENCY: Step = Step {
    name: "schedule_for_latency",
    run: |unit, target, cx| {
        let (files, timing) = (target.files(&cx.config), target.timing(&cx.config));
        unit.functions.iter_mut().for_each(|code| schedule_for_latency(code, files, timing));
        Ok(())
    },
};

/// What allocation could not do, as the user sees it.
fn explain(error: &AllocateError, code: &Code) -> Diagnostic {
    let inst = match *error {
        AllocateError::Full { inst, .. } => inst,
        _ => None,
    };
    report(code, inst, error.to_string())
}

fn report(code: &Code, inst: Option<Inst>, message: String) -> Diagnostic {
    let message = format!("{}: {message}", code.name);
    Diagnostic::error(inst.and_then(|inst| code.inst(inst).span), message)
}

/// Compiles one entry point of a module for a machine. Read it top to bottom.
///
/// The module is used up: passes change it in place. What the user has to repair comes back as
/// diagnostics, a budget that is used up among it. After a bug of ours, which stands in [`Cx::breach`], and behind
/// [`Cx::stop_after`], the artifact is empty.
pub fn compile(
    target: &dyn BackEnd,
    module: &mut Module,
    key: &PartKey,
    cx: &mut Cx<'_>,
) -> Outcome<Artifact> {
    let config = cx.config.clone();
    let _changed = optimize(module, &key.entry, &mut cx.ir);
    run_passes(target.legalize(&config), module, cx);
    run_passes(CLEAN_UP, module, cx); // legalisation leaves constants to fold
    if cx.ir.breach.is_some() {
        return Ok(Artifact::default());
    }
    cx.ir.budget.check().map_err(|exceeded| vec![exceeded.at(None)])?;
    let mut unit = target.select(module, key, cx)?;
    for step in target.steps(&config) {
        cx.step(step, &mut unit, target)?;
    }
    if cx.is_stopped() {
        return Ok(Artifact::default());
    }
    target.finish(unit, cx)
}

fn run_passes(passes: &[Pass], module: &mut Module, cx: &mut Cx<'_>) {
    for function in 0..module.functions.len() as u32 {
        let _changed = cx.ir.run_all(passes, module, FunctionRef(function));
    }
}

impl Cx<'_> {
    /// Runs a step.
    pub fn step(&mut self, step: &Step, unit: &mut Unit, target: &dyn BackEnd) -> Outcome {
        if self.is_stopped() {
            return Ok(());
        }
        self.number += 1;
        let start = self.clock.map(|clock| clock());
        (step.run)(unit, target, self)?;
        let nanos = self.clock.zip(start).map_or(0, |(clock, start)| clock().saturating_sub(start));
        let files = target.files(&self.config);
        if self.verify && self.breach.is_none() {
            let broken = unit.functions.iter().find_map(|code| self.broken(code, files));
            self.breach = broken.map(|found| (step.name, found));
        }
        let number = self.number;
        if let Some(watch) = &mut self.watch {
            let name = |op| target.op_name(op);
            watch(&Event { step: step.name, number, unit, names: Names { files, op: &name }, nanos });
        }
        Ok(())
    }
}
