//! Runs code: registers and memory by name, threadgroups of a dispatch, and what they leave.
//!
//! `u4` is a uniform register and what follows it, `r4` a general one with a word for each thread of a
//! threadgroup or one for all; `attribute0` is a vertex's input by its location, `varying0` a fragment's; `pointer:u2` is
//! a buffer whose address is in u2_u3, `memory:0x1000` one at an address; `heap:5` are descriptors, of 24 bytes each, from
//! the fifth of the heap of textures on, as those of render targets without room in the tilebuffer.

mod bind;
mod blocks;
mod fetch;
mod run;
mod stages;

use std::sync::Arc;

use chiaro_diag::{Diagnostic, did_you_mean};
use chiaro_sim::{Assumption, Changes};
use chiaro_target::simulate::{cut, endless, local_size, settable};
use chiaro_target::{Fault, Inputs, SimulateOptions, Simulated, Step, Traced, Work};

use crate::machine::{
    ASSUMPTIONS, Config, Executed, FaultKind, Group, Launch, Outcome, Program, SETTABLE, SimdGroup, can_set,
};
use crate::regs::{LANES, MOST_LOCAL, MOST_THREADS};
use bind::Bound;
use run::Executable;

/// What code alone does not say.
static LAUNCH: &[Assumption] = &[
    Assumption { name: "generation", values: "g13 g14", about: "which encodings the code has" },
    Assumption {
        name: "local-size",
        values: "N[,N[,N]]",
        about: "threads of a threadgroup; without it one SIMD-group of 32",
    },
    Assumption { name: "threadgroup-memory", values: "0 N", about: "bytes of threadgroup memory" },
    Assumption { name: "samples", values: "1 2 4", about: "samples of a pixel" },
];

/// All assumptions: those of the machine, then those of a launch.
pub(super) fn assumptions() -> &'static [Assumption] {
    static ALL: std::sync::LazyLock<Vec<Assumption>> =
        std::sync::LazyLock::new(|| ASSUMPTIONS.iter().chain(LAUNCH).copied().collect());
    &ALL
}

/// Faults behind which a run stops: they repeat from threadgroup to threadgroup.
const MOST_FAULTS: usize = 64;

/// How to run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Choices {
    config: Config,
    generation: u8,
    size: Option<[u32; 3]>,
    local: u32,
    /// Which of 1, 2 and 4 samples.
    samples: u8,
}

/// Reads the assumptions.
pub(super) fn choices(options: &SimulateOptions) -> Result<Choices, Vec<Diagnostic>> {
    let mut choices = Choices::default();
    let mut errors = Vec::new();
    if let Some(mode) = &options.mode {
        errors.push(format!("there is no mode `{mode}`; this simulator has one way to run"));
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
            "generation" => self.generation = assumption.choice(value)? as u8,
            "samples" => self.samples = assumption.choice(value)? as u8,
            "local-size" => self.size = Some(local_size(value, MOST_THREADS, "threadgroup")?),
            "threadgroup-memory" => {
                self.local = assumption.number(value)?;
                if self.local > MOST_LOCAL {
                    return Err(format!(
                        "a threadgroup can have {MOST_LOCAL} bytes of memory, {} are asked for",
                        self.local
                    ));
                }
            }
            _ => self.config.set(name, value)?,
        }
        Ok(())
    }
}

/// Runs the program of a file, or code alone.
pub(super) fn simulate(
    bytes: &[u8],
    inputs: &Inputs,
    options: &SimulateOptions,
) -> Result<Simulated, Vec<Diagnostic>> {
    let mut choices = choices(options)?;
    let executable = Executable::of(bytes, choices.generation).map_err(|e| vec![*e])?;
    // Parts that were linked are held to their contracts.
    let says = |name: &str| options.assumptions.iter().any(|(known, _)| known == name);
    choices.config.contracts |= executable.is_linked && !says("undefined");
    if !says("stack") {
        choices.config.stack = choices.config.stack.max(executable.stack);
    }
    let bound = bind::bind(&inputs.resources, options.shared, &executable.interface)?;
    let program = Arc::new(Program::new(&executable.run(), executable.generation, &choices.config));
    let job = Job { executable: &executable, program, choices: &choices, options };
    match &inputs.work {
        Work::Vertices(given)
            if !given.columns.is_empty() || job.program.has_outputs() || executable.record > 0 =>
        {
            stages::vertices(&job, given, bound)
        }
        Work::Fragments(given) => stages::fragments(&job, given, bound),
        work => dispatch(&job, work, bound),
    }
}

/// What is run, and how.
struct Job<'a> {
    executable: &'a Executable,
    program: Arc<Program>,
    choices: &'a Choices,
    options: &'a SimulateOptions,
}

impl Job<'_> {
    /// A threadgroup at its entry, behind the preamble, whose faults are the first: their places are its own.
    fn start(
        &self,
        launch: &Launch,
        local: u32,
        bound: &mut Bound,
    ) -> Result<(Group, Simulated), Vec<Diagnostic>> {
        let mut group = Group::new(&self.program, &self.choices.config, launch, local as usize);
        group.set_entry(entry(self.options, &self.program).map_err(|error| vec![*error])?);
        settable(&self.options.changes, |change| can_set(&change.register), SETTABLE)?;
        let mut made = Simulated { mode: "functional", instructions: Some(0), ..Simulated::default() };
        if let Some((preamble, outcome)) = self.executable.prepare(&mut group, bound, self.choices) {
            made.instructions = Some(outcome.issued);
            made.faults.extend(outcome.faults.iter().map(|fault| Fault {
                invocation: fault.lane.into(),
                at: preamble.number_of(fault.offset),
                cause: format!("preamble, lane {}: {}", fault.lane, self.cause(&fault.kind)),
                trap: None,
            }));
        }
        made.constants = constants(&self.program, &group);
        Ok((group, made))
    }

    fn cause(&self, kind: &FaultKind) -> String {
        match kind {
            FaultKind::Endless => endless(self.choices.config.fuel),
            kind => kind.to_string(),
        }
    }
}

/// The uniforms that the program names, as the preamble has left them.
fn constants(program: &Program, group: &Group) -> Vec<(String, u32)> {
    let Some(simdgroup) = group.simdgroups.first() else { return Vec::new() };
    let half = |n: u16| u32::from(simdgroup.uniform(n));
    let bits = |(first, is_word): &(u16, bool)| {
        if *is_word { half(*first) | half(first + 1) << 16 } else { half(*first) }
    };
    program.uniforms().iter().map(|(name, place)| (name.clone(), bits(place))).collect()
}

/// Runs threadgroups.
fn dispatch(job: &Job<'_>, work: &Work, mut bound: Bound) -> Result<Simulated, Vec<Diagnostic>> {
    let size = job.choices.size.or(job.executable.size).unwrap_or([LANES, 1, 1]);
    let launch = Launch { groups: work.groups("groups are wanted here")?, size };
    let local = job.choices.local.max(job.executable.local);
    bound.count(&job.executable.interface.held, launch.groups);
    let (group, made) = job.start(&launch, local, &mut bound)?;
    let mut run = Run { job, bound, launch, group, made };
    run.dispatch();
    let mut made = run.made;
    made.resources = run.bound.written();
    Ok(made)
}

/// What fragments read of vertices.
pub(super) fn varyings(bytes: &[u8]) -> Vec<chiaro_target::Varying> {
    Executable::of(bytes, 0).map(|executable| executable.varyings()).unwrap_or_default()
}

/// Where to begin: a label, the number of an instruction, or the first one.
fn entry(options: &SimulateOptions, program: &Program) -> Result<u32, Box<Diagnostic>> {
    let Some(name) = options.entry.as_deref() else { return Ok(0) };
    let number = options.labels.get(name).copied().or_else(|| name.parse().ok());
    if let Some(offset) = number.and_then(|number| program.offset_of(number)) {
        return Ok(offset);
    }
    let known: Vec<&str> = options.labels.keys().map(String::as_str).collect();
    let error = Diagnostic::error(None, format!("there is no label `{name}`"));
    Err(Box::new(match did_you_mean(name, known.iter().copied()) {
        Some(guess) => error.meant(guess),
        None => error.help("without --entry the code begins at its first instruction"),
    }))
}

struct Run<'a> {
    job: &'a Job<'a>,
    bound: Bound,
    launch: Launch,
    group: Group,
    made: Simulated,
}

impl Run<'_> {
    /// All threadgroups, one after another.
    fn dispatch(&mut self) {
        let (mut instructions, mut tracing) = (0, self.job.options.trace);
        // Uniforms that are set are those of one wave.
        let fresh = (!self.job.options.changes.is_empty()).then(|| self.group.clone());
        for (n, id) in (0_u64..).zip(self.launch.each()) {
            if let Some(fresh) = &fresh {
                self.group = fresh.clone();
            }
            self.group.enter(&self.launch, id);
            self.group.simdgroups.iter_mut().for_each(|group| self.bound.enter(group));
            tracing = tracing && self.keep_traces(n);
            let outcome = self.group.run(&mut self.bound.memory);
            instructions += outcome.issued;
            self.collect(n, id, &outcome);
            if self.made.faults.len() >= MOST_FAULTS {
                let message = format!("the run ends in threadgroup {id:?}, behind {MOST_FAULTS} faults");
                self.made.remarks.push(Diagnostic::warning(None, message));
                break;
            }
        }
        self.made.instructions = Some(instructions);
    }

    /// Has a threadgroup keep its steps, as far as there is room, and plans what is to be set in it. False
    /// if there is none.
    fn keep_traces(&mut self, number: u64) -> bool {
        let before = self.made.traces.len();
        let room = self.made.room();
        for (n, group) in self.group.simdgroups.iter_mut().enumerate() {
            group.keep_trace(room);
            group.plan(Changes::of(&self.job.options.changes, before + n));
        }
        if room == 0 {
            self.group.simdgroups.iter_mut().for_each(SimdGroup::drop_trace);
            let threads = self.launch.threads() as usize;
            self.made.remarks.push(cut(number as usize * threads, self.launch.each().count() * threads));
        }
        room > 0
    }

    /// Takes what went wrong in a threadgroup, and its steps.
    fn collect(&mut self, number: u64, id: [u32; 3], outcome: &Outcome) {
        let threads = u64::from(self.launch.threads());
        for fault in &outcome.faults {
            let thread = u64::from(fault.simdgroup * LANES + fault.lane);
            let cause = self.job.cause(&fault.kind);
            let cause =
                format!("threadgroup {id:?}, SIMD-group {}, lane {}: {cause}", fault.simdgroup, fault.lane);
            let at = self.job.program.number_of(fault.offset);
            self.made.faults.push(Fault { invocation: number * threads + thread, at, cause, trap: None });
        }
        for group in self.group.simdgroups.iter().filter(|group| group.is_traced()) {
            let first = number * threads + u64::from(group.index() * LANES);
            self.made.traces.push(group.trace().iter().map(|taken| step(taken, &self.job.program)).collect());
            self.made.traced.push(Traced { group: id, wave: group.index(), first });
        }
    }
}

/// A step as the trace shows it: with the mask, and r0l where lanes nest.
fn step(executed: &Executed, program: &Program) -> Step {
    let mut effects = vec![format!("active {:08x}", executed.active)];
    if executed.counters.iter().any(|n| *n != 0) {
        let counters: Vec<String> = executed.counters.iter().map(u32::to_string).collect();
        effects.push(format!("r0l {}", counters.join(" ")));
    }
    if !executed.on_way.is_empty() {
        effects.push(format!("on the way: {}", executed.on_way.join(" ")));
    }
    Step {
        at: program.number_of(executed.offset),
        offset: executed.offset,
        text: executed.text.clone(),
        set: executed.set.clone(),
        reads: executed.reads.clone(),
        write: executed.writes.first().cloned(),
        also: executed.writes.iter().skip(1).cloned().collect(),
        effects,
        next: Some(program.number_of(executed.next)),
        lanes: executed.active.into(),
        memory: executed.memory.clone(),
        ..Step::default()
    }
}
