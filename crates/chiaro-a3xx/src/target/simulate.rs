//! Runs programs: names to registers, constants and textures, and back.
//!
//! A container with an [`Interface`] is addressed by the names of its source; any program by
//! registers: `r1.y`, `hr0.x`, `c4.x`, `v3` (a varying scalar), `t0` (a texture), `buffer0`,
//! `memory:0x1000`.

mod bind;
mod places;

use std::collections::BTreeSet;
use std::sync::Arc;

use chiaro_diag::Diagnostic;
use chiaro_sim::{Change, Changes, LANES, Lanes, Touched};
use chiaro_target::simulate::{cut, local_size, settable};
use chiaro_target::{
    Attributes, Fault, Inputs, Output, SimulateOptions, Simulated, Step, Traced, Value, Work,
};

use crate::abi::{Interface, Source, Stage};
use crate::listing::Style;
use crate::machine::{
    ASSUMPTIONS, Config, Executed, FaultKind, Machine, Mode, Planned, Program, SETTABLE, Status, World,
    can_set,
};
use crate::regs::{FRAGMENT_FIBERS, VERTEX_FIBERS};
use bind::Columns;
use places::Places;

/// Number modes: when results become visible.
pub(super) static MODES: &[(&str, &str)] = &[
    ("timed", "results appear when the machine has them: hazards show, cycles are counted"),
    ("functional", "results appear at once: fast"),
];

/// Names of what a dispatch preloads; nothing public says where A3xx has them.
pub(super) static DISPATCH: &[chiaro_sim::Assumption] = &[
    chiaro_sim::Assumption {
        name: "local-id",
        values: "r0.x REGISTER",
        about: "first of three registers with the number of an invocation in its group [unknown]",
    },
    chiaro_sim::Assumption {
        name: "group-id",
        values: "r1.x REGISTER",
        about: "first of three registers with the number of the group [unknown]",
    },
    chiaro_sim::Assumption {
        name: "local-size",
        values: "32 N[,N[,N]]",
        about: "invocations of a group, which a program does not hold [unknown]",
    },
    chiaro_sim::Assumption {
        name: "schedule",
        values: "forwards backwards",
        about: "which group of a dispatch, and which 32 invocations of it, run first [unknown]; what changes with it is a race",
    },
];

/// All assumptions: those of the machine, then those of dispatches.
pub(super) fn assumptions() -> &'static [chiaro_sim::Assumption] {
    static ALL: std::sync::LazyLock<Vec<chiaro_sim::Assumption>> =
        std::sync::LazyLock::new(|| ASSUMPTIONS.iter().chain(DISPATCH).copied().collect());
    &ALL
}

/// Invocations that a group can have here [unknown].
const MOST_INVOCATIONS: u32 = 1024;

/// How to run.
pub(super) struct Choices {
    config: Config,
    /// First registers of the numbers of an invocation and of its group; none where nobody reads them.
    local_id: Option<u16>,
    group_id: Option<u16>,
    local_size: [u32; 3],
    /// The last group, and the last batch of it, run first.
    backwards: bool,
}

/// Reads mode and assumptions.
pub(super) fn choices(options: &SimulateOptions) -> Result<Choices, Vec<Diagnostic>> {
    let mut choices = Choices {
        config: Config { mode: Mode::Timed, ..Config::default() },
        local_id: Some(0),
        group_id: Some(4),
        local_size: [32, 1, 1],
        backwards: false,
    };
    let mut errors = Vec::new();
    match options.mode.as_deref() {
        None | Some("timed") => {}
        Some("functional") if options.trace => errors.push("a trace needs the mode `timed`".to_owned()),
        Some("functional") => choices.config.mode = Mode::Functional,
        Some(other) => errors.push(format!("there is no mode `{other}`; there are timed and functional")),
    }
    if options.entry.is_some() {
        errors.push("programs of this target have one entry, their first instruction".to_owned());
    }
    for (name, value) in &options.assumptions {
        errors.extend(choices.set(name, value).err());
    }
    let error = |text: String| Diagnostic::error(None, text);
    choices.config.fuel = options.max_steps.unwrap_or(choices.config.fuel);
    if errors.is_empty() { Ok(choices) } else { Err(errors.into_iter().map(error).collect()) }
}

impl Choices {
    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let wrong = || format!("`{name}` does not take `{value}`");
        let register = || match places::register(value) {
            Some((false, number)) => Ok(number),
            _ => Err(wrong()),
        };
        match name {
            "local-id" => self.local_id = Some(register()?),
            "group-id" => self.group_id = Some(register()?),
            "local-size" => self.local_size = local_size(value, MOST_INVOCATIONS, "group")?,
            "schedule" => {
                self.backwards = chiaro_sim::Assumption::named(DISPATCH, name)?.choice(value)? == 1;
            }
            _ => self.config.set(name, value).map_err(|why| {
                let known = || DISPATCH.iter().map(|a| a.name).collect::<Vec<_>>().join(", ");
                if why.starts_with("there is no") { format!("{why}, {}", known()) } else { why }
            })?,
        }
        Ok(())
    }
}

impl Choices {
    /// A program with an interface says where it wants what a dispatch gives.
    fn by_interface(&mut self, interface: &Interface) {
        let place = |wanted: Source| {
            interface.inputs.iter().find(|input| input.source == wanted).and_then(|input| input.register)
        };
        self.local_id = place(Source::LocalId);
        self.group_id = place(Source::GroupId);
        self.local_size = interface.workgroup;
    }
}

/// Runs a program with its interface, if it has one.
pub(crate) fn simulate(
    words: &[u64],
    interface: Option<&Interface>,
    inputs: &Inputs,
    options: &SimulateOptions,
) -> Result<Simulated, Vec<Diagnostic>> {
    let mut choices = choices(options)?;
    if let Some(interface) = interface.filter(|interface| interface.stage == Stage::Compute) {
        choices.by_interface(interface);
    }
    let own = options.shared.then(|| bind::own(interface, inputs));
    let inputs = own.as_ref().unwrap_or(inputs);
    let mut bound = bind::world(interface, &inputs.resources)?;
    let mut machine = Machine::new(Arc::new(Program::new(words, &choices.config)));
    if let (Work::Dispatch(groups), true) = (&inputs.work, interface.is_some_and(|i| i.has_group_counts)) {
        bound.world.set_constants(0, groups);
    }
    machine.load_constants(&bound.world);
    if options.trace {
        machine.keep_trace();
    }
    let stage = stage_of(interface, &inputs.work)?;
    let places = Places::of(interface, words);
    let mode = if choices.config.mode == Mode::Timed { "timed" } else { "functional" };
    settable(&options.changes, |change| can_set(&change.register), SETTABLE)?;
    let constants = constants(&machine, &bound.world);
    let made = Simulated { mode, constants, ..Simulated::default() };
    let mut run = Run { machine, places, choices, stage, changes: &options.changes, made };
    run.work(&inputs.work, interface, &mut bound, words)?;
    let mut made = run.made;
    made.resources = bound.written();
    made.remarks.extend(bound.remarks);
    Ok(made)
}

/// What runs the program, by its interface and by what is asked for.
fn stage_of(interface: Option<&Interface>, work: &Work) -> Result<Stage, Vec<Diagnostic>> {
    let wanted = match work {
        Work::Vertices(_) => Stage::Vertex,
        Work::Dispatch(_) => Stage::Compute,
        Work::Fragments(_) | Work::Draw(_) => Stage::Fragment,
    };
    let has = interface.map(|interface| interface.stage);
    // Without any input a program runs once as what it is.
    let idle = matches!(work, Work::Vertices(given) if given.columns.is_empty());
    match has {
        Some(has) if has != wanted && !idle => {
            let (stage, wanted) = (has.name(), ["vertices", "fragments", "groups"][has as usize]);
            let message = format!("this is a {stage} program, and the inputs have {}", work.name());
            Err(vec![Diagnostic::error(None, message).help(format!("give it `{wanted}`"))])
        }
        Some(has) => Ok(has),
        None => Ok(wanted),
    }
}

/// The constants that instructions name, each component once.
fn constants(machine: &Machine, world: &World) -> Vec<(String, u32)> {
    let numbers: BTreeSet<u16> = machine.constants().collect();
    let name = |n: u16| format!("c{}.{}", n / 4, ["x", "y", "z", "w"][usize::from(n % 4)]);
    let bits = |n: u16| world.constants.get(usize::from(n)).copied().unwrap_or(0);
    numbers.into_iter().map(|n| (name(n), bits(n))).collect()
}

struct Run<'a> {
    machine: Machine,
    places: Places,
    choices: Choices,
    stage: Stage,
    changes: &'a [Change],
    made: Simulated,
}

impl Run<'_> {
    /// Runs what is asked for.
    fn work(
        &mut self,
        work: &Work,
        interface: Option<&Interface>,
        bound: &mut bind::Bound,
        words: &[u64],
    ) -> Result<(), Vec<Diagnostic>> {
        match work {
            Work::Vertices(given) | Work::Fragments(given) => {
                let columns = Columns::of(interface, given, self.stage)?;
                bound.remarks.extend(columns.remark());
                self.invocations(given, &columns, &mut bound.world, words);
            }
            Work::Dispatch(_) => {
                let groups = work.groups("groups are wanted here")?;
                self.dispatch(groups, &mut bound.world, words);
            }
            Work::Draw(_) => {
                let message = "a draw takes two programs; `chiaro draw` runs it";
                return Err(vec![Diagnostic::error(None, message)]);
            }
        }
        Ok(())
    }

    /// Fibers that run side by side: a wave where time counts, as many as there is room for else.
    fn batch(&self) -> usize {
        match (self.choices.config.mode, self.stage) {
            (Mode::Functional, _) => LANES,
            (_, Stage::Vertex) => VERTEX_FIBERS as usize,
            _ => FRAGMENT_FIBERS as usize,
        }
    }

    fn invocations(&mut self, given: &Attributes, columns: &Columns, world: &mut World, words: &[u64]) {
        self.made.invocations = given.count;
        let mut instructions = 0;
        for first in (0..given.count).step_by(self.batch()) {
            let lanes = self.batch().min(given.count - first);
            self.machine.clear();
            for lane in 0..lanes {
                columns.load(&mut self.machine, lane, first + lane);
            }
            let all = u32::MAX >> (32 - lanes as u32);
            if !self.changes.is_empty() {
                self.machine.load_constants(world);
            }
            self.machine.start_lanes(all, columns.helpers(first, lanes));
            self.machine.plan((0..lanes).map(|lane| self.planned(Some(lane), first + lane)).collect());
            self.machine.run(world);
            instructions += self.machine.issued();
            self.collect(first, lanes, words);
        }
        self.made.instructions = Some(instructions);
        self.made.outputs = self.places.outputs();
    }

    /// What is to be set in a wave, or in an invocation that is a lane of a batch.
    fn planned(&self, lane: Option<usize>, wave: usize) -> Planned {
        Planned { lane, changes: Changes::of(self.changes, wave) }
    }

    /// Takes what a batch gives.
    fn collect(&mut self, first: usize, lanes: usize, words: &[u64]) {
        let machine = &self.machine;
        for lane in 0..lanes {
            self.places.read(machine, lane);
            if self.choices.config.mode == Mode::Timed {
                self.made.cycles.push(machine.clock().cycles);
            }
            if self.stage == Stage::Fragment {
                self.made.discarded.push(machine.killed() >> lane & 1 == 1);
            }
            if !machine.trace().is_empty() {
                let of_lane = machine.trace().iter().filter(|step| step.lanes >> lane & 1 == 1);
                let steps: Vec<&Executed> = of_lane.take(self.made.room()).collect();
                self.made.traces.push(recorded(&steps, Some(lane), words));
            }
        }
        let fuel = self.choices.config.fuel;
        self.made.faults.extend(machine.faults().iter().map(|fault| stopped(fault, first, fuel)));
    }

    /// Groups one after another; the batches of a group run from barrier to barrier.
    fn dispatch(&mut self, groups: [u32; 3], world: &mut World, words: &[u64]) {
        let [x, y, z] = groups;
        let group = |n: u32| [n % x, n / x % y, n / x / y];
        let mut instructions = 0;
        let count = x * y * z;
        for number in 0..count {
            let number = if self.choices.backwards { count - 1 - number } else { number };
            world.memory.local.fill(0);
            instructions += self.group((number, group(number)), world, words);
            if self.machine.is_traced() && self.made.room() == 0 {
                self.machine.drop_trace();
                self.made.remarks.push(cut(number as usize, count as usize));
            }
        }
        self.made.invocations = 0;
        self.made.instructions = Some(instructions);
    }

    fn group(&mut self, (number, id): (u32, [u32; 3]), world: &mut World, words: &[u64]) -> u64 {
        let size = self.choices.local_size.iter().product::<u32>() as usize;
        let mut batches: Vec<Machine> = (0..size)
            .step_by(LANES)
            .map(|first| {
                let mut machine = self.batch_of(first, LANES.min(size - first), id);
                machine.plan(vec![self.planned(None, self.made.traces.len() + first / LANES)]);
                machine
            })
            .collect();
        if self.choices.backwards {
            batches.reverse();
        }
        loop {
            // All of them run, whoever waits.
            let waiting = batches.iter_mut().filter_map(|m| (m.run(world) == Status::Barrier).then_some(()));
            if waiting.count() == 0 {
                break;
            }
        }
        if self.choices.backwards {
            batches.reverse();
        }
        let mut issued = 0;
        for (n, machine) in batches.into_iter().enumerate() {
            issued += machine.issued();
            let kept = std::mem::replace(&mut self.machine, machine);
            let first = number as usize * size + n * LANES;
            self.faults_of(first);
            if self.machine.is_traced() {
                let steps: Vec<&Executed> = self.machine.trace().iter().take(self.made.room()).collect();
                self.made.traces.push(recorded(&steps, None, words));
                self.made.traced.push(Traced { group: id, wave: n as u32, first: first as u64 });
            }
            self.machine = kept;
        }
        issued
    }

    /// A batch of a group at its start, with the numbers of its invocations from one on.
    fn batch_of(&self, first: usize, lanes: usize, id: [u32; 3]) -> Machine {
        let [width, height, _] = self.choices.local_size;
        let mut machine = self.machine.clone();
        machine.clear();
        for lane in 0..lanes {
            let n = (first + lane) as u32;
            let local = [n % width, n / width % height, n / width / height];
            for (first, numbers) in [(self.choices.local_id, local), (self.choices.group_id, id)] {
                for (k, number) in (0..).zip(numbers).filter(|_| first.is_some()) {
                    machine.full_mut(first.unwrap_or(0) + k).0[lane] = number;
                }
            }
        }
        machine.start(lanes);
        machine
    }

    fn faults_of(&mut self, first: usize) {
        let fuel = self.choices.config.fuel;
        self.made.faults.extend(self.machine.faults().iter().map(|fault| stopped(fault, first, fuel)));
    }
}

/// A fault of a batch whose first invocation has a number.
fn stopped(fault: &crate::machine::Fault, first: usize, allowed: u64) -> Fault {
    let cause = match fault.kind {
        FaultKind::Endless => chiaro_target::simulate::endless(allowed),
        kind => kind.to_string(),
    };
    Fault { invocation: (first + fault.lane as usize) as u64, at: fault.instruction, cause, trap: None }
}

/// Steps as the trace shows them: with the values of a lane, or of all.
fn recorded(steps: &[&Executed], lane: Option<usize>, words: &[u64]) -> Vec<Step> {
    let next = |i: usize| steps.get(i + 1).map(|step| step.at);
    steps.iter().enumerate().map(|(i, taken)| step(taken, next(i), lane, words)).collect()
}

fn step(executed: &Executed, next: Option<u32>, lane: Option<usize>, words: &[u64]) -> Step {
    let text = words.get(executed.at as usize).map(|word| super::text(*word, Style::default()));
    let of_lane = |values: &Lanes| lane.map_or_else(|| values.0.to_vec(), |lane| vec![values.0[lane]]);
    let named =
        |(register, values): &(crate::machine::Register, Lanes)| (register.to_string(), of_lane(values));
    let is_here = |touched: &&Touched| lane.is_none_or(|lane| touched.lane as usize == lane);
    Step {
        at: executed.at,
        offset: executed.at * 8,
        text: text.unwrap_or_default(),
        set: executed.set.iter().map(|(name, values)| (name.clone(), of_lane(values))).collect(),
        reads: executed.reads.iter().map(named).collect(),
        write: executed.writes.first().map(named),
        also: executed.writes.iter().skip(1).map(named).collect(),
        effects: vec![format!("cycle {}", executed.cycle)],
        next,
        lanes: if lane.is_none() { executed.lanes.into() } else { 0 },
        memory: executed.memory.iter().filter(is_here).copied().collect(),
        ..Step::default()
    }
}

/// A value of an input for one invocation.
fn missing(name: &str, known: &[String]) -> Box<Diagnostic> {
    let error = Diagnostic::error(None, format!("the program has no input or uniform `{name}`"));
    Box::new(match chiaro_diag::did_you_mean(name, known.iter().map(String::as_str)) {
        Some(guess) => error.meant(guess),
        None if known.is_empty() => error.help(
            "it has no names at all; use registers: r0.x, hr0.x, c4.x, v0 for a varying scalar, t0 for a texture",
        ),
        None => error.help(format!("it has {}", known.join(", "))),
    })
}

/// A message that a value does not fit.
fn misfit(why: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(None, why))
}

/// What [`Output`] takes of a value.
fn as_output(name: String, place: String, kind: chiaro_target::Kind, width: usize, bits: Vec<u64>) -> Output {
    Output { name, place, kind, width, bits }
}

/// The words of a value for a program without types: numbers are floats, integers are given as
/// bits.
fn plain_words(value: &Value, name: &str) -> Result<Vec<u32>, Box<Diagnostic>> {
    value.words(name, chiaro_target::Kind::Float(32)).map_err(misfit)
}
