//! The dependence graph of a block, with the latency of each edge.
//!
//! Phis stand first; exits, and changes of which lanes run right before them, stand last.
//! Neither is part of the graph. Before allocation an
//! instruction depends on the definitions of what it reads, and bare registers keep their
//! order; after allocation all registers do. What writes lanes reads which lanes run.

use chiaro_isa::{Hazard, Wait};

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
    /// Number `n` takes so many `slots` itself.
    pub fn heights(&self, slots: impl Fn(usize) -> u16) -> Vec<u32> {
        let mut heights = vec![0; self.insts.len()];
        for n in (0..self.insts.len()).rev() {
            let own = u32::from(slots(n));
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
    Tracks::new(code, files, timing).deps(code, block)
}

/// Who wrote something that is read and written, and who has read it since: a value, a unit of a file, a space
/// of effects.
#[derive(Clone, Copy, Debug, Default)]
struct Track {
    /// An instruction by its number, which counts from block to block.
    writer: u32,
    /// The last entry of the list of readers.
    readers: u32,
}

/// A reader of a unit or space, and the entry of the one before it.
#[derive(Clone, Copy, Debug)]
struct Reader {
    inst: u32,
    next: u32,
}

/// Finds the dependences of blocks, one after the other, in tables that serve all of them: numbers below those
/// with which a block begins are of other blocks.
pub struct Tracks<'a> {
    files: &'a [RegFile],
    timing: Option<&'a dyn Timing>,
    /// By value: its definition.
    values: Vec<u32>,
    /// By file and unit, as far as code names them.
    units: Vec<Vec<Track>>,
    spaces: [Track; 16],
    readers: Vec<Reader>,
    /// What the numbers of the block's instructions and readers begin with.
    first: u32,
    first_reader: u32,
    found: Vec<(u32, Edge)>,
}

impl<'a> Tracks<'a> {
    /// For the blocks of some code. Without a timing every wait is for the order alone.
    pub fn new(code: &Code, files: &'a [RegFile], timing: Option<&'a dyn Timing>) -> Tracks<'a> {
        Tracks {
            files,
            timing,
            values: vec![0; code.value_count()],
            units: vec![Vec::new(); files.len()],
            spaces: [Track::default(); 16],
            readers: vec![Reader { inst: 0, next: 0 }],
            first: 1,
            first_reader: 1,
            found: Vec::new(),
        }
    }

    /// Finds the dependences of a block.
    pub fn deps(&mut self, code: &Code, block: Block) -> Deps {
        let all = code.insts(block);
        let is_head = |&&inst: &&Inst| matches!(code.op(inst), Op::Phi | Op::Start);
        let first = all.iter().take_while(is_head).count();
        let tail = all[first..].iter().rev().take_while(|&&inst| code.inst(inst).effects.is_tail()).count();
        let insts = &all[first..all.len() - tail];
        self.found.clear();
        self.found.reserve(EDGES * insts.len());
        self.readers.reserve(READERS * insts.len());
        let mut build = Build { code, insts, tracks: self };
        for n in 0..insts.len() as u32 {
            build.operands(n);
            build.effects(n);
        }
        let behind = build.behind(&all[all.len() - tail..]);
        self.first += insts.len() as u32;
        self.first_reader = self.readers.len() as u32;
        Deps { behind, ..finish(&self.found, insts, first) }
    }

    fn track(&mut self, key: Key) -> &mut Track {
        match key {
            Key::Space(space) => &mut self.spaces[space],
            Key::Unit(file, unit) => {
                let (file, unit) = (usize::from(file), usize::from(unit));
                if self.units.len() <= file {
                    self.units.resize(file + 1, Vec::new());
                }
                let units = &mut self.units[file];
                if units.len() <= unit {
                    units.resize(unit + 1, Track::default());
                }
                &mut units[unit]
            }
        }
    }

    /// The instruction of this block of that number.
    fn here(&self, number: u32) -> Option<u32> {
        number.checked_sub(self.first)
    }

    /// Notes a reader, and says who wrote what it reads.
    fn reads(&mut self, key: Key, n: u32) -> u32 {
        let entry = self.readers.len() as u32;
        let track = self.track(key);
        let (writer, next) = (track.writer, std::mem::replace(&mut track.readers, entry));
        self.readers.push(Reader { inst: n, next });
        writer
    }

    /// The next reader of a list and what follows it.
    fn reader(&self, entry: u32) -> Option<Reader> {
        (entry >= self.first_reader).then(|| self.readers[entry as usize])
    }
}

/// Edges and readers of an instruction for which there is room at first: those of most.
const EDGES: usize = 4;
const READERS: usize = 2;

/// Something that is written more than once.
#[derive(Clone, Copy)]
enum Key {
    Unit(u8, u16),
    Space(usize),
}

/// Sorts the edges by where they start; of several between the same two the longest counts.
fn finish(found: &[(u32, Edge)], insts: &[Inst], first: usize) -> Deps {
    let wait = |edge: &Edge| edge.wait.map(Wait::estimate);
    let (mut waits, mut starts) = (vec![0; insts.len()], vec![0; insts.len() + 1]);
    let mut edges: Vec<Edge> = Vec::with_capacity(found.len());
    let mut place = 0;
    for number in by_start(found, insts.len()) {
        let (from, edge) = found[number as usize];
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
    Deps { insts: insts.to_vec(), first, waits, behind: Vec::new(), starts, edges }
}

/// The numbers of edges in the order of where they start; those of one keep theirs, which is that of where they
/// lead to.
fn by_start(found: &[(u32, Edge)], count: usize) -> Vec<u32> {
    let mut next = vec![0u32; count + 1];
    found.iter().for_each(|(from, _)| next[*from as usize + 1] += 1);
    (0..count).for_each(|n| next[n + 1] += next[n]);
    let mut sorted = vec![0; found.len()];
    for (number, (from, _)) in (0..).zip(found) {
        let at = &mut next[*from as usize];
        sorted[*at as usize] = number;
        *at += 1;
    }
    sorted
}

struct Build<'a, 't> {
    code: &'a Code,
    insts: &'a [Inst],
    tracks: &'a mut Tracks<'t>,
}

/// The units that an operand touches, if it has registers.
fn units(operand: &Operand) -> impl Iterator<Item = Key> + use<> {
    let (file, size, reg) = (operand.file.0, operand.size, operand.reg.filter(|_| operand.in_file()));
    let range = reg.map_or(0..0, |reg| reg..reg.saturating_add(size));
    range.map(move |unit| Key::Unit(file, unit))
}

/// The value that an operand touches, if that has no registers yet.
fn value(operand: &Operand) -> Option<usize> {
    let value = operand.value().filter(|_| operand.reg.is_none() || !operand.in_file());
    value.map(|value| value.0 as usize)
}

impl Build<'_, '_> {
    fn order(&mut self, from: u32, to: u32, wait: Option<Wait>) {
        if from != to {
            self.tracks.found.push((from, Edge { to, wait }));
        }
    }

    /// Keeps two instructions that touch the same register in order, as far apart as the
    /// clock wants.
    fn hazard(&mut self, from: u32, to: u32, hazard: Hazard) {
        let (first, second) = (self.insts[from as usize], self.insts[to as usize]);
        let wait = self.tracks.timing.and_then(|timing| timing.between(self.code, first, second, hazard));
        self.order(from, to, wait);
    }

    /// What each instruction has to be ahead of the exits that read its results, and of other blocks.
    fn behind(&mut self, exits: &[Inst]) -> Vec<u16> {
        let Some(timing) = self.tracks.timing else { return vec![0; self.insts.len()] };
        let early = |&inst: &Inst| timing.behind(self.code, inst);
        let mut behind: Vec<u16> = self.insts.iter().map(early).collect();
        for &exit in exits {
            for (operand, used) in self.code.uses(exit).iter().enumerate() {
                for writer in self.writers(used) {
                    let (maker, hazard) = (self.insts[writer as usize], Hazard::Raw { operand });
                    let slots = &mut behind[writer as usize];
                    let wait = timing.between(self.code, maker, exit, hazard);
                    *slots = wait.map_or(*slots, |wait| wait.estimate().max(*slots));
                }
            }
        }
        behind
    }

    /// Who wrote what an operand reads.
    fn writers(&mut self, used: &Operand) -> Vec<u32> {
        let numbers = units(used).map(|key| self.tracks.track(key).writer);
        let mut writers: Vec<u32> = numbers.collect();
        writers.extend(value(used).map(|value| self.tracks.values[value]));
        writers.into_iter().filter_map(|number| self.tracks.here(number)).collect()
    }

    fn operands(&mut self, n: u32) {
        let (code, inst) = (self.code, self.insts[n as usize]);
        for (operand, used) in code.uses(inst).iter().enumerate() {
            for key in units(used) {
                let writer = self.tracks.reads(key, n);
                self.read(writer, n, operand);
            }
            // A value has one definition: nothing overwrites it.
            if let Some(value) = value(used) {
                self.read(self.tracks.values[value], n, operand);
            }
        }
        for def in code.defs(inst) {
            units(def).for_each(|key| self.write(key, n));
            if let Some(value) = value(def) {
                let writer = std::mem::replace(&mut self.tracks.values[value], self.tracks.first + n);
                self.overwrite(writer, n);
            }
        }
        for clobber in code.clobbered(inst) {
            for unit in clobber.units.clone() {
                self.write(Key::Unit(clobber.file.0, unit), n);
            }
        }
    }

    fn read(&mut self, writer: u32, n: u32, operand: usize) {
        if let Some(from) = self.tracks.here(writer) {
            self.hazard(from, n, Hazard::Raw { operand });
        }
    }

    fn overwrite(&mut self, writer: u32, n: u32) {
        if let Some(from) = self.tracks.here(writer) {
            self.hazard(from, n, Hazard::Waw);
        }
    }

    fn write(&mut self, key: Key, n: u32) {
        let written = Track { writer: self.tracks.first + n, readers: 0 };
        let Track { writer, mut readers } = std::mem::replace(self.tracks.track(key), written);
        while let Some(reader) = self.tracks.reader(readers) {
            self.hazard(reader.inst, n, Hazard::War);
            readers = reader.next;
        }
        self.overwrite(writer, n);
    }

    fn effects(&mut self, n: u32) {
        let inst = self.insts[n as usize];
        let mut effects = self.code.inst(inst).effects;
        let files = self.tracks.files;
        let is_lane = |def: &Operand| {
            def.in_file() && files.get(usize::from(def.file.0)).is_some_and(RegFile::is_logical)
        };
        if self.code.defs(inst).iter().any(is_lane) {
            effects = effects.and(Effects::reads(Effects::EXEC));
        }
        let mut touched = effects.reads | effects.writes;
        while touched != 0 {
            let space = touched.trailing_zeros() as usize;
            touched &= touched - 1;
            self.space(space, n, effects.writes >> space & 1 != 0);
        }
    }

    /// Keeps what touches a space of effects in order.
    fn space(&mut self, space: usize, n: u32, writes: bool) {
        let Track { writer, mut readers } = self.tracks.spaces[space];
        if writes {
            self.tracks.spaces[space] = Track { writer: self.tracks.first + n, readers: 0 };
            while let Some(reader) = self.tracks.reader(readers) {
                self.order(reader.inst, n, None);
                readers = reader.next;
            }
        } else {
            self.tracks.reads(Key::Space(space), n);
        }
        if let Some(from) = self.tracks.here(writer) {
            self.order(from, n, None);
        }
    }
}
