//! A program that is to be run: its code and what comes before it, threadgroups, vertices, fragments.

use std::borrow::Cow;
use std::sync::Arc;

use chiaro_diag::Diagnostic;
use chiaro_sim::Lanes;
use chiaro_target::{Attributes, Interpolation, Kind, Output, Value, Varying as Told};

use super::Choices;
use super::bind::{Bound, Interface};
use crate::abi::key::{FragmentEpilog, Key, VertexProlog};
use crate::abi::link::STOP;
use crate::abi::tilebuffer::{Layout, physical};
use crate::check::contract::Contract;
use crate::container::file::{ALONE, Held, POINT_SIZE, POSITION, Role, SAMPLE_POSITIONS, Stage, What, Words};
use crate::container::varyings::Varying;
use crate::container::{self, Contents};
use crate::machine::{Colour, Group, Outcome, Pixels, Program, SimdGroup, positions};
use crate::regs::LANES;
use crate::target::unread;

/// What is run.
pub(super) struct Executable {
    pub(super) code: Vec<u8>,
    pub(super) generation: u8,
    preamble: Vec<u8>,
    constants: Vec<(u16, Vec<u8>)>,
    varyings: Vec<Varying>,
    /// What the words of a vertex hold, where the file says it.
    words: Vec<Words>,
    /// Words of the record of a vertex that is computed in software; 0 of others.
    pub(super) record: usize,
    /// What its prolog or epilog was made from, where the file says it.
    keys: Vec<Key>,
    /// Whether nobody behind the main part tests samples.
    tests_alone: bool,
    /// What it is given by name.
    pub(super) interface: Interface,
    /// Threads of a threadgroup, and bytes of its memory, where the file says it.
    pub(super) size: Option<[u32; 3]>,
    pub(super) local: u32,
    /// Bytes of the stack that a thread asks for.
    pub(super) stack: usize,
    /// Whether it was linked of parts.
    pub(super) is_linked: bool,
    /// Whether the next part would begin at its end.
    is_open: bool,
}

impl Executable {
    /// The program of a file.
    pub(super) fn of(bytes: &[u8], generation: u8) -> Result<Executable, Box<Diagnostic>> {
        let mut made = Executable {
            code: bytes.to_vec(),
            generation,
            preamble: Vec::new(),
            constants: Vec::new(),
            varyings: Vec::new(),
            words: Vec::new(),
            record: 0,
            keys: Vec::new(),
            tests_alone: true,
            interface: Interface::default(),
            size: None,
            local: 0,
            stack: 0,
            is_linked: false,
            is_open: false,
        };
        match container::open(bytes).map_err(unread)? {
            Contents::Code => {}
            Contents::File(file) => {
                made.varyings = file.varyings();
                made.stack = file.stack_bytes();
                made.is_linked = file.parts.len() > 1;
                made.is_open = !made.is_linked && file.stage == Stage::Fragment;
                made.keys = file.keys();
                let heap = file.heap();
                let mut behind = file.parts.iter().filter(|part| part.role == Role::Epilog);
                made.tests_alone = !behind.any(|part| part.contract.tests || part.contract.kills);
                made.record = if file.stage == Stage::SoftwareVertex { file.record() } else { 0 };
                made.words = file.words;
                (made.code, made.generation, made.preamble) = (file.code, file.generation, file.preamble);
                (made.constants, made.local) = (file.constants, file.local);
                let (held, states, members) = (file.uniforms, file.states, file.members);
                made.interface = Interface { held, states, heap, members };
                made.size = Some(file.size).filter(|size| !size.contains(&0));
            }
            Contents::Kernel(kernel) => {
                let find = |name: &str| kernel.programs().into_iter().find(|program| program.name == name);
                let code = |name: &str| find(name).map(|p| bytes[p.bytes].to_vec()).unwrap_or_default();
                (made.code, made.preamble) = (code("main"), code("preamble"));
                made.constants = vec![(kernel.constants_first, kernel.constants().to_vec())];
                made.size = Some(kernel.size.map(u32::from)).filter(|size| !size.contains(&0));
                made.local = kernel.local.into();
            }
            Contents::Metal(programs) => {
                let main =
                    |p: &&container::Program| p.name.ends_with("_agc.main") || p.name.ends_with("text");
                let code = |p: &container::Program| bytes[p.bytes.clone()].to_vec();
                made.code = programs.iter().find(main).or(programs.first()).map(code).unwrap_or_default();
                let before = programs.iter().find(|p| p.name.ends_with("constant_program"));
                made.preamble = before.map(code).unwrap_or_default();
            }
        }
        Ok(made)
    }

    /// What is run: behind a part that others would follow, the end.
    pub(super) fn run(&self) -> Vec<u8> {
        let end: &[u8] = if self.is_open { &STOP } else { &[] };
        [&self.code, end].concat()
    }

    /// Uniforms that are bound, constants, and what the preamble makes of them; the preamble, if there is one,
    /// with what came of it.
    pub(super) fn prepare(
        &self,
        group: &mut Group,
        bound: &mut Bound,
        choices: &Choices,
    ) -> Option<(Arc<Program>, Outcome)> {
        bound.uniforms().for_each(|(half, value)| group.set_uniform(half, value));
        for (first, bytes) in &self.constants {
            for (n, two) in (0..).zip(bytes.chunks(2)) {
                let value = two.iter().rev().fold(0, |all, byte| all << 8 | u16::from(*byte));
                group.set_uniform(first + n, value);
            }
        }
        for held in self.interface.held.iter().filter(|held| held.what == What::Draw) {
            if let Some(value) = self.parameter(held, choices) {
                let halves = (held.first..).zip([value as u16, (value >> 16) as u16]);
                halves.take(held.halves.into()).for_each(|(half, value)| group.set_uniform(half, value));
            }
        }
        bound.states(&mut group.states);
        if self.preamble.is_empty() {
            return None;
        }
        let preamble = Arc::new(Program::new(&self.preamble, self.generation, &choices.config));
        let outcome = group.prepare(&preamble, &choices.config, &mut bound.memory);
        Some((preamble, outcome))
    }

    /// What the driver says in a uniform; `None` for what is 0 here.
    fn parameter(&self, held: &Held, choices: &Choices) -> Option<u32> {
        match held.name.as_str() {
            // Samples that nobody else decides on are gone as the main part says.
            ALONE => self.tests_alone.then_some(u16::MAX.into()),
            SAMPLE_POSITIONS => Some(positions(1 << choices.samples)),
            name => {
                let is_own = |words: &&Words| words.name == name && words.member == held.member;
                self.words.iter().find(is_own).map(|words| words.first.into())
            }
        }
    }

    /// The key of the epilog.
    pub(super) fn epilog(&self) -> Option<&FragmentEpilog> {
        self.keys.iter().find_map(|key| match key {
            Key::FragmentEpilog(key) => Some(key),
            _ => None,
        })
    }

    /// The key of the prolog of a vertex program.
    pub(super) fn prolog(&self) -> Option<&VertexProlog> {
        self.keys.iter().find_map(|key| match key {
            Key::VertexProlog(key) => Some(key),
            _ => None,
        })
    }

    /// Where the targets of the program stand in the tilebuffer, with their numbers: by the key of its epilog, or the
    /// first one by its words.
    pub(super) fn targets(&self, program: &Program) -> Vec<(usize, Colour)> {
        let of_key = |key: &FragmentEpilog| {
            let mut all = vec![None; 8];
            for target in &key.rts {
                *all.get_mut(target.i as usize)? = physical(target.format.trim_start_matches("PIPE_FORMAT_"));
            }
            let layout = Layout::new(&all, key.nr_samples.max(1) as u32).ok()?;
            let colours = layout.targets.into_iter().enumerate().filter_map(|(n, place)| {
                let place = place?;
                let channels = place.physical.channels() as usize;
                Some((n, Colour::new(place.physical.format, place.offset? as usize, channels)?))
            });
            Some(colours.collect::<Vec<_>>()).filter(|all| !all.is_empty())
        };
        let of_words = || Colour::first(program).map(|colour| (0, colour)).into_iter().collect();
        self.epilog().and_then(of_key).unwrap_or_else(of_words)
    }

    /// Fragments: quads of lanes, with planes through what their inputs are at each pixel.
    pub(super) fn pixels(
        &self,
        given: &Attributes,
        first: usize,
        (samples, target): (u8, Option<Colour>),
    ) -> Result<Pixels, String> {
        let by_sample = self.epilog().is_some_and(|key| key.link.sample_shading == 1);
        let mut pixels = Pixels { samples, by_sample, ..Pixels::default() };
        pixels.tile = vec![0; pixels.sample_bytes * usize::from(samples) * LANES as usize];
        let lanes = given.count.saturating_sub(first).min(LANES as usize);
        let helper = column(given, "helper", first);
        let place = coordinates(given, first)?;
        let front = column(given, "gl_FrontFacing", first);
        let covered = column(given, "covered", first);
        let below = column(given, "below", first);
        for lane in 0..LANES as usize {
            let is_helper = lane >= lanes || is_true(helper.as_deref(), lane);
            let own = covered.as_ref().and_then(|all| all.get(lane)).map_or(Ok(pixels.all()), mask)?;
            pixels.covered[lane] = if is_helper { 0 } else { own & pixels.all() };
            pixels.back |=
                u32::from(front.is_some() && lane < lanes && !is_true(front.as_deref(), lane)) << lane;
            if let Some([x, y, ..]) = place.as_ref().and_then(|all| all.get(lane)) {
                pixels.places[lane] = [x, y].map(|at| at.max(0.0) as u32);
            }
        }
        let registers =
            self.varyings.iter().map(|varying| usize::from(varying.register) + 1).max().unwrap_or(0);
        pixels.coefficients = vec![[[0.0; 3]; LANES as usize]; registers];
        for varying in &self.varyings {
            let values = values(varying, given, first, place.as_deref())?;
            pixels.coefficients[usize::from(varying.register)] = planes(&pixels, &values, varying.smooth);
        }
        if let Some(all) = &place {
            pixels.depth_plane = planes(&pixels, &part(all, 2), true);
        }
        if let (Some(below), Some(target)) = (below, target) {
            for (lane, value) in below.iter().enumerate() {
                let all = value.words("below", Kind::Float(32))?;
                for (sample, colour) in all.chunks(4).enumerate() {
                    let of = |n: usize| f32::from_bits(colour.get(n).copied().unwrap_or(0));
                    pixels.set_colour(target, lane, sample, std::array::from_fn(of));
                }
            }
        }
        Ok(pixels)
    }

    /// What fragments read of vertices, location by location.
    pub(super) fn varyings(&self) -> Vec<Told> {
        let of = |varying: &Varying| match (varying.smooth, varying.perspective) {
            (false, _) => Interpolation::Flat,
            (true, false) => Interpolation::Linear,
            (true, true) => Interpolation::Perspective,
        };
        let mut all: Vec<Told> = Vec::new();
        for varying in &self.varyings {
            let Some((location, component)) = varying.location else { continue };
            let (name, part) = (named_varying(location.into()), format!("word {}", varying.word));
            match all.iter_mut().find(|told| told.name == name) {
                Some(told) => told.parts.push(part),
                // Components in front of the first that is read are words, too.
                None => {
                    let before = (0..component).rev().map(|n| format!("word {}", varying.word - 1 - n));
                    let parts = before.chain([part]).collect();
                    all.push(Told { name, parts, interpolation: of(varying) });
                }
            }
        }
        all
    }

    /// The words of vertices as outputs: by what they hold, or the position and then one by one.
    pub(super) fn outputs(&self, all: &[(u32, Vec<u32>)], count: usize) -> Vec<Output> {
        match self.words.is_empty() {
            true => words(all, count),
            false => self.words.iter().map(|held| holding(held, all, count)).collect(),
        }
    }
}

/// What an input and an output of a location are called.
fn named_varying(location: u32) -> String {
    format!("varying{location}")
}

/// A mask of samples.
fn mask(value: &Value) -> Result<u8, String> {
    let words = value.words("covered", Kind::Uint(32))?;
    Ok(words.first().copied().unwrap_or(0) as u8)
}

/// What some words of vertices hold.
fn holding(held: &Words, all: &[(u32, Vec<u32>)], count: usize) -> Output {
    let (first, width) = (usize::from(held.first), usize::from(held.count));
    let name = match (held.location(), held.name.as_str()) {
        (Some(location), _) => named_varying(location),
        (None, POSITION) => POSITION.to_owned(),
        (None, POINT_SIZE) => "gl_PointSize".to_owned(),
        (None, other) => format!("{other} {}", held.member),
    };
    let place = format!("words {first}-{}", (first + width).saturating_sub(1));
    output((name, place), (first, width), all, count)
}

/// An input of the lanes of a SIMD-group.
fn column<'a>(given: &'a Attributes, name: &str, first: usize) -> Option<Cow<'a, [Value]>> {
    given
        .columns
        .iter()
        .find(|(known, _)| known == name)
        .map(|(_, column)| column.some_values(first, LANES as usize))
}

fn is_true(values: Option<&[Value]>, n: usize) -> bool {
    matches!(values.and_then(|values| values.get(n)), Some(Value::Bool(true)))
}

/// What is interpolated linearly over the screen, lane by lane: with perspective that is the value by W.
fn values(
    varying: &Varying,
    given: &Attributes,
    first: usize,
    place: Option<&[[f32; 4]]>,
) -> Result<Vec<f32>, String> {
    if let Some(component) = varying.point {
        let given = column(given, "gl_PointCoord", first);
        let all = given.map(|all| components(&all, "gl_PointCoord")).transpose()?.unwrap_or_default();
        return Ok(part(&all, component.into()));
    }
    let of_place = |n: usize| place.map_or(vec![1.0; LANES as usize], |all| part(all, n));
    if varying.word < 4 {
        return Ok(of_place(usize::from(varying.word)));
    }
    let by_word = column(given, &format!("word {}", varying.word), first).map(|all| (all, 0));
    let by_location = |(location, component)| {
        column(given, &format!("varying{location}"), first).map(|all| (all, usize::from(component)))
    };
    let found = by_word.or_else(|| varying.location.and_then(by_location));
    let Some((all, component)) = found else { return Ok(vec![0.0; LANES as usize]) };
    let own = part(&components(&all, "an input")?, component);
    Ok(match varying.perspective {
        true => own.iter().zip(of_place(3)).map(|(value, by)| value * by).collect(),
        false => own,
    })
}

/// `gl_FragCoord` of the lanes that have one.
fn coordinates(given: &Attributes, first: usize) -> Result<Option<Vec<[f32; 4]>>, String> {
    column(given, "gl_FragCoord", first).map(|all| components(&all, "gl_FragCoord")).transpose()
}

/// The components of the lanes of a SIMD-group.
fn components(values: &[Value], name: &str) -> Result<Vec<[f32; 4]>, String> {
    let one = |value: &Value| {
        let words = value.words(name, Kind::Float(32))?;
        Ok(std::array::from_fn(|n| f32::from_bits(words.get(n).copied().unwrap_or(0))))
    };
    values.iter().map(one).collect()
}

/// A component of each lane; lanes without values have zeros.
fn part(all: &[[f32; 4]], n: usize) -> Vec<f32> {
    (0..LANES as usize).map(|lane| all.get(lane).map_or(0.0, |values| values[n])).collect()
}

/// Planes through the values of quads.
fn planes(pixels: &Pixels, values: &[f32], smooth: bool) -> [[f32; 3]; LANES as usize] {
    std::array::from_fn(|lane| {
        let first = lane & !3;
        let [x, y] = pixels.places[first].map(|n| (n % 32) as f32 + 0.5);
        let (own, a, b) =
            (values[first], values[first + 1] - values[first], values[first + 2] - values[first]);
        match smooth {
            true => [a, b, own - a * x - b * y],
            false => [0.0, 0.0, values[lane]],
        }
    })
}

/// Vertices: the IDs, and registers or components of attributes by name.
/// Inputs of other names are another stage's where that is said.
pub(super) fn enter_vertices(
    group: &mut SimdGroup,
    given: &Attributes,
    first: usize,
    shared: bool,
) -> Result<(), String> {
    let ids = Lanes(std::array::from_fn(|lane| (first + lane) as u32));
    group.set_word(5, ids);
    group.set_word(6, Lanes::ZERO);
    for (name, column) in &given.columns {
        let (register, values) = (register(name), column.some_values(first, LANES as usize));
        if register.is_none() && shared {
            continue;
        }
        let register = register.ok_or_else(|| {
            format!("there is no input `{name}`; there are r0 to r127, and attribute0 to attribute29 in r8 to r127")
        })?;
        for lane in 0..LANES as usize {
            let Some(value) = values.get(lane) else { continue };
            for (n, word) in (0..).zip(value.words(name, Kind::Float(32))?) {
                let mut all = *group.word(register + n);
                all.0[lane] = word;
                group.set_word(register + n, all);
            }
        }
    }
    Ok(())
}

/// The first register of an input.
fn register(name: &str) -> Option<u16> {
    let number = |text: &str| text.parse::<u16>().ok();
    match name.strip_prefix("attribute").and_then(number) {
        Some(n) => Some(8 + 4 * n).filter(|_| n < 30),
        None => name.strip_prefix('r').and_then(number).filter(|n| *n < 128),
    }
}

/// The words of vertices as outputs: the position, then one by one.
fn words(all: &[(u32, Vec<u32>)], count: usize) -> Vec<Output> {
    let position = (POSITION.to_owned(), "words 0-3".to_owned());
    let mut outputs = vec![output(position, (0, 4), all, count)];
    let others = (4..all.len()).filter(|n| all[*n].0 != 0);
    let word = |n: usize| (format!("word {n}"), format!("word {n}"));
    outputs.extend(others.map(|n| output(word(n), (n, 1), all, count)));
    outputs
}

/// So many words of vertices from the first on.
fn output(
    (name, place): (String, String),
    (first, width): (usize, usize),
    all: &[(u32, Vec<u32>)],
    count: usize,
) -> Output {
    let word = |(vertex, n): (usize, usize)| {
        let found = all.get(first + n).and_then(|(_, lanes)| lanes.get(vertex));
        u64::from(found.copied().unwrap_or(0))
    };
    let each = (0..count).flat_map(|vertex| (0..width).map(move |n| (vertex, n)));
    Output { name, place, kind: Kind::Float(32), width, bits: each.map(word).collect() }
}

/// Whether a main part without an epilog leaves a colour: r4 to r7.
pub(super) fn leaves_colour(executable: &Executable) -> bool {
    let contract = Contract::of(&executable.code, executable.generation);
    (8..16).all(|half| contract.leaves(half))
}

/// The colour that it leaves.
pub(super) fn left_colour(group: &SimdGroup, lane: usize) -> [f32; 4] {
    std::array::from_fn(|n| f32::from_bits(group.word(4 + n as u16).0[lane]))
}
