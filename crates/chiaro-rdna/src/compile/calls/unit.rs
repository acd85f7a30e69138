//! A kernel with all functions that it reaches.

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
    /// Functions that call themselves, those together that call each other.
    pub cycles: Vec<Vec<FunctionRef>>,
    /// How often each of those may be open at once.
    pub bound: u32,
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
    /// The functions that a kernel reaches, of which each may be open so often at once.
    #[must_use]
    pub fn of(module: &Module, kernel: FunctionRef, bound: u32) -> Unit {
        let mut order: Vec<FunctionRef> = Vec::new();
        let mut open = vec![(kernel, called(module.function(kernel)))];
        while let Some((f, left)) = open.last_mut() {
            let Some(next) = left.pop() else {
                order.push(*f);
                open.pop();
                continue;
            };
            // Who is open already is called by those that it calls: of a cycle one comes before its callees.
            if !order.contains(&next) && !open.iter().any(|(other, _)| *other == next) {
                open.push((next, called(module.function(next))));
            }
        }
        let callees = vec![None; module.functions.len()];
        let mut unit = Unit { order, known: uniformity(module), callees, cycles: Vec::new(), bound };
        unit.cycles = unit.find_cycles(module);
        unit
    }

    /// Functions that call themselves, those together that call each other.
    fn find_cycles(&self, module: &Module) -> Vec<Vec<FunctionRef>> {
        let mut cycles: Vec<Vec<FunctionRef>> = Vec::new();
        for &f in self.order.iter().filter(|&&f| is_reached(self, module, f, f)) {
            if !cycles.iter().any(|cycle| cycle.contains(&f)) {
                let others = self.order.iter().copied();
                cycles.push(
                    others
                        .filter(|&g| is_reached(self, module, f, g) && is_reached(self, module, g, f))
                        .collect(),
                );
            }
        }
        cycles
    }

    /// The functions that call themselves together with a function, it among them.
    #[must_use]
    pub fn cycle(&self, f: FunctionRef) -> Option<&[FunctionRef]> {
        self.cycles.iter().find(|cycle| cycle.contains(&f)).map(Vec::as_slice)
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

    /// Notes what a function turned out to need: registers that it writes, itself or by those that it calls, and bytes
    /// of its frame.
    pub fn note(&mut self, module: &Module, f: FunctionRef, mut written: Files<Vec<bool>>, frame: u32) {
        for callee in called(module.function(f)).into_iter().filter_map(|f| self.callee(f)) {
            let clobbered = callee.clobbered();
            (written.sgpr.iter_mut().zip(&clobbered.sgpr)).for_each(|(own, other)| *own |= other);
            (written.vgpr.iter_mut().zip(&clobbered.vgpr)).for_each(|(own, other)| *own |= other);
        }
        if let Some(callee) = self.callees.get_mut(f.0 as usize).and_then(Option::as_mut) {
            callee.made = Some(Made { written, frame, depth: 0 });
        }
        self.note_depths(module, f);
    }
}

/// Whether a function comes to another one, by one call at least.
fn is_reached(unit: &Unit, module: &Module, from: FunctionRef, to: FunctionRef) -> bool {
    called(module.function(from)).into_iter().any(|next| unit.reach(module, next).contains(&to))
}
