//! A kernel with all functions that it reaches.

use std::collections::{HashMap, HashSet};

use chiaro_ir::{FunctionRef, GlobalRef, Module, Ty, Uniformity, uniformity};

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
    /// Functions of which no more may be open at once in all.
    pub groups: Vec<(Vec<FunctionRef>, u32)>,
    /// Functions that pointers lead to.
    pub pointed: Vec<FunctionRef>,
    /// The buffer that prints go to.
    pub prints: Option<GlobalRef>,
    /// By function of the module: those that it calls, by their names and through pointers.
    calls: Vec<Vec<FunctionRef>>,
}

impl Unit {
    /// The functions that a kernel reaches, of which each may be open so often at once.
    #[must_use]
    pub fn of(module: &Module, kernel: FunctionRef, bound: u32) -> Unit {
        let pointed = chiaro_opt::pointed_at(module, kernel);
        let all = (0..module.functions.len() as u32).map(FunctionRef);
        let calls: Vec<Vec<FunctionRef>> = all.map(|f| callees(module, f, &pointed)).collect();
        let roots: Vec<FunctionRef> = pointed.iter().copied().chain(chiaro_opt::exported(module)).collect();
        let order = in_order(&calls, kernel, &roots);
        let callees = vec![None; module.functions.len()];
        let known = uniformity(module);
        let mut unit = Unit {
            order,
            known,
            callees,
            cycles: Vec::new(),
            bound,
            groups: Vec::new(),
            pointed,
            prints: None,
            calls,
        };
        unit.cycles = unit.find_cycles();
        unit
    }

    /// Functions that call themselves, those together that call each other.
    fn find_cycles(&self) -> Vec<Vec<FunctionRef>> {
        // A function reaches itself where one that it calls does.
        let behind = |f: FunctionRef| -> HashSet<FunctionRef> {
            self.calls(f).iter().flat_map(|&next| self.reach(next)).collect()
        };
        let reached: HashMap<FunctionRef, HashSet<FunctionRef>> =
            self.order.iter().map(|&f| (f, behind(f))).collect();
        let reaches = |f: FunctionRef, g: FunctionRef| reached.get(&f).is_some_and(|all| all.contains(&g));
        let mut cycles: Vec<Vec<FunctionRef>> = Vec::new();
        for &f in self.order.iter().filter(|&&f| reaches(f, f)) {
            if !cycles.iter().any(|cycle| cycle.contains(&f)) {
                let others = self.order.iter().copied();
                cycles.push(others.filter(|&g| reaches(f, g) && reaches(g, f)).collect());
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
    pub fn reach(&self, f: FunctionRef) -> Vec<FunctionRef> {
        let mut found = vec![f];
        let mut at = 0;
        while let Some(&f) = found.get(at) {
            at += 1;
            for &next in self.calls(f) {
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

    /// Functions that a function calls, in the order in which it does.
    #[must_use]
    pub fn calls(&self, f: FunctionRef) -> &[FunctionRef] {
        self.calls.get(f.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// No more functions than these may be open at once.
    #[must_use]
    pub fn nesting(&self) -> u64 {
        let called = self.order.split_last().map_or(&[][..], |(_, called)| called);
        called.iter().map(|&f| u64::from(self.times(f))).sum()
    }

    /// How often a function may be open at once.
    #[must_use]
    pub fn times(&self, f: FunctionRef) -> u32 {
        let counted = self.groups.iter().find(|(group, _)| group.contains(&f)).map(|(_, most)| *most);
        if self.cycle(f).is_some() { counted.unwrap_or(self.bound) } else { 1 }
    }

    /// The names of those.
    #[must_use]
    pub fn names_called(&self, module: &Module, f: FunctionRef) -> Vec<String> {
        self.calls(f).iter().map(|&f| module.function(f).name.clone()).collect()
    }

    /// How the functions are called that a function calls itself.
    pub fn called(&self, f: FunctionRef) -> impl Iterator<Item = &Callee> {
        self.calls(f).iter().filter_map(|f| self.callee(*f))
    }

    /// The functions that a call through a pointer to such functions may come to.
    #[must_use]
    pub fn targets(&self, module: &Module, ty: Ty) -> Vec<FunctionRef> {
        chiaro_opt::targets(module, &self.pointed, ty)
    }

    /// The functions that have one contract: all that pointers to a function may lead to instead, or it alone.
    #[must_use]
    pub fn together(&self, module: &Module, f: FunctionRef) -> Vec<FunctionRef> {
        if !self.pointed.contains(&f) {
            return vec![f];
        }
        chiaro_opt::alike(module, &self.pointed, f)
    }

    /// Functions that with all that they reach have to find what a function is given: those that have one contract with it,
    /// or with any that it comes to.
    #[must_use]
    pub fn fed_by(&self, module: &Module, f: FunctionRef) -> Vec<FunctionRef> {
        let (mut all, mut covered, mut at) = (self.together(module, f), Vec::new(), 0);
        while let Some(&next) = all.get(at) {
            at += 1;
            for reached in self.reach(next) {
                if covered.contains(&reached) {
                    continue;
                }
                covered.push(reached);
                let others = self.together(module, reached);
                let new = others.into_iter().filter(|other| !covered.contains(other) && !all.contains(other));
                let new: Vec<FunctionRef> = new.collect();
                all.extend(new);
            }
        }
        all
    }

    /// Notes what a function turned out to need: registers that it writes, itself or by those that it calls, and bytes
    /// of its frame.
    pub fn note(
        &mut self,
        module: &Module,
        f: FunctionRef,
        mut written: Files<Vec<bool>>,
        (frame, nests): (u32, bool),
    ) {
        for callee in self.calls(f).iter().filter_map(|f| self.callee(*f)) {
            let clobbered = callee.clobbered();
            (written.sgpr.iter_mut().zip(&clobbered.sgpr)).for_each(|(own, other)| *own |= other);
            (written.vgpr.iter_mut().zip(&clobbered.vgpr)).for_each(|(own, other)| *own |= other);
        }
        if let Some(callee) = self.callees.get_mut(f.0 as usize).and_then(Option::as_mut) {
            callee.made = Some(Made { written, frame, depth: 0, nests });
        }
        self.note_depths(module, f);
    }
}

/// Functions that a function calls; where one goes on to others, all of those.
fn callees(module: &Module, f: FunctionRef, pointed: &[FunctionRef]) -> Vec<FunctionRef> {
    let mut found: Vec<FunctionRef> = Vec::new();
    for callee in chiaro_opt::callees(module, f, pointed) {
        let others = match module.function(callee).dispatches {
            true => chiaro_opt::alike(module, pointed, callee),
            false => Vec::new(),
        };
        let all = [callee].into_iter().chain(others);
        let new: Vec<FunctionRef> = all.filter(|f| !found.contains(f)).collect();
        found.extend(new);
    }
    found
}

/// The functions that a kernel reaches, those that others call before them.
fn in_order(calls: &[Vec<FunctionRef>], kernel: FunctionRef, roots: &[FunctionRef]) -> Vec<FunctionRef> {
    let mut order = Vec::new();
    // Who is open already is called by those that it calls: of a cycle one comes before its callees.
    let mut seen = HashSet::from([kernel]);
    let called = |f: FunctionRef| calls[f.0 as usize].iter();
    // Functions that are values, or that other parts call, stand there though nothing calls them here.
    let mut open = vec![(kernel, called(kernel).chain(roots).collect::<Vec<_>>())];
    while let Some((f, left)) = open.last_mut() {
        match left.pop() {
            Some(&next) if seen.insert(next) => open.push((next, called(next).collect())),
            Some(_) => {}
            None => {
                order.push(*f);
                open.pop();
            }
        }
    }
    order
}
