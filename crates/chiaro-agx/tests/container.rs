//! Files: what is written is read to the same, and what is wrong is refused with its place.

use chiaro_agx::abi::link::Binding;
use chiaro_agx::container::file::{File, Held, Role, Span, Stage, State, What};
use chiaro_agx::container::kernel::{HEADER, Kernel};
use chiaro_agx::container::{Contents, is_known, metal, open, programs};

/// `stop` and eight traps.
const STOP: [u8; 18] = [0x88, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0];

fn file() -> File {
    let code = [&[0x62, 0, 0, 0][..], &STOP].concat();
    let mut file = File::of_part(Stage::Fragment, Role::Epilog, &code, 0);
    let binding = Binding { slot: 32, offset: 0, count: 4, base: 1, smooth: true, perspective: true };
    file.parts[0].bindings = vec![binding];
    file.parts[0].key = "{\"nr_samples\":1}".to_owned();
    file.preamble = STOP.to_vec();
    file.preamble_halves = 16;
    file.constants = vec![(20, vec![1, 2, 3, 4])];
    file.uniforms =
        vec![Held { first: 16, halves: 4, what: What::Address, name: "light".to_owned(), ..Held::default() }];
    file.states =
        vec![State { is_sampler: true, register: 1, name: "albedo".to_owned(), ..State::default() }];
    file.sources = vec!["a.agx".to_owned()];
    file.spans = vec![Span { offset: 0, source: 0, line: 3 }, Span { offset: 4, source: 0, line: 9 }];
    file
}

#[test]
fn files_come_back_to_the_byte() {
    let file = file();
    let bytes = file.write();
    let read = File::read(&bytes).expect("it was written here");
    assert_eq!(read, file);
    assert_eq!(read.write(), bytes);
    assert_eq!(read.line(6), Some(("a.agx", 9)));
    for program in programs(&bytes).expect("it was written here") {
        let wanted = if program.name == "code" { &file.code } else { &file.preamble };
        assert_eq!(&bytes[program.bytes], &wanted[..], "{}", program.name);
    }
}

/// Words of vertices follow the position: smooth slots first, then flat, then linear ones.
#[test]
fn words_of_vertices_follow_their_slots() {
    let binding = |slot, [offset, count, base]: [u8; 3], smooth, perspective| Binding {
        slot,
        offset,
        count,
        base: base.into(),
        smooth,
        perspective,
    };
    let mut file = file();
    file.parts[0].bindings = vec![
        binding(34, [0, 1, 9], false, false),
        binding(33, [2, 2, 4], true, true),
        binding(32, [0, 3, 1], true, true),
    ];
    let words: Vec<(u16, u16)> = file.varyings().iter().map(|one| (one.register, one.word)).collect();
    // Slot 32 takes words 4 to 6, slot 33 words 7 to 10, of which the last two are read, slot 34 word 11.
    assert_eq!(words, [(9, 11), (4, 9), (5, 10), (1, 4), (2, 5), (3, 6)]);
}

/// Every file that is cut off, every byte that is changed: an error with a place, or another file that
/// comes back as it is.
#[test]
fn files_that_are_wrong_are_refused_or_mean_something_else() {
    let bytes = file().write();
    for end in 0..bytes.len() {
        let error = File::read(&bytes[..end]).expect_err("the end is missing");
        assert!(error.offset <= end, "{error}");
    }
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            if let Ok(file) = File::read(&changed) {
                assert_eq!(file.write(), changed, "byte {at}");
            }
        }
    }
    let behind = File::read(&[&bytes[..], &[0]].concat()).expect_err("something follows");
    assert!(behind.to_string().contains("1 bytes are left behind the end"), "{behind}");
}

#[test]
fn places_beyond_the_code_are_told() {
    let mut file = file();
    file.parts[0].size = 100;
    let error = File::read(&file.write()).expect_err("the part is too long");
    assert!(error.message.contains("the end of a part in the code: 100, 22 allowed"), "{error}");
    let mut file = self::file();
    file.uniforms[0].first = 510;
    let error = File::read(&file.write()).expect_err("there are 512");
    assert!(error.message.contains("514, 512 allowed"), "{error}");
}

#[test]
fn kernels_come_back_to_the_byte() {
    let empty = Kernel { halves: 16, preamble_halves: 8, pushed: 4, size: [64, 1, 1], ..Kernel::default() };
    let kernel = empty.with_unit(&[1, 2, 3, 4], &STOP, &STOP);
    assert_eq!((kernel.main_offset, kernel.preamble_offset), (128, 256));
    let bytes = kernel.write();
    let Ok(Contents::Kernel(read)) = open(&bytes) else { panic!("it is a kernel") };
    assert_eq!(read, kernel);
    assert_eq!(read.constants(), [1, 2, 3, 4]);
    let all = programs(&bytes).expect("it is a kernel");
    assert_eq!(all.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["main", "preamble"]);
    all.iter().for_each(|program| assert_eq!(&bytes[program.bytes.clone()], STOP));
    // A field that does not agree with the others makes it something else.
    for at in [4, 8, 41] {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(matches!(open(&changed), Ok(Contents::Code)), "byte {at}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(open(&longer), Ok(Contents::Code)));
}

#[test]
fn a_kernel_without_its_end_is_no_code() {
    let empty = Kernel { halves: 16, preamble_halves: 8, size: [64, 1, 1], ..Kernel::default() };
    let bytes = empty.with_unit(&[1, 2], &STOP, &STOP).write();
    for length in HEADER..bytes.len() {
        let error = open(&bytes[..length]).expect_err("bytes are missing");
        let told = format!("{} bytes behind it, and {} are there", bytes.len() - HEADER, length - HEADER);
        assert!(error.offset == length && error.message.ends_with(&told), "{length}: {error}");
        assert!(is_known(&bytes[..length]), "{length}");
    }
    // Of less than a header nobody can tell what it is.
    assert!(matches!(open(&bytes[..HEADER - 1]), Ok(Contents::Code)));
}

#[test]
fn kernels_are_made_of_compute_programs() {
    let code = [&[0x62, 0, 0, 0][..], &STOP].concat();
    let mut file = File::of_part(Stage::Compute, Role::Main, &code, 0);
    file.size = [64, 2, 1];
    file.constants = vec![(12, vec![9, 10]), (8, vec![1, 2, 3, 4, 5, 6, 7, 8])];
    file.uniforms = vec![Held { halves: 4, what: What::Address, ..Held::default() }];
    let kernel = Kernel::of(&file).expect("it fits");
    assert_eq!((kernel.constants_first, kernel.constants()), (8, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10][..]));
    assert_eq!((kernel.pushed, kernel.size, kernel.halves), (13, [64, 2, 1], 1));
    let bytes = kernel.write();
    assert!(is_known(&bytes) && !is_known(&bytes[1..]));
    let all = programs(&bytes).expect("it is a kernel");
    assert_eq!((all[0].stage, all[0].halves), (Some(Stage::Compute), Some(1)));
    assert_eq!(&bytes[all[0].bytes.clone()], code);
    file.constants.push((40, vec![1, 2]));
    let wrong = Kernel::of(&file).expect_err("the header has one run");
    assert_eq!(wrong, "constants in several runs, one from half 40 of uniforms; 1 is allowed");
    let wrong = Kernel::of(&self::file()).expect_err("it is a fragment program");
    assert!(wrong.contains("of stage fragment"), "{wrong}");
}

/// A Mach-O of 64 bits with one section, and symbols if there are some.
fn mach_o(section: &str, data: &[u8], symbols: &[(&str, u64)]) -> Vec<u8> {
    let has_symbols = !symbols.is_empty();
    let commands = 72 + 80 + if has_symbols { 24 } else { 0 };
    let start = 32 + commands;
    let word = |n: usize| (n as u32).to_le_bytes();
    let long = |n: usize| (n as u64).to_le_bytes();
    let name = |text: &str| {
        let mut name = [0; 16];
        name[..text.len()].copy_from_slice(text.as_bytes());
        name
    };
    let mut out = vec![0xcf, 0xfa, 0xed, 0xfe];
    for n in [0x0100_0013, 0, 1, 1 + usize::from(has_symbols), commands, 0, 0] {
        out.extend(word(n));
    }
    out.extend([word(0x19), word(152)].concat());
    out.extend(name("__TEXT"));
    [0, data.len(), start, data.len()].iter().for_each(|n| out.extend(long(*n)));
    [7, 7, 1, 0].iter().for_each(|n| out.extend(word(*n)));
    out.extend([name(section), name("__TEXT")].concat());
    [0, data.len()].iter().for_each(|n| out.extend(long(*n)));
    [start, 0, 0, 0, 0, 0, 0, 0].iter().for_each(|n| out.extend(word(*n)));
    let mut strings = vec![0];
    let mut table = Vec::new();
    for (text, place) in symbols {
        table.extend(word(strings.len()));
        table.extend([0xf, 1, 0, 0]);
        table.extend(place.to_le_bytes());
        strings.extend(text.bytes().chain([0]));
    }
    if has_symbols {
        let at = start + data.len();
        [2, 24, at, symbols.len(), at + table.len(), strings.len()].iter().for_each(|n| out.extend(word(*n)));
    }
    [out, data.to_vec(), table, if has_symbols { strings } else { Vec::new() }].concat()
}

/// A universal binary with a file for another machine and one for the GPU.
fn universal(gpu: &[u8], swapped: bool) -> Vec<u8> {
    let word = |n: u32| if swapped { n.to_le_bytes() } else { n.to_be_bytes() };
    let head = [0x0100_0017, 0, 64, 8, 2, 0x0100_0013, 1, 72, gpu.len() as u32, 3];
    let mut out: Vec<u8> = [0xcbfe_babe, 2].into_iter().chain(head).flat_map(word).collect();
    out.resize(64, 0);
    [out, vec![0xaa; 8], gpu.to_vec()].concat()
}

#[test]
fn nested_mach_o_is_read_with_symbols_and_without() {
    let code = [&STOP[..], &STOP, &[8, 0, 8, 0]].concat();
    let symbols = [("_agc.main.constant_program", 0), ("_agc.main", 18)];
    let with = mach_o("__compute", &mach_o("__text", &code, &symbols), &[]);
    for file in [with.clone(), universal(&with, true), universal(&with, false)] {
        let found = programs(&file).expect("it is an archive");
        let names: Vec<&str> = found.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["compute: _agc.main.constant_program", "compute: _agc.main"]);
        found.iter().for_each(|program| assert_eq!(&file[program.bytes.clone()], STOP));
    }
    let without = mach_o("__fragment", &mach_o("__text", &STOP, &[]), &[]);
    let found = programs(&without).expect("it is an archive");
    assert_eq!(found[0].name, "fragment: text");
    assert_eq!(&without[found[0].bytes.clone()], STOP);
    let library = mach_o("__text", &STOP, &[("_function", 0)]);
    assert_eq!(programs(&library).expect("it is a library")[0].name, "_function");
}

#[test]
fn archives_that_are_wrong_are_told() {
    let library = mach_o("__text", &STOP, &[("_function", 0)]);
    let file = universal(&library, true);
    for end in 0..file.len() {
        let _ = metal::programs(&file[..end]);
    }
    for at in 0..file.len() {
        for value in [0, 0x7f, 0xff] {
            let mut changed = file.clone();
            changed[at] = value;
            let _ = metal::programs(&changed);
        }
    }
    let mut other = file.clone();
    other[28] = 0x14;
    let error = metal::programs(&other).expect_err("it is for another GPU");
    assert!(error.to_string().contains("no file in it is for an Apple GPU"), "{error}");
}
