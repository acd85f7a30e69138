//! The scan of one register file over the blocks, and the current place of every value.

use std::cell::OnceCell;

use crate::code::{Block, Code, Graph, Inst, Value, ValueData};
use crate::file::{File, RegFile};
use crate::liveness::Liveness;
use crate::operand::Operand;
use crate::park::Known;
use crate::pressure::Pressure;
use crate::touch::{ELSEWHERE, NEVER, Touch, Touches};

use super::error::AllocateError;
use super::facts::Facts;
use super::hints::{Hints, hints};
use super::insert::{Insert, Rank, Transfer, Where};
use super::operands::{Lists, NOWHERE, Operands};
use super::place::{Floor, THROUGH};
use super::units::Units;
use super::usage::{Usage, usage};
use super::{Fault, Totals};

/// A value with the register it is in.
pub(super) type Located = (Value, u16);

/// Where a value was defined, for its store if it is spilled later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Defined {
    pub(super) block: Block,
    /// Before this instruction it is in its register already.
    pub(super) pos: u32,
    /// The register; [`NOWHERE`] for a phi that has never had one.
    pub(super) unit: u16,
}

/// The end of a block.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub(super) values: Vec<Located>,
    /// Edges out of the block that have not been joined.
    pub(super) edges: usize,
}

/// The state of the scan over one file.
pub(super) struct Pass<'a> {
    pub(super) code: &'a mut Code,
    pub(super) files: &'a [RegFile],
    pub(super) file: File,
    pub(super) live: &'a Liveness,
    pub(super) pressure: &'a Pressure,
    usage: OnceCell<Usage>,
    pub(super) hints: Hints,
    pub(super) fault: Option<Fault>,
    /// Units that no value may have, as taken for all times.
    pub(super) floor: Floor,
    /// The register of each value.
    pub(super) loc: Vec<u16>,
    /// The value in each unit.
    pub(super) units: Units,
    /// Where each value is used next: an index in the block, [`ELSEWHERE`] or [`NEVER`].
    pub(super) next: Vec<u32>,
    pub(super) spilled: Vec<bool>,
    remat: OnceCell<Vec<Option<Inst>>>,
    pub(super) defined: Vec<Option<Defined>>,
    /// What lives into each block in registers; kept as long as edges into it are still to come.
    pub(super) starts: Vec<Option<Vec<Located>>>,
    /// What is in registers at its end; kept likewise for edges out of it.
    pub(super) ends: Vec<Option<End>>,
    /// By value: its register at the end of the predecessor that is looked at.
    pub(super) there: Vec<u16>,
    pub(super) inserts: &'a mut Vec<Insert>,
    pub(super) totals: &'a mut Totals,
    /// By value: one past the last block that it was found to live into.
    pub(super) lives: Vec<u32>,
    touches: &'a Touches,
    /// Where the scan is in the list of touches, and in that of instructions that destroy registers.
    cursor: usize,
    destroyer: usize,
    /// By value: an instruction that destroys registers in another block than its own, while it is alive. Empty where none
    /// does.
    outlived: Vec<Option<Inst>>,
    /// The operands of the present instruction.
    pub(super) operands: Operands,
    pub(super) lists: Lists,
}

/// For each value of a file: the instruction that can be done again for it. It reads no value, so
/// that nothing has to live longer for it; no phi reads its result, for that may be wanted in memory; and no
/// use wants a part of it elsewhere, for the instruction makes all of it.
fn remat(code: &Code, file: File, touches: &Touches) -> Vec<Option<Inst>> {
    let mut remat = vec![None; code.value_count()];
    let at = |block: Block, touch: &Touch| code.insts(block)[touch.pos as usize];
    for block in code.blocks() {
        for touch in touches.of(block).iter().filter(|touch| touch.is_def()) {
            let inst = at(block, touch);
            if let ([def], true) = (code.defs(inst), code.inst(inst).remat)
                && def.file == file
                && def.comps.is_empty()
                && def.fixed.is_none()
                && code.uses(inst).iter().all(|used| !used.in_file())
            {
                remat[touch.value.0 as usize] = Some(inst);
            }
        }
    }
    for block in code.blocks() {
        for touch in touches.of(block).iter().filter(|touch| !touch.is_def()) {
            let is_part = || wants_part(code, &code.uses(at(block, touch))[usize::from(touch.number)]);
            if touch.is_phi() || touch.is_bound() && is_part() {
                remat[touch.value.0 as usize] = None;
            }
        }
    }
    remat
}

/// For each value: the first instruction that destroys registers in a block that the value lives into, and beyond it.
fn outlived(code: &Code, live: &Liveness, file: File, touches: &Touches) -> Vec<Option<Inst>> {
    if touches.destroyers.is_empty() || code.block_count() < 2 {
        return Vec::new();
    }
    let mut outlived = vec![None; code.value_count()];
    for of_block in touches.destroyers.chunk_by(|a, b| a.0 == b.0) {
        let (block, pos, inst) = of_block[0];
        let is_behind = |touch: &&Touch| !touch.is_def() && touch.pos > pos;
        let read = touches.of(block).iter().filter(is_behind).map(|touch| touch.value);
        for value in live.leaving(block, file).chain(read).filter(|&value| live.is_into(block, value)) {
            outlived[value.0 as usize].get_or_insert(inst);
        }
    }
    outlived
}

/// Whether a use reads a part of its value in a place of its own.
fn wants_part(code: &Code, used: &Operand) -> bool {
    let is_part = |value: Value| used.size < code.value_data(value).size;
    let is_placed = used.fixed.is_some() || used.tied.is_some() || used.align > 1;
    is_placed && used.value().is_some_and(is_part)
}

impl<'a> Pass<'a> {
    pub(super) fn new(
        code: &'a mut Code,
        facts: Facts<'a>,
        allowed: &[bool],
        inserts: &'a mut Vec<Insert>,
        totals: &'a mut Totals,
    ) -> Pass<'a> {
        let Facts { files, file, known } = facts;
        let Known { touches, live, pressure } = known;
        let touches = &touches[usize::from(file.0)];
        let (values, blocks) = (code.value_count(), code.block_count());
        let busy = allowed.iter().map(|&free| if free { 0 } else { THROUGH }).collect();
        let outlived = outlived(code, live, file, touches);
        Pass {
            usage: OnceCell::new(),
            hints: hints(code, file, touches),
            remat: OnceCell::new(),
            code,
            files,
            file,
            live,
            pressure,
            fault: None,
            floor: Floor { busy },
            loc: vec![NOWHERE; values],
            units: Units::new(allowed),
            next: vec![NEVER; values],
            spilled: vec![false; values],
            defined: vec![None; values],
            starts: vec![None; blocks],
            ends: vec![None; blocks],
            there: vec![NOWHERE; if blocks > 1 { values } else { 0 }],
            inserts,
            totals,
            lives: vec![0; if blocks > 1 { values } else { 0 }],
            touches,
            cursor: 0,
            destroyer: 0,
            outlived,
            operands: Operands::default(),
            lists: Lists::default(),
        }
    }

    /// Gives every value of the file a place at every moment at which it is needed.
    pub(super) fn run(&mut self) -> Result<(), AllocateError> {
        for block in self.code.blocks() {
            self.look_ahead(block);
            self.enter(block)?;
            let end = self.touches.range(block).end;
            while let Some(pos) = self.next_place(block, end) {
                let inst = self.code.insts(block)[pos as usize];
                let list = &self.touches.all()[self.cursor..end];
                let count = list.iter().take_while(|touch| touch.pos == pos).count();
                self.cursor += count;
                self.step(block, pos, inst, &list[..count])?;
            }
            self.leave(block)?;
        }
        Ok(())
    }

    /// The next instruction of the block that touches values of the file or destroys registers of it.
    fn next_place(&self, block: Block, end: usize) -> Option<u32> {
        let touched = self.touches.all()[self.cursor..end].first().map(|touch| touch.pos);
        let destroyed = self.destroyer_in(block).map(|(pos, _)| pos);
        touched.into_iter().chain(destroyed).min()
    }

    /// The instruction ahead in the block that destroys registers.
    fn destroyer_in(&self, block: Block) -> Option<(u32, Inst)> {
        let &(at, pos, inst) = self.touches.destroyers.get(self.destroyer)?;
        (at == block).then_some((pos, inst))
    }

    pub(super) fn facts(&self) -> &'a RegFile {
        &self.files[usize::from(self.file.0)]
    }

    /// Whether values can leave their registers.
    pub(super) fn spills(&self) -> bool {
        let to = self.facts().spill_to.and_then(|to| self.files.get(usize::from(to.0)));
        to.is_some_and(|to| to.memory)
    }

    /// What uses say, for who chooses what leaves its register.
    pub(super) fn usage(&self) -> &Usage {
        self.usage.get_or_init(|| usage(self.code, self.touches))
    }

    /// The instruction that can be done again for a value in place of storing and loading it.
    pub(super) fn remat(&self, value: Value) -> Option<Inst> {
        self.remat.get_or_init(|| remat(self.code, self.file, self.touches))[value.0 as usize]
    }

    /// Which values have left their registers, each with what can be done again in place of loading it.
    pub(super) fn into_spilled(self) -> Vec<(Value, Option<Inst>)> {
        let spilled = (0..).zip(&self.spilled).filter(|(_, spilled)| **spilled);
        spilled.map(|(value, _)| (Value(value), self.remat(Value(value)))).collect()
    }

    /// The graph along which values of the file live.
    pub(super) fn graph(&self) -> Graph {
        Graph::of(self.facts().domain)
    }

    pub(super) fn data(&self, value: Value) -> ValueData {
        self.code.value_data(value)
    }

    pub(super) fn is_mine(&self, value: Value) -> bool {
        self.data(value).file == self.file
    }

    pub(super) fn location(&self, value: Value) -> Option<u16> {
        let unit = self.loc[value.0 as usize];
        (unit != NOWHERE).then_some(unit)
    }

    /// Gives a value these registers.
    pub(super) fn occupy(&mut self, value: Value, unit: u16) {
        self.loc[value.0 as usize] = unit;
        let size = self.data(value).size;
        self.units.give(value, unit, size);
        let used = &mut self.totals.used[usize::from(self.file.0)];
        *used = (*used).max(unit + size);
    }

    /// Takes a value's registers away.
    pub(super) fn vacate(&mut self, value: Value) {
        let unit = std::mem::replace(&mut self.loc[value.0 as usize], NOWHERE);
        if unit != NOWHERE {
            self.units.take(value, unit, self.data(value).size);
        }
    }

    /// Values in registers, in the order of their places.
    pub(super) fn occupants(&self) -> Vec<Value> {
        self.units.values(self.totals.used[usize::from(self.file.0)]).collect()
    }

    /// Remembers where a value is defined.
    pub(super) fn define(&mut self, value: Value, block: Block, pos: u32, unit: u16) {
        self.defined[value.0 as usize] = Some(Defined { block, pos, unit });
    }

    /// Makes sure that the value's slot holds it from its definition on.
    ///
    /// The definition comes before every use, so the slot is good wherever the value is alive,
    /// and a value in a register can be dropped at any time.
    pub(super) fn spill(&mut self, value: Value) {
        if std::mem::replace(&mut self.spilled[value.0 as usize], true) {
            return;
        }
        if self.remat(value).is_some() {
            self.totals.remats += 1;
            return;
        }
        let Some(Defined { block, pos, unit }) = self.defined[value.0 as usize] else { return };
        if unit == NOWHERE {
            return;
        }
        let size = self.data(value).size;
        let source = Where::Register(unit);
        let store = Transfer { to: value, place: Where::Slot, from: value, source, offset: 0, size };
        self.totals.spills += 1;
        self.insert(block, pos, Rank::Spill, vec![store]);
    }

    pub(super) fn insert(&mut self, block: Block, pos: u32, rank: Rank, transfers: Vec<Transfer>) {
        self.inserts.push(Insert { block, pos, rank, transfers });
    }

    /// Finds where values that are alive at the head of the block are used next.
    fn look_ahead(&mut self, block: Block) {
        for value in self.live.leaving(block, self.file) {
            self.next[value.0 as usize] = ELSEWHERE;
        }
        for touch in self.touches.of(block).iter().rev().filter(|touch| !touch.is_def() && !touch.is_phi()) {
            self.next[touch.value.0 as usize] = touch.pos;
        }
    }

    /// Whether the instruction at this place destroys registers; call once for each, in order.
    pub(super) fn destroys(&mut self, block: Block, pos: u32) -> bool {
        let found = self.destroyer_in(block).is_some_and(|(at, _)| at == pos);
        self.destroyer += usize::from(found);
        found
    }

    /// An instruction ahead that destroys registers while a value lives across it that is used next at this place: one of
    /// this block, or else of another one.
    pub(super) fn destroyer(&self, block: Block, value: Value, next: u32) -> Option<Inst> {
        let here = self.destroyer_in(block).filter(|&(at, _)| next != NEVER && next > at);
        here.map(|(_, inst)| inst).or_else(|| *self.outlived.get(value.0 as usize)?)
    }

    fn leave(&mut self, block: Block) -> Result<(), AllocateError> {
        let mut values = Vec::new();
        for value in self.occupants() {
            values.push((value, self.loc[value.0 as usize]));
            self.vacate(value);
        }
        for value in self.live.leaving(block, self.file) {
            self.next[value.0 as usize] = NEVER;
        }
        let edges = self.code.block_data(block).edges(self.graph()).succs.len();
        if edges > 0 {
            self.ends[block.0 as usize] = Some(End { values, edges });
            self.join_loops(block)?;
        }
        Ok(())
    }
}
