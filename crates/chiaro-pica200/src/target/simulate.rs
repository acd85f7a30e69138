//! PICA200: names to registers, and the machine's results back to names.

use std::sync::Arc;

use crate::container::outmap::enabled;
use crate::container::{Dvle, Shbin, Stage};
use crate::isa::{PICA200, fetch};
use crate::machine::{self, Config, Layout, Machine, Mode, Program, Register, SETTABLE};
use crate::operand::PICASSO;
use chiaro_diag::{Diagnostic, did_you_mean};
use chiaro_isa::Cx;
use chiaro_sim::{Change, Changes};
use chiaro_target::simulate::{endless, settable, traced};
use chiaro_target::{Attributes, Event, Fault, Inputs, Output, SimulateOptions, Simulated, Step};

use super::{bind, read};

/// A vertex loader fills missing components from these [azahar].
const FILL: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
/// Vertices that run side by side when their registers are read one by one.
const LANES: usize = 32;

/// Runs a SHBIN.
pub(super) fn simulate(
    container: &[u8],
    inputs: &Inputs,
    options: &SimulateOptions,
) -> Result<Simulated, Vec<Diagnostic>> {
    let shbin = read(container).map_err(|error| vec![*error])?;
    let dvle = executable(&shbin, options).map_err(|error| vec![*error])?;
    let (config, entry) = setup(&shbin, dvle, options)?;
    let program = Program::load(&shbin.program.code, &shbin.program.descriptors, entry, &config)
        .map_err(|error| vec![Diagnostic::error(None, error.to_string())])?;
    let mut machine = Arc::new(program).machine();
    let own = options.shared.then(|| bind::own(dvle, inputs));
    let inputs = own.as_ref().unwrap_or(inputs);
    let given = inputs.work.vertices()?;
    let mut remarks = bind::uniforms(&mut machine, dvle, &inputs.resources)?;
    let (registers, missing) = bind::attributes(dvle, &given.columns)?;
    let columns = given.vec4(FILL)?;
    remarks.extend(missing);

    let run = Run { shbin: &shbin, dvle, given, columns, registers, config: &config };
    let mut made =
        if dvle.stage == Stage::Geometry { run.one_by_one(&mut machine) } else { run.batch(&mut machine) };
    if options.trace {
        // Whether a register can be set is what setting it says.
        let can_set = |change: &Change| {
            let set = machine.clone().set_register(&change.register, change.value);
            set.is_some()
        };
        settable(&options.changes, can_set, SETTABLE)?;
        let (traces, cut) = traced(given.count, |vertex, most| {
            let changes = Changes::of(&options.changes, vertex);
            if changes.is_empty() {
                return run.trace(&mut machine, vertex, most, changes);
            }
            // What is set is this vertex's alone.
            let mut own = machine.clone();
            let steps = run.trace(&mut own, vertex, most, changes);
            run.take_outputs(&own, vertex, &mut made);
            steps
        });
        made.traces = traces;
        remarks.extend(cut);
    }
    made.invocations = given.count;
    made.mode = if config.mode == Mode::Emu32 { "emu32" } else { "hw24" };
    made.remarks = remarks;
    Ok(made)
}

pub(super) fn executable<'a>(
    shbin: &'a Shbin,
    options: &SimulateOptions,
) -> Result<&'a Dvle, Box<Diagnostic>> {
    let number = options.executable.unwrap_or(0);
    let count = shbin.executables.len();
    shbin.executables.get(number).ok_or_else(|| {
        let message = format!("there is no DVLE {number}; the file has {count}, counted from 0");
        Box::new(Diagnostic::error(None, message))
    })
}

/// Mode and assumptions.
pub(super) fn config(options: &SimulateOptions) -> Result<Config, Vec<Diagnostic>> {
    let mut config = Config::default();
    let mut errors = Vec::new();
    let error = |text: String| Diagnostic::error(None, text);
    match options.mode.as_deref() {
        None | Some("emu32") => config.mode = Mode::Emu32,
        Some("hw24") => config.mode = Mode::Hw24,
        Some(other) => errors.push(error(format!("there is no mode `{other}`; there are emu32 and hw24"))),
    }
    for (name, value) in &options.assumptions {
        errors.extend(config.set(name, value).err().map(error));
    }
    if let Some(most) = options.max_steps {
        config.fuel = u32::try_from(most).unwrap_or(u32::MAX);
    }
    if errors.is_empty() { Ok(config) } else { Err(errors) }
}

/// The options, as far as they depend on the program, and the entry.
pub(super) fn setup(
    shbin: &Shbin,
    dvle: &Dvle,
    options: &SimulateOptions,
) -> Result<(Config, u32), Vec<Diagnostic>> {
    let mut config = config(options)?;
    if dvle.stage == Stage::Geometry {
        config.geometry = Some(enabled(&dvle.outputs));
    }
    let entry = match &options.entry {
        Some(name) => find_entry(name, shbin, options).map_err(|error| vec![*error])?,
        None => dvle.entry,
    };
    Ok((config, entry))
}

/// A label of the sources or of any executable, or a word's number.
fn find_entry(name: &str, shbin: &Shbin, options: &SimulateOptions) -> Result<u32, Box<Diagnostic>> {
    let in_file =
        || shbin.executables.iter().flat_map(|dvle| dvle.labels.iter().map(move |label| (dvle, label)));
    let named =
        in_file().find(|(dvle, label)| dvle.name(label.name) == Some(name)).map(|(_, label)| label.offset);
    if let Some(word) = options.labels.get(name).copied().or(named).or(name.parse().ok()) {
        return Ok(word);
    }
    let known = options.labels.keys().map(String::as_str);
    let known = known.chain(in_file().filter_map(|(dvle, label)| dvle.name(label.name)));
    let error = Diagnostic::error(None, format!("there is no label `{name}` to start at"));
    Err(Box::new(match did_you_mean(name, known) {
        Some(guess) => error.meant(guess),
        None => error.help("name a label, or a word by its number"),
    }))
}

/// A prepared run.
struct Run<'a> {
    shbin: &'a Shbin,
    dvle: &'a Dvle,
    given: &'a Attributes,
    /// The values of each attribute.
    columns: Vec<Vec<[f32; 4]>>,
    /// The v register of each attribute.
    registers: Vec<u8>,
    config: &'a Config,
}

impl Run<'_> {
    /// Vertices in batches: the fast way, for programs without events.
    fn batch(&self, machine: &mut Machine) -> Simulated {
        let outputs = self.output_registers();
        let layout = Layout { inputs: self.registers.clone(), outputs: outputs.clone() };
        let count = self.given.count;
        let mut rows = Vec::with_capacity(count * self.registers.len());
        for vertex in 0..count {
            rows.extend(self.columns.iter().map(|values| values[vertex]));
        }
        let mut results = vec![[0.0f32; 4]; count * outputs.len()];
        // Rows are made above in whole vertices, so the sizes agree.
        let report = machine.run(&layout, &rows, &mut results).unwrap_or_default();
        let of = |k: usize| {
            results.iter().skip(k).step_by(outputs.len()).map(|row| row.map(f32::to_bits)).collect()
        };
        let columns: Vec<(u8, Vec<[u32; 4]>)> =
            outputs.iter().enumerate().map(|(k, &o)| (o, of(k))).collect();
        Simulated {
            outputs: self.name_outputs(&columns),
            instructions: Some(report.words),
            faults: faults(machine, 0, 0, self.config),
            ..Simulated::default()
        }
    }

    /// Vertices in groups whose events and registers are read one by one.
    fn one_by_one(&self, machine: &mut Machine) -> Simulated {
        let mut made = Simulated::default();
        let registers = self.output_registers();
        let mut columns: Vec<(u8, Vec<[u32; 4]>)> = registers.into_iter().map(|o| (o, Vec::new())).collect();
        for first in (0..self.given.count).step_by(LANES) {
            let lanes = (self.given.count - first).min(LANES);
            machine.start(lanes);
            for lane in 0..lanes {
                self.load(machine, lane, first + lane);
            }
            // The machine keeps the faults of earlier groups.
            let before = machine.faults().len();
            machine.execute();
            made.faults.extend(faults(machine, before, first as u64, self.config));
            for lane in 0..lanes {
                made.events.push(machine.events(lane).iter().map(event).collect());
                for (register, values) in &mut columns {
                    values.push(machine.register(lane, Register::Output(*register)));
                }
            }
        }
        made.outputs = self.name_outputs(&columns);
        made
    }

    /// The outputs of a vertex that went another way than it does by itself.
    fn take_outputs(&self, machine: &Machine, vertex: usize, made: &mut Simulated) {
        let of = |o: u8| (o, vec![machine.register(0, Register::Output(o))]);
        let columns: Vec<(u8, Vec<[u32; 4]>)> = self.output_registers().into_iter().map(of).collect();
        for own in self.name_outputs(&columns) {
            let Some(output) = made.outputs.iter_mut().find(|output| output.name == own.name) else {
                continue;
            };
            let row = output.width * vertex..output.width * (vertex + 1);
            if let Some(row) = output.bits.get_mut(row) {
                row.copy_from_slice(&own.bits);
            }
        }
    }

    /// The steps of one vertex, at most so many.
    fn trace(&self, machine: &mut Machine, vertex: usize, most: usize, mut changes: Changes) -> Vec<Step> {
        machine.start(1);
        self.load(machine, 0, vertex);
        let cx = Cx { dialect: PICASSO, ..PICA200.cx() };
        let text = |word: u32| {
            let inst = PICA200.decode_word(&fetch(word, &self.shbin.program.descriptors), 8).ok();
            inst.and_then(|inst| PICA200.text(&inst, &cx)).unwrap_or_else(|| format!(".word {word:#010x}"))
        };
        let (mut steps, mut trace) = (Vec::new(), machine.trace());
        while steps.len() < most {
            let mut set = Vec::new();
            for Change { register, value, .. } in changes.step() {
                let Some(bits) = trace.machine_mut().set_register(&register, value) else { continue };
                // Flags are what the step before has left.
                let before: Option<&mut Step> = steps.last_mut();
                match (flag(&register, bits), before) {
                    (Some(effect), Some(before)) => before.effects.push(effect),
                    (Some(_), None) => {}
                    (None, _) => set.push((register, vec![bits])),
                }
            }
            let Some(step) = trace.next() else { break };
            steps.push(Step { set, ..executed(step, &text) });
        }
        steps
    }

    fn load(&self, machine: &mut Machine, lane: usize, vertex: usize) {
        for (register, values) in self.registers.iter().zip(&self.columns) {
            machine.set_input(lane, *register, values[vertex]);
        }
    }

    /// The registers of the output table, each once; without a table all that there are.
    fn output_registers(&self) -> Vec<u8> {
        let mask = match enabled(&self.dvle.outputs) {
            0 => u16::MAX,
            mask => mask,
        };
        (0..16).filter(|k| mask >> k & 1 != 0).collect()
    }

    /// The entries of the output table with their values. Without a table, the registers that
    /// any vertex wrote something to.
    fn name_outputs(&self, columns: &[(u8, Vec<[u32; 4]>)]) -> Vec<Output> {
        if self.dvle.outputs.is_empty() {
            let untouched = [self.config.start_value; 4];
            let written = columns.iter().filter(|(_, values)| values.iter().any(|&row| row != untouched));
            return written
                .map(|(o, values)| Output::of_floats(format!("o{o}"), &format!("o{o}"), 0xf, values))
                .collect();
        }
        let mut made: Vec<Output> = Vec::new();
        for entry in &self.dvle.outputs {
            let Some((register, values)) = columns.iter().find(|(o, _)| u16::from(*o) == entry.register)
            else {
                continue;
            };
            let property =
                entry.property().map_or_else(|| format!("property{}", entry.kind), |p| p.name.into());
            let taken = made.iter().any(|output| output.name == property);
            let name = if taken { format!("{property}.o{register}") } else { property };
            made.push(Output::of_floats(name, &format!("o{register}"), entry.mask, values));
        }
        made
    }
}

/// The faults that came after the first `before`, of vertices counted from `first`.
fn faults(machine: &Machine, before: usize, first: u64, config: &Config) -> Vec<Fault> {
    let cause = |cause: machine::Cause| match cause {
        machine::Cause::Fuel => endless(config.fuel.into()),
        other => other.to_string(),
    };
    let fault = |fault: &machine::Fault| Fault {
        invocation: first + fault.vertex,
        at: fault.pc.into(),
        cause: cause(fault.cause),
        trap: None,
    };
    machine.faults().iter().skip(before).map(fault).collect()
}

/// How steps tell of an address register or a flag.
fn flag(name: &str, bits: u32) -> Option<String> {
    match name.split_once('.')?.0 {
        "a0" => Some(format!("{name} = {}", bits as i32)),
        "cmp" => Some(format!("{name} = {}", bits != 0)),
        _ => None,
    }
}

fn event(event: &machine::Event) -> Event {
    match event {
        machine::Event::Winding => Event::Winding,
        machine::Event::Vertex(attributes) => {
            Event::Vertex(attributes.iter().map(|row| row.to_vec()).collect())
        }
    }
}

fn executed(step: machine::Step, text: &impl Fn(u32) -> String) -> Step {
    let write = step.write.map(|(name, row, mask)| {
        let written = (0..4usize).filter(|i| mask >> i & 1 != 0);
        let letters: String = written.clone().filter_map(|i| "xyzw".chars().nth(i)).collect();
        (format!("{name}.{letters}"), written.map(|i| row[i]).collect())
    });
    Step {
        at: step.pc.into(),
        offset: u32::from(step.pc) * 4,
        text: text(step.word),
        reads: step.reads.into_iter().map(|(name, row)| (name, row.to_vec())).collect(),
        write,
        also: Vec::new(),
        results: Vec::new(),
        effects: step.effects,
        next: step.next.map(u32::from),
        ..Step::default()
    }
}
