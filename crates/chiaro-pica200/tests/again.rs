//! Programs that were lifted as a person reads them and compiled again: they compute what they did, and
//! take hardly more words. What takes more, or has no form again, is in a table with its reason.

use std::collections::BTreeMap;
use std::sync::Arc;

use chiaro_ir::sample::Sample;
use chiaro_ir::{GlobalRef, Interface, Module, Space};
use chiaro_isa::Rng;
use chiaro_opt::Cx;
use chiaro_pica200::asm::picasso;
use chiaro_pica200::compile::geometry::{Request, Wish};
use chiaro_pica200::compile::{Compiled, Options, compile, compile_geometry};
use chiaro_pica200::container::{Dvle, Shbin, Stage};
use chiaro_pica200::lift::{self, Source, Style, lift};
use chiaro_pica200::machine::{Cause, Config, Machine, Mode, Program, Register};
use chiaro_pica200::verify::{Primitives, geometry, run_words};

use crate::samples;

/// Vertices of each program.
const VERTICES: usize = 8;
/// Seeds of inputs for each.
const RUNS: u64 = 12;
/// Words that a vertex may run.
const FUEL: u32 = 50_000;
/// Words for each that the original had, times ten.
const MOST: usize = 12;

/// What is said of a program that computes something else.
const DIFFERS: &str = "differs";

/// What takes more words, as `name words`, or cannot be compiled, as `name message`; and why.
const EXCEPTIONS: &str = include_str!("again/exceptions.txt");

/// Files by name: of the vectors, those that compilations are measured against, and those with every kind of control
/// flow that people write.
fn files() -> Vec<(String, Shbin)> {
    let root = env!("CARGO_MANIFEST_DIR");
    let folders = ["tests/words", "tests/again", "tests/geometry", "../../examples/pica200"];
    let is_source = |path: &std::path::PathBuf| {
        let name = path.to_string_lossy();
        name.ends_with(".v.pica") || name.ends_with(".g.pica")
    };
    let sources = folders.iter().flat_map(|folder| {
        let list = std::fs::read_dir(format!("{root}/{folder}")).expect("the folder is there");
        list.map(|file| file.expect("a file").path()).filter(is_source)
    });
    let assembled = sources.map(|path| {
        let name = path.file_stem().expect("a name").to_string_lossy().replace(".v", "").replace(".g", "");
        let text = std::fs::read_to_string(&path).expect("a text");
        (format!("words/{name}"), assembled(&text))
    });
    let mut files: Vec<_> = assembled.collect();
    files.extend(
        samples::samples().into_iter().map(|(name, _, bytes)| (name, Shbin::read(&bytes).expect("sound"))),
    );
    files.sort_by(|a, b| a.0.cmp(&b.0));
    files
}

fn assembled(text: &str) -> Shbin {
    let mut map = chiaro_diag::SourceMap::new();
    let source = picasso::Source { name: "a.pica", text, file: map.add("a.pica", text) };
    picasso::assemble(&[source], &picasso::Options::default()).expect("a program").shbin
}

/// A program lifted, with what it is called by.
fn lifted(source: &Source<'_>) -> Module {
    let options = lift::Options { style: Style::Plain, ..lift::Options::default() };
    lift(source, &options, &Config::default()).expect("it is lifted").module
}

/// Uniforms and inputs.
struct Data {
    floats: Vec<[f32; 4]>,
    ints: [[u8; 4]; 4],
    bools: u16,
    inputs: Vec<[[f32; 4]; 16]>,
}

impl Data {
    /// Numbers between 0.5 and 2, so that indices are in range; constants are what the file says.
    fn new(seed: u64) -> Data {
        let rng = &mut Rng(seed);
        let row = |rng: &mut Rng| [0; 4].map(|_| 0.5 + rng.below(1000) as f32 / 667.0);
        let floats = (0..96).map(|_| row(rng)).collect();
        let inputs = (0..VERTICES).map(|_| [0; 16].map(|_| row(rng))).collect();
        let ints = [0; 4].map(|_| [rng.below(4) as u8, rng.below(3) as u8, rng.below(3) as u8, 0]);
        Data { floats, ints, bools: rng.below(1 << 16) as u16, inputs }
    }

    /// The block of a program as people read it.
    fn block(&self) -> Vec<u8> {
        let floats = self.floats.iter().flatten().map(|x| x.to_bits());
        let ints = self.ints.iter().flatten().map(|&x| u32::from(x));
        let bools = (0..16).map(|n| u32::from(self.bools >> n & 1));
        floats.chain(ints).chain(bools).flat_map(u32::to_le_bytes).collect()
    }

    fn machine(&self, source: &Source<'_>) -> Option<Machine> {
        let config = Config { mode: Mode::Emu32, fuel: FUEL, ..Config::default() };
        let program =
            Program::load(source.words, source.descriptors, source.entry, &config).expect("it loads");
        let mut machine = Arc::new(program).machine();
        (0..96).zip(&self.floats).for_each(|(n, row)| machine.set_float(n, *row));
        (0..4).for_each(|n| machine.set_int(n, self.ints[usize::from(n)]));
        (0..16).for_each(|n| machine.set_bool(n, self.bools >> n & 1 == 1));
        constants(&mut machine, source.executable.expect("it has names"));
        machine.start(self.inputs.len());
        for (lane, row) in self.inputs.iter().enumerate() {
            (0..16).for_each(|n| machine.set_input(lane, n, row[usize::from(n)]));
        }
        machine.execute();
        machine.faults().iter().all(|fault| fault.cause != Cause::Fuel).then_some(machine)
    }

    /// The same for the lifted program.
    fn sample(&self, module: &Module) -> Sample {
        let mut sample = Sample { lanes: self.inputs.len(), ..Sample::default() };
        for (global, variable) in globals(module) {
            let at = variable.binding.location.unwrap_or(0) as usize;
            let bytes =
                |row: &[[f32; 4]; 16]| row[at].iter().flat_map(|x| x.to_bits().to_le_bytes()).collect();
            match variable.space {
                Space::Uniform => drop(sample.uniforms.insert(global, self.block())),
                Space::Input => {
                    drop(sample.attributes.insert(global, self.inputs.iter().map(bytes).collect()));
                }
                _ => {}
            }
        }
        sample
    }
}

fn globals(module: &Module) -> impl Iterator<Item = (GlobalRef, &chiaro_ir::Global)> {
    (0..).map(GlobalRef).zip(&module.globals)
}

fn constants(machine: &mut Machine, dvle: &Dvle) {
    use chiaro_pica200::container::{ConstantValue, UniformRegister};
    for constant in &dvle.constants {
        match (constant.target(), constant.value()) {
            (Some(UniformRegister::Float(c)), Some(ConstantValue::Float(raw))) => machine.set_float24(c, raw),
            (Some(UniformRegister::Int(i)), Some(ConstantValue::Int(bytes))) => machine.set_int(i, bytes),
            (Some(UniformRegister::Bool(b)), Some(ConstantValue::Bool(set))) => machine.set_bool(b, set),
            _ => {}
        }
    }
}

/// What the original and the new words give for some inputs; what differs.
fn compared(source: &Source<'_>, module: &Module, compiled: &Compiled, seed: u64) -> Result<(), String> {
    let data = Data::new(seed);
    let Some(machine) = data.machine(source) else { return Ok(()) };
    let ran = run_words(compiled, &data.sample(module), Mode::Emu32, 0)?;
    let table = &source.executable.expect("it has names").outputs;
    for (global, variable) in globals(module).filter(|(_, variable)| variable.space == Space::Output) {
        let is_of = |name: &str| name == variable.name;
        let entry = table.iter().find(|output| output.property().is_some_and(|known| is_of(known.name)));
        let Some(entry) = entry else { continue };
        // The third component of texture coordinate 0 has an entry of its own.
        let count = module.types.components(variable.ty).into();
        let components = (0..4).filter(|k| entry.mask >> k & 1 == 1).chain(2..3).take(count);
        for lane in 0..data.inputs.len() {
            let Some(found) = ran.output(lane, global, &[]) else { continue };
            let expected = machine.register(lane, Register::Output(entry.register as u8));
            for (&found, k) in found.iter().zip(components.clone()) {
                let expected = f32::from_bits(expected[k]);
                let is_near = (found - expected).abs() <= 1e-3 * expected.abs().max(1.0);
                if !is_near && expected.is_finite() {
                    return Err(format!("{} of vertex {lane}: {found} for {expected}", variable.name));
                }
            }
        }
    }
    Ok(())
}

/// A program that writes no position leaves it to a geometry program behind it.
fn options_of(module: &Module) -> Options {
    let is_position = |(_, variable): (GlobalRef, &chiaro_ir::Global)| variable.binding.builtin == Some(0);
    let mut options = Options::default();
    options.wishes.feeds_geometry = !globals(module).any(is_position);
    options
}

/// The words of a program again, or why there are none.
fn again(source: &Source<'_>) -> Result<usize, String> {
    let module = lifted(source);
    let interface = Interface::of(&module);
    let compiled = compile(&module, &interface, "main", &options_of(&module), &mut Cx::default());
    let compiled = compiled.map_err(|error| error.message.clone())?;
    for seed in 0..RUNS {
        compared(source, &module, &compiled, seed).map_err(|why| format!("{DIFFERS}: {why}"))?;
    }
    Ok(compiled.shbin.program.code.len())
}

/// The words of a geometry program again: the triangles that the new ones send are those of the source, bit for bit.
fn again_as_triangles(source: &Source<'_>) -> Result<usize, String> {
    let module = lifted(source);
    let interface = Interface::of(&module);
    let request = Request { feed: None, wish: Some(Wish::Point) };
    let compiled =
        compile_geometry(&module, &interface, "main", &Options::default(), &request, &mut Cx::default());
    let compiled = compiled.map_err(|error| error.message.clone())?;
    let plan = compiled.plan.as_ref().ok_or("there is no plan")?;
    let entry = &module.entries[0];
    let given = Primitives::new(&module, entry, plan, VERTICES * RUNS as usize, 1);
    let [meaning, words] = geometry((&module, entry), &compiled, &compiled.shbin, &given)?;
    match (meaning.wrong, words.wrong) {
        (None, None) => Ok(compiled.shbin.program.code.len()),
        (wrong, other) => Err(format!("{DIFFERS}: {wrong:?} {other:?}")),
    }
}

#[test]
fn lifted_programs_compile_to_what_they_were() {
    let mut exceptions: BTreeMap<&str, &str> = EXCEPTIONS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(": "))
        .collect();
    let (mut count, mut wrong) = (0, Vec::new());
    for (name, file) in files() {
        let Some(source) = Source::of(&file, 0) else { continue };
        if file.executables.len() > 1 {
            continue;
        }
        let words = file.program.code.len();
        let found = match file.executables[0].stage {
            Stage::Vertex => again(&source),
            Stage::Geometry => again_as_triangles(&source),
            Stage::Other(_) => continue,
        };
        let known = exceptions.remove(&*name);
        let line = match &found {
            Ok(found) => format!("{found} of {words} words"),
            Err(why) => why.clone(),
        };
        let is_short = matches!(found, Ok(found) if 10 * found <= MOST * words);
        let is_wrong = line.starts_with(DIFFERS);
        if is_wrong || is_short == known.is_some() || known.is_some_and(|known| !known.starts_with(&*line)) {
            wrong.push(format!("{name}: {line}"));
        }
        count += 1;
    }
    wrong.extend(exceptions.keys().map(|name| format!("{name}: there is no such program")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 70, "{count} programs");
}
