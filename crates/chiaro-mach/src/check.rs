//! The allocation checker: proves that every use finds its value in its register, on every
//! path, whoever allocated.
//!
//! It knows one kind of fact only, *unit u of value v is in unit r of file f*, and nothing of
//! the allocator's data. Facts are carried over the instructions and along the edges to a
//! fixpoint: an instruction's definitions replace what was in their registers, copies carry
//! facts along, what two paths disagree on is forgotten. Facts about a file of the lane domain
//! go along logical edges, all others along linear ones.
//!
//! - A phi is a statement: on an edge, whatever holds its use holds the phi.
//! - A value that is defined anew (in the next round of a loop) is gone from everywhere else.
//! - A write to a lane register destroys the linear lanes that lie in it. The reverse reaches
//!   lanes that do not run, which no path shows; so a lane register in which linear lanes are
//!   written anywhere holds no value that is read.
//!
//! The code may be as the allocator left it or with its copies lowered.

use rustc_hash::FxHashMap;

use crate::code::{Block, Code, Graph, Inst, Value};
use crate::file::RegFile;
use crate::op::Op;
use crate::operand::{Operand, What};
use crate::verify::Breach;

/// Checks the allocation of a function.
pub fn check_allocation(code: &Code, files: &[RegFile]) -> Result<(), Vec<Breach>> {
    let mut check = Check::new(code, files);
    check.spread();
    check.report();
    if check.found.is_empty() { Ok(()) } else { Err(check.found) }
}

/// A unit of a value.
type Fact = (Value, u16);

/// A set of facts by its number; 0 is the empty one.
type Set = u32;

/// Sets of facts, each kept once, so that they are compared by number.
#[derive(Default)]
struct Sets {
    lists: Vec<Box<[Fact]>>,
    numbers: FxHashMap<Box<[Fact]>, Set>,
    meets: FxHashMap<(Set, Set), Set>,
}

impl Sets {
    fn new() -> Sets {
        let mut sets = Sets::default();
        sets.number(&[]);
        sets
    }

    fn number(&mut self, facts: &[Fact]) -> Set {
        if let Some(&number) = self.numbers.get(facts) {
            return number;
        }
        let number = self.lists.len() as Set;
        self.lists.push(facts.into());
        self.numbers.insert(facts.into(), number);
        number
    }

    fn facts(&self, set: Set) -> &[Fact] {
        &self.lists[set as usize]
    }

    fn has(&self, set: Set, fact: Fact) -> bool {
        self.facts(set).contains(&fact)
    }

    fn add(&mut self, set: Set, fact: Fact) -> Set {
        if self.has(set, fact) {
            return set;
        }
        let mut facts = self.facts(set).to_vec();
        facts.push(fact);
        facts.sort_unstable();
        self.number(&facts)
    }

    fn without(&mut self, set: Set, value: Value) -> Set {
        if !self.facts(set).iter().any(|&(v, _)| v == value) {
            return set;
        }
        let facts: Vec<Fact> = self.facts(set).iter().copied().filter(|&(v, _)| v != value).collect();
        self.number(&facts)
    }

    fn meet(&mut self, a: Set, b: Set) -> Set {
        if a == b || a == 0 {
            return a;
        }
        if let Some(&set) = self.meets.get(&(a, b)) {
            return set;
        }
        let facts: Vec<Fact> = self.facts(a).iter().copied().filter(|&fact| self.has(b, fact)).collect();
        let set = self.number(&facts);
        self.meets.insert((a, b), set);
        set
    }
}

struct Check<'a> {
    code: &'a Code,
    files: &'a [RegFile],
    /// The first entry of each file in a state.
    base: Vec<usize>,
    /// Entries of a state.
    size: usize,
    sets: Sets,
    /// What holds at the head of each block and has been reached, per graph.
    heads: Vec<Option<Vec<Set>>>,
    found: Vec<Breach>,
    /// Whether breaches are reported: in the last round, with facts that no longer change.
    reports: bool,
    /// Lane units in which linear lanes are written somewhere.
    flooded: Vec<bool>,
}

impl<'a> Check<'a> {
    fn new(code: &'a Code, files: &'a [RegFile]) -> Check<'a> {
        let extent = extents(code, files);
        let mut base = Vec::new();
        let mut size = 0;
        for extent in extent {
            base.push(size);
            size += extent;
        }
        let mut check = Check {
            code,
            files,
            base,
            size,
            sets: Sets::new(),
            heads: vec![None; code.block_count()],
            found: Vec::new(),
            reports: false,
            flooded: Vec::new(),
        };
        check.flooded = check.find_flooded();
        check
    }

    fn entry(&self, file: usize, unit: u16) -> Option<usize> {
        let end = self.base.get(file + 1).copied().unwrap_or(self.size);
        let at = self.base.get(file)? + usize::from(unit);
        (at < end).then_some(at)
    }

    fn find_flooded(&self) -> Vec<bool> {
        let mut flooded = vec![false; self.size];
        let insts = self.code.blocks().flat_map(|b| self.code.insts(b)).copied();
        for def in insts.flat_map(|inst| self.code.defs(inst)).filter(|def| def.in_file()) {
            let alias = self.files.get(usize::from(def.file.0)).and_then(|f| f.alias);
            let (Some(alias), Some(reg)) = (alias, def.reg) else { continue };
            for unit in reg..reg + def.size {
                if let Some(at) = self.entry(usize::from(alias.file.0), alias.unit(unit)) {
                    flooded[at] = true;
                }
            }
        }
        flooded
    }

    /// Carries facts along until nothing changes.
    fn spread(&mut self) {
        if self.code.block_count() == 0 {
            return;
        }
        self.heads[0] = Some(vec![0; self.size]);
        let mut waiting = vec![false; self.code.block_count()];
        waiting[0] = true;
        while let Some(block) = waiting.iter().position(|&w| w) {
            waiting[block] = false;
            let block = Block(block as u32);
            let Some(mut state) = self.heads[block.0 as usize].clone() else { continue };
            let reached = [Graph::Logical, Graph::Linear].map(|graph| self.is_reached(graph, &state));
            self.block(block, &mut state);
            for (graph, reached) in [Graph::Logical, Graph::Linear].into_iter().zip(reached) {
                // A block that was only reached along the other graph has nothing to hand on.
                if !reached {
                    continue;
                }
                for &succ in &self.code.block_data(block).edges(graph).succs {
                    if self.flow(block, succ, graph, &state) {
                        waiting[succ.0 as usize] = true;
                    }
                }
            }
        }
    }

    fn is_reached(&self, graph: Graph, head: &[Set]) -> bool {
        let ends = self.base.iter().skip(1).copied().chain([self.size]);
        let mut files = self.files.iter().zip(&self.base).zip(ends);
        files.all(|((file, &start), end)| {
            Graph::of(file.domain) != graph || !head[start..end].contains(&UNREACHED)
        })
    }

    /// Goes over every reached block once more and reports what is wrong.
    fn report(&mut self) {
        self.reports = true;
        for block in self.code.blocks() {
            if let Some(mut state) = self.heads[block.0 as usize].clone() {
                self.block(block, &mut state);
            }
        }
    }

    /// Brings facts over an edge of one graph; whether the head of `to` changed.
    fn flow(&mut self, from: Block, to: Block, graph: Graph, state: &[Set]) -> bool {
        let mut carried = state.to_vec();
        self.rename_phis(from, to, graph, &mut carried);
        let mine: Vec<bool> = self.files.iter().map(|f| Graph::of(f.domain) == graph).collect();
        let first = self.heads[to.0 as usize].is_none();
        // Nothing is known yet of files that come along the other graph: all is possible,
        // which the largest number stands for until the first edge of that graph arrives.
        let mut head = self.heads[to.0 as usize].take().unwrap_or_else(|| vec![UNREACHED; self.size]);
        let mut changed = first;
        for (file, mine) in mine.iter().enumerate() {
            let end = self.base.get(file + 1).copied().unwrap_or(self.size);
            for at in (self.base[file]..end).filter(|_| *mine) {
                let new = match head[at] {
                    UNREACHED => carried[at],
                    old => self.sets.meet(old, carried[at]),
                };
                changed |= new != head[at];
                head[at] = new;
            }
        }
        self.heads[to.0 as usize] = Some(head);
        changed
    }

    fn rename_phis(&mut self, from: Block, to: Block, graph: Graph, state: &mut [Set]) {
        let phis: Vec<Inst> =
            self.code.insts(to).iter().copied().take_while(|&inst| self.code.op(inst) == Op::Phi).collect();
        let mine = |def: &Operand| {
            self.files.get(usize::from(def.file.0)).is_some_and(|f| Graph::of(f.domain) == graph)
        };
        let preds = &self.code.block_data(to).edges(graph).preds;
        let numbers: Vec<usize> = (0..preds.len()).filter(|&i| preds[i] == from).collect();
        let mut renames = Vec::new();
        for &inst in &phis {
            let Some(phi) = self.code.defs(inst).first().filter(|def| mine(def)).and_then(Operand::value)
            else {
                continue;
            };
            let used = numbers.first().and_then(|&i| self.code.uses(inst).get(i)).map(|o| o.what);
            renames.push((phi, used));
        }
        if renames.is_empty() {
            return;
        }
        for set in state.iter_mut().filter(|set| **set != UNREACHED) {
            *set = self.renamed(*set, &renames);
        }
        self.define_anything(&phis, numbers.first().copied(), state);
    }

    /// Where a phi may be anything, whatever is in its register will do; of one that lives in memory nobody says where, so
    /// that every place there will.
    fn define_anything(&mut self, phis: &[Inst], edge: Option<usize>, state: &mut [Set]) {
        for &inst in phis {
            let used = edge.and_then(|edge| self.code.uses(inst).get(edge)).map(|used| used.what);
            let Some(def) = self.code.defs(inst).first().filter(|_| used == Some(What::Undef)) else {
                continue;
            };
            let Some(value) = def.value() else { continue };
            if def.reg.is_none() {
                self.define_in_memory(value, def, state);
            }
            for (i, place) in self.places(def).into_iter().enumerate() {
                if let Some(at) = place.filter(|&at| state[at] != UNREACHED) {
                    state[at] = self.sets.add(state[at], (value, def.offset + i as u16));
                }
            }
        }
    }

    /// Every place that is memory holds any part of a value.
    fn define_in_memory(&mut self, value: Value, def: &Operand, state: &mut [Set]) {
        let ends = self.base.iter().skip(1).copied().chain([self.size]);
        let files = self.files.iter().zip(self.base.iter().copied().zip(ends));
        let places = files.filter(|(file, _)| file.memory).flat_map(|(_, (start, end))| start..end);
        let reached: Vec<usize> = places.filter(|at| state[*at] != UNREACHED).collect();
        for at in reached {
            for part in def.offset..def.offset + def.size {
                state[at] = self.sets.add(state[at], (value, part));
            }
        }
    }

    /// The facts of a set after the phis of an edge, all at once.
    fn renamed(&mut self, set: Set, renames: &[(Value, Option<What>)]) -> Set {
        let old = self.sets.facts(set);
        let stays = |&(value, _): &Fact| !renames.iter().any(|&(phi, _)| phi == value);
        let mut facts: Vec<Fact> = old.iter().copied().filter(stays).collect();
        for &(phi, used) in renames {
            let same = old.iter().filter(|&&(value, _)| used == Some(What::Value(value)));
            facts.extend(same.map(|&(_, unit)| (phi, unit)));
        }
        facts.sort_unstable();
        facts.dedup();
        self.sets.number(&facts)
    }

    fn block(&mut self, block: Block, state: &mut [Set]) {
        state.iter_mut().filter(|set| **set == UNREACHED).for_each(|set| *set = 0);
        for &inst in self.code.insts(block) {
            match self.code.op(inst) {
                Op::Phi => {}
                op if op.is_copy() => self.copy(block, inst, state),
                _ => self.compute(block, inst, state),
            }
        }
    }

    fn breach(&mut self, block: Block, inst: Inst, message: String) {
        if self.reports {
            self.found.push(Breach { block, inst: Some(inst), message });
        }
    }

    /// The places of an operand's units, in order; unknown ones are `None`.
    fn places(&self, operand: &Operand) -> Vec<Option<usize>> {
        let place =
            |i| operand.reg.and_then(|reg| self.entry(usize::from(operand.file.0), reg.checked_add(i)?));
        (0..operand.size).map(place).collect()
    }

    /// Checks that a use finds what it reads.
    fn read(&mut self, block: Block, inst: Inst, operand: &Operand, state: &[Set]) {
        let Some(value) = operand.value().filter(|_| self.reports) else { return };
        let places = self.places(operand);
        for i in operand.accessed() {
            let fact = (value, operand.offset + i);
            let place = places.get(usize::from(i)).copied().flatten();
            let there = place.is_some_and(|at| self.sets.has(state[at], fact));
            if !there {
                let has = place.map_or(&[][..], |at| self.sets.facts(state[at]));
                let message = format!(
                    "unit {} of v{} is not in {}, which has {has:?}",
                    fact.1,
                    value.0,
                    at(operand, i)
                );
                return self.breach(block, inst, message);
            }
            if place.is_some_and(|at| self.flooded[at]) {
                return self.breach(block, inst, format!("v{} is in a register of linear lanes", value.0));
            }
        }
    }

    fn copy(&mut self, block: Block, inst: Inst, state: &mut [Set]) {
        let pairs = crate::lower_copies::pairs(self.code, inst);
        pairs.iter().for_each(|(_, from)| self.read(block, inst, from, state));
        let carried: Vec<Vec<Set>> = pairs
            .iter()
            .map(|(_, from)| self.places(from).into_iter().map(|at| at.map_or(0, |at| state[at])).collect())
            .collect();
        // Scratch, and places of definitions that nothing is copied to.
        for def in self.code.defs(inst) {
            self.write(def, state, |_| 0);
        }
        for ((def, from), carried) in pairs.iter().zip(carried) {
            self.write(def, state, |i| carried[usize::from(i)]);
            // What is called by another name than its source is defined by this.
            let Some(value) = def.value().filter(|_| def.what != from.what) else { continue };
            for (i, place) in self.places(def).into_iter().enumerate() {
                if let Some(at) = place {
                    state[at] = self.sets.add(state[at], (value, def.offset + i as u16));
                }
            }
        }
    }

    fn compute(&mut self, block: Block, inst: Inst, state: &mut [Set]) {
        let code = self.code;
        for used in code.uses(inst) {
            self.read(block, inst, used, state);
        }
        if self.reports {
            self.constraints(block, inst);
        }
        let passed = self.passed_through(inst, state);
        for clobber in code.clobbered(inst) {
            for unit in clobber.units.clone() {
                self.overwrite(usize::from(clobber.file.0), unit, 0, state);
            }
        }
        // What is done again makes the same value: elsewhere it is still right.
        let is_same = code.inst(inst).remat && code.uses(inst).iter().all(|used| !used.in_file());
        for def in code.defs(inst).iter().filter(|_| !is_same) {
            if let Some(value) = def.value() {
                for set in state.iter_mut() {
                    *set = self.sets.without(*set, value);
                }
            }
        }
        for (def, passed) in code.defs(inst).iter().zip(passed) {
            let written: Vec<u16> = def.accessed().collect();
            for (i, kept) in (0..def.size).zip(passed) {
                let fact = def.value().map(|value| (value, def.offset + i));
                let set = if written.contains(&i) { Some(0) } else { kept };
                let (Some(set), Some(reg)) = (set, def.reg) else { continue };
                let set = fact.map_or(set, |fact| self.sets.add(set, fact));
                self.overwrite(usize::from(def.file.0), reg + i, set, state);
            }
        }
    }

    /// For each unit of each definition: what a tied use leaves in it where it is not written.
    fn passed_through(&mut self, inst: Inst, state: &[Set]) -> Vec<Vec<Option<Set>>> {
        let code = self.code;
        let one = |(number, def): (usize, &Operand)| {
            let tied = code.uses(inst).iter().find(|u| u.tied.map(usize::from) == Some(number));
            let places = self.places(def);
            let kept = |i: usize| {
                let (used, at) = (tied?, places[i]?);
                let fact = (used.value()?, used.offset + i as u16);
                self.sets.has(state[at], fact).then_some(state[at])
            };
            (0..places.len()).map(kept).collect()
        };
        code.defs(inst).iter().enumerate().map(one).collect()
    }

    /// Puts sets into the units of a definition.
    fn write(&self, def: &Operand, state: &mut [Set], set: impl Fn(u16) -> Set) {
        let Some(reg) = def.reg.filter(|_| def.in_file()) else { return };
        for i in 0..def.size {
            self.overwrite(usize::from(def.file.0), reg + i, set(i), state);
        }
    }

    /// Replaces what a unit holds, and empties the linear lanes that lie in it.
    fn overwrite(&self, file: usize, unit: u16, set: Set, state: &mut [Set]) {
        if let Some(at) = self.entry(file, unit) {
            state[at] = set;
        }
        for (guest, facts) in self.files.iter().enumerate() {
            let Some(alias) = facts.alias.filter(|alias| usize::from(alias.file.0) == file) else { continue };
            for lane in alias.guests(unit) {
                if let Some(at) = self.entry(guest, lane) {
                    state[at] = 0;
                }
            }
        }
    }

    /// What a definition may share its place with.
    fn constraints(&mut self, block: Block, inst: Inst) {
        let code = self.code;
        let overlap = |a: &Operand, b: &Operand| {
            let (Some(x), Some(y)) = (a.reg, b.reg) else { return false };
            a.in_file() && b.in_file() && a.file == b.file && x < y + b.size && y < x + a.size
        };
        for (number, def) in code.defs(inst).iter().enumerate() {
            if def.in_file() && def.reg.is_none() {
                self.breach(block, inst, format!("definition {number} has no register"));
            }
            if def.comps.is_empty()
                && code.defs(inst)[..number].iter().any(|other| other.comps.is_empty() && overlap(def, other))
            {
                self.breach(block, inst, format!("definition {number} shares its place with another"));
            }
            for used in code.uses(inst) {
                let apart = def.early_clobber || used.late_kill;
                let tied = used.tied.map(usize::from) == Some(number);
                if apart && !tied && overlap(def, used) {
                    self.breach(
                        block,
                        inst,
                        format!("definition {number} is in the place of a use that is read later"),
                    );
                }
            }
        }
    }
}

/// In place of the number of a set: no edge has brought anything yet.
const UNREACHED: Set = Set::MAX;

fn at(operand: &Operand, i: u16) -> String {
    operand.reg.map_or_else(
        || "any register".to_owned(),
        |reg| format!("unit {} of file {}", reg + i, operand.file.0),
    )
}

/// How many units of each file occur at all.
fn extents(code: &Code, files: &[RegFile]) -> Vec<usize> {
    let mut extents = vec![0; files.len()];
    for inst in code.blocks().flat_map(|block| code.insts(block)) {
        for operand in code.operands(*inst).iter().filter(|o| o.in_file()) {
            let (Some(extent), Some(reg)) = (extents.get_mut(usize::from(operand.file.0)), operand.reg)
            else {
                continue;
            };
            let end = usize::from(reg) + usize::from(operand.size);
            *extent = end.min(usize::from(files[usize::from(operand.file.0)].count)).max(*extent);
        }
    }
    extents
}
