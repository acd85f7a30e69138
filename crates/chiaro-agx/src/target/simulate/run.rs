//! A program that is to be run: its code and what comes before it, threadgroups, vertices, fragments.

use std::borrow::Cow;
use std::sync::Arc;

use chiaro_diag::Diagnostic;
use chiaro_sim::Lanes;
use chiaro_target::{Attributes, Kind, Output, Value};

use super::Choices;
use super::bind::{Bound, Interface};
use crate::abi::link::STOP;
use crate::check::contract::Contract;
use crate::container::file::{ALONE, Stage};
use crate::container::varyings::Varying;
use crate::container::{self, Contents};
use crate::machine::{Group, Outcome, Pixels, Program, SimdGroup};
use crate::regs::LANES;
use crate::target::unread;

/// What is run.
pub(super) struct Executable {
    pub(super) code: Vec<u8>,
    pub(super) generation: u8,
    preamble: Vec<u8>,
    constants: Vec<(u16, Vec<u8>)>,
    varyings: Vec<Varying>,
    /// What it is given by name.
    pub(super) interface: Interface,
    /// Threads of a threadgroup, and bytes of its memory, where the file says it.
    pub(super) size: Option<[u32; 3]>,
    pub(super) local: u32,
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
            interface: Interface::default(),
            size: None,
            local: 0,
            is_linked: false,
            is_open: false,
        };
        match container::open(bytes).map_err(unread)? {
            Contents::Code => {}
            Contents::File(file) => {
                made.varyings = file.varyings();
                made.is_linked = file.parts.len() > 1;
                made.is_open = !made.is_linked && file.stage == Stage::Fragment;
                (made.code, made.generation, made.preamble) = (file.code, file.generation, file.preamble);
                (made.constants, made.local) = (file.constants, file.local);
                let (held, states, members) = (file.uniforms, file.states, file.members);
                made.interface = Interface { held, states, members };
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
        // Samples of a main part that is run alone are gone as it says.
        let alone = self.interface.held.iter().filter(|held| !self.is_linked && held.name == ALONE);
        alone.for_each(|held| group.set_uniform(held.first, u16::MAX));
        bound.states(&mut group.states);
        if self.preamble.is_empty() {
            return None;
        }
        let preamble = Arc::new(Program::new(&self.preamble, self.generation, &choices.config));
        let outcome = group.prepare(&preamble, &choices.config, &mut bound.memory);
        Some((preamble, outcome))
    }

    /// Fragments: quads of lanes, with planes through what their inputs are at each pixel.
    pub(super) fn pixels(&self, given: &Attributes, first: usize, samples: u8) -> Result<Pixels, String> {
        let mut pixels = Pixels { samples, ..Pixels::default() };
        pixels.tile = vec![0; pixels.sample_bytes * usize::from(samples) * LANES as usize];
        let lanes = given.count.saturating_sub(first).min(LANES as usize);
        let helper = column(given, "helper", first);
        let place = coordinates(given, first)?;
        let front = column(given, "gl_FrontFacing", first);
        for lane in 0..LANES as usize {
            let is_helper = lane >= lanes || is_true(helper.as_deref(), lane);
            pixels.covered[lane] = if is_helper { 0 } else { pixels.all() };
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
        Ok(pixels)
    }

    /// Names of the words that fragments read of vertices, and how they are interpolated.
    pub(super) fn words(&self) -> Vec<(String, chiaro_target::Interpolation)> {
        let of = |varying: &Varying| match (varying.smooth, varying.perspective) {
            (false, _) => chiaro_target::Interpolation::Flat,
            (true, false) => chiaro_target::Interpolation::Linear,
            (true, true) => chiaro_target::Interpolation::Perspective,
        };
        let user = self.varyings.iter().filter(|varying| varying.word >= 4);
        user.map(|varying| (format!("word {}", varying.word), of(varying))).collect()
    }
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
pub(super) fn words(all: &[(u32, Vec<u32>)], count: usize) -> Vec<Output> {
    let word = |n: usize| all.get(n).map(|(_, lanes)| lanes.as_slice());
    let bits = |n: usize, vertex: usize| word(n).and_then(|w| w.get(vertex)).copied().unwrap_or(0).into();
    let output = |name: String, place: String, first: usize, width: usize| Output {
        name,
        place,
        kind: Kind::Float(32),
        width,
        bits: (0..count)
            .flat_map(|v| (0..width).map(move |n| (v, n)))
            .map(|(v, n)| bits(first + n, v))
            .collect(),
    };
    let mut outputs = vec![output("position".to_owned(), "words 0-3".to_owned(), 0, 4)];
    let others = (4..all.len()).filter(|n| all[*n].0 != 0);
    outputs.extend(others.map(|n| output(format!("word {n}"), format!("word {n}"), n, 1)));
    outputs
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
