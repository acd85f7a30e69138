//! Quads of fragments to the colours of their samples.

use chiaro_diag::Diagnostic;
use chiaro_draw::{Fragment, MOST_SAMPLES, Pixels, Shaded, Weights};
use chiaro_ir::Interpolation;
use chiaro_target::{Attributes, Column, Kind, Merge, Output, Samples, Simulated, Value, Work};

use super::elsewhere::{self, INVERSE_W, Place};
use super::interface::{FragmentInterface, Taken, Varying, builtin};
use super::{Mixing, Stage, bits_as_float, float, named};

/// Faults that are kept.
const MOST_FAULTS: usize = 16;

/// What a fragment program leaves: samples, and the second colour of each where two are blended.
struct Left {
    shaded: Shaded,
    second: [[f32; 4]; MOST_SAMPLES],
}

/// Shades quads with what the vertices gave.
pub(super) struct Painter<'a> {
    interface: &'a FragmentInterface,
    vertices: &'a Simulated,
    fragment: &'a mut dyn Stage,
    mixing: &'a Mixing,
    samples: u32,
    faults: Vec<String>,
    fragments: usize,
}

impl<'a> Painter<'a> {
    pub(super) fn new(
        interface: &'a FragmentInterface,
        vertices: &'a Simulated,
        fragment: &'a mut dyn Stage,
        mixing: &'a Mixing,
        samples: u32,
    ) -> Painter<'a> {
        let mut painter =
            Painter { interface, vertices, fragment, mixing, samples, faults: Vec::new(), fragments: 0 };
        painter.note(vertices, "vertex");
        painter
    }

    /// The first faults of each kind, and how many fragments were shaded.
    pub(super) fn finish(self) -> (Vec<String>, usize) {
        (self.faults, self.fragments)
    }

    /// The colours of all fragments over what has been drawn.
    pub(super) fn shade(
        &mut self,
        quads: &[Fragment],
        below: &Pixels,
    ) -> Result<Vec<Shaded>, Vec<Diagnostic>> {
        self.fragments += quads.len();
        let mut left = self.run(quads, below, 0)?;
        let others = if self.interface.by_sample { 1..self.samples as usize } else { 0..0 };
        for sample in others {
            let of_sample = self.run(quads, below, sample)?;
            for (all, one) in left.iter_mut().zip(of_sample) {
                take_sample(all, sample, &one);
            }
        }
        if let Some(merge) = self.mixing.after.as_deref() {
            for (Left { shaded, second }, fragment) in left.iter_mut().zip(quads) {
                let there = there(below, fragment);
                let all = Samples { colours: shaded.colours, second: *second, there, live: shaded.live };
                let merged = merge.merged(&all);
                (shaded.colours, shaded.live) = (merged.colours, merged.live);
            }
        }
        Ok(left.into_iter().map(|left| left.shaded).collect())
    }

    /// Runs the fragment program once for each fragment: for a sample, where that makes a difference.
    fn run(
        &mut self,
        quads: &[Fragment],
        below: &Pixels,
        sample: usize,
    ) -> Result<Vec<Left>, Vec<Diagnostic>> {
        let mut columns = self.rasterised(quads, below);
        for varying in &self.interface.varyings {
            let column = self.varying(varying, quads, &|fragment| place(fragment, varying.taken, sample));
            if column.is_none() {
                self.keep(format!("the vertex program writes no `{}`: fragments read zeros", varying.name));
            }
            columns.extend(column.map(|values| (varying.name.clone(), values.into())));
        }
        if self.fragment.looks_elsewhere() {
            columns.extend(self.elsewhere(quads));
        }
        for (number, name) in &self.interface.builtins {
            let values = self.built_in(*number, quads, sample);
            columns.extend(values.map(|values| (name.clone(), values.into())));
        }
        let made = self.fragment.run(Work::Fragments(Attributes { count: quads.len(), columns }))?;
        self.note(&made, "fragment");
        Ok(self.read(&made, quads.len()))
    }

    /// What the rasteriser knows of fragments beside their inputs.
    fn rasterised(&self, quads: &[Fragment], below: &Pixels) -> Vec<(String, Column)> {
        let column = |name: &str, values: Vec<Value>| (name.to_owned(), values.into());
        let mut columns = vec![column("helper", quads.iter().map(|f| Value::Bool(f.helper)).collect())];
        if self.mixing.by_program {
            columns.push(column("covered", quads.iter().map(|f| Value::Bits(f.covered.into())).collect()));
            let colours = |fragment: &Fragment| {
                let all = there(below, fragment).into_iter().take(self.samples as usize).flatten();
                Value::List(all.map(|x| Value::Bits(x.to_bits().into())).collect())
            };
            columns.push(column("below", quads.iter().map(colours).collect()));
        }
        columns
    }

    /// Colours, depths and samples that live, as the program left them: of each sample, or the same for all.
    fn read(&self, made: &Simulated, count: usize) -> Vec<Left> {
        let [colour, second] = self.colours().map(|name| {
            let name = name?;
            named(made, &name).or_else(|| named(made, &format!("{name}[0]")))
        });
        let (depth, mask) = (named(made, "gl_FragDepth"), named(made, "gl_SampleMask"));
        let several = self.mixing.by_program;
        let one = |n: usize| {
            let from = |sample: usize, width: usize| if several { sample * width } else { 0 };
            let colour_of = |of: Option<&Output>, sample: usize| match of {
                Some(output) => std::array::from_fn(|i| float(output, n, from(sample, 4) + i)),
                None => [0.0; 4],
            };
            let discarded = made.discarded.get(n).copied().unwrap_or(false);
            let mask = mask.and_then(|output| output.of(n).first()).map_or(u32::MAX, |bits| *bits as u32);
            let depths = |output| std::array::from_fn(|sample| float(output, n, from(sample, 1)));
            let shaded = Shaded {
                colours: std::array::from_fn(|sample| colour_of(colour, sample)),
                depths: depth.map(depths),
                live: if discarded { 0 } else { mask },
            };
            Left { shaded, second: std::array::from_fn(|sample| colour_of(second, sample)) }
        };
        (0..count).map(one).collect()
    }

    /// The outputs whose colours count: the one that is drawn, and a second one that it is blended by.
    fn colours(&self) -> [Option<String>; 2] {
        let interface = self.interface;
        match self.mixing.after.as_deref().and_then(Merge::location) {
            Some(location) => [0, 1].map(|index| interface.colour_at(location, index)),
            None => [Some(interface.colour.clone()), None],
        }
    }

    /// Keeps the first faults of a run, each once.
    fn note(&mut self, made: &Simulated, what: &str) {
        for fault in &made.faults {
            self.keep(format!("{what} program, word {}: {}", fault.at, fault.cause));
        }
    }

    fn keep(&mut self, fault: String) {
        if self.faults.len() < MOST_FAULTS && !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    /// The outputs of vertices that a varying is made of: of its name, at its location, or its components. Parts
    /// of arrays and matrices follow one another.
    fn outputs(&self, varying: &Varying) -> Vec<&'a Output> {
        let all = &self.vertices.outputs;
        let by_name = |output: &&Output| {
            let rest = output.name.strip_prefix(&varying.name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        };
        let at = varying.location.map(|location| format!("location {location}"));
        let by_place = |output: &&Output| Some(&output.place) == at.as_ref();
        let named: Vec<&Output> = all.iter().filter(by_name).collect();
        let placed: Vec<&Output> = all.iter().filter(by_place).collect();
        match (named.is_empty(), placed.is_empty()) {
            (false, _) => named,
            (_, false) => placed,
            _ => varying.parts.iter().filter_map(|part| all.iter().find(|o| o.name == *part)).collect(),
        }
    }

    /// Varyings at other places, and what corrects them for perspective.
    fn elsewhere(&self, quads: &[Fragment]) -> Vec<(String, Column)> {
        let inverse: Vec<Value> = quads.iter().map(elsewhere::inverse_w).collect();
        let mut columns = vec![(INVERSE_W.to_owned(), inverse.into())];
        for varying in &self.interface.varyings {
            for place in Place::all(self.samples as usize) {
                let values = self.varying(varying, quads, &|fragment| place.weights(fragment));
                columns.extend(values.map(|values| (place.column(&varying.name), values.into())));
            }
        }
        columns
    }

    /// The values of a varying at some place.
    fn varying(
        &self,
        varying: &Varying,
        quads: &[Fragment],
        place: &dyn Fn(&Fragment) -> &Weights,
    ) -> Option<Vec<Value>> {
        let parts = self.outputs(varying);
        let value = |fragment: &Fragment| {
            let place = place(fragment);
            let part = |output: &&Output| {
                let component = |k| Value::Bits(interpolated(output, varying, (fragment, place), k).into());
                Value::List((0..output.width).map(component).collect())
            };
            match &parts[..] {
                [only] => part(only),
                several => Value::List(several.iter().map(part).collect()),
            }
        };
        (!parts.is_empty()).then(|| quads.iter().map(value).collect())
    }

    /// Values of a built-in input; `None` for those that the rasteriser does not know.
    fn built_in(&self, number: u32, quads: &[Fragment], sample: usize) -> Option<Vec<Value>> {
        use builtin as b;
        let by_sample = self.interface.by_sample;
        let value = |fragment: &Fragment| match number {
            b::FRAG_COORD => {
                let [x, y] = fragment.pixel.map(|n| n as f32 + 0.5);
                [x, y, fragment.middle.depth as f32, fragment.middle.inverse_w as f32].into()
            }
            b::POINT_COORD => fragment.point.into(),
            b::SAMPLE_ID => Value::Bits(sample as u64),
            b::SAMPLE_POSITION => Fragment::places(self.samples)[sample].map(|x| x as f32).into(),
            b::SAMPLE_MASK => {
                let own = if by_sample { 1 << sample } else { u32::MAX };
                Value::List(vec![Value::Bits((fragment.covered & own).into())])
            }
            _ => Value::Bool(fragment.front),
        };
        let known = [b::FRAG_COORD, b::POINT_COORD, b::FRONT_FACING];
        let of_samples = [b::SAMPLE_ID, b::SAMPLE_POSITION, b::SAMPLE_MASK];
        let known = known.contains(&number) || of_samples.contains(&number);
        known.then(|| quads.iter().map(value).collect())
    }
}

/// Takes what a run for one sample gave.
fn take_sample(all: &mut Left, sample: usize, one: &Left) {
    let bit = 1 << sample;
    all.second[sample] = one.second[sample];
    let (all, one) = (&mut all.shaded, &one.shaded);
    all.colours[sample] = one.colours[sample];
    all.live = all.live & !bit | one.live & bit;
    if let (Some(all), Some(one)) = (&mut all.depths, one.depths) {
        all[sample] = one[sample];
    }
}

/// What the picture has of the samples of a fragment's pixel.
fn there(below: &Pixels, fragment: &Fragment) -> [[f32; 4]; MOST_SAMPLES] {
    let all = below.at(fragment.pixel);
    std::array::from_fn(|n| all.get(n).copied().unwrap_or_default())
}

/// Where a varying is taken.
fn place(fragment: &Fragment, taken: Taken, sample: usize) -> &Weights {
    match taken {
        Taken::Middle => &fragment.middle,
        Taken::Centroid => &fragment.centroid,
        Taken::Sample => &fragment.samples[sample],
    }
}

/// The bits of a component at a fragment.
fn interpolated(
    output: &Output,
    varying: &Varying,
    (fragment, place): (&Fragment, &Weights),
    component: usize,
) -> u32 {
    let bits = |vertex: usize| output.of(vertex).get(component).copied().unwrap_or(0);
    let weights = match varying.interpolation {
        Interpolation::Flat => return bits(fragment.provoking) as u32,
        Interpolation::Perspective => place.perspective,
        Interpolation::Linear => place.linear,
    };
    // Integers are flat whatever is written.
    if !matches!(output.kind, Kind::Float(_)) {
        return bits(fragment.provoking) as u32;
    }
    // As the machine does: the first vertex's value and two slopes.
    let [first, second, third] = fragment.corners.map(|vertex| bits_as_float(output, bits(vertex)));
    let sum = first + weights[1] as f32 * (second - first);
    (sum + weights[2] as f32 * (third - first)).to_bits()
}
