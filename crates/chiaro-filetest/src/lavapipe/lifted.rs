//! Programs of the PICA200 that were lifted, written as GLSL, and compiled for lavapipe: what a host's
//! driver computes against the simulator.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use chiaro_ir::Module;
use chiaro_ir::interp::compare::Tolerance;
use chiaro_isa::Rng;
use chiaro_num::ulp::distance;
use chiaro_pica200::lift::{Form, LiftError, Options, Source, lift};
use chiaro_pica200::machine::{Cause, Config, Machine, Program, Register};
use chiaro_spirv::languages::{Language, in_language};

use super::{Bound, Device, Dispatch, Kind};
use crate::compute::{self, Buffer, Job};
use crate::stages::Shader;

#[path = "../../../chiaro-pica200/tests/samples/random.rs"]
mod random;

/// Vertices of each program: as many as the machine runs at once.
const VERTICES: usize = 32;
/// Words that a vertex may run.
const FUEL: u32 = 20_000;
/// Words of SPIR-V: of more, the driver's compiler takes minutes.
const LONGEST: usize = 20_000;

/// What became of the programs.
#[derive(Default)]
pub struct Report {
    same: usize,
    /// As close as Vulkan's precision of functions and quotients asks for.
    close: usize,
    /// Not equal, and that precision asks for nothing: what a program decides hangs on it.
    unproved: usize,
    /// Beyond what is lifted, beyond what the driver compiles in a while, and without an end.
    too_large: usize,
    too_long: usize,
    endless: usize,
    wrong: Vec<String>,
}

impl Report {
    /// Whether no program computes something else.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.wrong.is_empty() && self.same > 0
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.wrong.iter().try_for_each(|why| writeln!(f, "{why}"))?;
        let Report { same, close, unproved, too_large, too_long, endless, wrong } = self;
        writeln!(
            f,
            "{same} to the bit, {close} as close as Vulkan asks, {} wrong; {unproved} unproved, {too_large} too large, {too_long} too long for the driver, {endless} endless",
            wrong.len()
        )
    }
}

/// Runs the programs of some seeds.
#[must_use]
pub fn check(device: &Device, seeds: Range<u64>) -> Report {
    let mut report = Report::default();
    for seed in seeds {
        match program(device, seed) {
            Ok(Verdict::Same) => report.same += 1,
            Ok(Verdict::Close) => report.close += 1,
            Ok(Verdict::Unproved) => report.unproved += 1,
            Ok(Verdict::TooLarge) => report.too_large += 1,
            Ok(Verdict::TooLong) => report.too_long += 1,
            Ok(Verdict::Endless) => report.endless += 1,
            Err(why) => report.wrong.push(format!("{seed}: {why}")),
        }
    }
    report
}

enum Verdict {
    Same,
    Close,
    Unproved,
    TooLarge,
    TooLong,
    Endless,
}

fn program(device: &Device, seed: u64) -> Result<Verdict, String> {
    let (words, descriptors) = random::program(seed);
    let source = Source { words: &words, descriptors: &descriptors, entry: 0, executable: None };
    let config = Config { fuel: FUEL, ..Config::default() };
    let data = Data::new(&mut Rng(seed));
    let machine = data.machine(&source, &config)?;
    if machine.faults().iter().any(|fault| fault.cause == Cause::Fuel) {
        return Ok(Verdict::Endless);
    }
    let options = Options { form: Form::Compute, ..Options::default() };
    let lifted = match lift(&source, &options, &config) {
        Ok(lifted) => lifted,
        Err(LiftError::TooLarge(_)) => return Ok(Verdict::TooLarge),
        Err(error) => return Err(error.to_string()),
    };
    let words = chiaro_spirv::emit(&lifted.module, "main").map_err(|error| error.to_string())?;
    if words.len() > LONGEST {
        return Ok(Verdict::TooLong);
    }
    let text = in_language(&words, Language::Glsl(450))?;
    let shader = Shader::of_text("lifted.comp".to_owned(), text)?;
    let after = data.run(device, &shader.vulkan()?)?;
    match worst(&machine, &after) {
        Difference { places: 0, .. } => Ok(Verdict::Same),
        worst => data.within(&lifted.module, after, worst),
    }
}

/// Uniforms and inputs.
struct Data {
    block: Vec<u32>,
    inputs: Vec<u32>,
}

impl Data {
    /// Numbers between -8 and 8, some of them whole.
    fn new(rng: &mut Rng) -> Data {
        let mut number = || match rng.below(3) {
            0 => rng.below(17) as f32 - 8.0,
            _ => (rng.below(2001) as f32 - 1000.0) / 128.0,
        };
        let mut rows = |count: usize| (0..4 * count).map(|_| number().to_bits()).collect::<Vec<_>>();
        let (mut block, inputs) = (rows(96), rows(16 * VERTICES));
        block.extend((0..16).map(|n| [3, 5, 1][n % 4 % 3] + n as u32 / 4));
        block.push(rng.next() as u32 & 0xffff);
        // A block has room up to whole rows.
        block.resize(block.len().next_multiple_of(4), 0);
        Data { block, inputs }
    }

    fn machine(&self, source: &Source<'_>, config: &Config) -> Result<Machine, String> {
        let program = Program::load(source.words, source.descriptors, source.entry, config);
        let mut machine = Arc::new(program.map_err(|error| error.to_string())?).machine();
        let row = |words: &[u32]| -> [f32; 4] { std::array::from_fn(|k| f32::from_bits(words[k])) };
        (0..96).zip(self.block.chunks(4)).for_each(|(n, words)| machine.set_float(n, row(words)));
        (0..4).zip(self.block[384..].chunks(4)).for_each(|(n, words)| {
            machine.set_int(n, std::array::from_fn(|k| words[k] as u8));
        });
        (0..16).for_each(|n| machine.set_bool(n, self.block[400] >> n & 1 == 1));
        machine.start(VERTICES);
        for (at, words) in self.inputs.chunks(4).enumerate() {
            machine.set_input(at / 16, (at % 16) as u8, row(words));
        }
        machine.execute();
        Ok(machine)
    }

    /// Whether outputs are as close as Vulkan's precision asks for.
    fn within(&self, module: &Module, outputs: Vec<u32>, worst: Difference) -> Result<Verdict, String> {
        let buffers = [(0, self.block.clone()), (1, self.inputs.clone()), (2, vec![0; outputs.len()])];
        let job = Job {
            shader: String::new(),
            groups: [VERTICES as u32, 1, 1],
            push: Vec::new(),
            buffers: buffers.map(|(binding, words)| Buffer { binding, words }).into(),
            tolerance: Tolerance::Exact,
            expected: vec![(2, outputs)],
        };
        let comparison = compute::within(module, &job)?;
        match comparison.differences.is_empty() {
            true if comparison.passed() => Ok(Verdict::Close),
            true => Ok(Verdict::Unproved),
            false => Err(format!("{worst}; {comparison}")),
        }
    }

    /// The outputs of a dispatch.
    fn run(&self, device: &Device, words: &[u32]) -> Result<Vec<u32>, String> {
        let bound = |binding, kind, words| Bound { binding, kind, words };
        let dispatch = Dispatch {
            words,
            entry: c"main",
            groups: [VERTICES as u32, 1, 1],
            push: &[],
            buffers: vec![
                bound(0, Kind::Uniform, self.block.clone()),
                bound(1, Kind::Storage, self.inputs.clone()),
                bound(2, Kind::Storage, vec![0; 64 * VERTICES]),
            ],
        };
        device.run(&dispatch)?.pop().ok_or_else(|| "no buffer comes back".to_owned())
    }
}

/// Where numbers differ most.
#[derive(Clone, Copy, Default)]
struct Difference {
    places: u32,
    vertex: usize,
    register: usize,
    found: f32,
    expected: f32,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { places, vertex, register, found, expected } = self;
        write!(f, "o{register} of vertex {vertex}: {found:e} for {expected:e}, {places} places off")
    }
}

/// Of the outputs that are written.
fn worst(machine: &Machine, after: &[u32]) -> Difference {
    let rows = after.chunks(4).enumerate().filter(|(_, row)| **row != [0; 4]);
    let all = rows.flat_map(|(at, row)| {
        let (vertex, register) = (at / 16, at % 16);
        let expected = machine.register(vertex, Register::Output(register as u8));
        (0..4).map(move |k| {
            let [found, expected] = [row[k], expected[k]].map(f32::from_bits);
            Difference { places: distance(found, expected), vertex, register, found, expected }
        })
    });
    all.max_by_key(|difference| difference.places).unwrap_or_default()
}
