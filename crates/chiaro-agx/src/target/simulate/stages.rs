//! Vertices and fragments: 32 at a time.

use std::cell::LazyCell;

use chiaro_diag::Diagnostic;
use chiaro_target::simulate::MOST_TRACED;
use chiaro_target::{Attributes, Fault, Kind, Output, Simulated};

use super::bind::Bound;
use super::run;
use super::{Job, step};
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
    job: &'a Job<'a>,
    given: &'a Attributes,
    group: Group,
    bound: Bound,
    made: Simulated,
}

impl<'a> Run<'a> {
    fn new(job: &'a Job<'a>, given: &'a Attributes, mut bound: Bound) -> Result<Run<'a>, Vec<Diagnostic>> {
        if given.count > MOST {
            let message = format!("{} invocations are asked for; a run takes {MOST} at most", given.count);
            return Err(vec![Diagnostic::error(None, message)]);
        }
        let (group, made) = job.start(&Launch::default(), 0, &mut bound)?;
        let made = Simulated { invocations: given.count, ..made };
        Ok(Run { job, given, group, bound, made })
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
        let traced = self.job.options.trace && first == 0;
        if traced {
            simdgroup.keep_trace(MOST_TRACED);
        }
        let outcome = self.group.run(&mut self.bound.memory);
        *self.made.instructions.get_or_insert(0) += outcome.issued;
        self.fault(first, &outcome);
        if traced {
            let simdgroup = &self.group.simdgroups[0];
            let steps = simdgroup.trace().iter().map(|taken| step(taken, simdgroup.program()));
            self.made.traces = vec![steps.collect()];
        }
        Ok(())
    }

    fn fault(&mut self, first: usize, outcome: &Outcome) {
        for fault in &outcome.faults {
            let cause = self.job.cause(&fault.kind);
            let cause = match &fault.kind {
                FaultKind::Endless => cause,
                _ => format!("lane {}: {cause}", fault.lane),
            };
            let invocation = (first + fault.lane as usize) as u64;
            let at = self.job.program.number_of(fault.offset);
            self.made.faults.push(Fault { invocation, at, cause });
        }
    }

    fn finish(self) -> Simulated {
        Simulated { resources: self.bound.written(), ..self.made }
    }
}

/// Runs vertices.
pub(super) fn vertices(
    job: &Job<'_>,
    given: &Attributes,
    bound: Bound,
) -> Result<Simulated, Vec<Diagnostic>> {
    if given.count > MOST_VERTICES {
        let message = format!("{} vertices are asked for; a run takes {MOST_VERTICES} at most", given.count);
        return Err(vec![Diagnostic::error(None, message)]);
    }
    let mut run = Run::new(job, given, bound)?;
    let mut words: Vec<(u32, Vec<u32>)> = Vec::new();
    for first in (0..given.count).step_by(ALL) {
        run.batch(first, |group| run::enter_vertices(group, given, first, job.options.shared))?;
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
    job: &Job<'_>,
    given: &Attributes,
    bound: Bound,
) -> Result<Simulated, Vec<Diagnostic>> {
    let mut run = Run::new(job, given, bound)?;
    let leaves_colour = LazyCell::new(|| run::leaves_colour(job.executable));
    let (mut colours, mut depths, mut emits) = (Vec::new(), Vec::new(), false);
    for first in (0..given.count).step_by(ALL) {
        let pixels = job.executable.pixels(given, first, 1 << job.choices.samples);
        let pixels = pixels.map_err(|why| vec![Diagnostic::error(None, why)])?;
        run.batch(first, |group| {
            group.shade(pixels);
            Ok(())
        })?;
        let group = &mut run.group.simdgroups[0];
        for lane in 0..(given.count - first).min(ALL) {
            let colour = group.colour(lane).or_else(|| leaves_colour.then(|| run::left_colour(group, lane)));
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
