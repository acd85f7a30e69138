//! Structured control to blocks with two graphs: where lanes go, and where the program counter goes.
//!
//! A condition that is the same in all lanes is a branch. One that differs makes the program counter pass both sides,
//! with the lanes of each in EXEC (spec section 16):
//!
//! ```text
//! b0: s_and_saveexec saved, condition     lanes: b1 or b3
//!     s_cbranch_execz @b2
//! b1: one side                            lanes: b5
//! b2: s_andn2 exec, saved, exec           no lane comes here; the condition's, where lanes left on the way
//! b3: the other side                      lanes: b5
//! b4: s_mov exec, saved                   no lane comes here
//! b5: phis of what both sides made
//! ```
//!
//! Who leaves a construct while others are in it is switched off until its end; where all of a construct's lanes come
//! to its end, the lanes that came to it are those that go on. Blocks that change EXEC without being one of a lane
//! hold nothing else, so that copies of lane registers have their place on either side. Where no lane may be left, the
//! program counter goes to the next place where some wait: nothing is computed for nobody.
//!
//! [`facts`] says beforehand who waits where.

mod facts;
mod frame;
mod lanes;

use std::ops::Range;

use chiaro_diag::Diagnostic;
use chiaro_ir as ir;
use chiaro_ir::{Op as Ir, Step, Walk};
use chiaro_mach::control::OPEN;
use chiaro_mach::{Block, File, Graph, Inst, Op as Mach, Operand, Outcome, Room};

use super::Select;
use super::part::{From, Kind, Part};
use super::value::WORD;
use crate::abi::convention::SystemParameter;
use crate::abi::partition::File as Pool;
use crate::compile::code::{self, SCALAR, VECTOR};
use crate::isa::Op;
use crate::isa::sopp::Sopp;
use crate::isa::vopc::Vopc;
use crate::regs::{SGPRS, VGPRS};
use facts::{Fact, facts};
pub(super) use frame::Way;
use frame::{Frame, Place};

pub(super) const BOTH: [Graph; 2] = [Graph::Logical, Graph::Linear];

/// The state of the walk.
pub(super) struct Flow {
    facts: Vec<Fact>,
    /// The block that instructions go to; `None` behind an exit.
    at: Option<Block>,
    frames: Vec<Frame>,
    depth: u8,
    /// Whether waves have all their lanes, until they part.
    is_whole: bool,
    /// The last value that was taken from the lowest lane, and where.
    lowest: Option<(Block, ir::Value)>,
}

/// Whether an instruction stands where some lanes of a function wait for others; of values it is known whether they differ
/// from lane to lane.
pub(in crate::compile) fn parts_lanes(
    f: &ir::Function,
    inst: ir::Inst,
    differs: &dyn Fn(ir::Value) -> bool,
) -> bool {
    facts::is_parted(f, &facts(f, differs), |other| other == inst)
}

impl Flow {
    /// Masks in registers of their own that constructs around this place have.
    pub(super) fn masks(&self) -> impl Iterator<Item = Operand> + '_ {
        self.frames.iter().flat_map(|frame| [frame.waiting, frame.continued]).flatten()
    }
}

/// Notes the first sides that an exit to a construct takes lanes out of: those within it, and its own where it is not the
/// innermost. But whether it ends the innermost, with all lanes that came to that side: those of the other side run next,
/// and are all but these, which need not be switched off before.
fn leave_sides(flow: &mut Flow, to: usize) -> bool {
    let whole = |frame: &Frame| frame.is_first_side() && !frame.strays && frame.out.is_empty();
    let ends_side = flow.frames.last().is_some_and(whole);
    let last = flow.frames.len() - 1;
    for (n, frame) in flow.frames.iter_mut().enumerate().skip(to) {
        frame.strays |= frame.is_first_side() && !(n == last && (n == to || ends_side));
    }
    ends_side
}

impl Select<'_> {
    /// Makes blocks of the function.
    pub(super) fn control(&mut self) -> Outcome {
        let f = self.f;
        let facts = facts(f, &|value| self.homes.differs(value));
        let is_whole = self.own.is_none() && self.comes_whole();
        let entry = self.entry;
        let frames = vec![Frame::new(None, Fact::default(), entry, Vec::new())];
        let mut flow = Flow { facts, at: Some(entry), frames, depth: 0, is_whole, lowest: None };
        let mut walk = Walk::new(f);
        while let Some(step) = walk.next() {
            match step {
                Step::Open(Some(owner), n, _) => self.open(&mut flow, owner, n)?,
                Step::Inst(inst) if flow.at.is_none() && f.owns_blocks(inst) => Walk::skip(&mut walk),
                Step::Inst(inst) => self.step(&mut flow, inst)?,
                Step::Leave(inst) => self.leave(&mut flow, inst)?,
                _ => {}
            }
        }
        self.finish(flow)
    }

    /// Whether lanes may be parted where some instruction of the kernel is.
    pub(super) fn is_parted(&self, is_it: impl Fn(Ir) -> bool) -> bool {
        let f = self.f;
        !self.comes_whole()
            || facts::is_parted(f, &facts(f, &|value| self.homes.differs(value)), |inst| is_it(f.op(inst)))
    }

    /// Whether waves begin with all their lanes, and none ends before others.
    fn comes_whole(&self) -> bool {
        let is_return = |step| matches!(step, Step::Inst(inst) if self.f.op(inst) == Ir::Return);
        self.interface.threads().is_multiple_of(self.wave.into())
            && Walk::new(self.f).filter(|step| is_return(*step)).count() < 2
    }

    fn step(&mut self, flow: &mut Flow, inst: ir::Inst) -> Outcome {
        let Some(at) = flow.at else { return Ok(()) };
        self.all_run = flow.is_whole && flow.frames.iter().all(|frame| frame.fact.keeps_lanes());
        let fact = flow.facts[inst.0 as usize];
        match self.f.op(inst) {
            Ir::Block => {
                let mut frame = Frame::new(Some(inst), fact, at, vec![vec![Way::new(at, None, Vec::new())]]);
                self.prepare(&mut frame, at)?;
                flow.frames.push(frame);
                Ok(())
            }
            Ir::If if fact.parts => self.begin_sides(flow, at, inst, fact),
            Ir::If => self.begin_if(flow, at, inst, fact),
            Ir::Loop => {
                let arms = vec![vec![Way::new(at, None, Vec::new())], Vec::new()];
                let mut frame = Frame { is_loop: true, ..Frame::new(Some(inst), fact, at, arms) };
                self.prepare(&mut frame, at)?;
                flow.frames.push(frame);
                Ok(())
            }
            op if op.is_exit() => {
                if op == Ir::Return {
                    self.span = self.f.inst(inst).span;
                    self.hand_back(at, inst);
                }
                self.exit(flow, at, inst, op);
                Ok(())
            }
            Ir::Call(_) | Ir::CallIndirect if self.waiter(flow).0 == 0 && self.tail_call(at, inst) => {
                flow.at = None;
                Ok(())
            }
            Ir::Call(_) | Ir::CallIndirect => {
                let masks = self.keep_masks(flow, at, inst);
                self.instruction(at, inst)?;
                self.restore_masks(at, masks);
                Ok(())
            }
            op => {
                if op == Ir::BroadcastFirst {
                    flow.lowest = self.f.result_of(inst).map(|value| (at, value));
                }
                self.instruction(at, inst)
            }
        }
    }

    /// Keeps what the end of a construct needs to know of its lanes.
    fn prepare(&mut self, frame: &mut Frame, at: Block) -> Outcome {
        let Fact { leaves, escapes, continues, .. } = frame.fact;
        if leaves && !escapes && !frame.fact.parts {
            frame.saved = Some(self.running(at));
        }
        if leaves && escapes {
            let mask = self.mask_register()?;
            self.copy_mask(at, mask, Operand::imm(0));
            frame.waiting = Some(mask);
        }
        if continues {
            frame.continued = Some(self.mask_register()?);
        }
        Ok(())
    }

    fn mask_register(&mut self) -> Outcome<Operand> {
        self.lasting_mask().ok_or_else(|| {
            let error = Diagnostic::error(self.span, "lanes leave constructs that are nested too deeply");
            vec![error.help("leave fewer loops and conditions from within")]
        })
    }

    /// A branch of the wave.
    fn begin_if(&mut self, flow: &mut Flow, at: Block, inst: ir::Inst, fact: Fact) -> Outcome {
        let mut frame = Frame::new(Some(inst), fact, at, Vec::new());
        self.prepare(&mut frame, at)?;
        self.set_scc(at, self.f.args(inst)[0]);
        let branch = self.push(at, Op::Sopp(Sopp::CbranchScc0), &[], &[OPEN], Default::default());
        // The label has to be found among what is read.
        frame.arms = vec![vec![Way::new(at, None, Vec::new())], vec![Way::new(at, Some(branch), Vec::new())]];
        flow.frames.push(frame);
        Ok(())
    }

    /// Both sides, one after the other.
    fn begin_sides(&mut self, flow: &mut Flow, at: Block, inst: ir::Inst, fact: Fact) -> Outcome {
        let condition = self.one(self.f.args(inst)[0]);
        let mask = self.mask(at, condition);
        let mut frame = Frame::new(Some(inst), fact, at, Vec::new());
        self.prepare(&mut frame, at)?;
        frame.saved = Some(self.run_where(at, mask));
        frame.condition = Some(mask);
        frame.is_for_some = self.holds_for_lowest(flow, at, self.f.args(inst)[0]);
        let skip = self.branch_if_none(at);
        frame.next.push(Way::new(at, Some(skip), Vec::new()));
        frame.arms = vec![vec![Way::new(at, None, Vec::new())], Vec::new()];
        flow.frames.push(frame);
        Ok(())
    }

    /// Whether a condition asks who has what the lowest lane has: then that one does.
    fn holds_for_lowest(&self, flow: &Flow, at: Block, condition: ir::Value) -> bool {
        let Some((_, lowest)) = flow.lowest.filter(|(block, _)| *block == at) else { return false };
        let made_by = |value| match self.f.def(value) {
            ir::Def::Result(inst, 0) => Some((self.f.op(inst), self.f.args(inst))),
            _ => None,
        };
        let (Some((Ir::IEq, [a, b])), Some((_, [of]))) = (made_by(condition), made_by(lowest)) else {
            return false;
        };
        [a, b] == [of, &lowest] || [b, a] == [of, &lowest]
    }

    fn open(&mut self, flow: &mut Flow, owner: ir::Inst, n: u32) -> Outcome {
        self.known.enter(flow.frames.len() - 1);
        let Some(frame) = flow.frames.last_mut() else { return Ok(()) };
        frame.block = n;
        let ways = std::mem::take(&mut frame.arms[n as usize]);
        let params = self.f.block(self.f.blocks_of(owner)[n as usize]).params.clone();
        let (is_loop, fact) = (frame.is_loop, frame.fact);
        match (is_loop, n) {
            (true, 0) => {
                flow.depth = flow.depth.saturating_add(1);
                self.open_loop(flow, ways, &params);
            }
            (true, _) if fact.continues => self.join_iteration(flow, ways, &params),
            (false, 1) if fact.parts => self.other_side(flow, owner),
            _ => flow.at = self.join(flow, ways, &params),
        }
        Ok(())
    }

    /// Changes over to the lanes of the other side.
    fn other_side(&mut self, flow: &mut Flow, owner: ir::Inst) {
        let depth = flow.depth;
        let Some(frame) = flow.frames.last_mut() else { return };
        let mut next = std::mem::take(&mut frame.next);
        if frame.is_for_some && next.len() > 1 {
            // Nobody skips a side on which some lane always is.
            let skip = next.remove(0);
            self.code.block_mut(skip.from).insts.pop();
        }
        let invert = self.code.block(depth);
        next.iter().for_each(|way| way.lead(&mut self.code, &[Graph::Linear], invert));
        if frame.fact.escapes && !frame.out.is_empty() {
            frame.first = Some(self.running(invert));
        }
        // All that ran the first side still do, or none of them where the program counter skipped it.
        let exec = code::exec(self.wave);
        let ran = if frame.strays { frame.condition } else { Some(exec) };
        if let (Some(saved), Some(ran)) = (frame.saved, ran) {
            self.run_others(invert, [saved, ran]);
        }
        // What stands in a loop may count on lanes.
        let insts = &self.f.block(self.f.blocks_of(owner)[1]).insts;
        let is_long = insts.len() > 1 || insts.iter().any(|&inst| self.f.owns_blocks(inst));
        if is_long {
            let skip = self.branch_if_none(invert);
            frame.next.push(Way::new(invert, Some(skip), Vec::new()));
        }
        let block = self.code.block(depth);
        self.code.edge_in(Graph::Linear, invert, block);
        self.code.edge_in(Graph::Logical, frame.entry, block);
        flow.at = Some(block);
    }

    /// Where a value that control defines lives: file and size of each part, and its kind.
    fn places(&self, value: ir::Value, joins_lanes: bool) -> Vec<(File, u16, Kind)> {
        let in_wave = !joins_lanes && self.homes.is_scalar(value);
        let place = |kind: Kind| match kind {
            Kind::Mask | Kind::Truth if joins_lanes => (VECTOR, 1, Kind::Mask),
            Kind::Mask | Kind::Truth if in_wave => (SCALAR, 1, Kind::Truth),
            Kind::Mask | Kind::Truth => (SCALAR, Kind::Mask.size(self.wave), Kind::Mask),
            kind if in_wave => (SCALAR, kind.size(self.wave), kind),
            kind => (VECTOR, kind.size(self.wave), kind),
        };
        self.kinds(self.f.ty(value)).into_iter().map(place).collect()
    }

    /// The parts of values as those of others, which control defines, want them.
    fn handed(
        &mut self,
        at: Block,
        to: &[ir::Value],
        values: &[ir::Value],
        joins_lanes: bool,
    ) -> Vec<Operand> {
        let mut all = Vec::new();
        for (&to, &value) in to.iter().zip(values) {
            let places = self.places(to, joins_lanes);
            let parts = self.value(value);
            for (place, part) in places.into_iter().zip(parts) {
                all.push(self.handed_part(at, place, part));
            }
        }
        all
    }

    pub(super) fn handed_part(
        &mut self,
        at: Block,
        (file, size, kind): (File, u16, Kind),
        part: Part,
    ) -> Operand {
        let undef = Operand { file, size, ..Operand::default() };
        if part.from == From::Undef {
            return undef;
        }
        // Numbers are made where they are handed over: one place cannot be that of several values.
        if part.bits().is_some() {
            self.moved.remove(&(at, part));
            self.firsts.remove(&(at, part));
            self.moved.remove(&(at, Part { kind: Kind::Mask, ..part }));
        }
        let operand = match (file, kind) {
            (VECTOR, _) => self.in_vector(at, part),
            (_, Kind::Mask) => self.mask(at, part),
            (_, Kind::Truth) if part.kind == Kind::Mask => {
                self.set_scc_of(at, part);
                let truth = self.truth_of_scc(at);
                self.in_scalar(at, truth)
            }
            _ => self.in_scalar(at, part),
        };
        if part.bits().is_some() {
            self.moved.remove(&(at, part));
            self.firsts.remove(&(at, part));
            self.moved.remove(&(at, Part { kind: Kind::Mask, ..part }));
        }
        Operand { align: 1, ..operand }
    }

    /// The head of a loop: its phis wait for what the last block brings.
    fn open_loop(&mut self, flow: &mut Flow, ways: Vec<Way>, params: &[ir::Value]) {
        let Some(way) = ways.into_iter().next() else { return };
        let head = self.code.block(flow.depth);
        let Some(frame) = flow.frames.last_mut() else { return };
        let args = frame.inst.map(|inst| self.f.args(inst).to_vec()).unwrap_or_default();
        let given = self.handed(way.from, params, &args, false);
        way.lead(&mut self.code, &BOTH, head);
        let mut given = given.into_iter();
        let mut phis = Vec::new();
        for &param in params {
            let mut parts = Vec::new();
            for place in self.places(param, false) {
                let from = given.next().unwrap_or_default();
                let (phi, part) = self.phi(head, place, &[from, from]);
                phis.push(phi);
                parts.push(part);
            }
            self.values[param.0 as usize] = Some(parts);
        }
        if let Some(mask) = frame.continued {
            self.copy_mask(head, mask, Operand::imm(0));
        }
        (frame.head, frame.phis) = (Some(head), phis);
        flow.at = Some(head);
    }

    fn phi(&mut self, block: Block, (file, size, kind): (File, u16, Kind), uses: &[Operand]) -> (Inst, Part) {
        let align = if file == SCALAR { size.next_power_of_two().min(4) as u8 } else { 1 };
        let value = self.code.value(file, size, align);
        let def = self.code.operand(value);
        let phi = self.code.push(block, Mach::Phi, &[def], uses);
        (phi, Part::new(From::Value(value, 0), kind))
    }

    /// A block to which lanes and the program counter come together; values that control defines get what they bring.
    fn join(&mut self, flow: &mut Flow, ways: Vec<Way>, values: &[ir::Value]) -> Option<Block> {
        let block = self.meet(flow.depth, &ways)?;
        self.define(block, &ways, values, false);
        Some(block)
    }

    /// Gives values what ways bring to a block.
    fn define(&mut self, block: Block, ways: &[Way], values: &[ir::Value], joins_lanes: bool) {
        let mut n = 0;
        let mut bools: Vec<(ir::Value, Vec<Part>)> = Vec::new();
        for &value in values {
            let mut parts = Vec::new();
            for place in self.places(value, joins_lanes) {
                parts.push(self.brought(block, ways, n, place));
                n += 1;
            }
            bools.push((value, parts));
        }
        for (value, mut parts) in bools {
            for part in &mut parts {
                if part.kind == Kind::Mask && self.is_vector(*part) {
                    let word = Part { kind: Kind::Word, ..*part };
                    *part = self.compared(
                        block,
                        Op::Vopc(Vopc::CmpNeU32),
                        &[(Part::number(0), WORD), (word, WORD)],
                    );
                }
            }
            self.values[value.0 as usize] = Some(parts);
        }
    }

    /// What ways bring as part number `n`.
    fn brought(&mut self, block: Block, ways: &[Way], n: usize, place: (File, u16, Kind)) -> Part {
        let undef = Operand { file: place.0, size: place.1, ..Operand::default() };
        let uses: Vec<Operand> = ways.iter().map(|way| way.parts.get(n).copied().unwrap_or(undef)).collect();
        if uses.iter().all(|used| *used == uses[0]) && uses[0].value().is_some() {
            return Self::part(uses[0], place.2);
        }
        self.phi(block, place, &uses).1
    }

    /// The block that ways of lanes and the program counter lead to. A jump to what would follow is none.
    fn meet(&mut self, depth: u8, ways: &[Way]) -> Option<Block> {
        if let [only] = ways {
            let is_last = only.from.0 as usize + 1 == self.code.block_count();
            let data = self.code.block_data(only.from);
            let exits = data.insts.iter().filter(|&&inst| self.code.inst(inst).effects.is_control()).count();
            let is_sure = exits == usize::from(only.exit.is_some());
            let is_free =
                data.linear.succs.is_empty() && data.logical.succs.is_empty() && data.depth == depth;
            let changes = data.insts.iter().any(|&inst| self.code.inst(inst).effects.is_tail());
            if is_last && is_sure && is_free && (only.exit.is_some() || !changes) {
                if only.exit.is_some() {
                    self.code.block_mut(only.from).insts.pop();
                }
                return Some(only.from);
            }
        }
        ways.first()?;
        let block = self.code.block(depth);
        ways.iter().for_each(|way| way.lead(&mut self.code, &BOTH, block));
        Some(block)
    }

    /// The innermost place where lanes wait.
    fn waiter(&self, flow: &Flow) -> (usize, Place) {
        let frames = flow.frames.iter().enumerate().rev();
        let found = frames.filter_map(|(n, frame)| Some((n, frame.waits()?))).next();
        found.unwrap_or((0, Place::Next))
    }

    /// The program counter goes to where lanes wait.
    fn go_to_waiter(&self, flow: &mut Flow, way: Way) {
        let (n, place) = self.waiter(flow);
        match place {
            Place::Next => flow.frames[n].next.push(way),
            Place::Iteration => flow.frames[n].next_iteration.push(way),
        }
    }

    fn exit(&mut self, flow: &mut Flow, at: Block, inst: ir::Inst, op: Ir) {
        flow.at = None;
        let target = op.target().and_then(|to| flow.frames.iter().rposition(|frame| frame.inst == Some(to)));
        let Some(to) = target else { return self.leave_function(flow, at) };
        let frame = &flow.frames[to];
        let (owner, fact) = (frame.inst, frame.fact);
        let params: Vec<ir::Value> = match (op, owner) {
            (Ir::Exit(_), Some(owner)) => self.f.results(owner).collect(),
            (_, Some(owner)) => {
                let n = usize::from(matches!(op, Ir::Continue(_)));
                self.f.block(self.f.blocks_of(owner)[n]).params.clone()
            }
            _ => Vec::new(),
        };
        let joins_lanes = match op {
            Ir::Exit(_) => frame.joins_lanes(),
            Ir::Continue(_) => fact.continues,
            _ => false,
        };
        let args = self.f.args(inst).to_vec();
        let parts = self.handed(at, &params, &args, joins_lanes);
        let (waiter, place) = self.waiter(flow);
        let is_free = waiter < to || waiter == to && (place == Place::Next || !matches!(op, Ir::Exit(_)));
        let ends_side = leave_sides(flow, to);
        if !is_free {
            self.add_waiting(flow, at, to, op);
            if !ends_side {
                self.run_none(at);
            }
        }
        let (jump, is_repeat) = (self.jump(at), matches!(op, Ir::Repeat(_)));
        let linear = Way::new(at, Some(jump), Vec::new());
        let logical = Way { parts, ..linear.clone() };
        if !is_free {
            self.go_to_waiter(flow, linear);
        } else if joins_lanes {
            match op {
                Ir::Continue(_) => flow.frames[to].next_iteration.push(linear),
                _ => flow.frames[to].next.push(linear),
            }
        }
        let frame = &mut flow.frames[to];
        match op {
            Ir::Exit(_) => frame.out.push(logical),
            _ if is_repeat => frame.again.push(logical),
            _ => frame.arms[1].push(logical),
        }
    }

    /// Lanes wait for the end of what they leave.
    fn add_waiting(&mut self, flow: &Flow, at: Block, to: usize, op: Ir) {
        let frame = &flow.frames[to];
        let mask = if matches!(op, Ir::Exit(_)) { frame.waiting } else { frame.continued };
        if let Some(mask) = mask {
            let exec = code::exec(self.wave);
            self.add_lanes(at, mask, exec);
        }
    }

    /// Lanes that are done.
    fn leave_function(&mut self, flow: &mut Flow, at: Block) {
        let (waiter, _) = self.waiter(flow);
        let ends_side = leave_sides(flow, 0);
        if waiter > 0 && !ends_side {
            self.run_none(at);
        }
        let jump = self.jump(at);
        let way = Way::new(at, Some(jump), Vec::new());
        if waiter > 0 {
            self.go_to_waiter(flow, way);
        } else {
            flow.frames[0].out.push(way);
        }
    }

    /// The end of an iteration that lanes came to at different times.
    fn join_iteration(&mut self, flow: &mut Flow, ways: Vec<Way>, params: &[ir::Value]) {
        let Some(frame) = flow.frames.last_mut() else { return };
        let (next, mask) = (std::mem::take(&mut frame.next_iteration), frame.continued);
        let may_be_none = frame.fact.leaves || frame.fact.escapes;
        flow.at = None;
        if next.is_empty() {
            return;
        }
        let joint = self.code.block(flow.depth);
        next.iter().for_each(|way| way.lead(&mut self.code, &[Graph::Linear], joint));
        if let Some(mask) = mask {
            self.run_too(joint, mask);
        }
        self.go_on(flow, joint, ways, (params, may_be_none));
    }

    /// Behind a block in which lanes came together: where some may be left, those go on.
    fn go_on(
        &mut self,
        flow: &mut Flow,
        joint: Block,
        ways: Vec<Way>,
        (values, may_be_none): (&[ir::Value], bool),
    ) {
        if ways.is_empty() {
            let jump = self.jump(joint);
            return self.go_to_waiter(flow, Way::new(joint, Some(jump), Vec::new()));
        }
        if may_be_none {
            let skip = self.branch_if_none(joint);
            self.go_to_waiter(flow, Way::new(joint, Some(skip), Vec::new()));
        }
        let block = self.code.block(flow.depth);
        self.code.edge_in(Graph::Linear, joint, block);
        ways.iter().for_each(|way| way.lead(&mut self.code, &[Graph::Logical], block));
        self.define(block, &ways, values, true);
        flow.at = Some(block);
    }

    fn leave(&mut self, flow: &mut Flow, inst: ir::Inst) -> Outcome {
        let Some(mut frame) = flow.frames.pop() else { return Ok(()) };
        self.known.leave(flow.frames.len());
        if frame.is_loop {
            self.close_loop(flow, &mut frame);
            flow.depth -= 1;
        }
        let results: Vec<ir::Value> = self.f.results(inst).collect();
        let out = std::mem::take(&mut frame.out);
        if !frame.joins_lanes() {
            flow.at = self.join(flow, out, &results);
            return Ok(());
        }
        flow.at = None;
        if frame.next.is_empty() {
            return Ok(());
        }
        let joint = self.code.block(flow.depth);
        frame.next.iter().for_each(|way| way.lead(&mut self.code, &[Graph::Linear], joint));
        if !out.is_empty() {
            self.rejoin(&frame, joint);
        }
        self.go_on(flow, joint, out, (&results, frame.fact.escapes));
        Ok(())
    }

    /// Lanes that came to the end of a construct run again.
    fn rejoin(&mut self, frame: &Frame, joint: Block) {
        if let (Some(saved), false) = (frame.saved, frame.fact.escapes) {
            return self.run(joint, saved);
        }
        for lanes in [frame.first, frame.waiting].into_iter().flatten() {
            self.run_too(joint, lanes);
        }
    }

    /// One block goes back to the head.
    fn close_loop(&mut self, flow: &Flow, frame: &mut Frame) {
        let Some(head) = frame.head else { return };
        let again = std::mem::take(&mut frame.again);
        let Some(last) = self.meet(flow.depth, &again) else {
            // No path goes back: the phis have one use.
            for &phi in &frame.phis {
                let (defs, uses) = (self.code.defs(phi).to_vec(), self.code.uses(phi)[..1].to_vec());
                self.code.set_operands(phi, &defs, &uses);
            }
            return;
        };
        for (n, &phi) in frame.phis.iter().enumerate() {
            let def = self.code.defs(phi)[0];
            let part = self.brought(last, &again, n, (def.file, def.size, Kind::Word));
            let operand = match part.from {
                From::Value(value, at) => self.code.operand(value).part(at, def.size),
                _ => Operand { file: def.file, size: def.size, ..Operand::default() },
            };
            self.code.uses_mut(phi)[1] = operand;
        }
        let jump = self.jump(last);
        Way::new(last, Some(jump), Vec::new()).lead(&mut self.code, &BOTH, head);
    }

    fn finish(&mut self, mut flow: Flow) -> Outcome {
        let frame = flow.frames.remove(0);
        let ends: Vec<Way> = frame.out;
        if ends.is_empty() && frame.next.is_empty() && !self.has_tails {
            let error = Diagnostic::error(self.f.span, "no path through the shader ends");
            return Err(vec![error.help("give its loops a condition that can become false")]);
        }
        let block = match (&ends[..], frame.next.is_empty()) {
            (_, true) => self.meet(0, &ends),
            _ => {
                let block = self.code.block(0);
                ends.iter().for_each(|way| way.lead(&mut self.code, &BOTH, block));
                frame.next.iter().for_each(|way| way.lead(&mut self.code, &[Graph::Linear], block));
                Some(block)
            }
        };
        if let Some(block) = block {
            self.end(block);
        }
        let first = self.first_lasting(self.lasting);
        // Parameters may stand among masks and behind them.
        let agreed = |n: &u16| self.is_agreed(Pool::Sgpr, *n..*n + 1);
        let limit = (first..SGPRS).rev().find(agreed).map_or(first, |last| last + 1);
        let kept: Vec<Range<u16>> = (first..limit).filter(|n| !agreed(n)).map(|n| n..n + 1).collect();
        let stack = self.own.map(|own| own.system(SystemParameter::StackPointer));
        let rows = self.rows.scalars();
        if rows.as_ref().is_some_and(|rows| rows.end > first) {
            let error =
                Diagnostic::error(self.f.span, "masks of constructs leave no registers for variables");
            return Err(vec![error]);
        }
        let reserved = stack.map(|unit| unit..unit + 1).into_iter().chain(rows);
        let reserved = reserved.chain(self.of_returns(Pool::Sgpr)).chain(kept).collect();
        self.code.set_room(Room { file: SCALAR, limit, reserved });
        let of_lanes: Vec<Range<u16>> = self.of_returns(Pool::Vgpr).collect();
        if self.own.is_some() || !of_lanes.is_empty() {
            let limit = self.own.map_or(VGPRS, |own| own.convention.limit.vgpr);
            let rows = self.code.room(VECTOR).map_or_else(Vec::new, |room| room.reserved.clone());
            let rows = rows.into_iter().filter(|_| self.own.is_none());
            let reserved = rows.chain(of_lanes).chain(self.holders(limit)).collect();
            self.code.set_room(Room { file: VECTOR, limit, reserved });
        }
        Ok(())
    }
}
