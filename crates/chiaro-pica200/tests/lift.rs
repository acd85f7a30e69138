//! Lifted programs compute what the simulator does, bit for bit: programs of two assemblers, those of
//! the execution vectors, and random ones with every kind of control flow.

mod guards;

use std::sync::Arc;

use chiaro_ir::interp::{Attributes, Interpreter, NoImages};
use chiaro_ir::{Module, Space};
use chiaro_isa::Rng;
use chiaro_pica200::asm::picasso;
use chiaro_pica200::container::{Shbin, Stage};
use chiaro_pica200::isa::{Op, PICA200, fetch};
use chiaro_pica200::lift::{Form, LiftError, Lifted, Note, Options, Source, Style, WORD, lift};
use chiaro_pica200::machine::{Cause, Config, Event, Machine, Mode, Program, Register};

use crate::samples::{self, random};

/// Vertices of each program.
const VERTICES: usize = 8;
/// Vertices that a machine runs at once.
const LANES: usize = 32;
/// Words that a vertex may run.
const FUEL: u32 = 20_000;

/// The two ways in which numbers are kept.
const MODES: [Mode; 2] = [Mode::Emu32, Mode::Hw24];

/// Numbers that rules are about, and ordinary ones.
fn number(rng: &mut Rng) -> f32 {
    const SPECIAL: [f32; 9] = [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-40, 3e38];
    match rng.below(4) {
        0 => SPECIAL[rng.below(SPECIAL.len())],
        1 => rng.below(40) as f32 - 10.0,
        _ => (rng.below(2001) as f32 - 1000.0) / 128.0,
    }
}

/// Uniforms and inputs of some vertices.
struct Data {
    floats: Vec<[f32; 4]>,
    ints: [[u8; 4]; 4],
    bools: u16,
    inputs: Vec<[[f32; 4]; 16]>,
}

impl Data {
    fn new(rng: &mut Rng) -> Data {
        let row = |rng: &mut Rng| [0; 4].map(|_| number(rng));
        let floats = (0..96).map(|_| row(rng)).collect();
        let inputs = (0..VERTICES).map(|_| [0; 16].map(|_| row(rng))).collect();
        let ints = [0; 4].map(|_| [rng.below(4) as u8, rng.below(100) as u8, rng.below(80) as u8, 0]);
        Data { floats, ints, bools: rng.below(1 << 16) as u16, inputs }
    }

    /// Numbers between 0.5 and 2.
    fn ordinary(rng: &mut Rng) -> Data {
        let row = |rng: &mut Rng| [0; 4].map(|_| 0.5 + rng.below(1000) as f32 / 667.0);
        let floats = (0..96).map(|_| row(rng)).collect();
        let inputs = (0..VERTICES).map(|_| [0; 16].map(|_| row(rng))).collect();
        Data { floats, inputs, ..Data::new(rng) }
    }

    fn machine(&self, source: &Source<'_>, config: &Config) -> Machine {
        let program =
            Program::load(source.words, source.descriptors, source.entry, config).expect("it loads");
        let mut machine = Arc::new(program).machine();
        (0..96).zip(&self.floats).for_each(|(n, row)| machine.set_float(n, *row));
        (0..4).for_each(|n| machine.set_int(n, self.ints[usize::from(n)]));
        (0..16).for_each(|n| machine.set_bool(n, self.bools >> n & 1 == 1));
        machine
    }

    /// The block, as far as a module has it.
    fn block(&self) -> Vec<u8> {
        let floats = self.floats.iter().flatten().flat_map(|x| x.to_bits().to_le_bytes());
        let ints = self.ints.iter().flatten().flat_map(|&x| u32::from(x).to_le_bytes());
        floats.chain(ints).chain(u32::from(self.bools).to_le_bytes()).collect()
    }

    /// The block as people read it: a number for each boolean.
    fn plain_block(&self) -> Vec<u8> {
        let mut block = self.block();
        block.truncate(block.len() - 4);
        block.extend((0..16).flat_map(|n| u32::from(self.bools >> n & 1).to_le_bytes()));
        block
    }
}

/// The outputs of the module by location, 255 for the position.
fn interpreted(module: &Module, (data, block): (&Data, Vec<u8>)) -> Vec<(u8, Vec<Vec<u32>>)> {
    let entry = module.entry("main").expect("an entry point");
    let mut run = Interpreter::new(module, entry);
    let mut inputs = Attributes::new();
    let globals = || (0..).map(chiaro_ir::GlobalRef).zip(&module.globals);
    for (global, variable) in globals() {
        let at = variable.binding.location.unwrap_or(255) as usize;
        match variable.space {
            Space::Uniform => {
                let mut bytes = block.clone();
                bytes.truncate(run.size_of(variable.ty) as usize);
                run.set(global, bytes);
            }
            Space::Input => {
                let bytes =
                    |row: &[[f32; 4]; 16]| row[at].iter().flat_map(|x| x.to_bits().to_le_bytes()).collect();
                inputs.insert(global, data.inputs.iter().map(bytes).collect());
            }
            _ => {}
        }
    }
    let (_, outputs) = run.run(data.inputs.len(), &inputs, &mut NoImages).unwrap_or_else(|fault| {
        let f = module.function(entry.function);
        panic!("{fault}: {} instructions, {} values", f.inst_count(), f.value_count())
    });
    let words = |bytes: &Vec<u8>| chiaro_isa::dwords(bytes).collect();
    let found = globals().filter(|(_, variable)| variable.space == Space::Output);
    found
        .map(|(global, variable)| {
            let at = variable.binding.location.map_or(255, |at| at as u8);
            (at, outputs[&global].iter().map(words).collect())
        })
        .collect()
}

/// EX2 and LG2 are rounded from two sources of binary64; the last place of a float24 is bit 7.
fn tolerance(source: &Source<'_>, mode: Mode) -> u32 {
    let is_function = |word: &u32| {
        let op = PICA200.decode_word(&fetch(*word, source.descriptors), 8).ok();
        matches!(op.map(|inst| Op::of(PICA200.form(&inst).op)), Some(Op::Ex2 | Op::Lg2))
    };
    let place = if mode == Mode::Emu32 { 1 } else { 1 << 7 };
    u32::from(source.words.iter().any(is_function)) * place
}

fn is_same(a: u32, b: u32, tolerance: u32) -> bool {
    let none = |bits| f32::from_bits(bits).is_nan();
    a == b || none(a) && none(b) || a.abs_diff(b) <= tolerance
}

/// How much of a lifted program is tried: its words of SPIR-V, or what they are made of and the compute form, too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Forms {
    Spirv,
    All,
}

/// What the simulator and the lifted program differ in; `None` if the simulator ran out of fuel.
fn compared(source: &Source<'_>, mode: Mode, seed: u64) -> Option<Result<Lifted, String>> {
    compared_with(source, mode, &Data::new(&mut Rng(seed)), Forms::All)
}

fn compared_with(
    source: &Source<'_>,
    mode: Mode,
    data: &Data,
    forms: Forms,
) -> Option<Result<Lifted, String>> {
    let config = Config { mode, fuel: FUEL, ..Config::default() };
    let machine = run(source, &config, data)?;
    let (lifted, again) = match lifted(source, &config) {
        Ok(both) => both,
        Err(why) => return Some(Err(why)),
    };
    let mut found = interpreted(&again, (data, data.block()));
    if forms == Forms::All {
        let computed = match computed(source, &config, data) {
            Ok(computed) => computed.rows(1),
            Err(why) => return Some(Err(why)),
        };
        let of = |n: u8| (n, computed.iter().map(|rows| rows[0][usize::from(n)].clone()).collect());
        let computed: Vec<_> = found.iter().map(|(register, _)| of(*register)).collect();
        found.extend(interpreted(&lifted.module, (data, data.block())));
        found.extend(computed);
    }
    let tolerance = tolerance(source, mode);
    for (register, lanes) in found {
        for (lane, found) in lanes.iter().enumerate() {
            let expected = machine.register(lane, Register::Output(register));
            if !found.iter().zip(&expected).all(|(a, b)| is_same(*a, *b, tolerance)) {
                let (text, steps) = (chiaro_ir::print(&lifted.module), steps(source, &config, data, lane));
                let what = format!("o{register} of {lane}: {found:x?} for {expected:x?}");
                return Some(Err(format!("{what}\n{steps}\n{text}")));
            }
        }
    }
    Some(Ok(lifted))
}

/// The machine behind a run; `None` if it ran out of fuel.
fn run(source: &Source<'_>, config: &Config, data: &Data) -> Option<Machine> {
    let mut machine = data.machine(source, config);
    machine.start(data.inputs.len());
    for (lane, row) in data.inputs.iter().enumerate() {
        (0..16).for_each(|n| machine.set_input(lane, n, row[usize::from(n)]));
    }
    machine.execute();
    let is_endless = machine.faults().iter().any(|fault| fault.cause == Cause::Fuel);
    (!is_endless).then_some(machine)
}

/// A program without its names, and the same by way of SPIR-V.
fn lifted(source: &Source<'_>, config: &Config) -> Result<(Lifted, Module), String> {
    let bare = Source { executable: None, ..*source };
    let lifted = lift(&bare, &Options::default(), config).map_err(|error| error.to_string())?;
    verified(&lifted.module)?;
    let again = through_spirv(&lifted.module)?;
    Ok((lifted, again))
}

/// What a geometry program sends, and what the lifted one does: corners with the bits of all outputs.
fn sends_the_same(source: &Source<'_>, mode: Mode, data: &Data) -> Option<Result<usize, String>> {
    let config = Config { mode, fuel: FUEL, geometry: Some(0xffff), ..Config::default() };
    let machine = run(source, &config, data)?;
    let (lifted, again) = match lifted(source, &config) {
        Ok(both) => both,
        Err(why) => return Some(Err(why)),
    };
    let tolerance = tolerance(source, mode);
    let mut count = 0;
    for module in [&lifted.module, &again] {
        for lane in 0..data.inputs.len() {
            let (expected, found) = (corners(machine.events(lane)), emitted(module, data, lane));
            let is_equal = |(a, b): (&Corner, &Corner)| {
                b.iter()
                    .all(|(n, row)| a[*n as usize].1.iter().zip(row).all(|(a, b)| is_same(*a, *b, tolerance)))
            };
            if expected.len() != found.len() || !expected.iter().zip(&found).all(is_equal) {
                let text = chiaro_ir::print(&lifted.module);
                return Some(Err(format!("{lane}: {found:x?} for {expected:x?}\n{text}")));
            }
            count += found.len();
        }
    }
    let computed = match computed(source, &config, data) {
        Ok(computed) => computed,
        Err(why) => return Some(Err(why)),
    };
    let most = computed.outputs.len() / 256 / data.inputs.len();
    for (lane, found) in computed.rows(most).iter().enumerate() {
        let expected = corners(machine.events(lane));
        let sent = computed.counts[lane] as usize;
        if sent != expected.len().min(most) {
            return Some(Err(format!("{lane}: {sent} corners of {most} for {}", expected.len())));
        }
        for (corner, rows) in expected.iter().zip(found).take(sent) {
            // Registers that nothing writes are not in the buffer.
            let is_equal = |(n, row): &(u32, Vec<u32>)| {
                let found = &rows[*n as usize];
                found == &[0; 4] || row.iter().zip(found).all(|(a, b)| is_same(*a, *b, tolerance))
            };
            if !corner.iter().all(is_equal) {
                return Some(Err(format!("{lane}, computed: {rows:x?} for {corner:x?}")));
            }
        }
    }
    Some(Ok(count))
}

/// The buffers behind a dispatch of the compute form.
struct Computed {
    outputs: Vec<u8>,
    counts: Vec<u32>,
}

impl Computed {
    /// By invocation and corner: outputs.
    fn rows(&self, most: usize) -> Vec<Vec<Vec<Vec<u32>>>> {
        let words = |row: &[u8]| chiaro_isa::dwords(row).collect();
        let corner = |corner: &[u8]| corner.chunks(16).map(words).collect();
        self.outputs.chunks(256 * most).map(|group| group.chunks(256).map(corner).collect()).collect()
    }
}

/// Runs the compute form, by way of SPIR-V.
fn computed(source: &Source<'_>, config: &Config, data: &Data) -> Result<Computed, String> {
    let bare = Source { executable: None, ..*source };
    let options = Options { form: Form::Compute, ..Options::default() };
    let lifted = lift(&bare, &options, config).map_err(|error| error.to_string())?;
    let most = lifted.corners.max(1) as usize;
    verified(&lifted.module)?;
    let module = through_spirv(&lifted.module)?;
    let entry = module.entry("main").expect("an entry point");
    let mut run = Interpreter::new(&module, entry);
    let count = data.inputs.len();
    let bytes = |row: &[f32; 4]| row.map(|x| x.to_bits().to_le_bytes()).concat();
    let mut set = |binding: u32, bytes: Vec<u8>| {
        let global = run.bound(0, binding);
        if let Some(global) = global {
            run.set(global, bytes);
        }
        global
    };
    set(0, data.block());
    set(1, data.inputs.iter().flatten().flat_map(bytes).collect());
    let [outputs, counts] = [(2, 256 * most), (3, 4)].map(|(n, size)| set(n, vec![0; size * count]));
    run.dispatch([count as u32, 1, 1], &mut NoImages).map_err(|fault| fault.to_string())?;
    let bytes = |global: Option<chiaro_ir::GlobalRef>| {
        global.and_then(|global| run.bytes(global)).map_or(Vec::new(), <[u8]>::to_vec)
    };
    Ok(Computed { outputs: bytes(outputs), counts: chiaro_isa::dwords(&bytes(counts)).collect() })
}

/// Outputs by register.
type Corner = Vec<(u32, Vec<u32>)>;

/// The corners of triangles, the way round that the machine says.
fn corners(events: &[Event]) -> Vec<Corner> {
    let (mut all, mut turned) = (Vec::<Corner>::new(), false);
    for event in events {
        match event {
            Event::Winding => turned = true,
            Event::Vertex(rows) => {
                all.push((0..).zip(rows).map(|(n, row)| (n, row.to_vec())).collect());
                if all.len() % 3 == 0 && std::mem::take(&mut turned) {
                    let at = all.len();
                    all.swap(at - 3, at - 2);
                }
            }
        }
    }
    all
}

/// The vertices that a lifted geometry program emits, each triangle a strip.
fn emitted(module: &Module, data: &Data, lane: usize) -> Vec<Corner> {
    let entry = module.entry("main").expect("an entry point");
    let mut run = Interpreter::new(module, entry);
    let mut inputs = Attributes::new();
    let globals = || (0..).map(chiaro_ir::GlobalRef).zip(&module.globals);
    for (global, variable) in globals() {
        let at = variable.binding.location.unwrap_or(255) as usize;
        match variable.space {
            Space::Uniform => {
                let mut bytes = data.block();
                bytes.truncate(run.size_of(variable.ty) as usize);
                run.set(global, bytes);
            }
            Space::Input => {
                let row = data.inputs[lane][at];
                inputs.insert(global, vec![row.iter().flat_map(|x| x.to_bits().to_le_bytes()).collect()]);
            }
            _ => {}
        }
    }
    let (report, _) = run.run(1, &inputs, &mut NoImages).unwrap_or_else(|fault| panic!("{fault}"));
    assert!(report.emitted.chunks(4).all(|strip| strip.len() == 4 && strip[3].ends), "strips of three");
    let outputs = globals().filter(|(_, variable)| variable.space == Space::Output);
    let outputs: Vec<_> =
        outputs.map(|(g, variable)| (g.0, variable.binding.location.unwrap_or(255))).collect();
    let corner = |bytes: &Vec<Vec<u8>>| -> Corner {
        let words = |g: u32| chiaro_isa::dwords(&bytes[g as usize]).collect();
        outputs.iter().map(|&(g, at)| (at, words(g))).collect()
    };
    report.emitted.iter().filter(|event| !event.ends).map(|event| corner(&event.outputs)).collect()
}

/// The module as SPIR-V, read again.
fn through_spirv(module: &Module) -> Result<Module, String> {
    let words = chiaro_spirv::emit(module, "main").map_err(|error| error.to_string())?;
    let mut sources = chiaro_diag::SourceMap::new();
    let reading = chiaro_spirv::read(&words, &chiaro_spirv::Options::default(), &mut sources);
    let module = reading.map_err(|error| error.to_string())?.module;
    verified(&module).map(|()| module)
}

/// What the simulator does with one vertex, for messages.
fn steps(source: &Source<'_>, config: &Config, data: &Data, lane: usize) -> String {
    let mut machine = data.machine(source, config);
    machine.start(1);
    (0..16).for_each(|n| machine.set_input(0, n, data.inputs[lane][usize::from(n)]));
    machine.trace().take(200).map(|step| format!("{step:x?}\n")).collect()
}

fn verified(module: &Module) -> Result<(), String> {
    chiaro_ir::verify(module).map_err(|breaches| {
        let first = breaches.first().map(|breach| breach.diagnostic().message);
        format!("{}\n{}", first.unwrap_or_default(), chiaro_ir::print(module))
    })
}

#[test]
fn programs_of_assemblers_compute_what_they_did() {
    let mut count = 0;
    for (name, _, bytes) in samples::samples() {
        let file = Shbin::read(&bytes).expect("a file");
        for n in (0..file.executables.len()).filter(|&n| file.executables[n].stage == Stage::Vertex) {
            let source = Source::of(&file, n).expect("an executable");
            for mode in MODES {
                match compared(&source, mode, count) {
                    Some(Ok(_)) => count += 1,
                    Some(Err(why)) => panic!("{name}, executable {n}, {mode:?}: {why}"),
                    None => {}
                }
            }
            let lifted = lift(&source, &Options::default(), &Config::default()).expect("it has an interface");
            verified(&lifted.module).unwrap_or_else(|why| panic!("{name}: {why}"));
        }
    }
    assert!(count > 60, "{count} programs");
}

#[test]
fn programs_of_the_execution_vectors_compute_what_they_did() {
    let rows = include_str!("vectors/exec.jsonl").lines().filter(|row| !row.starts_with('#'));
    let mut count = 0;
    for row in rows {
        let json: serde_json::Value = serde_json::from_str(row).expect("JSON");
        let words = |key: &str| -> Vec<u32> {
            let text = json[key].as_str().unwrap_or_default().split_whitespace();
            text.map(|word| u32::from_str_radix(word, 16).expect("a word")).collect()
        };
        let descriptors: Vec<[u32; 2]> = words("opdesc").iter().map(|&word| [word, 0]).collect();
        let entry = json["entry"].as_u64().unwrap_or(0) as u32;
        let code = words("code");
        let source = Source { words: &code, descriptors: &descriptors, entry, executable: None };
        for mode in MODES {
            let seed = count;
            let verdict = match code.contains(&(0x2a << 26)) {
                true => {
                    sends_the_same(&source, mode, &Data::new(&mut Rng(seed))).map(|sent| sent.map(|_| ()))
                }
                false => compared(&source, mode, seed).map(|lifted| lifted.map(|_| ())),
            };
            match verdict {
                Some(Ok(())) => count += 1,
                Some(Err(why)) => panic!("{}, {mode:?}: {why}", json["id"]),
                None => {}
            }
        }
    }
    assert!(count > 300, "{count} programs");
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|n| n.parse().ok())
}

/// As many random programs as `CHIARO_PROGRAMS` says, from seed `CHIARO_SEED` on.
#[test]
fn random_programs_compute_what_they_did() {
    let (count, first) = (setting("CHIARO_PROGRAMS").unwrap_or(2000), setting("CHIARO_SEED").unwrap_or(0));
    let (mut passed, mut endless, mut dispatched, mut ended, mut large) = (0, 0, 0, 0, 0);
    let mut wrong = Vec::new();
    for seed in first..first + count {
        let (words, descriptors) = random::program(seed);
        let source = Source { words: &words, descriptors: &descriptors, entry: 0, executable: None };
        let forms = if seed % 8 < 2 { Forms::All } else { Forms::Spirv };
        match compared_with(&source, MODES[seed as usize % 2], &Data::new(&mut Rng(seed)), forms) {
            Some(Ok(lifted)) => {
                passed += 1;
                dispatched += u64::from(lifted.notes.contains(&Note::Dispatch));
                ended += u64::from(lifted.notes.iter().any(|note| matches!(note, Note::NoLoop(_))));
            }
            Some(Err(why)) if why.contains("takes more than") => large += 1,
            Some(Err(why)) => wrong.push(format!("{seed}: {why}")),
            None => endless += 1,
        }
    }
    println!(
        "{passed} passed: {dispatched} by dispatch, {ended} with lost breaks; {large} too large, {endless} endless"
    );
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong[0]);
    assert!(passed * 4 > count * 3 && dispatched * 200 > count, "{passed} passed, {dispatched} dispatched");
}

/// Programs that were lifted wrongly: behind a loop a component is read that the loop hands round but does not write.
#[test]
fn what_a_loop_leaves_alone_is_there_behind_it() {
    for seed in [8291] {
        let (words, descriptors) = random::program(seed);
        let source = Source { words: &words, descriptors: &descriptors, entry: 0, executable: None };
        for mode in MODES {
            let verdict = compared(&source, mode, seed).expect("it ends");
            verdict.unwrap_or_else(|why| panic!("{seed}, {mode:?}: {why}"));
        }
    }
}

/// As a person would have written them, where numbers are ordinary and indices in range.
#[test]
fn plain_programs_compute_nearly_what_they_did() {
    let mut count = 0;
    for (name, _, bytes) in samples::samples() {
        let file = Shbin::read(&bytes).expect("a file");
        let Some(source) = Source::of(&file, 0).filter(|_| file.executables[0].stage == Stage::Vertex) else {
            continue;
        };
        let config = Config { fuel: FUEL, ..Config::default() };
        let data = Data::ordinary(&mut Rng(count));
        let Some(machine) = run(&source, &config, &data) else { continue };
        let bare = Source { executable: None, ..source };
        let lifted = lift(&bare, &Options { style: Style::Plain, ..Options::default() }, &config)
            .expect("it is lifted");
        verified(&lifted.module).unwrap_or_else(|why| panic!("{name}: {why}"));
        for (register, lanes) in interpreted(&lifted.module, (&data, data.plain_block())) {
            for (lane, found) in lanes.iter().enumerate() {
                let expected = machine.register(lane, Register::Output(register));
                for (a, b) in found.iter().zip(expected).map(|(a, b)| (f32::from_bits(*a), f32::from_bits(b)))
                {
                    let is_near = (a - b).abs() <= 1e-3 * b.abs().max(1.0);
                    assert!(is_near || !b.is_finite(), "{name}, o{register} of {lane}: {a} for {b}");
                }
            }
        }
        count += 1;
    }
    assert!(count > 30, "{count} programs");
}

/// Programs of both assemblers and random ones in which words are exchanged for EMIT and SETEMIT.
#[test]
fn geometry_programs_send_what_they_did() {
    let (mut programs, mut corners) = (0, 0);
    let mut note = |verdict: Option<Result<usize, String>>, name: &str| match verdict {
        Some(Ok(sent)) => {
            programs += 1;
            corners += sent;
        }
        Some(Err(why)) if why.contains("takes more than") => {}
        Some(Err(why)) => panic!("{name}: {why}"),
        None => {}
    };
    for (name, _, bytes) in samples::samples() {
        let file = Shbin::read(&bytes).expect("a file");
        for n in (0..file.executables.len()).filter(|&n| file.executables[n].stage == Stage::Geometry) {
            let source = Source::of(&file, n).expect("an executable");
            for mode in MODES {
                note(sends_the_same(&source, mode, &Data::new(&mut Rng(1))), &name);
            }
            let lifted = lift(&source, &Options::default(), &Config::default()).expect("it has an interface");
            verified(&lifted.module).unwrap_or_else(|why| panic!("{name}: {why}"));
        }
    }
    for seed in 0..setting("CHIARO_PROGRAMS").unwrap_or(400) {
        let (mut words, descriptors) = random::program(seed);
        let mut rng = Rng(seed);
        for word in &mut words {
            match rng.below(5) {
                0 => *word = 0x2a << 26,
                1 => *word = 0x2b << 26 | (rng.next() as u32 & 0xf) << 22,
                _ => {}
            }
        }
        let source = Source { words: &words, descriptors: &descriptors, entry: 0, executable: None };
        let verdict = sends_the_same(&source, MODES[seed as usize % 2], &Data::new(&mut Rng(seed)));
        note(verdict, &seed.to_string());
    }
    println!("{programs} programs, {corners} corners");
    assert!(programs > 200 && corners > 1000, "{programs} programs, {corners} corners");
}

/// RCP and RSQ of float24 between 1 and 4, a number beyond, and sums and products of those.
#[test]
fn float24_is_rounded_as_the_machine_does() {
    // rcp o0, v0; rsq o1, v0; add o2, v0, v1; mul o3, v0, v1; end
    let unary = |opcode: u32, to: u32| opcode << 26 | to << 21;
    let binary = |opcode: u32, to: u32| opcode << 26 | to << 21 | 1 << 7;
    let words = [unary(0xe, 0), unary(0xf, 1), binary(0, 2), binary(8, 3), 0x22 << 26];
    let all = 0x0000_000f | 0x1b << 5 | 0x1b << 14;
    let descriptors = [[all, 0]];
    let source = Source { words: &words, descriptors: &descriptors, entry: 0, executable: None };
    let mut rng = Rng(1);
    // One of eight numbers; all of them are as right, in eight times the time.
    let row = |n: u32, rng: &mut Rng| {
        let number = f32::from_bits(1.0_f32.to_bits() + (8 * n + rng.below(8) as u32) * 128);
        let other = f32::from_bits((rng.next() as u32 & 0x00ff_ffff) + 0x3f00_0000) * number;
        let mut inputs = [[0.0; 4]; 16];
        inputs[0] = [number, -number, 1.0 / number, number * 1.5e18];
        inputs[1] = [other, number, -1.0, 3e-19];
        inputs
    };
    let rows: Vec<_> = (0..1 << 14).map(|n| row(n, &mut rng)).collect();
    for inputs in rows.chunks(LANES) {
        let data = Data { inputs: inputs.to_vec(), ..Data::new(&mut Rng(1)) };
        let verdict = compared_with(&source, Mode::Hw24, &data, Forms::All).expect("it ends");
        verdict.unwrap_or_else(|why| panic!("{why}"));
    }
}

#[test]
fn what_is_not_lifted_is_told() {
    let bare = |words: &'static [u32]| Source { words, descriptors: &[], entry: 0, executable: None };
    let config = Config::default();
    let entry = Source { entry: 5000, ..bare(&[0x22 << 26]) };
    assert!(matches!(lift(&entry, &Options::default(), &config), Err(LiftError::Load(_))));
    // Each procedure calls the next one twice: ways double, until only their number counts.
    let calls: Vec<u32> = (0..64).flat_map(|n| [0x24 << 26 | (2 * n + 2) << 10 | 2; 2]).collect();
    let source = Source { words: &calls, descriptors: &[], entry: 0, executable: None };
    let result = lift(&source, &Options::default(), &config);
    assert!(matches!(result, Ok(_) | Err(LiftError::TooLarge(_))), "{result:?}");
}

/// `mov o0, v0` and no END: from there on each word is `add o0, v0, v0`.
#[test]
fn running_past_the_end_is_told() {
    let (words, descriptors) = ([0x4c00_0000, 0x4c20_0000], [[0x36f, 0]]);
    let source = Source { words: &words, descriptors: &descriptors, entry: 0, executable: None };
    for mode in MODES {
        let lifted = compared(&source, mode, 1).expect("it ends").expect("the same");
        assert_eq!(lifted.notes, [Note::PastEnd(2)]);
        assert!(
            lifted.notes[0].to_string().starts_with("the program goes on at 0x002"),
            "{}",
            lifted.notes[0]
        );
    }
    let ended = [words[0], 0x22 << 26];
    let lifted = compared(&Source { words: &ended, ..source }, Mode::Emu32, 1).expect("it ends");
    assert_eq!(lifted.expect("the same").notes, []);
}

fn assembled(text: &str) -> Shbin {
    let mut map = chiaro_diag::SourceMap::new();
    let source = picasso::Source { name: "a.pica", text, file: map.add("a.pica", text) };
    picasso::assemble(&[source], &picasso::Options::default()).expect("a program").shbin
}

/// What is called twice is written once: registers that it reads go in, those that are read behind it come back.
#[test]
fn procedures_are_functions() {
    let text = "
        .fvec light
        .out - position o0
        .proc main
            mov r5, v1
            call shade
            mov r6, r1
            mov r5, v2
            call shade
            add r0, r6, r1
            mov o0, r0
            end
        .end
        .proc shade
            dp3 r2.x, light, r5
            mul r1, r2.x, v0
            mov r3, r1
        .end";
    let file = assembled(text);
    let made = lift(&Source::of(&file, 0).expect("one"), &Options::default(), &Config::default());
    let made = made.expect("a module");
    let [(shade, params)] = &made.names.params[..] else { panic!("{:?}", made.names.params) };
    assert_eq!(params, &["v0", "r5"]);
    let calls = chiaro_ir::print(&made.module)
        .matches(&format!("call @{}", made.module.function(*shade).name))
        .count();
    assert_eq!(calls, 2);
    // One value comes back: nobody reads r2 and r3.
    let result = made.module.function(*shade).result;
    assert_eq!(made.module.types.components(result), 4);
}

/// What counts on is named aL, after the LOOP that it belongs to.
#[test]
fn counters_are_named() {
    let text = "
        .fvec lights[4]
        .ivec n
        .constf zero(0.0, 0.0, 0.0, 0.0)
        .out - position o0
        .proc main
            mov r0, zero
            for n
                add r0, lights[aL], r0
            .end
            mov o0, r0
            end
        .end";
    let file = assembled(text);
    let source = Source::of(&file, 0).expect("one");
    let at = source.words.iter().position(|word| word >> 26 == 0x29).expect("a LOOP");
    for style in [Style::Exact, Style::Plain] {
        let made =
            lift(&source, &Options { style, ..Options::default() }, &Config::default()).expect("a module");
        assert_eq!(made.names.results[at].as_ref().map(ToString::to_string).as_deref(), Some("aL"));
        let main = made.module.function(made.module.entries[0].function);
        let steps = chiaro_ir::Walk::insts(main).filter(|&inst| main.op(inst) == chiaro_ir::Op::IAdd);
        let mut places = steps.filter_map(|inst| main.inst(inst).span);
        assert!(places.any(|place| place.start == WORD * at as u32), "{}", chiaro_ir::print(&made.module));
    }
}
