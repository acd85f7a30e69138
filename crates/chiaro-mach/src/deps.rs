//! The dependence graph of a block, with the latency of each edge.
//!
//! Phis stand first; exits, and changes of which lanes run right before them, stand last.
//! Neither is part of the graph. Before allocation an
//! instruction depends on the definitions of what it reads, and bare registers keep their
//! order; after allocation all registers do. What writes lanes reads which lanes run.

use chiaro_isa::{Hazard, Wait};
use rustc_hash::FxHashMap;

use crate::code::{Block, Code, Inst};
use crate::file::RegFile;
use crate::op::{Effects, Op};
use crate::operand::Operand;
use crate::timing::Timing;

/// One instruction has to follow another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The later one: its number in [`Deps::insts`].
    pub to: u32,
    /// How it waits; `None`: only the order counts.
    pub wait: Option<Wait>,
}

/// The dependences of one block.
#[derive(Clone, Debug, Default)]
pub struct Deps {
    /// The instructions that can be moved, in their present order.
    pub insts: Vec<Inst>,
    /// How many instructions stand before them in the block.
    pub first: usize,
    /// How many instructions each has to follow.
    pub waits: Vec<u32>,
    /// Slots that the block's exit wants to lie between each instruction and itself.
    pub behind: Vec<u16>,
    /// The first edge of each instruction; one entry more for the end.
    starts: Vec<u32>,
    edges: Vec<Edge>,
}

impl Deps {
    /// What has to follow instruction number `n`.
    pub fn edges(&self, n: usize) -> &[Edge] {
        &self.edges[self.starts[n] as usize..self.starts[n + 1] as usize]
    }

    /// For each instruction, slots from its issue to the end of the block at best.
    pub fn heights(&self, slots: impl Fn(Inst) -> u16) -> Vec<u32> {
        let mut heights = vec![0; self.insts.len()];
        for n in (0..self.insts.len()).rev() {
            let own = u32::from(slots(self.insts[n]));
            let after = |edge: &Edge| {
                let wait = edge.wait.map_or(0, |wait| own + u32::from(wait.estimate()));
                heights[edge.to as usize] + wait
            };
            let last = own + u32::from(self.behind[n]);
            heights[n] = self.edges(n).iter().map(after).max().unwrap_or(0).max(last);
        }
        heights
    }
}

/// Finds the dependences of a block. Without a timing every wait is for the order alone.
pub fn deps(code: &Code, files: &[RegFile], block: Block, timing: Option<&dyn Timing>) -> Deps {
    let all = code.insts(block);
    let is_head = |&&inst: &&Inst| matches!(code.op(inst), Op::Phi | Op::Start);
    let first = all.iter().take_while(is_head).count();
    let tail = all[first..].iter().rev().take_while(|&&inst| code.inst(inst).effects.is_tail()).count();
    let insts = all[first..all.len() - tail].to_vec();
    let mut build = Build {
        code,
        files,
        timing,
        insts: &insts,
        found: Vec::new(),
        places: FxHashMap::default(),
        spaces: Default::default(),
    };
    for n in 0..insts.len() as u32 {
        build.operands(n);
        build.effects(n);
    }
    let behind = build.behind(&all[all.len() - tail..]);
    Deps { behind, ..finish(build.found, insts, first) }
}

/// Sorts the edges by where they start; of several between the same two the longest counts.
fn finish(found: Vec<(u32, Edge)>, insts: Vec<Inst>, first: usize) -> Deps {
    let wait = |edge: &Edge| edge.wait.map(Wait::estimate);
    let (mut waits, mut starts) = (vec![0; insts.len()], vec![0; insts.len() + 1]);
    let mut edges: Vec<Edge> = Vec::with_capacity(found.len());
    let mut place = 0;
    for (from, edge) in by_start(found, insts.len()) {
        while place < from as usize {
            place += 1;
            starts[place] = edges.len() as u32;
        }
        match edges[starts[place] as usize..].last_mut().filter(|last| last.to == edge.to) {
            Some(last) if wait(&edge) > wait(last) => *last = edge,
            Some(_) => {}
            None => {
                waits[edge.to as usize] += 1;
                edges.push(edge);
            }
        }
    }
    starts[place + 1..].fill(edges.len() as u32);
    Deps { insts, first, waits, behind: Vec::new(), starts, edges }
}

/// Edges in the order of where they start; those of one keep theirs, which is that of where they lead to.
fn by_start(found: Vec<(u32, Edge)>, count: usize) -> Vec<(u32, Edge)> {
    let mut next = vec![0usize; count + 1];
    found.iter().for_each(|(from, _)| next[*from as usize + 1] += 1);
    (0..count).for_each(|n| next[n + 1] += next[n]);
    let mut sorted = found.clone();
    for entry in found {
        let at = &mut next[entry.0 as usize];
        sorted[*at] = entry;
        *at += 1;
    }
    sorted
}

/// Something that is read and written: a value, a unit of a file, a space of effects.
#[derive(Clone, Debug, Default)]
struct Track {
    writer: Option<u32>,
    readers: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Value(u32),
    Unit(u8, u16),
}

struct Build<'a> {
    code: &'a Code,
    files: &'a [RegFile],
    timing: Option<&'a dyn Timing>,
    insts: &'a [Inst],
    found: Vec<(u32, Edge)>,
    places: FxHashMap<Key, Track>,
    spaces: [Track; 16],
}

/// What an operand touches: its registers if it has any, else its value.
fn keys(operand: &Operand) -> impl Iterator<Item = Key> + use<> {
    let (file, size, reg) = (operand.file.0, operand.size, operand.reg.filter(|_| operand.in_file()));
    let value = operand.value().filter(|_| reg.is_none()).map(|value| Key::Value(value.0));
    let units = reg.into_iter().flat_map(move |reg| reg..reg.saturating_add(size));
    units.map(move |unit| Key::Unit(file, unit)).chain(value)
}

impl Build<'_> {
    fn order(&mut self, from: u32, to: u32, wait: Option<Wait>) {
        if from != to {
            self.found.push((from, Edge { to, wait }));
        }
    }

    /// Keeps two instructions that touch the same register in order, as far apart as the
    /// clock wants.
    fn hazard(&mut self, from: u32, to: u32, hazard: Hazard) {
        let [first, second] = [from, to].map(|n| self.insts[n as usize]);
        let wait = self.timing.and_then(|timing| timing.between(self.code, first, second, hazard));
        self.order(from, to, wait);
    }

    /// What each instruction has to be ahead of the exits that read its results, and of other blocks.
    fn behind(&self, exits: &[Inst]) -> Vec<u16> {
        let early = |&inst: &Inst| self.timing.map_or(0, |timing| timing.behind(self.code, inst));
        let mut behind: Vec<u16> = self.insts.iter().map(early).collect();
        for &exit in exits {
            for (operand, used) in self.code.uses(exit).iter().enumerate() {
                for writer in keys(used).filter_map(|key| self.places.get(&key)?.writer) {
                    let (maker, hazard) = (self.insts[writer as usize], Hazard::Raw { operand });
                    let wait = self.timing.and_then(|timing| timing.between(self.code, maker, exit, hazard));
                    let slots = &mut behind[writer as usize];
                    *slots = wait.map_or(*slots, |wait| wait.estimate().max(*slots));
                }
            }
        }
        behind
    }

    fn operands(&mut self, n: u32) {
        let (code, inst) = (self.code, self.insts[n as usize]);
        for (operand, used) in code.uses(inst).iter().enumerate() {
            for key in keys(used) {
                let track = self.places.entry(key).or_default();
                // A value has one definition: nothing overwrites it.
                if matches!(key, Key::Unit(..)) {
                    track.readers.push(n);
                }
                if let Some(from) = track.writer {
                    self.hazard(from, n, Hazard::Raw { operand });
                }
            }
        }
        for def in code.defs(inst) {
            keys(def).for_each(|key| self.write(key, n));
        }
        for clobber in code.clobbered(inst) {
            for unit in clobber.units.clone() {
                self.write(Key::Unit(clobber.file.0, unit), n);
            }
        }
    }

    fn write(&mut self, key: Key, n: u32) {
        let track = self.places.entry(key).or_default();
        let readers = std::mem::take(&mut track.readers);
        let writer = track.writer.replace(n);
        readers.into_iter().for_each(|from| self.hazard(from, n, Hazard::War));
        writer.into_iter().for_each(|from| self.hazard(from, n, Hazard::Waw));
    }

    fn effects(&mut self, n: u32) {
        let inst = self.insts[n as usize];
        let mut effects = self.code.inst(inst).effects;
        let is_lane = |def: &Operand| {
            def.in_file() && self.files.get(usize::from(def.file.0)).is_some_and(RegFile::is_logical)
        };
        if self.code.defs(inst).iter().any(is_lane) {
            effects = effects.and(Effects::reads(Effects::EXEC));
        }
        for space in 0..16 {
            let (reads, writes) = (effects.reads >> space & 1 != 0, effects.writes >> space & 1 != 0);
            let track = &mut self.spaces[space];
            if writes {
                let readers = std::mem::take(&mut track.readers);
                let writer = track.writer.replace(n);
                readers.into_iter().chain(writer).for_each(|from| self.order(from, n, None));
            } else if reads {
                track.readers.push(n);
                if let Some(from) = track.writer {
                    self.order(from, n, None);
                }
            }
        }
    }
}
