//! Random code for the toy machine: structured, SSA, with every kind of constraint.

use chiaro_isa::Rng;

use super::{FLAG, LANE, LANE_FLAG, WAVE, ops};
use crate::code::{Block, Clobber, Code, Graph, Inst, Value};
use crate::file::File;
use crate::op::{Effects, Op};
use crate::operand::{Comps, Operand};

/// How large code is to be.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// About so many instructions.
    pub insts: usize,
    /// Constructs in constructs.
    pub depth: u8,
    /// About so many values of each file are alive at once.
    pub alive: usize,
}

/// A random function; the same seed gives the same one.
pub fn generate(seed: u64, shape: Shape) -> Code {
    let mut code = Code::new(format!("toy{seed}"));
    let block = code.block(0);
    let mut make = Make {
        code,
        rng: Rng(seed),
        block,
        depth: 0,
        left: shape.insts,
        shape,
        lanes: Vec::new(),
        waves: Vec::new(),
        flags: Vec::new(),
        lane_flags: Vec::new(),
    };
    make.start();
    make.sequence();
    make.finish();
    make.code
}

/// Tells the world something, of the lanes that run.
const WORLD: Effects = Effects { reads: Effects::EXEC, writes: Effects::GLOBAL };

struct Make {
    code: Code,
    rng: Rng,
    block: Block,
    depth: u8,
    left: usize,
    shape: Shape,
    /// Values that can be used here.
    lanes: Vec<Value>,
    waves: Vec<Value>,
    flags: Vec<Value>,
    lane_flags: Vec<Value>,
}

impl Make {
    fn chance(&mut self, percent: usize) -> bool {
        self.rng.below(100) < percent
    }

    fn start(&mut self) {
        let (a, b) = (self.value(LANE, 2, 2), self.value(LANE, 3, 1));
        let (c, d) = (self.value(WAVE, 1, 1), self.value(WAVE, 2, 2));
        let defs = [(a, 0), (b, 2), (c, 0), (d, 2)].map(|(v, unit)| self.code.operand(v).fixed(unit));
        self.code.push(self.block, Op::Start, &defs, &[]);
        self.lanes.extend([a, b]);
        self.waves.extend([c, d]);
    }

    fn finish(&mut self) {
        self.store();
        let (lane, wave) = (self.pick(LANE), self.pick(WAVE));
        let uses = [self.code.operand(lane).fixed(4), self.code.operand(wave).fixed(2)];
        let inst = self.code.push(self.block, Op::Return, &[], &uses);
        self.code.inst_mut(inst).effects = Effects::writes(Effects::CONTROL);
    }

    fn value(&mut self, file: File, size: u16, align: u8) -> Value {
        self.code.value(file, size, align)
    }

    fn list(&mut self, file: File) -> &mut Vec<Value> {
        match file {
            LANE => &mut self.lanes,
            FLAG => &mut self.flags,
            LANE_FLAG => &mut self.lane_flags,
            _ => &mut self.waves,
        }
    }

    /// One of the latest values, so that older ones die; now and then an older one.
    fn pick(&mut self, file: File) -> Value {
        let (any, alive) = (self.chance(8), self.shape.alive);
        let length = self.list(file).len();
        let window = length.min(if any { 4 * alive } else { alive });
        let back = self.rng.below(window.max(1)) + 1;
        let length = self.list(file).len();
        self.list(file)[length - back]
    }

    fn pick_sized(&mut self, file: File, size: u16) -> Option<Value> {
        if self.list(file).is_empty() {
            return None;
        }
        let picks: Vec<Value> = (0..6).map(|_| self.pick(file)).collect();
        picks.into_iter().find(|&v| self.code.value_data(v).size == size)
    }

    fn fresh(&mut self, file: File) -> Value {
        let most = if file == LANE { 4 } else { 2 };
        let size = 1 + self.rng.below(most) as u16;
        let align = if size.is_power_of_two() && self.chance(40) { size as u8 } else { 1 };
        self.value(file, size, align)
    }

    fn machine(&mut self, op: u32, effects: Effects, defs: &[Operand], uses: &[Operand]) -> Inst {
        let inst = self.code.push(self.block, Op::Machine(op), defs, uses);
        self.code.inst_mut(inst).effects = effects;
        inst
    }

    /// Instructions and constructs until the quota of this level is used up.
    fn sequence(&mut self) {
        let steps = 3 + self.rng.below(8);
        for _ in 0..if self.depth == 0 { self.shape.insts } else { steps } {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            let nested = self.depth < self.shape.depth;
            match self.rng.below(40) {
                0..=1 if nested => self.lane_if(),
                2 if nested => self.wave_if(),
                3 if nested => self.lane_loop(),
                4 if nested => self.wave_loop(),
                5 => self.call(),
                6..=7 => self.store(),
                8..=9 => self.collect(),
                10 => self.split(),
                11 => self.pcopy(),
                12 => self.sum(),
                13..=15 => self.compare(),
                16 => self.number_again(),
                17..=22 => self.mix(WAVE),
                _ => self.mix(LANE),
            }
        }
    }

    fn mix(&mut self, file: File) {
        let mut uses = Vec::new();
        for _ in 0..1 + self.rng.below(3) {
            let from = if file == LANE && self.chance(25) { WAVE } else { file };
            uses.push(self.used(from));
        }
        let flags = if file == LANE && self.chance(50) { LANE_FLAG } else { FLAG };
        if self.chance(20) && !self.list(flags).is_empty() {
            let flag = self.pick(flags);
            uses.push(self.code.operand(flag));
        }
        let mut defs = vec![self.defined(file)];
        if self.chance(20) {
            defs.push(self.defined(file));
        }
        self.constrain(file, &mut defs, &mut uses);
        let op = if file == LANE { ops::MIX_LANE } else { ops::MIX_WAVE };
        self.machine(op, Effects::default(), &defs, &uses);
        let values: Vec<Value> = defs.iter().filter_map(Operand::value).collect();
        self.list(file).extend(values);
    }

    /// A value, or a part of one, with or without demands.
    fn used(&mut self, file: File) -> Operand {
        let value = self.pick(file);
        let size = self.code.value_data(value).size;
        let mut operand = self.code.operand(value);
        if size > 1 && self.chance(25) {
            let offset = self.rng.below(usize::from(size)) as u16;
            let length = 1 + self.rng.below(usize::from(size - offset)) as u16;
            operand = operand.part(offset, length);
        }
        if operand.size == 2 && self.chance(10) {
            operand = operand.aligned(2);
        }
        if operand.size == 4 && self.chance(20) {
            operand = operand.comps(Comps::of(&[3, 1]));
        }
        if self.chance(4) {
            operand = operand.late_kill();
        }
        operand
    }

    fn defined(&mut self, file: File) -> Operand {
        let value = self.fresh(file);
        let operand = self.code.operand(value);
        if self.chance(5) { operand.early_clobber() } else { operand }
    }

    /// At most one demand for a place on each side, and one tie.
    fn constrain(&mut self, file: File, defs: &mut [Operand], uses: &mut [Operand]) {
        if self.chance(6) && !uses[0].late_kill {
            uses[0] = uses[0].fixed(2 * self.rng.below(3) as u16);
        } else if self.chance(12) {
            self.tie(file, defs, uses);
        }
        let last = defs.len() - 1;
        let free =
            defs.iter().all(|d| !d.early_clobber) && uses.iter().all(|u| u.tied.is_none() && !u.late_kill);
        if free && self.chance(6) {
            defs[last] = defs[last].fixed(4 * self.rng.below(2) as u16);
        }
    }

    fn tie(&mut self, file: File, defs: &mut [Operand], uses: &mut [Operand]) {
        let Some(old) = self.pick_sized(file, defs[0].size) else { return };
        defs[0].early_clobber = false;
        uses[0] = self.code.operand(old).tied(0);
        if defs[0].size > 1 && self.chance(50) {
            defs[0] = defs[0].comps(Comps::of(&[1]));
        }
    }

    /// A flag, at times from another flag; or a value that reads a flag and makes one.
    fn compare(&mut self) {
        let (file, flags) = if self.chance(50) { (WAVE, FLAG) } else { (LANE, LANE_FLAG) };
        let mut uses = vec![self.used(file)];
        if self.chance(30) && !self.list(flags).is_empty() {
            let flag = self.pick(flags);
            uses.push(self.code.operand(flag));
        }
        let flag = self.value(flags, 1, 1);
        let mut defs = vec![self.code.operand(flag)];
        if self.chance(20) {
            let sum = self.value(file, 1, 1);
            defs.push(self.code.operand(sum));
            self.list(file).push(sum);
        }
        self.machine(ops::COMPARE, Effects::default(), &defs, &uses);
        self.list(flags).push(flag);
    }

    /// A constant, which may be made again wherever it is wanted; of the flags of the wave as well.
    fn number_again(&mut self) {
        let file = [WAVE, LANE, FLAG][self.rng.below(3)];
        let size = if file == FLAG { 1 } else { 1 + self.rng.below(2) as u16 };
        let value = self.value(file, size, 1);
        let (def, number) = (self.code.operand(value), Operand::imm(self.rng.below(100) as u64));
        let inst = self.machine(ops::NUMBER, Effects::default(), &[def], &[number]);
        self.code.inst_mut(inst).remat = true;
        self.list(file).push(value);
    }

    fn sum(&mut self) {
        let (used, def) = (self.used(LANE), self.defined(WAVE));
        self.machine(ops::SUM, Effects::reads(Effects::EXEC), &[def], &[used]);
        self.waves.extend(def.value());
    }

    fn store(&mut self) {
        let uses = [self.used(LANE), self.used(WAVE), self.used(LANE)];
        self.machine(ops::STORE, WORLD, &[], &uses);
    }

    fn collect(&mut self) {
        let file = if self.chance(70) { LANE } else { WAVE };
        let values: Vec<Value> = (0..2 + self.rng.below(2)).map(|_| self.pick(file)).collect();
        let uses: Vec<Operand> = values.into_iter().map(|v| self.code.operand(v)).collect();
        let size: u16 = uses.iter().map(|u| u.size).sum();
        if size > if file == LANE { 8 } else { 3 } {
            return;
        }
        let align = if size == 4 { 4 } else { 1 };
        let value = self.value(file, size, align);
        let def = self.code.operand(value);
        self.code.push(self.block, Op::Collect, &[def], &uses);
        if size <= 4 {
            self.list(file).push(value);
        } else {
            let part = self.rng.below(usize::from(size) - 3) as u16;
            let used = def.part(part, 4);
            let result = self.defined(file);
            self.machine(ops::MIX_LANE, Effects::default(), &[result], &[used]);
            self.list(file).extend(result.value());
        }
    }

    fn split(&mut self) {
        let value = self.pick(LANE);
        let size = self.code.value_data(value).size;
        let first = 1 + self.rng.below(usize::from(size)) as u16;
        let sizes = [first, size - first];
        let mut defs = Vec::new();
        for size in sizes.into_iter().filter(|&size| size > 0) {
            let part = self.value(LANE, size, 1);
            defs.push(self.code.operand(part));
        }
        let used = self.code.operand(value);
        self.code.push(self.block, Op::Split, &defs, &[used]);
        self.lanes.extend(defs.iter().filter_map(Operand::value));
    }

    fn pcopy(&mut self) {
        let file = if self.chance(50) { LANE } else { WAVE };
        let (mut defs, mut uses) = (Vec::new(), Vec::new());
        for _ in 0..1 + self.rng.below(2) {
            let old = self.pick(file);
            let size = self.code.value_data(old).size;
            let new = self.value(file, size, 1);
            uses.push(self.code.operand(old));
            defs.push(self.code.operand(new));
        }
        self.code.push(self.block, Op::Pcopy, &defs, &uses);
        let new: Vec<Value> = defs.iter().filter_map(Operand::value).collect();
        self.list(file).extend(new);
    }

    fn call(&mut self) {
        let (lane, wave) = (self.pick(LANE), self.pick(WAVE));
        let uses = [Operand::function(1), self.code.operand(lane).fixed(0), self.code.operand(wave).fixed(4)];
        let (x, y) = (self.value(LANE, 2, 1), self.value(WAVE, 2, 1));
        let defs = [self.code.operand(x).fixed(2), self.code.operand(y).fixed(0)];
        let inst = self.code.push(self.block, Op::Call, &defs, &uses);
        let (lanes, waves) = if self.chance(15) { (0..256, 0..64) } else { (0..12, 0..6) };
        let set = self.code.clobbers(&[
            Clobber { file: LANE, units: lanes },
            Clobber { file: WAVE, units: waves },
            Clobber { file: FLAG, units: 0..1 },
            Clobber { file: LANE_FLAG, units: 0..2 },
        ]);
        let data = self.code.inst_mut(inst);
        data.clobbers = Some(set);
        data.effects = WORLD;
        self.lanes.push(x);
        self.waves.push(y);
    }

    fn jump(&mut self, to: Block) {
        let label = Operand::label(to);
        self.machine(ops::JUMP, Effects::writes(Effects::CONTROL), &[], &[label]);
    }

    fn open(&mut self, depth: u8) -> Block {
        self.code.block(depth)
    }

    fn loops(&self) -> u8 {
        self.code.block_data(self.block).depth
    }

    /// Both arms of a condition of the wave; the graphs are equal.
    fn wave_if(&mut self) {
        let (depth, head) = (self.loops(), self.block);
        let cond = self.pick(WAVE);
        let cond = self.code.operand(cond);
        let then = self.open(depth);
        let uses = [cond, Operand::label(then), Operand::label(then)];
        let branch = self.machine(ops::BRANCH, Effects::writes(Effects::CONTROL), &[], &uses);
        let known = self.known();
        self.code.edge(head, then);
        let first = self.arm(then);
        let picks = self.phi_picks(&[LANE, WAVE, LANE, WAVE, FLAG, LANE_FLAG]);
        self.forget(known);
        let other = self.open(depth);
        self.code.edge(head, other);
        self.code.uses_mut(branch)[2] = Operand::label(other);
        let second = self.arm(other);
        let others = self.phi_like(&picks);
        self.forget(known);
        let end = self.open(depth);
        for from in [first, second] {
            self.block = from;
            self.jump(end);
            self.code.edge(from, end);
        }
        self.block = end;
        self.phis(&picks, &others);
    }

    /// The code of an arm; the block in which it ends.
    fn arm(&mut self, block: Block) -> Block {
        self.block = block;
        self.depth += 1;
        self.sequence();
        self.depth -= 1;
        self.block
    }

    /// How many values of each kind can be used here.
    fn known(&self) -> [usize; 4] {
        [self.lanes.len(), self.waves.len(), self.flags.len(), self.lane_flags.len()]
    }

    fn forget(&mut self, [lanes, waves, flags, lane_flags]: [usize; 4]) {
        self.lanes.truncate(lanes);
        self.waves.truncate(waves);
        self.flags.truncate(flags);
        self.lane_flags.truncate(lane_flags);
    }

    /// Values that leave an arm.
    fn phi_picks(&mut self, files: &[File]) -> Vec<Value> {
        let mut picks = Vec::new();
        for _ in 0..self.rng.below(5) {
            let file = files[self.rng.below(files.len())];
            if !self.list(file).is_empty() {
                picks.push(self.pick(file));
            }
        }
        picks
    }

    /// A value of the same file and size for each.
    fn phi_like(&mut self, picks: &[Value]) -> Vec<Option<Value>> {
        let one = |&value: &Value| {
            let data = self.code.value_data(value);
            self.pick_sized(data.file, data.size)
        };
        picks.iter().map(one).collect()
    }

    fn phis(&mut self, picks: &[Value], others: &[Option<Value>]) {
        for (&first, second) in picks.iter().zip(others) {
            let Some(second) = *second else { continue };
            let data = self.code.value_data(first);
            let phi = self.value(data.file, data.size, 1);
            let def = self.code.operand(phi);
            let uses = [self.code.operand(first), self.code.operand(second)];
            self.code.push(self.block, Op::Phi, &[def], &uses);
            self.list(data.file).push(phi);
        }
    }

    /// Both arms of a condition of the lanes: the program counter goes through both.
    fn lane_if(&mut self) {
        let (depth, head) = (self.loops(), self.block);
        let cond = self.pick(LANE);
        let cond = self.code.operand(cond);
        let saved = self.value(WAVE, 1, 1);
        let saved = self.code.operand(saved);
        let exec = Effects { reads: Effects::EXEC, writes: Effects::EXEC };
        self.machine(ops::SAVE, exec, &[saved], &[cond]);
        let (skips, inline) = (self.chance(40), self.chance(40));
        let then = self.open(depth);
        self.code.edge(head, then);
        let skip = skips.then(|| self.skip(head, then, depth));
        let known = self.known();
        let first = self.arm(then);
        let picks = self.phi_picks(&[LANE, LANE, LANE_FLAG]);
        // The program counter comes through the first arm, so its wave values are known on.
        let now = self.known();
        let waves = if skips { known } else { now };
        self.forget([known[0], waves[1], waves[2], known[3]]);
        let other = self.invert(first, skip, saved, inline && !skips, depth);
        self.code.edge_in(Graph::Logical, head, other);
        let second = self.arm(other);
        let others = self.phi_like(&picks);
        self.lanes.truncate(known[0]);
        self.lane_flags.truncate(known[3]);
        let rejoin = self.open(depth);
        self.code.edge_in(Graph::Linear, second, rejoin);
        self.block = rejoin;
        self.machine(ops::RESTORE, exec, &[], &[saved]);
        let end = self.open(depth);
        self.code.edge_in(Graph::Linear, rejoin, end);
        self.code.edge_in(Graph::Logical, first, end);
        self.code.edge_in(Graph::Logical, second, end);
        self.block = end;
        self.phis(&picks, &others);
    }

    /// A way around the first arm when no lane takes it.
    fn skip(&mut self, head: Block, then: Block, depth: u8) -> Block {
        let skip = self.open(depth);
        self.code.edge_in(Graph::Linear, head, skip);
        let uses = [Operand::label(then), Operand::label(skip)];
        self.block = head;
        self.machine(ops::ANY, Effects { reads: Effects::EXEC, writes: Effects::CONTROL }, &[], &uses);
        skip
    }

    /// Changes over to the other lanes, at the end of the first arm or in a block of its own.
    fn invert(
        &mut self,
        first: Block,
        skip: Option<Block>,
        saved: Operand,
        inline: bool,
        depth: u8,
    ) -> Block {
        let exec = Effects { reads: Effects::EXEC, writes: Effects::EXEC };
        self.block = first;
        let mut from = first;
        if !inline {
            let invert = self.open(depth);
            for pred in [Some(first), skip].into_iter().flatten() {
                self.block = pred;
                self.jump(invert);
                self.code.edge_in(Graph::Linear, pred, invert);
            }
            self.block = invert;
            from = invert;
        }
        self.machine(ops::INVERT, exec, &[], &[saved]);
        let other = self.open(depth);
        self.code.edge_in(Graph::Linear, from, other);
        other
    }

    fn number(&mut self, op: u32, uses: &[Operand]) -> Value {
        let value = self.value(WAVE, 1, 1);
        let def = self.code.operand(value);
        self.machine(op, Effects::default(), &[def], uses);
        value
    }

    /// The head of a loop with its phis, whose second uses are not known yet.
    fn loop_head(&mut self, zero: Value) -> (Vec<Inst>, Value) {
        let picks = self.phi_picks(&[LANE, WAVE, LANE, WAVE, FLAG, LANE_FLAG]);
        let head = self.open(self.loops() + 1);
        self.jump(head);
        self.code.edge(self.block, head);
        self.block = head;
        let mut phis = Vec::new();
        let counter = self.value(WAVE, 1, 1);
        let all = picks.iter().map(|&v| (v, None)).chain([(zero, Some(counter))]).collect::<Vec<_>>();
        for (first, phi) in all {
            let data = self.code.value_data(first);
            let phi = phi.unwrap_or_else(|| self.code.value(data.file, data.size, 1));
            let (def, used) = (self.code.operand(phi), self.code.operand(first));
            phis.push(self.code.push(head, Op::Phi, &[def], &[used, used]));
            self.list(data.file).push(phi);
        }
        (phis, counter)
    }

    /// Closes a loop: every phi gets a value of its kind, the counter the next number.
    fn loop_back(&mut self, phis: &[Inst], next: Value, head: Block, back: Block) {
        for (i, &phi) in phis.iter().enumerate() {
            let data = self.code.defs(phi)[0];
            let used = if i + 1 == phis.len() { Some(next) } else { self.pick_sized(data.file, data.size) };
            if let Some(used) = used {
                let operand = self.code.operand(used);
                self.code.uses_mut(phi)[1] = operand;
            }
        }
        self.block = back;
        self.jump(head);
        self.code.edge(back, head);
    }

    /// A loop that all lanes leave together.
    fn wave_loop(&mut self) {
        let depth = self.loops();
        let zero = self.number(ops::ZERO, &[]);
        let known = self.known();
        let (phis, counter) = self.loop_head(zero);
        let head = self.block;
        let latch = self.arm(head);
        let counted = self.code.operand(counter);
        let next = self.number(ops::NEXT, &[counted]);
        let (back, next_operand) = (self.open(depth + 1), self.code.operand(next));
        let branch_uses = [next_operand, Operand::label(back), Operand::label(back)];
        let branch = self.machine(ops::AGAIN, Effects::writes(Effects::CONTROL), &[], &branch_uses);
        self.code.edge(latch, back);
        self.loop_back(&phis, next, head, back);
        let exit = self.open(depth);
        self.code.edge(latch, exit);
        self.code.uses_mut(branch)[2] = Operand::label(exit);
        self.block = exit;
        self.keep_some(known);
    }

    /// What was defined in a loop's last blocks is known behind it; some of it is used there.
    fn keep_some(&mut self, known: [usize; 4]) {
        if self.chance(50) {
            self.forget(known);
        }
    }

    /// A loop that lanes leave one by one.
    fn lane_loop(&mut self) {
        let depth = self.loops();
        let exec = Effects { reads: Effects::EXEC, writes: Effects::EXEC };
        let saved = self.value(WAVE, 1, 1);
        let saved = self.code.operand(saved);
        self.machine(ops::SAVE, exec, &[saved], &[]);
        let zero = self.number(ops::ZERO, &[]);
        let known = self.known();
        let (phis, counter) = self.loop_head(zero);
        let head = self.block;
        let last = self.arm(head);
        let counted = self.code.operand(counter);
        let next = self.number(ops::NEXT, &[counted]);
        let (cond, limit) = (self.pick(LANE), self.code.operand(next));
        let cond = self.code.operand(cond);
        self.machine(ops::BREAK, exec, &[], &[cond, limit]);
        let outer = (self.lanes.clone(), self.lane_flags.clone());
        let goes_on = self.open(depth + 1);
        self.code.edge(last, goes_on);
        self.block = goes_on;
        self.mix(LANE);
        let back = self.open(depth + 1);
        self.code.edge(goes_on, back);
        let leave = self.open(depth);
        self.code.edge_in(Graph::Linear, goes_on, leave);
        let labels = [Operand::label(back), Operand::label(leave)];
        self.machine(ops::ANY, Effects { reads: Effects::EXEC, writes: Effects::CONTROL }, &[], &labels);
        self.loop_back(&phis, next, head, back);
        self.block = leave;
        self.machine(ops::RESTORE, exec, &[], &[saved]);
        let exit = self.open(depth);
        self.code.edge_in(Graph::Linear, leave, exit);
        self.code.edge_in(Graph::Logical, last, exit);
        self.block = exit;
        (self.lanes, self.lane_flags) = outer;
        self.keep_some(known);
    }
}
