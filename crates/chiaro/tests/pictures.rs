//! Scenes on the simulators of whole graphics machines: what they paint is there, and what the interpreter paints.
//!
//! Pictures are drawn by the command, in memory. Where a program is linked, the interpreter's colours are blended as
//! its keys say.

use std::path::PathBuf;

use chiaro::host::{self, Answer, Bytes, Call, Status};
use serde_json::{Value, json};

/// Targets that shade vertices and fragments.
const TARGETS: [&str; 2] = ["a3xx", "agx"];

/// Files in memory.
type Files<'a> = Vec<(&'a str, Vec<u8>)>;

fn call(args: &str, files: &Files<'_>) -> Answer<Vec<(Option<PathBuf>, Vec<u8>)>> {
    let args = args.split(' ').map(str::to_owned).collect();
    let files = files.iter().map(|(name, bytes)| ((*name).to_owned(), Bytes::from(bytes.clone())));
    host::call(Call { args, files: files.collect() })
}

/// What a command makes.
fn made(args: &str, files: &Files<'_>) -> Vec<u8> {
    let answer = call(args, files);
    assert_eq!(answer.status, Status::Done, "{args}: {}", answer.text);
    let name = args.split(" -o ").nth(1).map(|rest| rest.split(' ').next().unwrap_or_default());
    let results = answer.value.expect("a result");
    host::result_for(&results, name).expect("it is written").to_vec()
}

/// What a drawing shows: its pixels, and how far it is from the interpreter's.
struct Drawn {
    pixels: Vec<[u8; 4]>,
    greatest: f64,
    said: String,
}

fn draw(target: &str, scene: &Value, files: &Files<'_>) -> Drawn {
    let mut files = files.clone();
    files.push(("scene.json", scene.to_string().into_bytes()));
    let answer = call(&format!("draw scene.json --target {target} -o out.png --compare"), &files);
    assert_eq!(answer.status, Status::Done, "{target}: {}", answer.text);
    let results = answer.value.expect("results");
    let png = host::result_for(&results, Some("out.png")).expect("a picture");
    let text = host::result_for(&results, None).map(String::from_utf8_lossy).unwrap_or_default();
    let (_, bytes) = host::pixels(png).expect("a PNG");
    let greatest = text.trim().rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a difference");
    let pixels = bytes.chunks(4).map(|four| [four[0], four[1], four[2], four[3]]).collect();
    Drawn { pixels, greatest, said: answer.text }
}

impl Drawn {
    /// Pixels that are not as the picture was before.
    fn painted(&self) -> usize {
        self.pixels.iter().filter(|pixel| pixel[..3] != [0; 3]).count()
    }

    fn colours(&self) -> usize {
        self.pixels.iter().collect::<std::collections::HashSet<_>>().len()
    }
}

/// Two triangles over most of the picture, one of them behind the other in part, seen in perspective.
fn scene(vertex: &str, fragment: &str) -> Value {
    json!({
        "vertex": vertex, "fragment": fragment, "size": [40, 32], "clear": [0, 0, 0, 0],
        "attributes": {
            "place": [[-0.9, -0.9, 0.2, 1], [1.8, -1.7, 0.4, 2], [0.1, 0.9, 0.1, 1],
                      [-0.8, 0.8, 0.3, 1], [0.9, 0.9, 0.3, 1], [-0.4, -3.2, -0.9, 4]],
            "tint": [[1, 0.1, 0.2, 1], [0.2, 1, 0.3, 0.5], [0.3, 0.2, 1, 0.75],
                     [1, 1, 0.1, 1], [0.1, 1, 1, 1], [1, 0.3, 0.9, 1]],
            "at": [[0, 0], [1, 0], [0, 1], [1, 1], [0.5, 0.25], [0.75, 2]],
        },
    })
}

const VERTEX: &str = "layout(location = 0) in vec4 place; layout(location = 1) in vec4 tint;
layout(location = 2) in vec2 at;";

fn vertex(outputs: &str, body: &str) -> Vec<u8> {
    format!("#version 450\n{VERTEX}\n{outputs}\nvoid main() {{ gl_Position = place; {body} }}").into_bytes()
}

fn fragment(inputs: &str, body: &str) -> Vec<u8> {
    let text =
        format!("#version 450\n{inputs}\nlayout(location = 0) out vec4 colour;\nvoid main() {{ {body} }}");
    text.into_bytes()
}

/// Draws on targets, and wants something to be there that is what the interpreter paints.
fn same(targets: &[&str], what: &str, stages: [Vec<u8>; 2], scene: &Value, bound: f64) {
    let [vertex, fragment] = stages;
    let files = vec![("a.vert", vertex), ("a.frag", fragment)];
    for target in targets {
        let drawn = draw(target, scene, &files);
        assert!(drawn.painted() > 150, "{target}, {what}: {} pixels are painted", drawn.painted());
        assert!(drawn.colours() > 2, "{target}, {what}: there is one colour");
        assert!(drawn.greatest <= bound, "{target}, {what}: {} from the interpreter", drawn.greatest);
        assert!(!drawn.said.contains("program,"), "{target}, {what}: {}", drawn.said);
    }
}

#[test]
fn varyings_of_several_locations_and_kinds() {
    let [outputs, inputs] = ["out", "in"].map(|way| {
        format!(
            "layout(location = 0) {way} vec3 a; layout(location = 1) flat {way} vec2 b;
             layout(location = 2) {way} float c; layout(location = 4) noperspective {way} vec2 d;
             layout(location = 5) flat {way} int e;"
        )
    });
    let stages = [
        vertex(&outputs, "a = tint.xyz; b = at; c = tint.w; d = at; e = int(tint.x * 3.0);"),
        fragment(
            &inputs,
            "colour = vec4(a * c, 1.0) * 0.5 + vec4(b, d) * 0.2 + vec4(0.0, float(e) / 8.0, d.y, 0.1);",
        ),
    ];
    same(&TARGETS, "kinds", stages, &scene("a.vert", "a.frag"), 2e-6);
}

#[test]
fn the_rasteriser_s_own_inputs() {
    let plain = || vertex("layout(location = 0) out vec4 a;", "a = tint;");
    let input = "layout(location = 0) in vec4 a;";
    // Differences along a row differ from row to row where there is perspective: any of them will do.
    let [outputs, inputs] =
        ["out", "in"].map(|way| format!("layout(location = 0) noperspective {way} vec4 a;"));
    let stages = [
        vertex(&outputs, "a = tint;"),
        fragment(&inputs, "colour = vec4(abs(dFdx(a.xy)) * 8.0, fwidth(a.z) * 4.0, 1.0);"),
    ];
    same(&TARGETS, "derivatives", stages, &scene("a.vert", "a.frag"), 2e-5);
    for (what, body) in [
        ("coordinates", "colour = vec4(gl_FragCoord.xy / 40.0, gl_FragCoord.z, gl_FragCoord.w) + a * 0.01;"),
        ("sides", "colour = gl_FrontFacing ? a : a.yzxw * 0.5;"),
        ("discards", "if (a.x + a.y < 0.7) discard; colour = a;"),
    ] {
        same(&TARGETS, what, [plain(), fragment(input, body)], &scene("a.vert", "a.frag"), 2e-5);
    }
}

#[test]
fn depths_of_programs_and_of_primitives() {
    let plain = vertex("layout(location = 0) out vec4 a;", "a = tint;");
    let body = "colour = a; gl_FragDepth = a.x > 0.5 ? 0.2 : 0.8;";
    let stages = [plain, fragment("layout(location = 0) in vec4 a;", body)];
    same(&["agx"], "depth", stages, &scene("a.vert", "a.frag"), 2e-6);
}

#[test]
fn points_have_sizes_and_places() {
    let stages = [
        vertex("layout(location = 0) out vec4 a;", "a = tint; gl_PointSize = 3.0 + 9.0 * at.x;"),
        fragment("layout(location = 0) in vec4 a;", "colour = vec4(gl_PointCoord, a.z, 1.0);"),
    ];
    let mut scene = scene("a.vert", "a.frag");
    scene["topology"] = json!("points");
    same(&["agx"], "points", stages, &scene, 2e-6);
}

#[test]
fn samples_are_shaded_where_they_are() {
    let own = |how: &str| {
        let names = |way: &str| {
            format!("layout(location = 0) {how} {way} vec4 a; layout(location = 1) {way} vec2 b;")
        };
        [
            vertex(&names("out"), "a = tint; b = at;"),
            fragment(&names("in"), "colour = a + vec4(b, 0.0, 0.0) * 0.25;"),
        ]
    };
    for samples in [1, 2, 4] {
        let mut scene = scene("a.vert", "a.frag");
        scene["samples"] = json!(samples);
        for how in ["", "centroid", "sample"] {
            same(&["agx"], &format!("{how}, {samples}"), own(how), &scene, 5e-5);
        }
        let [plain, _] = own("");
        let input = "layout(location = 0) in vec4 a;";
        let mask = "colour = a; gl_SampleMask[0] = a.x > 0.4 ? 5 : gl_SampleMaskIn[0] & 2;";
        let number =
            "colour = a * (0.25 + 0.2 * float(gl_SampleID)) + vec4(gl_SamplePosition, 0.0, 0.0) * 0.1;";
        if samples == 4 {
            same(&["agx"], "masks", [plain.clone(), fragment(input, mask)], &scene, 5e-5);
        }
        same(&["agx"], "numbers", [plain, fragment(input, number)], &scene, 5e-5);
    }
}

/// Inputs are taken once more where the shader says, with perspective and without, flat ones as they are.
#[test]
fn inputs_are_taken_at_other_places() {
    let own = |how: &str, body: &str| {
        let names = |way: &str| {
            format!(
                "layout(location = 0) {how} {way} vec4 a; layout(location = 1) {how} {way} vec2 b[2];
                layout(location = 3) flat {way} float c;"
            )
        };
        [
            vertex(&names("out"), "a = tint; b = vec2[2](at.xy, tint.zy); c = tint.x;"),
            fragment(&names("in"), body),
        ]
    };
    for samples in [1, 2, 4] {
        let mut scene = scene("a.vert", "a.frag");
        scene["samples"] = json!(samples);
        let number = format!("int(gl_FragCoord.x) & {}", samples - 1);
        let element = "int(gl_FragCoord.y) & 1";
        for how in ["", "noperspective"] {
            for body in [
                "colour = interpolateAtCentroid(a);".to_owned(),
                "colour = vec4(interpolateAtOffset(b[0], vec2(0.25, -0.375)), interpolateAtOffset(a.zw, a.xy - 0.5));".to_owned(),
                format!("colour = vec4(interpolateAtSample(a, 0).xy, interpolateAtSample(b[1], {number}));"),
                format!("colour = vec4(interpolateAtCentroid(b[{element}]), interpolateAtOffset(c, vec2(3.0)), a.w);"),
                "if (a.x > 0.5) colour = interpolateAtOffset(a, vec2(-0.5, 0.4375)); else colour = a;".to_owned(),
            ] {
                same(&["agx"], &format!("{how} {body}, {samples}"), own(how, &body), &scene, 5e-5);
            }
        }
    }
}

/// Of samples that are shaded one by one each decides on itself alone; depths and masks are both heeded.
#[test]
fn samples_decide_on_themselves() {
    let plain = || vertex("layout(location = 0) out vec4 a;", "a = tint;");
    for samples in [1, 2, 4] {
        let mut scene = scene("a.vert", "a.frag");
        scene["samples"] = json!(samples);
        for (how, body) in [
            ("sample", "if (a.x + a.y < 0.7) discard; colour = a;"),
            ("", "if (gl_SampleID == 1) discard; colour = a;"),
            ("sample", "gl_SampleMask[0] = a.z > 0.4 ? 15 : int(a.x * 20.0); colour = a;"),
            ("", "colour = a * float(gl_SampleMaskIn[0]) / 16.0 + float(gl_SampleID) * 0.01;"),
            ("", "gl_SampleMask[0] = int(a.x * 20.0); gl_FragDepth = a.y; colour = a;"),
            ("sample", "gl_SampleMask[0] = int(a.x * 20.0); gl_FragDepth = a.y; colour = a;"),
            ("sample", "if (a.x > 0.8) discard; gl_FragDepth = a.y; colour = a;"),
            ("sample", "if (a.x > 0.8) discard; gl_SampleMask[0] = int(a.y * 20.0); colour = a;"),
        ] {
            let stages = [plain(), fragment(&format!("layout(location = 0) {how} in vec4 a;"), body)];
            same(&["agx"], &format!("{body}, {samples}"), stages, &scene, 5e-5);
        }
    }
}

/// Where the language leaves derivatives open, the interpreter takes those of the machine that it is compared with.
#[test]
fn derivatives_are_as_fine_as_the_machine_s() {
    let plain = || vertex("layout(location = 0) out vec4 a;", "a = tint;");
    for (how, targets) in [("", &TARGETS[..]), ("Fine", &["agx"]), ("Coarse", &TARGETS)] {
        let body = format!(
            "colour = vec4(abs(dFdx{how}(a.xy)) * 8.0, fwidth{how}(a.z * a.y) * 4.0, abs(dFdy{how}(a.w)));"
        );
        let stages = [plain(), fragment("layout(location = 0) in vec4 a;", &body)];
        same(targets, &format!("derivatives {how}"), stages, &scene("a.vert", "a.frag"), 5e-5);
    }
}

#[test]
fn uniforms_and_textures_reach_both_programs() {
    let block = "layout(set = 0, binding = 0) uniform Scene { mat4 camera; vec4 light; };";
    let [outputs, inputs] = ["out", "in"].map(|way| {
        format!("{block} layout(location = 0) {way} vec2 where; layout(location = 1) {way} vec4 a;")
    });
    let stages = [
        vertex(&outputs, "gl_Position = camera * place; where = at; a = tint;"),
        fragment(
            &format!("{inputs} layout(set = 0, binding = 1) uniform sampler2D surface;"),
            "colour = texture(surface, where) * light * a;",
        ),
    ];
    let mut scene = scene("a.vert", "a.frag");
    scene["uniforms"] = json!({ "Scene": {
        "camera": [[0.9, 0.1, 0, 0], [-0.1, 0.9, 0, 0], [0, 0, 1, 0], [0.05, 0, 0, 1]], "light": [1, 0.75, 0.5, 1],
    } });
    scene["images"] = json!({ "surface": { "size": [2, 2], "filter": "linear",
        "texels": [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1, 1]] } });
    same(&["agx"], "textures", stages, &scene, 2e-4);
}

#[test]
fn attributes_of_integers_and_wgsl() {
    let both = "struct Out { @builtin(position) place: vec4f, @location(0) tint: vec4f, @location(1) @interpolate(flat) n: u32 }";
    let vertex = "@vertex fn vertex(@location(0) place: vec4f, @location(1) n: vec2u) -> Out {
            var o: Out; o.place = place; o.tint = vec4f(f32(n.x) / 8.0, f32(n.y) / 4.0, 0.5, 1.0); o.n = n.x; return o; }";
    let fragment = "@fragment fn fragment(in: Out) -> @location(0) vec4f { return in.tint + vec4f(0.0, 0.0, f32(in.n) / 32.0, 0.0); }";
    let scene = json!({
        "vertex": "vertex.wgsl", "fragment": "fragment.wgsl", "size": [32, 32], "clear": [0, 0, 0, 0],
        "attributes": { "place": [[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], "n": [[1, 2], [8, 0], [3, 4]] },
    });
    let file = |entry: &str| format!("{both}\n{entry}").into_bytes();
    let files = vec![("vertex.wgsl", file(vertex)), ("fragment.wgsl", file(fragment))];
    let drawn = draw("agx", &scene, &files);
    assert_eq!(drawn.painted(), 32 * 32);
    assert!(drawn.colours() > 100 && drawn.greatest < 2e-6, "{} {}", drawn.colours(), drawn.greatest);
}

/// A lit, textured pair as a driver has it: compiled once, linked for several states.
mod lit {
    use super::*;

    const VERTEX: &[u8] = include_bytes!("../../../examples/agx/lit.vert");
    const FRAGMENT: &[u8] = include_bytes!("../../../examples/agx/lit.frag");
    const SAMPLES: &[u8] = include_bytes!("../../../examples/agx/lit_samples.frag");
    const MESH: &[u8] = include_bytes!("../../../examples/agx/mesh.json");
    const OPAQUE: &[u8] = include_bytes!("../../../examples/agx/opaque.json");
    const BLENDED: &[u8] = include_bytes!("../../../examples/agx/blended.json");
    const INVERTED: &[u8] = include_bytes!("../../../examples/agx/inverted.json");

    fn shaders() -> Files<'static> {
        vec![
            ("lit.vert", VERTEX.to_vec()),
            ("lit.frag", FRAGMENT.to_vec()),
            ("lit_samples.frag", SAMPLES.to_vec()),
            ("mesh.json", MESH.to_vec()),
            ("opaque.json", OPAQUE.to_vec()),
            ("blended.json", BLENDED.to_vec()),
            ("inverted.json", INVERTED.to_vec()),
        ]
    }

    /// The scene of a mesh that its prolog fetches: what its formats hold, so that nothing is rounded but normals.
    fn scene(fragment: &str, samples: u32) -> Value {
        json!({
            "vertex": "vertex.agxb", "fragment": "fragment.agxb", "sources": ["lit.vert", fragment],
            "size": [24, 20], "samples": samples, "clear": [0.4, 0.2, 0.6, 1], "depth": "less-equal",
            "attributes": {
                "position": [[-0.9, -0.9, 0.5], [0.8, -0.7, 0.5], [0, 0.9, 0.5],
                             [-0.5, 0.8, 0.25], [0.9, 0.9, 0.25], [0.2, -0.9, 0.25]],
                "normal": [[0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1]],
                "place": [[0, 0], [1, 0], [0, 1], [1, 1], [0, 1], [1, 0]],
            },
            "uniforms": { "Scene": {
                "camera": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], "light": [0.48, 0.6, 0.64, 0.5],
            } },
            "images": { "surface": { "size": [2, 2], "filter": "linear",
                "texels": [[1, 0.2, 0.1, 1], [0.1, 1, 0.3, 0.5], [0.2, 0.4, 1, 0.75], [1, 1, 0.9, 0.25]] } },
        })
    }

    fn linked(fragment: &str, keys: &str, more: &str) -> Files<'static> {
        let mut files = shaders();
        for (source, out) in [("lit.vert", "v.agxb"), (fragment, "f.agxb")] {
            let bytes = made(&format!("compile --target agx {source} -o {out}"), &files);
            files.push((out, bytes));
        }
        let vertex = made("link v.agxb --keys mesh.json -o vertex.agxb", &files);
        let program = made(&format!("link f.agxb --keys {keys}{more} -o fragment.agxb"), &files);
        files.extend([("vertex.agxb", vertex), ("fragment.agxb", program)]);
        files
    }

    /// A step of the formats and the rounding of the arithmetic.
    const STEP: f64 = 1.01 / 255.0;

    #[test]
    fn one_pair_is_drawn_for_three_states() {
        for (fragment, keys, more, samples) in [
            ("lit.frag", "opaque.json", "", 1),
            ("lit_samples.frag", "blended.json", " -m samples=4", 4),
            ("lit_samples.frag", "blended.json", "", 4),
            ("lit.frag", "inverted.json", "", 1),
        ] {
            let files = linked(fragment, keys, more);
            let drawn = draw("agx", &scene(fragment, samples), &files);
            assert!(drawn.colours() > 50, "{keys}: {} colours", drawn.colours());
            assert!(drawn.greatest <= STEP, "{keys}: {}", drawn.greatest);
            assert!(!drawn.said.contains("program,"), "{keys}: {}", drawn.said);
        }
    }

    /// What is linked for four samples is not drawn with one, and the other way round.
    #[test]
    fn samples_have_to_agree() {
        let mut files = linked("lit_samples.frag", "blended.json", " -m samples=4");
        files.push(("scene.json", scene("lit_samples.frag", 1).to_string().into_bytes()));
        let answer = call("draw scene.json --target agx -o out.png", &files);
        assert_eq!(answer.status, Status::Input);
        assert!(
            answer.text.contains("the epilog is for 4 samples, and what is drawn to has 1"),
            "{}",
            answer.text
        );
    }

    #[test]
    fn an_epilog_is_for_as_many_samples_as_are_shaded() {
        let files = linked("lit_samples.frag", "blended.json", "");
        let answer = call("link f.agxb --keys blended.json -m samples=2 -o other.agxb", &files);
        assert_eq!(answer.status, Status::Input);
        let said = "the epilog is for 4 samples, and 2 are to be shaded";
        assert!(answer.text.contains(said), "{}", answer.text);
    }

    /// A varying that is taken from another slot shows.
    #[test]
    fn a_wrong_slot_shows() {
        let mut files = linked("lit.frag", "opaque.json", "");
        let last = files.pop().expect("the program").1;
        let mut file = chiaro_agx::container::file::File::read(&last).expect("a file");
        let main = file.parts.iter_mut().find(|part| part.bindings.len() > 1).expect("the main part");
        for binding in main.bindings.iter_mut().filter(|binding| binding.slot > 0) {
            // Both locations change places: the numbers of generic slots begin with an even one here.
            binding.slot ^= 1;
        }
        files.push(("fragment.agxb", file.write()));
        let drawn = draw("agx", &scene("lit.frag", 1), &files);
        assert!(drawn.greatest > 0.1, "{}", drawn.greatest);
    }

    /// A register of the epilog that nobody leaves, and a factor that there is not: the messages name them.
    #[test]
    fn what_is_broken_by_hand_is_told() {
        let mut files = linked("lit.frag", "opaque.json", "");
        let wrong = String::from_utf8_lossy(OPAQUE).replace("\"copy\"", "\"coppy\"");
        files.push(("wrong.json", wrong.into_bytes()));
        let answer = call("link f.agxb --keys wrong.json -o fragment.agxb", &files);
        assert_eq!(answer.status, Status::Input);
        assert!(
            answer.text.contains("`logicop`") && answer.text.contains("copy_inverted"),
            "{}",
            answer.text
        );
        let key = serde_json::from_slice::<Value>(OPAQUE).expect("JSON")["epilog"].clone();
        let mut key = key.clone();
        key["link"] = json!({ "rt_spill_base": 0, "size_32": 1, "loc_written": 1, "sample_shading": 0, "broadcast_rt0": 0,
            "loc0_w_1": 0, "write_z": 0, "write_s": 0, "already_ran_zs": 0, "sample_mask_after_force_early": 0 });
        files.push(("epilog.json", key.to_string().into_bytes()));
        let epilog = made("compile --target agx --part fs-epilog --key epilog.json -o epilog.agxb", &files);
        let file = chiaro_agx::container::file::File::read(&epilog).expect("a file");
        files.push(("epilog.bin", file.code));
        let text =
            String::from_utf8(made("dis epilog.bin --target agx -o epilog.agx", &files)).expect("text");
        let broken = text.replace("r4_r5_r6_r7", "r40_r41_r42_r43");
        assert_ne!(broken, text, "{text}");
        files.push(("broken.agx", broken.into_bytes()));
        let broken = made("asm broken.agx -m role=epilog -m stage=fragment -o broken.agxb", &files);
        files.push(("broken.agxb", broken));
        let answer = call("link f.agxb broken.agxb -o fragment.agxb", &files);
        assert_eq!(answer.status, Status::Input);
        for said in ["epilog", "r40", "it is read, and no part before has written it"] {
            assert!(answer.text.contains(said), "{}", answer.text);
        }
    }
}
