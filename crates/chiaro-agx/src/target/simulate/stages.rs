//! Vertices and fragments: 32 at a time.

use std::cell::LazyCell;

use chiaro_diag::Diagnostic;
use chiaro_sim::Changes;
use chiaro_target::simulate::cut;
use chiaro_target::{Attributes, Fault, Kind, Output, Simulated, Traced};

use super::bind::Bound;
use super::fetch;
use super::run;
use super::{Choices, Job, step};
use crate::machine::{Colour, FaultKind, Group, Launch, Outcome, SimdGroup};
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
    /// The group as it was, where uniforms may be set in a batch.
    fresh: Option<Group>,
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
        let fresh = (!job.options.changes.is_empty()).then(|| group.clone());
        Ok(Run { job, given, group, bound, fresh, made })
    }

    /// Runs the lanes from `first` on: `enter` sets them up.
    fn batch(
        &mut self,
        first: usize,
        enter: impl FnOnce(&mut SimdGroup) -> Result<(), String>,
    ) -> Result<(), Vec<Diagnostic>> {
        if let Some(fresh) = &self.fresh {
            self.group = fresh.clone();
        }
        // Threads that compute vertices know their place in the grid.
        self.group.enter(&Launch::default(), [(first / ALL) as u32, 0, 0]);
        let left = (self.given.count - first).min(ALL);
        let simdgroup = &mut self.group.simdgroups[0];
        simdgroup.launch(if left == ALL { u32::MAX } else { (1 << left) - 1 });
        self.bound.enter(simdgroup);
        enter(simdgroup).map_err(|why| vec![Diagnostic::error(None, why)])?;
        let room = self.made.room();
        let traced = self.job.options.trace && room > 0;
        simdgroup.drop_trace();
        if traced {
            simdgroup.keep_trace(room);
            simdgroup.plan(Changes::of(&self.job.options.changes, self.made.traces.len()));
        }
        let outcome = self.group.run(&mut self.bound.memory);
        *self.made.instructions.get_or_insert(0) += outcome.issued;
        self.fault(first, &outcome);
        if traced {
            let simdgroup = &self.group.simdgroups[0];
            let steps = simdgroup.trace().iter().map(|taken| step(taken, simdgroup.program()));
            self.made.traces.push(steps.collect());
            self.made.traced.push(Traced { group: [0; 3], wave: (first / ALL) as u32, first: first as u64 });
            if self.made.room() == 0 {
                self.made.remarks.push(cut(first, self.given.count));
            }
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
            self.made.faults.push(Fault { invocation, at, cause, trap: None });
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
    let mut bound = bound;
    let fetched = job.executable.prolog().map(|key| fetch::attributes(key, given, &mut bound)).transpose();
    let fetched = fetched.map_err(|why| vec![Diagnostic::error(None, why)])?;
    let given = fetched.as_ref().unwrap_or(given);
    let (record, held) = (job.executable.record, &job.executable.interface.held);
    bound.records(held, record, given.count).map_err(|why| vec![Diagnostic::error(None, why)])?;
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
    if record > 0 {
        words = run.bound.recorded(record, given.count);
    }
    run.made.outputs = job.executable.outputs(&words, given.count);
    Ok(run.finish())
}

/// Runs fragments, four in a row a quad. Those that are given what lies below them have a colour and a depth for
/// each sample, and say which samples live.
pub(super) fn fragments(
    job: &Job<'_>,
    given: &Attributes,
    bound: Bound,
) -> Result<Simulated, Vec<Diagnostic>> {
    let targets = job.executable.targets(&job.program);
    let target = targets.first().map(|(_, place)| *place);
    let of_samples = below(given, job.executable.epilog().map(|key| key.nr_samples)).map_err(|e| vec![*e])?;
    let choices = Choices { samples: of_samples.unwrap_or(job.choices.samples), ..*job.choices };
    let Job { executable, options, .. } = *job;
    let job = &Job { executable, program: job.program.clone(), choices: &choices, options };
    let mut run = Run::new(job, given, bound)?;
    let leaves_colour = LazyCell::new(|| run::leaves_colour(job.executable));
    let others = targets.iter().skip(1).map(|(n, place)| (*n, *place, Vec::new())).collect();
    let mut all = Fragments { several: of_samples.is_some(), others, ..Fragments::default() };
    for first in (0..given.count).step_by(ALL) {
        let pixels = job.executable.pixels(given, first, (1 << choices.samples, target));
        let pixels = pixels.map_err(|why| vec![Diagnostic::error(None, why)])?;
        run.batch(first, |group| {
            group.shade(pixels);
            Ok(())
        })?;
        let group = &mut run.group.simdgroups[0];
        for lane in 0..(given.count - first).min(ALL) {
            match target.filter(|_| all.several) {
                Some(target) => all.samples(group, target, lane),
                None => all.whole(group, lane, || *leaves_colour),
            }
        }
    }
    all.tell(&mut run.made, 1 << choices.samples);
    Ok(run.finish())
}

/// How many samples the colours below fragments have, as a power of two. An epilog is made for so many.
fn below(given: &Attributes, epilog: Option<u64>) -> Result<Option<u8>, Box<Diagnostic>> {
    let error = |message: String| Box::new(Diagnostic::error(None, message));
    let Some((_, column)) = given.columns.iter().find(|(name, _)| name == "below") else { return Ok(None) };
    let Some(first) = column.some_values(0, 1).first().cloned() else { return Ok(Some(0)) };
    let samples = first.words("below", Kind::Float(32)).map_err(error)?.len() / 4;
    if epilog.is_some_and(|own| own.max(1) != samples as u64) {
        let own = epilog.unwrap_or(1);
        let wrong = *error(format!("the epilog is for {own} samples, and what is drawn to has {samples}"));
        return Err(Box::new(wrong.help("link with a key of as many samples")));
    }
    match samples {
        1 | 2 | 4 => Ok(Some(samples.trailing_zeros() as u8)),
        n => Err(error(format!("{n} samples lie below a fragment; there can be 1, 2 or 4"))),
    }
}

/// What fragments leave.
#[derive(Default)]
struct Fragments {
    /// For each sample.
    several: bool,
    colours: Vec<u64>,
    /// Targets behind the first: number, place, what they hold.
    others: Vec<(usize, Colour, Vec<u64>)>,
    depths: Vec<u64>,
    live: Vec<u64>,
    discarded: Vec<bool>,
    /// Whether one of them gave a depth.
    emits: bool,
}

impl Fragments {
    /// The samples of a fragment.
    fn samples(&mut self, group: &mut SimdGroup, target: Colour, lane: usize) {
        let Some(pixels) = group.pixels_mut() else { return };
        for sample in 0..pixels.samples.into() {
            let colour = pixels.colour(target, lane, sample).unwrap_or_default();
            self.colours.extend(colour.map(|x| u64::from(x.to_bits())));
            self.depths.push(pixels.depths[lane][sample].to_bits().into());
            for (_, place, colours) in &mut self.others {
                let colour = pixels.colour(*place, lane, sample).unwrap_or_default();
                colours.extend(colour.map(|x| u64::from(x.to_bits())));
            }
        }
        self.live.push(pixels.live[lane].into());
        self.emits |= pixels.depth[lane].is_some();
        self.discarded.push(pixels.covered[lane] != 0 && pixels.live[lane] == 0);
    }

    /// A fragment with the mean of its samples.
    fn whole(&mut self, group: &mut SimdGroup, lane: usize, leaves_colour: impl Fn() -> bool) {
        let colour = group.colour(lane).or_else(|| leaves_colour().then(|| run::left_colour(group, lane)));
        self.colours.extend(colour.unwrap_or_default().map(|x| u64::from(x.to_bits())));
        let Some(pixels) = group.pixels() else { return };
        self.emits |= pixels.depth[lane].is_some();
        self.depths.push(u64::from(pixels.depth[lane].unwrap_or(0.0).to_bits()));
        self.discarded.push(pixels.covered[lane] != 0 && pixels.live[lane] == 0);
    }

    fn tell(self, made: &mut Simulated, samples: usize) {
        let output = |name: &str, place: &str, width: usize, bits: Vec<u64>| Output {
            name: name.to_owned(),
            place: place.to_owned(),
            kind: Kind::Float(32),
            width,
            bits,
        };
        let samples = if self.several { samples } else { 1 };
        made.outputs.push(output("colour", "tile", 4 * samples, self.colours));
        if self.several {
            let others = self.others.into_iter();
            made.outputs
                .extend(others.map(|(n, _, bits)| output(&format!("colour {n}"), "tile", 4 * samples, bits)));
        }
        if self.emits {
            made.outputs.push(output("gl_FragDepth", "zs_emit", samples, self.depths));
        }
        if self.several {
            let live = output("gl_SampleMask", "sample_mask", 1, self.live);
            made.outputs.push(Output { kind: Kind::Uint(32), ..live });
        }
        made.discarded = self.discarded;
    }
}
