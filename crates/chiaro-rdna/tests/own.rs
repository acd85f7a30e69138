//! Operations without rows in the vectors, by cases that are written from sections 5 to 9 of the
//! specification alone: `own.tsv` by hand, `own-more.tsv` by the model in `tools/rdna-cases.py`.

use std::sync::Arc;

use chiaro_rdna::isa::isa;
use chiaro_rdna::machine::{Config, Group, Program};
use chiaro_sim::mapped::{Mapped, Range};
use chiaro_sim::{Engine, Lanes};

const BUFFER: u64 = 0x1_0000_0000;
/// A plane of 4 x 4 words.
const PLANE: u64 = 0x2_0000_0000;
/// A plane of 4 x 4 floats with its smaller levels.
const LEVELS: u64 = 0x3_0000_0000;
/// The nodes of a tree.
const TREE: u64 = 0x4_0000_0000;
/// Rows of planes begin at multiples of so many bytes.
const ROW: usize = 256;
const END: [u8; 4] = [0, 0, 0x81, 0xbf];

fn words(text: &str, wave: u8) -> Result<Vec<u8>, String> {
    let (isa, mut words) = (isa(wave), Vec::new());
    for line in text.split(';').map(str::trim) {
        let inst = isa.parse(line, &isa.cx()).map_err(|e| format!("{line}: {e}"))?.inst;
        words.extend_from_slice(&inst.to_bytes()[..usize::from(inst.length)]);
    }
    words.extend(END);
    Ok(words)
}

fn number(text: &str) -> u32 {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    }
    .unwrap_or_else(|_| panic!("`{text}` is no number"))
}

/// A plane's descriptor: format, last level.
fn plane(base: u64, format: u32, last: u32) -> [u32; 8] {
    let sizes = [3 << 30, 3 << 14 | 1 << 31];
    [(base >> 8) as u32, format << 20 | sizes[0], sizes[1], 0xfac | last << 16 | 9 << 28, 0, 0, 0, 0]
}

/// Registers from s40 on: two planes, three samplers, the tree, as `tools/rdna-cases.py` says.
fn descriptors() -> Vec<u32> {
    let mut all = plane(PLANE, 20, 0).to_vec();
    all.extend(plane(LEVELS, 22, 2));
    // Clamped, all levels, the nearest one; the third compares.
    let sampler = |compare: u32, filter: u32| {
        [2 | 2 << 3 | 2 << 6 | compare << 12, 0xfff << 12, filter << 20 | filter << 22 | 1 << 26, 0]
    };
    all.extend([sampler(0, 0), sampler(0, 1), sampler(1, 0)].concat());
    all.extend([(TREE >> 8) as u32, 1 << 31, u32::MAX, 0x3ff | 1 << 24 | 8 << 28]);
    all
}

/// What those describe.
fn pictures() -> [(u64, Vec<u8>); 3] {
    let (mut words, mut levels) = (vec![0; 4 * ROW], vec![0; 7 * ROW]);
    let put = |bytes: &mut Vec<u8>, row: usize, x: usize, n: u32| {
        bytes[row * ROW + 4 * x..][..4].copy_from_slice(&n.to_le_bytes());
    };
    for (first, size, level) in [(0, 4, 0), (4, 2, 1), (6, 1, 2)] {
        for (y, x) in (0..size).flat_map(|y| (0..size).map(move |x| (y, x))) {
            let number = 4 * y + x;
            put(&mut levels, first + y, x, ((64 * level + number) as f32).to_bits());
            if level == 0 {
                put(&mut words, y, x, 0x0102_0300 + number as u32);
            }
        }
    }
    let triangle = [0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 4.0, 0.0].map(f32::to_bits).into_iter().chain([0; 23]);
    let boxes = [
        [0.0, 0.0, 6.0, 2.0, 2.0, 8.0],
        [0.0, 0.0, 2.0, 2.0, 2.0, 4.0],
        [5.0, 5.0, 0.0, 6.0, 6.0, 1.0],
        [0.0; 6],
    ];
    let node = [0x10, 0x18, 0x20, u32::MAX]
        .into_iter()
        .chain(boxes.into_iter().flatten().map(f32::to_bits))
        .chain([0; 4]);
    let tree = triangle.chain(node).flat_map(u32::to_le_bytes).collect();
    [(PLANE, words), (LEVELS, levels), (TREE, tree)]
}

/// Runs a case; s[0:1] has the buffer's address, s[4:7] its descriptor, v0 the lane's number.
fn group(wave: u8, setup: &str, text: &str, engine: Option<Engine>) -> Result<Group, String> {
    let program = Arc::new(Program::new(&words(text, wave)?, wave));
    let mut group = Group::new(&program, &Config { engine, ..Config::default() }, 1, 256, 16);
    let state = &mut group.waves[0];
    let lanes = [0, 32].map(|first| Lanes(std::array::from_fn(|lane| first + lane as u32)));
    state.set_vector(0, &lanes);
    let fixed = [0, 1, 0, 0, 0, 1, 256, 0x3101_6fac];
    (0..).zip(fixed).for_each(|(register, value)| state.set_scalar(register, value));
    (40..).zip(descriptors()).for_each(|(register, value)| state.set_scalar(register, value));
    for (name, value) in setup.split_whitespace().filter_map(|token| token.split_once('=')) {
        match name.split_at(1) {
            _ if name == "exec" => {
                let digits = value.trim_start_matches("0x");
                state.set_exec(u64::from_str_radix(digits, 16).expect("hexadecimal"));
            }
            _ if name == "m0" => state.set_scalar(124, number(value)),
            _ if name == "vcc" => state.set_scalar(106, number(value)),
            ("v", register) => {
                state.set_vector(number(register) as u16, &[Lanes::splat(number(value)); 2]);
            }
            (_, register) => state.set_scalar(number(register) as u16, number(value)),
        }
    }
    let mut memory = Mapped::default();
    let bytes = (0..64_u32).flat_map(|n| (0x0102_0300 + n).to_le_bytes()).collect();
    let buffer = [(BUFFER, bytes)];
    for (base, bytes) in buffer.into_iter().chain(pictures()) {
        memory.map(Range { name: format!("{base:#x}"), base, bytes }).expect("room");
    }
    let outcome = group.run(&mut memory);
    if outcome.faults.is_empty() { Ok(group) } else { Err(format!("faults: {:?}", outcome.faults)) }
}

/// What a case expects and does not find.
fn wrong(group: &Group, expected: &str) -> Vec<String> {
    let wave = &group.waves[0];
    let exec = wave.exec();
    let mut all = Vec::new();
    for (name, value) in expected.split_whitespace().filter_map(|token| token.split_once('=')) {
        let wanted = number(value);
        let (register, lane) = match name.split_once('[') {
            Some((register, lane)) => (register, Some(number(lane.trim_end_matches(']')) as usize)),
            None => (name, None),
        };
        let index = || number(&register[1..]) as u16;
        let found: Vec<u32> = match (register, lane) {
            ("scc", _) => vec![wave.scc().into()],
            ("vcc", _) => vec![wave.scalar(106)],
            (_, Some(lane)) => vec![wave.vector(index(), lane)],
            _ if register.starts_with('s') => vec![wave.scalar(index())],
            _ => {
                let runs = (0..usize::from(wave.lanes())).filter(|n| exec[n / 32] >> (n % 32) & 1 == 1);
                runs.map(|lane| wave.vector(index(), lane)).collect()
            }
        };
        if let Some(other) = found.iter().find(|found| **found != wanted) {
            all.push(format!("{name} is {other:#x}, not {value}"));
        }
    }
    all
}

/// Samples of a texel are planes, one behind the other, where that is asked for; here a plane has the tiled image's size.
#[test]
fn images_of_unknown_layout_are_faults_or_linear() {
    let text = "image_store v12, [v10, v11, v13], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D_MSAA unorm; s_waitcnt_vscnt null, 0x0; \
        image_load v20, [v10, v11, v13], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D_MSAA unorm; s_waitcnt vmcnt(0)";
    let program = Arc::new(Program::new(&words(text, 32).expect("an image's instructions"), 32));
    let run = |linear: bool| {
        let mut group = Group::new(&program, &Config { linear, ..Config::default() }, 1, 256, 16);
        let state = &mut group.waves[0];
        // Two samples; the second one of the texel in the second column of the third row.
        let image = plane(LEVELS, 20, 1).map(|word| if word >> 28 == 9 { word | 14 << 28 } else { word });
        (8..).zip(image).for_each(|(register, value)| state.set_scalar(register, value));
        for (register, value) in [(10, 1), (11, 2), (13, 1), (12, 77)] {
            state.set_vector(register, &[Lanes::splat(value); 2]);
        }
        let mut memory = Mapped::default();
        let bytes = vec![0; 8 * ROW];
        memory.map(Range { name: "image".to_owned(), base: LEVELS, bytes }).expect("room");
        let faults = group.run(&mut memory).faults;
        let place = LEVELS + (6 * ROW + 4) as u64;
        (faults.len(), group.waves[0].vector(20, 0), memory.get(place, 1).map(|bytes| bytes[0]))
    };
    assert_eq!(run(true), (0, 77, Some(77)));
    assert_eq!(run(false), (1, 0, Some(0)));
}

#[test]
fn operations_compute_what_the_specification_says() {
    let mut failures = Vec::new();
    let rows = [include_str!("own.tsv"), include_str!("own-more.tsv")].into_iter().flat_map(str::lines);
    let rows = rows.filter(|line| !line.starts_with('#') && !line.is_empty());
    for row in rows {
        let columns: Vec<&str> = row.split('\t').collect();
        let [wave, setup, text, expected] = columns[..] else { panic!("{row}") };
        for engine in [None, Some(Engine::best()), Some(Engine::Portable)] {
            let wave = number(wave) as u8;
            let found = match group(wave, setup, text, engine) {
                Ok(group) => wrong(&group, expected),
                Err(why) => vec![why],
            };
            failures.extend(found.into_iter().map(|why| format!("{text} ({wave}, {engine:?}): {why}")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
