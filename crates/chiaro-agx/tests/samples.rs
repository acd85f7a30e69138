//! Main parts that run for some of the samples of a pixel, and the epilogs behind them: with a mask of one sample, of two
//! and of all, samples that the mask names get what the interpreter gives, and no other is touched.

use std::collections::HashMap;
use std::sync::Arc;

use chiaro_agx::abi::key::Key;
use chiaro_agx::compile::{Compiled, Options as Choices, Place, compile, compile_part};
use chiaro_agx::machine::{Config, Group, Launch, Pixels, Program};
use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_ir::interp::{Interpreter, NoImages};
use chiaro_ir::{GlobalRef, Module, Space};
use chiaro_opt::Cx;
use chiaro_sim::Lanes;
use chiaro_sim::mapped::Mapped;
use serde_json::{Value as Json, json};

const ALL: usize = 32;
/// SPIR-V's numbers of built-ins.
const SAMPLE_ID: u32 = 18;
const SAMPLE_MASK: u32 = 20;
/// The half with the mask of samples that are shaded is the lower one of this register.
const SAMPLES: u16 = 1;
/// What targets hold before.
const BEFORE: u8 = 0x5a;
/// `stop`.
const STOP: [u8; 2] = [0x88, 0];

fn module(body: &str) -> Module {
    let mut sources = SourceMap::new();
    let file = sources.add("shader", format!("#version 450\n{body}"));
    let (words, errors) =
        chiaro_glsl::compile(file, &mut sources, &Options::new(Stage::Fragment), &mut |_, _, _| None);
    let words = words.unwrap_or_else(|| panic!("{body}: {}", errors[0].message));
    chiaro_spirv::read_module(&words, &Default::default(), &mut sources).expect("SPIR-V").module
}

/// The epilog that stores the main part's colour as RGBA8.
fn epilog(main: &Compiled, blend: &str) -> Compiled {
    let link: Json = serde_json::from_str(&main.file.parts[0].key).expect("a link");
    let target = json!({ "i": 0, "format": "PIPE_FORMAT_R8G8B8A8_UNORM", "loc": 0, "colormask": 15, "rgb": blend,
        "alpha": blend });
    let key = json!({ "link": link["link"].as_object().map_or(&link, |_| &link["link"]), "nr_samples": 4,
        "force_small_tile": 0, "logicop": "copy", "alpha_to_coverage": 0, "alpha_to_one": 0, "rts": [target] });
    let key = Key::of_json(&key).unwrap_or_else(|why| panic!("{why}: {key}"));
    compile_part(&key, Choices::default(), &mut Cx::default()).expect("an epilog")
}

/// A component of the input, by lane.
fn input(lane: usize, n: usize) -> f32 {
    ((lane * 7 + n * 11) % 32) as f32 / 40.0
}

/// The samples that a primitive covers.
fn covered(lane: usize) -> u8 {
    (lane * 5 + 1) as u8 & 15
}

/// The pixels behind both parts, where the main part runs for a mask of samples.
fn shaded(main: &Compiled, epilog: &Compiled, mask: u16) -> Pixels {
    let code = [&main.file.code[..], &epilog.file.code, &STOP].concat();
    let config = Config::default();
    let program = Arc::new(Program::new(&code, 0, &config));
    let mut group = Group::new(&program, &config, &Launch::default(), 0);
    let mut memory = Mapped::default();
    for (first, bytes) in &main.file.constants {
        let halves = bytes.chunks(2).map(|two| u16::from_le_bytes([two[0], two[1]]));
        (*first..).zip(halves).for_each(|(half, value)| group.set_uniform(half, value));
    }
    group.prepare_with(&main.file.preamble, 0, &config, &mut memory).expect("the preamble runs");
    group.enter(&Launch::default(), [0; 3]);
    let mut pixels = Pixels { samples: 4, ..Pixels::default() };
    pixels.tile = vec![BEFORE; pixels.sample_bytes * 4 * ALL];
    pixels.covered = std::array::from_fn(covered);
    for placed in &main.interface.inputs {
        let Place::Coefficient(register, _) = placed.place else { continue };
        let planes = &mut pixels.coefficients;
        planes.resize(planes.len().max(usize::from(register) + 1), [[0.0, 0.0, 1.0]; ALL]);
        let plane = |lane: usize| [0.0, 0.0, input(lane, placed.byte as usize / 4)];
        planes[usize::from(register)] = std::array::from_fn(plane);
    }
    let simd = &mut group.simdgroups[0];
    simd.set_word(0, Lanes::ZERO);
    simd.set_word(SAMPLES, Lanes([mask.into(); ALL]));
    simd.shade(pixels);
    let outcome = group.run(&mut memory);
    assert!(outcome.faults.is_empty(), "{}", outcome.faults[0].kind);
    let simd = &group.simdgroups[0];
    assert!((0..ALL).all(|lane| simd.word(SAMPLES).0[lane] & 0xffff == u32::from(mask)), "r1l is kept");
    simd.pixels().expect("they are there").clone()
}

/// The colour of each lane, by the interpreter; nothing where it is discarded.
fn meant(module: &Module, mask: u16) -> Vec<Option<[f32; 4]>> {
    let mut inputs = HashMap::new();
    for (n, global) in module.globals.iter().enumerate().filter(|(_, global)| global.space == Space::Input) {
        let row = |lane: usize| -> Vec<u8> {
            let own = u32::from(covered(lane)) & u32::from(mask);
            match global.binding.builtin {
                Some(SAMPLE_ID) => mask.ilog2().to_le_bytes().to_vec(),
                Some(SAMPLE_MASK) => own.to_le_bytes().to_vec(),
                _ => (0..4).flat_map(|n| input(lane, n).to_le_bytes()).collect(),
            }
        };
        inputs.insert(GlobalRef(n as u32), (0..ALL).map(row).collect());
    }
    let ran = Interpreter::new(module, &module.entries[0]).run(ALL, &inputs, &mut NoImages);
    let (report, outputs) = ran.expect("it runs");
    let colour =
        |global: &chiaro_ir::Global| global.space == Space::Output && global.binding.builtin.is_none();
    let colour = GlobalRef(module.globals.iter().position(colour).expect("a colour") as u32);
    let float = |row: &[u8], n: usize| f32::from_le_bytes(row[4 * n..4 * n + 4].try_into().expect("four"));
    let rows = outputs[&colour].iter().zip(&report.ended);
    rows.map(|(row, ended)| (!ended).then(|| std::array::from_fn(|n| float(row, n)))).collect()
}

/// Compares the first target, sample by sample; `kills` says which samples the shader leaves of those of a lane.
fn compare(body: &str, kills: &dyn Fn(usize, u16) -> u8) {
    let source = module(body);
    let mut cx = Cx { verify: true, ..Cx::default() };
    let main = compile(&mut source.clone(), "main", Choices::default(), &mut cx).expect("it compiles");
    let epilog = epilog(&main, "add one zero");
    for mask in [1, 2, 4, 8, 3, 12, 15u16] {
        let (mut found, meant) = (shaded(&main, &epilog, mask), meant(&source, mask));
        for (lane, meant) in meant.iter().enumerate() {
            let written = mask as u8 & covered(lane) & kills(lane, mask);
            for sample in 0..4 {
                let bytes = found.bytes_of(lane, sample, 0, 4).expect("room").to_vec();
                let place = format!("{body}\nmask {mask}, lane {lane}, sample {sample}");
                let Some(colour) = meant.filter(|_| written >> sample & 1 == 1) else {
                    assert_eq!(bytes, [BEFORE; 4], "{place}");
                    continue;
                };
                for (byte, value) in bytes.iter().zip(colour) {
                    let wanted = value.clamp(0.0, 1.0) * 255.0;
                    assert!((f32::from(*byte) - wanted).abs() <= 0.51, "{place}: {byte}, not {wanted}");
                }
            }
        }
    }
}

const INPUTS: &str = "layout(location = 0) sample in vec4 a; layout(location = 0) out vec4 colour;";

#[test]
fn masks_of_one_sample_of_two_and_of_all() {
    let all = |_: usize, _: u16| 15;
    compare(&format!("{INPUTS} void main() {{ colour = a; }}"), &all);
    let number = "colour = a * (0.3 + 0.05 * float(gl_SampleMaskIn[0])) + 0.01 * float(gl_SampleID);";
    compare(&format!("{INPUTS} void main() {{ {number} }}"), &all);
    let flow = "colour = a; for (int n = 0; n < 3; n++) { if (a.y > 0.4) break; colour.x += 0.1; }";
    compare(&format!("{INPUTS} void main() {{ {flow} }}"), &all);
    compare(&format!("{INPUTS} void main() {{ if (a.x < 0.3) discard; colour = a; }}"), &all);
}

/// Of samples that were tested before the shader runs its masks and discards leave some out: they are not killed.
#[test]
fn masks_behind_early_tests() {
    let early = format!("layout(early_fragment_tests) in; {INPUTS}");
    let all = |_: usize, _: u16| 15;
    compare(&format!("{early} void main() {{ colour = a; }}"), &all);
    compare(&format!("{early} void main() {{ if (a.x < 0.3) discard; colour = a; }}"), &all);
    let loops = "colour = a; for (int n = 0; n < 4; n++) { if (a.z * float(n) > 1.0) discard; colour.x += a.y * 0.1; }";
    compare(&format!("{early} void main() {{ {loops} }}"), &all);
    let chosen = "colour = a; gl_SampleMask[0] = 5;";
    compare(&format!("{early} void main() {{ {chosen} }}"), &|_, _| 5);
    let both = "if (a.x < 0.3) discard; colour = a; gl_SampleMask[0] = a.y > 0.4 ? 9 : 6;";
    let kept = |lane: usize, _: u16| if input(lane, 1) > 0.4 { 9 } else { 6 };
    compare(&format!("{early} void main() {{ {both} }}"), &kept);
}

/// Without early tests the same samples are killed.
#[test]
fn masks_that_shaders_choose() {
    let both = "if (a.x < 0.3) discard; colour = a; gl_SampleMask[0] = a.y > 0.4 ? 9 : 6;";
    let kept = |lane: usize, _: u16| if input(lane, 1) > 0.4 { 9 } else { 6 };
    compare(&format!("{INPUTS} void main() {{ {both} }}"), &kept);
}

/// What runs for each sample takes words of the stack every time, and gives them back.
#[test]
fn words_of_the_stack_are_given_back() {
    let table = "float t[48]; for (int n = 0; n < 48; n++) t[n] = a.y * float(n);
        for (int n = 0; n < 9; n++) t[(int(a.x * 90.0) + 5 * n) % 48] += a.z;
        colour = vec4(t[int(a.w * 40.0)], t[int(a.z * 30.0)], a.xy) * 0.01;";
    let body = format!("{INPUTS} void main() {{ {table} }}");
    let mut cx = Cx { verify: true, ..Cx::default() };
    let main = compile(&mut module(&body), "main", Choices::default(), &mut cx).expect("it compiles");
    let listing = chiaro_agx::listing::code(&main.file.code, Default::default());
    let adjusts = listing.lines().filter_map(|line| line.split_once("stack_adjust"));
    let words: Vec<i32> = adjusts.map(|(_, words)| words.trim().parse().expect("a number")).collect();
    assert!(matches!(words[..], [taken, given] if taken > 0 && given == -taken), "{words:?}\n{listing}");
    compare(&body, &|_, _| 15);
}

/// Four targets of 16 bytes fill a sample, and of four samples one: others are images, and no element is written twice.
#[test]
fn targets_without_room_are_images() {
    const PLAIN: &str = "add one zero";
    let target = |i: u32| {
        json!({ "i": i, "format": "PIPE_FORMAT_R32G32B32A32_FLOAT", "loc": i, "colormask": 15, "rgb": PLAIN,
            "alpha": PLAIN })
    };
    let link = json!({ "rt_spill_base": 0, "size_32": 255, "loc_written": 255, "sample_shading": 0,
        "broadcast_rt0": 0, "loc0_w_1": 0, "write_z": 0, "write_s": 0, "already_ran_zs": 0,
        "sample_mask_after_force_early": 0 });
    for (samples, tiles, images) in [(1, 4, 4), (4, 1, 7 * 4)] {
        let key = json!({ "link": link, "nr_samples": samples, "force_small_tile": 0, "logicop": "copy",
            "alpha_to_coverage": 0, "alpha_to_one": 0, "rts": (0..8).map(target).collect::<Vec<_>>() });
        let key = Key::of_json(&key).unwrap_or_else(|why| panic!("{why}: {key}"));
        let mut cx = Cx { verify: true, ..Cx::default() };
        let made = compile_part(&key, Choices::default(), &mut cx).expect("an epilog");
        let text = chiaro_agx::listing::code(&made.file.code, Default::default());
        assert_eq!(text.matches("st_tile").count(), tiles, "{text}");
        assert_eq!(text.matches("image_write").count(), images, "{text}");
    }
}
