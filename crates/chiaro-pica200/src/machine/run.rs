//! Batches of vertices. Lanes that agree on their place and their stacks run as one group
//! ([`chiaro_sim::groups`]).

use std::ops::Range;
use std::sync::Arc;

use chiaro_sim::groups::{self, Diverge, Groups, lanes_of};
use chiaro_sim::transpose::{self, Rows};
use chiaro_sim::{LANES, Lanes, State, scalar};

use super::emit::{Emitter, Event};
use super::flow::{Flow, Scopes};
use super::path::Known;
use super::program::{MOST_WORDS, Program};
use super::registers::Register;
use super::report::{Cause, Fault, Layout, MOST_FAULTS, Report, SizeError};

/// What lanes at the same place have in common.
#[derive(Clone, Debug, Default)]
pub(crate) struct Past {
    /// Words run so far, to find endless loops.
    pub(crate) words: u32,
    pub(crate) scopes: Scopes,
}

/// Lanes that are at the same place with the same stacks.
pub(crate) type Group = groups::Group<Past>;

impl groups::Past for Past {
    fn meets(&self, other: &Past) -> bool {
        self.scopes == other.scopes
    }

    fn absorb(&mut self, other: Past) {
        self.words = self.words.max(other.words);
    }
}

/// A program with its data and the state of one batch.
#[derive(Clone, Debug)]
pub struct Machine {
    pub(crate) program: Arc<Program>,
    pub(crate) state: State,
    pub(crate) ints: [[u8; 4]; 4],
    pub(crate) bools: u16,
    /// Lanes that wait for their turn.
    groups: Groups<Past>,
    /// aL of each lane at its end.
    counters: [u32; LANES],
    /// For geometry programs, one for each lane.
    emitters: Vec<Emitter>,
    /// Lanes that stand for vertices; the others repeat the last one.
    real: u32,
    /// The first vertex of the batch.
    base: u64,
    report: Report,
    faults: Vec<Fault>,
    /// What is known of the uniforms and the layout of the last run of many vertices.
    path: Option<Known>,
}

/// With fewer vertices their way is not worth finding out.
const FEW: usize = 4 * LANES;

/// With so many it is found out at once, with fewer when the same uniforms and layout come again. (Measured: it takes as
/// long as 1,000 to 5,000 vertices, so whoever sets a boolean for each hundred must not pay for it.)
const MANY: usize = 4096;

impl Program {
    /// A machine for this program, with all uniforms zero.
    #[must_use]
    pub fn machine(self: &Arc<Self>) -> Machine {
        Machine::new(Arc::clone(self))
    }
}

impl Machine {
    pub(crate) fn new(program: Arc<Program>) -> Self {
        let mut state = State::new(program.code.slot_count(), 0);
        program.fill(&mut state.lanes);
        state.tables.push(program.table());
        Self {
            program,
            state,
            ints: [[0; 4]; 4],
            bools: 0,
            groups: Groups::default(),
            counters: [0; LANES],
            emitters: Vec::new(),
            real: u32::MAX,
            base: 0,
            report: Report::default(),
            faults: Vec::new(),
            path: None,
        }
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Sets c`index` from binary32, in `hw24` rounded to float24; numbers above
    /// 95 are ignored, as the hardware ignores them. \[3dbrew]
    pub fn set_float(&mut self, index: u8, value: [f32; 4]) {
        self.set_row(index, value.map(|x| self.program.number(x)));
    }

    /// Sets c`index` from raw float24, x y z w.
    pub fn set_float24(&mut self, index: u8, raw: [u32; 4]) {
        self.set_row(index, raw.map(|raw| self.program.stored(raw).to_bits()));
    }

    pub(super) fn set_row(&mut self, index: u8, row: [u32; 4]) {
        if index >= 96 {
            return;
        }
        self.state.tables[0].rows_mut()[usize::from(index)] = row;
        if let Some((_, slots)) = self.program.floats.iter().find(|(n, _)| *n == index) {
            for (slot, value) in slots.iter().zip(row) {
                *self.state.lanes_mut(*slot) = Lanes::splat(value);
            }
        }
    }

    /// Sets i`index`: x y z w; numbers above 3 are ignored.
    pub fn set_int(&mut self, index: u8, value: [u8; 4]) {
        if let Some(int) = self.ints.get_mut(usize::from(index)) {
            *int = value;
        }
    }

    /// Sets b`index`; numbers above 15 are ignored.
    pub fn set_bool(&mut self, index: u8, value: bool) {
        if index < 16 {
            self.bools = self.bools & !(1 << index) | u16::from(value) << index;
        }
    }

    /// Runs the program on all vertices of `inputs`, which has the rows of one
    /// vertex after the other in the order of `layout`, and writes their outputs
    /// to `outputs` in the same manner. Allocates where the layout, integers or booleans are not those of the last runs
    /// (and for geometry programs, whose events it drops; see [`execute`](Machine::execute)), else nothing.
    ///
    /// # Errors
    /// If the slices do not hold the same number of whole vertices.
    pub fn run(
        &mut self,
        layout: &Layout,
        inputs: &[[f32; 4]],
        outputs: &mut [[f32; 4]],
    ) -> Result<Report, SizeError> {
        let count = layout.vertices(inputs.len(), outputs.len())?;
        let program = Arc::clone(&self.program);
        self.report = Report { vertices: count as u64, ..Report::default() };
        self.faults.clear();
        // Geometry invocations see b15 as the one before left it.
        let most = if program.config.geometry.is_some() { 1 } else { LANES };
        let mut first = self.run_path(&program, layout, inputs, outputs, count);
        while first < count {
            let lanes = (count - first).min(most);
            self.base = first as u64;
            self.start(lanes);
            self.load_inputs(&program, layout, inputs, first, lanes);
            // All lanes, also those that repeat a vertex: that is the faster way.
            self.execute_lanes(&program, u32::MAX);
            self.store_outputs(layout, outputs, first, lanes);
            first += lanes;
        }
        Ok(self.report)
    }

    /// Runs batches along the way that the uniforms decide, if they do, and gives the number of their vertices. The
    /// last batch is left: its registers can be asked for.
    fn run_path(
        &mut self,
        program: &Program,
        layout: &Layout,
        inputs: &[[f32; 4]],
        outputs: &mut [[f32; 4]],
        count: usize,
    ) -> usize {
        if count < FEW {
            return 0;
        }
        let (ints, bools) = (self.ints, self.bools);
        let known = self.path.take().filter(|known| known.is_for(ints, bools, layout));
        let is_again = known.is_some();
        let mut known = known.unwrap_or_else(|| Known::new(ints, bools, layout));
        if is_again || count >= MANY {
            known.find(program);
        }
        let mut first = 0;
        if let Some(path) = known.path() {
            self.state.active = u32::MAX;
            while count - first > LANES {
                path.run(&mut self.state, inputs, outputs, first);
                first += LANES;
            }
            self.report.words += path.words() * first as u64;
        }
        self.path = Some(known);
        first
    }

    /// Faults of the last run, the first [`MOST_FAULTS`].
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Prepares a batch of `lanes` vertices (1 to 32) by hand: then
    /// [`set_input`](Machine::set_input), [`execute`](Machine::execute), and the
    /// functions that read registers.
    pub fn start(&mut self, lanes: usize) {
        for (slot, value) in &self.program.clear {
            self.state.lanes[usize::from(slot.0)] = Lanes::splat(*value);
        }
        self.real = u32::MAX >> (LANES - lanes.clamp(1, LANES));
        if let Some(mask) = self.program.config.geometry {
            let start = self.program.start_of(self.program.regs.quad(Register::Output(0))[0]);
            self.emitters.clear();
            self.emitters.resize(LANES, Emitter::new(mask, start));
        }
    }

    /// Sets v`index` of a lane.
    pub fn set_input(&mut self, lane: usize, index: u8, value: [f32; 4]) {
        let quad = self.program.regs.quad(Register::Input(index));
        for (slot, x) in quad.iter().zip(value) {
            let bits = self.program.number(x);
            self.state.lanes_mut(*slot).0[lane % LANES] = bits;
        }
    }

    /// Runs the prepared batch to its end.
    pub fn execute(&mut self) {
        let program = Arc::clone(&self.program);
        self.execute_lanes(&program, self.real);
    }

    fn execute_lanes(&mut self, program: &Program, lanes: u32) {
        if let Some(words) = program.straight.as_ref().filter(|_| lanes == u32::MAX) {
            // No lane parts from the others: there is no group to follow.
            return self.execute_straight(program, words);
        }
        let start = self.first_group(lanes);
        let mut groups = std::mem::take(&mut self.groups);
        groups.run(start, &mut Runner { machine: self, program });
        self.groups = groups;
        self.state.active = u32::MAX;
        if program.config.geometry.is_some() {
            // b15 is true after every geometry invocation. [picasso manual]
            self.bools |= 1 << 15;
        }
    }

    fn execute_straight(&mut self, program: &Program, words: &Range<usize>) {
        self.report.words += u64::from(self.real.count_ones()) * words.len() as u64;
        self.state.active = u32::MAX;
        self.compute(program, program.uops(words));
    }

    pub(crate) fn first_group(&self, lanes: u32) -> Group {
        Group { pc: self.program.entry.into(), lanes, past: Past::default() }
    }

    /// Runs from the group's place to the end of the straight run, at most `limit` words, and
    /// does what its last word says. False if the group has ended.
    pub(crate) fn run_straight(
        &mut self,
        program: &Program,
        group: &mut Group,
        others: &mut Groups<Past>,
        limit: usize,
    ) -> bool {
        if group.pc as usize >= MOST_WORDS - 1 {
            return self.end(group);
        }
        let first = program.line_at(group.pc);
        let last = program.lines[first].last.min(first.saturating_add(limit - 1));
        let words = (last - first) as u32 + 1;
        group.past.words = group.past.words.saturating_add(words);
        self.report.words += u64::from((group.lanes & self.real).count_ones()) * u64::from(words);
        if group.past.words > program.config.fuel {
            return self.fault(group, Cause::Fuel);
        }
        self.compute(program, program.uops(&(first..last + 1)));
        group.pc += words - 1;
        self.steer(group, others, program.lines[last].flow)
    }

    fn compute(&mut self, program: &Program, uops: Range<usize>) {
        if uops.is_empty() {
            return;
        }
        match &program.prepared {
            Some(prepared) => prepared.run(uops, &mut self.state),
            None => scalar::run(&program.code.uops[uops], &program.code.envs, &mut self.state, &mut ()),
        }
    }

    /// Does what the word at the group's place says about the flow.
    fn steer(&mut self, group: &mut Group, others: &mut Groups<Past>, flow: Flow) -> bool {
        match flow {
            Flow::End => return self.end(group),
            Flow::Unknown => return self.fault(group, Cause::Unknown),
            Flow::Emit => self.emit(group.lanes),
            Flow::SetEmit { vertex, primitive, winding } => {
                for (_, emitter) in lanes_of(group.lanes, &mut self.emitters) {
                    emitter.set(vertex, primitive, winding);
                }
            }
            _ => {}
        }
        let taken = self.taken(group.lanes, flow);
        if taken != 0 && taken != group.lanes {
            let mut other = group.part(!taken);
            if self.step(&mut other, flow, false) {
                others.wait(other);
            }
        }
        self.step(group, flow, taken != 0)
    }

    /// The lanes that take a branch.
    pub(crate) fn taken(&self, lanes: u32, flow: Flow) -> u32 {
        use super::flow::Test;
        let test = flow.test();
        let [x, y] = match test {
            Test::Flags(_) => self.program.regs.cmp.map(|slot| self.state.truth(slot)),
            _ => [0; 2],
        };
        lanes & test.holds(x, y, self.bools)
    }

    fn step(&mut self, group: &mut Group, flow: Flow, taken: bool) -> bool {
        let counter_mask = self.program.config.counter_mask();
        let before = group.past.scopes.counter;
        match group.past.scopes.step(flow, group.pc as u16, taken, &self.ints, counter_mask) {
            Ok(pc) => group.pc = pc.into(),
            Err(_) => return self.fault(group, Cause::BreakOutsideLoop),
        }
        if group.past.scopes.counter != before && self.program.indexes_by_counter {
            self.publish_counter(group);
        }
        true
    }

    /// Makes aL what indexing by it adds.
    fn publish_counter(&mut self, group: &Group) {
        let offset = group.past.scopes.added();
        let slot = self.state.lanes_mut(self.program.regs.offset[2]);
        for (lane, value) in slot.0.iter_mut().enumerate() {
            if group.lanes >> lane & 1 != 0 {
                *value = offset;
            }
        }
    }

    fn end(&mut self, group: &Group) -> bool {
        let last = group.past.scopes.counter;
        if group.lanes == u32::MAX {
            self.counters = [last; LANES];
        } else {
            lanes_of(group.lanes, &mut self.counters).for_each(|(_, counter)| *counter = last);
        }
        false
    }

    fn fault(&mut self, group: &Group, cause: Cause) -> bool {
        let lanes = group.lanes & self.real;
        self.report.faults += u64::from(lanes.count_ones());
        for lane in (0..LANES).filter(|lane| lanes >> lane & 1 != 0) {
            if self.faults.len() < MOST_FAULTS {
                self.faults.push(Fault { vertex: self.base + lane as u64, pc: group.pc as u16, cause });
            }
        }
        self.end(group)
    }

    fn emit(&mut self, lanes: u32) {
        let mask = self.program.config.geometry.unwrap_or(0);
        let quads: [_; 16] = std::array::from_fn(|n| self.program.regs.quad(Register::Output(n as u8)));
        for (lane, emitter) in lanes_of(lanes, &mut self.emitters) {
            let mut outputs = quads.map(|quad| quad.map(|slot| self.state.lanes(slot).0[lane]));
            emitter.emit(&mut outputs, mask);
            for (quad, row) in quads.iter().zip(outputs) {
                for (slot, value) in quad.iter().zip(row) {
                    self.state.lanes_mut(*slot).0[lane] = value;
                }
            }
        }
    }

    /// The bits of a register of a lane after a run, as binary32.
    #[must_use]
    pub fn register(&self, lane: usize, register: Register) -> [u32; 4] {
        self.program.regs.quad(register).map(|slot| self.state.lanes(slot).0[lane % LANES])
    }

    /// a0.x, a0.y and aL of a lane after a run.
    #[must_use]
    pub fn address(&self, lane: usize) -> [i32; 3] {
        let [x, y] = self.program.regs.a.map(|slot| self.state.lanes(slot).0[lane % LANES] as i32);
        [x, y, self.counters[lane % LANES] as i32]
    }

    /// cmp.x and cmp.y of a lane after a run.
    #[must_use]
    pub fn flags(&self, lane: usize) -> [bool; 2] {
        self.program.regs.cmp.map(|slot| self.state.lanes(slot).0[lane % LANES] != 0)
    }

    /// What a lane of a geometry program handed on in the last batch.
    #[must_use]
    pub fn events(&self, lane: usize) -> &[Event] {
        self.emitters.get(lane).map_or(&[], |emitter| &emitter.events)
    }

    fn load_inputs(
        &mut self,
        program: &Program,
        layout: &Layout,
        inputs: &[[f32; 4]],
        first: usize,
        lanes: usize,
    ) {
        let stride = layout.inputs.len();
        for (k, register) in layout.inputs.iter().enumerate() {
            // Lanes without a vertex repeat the last one, so that all stay together.
            let which = Rows { first: first * stride + k, stride, lanes };
            let slot = program.regs.first(Register::Input(*register));
            transpose::load(program.engine(), inputs, which, self.state.quad_mut(slot));
            self.compute(program, program.narrow_inputs[usize::from(register & 15)].clone());
        }
    }

    fn store_outputs(&self, layout: &Layout, outputs: &mut [[f32; 4]], first: usize, lanes: usize) {
        let stride = layout.outputs.len();
        for (k, register) in layout.outputs.iter().enumerate() {
            let columns = self.state.quad(self.program.regs.first(Register::Output(*register))).each_ref();
            let which = Rows { first: first * stride + k, stride, lanes };
            transpose::store(self.program.engine(), columns, outputs, which);
        }
    }
}

/// A machine while it runs its program.
struct Runner<'a> {
    machine: &'a mut Machine,
    program: &'a Program,
}

impl Diverge for Runner<'_> {
    type Past = Past;

    fn advance(&mut self, group: &mut Group, others: &mut Groups<Past>) -> bool {
        self.machine.state.active = group.lanes;
        self.machine.run_straight(self.program, group, others, usize::MAX)
    }
}
