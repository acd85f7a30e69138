//! Runs kernels: names to arguments, registers and memory, and back.
//!
//! A kernel of a code object has the arguments that its metadata names. Code alone is addressed by
//! registers: `s4`, `s[4:7]`, `v3`; `buffer:s[4:7]` is a buffer whose descriptor stands there at the
//! start, `pointer:s[2:3]` one whose address does, `memory:0x1000` one at an address.

mod bind;
mod images;
mod kernel;
mod printf;
mod sets;

use std::sync::Arc;

use chiaro_diag::{Diagnostic, Severity};
use chiaro_sim::mapped::Mapped;
use chiaro_sim::{Assumption, Change, Changes};
use chiaro_target::simulate::{MOST_PRINTED, cut, endless, local_size, settable, unprinted};
use chiaro_target::{Fault, Inputs, Printed, SimulateOptions, Simulated, Step, Traced, Trap};

use crate::abi::{self, Dispatch};
use crate::container::descriptor::Descriptor;
use crate::machine::{
    self, ASSUMPTIONS, CAUSES, Config, Executed, FaultKind, Group, Outcome, Program, SETTABLE, Time, Wave,
    can_set,
};
use crate::regs::LDS;
use bind::Bound;
use kernel::Kernel;
pub(super) use kernel::chosen;

/// Whether waves have a clock.
pub(super) const MODES: &[(&str, &str)] = &[
    ("functional", "results and faults (default)"),
    ("timed", "also cycles of the cost model, by what they go into"),
];

/// What a program without a container does not say.
static LAUNCH: &[Assumption] = &[
    Assumption {
        name: "wave",
        values: "32 64",
        about: "lanes in a wave, for code alone; a kernel's descriptor says it",
    },
    Assumption {
        name: "local-size",
        values: "N[,N[,N]]",
        about: "threads of a group; without it what the metadata requires, or one wave",
    },
    Assumption { name: "lds", values: "N", about: "bytes of LDS beside those that the descriptor has" },
];

/// All assumptions: those of the machine, then those of a launch.
pub(super) fn assumptions() -> &'static [Assumption] {
    static ALL: std::sync::LazyLock<Vec<Assumption>> =
        std::sync::LazyLock::new(|| ASSUMPTIONS.iter().chain(LAUNCH).copied().collect());
    &ALL
}

/// Threads that a group can have.
const MOST_THREADS: u32 = 1024;
/// Faults behind which a run stops: they repeat from group to group.
const MOST_FAULTS: usize = 64;
/// Bytes from its start up to which an address is told by a buffer.
const NEAR: u64 = 1 << 32;

/// How to run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Choices {
    config: Config,
    wave: Option<u8>,
    size: Option<[u32; 3]>,
    lds: u32,
}

/// Reads the assumptions.
pub(super) fn choices(options: &SimulateOptions) -> Result<Choices, Vec<Diagnostic>> {
    let mut choices = Choices::default();
    let mut errors = Vec::new();
    match options.mode.as_deref() {
        None | Some("functional") => {}
        Some("timed") => choices.config.timed = true,
        Some(other) => errors.push(format!("there is no mode `{other}`; there are functional and timed")),
    }
    for (name, value) in &options.assumptions {
        errors.extend(choices.set(name, value).err());
    }
    choices.config.fuel = options.max_steps.unwrap_or(choices.config.fuel);
    let error = |text: String| Diagnostic::error(None, text);
    if errors.is_empty() { Ok(choices) } else { Err(errors.into_iter().map(error).collect()) }
}

impl Choices {
    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let assumption = Assumption::named(assumptions(), name)?;
        match name {
            "wave" => self.wave = Some([32, 64][assumption.choice(value)?]),
            "local-size" => self.size = Some(local_size(value, MOST_THREADS, "group")?),
            "lds" => {
                self.lds = assumption.number(value)?;
                if self.lds > LDS {
                    return Err(format!("a group can have {LDS} bytes of LDS, {} are asked for", self.lds));
                }
            }
            _ => self.config.set(name, value)?,
        }
        Ok(())
    }
}

/// Runs a kernel of a code object, or code alone.
pub(super) fn simulate(
    container: &[u8],
    inputs: &Inputs,
    options: &SimulateOptions,
) -> Result<Simulated, Vec<Diagnostic>> {
    let choices = choices(options)?;
    let kernel = kernel::load(container, options, choices.wave).map_err(|error| vec![*error])?;
    let size = choices.size.or(kernel.size).unwrap_or([kernel.wave.into(), 1, 1]);
    let dispatch = Dispatch { groups: inputs.work.groups("this machine runs groups")?, size };
    let bound = bind::bind(&kernel, &inputs.resources, options.shared, &dispatch)?;
    let mut run = Run::new(&kernel, &choices, bound, dispatch);
    settable(&options.changes, |change| can_set(&change.register), SETTABLE)?;
    run.dispatch(options);
    let mut made = run.made;
    made.resources = run.bound.written();
    made.remarks.append(&mut run.bound.remarks);
    Ok(made)
}

struct Run<'a> {
    kernel: &'a Kernel,
    bound: Bound,
    dispatch: Dispatch,
    group: Group,
    fuel: u64,
    /// Texts that are not shown.
    unprinted: u64,
    made: Simulated,
}

impl<'a> Run<'a> {
    fn new(kernel: &'a Kernel, choices: &Choices, bound: Bound, dispatch: Dispatch) -> Run<'a> {
        let mut config = choices.config;
        let field = |name| kernel.descriptor.and_then(|d| d.get(name)).unwrap_or(0) as usize;
        config.mode = kernel.descriptor.as_ref().map_or(config.mode, Descriptor::mode);
        let program = Arc::new(Program::new(&kernel.code, kernel.wave));
        let lds = (field("group_segment_fixed_size") + choices.lds as usize).min(LDS as usize);
        let scratch = field("private_segment_fixed_size").min(kernel::MOST_SCRATCH);
        let mut group = Group::new(&program, &config, dispatch.waves(kernel.wave), lds, scratch);
        group.set_code_base(kernel.code_base);
        group.set_entry(kernel.entry);
        group.taken.counter = Some(bind::PRINTS);
        let mode = MODES[usize::from(config.timed)].0;
        let made = Simulated { mode, ..Simulated::default() };
        Run { kernel, bound, dispatch, group, fuel: config.fuel, unprinted: 0, made }
    }

    /// All groups, one after another.
    fn dispatch(&mut self, options: &SimulateOptions) {
        let (mut instructions, mut time, mut tracing) = (0, Time::default(), options.trace);
        for (n, id) in (0_u64..).zip(self.dispatch.each()) {
            self.group.reset();
            self.enter(id);
            tracing = tracing && self.keep_traces(n, &options.changes);
            let outcome = self.group.run(&mut self.bound.memory);
            instructions += outcome.issued;
            time.add(&outcome.time.unwrap_or_default());
            self.collect(n, id, &outcome);
            if self.made.faults.len() >= MOST_FAULTS {
                let message = format!("the run ends in group {id:?}, behind {MOST_FAULTS} faults");
                self.made.remarks.push(Diagnostic::warning(None, message));
                break;
            }
        }
        self.made.instructions = Some(instructions);
        self.made.remarks.extend(unprinted(self.unprinted));
        if self.group.is_timed() {
            self.made.remarks.push(told(&time));
        }
    }

    /// Has the waves of a group keep their steps, as far as there is room, and plans what is to be set in them. False
    /// if there is none.
    fn keep_traces(&mut self, number: u64, changes: &[Change]) -> bool {
        let before = self.made.traces.len();
        let room = self.made.room();
        for (n, wave) in self.group.waves.iter_mut().enumerate() {
            wave.keep_trace(room);
            wave.plan(Changes::of(changes, before + n));
        }
        if room == 0 {
            self.group.waves.iter_mut().for_each(Wave::drop_trace);
            let threads = self.dispatch.threads() as usize;
            self.made.remarks.push(cut(number as usize * threads, self.dispatch.each().count() * threads));
        }
        room > 0
    }

    fn enter(&mut self, id: [u32; 3]) {
        for wave in &mut self.group.waves {
            match &self.kernel.descriptor {
                Some(descriptor) => abi::enter(wave, descriptor, &self.bound.places, &self.dispatch, id),
                None => abi::threads(wave, &self.dispatch, 1),
            }
            self.bound.enter(wave);
        }
    }

    /// Takes what lanes of a group have printed: lane by lane, of each in its own order.
    fn printed(&mut self, number: u64) {
        let first = number * u64::from(self.dispatch.threads());
        self.unprinted += std::mem::take(&mut self.group.taken.more);
        let mut printed = Vec::new();
        for (wave, lane, taken) in std::mem::take(&mut self.group.taken.by) {
            let is_room = self.made.printed.len() + printed.len() < MOST_PRINTED;
            let text = printf::printed(&self.kernel.prints, &self.bound.memory, taken);
            let invocation = first + u64::from(wave) * u64::from(self.kernel.wave) + u64::from(lane);
            match text.filter(|_| is_room) {
                Some(text) => printed.push(Printed { invocation, text }),
                None => self.unprinted += 1,
            }
        }
        printed.sort_by_key(|printed| printed.invocation);
        self.made.printed.append(&mut printed);
    }

    /// Takes what went wrong in a group, and its steps.
    fn collect(&mut self, number: u64, id: [u32; 3], outcome: &Outcome) {
        self.printed(number);
        let threads = u64::from(self.dispatch.threads());
        for fault in &outcome.faults {
            let thread = u64::from(fault.wave) * u64::from(self.kernel.wave) + u64::from(fault.lane);
            let cause = match &fault.kind {
                FaultKind::Endless => endless(self.fuel),
                FaultKind::Address(at) => format!("{}{}", fault.kind, beyond(&self.bound.memory, *at)),
                kind => kind.to_string(),
            };
            let cause = format!("group {id:?}, wave {}, lane {}: {cause}", fault.wave, fault.lane);
            let trap = self.trap(fault);
            self.made.faults.push(Fault {
                invocation: number * threads + thread,
                at: fault.offset / 4,
                cause,
                trap,
            });
        }
        for wave in self.group.waves.iter().filter(|wave| wave.is_traced()) {
            let first = number * threads + u64::from(wave.index()) * u64::from(self.kernel.wave);
            self.made.traces.push(wave.trace().iter().map(step).collect());
            self.made.traced.push(Traced { group: id, wave: wave.index(), first });
        }
    }
}

impl Run<'_> {
    /// What a program has said of itself, with the names of the functions that were open.
    fn trap(&self, fault: &machine::Fault) -> Option<Trap> {
        let FaultKind::Trap(number, open) = &fault.kind else { return None };
        let places = open.iter().copied().chain([fault.offset]);
        let name = |at| self.kernel.function_at(at).unwrap_or("?").to_owned();
        Some(Trap { number: *number, chain: places.map(name).collect() })
    }
}

/// Where an address lies that is not mapped, if a buffer stands before it.
fn beyond(memory: &Mapped, address: u64) -> String {
    let before = memory.ranges().iter().rfind(|range| range.base <= address);
    let Some((range, at)) = before.map(|range| (range, address - range.base)).filter(|(_, at)| *at < NEAR)
    else {
        return String::new();
    };
    let (name, size) = (&range.name, range.bytes.len());
    format!(": it is byte {at} of `{name}`, which has {size} bytes")
}

/// What the clock says, by the model's names.
fn told(time: &Time) -> Diagnostic {
    let causes: Vec<String> = CAUSES.iter().zip(time.causes).map(|(name, n)| format!("{name} {n}")).collect();
    let message = format!("by the cost model the longest group takes {} cycles", time.longest);
    Diagnostic::new(Severity::Note, None, message).note(format!(
        "cycles of all waves: {} ({})",
        time.causes.iter().sum::<u64>(),
        causes.join(", ")
    ))
}

/// A step of a wave as the trace shows it.
fn step(executed: &Executed) -> Step {
    let mut effects = vec![format!("exec {:08x}{:08x}", executed.exec[1], executed.exec[0])];
    effects.extend(executed.cycle.map(|cycle| format!("cycle {cycle}")));
    if !executed.on_way.is_empty() {
        effects.push(format!("on the way: {}", executed.on_way.join(" ")));
    }
    Step {
        at: executed.offset / 4,
        offset: executed.offset,
        text: executed.text.clone(),
        set: executed.set.clone(),
        reads: executed.reads.clone(),
        write: executed.writes.first().cloned(),
        also: executed.writes.iter().skip(1).cloned().collect(),
        effects,
        next: Some(executed.next / 4),
        lanes: u64::from(executed.exec[1]) << 32 | u64::from(executed.exec[0]),
        memory: executed.memory.clone(),
        ..Step::default()
    }
}
