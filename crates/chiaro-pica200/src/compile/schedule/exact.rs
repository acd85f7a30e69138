//! Exact search: whether the operations of a short straight block fit fewer words.
//!
//! Lengths from the lower bound on are tried one after the other. For each, every program of so many instructions is
//! tried, from the first instruction on: what it computes or copies, from which registers, into which, and what it
//! overwrites there. Either one gives all outputs (the length may be possible), or none does and the bound is raised.
//!
//! What is proven holds for every program of the chosen operations, computed as often as one likes, in any order and
//! any registers: the search leaves out conditions of the machine, never programs. It keeps that an instruction
//! names one register and one sign for each operand, one uniform or number, and one input, and writes one register;
//! that a register holds four values, and that what is overwritten is lost. It leaves out how many registers,
//! descriptors and numbers of one register there are. Other operations, or the same with other signs, are not covered.

#[cfg(test)]
mod referee;
mod task;

use crate::compile::graph::{Graph, LANES};
use crate::isa::Op;
use std::collections::HashMap;
use task::{Lane, Task, View};

/// Programs that begin alike are one state; so many of them are looked at.
const STATES: usize = 1 << 12;
/// Instructions of the longest block that is searched.
const LONGEST: usize = 32;

/// Raises a lower bound up to the words that a program of the block has.
pub(crate) fn raise(graph: &Graph, bound: usize, words: usize) -> usize {
    let Some(task) = Task::of(graph).filter(|_| words <= LONGEST) else { return bound };
    let mut left = STATES;
    (bound..words)
        .find(|length| Search::run(&task, *length, &mut left) != Verdict::Impossible)
        .unwrap_or(words)
}

/// What a search says of a length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Impossible,
    Possible,
    GivenUp,
}

/// What registers hold after some instructions: values with their signs, a bit each, see [`Task`].
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct State {
    temporaries: Vec<u64>,
    /// Parts of outputs that are not written yet, a bit each.
    open: u64,
}

/// What a state still lacks.
struct Lack {
    /// Lanes that have to be computed, a bit each.
    lanes: u64,
    /// Values that these or outputs read, with signs.
    wanted: u64,
}

struct Search<'t> {
    task: &'t Task,
    /// States from which so many instructions are not enough.
    known: HashMap<State, usize>,
    left: usize,
    is_given_up: bool,
}

impl Search<'_> {
    /// Whether some program of a length gives all outputs; takes the states that it looks at.
    fn run(task: &Task, length: usize, left: &mut usize) -> Verdict {
        let mut search = Search { task, known: HashMap::new(), left: *left, is_given_up: false };
        let open = (1u64 << task.outputs.len()) - 1;
        let is_possible = search.is_possible(State { temporaries: Vec::new(), open }, length);
        *left = search.left;
        match is_possible {
            _ if search.is_given_up => Verdict::GivenUp,
            true => Verdict::Possible,
            false => Verdict::Impossible,
        }
    }

    fn is_possible(&mut self, mut state: State, length: usize) -> bool {
        if state.open == 0 {
            return true;
        }
        let lack = self.lack(&state);
        // What nothing asks for any more makes no difference.
        let either = lack.wanted | turned(lack.wanted);
        state.temporaries.iter_mut().for_each(|values| *values &= either);
        state.temporaries.retain(|values| *values != 0);
        state.temporaries.sort_unstable();
        let is_known = self.known.get(&state).is_some_and(|known| *known >= length);
        if length == 0 || self.least(&state, &lack) > length || is_known {
            return false;
        }
        if self.left == 0 {
            self.is_given_up = true;
            return true;
        }
        self.left -= 1;
        let next = self.next(&state, &lack);
        if next.into_iter().any(|next| self.is_possible(next, length - 1)) {
            return true;
        }
        self.known.insert(state, length);
        false
    }

    /// What is needed for the open outputs and stands in no register.
    fn lack(&self, state: &State) -> Lack {
        let held = state.temporaries.iter().fold(0, |all, values| all | values);
        let held = held | turned(held);
        let outputs = self.task.outputs.iter().enumerate().filter(|(i, _)| state.open >> i & 1 == 1);
        let (mut lanes, mut wanted) = (0u64, outputs.fold(0, |all, (_, output)| all | 1 << output.value));
        let mut open = wanted & !held;
        while open != 0 {
            let value = open.trailing_zeros() as u8;
            open &= open - 1;
            let Some(lane) = self.task.lane_of(value).filter(|lane| lanes >> lane & 1 == 0) else { continue };
            lanes |= 1 << lane;
            let reads = self.task.lanes[lane].args.iter().fold(0, |all, arg| all | arg);
            open |= reads & !wanted & !held;
            wanted |= reads;
        }
        Lack { lanes, wanted }
    }

    /// Words that what is lacking takes at least: lanes four by four, and moves for what outputs copy.
    fn least(&self, state: &State, lack: &Lack) -> usize {
        let (mut counts, mut alone) = (HashMap::<Op, usize>::new(), 0);
        for lane in bits(lack.lanes).map(|lane| &self.task.lanes[lane]) {
            match lane.is_each {
                true => *counts.entry(lane.op).or_default() += 1,
                false => alone += 1,
            }
        }
        // What an output copies of uniforms, numbers and inputs takes a move at least.
        let copied = bits(state.open).map(|i| &self.task.outputs[i]);
        let copied = copied.filter(|output| self.task.leaf_of(output.value).is_some());
        let registers = copied.fold(0u16, |all, output| all | 1 << (output.register & 15)).count_ones();
        alone + counts.values().map(|lanes| lanes.div_ceil(LANES)).sum::<usize>() + registers as usize
    }

    /// What operands can name.
    fn views(&self, state: &State) -> Vec<View> {
        let mut views = self.task.views();
        for values in &state.temporaries {
            let view = View { values: *values, wide: false, input: None };
            views.extend([view, View { values: turned(*values), ..view }]);
        }
        views
    }

    /// The states behind every instruction that can come next. One that writes an output and has nothing to share
    /// an instruction with comes first, and alone.
    fn next(&self, state: &State, lack: &Lack) -> Vec<State> {
        let views = self.views(state);
        let mut next = Vec::new();
        let mut seen: Vec<(u64, bool)> = Vec::new();
        for at in bits(lack.lanes) {
            let lane = &self.task.lanes[at];
            for made in self.with(lane, &views, lack) {
                let own = made & 1 << lane.value != 0;
                if !own || seen.contains(&(made, false)) {
                    continue;
                }
                seen.push((made, false));
                if !lane.is_each && lane.is_sent {
                    return self.sent(state, made);
                }
                next.extend(self.sent(state, made));
                self.kept(state, made, lack, &mut next);
            }
        }
        let either = lack.wanted | turned(lack.wanted);
        for view in &views {
            let made = view.values & either;
            if made != 0 && !seen.contains(&(made, true)) {
                seen.push((made, true));
                next.extend(self.sent(state, made));
                self.kept(state, made, lack, &mut next);
            }
        }
        next
    }

    /// What one instruction can compute together with a lane: values, a set for each choice of registers.
    fn with(&self, lane: &Lane, views: &[View], lack: &Lack) -> Vec<u64> {
        let mut all = Vec::new();
        // What reads nothing reads it of any register.
        let most = |arg: u64| if arg == 0 { 1 } else { usize::MAX };
        let fits = |arg: u64| views.iter().filter(move |view| arg & !view.values == 0).take(most(arg));
        let orders: &[[usize; 2]] = if lane.commutes { &[[0, 1], [1, 0]] } else { &[[0, 1]] };
        for order in orders {
            let args = [lane.args[order[0]], lane.args[order[1]], lane.args[2]];
            for a in fits(args[0]) {
                for b in fits(args[1]) {
                    for c in fits(args[2]) {
                        let named = [(args[0], a), (args[1], b), (args[2], c)];
                        if may_name(&named) {
                            let made = self.made(lane, [a, b, c], lack);
                            if !all.contains(&made) {
                                all.push(made);
                            }
                        }
                    }
                }
            }
        }
        all
    }

    /// The values of all lanes that the same instruction computes from the same registers.
    fn made(&self, first: &Lane, views: [&View; 3], lack: &Lack) -> u64 {
        if !first.is_each {
            return 1 << first.value;
        }
        let mut made = 0;
        for lane in bits(lack.lanes).map(|lane| &self.task.lanes[lane]).filter(|lane| lane.op == first.op) {
            let fits = |order: [usize; 3]| {
                order.iter().zip(views).all(|(k, view)| lane.args[*k] & !view.values == 0)
            };
            if fits([0, 1, 2]) || lane.commutes && fits([1, 0, 2]) {
                made |= 1 << lane.value;
            }
        }
        made
    }

    /// States behind instructions that write values to outputs: as many of one register as there are.
    fn sent(&self, state: &State, made: u64) -> Vec<State> {
        let mut next = Vec::new();
        for register in 0..16 {
            let is_sent = |i: &usize| {
                let output = &self.task.outputs[*i];
                output.register == register && made >> output.value & 1 == 1
            };
            let sent = bits(state.open).filter(is_sent).fold(0u64, |all, i| all | 1 << i);
            if sent != 0 {
                next.push(State { open: state.open & !sent, ..state.clone() });
            }
        }
        next
    }

    /// States behind instructions that write values to a temporary, a new one or one that keeps what there is room for.
    fn kept(&self, state: &State, made: u64, lack: &Lack, next: &mut Vec<State>) {
        let either = lack.wanted | turned(lack.wanted);
        for at in 0..=state.temporaries.len() {
            let held = state.temporaries.get(at).map_or(0, |values| values & either);
            if held | made == held {
                continue;
            }
            for values in fours(held | made).into_iter().filter(|values| values & made & !held != 0) {
                let mut temporaries = state.temporaries.clone();
                match temporaries.get_mut(at) {
                    Some(temporary) => *temporary = values,
                    None => temporaries.push(values),
                }
                next.push(State { temporaries, open: state.open });
            }
        }
    }
}

/// Whether one instruction may name what its operands do.
fn may_name(named: &[(u64, &View); 3]) -> bool {
    let used = || named.iter().filter(|(arg, _)| *arg != 0).map(|(_, view)| view);
    let mut inputs = used().filter_map(|view| view.input);
    let first = inputs.next();
    used().filter(|view| view.wide).count() <= 1 && inputs.all(|input| Some(input) == first)
}

/// Values with the other sign.
fn turned(values: u64) -> u64 {
    const PLAIN: u64 = 0x5555_5555_5555_5555;
    (values & PLAIN) << 1 | values >> 1 & PLAIN
}

/// The numbers of the bits that are set.
fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = set.trailing_zeros() as usize;
        let is_there = set != 0;
        set &= set.wrapping_sub(1);
        is_there.then_some(at)
    })
}

/// All choices of four values; of four or fewer there is one.
fn fours(values: u64) -> Vec<u64> {
    if values.count_ones() as usize <= LANES {
        return vec![values];
    }
    let mut chosen = vec![0u64];
    for _ in 0..LANES {
        let with = |set: u64| bits(values).filter(move |bit| set >> *bit == 0).map(move |bit| set | 1 << bit);
        chosen = chosen.into_iter().flat_map(with).collect();
    }
    chosen
}
