//! What public sources leave open: each row of the specification's list is answered for, and each assumption, when it is
//! turned, changes what a program does.

use std::sync::Arc;

use chiaro_agx::Agx;
use chiaro_agx::abi::link::{Constants, Part, fragment};
use chiaro_agx::abi::tilebuffer::{Layout, Limits, physical};
use chiaro_agx::abi::usc;
use chiaro_agx::asm::{self, Options};
use chiaro_agx::machine::{ASSUMPTIONS, Config, FaultKind, Group, Launch, Pixels, Program, UNKNOWNS};
use chiaro_diag::SourceMap;
use chiaro_sim::mapped::{Mapped, Range};
use chiaro_target::Target;

const DATA: u64 = 0x10_0000;

/// What a program left: r2, r3 and r5 of all lanes, the first words of memory, faults.
#[derive(PartialEq, Debug)]
struct Left {
    r2: [u32; 32],
    r3: [u32; 32],
    r5: [u32; 32],
    data: Vec<u32>,
    faults: Vec<FaultKind>,
}

/// The bytes of a program in which `@name` is the place of a label.
fn code(text: &str) -> Vec<u8> {
    let assembled = |text: &str| {
        let mut sources = SourceMap::default();
        let file = sources.add("test", text);
        asm::assemble(file, text, Options::default()).unwrap_or_else(|e| panic!("{text}: {e:?}")).0
    };
    let numbers = |places: &[(String, u64)]| {
        places
            .iter()
            .fold(text.to_owned(), |text, (name, at)| text.replace(&format!("@{name}"), &at.to_string()))
    };
    let guess: Vec<(String, u64)> = ["a", "b"].map(|name| (name.to_owned(), 1000)).to_vec();
    let first = assembled(&numbers(&guess));
    let places: Vec<(String, u64)> = first.labels.iter().map(|(name, at)| (name.clone(), *at)).collect();
    assembled(&numbers(&places)).bytes
}

/// Runs a program on a SIMD-group whose lanes 4 and on have helpers as fragments.
fn run(text: &str, (name, value): (&str, &str)) -> Left {
    let mut config = Config { fuel: 1000, ..Config::default() };
    config.set(name, value).unwrap_or_else(|why| panic!("{why}"));
    let program = Arc::new(Program::new(&code(text), 0, &config));
    let mut group = Group::new(&program, &config, &Launch::default(), 0);
    group.enter(&Launch::default(), [0; 3]);
    group.set_uniform(1, (DATA >> 16) as u16);
    if name == "kill" {
        let covered = std::array::from_fn(|lane| u8::from(lane < 4));
        group.simdgroups[0].shade(Pixels { covered, ..Pixels::default() });
    }
    let mut memory = Mapped::default();
    memory.map(Range { name: "data".to_owned(), base: DATA, bytes: vec![9; 16] }).expect("alone");
    let outcome = group.run(&mut memory);
    let word = |n: u16| group.simdgroups[0].word(n).0;
    Left {
        r2: word(2),
        r3: word(3),
        r5: word(5),
        data: chiaro_isa::dwords(&memory.named("data").expect("mapped").bytes).collect(),
        faults: outcome.faults.into_iter().map(|fault| fault.kind).collect(),
    }
}

const CALLS: &str = "get_sr r4, sr52\nand r4, r4, 1\nmov_imm r8, @a, 0\nmov_imm r9, @b, 0\n\
    mov_imm r10, 0, 0\nicmpsel ueq, r6, r4, r10, r8, r9\nmov_imm r0l, 0\ncall r6\niadd r2, r5, 1\nstop\n\
    a:\nmov_imm r5, 10, 0\ndevice_store 0, i32, x, r5, u0_u1, 0, signed, 0\nwait 0\nret r1\n\
    b:\nmov_imm r5, 20, 0\ndevice_store 0, i32, x, r5, u0_u1, 0, signed, 0\nwait 0\nret r1\n";
const MATRIX: &str = "get_sr r6, sr52\nconvert u32_to_f, r6, r6, rte\nmov r7, r6\nmov_imm r8, 1065353216, 0\n\
    mov r9, r8\nmov_imm r10, 0, 0\nmov r11, r10\n\
    simd_matrix_fmadd32 r2_r3, r8_r9, r6_r7, r10_r11\nstop\n";
const SELECT: &str =
    "mov_imm r8, 1, 0\nmov_imm r9, 2, 0\nmov_imm r10, 0, 0\nicmpsel cc3, r2, r10, r10, r8, r9\nstop\n";
const PACKED: &str = "mov_imm r4, 1065471181, 0\nmov r5, r4\nmov r6, r4\n\
    device_store 0, rg11b10f.rtz, xyz, r4_r5_r6, u0_u1, 0, signed, 0\nwait 0\nstop\n";
const TEXTURE: &str =
    "texture_load 0, 0b1100, 0b0, none, x, 0b00, r8, None, ts0, ss0, tex_2d, r0_r1, auto_lod, 0\n";
const SQUARES: &str =
    "get_sr r4, sr52\nconvert u32_to_f, r4, r4, rte\nfmul32 r4, r4, r4\ndfdx r2, r4\nstop\n";

/// Assumption, its other value, and a program that shows it.
const CASES: &[(&str, &str, &str)] = &[
    ("poison", "5", "iadd r2, r3, 0\nstop\n"),
    ("arrival", "immediate", "device_load 1, i32, x, r2, u0_u1, 0, signed\niadd r3, r2, 1\nwait 1\nstop\n"),
    ("soft-fault", "yes", "device_load 0, i32, x, r2, u0_u1, 64, signed\nwait 0\nstop\n"),
    ("zero-product", "positive", "mov_imm r4, 2147483648, 0\nmov_imm r5, 0, 0\nfmul32 r2, r4, r5\nstop\n"),
    ("derivatives", "coarse", SQUARES),
    ("undefined", "fault", "iadd r2, r3, 0\nstop\n"),
    ("stack", "8", "stack_adjust 4\nstop\n"),
    ("estimate-bits", "8", "mov_imm r4, 1077936128, 0\nrcp r2, r4\nstop\n"),
    ("conversion", "wrap", "mov_imm r4, 1333788674, 0\nconvert f_to_u32, r2, r4, rtz\nstop\n"),
    ("nan-integer", "7", "mov_imm r4, 2143289344, 0\nconvert f_to_u32, r2, r4, rtz\nstop\n"),
    ("rounding-codes", "directed", "mov_imm r4, 1069547520, 0\nconvert f_to_u32, r2, r4, 3\nstop\n"),
    ("conditions", "true", SELECT),
    ("conditions", "false", SELECT),
    ("formats", "word", "device_load 0, 9, x, r2, u0_u1, 0, signed\nwait 0\nstop\n"),
    ("packed-rounding", "nearest", PACKED),
    ("sampling-markers", "nothing", "after_sampling1\nmov_imm r2, 5, 0\nafter_sampling2\nstop\n"),
    ("kill", "helpers", "mov_imm r4, 7, 1\nmov_imm r2, 5, 0\nsample_mask 255, 255\nstop\n"),
    (
        "store-sources",
        "done",
        "device_store 0, i32, x, r2, u0_u1, 0, signed, 0\nmov_imm r2, 1, 0\nwait 0\nstop\n",
    ),
    ("indirect-calls", "ascending", CALLS),
    ("indirect-calls", "descending", CALLS),
    ("matrix", "rows", MATRIX),
    ("matrix", "blocks", MATRIX),
];

/// What a case leaves under a value of its assumption.
fn left(name: &str, value: &str) -> Left {
    let case = CASES.iter().find(|case| case.0 == name).expect("a case");
    run(case.2, (name, value))
}

#[test]
fn every_assumption_changes_something() {
    for assumption in ASSUMPTIONS {
        assert!(CASES.iter().any(|case| case.0 == assumption.name), "{} has no case", assumption.name);
        let values = assumption.values.split(' ').skip(1).filter(|value| *value != "N");
        for value in values {
            let known = CASES.iter().any(|case| case.0 == assumption.name && case.1 == value);
            assert!(known, "{}={value} has no case", assumption.name);
        }
    }
    for (name, value, text) in CASES {
        let assumption = ASSUMPTIONS.iter().find(|one| one.name == *name).expect("known");
        let default = assumption.values.split(' ').next().expect("a default");
        assert_ne!(run(text, (name, value)), run(text, (name, default)), "{name}={value}");
    }
}

/// What is said to be the default is what nobody chose.
#[test]
fn the_first_value_is_the_default() {
    for assumption in ASSUMPTIONS {
        let mut config = Config::default();
        let first = assumption.values.split(' ').next().expect("a value");
        config.set(assumption.name, first).expect("it is taken");
        assert_eq!(format!("{config:?}"), format!("{:?}", Config::default()), "{}", assumption.name);
        assert!(config.set(assumption.name, "nonsense").is_err(), "{}", assumption.name);
    }
    assert!(Config::default().set("estimate-bits", "0").is_err_and(|e| e.contains("1 to 23")));
}

#[test]
fn functions_and_conversions_are_what_is_chosen() {
    assert_eq!(left("estimate-bits", "8").r2[0], 0x3eaa_8000);
    assert_eq!(left("conversion", "wrap").r2[0], 1024);
    let signed = |value: f32| {
        let text = format!("mov_imm r4, {}, 0\nconvert f_to_s32, r2, r4, rtz\nstop\n", value.to_bits());
        run(&text, ("conversion", "wrap")).r2[0]
    };
    assert_eq!(
        [-5.5, -4_294_968_320.0, f32::INFINITY].map(signed),
        [5u32.wrapping_neg(), 1024u32.wrapping_neg(), 0]
    );
    assert_eq!([left("nan-integer", "0").r2[0], left("nan-integer", "7").r2[0]], [0, 7]);
    assert_eq!(left("rounding-codes", "directed").r2[0], 2);
    assert!(matches!(left("rounding-codes", "fault").faults[..], [FaultKind::Unknown(_)]));
    assert_eq!([left("conditions", "true").r2[0], left("conditions", "false").r2[0]], [1, 2]);
    let float = SELECT.replace("icmpsel cc3", "fcmpsel cc4");
    assert_eq!(["true", "false"].map(|value| run(&float, ("conditions", value)).r2[0]), [1, 2]);
    assert_eq!(left("formats", "word").r2[0], 0x0909_0909);
}

/// Even lanes want one place, odd ones the other; who is called last stores last.
#[test]
fn indirect_calls_go_to_one_place_after_another() {
    assert!(left("indirect-calls", "fault").faults.contains(&FaultKind::Divergent));
    for (value, last) in [("ascending", 20), ("descending", 10)] {
        let left = left("indirect-calls", value);
        assert_eq!((left.faults, left.data[0]), (vec![], last), "{value}");
        assert_eq!(left.r2, std::array::from_fn(|lane| if lane % 2 == 0 { 11 } else { 21 }), "{value}");
    }
}

/// Ones by numbers of lanes are sums over columns: over the lanes that have elements of the same one.
#[test]
fn matrices_are_spread_over_lanes() {
    for value in ["rows", "blocks"] {
        let column = |lane: usize| if value == "rows" { lane & 3 } else { lane & 1 | lane >> 2 & 2 };
        let sum = |lane: usize| (0..32).filter(|n| column(*n) == column(lane)).sum::<usize>() as f32;
        let wanted = std::array::from_fn(|lane| sum(lane).to_bits());
        let left = left("matrix", value);
        assert_eq!((left.faults, left.r2, left.r3), (vec![], wanted, wanted), "{value}");
    }
}

#[test]
fn helpers_end_where_that_is_chosen() {
    let left = left("kill", "helpers");
    assert_eq!((left.faults, left.r2), (vec![], std::array::from_fn(|lane| if lane < 4 { 5 } else { 0 })));
    assert_eq!(self::left("store-sources", "done").faults, [FaultKind::Held(4, 0)]);
}

/// The table of unknowns, the settings that there are, and the README say the same.
#[test]
fn every_row_of_the_specification_is_answered_for() {
    // What no row of it asks for: spec 2.1, 13, 8.6, and what a launch is.
    let beside = ["poison", "soft-fault", "zero-product", "derivatives", "undefined", "stack"];
    let launch = ["local-size", "threadgroup-memory", "samples"];
    let named = |name: &str| UNKNOWNS.iter().any(|row| row.settings.contains(&name));
    let target = Agx;
    for assumption in target.assumptions() {
        let is_beside = beside.contains(&assumption.name) || launch.contains(&assumption.name);
        assert!(is_beside != named(assumption.name), "{}", assumption.name);
    }
    let readme = include_str!("../README.md");
    for row in &UNKNOWNS {
        assert!(!row.settings.is_empty() || !row.why.is_empty(), "{} has no answer", row.topic);
        for name in row.settings {
            let is_assumed = target.assumptions().iter().any(|one| one.name == *name);
            let is_set = target.about().settings.iter().any(|one| one.name == *name);
            assert!(is_assumed || is_set, "{name} is no setting");
            assert!(readme.contains(&format!("`{name}`")), "{name} is not in the README");
        }
    }
}

/// What reports assume changes what they say.
#[test]
fn clocks_are_those_of_the_settings() {
    let store = "device_store 0, i32, x, r2, u0_u1, 0, signed, 0\nmov_imm r2, 1, 0\nwait 0\n";
    let texts = [
        ("memory-cycles", "10", store.to_owned()),
        ("texture-cycles", "20", TEXTURE.to_owned()),
        ("pixel-cycles", "5", "st_var 1, r2, 0\n".to_owned()),
        ("register-file", "mesa", "mov_imm r2, 1, 0\n".to_owned()),
    ];
    for (name, value, text) in &texts {
        let bytes = code(&format!("{text}stop\n"));
        let report = |settings: &[(String, String)]| {
            let report = Agx.report(&bytes, settings).expect("it is code");
            format!("{:?} {:?} {:?}", report.cycles, report.counts, report.assumptions)
        };
        let turned = [((*name).to_owned(), (*value).to_owned())];
        assert_ne!(report(&turned), report(&[]), "{name}");
        assert!(Agx.report(&bytes, &[((*name).to_owned(), "0".to_owned())]).is_err(), "{name}");
    }
    let bytes = code(&format!("{store}stop\n{}", "trap\n".repeat(8)));
    let found = |value: &str| {
        let settings = [("store-sources".to_owned(), value.to_owned())];
        let found = Agx.check(&bytes, &settings).expect("it is code");
        found.iter().map(|finding| finding.rule.id).collect::<Vec<_>>()
    };
    assert_eq!((found("issue"), found("done")), (vec![], vec!["write-after-read"]));
}

/// Both limits decide what is spilled, the first how large a tile is.
#[test]
fn limits_bear_on_layouts() {
    let targets = vec![physical("R32G32B32A32_FLOAT"); 5];
    let made = |limits: Limits| {
        let layout = Layout::within(&targets, 1, limits).expect("legal");
        let spilled = layout.targets.iter().flatten().filter(|target| target.offset.is_none()).count();
        (spilled, layout.sample_bytes, layout.tile)
    };
    let known = Limits::default();
    assert_eq!(made(known), (1, 64, (16, 16)));
    assert_eq!(made(Limits { sample: 128, ..known }), (0, 80, (16, 16)));
    assert_eq!(made(Limits { tile: 65536, ..known }), (1, 64, (32, 32)));
}

/// Every constant is in a word, and the words can be packed.
#[test]
fn constants_bear_on_words() {
    let linked = fragment(None, Part { halves: 8, ..Part::default() }, None, 0).expect("legal");
    let known = Constants::default();
    let written = |constants: Constants| {
        let words = linked.words_with(0, constants).expect("legal");
        words.iter().map(|word| usc::pack(word).expect("a word")).collect::<Vec<_>>()
    };
    let others = [
        Constants { shader: [0, 3], ..known },
        Constants { registers: [0, 0], ..known },
        Constants { linked: 0, ..known },
        Constants { fragment: [1, 0, 2, 0], ..known },
    ];
    for other in others {
        assert_ne!(written(other), written(known), "{other:?}");
    }
    assert_eq!(written(known), linked.packed(0).expect("legal"));
}
