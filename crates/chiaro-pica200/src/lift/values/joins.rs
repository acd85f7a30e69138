//! Constructs whose registers are values: what is changed within one and read behind it is a result of it, and what
//! a loop changes and reads again is a parameter of its blocks.
//!
//! What a construct is left with is known at its end alone, so that it begins with a result for whatever is written
//! within, and those that are the same on all ways go there.

use std::hash::Hash;

use chiaro_ir::{Def, Inst, Op, Ty, Value};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::slots::Change;
use super::{Set, Values, Variable};

/// A construct that is open.
pub(super) struct Frame {
    inst: Inst,
    /// Its results, and of a loop the parameters of its blocks.
    results: Vec<Variable>,
    params: Vec<Variable>,
    /// What leads behind it.
    exits: Vec<Inst>,
    state: State,
}

/// What is known where a construct begins.
struct State {
    /// How many changes there were.
    changes: usize,
    /// What was brought together and computed there.
    scope: Scope,
    /// How many values there were: further ones are not seen outside.
    values: usize,
}

/// A stretch of the text that is left as a whole: what is made in it is seen to its end. By number, the first of a
/// function is the whole of it.
pub(super) type Scope = u32;

/// Values by what they are, as far as they are seen.
pub(super) struct Seen<K> {
    values: FxHashMap<K, (Value, Scope)>,
}

impl<K: Eq + Hash> Seen<K> {
    pub(super) fn with_capacity(count: usize) -> Self {
        Seen { values: FxHashMap::with_capacity_and_hasher(count, FxBuildHasher) }
    }

    /// The value, if one is seen from within open scopes.
    pub(super) fn get(&self, key: &K, scopes: &Scopes) -> Option<Value> {
        let &(value, scope) = self.values.get(key)?;
        scopes.is_open[scope as usize].then_some(value)
    }

    pub(super) fn insert(&mut self, key: K, value: Value, scopes: &Scopes) {
        self.values.insert(key, (value, scopes.now));
    }

    pub(super) fn clear(&mut self) {
        self.values.clear();
    }
}

/// Scopes so far.
pub(super) struct Scopes {
    now: Scope,
    /// By scope.
    is_open: Vec<bool>,
}

impl Default for Scopes {
    fn default() -> Scopes {
        Scopes { now: 0, is_open: vec![true] }
    }
}

impl Scopes {
    /// Goes to a new scope within another, which ends those that are within that.
    fn enter(&mut self, outer: Scope) {
        self.leave(outer);
        self.now = self.is_open.len() as Scope;
        self.is_open.push(true);
    }

    /// Goes back to a scope.
    fn leave(&mut self, outer: Scope) {
        // Those in between are left one by one, the innermost first.
        if self.now != outer {
            self.is_open[self.now as usize] = false;
        }
        self.now = outer;
    }
}

impl Values<'_, '_> {
    /// Variables of which something is in a set. Where they are in memory nothing is handed on.
    fn all_in(&self, set: Set) -> Vec<Variable> {
        if self.has_values { set.variables().collect() } else { Vec::new() }
    }

    fn all_loaded(&mut self, variables: &[Variable]) -> Vec<Value> {
        variables.iter().map(|&variable| self.load(variable)).collect()
    }

    /// Begins a construct that may change `results`.
    pub(in crate::lift) fn begin(&mut self, op: Op, args: &[Value], results: Set, blocks: usize) -> Inst {
        let results = self.all_in(results);
        // What a branch leaves as it is needs to be there as a whole.
        let types = self.types_of(&results);
        let values = self.b.function().value_count();
        let inst = self.b.begin(op, args, &types, blocks);
        self.open(inst, values, results, Vec::new());
        inst
    }

    /// The same, a loop whose blocks get `params`.
    pub(in crate::lift) fn begin_loop(&mut self, results: Set, params: Set) -> Inst {
        let (results, params) = (self.all_in(results), self.all_in(params));
        let init = self.all_loaded(&params);
        let (types, carried) = (self.types_of(&results), self.types_of(&params));
        let values = self.b.function().value_count();
        let inst = self.b.begin_loop(&init, &types, &carried);
        self.open(inst, values, results, params);
        inst
    }

    /// The types of variables, which all of them have as values already.
    fn types_of(&mut self, variables: &[Variable]) -> Vec<Ty> {
        let values = self.all_loaded(variables);
        values.into_iter().map(|value| self.b.ty(value)).collect()
    }

    fn open(&mut self, inst: Inst, values: usize, results: Vec<Variable>, params: Vec<Variable>) {
        let state = State { changes: self.changes.len(), scope: self.scopes.now, values };
        self.frames.push(Frame { inst, results, params, exits: Vec::new(), state });
    }

    /// Goes to the start of block `n` of the innermost construct.
    pub(in crate::lift) fn enter_block(&mut self, n: usize) {
        self.b.enter(n);
        if !self.has_values {
            return;
        }
        let Some(frame) = self.frames.pop() else { return };
        self.restore(&frame.state);
        self.scopes.enter(frame.state.scope);
        let block = self.b.function().blocks_of(frame.inst).get(n);
        let params = block.map_or(Vec::new(), |&block| self.b.function().block(block).params.clone());
        let given: Vec<_> = frame.params.iter().copied().zip(params).collect();
        // What changes is noted while the construct is among those that are open.
        self.frames.push(frame);
        given.into_iter().for_each(|(variable, param)| self.hold(variable, param));
    }

    fn restore(&mut self, state: &State) {
        for change in self.changes.drain(state.changes..).rev() {
            match change {
                Change::Part(slot, before) => self.parts[usize::from(slot.0)] = before,
                Change::Variable(place, before) => self.variables[usize::from(place)] = before,
            }
        }
        self.scopes.leave(state.scope);
    }

    /// Leaves a construct with its results.
    pub(in crate::lift) fn exit(&mut self, at: Inst) {
        let Some(n) = self.frames.iter().rposition(|frame| frame.inst == at) else { return };
        let results = std::mem::take(&mut self.frames[n].results);
        let values = self.all_loaded(&results);
        let exit = Inst(self.b.function().inst_count() as u32);
        self.b.exit(at, &values);
        let frame = &mut self.frames[n];
        frame.results = results;
        frame.exits.push(exit);
    }

    /// Goes to a loop's continuing block, or from there to its body.
    pub(in crate::lift) fn go_round(&mut self, at: Inst, is_at_end: bool) {
        let Some(n) = self.frames.iter().rposition(|frame| frame.inst == at) else { return };
        let params = std::mem::take(&mut self.frames[n].params);
        let values = self.all_loaded(&params);
        match is_at_end {
            true => self.b.repeat(at, &values),
            false => self.b.continue_(at, &values),
        }
        self.frames[n].params = params;
    }

    /// Goes behind the innermost construct.
    pub(in crate::lift) fn leave(&mut self) {
        self.b.leave();
        let Some(frame) = self.frames.pop().filter(|_| self.has_values) else { return };
        self.restore(&frame.state);
        let same: Vec<Option<Value>> = (0..frame.results.len()).map(|n| self.same(&frame, n)).collect();
        if same.iter().any(Option::is_some) {
            self.drop_results(&frame, &same);
        }
        let mut results = self.b.function().results(frame.inst);
        for (&variable, same) in frame.results.iter().zip(same) {
            if let Some(value) = same.or_else(|| results.next()) {
                self.hold(variable, value);
            }
        }
    }

    /// The value that a result is on all ways, if it is known outside. Of what nothing leaves there is none.
    fn same(&self, frame: &Frame, n: usize) -> Option<Value> {
        let function = self.b.function();
        let mut values = frame.exits.iter().filter_map(|&exit| function.args(exit).get(n).copied());
        let first = values.next()?;
        let is_outside =
            (first.0 as usize) < frame.state.values || matches!(function.def(first), Def::Constant(_));
        (is_outside && values.all(|value| value == first)).then_some(first)
    }

    fn drop_results(&mut self, frame: &Frame, same: &[Option<Value>]) {
        let function = self.b.function_mut();
        let results = function.results(frame.inst).zip(same).filter(|(_, same)| same.is_none());
        let types: Vec<Ty> = results.map(|(result, _)| function.ty(result)).collect();
        function.set_results(frame.inst, &types);
        for &exit in &frame.exits {
            function.retain_args(exit, |n| same.get(n).is_none_or(Option::is_none));
        }
    }
}
