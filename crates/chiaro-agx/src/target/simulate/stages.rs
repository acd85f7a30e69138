//! Vertices and fragments: 32 at a time.

use chiaro_diag::Diagnostic;
use chiaro_target::simulate::{MOST_TRACED, endless};
use chiaro_target::{Attributes, Fault, Kind, Output, SimulateOptions, Simulated};

use super::bind::Bound;
use super::run::{self, Executable};
use super::{Choices, entry, step};
use crate::machine::{FaultKind, Group, Launch, Outcome, SimdGroup};
use crate::regs::LANES;

/// Lanes of a SIMD-group.
const ALL: usize = LANES as usize;
/// Invocations that a run takes.
const MOST: usize = 1 << 24;
/// Vertices that a run takes: each keeps its words.
const MOST_VERTICES: usize = 1 << 20;

/// A run of one stage.
struct Run<'a> {
    given: &'a Attributes,
    group: Group,
    bound: Bound,
    fuel: u64,
    trace: bool,
    made: Simulated,
}

impl<'a> Run<'a> {
    fn new(
        executable: &Executable,
        given: &'a Attributes,
        mut bound: Bound,
        choices: &Choices,
        options: &SimulateOptions,
    ) -> Result<Run<'a>, Vec<Diagnostic>> {
        if given.count > MOST {
            let message = format!("{} invocations are asked for; a run takes {MOST} at most", given.count);
            return Err(vec![Diagnostic::error(None, message)]);
        }
        let program = executable.program(choices);
        let mut group = Group::new(&program, &choices.config, &Launch::default(), 0);
        group.set_entry(entry(options, &program).map_err(|error| vec![*error])?);
        let before = executable.prepare(&mut group, &mut bound, choices);
        let made = Simulated { mode: "functional", invocations: given.count, ..Simulated::default() };
        let fuel = choices.config.fuel;
        let mut run = Run { given, group, bound, fuel, trace: options.trace, made };
        run.made.instructions = Some(before.issued);
        run.fault(0, &before);
        Ok(run)
    }

    /// Runs the lanes from `first` on: `enter` sets them up.
    fn batch(
        &mut self,
        first: usize,
        enter: impl FnOnce(&mut SimdGroup) -> Result<(), String>,
    ) -> Result<(), Vec<Diagnostic>> {
        self.group.enter(&Launch::default(), [0; 3]);
        let left = (self.given.count - first).min(ALL);
        let simdgroup = &mut self.group.simdgroups[0];
        simdgroup.launch(if left == ALL { u32::MAX } else { (1 << left) - 1 });
        self.bound.enter(simdgroup);
        enter(simdgroup).map_err(|why| vec![Diagnostic::error(None, why)])?;
        if self.trace && first == 0 {
            simdgroup.keep_trace(MOST_TRACED);
        }
        let outcome = self.group.run(&mut self.bound.memory);
        *self.made.instructions.get_or_insert(0) += outcome.issued;
        self.fault(first, &outcome);
        if self.trace && first == 0 {
            let simdgroup = &self.group.simdgroups[0];
            let steps = simdgroup.trace().iter().map(|taken| step(taken, simdgroup.program()));
            self.made.traces = vec![steps.collect()];
        }
        Ok(())
    }

    fn fault(&mut self, first: usize, outcome: &Outcome) {
        for fault in &outcome.faults {
            let cause = match &fault.kind {
                FaultKind::Endless => endless(self.fuel),
                kind => format!("lane {}: {kind}", fault.lane),
            };
            let invocation = (first + fault.lane as usize) as u64;
            let at = self.group.simdgroups[0].program().number_of(fault.offset);
            self.made.faults.push(Fault { invocation, at, cause });
        }
    }

    fn finish(self) -> Simulated {
        Simulated { resources: self.bound.written(), ..self.made }
    }
}

/// Runs vertices.
pub(super) fn vertices(
    executable: &Executable,
    given: &Attributes,
    bound: Bound,
    choices: &Choices,
    options: &SimulateOptions,
) -> Result<Simulated, Vec<Diagnostic>> {
    if given.count > MOST_VERTICES {
        let message = format!("{} vertices are asked for; a run takes {MOST_VERTICES} at most", given.count);
        return Err(vec![Diagnostic::error(None, message)]);
    }
    let mut run = Run::new(executable, given, bound, choices, options)?;
    let mut words: Vec<(u32, Vec<u32>)> = Vec::new();
    for first in (0..given.count).step_by(ALL) {
        run.batch(first, |group| run::enter_vertices(group, given, first, options.shared))?;
        let found = run.group.simdgroups[0].outputs();
        if words.len() < found.len() {
            words.resize(found.len(), (0, vec![0; given.count]));
        }
        for ((written, all), (lanes, values)) in words.iter_mut().zip(found) {
            *written |= lanes;
            let left = (given.count - first).min(ALL);
            all[first..first + left].copy_from_slice(&values.0[..left]);
        }
    }
    run.made.outputs = run::words(&words, given.count);
    Ok(run.finish())
}

/// Runs fragments, four in a row a quad.
pub(super) fn fragments(
    executable: &Executable,
    given: &Attributes,
    bound: Bound,
    choices: &Choices,
    options: &SimulateOptions,
) -> Result<Simulated, Vec<Diagnostic>> {
    let mut run = Run::new(executable, given, bound, choices, options)?;
    let (mut colours, mut depths, mut emits) = (Vec::new(), Vec::new(), false);
    for first in (0..given.count).step_by(ALL) {
        let pixels = executable.pixels(given, first, 1 << choices.samples);
        let pixels = pixels.map_err(|why| vec![Diagnostic::error(None, why)])?;
        run.batch(first, |group| {
            group.shade(pixels);
            Ok(())
        })?;
        let group = &mut run.group.simdgroups[0];
        for lane in 0..(given.count - first).min(ALL) {
            let colour = group.colour(lane).or_else(|| run::left_colour(&executable.code, group, lane));
            colours.extend(colour.unwrap_or_default().map(|x| u64::from(x.to_bits())));
            let Some(pixels) = group.pixels() else { continue };
            emits |= pixels.depth[lane].is_some();
            depths.push(u64::from(pixels.depth[lane].unwrap_or(0.0).to_bits()));
            run.made.discarded.push(pixels.covered[lane] != 0 && pixels.live[lane] == 0);
        }
    }
    let output = |name: &str, place: &str, width: usize, bits: Vec<u64>| Output {
        name: name.to_owned(),
        place: place.to_owned(),
        kind: Kind::Float(32),
        width,
        bits,
    };
    run.made.outputs.push(output("colour", "tile", 4, colours));
    if emits {
        run.made.outputs.push(output("gl_FragDepth", "zs_emit", 1, depths));
    }
    Ok(run.finish())
}
