//! Utgard GP: names to uniform memory, attributes and outputs, and back.

use std::sync::Arc;

use crate::container::{Mbs, Symbol, Table};
use crate::explain;
use crate::isa::word::{self, Word};
use crate::machine::{Config, Executed, FaultKind, Machine, Program, SETTABLE};
use chiaro_diag::{Diagnostic, did_you_mean};
use chiaro_sim::{Changes, LANES};
use chiaro_target::simulate::{endless, settable, traced, unset};
use chiaro_target::{Attributes, Fault, Inputs, Output, SimulateOptions, Simulated, Step, Value};

use crate::regs::{BANK, UNIFORMS};

use super::read;

/// What an attribute that gives fewer than four components is filled from [spec section 16].
const FILL: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
/// The viewport's transformation, scale and offset: names of ARM's compiler.
const VIEWPORT: &str = "gl_mali_ViewportTransform";
/// Where a varying that nothing writes is.
const NOWHERE: u16 = 0xffff;

/// Runs an MBS1 file, or code alone.
pub(super) fn simulate(
    container: &[u8],
    inputs: &Inputs,
    options: &SimulateOptions,
) -> Result<Simulated, Vec<Diagnostic>> {
    let mbs = read(container).map_err(|error| vec![*error])?;
    let own = options.shared.then(|| own(&mbs, inputs));
    let inputs = own.as_ref().unwrap_or(inputs);
    let given = inputs.work.vertices()?;
    let config = config(options)?;
    let words = mbs.program();
    let mut machine = Machine::new(Arc::new(Program::new(&words, &config)));
    let mut remarks = uniforms(&mut machine, &mbs, &inputs.resources)?;
    let (places, missing) = attributes(&mbs, given)?;
    remarks.extend(missing);
    let run = Run { columns: given.vec4(FILL)?, places, outputs: outputs(&mbs, &words) };
    machine.fuel = options.max_steps.unwrap_or(machine.fuel);
    let mut made = run.all(&mut machine, given.count);
    if options.trace {
        settable(&options.changes, |change| machine.can_set(&change.register), SETTABLE)?;
        let (traces, cut) = traced(given.count, |vertex, most| {
            let changes = Changes::of(&options.changes, vertex);
            if changes.is_empty() {
                return run.trace(&mut machine, vertex, (&words, most), changes);
            }
            // What is set is this vertex's alone.
            let mut own = machine.clone();
            let steps = run.trace(&mut own, vertex, (&words, most), changes);
            run.take_outputs(&own, vertex, &mut made);
            steps
        });
        made.traces = traces;
        remarks.extend(cut);
    }
    made.remarks = remarks;
    Ok(made)
}

/// A prepared run.
struct Run {
    /// The values of each given attribute.
    columns: Vec<Vec<[f32; 4]>>,
    /// The number of each given attribute.
    places: Vec<u32>,
    outputs: Vec<Place>,
}

impl Run {
    /// Vertices in groups that run side by side.
    fn all(&self, machine: &mut Machine, count: usize) -> Simulated {
        let mut made = Simulated { mode: "ieee", invocations: count, ..Simulated::default() };
        let mut rows = vec![Vec::with_capacity(count); self.outputs.len()];
        for first in (0..count).step_by(LANES) {
            let lanes = (count - first).min(LANES);
            (0..lanes).for_each(|lane| self.load(machine, lane, first + lane));
            machine.run(lanes);
            for lane in 0..lanes {
                for (output, rows) in self.outputs.iter().zip(&mut rows) {
                    rows.push(machine.output(lane, output.first.into()).map(f32::to_bits));
                }
                made.cycles.push(machine.cycles(lane));
            }
            let allowed = machine.fuel;
            made.faults.extend(machine.faults().iter().map(|fault| stopped(fault, first, allowed)));
        }
        let output = |(place, rows): (&Place, &Vec<[u32; 4]>)| {
            Output::of_floats(place.name.clone(), &format!("v{}", place.first), (1 << place.width) - 1, rows)
        };
        made.outputs = self.outputs.iter().zip(&rows).map(output).collect();
        made
    }

    /// The outputs of a vertex that went another way than it does by itself.
    fn take_outputs(&self, machine: &Machine, vertex: usize, made: &mut Simulated) {
        for (place, output) in self.outputs.iter().zip(&mut made.outputs) {
            let row = output.width * vertex..output.width * (vertex + 1);
            let bits = machine.output(0, place.first.into()).map(|value| u64::from(value.to_bits()));
            if let Some(row) = output.bits.get_mut(row) {
                row.copy_from_slice(&bits[..output.width]);
            }
        }
    }

    /// The steps of one vertex, at most so many.
    fn trace(
        &self,
        machine: &mut Machine,
        vertex: usize,
        (words, most): (&[Word], usize),
        changes: Changes,
    ) -> Vec<Step> {
        self.load(machine, 0, vertex);
        let steps = machine.trace(most, changes);
        steps.iter().enumerate().map(|(i, s)| step(s, steps.get(i + 1), words)).collect()
    }

    fn load(&self, machine: &mut Machine, lane: usize, vertex: usize) {
        for (place, values) in self.places.iter().zip(&self.columns) {
            machine.set_attribute(lane, *place, values[vertex]);
        }
    }
}

fn stopped(fault: &crate::machine::Fault, first: usize, allowed: u64) -> Fault {
    let invocation = (first + fault.lane as usize) as u64;
    let cause = match fault.kind {
        FaultKind::Endless => endless(allowed),
        other => other.to_string(),
    };
    Fault { invocation, at: fault.instruction, cause, trap: None }
}

/// Named assumptions; there is one number mode.
pub(super) fn config(options: &SimulateOptions) -> Result<Config, Vec<Diagnostic>> {
    let mut config = Config::default();
    let mut errors = Vec::new();
    let mut error = |text: String| errors.push(Diagnostic::error(None, text));
    if let Some(mode) = options.mode.as_deref().filter(|mode| *mode != "ieee") {
        error(format!("there is no mode `{mode}`; there is ieee"));
    }
    if options.entry.is_some() || options.executable.is_some() {
        error("programs of this target have one entry, their first instruction".to_owned());
    }
    for (name, value) in &options.assumptions {
        if let Err(why) = config.set(name, value) {
            error(why);
        }
    }
    if errors.is_empty() { Ok(config) } else { Err(errors) }
}

/// A range of vec4 by name.
struct Place {
    name: String,
    first: u16,
    count: u16,
    /// The component that it begins in: uniforms may share a vec4.
    component: u16,
    /// Components that are used.
    width: u16,
}

/// What a symbol covers: its offset counts floats.
fn place(symbol: &Symbol) -> Place {
    let entries = symbol.entries.max(1);
    Place {
        name: symbol.name.clone(),
        first: symbol.offset / 4,
        component: symbol.offset % 4,
        count: entries.saturating_mul((symbol.stride / 4).max(1)),
        width: symbol.components.clamp(1, 4),
    }
}

/// Finds a name of the program, or a place as listings write it.
fn find(symbols: &[Symbol], name: &str, bank: &str, size: u16) -> Result<Place, Box<Diagnostic>> {
    if let Some(symbol) = symbols.iter().find(|s| s.name == name && s.offset != NOWHERE) {
        return Ok(place(symbol));
    }
    let number = name.strip_prefix(bank).and_then(|rest| rest.trim_matches(['[', ']']).parse::<u16>().ok());
    if let Some(first) = number.filter(|&n| n < size) {
        return Ok(Place { name: name.to_owned(), first, component: 0, count: size - first, width: 4 });
    }
    let known = symbols.iter().filter(|s| s.init.is_none()).map(|s| s.name.as_str());
    let error = Diagnostic::error(None, format!("the program has no input or uniform `{name}`"));
    Err(Box::new(match did_you_mean(name, known.clone()) {
        Some(guess) => error.meant(guess),
        None if known.clone().next().is_none() => {
            error.help("it has no names at all; use places: a0 for attributes, t[0] for uniform memory")
        }
        None => error.help(format!("it has {}", known.collect::<Vec<_>>().join(", "))),
    }))
}

/// What belongs to the program of all that is given to a draw.
fn own(mbs: &Mbs, inputs: &Inputs) -> Inputs {
    let uniforms = mbs.symbols(Table::Uniforms);
    let attributes = mbs.symbols(Table::Attributes);
    inputs.own(
        |name| find(uniforms, name, "t", UNIFORMS as u16).is_ok(),
        |name| find(attributes, name, "a", BANK as u16).is_ok(),
    )
}

/// Constants of the file, then the viewport as it is without one, then what is given.
fn uniforms(
    machine: &mut Machine,
    mbs: &Mbs,
    given: &[(String, Value)],
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let symbols = mbs.symbols(Table::Uniforms);
    for symbol in symbols {
        let at = usize::from(symbol.offset / 4);
        match &symbol.init {
            Some(values) => initial(machine, symbol.offset, values),
            None if symbol.name == VIEWPORT => machine.set_uniform(at, [1.0, 1.0, 1.0, 0.0]),
            None => {}
        }
    }
    let mut errors = Vec::new();
    for (name, value) in given {
        errors.extend(uniform(machine, symbols, name, value).err().map(|error| *error));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let is_open = |s: &&Symbol| {
        s.init.is_none() && s.name != VIEWPORT && !given.iter().any(|(name, _)| *name == s.name)
    };
    let by_place = given.iter().any(|(name, _)| name.starts_with("t["));
    let missing: Vec<&str> = symbols.iter().filter(is_open).map(|s| s.name.as_str()).collect();
    Ok(unset("uniform", if by_place { &[] } else { &missing }, "0").into_iter().collect())
}

/// Initial values of a constant, which may start in the middle of a vec4 that others share.
fn initial(machine: &mut Machine, offset: u16, values: &[u32]) {
    for (i, &bits) in values.iter().enumerate() {
        let at = usize::from(offset) + i;
        machine.set_part(at / 4, at % 4, &[f32::from_bits(bits)]);
    }
}

fn uniform(
    machine: &mut Machine,
    symbols: &[Symbol],
    name: &str,
    value: &Value,
) -> Result<(), Box<Diagnostic>> {
    let place = find(symbols, name, "t", UNIFORMS as u16)?;
    // Booleans are floats here.
    let rows = value.rows(name).map_err(|why| Box::new(Diagnostic::error(None, why)))?;
    if rows.len() > usize::from(place.count) {
        let message = format!("`{name}` has {} vec4, but {} are given", place.count, rows.len());
        return Err(Box::new(Diagnostic::error(None, message)));
    }
    for (i, row) in rows.iter().enumerate() {
        let own = &row[..row.len().min(place.width.into())];
        machine.set_part(usize::from(place.first) + i, place.component.into(), own);
    }
    Ok(())
}

/// The number of each given attribute, and a remark on those without values.
fn attributes(mbs: &Mbs, given: &Attributes) -> Result<(Vec<u32>, Option<Diagnostic>), Vec<Diagnostic>> {
    let symbols = mbs.symbols(Table::Attributes);
    let (mut places, mut errors) = (Vec::new(), Vec::new());
    for (name, _) in &given.columns {
        match find(symbols, name, "a", BANK as u16) {
            Ok(place) => places.push(u32::from(place.first)),
            Err(error) => errors.push(*error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let is_open = |s: &&Symbol| !places.contains(&u32::from(s.offset / 4));
    let missing: Vec<&str> = symbols.iter().filter(is_open).map(|s| s.name.as_str()).collect();
    let remark = unset("attribute", &missing, "0, 0, 0, 0");
    Ok((places, remark))
}

/// Outputs by name; by place what the code stores, where the file names none.
fn outputs(mbs: &Mbs, words: &[Word]) -> Vec<Place> {
    let symbols = mbs.symbols(Table::Varyings);
    if symbols.is_empty() {
        let stored = stored(words);
        return stored
            .map(|first| Place { name: format!("v{first}"), first, component: 0, count: 1, width: 4 })
            .collect();
    }
    let mut outputs = Vec::new();
    for symbol in symbols.iter().filter(|s| s.offset != NOWHERE) {
        let Place { first, count, width, .. } = place(symbol);
        for i in 0..count.min(BANK as u16) {
            let name = if count == 1 { symbol.name.clone() } else { format!("{}[{i}]", symbol.name) };
            outputs.push(Place { name, first: first + i, component: 0, count: 1, width });
        }
    }
    outputs
}

/// Outputs that some instruction stores.
fn stored(words: &[Word]) -> impl Iterator<Item = u16> {
    let mut mask = 0u32;
    for word in words {
        if word.get(word::STORE0_VARYING) == 1 {
            mask |= 1 << word.get(word::STORE0_INDEX);
        }
        if word.get(word::STORE1_VARYING) == 1 {
            mask |= 1 << word.get(word::STORE1_INDEX);
        }
    }
    (0..BANK as u16).filter(move |place| mask >> place & 1 == 1)
}

fn step(executed: &Executed, next: Option<&Executed>, words: &[Word]) -> Step {
    let text = words.get(executed.at as usize).map(|&word| explain::text(word));
    let effects = executed.branched.then(|| "branches".to_owned());
    let named = |(name, bits): &(String, u32)| (name.clone(), vec![*bits]);
    Step {
        at: executed.at,
        offset: executed.at * word::BYTES as u32,
        text: text.unwrap_or_default(),
        set: executed.set.iter().map(named).collect(),
        reads: executed.reads.iter().map(named).collect(),
        write: executed.writes.first().map(named),
        also: executed.writes.iter().skip(1).map(named).collect(),
        results: executed.results.iter().map(|&(unit, bits)| (unit.name(), bits)).collect(),
        effects: effects.into_iter().collect(),
        next: next.map(|next| next.at),
        ..Step::default()
    }
}
