//! A kernel with all functions that it reaches.

use chiaro_diag::Diagnostic;
use chiaro_ir::{Function, FunctionRef, Module, Op, Step, Uniformity, Walk, uniformity};

use super::callee::{Callee, Made};
use crate::abi::partition::Files;

/// A kernel and the functions that it reaches.
#[derive(Debug)]
pub struct Unit {
    /// The functions, those that others call before them; the kernel last.
    pub order: Vec<FunctionRef>,
    /// What is known of the values of each function of the module.
    pub known: Vec<Uniformity>,
    /// By function of the module: how it is called, where it is.
    pub callees: Vec<Option<Callee>>,
}

/// Functions that a function calls, in the order in which it does.
pub fn called(f: &Function) -> Vec<FunctionRef> {
    let mut found = Vec::new();
    for step in Walk::new(f) {
        if let Step::Inst(inst) = step
            && let Op::Call(callee) = f.op(inst)
            && !found.contains(&callee)
        {
            found.push(callee);
        }
    }
    found
}

impl Unit {
    /// The functions that a kernel reaches.
    ///
    /// # Errors
    /// A function that calls itself.
    pub fn of(module: &Module, kernel: FunctionRef) -> Result<Unit, Vec<Diagnostic>> {
        let mut order: Vec<FunctionRef> = Vec::new();
        let mut open = vec![(kernel, called(module.function(kernel)))];
        while let Some((f, left)) = open.last_mut() {
            let Some(next) = left.pop() else {
                order.push(*f);
                open.pop();
                continue;
            };
            if open.iter().any(|(other, _)| *other == next) {
                let f = module.function(next);
                let error =
                    Diagnostic::error(f.span, format!("`{}` calls itself, which is not built yet", f.name));
                return Err(vec![error.help("make a loop of it")]);
            }
            if !order.contains(&next) {
                open.push((next, called(module.function(next))));
            }
        }
        let callees = vec![None; module.functions.len()];
        Ok(Unit { order, known: uniformity(module), callees })
    }

    /// The functions that a function reaches, itself among them.
    #[must_use]
    pub fn reach(&self, module: &Module, f: FunctionRef) -> Vec<FunctionRef> {
        let mut found = vec![f];
        let mut at = 0;
        while let Some(&f) = found.get(at) {
            at += 1;
            for next in called(module.function(f)) {
                if !found.contains(&next) {
                    found.push(next);
                }
            }
        }
        found
    }

    /// How a function is called.
    #[must_use]
    pub fn callee(&self, f: FunctionRef) -> Option<&Callee> {
        self.callees.get(f.0 as usize)?.as_ref()
    }

    /// How the functions are called that a function calls itself.
    pub fn called<'a>(
        &'a self,
        module: &Module,
        f: FunctionRef,
    ) -> impl Iterator<Item = &'a Callee> + use<'a> {
        called(module.function(f)).into_iter().filter_map(|f| self.callee(f))
    }

    /// Notes what a function turned out to need, with what those need that it calls: registers that it writes itself,
    /// bytes of its frame.
    pub fn note(&mut self, module: &Module, f: FunctionRef, mut written: Files<Vec<bool>>, frame: u32) {
        let mut below = 0;
        for callee in called(module.function(f)).into_iter().filter_map(|f| self.callee(f)) {
            let clobbered = callee.clobbered();
            (written.sgpr.iter_mut().zip(&clobbered.sgpr)).for_each(|(own, other)| *own |= other);
            (written.vgpr.iter_mut().zip(&clobbered.vgpr)).for_each(|(own, other)| *own |= other);
            below = below.max(callee.below());
        }
        let depth = frame + below;
        if let Some(callee) = self.callees.get_mut(f.0 as usize).and_then(Option::as_mut) {
            callee.made = Some(Made { written, depth });
        }
    }
}

impl Callee {
    /// Bytes of a lane's stack that a call takes: parameters, and what stands behind them.
    #[must_use]
    pub fn below(&self) -> u32 {
        self.placement.stack_bytes + self.made.as_ref().map_or(0, |made| made.depth)
    }
}
