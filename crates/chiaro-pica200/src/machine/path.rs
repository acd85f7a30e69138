//! The way of all vertices through a program, where the uniforms alone decide it, as one straight run.
//!
//! Booleans, integers and the layout stay what they are during a run over arrays. So a program whose flow asks for
//! no flags goes the same way in each batch: loops are rounds one behind the other, the stacks are followed once, and
//! what no output needs is left out ([`simplify`]). An output that is an input is copied from array to array.
//! (Measured: a skinning program with a loop takes five ninths of the time, one of nine words three quarters.)

use chiaro_sim::transpose::{self, Rows};
use chiaro_sim::{Engine, LANES, Lanes, Op as U, Prepared, Slot, State, Uop, simplify};

use super::config::EngineChoice;
use super::flow::{Flow, Scopes, Test};
use super::program::{MOST_WORDS, Program};
use super::registers::Register;
use super::report::Layout;

/// Words on a way at most: more take longer to prepare than they win, and memory.
const MOST_ON_THE_WAY: usize = 1024;

/// What has been found out about a program with some uniforms and a layout.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    ints: [[u8; 4]; 4],
    bools: u16,
    layout: Layout,
    found: Found,
}

#[derive(Clone, Debug)]
enum Found {
    /// Nobody has looked.
    Nothing,
    /// Vertices decide, or not all of them reach END.
    NoWay,
    Way(Box<Path>),
}

impl Known {
    pub(crate) fn new(ints: [[u8; 4]; 4], bools: u16, layout: &Layout) -> Known {
        Known { ints, bools, layout: layout.clone(), found: Found::Nothing }
    }

    pub(crate) fn is_for(&self, ints: [[u8; 4]; 4], bools: u16, layout: &Layout) -> bool {
        (self.ints, self.bools, &self.layout) == (ints, bools, layout)
    }

    /// Finds the way out, unless that was done.
    pub(crate) fn find(&mut self, program: &Program) {
        if let Found::Nothing = self.found {
            let way = follow(program, &self.ints, self.bools);
            let path = way.map(|way| Box::new(Path::new(program, way, &self.layout)));
            self.found = path.map_or(Found::NoWay, Found::Way);
        }
    }

    /// The way, if it is known.
    pub(crate) fn path(&self) -> Option<&Path> {
        if let Found::Way(path) = &self.found { Some(path) } else { None }
    }
}

/// The words from the entry to an END.
struct Way {
    uops: Vec<Uop>,
    words: usize,
}

/// Follows the flow from the entry on; `None` where the vertices decide or something else than END ends it.
fn follow(program: &Program, ints: &[[u8; 4]; 4], bools: u16) -> Option<Way> {
    let config = &program.config;
    if config.geometry.is_some() || config.engine == EngineChoice::Scalar {
        return None;
    }
    let mut way = Way { uops: Vec::new(), words: 0 };
    let (mut scopes, mut pc) = (Scopes::default(), usize::from(program.entry));
    while pc < MOST_WORDS - 1 {
        let first = program.line_at(pc as u32);
        let last = program.lines[first].last;
        way.words += last + 1 - first;
        if way.words > MOST_ON_THE_WAY.min(config.fuel as usize) {
            return None;
        }
        way.uops.extend(&program.code.uops[program.uops(&(first..last + 1))]);
        let flow = program.lines[last].flow;
        match (flow, flow.test()) {
            (Flow::End, _) => return Some(way),
            (Flow::Unknown | Flow::Emit | Flow::SetEmit { .. }, _) | (_, Test::Flags(_)) => return None,
            _ => {}
        }
        let (taken, at) = (flow.test().holds(0, 0, bools) != 0, pc + last - first);
        let before = scopes.counter;
        pc = scopes.step(flow, at as u16, taken, ints, config.counter_mask()).ok()?.into();
        if scopes.counter != before && program.indexes_by_counter {
            let added = Uop { d: [program.regs.offset[2]; 4], imm: scopes.added(), ..Uop::new(U::Imm) };
            way.uops.push(added);
        }
    }
    None
}

/// A way for arrays of vertices of a layout.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    prepared: Prepared,
    uops: usize,
    words: usize,
    engine: Engine,
    /// Slots that are set before each batch.
    clear: Vec<(Slot, u32)>,
    /// Rows of a vertex that are read, and the slots that they go to.
    inputs: Vec<(usize, Slot)>,
    /// For each row of results.
    outputs: Vec<Output>,
    /// Rows of a vertex, and of its results.
    strides: [usize; 2],
}

/// The rows of a vertex, and the first slots that they go to. A register that is there twice has its last row.
fn rows(program: &Program, layout: &Layout) -> Vec<(usize, Slot)> {
    let first = |n: &u8| program.regs.first(Register::Input(*n));
    let rows = layout.inputs.iter().enumerate();
    let last = rows.filter(|(k, n)| layout.inputs[k + 1..].iter().all(|other| first(other) != first(n)));
    last.map(|(k, n)| (k, first(n))).collect()
}

/// The micro-ops of a way, behind those that make float24 of inputs.
fn with_inputs(program: &Program, way: &Way, layout: &Layout) -> Vec<Uop> {
    let narrow = layout.inputs.iter().map(|n| program.narrow_inputs[usize::from(n & 15)].clone());
    narrow.flat_map(|range| &program.code.uops[range]).chain(&way.uops).copied().collect()
}

/// Where a row of results comes from.
#[derive(Clone, Debug)]
enum Output {
    /// From slots.
    Slots([Slot; 4]),
    /// From a row of the vertex, of which the mask takes bits; the others have the same value in all vertices.
    Row { row: usize, mask: [u32; 4], rest: [Slot; 4] },
}

impl Path {
    fn new(program: &Program, way: Way, layout: &Layout) -> Path {
        let (rows, mut uops) = (rows(program, layout), with_inputs(program, &way, layout));
        let results = layout.outputs.iter().flat_map(|n| program.regs.quad(Register::Output(*n)));
        let mut results: Vec<Slot> = results.collect();
        simplify(&mut uops, &mut results);
        let (_, written) = program.first_uses(&uops, None);
        let (results, _) = results.as_chunks();
        let outputs = results.iter().map(|quad| Output::of(*quad, &rows, program, &written));
        let outputs: Vec<Output> = outputs.collect();
        let behind: Vec<Slot> = outputs.iter().flat_map(Output::slots).collect();
        let (read, _) = program.first_uses(&uops, behind.iter().copied());
        let is_read = |slot: Slot| read[usize::from(slot.0)];
        let is_row_read = |(_, first): &(usize, Slot)| first.quad().into_iter().any(is_read);
        let (count, mut code) = (uops.len(), program.code.clone());
        code.uops = uops;
        let mut prepared = Prepared::new(&code, program.engine());
        prepared.fuse(std::iter::once(0..count), |slot| behind.contains(&slot));
        Path {
            prepared,
            uops: count,
            words: way.words,
            engine: program.engine(),
            clear: program.starts(is_read, false),
            inputs: rows.into_iter().filter(is_row_read).collect(),
            outputs,
            strides: [layout.inputs.len(), layout.outputs.len()],
        }
    }

    /// Words that each vertex runs.
    pub(crate) fn words(&self) -> u64 {
        self.words as u64
    }

    /// Runs a whole batch of vertices from number `first` on, with all lanes active.
    pub(crate) fn run(&self, state: &mut State, inputs: &[[f32; 4]], outputs: &mut [[f32; 4]], first: usize) {
        for (slot, value) in &self.clear {
            *state.lanes_mut(*slot) = Lanes::splat(*value);
        }
        let [stride, to] = self.strides;
        let rows = |row: usize, stride: usize| Rows { first: first * stride + row, stride, lanes: LANES };
        for (row, slot) in &self.inputs {
            transpose::load(self.engine, inputs, rows(*row, stride), state.quad_mut(*slot));
        }
        self.prepared.run(0..self.uops, state);
        for (k, output) in self.outputs.iter().enumerate() {
            match output {
                Output::Slots(slots) => {
                    let columns = slots.map(|slot| state.lanes(slot));
                    transpose::store(self.engine, columns, outputs, rows(k, to));
                }
                Output::Row { row, mask, rest } => {
                    let rest = rest.map(|slot| state.lanes(slot).0[LANES - 1]);
                    transpose::copy(inputs, rows(*row, stride), outputs, rows(k, to), *mask, rest);
                }
            }
        }
    }
}

impl Output {
    /// A result of these slots, when the run has `written` some.
    fn of(slots: [Slot; 4], rows: &[(usize, Slot)], program: &Program, written: &[bool]) -> Output {
        let is_fixed = |slot: Slot| !written[usize::from(slot.0)];
        // What nobody writes, uniforms above all, is the same in all lanes; unless it is an input.
        let is_uniform = |slot: Slot| is_fixed(slot) && !program.regs.is_input(slot);
        let passes = |(row, first): &(usize, Slot)| {
            let same: [bool; 4] =
                std::array::from_fn(|i| slots[i] == first.at(i as u16) && is_fixed(slots[i]));
            let fits = (0..4).all(|i| same[i] || is_uniform(slots[i]));
            (fits && same.contains(&true)).then_some((*row, same))
        };
        match rows.iter().find_map(passes) {
            Some((row, same)) => {
                let mask = same.map(|same| if same { u32::MAX } else { 0 });
                // A register that is zero in all lanes, so that nothing of it is added.
                let rest = std::array::from_fn(|i| if same[i] { program.regs.zero } else { slots[i] });
                Output::Row { row, mask, rest }
            }
            None => Output::Slots(slots),
        }
    }

    /// The slots that it reads.
    fn slots(&self) -> [Slot; 4] {
        match self {
            Output::Slots(slots) => *slots,
            Output::Row { rest, .. } => *rest,
        }
    }
}
