//! What is tried: how inputs are made, and what is done with them.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use chiaro_diag::{Diagnostic, FileId};
use chiaro_isa::{Out, Rng, Word, dwords};
use chiaro_pica200::asm::nihcode;
use chiaro_pica200::asm::picasso::{self, Assembly, Mode, Source};
use chiaro_pica200::check;
use chiaro_pica200::container::outmap::OutputMap;
use chiaro_pica200::container::{Shbin, Stage};
use chiaro_pica200::isa::PICA200;
use chiaro_pica200::lift;
use chiaro_pica200::listing::dis;
use chiaro_pica200::listing::exact::{self, Exact};
use chiaro_pica200::machine::{Config, Mode as MachineMode, Program};

use crate::{allocator, door, glsl, modules, mutate, scenes, utgard};

/// Inputs to start from.
pub type Corpus = Vec<Vec<u8>>;

/// What is done with an input.
type Run = Box<dyn Fn(&[u8]) + Sync>;

/// A part of the tool chain under test.
pub struct Subject {
    /// Its name on the command line.
    pub name: String,
    /// Valid inputs to start from.
    pub corpus: Box<dyn Fn() -> Corpus + Sync>,
    /// Makes an input.
    pub make: fn(&[Vec<u8>], &mut Rng) -> Vec<u8>,
    /// Hands an input to the code under test; a panic is a finding.
    pub run: Run,
    /// An input as a person can use it.
    pub show: fn(&[u8]) -> String,
}

impl Subject {
    pub fn new(
        name: &str,
        corpus: fn() -> Corpus,
        make: fn(&[Vec<u8>], &mut Rng) -> Vec<u8>,
        run: fn(&[u8]),
        show: fn(&[u8]) -> String,
    ) -> Subject {
        Subject { name: name.into(), corpus: Box::new(corpus), make, run: Box::new(run), show }
    }
}

/// Everything that can be tried: what every target has, then what is particular to one.
pub fn subjects() -> Vec<Subject> {
    let own = [
        Subject::new("words", Vec::new, random_words, read_words, hex),
        Subject::new("shbin", containers, damaged_container, read_container, hex),
        Subject::new("gp-words", Vec::new, utgard::words, utgard::read_word, hex),
        Subject::new("mbs", utgard::containers, damaged_container, utgard::read_container, hex),
        Subject::new("flow", Vec::new, random_flow, check_flow, hex),
        Subject::new("lift", containers, flow_or_container, lift_all, hex),
        Subject::new("asm", sources, mutate::text, assemble_both, lossy),
        Subject::new("glsl", glsl::sources, glsl::damaged, glsl::compile, lossy),
        Subject::new("nihcode", nihcode, mutate::text, assemble_nihcode, lossy),
        Subject::new("allocator", Vec::new, allocator::make, allocator::run, allocator::show),
    ];
    door::subjects().chain(modules::subjects()).chain(own).chain([scenes::subject()]).collect()
}

/// Sources in nihcode, with `---` between them.
const NIHCODE: &str = include_str!("nihcode.txt");

/// Rows with SHBIN files of nihstro's layout, in hexadecimal.
const NIHSTRO: &str = include_str!("../../crates/chiaro-pica200/tests/vectors/nihcode.jsonl");

/// One instruction with its descriptor.
fn random_words(_: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    rng.next().to_le_bytes().to_vec()
}

/// Whatever decodes must print and explain; what is legal parses back to the same bits.
fn read_words(input: &[u8]) {
    let Ok(inst) = PICA200.decode_word(&Word::load(input), input.len()) else { return };
    let cx = PICA200.cx();
    for dialect in 0..PICA200.set.dialects.len() as u8 {
        let mut out = Out::default();
        let _ = PICA200.print(&inst, &chiaro_isa::Cx { dialect, ..cx }, &mut out);
        let _ = PICA200.parse(out.as_str(), &chiaro_isa::Cx { dialect, ..cx });
    }
    // Explaining takes a hundred times as long as all the rest.
    if input[0] == 0 {
        let _ = PICA200.explain(&inst, &cx).to_string();
    }
    if PICA200.unclaimed(&inst).is_zero()
        && PICA200.breaches(&inst, &cx).is_empty()
        && let Some(text) = PICA200.text(&inst, &cx)
    {
        let again = PICA200.parse(&text, &cx).unwrap_or_else(|error| panic!("`{text}`: {error}"));
        assert_eq!(again.inst.word, inst.word, "`{text}` parses to other bits");
    }
}

fn containers() -> Vec<Vec<u8>> {
    let nihstro = NIHSTRO.lines().filter_map(|row| row.split_once("\"shbin\": \"")?.1.split('"').next());
    let picasso = programs("hex");
    let picasso = picasso.iter().filter_map(|text| std::str::from_utf8(text).ok());
    picasso.chain(nihstro).map(from_hex).collect()
}

pub(crate) fn damaged_container(corpus: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    mutate::bytes(&corpus[rng.below(corpus.len())], rng)
}

/// A program that is mostly jumps, calls and blocks, with targets near and far.
fn random_flow(_: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let words = 8 + rng.below(120);
    let word = |at: usize, rng: &mut Rng| {
        let target = if rng.below(2) == 0 { at + rng.below(12) } else { rng.below(words + 2) };
        let opcode = if rng.below(4) == 0 { rng.below(0x40) } else { 0x20 + rng.below(0x0e) };
        (opcode << 26 | (target & 0xfff) << 10 | rng.below(4) << 22 | rng.below(9)) as u32
    };
    (0..words).flat_map(|at| word(at, rng).to_le_bytes()).collect()
}

/// Whatever the paths, they are followed in bounded time.
fn check_flow(input: &[u8]) {
    let code: Vec<u32> = dwords(input).collect();
    let stage = if input.len().is_multiple_of(8) { Stage::Vertex } else { Stage::Geometry };
    let _ = check::check_words(&code, &[[0x36f, 0]; 16], 0, stage);
}

/// Half of them bare words, half of them files.
fn flow_or_container(corpus: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    if rng.below(2) == 0 { random_flow(corpus, rng) } else { damaged_container(corpus, rng) }
}

/// Words of SPIR-V that a lifted program may have: so many, and so many for each place that its graph may have,
/// which is 256 and 16 for each word (see `lift`).
const LIFTED: [usize; 2] = [16_384, 256];

/// Whatever can be read is lifted in both styles, or told why not and where: to a module that keeps the rules,
/// and to SPIR-V of bounded length.
fn lift_all(input: &[u8]) {
    let words: Vec<u32> = dwords(input).collect();
    let file = Shbin::read(input).ok();
    // What is not the input's own follows from it, so that an input says all.
    let sum = words.iter().fold(1u64, |sum, &word| sum.rotate_left(5) ^ u64::from(word));
    let mut rng = Rng(sum);
    let descriptors: Vec<[u32; 2]> = (0..128).map(|_| [rng.next() as u32, 0]).collect();
    let of_file = |file: &'_ Shbin| (sum % file.executables.len().max(1) as u64) as usize;
    let named = file.as_ref().and_then(|file| lift::Source::of(file, of_file(file)));
    let source = named.unwrap_or(lift::Source {
        words: &words,
        descriptors: &descriptors,
        entry: if sum % 3 == 0 { (sum >> 32) as u32 % (words.len() as u32 + 2) } else { 0 },
        executable: None,
    });
    let mode = if words.len().is_multiple_of(2) { MachineMode::Emu32 } else { MachineMode::Hw24 };
    let geometry = (sum % 5 == 0).then_some(0x7f);
    let config = Config { mode, geometry, ..Config::default() };
    let form = if input.len().is_multiple_of(3) { lift::Form::Compute } else { lift::Form::Stage };
    for style in [lift::Style::Exact, lift::Style::Plain] {
        let options = lift::Options { style, form, ..lift::Options::default() };
        match lift::lift(&source, &options, &config) {
            Ok(lifted) => bounded(&lifted.module, source.words.len()),
            Err(lift::LiftError::Internal(why)) => panic!("{style:?}: {why}"),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// A lifted program keeps the rules, and its SPIR-V grows with its words alone.
fn bounded(module: &chiaro_ir::Module, words: usize) {
    assert!(chiaro_ir::verify(module).is_ok(), "a module against the rules");
    let written = chiaro_spirv::emit(module, "main").unwrap_or_else(|error| panic!("{error}"));
    let most = LIFTED[0] + LIFTED[1] * (256 + 16 * words);
    assert!(written.len() <= most, "{} words of SPIR-V of {words}", written.len());
}

/// What can be read is written back, checked, run, and listed so that it assembles to the same
/// bytes.
fn read_container(input: &[u8]) {
    let Ok(shbin) = Shbin::read(input) else { return };
    assert!(shbin.write() == input, "written back to other bytes");
    let _ = check::check(&shbin);
    let _ = OutputMap::libctru(&shbin.executables.iter().flat_map(|e| e.outputs.clone()).collect::<Vec<_>>());
    // Running takes far longer than all the rest, and a listing assembles itself several times.
    if input.len().is_multiple_of(32) {
        run_all(&shbin);
    }
    if input.len().is_multiple_of(16) {
        let listing = dis::disassemble(&shbin);
        let again =
            if listing.exact.is_some() { read_exact(&listing.text) } else { write_listing(&listing.text) };
        assert!(again.as_deref() == Some(input), "the listing gives other bytes");
    }
}

/// Words that a vertex may execute here; loops without an end are common.
const FUEL: u32 = 300;

/// Every executable runs to its end, to a fault, or out of fuel.
fn run_all(shbin: &Shbin) {
    for dvle in shbin.executables.iter().take(2) {
        let geometry = (dvle.stage == Stage::Geometry).then_some(dvle.outputs_used);
        let config = Config { fuel: FUEL, geometry, ..Config::default() };
        let program = Program::load(&shbin.program.code, &shbin.program.descriptors, dvle.entry, &config);
        if let Ok(program) = program {
            let mut machine = Arc::new(program).machine();
            machine.set_int(0, [3, 1, 255, 0]);
            machine.start(2);
            machine.set_input(1, 0, [1.0, f32::NAN, -3.0e38, 200.0]);
            machine.execute();
        }
    }
}

fn read_exact(text: &str) -> Option<Vec<u8>> {
    match exact::read(text, FileId(0)) {
        Ok(Exact::Shbin(shbin)) => Some(shbin.write()),
        _ => None,
    }
}

fn write_listing(text: &str) -> Option<Vec<u8>> {
    assemble(text, Mode::Strict).ok().map(|made| made.shbin.write())
}

/// The sources of the golden programs.
fn sources() -> Vec<Vec<u8>> {
    programs("pica")
}

/// The files of the golden programs with this ending.
fn programs(ending: &str) -> Vec<Vec<u8>> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/chiaro-pica200/tests/vectors/programs");
    let mut paths: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == ending));
    // The order must not depend on the file system: a seed means the same everywhere.
    paths.sort();
    paths.iter().filter_map(|path| fs::read(path).ok()).filter(|text| text.len() < 8192).collect()
}

/// Both modes; what assembles is a container that can be read and checked.
fn assemble_both(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    for mode in [Mode::Strict, Mode::Picasso] {
        if let Ok(made) = assemble(&text, mode) {
            let bytes = made.shbin.write();
            let shbin = Shbin::read(&bytes)
                .unwrap_or_else(|error| panic!("{mode:?} wrote what cannot be read: {error}"));
            let _ = check::check(&shbin);
        }
    }
}

fn assemble(text: &str, mode: Mode) -> Result<Assembly, Vec<Diagnostic>> {
    let source = Source { name: "fuzz.v.pica", text, file: FileId(0) };
    picasso::assemble(&[source], &picasso::Options { mode, no_nop: false })
}

/// The sources of nihstro's golden rows, and one that uses the rest of its language.
fn nihcode() -> Vec<Vec<u8>> {
    NIHCODE.split("\n---\n").map(|source| source.as_bytes().to_vec()).collect()
}

/// Both modes, includes refused and granted.
fn assemble_nihcode(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let source = Source { name: "fuzz.nih", text: &text, file: FileId(0) };
    for mode in [nihcode::Mode::Strict, nihcode::Mode::Nihstro] {
        let options = nihcode::Options { mode, ..nihcode::Options::default() };
        if let Ok(made) = nihcode::assemble(&[source], &options, &mut Itself(&text)) {
            let bytes = made.shbin.write();
            let read = Shbin::read(&bytes);
            assert!(read.is_ok_and(|shbin| shbin.write() == bytes), "{mode:?} wrote what does not read back");
        }
    }
}

/// Every included file is the source again: the worst that can be asked for.
struct Itself<'a>(&'a str);

impl nihcode::Includes for Itself<'_> {
    fn open(&mut self, path: &str) -> Result<nihcode::Included, String> {
        match path.contains("self") {
            true => Ok(nihcode::Included { file: FileId(0), text: Arc::new(self.0.to_owned()) }),
            false => Err("there is no such file".into()),
        }
    }
}

pub(crate) fn lossy(input: &[u8]) -> String {
    String::from_utf8_lossy(input).into_owned()
}

pub(crate) fn hex(input: &[u8]) -> String {
    input.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Bytes written in hexadecimal, with line ends anywhere.
pub(crate) fn from_hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|c| Some(c.to_digit(16)? as u8)).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

#[cfg(test)]
mod tests {
    use super::{Itself, nihcode};
    use chiaro_diag::FileId;
    use chiaro_pica200::asm::nihcode::{Mode, Options, Source, assemble};

    /// A start that is wrong leads no further than its first mistake. The second one is: it includes itself.
    #[test]
    fn sources_in_nihcode_are_assembled() {
        let is_right = |bytes: &Vec<u8>| {
            let text = std::str::from_utf8(bytes).expect("text");
            let source = Source { name: "seed.nih", text, file: FileId(0) };
            assemble(&[source], &Options { mode: Mode::Strict, ..Options::default() }, &mut Itself(text))
                .is_ok()
        };
        assert_eq!(nihcode().iter().map(is_right).collect::<Vec<_>>(), [true, false]);
    }
}
