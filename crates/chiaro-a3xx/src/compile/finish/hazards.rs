//! Nops and flags, only where they are needed. spec sections 13 to 15.
//!
//! A walk over the lines keeps, for every register, how long ago an ALU wrote it and what is
//! still under way. At a line that several come to, the worst of them counts; the walk is made
//! again until nothing changes there.

use chiaro_mach::Operand;

use super::line::Line;
use crate::compile::code::{ADDRESS, FULL, HALF, PREDICATE, PREDICATES, is_local};
use crate::compile::schedule::slots_before;
use crate::isa::{Op, category};
use crate::regs::ALU_TO_OTHER;

/// Places before those of registers: a0.x and p0.
const SPECIAL: usize = 1 + PREDICATES as usize;
/// Slots after which nobody waits any more.
const OLD: u32 = 7;

/// What is under way at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Under {
    /// When an ALU wrote it.
    written: u32,
    /// A result that `(ss)` waits for, one that `(sy)` waits for.
    ss: bool,
    sy: bool,
    /// It is read until `(ss)`; until `(ss)` or `(sy)`.
    read: bool,
    read_sy: bool,
}

impl Under {
    /// Whether a flag would change anything.
    fn is_waited_for(self) -> bool {
        self.ss | self.sy | self.read | self.read_sy
    }
}

const NOTHING: Under = Under { written: 0, ss: false, sy: false, read: false, read_sy: false };

#[derive(Clone)]
struct State {
    /// Slots that have passed: places know when they were written, so that nobody has to make them older.
    clock: u32,
    /// As many as the lines name.
    places: Vec<Under>,
    /// Those of them for which a flag does something: of many places few.
    waited: Vec<usize>,
    /// A barrier was the last: both flags follow it (spec section 12).
    fenced: bool,
}

impl State {
    fn new(lines: &[Line<'_>]) -> State {
        let operands = lines.iter().flat_map(|line| line.defs.iter().chain(&*line.uses));
        let count = operands.flat_map(places).max().map_or(0, |last| last + 1);
        State { clock: OLD, places: vec![NOTHING; count], waited: Vec::new(), fenced: false }
    }

    /// Slots since an ALU wrote a place.
    fn age(&self, under: Under) -> u32 {
        (self.clock - under.written).min(OLD)
    }

    fn merge(&mut self, other: &State) -> bool {
        let mut changed = other.fenced && !self.fenced;
        self.fenced |= other.fenced;
        for n in 0..self.places.len() {
            let (mine, theirs) = (self.places[n], other.places[n]);
            let age = other.age(theirs);
            let worst = Under {
                written: if age < self.age(mine) { self.clock - age } else { mine.written },
                ss: mine.ss | theirs.ss,
                sy: mine.sy | theirs.sy,
                read: mine.read | theirs.read,
                read_sy: mine.read_sy | theirs.read_sy,
            };
            changed |= mine != worst;
            if worst.is_waited_for() && !mine.is_waited_for() {
                self.waited.push(n);
            }
            self.places[n] = worst;
        }
        changed
    }

    /// Something is under way at a place.
    fn begin(&mut self, place: usize, change: impl FnOnce(&mut Under)) {
        let under = &mut self.places[place];
        if !under.is_waited_for() {
            self.waited.push(place);
        }
        change(under);
    }

    fn pass(&mut self, slots: u8) {
        self.clock += u32::from(slots);
    }

    fn flags(&mut self, ss: bool, sy: bool) {
        if !ss && !sy {
            return;
        }
        let places = &mut self.places;
        self.waited.retain(|&place| {
            let under = &mut places[place];
            if ss {
                (under.ss, under.read, under.read_sy) = (false, false, false);
            }
            if sy {
                (under.sy, under.read_sy) = (false, false);
            }
            under.is_waited_for()
        });
    }
}

/// The places of an operand: both files of registers alternate.
fn places(operand: &Operand) -> impl Iterator<Item = usize> + use<> {
    let (base, step) = match operand.file {
        FULL => (SPECIAL, 2),
        HALF => (SPECIAL + 1, 2),
        ADDRESS => (0, 1),
        _ => (1, 1),
    };
    let size = usize::from(operand.size);
    let first = operand.reg.filter(|_| operand.in_file()).map(usize::from);
    let units = first.map_or(0..0, |first| first..first + size);
    units.map(move |unit| base + step * unit)
}

/// What a line has to wait for.
#[derive(Clone, Copy, Default, Debug)]
struct Need {
    slots: u8,
    ss: bool,
    sy: bool,
    /// Both flags, on whatever comes first.
    fenced: bool,
}

/// Places that a line writes: of a texture operation's, those of its mask.
fn written(line: &Line<'_>) -> impl Iterator<Item = usize> {
    let mask = if category(line.op) == 5 { line.modifiers.texture.mask.into() } else { u64::MAX };
    let all = line.defs.iter().flat_map(places).enumerate();
    all.filter(move |(n, _)| mask >> n & 1 != 0).map(|(_, place)| place)
}

fn need(state: &State, line: &Line<'_>) -> Need {
    let mut need = Need { slots: 0, ss: state.fenced, sy: state.fenced, fenced: state.fenced };
    for (number, used) in line.uses.iter().enumerate() {
        let slots = match used.file {
            PREDICATE | ADDRESS => ALU_TO_OTHER,
            // Outputs may be written right before the end.
            _ if line.op == Op::End => 0,
            _ => slots_before(Some(line.op), number),
        };
        for place in places(used) {
            let under = state.places[place];
            need.slots = need.slots.max(u32::from(slots).saturating_sub(state.age(under)) as u8);
            need.ss |= under.ss;
            need.sy |= under.sy;
        }
    }
    for place in written(line) {
        let under = state.places[place];
        need.ss |= under.ss || under.read;
        need.sy |= under.sy;
        // Either flag frees what a texture operation reads; one that is set anyway will do.
        need.ss |= under.read_sy && !under.sy && !need.sy;
    }
    need
}

/// Carries out a line in a state where nothing is in its way.
fn step(state: &mut State, line: &Line<'_>) {
    let kind = category(line.op);
    let is_counted = match line.op {
        Op::Br | Op::Jump => false,
        _ => matches!(kind, 0..=3 | 7),
    };
    if (4..=6).contains(&kind) {
        for place in line.uses.iter().flat_map(places) {
            // Sources of stores are free behind (ss) alone.
            let is_free_early = kind == 4 || line.defs.is_empty() || is_local(line.op);
            state.begin(place, |under| if is_free_early { under.read = true } else { under.read_sy = true });
        }
    }
    state.fenced = kind == 7;
    if is_counted {
        state.pass(1 + line.modifiers.repeat);
    }
    for place in written(line) {
        match kind {
            4 => state.begin(place, |under| (under.written, under.ss) = (0, true)),
            6 if is_local(line.op) => state.begin(place, |under| (under.written, under.ss) = (0, true)),
            5 | 6 => state.begin(place, |under| (under.written, under.sy) = (0, true)),
            _ => state.places[place].written = state.clock,
        }
    }
}

/// A nop of so many slots, with its flags.
#[derive(Clone, Copy)]
struct Pad {
    slots: u8,
    ss: bool,
    sy: bool,
}

impl Pad {
    fn line(self) -> Line<'static> {
        let mut line = Line { ss: self.ss, sy: self.sy, ..Line::new(Op::Nop, &[][..], &[][..]) };
        line.modifiers.repeat = self.slots - 1;
        line
    }
}

/// What stands before a line: a nop for slots and for flags that the line has no bit for; and the
/// flags of the line itself.
fn before(need: Need, line: &Line<'_>) -> (Option<Pad>, bool, bool) {
    let has_ss = !matches!(category(line.op), 5 | 6);
    // The flag that has to stand on a nop waits there.
    let on_pad = need.ss && !has_ss;
    let pad = Pad { slots: need.slots.max(1), ss: need.fenced || on_pad, sy: need.fenced };
    let pad = (need.slots > 0 || on_pad).then_some(pad);
    let is_held = pad.is_some() && need.fenced;
    (pad, need.ss && has_ss && !is_held, need.sy && !is_held)
}

/// Inserts nops and sets flags.
pub(super) fn settle(lines: &mut Vec<Line<'_>>) {
    let needs = needs(lines);
    insert(lines, &needs);
}

/// How many instructions lines are with their nops, repetitions counted: without a list of them.
pub(super) fn slots(lines: &[Line<'_>]) -> u32 {
    let with_pad = |(line, need): (&Line<'_>, Need)| {
        let pad = before(need, line).0.map_or(0, |pad| u32::from(pad.slots));
        pad + 1 + u32::from(line.modifiers.repeat)
    };
    lines.iter().zip(needs(lines)).map(with_pad).sum()
}

/// What each line has to wait for.
fn needs(lines: &[Line<'_>]) -> Vec<Need> {
    let mut heads: Vec<Option<State>> = vec![None; lines.len() + 1];
    let is_head = heads_of(lines);
    let mut needs: Vec<Need> = vec![Need::default(); lines.len()];
    let start = State::new(lines);
    loop {
        let mut changed = false;
        let mut state = Some(start.clone());
        for (at, line) in lines.iter().enumerate() {
            if is_head[at] {
                if let Some(coming) = &state {
                    changed |= arrive(&mut heads[at], coming);
                }
                state = heads[at].clone();
            }
            let Some(now) = &mut state else { continue };
            needs[at] = need(now, line);
            let (pad, ss, sy) = before(needs[at], line);
            if let Some(pad) = pad {
                now.flags(pad.ss, pad.sy);
                now.pass(pad.slots);
            }
            now.flags(ss, sy);
            step(now, line);
            if let Some(to) = line.target {
                let coming = now.clone();
                changed |= arrive(&mut heads[to], &coming);
            }
            if matches!(line.op, Op::Jump | Op::End) {
                state = None;
            }
        }
        if !changed {
            return needs;
        }
    }
}

fn heads_of(lines: &[Line<'_>]) -> Vec<bool> {
    let mut is_head = vec![false; lines.len() + 1];
    for line in lines {
        line.target.into_iter().for_each(|to| is_head[to] = true);
    }
    is_head
}

fn arrive(head: &mut Option<State>, coming: &State) -> bool {
    match head {
        Some(head) => head.merge(coming),
        None => {
            *head = Some(coming.clone());
            true
        }
    }
}

/// Writes the list anew; who comes to a line comes to what stands before it.
fn insert(lines: &mut Vec<Line<'_>>, needs: &[Need]) {
    let room = Vec::with_capacity(lines.len() + lines.len() / 4);
    let old = std::mem::replace(lines, room);
    let mut starts = Vec::with_capacity(old.len() + 1);
    for (line, &need) in old.into_iter().zip(needs) {
        starts.push(lines.len());
        let (pad, ss, sy) = before(need, &line);
        let mut line = Line { ss, sy, ..line };
        if let Some(pad) = pad {
            let (jp, span) = (std::mem::take(&mut line.jp), line.span);
            lines.push(Line { jp, span, ..pad.line() });
        }
        lines.push(line);
    }
    starts.push(lines.len());
    for line in lines.iter_mut() {
        line.target = line.target.map(|to| starts[to]);
    }
}
