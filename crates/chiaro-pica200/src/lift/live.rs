//! What of a program's variables pieces of it read and write: what goes into a procedure, and what comes
//! back.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not};

use chiaro_sim::{Op as U, Slot, Uop};

use super::graph::{Action, Condition, END, Graph, Next};
use super::procedures::Procedure;
use super::tree::ordered;
use crate::machine::Program;
use crate::machine::flow::{Mark, Test};
use crate::machine::program::Line;
use crate::machine::registers::Register;

/// Something that keeps its value from word to word, by number: components of v, r and o, the flags, a0, aL, and of each loop
/// its rounds and aL as it was before.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Set([u64; 4]);

/// v, r and o.
pub(super) const REGISTERS: usize = 48;
const FLAGS: usize = 4 * REGISTERS;
const OFFSETS: usize = FLAGS + 2;
const COUNTER: usize = OFFSETS + 2;
const LOOPS: usize = Mark::COUNT as usize;
const ROUNDS: usize = COUNTER + 1;
const KEPT: usize = ROUNDS + LOOPS;

/// A variable as a whole; registers are v0 to v15, r0 to r15, o0 to o15.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Variable {
    /// Four floats.
    Register(usize),
    /// Of CMP.
    Flag(usize),
    /// Of a0.
    Offset(usize),
    /// aL.
    Counter,
    /// By loop: its rounds.
    Rounds(usize),
    /// By loop: aL as it was before.
    Kept(usize),
}

impl Variable {
    /// All of them, in order.
    pub(super) fn all() -> impl Iterator<Item = Variable> {
        let registers = (0..REGISTERS).map(Variable::Register);
        let flags = (0..2).map(Variable::Flag).chain((0..2).map(Variable::Offset));
        let loops = (0..LOOPS).map(Variable::Rounds).chain((0..LOOPS).map(Variable::Kept));
        registers.chain(flags).chain([Variable::Counter]).chain(loops)
    }

    /// The variable of which a number is, or is a component.
    fn of(number: usize) -> Variable {
        match number {
            KEPT.. => Variable::Kept(number - KEPT),
            ROUNDS.. => Variable::Rounds(number - ROUNDS),
            COUNTER => Variable::Counter,
            OFFSETS.. => Variable::Offset(number - OFFSETS),
            FLAGS.. => Variable::Flag(number - FLAGS),
            _ => Variable::Register(number / 4),
        }
    }

    /// One more than the highest [`Variable::place`].
    pub(super) const COUNT: usize = REGISTERS + 5 + 2 * LOOPS;

    /// Its place among all of them.
    pub(super) fn place(self) -> usize {
        match self {
            Variable::Register(at) => at,
            Variable::Flag(at) => REGISTERS + at,
            Variable::Offset(at) => REGISTERS + 2 + at,
            Variable::Counter => REGISTERS + 4,
            Variable::Rounds(at) => REGISTERS + 5 + at,
            Variable::Kept(at) => REGISTERS + 5 + LOOPS + at,
        }
    }

    /// What of it is in a set, a bit for each component.
    pub(super) fn within(self, set: Set) -> u8 {
        let (first, count) = match self {
            Variable::Register(at) => (4 * at, 4),
            Variable::Flag(at) => (FLAGS + at, 1),
            Variable::Offset(at) => (OFFSETS + at, 1),
            Variable::Counter => (COUNTER, 1),
            Variable::Rounds(at) => (ROUNDS + at, 1),
            Variable::Kept(at) => (KEPT + at, 1),
        };
        // A register's four stand in one word.
        (set.0[first / 64] >> (first % 64)) as u8 & ((1 << count) - 1)
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Variable::Register(at) => write!(f, "{}", register(*at)),
            Variable::Flag(at) => write!(f, "cmp_{}", ["x", "y"][*at]),
            Variable::Offset(at) => write!(f, "a0_{}", ["x", "y"][*at]),
            Variable::Counter => f.write_str("aL"),
            Variable::Rounds(at) => write!(f, "rounds_{at}"),
            Variable::Kept(at) => write!(f, "aL_{at}"),
        }
    }
}

/// The register of a [`Variable::Register`].
pub(super) fn register(at: usize) -> Register {
    let n = (at % 16) as u8;
    [Register::Input(n), Register::Temporary(n), Register::Output(n)][at / 16]
}

/// The number of a register among all.
pub(super) fn index(register: Register) -> usize {
    match register {
        Register::Input(n) => usize::from(n),
        Register::Temporary(n) => 16 + usize::from(n),
        Register::Output(n) => 32 + usize::from(n),
    }
}

impl Set {
    pub(super) const ALL: Set = Set([u64::MAX; 4]);

    const fn one(at: usize) -> Set {
        let mut words = [0; 4];
        words[at / 64] = 1 << (at % 64);
        Set(words)
    }

    /// Variables of which something is in it, in order.
    pub(super) fn variables(self) -> impl Iterator<Item = Variable> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let word = left.iter().position(|&bits| bits != 0)?;
            let at = 64 * word + left[word].trailing_zeros() as usize;
            // The four of a register stand in one word, one behind the other.
            let own = if at < FLAGS { 0xf << (at % 64 & !3) } else { 1 << (at % 64) };
            left[word] &= !own;
            (at < KEPT + LOOPS).then(|| Variable::of(at))
        })
    }
}

impl BitOr for Set {
    type Output = Set;

    fn bitor(self, other: Set) -> Set {
        Set(std::array::from_fn(|n| self.0[n] | other.0[n]))
    }
}

impl BitAnd for Set {
    type Output = Set;

    fn bitand(self, other: Set) -> Set {
        Set(std::array::from_fn(|n| self.0[n] & other.0[n]))
    }
}

impl Not for Set {
    type Output = Set;

    fn not(self) -> Set {
        Set(self.0.map(|bits| !bits))
    }
}

/// What a piece does to variables.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Effect {
    /// Read before they are written.
    reads: Set,
    /// Written, perhaps.
    writes: Set,
    /// Written on every way.
    kills: Set,
}

impl Effect {
    fn then(&mut self, next: Effect) {
        self.reads = self.reads | next.reads & !self.kills;
        self.writes = self.writes | next.writes;
        self.kills = self.kills | next.kills;
    }
}

/// What crosses the border of a procedure.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Border {
    /// What goes in.
    pub(super) params: Set,
    /// What comes back: components that are written, and read behind some call.
    pub(super) results: Set,
    /// All that is read or written.
    pub(super) touched: Set,
}

/// What of variables is read where: of all graphs of a program.
pub(super) struct Live {
    /// By procedure.
    pub(super) borders: Vec<Border>,
    pub(super) main: Needs,
    pub(super) procedures: Vec<Needs>,
}

/// Of a graph, by node.
#[derive(Clone, Default)]
pub(super) struct Needs {
    /// What is read from its start on before it is written.
    pub(super) start: Vec<Set>,
    /// What is read behind it, or by itself behind its words.
    pub(super) behind: Vec<Set>,
    /// What it writes.
    pub(super) writes: Vec<Set>,
}

impl Live {
    /// Of a program and its procedures, which stand behind those that they call. In a straight program values
    /// find out themselves.
    pub(super) fn of_branches(program: &Program, main: &Graph, procedures: &[Procedure]) -> Option<Live> {
        (!procedures.is_empty() || !main.is_straight()).then(|| Live::of(program, main, procedures))
    }

    fn of(program: &Program, main: &Graph, procedures: &[Procedure]) -> Live {
        let lines = program.lines.iter().map(|line| of_line(program, line)).collect();
        let mut known = Known { lines, procedures: Vec::new() };
        for procedure in procedures {
            let whole = Pieces::of(&procedure.graph, &known).whole();
            known.procedures.push(whole);
        }
        let mut live = Live {
            borders: vec![Border::default(); procedures.len()],
            main: Needs::default(),
            procedures: Vec::new(),
        };
        live.main = Pieces::of(main, &known).needs(outputs(), &mut live.borders);
        for at in (0..procedures.len()).rev() {
            let pieces = Pieces::of(&procedures[at].graph, &known);
            let at_end = live.borders[at].results;
            let needs = pieces.needs(at_end, &mut live.borders);
            let Effect { reads, writes, .. } = known.procedures[at];
            let params = pieces.at_start(&needs.behind);
            live.borders[at].params = params;
            live.borders[at].touched = reads | writes | params;
            live.procedures.push(needs);
        }
        live.procedures.reverse();
        live
    }
}

/// What pieces of graphs do.
struct Known {
    /// By line.
    lines: Vec<Effect>,
    /// By procedure.
    procedures: Vec<Effect>,
}

/// A graph with what its nodes do.
struct Pieces<'a> {
    graph: &'a Graph,
    /// By node, and by procedure.
    nodes: Vec<Effect>,
    procedures: &'a [Effect],
}

impl<'a> Pieces<'a> {
    fn of(graph: &'a Graph, known: &'a Known) -> Pieces<'a> {
        let nodes = graph.nodes.iter().map(|node| {
            let mut effect = Effect::default();
            node.actions.iter().for_each(|action| add(&mut effect, action, known));
            effect.then(Effect { reads: asked(node.next), ..Effect::default() });
            effect
        });
        Pieces { graph, nodes: nodes.collect(), procedures: &known.procedures }
    }

    /// What it does from its beginning to its end. What is not needed at the beginning, however much is at
    /// the end, is written on every way.
    fn whole(&self) -> Effect {
        let writes = self.nodes.iter().fold(Set::default(), |set, node| set | node.writes);
        Effect { reads: self.live(Set::default())[0], writes, kills: !self.live(Set::ALL)[0] }
    }

    /// By node: what is read from there on before it is written; `at_end` is read behind the end.
    fn live(&self, at_end: Set) -> Vec<Set> {
        let mut live = vec![Set::default(); self.nodes.len().max(END + 1)];
        live[END] = at_end;
        // What became part of its caller is empty.
        let order = if self.nodes.is_empty() { Vec::new() } else { ordered(self.graph) };
        let mut has_changed = true;
        while std::mem::take(&mut has_changed) {
            for &node in order.iter().rev().filter(|&&node| node != END) {
                let Effect { reads, kills, .. } = self.nodes[node];
                let new = reads | self.behind(node, &live) & !kills;
                has_changed |= std::mem::replace(&mut live[node], new) != new;
            }
        }
        live
    }

    fn behind(&self, node: usize, live: &[Set]) -> Set {
        self.graph.after(node).fold(Set::default(), |set, next| set | live[next])
    }

    /// Notes what comes back from calls, too.
    fn needs(&self, at_end: Set, borders: &mut [Border]) -> Needs {
        let live = self.live(at_end);
        let mut all = Vec::with_capacity(self.nodes.len());
        for (at, node) in self.graph.nodes.iter().enumerate() {
            let behind = if at == END { at_end } else { self.behind(at, &live) };
            if let [Action::Call { procedure: n, .. }] = node.actions[..] {
                let results = &mut borders[n].results;
                *results = *results | behind & self.procedures[n].writes;
            }
            all.push(
                node.actions.iter().fold(behind | asked(node.next), |set, action| set | read_by(action)),
            );
        }
        Needs { start: live, behind: all, writes: self.nodes.iter().map(|node| node.writes).collect() }
    }

    /// What is read from the beginning on.
    fn at_start(&self, behind: &[Set]) -> Set {
        behind.first().map_or(Set::default(), |&behind| self.nodes[0].reads | behind & !self.nodes[0].kills)
    }
}

/// What an action does comes behind what was done so far.
fn add(effect: &mut Effect, action: &Action, known: &Known) {
    let changed = |reads: Set, writes: Set| Effect { reads, writes, kills: writes };
    effect.then(match action {
        Action::Lines(lines) => {
            return known.lines[lines.clone()].iter().for_each(|line| effect.then(*line));
        }
        Action::Enter(mark) => changed(COUNTED, COUNTED | rounds(*mark) | kept(*mark)),
        Action::Again(mark) => changed(COUNTED | rounds(*mark), again(*mark)),
        Action::Leave { is_inner: false, .. } => changed(COUNTED, COUNTED),
        Action::Leave { mark, is_inner: true } => changed(kept(*mark), COUNTED),
        Action::Call { procedure, .. } => known.procedures[*procedure],
        Action::Emit => Effect { reads: outputs(), writes: outputs(), kills: Set::default() },
        Action::SetEmit { .. } => return,
    });
}

/// aL.
const COUNTED: Set = Set::one(COUNTER);

fn rounds(mark: Mark) -> Set {
    Set::one(ROUNDS + usize::from(mark.place))
}

fn kept(mark: Mark) -> Set {
    Set::one(KEPT + usize::from(mark.place))
}

/// What another round of a loop counts.
pub(super) fn again(mark: Mark) -> Set {
    COUNTED | rounds(mark)
}

/// What an action that is no line reads.
fn read_by(action: &Action) -> Set {
    match action {
        Action::Enter(_) | Action::Again(_) | Action::Leave { is_inner: false, .. } => COUNTED,
        Action::Emit => outputs(),
        _ => Set::default(),
    }
}

fn of_line(program: &Program, line: &Line) -> Effect {
    let mut effect = Effect::default();
    line.uops.clone().for_each(|at| effect.then(of_uop(program, &program.code.uops[at])));
    effect
}

fn of_uop(program: &Program, uop: &Uop) -> Effect {
    let count = usize::from(uop.count);
    let (read, written) = match uop.op {
        U::Row => (1, 4),
        U::Dot => (count, 1),
        _ => (count, count),
    };
    let set = |slots: &[Slot]| {
        let numbers = slots.iter().filter_map(|&slot| number(program, slot));
        numbers.fold(Set::default(), |set, at| set | Set::one(at))
    };
    let operands = (0..uop.op.shape().operands.len()).map(|k| set(&uop.operand(k)[..read]));
    let writes = set(&uop.d[..written]);
    Effect { reads: operands.fold(Set::default(), |all, one| all | one), writes, kills: writes }
}

/// What the end of a node looks at.
fn asked(next: Next) -> Set {
    let Next::Either(condition, _) = next else { return Set::default() };
    let flags = [0, 1].map(|n| Set::one(FLAGS + n));
    match condition {
        Condition::Test(Test::Flags(bits)) => match bits & 3 {
            2 => flags[0],
            3 => flags[1],
            _ => flags[0] | flags[1],
        },
        // The way back to it goes on with aL.
        Condition::More(mark) => again(mark),
        Condition::Rounds(mark) => rounds(mark),
        Condition::Test(_) => Set::default(),
    }
}

/// The variable, and the component of it, that a slot holds between straight runs.
pub(super) fn home(program: &Program, slot: Slot) -> Option<(Variable, u8)> {
    let at = number(program, slot)?;
    Some(match at {
        COUNTER => (Variable::Counter, 0),
        OFFSETS.. => (Variable::Offset(at - OFFSETS), 0),
        FLAGS.. => (Variable::Flag(at - FLAGS), 0),
        _ => (Variable::Register(at / 4), (at % 4) as u8),
    })
}

/// The number of what a slot holds between straight runs; most hold nothing then.
fn number(program: &Program, slot: Slot) -> Option<usize> {
    let regs = &program.regs;
    for (at, first) in (0..).zip(regs.files()) {
        let within = usize::from(slot.0.wrapping_sub(first.0));
        if within < 64 {
            return Some(64 * at + within);
        }
    }
    let place = |list: &[Slot]| list.iter().position(|known| *known == slot);
    // The third offset is that of aL.
    place(&regs.cmp).map(|at| FLAGS + at).or_else(|| Some(OFFSETS + place(&regs.offset)?))
}

/// Components of o0 to o15: a word of their own.
pub(super) const fn outputs() -> Set {
    const { assert!(FLAGS == 192, "o0 to o15 are the last of the registers") };
    Set([0, 0, u64::MAX, 0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_has_a_place_of_its_own() {
        let places: Vec<usize> = Variable::all().map(Variable::place).collect();
        assert_eq!(places, (0..Variable::COUNT).collect::<Vec<_>>());
    }

    #[test]
    fn numbers_are_those_of_their_variables() {
        for number in 0..KEPT + LOOPS {
            let found = Variable::all().filter(|variable| variable.within(Set::one(number)) != 0);
            assert_eq!(found.collect::<Vec<_>>(), [Variable::of(number)], "{number}");
        }
        let second = Variable::Register(1).within(Set::one(4 + 2));
        assert_eq!((second, Variable::Register(1).within(Set::ALL)), (0b100, 0b1111));
    }
}
