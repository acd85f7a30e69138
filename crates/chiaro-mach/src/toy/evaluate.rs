//! What toy code computes: over values before allocation, over registers after it.
//!
//! Results are hashes of what was read, so that any unit in a wrong place is seen sooner or
//! later in what the code stores or returns.

use super::{LANES, LINEAR, ops};
use crate::code::{Block, Code, Graph, Inst};
use crate::file::{Domain, RegFile};
use crate::op::Op;
use crate::operand::{Operand, What};

/// What was seen from outside: hashes of stored and returned operands, in order.
pub type Trace = Vec<u64>;

/// Runs code. `fuel` bounds the number of blocks; `None` if it runs out or the code is broken.
pub fn evaluate(code: &Code, files: &[RegFile], allocated: bool, fuel: u32) -> Option<Trace> {
    evaluate_from(code, files, allocated, fuel, 0)
}

/// The same on other inputs than those numbered 0.
pub fn evaluate_from(
    code: &Code,
    files: &[RegFile],
    allocated: bool,
    mut fuel: u32,
    input: u64,
) -> Option<Trace> {
    let mut run = Run { input, ..Run::new(code, files, allocated) };
    let (mut from, mut block) = (None, Block(0));
    while fuel > 0 {
        fuel -= 1;
        run.enter(from, block)?;
        match run.block(block)? {
            Next::Goto(to) => (from, block) = (Some(block), to),
            Next::Return => return Some(run.trace),
        }
    }
    None
}

enum Next {
    Goto(Block),
    Return,
}

struct Run<'a> {
    code: &'a Code,
    files: &'a [RegFile],
    allocated: bool,
    /// The first cell of each file, or of each value.
    base: Vec<usize>,
    cells: Vec<[u16; LANES]>,
    exec: u16,
    /// The logical block that each lane was in last.
    came: [Option<Block>; LANES],
    trace: Trace,
    /// Which inputs the function starts with.
    input: u64,
}

const ALL: u16 = (1 << LANES) - 1;

impl<'a> Run<'a> {
    fn new(code: &'a Code, files: &'a [RegFile], allocated: bool) -> Run<'a> {
        let sizes: Vec<usize> = if allocated {
            files.iter().map(|f| usize::from(f.count)).collect()
        } else {
            (0..code.value_count())
                .map(|v| usize::from(code.value_data(crate::Value(v as u32)).size))
                .collect()
        };
        let mut base = vec![0];
        sizes.iter().for_each(|size| base.push(base.last().unwrap_or(&0) + size));
        let cells = vec![[0; LANES]; *base.last().unwrap_or(&0)];
        Run {
            code,
            files,
            allocated,
            base,
            cells,
            exec: ALL,
            came: [None; LANES],
            trace: Vec::new(),
            input: 0,
        }
    }

    fn domain(&self, operand: &Operand) -> Domain {
        self.files.get(usize::from(operand.file.0)).map(|f| f.domain).unwrap_or_default()
    }

    /// The cell and lane in which a unit of an operand is.
    fn at(&self, operand: &Operand, i: u16, lane: usize) -> Option<(usize, usize)> {
        let lane = if self.domain(operand) == Domain::Lane { lane } else { 0 };
        if !self.allocated {
            let value = operand.value()?;
            return Some((self.base[value.0 as usize] + usize::from(operand.offset + i), lane));
        }
        let unit = operand.reg? + i;
        if operand.file == LINEAR {
            let alias = self.files.get(usize::from(LINEAR.0))?.alias?;
            let cell = self.base[usize::from(alias.file.0)] + usize::from(alias.unit(unit));
            return Some((cell, usize::from(unit % alias.per)));
        }
        let file = usize::from(operand.file.0);
        let cell = self.base[file] + usize::from(unit);
        (cell < self.base[file + 1]).then_some((cell, lane))
    }

    fn read(&self, operand: &Operand, i: u16, lane: usize) -> Option<u16> {
        if operand.what == What::Undef {
            return Some(0);
        }
        let (cell, lane) = self.at(operand, i, lane)?;
        Some(self.cells.get(cell)?[lane])
    }

    fn write(&mut self, operand: &Operand, i: u16, lane: usize, unit: u16) -> Option<()> {
        let (cell, lane) = self.at(operand, i, lane)?;
        self.cells.get_mut(cell)?[lane] = unit;
        Some(())
    }

    /// The lanes in which an operand is written: those that run, or the one that stands for
    /// the wave.
    fn lanes(&self, operand: &Operand) -> impl Iterator<Item = usize> + use<> {
        let exec = if self.domain(operand) == Domain::Lane { self.exec } else { 1 };
        (0..LANES).filter(move |lane| exec >> lane & 1 != 0)
    }

    /// Phis, while values are values: all at once, each lane by the way it came.
    fn enter(&mut self, from: Option<Block>, block: Block) -> Option<()> {
        if !self.allocated {
            self.phis(from, block)?;
        }
        let data = self.code.block_data(block);
        if block.0 == 0 || !data.logical.preds.is_empty() {
            for lane in (0..LANES).filter(|lane| self.exec >> lane & 1 != 0) {
                self.came[lane] = Some(block);
            }
        }
        Some(())
    }

    fn phis(&mut self, from: Option<Block>, block: Block) -> Option<()> {
        let code = self.code;
        let mut writes = Vec::new();
        for &inst in code.insts(block).iter().take_while(|&&inst| code.op(inst) == Op::Phi) {
            let def = code.defs(inst)[0];
            let graph = Graph::of(self.domain(&def));
            for lane in self.lanes(&def) {
                let came = if graph == Graph::Logical { self.came[lane] } else { from };
                let preds = &code.block_data(block).edges(graph).preds;
                let number = preds.iter().position(|&pred| Some(pred) == came)?;
                let used = code.uses(inst)[number];
                for i in 0..def.size {
                    writes.push((def, i, lane, self.read(&used, i, lane)?));
                }
            }
        }
        writes.into_iter().try_for_each(|(def, i, lane, unit)| self.write(&def, i, lane, unit))
    }

    fn block(&mut self, block: Block) -> Option<Next> {
        let code = self.code;
        for &inst in code.insts(block) {
            if let Some(next) = self.inst(inst)? {
                return Some(next);
            }
        }
        code.block_data(block).linear.succs.first().map(|&to| Next::Goto(to))
    }

    fn inst(&mut self, inst: Inst) -> Option<Option<Next>> {
        match self.code.op(inst) {
            Op::Phi => {}
            Op::Machine(op) => return self.machine(op, inst),
            Op::Start => self.mix(inst, u64::MAX - self.input)?,
            Op::Call => {
                let seed = self.hash(inst)?;
                let wave = self.wave_seed(&seed);
                self.destroy(inst);
                self.results(inst, &seed, wave)?;
            }
            Op::Return => {
                self.store(inst, u64::MAX)?;
                return Some(Some(Next::Return));
            }
            _ => self.copy(inst)?,
        }
        Some(None)
    }

    fn copy(&mut self, inst: Inst) -> Option<()> {
        let mut writes = Vec::new();
        for (def, from) in
            crate::lower_copies::pairs(self.code, inst).into_iter().filter(|(_, from)| from.in_file())
        {
            for lane in self.lanes(&def) {
                for i in 0..def.size {
                    writes.push((def, i, lane, self.read(&from, i, lane)?));
                }
            }
        }
        writes.into_iter().try_for_each(|(def, i, lane, unit)| self.write(&def, i, lane, unit))
    }

    fn machine(&mut self, op: u32, inst: Inst) -> Option<Option<Next>> {
        let code = self.code;
        let uses = code.uses(inst);
        let label = |i: usize| match uses.get(i)?.what {
            What::Label(block) => Some(Some(Next::Goto(block))),
            _ => None,
        };
        match op {
            ops::SAVE => {
                let running = self.exec;
                if let Some(cond) = uses.first() {
                    self.exec &= self.odd(cond)?;
                }
                self.write(&code.defs(inst)[0], 0, 0, running)?;
            }
            ops::INVERT => self.exec = self.read(&uses[0], 0, 0)? & !self.exec,
            ops::RESTORE => self.exec = self.read(&uses[0], 0, 0)? & ALL,
            ops::BREAK => {
                let stop = if self.read(&uses[1], 0, 0)? >= 3 { ALL } else { self.odd(&uses[0])? };
                self.exec &= !stop;
            }
            ops::BRANCH => return label(if self.read(&uses[0], 0, 0)? & 1 != 0 { 1 } else { 2 }),
            ops::AGAIN => return label(if self.read(&uses[0], 0, 0)? < 3 { 1 } else { 2 }),
            ops::ANY => return label(usize::from(self.exec == 0)),
            ops::JUMP => return label(0),
            ops::WAIT => {}
            ops::STORE => self.store(inst, u64::from(op))?,
            ops::NEXT => {
                let next = self.read(&uses[0], 0, 0)?.wrapping_add(1);
                self.write(&code.defs(inst)[0], 0, 0, next)?;
            }
            ops::ZERO => self.write(&code.defs(inst)[0], 0, 0, 0)?,
            ops::SUM => {
                let seeds = self.hash(inst)?;
                self.results(inst, &seeds, self.wave_seed(&seeds))?;
            }
            _ => self.mix(inst, u64::from(op))?,
        }
        Some(None)
    }

    /// Lanes in which the first unit of an operand is odd.
    fn odd(&self, operand: &Operand) -> Option<u16> {
        (0..LANES).try_fold(0, |mask, lane| Some(mask | (self.read(operand, 0, lane)? & 1) << lane))
    }

    fn mix(&mut self, inst: Inst, op: u64) -> Option<()> {
        let seeds = self.hash(inst)?;
        self.pass_ties(inst)?;
        let seeds = seeds.map(|seed| stir(seed, op));
        self.results(inst, &seeds, seeds[0])
    }

    /// What a wave result may know of lane operands: nothing of lanes that do not run.
    fn wave_seed(&self, seeds: &[u64; LANES]) -> u64 {
        let running = (0..LANES).filter(|lane| self.exec >> lane & 1 != 0);
        running.fold(0, |sum, lane| sum.wrapping_add(seeds[lane]))
    }

    /// While values are values: what a tied use hands to a definition that is not all written.
    fn pass_ties(&mut self, inst: Inst) -> Option<()> {
        let code = self.code;
        if self.allocated {
            return Some(());
        }
        for used in code.uses(inst) {
            let Some(def) = used.tied.and_then(|n| code.defs(inst).get(usize::from(n))) else { continue };
            for lane in self.lanes(def) {
                for i in 0..def.size {
                    let unit = self.read(used, i, lane)?;
                    self.write(def, i, lane, unit)?;
                }
            }
        }
        Some(())
    }

    /// A hash of everything that an instruction reads, for each lane.
    fn hash(&self, inst: Inst) -> Option<[u64; LANES]> {
        let mut seeds = [7; LANES];
        for (lane, seed) in seeds.iter_mut().enumerate() {
            for operand in self.code.uses(inst) {
                if let What::Imm(number) = operand.what {
                    *seed = stir(*seed, number);
                }
            }
            for operand in self.code.uses(inst).iter().filter(|o| o.value().is_some()) {
                for i in operand.accessed() {
                    *seed = stir(*seed, u64::from(self.read(operand, i, lane)?));
                }
            }
        }
        Some(seeds)
    }

    fn results(&mut self, inst: Inst, lanes: &[u64; LANES], wave: u64) -> Option<()> {
        for (number, def) in self.code.defs(inst).iter().enumerate() {
            let is_lane = self.domain(def) == Domain::Lane;
            for lane in self.lanes(def) {
                let seed = if is_lane { lanes[lane] } else { wave };
                for i in def.accessed() {
                    let mark = number as u64 * 64 + u64::from(i);
                    self.write(def, i, lane, (stir(seed, mark) >> 7) as u16)?;
                }
            }
        }
        Some(())
    }

    fn store(&mut self, inst: Inst, op: u64) -> Option<()> {
        let seeds = self.hash(inst)?;
        for lane in (0..LANES).filter(|lane| self.exec >> lane & 1 != 0) {
            self.trace.push(stir(seeds[lane], op ^ (lane as u64) << 8));
        }
        Some(())
    }

    /// Fills what a call destroys, in the lanes that run.
    fn destroy(&mut self, inst: Inst) {
        if !self.allocated {
            return;
        }
        for clobber in self.code.clobbered(inst) {
            for unit in clobber.units.clone() {
                let operand = Operand::reg(clobber.file, unit, 1);
                for lane in self.lanes(&operand) {
                    self.write(&operand, 0, lane, 0xdead ^ unit);
                }
            }
        }
    }
}

fn stir(seed: u64, with: u64) -> u64 {
    let z = (seed ^ with).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z ^ z >> 29
}
