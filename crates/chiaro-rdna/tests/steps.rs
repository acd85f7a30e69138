//! What every instruction does to registers and memory, as numbers that are written down: some random words of each
//! run among numbers, among addresses and buffers, and among images. `own.tsv` and the vectors say what is right;
//! this notices that something else is done. `CHIARO_BLESS=1` rewrites `steps.tsv`.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use chiaro_cases::{Cases, digest};
use chiaro_isa::{Inst, Rng};
use chiaro_rdna::isa::isa;
use chiaro_rdna::machine::{Config, Group, Outcome, Program, linear_image, raw_buffer};
use chiaro_sim::mapped::{Mapped, Range};
use chiaro_sim::{Engine, Lanes};

const BUFFER: u64 = 0x1_0000_0000;
const BYTES: u32 = 4096;
/// Waits for everything, then ends.
const END: [u8; 12] = [0, 0, 0x8c, 0xbf, 0, 0, 0xfd, 0xbb, 0, 0, 0x81, 0xbf];
/// Waves, with how many words of a form are run in them among each kind of registers.
const WAVES: [(u8, usize); 2] = [(32, 2), (64, 1)];
/// Formats of texels, and types of images.
const IMAGES: [(u32, u32); 3] = [(22, 9), (56, 8), (77, 10)];

/// What registers hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Among {
    Numbers,
    Addresses,
    Images,
}

/// A float of few digits, or a small integer.
fn number(rng: &mut Rng) -> u32 {
    let float = (rng.below(2048) as f32 / 64.0 - 16.0).to_bits();
    [float, rng.below(64) as u32][usize::from(rng.below(3) == 0)]
}

fn scalar(among: Among, n: usize, sample: usize, rng: &mut Rng) -> u32 {
    let (format, kind) = IMAGES[sample % IMAGES.len()];
    match among {
        Among::Numbers => number(rng),
        Among::Addresses => raw_buffer(BUFFER, BYTES)[n % 4],
        Among::Images => linear_image(BUFFER, format, [8, if kind == 8 { 1 } else { 4 }, 1], kind)[n % 8],
    }
}

fn vector(among: Among, n: usize, sample: usize, lane: usize, rng: &mut Rng) -> u32 {
    match (among, n % 2) {
        (Among::Numbers, _) => number(rng),
        // Pairs are addresses of the buffer, alone they are places in it.
        (Among::Addresses, 0) => (lane * 4 + n / 2 * 8) as u32 % 512,
        (Among::Addresses, _) => 1,
        (Among::Images, _) if sample == 0 => ((lane + n) % 4) as u32,
        (Among::Images, _) => ((lane + n) as f32 / 11.0).fract().to_bits(),
    }
}

/// A wave's group with full registers.
fn group(inst: &Inst, lanes: u8, among: Among, sample: usize) -> Group {
    let code = [&inst.to_bytes()[..usize::from(inst.length)], &END].concat();
    let program = Arc::new(Program::new(&code, lanes));
    let config = Config { engine: (sample > 0).then(Engine::best), fuel: 16, ..Config::default() };
    let mut group = Group::new(&program, &config, 1, 1024, 64);
    let (state, mut rng) = (&mut group.waves[0], Rng(sample as u64));
    for n in 0..106 {
        state.set_scalar(n, scalar(among, n.into(), sample, &mut rng));
    }
    state.set_scalar(106, 0x5a0f_33cc);
    state.set_scalar(107, 0xff00_c33c);
    state.set_scalar(124, 17);
    for n in 0..256 {
        let mut half = |first: usize| {
            Lanes(std::array::from_fn(|lane| vector(among, n.into(), sample, first + lane, &mut rng)))
        };
        let values = [half(0), half(32)];
        state.set_vector(n, &values);
    }
    if sample > 0 {
        state.set_exec(0xf0f0_a5a5_f00f_a5a7);
    }
    group
}

/// All registers of a wave: vectors lane by lane, then scalars.
fn registers(group: &Group) -> Vec<u32> {
    let wave = &group.waves[0];
    let lanes = usize::from(wave.lanes());
    let vectors = (0..256).flat_map(|n| (0..lanes).map(move |lane| wave.vector(n, lane)));
    vectors.chain((0..108).map(|n| wave.scalar(n))).chain([wave.scalar(124), u32::from(wave.scc())]).collect()
}

/// What a run says, and every register and word of memory that it changes.
fn run(inst: &Inst, lanes: u8, among: Among, sample: usize) -> String {
    let mut group = group(inst, lanes, among, sample);
    let mut memory = Mapped::default();
    let word = |n: u32| n.wrapping_mul(0x0101_0503).wrapping_add(0x3f80_0000);
    let bytes: Vec<u8> = (0..BYTES / 4).flat_map(|n| word(n).to_le_bytes()).collect();
    memory.map(Range { name: "buffer".to_owned(), base: BUFFER, bytes: bytes.clone() }).expect("room");
    let before = registers(&group);
    let outcome = group.run(&mut memory);
    let Outcome { faults, issued, .. } = &outcome;
    let mut out = format!("Outcome {{ faults: {faults:?}, issued: {issued} }} {:?}", group.waves[0].exec());
    for (n, (new, old)) in registers(&group).into_iter().zip(before).enumerate().filter(|(_, (a, b))| a != b)
    {
        let _ = write!(out, " {n} {old:x} {new:x}");
    }
    let after = &memory.named("buffer").expect("it is there").bytes;
    for (n, new) in after.iter().enumerate().filter(|&(n, new)| *new != bytes[n]) {
        let _ = write!(out, " {n} {new:x}");
    }
    out
}

#[test]
fn instructions_do_what_is_written_down() {
    let mut out = "# lanes, operation; among numbers, addresses, images\n".to_owned();
    for (lanes, count) in WAVES {
        let isa = isa(lanes);
        for form in 0..isa.forms.len() as u16 {
            let name = isa.forms[usize::from(form)].operation.name;
            let mut rng = Rng(form.into());
            let words: Vec<Inst> = (0..count).filter_map(|_| isa.sample(form, &mut rng)).collect();
            let all = |among| {
                let runs = words.iter().enumerate().map(|(n, inst)| run(inst, lanes, among, n));
                digest(&runs.collect::<String>())
            };
            let [numbers, addresses, images] = [Among::Numbers, Among::Addresses, Among::Images].map(all);
            let _ = writeln!(out, "{lanes}\t{name}\t{numbers} {addresses} {images}");
        }
    }
    let mut cases = Cases::new();
    cases.file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/steps.tsv"), Some(&out));
    cases.finish();
}
