//! Vertices, fragments, textures: what programs give, and the faults of those that are wrong.

use std::sync::Arc;

use chiaro_agx::abi::descriptor::{SAMPLER, TEXTURE};
use chiaro_agx::abi::link::{Part, fragment};
use chiaro_agx::asm::{self, Options};
use chiaro_agx::machine::{Compare, Config, FaultKind, Group, Launch, Outcome, Pixels, Program};
use chiaro_diag::SourceMap;
use chiaro_sim::mapped::{Mapped, Range};

const IMAGE: u64 = 0x10_0000;

fn code(text: &str) -> Vec<u8> {
    let mut sources = SourceMap::default();
    let file = sources.add("test", text);
    asm::assemble(file, text, Options::default()).expect("it is legal").0.bytes
}

/// Runs code on fragments, with memory at [`IMAGE`].
fn shade(code: &[u8], pixels: Pixels, bind: impl FnOnce(&mut Group), bytes: Vec<u8>) -> (Group, Outcome) {
    let config = Config { fuel: 10_000, ..Config::default() };
    let program = Arc::new(Program::new(code, 0, &config));
    let mut group = Group::new(&program, &config, &Launch::default(), 0);
    group.enter(&Launch::default(), [0; 3]);
    group.simdgroups[0].shade(pixels);
    bind(&mut group);
    let mut memory = Mapped::default();
    memory.map(Range { name: "image".to_owned(), base: IMAGE, bytes }).expect("alone");
    let outcome = group.run(&mut memory);
    (group, outcome)
}

fn plain(text: &str, pixels: Pixels) -> (Group, Outcome) {
    shade(&code(text), pixels, |_| {}, vec![0; 16])
}

/// Planes for cf0 (1/W) and cf1.
fn varied(w: [f32; 3], value: [f32; 3]) -> Pixels {
    Pixels { coefficients: vec![[w; 32], [value; 32]], ..Pixels::default() }
}

#[test]
fn varyings_are_taken_from_their_planes() {
    let text = "iterproj r4, cf1, cf0, center, 0b0, 0, 0, 0, 0, 0\niter r5, cf1, center, 0b0, 0, 0, 0, 0, 0\n\
                ldcf r6_r7_r8, cf1\nstop\n";
    let (group, outcome) = plain(text, varied([0.0, 0.0, 0.5], [1.0, 2.0, 3.0]));
    assert_eq!(outcome.faults, []);
    let word = |register: u16, lane: usize| f32::from_bits(group.simdgroups[0].word(register).0[lane]);
    // Lane 3 is the pixel (1, 1) of the first quad, whose middle is (1.5, 1.5).
    assert_eq!((word(5, 3), word(4, 3)), (7.5, 15.0));
    assert_eq!((word(6, 0), word(7, 0), word(8, 0)), (1.0, 2.0, 3.0));
    let (_, outcome) = plain("iter r5, cf2, center, 0b0, 0, 0, 0, 0, 0\nstop\n", varied([0.0; 3], [0.0; 3]));
    assert_eq!(outcome.faults[0].kind, FaultKind::Coefficient(2));
}

#[test]
fn samples_are_killed_tested_and_counted() {
    let depths = Pixels { compare: Compare::Less, depth_plane: [[0.0, 0.0, 0.5]; 32], ..Pixels::default() };
    let (group, outcome) = plain("sample_mask 255, 255\nstop\n", depths.clone());
    assert_eq!(outcome.faults, []);
    let pixels = group.simdgroups[0].pixels().expect("they are there");
    assert_eq!((pixels.passed, pixels.depths[7][0], pixels.live[7]), (32, 0.5, 1));
    let behind = Pixels { depths: [[0.25; 4]; 32], ..depths.clone() };
    let (group, _) = plain("sample_mask 255, 255\nstop\n", behind);
    let pixels = group.simdgroups[0].pixels().expect("they are there");
    assert_eq!((pixels.passed, pixels.live), (0, [0; 32]));
    let (group, _) = plain("sample_mask 255, 0\nstop\n", depths.clone());
    assert_eq!(group.simdgroups[0].pixels().expect("they are there").live, [0; 32]);
    let (_, outcome) = plain("sample_mask 255, 255\nsample_mask 255, 255\nstop\n", depths);
    assert_eq!(outcome.faults[0].kind, FaultKind::Decided(1));
    let none = Group::new(
        &Arc::new(Program::new(&code("sample_mask 255, 255\nstop\n"), 0, &Config::default())),
        &Config::default(),
        &Launch::default(),
        0,
    );
    let outcome = { none }.run(&mut Mapped::default());
    assert!(matches!(outcome.faults[0].kind, FaultKind::NoPixels(_)), "{:?}", outcome.faults);
}

/// A colour is stored, read, doubled and stored again.
#[test]
fn the_tilebuffer_keeps_its_format() {
    let text = "mov_imm r4, 1056964608, 0b0\nst_tile r4, u8norm, 0, x, 4, 255, 0\n\
                ld_tile r5, u8norm, 1, x, 4, 255, 0\nstop\n";
    let (mut group, outcome) = plain(text, Pixels::default());
    assert_eq!(outcome.faults, []);
    let read = f32::from_bits(group.simdgroups[0].word(5).0[0]);
    assert_eq!(read, 128.0 / 255.0);
    let colour = group.simdgroups[0].colour(9).expect("it is stored");
    assert_eq!(colour, [128.0 / 255.0, 0.0, 0.0, 1.0]);
    let beyond = "mov_imm r4, 0, 0b0\nst_tile r4, i32, 0, x, 62, 255, 0\nstop\n";
    assert_eq!(plain(beyond, Pixels::default()).1.faults[0].kind, FaultKind::Tile(62));
}

/// The main part runs for each sample with its mask in r1l; helpers store nothing.
#[test]
fn a_loop_over_samples_runs_for_each() {
    let body = code("wait_pix 12, 0\nst_tile r1l, i16, 0, x, 0, r1l, 0\n");
    let linked = fragment(None, Part { code: &body, ..Part::default() }, None, 4).expect("it is legal");
    let mut pixels =
        Pixels { samples: 4, covered: [15; 32], tile: vec![0; 64 * 4 * 32], ..Pixels::default() };
    pixels.covered[1] = 0;
    let (mut group, outcome) = shade(&linked.code, pixels, |_| {}, vec![0; 16]);
    assert_eq!(outcome.faults, []);
    let mut pixels = group.simdgroups.remove(0).pixels().expect("they are there").clone();
    let mut stored = |lane: usize| -> Vec<u8> {
        (0..4).map(|sample| pixels.bytes_of(lane, sample, 0, 2).expect("inside")[0]).collect()
    };
    assert_eq!(stored(0), [1, 2, 4, 8]);
    assert_eq!(stored(1), [0; 4]);
}

/// Helpers compute, and leave memory as it is.
#[test]
fn helpers_store_nothing() {
    let text = "get_sr r2, sr52\nmov_imm r4, 9, 0b0\ndevice_store 0, i32, x, r4, u0_u1, r2, signed, 0\n\
                device_load 1, i32, x, r5, u0_u1, r2, signed\nwait 1\nstop\n";
    let mut pixels = Pixels::default();
    pixels.covered[2] = 0;
    let bind = |group: &mut Group| group.set_uniform(1, (IMAGE >> 16) as u16);
    let (group, outcome) = shade(&code(text), pixels, bind, vec![0; 128]);
    assert_eq!(outcome.faults, []);
    assert_eq!(group.simdgroups[0].word(5).0[..4], [9, 9, 0, 9]);
}

#[test]
fn vertices_have_words() {
    let text = "mov_imm r0, 7, 0b0\nst_var 1, r0, 3\nst_var_final 1, r0, 4\nstop\n";
    let config = Config::default();
    let program = Arc::new(Program::new(&code(text), 0, &config));
    let mut group = Group::new(&program, &config, &Launch::default(), 0);
    assert_eq!(group.run(&mut Mapped::default()).faults, []);
    let outputs = group.simdgroups[0].outputs();
    assert_eq!((outputs.len(), outputs[3].0, outputs[4].1.0[31]), (5, u32::MAX, 7));
    assert_eq!(outputs[2].0, 0);
}

const SAMPLE: &str =
    "texture_sample 0, 0b1100, 0b0, none, x, 0b00, r8, None, ts0, ss1, tex_2d, r0_r1, auto_lod, 0\n";

/// A linear image of 2 by 1 texels, 0 and 1, sampled in the middle between them.
fn sampled(text: &str) -> (Group, Outcome) {
    let texture = format!(
        "dimension=2d layout=linear channels=R32 type=float swizzle=R,0,0,1 width=2 height=1 address={IMAGE:#x} stride=0"
    );
    let texture: [u8; 24] = TEXTURE.pack(&texture).expect("legal").try_into().expect("24 bytes");
    let sampler = "maximum_lod=14 magnify=linear minify=linear wrap_s=clamp_to_edge wrap_t=clamp_to_edge";
    let sampler: [u8; 8] = SAMPLER.pack(sampler).expect("legal").try_into().expect("8 bytes");
    let bytes = [0f32.to_bits().to_le_bytes(), 1f32.to_bits().to_le_bytes(), [0; 4], [0; 4]].concat();
    let bind = |group: &mut Group| {
        group.states.textures[0] = Some(texture);
        group.states.samplers[1] = Some(sampler);
    };
    shade(&code(text), Pixels::default(), bind, bytes)
}

#[test]
fn a_texture_is_sampled_behind_its_wait() {
    let half = "mov_imm r0, 1056964608, 0b0\nmov_imm r1, 1056964608, 0b0\n";
    let (group, outcome) = sampled(&format!("{half}{SAMPLE}wait 0\nstop\n"));
    assert_eq!(outcome.faults, []);
    assert_eq!(f32::from_bits(group.simdgroups[0].word(8).0[5]), 0.5);
    let (_, outcome) = sampled(&format!("{half}{SAMPLE}iadd r9, r8, 1\nwait 0\nstop\n"));
    assert_eq!(outcome.faults[0].kind, FaultKind::TooEarly(16, 0));
    let other = SAMPLE.replace("ts0", "ts3");
    let (_, outcome) = sampled(&format!("{half}{other}wait 0\nstop\n"));
    assert_eq!(outcome.faults[0].kind, FaultKind::Texture("nothing is bound to ts3".to_owned()));
}

#[test]
fn a_texel_is_loaded_and_those_outside_are_zero() {
    let load = "texture_load 0, 0b1100, 0b0, none, x, 0b00, r8, None, ts0, ss0, tex_2d, r0_r1, auto_lod, 0\nwait 0\nstop\n";
    for (x, expected) in [(0, 0.0), (1, 1.0), (2, 0.0)] {
        let (group, outcome) = sampled(&format!("mov_imm r0, {x}, 0b0\nmov_imm r1, 0, 0b0\n{load}"));
        assert_eq!(outcome.faults, []);
        assert_eq!(f32::from_bits(group.simdgroups[0].word(8).0[0]), expected, "{x}");
    }
}

/// Linked parts under contracts: what nobody left is a fault where it is read, as is a sample nobody decides on.
#[test]
fn contracts_that_are_broken_are_faults() {
    let faults = |text: &str, pixels: Option<Pixels>| {
        let config = Config { contracts: true, fuel: 1000, ..Config::default() };
        let program = Arc::new(Program::new(&code(text), 0, &config));
        let mut group = Group::new(&program, &config, &Launch::default(), 0);
        group.enter(&Launch::default(), [0; 3]);
        pixels.into_iter().for_each(|pixels| group.simdgroups[0].shade(pixels));
        let outcome = group.run(&mut Mapped::default());
        outcome.faults.into_iter().map(|fault| fault.kind).collect::<Vec<_>>()
    };
    assert_eq!(faults("mov_imm r4l, 0\nmov r0, r4\nstop\n", None), [FaultKind::Undefined(9)]);
    assert_eq!(faults("mov_imm r4l, 0\nmov_imm r4h, 0\nmov r0, r4\nstop\n", None), []);
    // Lanes of one side of an `if` have written it, the others read it.
    let one_side = "get_sr r5, sr52\nmov_imm r0l, 0\nif_icmp r0l, ult, r5, 16, 1\nmov_imm r4, 0, 0b0\n\
                    pop_exec r0l, 1\nmov r3, r4\nstop\n";
    assert_eq!(faults(one_side, None), [FaultKind::Undefined(8)]);
    // A call leaves its place in the lanes that run.
    let called = "get_sr r5, sr52\nmov_imm r0l, 0\nif_icmp r0l, ult, r5, 16, 1\ncall callee\npop_exec r0l, 1\n\
                  mov r3, r1\nstop\ncallee:\nret r1\n";
    assert_eq!(faults(called, None), [FaultKind::Undefined(2)]);
    let both = Pixels { samples: 2, covered: [3; 32], tile: vec![0; 64 * 2 * 32], ..Pixels::default() };
    assert_eq!(faults("sample_mask 1, 1\nstop\n", Some(both.clone())), [FaultKind::Undecided(2)]);
    assert_eq!(faults("sample_mask 255, 255\nstop\n", Some(both)), []);
}
